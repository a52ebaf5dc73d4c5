# complex_numbers.py - cases of ops.py: recurrences of complex states, and Fourier transforms.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments and results are real."""

import jax
import jax.numpy as jnp
from jax import lax


def multiply_add(a, b):
    return a[0] * b[0], b[0] * a[1] + b[1]


def linear_recurrent_unit(nu, theta, b_re, b_im, c_re, c_im, d, x, associative=False):
    """The LRU (arXiv:2303.06349) for arrays [T, B, H], whose states have a diagonal matrix of complex factors."""
    factors = jnp.exp(-jnp.exp(nu) + 1j * jnp.exp(theta))
    b = (b_re + 1j * b_im) * jnp.sqrt(1 - jnp.abs(factors) ** 2)[:, None]
    added = x @ b.T

    def step(h, u):
        h = factors * h + u
        return h, h

    h = lax.associative_scan(multiply_add, (jnp.broadcast_to(factors, added.shape), added))[1] if associative else \
        lax.scan(step, jnp.zeros(added.shape[1:], added.dtype), added)[1]
    return (h @ (c_re + 1j * c_im).T).real + d * x


def diagonal_state_space(decay, frequency, c_re, c_im, step, u):
    """S4D (arXiv:2206.11893) for arrays [B, H, T]: a convolution with the response of diagonal states, by Fourier transforms."""
    steps = u.shape[-1]
    factors = -jnp.exp(decay) + 1j * frequency
    powers = jnp.exp((jnp.exp(step)[:, None] * factors)[..., None] * jnp.arange(steps))
    response = 2 * jnp.einsum("hn,hnt->ht", c_re + 1j * c_im, powers).real
    return jnp.fft.irfft(jnp.fft.rfft(u, 2 * steps) * jnp.fft.rfft(response, 2 * steps), 2 * steps)[..., :steps]


def spectrum(weights, frames):
    """The logarithms of the power in bands."""
    transform = jnp.fft.rfft(frames)
    return jnp.log((transform.real ** 2 + transform.imag ** 2) @ weights + 1e-6)


def cases(floats):
    """Names, functions and arguments. `floats(*shape)` returns normally distributed numbers."""
    def gradient(function, count):
        return jax.grad(lambda *values: jnp.sum(function(*values) ** 2), argnums=tuple(range(count)))

    unit = [*(floats(64) / 4 for _ in range(2)), *(floats(64, 64) / 8 for _ in range(4)), floats(64), floats(100, 16, 64)]
    for name, associative in ("scan", False), ("associative scan", True):
        def function(*values, associative=associative):
            return linear_recurrent_unit(*values, associative=associative)
        yield f"LRU (100,16,64), {name}", function, unit
        yield f"LRU, {name}, gradient", gradient(function, 8), unit
    states = [floats(64, 16) / 4, floats(64, 16) * 10, floats(64, 16), floats(64, 16), floats(64) / 4 - 4, floats(8, 64, 256)]
    yield "S4D (8,64,256)", diagonal_state_space, states
    yield "S4D, gradient", gradient(diagonal_state_space, 6), states
    frames = [abs(floats(257, 80)), floats(500, 512)]
    yield "bands of spectra (500,512)", spectrum, frames
    yield "bands of spectra, gradient", gradient(spectrum, 2), frames
