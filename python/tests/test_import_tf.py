# test_import_tf.py - rnn-import-tf: training steps, SavedModels, GraphDefs and Keras models, compiled and compared with
# TensorFlow. Skipped without TensorFlow and JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
pytest.importorskip("jaxlib")
keras = pytest.importorskip("keras", minversion="3.0")

import rnn_mlir  # noqa: E402
from rnn_mlir import importers  # noqa: E402
from rnn_mlir.importers import tensorflow as tool  # noqa: E402

T, I, H, C = 6, 3, 4, 5
RANDOM = np.random.default_rng(0)


def random(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def check(text, arguments, want, tolerance=1e-5):
    """Compiles a module and compares the results of its function, as plan and as compiled loops."""
    for lowering in ("runtime", "fused"):
        function = rnn_mlir.compile(text, lowering=lowering)
        got = function(*arguments)
        got = got if isinstance(got, (list, tuple)) else [got]
        assert len(got) == len(want)
        for value, expected in zip(got, want):
            np.testing.assert_allclose(value, expected, rtol=tolerance, atol=tolerance)


def block(x, w, b):
    state, peephole = tf.zeros((tf.shape(x)[1], H)), tf.zeros((H,))
    return tf.raw_ops.BlockLSTM(seq_len_max=tf.cast(tf.shape(x)[0], tf.int64), x=x, cs_prev=state, h_prev=state, w=w,
                                wci=peephole, wcf=peephole, wco=peephole, b=b, cell_clip=0.0).h


def step(x, labels, w, b, v):
    with tf.GradientTape() as tape:
        tape.watch([w, b, v])
        logits = tf.matmul(block(x, w, b)[-1], v)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    return (loss, *tape.gradient(loss, [w, b, v]))


@pytest.mark.parametrize("shape", ((T, None, I), (None, None, I)))
def test_dynamic_training_step(shape):
    signature = [tf.TensorSpec(shape, name="x"), tf.TensorSpec((None,), tf.int32, name="labels"),
                 tf.TensorSpec((I + H, 4 * H), name="w"), tf.TensorSpec((4 * H,), name="b"), tf.TensorSpec((H, C), name="v")]
    function = tf.function(step, input_signature=signature)
    text = tool.import_function(function.get_concrete_function())
    for name in ("x", "labels", "w", "b", "v"):
        assert f'rnn.name = "{name}"' in text
    for batch in (1, 3):
        arguments = [random(T, batch, I), RANDOM.integers(0, C, (batch,)).astype(np.int32), random(I + H, 4 * H),
                     random(4 * H), random(H, C)]
        check(text, arguments, [value.numpy() for value in function(*map(tf.constant, arguments))])


def test_label_out_of_range():
    function = tf.function(lambda x, n: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=n, logits=x),
                           input_signature=[tf.TensorSpec((None, C)), tf.TensorSpec((None,), tf.int32)])
    loss = rnn_mlir.compile(tool.import_function(function.get_concrete_function()))
    x, labels = random(3, C), np.array([0, C, -1], np.int32)
    got = loss(x, labels)
    np.testing.assert_allclose(got[0], np.log(np.exp(x[0]).sum()) - x[0, 0], rtol=1e-5)
    assert np.isnan(got[1:]).all()


@pytest.mark.parametrize("shape, part", (((4, None, 5), np.s_[1:3]), ((None, None, 5), np.s_[..., 1]), ((None, 3, 5), np.s_[:, -2:, ::2]),
                                         ((None, 3, 5), np.s_[-1]), ((4, None, None), np.s_[:, 1, :]), ((4, None, 5), np.s_[-3:-1]),
                                         ((None, 3, 5), np.s_[1:]), ((None, None, 5), np.s_[-9:-1, ::2, None]),
                                         ((None, 3, 5), np.s_[3:2])))
def test_slices_of_dynamic_tensors(shape, part):
    function = tf.function(lambda x: x[part], input_signature=[tf.TensorSpec(shape)])
    x = random(4, 3, 5)
    check(tool.import_function(function.get_concrete_function()), [x], [x[part]])


def test_triangular_systems():
    def function(a, b):
        factor = tf.linalg.cholesky(a)
        return (factor, tf.linalg.cholesky_solve(factor, b), tf.linalg.triangular_solve(factor, b, adjoint=True),
                tf.linalg.triangular_solve(a, b, lower=False))
    a = random(2, 4, 4)
    a, b = a @ a.swapaxes(1, 2) + np.eye(4, dtype=np.float32), random(2, 4, 3)
    text = tool.import_function(tf.function(function).get_concrete_function(tf.TensorSpec(a.shape), tf.TensorSpec(b.shape)))
    check(text, (a, b), [value.numpy() for value in function(a, b)])


