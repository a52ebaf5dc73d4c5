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


def test_left_ops(capsys):
    tool.import_module("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                       '%0 = stablehlo.optimization_barrier %x : tensor<4xf32>\n%1 = "tf.Neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>\n'
                       "return %1 : tensor<4xf32>\n}")
    assert "ops are left that no pass converts: " in capsys.readouterr().err
