# cudnn_rnn.py - the classes of tf.contrib.cudnn_rnn's ops, with the same arguments, without TensorFlow.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CudnnLSTM, CudnnGRU, CudnnRNNTanh and CudnnRNNRelu of contrib's `cudnn_rnn_ops`, on NumPy arrays and everything with
`__dlpack__`. Lists of numbers become arrays of the model's element type.

    model = CudnnGRU(num_layers=2, num_units=64, input_size=32)
    params = 0.1 * np.random.randn(model.params_size()).astype(np.float32)
    output, output_h = model(input_data, input_h, params)

The classes run the forward pass. `model.forward` and `model.backprop` are the two raw ops, for gradients; in JAX and
PyTorch, use rnn_mlir.jax and rnn_mlir.torch.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _dlpack, _errors, _layers, _plan, _runtime, modules, params as _params
from ._cudnn_params import (CUDNN_GRU, CUDNN_GRU_PARAMS_PER_LAYER, CUDNN_INPUT_AUTO_MODE, CUDNN_INPUT_LINEAR_MODE,
                            CUDNN_INPUT_SKIP_MODE, CUDNN_LSTM, CUDNN_LSTM_PARAMS_PER_LAYER, CUDNN_RNN_BIDIRECTION,
                            CUDNN_RNN_RELU, CUDNN_RNN_RELU_PARAMS_PER_LAYER, CUDNN_RNN_TANH,
                            CUDNN_RNN_TANH_PARAMS_PER_LAYER, CUDNN_RNN_UNIDIRECTION, CudnnGRUSaveable,
                            CudnnLSTMSaveable, CudnnOpaqueParamsSaveable, CudnnParamsFormatConverter,
                            CudnnParamsFormatConverterGRU, CudnnParamsFormatConverterLSTM,
                            CudnnParamsFormatConverterRelu, CudnnParamsFormatConverterTanh, CudnnRNNReluSaveable,
                            CudnnRNNTanhSaveable, check_layers, integer)

__all__ = ["CUDNN_GRU", "CUDNN_GRU_PARAMS_PER_LAYER", "CUDNN_INPUT_AUTO_MODE", "CUDNN_INPUT_LINEAR_MODE",
           "CUDNN_INPUT_SKIP_MODE", "CUDNN_LSTM", "CUDNN_LSTM_PARAMS_PER_LAYER", "CUDNN_RNN_BIDIRECTION",
           "CUDNN_RNN_RELU", "CUDNN_RNN_RELU_PARAMS_PER_LAYER", "CUDNN_RNN_TANH", "CUDNN_RNN_TANH_PARAMS_PER_LAYER",
           "CUDNN_RNN_UNIDIRECTION", "CudnnGRU", "CudnnGRUSaveable", "CudnnLSTM", "CudnnLSTMSaveable",
           "CudnnOpaqueParamsSaveable", "CudnnParamsFormatConverter", "CudnnParamsFormatConverterGRU",
           "CudnnParamsFormatConverterLSTM", "CudnnParamsFormatConverterRelu", "CudnnParamsFormatConverterTanh",
           "CudnnRNNRelu", "CudnnRNNReluSaveable", "CudnnRNNTanh", "CudnnRNNTanhSaveable", "Saved"]

_NAMES = {"float16": "f16", "half": "f16", "bfloat16": "bf16", "float32": "f32", "float": "f32", "float64": "f64",
          "double": "f64"}


def _element_type(dtype: Any) -> str:
    """The element type of a name, or of a type of NumPy, PyTorch, JAX or TensorFlow."""
    if isinstance(dtype, str) and dtype in _layers.DTYPES:
        return dtype
    if dtype is float:
        raise ValueError("the element type `float` is float32 in TensorFlow and float64 in NumPy; state one of these two")
    if isinstance(dtype, np.dtype) and not dtype.isnative:
        raise ValueError(f"the element type `{dtype.str}` has the byte order of another machine; expected "
                         f"{dtype.newbyteorder('=').name}")
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    name = name.rpartition(".")[2]
    if name not in _NAMES:
        raise ValueError(f"unknown element type `{dtype}`; expected float16, bfloat16, float32 or float64")
    return _NAMES[name]


