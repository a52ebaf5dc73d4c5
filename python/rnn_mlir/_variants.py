# _variants.py - the modules of the JAX and PyTorch layers: prebuilt ones by name, and the text of those that are compiled
# at their first use (block LSTMs with a clip, and GPU modules). Libraries that a program compiled itself are modules by their path.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules by name or text, and the compiled library of each."""

from __future__ import annotations

import functools
import os
import re
from typing import Dict

from . import _compiler, _errors, _files, _layers, _runtime, modules

_PREBUILT = "prebuilt:"
_LIBRARY = "library:"
#: Chips that the compiler knows (lib/Target/TargetInfo.cpp), by capability. Others run the PTX for sm_80.
_CHIPS = ("sm_80", "sm_86", "sm_87", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a")


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
                              reset_to=reset_to, batch_major=batch_major)


def library_module(library: _runtime.Library) -> str:
    """The module of a library that is loaded. Another process loads the file at this path."""
    return _LIBRARY + library.spelling


def _text(module: str, target: str = "host") -> str:
    """The text of a module, which may be a name."""
    if not module.startswith(_PREBUILT):
        return module
    kind, variant, dtype, *rest = module[len(_PREBUILT):].split()
    return _layers.prebuilt_text(kind, variant, dtype, batch_major="batch_major" in rest, resets="resets" in rest,
                                 target=target)


def gpu_module(module: str, text: str) -> str:
    """The module for a GPU of one layer: `text` has its sizes, and `module` serves all sizes. Without the compiler it is the
    same as `module`, if that has a name."""
    return f"{module}\n{text}" if module.startswith(_PREBUILT) else text


def _gpu_options(target: str, device: str) -> Dict[str, str]:
    """The options of a module for a GPU of this machine. Persistent kernels need the chip."""
    capability = _runtime.compute_capability(device) if target == "cuda" else 0
    chip = f"sm_{capability}" + "a" * (capability >= 90)
    return {"target": target, **({"chip": chip} if chip in _CHIPS else {})}


def _gpu_library_path(module: str, target: str, device: str = "cuda") -> str:
    """The library for GPUs. Prebuilt ones exist if the package was built with RNN_PYTHON_CUDA_MODULES; what is compiled for
    the sizes of a layer and for the GPU is faster."""
    named, _, text = module.partition("\n") if module.startswith(_PREBUILT) else ("", "", module)
    name = named[len(_PREBUILT):].split()
    path = os.path.join(_files.library_folder(), "modules", target, "-".join(name) + ".so")
    if name and os.path.exists(path) and not (text and _compiler.available()):
        return path
    if not _compiler.available():
        raise _errors.Unavailable(
            f"GPU code of {' '.join(name) or 'this layer'} is compiled at its first use, and there is no compiler: "
            "install rnn-mlir-compiler", "UNAVAILABLE")
    path = _compiler.compile_library(text or _text(named, target), _gpu_options(target, device))
    _runtime.load_library(path)  # code for target simt needs the emulator
    return path


@functools.lru_cache(maxsize=None)
def library_path(module: str, target: str = "host", device: str = "cuda") -> str:
    """The compiled library of a module for target host, cuda or simt. It is compiled unless it is prebuilt or in the
    cache. For target cuda, `device` is a GPU, as cuda:1; those of one compute capability have one library."""
    if module.startswith(_LIBRARY):
        return _runtime.library_at(module[len(_LIBRARY):]).spelling
    if target != "host":
        return _gpu_library_path(module, target, device)
    if module.startswith(_PREBUILT):
        kind, variant, dtype, *rest = module[len(_PREBUILT):].split()
        options = {"batch_major": "batch_major" in rest, "resets": "resets" in rest}
        try:
            return modules.path(kind, variant, dtype, **options)
        except _errors.Unavailable as missing:  # for this processor
            if not _compiler.available():
                raise _errors.Unavailable(f"{missing}; install rnn-mlir-compiler to compile it", "UNAVAILABLE") from None
            module = _text(module)
    elif not _compiler.available():
        found = dict.fromkeys(re.findall(r"\b(cell_clip|dropout|num_proj|skip_input)\b", module))
        raise _errors.Unavailable(f"a layer with {', '.join(found) or 'these options'} is not prebuilt and needs the "
                                   "compiler: install rnn-mlir-compiler, or set RNN_MLIR_COMPILER to the path of "
                                   "librnn-c.so", "UNAVAILABLE")
    return _compiler.compile_library(module, {"cpu": "native"})
