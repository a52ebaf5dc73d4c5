# test_import_rows.py - chains of ops on rows that are computed in blocks (rnn-block-rows), and their gradients, compared with JAX. Skipped
# without JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import rnn_mlir  # noqa: E402
from jax import export  # noqa: E402
from rnn_mlir.importers import stablehlo as tool  # noqa: E402

RANDOM = np.random.default_rng(5)


def layer_norm(x, gain):
    x = x - jnp.mean(x, -1, keepdims=True)
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * gain


def rms_norm(x):
    return x / jnp.sqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5)


def instance_norm(x):
    x = x - jnp.mean(x, (2, 3), keepdims=True)
    return x / jnp.sqrt(jnp.mean(x * x, (2, 3), keepdims=True) + 1e-5)


def attention(q, k, v):
    scores = jnp.einsum("bihd,bjhd->bhij", q, k) / np.float32(np.sqrt(q.shape[-1]))
    seen = jnp.arange(q.shape[1])[:, None] >= jnp.arange(q.shape[1])[None, :]
    return jnp.einsum("bhij,bjhd->bihd", jax.nn.softmax(jnp.where(seen, scores, -1e9), -1), v)


def cross_entropy(x, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(x, -1), labels[:, None], 1).mean()


def residual(x, gain):
    """The row statistics of a chain, its input and its last result are all used again."""
    y = layer_norm(x, gain)
    return jax.nn.softmax(y + x, -1) * y, y.max(-1), jnp.sum(y, 0)


def values_of(shapes, n, m=24):
    for shape in shapes:
        sizes = [{"n": n, "m": m}.get(size, size) for size in shape]
        yield RANDOM.integers(0, 37, sizes).astype(np.int32) if len(sizes) == 1 and sizes[0] == n else RANDOM.standard_normal(sizes).astype(np.float32)


def gradient(function):
    def loss(*values):
        return sum(jnp.sum(jnp.sin(leaf)) for leaf in jax.tree.leaves(function(*values)))

    return lambda *values: jax.grad(loss, argnums=tuple(k for k, value in enumerate(values) if value.dtype == np.float32))(*values)


def compile_symbolic(function, shapes):
    scope = export.SymbolicScope()
    arguments = [jax.ShapeDtypeStruct(export.symbolic_shape(", ".join(map(str, shape)) + ("," if len(shape) == 1 else ""), scope=scope),
                                      np.int32 if shape == ("n",) else np.float32) for shape in shapes]
    return rnn_mlir.compile(tool.import_module(export.export(jax.jit(function))(*arguments).mlir_module_serialized))


def compare(compiled, function, values):
    results, wanted = compiled(*values), jax.tree.leaves(jax.jit(function)(*values))
    for got, want in zip(results if isinstance(results, (list, tuple)) else [results], wanted, strict=True):
        np.testing.assert_allclose(np.asarray(got), want, rtol=2e-5, atol=1e-5 * np.abs(np.asarray(want)).max(initial=1))


FUNCTIONS = (
    (lambda x: jax.nn.softmax(x, -1), [("n", 200)]), (lambda x: jax.nn.logsumexp(x, -1), [("n", 200)]), (layer_norm, [("n", 200), (200,)]),
    (lambda x, gain, bias: layer_norm(x, gain) + bias, [("n", 12, 40), (40,), (40,)]), (rms_norm, [("n", 3, 128)]), (lambda x: jax.nn.softmax(rms_norm(x), 1), [("n", 20, 11)]), (instance_norm, [("n", 16, 9, 11)]),
    (attention, [("n", 24, 4, 16)] * 3), (cross_entropy, [("n", 400), ("n",)]), (lambda x: (jnp.mean(jnp.exp(x) * rms_norm(x)), rms_norm(x)), [("n", 200)]), (residual, [("n", 150), (150,)]),
    (lambda x: jax.nn.softmax(x, 0), [(200, "n")]),
)


@pytest.mark.parametrize("differentiate", (False, True))
@pytest.mark.parametrize("function, shapes", (
    (lambda x: jax.nn.softmax(x, -1), [("n", "m")]), (layer_norm, [("n", "m"), ("m",)]), (rms_norm, [("n", 3, "m")]),
    (attention, [("n", "m", 4, 16)] * 3), (cross_entropy, [("n", "m"), ("n",)]), (residual, [("n", "m"), ("m",)]),
))
def test_unknown_columns(function, shapes, differentiate):
    function = gradient(function) if differentiate else function
    compiled = compile_symbolic(function, shapes)
    for n, m in (1, 50), (5, 1), (40, 37), (301, 64):
        compare(compiled, function, list(values_of(shapes, n, m)))


# Numbers of rows that blocks divide, and others.
@pytest.mark.parametrize("differentiate", (False, True))
@pytest.mark.parametrize("n", (512, 701))
@pytest.mark.parametrize("function, shapes", FUNCTIONS)
def test_known_rows(function, shapes, n, differentiate):
    function = gradient(function) if differentiate else function
    values = list(values_of(shapes, n))
    module = tool.import_module(export.export(jax.jit(function))(*values).mlir_module_serialized)
    compare(rnn_mlir.compile(module), function, values)


@pytest.mark.parametrize("differentiate", (False, True))
@pytest.mark.parametrize("function, shapes", FUNCTIONS)
def test_unknown_rows(function, shapes, differentiate):
    function = gradient(function) if differentiate else function
    compiled = compile_symbolic(function, shapes)
    for n in (1, 7, 64, 333):
        compare(compiled, function, list(values_of(shapes, n)))
