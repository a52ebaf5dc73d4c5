# _lowering.py - lowering of the primitives to calls of compiled functions through XLA's foreign function interface, and
# their partitioning over devices: along the batch, so that a sharded call needs no all-gather.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowering rules of the primitives."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import math
from typing import Any, Callable, Dict, List, Sequence, Tuple, Union

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.custom_partitioning import custom_partitioning
from jax.interpreters import mlir
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from .. import _files, _runtime
from .._layers import tensors_per_layer
from .._operations import (Batches, BlockLSTM, Layers, Members, Operation, has_seq_len_max, levels, merge, one_member,
                           without_batches, without_seq_len_max)
from . import _native
from ._sharding import axis_names, first_entry, spec_of

#: Element types of the dialect by the names of NumPy.
DTYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}

#: The platforms that have compiled functions.
_PLATFORMS = ("cpu", "cuda")


def reserve_shape(operation: Operation, operands: Sequence[Any]) -> Tuple[int, ...]:
    """The reserve space as `[B, row]`, with leading dimensions for members and batches, so that it is partitioned like the batch.

    A row has the bytes of a batch of one. Regions are padded to 64 bytes, so B rows hold the reserve space of B; its
    content is not divided into rows.
    """
    if isinstance(operation, Members):
        return operation.count, *reserve_shape(operation.one, operation.slices(*operands))
    if isinstance(operation, Batches):
        one = reserve_shape(operation.one, operation.merged(*operands))
        return operation.divided([one], [operation.depth], *operands)[0]
    batch = operands[0].shape[operation.operand_axes[0]]
    return batch, operation.reserve_bytes(DTYPES[operands[0].dtype.name], *operands, batch=1)


def _result_structs(operation: Operation, stage: str, operands: Sequence[Any]) -> List[jax.ShapeDtypeStruct]:
    dtype = operands[0].dtype
    if stage == "backward":
        every = operation.separated() if isinstance(operation, Members) else operation
        shapes = every.gradient_shapes(*operands)
        return [jax.ShapeDtypeStruct(shape, dtype) for shape in shapes]
    results = [jax.ShapeDtypeStruct(shape, dtype) for shape in operation.shapes(*operands)]
    if stage == "forward" and operation.saves:
        results.append(jax.ShapeDtypeStruct(reserve_shape(operation, operands), np.int8))
    return results


def _clamped(operation: Operation, operands: Sequence[Any]) -> List[Any]:
    """The operands with `lengths` in [0, T], or with such a `seq_len_max`."""
    values, n = list(operands), operation.primals
    one, slices = one_member(operation, operands)
    if isinstance(one, Layers) and one.lengths or has_seq_len_max(one):
        steps = slices[0].shape[1 if one.batch_major else 0]
        values[n] = jnp.clip(values[n], 0, steps).astype(jnp.int32)
    return values


def _call(*operands: Any, operation: Operation, stage: str, platform: str, several: bool) -> List[Any]:
    """The call of the compiled function on a platform.

    `several`: the program runs on several devices. If one of them failed in its check of `lengths`, the others would wait for
    it in the next collective, until XLA aborts the process. Therefore the lengths are clamped."""
    if operation.has_batches:
        return _call_batches(*operands, operation=operation, stage=stage, platform=platform, several=several)
    values = _clamped(operation, operands) if several or platform == "cuda" else list(operands)
    if platform == "cuda":
        return _call_without_waits(*values, operation=operation, stage=stage)
    return _call_function(*values, operation=operation, stage=stage)


def _reshaped(value: Any, shape: Sequence[int]) -> Any:
    # With explicit axes, the batch cannot become a minor part of a dimension. XLA's compiler divides the call as a whole.
    return jax.lax.reshape(value, shape, out_sharding=PartitionSpec()) if any(spec_of(jax.typeof(value))) else value.reshape(shape)


