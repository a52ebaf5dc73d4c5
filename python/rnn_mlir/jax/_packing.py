# _packing.py - the tensors of parameters as the flat array of the compiled code, and back, where it cannot read them in place. In
# XLA, a concatenation and the slices of its gradient become loops over elements; here, the handler copies the tensors.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two linear primitives, each the transpose of the other.

    rnn_pack    tensors -> [N]
    rnn_unpack  [N] -> tensors of `shapes`
"""

from __future__ import annotations

import functools
import math
from typing import Any, Callable, List, Sequence, Tuple

import jax
import jax.numpy as jnp
from jax.interpreters import ad, batching, mlir
from jax.sharding import PartitionSpec

from . import _lowering, _native, _primitives
from ._sharding import spec_of

Shapes = Tuple[Tuple[int, ...], ...]


def _pack_in_lax(*tensors: Any) -> List[Any]:
    specs = [spec_of(jax.typeof(v)) for v in tensors]
    leading = {spec[:1] if any(spec) else () for spec in specs}
    if len(leading) > 1 or any(any(spec[1:]) for spec in specs):
        # In a mesh with explicit axes, a concatenation needs operands of one sharding, and a reshape one of dimension 0.
        tensors = tuple(jax.sharding.reshard(v, PartitionSpec()) if any(spec) else v for v, spec in zip(tensors, specs))
    return [_lowering.join(tensors)]


def _unpack_in_lax(flat: Any, *, shapes: Shapes) -> List[Any]:
    return _lowering.split(flat, shapes)


def _pack_result(*tensors: Any) -> List[Any]:
    return [_primitives.like(tensors[0], (sum(math.prod(v.shape) for v in tensors),))]


def _unpack_results(flat: Any, *, shapes: Shapes) -> List[Any]:
    return [_primitives.like(flat, shape) for shape in shapes]


pack_p = _primitives.primitive("rnn_pack", _pack_result)
unpack_p = _primitives.primitive("rnn_unpack", _unpack_results)


def pack(tensors: Sequence[Any]) -> Any:
    """The elements of all tensors."""
    if len({v.dtype for v in tensors}) > 1:  # which a copy of bytes would not convert
        return _pack_in_lax(*tensors)[0]
    return pack_p.bind(*_primitives.align(*tensors))[0]


def unpack(flat: Any, shapes: Shapes) -> List[Any]:
    """Tensors of these shapes."""
    return list(unpack_p.bind(flat, shapes=shapes))


# --- Lowering --------------------------------------------------------------------------------------------------------

def _copy(context: Any, *operands: Any, in_lax: Callable[..., List[Any]], **params: Any) -> Any:
    results = [jax.ShapeDtypeStruct(v.shape, v.dtype) for v in context.avals_out]

    def call(*values: Any) -> List[Any]:
        return list(jax.ffi.ffi_call(_native.COPY_TARGET, results)(*values))
    # A program of several devices may divide what lax computes; an empty tensor needs no call.
    plain = _lowering.divisible(context) or not all(math.prod(v.shape) for v in results)
    function = functools.partial(in_lax, **params) if plain else call
    return mlir.lower_fun(function, multiple_results=True)(context, *operands)


for _primitive, _in_lax in ((pack_p, _pack_in_lax), (unpack_p, _unpack_in_lax)):
    mlir.register_lowering(_primitive, mlir.lower_fun(_in_lax, multiple_results=True))
    mlir.register_lowering(_primitive, functools.partial(_copy, in_lax=_in_lax), platform="cpu")


# --- Derivatives and vmap --------------------------------------------------------------------------------------------

def _with_sharding_of(aval: Any, part: Any) -> Any:
    """A gradient with the sharding of its parameter, which is in its type in a mesh with explicit axes."""
    spec = spec_of(aval)
    return part if spec_of(jax.typeof(part)) == spec or not any(spec) else jax.sharding.reshard(part, PartitionSpec(*spec))


def _pack_transpose(cotangents: Sequence[Any], *tensors: Any) -> List[Any]:
    shapes = tuple(tuple(v.aval.shape if ad.is_undefined_primal(v) else v.shape) for v in tensors)
    parts = unpack_p.bind(cotangents[0], shapes=shapes)
    return [_with_sharding_of(v.aval, part) if ad.is_undefined_primal(v) else None for part, v in zip(parts, tensors)]


def _unpack_transpose(cotangents: Sequence[Any], flat: Any, *, shapes: Shapes) -> List[Any]:
    return [pack([ad.instantiate_zeros(ct) if isinstance(ct, ad.Zero) else ct for ct in cotangents])]


for _primitive, _transpose in ((pack_p, _pack_transpose), (unpack_p, _unpack_transpose)):
    ad.deflinear2(_primitive, _transpose)
    ad.primitive_transposes[_primitive] = _transpose  # a list of cotangents, as of every primitive with several results


def _pack_batch(tensors: Sequence[Any], dims: Sequence[Any]) -> Any:
    size = next(v.shape[d] for v, d in zip(tensors, dims) if d is not None)
    rows = [jnp.broadcast_to(v, (size, *v.shape)) if d is None else jnp.moveaxis(v, d, 0) for v, d in zip(tensors, dims)]
    return [jnp.concatenate([v.reshape(size, -1) for v in rows], axis=1)], [0]


def _unpack_batch(tensors: Sequence[Any], dims: Sequence[Any], *, shapes: Shapes) -> Any:
    (flat,), (dim,) = tensors, dims
    return jax.vmap(functools.partial(_unpack_in_lax, shapes=shapes), dim)(flat), [0] * len(shapes)


batching.primitive_batchers[pack_p] = _pack_batch
batching.primitive_batchers[unpack_p] = _unpack_batch
