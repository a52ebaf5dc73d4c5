# _ops.py - calls of the ops of _library.py, where a mode records them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import torch
from torch import Tensor

from .._operations import BlockLSTM, Layers, Operation

#: PyTorch 2.4: the ops exist.
AVAILABLE = hasattr(torch.library, "register_autograd")


def no_cell(x: Tensor) -> Tensor:
    """A state or gradient of a mode without a cell."""
    return x.new_empty(0)


def _arguments(operation: Operation, operands: Sequence[Tensor]) -> Tuple[List[Optional[Tensor]], Tuple[Any, ...]]:
    """The operands and options of the op of an operation."""
    given, n = list(operands), operation.primals
    auxiliaries: List[Optional[Tensor]] = []
    for flag in (isinstance(operation, Layers) and operation.lengths or isinstance(operation, BlockLSTM)
                 and operation.seq_len_max, operation.reset_to):  # type: ignore[attr-defined]
        auxiliaries.append(given[n + sum(v is not None for v in auxiliaries)] if flag else None)
    primals: List[Optional[Tensor]] = list(given[:n])
    if isinstance(operation, Layers):
        if not operation.cell:
            primals.insert(2, None)
        return primals + auxiliaries, (operation.mode, operation.directions == 2, operation.num_proj,
                                       operation.reset_to or "zero", operation.batch_major)
    assert isinstance(operation, BlockLSTM)
    return primals + auxiliaries, (operation.layout, operation.use_peephole, operation.cell_clip,
                                   operation.reset_to or "zero", operation.batch_major)


def forward(operation: Operation, operands: Sequence[Tensor], training: bool) -> List[Tensor]:
    """`_calls.forward` by the op."""
    inputs, options = _arguments(operation, operands)
    if isinstance(operation, BlockLSTM):
        return list(torch.ops.rnn_mlir.block_lstm(*inputs, *options))
    y, hn, cn, reserve = torch.ops.rnn_mlir.cudnn_forward(*inputs, *options, training)
    return [y, hn] + [cn] * (operation.results == 3) + [reserve] * training


def backward(operation: Operation, values: Sequence[Tensor]) -> List[Tensor]:
    """`_calls.backward` by the op."""
    m = len(operation.operand_axes)
    inputs, options = _arguments(operation, values[:m])
    if isinstance(operation, BlockLSTM):
        return list(torch.ops.rnn_mlir.block_lstm_grad(*inputs, *values[m:], *options))
    rest = list(values[m:])
    if operation.results == 2:  # no output_c and no gradient of it
        none = no_cell(rest[0])
        rest = [*rest[:2], none, *rest[2:4], none, rest[4]]
    dx, dh0, dc0, dparams = torch.ops.rnn_mlir.cudnn_backprop(*inputs, *rest, *options)
    return [dx, dh0, dc0, dparams] if operation.results == 3 else [dx, dh0, dparams]
