# recurrent.py - cases of ops.py: recurrent cells that programs write themselves, scans without a cell, and searches.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No op of the dialect `rnn` is in these programs: they are loops and scans of JAX."""

import jax
import jax.numpy as jnp
from jax import lax
from models import lstm, multiply_parts


def gru(x, wi, wh, bias, h):
    """A GRU with weights in PyTorch's order, whose gates are one product of the input and one of the state."""
    def step(h, x):
        i, r = jnp.split(x @ wi.T + bias, 3, -1), jnp.split(h @ wh.T, 3, -1)
        z, reset = jax.nn.sigmoid(i[0] + r[0]), jax.nn.sigmoid(i[1] + r[1])
        h = (1 - z) * jnp.tanh(i[2] + reset * r[2]) + z * h
        return h, h
    return lax.scan(step, h, x)[1]


def concatenated(x, w, bias, h):
    """An LSTM that multiplies the concatenation of input and state, as Haiku's and the first one of TensorFlow do."""
    return lstm(x, w, bias, h, h)[1]


def parts(x, w, bias, h):
    """The same with two products, by parts of the weights."""
    return lstm(x, w, bias, h, h, multiply_parts)[1]


def normalized(x, w, bias, c):
    """A simple recurrent unit (arXiv:1709.02755) whose state is normalized."""
    def step(c, x):
        candidate, forget, gate = jnp.split(x @ w + bias, 3, -1)
        forget, gate = jax.nn.sigmoid(forget), jax.nn.sigmoid(gate)
        c = forget * c + (1 - forget) * candidate
        centered = c - c.mean(-1, keepdims=True)
        variance = (centered ** 2).mean(-1, keepdims=True)
        return c, gate * jnp.tanh(centered * lax.rsqrt(variance + 1e-5)) + (1 - gate) * x
    return lax.scan(step, c, x)[1]


def minimal_gru(x, wz, wh):
    """minGRU (arXiv:2410.01201): its states are a linear recurrence."""
    z, h = jax.nn.sigmoid(x @ wz), jnp.tanh(x @ wh)
    return lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (1 - z, z * h), axis=1)[1]


def selective_scan(x, dt, a, b, c):
    """The recurrence of Mamba (arXiv:2312.00752) for arrays [B, T, D], with N states of each channel."""
    dt = jax.nn.softplus(dt)
    decay, added = jnp.exp(dt[..., None] * a), (dt * x)[..., None] * b[:, :, None, :]

    def step(h, values):
        decay, added, c = values
        h = decay * h + added
        return h, (h * c[:, None, :]).sum(-1)

    first = jnp.zeros((x.shape[0], x.shape[2], a.shape[1]))
    return lax.scan(step, first, tuple(v.swapaxes(0, 1) for v in (decay, added, c)))[1].swapaxes(0, 1)


def decoding(x, wq, wk, wv, wo, keys, values):
    """Attention with 8 heads to its own earlier results, whose keys and values are cached."""
    def step(carry, i):
        x, keys, values = carry
        keys = lax.dynamic_update_slice(keys, (x @ wk)[:, None], (0, i, 0))
        values = lax.dynamic_update_slice(values, (x @ wv)[:, None], (0, i, 0))
        q, k, v = (y.reshape(*y.shape[:-1], 8, -1) for y in (x @ wq, keys, values))
        scores = jnp.einsum("bhd,bthd->bht", q, k) / q.shape[-1] ** .5
        weights = jax.nn.softmax(jnp.where(jnp.arange(keys.shape[1]) <= i, scores, -1e9), -1)
        x = x + jnp.einsum("bht,bthd->bhd", weights, v).reshape(x.shape) @ wo
        return (x, keys, values), x
    return lax.scan(step, (x, keys, values), jnp.arange(keys.shape[1]))[1]


def beam_search(scores, w):
    def step(carry, _):
        scores, h = carry
        total = scores[..., None] + jax.nn.log_softmax(h @ w)
        best, index = lax.top_k(total.reshape(scores.shape[0], -1), scores.shape[1])
        h = jnp.take_along_axis(h, (index // w.shape[1])[..., None], 1) * .9 + .1
        return (best, h), index % w.shape[1]
    return lax.scan(step, (scores, jnp.full((*scores.shape, w.shape[0]), .1)), None, length=20)[1]


def viterbi(transitions, emissions):
    def step(scores, emission):
        paths = scores[:, :, None] + transitions
        return paths.max(1) + emission, paths.argmax(1)
    return lax.scan(step, emissions[0], emissions[1:])


def cases(floats):
    """Names, functions and arguments. `floats(*shape)` returns normally distributed numbers."""
    def gradient(function, count):
        return jax.grad(lambda *values: jnp.sum(function(*values) ** 2), argnums=tuple(range(count)))

    def weights(*shape):
        return floats(*shape) / 20

    cell = [weights(768, 128), weights(768, 256), floats(768)]
    batch, row = [floats(64, 32, 128), *cell, floats(32, 256)], [floats(64, 1, 128), *cell, floats(1, 256)]
    yield "GRU cell (64,32,128,256)", gru, batch
    yield "GRU cell, gradient", gradient(gru, 4), batch
    yield "GRU cell, B = 1", gru, row
    for name, rows in ("(64,16,128,128)", 16), ("(64,1,128,128)", 1):
        values = [floats(64, rows, 128), weights(256, 512), floats(512), floats(rows, 128)]
        yield f"LSTM of a concatenation {name}", concatenated, values
        yield f"LSTM of a concatenation {name}, gradient", gradient(concatenated, 4), values
        yield f"LSTM, parts of weights {name}", parts, values
        yield f"LSTM, parts of weights {name}, gradient", gradient(parts, 4), values
    unit = [floats(64, 16, 256), weights(256, 768), floats(768), floats(16, 256)]
    yield "normalized cell (64,16,256)", normalized, unit
    yield "normalized cell, gradient", gradient(normalized, 3), unit
    minimal = [floats(16, 128, 128), weights(128, 128), weights(128, 128)]
    yield "minGRU (16,128,128)", minimal_gru, minimal
    yield "minGRU, gradient", gradient(minimal_gru, 3), minimal
    states = [floats(4, 128, 256), floats(4, 128, 256), -abs(floats(256, 16)), floats(4, 128, 16), floats(4, 128, 16)]
    yield "selective scan (4,128,256,16)", selective_scan, states
    yield "selective scan, gradient", gradient(selective_scan, 5), states
    cache = floats(4, 64, 256) * 0
    yield "attention with a cache, 64 steps", decoding, [floats(4, 256), *(weights(256, 256) for _ in range(4)), cache, cache]
    yield "beam search, 20 steps", beam_search, [floats(8, 4), floats(64, 300)]
    yield "Viterbi, 64 steps", viterbi, [floats(20, 20), floats(64, 16, 20)]
    yield "sort 64 x 1000", lambda x: jnp.sort(x, -1), [floats(64, 1000)]
    yield "8 largest of 1000", lambda x: lax.top_k(x, 8), [floats(64, 1000)]
