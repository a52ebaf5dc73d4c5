# test_import_linear_algebra.py - factorizations, systems, eigenvalues and singular values, for which JAX calls LAPACK, compiled and
# compared with JAX. Skipped without JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import rnn_mlir  # noqa: E402
from jax import export, lax  # noqa: E402
from jax.scipy import linalg  # noqa: E402
from rnn_mlir.importers import stablehlo as tool  # noqa: E402

RANDOM = np.random.default_rng(3)


def floats(*shape):
    return RANDOM.standard_normal(shape)


def positive(*shape):
    """Symmetric positive definite matrices."""
    a = floats(*shape)
    return a @ a.swapaxes(-1, -2) / shape[-1] + np.eye(shape[-1])


def regular(*shape):
    return floats(*shape) / 2 + 2 * np.eye(shape[-1])


def symmetric(*shape):
    a = floats(*shape)
    return a + a.swapaxes(-1, -2)


def compare(capsys, kind, function, *values):
    values = [value.astype(kind) for value in values]
    with jax.enable_x64(kind == "float64"):
        traced = export.export(jax.jit(function))(*values)
        wanted = jax.tree.leaves(jax.jit(function)(*values))
    text = tool.import_module(traced.mlir_module_serialized)
    assert capsys.readouterr().err == ""  # nothing is left
    results = rnn_mlir.compile(text)(*values)
    tolerance = 1e-11 if kind == "float64" else 2e-4
    for got, want in zip(results if isinstance(results, (list, tuple)) else [results], wanted, strict=True):
        got, want = np.asarray(got), np.asarray(want)
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * max(1, np.abs(np.nan_to_num(want)).max(initial=0)))


def gradient(function, count):
    return jax.grad(lambda *values: sum(jnp.sum(jnp.sin(leaf)) for leaf in jax.tree.leaves(function(*values))), argnums=tuple(range(count)))


def triangular(a, b):
    return [linalg.solve_triangular(a, b, lower=lower, trans=trans, unit_diagonal=unit)
            for lower in (0, 1) for trans in (0, 1) for unit in (0, 1)]


def right(a, b):
    return [lax.linalg.triangular_solve(a, b, left_side=False, lower=lower, transpose_a=transposed) for lower in (0, 1) for transposed in (0, 1)]


@pytest.mark.parametrize("kind", ("float32", "float64"))
@pytest.mark.parametrize("function, values", (
    (jnp.linalg.cholesky, [positive(1, 1)]), (jnp.linalg.cholesky, [positive(17, 17)]), (jnp.linalg.cholesky, [positive(2, 3, 5, 5)]),
    (jnp.linalg.cholesky, [-positive(4, 4)]), (linalg.cholesky, [positive(6, 6)]),  # the third is NaN, the last one is upper
    (lambda a, b: linalg.cho_solve(linalg.cho_factor(a), b), [positive(8, 8), floats(8)]),
    (gradient(jnp.linalg.cholesky, 1), [positive(6, 6)]),
    (triangular, [regular(5, 5), floats(5, 3)]), (triangular, [regular(2, 4, 4), floats(2, 4, 3)]), (right, [regular(5, 5), floats(3, 5)]),
    (jnp.linalg.solve, [floats(9, 9), floats(9)]), (jnp.linalg.solve, [regular(3, 4, 4), floats(3, 4, 2)]),
    (gradient(jnp.linalg.solve, 2), [regular(3, 4, 4), floats(3, 4, 2)]),
    (lambda a: (jnp.linalg.inv(a), jnp.linalg.det(a), jnp.linalg.slogdet(a)), [floats(6, 6)]),
    (lambda a: (jnp.linalg.det(a), lax.linalg.lu(a)[1]), [np.outer(np.arange(4), np.arange(4))]),  # singular
    (linalg.lu, [floats(6, 4)]), (linalg.lu, [floats(4, 6)]),
    (lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b, trans=1), [floats(6, 6), floats(6)]),
    (jnp.linalg.qr, [floats(7, 4)]), (jnp.linalg.qr, [floats(4, 7)]), (lambda a: jnp.linalg.qr(a, mode="complete"), [floats(7, 4)]),
    (jnp.linalg.qr, [floats(2, 5, 3)]), (jnp.linalg.qr, [np.triu(floats(4, 4))]), (lambda a: jnp.linalg.qr(a, mode="r"), [np.zeros((4, 3))]),
    (gradient(jnp.linalg.qr, 1), [floats(6, 4)]), (linalg.expm, [floats(5, 5)]),
    (lambda a, p, y: lax.scan(lambda p, y: (a @ p @ a.T + jnp.eye(4, dtype=p.dtype), jnp.linalg.solve(p, y)), p, y), [floats(4, 4) / 3, positive(4, 4), floats(9, 4)])))
