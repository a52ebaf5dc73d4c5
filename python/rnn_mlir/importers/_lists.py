# _lists.py - the tensor lists of TensorFlow's loops as tensors with one more dimension.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tf.while_loop and Keras' loops store what they read and write per step in lists (TensorArray), which TensorFlow's passes
convert only if all sizes are static. Here the ops on lists become ops of _dynamic, which those passes keep."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from . import _average_pools, _dynamic, _gradients, _tf_convolutions
from ._graph import named
from ._lowering import ImportFailed, constant, flag, operations
from ._sizes import first_user, op_of, rank_of, size_of_items

# Loops with regions: the passes of TensorFlow that precede `convert`.
PASSES = "tf-functional-control-flow-to-regions,inline,canonicalize,cse"
_CAST = _dynamic.LIST_OPS["tf.TensorListStack"]
_MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
_SUPPORTED = "use TensorArray.read, write, unstack, stack and gather"


def is_needed(text: str) -> bool:
    """Whether a module of the tf dialect has loops, ops whose conversion by TensorFlow ends the process, or gradients that it
    does not convert."""
    return re.search(r'"tf\.(While|TensorList|If|Case|Unpack|SplitV|BroadcastGradientArgs|ConcatOffset|AvgPool|(Relu6|Elu|Selu)Grad|'
                     r'(Conv.D|DepthwiseConv2dNative)".*tensor<[\dx?]*x\?x)', text) is not None


def convert(mlir: Any, module: Any) -> None:
    """Replaces the lists of a module of the tf dialect after `PASSES`, and what reads one element of a tensor."""
    for op in named(module, "tf.GatherV2", "tf.StridedSlice", "tf.Unpack", "tf.SplitV"):
        if op.name in ("tf.Unpack", "tf.SplitV"):
            _convert_parts(mlir, op)
        elif (index := _index_of_element(mlir, op)) is not None:
            _replace(mlir, op, _dynamic.LIST_OPS["tf.TensorListGetItem"], [op.operands[0], index])
        elif op.name == "tf.StridedSlice" and None in [constant(mlir, op.operands[k]) for k in (1, 2)]:
            # TensorFlow's conversion makes types with bounds, which its other conversions do not support.
            _replace(mlir, op, _dynamic.SLICE, list(op.operands), attributes={
                f"{kind}_mask": _integer(mlir, flag(mlir, op, f"{kind}_mask")) for kind in _MASKS})
    _average_pools.keep(mlir, module)
    _tf_convolutions.keep(mlir, module)
    _gradients.replace_concatenations(mlir, module)
    _gradients.replace_activations(mlir, module)
    _gradients.replace_sums(mlir, module)
    _check_branches(mlir, module)
    _refine_constants(mlir, module)
    _separate_lists(mlir, module)
    for op in named(module, "tf.TensorListFromTensor"):
        _convert_list(mlir, op)
    _convert_reserved(mlir, named(module, "tf.TensorListReserve"))
    for op in named(module, "tf.TensorListGather"):
        axis = _integers(mlir, op, [0], ())
        _replace(mlir, op, "tf.GatherV2", [*list(op.operands)[:2], axis], attributes={"batch_dims": _integer(mlir, 0)})
    for op in named(module, "tf.TensorListElementShape"):
        point = mlir.ir.InsertionPoint(op)
        kind = mlir.ir.RankedTensorType.get([rank_of(mlir, op.operands[0])], mlir.ir.RankedTensorType(op.results[0].type).element_type)
        shape = mlir.ir.Operation.create("tf.Shape", results=[kind], operands=[op.operands[0]], loc=op.location, ip=point).result
        _replace(mlir, op, "tf.Slice", [shape, _integers(mlir, op, [1], [1]), _integers(mlir, op, [-1], [1])])
    for name, operands in (("SetItem", 3), ("GetItem", 2), ("Stack", 1), ("Length", 1)):
        for op in named(module, f"tf.TensorList{name}"):
            _replace(mlir, op, _dynamic.LIST_OPS[op.name], list(op.operands)[:operands])
    left = sorted({op.name for op in operations(module.operation) if op.name.startswith(("tf.TensorList", "tf.EmptyTensorList"))})
    if left:
        raise ImportFailed(f"the module has lists of tensors with the ops {', '.join(left)}, which are not supported; " + _SUPPORTED)
    for op in named(module, "tf.WhileRegion", "tf.IfRegion", "tf.CaseRegion"):
        _cast_values(mlir, op)


def _check_branches(mlir: Any, module: Any) -> None:
    """Reports results of branches that have no common type."""
    if any(op.name.startswith("tf.Optional") for op in operations(module.operation)):
        raise ImportFailed("the module has optional values (tf.OptionalFromValue) that are not supported. They come from gradients of branches "
                           "with loops or branches inside: use tf.where instead of tf.cond")
    for op in named(module, "tf.IfRegion", "tf.CaseRegion"):
        for k, result in enumerate(op.results):
            kinds = sorted({str(list(region.blocks[0])[-1].operation.operands[k].type) for region in op.regions})
            if rank_of(mlir, result) < 0 and len(kinds) > 1:
                raise ImportFailed(f"the branches of {op.name} return tensors of different shapes, which is not supported: " +
                                   ", ".join(kinds))


