# _sizes.py - sizes of the elements of TensorFlow's lists before the loops that write them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list becomes a tensor that is allocated before its loop. Each op has a rule that says which sizes of its operands decide a size of
its result."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Union

from . import _dynamic
from ._lowering import ImportFailed, constant, flag

# A static size; or a value and a position: a dimension, or -1 - k for element k of integers.
_Size = Union[int, Tuple[Any, int]]

_SAME_SHAPE = {"Abs", "Acos", "Acosh", "AddN", "Asin", "Asinh", "Atan", "Atanh", "BiasAdd", "Cast", "Ceil", "CheckNumerics",
               "ClipByValue", "Cos", "Cosh", "Cumsum", "Digamma", "Elu", "EluGrad", "Erf", "Erfc", "Erfinv", "Exp", "Expm1", "Floor",
               "Gelu", "Identity", "Inv", "Invert", "IsFinite", "IsInf", "IsNan", "LeakyRelu", "LeakyReluGrad", "Lgamma", "Log",
               "Log1p", "LogSoftmax", "LogicalNot", "Neg", "OnesLike", "PreventGradient", "Reciprocal", "Relu", "ReluGrad", "Relu6",
               "Relu6Grad", "Rint", "Round", "Rsqrt", "RsqrtGrad", "Selu", "SeluGrad", "Sigmoid", "SigmoidGrad", "Sign", "Sin",
               "Sinh", "Softmax", "Softplus", "SoftplusGrad", "Softsign", "SoftsignGrad", "Sqrt", "SqrtGrad", "Square",
               "StopGradient", "Tan", "Tanh", "TanhGrad", "ZerosLike"}
_BROADCASTING = {"AddV2", "Atan2", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "DivNoNan", "Equal", "FloorDiv", "FloorMod",
                 "Greater", "GreaterEqual", "Less", "LessEqual", "LogicalAnd", "LogicalOr", "Maximum", "Minimum", "Mul", "MulNoNan",
                 "NotEqual", "Pow", "RealDiv", "SelectV2", "SquaredDifference", "Sub", "TruncateDiv", "TruncateMod", "Xdivy",
                 "Xlog1py", "Xlogy"}