#: The names of operands in the calls of the classes.
_OPERANDS = {"x": "input_data", "h0": "input_h", "c0": "input_c", "params": "params", "dy": "output_backprop",
             "dhn": "output_h_backprop", "dcn": "output_c_backprop"}


class Saved(NamedTuple):
    """What `forward` keeps for `backprop`: the operands, the results and the reserve space, in time-major form."""

    arrays: Dict[str, Any]
    plan: Optional[_plan.Plan]
    time_major: bool  #: the form of the operands of both passes
    config: Dict[str, Any]  #: the configuration of the model


def _refuse_tracer(value: Any, what: str) -> None:
    if _dlpack.is_traced(value):
        raise TypeError(f"{what} is a tracer of JAX: these classes run outside of jax.jit, jax.grad and jax.vmap. Use the layers of "
                        "rnn_mlir.jax there")


def _swap(array: Any) -> Any:
    """An operand in the other of the forms time-major and batch-major. Parameters, of one dimension, have one form."""
    return np.ascontiguousarray(array.swapaxes(0, 1)) if array.ndim > 1 else array


def _boolean(name: str, value: Any, hint: str = "") -> bool:
    """A bool, 0 or 1, or a tensor with one bool and no dimensions."""
    _refuse_tracer(value, f"`{name}`")
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    shape = getattr(value, "shape", None)
    if shape is not None and tuple(shape) == () and "bool" in str(getattr(value, "dtype", "")):
        return bool(value)
    found = repr(value) if shape is None else f"{type(value).__name__} of shape {tuple(shape)}"
    raise TypeError(f"`{name}` must be a bool, but got {found}{hint}")


def _lengths(value: Any, steps: int, batch: int) -> Any:
    """A copy of `sequence_lengths` as int32 [B]: both passes must see the same."""
    _refuse_tracer(value, "`sequence_lengths`")
    array = _dlpack.to_numpy(value, "`sequence_lengths`", copies=True) if hasattr(value, "__dlpack__") else np.asarray(value)
    if array.shape != (batch,) or array.dtype.kind not in "iu":
        raise _errors.InvalidArgument(f"`sequence_lengths` must be integers of shape {(batch,)}, but has shape {array.shape} and "
                                       f"elements of type {array.dtype}", "INVALID_ARGUMENT")
    for k in np.flatnonzero((array < 0) | (array > steps)):
        raise _errors.InvalidArgument(f"element {k} of `sequence_lengths` must be in [0, {steps}], the number of steps, but is {array[k]}",
                                       "INVALID_ARGUMENT")
    return np.array(array, np.int32)


