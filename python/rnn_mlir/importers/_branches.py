# _branches.py - the values that TensorFlow's gradients of branches save.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tf.cond of which TensorFlow computes the gradient returns what the gradient of each branch needs as optional values, which only that
branch has. Here the other branches return zeros in their place, which nothing reads."""

from __future__ import annotations

import functools
from typing import Any, List

from ._counters import number_type
from ._emitter import Emitter, integer_of
from ._graph import copies, named, origin_of, set_type
from ._lowering import ImportFailed
from ._sizes import op_of, rank_of, size_of_items


def replace(mlir: Any, module: Any) -> bool:
    """Replaces optional tensors that branches return in a module of the tf dialect. Returns whether there were any; types of other
    values may then be refined."""
    ops = named(module, "tf.IfRegion", "tf.CaseRegion")  # inner ones first
    return any([_replace_result(mlir, op, k) for op in ops for k in range(len(op.results))])


def replace_reads(mlir: Any, module: Any) -> None:
    """Replaces the reads of values that are no longer optional."""
    for op in named(module, "tf.OptionalGetValue"):
        if "variant" not in str(op.operands[0].type):
            op.results[0].replace_all_uses_with(op.operands[0])
            op.erase()


def _replace_result(mlir: Any, op: Any, k: int) -> bool:
    ends = [list(region.blocks[0])[-1].operation for region in op.regions]
    makers = [op_of(origin_of(end.operands[k])) for end in ends]
    if any(maker is None or maker.name not in ("tf.OptionalFromValue", "tf.OptionalNone") for maker in makers):
        return False
    values = [maker.operands[0] for maker in makers if maker.name == "tf.OptionalFromValue"]
    # Branches of branches may share a result for values of different types.
    if len({str(value.type) for value in values}) != 1 or "variant" in str(values[0].type) or rank_of(mlir, values[0]) < 0:
        return False
    kind = values[0].type
    for end, maker in zip(ends, makers):
        end.operands[k] = maker.operands[0] if maker.name == "tf.OptionalFromValue" else _zeros(mlir, end, values[0], op)
    set_type(op.results[k], kind)
    for maker in makers:
        _erase_unused(maker)
    return True


def _zeros(mlir: Any, end: Any, value: Any, branches: Any) -> Any:
    """Zeros of the shape of `value`, which another branch computes, in front of the terminator of a branch. A list may save them: their
    sizes are those of values in front of the branches. Where these are unknown, they are 0."""
    ir = mlir.ir
    kind = ir.RankedTensorType(value.type)
    emit, number = Emitter(mlir, end), number_type(mlir)
    sizes = []
    for dim in range(kind.rank):
        try:
            found = size_of_items(mlir, [value], dim, branches)
        except ImportFailed:
            found = [0]
        parts = [emit.constant(source, number) if isinstance(source, int) else _size(mlir, emit, *source, number) for source in found]
        sizes.append(functools.reduce(lambda left, right: emit.combine("Maximum", left, right), parts))
    constant = [integer_of(mlir, size) for size in sizes]
    if None not in constant:
        return emit.constant(0, ir.RankedTensorType.get(constant, kind.element_type))
    shape = emit.pack(sizes, ir.RankedTensorType.get([kind.rank], ir.IntegerType.get_signless(32)))
    return emit.add("Fill", [shape, emit.constant(0, ir.RankedTensorType.get([], kind.element_type))], kind)


def _size(mlir: Any, emit: Emitter, value: Any, position: int, number: Any) -> Any:
    """A source of `size_of_items` as an integer."""
    if position < 0:
        return emit.add("Cast", [emit.element(value, -1 - position, mlir.ir.RankedTensorType.get(
            [], mlir.ir.RankedTensorType(value.type).element_type))], number)
    shape = mlir.ir.RankedTensorType.get([rank_of(mlir, value)], mlir.ir.IntegerType.get_signless(32))
    return emit.element(emit.add("Shape", [value], shape), position, number)


def _erase_unused(op: Any) -> None:
    """Erases an op and its copies if nothing else uses them."""
    if list(copies(op.results[0])):
        return
    users: List[Any] = [use.owner.operation for use in op.results[0].uses]
    for user in users:
        _erase_unused(user)
    op.erase()
