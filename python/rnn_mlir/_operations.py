# _operations.py - what rnn_mlir.jax and rnn_mlir.torch need about an op of the rnn dialect: operands, results, the axis
# of the batch in each of them, and the compiled functions. Needs no framework: operands are objects with a `shape`.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of the dialect as static, hashable descriptions."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

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
    tensors: int = 0  #: the number of operands that are tensors of parameters of their own; 0: one flat array
    depth: int = 0  #: the axis of the batch in the saved buffer, behind dimensions of batches and members
    has_batches: bool = False  #: whether the dimension in front of that of the batch is one of batches

    @property
    def gradient_axes(self) -> Tuple[Optional[int], ...]:
        """The axes of the batch in the gradients."""
        return self.operand_axes[:self.primals]

    def shapes(self, *operands: Any) -> List[Shape]:
        """The shapes of the results."""
        raise NotImplementedError

    def reserve_bytes(self, dtype: str, *operands: Any, batch: int = 0) -> int:
        """Bytes of the buffer that a training pass saves; `batch` replaces the batch of the operands unless it is 0."""
        raise NotImplementedError

    def gradient_shapes(self, *operands: Any) -> List[Shape]:
        """The shapes of the gradients."""
        return [tuple(v.shape) for v in operands[:self.primals]]

    def names(self) -> List[str]:
        """The names of the operands."""
        raise NotImplementedError

    def module(self, dtype: str) -> str:
        """The module with the functions of this op for all sizes (_variants.py)."""
        raise NotImplementedError

    def function(self, stage: str) -> str:
        """The name of the function of a stage: inference, forward (training) or backward."""
        raise NotImplementedError

    def missing(self, *operands: Any) -> Optional[Tuple[Shape, int]]:
        """The shape and value of an i32 operand that the functions have after the primals and the op has not."""
        raise NotImplementedError

    def gpu_function(self, dtype: str, stage: str, *operands: Any) -> Tuple[str, str, bool]:
        """The module and name of the function on a GPU, where no function may read `seq_len_max`, and whether it has the
        operand of `missing`. The module has the sizes of the layer as constants, which persistent kernels need; steps and
        batch stay unknown, so that a layer has one module."""
        raise NotImplementedError


@functools.lru_cache(maxsize=4096)
def _layers_on_gpu(operation: "Layers", dtype: str, stage: str, sizes: _layers.Sizes) -> str:
    text = _layers.layer_text(operation.mode, operation.direction, dtype, stage,
                              lengths=operation.lengths or bool(operation.reset_to), reset_to=operation.reset_to,
                              batch_major=operation.batch_major, sizes=sizes)
    return _variants.gpu_module(operation.module(dtype), text)


@functools.lru_cache(maxsize=4096)
def _block_on_gpu(operation: "BlockLSTM", dtype: str, stage: str, sizes: _layers.Sizes) -> str:
    text = _layers.block_text(operation.layout, dtype, use_peephole=operation.use_peephole, cell_clip=operation.cell_clip,
                              reset_to=operation.reset_to, batch_major=operation.batch_major, kinds=[stage], sizes=sizes)
    # Prebuilt functions with resets have `seq_len_max`.
    return text if operation.reset_to else _variants.gpu_module(operation.module(dtype), text)


