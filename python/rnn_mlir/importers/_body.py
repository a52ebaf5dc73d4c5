# _body.py - the text of ops that replace an op of a module, for the importers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A converter of an op writes upstream ops as text, which `convert` parses and inlines."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from ._lowering import constant, elements, flag, operations

# Stands for the ops in the region of an op that is replaced, such as a comparator.
REGION = "rnn.region"
# A static size, or the name of a value of type index.
Size = Union[int, str]


class Body:
    """The text of ops that replace an op, whose operands are %0, %1, ..."""

    def __init__(self, mlir: Any, op: Any) -> None:
        self.mlir = mlir
        self.ir = mlir.ir
        self.stablehlo = mlir.stablehlo
        self.op = op
        self.lines: List[str] = []
        self.count = 0

    def add(self, text: str) -> str:
        """Appends `%vN = text` and returns %vN."""
        return self.add_all(text, 1)[0]

    def add_all(self, text: str, results: int) -> List[str]:
        """Appends an op with several results and returns these."""
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"{name}{f':{results}' if results > 1 else ''} = {text}")
        return [f"{name}#{k}" for k in range(results)] if results > 1 else [name]

    def index(self, value: int) -> str:
        return self.add(f"arith.constant {value} : index")

    def value(self, size: Size) -> str:
        return self.index(size) if isinstance(size, int) else size

    def type(self, operand: int) -> Any:
        return self.ir.RankedTensorType(self.op.operands[operand].type)

    def sizes(self, operand: int) -> List[Size]:
        """The sizes of an operand, dynamic ones as values."""
        kind = self.type(operand)
        return [self.add(f"tensor.dim %{operand}, {self.index(k)} : {kind}") if kind.is_dynamic_dim(k)
                else kind.get_dim_size(k) for k in range(kind.rank)]

    def element(self, operand: int, position: int) -> str:
        """An element of an operand with integers, as an index."""
        kind = self.type(operand)
        value = self.add(f"tensor.extract %{operand}[{self.index(position) if kind.rank else ''}] : {kind}")
        return value if str(kind.element_type) == "index" else \
            self.add(f"arith.index_cast {value} : {kind.element_type} to index")

    def result_sizes(self, operand: int) -> List[Size]:
        """The sizes of the only result, of which `operand` holds the dynamic ones."""
        kind = self.ir.RankedTensorType(self.op.results[0].type)
        return [self.element(operand, k) if kind.is_dynamic_dim(k) else kind.get_dim_size(k) for k in range(kind.rank)]

    def constant(self, operand: int) -> Optional[List[int]]:
        """The integers of an operand, or None if it is no constant."""
        return constant(self.mlir, self.op.operands[operand])

    def integers(self, operand: int) -> List[Size]:
        """The elements of a vector of integers: static ones where they are constant."""
        found = elements(self.mlir, self.op.operands[operand]) or [None] * self.type(operand).get_dim_size(0)
        return [self.element(operand, k) if value is None else value for k, value in enumerate(found)]

    def binary(self, name: str, left: Size, right: Size) -> str:
        """An op of arith on two indices."""
        return self.add(f"arith.{name} {self.value(left)}, {self.value(right)} : index")

    def plus(self, left: Size, right: Size) -> Size:
        """left + right; a static size if both are."""
        if isinstance(left, int) and isinstance(right, int):
            return left + right
        return right if left == 0 else left if right == 0 else self.binary("addi", left, right)

    def minus(self, left: Size, right: Size) -> Size:
        if isinstance(left, int) and isinstance(right, int):
            return left - right
        return left if right == 0 else self.binary("subi", left, right)

    def times(self, left: Size, right: Size) -> Size:
        if isinstance(left, int) and isinstance(right, int):
            return left * right
        return 0 if 0 in (left, right) else right if left == 1 else left if right == 1 else self.binary("muli", left, right)

    def quotient(self, size: Size, divisor: int) -> Size:
        return size // divisor if isinstance(size, int) else size if divisor == 1 else self.binary("divsi", size, divisor)

    def at_least(self, size: Size, least: int) -> Size:
        return max(size, least) if isinstance(size, int) else self.binary("maxsi", size, least)

    def at_most(self, size: Size, most: Size) -> Size:
        return min(size, most) if isinstance(size, int) and isinstance(most, int) else self.binary("minsi", size, most)

    def flag(self, name: str) -> int:
        """An attribute of type integer or bool; 0 if it is absent."""
        return flag(self.mlir, self.op, name)

    def empty(self, sizes: Sequence[Size], element: Any) -> Tuple[str, str]:
        """A tensor without content, and its type."""
        kind = tensor_type(sizes, element)
        return self.add(f"tensor.empty({', '.join(size for size in sizes if isinstance(size, str))}) : {kind}"), kind

    def filled(self, sizes: Sequence[Size], element: Any, value: str) -> Tuple[str, str]:
        """A tensor of one value, and its type."""
        tensor, kind = self.empty(sizes, element)
        scalar = self.scalar(value, element)
        return self.add(f"linalg.fill ins({scalar} : {element}) outs({tensor} : {kind}) -> {kind}"), kind

    def scalar(self, value: str, element: Any) -> str:
        """A constant."""
        return self.add(f"{'complex' if is_complex(element) else 'arith'}.constant {value} : {element}")

    @staticmethod
    def zero(element: Any) -> str:
        """The text of a zero."""
        if is_complex(element):
            return f"[0.0 : {part_of(element)}, 0.0 : {part_of(element)}]"
        return "0.0" if "f" in str(element) else "0"

    def reshape(self, value: str, kind: Any, sizes: Sequence[Size], wanted: Any) -> str:
        """The value, of type `kind`, with other sizes and the type `wanted`."""
        shape = f"tensor<{len(sizes)}xindex>"
        given = self.add(f"tensor.from_elements {', '.join(self.value(size) for size in sizes)} : {shape}")
        return self.add(f"tensor.reshape {value}({given}) : ({kind}, {shape}) -> {wanted}")

    def cast(self, value: str, kind: str, wanted: Any) -> str:
        """The value with the declared type of a result."""
        return value if kind == str(wanted) else self.add(f"tensor.cast {value} : {kind} to {wanted}")

    def gather(self, sizes: Sequence[Size], operand: int, position: Callable[[int, str], Tuple[List[str], str]]) -> str:
        """A tensor whose element at an index is that of `operand` at `position(dim, index)` for each dimension of it:
        lines and a value."""
        kind = self.type(operand)
        tensor, wanted = self.empty(sizes, kind.element_type)
        rank = len(sizes)
        identity = "affine_map<(" + dims(rank) + ") -> (" + dims(rank) + ")>"
        lines = [f"%i{k} = linalg.index {k} : index" for k in range(rank)]
        at = []
        for dim in range(kind.rank):
            more, value = position(dim, f"%p{dim}")
            lines += more
            at.append(value)
        lines.append(f"%e = tensor.extract %{operand}[{', '.join(at)}] : {kind}")
        loops = ", ".join(['"parallel"'] * rank)
        body = "\n".join(lines)
        return self.add(f"linalg.generic {{indexing_maps = [{identity}], iterator_types = [{loops}]}} outs({tensor} : {wanted}) "
                        f"{{\n^bb0(%o: {kind.element_type}):\n{body}\nlinalg.yield %e : {kind.element_type}\n}} -> {wanted}")


