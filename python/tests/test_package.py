# test_package.py - the wheel: its content, and a layer in a process that has nothing but it. Skipped without
# scikit-build-core, which comes from PyPI.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest
from rnn_mlir import _files

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """
import numpy as np
from rnn_mlir import cudnn_rnn
model = cudnn_rnn.CudnnGRU(1, 4, 3)
y, h = model(np.ones((2, 1, 3), 'f'), np.zeros((1, 1, 4), 'f'), np.ones(model.params_size(), 'f'))
print(y.shape, bool((y > 0).all()))
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_wheel(tmp_path):
    pytest.importorskip("scikit_build_core")
    run(sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-build-isolation", "--no-deps", "-w", str(tmp_path),
        f"--config-settings=cmake.define.RNN_PYTHON_PREBUILT={_files.library_folder()}",
        f"--config-settings=build-dir={tmp_path}/build")
    (wheel,) = tmp_path.glob("*.whl")
    version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    assert wheel.name.startswith(f"rnn_mlir-{version}-py3-none-linux")
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("rnn_mlir/py.typed", "rnn_mlir/lib/librnn_runtime.so", "rnn_mlir/modules.py"):
        assert name in names
    assert sum(name.endswith("lstm-unidirectional-f32.so") for name in names) >= 1
    run(sys.executable, "-m", "pip", "install", "--no-deps", "--target", str(tmp_path / "site"), str(wheel))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    assert run(sys.executable, "-c", PROGRAM, env=environment, cwd=tmp_path) == "(2, 1, 4) True\n"
    assert "usage: rnn-params" in run(str(tmp_path / "site" / "bin" / "rnn-params"), "--help", env=environment)
