# test_params_files.py - files of rnn-params: bf16, element types, options that contradict a file, and nodes of ONNX that are
# other layers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import stat

import numpy as np
import pytest
import rnn_mlir
from rnn_mlir import _dlpack, _formats, _params_tool, params
from test_params import FILES, NEEDS, SIZES, equal, make

FLAT = ["--mode=lstm", "--input-size=3", "--hidden-size=4", "--layers=2"]


def run(capsys, *arguments):
    """The exit status, and what rnn-params prints."""
    status = _params_tool.main([str(a) for a in arguments])
    printed = capsys.readouterr()
    return status, printed.out + printed.err


def fails(capsys, *arguments):
    status, printed = run(capsys, *arguments)
    printed = "".join(line for line in printed.splitlines(True) if not line.startswith("rnn-params: warning: "))
    assert status == 1 and printed.startswith("rnn-params: error: "), printed
    return printed


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("mode", ("lstm", "gru"))
def test_bf16_keeps_every_bit(form, mode, tmp_path):
    """NumPy and HDF5 have no type bf16: their files hold two bytes per element."""
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    if form in NEEDS:
        pytest.importorskip(NEEDS[form])
    path, stack = str(tmp_path / FILES[form]), make(mode, "bidirectional", bfloat16, two_biases=form != "keras")
    _formats.write(path, stack, form)
    again = _formats.read(path, form, _formats.Hints(mode, "bidirectional", **SIZES))
    assert again.dtype == bfloat16
    if form == "tensorflow":  # halves of the summed biases
        assert all(np.array_equal(a, params.to_tensorflow(again)[n]) for n, a in params.to_tensorflow(stack).items())
    else:
        assert equal(again, stack)
    if form == "keras":
        with pytest.importorskip("h5py").File(path) as file:
            kinds = {file[f"layers/bidirectional/forward_layer/cell/vars/{k}"].attrs.get("dtype") for k in range(3)}
        assert kinds == {"bfloat16"}  # as Keras marks it


@pytest.mark.parametrize("dtype", ("float16", "float64"))
@pytest.mark.parametrize("form", FILES)
def test_other_types_keep_every_bit(form, dtype, tmp_path):
    if form in NEEDS:
        pytest.importorskip(NEEDS[form])
    path, stack = str(tmp_path / FILES[form]), make("gru", "bidirectional", np.dtype(dtype), two_biases=form != "keras")
    _formats.write(path, stack, form)
    again = _formats.read(path, form, _formats.Hints("gru", "bidirectional", **SIZES))
    assert again.dtype == dtype
    if form == "tensorflow":  # halves of the summed biases
        assert all(np.array_equal(a, params.to_tensorflow(again)[n]) for n, a in params.to_tensorflow(stack).items())
    else:
        assert equal(again, stack)


@pytest.mark.parametrize("name", ("model.h5", "model.hdf5"))
def test_old_models_of_keras_are_not_written(name, tmp_path, capsys):
    """Keras would read the weights of Keras 3 from such a file as a model of an older version."""
    _formats.write(str(tmp_path / "a.npz"), make("lstm", "unidirectional"))
    printed = fails(capsys, "convert", tmp_path / "a.npz", tmp_path / name)
    assert "a model of an older version" in printed and "`.weights.h5` (weights) or `.keras` (a model)" in printed
    assert f"Keras reads `{tmp_path / name}`" in printed  # not a temporary file
    assert not (tmp_path / name).exists()


def test_bf16_without_ml_dtypes(tmp_path, monkeypatch, capsys):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    paths = [str(tmp_path / "a.npz"), str(tmp_path / "a.npy")]
    for path in paths:
        _formats.write(path, make("lstm", "unidirectional", bfloat16))
    monkeypatch.setattr(_dlpack, "numpy_bfloat16", lambda: None)
    for path, options in zip(paths, ([], FLAT)):
        assert "are bf16; to read them, install the package ml_dtypes" in fails(capsys, "inspect", path, *options)


