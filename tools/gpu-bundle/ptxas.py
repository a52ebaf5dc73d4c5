# ptxas.py - assembles PTX, and the PTX of compiled modules.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass


@dataclass
class Resources:
    """Of a kernel: registers of a thread, and bytes of static shared memory, of the stack and of spills."""
    registers: int = 0
    shared: int = 0
    stack: int = 0
    spilled: int = 0


def embedded(module):
    """The PTX in the text of a compiled module. Ends the program if there is none."""
    found = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', module)
    if not found:
        sys.exit(f"{sys.argv[0]}: there is no `assembly` in the module")
    return re.sub(r"\\([0-9A-F]{2}|.)", lambda m: chr(int(m[1], 16)) if len(m[1]) == 2 else m[1], found[1]).rstrip("\0")


def assemble(ptx, ptxas, chip, use=None):
    """The resources of the kernels in `ptx`, by name. Calls `use(path)` with the cubin, which exists during the call only. Ends the
    program if ptxas fails or names no kernel."""
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/kernels.ptx", "w") as out:
            out.write(ptx)
        run = subprocess.run([ptxas, "-v", "-arch=" + chip, folder + "/kernels.ptx", "-o", folder + "/kernels.cubin"],
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if run.returncode != 0:
            sys.exit(run.stdout)
        if use:
            use(folder + "/kernels.cubin")
    resources, current = {}, None
    for line in run.stdout.splitlines():
        if m := re.search(r"Compiling entry function '(\w+)'", line):
            current = resources[m[1]] = Resources()
        elif current is None:
            continue
        elif m := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            current.stack, current.spilled = int(m[1]), int(m[2]) + int(m[3])
        elif m := re.search(r"Used (\d+) registers", line):
            current.registers = int(m[1])
            shared = re.search(r"(\d+) bytes smem", line)
            current.shared, current = int(shared[1]) if shared else 0, None
    if not resources:
        sys.exit(f"{sys.argv[0]}: ptxas names no kernels:\n{run.stdout}")
    return resources
