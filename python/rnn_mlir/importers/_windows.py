# _windows.py - reductions of windows that jaxlib's passes convert to slow code, or not at all.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cumulative sums, and gradients of max pools with overlapping windows."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Tuple

import numpy as np

from ._dynamic import SPECIAL, Body, Converter, dims, tensor_type


def _is_identity(ir: Any, value: Any, block: Any) -> bool:
    """Whether `value` may be combined any number of times. StableHLO requires an identity, which a window combines once for each
    element of its padding. It is checked for sums and products, where the second time would change the result."""
    ops = [op.operation for op in block]
    name = ops[0].name.partition(".")[2]
    if len(ops) != 2 or name not in ("add", "multiply"):
        return True
    owner = value.owner
    while getattr(owner, "name", "") == "stablehlo.broadcast_in_dim":
        owner = owner.operands[0].owner
    if getattr(owner, "name", "") != "stablehlo.constant":
        return False
    elements = ir.DenseElementsAttr(owner.attributes["value"])
    return bool(elements.is_splat) and float(np.array(elements).flat[0]) == {"add": 0, "multiply": 1}[name]


_ELEMENTWISE = {f"stablehlo.{name}" for name in (
    "abs", "add", "and", "atan2", "cbrt", "ceil", "compare", "cosine", "divide", "exponential", "exponential_minus_one", "floor", "log",
    "log_plus_one", "logistic", "maximum", "minimum", "multiply", "negate", "not", "or", "power", "remainder", "rsqrt", "select", "sign",
    "sine", "sqrt", "subtract", "tan", "tanh", "xor")}


def _is_elementwise(block: Any) -> bool:
    """Whether the ops of a block compute a scalar from its arguments, and could do so for each element of tensors."""
    ops = [op.operation for op in block]
    known = [*block.arguments, *(result for op in ops for result in op.results)]
    return all(op.name in _ELEMENTWISE for op in ops[:-1]) and all(value in known for op in ops for value in op.operands)


def _apply(body: Body, block: Any, values: List[str], shape: List[int]) -> str:
    """The ops of a block for each element of tensors."""
    names: Dict[Any, str] = dict(zip(block.arguments, values))
    ops = [op.operation for op in block]
    for op in ops[:-1]:
        operands = ", ".join(names[operand] for operand in op.operands)
        kinds = [str(tensor_type(shape, value.type.element_type)) for value in (*op.operands, *op.results)]
        named = [op.attributes[k] for k in range(len(op.attributes))]
        attributes = ", ".join(f"{attribute.name} = {attribute.attr}" for attribute in named)
        names[op.results[0]] = body.add(f'"{op.name}"({operands}) {{{attributes}}} : ({", ".join(kinds[:-1])}) -> {kinds[-1]}')
    return names[ops[-1].operands[0]]


def _convert_cumulative(body: Body) -> List[str]:
    """Combines all elements before each one (cumsum) in steps of 1, 2, 4 ... elements. As a window, it would combine them again for
    each element."""
    ir, op = body.ir, body.op
    block = op.regions[0].blocks[0]
    if len(op.operands) != 2 or not _is_elementwise(block):
        return []
    kind, shape = body.type(0), list(body.type(0).shape)
    window = list(ir.DenseI64ArrayAttr(op.attributes["window_dimensions"]))
    axes = [axis for axis, size in enumerate(window) if size != 1]
    steps = [size for key in ("window_strides", "base_dilations", "window_dilations") if key in op.attributes
             for size in ir.DenseI64ArrayAttr(op.attributes[key])]
    if not kind.has_static_shape or len(axes) != 1 or window[axes[0]] != shape[axes[0]] or any(size != 1 for size in steps) or \
            "padding" not in op.attributes or not _is_identity(ir, op.operands[1], block):
        return []
    axis, count = axes[0], shape[axes[0]]
    padding = np.zeros((len(shape), 2), np.int64)
    padding[axis, 0] = count - 1
    found = np.array(ir.DenseIntElementsAttr(op.attributes["padding"])).reshape(padding.shape)
    is_reverse = bool(np.array_equal(found, padding[:, ::-1]))
    if not is_reverse and not np.array_equal(found, padding):
        return []
    value, step = "%0", 1
    while step < count:
        first = [step if is_reverse and k == axis else 0 for k in range(len(shape))]
        last = [size if is_reverse or k != axis else size - step for k, size in enumerate(shape)]
        low = [0 if is_reverse or k != axis else step for k in range(len(shape))]
        part = tensor_type([end - begin for begin, end in zip(first, last)], kind.element_type)
        ranges = ", ".join(f"{begin}:{end}" for begin, end in zip(first, last))
        taken = body.add(f"stablehlo.slice {value} [{ranges}] : ({kind}) -> {part}")
        moved = body.add(f"stablehlo.pad {taken}, %1, low = {low}, high = {first}, interior = {[0] * len(shape)} : "
                         f"({part}, {body.type(1)}) -> {kind}")
        value = _apply(body, block, [value, moved] if is_reverse else [moved, value], shape)
        step *= 2
    return [value]


