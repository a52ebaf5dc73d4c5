# _eager.py - compiled functions on arrays of JAX outside of programs. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of compiled functions by JAX's compiler, whose dispatch takes less time than DLPack."""

from __future__ import annotations

import importlib
import math
from typing import Any, Callable, Dict, Optional, Tuple

import jax

from .. import _signature
from .._function import CompiledFunction
from . import _calls, _native

#: The most bytes of all results together: the memory of larger ones is often fresh from the system this way, and reused by DLPack.
LARGEST = 1 << 20
#: Functions with unknown sizes get a program for the shapes of this many calls: one saves about as much time as its compilation took.
CALLS = 512
#: The most shapes whose calls are counted.
SHAPES = 256

with jax.ensure_compile_time_eval():  # a program that is being traced may import this
    _Array = type(jax.numpy.zeros(()))


class _Programs:
    """Which shapes of arguments have a program."""

    def __init__(self, function: CompiledFunction) -> None:
        self._function = function
        self._calls: Dict[Tuple[Tuple[int, ...], ...], int] = {}

    def is_small(self, shapes: Tuple[Tuple[int, ...], ...]) -> bool:
        """Whether the shapes of results follow from those of arguments, and the results have at most `LARGEST` bytes."""
        size = 0
        for k, output in enumerate(self._function.outputs):
            shape = self._function.raw.result_shape(k, shapes)
            if shape is None:
                return False
            size += math.prod(shape) * _signature.DTYPE_SIZES[output.dtype]
        return size <= LARGEST

    def has(self, shapes: Tuple[Tuple[int, ...], ...]) -> bool:
        """Whether this call is the program's. Counts calls; threads may lose some."""
        calls = self._calls.get(shapes, 0)
        if calls >= CALLS:
            return True
        if calls < 0:
            return False
        if not calls and len(self._calls) >= SHAPES:
            self._calls.clear()
        self._calls[shapes] = calls + 1 if calls or self.is_small(shapes) else -1
        return False


def program(function: CompiledFunction) -> Optional[Callable[..., Any]]:
    """A function that takes the tuple of arguments and returns the results of `function`. It raises if the arguments need the path
    by DLPack. It compiles a program for the first arguments, and for unknown sizes after `CALLS` calls with equal shapes.
    None if no call can have one.

    Raises TypeError if programs of JAX cannot call `function`, and ImportError or AttributeError if this JAX lacks what is needed.
    """
    programs = _Programs(function)
    shapes = tuple(a.shape or () for a in function.inputs)
    fixed = all(a.shape is not None and -1 not in a.shape for a in function.inputs)
    if any(function.raw.result_shape(k, shapes) is None for k in range(len(function.outputs))):
        return None
    if fixed and not programs.is_small(shapes):
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
        # jax.jit would make the call a part of a program that is being traced.
        if not is_outside() or not (fixed or programs.has(tuple([value.shape for value in arguments]))):
            raise TypeError
        results = compiled(*arguments)
        for result in results if type(results) is tuple else (results,):
            result.block_until_ready()  # failures are exceptions of this call
        return results

    return run
