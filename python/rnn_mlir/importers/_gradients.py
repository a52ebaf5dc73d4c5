# _gradients.py - sums of TensorFlow's gradients over dimensions that an op has broadcast, with dynamic sizes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient of an operand that an op may have broadcast is tf.Sum over the axes of tf.BroadcastGradientArgs, which TensorFlow's passes
convert only if all sizes are static."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ._body import Body, Converter, Size, dims, tensor_type
from ._emitter import Emitter, integer_of
from ._graph import named
from ._lowering import constant, flag
from ._sizes import op_of, rank_of

#: The gradient and the shape of the operand, to the sum. The attribute `reduced` has the dimensions of the gradient that are summed,
#: `checked` those whose size must be that of the operand, whose rank may be smaller.
_SUM = "tf.RnnSumOfBroadcast"
# The scale and alpha of SELU (https://arxiv.org/abs/1706.02515).
_SELU = (1.0507009873554805, 1.6732632423543772)


def _static_sizes(mlir: Any, shape: Any) -> Optional[List[int]]:
    """The elements of a shape, -1 for unknown ones; None if its origin is unknown."""
    values = constant(mlir, shape)
    if values is not None:
        return values
    op = op_of(shape)
    if op is not None and op.name == "tf.Pack" and all(rank_of(mlir, operand) == 0 for operand in op.operands):
        return [(constant(mlir, operand) or [-1])[0] for operand in op.operands]
    if op is None or op.name != "tf.Shape" or not isinstance(op.operands[0].type, mlir.ir.RankedTensorType):
        return None
    kind = mlir.ir.RankedTensorType(op.operands[0].type)
    return [-1 if kind.is_dynamic_dim(k) else kind.get_dim_size(k) for k in range(kind.rank)]


def replace_sums(mlir: Any, module: Any) -> None:
    """Replaces the sums of a module of the tf dialect by an op that its passes keep."""
    ir = mlir.ir
    for op in named(module, "tf.Sum"):
        source = op_of(op.operands[1])
        if source is None or source.name != "tf.BroadcastGradientArgs" or not isinstance(op.operands[0].type, ir.RankedTensorType):
            continue
        # Without the summed dimensions only where the result gets its shape at once.
        if not flag(mlir, op, "keep_dims") and any(use.owner.operation.name != "tf.Reshape" for use in op.results[0].uses):
            continue
        shape = source.operands[list(source.results).index(op.operands[1])]
        sizes, kind = _static_sizes(mlir, shape), ir.RankedTensorType(op.operands[0].type)
        if sizes is None or len(sizes) > kind.rank:
            continue
        sizes = [1] * (kind.rank - len(sizes)) + sizes
        given = [-1 if kind.is_dynamic_dim(k) else kind.get_dim_size(k) for k in range(kind.rank)]
        reduced = [k for k, size in enumerate(sizes) if size == 1 and given[k] != 1]
        checked = [k for k, size in enumerate(sizes) if size != 1 and size != given[k] or size == -1 == given[k]]
        wanted = [1 if k in reduced else ir.ShapedType.get_dynamic_size() if size == -1 else size for k, size in enumerate(given)]
        new = ir.Operation.create(_SUM, results=[ir.RankedTensorType.get(wanted, kind.element_type)],
                                  operands=[op.operands[0], shape], loc=op.location, ip=ir.InsertionPoint(op), attributes={
                                      "reduced": ir.DenseI64ArrayAttr.get(reduced), "checked": ir.DenseI64ArrayAttr.get(checked)})
        op.results[0].replace_all_uses_with(new.result)
        op.erase()
    for op in named(module, "tf.BroadcastGradientArgs"):
        if not any(list(result.uses) for result in op.results):
            op.erase()


def replace_concatenations(mlir: Any, module: Any) -> None:
    """The gradients of the operands of a concatenation are slices at the offsets of tf.ConcatOffset, which TensorFlow's passes convert
    only if all sizes are static."""
    for op in named(module, "tf.ShapeN"):
        for operand, result in zip(op.operands, op.results):
            result.replace_all_uses_with(Emitter(mlir, op).add("Shape", [operand], result.type))
        op.erase()
    for op in named(module, "tf.ConcatOffset"):
        emit, axis = Emitter(mlir, op), integer_of(mlir, op.operands[0])
        shape = mlir.ir.RankedTensorType(op.results[0].type)
        if axis is None or not shape.has_static_shape:
            continue
        number = mlir.ir.RankedTensorType.get([], shape.element_type)
        zero = first = emit.constant(0, number)
        for operand, result in zip(list(op.operands)[1:], op.results):
            offsets = [zero] * shape.get_dim_size(0)
            offsets[axis] = first
            result.replace_all_uses_with(emit.pack(offsets, result.type))
            sizes = _static_sizes(mlir, operand)
            size = -1 if sizes is None else sizes[axis]
            part = emit.constant(size, number) if size >= 0 else emit.element(operand, axis, number)
            first = emit.combine("AddV2", first, part)
        op.erase()


