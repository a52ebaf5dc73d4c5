# _lowering.py - lowering of the primitives to calls of compiled functions through XLA's foreign function interface, and
# their partitioning over devices: along the batch, so that a sharded call needs no all-gather.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowering rules of the primitives."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import math
from importlib import metadata
from typing import Any, Callable, List, Sequence, Tuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.custom_partitioning import custom_partitioning
from jax.interpreters import mlir
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from .. import _runtime
from .._layers import tensors_per_layer
from .._operations import BlockLSTM, Layers, Members, Operation
from . import _native

#: Element types of the dialect by the names of NumPy.
DTYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}


def reserve_shape(operation: Operation, operands: Sequence[Any]) -> Tuple[int, ...]:
    """The reserve space as `[B, row]`, with a leading dimension for members, so that it is partitioned like the batch.

    A row has the bytes of a batch of one. Regions are padded to 64 bytes, so B rows hold the reserve space of B; its
    content is not divided into rows.
    """
    if isinstance(operation, Members):
        return operation.count, *reserve_shape(operation.one, operation.slices(*operands))
    batch = operands[0].shape[operation.operand_axes[0]]
    return batch, operation.reserve_bytes(DTYPES[operands[0].dtype.name], *operands, batch=1)


def _result_structs(operation: Operation, stage: str, operands: Sequence[Any]) -> List[jax.ShapeDtypeStruct]:
    dtype = operands[0].dtype
    if stage == "backward":
        shapes = dataclasses.replace(operation, separate=True).gradient_shapes(*operands) if isinstance(
            operation, Members) else operation.gradient_shapes(*operands)
        return [jax.ShapeDtypeStruct(shape, dtype) for shape in shapes]
    results = [jax.ShapeDtypeStruct(shape, dtype) for shape in operation.shapes(*operands)]
    if stage == "forward" and operation.saves:
        results.append(jax.ShapeDtypeStruct(reserve_shape(operation, operands), np.int8))
    return results


def _clamped(operation: Operation, operands: Sequence[Any]) -> List[Any]:
    """The operands with `lengths` in [0, T], or with such a `seq_len_max`."""
    values, n = list(operands), operation.primals
    one, slices = (operation.one, operation.slices(*operands)) if isinstance(operation, Members) else (operation, operands)
    if isinstance(one, (Layers, BlockLSTM)) and (one.lengths if isinstance(one, Layers) else one.seq_len_max):
        steps = slices[0].shape[1 if one.batch_major else 0]
        values[n] = jnp.clip(values[n], 0, steps).astype(jnp.int32)
    return values


def _call(*operands: Any, operation: Operation, stage: str, platform: str, several: bool) -> List[Any]:
    """The call of the compiled function on a platform.

    `several`: the program runs on several devices. If one of them failed in its check of `lengths`, the others would wait for
    it in the next collective, until XLA aborts the process. Therefore the lengths are clamped."""
    values = _clamped(operation, operands) if several or platform == "cuda" else list(operands)
    if platform == "cuda":
        return _call_without_waits(*values, operation=operation, stage=stage)
    return _call_function(*values, operation=operation, stage=stage)


def join(tensors: Sequence[Any]) -> Any:
    """The elements of all tensors."""
    return jnp.concatenate([jnp.ravel(v) for v in tensors])


def split(flat: Any, shapes: Sequence[Tuple[int, ...]]) -> List[Any]:
    """The inverse of `join`."""
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    return [flat[end - math.prod(shape):end].reshape(shape) for end, shape in zip(ends, shapes)]


def _call_with_flat(call: Callable[..., Any], *operands: Any, operation: Layers, stage: str, **options: Any) -> List[Any]:
    """`call` with the parameters as one flat array."""
    first, end = operation.first_tensor, operation.primals
    tensors = operands[first:end]
    out = call(*operands[:first], join(tensors), *operands[end:], operation=operation.flat, stage=stage, **options)
    return list(out) if stage != "backward" else [*out[:first], *split(out[first], [v.shape for v in tensors])]


