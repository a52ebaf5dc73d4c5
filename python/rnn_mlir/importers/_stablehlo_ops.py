# _stablehlo_ops.py - ops of StableHLO that jaxlib's passes convert to wrong code, or not at all.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on unsigned integers, concatenations, and gathers with dynamic sizes."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from . import _convolutions, _fft, _slices, _windows
from ._body import Body, Converter, Size, dims, tensor_type
from ._lowering import ImportFailed, operations

# Set on ops whose operands lose their sign semantics in stablehlo-convert-to-signless: whether they are in the region of an op.
_UNSIGNED = "rnn.unsigned"
# Those that can be computed for signed integers after an xor with the sign bit.
_ORDERED = ("stablehlo.compare", "stablehlo.maximum", "stablehlo.minimum")
_REGIONS = ("func.func", "scf.for", "stablehlo.while", "stablehlo.if", "stablehlo.case")


def mark_unsigned(mlir: Any, module: Any) -> None:
    """Marks the ops whose result depends on the sign of integers, and makes constants signless, which jaxlib's passes refuse."""
    ir = mlir.ir

    def is_unsigned(value: Any) -> bool:
        element = getattr(value.type, "element_type", None)
        return isinstance(element, ir.IntegerType) and bool(element.is_unsigned)

    for op in [op for op in operations(module.operation) if op.name == "stablehlo.constant" and is_unsigned(op.results[0])]:
        kind = ir.RankedTensorType(op.results[0].type)
        value = np.array(ir.DenseIntElementsAttr(op.attributes["value"]))
        width = kind.element_type.width
        signless = ir.RankedTensorType.get(kind.shape, ir.IntegerType.get_signless(width))
        point = ir.InsertionPoint(op)
        new = ir.Operation.create("stablehlo.constant", results=[signless], loc=op.location, ip=point, attributes={
            "value": ir.DenseElementsAttr.get(np.ascontiguousarray(value.astype(f"uint{width}").view(f"int{width}")), type=signless)})
        cast = ir.Operation.create("stablehlo.bitcast_convert", results=[kind], operands=[new.result], loc=op.location, ip=point)
        op.results[0].replace_all_uses_with(cast.result)
        op.erase()
    for op in operations(module.operation):
        if op.name not in UNSIGNED or not any(map(is_unsigned, (*op.operands, *op.results))):
            continue
        if op.parent.operation.name not in _REGIONS and op.name not in _ORDERED:
            raise ImportFailed(f"{op.name} of unsigned integers in the region of {op.parent.operation.name} is not supported; cast "
                               "them to signed integers before")
        op.attributes[_UNSIGNED] = ir.BoolAttr.get(op.parent.operation.name not in _REGIONS)


def _element_ops(body: Body) -> List[str]:
    """The ops on the elements %e0, %e1, which return %r."""
    name = body.op.name.partition(".")[2]
    kind = body.type(0).element_type
    if name in ("maximum", "minimum"):
        return [f"%r = arith.{name[:3]}ui %e0, %e1 : {kind}"]
    if name == "compare":
        predicate = str(body.op.attributes["comparison_direction"]).rstrip(">").split()[-1].lower()
        return [f"%r = arith.cmpi {predicate if predicate in ('eq', 'ne') else 'u' + predicate}, %e0, %e1 : {kind}"]
    if name in ("divide", "remainder"):
        # A division by 0 must not end the process: as in StableHLO, it returns all bits, and its remainder the dividend.
        return [f"%zero = arith.constant 0 : {kind}", f"%one = arith.constant 1 : {kind}", f"%none = arith.constant -1 : {kind}",
                f"%is = arith.cmpi eq, %e1, %zero : {kind}", f"%by = arith.select %is, %one, %e1 : {kind}",
                f"%q = arith.{name[:3]}ui %e0, %by : {kind}",
                f"%r = arith.select %is, {'%none' if name == 'divide' else '%e0'}, %q : {kind}"]
    wanted = body.ir.RankedTensorType(body.op.results[0].type).element_type
    if not isinstance(kind, body.ir.IntegerType):
        return [f"%r = arith.fptoui %e0 : {kind} to {wanted}"]
    if not isinstance(wanted, body.ir.IntegerType):
        return [f"%r = arith.uitofp %e0 : {kind} to {wanted}"]
    if wanted.width == 1:
        return [f"%zero = arith.constant 0 : {kind}", f"%r = arith.cmpi ne, %e0, %zero : {kind}"]
    if wanted.width == kind.width:
        return [f"%zero = arith.constant 0 : {kind}", f"%r = arith.addi %e0, %zero : {kind}"]
    return [f"%r = arith.{'extui' if wanted.width > kind.width else 'trunci'} %e0 : {kind} to {wanted}"]


