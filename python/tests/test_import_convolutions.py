# test_import_convolutions.py - convolutions, poolings and other windows of JAX, with their gradients, imported, compiled and
# compared with JAX. Skipped without JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import rnn_mlir  # noqa: E402
from jax import export, lax  # noqa: E402
from rnn_mlir.importers import stablehlo as tool  # noqa: E402

RANDOM = np.random.default_rng(5)
NWC, NCW = ("NWC", "WIO", "NWC"), ("NCW", "OIW", "NCW")
NHWC, NCHW = ("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW")
NDHWC = ("NDHWC", "DHWIO", "NDHWC")


def floats(*shape, dtype=np.float32):
    return RANDOM.standard_normal(shape).astype(dtype)


def compile_for(function, *values, sizes=None):
    """Compiles `function` for the sizes of `values`, or for the symbolic `sizes` of each."""
    scope = export.SymbolicScope()
    shapes = [export.symbolic_shape(size, scope=scope) for size in sizes] if sizes else [value.shape for value in values]
    arguments = [jax.ShapeDtypeStruct(shape, value.dtype) for shape, value in zip(shapes, values, strict=True)]
    return rnn_mlir.compile(tool.import_module(export.export(jax.jit(function, keep_unused=True))(*arguments).mlir_module_serialized))


def check(function, values, tolerance, sizes=None):
    """Errors relative to the largest element of a result: sums have another order."""
    results = compile_for(function, *values, sizes=sizes)(*values)
    wanted = jax.tree.leaves(jax.jit(function)(*values))
    for got, want in zip(results if isinstance(results, (list, tuple)) else [results], wanted, strict=True):
        got, want = np.asarray(got).astype(np.float64), np.asarray(want).astype(np.float64)
        assert got.shape == want.shape
        assert np.max(np.abs(got - want), initial=0) <= tolerance * max(1e-30, np.max(np.abs(want), initial=0))


def convolution(layout, stride=1, padding="SAME", dilation=1, groups=1, input_dilation=1):
    def function(x, w):
        rank = x.ndim - 2
        return lax.conv_general_dilated(x, w, (stride,) * rank, padding, (input_dilation,) * rank, (dilation,) * rank, layout, groups)
    return function


def gradients(function):
    """With respect to all arguments."""
    return lambda *values: jax.grad(lambda *values: jnp.sum(jnp.sin(function(*values))), argnums=tuple(range(len(values))))(*values)


@pytest.mark.parametrize("function, x, w", (
    (convolution(NWC), (3, 40, 24), (5, 24, 33)),
    (convolution(NWC, padding=[(8, 0)], dilation=2), (2, 37, 16), (5, 16, 24)),  # causal
    (convolution(NWC, stride=2), (3, 41, 8), (3, 8, 40)),
    (convolution(NWC, stride=3, padding="VALID", dilation=2), (2, 64, 16), (4, 16, 8)),
    (convolution(NWC, padding=[(2, 3)], input_dilation=2), (2, 20, 16), (4, 16, 24)),
    (convolution(NWC, groups=4), (2, 30, 32), (3, 8, 64)),
    (convolution(NWC, groups=24), (2, 30, 24), (5, 1, 24)),  # per channel
    (convolution(NWC, groups=8), (2, 30, 8), (5, 1, 24)),
    (convolution(NCW), (2, 24, 40), (33, 24, 5)),
    (convolution(NCW, stride=2), (2, 3, 41), (16, 3, 3)),
    (convolution(NHWC), (2, 12, 14, 3), (3, 3, 3, 32)),
    (convolution(NHWC), (2, 9, 9, 32), (1, 1, 32, 24)),
    (convolution(NHWC, stride=2, padding="VALID"), (2, 17, 15, 16), (3, 2, 16, 24)),
    (convolution(NCHW), (2, 16, 12, 14), (24, 16, 3, 3)),
    (convolution(NCHW, stride=2), (2, 3, 20, 20), (16, 3, 5, 5)),
    (convolution(NCHW), (2, 4, 5, 5), (3, 4, 3, 3)),  # no dimension has 8 elements
    (convolution(NDHWC), (2, 5, 6, 7, 8), (3, 2, 3, 8, 16)),
    (convolution(NWC, padding="VALID"), (0, 12, 4), (3, 4, 8)),
    (convolution(NWC, padding="VALID"), (2, 3, 4), (3, 4, 8))))
def test_convolution(function, x, w):
    values = [floats(*x), floats(*w)]
    check(function, values, 2e-6)
    check(gradients(function), values, 2e-5)


