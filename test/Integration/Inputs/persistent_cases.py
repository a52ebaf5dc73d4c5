# persistent_cases.py - backward passes of a block LSTM that request persistent kernels, and helpers for the forward passes.
#
#   persistent_cases.py f16 > cases.mlir
#   persistent_cases.py f32 few > cases.mlir         some of them, in clusters of up to 4 blocks or of the compiler's choice
#   persistent_cases.py f16 checked > cases.mlir     small ones without arguments; every value is 0.5
#   persistent_cases.py f16 refused > cases.mlir     layers that do not fit
#   persistent_cases.py f16 shapes > cases.mlir      the shapes of kernels, at the limits of each
#   persistent_cases.py f16 KIND NAME > case.mlir    of one kind (also `cases`) the function NAME, or all with the prefix NAME_
#
# One function per case: clusterBLOCKS_tT_bB_iI_hH with suffixes for options; 0 blocks: the compiler chooses.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys

element, kind, only = (sys.argv[1:] + ["cases", "_"])[:3] if len(sys.argv) == 2 else (sys.argv[1:] + ["_"])[:3]

RESULTS = ["dx", "dcs", "dh", "dw", "dwci", "dwcf", "dwco", "db"]
ALL = range(len(RESULTS))

# Cases that need dynamic shared memory, in clusters of two blocks; the reference has both kinds.
WIDE = {"f32": [150], "f64": [150, 200]}.get(element, [200])

# Blocks, T, B, I, H, layout, peephole, steps that run (None: T), requested results. A cluster has the fewest
# examples for which all clusters are resident, so B decides whether it has one, some or eight.
CASES = [
    (2, 3, 2, 3, 4, "icfo", True, None, ALL),
    (2, 1, 1, 1, 3, "icfo", True, None, ALL),
    (2, 5, 9, 16, 33, "ifco", False, None, ALL),
    (2, 4, 140, 3, 64, "icfo", True, 3, ALL),
    (2, 3, 2, 3, 40, "icfo", False, 0, ALL),
    (2, 3, 0, 3, 4, "icfo", True, None, ALL),
    (4, 6, 70, 5, 50, "ifco", True, None, ALL),
    (4, 4, 3, 9, 130, "icfo", False, None, [2, 3]),
    (8, 4, 40, 5, 100, "icfo", True, None, [0, 7]),
    (8, 7, 3, 5, 256, "icfo", False, 6, [1, 2]),
    (16, 3, 60, 5, 250, "icfo", True, None, [1, 2, 5, 7]),
    (0, 3, 2, 3, 512, "ifco", False, None, [2, 7]),
    # Some weights in shared memory: as much as every kernel has, and more.
    (2, 3, 3, 2, 130, "icfo", True, None, [1, 2]),
    *[(2, 4, 9, 2, H, "ifco", False, None, [2]) for H in WIDE],
]

FEW = [CASES[index] for index in (0, 2, 3, 6, 7, 11, 13)]

CHECKED = [
    (2, 3, 2, 1, 20, "icfo", True, None, [1, 2]),
    (2, 5, 140, 1, 40, "icfo", False, None, [2]),
    (4, 4, 3, 1, 130, "ifco", True, None, [0, 1]),
    *[(2, 3, 2, 1, H, "icfo", False, None, [2]) for H in WIDE],
]
REFUSED = [(0, 2, 2, 1, 1000, "icfo", True, None, [2])]
# At the limits of each cluster size, of registers alone and with shared memory. 256 and 512 are the main use.
LIMITS = {"f16": [(2, 96), (2, 130), (2, 200), (4, 192), (8, 384), (16, 500), (0, 256), (0, 512), (16, 768)],
          "bf16": [(2, 96), (0, 512), (0, 700)], "f32": [(4, 130), (8, 384), (0, 512), (2, 150), (16, 500)]}
SHAPES = [(blocks, 2, 64, 1, H, "icfo", True, None, [1, 2, 4, 5, 6, 7]) for blocks, H in LIMITS.get(element, [])]


def tensor(element, *sizes):
    return f"tensor<{'x'.join(map(str, sizes))}x{element}>"


def types_of(element, sizes):
    """Of the operands that both passes have, and of one value per step and unit."""
    T, B, I, H = sizes
    seq, state, vector = tensor(element, T, B, H), tensor(element, B, H), tensor(element, H)
    x, w, b = tensor(element, T, B, I), tensor(element, I + H, 4 * H), tensor(element, 4 * H)
    return [x, state, state, w, vector, vector, vector, b], seq


def lowering(type, blocks):
    """The attribute that requires a persistent kernel; none in f64, which has plans and per-step kernels, nor for what does not fit."""
    if "f64" in type or kind == "refused":
        return []
    return [f"lowering = #rnn.lowering<fused, kernel = persistent{f', cluster = {blocks}' if blocks else ''}>"]


def function(name, op, operands, saved, results, requested, blocks, layout, steps, attributes, has_arguments):
    """A pass as a function. `saved`: of a gradient, the type of what the forward saved and of the gradients, else None."""
    x, state, _, w, vector, _, _, b = operands
    arguments = operands + [saved] * 9 * bool(saved)
    signature = "" if not has_arguments else ", ".join(f"%a{i}: {type}" for i, type in enumerate(arguments))
    given = ", ".join(results[i] for i in requested)
    lines = [f"func.func @{name}{'' if steps is None else f'_steps{steps}'}({signature}) -> ({given}) {{"]
    if not has_arguments:
        lines += [f"  %a{i} = arith.constant dense<0.5> : {type}" for i, type in enumerate(arguments)]
    length = ""
    if steps is not None:
        lines.append(f"  %length = arith.constant {steps} : i64")
        length = " seq_len_max(%length)"
    more = "" if not saved else (f"\n      saved(%a8, %a9, %a10, %a11, %a12, %a13, %a14 : {saved})"
                                 f" grads(%a15, %a16 : {saved})")
    attributes = attributes + lowering(x, blocks)
    flags = f" {{{', '.join(attributes)}}}" if attributes else ""
    lines += [f"  %r:{len(results)} = {op} {layout} x(%a0 : {x}) state(%a1, %a2 : {state}) weights(%a3 : {w})"
              f" peephole(%a4, %a5, %a6 : {vector}) bias(%a7 : {b}){length}{more}{flags}",
              "  return " + ", ".join(f"%r#{i}" for i in requested) + f" : {given}", "}"]
    return "\n".join(lines)


def backward(case, element, has_arguments):
    blocks, T, B, I, H, layout, peephole, steps, requested = case
    operands, seq = types_of(element, (T, B, I, H))
    return function(f"cluster{blocks}_t{T}_b{B}_i{I}_h{H}", "rnn.block_lstm_grad", operands, seq, operands, requested, blocks,
                    layout, steps, ["use_peephole"] * peephole, has_arguments)


def write(functions):
    """Prints the selected functions; an empty selection is an error."""
    def is_selected(text):
        name = text[len("func.func @"):text.index("(")]
        return only in ("_", name) or (only.endswith("_") and name.startswith(only))
    chosen = list(filter(is_selected, functions))
    if not chosen and only != "_":
        sys.exit(f"no case is called {only}")
    print("\n\n".join(chosen))


if __name__ == "__main__":
    cases = {"cases": CASES, "few": FEW, "checked": CHECKED, "refused": REFUSED, "shapes": SHAPES}[kind]
    write(backward(case, element, kind != "checked") for case in cases)
