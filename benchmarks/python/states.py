# states.py - cases of ops.py: loops with small states, such as filters, simulations, samplers, optimizers and decoders.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step of these loops takes nanoseconds to a few microseconds, so what a compiler does between two ops decides."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def kalman(a, c, noise, mean, observations):
    """Means of a filter with two observed values, whose covariance is inverted by its determinant."""
    def step(state, y):
        mean, covariance = state
        mean, covariance = a @ mean, a @ covariance @ a.T + noise
        s = c @ covariance @ c.T + jnp.eye(2)
        adjugate = jnp.array([[s[1, 1], -s[0, 1]], [-s[1, 0], s[0, 0]]])
        gain = covariance @ c.T @ adjugate / (s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0])
        mean = mean + gain @ (y - c @ mean)
        return (mean, covariance - gain @ c @ covariance), mean
    return lax.scan(step, (mean, jnp.eye(mean.size)), observations)[1]


def particles(key, observations, count=256):
    """Means of a particle filter with systematic resampling."""
    def step(state, y):
        key, x = state
        key, one, other = jax.random.split(key, 3)
        x = .9 * x + jax.random.normal(one, x.shape)
        weights = jax.nn.softmax(-.5 * (y - x) ** 2)
        position = (jnp.arange(count) + jax.random.uniform(other)) / count
        x = x[jnp.clip(jnp.searchsorted(jnp.cumsum(weights), position), 0, count - 1)]
        return (key, x), x.mean()
    return lax.scan(step, (jax.random.wrap_key_data(key), jnp.zeros(count)), observations)[1]


def rollout(key, w1, w2, state):
    """200 steps of a pole on a cart, whose policy is a perceptron. An episode that ends begins again."""
    def step(carry, _):
        key, state = carry
        key, one, other = jax.random.split(key, 3)
        action = jax.random.categorical(one, jnp.tanh(state @ w1) @ w2)
        x, speed, angle, turn = state
        force, cosine, sine = jnp.where(action == 1, 10., -10.), jnp.cos(angle), jnp.sin(angle)
        pushed = (force + .05 * turn ** 2 * sine) / 1.1
        turned = (9.8 * sine - cosine * pushed) / (.5 * (4 / 3 - .1 * cosine ** 2 / 1.1))
        after = jnp.array([x + .02 * speed, speed + .02 * (pushed - .05 * turned * cosine / 1.1), angle + .02 * turn, turn + .02 * turned])
        ended = (jnp.abs(after[0]) > 2.4) | (jnp.abs(after[2]) > .2)
        after = jnp.where(ended, jax.random.uniform(other, (4,), minval=-.05, maxval=.05), after)
        return (key, after), (state, action, ended)
    return lax.scan(step, (jax.random.wrap_key_data(key), state), None, length=200)[1]


def lorenz(state):
    """1000 steps of the classical Runge-Kutta method."""
    def slope(state):
        x, y, z = state
        return jnp.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    def step(state, _):
        k1 = slope(state)
        k2 = slope(state + .005 * k1)
        k3 = slope(state + .005 * k2)
        k4 = slope(state + .01 * k3)
        state = state + .01 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return state, state
    return lax.scan(step, state, None, length=1000)[1][:200]  # later ones are chaotic


def hamiltonian(key, x):
    """50 samples of Hamiltonian Monte Carlo with 20 leapfrog steps each."""
    def energy(x):
        return .5 * jnp.sum(x ** 2) + jnp.sum(jnp.cos(x))

    def sample(x, key):
        one, other = jax.random.split(key)
        p = jax.random.normal(one, x.shape)

        def leap(_, state):
            x, p = state
            p = p - .05 * jax.grad(energy)(x)
            x = x + .1 * p
            return x, p - .05 * jax.grad(energy)(x)
        y, q = lax.fori_loop(0, 20, leap, (x, p))
        accepted = jax.random.uniform(other) < jnp.exp(energy(x) - energy(y) + .5 * jnp.sum(p ** 2) - .5 * jnp.sum(q ** 2))
        x = jnp.where(accepted, y, x)
        return x, x
    return lax.scan(sample, x, jax.random.split(jax.random.wrap_key_data(key), 50))[1]


def alignment(x, y):
    """Soft dynamic time warping."""
    def row(before, distances):
        def cell(left, values):
            distance, diagonal, above = values
            value = distance - jax.nn.logsumexp(-jnp.stack([left, diagonal, above]))
            return value, value
        cells = lax.scan(cell, jnp.float32(1e3), (distances, before[:-1], before[1:]))[1]
        return jnp.concatenate([jnp.full(1, 1e3), cells]), None
    first = jnp.concatenate([jnp.zeros(1), jnp.full(y.size, 1e3)])
    return lax.scan(row, first, (x[:, None] - y) ** 2)[0][-1]


def sample_gru(key, embedding, wi, wh, out, h):
    """200 sampled tokens of a GRU with one example, as WaveRNN does."""
    def step(carry, key):
        h, token = carry
        i, r = jnp.split(embedding[token] @ wi, 3), jnp.split(h @ wh, 3)
        z, reset = jax.nn.sigmoid(i[0] + r[0]), jax.nn.sigmoid(i[1] + r[1])
        h = (1 - z) * jnp.tanh(i[2] + reset * r[2]) + z * h
        token = jax.random.categorical(key, h @ out)
        return (h, token), token
    return lax.scan(step, (h, 0), jax.random.split(jax.random.wrap_key_data(key), 200))[1]


