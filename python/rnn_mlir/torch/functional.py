# functional.py - the layers as functions of tensors: on the ops of torch.library while torch.compile traces, on
# autograd.Functions otherwise.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled recurrent layers as functions of tensors."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor

from .._layers import check_clip, check_layout, check_mode, check_reset_to, params_size
from .._operations import BlockLSTM, Layers, Operation
from . import _calls, _library, _memory, _reference

#: torch.is_autocast_enabled takes a type of devices.
FROM_2_4 = hasattr(torch, "get_autocast_dtype")


def _expect(name: str, given: Sequence[int], shape: Sequence[int]) -> None:
    if tuple(given) != tuple(shape):
        raise ValueError(f"`{name}` has shape {tuple(given)}; expected {tuple(shape)}")


def _tensors(**values: Any) -> None:
    for name, value in values.items():
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"`{name}` is a {type(value).__name__}; expected a Tensor")


def _one_type(**values: Optional[Tensor]) -> None:
    """Checks that the tensors have the type of the first one, and that it is one of the dialect."""
    (first, x), *others = values.items()
    if x.dtype not in _memory.DTYPES:  # type: ignore[union-attr]
        raise TypeError(f"`{first}` has dtype {x.dtype}; expected one of "  # type: ignore[union-attr]
                        f"{', '.join(map(str, _memory.DTYPES))}")
    for name, value in others:
        if value is not None and value.dtype != x.dtype:  # type: ignore[union-attr]
            raise TypeError(f"`{name}` has dtype {value.dtype}, but `{first}` has "
                            f"{x.dtype}; cast one of them")  # type: ignore[union-attr]


def _integers(name: str, value: Tensor) -> Tensor:
    """As int32. Values of another type would be truncated, and larger ones would wrap around."""
    if value.dtype is torch.int32:
        return value
    if value.is_floating_point() or value.is_complex() or value.dtype is torch.bool:
        raise TypeError(f"`{name}` has dtype {value.dtype}; expected integers")
    return value.clamp(-1, 2 ** 31 - 1).to(torch.int32)


def autocast_type(kind: str) -> Any:
    """The type of torch.autocast where it is active on devices of this type, else None."""
    if kind not in ("cpu", "cuda"):
        return None
    if FROM_2_4:
        return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else None
    if kind == "cpu":
        return torch.get_autocast_cpu_dtype() if torch.is_autocast_cpu_enabled() else None
    return torch.get_autocast_gpu_dtype() if torch.is_autocast_enabled() else None


def _autocast(*values: Optional[Tensor]) -> Sequence[Any]:
    """The operands in the type of torch.autocast where it is active, as those of torch.nn's layers."""
    first = values[0]
    dtype = autocast_type(first.device.type if first is not None else "cpu")
    if dtype is None:
        return values
    return [v if v is None or v.dtype is torch.float64 or not v.is_floating_point() else v.to(dtype) for v in values]


def _in_aten(operands: Sequence[Tensor]) -> bool:
    """Whether forward mode is active in a form in which PyTorch does not ask a Function for its tangent, or only once: nested
    `torch.func.jvp`, whose outer tangent would be a silent zero, and `torch.autograd.forward_ad`."""
    if torch.autograd.forward_ad._current_level < 0:
        return False
    stack = torch._C._functorch.get_interpreter_stack()
    if not stack:
        return any(torch.autograd.forward_ad.unpack_dual(v).tangent is not None for v in operands)
    return sum(bool(level.key() == torch._C._functorch.TransformType.Jvp) for level in stack) != 1


def _run(operation: Operation, operands: Sequence[Tensor]) -> Tuple[Tensor, ...]:
    if _calls.FUNC and _in_aten(operands):
        return _reference.evaluate(operation, *operands)
    differentiated = torch.is_grad_enabled() and any(v.requires_grad for v in operands[:operation.primals])
    if differentiated or _calls.transformed():
        return tuple(_calls.run_forward(operation, operands)[:operation.results])
    return tuple(_calls.forward(operation, operands, training=False))


def _has_tangents() -> bool:
    """Whether forward mode may be active in a program that is compiled. The ops have no tangents."""
    return bool(_calls.FUNC and torch.autograd.forward_ad._current_level >= 0)


def traced() -> bool:
    """Whether tensors may be those of a transformation or of a trace, which have no memory."""
    return _library.compiling() or _calls.transformed() or _calls.recorded()


