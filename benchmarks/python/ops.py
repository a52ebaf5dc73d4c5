# ops.py - ops around layers in programs of JAX: imported and compiled by rnn_mlir.compile, and by JAX.
#   RNNRT_THREADS=2 python ops.py [--seconds=1] [--before=LIBRARY] [NAME...]
# --before: another librnn-c.so, such as that of an earlier commit, which compiles the same modules, with this importer and this runtime.
# Each library then has a process of its own, since small ops take longer beside JAX's memory.
# NAME: only cases whose names contain one of these texts. All use the same processors. Each round has three calls of each in turn,
# after one that is not timed: threads of the one before may still spin. The error is the largest difference of an element, relative
# to the largest element of JAX's result.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmark of elementwise ops, functions, reductions, normalizations, losses, random numbers, data movement, loops, and libraries."""

import argparse
import os
import subprocess
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import complex_numbers  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import libraries  # noqa: E402
import models  # noqa: E402
import numpy as np  # noqa: E402
import recurrent  # noqa: E402
import recurrent_models  # noqa: E402
import rnn_mlir  # noqa: E402
import states  # noqa: E402
from common import interleaved, processor  # noqa: E402
from jax import export, lax  # noqa: E402
from jax.scipy import special  # noqa: E402
from rnn_mlir.importers import stablehlo  # noqa: E402

_generator = np.random.default_rng(0)


def floats(*shape):
    return _generator.standard_normal(shape).astype(np.float32)


def integers(limit, *shape):
    return _generator.integers(0, limit, shape).astype(np.int32)


def attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), v)


def normalization(axes):
    def normalize(x, gain, bias):
        mean = x.mean(axes, keepdims=True)
        variance = ((x - mean) ** 2).mean(axes, keepdims=True)
        return (x - mean) * lax.rsqrt(variance + 1e-5) * gain + bias
    return normalize


def loss(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))


def adam(p, g, m, v):
    m = .9 * m + .1 * g
    v = .999 * v + .001 * g * g
    return p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v


def dropout(x, seed):
    kept = jax.random.bernoulli(jax.random.wrap_key_data(seed), .9, x.shape)
    return jnp.where(kept, x / .9, 0)


def greedy(w, embedding, h):
    def step(carry, _):
        h, token = carry
        h = jnp.tanh(embedding[token] + h @ w)
        token = jnp.argmax(h @ embedding.T, -1)
        return (h, token), token
    return lax.scan(step, (h, jnp.zeros(h.shape[0], jnp.int32)), None, length=20)[1]


def transformer(x, qkv, out, up, up_bias, down, down_bias):
    """One block with 8 heads, without the parameters of its normalizations."""
    normalize = normalization(-1)
    heads = [part.reshape(*x.shape[:2], 8, -1) for part in jnp.split(normalize(x, 1, 0) @ qkv, 3, -1)]
    x = x + attention(*heads).reshape(x.shape) @ out
    return x + jax.nn.gelu(normalize(x, 1, 0) @ up + up_bias) @ down + down_bias


def perceptron(x, *weights):
    for w in weights[:-1]:
        x = jax.nn.relu(x @ w)
    return x @ weights[-1]


def gradient(function, *arguments):
    """The gradient of the sum of squares."""
    return jax.grad(lambda *values: (function(*values) ** 2).sum(), argnums=arguments or 0)


