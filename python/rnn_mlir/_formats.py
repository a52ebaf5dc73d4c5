# _formats.py - files with parameters of recurrent layers, each read and written by its own library.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Readers and writers of parameter files. Libraries other than NumPy are imported when a format needs them."""

from __future__ import annotations

import dataclasses
import importlib
import io
import os
import pickle
import re
import tempfile
import zipfile
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from . import _layers, params
from .params import Stack


class FormatError(ValueError):
    """A file that is not what its format says, or a library that is missing."""


@dataclasses.dataclass
class Hints:
    """What a file may not say about its layers."""

    mode: Optional[str] = None
    direction: Optional[str] = None
    input_size: Optional[int] = None
    hidden_size: Optional[int] = None
    layers: int = 1
    projection: int = 0
    prefix: str = ""  #: of the names of tensors

    def need(self, *names: str) -> None:
        """Raises FormatError for values that are not given."""
        missing = [f"--{name.replace('_', '-')}" for name in names if getattr(self, name) is None]
        if missing:
            raise FormatError(f"a file of this format does not state all sizes; give {', '.join(missing)}, and --layers, "
                              "--direction and --projection if they are not 1, unidirectional and 0")


def _library(name: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise FormatError(f"this format needs the package {name.partition('.')[0]}: pip install 'rnn-mlir[{extra}]' ({error})") from error


# -- NumPy: canonical arrays, and the flat layout ---------------------------------------------------------------------


def _read_canonical(path: str, hints: Hints) -> Stack:
    """One array per matrix, with the configuration as text."""
    with np.load(path) as file:
        names = set(file.files)
        if "mode" not in names:
            raise FormatError(f"{path} has no array `mode`: it was not written by rnn-params")
        pseudo: List[params.PseudoLayer] = []
        while f"w.{len(pseudo)}" in names:
            k = len(pseudo)
            projection = file[f"projection.{k}"] if f"projection.{k}" in names else None
            pseudo.append(params.PseudoLayer(file[f"w.{k}"], file[f"r.{k}"], file[f"bw.{k}"], file[f"br.{k}"],
                                             projection))
        return Stack(str(file["mode"]), str(file["direction"]), pseudo)


def _write_canonical(path: str, stack: Stack, hints: Hints) -> None:
    arrays: Dict[str, Any] = {"mode": np.array(stack.mode), "direction": np.array(stack.direction),
                              "gates": np.array(" ".join(_layers.GATES[stack.mode]))}
    for k, layer in enumerate(stack.layers):
        arrays.update({f"w.{k}": layer.w, f"r.{k}": layer.r, f"bw.{k}": layer.bw, f"br.{k}": layer.br})
        if layer.projection is not None:
            arrays[f"projection.{k}"] = layer.projection
    with open(path, "wb") as file:
        np.savez(file, **arrays)


def _read_opaque(path: str, hints: Hints) -> Stack:
    hints.need("mode", "input_size", "hidden_size")
    assert hints.mode and hints.input_size and hints.hidden_size
    return params.from_opaque(np.load(path), hints.mode, hints.direction or "unidirectional", hints.input_size,
                              hints.hidden_size, hints.layers, projection=hints.projection)


def _write_opaque(path: str, stack: Stack, hints: Hints) -> None:
    with open(path, "wb") as file:
        np.save(file, params.to_opaque(stack))


# -- PyTorch ----------------------------------------------------------------------------------------------------------


def _mode_of_torch(state: Dict[str, Any], hints: Hints) -> str:
    """The mode by the ratio of rows to columns of the recurrent matrix; plain layers need a hint."""
    if hints.mode:
        return hints.mode
    name = f"{hints.prefix}weight_hh_l0"
    if name not in state:
        found = [other[:-len("weight_hh_l0")] for other in state if other.endswith("weight_hh_l0")]
        if found:
            raise FormatError(f"there is no tensor `{name}`; the file has layers with "
                              f"{', '.join(f'--prefix={prefix}' for prefix in found)}")
        there = f"there are {', '.join(list(state)[:8])}" if state else "the file has no tensors"
        raise FormatError(f"there is no tensor `{name}`, or one whose name ends so; {there}")
    hidden = state.get(f"{hints.prefix}weight_hr_l0")
    size = hidden.shape[1] if hidden is not None else state[name].shape[1]
    mode = {4: "lstm", 3: "gru"}.get(state[name].shape[0] // size)
    if not mode:
        raise FormatError("nn.RNN does not store its function; give --mode=rnn_tanh or --mode=rnn_relu")
    return mode


def _read_torch(path: str, hints: Hints) -> Stack:
    torch = _library("torch", "torch")
    try:
        loaded = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise FormatError(f"{path} holds Python objects, such as a whole module, or is damaged; save the module's "
                          "`state_dict()`") from error
    state: Dict[str, Any] = {}

    def collect(value: Any, name: str) -> None:
        if hasattr(value, "detach"):
            state[name] = _from_torch_tensor(value)
        elif isinstance(value, dict):  # a checkpoint with the state dict in it
            for key, item in value.items():
                collect(item, f"{name}.{key}" if name else str(key))
    if not isinstance(loaded, dict):
        raise FormatError(f"{path} holds a {type(loaded).__name__}; expected a state dict, or a dictionary that contains one")
    collect(loaded, "")
    return params.from_torch(state, _mode_of_torch(state, hints), hints.prefix)


def _from_torch_tensor(tensor: Any) -> Any:
    tensor = tensor.detach().contiguous()
    if str(tensor.dtype) == "torch.bfloat16":
        return _bfloat16(tensor.view(_library("torch", "torch").int16).numpy())
    return tensor.numpy()


def _bfloat16(bits: Any) -> Any:
    return bits.view(_library("ml_dtypes", "bfloat16").bfloat16)


def _write_torch(path: str, stack: Stack, hints: Hints) -> None:
    torch = _library("torch", "torch")

    def convert(array: Any) -> Any:
        if array.dtype.name == "bfloat16":
            return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
        return torch.from_numpy(np.array(array))

    torch.save({name: convert(array) for name, array in params.to_torch(stack, hints.prefix).items()}, path)


def _read_safetensors(path: str, hints: Hints) -> Stack:
    state = _library("safetensors.numpy", "safetensors").load_file(path)
    return params.from_torch(state, _mode_of_torch(state, hints), hints.prefix)


def _write_safetensors(path: str, stack: Stack, hints: Hints) -> None:
    _library("safetensors.numpy", "safetensors").save_file(
        params.to_torch(stack, hints.prefix), path, metadata={"mode": stack.mode, "direction": stack.direction})


# -- Keras ------------------------------------------------------------------------------------------------------------


def _vars(group: Any) -> List[Any]:
    """The arrays 0, 1, 2, ... of a group `vars` of Keras 3."""
    return [np.array(group[str(k)]) for k in range(len(group))]


def _find_cells(group: Any, path: str = "") -> Dict[str, List[Any]]:
    """The variables of all cells below a group, by path. A file of Keras 3 numbers the variables of a cell; an older file
    of a whole model (.h5) names them."""
    found: Dict[str, List[Any]] = {}
    names = {name.partition(":")[0]: name for name in group}
    if "recurrent_kernel" in names:
        found[path] = [np.array(group[names[n]]) for n in ("kernel", "recurrent_kernel", "bias") if n in names]
        return found
    for name, child in group.items():
        if hasattr(child, "items"):
            if name == "vars" and path.endswith("cell") and len(child) >= 2:
                found[path] = _vars(child)
            found.update(_find_cells(child, f"{path}/{name}".strip("/")))
    return found


def _natural(path: str) -> List[Any]:
    """A key that sorts lstm_2 before lstm_10, and lstm before both."""
    return [[int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)] for name in path.split("/")]


def _is_backward(path: str) -> bool:
    return any(name.startswith("backward") for name in path.split("/"))


def _read_keras(path: str, hints: Hints) -> Stack:
    """The weights file of Keras 3 (.weights.h5), the one in a model (.keras), or a model of older versions (.h5)."""
    h5py = _library("h5py", "keras")
    source: Any = path
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            source = io.BytesIO(archive.read("model.weights.h5"))
    with h5py.File(source, "r") as file:
        root = file["model_weights"] if "model_weights" in file else file
        cells = {name: arrays for name, arrays in _find_cells(root).items() if name.startswith(hints.prefix)}
        # Models of older versions state the order of their layers.
        order = [n.decode() if isinstance(n, bytes) else n for n in root.attrs.get("layer_names", [])]
    if not cells:
        raise FormatError(f"{path} has no recurrent cell below `{hints.prefix}`")

    def position(name: str) -> Tuple[Any, ...]:
        first = name.partition("/")[0]
        return (order.index(first) if first in order else -1, _natural(name))

    ordered = sorted(cells, key=position)
    forward, backward = ([n for n in ordered if _is_backward(n) == side] for side in (False, True))
    if backward and len(backward) != len(forward):
        raise FormatError(f"{path} has {len(forward)} cells in forward and {len(backward)} in backward direction; choose "
                          "some by the start of their paths: --prefix")
    arrays = [cells[name] for pair in (zip(forward, backward) if backward else zip(forward)) for name in pair]
    kernel, recurrent = arrays[0][:2]
    gates = {4: "lstm", 3: "gru"}.get(kernel.shape[1] // recurrent.shape[0])
    mode = hints.mode or gates
    if not mode:
        raise FormatError("SimpleRNN does not store its function here; give --mode=rnn_tanh or --mode=rnn_relu")
    return params.from_keras(arrays, mode, "bidirectional" if backward else "unidirectional")


def _write_keras(path: str, stack: Stack, hints: Hints) -> None:
    if path.endswith(".keras"):
        return _write_keras_model(path, stack)
    h5py = _library("h5py", "keras")
    names = {"lstm": "lstm", "gru": "gru"}.get(stack.mode, "simple_rnn")
    with h5py.File(path, "w") as file:
        for k, arrays in enumerate(params.to_keras(stack)):
            number, is_backward = stack.name(k)
            layer = names + (f"_{number}" if number else "")
            if stack.directions == 2:
                wrapper = "bidirectional" + (f"_{number}" if number else "")
                layer = f"{wrapper}/{'backward' if is_backward else 'forward'}_layer"
            group = file.create_group(f"layers/{layer}/cell/vars")
            for index, array in enumerate(arrays):
                group.create_dataset(str(index), data=array)
    return None


def _write_keras_model(path: str, stack: Stack) -> None:
    """A model of the layers, built and saved by Keras."""
    keras = _library("keras", "keras")
    kind = {"lstm": keras.layers.LSTM, "gru": keras.layers.GRU}.get(stack.mode, keras.layers.SimpleRNN)
    options = {"activation": "relu"} if stack.mode == "rnn_relu" else {}
    model = keras.Sequential([keras.Input((None, stack.input_size), dtype=stack.dtype.name)])
    for _ in range(stack.num_layers):
        layer = kind(stack.hidden_size, return_sequences=True, dtype=stack.dtype.name, **options)
        model.add(keras.layers.Bidirectional(layer) if stack.directions == 2 else layer)
    arrays = [array for layer in params.to_keras(stack) for array in layer]
    model.set_weights(arrays)
    model.save(path)


# -- ONNX -------------------------------------------------------------------------------------------------------------

_ONNX_OPS = {"lstm": "LSTM", "gru": "GRU", "rnn_tanh": "RNN", "rnn_relu": "RNN"}


def _read_onnx(path: str, hints: Hints) -> Stack:
    onnx = _library("onnx", "onnx")
    graph = onnx.load(path).graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    nodes = [node for node in graph.node if node.op_type in ("LSTM", "GRU", "RNN") and
             node.name.startswith(hints.prefix)]
    if not nodes:
        raise FormatError(f"{path} has no node LSTM, GRU or RNN whose name begins with `{hints.prefix}`")
    if len({node.op_type for node in nodes}) > 1:
        raise FormatError(f"{path} has nodes of several kinds; choose some by the start of their names: --prefix")
    found, mode = [], ""
    for node in nodes:
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        mode = {"LSTM": "lstm", "GRU": "gru"}.get(node.op_type, "rnn_tanh")
        if node.op_type == "RNN" and attributes.get("activations", [b"Tanh"])[0].lower() == b"relu":
            mode = "rnn_relu"
        if node.op_type == "GRU" and not attributes.get("linear_before_reset", 0):
            raise FormatError(f"node `{node.name}` has linear_before_reset = 0: its reset gate comes before the "
                              "product, which these layers do not have")
        if attributes.get("direction", b"forward") == b"reverse":
            raise FormatError(f"node `{node.name}` runs in reverse only, which these layers do not")
        values = [onnx.numpy_helper.to_array(tensors[name]) if name else None
                  for name in [*list(node.input)[1:4], "", ""][:3]]
        found.append((values[0], values[1], values[2]))
    return params.from_onnx(found, mode)


def _write_onnx(path: str, stack: Stack, hints: Hints) -> None:
    onnx = _library("onnx", "onnx")
    helper, initializers, nodes, x = onnx.helper, [], [], "x"
    element = helper.np_dtype_to_tensor_dtype(stack.dtype)
    for k, arrays in enumerate(params.to_onnx(stack)):
        names = [f"{hints.prefix}{name}_{k}" for name in ("W", "R", "B")]
        initializers += [onnx.numpy_helper.from_array(np.ascontiguousarray(array), name)
                         for array, name in zip(arrays, names)]
        attributes: Dict[str, Any] = {"hidden_size": stack.hidden_size,
                                      "direction": "bidirectional" if stack.directions == 2 else "forward"}
        if stack.mode == "gru":
            attributes["linear_before_reset"] = 1
        if stack.mode == "rnn_relu":
            attributes["activations"] = ["Relu"] * stack.directions
        nodes.append(helper.make_node(_ONNX_OPS[stack.mode], [x, *names], [f"y_{k}"],
                                      name=f"{hints.prefix}layer_{k}", **attributes))
        # [T, D, B, H] to [T, B, D*H]
        nodes.append(helper.make_node("Transpose", [f"y_{k}"], [f"t_{k}"], perm=[0, 2, 1, 3]))
        nodes.append(helper.make_node("Reshape", [f"t_{k}", "shape"], [f"x_{k + 1}"]))
        x = f"x_{k + 1}"
    width = stack.directions * stack.hidden_size
    initializers.append(onnx.numpy_helper.from_array(np.array([0, 0, width], np.int64), "shape"))
    graph = helper.make_graph(nodes, "layers", [helper.make_tensor_value_info("x", element, ["T", "B",
                                                                                             stack.input_size])],
                              [helper.make_tensor_value_info(x, element, ["T", "B", width])], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8), path)


# -- TensorFlow -------------------------------------------------------------------------------------------------------


def _read_tensorflow(path: str, hints: Hints) -> Stack:
    """A checkpoint, or a file of NumPy with its variables, as the saveables of rnn_mlir.cudnn_rnn write it."""
    hints.need("mode")
    assert hints.mode
    if path.endswith(".npz"):
        with np.load(path) as file:
            variables = dict(file)
    else:
        reader = _library("tensorflow", "tensorflow").train.load_checkpoint(path)
        variables = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()
                     if name.startswith(hints.prefix)}
    is_both = any("bidirectional_rnn" in name for name in variables)
    return params.from_tensorflow(variables, hints.mode, "bidirectional" if is_both else "unidirectional",
                                  hints.prefix.rstrip("/"))


