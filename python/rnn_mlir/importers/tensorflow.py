# tensorflow.py - the program rnn-import-tf: modules of TensorFlow and Keras as MLIR that the rnn tools read.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs TensorFlow's own passes, which leave the cudnn and block ops, then jaxlib's, which turn StableHLO into linalg ops.

Needs the packages tensorflow-cpu (or tensorflow) and jax; tested with 2.21.0 and 0.10.2.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from . import _branches, _counters, _lists, _lowering, _stacks, _variables
from ._lowering import ImportFailed

PROGRAM = "rnn-import-tf"
_INSTALL = "tensorflow-cpu jax"
# To StableHLO. The shape constraints would become assertions.
_PASSES = "tf-lower-to-mlprogram-and-hlo,func.func(remove-shape-constraints),canonicalize,cse"
# The types of values that follow from those of constants and arguments.
_REFINE = "tf-shape-inference,canonicalize,cse"
_DESCRIPTION = """\
Imports modules of TensorFlow and Keras for the rnn tools.

inputs:
  folder        a SavedModel; its variables become constants
  .keras .h5    a model of Keras 3, whose layers become cuDNN's or, if cuDNN does not support them, loops
  .pb .pbtxt    a GraphDef of TensorFlow 1, without variables
  .mlir         a module of the tf dialect, as tf.mlir.experimental writes it
"""


def _tensorflow() -> Any:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    return _lowering.load("tensorflow", _INSTALL)


# ===----------------------------------------------------------------------=== #
# Modules of the tf dialect
# ===----------------------------------------------------------------------=== #


def _check_gates(tf: Any, text: str) -> None:
    """Keras has other gate orders than cuDNN for GRU layers, and converts only in a build for CUDA."""
    if re.search(r'"tf\.CudnnRNN\w*"[^\n]*rnn_mode = "gru"', text) and not tf.sysconfig.get_build_info()["is_cuda_build"]:
        _lowering.warn(PROGRAM, "the module has GRU layers of cuDNN. If Keras traced it in a build of TensorFlow without CUDA, "
                       "like this one, their gates are in the wrong order and all results are wrong; import the file .keras, "
                       "or trace it with TensorFlow's package for GPUs (no GPU is needed)")


def _names_of(text: str) -> Tuple[List[Optional[str]], List[Optional[str]]]:
    """Names of arguments in the text of a module with one public function, which TensorFlow's passes drop."""
    signatures = re.findall(r"func\.func (?!private)@[^(]*\((.*)\) -> ", text)
    if len(signatures) != 1:
        return [], []
    arguments = re.split(r"%arg\d+: ", signatures[0])[1:]
    found = [re.search(r'tf\._user_specified_name = "([^"]*)"', argument) for argument in arguments]
    return [match.group(1) if match else None for match in found], []


def import_text(text: str, function: Optional[str] = None, *, is_keras: bool = False,
                names: Optional[Tuple[Sequence[Optional[str]], Sequence[Optional[str]]]] = None,
                captured: Sequence[Any] = ()) -> str:
    """The module of the tf dialect `text` as text of upstream dialects and tf.Cudnn* and tf.BlockLSTM* ops.

    `function` is the new name of its only public function, whose arguments and results get the names `names`. `is_keras`: the
    module is a trace of `import_keras`. The last arguments of the function become the constants `captured`.
    """
    tf = _tensorflow()
    mlir = _lowering.load_mlir(_INSTALL)
    if not is_keras:
        _check_gates(tf, text)
    inputs, outputs = names or _names_of(text)
    if captured or _lists.is_needed(text):
        with _lowering.context_of(mlir):
            text = _convert_lists(tf, mlir, text, captured)
    lowered = _run_passes(tf, text, _PASSES)
    if not re.search(r'"tf\.(CudnnRNN|BlockLSTM)', lowered):
        _lowering.warn(PROGRAM, "the module has no recurrent layer (tf.CudnnRNN*, tf.BlockLSTM*): " + (
            "cuDNN does not support the model's layers or their options. Those become loops of linalg ops, slower than a layer op"
            if is_keras else "Keras writes loops unless it finds a GPU; import its file .keras instead"))
    with _lowering.context_of(mlir):
        module = _parse(mlir, lowered)
        public = _lowering.public_functions(mlir, module)
        if len(public) == 1:
            _lowering.set_names(mlir, public[0], "arg_attrs", inputs)
            _lowering.set_names(mlir, public[0], "res_attrs", outputs)
        return _lowering.lower(mlir, module, PROGRAM, function)


