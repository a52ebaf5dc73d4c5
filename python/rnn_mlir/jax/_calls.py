# _calls.py - functions of rnn_mlir.compile in programs of JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions as calls of XLA's foreign function interface."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from .. import _dlpack, _signature, _variants
from .._function import CompiledFunction, _error
from . import _native


def _describe(shape: Optional[Sequence[int]]) -> str:
    return "*" if shape is None else "[" + ",".join("?" if n < 0 else str(n) for n in shape) + "]"


def _fits(shape: Sequence[int], expected: Optional[Sequence[int]]) -> bool:
    return expected is None or (len(shape) == len(expected) and all(e in (-1, n) for n, e in zip(shape, expected)))


def check_function(function: CompiledFunction) -> None:
    """Raises if programs of JAX cannot call the function."""
    if not isinstance(function, CompiledFunction):
        raise TypeError(f"expected a function of rnn_mlir.compile or rnn_mlir.load, but got {type(function).__name__}")
    target = "cuda" if function.raw.device_memory else function._device
    if target != "host":
        raise TypeError(f"`{function.name}` was compiled for target {target}: programs of JAX call functions for target host")
    written = [k for k, a in enumerate(function.inputs) if a.written]
    if written:
        raise TypeError(f"{function._where(written[0])} is written by the function, but arrays of JAX do not change: return a tensor "
                        "instead")
    if not function.outputs:
        raise TypeError(f"`{function.name}` returns no tensor: JAX removes calls without results")
    _dlpack.check_jax_types(function.name, (a.dtype for a in (*function.inputs, *function.outputs)))


def _scalar(function: CompiledFunction, index: int, value: Any) -> Any:
    dtype = _dlpack.to_numpy_dtype(function.inputs[index].dtype)
    if not isinstance(value, jax.Array):
        return jnp.asarray(function._number(index, value).value, dtype)
    # A Python number that became an argument of jax.jit has no type of its own.
    if value.shape == () and getattr(jax.typeof(value), "weak_type", False) and np.can_cast(value.dtype, dtype, "same_kind"):
        return jax.lax.convert_element_type(value, dtype)
    return value


def _argument(function: CompiledFunction, index: int, value: Any) -> Any:
    expected, where = function.inputs[index], function._where(index)
    if expected.scalar:
        value = _scalar(function, index, value)
    if not isinstance(value, (jax.Array, np.ndarray)):
        raise _error(f"{where} must be an array of JAX or NumPy, but got {type(value).__name__}")
    dtype = _dlpack.numpy_dtypes().get(value.dtype)
    if dtype != expected.dtype:
        raise _error(f"{where} must have elements of type {expected.dtype}, but got {dtype or value.dtype}")
    if len(value.shape) > _signature.MAX_RANK:
        raise _error(f"{where} has {len(value.shape)} dimensions; compiled code has at most {_signature.MAX_RANK}")
    if not _fits(value.shape, () if expected.scalar else expected.shape):
        raise _error(f"{where} must have shape {_describe(() if expected.scalar else expected.shape)}, but got {_describe(value.shape)}")
    return value


def _result(function: CompiledFunction, index: int, struct: Any, shapes: Sequence[Sequence[int]]) -> jax.ShapeDtypeStruct:
    output, where = function.outputs[index], f"result {index} of `{function.name}`"
    shape = function.raw.result_shape(index, shapes)
    if struct is None:
        if shape is None:
            raise TypeError(f"{where} has shape {_describe(output.shape)}, its sizes do not follow from those of the arguments, and the "
                            "compiler of JAX needs all sizes: use rnn_mlir.jax.call with result_shape_dtypes, or known sizes in the module")
        # Sizes may be symbols of jax.export.
        if any(isinstance(size, int) and size < 0 for size in shape):
            raise _error(f"{where} would have shape {list(shape)} for arguments of shapes {', '.join(map(_describe, shapes))}")
        return jax.ShapeDtypeStruct(shape, _dlpack.to_numpy_dtype(output.dtype))
    if not hasattr(struct, "shape") or not hasattr(struct, "dtype"):
        raise _error(f"result_shape_dtypes must have an array or a jax.ShapeDtypeStruct for {where}, but has {type(struct).__name__}")
    if shape is None:
        shape = output.shape
    if not _fits(struct.shape, shape) or len(struct.shape) > _signature.MAX_RANK:
        raise _error(f"{where} has shape {_describe(shape)}, but result_shape_dtypes has {_describe(struct.shape)}")
    dtype = _dlpack.numpy_dtypes().get(np.dtype(struct.dtype))
    if dtype != output.dtype:
        raise _error(f"{where} has elements of type {output.dtype}, but result_shape_dtypes has {dtype or struct.dtype}")
    return jax.ShapeDtypeStruct(struct.shape, struct.dtype)


def _results(function: CompiledFunction, given: Any, shapes: Sequence[Sequence[int]]) -> List[jax.ShapeDtypeStruct]:
    count = len(function.outputs)
    if given is None:
        given = [None] * count
    elif not isinstance(given, (list, tuple)):
        given = [given]
    if len(given) != count:
        raise _error(f"`{function.name}` has {count} result{'s' * (count != 1)}, but result_shape_dtypes has {len(given)}")
    return [_result(function, k, struct, shapes) for k, struct in enumerate(given)]


def call(function: CompiledFunction, /, *arguments: Any, result_shape_dtypes: Any = None, **named: Any) -> Any:
    """Calls a function of `rnn_mlir.compile`, `compile_module` or `load` in a program of JAX on the CPU.

    Inside of `jax.jit`, `function(*arguments)` does the same. `result_shape_dtypes` has the shape and the type of each result, as in
    `jax.pure_callback`: an array, a `jax.ShapeDtypeStruct`, or a list of them. It is needed if sizes of a result are neither stated
    by the module nor sums of multiples of sizes of the arguments. Returns one array, or a tuple.

    The function must be for target host and pure: JAX may remove, repeat and merge calls. Dropout is not pure. The call has no
    derivatives (define them by `jax.custom_vjp`), and `jax.vmap` calls the function once for each example. A sharded array is
    gathered, unless the call is in `jax.shard_map`. A program of `jax.export` names the file of the library.

    Raises InvalidArgument or TypeError when the program is traced; failures of the function are errors of the program's execution.
    """
    check_function(function)
    if named:
        arguments = function._order(arguments, named)
    if len(arguments) != len(function.inputs):
        raise _error(f"`{function.name}` expects {len(function.inputs)} arguments, but got {len(arguments)}")
    values = [_argument(function, k, v) for k, v in enumerate(arguments)]
    module = _variants.library_module(function.raw.owner)
    out = jax.ffi.ffi_call(_native.RETURNING_TARGET, _results(function, result_shape_dtypes, [v.shape for v in values]), vmap_method="sequential")(
        *values, module=module, function=function.name, key=np.int64(_native.key(module, function.name)))
    return out[0] if len(out) == 1 else tuple(out)
