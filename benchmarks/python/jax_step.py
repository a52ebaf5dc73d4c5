# jax_step.py - a training step (forward, and gradients of input and parameters) in f32 on JAX's CPU: rnn_mlir.jax,
# jax.lax.scan, Keras 3 and Flax's nn.RNN. Layers that are not installed are skipped.
#   python jax_step.py [--modes=lstm,gru] [--seconds=10] [--sizes=0,1,2] [--donate] [--one-step] [--keep-memory]
#   python jax_step.py --examples [--seconds=10]
# --donate: the step returns updated parameters in donated buffers instead of gradients. --one-step: sequences of one step, also
# in inference. --keep-memory: rnn.keep_freed_memory(). --examples: gradients of the
# parameters per example, and gradients of an ensemble.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmark of layers in JAX."""

import argparse
import os
import time

os.environ["KERAS_BACKEND"] = "jax"
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import rnn_mlir.jax as rnn  # noqa: E402
from common import ONE_STEP, SIZES, interleaved, processor, report  # noqa: E402


def scan_layer(mode):
    """What users write: the GEMM of the input before the loop, one GEMM per step."""
    def layer(w, x):
        H = w.r.shape[1]
        a = x @ w.w.T + w.bw

        def lstm(carry, a):
            h, c = carry
            i, f, g, o = jnp.split(a + h @ w.r.T + w.br, 4, axis=1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        def gru(h, a):
            s = h @ w.r.T + w.br
            r, z = jnp.split(jax.nn.sigmoid(a[:, :2 * H] + s[:, :2 * H]), 2, axis=1)
            n = jnp.tanh(a[:, 2 * H:] + r * s[:, 2 * H:])
            h = (1 - z) * n + z * h
            return h, h
        zero = jnp.zeros((x.shape[1], H), x.dtype)
        return jax.lax.scan(lstm if mode == "lstm" else gru, (zero, zero) if mode == "lstm" else zero, a)[1]
    return layer


def contestants(mode, T, B, I, H):
    """name -> function (variables, x [T, B, I]) -> y, and its variables."""
    weights, = rnn.init(jax.random.key(0), mode, I, H)
    ours = rnn.lstm if mode == "lstm" else rnn.gru
    found = {"rnn_mlir.jax": (lambda w, x: ours([w], x)[0], weights),
             "rnn_mlir.jax, flat": (lambda p, x: ours(p, x, hidden_size=H)[0], rnn.pack([weights])),
             "jax.lax.scan": (scan_layer(mode), weights)}
    try:
        import keras
        layer = (keras.layers.LSTM if mode == "lstm" else keras.layers.GRU)(H, return_sequences=True)
        layer.build((B, T, I))
        rnn.to_keras([weights], layer)
        variables = [jnp.asarray(v) for v in layer.get_weights()]

        def keras_layer(v, x):
            return jnp.swapaxes(layer.stateless_call(v, [s.value for s in layer.non_trainable_variables],
                                                     jnp.swapaxes(x, 0, 1), training=True)[0], 0, 1)
        found["Keras 3"] = (keras_layer, variables)
    except ImportError:
        pass
    try:
        import flax.linen as nn
        cell = (nn.OptimizedLSTMCell if mode == "lstm" else nn.GRUCell)(features=H)
        model = nn.RNN(cell, time_major=True)
        found["Flax nn.RNN"] = (model.apply, model.init(jax.random.key(0), jnp.zeros((T, B, I))))
    except ImportError:
        pass
    return found


def gradients(layer):
    def step(v, x, dy):
        y, transpose = jax.vjp(layer, v, x)
        return y, transpose(dy)
    return jax.jit(step)


def update(layer):
    def step(v, x, dy):
        y, transpose = jax.vjp(layer, v, x)
        dv, dx = transpose(dy)
        return jax.tree.map(lambda a, b: a - 1e-9 * b, v, dv), y, dx
    return jax.jit(step, donate_argnums=0)


def call(compiled, variables, x, dy, donates):
    """A step as a function without arguments. With donation, each call has the parameters of the one before."""
    held = [jax.tree.map(jnp.array, variables)]

    def one():
        out = jax.block_until_ready(compiled(held[0], x, dy))
        if donates:
            held[0] = out[0]
    return one


def examples(seconds):
    """Gradients of the parameters per example and of an ensemble, beside a loop over the examples and scan."""
    for mode, T, N, H in (("lstm", 64, 16, 64), ("lstm", 64, 16, 128), ("lstm", 64, 32, 256), ("gru", 64, 32, 256),
                          ("lstm", 128, 32, 512)):
        random = np.random.default_rng(0)
        weights, = rnn.init(jax.random.key(0), mode, H, H)
        ours, scan = rnn.lstm if mode == "lstm" else rnn.gru, scan_layer(mode)

        def mine(w, x):
            return jnp.sum(ours([w], x)[0] ** 2)

        def theirs(w, x):
            return jnp.sum(scan(w, x) ** 2)
        one, sequences = jax.grad(mine), jnp.asarray(random.standard_normal((N, T, 1, H)), jnp.float32)
        shared = jnp.asarray(random.standard_normal((T, 16, H)), jnp.float32)
        models = jax.tree.map(lambda v: jnp.stack([v] * 8), weights)
        for what, first, second, dims in ((f"{N} examples", weights, sequences, (None, 0)),
                                          ("8 models", models, shared, (0, None))):
            if dims[0] == 0 and H > 256:
                continue
            loop = ((lambda w, xs: jax.lax.map(lambda x: one(w, x), xs)) if dims[0] is None else
                    (lambda ws, x: jax.lax.map(lambda w: one(w, x), ws)))
            functions = {"vmap(grad)": jax.vmap(one, dims), "lax.map(grad)": loop}
            if H < 512:
                functions["vmap(grad) of scan"] = jax.vmap(jax.grad(theirs), dims)
            if dims[0] is None:
                functions["gradient of the sum"] = jax.grad(lambda w, xs: jnp.sum(jax.vmap(mine, (None, 0))(w, xs)))
            steps = {}
            for name, function in functions.items():
                compiled = jax.jit(function).lower(first, second).compile()
                steps[name] = lambda c=compiled, a=first, b=second: jax.block_until_ready(c(a, b))
            report(mode, (T, what, H), {}, *interleaved(steps, seconds, least=3))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--modes", default="lstm,gru")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--sizes", default="0,1,2")
    parser.add_argument("--donate", action="store_true")
    parser.add_argument("--examples", action="store_true")
    parser.add_argument("--one-step", action="store_true")
    parser.add_argument("--keep-memory", action="store_true")
    options = parser.parse_args()
    if options.keep_memory:
        rnn.keep_freed_memory()
    print(f"{processor()}; {os.cpu_count()} processors; JAX {jax.__version__}; f32; RNNRT_THREADS="
          f"{os.environ.get('RNNRT_THREADS', 'default')}")
    if options.examples:
        examples(options.seconds)
        return
    for mode in options.modes.split(","):
        for T, B, I, H in ONE_STEP if options.one_step else [SIZES[int(k)] for k in options.sizes.split(",")]:
            random = np.random.default_rng(0)
            x = jnp.asarray(random.standard_normal((T, B, I)), jnp.float32)
            dy = jnp.asarray(random.standard_normal((T, B, H)), jnp.float32)
            steps, forward, compile_seconds = {}, {}, {}
            for name, (layer, variables) in contestants(mode, T, B, I, H).items():
                if options.one_step:
                    inference = jax.jit(layer).lower(variables, x).compile()
                    forward[name] = lambda f=inference, v=variables: jax.block_until_ready(f(v, x))
                start = time.perf_counter()
                step = update(layer) if options.donate else gradients(layer)
                compiled = step.lower(variables, x, dy).compile()
                compile_seconds[name] = time.perf_counter() - start
                steps[name] = call(compiled, variables, x, dy, options.donate)
            if forward:
                report(mode + " inference", (T, B, I, H), {}, *interleaved(forward, options.seconds))
            report(mode, (T, B, I, H), compile_seconds, *interleaved(steps, options.seconds))


main()
