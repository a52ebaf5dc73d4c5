# tf_modules.py - training steps of TensorFlow, imported by rnn-import-tf, with TensorFlow's results on the CPU.
#
#   python3 -m venv VENV && VENV/bin/pip install tensorflow-cpu==2.21.0 jax==0.10.2
#   PYTHONPATH=build/python VENV/bin/python test/Integration/Import/Inputs/tf_modules.py
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib.metadata
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import cases  # noqa: E402

from rnn_mlir.importers import tensorflow as tool  # noqa: E402
import keras  # noqa: E402
import tensorflow as tf  # noqa: E402

VERSIONS = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("tensorflow-cpu", "jaxlib"))
T, B, I, H = 5, 2, 3, 4


def step(x, w, b):
    with tf.GradientTape() as tape:
        tape.watch(w)
        state, peephole = tf.zeros((tf.shape(x)[1], H)), tf.zeros((H,))
        h = tf.raw_ops.BlockLSTM(seq_len_max=tf.cast(tf.shape(x)[0], tf.int64), x=x, cs_prev=state, h_prev=state, w=w,
                                 wci=peephole, wcf=peephole, wco=peephole, b=b, cell_clip=0.0).h
        loss = tf.reduce_mean(tf.tanh(h) * h)
    return loss, tape.gradient(loss, w)


def loop(x, w, b):
    """Two passes through the layer, in a loop of TensorFlow."""
    return tf.while_loop(lambda n, v: n < 2, lambda n, v: (n + 1, v + step(x, w, b)[1]), (0, tf.zeros((I + H, 4 * H))))[1:]


def make(name, title, body, shape):
    random = np.random.default_rng(3)
    inputs = [np.asarray(random.normal(size=s), np.float32) for s in ((T, B, I), (I + H, 4 * H), (4 * H,))]
    function = tf.function(body, input_signature=[tf.TensorSpec(shape), tf.TensorSpec((I + H, 4 * H)),
                                                  tf.TensorSpec((4 * H,))])
    module = tool.import_function(function.get_concrete_function())
    results = [value.numpy() for value in function(*map(tf.constant, inputs))]
    cases.write(name, title, VERSIONS, "Inputs/tf_modules.py", [cases.flags(name, inputs, results)], module, "1e-5",
                ("--lowering=runtime", "--lowering=fused"))


def dynamic_step(x, labels, w, b, v):
    """A training step of a classifier whose batch size is known at run time only."""
    with tf.GradientTape() as tape:
        tape.watch([w, b, v])
        state, peephole = tf.zeros((tf.shape(x)[1], H)), tf.zeros((H,))
        h = tf.raw_ops.BlockLSTM(seq_len_max=tf.constant(T, tf.int64), x=x, cs_prev=state, h_prev=state, w=w, wci=peephole,
                                 wcf=peephole, wco=peephole, b=b, cell_clip=0.0).h
        logits = tf.matmul(h[-1], v)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    return (loss, *tape.gradient(loss, [w, b, v]))


def make_dynamic(name, title):
    random, classes = np.random.default_rng(3), 3
    function = tf.function(dynamic_step, input_signature=[
        tf.TensorSpec((T, None, I), name="x"), tf.TensorSpec((None,), tf.int32, name="labels"),
        tf.TensorSpec((I + H, 4 * H), name="w"), tf.TensorSpec((4 * H,), name="b"), tf.TensorSpec((H, classes), name="v")])
    inputs = [np.asarray(random.normal(size=s), np.float32) for s in ((T, B, I), (I + H, 4 * H), (4 * H,), (H, classes))]
    inputs.insert(1, random.integers(0, classes, (B,)).astype(np.int32))
    module = tool.import_function(function.get_concrete_function())
    results = [value.numpy() for value in function(*map(tf.constant, inputs))]
    cases.write(name, title, VERSIONS, "Inputs/tf_modules.py", [cases.flags(name, inputs, results)], module, "1e-5",
                ("--lowering=runtime", "--lowering=fused"))


def make_keras(name, title):
    """Layers of Keras whose GRU has cuDNN's order of gates, with weights as constants and a batch of dynamic size."""
    keras.utils.set_random_seed(3)
    layers = keras.layers
    model = keras.Sequential([keras.Input((T, I), name="sequence"), layers.LSTM(H, return_sequences=True),
                              layers.Bidirectional(layers.GRU(H)), layers.Dense(3)])
    inputs = [np.asarray(np.random.default_rng(3).normal(size=(B, T, I)), np.float32)]
    cases.write(name, title, f"{VERSIONS}, keras {keras.__version__}", "Inputs/tf_modules.py",
                [cases.flags(name, inputs, [model(inputs[0], training=False).numpy()])], tool.import_keras(model), "1e-5",
                ("--lowering=runtime", "--lowering=fused"))


make("tf-block-step", "a loss of tf.raw_ops.BlockLSTM and its gradient.", step, (T, B, I))
make("tf-block-while", "a layer in a while loop.", loop, (T, B, I))
make_dynamic("tf-dynamic-step", "a training step with a dynamic batch.")
make_keras("keras-layers", "a model of Keras with LSTM and bidirectional GRU.")