class _CudnnRNN:
    """A stack of layers. Its parameters are one flat array, whose layout `params_to_canonical` describes."""

    _rnn_mode = ""
    _NUM_PARAMS_PER_LAYER = 0

    def __init__(self, num_layers: int, num_units: int, input_size: int, input_mode: str = CUDNN_INPUT_LINEAR_MODE,
                 direction: str = CUDNN_RNN_UNIDIRECTION, dtype: Any = "float32", dropout: float = 0.0,
                 seed: Optional[int] = 0, num_proj: Optional[int] = None) -> None:
        """The arguments of the class in contrib. `dropout` applies between layers, in training. For LSTMs, `num_proj` is the size of the
        projected hidden state; None or 0: no projection.

        `seed` selects the sequence of dropout masks; None is 0. Each training pass draws the next mask. The runtime counts the
        draws per thread and per plan: models of a thread with equal arguments, steps and batch size continue one count, and
        other sizes start at 0, or at the largest count of the plans that the runtime's cache has evicted. `dropout_draw` of
        `forward` and the environment variable RNNRT_DROPOUT_DRAW select a mask, and do not count."""
        self._num_layers, self._num_units, self._input_size = check_layers(num_layers, num_units, input_size, input_mode,
                                                                            direction)
        if input_mode == CUDNN_INPUT_SKIP_MODE and input_size != num_units:
            raise ValueError(f"skip_input requires input_size = num_units, but got {input_size} and {num_units}")
        _layers.check_dropout(dropout)
        self._input_mode, self._direction, self._dropout = input_mode, direction, float(dropout)
        self._seed = 0 if seed is None else integer("seed", seed, -2**63, 2**63)
        self._dtype = _element_type(dtype)
        self._num_proj = None if num_proj is None else integer("num_proj", num_proj, 0, self._num_units + 1)
        if self._num_proj and self._rnn_mode != CUDNN_LSTM:
            raise ValueError(f"`num_proj` is for CudnnLSTM only, but got {num_proj!r} for {self._rnn_mode}")

    @property
    def input_mode(self) -> str:
        """linear_input, skip_input or auto_select"""
        return self._input_mode

    @property
    def input_size(self) -> int:
        """Elements of an input of the first layer."""
        return self._input_size

    @property
    def num_units(self) -> int:
        """H: elements of a cell state, and without a projection of a hidden state."""
        return self._num_units

    @property
    def num_layers(self) -> int:
        """The number of layers."""
        return self._num_layers

    @property
    def rnn_mode(self) -> str:
        """lstm, gru, rnn_tanh or rnn_relu"""
        return self._rnn_mode

    @property
    def direction(self) -> str:
        """unidirectional or bidirectional"""
        return self._direction

    @property
    def num_proj(self) -> Optional[int]:
        """Elements of a projected hidden state. None or 0: no projection."""
        return self._num_proj

    @property
    def _skips(self) -> bool:
        return self._input_mode == CUDNN_INPUT_SKIP_MODE or (
            self._input_mode == CUDNN_INPUT_AUTO_MODE and self._input_size == self._num_units)

    def _config(self) -> Dict[str, Any]:
        """The arguments that decide the shapes and the meaning of arrays."""
        return {"rnn_mode": self._rnn_mode, "num_layers": self._num_layers, "num_units": self._num_units, "input_size": self._input_size,
                "input_mode": CUDNN_INPUT_SKIP_MODE if self._skips else CUDNN_INPUT_LINEAR_MODE, "direction": self._direction,
                "dtype": self._dtype, "num_proj": self._num_proj or None}

    def _make_plan(self, steps: int = 1, batch: int = 1, training: bool = True,
                   draw: Optional[int] = None) -> _plan.Plan:
        sizes = _layers.Sizes(steps, batch, self._input_size, self._num_units, self._num_layers, self._num_proj or 0)
        return _plan.Plan(self._rnn_mode, self._direction, self._dtype, sizes, training, self._dropout, self._seed, 0,
                          self._skips, draw)

    def params_size(self) -> int:
        """The number of elements of the opaque parameters."""
        return self._make_plan().params_size()

    # -- Forward and backward -----------------------------------------------------------------------------------------

    def _call(self, input_data: Any, input_h: Any, input_c: Any, params: Any, is_training: bool, sequence_lengths: Any,
              time_major: bool) -> Tuple[Any, ...]:
        return self._forward(input_data, input_h, input_c, params, is_training, sequence_lengths, time_major, None)[0]

    def forward(self, input_data: Any, input_h: Any, input_c: Any = None, params: Any = None, *, sequence_lengths: Any = None,
                time_major: bool = True, dropout_draw: Optional[int] = None) -> Tuple[Tuple[Any, ...], Saved]:
        """The results of the training pass, and what `backprop` needs. `dropout_draw` selects a dropout mask."""
        if dropout_draw is not None:
            dropout_draw = integer("dropout_draw", dropout_draw, 0, 2**63)
        return self._forward(input_data, input_h, input_c, params, True, sequence_lengths, time_major, dropout_draw)

    def _forward(self, input_data: Any, input_h: Any, input_c: Any, params: Any, is_training: bool, sequence_lengths: Any,
                 time_major: bool, draw: Optional[int]) -> Tuple[Tuple[Any, ...], Saved]:
        has_cell = self._rnn_mode == CUDNN_LSTM
        is_training = _boolean("is_training", is_training, "" if has_cell else f". A model of mode {self._rnn_mode} has no `input_c`: "
                               "call it with (input_data, input_h, params, is_training)")
        time_major = _boolean("time_major", time_major)
        given = {"x": input_data, "h0": input_h, "params": params}
        if has_cell:
            given["c0"] = input_c
        elif input_c is not None:
            raise TypeError(f"a model of mode {self._rnn_mode} has no `input_c`; pass the parameters as `params=`")
        arrays = {name: self._array(name, value) for name, value in given.items()}
        if arrays["x"].ndim != 3:
            raise ValueError(f"`input_data` must be [{'steps, batch' if time_major else 'batch, steps'}, {self._input_size}], but has "
                             f"shape {arrays['x'].shape}")
        steps, batch = arrays["x"].shape[:2] if time_major else arrays["x"].shape[1::-1]
        plan = self._make_plan(steps, batch, is_training, draw)
        uses_plan = self._skips or (is_training and self._dropout > 0 and self._num_layers > 1)
        params_size, reserve = self.params_size(), 0
        if is_training:
            reserve = plan.reserve_size() if uses_plan else modules.reserve_size(
                self._rnn_mode, self._direction, self._dtype, *plan.sizes[:5], projection=plan.sizes.projection)
        shapes = _layers.shapes(self._rnn_mode, self._direction, plan.sizes, params_size, reserve)
        arrays = self._to_time_major(arrays, {name: shapes[name] for name in given}, time_major)
        if sequence_lengths is not None:
            arrays["lengths"] = _lengths(sequence_lengths, steps, batch)
        outputs = ["y", "hn"] + (["cn"] if has_cell else [])
        dtype = arrays["x"].dtype
        arrays.update({name: np.empty(shapes[name], dtype) for name in outputs})
        arrays["reserve"] = _aligned_bytes(reserve)
        if uses_plan:
            plan.forward(_addresses(arrays), params_size, reserve)
        else:
            layer = self._load(arrays)
            _run(layer.forward if is_training else layer.inference, arrays)
        saved = Saved(arrays, plan if uses_plan else None, time_major, self._config())
        return self._results(outputs, saved, input_data), saved

    def _load(self, arrays: Mapping[str, Any]) -> modules.Layer:
        return modules.load(self._rnn_mode, self._direction, self._dtype, lengths="lengths" in arrays)

    def backprop(self, saved: Saved, output_backprop: Any, output_h_backprop: Any = None,
                 output_c_backprop: Any = None) -> Tuple[Any, ...]:
        """Gradients of input_data, input_h, [input_c,] and params. A missing gradient of a result is zero."""
        if not isinstance(saved, Saved):
            raise TypeError("`saved` must be the second result of `forward`, which runs the training pass, but got "
                            f"{type(saved).__name__}")
        differing = [(name, saved.config[name], value) for name, value in self._config().items() if saved.config[name] != value]
        if differing:
            raise ValueError("`saved` is from another model: " + ", ".join(
                f"its {name} is {theirs}, but this model has {own}" for name, theirs, own in differing))
        if output_c_backprop is not None and self._rnn_mode != CUDNN_LSTM:
            raise TypeError(f"a model of mode {self._rnn_mode} has no cell state, so that `output_c_backprop` must be None")
        arrays = dict(saved.arrays)
        names = ["x", "h0", "c0", "params"] if self._rnn_mode == CUDNN_LSTM else ["x", "h0", "params"]
        for name, value in (("dy", output_backprop), ("dhn", output_h_backprop), ("dcn", output_c_backprop)):
            like = arrays.get(name[1:])
            if like is None:
                continue
            arrays.update({name: np.zeros_like(like)} if value is None else
                          self._to_time_major({name: self._array(name, value)}, {name: like.shape}, saved.time_major))
        arrays.update({"d" + name: np.empty_like(arrays[name]) for name in names})
        if saved.plan:
            # The pass overwrites the reserve space, and `saved` may be used again.
            copy = _aligned_bytes(arrays["reserve"].size)
            copy[:] = arrays["reserve"]
            arrays["reserve"] = copy
            saved.plan.backward(_addresses(arrays), arrays["params"].size, copy.size)
        else:
            _run(self._load(arrays).backward, arrays)
        return self._results(["d" + name for name in names], saved._replace(arrays=arrays), output_backprop)

    def _array(self, name: str, value: Any) -> Any:
        """`value` as a dense NumPy array of the element type, on the same memory if possible."""
        what = f"`{_OPERANDS.get(name, name)}`"
        if value is None:
            raise TypeError(f"{what} is missing")
        _refuse_tracer(value, what)
        if isinstance(value, np.ndarray):
            array = value
        elif hasattr(value, "__dlpack__"):
            array = _dlpack.to_numpy(value, what, copies=True)
        else:
            array = np.asarray(value)
        dtype = _dlpack.to_numpy_dtype(self._dtype)
        # Numbers of Python have no element type of their own. Without ml_dtypes, bf16 has no arithmetic.
        if isinstance(value, (list, tuple, int, float)) and array.dtype.kind in "iuf" and dtype != np.uint16:
            array = array.astype(dtype)
        if array.dtype != dtype:
            raise _errors.InvalidArgument(f"the model has elements of type {self._dtype}, but {what} has {array.dtype}",
                                           "INVALID_ARGUMENT")
        return np.require(array, requirements=("C", "A"))

    @staticmethod
    def _to_time_major(arrays: Mapping[str, Any], shapes: Mapping[str, Tuple[int, ...]], time_major: bool) -> Dict[str, Any]:
        """The operands in time-major form, after a check. `shapes` are those of the time-major form."""
        made = {}
        for name, array in arrays.items():
            shape = shapes[name] if time_major else shapes[name][1::-1] + shapes[name][2:]
            if array.shape != shape:
                raise _errors.InvalidArgument(f"`{_OPERANDS[name]}` must have shape {shape}, but has {array.shape}",
                                               "INVALID_ARGUMENT")
            made[name] = array if time_major else _swap(array)
        return made

    @staticmethod
    def _results(names: Sequence[str], saved: Saved, example: Any) -> Tuple[Any, ...]:
        arrays = [saved.arrays[name] if saved.time_major else _swap(saved.arrays[name]) for name in names]
        return tuple(_like(array, example) for array in arrays)

    # -- Parameters ---------------------------------------------------------------------------------------------------

    def params_to_canonical(self, params: Any) -> Tuple[List[Any], List[Any]]:
        """Weights and biases of every gate, layer by layer and direction by direction, as contrib's."""
        flat = self._array("params", params)
        weights, biases = _params.to_canonical(self._stack(flat))
        return ([_like(np.array(w), params) for w in weights], [_like(np.array(b), params) for b in biases])

    def canonical_to_params(self, weights: Iterable[Any], biases: Iterable[Any]) -> Any:
        """The inverse of `params_to_canonical`. Tensors may have any shape with the right number of elements."""
        for name, values in (("weights", weights), ("biases", biases)):
            if not isinstance(values, Iterable):
                raise TypeError(f"`{name}` must be a list of tensors, but got {values!r}")
        weights, biases = list(weights), list(biases)
        stacked = self._num_layers * _layers.DIRECTIONS[self._direction]
        # A projection to num_units has no matrix.
        rows = self._num_proj if self._num_proj and self._num_proj < self._num_units else 0
        per_layer = self._NUM_PARAMS_PER_LAYER + bool(rows)
        counts = (stacked * per_layer, stacked * self._NUM_PARAMS_PER_LAYER)
        if (len(weights), len(biases)) != counts:
            raise ValueError(f"{self._rnn_mode} with {self._num_layers} layers, direction {self._direction} and num_proj {self._num_proj} "
                             f"expects {counts[0]} weights and {counts[1]} biases, but got {len(weights)} and {len(biases)}")
        matrices, vectors = ([self._array(f"{name}[{k}]", value) for k, value in enumerate(values)]
                             for name, values in (("weights", weights), ("biases", biases)))
        for k in range(per_layer - 1, len(matrices) if rows else 0, per_layer):
            if matrices[k].size != rows * self._num_units:
                raise ValueError(f"weight {k}, a projection, must have {rows * self._num_units} elements ({rows} x {self._num_units}), "
                                 f"but has shape {matrices[k].shape}")
        stack = _params.from_canonical(matrices, vectors, self._rnn_mode, self._direction, self._input_size, self._num_units,
                                       skip_input=self._skips)
        return _like(_params.to_opaque(stack), weights[0])

    def _stack(self, flat: Any) -> _params.Stack:
        return _params.from_opaque(flat, self._rnn_mode, self._direction, self._input_size, self._num_units,
                                   self._num_layers, projection=self._num_proj or 0, skip_input=self._skips)


