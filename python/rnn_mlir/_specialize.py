# _specialize.py - functions of a layer module with the sizes of one layer. On a GPU, persistent kernels need these sizes.
# Works on the text of _layers.py, in which every type is that of a named argument.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One function of a module for all sizes, as one for a layer: only steps, batch and reserve space stay unknown."""

from __future__ import annotations

import re
from typing import Dict, List, Sequence, Tuple

#: The dimensions that are constants of a layer, by operand; a `d` before or `_grad` behind the name changes nothing.
_CONSTANT: Dict[str, Tuple[int, ...]] = {
    **dict.fromkeys(("x", "y", "i", "cs", "f", "o", "ci", "co", "h"), (2,)),
    **dict.fromkeys(("h0", "c0", "hn", "cn"), (0, 2)),
    **dict.fromkeys(("params", "b", "wci", "wcf", "wco"), (0,)),
    **dict.fromkeys(("cs_prev", "h_prev"), (1,)),
    "w": (0, 1),
}


def _function(text: str, function: str) -> str:
    start = text.index(f"func.func @{function}(")
    return text[start:text.index("\n}", start) + 3]


def _arguments(function: str) -> List[Tuple[str, str, str]]:
    """The names of the arguments, their sizes, as ?x?x, and their element types."""
    return re.findall(r"%(\w+): memref<((?:\?x)*)(\w+)>", function[:function.index(") {")])


def _constants(name: str) -> Tuple[int, ...]:
    stem = name[:-len("_grad")] if name.endswith("_grad") else name
    return _CONSTANT.get(stem, _CONSTANT.get(stem[1:], ()) if stem.startswith("d") else ())


def types(text: str, function: str, shapes: Sequence[Sequence[int]]) -> List[str]:
    """The types of the arguments of `function` for the layer whose arguments have `shapes`: memref<?x?x128xf32>. A size may
    be symbolic."""
    found = []
    for (name, sizes, element), shape in zip(_arguments(_function(text, function)), shapes):
        constant = _constants(name)
        if constant:  # XLA's reserve space has another rank
            sizes = "".join(f"{n if d in constant and isinstance(n, int) else '?'}x" for d, n in enumerate(shape))
        found.append(f"memref<{sizes}{element}>")
    return found


def specialize(text: str, function: str, argument_types: Sequence[str]) -> str:
    """The module of `function` alone, whose arguments have the types."""
    body = _function(text, function)
    type_of = {name: made for (name, *_), made in zip(_arguments(body), argument_types)}

    def use(match: "re.Match[str]") -> str:
        values = re.findall(r"%(\w+)", match[1])
        return f"({match[1]} : {', '.join(type_of[v] for v in values)})"

    body = re.sub(r"%(\w+): memref<[^>]*>", lambda m: f"%{m[1]}: {type_of[m[1]]}", body)
    body = re.sub(r"\(((?:(?:\w+ = )?%\w+(?:, )?)+) : memref<[^()]*\)", use, body)
    if "num_proj = -1" in body:  # the projection is the last size of h0, or there is none
        state, hidden = (type_of[name].split("x")[2] for name in ("h0", "c0"))
        body = body.replace("num_proj = -1", f"num_proj = {0 if state == hidden else state}")
    return body
