# keras_model.py - saves a compiled model of Keras with recurrent layers.
#
#   pip install tensorflow-cpu        tested with 2.21.0, which installs Keras 3
#   python keras_model.py FILE.keras
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import keras

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((7, 3), name="sequence"),
                          keras.layers.Bidirectional(keras.layers.GRU(8, return_sequences=True)),
                          keras.layers.LSTM(4), keras.layers.Dense(2)])
model.compile(optimizer="adam", loss="mse")
model.save(sys.argv[1])