@dataclasses.dataclass(frozen=True)
class Layers(Operation):
    """`rnn.cudnn_forward` and its gradient, without dropout: `x, h0[, c0], params[, lengths][, resets]` to
    `y, hn[, cn]`. With `tensors`, the parameters are so many operands, in the order of the flat array."""

    mode: str
    direction: str
    num_proj: int = 0
    lengths: bool = False
    reset_to: str = ""  #: "": the op has no resets; else `zero` or `initial`
    batch_major: bool = False  #: sequences are [B, T, ...]
    tensors: int = 0  #: 0: `params` is one flat array

    # Read in each call, and by Dynamo, which traces no cached properties.
    cell: bool = dataclasses.field(init=False, repr=False, compare=False)
    directions: int = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        set_value = functools.partial(object.__setattr__, self)
        set_value("cell", self.mode == "lstm")
        set_value("directions", _layers.DIRECTIONS[self.direction])
        set_value("primals", self.first_tensor + (self.tensors or 1))
        set_value("results", 3 if self.cell else 2)
        set_value("cotangents", tuple(range(self.results)))
        sequence = 0 if self.batch_major else 1
        set_value("result_axes", (sequence,) + (1,) * (self.results - 1))
        states: Tuple[Optional[int], ...] = (1, 1) if self.cell else (1,)
        set_value("operand_axes", (sequence, *states) + (None,) * (self.tensors or 1) + ((0,) if self.lengths else ()) +
                  ((sequence,) if self.reset_to else ()))

    saves = True

    @property
    def first_tensor(self) -> int:
        """The index of the first operand of parameters."""
        return 3 if self.cell else 2

    @property
    def flat(self) -> "Layers":
        """The same with one flat array."""
        return dataclasses.replace(self, tensors=0)

    def shapes(self, *operands: Any) -> List[Shape]:
        x, h0 = operands[:2]
        states = [tuple(v.shape) for v in operands[1:self.results]]
        return [(x.shape[0], x.shape[1], self.directions * h0.shape[2]), *states]

    def names(self) -> List[str]:
        return ["x", "h0", *["c0"] * self.cell, *["params"] * (self.tensors or 1), *["lengths"] * self.lengths, *["resets"] * bool(self.reset_to)]

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

    def reserve_header(self, dtype: str, *operands: Any) -> bytes:
        """The first bytes of the buffer that a training pass with these operands saves."""
        return modules.reserve_header(self.mode, self.direction, dtype, self.sizes(*operands))

    def parameters(self, inputs: int, hidden: int, layers: int) -> int:
        """Elements of the flat parameters."""
        return _layers.params_size(self.mode, inputs, hidden, layers, self.directions, self.num_proj)

    def check_tensors(self, *operands: Any) -> None:
        """Raises ValueError unless the tensors of parameters have the elements of this layer, which a compiled function with
        their addresses cannot check."""
        sizes = self.sizes(*operands)
        if self.num_proj >= sizes.hidden_size:
            raise ValueError(f"`num_proj` is {self.num_proj}; expected less than the hidden size, {sizes.hidden_size}")
        shapes = _layers.tensor_shapes(self.mode, self.directions, sizes.layers, sizes.input_size, sizes.hidden_size, self.num_proj)
        expected = list(map(math.prod, shapes))
        given = [math.prod(v.shape) for v in operands[self.first_tensor:self.primals]]
        if len(given) != len(expected):
            raise ValueError(f"`params` has {len(given)} tensors; expected {len(expected)}: matrices, then biases of {sizes.layers} "
                             f"layers and {self.directions} directions")
        for k, (n, count) in enumerate(zip(given, expected)):
            if n != count:
                raise ValueError(f"`params[{k}]` has {n} elements; expected {count} for input size {sizes.input_size}, hidden size "
                                 f"{sizes.hidden_size} and {sizes.layers} layers")

    def module(self, dtype: str) -> str:
        return _variants.layer_module(self.mode, self.direction, dtype, reset_to=self.reset_to,
                                      batch_major=self.batch_major)

    def function(self, stage: str) -> str:
        return stage + _layers.layer_suffix(self.lengths, self.reset_to, bool(self.tensors))

    def gpu_function(self, dtype: str, stage: str, *operands: Any) -> Tuple[str, str, bool]:
        sizes = self.sizes(*operands)._replace(steps=0, batch=0)
        return _layers_on_gpu(self, dtype, stage, sizes), self.function(stage), True

    def missing(self, *operands: Any) -> Optional[Tuple[Shape, int]]:
        if self.lengths or not self.reset_to:
            return None
        sizes = self.sizes(*operands)
        return (sizes.batch,), sizes.steps


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

    def names(self) -> List[str]:
        return ["x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b", *["seq_len_max"] * self.seq_len_max,
                *["resets"] * bool(self.reset_to)]

    def reserve_bytes(self, dtype: str, *operands: Any, batch: int = 0) -> int:
        return 0

    def module(self, dtype: str) -> str:
        return _variants.block_module(self.layout, dtype, use_peephole=self.use_peephole, cell_clip=self.cell_clip,
                                      seq_len_max=self.seq_len_max or bool(self.reset_to),
                                      reset_to=self.reset_to, batch_major=self.batch_major)

    def gpu_function(self, dtype: str, stage: str, *operands: Any) -> Tuple[str, str, bool]:
        kind = "backward" if stage == "backward" else "forward"
        sizes = _layers.Sizes(0, 0, operands[0].shape[2], operands[1].shape[1])
        return _block_on_gpu(self, dtype, kind, sizes), self.function(stage), False

    def function(self, stage: str) -> str:
        suffix = _layers.block_suffix(self.use_peephole, self.seq_len_max, self.reset_to)
        return ("backward" if stage == "backward" else "forward") + suffix

    def missing(self, *operands: Any) -> Optional[Tuple[Shape, int]]:
        if self.seq_len_max or not self.reset_to:
            return None
        return (), operands[0].shape[1 if self.batch_major else 0]