def _call_without_waits(*operands: Any, operation: Operation, stage: str) -> List[Any]:
    """The call on a GPU, where the host must not wait for values of the device: `lengths` are clamped instead of checked,
    `seq_len_max` becomes masks, and a gradient with the reserve space of another batch is NaN."""
    if isinstance(operation, Layers) and operation.tensors:
        return _call_with_flat(_call_without_waits, *operands, operation=operation, stage=stage)
    values, n = list(operands), operation.primals
    if not isinstance(operation, BlockLSTM) or not operation.seq_len_max:  # members have none: _batching.py
        results = _call_function(*values, operation=operation, stage=stage, waits=False)
        if stage != "backward" or not operation.saves:
            return results
        fits = _fits_reserve(operation, operands)
        return [jnp.where(fits, v, jnp.full_like(v, jnp.nan)) for v in results]
    axis = operation.result_axes[0] ^ 1
    valid = jnp.arange(operands[0].shape[axis]) < values.pop(n)
    valid = jnp.expand_dims(valid, [d for d in range(3) if d != axis])

    def masked(value: Any) -> Any:  # where: padding may hold infinities
        return jnp.where(valid, value, jnp.zeros_like(value))

    first = len(operation.operand_axes) - 1
    for k in (0, *range(first, len(values))):  # the input, and in a gradient the saved results and the cotangents
        values[k] = masked(values[k])
    results = _call_function(*values, operation=dataclasses.replace(operation, seq_len_max=False), stage=stage,
                             waits=False)
    if stage == "backward":
        return [masked(results[0]), *results[1:]]
    return [masked(v) for v in results]


def _fits_reserve(operation: Operation, operands: Sequence[Any]) -> Any:
    """Whether the reserve space of a gradient is one of this batch. XLA divides a reserve space like an array, but a call writes it
    as a whole."""
    one, inputs = (operation.one, operation.slices(*operands)) if isinstance(operation, Members) else (operation, operands)
    assert isinstance(one, Layers)
    header = np.frombuffer(one.reserve_header(DTYPES[operands[0].dtype.name], *inputs), np.int8)
    return jnp.all(operands[-1][..., 0, :header.size] == header)


def _call_function(*operands: Any, operation: Operation, stage: str, waits: bool = True) -> List[Any]:
    """The call of the compiled function. The text of its module travels in the program, so that an exported program
    needs nothing of this process."""
    dtype = DTYPES[operands[0].dtype.name]
    text, function, completed = ((operation.module(dtype), operation.function(stage), True) if waits else
                                 operation.gpu_function(dtype, stage, *operands))
    missing = operation.missing(*operands) if completed else None
    reserve = operation.reserve_bytes(dtype, *operands) if operation.saves and stage != "inference" else 0
    structs, n, filled = _result_structs(operation, stage, operands), operation.primals, list(operands)
    if missing:
        filled.insert(n, jnp.full(*missing, np.int32))
    flags = operation.flags(bool(missing)) if isinstance(operation, Members) else [False] * len(filled)
    attributes = {"module": text, "function": function, "key": np.int64(_native.key(text, function)),
                  "reserve": np.int64(reserve)}
    if isinstance(operation, Layers) and operation.tensors:
        attributes.update(first=np.int64(operation.first_tensor), tensors=np.int64(operation.tensors),
                          tensors_per_layer=np.int64(tensors_per_layer(operation.num_proj)), is_gradient=np.int64(stage == "backward"))
        return list(jax.ffi.ffi_call(_native.SEPARATE_TARGET, structs)(*filled, **attributes))
    if not isinstance(operation, Members):
        return list(jax.ffi.ffi_call(_native.XLA_TARGET, structs)(*filled, **attributes))
    parallel = operation.in_parallel(operands[0].dtype.itemsize, *operands)
    attributes.update(members=np.int64(operation.count), parallel=np.int64(parallel),
                      shared=np.int64(sum(1 << k for k, mapped in enumerate(flags) if not mapped)))
    out = list(jax.ffi.ffi_call(_native.MEMBERS_TARGET, structs)(*filled, **attributes))
    if stage == "backward" and not operation.separate:
        out = [v if mapped else v.sum(0) for v, mapped in zip(out, operation.mapped)]
    return out


# --- Partitioning ----------------------------------------------------------------------------------------------------

