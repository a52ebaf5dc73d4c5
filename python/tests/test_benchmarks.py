# test_benchmarks.py - the benchmark of sequences: its variants of a layer compute the same. Nothing is asserted about speed.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import rnn_mlir
from rnn_mlir import _compiler

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "python"
pytestmark = pytest.mark.skipif(not _compiler.available(), reason="no compiler (librnn-c.so)")


@pytest.mark.parametrize("group,op,columns", (("batch-major", "lstm", 9), ("resets", "lstm", 9),
                                              ("two-functions", "block_lstm", 7)))
def test_table(group, op, columns):
    done = subprocess.run([sys.executable, FOLDER / "sequences.py", f"--group={group}", "--shapes", "3,2,4,5",
                           f"--ops={op}", "--seconds=0"], check=True, capture_output=True, text=True)
    rows = done.stdout.splitlines()
    assert len(rows) == 4 and all(row.count("|") == columns + 1 for row in rows), done.stdout


@pytest.mark.parametrize("op", ("block_lstm", "lstm", "gru"))
def test_variants_compute_the_same(op, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import sequences
    results = {}
    for variant in ("time_major", "batch_major", "transposes", "no_resets", "zero", "initial"):
        text = sequences.Module(op, (3, 2, 4, 5), "f32").function(variant)
        shapes = re.findall(r"%(\w+): tensor<((?:\d+x)+)\w+>", text.split("->")[0])
        values = {}
        for name, shape in shapes:
            shape = [int(size) for size in shape[:-1].split("x")]
            if name in "xg":
                shape = sorted(shape[:2], reverse=True) + shape[2:]  # T = 3, B = 2
            seed = np.random.default_rng(sum(map(ord, name)))
            values[name] = np.zeros(shape, bool) if name == "m" else seed.uniform(-0.5, 0.5, shape).astype(np.float32)
            if name in "xg" and variant in ("batch_major", "transposes"):
                values[name] = values[name].swapaxes(0, 1).copy()
        y, dx, *rest = rnn_mlir.compile(text, lowering="fused")(*values.values())
        if variant in ("batch_major", "transposes"):
            y, dx = y.swapaxes(0, 1), dx.swapaxes(0, 1)
        results[variant] = [np.asarray(v) for v in (y, dx, *rest)]
    for variant, got in results.items():  # without a mark
        for value, want in zip(got, results["time_major"]):
            np.testing.assert_allclose(value, want, rtol=0, atol=1e-6, err_msg=variant)
