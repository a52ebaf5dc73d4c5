# _linear_algebra.py - factorizations, eigenvalues and singular values of matrices, for the importers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX calls LAPACK for factorizations, eigenvalues and singular values. The import replaces the calls by functions with loops, which
JAX itself lowers to StableHLO.

Their steps are on whole rows and columns, for the small matrices of filters, Gaussian processes and Newton's method: LAPACK is faster
for large ones. Eigenvectors and singular vectors may have other signs than LAPACK's.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, List, Optional, Tuple

from ._lowering import call_target, flag, load, operations

_INSTALL = "jax"


def _cholesky(a: Any, lower: bool) -> Tuple[Any, Any]:
    """The factor in one triangle, with zeros in the other one, and LAPACK's `info`: 0, or the number of the first pivot that is not
    positive."""
    import jax.numpy as jnp
    from jax import lax
    rows = jnp.arange(a.shape[0])
    matrix = a if lower else a.T

    def step(j: Any, factor: Any) -> Any:
        column = matrix[:, j] - factor @ factor[j]
        return factor.at[:, j].set(jnp.where(rows >= j, column / jnp.sqrt(column[j]), 0))
    factor = lax.fori_loop(0, a.shape[0], step, jnp.zeros_like(a))
    return factor if lower else factor.T, _first(~(jnp.diagonal(factor) > 0))


def _factor(a: Any, lower: bool) -> Any:
    return _cholesky(a, lower)[0]


def _first(flags: Any) -> Any:
    """The number of the first flag that is set, counted from 1, or 0."""
    import jax.numpy as jnp
    return jnp.where(flags.any(), jnp.argmax(flags) + 1, 0).astype(jnp.int32) if flags.size else jnp.int32(0)


def _lu(a: Any) -> Tuple[Any, Any, Any]:
    """Both factors, the row with which each row was exchanged, counted from 1, and LAPACK's `info`: 0, or the first zero pivot."""
    import jax.numpy as jnp
    from jax import lax
    rows, columns, count = jnp.arange(a.shape[0]), jnp.arange(a.shape[1]), min(a.shape)

    def step(k: Any, state: Tuple[Any, Any]) -> Tuple[Any, Any]:
        a, pivots = state
        at = jnp.argmax(jnp.where(rows >= k, jnp.abs(a[:, k]), -1))
        row, other = a[k], a[at]
        a = a.at[k].set(other).at[at].set(row)
        quotients = jnp.where(other[k] == 0, a[:, k], a[:, k] / other[k])
        column = jnp.where(rows > k, quotients, 0)
        a = a.at[:, k].set(jnp.where(rows > k, column, a[:, k]))
        return a - jnp.outer(column, jnp.where(columns > k, other, 0)), pivots.at[k].set((at + 1).astype(jnp.int32))
    a, pivots = lax.fori_loop(0, count, step, (a, jnp.zeros(count, jnp.int32)))
    return a, pivots, _first(jnp.diagonal(a) == 0)


def _solve(a: Any, b: Any, left: bool, lower: bool, transposed: bool, unit: bool) -> Any:
    """X of `op(A) X = B` or `X op(A) = B`, where A is triangular and op(A) is A or its transpose."""
    import jax.numpy as jnp
    from jax import lax
    if not left:  # op(A)^T X^T = B^T
        return _solve(a, b.T, True, lower, not transposed, unit).T
    if transposed:
        a, lower = a.T, not lower
    size = a.shape[0]
    rows = jnp.arange(size)

    def step(k: Any, x: Any) -> Any:
        i = k if lower else size - 1 - k
        rest = b[i] - jnp.where(rows < i if lower else rows > i, a[i], 0) @ x
        return x.at[i].set(rest if unit else rest / a[i, i])
    return lax.fori_loop(0, size, step, jnp.zeros_like(b))


