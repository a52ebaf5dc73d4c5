# _convolutions.py - convolutions with dynamic sizes, and their gradients.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jaxlib's passes convert few convolutions with dynamic sizes: not those with another dynamic size than that of the batch, and not those
whose dimensions have another order, as in gradients.

Each becomes one linalg.generic. The loops `at` are over the positions of the window, `offset` over its elements, `in` and `out` over the
features of the operand and of the result."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from . import _slices
from ._body import Body, Converter, Size, arithmetic, reassociation, tensor_type
from ._lowering import ImportFailed

# The loops that index each dimension of a tensor: two if the dimension consists of groups.
_Indices = Sequence[Sequence[str]]


class Tensor(NamedTuple):
    value: str
    sizes: Sequence[Size]
    element: Any
    indices: _Indices


def _names(indices: _Indices) -> List[str]:
    return [name for dim in indices for name in dim]


def _expand(body: Body, tensor: Tensor, groups: int) -> Tuple[str, str]:
    """The tensor with two dimensions for each one that consists of groups, and its type."""
    expanded: List[Size] = []
    for size, names in zip(tensor.sizes, tensor.indices):
        expanded += [groups, body.quotient(size, groups)] if len(names) > 1 else [size]
    kind = tensor_type(expanded, tensor.element)
    if len(expanded) == len(tensor.sizes):
        return tensor.value, kind
    shape = ", ".join(map(str, expanded))
    return body.add(f"tensor.expand_shape {tensor.value} {reassociation(map(len, tensor.indices))} output_shape [{shape}] : "
                    f"{tensor_type(tensor.sizes, tensor.element)} into {kind}"), kind


def sum_products(body: Body, factors: Sequence[Tensor], sizes: Sequence[Size], indices: _Indices, reduced: Sequence[str],
                  groups: int) -> List[str]:
    """The result of the op, of those sizes: the sums of products of two factors over the loops `reduced`."""
    wanted = body.op.results[0].type
    element = body.ir.RankedTensorType(wanted).element_type
    init, kind = body.filled(sizes, element, body.zero(element))
    tensors = [*factors, Tensor(init, sizes, element, indices)]
    (left, left_kind), (right, right_kind), (total, expanded) = (_expand(body, tensor, groups) for tensor in tensors)
    loops = [*_names(indices), *reduced]
    kinds = ", ".join(['"parallel"'] * (len(loops) - len(reduced)) + ['"reduction"'] * len(reduced))
    maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(_names(tensor.indices))})>" for tensor in tensors)
    arguments, lines = [], []
    for name, factor in zip("ab", factors):
        arguments.append(f"%{name}: {factor.element}" if factor.element == element else f"%{name}0: {factor.element}")
        if factor.element != element:
            lines.append(f"%{name} = {arithmetic(element, 'arith.extf', 'arith.extsi')} %{name}0 : {factor.element} to {element}")
    lines += [f"%m = {arithmetic(element, 'arith.mulf', 'arith.muli', 'complex.mul')} %a, %b : {element}",
              f"%r = {arithmetic(element, 'arith.addf', 'arith.addi', 'complex.add')} %s, %m : {element}", f"linalg.yield %r : {element}"]
    text = "\n".join(lines)
    value = body.add(f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} ins({left}, {right} : {left_kind}, {right_kind}) "
                     f"outs({total} : {expanded}) {{\n^bb0({', '.join(arguments)}, %s: {element}):\n{text}\n}} -> {expanded}")
    if expanded != kind:
        value = body.add(f"tensor.collapse_shape {value} {reassociation(map(len, indices))} : {expanded} into {kind}")
    return [body.cast(value, kind, wanted)]


def pad(body: Body, operand: int, low: Sequence[Size], high: Sequence[Size], interior: Sequence[Size]) -> Tuple[str, List[Size]]:
    element = body.type(operand).element_type
    zero = body.scalar(body.zero(element), element)
    return _slices.pad(body, f"%{operand}", str(element), body.sizes(operand), zero, low, high, interior)


def _convert_stablehlo(body: Body) -> List[str]:
    numbers = body.stablehlo.ConvDimensionNumbers(body.op.attributes["dimension_numbers"])
    spatial = list(numbers.input_spatial_dimensions)
    ir, rank, image, filters = body.ir, len(spatial), body.type(0), body.type(1)
    if image.has_static_shape and filters.has_static_shape:
        return []

    def array(name: str) -> List[int]:
        return [int(n) for n in ir.DenseI64ArrayAttr(body.op.attributes[name])] if name in body.op.attributes else [1] * rank

    if "window_reversal" in body.op.attributes and any(ir.DenseBoolArrayAttr(body.op.attributes["window_reversal"])):
        raise ImportFailed(f"{body.op.name} with window_reversal and dynamic sizes is not supported; reverse the filter by stablehlo.reverse")
    batch_groups = max(body.flag("batch_group_count"), 1)
    groups = max(batch_groups, body.flag("feature_group_count"))
    strides, dilation, spread = array("window_strides"), array("rhs_dilation"), array("lhs_dilation")
    padding = [int(n) for n in ir.DenseIntElementsAttr(body.op.attributes["padding"])] if "padding" in body.op.attributes else [0] * (2 * rank)
    low, high, interior = ([0] * (rank + 2) for _ in range(3))
    for k, dim in enumerate(spatial):
        low[dim], high[dim], interior[dim] = padding[2 * k], padding[2 * k + 1], spread[k] - 1
    source, padded = pad(body, 0, low, high, interior)
    kernel = body.sizes(1)

    group = ["group"] if groups > 1 else []
    of_batch, of_features = (group, []) if batch_groups > 1 else ([], group)
    left: Dict[int, List[str]] = {numbers.input_batch_dimension: [*of_batch, "batch"], numbers.input_feature_dimension: [*of_features, "in"]}
    right = {numbers.kernel_input_feature_dimension: ["in"], numbers.kernel_output_feature_dimension: [*group, "out"]}
    result = {numbers.output_batch_dimension: ["batch"], numbers.output_feature_dimension: [*group, "out"]}
    sizes = {numbers.output_batch_dimension: body.quotient(padded[numbers.input_batch_dimension], batch_groups),
             numbers.output_feature_dimension: kernel[numbers.kernel_output_feature_dimension]}
    for k, (own, at, out) in enumerate(zip(spatial, numbers.kernel_spatial_dimensions, numbers.output_spatial_dimensions)):
        left[own], right[at], result[out] = [f"at{k} * {strides[k]} + offset{k} * {dilation[k]}"], [f"offset{k}"], [f"at{k}"]
        # A window without elements has size 0. One that is larger than the input has no position.
        window = body.at_least(body.plus(body.times(body.minus(kernel[at], 1), dilation[k]), 1), 0)
        sizes[out] = body.quotient(body.at_least(body.plus(body.minus(padded[own], window), strides[k]), 0), strides[k])

    def ordered(dims: Dict[int, Any]) -> List[Any]:
        return [dims[dim] for dim in range(rank + 2)]

    return sum_products(body, [Tensor(source, padded, image.element_type, ordered(left)), Tensor("%1", kernel, filters.element_type, ordered(right))],
                         ordered(sizes), ordered(result), [*(f"offset{k}" for k in range(rank)), "in"], groups)


STABLEHLO: Dict[str, Converter] = {"stablehlo.convolution": _convert_stablehlo}