def _refine_constants(mlir: Any, module: Any) -> None:
    """A constant gets the type of its value: TensorFlow's passes replace a less static one, but not the types of its uses."""
    for op in named(module, "tf.Const"):
        kind = mlir.ir.Attribute(op.attributes["value"]).type
        if kind != op.results[0].type and isinstance(kind, mlir.ir.RankedTensorType):
            op.results[0].set_type(kind)


def _separate_lists(mlir: Any, module: Any) -> None:
    """One list per use: the elements of lists that TensorFlow's passes have merged may have different shapes."""
    for op in named(module, "tf.TensorListReserve"):
        for use in list(op.results[0].uses)[1:]:
            use.owner.operation.operands[use.operand_number] = op.clone(mlir.ir.InsertionPoint(op)).results[0]


def _convert_reserved(mlir: Any, todo: List[Any]) -> None:
    """Converts lists until the sizes of no other one are known: elements of a list may be computed from those of another one."""
    while todo:
        left, failed = [], None
        for op in todo:
            try:
                _convert_list(mlir, op)
            except ImportFailed as error:
                left.append(op)
                failed = error
        if failed and len(left) == len(todo):
            raise failed
        todo = left


def _cast_values(mlir: Any, op: Any) -> None:
    """Values that enter and leave regions get the types that the op declares, which may have fewer static sizes."""
    is_loop = op.name == "tf.WhileRegion"
    kinds = [value.type for value in (op.regions[1].blocks[0].arguments if is_loop else op.results)]
    ends = [list(region.blocks[0])[-1].operation for region in list(op.regions)[1 if is_loop else 0:]]
    for user in [op, *ends] if is_loop else ends:
        for k, kind in enumerate(kinds):
            value = user.operands[k]
            if value.type != kind and rank_of(mlir, value) >= 0 and isinstance(kind, mlir.ir.RankedTensorType):
                user.operands[k] = mlir.ir.Operation.create(_CAST, results=[kind], operands=[value], loc=op.location,
                                                            ip=mlir.ir.InsertionPoint(user)).result


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
    ranks = [rank_of(mlir, value) for value in (*op.operands, *op.results)]
    if ranks[0] < 1 or ranks[-1] != ranks[0] - 1:
        return None
    if op.name == "tf.GatherV2":
        return op.operands[1] if ranks[1] == 0 and constant(mlir, op.operands[2]) == [0] else None
    begin = op_of(op.operands[1])
    masks = [flag(mlir, op, f"{kind}_mask") for kind in ("shrink_axis", "begin", "ellipsis", "new_axis")]
    # _dynamic converts constant indices.
    if begin is None or begin.name not in ("tf.Pack", "tf.Reshape", "tf.ExpandDims") or rank_of(mlir, begin.operands[0]):
        return None
    is_first = masks == [1, 0, 0, 0] and list(mlir.ir.RankedTensorType(op.operands[1].type).shape) == [1]
    return begin.operands[0] if is_first else None


def _integer(mlir: Any, value: int) -> Any:
    return mlir.ir.IntegerAttr.get(mlir.ir.IntegerType.get_signless(64), value)


def _integers(mlir: Any, op: Any, values: Sequence[int], shape: Sequence[int]) -> Any:
    """A constant before `op`."""
    ir = mlir.ir
    kind = ir.RankedTensorType.get(shape, ir.IntegerType.get_signless(64))
    value = ir.DenseElementsAttr.get([_integer(mlir, n) for n in values], kind)
    return ir.Operation.create("tf.Const", results=[kind], attributes={"value": value}, loc=op.location,
                               ip=ir.InsertionPoint(op)).result


