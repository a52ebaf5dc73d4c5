# test_params_keras.py - rnn-params and the configuration of Keras' files: layers that compute the same are read, with the results of
# Keras; all others are errors.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import warnings

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import numpy as np
import pytest

keras = pytest.importorskip("keras", minversion="3.0")

from rnn_mlir import _formats, _params_tool, cudnn_rnn, params  # noqa: E402
from rnn_mlir._hints import Hints  # noqa: E402

L = keras.layers
INPUT = (5, 3)
CLASSES = {"lstm": cudnn_rnn.CudnnLSTM, "gru": cudnn_rnn.CudnnGRU, "rnn_tanh": cudnn_rnn.CudnnRNNTanh, "rnn_relu": cudnn_rnn.CudnnRNNRelu}
pytestmark = pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5 file")


def layer(kind, units=4, **options):
    return getattr(L, kind)(units, return_sequences=True, **options)


def both(inner, **options):
    return L.Bidirectional(inner, **options)


def cells(*cells):
    return L.RNN(list(cells), return_sequences=True)


def chain(*layers):
    return keras.Sequential([keras.Input(INPUT), *layers])


def functional(build):
    x = keras.Input(INPUT)
    return keras.Model(x, build(x))


def save(model, path):
    random = np.random.default_rng(0)
    model.set_weights([0.4 * random.normal(size=w.shape).astype(w.dtype) for w in model.get_weights()])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a file .h5 is an old form
        model.save(path)


def outputs(stack, x):
    model = CLASSES[stack.mode](stack.num_layers, stack.hidden_size, stack.input_size, direction=stack.direction)
    state = np.zeros((stack.num_layers * stack.directions, len(x), stack.hidden_size), np.float32)
    states = (state, state) if stack.mode == "lstm" else (state,)
    return model(x.swapaxes(0, 1), *states, params.to_opaque(stack), False)[0].swapaxes(0, 1)


def masked(x):
    return layer("GRU")(L.Dropout(0.2)(layer("GRU")(L.Masking()(x))))


READ = {
    "lstm": lambda: chain(layer("LSTM"), layer("LSTM")),
    "many": lambda: chain(*[layer("LSTM") for _ in range(12)]),
    "gru": lambda: chain(layer("GRU", use_bias=False), L.Dropout(0.5), layer("GRU", use_bias=False)),
    "tanh": lambda: chain(layer("SimpleRNN")),
    "relu": lambda: chain(layer("SimpleRNN", activation="relu")),
    "bidirectional": lambda: chain(both(layer("GRU")), L.SpatialDropout1D(0.5), both(layer("GRU"))),
    "cells": lambda: chain(cells(L.LSTMCell(4), L.LSTMCell(4)), L.RNN(L.LSTMCell(4), return_sequences=True)),
    "models in a model": lambda: chain(chain(layer("LSTM")), layer("LSTM"), keras.Sequential([keras.Input((5, 4)), layer("LSTM")])),
    "functional": lambda: functional(masked),
    "own backward layer": lambda: chain(both(layer("LSTM"), backward_layer=layer("LSTM", go_backwards=True, name="own"))),
    "name": lambda: chain(layer("LSTM", name="backward_lstm"), layer("LSTM", name="a")),
}


@pytest.mark.parametrize("ending", (".keras", ".h5"))
@pytest.mark.parametrize("name", READ)
def test_computes_what_keras_computes(name, ending, tmp_path):
    """The order of the cells, their mode and their direction are those of the configuration."""
    model, path = READ[name](), str(tmp_path / f"model{ending}")
    save(model, path)
    x = np.random.default_rng(1).normal(size=(2, *INPUT)).astype(np.float32)
    stack = _formats.read(path)
    np.testing.assert_allclose(outputs(stack, x), model.predict(x, verbose=0), atol=1e-6)


def shared(x):
    return L.Add()([x, x])


def states(x):
    y, h, c = L.LSTM(4, return_sequences=True, return_state=True)(x)
    return layer("LSTM")(x, initial_state=[h, c])


def calls_a_model_twice(x):
    inner = functional(lambda y: layer("LSTM", 3)(y))
    return layer("LSTM", 3)(inner(inner(x)))


