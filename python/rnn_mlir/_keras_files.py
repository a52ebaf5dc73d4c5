# _keras_files.py - files of Keras with recurrent layers: which cells a file has, and what its configuration says about them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Readers and writers of Keras' files: models (.keras), weights (.weights.h5), and models of older versions (.h5)."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import warnings
import zipfile
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from . import params
from ._hints import FormatError, Hints, library, mode_of_gates
from .params import Stack

#: The layers between two recurrent ones that do not change what the second one reads in inference.
_TRANSPARENT = {"ActivityRegularization", "AlphaDropout", "Dropout", "GaussianDropout", "GaussianNoise", "Identity", "InputLayer",
                "Masking", "SpatialDropout1D"}
_MODES = {"LSTM": "lstm", "GRU": "gru", "SimpleRNN": ""}

# -- Variables --------------------------------------------------------------------------------------------------------


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
            if name == "vars" and re.search(r"cell(_\d+)?$", path) and len(child) >= 2:
                found[path] = _vars(child)
            found.update(_find_cells(child, f"{path}/{name}".strip("/")))
    return found


def _natural(path: str) -> List[Any]:
    """A key that sorts lstm_2 before lstm_10, and lstm before both."""
    return [[int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)] for name in path.split("/")]


def _current(path: str) -> str:
    """The path in files of Keras 3 for one in files .keras of Keras 2."""
    return path.replace("_layer_checkpoint_dependencies", "layers")


def _is_backward(path: str) -> bool:
    return any(name.startswith("backward") for name in path.split("/"))


# -- Configuration ----------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class _Layer:
    """A layer of the configuration that contains no others, or a wrapper."""

    path: str  #: of its variables in a file of Keras 3
    names: Tuple[str, ...]  #: its name behind those of the models that contain it: parts of the path in an older file
    kind: str  #: the name of its class
    config: Dict[str, Any]
    follows: bool  #: its input is the output of the layer in front of it in the list
    is_shared: bool = False  #: it is called several times, or a model that contains it is

    @property
    def label(self) -> str:
        return f"layer `{self.names[-1]}` ({self.kind})"


@dataclasses.dataclass
class _Cell:
    layer: _Layer
    path: str
    names: Tuple[str, ...]
    mode: str
    is_backward: bool = False
    backward_name: str = ""  #: of a layer of the user's for the backward direction, whose name need not begin with backward

    def has(self, path: str, is_keras3: bool) -> bool:
        """Whether this is the cell of a path in the file."""
        if is_keras3:
            return _current(path) == self.path
        rest = iter(path.split("/"))
        return all(name in rest for name in self.names) and (
            self.layer.kind != "Bidirectional" or
            (_is_backward(path) or self.backward_name in path.split("/")) == self.is_backward)


def _snake_case(name: str) -> str:
    """Keras' name of the variables of a class."""
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()


def _numbered(configs: List[Dict[str, Any]]) -> Iterator[Tuple[str, Dict[str, Any]]]:
    """The names of variables of the members of a list."""
    used: Dict[str, int] = {}
    for config in configs:
        name = _snake_case(config["class_name"])
        count = used.get(name, 0)
        used[name] = count + 1
        yield name + (f"_{count}" if count else ""), config


def _source(config: Dict[str, Any]) -> Any:
    """The name of the layer whose first output is the first argument of a layer in a functional model; None for several calls
    and for other arguments."""
    nodes = config.get("inbound_nodes", [])
    if len(nodes) != 1:
        return None
    first = nodes[0]
    first = first["args"][0] if isinstance(first, dict) else first[0]  # Keras 3, Keras 2
    if isinstance(first, dict):
        first = first.get("config", {}).get("keras_history")
    return first[0] if isinstance(first, list) and len(first) > 2 and first[2] == 0 else None


def _kind(config: Dict[str, Any]) -> str:
    """The name of a class. That of a class outside of Keras has its package or module in front."""
    name, module = str(config.get("registered_name") or config["class_name"]), str(config.get("module") or "keras")
    return name if ">" in name or module.partition(".")[0] in ("keras", "tf_keras", "tensorflow") else f"{module}>{name}"


