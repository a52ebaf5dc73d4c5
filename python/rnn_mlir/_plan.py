# _plan.py - layers as plans of the runtime: what prebuilt modules lack (dropout, projection, skipped input, GPUs).
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans: reference loops on the host, cuDNN on a GPU. Operands are addresses in the memory of the device."""

from __future__ import annotations

import ctypes
from typing import Dict, NamedTuple, Optional, Sequence, Tuple

from . import _layers, _runtime, _signature

Addresses = Dict[str, Optional[int]]


class Plan(NamedTuple):
    """A problem. `draw` is the number of the dropout mask; None draws the next one of the plan."""

    mode: str
    direction: str
    dtype: str
    sizes: _layers.Sizes
    training: bool = True
    dropout: float = 0.0
    seed: int = 0
    seed2: int = 0
    skip_input: bool = False
    draw: Optional[int] = None
    device: str = "host"

    def _begin(self) -> "Tuple[ctypes.CDLL, _runtime.Call, Optional[int]]":
        lib, s = _runtime.library(), self.sizes
        call = (_runtime.call_of_thread(self.device) if self.draw is None else
                _runtime.Call(self.device, dropout_draw=self.draw))
        plan = lib.rnnrt_abi_rnn_plan(call.handle, _signature.DTYPE_CODES[self.dtype], _layers.MODES[self.mode],
                                      int(self.skip_input), _layers.DIRECTIONS[self.direction] - 1,
                                      int(self.training), 0, self.dropout, self.seed, self.seed2, s.steps, s.batch,
                                      s.input_size, s.hidden_size, s.output_size, s.layers)
        return lib, call, plan

    def params_size(self) -> int:
        """Elements of the opaque parameters."""
        lib, call, plan = self._begin()
        size: int = lib.rnnrt_abi_rnn_params_size(call.handle, plan)
        call.finish()
        return size

    def reserve_size(self) -> int:
        """Bytes of the reserve space."""
        lib, call, plan = self._begin()
        size: int = lib.rnnrt_abi_rnn_reserve_size(call.handle, plan)
        call.finish()
        return size

    def forward(self, at: Addresses, params_elements: int, reserve_bytes: int) -> None:
        """Runs the forward pass. `at` has the operands of `_layers.operands` by name."""
        lib, call, plan = self._begin()
        lib.rnnrt_abi_rnn_forward(call.handle, plan, at.get("lengths"), at["x"], at["h0"], at.get("c0"), at["params"],
                                  params_elements, at["y"], at["hn"], at.get("cn"), at.get("reserve"), reserve_bytes)
        call.finish()

    def backward(self, at: Addresses, params_elements: int, reserve_bytes: int) -> None:
        """Runs the backward pass, which overwrites the reserve space."""
        lib, call, plan = self._begin()
        lib.rnnrt_abi_rnn_backward_data(call.handle, plan, at.get("lengths"), at["x"], at["h0"], at.get("c0"),
                                        at["params"], params_elements, at["y"], at["dy"], at["dhn"], at.get("dcn"),
                                        at["dx"], at["dh0"], at.get("dc0"), at["reserve"], reserve_bytes)
        lib.rnnrt_abi_rnn_backward_weights(call.handle, plan, at.get("lengths"), at["x"], at["h0"], at["y"],
                                           at["dparams"], params_elements, at["reserve"], reserve_bytes)
        call.finish()

    def copy_params(self, pack: bool, tensors: Sequence[int], elements: Sequence[int], num_biases: int, params: int,
                    params_elements: int) -> None:
        """Copies canonical tensors to the opaque parameters, or back: weights, then biases."""
        lib, call, plan = self._begin()
        count = len(tensors)
        function = lib.rnnrt_abi_rnn_pack_params if pack else lib.rnnrt_abi_rnn_unpack_params
        function(call.handle, plan, count - num_biases, num_biases, (ctypes.c_void_p * count)(*tensors),
                 (ctypes.c_int64 * count)(*elements), params, params_elements)
        call.finish()


