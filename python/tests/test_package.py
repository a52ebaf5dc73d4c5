# test_package.py - the wheel and `pip install .`: the content, and a layer in a process that has nothing but it. Skipped
# without scikit-build-core, which comes from PyPI.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import pathlib
import re
import shutil
import sys
import zipfile

import pytest
import wheels
from rnn_mlir import _processor
from wheels import ROOT, run

PROGRAM = """
import numpy as np
from rnn_mlir import cudnn_rnn
model = cudnn_rnn.CudnnGRU(1, 4, 3)
y, h = model(np.ones((2, 1, 3), 'f'), np.zeros((1, 1, 4), 'f'), np.ones(model.params_size(), 'f'))
print(y.shape, bool((y > 0).all()))
"""


def test_wheel(tmp_path):
    pytest.importorskip("scikit_build_core")
    wheel = wheels.build(tmp_path)
    version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    assert wheel.name.startswith(f"rnn_mlir-{version}-py3-none-linux")
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("rnn_mlir/py.typed", "rnn_mlir/lib/librnn_runtime.so", "rnn_mlir/modules.py"):
        assert name in names
    assert sum(name.endswith("lstm-unidirectional-f32.so") for name in names) >= 1
    assert any(".dist-info/" in name and name.endswith("/LICENSE") for name in names)
    wheels.install(wheel, tmp_path)
    check(tmp_path)


def test_manylinux(tmp_path):
    """auditwheel finds the C library that the wheel needs, and no library beside it: 2.34, built on Debian 12."""
    pytest.importorskip("scikit_build_core")
    pytest.importorskip("auditwheel")
    wheel = wheels.build(tmp_path)
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    run(sys.executable, "-m", "auditwheel", "repair", "--exclude=librnn_runtime.so", "-w", str(tmp_path / "out"),
        str(wheel), env=environment)
    (wheel,) = (tmp_path / "out").glob("*.whl")
    needed = re.search(r"-py3-none-manylinux_2_(\d+)_", wheel.name)
    assert needed and int(needed.group(1)) <= 36, wheel.name
    assert not any(".libs/" in name for name in zipfile.ZipFile(wheel).namelist())
    wheels.install(wheel, tmp_path)
    check(tmp_path)


def check(folder):
    environment = {**os.environ, "PYTHONPATH": str(folder / "site"), "RNN_MLIR_COMPILER": str(folder / "none")}
    assert run(sys.executable, "-c", PROGRAM, env=environment, cwd=folder) == "(2, 1, 4) True\n"
    assert "usage: rnn-params" in run(str(folder / "site" / "bin" / "rnn-params"), "--help", env=environment)
    where = run(sys.executable, "-c", "import rnn_mlir; print(rnn_mlir.__file__)", env=environment, cwd=folder)
    assert where.startswith(str(folder))


def test_install(tmp_path):
    """`pip install .` without an existing rnn-compile, in the folder that pyproject.toml names: the first time, most of the
    minute is the compiler cache and the prebuilt layers. Those of one processor and, without RNN_LONG_TESTS, one kind, to save time."""
    pytest.importorskip("scikit_build_core")
    if not shutil.which("clang++-22") or not os.path.exists("/usr/lib/llvm-22/lib/cmake/mlir"):
        pytest.skip("no MLIR 22 where scripts/setup.sh installs it")
    options = [f"RNN_PYTHON_PROCESSORS={_processor.levels()[-1]}"]
    if not os.environ.get("RNN_LONG_TESTS"):
        options.append("RNN_PYTHON_LAYERS=gru")
    run(sys.executable, "-m", "pip", "install", str(ROOT), "--no-build-isolation", "--no-deps", "--target", str(tmp_path / "site"),
        *[f"--config-settings=cmake.define.{option}" for option in options])
    check(tmp_path)


@pytest.mark.skipif(not os.environ.get("RNN_LONG_TESTS"), reason="downloads packages: scripts/test.sh --long")
def test_isolated_install(tmp_path):
    """As a user calls pip: in a new environment, with the requirements of the build from PyPI. NumPy is the only dependency, and the
    XLA handler is there."""
    run("/usr/bin/python3", "-m", "venv", str(tmp_path / "env"))
    python = str(tmp_path / "env" / "bin" / "python")
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "RNN_MLIR_RUNTIME", "RNN_MLIR_XLA")}
    environment["RNN_MLIR_COMPILER"] = str(tmp_path / "none")
    run(python, "-m", "pip", "install", str(ROOT), *wheels.prebuilt(tmp_path), env=environment)
    assert run(python, "-c", PROGRAM, env=environment, cwd=tmp_path) == "(2, 1, 4) True\n"
    installed = run(python, "-m", "pip", "list", "--format=freeze", env=environment)
    assert set(re.findall("^[a-z_-]+", installed, re.MULTILINE)) == {"numpy", "pip", "rnn-mlir", "setuptools"}
    (handler,) = (tmp_path / "env").glob("lib/python*/site-packages/rnn_mlir/lib/librnn_mlir_xla.so")
    assert handler.stat().st_size > 0