def test_refused_slice():
    function = tf.function(lambda x: x[::-1], input_signature=[tf.TensorSpec((None, 3))])
    with pytest.raises(importers.ImportFailed, match="tf.StridedSlice with the stride -1 in dimension 0 is not supported; use tf.reverse"):
        tool.import_function(function.get_concrete_function())


def test_saved_model_with_variables(tmp_path):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w, self.b = tf.Variable(random(I + H, 4 * H)), tf.Variable(random(4 * H))

        @tf.function(input_signature=[tf.TensorSpec((T, None, I), name="x")])
        def __call__(self, x):
            return {"y": block(x, self.w, self.b)}

    model = Model()
    tf.saved_model.save(model, str(tmp_path / "saved"), signatures=model.__call__)
    output = tmp_path / "out.mlir"
    assert tool.main([str(tmp_path / "saved"), "--function=forward", "-o", str(output)]) == 0
    text = output.read_text()
    assert 'rnn.name = "x"' in text and 'rnn.name = "y"' in text and 'sym_name = "forward"' in text
    x = random(T, 2, I)
    check(text, [x], [model(tf.constant(x))["y"].numpy()])


def graph(variables=False):
    with tf.Graph().as_default() as result:
        x = tf.compat.v1.placeholder(tf.float32, (T, 2, I), name="x")
        w = tf.compat.v1.get_variable("w", (I + H, 4 * H), use_resource=False) if variables else \
            tf.constant(np.full((I + H, 4 * H), 0.1, np.float32))
        state, peephole = tf.zeros((2, H)), tf.zeros((H,))
        h = tf.raw_ops.BlockLSTM(seq_len_max=tf.constant(T, tf.int64), x=x, cs_prev=state, h_prev=state, w=w, wci=peephole,
                                 wcf=peephole, wco=peephole, b=tf.zeros((4 * H,)), cell_clip=0.0).h
        tf.identity(h, name="y")
        return result.as_graph_def()


@pytest.mark.parametrize("name", ("graph.pb", "graph.pbtxt"))
def test_graph_def(tmp_path, name):
    path, output = tmp_path / name, tmp_path / "out.mlir"
    if name.endswith("txt"):
        path.write_text(str(graph()))
    else:
        path.write_bytes(graph().SerializeToString())
    assert tool.main([str(path), "--inputs=x", "--outputs=y", "-o", str(output)]) == 0
    text = output.read_text()
    assert 'rnn.name = "x"' in text and 'rnn.name = "y"' in text
    x = random(T, 2, I)
    want = block(tf.constant(x), tf.fill((I + H, 4 * H), 0.1), tf.zeros((4 * H,)))
    check(text, [x], [want.numpy()])
    assert tool.import_graph_def(graph()).strip() == text.strip()


def test_keras(tmp_path, capsys):
    layers = keras.layers
    for layer in (layers.LSTM(H), layers.GRU(H, return_sequences=True), layers.LSTM(H, go_backwards=True),
                  layers.Bidirectional(layers.GRU(H))):
        model = keras.Sequential([keras.Input((T, I), name="sequence"), layer, layers.Dense(C)])
        model.save(tmp_path / "model.keras")
        output = tmp_path / "out.mlir"
        assert tool.main([str(tmp_path / "model.keras"), "-o", str(output)]) == 0
        text = output.read_text()
        assert "tf.CudnnRNNV3" in text and 'rnn.name = "sequence"' in text
        for batch in (1, 3):
            x = random(batch, T, I)
            check(text, [x], [model(x, training=False).numpy()])
    captured = capsys.readouterr().err
    assert "warning" not in captured


def test_keras_batch(tmp_path):
    model = keras.Sequential([keras.Input((T, I)), keras.layers.Masking(), keras.layers.LSTM(H)])
    text = tool.import_keras(model, batch=2)
    x = random(2, T, I)
    x[0, 3:], x[1, 5:] = 0, 0
    check(text, [x], [model(x).numpy()])


def failing(capsys, *arguments):
    assert tool.main(list(map(str, arguments))) == 1
    error = capsys.readouterr().err
    assert error.startswith("rnn-import-tf: error: ") and "Traceback" not in error
    return error


