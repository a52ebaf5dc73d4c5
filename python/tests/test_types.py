# test_types.py - both packages pass mypy. Skipped where mypy is not installed.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import subprocess
import sys

import pytest


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    root = pathlib.Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(root / "pyproject.toml"),
                           f"--cache-dir={tmp_path}"], cwd=root, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