def _convert_lists(tf: Any, mlir: Any, text: str, captured: Sequence[Any]) -> str:
    """The module with tensors in the place of lists, in generic form."""
    def refined(module: Any, passes: str) -> Any:
        return _parse(mlir, _run_passes(tf, str(module.operation.get_asm(print_generic_op_form=True)), passes))

    module = _parse(mlir, _run_passes(tf, text, _lists.PASSES))
    if captured:
        _variables.replace(mlir, module, captured)
        module = refined(module, _REFINE)
    _counters.simplify(mlir, module)
    is_refined = [_branches.replace(mlir, module), _stacks.replace(mlir, module)]
    _branches.replace_reads(mlir, module)
    if any(is_refined):
        module = refined(module, _REFINE)
    _lists.convert(mlir, module)
    return str(module.operation.get_asm(print_generic_op_form=True))


def _run_passes(tf: Any, text: str, passes: str) -> str:
    try:
        return str(tf.mlir.experimental.run_pass_pipeline(text, passes))
    except Exception as error:  # TensorFlow raises errors of its own for invalid text
        raise ImportFailed(f"TensorFlow's passes fail: {error}") from None


def _parse(mlir: Any, text: str) -> Any:
    try:
        return mlir.ir.Module.parse(_generic_globals(text))
    except mlir.ir.MLIRError as error:
        raise ImportFailed(f"jaxlib cannot read TensorFlow's module: {error}") from None


def _generic_globals(text: str) -> str:
    """jaxlib has no dialect ml_program: its ops in generic form."""
    text = re.sub(r"ml_program\.global (public|private) (mutable )?(@\S+?)\((.*)\) : (tensor<\S+>)",
                  lambda m: f'"ml_program.global"() <{{{"is_mutable, " if m[2] else ""}sym_name = "{m[3][1:]}", '
                  f'sym_visibility = "{m[1]}", type = {m[5]}, value = {m[4]}}}> : () -> ()', text)
    text = re.sub(r"ml_program\.(global_load(?:_const)?) (@\S+) : (tensor<\S+>)",
                  r'"ml_program.\1"() <{global = \2}> : () -> \3', text)
    return re.sub(r"ml_program\.global_store (@\S+) = (%\S+) : (tensor<\S+>)",
                  r'"ml_program.global_store"(\2) <{global = \1}> : (\3) -> ()', text)


# ===----------------------------------------------------------------------=== #
# Functions, SavedModels, GraphDefs, Keras
# ===----------------------------------------------------------------------=== #


def _output_names(function: Any) -> List[Optional[str]]:
    """The last key of each output in a structure of dictionaries."""
    def visit(value: Any, name: Optional[str]) -> List[Optional[str]]:
        if isinstance(value, dict):
            return [leaf for key in sorted(value) for leaf in visit(value[key], str(key))]
        if isinstance(value, (list, tuple)):
            return [leaf for item in value for leaf in visit(item, None)]
        return [name]

    return visit(function.structured_outputs, None)


def _check_assignments(concrete_function: Any) -> None:
    """Reports a function that assigns variables."""
    assigning = sorted({node.op for node in _variables.nodes_of(concrete_function) if node.op.startswith("Assign") and node.op.endswith("VariableOp")})
    if assigning:
        raise ImportFailed(f"the function assigns variables ({', '.join(assigning)}), which is not supported; make the state an argument "
                           "and a result. In Keras, recurrent layers with dropout assign the state of random numbers: import the file "
                           ".keras instead")


