# _signature.py - the arguments and results of compiled functions: names, types and shapes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled library states about its functions (rnn_runtime/function.h)."""

from __future__ import annotations

import ctypes
from typing import Dict, NamedTuple, Optional, Tuple

#: rnnrt_dtype_t by name.
DTYPE_CODES: Dict[str, int] = {"f16": 0, "bf16": 1, "f32": 2, "f64": 3, "i1": 4, "i8": 5, "i16": 6, "i32": 7, "i64": 8}
DTYPE_NAMES: Tuple[str, ...] = tuple(DTYPE_CODES)
DTYPE_SIZES: Dict[str, int] = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8}

MAX_RANK = 8


class RawArgument(ctypes.Structure):  # rnnrt_argument_t
    _fields_ = [("name", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_int64)), ("dtype", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("kind", ctypes.c_int32), ("flags", ctypes.c_int32),
                ("sizes", ctypes.POINTER(ctypes.c_int64))]


class RawFunction(ctypes.Structure):  # rnnrt_function_t
    _fields_ = [("abi_version", ctypes.c_int32), ("flags", ctypes.c_int32), ("name", ctypes.c_char_p),
                ("inputs", ctypes.POINTER(RawArgument)), ("outputs", ctypes.POINTER(RawArgument)),
                ("num_inputs", ctypes.c_int64), ("num_outputs", ctypes.c_int64), ("entry", ctypes.c_void_p)]


class RawExports(ctypes.Structure):  # rnnrt_exports_t
    _fields_ = [("abi_version", ctypes.c_int32), ("num_functions", ctypes.c_int32),
                ("functions", ctypes.POINTER(ctypes.POINTER(RawFunction)))]


class Argument(NamedTuple):
    """An argument or result of a compiled function."""

    name: str  #: empty if the module has no name for it
    dtype: str  #: as f32
    shape: Optional[Tuple[int, ...]]  #: -1 is any size; None is any rank
    scalar: bool  #: one value, not a tensor
    read: bool  #: the function reads it
    written: bool  #: the function writes it: a result, or a memref argument
    #: Of a result: its sizes as linear functions of the sizes of the arguments (function.h); None if the shape states them, or
    #: they are known after the call only.
    sizes: Optional[Tuple[Tuple[int, ...], ...]] = None


def read_argument(raw: RawArgument, result: bool, columns: int) -> Argument:
    """`columns`: of the matrix `sizes` of a result."""
    shape = None if raw.rank < 0 else tuple(raw.shape[k] for k in range(raw.rank))
    flags = raw.flags
    sizes = tuple(tuple(raw.sizes[row * columns:(row + 1) * columns]) for row in range(raw.rank)) if raw.sizes else None
    return Argument((raw.name or b"").decode(), DTYPE_NAMES[raw.dtype], shape, raw.kind == 1,
                    not result and not flags & 2, result or bool(flags & 1), sizes)


def where(index: int, argument: Argument, function: str) -> str:
    """An argument in messages: argument 0 (`x`) of `main`. Modules in bytecode have no names of arguments."""
    return f"argument {index}" + (f" (`{argument.name}`)" if argument.name else "") + f" of `{function}`"