def _call_batches(*operands: Any, operation: Operation, stage: str, **options: Any) -> List[Any]:
    """The call with several batches as one."""
    inputs, outputs = axes(operation, stage)
    sizes = operands[0].shape[inputs[0] - 1:inputs[0] + 1]
    out = _call(*[v if axis is None else _reshaped(v, merge(v.shape, axis)) for v, axis in zip(operands, inputs)],
                operation=without_batches(operation), stage=stage, **options)
    return [v if axis is None else _reshaped(v, (*v.shape[:axis - 1], *sizes, *v.shape[axis:])) for v, axis in zip(out, outputs)]


def join(tensors: Sequence[Any]) -> Any:
    """The elements of all tensors."""
    return jnp.concatenate([jnp.ravel(v) for v in tensors])


def split(flat: Any, shapes: Sequence[Tuple[int, ...]]) -> List[Any]:
    """The inverse of `join`."""
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    return [flat[end - math.prod(shape):end].reshape(shape) for end, shape in zip(ends, shapes)]


def _call_with_flat(call: Callable[..., Any], *operands: Any, operation: Union[Layers, Batches], stage: str,
                    **options: Any) -> List[Any]:
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
    if has_seq_len_max(operation):
        return _call_masked(*operands, operation=operation, stage=stage)
    results = _call_function(*operands, operation=operation, stage=stage, waits=False)
    if stage != "backward" or not operation.saves:
        return results
    fits = _fits_reserve(operation, operands)
    return [jnp.where(fits, v, jnp.full_like(v, jnp.nan)) for v in results]


def _call_masked(*operands: Any, operation: Operation, stage: str) -> List[Any]:
    """The call of a block LSTM with masks instead of `seq_len_max`."""
    one, slices = one_member(operation, operands)
    axis, n, m, every = one.result_axes[0] ^ 1, operation.primals, len(operation.operand_axes), levels(operation)
    steps = slices[0].shape[axis]

    def mask(value: Any, count: Any) -> Any:
        valid = jnp.expand_dims(jnp.arange(steps) < count, [d for d in range(3) if d != axis])
        return jnp.where(valid, value, jnp.zeros_like(value))  # where: padding may hold infinities

    def masked(value: Any, operand: Any = None) -> Any:
        """`operand`: which operand it is. Results, cotangents and separate gradients have the dimensions of all members."""
        function = mask
        for level in reversed(every):
            mapped = operand is None or level.mapped[operand], level.mapped[n]
            if any(mapped):
                function = jax.vmap(function, [0 if each else None for each in mapped])
        return function(value, operands[n])

    # The input, and in a gradient the saved results and the cotangents.
    values = [masked(v, 0) if k == 0 else masked(v) if k >= m else v for k, v in enumerate(operands) if k != n]
    inner = without_seq_len_max(operation)
    if isinstance(inner, Members):
        inner = inner.separated()
    results = _call_function(*values, operation=inner, stage=stage, waits=False)
    if stage != "backward":
        return [masked(v) for v in results]
    gradients = [masked(results[0]), *results[1:]]
    return operation.totals(gradients) if isinstance(operation, Members) else gradients


def _fits_reserve(operation: Operation, operands: Sequence[Any]) -> Any:
    """Whether the reserve space of a gradient is one of this batch. XLA divides a reserve space like an array, but a call writes it
    as a whole."""
    one, inputs = one_member(operation, operands)
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
    attributes = {"module": text, "function": function, "key": np.int64(_native.key(text, function)),
                  "reserve": np.int64(reserve)}
    if isinstance(operation, Layers) and operation.tensors:
        attributes.update(first=np.int64(operation.first_tensor), tensors=np.int64(operation.tensors),
                          tensors_per_layer=np.int64(tensors_per_layer(operation.num_proj)), is_gradient=np.int64(stage == "backward"))
        return list(jax.ffi.ffi_call(_native.SEPARATE_TARGET, structs)(*filled, **attributes))
    if not isinstance(operation, Members):
        return list(jax.ffi.ffi_call(_native.XLA_TARGET, structs)(*filled, **attributes))
    parallel = operation.in_parallel(operands[0].dtype.itemsize, *operands)
    shared = [sum(1 << k for k, mapped in enumerate(flags) if not mapped) for flags in zip(*operation.flags(bool(missing)))]
    attributes.update(members=np.array(operation.counts, np.int64), shared=np.array(shared, np.int64), parallel=np.int64(parallel))
    out = list(jax.ffi.ffi_call(_native.MEMBERS_TARGET, structs)(*filled, **attributes))
    return operation.totals(out) if stage == "backward" else out


