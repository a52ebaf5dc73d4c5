# _formats.py - files with parameters of recurrent layers, each read and written by its own library.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Readers and writers of parameter files. Libraries other than NumPy are imported when a format needs them."""

from __future__ import annotations

import dataclasses
import os
import pickle
import re
import tempfile
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from . import _keras_files, _layers, params
from ._hints import FormatError, Hints, library, mode_of_gates
from .params import Stack


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
            raise FormatError(f"{path} has no array `{name}`: it is incomplete, or was not written by rnn-params. Variables of TensorFlow "
                              "are --from=tensorflow")
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
    return mode_of_gates(state[name].shape[0] / max(size, 1), hints, "nn.RNN")


def _read_torch(path: str, hints: Hints) -> Stack:
    torch = library("torch", "torch")
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
        return _bfloat16(tensor.view(library("torch", "torch").int16).numpy())
    return tensor.numpy()


def _bfloat16(bits: Any) -> Any:
    return bits.view(library("ml_dtypes", "bfloat16").bfloat16)


def _write_torch(path: str, stack: Stack, hints: Hints) -> None:
    torch = library("torch", "torch")

    def convert(array: Any) -> Any:
        if array.dtype.name == "bfloat16":
            return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
        return torch.from_numpy(np.array(array))

    torch.save({name: convert(array) for name, array in params.to_torch(stack, hints.prefix).items()}, path)


def _read_safetensors(path: str, hints: Hints) -> Stack:
    with library("safetensors", "safetensors").safe_open(path, framework="numpy") as file:
        stated = (file.metadata() or {}).get("mode")  # in files that rnn-params wrote
    state = library("safetensors.numpy", "safetensors").load_file(path)
    if stated in ("rnn_tanh", "rnn_relu"):
        if hints.mode not in (None, stated):
            raise FormatError(f"{path} states that its layers are {stated}, but --mode={hints.mode} is given; leave it out")
        hints = dataclasses.replace(hints, mode=stated)
    return params.from_torch(state, _mode_of_torch(state, hints), hints.prefix)


def _write_safetensors(path: str, stack: Stack, hints: Hints) -> None:
    library("safetensors.numpy", "safetensors").save_file(
        params.to_torch(stack, hints.prefix), path, metadata={"mode": stack.mode, "direction": stack.direction})


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
        refuse("linear_before_reset = 0", "which resets the state before its GEMM. These layers do not have it")
    known = _ONNX_ACTIVATIONS[node.op_type]
    given = [name.decode().lower() for name in attributes.get("activations", [])] or known[0]
    if given not in [functions * count for functions in known for count in (1, 2)]:
        refuse(f"the activations {', '.join(given)}")
    plain = "rnn_relu" if given[0] == "relu" else "rnn_tanh"
    return {"LSTM": "lstm", "GRU": "gru"}.get(node.op_type, plain)


#: The nodes between two layers that only rearrange what the second one reads. Dropout computes nothing in inference.
_ONNX_TRANSPARENT = ("Cast", "Dropout", "Identity", "Reshape", "Squeeze", "Transpose")


def _check_onnx_chain(graph: Any, nodes: List[Any]) -> None:
    """Raises FormatError unless each node reads the outputs of the one before."""
    producers = {name: node for node in graph.node for name in node.output}
    for first, last in zip(nodes, nodes[1:]):
        name = last.input[0]
        while name in producers and producers[name].op_type in _ONNX_TRANSPARENT:
            name = producers[name].input[0]
        if name != first.output[0]:
            raise FormatError(f"node `{last.name}` ({last.op_type}) does not read the outputs of `{first.name}` alone, so that they are no "
                              "stack of layers; choose some by the start of their names: " +
                              ", ".join(f"--prefix={node.name}" for node in nodes))


