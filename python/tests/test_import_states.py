# test_import_states.py - loops that carry small states, as samplers, optimizers and solvers do, compiled and compared with JAX. Skipped
# without JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import rnn_mlir  # noqa: E402
from jax import export, lax  # noqa: E402
from rnn_mlir.importers import stablehlo as tool  # noqa: E402

RANDOM = np.random.default_rng(5)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def compare(function, *values):
    traced = export.export(jax.jit(function))(*values)
    compiled = rnn_mlir.compile(tool.import_module(traced.mlir_module_serialized))
    for _ in range(2):  # a second call begins with what the first one left on the stack
        results = compiled(*values)
        for got, want in zip(results if isinstance(results, (list, tuple)) else [results], jax.tree.leaves(jax.jit(function)(*values)), strict=True):
            got, want = np.asarray(got), np.asarray(want)
            got = got.view(want.dtype) if want.dtype.kind == "u" else got  # compiled functions have signless integers
            assert got.dtype == want.dtype
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5) if want.dtype.kind == "f" else np.testing.assert_array_equal(got, want)


def repeat(step, *state, length=5):
    return lax.fori_loop(0, length, lambda i, state: step(i, *state), state)


# 256 elements are the most that are on the stack, 2048 the most that are updated in place. 0 elements have no buffer.
@pytest.mark.parametrize("size", (0, 1, 4, 256, 257, 2048, 2049))
@pytest.mark.parametrize("step", (
    lambda i, a, b: (b, a),
    lambda i, a, b: (a + b, a),  # as Fibonacci's numbers
    lambda i, a, b: (jnp.sin(b), jnp.cos(a)),
    lambda i, a, b: (a, b),
    lambda i, a, b: (b + 1, b + 1),
    lambda i, a, b: (a[::-1], jnp.flip(b) + a),
    lambda i, a, b: lax.cond(i % 2 == 0, lambda: (a, b), lambda: (b, a)),
    lambda i, a, b: lax.cond(i < 2, lambda: (a, b), lambda: (a * 2, a)),
    lambda i, a, b: lax.switch(i, [lambda: (a, b), lambda: (b, b), lambda: (b + 1, a)]),
    lambda i, a, b: (lax.cond(i == 3, lambda: a, lambda: a.at[:1].add(1) if a.size else a), jnp.where(i > 1, a, b)),
    lambda i, a, b: repeat(lambda j, x, y: (y, x + j), a, b, length=i),
    lambda i, a, b: (repeat(lambda j, x, y: (y + 1, x), a, b)[0], repeat(lambda j, x, y: (y, x * 2), b, a)[1]),
))
def test_pairs(step, size):
    compare(lambda a, b: repeat(step, a, b), floats(size), floats(size))
    compare(lambda a, b, n: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, *step(s[0], *s[1:])), (0, a, b)),
            floats(size), floats(size), np.int32(4))


@pytest.mark.parametrize("kind", (np.float32, np.float16, np.int8, np.uint32, np.bool_))
def test_types(kind):
    values = floats(3, 5) > 0 if kind == np.bool_ else (floats(3, 5) * 4).astype(kind)

    def step(i, a, b):
        return jnp.roll(b, 1, 0), jnp.where(b > a, a, b)
    compare(lambda a, b: repeat(step, a, b), values, values[::-1].copy())


def test_while_on_the_state():
    def function(x, limit):  # the condition reads the state that the body replaces
        def step(state):
            x, before, count = state
            return jnp.cos(x), x, count + 1
        return lax.while_loop(lambda state: (jnp.abs(state[0] - state[1]) > limit).any() & (state[2] < 100), step, (x, x + 1, 0))
    compare(function, floats(3), np.float32(1e-3))
    compare(function, floats(3), np.float32(1e3))


