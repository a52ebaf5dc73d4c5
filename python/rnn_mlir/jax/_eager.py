# _eager.py - compiled functions on arrays of JAX outside of programs. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of compiled functions by JAX's compiler, whose dispatch takes less time than DLPack."""

from __future__ import annotations

import importlib
import math
from typing import Any, Callable, Optional

import jax

from .. import _runtime
from .._function import CompiledFunction
from . import _calls, _native

#: The most bytes of all results together: XLA copies results and DLPack does not, so that larger ones take longer this way.
LARGEST = 1 << 16

with jax.ensure_compile_time_eval():  # a program that is being traced may import this
    _Array = type(jax.numpy.zeros(()))


def _is_small(function: CompiledFunction) -> bool:
    """Whether all sizes are known, and the results have at most `LARGEST` bytes."""
    shapes = [argument.shape for argument in (*function.inputs, *function.outputs)]
    if any(shape is None or -1 in shape for shape in shapes):
        return False
    sizes = [math.prod(a.shape or ()) * _runtime.DTYPE_SIZES[a.dtype] for a in function.outputs]
    return sum(sizes) <= LARGEST


def program(function: CompiledFunction) -> Optional[Callable[..., Any]]:
    """A function that takes the tuple of arguments and returns the results of `function`. It raises if the arguments need the path
    by DLPack; its first call compiles a program. None if sizes are unknown or results large.

    Raises TypeError if programs of JAX cannot call `function`, and ImportError or AttributeError if this JAX lacks what is needed.
    """
    if not _is_small(function):
        return None
    _calls.check_function(function)
    _native.register()
    # JAX does not document it.
    is_outside: Callable[[], bool] = importlib.import_module("jax._src.core").trace_state_clean
    compiled = jax.jit(lambda *arguments: _calls.call(function, *arguments))

    def run(arguments: Any) -> Any:
        for value in arguments:
            if type(value) is not _Array or type(value.sharding) is not jax.sharding.SingleDeviceSharding:
                raise TypeError
        if not is_outside():  # jax.jit would make the call a part of the program that is being traced
            raise TypeError
        return jax.block_until_ready(compiled(*arguments))  # failures are exceptions of this call

    return run
