#!/usr/bin/env python3
"""Measures the errors of every lowering on targets host and simt against the host plans in f64, and writes docs/accuracy.md.

    scripts/accuracy.py [--build=build] [-o docs/accuracy.md]      7 minutes on one core

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
import accuracy_fills  # noqa: E402
from cases import GATES, Block, Case, write, write_blocks  # noqa: E402

TYPES = ("f64", "f32", "f16", "bf16")
# The spacing of the numbers just above 1.
EPSILON = {"f64": 2.0 ** -52, "f32": 2.0 ** -23, "f16": 2.0 ** -10, "bf16": 2.0 ** -7}
KERNELS = ["--target=simt", "--lowering=fused", "--cpu=native"]
LOWERINGS = (("host", "plans", ["--lowering=runtime"]), ("host", "loops", ["--lowering=fused", "--cpu=native"]),
             ("host", "decomposition", ["--cpu=native"]), ("simt", "per-step kernels", [*KERNELS, "--fused-kernel=per_step"]),
             ("simt", "persistent kernels", [*KERNELS, "--fused-kernel=persistent"]))


def gradients_only(text):
    """The functions of networks without the results of the forward op, which are those before %dx."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if line.startswith("    -> ("):
            header = index
        elif line.startswith("  return "):
            values, types = (part.split(", ") for part in line[len("  return "):].split(" : "))
            first = values.index("%dx")
            lines[header] = f"    -> ({', '.join(types[first:])}) {{"
            lines[index] = f"  return {', '.join(values[first:])} : {', '.join(types[first:])}"
    return "\n".join(lines)


def modules(dtype, chain):
    """A network of each mode and a block LSTM of each layout: the forward op alone, and the results of its gradient."""
    steps, batch, inputs, hidden = (3000, 1, 4, 8) if chain else (16, 8, 33, 32)
    depth = (1, 1) if chain else (2, 2)
    networks = {training: "\n\n".join(
        write(Case(mode, *depth, steps=steps, batch=batch, input=inputs, hidden=hidden, training=training,
                   tag="gradient" if training else "forward"), dtype) for mode in sorted(GATES)) for training in (False, True)}
    blocks = [Block(f"{layout}_{tag}", layout, (steps, batch, inputs, hidden), "use_peephole", static=True, results=results)
              for layout in ("icfo", "ifco") for tag, results in (("forward", tuple(range(7))), ("gradient", tuple(range(7, 15))))]
    return "\n\n".join([networks[False], gradients_only(networks[True])] + write_blocks(blocks, dtype)) + "\n"


def op_of(name):
    """The op that a function measures."""
    gradient = "gradient" in name
    block = re.match(r"block_(i[a-z]+)_", name)
    if block:
        return f"block_lstm{'_grad' * gradient} {block[1]}"
    return f"cudnn_{'backprop' if gradient else 'forward'} " + next(mode for mode in GATES if name.startswith(mode))


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
        for dtype in TYPES:
            if lowering.startswith("persistent") and dtype == "f64":
                continue
            source, library = sources[dtype], os.path.join(folder, "module.so")
            if lowering == "decomposition":
                source = os.path.join(folder, "decomposed.mlir")
                run(tool("rnn-opt"), sources[dtype], "--rnn-decompose", "-o", source)
            run(tool("rnn-compile"), source, "-O1", *flags, "-o", library)
            text = run(tool("rnn-bundle-runner"), f"--device={target}", f"--reference={reference}", f"--module={library}")
            for name, error in re.findall(r"^(?:PASS|FAIL) \S+ +(\S+) +result .*: error (\S+),", text, re.M):
                key = op_of(name), dtype, target, lowering
                errors[key] = max(float(error), errors.get(key, 0.0))
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
        fills = accuracy_fills.table(arguments.build, folder)
    with open(arguments.output, "w") as file:
        file.write(f"""# Accuracy

Written by `scripts/accuracy.py`, on {processor()}. Errors of each op against the host plans in f64 on the same
arguments, relative to the largest element of a result; the largest of all results. In parentheses: the same in units in the last
place of that element. The rows of `cudnn_backprop` include the error of the forward op before it, with the same lowering.
[Semantics](Semantics.md#numerics) has the rounding of each lowering. The host plans in f64 are the reference and have no row of
their own error: tests compare them with TensorFlow and PyTorch (5.8e-16). Ops that convert parameters copy elements, without
errors. Target `cuda` has not run.

The gradient of `rnn_relu` is not continuous where its argument is 0. Loops and kernels in bf16, and kernels in f16, round the
state of each step to that type, plans do not, so that an output next to 0 can have the other sign, and its factor in the
gradient is 0 instead of 1.
Examined with one layer, (T, B, I, H) = (16, 8, 33, 32), arguments uniform, weights in ±0.15: of 4096 outputs of the loops, one
has another sign than in f64, where it is 5e-5. The error of the gradient is 0.198. Against an f64 gradient with the signs of
that run, it is 3.4e-3, and for plans 2.3e-3.

## Sequences of 16 steps

Stacks of two bidirectional layers, (T, B, I, H) = (16, 8, 33, 32), and one block LSTM of the same sizes with peepholes.

{table(short)}

## Chains of 3000 steps

One layer, (T, B, I, H) = (3000, 1, 4, 8).

{table(chain)}

## Large arguments, infinities, NaN and denormals

One layer, (T, B, I, H) = (3, 6, 8, 8); all elements of `x` in a batch row have the value of the column, other arguments are
uniform. Errors of the output and of the gradient of `x` in that row, relative to its largest element or the smallest normal
number of the type. `n differ`: elements that are finite in one result, and infinite or NaN in the other, or infinities of another
sign. In saturated gates (±1000), the factor 1 - s of a gradient is a difference of nearly equal numbers or 0, so that these small
gradients have few correct digits in every lowering, in the reference too; an error of 1 is a gradient
that is 0 in the type. An error far above 1 is a gradient that is 0 in f64: for `rnn_tanh` in bf16 it is 1.6e-8, with AMX
only, where the factor of one saturated unit (argument 20.3) is not 0. Denormals are 2^-1060 (f64), 2^-140
(f32), 2^-20 (f16) and 2^-130 (bf16).

{fills}
""")


if __name__ == "__main__":
    main()
