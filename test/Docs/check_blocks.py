# check_blocks.py - runs a program on every mlir block of Markdown files.
#
#   check_blocks.py FILE-OR-FOLDER... -- PROGRAM ARGUMENT...
#
# A block is the text between ```mlir and ```: a module, or functions of one. Blocks with ops of
# frameworks are read with --allow-unregistered-dialect.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import re
import subprocess
import sys
import textwrap

FENCE = re.compile(r"^(\s*)(`{3,})\s*([\w-]*)")


def find_blocks(path):
    """Yields (line number, text) of each mlir block; a fence that is never closed is an error."""
    opened = None  # (line number, fence, language, lines)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        match = FENCE.match(line)
        if opened is None:
            if match:
                opened = (number, match.group(2), match.group(3), [])
        elif match and match.group(2) == opened[1] and not match.group(3):
            if opened[2] == "mlir":
                yield opened[0], textwrap.dedent("\n".join(opened[3])) + "\n"
            opened = None
        else:
            opened[3].append(line)
    if opened is not None:
        raise SystemExit(f"{path}:{opened[0]}: error: this block is never closed")


def main():
    if "--" not in sys.argv:
        raise SystemExit("usage: check_blocks.py FILE-OR-FOLDER... -- PROGRAM ARGUMENT...")
    split = sys.argv.index("--")
    names, program = sys.argv[1:split], sys.argv[split + 1:]
    files = []
    for name in names:
        path = pathlib.Path(name)
        files += sorted(path.rglob("*.md")) if path.is_dir() else [path]
    count = failed = 0
    for path in files:
        for number, text in find_blocks(path):
            count += 1
            arguments = ["--allow-unregistered-dialect"] if re.search(r'"(tf|stablehlo|onnx|torch)\.', text) else []
            result = subprocess.run(program + arguments + ["-"], input=text, capture_output=True, text=True)
            if result.returncode != 0:
                failed += 1
                print(f"{path}:{number}: error: this block fails\n{textwrap.indent(result.stderr, '    ')}")
    print(f"{count} blocks of {len(files)} files, {failed} fail")
    # No blocks at all means a wrong path.
    return 1 if failed or not count else 0


sys.exit(main())
