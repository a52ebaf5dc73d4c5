# _reference.py - the layers in differentiable lax ops: the source of tangents and of second derivatives.
# docs/Semantics.md has the equations.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers in lax ops."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Optional, Sequence

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec

from .._layers import GATES, PseudoLayer, split_params
from .._operations import Batches, BlockLSTM, Layers, Members, Operation
from . import _lowering
from ._sharding import spec_of

Array = Any


def _scan(mode: str, p: PseudoLayer, x: Array, h0: Array, c0: Optional[Array], valid: Optional[Array],
          resets: Optional[Array], reset_to: str, reverse: bool) -> tuple[Array, Array, Optional[Array]]:
    """One pseudo layer. Returns the states of all steps, and the last ones."""
    hidden = p.w.shape[0] // len(GATES[mode])
    a = x @ p.w.T + (p.bw if mode == "gru" else p.bw + p.br)

    def step(carry: Any, inputs: Any) -> Any:
        h, c = carry
        a, valid, reset = inputs
        if reset is not None:
            initial = reset_to == "initial"
            h = jnp.where(reset[:, None], h0 if initial else 0, h)
            if c0 is not None:
                c = jnp.where(reset[:, None], c0 if initial else 0, c)
        s = h @ p.r.T
        next_c = c
        if mode == "lstm":
            i, f, g, o = jnp.split(a + s, 4, axis=1)
            next_c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            next_h = jax.nn.sigmoid(o) * jnp.tanh(next_c)
            if p.projection is not None:
                next_h = next_h @ p.projection.T
        elif mode == "gru":
            s = s + p.br
            r, z = jnp.split(jax.nn.sigmoid(a[:, :2 * hidden] + s[:, :2 * hidden]), 2, axis=1)
            n = jnp.tanh(a[:, 2 * hidden:] + r * s[:, 2 * hidden:])
            next_h = (1 - z) * n + z * h
        elif mode == "rnn_relu":
            next_h = jax.nn.relu(a + s)
        else:
            next_h = jnp.tanh(a + s)
        y = next_h
        if valid is not None:
            y = jnp.where(valid[:, None], next_h, 0)
            next_h = jnp.where(valid[:, None], next_h, h)
            next_c = None if c is None else jnp.where(valid[:, None], next_c, c)
        return (next_h, next_c), y

    (h, c), y = jax.lax.scan(step, (h0, c0), (a, valid, resets), reverse=reverse)
    return y, h, c


def _with_batch_of(x: Array, state: Array, axis: int) -> Array:
    """`state` with its batch, dimension `axis`, sharded as that of `x` [T, B, ...] in a mesh with explicit axes: a scan's state
    keeps its type."""
    names = spec_of(jax.typeof(x))[1:2]
    if not names or names[0] is None or jax.typeof(state).sharding.spec[axis] == names[0]:
        return state
    return jax.sharding.reshard(state, PartitionSpec(*[names[0] if d == axis else None for d in range(state.ndim)]))


