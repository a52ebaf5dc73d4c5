# _primitives.py - JAX primitives of recurrent layers, and their derivatives. Four of them, so that every order of jit,
# grad, jvp, vmap and shard_map finds a rule (custom_vjp refuses forward mode, and custom_vmap refuses reverse mode).
# _batching.py has their rules of vmap.
#
#   rnn_inference  operands -> results
#   rnn_training   operands -> results, reserve [B, row]
#   rnn_tangent    linear in its first operands, in lax; its transpose is rnn_gradient
#   rnn_gradient   the compiled gradient; its own derivatives are in lax. `shared`: gradients of parameters are used
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives of recurrent layers and their derivatives."""

from __future__ import annotations

import functools
from typing import Any, Callable, List, Sequence, Set, Tuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, mlir
from jax.sharding import PartitionSpec

from .._operations import Batches, Members, Operation, levels
from . import _lowering, _reference
from ._sharding import axis_names, first_entry, spec_of


# --- Results ---------------------------------------------------------------------------------------------------------

def like(aval: Any, shape: Sequence[int], dtype: Any = None, spec: Sequence[Any] = ()) -> Any:
    """`aval`, which carries the axes of shard_map, with another shape, and the sharding of dimensions in a mesh with explicit
    axes."""
    every = [*spec, *[None] * (len(shape) - len(spec))]
    names = {n for s in every for n in axis_names(s)}
    if not names <= set(aval.sharding.mesh.axis_names):  # an array of another mesh, such as a constant
        every = [None] * len(shape)
    return aval.update(shape=tuple(shape), dtype=np.dtype(dtype or aval.dtype), weak_type=False,
                       sharding=aval.sharding.update(spec=PartitionSpec(*every)))


def _results_like(operands: Sequence[Any], operation: Operation, stage: str, shapes: Sequence[Sequence[int]]) -> List[Any]:
    """Results with these shapes. The batch, the batches and the members are sharded like those of the operands."""
    specs: List[List[Any]] = [[None] * len(shape) for shape in shapes]
    used: Set[Any] = set()
    for inputs, outputs in _lowering.factors(operation, stage).values():
        names = first_entry(operands, inputs)
        if used & set(axis_names(names)):
            continue
        used |= set(axis_names(names))
        for spec, axis in zip(specs, outputs):
            spec[axis] = names
    return [like(operands[0], shape, spec=spec) for shape, spec in zip(shapes, specs)]


def _results(*operands: Any, operation: Operation) -> List[Any]:
    return _results_like(operands, operation, "inference", operation.shapes(*operands))


def _training_results(*operands: Any, operation: Operation) -> List[Any]:
    if not operation.saves:
        return _results(*operands, operation=operation)
    shapes = [*operation.shapes(*operands), _lowering.reserve_shape(operation, operands)]
    *results, reserve = _results_like(operands, operation, "forward", shapes)
    return [*results, reserve.update(dtype=np.dtype(np.int8))]


def _tangent_results(*operands: Any, operation: Operation) -> List[Any]:
    return _results(*operands[operation.primals:], operation=operation)


def _gradient_results(*operands: Any, operation: Operation, shared: bool) -> List[Any]:
    """Each gradient has the sharding of its operand, and those of the members in their dimensions that the operand lacks."""
    every, result = levels(operation), operands[len(operation.operand_axes)]  # has the dimensions of all members in front
    found = []
    for k, shape in enumerate(operation.gradient_shapes(*operands)):
        own = list(spec_of(operands[k]))
        used = {n for entry in own for n in axis_names(entry)}
        spec = []
        for dim, level in enumerate(every):
            if level.mapped[k]:
                spec += own[:1]
                own = own[1:]
            elif level.separate:
                names = first_entry([result], [dim])
                spec.append(None if set(axis_names(names)) & used else names)
                used |= set(axis_names(spec[-1]))
        found.append(like(operands[0], shape, spec=(*spec, *own)))
    return found


def primitive(name: str, abstract: Callable[..., Any]) -> Any:
    made = Primitive(name)
    made.multiple_results = True
    made.def_abstract_eval(abstract)

    def run(*operands: Any, **params: Any) -> Any:
        if not jax.config.jax_disable_jit:
            return _jitted(made, **params)(*operands)
        with jax.disable_jit(False):  # else it would call itself
            return _jitted(made, **params)(*operands)
    made.def_impl(run)
    return made


@functools.lru_cache(maxsize=None)
def _jitted(primitive: Any, **params: Any) -> Any:
    return jax.jit(functools.partial(primitive.bind, **params))


inference_p = primitive("rnn_inference", _results)
training_p = primitive("rnn_training", _training_results)
tangent_p = primitive("rnn_tangent", _tangent_results)
gradient_p = primitive("rnn_gradient", _gradient_results)


# --- In lax ----------------------------------------------------------------------------------------------------------

def tangent_in_lax(*operands: Any, operation: Operation) -> Any:
    n, m = operation.primals, len(operation.operand_axes)
    tangents, primals, auxiliaries = operands[:n], operands[n:2 * n], operands[2 * n:n + m]
    return jax.jvp(lambda *v: _reference.evaluate(operation, *v, *auxiliaries), primals, tangents)[1]


def _vjp_in_lax(operation: Operation, operands: Sequence[Any], cotangents: Sequence[Any]) -> Tuple[Any, ...]:
    n = operation.primals
    transpose = jax.vjp(lambda *v: _reference.evaluate(operation, *v, *operands[n:]), *operands[:n])[1]
    return tuple(transpose(tuple(cotangents)))


def _gradient_in_lax(*operands: Any, operation: Operation, shared: bool = True) -> Any:
    # The results and the reserve are functions of the operands, which carry their derivatives.
    m, k = len(operation.operand_axes), operation.results
    if isinstance(operation, Batches):
        inputs, outputs = _lowering.axes(operation.one, "backward")
        each = jax.vmap(functools.partial(_gradient_in_lax, operation=operation.one), inputs, tuple(axis or 0 for axis in outputs))
        return tuple(v.sum(0) if axis is None else v for v, axis in zip(each(*operands), outputs))
    if isinstance(operation, Members) and operation.separate:
        axes = [0 if mapped else None for mapped in operation.mapped] + [0] * (len(operands) - m)
        return jax.vmap(functools.partial(_gradient_in_lax, operation=operation.one), axes)(*operands)
    given = dict(zip(operation.cotangents, operands[m + k:]))
    cotangents = [given.get(i, jnp.zeros_like(v)) for i, v in enumerate(operands[m:m + k])]
    return _vjp_in_lax(operation, operands[:m], cotangents)


# --- Lowering --------------------------------------------------------------------------------------------------------

_lowering.register(inference_p, "inference")
_lowering.register(training_p, "forward")
_lowering.register(gradient_p, "backward")
mlir.register_lowering(tangent_p, mlir.lower_fun(tangent_in_lax, multiple_results=True))


# --- Derivatives -----------------------------------------------------------------------------------------------------

def varying_axes(value: Any) -> frozenset[Any]:
    """The axes of a shard_map that the value varies over."""
    aval = jax.typeof(value)
    return frozenset(aval.mat.varying if hasattr(aval, "mat") else getattr(aval, "vma", ()))


def align(*values: Any) -> List[Any]:
    """Makes all values vary over the same axes of a shard_map. The transpose of this cast is the sum of gradients."""
    every: frozenset[Any] = frozenset().union(*map(varying_axes, values))
    return [jax.lax.pcast(v, tuple(every - varying_axes(v)), to="varying") if every - varying_axes(v) else v for v in values]


def _instantiate(tangents: Sequence[Any]) -> List[Any]:
    return [ad.instantiate_zeros(t) if isinstance(t, ad.Zero) else t for t in tangents]


def _layer_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, operation: Operation) -> Any:
    every = training_p.bind(*primals, operation=operation)
    dots = _instantiate(tangents[:operation.primals])
    out = tangent_p.bind(*align(*dots, *primals, *every), operation=operation)
    return every, out


def _inference_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, operation: Operation) -> Any:
    every, dots = _layer_jvp(primals, tangents, operation=operation)
    return every[:operation.results], dots


def _training_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, operation: Operation) -> Any:
    every, dots = _layer_jvp(primals, tangents, operation=operation)
    saved = every[operation.results:]
    return every, [*dots, *(ad.Zero(jax.typeof(v).to_tangent_aval()) for v in saved)]


def _tangent_transpose(cotangents: Sequence[Any], *operands: Any, operation: Operation) -> List[Any]:
    n, m, k = operation.primals, len(operation.operand_axes), operation.results
    dots, values = operands[:n], operands[n:]
    inputs, results, saved = values[:m], values[m:m + k], values[m + k:]
    compiled = all(isinstance(ct, ad.Zero) for i, ct in enumerate(cotangents) if i not in operation.cotangents)
    filled = _instantiate(cotangents[:k])
    if compiled:
        chosen = [filled[i] for i in operation.cotangents]
        shared = any(ad.is_undefined_primal(d) and axis is None for d, axis in zip(dots, operation.operand_axes))
        gradients = gradient_p.bind(*align(*inputs, *results, *chosen, *saved), operation=operation, shared=shared)
    else:  # the gates of a block LSTM, whose cotangents the compiled gradient does not take
        gradients = _vjp_in_lax(operation, inputs, filled)
    return [g if ad.is_undefined_primal(d) else None for g, d in zip(gradients, dots)] + [None] * len(values)


def _jvp_in_lax(function: Callable[..., Any], operands: Sequence[Any], tangents: Sequence[Any],
                kept: Sequence[int], operation: Operation) -> Any:
    """jvp of `function` by the operands at `kept`; the others are constants."""
    def partial(*values: Any) -> Any:
        every = list(operands)
        for k, v in zip(kept, values):
            every[k] = v
        return tuple(function(*every, operation=operation))
    return jax.jvp(partial, [operands[k] for k in kept], _instantiate([tangents[k] for k in kept]))


def _gradient_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, operation: Operation, shared: bool) -> Any:
    n, m, k = operation.primals, len(operation.operand_axes), operation.results
    first = m + k
    kept = [*range(n), *range(first, first + len(operation.cotangents))]
    dots = _jvp_in_lax(_gradient_in_lax, primals, tangents, kept, operation)[1]
    return gradient_p.bind(*primals, operation=operation, shared=shared), list(dots)


def _tangent_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, operation: Operation) -> Any:
    out, dots = _jvp_in_lax(tangent_in_lax, primals, tangents, range(2 * operation.primals), operation)
    return list(out), list(dots)


ad.primitive_jvps[inference_p] = _inference_jvp
ad.primitive_jvps[training_p] = _training_jvp
ad.primitive_jvps[gradient_p] = _gradient_jvp
ad.primitive_jvps[tangent_p] = _tangent_jvp
ad.primitive_transposes[tangent_p] = _tangent_transpose

