# _cudnn_params.py - parameters of contrib's cudnn_rnn: checks of sizes, converters and saveables. Part of rnn_mlir.cudnn_rnn.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CudnnParamsFormatConverter* and Cudnn*Saveable, and the constants of contrib."""

from __future__ import annotations

import operator
import os
import zipfile
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

import numpy as np

from . import _dlpack, _errors, _layers, params as _params

CUDNN_RNN_UNIDIRECTION = "unidirectional"
CUDNN_RNN_BIDIRECTION = "bidirectional"
CUDNN_LSTM = "lstm"
CUDNN_GRU = "gru"
CUDNN_RNN_RELU = "rnn_relu"
CUDNN_RNN_TANH = "rnn_tanh"

# Half for the input of the cell, half for the hidden state.
CUDNN_LSTM_PARAMS_PER_LAYER = 8
CUDNN_GRU_PARAMS_PER_LAYER = 6
CUDNN_RNN_TANH_PARAMS_PER_LAYER = 2
CUDNN_RNN_RELU_PARAMS_PER_LAYER = 2

CUDNN_INPUT_LINEAR_MODE = "linear_input"
CUDNN_INPUT_SKIP_MODE = "skip_input"
CUDNN_INPUT_AUTO_MODE = "auto_select"


def integer(name: str, value: Any, least: int, end: int) -> int:
    """An integer in [least, end)."""
    number = None if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__") else value
    try:
        number = None if number is None else operator.index(number)
    except TypeError:  # an array of several elements
        number = None
    if number is None or not least <= number < end:
        kind = "a positive integer" if least == 1 else f"an integer in [{least}, {end})"
        raise ValueError(f"`{name}` must be {kind}, but got {value!r}")
    return int(number)


def check_layers(num_layers: Any, num_units: Any, input_size: Any, input_mode: str, direction: str) -> Tuple[int, int, int]:
    """The three sizes."""
    if direction not in (CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION):
        raise ValueError(f"Invalid direction: {direction}, expect {CUDNN_RNN_UNIDIRECTION} or "
                         f"{CUDNN_RNN_BIDIRECTION}")
    if input_mode not in (CUDNN_INPUT_LINEAR_MODE, CUDNN_INPUT_SKIP_MODE, CUDNN_INPUT_AUTO_MODE):
        raise ValueError(f"unknown input mode `{input_mode}`; expected linear_input, skip_input or auto_select")
    layers, units, inputs = (integer(name, value, 1, 2**63) for name, value in (
        ("num_layers", num_layers), ("num_units", num_units), ("input_size", input_size)))
    return layers, units, inputs


