#!/usr/bin/env python3
"""Writes layers with few rows, and layers whose steps have enough work for several threads and whose recurrent weights fit in an
L2 cache of 512 KiB, for rows-host.test.

    row_layers.py --dtype=f32 -o FILE.mlir

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

sys.dont_write_bytecode = True
import layer_file  # noqa: E402 (it adds the folder of cases.py to the path)
from cases import Block, Case  # noqa: E402

# Batch sizes that are multiples of 4 and others, with 8 rows or more for each of two threads; fewer than two units of rows; sizes
# known and not; peepholes, whose gradients are sums over rows; projections; resets.
BLOCKS = [Block("rows", "icfo", (5, 16, 7, 100), static=True),
          Block("dynamic", "ifco", (30, 8, 5, 103), length=27),
          Block("peephole", "icfo", (3, 24, 5, 100), attributes="use_peephole", static=True),
          Block("odd", "ifco", (9, 18, 5, 100), static=True),
          Block("few", "ifco", (3, 7, 5, 120), static=True),
          Block("zero", "icfo", (15, 16, 70, 100), static=True, resets="zero"),
          Block("initial", "ifco", (4, 20, 5, 103), length=3, resets="initial")]
NETWORKS = [Case("gru", steps=15, batch=16, input=37, hidden=90, tag="rows"),
            Case("gru", steps=5, batch=20, input=37, hidden=90, resets="zero", tag="rows"),
            Case("lstm", layers=2, directions=2, steps=13, batch=16, input=21, hidden=99, lengths=True, resets="initial",
                 tag="rows"),
            Case("lstm", layers=2, directions=2, steps=4, batch=19, input=21, hidden=99, lengths=True, tag="rows"),
            Case("lstm", steps=4, batch=16, input=99, hidden=99, skip=True, tag="rows"),
            Case("lstm", steps=4, batch=16, input=21, hidden=99, projection=70, tag="rows"),
            Case("lstm", layers=2, directions=2, steps=9, batch=15, input=21, hidden=99, projection=70, tag="many"),
            Case("rnn_tanh", steps=6, batch=44, input=5, hidden=110, tag="rows"),
            Case("rnn_relu", layers=3, steps=6, batch=48, input=5, hidden=110, tag="rows"),
            Case("gru", layers=2, steps=9, batch=16, input=30, hidden=97, lengths=True, tag="rows"),
            Case("lstm", directions=2, steps=9, batch=16, input=30, hidden=97, training=False, tag="rows"),
            Case("lstm", steps=13, batch=16, input=33, hidden=99, batch_major=True, resets="zero", tag="rows"),
            Case("lstm", steps=13, batch=16, input=33, hidden=99, batch_major=True, lengths=True, tag="rows"),
            # One and two rows, whose weights are read in alternating sweeps; more than 256 rows of the reductions. The other
            # reductions have up to 128 rows, which are summed without blocks, and more.
            Case("lstm", steps=7, batch=1, input=70, hidden=66, tag="sweeps"),
            Case("gru", layers=2, directions=2, steps=8, batch=2, input=33, hidden=64, lengths=True, tag="sweeps"),
            Case("rnn_tanh", steps=5, batch=1, input=65, hidden=200, resets="zero", tag="sweeps"),
            Case("lstm", steps=150, batch=2, input=64, hidden=64, tag="long"),
            Case("gru", steps=20, batch=16, input=100, hidden=128, tag="long")]

if __name__ == "__main__":
    layer_file.main(__doc__, ("f16", "bf16", "f32", "f64"), NETWORKS, BLOCKS)