def _write_tensorflow(path: str, stack: Stack, hints: Hints) -> None:
    variables = params.to_tensorflow(stack, hints.prefix.rstrip("/"))
    if path.endswith(".npz"):
        with open(path, "wb") as file:
            np.savez(file, **variables)
        return
    tf = _library("tensorflow", "tensorflow")
    tf.raw_ops.SaveV2(prefix=os.path.abspath(path), tensor_names=list(variables),
                      shape_and_slices=[""] * len(variables),
                      tensors=[tf.constant(array) for array in variables.values()])


Reader = Callable[[str, Hints], Stack]
Writer = Callable[[str, Stack, Hints], None]

#: Reader, writer, and the endings of file names.
FORMATS: Dict[str, Tuple[Reader, Writer, Tuple[str, ...]]] = {
    "canonical": (_read_canonical, _write_canonical, (".npz",)),
    "opaque": (_read_opaque, _write_opaque, (".npy",)),
    "jax": (_read_opaque, _write_opaque, ()),
    "torch": (_read_torch, _write_torch, (".pt", ".pth")),
    "safetensors": (_read_safetensors, _write_safetensors, (".safetensors",)),
    "keras": (_read_keras, _write_keras, (".keras", ".h5", ".hdf5")),
    "onnx": (_read_onnx, _write_onnx, (".onnx",)),
    "tensorflow": (_read_tensorflow, _write_tensorflow, (".ckpt", ".index")),
}


