# _functions.py - the layer functions of rnn_mlir.jax: defaults, checks, layouts and dropout around the primitives.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers as JAX functions."""

from __future__ import annotations

import dataclasses
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec

from .. import _layers
from .._operations import BlockLSTM, Layers, Operation
from . import _arguments, _batching, _packing, _primitives
from ._lowering import DTYPES
from ._sharding import spec_of
from .params import Params, Weights, in_order, unpack

Array = Any


def _bind(operation: Operation, *operands: Any) -> Tuple[Array, ...]:
    return tuple(_primitives.inference_p.bind(*_primitives.align(*operands), operation=operation))


def _is_of_mesh(value: Array) -> bool:
    """Whether the value is of a shard_map or of a mesh with explicit axes. The gradient of a flat array needs one all-reduce,
    that of a list one for each tensor."""
    return bool(_primitives.varying_axes(value)) or any(spec_of(jax.typeof(value)))


def _per_layer(params: Params, mode: str, directions: int, inputs: int, hidden: int, layers: int,
               proj_size: int) -> List[Sequence[Weights]]:
    """Parameters by layer."""
    if not isinstance(params, (list, tuple)):
        params = unpack(params, mode, inputs, hidden, layers, bidirectional=directions == 2, proj_size=proj_size)
    return [params[k * directions:(k + 1) * directions] for k in range(layers)]


def _dropped(y: Array, rate: float, key: Array) -> Array:
    """Inverted dropout. A rate of 1 gives zeros."""
    if rate >= 1:
        return jnp.zeros_like(y)
    mask = jax.random.bernoulli(key, 1 - rate, y.shape)
    spec = spec_of(jax.typeof(y))
    if any(names is not None for names in spec):  # a mesh with explicit axes
        mask = jax.sharding.reshard(mask, PartitionSpec(*spec))
    return jnp.where(mask, y / (1 - rate), jnp.zeros_like(y))


