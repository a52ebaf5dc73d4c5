# _dynamic.py - ops with dynamic sizes that neither TensorFlow's nor jaxlib's passes convert.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each op becomes tensor, linalg and arith ops."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import _slices
from ._body import SPECIAL, Body, Converter, Size, dims, tensor_type
from ._lowering import ImportFailed, operations

# ===----------------------------------------------------------------------=== #
# TensorFlow
# ===----------------------------------------------------------------------=== #


class _Slice(NamedTuple):
    offsets: List[Size]
    sizes: List[Size]
    strides: List[int]
    kept: List[Size]  # sizes without the dimensions that shrink
    shape: List[Size]  # and with new axes

    def text(self) -> str:
        return _slices.ranges(self.offsets, self.sizes, self.strides)


def _strided_slice(body: Body, sizes: Sequence[Size], first: int) -> _Slice:
    """The slice of a tensor of these sizes; operands `first`... are its begin, end and strides."""
    strides = body.constant(first + 2)
    if strides is None:
        raise ImportFailed(f"{body.op.name} is supported with constant strides only")
    begin, end = body.integers(first), body.integers(first + 1)
    begin_mask, end_mask, shrink = (body.flag(f"{name}_mask") for name in ("begin", "end", "shrink_axis"))
    ellipsis, new_axes = body.flag("ellipsis_mask"), body.flag("new_axis_mask")
    # Per dimension the index of begin, end and strides, None for all of it; -1 for a new axis.
    entries: List[Optional[int]] = []
    used = sum(not (ellipsis | new_axes) & 1 << k for k in range(len(strides)))
    for k in range(len(strides)):
        if ellipsis & 1 << k:
            entries += [None] * (len(sizes) - used)
        else:
            entries.append(-1 if new_axes & 1 << k else k)
    entries += [None] * (len(sizes) - sum(entry != -1 for entry in entries))
    result = _Slice([], [], [], [], [])
    for entry in entries:
        if entry == -1:
            result.shape.append(1)
            continue
        dim = len(result.sizes)
        size = sizes[dim]
        start: Size = 0
        count, stride, keeps = size, 1, True
        if entry is not None:
            keeps = not shrink & 1 << entry
            stride = strides[entry] if keeps else 1
            if stride < 1:
                raise ImportFailed(f"{body.op.name} with the stride {stride} in dimension {dim} is not supported; use tf.reverse")
            low = None if begin_mask & 1 << entry and keeps else begin[entry]
            start, count = (_range(body, size, low, None if end_mask & 1 << entry else end[entry], stride) if keeps
                            else (_index(body, size, begin[entry]), 1))
        result.offsets.append(start)
        result.sizes.append(count)
        result.strides.append(stride)
        if keeps:
            result.kept.append(count)
            result.shape.append(count)
    return result


def _from_start(body: Body, size: Size, given: Size) -> Size:
    """An index, where a negative one counts from the end."""
    if isinstance(given, int):
        return given if given >= 0 else given + size if isinstance(size, int) else body.binary("addi", size, given)
    is_negative = body.add(f"arith.cmpi slt, {given}, {body.index(0)} : index")
    return body.add(f"arith.select {is_negative}, {body.binary('addi', given, size)}, {given} : index")


def _clamp(body: Body, value: Size, last: Size) -> Size:
    if isinstance(value, int) and (value == 0 or isinstance(last, int)):
        return max(min(value, last), 0) if isinstance(last, int) else 0
    return body.binary("maxsi", body.binary("minsi", value, last), 0)


def _index(body: Body, size: Size, given: Size) -> Size:
    """An index out of range, an error in TensorFlow, selects the nearest element, as in XLA: it must not leave the memory."""
    last = size - 1 if isinstance(size, int) else body.binary("subi", size, 1)
    return _clamp(body, _from_start(body, size, given), last)


