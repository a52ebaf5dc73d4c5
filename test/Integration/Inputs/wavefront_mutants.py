# wavefront_mutants.py - removes the dependences of a wavefront, one at a time, and finds a schedule of the emulator that shows it.
#
#   wavefront_mutants.py cases.mlir per_step FOLDER COMPILER FLAG...     kernels; a C compiler, and flags to link the runtime
#
# Prints a line per dependence with the first schedule whose results differ from those of layers that run one after the other. Each
# dependence has a switch in the module of stage lower: a call of `wavefront_keep`, which returns 0 for the number in
# WAVEFRONT_MUTANT and 1 for all others. Dependences are the wait of a stage's tasks for the stage before it, that of an inference's
# input GEMM for the steps that read the scratch memory which it writes, and the scratch buffers of which every layer has a part.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
import os
import re
import subprocess
import sys

# Without clusters, modules with persistent kernels run their per-step kernels.
SCHEDULES = [(schedule, clusters) for clusters in ("1", "0") for schedule in ("reverse", "random:1", "random:2", "random:3", "fifo")]
LAYERS, CHUNK = 3, 2
TARGET = r",? ?rnn\.target = #rnn\.target<[^>]*>"


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
    for line in re.sub(TARGET, "", text).splitlines():
        if found := re.match(r"  func\.func .*@(\w+)\(", line):
            function, wave, names = found[1], 0, {}
        if found := re.match(r"(\s+)rnnrt\.wavefront_begin (%\w+), (%\w+), (.*)", line):
            # Stages K and above get the next number, so that the new K has no task to wait for.
            wave += 1
            lines += [f"%wave{wave}_one = arith.constant 1 : index"]
            # How far stages K and above are moved; an input GEMM does not reuse scratch memory where the last list has 1.
            moved, mayReuse = [], []
            for stage in range(1, 2 * LAYERS):
                switch, value = keep(f"{'forward' if wave == 1 else 'backward'}: stage {stage} waits")
                moved.append((stage, f"%wave{wave}_moved{stage}"))
                lines += switch + [f"{moved[-1][1]} = arith.subi %wave{wave}_one, {value} : index"]
            if "_inference" in function:
                for stage in range(0, 2 * LAYERS, 2):
                    switch, value = keep(f"forward: stage {stage} waits for readers")
                    mayReuse.append((stage, f"%wave{wave}_overwrites{stage}"))
                    lines += switch + [f"{mayReuse[-1][1]} = arith.subi %wave{wave}_one, {value} : index"]
            count = found[3]
            for stage, value in moved:
                lines.append(f"%wave{wave}_count{stage} = arith.addi {count}, {value} : index")
                count = f"%wave{wave}_count{stage}"
            line = f"rnnrt.wavefront_begin {found[2]}, {count}, {found[4]}"
        elif found := re.match(r"\s+(%\w+ = )rnnrt\.wavefront_task (%\w+), (%\w+), (%\w+)", line):
            stage_value, reuses = found[3], found[4]

            def is_stage(prefix, stage, compare):
                """An index, 1 or 0."""
                lines.extend([f"{prefix}_stage = arith.constant {stage} : index",
                              f"{prefix}_is = arith.cmpi {compare}, {found[3]}, {prefix}_stage : index",
                              f"{prefix}_bit = arith.index_castui {prefix}_is : i1 to index"])
                return f"{prefix}_bit"

            for stage, value in moved:
                prefix = f"%wave{wave}_task{stage}"
                bit = is_stage(prefix, stage, "uge")
                lines += [f"{prefix}_more = arith.muli {bit}, {value} : index",
                          f"{prefix} = arith.addi {stage_value}, {prefix}_more : index"]
                stage_value = prefix
            for stage, value in mayReuse:
                prefix = f"%wave{wave}_reuse{stage}"
                bit = is_stage(prefix, stage, "eq")
                lines += [f"{prefix}_removed = arith.muli {bit}, {value} : index",
                          f"{prefix}_kept = arith.subi %wave{wave}_one, {prefix}_removed : index",
                          f"{prefix} = arith.muli {reuses}, {prefix}_kept : index"]
                reuses = prefix
            line = f"{found[1]}rnnrt.wavefront_task {found[2]}, {stage_value}, {reuses}"
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