class CudnnParamsFormatConverter:
    """Converts between opaque parameters and the variables of TensorFlow's platform-independent cells ("tf canonical").

    These are one kernel and one bias for each layer and direction, and three for GRU: of the gates and of the candidate's two
    projections. As in contrib, biases of the input and the state become their sum, and two halves on the way back.
    """

    _rnn_mode = ""

    def __init__(self, num_layers: int, num_units: int, input_size: int, input_mode: str = CUDNN_INPUT_LINEAR_MODE,
                 direction: str = CUDNN_RNN_UNIDIRECTION) -> None:
        self._layers, self._units, self._inputs = check_layers(num_layers, num_units, input_size, input_mode, direction)
        if input_mode == CUDNN_INPUT_SKIP_MODE or (input_mode == CUDNN_INPUT_AUTO_MODE and input_size == num_units):
            raise ValueError("cells of TensorFlow always multiply their input, so that parameters of skip_input have no such form")
        self._direction = direction

    def shapes(self) -> Dict[str, Tuple[int, ...]]:
        """The shapes of the variables by their names in a checkpoint: weights, then biases."""
        weights: Dict[str, Tuple[int, ...]] = {}
        biases: Dict[str, Tuple[int, ...]] = {}
        units, directions = self._units, _layers.DIRECTIONS[self._direction]
        for layer in range(self._layers):
            width = self._inputs if layer == 0 else directions * units
            for is_backward in range(directions):
                prefix = _params.tensorflow_prefix(self._direction, self._rnn_mode, layer, bool(is_backward))
                parts = [("", width + units, len(_layers.GATES[self._rnn_mode]) * units)]
                if self._rnn_mode == CUDNN_GRU:
                    parts = [("gates/", width + units, 2 * units), ("candidate/input_projection/", width, units),
                             ("candidate/hidden_projection/", units, units)]
                for part, rows, columns in parts:
                    weights[f"{prefix}/{part}kernel"] = (rows, columns)
                    biases[f"{prefix}/{part}bias"] = (columns,)
        return {**weights, **biases}

    def opaque_to_tf_canonical(self, opaque_param: Any) -> Tuple[List[Any], List[Any]]:
        """Weights and biases, layer by layer and direction by direction."""
        flat = _params.as_floats(_to_numpy(opaque_param, "`opaque_param`"), "`opaque_param`")
        variables = self.to_variables(flat)
        values = [_dlpack.array_like(variables[name], opaque_param) for name in self.shapes()]
        return values[:len(values) // 2], values[len(values) // 2:]

    def tf_canonical_to_opaque(self, tf_canonicals: Iterable[Any]) -> Any:
        """The inverse of `opaque_to_tf_canonical`, of one list: weights, then biases."""
        values, names = list(tf_canonicals), list(self.shapes())
        if len(values) != len(names):
            raise ValueError(f"expects one list of {len(names) // 2} weights and {len(names) // 2} biases, but got {len(values)} values")
        variables = {name: _to_numpy(value, f"`tf_canonicals[{k}]`") for k, (name, value) in enumerate(zip(names, values))}
        return _dlpack.array_like(self.to_opaque(variables, "`tf_canonicals`"), values[0])

    def to_variables(self, flat: Any, scope: str = "") -> Dict[str, Any]:
        """The variables of a flat array by their names."""
        return _params.to_tensorflow(_params.from_opaque(flat, self._rnn_mode, self._direction, self._inputs, self._units,
                                                         self._layers), scope)

    def to_opaque(self, variables: Mapping[str, Any], source: str, scope: str = "") -> Any:
        """The flat array of variables, after a check of names and shapes. `source` is the subject of errors."""
        prefix = scope + "/" if scope else ""
        shapes = {prefix + name: shape for name, shape in self.shapes().items()}
        missing = [f"`{name}`" for name in shapes if name not in variables]
        if missing:
            raise ValueError(f"{source} has no variable {', '.join(missing)}; it has {', '.join(list(variables)[:8]) or 'none'}")
        values = {name: _params.as_floats(variables[name], f"`{name}` of {source}") for name in shapes}
        other = [f"`{name}` must have shape {shapes[name]}, but has {value.shape}" for name, value in values.items()
                 if value.shape != shapes[name]]
        if other:
            raise ValueError(f"{source} has variables of other layers: {'; '.join(other)}")
        layers = self._layers
        while any(name.startswith(prefix + _params.tensorflow_prefix(self._direction, self._rnn_mode, layers, False) + "/")
                  for name in variables):
            layers += 1
        if layers != self._layers:
            raise ValueError(f"{source} has the variables of {layers} layers, but num_layers is {self._layers}")
        return _params.to_opaque(_params.from_tensorflow(values, self._rnn_mode, self._direction, scope))


class CudnnParamsFormatConverterLSTM(CudnnParamsFormatConverter):
    """Parameters of CudnnLSTM. Gate order of the cells: input, candidate, forget, output."""

    _rnn_mode = CUDNN_LSTM


class CudnnParamsFormatConverterGRU(CudnnParamsFormatConverter):
    """Parameters of CudnnGRU."""

    _rnn_mode = CUDNN_GRU


class CudnnParamsFormatConverterTanh(CudnnParamsFormatConverter):
    """Parameters of CudnnRNNTanh."""

    _rnn_mode = CUDNN_RNN_TANH


class CudnnParamsFormatConverterRelu(CudnnParamsFormatConverter):
    """Parameters of CudnnRNNRelu."""

    _rnn_mode = CUDNN_RNN_RELU


def _to_numpy(value: Any, what: str) -> Any:
    return _dlpack.to_numpy(value, what, copies=True) if hasattr(value, "__dlpack__") else np.asarray(value)


class CudnnOpaqueParamsSaveable:
    """Opaque parameters that are saved as the variables of TensorFlow's platform-independent cells.

    `opaque_params` is a NumPy array, or anything with `__dlpack__` in host memory. `restore` writes to it; an array of JAX, which is
    immutable, it replaces by a new one. As in contrib, biases of the input and the state are saved as their sum, and restored as two
    halves.
    """

    _format_converter_cls = CudnnParamsFormatConverter

    def __init__(self, opaque_params: Any, num_layers: int, num_units: int, input_size: int,
                 input_mode: str = CUDNN_INPUT_LINEAR_MODE, direction: str = CUDNN_RNN_UNIDIRECTION,
                 scope: Optional[str] = None, name: str = "cudnn_rnn_saveable") -> None:
        self.format_converter = self._format_converter_cls(num_layers, num_units, input_size, input_mode, direction)
        self.name = name
        self._scope = scope or ""
        self._variable = opaque_params
        if not isinstance(opaque_params, np.ndarray) and not hasattr(opaque_params, "__dlpack__"):
            raise TypeError("`opaque_params` must be a NumPy array or have `__dlpack__`, since `restore` writes to it, but got "
                            f"{type(opaque_params).__name__}")
        self._array()

    def _array(self) -> Any:
        """The variable as an array of floats, on the same memory."""
        array = _dlpack.to_numpy(self._variable, "`opaque_params`")
        if array.dtype == np.uint16:  # no arithmetic on the bits of bf16
            raise _errors.InvalidArgument("`opaque_params` has elements of bf16, or of uint16; to save and restore bf16, "
                                           "install the package ml_dtypes", "INVALID_ARGUMENT")
        floats = _params.as_floats(array, "`opaque_params`")
        if not np.may_share_memory(floats, array) and array.size:
            raise _errors.InvalidArgument(f"`opaque_params` has elements of type {array.dtype.str}, whose byte order is that of "
                                           "another machine", "INVALID_ARGUMENT")
        return floats

    def tensors(self) -> Dict[str, Any]:
        """The variables by their names in a checkpoint."""
        return self.format_converter.to_variables(self._array(), self._scope)

    @property
    def specs(self) -> List[Tuple[str, Any]]:
        """Names and values, as the specs of a SaveableObject."""
        return list(self.tensors().items())

    def restore(self, tensors: Mapping[str, Any]) -> Any:
        """Writes variables to the opaque parameters, or for an immutable array to new ones, and returns these."""
        return self._restore(tensors, "the mapping")

    def _restore(self, tensors: Mapping[str, Any], source: str) -> Any:
        flat = self._array()
        is_new = _dlpack.is_immutable(self._variable)
        if not is_new and not flat.flags.writeable:
            raise _errors.InvalidArgument("`opaque_params` is read-only, but `restore` writes to it", "INVALID_ARGUMENT")
        values = self.format_converter.to_opaque(tensors, source, self._scope)
        if values.size != flat.size:
            raise ValueError(f"`opaque_params` must have {values.size} elements, but has {flat.size}")
        values = values.reshape(flat.shape)
        with np.errstate(over="ignore"):
            restored = values.astype(flat.dtype)
        overflows = np.isinf(restored) & np.isfinite(values)
        if overflows.any():
            raise ValueError(f"{source} has {int(overflows.sum())} values, such as {values[overflows][0]}, that "
                             f"`opaque_params` of type {flat.dtype} cannot hold; restore to a wider type")
        if is_new:
            self._variable = _dlpack.array_like(restored, self._variable)
        else:
            flat[...] = restored
        return self._variable

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes the variables to a file of NumPy (.npz)."""
        tensors = self.tensors()
        with open(path, "wb") as file:  # np.savez changes a name without .npz
            np.savez(file, **tensors)

    def load(self, path: "Union[str, os.PathLike[str]]") -> Any:
        """Restores the variables of a file that `save` wrote."""
        try:
            tensors = np.load(path)
        except (ValueError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"{os.fspath(path)} is no file that `save` wrote: {error}") from None
        if isinstance(tensors, np.ndarray):
            raise ValueError(f"{os.fspath(path)} is no file that `save` wrote: it has one array (.npy)")
        with tensors:
            return self._restore(tensors, os.fspath(path))


class CudnnLSTMSaveable(CudnnOpaqueParamsSaveable):
    """Parameters of CudnnLSTM."""

    _format_converter_cls = CudnnParamsFormatConverterLSTM


class CudnnGRUSaveable(CudnnOpaqueParamsSaveable):
    """Parameters of CudnnGRU."""

    _format_converter_cls = CudnnParamsFormatConverterGRU


class CudnnRNNTanhSaveable(CudnnOpaqueParamsSaveable):
    """Parameters of CudnnRNNTanh."""

    _format_converter_cls = CudnnParamsFormatConverterTanh


class CudnnRNNReluSaveable(CudnnOpaqueParamsSaveable):
    """Parameters of CudnnRNNRelu."""

    _format_converter_cls = CudnnParamsFormatConverterRelu
