# test_import_tf_loop_gradients.py - rnn-import-tf: gradients of loops and branches of TensorFlow, and training steps of Keras layers that
# are loops, compiled and compared with TensorFlow. Skipped without TensorFlow and JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
pytest.importorskip("jaxlib")
keras = pytest.importorskip("keras", minversion="3.0")

import rnn_mlir  # noqa: E402
from keras_cells import Cell  # noqa: E402
from rnn_mlir import importers  # noqa: E402
from rnn_mlir.importers import tensorflow as tool  # noqa: E402

T, I, H = 6, 3, 4
L = keras.layers


def random(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def check(step, specs, values):
    """A compiled step and TensorFlow, for each list of arguments. Returns the module."""
    function = tf.function(step, input_signature=specs)
    text = tool.import_function(function.get_concrete_function())
    compiled = rnn_mlir.compile(text)
    for arguments in values:
        for got, want in zip(compiled(*arguments), function(*map(tf.constant, arguments)), strict=True):
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-5)
    return text


# ===----------------------------------------------------------------------=== #
# Layers of Keras
# ===----------------------------------------------------------------------=== #


LAYERS = {
    "lstm": lambda: [L.LSTM(H, return_sequences=True), L.LSTM(5)],
    "gru": lambda: [L.GRU(H, return_sequences=True), L.LayerNormalization()],
    "gru_before": lambda: [L.GRU(H, reset_after=False, go_backwards=True)],
    "simple": lambda: [L.SimpleRNN(H, return_sequences=True)],
    "cells": lambda: [L.RNN([L.LSTMCell(H), L.GRUCell(5)], return_sequences=True)],
    "own_cell": lambda: [L.RNN(Cell(H), return_sequences=True)],
    "activations": lambda: [L.LSTM(H, activation="selu", recurrent_activation="hard_sigmoid"), L.Dense(3, activation="elu")],
    "bidirectional": lambda: [L.Bidirectional(L.LSTM(H, return_sequences=True))],
    "batch_norm": lambda: [L.BatchNormalization(), L.SimpleRNN(H)],
}


def layer_step(layers, shape, dtype=np.float32):
    """A training step with the weights as arguments: the loss and the gradients. Returns also the specs and values of the weights."""
    model = keras.Sequential([*layers, L.Dense(2)])
    model(np.zeros([size or 2 for size in shape], dtype))
    others = [variable.value for variable in model.non_trainable_variables]

    def step(x, *weights):
        with tf.GradientTape() as tape:
            for weight in weights:
                tape.watch(weight)
            y, _ = model.stateless_call(list(weights), others, x, training=False)
            loss = tf.reduce_mean(tf.square(y - 0.25))
        return [loss, *map(tf.convert_to_tensor, tape.gradient(loss, list(weights)))]

    weights = [variable.numpy() for variable in model.trainable_variables]
    return step, [tf.TensorSpec(shape, dtype), *(tf.TensorSpec(weight.shape) for weight in weights)], weights


@pytest.mark.parametrize("shape", ((2, T, I), (None, None, I)))
@pytest.mark.parametrize("name", LAYERS)
def test_layers(name, shape):
    step, specs, weights = layer_step(LAYERS[name](), shape)
    check(step, specs, [[random(*sizes, I), *weights] for sizes in (((2, T),) if shape[0] else ((2, T), (1, 3)))])


@pytest.mark.parametrize("shape", ((2, T), (None, None)))
@pytest.mark.parametrize("mask", (False, True))
def test_embedding(shape, mask):
    step, specs, weights = layer_step([L.Embedding(7, 5, mask_zero=mask), L.GRU(H, return_sequences=True)], shape, np.int32)
    check(step, specs, [[np.array([[1, 2, 3, 4, 0, 0], [3, 3, 1, 2, 5, 6]], np.int32), *weights]])


def test_convolutional_layer():
    step, specs, weights = layer_step([L.ConvLSTM2D(3, 3, padding="same"), L.Flatten()], (2, 3, 5, 5, 2))
    check(step, specs, [[random(2, 3, 5, 5, 2), *weights]])