def _layers_function(mode: str, params: Params, x: Array, state: Any, *, lengths: Optional[Array],
                     resets: Optional[Array], reset_to: str, bidirectional: bool, batch_first: bool, dropout: float,
                     key: Optional[Array], hidden_size: Optional[int], num_layers: Optional[int],
                     proj_size: Optional[int]) -> Tuple[Array, Any]:
    bidirectional, batch_first = (_arguments.flag_of(name, v) for name, v in (("bidirectional", bidirectional), ("batch_first", batch_first)))
    cell, directions = mode == "lstm", 2 if bidirectional else 1
    x = _arguments.floats("x", x)
    if x.ndim != 3 or 0 in x.shape:
        layout = "[B, T, I]" if batch_first else "[T, B, I]"
        raise ValueError(f"`x` has shape {x.shape}; expected {layout} without empty dimensions")
    _layers.check_reset_to(reset_to)
    dropout = _arguments.dropout_of(dropout)
    batch, inputs = x.shape[0 if batch_first else 1], x.shape[2]
    if cell and state is not None and not (isinstance(state, (list, tuple)) and len(state) == 2):
        raise TypeError("`state` of an LSTM is a pair (h0, c0)")
    h0, c0 = (state if cell else (state, None)) if state is not None else (None, None)
    h0, c0 = (None if v is None else _arguments.array(name, v) for name, v in (("h0", h0), ("c0", c0)))
    for name, value in (("h0", h0), ("c0", c0)):
        if value is not None and value.ndim != 3:
            raise ValueError(f"`{name}` has shape {value.shape}; expected [L*D, B, {'H' if name == 'c0' else 'P'}]")
    hidden, layers, proj = _arguments.sizes_of(params, mode, directions, h0, c0, hidden_size, num_layers, proj_size)
    if isinstance(params, (list, tuple)):
        _arguments.check_weights(params, mode, directions, inputs, hidden, proj)
    output = proj or hidden
    pseudo = layers * directions
    h0 = jnp.zeros((pseudo, batch, output), x.dtype) if h0 is None else h0
    _arguments.expect("h0", h0, (pseudo, batch, output))
    states = [h0]
    if cell:
        c0 = jnp.zeros((pseudo, batch, hidden), x.dtype) if c0 is None else c0
        _arguments.expect("c0", c0, (pseudo, batch, hidden))
        states.append(c0)
    auxiliaries = []
    if lengths is not None:
        auxiliaries.append(_arguments.lengths_of(lengths, batch, x.shape[1 if batch_first else 0]))
    if resets is not None:
        auxiliaries.append(_arguments.resets_of(resets, x.shape[:2]))
    operation = Layers(mode, "bidirectional" if bidirectional else "unidirectional", proj, lengths is not None,
                       reset_to if resets is not None else "", batch_first)

    def run(p: Any, x: Array, states: Sequence[Array]) -> Tuple[Array, ...]:
        tensors = [_arguments.array("params", v) for v in (in_order(p) if isinstance(p, (list, tuple)) else [p])]
        for name, value in (("params", tensors[0]), ("h0", states[0]), ("c0", states[-1])):
            if value.dtype != x.dtype:
                raise TypeError(f"`{name}` has dtype {value.dtype}, but `x` has {x.dtype}; cast one of them")
        if len(tensors) > 1 and not any(map(_is_of_mesh, (x, *states, *tensors))):
            return _bind(dataclasses.replace(operation, tensors=len(tensors)), x, *states, *tensors, *auxiliaries)
        flat = _packing.pack(tensors) if len(tensors) > 1 else tensors[0]
        expected = operation.parameters(x.shape[2], hidden, states[0].shape[0] // directions)
        if flat.shape != (expected,):
            raise ValueError(f"`params` has {flat.shape[0]} elements; expected {expected} for input size {x.shape[2]}, "
                             f"hidden size {hidden} and {states[0].shape[0]} pseudo layers")
        return _bind(operation, x, *states, flat, *auxiliaries)

    if dropout > 0 and layers > 1:
        # One call per layer: masks are values of the program, so that remat, vmap and sharding see the same ones.
        keys = jax.random.split(_arguments.key_of(key), layers - 1)
        finals: List[Sequence[Array]] = []
        y = x
        for k, p in enumerate(_per_layer(params, mode, directions, inputs, hidden, layers, proj)):
            rows = slice(k * directions, (k + 1) * directions)
            y, *last = run(p, y, [s[rows] for s in states])
            finals.append(last)
            if k + 1 < layers:
                y = _dropped(y, dropout, keys[k])
        final = [jnp.concatenate(values) for values in zip(*finals)]
    else:
        y, *final = run(params, x, states)
    return y, tuple(final) if cell else final[0]


_OPTIONS = """
    x: [T, B, I], or [B, T, I] with `batch_first`, in f16, bf16, f32 or f64.
    params: a list with one `params.Weights` per pseudo layer (layer 0 forward, [layer 0 backward,] layer 1 ...), or
        the flat array of `params.pack`.
    lengths: integers [B]; steps from `lengths[b]` on are padding: their outputs are zero, and the state keeps its
        value.
    resets: booleans shaped like the sequence and batch of `x`; a mark starts a new sequence at its step, from zero or,
        with reset_to="initial", from the initial state.
    dropout, key: rate and JAX key of the dropout between layers; pass dropout=0 for inference.
    hidden_size, num_layers{extra}: needed only with flat `params` and without `state`; else they must agree with those.
    """


def _documented(function: Any) -> Any:
    extra = ", proj_size" if function.__name__ == "lstm" else ""
    function.__doc__ = function.__doc__.rstrip() + "\n" + _OPTIONS.format(extra=extra)
    return function


@_documented
def lstm(params: Params, x: Array, state: Optional[Tuple[Array, Array]] = None, *, lengths: Optional[Array] = None,
         resets: Optional[Array] = None, reset_to: str = "zero", bidirectional: bool = False,
         batch_first: bool = False, dropout: float = 0.0, key: Optional[Array] = None,
         hidden_size: Optional[int] = None, num_layers: Optional[int] = None,
         proj_size: Optional[int] = None) -> Tuple[Array, Tuple[Array, Array]]:
    """A stack of LSTM layers. Returns `y [T, B, D*P]` and `(hn [L*D, B, P], cn [L*D, B, H])`; `state` is `(h0, c0)`,
    zeros if None.
    """
    return _layers_function("lstm", params, x, state, lengths=lengths, resets=resets, reset_to=reset_to,
                            bidirectional=bidirectional, batch_first=batch_first, dropout=dropout, key=key,
                            hidden_size=hidden_size, num_layers=num_layers, proj_size=proj_size)


@_documented
def gru(params: Params, x: Array, state: Optional[Array] = None, *, lengths: Optional[Array] = None,
        resets: Optional[Array] = None, reset_to: str = "zero", bidirectional: bool = False,
        batch_first: bool = False, dropout: float = 0.0, key: Optional[Array] = None,
        hidden_size: Optional[int] = None, num_layers: Optional[int] = None) -> Tuple[Array, Array]:
    """A stack of GRU layers, whose reset gate acts after the GEMM (cuDNN, PyTorch, Keras with reset_after). Returns
    `y [T, B, D*H]` and `hn [L*D, B, H]`; `state` is `h0`, zeros if None.
    """
    return _layers_function("gru", params, x, state, lengths=lengths, resets=resets, reset_to=reset_to,
                            bidirectional=bidirectional, batch_first=batch_first, dropout=dropout, key=key,
                            hidden_size=hidden_size, num_layers=num_layers, proj_size=None)


@_documented
def rnn(params: Params, x: Array, state: Optional[Array] = None, *, nonlinearity: str = "tanh",
        lengths: Optional[Array] = None, resets: Optional[Array] = None, reset_to: str = "zero",
        bidirectional: bool = False, batch_first: bool = False, dropout: float = 0.0, key: Optional[Array] = None,
        hidden_size: Optional[int] = None, num_layers: Optional[int] = None) -> Tuple[Array, Array]:
    """A stack of simple recurrent layers with `nonlinearity` tanh or relu. Returns `y [T, B, D*H]` and
    `hn [L*D, B, H]`; `state` is `h0`, zeros if None.
    """
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"`nonlinearity` is {nonlinearity!r}; expected 'tanh' or 'relu'")
    return _layers_function("rnn_" + nonlinearity, params, x, state, lengths=lengths, resets=resets,
                            reset_to=reset_to, bidirectional=bidirectional, batch_first=batch_first, dropout=dropout,
                            key=key, hidden_size=hidden_size, num_layers=num_layers, proj_size=None)


