# test_import_tf_indices.py - rnn-import-tf: top_k, sorts, scatters and gradients of embeddings, compiled and compared with TensorFlow.
# Skipped without TensorFlow and JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
pytest.importorskip("jaxlib")

import rnn_mlir  # noqa: E402
from rnn_mlir.importers import tensorflow as tool  # noqa: E402

RANDOM = np.random.default_rng(5)
TABLE = RANDOM.standard_normal((11, 4)).astype(np.float32)
ROWS = np.array([3, 0, 10, 3, 7, 3], np.int32)
VALUES = RANDOM.standard_normal((4, 9)).astype(np.float32)
NUMBERS = RANDOM.integers(0, 5, (4, 9)).astype(np.int32)


def compare(capsys, function, shapes, *values):
    """Compiles `function` for arguments of these shapes, None for dynamic sizes."""
    specs = [tf.TensorSpec(shape, value.dtype) for shape, value in zip(shapes, values, strict=True)]
    traced = tf.function(lambda *arguments: list(function(*arguments)), input_signature=specs)
    text = tool.import_function(traced.get_concrete_function())
    assert "ops are left" not in capsys.readouterr().err
    results = rnn_mlir.compile(text)(*values)
    wanted = traced(*map(tf.constant, values))
    for got, want in zip(results if isinstance(results, (list, tuple)) else [results], wanted, strict=True):
        np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("shape", ([4, 9], [None, 9], [None, None]))
def test_top_k(capsys, shape):
    compare(capsys, lambda x: tf.math.top_k(x, 3), [shape], VALUES)
    compare(capsys, lambda x: tf.math.top_k(x, 9), [shape], NUMBERS)  # equal elements keep their order
    compare(capsys, lambda x, k: tf.math.top_k(x, k), [shape, []], VALUES, np.array(4, np.int32))


@pytest.mark.parametrize("function", (lambda x: [tf.sort(x)], lambda x: [tf.sort(x, axis=0, direction="DESCENDING")],
                                      lambda x: [tf.argsort(x, stable=True)]))
@pytest.mark.parametrize("values", (VALUES, NUMBERS))
def test_sort(capsys, function, values):
    compare(capsys, function, [[4, 9]], values)


@pytest.mark.parametrize("function", (
    lambda t, i: [tf.tensor_scatter_nd_add(t, i[:, None], tf.ones((6, 4)))], lambda t, i: [tf.tensor_scatter_nd_max(t, i[:, None], tf.ones((6, 4)))],
    lambda t, i: [tf.tensor_scatter_nd_update(t, i[:, None], tf.ones((6, 4)))], lambda t, i: [tf.scatter_nd(i[:, None], t[:6], [11, 4])],
    lambda t, i: [tf.math.unsorted_segment_sum(t[:6], i, 11)]))
def test_scatter(capsys, function):
    compare(capsys, function, [[11, 4], [6]], TABLE, ROWS)


def gradient(table, rows):
    with tf.GradientTape() as tape:
        tape.watch(table)
        loss = tf.reduce_sum(tf.tanh(tf.gather(table, rows)))
    return [tf.convert_to_tensor(tape.gradient(loss, table))]


@pytest.mark.parametrize("shapes, rows", (([[11, 4], [6]], ROWS), ([[None, 4], [None]], ROWS), ([[None, None], [None, None]], ROWS.reshape(2, 3))))
def test_gradient_of_embedding(capsys, shapes, rows):
    compare(capsys, gradient, shapes, TABLE, rows)
