# test_import_tf_convolutions.py - rnn-import-tf: convolutions and poolings of dynamic sizes in training steps of Keras, compiled and compared
# with TensorFlow. Skipped without TensorFlow and JAX.
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
from rnn_mlir.importers import tensorflow as tool  # noqa: E402

L = keras.layers
CASES = (
    (lambda: [L.Conv2D(8, 3, padding="same", activation="relu"), L.MaxPooling2D(), L.Conv2D(16, 3, strides=2), L.Flatten()], (12, 10, 1)),
    (lambda: [L.Conv2D(8, 3, padding="same", strides=2), L.Conv2D(8, (2, 3), dilation_rate=2, padding="same"), L.Flatten()], (15, 14, 4)),
    (lambda: [L.Conv2D(6, 3, dilation_rate=(2, 3)), L.Flatten()], (9, 13, 4)),
    (lambda: [L.Conv2D(8, 4, padding="same", groups=2), L.Conv2D(9, 3, strides=3), L.Flatten()], (15, 14, 4)),
    (lambda: [L.DepthwiseConv2D(3, depth_multiplier=2, padding="same"), L.DepthwiseConv2D(3, strides=2), L.Flatten()], (15, 14, 4)),
    (lambda: [L.SeparableConv2D(6, 3, padding="same"), L.SeparableConv2D(6, 3), L.Flatten()], (9, 8, 4)),
    (lambda: [L.Conv3D(4, 3, padding="same"), L.AveragePooling3D((2, 3, 2), 1, padding="same"), L.Conv3D(3, 2, strides=2), L.Flatten()], (7, 6, 8, 2)),
    (lambda: [L.Conv2DTranspose(4, 3, strides=2, padding="same"), L.Conv2DTranspose(3, 3), L.Flatten()], (7, 6, 2)),
    (lambda: [L.Conv2D(4, 3), L.AveragePooling2D(3, 2, padding="same"), L.MaxPooling2D(3, 2, padding="same"), L.Flatten()], (15, 14, 4)),
    (lambda: [L.Conv2D(4, 3, padding="same"), L.AveragePooling2D(2), L.Flatten()], (9, 7, 2)),
    (lambda: [L.Conv1D(8, 4, padding="same"), L.Conv1D(6, 3, padding="causal"), L.Dense(3)], (None, 4)),
    (lambda: [L.Conv1D(4, 3, padding="same", strides=2), L.AveragePooling1D(3, 2, padding="same"), L.LSTM(3)], (None, 4)),
    (lambda: [L.Conv1D(4, 3, strides=2, dilation_rate=1), L.MaxPooling1D(3, 1, padding="same"), L.GlobalAveragePooling1D()], (None, 4)),
    (lambda: [L.SeparableConv1D(4, 3, padding="same"), L.GlobalMaxPooling1D()], (None, 4)),
    (lambda: [L.Conv2D(4, 3, padding="same", strides=2), L.DepthwiseConv2D(2), L.Conv2D(4, 3, strides=2), L.GlobalMaxPooling2D()], (None, None, 4)),
    (lambda: [L.Conv2D(4, 3, padding="same"), L.AveragePooling2D(2, padding="same"), L.Conv2DTranspose(4, 3, strides=2, padding="same"),
              L.GlobalMaxPooling2D()], (None, None, 2)))


@pytest.mark.parametrize("layers, shape", CASES)
def test_training(layers, shape):
    """The loss and the gradients. The batch is dynamic, and so are the sizes None of images."""
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input(shape), *layers(), L.Dense(2)])
    model.compile(loss="mse")
    compiled = rnn_mlir.compile(tool.import_keras_training(model))
    weights = model.trainable_variables
    for batch, size in (1, 13), (5, 16):
        random = np.random.default_rng(batch)
        x = random.standard_normal([batch, *(n or size for n in shape)]).astype(np.float32)
        with tf.GradientTape() as tape:
            result = model(x, training=True)
            y = random.standard_normal(result.shape).astype(np.float32)
            loss = tf.reduce_mean((result - y) ** 2)
        wanted = [loss, *tape.gradient(loss, [weight.value for weight in weights])]
        values = [variable.numpy() for variable in (*weights, *model.non_trainable_variables)]
        for got, want in zip(compiled(x, y, *values)[:len(wanted)], wanted, strict=True):
            got, want = np.asarray(got), np.asarray(want)
            assert got.shape == want.shape
            assert np.max(np.abs(got - want)) <= 5e-6 * max(np.max(np.abs(want)), 1e-3)


@pytest.mark.parametrize("layers, shape", CASES[8:])
def test_inference(layers, shape):
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input(shape), *layers()])
    compiled = rnn_mlir.compile(tool.import_keras(model))
    for batch, size in (1, 13), (5, 16):
        x = np.random.default_rng(batch).standard_normal([batch, *(n or size for n in shape)]).astype(np.float32)
        np.testing.assert_allclose(compiled(x), model(x), rtol=1e-5, atol=1e-5)
