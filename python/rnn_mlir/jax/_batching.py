# _batching.py - the rules of vmap. Examples share one batch where they share the parameters. Otherwise, and for gradients
# of the parameters per example, one call of the handler runs all members on the threads of the runtime.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batching rules of the primitives."""

from __future__ import annotations

import functools
from typing import Any, List, Sequence, Union

import jax
import jax.numpy as jnp
from jax.interpreters import batching
from jax.sharding import PartitionSpec

from .._operations import Batches, Layers, Members, Operation
from . import _packing
from ._primitives import gradient_p, inference_p, tangent_in_lax, tangent_p, training_p
from ._sharding import axis_names, first_entry, spec_of


def _size(operands: Sequence[Any], dims: Sequence[Any]) -> Any:
    """The number of examples, which may be symbolic in jax.export."""
    return next(v.shape[d] for v, d in zip(operands, dims) if d is not None)


def _none(primitive: Any, operands: Sequence[Any], dims: Sequence[Any], **params: Any) -> Any:
    """The results of no examples."""
    one = [jax.ShapeDtypeStruct(v.shape if d is None else v.shape[:d] + v.shape[d + 1:], v.dtype) for v, d in zip(operands, dims)]
    out = jax.eval_shape(lambda *values: tuple(primitive.bind(*values, **params)), *one)
    return [jnp.zeros((0, *v.shape), v.dtype) for v in out], [0] * len(out)


def _shares_mapped(operation: Operation, dims: Sequence[Any]) -> bool:
    """Whether an operand that all examples of a batch share is mapped, as the parameters."""
    return any(d is not None for d, axis in zip(dims, operation.operand_axes) if axis is None)


def _names(operands: Sequence[Any], dims: Sequence[Any]) -> Any:
    """The axes of a mesh with explicit axes that divide the examples."""
    return first_entry(map(jax.typeof, operands), dims)


def _repeated(value: Any, size: Any, names: Any) -> Any:
    """The value for each example, in front, divided like the examples of other values."""
    spec = spec_of(jax.typeof(value))
    value = jnp.broadcast_to(value, (size, *value.shape))
    used = {name for entry in spec for name in axis_names(entry)}
    if names is None or used & set(axis_names(names)):
        return value
    return jax.sharding.reshard(value, PartitionSpec(names, *spec))


# --- One batch -------------------------------------------------------------------------------------------------------

def _batches(operands: Sequence[Any], dims: Sequence[Any], axes: Sequence[Any]) -> List[Any]:
    """The operands of Batches, with the examples in front of the batch, whose axes in an example are `axes`."""
    size, names = _size(operands, dims), _names(operands, dims)

    def placed(value: Any, dim: Any, axis: Any) -> Any:
        value = _repeated(value, size, names) if dim is None else jnp.moveaxis(value, dim, 0)
        return jnp.moveaxis(value, 0, axis)
    return [v if axis is None else placed(v, d, axis) for v, d, axis in zip(operands, dims, axes)]


def _inference_of_batch(operands: Sequence[Any], dims: Sequence[Any], operation: Operation) -> Any:
    values = _batches(operands, dims, operation.operand_axes)
    return inference_p.bind(*values, operation=Batches(operation)), list(operation.result_axes)


def _gradient_of_batch(operands: Sequence[Any], dims: Sequence[Any], operation: Operation) -> Any:
    """Gradients of inputs and states. A reserve space belongs to its batch: that of all examples is computed again."""
    m, k, every = len(operation.operand_axes), operation.results, Batches(operation)
    # Operands, and the results and cotangents of a gradient.
    axes = (*operation.operand_axes, *operation.result_axes, *(operation.result_axes[i] for i in operation.cotangents))
    values = _batches(operands[:len(axes)], dims, axes)
    if operation.saves:
        again = training_p.bind(*values[:m], operation=every)
        values = [*values[:m], *again[:k], *values[m + k:], *again[k:]]
    out = gradient_p.bind(*values, operation=every, shared=False)
    gradients = [jnp.zeros_like(v) if axis is None else v for v, axis in zip(out, operation.gradient_axes)]
    return gradients, list(operation.gradient_axes)  # None: not mapped


