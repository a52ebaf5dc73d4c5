#!/usr/bin/env python3
# check-includes.py - checks which folder includes which, against the table below.
#
#   scripts/check-includes.py           fails if an include is not in the table, or if folders include each other in a cycle
#   scripts/check-includes.py --graph   prints what each folder includes
#
# The name of a folder means its sources and its public headers: `Target` is lib/Target and include/rnn/Target. `CAPI` is lib/CAPI and include/rnn-c. Tests may
# include everything.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

# Compiler folder: the folders that it may include besides itself, MLIR and LLVM. `abi` means ABI_HEADERS below; the empty
# name means the files of include/rnn itself (registration, for tools and embedders).
IR = ["Dialect/*/IR", "abi"]
CODEGEN = IR + ["Support", "Target", "Codegen"]
TRANSFORMS = IR + ["Support", "Target", "Tuning", "Dialect/*/Transforms", "Transforms"]
LOWERING = CODEGEN + ["Codegen/*", "Dialect/*/Transforms", "Transforms", "Conversion", "Conversion/Common"]
PIPELINES = LOWERING + ["Tuning", "Transforms/*", "Conversion/*"]
COMPILER = {
    "Support": [],
    "Target": ["Support"],
    "Tuning": IR + ["Support", "Target"],
    "Dialect/*/IR": IR + ["Support", "Target"],
    "Dialect/*/Transforms": IR + ["Support", "Target", "Tuning"],
    "Dialect/*/TransformOps": IR + ["Dialect/*/Transforms"],
    "Codegen": IR + ["Support"],
    "Codegen/Cells": CODEGEN,
    "Codegen/*": CODEGEN + ["Codegen/Cells"],
    "Transforms": TRANSFORMS,
    # Whether a persistent kernel fits is decided from its shape.
    "Transforms/Selection": TRANSFORMS + ["Codegen/GPU"],
    # The declarations and options of every conversion.
    "Conversion": IR + ["Target"],
    "Conversion/Common": CODEGEN + ["Codegen/Cells", "Dialect/*/Transforms"],
    # The descriptors of kernels are made as those of exported functions.
    "Conversion/SimtToHost": LOWERING + ["Conversion/RuntimeToLLVM"],
    "Conversion/*": LOWERING,
    "Pipelines": PIPELINES,
    "Emit": PIPELINES + ["Pipelines", ""],
    "CAPI": PIPELINES + ["Pipelines", "Emit", "Dialect/*/TransformOps", ""],
    "": PIPELINES + ["Pipelines", "Dialect/*/TransformOps"],
}

# Runtime folder: the same. No folder of the runtime includes MLIR, LLVM or the compiler, and `core` names no backend.
# `api` means the public headers of the runtime.
RUNTIME = {
    "api": [],
    "core": ["api"],
    "abi": ["api", "core"],
    "host": ["api", "core"],
    "cuda": ["api", "core"],
    "cublas": ["api", "core", "cuda"],
    "cudnn": ["api", "core", "cuda"],
    "simt": ["api", "core", "host", "emulator"],
    # The table of backends, the only place that names them.
    "backends": ["api", "core", "host", "cuda", "cublas", "cudnn", "simt"],
    "emulator": ["api", "core", "host"],
    "mgpu": ["api", "core"],
}

# The public headers of the runtime that the compiler reads: the interface of compiled code, no function of the library.
ABI_HEADERS = {"abi.def", "abi.h", "emulator.h", "function.h", "layout.h", "mgpu.def", "simt.def", "types.h"}

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)
TOP = Path(__file__).resolve().parent.parent


def is_allowed(patterns, folder):
    return any(fnmatch(folder, pattern) for pattern in patterns)


def rule_of(table, folder):
    """The entry of the folder; an exact name comes before a pattern."""
    for pattern in sorted(table, key=lambda pattern: ("*" in pattern, pattern)):
        if fnmatch(folder, pattern):
            return table[pattern]
    return None


