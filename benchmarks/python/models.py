# models.py - cases of ops.py: whole models as programs write them in JAX, one training step or one call for inference each.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A training step computes the loss, its gradient and the parameters after one step of Adam (constants of the paper)."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def trained(loss, parameters, *data):
    """The function and the arguments of a training step of a dictionary of parameters: as many arguments as arrays."""
    leaves, tree = jax.tree.flatten(parameters)
    count = len(leaves)

    def step(*values):
        p, m, v = values[:count], values[count:2 * count], values[2 * count:3 * count]
        value, g = jax.value_and_grad(lambda *p: loss(jax.tree.unflatten(tree, p), *values[3 * count:]), argnums=tuple(range(count)))(*p)
        m = [.9 * a + .1 * b for a, b in zip(m, g)]
        v = [.999 * a + .001 * b * b for a, b in zip(v, g)]
        return value, *(a - 1e-3 * b / (jnp.sqrt(c) + 1e-8) for a, b, c in zip(p, m, v)), *m, *v
    return step, [*leaves, *(np.zeros_like(leaf) for leaf in leaves), *(np.full_like(leaf, .1) for leaf in leaves), *data]


def applied(function, parameters, *data):
    leaves, tree = jax.tree.flatten(parameters)
    return lambda *values: function(jax.tree.unflatten(tree, values[:len(leaves)]), *values[len(leaves):]), [*leaves, *data]


def entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1))


def normalize(x, gain, bias, axes=-1):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(axes, keepdims=True) + 1e-5) * gain + bias


def convolution(x, w, stride=1):
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def resnet(p, x):
    """Residual blocks with batch normalization, as in training."""
    def block(x, q, stride):
        y = jax.nn.relu(normalize(convolution(x, q["a"], stride), *q["na"], (0, 1, 2)))
        y = normalize(convolution(y, q["b"]), *q["nb"], (0, 1, 2))
        return jax.nn.relu(y + (convolution(x, q["skip"], stride) if "skip" in q else x))

    x = jax.nn.relu(normalize(convolution(x, p["stem"]), *p["n"], (0, 1, 2)))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    for k, q in enumerate(p["blocks"]):
        x = block(x, q, 1 if k == 0 else 2)
    return x.mean((1, 2)) @ p["out"]


def unet(p, x):
    down = []
    for w in p["down"]:
        x = jax.nn.relu(convolution(x, w))
        down.append(x)
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = jax.nn.relu(convolution(x, p["middle"]))
    for w, v, skip in zip(p["up"], p["join"], down[::-1]):
        x = lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = jax.nn.relu(convolution(jnp.concatenate([x, skip], -1), v))
    return convolution(x, p["out"])


def heads(x, count):
    return x.reshape(*x.shape[:2], count, -1)


def gpt(p, tokens):
    """A decoder of the kind of GPT-2 with 4 heads."""
    x = p["embedding"][tokens] + p["positions"]
    mask = jnp.tril(jnp.ones((tokens.shape[1],) * 2, bool))
    for q in p["layers"]:
        a, b, c = (heads(y, 4) for y in jnp.split(normalize(x, *q["na"]) @ q["qkv"], 3, -1))
        scores = jnp.where(mask, jnp.einsum("bqhd,bkhd->bhqk", a, b) / a.shape[-1] ** .5, -1e9)
        x = x + jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), c).reshape(x.shape) @ q["out"]
        x = x + jax.nn.gelu(normalize(x, *q["nb"]) @ q["up"]) @ q["down"]
    return normalize(x, *p["n"]) @ p["embedding"].T


def sample(p, key, keys, values):
    """Tokens from the four most likely ones at each of the positions of the caches [L, B, T, D]."""
    def step(carry, i):
        token, keys, values = carry
        x = p["embedding"][token] + p["positions"][i]
        for k, q in enumerate(p["layers"]):
            a, b, c = jnp.split(normalize(x, *q["na"]) @ q["qkv"], 3, -1)
            keys, values = keys.at[k, :, i].set(b), values.at[k, :, i].set(c)
            a, b, c = (y.reshape(*y.shape[:-1], 4, -1) for y in (a, keys[k], values[k]))
            scores = jnp.einsum("bhd,bthd->bht", a, b) / a.shape[-1] ** .5
            weights = jax.nn.softmax(jnp.where(jnp.arange(keys.shape[2]) <= i, scores, -1e9))
            x = x + jnp.einsum("bht,bthd->bhd", weights, c).reshape(x.shape) @ q["out"]
            x = x + jax.nn.gelu(normalize(x, *q["nb"]) @ q["up"]) @ q["down"]
        best, index = lax.top_k(normalize(x, *p["n"]) @ p["embedding"].T, 4)
        choice = jax.random.categorical(jax.random.fold_in(jax.random.wrap_key_data(key), i), best)
        token = jnp.take_along_axis(index, choice[:, None], 1)[:, 0]
        return (token, keys, values), token
    first = jnp.zeros(keys.shape[1], jnp.int32)
    return lax.scan(step, (first, keys, values), jnp.arange(keys.shape[2]))[1]


