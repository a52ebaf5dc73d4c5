# test_import_tf_loops.py - rnn-import-tf: loops and branches of TensorFlow and of Keras layers that cuDNN does not support, compiled and
# compared with TensorFlow. Skipped without TensorFlow and JAX.
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
RANDOM = np.random.default_rng(0)


def random(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def check(function, reference, inputs):
    for x in inputs:
        got, want = function(x), tf.nest.flatten(reference(x))
        got = got if isinstance(got, (list, tuple)) else [got]
        assert len(got) == len(want)
        for value, expected in zip(got, want):
            np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-5)


# Steps and a function that makes the layers. The masked steps of inputs are zero.
LAYERS = {
    "simple": (T, lambda: [L.SimpleRNN(H)]),
    "simple_dynamic": (None, lambda: [L.SimpleRNN(H, return_sequences=True)]),
    "gru": (T, lambda: [L.GRU(H, reset_after=False, return_sequences=True)]),
    "gru_dynamic": (None, lambda: [L.GRU(H, reset_after=False)]),
    "cells": (None, lambda: [L.RNN([L.LSTMCell(H), L.GRUCell(5)], return_sequences=True)]),
    "own_cell": (None, lambda: [L.RNN(Cell(H), return_sequences=True)]),
    "activations": (None, lambda: [L.LSTM(H, activation="relu", recurrent_activation="hard_sigmoid")]),
    "gelu": (T, lambda: [L.LSTM(H, activation="gelu")]),
    "unrolled": (T, lambda: [L.LSTM(H, unroll=True, activation="relu")]),
    "bidirectional": (None, lambda: [L.Bidirectional(L.LSTM(H, return_sequences=True))]),
    "bidirectional_simple": (None, lambda: [L.Bidirectional(L.SimpleRNN(H, return_sequences=True))]),
    "with_cudnn": (None, lambda: [L.SimpleRNN(H, return_sequences=True), L.GRU(H), L.Dense(3)]),
    "masked": (None, lambda: [L.Masking(), L.GRU(H, reset_after=False, return_sequences=True)]),
    "masked_zeros": (T, lambda: [L.Masking(), L.SimpleRNN(H, return_sequences=True, zero_output_for_mask=True)]),
    "dropout": (T, lambda: [L.Bidirectional(L.LSTM(H, dropout=0.2, recurrent_dropout=0.5))]),
}


