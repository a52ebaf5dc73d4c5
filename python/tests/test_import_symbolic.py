# test_import_symbolic.py - programs of JAX with symbolic sizes, and their gradients, imported, compiled and compared with JAX. Skipped
# without JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import rnn_mlir  # noqa: E402
from jax import export, lax  # noqa: E402
from rnn_mlir.importers import stablehlo as tool  # noqa: E402

RANDOM = np.random.default_rng(3)


def compile_for(function, *shapes):
    """Compiles a function for arguments of these shapes; an integer stands for a scalar i32."""
    scope = export.SymbolicScope()
    arguments = [jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), np.float32) if isinstance(shape, str) else
                 jax.ShapeDtypeStruct((), np.int32) for shape in shapes]
    return rnn_mlir.compile(tool.import_module(export.export(jax.jit(function, keep_unused=True))(*arguments).mlir_module_serialized))


def check(function, *shapes):
    compiled = compile_for(function, *shapes)
    for n in (1, 2, 5, 33):
        values = [RANDOM.standard_normal([n if size == "n" else int(size) for size in shape.split(", ")]).astype(np.float32)
                  if isinstance(shape, str) else np.int32(shape) for shape in shapes]
        results, wanted = compiled(*values), jax.tree.leaves(jax.jit(function)(*values))
        for got, want in zip(results if isinstance(results, (list, tuple)) else [results], wanted, strict=True):
            np.testing.assert_allclose(np.asarray(got), want, rtol=2e-5, atol=2e-5 * np.abs(np.asarray(want)).max(initial=1))


def gradient(function):
    def loss(*values):
        return sum(jnp.sum(jnp.sin(leaf)) for leaf in jax.tree.leaves(function(*values)))

    return lambda *values: jax.grad(loss, argnums=tuple(k for k, value in enumerate(values) if value.ndim))(*values)


def pool(operation, initial, window, strides=(1, 1), padding="VALID"):
    return lambda x: lax.reduce_window(x, np.float32(initial), operation, window, strides, padding)


def cell(h, x):
    h = jnp.tanh(h) * 0.5 + x
    return h, h * x


@pytest.mark.parametrize("function, shapes", (
    # Loops, whose gradients write rows of tensors.
    (lambda x: lax.fori_loop(0, 4, lambda k, c: jnp.tanh(c) * k, x), ["n, 3"]), (lambda h, x: lax.scan(cell, h, x), ["3", "n, 3"]),
    (lambda h, x: lax.scan(cell, h, x, reverse=True), ["n", "7, n"]), (lambda x: lax.map(lambda v: v * jnp.sin(v), x), ["n, 3"]),
    # Padding, also negative and between elements.
    (lambda x: lax.pad(x, np.float32(1), ((1, 2, 1), (0, -1, 0))), ["n, 3"]), (lambda x: lax.pad(x, np.float32(1), ((0, 0, 0), (-2, 3, 2))), ["n, 4"]),
    (lambda x: lax.pad(x, np.float32(1), ((0, 1, 0), (-3, 0, 0))), ["n, 3"]), (lambda x: jnp.pad(x, ((1, 1), (0, 2)), mode="edge"), ["n, 3"]),
    (lambda x: jnp.roll(x, 1, axis=0), ["n, 3"]), (lambda x, k: lax.dynamic_update_slice_in_dim(x, x[:1] * 2, k, 0), ["n, 3", 2]),
    # Columns beside dimensions of size 1.
    (lambda x, k: jnp.take(x, k, axis=2, mode="clip"), ["1, n, 6", 3]), (lambda x, k: jnp.take(x, k, axis=0, mode="clip"), ["4, n, 1", 3]),
    (lambda x, k: jnp.take(x, k, axis=1, mode="clip"), ["1, 5, n, 1", 3]),
    # Windows.
    (lambda x: jnp.cumsum(x, axis=0), ["n, 3"]), (lambda x: jnp.cumsum(x, axis=1), ["n, 3"]), (lambda x: lax.cumsum(x, axis=0, reverse=True), ["n, 3"]),
    (lambda x: jnp.cumprod(x, axis=1), ["n, 4"]), (lambda x: lax.cumlogsumexp(x, axis=1), ["n, 5"]), (lambda x: jnp.cumsum(x, axis=1), ["n, n"]),
    (pool(lax.max, -np.inf, (1, 2), (1, 2)), ["n, 8"]), (pool(lax.max, -np.inf, (1, 3), (1, 2), "SAME"), ["n, 8"]),
    (pool(lax.min, np.inf, (1, 3), (1, 1), "SAME"), ["n, 8"]), (pool(lax.add, 0, (1, 3), (1, 2), ((0, 0), (2, 1))), ["n, 8"])))
def test_functions(function, shapes):
    check(function, *shapes)
    check(gradient(function), *shapes)


