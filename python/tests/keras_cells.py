# keras_cells.py - a recurrent cell of a program, for tests of rnn-import-tf.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import keras


class Cell(keras.layers.Layer):
    """y = sigmoid(W [x, h] + b), whose half is the next state h."""

    def __init__(self, units):
        super().__init__()
        self.state_size, self.dense = [units], keras.layers.Dense(units)

    def build(self, shape):
        self.dense.build((None, shape[-1] + self.state_size[0]))
        self.built = True

    def call(self, x, states):
        y = keras.ops.sigmoid(self.dense(keras.ops.concatenate([x, states[0]], -1)))
        return y, [y * 0.5]