def test_errors(tmp_path, capsys):
    assert "does not exist" in failing(capsys, tmp_path / "nothing.mlir")
    assert "is no SavedModel" in failing(capsys, tmp_path)
    for name, reason in (("bad.pb", "is no GraphDef"), ("bad.pbtxt", "is no GraphDef"), ("bad.keras", "Keras cannot load"),
                         ("bad.mlir", "TensorFlow's passes fail")):
        (tmp_path / name).write_text("no module")
        assert reason in failing(capsys, tmp_path / name)
    (tmp_path / "graph.pb").write_bytes(graph(variables=True).SerializeToString())
    assert "has the variables w; freeze it first" in failing(capsys, tmp_path / "graph.pb")
    (tmp_path / "graph.pb").write_bytes(graph().SerializeToString())
    assert "the graph cannot be imported" in failing(capsys, tmp_path / "graph.pb", "--inputs=z")
    assert "cannot be written" in failing(capsys, tmp_path / "graph.pb", "-o", tmp_path / "none" / "out.mlir")

    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec((2,))])
        def __call__(self, x):
            return {"y": x}

    model = Model()
    tf.saved_model.save(model, str(tmp_path / "saved"), signatures=model.__call__)
    assert "has no signature `other`; it has serving_default" in failing(capsys, tmp_path / "saved", "--signature=other")


def test_damaged_graphs(tmp_path, capsys):
    """TensorFlow raises errors of many classes, and overflows the stack for recursive functions."""
    def change(edit, reason):
        changed = graph()
        edit(changed)
        (tmp_path / "graph.pb").write_bytes(changed.SerializeToString())
        assert reason in failing(capsys, tmp_path / "graph.pb")

    def calls(changed, name, called):
        function = changed.library.function.add()
        function.signature.name = name
        node = function.node_def.add(name="call", op="PartitionedCall")
        node.attr["f"].func.name = called

    def cycle(changed):
        calls(changed, "first", "second")
        calls(changed, "second", "first")
        calls(changed, "outside", "first")

    def unknown_op(changed):
        changed.node[-1].op = "NoSuchOp"

    def broken_constant(changed):
        for node in changed.node:
            if node.op == "Const":
                node.attr["value"].tensor.dtype = 0

    change(cycle, "call each other in a cycle, which TensorFlow does not convert: first, outside, second")
    change(unknown_op, "the graph cannot be imported: Op type not registered 'NoSuchOp'")
    change(broken_constant, "the graph cannot be imported")


def test_damaged_saved_models(tmp_path, capsys):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(tf.ones((2, 2)))

        @tf.function(input_signature=[tf.TensorSpec((3, 2))])
        def __call__(self, x):
            return {"y": x @ self.w}

    model = Model()
    tf.saved_model.save(model, str(tmp_path / "saved"), signatures=model.__call__)
    variables = tmp_path / "saved" / "variables"
    for name in ("variables.data-00000-of-00001", "variables.index"):
        content = (variables / name).read_bytes()
        (variables / name).write_bytes(content[:len(content) // 2])
        assert "TensorFlow cannot load the SavedModel" in failing(capsys, tmp_path / "saved")
        (variables / name).write_bytes(content)
    (tmp_path / "saved" / "saved_model.pb").write_bytes(b"\x0a\xff")
    assert "is no SavedModel" in failing(capsys, tmp_path / "saved")


def test_warnings(capsys):
    """A module without layers, and ops that nothing converts."""
    signature = [tf.TensorSpec((2, 3))]
    text = tool.import_function(tf.function(lambda x: x + 1, input_signature=signature).get_concrete_function())
    assert "the module has no recurrent layer" in capsys.readouterr().err
    x = random(2, 3)
    check(text, [x], [x + 1])

    def prints(x):
        tf.print(x)
        return x

    tool.import_function(tf.function(prints, input_signature=signature).get_concrete_function())
    assert "ops are left that no pass converts: tf." in capsys.readouterr().err


def test_gates_of_gru(capsys):
    """Traced by Keras in this build of TensorFlow, without the tool."""
    rnn = __import__("sys").modules["keras.src.backend.tensorflow.rnn"]
    layer = keras.layers.GRU(H)
    layer.build((2, T, I))
    available, rnn._is_gpu_available = rnn._is_gpu_available, lambda: True
    try:
        traced = tf.function(layer, input_signature=[tf.TensorSpec((2, T, I))]).get_concrete_function()
    finally:
        rnn._is_gpu_available = available
    tool.import_function(traced)
    assert "their gates are in the wrong order" in capsys.readouterr().err


def test_missing_package(monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "tensorflow", None)
    assert tool.main([__file__ + ".pb"]) == 1
    capsys.readouterr()
    with pytest.raises(importers.ImportFailed, match="pip install tensorflow-cpu jax"):
        tool.import_text("module {}")
