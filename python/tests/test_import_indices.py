# test_import_indices.py - sorts, scatters and gathers of JAX, imported by rnn-import-stablehlo, compiled and compared with JAX.
# Skipped without JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import rnn_mlir  # noqa: E402
from jax import export  # noqa: E402
from rnn_mlir.importers import ImportFailed  # noqa: E402
from rnn_mlir.importers import stablehlo as tool  # noqa: E402

RANDOM = np.random.default_rng(7)
TABLE = RANDOM.standard_normal((11, 4)).astype(np.float32)
ROWS = np.array([3, 0, 10, 3, 7, 3], np.int32)


def compare(capsys, function, *values, sizes=None):
    """Compiles `function` for the sizes of `values`, or for symbolic `sizes`, and compares its results with those of JAX."""
    values = [np.asarray(value) for value in values]
    shapes = export.symbolic_shape(sizes) if sizes else ()
    names = iter(shapes)
    arguments = [jax.ShapeDtypeStruct(tuple(next(names) for _ in value.shape) if sizes else value.shape, value.dtype) for value in values]
    text = tool.import_module(export.export(jax.jit(function))(*arguments).mlir_module_serialized)
    assert capsys.readouterr().err == ""
    results = rnn_mlir.compile(text)(*values)
    wanted = jax.tree.leaves(jax.jit(function)(*values))
    for got, want in zip(results if isinstance(results, (list, tuple)) else [results], wanted, strict=True):
        got, want = np.asarray(got), np.asarray(want)
        if want.dtype.kind == "u":  # compiled functions have signless integers
            got = got.view(want.dtype)
        assert got.dtype == want.dtype
        tolerance = {2: 1e-3, 4: 1e-6, 8: 1e-12}[want.dtype.itemsize] if want.dtype.kind == "f" else 0
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def integers(limit, *shape, dtype=np.int32):
    return RANDOM.integers(0, limit, shape, dtype=dtype)


SPECIAL = np.array([[1, np.nan, 0.0, -0.0], [np.inf, -np.inf, -1, 0]], np.float32)


@pytest.mark.parametrize("function, values", (
    (jnp.sort, [SPECIAL]), (jnp.sort, [floats(3, 37)]), (jnp.sort, [floats(0)]), (jnp.sort, [floats(1)]), (jnp.sort, [floats(3, 0, 4)]),
    (lambda x: jnp.sort(x, axis=0), [floats(9, 5)]), (lambda x: jnp.sort(x, axis=1), [floats(3, 5, 4)]),
    (lambda x: jnp.sort(x, descending=True), [integers(9, 40)]), (jnp.sort, [integers(2**32, 40, dtype=np.uint32)]),
    (jnp.argsort, [integers(4, 5, 33)]),  # equal elements keep their order
    (lambda x: jax.lax.top_k(x, 3), [floats(2, 50)]), (jnp.median, [floats(4, 9)]), (lambda x: jnp.unique(x, size=5), [integers(4, 20)]),
    (lambda a, b: jax.lax.sort((a, b), num_keys=2), [integers(3, 50), integers(2**32, 50, dtype=np.uint32)])))
def test_sort(capsys, function, values):
    compare(capsys, function, *values)


@pytest.mark.parametrize("count", (1, 3, 8))
@pytest.mark.parametrize("values", (
    np.array([[1, np.nan, 0.0, -0.0, -np.nan, -np.inf, 3, 3], [3, 3, 2, 3, 3, 3, np.inf, 2]], np.float32), floats(2, 3, 50), floats(50),
    floats(4, 9).astype(np.float16), integers(4, 5, 33), integers(100, 33) - 50, floats(0, 9), integers(2, 4, 9).astype(bool)))
def test_top_k(capsys, values, count):
    compare(capsys, lambda x: jax.lax.top_k(x, count), values)


def test_top_k_of_other_forms(capsys):
    compare(capsys, lambda x: jax.lax.top_k(x, 200), floats(2, 300))  # sorts
    compare(capsys, lambda x: jax.lax.top_k(x, 3, axis=0), floats(9, 5))
    compare(capsys, lambda x: jax.lax.top_k(x, 3)[1], integers(2**32, 40, dtype=np.uint32))
    compare(capsys, lambda x: jax.lax.scan(lambda c, _: (jax.lax.top_k(c, 7)[0], jax.lax.top_k(-c, 2)), x, None, length=3), floats(3, 7))
    compare(capsys, lambda x: jax.lax.top_k(x, 3), floats(4, 9), sizes="b, 9")


def test_sort_of_symbolic_sizes(capsys):
    compare(capsys, jnp.sort, floats(4, 9), sizes="b, n")
    compare(capsys, lambda x: jnp.argsort(x, axis=0), floats(4, 9), sizes="b, n")


def loss(table, rows):
    return jnp.sum(jnp.tanh(table[rows]))