def _axes(operation: Operation, stage: str) -> Tuple[Tuple[Any, ...], Tuple[Any, ...]]:
    """The axes of the batch in operands and results; None where there is none."""
    saved = (int(isinstance(operation, Members)),) if operation.saves else ()
    if stage == "inference":
        return operation.operand_axes, operation.result_axes
    if stage == "forward":
        return operation.operand_axes, operation.result_axes + saved
    cotangents = tuple(operation.result_axes[k] for k in operation.cotangents)
    gradients = operation.operand_axes[:operation.primals]
    if isinstance(operation, Members) and operation.separate:
        gradients = tuple(None if axis is None else axis + 1 for axis in operation.one.operand_axes)[:operation.primals]
    return operation.operand_axes + operation.result_axes + cotangents + saved, gradients


def _member_axes(operation: Operation, stage: str) -> Tuple[Tuple[Any, ...], Tuple[Any, ...]]:
    """The axes of the members in operands and results; None where there is none."""
    inputs, outputs = _axes(operation, stage)
    if not isinstance(operation, Members):
        return (None,) * len(inputs), (None,) * len(outputs)
    mapped = tuple(0 if m else None for m in operation.mapped)
    if stage != "backward":
        return mapped, (0,) * len(outputs)
    gradients = tuple(0 if operation.separate else axis for axis in mapped[:operation.primals])
    return mapped + (0,) * (len(inputs) - len(mapped)), gradients


def _rule(axes: Sequence[Any], members: Sequence[Any], ranks: Sequence[int], prefix: str) -> str:
    """One side of a Shardy rule: factor `b` for the batch, `m` for the members, a factor of its own for every other
    dimension."""
    return ", ".join(" ".join("b" if d == axis else "m" if d == member else f"{prefix}{k}_{d}" for d in range(rank))
                     for k, (axis, member, rank) in enumerate(zip(axes, members, ranks)))


def _mesh_axes(values: Sequence[Any], axes: Sequence[Any]) -> Any:
    """The axes of the mesh that divide a dimension: those of the first value whose dimension is divided; else None."""
    for value, axis in zip(values, axes):
        spec = value.sharding.spec if axis is not None else ()
        if axis is not None and axis < len(spec) and spec[axis] is not None:
            return spec[axis]
    return None


def _tuple(names: Any) -> Tuple[Any, ...]:
    return names if isinstance(names, tuple) else () if names is None else (names,)