@pytest.mark.parametrize("function, x, w", (
    (convolution(NWC), (2, 50, 520), (3, 520, 140)),
    (convolution(NWC, stride=2, padding="VALID"), (3, 51, 270), (5, 270, 200)),
    (convolution(NWC, padding=[(4, 0)], dilation=2), (2, 30, 1300), (3, 1300, 96)),
    (convolution(NWC), (1, 7, 400), (3, 400, 300)),  # few rows
    (convolution(NWC, groups=2), (1, 60, 640), (5, 320, 256)),
    (convolution(NWC), (1, 3000, 16), (3, 16, 72)),  # only for the gradient by the filter
    (convolution(NCW), (2, 410, 15), (330, 410, 3)),
    (convolution(NHWC), (2, 7, 9, 264), (3, 3, 264, 200)),
    (convolution(NHWC, stride=2), (3, 8, 8, 130), (3, 3, 130, 256)),
    (convolution(NCHW), (2, 272, 9, 10), (136, 272, 3, 3)),
    (convolution(NCHW, stride=2), (2, 160, 14, 14), (320, 160, 3, 3)),
    (convolution(NDHWC), (1, 4, 5, 6, 96), (3, 3, 3, 96, 112))))
def test_filter_larger_than_cache(function, x, w):
    # Sums around 1: rounding errors of the sine's argument would be larger otherwise.
    values = [floats(*x), floats(*w) / np.float32(40)]
    # Two sums of up to n = 3900 products in f32 differ by about 2 sqrt(n) 2^-24 = 7e-6 of a typical sum.
    check(function, values, 7e-6)
    check(gradients(function), values, 2e-5)


@pytest.mark.parametrize("dtype, tolerance", ((np.float64, 1e-14), (np.float16, 2e-3), ("bfloat16", 2e-2)))
def test_element_types_of_large_filters(dtype, tolerance):
    dtype = jnp.dtype(dtype)
    with jax.enable_x64(dtype == np.float64):
        check(convolution(NWC), [floats(2, 50, 520, dtype=dtype), floats(3, 520, 340, dtype=dtype)], tolerance)


@pytest.mark.parametrize("dtype, tolerance", ((np.float64, 1e-14), (np.float16, 2e-3), ("bfloat16", 2e-2)))
def test_element_types(dtype, tolerance):
    dtype = jnp.dtype(dtype)
    with jax.enable_x64(dtype == np.float64):
        values = [floats(2, 40, 24, dtype=dtype), floats(5, 24, 32, dtype=dtype)]
        check(convolution(NWC), values, tolerance)


def test_symbolic_sizes():
    values = [floats(3, 40, 24), floats(5, 24, 33)]
    check(convolution(NWC), values, 2e-6, sizes=("b, t, 24", "5, 24, 33"))
    check(gradients(convolution(NWC)), values, 2e-5, sizes=("b, t, 24", "5, 24, 33"))
    values = [floats(2, 12, 20, 3), floats(3, 3, 3, 16)]
    check(convolution(NHWC, padding="VALID"), values, 2e-6, sizes=("b, h, w, c", "3, 3, c, f"))
    check(gradients(convolution(NHWC, padding="VALID")), values, 2e-5, sizes=("b, 12, 20, c", "3, 3, c, f"))


# The gradients of the image spread the elements of the result apart and cut the image, and those of filters of groups have groups of
# the batch. "n" stands for the size of a batch or for a number of steps.
@pytest.mark.parametrize("function, x, w", (
    (convolution(NWC, stride=2), "n, 41, 8", "3, 8, 40"), (convolution(NWC, stride=3, padding="VALID", dilation=2), "n, 64, 16", "4, 16, 8"),
    (convolution(NWC, stride=3, padding=[(2, 1)]), "2, 3*n, 8", "4, 8, 24"), (convolution(NWC, padding=[(2, 3)], input_dilation=2), "n, n, 16", "4, 16, 24"),
    (convolution(NWC, groups=4), "n, 30, 32", "3, 8, 64"), (convolution(NWC, groups=24), "2, n, 24", "5, 1, 24"),
    (convolution(NWC, groups=8, stride=2, padding=[(1, 2)]), "2, 2*n, 8", "5, 1, 24"), (convolution(NCW), "n, 24, 40", "33, 24, 5"),
    (convolution(NCW, groups=3), "n, 24, n", "36, 8, 5"), (convolution(NHWC, stride=2), "n, 17, 15, 16", "3, 2, 16, 24"),
    (convolution(NHWC), "n, 9, 9, 32", "1, 1, 32, 24"), (convolution(NCHW), "n, 16, 12, 14", "24, 16, 3, 3"),
    (convolution(NCHW, groups=4), "n, 8, n, 14", "16, 2, 3, 3"), (convolution(NDHWC), "n, 5, 6, 7, 8", "3, 2, 3, 8, 16")))