@pytest.mark.parametrize("function, values", (
    (jax.grad(loss), [TABLE, ROWS]), (jax.grad(loss), [TABLE, integers(11, 3, 2)]), (jax.grad(loss), [TABLE.astype(np.float16), ROWS]),
    (lambda t, i: t.at[i].set(1), [TABLE, ROWS]), (lambda t, i, v: t.at[i].max(v), [TABLE, ROWS, floats(6, 4)]),
    (lambda t, i, v: t.at[i].multiply(v), [TABLE, ROWS, floats(6, 4)]), (lambda t, i, v: t.at[:, i].add(v), [TABLE, ROWS % 4, floats(11, 6)]),
    (lambda t, i: t.at[i, i % 4].set(5), [TABLE, ROWS]), (lambda t: t.at[2:9:3].add(2), [TABLE]), (lambda t: t.at[1, 2].set(3), [TABLE]),
    (lambda t, i: t.at[i + 8].add(1), [TABLE, ROWS]), (lambda t, i: t.at[i - 30].add(1), [TABLE, ROWS]),  # outside: no update
    (lambda t, i: jax.ops.segment_sum(t, i, num_segments=5), [TABLE, np.arange(11, dtype=np.int32) % 5]),
    (jax.vmap(lambda t, i: t.at[i].add(1)), [TABLE, integers(4, 11, 3)]),
    (lambda t, i: t.at[i].set(True), [np.zeros(11, bool), ROWS]), (lambda t, i: t.at[i].add(3), [np.full(11, 254, np.uint8), ROWS]),
    (lambda i: jnp.bincount(i, length=11), [ROWS])))
def test_scatter(capsys, function, values):
    compare(capsys, function, *values)


def test_scatter_of_two_tensors(capsys):
    """An update computation with two results."""
    text = """func.func @main(%x: tensor<4xf32>, %y: tensor<4xi32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>, %v: tensor<3xi32>)
        -> (tensor<4xf32>, tensor<4xi32>) {
      %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
        %less = stablehlo.compare LT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %e = stablehlo.select %less, %c, %a : tensor<i1>, tensor<f32>
        %f = stablehlo.select %less, %d, %b : tensor<i1>, tensor<i32>
        stablehlo.return %e, %f : tensor<f32>, tensor<i32>
      }) : (tensor<4xf32>, tensor<4xi32>, tensor<3x1xi32>, tensor<3xf32>, tensor<3xi32>) -> (tensor<4xf32>, tensor<4xi32>)
      return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32> }"""
    largest, places = rnn_mlir.compile(tool.import_module(text))(
        np.zeros(4, np.float32), np.full(4, -1, np.int32), np.array([[2], [0], [2]], np.int32), np.array([1, -1, 3], np.float32),
        np.arange(3, dtype=np.int32))
    assert list(np.asarray(largest)) == [0, 0, 3, 0] and list(np.asarray(places)) == [-1, -1, 2, -1]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("function, values, sizes", (
    (lambda t, i: t[i], [TABLE, ROWS], "v, e, n"), (lambda t, i: t[i], [TABLE, integers(11, 3, 2)], "v, e, n, m"),
    (lambda t, i: t[i], [TABLE, np.array([-1, 40, 5], np.int32)], "v, e, n"),  # from the end, and clamped
    (lambda t, i: t[:, i], [TABLE, ROWS % 4], "v, e, n"), (jax.grad(loss), [TABLE, integers(11, 3, 2)], "v, e, n, m"),
    (jax.vmap(lambda t, i: t[i]), [TABLE, integers(4, 11, 3)], "v, e, v, n"),
    (lambda t, i: jnp.take_along_axis(t, i, axis=1), [TABLE, integers(4, 11, 3)], "v, e, v, n")))
def test_gather_of_symbolic_sizes(capsys, function, values, sizes):
    compare(capsys, function, *values, sizes=sizes)


@pytest.mark.parametrize("steps", (2, 3, 4, 7))
def test_associative_scan(capsys, steps):
    """A linear recurrence, h = a h + b, which slices and concatenates tensors without elements."""
    def combine(left, right):
        return left[0] * right[0], left[1] * right[0] + right[1]
    compare(capsys, lambda a, b: jax.lax.associative_scan(combine, (a, b))[1], floats(steps, 3), floats(steps, 3))
    compare(capsys, jax.grad(lambda a, b: jnp.sum(jax.lax.associative_scan(combine, (a, b))[1] ** 2)), floats(steps, 3), floats(steps, 3))


def test_training_step_with_an_embedding(capsys):
    """Tokens, their embeddings, a layer, and the gradients of all parameters."""
    def step(table, weights, tokens):
        def sequence_loss(table, weights):
            _, states = jax.lax.scan(lambda h, x: (jnp.tanh(jnp.concatenate([x, h], -1) @ weights),) * 2, jnp.zeros((2, 3)), table[tokens])
            return jnp.mean(states ** 2)
        return jax.value_and_grad(sequence_loss, argnums=(0, 1))(table, weights)
    compare(capsys, step, TABLE, floats(7, 3) * 0.5, integers(11, 5, 2))