class BlockLSTMResults(NamedTuple):
    """All `[T, B, H]`, or `[B, T, H]` with `batch_first`: input gate, cell state, forget gate, output gate, cell candidate, tanh of
    the cell, hidden state."""

    i: Array
    cs: Array
    f: Array
    o: Array
    ci: Array
    co: Array
    h: Array


def block_lstm(x: Array, cs_prev: Array, h_prev: Array, w: Array, b: Array, *, wci: Optional[Array] = None,
               wcf: Optional[Array] = None, wco: Optional[Array] = None, seq_len_max: Optional[Array] = None,
               resets: Optional[Array] = None, reset_to: str = "zero", layout: str = "ifco",
               forget_bias: float = 0.0, cell_clip: float = 0.0, batch_first: bool = False) -> BlockLSTMResults:
    """TensorFlow's BlockLSTM (`layout` icfo) and BlockLSTMV2 (ifco): one layer with explicit matrices.

    `x` is [T, B, I], or [B, T, I] with `batch_first`; `resets` are shaped like its sequence and batch. `cs_prev` and `h_prev` are
    [B, H], `w` is [I + H, 4H], `b` is [4H]; the peephole weights `wci`, `wcf`, `wco` are [H], all or none. Results are zero from step `seq_len_max` on. The gradient ignores `cell_clip`, as
    TensorFlow's does. Derivatives by `i`, `f`, `o`, `ci` and `co` are computed in lax, those by `cs` and `h` by
    compiled code.
    """
    _layers.check_layout(layout)
    _layers.check_reset_to(reset_to)
    x, cs_prev, h_prev, w, b = (_arguments.array(name, value) for name, value in (
        ("x", x), ("cs_prev", cs_prev), ("h_prev", h_prev), ("w", w), ("b", b)))
    if x.ndim != 3 or cs_prev.ndim != 2:
        raise ValueError(f"`x` and `cs_prev` have shapes {x.shape} and {cs_prev.shape}; expected [T, B, I] and [B, H]")
    (batch, inputs), hidden = (x.shape[0 if batch_first else 1], x.shape[2]), cs_prev.shape[1]
    given = [v is not None for v in (wci, wcf, wco)]
    if any(given) and not all(given):
        raise ValueError("pass all of `wci`, `wcf` and `wco`, or none")
    peephole = [jnp.zeros((hidden,), x.dtype) if v is None else _arguments.array(name, v)
                for name, v in (("wci", wci), ("wcf", wcf), ("wco", wco))]
    operands = [x, cs_prev, h_prev, w, *peephole, b]
    shapes = [x.shape, (batch, hidden), (batch, hidden), (inputs + hidden, 4 * hidden),
              *[(hidden,)] * 3, (4 * hidden,)]
    for name, value, shape in zip(("x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"), operands, shapes):
        _arguments.expect(name, value, shape)
        if value.dtype != x.dtype or x.dtype.name not in DTYPES:
            raise TypeError(f"`{name}` has dtype {value.dtype}; expected one type of {', '.join(DTYPES)} for all "
                            "operands")
    forget_bias = _arguments.bias_of(forget_bias)
    if forget_bias:  # in the bias, whose gradient it does not change
        gate = 2 if layout == "icfo" else 1
        operands[-1] = b + jnp.where(jnp.arange(4 * hidden) // hidden == gate, forget_bias, 0).astype(b.dtype)
    if seq_len_max is not None:
        operands.append(_arguments.steps_of(seq_len_max, x.shape[1 if batch_first else 0]))
    if resets is not None:
        operands.append(_arguments.resets_of(resets, x.shape[:2]))
    operation = BlockLSTM(layout, all(given), _layers.check_clip(cell_clip), seq_len_max is not None,
                          reset_to if resets is not None else "", batch_first)
    return BlockLSTMResults(*_bind(operation, *operands))