def import_function(concrete_function: Any, function: Optional[str] = "main", *, is_keras: bool = False) -> str:
    """A concrete function of TensorFlow. Its variables become constants with their present values."""
    tf = _tensorflow()
    outputs, captured = _output_names(concrete_function), []
    if concrete_function.captured_inputs and _variables.is_needed(concrete_function):
        _check_assignments(concrete_function)
        captured = _variables.values_of(concrete_function)
    elif concrete_function.captured_inputs:
        freeze = _lowering.load("tensorflow.python.framework.convert_to_constants", _INSTALL)
        try:
            concrete_function = freeze.convert_variables_to_constants_v2(concrete_function, lower_control_flow=False)
        except Exception as error:  # of several classes
            _check_assignments(concrete_function)
            raise ImportFailed(f"the variables of the function cannot become constants: {error}") from None
    inputs = [re.sub(r"\W", "_", tensor.op.name) for tensor in concrete_function.inputs]
    inputs = inputs[:len(inputs) - len(captured)]
    if len(outputs) != len(concrete_function.outputs):
        outputs = []
    try:
        text = tf.mlir.experimental.convert_function(concrete_function)
    except Exception as error:  # of several classes
        raise ImportFailed(f"TensorFlow cannot convert the function: {error}") from None
    return import_text(text, function, is_keras=is_keras, names=(inputs, outputs), captured=captured)


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
    tf = _tensorflow()
    reader = _lowering.load("tensorflow.python.saved_model.loader_impl", _INSTALL)
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
    tf = _tensorflow()
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


@contextlib.contextmanager
def cudnn_layers() -> Iterator[None]:
    """Within it, Keras traces LSTM and GRU layers as on a machine with a GPU: with cuDNN's ops, and with GRU's gates in cuDNN's
    order, which a build of TensorFlow without CUDA would not exchange."""
    tf = _tensorflow()
    keras = _lowering.load("keras", "keras")
    rnn = sys.modules.get("keras.src.backend.tensorflow.rnn")
    if rnn is None or not hasattr(rnn, "_is_gpu_available") or not hasattr(rnn, "_assert_valid_mask"):
        raise ImportFailed(f"Keras {keras.__version__} with the backend `{keras.backend.backend()}` is not supported; tested "
                           "with Keras 3.15.1 and the backend tensorflow")
    replaced: Dict[str, Any] = {"_is_gpu_available": lambda: True, "_assert_valid_mask": lambda mask: None}
    saved = {name: getattr(rnn, name) for name in replaced}
    build_info = tf.sysconfig.get_build_info
    try:
        for name, value in replaced.items():
            setattr(rnn, name, value)
        tf.sysconfig.get_build_info = lambda: {**build_info(), "is_cuda_build": True}
        yield
    finally:
        for name, value in saved.items():
            setattr(rnn, name, value)
        tf.sysconfig.get_build_info = build_info


@contextlib.contextmanager
def _without_dropout(model: Any) -> Iterator[None]:
    """Within it, recurrent layers and cells have no dropout. Inference has none, but Keras would advance the state of its random
    numbers, and write a loop instead of cuDNN's op for `recurrent_dropout`."""
    cells = [layer for layer in model._flatten_layers() if {"dropout", "recurrent_dropout"} <= vars(layer).keys()]
    saved = [(cell.dropout, cell.recurrent_dropout) for cell in cells]
    try:
        for cell in cells:
            cell.dropout = cell.recurrent_dropout = 0.0
        yield
    finally:
        for cell, (dropout, recurrent_dropout) in zip(cells, saved):
            cell.dropout, cell.recurrent_dropout = dropout, recurrent_dropout


