# _stacks.py - the values that TensorFlow's gradients of loops save per iteration.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop of which TensorFlow computes the gradient pushes the values of each iteration that the gradient needs onto lists, and the loop
of the gradient pops them. Here the number of the iteration becomes their index, so that they are lists as those of TensorArray."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, Tuple

from ._counters import PURE, block_of, counter_of, drop_value, hoist, iterations_of, step_of, yielded
from ._emitter import Emitter, integer_of
from ._graph import copies, depth_of, named, origin_of
from ._lowering import ImportFailed, operations
from ._sizes import op_of, precedes, rank_of


def replace(mlir: Any, module: Any) -> bool:
    """Replaces the ops that push and pop in a module of the tf dialect, and adds up gradients of lists element by element. Returns
    whether there were any; types of other values may then be refined."""
    if not named(module, "tf.EmptyTensorList"):
        return False
    for op in named(module, "tf.EmptyTensorList"):
        for use in list(op.results[0].uses)[1:]:  # each has values of its own
            use.owner.operation.operands[use.operand_number] = op.clone(mlir.ir.InsertionPoint(op)).results[0]
    for op in sorted(named(module, "tf.EmptyTensorList"), key=depth_of, reverse=True):  # those of inner loops first
        uses = list(op.results[0].uses)
        if uses and uses[0].owner.operation.name == "tf.WhileRegion":
            _Stack(mlir, op, uses[0].owner.operation, uses[0].operand_number).convert()
    for op in named(module, "tf.AddN", "tf.AddV2"):
        if "variant" in str(op.results[0].type):
            _add_elements(mlir, op)
    for op in named(module, "tf.TensorListSetItem"):
        _drop_unread_element(mlir, op)
    for op in named(module, "tf.ZerosLike"):
        if "variant" in str(op.operands[0].type):  # the type of the elements of a list in a list is known now
            op.results[0].set_type(op.operands[0].type)
    _erase_unused(module)
    return True