def calls_a_layer_twice(x):
    inner = layer("LSTM", 3)
    return layer("LSTM", 3)(inner(inner(x)))


@keras.saving.register_keras_serializable("tests", name="LSTM")
class Doubled(L.LSTM):
    """A layer of another computation, with the name of a known one."""

    def call(self, sequences, initial_state=None, mask=None, training=False):
        return 2 * super().call(sequences, initial_state=initial_state, mask=mask, training=training)


@keras.saving.register_keras_serializable("tests")
def tanh(x):
    return 2 * x


REFUSED = {
    "activation": (lambda: chain(layer("LSTM", activation="relu")), r"\(LSTM\) has the activation relu, .*; expected tanh"),
    "gates": (lambda: chain(layer("GRU", recurrent_activation="hard_sigmoid")), "has the recurrent activation hard_sigmoid, .*; expected sigmoid"),
    "linear": (lambda: chain(layer("SimpleRNN", activation="linear")), "has the activation linear, .*; expected tanh or relu"),
    "cell": (lambda: chain(cells(L.LSTMCell(4), L.LSTMCell(4, activation="relu"))), r"\(RNN\) has the activation relu"),
    "reverse": (lambda: chain(layer("GRU", go_backwards=True)), "has go_backwards=True"),
    "reset": (lambda: chain(layer("GRU", reset_after=False)), r"\(GRU\) has reset_after=False, .*; expected reset_after=True"),
    "reset without biases": (lambda: chain(layer("GRU", reset_after=False, use_bias=False)), r"\(GRU\) has reset_after=False, "),
    "reset of a cell": (lambda: chain(cells(L.GRUCell(4, reset_after=False))), r"\(RNN\) has reset_after=False, "),
    "class": (lambda: chain(Doubled(4, return_sequences=True)), r"\(tests>LSTM\) is of a class whose computation is not known"),
    "function": (lambda: chain(layer("LSTM", activation=tanh)), "has the activation tests>tanh, "),
    "shared layer": (lambda: functional(calls_a_layer_twice), r"\(LSTM\) is called several times, .*--prefix="),
    "shared model": (lambda: functional(calls_a_model_twice), r"\(LSTM\) is called several times, .*--prefix="),
    "kinds of cells": (lambda: chain(cells(L.LSTMCell(4), L.GRUCell(4))),
                       r"cells of several kinds \(gru, lstm\); choose .*--prefix=.*/gru_cell.*/, --prefix=.*/lstm_cell.*/"),
    "sum": (lambda: chain(both(layer("LSTM"), merge_mode="sum")), "has merge_mode=sum; expected concat"),
    "backward": (lambda: chain(both(layer("LSTM"), backward_layer=layer("LSTM", go_backwards=True, activation="relu"))),
                 "has the activation relu"),
    "cells of both directions": (lambda: chain(both(cells(L.LSTMCell(4), L.LSTMCell(4)))), "has 2 cells in each direction"),
    "kinds": (lambda: chain(layer("LSTM"), layer("GRU")), r"has cells of several kinds \(gru, lstm\); choose some .*--prefix="),
    "between": (lambda: chain(layer("LSTM"), L.LayerNormalization(), layer("LSTM")),
                r"\(LayerNormalization\) is between layer `.*` \(LSTM\) and .*--prefix=.*/, --prefix="),
    "sum of two": (lambda: functional(lambda x: layer("LSTM", 3)(shared(layer("LSTM", 3)(x)))), "does not read the outputs of .* alone"),
    "parallel": (lambda: functional(lambda x: L.Concatenate()([layer("LSTM")(x), layer("LSTM")(x)])), "does not read the outputs of"),
    "states": (lambda: functional(states), "does not read the outputs of"),
    "wrapper": (lambda: chain(L.Reshape((5, 1, 3)), L.TimeDistributed(layer("LSTM"))), r"\(TimeDistributed\) is of a class whose computation"),
}