def test_factorizations(capsys, kind, function, values):
    compare(capsys, kind, function, *values)


def eigen(a):
    values, vectors = jnp.linalg.eigh(a)
    return values, jnp.einsum("...ij,...j,...kj->...ik", vectors, values, vectors), jnp.einsum("...ij,...ik->...jk", vectors, vectors)


def singular(full):
    def function(a):
        left, values, right = jnp.linalg.svd(a, full_matrices=full)
        count = values.shape[-1]
        return (values, jnp.einsum("...ij,...j,...jk->...ik", left[..., :count], values, right[..., :count, :]),
                jnp.einsum("...ij,...ik->...jk", left, left), jnp.einsum("...ij,...kj->...ik", right, right))
    return function


@pytest.mark.parametrize("kind", ("float32", "float64"))
@pytest.mark.parametrize("function, values", (
    *((eigen, [symmetric(size, size)]) for size in (1, 2, 3, 8, 21)), (eigen, [symmetric(2, 3, 4, 4)]),
    (eigen, [np.diag([2.0, 1, 2, 0, 0])]), (eigen, [np.ones((6, 6))]), (eigen, [np.zeros((3, 3))]), (eigen, [symmetric(4, 4) * 1e18]),
    (lambda a: jnp.linalg.eigh(a, UPLO="U", symmetrize_input=False)[0], [np.triu(symmetric(5, 5)) - 7 * np.tril(np.ones((5, 5)), -1)]),
    (jnp.linalg.eigvalsh, [symmetric(5, 5)]), (gradient(jnp.linalg.eigvalsh, 1), [symmetric(5, 5)]),
    *((singular(full), [floats(*shape)]) for full in (False, True) for shape in ((1, 1), (4, 4), (7, 3), (3, 7), (12, 11), (2, 5, 4))),
    (singular(True), [floats(6, 2) @ floats(2, 4)]), (singular(True), [np.zeros((5, 3))]), (singular(False), [np.ones((4, 4))]),
    (lambda a: jnp.linalg.svd(a, compute_uv=False), [floats(2, 5, 3)]), (lambda a: jnp.linalg.svd(a, compute_uv=False), [floats(3, 5) * 1e-18]),
    (gradient(lambda a: jnp.linalg.svd(a, compute_uv=False), 1), [floats(5, 3)]),
    (lambda a, b: (jnp.linalg.pinv(a), jnp.linalg.lstsq(a, b)[0], jnp.linalg.norm(a, 2), jnp.linalg.matrix_rank(a), jnp.linalg.cond(a)), [floats(6, 4), floats(6)])))
def test_spectra(capsys, kind, function, values):
    compare(capsys, kind, function, *values)


def test_nan_and_infinity(capsys):
    for special in (np.nan, np.inf):
        values = positive(4, 4)
        values[1, 2] = values[2, 1] = special
        for function in (lambda a: jnp.isnan(jnp.linalg.cholesky(a)).any(), lambda a: jnp.isnan(jnp.linalg.eigh(a)[0]).any(), lambda a: jnp.isnan(jnp.linalg.solve(a, a[0])).any(),
                         lambda a: jnp.isnan(jnp.linalg.svd(a, compute_uv=False)).any()):
            compare(capsys, "float32", function, values)


def test_process(capsys):
    """The likelihood of a Gaussian process and its gradient."""
    def likelihood(scales, x, y):
        factor = jnp.linalg.cholesky(scales[1] * jnp.exp(-(x[:, None] - x) ** 2 / scales[0]) + .1 * jnp.eye(x.size, dtype=x.dtype))
        return -.5 * y @ linalg.cho_solve((factor, True), y) - jnp.sum(jnp.log(jnp.diagonal(factor)))
    compare(capsys, "float64", jax.value_and_grad(likelihood, (0, 1)), np.ones(2), floats(30), floats(30))


def test_others_stay(capsys):
    """What has no counterpart is left, with a warning that names it."""
    traced = export.export(jax.jit(lambda a: jnp.linalg.eigvals(a)))(np.ones((3, 3), np.float32))
    tool.import_module(traced.mlir_module_serialized)
    assert "lapack_sgeev_ffi" in capsys.readouterr().err