def import_keras(model: Any, batch: Optional[int] = None, function: Optional[str] = "main") -> str:
    """A model of Keras 3 in inference. `batch` replaces a dynamic batch size."""
    tf = _tensorflow()
    if batch is not None and batch < 1:
        raise ImportFailed(f"the batch size must be positive, but is {batch}")
    fixed = sorted({value.shape[0] for value in model.inputs} - {None, batch})
    if batch and fixed:
        raise ImportFailed(f"the model has the batch size {fixed[0]}, so that it cannot be {batch}")
    specs = [tf.TensorSpec([batch if k == 0 and batch else size for k, size in enumerate(value.shape)], value.dtype,
                           name=value.name) for value in model.inputs]
    stateful = [layer.name for layer in model._flatten_layers() if getattr(layer, "stateful", False)]
    if stateful:
        raise ImportFailed(f"the layers {', '.join(stateful)} have stateful=True, which is not supported; give them initial_state, and "
                           "return_state=True")
    with cudnn_layers(), _without_dropout(model):
        # One argument per input, in the order of the model.
        call = tf.function(lambda *inputs: model(inputs[0] if len(inputs) == 1 else list(inputs), training=False),
                           input_signature=specs)
        try:
            traced = call.get_concrete_function()
        except Exception as error:  # of many classes
            # Keras prefixes the reason by the frames of its stack.
            reason = re.sub(r'.*\n +File "[^\n]*\n[^\n]*\n', "", re.sub(r"\x1b\[\d*m", "", str(error)), flags=re.DOTALL)
            raise ImportFailed(f"TensorFlow cannot trace the model: {reason.strip()}") from None
    if any(type(layer).__name__ == "Masking" or getattr(layer, "mask_zero", False) for layer in model.layers):
        _lowering.warn(PROGRAM, "the model has masks: cuDNN's layers require that the valid steps of each example come first, "
                       "and nothing checks it. Their outputs of masked steps are 0, as in Keras on a GPU; on a CPU Keras repeats the last "
                       "valid output unless the layer has zero_output_for_mask=True")
    return import_function(traced, function, is_keras=True)


# ===----------------------------------------------------------------------=== #
# Program
# ===----------------------------------------------------------------------=== #


def _read_graph_def(path: str) -> Any:
    tf = _tensorflow()
    graph_def = tf.compat.v1.GraphDef()
    try:
        with open(path, "rb") as file:
            content = file.read()
        if path.endswith(".pbtxt"):
            _lowering.load("google.protobuf.text_format", _INSTALL).Parse(content, graph_def)
        else:
            graph_def.ParseFromString(content)
    except OSError as error:
        raise ImportFailed(f"{path} cannot be read: {error.strerror}") from None
    except Exception as error:  # protobuf's errors have no common class
        raise ImportFailed(f"{path} is no GraphDef: {error}") from None
    return graph_def


def import_path(path: str, *, signature: str = "serving_default", inputs: Sequence[str] = (), outputs: Sequence[str] = (),
                batch: Optional[int] = None, function: Optional[str] = None) -> str:
    """A file or folder, whose name says what it is."""
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
            model = keras.models.load_model(path, compile=False)
        except Exception as error:  # Keras raises errors of many classes
            raise ImportFailed(f"Keras cannot load {path}: {error}") from None
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
            "outputs": ("a GraphDef (.pb, .pbtxt)", (".pb", ".pbtxt")), "batch": ("a model of Keras (.keras, .h5)", (".keras", ".h5"))}


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
    parser.add_argument("--function", help="new name of the module's only public function")
    parser.add_argument("-o", "--output", default="-", help="output file (standard output)")
    options = parser.parse_args(arguments)
    _check_options(parser, options)
    return _lowering.run(PROGRAM, lambda: import_path(options.input, signature=options.signature or "serving_default",
                                                      inputs=options.inputs, outputs=options.outputs, batch=options.batch,
                                                      function=options.function), options.output,
                         options.input if arguments is None else None)


if __name__ == "__main__":
    sys.exit(main())
