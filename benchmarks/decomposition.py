#!/usr/bin/env python3
"""Times layers that rnn-decompose has replaced by linalg ops beside the compiled loops. Prints a Markdown table.

    decomposition.py --build=build [--layers=lstm:64,64,256,256 ...] [--rounds=3] [--calls=15]

Each function computes the forward pass and the gradient of one layer in f32. Each cell is the median over rounds of the median
of `--calls` calls on one thread; the two variants take turns. Compile times are those of rnn-run, medians over the rounds,
without rnn-decompose.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import re
import statistics
import subprocess
import tempfile

LAYERS = ("lstm:64,64,256,256", "gru:64,64,256,256", "lstm:100,1,512,512", "lstm:64,16,128,128")
GATES = {"lstm": 4, "gru": 3}


def write_module(mode, sizes, path):
    T, B, I, H = sizes
    x, y, s = f"tensor<{T}x{B}x{I}xf32>", f"tensor<{T}x{B}x{H}xf32>", f"tensor<1x{B}x{H}xf32>"
    p = f"tensor<{GATES[mode] * H * (I + H + 2)}xf32>"
    cell = mode == "lstm"
    state, states = ("%s, %s", f"{s}, {s}") if cell else ("%s", s)
    c, dc = (", %cn", ", %dc") if cell else ("", "")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"""func.func @step(%x: {x}, %g: {y}, %s: {s}, %p: {p}) -> ({y}, {x}, {p}) {{
  %y, %hn{c}, %r = rnn.cudnn_forward {mode} input(%x : {x}) state({state} : {s}) params(%p : {p})
  %dx, %dh{dc}, %dp = rnn.cudnn_backprop {mode} input(%x : {x}) state({state} : {s}) params(%p : {p})
      output(%y, %hn{c} : {y}, {states}) grads(%g, {state} : {y}, {states}) reserve(%r : tensor<?xi8>)
  return %y, %dx, %dp : {y}, {x}, {p}
}}
""")


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--layers", nargs="+", default=LAYERS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=15)
    arguments = parser.parse_args()
    programs = os.path.join(arguments.build, "bin")
    print("| layer | T, B, I, H | fused | decomposed | ratio | compile time, fused | decomposed |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: os.path.join(folder, name + ".mlir") for name in ("fused", "decomposed")}
        for layer in arguments.layers:
            mode, shape = layer.split(":")
            write_module(mode, [int(size) for size in shape.split(",")], paths["fused"])
            run(os.path.join(programs, "rnn-opt"), paths["fused"], "--rnn-decompose", "--cse", "-o", paths["decomposed"])
            times, compile_times = {name: [] for name in paths}, {name: [] for name in paths}
            for _ in range(arguments.rounds):
                for name, path in paths.items():
                    output = run(os.path.join(programs, "rnn-run"), path, "--lowering=fused", "--threads=1", "--print-statistics",
                                 f"--benchmark={arguments.calls}", "--input=random:1", "--input=random:2", "--input=random:3",
                                 "--input=random:4")
                    times[name].append(float(re.search(r"median ([0-9.]+) ms", output).group(1)))
                    compile_times[name].append(float(re.search(r"compile time: ([0-9.]+) ms", output).group(1)))
            fused, decomposed = (statistics.median(times[name]) for name in paths)
            print(f"| {mode} | {shape.replace(',', ', ')} | {fused:.1f} ms | {decomposed:.1f} ms | {decomposed / fused:.1f} | " +
                  " | ".join(f"{statistics.median(compile_times[name]):.0f} ms" for name in paths) + " |", flush=True)


if __name__ == "__main__":
    main()
