# test_import_stablehlo.py - rnn-import-stablehlo: text, portable artifacts and files of jax.export, compiled and compared with JAX.
# Skipped without JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess
import sys

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import rnn_mlir  # noqa: E402
from jax import export  # noqa: E402
from rnn_mlir.importers import stablehlo as tool  # noqa: E402

X, W = np.arange(12, dtype=np.float32).reshape(3, 4) / 12, np.full((4, 5), 0.25, np.float32)


def loss(x, weights):
    value = jax.lax.fori_loop(0, 3, lambda _, y: jnp.tanh(y) * 0.5, x @ weights)
    return {"loss": jnp.sum(value), "y": value}


def exported():
    return export.export(jax.jit(loss))(X, W)


def sources():
    return {"text": exported().mlir_module().encode(), "artifact": exported().mlir_module_serialized,
            "file": bytes(exported().serialize())}


@pytest.mark.parametrize("kind", ("text", "artifact", "file"))
def test_import(tmp_path, kind):
    if kind == "file":
        pytest.importorskip("flatbuffers")
    path, output = tmp_path / "module", tmp_path / "out.mlir"
    path.write_bytes(sources()[kind])
    assert tool.main([str(path), "-o", str(output)]) == 0
    text = output.read_text()
    for name in ("x", "weights", "loss", "y"):
        assert f'rnn.name = "{name}"' in text
    function = rnn_mlir.compile(text)
    want = loss(X, W)
    for got, key in zip(function(X, W), ("loss", "y")):
        np.testing.assert_allclose(got, want[key], rtol=1e-6)


@pytest.mark.parametrize("source, reason", ((b"\x00\x01", "neither text, nor bytecode"), (b"ML\xefR\x0dStableHLO_v1.0.0\0", "no portable artifact"),
                                            (b"module { nothing }", "jaxlib cannot read the module")))