# The ordered comparison, and the index in SPECIAL of the infinity that it selects only if there is no other element.
_COMPARISONS = {"GE": ("oge", 0), "GT": ("ogt", 0), "LE": ("ole", 2), "LT": ("olt", 2)}


def _comparison(block: Any) -> Optional[str]:
    """The direction of a block that only compares its arguments."""
    ops = [op.operation for op in block]
    if len(ops) != 2 or ops[0].name != "stablehlo.compare" or list(ops[0].operands) != list(block.arguments):
        return None
    direction = str(ops[0].attributes["comparison_direction"]).rstrip(">").split()[-1]
    return direction if direction in _COMPARISONS else None


def _loops_over_windows(body: Body, window: List[int], strides: List[int], operands: List[Tuple[str, str]],
                        results: List[Tuple[str, str]], lines: List[str], yielded: List[str]) -> List[str]:
    """A linalg.generic that reduces, for each element of the results, windows of the operands. In `lines`, %e0... are the elements of
    the operands, %r0... those of the results, and %p is the row-major index of the element in its window, an i32."""
    rank = len(window)
    element = operands[0][1].rstrip(">").rpartition("x")[2]
    windows, shape = body.empty(window, element)
    moving = ", ".join(f"d{k} * {stride} + d{rank + k}" for k, stride in enumerate(strides))
    offsets = ", ".join(f"d{rank + k}" for k in range(rank))
    places = [moving] * len(operands) + [offsets] + [dims(rank)] * len(results)
    maps = ", ".join(f"affine_map<({dims(2 * rank)}) -> ({place})>" for place in places)
    loops = ", ".join(['"parallel"'] * rank + ['"reduction"'] * rank)
    arguments = [f"%e{k}: {kind.rstrip('>').rpartition('x')[2]}" for k, (_, kind) in enumerate(operands)] + [f"%window: {element}"] + \
        [f"%r{k}: {kind.rstrip('>').rpartition('x')[2]}" for k, (_, kind) in enumerate(results)]
    position = ["%p0 = arith.constant 0 : index"]
    for k, size in enumerate(window):
        position += [f"%n{k} = arith.constant {size} : index", f"%d{k} = linalg.index {rank + k} : index",
                     f"%m{k} = arith.muli %p{k}, %n{k} : index", f"%p{k + 1} = arith.addi %m{k}, %d{k} : index"]
    position.append(f"%p = arith.index_cast %p{rank} : index to i32")
    kinds = ", ".join(kind for _, kind in results)
    text = "\n".join([f"^bb0({', '.join(arguments)}):", *position, *lines,
                      f"linalg.yield {', '.join(yielded)} : {', '.join(a.partition(': ')[2] for a in arguments[-len(results):])}"])
    return body.add_all(
        f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{loops}]}} "
        f"ins({', '.join([v for v, _ in operands] + [windows])} : {', '.join([kind for _, kind in operands] + [shape])}) "
        f"outs({', '.join(v for v, _ in results)} : {kinds}) {{\n{text}\n}} -> ({kinds})", len(results))


