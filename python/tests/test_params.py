# test_params.py - layouts of parameters: bit-exact round trips, and equal results in each framework that is installed.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import os

import numpy as np
import pytest
import reference
from rnn_mlir import _formats, _layers, _params_tool, params

MODES = ("lstm", "gru", "rnn_tanh", "rnn_relu")
DIRECTIONS = ("unidirectional", "bidirectional")
SIZES = dict(input_size=3, hidden_size=4, layers=2)


def make(mode, direction, dtype=np.float32, two_biases=True):
    d = 2 if direction == "bidirectional" else 1
    flat = np.random.default_rng(0).standard_normal(reference.count_params(mode, d, 3, 4, 2)).astype(dtype)
    stack = params.from_opaque(flat.copy(), mode, direction, **SIZES)
    if not two_biases:
        for layer in stack.layers:
            layer.br[:] = 0
    return stack


def equal(a, b):
    assert (a.mode, a.direction) == (b.mode, b.direction)
    return np.array_equal(params.to_opaque(a), params.to_opaque(b)) and a.dtype == b.dtype


@pytest.mark.parametrize("mode,direction", list(itertools.product(MODES, DIRECTIONS)))
def test_opaque_is_the_layout_of_the_layers(mode, direction):
    d = 2 if direction == "bidirectional" else 1
    stack = make(mode, direction)
    flat = params.to_opaque(stack)
    for layer, (w, r, bw, br) in zip(stack.layers, reference.split(mode, d, 3, 4, 2, flat)):
        assert all(np.array_equal(a, b) for a, b in zip((layer.w, layer.r, layer.bw, layer.br), (w, r, bw, br)))


@pytest.mark.parametrize("mode,direction", list(itertools.product(MODES, DIRECTIONS)))
def test_round_trips_in_memory(mode, direction):
    stack = make(mode, direction)
    assert equal(params.from_torch(params.to_torch(stack, "rnn."), mode, "rnn."), stack)
    assert equal(params.from_onnx(params.to_onnx(stack), mode), stack)
    weights, biases = params.to_canonical(stack)
    assert equal(params.from_canonical(weights, biases, mode, direction, 3, 4), stack)
    # Formats with one bias: the sum round-trips.
    keras = params.to_keras(stack)
    again = params.to_keras(params.from_keras(keras, mode, direction))
    assert all(np.array_equal(a, b) for x, y in zip(keras, again) for a, b in zip(x, y))
    variables = params.to_tensorflow(stack)
    again = params.to_tensorflow(params.from_tensorflow(variables, mode, direction))
    assert list(variables) == list(again) and all(np.array_equal(variables[n], again[n]) for n in variables)


def test_projection():
    rows, width = 16, 2
    flat = np.arange(rows * (3 + width) + width * 4 + 2 * rows, dtype=np.float32)
    stack = params.from_opaque(flat, "lstm", "unidirectional", 3, 4, projection=width)
    assert stack.layers[0].projection.shape == (2, 4)
    assert equal(params.from_torch(params.to_torch(stack), "lstm"), stack)
    with pytest.raises(ValueError, match="Keras has no projection"):
        params.to_keras(stack)


@pytest.mark.parametrize("dtype", (np.float16, np.float32, np.float64))
@pytest.mark.parametrize("mode", ("lstm", "gru", "rnn_tanh"))
def test_bits_of_summed_biases(mode, dtype):
    """Formats with one bias for two of ours keep its bits: subnormals, which halves round, both zeros, and infinities."""
    small = np.finfo(dtype).smallest_subnormal
    values = np.array([small, 3 * small, -5 * small, 0.0, -0.0, np.inf, -np.inf, 1.1, -3.3, np.finfo(dtype).max, np.finfo(dtype).tiny,
                       1 / 3], dtype)
    gates = {"lstm": 4, "gru": 2, "rnn_tanh": 1}[mode]
    hidden = values.size // gates
    stack = params.Stack(mode, "unidirectional", [params.PseudoLayer(*(np.ones(s, dtype) for s in (
        (len(_layers.GATES[mode]) * hidden, 2), (len(_layers.GATES[mode]) * hidden, hidden), (len(_layers.GATES[mode]) * hidden,),
        (len(_layers.GATES[mode]) * hidden,))))])
    variables = params.to_tensorflow(stack)
    name = next(key for key in variables if key.endswith("gates/bias" if mode == "gru" else "/bias"))
    variables[name] = values
    again = params.to_tensorflow(params.from_tensorflow(variables, mode))
    assert again[name].tobytes() == values.tobytes()
    if mode != "gru":  # which has both biases in Keras
        weights = params.to_keras(stack)
        weights[0][2] = values
        assert params.to_keras(params.from_keras(weights, mode))[0][2].tobytes() == values.tobytes()