def check_layers(mode: str, bidirectional: bool, num_proj: int, batch_first: bool, reset_to: str, x: Sequence[int],
                  h0: Sequence[int], c0: Optional[Sequence[int]], params: Sequence[int], lengths: Optional[Sequence[int]],
                  resets: Optional[Sequence[int]]) -> Layers:
    """The operation for operands of these shapes. Raises for shapes that do not fit."""
    check_reset_to(reset_to)
    check_mode(mode)
    if (c0 is not None) != (mode == "lstm"):
        raise ValueError(f"`c0` is {'not ' if c0 is None else ''}given; mode lstm needs it, the others have none")
    directions = 2 if bidirectional else 1
    if len(x) != 3 or len(h0) != 3:
        raise ValueError(f"`x` and `h0` have shapes {tuple(x)} and {tuple(h0)}; expected [T, B, I] and [L*D, B, P]")
    if isinstance(x[1 if batch_first else 0], int) and not x[1 if batch_first else 0]:
        raise ValueError(f"the sequence has shape {tuple(x)}, which is no step; expected at least one")
    if c0 is not None and len(c0) != 3:
        raise ValueError(f"`c0` has shape {tuple(c0)}; expected [L*D, B, H]")
    hidden = h0[2] if c0 is None else c0[2]
    stacked, batch = h0[0], x[0 if batch_first else 1]
    _expect("h0", h0, (stacked, batch, num_proj or hidden))
    if c0 is not None:
        _expect("c0", c0, (stacked, batch, hidden))
    _expect("params", params, (params_size(mode, x[2], hidden, stacked // directions, directions, num_proj),))
    if lengths is not None:
        _expect("lengths", lengths, (batch,))
    if resets is not None:
        _expect("resets", resets, x[:2])
    return Layers(mode, "bidirectional" if bidirectional else "unidirectional", num_proj, lengths is not None,
                  reset_to if resets is not None else "", batch_first)


_check_known_layers = functools.lru_cache(maxsize=4096)(check_layers)


def layers(mode: str, x: Tensor, h0: Tensor, c0: Optional[Tensor], params: Union[Tensor, Sequence[Tensor]], *,
           lengths: Optional[Tensor] = None, resets: Optional[Tensor] = None, reset_to: str = "zero",
           bidirectional: bool = False, num_proj: int = 0, batch_first: bool = False) -> Tuple[Tensor, ...]:
    """A stack without dropout: `y [T, B, D*P]`, `hn`, and for mode lstm `cn`.

    `x` is [T, B, I], or with `batch_first` [B, T, I], and `y` likewise; `h0` [L*D, B, P], `c0` [L*D, B, H], `params` flat: all matrices, then all biases
    (docs/Semantics.md, "Parameter layout"), or a list of them, which a program that is compiled does not copy: W, R[, Wr] of each
    pseudo layer, then bW, bR of each. `lengths` is int32 [B], and `resets` are bool, shaped like the
    first two dimensions of `x`.
    """
    several = isinstance(params, (list, tuple))
    if x is None or h0 is None or params is None or (several and not params):
        raise ValueError("`x`, `h0` and `params` are needed")
    given = {f"params[{k}]": v for k, v in enumerate(params)} if several else {"params": params}
    _tensors(x=x, h0=h0, c0=c0, **given, lengths=lengths, resets=resets)
    x, h0, c0, *tensors = _autocast(x, h0, c0, *given.values())
    compiling = _library.compiling()
    elements = (sum(v.numel() for v in tensors),) if several else tensors[0].shape
    # Symbolic sizes have no hash.
    check = check_layers if compiling or _calls.recorded(x) else _check_known_layers
    shapes: List[Any] = [None if v is None else v.shape for v in (x, h0, c0, lengths, resets)]
    shapes.insert(3, elements)
    operation = check(mode, bidirectional, num_proj, batch_first, reset_to, *shapes)
    _one_type(x=x, **dict(zip(given, tensors)), h0=h0, c0=c0)
    if lengths is not None:
        lengths = _integers("lengths", lengths)
    if resets is not None:
        resets = resets.to(torch.bool)
    if several:
        operation = dataclasses.replace(operation, tensors=len(tensors))
    operands = [v for v in (x, h0, c0, *tensors, lengths, resets) if v is not None]
    if several and not compiling:
        operation.check_tensors(*operands)
        operands[operation.first_tensor:operation.primals] = [_reference.join(tensors)]
        return _run(operation.flat, operands)
    if compiling and _has_tangents():
        return _reference.evaluate(operation, *operands)
    if compiling:
        # A program of torch.jit.trace may be differentiated later.
        training = torch.is_grad_enabled() or not torch.compiler.is_compiling()
        op = torch.ops.rnn_mlir.cudnn_forward_separate if several else torch.ops.rnn_mlir.cudnn_forward
        y, hn, cn, _ = op(x, h0, c0, tensors if several else tensors[0], lengths, resets, mode, bidirectional, num_proj,
                          reset_to, batch_first, training)
        return (y, hn) if c0 is None else (y, hn, cn)
    return _run(operation, operands)


class BlockLSTMResults(NamedTuple):
    """All `[T, B, H]`, or `[B, T, H]` with `batch_first`: input gate, cell state, forget gate, output gate, cell candidate, tanh of the cell, hidden state."""

    i: Tensor
    cs: Tensor
    f: Tensor
    o: Tensor
    ci: Tensor
    co: Tensor
    h: Tensor


def block_lstm(x: Tensor, cs_prev: Tensor, h_prev: Tensor, w: Tensor, b: Tensor, *, wci: Optional[Tensor] = None,
               wcf: Optional[Tensor] = None, wco: Optional[Tensor] = None, seq_len_max: Any = None,
               resets: Optional[Tensor] = None, reset_to: str = "zero", layout: str = "ifco",
               forget_bias: float = 0.0, cell_clip: float = 0.0, batch_first: bool = False) -> BlockLSTMResults:
    """TensorFlow's BlockLSTM (`layout` icfo) and BlockLSTMV2 (ifco): one layer with explicit matrices.

    `x` is [T, B, I], or [B, T, I] with `batch_first`; `resets` are shaped like its first two dimensions. `cs_prev` and `h_prev` are [B, H], `w` is [I + H, 4H], `b` is [4H]; the peephole weights are [H],
    all or none. Results are zero from step `seq_len_max` on. The gradient ignores `cell_clip`, as TensorFlow's does.
    Derivatives by `cs` and `h` are computed by compiled code, those by the others in aten ops.
    """
    check_layout(layout)
    check_reset_to(reset_to)
    _tensors(x=x, cs_prev=cs_prev, h_prev=h_prev, w=w, b=b, wci=wci, wcf=wcf, wco=wco, resets=resets)
    x, cs_prev, h_prev, w, b, wci, wcf, wco = _autocast(x, cs_prev, h_prev, w, b, wci, wcf, wco)
    if x.dim() != 3 or cs_prev.dim() != 2:
        raise ValueError(f"`x` and `cs_prev` have shapes {tuple(x.shape)} and {tuple(cs_prev.shape)}; expected [T, B, I] and "
                         "[B, H]")
    (batch, inputs), hidden = (x.shape[0 if batch_first else 1], x.shape[2]), cs_prev.shape[1]
    given = [v is not None for v in (wci, wcf, wco)]
    if any(given) and not all(given):
        raise ValueError("pass all of `wci`, `wcf` and `wco`, or none")
    _one_type(x=x, w=w, b=b, cs_prev=cs_prev, h_prev=h_prev, wci=wci, wcf=wcf, wco=wco)
    # Under vmap, zeros like `x` would be mapped.
    peephole = [b.new_zeros(hidden) if v is None else v for v in (wci, wcf, wco)]
    _expect("b", b.shape, (4 * hidden,))
    if forget_bias:  # in the bias, whose gradient it does not change
        gate = 2 if layout == "icfo" else 1
        shift = b.new_zeros(4 * hidden)
        shift[gate * hidden:(gate + 1) * hidden] = forget_bias
        b = b + shift
    shapes = (x.shape, (batch, hidden), (batch, hidden), (inputs + hidden, 4 * hidden),
              (hidden,), (hidden,), (hidden,), (4 * hidden,))
    operands = [x, cs_prev, h_prev, w, *peephole, b]
    for name, value, shape in zip(("x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"), operands, shapes):
        _expect(name, value.shape, shape)
    n = None if seq_len_max is None else _integers("seq_len_max", torch.as_tensor(seq_len_max))
    if n is not None and n.numel() != 1:
        raise ValueError(f"`seq_len_max` has shape {tuple(n.shape)}; expected one integer")
    n = None if n is None else n.reshape(())
    if resets is not None:
        _expect("resets", resets.shape, x.shape[:2])
        resets = resets.to(torch.bool)
    every = [*operands, *(v for v in (n, resets) if v is not None)]
    operation = BlockLSTM(layout, all(given), check_clip(cell_clip), n is not None, reset_to if resets is not None else "",
                          batch_first)
    if _library.compiling() and _has_tangents():
        return BlockLSTMResults(*_reference.evaluate(operation, *every))
    if _library.compiling():
        return BlockLSTMResults(*torch.ops.rnn_mlir.block_lstm(*operands, n, resets, layout, all(given), cell_clip,
                                                               reset_to, batch_first))
    return BlockLSTMResults(*_run(operation, every))