def _layers(model: Dict[str, Any], path: str = "", names: Tuple[str, ...] = (), follows: bool = False,
            is_shared: bool = False) -> Iterator[_Layer]:
    """The layers of a model, those of models in it included, in Keras' order."""
    is_sequential, before, outputs = model["class_name"] == "Sequential", None, model["config"].get("output_layers")
    for key, child in _numbered(model["config"]["layers"]):
        name = child["config"].get("name") or child.get("name") or key  # a class without `get_config` states no name
        if before is not None and child["class_name"] != "InputLayer":
            follows = is_sequential or _source(child) == before
        here = f"{path}/layers/{key}".strip("/"), (*names, name)
        calls = len(child.get("inbound_nodes", []))
        if "layers" in child["config"]:
            yield from _layers(child, *here, follows, is_shared or calls > 1)
        else:
            yield _Layer(*here, _kind(child), child["config"], follows, is_shared or calls > 1)
        before = name
    if outputs and not is_sequential and before not in re.findall(r"'([^']*)'", str(outputs))[:1]:
        # What comes next in the list reads another output.
        yield _Layer(path, names or ("",), "Functional", {}, False)


def _function(value: Any) -> str:
    """The name of an activation."""
    while isinstance(value, dict):
        value = value.get("config") if isinstance(value.get("config"), str) else value.get("class_name")
    return str(value)


def _mode(layer: _Layer, kind: str, config: Dict[str, Any]) -> str:
    """The mode of a cell. Raises FormatError for what these layers do not have."""
    def refuse(what: str, expected: str) -> None:
        raise FormatError(f"{layer.label} has {what}, which the layers of this project do not have; expected {expected}")

    kind = kind[:-len("Cell")] if kind.endswith("Cell") else kind
    if kind not in _MODES:
        refuse(f"a cell of class {kind}", "LSTM, GRU or SimpleRNN")
    if kind == "GRU" and not config.get("reset_after"):
        refuse("reset_after=False", "reset_after=True")
    activation = _function(config.get("activation", "tanh"))
    if kind == "SimpleRNN":
        if activation not in ("tanh", "relu"):
            refuse(f"the activation {activation}", "tanh or relu")
        return f"rnn_{activation}"
    if activation != "tanh":
        refuse(f"the activation {activation}", "tanh")
    gates = _function(config.get("recurrent_activation", "sigmoid"))
    if gates != "sigmoid":
        refuse(f"the recurrent activation {gates}", "sigmoid")
    return _MODES[kind]


def _cells_of(layer: _Layer) -> Iterator[_Cell]:
    """The cells of a recurrent layer, none for other layers."""
    def refuse_reverse(config: Dict[str, Any], expected: bool) -> None:
        if bool(config.get("go_backwards")) != expected:
            raise FormatError(f"{layer.label} has go_backwards={not expected}, which the layers of this project do not have in this "
                              f"direction; expected {expected}")

    def cells(kind: str, config: Dict[str, Any], path: str) -> Iterator[_Cell]:
        if kind != "RNN":
            yield _Cell(layer, f"{path}/cell", layer.names, _mode(layer, kind, config))
            return
        cell = config["cell"]
        if cell["class_name"] != "StackedRNNCells":
            yield _Cell(layer, f"{path}/cell", layer.names, _mode(layer, _kind(cell), cell["config"]))
            return
        for key, one in _numbered(cell["config"]["cells"]):
            yield _Cell(layer, f"{path}/cell/cells/{key}", (*layer.names, one["config"]["name"]),
                        _mode(layer, _kind(one), one["config"]))

    config = layer.config
    if layer.kind in (*_MODES, "RNN"):
        refuse_reverse(config, False)
        yield from cells(layer.kind, config, layer.path)
    elif layer.kind == "Bidirectional":
        if config.get("merge_mode", "concat") != "concat":
            raise FormatError(f"{layer.label} has merge_mode={config['merge_mode']}; expected concat, since the layers of this project "
                              "return the outputs of both directions")
        forward = config["layer"]
        backward = config.get("backward_layer") or {**forward, "config": {**forward["config"], "go_backwards": True}}
        own_name = config["backward_layer"]["config"]["name"] if config.get("backward_layer") else ""
        for side, inner in (("forward", forward), ("backward", backward)):
            refuse_reverse(inner["config"], side == "backward")
            own = [dataclasses.replace(cell, is_backward=side == "backward", backward_name=own_name)
                   for cell in cells(_kind(inner), inner["config"], f"{layer.path}/{side}_layer")]
            if len(own) > 1:
                raise FormatError(f"{layer.label} has {len(own)} cells in each direction, of which the second reads one direction; the layers "
                                  "of this project read both")
            yield from own