def test_element_types(tmp_path, capsys):
    """Of arrays of several types, which no conversion may narrow."""
    torch = pytest.importorskip("torch")
    state = torch.nn.LSTM(3, 4).state_dict()
    state["weight_hh_l0"] = state["weight_hh_l0"].double() + 1e-12
    torch.save(state, tmp_path / "mixed.pt")
    assert _params_tool.main(["inspect", str(tmp_path / "mixed.pt")]) == 0
    assert "element type: float32, float64" in capsys.readouterr().out
    for name in ("a.npy", "a.safetensors"):
        if name.endswith("safetensors"):
            pytest.importorskip("safetensors")
        assert _params_tool.main(["convert", str(tmp_path / "mixed.pt"), str(tmp_path / name)]) == 0
    assert np.load(tmp_path / "a.npy").dtype == np.float64


def test_gate_orders():
    """Rows of gate k hold k, by our order."""
    w = np.repeat(np.arange(4.0), 2)[:, None]
    for framework, wanted in (("onnx", [0, 3, 1, 2]), ("tensorflow", [0, 2, 1, 3]), ("keras", [0, 1, 2, 3])):
        assert params.reorder(w, "lstm", framework)[::2, 0].tolist() == wanted
    w = np.repeat(np.arange(3.0), 2)[:, None]
    assert params.reorder(w, "gru", "onnx")[::2, 0].tolist() == [1, 0, 2]
    assert params.reorder(params.reorder(w, "gru", "onnx"), "gru", "onnx", back=True)[::2, 0].tolist() == [0, 1, 2]


def test_errors():
    with pytest.raises(ValueError, match=r"lstm, unidirectional, I=3, H=4, L=2 has 304 parameters, but got 7"):
        params.from_opaque(np.zeros(7), "lstm", "unidirectional", **SIZES)
    with pytest.raises(ValueError, match="no `weight_ih_l0`"):
        params.from_torch({"x": np.zeros(1)}, "gru")
    stack = make("gru", "bidirectional")
    for name in ("bias_hh_l0", "weight_hh_l1", "weight_ih_l0", "weight_ih_l1", "weight_ih_l1_reverse"):
        state = params.to_torch(stack)
        del state[name]
        with pytest.raises(ValueError, match=f"the state dict has no `{name}`"):
            params.from_torch(state, "gru")
    with pytest.raises(ValueError, match="reset_after"):
        params.from_keras([[np.zeros((3, 12)), np.zeros((4, 12)), np.zeros(12)]], "gru")


FILES = {"canonical": "f.npz", "opaque": "f.npy", "jax": "f.bin", "torch": "f.pt", "safetensors": "f.safetensors",
         "keras": "f.weights.h5", "onnx": "f.onnx", "tensorflow": "tf.npz"}
