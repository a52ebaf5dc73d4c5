# symbolic.py - programs of JAX with symbolic batch sizes and numbers of steps beside the same with known sizes, compiled by rnn_mlir.compile, and JAX with
# known sizes.
#   RNNRT_THREADS=2 python symbolic.py [--seconds=1] [NAME...]
# RNN_MLIR_COMPILER=LIBRARY: another librnn-c.so, such as that of an earlier commit. All use the same processors. The error is the largest
# difference between an element with symbolic and with known sizes, relative to the largest element.
# NAME: only programs whose names contain one of these texts.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmark of programs whose sizes the compiler does not know."""

import argparse
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from common import interleaved, processor  # noqa: E402
from jax import export, lax  # noqa: E402
from ops import compile_case  # noqa: E402
from recurrent import concatenated  # noqa: E402

RANDOM = np.random.default_rng(0)


def floats(*shape):
    return (RANDOM.standard_normal(shape) / 10).astype(np.float32)


def elman(wi, wh, bias, x):
    def step(h, x):
        h = jnp.tanh(x @ wi + h @ wh + bias)
        return h, h
    return lax.scan(step, jnp.zeros((x.shape[1], wh.shape[0])), x)[1]


def lstm(w, bias, x):
    return concatenated(x, w, bias, jnp.zeros((x.shape[1], w.shape[1] // 4)))


def perceptron(w, bias, v, x):
    return jax.nn.softmax(jax.nn.gelu(x @ w + bias) @ v)


def normalization(scale, bias, x):
    centered = x - x.mean(-1, keepdims=True)
    return centered * lax.rsqrt((centered * centered).mean(-1, keepdims=True) + 1e-5) * scale + bias


def attention(w, x):
    q, k, v = jnp.split(x @ w, 3, -1)
    return jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", q, k) / 8) @ v


#: Names, functions, arguments, and the symbolic sizes of the last argument.
CASES = (("RNN (40,16,16,64)", elman, (floats(16, 64), floats(64, 64), floats(64), floats(40, 16, 16)), "40, b, 16"),
         ("RNN (40,16,16,64), steps", elman, (floats(16, 64), floats(64, 64), floats(64), floats(40, 16, 16)), "t, b, 16"),
         ("LSTM of a concatenation (40,16,64,64)", lstm, (floats(128, 256), floats(256), floats(40, 16, 64)), "40, b, 64"),
         ("LSTM of a concatenation (40,16,64,64), steps", lstm, (floats(128, 256), floats(256), floats(40, 16, 64)), "t, b, 64"),
         ("perceptron (64, 256, 512, 10)", perceptron, (floats(256, 512), floats(512), floats(512, 10), floats(64, 256)), "b, 256"),
         ("layer normalization (512, 256)", normalization, (floats(256), floats(256), floats(512, 256)), "b, 256"),
         ("attention (8, 64, 64)", attention, (floats(64, 192), floats(8, 64, 64)), "b, t, 64"),
         ("layer normalization (4096, 512)", normalization, (floats(512), floats(512), floats(4096, 512)), "b, 512"),
         ("log softmax (700, 10000)", jax.nn.log_softmax, (floats(700, 10000),), "b, 10000"),
         ("attention (32, 128, 64)", attention, (floats(64, 192), floats(32, 128, 64)), "b, t, 64"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("names", metavar="NAME", nargs="*")
    options = parser.parse_args()
    print(f"{processor()}, {os.environ.get('RNNRT_THREADS', os.cpu_count())} threads, jax {jax.__version__}, milliseconds\n")
    print("| program | symbolic | known | jax | symbolic / known | jax / symbolic | error |\n|---|---|---|---|---|---|---|")
    for name, forward, values, shape in CASES:
        if options.names and not any(text in name for text in options.names):
            continue
        symbolic = [*values[:-1], jax.ShapeDtypeStruct(export.symbolic_shape(shape), np.float32)]
        gradient = jax.grad(lambda *values, forward=forward: jnp.sum(forward(*values) ** 2), argnums=tuple(range(len(values))))
        for kind, function in ("", forward), (", gradient", gradient):
            compiled = {"symbolic": compile_case(function, symbolic), "known": compile_case(function, values)}
            theirs = jax.jit(function)
            results = [jax.tree.leaves(call(*values)) for call in compiled.values()]
            error = max(np.max(np.abs(np.asarray(a) - b)) / np.max(np.abs(b)) for a, b in zip(*results))
            steps = {key: lambda call=call: (call(*values), None)[1] for key, call in compiled.items()}
            steps["jax"] = lambda: (jax.block_until_ready(theirs(*values)), None)[1]  # noqa: B023
            medians, _ = interleaved(steps, options.seconds, least=3, calls=3)
            ms = {key: f"{value * 1e3:.3g}" for key, value in medians.items()}
            print(f"| {name}{kind} | {ms['symbolic']} | {ms['known']} | {ms['jax']} | {medians['symbolic'] / medians['known']:.2f} | "
                  f"{medians['jax'] / medians['symbolic']:.2f} | {error:.0e} |", flush=True)


if __name__ == "__main__":
    main()