def cases():
    matrix, other, small = floats(2048, 512), floats(2048, 512), np.clip(floats(2048, 512) / 4, -.99, .99)
    positive, seed = np.abs(matrix) + np.float32(.01), np.array([1, 2], np.uint32)
    vectors = [floats(512), floats(512)]
    for name in ("sin", "cos", "tan", "arctan", "sinh", "exp", "expm1", "tanh", "cbrt"):
        yield name, getattr(jnp, name), [matrix]
    for name, function in (("arcsin", jnp.arcsin), ("arccos", jnp.arccos), ("arctanh", jnp.arctanh), ("erfinv", special.erfinv)):
        yield name, function, [small]
    yield "log", jnp.log, [positive]
    yield "log1p", jnp.log1p, [positive]
    yield "power", jnp.power, [positive, other]
    yield "power, constant exponent", lambda x: x ** 1.7, [positive]
    yield "arctan2", jnp.arctan2, [matrix, other]
    yield "erf", special.erf, [matrix]
    yield "lgamma", special.gammaln, [positive]
    yield "erfinv, transposed", lambda x: special.erfinv(x.T), [small]
    yield "gelu", jax.nn.gelu, [matrix]
    yield "silu, gradient", gradient(jax.nn.silu), [matrix]
    yield "attention (8,128,8,64)", attention, [floats(8, 128, 8, 64)] * 3
    yield "attention, gradient", gradient(attention, 0, 1, 2), [floats(8, 128, 8, 64)] * 3
    yield "layer normalization", normalization(-1), [matrix, *vectors]
    yield "layer normalization, gradient", gradient(normalization(-1), 0, 1, 2), [matrix, *vectors]
    yield "batch normalization", normalization(0), [matrix, *vectors]
    yield "cross entropy 2048 x 10000", loss, [floats(2048, 10000), integers(10000, 2048)]
    yield "cross entropy, gradient", jax.grad(loss), [floats(2048, 10000), integers(10000, 2048)]
    yield "Adam 2048 x 2048", adam, [*(floats(2048, 2048) for _ in range(3)), np.abs(floats(2048, 2048))]
    yield "dropout", dropout, [matrix, seed]
    yield "normal random numbers", lambda seed: jax.random.normal(jax.random.wrap_key_data(seed), (2048, 512)), [seed]
    yield "cumsum, last axis", lambda x: jnp.cumsum(x, 1), [matrix]
    yield "cumsum, first axis", lambda x: jnp.cumsum(x, 0), [matrix]
    yield "cumlogsumexp 64 x 500", lambda x: lax.cumlogsumexp(x, 1), [floats(64, 500)]
    yield "associative scan (16,256,64)", lambda a, b: lax.associative_scan(
        lambda x, y: (x[0] * y[0], x[1] * y[0] + y[1]), (a, b), axis=1), [floats(16, 256, 64)] * 2
    yield "logsumexp", lambda x: jax.nn.logsumexp(x, -1), [matrix]
    yield "variance, first axis", lambda x: jnp.var(x, 0), [matrix]
    yield "argmax", lambda x: jnp.argmax(x, -1), [matrix]
    yield "transposition", jnp.transpose, [matrix]
    yield "concatenation", lambda x, y: jnp.concatenate([x, y], -1), [matrix, other]
    yield "embedding", lambda w, x: w[x], [floats(10000, 512), integers(10000, 2048)]
    yield "segment sum", lambda x, s: jax.ops.segment_sum(x, s, 100), [matrix, integers(100, 2048)]
    yield "matrix product, bias, relu 512", lambda x, w, b: jax.nn.relu(x @ w + b), [floats(512, 512), floats(512, 512), floats(512)]
    yield "bilinear form", lambda x, w, y: jnp.einsum("bi,oij,bj->bo", x, w, y), [floats(64, 64), floats(32, 64, 64), floats(64, 64)]
    yield "int8 matrix product 256", lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32), [integers(9, 256, 256).astype(np.int8)] * 2
    layers = [floats(128, 784), floats(784, 512) / 20, floats(512, 512) / 20, floats(512, 10) / 20]
    yield "perceptron 784, 512, 512, 10, gradient", gradient(perceptron, 1, 2, 3), layers
    block = [floats(8, 128, 256), *(floats(*shape) / 20 for shape in ((256, 768), (256, 256), (256, 1024), (1024,), (1024, 256), (256,)))]
    yield "transformer block (8,128,256)", transformer, block
    yield "transformer block, gradient", gradient(transformer, *range(7)), block
    yield "greedy decoding, 20 steps", greedy, [floats(64, 64) / 10, floats(500, 64), floats(8, 64)]
    yield from recurrent.cases(floats)
    yield from states.cases(floats)
    yield from complex_numbers.cases(floats)
    yield from models.cases(floats, integers)
    yield from recurrent_models.cases(floats, integers)
    yield from libraries.cases(floats)


def compile_case(function, values):
    traced = export.export(jax.jit(function))(*values)
    return rnn_mlir.compile(stablehlo.import_module(traced.mlir_module_serialized))


def serve():
    """The process of another compiler: answers the name of a case with seconds of one call."""
    made, compiled, known = None, None, {name: rest for name, *rest in cases()}
    for line in sys.stdin:
        name = line.rstrip("\n")
        if made != name:
            made, compiled = name, compile_case(*known[name])
        values = known[name][1]
        start = time.perf_counter()
        compiled(*values)
        print(time.perf_counter() - start, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--before", metavar="LIBRARY")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("names", metavar="NAME", nargs="*")
    arguments = parser.parse_args()
    others = {}
    if arguments.before:
        for key, variables in ("before", {"RNN_MLIR_COMPILER": arguments.before}), ("ours", {}):
            others[key] = subprocess.Popen([sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                           env={**os.environ, **variables})
    print(f"{processor()}, {os.environ.get('RNNRT_THREADS', os.cpu_count())} threads, jax {jax.__version__}")
    print("milliseconds; f32, 2048 x 512 unless it is stated\n")
    print("| op | before | ours | jax | jax / ours | error | seconds to compile |\n|---|---|---|---|---|---|---|")
    for name, function, values in cases():
        if arguments.names and not any(text in name for text in arguments.names):
            continue
        start = time.perf_counter()
        ours = compile_case(function, values)
        compiling = time.perf_counter() - start
        theirs = jax.jit(function)
        error = 0
        for got, want in zip(jax.tree.leaves(ours(*values)), jax.tree.leaves(theirs(*values))):
            got, want = np.asarray(got), np.asarray(want)
            got = got.view(want.dtype) if want.dtype.kind == "u" else got  # compiled functions have signless integers
            got, want = got.astype(np.float64), want.astype(np.float64)
            error = max(error, np.max(np.abs(got - want)) / max(np.max(np.abs(want)), 1e-30))
        steps = {"ours": lambda: ours(*values), "jax": lambda: jax.block_until_ready(theirs(*values))}
        for key, process in others.items():
            def ask(process=process):
                process.stdin.write(f"{name}\n")  # noqa: B023
                process.stdin.flush()
                return float(process.stdout.readline())
            steps[key] = ask
        medians, _ = interleaved(steps, arguments.seconds, least=3, calls=3)
        ms = {key: f"{value * 1e3:.3g}" for key, value in medians.items()}
        print(f"| {name} | {ms.get('before', '')} | {ms['ours']} | {ms['jax']} | {medians['jax'] / medians['ours']:.2f} | {error:.0e} | "
              f"{compiling:.2f} |", flush=True)
    for process in others.values():
        process.stdin.close()
        process.wait()


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["--serve"] else main()