def _check_chain(layers: List[_Layer], chosen: List[_Layer], prefixes: str) -> None:
    """Raises FormatError unless each of the chosen layers reads the outputs of the one before."""
    for layer in chosen if len(chosen) > 1 else []:
        if layer.is_shared:
            raise FormatError(f"{layer.label} is called several times, so that the layers are no stack; choose some by the start of "
                              f"their paths: {prefixes}")
    for first, last in zip(chosen, chosen[1:]):
        part = layers[layers.index(first) + 1:layers.index(last) + 1]
        for layer in part:
            if layer is not last and layer.kind not in _TRANSPARENT and layer.follows:
                raise FormatError(f"{layer.label} is between {first.label} and {last.label}, so that they are no stack of layers; choose "
                                  f"some by the start of their paths: {prefixes}")
        if not all(layer.follows for layer in part):
            raise FormatError(f"{last.label} does not read the outputs of {first.label} alone, so that they are no stack of layers; "
                              f"choose some by the start of their paths: {prefixes}")


def _configured(config: Dict[str, Any], found: List[str], chosen: List[str], is_keras3: bool) -> Optional[List[_Cell]]:
    """The configurations of the chosen cells, in the order of the model. None if the configuration has no layers, as that of a
    model that is a class of its own."""
    if "layers" not in config.get("config", {}):
        return None
    layers = list(_layers(config))
    owners: Dict[str, _Layer] = {}
    for path in found:
        owner = max((layer for layer in layers if _current(path).startswith(layer.path + "/")) if is_keras3 else
                    (layer for layer in layers if path.split("/")[0] == layer.names[0] and layer.names[-1] in path.split("/")),
                    key=lambda layer: len(layer.names), default=None)
        if owner is None:
            raise FormatError(f"the configuration of the model has no layer for the cell `{path}`")
        owners[path] = owner
    cells: List[_Cell] = []
    used = [layer for layer in layers if any(owners[path] is layer for path in chosen)]
    for layer in used:
        own = list(_cells_of(layer))
        for path in chosen:
            if owners[path] is layer and not any(cell.has(path, is_keras3) for cell in own):
                raise FormatError(f"{layer.label} is of a class whose computation is not known; expected LSTM, GRU, SimpleRNN, RNN or "
                                  "Bidirectional")
        for cell in own:
            at = next((path for path in chosen if owners[path] is layer and cell.has(path, is_keras3)), None)
            if at is not None:
                cells.append(dataclasses.replace(cell, path=at))
    _check_chain(layers, used, _prefixes(found, is_keras3))
    return cells


def _prefixes(paths: List[str], is_keras3: bool) -> str:
    """Options that choose one layer each; of a single layer, one cell each."""
    def layer_of(path: str) -> str:
        return re.sub(r"/((forward|backward)_layer/)?cell(/.*)?$", "", path) if is_keras3 else path.partition("/")[0]
    layers = list(dict.fromkeys(map(layer_of, paths)))
    return ", ".join(f"--prefix={path}/" for path in (layers if len(layers) > 1 else paths))


def _check_names(chosen: List[str], prefixes: str) -> None:
    """Raises FormatError unless the numbers in the paths of cells order them: without a configuration, nothing else does."""
    if len({re.sub(r"_?\d+", "", path.replace("backward", "forward")) for path in chosen}) > 1:
        raise FormatError(f"the file does not state the order of its layers; choose some by the start of their paths: {prefixes}")


# -- Files ------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Content:
    """What a file has."""

    config: Any  #: of the model; None in files of weights
    cells: Dict[str, List[Any]]  #: the arrays of each cell by its path
    found: List[str]  #: the paths in the order of the layers
    is_keras3: bool