def test_products_leave_the_loops():
    """The loops count: products of inputs and of gradients of weights are one for all steps."""
    step, specs, weights = layer_step([L.LSTM(H, return_sequences=True)], (2, T, I))
    text = check(step, specs, [[random(2, T, I), *weights]])
    assert text.count('"scf.while"') == 2 and "tensor<?x" not in text.partition('"scf.while"')[0]
    # One list per value that the gradient reads, of f32: numbers of steps are computed.
    assert f"tensor<{T}xi32>" not in text


def test_variables(tmp_path):
    """Variables become constants, also those whose gradients are results, and in a SavedModel."""
    layer = L.SimpleRNN(H, return_sequences=True)
    layer(np.zeros((2, T, I), np.float32))
    weights = [variable.value for variable in layer.trainable_weights]

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(layer(x) - 0.25))
        return [loss, *tape.gradient(loss, weights)]

    spec = tf.TensorSpec((None, None, I), name="x")
    check(step, [spec], [[random(2, T, I)], [random(1, 1, I)]])

    module = tf.Module()
    module.layer = weights
    module.step = tf.function(lambda x: dict(zip("abcd", step(x))), input_signature=[spec])
    tf.saved_model.save(module, str(tmp_path / "saved"), signatures={"step": module.step})
    compiled = rnn_mlir.compile(tool.import_saved_model(str(tmp_path / "saved"), "step", "main"))
    for got, want in zip(compiled(random(2, T, I)), step(random(2, T, I)), strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-5)


# ===----------------------------------------------------------------------=== #
# Loops and branches of programs
# ===----------------------------------------------------------------------=== #


def array_loop(x):
    def body(k, h, array):
        h = tf.tanh(h + x[k])
        return k + 1, h, array.write(k, h)

    array = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
    return tf.while_loop(lambda k, *_: k < tf.shape(x)[0], body, [0, tf.zeros_like(x[0]), array])[2].stack()


def scanned(x):
    weights = tf.constant(random(4, 4))
    return tf.scan(lambda h, row: tf.tanh(h @ weights + row), x)


def mapped(x):
    return tf.map_fn(lambda row: (tf.tanh(row), tf.reduce_sum(row * row), row[:, :3] * row[:, 1:]), x,
                     fn_output_signature=(tf.float32,) * 3)


def nested_loop(x):
    def body(k, h):
        return k + 1, tf.while_loop(lambda j, h: j < 2, lambda j, h: (j + 1, tf.tanh(h + x[k])), [0, h])[1]

    return tf.while_loop(lambda k, h: k < tf.shape(x)[0], body, [0, tf.zeros_like(x[0])])[1]


def map_of_scans(x):
    return tf.map_fn(lambda rows: tf.scan(lambda total, row: total * row + row, rows), x)


def at_most(x):
    """A loop that ends before its largest number of iterations."""
    return tf.while_loop(lambda k, h: tf.reduce_sum(h) < 50.0, lambda k, h: (k + 1, tf.tanh(h) * 1.1 + tf.abs(x[0])), [0, x[0]],
                         maximum_iterations=9)[1]


def backwards(x):
    return tf.while_loop(lambda k, h: k > -1, lambda k, h: (k - 1, tf.tanh(h + x[k] * x[0])), [tf.shape(x)[0] - 1, tf.zeros_like(x[0])])[1]


def strides(x):
    return tf.while_loop(lambda k, h: k < tf.shape(x)[0], lambda k, h: (k + 3, tf.sin(h + x[k] * x[k - 1])), [1, tf.zeros_like(x[0])])[1]


def long_counter(x):
    count = tf.cast(tf.shape(x)[0], tf.int64)
    return tf.while_loop(lambda k, h: k < count, lambda k, h: (k + 1, tf.sin(h + x[k] * tf.cast(k, tf.float32))),
                         [tf.constant(0, tf.int64), tf.zeros_like(x[0])])[1]


def repeated(x):
    return tf.while_loop(lambda k, h: k < 7, lambda k, h: (k + 1, tf.sin(h * 1.3) * x[0]), [0, x[0]])[1]