@pytest.mark.parametrize("name", LAYERS)
def test_keras_layers(name):
    steps, make = LAYERS[name]
    model = keras.Sequential([keras.Input((steps, I)), *make()])

    def inputs(batches):
        for batch in batches:
            for count in (steps,) if steps else (1, 5):
                x = random(batch, count, I)
                x[0, count // 2:] *= "masked" not in name
                yield x

    for lowering in ("runtime", "fused"):
        check(rnn_mlir.compile(tool.import_keras(model), lowering=lowering), model, inputs((1, 3)))
    check(rnn_mlir.compile(tool.import_keras(model, batch=2)), model, inputs((2,)))


def test_recurrent_dropout_is_no_loop():
    """Inference has no dropout, so that the layer is cuDNN's. The import leaves the model as it was."""
    layer = L.LSTM(H, dropout=0.2, recurrent_dropout=0.5)
    model = keras.Sequential([keras.Input((T, I)), layer])
    assert "tf.CudnnRNNV3" in tool.import_keras(model)
    assert (layer.dropout, layer.recurrent_dropout) == (0.2, 0.5)


@pytest.mark.parametrize("layer, shape", ((L.ConvLSTM1D, (3, 5, 2)), (L.ConvLSTM2D, (3, 5, 5, 2)), (L.Conv1D, (None, 2))))
def test_convolutional_layer(layer, shape):
    for batch in (None, 2):
        model = keras.Sequential([keras.Input(batch_shape=(batch, *shape)), layer(3, 3)])
        check(rnn_mlir.compile(tool.import_keras(model)), model, [random(2, 5 if shape[0] is None else 3, *shape[1:])])


def test_stateful_layer():
    model = keras.Sequential([keras.Input(batch_shape=(2, T, I)), L.SimpleRNN(H, stateful=True, name="first")])
    with pytest.raises(importers.ImportFailed, match="the layers first have stateful=True, which is not supported"):
        tool.import_keras(model)


def test_masked_outputs_of_cudnn(capsys):
    """cuDNN writes zeros, as Keras on a GPU."""
    model = keras.Sequential([keras.Input((T, I)), L.Masking(), L.LSTM(H, return_sequences=True, zero_output_for_mask=True)])
    x = random(2, T, I)
    x[0, 2:] = 0
    check(rnn_mlir.compile(tool.import_keras(model)), model, [x])
    assert "Their outputs of masked steps are 0" in capsys.readouterr().err


def test_warnings_of_keras(capsys):
    tool.import_keras(keras.Sequential([keras.Input((T, I)), L.SimpleRNN(H)]))
    error = capsys.readouterr().err
    assert "cuDNN does not support the model's layers or their options. Those become loops of linalg ops" in error
    assert "import its file .keras" not in error and "no pass converts" not in error


def test_saved_model(tmp_path, capsys):
    """A SavedModel of a CPU has loops for all layers."""
    model = keras.Sequential([keras.Input((None, I)), L.LSTM(H, return_sequences=True), L.GRU(H)])
    model.export(tmp_path / "saved", verbose=False)
    assert tool.main([str(tmp_path / "saved"), "-o", str(tmp_path / "out.mlir")]) == 0
    assert "Keras writes loops unless it finds a GPU; import its file .keras instead" in capsys.readouterr().err
    check(rnn_mlir.compile((tmp_path / "out.mlir").read_text()), model, [random(2, 5, I), random(1, 1, I)])


# ===----------------------------------------------------------------------=== #
# Loops and branches of programs
# ===----------------------------------------------------------------------=== #


def array_loop(x):
    def body(k, h, array):
        h = tf.tanh(h + x[k])
        return k + 1, h, array.write(k, h)

    array = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
    return tf.while_loop(lambda k, *_: k < tf.shape(x)[0], body, [0, tf.zeros_like(x[0]), array])[2].stack()


def nested_loop(x):
    def body(k, h):
        return k + 1, tf.while_loop(lambda j, h: j < 2, lambda j, h: (j + 1, tf.tanh(h + x[k - tf.shape(x)[0]])), [0, h])[1]

    return tf.while_loop(lambda k, h: k < tf.shape(x)[0], body, [0, tf.zeros_like(x[0])])[1]


def mapped(x):
    return tf.map_fn(tf.tanh, x)


def scanned(x):
    return tf.scan(lambda total, item: total * 0.5 + item, x)


def branch(x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.tanh(x), lambda: x * 2)


def branches(x):
    return tf.switch_case(tf.cast(tf.reduce_sum(x), tf.int32), [lambda: tf.tanh(x), lambda: x * 2, lambda: x - 1])


def batched_matmul(x):
    return tf.matmul(x, x, transpose_b=True)


def reversed_both(x):
    return tf.reverse(x, [0, 1])


def unpacked(x):
    return [*tf.unstack(x, axis=1), tf.stack(tf.unstack(x, num=3, axis=-2)[::-1])]


def maps_of_shapes(x):
    """Lists of the same type, which TensorFlow's passes merge, with elements of different shapes."""
    return tf.map_fn(lambda row: (tf.tanh(row), tf.reduce_sum(row), row[:, :3], tf.cast(row > 0, tf.int32)), x,
                     fn_output_signature=(tf.float32, tf.float32, tf.float32, tf.int32))


def nested_map(x):
    return tf.map_fn(lambda rows: tf.map_fn(lambda row: tf.tanh(row) + 1, rows), x)


def map_of_scans(x):
    return tf.map_fn(lambda rows: tf.scan(lambda total, row: total * 0.5 + row, rows), x)


def sizes_of_elements(x):
    """Elements whose sizes follow from the inputs by several ops."""
    def step(row):
        weights = tf.nn.softmax(tf.einsum("bi,tbi->bt", row, x))
        pairs = tf.expand_dims(row, 1) + tf.expand_dims(row, 0)
        parts = tf.transpose(tf.reshape(row, [-1, 2, 2]), [1, 0, 2])
        same = tf.fill([tf.shape(x)[1], 2], 3.0)
        return (tf.einsum("bt,tbi->bi", weights, x), pairs, parts, tf.argmax(row, -1), same, tf.gather(row, [1, 0], axis=1),
                tf.squeeze(tf.matmul(row[:, tf.newaxis], tf.ones((4, 1))), [1, 2]))

    return tf.map_fn(step, x, fn_output_signature=(tf.float32,) * 3 + (tf.int64,) + (tf.float32,) * 3)


def concatenated(x):
    """A value of a loop whose size grows."""
    return tf.while_loop(lambda k, s: k < tf.shape(x)[0], lambda k, s: (k + 1, tf.concat([s, x[k:k + 1] * 2], 0)),
                         [0, tf.zeros((0, *x.shape[1:]))], [tf.TensorShape([]), tf.TensorShape([None, *x.shape[1:]])])[1]


def parts(x):
    """Slices with indices of the program."""
    def body(k, total):
        return k + 1, total * 0.5 + x[k, 0, 1] + x[:, 0, k][-1] + tf.reduce_sum(x[k:k + 2]) + tf.reduce_sum(x[-1 - k:, ..., :k + 1])

    return (tf.while_loop(lambda k, _: k < tf.shape(x)[0], body, [0, 0.0])[1], x[1:], x[:-1], x[::2], x[..., 1:3], x[:, tf.newaxis],
            *tf.split(x, [1, 3], -1))


def gathered(x):
    return tf.TensorArray(tf.float32, size=tf.shape(x)[0]).unstack(x).gather([0, 0])


def convolution(x):
    kernel = tf.reshape(tf.range(24, dtype=tf.float32), (3, 4, 2)) * 0.1
    return (tf.nn.conv1d(x, kernel, 1, "SAME"), tf.nn.conv1d(x, kernel, 1, "SAME", dilations=2),
            tf.nn.conv1d(tf.pad(x, [[0, 0], [2, 1], [0, 0]]), kernel, 2, "VALID"))


@pytest.mark.parametrize("function, shape", (
    *((function, shape) for function in (maps_of_shapes, nested_map, map_of_scans, sizes_of_elements, parts, gathered, convolution)
      for shape in ((None, None, 4), (3, 2, 4), (3, None, 4))),
    (concatenated, (None, 4)), (concatenated, (3, 4)),
    (array_loop, (None, None, 4)), (array_loop, (5, 2, 4)), (nested_loop, (None, None, 4)), (mapped, (None, None, 4)),
    (scanned, (None, 2, 4)), (branch, (None, 4)), (branches, (3, 4)), (batched_matmul, (None, None, None, 4)),
    (batched_matmul, (2, None, 4)), (reversed_both, (None, None)), (unpacked, (None, 3, 4))))
def test_functions(function, shape):
    traced = tf.function(function, input_signature=[tf.TensorSpec(shape)])
    compiled = rnn_mlir.compile(tool.import_function(traced.get_concrete_function()))
    sizes = [[size or (2, 3, 1)[(k + n) % 3] for n, size in enumerate(shape)] for k in range(3)]
    # The sums select each branch.
    check(compiled, traced, [random(*s) + np.float32(shift) for s, shift in zip(sizes, (-0.5, 0.0, 0.5))])
    check(compiled, traced, [np.full(s, total / np.prod(s), np.float32) for s in sizes for total in (-3.5, 0.5, 1.5, 2.5, 9.5)])


def test_copies_of_lists():
    """A step writes to the list in place: bufferization of calls would copy the list."""
    traced = tf.function(array_loop, input_signature=[tf.TensorSpec((None, None, 4))])
    text = tool.import_function(traced.get_concrete_function())
    assert "func.call" not in text and text.count("tensor.insert_slice") == 1


def failing_function(function, *specs):
    with pytest.raises(importers.ImportFailed) as failed:
        tool.import_function(tf.function(function, input_signature=specs).get_concrete_function())
    return str(failed.value)


def test_index_out_of_range():
    """TensorFlow reports it; compiled code selects the nearest element."""
    def function(x, n):
        return tf.while_loop(lambda k, h: k < n, lambda k, h: (k + 1, h * 2 + x[k]), [0, tf.zeros((2,))])[1]

    specs = [tf.TensorSpec((3, 2)), tf.TensorSpec((), tf.int32)]
    compiled = rnn_mlir.compile(tool.import_function(tf.function(function, input_signature=specs).get_concrete_function()))
    x, want = random(3, 2), 0
    for k in range(5):
        want = want * 2 + x[min(k, 2)]
    np.testing.assert_allclose(compiled(x, np.array(5, np.int32)), want, rtol=1e-5)


def test_refused_loops():
    spec = tf.TensorSpec((4, 2, 3))

    def growing(x):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        return tf.while_loop(lambda k, _: k < 3, lambda k, a: (k + 1, a.write(k, x[k])), [0, array])[1].stack()

    assert "a list of tensors that grows (TensorArray with dynamic_size=True)" in failing_function(growing, spec)

    def sized_in_the_loop(x, n):
        array = tf.TensorArray(tf.float32, size=3, element_shape=(None,))
        return tf.while_loop(lambda k, _: k < 3, lambda k, a: (k + 1, a.write(k, tf.fill([n[0]], x[k, 0, 0]))), [0, array])[1].stack()

    assert "the size of dimension 0 of the elements of a list of tensors is unknown before the loop that writes them" in \
        failing_function(sized_in_the_loop, spec, tf.TensorSpec((None,), tf.int32))


def test_refused_values():
    spec = tf.TensorSpec((4, 3))

    assert "the branches of tf.IfRegion return tensors of different shapes, which is not supported: tensor<1x3xf32>, tensor<2x3xf32>" in \
        failing_function(lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x[:1], lambda: x[:2]), spec)
    assert "tf.TensorListScatterIntoExistingList, which is not supported; use TensorArray.read, write, unstack, stack and gather" in \
        failing_function(lambda x: tf.TensorArray(tf.float32, size=4).scatter([2, 0, 1, 3], x).stack(), spec)
    assert "tf.TensorListSplit, which are not supported; use TensorArray.read" in \
        failing_function(lambda x: tf.TensorArray(tf.float32, size=2).split(x, [2, 2]).stack(), spec)
    variable = tf.Variable(tf.zeros((4, 3)))
    assert "the function assigns variables (AssignAddVariableOp), which is not supported" in \
        failing_function(lambda x: variable.assign_add(x) * 2, spec)


