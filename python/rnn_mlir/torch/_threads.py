# _threads.py - compiled layers run on the threads of PyTorch's ops. Those of another pool would wait for the processors:
# OpenMP's threads spin for some milliseconds after each op. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The OpenMP runtime of PyTorch."""

from __future__ import annotations

import ctypes

import torch

from .. import _runtime

#: The members of rnnrt_openmp_t.
_FUNCTIONS = ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads")


def share() -> bool:
    """Lets the runtime use PyTorch's OpenMP threads. False if this PyTorch has none, as with its backend `native`."""
    if "parallel backend: OpenMP" not in torch.__config__.parallel_info():
        return False
    try:
        # Symbols of the library's dependencies are found too, so this is the OpenMP runtime of PyTorch's ops.
        library = ctypes.CDLL(torch._C.__file__)
        functions = [ctypes.cast(getattr(library, name), ctypes.c_void_p) for name in _FUNCTIONS]
    except (OSError, AttributeError):
        return False
    lib = _runtime.library()
    lib.rnnrt_threads_use_openmp.restype = ctypes.c_void_p
    lib.rnnrt_threads_use_openmp.argtypes = [ctypes.c_void_p]
    _runtime.check(lib.rnnrt_threads_use_openmp((ctypes.c_void_p * len(functions))(*functions)))
    return True
