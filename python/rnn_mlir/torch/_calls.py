# _calls.py - calls of compiled functions with tensors of PyTorch, and what has derivatives of them: autograd.Functions
# for eager mode and torch.func. torch.compile sees the ops of _library.py instead: Dynamo takes no Function with a jvp,
# and ops with register_autograd fail under torch.func.grad and have a silent zero as their jvp.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled layers on tensors, with derivatives."""

from __future__ import annotations

import functools
import threading
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import torch
from torch import Tensor

from .. import _allocator, _runtime, _separate, _variants
from .._layers import tensors_per_layer
from .._operations import Layers, Members, Operation, Shaped, has_seq_len_max, innermost, one_member, without_seq_len_max
from . import _masks, _ops, _reference
from ._memory import DTYPES, is_large, new_tensor

#: PyTorch 2: functions have setup_context, and torch.func exists.
FUNC = hasattr(torch, "func")


@functools.lru_cache(maxsize=None)
def _function(operation: Operation, dtype: str, stage: str) -> _runtime.Function:
    return _runtime.load_library(_variants.library_path(operation.module(dtype)))[operation.function(stage)]


def _empty_batch(operation: Operation, x: Any) -> bool:
    return bool(x.shape[operation.operand_axes[0] or 0] == 0)


def reserve_bytes(operation: Operation, operands: Sequence[Any]) -> int:
    return 0 if _empty_batch(operation, operands[0]) else operation.reserve_bytes(DTYPES[operands[0].dtype], *operands)


def recorded(*values: Any) -> bool:
    """Whether calls must be ops: a mode such as FakeTensorMode or that of make_fx records them, or tensors have no memory."""
    if not _ops.AVAILABLE:
        return False
    modes: int = torch._C._len_torch_dispatch_stack()
    return modes > 0 or any(v.is_meta or type(v).__torch_dispatch__ is not Tensor.__torch_dispatch__ for v in values)


@functools.lru_cache(maxsize=4096)
def _expected(operation: Operation, count: int) -> Tuple[Tuple[str, Any], ...]:
    """The names and types of the first `count` values of a gradient: operands, results, cotangents and the reserve space.
    The type None is that of the first operand."""
    integers = {"lengths": torch.int32, "seq_len_max": torch.int32, "resets": torch.bool}
    values: List[Tuple[str, Any]] = [(f"`{name}`", integers.get(name)) for name in operation.names()]
    values += [(f"result {k}", None) for k in range(operation.results)]
    values += [(f"the gradient of result {k}", None) for k in operation.cotangents]
    return tuple([*values, ("the reserve space", torch.int8)][:count])


def transformed() -> bool:
    """Whether a transformation of torch.func, or forward mode, may be active."""
    if not FUNC:
        return False
    return torch._C._functorch.peek_interpreter_stack() is not None or torch.autograd.forward_ad._current_level >= 0


def _check(operation: Operation, inputs: Sequence[Tensor]) -> None:
    first = inputs[0]
    dtype, device = first.dtype, first.device
    if dtype not in DTYPES:
        raise TypeError(f"{_expected(operation, 1)[0][0]} has dtype {dtype}; expected one of {', '.join(map(str, DTYPES))}")
    for k, (value, (name, expected)) in enumerate(zip(inputs, _expected(operation, len(inputs)))):
        if value.dtype is not (expected or dtype):
            raise TypeError(f"{name} has dtype {value.dtype}; expected {expected or f'{dtype}, that of operand 0'}; cast it")
        if value.layout is not torch.strided:
            raise TypeError(f"{name} has layout {value.layout}; expected a dense tensor")
        # The host may have the lengths of a packed sequence and of a block LSTM.
        if value.device != device and not (_counts(operation, k) and value.device.type == "cpu"):
            raise ValueError(f"{name} is on device {value.device}, but operand 0 is on {device}; move one of them")