def _qr(a: Any) -> Tuple[Any, Any]:
    """R in the upper triangle with Householder's vectors below it, whose first element, 1, is not stored, and their factors."""
    import jax.numpy as jnp
    from jax import lax
    rows, columns, count = jnp.arange(a.shape[0]), jnp.arange(a.shape[1]), min(a.shape)

    def step(k: Any, state: Tuple[Any, Any]) -> Tuple[Any, Any]:
        a, factors = state
        first, below = a[k, k], jnp.where(rows > k, a[:, k], 0)
        largest = jnp.maximum(jnp.max(jnp.abs(below)), jnp.abs(first))
        scale = jnp.where(largest == 0, 1, largest)  # squares do not overflow
        length = scale * jnp.sqrt((first / scale) ** 2 + jnp.sum((below / scale) ** 2))
        reflects = (below != 0).any()
        end = jnp.where(reflects, -jnp.copysign(length, first), first)
        factor = jnp.where(reflects, (end - first) / jnp.where(reflects, end, 1), 0)
        vector = jnp.where(rows == k, 1, below / jnp.where(reflects, first - end, 1))
        changed = a - factor * jnp.outer(vector, jnp.where(columns > k, vector @ a, 0))
        column = jnp.where(rows < k, a[:, k], jnp.where(rows == k, end, vector))
        return changed.at[:, k].set(column), factors.at[k].set(factor)
    return lax.fori_loop(0, count, step, (a, jnp.zeros(count, a.dtype)))  # type: ignore[no-any-return]


def _q(a: Any, factors: Any) -> Any:
    """The first columns of the product of the reflections that `_qr` returns."""
    import jax.numpy as jnp
    from jax import lax
    rows, count = jnp.arange(a.shape[0]), factors.shape[0]

    def step(k: Any, q: Any) -> Any:
        i = count - 1 - k
        vector = jnp.where(rows == i, 1, jnp.where(rows > i, a[:, i], 0))
        return q - factors[i] * jnp.outer(vector, vector @ q)
    return lax.fori_loop(0, count, step, jnp.eye(*a.shape, dtype=a.dtype))


def _rotations(one: Any, other: Any, product: Any) -> Tuple[Any, Any]:
    """Cosines and sines of the rotations that diagonalize symmetric matrices [[one, product], [product, other]]."""
    import jax.numpy as jnp
    rotates = product != 0
    ratio = (other - one) / jnp.where(rotates, 2 * product, 1)
    tangent = jnp.copysign(1, ratio) / (jnp.abs(ratio) + jnp.sqrt(1 + ratio * ratio))
    cosine = 1 / jnp.sqrt(1 + tangent * tangent)
    return jnp.where(rotates, cosine, 1)[:, None], jnp.where(rotates, tangent * cosine, 0)[:, None]


