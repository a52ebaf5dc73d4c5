# tensorflow.py - the program rnn-import-tf: modules of TensorFlow and Keras as MLIR that the rnn tools read.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs TensorFlow's own passes, which leave the cudnn and block ops, then jaxlib's, which turn StableHLO into linalg ops.

Needs the packages tensorflow-cpu (or tensorflow) and jax; tested with 2.21.0 and 0.10.2.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import Any, List, Optional, Sequence

from . import _lowering
from ._keras import cudnn_layers, import_keras, import_keras_training
from ._lowering import ImportFailed
from ._tf import INSTALL, PROGRAM, import_function, import_text, load_tensorflow

__all__ = ["ImportFailed", "cudnn_layers", "import_function", "import_graph_def", "import_keras", "import_keras_training",
           "import_path", "import_saved_model", "import_text", "main"]

_DESCRIPTION = """\
Imports modules of TensorFlow and Keras for the rnn tools.

inputs:
  folder        a SavedModel; its variables become constants
  .keras .h5    a model of Keras 3, whose layers become cuDNN's or, if cuDNN does not support them, loops
  .pb .pbtxt    a GraphDef of TensorFlow 1, without variables
  .mlir         a module of the tf dialect, as tf.mlir.experimental writes it
"""


# ===----------------------------------------------------------------------=== #
# SavedModels and GraphDefs
# ===----------------------------------------------------------------------=== #


def _check_recursion(library: Any, what: str) -> None:
    """Reports functions of a FunctionDefLibrary that call each other in a cycle: TensorFlow's passes overflow the stack."""
    calls = {function.signature.name: {
        called for node in function.node_def for value in node.attr.values()
        for called in [value.func.name] + [item.name for item in value.list.func] if called}
        for function in library.function}
    # Removes functions without calls of others until none is left.
    while True:
        leaves = [name for name, called in calls.items() if not called & calls.keys()]
        if not leaves:
            break
        for name in leaves:
            del calls[name]
    if calls:
        raise ImportFailed(f"{what} has functions that call each other in a cycle, which TensorFlow does not convert: " +
                           ", ".join(sorted(calls)))


def import_saved_model(path: str, signature: str = "serving_default", function: Optional[str] = None) -> str:
    """A signature of the SavedModel in the folder `path`."""
    tf = load_tensorflow()
    reader = _lowering.load("tensorflow.python.saved_model.loader_impl", INSTALL)
    try:
        graphs = reader.parse_saved_model(path).meta_graphs
    except Exception as error:  # of many classes
        raise ImportFailed(f"{path} is no SavedModel: {error}") from None
    for graph in graphs:
        _check_recursion(graph.graph_def.library, path)
    try:
        loaded = tf.saved_model.load(path)
    except Exception as error:  # of many classes
        raise ImportFailed(f"TensorFlow cannot load the SavedModel {path}: {error}") from None
    if signature not in loaded.signatures:
        raise ImportFailed(f"{path} has no signature `{signature}`; it has " +
                           (", ".join(loaded.signatures) or "none: give model.save or tf.saved_model.save one"))
    return import_function(loaded.signatures[signature], function)


def _tensor_name(name: str) -> str:
    return name if ":" in name else name + ":0"


def import_graph_def(graph_def: Any, inputs: Sequence[str] = (), outputs: Sequence[str] = (),
                     function: Optional[str] = "main") -> str:
    """A GraphDef of TensorFlow 1 as a function of the tensors `inputs` (default: its placeholders) with the results `outputs`
    (default: the tensors that no other node uses)."""
    tf = load_tensorflow()
    variables = sorted({node.name for node in graph_def.node
                        if node.op in ("Variable", "VariableV2", "VarHandleOp", "RefVariable")})
    if variables:
        raise ImportFailed(f"the graph has the variables {', '.join(variables)}; freeze it first: "
                           "tf.compat.v1.graph_util.convert_variables_to_constants")
    _check_recursion(graph_def.library, "the graph")
    used = {name.lstrip("^").split(":")[0] for node in graph_def.node for name in node.input}
    placeholders = [node.name for node in graph_def.node if node.op == "Placeholder"]
    results = [node.name for node in graph_def.node if node.name not in used and node.op not in ("NoOp", "Const", "Placeholder")]
    inputs, outputs = list(inputs) or placeholders, list(outputs) or results
    try:
        wrapped = tf.compat.v1.wrap_function(lambda: tf.compat.v1.import_graph_def(graph_def, name=""), [])
        tensors = [[wrapped.graph.get_tensor_by_name(_tensor_name(name)) for name in names] for names in (inputs, outputs)]
        text = tf.mlir.experimental.convert_function(wrapped.prune(*tensors))
    except Exception as error:  # of many classes
        raise ImportFailed(f"the graph cannot be imported: {error}") from None
    names = [[re.sub(r"\W", "_", re.sub(":0$", "", name)) for name in names] for names in (inputs, outputs)]
    return import_text(text, function, names=(names[0], names[1]))


