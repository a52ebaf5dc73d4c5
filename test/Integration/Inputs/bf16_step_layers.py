#!/usr/bin/env python3
"""Writes layers of one time step and few examples, for bf16-amx-step-host.test. Up to four examples are multiplied by weights that
are not packed, unless these are constants. The gradients of the weights have vectors of up to eight rows and tiles of more; the
gradient of the input of up to 32 rows packs groups of four panels of 32 columns.

    bf16_step_layers.py --dtype=bf16 -o FILE.mlir

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import struct
import sys

sys.dont_write_bytecode = True
import layer_file  # noqa: E402 (it adds the folder of cases.py to the path)
from cases import GATES, Block, Case  # noqa: E402

# Even and odd sizes, which have enough work for several threads.
HIDDEN = {"lstm": (192, 163), "gru": (224, 195), "rnn_tanh": (384, 355), "rnn_relu": (384, 355)}
NETWORKS = [Case(mode, steps=1, batch=batch, input=batch % 2 + 38, hidden=hidden, training=False, tag=f"b{batch}_h{hidden}")
            for mode in GATES for batch in range(1, 6) for hidden in HIDDEN[mode]]
NETWORKS += [Case(mode, steps=1, batch=batch, input=37, hidden=HIDDEN[mode][batch % 2], tag=f"step_b{batch}")
             for mode in GATES for batch in (1, 2, 5)]
NETWORKS += [Case("lstm", layers=2, directions=2, steps=1, batch=3, input=21, hidden=99, lengths=True, tag="step"),
             Case("lstm", steps=1, batch=4, input=33, hidden=130, projection=71, training=False, tag="step"),
             Case("gru", layers=2, directions=2, steps=1, batch=2, input=33, hidden=97, training=False, lengths=True, tag="step"),
             Case("gru", steps=1, batch=4, input=65, hidden=65, skip=True, training=False, tag="step"),
             Case("lstm", steps=1, batch=3, input=35, hidden=101, training=False, dynamic=True, tag="step"),
             Case("rnn_tanh", steps=1, batch=2, input=1, hidden=1, training=False, tag="step"),
             Case("gru", steps=1, batch=4, input=33, hidden=64, batch_major=True, training=False, resets="zero", tag="step")]
# Gradients of more rows, and of several steps with few rows.
NETWORKS += [Case(mode, steps=steps, batch=batch, input=columns, hidden=hidden, tag=f"t{steps}_b{batch}", **more)
             for mode, steps, batch, columns, hidden, more in (
                 ("lstm", 1, 8, 67, 96, {}), ("gru", 1, 9, 64, 99, {}), ("lstm", 1, 32, 300, 70, {}), ("gru", 1, 33, 290, 64, {}),
                 ("rnn_relu", 1, 31, 257, 65, {"dynamic": True}), ("gru", 3, 2, 35, 130, {"resets": "initial"}),
                 ("lstm", 8, 1, 33, 66, {"batch_major": True}), ("lstm", 3, 1, 21, 99, {"layers": 2, "directions": 2, "resets": "zero"}),
                 ("rnn_tanh", 2, 2, 130, 67, {"dynamic": True}), ("lstm", 1, 4, 65, 130, {"projection": 71}))]
BLOCKS = [Block("step1", "icfo", (1, 1, 5, 131), static=True), Block("step4", "ifco", (1, 4, 38, 136), static=True),
          Block("step8", "ifco", (1, 8, 65, 64), static=True), Block("step9", "icfo", (1, 9, 131, 33), static=True),
          Block("steps3", "icfo", (3, 2, 66, 67)), Block("steps1", "ifco", (7, 1, 33, 96), attributes="use_peephole"),
          Block("step32", "icfo", (1, 32, 290, 64), static=True), Block("resets", "icfo", (2, 3, 35, 64), resets="initial")]


class Constant:
    """A forward pass over one step whose parameters are a constant of the module."""

    def __init__(self, mode, batch, input, hidden):
        self.mode, self.batch, self.input, self.hidden = mode, batch, input, hidden

    def write(self, dtype):
        count = GATES[self.mode] * self.hidden * (self.input + self.hidden + 2)
        # Exact in bf16.
        values = struct.pack(f"<{count}f", *((k * 2654435761 >> 7) % 255 / 512 - 127 / 512 for k in range(count)))
        if dtype == "bf16":
            values = b"".join(values[k + 2:k + 4] for k in range(0, len(values), 4))
        else:
            values = struct.pack(f"<{count}d", *struct.unpack(f"<{count}f", values))
        B, I, H = self.batch, self.input, self.hidden
        x, y, p = f"tensor<1x{B}x{I}x{dtype}>", f"tensor<1x{B}x{H}x{dtype}>", f"tensor<{count}x{dtype}>"
        lstm = self.mode == "lstm"
        states = ["%h", "%c"] if lstm else ["%h"]
        arguments = ", ".join([f"%x: {x}"] + [f"{state}: {y}" for state in states])
        results = ", ".join(["%y", "%hn"] + ["%cn"] * lstm)
        types = ", ".join([y] * (len(states) + 1))
        return f"""func.func @{self.mode}_constant_b{B}_i{I}_h{H}({arguments}) -> ({types}) {{
  %p = arith.constant dense<"0x{values.hex().upper()}"> : {p}
  {results}, %r = rnn.cudnn_forward {self.mode} input(%x : {x}) state({", ".join(states)} : {", ".join([y] * len(states))})
      params(%p : {p}) {{is_training = false}}
  return {results} : {types}
}}"""


CONSTANTS = [Constant(mode, batch, input, hidden)
             for mode in GATES for batch, input, hidden in ((1, 33, 40), (4, 24, 37), (5, 7, 64))]
CONSTANTS.append(Constant("rnn_tanh", 2, 9, 261))

if __name__ == "__main__":
    layer_file.main(__doc__, ("bf16", "f64"), NETWORKS, BLOCKS, CONSTANTS)
