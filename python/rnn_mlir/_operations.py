# _operations.py - what rnn_mlir.jax and rnn_mlir.torch need about an op of the rnn dialect: operands, results, the axis
# of the batch in each of them, and the compiled functions. Needs no framework: operands are objects with a `shape`.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of the dialect as static, hashable descriptions."""

from __future__ import annotations

import dataclasses
from typing import Any, List, Optional, Tuple

from . import _layers, _variants, modules

Shape = Tuple[int, ...]


class Operation:
    """One op with its options. Operands are `primals`, which have derivatives, then `auxiliaries`, which have none.

    The compiled gradient takes all operands, the results, one cotangent for each index in `cotangents`, then what the
    training pass saved beside the results (at most one buffer of bytes, the reserve space).
    """

    primals: int
    results: int
    cotangents: Tuple[int, ...]
    operand_axes: Tuple[Optional[int], ...]  #: of the batch; None: the operand is shared by all examples
    result_axes: Tuple[int, ...]
    saves: bool
    batch_major: bool

    def shapes(self, *operands: Any) -> List[Shape]:
        """The shapes of the results."""
        raise NotImplementedError

    def reserve_bytes(self, dtype: str, *operands: Any, batch: int = 0) -> int:
        """Bytes of the buffer that a training pass saves; `batch` replaces the batch of the operands unless it is 0."""
        raise NotImplementedError

    def module(self, dtype: str) -> str:
        """The module with the functions of this op for all sizes (_variants.py)."""
        raise NotImplementedError

    def function(self, stage: str) -> str:
        """The name of the function of a stage: inference, forward (training) or backward."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class Layers(Operation):
    """`rnn.cudnn_forward` and its gradient, without dropout: `x, h0[, c0], params[, lengths][, resets]` to
    `y, hn[, cn]`."""

    mode: str
    direction: str
    num_proj: int = 0
    lengths: bool = False
    reset_to: str = ""  #: "": the op has no resets; else `zero` or `initial`
    batch_major: bool = False  #: sequences are [B, T, ...]

    @property
    def cell(self) -> bool:
        return self.mode == "lstm"

    @property
    def directions(self) -> int:
        return _layers.DIRECTIONS[self.direction]

    @property
    def primals(self) -> int:  # type: ignore[override]
        return 4 if self.cell else 3

    @property
    def results(self) -> int:  # type: ignore[override]
        return 3 if self.cell else 2

    @property
    def cotangents(self) -> Tuple[int, ...]:  # type: ignore[override]
        return tuple(range(self.results))

    @property
    def operand_axes(self) -> Tuple[Optional[int], ...]:  # type: ignore[override]
        states: Tuple[Optional[int], ...] = (1, 1) if self.cell else (1,)
        sequence = self.result_axes[0]
        return (sequence, *states, None) + ((0,) if self.lengths else ()) + ((sequence,) if self.reset_to else ())

    @property
    def result_axes(self) -> Tuple[int, ...]:  # type: ignore[override]
        return (0 if self.batch_major else 1,) + (1,) * (self.results - 1)

    saves = True

    def shapes(self, *operands: Any) -> List[Shape]:
        x, h0 = operands[:2]
        states = [tuple(v.shape) for v in operands[1:self.results]]
        return [(x.shape[0], x.shape[1], self.directions * h0.shape[2]), *states]

    def sizes(self, *operands: Any) -> _layers.Sizes:
        x, h0 = operands[:2]
        hidden = operands[2].shape[2] if self.cell else h0.shape[2]
        batch, steps = x.shape[:2] if self.batch_major else x.shape[1::-1]
        return _layers.Sizes(steps, batch, x.shape[2], hidden, h0.shape[0] // self.directions, self.num_proj)

    def reserve_bytes(self, dtype: str, *operands: Any, batch: int = 0) -> int:
        # The runtime makes a plan and returns its size; nothing is compiled.
        sizes = self.sizes(*operands)
        return modules.reserve_size(self.mode, self.direction, dtype, sizes.steps, batch or sizes.batch, *sizes[2:5],
                                    projection=sizes.projection)

    def parameters(self, inputs: int, hidden: int, layers: int) -> int:
        """Elements of the flat parameters."""
        return _layers.params_size(self.mode, inputs, hidden, layers, self.directions, self.num_proj)

    def module(self, dtype: str) -> str:
        return _variants.layer_module(self.mode, self.direction, dtype, num_proj=self.num_proj,
                                      reset_to=self.reset_to, batch_major=self.batch_major)

    def function(self, stage: str) -> str:
        return stage + ("_lengths" if self.lengths else "")


@dataclasses.dataclass(frozen=True)
class BlockLSTM(Operation):
    """`rnn.block_lstm` and its gradient: `x, cs_prev, h_prev, w, wci, wcf, wco, b[, seq_len_max][, resets]` to
    `i, cs, f, o, ci, co, h`."""

    layout: str
    use_peephole: bool = False
    cell_clip: float = 0.0
    seq_len_max: bool = False
    reset_to: str = ""
    batch_major: bool = False

    primals = 8
    results = 7
    cotangents = (1, 6)  # cs and h
    saves = False

    @property
    def result_axes(self) -> Tuple[int, ...]:  # type: ignore[override]
        return (0 if self.batch_major else 1,) * 7

    @property
    def operand_axes(self) -> Tuple[Optional[int], ...]:  # type: ignore[override]
        sequence = self.result_axes[0]
        shared = (None,) * (6 if self.seq_len_max else 5)
        return (sequence, 0, 0) + shared + ((sequence,) if self.reset_to else ())

    def shapes(self, *operands: Any) -> List[Shape]:
        return [(*operands[0].shape[:2], operands[1].shape[1])] * 7

    def reserve_bytes(self, dtype: str, *operands: Any, batch: int = 0) -> int:
        return 0

    def module(self, dtype: str) -> str:
        return _variants.block_module(self.layout, dtype, use_peephole=self.use_peephole, cell_clip=self.cell_clip,
                                      seq_len_max=self.seq_len_max, reset_to=self.reset_to,
                                      batch_major=self.batch_major)

    def function(self, stage: str) -> str:
        prebuilt = not (self.cell_clip or self.reset_to or self.batch_major)
        suffix = _layers.block_suffix(self.use_peephole, self.seq_len_max) if prebuilt else ""
        return ("backward" if stage == "backward" else "forward") + suffix