@pytest.mark.parametrize("function, values", (
    (lambda x, y: jnp.concatenate([x, y * 2, x], axis=1), [floats(5, 7), floats(5, 3)]), (lambda x, y: jnp.concatenate([x, y]), [floats(5), floats(3)]),
    (lambda x, y: jnp.stack([x, y], axis=1), [floats(5, 7), floats(5, 7)]), (lambda x: jnp.stack(jnp.split(x, 3, axis=-1)), [floats(4, 9)]),
    (lambda x, y: jnp.concatenate([x, y], axis=-1), [integers(9, 3, 4), integers(9, 3, 0)]), (lambda x: jnp.concatenate([x, x]), [integers(9, 4)]),
    (lambda x: jnp.pad(x, ((0, 0), (3, 2)), mode="reflect"), [floats(4, 9)]), (lambda x: jnp.roll(x, 3, axis=1), [floats(4, 9)])))
def test_concatenation(capsys, function, values):
    compare(capsys, function, *values)


def test_concatenation_of_symbolic_sizes(capsys):
    compare(capsys, lambda x, y: jnp.concatenate([x, y], axis=1), floats(4, 9), floats(4, 3), sizes="b, n, b, m")


@pytest.mark.parametrize("dtype", (np.uint8, np.uint32))
@pytest.mark.parametrize("function", (
    lambda x: jnp.max(x, axis=1), jnp.min, lambda x: jnp.argmax(x, axis=0), lambda x: jnp.argmin(x, axis=1), lambda x: jax.lax.cummax(x, axis=1),
    lambda x: jax.lax.reduce_window(x, x.dtype.type(0), jax.lax.max, (1, 3), (1, 2), "VALID"), lambda x: x.at[1].max(x[2]),
    lambda x: jax.ops.segment_max(x, np.array([0, 1, 0, 1]), 2), lambda x: jnp.searchsorted(jnp.sort(x[0]), x[1]),
    lambda x: jax.lax.scan(lambda c, v: (jnp.maximum(c, v), c // 2), x[0], x)[1]))
def test_unsigned_order(capsys, function, dtype):
    compare(capsys, function, RANDOM.integers(0, np.iinfo(dtype).max, (4, 9), dtype=dtype, endpoint=True))


def test_refused_unsigned_region():
    module = """func.func @main(%x: tensor<4xui8>, %i: tensor<ui8>) -> tensor<ui8> {
      %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
      ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
        %c = stablehlo.divide %a, %b : tensor<ui8>
        stablehlo.return %c : tensor<ui8>
      }) : (tensor<4xui8>, tensor<ui8>) -> tensor<ui8>
      return %0 : tensor<ui8> }"""
    with pytest.raises(ImportFailed, match="stablehlo.divide of unsigned integers in the region of stablehlo.reduce is not supported"):
        tool.import_module(module)


# 5000 elements are shared among threads, in parts. 40 columns have several results per vector.
@pytest.mark.parametrize("kind", ("float32", "float64", "float16", "bfloat16", "int32", "uint32", "int8", "int64"))
@pytest.mark.parametrize("shape, axis", (((1,), 0), ((3,), 0), ((16,), 0), (((37,), 0)), ((5000,), 0), ((70000,), 0), ((4, 37), 1), ((37, 40), 0),
                                         ((3, 5, 7), 1)))
def test_argmax(capsys, kind, shape, axis):
    """The first of equal elements, in any lane and any part; few values occur several times."""
    for values in (integers(7, *shape), integers(100, *shape), np.zeros(shape, np.int32)):
        values = values.astype(jnp.dtype(kind))
        with jax.enable_x64(kind in ("float64", "int64")):
            compare(capsys, lambda x: (jnp.argmax(x, axis), jnp.argmin(x, axis), jnp.argmax(jnp.sign(x) * x, axis)), values)


@pytest.mark.parametrize("size", (5, 64, 5000))
def test_argmax_of_nan(capsys, size):
    for places in ((0,), (size - 1,), (2, 4), (size - 1, 1, size // 2), (3, 3)):
        values = floats(size)
        values[list(places)] = np.nan
        compare(capsys, lambda x: (jnp.argmax(x), jnp.argmin(x), jnp.nanargmax(x), jnp.max(x)), values)
    for special in (np.inf, -np.inf, 0.0, -0.0, np.nan):  # all of them
        compare(capsys, lambda x: (jnp.argmax(x), jnp.argmin(x)), np.full(size, special, np.float32))
    values = np.full(size, -np.inf, np.float32)  # as the value from which the reduction starts
    compare(capsys, lambda x: jnp.argmax(x[2:]), values)
