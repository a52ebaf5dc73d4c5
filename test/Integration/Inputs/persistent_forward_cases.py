# persistent_forward_cases.py - forward passes that request persistent kernels.
#
#   persistent_forward_cases.py f16 > cases.mlir             of a block LSTM
#   persistent_forward_cases.py f32 few > cases.mlir         some of them, in clusters of up to 4 blocks or of the compiler's choice
#   persistent_forward_cases.py f16 checked > cases.mlir     small ones without arguments; every value is 0.5
#   persistent_forward_cases.py f16 refused > cases.mlir     layers that do not fit
#   persistent_forward_cases.py f16 shapes > cases.mlir      the shapes of kernels, at the limits of each
#   persistent_forward_cases.py f16 KIND NAME > case.mlir    of one kind the function NAME, or all with the prefix NAME_
#   persistent_forward_cases.py f16 stacks > cases.mlir      of the cudnn ops
#   persistent_forward_cases.py f16 types > cases.mlir       of the cudnn ops, one for each cell: for element types
#   persistent_forward_cases.py f16 onegate > cases.mlir     of a cell with one gate, without arguments: @main
#   persistent_forward_cases.py f16 limits > cases.mlir      of the cudnn ops, as large as they fit
#
# One function per case: forwardBLOCKS_tT_bB_iI_hH with suffixes for options; 0 blocks: the compiler chooses. For
# stacks, the module requests persistent kernels and the compiler chooses the size.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "gpu-bundle"))
from persistent_cases import WIDE, element, function, kind, types_of, write  # noqa: E402
from stacks import Stack  # noqa: E402

NAMES = ["i", "cs", "f", "o", "ci", "co", "h"]
ALL = range(len(NAMES))

# Blocks, T, B, I, H, layout, peephole, forget_bias, cell_clip, steps that run (None: T), requested results. A cluster
# has the fewest examples for which all clusters are resident, so B decides whether it has one, some or eight.
CASES = [
    (2, 3, 2, 3, 4, "icfo", True, 0.0, -1.0, None, ALL),
    (2, 1, 1, 1, 3, "icfo", True, 1.0, -1.0, None, ALL),
    (2, 5, 9, 16, 33, "ifco", False, 1.0, 0.25, None, ALL),
    (2, 4, 140, 3, 64, "icfo", True, 0.0, -1.0, 3, ALL),
    (2, 3, 2, 3, 40, "icfo", False, 0.0, -1.0, 0, ALL),
    (2, 3, 0, 3, 4, "icfo", True, 0.0, -1.0, None, ALL),
    (4, 6, 70, 5, 50, "ifco", True, 0.5, 0.5, None, ALL),
    (4, 4, 3, 9, 130, "icfo", False, 0.0, -1.0, None, [1, 6]),
    (8, 4, 40, 5, 100, "icfo", True, 0.0, -1.0, None, [6]),
    (8, 7, 3, 5, 256, "icfo", False, 0.0, -1.0, 6, [1]),
    (16, 3, 60, 5, 250, "icfo", True, 0.0, -1.0, None, [0, 2, 3]),
    (0, 3, 2, 3, 512, "ifco", False, 0.0, -1.0, None, [6]),
    *[(2, 3, 3, 5, H, "icfo", True, 0.0, -1.0, None, [1, 6]) for H in WIDE],
]

FEW = [CASES[index] for index in (0, 2, 3, 6, 7, 11, 12)]

