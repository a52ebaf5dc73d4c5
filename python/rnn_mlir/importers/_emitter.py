# _emitter.py - adds ops of the tf dialect to a module.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import operator
from typing import Any, Callable, Dict, List, Optional

from ._lowering import constant
from ._sizes import rank_of


def integer_of(mlir: Any, value: Any) -> Optional[int]:
    """The value of a constant integer without dimensions, or None."""
    is_integer = rank_of(mlir, value) == 0 and isinstance(mlir.ir.RankedTensorType(value.type).element_type, mlir.ir.IntegerType)
    values = constant(mlir, value) if is_integer else None
    return values[0] if values else None


_FOLD: Dict[str, Callable[[int, int], int]] = {
    "AddV2": operator.add, "Sub": operator.sub, "Mul": operator.mul, "FloorDiv": operator.floordiv, "Maximum": max, "Minimum": min}
# Right operands that change nothing.
_NEUTRAL = {"AddV2": 0, "Sub": 0, "Mul": 1, "FloorDiv": 1}


class Emitter:
    """Adds ops on integers without dimensions in front of another op."""

    def __init__(self, mlir: Any, op: Any) -> None:
        self.mlir, self.op, self.point = mlir, op, mlir.ir.InsertionPoint(op)

    def add(self, name: str, operands: List[Any], kind: Any, **attributes: Any) -> Any:
        return self.mlir.ir.Operation.create(f"tf.{name}", results=[kind], operands=operands, attributes=attributes,
                                             loc=self.op.location, ip=self.point).result

    def constant(self, value: float, kind: Any) -> Any:
        ir, element = self.mlir.ir, self.mlir.ir.RankedTensorType(kind).element_type
        element = ir.IntegerAttr.get(element, value) if isinstance(element, ir.IntegerType) else ir.FloatAttr.get(element, value)
        return self.add("Const", [], kind, value=ir.DenseElementsAttr.get([element], kind))

    def cast(self, value: Any, kind: Any) -> Any:
        """An integer as another type of integer."""
        number = integer_of(self.mlir, value)
        if value.type == kind:
            return value
        return self.constant(number, kind) if number is not None else self.add("Cast", [value], kind)

    def pack(self, numbers: List[Any], kind: Any) -> Any:
        """A vector of numbers."""
        return self.add("Pack", numbers, kind, axis=self.mlir.ir.IntegerAttr.get(self.mlir.ir.IntegerType.get_signless(64), 0))

    def element(self, vector: Any, k: int, kind: Any) -> Any:
        """Element `k` of a vector of integers."""
        ir = self.mlir.ir
        bounds = [self.constant_vector(n) for n in (k, k + 1, 1)]
        masks = {f"{name}_mask": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), int(name == "shrink_axis"))
                 for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
        return self.add("StridedSlice", [vector, *bounds], kind, **masks)

    def constant_vector(self, value: int) -> Any:
        ir = self.mlir.ir
        element = ir.IntegerType.get_signless(32)
        kind = ir.RankedTensorType.get([1], element)
        return self.add("Const", [], kind, value=ir.DenseElementsAttr.get([ir.IntegerAttr.get(element, value)], kind))

    def combine(self, name: str, left: Any, right: Any) -> Any:
        """An op of `_FOLD` on two integers, or its value if they are constant."""
        x, y = integer_of(self.mlir, left), integer_of(self.mlir, right)
        if x is not None and y is not None:
            return self.constant(_FOLD[name](x, y), left.type)
        if y is not None and y == _NEUTRAL.get(name):
            return left
        return self.add(name, [left, right], left.type)
