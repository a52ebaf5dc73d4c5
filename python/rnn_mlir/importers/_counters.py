# _counters.py - counters and numbers of iterations of loops of the tf dialect.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops are tf.WhileRegion ops, with one region for the condition and one for the body."""

from __future__ import annotations

from typing import Any, Iterator, List, Optional, Tuple

from ._emitter import Emitter, integer_of
from ._graph import named, origin_of, set_type
from ._lowering import ImportFailed, operations
from ._sizes import op_of, precedes

# Ops that are moved in front of a loop if their operands are computed there.
PURE = {f"tf.{name}" for name in (
    "Cast", "ConcatV2", "ExpandDims", "Fill", "Identity", "Pack", "Reshape", "Shape", "Size", "Slice", "Split", "SplitV", "Squeeze",
    "StridedSlice", "TensorListElementShape", "TensorListLength", "Transpose", "Unpack",
    # numbers of iterations
    "AddV2", "Maximum", "Minimum", "Sub")}


def number_type(mlir: Any) -> Any:
    """The type of numbers of iterations."""
    return mlir.ir.RankedTensorType.get([], mlir.ir.IntegerType.get_signless(32))


def block_of(op: Any, region: int) -> Any:
    return op.regions[region].blocks[0]


def yielded(op: Any, region: int, k: int) -> Any:
    """Operand `k` of the terminator of a region."""
    return origin_of(list(block_of(op, region))[-1].operation.operands[k])


def counter_of(mlir: Any, loop: Any) -> int:
    """The position of a value that starts as 0 and is the number of the iteration."""
    found = next((k for k, start in enumerate(loop.operands) if start.type == number_type(mlir) and integer_of(mlir, start) == 0 and
                  step_of(mlir, loop, k) == 1), None)
    if found is None:
        raise ImportFailed("a loop whose gradient is computed has no counter that starts at 0 and increases by 1, which tf.while_loop adds "
                           "to each loop")
    return found


def hoist(value: Any, loop: Any) -> Any:
    """Moves the op of a value in front of the loop if its operands can be computed there. Returns the value without copies."""
    op = op_of(value)
    if op is not None and op.name in PURE and not precedes(value, loop):
        for operand in op.operands:
            hoist(operand, loop)
        if all(precedes(operand, loop) for operand in op.operands):
            op.move_before(loop)
    return origin_of(value)


def step_of(mlir: Any, loop: Any, k: int) -> Optional[int]:
    """The constant that the loop adds to value `k` in each iteration, or None."""
    argument, op = block_of(loop, 1).arguments[k], op_of(yielded(loop, 1, k))
    if op is None or op.name not in ("tf.AddV2", "tf.Add", "tf.Sub"):
        return None
    operands = [origin_of(operand) for operand in op.operands]
    if operands[0] != argument:
        operands.reverse()
    if operands[0] != argument or (op.name == "tf.Sub" and origin_of(op.operands[0]) != argument):
        return None
    step = integer_of(mlir, operands[1])
    return None if step is None else -step if op.name == "tf.Sub" else step


def _conditions(value: Any) -> Iterator[Any]:
    """The ops whose results must all be true."""
    op = op_of(origin_of(value))
    if op is not None and op.name == "tf.LogicalAnd":
        for operand in op.operands:
            yield from _conditions(operand)
    else:
        yield op


