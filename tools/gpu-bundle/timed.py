# timed.py - the functions that rnn-bundle-compare measures: one LSTM layer, forward and backward separately, as block ops and
# as cudnn ops, with every candidate: per-step kernels, persistent kernels, plans. Every op has an explicit lowering, so the
# measurements do not depend on the compiler's selection.
#
#   timed.py FILE...    checks lists of rnn-compile --emit-candidates; fails if a candidate of an op has no function
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import sys
from collections import defaultdict

import stacks

# Sizes with persistent kernels come first: an interrupted run has measured the most important ones.
SIZES = ((128, 32, 256, 256), (128, 64, 512, 512), (512, 16, 512, 512), (1024, 1, 512, 512), (1024, 16, 768, 768),
         (256, 64, 1024, 1024), (100, 256, 1024, 1024))
# Sizes measured with tf32.
AS_TF32 = SIZES[:3]
# Sizes for devices other than a GPU.
SMALL = ((6, 3, 5, 16), (4, 2, 8, 8))
# Stacks of layers, layers with resets, and batch-major layers, as cudnn ops only. The names are those of compare.cpp.
WHATS = {"l2": dict(layers=2), "l4": dict(layers=4), "resets_zero": dict(resets="zero"), "resets_initial": dict(resets="initial"),
         "batch_major": dict(batch_major=True)}
VARIANTS = (("l2", (512, 16, 512, 512)), ("l4", (512, 16, 512, 512)), ("l4", (128, 32, 256, 256)),
            ("resets_zero", (512, 16, 512, 512)), ("resets_initial", (512, 16, 512, 512)), ("batch_major", (512, 16, 512, 512)))
# In f32, persistent kernels with resets to the initial states do not fit H = 512.
F32_VARIANTS = tuple((what, (128, 32, 256, 256) if what == "resets_initial" else sizes) for what, sizes in VARIANTS)
ALL_VARIANTS = VARIANTS + tuple(one for one in F32_VARIANTS if one not in VARIANTS)
SMALL_VARIANTS = (("l2", (6, 3, 5, 16)), ("resets_zero", (4, 2, 8, 8)), ("resets_initial", (4, 2, 8, 8)),
                  ("batch_major", (4, 2, 6, 8)))

# Sizes of rnn-bundle-loads: the saved values of 32 steps of f16 are in the L2 cache (5 MB), those of 512 are not (75 MB).
LOADS = tuple((T, 16, 512, 512) for T in (16, 32, 512, 1024))
SMALL_LOADS = tuple((T, 2, 4, 8) for T in (2, 4, 8))

# The largest hidden size of an LSTM with persistent kernels, by element type (docs/internals/persistent-kernels.md).
PERSISTENT_HIDDEN = {"f16": 768, "bf16": 768, "tf32": 512, "f32": 512}

# The part of a function's name that identifies the candidate.
FUSED, PERSISTENT, PLAN = "", "_persistent", "_plan"


def name_of(sizes):
    return "_".join(map(str, sizes))


def attributes_of(way):
    """The attributes of the op in a function."""
    if way is None:
        return []
    if way == PLAN:
        return ["lowering = #rnn.lowering<runtime>"]
    return [f"lowering = #rnn.lowering<fused, kernel = {'persistent' if way == PERSISTENT else 'per_step'}>"]


