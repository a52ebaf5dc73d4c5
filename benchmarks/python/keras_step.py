# keras_step.py - training steps of Keras models on the CPU: imported and compiled by rnn_mlir.compile, by Keras with graphs of TensorFlow,
# and by Keras with XLA (jit_compile=True).
#   RNNRT_THREADS=2 python keras_step.py [--seconds=2] [NAME...]
# All use the same processors and update the weights by Adam. The steps of Keras are model.train_on_batch. Each round has three calls of
# each in turn, after one that is not timed: threads of the one before may still spin. The error is the largest difference of a variable
# from that of Keras after three steps, relative to the largest element of the variable. NAME: only models whose names contain one of
# these texts.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmark of training steps of Keras models."""

import argparse
import os
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["KERAS_BACKEND"] = "tensorflow"
import keras  # noqa: E402
import numpy as np  # noqa: E402
import rnn_mlir  # noqa: E402
import tensorflow as tf  # noqa: E402
from common import interleaved, processor  # noqa: E402
from rnn_mlir.importers import tensorflow  # noqa: E402

L = keras.layers


class Cell(L.Layer):
    """A cell of a program."""

    def __init__(self, size):
        super().__init__()
        self.state_size, self.dense = [size], L.Dense(size)

    def build(self, shape):
        self.dense.build((None, shape[-1] + self.state_size[0]))
        self.built = True

    def call(self, x, states):
        y = keras.ops.tanh(self.dense(keras.ops.concatenate([x, states[0]], -1)))
        return y, [0.5 * states[0] + 0.5 * y]


#: name, layers, shape of the inputs, and for texts the number of words. A name with "dynamic": unknown batch size and number of steps
CASES = (
    ("LSTM 64 (32,50,32)", lambda: [L.LSTM(64), L.Dense(8)], (32, 50, 32), None),
    ("LSTM 64 (32,50,32), dynamic", lambda: [L.LSTM(64), L.Dense(8)], (32, 50, 32), None),
    ("GRU 64 (32,50,32)", lambda: [L.GRU(64), L.Dense(8)], (32, 50, 32), None),
    ("GRU 128, 2 layers (16,100,64)", lambda: [L.GRU(128, return_sequences=True), L.GRU(128), L.Dense(8)], (16, 100, 64), None),
    ("LSTM 256 (16,64,128)", lambda: [L.LSTM(256, return_sequences=True), L.Dense(64)], (16, 64, 128), None),
    ("LSTM 512 (32,32,256)", lambda: [L.LSTM(512), L.Dense(64)], (32, 32, 256), None),
    ("bidirectional LSTM 64 (16,80,32)", lambda: [L.Bidirectional(L.LSTM(64, return_sequences=True)), L.LSTM(64), L.Dense(2)], (16, 80, 32),
     None),
    ("text, LSTM 128 (32,40)", lambda: [L.Embedding(2000, 64), L.LSTM(128, return_sequences=True), L.Dense(2000)], (32, 40), 2000),
    ("text, masked GRU 64 (32,40)", lambda: [L.Embedding(2000, 32, mask_zero=True), L.GRU(64), L.Dense(10)], (32, 40), 2000),
    ("SimpleRNN 64 (32,50,32)", lambda: [L.SimpleRNN(64), L.Dense(8)], (32, 50, 32), None),
    ("SimpleRNN 64 (32,50,32), dynamic", lambda: [L.SimpleRNN(64), L.Dense(8)], (32, 50, 32), None),
    ("GRU 64 before reset (32,50,32)", lambda: [L.GRU(64, reset_after=False), L.Dense(8)], (32, 50, 32), None),
    ("LSTM 64, relu (32,50,32)", lambda: [L.LSTM(64, activation="relu"), L.Dense(8)], (32, 50, 32), None),
    ("cells (16,40,32)", lambda: [L.RNN([L.LSTMCell(32), L.GRUCell(32)]), L.Dense(2)], (16, 40, 32), None),
    ("own cell 32 (16,40,32)", lambda: [L.RNN(Cell(32)), L.Dense(2)], (16, 40, 32), None),
    ("own cell 256 (32,40,64)", lambda: [L.RNN(Cell(256)), L.Dense(2)], (32, 40, 64), None),
    ("ConvLSTM2D 8 (4,8,16,16,3)", lambda: [L.ConvLSTM2D(8, 3, padding="same"), L.Flatten(), L.Dense(2)], (4, 8, 16, 16, 3), None),
)


def make(layers, shape, is_text, is_dynamic, jit):
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((None, *shape[2:]) if is_dynamic else shape[1:], None if is_dynamic else shape[0],
                                          dtype="int32" if is_text else "float32"), *layers()])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True) if is_text else "mse"
    model.compile(optimizer="adam", loss=loss, jit_compile=jit)
    return model


def run(name, layers, shape, classes, seconds):
    generator = np.random.default_rng(0)
    is_text, is_dynamic = classes is not None, "dynamic" in name
    models = {"Keras": make(layers, shape, is_text, is_dynamic, False), "XLA": make(layers, shape, is_text, is_dynamic, True)}
    model = models["Keras"]
    outputs = [shape[0], *[size or shape[1] for size in model.outputs[0].shape[1:]]]
    if is_text:
        x = generator.integers(1, classes, shape).astype(np.int32)
        y = generator.integers(0, outputs[-1], outputs[:-1]).astype(np.int32)
    else:
        x, y = (generator.standard_normal(size).astype(np.float32) for size in (shape, outputs))
    start = time.perf_counter()
    step = rnn_mlir.compile(tensorflow.import_keras_training(model, update=True))
    compiled = time.perf_counter() - start
    variables = [*model.trainable_variables, *model.non_trainable_variables, *model.optimizer.variables]
    state = [variable.numpy() for variable in variables]
    for _ in range(3):
        _, *state = step(x, y, *state)
        model.train_on_batch(x, y)
    error = max(np.abs(value - variable.numpy()).max() / max(np.abs(value).max(), 1e-30)
                for variable, value in zip(variables, state) if value.dtype == np.float32)

    def ours():
        nonlocal state
        _, *state = step(x, y, *state)

    def theirs(other):
        def call():  # returns nothing: `interleaved` would take the loss for a time
            other.train_on_batch(x, y)
        return call
    steps = {"ours": ours, **{key: theirs(other) for key, other in models.items()}}
    try:
        models["XLA"].train_on_batch(x, y)
    except Exception:  # XLA does not compile all of TensorFlow's ops
        del steps["XLA"]
    medians, _ = interleaved(steps, seconds, calls=3)
    best = medians["ours"]
    xla = (f"{medians['XLA'] * 1e3:.3g}", f"{medians['XLA'] / best:.2f}") if "XLA" in medians else ("-", "-")
    print(f"| {name} | {best * 1e3:.3g} | {medians['Keras'] * 1e3:.3g} | {xla[0]} | {medians['Keras'] / best:.2f} | {xla[1]} | {error:.0e} "
          f"| {compiled:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    threads = int(os.environ.get("RNNRT_THREADS", os.cpu_count()))
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    print(f"{processor()}, {threads} threads, TensorFlow {tf.__version__}, Keras {keras.__version__}\n")
    print("| model, (B,T,I) | ours, ms | Keras | XLA | Keras / ours | XLA / ours | error | seconds to import and compile |")
    print("|---|---|---|---|---|---|---|---|")
    for name, layers, shape, classes in CASES:
        if not options.names or any(text in name for text in options.names):
            run(name, layers, shape, classes, options.seconds)


if __name__ == "__main__":
    main()
