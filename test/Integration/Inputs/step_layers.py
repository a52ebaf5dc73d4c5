#!/usr/bin/env python3
"""Writes layers of one step and of few steps, whose weights are not packed, for one-step-host.test.

    step_layers.py --dtype=f32 -o FILE.mlir

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

sys.dont_write_bytecode = True
import layer_file  # noqa: E402 (it adds the folder of cases.py to the path)
from cases import Block, Case  # noqa: E402

# Forward passes with up to 8 rows and gradients with up to 24 do not pack weights; of block ops, with up to 24 and 4. Sizes of
# whole panels and vectors, and others.
BLOCKS = [Block(f"step{B}", layout, (1, B, I, H), attributes=attributes, static=static, length=length)
          for B, I, H, layout, attributes, static, length in (
              (1, 64, 128, "icfo", "", True, None), (2, 5, 67, "ifco", "", True, None), (3, 1, 1, "icfo", "", False, None),
              (4, 33, 70, "ifco", "use_peephole", False, None), (5, 64, 64, "icfo", "", True, None),
              (23, 9, 41, "ifco", "", True, None), (24, 65, 31, "icfo", "", False, 1), (25, 3, 66, "icfo", "", True, None))]
BLOCKS += [Block("resets_zero", "icfo", (1, 3, 9, 70), static=True, resets="zero"),
           Block("resets_initial", "ifco", (2, 2, 9, 33), resets="initial"),
           Block("steps", "ifco", (3, 1, 21, 66), static=True),
           # Two steps, and with larger weights more, do not pack weights either.
           Block("two", "icfo", (2, 1, 65, 70), attributes="use_peephole", static=True),
           Block("two_resets", "ifco", (2, 1, 9, 66), resets="initial"),
           Block("several", "icfo", (3, 1, 33, 520)), Block("several_rows", "ifco", (2, 2, 5, 300), length=1, static=True),
           # Weights of at least 8 MiB in f32: with 16 bits, one example of unknown sizes never packs them, nor do two if the
           # products are dot products.
           Block("large", "icfo", (9, 1, 3, 708)), Block("large_two", "ifco", (9, 2, 3, 708)),
           # The gradient of the weights is stored directly if unknown columns are whole panels.
           Block("whole", "ifco", (3, 8, 70, 128)), Block("columns", "icfo", (3, 8, 9, 70)),
           # Weights that are packed in parts of at most 256 rows and columns.
           Block("parts", "icfo", (1, 26, 265, 300)),
           # More rows than two vectors have lanes: weights whose rows are read as they lie otherwise are packed.
           Block("rows", "ifco", (1, 33, 70, 66))]
NETWORKS = [Case(mode, steps=1, batch=batch, input=columns, hidden=hidden, dynamic=dynamic, tag=f"b{batch}")
            for mode, batch, columns, hidden, dynamic in (
                ("lstm", 1, 64, 128, False), ("gru", 2, 5, 67, False), ("rnn_tanh", 3, 70, 33, True), ("rnn_relu", 4, 17, 64, False),
                ("gru", 5, 64, 64, True), ("lstm", 8, 31, 66, False), ("gru", 9, 66, 31, False), ("rnn_tanh", 13, 1, 1, False),
                ("lstm", 24, 65, 47, True), ("gru", 25, 64, 65, False))]
NETWORKS += [Case("lstm", layers=2, directions=2, steps=1, batch=3, input=21, hidden=70, lengths=True, tag="step"),
             Case("gru", layers=2, directions=2, steps=1, batch=7, input=66, hidden=33, resets="initial", tag="step"),
             Case("lstm", layers=2, steps=1, batch=6, input=65, hidden=66, projection=35, tag="step"),
             Case("lstm", layers=2, directions=2, steps=2, batch=3, input=66, hidden=67, training=False, tag="step"),
             Case("rnn_relu", layers=2, steps=1, batch=2, input=70, hidden=70, skip=True, tag="step"),
             Case("gru", steps=1, batch=4, input=33, hidden=99, batch_major=True, resets="zero", tag="step"),
             # Several steps: the gradient of the input has up to 24 rows.
             Case("lstm", layers=2, directions=2, steps=5, batch=4, input=66, hidden=33, lengths=True, tag="few"),
             Case("gru", steps=7, batch=3, input=33, hidden=66, batch_major=True, tag="few"),
             Case("rnn_tanh", steps=2, batch=12, input=67, hidden=65, resets="zero", tag="few"),
             Case("lstm", steps=5, batch=5, input=65, hidden=34, tag="more"),
             Case("lstm", layers=2, directions=2, steps=2, batch=1, input=66, hidden=67, lengths=True, tag="two"),
             Case("gru", layers=2, steps=2, batch=1, input=33, hidden=66, resets="initial", dynamic=True, tag="two"),
             Case("lstm", steps=2, batch=1, input=65, hidden=66, projection=35, tag="two"),
             Case("rnn_relu", directions=2, steps=2, batch=1, input=9, hidden=31, skip=False, batch_major=True, tag="two"),
             Case("gru", steps=3, batch=1, input=5, hidden=330, resets="zero", tag="several"),
             Case("lstm", steps=2, batch=2, input=65, hidden=300, projection=260, dynamic=True, tag="several"),
             Case("lstm", steps=9, batch=1, input=3, hidden=708, dynamic=True, tag="large"),
             Case("gru", steps=1, batch=27, input=300, hidden=265, tag="parts"),
             Case("lstm", layers=2, steps=1, batch=26, input=258, hidden=300, projection=270, tag="parts"),
             Case("gru", steps=1, batch=33, input=70, hidden=66, tag="rows")]

if __name__ == "__main__":
    layer_file.main(__doc__, ("f16", "bf16", "f32", "f64"), NETWORKS, BLOCKS)
