# test_examples.py - runs the examples in Python.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def test_timeseries():
    pytest.importorskip("jax")
    done = subprocess.run([sys.executable, EXAMPLES / "python-timeseries" / "train.py", "--steps=60"], check=True,
                          capture_output=True, text=True)
    first, last = map(float, re.search(r"first loss (\S+), last loss (\S+)", done.stdout).groups())
    assert last < 0.5 * first
