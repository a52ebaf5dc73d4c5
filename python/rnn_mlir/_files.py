# _files.py - where the native files of the package are.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paths of the runtime library, of prebuilt modules and of the compiler."""

from __future__ import annotations

import functools
import os
from importlib import metadata
from typing import List, Optional

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def library_folder() -> str:
    """The folder of librnn_runtime.so and of the prebuilt modules.

    It is `lib` in the installed package, or beside it in a build tree, whose `rnn_mlir` links to the source.
    """
    inside = os.path.join(_PACKAGE, "lib")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(_PACKAGE), "lib")


def find_library(name: str, *, variable: Optional[str] = None) -> Optional[str]:
    """The path of a library, which the environment variable `variable` replaces; None if there is no such file."""
    given = os.environ.get(variable, "") if variable else ""
    path = given or os.path.join(library_folder(), name)
    return path if os.path.exists(path) else None


def compiler_libraries() -> List[str]:
    """Candidates for librnn-c.so: `RNN_MLIR_COMPILER`, the package rnn-mlir-compiler, the build tree."""
    given = os.environ.get("RNN_MLIR_COMPILER")
    if given:
        return [given]
    found = []
    try:
        import rnn_mlir_compiler  # type: ignore[import-not-found, unused-ignore]

        found.append(rnn_mlir_compiler.library_path())
    except ImportError:
        pass
    found.append(os.path.join(library_folder(), "librnn-c.so"))
    return [path for path in found if os.path.exists(path)]


def cache_folder() -> str:
    """The folder of compiled libraries: `RNN_MLIR_CACHE`, or rnn-mlir in the user's cache folder."""
    given = os.environ.get("RNN_MLIR_CACHE")
    if given:
        return given
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "rnn-mlir")


@functools.lru_cache(maxsize=None)
def version() -> str:
    """The version of the package; of a build tree, that of the sources."""
    try:
        return metadata.version("rnn-mlir")
    except metadata.PackageNotFoundError:
        with open(os.path.join(os.path.dirname(os.path.realpath(_PACKAGE)), "..", "VERSION"), encoding="utf-8") as file:
            return file.read().strip()