def _in_signed_order(body: Body) -> str:
    """The op on scalars in the region of another op, of which jaxlib's passes convert StableHLO only."""
    kind, wanted = body.type(0), body.op.results[0].type
    sign = body.add(f"stablehlo.constant dense<{-1 << (kind.element_type.width - 1)}> : {kind}")
    left, right = (body.add(f"stablehlo.xor %{k}, {sign} : {kind}") for k in range(2))
    direction = f"{{comparison_direction = {body.op.attributes['comparison_direction']}}}" if body.op.name == "stablehlo.compare" else ""
    value = body.add(f'"{body.op.name}"({left}, {right}) {direction} : ({kind}, {kind}) -> {wanted}')
    return value if body.op.name == "stablehlo.compare" else body.add(f"stablehlo.xor {value}, {sign} : {kind}")


def _convert_unsigned(body: Body) -> List[str]:
    if _UNSIGNED not in body.op.attributes:
        return []
    if body.flag(_UNSIGNED):
        return [_in_signed_order(body)]
    sizes, kinds = body.sizes(0), [body.type(k) for k in range(len(body.op.operands))]
    wanted = body.ir.RankedTensorType(body.op.results[0].type)
    init, kind = body.empty(sizes, wanted.element_type)
    rank = len(sizes)
    maps = ", ".join([f"affine_map<({dims(rank)}) -> ({dims(rank)})>"] * (len(kinds) + 1))
    loops = ", ".join(['"parallel"'] * rank)
    names = ", ".join(f"%e{k}: {operand.element_type}" for k, operand in enumerate(kinds))
    lines = "\n".join(_element_ops(body))
    value = body.add(f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{loops}]}} "
                     f"ins({', '.join(f'%{k}' for k in range(len(kinds)))} : {', '.join(map(str, kinds))}) outs({init} : {kind}) "
                     f"{{\n^bb0({names}, %o: {wanted.element_type}):\n{lines}\nlinalg.yield %r : {wanted.element_type}\n}} -> {kind}")
    return [body.cast(value, kind, wanted)]


def _convert_empty_reduction(body: Body) -> List[str]:
    """Reductions that jaxlib's passes leave: over no dimension it is its operand, since XLA's initial values are neutral, and over
    no element the initial value."""
    if not len(body.ir.DenseI64ArrayAttr(body.op.attributes["dimensions"])):
        return [body.cast(f"%{k}", str(body.type(k)), result.type) for k, result in enumerate(body.op.results)]
    reduced = list(body.ir.DenseI64ArrayAttr(body.op.attributes["dimensions"]))
    if 0 not in body.type(0).shape:
        return []
    sizes = [size for k, size in enumerate(body.sizes(0)) if k not in reduced]
    count = len(body.op.results)
    return [body.cast(_fill(body, count + k, sizes), tensor_type(sizes, body.type(k).element_type), result.type)
            for k, result in enumerate(body.op.results)]


def _fill(body: Body, operand: int, sizes: Sequence[Size]) -> str:
    """A tensor whose elements are that of an operand of rank 0."""
    element = body.type(operand).element_type
    value, (empty, kind) = body.add(f"tensor.extract %{operand}[] : {body.type(operand)}"), body.empty(sizes, element)
    return body.add(f"linalg.fill ins({value} : {element}) outs({empty} : {kind}) -> {kind}")


def _convert_empty_slice(body: Body) -> List[str]:
    """A slice without elements, of lax.associative_scan for example, may start at the end, which upstream refuses."""
    kind = body.ir.RankedTensorType(body.op.results[0].type)
    return [body.add(f"tensor.empty() : {kind}")] if kind.has_static_shape and 0 in kind.shape else []


