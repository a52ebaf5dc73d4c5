# test_import_tf_gradients.py - rnn-import-tf: training steps with dynamic batch sizes, compiled and compared with TensorFlow. Skipped
# without TensorFlow and JAX.
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


def compare(step, specs, values, tolerance=1e-5):
    """A compiled step and TensorFlow, for each list of values."""
    function = tf.function(step, input_signature=specs)
    compiled = rnn_mlir.compile(tool.import_function(function.get_concrete_function()))
    for arguments in values:
        for got, want in zip(compiled(*arguments), function(*map(tf.constant, arguments)), strict=True):
            np.testing.assert_allclose(np.asarray(got, np.float64), np.asarray(want, np.float64), rtol=tolerance, atol=tolerance)


def random(*shape, dtype=np.float32):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("kind,options", (
    ("SimpleRNN", {"activation": "gelu"}), ("LSTM", {"activation": "softsign"}), ("GRU", {"reset_after": False}),
    ("GRU", {"go_backwards": True})))
def test_unrolled_layers(kind, options):
    """The batch is dynamic: the gradients of biases are sums over it, and those of states are none."""
    layers = [getattr(keras.layers, kind)(4, unroll=True, return_sequences=True, **options), keras.layers.Dense(2)]
    layers[1](layers[0](np.zeros((2, 3, 2), np.float32)))
    weights = [w.value for layer in layers for w in layer.trainable_weights]

    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_mean(tf.square(layers[1](layers[0](x)) - 0.25))
        return [loss, *tape.gradient(loss, [x, *weights])]
    compare(step, [tf.TensorSpec([None, 3, 2])], [[random(1, 3, 2)], [random(5, 3, 2)]])


@pytest.mark.parametrize("shapes,sizes", (
    (([None, 3], [None, 3]), ((2, 3), (2, 3))), (([None, 3], [None, 1]), ((2, 3), (2, 1))), (([None, 3], [3]), ((2, 3), (3,))),
    (([None, 1], [1, 4]), ((2, 1), (1, 4))), (([None, 2, 3], [None, 1, 3]), ((4, 2, 3), (4, 1, 3))),
    (([None, 3], []), ((2, 3), ())), (([None, None, 3], [None, 3]), ((5, 2, 3), (2, 3)))))
@pytest.mark.parametrize("dtype", ("float32", "float16"))
def test_broadcasts(shapes, sizes, dtype):
    """The gradients of both operands of a product, which either operand may broadcast."""
    def step(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            loss = tf.reduce_sum(tf.tanh(a * b))
        return tape.gradient(loss, [a, b])
    values = [[np.asarray(random(*size), dtype) for size in sizes], [np.asarray(0.5 * random(*size) + 0.25, dtype) for size in sizes]]
    compare(step, [tf.TensorSpec(shape, dtype) for shape in shapes], values, 1e-5 if dtype == "float32" else 4e-3)


def test_broadcast_of_a_dynamic_size():
    """An operand whose dynamic size is 1 in a call is an error, as by other checks of symbolic sizes."""
    def step(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            loss = tf.reduce_sum(tf.tanh(a * b))
        return tape.gradient(loss, [a, b])
    function = tf.function(step, input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 3])])
    compiled = rnn_mlir.compile(tool.import_function(function.get_concrete_function()))
    ones = np.ones((2, 3), np.float32)
    assert [np.asarray(gradient).shape for gradient in compiled(ones, ones)] == [(2, 3), (2, 3)]
    with pytest.raises(rnn_mlir.InvalidArgument, match="an operand of size 1 was broadcast to a dynamic size"):
        compiled(ones, np.ones((1, 3), np.float32))