def _bound(mlir: Any, loop: Any, condition: Any, emit: Emitter) -> Any:
    """The number of iterations after which a comparison of the loop's condition is false, in front of the loop; or None."""
    if condition is None or condition.name not in ("tf.Less", "tf.Greater"):
        return None
    arguments = list(block_of(loop, 0).arguments)
    is_less = condition.name == "tf.Less"
    left, right = (hoist(operand, loop) for operand in condition.operands)
    if left not in arguments or (right in arguments and step_of(mlir, loop, arguments.index(left)) is None):
        left, right, is_less = right, left, not is_less
    if left not in arguments:
        return None
    position = arguments.index(left)
    step = step_of(mlir, loop, position)
    if right in arguments:  # a value that the loop does not change
        k = arguments.index(right)
        right = origin_of(loop.operands[k]) if yielded(loop, 1, k) == block_of(loop, 1).arguments[k] else None
    if not step or (step > 0) != is_less or right is None or not precedes(right, loop) or right.type != left.type:
        return None
    start, end = loop.operands[position], right
    if not is_less:
        start, end, step = end, start, -step
    length = emit.combine("Sub", end, start)
    if step != 1:
        rounded = emit.combine("Sub", length, emit.constant(1 - step, length.type))
        length = emit.combine("FloorDiv", rounded, emit.constant(step, length.type))
    return emit.cast(emit.combine("Maximum", length, emit.constant(0, length.type)), number_type(mlir))


def _is_same(mlir: Any, left: Any, right: Any) -> bool:
    """Whether two numbers are one constant, or computed in one way."""
    number = integer_of(mlir, left)
    if number is not None:
        return bool(number == integer_of(mlir, right) and left.type == right.type)
    first, second = op_of(left), op_of(right)
    return left == right or (first is not None and second is not None and first.name == second.name and
                             first.name in ("tf.Cast", "tf.Maximum", "tf.Sub", "tf.FloorDiv") and
                             all(_is_same(mlir, *pair) for pair in zip(first.operands, second.operands)))


def iterations_of(mlir: Any, loop: Any) -> Tuple[Any, bool]:
    """The largest number of iterations that the condition of a loop allows, in front of it, and whether there are as many; (None, False)
    if it is unknown."""
    emit, most, is_exact = Emitter(mlir, loop), None, True
    for condition in _conditions(yielded(loop, 0, 0)):
        bound = _bound(mlir, loop, condition, emit)
        if bound is None:
            is_exact = False
        elif most is None:
            most = bound
        elif not _is_same(mlir, most, bound):
            most = emit.combine("Minimum", most, bound)
    return most, is_exact and most is not None


def simplify(mlir: Any, module: Any) -> None:
    """Leaves one counter of those that count alike, as that of tf.while_loop and that of the program, and one condition of those that
    bound them alike: such loops have a known number of iterations."""
    for loop in named(module, "tf.WhileRegion"):
        first: List[int] = []
        for k, start in enumerate(loop.operands):
            if step_of(mlir, loop, k) is None:
                continue
            same = next((other for other in first if step_of(mlir, loop, other) == step_of(mlir, loop, k) and
                         _is_same(mlir, loop.operands[other], start)), None)
            if same is None:
                first.append(k)
                continue
            for values in (loop.results, *(block_of(loop, region).arguments for region in range(2))):
                values[k].replace_all_uses_with(values[same])
            end = list(block_of(loop, 1))[-1].operation
            end.operands[k] = block_of(loop, 1).arguments[k]
        for op in [op for op in operations(loop) if op.name == "tf.LogicalAnd" and op.block == block_of(loop, 0)]:
            emit = Emitter(mlir, loop)
            bounds = [_bound(mlir, loop, op_of(origin_of(operand)), emit) for operand in op.operands]
            if all(bound is not None for bound in bounds) and _is_same(mlir, *bounds):
                op.results[0].replace_all_uses_with(op.operands[0])


def drop_value(mlir: Any, loop: Any, k: int, value: Any = None) -> None:
    """Replaces a value of a loop, which no iteration changes, by `value`, and carries a number instead, which later passes drop."""
    kind = number_type(mlir)
    list(block_of(loop, 1))[-1].operation.operands[k] = block_of(loop, 1).arguments[k]
    for carried in (loop.results[k], *(region.blocks[0].arguments[k] for region in loop.regions)):
        for use in list(carried.uses):
            user = use.owner.operation
            if value is not None and (user.name != "tf.Yield" or user.parent.operation != loop):
                user.operands[use.operand_number] = value
        set_type(carried, kind)
    loop.operands[k] = Emitter(mlir, loop).constant(0, kind)
