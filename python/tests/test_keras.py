# test_keras.py - parameters of Keras 3 layers in rnn_mlir.jax, and back. Skipped without Keras.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

import numpy as np
import pytest

os.environ.setdefault("KERAS_BACKEND", "jax")
jax = pytest.importorskip("jax")
keras = pytest.importorskip("keras", minversion="3.0")

import rnn_mlir.jax as rnn  # noqa: E402

LAYERS = {"LSTM": rnn.lstm, "GRU": rnn.gru, "SimpleRNN": rnn.rnn}


@pytest.mark.parametrize("bidirectional", (False, True))
@pytest.mark.parametrize("name", LAYERS)
def test_layers(name, bidirectional):
    def make(return_sequences=True):
        layer = getattr(keras.layers, name)(6, return_sequences=return_sequences, bias_initializer="random_normal")
        return keras.layers.Bidirectional(layer) if bidirectional else layer
    stack = [make(), make()]
    x = np.random.default_rng(0).standard_normal((3, 5, 4)).astype(np.float32)
    want = stack[1](stack[0](x))
    params = rnn.from_keras(stack)
    y, _ = LAYERS[name](params, x, batch_first=True, bidirectional=bidirectional)
    np.testing.assert_allclose(y, want, rtol=0, atol=1e-6)
    other = [make(), make()]
    other[1](other[0](x))
    rnn.to_keras(params, other)
    np.testing.assert_allclose(other[1](other[0](x)), want, rtol=0, atol=1e-6)


def test_unsupported():
    layer = keras.layers.GRU(6, reset_after=False)
    layer.build((3, 5, 4))
    with pytest.raises(ValueError, match="reset_after=True"):
        rnn.from_keras(layer)
    layer = keras.layers.LSTM(6, activation="relu")
    layer.build((3, 5, 4))
    with pytest.raises(ValueError, match="no mode of rnn-mlir"):
        rnn.from_keras(layer)
    for make, message in ((lambda: keras.layers.LSTM(6, recurrent_activation="hard_sigmoid"),
                           "LSTM with activation tanh and recurrent_activation hard_sigmoid is no mode of rnn-mlir"),
                          (lambda: keras.Sequential([keras.layers.LSTM(6)]), "Sequential is no recurrent layer with weights of its own"),
                          (lambda: keras.layers.LSTM(6, go_backwards=True), "has go_backwards=True; expected False"),
                          (lambda: keras.layers.Bidirectional(keras.layers.GRU(6), merge_mode="sum"), "has merge_mode='sum'; expected 'concat'"),
                          (lambda: keras.layers.LSTM(6), "but got 0 arrays; build the layer first")):
        with pytest.raises(ValueError, match=message):
            rnn.from_keras(make())
    params, layer = rnn.init(jax.random.key(0), "gru", 4, 6), keras.layers.LSTM(6)
    with pytest.raises(ValueError, match="has no weights yet; build the layer first"):
        rnn.to_keras(params, layer)
    layer.build((3, 5, 4))
    with pytest.raises(ValueError, match="expected the 4 gates of lstm"):
        rnn.to_keras(params, layer)
    params = rnn.init(jax.random.key(0), "lstm", 4, 5)
    with pytest.raises(ValueError, match=r"arrays of shapes \[\(4, 20\), .* a LSTM; expected \[\(4, 24\)"):
        rnn.to_keras(params, layer)