# --- Partitioning ----------------------------------------------------------------------------------------------------

_Axes = Tuple[Tuple[Any, ...], Tuple[Any, ...]]


def axes(operation: Operation, stage: str) -> _Axes:
    """The axes of the batch in operands and results; None where there is none."""
    saved = (operation.depth,) if operation.saves else ()
    if stage == "inference":
        return operation.operand_axes, operation.result_axes
    if stage == "forward":
        return operation.operand_axes, operation.result_axes + saved
    cotangents = tuple(operation.result_axes[k] for k in operation.cotangents)
    return operation.operand_axes + operation.result_axes + cotangents + saved, operation.gradient_axes


def factors(operation: Operation, stage: str) -> Dict[str, _Axes]:
    """The axes, in operands and results, of the dimensions that can be divided: `b` of the batch, and with the depth of the operation
    as a number, `n1`, `n2` ... of batches and `m1`, `m2` ... of members."""
    if isinstance(operation, Batches):
        found = factors(operation.one, stage)
        # The dimension of batches is inserted at the axis of the batch.
        moved = {name: tuple(tuple(axis if axis is None or first is None else axis + (axis >= first)
                                   for axis, first in zip(every, batch)) for every, batch in zip(pair, found["b"]))
                 for name, pair in found.items()}
        return {**moved, f"n{operation.depth}": found["b"]}  # type: ignore[dict-item]
    if not isinstance(operation, Members):
        return {"b": axes(operation, stage)}
    inputs, outputs = axes(operation, stage)
    mapped = tuple(0 if m else None for m in operation.mapped)
    members: _Axes = mapped + (0,) * (len(inputs) - len(mapped)), (0,) * len(outputs)
    if stage == "backward" and not operation.separate:
        members = members[0], mapped[:len(outputs)]

    def behind(every: Sequence[Any], members: Sequence[Any]) -> Tuple[Any, ...]:
        return tuple(axis if axis is None or member is None else axis + 1 for axis, member in zip(every, members))
    found = factors(operation.one, stage)
    return {**{name: (behind(pair[0], members[0]), behind(pair[1], members[1])) for name, pair in found.items()},
            f"m{operation.depth}": members}


def _rule(operation: Operation, stage: str, ranks: Sequence[Sequence[int]]) -> str:
    """The Shardy rule of a call: the names of `factors`, and a factor of its own for every other dimension."""
    every = factors(operation, stage)

    def name(side: int, k: int, dim: int) -> str:
        return next((name for name, pair in every.items() if pair[side][k] == dim), f"{'io'[side]}{k}_{dim}")
    return " -> ".join(", ".join(" ".join(name(side, k, dim) for dim in range(rank)) for k, rank in enumerate(ranks[side]))
                       for side in range(2))


