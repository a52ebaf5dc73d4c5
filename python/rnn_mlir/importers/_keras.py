# _keras.py - models of Keras as MLIR that the rnn tools read.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import contextlib
import re
import sys
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from . import _lowering
from ._lowering import ImportFailed
from ._tf import PROGRAM, import_function, load_tensorflow


@contextlib.contextmanager
def cudnn_layers() -> Iterator[None]:
    """Within it, Keras traces LSTM and GRU layers as on a machine with a GPU: with cuDNN's ops, and with GRU's gates in cuDNN's
    order, which a build of TensorFlow without CUDA would not exchange."""
    tf = load_tensorflow()
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


def _specs_of(tf: Any, model: Any, batch: Optional[int]) -> List[Any]:
    """The inputs of a model that can be imported."""
    if batch is not None and batch < 1:
        raise ImportFailed(f"the batch size must be positive, but is {batch}")
    fixed = sorted({value.shape[0] for value in model.inputs} - {None, batch})
    if batch and fixed:
        raise ImportFailed(f"the model has the batch size {fixed[0]}, so that it cannot be {batch}")
    stateful = [layer.name for layer in model._flatten_layers() if getattr(layer, "stateful", False)]
    if stateful:
        raise ImportFailed(f"the layers {', '.join(stateful)} have stateful=True, which is not supported; give them initial_state, and "
                           "return_state=True")
    return [tf.TensorSpec(_with_batch(value.shape, batch), value.dtype, name=value.name) for value in model.inputs]


def _with_batch(shape: Sequence[Optional[int]], batch: Optional[int]) -> List[Optional[int]]:
    return [batch if k == 0 and batch else size for k, size in enumerate(shape)]


def _trace(function: Any) -> Any:
    try:
        return function.get_concrete_function()
    except Exception as error:  # of many classes
        # Keras prefixes the reason by the frames of its stack.
        reason = re.sub(r'.*\n +File "[^\n]*\n[^\n]*\n', "", re.sub(r"\x1b\[\d*m", "", str(error)), flags=re.DOTALL)
        raise ImportFailed(f"TensorFlow cannot trace the model: {reason.strip()}") from None


def _warn_of_masks(model: Any) -> None:
    if any(type(layer).__name__ == "Masking" or getattr(layer, "mask_zero", False) for layer in model.layers):
        _lowering.warn(PROGRAM, "the model has masks: cuDNN's layers require that the valid steps of each example come first, "
                       "and nothing checks it. Their outputs of masked steps are 0, as in Keras on a GPU; on a CPU Keras repeats the last "
                       "valid output unless the layer has zero_output_for_mask=True")


def import_keras(model: Any, batch: Optional[int] = None, function: Optional[str] = "main") -> str:
    """A model of Keras 3 in inference. `batch` replaces a dynamic batch size."""
    tf = load_tensorflow()
    specs = _specs_of(tf, model, batch)
    with cudnn_layers(), _without_dropout(model):
        # One argument per input, in the order of the model.
        traced = _trace(tf.function(lambda *inputs: model(inputs[0] if len(inputs) == 1 else list(inputs), training=False),
                                    input_signature=specs))
    _warn_of_masks(model)
    return import_function(traced, function, is_keras=True)


def _targets_of(tf: Any, model: Any, batch: Optional[int]) -> List[Any]:
    """The targets that the losses of a model compare with its outputs: labels for sparse losses, else of the outputs' shapes."""
    losses = model.loss
    if isinstance(losses, dict):
        losses = [losses.get(name) for name in model.output_names]
    elif not isinstance(losses, (list, tuple)):
        losses = [losses] * len(model.outputs)
    specs = []
    for k, (value, loss) in enumerate(zip(model.outputs, losses)):
        name = loss if isinstance(loss, str) else getattr(loss, "name", getattr(loss, "__name__", ""))
        is_label = "sparse" in str(name).lower()
        shape = _with_batch(value.shape, batch)
        specs.append(tf.TensorSpec(shape[:-1] if is_label else shape, "int32" if is_label else value.dtype,
                                   name="targets" if len(model.outputs) == 1 else f"targets{k}"))
    return specs


def _variable_specs(tf: Any, variables: Sequence[Any]) -> List[Any]:
    return [tf.TensorSpec(variable.shape, variable.dtype, name=re.sub(r"\W", "_", variable.path)) for variable in variables]


# What Keras' optimizers for TensorFlow replace, for several devices, in those for all backends.
_OF_DEVICES = ("assign", "assign_add", "assign_sub", "_apply_weight_decay", "_backend_update_step", "stateless_apply")


