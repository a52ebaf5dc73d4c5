# _lists.py - the tensor lists of TensorFlow's loops as tensors with one more dimension.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tf.while_loop and Keras' loops store what they read and write per step in lists (TensorArray), which TensorFlow's passes
convert only if all sizes are static. Here the ops on lists become ops of _dynamic, which those passes keep."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import _dynamic
from ._lowering import ImportFailed, operations

# Loops with regions: the passes of TensorFlow that precede `convert`.
PASSES = "tf-functional-control-flow-to-regions,inline,canonicalize,cse"
# A static size, or a value and a dimension of it.
_Size = Union[int, Tuple[Any, int]]


def is_needed(text: str) -> bool:
    """Whether a module of the tf dialect has loops, or ops whose conversion by TensorFlow ends the process."""
    return re.search(r'"tf\.(While|TensorList|If|Case|Unpack)', text) is not None


def convert(mlir: Any, module: Any) -> None:
    """Replaces the lists of a module of the tf dialect after `PASSES`, and what reads one element of a tensor."""
    for op in _ops(module, "tf.GatherV2", "tf.StridedSlice", "tf.Unpack"):
        if op.name == "tf.Unpack":
            _convert_unpack(mlir, op)
        elif (index := _index_of_element(mlir, op)) is not None:
            _replace(mlir, op, _dynamic.LIST_OPS["tf.TensorListGetItem"], [op.operands[0], index])
    for op in _ops(module, "tf.TensorListReserve", "tf.TensorListFromTensor"):
        _convert_list(mlir, op)
    for name, operands in (("SetItem", 3), ("GetItem", 2), ("Stack", 1), ("Length", 1)):
        for op in _ops(module, f"tf.TensorList{name}"):
            _replace(mlir, op, _dynamic.LIST_OPS[op.name], list(op.operands)[:operands])
    left = sorted({op.name for op in operations(module.operation) if op.name.startswith(("tf.TensorList", "tf.EmptyTensorList"))})
    if left:
        raise ImportFailed(f"the module has lists of tensors with the ops {', '.join(left)}, which are not supported. They come from "
                           "gradients of loops. In Keras, use layers with unroll=True")


def _ops(module: Any, *names: str) -> List[Any]:
    return [op for op in operations(module.operation) if op.name in names]


def _replace(mlir: Any, op: Any, name: str, operands: Sequence[Any], types: Optional[Sequence[Any]] = None,
             attributes: Optional[Dict[str, Any]] = None, at: Any = None) -> None:
    new = mlir.ir.Operation.create(name, results=[result.type for result in op.results] if types is None else types,
                                   operands=operands, attributes=attributes or {}, loc=op.location,
                                   ip=mlir.ir.InsertionPoint(op if at is None else at))
    for old, result in zip(op.results, new.results):
        old.replace_all_uses_with(result)
    op.erase()


def _index_of_element(mlir: Any, op: Any) -> Any:
    """The scalar i of a tf.GatherV2 or tf.StridedSlice that is x[i], or None."""
    ranks = [_rank(mlir, value) for value in (*op.operands, *op.results)]
    if ranks[0] < 1 or ranks[-1] != ranks[0] - 1:
        return None
    if op.name == "tf.GatherV2":
        return op.operands[1] if ranks[1] == 0 and _constant(mlir, op.operands[2]) == [0] else None
    begin = getattr(op.operands[1].owner, "operation", None)
    masks = [_flag(mlir, op, f"{kind}_mask") for kind in ("shrink_axis", "begin", "ellipsis", "new_axis")]
    # _dynamic converts constant indices.
    if begin is None or begin.name not in ("tf.Pack", "tf.Reshape", "tf.ExpandDims") or _rank(mlir, begin.operands[0]):
        return None
    is_first = masks == [1, 0, 0, 0] and list(mlir.ir.RankedTensorType(op.operands[1].type).shape) == [1]
    return begin.operands[0] if is_first else None


def _rank(mlir: Any, value: Any) -> int:
    """The rank of a tensor; -1 if it is unknown."""
    return int(mlir.ir.RankedTensorType(value.type).rank) if isinstance(value.type, mlir.ir.RankedTensorType) else -1


