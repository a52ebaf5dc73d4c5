# __init__.py - rnn_mlir: compiled recurrent layers and their gradients.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers and their gradients, compiled by rnn-mlir."""

from typing import Any

from . import _files, cudnn_rnn, modules, params
from ._compiler import CompileError, Diagnostic
from ._errors import Error, InvalidArgument, Unavailable
from ._function import CompiledFunction, CompiledModule, compile, compile_module, cuda_stream, load

__all__ = ["CompileError", "CompiledFunction", "CompiledModule", "Diagnostic", "Error", "InvalidArgument",
           "Unavailable", "compile", "compile_module", "cuda_stream", "cudnn_rnn", "load", "modules", "params"]


def __getattr__(name: str) -> Any:
    if name == "__version__":  # lazily: it needs more time than the rest of the import
        return _files.version()
    raise AttributeError(f"module 'rnn_mlir' has no attribute '{name}'")