def _apply(optimizer: Any, state: List[Any], gradients: List[Any], values: List[Any]) -> Tuple[List[Any], List[Any]]:
    """The new values and the new state of an optimizer."""
    special = next((base for base in type(optimizer).__mro__ if base.__module__ == "keras.src.backend.tensorflow.optimizer"), None)
    base = next((base for base in type(optimizer).__mro__ if base.__name__ == "BaseOptimizer"), None)
    if special is None or base is None or not all(name in vars(special) and hasattr(base, name) for name in (*_OF_DEVICES, "_var_key")):
        raise ImportFailed(f"the optimizer {type(optimizer).__name__} of this version of Keras is not supported; tested with Keras 3.15.1. "
                           "Import the gradients instead")
    saved = {name: vars(special)[name] for name in (*_OF_DEVICES, "_var_key")}
    # In a stateless scope, the value of a variable is no variable of TensorFlow, by which the optimizer finds its state.
    key = saved["_var_key"]
    try:
        setattr(special, "_var_key", lambda self, variable: key(self, getattr(variable, "_value", variable)))
        for name in _OF_DEVICES:
            setattr(special, name, getattr(base, name))
        new: Tuple[List[Any], List[Any]] = optimizer.stateless_apply(state, gradients, values)
        return new
    finally:
        for name, value in saved.items():
            setattr(special, name, value)


def _check_optimizer(optimizer: Any) -> None:
    for name in ("gradient_accumulation_steps", "ema_overwrite_frequency"):
        if getattr(optimizer, name, None):
            raise ImportFailed(f"the optimizer has {name}, which is not supported; import the gradients instead")


def import_keras_training(model: Any, *, update: bool = False, batch: Optional[int] = None, function: Optional[str] = "main") -> str:
    """A training step of a compiled model of Keras 3 (`model.compile`).

    Arguments: the inputs; the targets, which are labels of type int32 if the loss is sparse; `trainable_variables` and
    `non_trainable_variables` of the model; with `update`, the variables of its optimizer.

    Results: the loss, which includes regularization; the gradients of the trainable variables, or with `update` their new values; the
    new values of the other variables, such as moving averages and states of random numbers; with `update`, those of the optimizer. The
    results of an update without the loss are the arguments of the next step without inputs and targets.

    `batch` replaces a dynamic batch size.
    """
    tf, keras = load_tensorflow(), _lowering.load("keras", "keras")
    specs = _specs_of(tf, model, batch)
    if not getattr(model, "compiled", False) or model.loss is None:
        raise ImportFailed("the model has no loss; call model.compile, before model.save if it is read from a file")
    weights, others = list(model.trainable_variables), list(model.non_trainable_variables)
    if update:
        _check_optimizer(model.optimizer)
        model.optimizer.build(weights)
    kept = list(model.optimizer.variables) if update else []
    targets = _targets_of(tf, model, batch)
    counts = [len(part) for part in (specs, targets, weights, others, kept)]

    def step(*arguments: Any) -> List[Any]:
        values = iter(arguments)
        inputs, wanted, present, states, optimizer = ([next(values) for _ in range(count)] for count in counts)
        x, y = (part[0] if len(part) == 1 else part for part in (inputs, wanted))
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            for value in present:
                tape.watch(value)
            with keras.StatelessScope(state_mapping=[*zip(weights, present), *zip(others, states)]) as scope:
                loss = model.compute_loss(x=x, y=y, y_pred=model(x, training=True))
        gradients = tape.gradient(loss, present, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        states = [tf.cast(scope.get_current_value(variable), variable.dtype) for variable in others]
        if not update:
            return [loss, *map(tf.convert_to_tensor, gradients), *states]
        present, optimizer = _apply(model.optimizer, optimizer, gradients, present)
        return [loss, *present, *states, *optimizer]

    variables = [_variable_specs(tf, part) for part in (weights, others, kept)]
    with cudnn_layers():
        traced = _trace(tf.function(step, input_signature=[*specs, *targets, *(spec for part in variables for spec in part)]))
    _warn_of_masks(model)
    names = [spec.name for part in variables for spec in part]
    if not update:
        names = [f"gradient_{name}" if k < len(weights) else name for k, name in enumerate(names)]
    text = import_function(traced, function, is_keras=True, outputs=["loss", *names])
    if '"tf.StatelessRandom' in text:
        raise ImportFailed("the model draws random numbers of dynamic sizes, as of dropout, which is not supported; give it a batch size "
                           "(--batch) and a fixed number of steps")
    return text
