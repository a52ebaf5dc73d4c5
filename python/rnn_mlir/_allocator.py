# _allocator.py - temporary memory of GPUs from allocators of Python.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Allocators of the runtime that call functions of Python."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, List, Optional, Tuple

_ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)


class Allocator(ctypes.Structure):  # rnnrt_allocator_t
    _fields_ = [("allocate", _ALLOCATE), ("release", _RELEASE), ("user", ctypes.c_void_p)]


#: Allocates bytes on a GPU in the order of a stream, and frees the result.
Scratch = Tuple[Callable[[int], int], Callable[[int], None]]


def make_allocator(scratch: Scratch, failures: List[BaseException]) -> Allocator:
    """An allocator of the runtime. An exception is a lack of memory, and added to `failures`."""
    take, give_back = scratch

    def allocate(_: Any, alignment: int, size: int) -> Optional[int]:
        try:
            return take(size)
        except Exception as error:  # pylint: disable=broad-except; it cannot pass through the runtime
            failures.append(error)
            return None

    def release(_: Any, pointer: int, alignment: int, size: int) -> None:
        give_back(pointer)
    return Allocator(_ALLOCATE(allocate), _RELEASE(release), None)
