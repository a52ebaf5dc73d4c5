# _variables.py - variables of TensorFlow's functions as constants.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TensorFlow cannot replace variables of functions that compute gradients of loops: these ask for the variables' shapes."""

from __future__ import annotations

from typing import Any, Iterator, List, Sequence

from ._counters import drop_value
from ._graph import copies
from ._lowering import ImportFailed, public_functions


def nodes_of(concrete_function: Any) -> Iterator[Any]:
    """The nodes of a function and of those that it calls."""
    graph = concrete_function.graph.as_graph_def()
    yield from graph.node
    for function in graph.library.function:
        yield from function.node_def


def is_needed(concrete_function: Any) -> bool:
    """Whether a function computes gradients of loops."""
    return any(node.op == "EmptyTensorList" for node in nodes_of(concrete_function))


def values_of(concrete_function: Any) -> List[Any]:
    """The present values of what a function has captured, as arrays."""
    variables = {id(variable.handle): variable for variable in concrete_function.variables}
    return [variables[id(tensor)].numpy() if id(tensor) in variables else tensor.numpy() for tensor in concrete_function.captured_inputs]


def replace(mlir: Any, module: Any, values: Sequence[Any]) -> None:
    """The last arguments of the only public function of a module of the tf dialect become the constants `values`. Loops are regions."""
    ir = mlir.ir
    function = public_functions(mlir, module)[0]
    block = function.regions[0].blocks[0]
    first = len(block.arguments) - len(values)
    for argument, value in zip(list(block.arguments)[first:], values):
        _drop_from_loops(mlir, argument)
        point = ir.InsertionPoint.at_block_begin(block)

        def create(content: Any) -> Any:
            return ir.Operation.create("tf.Const", results=[content.type], attributes={"value": content}, loc=function.location,
                                       ip=point).result
        whole = create(ir.DenseElementsAttr.get(value))
        for use in list(copies(argument)):
            op = use.owner.operation
            if op.name == "tf.VariableShape":
                element = ir.RankedTensorType(op.results[0].type).element_type
                shape = create(ir.DenseElementsAttr.get([ir.IntegerAttr.get(element, size) for size in value.shape],
                                                        ir.RankedTensorType.get([value.ndim], element)))
                op.results[0].replace_all_uses_with(shape)
                op.erase()
            elif op.name == "tf.ReadVariableOp":
                op.results[0].replace_all_uses_with(whole)
                op.erase()
            elif "resource" in str(argument.type):
                raise ImportFailed(f"a variable is an operand of {op.name}, which is not supported")
            else:
                op.operands[use.operand_number] = whole
    for _ in values:
        for use in list(block.arguments[first].uses):  # of copies
            use.owner.operation.erase()
        block.erase_argument(first)
    kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(kind.inputs[:first], kind.results))
    if "arg_attrs" in function.attributes:
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(list(ir.ArrayAttr(function.attributes["arg_attrs"]))[:first])


def _drop_from_loops(mlir: Any, argument: Any) -> None:
    """Uses inside and after the loops that carry the argument become uses of it."""
    for use in list(copies(argument)):
        if use.owner.operation.name == "tf.WhileRegion":
            drop_value(mlir, use.owner.operation, use.operand_number, argument)
            _drop_from_loops(mlir, argument)
            return
