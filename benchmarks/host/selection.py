"""Part `auto` of host.py: every way to run a layer on this processor, and the one that `auto` selects. In f32 a plan and the
fused loops; in bf16 also the loops with each method of --bf16-gemm that the processor has.

Prints tables, and the measured rows as lines of unittests/Target/host_rows.txt, to which fit.py fits the cost model.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import subprocess

from amx import methods
from rivals import Row
from tables import Table, milliseconds, sizes

SHAPES = ["64,1,128,128", "64,32,256,256", "100,16,512,512", "128,32,512,512", "64,64,1024,1024", "100,1,512,512",
          "64,1,1024,1024", "1000,1,64,64", "64,4,256,256", "64,4,1024,1024", "1,1,256,256", "1,1,1024,1024", "20,4,32,32"]


def processor_and_methods(rivals):
    """LLVM's name of the processor that code is generated for, and the bf16 GEMMs that `auto` selects for several rows and for
    one."""
    text = rivals.module_text("lstm", "bf16")
    selected = subprocess.run([rivals.tool("rnn-compile"), text, f"--cpu={rivals.cpu}", "--stop-after=select", "-o", "-"],
                              check=True, capture_output=True, text=True).stdout
    chip = re.search(r'rnn\.target<host, chip = "([^"]*)"', selected)
    compiled = subprocess.run([rivals.tool("rnn-compile"), text, f"--cpu={rivals.cpu}", "--lowering=fused", "--print-statistics",
                               "-o", text + ".o"], check=True, capture_output=True, text=True).stdout
    return chip.group(1) if chip else "", re.search(r"bf16 GEMM (\w+), of one row (\w+)", compiled).groups()


def keys_of(ours, kind, names):
    """By the name of the column: the key of its worker."""
    if kind == "f32":
        return {"plan": "plan", "loops": ours}
    return {"plan": "plan:bf16", **{name: f"{ours}:bf16:{name}" for name in names}}


def measure(session):
    arguments = session.arguments
    rivals = session.rivals.with_shapes(arguments.auto_shapes)
    try:
        help_text = subprocess.run([rivals.tool("rnn-compile"), "--help"], capture_output=True, text=True).stdout
        processor, automatic = processor_and_methods(rivals)
    except (OSError, subprocess.CalledProcessError) as error:
        text = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        print(f"Not measured (auto): rnn-compile: {text[-1] if text else 'failed'}\n", flush=True)
        return
    lines, slower, count = [], [], 0
    for cell in ("lstm", "gru"):
        ours = "block" if cell == "lstm" else "cudnn"
        for kind in ("f32", "bf16"):
            keys = keys_of(ours, kind, methods(help_text))
            names = {key: name for name, key in keys.items()}
            tables = {what: Table("T,B,I,H", "threads", *keys, "pick", "far") for what in ("forward", "backward")}
            picks = {what: rivals.chosen(ours if cell == "lstm" else cell, kind, what) for what in tables}
            plans = {}
            for shape in arguments.auto_shapes:
                for threads in arguments.threads:
                    measured, _ = session.measure(
                        "auto", [cell, kind, shape, threads], lambda: Row(rivals, list(keys.values()), cell, shape, threads),
                        lambda row: {what: row.measure(what, arguments.seconds)[0] for what in tables})
                    for what, medians in measured.items():
                        times = {names[key]: value for key, value in medians.items()}
                        # Plans have one thread.
                        if "plan" in times:
                            plans[what, shape] = times["plan"]
                        elif (what, shape) in plans:
                            times["plan"] = plans[what, shape]
                        loops = "loops" if kind == "f32" else automatic[sizes(shape)[1] == 1]
                        pick = "plan" if picks[what].get(shape) == "runtime" else loops
                        if pick not in times or not picks[what].get(shape):
                            continue
                        best = min(times, key=times.get)
                        factor = times[pick] / times[best]
                        tables[what].add(**{"T,B,I,H": shape, "threads": str(threads)}, pick=pick, far=f"{factor:.2f}",
                                         **{name: milliseconds(value) for name, value in times.items()})
                        count += 1
                        if factor > 1:
                            slower.append((factor, f"{cell} {what} {shape} {kind}, {threads} thread(s): `{pick}` takes "
                                           f"{factor:.2f} of the time of `{best}`"))
                        if "plan" in times and loops in times:
                            lines.append(" ".join([processor, cell, what, *shape.split(","), "1 1", kind, str(threads),
                                                   *(f"{times[name] * 1e6:.4g}" for name in ("plan", loops))]))
            for what, table in tables.items():
                print(f"### {cell.upper()}, {what}, {kind}: milliseconds\n")
                table.print(pick="`auto` selects", far="its time / the least")
    print(f"`auto` selects the fastest in {count - len(slower)} of {count} rows. The others, largest first:\n")
    for _, text in sorted(slower, reverse=True):
        print(f"* {text}")
    print("\nRows for `unittests/Target/host_rows.txt`:\n\n```\n" + "\n".join(lines) + "\n```", flush=True)
