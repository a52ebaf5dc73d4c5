# duplicate_symbols.py - fails if a program defines a symbol that one of its upstream libraries defines too.
#
#   duplicate_symbols.py --nm NM PROGRAM... -- LIBRARY...
#
# Weak definitions (inline functions, templates) do not count: the dynamic linker merges them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess
import sys


def definitions(nm, arguments):
    """The names of the strong definitions of one file."""
    lines = subprocess.run([nm, *arguments], check=True, capture_output=True, text=True).stdout.splitlines()
    fields = (line.split() for line in lines)
    return {line[2].split("@")[0] for line in fields if len(line) == 3 and line[1] in "TDBR"}


def main():
    options = sys.argv[1:]
    if len(options) < 5 or options[0] != "--nm" or "--" not in options:
        sys.exit("usage: duplicate_symbols.py --nm NM PROGRAM... -- LIBRARY...")
    nm, split = options[1], options.index("--")
    upstream = {}
    for library in options[split + 1:]:
        # LLVM and MLIR export C++ and C names of their own; the others (_init) are in every file.
        names = definitions(nm, ["-D", "--defined-only", library])
        upstream.update((name, library) for name in names if name.startswith(("_Z", "LLVM", "mlir")))
    if len(upstream) < 1000:
        sys.exit(f"error: {', '.join(options[split + 1:])} export {len(upstream)} symbols; is it the right file?")
    failed = False
    for program in options[2:split]:
        both = sorted(definitions(nm, ["--defined-only", program]) & upstream.keys())
        print(f"{program}: {len(both)} duplicates")
        for name in both[:5]:
            print(f"  {name}, also in {upstream[name]}")
        failed |= bool(both)
    sys.exit(failed)


main()
