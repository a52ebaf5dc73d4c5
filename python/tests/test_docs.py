# test_docs.py - runs the Python blocks of the documentation.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import re

import pytest
from rnn_mlir import _compiler

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "Python.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split("\n")[2][:30])
def test_block(block, monkeypatch, tmp_path):
    monkeypatch.setenv("RNN_MLIR_CACHE", str(tmp_path))
    if "rnn_mlir.compile" in block and not _compiler.available():
        pytest.skip("no compiler (librnn-c.so)")
    for name in re.findall(r"^import (\w+)", block, re.MULTILINE):
        pytest.importorskip(name)
    exec(compile(block, str(PAGE), "exec"), {})


def test_there_are_blocks():
    assert len(BLOCKS) >= 3