def test_errors(tmp_path, capsys, source, reason):
    path = tmp_path / "module"
    path.write_bytes(source)
    assert tool.main([str(path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("rnn-import-stablehlo: error: ") and reason in error


def test_missing_file(tmp_path, capsys):
    assert tool.main([str(tmp_path / "nothing")]) == 1
    assert "cannot be read" in capsys.readouterr().err


def test_signals():
    """A crash of a framework's library is an error of the program. A process of its own, which does not fork JAX's threads."""
    run = "import os; from rnn_mlir.importers import _lowering; os._exit(_lowering.run('program', lambda: {}, '-', 'module.pb'))"
    crash, succeed = (subprocess.run([sys.executable, "-c", run.format(body)], capture_output=True, text=True)
                      for body in ("os.kill(os.getpid(), 11)", "'module'"))
    assert crash.returncode == 1
    assert crash.stderr == "program: error: a library of the framework ended by signal 11 (Segmentation fault) while it imported " \
        "module.pb; the file may be damaged\n"
    assert (succeed.returncode, succeed.stdout) == (0, "module\n")


def test_symbolic_sizes(capfd):
    """jax.export checks the relations between symbolic sizes by custom calls, which become assertions."""
    sizes = jax.ShapeDtypeStruct(export.symbolic_shape("b, 4"), jnp.float32)
    artifact = export.export(jax.jit(lambda x, y: jnp.tanh(x) + y))(sizes, sizes).mlir_module_serialized
    text = tool.import_module(artifact)
    assert "custom_call" not in text and text.count('"cf.assert"') == 2 and "warning" not in capfd.readouterr().err
    function = rnn_mlir.compile(text)
    for rows in (1, 3):
        x = np.full((rows, 4), 0.5, np.float32)
        np.testing.assert_allclose(function(x, x), np.tanh(x) + x, rtol=1e-6)
    with pytest.raises(rnn_mlir.InvalidArgument, match=r"dim 0 of argument 1 \(`arg1`\) to be dim 0 of argument 0 .* expected 5, but got 3"):
        function(np.ones((5, 4), "f"), np.ones((3, 4), "f"))
    with pytest.raises(rnn_mlir.InvalidArgument, match=r"Expected value >= 1 for dimension variable 'b'"):
        function(np.ones((0, 4), "f"), np.ones((0, 4), "f"))
    np.testing.assert_allclose(function(x, x), np.tanh(x) + x, rtol=1e-6)


def test_left_calls(capsys):
    """The calls of recurrent layers stay, and others are reported."""
    text = ("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {{\n"
            "%0 = stablehlo.custom_call @{0}(%x) : (tensor<4xf32>) -> tensor<4xf32>\nreturn %0 : tensor<4xf32>\n}}")
    tool.import_module(text.format("my_kernel"))
    assert "no pass converts: stablehlo.custom_call of `my_kernel`" in capsys.readouterr().err
    tool.import_module(text.format("cudnn_rnn"))
    assert capsys.readouterr().err == ""


def test_left_ops(capsys):
    tool.import_module("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                       '%0 = stablehlo.optimization_barrier %x : tensor<4xf32>\n%1 = "tf.Neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>\n'
                       "return %1 : tensor<4xf32>\n}")
    assert "ops are left that no pass converts: " in capsys.readouterr().err


def test_control_flow(capsys):
    """Branches, an index out of range included, and the barriers of jax.checkpoint."""
    branches = [jnp.tanh, lambda v: v * 2, lambda v: v - 1]

    def branch_and_update(y):  # where a branch returns y, the update must not change it
        return jax.lax.cond(y[0, 0] > 0.5, lambda v: v, lambda v: v * 2, y) - y.at[1].add(3)

    functions = (lambda x: jax.lax.cond(x[0, 0] > 0.5, jnp.tanh, lambda v: v * 2, x),
                 lambda x: jax.lax.switch((x[0, 0] * 3).astype(int) - 1, branches, x),
                 lambda x: branch_and_update(jnp.tanh(x)),
                 jax.grad(lambda x: jax.checkpoint(lambda v: jnp.sin(jnp.tanh(v)).sum())(x)))
    for function in functions:
        compiled = rnn_mlir.compile(tool.import_module(export.export(jax.jit(function))(X).mlir_module_serialized))
        for shift in (-2, 0, 0.4, 0.8, 3):
            x = X + np.float32(shift)
            np.testing.assert_allclose(compiled(x), function(x), rtol=1e-5, atol=1e-6)
    text = """func.func @main(%i: tensor<i32>) -> tensor<i32> {
      %0 = "stablehlo.case"(%i) ({ %a = stablehlo.constant dense<5> : tensor<i32> stablehlo.return %a : tensor<i32> },
        { %a = stablehlo.constant dense<7> : tensor<i32> stablehlo.return %a : tensor<i32> }) : (tensor<i32>) -> tensor<i32>
      return %0 : tensor<i32> }"""
    case = rnn_mlir.compile(tool.import_module(text))
    assert [int(case(np.array(k, np.int32))) for k in (-1, 0, 1, 2)] == [7, 5, 7, 7]
    assert capsys.readouterr().err == ""


def test_shapes(capsys):
    """Shapes of type !shape.shape become tensors of extents; ops on shapes of unknown rank are reported."""
    text = """func.func @main(%x: tensor<?x?x3xf32>) -> tensor<4xindex> {
      %s = shape.shape_of %x : tensor<?x?x3xf32> -> tensor<3xindex>
      %i = arith.constant -1 : index
      %head, %tail = "shape.split_at"(%s, %i) : (tensor<3xindex>, index) -> (!shape.shape, !shape.shape)
      %c = shape.const_shape [7] : !shape.shape
      %a = shape.concat %tail, %c : !shape.shape, !shape.shape -> !shape.shape
      %b = shape.concat %a, %head : !shape.shape, !shape.shape -> !shape.shape
      %e = shape.to_extent_tensor %b : !shape.shape -> tensor<4xindex>
      return %e : tensor<4xindex> }"""
    sizes = rnn_mlir.compile(tool.import_module(text))(np.zeros((5, 2, 3), np.float32))
    assert list(np.asarray(sizes)) == [3, 7, 5, 2] and capsys.readouterr().err == ""
    tool.import_module("""func.func @main(%x: tensor<*xf32>) -> tensor<?xindex> {
      %s = shape.shape_of %x : tensor<*xf32> -> !shape.shape
      %e = shape.to_extent_tensor %s : !shape.shape -> tensor<?xindex>
      return %e : tensor<?xindex> }""")
    assert "no pass converts: shape.to_extent_tensor" in capsys.readouterr().err


def test_left_op_of_jax(capsys):
    tool.import_module(export.export(jax.jit(jnp.linalg.eigvals))(X[:, :X.shape[0]]).mlir_module_serialized)
    assert capsys.readouterr().err.endswith("ops are left that no pass converts: stablehlo.custom_call of `lapack_sgeev_ffi`\n")


@pytest.mark.parametrize("equation, x, y", (
    ("boj,bj->bo", (33, 20, 40), (33, 40)), ("ojb,bj->bo", (20, 40, 33), (33, 40)), ("jbo,bj->ob", (40, 33, 20), (33, 40)),
    ("abc,abc->ca", (17, 50, 20), (17, 50, 20)), ("abc,cba->ca", (17, 50, 20), (20, 50, 17)), ("bi,oij,bj->bo", (40, 24), (9, 24, 40))))
@pytest.mark.parametrize("dtype, tolerance", ((np.float32, 2e-6), ("bfloat16", 2e-2)))
def test_orders_of_dimensions(equation, x, y, dtype, tolerance):
    """Sums whose result has another order of dimensions than its inputs."""
    generator = np.random.default_rng(3)
    values = [generator.standard_normal(shape).astype(jnp.dtype(dtype)) for shape in (x, y, (40, 40))][:equation.count(",") + 1]
    function = lambda *values: jnp.einsum(equation, *values)  # noqa: E731
    got = rnn_mlir.compile(tool.import_module(export.export(jax.jit(function))(*values).mlir_module_serialized))(*values)
    want = np.asarray(jax.jit(function)(*values)).astype(np.float32)
    assert np.max(np.abs(np.asarray(got).astype(np.float32) - want)) <= tolerance * np.max(np.abs(want))
