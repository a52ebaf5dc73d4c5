# wavefront_mutants.py - removes the dependences of a wavefront, one at a time, and finds a schedule of the emulator that shows it.
#
#   wavefront_mutants.py cases.mlir per_step FOLDER COMPILER FLAG...     kernels; a C compiler, and flags to link the runtime
#
# Prints a line per dependence with the first schedule whose results differ from those of layers that run one after the other. Each
# dependence has a switch in the module of stage lower: a call of `wavefront_keep`, which returns 0 for the number in
# WAVEFRONT_MUTANT and 1 for all others. Dependences are the wait of a layer's tasks for the layer before it, and the scratch buffers
# of which every layer has a part.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re
import subprocess
import sys

# Without clusters, modules with persistent kernels run their per-step kernels.
SCHEDULES = [(schedule, clusters) for clusters in ("1", "0") for schedule in ("reverse", "random:1", "random:2", "random:3")]
LAYERS = 3


def mutate(text):
    """The module with switches, and their names."""
    numbers, lines, function, names = [], [], "", {}

    def keep(name):
        """The statements that set a value to 0 or 1, and its name."""
        numbers.append(f"{function} {name}")
        number = len(numbers)
        return [f"%keep_n{number} = arith.constant {number} : index",
                f"%keep{number} = func.call @wavefront_keep(%keep_n{number}) : (index) -> index"], f"%keep{number}"

    # mlir-translate does not have the dialect of the attribute.
    for line in re.sub(r",? ?rnn\.target = #rnn\.target<[^>]*>", "", text).splitlines():
        if found := re.match(r"  func\.func .*@(\w+)\(", line):
            function, wave, names = found[1], 0, {}
        if found := re.match(r"(\s+)rnnrt\.wavefront_begin (%\w+), (%\w+)", line):
            # Layers K and above get the next number, so that the new K has no task to wait for.
            wave += 1
            lines += [f"%wave{wave}_one = arith.constant 1 : index"]
            moved = []
            for layer in range(1, LAYERS):
                switch, value = keep(f"{'forward' if wave == 1 else 'backward'}: layer {layer} waits")
                moved.append((layer, f"%wave{wave}_moved{layer}"))
                lines += switch + [f"{moved[-1][1]} = arith.subi %wave{wave}_one, {value} : index"]
            count = found[3]
            for layer, value in moved:
                lines.append(f"%wave{wave}_count{layer} = arith.addi {count}, {value} : index")
                count = f"%wave{wave}_count{layer}"
            line = f"rnnrt.wavefront_begin {found[2]}, {count}"
        elif found := re.match(r"\s+rnnrt\.wavefront_task (%\w+), (%\w+)", line):
            position = found[2]
            for layer, value in moved:
                prefix = f"%wave{wave}_task{layer}"
                lines += [f"{prefix}_layer = arith.constant {layer} : index",
                          f"{prefix}_is = arith.cmpi uge, {found[2]}, {prefix}_layer : index",
                          f"{prefix}_bit = arith.index_castui {prefix}_is : i1 to index",
                          f"{prefix}_more = arith.muli {prefix}_bit, {value} : index",
                          f"{prefix} = arith.addi {position}, {prefix}_more : index"]
                position = prefix
            line = f"rnnrt.wavefront_task {found[1]}, {position}"
        elif found := re.match(r"(\s+%\w+ = memref\.subview (%alloc\w*)\[)(%\w+)((?:, 0)*\] .*)", line):
            # A part of a layer: all layers use the first part.
            buffer = found[2]
            if buffer not in names:
                type = re.search(r"memref<\w+>", found[4])[0]
                names[buffer] = keep(f"{'forward' if wave == 1 else 'backward'}: layers have parts of {buffer} ({type})")
            switch, value = names[buffer]
            use = f"%part{len(lines)}"
            copies = [re.sub(re.escape(value) + r"\b|" + re.escape(value.replace("keep", "keep_n")) + r"\b",
                             lambda name: f"{name[0]}_{len(lines)}", one) for one in switch]
            lines += copies + [f"{use} = arith.muli {found[3]}, {value}_{len(lines)} : index"]
            line = f"{found[1]}{use}{found[4]}"
        lines.append(line)
        if re.match(r"module\b", line):
            lines.append("func.func private @wavefront_keep(index) -> index")
    return "\n".join(lines), numbers


def call(*command, input=None):
    result = subprocess.run(command, input=input, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode != 0:
        sys.exit(f"`{' '.join(command)[:200]}` failed:\n{result.stderr}")
    return result.stdout or result.stderr


def build(cases, kernel, folder, *link):
    """Compiles none.so, without a wavefront, and mutants.so; returns the names of the mutants."""
    compile = ["rnn-compile", cases, "--target=simt", "--lowering=fused", "--fused-kernel=" + kernel]
    call(*compile, "-O0", "--cpu=native", "--wavefront-chunk=0", "-o", folder + "/none.so")
    call(*compile, "--wavefront-chunk=2", "--stop-after=lower", "-o", folder + "/lower.mlir")
    with open(folder + "/lower.mlir") as file:
        text, names = mutate(file.read())
    # rnn-compile does not continue after this stage, so that its last passes run alone.
    dump = call("rnn-opt", "--rnn-pipeline=target=simt", "--dump-pass-pipeline", "-o", "/dev/null", "-", input="module {}")
    passes = dump[dump.index("convert-rnn-runtime-to-llvm"):dump.index("rnn-verify-contract{stage=emit}")]
    passes = " ".join(passes.split()).rstrip(",")
    text = call("rnn-opt", f"--pass-pipeline=builtin.module({passes})", input=text)
    text = call("mlir-translate", "--mlir-to-llvmir", input=text)
    call("llc", "-O1", "-mcpu=native", "-relocation-model=pic", "-filetype=obj", "-o", folder + "/mutants.o", input=text)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wavefront_keep.c")
    call(link[0], "-shared", "-fPIC", folder + "/mutants.o", source, *link[1:], "-o", folder + "/mutants.so")
    return names


def run(names, folder):
    command = ["rnn-bundle-runner", f"--reference={folder}/none.so", "--reference-device=simt", "--limit=1e-300",
               f"--module={folder}/mutants.so"]
    missed = 0
    for number, name in enumerate(["none", *names]):
        found = None
        for schedule, clusters in SCHEDULES:
            result = subprocess.run([*command, "--device=simt:" + schedule, *(["--filter=" + name.split()[0]] if number else [])],
                                    env={**os.environ, "WAVEFRONT_MUTANT": str(number), "RNNRT_CLUSTERS": clusters},
                                    text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if "FAIL" in result.stdout:
                found = schedule + (" without clusters" if clusters == "0" else "")
                break
            if not re.search(r"[1-9]\d* passed, 0 failed", result.stdout):
                sys.exit(result.stdout)
        missed += not found and number > 0
        print(f"{name}: {found or 'not found'}", flush=True)
    print(f"{len(names)} mutants, {missed} not found")


run(build(*sys.argv[1:]), sys.argv[3])