def _convert_unpack(mlir: Any, op: Any) -> None:
    """Slices, which _dynamic converts: TensorFlow's conversion of a tf.Unpack with dynamic sizes ends the process."""
    ir = mlir.ir
    if _rank(mlir, op.operands[0]) < 1 or ir.RankedTensorType(op.operands[0].type).has_static_shape:
        return
    axis = _flag(mlir, op, "axis") % _rank(mlir, op.operands[0])
    point, word = ir.InsertionPoint(op), ir.IntegerType.get_signless(64)

    def constant(last: int) -> Any:
        """A vector that selects element `last` of `axis`."""
        kind = ir.RankedTensorType.get([axis + 1], word)
        value = ir.DenseElementsAttr.get([ir.IntegerAttr.get(word, n) for n in [0] * axis + [last]], kind)
        return ir.Operation.create("tf.Const", results=[kind], attributes={"value": value}, loc=op.location, ip=point).result

    def mask(bits: int) -> Any:
        return ir.IntegerAttr.get(word, bits)

    ones = ir.RankedTensorType.get([axis + 1], word)
    strides = ir.Operation.create("tf.Const", results=[ones], attributes={
        "value": ir.DenseElementsAttr.get_splat(ones, ir.IntegerAttr.get(word, 1))}, loc=op.location, ip=point).result
    whole = (1 << axis) - 1
    for k, result in enumerate(op.results):
        part = ir.Operation.create("tf.StridedSlice", results=[result.type],
                                   operands=[op.operands[0], constant(k), constant(k + 1), strides],
                                   attributes={"begin_mask": mask(whole), "end_mask": mask(whole), "ellipsis_mask": mask(0),
                                               "new_axis_mask": mask(0), "shrink_axis_mask": mask(1 << axis)},
                                   loc=op.location, ip=point)
        result.replace_all_uses_with(part.result)
    op.erase()


# ===----------------------------------------------------------------------=== #
# Types of lists
# ===----------------------------------------------------------------------=== #


def _uses_of_list(value: Any) -> Iterator[Tuple[Any, List[Any]]]:
    """The ops that use a list, and the values that are the same list after them."""
    for use in value.uses:
        op, k = use.owner.operation, use.operand_number
        if op.name == "tf.WhileRegion":
            yield op, [op.results[k], *[region.blocks[0].arguments[k] for region in op.regions]]
        elif op.name == "tf.Yield":
            parent = op.parent.operation
            # A branch has no arguments.
            arguments = [argument for region in parent.regions for argument in list(region.blocks[0].arguments)[k:k + 1]]
            yield op, [parent.results[k], *arguments]
        elif op.name == "tf.Identity" or (op.name == "tf.TensorListSetItem" and k == 0):
            yield op, [op.results[0]]
        elif op.name in ("tf.TensorListGetItem", "tf.TensorListStack", "tf.TensorListLength"):
            yield op, []
        else:
            raise ImportFailed(f"a list of tensors is an operand of {op.name}, which is not supported; return its tensor: "
                               "TensorArray.stack()")


def _convert_list(mlir: Any, op: Any) -> None:
    """Converts the op that makes a list, and the types of the values that are this list."""
    ir = mlir.ir
    same, todo, items = [op.results[0]], [op.results[0]], []
    while todo:
        for user, values in _uses_of_list(todo.pop()):
            if user.name == "tf.TensorListSetItem" and _flag(mlir, user, "resize_if_index_out_of_bounds"):
                raise ImportFailed("the module has a list of tensors that grows (TensorArray with dynamic_size=True), which is not "
                                   "supported; give it its size")
            if user.name == "tf.TensorListSetItem" and user.operands[2] not in items:
                items.append(user.operands[2])
            for value in values:
                if value not in same:
                    same.append(value)
                    todo.append(value)
    element = _element_type(mlir, op, items)
    sizes = [ir.ShapedType.get_dynamic_size(), *element.shape]
    for value in same:
        value.set_type(ir.RankedTensorType.get(sizes, element.element_type))
    kind = same[0].type
    if op.name == "tf.TensorListFromTensor":
        _replace(mlir, op, _dynamic.LIST_OPS["tf.TensorListStack"], [op.operands[0]], [kind])
        return
    anchor = _first_user(op)
    operands, positions = [op.operands[1]], []
    for dim in range(element.rank):
        if not element.is_dynamic_dim(dim):
            continue
        for value, position in _sizes_of_items(mlir, items, dim, anchor):
            if value not in operands:
                operands.append(value)
            positions += [dim + 1, operands.index(value), position]
    _replace(mlir, op, _dynamic.LIST_OPS[op.name], operands, [kind],
             {"positions": ir.DenseI64ArrayAttr.get(positions)}, anchor)


