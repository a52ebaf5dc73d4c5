# check_commands.py - runs the sh blocks of a Markdown page, in order, in one folder.
#
#   check_commands.py PAGE [NAME.mlir=TEXT...]
#
# Before, the first mlir block that contains TEXT is written to NAME.mlir.
#
# A block whose first line is `# needs PACKAGE...` runs if the Python of $RNN_IMPORT_PYTHON has the packages; `python`,
# `rnn-import-tf` and `rnn-import-stablehlo` run in that program in such a block.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)
MLIR = re.compile(r"^```mlir\n(.*?)^```$", re.M | re.S)
PROGRAMS = (("python", ""), ("rnn-import-tf", "-m rnn_mlir.importers.tensorflow"),
            ("rnn-import-stablehlo", "-m rnn_mlir.importers.stablehlo"))


def has_packages(python, packages):
    names = ", ".join(packages)
    return python and subprocess.run([python, "-c", f"import {names}"], capture_output=True).returncode == 0


def main():
    page = pathlib.Path(sys.argv[1])
    text = page.read_text(encoding="utf-8")
    for argument in sys.argv[2:]:
        name, content = argument.split("=", 1)
        pathlib.Path(name).write_text(next(block for block in MLIR.findall(text) if content in block), encoding="utf-8")
    python = os.environ.get("RNN_IMPORT_PYTHON", "")
    ran = skipped = 0
    for match in BLOCK.finditer(text):
        block, line = match.group(1), text.count("\n", 0, match.start()) + 1
        needs = re.match(r"# needs (.*)\n", block)
        if needs and not has_packages(python, needs.group(1).split()):
            skipped += 1
            continue
        # Debian's name of the program.
        functions = 'mlir-opt-22() { mlir-opt "$@"; }\n'
        if needs:
            functions += "".join(f'{name}() {{ "{python}" {module} "$@"; }}\n' for name, module in PROGRAMS)
        result = subprocess.run(["bash", "-euo", "pipefail", "-c", functions + block], capture_output=True, text=True)
        if result.returncode != 0:
            print(f"{page}:{line}: error: this block fails\n{result.stdout}{result.stderr}")
            return 1
        ran += 1
    print(f"{ran} blocks ran, {skipped} skipped")
    return 0 if ran else 1


sys.exit(main())
