# persistent_stacks.py - cudnn ops that request persistent kernels.
#
#   persistent_stacks.py f16 > cases.mlir
#   persistent_stacks.py f16 checked > cases.mlir     small ones without arguments
#   persistent_stacks.py f16 shapes > cases.mlir      the shapes of kernels, at the limits of each
#   persistent_stacks.py f16 refused > cases.mlir     layers that do not fit
#
# One function per case: clusterBLOCKS_ and the name by stacks.py; 0 blocks: the compiler chooses.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "gpu-bundle"))
from stacks import Stack  # noqa: E402

element, kind = (sys.argv[1:] + ["cases"])[:2]

# Blocks, mode, (L, T, B, I, H), options. A cluster has the fewest examples for which all clusters are resident.
CASES = [
    (4, "lstm", (2, 4, 3, 5, 50), dict(directions=2, lengths=True)),
    (2, "lstm", (1, 2, 140, 2, 24), dict(directions=2)),
    (4, "gru", (2, 3, 5, 4, 40), dict(directions=2, lengths=True, dropout=0.25)),
    (8, "gru", (1, 3, 5, 4, 130), dict(lengths=True)),
    (2, "rnn_tanh", (2, 3, 4, 33, 33), dict(directions=2, skip=True)),
    (2, "rnn_relu", (1, 4, 3, 5, 24), dict(lengths=True)),
]
CHECKED = [
    (4, "gru", (1, 3, 2, 2, 70), dict(directions=2, lengths=True)),
]
LIMITS = {"f16": [(0, "lstm", 512, 2), (0, "gru", 768, 2), (2, "rnn_tanh", 384, 1), (0, "rnn_relu", 1280, 2)],
          "f32": [(0, "lstm", 512, 2), (2, "lstm", 96, 2), (0, "gru", 512, 1), (0, "rnn_tanh", 800, 2), (4, "rnn_relu", 256, 2)]}
SHAPES = [(blocks, mode, (1, 2, 64, 1, H), dict(directions=directions, lengths=True))
          for blocks, mode, H, directions in LIMITS.get(element, [])]
REFUSED = [
    (0, "lstm", (1, 2, 2, 2, 20), dict(projection=8)),
    (0, "gru", (1, 2, 2, 2, 1500), {}),
]


def stack(case):
    _, mode, sizes, special = case
    return Stack(mode, sizes, static=True, **special)


def function(case, element):
    one = stack(case)
    size = f", cluster = {case[0]}" if case[0] else ""
    # Plans are the reference in f64; what does not fit is left to the pipeline's option.
    lowering = "" if element == "f64" or kind == "refused" else f"#rnn.lowering<fused, kernel = persistent{size}>"
    text = one.op(element, lowering) + "\n\n" + one.write(element)
    return text.replace("exported_stack_", f"cluster{case[0]}_")


def checked(case, element):
    """The same from constants: every value is a half, and no two lengths are equal."""
    one = stack(case)
    operands, results, _, _ = one.types(element, dynamic=False)
    called, returned, _, _ = one.types(element, dynamic=False)
    lines = [f"func.func @checked_{one.name.replace('exported_stack_', '')}() -> ({', '.join(results.values())}) {{"]
    for name, type in operands.items():
        value = "0.5"
        if name == "lengths":
            value = "[" + ", ".join(str(b % (one.sizes[1] + 1)) for b in range(one.sizes[2])) + "]"
        lines.append(f"  %{name} = arith.constant dense<{value}> : {type}")
    lines += [f"  %r:{len(returned)} = call @{one.name.replace('exported_stack_', f'cluster{case[0]}_')}"
              f"({', '.join('%' + name for name in operands)}) : ({', '.join(operands.values())}) -> "
              f"({', '.join(returned.values())})",
              f"  return {', '.join(f'%r#{i}' for i in range(len(returned)))} : {', '.join(returned.values())}", "}"]
    return function(case, element) + "\n\n" + "\n".join(lines)


cases = {"cases": CASES, "checked": CHECKED, "shapes": SHAPES, "refused": REFUSED}[kind]
print("\n\n".join((checked if kind == "checked" else function)(case, element) for case in cases))
