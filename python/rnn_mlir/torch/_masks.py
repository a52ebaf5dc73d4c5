# _masks.py - masks instead of `seq_len_max`. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of block LSTMs on a GPU, where the host must not wait for values of the device, mask the steps from `seq_len_max` on."""

from __future__ import annotations

from typing import List, Sequence

import torch
from torch import Tensor

from .._operations import Operation, levels, one_member


class Masks:
    """The padding of a call. `inputs` are its operands, and in a gradient the saved results and the cotangents."""

    def __init__(self, operation: Operation, inputs: Sequence[Tensor]) -> None:
        one, slices = one_member(operation, inputs)
        axis, self._n, self._operands = one.result_axes[0] ^ 1, operation.primals, len(operation.operand_axes)
        self._levels = levels(operation)
        device = inputs[0].device
        steps = torch.arange(slices[0].shape[axis], device=device).reshape([-1 if d == axis else 1 for d in range(3)])
        count = inputs[self._n].to(device, non_blocking=True)[self._dims(self._n)]
        self._padding = steps >= count[(..., None, None, None)]

    def _dims(self, operand: int) -> tuple[object, ...]:
        """The index that gives an operand a dimension of each level of members, of size 1 if they share it."""
        return (*(slice(None) if level.mapped[operand] else None for level in self._levels), ...)

    def inputs(self, inputs: Sequence[Tensor]) -> List[Tensor]:
        """Those of the call without `seq_len_max`."""
        zero = torch.zeros((), dtype=inputs[0].dtype, device=inputs[0].device)
        first = torch.where(self._padding, zero, inputs[0][self._dims(0)])
        # Levels that share both the input and `seq_len_max` share the masked one.
        first = first[tuple(slice(None) if level.mapped[0] or level.mapped[self._n] else 0 for level in self._levels)]
        saved = [v.masked_fill(self._padding, 0) for v in inputs[self._operands:]]
        return [first, *inputs[1:self._n], *inputs[self._n + 1:self._operands], *saved]

    def fill(self, value: Tensor) -> None:
        """Zeroes a result or a gradient, which has the dimensions of all members."""
        value.masked_fill_(self._padding, 0)