def reads(x):
    """Elements of a list that several iterations and loops read."""
    array = tf.TensorArray(tf.float32, size=tf.shape(x)[0]).unstack(x)
    h = tf.zeros_like(x[0])
    for scale in (1.0, 0.5):
        h = tf.while_loop(lambda k, h: k < tf.shape(x)[0],
                          lambda k, h: (k + 1, tf.tanh(scale * h * array.read(k) + array.read(0) * array.read(k))), [0, h])[1]
    return h


def rewritten(x):
    """A list whose first element each iteration reads and writes."""
    def body(k, array):
        return k + 1, array.write(0, tf.tanh(array.read(0) * x[k] + x[k]))

    array = tf.TensorArray(tf.float32, size=2, clear_after_read=False, element_shape=x.shape[1:]).unstack(x[:2])
    return tf.while_loop(lambda k, _: k < 3, body, [0, array])[1].stack()


def branch(x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.tanh(x) * tf.sin(x), lambda: x * x * 2)


def branches(x):
    return tf.switch_case(tf.cast(tf.reduce_sum(x), tf.int32), [lambda: tf.tanh(x), lambda: x * x, lambda: tf.exp(x)])


def branch_in_loop(x):
    def step(h, row):
        return tf.cond(tf.reduce_sum(row) > 0, lambda: tf.tanh(h + row) * tf.exp(-h * h), lambda: tf.cos(h) * tf.sin(row))

    return tf.scan(step, x)


def gradient_of(function):
    """The gradient of a weighted sum of the results."""
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            parts = tf.nest.flatten(function(x))
            loss = sum(tf.reduce_sum(part * tf.cos(tf.cast(tf.reshape(tf.range(tf.size(part)), tf.shape(part)), tf.float32)))
                       for part in parts)
        return [loss, tape.gradient(loss, x)]
    return gradient


@pytest.mark.parametrize("is_dynamic", (False, True))
@pytest.mark.parametrize("function, shape", (
    (array_loop, (5, 2, 4)), (scanned, (5, 2, 4)), (mapped, (3, 2, 4)), (nested_loop, (3, 2, 4)), (map_of_scans, (3, 2, 4)),
    (at_most, (2, 4)), (backwards, (5, 2, 4)), (strides, (8, 3)), (long_counter, (5, 3)), (repeated, (2, 3)), (reads, (5, 4)), (rewritten, (3, 4)),
    (branch, (5, 4)), (branches, (5, 4)), (branch_in_loop, (5, 4))))
def test_functions(function, shape, is_dynamic):
    spec = tf.TensorSpec((*[None] * (len(shape) - 1), shape[-1]) if is_dynamic else shape)
    others = [(size + 1, *shape[1:]) for size in shape[:1]] if is_dynamic and function is not rewritten else []
    # The sums select each branch.
    values = [[random(*sizes) + np.float32(shift)] for sizes in (shape, *others) for shift in (-0.5, -0.1, 0.1, 0.5)]
    totals = [np.full(shape, total / np.prod(shape), np.float32) for total in (-3.5, 0.5, 1.5, 2.5, 9.5)]
    check(gradient_of(function), [spec], [*values, *([total] for total in totals)])


def failing(function, *specs):
    with pytest.raises(importers.ImportFailed) as failed:
        tool.import_function(tf.function(function, input_signature=specs).get_concrete_function())
    return str(failed.value)


def test_refused():
    spec = tf.TensorSpec((4, 3))
    assert "the number of iterations of a loop is unknown, which is not supported if its gradient is computed; give tf.while_loop " \
        "maximum_iterations" in failing(gradient_of(lambda x: tf.while_loop(
            lambda h: tf.reduce_sum(h) < 9.0, lambda h: [tf.exp(h) + x[0]], [x[0]])[0]), spec)
    assert "is an operand of tf.ZerosLike, which is not supported: a gradient of the gradient of a loop" in \
        failing(gradient_of(lambda x: gradient_of(scanned)(x)[1]), tf.TensorSpec((5, 2, 4)))
    assert "is an operand of tf.OptionalFromValue, which is not supported: the gradient of a branch with a loop inside" in \
        failing(gradient_of(lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: tf.scan(lambda h, a: tf.tanh(h * a), x), lambda: x)), spec)
    assert "gradients of branches with loops or branches inside: use tf.where instead of tf.cond" in failing(gradient_of(
        lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: branch(x), lambda: tf.exp(x))), spec)
