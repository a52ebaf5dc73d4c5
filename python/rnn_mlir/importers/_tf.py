# _tf.py - functions of TensorFlow and modules of the tf dialect as MLIR that the rnn tools read.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
import re
from typing import Any, List, Optional, Sequence, Tuple

from . import _branches, _counters, _lists, _lowering, _stacks, _variables
from ._lowering import ImportFailed

PROGRAM = "rnn-import-tf"
INSTALL = "tensorflow-cpu jax"
# To StableHLO. The shape constraints would become assertions.
_PASSES = "tf-lower-to-mlprogram-and-hlo,func.func(remove-shape-constraints),canonicalize,cse"
# The types of values that follow from those of constants and arguments.
_REFINE = "tf-shape-inference,canonicalize,cse"


def load_tensorflow() -> Any:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    return _lowering.load("tensorflow", INSTALL)


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
    tf = load_tensorflow()
    mlir = _lowering.load_mlir(INSTALL)
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
    def refined(module: Any) -> Any:
        return _parse(mlir, _run_passes(tf, str(module.operation.get_asm(print_generic_op_form=True)), _REFINE))

    module = _parse(mlir, _run_passes(tf, text, _lists.PASSES))
    if captured:
        _variables.replace(mlir, module, captured)
        module = refined(module)
    _counters.simplify(mlir, module)
    is_refined = [_branches.replace(mlir, module), _stacks.replace(mlir, module)]
    _branches.replace_reads(mlir, module)
    if any(is_refined):
        module = refined(module)
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
    assigning = sorted({node.op for node in _variables.nodes_of(concrete_function)
                        if node.op.startswith("Assign") and node.op.endswith("VariableOp")})
    if assigning:
        raise ImportFailed(f"the function assigns variables ({', '.join(assigning)}), which is not supported; make the state an argument "
                           "and a result. In Keras, recurrent layers with dropout assign the state of random numbers: import the file "
                           ".keras instead")


def import_function(concrete_function: Any, function: Optional[str] = "main", *, is_keras: bool = False,
                    outputs: Optional[List[Optional[str]]] = None) -> str:
    """A concrete function of TensorFlow. Its variables become constants with their present values. `outputs` names its results, which
    otherwise get the names that it gives them in dictionaries."""
    tf = load_tensorflow()
    captured: List[Any] = []
    outputs = _output_names(concrete_function) if outputs is None else outputs
    if concrete_function.captured_inputs and _variables.is_needed(concrete_function):
        _check_assignments(concrete_function)
        captured = _variables.values_of(concrete_function)
    elif concrete_function.captured_inputs:
        freeze = _lowering.load("tensorflow.python.framework.convert_to_constants", INSTALL)
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