def test_symbolic_gradients(function, x, w):
    scope = export.SymbolicScope()
    shapes = [export.symbolic_shape(shape, scope=scope) for shape in (x, w)]
    for differentiated in function, gradients(function):
        traced = export.export(jax.jit(differentiated))(*(jax.ShapeDtypeStruct(shape, np.float32) for shape in shapes))
        compiled = rnn_mlir.compile(tool.import_module(traced.mlir_module_serialized))
        for n in (6, 7, 18):
            values = [floats(*(int(eval(size, {"n": n})) for size in shape.split(", "))) for shape in (x, w)]
            results, wanted = compiled(*values), jax.tree.leaves(jax.jit(differentiated)(*values))
            for got, want in zip(results if isinstance(results, (list, tuple)) else [results], wanted, strict=True):
                assert np.max(np.abs(np.asarray(got) - want)) <= 2e-5 * np.max(np.abs(want))


def test_refused_reversal():
    text = """module { func.func @main(%x: tensor<2x?x4xf32>, %w: tensor<3x4x8xf32>) -> tensor<2x?x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]], reverse = [true]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x?x4xf32>, tensor<3x4x8xf32>) -> tensor<2x?x8xf32>
  return %0 : tensor<2x?x8xf32>
} }"""
    with pytest.raises(tool.ImportFailed, match="window_reversal and dynamic sizes is not supported; reverse the filter"):
        tool.import_module(text)


def pool(operation, initial, window, strides, padding="VALID"):
    return lambda x: lax.reduce_window(x, initial, operation, window, strides, padding)


@pytest.mark.parametrize("function, x", (
    (pool(lax.max, -np.inf, (1, 2, 2, 1), (1, 2, 2, 1)), (2, 12, 13, 16)), (pool(lax.max, -np.inf, (1, 1, 3, 3), (1, 1, 1, 1), "SAME"), (2, 4, 9, 11)),
    (pool(lax.add, 0.0, (1, 4, 1), (1, 4, 1), "SAME"), (3, 42, 16)), (pool(lax.add, 0.0, (1, 3, 1), (1, 1, 1)), (3, 42, 16)),
    (lambda x: jnp.cumsum(x, axis=1), (3, 50)), (lambda x: jnp.cumsum(x, axis=0), (33, 5)), (lambda x: lax.cumsum(x, axis=1, reverse=True), (3, 50, 2)),
    (lambda x: jnp.cumprod(x, axis=1), (3, 17)), (lambda x: lax.cummax(x, axis=0), (40, 3)), (lambda x: lax.cummin(x, axis=1, reverse=True), (2, 40)),
    (lambda x: jnp.cumsum((x * 10).astype(jnp.int32), axis=1), (3, 50)), (lambda x: lax.cumlogsumexp(x, axis=1), (3, 50)), (jnp.cumsum, (1,)),
    (lambda x: lax.cumlogsumexp(30 * x, axis=0, reverse=True), (37, 3)),
    (lambda x: jnp.flip(x, 1) + x, (5, 37)), (lambda x: jnp.flip(x), (5, 37)),
    (lambda x: jnp.convolve(x[0], x[1], mode="same"), (2, 30)), (lambda x: jnp.trace(x) + jnp.diagonal(x), (8, 8))))
def test_windows(function, x):
    check(function, [floats(*x)], 2e-6)