def block(name, sizes, element, backward, way=FUSED, states_only=False):
    """One pass of the block form; sizes may be "?". `states_only`: returns the gradients of the initial states only."""
    T, B, I, H = sizes
    columns, rows = ("?", "?") if "?" in sizes else (4 * H, I + H)

    def tensor(*shape):
        return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"
    x, state, weights, vector, bias = tensor(T, B, I), tensor(B, H), tensor(rows, columns), tensor(H), tensor(columns)
    steps = tensor(T, B, H)
    types = [x, state, state, weights, vector, vector, vector, bias] + [steps] * (9 if backward else 0)
    v = [f"%v{index}" for index in range(17)]
    operands = (f"icfo x({v[0]} : {x}) state({v[1]}, {v[2]} : {state})\n      weights({v[3]} : {weights}) "
                f"peephole({v[4]}, {v[5]}, {v[6]} : {vector}) bias({v[7]} : {bias})")
    lines = [f"func.func @{name}({', '.join(map(': '.join, zip(v, types)))})"]
    of_op = "".join(f" {{{one}}}" for one in attributes_of(way))
    if backward:
        used, results = ((1, 2), [state] * 2) if states_only else ((0, 1, 2, 3, 7), [x, state, state, weights, bias])
        lines += [f"    -> ({', '.join(results)}) {{", f"  %r:8 = rnn.block_lstm_grad {operands}",
                  f"      saved({', '.join(v[8:15])} : {steps}) grads({v[15]}, {v[16]} : {steps}){of_op}"]
    else:
        used, results = range(7), [steps] * 7
        lines += [f"    -> ({', '.join(results)}) {{", f"  %r:7 = rnn.block_lstm {operands}{of_op}"]
    return "\n".join(lines + [f"  return {', '.join(f'%r#{index}' for index in used)} : {', '.join(results)}", "}"])


def one(sizes, element, with_persistent, block_plans=False):
    """The functions of one size."""
    persistent = (PERSISTENT,) if with_persistent else ()
    for way in (FUSED,) + persistent + ((PLAN,) if block_plans else ()):
        for backward in (False, True):
            name = f"block_{'backward' if backward else 'forward'}{way}_{name_of(sizes)}"
            yield block(name, sizes, element, backward, way)
    for way in (FUSED,) + persistent + (PLAN,):
        yield from stacks.timed(sizes, element, way, attributes_of(way))


def timed(kind, sizes=SIZES, block_plans=False, persistent=True):
    """`kind` is an element type, or tf32 for f32 that is compiled with --tf32."""
    for one_size in sizes:
        with_persistent = persistent and one_size[3] <= PERSISTENT_HIDDEN.get(kind, 0)
        yield from one(one_size, "f32" if kind == "tf32" else kind, with_persistent, block_plans)


def variants(element, some, reference=False):
    """The functions of VARIANTS, or of `some` of them. The plans of a GPU have no resets. `reference`: one way, with a name of its
    own."""
    for what, sizes in some:
        has_plan = "resets" not in WHATS[what]
        for way in ("_reference",) if reference else (FUSED, PERSISTENT) + ((PLAN,) if has_plan else ()):
            attributes = attributes_of(None if reference else way)
            yield from stacks.timed(sizes, element, way, attributes, "variant_" + what + "_", **WHATS[what])


def loads(sizes, element, way=PERSISTENT):
    """The functions of rnn-bundle-loads."""
    for one_size in sizes:
        yield block("loads_forward_" + name_of(one_size), one_size, element, backward=False)
        yield block("loads_backward_" + name_of(one_size), one_size, element, backward=True, way=way, states_only=True)


def reference():
    """Every size, in f64."""
    yield block("reference_forward", ("?",) * 4, "f64", backward=False, way=None)
    yield block("reference_backward", ("?",) * 4, "f64", backward=True, way=None)


def find_missing(path):
    """Candidates in a list of rnn-compile --emit-candidates without a function."""
    functions = defaultdict(dict)
    listed = {}
    with open(path) as file:
        for line in map(json.loads, file):
            functions[line["op"]][line["candidate"]] = line["function"]
            listed[line["op"]] = line["candidates"]
    for op, candidates in listed.items():
        for candidate in candidates:
            if candidate not in functions[op]:
                yield f"{path}: no function runs `{op}` as {candidate}, beside {', '.join(functions[op].values())}"


if __name__ == "__main__":
    missing = [text for path in sys.argv[1:] for text in find_missing(path)]
    sys.exit("\n".join(missing) or 0)