def replace_activations(mlir: Any, module: Any) -> None:
    """The gradients of activations that TensorFlow's passes do not convert."""
    for op in named(module, "tf.Relu6Grad", "tf.EluGrad", "tf.SeluGrad"):
        emit, (gradient, value) = Emitter(mlir, op), op.operands
        kind = value.type
        flags = mlir.ir.RankedTensorType.get(mlir.ir.RankedTensorType(kind).shape, mlir.ir.IntegerType.get_signless(1))
        scalar = mlir.ir.RankedTensorType.get([], mlir.ir.RankedTensorType(kind).element_type)
        zero = emit.constant(0, scalar)
        if op.name == "tf.Relu6Grad":
            inside = emit.add("LogicalAnd", [emit.add("Greater", [value, zero], flags),
                                             emit.add("Less", [value, emit.constant(6, scalar)], flags)], flags)
            result = emit.add("SelectV2", [inside, gradient, zero], kind)
        else:  # y = scale alpha (e^x - 1) for x < 0, with the slope y + scale alpha; `value` is y
            scale, alpha = (1.0, 1.0) if op.name == "tf.EluGrad" else _SELU
            slope = emit.add("AddV2", [value, emit.constant(scale * alpha, scalar)], kind)
            negative = emit.add("Less", [value, zero], flags)
            slope = emit.add("SelectV2", [negative, slope, emit.constant(scale, scalar)], kind)
            result = emit.add("Mul", [gradient, slope], kind)
        op.results[0].replace_all_uses_with(result)
        op.erase()


def _convert(body: Body) -> List[str]:
    kind, sizes = body.type(0), body.sizes(0)
    reduced, checked = ([int(k) for k in body.ir.DenseI64ArrayAttr(body.op.attributes[name])] for name in ("reduced", "checked"))
    missing = kind.rank - body.type(1).get_dim_size(0)
    for k in checked:
        same = body.add(f"arith.cmpi eq, {body.value(sizes[k])}, {body.element(1, k - missing)} : index")
        body.lines.append(f'cf.assert {same}, "an operand of size 1 was broadcast to a dynamic size, whose gradient is not supported; give it '
                          f'a static size"')
    element = kind.element_type
    if not reduced:
        return [body.cast("%0", str(kind), body.op.results[0].type)]
    # As TensorFlow, sums of short types are exact to f32.
    is_short = str(element) in ("f16", "bf16")
    total = "f32" if is_short else str(element)
    left = [k for k in range(kind.rank) if k not in reduced]
    init, summed = body.filled([sizes[k] for k in left], total, body.zero(element))
    loops = ", ".join('"reduction"' if k in reduced else '"parallel"' for k in range(kind.rank))
    maps = f"affine_map<({dims(kind.rank)}) -> ({dims(kind.rank)})>, affine_map<({dims(kind.rank)}) -> ({', '.join(f'd{k}' for k in left)})>"
    lines = [f"%x = arith.extf %e : {element} to f32"] if is_short else []
    add = "addf" if body.zero(element) == "0.0" else "addi"
    lines.append(f"%r = arith.{add} %s, {'%x' if is_short else '%e'} : {total}")
    value = body.add(f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{loops}]}} ins(%0 : {kind}) outs({init} : {summed}) "
                     f"{{\n^bb0(%e: {element}, %s: {total}):\n" + "\n".join(lines) + f"\nlinalg.yield %r : {total}\n}} -> {summed}")
    result: List[Size] = [1 if k in reduced else sizes[k] for k in range(kind.rank)]
    value = body.reshape(value, summed, result, tensor_type(result, total))
    if is_short:
        value = body.add(f"arith.truncf {value} : {tensor_type(result, total)} to {tensor_type(result, element)}")
    return [body.cast(value, tensor_type(result, element), body.op.results[0].type)]


CONVERTERS: Dict[str, Converter] = {_SUM: _convert}