def _partition(operation: Operation, stage: str, platform: str, mesh: Mesh, arguments: Sequence[Any],
               results: Sequence[Any]) -> Any:
    every = factors(operation, stage)
    divided: Dict[str, Any] = {}
    for factor, (inputs, outputs) in every.items():
        names = first_entry(arguments, inputs)
        if operation.saves and stage != "inference":
            # A gradient must be divided like the call that wrote its reserve space. The sharding of the space is the only one
            # that both calls see, also if they are in two programs.
            names = first_entry(arguments[-1:], inputs[-1:]) if stage == "backward" else first_entry(results[-1:], outputs[-1:])
        size = next(v.shape[axis] for v, axis in zip(arguments, inputs) if axis is not None)
        used = {name for other in divided.values() for name in axis_names(other)}
        # Padded examples would count in the gradients of the parameters.
        is_whole = size % math.prod(mesh.shape[name] for name in axis_names(names)) == 0
        divided[factor] = names if is_whole and not used & set(axis_names(names)) else None

    def shardings(values: Sequence[Any], side: int) -> Tuple[NamedSharding, ...]:
        return tuple(NamedSharding(mesh, PartitionSpec(*[
            next((divided[factor] for factor, pair in every.items() if pair[side][k] == dim), None)
            for dim in range(len(value.shape))])) for k, value in enumerate(values))

    def local(*operands: Any) -> Tuple[Any, ...]:
        out = _call(*operands, operation=_part(operation, divided, mesh), stage=stage, platform=platform, several=True)
        summed = [tuple(name for factor, (_, outputs) in every.items() if outputs[k] is None for name in axis_names(divided[factor]))
                  for k in range(len(out))]
        return tuple(jax.lax.psum(v, over) if over else v for v, over in zip(out, summed))

    return mesh, local, shardings(results, 1), shardings(arguments, 0)


def _part(operation: Operation, divided: Dict[str, Any], mesh: Mesh) -> Operation:
    """The operation of one device, with its part of the members."""
    if isinstance(operation, Batches):
        return Batches(_part(operation.one, divided, mesh))
    if not isinstance(operation, Members):
        return operation
    parts = math.prod(mesh.shape[name] for name in axis_names(divided[f"m{operation.depth}"]))
    return dataclasses.replace(operation, one=_part(operation.one, divided, mesh), count=operation.count // parts)


@functools.lru_cache(maxsize=None)
def _version() -> str:
    """The versions of the package and of the runtime's interface, on which a cached program depends."""
    return f"{_files.version()} {_runtime.library().rnnrt_abi_version()}"


@functools.lru_cache(maxsize=None)
def _partitioned(operation: Operation, stage: str, platform: str, ranks: Tuple[int, ...], result_ranks: Tuple[int, ...]) -> Any:
    def call(*operands: Any) -> Tuple[Any, ...]:
        return tuple(_call(*operands, operation=operation, stage=stage, platform=platform, several=True))

    wrapped = custom_partitioning(call)
    wrapped.def_partition(partition=functools.partial(_partition, operation, stage, platform),
                          sharding_rule=_rule(operation, stage, (ranks, result_ranks)))

    def named(*operands: Any) -> Any:
        return wrapped(*operands)
    # The key of a program in JAX's persistent compilation cache is a hash of its text, in which `wrapped` is an address only. The
    # name of the function distinguishes operations in the text.
    identity = repr((operation, stage, platform, _version()))
    named.__name__ = "rnn_" + hashlib.sha256(identity.encode()).hexdigest()[:16]
    return jax.jit(named)


def _call_partitioned(*operands: Any, operation: Operation, stage: str, platform: str, result_ranks: Tuple[int, ...]) -> Any:
    """The call that the compiler of XLA divides over devices."""
    if operation.tensors:
        assert isinstance(operation, (Layers, Batches))
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


def _refuse_platform(context: Any, *_: Any, **__: Any) -> Any:
    """The lowering for platforms without compiled functions."""
    others = [p for p in getattr(context, "platforms", None) or context.module_context.platforms if p not in _PLATFORMS]
    raise NotImplementedError(f"the layers of rnn_mlir.jax run on {' and '.join(_PLATFORMS)}, but the program is lowered for "
                              f"{', '.join(others)}: call them on the CPU (jax.default_device), or write the layer with jax.lax.scan")


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
    for platform in _PLATFORMS:
        mlir.register_lowering(primitive, functools.partial(rule, platform=platform), platform=platform)
    mlir.register_lowering(primitive, _refuse_platform)
    try:  # Without this, JAX lowers for abstract devices, and calls of a sharded batch gather it.
        from jax._src.dispatch import prim_requires_devices_during_lowering
        prim_requires_devices_during_lowering.add(primitive)
    except ImportError:
        pass