def layers(mode: str, directions: int, num_proj: int, reset_to: str, x: Array, h0: Array, c0: Optional[Array],
           params: Sequence[Array], lengths: Optional[Array], resets: Optional[Array]) -> tuple[Array, ...]:
    """`rnn.cudnn_forward` without dropout: y, hn and for an LSTM cn. Half precision is computed in f32. `params` is the
    flat array, or its tensors."""
    dtype = x.dtype
    compute = jnp.promote_types(dtype, jnp.float32)
    steps, _, inputs = x.shape
    hidden = h0.shape[2] if c0 is None else c0.shape[2]
    flat = _lowering.join(params) if len(params) > 1 else params[0]
    pseudo = split_params(flat.astype(compute), mode, directions, h0.shape[0] // directions, inputs, hidden, num_proj)
    valid = None if lengths is None else jnp.arange(steps)[:, None] < lengths
    valid = None if valid is None else _with_batch_of(x, valid, 1)
    resets = None if resets is None else _with_batch_of(x, resets, 1)
    if valid is not None:  # padding may hold NaN, whose derivatives would be NaN
        x = jnp.where(valid[:, :, None], x, 0)
        resets = None if resets is None else resets & valid
    # A mark at step t separates t-1 and t: the backward direction is reset before its step t-1.
    shifted = None if resets is None else jnp.concatenate([resets[1:], jnp.zeros_like(resets[:1])])
    y, h0 = x.astype(compute), _with_batch_of(x, h0.astype(compute), 1)
    c0 = None if c0 is None else _with_batch_of(x, c0.astype(compute), 1)
    hn: list[Array] = []
    cn: list[Any] = []
    for first in range(0, len(pseudo), directions):
        outputs = []
        for d in range(directions):
            k = first + d
            out, h, c = _scan(mode, pseudo[k], y, h0[k], None if c0 is None else c0[k], valid,
                              shifted if d else resets, reset_to, reverse=d == 1)
            outputs.append(out)
            hn.append(h)
            cn.append(c)
        y = outputs[0] if directions == 1 else jnp.concatenate(outputs, axis=2)
    results = [y, jnp.stack(hn)] + ([] if c0 is None else [jnp.stack(cn)])
    return tuple(v.astype(dtype) for v in results)


def block_lstm(layout: str, use_peephole: bool, forget_bias: float, cell_clip: float, reset_to: str,
               operands: Sequence[Array], seq_len_max: Optional[Array], resets: Optional[Array]) -> tuple[Array, ...]:
    """`rnn.block_lstm`: i, cs, f, o, ci, co, h. The clip has slope 1, as in the compiled gradient."""
    dtype = operands[0].dtype
    compute = jnp.promote_types(dtype, jnp.float32)
    x, cs_prev, h_prev, w, wci, wcf, wco, b = (v.astype(compute) for v in operands)
    cs_prev, h_prev = _with_batch_of(x, cs_prev, 0), _with_batch_of(x, h_prev, 0)
    resets = None if resets is None else _with_batch_of(x, resets, 1)
    inputs = x.shape[2]
    a = x @ w[:inputs] + b
    valid = None if seq_len_max is None else jnp.arange(x.shape[0]) < seq_len_max

    def step(carry: Any, values: Any) -> Any:
        c, h = carry
        a, valid, reset = values
        if reset is not None:
            initial = reset_to == "initial"
            c = jnp.where(reset[:, None], cs_prev if initial else 0, c)
            h = jnp.where(reset[:, None], h_prev if initial else 0, h)
        first, second, third, fourth = jnp.split(a + h @ w[inputs:], 4, axis=1)
        gate_i, gate_c, gate_f, gate_o = ((first, second, third, fourth) if layout == "icfo" else
                                          (first, third, second, fourth))
        i = jax.nn.sigmoid(gate_i + c * wci if use_peephole else gate_i)
        f = jax.nn.sigmoid(gate_f + forget_bias + (c * wcf if use_peephole else 0))
        ci = jnp.tanh(gate_c)
        cs = i * ci + f * c
        if cell_clip > 0:
            cs = cs + jax.lax.stop_gradient(jnp.clip(cs, -cell_clip, cell_clip) - cs)
        co = jnp.tanh(cs)
        o = jax.nn.sigmoid(gate_o + cs * wco if use_peephole else gate_o)
        results: tuple[Array, ...] = (i, cs, f, o, ci, co, o * co)
        if valid is not None:
            results = tuple(jnp.where(valid, v, 0) for v in results)
        return (results[1], results[6]), results

    _, results = jax.lax.scan(step, (cs_prev, h_prev), (a, valid, resets))
    return tuple(v.astype(dtype) for v in results)


def evaluate(operation: Operation, *operands: Array) -> tuple[Array, ...]:
    """The results of an op, whatever the program allows in its own code."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        return _evaluate(operation, *operands)


def _evaluate(operation: Operation, *operands: Array) -> tuple[Array, ...]:
    if isinstance(operation, Members):
        one = functools.partial(_evaluate, operation.one)
        return tuple(jax.vmap(one, [0 if mapped else None for mapped in operation.mapped])(*operands))
    if isinstance(operation, Batches):
        one = functools.partial(_evaluate, operation.one)
        return tuple(jax.vmap(one, operation.one.operand_axes, operation.one.result_axes)(*operands))
    assert isinstance(operation, (Layers, BlockLSTM))
    if operation.batch_major:
        other = dataclasses.replace(operation, batch_major=False)
        turned = [v if a == b else jnp.swapaxes(v, 0, 1)
                  for v, a, b in zip(operands, operation.operand_axes, other.operand_axes)]
        return tuple(v if a == b else jnp.swapaxes(v, 0, 1)
                     for v, a, b in zip(_evaluate(other, *turned), operation.result_axes, other.result_axes))
    auxiliaries = list(operands[operation.primals:])
    if isinstance(operation, Layers):
        x, h0 = operands[:2]
        c0, params = operands[2] if operation.cell else None, operands[operation.first_tensor:operation.primals]
        lengths = auxiliaries.pop(0) if operation.lengths else None
        resets = auxiliaries.pop(0) if operation.reset_to else None
        return layers(operation.mode, operation.directions, operation.num_proj, operation.reset_to, x, h0, c0, params,
                      lengths, resets)
    n = auxiliaries.pop(0) if operation.seq_len_max else None
    resets = auxiliaries.pop(0) if operation.reset_to else None
    return block_lstm(operation.layout, operation.use_peephole, 0.0, operation.cell_clip, operation.reset_to,
                      operands[:8], n, resets)
