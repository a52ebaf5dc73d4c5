# _calls.py - functions that rnn_mlir.compile returns, in programs of JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions as calls of XLA's foreign function interface."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import jax
import jax.numpy as jnp
import numpy as np

from .. import _dlpack, _runtime, _variants
from .._function import CompiledFunction
from . import _native

#: Eager calls with larger results take them without a copy: jax.dlpack.from_dlpack takes about as long as copying this many bytes.
_COPIED_BYTES = 1 << 19
#: A call through DLPack takes about 0.1 ms longer than by a program, whose compilation takes about 10 ms.
_CALLS_BEFORE_PROGRAM = 100
_MAX_PROGRAMS = 64


def _error(message: str) -> _runtime.InvalidArgument:
    return _runtime.InvalidArgument(message, "INVALID_ARGUMENT")


def _describe(shape: Sequence[int]) -> str:
    return "[" + ",".join("?" if n < 0 else str(n) for n in shape) + "]"


def _fits(shape: Sequence[int], expected: Optional[Sequence[int]]) -> bool:
    return expected is None or (len(shape) == len(expected) and all(e in (-1, n) for n, e in zip(shape, expected)))


def _has_64_bits(function: CompiledFunction) -> bool:
    return any(a.dtype in ("f64", "i64") for a in (*function.inputs, *function.outputs))


def _check_function(function: CompiledFunction) -> None:
    if function.device != "host" or function.raw.device_memory:
        target = "cuda" if function.raw.device_memory else function.device
        raise TypeError(f"`{function.name}` was compiled for target {target}: programs of JAX call functions for target host")
    written = [k for k, a in enumerate(function.inputs) if a.written]
    if written:
        raise TypeError(f"argument {written[0]} (`{function.inputs[written[0]].name}`) of `{function.name}` is written by the function, but "
                        "arrays of JAX do not change: return a tensor instead")
    if not function.outputs:
        raise TypeError(f"`{function.name}` returns no tensor: JAX removes calls without results")
    if _has_64_bits(function) and not jax.config.read("jax_enable_x64"):
        raise TypeError(f"`{function.name}` has arguments or results of 64 bits, which JAX has only if jax_enable_x64 is set")


def _argument(function: CompiledFunction, index: int, value: Any) -> Any:
    expected = function.inputs[index]
    where = f"argument {index} (`{expected.name}`) of `{function.name}`"
    if expected.scalar and not hasattr(value, "dtype"):
        value = jnp.asarray(value, _dlpack.to_numpy_dtype(expected.dtype))
    if not hasattr(value, "dtype") or not hasattr(value, "shape"):
        raise _error(f"{where} must be an array, but got {type(value).__name__}")
    dtype = _dlpack.numpy_dtypes().get(np.dtype(value.dtype))
    if dtype != expected.dtype:
        raise _error(f"{where} must have elements of type {expected.dtype}, but got {dtype or value.dtype}")
    if not _fits(value.shape, () if expected.scalar else expected.shape):
        raise _error(f"{where} must have shape {_describe(expected.shape or ())}, but got {_describe(value.shape)}")
    return value


def _results(function: CompiledFunction, given: Any) -> List[jax.ShapeDtypeStruct]:
    if given is None:
        given = [None] * len(function.outputs)
    elif not isinstance(given, (list, tuple)):
        given = [given]
    if len(given) != len(function.outputs):
        raise _error(f"`{function.name}` returns {len(function.outputs)} tensors, but result_shape_dtypes has {len(given)}")
    structs = []
    for k, (output, struct) in enumerate(zip(function.outputs, given)):
        shape = () if output.scalar else output.shape
        dtype = np.dtype(_dlpack.to_numpy_dtype(output.dtype))
        if struct is None:
            if shape is None or -1 in shape:
                raise TypeError(f"result {k} of `{function.name}` has shape {'*' if shape is None else _describe(shape)}, and the compiler "
                                "of JAX needs all sizes: use rnn_mlir.jax.call with result_shape_dtypes, or known sizes in the module")
            structs.append(jax.ShapeDtypeStruct(shape, dtype))
            continue
        if not _fits(struct.shape, shape):
            raise _error(f"result {k} of `{function.name}` has shape {_describe(shape or ())}, but result_shape_dtypes has "
                         f"{_describe(struct.shape)}")
        found = _dlpack.numpy_dtypes().get(np.dtype(struct.dtype))
        if found != output.dtype:
            raise _error(f"result {k} of `{function.name}` has elements of type {output.dtype}, but result_shape_dtypes has "
                         f"{found or struct.dtype}")
        structs.append(jax.ShapeDtypeStruct(struct.shape, struct.dtype))
    return structs