CHECKED = [
    (2, 4, 2, 1, 20, "icfo", True, 1.0, -1.0, None, [6]),
    (2, 4, 67, 1, 8, "icfo", False, 0.0, -1.0, None, [1, 6]),
    (4, 4, 3, 1, 130, "ifco", True, 0.0, 0.5, None, [6]),
    *[(2, 3, 2, 1, H, "icfo", False, 0.0, -1.0, None, [6]) for H in WIDE],
]
REFUSED = [(0, 2, 2, 1, 1000, "icfo", True, 0.0, -1.0, None, [6])]
# bf16 uses the registers of f16: shapes with the fewest registers left, and with a partial last fragment.
CUTS = {"f16": [(2, 1), (2, 192), (4, 256), (4, 250), (8, 288), (8, 256), (16, 512), (16, 500), (0, 64), (0, 256), (0, 300),
                (0, 512), (2, 240), (8, 512), (16, 768)],
        "bf16": [(2, 192), (4, 256), (8, 288), (0, 512), (16, 500), (2, 240), (8, 512), (16, 768)],
        "f32": [(2, 1), (2, 96), (4, 160), (8, 256), (16, 512), (0, 500)]}
SHAPES = [(blocks, 2, 64, 1, H, "icfo", True, 0.0, -1.0, None, ALL) for blocks, H in CUTS.get(element, [])]

# L, T, B, I, H.
STACKS = [
    Stack("lstm", (1, 4, 3, 6, 8), static=True),
    Stack("lstm", (2, 3, 5, 5, 33), directions=2, lengths=True, static=True),
    Stack("lstm", (2, 3, 9, 20, 20), skip=True, training=False, static=True),
    Stack("gru", (2, 5, 7, 17, 36), directions=2, lengths=True, static=True),
    Stack("gru", (1, 3, 70, 6, 64), training=False, static=True),
    Stack("gru", (3, 2, 4, 5, 8), dropout=0.25, static=True),
    Stack("rnn_tanh", (2, 4, 5, 6, 72), directions=2, static=True),
    Stack("rnn_tanh", (1, 3, 20, 8, 8), skip=True, lengths=True, static=True),
    Stack("rnn_relu", (1, 5, 3, 6, 9), directions=2, lengths=True, training=False, static=True),
]
# Both passes, both directions, lengths.
TYPES = [
    Stack("lstm", (2, 3, 5, 5, 33), directions=2, lengths=True, static=True),
    Stack("gru", (1, 4, 5, 7, 36), directions=2, lengths=True, static=True),
    Stack("rnn_tanh", (1, 3, 4, 8, 8), skip=True, lengths=True, static=True),
    Stack("rnn_relu", (1, 5, 3, 6, 40), directions=2, lengths=True, static=True),
]
ONE_GATE = Stack("rnn_tanh", (1, 4, 3, 2, 140), directions=2, lengths=True, training=False, static=True)
# The largest layers of each cell.
LIMITS = [
    Stack("lstm", (1, 2, 64, 8, 768), directions=2, lengths=True, static=True),
    Stack("gru", (1, 2, 64, 8, 768), lengths=True, static=True),
    Stack("rnn_tanh", (1, 2, 8, 8, 1424), training=False, static=True),
    Stack("rnn_relu", (1, 2, 64, 8, 1400), directions=2, lengths=True, training=False, static=True),
]


def forward(case, element, has_arguments):
    blocks, T, B, I, H, layout, peephole, forget_bias, clip, steps, requested = case
    operands, seq = types_of(element, (T, B, I, H))
    attributes = [f"forget_bias = {forget_bias}", f"cell_clip = {clip}"] + ["use_peephole"] * peephole
    return function(f"forward{blocks}_t{T}_b{B}_i{I}_h{H}", "rnn.block_lstm", operands, None, [seq] * len(NAMES), requested,
                    blocks, layout, steps, attributes, has_arguments)


if kind == "onegate":
    print(ONE_GATE.main(element, [4, 0, 2], "#rnn.lowering<fused, kernel = persistent, cluster = 4>"))
elif kind in ("stacks", "types", "limits"):
    for stack in {"stacks": STACKS, "types": TYPES, "limits": LIMITS}[kind]:
        print(stack.op(element) + "\n" + stack.write(element))
else:
    cases = {"cases": CASES, "few": FEW, "checked": CHECKED, "refused": REFUSED, "shapes": SHAPES}[kind]
    write(forward(case, element, kind != "checked") for case in cases)