def _element_type(mlir: Any, op: Any, items: Sequence[Any]) -> Any:
    """The type of the list's elements: that of the list, or of what is written to it."""
    ir = mlir.ir
    match = re.search(r"variant<(tensor<.*>)>>$", str(op.results[0].type))
    types = ([ir.Type.parse(match[1])] if match else []) + [item.type for item in items]
    ranked = [ir.RankedTensorType(kind) for kind in types if isinstance(kind, ir.RankedTensorType)]
    if op.name == "tf.TensorListFromTensor" and isinstance(op.operands[0].type, ir.RankedTensorType):
        whole = ir.RankedTensorType(op.operands[0].type)
        ranked.append(ir.RankedTensorType.get(whole.shape[1:], whole.element_type))
    if not ranked or any(kind.rank != ranked[0].rank for kind in ranked):
        raise ImportFailed(f"the rank of the elements of a list of tensors ({op.name}) is unknown; give the TensorArray an element_shape")
    # All elements have the same size, so that one static size suffices.
    shape = [next((kind.get_dim_size(dim) for kind in ranked if not kind.is_dynamic_dim(dim)), ir.ShapedType.get_dynamic_size())
             for dim in range(ranked[0].rank)]
    return ir.RankedTensorType.get(shape, ranked[0].element_type)


# ===----------------------------------------------------------------------=== #
# Sizes of elements
# ===----------------------------------------------------------------------=== #

_SAME_SHAPE = {"Abs", "BiasAdd", "Cast", "ClipByValue", "Elu", "Erf", "Erfc", "Exp", "Gelu", "Identity", "LeakyRelu", "Log", "LogSoftmax",
               "Neg", "OnesLike", "Relu", "Relu6", "Rsqrt", "Selu", "Sigmoid", "Softmax", "Softplus", "Softsign", "Sqrt", "Square",
               "StopGradient", "Tanh", "ZerosLike"}
_BROADCASTING = {"AddV2", "Div", "DivNoNan", "Maximum", "Minimum", "Mul", "Pow", "RealDiv", "SelectV2", "SquaredDifference", "Sub"}


def _first_user(op: Any) -> Any:
    """The first op of the block of `op` that uses its result, itself or in a region."""
    users = []
    for use in op.results[0].uses:
        user = use.owner.operation
        while user.block != op.operation.block:
            user = user.parent.operation
        users.append(user)
    return next((other.operation for other in op.operation.block if other.operation in users), op)


def _precedes(value: Any, anchor: Any) -> bool:
    """Whether an op in front of `anchor` can use the value."""
    owner = value.owner
    is_argument = not hasattr(owner, "operation")
    block = owner if is_argument else owner.operation.block
    op = anchor.operation
    while True:
        if op.block == block:
            ops = [other.operation for other in block]
            return is_argument or ops.index(owner.operation) < ops.index(op)
        if op.parent is None or op.parent.operation.name == "builtin.module":
            return False
        op = op.parent.operation


def _sizes_of_items(mlir: Any, items: Sequence[Any], dim: int, anchor: Any) -> List[Tuple[Any, int]]:
    """Values in front of a loop, and dimensions of them, whose largest size is that of dimension `dim` of the items."""
    for item in items:
        found = _sources(mlir, item, dim, anchor)
        if found:
            return [source for source in found if not isinstance(source, int)]
    raise ImportFailed(f"the size of dimension {dim} of the elements of a list of tensors is unknown before the loop that writes them; "
                       "give the inputs a static batch size, or the TensorArray a static element_shape. In Keras, use --batch")


