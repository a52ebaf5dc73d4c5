# _library.py - the ops of torch.library: what torch.compile and torch.export see. They need PyTorch 2.4.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rnn_mlir::cudnn_forward, cudnn_backprop, block_lstm and block_lstm_grad; and the first two with a list of parameters, in the
order of the flat tensor, which no call copies on the CPU."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

import torch
from torch import Tensor

from .._layers import check_layout, check_mode, check_reset_to, reserve_size
from .._operations import BlockLSTM, Layers, Operation
from . import _calls
from ._memory import DTYPES
from ._ops import AVAILABLE, no_cell

_LAYERS = "Tensor input, Tensor input_h, Tensor? input_c, Tensor params, Tensor? sequence_lengths, Tensor? resets"
_SEPARATE = _LAYERS.replace("Tensor params", "Tensor[] params")
_LAYERS_OPTIONS = "str mode, bool bidirectional, int num_proj, str reset_to, bool batch_major"
_BLOCK = ("Tensor x, Tensor cs_prev, Tensor h_prev, Tensor w, Tensor wci, Tensor wcf, Tensor wco, Tensor b, "
          "Tensor? seq_len_max, Tensor? resets")
_BLOCK_OPTIONS = "str layout, bool use_peephole, float cell_clip, str reset_to, bool batch_major"
_FOUR = "(Tensor, Tensor, Tensor, Tensor)"
_SCHEMAS = (
    f"cudnn_forward({_LAYERS}, {_LAYERS_OPTIONS}, bool is_training) -> {_FOUR}",
    f"cudnn_backprop({_LAYERS}, Tensor output, Tensor output_h, Tensor output_c, Tensor output_backprop, "
    f"Tensor output_h_backprop, Tensor output_c_backprop, Tensor reserve_space, {_LAYERS_OPTIONS}) -> {_FOUR}",
    f"cudnn_forward_separate({_SEPARATE}, {_LAYERS_OPTIONS}, bool is_training) -> {_FOUR}",
    f"cudnn_backprop_separate({_SEPARATE}, Tensor output, Tensor output_h, Tensor output_c, Tensor output_backprop, "
    f"Tensor output_h_backprop, Tensor output_c_backprop, Tensor reserve_space, {_LAYERS_OPTIONS}) -> "
    "(Tensor, Tensor, Tensor, Tensor[])",
    f"block_lstm({_BLOCK}, {_BLOCK_OPTIONS}) -> ({', '.join(['Tensor'] * 7)})",
    f"block_lstm_grad({_BLOCK}, Tensor i, Tensor cs, Tensor f, Tensor o, Tensor ci, Tensor co, Tensor h, "
    f"Tensor cs_grad, Tensor h_grad, {_BLOCK_OPTIONS}) -> ({', '.join(['Tensor'] * 8)})",
)


def _each(values: Sequence[Any]) -> List[Any]:
    """The values, and those of the lists among them."""
    return [v for value in values for v in (value if isinstance(value, (list, tuple)) else [value])]


def _layers(operands: Sequence[Any], mode: str, bidirectional: bool, num_proj: int,
            reset_to: str, batch_major: bool) -> Tuple[Layers, List[Tensor]]:
    params, lengths, resets = operands[3:6]
    tensors = len(params) if isinstance(params, (list, tuple)) else 0
    check_mode(mode)
    check_reset_to(reset_to)
    operation = Layers(mode, "bidirectional" if bidirectional else "unidirectional", num_proj, lengths is not None,
                       reset_to if resets is not None else "", batch_major, tensors)
    if operation.cell != (operands[2] is not None):
        raise ValueError(f"`input_c` exists for lstm and no other mode, but the mode is {mode}")
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError("`params` has no tensors")
    return operation, [v for v in _each(operands) if v is not None]


def _one_call(operands: Sequence[Any], *options: Any) -> Tuple[Layers, List[Tensor]]:
    """`_layers` of operands that no vmap maps."""
    for name, value in zip(("input", "input_h", "input_c"), operands):
        if value is not None and value.dim() != 3:
            raise ValueError(f"`{name}` has shape {tuple(value.shape)}; expected {'[T, B, I]' if name == 'input' else '[L*D, B, columns]'}")
    return _layers(operands, *options)


