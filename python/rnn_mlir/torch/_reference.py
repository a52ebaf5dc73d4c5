# _reference.py - the layers in differentiable aten ops: the source of tangents and second derivatives.
# docs/Semantics.md has the equations.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers in aten ops."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, List, Optional, Sequence, Tuple

import torch
from torch import Tensor

from .._layers import GATES, PseudoLayer, split_params
from .._operations import BlockLSTM, Layers, Members, Operation


def join(tensors: Sequence[Tensor]) -> Tensor:
    """The elements of all tensors, as a flat tensor of parameters has them."""
    return torch.cat([v.reshape(-1) for v in tensors])


def _pick(mask: Optional[Tensor], a: Any, b: Any) -> Any:
    return a if mask is None or a is None else torch.where(mask[:, None], a, b)


def _run(mode: str, weights: PseudoLayer, x: Tensor, h0: Tensor, c0: Optional[Tensor], valid: Optional[Tensor],
         resets: Optional[Tensor], reset_to: str, reverse: bool) -> Tuple[Tensor, Tensor, Optional[Tensor]]:
    """One pseudo layer. Returns the states of all steps, and the last ones."""
    w, r, projection, bw, br = weights
    hidden = w.shape[0] // len(GATES[mode])
    a = x @ w.t() + (bw if mode == "gru" else bw + br)
    h, c, steps, outputs = h0, c0, x.shape[0], [torch.zeros_like(h0)] * x.shape[0]
    for t in reversed(range(steps)) if reverse else range(steps):
        if resets is not None:
            initial = reset_to == "initial"
            h = _pick(resets[t], h0 if initial else torch.zeros_like(h), h)
            c = None if c is None else _pick(resets[t], c0 if initial else torch.zeros_like(c), c)
        s, next_c = h @ r.t(), c
        if mode == "lstm":
            i, f, g, o = (a[t] + s).chunk(4, 1)
            next_c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            next_h = o.sigmoid() * next_c.tanh()
            if projection is not None:
                next_h = next_h @ projection.t()
        elif mode == "gru":
            s = s + br
            reset, z = (a[t, :, :2 * hidden] + s[:, :2 * hidden]).sigmoid().chunk(2, 1)
            n = (a[t, :, 2 * hidden:] + reset * s[:, 2 * hidden:]).tanh()
            next_h = (1 - z) * n + z * h
        else:
            next_h = (a[t] + s).relu() if mode == "rnn_relu" else (a[t] + s).tanh()
        live = None if valid is None else valid[t]
        outputs[t] = _pick(live, next_h, torch.zeros_like(next_h))
        h, c = _pick(live, next_h, h), _pick(live, next_c, c)
    return torch.stack(outputs), h, c


def layers(operation: Layers, x: Tensor, h0: Tensor, c0: Optional[Tensor], params: Tensor, lengths: Optional[Tensor],
           resets: Optional[Tensor]) -> Tuple[Tensor, ...]:
    """`rnn.cudnn_forward` without dropout: y, hn and for an LSTM cn. Half precision is computed in f32."""
    dtype, directions = x.dtype, operation.directions
    compute = torch.promote_types(dtype, torch.float32)
    hidden = h0.shape[2] if c0 is None else c0.shape[2]
    pseudo = split_params(params.to(compute), operation.mode, directions, h0.shape[0] // directions, x.shape[2],
                          hidden, operation.num_proj)
    y, h0, c0 = x.to(compute), h0.to(compute), None if c0 is None else c0.to(compute)
    valid = None if lengths is None else torch.arange(x.shape[0], device=x.device)[:, None] < lengths.to(x.device)
    if valid is not None:  # padding may hold NaN, whose derivatives would be NaN
        y = torch.where(valid[:, :, None], y, torch.zeros_like(y))
        resets = None if resets is None else resets & valid
    # A mark at step t separates t-1 and t: the backward direction is reset before its step t-1.
    shifted = None if resets is None else torch.cat([resets[1:], torch.zeros_like(resets[:1])])
    hn: List[Tensor] = []
    cn: List[Any] = []
    for first in range(0, len(pseudo), directions):
        outputs = []
        for d in range(directions):
            k = first + d
            out, h, c = _run(operation.mode, pseudo[k], y, h0[k], None if c0 is None else c0[k], valid,
                             shifted if d else resets, operation.reset_to, d == 1)
            outputs.append(out)
            hn.append(h)
            cn.append(c)
        y = torch.cat(outputs, 2)
    results = [y, torch.stack(hn)] + ([] if c0 is None else [torch.stack(cn)])
    return tuple(v.to(dtype) for v in results)


