# _separate.py - parameters in arrays of their own as arguments of compiled functions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The buffer and the table of offsets of separate parameters (docs/Semantics.md, "Separate parameters")."""

from __future__ import annotations

import ctypes
from typing import Any, List, Sequence, Tuple

#: The columns of a table: W, R, Wr, bW, bR.
COLUMNS = 5
#: Elements of the buffer for calls that are prepared before its tensors exist. Addresses are less than 2^57.
ANY_SIZE = 1 << 58


def locate(addresses: Sequence[int], itemsize: int, per_layer: int) -> Tuple[int, Any]:
    """The address of the buffer that extends over all tensors, and the table of their offsets, which must live until the call
    returns. The tensors are in the order of the flat array: all matrices, then all biases; `per_layer` of them belong to each layer
    and direction."""
    count, matrices = len(addresses) // per_layer, per_layer - 2
    base = min(addresses)
    table = (ctypes.c_int64 * (COLUMNS * count))()
    for k, address in enumerate(addresses):
        offset, rest = divmod(address - base, itemsize)
        if rest:
            raise ValueError(f"tensor {k} of the parameters is not aligned to its elements of {itemsize} bytes")
        bias = k - count * matrices
        row, column = divmod(k, matrices) if bias < 0 else (bias // 2, COLUMNS - 2 + bias % 2)
        table[row * COLUMNS + column] = offset
    return base, table


def shapes(inputs: Sequence[Any], outputs: Sequence[Any], first: int, tensors: int, per_layer: int,
           gradient: bool) -> List[Any]:
    """The shapes of the arguments of a function with offsets, of whose `inputs` and `outputs` (of a gradient) `tensors` from index
    `first` on are the parameters."""
    buffer, table = (ANY_SIZE,), (tensors // per_layer, COLUMNS)
    given = [*inputs[:first], buffer, table, *inputs[first + tensors:]]
    return [*given, table, *outputs[:first], buffer] if gradient else [*given, *outputs]


def pointers(inputs: Sequence[int], outputs: Sequence[int], first: int, tensors: int, per_layer: int, gradient: bool,
             itemsize: int) -> Tuple[List[int], Any]:
    """The addresses of the same arguments, and what must live until the call returns."""
    base, table = locate(inputs[first:first + tensors], itemsize, per_layer)
    given = [*inputs[:first], base, ctypes.addressof(table), *inputs[first + tensors:]]
    if not gradient:
        return [*given, *outputs], table
    dbase, dtable = locate(outputs[first:first + tensors], itemsize, per_layer)
    return [*given, ctypes.addressof(dtable), *outputs[:first], dbase], (table, dtable)