def test_unsigned_integers():
    """The types of compiled functions have no sign; the numbers are those of unsigned integers."""
    def function(x):
        y = tf.constant([150, 7, 0, 9], tf.uint8)
        return tf.cast(x, tf.float32), tf.cast(x, tf.int32), tf.maximum(x, y), tf.minimum(x, y), x // 3, x % 7, x > y, \
            tf.cast(tf.cast(x, tf.float32), tf.uint8), tf.reduce_max(x), tf.argmin(x)

    traced = tf.function(function, input_signature=[tf.TensorSpec((4,), tf.uint8)])
    x = np.array([200, 3, 0, 255], np.uint8)
    got = rnn_mlir.compile(tool.import_function(traced.get_concrete_function()))(x)
    for value, expected in zip(got, traced(x)):
        np.testing.assert_array_equal(value.view(expected.numpy().dtype), expected)


def test_gradient_of_unrolled_layer():
    layer = L.SimpleRNN(H, unroll=True)
    layer.build((2, T, I))

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(layer(x) ** 2)
        return tape.gradient(y, x)

    traced = tf.function(gradient, input_signature=[tf.TensorSpec((2, T, I))])
    check(rnn_mlir.compile(tool.import_function(traced.get_concrete_function())), traced, [random(2, T, I)])