def _convert_concatenation(body: Body) -> List[str]:
    """Insertions of the operands, which are then computed in place: jaxlib's passes emit branches for each element, and refuse the
    insertion of an operand without elements at the end. Sizes as tensors stay."""
    ir, dim, count = body.ir, body.flag("dimension"), len(body.op.operands)
    full = [k for k in range(count) if body.type(k).is_dynamic_dim(dim) or body.type(k).get_dim_size(dim)] or [0]
    result = ir.RankedTensorType(body.op.results[0].type)
    if 0 in result.shape and result.has_static_shape:
        return [body.empty(list(result.shape), result.element_type)[0]]
    if len(full) == 1 and count > 1:
        return [body.cast(f"%{full[0]}", str(body.type(full[0])), result)]
    if result.rank > 1 or not isinstance(result.element_type, ir.IntegerType):
        shapes = [body.sizes(k) for k in full]
        offset: Size = 0
        for shape in shapes:
            offset = body.plus(offset, shape[dim])
        value, kind = body.empty([offset if axis == dim else size for axis, size in enumerate(shapes[0])], result.element_type)
        offset = 0
        for k, shape in zip(full, shapes):
            offsets = [offset if axis == dim else 0 for axis in range(result.rank)]
            value = body.add(f"tensor.insert_slice %{k} into {value}{_slices.ranges(offsets, shape, [1] * result.rank)} : "
                             f"{body.type(k)} into {kind}")
            offset = body.plus(offset, shape[dim])
        return [body.cast(value, kind, result)]
    if len(full) == count:
        return []
    return [body.add(f"stablehlo.concatenate {', '.join(f'%{k}' for k in full)}, dim = {dim} : "
                     f"({', '.join(str(body.type(k)) for k in full)}) -> {result}")]


def _convert_dynamic_gather(body: Body) -> List[str]:
    """As stablehlo.gather: starts are clamped so that the slices are inside of the operand."""
    numbers = body.stablehlo.GatherDimensionNumbers(body.op.attributes["dimension_numbers"])
    slices, sizes, indices, kind = body.integers(2), body.sizes(0), body.type(1), body.type(0)
    vector_dim, places = numbers.index_vector_dim, list(numbers.start_index_map)
    batching = dict(zip(numbers.operand_batching_dims, numbers.start_indices_batching_dims))
    offset_dims = list(numbers.offset_dims)
    sliced = [dim for dim in range(kind.rank) if dim not in (*numbers.collapsed_slice_dims, *batching)]
    batch_sizes = [size for dim, size in enumerate(body.sizes(1)) if dim != vector_dim]
    rank = len(offset_dims) + len(batch_sizes)
    batch_dims = [dim for dim in range(rank) if dim not in offset_dims]
    result: List[Size] = [slices[sliced[offset_dims.index(dim)]] if dim in offset_dims else batch_sizes[batch_dims.index(dim)]
                          for dim in range(rank)]
    zero = body.index(0)
    lasts = {dim: body.value(body.binary("subi", sizes[dim], slices[dim])) for dim in places}
    components = [body.index(k) for k in range(len(places))]

    def loop(dim: int) -> str:
        """The index of the loop over a dimension of the indices."""
        return f"%i{batch_dims[dim - (vector_dim < dim)]}"

    def position(dim: int, name: str) -> Tuple[List[str], str]:
        offset = f"%i{offset_dims[sliced.index(dim)]}" if dim in sliced else None
        lines, start = [], loop(batching[dim]) if dim in batching else None
        if dim in places:
            at = [components[places.index(dim)] if d == vector_dim else loop(d) for d in range(indices.rank)]
            start, given = f"{name}_start", f"{name}_given"
            lines = [f"{given} = tensor.extract %1[{', '.join(at)}] : {indices}",
                     f"{name}_index = arith.index_cast {given} : {indices.element_type} to index",
                     f"{name}_low = arith.maxsi {name}_index, {zero} : index",
                     f"{start} = arith.minsi {name}_low, {lasts[dim]} : index"]
        if start is None or offset is None:
            return lines, start or offset or zero
        return [*lines, f"{name} = arith.addi {start}, {offset} : index"], name

    value = body.gather(result, 0, position)
    return [body.cast(value, tensor_type(result, kind.element_type), body.op.results[0].type)]


UNSIGNED = {f"stablehlo.{name}": _convert_unsigned
            for name in ("compare", "convert", "divide", "maximum", "minimum", "remainder")}
FIRST = {**_slices.FIRST, **_windows.FIRST}
BEFORE = {**UNSIGNED, **_windows.BEFORE, **_slices.BEFORE, "stablehlo.concatenate": _convert_concatenation,
          **_convolutions.STABLEHLO, **_fft.CONVERTERS, "stablehlo.reduce": _convert_empty_reduction, "stablehlo.slice": _convert_empty_slice}
AFTER = {**_slices.AFTER, "stablehlo.dynamic_gather": _convert_dynamic_gather}
