# test_import_complex.py - programs of JAX with complex numbers and Fourier transforms, imported, compiled and compared with JAX or NumPy.
# Skipped without JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import rnn_mlir  # noqa: E402
from jax import export, lax  # noqa: E402
from rnn_mlir.importers import stablehlo as tool  # noqa: E402

RANDOM = np.random.default_rng(0)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def compile_for(function, *values, sizes=None):
    scope = export.SymbolicScope()
    shapes = [export.symbolic_shape(size, scope=scope) for size in sizes] if sizes else [value.shape for value in values]
    arguments = [jax.ShapeDtypeStruct(shape, value.dtype) for shape, value in zip(shapes, values, strict=True)]
    return rnn_mlir.compile(tool.import_module(export.export(jax.jit(function, keep_unused=True))(*arguments).mlir_module_serialized))


def check(function, *values, sizes=None, tolerance=5e-6):
    results, wanted = compile_for(function, *values, sizes=sizes)(*values), jax.tree.leaves(jax.jit(function)(*values))
    for got, want in zip(results if isinstance(results, (list, tuple)) else [results], wanted, strict=True):
        got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
        assert got.shape == want.shape
        assert np.max(np.abs(got - want), initial=0) <= tolerance * max(np.max(np.abs(want), initial=0), 1e-6)


def parts(z):
    """Real and imaginary parts: arguments and results of compiled functions are real."""
    return jnp.stack([z.real, z.imag]) if jnp.iscomplexobj(z) else z


FUNCTIONS = {
    **{name: getattr(jnp, name) for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "sinh", "cosh", "abs", "angle", "conj", "square",
                                             "reciprocal", "expm1", "log1p", "sign", "isfinite", "arctan")},
    "divide": lambda z: z / (z[::-1] + 1), "power": lambda z: z ** 2.5, "cube": lambda z: z ** 3, "powers": lambda z: z ** z[::-1],
    "equal": lambda z: z == z.real, "product": lambda z: z @ z.T, "einsum": lambda z: jnp.einsum("ij,kj->ik", z, z.conj()), "vdot": lambda z: jnp.vdot(z, z[::-1]),
    "sum": lambda z: z.sum(0), "mean": lambda z: z.mean(), "prod": lambda z: z.prod(1), "cumsum": lambda z: jnp.cumsum(z, 0),
    "cumprod": lambda z: jnp.cumprod(z, 1), "where": lambda z: jnp.where(z.real > 0, z, 0), "concatenate": lambda z: jnp.concatenate([z, z * 2], 1),
    "roll": lambda z: jnp.roll(z, 1, 0), "pad": lambda z: jnp.pad(z, ((1, 2), (0, 1))), "take": lambda z: jnp.take(z, jnp.array([0, 2, 1]), 0),
    "set": lambda z: z.at[1].set(3 + 1j), "add_at": lambda z: z.at[jnp.array([0, 1, 0])].add(z[:3]),
    "fori_loop": lambda z: lax.fori_loop(0, 4, lambda k, c: c * z * 0.3 + k, z), "cond": lambda z: lax.cond(z.real.sum() > 0, lambda z: z * 2, jnp.conj, z),
    "switch": lambda z: lax.switch((z[0, 0].real > 0).astype(jnp.int32), [lambda z: z * 2, jnp.conj, lambda z: z], z),
    "while_loop": lambda z: lax.while_loop(lambda c: jnp.abs(c).max() < 10, lambda c: c * (1.1 + 0.2j) + 0.1, z),
    "scan": lambda z: lax.scan(lambda h, x: (h * 0.5j + x, h), z[0], z)[1], "vmap": jax.vmap(lambda z: jnp.outer(z, z.conj())), "transpose": lambda z: z.T.reshape(-1),
    "dynamic_slice": lambda z: lax.dynamic_slice(z, (jnp.int32(1), z[0, 0].real.astype(jnp.int32)), (2, 3)), "convolve": lambda z: jnp.convolve(z[0], z[1]),
    "conv": lambda z: lax.conv(z[None, None], z[None, None, :2, :2], (1, 1), "SAME"), "diag": lambda z: jnp.diag(z[0]), "sort": lambda z: jnp.sort(z, 1),
    "constants": lambda z: z * jnp.array([1 + 2j, 3, 4j, 5, 6, 7]), "kron": lambda z: jnp.kron(z, z), "associative_scan": lambda z: lax.associative_scan(jnp.multiply, z),
    "transforms": lambda z: jnp.fft.ifft2(jnp.fft.fft2(z) * 2), "fftshift": lambda z: jnp.fft.fftshift(jnp.fft.fft(z)), "hfft": jnp.fft.hfft}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    check(lambda a, b: parts(FUNCTIONS[name](a + 1j * b)), floats(4, 6), floats(4, 6))


