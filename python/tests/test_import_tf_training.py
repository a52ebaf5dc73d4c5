# test_import_tf_training.py - rnn-import-tf: training steps of Keras models, compiled and compared with Keras' own steps on the CPU, which
# run loops in the place of layers. Skipped without TensorFlow and JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import pathlib
import re

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
pytest.importorskip("jaxlib")
keras = pytest.importorskip("keras", minversion="3.0")

import rnn_mlir  # noqa: E402
from rnn_mlir import importers  # noqa: E402
from rnn_mlir.importers import tensorflow as tool  # noqa: E402

B, T, I, CLASSES = 4, 5, 3, 11
L = keras.layers
RANDOM = np.random.default_rng(0)


def random(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def labels(*shape):
    return RANDOM.integers(0, CLASSES, shape).astype(np.int32)


def make(layers, shape, dtype, loss, optimizer):
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input(shape, dtype=dtype), *layers])
    model.compile(optimizer=optimizer, loss=loss, jit_compile=False)
    return model


def variables_of(model):
    return [*model.trainable_variables, *model.non_trainable_variables, *model.optimizer.variables]


# Name: layers, shape of an example, type, loss, optimizer, inputs, targets, and whether the layers are cuDNN's.
MODELS = {
    "lstm": (lambda: [L.LSTM(8), L.Dense(2)], (None, I), "float32", "mse", "adam", random(B, T, I), random(B, 2), True),
    "bidirectional": (lambda: [L.Bidirectional(L.GRU(8, return_sequences=True)), L.LSTM(4), L.Dense(2, kernel_regularizer="l2")],
                      (T, I), "float32", "mae", "rmsprop", random(B, T, I), random(B, 2), True),
    "text": (lambda: [L.Embedding(CLASSES, 6), L.LSTM(8, return_sequences=True), L.Dense(CLASSES)], (None,), "int32",
             lambda: keras.losses.SparseCategoricalCrossentropy(from_logits=True), lambda: keras.optimizers.SGD(0.1, momentum=0.9),
             labels(B, T), labels(B, T), True),
    "masked": (lambda: [L.Embedding(CLASSES, 6, mask_zero=True), L.GRU(8), L.Dense(CLASSES, activation="softmax")], (None,), "int32",
               "sparse_categorical_crossentropy", "adam",
               np.array([[1, 2, 3, 0, 0], [2, 3, 4, 5, 6], [1, 0, 0, 0, 0], [3, 3, 3, 3, 0]], np.int32), labels(B), True),
    "normalized": (lambda: [L.BatchNormalization(), L.GRU(8), L.Dense(1, activation="sigmoid")], (None, I), "float32",
                   "binary_crossentropy", lambda: keras.optimizers.AdamW(1e-3, clipnorm=1.0, weight_decay=0.1), random(B, T, I),
                   (random(B, 1) > 0).astype(np.float32), True),
    "loops": (lambda: [L.SimpleRNN(8, return_sequences=True), L.GRU(5, reset_after=False), L.Dense(2)], (None, I), "float32", "huber",
              "nadam", random(B, T, I), random(B, 2), False),
    "decay": (lambda: [L.LSTM(8), L.Dense(2)], (None, I), "float32", "mse",
              lambda: keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(0.01, 2, 0.5), use_ema=True), random(B, T, I),
              random(B, 2), True),
}


@pytest.mark.parametrize("name", MODELS)
def test_updates(name):
    """Three steps change the variables of the model and of the optimizer as Keras does."""
    layers, shape, dtype, loss, optimizer, x, y, is_cudnn = MODELS[name]
    model = make(layers(), shape, dtype, loss if isinstance(loss, str) else loss(),
                 optimizer if isinstance(optimizer, str) else optimizer())
    text = tool.import_keras_training(model, update=True)
    assert ("tf.CudnnRNNBackprop" in text) == is_cudnn
    step = rnn_mlir.compile(text)
    state = [variable.numpy() for variable in variables_of(model)]
    for _ in range(3):
        loss, *state = step(x, y, *state)
        np.testing.assert_allclose(loss, model.train_on_batch(x, y), rtol=1e-5)
    for variable, value in zip(variables_of(model), state, strict=True):
        np.testing.assert_allclose(value, variable.numpy(), rtol=1e-4, atol=1e-6, err_msg=variable.path)


@pytest.mark.parametrize("optimizer", ("adagrad", "adadelta", "adamax", "ftrl", "lion", "adafactor"))
def test_optimizers(optimizer):
    model = make([L.GRU(3)], (T, I), "float32", "mse", optimizer)
    step = rnn_mlir.compile(tool.import_keras_training(model, update=True))
    x, y = random(B, T, I), random(B, 3)
    state = [variable.numpy() for variable in variables_of(model)]
    for _ in range(2):
        _, *state = step(x, y, *state)
        model.train_on_batch(x, y)
    for variable, value in zip(variables_of(model), state, strict=True):
        np.testing.assert_allclose(value, variable.numpy(), rtol=1e-4, atol=1e-6, err_msg=variable.path)