class Call(NamedTuple):
    """A call of a compiled function of the host."""

    function: Optional[_runtime.Bound]  #: with the shapes of its arguments. None for an empty batch
    missing: Optional[Tuple[Tuple[int, ...], int]]  #: what `Operation.missing` returns
    results: List[Tuple[int, ...]]  #: their shapes
    large: bool  #: whether a result is (`is_large`)
    reserve: Optional[Tuple[int, ...]]  #: the shape of the reserve space, which it writes after the results


@functools.lru_cache(maxsize=4096)
def prepare(operation: Operation, dtype: str, stage: str, inputs: Tuple[Any, ...]) -> Call:
    """The call for inputs of these shapes."""
    values = [Shaped(shape, None) for shape in inputs]
    if has_tensors(operation):
        assert isinstance(operation, Layers)
        operation.check_tensors(*values)
    empty, reserve = _empty_batch(operation, values[0]), None
    results = [tuple(shape) for shape in (inputs[:operation.primals] if stage == "backward" else operation.shapes(*values))]
    large = any(is_large(shape, dtype) for shape in results)
    if stage == "forward" and operation.saves:
        reserve = (0 if empty else operation.reserve_bytes(dtype, *values),)
    if empty:
        return Call(None, None, results, large, reserve)
    every, missing, outputs = list(inputs), operation.missing(*values), [*results, *([reserve] if reserve else [])]
    if missing:
        every.insert(operation.primals, missing[0])
    if has_tensors(operation):
        shapes = _separate.shapes(every, outputs, *_tensors_of(operation, stage))
    else:
        shapes = [*every, *outputs]
    return Call(_function(operation, dtype, stage).bind(shapes), missing, results, large, reserve)


def new_results(call: Call, like: Tensor) -> List[Tensor]:
    """Uninitialized tensors for what the call writes, the reserve space last."""
    # A method of the tensor takes half the time of `new_tensor`.
    results = [new_tensor(like, shape) if call.large else like.new_empty(shape) for shape in call.results]
    if call.reserve:
        results.append(new_tensor(like, call.reserve, torch.int8))
    return results


def has_tensors(operation: Operation) -> bool:
    """Whether the parameters are several operands."""
    return isinstance(operation, Layers) and operation.tensors > 0


def _tensors_of(operation: Operation, stage: str) -> Tuple[int, int, int, bool]:
    """The arguments `first`, `tensors`, `per_layer` and `gradient` of the functions in _separate.py."""
    assert isinstance(operation, Layers)
    return operation.first_tensor, operation.tensors, tensors_per_layer(operation.num_proj), stage == "backward"


def _dense(value: Tensor) -> Tensor:
    """The elements in row-major order. A view with the negative bit has others in memory."""
    return (value.resolve_neg() if value.is_neg() else value).contiguous()


_threads = threading.local()


def host_call() -> _runtime.Call:
    """The call of this thread on the host."""
    if not hasattr(_threads, "limited"):
        # PyTorch tells OpenMP about `set_num_threads` at the first use in each thread.
        _threads.limited = torch.get_num_threads()
    return _runtime.call_of_thread()


def _zero(values: Sequence[Tensor]) -> None:
    """The results for an empty batch: gradients of the parameters are zero, as those of torch.nn."""
    for value in values:
        value.zero_()


def _arguments(operation: Operation, inputs: Sequence[Tensor], outputs: Sequence[Tensor],
               missing: Optional[Tuple[Tuple[int, ...], int]]) -> List[Tensor]:
    """The arguments of the compiled function, with the operand of `Operation.missing`."""
    every = [*[_dense(v) for v in inputs], *outputs]
    if missing:
        every.insert(operation.primals, torch.full(*missing, dtype=torch.int32, device=inputs[0].device))
    return every


def _prepared(operation: Operation, stage: str, inputs: Sequence[Tensor]) -> Optional[Call]:
    """The call for these inputs from the cache of `prepare`. None for members and on a GPU, which have no prepared calls."""
    if not inputs[0].is_cpu or isinstance(operation, Members):
        return None
    return prepare(operation, DTYPES[inputs[0].dtype], stage, tuple([v.shape for v in inputs]))


