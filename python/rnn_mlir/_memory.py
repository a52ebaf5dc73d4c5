# _memory.py - freed memory of the process. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the C library does with freed memory."""

from __future__ import annotations

import ctypes

_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4  # malloc.h


def keep_freed_memory() -> bool:
    """Makes the C library keep freed memory for later allocations, instead of returning large blocks to the system.

    On the CPU, XLA allocates results and temporary arrays in each execution. By default, the system unmaps and clears their pages
    each time. With this setting, the process keeps its peak memory until it ends. Call it before the first large arrays are
    allocated. It is equivalent to the environment variables MALLOC_MMAP_MAX_=0 and MALLOC_TRIM_THRESHOLD_=2147483647. Returns
    False, without an effect, if the C library is not glibc.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:
        return False
    mallopt.restype, mallopt.argtypes = ctypes.c_int, [ctypes.c_int, ctypes.c_int]
    return bool(mallopt(_M_MMAP_MAX, 0)) and bool(mallopt(_M_TRIM_THRESHOLD, 2**31 - 1))