def slstm(x, w, r, bias, h):
    """sLSTM of xLSTM (arXiv:2405.04517): exponential gates with a stabilizer."""
    def step(carry, x):
        h, c, n, m = carry
        z, i, f, o = jnp.split(x @ w + h @ r + bias, 4, -1)
        f = jax.nn.log_sigmoid(f) + m
        m = jnp.maximum(f, i)
        i, f = jnp.exp(i - m), jnp.exp(f - m)
        c, n = f * c + i * jnp.tanh(z), f * n + i
        h = jax.nn.sigmoid(o) * c / n
        return (h, c, n, m), h
    zeros = jnp.zeros_like(h)
    return lax.scan(step, (h, zeros, zeros + 1, zeros), x)[1]


def rwkv(w, u, k, v):
    """The recurrence of RWKV (arXiv:2305.13048) for arrays [T, B, D]."""
    def step(carry, values):
        a, b, p = carry
        k, v = values
        q = jnp.maximum(p, u + k)
        old, new = jnp.exp(p - q), jnp.exp(u + k - q)
        result = (old * a + new * v) / (old * b + new)
        q = jnp.maximum(p + w, k)
        old, new = jnp.exp(p + w - q), jnp.exp(k - q)
        return (old * a + new * v, old * b + new, q), result
    zeros = jnp.zeros_like(k[0])
    return lax.scan(step, (zeros, zeros, zeros - 1e38), (k, v))[1]


def process(scales, x, y):
    """The likelihood of a Gaussian process, without its constant."""
    factor = jnp.linalg.cholesky(scales[1] * jnp.exp(-(x[:, None] - x) ** 2 / scales[0]) + .1 * jnp.eye(x.size))
    return -.5 * y @ jax.scipy.linalg.cho_solve((factor, True), y) - jnp.sum(jnp.log(jnp.diagonal(factor)))


def linear_algebra(floats):
    """JAX calls LAPACK for these, the importer writes loops."""
    def positive(size):
        a = floats(size, size)
        return a @ a.T / size + np.eye(size, dtype=np.float32)

    def restored(a):
        """The matrix of its eigenvectors, which are unique up to their signs."""
        values, vectors = jnp.linalg.eigh(a)
        return (vectors * values) @ vectors.T

    for size in (8, 64, 200):
        yield f"Cholesky of {size} x {size}", jnp.linalg.cholesky, [positive(size)]
    for size in (8, 64):
        yield f"system of {size} x {size}", jnp.linalg.solve, [positive(size), floats(size)]
    yield "QR of 20 x 16", lambda a: jnp.linalg.qr(a)[1], [floats(20, 16)]
    for size in (8, 33):
        yield f"eigenvectors of {size} x {size}", restored, [positive(size)]
    yield "singular values of 20 x 16", lambda a: jnp.linalg.svd(a, compute_uv=False), [floats(20, 16)]
    yield "Gaussian process of 40, gradient", jax.grad(process), [np.ones(2, np.float32), floats(40), floats(40)]


def cases(floats):
    """Names, functions and arguments. `floats(*shape)` returns normally distributed numbers."""
    def gradient(function, count):
        return jax.grad(lambda *values: jnp.sum(function(*values) ** 2), argnums=tuple(range(count)))

    key = np.array([1, 2], np.uint32)
    filtered = [np.eye(4, dtype=np.float32) * .95 + floats(4, 4) / 20, floats(2, 4), np.eye(4, dtype=np.float32) / 10, floats(4), floats(200, 2)]
    yield "Kalman filter, 200 steps", kalman, filtered
    yield "Kalman filter, gradient", gradient(kalman, 2), filtered
    yield "particle filter, 100 steps", particles, [key, floats(100)]
    policy = [floats(4, 32) / 2, floats(32, 2) / 4]
    yield "pole on a cart, 200 steps", rollout, [key, *policy, floats(4) / 20]
    yield "64 poles, 200 steps", jax.vmap(rollout, (0, None, None, 0)), [np.arange(128, dtype=np.uint32).reshape(64, 2), *policy, floats(64, 4) / 20]
    yield "Lorenz, 1000 steps", lorenz, [np.ones(3, np.float32)]
    yield "Hamiltonian Monte Carlo", hamiltonian, [key, floats(10)]
    yield "keys, 1000 splits", lambda key: lax.scan(lambda k, _: tuple(jax.random.split(k)), key, None, length=1000)[1], [key]
    yield "time warping of 64, gradient", jax.grad(alignment), [floats(64), floats(64)]
    yield "GRU, 200 sampled tokens", sample_gru, [key, floats(256, 64), floats(64, 192) / 8, floats(64, 192) / 8, floats(64, 256), floats(64)]
    cell = [floats(64, 16, 64), floats(64, 256) / 8, floats(64, 256) / 8, floats(256), floats(16, 64)]
    yield "sLSTM (64,16,64)", slstm, cell
    yield "sLSTM, gradient", gradient(slstm, 4), cell
    wide, row = [-abs(floats(128)), floats(128), floats(256, 8, 128), floats(256, 8, 128)], [-abs(floats(64)), floats(64), floats(1000, 1, 64), floats(1000, 1, 64)]
    yield "RWKV (256,8,128)", rwkv, wide
    yield "RWKV, gradient", gradient(rwkv, 4), wide
    yield "RWKV (1000,1,64)", rwkv, row
    yield from linear_algebra(floats)