@pytest.mark.parametrize("name", ("exp", "tanh", "abs", "divide", "product", "cumsum", "scan", "associative_scan", "transforms", "hfft"))
def test_gradients(name):
    def loss(a, b):
        return jnp.sum(jnp.tanh(parts(FUNCTIONS[name](a + 1j * b))))

    check(jax.grad(loss, argnums=(0, 1)), floats(4, 6), floats(4, 6), tolerance=2e-5)


@pytest.mark.parametrize("name", ("product", "sum", "where", "concatenate", "fori_loop", "cumsum", "roll"))
def test_symbolic_sizes(name):
    check(lambda a, b: parts(FUNCTIONS[name](a + 1j * b)), floats(4, 6), floats(4, 6), sizes=("n, 6", "n, 6"))


@pytest.mark.parametrize("n", (1, 2, 3, 8, 100, 127, 160, 400, 513, 514, 640, 1009, 1024, 4096, 4099, 8186))
def test_transforms(n):
    """Of real and complex numbers, and back; NumPy's are in f64."""
    x, y = floats(3, n), floats(3, n)
    z, half = (x + 1j * y).astype(np.complex128), n // 2 + 1
    compiled = compile_for(lambda x, y: [parts(jnp.fft.rfft(x)), parts(jnp.fft.fft(x + 1j * y)), parts(jnp.fft.ifft(x + 1j * y)),
                                         jnp.fft.irfft((x + 1j * y)[:, :half], n)], x, y)
    wanted = [np.fft.rfft(x.astype(np.float64)), np.fft.fft(z), np.fft.ifft(z), np.fft.irfft(z[:, :half], n)]
    for got, want in zip(compiled(x, y), wanted, strict=True):
        want = np.stack([want.real, want.imag]) if np.iscomplexobj(want) else want
        assert np.max(np.abs(got - want)) <= 2e-6 * np.max(np.abs(want))


@pytest.mark.parametrize("function, sizes", (
    (lambda x: parts(jnp.fft.rfft2(x)), "b, 12, 10"), (lambda x: jnp.fft.irfftn(jnp.fft.rfftn(x, axes=(0, 1, 2)) * 2, (3, 12, 10)), None),
    (lambda x: jnp.abs(jnp.fft.fft(x, axis=1)), "b, 12, t"), (lambda x: jnp.fft.irfft(jnp.fft.rfft(x, 700), 700), "b, c, 10"),
    (lambda x: jnp.fft.irfft(jnp.fft.rfft(x, 1029), 1029)[..., :4], "b, c, 10")))
def test_transforms_of_dimensions(function, sizes):
    check(function, floats(3, 12, 10), sizes=sizes and (sizes,))
    check(jax.grad(lambda x: jnp.sum(jnp.sin(function(x)))), floats(3, 12, 10), sizes=sizes and (sizes,), tolerance=2e-5)


def test_double():
    with jax.enable_x64(True):
        x = RANDOM.standard_normal((2, 96))
        check(lambda x: [jnp.abs(jnp.fft.rfft(x)), jnp.angle(jnp.exp(1j * x))], x, tolerance=1e-13)


def test_linear_recurrent_unit():
    """The LRU of arXiv:2303.06349, with a scan and with an associative scan."""
    def unit(nu, theta, b_re, b_im, c_re, c_im, x, associative):
        factors = jnp.exp(-jnp.exp(nu) + 1j * jnp.exp(theta))
        added = x @ ((b_re + 1j * b_im) * jnp.sqrt(1 - jnp.abs(factors) ** 2)[:, None]).T
        if associative:
            h = lax.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (jnp.broadcast_to(factors, added.shape), added))[1]
        else:
            h = lax.scan(lambda h, u: (factors * h + u,) * 2, jnp.zeros(added.shape[1:], added.dtype), added)[1]
        return (h @ (c_re + 1j * c_im).T).real

    values = [floats(16) / 4, floats(16) / 4, *(floats(16, 8) / 4 for _ in range(2)), *(floats(8, 16) / 4 for _ in range(2)), floats(20, 3, 8)]
    for associative in False, True:
        check(lambda *values, associative=associative: unit(*values, associative), *values)
        check(jax.grad(lambda *values, associative=associative: jnp.sum(jnp.sin(unit(*values, associative))), argnums=tuple(range(7))), *values,
              tolerance=2e-5)


def test_complex_arguments():
    with pytest.raises(rnn_mlir.CompileError, match="argument 0 of type .* has complex elements, which the runtime does not have: pass the real and"):
        compile_for(lambda z: jnp.abs(z), np.ones(3, np.complex64))
