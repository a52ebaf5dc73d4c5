# _errors.py - the exceptions of this package. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Failures of the runtime, the compiler and compiled functions."""

from __future__ import annotations

from typing import Optional


class Error(RuntimeError):
    """A failure of the runtime or of a compiled function. `code` is the name of its status, as INVALID_ARGUMENT."""

    def __init__(self, message: str, code: str = "INTERNAL") -> None:
        super().__init__(message)
        self.code = code


class InvalidArgument(Error, ValueError):
    """An argument has the wrong element type, rank, size or memory."""


class Unavailable(Error):
    """A library or a device is missing."""


def raise_status(message: str, code: str, cause: Optional[BaseException] = None) -> None:
    """Raises the exception of a status."""
    kind = {"INVALID_ARGUMENT": InvalidArgument, "UNAVAILABLE": Unavailable}.get(code, Error)
    raise kind(message, code) from cause