def guess(path: str) -> str:
    """The format of a file by its name."""
    for name, (_, _, endings) in FORMATS.items():
        if path.endswith(endings):
            return name
    raise FormatError(f"the ending of `{path}` names no format; state one of {', '.join(FORMATS)}")


def read(path: str, form: Optional[str] = None, hints: Optional[Hints] = None) -> Stack:
    """The layers of a file."""
    form = form or guess(path)
    try:
        return FORMATS[form][0](path, hints or Hints())
    except (OSError, ValueError, MemoryError):
        raise
    except Exception as error:  # each library has its own exceptions for damaged files
        raise FormatError(f"{path} cannot be read as {form}: {type(error).__name__}: {error}") from error


def write(path: str, stack: Stack, form: Optional[str] = None, hints: Optional[Hints] = None) -> None:
    """Writes layers to a file, which is replaced as a whole: an error leaves an existing file unchanged."""
    form = form or guess(path)
    writer, hints = FORMATS[form][1], hints or Hints()
    if form == "tensorflow" and not path.endswith(".npz"):  # several files
        return writer(path, stack, hints)
    given, path = path, os.path.realpath(path)
    if not os.path.isdir(os.path.dirname(path)):
        raise FormatError(f"{given} cannot be written: there is no folder {os.path.dirname(path)}")
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path), prefix=".rnn-params-") as folder:
        temporary = os.path.join(folder, os.path.basename(path))
        writer(temporary, stack, hints)
        os.replace(temporary, path)
    return None
