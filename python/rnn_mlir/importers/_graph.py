# _graph.py - walks over the ops and values of a module of the tf dialect.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any, Iterator, List, Sequence

from ._lowering import operations
from ._sizes import op_of


def named(module: Any, *names: str) -> List[Any]:
    """The ops with these names, inner ones first."""
    return [op for op in operations(module.operation) if op.name in names]


def depth_of(op: Any) -> int:
    """The number of ops around `op`."""
    return 0 if op.parent is None else 1 + depth_of(op.parent.operation)


def origin_of(value: Any) -> Any:
    """The value that ops of identity copy."""
    while (op := op_of(value)) is not None and op.name == "tf.Identity":
        value = op.operands[0]
    return value


def copies(value: Any) -> Iterator[Any]:
    """The uses of a value and of its copies."""
    for use in value.uses:
        if use.owner.operation.name == "tf.Identity":
            yield from copies(use.owner.operation.results[0])
        else:
            yield use


def set_type(value: Any, kind: Any) -> None:
    """Changes the type of a value and of its copies."""
    value.set_type(kind)
    for use in value.uses:
        if use.owner.operation.name == "tf.Identity":
            set_type(use.owner.operation.results[0], kind)


def rename(mlir: Any, op: Any, name: str, attributes: Sequence[str]) -> None:
    """Replaces an op by another one with the same operands and results, and those of these attributes that it has."""
    new = mlir.ir.Operation.create(name, results=[result.type for result in op.results], operands=list(op.operands), loc=op.location,
                                   ip=mlir.ir.InsertionPoint(op), attributes={key: op.attributes[key] for key in attributes if key in op.attributes})
    for old, result in zip(op.results, new.results):
        old.replace_all_uses_with(result)
    op.erase()