_REDUCTIONS = {"All", "Any", "ArgMax", "ArgMin", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum"}


def rank_of(mlir: Any, value: Any) -> int:
    """The rank of a tensor; -1 if it is unknown."""
    return int(mlir.ir.RankedTensorType(value.type).rank) if isinstance(value.type, mlir.ir.RankedTensorType) else -1


def op_of(value: Any) -> Any:
    """The op of a result; None for an argument."""
    return getattr(value.owner, "operation", None)


def first_user(op: Any) -> Any:
    """The first op of the block of `op` that uses its result, itself or in a region."""
    users = []
    for use in op.results[0].uses:
        user = use.owner.operation
        while user.block != op.operation.block:
            user = user.parent.operation
        users.append(user)
    return next((other.operation for other in op.operation.block if other.operation in users), op)


def precedes(value: Any, anchor: Any) -> bool:
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


def size_of_items(mlir: Any, items: Sequence[Any], dim: int, anchor: Any) -> List[_Size]:
    """Sizes in front of `anchor`, the largest of which is that of dimension `dim` of the items: one static size, or values."""
    for item in items:
        found = _sources(mlir, item, dim, anchor)
        if found:
            # An operand of size 1 broadcasts.
            static = [size for size in found if isinstance(size, int)]
            values: List[_Size] = [size for size in found if not isinstance(size, int)]
            return [max(static)] if static and (max(static) > 1 or not values) else values
    raise ImportFailed(f"the size of dimension {dim} of the elements of a list of tensors is unknown before the loop that writes them; "
                       "give the inputs a static batch size, or the TensorArray a static element_shape. In Keras, use --batch")


def _sources(mlir: Any, value: Any, dim: int, anchor: Any) -> Optional[List[_Size]]:
    """Sizes the largest of which is that of a dimension, or None. A loop keeps the sizes of its values: the elements of a list
    have one size, so that the first step decides."""
    kind = value.type
    if not isinstance(kind, mlir.ir.RankedTensorType):
        return None
    kind = mlir.ir.RankedTensorType(kind)
    if dim < 0:
        return _element_sources(mlir, value, -1 - dim, anchor)
    if dim >= kind.rank:  # a list that is not converted yet
        return None
    if not kind.is_dynamic_dim(dim):
        return [kind.get_dim_size(dim)]
    if precedes(value, anchor):
        return [(value, dim)]
    op = op_of(value)
    if op is None:  # an argument of a block
        parent = value.owner.owner.operation
        if parent.name != "tf.WhileRegion":
            return None
        return _sources(mlir, parent.operands[list(value.owner.arguments).index(value)], dim, anchor)
    result = list(op.results).index(value)
    if op.name in ("tf.IfRegion", "tf.CaseRegion"):
        yields = [list(region.blocks[0])[-1].operation.operands[result] for region in op.regions]
        return next((sizes for sizes in (_sources(mlir, item, dim, anchor) for item in yields) if sizes), None)
    found: List[_Size] = []
    for operand, position in _operands_of(mlir, op, dim, kind.rank, result):
        more = _sources(mlir, op.operands[operand], position, anchor)
        if more is None:
            return None
        found += [source for source in more if source not in found]
    return found or None


def _element_sources(mlir: Any, value: Any, k: int, anchor: Any) -> Optional[List[_Size]]:
    """Sizes of which element `k` of a tensor of integers is the largest, or None."""
    numbers = constant(mlir, value)
    if numbers is not None:
        return [numbers[k]] if len(numbers) > k and numbers[k] >= 0 else None
    if precedes(value, anchor):
        return [(value, -1 - k)]
    op = op_of(value)
    if op is None:
        return None
    if op.name == "tf.Pack":
        return _element_sources(mlir, op.operands[k], 0, anchor)
    if op.name in ("tf.Identity", "tf.Cast", "tf.ExpandDims"):
        return _element_sources(mlir, op.operands[0], k, anchor)
    if op.name == "tf.Shape":
        return _sources(mlir, op.operands[0], k, anchor)
    begin = constant(mlir, op.operands[1]) if op.name == "tf.StridedSlice" else None
    if begin is not None and len(begin) == 1 and flag(mlir, op, "shrink_axis_mask") == 1 and begin[0] >= 0:
        return _element_sources(mlir, op.operands[0], begin[0], anchor)
    return None


def _operands_of(mlir: Any, op: Any, dim: int, rank: int, result: int) -> List[Tuple[int, int]]:
    """Operands and positions in them that decide the size of dimension `dim` of a result; none if that is unknown."""
    name = op.name.partition(".")[2]
    ranks = [rank_of(mlir, value) for value in op.operands]
    if name in _SAME_SHAPE:
        return [(0, dim)]
    if name in _BROADCASTING:
        return [(k, dim - rank + other) for k, other in enumerate(ranks) if dim - rank + other >= 0]
    if name in ("WhileRegion", "IdentityN"):
        return [(result, dim)]
    if name in ("TensorListSetItem", "TensorListStack"):
        return [(0, dim)]
    if name == "TensorListGetItem" or op.name == _dynamic.LIST_OPS["tf.TensorListGetItem"]:
        return [(0, dim + 1)]
    if op.name == _dynamic.LIST_OPS["tf.TensorListReserve"]:
        positions = [int(value) for value in mlir.ir.DenseI64ArrayAttr(op.attributes["positions"])]
        found = [(k, at) for own, k, at in zip(positions[::3], positions[1::3], positions[2::3]) if own == dim]
        return [(0, -1)] if dim == 0 else found
    if name == "MatMul":
        transposed = "transpose_a" if dim == 0 else "transpose_b"
        return [(dim, 1 - dim if flag(mlir, op, transposed) else dim)]
    if name in ("BatchMatMulV2", "BatchMatMulV3"):
        if dim < rank - 2:
            return [(k, dim - rank + other) for k, other in enumerate(ranks) if dim - rank + other >= 0]
        operand = dim - rank + 2
        return [(operand, ranks[operand] - (2 - operand if not flag(mlir, op, ("adj_x", "adj_y")[operand]) else 1 + operand))]
    if name == "Conv2D" and dim == 0:
        return [(0, 0)]
    if name == "Einsum":
        return _einsum(str(mlir.ir.StringAttr(op.attributes["equation"]).value), dim)
    if name in ("Fill", "BroadcastTo"):
        return [(0 if name == "Fill" else 1, -1 - dim)]
    if name == "Pack":
        axis = flag(mlir, op, "axis") % rank
        return [] if dim == axis else [(0, dim - (dim > axis))]
    if name == "Squeeze":
        squeezed = [int(mlir.ir.IntegerAttr(axis).value) % ranks[0] for axis in op.attributes["squeeze_dims"]] \
            if "squeeze_dims" in op.attributes else []
        return [(0, [axis for axis in range(ranks[0]) if axis not in squeezed][dim])] if squeezed else []
    if op.name in ("tf.StridedSlice", _dynamic.SLICE):
        return _sliced(mlir, op, dim, ranks[0])
    return _operands_by_axis(mlir, op, name, dim, ranks, rank)


def _sliced(mlir: Any, op: Any, dim: int, rank: int) -> List[Tuple[int, int]]:
    """The dimension of a sliced tensor of which a dimension of the result is all."""
    begin, end, ellipsis, new_axes, shrink = (flag(mlir, op, f"{kind}_mask")
                                              for kind in ("begin", "end", "ellipsis", "new_axis", "shrink_axis"))
    strides = constant(mlir, op.operands[3])
    if strides is None:
        return []
    used = sum(not (ellipsis | new_axes) & 1 << k for k in range(len(strides)))
    kept: List[Tuple[int, bool]] = []
    at = 0
    for k, stride in enumerate(strides):
        if ellipsis & 1 << k:
            kept += [(at + n, True) for n in range(rank - used)]
            at += rank - used
        elif new_axes & 1 << k:
            kept.append((at, False))
        else:
            if not shrink & 1 << k:
                kept.append((at, stride == 1 and bool(begin & end & 1 << k)))
            at += 1
    own, is_whole = (kept + [(n, True) for n in range(at, rank)])[dim]
    return [(0, own)] if is_whole else []


# The operand with the axes of an op.
_AXES = {**dict.fromkeys(_REDUCTIONS, 1), "ExpandDims": 1, "Transpose": 1, "Tile": 1, "Reshape": 1, "GatherV2": 2, "Split": 0, "SplitV": 2}


def _operands_by_axis(mlir: Any, op: Any, name: str, dim: int, ranks: Sequence[int], rank: int) -> List[Tuple[int, int]]:
    """`_operands_of` for ops with an operand of axes or sizes."""
    operand = len(ranks) - 1 if name == "ConcatV2" else _AXES.get(name)
    if operand is None:
        return []
    axes = constant(mlir, op.operands[operand])
    if name == "Reshape":
        return [(1, -1 - dim)] if axes is None else _reshape(mlir, op, dim)
    if axes is None:
        return []
    if name in _REDUCTIONS:
        reduced = {axis % ranks[0] for axis in axes}
        is_kept = bool(flag(mlir, op, "keep_dims"))
        return [(0, [axis for axis in range(ranks[0]) if is_kept or axis not in reduced][dim])]
    if name == "ExpandDims":
        return [(0, dim - (dim > axes[0] % rank))]
    if name == "Transpose":
        return [(0, axes[dim] % rank)]
    if name == "Tile":
        return [(0, dim)] if axes[dim] == 1 else []
    if name == "GatherV2":
        axis, batch = axes[0] % ranks[0], flag(mlir, op, "batch_dims")
        count = ranks[1] - batch
        return [(0, dim)] if dim < axis else [(1, dim - axis + batch)] if dim < axis + count else [(0, dim - count + 1)]
    # Concatenations and parts keep the other sizes.
    return [] if axes[0] % rank == dim else [(1 if name == "Split" else 0, dim)]


def _reshape(mlir: Any, op: Any, dim: int) -> List[Tuple[int, int]]:
    """The only dynamic size of a reshaped tensor, if the other sizes stay the same."""
    kinds = [mlir.ir.RankedTensorType(value.type) for value in (op.operands[0], op.results[0])]
    dynamic = [[k for k in range(kind.rank) if kind.is_dynamic_dim(k)] for kind in kinds]
    totals = []
    for kind in kinds:
        total = 1
        for k in range(kind.rank):
            total *= 1 if kind.is_dynamic_dim(k) else kind.get_dim_size(k)
        totals.append(total)
    return [(0, dynamic[0][0])] if totals[0] == totals[1] and len(dynamic[0]) == 1 and dynamic[1] == [dim] else []


def _einsum(equation: str, dim: int) -> List[Tuple[int, int]]:
    terms, _, result = equation.replace(" ", "").partition("->")
    if "." in equation or len(result) <= dim:
        return []
    return [(k, term.index(result[dim])) for k, term in enumerate(terms.split(",")) if result[dim] in term]