def compiler_folder(path):
    """`Target` of lib/Target/File.cpp and of include/rnn/Target/File.h."""
    if path.is_relative_to("include/rnn-c"):
        return "CAPI"
    for top in ("lib", "include/rnn"):
        if path.is_relative_to(top):
            folder = path.parent.relative_to(top).as_posix()
            return "" if folder == "." else folder
    return None


def runtime_folder(path):
    if path.is_relative_to("runtime/include"):
        return "api"
    if path.is_relative_to("runtime/src"):
        return path.relative_to("runtime/src").parts[0]
    return path.parts[1] if path.is_relative_to("runtime") else None


def resolve(path, name):
    """The file of this project that the include names, or None."""
    for folder in (path.parent, Path("include"), Path("lib"), Path("runtime/include"), Path("runtime/src"), Path("runtime")):
        candidate = folder / name
        if (TOP / candidate).is_file():
            return Path(*Path(subpath(candidate)).parts)
    generated = Path("include") / name
    return generated if name.startswith("rnn/") else None


def subpath(path):
    return (TOP / path).resolve().relative_to(TOP)


def cycle_of(graph):
    """Some cycle, as a list of folders, or None."""
    done, stack = set(), []

    def visit(folder):
        if folder in stack:
            return stack[stack.index(folder):] + [folder]
        if folder in done:
            return None
        stack.append(folder)
        for other in sorted(graph.get(folder, ())):
            if found := visit(other):
                return found
        stack.pop()
        done.add(folder)
        return None

    return next((found for folder in sorted(graph) if (found := visit(folder))), None)


def main():
    files = subprocess.run(["git", "-C", TOP, "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.h", "*.c",
                            "*.cpp", "*.inc", "*.def"], check=True, capture_output=True, text=True).stdout.split()
    errors, graphs = [], {"compiler": {}, "runtime": {}}
    for file in map(Path, files):
        if not (TOP / file).is_file():
            continue
        compiler, runtime = compiler_folder(file), runtime_folder(file)
        if compiler is None and runtime is None:
            continue
        for name in INCLUDE.findall((TOP / file).read_text()):
            target = resolve(file, name)
            say = lambda reason: errors.append(f"{file}: includes {name}: {reason}")
            if runtime is not None:
                if name.startswith(("mlir/", "mlir-c/", "llvm/", "llvm-c/", "rnn/")):
                    say("the runtime includes neither MLIR nor the compiler")
                other = runtime_folder(target) if target else None
                if other is None or other == runtime:
                    continue
                graphs["runtime"].setdefault(runtime, set()).add(other)
                rule = rule_of(RUNTIME, runtime)
                if rule is None:
                    say(f"`{runtime}` is not in the table of scripts/check-includes.py")
                elif not is_allowed(rule, other):
                    say(f"`{runtime}` may not include `{other}`")
                continue
            if target is None:
                continue
            if runtime_folder(target) == "api":
                if target.name not in ABI_HEADERS:
                    say("the compiler includes no function of the runtime")
                    continue
                other = "abi"
            elif (other := compiler_folder(target)) is None:
                say("only lib/ and include/rnn/ are part of the compiler")
                continue
            if other == compiler:
                continue
            if other != "abi":
                graphs["compiler"].setdefault(compiler, set()).add(other)
            rule = rule_of(COMPILER, compiler)
            if rule is None:
                say(f"`{compiler}` is not in the table of scripts/check-includes.py")
            elif not is_allowed(rule, other):
                say(f"`{compiler}` may not include `{other}`")
    if "--graph" in sys.argv[1:]:
        for side, graph in graphs.items():
            for folder in sorted(graph):
                print(f"{side}: {folder or '(top)'} -> {', '.join(sorted(graph[folder]))}")
    for side, graph in graphs.items():
        if cycle := cycle_of(graph):
            errors.append(f"{side}: folders include each other: {' -> '.join(cycle)}")
    for error in errors:
        print(error, file=sys.stderr)
    sys.exit(bool(errors))


main()