# How kernels go on with the next task: a name, a pattern in them, and its replacement. The barrier is that of the cluster before
# it publishes a task; `carried` has ten values (PersistentRecurrence::maxCarried) for B and H of the cases.
IN_KERNELS = [
    ("a kernel goes on without the flag", r"rnngpu\.read_signal %\w+", "arith.constant 1 : i32"),
    ("a task is published before its results", r"(rnngpu\.read_signal (?:(?!nvvm\.cluster|rnngpu).)*)nvvm\.cluster\.arrive\s+nvvm\.cluster\.wait", r"\1"),
    ("a launch continues without the carried values", r"memref\.store %[\w#]+, %\w+\[%\w+\] : memref<(?:180|300)xf32, strided<\[1\], offset: \?>>", ""),
    ("a launch does not continue where the last one ended", r"llvm\.load (%\w+) \{alignment = 4 : i64\} : !llvm\.ptr<1> -> i32", "arith.constant 0 : i32"),
]


def call(*command, input=None):
    result = subprocess.run(command, input=input, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode != 0:
        sys.exit(f"`{' '.join(command)[:200]}` failed:\n{result.stderr}")
    return result.stdout or result.stderr


def link(text, folder, *linker):
    """Compiles a module of stage lower."""
    # rnn-compile does not continue after this stage, so that its last passes run alone.
    dump = call("rnn-opt", "--rnn-pipeline=target=simt", "--dump-pass-pipeline", "-o", "/dev/null", "-", input="module {}")
    passes = dump[dump.index("convert-rnn-runtime-to-llvm"):dump.index("rnn-verify-contract{stage=emit}")]
    passes = " ".join(passes.split()).rstrip(",")
    text = call("rnn-opt", f"--pass-pipeline=builtin.module({passes})", input=text)
    text = call("mlir-translate", "--mlir-to-llvmir", input=text)
    call("llc", "-O1", "-mcpu=native", "-relocation-model=pic", "-filetype=obj", "-o", folder + "/mutants.o", input=text)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wavefront_keep.c")
    call(linker[0], "-shared", "-fPIC", folder + "/mutants.o", source, *linker[1:], "-o", folder + "/mutants.so")


def find(number, folder, filters, clusters_and_not):
    """The first schedule that shows a mutant, or None."""
    # A kernel that reads too early reads what is in new memory: zeros in a new process, and after layers that run one after the
    # other, values of theirs. Either may hide the error.
    expected = [[f"--saved={folder}/expected"], [f"--reference={folder}/none.so", "--reference-device=simt"]]
    command = ["rnn-bundle-runner", "--limit=1e-300", f"--module={folder}/mutants.so", *filters]
    for (schedule, clusters), other in itertools.product(SCHEDULES, expected):
        if clusters not in clusters_and_not:
            continue
        result = subprocess.run([*command, *other, "--device=simt:" + schedule],
                                env={**os.environ, "WAVEFRONT_MUTANT": str(number), "RNNRT_CLUSTERS": clusters},
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if "FAIL" in result.stdout:
            return schedule + (" without clusters" if clusters == "0" else "")
        if not re.search(r"[1-9]\d* passed, 0 failed", result.stdout):
            sys.exit(result.stdout)
    return None


def run(cases, kernel, folder, *linker):
    """none.so has no wavefront, mutants.so all mutants of one kind."""
    compile = ["rnn-compile", cases, "--target=simt", "--lowering=fused", "--fused-kernel=" + kernel]
    call(*compile, "-O0", "--cpu=native", "--wavefront-chunk=0", "-o", folder + "/none.so")
    call("rnn-bundle-runner", "--device=simt", f"--module={folder}/none.so", f"--save={folder}/expected")
    call(*compile, f"--wavefront-chunk={CHUNK}", "--stop-after=lower", "-o", folder + "/lower.mlir")
    with open(folder + "/lower.mlir") as file:
        lower = file.read()
    text, names = mutate(lower)
    link(text, folder, *linker)
    found = {"none": find(0, folder, [], "10")}
    report("none", found["none"])
    for number, name in enumerate(names, 1):
        found[name] = find(number, folder, ["--filter=" + name.split()[0]], "10")
        report(name, found[name])
    for name, pattern, replacement in IN_KERNELS if kernel == "persistent" else []:
        text, count = re.subn(pattern, replacement, re.sub(TARGET, "", lower), flags=re.DOTALL)
        if not count:
            sys.exit(f"no kernel has what is removed for: {name}")
        link(text, folder, *linker)
        found[name] = find(0, folder, [], "1")
        report(f"{name} ({count} times)", found[name])
    print(f"{len(found) - 1} mutants, {sum(not schedule for name, schedule in found.items() if name != 'none')} not found")


def report(name, found):
    print(f"{name}: {found or 'not found'}", flush=True)


run(*sys.argv[1:])