def test_element_types(tmp_path, capsys):
    path = str(tmp_path / "a.npy")
    flat = params.to_opaque(make("lstm", "unidirectional"))
    for dtype, name in ((complex, "complex128"), (int, "int64"), (np.uint16, "uint16"), ("U4", "<U4")):
        np.save(path, flat.astype(dtype) if dtype != "U4" else np.full(flat.shape, "text"))
        assert f"{path} has elements of type {name}; expected float16, bfloat16, float32" in fails(capsys, "inspect", path, *FLAT)
    np.save(path, flat.astype(">f4"))
    for form in ("canonical", "keras", "onnx", "safetensors"):
        if form in NEEDS:
            try:
                __import__(NEEDS[form])
            except ImportError:
                continue
        other = str(tmp_path / FILES[form])
        assert run(capsys, "convert", path, other, *FLAT, "--to", form)[0] == 0
        again = _formats.read(other, form)
        assert again.dtype == np.float32 and np.array_equal(again.layers[1].w, make("lstm", "unidirectional").layers[1].w)


@pytest.mark.parametrize("form", ("canonical", "torch", "safetensors", "keras", "onnx"))
def test_options_that_contradict_a_file(form, tmp_path, capsys):
    if form in NEEDS:
        pytest.importorskip(NEEDS[form])
    path = str(tmp_path / FILES[form])
    _formats.write(path, make("lstm", "unidirectional"), form)
    for option, found in (("--mode=gru", "mode lstm"), ("--mode=rnn_tanh", "mode lstm"), ("--layers=1", "layers 2"),
                          ("--direction=bidirectional", "direction unidirectional"), ("--input-size=4", "input size 3"),
                          ("--hidden-size=5", "hidden size 4"), ("--projection=2", "projection 0")):
        message = fails(capsys, "inspect", path, "--from", form, option)
        assert f"{path} has layers with {found}, but {option} is given" in message
    same = ["--mode=lstm", "--layers=2", "--direction=unidirectional", "--input-size=3", "--hidden-size=4", "--projection=0"]
    status, printed = run(capsys, "inspect", path, "--from", form, *same)
    assert status == 0 and "projection" not in printed


def test_plain_layers(tmp_path, capsys):
    """nn.RNN stores no function, but our safetensors files state it."""
    stack = make("rnn_relu", "unidirectional")
    pytest.importorskip("safetensors")
    path = str(tmp_path / "a.safetensors")
    _formats.write(path, stack)
    assert equal(_formats.read(path), stack)
    message = fails(capsys, "inspect", path, "--mode=rnn_tanh")
    assert "states that its layers are rnn_relu, but --mode=rnn_tanh is given" in message
    numpy = pytest.importorskip("safetensors.numpy")
    numpy.save_file(params.to_torch(stack), path)
    assert "give --mode=rnn_tanh or --mode=rnn_relu\n" in fails(capsys, "inspect", path)
    assert "or --mode=rnn_relu, instead of lstm" in fails(capsys, "inspect", path, "--mode=lstm")
    assert run(capsys, "inspect", path, "--mode=rnn_relu")[0] == 0


def test_projections_are_not_invented():
    w, r, b = np.zeros((16, 3)), np.zeros((16, 3)), np.zeros(16)
    with pytest.raises(ValueError, match=r"`r` of pseudo layer 0 must have shape \(16, 4\)"):
        params.Stack("lstm", "unidirectional", [params.PseudoLayer(w, r, b, b)])
    projected = params.PseudoLayer(w, r, b, b, np.zeros((3, 4)))
    assert params.Stack("lstm", "unidirectional", [projected]).output_size == 3
    with pytest.raises(ValueError, match="pseudo layers 0 and 1 must both have a projection"):
        params.Stack("lstm", "unidirectional", [projected, params.PseudoLayer(w, r, b, b)])
    with pytest.raises(ValueError, match="only lstm has a projection"):
        params.Stack("gru", "unidirectional", [params.PseudoLayer(np.zeros((12, 3)), np.zeros((12, 2)), np.zeros(12),
                                                                  np.zeros(12), np.zeros((2, 4)))])
    for shape in ((15, 3), (16,), (0, 3)):
        with pytest.raises(ValueError, match=r"`w` of pseudo layer 0 must be a matrix whose rows are a multiple of 4"):
            params.Stack("lstm", "unidirectional", [params.PseudoLayer(np.zeros(shape), r, b, b)])
    with pytest.raises(ValueError, match="unknown mode `foo`"):
        params.Stack("foo", "unidirectional", [projected])


