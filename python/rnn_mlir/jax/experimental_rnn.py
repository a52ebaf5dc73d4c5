# experimental_rnn.py - the interface of jax.experimental.rnn (an LSTM on CUDA in f32) over our layers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Drop-in for `jax.experimental.rnn`: the same functions, argument order and parameter layout."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import jax
import jax.numpy as jnp

from . import _functions, params as _params

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


def lstm(x: Array, h_0: Array, c_0: Array, weights: Array, seq_lengths: Array, input_size: int, hidden_size: int,
         num_layers: int, dropout: float, bidirectional: bool, precision: Any = None, *,
         key: Optional[Array] = None) -> Tuple[Array, Array, Array]:
    """`y [B, T, D*H], h_n, c_n` of an LSTM; `x` is [B, T, I], `h_0` and `c_0` are [L*D, B, H].

    `precision` is accepted and has no effect: GEMMs have full precision. Dropout needs `key`, which
    jax.experimental.rnn does not have.
    """
    del precision
    if x.shape[2] != input_size or h_0.shape[2] != hidden_size:
        raise ValueError(f"`x` and `h_0` have {x.shape[2]} and {h_0.shape[2]} features; expected input_size {input_size} "
                         f"and hidden_size {hidden_size}")
    y, (h_n, c_n) = _functions.lstm(weights, x, (h_0, c_0), lengths=seq_lengths, bidirectional=bidirectional,
                                    batch_first=True, dropout=dropout, key=key, hidden_size=hidden_size,
                                    num_layers=num_layers)
    return y, h_n, c_n
