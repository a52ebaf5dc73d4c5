# _variants.py - the modules of the JAX and PyTorch layers: prebuilt ones by name, and the text of those that are compiled
# at their first use (block LSTMs with a clip).
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules by name or text, and the compiled library of each."""

from __future__ import annotations

import functools
import os
import re

from . import _compiler, _files, _layers, _runtime, modules

_PREBUILT = "prebuilt:"


def _name(kind: str, variant: str, dtype: str, reset_to: str, batch_major: bool) -> str:
    return f"{_PREBUILT}{kind} {variant} {dtype}" + " batch_major" * batch_major + " resets" * bool(reset_to)


def layer_module(mode: str, direction: str, dtype: str, *, reset_to: str = "", batch_major: bool = False) -> str:
    """The module of a stack of layers, for all sizes and projections: _layers.module_text."""
    return _name(mode, direction, dtype, reset_to, batch_major)


def block_module(layout: str, dtype: str, *, use_peephole: bool, cell_clip: float, seq_len_max: bool,
                 reset_to: str, batch_major: bool) -> str:
    """The module of a block LSTM: `forward` and `backward` with the suffix of _layers.block_suffix."""
    if not cell_clip:
        return _name("block_lstm", layout, dtype, reset_to, batch_major)
    return _layers.block_text(layout, dtype, use_peephole=use_peephole, cell_clip=cell_clip, seq_len_max=seq_len_max,
                              reset_to=reset_to, batch_major=batch_major,
                              suffix=_layers.block_suffix(use_peephole, seq_len_max, reset_to))


def _gpu_library_path(module: str, target: str) -> str:
    """The library for GPUs. A prebuilt one exists if the package was built with RNN_PYTHON_CUDA_MODULES."""
    name = module[len(_PREBUILT):].split() if module.startswith(_PREBUILT) else []
    if name:
        path = os.path.join(_files.library_folder(), "modules", target, "-".join(name) + ".so")
        if os.path.exists(path):
            return path
        module = _layers.prebuilt_text(*name[:3], batch_major="batch_major" in name, resets="resets" in name)
    if not _compiler.available():
        raise _runtime.Unavailable(
            f"GPU code of {' '.join(name) or 'this layer'} is compiled at its first use, and there is no compiler: "
            "install rnn-mlir-compiler", "UNAVAILABLE")
    path = _compiler.compile_library(module, {"target": target})
    _runtime.load_library(path)  # code for target simt needs the emulator
    return path


@functools.lru_cache(maxsize=None)
def library_path(module: str, target: str = "host") -> str:
    """The compiled library of a module for target host, cuda or simt. It is compiled unless it is prebuilt or in the
    cache."""
    if target != "host":
        return _gpu_library_path(module, target)
    if module.startswith(_PREBUILT):
        kind, variant, dtype, *rest = module[len(_PREBUILT):].split()
        options = {"batch_major": "batch_major" in rest, "resets": "resets" in rest}
        try:
            return modules.path(kind, variant, dtype, **options)
        except _runtime.Unavailable as missing:  # for this processor
            if not _compiler.available():
                raise _runtime.Unavailable(f"{missing}; install rnn-mlir-compiler to compile it", "UNAVAILABLE") from None
            module = _layers.prebuilt_text(kind, variant, dtype, **options)
    elif not _compiler.available():
        found = dict.fromkeys(re.findall(r"\b(cell_clip|dropout|num_proj|skip_input)\b", module))
        raise _runtime.Unavailable(f"a layer with {', '.join(found) or 'these options'} is not prebuilt and needs the "
                                   "compiler: install rnn-mlir-compiler, or set RNN_MLIR_COMPILER to the path of "
                                   "librnn-c.so", "UNAVAILABLE")
    return _compiler.compile_library(module, {"cpu": "native"})
