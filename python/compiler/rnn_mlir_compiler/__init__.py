# __init__.py - the compiler of rnn_mlir: a library without dependencies, and the program rnn-compile.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler that rnn_mlir.compile loads."""

import os
import sys
from typing import NoReturn

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def library_path() -> str:
    """The path of librnn-c.so: the C API of the compiler, with LLVM, MLIR and a linker inside."""
    return os.path.join(_FOLDER, "lib", "librnn-c.so")


def program_path() -> str:
    """The path of rnn-compile."""
    return os.path.join(_FOLDER, "bin", "rnn-compile")


def main() -> NoReturn:
    """Runs rnn-compile with the arguments of this program."""
    os.execv(program_path(), ["rnn-compile", *sys.argv[1:]])