def _call(operation: Operation, stage: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], prepared: Optional[Call]) -> None:
    """Calls the compiled function. `prepared` is the result of `_prepared` for the same operation, stage and inputs."""
    first = inputs[0]
    kind = first.device.type
    if prepared is not None and prepared.function is not None:
        every = _arguments(operation, inputs, outputs, prepared.missing)
        addresses = [v.data_ptr() for v in every]
        if not has_tensors(operation):
            return prepared.function.run(host_call(), addresses)
        n = len(every) - len(outputs)
        addresses, tables = _separate.pointers(addresses[:n], addresses[n:], *_tensors_of(operation, stage), first.element_size())
        prepared.function.run(host_call(), addresses)
        del tables  # the call reads them by address
        return
    if _empty_batch(operation, first):
        return _zero(outputs)
    if kind == "cuda":
        device = f"cuda:{first.device.index}"
        call = cuda_call(device, torch.cuda.current_stream(first.device).cuda_stream)
        return call_without_waits(operation, stage, inputs, outputs, call, "cuda", device)
    if kind != "cpu":
        raise ValueError(f"operand 0 is on device {first.device}; compiled layers run on the CPU and on CUDA")
    missing = operation.missing(*inputs)
    every = _arguments(operation, inputs, outputs, missing)
    _run(_function(operation, DTYPES[first.dtype], stage), operation, inputs, every, bool(missing), host_call())


def _scratch(device: str, stream: int) -> _allocator.Scratch:
    """PyTorch's caching allocator, which has most of the memory of the GPU, and a pool of its own for a captured graph."""
    def allocate(size: int) -> int:
        return int(torch.cuda.caching_allocator_alloc(size, device, stream))
    return allocate, torch.cuda.caching_allocator_delete


def cuda_call(device: str, stream: int) -> _runtime.Call:
    """The call of this thread on a stream of PyTorch, with its memory."""
    return _runtime.call_on_stream(device, stream, waits=False, scratch=_scratch)


def _run(function: _runtime.Function, operation: Operation, inputs: Sequence[Tensor], every: Sequence[Tensor],
         completed: bool, call: _runtime.Call) -> None:
    pointers = [v.data_ptr() for v in every]
    if not isinstance(operation, Members):
        return function.bind([tuple(v.shape) for v in every]).run(call, pointers)
    counts, flags = operation.counts, operation.flags(completed)
    flags += [(True,) * len(counts)] * (len(every) - len(flags))  # results, cotangents, reserve space
    strides = []
    for value, mapped in zip(every, flags):
        bytes_of_dims = iter([stride * value.element_size() for stride in value.stride()])
        strides.append([next(bytes_of_dims) if m else 0 for m in mapped])
    bound = function.bind([tuple(v.shape[sum(mapped):]) for v, mapped in zip(every, flags)])
    bound.run_members(call, pointers, counts, strides, operation.in_parallel(inputs[0].element_size(), *inputs))


def _counts(operation: Operation, index: int) -> bool:
    """Whether an operand is `lengths` or `seq_len_max`."""
    one = innermost(operation)
    return index == operation.primals and (isinstance(one, Layers) and one.lengths or has_seq_len_max(one))


def call_without_waits(operation: Operation, stage: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor],
                       call: _runtime.Call, target: str, device: str = "cuda") -> None:
    """The call of GPU kernels in the order of the stream of `call`. The host does not wait for values of the device:
    lengths are not checked but clamped, and `seq_len_max` becomes masks."""
    first, values, n = inputs[0], list(inputs), operation.primals
    masks: Optional[_masks.Masks] = None
    one, slices = one_member(operation, inputs)
    if isinstance(one, Layers) and one.lengths:
        values[n] = values[n].to(first.device, non_blocking=True).clamp(0, one.sizes(*slices).steps)
    elif has_seq_len_max(operation):
        masks = _masks.Masks(operation, inputs)
        values, operation = masks.inputs(inputs), without_seq_len_max(operation)
    module, name, completed = operation.gpu_function(DTYPES[first.dtype], stage, *values)
    missing = operation.missing(*values) if completed else None
    every = _arguments(operation, values, outputs, missing)
    function = _runtime.load_library(_variants.library_path(module, target, device))[name]
    _run(function, operation, values, every, bool(missing), call)
    if masks is not None:
        for value in outputs[:1] if stage == "backward" else outputs:
            masks.fill(value)