NEEDS = {"torch": "torch", "safetensors": "safetensors.numpy", "keras": "h5py", "onnx": "onnx"}


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("mode,direction", list(itertools.product(MODES, DIRECTIONS)))
def test_files(form, mode, direction, tmp_path):
    if form in NEEDS:
        pytest.importorskip(NEEDS[form])
    path = str(tmp_path / FILES[form])
    stack = make(mode, direction, two_biases=form not in ("keras",))
    hints = _formats.Hints(mode, direction, **SIZES)
    _formats.write(path, stack, form)
    again = _formats.read(path, form, hints)
    if form == "tensorflow":  # the bias of a gate comes back as two halves of the sum
        variables, others = params.to_tensorflow(stack), params.to_tensorflow(again)
        assert all(np.array_equal(variables[n], others[n]) for n in variables)
    else:
        assert equal(again, stack)


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_files_with_projection(form, direction, tmp_path, capsys):
    """Keras, ONNX and TensorFlow's cells have none, and refuse it."""
    if form in NEEDS:
        pytest.importorskip(NEEDS[form])
    size = _layers.params_size("lstm", 3, 4, 2, _layers.DIRECTIONS[direction], 2)
    flat, path = np.random.default_rng(0).standard_normal(size).astype(np.float32), str(tmp_path / FILES[form])
    stack = params.from_opaque(flat, "lstm", direction, **SIZES, projection=2)
    if form in ("keras", "onnx", "tensorflow"):
        with pytest.raises(ValueError, match="ha(s|ve) no projection of the state, but the layers have one to 2 elements"):
            _formats.write(path, stack, form)
        assert not os.path.exists(path)
        return
    _formats.write(path, stack, form)
    again = _formats.read(path, form, _formats.Hints("lstm", direction, **SIZES, projection=2))
    assert again.output_size == 2 and equal(again, stack)
    hints = ["--mode=lstm", f"--direction={direction}", "--input-size=3", "--hidden-size=4", "--layers=2", "--projection=2"]
    assert _params_tool.main(["inspect", path, "--from", form, *hints]) == 0
    assert "projection" in capsys.readouterr().out
    copy = str(tmp_path / "copy.npz")
    assert _params_tool.main(["convert", path, copy, "--from", form, *hints]) == 0
    assert equal(_formats.read(copy), stack)


@pytest.mark.parametrize("form", FILES)
def test_damaged_files(form, tmp_path, capsys):
    """Each change of a file is read, or is an error with a message."""
    if form in NEEDS:
        pytest.importorskip(NEEDS[form])
    path, hints = tmp_path / FILES[form], _formats.Hints("lstm", "bidirectional", **SIZES)
    _formats.write(str(path), make("lstm", "bidirectional", two_biases=form != "keras"), form)
    content, generator = path.read_bytes(), np.random.default_rng(7)
    for k in range(60):
        damaged = bytearray(content)
        if k % 3 == 0:
            del damaged[generator.integers(len(damaged)):]
        else:
            # The head of a file has its structure.
            most = len(damaged) if k % 3 == 1 else min(len(damaged), 400)
            for at in generator.integers(most, size=4):
                damaged[at] = generator.integers(256)
        path.write_bytes(damaged)
        try:
            _formats.read(str(path), form, hints)
        except (OSError, ValueError) as error:
            assert str(error)
    path.write_bytes(b"something else")
    arguments = ["--from", form, "--mode=lstm", "--direction=bidirectional", "--layers=2", "--input-size=3", "--hidden-size=4"]
    assert _params_tool.main(["inspect", str(path), *arguments]) == 1
    assert "rnn-params: error: " in capsys.readouterr().err


@pytest.mark.parametrize("form", FILES)
def test_failing_writes_keep_the_file(form, tmp_path, monkeypatch):
    path = tmp_path / FILES[form]
    path.write_bytes(b"something else")

    def fail(temporary, stack, hints):
        with open(temporary, "wb") as file:
            file.write(b"a part")
        raise OSError("no space left on device")

    monkeypatch.setitem(_formats.FORMATS, form, (_formats.FORMATS[form][0], fail, ()))
    with pytest.raises(OSError, match="no space"):
        _formats.write(str(path), make("lstm", "bidirectional"), form)
    assert path.read_bytes() == b"something else" and os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("form,lstm,gru,biases", (
    ("torch", "i f g o", "r z n", "two per gate"), ("safetensors", "i f g o", "r z n", "two per gate"),
    ("jax", "i f g o", "r z n", "two per gate"), ("canonical", "i f g o", "r z n", "two per gate"),
    ("keras", "i f g o", "z r n", "one"), ("onnx", "i o f g", "z r n", "two per gate"), ("tensorflow", "i g f o", "r z n", "one")))
def test_description(form, lstm, gru, biases, tmp_path, capsys):
    """The table of docs/Python.md. `test_onnx_computes_the_same` and others compute with these orders."""
    if form in NEEDS:
        pytest.importorskip(NEEDS[form])
    path = str(tmp_path / FILES[form])
    for mode, order in (("lstm", lstm), ("gru", gru)):
        _formats.write(path, make(mode, "unidirectional", two_biases=form != "keras"), form)
        options = ["--mode", mode, "--input-size=3", "--hidden-size=4", "--layers=2", "--direction=unidirectional"]
        assert _params_tool.main(["inspect", path, "--from", form, *options]) == 0
        text = capsys.readouterr().out
        assert f"gate order: {order}\n" in text and (mode == "gru" or f"biases: {biases}" in text), text