def _convert_select_and_scatter(body: Body) -> List[str]:
    """The gradient of a max pool: the source of each window is added to the element that the window selects. The first op finds the
    indices of these elements in their windows, and the second one adds, for each element, the sources of windows that select it."""
    ir, op, kind, source = body.ir, body.op, body.type(0), body.type(1)
    rank, element = kind.rank, kind.element_type
    direction, scatter = _comparison(op.regions[0].blocks[0]), op.regions[1].blocks[0]
    if direction is None or not kind.has_static_shape or not source.has_static_shape or 0 in source.shape or str(element) not in SPECIAL or \
            scatter.operations[0].name != "stablehlo.add" or not _is_identity(ir, op.operands[2], scatter):
        return []
    window, strides = ([int(n) for n in ir.DenseI64ArrayAttr(op.attributes[name])] if name in op.attributes else [1] * rank
                       for name in ("window_dimensions", "window_strides"))
    padding = np.zeros((rank, 2), np.int64)
    if "padding" in op.attributes:
        padding = np.array(ir.DenseIntElementsAttr(op.attributes["padding"])).reshape(padding.shape)
    if (padding < 0).any():
        return []

    def pad(value: str, kind: Any, by: str, low: Iterable[int], high: Iterable[int], interior: Iterable[int]) -> Tuple[str, str]:
        kind = ir.RankedTensorType(kind)
        shape = [int(size + more * max(size - 1, 0) + before + after)
                 for size, more, before, after in zip(kind.shape, interior, low, high)]
        wanted, scalar = tensor_type(shape, kind.element_type), tensor_type([], kind.element_type)
        constant = body.add(f"stablehlo.constant dense<{by}> : {scalar}")
        lists = ", ".join(f"{name} = [{', '.join(str(int(n)) for n in values)}]"
                          for name, values in (("low", low), ("high", high), ("interior", interior)))
        return body.add(f"stablehlo.pad {value}, {constant}, {lists} : ({kind}, {scalar}) -> {wanted}"), wanted

    predicate, infinity = _COMPARISONS[direction]
    padded = "%0", str(kind)
    if padding.any():
        padded = pad("%0", kind, SPECIAL[str(element)][infinity], padding[:, 0], padding[:, 1], [0] * rank)
    sizes = [int(size + sum(more)) for size, more in zip(kind.shape, padding)]

    start, places = body.filled(source.shape, "i32", "-1"), body.filled(source.shape, element, "0.0")
    lines = ["%none = arith.constant -1 : i32", "%first = arith.cmpi eq, %r1, %none : i32",
             f"%better = arith.cmpf {predicate}, %r0, %e0 : {element}", "%true = arith.constant true",
             "%worse = arith.xori %better, %true : i1", "%new = arith.ori %first, %worse : i1",
             f"%value = arith.select %new, %e0, %r0 : {element}", "%index = arith.select %new, %p, %r1 : i32"]
    _, selected = _loops_over_windows(body, window, strides, [padded], [places, start], lines, ["%value", "%index"])

    # Source and indices with the strides as distances, so that the windows that contain an element are a window around it.
    low = [size - 1 for size in window]
    high = [size - 1 - (count - 1) * stride for size, count, stride in zip(sizes, source.shape, strides)]
    interior = [stride - 1 for stride in strides]
    spread = pad("%1", source, "0.0", low, high, interior)
    found = pad(selected, ir.RankedTensorType.get(source.shape, ir.IntegerType.get_signless(32)), "-1", low, high, interior)
    last = int(np.prod(window)) - 1  # the windows that begin before an element contain it at later positions
    lines = [f"%last = arith.constant {last} : i32", "%at = arith.subi %last, %p : i32", "%is = arith.cmpi eq, %e1, %at : i32",
             f"%zero = arith.constant 0.0 : {element}", f"%part = arith.select %is, %e0, %zero : {element}",
             f"%sum = arith.addf %r0, %part : {element}"]
    zeros = body.filled(sizes, element, "0.0")
    value, = _loops_over_windows(body, window, [1] * rank, [spread, found], [zeros], lines, ["%sum"])
    if padding.any():
        part = ", ".join(f"{begin}:{begin + size}" for begin, size in zip(padding[:, 0], kind.shape))
        value = body.add(f"stablehlo.slice {value} [{part}] : ({zeros[1]}) -> {kind}")
    return [value]


CONVERTERS: Dict[str, Converter] = {"stablehlo.reduce_window": _convert_cumulative,
                                    "stablehlo.select_and_scatter": _convert_select_and_scatter}
