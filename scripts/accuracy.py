#!/usr/bin/env python3
"""Measures the errors of every lowering on targets host and simt against the host plans in f64, and writes docs/accuracy.md.

    scripts/accuracy.py [--build=build] [-o docs/accuracy.md]      35 s on one core

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "tools", "gpu-bundle"))
sys.dont_write_bytecode = True
from cases import GATES, Block, Case, write, write_blocks  # noqa: E402

TYPES = ("f64", "f32", "f16", "bf16")
# The spacing of the numbers just above 1.
EPSILON = {"f64": 2.0 ** -52, "f32": 2.0 ** -23, "f16": 2.0 ** -10, "bf16": 2.0 ** -7}
LOWERINGS = (("host", "plans", ["--lowering=runtime"]), ("host", "loops", ["--lowering=fused", "--cpu=native"]),
             ("simt", "kernels", ["--target=simt", "--lowering=fused", "--fused-kernel=per_step", "--cpu=native"]))


def modules(dtype, chain):
    """A network of each mode and a block LSTM of each layout, forward and gradient."""
    if chain:
        networks = [Case(mode, steps=3000, batch=1, input=4, hidden=8, tag="chain") for mode in sorted(GATES)]
        blocks = [Block(f"chain_{layout}", layout, (3000, 1, 4, 8), "use_peephole", static=True) for layout in ("icfo", "ifco")]
    else:
        networks = [Case(mode, 2, 2, steps=16, batch=8, input=33, hidden=32, tag="short") for mode in sorted(GATES)]
        blocks = [Block(f"short_{layout}", layout, (16, 8, 33, 32), "use_peephole", static=True) for layout in ("icfo", "ifco")]
    return "\n\n".join([write(case, dtype) for case in networks] + write_blocks(blocks, dtype)) + "\n"


def run(*command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    # The runner exits with 1 if an error exceeds its limit; the errors are what is measured here.
    if done.returncode != 0 and "passed" not in done.stdout:
        sys.exit(f"{' '.join(command)}:\n{done.stdout}")
    return done.stdout


def measure(build, folder, chain):
    """Errors by (op, type, target, lowering)."""
    errors = {}
    tool = lambda name: os.path.join(build, "bin", name)  # noqa: E731
    sources = {}
    for dtype in TYPES:
        sources[dtype] = os.path.join(folder, f"{dtype}.mlir")
        with open(sources[dtype], "w") as file:
            file.write(modules(dtype, chain))
    reference = os.path.join(folder, "reference.so")
    run(tool("rnn-compile"), sources["f64"], "-O1", "--lowering=runtime", "-o", reference)
    for target, lowering, flags in LOWERINGS:
        if chain and target == "simt":
            continue
        for dtype in TYPES:
            library = os.path.join(folder, "module.so")
            run(tool("rnn-compile"), sources[dtype], "-O1", *flags, "-o", library)
            text = run(tool("rnn-bundle-runner"), f"--device={target}", f"--reference={reference}", f"--module={library}")
            for name, error in re.findall(r"^(?:PASS|FAIL) \S+ +(\S+) +result .*: error (\S+),", text, re.M):
                op = re.sub(r"_(l\d|t\d).*|_(short|chain)_", lambda m: " " if m[2] else "", name).replace("block ", "block_lstm ")
                errors[op, dtype, target, lowering] = max(float(error), errors.get((op, dtype, target, lowering), 0.0))
    return errors


def table(errors):
    columns = [(target, lowering) for target, lowering, _ in LOWERINGS if any(key[2:] == (target, lowering) for key in errors)]
    lines = ["| op | type | " + " | ".join(f"{target} {lowering}" for target, lowering in columns) + " |",
             "|---|---|" + "---|" * len(columns)]
    for op in sorted({key[0] for key in errors}):
        for dtype in TYPES:
            cells = []
            for column in columns:
                error = errors.get((op, dtype) + column)
                cells.append("-" if error is None else f"{error:.1e} ({error / EPSILON[dtype]:.1f})")
            lines.append(f"| `{op}` | {dtype} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def processor():
    with open("/proc/cpuinfo") as file:
        found = re.search(r"model name\s*: (.*)", file.read())
    return found[1] if found else "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(TOP, "build"))
    parser.add_argument("-o", dest="output", default=os.path.join(TOP, "docs", "accuracy.md"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        short, chain = (measure(arguments.build, folder, one) for one in (False, True))
    with open(arguments.output, "w") as file:
        file.write(f"""# Accuracy

Written by `scripts/accuracy.py`, on {processor()}. Errors of all results, forward and
gradient, against the host plans in f64 on the same arguments, relative to the largest element of a
result; the largest of all results. In parentheses: the same in units in the last place of that element. [Semantics](Semantics.md#numerics) has the rounding of each lowering. The host plans in
f64 are the reference and have no row of their own error: tests compare them with TensorFlow and PyTorch (5.8e-16).

The gradient of `rnn_relu` is not continuous where its argument is 0: rounding an operand to bf16 can change a factor from 0
to 1. This is the likely cause of the errors of its bf16 loops and kernels; it was not examined further.

Not measured here: infinities, NaN, denormals and arguments of large magnitude, persistent kernels, and the kernels of
target `simt` for long chains.

## Sequences of 16 steps

Stacks of two bidirectional layers, (T, B, I, H) = (16, 8, 33, 32), and one block LSTM of the same sizes with peepholes.

{table(short)}

## Chains of 3000 steps

One layer, (T, B, I, H) = (3000, 1, 4, 8).

{table(chain)}
""")


if __name__ == "__main__":
    main()
