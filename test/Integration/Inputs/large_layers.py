#!/usr/bin/env python3
"""Writes layers with more rows (steps times examples) and deeper GEMMs than four blocks of a reduction, for
large-fused-host.test.

    large_layers.py --dtype=f32 -o FILE.mlir

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

sys.dont_write_bytecode = True
import layer_file  # noqa: E402 (it adds the folder of cases.py to the path)
from cases import Block, Case  # noqa: E402

# A step of three tiles, and one of more than a block of rows.
BLOCKS = [Block("short", "icfo", (66, 16, 5, 258), static=True)]
NETWORKS = [Case("gru", steps=11, batch=100, input=300, hidden=344, tag="tall")]

if __name__ == "__main__":
    layer_file.main(__doc__, ("bf16", "f32", "f64"), NETWORKS, BLOCKS)