def _sources(mlir: Any, value: Any, dim: int, anchor: Any) -> Optional[List[_Size]]:
    """Sizes the largest of which is that of a dimension, or None. A loop keeps the sizes of its values: the elements of a list
    have one size, so that the first step decides."""
    kind = value.type
    if not isinstance(kind, mlir.ir.RankedTensorType):
        return None
    kind = mlir.ir.RankedTensorType(kind)
    if not kind.is_dynamic_dim(dim):
        return [kind.get_dim_size(dim)]
    if _precedes(value, anchor):
        return [(value, dim)]
    owner = value.owner
    if not hasattr(owner, "operation"):  # an argument of a block
        parent = owner.owner.operation
        if parent.name != "tf.WhileRegion":
            return None
        return _sources(mlir, parent.operands[list(owner.arguments).index(value)], dim, anchor)
    op = owner.operation
    rule = _operand_of(mlir, op, dim, kind.rank, list(op.results).index(value))
    found: List[_Size] = []
    for operand, position in rule:
        more = _sources(mlir, op.operands[operand], position, anchor)
        if more is None:
            return None
        found += [source for source in more if source not in found]
    return found or None


def _operand_of(mlir: Any, op: Any, dim: int, rank: int, result: int) -> List[Tuple[int, int]]:
    """Operands and dimensions of them that decide the size of dimension `dim` of a result; none if that is unknown."""
    name = op.name.partition(".")[2]
    ranks = [_rank(mlir, value) for value in op.operands]
    if name in _SAME_SHAPE:
        return [(0, dim)]
    if name in _BROADCASTING:
        return [(k, dim - rank + other) for k, other in enumerate(ranks) if dim - rank + other >= 0]
    if name == "WhileRegion":
        return [(result, dim)]
    if name == "MatMul":
        transposed = "transpose_a" if dim == 0 else "transpose_b"
        return [(dim, 1 - dim if _flag(mlir, op, transposed) else dim)]
    if op.name == _dynamic.LIST_OPS["tf.TensorListGetItem"]:
        return [(0, dim + 1)]
    if name == "Conv2D" and dim == 0:
        return [(0, 0)]
    if name in ("Split", "SplitV"):
        axis = _constant(mlir, op.operands[0 if name == "Split" else 2])
        operand = 1 if name == "Split" else 0
        return [] if axis is None or axis[0] % rank == dim else [(operand, dim)]
    if name == "ConcatV2":
        axis = _constant(mlir, op.operands[len(ranks) - 1])
        return [] if axis is None or axis[0] % rank == dim else [(0, dim)]
    if name == "StridedSlice" and ranks[0] == rank:
        masks = [_flag(mlir, op, f"{kind}_mask") for kind in ("ellipsis", "new_axis", "shrink_axis")]
        strides = _constant(mlir, op.operands[3])
        whole = strides is not None and (dim >= len(strides) or (
            strides[dim] == 1 and all(_flag(mlir, op, f"{kind}_mask") & 1 << dim for kind in ("begin", "end"))))
        return [(0, dim)] if whole and not any(masks) else []
    return []


def _flag(mlir: Any, op: Any, name: str) -> int:
    """An attribute of type integer or bool; 0 if it is absent."""
    if name not in op.attributes:
        return 0
    attribute = op.attributes[name]
    kind = mlir.ir.BoolAttr if isinstance(attribute, mlir.ir.BoolAttr) else mlir.ir.IntegerAttr
    return int(kind(attribute).value)


def _constant(mlir: Any, value: Any) -> Optional[List[int]]:
    """The integers of a constant, or None."""
    attributes = getattr(getattr(value.owner, "operation", None), "attributes", {})
    return [int(v) for v in mlir.ir.DenseIntElementsAttr(attributes["value"])] if "value" in attributes else None
