# _windows.py - reductions of windows that jaxlib's passes convert to slow code, or not at all.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cumulative sums, windows with dynamic sizes, and gradients of max pools."""

from __future__ import annotations

import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _slices
from ._body import SPECIAL, Body, Converter, Size, arithmetic, dims, tensor_type
from ._lowering import ImportFailed, call_target, elements


def _is_identity(ir: Any, value: Any, block: Any) -> bool:
    """Whether `value` may be combined any number of times. StableHLO requires an identity, which a window combines once for each
    element of its padding. It is checked for blocks of one op."""
    ops = [op.operation for op in block]
    name = ops[0].name.partition(".")[2]
    if len(ops) != 2 or name not in ("add", "multiply", "maximum", "minimum"):
        return True
    owner = value.owner
    while getattr(owner, "name", "") == "stablehlo.broadcast_in_dim":
        owner = owner.operands[0].owner
    if getattr(owner, "name", "") != "stablehlo.constant":
        return False
    element = ir.RankedTensorType(value.type).element_type
    if isinstance(element, ir.ComplexType):  # jaxlib's bindings cannot read the value
        return name in ("add", "multiply") and f"({float(name == 'multiply'):e},{0.0:e})" in str(owner)
    found = ir.DenseElementsAttr(owner.attributes["value"])
    if not found.is_splat:
        return False
    text = str(found.get_splat_value()).split()[0]
    if name in ("add", "multiply"):
        return not text.startswith("0x") and text not in ("true", "false") and float(text) == {"add": 0, "multiply": 1}[name]
    if str(element) in SPECIAL:
        return text == SPECIAL[str(element)][0 if name == "maximum" else 2]
    last = 1 << (ir.IntegerType(element).width - 1)
    return text == str(-last if name == "maximum" else last - 1)


_ELEMENTWISE = {f"stablehlo.{name}" for name in (
    "abs", "add", "and", "atan2", "cbrt", "ceil", "compare", "cosine", "divide", "exponential", "exponential_minus_one", "floor", "log",
    "log_plus_one", "logistic", "maximum", "minimum", "multiply", "negate", "not", "or", "power", "remainder", "rsqrt", "select", "sign",
    "sine", "sqrt", "subtract", "tan", "tanh", "xor")}


def _is_elementwise(block: Any) -> bool:
    """Whether the ops of a block compute a scalar from its arguments, and could do so for each element of tensors."""
    ops = [op.operation for op in block]
    known = [*block.arguments, *(result for op in ops for result in op.results)]
    return all(op.name in _ELEMENTWISE for op in ops[:-1]) and all(value in known for op in ops for value in op.operands)


def _apply(body: Body, block: Any, values: List[str], shape: Sequence[Size]) -> str:
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


class _Window(NamedTuple):
    """Attributes of an op on windows, each a list with an item per dimension."""

    sizes: List[Size]
    strides: List[int]
    base: List[int]  # distances of the elements, with padding between them
    dilation: List[int]  # distances of the elements in the window
    low: List[Size]
    high: List[Size]

    def is_dense(self) -> bool:
        return set(self.strides + self.base + self.dilation) <= {1}


def _window(body: Body) -> _Window:
    """From attributes."""
    ir, attributes, rank = body.ir, body.op.attributes, body.type(0).rank

    def array(name: str) -> List[int]:
        return [int(n) for n in ir.DenseI64ArrayAttr(attributes[name])] if name in attributes else [1] * rank

    padding = [int(n) for n in ir.DenseIntElementsAttr(attributes["padding"])] if "padding" in attributes else [0] * (2 * rank)
    return _Window([*array("window_dimensions")], array("window_strides"), array("base_dilations"), array("window_dilations"),
                   [*padding[::2]], [*padding[1::2]])


def _kind(operand: Tuple[str, str]) -> str:
    """The element type of a value and its tensor type."""
    return re.sub(r"^tensor<([0-9?]+x)*|>$", "", operand[1])


