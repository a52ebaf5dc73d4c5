# _variants.py - the modules of the JAX and PyTorch layers: prebuilt ones by name, and the text of those that are compiled
# at their first use (projections, resets, block LSTMs with a clip).
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules by name or text, and the compiled library of each."""

from __future__ import annotations

import functools
import os

from . import _compiler, _files, _layers, _runtime, modules

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
    """The module of a block LSTM: `forward` and `backward`, which a prebuilt module has with a suffix."""
    if not cell_clip and not reset_to and not batch_major:
        return f"{_PREBUILT}block_lstm {layout} {dtype}"
    return _layers.block_text(layout, dtype, use_peephole=use_peephole, cell_clip=cell_clip, seq_len_max=seq_len_max,
                              reset_to=reset_to, batch_major=batch_major)


def _gpu_library_path(module: str, target: str) -> str:
    """The library for GPUs. A prebuilt one exists if the package was built with RNN_PYTHON_CUDA_MODULES."""
    name = module[len(_PREBUILT):].split() if module.startswith(_PREBUILT) else []
    if name:
        path = os.path.join(_files.library_folder(), "modules", target, "-".join(name) + ".so")
        if os.path.exists(path):
            return path
        module = _layers.prebuilt_text(*name[:3], batch_major=bool(name[3:]))
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
        mode, direction, dtype, *rest = module[len(_PREBUILT):].split()
        try:
            return modules.path(mode, direction, dtype, batch_major=bool(rest))
        except _runtime.Unavailable:  # for this processor
            module = _layers.prebuilt_text(mode, direction, dtype, batch_major=bool(rest))
    return _compiler.compile_library(module, {"cpu": "native"})
