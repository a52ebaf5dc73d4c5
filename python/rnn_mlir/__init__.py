# __init__.py - rnn_mlir: compiled recurrent layers and their gradients.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers and their gradients, compiled by rnn-mlir."""

from . import modules
from ._runtime import Error, InvalidArgument, Unavailable

__all__ = ["Error", "InvalidArgument", "Unavailable", "modules"]
