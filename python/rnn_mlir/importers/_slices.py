# _slices.py - padding, and slices that are replaced, with dynamic sizes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jaxlib's passes convert these ops of static sizes only."""

from __future__ import annotations

from typing import Dict, List, Sequence, Tuple

from ._body import Body, Converter, Size, tensor_type


def ranges(offsets: Sequence[Size], sizes: Sequence[Size], strides: Sequence[Size]) -> str:
    """The text of a slice: [offsets][sizes][strides]."""
    return "".join("[" + ", ".join(map(str, values)) + "]" for values in (offsets, sizes, strides))


def pad(body: Body, value: str, element: str, sizes: Sequence[Size], scalar: str, low: Sequence[Size], high: Sequence[Size],
        interior: Sequence[Size]) -> Tuple[str, List[Size]]:
    """A tensor with `scalar` before, after and between its elements, as stablehlo.pad, and its sizes. Negative padding removes elements."""
    kind = tensor_type(sizes, element)
    keeps_all = all(isinstance(size, int) and size >= 0 for size in (*low, *high))
    if keeps_all and not any(interior) and 0 not in sizes:
        result = [body.plus(body.plus(size, before), after) for size, before, after in zip(sizes, low, high)]
        indices = ", ".join(f"%p{k}: index" for k in range(len(sizes)))
        return body.add(f"tensor.pad {value} low[{', '.join(map(str, low))}] high[{', '.join(map(str, high))}] {{\n^bb0({indices}):\n"
                        f"tensor.yield {scalar} : {element}\n}} : {kind} to {tensor_type(result, element)}"), result
    spread = [body.plus(size, body.times(body.at_least(body.minus(size, 1), 0), more)) for size, more in zip(sizes, interior)]
    before = [body.at_least(size, 0) for size in low]
    whole = [body.plus(body.plus(first, size), body.at_least(last, 0)) for first, size, last in zip(before, spread, high)]
    empty, wanted = body.empty(whole, element)
    padded = body.add(f"linalg.fill ins({scalar} : {element}) outs({empty} : {wanted}) -> {wanted}")
    if 0 not in sizes:  # upstream refuses the insertion of no element at the end
        padded = body.add(f"tensor.insert_slice {value} into {padded}{ranges(before, sizes, [body.plus(more, 1) for more in interior])} : "
                          f"{kind} into {wanted}")
    if keeps_all:
        return padded, whole
    cut = [body.at_most(body.at_least(body.minus(0, first), 0), size) for first, size in zip(low, whole)]
    result = [body.at_least(body.minus(body.minus(size, first), body.at_least(body.minus(0, last), 0)), 0)
              for size, first, last in zip(whole, cut, high)]
    if 0 in result:  # and the extraction of none
        return body.empty(result, element)[0], result
    return body.add(f"tensor.extract_slice {padded}{ranges(cut, result, [1] * len(sizes))} : {wanted} to {tensor_type(result, element)}"), result


def _convert(body: Body, low: Sequence[Size], high: Sequence[Size], interior: Sequence[Size]) -> List[str]:
    element = str(body.type(0).element_type)
    scalar = body.add(f"tensor.extract %1[] : {body.type(1)}")
    value, sizes = pad(body, "%0", element, body.sizes(0), scalar, low, high, interior)
    return [body.cast(value, tensor_type(sizes, element), body.op.results[0].type)]


def _convert_pad(body: Body) -> List[str]:
    def array(name: str) -> List[int]:
        return [int(size) for size in body.ir.DenseI64ArrayAttr(body.op.attributes[name])]

    return _convert(body, array("edge_padding_low"), array("edge_padding_high"), array("interior_padding"))


def _convert_empty_pad(body: Body) -> List[str]:
    """Padding of no element, or of which none is left, which jaxlib's passes refuse."""
    return _convert_pad(body) if 0 in (*body.type(0).shape, *body.ir.RankedTensorType(body.op.results[0].type).shape) else []


def _convert_dynamic_pad(body: Body) -> List[str]:
    return _convert(body, body.integers(2), body.integers(3), body.integers(4))


def _convert_update(body: Body) -> List[str]:
    """Offsets are clamped so that the slice is inside of the tensor."""
    sizes, part = body.sizes(0), body.sizes(1)
    offsets = [body.at_least(body.at_most(body.element(2 + k, 0), body.minus(size, count)), 0)
               for k, (size, count) in enumerate(zip(sizes, part))]
    value = body.add(f"tensor.insert_slice %1 into %0{ranges(offsets, part, [1] * len(sizes))} : {body.type(1)} into {body.type(0)}")
    return [body.cast(value, str(body.type(0)), body.op.results[0].type)]


#: Before concatenations are converted, in which constants are found, then before jaxlib's passes, and after them.
FIRST: Dict[str, Converter] = {"stablehlo.dynamic_pad": _convert_dynamic_pad}
BEFORE: Dict[str, Converter] = {"stablehlo.pad": _convert_empty_pad}
AFTER: Dict[str, Converter] = {"stablehlo.pad": _convert_pad, "stablehlo.dynamic_update_slice": _convert_update}
