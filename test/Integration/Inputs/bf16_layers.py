#!/usr/bin/env python3
"""Writes layers of one or two examples whose recurrent weights exceed the L2 cache, for bf16-gemm-host.test. With fewer steps,
they would not be packed.

    bf16_layers.py --dtype=bf16 -o FILE.mlir

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

sys.dont_write_bytecode = True
import layer_file  # noqa: E402 (it adds the folder of cases.py to the path)
from cases import Block, Case  # noqa: E402

# Whole panels and others; steps behind the length, examples of different lengths.
BLOCKS = [Block("one", "icfo", (6, 1, 5, 264), attributes="use_peephole", static=True),
          Block("two", "ifco", (4, 2, 3, 259), length=3, static=True)]
NETWORKS = [Case("gru", steps=6, batch=1, input=5, hidden=298, tag="one"),
            Case("lstm", steps=7, batch=2, input=3, hidden=561, projection=511, lengths=True, tag="two"),
            Case("rnn_tanh", layers=2, directions=2, steps=3, batch=2, input=4, hidden=520, lengths=True, tag="two")]

if __name__ == "__main__":
    layer_file.main(__doc__, ("bf16", "f64"), NETWORKS, BLOCKS)
