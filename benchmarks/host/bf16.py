"""Part `bf16` of host.py: both passes of LSTM and GRU layers in bf16 beside our f32 and beside other libraries' bf16, and the
errors of the gradients against f64.

The reference is our host plan in f64. All inputs are bf16 values, so an error contains no rounding of the inputs.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from rivals import Rivals, Row
from tables import Table, gflop, milliseconds

RIVALS = ("onednn2", "onednn3", "onednn2-bare", "onednn3-bare", "torch2")  # which have bf16 layers on a CPU
REQUESTS = {"backward": 2, "forward": 1}  # and how many forward passes' operations each has
TITLES = {"lstm": "LSTM", "gru": "GRU"}


def keys(arguments, cell):
    """Ours first, its f32 form, then the rivals."""
    ours = "block" if cell == "lstm" else "cudnn"
    result = [f"{ours}:bf16", ours] + [f"{rival}:bf16" for rival in arguments.rivals if rival in RIVALS]
    return Rivals.with_other(result) if arguments.compare else result


class Results:
    """The tables of one cell."""

    def __init__(self, names):
        self.ours, self.labels = names[0], {}
        self.times = {request: Table("T,B,I,H", "threads", *names) for request in REQUESTS}
        self.ratios = {request: Table("T,B,I,H", "threads", *names, "peak") for request in REQUESTS}
        self.errors = Table("T,B,I,H", *names)

    def add(self, request, cell, shape, threads, medians, peak):
        head, work = {"T,B,I,H": shape, "threads": str(threads)}, gflop(cell, shape, REQUESTS[request])
        self.times[request].add(**head, **{key: f"{milliseconds(value)} ({work / value:.0f})" for key, value in medians.items()})
        if self.ours in medians:
            rate = work / medians[self.ours]
            self.ratios[request].add(**head, peak=f"{100 * rate / peak:.0f} % of {peak:.0f}" if peak else "", **{
                key: f"{value / medians[self.ours]:.2f}" for key, value in medians.items() if key != self.ours})

    def print(self, cell):
        for request in REQUESTS:
            print(f"### {TITLES[cell]}, {request}, bf16: milliseconds (GFLOP/s)\n")
            self.times[request].print(**self.labels)
            if self.ratios[request].rows:
                print(f"Time of each, divided by that of `{self.labels[self.ours]}`; its part of the processor's highest rate on "
                      "bf16 operands in GFLOP/s, measured in the same rounds.\n")
                self.ratios[request].print(**self.labels, peak="of the peak")
        print(f"### {TITLES[cell]}, error of the gradients against f64\n\nThe largest error, relative to the gradient's largest "
              "element; the norm of the errors, relative to the gradient's norm.\n")
        self.errors.print(**self.labels)


def measure_errors(session, row, cell, shape):
    """By key, of the workers in bf16 alone, since the others have inputs in f32; and why the reference is missing."""
    reference = Row(session.rivals, ["plan:f64"], cell, shape, 1)
    try:
        if not reference.workers:
            return {}, reference.missing
        others = [key for key in row.workers if ":bf16" in key]
        return {key: f"{largest:.1e}; {norm:.1e}"
                for key, (largest, norm) in row.differences(session.rivals, reference, others).items()}, reference.missing
    finally:
        reference.close()


def measure(session):
    arguments = session.arguments
    for cell in ("lstm", "gru"):
        results = Results(keys(arguments, cell))
        for shape in arguments.shapes:
            for threads in arguments.threads:
                def run(row):
                    errors = measure_errors(session, row, cell, shape) if threads == arguments.threads[0] else ({}, {})
                    return errors, {request: row.measure(request, arguments.seconds, "bf16") for request in REQUESTS}
                ((errors, missing), measured), labels = session.measure(
                    "bf16", [cell, shape, threads], lambda: Row(session.rivals, keys(arguments, cell), cell, shape, threads), run)
                session.report_missing(missing, "bf16")
                if threads == arguments.threads[0]:
                    results.errors.add(**{"T,B,I,H": shape}, **errors)
                for request in REQUESTS:
                    results.add(request, cell, shape, threads, *measured[request])
                results.labels.update(labels)
        results.print(cell)