def _block(operands: Sequence[Optional[Tensor]], layout: str, use_peephole: bool, cell_clip: float,
           reset_to: str, batch_major: bool) -> Tuple[Operation, List[Tensor]]:
    n, resets = operands[8:10]
    check_layout(layout)
    check_reset_to(reset_to)
    operation = BlockLSTM(layout, use_peephole, cell_clip, n is not None, reset_to if resets is not None else "",
                          batch_major)
    return operation, [v for v in operands if v is not None]


# Each op has the arguments: operands, then for a gradient its values, then 5 options.

def _cudnn_forward(*arguments: Any) -> Any:
    operation, operands = _one_call(arguments[:6], *arguments[6:11])
    # Equal operands must have equal results: opcheck and the caches of torch.compile rely on it.
    y, hn, *rest = _calls.forward(operation, operands, arguments[11], defined=True)
    cn = rest.pop(0) if operation.results == 3 else no_cell(y)
    return y, hn, cn, rest[0] if rest else y.new_empty(0, dtype=torch.int8)


def _symbolic_reserve_bytes(operation: Layers, operands: Sequence[Any]) -> Any:
    """The bytes for sizes of which torch.compile knows only symbols."""
    return reserve_size(operation.mode, operation.directions, DTYPES[operands[0].dtype], operation.sizes(*operands))


def _cudnn_forward_fake(*arguments: Any) -> Any:
    operation, operands = _one_call(arguments[:6], *arguments[6:11])
    x = operands[0]
    y, hn, *cn = [x.new_empty(shape) for shape in operation.shapes(*operands)]
    size: Any = 0
    if arguments[11]:
        known = all(isinstance(n, int) for v in operands for n in v.shape)
        size = _calls.reserve_bytes(operation, operands) if known else _symbolic_reserve_bytes(operation, operands)
    return y, hn, cn[0] if cn else no_cell(x), x.new_empty(size, dtype=torch.int8)


def _backprop_values(arguments: Sequence[Any]) -> Tuple[Layers, List[Tensor]]:
    operation, operands = _one_call(arguments[:6], *arguments[13:18])
    y, hn, cn, dy, dhn, dcn, reserve = arguments[6:13]
    return operation, operands + ([y, hn, cn, dy, dhn, dcn, reserve] if operation.results == 3 else
                                  [y, hn, dy, dhn, reserve])


def _four(operation: Layers, gradients: Sequence[Any]) -> Any:
    """dx, dh0, dc0, dparams, which is a list if the parameters are one."""
    first = operation.first_tensor
    states = list(gradients[:first]) if operation.cell else [*gradients[:first], no_cell(gradients[0])]
    return (*states, list(gradients[first:]) if operation.tensors else gradients[first])


def _cudnn_backprop(*arguments: Any) -> Any:
    operation, values = _backprop_values(arguments)
    return _four(operation, _calls.backward(operation, values))


def _cudnn_backprop_fake(*arguments: Any) -> Any:
    operation, values = _backprop_values(arguments)
    return _four(operation, [v.new_empty(v.shape) for v in values[:operation.primals]])


def _block_lstm(*arguments: Any) -> Any:
    operation, operands = _block(arguments[:10], *arguments[10:])
    return tuple(_calls.forward(operation, operands, training=True))


def _block_lstm_fake(*arguments: Any) -> Any:
    operation, operands = _block(arguments[:10], *arguments[10:])
    return tuple(operands[0].new_empty(shape) for shape in operation.shapes(*operands))


def _block_lstm_grad(*arguments: Any) -> Any:
    operation, operands = _block(arguments[:10], *arguments[19:])
    return tuple(_calls.backward(operation, [*operands, *arguments[10:19]]))


def _block_lstm_grad_fake(*arguments: Any) -> Any:
    return tuple(v.new_empty(v.shape) for v in arguments[:8])


# --- Derivatives -----------------------------------------------------------------------------------------------------

