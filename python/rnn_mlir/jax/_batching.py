# _batching.py - the rules of vmap. Examples share one batch where they share the parameters. Otherwise, and for gradients
# of the parameters per example, one call of the handler runs all members on the threads of the runtime.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batching rules of the primitives."""

from __future__ import annotations

import functools
from typing import Any, Callable, List, Sequence

import jax
import jax.numpy as jnp
from jax.interpreters import batching

from .._operations import Layers, Members, Operation
from . import _packing
from ._primitives import gradient_p, inference_p, tangent_in_lax, tangent_p, training_p


def _one_by_one(primitive: Any) -> Callable[..., Any]:
    """One example after the other."""
    def rule(operands: Sequence[Any], dims: Sequence[Any], **params: Any) -> Any:
        mapped = [k for k, d in enumerate(dims) if d is not None]

        def each(values: Sequence[Any]) -> Any:
            every = list(operands)
            for k, v in zip(mapped, values):
                every[k] = v
            return tuple(primitive.bind(*every, **params))
        out = jax.lax.map(each, tuple(jnp.moveaxis(operands[k], dims[k], 0) for k in mapped))
        return list(out), [0] * len(out)
    return rule


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


# --- One batch -------------------------------------------------------------------------------------------------------

def _fold_value(value: Any, dim: Any, axis: int, size: int) -> Any:
    """All examples of a value in its batch."""
    value = jnp.broadcast_to(value, (size, *value.shape)) if dim is None else jnp.moveaxis(value, dim, 0)
    shape = value.shape[1:]
    return jnp.moveaxis(value, 0, axis).reshape(*shape[:axis], size * shape[axis], *shape[axis + 1:])


def _fold(operation: Operation, operands: Sequence[Any], dims: Sequence[Any], size: int) -> List[Any]:
    """Operands, and the results and cotangents of a gradient, with all examples as one batch."""
    axes = (*operation.operand_axes, *operation.result_axes, *(operation.result_axes[i] for i in operation.cotangents))
    return [v if axis is None else _fold_value(v, d, axis, size) for v, d, axis in zip(operands, dims, axes)]


def _batch_of_one(operation: Operation, operands: Sequence[Any], dims: Sequence[Any]) -> Any:
    """The batch of one example."""
    shape, axis = list(operands[0].shape), operation.operand_axes[0]
    assert axis is not None
    if dims[0] is not None:
        del shape[dims[0]]
    return shape[axis]


def _unfold(value: Any, axis: int, size: Any, batch: Any) -> Any:
    return value.reshape(*value.shape[:axis], size, batch, *value.shape[axis + 1:])


def _inference_of_batch(operands: Sequence[Any], dims: Sequence[Any], operation: Operation) -> Any:
    size, batch = _size(operands, dims), _batch_of_one(operation, operands, dims)
    out = inference_p.bind(*_fold(operation, operands, dims, size), operation=operation)
    return [_unfold(v, a, size, batch) for v, a in zip(out, operation.result_axes)], list(operation.result_axes)


def _gradient_of_batch(operands: Sequence[Any], dims: Sequence[Any], operation: Operation) -> Any:
    """Gradients of inputs and states. A reserve space belongs to its batch: that of all examples is computed again."""
    m, k, size = len(operation.operand_axes), operation.results, _size(operands, dims)
    folded = _fold(operation, operands, dims, size)
    if operation.saves:
        again = training_p.bind(*folded[:m], operation=operation)
        folded = [*folded[:m], *again[:k], *folded[m + k:], *again[k:]]
    out = gradient_p.bind(*folded, operation=operation, shared=False)
    axes, batch = operation.operand_axes[:operation.primals], _batch_of_one(operation, operands, dims)
    unfolded = [jnp.zeros_like(v) if a is None else _unfold(v, a, size, batch) for v, a in zip(out, axes)]
    return unfolded, list(axes)  # None: not mapped


# --- One call for all members ----------------------------------------------------------------------------------------

def _members(primitive: Any, operands: Sequence[Any], dims: Sequence[Any], operation: Operation, **params: Any) -> Any:
    # On a GPU, seq_len_max becomes masks, which members have not.
    if isinstance(operation, Members) or getattr(operation, "seq_len_max", False):
        return _one_by_one(primitive)(operands, dims, operation=operation, **params)
    if isinstance(operation, Layers) and operation.tensors:
        return _members_of_flat(primitive, operands, dims, operation, **params)
    m, size = len(operation.operand_axes), _size(operands, dims)
    if not isinstance(size, int):
        raise TypeError(f"vmap over parameters, or of gradients of the parameters per example, needs a known number of examples; "
                        f"got the symbolic size {size}")
    values = [v if d is None else jnp.moveaxis(v, d, 0) for v, d in zip(operands, dims)]
    values[m:] = [v if d is not None else jnp.broadcast_to(v, (size, *v.shape)) for v, d in zip(values[m:], dims[m:])]
    every = Members(operation, size, tuple(d is not None for d in dims[:m]), separate=primitive is gradient_p)
    out = primitive.bind(*values, operation=every, **params)
    return list(out), [0] * len(out)


def _members_of_flat(primitive: Any, operands: Sequence[Any], dims: Sequence[Any], operation: Layers, **params: Any) -> Any:
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
