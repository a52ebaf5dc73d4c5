# _tf_convolutions.py - convolutions of TensorFlow with dynamic sizes, and their gradients.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TensorFlow's passes convert no gradient with a dynamic size, no image of dynamic size if windows may be partly outside of it (padding SAME),
and no batch of dynamic size of a convolution with dilation, which TensorFlow computes on several images (tf.SpaceToBatchND)."""

from __future__ import annotations

import functools
import itertools
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _slices
from ._body import Body, Converter, Size, reassociation, tensor_type
from ._convolutions import Tensor, pad, sum_products
from ._graph import named, rename
from ._lowering import ImportFailed


def get_layout(body: Body) -> str:
    """The dimensions of the result of an op of TensorFlow, such as NHWC."""
    rank = body.ir.RankedTensorType(body.op.results[0].type).rank
    default = "NHWC" if rank == 4 else "NDHWC"
    return str(body.ir.StringAttr(body.op.attributes["data_format"]).value) if "data_format" in body.op.attributes else default


class Windows:
    """The attributes of a convolution or pooling of TensorFlow, and its sizes along each spatial dimension."""

    def __init__(self, body: Body, image: Sequence[Size], kernel: Sequence[Size], results: Optional[Sequence[Size]] = None) -> None:
        """`results`: the sizes of the result, computed if they are absent."""
        ir, attributes = body.ir, body.op.attributes

        def integers(name: str) -> List[int]:
            return [int(ir.IntegerAttr(value).value) for value in attributes[name]] if name in attributes else []

        layout = get_layout(body)
        self.batch, self.feature = layout.index("N"), layout.index("C")
        self.spatial = [dim for dim, name in enumerate(layout) if name not in "NC"]
        self.rank = len(self.spatial)
        strides, dilations = integers("strides"), integers("dilations") or [1] * len(layout)
        self.strides, self.dilations = ([values[dim] for dim in self.spatial] for values in (strides, dilations))
        padding, explicit = str(ir.StringAttr(attributes["padding"]).value), integers("explicit_paddings")
        self.results: List[Size] = list(image if results is None else results)
        #: The number of indices from the first to the last one of all windows, and how many of them are before the image.
        self.spans: List[Size] = []
        self.low: List[Size] = []
        for k, dim in enumerate(self.spatial):
            window = body.plus(body.times(body.minus(kernel[k], 1), self.dilations[k]), 1)
            around = sum(explicit[2 * dim:2 * dim + 2]) if padding == "EXPLICIT" else 0
            if results is None:
                used = image[dim] if padding == "SAME" else body.at_least(body.plus(body.minus(body.plus(image[dim], around), window), 1), 0)
                self.results[dim] = body.quotient(body.plus(used, self.strides[k] - 1), self.strides[k])
            self.spans.append(body.plus(body.times(body.minus(self.results[dim], 1), self.strides[k]), window))
            outside = body.at_least(body.minus(self.spans[k], image[dim]), 0)
            self.low.append(body.quotient(outside, 2) if padding == "SAME" else explicit[2 * dim] if padding == "EXPLICIT" else 0)
        self.at, self.offsets = ([f"{name}{k}" for k in range(self.rank)] for name in ("at", "offset"))
        self.elements = [f"at{k} * {self.strides[k]} + offset{k} * {self.dilations[k]}" for k in range(self.rank)]

    def place(self, feature: List[str], spatial: Sequence[str]) -> List[List[str]]:
        """The indices of an image, or of the result."""
        indices = [["batch"] for _ in range(self.rank + 2)]
        indices[self.feature] = feature
        for dim, index in zip(self.spatial, spatial):
            indices[dim] = [index]
        return indices

    def pad_image(self, body: Body, operand: int) -> Tuple[str, List[Size]]:
        """The image with zeros where windows are outside of it."""
        sizes = body.sizes(operand)
        low: List[Size] = [0] * (self.rank + 2)
        high: List[Size] = [0] * (self.rank + 2)
        for k, dim in enumerate(self.spatial):
            low[dim] = self.low[k]
            high[dim] = body.at_least(body.minus(self.spans[k], body.plus(sizes[dim], self.low[k])), 0)
        return pad(body, operand, low, high, [0] * (self.rank + 2))

    def spread_gradient(self, body: Body, value: str, element: Any, sizes: Sequence[Size], kernel: Sequence[Size],
                        image: Sequence[Size]) -> Tuple[str, List[Size]]:
        """The gradient of the result with zeros between and around its elements. The windows of stride 1 have the size of the image."""
        low: List[Size] = [0] * (self.rank + 2)
        high: List[Size] = [0] * (self.rank + 2)
        interior: List[Size] = [0] * (self.rank + 2)
        for k, dim in enumerate(self.spatial):
            window = body.times(body.minus(kernel[k], 1), self.dilations[k])
            spread = body.plus(body.times(body.minus(sizes[dim], 1), self.strides[k]), 1)
            low[dim], interior[dim] = body.minus(window, self.low[k]), self.strides[k] - 1
            high[dim] = body.plus(body.minus(image[dim], body.plus(spread, low[dim])), window)
        zero = body.scalar(body.zero(element), element)
        return _slices.pad(body, value, str(element), sizes, zero, low, high, interior)


def _features(body: Body, image: Size, filters: Size) -> Tuple[int, List[str], List[str], List[str]]:
    """The number of groups, and the indices of the features of the image, of the input features of the filter, and of those of the result.
    Each channel of a depthwise convolution is a group."""
    if not isinstance(filters, int):
        raise ImportFailed(f"{body.op.name} with a dynamic number of channels is not supported; give the filter a static shape")
    if "Depthwise" in body.op.name:
        return filters, ["group"], ["group"], ["group", "out"]
    groups = image // filters if isinstance(image, int) else 1
    return (groups, ["group", "in"], ["in"], ["group", "out"]) if groups > 1 else (1, ["in"], ["in"], ["out"])


def _filter_indices(windows: Windows, inputs: List[str], outputs: List[str]) -> List[List[str]]:
    return [*([name] for name in windows.offsets), inputs, outputs if inputs == ["in"] else ["out"]]


def is_dynamic(mlir: Any, op: Any) -> bool:
    """Whether all operands and results have a rank, and some a dynamic size."""
    kinds = [value.type for value in (*op.operands, *op.results)]
    return all(isinstance(kind, mlir.ir.RankedTensorType) for kind in kinds) and \
        not all(mlir.ir.RankedTensorType(kind).has_static_shape for kind in kinds)


def keep(mlir: Any, module: Any) -> None:
    """Replaces the convolutions of a module of the tf dialect that its passes cannot convert by ops that they keep: those of dynamic images."""
    for op in named(module, *_FORWARD):
        kind = mlir.ir.RankedTensorType(op.operands[0].type) if is_dynamic(mlir, op) else None
        if kind and any(map(kind.is_dynamic_dim, range(1, kind.rank))):
            rename(mlir, op, _FORWARD[op.name], ("data_format", "dilations", "explicit_paddings", "padding", "strides"))


def _convert_forward(body: Body) -> List[str]:
    """The operands are the image and the filter."""
    image, filters = body.sizes(0), body.sizes(1)
    windows = Windows(body, image, filters)
    groups, channels, inputs, outputs = _features(body, image[windows.feature], filters[-2])
    windows.results[windows.feature] = body.times(filters[-1], filters[-2] if inputs == ["group"] else 1)
    source, padded = windows.pad_image(body, 0)
    factors = [Tensor(source, padded, body.type(0).element_type, windows.place(channels, windows.elements)),
               Tensor("%1", filters, body.type(1).element_type, _filter_indices(windows, inputs, outputs))]
    return sum_products(body, factors, windows.results, windows.place(outputs, windows.at), [*windows.offsets, *(["in"] if inputs == ["in"] else [])],
                         groups)


def _convert_filter_gradient(body: Body) -> List[str]:
    """The operands are the image, the sizes of the filter, and the gradient of the result."""
    if not is_dynamic(body.mlir, body.op):
        return []
    image, filters, results = body.sizes(0), body.result_sizes(1), body.sizes(2)
    windows = Windows(body, image, filters, results)
    groups, channels, inputs, outputs = _features(body, image[windows.feature], filters[-2])
    source, padded = windows.pad_image(body, 0)
    factors = [Tensor(source, padded, body.type(0).element_type, windows.place(channels, windows.elements)),
               Tensor("%2", results, body.type(2).element_type, windows.place(outputs, windows.at))]
    return sum_products(body, factors, filters, _filter_indices(windows, inputs, outputs), ["batch", *windows.at], groups)


def _convert_image_gradient(body: Body) -> List[str]:
    """The operands are the sizes of the image, the filter, and the gradient of the result."""
    if not is_dynamic(body.mlir, body.op):
        return []
    image, filters, results = body.result_sizes(0), body.sizes(1), body.sizes(2)
    windows = Windows(body, image, filters, results)
    image[windows.batch] = results[windows.batch]
    groups, channels, inputs, outputs = _features(body, image[windows.feature], filters[-2])
    source, padded = windows.spread_gradient(body, "%2", body.type(2).element_type, results, filters, image)
    reversed_filter = body.add(f"stablehlo.reverse %1, dims = [{', '.join(map(str, range(windows.rank)))}] : {body.type(1)}")
    indices = [f"at{k} + offset{k} * {windows.dilations[k]}" for k in range(windows.rank)]
    factors = [Tensor(source, padded, body.type(2).element_type, windows.place(outputs, indices)),
               Tensor(reversed_filter, filters, body.type(1).element_type, _filter_indices(windows, inputs, outputs))]
    return sum_products(body, factors, image, windows.place(channels, windows.at), [*windows.offsets, "out"], groups)


def _regroup(body: Body, value: str, sizes: Sequence[Size], divided: Sequence[Sequence[Size]], permutation: Sequence[int],
             groups: Sequence[int]) -> Tuple[str, List[Size]]:
    """Divides dimensions into several, permutes these, and merges `groups[k]` of them each."""
    element = body.type(0).element_type
    flat = [size for part in divided for size in part]
    value = body.add(f"tensor.expand_shape {value} {reassociation(map(len, divided))} output_shape [{', '.join(map(str, flat))}] : "
                     f"{tensor_type(sizes, element)} into {tensor_type(flat, element)}")
    permuted = [flat[dim] for dim in permutation]
    init, kind = body.empty(permuted, element)
    value = body.add(f"linalg.transpose ins({value} : {tensor_type(flat, element)}) outs({init} : {kind}) "
                     f"permutation = [{', '.join(map(str, permutation))}]")
    ends = list(itertools.accumulate(groups))
    merged = [permuted[end - count:end] for count, end in zip(groups, ends)]
    result = [functools.reduce(body.times, part) for part in merged]
    return body.add(f"tensor.collapse_shape {value} {reassociation(groups)} : {kind} into {tensor_type(result, element)}"), result


def _blocks(body: Body) -> Tuple[List[int], List[List[Size]]]:
    """The blocks of tf.SpaceToBatchND or its inverse, and what is added to or cut from the start and the end of each dimension."""
    blocks = body.constant(1)
    if blocks is None:
        raise ImportFailed(f"{body.op.name} with a block shape that is no constant is not supported")
    known, kind = body.constant(2), body.type(2)

    def element(k: int, side: int) -> Size:
        if known is not None:
            return known[2 * k + side]
        value = body.add(f"tensor.extract %2[{body.index(k)}, {body.index(side)}] : {kind}")
        return body.add(f"arith.index_cast {value} : {kind.element_type} to index")

    return blocks, [[element(k, side) for side in range(2)] for k in range(len(blocks))]


def _convert_space_to_batch(body: Body) -> List[str]:
    if body.type(0).has_static_shape:
        return []
    blocks, padding = _blocks(body)
    count, rest = len(blocks), body.type(0).rank - len(blocks) - 1
    low, high = ([0, *(part[side] for part in padding), *([0] * rest)] for side in range(2))
    value, sizes = pad(body, 0, low, high, [0] * len(low))
    divided = [[sizes[0]], *([body.quotient(size, block), block] for size, block in zip(sizes[1:], blocks)), *([size] for size in sizes[count + 1:])]
    permutation = [*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count + 1, 2), *range(2 * count + 1, 2 * count + 1 + rest)]
    value, sizes = _regroup(body, value, sizes, divided, permutation, [count + 1, *([1] * (count + rest))])
    return [body.cast(value, tensor_type(sizes, body.type(0).element_type), body.op.results[0].type)]


def _convert_batch_to_space(body: Body) -> List[str]:
    if body.type(0).has_static_shape:
        return []
    blocks, crops = _blocks(body)
    count, sizes, element = len(blocks), body.sizes(0), body.type(0).element_type
    batch = sizes[0]
    for block in blocks:
        batch = body.quotient(batch, block)
    rest = len(sizes) - count - 1
    divided = [[*blocks, batch], *([size] for size in sizes[1:])]
    permutation = [count, *(dim for k in range(count) for dim in (count + 1 + k, k)), *range(2 * count + 1, 2 * count + 1 + rest)]
    value, sizes = _regroup(body, "%0", sizes, divided, permutation, [1, *([2] * count), *([1] * rest)])
    low = [0, *(part[0] for part in crops), *([0] * rest)]
    cut = [body.minus(body.minus(size, first), last) for size, first, last in zip(sizes, low, [0, *(part[1] for part in crops), *([0] * rest)])]
    kind = tensor_type(cut, element)
    value = body.add(f"tensor.extract_slice {value}{_slices.ranges(low, cut, [1] * len(cut))} : {tensor_type(sizes, element)} to {kind}")
    return [body.cast(value, kind, body.op.results[0].type)]


_FORWARD = {"tf.Conv2D": "tf.RnnConv", "tf.Conv3D": "tf.RnnConv", "tf.DepthwiseConv2dNative": "tf.RnnDepthwiseConv"}
CONVERTERS: Dict[str, Converter] = {
    **dict.fromkeys(_FORWARD.values(), _convert_forward),
    "tf.SpaceToBatchND": _convert_space_to_batch, "tf.BatchToSpaceND": _convert_batch_to_space,
    **{f"tf.{name}": _convert_filter_gradient for name in ("Conv2DBackpropFilter", "Conv3DBackpropFilterV2", "DepthwiseConv2dNativeBackpropFilter")},
    **{f"tf.{name}": _convert_image_gradient for name in ("Conv2DBackpropInput", "Conv3DBackpropInputV2", "DepthwiseConv2dNativeBackpropInput")}}
