# __init__.py - rnn_mlir.torch: recurrent layers for PyTorch.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled recurrent layers for PyTorch: modules with the state dicts of torch.nn, second derivatives, torch.compile.

Ops of torch.library (PyTorch 2.4 and later): `torch.ops.rnn_mlir.cudnn_forward`, `cudnn_backprop`, `block_lstm` and
`block_lstm_grad`, and with lists of parameters `cudnn_forward_separate` and `cudnn_backprop_separate`. Earlier versions, tested with 1.13, have the modules and functions without torch.compile.
"""

from . import _threads, functional
from .modules import GRU, LSTM, RNN, BlockLSTM

__all__ = ["BlockLSTM", "GRU", "LSTM", "RNN", "functional"]

_threads.share()