def call(function: CompiledFunction, *arguments: Any, result_shape_dtypes: Any = None) -> Any:
    """Calls a function of `rnn_mlir.compile`, `compile_module` or `load` in a program of JAX, for target host.

    Inside of `jax.jit`, `function(*arguments)` does the same. The function must be pure. `result_shape_dtypes`, as in
    `jax.pure_callback`, has the shape and the type of each result; it is needed if the module does not state all sizes.
    Returns one array, or a tuple.

    `jax.vmap` calls the function once for each example. It has no derivatives: give it those of another compiled function by
    `jax.custom_vjp`. A program of `jax.export` refers to the library by its path. An array that is divided over several devices
    is gathered, unless the call is in `jax.shard_map`.
    """
    _check_function(function)
    if len(arguments) != len(function.inputs):
        raise _error(f"`{function.name}` expects {len(function.inputs)} arguments, but got {len(arguments)}")
    values = [_argument(function, k, v) for k, v in enumerate(arguments)]
    module = _variants.library_module(function.raw.owner)
    out = jax.ffi.ffi_call(_native.RETURNING_TARGET, _results(function, result_shape_dtypes), vmap_method="sequential")(
        *values, module=module, function=function.name, key=np.int64(_native.key(module, function.name)))
    return out[0] if len(out) == 1 else tuple(out)


class Eager:
    """Eager calls of a function on arrays of JAX as programs of XLA, which dispatches a call in a fraction of the time of jax.dlpack.

    If the module does not state all sizes, a program has those of calls that were made through DLPack. It is compiled after so many of
    them that they took about as long as the compiler takes."""

    def __init__(self, function: CompiledFunction) -> None:
        """Raises TypeError if programs cannot call the function."""
        _check_function(function)
        self._function = function
        self._every: Optional[Callable[..., Any]] = None  #: the program of a function whose sizes are all known
        self._programs: Dict[Any, Optional[Callable[..., Any]]] = {}  #: of others, by the shapes of the arguments; None after a failure
        self._counts: Dict[Any, int] = {}  #: of calls without a program, by the shapes of arguments and results
        shapes: List[Any] = [() if a.scalar else a.shape for a in (*function.inputs, *function.outputs)]
        self._counts_calls = any(shape is None or -1 in shape for shape in shapes)
        if not self._counts_calls and self._are_small(shapes[len(function.inputs):]):
            self._every = self._program(None)

    def _are_small(self, shapes: Sequence[Tuple[int, ...]]) -> bool:
        return sum(math.prod(s) * _runtime.DTYPE_SIZES[a.dtype] for s, a in zip(shapes, self._function.outputs)) <= _COPIED_BYTES

    def _program(self, result_shape_dtypes: Any) -> Callable[..., Any]:
        program: Callable[..., Any] = jax.jit(lambda *v: call(self._function, *v, result_shape_dtypes=result_shape_dtypes))
        return program

    def find(self, arguments: Tuple[Any, ...]) -> Optional[Callable[..., Any]]:
        """The program for arrays of these shapes, if there is one."""
        return self._every if not self._counts_calls else self._programs.get(tuple([v.shape for v in arguments]))

    def count(self, arguments: Tuple[Any, ...], results: Any) -> None:
        """Notes a call that was made without a program."""
        if not self._counts_calls:
            return
        results = results if isinstance(results, tuple) else (results,)
        shapes = tuple([v.shape for v in arguments])
        if shapes in self._programs or len(self._programs) >= _MAX_PROGRAMS or not self._are_small([v.shape for v in results]):
            return
        key = shapes, tuple([v.shape for v in results])
        if len(self._counts) >= 16 * _MAX_PROGRAMS:
            self._counts.clear()
        self._counts[key] = calls = self._counts.get(key, 0) + 1
        if calls == _CALLS_BEFORE_PROGRAM:
            self._programs[shapes] = self._program([jax.ShapeDtypeStruct(v.shape, v.dtype) for v in results])

    def failed(self, arguments: Tuple[Any, ...]) -> None:
        """Notes a failure of a program, which may be that the values of the arguments determine the shapes of the results."""
        if self._counts_calls:
            self._programs[tuple([v.shape for v in arguments])] = None