def _convert_parts(mlir: Any, op: Any) -> None:
    """Slices, which _dynamic converts. TensorFlow's conversion of a tf.Unpack with dynamic sizes ends the process; that of a tf.SplitV
    does not support them."""
    whole = op.operands[0]
    if rank_of(mlir, whole) < 1 or mlir.ir.RankedTensorType(whole.type).has_static_shape:
        return
    rank, sizes = rank_of(mlir, whole), [1] * len(op.results)
    if op.name == "tf.SplitV":
        axes, given = constant(mlir, op.operands[2]), constant(mlir, op.operands[1])
        if axes is None or given is None or min(given) < 0:
            return
        axis, sizes = axes[0] % rank, given
    else:
        axis = flag(mlir, op, "axis") % rank
    shape, masks = [axis + 1], (1 << axis) - 1
    strides = _integers(mlir, op, [1] * (axis + 1), shape)
    attributes = {"begin_mask": masks, "end_mask": masks, "ellipsis_mask": 0, "new_axis_mask": 0,
                  "shrink_axis_mask": 1 << axis if op.name == "tf.Unpack" else 0}
    first = 0
    for size, result in zip(sizes, op.results):
        bounds = [_integers(mlir, op, [0] * axis + [n], shape) for n in (first, first + size)]
        part = mlir.ir.Operation.create("tf.StridedSlice", results=[result.type], operands=[whole, *bounds, strides],
                                        attributes={name: _integer(mlir, mask) for name, mask in attributes.items()},
                                        loc=op.location, ip=mlir.ir.InsertionPoint(op))
        result.replace_all_uses_with(part.result)
        first += size
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
        elif op.name in ("tf.Identity", "tf.Cast", "tf.AddN", "tf.ZerosLike") or (op.name == "tf.TensorListSetItem" and k == 0):
            yield op, [op.results[0]]
        elif op.name == "tf.TensorListSetItem" and k == 2:  # a list of lists
            yield op, [user.results[0] for user in _flow_of_list(op.results[0])[1] if user.name == "tf.TensorListGetItem"]
        elif op.name in ("tf.TensorListGetItem", "tf.TensorListStack", "tf.TensorListLength", "tf.TensorListGather",
                         "tf.TensorListElementShape"):
            yield op, []
        else:
            raise ImportFailed(f"a list of tensors is an operand of {op.name}, which is not supported; " + _SUPPORTED)


def _flow_of_list(value: Any) -> Tuple[List[Any], List[Any]]:
    """The values that are the same list, and the ops that use it."""
    same, todo, users = [value], [value], []
    while todo:
        for user, values in _uses_of_list(todo.pop()):
            users.append(user)
            new = [other for other in values if other not in same]
            same += new
            todo += new
    return same, users


def _convert_list(mlir: Any, op: Any) -> None:
    """Converts the op that makes a list, and the types of the values that are this list."""
    ir = mlir.ir
    same, users = _flow_of_list(op.results[0])
    items: List[Any] = []
    for user in users:
        if user.name != "tf.TensorListSetItem":
            continue
        if flag(mlir, user, "resize_if_index_out_of_bounds"):
            raise ImportFailed("the module has a list of tensors that grows (TensorArray with dynamic_size=True), which is not "
                               "supported; give it its size")
        if user.operands[0] in same and user.operands[2] not in items:
            items.append(user.operands[2])
    element = _element_type(mlir, op, items)
    shape = [ir.ShapedType.get_dynamic_size(), *element.shape]
    operands, positions = list(op.operands), []
    if op.name == "tf.TensorListReserve":
        anchor, operands = first_user(op), [op.operands[1]]
        length = constant(mlir, op.operands[1])
        shape[0] = length[0] if length and length[0] >= 0 else shape[0]
        for dim in [dim for dim in range(element.rank) if element.is_dynamic_dim(dim)]:
            for source in size_of_items(mlir, items, dim, anchor):
                if isinstance(source, int):
                    shape[dim + 1] = source
                    continue
                if source[0] not in operands:
                    operands.append(source[0])
                positions += [dim + 1, operands.index(source[0]), source[1]]
    kind = ir.RankedTensorType.get(shape, element.element_type)
    for value in same:
        value.set_type(kind)
    if op.name == "tf.TensorListFromTensor":
        _replace(mlir, op, _CAST, operands[:1], [kind])
    else:
        _replace(mlir, op, _dynamic.LIST_OPS[op.name], operands, [kind], {"positions": ir.DenseI64ArrayAttr.get(positions)}, anchor)


def _element_type(mlir: Any, op: Any, items: Sequence[Any]) -> Any:
    """The type of the list's elements: that of the list, or of what is written to it."""
    ir = mlir.ir
    match = re.search(r"variant<(tensor<.*>)>>$", str(op.results[0].type))
    types = ([ir.Type.parse(match[1])] if match else []) + [item.type for item in items]
    # Lists in a list become tensors before it does.
    ranked = [ir.RankedTensorType(kind) for kind in types if isinstance(kind, ir.RankedTensorType) and "variant" not in str(kind)]
    if op.name == "tf.TensorListFromTensor" and isinstance(op.operands[0].type, ir.RankedTensorType):
        whole = ir.RankedTensorType(op.operands[0].type)
        ranked.append(ir.RankedTensorType.get(whole.shape[1:], whole.element_type))
    if not ranked or any(kind.rank != ranked[0].rank for kind in ranked):
        raise ImportFailed(f"the rank of the elements of a list of tensors ({op.name}) is unknown; give the TensorArray an element_shape")
    # All elements have the same size, so that one static size suffices.
    shape = [next((kind.get_dim_size(dim) for kind in ranked if not kind.is_dynamic_dim(dim)), ir.ShapedType.get_dynamic_size())
             for dim in range(ranked[0].rank)]
    return ir.RankedTensorType.get(shape, ranked[0].element_type)