def _partition(operation: Operation, stage: str, platform: str, mesh: Mesh, arguments: Sequence[Any],
               results: Sequence[Any]) -> Any:
    inputs, outputs = _axes(operation, stage)
    member_inputs, member_outputs = _member_axes(operation, stage)
    source: Any = (arguments, inputs, member_inputs)
    if operation.saves and stage != "inference":
        # A gradient must be divided like the call that wrote its reserve space. The sharding of the space is the only one that
        # both calls see, also if they are in two programs.
        source = ((arguments[-1:], inputs[-1:], member_inputs[-1:]) if stage == "backward" else
                  (results[-1:], outputs[-1:], member_outputs[-1:]))

    def divide(axes: Sequence[Any], size: int) -> Any:
        names = _mesh_axes(source[0], axes)
        # Padded examples would count in the gradients of the parameters.
        return None if size % math.prod(mesh.shape[n] for n in _tuple(names)) else names

    names = divide(source[1], arguments[0].shape[operation.operand_axes[0]])
    member_names, each = None, operation
    if isinstance(operation, Members):
        member_names = divide(source[2], operation.count)
        if set(_tuple(member_names)) & set(_tuple(names)):
            member_names = None
        parts = math.prod(mesh.shape[n] for n in _tuple(member_names))
        each = dataclasses.replace(operation, count=operation.count // parts)

    def sharding(value: Any, axis: Any, member: Any) -> NamedSharding:
        return NamedSharding(mesh, PartitionSpec(*[names if d == axis else member_names if d == member else None
                                                   for d in range(len(value.shape))]))

    def local(*operands: Any) -> Tuple[Any, ...]:
        out = _call(*operands, operation=each, stage=stage, platform=platform, several=True)
        summed = [_tuple(names) * (axis is None) + _tuple(member_names) * (member is None)
                  for axis, member in zip(outputs, member_outputs)]
        return tuple(jax.lax.psum(v, over) if over else v for v, over in zip(out, summed))

    return (mesh, local, tuple(map(sharding, results, outputs, member_outputs)),
            tuple(map(sharding, arguments, inputs, member_inputs)))


@functools.lru_cache(maxsize=None)
def _version() -> str:
    """The versions of the package and of the runtime's interface, on which a cached program depends."""
    try:
        package = metadata.version("rnn-mlir")
    except metadata.PackageNotFoundError:  # a tree of the build
        package = ""
    return f"{package} {_runtime.library().rnnrt_abi_version()}"


@functools.lru_cache(maxsize=None)
def _partitioned(operation: Operation, stage: str, platform: str, ranks: Tuple[int, ...], result_ranks: Tuple[int, ...]) -> Any:
    def call(*operands: Any) -> Tuple[Any, ...]:
        return tuple(_call(*operands, operation=operation, stage=stage, platform=platform, several=True))

    (inputs, outputs), (member_inputs, member_outputs) = _axes(operation, stage), _member_axes(operation, stage)
    rule = _rule(inputs, member_inputs, ranks, "i") + " -> " + _rule(outputs, member_outputs, result_ranks, "o")
    wrapped = custom_partitioning(call)
    wrapped.def_partition(partition=functools.partial(_partition, operation, stage, platform), sharding_rule=rule)

    def named(*operands: Any) -> Any:
        return wrapped(*operands)
    # The key of a program in JAX's persistent compilation cache is a hash of its text, in which `wrapped` is an address only. The
    # name of the function distinguishes operations in the text.
    identity = repr((operation, stage, platform, _version()))
    named.__name__ = "rnn_" + hashlib.sha256(identity.encode()).hexdigest()[:16]
    return jax.jit(named)


def _call_partitioned(*operands: Any, operation: Operation, stage: str, platform: str, result_ranks: Tuple[int, ...]) -> Any:
    """The call that the compiler of XLA divides over devices."""
    if isinstance(operation, Layers) and operation.tensors:
        if stage == "backward":
            result_ranks = (*result_ranks[:operation.first_tensor], 1)
        return _call_with_flat(_call_partitioned, *operands, operation=operation, stage=stage, platform=platform,
                               result_ranks=result_ranks)
    return _partitioned(operation, stage, platform, tuple(len(v.shape) for v in operands), result_ranks)(*operands)


def divisible(context: Any) -> bool:
    """Whether the compiler of XLA may divide the call over devices. Inside shard_map it is one of each device already,
    and an exported program cannot refer to functions of this process."""
    module = context.module_context
    devices = getattr(module.axis_context, "device_assignment", None)
    return devices is not None and len(devices) > 1 and not module.lowering_parameters.for_export


def _several(context: Any) -> bool:
    """Whether the program runs on several devices."""
    axes = context.module_context.axis_context
    devices = getattr(axes, "device_assignment", None)
    if devices is not None:
        return len(devices) > 1
    mesh, replicas = getattr(axes, "mesh", None), getattr(axes, "axis_env", None)  # in shard_map, in pmap
    return (mesh.size if mesh is not None else getattr(replicas, "nreps", 1)) > 1


def register(primitive: Any, stage: str) -> None:
    """Lowers `primitive` to the compiled function of `stage`."""
    def rule(context: Any, *operands: Any, operation: Operation, platform: str, **_: Any) -> Any:
        if divisible(context):
            function = functools.partial(_call_partitioned, operation=operation, stage=stage, platform=platform,
                                         result_ranks=tuple(len(v.shape) for v in context.avals_out))
        else:
            function = functools.partial(_call, operation=operation, stage=stage, platform=platform,
                                         several=_several(context))
        return mlir.lower_fun(function, multiple_results=True)(context, *operands)
    for platform in ("cpu", "cuda"):
        mlir.register_lowering(primitive, functools.partial(rule, platform=platform), platform=platform)
    try:  # Without this, JAX lowers for abstract devices, and calls of a sharded batch gather it.
        from jax._src.dispatch import prim_requires_devices_during_lowering
        prim_requires_devices_during_lowering.add(primitive)
    except ImportError:
        pass
