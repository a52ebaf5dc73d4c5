#!/usr/bin/env python3
"""Writes layers whose steps have enough work for several threads and whose recurrent weights fit in an L2 cache, for
bf16-amx-rows-host.test.

    bf16_row_layers.py --dtype=bf16 -o FILE.mlir

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

sys.dont_write_bytecode = True
import layer_file  # noqa: E402 (it adds the folder of cases.py to the path)
from cases import Block, Case  # noqa: E402

# Batch sizes that are multiples of 16 and others; sizes known and not; peepholes, whose gradients are sums over rows; resets.
BLOCKS = [Block("rows", "icfo", (5, 48, 7, 200), static=True),
          Block("dynamic", "ifco", (4, 48, 5, 203), length=3),
          Block("peephole", "icfo", (3, 48, 5, 200), attributes="use_peephole", static=True),
          Block("odd", "ifco", (3, 41, 5, 200), static=True),
          Block("zero", "icfo", (5, 48, 7, 200), static=True, resets="zero"),
          Block("initial", "ifco", (4, 48, 5, 203), length=3, resets="initial"),
          # Forward passes divide any number of rows of small weights, at least 2 for each thread.
          Block("small", "ifco", (5, 9, 37, 123), static=True),
          Block("few", "icfo", (6, 4, 21, 128), static=True),
          Block("fewest", "icfo", (6, 3, 21, 128), static=True),
          Block("small_dynamic", "ifco", (5, 7, 37, 123), length=4, resets="initial")]
NETWORKS = [Case("gru", steps=5, batch=48, input=37, hidden=240, tag="rows"),
            Case("gru", steps=5, batch=48, input=37, hidden=240, resets="zero", tag="rows"),
            Case("lstm", layers=2, directions=2, steps=4, batch=32, input=21, hidden=230, lengths=True, resets="initial",
                 tag="rows"),
            Case("lstm", layers=2, directions=2, steps=4, batch=32, input=21, hidden=230, lengths=True, tag="rows"),
            Case("gru", steps=9, batch=11, input=37, hidden=120, resets="initial", tag="small"),
            Case("lstm", layers=2, directions=2, steps=5, batch=6, input=21, hidden=128, lengths=True, tag="small"),
            Case("rnn_tanh", steps=6, batch=112, input=5, hidden=270, tag="rows")]

if __name__ == "__main__":
    layer_file.main(__doc__, ("bf16", "f64"), NETWORKS, BLOCKS)