def _loops_over_windows(body: Body, window: Sequence[Size], strides: List[int], dilation: List[int], operands: List[Tuple[str, str]],
                        results: List[Tuple[str, str]], lines: List[str], yielded: List[str]) -> List[str]:
    """A linalg.generic that reduces, for each element of the results, windows of the operands. In `lines`, %e0... are the elements of
    the operands, and %r0... those of the results."""
    rank = len(window)
    windows = body.empty(window, _kind(operands[0]))
    moving = ", ".join(f"d{k} * {stride} + d{rank + k} * {step}" for k, (stride, step) in enumerate(zip(strides, dilation)))
    offsets = ", ".join(f"d{rank + k}" for k in range(rank))
    places = [moving] * len(operands) + [offsets] + [dims(rank)] * len(results)
    maps = ", ".join(f"affine_map<({dims(2 * rank)}) -> ({place})>" for place in places)
    loops = ", ".join(['"parallel"'] * rank + ['"reduction"'] * rank)
    arguments = [f"%e{k}: {_kind(operand)}" for k, operand in enumerate(operands)] + [f"%window: {_kind(windows)}"] + \
        [f"%r{k}: {_kind(result)}" for k, result in enumerate(results)]
    inputs, types = [value for value, _ in (*operands, windows)], [kind for _, kind in (*operands, windows)]
    outputs = ", ".join(kind for _, kind in results)
    text = "\n".join([f"^bb0({', '.join(arguments)}):", *lines, f"linalg.yield {', '.join(yielded)} : {', '.join(map(_kind, results))}"])
    return body.add_all(f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{loops}]}} ins({', '.join(inputs)} : {', '.join(types)}) "
                        f"outs({', '.join(value for value, _ in results)} : {outputs}) {{\n{text}\n}} -> ({outputs})", len(results))


_COMBINERS = {"add": ("arith.addf", "arith.addi", "complex.add"), "multiply": ("arith.mulf", "arith.muli", "complex.mul"),
              "maximum": ("arith.maximumf", "arith.maxsi"), "minimum": ("arith.minimumf", "arith.minsi"), "and": ("", "arith.andi"),
              "or": ("", "arith.ori"), "xor": ("", "arith.xori")}


