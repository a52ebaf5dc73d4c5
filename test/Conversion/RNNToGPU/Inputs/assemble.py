# assemble.py - assembles the PTX in a compiled module and prints the resources of each kernel.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assemble.py PTXAS ARCH [--ptx FILE] < MODULE.mlir

Prints one line per kernel: its name, registers of a thread, bytes of shared memory, of the stack, and of spills, and how many
instructions and tensor core instructions its PTX has. With --ptx the PTX is also written to FILE."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 4, "tools", "gpu-bundle"))
import ptxas  # noqa: E402


def count(ptx):
    """The number of instructions and of tensor core instructions of each kernel."""
    counts, name = {}, None
    for line in ptx.splitlines():
        if m := re.match(r"\.visible \.entry (\w+)\(", line):
            name = m[1]
            counts[name] = [0, 0]
        elif name and re.match(r"\t(@\S+ *)?[a-z][a-z0-9_.]*([ \t;]|$)", line):
            counts[name][0] += 1
            counts[name][1] += "mma.sync" in line
    return counts


def main():
    assembler, arch = sys.argv[1:3]
    ptx = ptxas.embedded(sys.stdin.read())
    if sys.argv[3:4] == ["--ptx"]:
        with open(sys.argv[4], "w") as out:
            out.write(ptx)
    counts = count(ptx)
    for name, one in ptxas.assemble(ptx, assembler, arch).items():
        print(f"{name}: {one.registers} registers, {one.shared} shared, {one.stack} stack, {one.spilled} spilled, "
              f"{counts[name][0]} instructions, {counts[name][1]} mma")


if __name__ == "__main__":
    main()
