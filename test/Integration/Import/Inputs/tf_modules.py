# tf_modules.py - training steps of TensorFlow, imported by rnn-import-tf, with TensorFlow's results on the CPU.
#
#   python3 -m venv VENV && VENV/bin/pip install tensorflow-cpu==2.21.0 jax==0.10.2
#   VENV/bin/python test/Integration/Import/Inputs/tf_modules.py
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import cases  # noqa: E402

loader = importlib.machinery.SourceFileLoader("rnn_import_tf",
                                              os.path.join(HERE, "../../../../tools/rnn-import-tf/rnn-import-tf"))
spec = importlib.util.spec_from_loader("rnn_import_tf", loader)
tool = importlib.util.module_from_spec(spec)
loader.exec_module(tool)
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


make("tf-block-step", "a loss of tf.raw_ops.BlockLSTM and its gradient.", step, (T, B, I))
make("tf-block-while", "a layer in a while loop.", loop, (T, B, I))