def _reduce(body: Body, block: Any, window: _Window) -> List[str]:
    """Windows of dynamic sizes; jaxlib's passes convert the others."""
    name = block.operations[0].operation.name.partition(".")[2]
    element = body.type(0).element_type
    combiner = arithmetic(element, *_COMBINERS.get(name, ("", "")))
    if len(block.operations) != 2 or set(block.operations[0].operands) != set(block.arguments) or not combiner:
        return []
    start = body.add(f"tensor.extract %1[] : {body.type(1)}")
    source, sizes = _slices.pad(body, "%0", str(element), body.sizes(0), start, window.low, window.high, [step - 1 for step in window.base])
    result: List[Size] = []
    for size, count, stride, step in zip(sizes, window.sizes, window.strides, window.dilation):
        span = body.plus(body.times(body.minus(count, 1), step), 1)
        rest = body.at_least(body.plus(body.minus(size, span), stride), 0)  # a window that is larger than the input has no position
        result.append(rest // stride if isinstance(rest, int) else body.binary("divsi", rest, stride))
    empty, kind = body.empty(result, element)
    filled = body.add(f"linalg.fill ins({start} : {element}) outs({empty} : {kind}) -> {kind}")
    value, = _loops_over_windows(body, window.sizes, window.strides, window.dilation, [(source, tensor_type(sizes, element))], [(filled, kind)],
                                 [f"%s = {combiner} %r0, %e0 : {element}"], ["%s"])
    return [body.cast(value, kind, body.op.results[0].type)]


def _combine_in_steps(body: Body, block: Any, axis: int, is_reverse: bool) -> List[str]:
    """Combines all elements before each one (cumsum) in steps of 1, 2, 4 ... elements. As a window, it would combine them again for
    each element."""
    kind, shape = body.type(0), list(body.type(0).shape)
    value, step = "%0", 1
    while step < shape[axis]:
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


def _combine_in_loop(body: Body, block: Any, axis: int, is_reverse: bool) -> List[str]:
    """The same for dynamic sizes: a loop over the elements of the dimension."""
    kind, sizes = body.type(0), body.sizes(0)
    count, one = body.value(sizes[axis]), body.index(1)
    last = body.binary("subi", count, 1)
    shape: List[Size] = [1 if k == axis else size for k, size in enumerate(sizes)]
    part = tensor_type(shape, kind.element_type)

    def at(index: str) -> str:
        return _slices.ranges([index if k == axis else 0 for k in range(kind.rank)], shape, [1] * kind.rank)

    result = f"%v{body.count}"
    body.count += 1
    body.lines.append(f"{result} = scf.for %k = {one} to {count} step {one} iter_args(%all = %0) -> ({kind}) {{")
    index = body.add(f"arith.subi {last}, %k : index") if is_reverse else "%k"
    before = body.add(f"arith.{'addi' if is_reverse else 'subi'} {index}, {one} : index")
    combined = body.add(f"tensor.extract_slice %all{at(before)} : {kind} to {part}")
    own = body.add(f"tensor.extract_slice %all{at(index)} : {kind} to {part}")
    value = _apply(body, block, [own, combined] if is_reverse else [combined, own], shape)
    inserted = body.add(f"tensor.insert_slice {value} into %all{at(index)} : {part} into {kind}")
    body.lines += [f"scf.yield {inserted} : {kind}", "}"]
    return [result]


def _combine_all(body: Body, block: Any, window: _Window) -> List[str]:
    """A window of all elements before each one, or after each one; nothing if the window is another one."""
    sizes = list(body.type(0).shape)
    axes = [axis for axis, size in enumerate(window.sizes) if size != 1]
    if len(axes) != 1 or not window.is_dense() or not _is_elementwise(block) or not _is_identity(body.ir, body.op.operands[1], block) or \
            any(size != 0 for k, size in enumerate((*window.low, *window.high)) if k % len(sizes) != axes[0]):
        return []
    axis = axes[0]
    size, low, high = window.sizes[axis], window.low[axis], window.high[axis]
    if 0 not in (low, high) or low == high:
        return []
    is_reverse = low == 0
    if body.type(0).is_dynamic_dim(axis):
        if isinstance(size, int) or isinstance(low if high == 0 else high, int):
            return []
        count = body.sizes(0)[axis]
        for given, wanted in ((size, count), (high if is_reverse else low, body.minus(count, 1))):
            same = body.add(f"arith.cmpi eq, {given}, {body.value(wanted)} : index")
            body.lines.append(f'cf.assert {same}, "a window of dynamic size that begins or ends at each element is supported for all '
                              f'elements before or after it only, as of jnp.cumsum"')
        return _combine_in_loop(body, block, axis, is_reverse)
    if size != sizes[axis] or (high if is_reverse else low) != sizes[axis] - 1:
        return []
    return (_combine_in_steps if body.type(0).has_static_shape else _combine_in_loop)(body, block, axis, is_reverse)


def _convert_reduction(body: Body) -> List[str]:
    if len(body.op.operands) != 2:
        return []
    block, window = body.op.regions[0].blocks[0], _window(body)
    return _combine_all(body, block, window) or ([] if body.type(0).has_static_shape else _reduce(body, block, window))


def _convert_dynamic_reduction(body: Body) -> List[str]:
    """jax.export calls a function for windows of symbolic sizes. Its operands after the initial value have the attributes."""
    op, ir = body.op, body.ir
    if call_target(body.mlir, op) != "stablehlo.dynamic_reduce_window" or len(op.results) != 1:
        return []
    attributes = [body.constant(k) for k in (3, 4, 5)]
    strides, base, dilation = (found or [] for found in attributes)
    if not all(attributes):
        raise ImportFailed(f"{op.name} of `stablehlo.dynamic_reduce_window` is supported with constant strides and dilations only")
    padding = elements(body.mlir, op.operands[6]) or [None] * (2 * body.type(0).rank)
    sides = [value if value is not None else body.add(
        f"arith.index_cast {body.add(f'tensor.extract %6[{body.index(k // 2)}, {body.index(k % 2)}] : {body.type(6)}')} : "
        f"{body.type(6).element_type} to index") for k, value in enumerate(padding)]
    window = _Window(body.integers(2), strides, base, dilation, sides[::2], sides[1::2])
    name = ir.FlatSymbolRefAttr(ir.ArrayAttr(op.attributes["called_computations"])[0]).value
    parent = op
    while parent.name != "builtin.module":
        parent = parent.parent.operation
    function = next(inner for inner in parent.regions[0].blocks[0] if "sym_name" in inner.attributes and
                    ir.StringAttr(inner.attributes["sym_name"]).value == name)
    function.attributes["sym_visibility"] = ir.StringAttr.get("private")  # of JAX it is public
    block = function.regions[0].blocks[0]
    return _combine_all(body, block, window) or _reduce(body, block, window)


# The ordered comparison, and the index in SPECIAL of the infinity that it selects only if there is no other element.
_COMPARISONS = {"GE": ("oge", 0), "GT": ("ogt", 0), "LE": ("ole", 2), "LT": ("olt", 2)}


def _comparison(block: Any) -> Optional[str]:
    """The direction of a block that only compares its arguments."""
    ops = [op.operation for op in block]
    if len(ops) != 2 or ops[0].name != "stablehlo.compare" or list(ops[0].operands) != list(block.arguments):
        return None
    direction = str(ops[0].attributes["comparison_direction"]).rstrip(">").split()[-1]
    return direction if direction in _COMPARISONS else None


def _convert_select_and_scatter(body: Body) -> List[str]:
    """The gradient of a max pool: the source of each window is added to the element that the window selects. The first op finds the
    indices of these elements in their windows, and the second one adds, for each element, the sources of windows that select it."""
    op, window, element, rank = body.op, _window(body), str(body.type(0).element_type), body.type(0).rank
    counts, ones, none = [int(size) for size in window.sizes], [1] * rank, [0] * rank
    direction, scatter = _comparison(op.regions[0].blocks[0]), op.regions[1].blocks[0]
    if direction is None or 0 in body.type(1).shape or element not in SPECIAL or scatter.operations[0].name != "stablehlo.add" or \
            not _is_identity(body.ir, op.operands[2], scatter) or any(int(size) < 0 for size in (*window.low, *window.high)):
        return []
    # The row-major index of an element in its window.
    position = ["%p0 = arith.constant 0 : index"]
    for k, count in enumerate(counts):
        position += [f"%n{k} = arith.constant {count} : index", f"%d{k} = linalg.index {rank + k} : index",
                     f"%m{k} = arith.muli %p{k}, %n{k} : index", f"%p{k + 1} = arith.addi %m{k}, %d{k} : index"]
    position.append(f"%p = arith.index_cast %p{rank} : index to i32")

    predicate, infinity = _COMPARISONS[direction]
    bound = body.add(f"arith.constant {SPECIAL[element][infinity]} : {element}")
    padded, sizes = _slices.pad(body, "%0", element, body.sizes(0), bound, window.low, window.high, none)
    sources = body.sizes(1)
    places, start = body.filled(sources, element, "0.0"), body.filled(sources, "i32", "-1")
    lines = ["%none = arith.constant -1 : i32", "%first = arith.cmpi eq, %r1, %none : i32",
             f"%better = arith.cmpf {predicate}, %r0, %e0 : {element}", "%true = arith.constant true",
             "%worse = arith.xori %better, %true : i1", "%new = arith.ori %first, %worse : i1",
             f"%value = arith.select %new, %e0, %r0 : {element}", "%index = arith.select %new, %p, %r1 : i32"]
    _, selected = _loops_over_windows(body, counts, window.strides, ones, [(padded, tensor_type(sizes, element))], [places, start],
                                      position + lines, ["%value", "%index"])

    # Source and indices with the strides as distances, so that the windows that contain an element are a window around it.
    low = [count - 1 for count in counts]
    high = [body.minus(body.minus(size, 1), body.times(body.minus(count, 1), stride))
            for size, count, stride in zip(sizes, sources, window.strides)]
    spread = []
    for value, kind, by in (("%1", element, "0.0"), (selected, "i32", "-1")):
        scalar = body.add(f"arith.constant {by} : {kind}")
        value, wide = _slices.pad(body, value, kind, sources, scalar, low, high, [stride - 1 for stride in window.strides])
        spread.append((value, tensor_type(wide, kind)))
    last = int(np.prod(counts)) - 1  # the windows that begin before an element contain it at later positions
    lines = [f"%last = arith.constant {last} : i32", "%at = arith.subi %last, %p : i32", "%is = arith.cmpi eq, %e1, %at : i32",
             f"%zero = arith.constant 0.0 : {element}", f"%part = arith.select %is, %e0, %zero : {element}",
             f"%sum = arith.addf %r0, %part : {element}"]
    zeros = body.filled(sizes, element, "0.0")
    value, = _loops_over_windows(body, counts, ones, ones, spread, [zeros], position + lines, ["%sum"])
    if any((*window.low, *window.high)):
        kind = tensor_type(body.sizes(0), element)
        value = body.add(f"tensor.extract_slice {value}{_slices.ranges(window.low, body.sizes(0), ones)} : {zeros[1]} to {kind}")
    return [body.cast(value, tensor_type(body.sizes(0), element), op.results[0].type)]


#: Before concatenations are converted, in which constants are found, and afterwards.
FIRST: Dict[str, Converter] = {"stablehlo.custom_call": _convert_dynamic_reduction}
BEFORE: Dict[str, Converter] = {"stablehlo.reduce_window": _convert_reduction, "stablehlo.select_and_scatter": _convert_select_and_scatter}
