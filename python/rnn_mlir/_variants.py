# _variants.py - the modules of the JAX and PyTorch layers: prebuilt ones by name, and the text of those that are compiled
# at their first use (projections, resets, block LSTM).
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules by name or text, and the compiled library of each."""

from __future__ import annotations

import functools
from typing import List

from . import _compiler, _layers, _runtime, modules

_PREBUILT = "prebuilt:"


def layer_module(mode: str, direction: str, dtype: str, *, num_proj: int = 0, reset_to: str = "",
                 batch_major: bool = False) -> str:
    """The module of a stack of layers: `forward`, `inference` and `backward`, and those with the suffix `_lengths`."""
    if not num_proj and not reset_to:
        return f"{_PREBUILT}{mode} {direction} {dtype}" + " batch_major" * batch_major
    attributes = f"num_proj = {num_proj} : i64" if num_proj else ""
    return _layers.module_text(mode, direction, dtype, attributes=attributes, reset_to=reset_to,
                               batch_major=batch_major)


def block_module(layout: str, dtype: str, *, use_peephole: bool, cell_clip: float, seq_len_max: bool,
                 reset_to: str, batch_major: bool) -> str:
    """The module of a block LSTM: `forward` and `backward`. `seq_len_max` is an i32 buffer of rank 0."""
    def memref(rank: int, element: str = dtype) -> str:
        return "memref<" + "?x" * rank + element + ">"

    operands = [("x", 3), ("cs_prev", 2), ("h_prev", 2), ("w", 2), ("wci", 1), ("wcf", 1), ("wco", 1), ("b", 1)]
    saved = [(name, 3) for name in ("i", "cs", "f", "o", "ci", "co", "h")]
    grads = [("cs_grad", 3), ("h_grad", 3)]
    results = [(name + "_grad", rank) for name, rank in operands]

    def declare(*groups: "List[tuple[str, int]]") -> str:
        extra = (["%n: memref<i32>"] if seq_len_max else []) + (["%resets: memref<?x?xi1>"] if reset_to else [])
        first, *rest = ([f"%{name}: {memref(rank)}" for name, rank in group] for group in groups)
        return ", ".join(first + extra + [text for group in rest for text in group])

    def group(*names: str) -> str:
        ranks = dict(operands + saved + grads)
        return ", ".join("%" + n for n in names) + " : " + ", ".join(memref(ranks[n]) for n in names)

    def outs(values: "List[tuple[str, int]]") -> str:
        return (f"outs({', '.join(f'{n} = %{n}' for n, _ in values)} : "
                f"{', '.join(memref(rank) for _, rank in values)})")

    load = ["  %n32 = memref.load %n[] : memref<i32>", "  %n64 = arith.extsi %n32 : i32 to i64"] if seq_len_max else []
    length = " seq_len_max(%n64)" if seq_len_max else ""
    resets = " resets(%resets : memref<?x?xi1>)" if reset_to else ""
    flags = ["batch_major"] * batch_major + ["lowering = #rnn.lowering<fused>"] + ["use_peephole"] * use_peephole
    if reset_to:
        flags.append(f"reset_to = #rnn.reset_to<{reset_to}>")
    clip = [f"cell_clip = {cell_clip!r}"] if cell_clip else []
    inputs = (f"x({group('x')}) state({group('cs_prev', 'h_prev')}) weights({group('w')}) "
              f"peephole({group('wci', 'wcf', 'wco')}) bias({group('b')}){length}")
    backward = f"saved({group('i', 'cs', 'f', 'o', 'ci', 'co', 'h')}) grads({group('cs_grad', 'h_grad')})"
    lines = [f"func.func @forward({declare(operands, saved)}) {{", *load,
             f"  rnn.block_lstm {layout} {inputs}{resets} {outs(saved)} {{{', '.join(flags + clip)}}}", "  return", "}",
             f"func.func @backward({declare(operands, saved, grads, results)}) {{", *load,
             f"  rnn.block_lstm_grad {layout} {inputs} {backward}{resets} {outs(results)} {{{', '.join(flags)}}}",
             "  return", "}"]
    return "\n".join(lines) + "\n"


@functools.lru_cache(maxsize=None)
def library_path(module: str) -> str:
    """The compiled library of a module, which is compiled unless it is prebuilt or in the cache."""
    if module.startswith(_PREBUILT):
        mode, direction, dtype, *rest = module[len(_PREBUILT):].split()
        try:
            return modules.load(mode, direction, dtype, batch_major=bool(rest)).path
        except _runtime.Unavailable:  # for this processor
            module = _layers.module_text(mode, direction, dtype, batch_major=bool(rest))
    return _compiler.compile_library(module, {"cpu": "native"})