#: Bytes of parameters up to which the members of a call run in parallel. Larger ones would compete for the shared cache: they
#: run one after the other, and the loops of each use all threads. benchmarks/results/2026-11-22-python.md
_PARALLEL = 1 << 22


class Shaped(NamedTuple):
    """An operand without memory."""

    shape: Shape
    dtype: Any


@dataclasses.dataclass(frozen=True)
class _Several(Operation):
    """Several calls of `one`."""

    one: Operation

    @property
    def primals(self) -> int:  # type: ignore[override]
        return self.one.primals

    @property
    def results(self) -> int:  # type: ignore[override]
        return self.one.results

    @property
    def cotangents(self) -> Tuple[int, ...]:  # type: ignore[override]
        return self.one.cotangents

    @property
    def saves(self) -> bool:  # type: ignore[override]
        return self.one.saves

    @property
    def batch_major(self) -> bool:  # type: ignore[override]
        return self.one.batch_major

    @property
    def depth(self) -> int:  # type: ignore[override]
        return self.one.depth + 1

    @property
    def result_axes(self) -> Tuple[int, ...]:  # type: ignore[override]
        return tuple(axis + 1 for axis in self.one.result_axes)

    def names(self) -> List[str]:
        return self.one.names()


@dataclasses.dataclass(frozen=True)
class Batches(_Several):
    """Several batches, which run as one batch and share all operands without a batch. Operands and results with a batch have a
    dimension of batches in front of that of the batch, and the saved buffer has both, so that either can be divided over devices."""

    has_batches = True

    @property
    def tensors(self) -> int:  # type: ignore[override]
        return self.one.tensors

    @property
    def first_tensor(self) -> int:
        assert isinstance(self.one, (Layers, Batches))
        return self.one.first_tensor

    @property
    def flat(self) -> "Batches":
        assert isinstance(self.one, (Layers, Batches))
        return Batches(self.one.flat)

    @property
    def operand_axes(self) -> Tuple[Optional[int], ...]:  # type: ignore[override]
        return tuple(None if axis is None else axis + 1 for axis in self.one.operand_axes)

    @property
    def gradient_axes(self) -> Tuple[Optional[int], ...]:
        return tuple(None if axis is None else axis + 1 for axis in self.one.gradient_axes)

    def merged(self, *operands: Any) -> List[Any]:
        """The operands of the one batch."""
        return [v if axis is None else Shaped(merge(v.shape, axis), v.dtype) for v, axis in zip(operands, self.operand_axes)]

    def shapes(self, *operands: Any) -> List[Shape]:
        return self.divided(self.one.shapes(*self.merged(*operands)), self.result_axes, *operands)

    def gradient_shapes(self, *operands: Any) -> List[Shape]:
        return self.divided(self.one.gradient_shapes(*self.merged(*operands)), self.gradient_axes, *operands)

    def divided(self, shapes: Sequence[Shape], axes: Sequence[Optional[int]], *operands: Any) -> List[Shape]:
        """The shapes of values of one batch as those of several; `axes` are those of the batch."""
        last = self.operand_axes[0]
        assert last is not None
        sizes = operands[0].shape[last - 1:last + 1]
        return [shape if axis is None else (*shape[:axis - 1], *sizes, *shape[axis:]) for shape, axis in zip(shapes, axes)]

    def reserve_bytes(self, dtype: str, *operands: Any, batch: int = 0) -> int:
        return self.one.reserve_bytes(dtype, *self.merged(*operands), batch=batch)


def merge(shape: Sequence[int], axis: int) -> Shape:
    """A shape with dimension `axis` and the one in front of it as one."""
    return (*shape[:axis - 1], shape[axis - 1] * shape[axis], *shape[axis + 1:])


