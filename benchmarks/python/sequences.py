#!/usr/bin/env python3
"""Times layers (forward and gradient in one function) whose sequences have another order, or resets inside. Prints Markdown
tables.

    sequences.py --group=batch-major   time-major data; batch-major data with `batch_major`; and with transposes around a
                                       time-major layer, in functions of their own: canonicalization would fold them
    sequences.py --group=two-functions the first two of a block LSTM, with forward and gradient in functions of their own
    sequences.py --group=resets        no resets; to zero; to the initial states; 5 % of the steps are marked

    PYTHONPATH=build/python sequences.py --group=NAME [--shapes=T,B,I,H ...] [--dtypes=f32,bf16] [--ops=lstm,gru] [--seconds=8]

All variants of a row are functions of one process, called in turn; a cell is the median of their calls (10th to 90th
percentile). `--memory` prints the largest size of the buffers of compiled code instead, by rnn-run. RNNRT_THREADS selects the
number of threads.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

GROUPS = {"batch-major": ("time_major", "batch_major", "transposes"), "two-functions": ("time_major", "batch_major"),
          "resets": ("no_resets", "zero", "initial")}
RATIOS = {"batch-major": (("batch_major", "time_major"), ("transposes", "batch_major")),
          "two-functions": (("batch_major", "time_major"),),
          "resets": (("zero", "no_resets"), ("initial", "no_resets"))}


def tensor(element, *shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


class Module:
    """One function per variant: forward and gradient of one layer."""

    def __init__(self, op, sizes, element):
        self.op, self.element = op, element
        self.T, self.B, self.I, self.H = sizes

    def sequence(self, batch_major, *width, element=None):
        first, second = (self.B, self.T) if batch_major else (self.T, self.B)
        return tensor(element or self.element, first, second, *width)

    def function(self, variant):
        """The text of the function and its private helpers."""
        outside, inside = variant in ("batch_major", "transposes"), variant == "batch_major"
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
        flags, marks, resets = ["batch_major"] * inside, [], ""
        if variant in ("zero", "initial"):
            marks = [("%m", self.sequence(False, element="i1"))]
            resets = f" resets(%m : {marks[0][1]})"
            flags += ["reset_to = #rnn.reset_to<initial>"] * (variant == "initial")
        build = self.block_lstm if self.op == "block_lstm" else self.cudnn
        arguments, results, body = build(lx, lv, xin, gin, resets, f" {{{', '.join(flags)}}}" if flags else "")
        lines += body
        y, dx = transpose("%y", lv, v), transpose("%dx", lx, x)
        types = ", ".join([v, x] + [type for _, type in results])
        values = ", ".join([y, dx] + [name for name, _ in results])
        head = ", ".join([f"%x: {x}", f"%g: {v}"] + [f"{name}: {type}" for name, type in arguments + marks])
        return "\n".join([f"func.func @{variant}({head}) -> ({types}) {{", *lines, f"  return {values} : {types}", "}", *functions])

    def block_lstm(self, x, v, xin, gin, resets, flag):
        E, I, H = self.element, self.I, self.H
        s, w, p, b = tensor(E, self.B, H), tensor(E, I + H, 4 * H), tensor(E, H), tensor(E, 4 * H)
        operands = f"icfo x({xin} : {x}) state(%s, %s : {s}) weights(%w : {w}) peephole(%p, %p, %p : {p}) bias(%b : {b})"
        return ([("%s", s), ("%w", w), ("%p", p), ("%b", b)], [("%dw", w), ("%db", b)],
                [f"  %i, %cs, %f, %o, %ci, %co, %y = rnn.block_lstm {operands}{resets}{flag}",
                 f"  %dx, %dcs, %dh, %dw, %d0, %d1, %d2, %db = rnn.block_lstm_grad {operands} "
                 f"saved(%i, %cs, %f, %o, %ci, %co, %y : {v}) grads({gin}, {gin} : {v}){resets}{flag}"])

    def passes(self, variant):
        """The texts of the forward function and of the gradient, whose last arguments are the saved values and a gradient."""
        x, v = (self.sequence(variant == "batch_major", width) for width in (self.I, self.H))
        flag = " {batch_major}" if variant == "batch_major" else ""
        arguments, results, (forward, gradient) = self.block_lstm(x, v, "%x", "%g", "", flag)
        saved = ["%i", "%cs", "%f", "%o", "%ci", "%co", "%y"]
        types, values = ", ".join([x] + [type for _, type in results]), ", ".join(["%dx"] + [name for name, _ in results])
        head = ", ".join(f"{name}: {type}" for name, type in [("%x", x)] + arguments)
        more = ", ".join(f"{name}: {v}" for name in saved + ["%g"])
        outputs = ", ".join([v] * len(saved))
        return (f"func.func @forward({head}) -> ({outputs}) {{\n{forward}\n  return {', '.join(saved)} : {outputs}\n}}",
                f"func.func @gradient({head}, {more}) -> ({types}) {{\n{gradient}\n  return {values} : {types}\n}}")

    def cudnn(self, x, v, xin, gin, resets, flag):
        E, I, H, mode = self.element, self.I, self.H, self.op
        s, p = tensor(E, 1, self.B, H), tensor(E, {"lstm": 4, "gru": 3}[mode] * H * (I + H + 2))
        cell = mode == "lstm"
        state = f"state(%s, %s : {s})" if cell else f"state(%s : {s})"
        c, dc = (", %cn", ", %dc0") if cell else ("", "")
        types = f"{v}, {s}" + (f", {s}" if cell else "")
        return ([("%s", s), ("%p", p)], [("%dp", p)],
                [f"  %y, %hn{c}, %r = rnn.cudnn_forward {mode} input({xin} : {x}) {state} params(%p : {p}){resets}{flag}",
                 f"  %dx, %dh0{dc}, %dp = rnn.cudnn_backprop {mode} input({xin} : {x}) {state} params(%p : {p}) "
                 f"output(%y, %hn{c} : {types}) grads({gin}, %s{', %s' if cell else ''} : {types}) "
                 f"reserve(%r : tensor<?xi8>){resets}{flag}"])


def compile_function(text):
    """The compiled function and random arguments."""
    import numpy as np
    import rnn_mlir
    random = np.random.default_rng(0)
    arguments = []
    for shape, kind in re.findall(r"%\w+: tensor<((?:\d+x)+)(\w+)>", text.split("->")[0]):
        shape = [int(size) for size in shape[:-1].split("x")]
        if kind == "i1":
            arguments.append(random.uniform(size=shape) < 0.05)
            continue
        values = random.uniform(-0.1, 0.1, shape).astype(np.float32)
        arguments.append((values.view(np.uint32) >> 16).astype(np.uint16) if kind == "bf16" else values)
    return rnn_mlir.compile(text, lowering="fused"), arguments


def make_call(text):
    """The compiled function with random arguments."""
    function, arguments = compile_function(text)
    return lambda: function(*arguments)


def make_passes(forward, gradient):
    """Both functions, one after the other, with random arguments."""
    first, arguments = compile_function(forward)
    second, others = compile_function(gradient)
    return lambda: second(*arguments, *first(*arguments), others[-1])


def measure(calls, seconds, least=10):
    """Milliseconds of every call of each function of a dict, called in turn."""
    for call in calls.values():
        call(), call()
    times = {name: [] for name in calls}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[next(iter(times))]) < least:
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(1e3 * (time.perf_counter() - start))
    return times


def peak(tool, text, variant):
    """MiB of the buffers of compiled code."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text + "\n")
        file.flush()
        inputs = [f"--input=random:{k}" for k in range(text.split("\n")[0].count("%"))]
        done = subprocess.run([tool, file.name, "--function=" + variant, "--lowering=fused", "--print-statistics",
                               "--benchmark=2", *inputs], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = re.search(r"([0-9]+) bytes at most", done.stdout)
    return int(found[1]) / 2**20 if found else sys.exit(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", choices=GROUPS, required=True)
    parser.add_argument("--shapes", nargs="+", default=["64,32,256,256"])
    parser.add_argument("--dtypes", default="f32,bf16")
    parser.add_argument("--ops", default="block_lstm,lstm,gru")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--build", default="build")
    arguments = parser.parse_args()
    variants = GROUPS[arguments.group]
    ratios = RATIOS[arguments.group]
    others = " | ".join(f"{one} / {other}" for one, other in ratios)
    print(f"| op | type | T,B,I,H | {' | '.join(variants)} | {'rounds | ' + others if not arguments.memory else 'unit'} |\n"
          "|" + "---|" * (len(variants) + (4 if arguments.memory else 3 + len(variants))))
    for op in arguments.ops.split(","):
        for dtype in arguments.dtypes.split(","):
            for shape in arguments.shapes:
                module = Module(op, [int(size) for size in shape.split(",")], dtype)
                if arguments.group == "two-functions":
                    if op != "block_lstm" or arguments.memory:
                        sys.exit("--group=two-functions measures times of --ops=block_lstm")
                    calls = {variant: make_passes(*module.passes(variant)) for variant in variants}
                else:
                    texts = {variant: module.function(variant) for variant in variants}
                    calls = {} if arguments.memory else {variant: make_call(text) for variant, text in texts.items()}
                if arguments.memory:
                    tool = os.path.join(arguments.build, "bin", "rnn-run")
                    cells = [f"{peak(tool, text, variant):.1f}" for variant, text in texts.items()] + ["MiB"]
                else:
                    times = measure(calls, arguments.seconds)
                    median = {variant: statistics.median(values) for variant, values in times.items()}
                    cells = []
                    for variant, values in times.items():
                        deciles = statistics.quantiles(values, n=10)
                        cells.append(f"{median[variant]:.2f} ms ({deciles[0]:.2f}-{deciles[-1]:.2f})")
                    cells.append(str(len(times[variants[0]])))
                    cells += [f"{median[one] / median[other]:.3f}" for one, other in ratios]
                print(f"| {op} | {dtype} | {shape} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