@pytest.mark.parametrize("ending", (".keras", ".h5"))
@pytest.mark.parametrize("name", REFUSED)
def test_refuses_other_layers(name, ending, tmp_path, capsys):
    make, message = REFUSED[name]
    path = str(tmp_path / f"model{ending}")
    save(make(), path)
    with pytest.raises(ValueError, match=message) as found:
        _formats.read(path)
    assert path in str(found.value)
    assert _params_tool.main(["inspect", path]) == 1 and capsys.readouterr().err.startswith("rnn-params: error: ")


@pytest.mark.parametrize("ending,prefixes", ((".keras", ("layers/lstm/", "layers/lstm_1/")), (".h5", ("first/", "second/"))))
def test_prefix(ending, prefixes, tmp_path):
    """One of two layers that are no stack, with the results of that layer."""
    model, path = chain(layer("LSTM", name="first"), L.LayerNormalization(), layer("LSTM", name="second")), str(tmp_path / f"m{ending}")
    save(model, path)
    with pytest.raises(_formats.FormatError, match=f"--prefix={prefixes[0]}, --prefix={prefixes[1]}"):
        _formats.read(path)
    x = np.random.default_rng(1).normal(size=(2, *INPUT)).astype(np.float32)
    for prefix, name in zip(prefixes, ("first", "second")):
        before = model.get_layer(name)
        given = keras.Model(model.inputs, before.input).predict(x, verbose=0)
        stack = _formats.read(path, None, Hints(prefix=prefix))
        want = keras.Model(model.inputs, before.output).predict(x, verbose=0)
        np.testing.assert_allclose(outputs(stack, given), want, atol=1e-6)
    with pytest.raises(_formats.FormatError, match=f"no recurrent cell below `none`; it has --prefix={prefixes[0]}"):
        _formats.read(path, None, Hints(prefix="none"))


def test_mode_of_simple_layers(tmp_path, capsys):
    """The configuration states the function of a SimpleRNN; an option that contradicts it is an error."""
    path = str(tmp_path / "model.keras")
    save(chain(layer("SimpleRNN", activation="relu")), path)
    assert _params_tool.main(["inspect", path]) == 0 and "mode: rnn_relu" in capsys.readouterr().out
    assert _params_tool.main(["inspect", path, "--mode=rnn_tanh"]) == 1
    assert "layers with mode rnn_relu, but --mode=rnn_tanh is given" in capsys.readouterr().err


def test_files_without_configuration(tmp_path, capsys):
    """Weights alone, and models that are classes of their own: a warning."""
    model, path = chain(layer("LSTM")), str(tmp_path / "model.weights.h5")
    model.save_weights(path)
    assert _params_tool.main(["inspect", path]) == 0
    printed = capsys.readouterr()
    assert "mode: lstm" in printed.out and printed.err.startswith("rnn-params: warning: ") and "they are not checked" in printed.err

    @keras.saving.register_keras_serializable("tests")
    class Own(keras.Model):
        def __init__(self, **options):
            super().__init__(**options)
            self.layer = layer("LSTM")

        def call(self, x):
            return self.layer(x)

    own, path = Own(), str(tmp_path / "own.keras")
    own(np.zeros((1, *INPUT), np.float32))
    own.save(path)
    assert _params_tool.main(["inspect", path]) == 0 and "they are not checked" in capsys.readouterr().err


def test_order_in_files_without_configuration(tmp_path):
    """Numbers in paths order the layers; other paths do not, since a group of HDF5 has no order."""
    model, path = chain(chain(layer("LSTM")), layer("LSTM")), str(tmp_path / "model.weights.h5")
    save(model, str(tmp_path / "model.keras"))
    model.save_weights(path)
    prefixes = ("layers/lstm/", "layers/sequential/layers/lstm/")
    with pytest.raises(_formats.FormatError, match=f"does not state the order of its layers; choose some .*: --prefix={prefixes[0]}, "
                                                   f"--prefix={prefixes[1]}"):
        _formats.read(path)
    x = np.random.default_rng(1).normal(size=(2, *INPUT)).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for prefix in reversed(prefixes):
            x = outputs(_formats.read(path, None, Hints(prefix=prefix)), x)
    want = model.predict(np.random.default_rng(1).normal(size=(2, *INPUT)).astype(np.float32), verbose=0)
    np.testing.assert_allclose(x, want, atol=1e-6)