def test_messages(tmp_path, capsys, monkeypatch):
    stack = make("lstm", "unidirectional")
    archive, flat = str(tmp_path / "a.npz"), str(tmp_path / "b.npy")
    _formats.write(archive, stack)
    _formats.write(flat, stack)
    for option, message in (("--input-size=0", "--input-size=0 must be at least 1"), ("--layers=-2", "--layers=-2 must be"),
                            ("--projection=9", "--projection=9 must be less than --hidden-size=4"),
                            ("--projection=-1", "--projection=-1 must be at least 0")):
        assert message in fails(capsys, "inspect", flat, *FLAT, option)
    assert "one array without a name (.npy); expected arrays with names" in fails(capsys, "inspect", flat, "--from=canonical")
    assert "arrays with names (.npz); expected one flat array" in fails(capsys, "inspect", archive, "--from=opaque", *FLAT)
    with np.load(archive) as file:
        arrays = dict(file)
    for missing in ("mode", "w.0", "br.1"):
        np.savez(archive, **{name: array for name, array in arrays.items() if name != missing})
        assert f"{archive} has no array `{missing}`" in fails(capsys, "inspect", archive)

    class Strange(Exception):
        pass

    def fail(path, stack, hints):
        raise Strange("not today")
    monkeypatch.setitem(_formats.FORMATS, "canonical", (_formats.FORMATS["canonical"][0], fail, (".npz",)))
    message = fails(capsys, "convert", flat, tmp_path / "c.npz", *FLAT)
    assert "c.npz cannot be written as canonical: Strange: not today" in message


def save_node(path, op, constants=("W", "R", "B"), directions=1, peephole=False, name="n", **attributes):
    """A model of one node, whose weights are initializers, or constants behind a node Identity."""
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    rows = {"LSTM": 4, "GRU": 3, "RNN": 1}[op] * 4
    arrays = {"W": np.ones((directions, rows, 3), "f"), "R": np.ones((directions, rows, 4), "f"),
              "B": np.arange(directions * 2 * rows, dtype="f").reshape(directions, -1), "P": np.ones((directions, 12), "f")}
    tensors = {key: onnx.numpy_helper.from_array(array, key) for key, array in arrays.items()}
    nodes = []
    for key in set(arrays) - set(constants) - {"P"}:
        nodes += [helper.make_node("Constant", [], [f"{key}_0"], value=tensors[key]),
                  helper.make_node("Identity", [f"{key}_0"], [key])]
    inputs = ["x", "W", "R", "B"] + ["", "", "", "P"] * peephole
    nodes.append(helper.make_node(op, inputs, ["y"], name=name, hidden_size=4, **attributes))
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "graph", [info("x", 1, ["T", "B", 3])], [info("y", 1, None)],
                              [tensors[key] for key in (*constants, "P")])
    onnx.save(helper.make_model(graph), path)
    return arrays


def test_onnx_constants(tmp_path, capsys):
    path = str(tmp_path / "a.onnx")
    save_node(path, "LSTM")
    stack = _formats.read(path)
    arrays = save_node(path, "LSTM", constants=("R",))
    assert equal(_formats.read(path), stack)
    assert np.array_equal(params.to_onnx(stack)[0][2], arrays["B"])
    onnx = pytest.importorskip("onnx")
    model = onnx.load(path)
    del model.graph.node[0]
    onnx.save(model, path)
    assert "node `n` (LSTM) has the weights `" in fails(capsys, "inspect", path)