def test_history():
    def function(x):  # the last 4 states, the best one, and every state
        def step(carry, i):
            x, history, best, value = carry
            x = jnp.sin(x + i.astype(x.dtype)) + history.mean(0) / 2
            history = jnp.concatenate([history[1:], x[None]])
            total = x.sum()
            best, value = lax.cond(total > value, lambda: (x, total), lambda: (best, value))
            return (x, history, best, value), (best, history[0])
        return lax.scan(step, (x, jnp.zeros((4, x.size), x.dtype), x, x.sum()), jnp.arange(9))
    compare(function, floats(3))
    compare(function, floats(70))  # the history is not on the stack
    compare(function, floats(700))


def test_doubling():
    def function(x, depth):  # inner loops of growing length exchange both ends of a trajectory, as the No-U-Turn sampler does
        def double(state):
            i, left, right, kept, stop = state
            forward = (i % 3) != 0
            start = lax.cond(forward, lambda: right, lambda: left)

            def move(inner):
                j, at, total, turned = inner
                at = at + jnp.where(forward, .1, -.1) * jnp.sin(at)
                return j + 1, at, total + at, turned | (at.sum() > 9)
            _, end, total, turned = lax.while_loop(lambda inner: (inner[0] < 2 ** i) & ~inner[3], move, (0, start, jnp.zeros_like(x), False))
            left, right = lax.cond(forward, lambda: (left, end), lambda: (end, right))
            kept = lax.cond(turned, lambda: kept, lambda: jnp.where(total > kept, end, kept))
            return i + 1, left, right, kept, stop | turned
        return lax.while_loop(lambda state: (state[0] < depth) & ~state[4], double, (0, x, x, x, False))
    for depth in (0, 1, 6):
        compare(function, floats(4), np.int32(depth))


def test_keys():
    def function(key):
        def step(carry, i):
            key, total = carry
            key, one, other = jax.random.split(key, 3)
            total = total + jax.random.normal(one, (5,), np.float32) * jax.random.uniform(jax.random.fold_in(other, i), dtype=np.float32)
            return (key, total), (jax.random.key_data(key), jax.random.randint(other, (), 0, 10), jax.random.bernoulli(one))
        state, rows = lax.scan(step, (jax.random.wrap_key_data(key), jnp.zeros(5, np.float32)), jnp.arange(6))
        return jax.random.key_data(state[0]), state[1], rows
    compare(function, np.array([3, 4], np.uint32))
    compare(lambda key: jax.random.normal(jax.random.wrap_key_data(key), (300, 7)), np.array([3, 4], np.uint32))


def test_minimization():
    def function(x, a):  # gradient descent with momentum and halved steps
        def loss(x):
            return jnp.sum((a @ x - 1) ** 2) + jnp.sum(x ** 4)

        def step(carry, _):
            x, momentum = carry
            value, slope = jax.value_and_grad(loss)(x)
            momentum = .5 * momentum - slope
            size = lax.while_loop(lambda size: (loss(x + size * momentum) > value) & (size > 1e-4), lambda size: size / 2, jnp.float32(1))
            return (x + size * momentum, momentum), (value, size)
        return lax.scan(step, (x, jnp.zeros_like(x)), None, length=6)
    compare(function, floats(6), floats(6, 6) / 4)


def test_gradients():
    def function(x, w):
        def step(carry, _):
            x, speed = carry
            speed = speed - .1 * jnp.tanh(w @ x)
            return (x + speed, speed), x.sum()
        return jnp.sum(lax.scan(step, (x, jnp.zeros_like(x)), None, length=7)[1] ** 2)
    compare(jax.grad(function, argnums=(0, 1)), floats(4), floats(4, 4))


@pytest.mark.parametrize("size", (5, 65, 200))
def test_reversed_reads(size):
    def function(x, n):  # the gradient of a column reads a vector backwards in scalar code
        column = jnp.take(x, n, axis=1, mode="fill", fill_value=0)
        return jnp.sum(jnp.sin(jnp.einsum("a,a->a", column[::-1], column) * .2))
    with jax.enable_x64(True):
        compare(jax.grad(function), floats(size, size).astype(np.float64), np.int32(3))