def _needs_flat(operation: Operation, x: Tensor) -> bool:
    """Whether several operands with parameters must become one: no kernel of a GPU reads them."""
    return has_tensors(operation) and (not x.is_cpu or _empty_batch(operation, x))


def _with_flat(function: Any, operation: Operation, values: Sequence[Tensor], *options: Any) -> Tuple[List[Tensor], List[Tensor]]:
    """The results of `function` with the parameters as one flat tensor, and the parameters."""
    assert isinstance(operation, Layers)
    first, end = operation.first_tensor, operation.primals
    tensors = list(values[first:end])
    return function(operation.flat, [*values[:first], _reference.join(tensors), *values[end:]], *options), tensors


def forward(operation: Operation, operands: Sequence[Tensor], training: bool,
            defined: bool = False) -> List[Tensor]:
    """The results, and for a training pass of layers the reserve space, whose unused bytes are zero if `defined`."""
    x = operands[0]
    _check(operation, operands)
    if _needs_flat(operation, x):
        return _with_flat(forward, operation, operands, training, defined)[0]
    if recorded(*operands):
        return _ops.forward(operation, operands, training)
    stage = "forward" if training or not operation.saves else "inference"
    saves = training and operation.saves
    prepared = _prepared(operation, stage, operands)
    if prepared is not None:
        outputs = new_results(prepared, x)
    else:
        outputs = [new_tensor(x, shape) for shape in operation.shapes(*operands)]
        if saves:
            leading = operation.counts if isinstance(operation, Members) else ()
            outputs.append(new_tensor(x, (*leading, reserve_bytes(operation, operands)), torch.int8))
    if saves and defined:
        outputs[-1].zero_()
    _call(operation, stage, operands, outputs, prepared)
    return outputs


def backward(operation: Operation, values: Sequence[Tensor]) -> List[Tensor]:
    """The gradients of the primals from operands, results, cotangents and the reserve space."""
    _check(operation, values)
    if _needs_flat(operation, values[0]):
        assert isinstance(operation, Layers)
        (*gradients, flat), tensors = _with_flat(backward, operation, values)
        parts = flat.split_with_sizes([v.numel() for v in tensors])
        return [*gradients, *(part.view(v.shape).clone() for part, v in zip(parts, tensors))]
    if recorded(*values):
        return _ops.backward(operation, values)
    if not isinstance(operation, Members):
        prepared = _prepared(operation, "backward", values)
        gradients = (new_results(prepared, values[0]) if prepared is not None
                     else [new_tensor(v, v.shape) for v in values[:operation.primals]])
        _call(operation, "backward", values, gradients, prepared)
        return gradients
    gradients = [new_tensor(values[0], shape) for shape in operation.separated().gradient_shapes(*values)]
    _call(operation, "backward", values, gradients, None)
    return operation.totals(gradients)


# --- In aten ops -----------------------------------------------------------------------------------------------------

def _closed(operation: Operation, auxiliaries: Sequence[Tensor]) -> Any:
    return lambda *primals: _reference.evaluate(operation, *primals, *auxiliaries)


def _gradient(operation: Operation, auxiliaries: Sequence[Tensor], chosen: Sequence[int]) -> Any:
    """`backward` as a function of the primals and the cotangents of the results `chosen`."""
    n, count = operation.primals, len(auxiliaries)

    def gradient(operation: Operation, auxiliaries: Sequence[Tensor], *values: Tensor) -> Any:
        if isinstance(operation, Members) and operation.separate:
            one, dims = operation.one, [0 if mapped else None for mapped in operation.mapped]
            return torch.func.vmap(lambda *v: gradient(one, v[:count], *v[count:]),
                                   (*dims[n:], *dims[:n], *[0] * (len(values) - n)))(*auxiliaries, *values)
        results, transpose = torch.func.vjp(_closed(operation, auxiliaries), *values[:n])[:2]
        by_index = dict(zip(chosen, values[n:]))
        return transpose(tuple(by_index.get(k, torch.zeros_like(v)) for k, v in enumerate(results)))
    return functools.partial(gradient, operation, auxiliaries)