@pytest.mark.parametrize("function", (
    lambda x: lax.cummax(x, axis=0), lambda x: lax.cummin(x, axis=0, reverse=True), lambda x: jnp.cumprod(x * 0.5, axis=0),
    pool(lax.max, -np.inf, (2, 1), (1, 1), "SAME"), pool(lax.add, 0, (3, 2), (2, 1), "SAME"),
    lambda x: lax.reduce_window(x, np.float32(2), lax.max, (1, 2), (1, 1), ((0, 0), (1, 1))),
    lambda x: lax.reduce_window(x, np.float32(1), lax.mul, (1, 2), (1, 1), ((0, 0), (1, 1)), (1, 2), (1, 2))))
def test_forward_passes(function):
    check(function, "n, 4")


def lstm(w, bias, x):
    def step(state, x):
        h, c = state
        i, j, f, o = jnp.split(jnp.concatenate([x, h], -1) @ w + bias, 4, -1)
        c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(j)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    state = jnp.zeros((x.shape[1], 8))
    return lax.scan(step, (state, state), x)


def elman(wi, wh, bias, x):
    def step(h, x):
        h = jnp.tanh(x @ wi + h @ wh + bias)
        return h, (h, x @ wi)

    return lax.scan(step, jnp.zeros((x.shape[1], 24)), x, reverse=True)


# Products of all steps at once, in loops that carry tensors of a symbolic size.
@pytest.mark.parametrize("function, shapes", (
    (lstm, ["11, 32", "32", "6, n, 3"]), (elman, ["20, 24", "24, 24", "24", "7, n, 20"]), (lstm, ["11, 32", "32", "n, 4, 3"]),
    (elman, ["20, 24", "24, 24", "24", "n, 4, 20"]), (lstm, ["11, 32", "32", "n, n, 3"]), (elman, ["20, 24", "24, 24", "24", "n, n, 20"])))
def test_cells(function, shapes):
    check(function, *shapes)
    check(gradient(function), *shapes)


# The last tiles of a product have fewer rows, and operands of other numbers of rows are read in other orders.
@pytest.mark.parametrize("inner, columns", ((10, 300), (300, 10), (64, 64), (48, 1200), (1, 40)))
def test_products(inner, columns):
    def both(x, w, v):
        return x @ w, x @ v.T, jnp.einsum("nk,nc->kc", x, x @ w)

    shapes = f"n, {inner}", f"{inner}, {columns}", f"{columns}, {inner}"
    for function in both, gradient(both):
        compiled = compile_for(function, *shapes)
        for n in (*range(1, 15), 64):
            values = [RANDOM.standard_normal([n if size == "n" else int(size) for size in shape.split(", ")]).astype(np.float32)
                      for shape in shapes]
            for got, want in zip(compiled(*values), function(*values), strict=True):
                np.testing.assert_allclose(np.asarray(got), want, rtol=1e-4, atol=1e-4 * np.abs(np.asarray(want)).max())


def test_tensors_that_a_loop_does_not_change():
    # The sizes of the carried tensors are equal to those of others, and swapped in each step.
    def function(x, y):
        def step(k, carry):
            a, b, c = carry
            return b * .5, a + b.sum(0), jnp.concatenate([c[1:], c[:1]]) + a[:1, :1]
        return lax.fori_loop(0, 5, step, (x, x + 1, y))

    check(function, "n, 3", "n, 3")


def test_errors():
    """A window of a symbolic size that is not that of the whole dimension."""
    function = compile_for(lambda x, y: lax.reduce_window(x, np.float32(0), lax.add, (y.shape[0],), (1,), ((y.shape[0] - 1, 0),)), "n", "m")
    x = np.ones(4, np.float32)
    np.testing.assert_array_equal(function(x, x), [1, 2, 3, 4])
    with pytest.raises(rnn_mlir.Error, match="is supported for all elements before or after it only, as of jnp.cumsum"):
        function(x, x[:2])


def test_dead_values(capsys):
    """Values that a loop carries but nothing uses: jax.export leaves them for XLA to remove."""
    def function(x):
        def step(carry, v):
            used, dead = carry
            inner, _ = lax.scan(lambda c, _: (jnp.sin(c), None), dead, None, length=1000)
            return (used * 0.5 + v, inner), None
        return lax.scan(step, (x[0], x[0]), x)[0][0]

    scope = export.SymbolicScope()
    argument = jax.ShapeDtypeStruct(export.symbolic_shape("n, 3", scope=scope), np.float32)
    text = tool.import_module(export.export(jax.jit(function))(argument).mlir_module_serialized)
    assert text.count("scf.while") == 1 and "math.sin" not in text and capsys.readouterr().err == ""
    check(function, "n, 3")
    # A loop that is never executed.
    compiled = rnn_mlir.compile(tool.import_module("""func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<?xf32>
      cond { %c = stablehlo.compare LT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1> stablehlo.return %c : tensor<i1> }
      do { %s = stablehlo.sine %y : tensor<?xf32> stablehlo.return %i, %s : tensor<i32>, tensor<?xf32> }
      return %0#1 : tensor<?xf32> }"""))
    np.testing.assert_array_equal(compiled(np.float32([1, 2])), [1, 2])
