# test_import_scans.py - recurrent cells in jax.lax.scan and associative_scan, and their gradients, compiled and compared with JAX.
# Skipped without JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import rnn_mlir  # noqa: E402
from jax import export, lax  # noqa: E402
from rnn_mlir.importers import stablehlo as tool  # noqa: E402

RANDOM = np.random.default_rng(11)
T, B, I, H = 7, 3, 5, 24


def floats(*shape, scale=1.0):
    return (RANDOM.standard_normal(shape) * scale).astype(np.float32)


def compare(function, *values, tolerance=2e-5):
    traced = export.export(jax.jit(function))(*values)
    results = rnn_mlir.compile(tool.import_module(traced.mlir_module_serialized))(*values)
    wanted = jax.tree.leaves(jax.jit(function)(*values))
    for got, want in zip(results if isinstance(results, (list, tuple)) else [results], wanted, strict=True):
        want = np.asarray(want, np.float64)
        np.testing.assert_allclose(np.asarray(got, np.float64), want, rtol=tolerance, atol=tolerance * np.abs(want).max(initial=0))


def gru(weights, h, x):
    wi, wh, bias = weights
    i, j = jnp.split(x @ wi.T + bias, [2 * H], -1)
    r, k = jnp.split(h @ wh.T, [2 * H], -1)
    z, reset = jnp.split(jax.nn.sigmoid(i + r), 2, -1)
    h = (1 - z) * jnp.tanh(j + reset * k) + z * h
    return h, h


def elman(weights, h, x):
    wi, wh, bias = weights
    h = jnp.tanh(x @ wi + h @ wh + bias)
    return h, (h @ wh.T, x @ wi)


def concatenated_lstm(weights, state, x):
    w, bias = weights
    h, c = jnp.split(state, 2, -1)
    i, j, f, o = jnp.split(jnp.concatenate([x, h], -1) @ w + bias, 4, -1)
    c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(j)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return jnp.concatenate([h, c], -1), h


def concatenated_gru(weights, h, x):  # in another order, with transposed weights, and with a row that no step changes
    gates, candidate = weights
    ones = jnp.ones_like(x[:, :1])
    z, r = jnp.split(jax.nn.sigmoid(jnp.concatenate([h, x, ones], -1) @ gates.T), 2, -1)
    h = z * h + (1 - z) * jnp.tanh(jnp.concatenate([ones, r * h, x], -1) @ candidate.T)
    return h, h


def parts_of_weights(weights, h, x):
    w, bias = weights
    y = jnp.tanh(x @ w[:I] + h @ w[I:] + bias[0])
    return y + .1 * jnp.tanh(y @ w[I:] + bias[1]), x[:, :2] @ w[1:3]