def _read_onnx(path: str, hints: Hints) -> Stack:
    onnx = library("onnx", "onnx")
    graph = onnx.load(path).graph
    tensors = _onnx_constants(onnx, graph)
    layers = [node for node in graph.node if node.op_type in ("LSTM", "GRU", "RNN")]
    nodes = [node for node in layers if node.name.startswith(hints.prefix)]
    if not nodes:
        there = ", ".join(f"--prefix={node.name}" for node in layers)
        raise FormatError(f"{path} has no node LSTM, GRU or RNN" + (f" whose name begins with `{hints.prefix}`; it has {there}"
                                                                    if layers else ""))
    if len({node.op_type for node in nodes}) > 1:
        raise FormatError(f"{path} has nodes of several kinds; choose some by the start of their names: --prefix")
    _check_onnx_chain(graph, nodes)
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
    onnx = library("onnx", "onnx")
    helper, initializers, nodes, x = onnx.helper, [], [], "x"
    element = helper.np_dtype_to_tensor_dtype(stack.dtype)
    for k, arrays in enumerate(params.to_onnx(stack)):
        names = [f"{hints.prefix}{name}_{k}" for name in ("W", "R", "B")]
        initializers += [onnx.numpy_helper.from_array(np.ascontiguousarray(array, stack.dtype), name)
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


def _checkpoint(path: str) -> str:
    """The prefix of the files of a checkpoint, whose index may be given."""
    return path[:-len(".index")] if path.endswith(".index") else path


def _variables_of(path: str, names: List[str], hints: Hints) -> List[str]:
    """The names of variables below a prefix. Raises FormatError, with the prefixes of the file, if there are no layers."""
    scope = f"{hints.prefix.rstrip('/')}/" if hints.prefix else ""
    found = (re.match(r"((?:.*?/)?)(?:rnn/multi_rnn_cell|stack_bidirectional_rnn)/cell_\d+/", name) for name in names)
    scopes = list(dict.fromkeys(match[1] for match in found if match))
    if scopes and scope not in scopes:
        there = ", ".join(f"--prefix={other}" if other else "layers without --prefix" for other in scopes)
        raise FormatError(f"{path} has no layers {f'below `{scope}`' if scope else 'without --prefix'}; it has {there}")
    return [name for name in names if name.startswith(scope)]


def _read_tensorflow(path: str, hints: Hints) -> Stack:
    """A checkpoint, or a file of NumPy with its variables, as the saveables of rnn_mlir.cudnn_rnn write it."""
    if path.endswith(".npz"):
        arrays = _read_archive(path)
        variables = {name: arrays[name] for name in _variables_of(path, list(arrays), hints)}
    else:
        reader = library("tensorflow", "tensorflow").train.load_checkpoint(_checkpoint(path))
        names = list(reader.get_variable_to_shape_map())
        if any(name.endswith(".ATTRIBUTES/VARIABLE_VALUE") for name in names):
            raise FormatError(f"{path} has the objects of tf.train.Checkpoint or of a SavedModel, whose names do not state the layers; save a "
                              "Keras model as .keras")
        variables = {name: reader.get_tensor(name) for name in _variables_of(path, names, hints)}
    cells = {mode for mode, cell in params.TENSORFLOW_CELLS.items() if any(f"/{cell}/" in name for name in variables)}
    mode = hints.mode if hints.mode in cells or len(cells) != 1 else next(iter(cells))  # `Hints.check` reports another mode
    if mode is None:
        raise FormatError(f"{path} has no layers with `cudnn_compatible_lstm_cell`, `cudnn_compatible_gru_cell` or `basic_rnn_cell` in the "
                          f"names of their variables; it has {', '.join(list(variables)[:8]) or 'none'}" if not cells else
                          f"{path} has plain cells, whose function it does not state; give --mode=rnn_tanh or --mode=rnn_relu"
                          if cells == {"rnn_tanh", "rnn_relu"} else
                          f"{path} has cells of several kinds ({', '.join(sorted(cells))}); give --mode")
    is_both = any("bidirectional_rnn" in name for name in variables)
    return params.from_tensorflow(variables, mode, "bidirectional" if is_both else "unidirectional",
                                  hints.prefix.rstrip("/"))


def _write_tensorflow(path: str, stack: Stack, hints: Hints) -> None:
    variables = params.to_tensorflow(stack, hints.prefix.rstrip("/"))
    if path.endswith(".npz"):
        with open(path, "wb") as file:
            np.savez(file, **variables)
        return
    tf = library("tensorflow", "tensorflow")
    tf.raw_ops.SaveV2(prefix=_checkpoint(os.path.abspath(path)), tensor_names=list(variables),
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
    "keras": (_keras_files.read, _keras_files.write, (".keras", ".h5", ".hdf5")),
    "onnx": (_read_onnx, _write_onnx, (".onnx",)),
    "tensorflow": (_read_tensorflow, _write_tensorflow, (".ckpt", ".index")),
}


def guess(path: str) -> str:
    """The format of a file by its name."""
    for name, (_, _, endings) in FORMATS.items():
        if path.endswith(endings):
            return name
    raise FormatError(f"the ending of `{path}` names no format; state one of {', '.join(FORMATS)}")


#: The formats whose arrays have no names, or always the same: a prefix would have no effect.
_READ_WITHOUT_PREFIX = ("canonical", "opaque", "jax")
_WRITTEN_WITHOUT_PREFIX = (*_READ_WITHOUT_PREFIX, "keras")


def _check_input(path: str) -> None:
    """Raises for what is no file, which each library reports in its own way."""
    if path == "-":
        raise FormatError("the standard input cannot be read; give the path of a file")
    if os.path.isdir(path):
        is_saved = os.path.exists(os.path.join(path, "saved_model.pb"))
        raise FormatError(f"{path} is a folder; expected the path of a file" +
                          (". The names in a SavedModel do not state the layers: save the Keras model as .keras" if is_saved else ""))
    if os.path.exists(path) and not os.path.isfile(path):
        raise FormatError(f"{path} cannot be read: it is a pipe or a device; expected the path of a file")
    if not os.path.exists(path) and not os.path.exists(path + ".index"):  # the files of a checkpoint have longer names
        raise FileNotFoundError(f"{path} cannot be read: there is no such file")


def read(path: str, form: Optional[str] = None, hints: Optional[Hints] = None) -> Stack:
    """The layers of a file."""
    _check_input(path)
    form = form or guess(path)
    hints = hints or Hints()
    if hints.prefix and form in _READ_WITHOUT_PREFIX:
        raise FormatError(f"{path}: files of format {form} hold one stack of layers, which needs no --prefix; leave it out")
    try:
        stack = FORMATS[form][0](path, hints)
        if form not in ("opaque", "jax"):  # which state nothing
            hints.check(path, stack)
        return stack
    except MemoryError:
        raise
    except (OSError, ValueError) as error:
        if path in str(error):
            raise
        raise (OSError if isinstance(error, OSError) else FormatError)(f"{path}: {error}") from error
    except Exception as error:  # each library has its own exceptions for damaged files
        raise FormatError(f"{path} cannot be read as {form}: {type(error).__name__}: {error}") from error


def _check_output(path: str, files: List[str]) -> None:
    """Raises for files that must not be replaced."""
    for file in files:
        if os.path.exists(file) and not os.path.isfile(file):  # it would be replaced, also if it is a device
            raise FormatError(f"{path} cannot be written: it is no regular file; expected the path of a file")
        if os.path.exists(file) and not os.stat(file).st_mode & 0o222:
            raise FormatError(f"{path} cannot be written: it is read-only; change its permissions or remove it")
    folder = os.path.dirname(files[0])
    if not os.path.isdir(folder):
        raise FormatError(f"{path} cannot be written: there is no folder {folder}")


def write(path: str, stack: Stack, form: Optional[str] = None, hints: Optional[Hints] = None) -> None:
    """Writes layers to a file, which is replaced as a whole: an error leaves an existing file unchanged."""
    if path == "-":
        raise FormatError("the standard output cannot be written; give the path of a file")
    form = form or guess(path)
    hints = hints or Hints()
    if hints.prefix and form in _WRITTEN_WITHOUT_PREFIX:
        raise FormatError(f"{path} cannot be written: names in files of format {form} have no prefix; leave --to-prefix out")
    target = real = os.path.realpath(_checkpoint(path) if form == "tensorflow" else path)
    is_checkpoint = form == "tensorflow" and not path.endswith(".npz")
    _check_output(path, [real + ".index", real + ".data-00000-of-00001"] if is_checkpoint else [real])
    try:
        with tempfile.TemporaryDirectory(dir=os.path.dirname(real), prefix=".rnn-params-") as folder:
            target = os.path.join(folder, os.path.basename(real))
            FORMATS[form][1](target, stack, hints)
            for name in sorted(os.listdir(folder)):  # the data of a checkpoint before its index
                os.replace(os.path.join(folder, name), os.path.join(os.path.dirname(real), name))
    except MemoryError:
        raise
    except OSError as error:
        raise OSError(f"{path} cannot be written: {error.strerror or error}") from error
    except ValueError as error:
        if target not in str(error):
            raise
        raise FormatError(str(error).replace(target, path)) from error
    except Exception as error:  # each library has its own exceptions
        text = str(error).replace(target, path)
        raise FormatError(f"{path} cannot be written as {form}: {type(error).__name__}: {text}") from error
