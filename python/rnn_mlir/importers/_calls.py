# _calls.py - calls of private functions, for the importers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replaces calls by the ops of the called function, so that elementwise ops of both are fused."""

from __future__ import annotations

from typing import Any, Dict, List

from ._body import inline_block
from ._lowering import LAYERS, operations, public_functions

# Functions that are called several times are copied while their calls have at most this many ops in total.
_MOST_OPS = 2000


def _name(mlir: Any, attribute: Any) -> str:
    return str(mlir.ir.FlatSymbolRefAttr(attribute).value)


def inline_calls(mlir: Any, module: Any) -> None:
    """Inlines private functions of one block that are called once, or that are small. JAX makes a function of each use of `jnp.where`
    or `jax.nn.relu`. Recursive functions stay."""
    ir = mlir.ir
    public = public_functions(mlir, module)
    functions = {ir.StringAttr(op.attributes["sym_name"]).value: op.operation for op in module.body if
                 op.operation.name == "func.func" and op not in public and len(list(op.operation.regions[0])) == 1}
    while True:
        calls: Dict[str, List[Any]] = {name: [] for name in functions}
        for op in operations(module.operation):
            if op.name == "func.call" and _name(mlir, op.attributes["callee"]) in functions:
                calls[_name(mlir, op.attributes["callee"])].append(op)
        # Those that call no others first: each is copied after it has its final size.
        ready = [name for name, function in functions.items() if not any(
            op.name == "func.call" and _name(mlir, op.attributes["callee"]) in functions for op in operations(function))]
        if not ready:
            return
        for name in ready:
            function, places = functions.pop(name), calls[name]
            ops = list(operations(function))
            # Each copy of a layer would be compiled by itself.
            has_layer = any(op.name.startswith(LAYERS) or op.name == "stablehlo.custom_call" for op in ops)
            if len(places) > 1 and (has_layer or len(ops) * len(places) > _MOST_OPS):
                continue
            for place in places:
                copy = function.clone(ir.InsertionPoint(function))
                inline_block(copy.regions[0].blocks[0], place)
                place.erase()
                copy.erase()