@dataclasses.dataclass(frozen=True)
class Members(_Several):
    """Independent calls of `one`, as those of models with parameters of their own. Operand k has a leading dimension of
    `count` members if `mapped[k]`; otherwise the members share it. Results, cotangents and the saved buffer have that
    dimension. The gradient of a shared operand is the sum over the members, or with `separate` has the dimension, too.
    Members of members are levels, as nested loops, and one call of the runtime."""

    count: int
    mapped: Tuple[bool, ...]
    separate: bool = False

    @property
    def has_batches(self) -> bool:  # type: ignore[override]
        return self.one.has_batches

    @property
    def gradient_axes(self) -> Tuple[Optional[int], ...]:
        return tuple(None if axis is None else axis + (self.separate or mapped)
                     for axis, mapped in zip(self.one.gradient_axes, self.mapped))

    @property
    def operand_axes(self) -> Tuple[Optional[int], ...]:  # type: ignore[override]
        return tuple(None if axis is None else axis + mapped for axis, mapped in zip(self.one.operand_axes, self.mapped))

    def slices(self, *operands: Any) -> List[Any]:
        """The operands of one member."""
        return [Shaped(tuple(v.shape[1:] if mapped else v.shape), v.dtype)
                for v, mapped in zip(operands, self.mapped)]

    @property
    def counts(self) -> Tuple[int, ...]:
        """The members of each level, the outermost first."""
        return tuple(level.count for level in levels(self))

    def flags(self, completed: bool) -> List[Tuple[bool, ...]]:
        """`mapped` of each level for each operand of the function, of which `completed` has that of `missing`."""
        n, every = self.primals, list(zip(*(level.mapped for level in levels(self))))
        return [*every[:n], *[(False,) * len(self.counts)] * completed, *every[n:]]

    def separated(self) -> "Members":
        """The operation whose gradients have the dimensions of all members, as the results of the compiled function."""
        one = self.one.separated() if isinstance(self.one, Members) else self.one
        return dataclasses.replace(self, one=one, separate=True)

    def totals(self, gradients: Sequence[Any]) -> List[Any]:
        """The gradients of this operation from those of `separated`: sums over the members that share an operand."""
        every, found = levels(self), []
        for k, gradient in enumerate(gradients):
            dims = tuple(dim for dim, level in enumerate(every) if not level.separate and not level.mapped[k])
            found.append(gradient.sum(dims) if dims else gradient)
        return found

    def in_parallel(self, itemsize: int, *operands: Any) -> bool:
        """Whether each member has one thread."""
        one, slices = one_member(self, operands)
        weights = sum(math.prod(v.shape) for v, axis in zip(slices, one.operand_axes) if axis is None)
        return bool(weights * itemsize <= _PARALLEL)

    def shapes(self, *operands: Any) -> List[Shape]:
        return [(self.count, *shape) for shape in self.one.shapes(*self.slices(*operands))]

    def reserve_bytes(self, dtype: str, *operands: Any, batch: int = 0) -> int:
        return self.one.reserve_bytes(dtype, *self.slices(*operands), batch=batch)

    def gradient_shapes(self, *operands: Any) -> List[Shape]:
        return [(self.count, *shape) if self.separate or mapped else shape
                for shape, mapped in zip(self.one.gradient_shapes(*self.slices(*operands)), self.mapped)]

    def module(self, dtype: str) -> str:
        return self.one.module(dtype)

    def function(self, stage: str) -> str:
        return self.one.function(stage)

    def missing(self, *operands: Any) -> Optional[Tuple[Shape, int]]:
        return self.one.missing(*self.slices(*operands))

    def gpu_function(self, dtype: str, stage: str, *operands: Any) -> Tuple[str, str, bool]:
        return self.one.gpu_function(dtype, stage, *self.slices(*operands))


def levels(operation: Operation) -> List[Members]:
    """The members of members, the outermost first. Batches among them do not change the order of these dimensions."""
    found = []
    while isinstance(operation, _Several):
        if isinstance(operation, Members):
            found.append(operation)
        operation = operation.one
    return found


def innermost(operation: Operation) -> Operation:
    """The operation without members and batches."""
    while isinstance(operation, _Several):
        operation = operation.one
    return operation


def one_member(operation: Operation, operands: Sequence[Any]) -> Tuple[Operation, Sequence[Any]]:
    """The operation of one member, and its operands."""
    while isinstance(operation, Members):
        operands = operation.slices(*operands)
        operation = operation.one
    return operation, operands


def has_seq_len_max(operation: Operation) -> bool:
    one = innermost(operation)
    return isinstance(one, BlockLSTM) and one.seq_len_max


def without_seq_len_max(operation: Operation) -> Operation:
    """The operation on inputs that are masked instead: members with values of their own have inputs of their own."""
    if isinstance(operation, Members):
        n, mapped = operation.primals, list(operation.mapped)
        mapped[0] = mapped[0] or mapped[n]
        del mapped[n]
        return dataclasses.replace(operation, one=without_seq_len_max(operation.one), mapped=tuple(mapped))
    assert isinstance(operation, BlockLSTM)
    return dataclasses.replace(operation, seq_len_max=False)


def without_batches(operation: Operation) -> Operation:
    """The operation whose outermost batches are a part of the batch."""
    if isinstance(operation, Batches):
        return operation.one
    assert isinstance(operation, Members)
    return dataclasses.replace(operation, one=without_batches(operation.one))