# ===----------------------------------------------------------------------=== #
# Program
# ===----------------------------------------------------------------------=== #


def _read_graph_def(path: str) -> Any:
    tf = load_tensorflow()
    graph_def = tf.compat.v1.GraphDef()
    try:
        with open(path, "rb") as file:
            content = file.read()
        if path.endswith(".pbtxt"):
            _lowering.load("google.protobuf.text_format", INSTALL).Parse(content, graph_def)
        else:
            graph_def.ParseFromString(content)
    except OSError as error:
        raise ImportFailed(f"{path} cannot be read: {error.strerror}") from None
    except Exception as error:  # protobuf's errors have no common class
        raise ImportFailed(f"{path} is no GraphDef: {error}") from None
    return graph_def


def import_path(path: str, *, signature: str = "serving_default", inputs: Sequence[str] = (), outputs: Sequence[str] = (),
                batch: Optional[int] = None, training: Optional[str] = None, function: Optional[str] = None) -> str:
    """A file or folder, whose name says what it is. `training` of a model of Keras: "gradients" or "update" for a training step."""
    if os.path.isdir(path):
        return import_saved_model(path, signature, function)
    if not os.path.exists(path):
        raise ImportFailed(f"{path} does not exist")
    if path.endswith((".pb", ".pbtxt")):
        return import_graph_def(_read_graph_def(path), inputs, outputs, function or "main")
    if path.endswith((".keras", ".h5")):
        os.environ.setdefault("KERAS_BACKEND", "tensorflow")
        keras = _lowering.load("keras", "keras")
        try:
            model = keras.models.load_model(path, compile=training is not None)
        except Exception as error:  # Keras raises errors of many classes
            raise ImportFailed(f"Keras cannot load {path}: {error}") from None
        if training:
            return import_keras_training(model, update=training == "update", batch=batch, function=function or "main")
        return import_keras(model, batch, function or "main")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ImportFailed(f"{path} cannot be read as text: {error}") from None
    return import_text(text, function)


def _names(text: str) -> List[str]:
    return [name for name in text.split(",") if name]


def _positive(text: str) -> int:
    """An argument of a positive integer."""
    if not re.fullmatch("0*[1-9][0-9]*", text):
        raise argparse.ArgumentTypeError(f"expects a positive integer, but got {text!r}")
    return int(text)


# The options of one kind of input, and how its path ends.
_OPTIONS = {"signature": ("a SavedModel (folder)", ()), "inputs": ("a GraphDef (.pb, .pbtxt)", (".pb", ".pbtxt")),
            "outputs": ("a GraphDef (.pb, .pbtxt)", (".pb", ".pbtxt")),
            **dict.fromkeys(("batch", "training"), ("a model of Keras (.keras, .h5)", (".keras", ".h5")))}


def _check_options(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Reports options that do not apply to the input."""
    if not os.path.exists(options.input):
        return
    for name, (kind, endings) in _OPTIONS.items():
        is_kind = options.input.endswith(endings) and not os.path.isdir(options.input) if endings else os.path.isdir(options.input)
        if getattr(options, name) and not is_kind:
            parser.error(f"argument --{name}: requires {kind}, but the input is {options.input}")


def main(arguments: Optional[List[str]] = None) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=_DESCRIPTION,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", help="file or folder")
    parser.add_argument("--signature", help="signature of the SavedModel (serving_default)")
    parser.add_argument("--inputs", type=_names, default=[], metavar="NAME,...",
                        help="GraphDef: tensors that become arguments (default: the placeholders)")
    parser.add_argument("--outputs", type=_names, default=[], metavar="NAME,...",
                        help="GraphDef: tensors that become results (default: those without uses)")
    parser.add_argument("--batch", type=_positive, help="Keras: batch size of all inputs (default: dynamic)")
    parser.add_argument("--training", choices=("gradients", "update"),
                        help="Keras: a training step of the compiled model, which returns the loss, and gradients or updated variables")
    parser.add_argument("--function", help="new name of the module's only public function")
    parser.add_argument("-o", "--output", default="-", help="output file (standard output)")
    options = parser.parse_args(arguments)
    _check_options(parser, options)
    return _lowering.run(PROGRAM, lambda: import_path(options.input, signature=options.signature or "serving_default",
                                                      inputs=options.inputs, outputs=options.outputs, batch=options.batch,
                                                      training=options.training, function=options.function), options.output,
                         options.input if arguments is None else None)


if __name__ == "__main__":
    sys.exit(main())