def _range(body: Body, size: Size, low: Optional[Size], high: Optional[Size], stride: int) -> Tuple[Size, Size]:
    """Offset and size of one dimension of a slice; `None` is an open end."""
    first = 0 if low is None else _clamp(body, _from_start(body, size, low), size)
    last = size if high is None else _clamp(body, _from_start(body, size, high), size)
    if isinstance(first, int) and isinstance(last, int):
        return first, max(-(-(last - first) // stride), 0)
    count = last if first == 0 else body.binary("maxsi", body.binary("subi", last, first), 0)
    return first, count if stride == 1 else body.binary("ceildivsi", count, stride)


def _convert_strided_slice(body: Body) -> List[str]:
    part = _strided_slice(body, body.sizes(0), 1)
    element = body.type(0).element_type
    kind = tensor_type(part.kept, element)
    value = body.add(f"tensor.extract_slice %0{part.text()} : {body.type(0)} to {kind}")
    if len(part.shape) > len(part.kept):
        wanted = tensor_type(part.shape, element)
        value, kind = body.reshape(value, kind, part.shape, wanted), wanted
    return [body.cast(value, kind, body.op.results[0].type)]


def _convert_strided_slice_grad(body: Body) -> List[str]:
    sizes = body.result_sizes(0)
    if body.flag("new_axis_mask"):
        raise ImportFailed(f"{body.op.name} with a new axis is not supported; use tf.expand_dims")
    part = _strided_slice(body, sizes, 1)
    element = body.type(4).element_type
    zeros, kind = body.filled(sizes, element, body.zero(element))
    source = body.cast("%4", str(body.type(4)), tensor_type(part.kept, element))
    value = body.add(f"tensor.insert_slice {source} into {zeros}{part.text()} : {tensor_type(part.kept, element)} into {kind}")
    return [body.cast(value, kind, body.op.results[0].type)]


def _convert_tile(body: Body) -> List[str]:
    sizes = body.sizes(0)
    tiled: List[Size] = [body.add(f"arith.muli {body.value(size)}, {body.element(1, k)} : index")
                         for k, size in enumerate(sizes)]
    own = [body.value(size) for size in sizes]
    value = body.gather(tiled, 0, lambda dim, name: ([f"{name} = arith.remui %i{dim}, {own[dim]} : index"], name))
    return [body.cast(value, tensor_type(tiled, body.type(0).element_type), body.op.results[0].type)]


def _convert_reshape_with_free_size(body: Body) -> List[str]:
    """A size of -1 is what the other sizes leave."""
    wanted = body.ir.RankedTensorType(body.op.results[0].type)
    total = known = body.index(1)
    for size in body.sizes(0):
        total = body.add(f"arith.muli {total}, {body.value(size)} : index")
    given = [body.element(1, k) for k in range(wanted.rank)]
    zero = body.index(0)
    free = [body.add(f"arith.cmpi slt, {size}, {zero} : index") for size in given]
    one = body.index(1)
    for size, is_free in zip(given, free):
        known = body.add(f"arith.muli {known}, {body.add(f'arith.select {is_free}, {one}, {size} : index')} : index")
    # An empty tensor has any number of rows of size 0.
    known = body.add(f"arith.maxsi {known}, {one} : index")
    rest = body.add(f"arith.divsi {total}, {known} : index")
    sizes = [body.add(f"arith.select {is_free}, {rest}, {size} : index") for size, is_free in zip(given, free)]
    return [body.reshape("%0", body.type(0), sizes, wanted)]


def _convert_reverse_sequence(body: Body) -> List[str]:
    time, batch = body.flag("seq_dim"), body.flag("batch_dim")
    lengths = body.type(1)

    def position(dim: int, name: str) -> Tuple[List[str], str]:
        if dim != time:
            return [], f"%i{dim}"
        return [f"{name}n = tensor.extract %1[%i{batch}] : {lengths}",
                f"{name}l = arith.index_cast {name}n : {lengths.element_type} to index",
                f"{name}v = arith.cmpi slt, %i{time}, {name}l : index",
                f"{name}d = arith.subi {name}l, %i{time} : index",
                f"{name}r = arith.subi {name}d, {one} : index",
                f"{name} = arith.select {name}v, {name}r, %i{time} : index"], name

    sizes, one = body.sizes(0), body.index(1)
    value = body.gather(sizes, 0, position)
    return [body.cast(value, tensor_type(sizes, body.type(0).element_type), body.op.results[0].type)]


def _convert_list_get(body: Body) -> List[str]:
    """An element of the first dimension."""
    sizes = body.sizes(0)
    kind = tensor_type(sizes[1:], body.type(0).element_type)
    value = body.add(f"tensor.extract_slice %0{_element_at(body, sizes)} : {body.type(0)} to {kind}")
    return [body.cast(value, kind, body.op.results[0].type)]


def _convert_list_set(body: Body) -> List[str]:
    sizes = body.sizes(0)
    kind = tensor_type(sizes[1:], body.type(0).element_type)
    item = body.cast("%2", str(body.type(2)), kind)
    return [body.add(f"tensor.insert_slice {item} into %0{_element_at(body, sizes)} : {kind} into {body.type(0)}")]


def _element_at(body: Body, sizes: Sequence[Size]) -> str:
    """The slice of the element whose index is operand 1."""
    rank = len(sizes)
    return _Slice([_index(body, sizes[0], body.element(1, 0))] + [0] * (rank - 1), [1, *sizes[1:]], [1] * rank, [], []).text()


def _convert_list_reserve(body: Body) -> List[str]:
    """Zeros. The attribute `positions` has triples: a dimension of the list, an operand, and the position of the size in it, a
    dimension, or -1 - k for its element k."""
    wanted = body.ir.RankedTensorType(body.op.results[0].type)
    found: Dict[int, Size] = {} if not wanted.is_dynamic_dim(0) else {0: body.element(0, 0)}
    positions = [int(value) for value in body.ir.DenseI64ArrayAttr(body.op.attributes["positions"])]
    for dim, operand, at in zip(positions[::3], positions[1::3], positions[2::3]):
        size = body.value(body.sizes(operand)[at]) if at >= 0 else body.element(operand, -1 - at)
        found[dim] = body.add(f"arith.maxsi {found[dim]}, {size} : index") if dim in found else size
    sizes = [found[dim] if dim in found else wanted.get_dim_size(dim) for dim in range(wanted.rank)]
    value, kind = body.filled(sizes, wanted.element_type, body.zero(wanted.element_type))
    return [body.cast(value, kind, wanted)]


def _convert_list_cast(body: Body) -> List[str]:
    return [body.cast("%0", str(body.type(0)), body.op.results[0].type)]


def _convert_list_length(body: Body) -> List[str]:
    size = body.add(f"arith.index_cast {body.value(body.sizes(0)[0])} : index to i32")
    return [body.add(f"tensor.from_elements {size} : tensor<i32>")]


def _convert_sparse_softmax(body: Body) -> List[str]:
    """The loss of each row and its gradient; NaN for a label out of range, as TensorFlow on GPUs."""
    rows, classes = body.sizes(0)
    element, label = body.type(0).element_type, body.type(1).element_type
    wide = body.type(0)
    matrix, row = "affine_map<(d0, d1) -> (d0, d1)>", "affine_map<(d0, d1) -> (d0)>"
    reduction, parallel = 'iterator_types = ["parallel", "reduction"]', 'iterator_types = ["parallel", "parallel"]'

    def reduce(start: str, inner: str, *inputs: Tuple[str, str]) -> str:
        init, kind = body.filled([rows], element, start)
        maps = ", ".join([matrix] + [row] * len(inputs[1:]) + [row])
        names = ", ".join(f"%b{k}: {t}" for k, t in enumerate([element] * len(inputs)))
        return body.add(f"linalg.generic {{indexing_maps = [{maps}], {reduction}}} "
                        f"ins({', '.join(v for v, _ in inputs)} : {', '.join(t for _, t in inputs)}) outs({init} : {kind}) "
                        f"{{\n^bb0({names}, %s: {element}):\n{inner}\nlinalg.yield %r : {element}\n}} -> {kind}")

    narrow = tensor_type([rows], element)
    infinity, nan, _ = SPECIAL[str(element)]
    most = reduce(infinity, f"%r = arith.maximumf %s, %b0 : {element}",
                  ("%0", str(wide)))
    total = reduce("0.0", f"%d = arith.subf %b0, %b1 : {element}\n%x = math.exp %d : {element}\n"
                   f"%r = arith.addf %s, %x : {element}", ("%0", str(wide)), (most, narrow))
    count = body.value(classes)
    labels = (f"%n = arith.index_cast %l : {label} to index\n%zero = arith.constant 0 : index\n"
              f"%low = arith.cmpi sge, %n, %zero : index\n%high = arith.cmpi slt, %n, {count} : index\n"
              "%valid = arith.andi %low, %high : i1\n"
              f"%nan = arith.constant {nan} : {element}\n")
    init, kind = body.empty([rows], element)
    one = "affine_map<(d0) -> (d0)>"
    loss = body.add(
        f"linalg.generic {{indexing_maps = [{one}, {one}, {one}, {one}], iterator_types = [\"parallel\"]}} "
        f"ins(%1, {most}, {total} : {body.type(1)}, {narrow}, {narrow}) outs({init} : {kind}) {{\n"
        f"^bb0(%l: {label}, %m: {element}, %t: {element}, %o: {element}):\n%i = linalg.index 0 : index\n{labels}"
        f"%at = arith.select %valid, %n, %zero : index\n%x = tensor.extract %0[%i, %at] : {wide}\n"
        f"%log = math.log %t : {element}\n%d = arith.subf %x, %m : {element}\n%y = arith.subf %log, %d : {element}\n"
        f"%r = arith.select %valid, %y, %nan : {element}\nlinalg.yield %r : {element}\n}} -> {kind}")
    init, square = body.empty([rows, classes], element)
    gradient = body.add(
        f"linalg.generic {{indexing_maps = [{matrix}, {row}, {row}, {row}, {matrix}], {parallel}}} "
        f"ins(%0, %1, {most}, {total} : {wide}, {body.type(1)}, {narrow}, {narrow}) outs({init} : {square}) {{\n"
        f"^bb0(%x: {element}, %l: {label}, %m: {element}, %t: {element}, %o: {element}):\n%c = linalg.index 1 : index\n{labels}"
        f"%d = arith.subf %x, %m : {element}\n%e = math.exp %d : {element}\n%p = arith.divf %e, %t : {element}\n"
        f"%is = arith.cmpi eq, %n, %c : index\n%one = arith.constant 1.0 : {element}\n%q = arith.subf %p, %one : {element}\n"
        f"%g = arith.select %is, %q, %p : {element}\n%r = arith.select %valid, %g, %nan : {element}\n"
        f"linalg.yield %r : {element}\n}} -> {square}")
    return [body.cast(loss, kind, body.op.results[0].type), body.cast(gradient, square, body.op.results[1].type)]


# ===----------------------------------------------------------------------=== #
# StableHLO
# ===----------------------------------------------------------------------=== #


def _convert_broadcast(body: Body) -> List[str]:
    sizes = body.result_sizes(1)
    at = [int(value) for value in body.ir.DenseI64ArrayAttr(body.op.attributes["broadcast_dimensions"])]
    own, zero = body.sizes(0), body.index(0)
    one = body.index(1)

    def position(dim: int, name: str) -> Tuple[List[str], str]:
        size = own[dim]
        if isinstance(size, int):
            return [], zero if size == 1 else f"%i{at[dim]}"
        return [f"{name}c = arith.cmpi eq, {size}, {one} : index",
                f"{name} = arith.select {name}c, {zero}, %i{at[dim]} : index"], name

    value = body.gather(sizes, 0, position)
    return [body.cast(value, tensor_type(sizes, body.type(0).element_type), body.op.results[0].type)]


def _convert_reshape(body: Body) -> List[str]:
    wanted = body.op.results[0].type
    return [body.add(f"tensor.reshape %0(%1) : ({body.type(0)}, {body.type(1)}) -> {wanted}")]


def _convert_dimension_size(body: Body) -> List[str]:
    size = body.sizes(0)[body.flag("dimension")]
    value = body.add(f"arith.index_cast {body.value(size)} : index to i32")
    return [body.add(f"tensor.from_elements {value} : tensor<i32>")]


def _convert_reverse(body: Body) -> List[str]:
    reversed_dims = {int(value) for value in body.ir.DenseI64ArrayAttr(body.op.attributes["dimensions"])}
    sizes, one = body.sizes(0), body.index(1)
    last = [body.add(f"arith.subi {body.value(size)}, {one} : index") for size in sizes]
    value = body.gather(sizes, 0, lambda dim, name: ([f"{name} = arith.subi {last[dim]}, %i{dim} : index"], name)
                        if dim in reversed_dims else ([], f"%i{dim}"))
    return [body.cast(value, tensor_type(sizes, body.type(0).element_type), body.op.results[0].type)]


def _split_index(body: Body) -> int:
    """The constant index of a shape.split_at, from the start."""
    owner = getattr(body.op.operands[1].owner, "operation", None)
    if owner is None or owner.name != "arith.constant":
        raise ImportFailed(f"{body.op.name} is supported with a constant index only")
    index = int(body.ir.IntegerAttr(owner.attributes["value"]).value)
    return index + body.type(0).get_dim_size(0) if index < 0 else index


def _convert_split(body: Body) -> List[str]:
    at, rank = _split_index(body), body.type(0).get_dim_size(0)
    return [body.add(f"tensor.extract_slice %0[{first}] [{count}] [1] : {body.type(0)} to tensor<{count}xindex>")
            for first, count in ((0, at), (at, rank - at))]


def _convert_concat(body: Body) -> List[str]:
    extents = [body.element(k, n) for k in range(2) for n in range(body.type(k).get_dim_size(0))]
    return [body.add(f"tensor.from_elements {', '.join(extents)} : {body.op.results[0].type}")]


def _convert_constant_shape(body: Body) -> List[str]:
    sizes = [int(size) for size in body.ir.DenseIntElementsAttr(body.op.attributes["shape"])]
    return [body.add(f"arith.constant dense<{sizes}> : {body.op.results[0].type}")]


def use_extent_tensors(mlir: Any, module: Any) -> None:
    """Results of type !shape.shape, of static rank, become tensors of extents: upstream lowers shapes of that form only."""
    ir = mlir.ir
    for op in operations(module.operation):
        if op.name == "shape.to_extent_tensor" and isinstance(op.operands[0].type, ir.RankedTensorType):
            op.results[0].replace_all_uses_with(op.operands[0])
            op.erase()
        elif op.name in ("shape.split_at", "shape.concat", "shape.broadcast", "shape.const_shape") and all(
                isinstance(value.type, (ir.RankedTensorType, ir.IndexType)) for value in op.operands):
            ranks = [ir.RankedTensorType(value.type).get_dim_size(0) for value in op.operands
                     if isinstance(value.type, ir.RankedTensorType)]
            if op.name == "shape.split_at":
                at = _split_index(Body(mlir, op))
                wanted = [at, ranks[0] - at]
            elif op.name == "shape.const_shape":
                wanted = [len(ir.DenseIntElementsAttr(op.attributes["shape"]))]
            else:
                wanted = [sum(ranks) if op.name == "shape.concat" else max(ranks)]
            for result, rank in zip(op.results, wanted):
                result.set_type(ir.RankedTensorType.get([rank], ir.IndexType.get()))


# TensorFlow's ops on lists, and those that replace them, on tensors with one more dimension. The tf dialect accepts unknown ops, so that
# TensorFlow's passes keep them.
LIST_OPS = {"tf.TensorListReserve": "tf.RnnListReserve", "tf.TensorListStack": "tf.RnnListCast",
            "tf.TensorListGetItem": "tf.RnnListGet", "tf.TensorListSetItem": "tf.RnnListSet",
            "tf.TensorListLength": "tf.RnnListLength"}
# A tf.StridedSlice with indices of the program.
SLICE = "tf.RnnSlice"
TENSORFLOW: Dict[str, Converter] = {
    SLICE: _convert_strided_slice,
    "tf.StridedSlice": _convert_strided_slice,
    "tf.StridedSliceGrad": _convert_strided_slice_grad,
    "tf.Reshape": _convert_reshape_with_free_size,
    "tf.ReverseSequence": _convert_reverse_sequence,
    "tf.Tile": _convert_tile,
    "tf.SparseSoftmaxCrossEntropyWithLogits": _convert_sparse_softmax,
    "tf.RnnListReserve": _convert_list_reserve,
    "tf.RnnListCast": _convert_list_cast,
    "tf.RnnListGet": _convert_list_get,
    "tf.RnnListSet": _convert_list_set,
    "tf.RnnListLength": _convert_list_length,
}
STABLEHLO: Dict[str, Converter] = {
    "stablehlo.dynamic_broadcast_in_dim": _convert_broadcast,
    "stablehlo.dynamic_reshape": _convert_reshape,
    "stablehlo.get_dimension_size": _convert_dimension_size,
    "stablehlo.reverse": _convert_reverse,
    "shape.split_at": _convert_split,
    "shape.concat": _convert_concat,
    "shape.const_shape": _convert_constant_shape,
}