class CudnnLSTM(_CudnnRNN):
    """LSTM layers."""

    _rnn_mode = CUDNN_LSTM
    _NUM_PARAMS_PER_LAYER = CUDNN_LSTM_PARAMS_PER_LAYER

    def __call__(self, input_data: Any, input_h: Any, input_c: Any, params: Any, is_training: bool = True,
                 sequence_lengths: Any = None, time_major: bool = True) -> Tuple[Any, ...]:
        """output [T, B, D*P], output_h [L*D, B, P] and output_c [L*D, B, H]; `input_data` is [T, B, I]. P is `num_proj`, or H without a
        projection. `sequence_lengths` are integers [B] in [0, T]: layers read no later steps, whose results are zero. The final states
        of length 0 are the initial ones. With `time_major=False`, all tensors but `params` have B first: [B, T, I], [B, L*D, P]."""
        return self._call(input_data, input_h, input_c, params, is_training, sequence_lengths, time_major)


class _CudnnRNNNoInputC(_CudnnRNN):
    def __call__(self, input_data: Any, input_h: Any, params: Any, is_training: bool = True, sequence_lengths: Any = None,
                 time_major: bool = True) -> Tuple[Any, ...]:
        """output [T, B, D*H] and output_h [L*D, B, H]; `input_data` is [T, B, I]. The other arguments are those of CudnnLSTM."""
        return self._call(input_data, input_h, None, params, is_training, sequence_lengths, time_major)


