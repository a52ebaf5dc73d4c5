#!/usr/bin/env python3
"""Prints Markdown tables of the resources and instruction counts of the kernels that the bundle measures.

    kernels.py --compiler rnn-compile --ptxas PTXAS --chip sm_90a [--size T,B,I,H] [--types f16,...] [--ptx per_step.ptx]
               [--module variants.mlir] [--tf32-module variants.mlir]

Columns: registers per thread, bytes of shared memory per block, spilled bytes (from ptxas), instructions in the PTX, and
instructions of a thread in one time step. The last has the form `a + b n`. `a` counts instructions outside of loops with a
dynamic trip count; bodies of loops with a constant trip count are multiplied by it. `b` counts the bodies of loops with a
dynamic trip count n, each once. Both sides of a branch count. Kernels with `step` or `state` in their name run once per
step; for persistent kernels the body of the loop over steps counts; other kernels run once for all steps.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import control_flow
import ptxas
import timed

INSTRUCTION = re.compile(r"\t(?:@!?(\S+)\s+)?([a-z][a-z0-9_.:]*)(?:\s+(.*?))?;?$")


class Kernel:
    """The basic blocks and loops of a kernel's PTX."""

    def __init__(self, name):
        self.name, self.blocks, self.labels = name, [[]], {}

    def add(self, line):
        if m := re.match(r"(\$L\w+):", line):
            self.blocks.append([])
            self.labels[m[1]] = len(self.blocks) - 1
        elif m := INSTRUCTION.match(line):
            predicate, op, rest = m[1], m[2], m[3] or ""
            self.blocks[-1].append((predicate, op, [part.strip() for part in rest.split(",")]))
            if op.startswith("bra"):  # a branch ends the block
                self.blocks.append([])

    def analyze(self):
        count = len(self.blocks)
        self.successors = []
        for index, block in enumerate(self.blocks):
            last = block[-1] if block else (None, "", [])
            targets = [self.labels[last[2][0]]] if last[1].startswith("bra") else []
            ends = (last[1].startswith("bra") and last[0] is None) or last[1] in ("ret", "exit", "trap")
            self.successors.append(targets + ([index + 1] if not ends and index + 1 < count else []))
        reached = control_flow.reachable(self.successors)
        self.successors = [targets if index in reached else [] for index, targets in enumerate(self.successors)]
        loops = control_flow.natural_loops(self.successors)
        self.loops = [(body, self.rounds(body)) for body in sorted(loops, key=len, reverse=True)]

    def rounds(self, body):
        """The trip count of a loop whose counter starts at, is increased by, and is compared with constants; else None."""
        defined = {}  # register -> its definitions, each with whether it is in the loop
        for index, block in enumerate(self.blocks):
            for _, op, values in block:
                if op.startswith(("add.s", "mov.b", "mov.u")) and len(values) > 1:
                    defined.setdefault(values[0], []).append((index in body, op, values[1:]))
        for index in body:
            block = self.blocks[index]
            if not any(target not in body for target in self.successors[index]) and \
                    not any(target in body for target in self.successors[index]):
                continue
            for _, op, values in block:
                if not op.startswith("setp.ne") or not re.fullmatch(r"-?\d+", values[2]):
                    continue
                for inside, what, operands in defined.get(values[1], ()):
                    if not inside or not what.startswith("add") or not re.fullmatch(r"-?\d+", operands[1]):
                        continue
                    for counter in {values[1], operands[0]}:
                        starts = {v[0] for within, how, v in defined.get(counter, ()) if not within and how.startswith("mov")}
                        if len(starts) == 1 and re.fullmatch(r"-?\d+", start := starts.pop()):
                            rounds = (int(values[2]) - int(start)) / int(operands[1])
                            if rounds > 0 and rounds == int(rounds):
                                return int(rounds)
        return None

    def instructions(self):
        return sum(map(len, self.blocks))

    def matrix_instructions(self):
        return sum("mma.sync" in op for block in self.blocks for _, op, _ in block)

    def per_step(self):
        within = range(len(self.blocks))
        if "_persistent" in self.name and self.loops:
            within, loops = self.loops[0][0], self.loops[1:]  # the largest loop is the loop over steps
        elif re.search("_step|_state|^gates_|^bias_", self.name) and "_w_" not in self.name:
            loops = self.loops
        else:
            return ""
        known = unknown = 0
        for index in within:
            times, open_ended = 1, False
            for body, rounds in loops:
                if index in body:
                    times, open_ended = times * (rounds or 1), open_ended or rounds is None
            if open_ended:
                unknown += times * len(self.blocks[index])
            else:
                known += times * len(self.blocks[index])
        return f"{known} + {unknown} n" if unknown else str(known)


