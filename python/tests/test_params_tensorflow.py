# test_params_tensorflow.py - files of rnn-params that Keras 3 and TensorFlow write and read themselves: bit-exact, and the
# results of their layers. Needs tensorflow-cpu and h5py (scripts/test.sh --long installs them).
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import os

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np  # noqa: E402
import pytest  # noqa: E402
import reference  # noqa: E402
from rnn_mlir import _formats, _params_tool, cudnn_rnn, params  # noqa: E402
from test_params import DIRECTIONS, MODES, SIZES, equal, make  # noqa: E402

tf = pytest.importorskip("tensorflow")
keras = pytest.importorskip("keras")
pytest.importorskip("h5py")

pytestmark = pytest.mark.filterwarnings("ignore:.*does not state the activations")
CASES = list(itertools.product(MODES, DIRECTIONS))


def make_model(mode, direction, layers=2, **options):
    """A model of Keras with random parameters in every variable."""
    kind = {"lstm": keras.layers.LSTM, "gru": keras.layers.GRU}.get(mode, keras.layers.SimpleRNN)
    if mode == "rnn_relu":
        options["activation"] = "relu"
    model = keras.Sequential([keras.Input((None, 3))])
    for _ in range(layers):
        layer = kind(4, return_sequences=True, **options)
        model.add(keras.layers.Bidirectional(layer) if direction == "bidirectional" else layer)
    random = np.random.default_rng(2)
    model.set_weights([random.standard_normal(w.shape).astype(np.float32) for w in model.get_weights()])
    return model


def weights(stack):
    return [array for layer in params.to_keras(stack) for array in layer]


def results(stack, x):
    d = stack.directions
    zeros = np.zeros((stack.num_layers * d, x.shape[1], 4))
    return reference.forward(stack.mode, d, x, zeros, zeros if stack.mode == "lstm" else None,
                             params.to_opaque(stack).astype(np.float64))[0]


@pytest.mark.parametrize("mode,direction", CASES)
@pytest.mark.parametrize("ending", (".keras", ".weights.h5", ".h5"))
def test_reads_what_keras_writes(ending, mode, direction, tmp_path):
    path = str(tmp_path / ("model" + ending))
    model = make_model(mode, direction)
    (model.save_weights if ending == ".weights.h5" else model.save)(path)
    stack = _formats.read(path, None, _formats.Hints(mode))
    assert (stack.mode, stack.direction, stack.num_layers) == (mode, direction, 2)
    assert all(np.array_equal(a, b) for a, b in zip(weights(stack), model.get_weights()))
    x = np.random.default_rng(3).standard_normal((5, 2, 3)).astype(np.float32)
    y = np.asarray(model(x.transpose(1, 0, 2))).transpose(1, 0, 2)
    np.testing.assert_allclose(results(stack, x.astype(np.float64)), y, atol=1e-5)


@pytest.mark.parametrize("mode,direction", CASES)
@pytest.mark.parametrize("ending", (".keras", ".weights.h5"))
def test_keras_reads_what_we_write(ending, mode, direction, tmp_path):
    path = str(tmp_path / ("model" + ending))
    stack = make(mode, direction, two_biases=mode == "gru")
    _formats.write(path, stack)
    if ending == ".keras":
        model = keras.saving.load_model(path)
    else:
        model = make_model(mode, direction)
        model.load_weights(path)
    assert all(np.array_equal(a, b) for a, b in zip(weights(stack), model.get_weights()))
    assert equal(_formats.read(path, None, _formats.Hints(mode)), stack)


def test_many_layers_keep_their_order(tmp_path):
    """In an HDF5 file, lstm_10 precedes lstm_2."""
    model = make_model("lstm", "unidirectional", layers=12)
    for ending in (".keras", ".h5"):
        path = str(tmp_path / ("model" + ending))
        model.save(path)
        stack = _formats.read(path)
        assert all(np.array_equal(a, b) for a, b in zip(weights(stack), model.get_weights()))


def test_layers_without_biases_and_other_grus(tmp_path):
    path = str(tmp_path / "model.keras")
    model = make_model("lstm", "unidirectional", use_bias=False)
    model.save(path)
    stack = _formats.read(path)
    assert not stack.layers[0].bw.any() and np.array_equal(stack.layers[0].r.T, model.get_weights()[1])
    make_model("gru", "unidirectional", reset_after=False).save(path)
    with pytest.raises(ValueError, match="reset_after"):
        _formats.read(path)


def hints(mode, direction, prefix=""):
    return _formats.Hints(mode, direction, prefix=prefix, **SIZES)


@pytest.mark.parametrize("mode,direction", CASES)
def test_checkpoints(mode, direction, tmp_path):
    path = str(tmp_path / "model.ckpt")
    stack = make(mode, direction)
    _formats.write(path, stack, "tensorflow", hints(mode, direction, "net/"))
    reader = tf.train.load_checkpoint(path)
    variables = params.to_tensorflow(stack, "net")
    assert set(reader.get_variable_to_shape_map()) == set(variables)
    assert all(np.array_equal(reader.get_tensor(name), array) for name, array in variables.items())
    again = _formats.read(path, "tensorflow", hints(mode, direction, "net/"))
    assert all(np.array_equal(a, variables[n]) for n, a in params.to_tensorflow(again, "net").items())