def concatenated_weights(weights, state, x):  # of the gates, as Flax does
    h, c = jnp.split(state, 2, -1)
    wi, wh = (jnp.concatenate(weights[k:k + 4], -1) for k in (0, 4))
    i, f, g, o = jnp.split(x @ wi + h @ wh + jnp.concatenate(weights[8:], -1), 4, -1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return jnp.concatenate([h, c], -1), h


def split_weights(weights, h, x):  # as Haiku does
    wi, wh, bias = weights
    gates, candidate = jnp.split(wh, [2 * H], -1)
    i, j = jnp.split(x @ wi + bias, [2 * H], -1)
    z, r = jnp.split(jax.nn.sigmoid(i + h @ gates), 2, -1)
    h = (1 - z) * h + z * jnp.tanh(j + (r * h) @ candidate)
    return h, h


def cell_of_vectors(weights, h, x):  # for one example, as Equinox does
    wi, wh, bias, candidate_bias = weights

    def one(h, x):
        i, j, k = jnp.split(wi @ x + bias, 3)
        r, z, n = jnp.split(wh @ h, 3)
        z = jax.nn.sigmoid(j + z)
        n = jnp.tanh(k + jax.nn.sigmoid(i + r) * (n + candidate_bias))
        return n + z * (h - n)

    h = jax.vmap(one)(h, x)
    return h, h


GRU = (floats(3 * H, I, scale=0.3), floats(3 * H, H, scale=0.3), floats(3 * H))
ELMAN = (floats(I, H, scale=0.3), floats(H, H, scale=0.3), floats(H))


CONCATENATED_LSTM = floats(I + H // 2, 2 * H, scale=0.3), floats(2 * H)
CONCATENATED_GRU = floats(2 * H, H + I + 1, scale=0.3), floats(H, 1 + H + I, scale=0.3)
PARTS = floats(I + H, H, scale=0.3), floats(2, H)
GATES = *(floats(I, H // 2, scale=0.3) for _ in range(4)), *(floats(H // 2, H // 2, scale=0.3) for _ in range(4)), *(floats(H // 2) for _ in range(4))
SPLIT = floats(I, 3 * H, scale=0.3), floats(H, 3 * H, scale=0.3), floats(3 * H)
VECTORS = (*GRU, floats(H))


def run(cell, reverse):
    return lambda weights, h, x: lax.scan(lambda *state: cell(weights, *state), h, x, reverse=reverse)


def gradient(function):
    def loss(*values):
        return sum(jnp.sum(jnp.sin(leaf)) for leaf in jax.tree.leaves(function(*values)))

    return lambda *values: jax.grad(loss, argnums=tuple(range(len(values))))(*values)


@pytest.mark.parametrize("cell, weights", ((gru, GRU), (elman, ELMAN)))
@pytest.mark.parametrize("reverse", (False, True))
@pytest.mark.parametrize("rows", (1, B, 40))  # with 40, products move whose operands are smaller than the weights only
@pytest.mark.parametrize("steps", (0, 1, 2, T))
def test_cells(cell, weights, reverse, rows, steps):
    function = run(cell, reverse)
    flat = lambda wi, wh, bias, h, x: function((wi, wh, bias), h, x)  # noqa: E731
    values = (*weights, floats(rows, H), floats(steps, rows, I))
    compare(flat, *values)
    compare(gradient(flat), *values)


@pytest.mark.parametrize("cell, weights", ((concatenated_lstm, CONCATENATED_LSTM), (concatenated_gru, CONCATENATED_GRU), (parts_of_weights, PARTS)))
@pytest.mark.parametrize("reverse", (False, True))
@pytest.mark.parametrize("rows, steps", ((1, T), (B, 2), (B, T), (40, T)))
def test_cells_that_concatenate(cell, weights, reverse, rows, steps):
    function = run(cell, reverse)
    flat = lambda w, v, h, x: function((w, v), h, x)  # noqa: E731
    values = *weights, floats(rows, H), floats(steps, rows, I)
    compare(flat, *values)
    compare(gradient(flat), *values)
    compare(jax.grad(lambda *weights: jnp.sum(flat(*weights, *values[2:])[1] if cell is concatenated_lstm else flat(*weights, *values[2:])[0]),
                     argnums=(0, 1)), *weights)


@pytest.mark.parametrize("cell, weights", ((concatenated_weights, GATES), (split_weights, SPLIT), (cell_of_vectors, VECTORS)))
@pytest.mark.parametrize("reverse", (False, True))
@pytest.mark.parametrize("rows, steps", ((1, T), (B, 2), (B, T), (40, T)))
def test_cells_of_libraries(cell, weights, reverse, rows, steps):
    function = run(cell, reverse)
    flat = lambda *values: function(values[:-2], *values[-2:])  # noqa: E731
    values = *weights, floats(rows, H), floats(steps, rows, I)
    compare(flat, *values)
    compare(gradient(flat), *values)
    compare(jax.grad(lambda *weights: jnp.sum(jnp.sin(flat(*weights, *values[-2:])[1])), argnums=tuple(range(len(weights)))), *weights)


def test_slices_of_results():
    def function(x, w, bias):
        y = jnp.tanh(x @ w + bias)
        return y[:, -1], y[1:3, :, 2:4] * 2, (x @ w)[0, 3:].sum(0), (x @ w)[..., ::2]

    compare(function, floats(4, T, I), floats(I, 6), floats(6))
    compare(gradient(function), floats(4, T, I), floats(I, 6), floats(6))


def test_rows_of_longer_tensors():
    def function(x, wi, wh, h):  # each step reads the input of the step after it, from the last one
        def step(k, h):
            return jnp.tanh(lax.dynamic_index_in_dim(x, T - 1 - k, keepdims=False) @ wi + h @ wh) + \
                lax.dynamic_index_in_dim(x, k + 1, keepdims=False) @ wi
        return lax.fori_loop(0, T - 1, step, h)

    values = floats(T, B, I), floats(I, H), floats(H, H, scale=0.2), floats(B, H)
    compare(function, *values)
    compare(lambda x, wi, wh, h: lax.fori_loop(0, 3, lambda k, h: jnp.tanh(x[2 * k] @ wi + x[k % 2] @ wi + h @ wh), h), *values)


def test_sums_of_several_products():
    def function(x, y, h):
        def step(carry, rows):
            h, one, other, both = carry
            a, b = rows
            h = jnp.tanh(h + a @ b.T)
            return (h, one + a.T @ h, other + jnp.einsum("bi,bh->hi", b, h), both + a.T @ b), h.T @ a
        sums = jnp.ones((I, B)), jnp.zeros((B, I)), jnp.zeros((I, I))
        return lax.scan(step, (h, *sums), (x, y[::-1]))

    compare(function, floats(T, B, I), floats(T, B, I), floats(B, B))


def test_invariants():
    # The transposed weights, and a table of which the loop changes a copy.
    def function(w, h, steps):
        def step(carry):
            k, h, table = carry
            return k + 1, jnp.tanh(h @ w.T) + jnp.exp(w)[0], table.at[k % 4].add(jnp.exp(w)[1])
        return lax.while_loop(lambda carry: carry[0] < steps, step, (0, h, jnp.exp(w)[:4]))

    for steps in (0, 5):
        compare(function, floats(H, H, scale=0.1), floats(B, H), np.int32(steps))


def linear(a, b):
    return lax.associative_scan(lambda x, y: (x[0] * y[0], x[1] * y[0] + y[1]), (a, b), axis=1)


@pytest.mark.parametrize("steps", (1, 2, 5, 16, 33))
@pytest.mark.parametrize("reverse", (False, True))
def test_associative_scan(steps, reverse):
    values = np.abs(floats(2, steps, 5)) % 1, floats(2, steps, 5)
    compare(lambda b: lax.associative_scan(jnp.maximum, b, axis=1, reverse=reverse), values[1])
    compare(linear, *values)
    compare(gradient(linear), *values)
    compare(lambda b: lax.associative_scan(jnp.logical_or, b > 1, axis=1, reverse=reverse).astype(jnp.int32), values[1])


def test_negative_zeros():
    # Interleaving adds zero, so that no result is -0.
    x = np.array([-0.0, 0.0, -0.0, -0.0, 1.0, -0.0, -0.0], np.float32)
    traced = export.export(jax.jit(lambda v: lax.associative_scan(jnp.multiply, v)))(x)
    got = np.asarray(rnn_mlir.compile(tool.import_module(traced.mlir_module_serialized))(x))
    np.testing.assert_array_equal(np.signbit(got), np.signbit(np.asarray(jax.jit(lambda v: lax.associative_scan(jnp.multiply, v))(x))))


def test_splits():
    def function(x, w):
        q, k, v = jnp.split(x @ w, 3, -1)
        return jax.nn.softmax(q @ k.T) @ v + jnp.concatenate([q[:2], v[2:]])

    compare(gradient(function), floats(B, I), floats(I, 3 * H))
