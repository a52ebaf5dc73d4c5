#!/usr/bin/env python3
"""Measures layers on the host beside other implementations of the same layer, and prints Markdown tables.

    host.py --build=build [--parts=lstm,gru,...] [--rivals=block,onednn3,...] [--threads=1,2] [--shapes=T,B,I,H ...]

Each implementation is a process of its own (Worker.h); those of one row run interleaved, and a row's figures are medians over its
rounds. benchmarks/host.sh installs the rivals, builds and calls this. Parts:

    lstm, gru   the backward pass in f32, and how far the gradients are from each other
    forward     the forward pass of both, with what backward needs
    memory      largest resident set of a process that has made one forward and one backward pass of either
    bf16        both passes in bf16 beside our f32 and other libraries' bf16, and the errors against f64
    amx         the methods of --bf16-gemm, as kernels and in gradients
    auto        plans, fused loops and the methods of --bf16-gemm in both passes, and which of them `auto` selects
    inference   forward passes without gradients for few rows; weights packed in every call, and once
    step        the training steps of examples/char-lstm beside PyTorch 2's, eager and through torch.compile
    linalg      linalg.matmul in f32 and bf16 beside other libraries' products and nested loops
    linear      our backward pass over T and over B, the worst distance from a straight line, and a plot (--plot=FILE.svg)

All parts take more than half an hour. With --resume=FILE, measured rows are kept in FILE, and the same command continues
after them; with --minutes=N, it ends with status 75 before the first row that would begin later.

Needs Python alone; the rivals in Python need their packages.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import re
import sys
import tempfile
import time

import amx
import bf16
import inference
import linalg
import selection
import step
from plot import fit, write_plot
from records import OutOfTime, Records
from rivals import Quiet, Rivals, Row
from tables import Table, gflop, milliseconds, sizes

SHAPES = ["64,1,128,128", "64,32,256,256", "100,16,512,512", "128,32,512,512", "64,64,1024,1024", "100,1,512,512",
          "64,1,1024,1024", "1000,1,64,64"]
PARTS = ["lstm", "gru", "forward", "memory", "bf16", "amx", "auto", "inference", "step", "linalg", "linear"]
# A larger difference of f32 gradients means that they belong to different layers.
LIMIT = 1e-4
# Exit status if --minutes are over: temporary failure of sysexits.h.
OUT_OF_TIME = 75


class Tables:
    """Milliseconds and rates of one measurement, and ratios to ours."""

    def __init__(self, keys):
        self.times = Table("T,B,I,H", "threads", *keys)
        self.ratios = Table("T,B,I,H", "threads", *keys, "peak", "auto", "far")

    def add(self, shape, threads, medians, ours, peak, work, **more):
        head = {"T,B,I,H": shape, "threads": str(threads)}
        self.times.add(**head, **{key: f"{milliseconds(value)} ({work / value:.0f})" for key, value in medians.items()})
        if ours in medians:
            ratios = {key: f"{value / medians[ours]:.2f}" for key, value in medians.items() if key != ours}
            rate = work / medians[ours]
            self.ratios.add(**head, **ratios, peak=f"{100 * rate / peak:.0f} % of {peak:.0f}" if peak else "", **more)

    def print(self, labels, ours):
        self.times.print(**labels)
        if self.ratios.rows:
            print(f"Time of each, divided by that of `{labels[ours]}`; its part of the processor's peak in GFLOP/s, measured in "
                  "the same rounds; the lowering that `auto` selects; the largest difference between gradients of the row, relative to "
                  "the largest element.\n")
            self.ratios.print(**labels, peak="of the peak", auto="auto selects", far="difference")


class Lines:
    """Rows that are measured together."""

    def __init__(self, rows):
        self.rows, self.labels = rows, {}
        self.missing = {key: reason for row in rows for key, reason in row.missing.items()}

    def points(self, key, values):
        """Medians of five rounds beside `values`. Interleaved, so that a slower minute of the machine affects all rows."""
        samples = [[] for _ in self.rows]
        for _ in range(5):
            for row, times in zip(self.rows, samples):
                if key in row.workers:
                    times.append(float(row.workers[key][0].ask("backward")))
        return [(value, sorted(times)[len(times) // 2]) for value, times in zip(values, samples) if times]

    def close(self):
        for row in self.rows:
            row.close()


class Session:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.used, self.labels = Table("cell", "T,B,I,H", *Rivals.with_other(arguments.rivals)), {}
        self.rivals = Rivals(arguments.build, arguments.shapes, folder, arguments.cpu, arguments.compare,
                             Quiet(arguments.quiet))
        self.records = Records(arguments.resume, arguments.minutes)
        self.missing = set()
        self.failed = False

    def measure(self, part, names, make, run):
        """The results of `run(row)`, the labels of the row's workers, and those that could not be measured, or what was
        recorded of them. `make()` starts the row; `names` identify it in the part."""
        arguments = self.arguments

        def compute():
            begin = time.monotonic()
            row = make()
            try:
                results = run(row)
            finally:
                row.close()
            print(f"{part}, {', '.join(map(str, names))} thread(s): {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
            return [results, row.labels, row.missing]
        key = [part, *names, self.rivals.name, arguments.cpu, arguments.seconds, arguments.compare, arguments.rivals]
        key += [arguments.quiet] * (arguments.quiet > 0)
        results, labels, missing = self.records.get(key, compute)
        self.report_missing(missing, part)
        return results, labels

    def report_missing(self, missing, what):
        for key, reason in missing.items():
            if key == "tensorflow" and what == "gru":
                continue  # it has no such op
            if (key, reason) not in self.missing:
                self.missing.add((key, reason))
                print(f"Not measured ({what}): {key}: {reason}", flush=True)

    def keys(self, *leave_out):
        keys = [key for key in self.arguments.rivals if key not in leave_out]
        return Rivals.with_other(keys) if self.arguments.compare else keys

    def layers(self, cell, wanted):
        """The rows of one cell; `wanted` are the measurements to make in them: backward, forward, memory."""
        keys = self.keys("tensorflow", "block") if cell == "gru" else self.keys()
        ours = next((key for key in ("block", "cudnn") if key in keys), None)
        tables = {request: Tables(keys) for request in ("backward", "forward") if request in wanted}
        chosen = self.rivals.chosen("block" if ours == "block" else cell) if ours and "backward" in wanted else {}
        labels, slower = {}, []
        for shape in self.arguments.shapes:
            for threads in self.arguments.threads:
                first = threads == self.arguments.threads[0]
                if not first and not tables:
                    continue
                def run(row):
                    # A worker that is ready has run both passes once.
                    used = row.memory() if first and "memory" in wanted else {}
                    far = row.differences(self.rivals) if first and "backward" in wanted else {}
                    far = {key: largest for key, (largest, _) in far.items()}
                    return used, far, {request: row.measure(request, self.arguments.seconds) for request in tables}
                (used, far, results), found = self.measure(cell, [*wanted, shape, threads],
                                                           lambda: Row(self.rivals, keys, cell, shape, threads), run)
                if used:
                    self.used.add(cell=cell, **{"T,B,I,H": shape}, **used)
                labels.update(found)
                for key, value in far.items():
                    if not value <= LIMIT:
                        self.failed = True
                        print(f"WRONG: {labels[key]} at {shape}: its gradients are {value:.1e} from those of "
                              f"{found[next(iter(found))]}", flush=True)
                for request, (medians, peak) in results.items():
                    tables[request].add(shape, threads, medians, ours, peak, gflop(cell, shape, 2 if request == "backward" else 1),
                                        auto=chosen.get(shape, "") if request == "backward" else "",
                                        far=f"{max(far.values()):.0e}" if far and request == "backward" else "")
                medians = results["backward"][0] if "backward" in results else {}
                if ours in medians and "plan" in medians and shape in chosen:
                    factor = medians[ours] / medians["plan"]
                    if (chosen[shape] == "fused") != (factor <= 1):
                        slower.append(f"{shape} ({max(factor, 1 / factor):.2f})")
        self.labels.update(labels)
        for request, table in tables.items():
            print(f"### {'GRU' if cell == 'gru' else 'LSTM'}, {request}, f32: milliseconds (GFLOP/s)\n")
            print(f"Medians of three to nine interleaved rounds; one run if a round takes longer than {max(self.arguments.seconds, 2):g} s.\n")
            table.print(labels, ours)
            if "plan" in labels and chosen and request == "backward":
                print("Rows where `auto` selects the slower lowering on one thread (factor): " +
                      (", ".join(slower) or "none") + ".\n", flush=True)

    def memory(self):
        print("### Memory of a forward and a backward pass, f32, one thread: largest resident set in MB (less that before the "
              "layer was made)\n")
        self.used.print(**self.labels)

    def linear(self):
        """Our gradient alone, over one size at a time."""
        T, B, I, H = sizes(self.arguments.linear_shape)
        parts = [4, 8, 12, 16, 20, 24, 28, 32]
        lines = {"T": [f"{max(T * part // 16, 1)},{B},{I},{H}" for part in parts],
                 "B": [f"{T},{max(B * part // 16, 1)},{I},{H}" for part in parts]}
        rivals = self.rivals.with_shapes(sorted({shape for line in lines.values() for shape in line}))
        curves = []
        print(f"### Cost over T and B, around {self.arguments.linear_shape}, backward, f32, one thread\n")
        table = Table("over", "points", "worst")
        for cell, key in (("lstm", "block"), ("gru", "cudnn")):
            for name, shapes in lines.items():
                points = self.measure("linear", [cell, name, self.arguments.linear_shape, 1],
                                      lambda: Lines([Row(rivals, [key], cell, shape, 1) for shape in shapes]),
                                      lambda lines: lines.points(key, [sizes(shape)[0 if name == "T" else 1] for shape in shapes]))[0]
                if len(points) < 3:
                    continue
                slope, start, worst = fit(points)
                curves.append((f"{cell}, over {name}", points, slope, start))
                table.add(over=f"{cell}, {name}", worst=f"{100 * worst:.1f} %",
                          points=" ".join(f"{x}: {milliseconds(y)}" for x, y in points))
        table.print(points="size: ms", worst="largest distance from the fitted line, of the point")
        if curves:
            write_plot(self.arguments.plot, curves)
            print(f"Plot: {self.arguments.plot}\n")

    def run(self):
        parts = self.arguments.parts
        for cell in ("lstm", "gru"):
            wanted = ["backward"] * (cell in parts) + [part for part in ("forward", "memory") if part in parts]
            if wanted:
                self.layers(cell, wanted)
        for part, measure in (("memory", self.memory), ("bf16", lambda: bf16.measure(self)),
                              ("amx", lambda: amx.measure(self)), ("auto", lambda: selection.measure(self)),
                              ("inference", lambda: inference.measure(self)), ("step", lambda: step.measure(self)),
                              ("linalg", lambda: linalg.measure(self)),
                              ("linear", self.linear)):
            if part in parts:
                measure()


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def one_of(names):
        def check(text):
            wrong = [name for name in text.split(",") if name not in names]
            if wrong:
                raise argparse.ArgumentTypeError(f"unknown name `{wrong[0]}`; expected {', '.join(names)}")
            return text.split(",")
        return check
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--compare", metavar="BUILD", help="another build folder, for example of an earlier commit: each of "
                        "ours is also compiled and run by its rnn-compile and rnn-host-bench, as `..., other build`")
    parser.add_argument("--cpu", default="native", help="the processor that rnn-compile generates code for (default: native)")
    parser.add_argument("--parts", type=one_of(PARTS), default=PARTS)
    parser.add_argument("--rivals", type=one_of(Rivals.ALL + Rivals.MORE), default=Rivals.ALL)
    parser.add_argument("--threads", type=lambda text: [int(count) for count in text.split(",")], default=None,
                        help="numbers of threads (default: 1,2 where there are two processors)")
    parser.add_argument("--shapes", nargs="+", metavar="T,B,I,H", default=SHAPES)
    parser.add_argument("--seconds", type=float, default=3, help="how long a row takes turns, at least three each")
    parser.add_argument("--quiet", type=float, default=0, metavar="FRACTION", help="only rounds count in which the peak is at "
                        "least this fraction of the highest one, such as 0.93 (virtual machines share the cores)")
    parser.add_argument("--inference-shapes", nargs="+", metavar="T,B,I,H", default=inference.SHAPES)
    parser.add_argument("--auto-shapes", nargs="+", metavar="T,B,I,H", default=selection.SHAPES)
    parser.add_argument("--step-shape", metavar="T,B,E,H", default="64,8,64,128", help="sizes of the part `step`")
    parser.add_argument("--linalg-shapes", nargs="+", metavar="M,N,K[,t]", default=linalg.SHAPES)
    parser.add_argument("--linear-shape", metavar="T,B,I,H", default="64,32,128,256", help="middle of the part `linear`")
    parser.add_argument("--resume", metavar="FILE", help="keep measured rows in FILE, and do not repeat those that it has")
    parser.add_argument("--minutes", type=float, help="begin no row after this time; needs --resume")
    parser.add_argument("--plot", metavar="FILE.svg", help="where the part `linear` draws (default: BUILD/host-linear.svg)")
    arguments = parser.parse_args()
    arguments.plot = arguments.plot or os.path.join(arguments.build, "host-linear.svg")
    if arguments.minutes is not None and not arguments.resume:
        parser.error("--minutes needs --resume=FILE, which keeps the rows for the next run")
    if arguments.threads is None:
        arguments.threads = [1, 2][:len(os.sched_getaffinity(0))]
    if arguments.compare and not os.path.exists(os.path.join(arguments.compare, "bin", "rnn-host-bench")):
        parser.error(f"expected a build folder in --compare, but {arguments.compare}/bin/rnn-host-bench does not exist; build "
                     "its targets rnn-host-bench and rnn-compile")
    for shape in [*arguments.shapes, *arguments.inference_shapes, *arguments.auto_shapes, arguments.linear_shape, arguments.step_shape]:
        if len(shape.split(",")) != 4 or not all(size.isdigit() and int(size) > 0 for size in shape.split(",")):
            parser.error(f"expected shapes as T,B,I,H with positive numbers, but got `{shape}`")
    for shape in arguments.linalg_shapes:
        if not re.fullmatch(r"(0*[1-9]\d*,){2}0*[1-9]\d*(,t)?", shape):
            parser.error(f"expected shapes as M,N,K or M,N,K,t with positive numbers, but got `{shape}`")
    return arguments


def main():
    arguments = parse()
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rnn-host-") as folder:
        session = Session(arguments, folder)
        print(f"{session.rivals.name}, {len(os.sched_getaffinity(0))} processors, "
              f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, load before {os.getloadavg()[0]:.1f}\n", flush=True)
        before = session.rivals.exchange()
        try:
            session.run()
        except OutOfTime:
            print(f"Not complete: {session.records.measured} rows in {time.monotonic() - start:.0f} s; the same command measures "
                  "the others.")
            sys.exit(OUT_OF_TIME)
        after = session.rivals.exchange()
    if before and after:
        print(f"A cache line takes {before} ns from one processor to another and back before these measurements, {after} ns after "
              "them. Barriers and data that two threads share cost more if this is longer.")
    session.rivals.quiet.print()
    print(f"{time.monotonic() - start:.0f} s in all")
    sys.exit(1 if session.failed else 0)


if __name__ == "__main__":
    main()