class _Stack:
    """A list to which each iteration of `loop` appends one element: its value `position`."""

    def __init__(self, mlir: Any, op: Any, loop: Any, position: int) -> None:
        self.mlir, self.op, self.loop, self.position = mlir, op, loop, position
        self.push = op_of(yielded(loop, 1, position))
        argument = block_of(loop, 1).arguments[position]
        if self.push is None or self.push.name != "tf.TensorListPushBack" or origin_of(self.push.operands[0]) != argument:
            raise ImportFailed("a loop does not append one element to a list of tensors (tf.EmptyTensorList) in each iteration, which is "
                               "not supported")

    def convert(self) -> None:
        mlir, ir, loop = self.mlir, self.mlir.ir, self.loop
        pops = list(self._pops())
        most, is_exact = iterations_of(mlir, loop)
        counter = counter_of(mlir, loop)
        if is_exact:
            loop.results[counter].replace_all_uses_with(most)
        if (integer_of(mlir, self.op.operands[1]) or 0) >= 0:
            most = self.op.operands[1]
        elif most is None:
            raise ImportFailed("the number of iterations of a loop is unknown, which is not supported if its gradient is computed; give "
                               "tf.while_loop maximum_iterations (tf.autograph.experimental.set_loop_options in a Python loop)")
        if self._replace_computable(pops):
            return
        for gradient, _, pop in pops:
            emit = Emitter(mlir, pop)
            # The type is unknown if the list is in a list, and a variant of a value that was optional.
            is_known = rank_of(mlir, pop.results[1]) >= 0 and "variant" not in str(pop.results[1].type)
            kind = pop.results[1].type if is_known else self.push.operands[1].type
            element = emit.add("TensorListGetItem", [pop.operands[0], _index(mlir, gradient, emit), pop.operands[1]], kind)
            self._replace_pop(pop, self._with_sizes(element, emit))
        new = ir.Operation.create("tf.TensorListReserve", results=[self.op.results[0].type], operands=[self.op.operands[0], most],
                                  loc=self.op.location, ip=ir.InsertionPoint(loop))
        loop.operands[self.position] = new.result
        new = ir.Operation.create("tf.TensorListSetItem", results=[self.push.results[0].type],
                                  operands=[self.push.operands[0], block_of(loop, 1).arguments[counter], self.push.operands[1]],
                                  attributes={"resize_if_index_out_of_bounds": ir.BoolAttr.get(False)},
                                  loc=self.push.location, ip=ir.InsertionPoint(self.push))
        self.push.results[0].replace_all_uses_with(new.result)
        self.push.erase()

    def _replace_computable(self, pops: List[Tuple[Any, int, Any]]) -> bool:
        """Elements that the loops of gradients can compute: one value, or those of a counter."""
        mlir, loop = self.mlir, self.loop
        value = hoist(self.push.operands[1], loop)
        if all(precedes(value, gradient) for gradient, _, _ in pops):
            self._replace(pops, lambda gradient, emit: value)
            return True
        arguments = list(block_of(loop, 1).arguments)
        k = arguments.index(value) if value in arguments else -1
        step = step_of(mlir, loop, k) if k >= 0 else None
        if step is None or not all(precedes(loop.operands[k], gradient) for gradient, _, _ in pops):
            return False

        def compute(gradient: Any, emit: Emitter) -> Any:
            start = loop.operands[k]
            index = emit.cast(_index(mlir, gradient, emit), start.type)
            return emit.combine("AddV2", emit.combine("Mul", index, emit.constant(step, index.type)), start)
        self._replace(pops, compute)
        return True

    def _pops(self) -> Iterator[Tuple[Any, int, Any]]:
        """The loops of gradients that pop from the list, the positions of it in them, and the ops."""
        todo = [self.loop.results[self.position]]
        while todo:
            for use in copies(todo.pop()):
                user, k = use.owner.operation, use.operand_number
                if user.name == "tf.TensorListPushBack" and k == 1:  # a loop in a loop: a list of lists
                    todo += [pop.results[1] for _, _, pop in _stack_of(self.mlir, user)._pops()]
                elif user.name == "tf.WhileRegion":
                    pops = [other.owner.operation for other in copies(block_of(user, 1).arguments[k])]
                    if [pop.name for pop in pops] == ["tf.Yield"]:
                        continue
                    if [pop.name for pop in pops] != ["tf.TensorListPopBack"] or yielded(user, 1, k) != pops[0].results[0]:
                        raise ImportFailed("a loop does not take one element from a list of tensors (tf.EmptyTensorList) in each "
                                           "iteration, which is not supported")
                    yield user, k, pops[0]
                else:
                    hint = {"tf.OptionalFromValue": ": the gradient of a branch with a loop inside", "tf.ZerosLike":
                            ": a gradient of the gradient of a loop"}.get(user.name, "")
                    raise ImportFailed(f"a list of tensors (tf.EmptyTensorList) of a loop is an operand of {user.name}, which is not "
                                       f"supported{hint}")

    def _replace(self, pops: List[Tuple[Any, int, Any]], compute: Callable[[Any, Emitter], Any]) -> None:
        """Replaces what the loops of gradients pop by what `compute` returns."""
        self.push.results[0].replace_all_uses_with(self.push.operands[0])
        self.push.erase()
        for gradient, k, pop in pops:
            emit, kind = Emitter(self.mlir, pop), pop.results[1].type
            value = compute(gradient, emit)
            is_known = value.type == kind or rank_of(self.mlir, pop.results[1]) < 0
            self._replace_pop(pop, value if is_known else emit.add("Cast", [value], kind))
            drop_value(self.mlir, gradient, k)
        drop_value(self.mlir, self.loop, self.position)

    @staticmethod
    def _replace_pop(pop: Any, element: Any) -> None:
        pop.results[0].replace_all_uses_with(pop.operands[0])
        pop.results[1].replace_all_uses_with(element)
        pop.erase()

    def _with_sizes(self, element: Any, emit: Emitter) -> Any:
        """The element; if it is the shape of a tensor, with the constants that its type has."""
        ir, op = self.mlir.ir, op_of(origin_of(self.push.operands[1]))
        if op is None or op.name != "tf.Shape" or rank_of(self.mlir, op.operands[0]) < 1:
            return element
        shape = ir.RankedTensorType(op.operands[0].type)
        number = ir.RankedTensorType.get([], ir.RankedTensorType(op.results[0].type).element_type)
        sizes = [emit.element(element, k, number) if shape.is_dynamic_dim(k) else emit.constant(shape.get_dim_size(k), number)
                 for k in range(shape.rank)]
        return emit.pack(sizes, op.results[0].type)