def _content(path: str) -> _Content:
    h5py = library("h5py", "keras")
    source, config = path, None  # type: Tuple[Any, Any]
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in ("config.json", "model.weights.h5"):
                if name not in archive.namelist():
                    raise FormatError(f"{path} has no `{name}`: it is incomplete, or no model of Keras")
            source, config = io.BytesIO(archive.read("model.weights.h5")), json.loads(archive.read("config.json"))
    with h5py.File(source, "r") as file:
        is_keras3 = "model_weights" not in file
        root = file if is_keras3 else file["model_weights"]
        cells = _find_cells(root)
        if "model_config" in file.attrs:
            config = json.loads(file.attrs["model_config"])
        order = [n.decode() if isinstance(n, bytes) else n for n in root.attrs.get("layer_names", [])]  # of an older file
    found = sorted(cells, key=lambda path: (order.index(path.split("/")[0]) if path.split("/")[0] in order else 0, _natural(path)))
    return _Content(config, cells, found, is_keras3)


def _directions(path: str, content: _Content, chosen: List[str], prefixes: str) -> Tuple[List[str], List[str], Optional[str]]:
    """The paths of forward and of backward cells, and their mode if the file states it."""
    configured = None if content.config is None else _configured(content.config, content.found, chosen, content.is_keras3)
    mode: Optional[str] = None
    if configured is None:
        _check_names(chosen, prefixes)
        forward, backward = ([n for n in chosen if _is_backward(n) == side] for side in (False, True))
        warnings.warn(f"{path} does not state the activations, directions and connections of its layers: they are not checked",
                      stacklevel=4)
    else:
        forward, backward = ([cell.path for cell in configured if cell.is_backward == side] for side in (False, True))
        modes = sorted({cell.mode for cell in configured})
        if len(modes) > 1:
            raise FormatError(f"{path} has cells of several kinds ({', '.join(modes)}); choose some by the start of their paths: {prefixes}")
        mode = modes[0]
    if backward and len(backward) != len(forward):
        raise FormatError(f"{path} has {len(forward)} cells in forward and {len(backward)} in backward direction; choose "
                          f"some by the start of their paths: {prefixes}")
    return forward, backward, mode


def read(path: str, hints: Hints) -> Stack:
    """The layers of a file. Raises FormatError for configurations that these layers do not have; files of weights alone have none."""
    content = _content(path)
    prefixes = _prefixes(content.found, content.is_keras3)
    chosen = [name for name in content.found if f"{name}/".startswith(hints.prefix)]
    if not chosen:
        raise FormatError(f"{path} has no recurrent cell" + (f" below `{hints.prefix}`; it has {prefixes}" if content.found else ""))
    forward, backward, mode = _directions(path, content, chosen, prefixes)
    arrays = [content.cells[name] for pair in (zip(forward, backward) if backward else zip(forward)) for name in pair]
    kernel, recurrent = arrays[0][:2]
    mode = mode or mode_of_gates(kernel.shape[1] / max(recurrent.shape[0], 1), hints, "SimpleRNN")
    return params.from_keras(arrays, mode, "bidirectional" if backward else "unidirectional")


def write(path: str, stack: Stack, hints: Hints) -> None:
    if path.endswith(".keras"):
        return _write_model(path, stack)
    if path.endswith((".h5", ".hdf5")) and not path.endswith(".weights.h5"):
        raise FormatError(f"Keras reads `{path}` as a model of an older version, which is not written; expected a name that ends with "
                          "`.weights.h5` (weights) or `.keras` (a model)")
    h5py = library("h5py", "keras")
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


def _write_model(path: str, stack: Stack) -> None:
    """A model of the layers, built and saved by Keras."""
    keras = library("keras", "keras")
    kind = {"lstm": keras.layers.LSTM, "gru": keras.layers.GRU}.get(stack.mode, keras.layers.SimpleRNN)
    options = {"activation": "relu"} if stack.mode == "rnn_relu" else {}
    model = keras.Sequential([keras.Input((None, stack.input_size), dtype=stack.dtype.name)])
    for _ in range(stack.num_layers):
        layer = kind(stack.hidden_size, return_sequences=True, dtype=stack.dtype.name, **options)
        model.add(keras.layers.Bidirectional(layer) if stack.directions == 2 else layer)
    arrays = [array for layer in params.to_keras(stack) for array in layer]
    model.set_weights(arrays)
    model.save(path)