@pytest.mark.parametrize("x, window, strides, padding", (
    ((2, 12, 13, 16), (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), ((2, 12, 13, 3), (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
    ((2, 3, 9, 11), (1, 1, 3, 2), (1, 1, 1, 1), "SAME"), ((2, 3, 40), (1, 2, 5), (1, 2, 3), "VALID"), ((5, 37), (2, 2), (4, 3), "VALID"),
    ((40,), (7,), (2,), ((5, 3),)), ((3, 8), (3, 8), (1, 1), "VALID"), ((3, 0), (2, 1), (1, 1), "VALID")))
@pytest.mark.parametrize("operation, initial", ((lax.max, -np.inf), (lax.min, np.inf)))
def test_gradients_of_pools(operation, initial, x, window, strides, padding):
    function = pool(operation, initial, window, strides, padding)
    check(gradients(function), [floats(*x)], 2e-6)
    check(gradients(function), [np.round(2 * floats(*x))], 2e-6)  # the first of equal elements


@pytest.mark.parametrize("direction, sign", (("GE", 1), ("GT", 1), ("LE", -1), ("LT", -1)))
def test_select_and_scatter(direction, sign, capsys):
    """Of a module with padding, and equal elements: the first one is selected unless the comparison is strict."""
    def module(combine="add", start="0.0"):
        return f"""func.func @main(%x: tensor<6xf32>, %s: tensor<4xf32>) -> tensor<6xf32> {{
          %z = stablehlo.constant dense<{start}> : tensor<f32>
          %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{{padding = dense<[[1, 2]]> : tensor<1x2xi64>,
              window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}}> ({{
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %c = stablehlo.compare {direction}, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          }}, {{
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %c = stablehlo.{combine} %a, %b : tensor<f32>
            stablehlo.return %c : tensor<f32>
          }}) : (tensor<6xf32>, tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
          return %0 : tensor<6xf32> }}"""
    x = np.float32([1, 1, 3, 3, 0, 2]) * np.float32(sign)  # windows of [1, 1], [1, 3, 3], [3, 0, 2] and [2]
    selected = {"E": [0, 2, 3, 5], "T": [1, 3, 3, 5]}[direction[1]]
    wanted = np.zeros(6, np.float32)
    np.add.at(wanted, selected, np.float32([1, 2, 4, 8]))
    np.testing.assert_array_equal(rnn_mlir.compile(tool.import_module(module()))(x, np.float32([1, 2, 4, 8])), wanted)
    assert capsys.readouterr().err == ""
    for other in (module("multiply", "1.0"), module(start="2.0")):
        tool.import_module(other)
        assert "no pass converts: stablehlo.select_and_scatter" in capsys.readouterr().err


@pytest.mark.parametrize("function, x", (
    (lambda x: jnp.pad(x, ((0, 2), (1, 0)), mode="edge"), (3, 4)), (lambda x: lax.pad(x, np.float32(0.5), ((-1, 0, 0), (2, -1, 1))), (1, 4)),
    (lambda x: jnp.sum(x, axis=0) + jnp.sum(x * 2), (0, 4)), (lambda x: jnp.prod(x, axis=1), (4, 0)), (lambda x: jnp.concatenate([x, x, x * 2]), (5, 0)),
    (lambda x: jnp.take(x[3:4:2], np.array([0]), axis=1), (3, 4)), (lambda x: jnp.sum(x, axis=1), (0, 4))))
def test_empty_parts(function, x):
    check(function, [floats(*x)], 2e-6)
    check(gradients(function), [floats(*x)], 2e-6)


@pytest.mark.parametrize("is_reverse", (False, True))
def test_order_of_cumulative_windows(is_reverse):
    """The last element of each window that is not 0. XLA takes others: it assumes that the order does not matter."""
    padding = ((0, 0), (0, 39) if is_reverse else (39, 0))
    x = np.maximum(floats(5, 40), 0)
    function = compile_for(lambda x: lax.reduce_window(x, np.float32(0), lambda x, y: jnp.where(y != 0, y, x), (1, 40), (1, 1), padding), x)
    windows = [[row[k:] if is_reverse else row[:k + 1] for k in range(40)] for row in x]
    np.testing.assert_array_equal(function(x), [[next((v for v in window[::-1] if v != 0), 0) for window in row] for row in windows])


def test_keyword_spotting():
    """A convolution, a pooling and an LSTM in one training step."""
    def loss(p, x):
        y = jax.nn.relu(convolution(NHWC, stride=2)(x, p["k"]))
        y = y.transpose(1, 0, 2, 3).reshape(y.shape[1], y.shape[0], -1)  # time-major

        def step(carry, x):
            h, c = carry
            i, f, g, o = jnp.split(x @ p["w"] + h @ p["r"], 4, axis=1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), None
        zero = jnp.zeros((x.shape[0], p["r"].shape[0]), x.dtype)
        (h, _), _ = lax.scan(step, (zero, zero), y)
        return jnp.mean(h ** 2)
    p = {"k": 0.1 * floats(3, 3, 1, 8), "w": 0.1 * floats(80, 64), "r": 0.1 * floats(16, 64)}
    names = sorted(p)
    check(lambda x, *leaves: jax.grad(loss)(dict(zip(names, leaves, strict=True)), x), [floats(4, 24, 20, 1), *(p[name] for name in names)], 2e-5)