# --- One call for all members ----------------------------------------------------------------------------------------

def _members(primitive: Any, operands: Sequence[Any], dims: Sequence[Any], operation: Operation, **params: Any) -> Any:
    if operation.tensors:
        assert isinstance(operation, (Layers, Batches))
        return _members_of_flat(primitive, operands, dims, operation, **params)
    m, size = len(operation.operand_axes), _size(operands, dims)
    if not isinstance(size, int):
        raise TypeError(f"vmap over parameters, or of gradients of the parameters per example, needs a known number of examples; "
                        f"got the symbolic size {size}")
    values = [v if d is None else jnp.moveaxis(v, d, 0) for v, d in zip(operands, dims)]
    names = _names(operands, dims)
    values[m:] = [v if d is not None else _repeated(v, size, names) for v, d in zip(values[m:], dims[m:])]
    every = Members(operation, size, tuple(d is not None for d in dims[:m]), separate=primitive is gradient_p)
    out = primitive.bind(*values, operation=every, **params)
    return list(out), [0] * len(out)


def _members_of_flat(primitive: Any, operands: Sequence[Any], dims: Sequence[Any], operation: Union[Layers, Batches],
                     **params: Any) -> Any:
    """Members have flat arrays of parameters."""
    first, end = operation.first_tensor, operation.primals

    def one(*values: Any) -> Any:
        tensors = values[first:end]
        out = primitive.bind(*values[:first], _packing.pack(tensors), *values[end:], operation=operation.flat, **params)
        if primitive is gradient_p:
            out = [*out[:first], *_packing.unpack(out[first], tuple(v.shape for v in tensors))]
        return tuple(out)
    out = jax.vmap(one, dims)(*operands)
    return list(out), [0] * len(out)


# --- Rules -----------------------------------------------------------------------------------------------------------

def _is_zero(size: Any) -> bool:
    return isinstance(size, int) and size == 0


def _inference_rule(operands: Sequence[Any], dims: Sequence[Any], *, operation: Operation) -> Any:
    if _is_zero(_size(operands, dims)):
        return _none(inference_p, operands, dims, operation=operation)
    if _shares_mapped(operation, dims):
        return _members(inference_p, operands, dims, operation)
    return _inference_of_batch(operands, dims, operation)


def _training_rule(operands: Sequence[Any], dims: Sequence[Any], *, operation: Operation) -> Any:
    if _is_zero(_size(operands, dims)):
        return _none(training_p, operands, dims, operation=operation)
    # Members have reserve spaces of their own, which a later slice of the residuals may select.
    return _members(training_p, operands, dims, operation)


def _gradient_rule(operands: Sequence[Any], dims: Sequence[Any], *, operation: Operation, shared: bool) -> Any:
    if _is_zero(_size(operands, dims)):
        return _none(gradient_p, operands, dims, operation=operation, shared=shared)
    if not shared and not _shares_mapped(operation, dims):
        return _gradient_of_batch(operands, dims, operation)
    return _members(gradient_p, operands, dims, operation, shared=shared)


def _tangent_rule(operands: Sequence[Any], dims: Sequence[Any], *, operation: Operation) -> Any:
    """In lax, where tangents of one primal value share its forward pass."""
    out = jax.vmap(functools.partial(tangent_in_lax, operation=operation), dims)(*operands)
    return list(out), [0] * len(out)


batching.primitive_batchers[inference_p] = _inference_rule
batching.primitive_batchers[training_p] = _training_rule
batching.primitive_batchers[gradient_p] = _gradient_rule
batching.primitive_batchers[tangent_p] = _tangent_rule