def block_lstm(operation: BlockLSTM, operands: Any, seq_len_max: Optional[Tensor],
               resets: Optional[Tensor]) -> Tuple[Tensor, ...]:
    """`rnn.block_lstm`: i, cs, f, o, ci, co, h. The clip has slope 1, as in the compiled gradient."""
    dtype = operands[0].dtype
    compute = torch.promote_types(dtype, torch.float32)
    x, cs_prev, h_prev, w, wci, wcf, wco, b = (v.to(compute) for v in operands)
    inputs, peephole = x.shape[2], operation.use_peephole
    seq_len_max = None if seq_len_max is None else seq_len_max.to(x.device)
    a = x @ w[:inputs] + b
    c, h, steps = cs_prev, h_prev, []
    for t in range(x.shape[0]):
        if resets is not None:
            initial = operation.reset_to == "initial"
            c = _pick(resets[t], cs_prev if initial else torch.zeros_like(c), c)
            h = _pick(resets[t], h_prev if initial else torch.zeros_like(h), h)
        first, second, third, fourth = (a[t] + h @ w[inputs:]).chunk(4, 1)
        gate_i, gate_c, gate_f, gate_o = ((first, second, third, fourth) if operation.layout == "icfo" else
                                          (first, third, second, fourth))
        i = (gate_i + c * wci if peephole else gate_i).sigmoid()
        f = (gate_f + c * wcf if peephole else gate_f).sigmoid()
        ci = gate_c.tanh()
        cs = i * ci + f * c
        if operation.cell_clip > 0:
            cs = cs + (cs.clamp(-operation.cell_clip, operation.cell_clip) - cs).detach()
        co = cs.tanh()
        o = (gate_o + cs * wco if peephole else gate_o).sigmoid()
        step = [i, cs, f, o, ci, co, o * co]
        if seq_len_max is not None:
            step = [torch.where(seq_len_max > t, v, torch.zeros_like(v)) for v in step]
        c, h = step[1], step[6]
        steps.append(step)
    return tuple(torch.stack(values).to(dtype) for values in zip(*steps))


def evaluate(operation: Operation, *operands: Tensor) -> Tuple[Tensor, ...]:
    """The results of an op."""
    if isinstance(operation, Members):
        one = functools.partial(evaluate, operation.one)
        return tuple(torch.func.vmap(one, tuple(0 if mapped else None for mapped in operation.mapped))(*operands))
    assert isinstance(operation, (Layers, BlockLSTM))
    if operation.batch_major:
        other = dataclasses.replace(operation, batch_major=False)
        turned = [v if a == b else v.transpose(0, 1)
                  for v, a, b in zip(operands, operation.operand_axes, other.operand_axes)]
        return tuple(v if a == b else v.transpose(0, 1)
                     for v, a, b in zip(evaluate(other, *turned), operation.result_axes, other.result_axes))
    auxiliaries = list(operands[operation.primals:])
    if isinstance(operation, Layers):
        c0, tensors = operands[2] if operation.cell else None, operands[operation.first_tensor:operation.primals]
        params = join(tensors) if operation.tensors else tensors[0]
        lengths = auxiliaries.pop(0) if operation.lengths else None
        resets = auxiliaries.pop(0) if operation.reset_to else None
        return layers(operation, operands[0], operands[1], c0, params, lengths, resets)
    n = auxiliaries.pop(0) if operation.seq_len_max else None
    resets = auxiliaries.pop(0) if operation.reset_to else None
    return block_lstm(operation, operands[:8], n, resets)