@pytest.mark.parametrize("op, options, message", (
    ("LSTM", dict(peephole=True), "has peepholes (`P`)"), ("LSTM", dict(clip=1.0), "has a clip of its gates"),
    ("LSTM", dict(input_forget=1), "has input_forget = 1"),
    ("LSTM", dict(activations=["HardSigmoid", "Tanh", "Tanh"]), "has the activations hardsigmoid, tanh, tanh"),
    ("GRU", dict(activations=["Sigmoid", "Relu"], linear_before_reset=1), "has the activations sigmoid, relu"),
    ("GRU", {}, "has linear_before_reset = 0"), ("RNN", dict(activations=["Affine"]), "has the activations affine"),
    ("RNN", dict(directions=2, direction="bidirectional", activations=["Relu", "Tanh"]), "has the activations relu, tanh"),
    ("LSTM", dict(direction="reverse"), "has direction = reverse")))
def test_onnx_nodes_that_are_other_layers(op, options, message, tmp_path, capsys):
    path = str(tmp_path / "a.onnx")
    save_node(path, op, **options)
    assert f"node `n` ({op}) {message}" in fails(capsys, "inspect", path)


@pytest.mark.parametrize("op, options, mode", (
    ("LSTM", dict(activations=["Sigmoid", "Tanh", "Tanh"], layout=1), "lstm"), ("GRU", dict(linear_before_reset=1), "gru"),
    ("RNN", {}, "rnn_tanh"), ("RNN", dict(directions=2, direction="bidirectional", activations=["Relu", "Relu"]), "rnn_relu")))
def test_onnx_nodes(op, options, mode, tmp_path):
    path = str(tmp_path / "a.onnx")
    save_node(path, op, **options)
    assert _formats.read(path).mode == mode


@pytest.mark.parametrize("kind", ("parallel", "between"))
def test_onnx_nodes_that_are_no_stack(kind, tmp_path, capsys):
    """The second node reads the input of the model, or the outputs of the first one behind another node."""
    onnx = pytest.importorskip("onnx")
    path, stack = str(tmp_path / "a.onnx"), make("lstm", "unidirectional")
    _formats.write(path, stack)
    model = onnx.load(path)
    second = next(node for node in model.graph.node if node.name == "layer_1")
    if kind == "between":
        model.graph.node.insert(list(model.graph.node).index(second), onnx.helper.make_node("Relu", [second.input[0]], ["r"]))
        second = next(node for node in model.graph.node if node.name == "layer_1")
    second.input[0] = "x" if kind == "parallel" else "r"
    onnx.save(model, path)
    message = fails(capsys, "inspect", path)
    assert "node `layer_1` (LSTM) does not read the outputs of `layer_0` alone" in message
    assert message.endswith("--prefix=layer_0, --prefix=layer_1\n")
    one = _formats.read(path, None, _formats.Hints(prefix="layer_1"))
    assert one.num_layers == 1 and np.array_equal(one.layers[0].r, stack.layers[1].r)


def test_outputs_that_are_no_files(tmp_path):
    """They would be replaced."""
    os.mkfifo(tmp_path / "pipe.npy")
    (tmp_path / "folder.npy").mkdir()
    for name in ("pipe.npy", "folder.npy"):
        with pytest.raises(_formats.FormatError, match=f"{name} cannot be written: it is no regular file"):
            _formats.write(str(tmp_path / name), make("gru", "unidirectional"), "opaque")
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe.npy").st_mode) and (tmp_path / "folder.npy").is_dir()
    assert len(os.listdir(tmp_path)) == 2


def test_read_only_files_are_kept(tmp_path, capsys):
    path, other = str(tmp_path / "a.npz"), str(tmp_path / "b.npz")
    _formats.write(path, make("lstm", "unidirectional"))
    _formats.write(other, make("gru", "unidirectional"))
    os.chmod(path, 0o444)
    kept = open(path, "rb").read()
    assert f"{path} cannot be written: it is read-only" in fails(capsys, "convert", other, path)
    assert open(path, "rb").read() == kept


