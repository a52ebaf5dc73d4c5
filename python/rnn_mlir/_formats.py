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
    layers: Optional[int] = None
    projection: Optional[int] = None
    prefix: str = ""  #: of the names of tensors

    def need(self, *names: str) -> None:
        """Raises FormatError for values that are not given."""
        missing = [f"--{name.replace('_', '-')}" for name in names if getattr(self, name) is None]
        if missing:
            raise FormatError(f"a file of this format does not state all sizes; give {', '.join(missing)}, and --layers, "
                              "--direction and --projection if they are not 1, unidirectional and 0")

    def check(self, path: str, stack: Stack) -> None:
        """Raises FormatError for values that contradict a file."""
        projection = stack.output_size if stack.layers[0].projection is not None else 0
        for name, found in (("mode", stack.mode), ("direction", stack.direction), ("input_size", stack.input_size),
                            ("hidden_size", stack.hidden_size), ("layers", stack.num_layers), ("projection", projection)):
            given = getattr(self, name)
            if given is not None and given != found:
                raise FormatError(f"{path} has layers with {name.replace('_', ' ')} {found}, but "
                                  f"--{name.replace('_', '-')}={given} is given; leave it out")


def _library(name: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise FormatError(f"this format needs the package {name.partition('.')[0]}: pip install 'rnn-mlir[{extra}]' ({error})") from error


# -- NumPy: canonical arrays, and the flat layout ---------------------------------------------------------------------


def _read_archive(path: str) -> Dict[str, Any]:
    """The arrays of a file .npz by name."""
    found = np.load(path)
    if isinstance(found, np.ndarray):
        raise FormatError(f"{path} has one array without a name (.npy); expected arrays with names (.npz). A flat array is "
                          "--from=opaque")
    with found:
        return dict(found)


def _read_canonical(path: str, hints: Hints) -> Stack:
    """One array per matrix, with the configuration as text."""
    arrays = _read_archive(path)

    def take(name: str) -> Any:
        if name not in arrays:
            raise FormatError(f"{path} has no array `{name}`: it is incomplete, or was not written by rnn-params")
        return arrays[name]

    mode, direction = str(take("mode")), str(take("direction"))
    pseudo: List[params.PseudoLayer] = []
    while not pseudo or f"w.{len(pseudo)}" in arrays:
        k = len(pseudo)
        w, r, bw, br = (params.as_floats(take(f"{name}.{k}"), f"`{name}.{k}`") for name in ("w", "r", "bw", "br"))
        name = f"projection.{k}"
        pseudo.append(params.PseudoLayer(w, r, bw, br, params.as_floats(arrays[name], f"`{name}`") if name in arrays else None))
    return Stack(mode, direction, pseudo)


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
    layers, projection = 1 if hints.layers is None else hints.layers, hints.projection or 0
    assert hints.mode and hints.input_size is not None and hints.hidden_size is not None
    for option, value, least in (("input-size", hints.input_size, 1), ("hidden-size", hints.hidden_size, 1),
                                 ("layers", layers, 1), ("projection", projection, 0)):
        if value < least:
            raise FormatError(f"--{option}={value} must be at least {least}")
    if projection >= hints.hidden_size:
        raise FormatError(f"--projection={projection} must be less than --hidden-size={hints.hidden_size}; 0 is no projection")
    flat = np.load(path)
    if not isinstance(flat, np.ndarray):
        raise FormatError(f"{path} has arrays with names (.npz); expected one flat array (.npy). Arrays with names are "
                          "--from=canonical or --from=tensorflow")
    return params.from_opaque(params.as_floats(flat, path), hints.mode, hints.direction or "unidirectional", hints.input_size,
                              hints.hidden_size, layers, projection=projection)


def _write_opaque(path: str, stack: Stack, hints: Hints) -> None:
    with open(path, "wb") as file:
        np.save(file, params.to_opaque(stack))


# -- PyTorch ----------------------------------------------------------------------------------------------------------


def _mode_of_torch(state: Dict[str, Any], hints: Hints) -> str:
    """The mode by the ratio of rows to columns of the recurrent matrix; plain layers need a hint."""
    name = f"{hints.prefix}weight_hh_l0"
    if name not in state:
        found = [other[:-len("weight_hh_l0")] for other in state if other.endswith("weight_hh_l0")]
        if found:
            raise FormatError(f"there is no tensor `{name}`; the file has layers with "
                              f"{', '.join(f'--prefix={prefix}' for prefix in found)}")
        there = f"there are {', '.join(list(state)[:8])}" if state else "the file has no tensors"
        raise FormatError(f"there is no tensor `{name}`, or one whose name ends so; {there}")
    if len(state[name].shape) != 2:
        raise FormatError(f"`{name}` must be a matrix, but has shape {tuple(state[name].shape)}")
    hidden = state.get(f"{hints.prefix}weight_hr_l0")
    size = hidden.shape[1] if hidden is not None else state[name].shape[1]
    return _mode_of_gates(state[name].shape[0] / max(size, 1), hints, "nn.RNN")


def _mode_of_gates(gates: float, hints: Hints, plain: str) -> str:
    """The mode of a number of gates; `plain` names the layers with one, whose files do not state their function."""
    modes = [mode for mode, names in _layers.GATES.items() if len(names) == gates]
    if not modes:
        raise FormatError(f"the recurrent matrix has {gates:g} rows per element of the state; expected 1, 3 (gru) or 4 (lstm)")
    if hints.mode in modes or len(modes) == 1:  # `Hints.check` reports another mode
        return modes[0] if len(modes) == 1 else str(hints.mode)
    raise FormatError(f"{plain} does not store its function; give --mode=rnn_tanh or --mode=rnn_relu"
                      f"{f', instead of {hints.mode}' if hints.mode else ''}")


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
    with _library("safetensors", "safetensors").safe_open(path, framework="numpy") as file:
        stated = (file.metadata() or {}).get("mode")  # in files that rnn-params wrote
    state = _library("safetensors.numpy", "safetensors").load_file(path)
    if stated in ("rnn_tanh", "rnn_relu"):
        if hints.mode not in (None, stated):
            raise FormatError(f"{path} states that its layers are {stated}, but --mode={hints.mode} is given; leave it out")
        hints = dataclasses.replace(hints, mode=stated)
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
    mode = _mode_of_gates(kernel.shape[1] / max(recurrent.shape[0], 1), hints, "SimpleRNN")
    return params.from_keras(arrays, mode, "bidirectional" if backward else "unidirectional")


def _write_keras(path: str, stack: Stack, hints: Hints) -> None:
    if path.endswith(".keras"):
        return _write_keras_model(path, stack)
    if path.endswith((".h5", ".hdf5")) and not path.endswith(".weights.h5"):
        raise FormatError(f"Keras reads `{path}` as a model of an older version, which is not written; expected a name that ends with "
                          "`.weights.h5` (weights) or `.keras` (a model)")
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
                data = group.create_dataset(str(index), data=array)
                if array.dtype.name == "bfloat16":  # as Keras, since HDF5 has no such type
                    data.attrs["dtype"] = "bfloat16"
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


#: The functions of each op that the layers have.
_ONNX_ACTIVATIONS = {"LSTM": (["sigmoid", "tanh", "tanh"],), "GRU": (["sigmoid", "tanh"],), "RNN": (["tanh"], ["relu"])}


def _onnx_constants(onnx: Any, graph: Any) -> Dict[str, Any]:
    """Initializers, and constants behind nodes, by name."""
    constants = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:  # a node follows those that it uses
        if node.op_type == "Constant":
            values = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            if "value" in values:
                constants[node.output[0]] = values["value"]
        elif node.op_type == "Identity" and node.input[0] in constants:
            constants[node.output[0]] = constants[node.input[0]]
    return constants


def _onnx_mode(node: Any, attributes: Dict[str, Any]) -> str:
    """The mode of a node. Raises FormatError for what the layers do not have."""
    def refuse(what: str, reason: str = "which these layers do not have") -> None:
        raise FormatError(f"node `{node.name}` ({node.op_type}) has {what}, {reason}")

    if attributes.get("direction", b"forward") == b"reverse":
        refuse("direction = reverse")
    if "clip" in attributes:
        refuse("a clip of its gates")
    if attributes.get("input_forget", 0):
        refuse("input_forget = 1")
    if node.op_type == "LSTM" and len(node.input) > 7 and node.input[7]:
        refuse(f"peepholes (`{node.input[7]}`)")
    if node.op_type == "GRU" and not attributes.get("linear_before_reset", 0):
        refuse("linear_before_reset = 0", "which resets the state before its product. These layers do not have it")
    known = _ONNX_ACTIVATIONS[node.op_type]
    given = [name.decode().lower() for name in attributes.get("activations", [])] or known[0]
    if given not in [functions * count for functions in known for count in (1, 2)]:
        refuse(f"the activations {', '.join(given)}")
    plain = "rnn_relu" if given[0] == "relu" else "rnn_tanh"
    return {"LSTM": "lstm", "GRU": "gru"}.get(node.op_type, plain)


def _read_onnx(path: str, hints: Hints) -> Stack:
    onnx = _library("onnx", "onnx")
    graph = onnx.load(path).graph
    tensors = _onnx_constants(onnx, graph)
    nodes = [node for node in graph.node if node.op_type in ("LSTM", "GRU", "RNN") and
             node.name.startswith(hints.prefix)]
    if not nodes:
        raise FormatError(f"{path} has no node LSTM, GRU or RNN whose name begins with `{hints.prefix}`")
    if len({node.op_type for node in nodes}) > 1:
        raise FormatError(f"{path} has nodes of several kinds; choose some by the start of their names: --prefix")
    found, modes = [], []
    for node in nodes:
        modes.append(_onnx_mode(node, {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}))
        names = [*list(node.input)[1:4], "", ""][:3]
        for name in names:
            if name and name not in tensors:
                raise FormatError(f"node `{node.name}` ({node.op_type}) has the weights `{name}`, which are neither an "
                                  "initializer nor a constant of the graph; fold the constants first")
        values = [onnx.numpy_helper.to_array(tensors[name]) if name else None for name in names]
        found.append((values[0], values[1], values[2]))
    if len(set(modes)) > 1:
        raise FormatError(f"{path} has nodes RNN with tanh and with relu; choose some by the start of their names: --prefix")
    return params.from_onnx(found, modes[0])


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
        variables = _read_archive(path)
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
    hints = hints or Hints()
    try:
        stack = FORMATS[form][0](path, hints)
        if form not in ("opaque", "jax"):  # which state nothing
            hints.check(path, stack)
        return stack
    except (OSError, ValueError, MemoryError):
        raise
    except Exception as error:  # each library has its own exceptions for damaged files
        raise FormatError(f"{path} cannot be read as {form}: {type(error).__name__}: {error}") from error


def write(path: str, stack: Stack, form: Optional[str] = None, hints: Optional[Hints] = None) -> None:
    """Writes layers to a file, which is replaced as a whole: an error leaves an existing file unchanged."""
    form = form or guess(path)
    writer, hints = FORMATS[form][1], hints or Hints()

    def run(target: str) -> None:
        try:
            writer(target, stack, hints)
        except (OSError, ValueError, MemoryError):
            raise
        except Exception as error:  # each library has its own exceptions
            raise FormatError(f"{given} cannot be written as {form}: {type(error).__name__}: {error}") from error

    given = path
    if form == "tensorflow" and not path.endswith(".npz"):  # several files
        return run(path)
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):  # it would be replaced, also if it is a device
        raise FormatError(f"{given} cannot be written: it is no regular file; expected the path of a file")
    if not os.path.isdir(os.path.dirname(path)):
        raise FormatError(f"{given} cannot be written: there is no folder {os.path.dirname(path)}")
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path), prefix=".rnn-params-") as folder:
        temporary = os.path.join(folder, os.path.basename(path))
        run(temporary)
        os.replace(temporary, path)
    return None
