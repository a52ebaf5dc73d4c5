# timed.py - what rnn-bundle-compare measures: one layer of an LSTM, forward and backward apart, in TensorFlow's block form and
# as cudnn ops, by every candidate of the compiler: kernels of steps, of clusters, plans. Nothing is left to the choice of
# the compiler, which would measure what it believes.
#
#   timed.py FILE...    fails where a list of the compiler has a candidate for an op, and no function that runs it so
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import sys
from collections import defaultdict

import stacks

# What has clusters first: of a run that is cut short, the rest is missed least.
SIZES = ((128, 32, 256, 256), (128, 64, 512, 512), (512, 16, 512, 512), (1024, 1, 512, 512), (1024, 16, 768, 768),
         (256, 64, 1024, 1024), (100, 256, 1024, 1024))
# In f32 with factors rounded to tf32.
AS_TF32 = SIZES[:3]
# Where there is no GPU.
SMALL = ((6, 3, 5, 16), (4, 2, 8, 8))
# The types and the largest layers of an LSTM that cluster kernels are there for (docs/internals/persistent-kernels.md).
CLUSTER_HIDDEN = {"f16": 768, "bf16": 768, "tf32": 512, "f32": 512}

# Of the functions, by how their name ends: what runs their op.
FUSED, CLUSTER, PLAN = "", "_cluster", "_plan"


def name_of(sizes):
    return "_".join(map(str, sizes))


def attributes_of(way):
    """Of the op in a function."""
    if way is None:
        return ""
    if way == PLAN:
        return " {lowering = #rnn.lowering<runtime>}"
    return f" {{lowering = #rnn.lowering<fused, kernel = {'persistent' if way == CLUSTER else 'per_step'}>}}"


def block(name, sizes, element, backward, way=FUSED):
    """One pass of the block form; sizes may be "?"."""
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
    of_op = attributes_of(way)
    if backward:
        used, results = (0, 1, 2, 3, 7), [x, state, state, weights, bias]
        lines += [f"    -> ({', '.join(results)}) {{", f"  %r:8 = rnn.block_lstm_grad {operands}",
                  f"      saved({', '.join(v[8:15])} : {steps}) grads({v[15]}, {v[16]} : {steps}){of_op}"]
    else:
        used, results = range(7), [steps] * 7
        lines += [f"    -> ({', '.join(results)}) {{", f"  %r:7 = rnn.block_lstm {operands}{of_op}"]
    return "\n".join(lines + [f"  return {', '.join(f'%r#{index}' for index in used)} : {', '.join(results)}", "}"])


def one(sizes, element, cluster, block_plans=False):
    """The functions of one size."""
    clusters = (CLUSTER,) if cluster else ()
    for way in (FUSED,) + clusters + ((PLAN,) if block_plans else ()):
        for backward in (False, True):
            name = f"block_{'backward' if backward else 'forward'}{way}_{name_of(sizes)}"
            yield block(name, sizes, element, backward, way)
    for way in (FUSED,) + clusters + (PLAN,):
        yield from stacks.timed(sizes, element, way, attributes_of(way))


def timed(kind, sizes=SIZES, block_plans=False, clusters=True):
    """`kind` is an element type, or tf32 for what is compiled with --tf32."""
    for one_size in sizes:
        cluster = clusters and one_size[3] <= CLUSTER_HIDDEN.get(kind, 0)
        yield from one(one_size, "f32" if kind == "tf32" else kind, cluster, block_plans)


def reference():
    """Every size, in f64."""
    yield block("reference_forward", ("?",) * 4, "f64", backward=False, way=None)
    yield block("reference_backward", ("?",) * 4, "f64", backward=True, way=None)


def find_missing(path):
    """What lists of rnn-compile --emit-candidates have no function for."""
    functions = defaultdict(dict)
    wanted = {}
    with open(path) as file:
        for line in map(json.loads, file):
            functions[line["op"]][line["candidate"]] = line["function"]
            wanted[line["op"]] = line["candidates"]
    for op, candidates in wanted.items():
        for candidate in candidates:
            if candidate not in functions[op]:
                yield f"{path}: no function runs `{op}` as {candidate}, beside {', '.join(functions[op].values())}"


if __name__ == "__main__":
    missing = [text for path in sys.argv[1:] for text in find_missing(path)]
    sys.exit("\n".join(missing) or 0)