def parse(ptx):
    kernels = {}
    current = None
    for line in ptx.splitlines():
        if m := re.match(r"\.visible \.entry (\w+)\(", line):
            current = kernels[m[1]] = Kernel(m[1])
        elif current:
            current.add(line)
    for kernel in kernels.values():
        kernel.analyze()
    return kernels


def print_spills(name, ptx, assembler, chip):
    """The kernels of a module that spill registers or have a stack."""
    resources = ptxas.assemble(ptx, assembler, chip)
    spilled = [kernel for kernel, one in resources.items() if one.stack + one.spilled > 0]
    print(f"\n{name}: {len(resources)} kernels, with local memory: {', '.join(spilled) or 'none'}")


def table(ptx, assembler, chip):
    kernels = parse(ptx)
    print("| kernel | registers | shared | spilled | instructions | tensor cores | for one step |\n"
          "|---|---|---|---|---|---|---|")
    for name, one in ptxas.assemble(ptx, assembler, chip).items():
        kernel = kernels[name]
        print(f"| `{name}` | {one.registers} | {one.shared} | {one.spilled} | {kernel.instructions()} | "
              f"{kernel.matrix_instructions()} | {kernel.per_step()} |")


def assembly(compiler, module, *flags):
    """The PTX of a module. If the compiler finds ptxas, the module has none, so it runs with a toolkit folder without ptxas."""
    with tempfile.TemporaryDirectory() as folder:
        toolkit = os.environ.get("CUDA_HOME", "/usr/local/cuda")
        if os.path.isdir(toolkit + "/nvvm/libdevice"):
            os.makedirs(folder + "/nvvm")
            os.symlink(toolkit + "/nvvm/libdevice", folder + "/nvvm/libdevice")
        run = subprocess.run([os.path.abspath(compiler), "-", "--target=cuda", "--lowering=fused", "-O2", *flags,
                              "-o", "-"], input=module, text=True, stdout=subprocess.PIPE,
                             env={**os.environ, "PATH": folder, "CUDA_HOME": folder})
    if run.returncode != 0:
        sys.exit(run.returncode)
    return ptxas.embedded(run.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--ptxas", required=True)
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--size", default="128,64,512,512")
    parser.add_argument("--types", default="f16,bf16,tf32,f32")
    parser.add_argument("--ptx", help="assemble this file too")
    parser.add_argument("--module", action="append", default=[], help="only name the kernels of this module that spill registers")
    parser.add_argument("--tf32-module", action="append", default=[], help="the same, compiled with --tf32")
    arguments = parser.parse_args()
    size = tuple(map(int, arguments.size.split(",")))
    print(f"{arguments.chip}, T,B,I,H = {arguments.size}. Instructions per thread; `a + b n`: b instructions in loops with a "
          "dynamic trip count n, each body counted once.")
    for kind in filter(None, arguments.types.split(",")):
        print(f"\n{kind}:\n")
        cluster = size[3] <= timed.PERSISTENT_HIDDEN.get(kind, 0)
        module = "\n\n".join(timed.one(size, "f32" if kind == "tf32" else kind, cluster))
        flags = ["--chip=" + arguments.chip] + ["--tf32"] * (kind == "tf32")
        table(assembly(arguments.compiler, module, *flags), arguments.ptxas, arguments.chip)
    for path, *flags in [(path,) for path in arguments.module] + [(path, "--tf32") for path in arguments.tf32_module]:
        with open(path) as file:
            ptx = assembly(arguments.compiler, file.read(), "--chip=" + arguments.chip, *flags)
        print_spills(" ".join([os.path.basename(path), *flags]), ptx, arguments.ptxas, arguments.chip)
    if arguments.ptx:
        print("\nElementwise kernels of TensorFlow's method:\n")
        with open(arguments.ptx) as file:
            table(file.read(), arguments.ptxas, arguments.chip)


if __name__ == "__main__":
    main()
