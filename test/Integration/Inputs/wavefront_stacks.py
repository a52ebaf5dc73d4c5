# wavefront_stacks.py - stacks of layers that run as a wavefront.
#
#   wavefront_stacks.py f32 > cases.mlir              every cell and feature that divides or carries something between chunks
#   wavefront_stacks.py f32 persistent > cases.mlir   those that have persistent kernels
#   wavefront_stacks.py f32 resets > cases.mlir       for resets.py, which adds resets
#   wavefront_stacks.py f32 checked > cases.mlir      one without arguments: @main
#   wavefront_stacks.py f16 mutants > cases.mlir      for wavefront_mutants.py: 3 layers and known sizes, most scratch buffers
#   wavefront_stacks.py f16 persistent-mutants        the same for persistent kernels
#   wavefront_stacks.py f16 limits > cases.mlir       the largest layers, with the chunks of the rule; also limits-batch-major
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import sys
from dataclasses import replace

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "gpu-bundle"))
from stacks import Stack  # noqa: E402

element, kind = (sys.argv[1:] + ["all"])[:2]

# L, T, B, I, H. Dynamic sizes share kernels: T is less than, equal to and greater than a chunk.
LSTM = [Stack("lstm", (L, T, B, 5, H), lengths=lengths)
        for L, T, B, H, lengths in ((3, 7, 3, 12, True), (3, 3, 3, 12, True), (2, 2, 2, 6, True), (4, 6, 2, 8, True), (1, 7, 2, 4, True))]
CELLS = [
    Stack("lstm", (3, 7, 3, 6, 10), dropout=0.25, static=True),
    Stack("lstm", (3, 6, 3, 6, 10), training=False, static=True),
    Stack("lstm", (2, 5, 2, 8, 8), skip=True, lengths=True, static=True),
    Stack("gru", (3, 7, 2, 5, 9), lengths=True, static=True),
    Stack("gru", (3, 7, 3, 5, 9), lengths=True, training=False, static=True),
    Stack("gru", (2, 5, 3, 6, 6), skip=True, dropout=0.5, static=True),
    Stack("rnn_tanh", (4, 7, 2, 5, 7), static=True),
    Stack("rnn_relu", (3, 5, 3, 6, 9), lengths=True, training=False, static=True),
]
PROJECTED = [
    Stack("lstm", (3, 7, 3, 6, 9), projection=5, lengths=True, static=True),
    Stack("lstm", (2, 5, 3, 6, 9), projection=4, training=False, static=True),
]
# The sequences of these are [B, T, .].
BATCH_MAJOR = [replace(CELLS[index], batch_major=True) for index in (0, 2, 3, 4, 6)]
# Not as a wavefront.
BOTH = [Stack("gru", (2, 5, 2, 4, 6), directions=2, static=True)]
RESETS = [
    Stack("lstm", (3, 7, 3, 6, 10), lengths=True, static=True),
    Stack("lstm", (3, 5, 3, 6, 10), training=False, static=True),
    Stack("gru", (3, 7, 3, 5, 9), static=True),
    Stack("gru", (2, 6, 3, 5, 9), lengths=True, training=False, static=True),
    Stack("rnn_tanh", (2, 7, 2, 5, 7), static=True),
    Stack("lstm", (3, 7, 3, 6, 10), lengths=True, static=True, batch_major=True),
]
MUTANTS = [
    Stack("gru", (3, 7, 2, 5, 9), lengths=True, static=True),
    Stack("lstm", (3, 7, 3, 6, 10), training=False, static=True),
]
LIMITS = {"f32": [Stack("lstm", (2, 64, 8, 8, 512), lengths=True, static=True)]}.get(element, [
    Stack("lstm", (2, 64, 8, 8, 512), static=True),
    Stack("lstm", (2, 64, 8, 8, 768), lengths=True, static=True),
    Stack("gru", (2, 64, 8, 8, 768), lengths=True, static=True),
    Stack("rnn_tanh", (2, 64, 8, 8, 1280), static=True),
])
CHECKED = Stack("gru", (3, 5, 2, 4, 20), lengths=True, static=True)


if kind == "checked":
    print(CHECKED.main(element, [3, 5]))
else:
    cases = {"all": LSTM + CELLS + BATCH_MAJOR + PROJECTED + BOTH, "persistent": CELLS + BATCH_MAJOR, "resets": RESETS, "limits": LIMITS,
             "limits-batch-major": [replace(stack, batch_major=True) for stack in LIMITS],
             "mutants": MUTANTS + PROJECTED[:1], "persistent-mutants": MUTANTS}[kind]
    written = set()
    for stack in cases:
        if stack.variant not in written:
            written.add(stack.variant)
            print(stack.op(element))
        print(stack.write(element))
