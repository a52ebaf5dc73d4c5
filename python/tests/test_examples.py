# test_examples.py - runs the examples in Python, and the first block of the pages on JAX and PyTorch.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page,library", (("PythonJAX", "jax"), ("PythonTorch", "torch")))
def test_first_block(page, library):
    pytest.importorskip(library)
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    # As users run it: in f32.
    subprocess.run([sys.executable, "-c", block], check=True, env=dict(os.environ, JAX_ENABLE_X64="0"))


def test_timeseries():
    pytest.importorskip("jax")
    done = subprocess.run([sys.executable, ROOT / "examples" / "python-timeseries" / "train.py", "--steps=60"], check=True,
                          capture_output=True, text=True)
    first, last = map(float, re.search(r"first loss (\S+), last loss (\S+)", done.stdout).groups())
    assert last < 0.5 * first