def second_order(operation: Operation, operands: Sequence[Tensor], cotangents: Sequence[Tensor],
                 chosen: Sequence[int], given: Sequence[Optional[Tensor]]) -> List[Tensor]:
    """The gradient of `backward` by the primals and the cotangents of the results `chosen`; `given` are the gradients
    of its results. The results of the forward pass are functions of the operands, which carry their derivatives."""
    n = operation.primals
    layer = _closed(operation, operands[n:])
    shapes = operation.gradient_shapes(*operands)
    filled = [v.new_zeros(shape) if g is None else g for g, v, shape in zip(given, operands, shapes)]

    if FUNC:
        gradient = _gradient(operation, operands[n:], chosen)
        return list(torch.func.vjp(gradient, *operands[:n], *cotangents)[1](tuple(filled)))
    graph = torch.is_grad_enabled()  # for derivatives of third order
    with torch.enable_grad():
        every = [v.view_as(v) if graph and v.requires_grad else v.detach().requires_grad_()
                 for v in (*operands[:n], *cotangents)]
        results = layer(*every[:n])
        first = torch.autograd.grad([results[k] for k in chosen], every[:n], every[n:], create_graph=True,
                                    allow_unused=True)
        kept = [(f, g) for f, g in zip(first, filled) if f is not None]
        second = torch.autograd.grad([f for f, _ in kept], every, [g for _, g in kept], allow_unused=True,
                                     create_graph=graph)
    return [torch.zeros_like(v) if g is None else g for g, v in zip(second, every)]


def vjp(operation: Operation, operands: Sequence[Tensor], cotangents: Sequence[Optional[Tensor]]) -> List[Tensor]:
    """The gradient for cotangents that the compiled one does not take: gates of a block LSTM."""
    n = operation.primals
    with torch.enable_grad():
        primals = [v if v.requires_grad else v.detach().requires_grad_() for v in operands[:n]]
        results = _reference.evaluate(operation, *primals, *operands[n:])
        kept = [(r, ct) for r, ct in zip(results, cotangents) if ct is not None]
        found = torch.autograd.grad([r for r, _ in kept], primals, [ct for _, ct in kept], allow_unused=True,
                                    create_graph=torch.is_grad_enabled())
    return [torch.zeros_like(v) if g is None else g for g, v in zip(found, operands)]


# --- Functions -------------------------------------------------------------------------------------------------------

def examples(info: Any) -> int:
    """How many examples vmap has."""
    if info.batch_size == 0:
        raise ValueError("vmap maps a dimension of size 0; compiled layers need at least one example")
    return int(info.batch_size)


def _members(function: Any, info: Any, in_dims: Any, operation: Operation, *values: Tensor) -> Any:
    """The rule of vmap: one call for all examples."""
    dims, m, size = in_dims[1:], len(operation.operand_axes), examples(info)
    if recorded(*values):  # members have no op
        out = [function.apply(operation, *(v if d is None else v.select(d, k) for v, d in zip(values, dims)))
               for k in range(size)]
        return tuple(map(torch.stack, zip(*out))), (0,) * len(out[0])
    every = Members(operation, size, tuple(d is not None for d in dims[:m]), separate=function is Gradient)
    moved = [v if d is None else v.movedim(d, 0) for v, d in zip(values, dims)]
    moved[m:] = [v.expand(size, *v.shape) if d is None else v for v, d in zip(moved[m:], dims[m:])]
    out = apply(function, every, *moved)
    return tuple(out), (0,) * len(out)