def _index(mlir: Any, gradient: Any, emit: Emitter) -> Any:
    """The index of the element that an iteration of the loop of a gradient pops."""
    total, is_exact = iterations_of(mlir, gradient)
    if not is_exact:
        raise ImportFailed("a loop takes elements from a list of tensors (tf.EmptyTensorList), but its number of iterations is unknown, "
                           "which is not supported")
    last = emit.combine("Sub", total, emit.constant(1, total.type))
    return emit.combine("Sub", last, block_of(gradient, 1).arguments[counter_of(mlir, gradient)])


def _stack_of(mlir: Any, push: Any) -> _Stack:
    """The list to which an op appends an element."""
    argument = origin_of(push.operands[0])
    if op_of(argument) is None and (loop := argument.owner.owner.operation).name == "tf.WhileRegion":
        position = list(argument.owner.arguments).index(argument)
        made = op_of(origin_of(loop.operands[position]))
        if made is not None and made.name == "tf.EmptyTensorList":
            return _Stack(mlir, made, loop, position)
    raise ImportFailed("a list of lists of tensors is no value of a loop, which is not supported")


def _add_elements(mlir: Any, op: Any) -> None:
    """A sum of lists, where some have one element that is not 0: the gradients of reading an element."""
    ir, lists, items = mlir.ir, [], []
    for operand in op.operands:
        write = op_of(origin_of(operand))
        is_item = write is not None and write.name == "tf.TensorListSetItem" and write.block == op.block
        made = op_of(origin_of(write.operands[0])) if is_item else None
        if made is not None and made.name == "tf.TensorListReserve":
            items.append(write)
        else:
            lists.append(operand)
    emit = Emitter(mlir, op)
    base = lists[0] if lists else items.pop(0).results[0]
    if len(lists) > 1:
        base = emit.add("AddN", lists, op.results[0].type)
    for write in items:
        index, item = write.operands[1], write.operands[2]
        before = emit.add("TensorListGetItem", [base, index, emit.constant(-1, index.type)], item.type)
        total = emit.add("AddV2", [before, item], item.type)
        base = emit.add("TensorListSetItem", [base, index, total], op.results[0].type,
                        resize_if_index_out_of_bounds=ir.BoolAttr.get(False))
    op.results[0].replace_all_uses_with(base)
    op.erase()


def _drop_unread_element(mlir: Any, op: Any) -> None:
    """The gradient of a written element is set to 0 after it has been read. If each iteration has another element, and the list is not
    used after the loop, nothing reads the zeros."""
    argument = origin_of(op.operands[0])
    if op_of(argument) is not None or (loop := argument.owner.owner.operation).name != "tf.WhileRegion":
        return
    k = list(argument.owner.arguments).index(argument)
    others = [use.owner.operation for use in copies(argument) if use.owner.operation != op]
    if yielded(loop, 1, k) == op.results[0] and not list(copies(loop.results[k])) and not list(block_of(loop, 0).arguments[k].uses) and \
            len(list(copies(op.results[0]))) == 1 and _differs(mlir, loop, op.operands[1]) and \
            all(other.name == "tf.TensorListGetItem" and other.operands[1] == op.operands[1] for other in others):
        op.results[0].replace_all_uses_with(op.operands[0])
        op.erase()


def _differs(mlir: Any, loop: Any, value: Any) -> bool:
    """Whether an integer has another value in each iteration."""
    value = origin_of(value)
    arguments, op = list(block_of(loop, 1).arguments), op_of(value)
    if op is None:
        return value in arguments and bool(step_of(mlir, loop, arguments.index(value)))
    if op.name not in ("tf.AddV2", "tf.Sub"):
        return False
    parts = [origin_of(operand) for operand in op.operands]
    return any((integer_of(mlir, fixed) is not None or precedes(fixed, loop)) and _differs(mlir, loop, other)
               for fixed, other in (parts, reversed(parts)))


def _erase_unused(module: Any) -> None:
    """Erases ops on lists without uses, and what has computed their operands."""
    removable = PURE | {f"tf.{name}" for name in ("EmptyTensorList", "TensorListGetItem", "TensorListReserve", "TensorListSetItem")}
    while unused := [op for op in operations(module.operation)
                     if op.name in removable and not any(list(result.uses) for result in op.results)]:
        for op in unused:
            op.erase()
