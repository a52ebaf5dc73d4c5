# experimental_rnn.py - the interface of jax.experimental.rnn (an LSTM on CUDA in f32) over our layers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Drop-in for `jax.experimental.rnn`: the same functions, argument order and parameter layout."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import jax
import jax.numpy as jnp

from . import _arguments, _functions, _reference, params as _params

Array = Any


def get_num_params_in_lstm(input_size: int, hidden_size: int, num_layers: int, bidirectional: bool) -> int:
    """The number of elements of `weights`."""
    return _params.size("lstm", input_size, hidden_size, num_layers, bidirectional=bidirectional)


def init_lstm_weight(rng: Array, input_size: int, hidden_size: int, num_layers: int, bidirectional: bool) -> Array:
    """LSTM weights from U(-k, k), k = sqrt(1 / hidden_size), in f32."""
    k = hidden_size ** -0.5
    return jax.random.uniform(rng, (get_num_params_in_lstm(input_size, hidden_size, num_layers, bidirectional),),
                              jnp.float32, -k, k)


def unpack_lstm_weights(weights: Array, input_size: int, hidden_size: int, num_layers: int,
                        bidirectional: bool) -> Tuple[Dict[int, Array], ...]:
    """W_ih, W_hh, b_ih, b_hh, each by pseudo layer."""
    layers = _params.unpack(weights, "lstm", input_size, hidden_size, num_layers, bidirectional=bidirectional)
    return tuple(dict(enumerate(column)) for column in zip(*((p.w, p.r, p.bw, p.br) for p in layers)))


def swap_lstm_gates(weights: Array, input_size: int, hidden_size: int, num_layers: int, bidirectional: bool) -> Array:
    """`weights` with the last two gates of each tensor exchanged. `lstm` needs no exchange on any device."""
    layers = _params.unpack(jnp.asarray(weights), "lstm", input_size, hidden_size, num_layers, bidirectional=bidirectional)

    def swapped(value: Array) -> Array:
        i, f, g, o = jnp.split(value, 4, axis=0)
        return jnp.concatenate([i, f, o, g], axis=0)
    return _params.pack([_params.Weights(*map(swapped, p[:4])) for p in layers])


def _check_sizes(x: Array, h_0: Array, c_0: Array, input_size: int, hidden_size: int, num_layers: int,
                 bidirectional: bool) -> None:
    if x.ndim != 3 or x.shape[2] != input_size:
        raise ValueError(f"`x` has shape {x.shape}; expected [B, T, input_size = {input_size}]")
    expected = (num_layers * (2 if bidirectional else 1), x.shape[0], hidden_size)
    _arguments.expect("h_0", h_0, expected)
    _arguments.expect("c_0", c_0, expected)


def lstm(x: Array, h_0: Array, c_0: Array, weights: Array, seq_lengths: Array, input_size: int, hidden_size: int,
         num_layers: int, dropout: float, bidirectional: bool, precision: Any = None, *,
         key: Optional[Array] = None) -> Tuple[Array, Array, Array]:
    """`y [B, T, D*H], h_n, c_n` of an LSTM; `x` is [B, T, I], `h_0` and `c_0` are [L*D, B, H].

    `precision` is accepted and has no effect: GEMMs have full precision. Dropout needs `key`, which
    jax.experimental.rnn does not have.
    """
    del precision
    x, h_0, c_0 = (_arguments.array(name, value) for name, value in (("x", x), ("h_0", h_0), ("c_0", c_0)))
    _check_sizes(x, h_0, c_0, input_size, hidden_size, num_layers, bidirectional)
    y, (h_n, c_n) = _functions.lstm(weights, x, (h_0, c_0), lengths=seq_lengths, bidirectional=bidirectional,
                                    batch_first=True, dropout=dropout, key=key, hidden_size=hidden_size,
                                    num_layers=num_layers)
    return y, h_n, c_n


def lstm_ref(x: Array, h_0: Array, c_0: Array, W_ih: Dict[int, Array], W_hh: Dict[int, Array], b_ih: Dict[int, Array],
             b_hh: Dict[int, Array], seq_lengths: Array, input_size: int, hidden_size: int, num_layers: int, dropout: float,
             bidirectional: bool) -> Tuple[Array, Array, Array]:
    """`lstm` in lax ops, with the weights of `unpack_lstm_weights`."""
    if dropout != 0:
        raise NotImplementedError(f"`dropout` is {dropout}; lstm_ref has none: pass 0")
    x, h_0, c_0 = (_arguments.array(name, value) for name, value in (("x", x), ("h_0", h_0), ("c_0", c_0)))
    _check_sizes(x, h_0, c_0, input_size, hidden_size, num_layers, bidirectional)
    flat = _params.pack([_params.Weights(W_ih[k], W_hh[k], b_ih[k], b_hh[k]) for k in range(h_0.shape[0])])
    lengths = None if seq_lengths is None else _arguments.lengths_of(seq_lengths, x.shape[0], x.shape[1])
    y, h_n, c_n = _reference.layers("lstm", 2 if bidirectional else 1, 0, "", jnp.swapaxes(x, 0, 1), h_0, c_0, flat, lengths, None)
    return jnp.swapaxes(y, 0, 1), h_n, c_n
