# __init__.py - rnn_mlir.jax: recurrent layers for JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled recurrent layers for JAX, with derivatives of every order, `jit`, `vmap`, `shard_map` and `jax.export`.

Importing this module registers the handler that programs of `jax.export` with these layers call.
"""

import jax

from .._memory import keep_freed_memory
from . import _native, experimental_rnn, params
from ._calls import call
from ._functions import BlockLSTMResults, block_lstm, gru, lstm, rnn
from ._native import EXPORT_CHECKS
from .params import Weights, from_keras, init, pack, to_keras, unpack

_native.register()
for _type in (Weights, BlockLSTMResults):  # as arguments and results of exported programs
    if not _native.serialized(_type):  # once, also if this module is reloaded
        jax.export.register_namedtuple_serialization(_type, serialized_name=f"rnn_mlir.jax.{_type.__name__}")

__all__ = ["BlockLSTMResults", "EXPORT_CHECKS", "Weights", "block_lstm", "call", "experimental_rnn", "from_keras", "gru", "init",
           "keep_freed_memory", "lstm", "pack", "params", "rnn", "to_keras", "unpack"]