# ===----------------------------------------------------------------------=== #
# Options
# ===----------------------------------------------------------------------=== #


@pytest.mark.parametrize("name, option, reason", (
    ("model.keras", "--batch=-1", "argument --batch: expects a positive integer, but got '-1'"),
    ("model.keras", "--batch=0", "expects a positive integer, but got '0'"), ("model.keras", "--batch=x", "but got 'x'"),
    ("model.keras", "--signature=f", "argument --signature: requires a SavedModel (folder), but the input is model.keras"),
    ("graph.pb", "--batch=2", "argument --batch: requires a model of Keras (.keras, .h5), but the input is graph.pb"),
    ("module.mlir", "--inputs=x", "argument --inputs: requires a GraphDef (.pb, .pbtxt), but the input is module.mlir"),
    ("saved", "--outputs=x", "argument --outputs: requires a GraphDef (.pb, .pbtxt), but the input is saved")))
def test_options(tmp_path, monkeypatch, capsys, name, option, reason):
    monkeypatch.chdir(tmp_path)
    if "." in name:
        (tmp_path / name).write_text("")
    else:
        (tmp_path / name).mkdir()
    with pytest.raises(SystemExit) as stopped:
        tool.main([name, option])
    assert stopped.value.code == 2 and reason in capsys.readouterr().err


def test_batch_sizes():
    model = keras.Sequential([keras.Input(batch_shape=(4, T, I)), L.LSTM(H)])
    with pytest.raises(importers.ImportFailed, match="the model has the batch size 4, so that it cannot be 2"):
        tool.import_keras(model, batch=2)
    with pytest.raises(importers.ImportFailed, match="the batch size must be positive, but is 0"):
        tool.import_keras(model, batch=0)
    check(rnn_mlir.compile(tool.import_keras(model, batch=4)), model, [random(4, T, I)])
