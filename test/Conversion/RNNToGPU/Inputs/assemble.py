# assemble.py - assembles the PTX in a compiled module and prints the resources of each kernel.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assemble.py PTXAS ARCH [--ptx FILE] < MODULE.mlir

Prints one line per kernel: its name, registers of a thread, bytes of shared memory, of the stack, and of spills, and how many
instructions and tensor core instructions its PTX has. With --ptx the PTX is also written to FILE."""
import re
import subprocess
import sys
import tempfile


def unescape(text):
    return re.sub(r"\\([0-9A-F]{2}|.)", lambda m: chr(int(m[1], 16)) if len(m[1]) == 2 else m[1], text)


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
    ptxas, arch = sys.argv[1:3]
    found = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', sys.stdin.read())
    if not found:
        sys.exit("assemble.py: there is no `assembly` in the module")
    ptx = unescape(found[1]).rstrip("\0")
    if sys.argv[3:4] == ["--ptx"]:
        with open(sys.argv[4], "w") as out:
            out.write(ptx)
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/kernels.ptx"
        with open(path, "w") as out:
            out.write(ptx)
        run = subprocess.run([ptxas, "-v", "-arch=" + arch, path, "-o", folder + "/kernels.cubin"], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode != 0:
        sys.exit(run.stdout)
    name, stack, kernels, counts = None, None, 0, count(ptx)
    for line in run.stdout.splitlines():
        if m := re.search(r"Compiling entry function '(\w+)'", line):
            name = m[1]
        elif m := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            stack = m
        elif name and (m := re.search(r"Used (\d+) registers", line)):
            shared = re.search(r"(\d+) bytes smem", line)
            print(f"{name}: {m[1]} registers, {shared[1] if shared else 0} shared, {stack[1]} stack, "
                  f"{int(stack[2]) + int(stack[3])} spilled, {counts[name][0]} instructions, {counts[name][1]} mma")
            name, kernels = None, kernels + 1
    if kernels == 0:
        sys.exit("assemble.py: ptxas names no kernels:\n" + run.stdout)


if __name__ == "__main__":
    main()
