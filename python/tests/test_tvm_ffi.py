# test_tvm_ffi.py - compiled libraries through apache-tvm-ffi, without this package. Skipped where it is not installed.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest
import rnn_mlir
from rnn_mlir import _compiler, _files, modules

tvm_ffi = pytest.importorskip("tvm_ffi")


@pytest.fixture(scope="module", autouse=True)
def runtime():
    """Any program has to make librnn_runtime available: here by its path."""
    return ctypes.CDLL(_files.find_library("librnn_runtime.so"), mode=ctypes.RTLD_GLOBAL)


def test_prebuilt_layer():
    layer = modules.load("gru")
    steps, batch, inputs, hidden = 3, 2, 4, 5
    random = np.random.default_rng(0)
    p = random.standard_normal(3 * hidden * (inputs + hidden + 2)).astype(np.float32)
    x, h = (random.standard_normal(s).astype(np.float32) for s in ((steps, batch, inputs), (1, batch, hidden)))
    y, hn = np.zeros((steps, batch, hidden), np.float32), np.zeros((1, batch, hidden), np.float32)
    wanted = np.zeros_like(y)
    arrays = [x, h, p, wanted, hn]
    layer.inference([a.ctypes.data for a in arrays], [a.shape for a in arrays])
    tvm_ffi.load_module(layer.path).inference(x, h, p, y, hn)
    assert np.array_equal(y, wanted)
    with pytest.raises(ValueError, match="argument 1 .`h0`. of `inference` must have elements of type f32"):
        tvm_ffi.load_module(layer.path).inference(x, h.astype(np.float64), p, y, hn)
    with pytest.raises(ValueError, match="expects 5 argument"):
        tvm_ffi.load_module(layer.path).inference(x)


PROGRAM = """
import ctypes, sys
import numpy as np
import tvm_ffi
ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
x, h, p = np.ones((3, 2, 4), "f"), np.zeros((1, 2, 5), "f"), np.full(165, 0.1, "f")
y, hn = np.zeros((3, 2, 5), "f"), np.zeros((1, 2, 5), "f")
tvm_ffi.load_module(sys.argv[2]).inference(x, h, p, y, hn)
assert "rnn_mlir" not in sys.modules
print(bool((y > 0).all()), np.array_equal(y[2], hn[0]))
"""


def test_without_this_package():
    """A process that has the runtime and a compiled library only."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", PROGRAM, _files.find_library("librnn_runtime.so"), modules.load("gru").path],
                          env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout == "True True\n", done.stdout + done.stderr


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    layer = modules.load("lstm", "bidirectional", "f64")
    shapes = ((3, 2, 4), (2, 2, 5), (2, 2, 5), (modules.params_size("lstm", "bidirectional", 4, 5),), (3, 2, 10), (2, 2, 5), (2, 2, 5))
    tensors = [torch.sin(torch.arange(int(np.prod(s)), dtype=torch.float64)).reshape(s) for s in shapes]
    first, wanted = tensors[4].clone(), [t.clone() for t in tensors]
    layer.inference([t.data_ptr() for t in wanted], shapes)
    tvm_ffi.load_module(layer.path).inference(*tensors)
    assert all(torch.equal(a, b) for a, b in zip(tensors, wanted)) and not torch.equal(tensors[4], first)


@pytest.mark.skipif(not _compiler.available(), reason="no compiler (librnn-c.so)")
def test_results(tmp_path, monkeypatch):
    monkeypatch.setenv("RNN_MLIR_CACHE", str(tmp_path))
    module = rnn_mlir.compile_module("""
        func.func @two(%x: tensor<?xf32>, %k: f32) -> (tensor<?xf32>, tensor<?xf32>) {
          %y = math.exp %x : tensor<?xf32>
          %z = math.absf %x : tensor<?xf32>
          return %y, %z : tensor<?xf32>, tensor<?xf32>
        }
        func.func @number(%k: f64) -> f64 {
          return %k : f64
        }""")
    library = tvm_ffi.load_module(module.path)
    y, z = library.two(np.array([0, -1], np.float32), 1.5)
    np.testing.assert_allclose(np.from_dlpack(y), np.exp([0, -1]), rtol=1e-6)
    np.testing.assert_array_equal(np.from_dlpack(z), [0, 1])
    assert library.number(2.5) == 2.5