@pytest.mark.parametrize("name", ("a.npz", "a.npy", "a.pt", "a.safetensors", "a.keras", "a.onnx"))
def test_damaged_files_are_named(name, tmp_path, capsys):
    form = _formats.guess(name)
    if form in NEEDS:
        pytest.importorskip(NEEDS[form])
    path = tmp_path / name
    path.write_bytes(b"no such format")
    assert str(path) in fails(capsys, "inspect", str(path), "--mode=lstm", "--input-size=3", "--hidden-size=4")


def test_standard_input_and_output(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _formats.write("a.npz", make("lstm", "unidirectional"))
    for options in ((), ("--from=torch",)):
        assert "the standard input cannot be read; give the path of a file" in fails(capsys, "inspect", "-", *options)
    for options in ((), ("--to=canonical",)):
        assert "the standard output cannot be written; give the path" in fails(capsys, "convert", "a.npz", "-", *options)
    assert os.listdir(tmp_path) == ["a.npz"]


@pytest.mark.parametrize("form", FILES)
def test_inputs_that_are_no_files(form, tmp_path, capsys):
    """Found before a library reports them in its own way, or waits for a pipe."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "saved").mkdir()
    (tmp_path / "saved" / "saved_model.pb").touch()
    for name, message in (("pipe", "cannot be read: it is a pipe or a device"), ("none", "cannot be read: there is no such file"),
                          ("saved", "is a folder; expected the path of a file. The names in a SavedModel do not state the layers")):
        assert f"rnn-params: error: {tmp_path / name} {message}" in fails(capsys, "inspect", tmp_path / name, "--from", form)


def test_prefixes(tmp_path, capsys):
    """A prefix without effect is an error, and one that the file does not have lists those of the file."""
    path = str(tmp_path / "a.npz")
    _formats.write(path, make("lstm", "unidirectional"))
    assert "needs no --prefix; leave it out" in fails(capsys, "inspect", path, "--prefix=x/")
    for name in ("b.npz", "b.npy", "b.keras"):
        assert "have no prefix; leave --to-prefix out" in fails(capsys, "convert", path, tmp_path / name, "--to-prefix=x/")
    variables = str(tmp_path / "c.npz")
    assert run(capsys, "convert", path, variables, "--to=tensorflow", "--to-prefix=net/") == (0, "")
    assert "are --from=tensorflow" in fails(capsys, "inspect", variables)
    assert "c.npz has no layers without --prefix; it has --prefix=net/" in fails(capsys, "inspect", variables, "--from=tensorflow")
    assert "has no layers below `ne/`; it has --prefix=net/" in fails(capsys, "inspect", variables, "--from=tensorflow", "--prefix=ne")
    assert run(capsys, "inspect", variables, "--from=tensorflow", "--prefix=net")[0] == 0
    pytest.importorskip("onnx")
    save_node(str(tmp_path / "a.onnx"), "LSTM", name="encoder")
    assert "name begins with `x`; it has --prefix=encoder\n" in fails(capsys, "inspect", tmp_path / "a.onnx", "--prefix=x")


def test_order_in_old_weights_of_keras(tmp_path):
    """Files of Keras 2 list the layers of a model in its order, which need not be that of the names."""
    h5py, path = pytest.importorskip("h5py"), str(tmp_path / "model.h5")
    random = np.random.default_rng(0)
    arrays = [[random.normal(size=shape).astype(np.float32) for shape in ((4, 16), (4, 16), (16,))] for _ in range(2)]
    with h5py.File(path, "w") as file:
        file.attrs["layer_names"] = [b"lstm_9", b"lstm_8"]
        for name, cell in zip(("lstm_9", "lstm_8"), arrays):
            for key, array in zip(("kernel", "recurrent_kernel", "bias"), cell):
                file[f"{name}/{name}/lstm_cell/{key}:0"] = array
    with pytest.warns(UserWarning, match="does not state the activations"):
        stack = _formats.read(path)
    assert all(np.array_equal(a, b) for a, b in zip(sum(params.to_keras(stack), []), sum(arrays, [])))


def test_version(capsys):
    with pytest.raises(SystemExit):
        _params_tool.main(["--version"])
    assert capsys.readouterr().out == f"rnn-mlir {rnn_mlir.__version__}\n" and rnn_mlir.__version__[0].isdigit()