def test_checkpoint_of_a_saver(tmp_path):
    """Variables as TensorFlow 1 saves them, among others."""
    path = str(tmp_path / "model.ckpt")
    stack = make("lstm", "unidirectional")
    wanted = params.to_tensorflow(stack)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        for name, array in {**wanted, "step": np.zeros((), np.int64)}.items():
            tf.compat.v1.get_variable(name, initializer=array)
        session.run(tf.compat.v1.global_variables_initializer())
        tf.compat.v1.train.Saver().save(session, path)
    npz = str(tmp_path / "a.npz")
    assert _params_tool.main(["convert", path, npz, "--mode=lstm"]) == 0
    again = params.to_tensorflow(_formats.read(npz, "canonical"))
    assert set(again) == set(wanted) and all(np.array_equal(again[n], wanted[n]) for n in wanted)
    assert _params_tool.main(["convert", npz, str(tmp_path / "b.ckpt")]) == 0
    reader = tf.train.load_checkpoint(str(tmp_path / "b.ckpt"))
    assert all(np.array_equal(reader.get_tensor(name), array) for name, array in wanted.items())


@pytest.mark.parametrize("mode", ("lstm", "gru"))
def test_checkpoints_state_their_mode(mode, tmp_path, capsys):
    """The names of the cells state the mode, and the index of a checkpoint names it."""
    path, kind = str(tmp_path / "model.ckpt"), {"lstm": cudnn_rnn.CudnnLSTM, "gru": cudnn_rnn.CudnnGRU}[mode]
    flat = np.random.default_rng(0).normal(size=kind(2, 4, 3).params_size()).astype(np.float32)
    _formats.write(path, params.from_opaque(flat, mode, "unidirectional", 3, 4, 2))
    for name in (path, path + ".index"):
        stack = _formats.read(name)
        assert stack.mode == mode and stack.num_layers == 2
    _formats.write(str(tmp_path / "again.ckpt.index"), stack)
    assert {name for name in os.listdir(tmp_path) if name.startswith("again")} == {"again.ckpt.index", "again.ckpt.data-00000-of-00001"}
    with pytest.raises(_formats.FormatError, match=f"layers with mode {mode}, but --mode=rnn_tanh is given"):
        _formats.read(path, None, _formats.Hints("rnn_tanh"))


def test_checkpoints_are_replaced_as_a_whole(tmp_path, monkeypatch):
    path, stack = str(tmp_path / "model.ckpt"), make("lstm", "unidirectional")
    _formats.write(path, stack)
    other = make("gru", "unidirectional")
    os.chmod(path + ".index", 0o444)
    with pytest.raises(_formats.FormatError, match=f"{path} cannot be written: it is read-only"):
        _formats.write(path, other)
    os.chmod(path + ".index", 0o644)
    with monkeypatch.context() as patch:
        patch.setattr(tf, "constant", lambda array: 1 / 0)
        with pytest.raises(_formats.FormatError, match=f"{path} cannot be written as tensorflow: ZeroDivisionError"):
            _formats.write(path, other)
    with pytest.raises(_formats.FormatError, match="cannot be written: there is no folder"):
        _formats.write(str(tmp_path / "none" / "model.ckpt"), other)
    assert _formats.read(path).mode == "lstm" and len(os.listdir(tmp_path)) == 2
    _formats.write(path, other)
    assert _formats.read(path).mode == "gru" and len(os.listdir(tmp_path)) == 2


def test_other_checkpoints(tmp_path):
    """Objects and folders have errors that say what to do."""
    model = keras.Sequential([keras.Input((None, 3)), keras.layers.LSTM(4)])
    tf.train.Checkpoint(model=model).write(str(tmp_path / "objects.ckpt"))
    with pytest.raises(_formats.FormatError, match="has the objects of tf.train.Checkpoint or of a SavedModel.*save a Keras model as .keras"):
        _formats.read(str(tmp_path / "objects.ckpt"))
    with pytest.raises(_formats.FormatError, match="is a folder"):
        _formats.read(str(tmp_path), "tensorflow")
    tf.raw_ops.SaveV2(prefix=str(tmp_path / "plain.ckpt"), tensor_names=["rnn/multi_rnn_cell/cell_0/basic_rnn_cell/kernel"],
                      shape_and_slices=[""], tensors=[tf.zeros((7, 4))])
    with pytest.raises(_formats.FormatError, match="has plain cells, .*give --mode=rnn_tanh or --mode=rnn_relu"):
        _formats.read(str(tmp_path / "plain.ckpt"))
    tf.raw_ops.SaveV2(prefix=str(tmp_path / "other.ckpt"), tensor_names=["dense/kernel"], shape_and_slices=[""], tensors=[tf.zeros((7, 4))])
    with pytest.raises(_formats.FormatError, match="no layers with .* in the names of their variables; it has dense/kernel"):
        _formats.read(str(tmp_path / "other.ckpt"))