def _save(ctx: Any, tensors: Sequence[Any], options: Sequence[Any]) -> None:
    ctx.save_for_backward(*_each(tensors))
    ctx.lists = [len(v) if isinstance(v, (list, tuple)) else -1 for v in tensors]
    ctx.options = tuple(options)


def _saved(ctx: Any) -> List[Any]:
    """The tensors of `_save`, with the same lists."""
    values = iter(ctx.saved_tensors)
    return [next(values) if n < 0 else [next(values) for _ in range(n)] for n in ctx.lists]


def _cudnn_setup(ctx: Any, inputs: Any, output: Any) -> None:
    _save(ctx, (*inputs[:6], *output), inputs[6:11])
    ctx.training = inputs[11]
    ctx.mark_non_differentiable(output[3])


def _cudnn_gradient(ctx: Any, dy: Tensor, dhn: Tensor, dcn: Tensor, _: Any) -> Any:
    if not ctx.training:
        raise RuntimeError("rnn_mlir::cudnn_forward has no gradient with is_training=False; a program that torch.compile or "
                           "torch.export recorded without gradients must be recorded with them")
    *inputs, y, hn, cn, reserve = _saved(ctx)
    ops = torch.ops.rnn_mlir
    backprop = ops.cudnn_backprop_separate if isinstance(inputs[3], list) else ops.cudnn_backprop
    dx, dh0, dc0, dparams = backprop(*inputs, y, hn, cn, dy, dhn, dcn, reserve, *ctx.options)
    return (dx, dh0, None if inputs[2] is None else dc0, dparams, *[None] * 8)


def _backprop_setup(ctx: Any, inputs: Any, output: Any) -> None:
    _save(ctx, (*inputs[:6], *inputs[9:12]), inputs[13:18])


def _backprop_gradient(ctx: Any, *given: Any) -> Any:
    *inputs, dy, dhn, dcn = _saved(ctx)
    operation, operands = _layers(inputs, *ctx.options)
    cell, first = operation.results == 3, operation.first_tensor
    every = _each([*given[:first], given[3]])
    second = _calls.second_order(operation, operands, (dy, dhn, dcn) if cell else (dy, dhn), operation.cotangents, every)
    primals: List[Any] = [*second[:first], *[None] * (not cell), second[first:operation.primals] if operation.tensors else
                          second[first]]
    cotangents: List[Any] = [*second[operation.primals:], *[None] * (not cell)]
    return (*primals, None, None, None, None, None, *cotangents, *[None] * 6)


def _block_setup(ctx: Any, inputs: Any, output: Any) -> None:
    _save(ctx, (*inputs[:10], *output), inputs[10:])
    ctx.set_materialize_grads(False)


def _block_gradient(ctx: Any, *cotangents: Any) -> Any:
    saved = ctx.saved_tensors
    operation, operands = _block(saved[:10], *ctx.options)
    if any(cotangents[k] is not None for k in range(operation.results) if k not in operation.cotangents):
        out = _calls.vjp(operation, operands, cotangents)
    else:
        cs, h = saved[11], saved[16]
        given = (torch.zeros_like(v) if ct is None else ct for v, ct in ((cs, cotangents[1]), (h, cotangents[6])))
        out = torch.ops.rnn_mlir.block_lstm_grad(*saved, *given, *ctx.options)
    return (*out, *[None] * 7)


def _block_grad_setup(ctx: Any, inputs: Any, output: Any) -> None:
    _save(ctx, (*inputs[:10], *inputs[17:19]), inputs[19:])


def _block_grad_gradient(ctx: Any, *given: Any) -> Any:
    *inputs, dcs, dh = ctx.saved_tensors
    operation, operands = _block(inputs, *ctx.options)
    second = _calls.second_order(operation, operands, (dcs, dh), operation.cotangents, given)
    return (*second[:8], *[None] * 9, *second[8:], *[None] * 5)


# --- vmap ------------------------------------------------------------------------------------------------------------

