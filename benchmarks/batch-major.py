#!/usr/bin/env python3
"""Times layers on batch-major data: with `batch_major`, and with transposes around a time-major layer; and the same layer on
time-major data. Prints a Markdown table. The transposes are functions of their own: canonicalization would make a layer
between transposes batch-major.

    batch-major.py --build=build [--shapes=T,B,I,H ...] [--dtypes=f32,bf16] [--rounds=7] [--calls=20]

Each cell is the median over rounds of the median of `--calls` calls; the variants of one row take turns. Memory is the
largest of the bytes that compiled code held at a time. RNNRT_THREADS selects the number of threads.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import re
import statistics
import subprocess
import tempfile

VARIANTS = ("time_major", "batch_major", "transposes")


def tensor(element, *shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


class Module:
    """One function per variant: forward and gradient of one layer."""

    def __init__(self, op, sizes, element):
        self.op, self.element = op, element
        self.T, self.B, self.I, self.H = sizes

    def sequence(self, batch_major, width):
        first, second = (self.B, self.T) if batch_major else (self.T, self.B)
        return tensor(self.element, first, second, width)

    def function(self, variant):
        outside, inside = variant != "time_major", variant == "batch_major"
        x, v = (self.sequence(outside, width) for width in (self.I, self.H))
        lx, lv = (self.sequence(inside, width) for width in (self.I, self.H))
        lines, functions, swaps = [], [], 0

        def transpose(value, source, target):
            nonlocal swaps
            if source == target:
                return value
            swaps += 1
            lines.append(f"  %s{swaps} = call @transpose{swaps}({value}) : ({source}) -> {target}")
            functions.append(f"""func.func private @transpose{swaps}(%s: {source}) -> {target} attributes {{no_inline}} {{
  %e = tensor.empty() : {target}
  %t = linalg.transpose ins(%s : {source}) outs(%e : {target}) permutation = [1, 0, 2]
  return %t : {target}
}}""")
            return f"%s{swaps}"
        xin, gin = transpose("%x", x, lx), transpose("%g", v, lv)
        arguments, results, body = getattr(self, self.op)(lx, lv, xin, gin, ["batch_major"] * inside)
        lines += body
        y, dx = transpose("%y", lv, v), transpose("%dx", lx, x)
        types = ", ".join([v, x] + [type for _, type in results])
        values = ", ".join([y, dx] + [name for name, _ in results])
        head = ", ".join([f"%x: {x}", f"%g: {v}"] + [f"{name}: {type}" for name, type in arguments])
        return "\n".join([f"func.func @{variant}({head}) -> ({types}) {{", *lines, f"  return {values} : {types}", "}", *functions])

    def block_lstm(self, x, v, xin, gin, flags):
        E, I, H = self.element, self.I, self.H
        s, w, p, b = tensor(E, self.B, H), tensor(E, I + H, 4 * H), tensor(E, H), tensor(E, 4 * H)
        operands = f"icfo x({xin} : {x}) state(%s, %s : {s}) weights(%w : {w}) peephole(%p, %p, %p : {p}) bias(%b : {b})"
        flag = f" {{{', '.join(flags)}}}" if flags else ""
        return ([("%s", s), ("%w", w), ("%p", p), ("%b", b)], [("%dw", w), ("%db", b)],
                [f"  %i, %cs, %f, %o, %ci, %co, %y = rnn.block_lstm {operands}{flag}",
                 f"  %dx, %dcs, %dh, %dw, %d0, %d1, %d2, %db = rnn.block_lstm_grad {operands} "
                 f"saved(%i, %cs, %f, %o, %ci, %co, %y : {v}) grads({gin}, {gin} : {v}){flag}"])

    def cudnn(self, mode, gates, x, v, xin, gin, flags):
        E, I, H = self.element, self.I, self.H
        s, p = tensor(E, 1, self.B, H), tensor(E, gates * H * (I + H + 2))
        cell = mode == "lstm"
        state = f"state(%s, %s : {s})" if cell else f"state(%s : {s})"
        c, dc = (", %cn", ", %dc0") if cell else ("", "")
        types = f"{v}, {s}" + (f", {s}" if cell else "")
        flag = f" {{{', '.join(flags)}}}" if flags else ""
        return ([("%s", s), ("%p", p)], [("%dp", p)],
                [f"  %y, %hn{c}, %r = rnn.cudnn_forward {mode} input({xin} : {x}) {state} params(%p : {p}){flag}",
                 f"  %dx, %dh0{dc}, %dp = rnn.cudnn_backprop {mode} input({xin} : {x}) {state} params(%p : {p}) "
                 f"output(%y, %hn{c} : {types}) grads({gin}, %s{', %s' if cell else ''} : {types}) reserve(%r : tensor<?xi8>){flag}"])

    def lstm(self, *arguments):
        return self.cudnn("lstm", 4, *arguments)

    def gru(self, *arguments):
        return self.cudnn("gru", 3, *arguments)


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--shapes", nargs="+", default=["64,32,256,256"])
    parser.add_argument("--dtypes", default="f32,bf16")
    parser.add_argument("--ops", default="block_lstm,lstm,gru")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=20)
    arguments = parser.parse_args()
    tool = os.path.join(arguments.build, "bin", "rnn-run")
    print("| op | type | T,B,I,H | time-major | batch-major | transposes | batch-major / time-major | transposes / batch-major | peak MiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for op in arguments.ops.split(","):
            for dtype in arguments.dtypes.split(","):
                for shape in arguments.shapes:
                    module = Module(op, [int(size) for size in shape.split(",")], dtype)
                    times, peaks = {variant: [] for variant in VARIANTS}, {}
                    for variant in VARIANTS:
                        with open(os.path.join(folder, variant + ".mlir"), "w") as file:
                            file.write(module.function(variant) + "\n")
                    for _ in range(arguments.rounds):
                        for variant in VARIANTS:
                            path = os.path.join(folder, variant + ".mlir")
                            with open(path) as file:
                                count = file.readline().count("%")
                            output = run([tool, path, "--function=" + variant, "--lowering=fused", "--print-statistics",
                                          f"--benchmark={arguments.calls}"] + [f"--input=random:{k}" for k in range(count)])
                            times[variant].append(float(re.search(r"median ([0-9.]+) ms", output).group(1)))
                            peaks[variant] = peak(output)
                    median = {variant: statistics.median(values) for variant, values in times.items()}
                    cells = [f"{median[variant]:.2f} ms ({min(times[variant]):.2f}-{max(times[variant]):.2f})" for variant in VARIANTS]
                    print(f"| {op} | {dtype} | {shape} | {' | '.join(cells)} "
                          f"| {median['batch_major'] / median['time_major']:.3f} | {median['transposes'] / median['batch_major']:.3f} "
                          f"| {', '.join(peaks[variant] for variant in VARIANTS)} |", flush=True)


def peak(statistics_text):
    return f"{int(re.search(r'([0-9]+) bytes at most', statistics_text).group(1)) / 2**20:.1f}"


if __name__ == "__main__":
    main()