def multiply_whole(x, h, w):
    return jnp.concatenate([x, h], -1) @ w


def multiply_parts(x, h, w):
    return x @ w[:x.shape[-1]] + h @ w[x.shape[-1]:]


def lstm_cell(x, w, b, h, c, multiply=multiply_whole):
    i, f, g, o = jnp.split(multiply(x, h, w) + b, 4, -1)
    c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def lstm(x, w, b, h, c, multiply=multiply_whole):
    def step(carry, x):
        h, c = lstm_cell(x, w, b, *carry, multiply)
        return (h, c), h
    return lax.scan(step, (h, c), x)


def translation(p, source, target):
    """An encoder and a decoder with dot-product attention; the loss with the given previous words."""
    zero = jnp.zeros((source.shape[0], p["project"].shape[0] // 2))
    (h, c), encoded = lstm(p["source"][source.T], *p["encoder"], zero, zero)
    _, decoded = lstm(p["target"][target.T], *p["decoder"], h, c)
    weights = jax.nn.softmax(jnp.einsum("tbh,sbh->bts", decoded, encoded))
    context = jnp.einsum("bts,sbh->tbh", weights, encoded)
    return jnp.tanh(jnp.concatenate([decoded, context], -1) @ p["project"]) @ p["target"].T


def temporal(p, x):
    """Causal convolutions with growing dilation (arXiv:1803.01271)."""
    for k, (a, b) in enumerate(p["layers"]):
        def causal(x, w):
            return lax.conv_general_dilated(x, w, (1,), [(2 << k, 0)], rhs_dilation=(1 << k,), dimension_numbers=("NWC", "WIO", "NWC"))  # noqa: B023
        x = jax.nn.relu(x + causal(jax.nn.relu(causal(x, a)), b))
    return x[:, -1] @ p["out"]


def ctc(logits, labels):
    """The loss of connectionist temporal classification of arrays [T, B, C] and labels [B, N]; class 0 is blank."""
    scores = jax.nn.log_softmax(logits)
    states = jnp.zeros((labels.shape[0], 2 * labels.shape[1] + 1), jnp.int32).at[:, 1::2].set(labels)
    skips = jnp.pad((states[:, 2:] != states[:, :-2]) & (states[:, 2:] > 0), ((0, 0), (2, 0)))
    emitted = jnp.take_along_axis(scores, jnp.broadcast_to(states, (logits.shape[0], *states.shape)), 2)

    def step(a, e):
        moved, skipped = jnp.pad(a, ((0, 0), (1, 0)), constant_values=-1e9)[:, :-1], jnp.pad(a, ((0, 0), (2, 0)), constant_values=-1e9)[:, :-2]
        return jnp.logaddexp(jnp.logaddexp(a, moved), jnp.where(skips, skipped, -1e9)) + e, None
    first = jnp.where(jnp.arange(states.shape[1]) < 2, emitted[0], -1e9)
    last, _ = lax.scan(step, first, emitted[1:])
    return -jnp.mean(jnp.logaddexp(last[:, -1], last[:, -2]))


def graph(p, x, source, target):
    """Two layers that send messages along edges, and a mean over nodes."""
    for w, v in p["layers"]:
        messages = jax.nn.relu(jnp.concatenate([x[source], x[target]], -1) @ w)
        x = jax.nn.relu(x @ v + jax.ops.segment_sum(messages, target, x.shape[0]))
    return x.mean(0) @ p["out"]


def autoencoder(p, x, noise):
    h = jax.nn.relu(x @ p["in"])
    mean, deviation = jnp.split(h @ p["code"], 2, -1)
    y = jax.nn.relu((mean + jnp.exp(deviation) * noise) @ p["decode"]) @ p["out"]
    divergence = -.5 * jnp.sum(1 + 2 * deviation - mean ** 2 - jnp.exp(2 * deviation), -1)
    return jnp.mean(jnp.sum(jax.nn.softplus(y) - x * y, -1) + divergence)


def orbit(x, v, mass):
    """200 steps of the classical Runge-Kutta method for bodies that attract each other."""
    def change(state):
        x, v = state
        d = x[None] - x[:, None]
        return v, ((mass[None, :, None] * d) / ((d ** 2).sum(-1) + .01)[..., None] ** 1.5).sum(1)

    def step(state, _):
        def moved(k, h):
            return tuple(a + h * b for a, b in zip(state, k))
        k1 = change(state)
        k2 = change(moved(k1, .005))
        k3 = change(moved(k2, .005))
        k4 = change(moved(k3, .01))
        return tuple(a + .01 / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(state, k1, k2, k3, k4)), None
    return lax.scan(step, (x, v), None, length=200)[0]


def cases(floats, integers):
    """Names, functions and arguments. `floats(*shape)` returns normally distributed numbers, `integers(limit, *shape)` smaller ones."""
    def weights(*shape):
        return floats(*shape) / np.float32(np.prod(shape[:-1])) ** .5

    def norm(size):
        return [np.ones(size, np.float32), np.zeros(size, np.float32)]

    def conv(size, i, o):
        return weights(size, size, i, o)

    def block(i, o):
        made = {"a": conv(3, i, o), "na": norm(o), "b": conv(3, o, o), "nb": norm(o)}
        return made if i == o else {**made, "skip": conv(1, i, o)}

    images, labels = floats(16, 64, 64, 3), integers(10, 16)
    p = {"stem": conv(5, 3, 32), "n": norm(32), "blocks": [block(32, 32), block(32, 64), block(64, 128)], "out": weights(128, 10)}
    yield "ResNet (16,64,64,3), training", *trained(lambda p, x, y: entropy(resnet(p, x), y), p, images, labels)
    yield "ResNet, inference, B = 1", *applied(resnet, p, images[:1])
    sizes = [16, 32, 64]
    p = {"down": [conv(3, i, o) for i, o in zip([3, *sizes], sizes)], "middle": conv(3, 64, 64),
         "up": [conv(2, i, o) for i, o in zip([64, 64, 32], sizes[::-1])], "join": [conv(3, 2 * o, o) for o in sizes[::-1]], "out": conv(1, 16, 1)}
    yield "U-Net (4,64,64,3), training", *trained(lambda p, x, y: jnp.mean((unet(p, x) - y) ** 2), p, images[:4], floats(4, 64, 64, 1))
    layer = [{"na": norm(128), "qkv": weights(128, 384), "out": weights(128, 128), "nb": norm(128), "up": weights(128, 512), "down": weights(512, 128)}
             for _ in range(4)]
    p = {"embedding": floats(500, 128) / 10, "positions": floats(64, 128) / 10, "layers": layer, "n": norm(128)}
    yield "GPT (8,64,128), 4 layers, training", *trained(lambda p, x, y: entropy(gpt(p, x), y), p, integers(500, 8, 64), integers(500, 8, 64))
    yield "GPT, inference, B = 1", *applied(gpt, p, integers(500, 1, 64))
    cache = np.zeros((4, 4, 64, 128), np.float32)
    yield "GPT, 64 tokens of 4 texts", *applied(sample, p, np.array([1, 2], np.uint32), cache, cache)
    cell = [weights(256, 512), np.zeros(512, np.float32)]
    p = {"source": floats(1000, 128) / 10, "target": floats(1000, 128) / 10, "encoder": cell, "decoder": cell, "project": weights(256, 128)}
    yield "LSTM with attention (16,20,128), training", *trained(
        lambda p, x, y, z: entropy(translation(p, x, y), z.T), p, integers(1000, 16, 20), integers(1000, 16, 20), integers(1000, 16, 20))
    p = {"layers": [[weights(3, 64, 64), weights(3, 64, 64)] for _ in range(5)], "out": weights(64, 10)}
    yield "TCN (16,128,64), training", *trained(lambda p, x, y: entropy(temporal(p, x), y), p, floats(16, 128, 64), integers(10, 16))
    yield "CTC loss (100,16,30), gradient", jax.grad(ctc), [floats(100, 16, 30), 1 + integers(29, 16, 12)]
    p = {"layers": [[weights(128, 64), weights(64, 64)] for _ in range(2)], "out": weights(64, 10)}
    yield "graph of 500 nodes and 4000 edges, training", *trained(
        lambda p, x, a, b, y: entropy(graph(p, x, a, b)[None], y), p, floats(500, 64), integers(500, 4000), integers(500, 4000), integers(10, 1))
    p = {"in": weights(784, 256), "code": weights(256, 64), "decode": weights(32, 256), "out": weights(256, 784)}
    yield "VAE (128,784), training", *trained(autoencoder, p, np.abs(np.tanh(floats(128, 784))), floats(128, 32))
    yield "orbits of 16 bodies, 200 steps", orbit, [floats(16, 2), floats(16, 2), np.abs(floats(16))]