def _sweeps(count: int, start: Callable[[Any], Any], rotate: Callable[[Any, Any, Any], Any], is_done: Callable[[Any], Any], state: Any) -> Any:
    """Jacobi's method: sweeps begin with `start(state)`, and call `rotate(state, one, other)` with the indices of disjoint pairs, so that
    each pair of `count` indices occurs once, in the order of a tournament. The number of indices is even."""
    import jax.numpy as jnp
    from jax import lax
    most = 30  # about 10 are needed

    def sweep(loop: Tuple[Any, Any]) -> Tuple[Any, Any]:
        def play(_: Any, game: Tuple[Any, Any]) -> Tuple[Any, Any]:
            order, state = game
            state = rotate(state, order[:count // 2], order[count // 2:][::-1])
            return jnp.concatenate([order[:1], jnp.roll(order[1:], 1)]), state
        return loop[0] + 1, lax.fori_loop(0, count - 1, play, (jnp.arange(count, dtype=jnp.int32), start(loop[1])))[1]
    return lax.while_loop(lambda loop: (loop[0] < most) & ~is_done(loop[1]), sweep, (jnp.int32(0), state))[1]


def _turned(a: Any, one: Any, other: Any, cosine: Any, sine: Any) -> Any:
    """Rotates pairs of rows."""
    left, right = a[one], a[other]
    return a.at[one].set(cosine * left - sine * right).at[other].set(sine * left + cosine * right)


def _eigen(a: Any, lower: bool) -> Tuple[Any, Any, Any]:
    """Eigenvectors, as columns, and eigenvalues of a symmetric matrix in ascending order, and LAPACK's `info`, 0."""
    import jax.numpy as jnp
    size, eps = a.shape[0], jnp.finfo(a.dtype).eps
    even = size + size % 2  # with a row of zeros
    half = jnp.tril(a) if lower else jnp.triu(a)
    symmetric = jnp.zeros((even, even), a.dtype).at[:size, :size].set(half + half.T - jnp.diag(jnp.diagonal(a)))
    is_diagonal = jnp.eye(even, dtype=bool)

    def rotate(state: Tuple[Any, Any], one: Any, other: Any) -> Tuple[Any, Any]:
        a, vectors = state
        cosine, sine = _rotations(a[one, one], a[other, other], a[one, other])
        a = _turned(_turned(a, one, other, cosine, sine).T, one, other, cosine, sine)
        # What the rotations make zero, except for rounding.
        return a.at[one, other].set(0).at[other, one].set(0), _turned(vectors, one, other, cosine, sine)

    def is_done(state: Tuple[Any, Any]) -> Any:
        squares = state[0] ** 2
        return jnp.sum(jnp.where(is_diagonal, 0, squares)) <= (eps / 8) ** 2 * jnp.sum(squares)
    scale = jnp.max(jnp.abs(symmetric))
    scale = jnp.where((scale > 0) & (scale < jnp.inf), scale, 1)  # squares do not overflow
    symmetric, vectors = _sweeps(even, lambda state: state, rotate, is_done, (symmetric / scale, jnp.eye(even, dtype=a.dtype)))
    symmetric = symmetric * scale
    values = jnp.where(jnp.isfinite(symmetric).all(), jnp.diagonal(symmetric)[:size], jnp.nan)
    order = jnp.argsort(values)
    return vectors[:size, :size][order].T, values[order], jnp.int32(0)


def _singular(a: Any, full: bool, values_only: bool) -> Tuple[Any, Any, Any, Any, Any]:
    """The matrix that LAPACK overwrites, singular values in descending order, left and right singular vectors, and `info`, 0."""
    import jax.numpy as jnp
    if a.shape[0] < a.shape[1]:
        _, values, left, right, info = _singular(a.T, full, values_only)
        return a, values, right.T, left.T, info
    rows, size = a.shape
    even, eps = size + size % 2, jnp.finfo(a.dtype).eps
    largest = jnp.max(jnp.abs(a), initial=0)
    scale = jnp.where((largest > 0) & (largest < jnp.inf), largest, 1)
    columns = jnp.zeros((even, rows), a.dtype).at[:size].set(a.T / scale)

    def rotate(state: Tuple[Any, Any, Any], one: Any, other: Any) -> Tuple[Any, Any, Any]:
        columns, vectors, worst = state
        left, right = columns[one], columns[other]
        squares, others, product = jnp.sum(left ** 2, 1), jnp.sum(right ** 2, 1), jnp.sum(left * right, 1)
        lengths = jnp.sqrt(squares) * jnp.sqrt(others)
        product = jnp.where(jnp.abs(product) > eps / 4 * lengths, product, 0)
        cosine, sine = _rotations(squares, others, product)
        worst = jnp.maximum(worst, jnp.max(jnp.abs(product) / jnp.where(lengths > 0, lengths, 1)))
        return _turned(columns, one, other, cosine, sine), _turned(vectors, one, other, cosine, sine), worst

    def start(state: Tuple[Any, Any, Any]) -> Tuple[Any, Any, Any]:
        return state[0], state[1], jnp.zeros_like(state[2])

    # Until no cosine between two columns is larger than rounding errors.
    columns, vectors, _ = _sweeps(even, start, rotate, lambda state: state[2] <= eps,
                                  (columns, jnp.eye(even, dtype=a.dtype), jnp.ones((), a.dtype)))
    values = jnp.where(jnp.isfinite(columns).all(), jnp.sqrt(jnp.sum(columns[:size] ** 2, 1)), jnp.nan)
    order = jnp.argsort(-values)
    values = values[order]
    if values_only:
        return a, values * scale, jnp.zeros((rows, rows if full else size), a.dtype), jnp.zeros((size, size), a.dtype), jnp.int32(0)
    # Householder's reflections complete the columns to an orthonormal basis, also where a singular value is 0.
    packed, factors = _qr((columns[:size][order] / jnp.where(values > 0, values, 1)[:, None]).T)
    signs = jnp.where(jnp.diagonal(packed) < 0, -1, 1).astype(a.dtype)
    basis = _q(jnp.zeros((rows, rows if full else size), a.dtype).at[:, :size].set(packed), factors)
    return a, values * scale, basis.at[:, :size].multiply(signs), vectors[:size, :size][order], jnp.int32(0)


def _option(mlir: Any, op: Any, name: str) -> str:
    """An option of a call of LAPACK, a letter."""
    options = mlir.ir.DictAttr(op.attributes["mhlo.backend_config"])
    return chr(int(mlir.ir.IntegerAttr(options[name]).value)) if name in options else ""


def _function(mlir: Any, op: Any) -> Optional[functools.partial[Any]]:
    """What computes the results of an op from matrices."""
    if op.name == "stablehlo.cholesky":
        return functools.partial(_factor, lower=bool(flag(mlir, op, "lower")))
    if op.name == "stablehlo.triangular_solve":
        left, lower, unit = (bool(flag(mlir, op, name)) for name in ("left_side", "lower", "unit_diagonal"))
        transposed = "NO_TRANSPOSE" not in str(op.attributes["transpose_a"])
        return functools.partial(_solve, left=left, lower=lower, transposed=transposed, unit=unit)
    if op.name != "stablehlo.custom_call" or "mhlo.backend_config" not in op.attributes:
        return None
    target = call_target(mlir, op)
    if target[:8] not in ("lapack_s", "lapack_d"):
        return None
    if target[8:] == "potrf_ffi":
        return functools.partial(_cholesky, lower=_option(mlir, op, "uplo") == "L")
    if target[8:] == "trsm_ffi":
        return functools.partial(_solve, left=_option(mlir, op, "side") == "L", lower=_option(mlir, op, "uplo") == "L",
                                 transposed=_option(mlir, op, "trans_x") != "N", unit=_option(mlir, op, "diag") == "U")
    if target[8:] == "syevd_ffi":
        return functools.partial(_eigen, lower=_option(mlir, op, "uplo") == "L")
    if target[8:] == "gesdd_ffi" and _option(mlir, op, "mode") in ("A", "S", "N"):
        shapes = [mlir.ir.RankedTensorType(op.results[k].type).shape[-2:] for k in (0, 2, 3)]
        full = shapes[1][1] == shapes[0][0] and shapes[2][0] == shapes[0][1]
        return functools.partial(_singular, full=full, values_only=_option(mlir, op, "mode") == "N")
    functions: Dict[str, Callable[..., Any]] = {"getrf_ffi": _lu, "geqrf_ffi": _qr, "orgqr_ffi": _q}
    function = functions.get(target[8:])
    return functools.partial(function) if function else None


def _lower(mlir: Any, module: Any, function: Callable[..., Any], kinds: List[Any], name: str) -> None:
    """Adds a private function of the module for arguments of these types."""
    ir = mlir.ir
    jax, numpy = load("jax", _INSTALL), load("numpy", "numpy")
    single = str(kinds[0].element_type) == "f32"
    for _ in range(kinds[0].rank - 2):  # dimensions of the batch
        function = jax.vmap(function)
    arguments = [jax.ShapeDtypeStruct(tuple(kind.shape), numpy.float32 if single else numpy.float64) for kind in kinds]
    with jax.enable_x64(not single):
        text = str(jax.jit(function).trace(*arguments).lower(lowering_platforms=("cpu",)).compiler_ir("stablehlo"))
    lowered = ir.Module.parse(text)
    for op in operations(lowered.operation):
        for attribute in ("sym_name", "callee"):
            if op.name in ("func.func", "func.call") and attribute in op.attributes:
                old = str(op.attributes[attribute]).strip('@"')
                new = name if old == "main" else f"{name}.{old}"
                op.attributes[attribute] = ir.FlatSymbolRefAttr.get(new) if attribute == "callee" else ir.StringAttr.get(new)
    for op in list(lowered.body):
        copy = op.operation.clone(ir.InsertionPoint.at_block_begin(module.body))
        copy.attributes["sym_visibility"] = ir.StringAttr.get("private")
        for attribute in ("arg_attrs", "res_attrs"):
            if attribute in copy.attributes:
                del copy.attributes[attribute]


def convert(mlir: Any, module: Any) -> None:
    """Replaces factorizations (Cholesky, LU, QR), triangular systems, eigenvalues of symmetric matrices, and singular values, of static
    sizes, by calls of functions of the module."""
    ir = mlir.ir
    names: Dict[str, str] = {}
    for op in operations(module.operation):
        function = _function(mlir, op)
        if function is None:
            continue
        kinds = [ir.RankedTensorType(operand.type) for operand in op.operands]
        if any(not kind.has_static_shape or str(kind.element_type) not in ("f32", "f64") for kind in kinds):
            continue
        key = f"{function.func.__name__} {function.keywords} {kinds}"
        if key not in names:
            names[key] = f"rnn_linear_algebra_{len(names)}"
            _lower(mlir, module, function, kinds, names[key])
        call = ir.Operation.create("func.call", results=[result.type for result in op.results], operands=list(op.operands),
                                   attributes={"callee": ir.FlatSymbolRefAttr.get(names[key])}, loc=op.location, ip=ir.InsertionPoint(op))
        for old, new in zip(op.results, call.results):
            old.replace_all_uses_with(new)
        op.erase()