def _map_forward(name: str, parse: Callable[..., Tuple[Operation, List[Tensor]]], count: int) -> Callable[..., Any]:
    """The rule of a forward op with `count` operands, as that of `_calls.Mapped`. Without a rule, PyTorch calls the op once for
    each example, with a warning."""
    def rule(info: Any, in_dims: Any, *arguments: Any) -> Any:
        op, size = getattr(torch.ops.rnn_mlir, name), _calls.examples(info)
        operation, operands = parse(arguments[:count], *arguments[count:count + 5])
        dims = [d for d, v in zip(_each(in_dims[:count]), _each(arguments[:count])) if v is not None]
        if any(d is not None for d, axis in zip(dims, operation.operand_axes) if axis is None):
            def one(value: Any, dim: Any, k: int) -> Any:
                if isinstance(value, (list, tuple)):
                    return [one(v, d, k) for v, d in zip(value, dim)]
                return value if dim is None else value.select(dim, k)
            out = [op(*(one(v, d, k) for v, d in zip(arguments, in_dims))) for k in range(size)]
            return tuple(map(torch.stack, zip(*out))), (0,) * len(out[0])
        folded = iter(_calls.fold(operation, operands, dims, size))

        def next_of(value: Any) -> Any:
            if isinstance(value, (list, tuple)):
                return [next(folded) for _ in value]
            return None if value is None else next(folded)
        out = op(*map(next_of, arguments[:count]), *arguments[count:])
        k = operation.results
        results = [v.unflatten(axis, (size, v.shape[axis] // size)) for v, axis in zip(out, operation.result_axes)]
        # The reserve space belongs to the whole batch, and the code below vmap has its gradient.
        return (*results, *(v.new_empty(0) for v in out[k:])), (*operation.result_axes, *[None] * (len(out) - k))
    return rule


if AVAILABLE:
    _library = torch.library.Library("rnn_mlir", "DEF")
    for _schema in _SCHEMAS:
        _library.define(_schema, tags=(torch.Tag.pt2_compliant_tag,))
    _OPS: Tuple[Tuple[str, Callable[..., Any], Callable[..., Any], Callable[..., Any], Callable[..., Any]], ...] = (
        ("cudnn_forward", _cudnn_forward, _cudnn_forward_fake, _cudnn_gradient, _cudnn_setup),
        ("cudnn_backprop", _cudnn_backprop, _cudnn_backprop_fake, _backprop_gradient, _backprop_setup),
        ("cudnn_forward_separate", _cudnn_forward, _cudnn_forward_fake, _cudnn_gradient, _cudnn_setup),
        ("cudnn_backprop_separate", _cudnn_backprop, _cudnn_backprop_fake, _backprop_gradient, _backprop_setup),
        ("block_lstm", _block_lstm, _block_lstm_fake, _block_gradient, _block_setup),
        ("block_lstm_grad", _block_lstm_grad, _block_lstm_grad_fake, _block_grad_gradient, _block_grad_setup),
    )
    for _name, _kernel, _fake, _gradient, _setup in _OPS:
        for _device in ("CPU", "CUDA"):
            _library.impl(_name, _kernel, _device)
        torch.library.register_fake(f"rnn_mlir::{_name}", _fake, lib=_library)
        torch.library.register_autograd(f"rnn_mlir::{_name}", _gradient, setup_context=_setup, lib=_library)
    if hasattr(torch.library, "register_vmap"):  # PyTorch 2.5
        for _name, _parse, _count in (("cudnn_forward", _layers, 6), ("cudnn_forward_separate", _layers, 6), ("block_lstm", _block, 10)):
            torch.library.register_vmap(f"rnn_mlir::{_name}", _map_forward(_name, _parse, _count), lib=_library)


def compiling() -> bool:
    """Whether calls are recorded, which must then be ops: by torch.compile, torch.export or torch.jit.trace."""
    if AVAILABLE and torch.compiler.is_compiling():
        return True
    if not torch.jit.is_tracing():
        return False
    if torch.onnx.is_in_onnx_export():
        raise NotImplementedError("ONNX has no op for layers of rnn_mlir.torch; replace each by its `to_torch()` before the export")
    if not AVAILABLE:
        raise NotImplementedError("torch.jit.trace of compiled layers needs PyTorch 2.4")
    return True