def test_tool(tmp_path, capsys):
    path, other = str(tmp_path / "a.npz"), str(tmp_path / "b.npy")
    stack = make("gru", "bidirectional")
    _formats.write(path, stack)
    assert _params_tool.main(["inspect", path]) == 0
    text = capsys.readouterr().out
    for line in ("mode: gru", "direction: bidirectional", "layers: 2", "gate order: r z n", "parameters: 552",
                 "biases: two per gate: input and state", "layer 1 backward: W 12x8"):
        assert line in text, text
    assert _params_tool.main(["convert", path, other]) == 0
    assert np.array_equal(np.load(other), params.to_opaque(stack))
    assert _params_tool.main(["inspect", other]) == 1
    assert "give --mode, --input-size, --hidden-size" in capsys.readouterr().err
    assert _params_tool.main(["inspect", str(tmp_path / "missing.npz")]) == 1
    (tmp_path / "file.xyz").touch()
    assert _params_tool.main(["inspect", str(tmp_path / "file.xyz")]) == 1
    assert "names no format" in capsys.readouterr().err
    assert _params_tool.main(["convert", path, str(tmp_path / "none" / "b.npz")]) == 1
    assert "b.npz cannot be written: there is no folder" in capsys.readouterr().err


def test_checkpoints(tmp_path, capsys):
    """State dicts inside of a checkpoint, and files without one."""
    torch = pytest.importorskip("torch")
    path = str(tmp_path / "a.pt")

    def inspect(value, *options):
        torch.save(value, path)
        status = _params_tool.main(["inspect", path, *options])
        out, error = capsys.readouterr()
        return error if status else out
    model = torch.nn.ModuleDict({"encoder": torch.nn.LSTM(3, 4), "decoder": torch.nn.GRU(3, 4)})
    checkpoint = {"model": model.state_dict(), "epoch": 3}
    assert "mode: gru" in inspect(checkpoint, "--prefix=model.decoder.")
    assert "has layers with --prefix=model.encoder., --prefix=model.decoder." in inspect(checkpoint)
    assert "the file has no tensors" in inspect({})
    assert "holds a list; expected a state dict" in inspect([1])
    if int(torch.__version__.split(".")[0]) > 1:
        assert "save the module's `state_dict()`" in inspect(model)


@pytest.mark.parametrize("mode,direction", list(itertools.product(MODES, DIRECTIONS)))
def test_torch_computes_the_same(mode, direction):
    torch = pytest.importorskip("torch")
    d = 2 if direction == "bidirectional" else 1
    stack = make(mode, direction, np.float64)
    kind = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}.get(mode, torch.nn.RNN)
    options = {"nonlinearity": mode[4:]} if kind is torch.nn.RNN else {}
    module = kind(3, 4, 2, bidirectional=d == 2, **options).double()
    module.load_state_dict({k: torch.from_numpy(v) for k, v in params.to_torch(stack).items()})
    x = np.random.default_rng(1).standard_normal((5, 2, 3))
    zeros = np.zeros((2 * d, 2, 4))
    y, _, _ = reference.forward(mode, d, x, zeros, zeros if mode == "lstm" else None, params.to_opaque(stack))
    np.testing.assert_allclose(module(torch.from_numpy(x))[0].detach().numpy(), y, atol=1e-12)


@pytest.mark.parametrize("mode,direction", list(itertools.product(MODES, DIRECTIONS)))
def test_onnx_computes_the_same(mode, direction, tmp_path):
    onnx = pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    path = str(tmp_path / "f.onnx")
    stack = make(mode, direction)
    _formats.write(path, stack)
    onnx.checker.check_model(path)
    x = np.random.default_rng(1).standard_normal((5, 2, 3)).astype(np.float32)
    zeros = np.zeros((2 * stack.directions, 2, 4), np.float32)
    y, _, _ = reference.forward(mode, stack.directions, x, zeros, zeros if mode == "lstm" else None, params.to_opaque(stack))
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(session.run(None, {"x": x})[0], y, rtol=1e-5, atol=1e-5)
