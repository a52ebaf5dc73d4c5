# modules.py - prebuilt layers: one library per mode, direction and element type, for all sizes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prebuilt compiled layers, which need no compiler."""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any, List, NamedTuple

from . import _errors, _files, _layers, _processor, _runtime, _signature

__all__ = ["Layer", "available", "load", "params_size", "reserve_size"]


class Layer(NamedTuple):
    """The functions of one layer configuration. Their operands, in order, are those of `rnn_mlir._layers.operands`.

    Without `lengths`, for `lstm`:
        forward    x h0 c0 params | y hn cn reserve
        inference  x h0 c0 params | y hn cn
        backward   x h0 c0 params y hn cn dy dhn dcn reserve | dx dh0 dc0 dparams
    The arguments after the bar are written. The other modes have no c0, cn, dcn, dc0; `lengths` (i32 [B]) follows
    `params`. A backward pass only reads the reserve space.
    """

    path: str  #: of the library
    forward: _runtime.Function
    inference: _runtime.Function
    backward: _runtime.Function


@functools.lru_cache(maxsize=None)
def load(mode: str, direction: str = "unidirectional", dtype: str = "f32", *, lengths: bool = False,
         batch_major: bool = False, reset_to: str = "", separate: bool = False) -> Layer:
    """The functions of a layer: `mode` is lstm, gru, rnn_tanh or rnn_relu, `direction` unidirectional or bidirectional.

    `lengths` selects the functions with an operand of sequence lengths, `batch_major` those with sequences
    [B, T, ...]. `reset_to` (zero or initial) selects functions with lengths and resets (i1 [T, B]) after `params`.
    `separate` selects those with a table of offsets (i64 [L*D, 5]) after `params`, and in the backward pass one of `dparams`
    after `reserve`: the tensors of parameters in arrays of their own (docs/Semantics.md, "Separate parameters"). Each function
    serves all sizes and numbers of layers, and those of `lstm` all projections: the size of a hidden state is
    that of `h0`. The library is the best one for this processor.
    """
    _layers.check(mode, direction, dtype)
    if reset_to not in ("", *_layers.RESETS):
        raise ValueError(f"`reset_to` is {reset_to!r}; expected one of {', '.join(_layers.RESETS)}, or nothing")
    found = path(mode, direction, dtype, batch_major=batch_major, resets=bool(reset_to))
    functions = _runtime.load_library(found)
    suffix = _layers.layer_suffix(lengths, reset_to, separate)
    return Layer(found, *(functions[kind + suffix] for kind in _layers.PASSES))


def path(kind: str, variant: str, dtype: str, *, batch_major: bool = False, resets: bool = False) -> str:
    """The best prebuilt library for this processor: of a mode and a direction, or of block_lstm and a layout."""
    for level in _processor.levels():
        name = f"{kind}-{variant}-{dtype}" + "-batch_major" * batch_major + "-resets" * resets
        found = os.path.join(_files.library_folder(), "modules", level, name + ".so")
        if os.path.exists(found):
            return found
    raise _errors.Unavailable(
        f"there is no prebuilt module of {kind}, {variant}, {dtype}{', batch-major' * batch_major}"
        f"{', with resets' * resets} for this processor in {_files.library_folder()}/modules; looked for {', '.join(_processor.levels())}", "UNAVAILABLE")


def available() -> List[str]:
    """The processor levels with prebuilt modules."""
    folder = os.path.join(_files.library_folder(), "modules")
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def _training_plan(call: _runtime.Call, mode: str, direction: str, dtype: str, sizes: _layers.Sizes, dropout: float = 0.0,
                   skip_input: bool = False, fused: bool = True) -> Any:
    lib = _runtime.library()
    make = lib.rnnrt_abi_rnn_fused_plan if fused else lib.rnnrt_abi_rnn_plan
    return make(call.handle, _signature.DTYPE_CODES[dtype], _layers.MODES[mode], int(skip_input),
                _layers.DIRECTIONS[direction] - 1, 1, 0, dropout, 0, 0, sizes.steps, sizes.batch, sizes.input_size,
                sizes.hidden_size, sizes.output_size, sizes.layers)


@functools.lru_cache(maxsize=4096)
def _sizes(mode: str, direction: str, dtype: str, sizes: _layers.Sizes, dropout: float, skip_input: bool,
           device: str, fused: bool) -> "tuple[int, int]":
    _layers.check(mode, direction, dtype)
    lib, call = _runtime.library(), _runtime.call_of_thread(device)
    plan = _training_plan(call, mode, direction, dtype, sizes, dropout, skip_input, fused)
    reserve = lib.rnnrt_abi_rnn_reserve_size(call.handle, plan)
    params = lib.rnnrt_abi_rnn_params_size(call.handle, plan)
    call.finish()
    return reserve, params


@functools.lru_cache(maxsize=4096)
def reserve_header(mode: str, direction: str, dtype: str, sizes: _layers.Sizes) -> bytes:
    """The first bytes of the reserve spaces of this problem, without dropout: its fields up to `problem` (docs/Semantics.md,
    "Reserve space"), which are equal for fused layers on all devices."""
    lib, call = _runtime.library(), _runtime.call_of_thread("host")
    plan = _training_plan(call, mode, direction, dtype, sizes)
    sizes_of_plan = lib.rnnrt_abi_rnn_params_size(call.handle, plan), lib.rnnrt_abi_rnn_reserve_size(call.handle, plan)
    header = (ctypes.c_char * 64 * 2)()  # of which 64 bytes are aligned
    address = (ctypes.addressof(header) + 63) // 64 * 64
    lib.rnnrt_abi_rnn_begin(call.handle, 1, plan, None, sizes_of_plan[0], address, sizes_of_plan[1])
    call.finish()
    return ctypes.string_at(address, 24)


def reserve_size(mode: str, direction: str, dtype: str, steps: int, batch: int, input_size: int, hidden_size: int,
                 layers: int = 1, *, projection: int = 0, dropout: float = 0.0, skip_input: bool = False,
                 device: str = "host", fused: bool = True) -> int:
    """Bytes of the reserve space of a training pass. Compiles nothing. `fused` is false for plans."""
    sizes = _layers.Sizes(steps, batch, input_size, hidden_size, layers, projection)
    try:
        return _sizes(mode, direction, dtype, sizes, dropout, skip_input, device, fused)[0]
    except ctypes.ArgumentError:
        raise TypeError("a training pass needs known sizes, since its reserve space depends on them, but got symbolic ones: "
                        + ", ".join(f"{name} = {n}" for name, n in sizes._asdict().items())) from None


def params_size(mode: str, direction: str, input_size: int, hidden_size: int, layers: int = 1, *, projection: int = 0,
                skip_input: bool = False, dtype: str = "f32", device: str = "host", fused: bool = True) -> int:
    """Elements of the opaque parameters."""
    sizes = _layers.Sizes(1, 1, input_size, hidden_size, layers, projection)
    return _sizes(mode, direction, dtype, sizes, 0.0, skip_input, device, fused)[1]