def test_gradients():
    """Names, and the gradients of a model with two inputs and two outputs."""
    keras.utils.set_random_seed(1)
    first, second = keras.Input((T, I), name="first"), keras.Input((2,), name="second")
    h = L.LSTM(4, name="lstm")(first)
    model = keras.Model([first, second], [L.Dense(2, name="left")(h), L.Dense(CLASSES, name="right")(L.Concatenate()([h, second]))])
    losses = {"left": "mse", "right": keras.losses.SparseCategoricalCrossentropy(from_logits=True)}
    model.compile(loss=losses)
    text = tool.import_keras_training(model)
    compiled = rnn_mlir.compile(text)
    inputs, targets = [random(B, T, I), random(B, 2)], [random(B, 2), labels(B)]
    loss, *gradients = compiled(*inputs, *targets, *[variable.numpy() for variable in (*model.trainable_variables,
                                                                                       *model.non_trainable_variables)])
    # After the gradients: the states of random numbers, which dropout would use.
    gradients = gradients[:len(model.trainable_variables)]
    with tf.GradientTape() as tape:
        left, right = model(inputs)
        expected = tf.reduce_mean((left - targets[0]) ** 2) + losses["right"](targets[1], right)
    np.testing.assert_allclose(loss, expected, rtol=1e-5)
    for got, want in zip(gradients, tape.gradient(expected, [variable.value for variable in model.trainable_variables]), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)
    for name in ("first", "second", "targets0", "targets1", "lstm_lstm_cell_kernel", "loss", "gradient_lstm_lstm_cell_kernel",
                 "gradient_right_bias"):
        assert f'rnn.name = "{name}"' in text


def test_dropout():
    """The state of random numbers is that of Keras after the step. A rate of almost 1 leaves nothing of the inputs."""
    model = make([L.Dropout(0.999999), L.LSTM(4, dropout=0.5), L.Dense(2)], (T, I), "float32", "mse", "sgd")
    step = rnn_mlir.compile(tool.import_keras_training(model, update=True, batch=B))
    state = [variable.numpy() for variable in variables_of(model)]
    x, y = random(B, T, I), random(B, 2)
    _, *after = step(x, y, *state)
    _, *same = step(2 * x, y, *state)
    model.train_on_batch(x, y)
    for variable, value, other in zip(variables_of(model), after, same, strict=True):
        np.testing.assert_array_equal(value, other)
        np.testing.assert_allclose(value, variable.numpy(), rtol=1e-4, atol=1e-6, err_msg=variable.path)


def test_documentation():
    """The block of docs/Importing.md."""
    text = (pathlib.Path(__file__).resolve().parents[2] / "docs/Importing.md").read_text(encoding="utf-8")
    names = {}
    exec(re.search(r"### Training steps of Keras.*?```python\n(.*?)```", text, re.DOTALL).group(1), names)
    assert names["model"].optimizer.iterations == 10 and names["loss"] < 1


def test_batch():
    model = make([L.LSTM(4)], (None, I), "float32", "mse", "sgd")
    assert f"tensor<{B}x?x{I}xf32>" in tool.import_keras_training(model, batch=B)


def test_program(tmp_path, capsys):
    """The program reads a compiled model from a file."""
    model = make([L.LSTM(4)], (T, I), "float32", "mse", "adam")
    model.optimizer.build(model.trainable_variables)
    path = tmp_path / "model.keras"
    model.save(path)
    state = [variable.numpy() for variable in variables_of(model)]
    for training, count in (("gradients", len(model.variables)), ("update", len(state))):
        assert tool.main([str(path), f"--training={training}", "-o", str(tmp_path / "step.mlir")]) == 0
        compiled = rnn_mlir.compile((tmp_path / "step.mlir").read_text())
        assert len(compiled(random(B, T, I), random(B, 4), *state[:count])) == 1 + count
    capsys.readouterr()
    (tmp_path / "saved").mkdir()
    with pytest.raises(SystemExit):
        tool.main([str(tmp_path / "saved"), "--training=update"])
    assert "argument --training: requires a model of Keras (.keras, .h5)" in capsys.readouterr().err


def test_refused():
    model = keras.Sequential([keras.Input((T, I)), L.LSTM(4)])
    with pytest.raises(importers.ImportFailed, match="the model has no loss; call model.compile, before model.save"):
        tool.import_keras_training(model)
    model.compile(optimizer=keras.optimizers.Adam(gradient_accumulation_steps=2), loss="mse")
    with pytest.raises(importers.ImportFailed, match="the optimizer has gradient_accumulation_steps, which is not supported; import the"):
        tool.import_keras_training(model, update=True)
    assert "tf.CudnnRNNBackprop" in tool.import_keras_training(model)
    model = make([L.LSTM(4, dropout=0.5)], (T, I), "float32", "mse", "sgd")
    with pytest.raises(importers.ImportFailed, match="random numbers of dynamic sizes, as of dropout, which is not supported; give it a batch"):
        tool.import_keras_training(model)