class Gradient(torch.autograd.Function):
    """`backward`, with derivatives in aten ops."""

    @staticmethod
    def forward(operation: Operation, *values: Tensor) -> Any:
        return tuple(backward(operation, values))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        operation, *values = inputs
        m, k = len(operation.operand_axes), operation.results
        ctx.operation, ctx.count = operation, len(values)
        kept = *values[:m], *values[m + k:m + k + len(operation.cotangents)]
        ctx.save_for_backward(*kept)
        ctx.save_for_forward(*kept)

    @staticmethod
    def backward(ctx: Any, *given: Any) -> Any:
        operation, values = ctx.operation, ctx.saved_tensors
        n, m, k = operation.primals, len(operation.operand_axes), operation.results
        second = second_order(operation, values[:m], values[m:], operation.cotangents, given)
        grads: List[Any] = [None] * ctx.count
        grads[:n] = second[:n]
        grads[m + k:m + k + len(operation.cotangents)] = second[n:]
        return (None, *grads)

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        operation, values = ctx.operation, ctx.saved_tensors
        n, m, k = operation.primals, len(operation.operand_axes), operation.results
        # The results of the forward pass are functions of the operands, which carry their tangents.
        chosen = (*values[:n], *values[m:])
        given = (*tangents[:n], *tangents[m + k:m + k + len(operation.cotangents)])
        dots = tuple(torch.zeros_like(v) if t is None else t for t, v in zip(given, chosen))
        return tuple(torch.func.jvp(_gradient(operation, values[n:m], operation.cotangents), chosen, dots)[1])

    @staticmethod
    def vmap(*arguments: Any) -> Any:
        return _members(Gradient, *arguments)


def _is_batched(value: Tensor) -> bool:
    """Whether a gradient is one of several, with `is_grads_batched` of torch.autograd.grad. It has no memory."""
    if FUNC:
        return bool(torch._C._functorch.is_legacy_batchedtensor(value))
    return "Batched" in repr(torch._C._dispatch_keys(value))


def gradients(operation: Operation, operands: Sequence[Tensor], results: Sequence[Tensor], reserve: Sequence[Tensor],
              cotangents: Sequence[Optional[Tensor]]) -> Sequence[Tensor]:
    """The gradients of the primals in the backward pass of a node of autograd. `results` are empty where the gradient does not read
    them, `reserve` where the operation saves nothing, and `cotangents` None for results that the program does not use."""
    if any(v is not None and (i not in operation.cotangents or _is_batched(v))
           for i, v in enumerate(cotangents[:operation.results])):
        return vjp(operation, operands, cotangents[:operation.results])
    given = [cotangents[i] for i in operation.cotangents]
    shapes = operation.shapes(*operands) if any(v is None for v in given) else ()
    chosen = [operands[0].new_zeros(shapes[i]) if v is None else v for i, v in zip(operation.cotangents, given)]
    # Layers have all cotangents, which replace results that are not read.
    values = (*operands, *(results or chosen), *chosen, *reserve)
    # Without derivatives of higher order, the node of autograd would have no use.
    return apply(Gradient, operation, *values) if torch.is_grad_enabled() or transformed() else backward(operation, values)


class Forward(torch.autograd.Function):
    """`forward` of a training pass; its gradient is `Gradient`, its jvp is in aten ops."""

    @staticmethod
    def forward(operation: Operation, *operands: Tensor) -> Any:
        return tuple(forward(operation, operands, training=True))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        operation, *operands = inputs
        ctx.operation = operation
        # The host's gradient of layers reads no results, so a program may change them.
        ctx.keeps_results = not operation.saves or operands[0].device.type != "cpu"
        ctx.save_for_backward(*operands, *output[0 if ctx.keeps_results else operation.results:])
        ctx.save_for_forward(*operands)
        ctx.mark_non_differentiable(*output[operation.results:])
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        operation, values = ctx.operation, ctx.saved_tensors
        m, k = len(operation.operand_axes), operation.results if ctx.keeps_results else 0
        found = gradients(operation, values[:m], values[m:m + k], values[m + k:], cotangents)
        return (None, *found, *[None] * (m - operation.primals))

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        operation, operands = ctx.operation, ctx.saved_tensors[:len(ctx.operation.operand_axes)]
        n = operation.primals
        if not FUNC:
            raise NotImplementedError("forward mode needs PyTorch 2")
        dots = tuple(torch.zeros_like(v) if t is None else t for t, v in zip(tangents, operands[:n]))
        out = torch.func.jvp(_closed(operation, operands[n:]), tuple(operands[:n]), dots)[1]
        return (*out, None) if operation.saves else tuple(out)

    @staticmethod
    def vmap(*arguments: Any) -> Any:
        return _members(Forward, *arguments)