def is_complex(element: Any) -> bool:
    return str(element).startswith("complex<")


def part_of(element: Any) -> str:
    """The type of the parts of complex numbers."""
    return str(element)[len("complex<"):-1]


def arithmetic(element: Any, floats: str, integers: str, numbers: str = "") -> str:
    """The op for elements of this type, of those for floats, integers and complex numbers."""
    return numbers if is_complex(element) else floats if "f" in str(element) else integers


def reassociation(counts: Iterable[int]) -> str:
    """The dimensions of a tensor of which `counts[k]` consecutive ones are dimension k of another tensor: [[0, 1], [2]] for 2, 1."""
    parts: List[str] = []
    first = 0
    for count in counts:
        parts.append("[" + ", ".join(map(str, range(first, first + count))) + "]")
        first += count
    return "[" + ", ".join(parts) + "]"


def dims(rank: int) -> str:
    """d0, d1, ..."""
    return ", ".join(f"d{k}" for k in range(rank))


def tensor_type(sizes: Sequence[Size], element: Any) -> str:
    """The text of a tensor type."""
    return "tensor<" + "".join(f"{size if isinstance(size, int) else '?'}x" for size in sizes) + f"{element}>"


# The bits of minus infinity, NaN and infinity.
SPECIAL = {"f16": ("0xFC00", "0x7E00", "0x7C00"), "bf16": ("0xFF80", "0x7FC0", "0x7F80"),
           "f32": ("0xFF800000", "0x7FC00000", "0x7F800000"),
           "f64": ("0xFFF0000000000000", "0x7FF8000000000000", "0x7FF0000000000000")}
Converter = Callable[[Body], List[str]]


def _is_ranked(mlir: Any, op: Any) -> bool:
    return all(isinstance(value.type, (mlir.ir.RankedTensorType, mlir.ir.IndexType)) for value in (*op.operands, *op.results))


def inline_block(block: Any, place: Any) -> List[Any]:
    """Moves the ops of a block before `place`, whose operands and results become its arguments and what it returns. Returns the ops."""
    for argument, operand in zip(block.arguments, place.operands):
        argument.replace_all_uses_with(operand)
    *ops, terminator = [inner.operation for inner in block]
    for op in ops:
        op.move_before(place)
    for old, new in zip(place.results, terminator.operands):
        old.replace_all_uses_with(new)
    terminator.erase()
    return ops


def convert(mlir: Any, module: Any, converters: Dict[str, Converter]) -> None:
    """Replaces the ops that `converters` names. Ops on tensors or shapes of unknown rank, and those without new results, stay.

    The ops in the region of a replaced op move to the op REGION, if its converter has made one.
    """
    todo = [op for op in operations(module.operation) if op.name in converters and _is_ranked(mlir, op)]
    for op in todo:
        body = Body(mlir, op)
        results = converters[op.name](body)
        if not results:
            continue
        arguments = ", ".join(f"%{k}: {value.type}" for k, value in enumerate(op.operands))
        types = ", ".join(str(value.type) for value in op.results)
        text = f"func.func private @body({arguments}) -> ({types}) {{\n" + "\n".join(body.lines) + \
            f"\nreturn {', '.join(results)} : {types}\n}}"
        # Not a call: bufferization would copy the operands that the function changes, in loops whole lists.
        function = mlir.ir.Operation.parse(text)
        made = inline_block(function.regions[0].blocks[0], op)
        if op.regions:
            for place in [inner for outer in made for inner in operations(outer) if inner.name == REGION]:
                inline_block(op.regions[0].blocks[0], place)
                place.erase()
        op.erase()