class CudnnGRU(_CudnnRNNNoInputC):
    """GRU layers."""

    _rnn_mode = CUDNN_GRU
    _NUM_PARAMS_PER_LAYER = CUDNN_GRU_PARAMS_PER_LAYER


class CudnnRNNTanh(_CudnnRNNNoInputC):
    """Plain layers with tanh."""

    _rnn_mode = CUDNN_RNN_TANH
    _NUM_PARAMS_PER_LAYER = CUDNN_RNN_TANH_PARAMS_PER_LAYER


class CudnnRNNRelu(_CudnnRNNNoInputC):
    """Plain layers with max(a, 0)."""

    _rnn_mode = CUDNN_RNN_RELU
    _NUM_PARAMS_PER_LAYER = CUDNN_RNN_RELU_PARAMS_PER_LAYER


def _addresses(arrays: Mapping[str, Any]) -> _plan.Addresses:
    return {name: array.ctypes.data for name, array in arrays.items()}


def _run(function: _runtime.Function, arrays: Mapping[str, Any]) -> None:
    operands = [arrays[argument.name] for argument in function.inputs]
    function([a.ctypes.data for a in operands], [a.shape for a in operands])


def _aligned_bytes(size: int) -> Any:
    """Memory aligned to 64 bytes: a reserve space needs 16."""
    memory = np.zeros(size + 63, np.int8)
    start = -memory.ctypes.data % 64
    return memory[start:start + size]


def _like(array: Any, example: Any) -> Any:
    return _dlpack.array_like(array, example)