def fold(operation: Operation, operands: Sequence[Tensor], dims: Sequence[Optional[int]], size: int) -> List[Tensor]:
    """The operands of one call for the `size` examples of vmap, which become a part of the batch."""
    def fold_one(value: Tensor, dim: Optional[int], axis: int) -> Tensor:
        value = value.expand(size, *value.shape) if dim is None else value.movedim(dim, 0)
        return value.movedim(0, axis).flatten(axis, axis + 1)
    return [v if axis is None else fold_one(v, d, axis) for v, d, axis in zip(operands, dims, operation.operand_axes)]


class Mapped(Forward):
    """`Forward` where vmap is the innermost transformation: all examples are one batch for the transformations around it,
    unless an operand that they would share is mapped."""

    @staticmethod
    def vmap(info: Any, in_dims: Any, operation: Operation, *operands: Tensor) -> Any:
        dims, axes, size = in_dims[1:], operation.operand_axes, examples(info)
        if any(d is not None for d, axis in zip(dims, axes) if axis is None):
            return _members(Forward, info, in_dims, operation, *operands)

        out = run_forward(operation, fold(operation, operands, dims, size))
        k = operation.results
        results = [v.unflatten(axis, (size, -1)) for v, axis in zip(out, operation.result_axes)]
        # The reserve space belongs to the whole batch, and the code below vmap has its gradient.
        return (*results, *out[k:]), (*operation.result_axes, *[None] * (len(out) - k))


def run_forward(operation: Operation, operands: Sequence[Tensor]) -> Any:
    """`Forward` under the active transformations."""
    innermost = torch._C._functorch.peek_interpreter_stack() if FUNC else None
    mapped = innermost is not None and innermost.key() == torch._C._functorch.TransformType.Vmap
    return apply(Mapped if mapped else Forward, operation, *operands)


def storage_of(value: Tensor) -> Any:
    """The storage of a tensor."""
    return value.untyped_storage() if hasattr(value, "untyped_storage") else value.storage()


def parts(gradient: Tensor, tensors: Sequence[Tensor]) -> List[Tensor]:
    """The gradients of `tensors`, which are the first parts of a flat array, from its own: views, where autograd does not record
    them. Zeros may follow in the array, for biases that a layer lacks."""
    sizes = [v.numel() for v in tensors]
    found = gradient.split_with_sizes([*sizes, gradient.numel() - sum(sizes)])
    if torch.is_grad_enabled():  # PyTorch refuses to change one of several views in place if it records that
        found = [part.clone() for part in found]
    return [part.view(v.shape) for part, v in zip(found, tensors)]


class Flat(torch.autograd.Function):
    """Parameters that are parts of `flat`, as `flat`. Their gradients are views of its gradient."""

    @staticmethod
    def forward(flat: Tensor, *tensors: Tensor) -> Any:
        return flat.detach()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs[1:])  # their versions: an update in place before the gradient is an error

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return (None, *parts(gradient, ctx.saved_tensors))


@functools.lru_cache(maxsize=None)
def _with_context(function: Any) -> Any:
    """The same function, whose `forward` receives the context: all that PyTorch 1 has, and what PyTorch 2 applies faster, as it
    inspects the signature of a `forward` without context in each call."""
    def run(ctx: Any, *inputs: Any) -> Any:
        output = function.forward(*inputs)
        function.setup_context(ctx, inputs, output)
        return output
    members = {"forward": staticmethod(run)}
    if FUNC:  # not overridden
        members["setup_context"] = staticmethod(torch.autograd.Function.setup_context)
    return type(function.__name__, (function,), members)


def apply(function: Any, *inputs: Any) -> Any:
    """`function.apply` in this version of PyTorch. A transformation of torch.func needs a `forward` without context."""
    in_transformation = FUNC and torch._C._functorch.peek_interpreter_stack() is not None
    return (function if in_transformation else _with_context(function)).apply(*inputs)
