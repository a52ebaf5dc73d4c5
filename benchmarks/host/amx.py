"""Part `amx` of host.py: the methods of multiplying bf16 matrices (--bf16-gemm), as kernels and in whole gradients. On
processors without AMX the methods that are available are compared.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import re
import subprocess

from rivals import Row
from tables import Table, gflop, milliseconds


def methods(help_text):
    """The values of --bf16-gemm in the help of rnn-compile, without `auto`."""
    values = re.search(r"--bf16-gemm=<([^>]*)>", help_text)
    return [value for value in (values.group(1).split("|") if values else []) if value != "auto"]


def kernel_rates(report):
    """Median GFLOP/s and GB/s by kernel and shape, from Google Benchmark's JSON."""
    rates = {}
    for entry in json.loads(report)["benchmarks"]:
        if entry.get("aggregate_name") != "median" or "error_occurred" in entry:
            continue
        what, kernel, *shape = entry["run_name"].split("/")
        if "GFLOP/s" in entry:
            shape = (what.removesuffix("gemm") + shape[0]).replace("_", " ")
            rates.setdefault(kernel, {})[shape] = f"{entry['GFLOP/s']:.0f}"
        elif "bytes_per_second" in entry:
            rates.setdefault(kernel, {})[what.replace("_", " ") + ", GB/s"] = f"{entry['bytes_per_second'] / 1e9:.1f}"
    return rates


def kernels(session):
    program = session.rivals.tool("rnn-codegen-bench")
    command = [program, "--benchmark_filter=^(transposed_)?gemm/(f32|bf16)|^pack_.*/(f32|bf16)", "--benchmark_repetitions=5",
               f"--benchmark_min_time={min(session.arguments.seconds / 20, 0.05)}",
               "--benchmark_enable_random_interleaving=true", "--benchmark_format=json"]
    def run():
        try:
            return kernel_rates(subprocess.run(command, check=True, capture_output=True, text=True).stdout), ""
        except (OSError, subprocess.CalledProcessError) as error:
            text = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
            return {}, text[-1] if text else "failed"
    rates, reason = session.records.get(["amx kernels", session.rivals.name, session.arguments.seconds], run)
    if reason:
        print(f"Not measured (amx): {program}: {reason}\n", flush=True)
        return
    columns = sorted({shape for row in rates.values() for shape in row})
    print("### Kernels of one thread, GFLOP/s\n\nMedians of five interleaved repetitions of `rnn-codegen-bench`, which describes "
          "the shapes.\n")
    table = Table("kernel", *columns)
    for kernel, row in rates.items():
        table.add(kernel=kernel, **row)
    table.print()


def layers(session):
    arguments = session.arguments
    try:
        help_text = subprocess.run([session.rivals.tool("rnn-compile"), "--help"], capture_output=True, text=True).stdout
    except OSError:
        help_text = ""  # the rows below say why nothing could be compiled
    for cell in ("lstm", "gru"):
        ours = "block" if cell == "lstm" else "cudnn"
        keys = [f"{ours}:bf16", *(f"{ours}:bf16:{method}" for method in methods(help_text)), ours]
        table, labels = Table("T,B,I,H", "threads", *keys), {ours: "f32"}
        labels.update((key, "bf16, " + (key.split(":")[2:] or ["auto"])[0]) for key in keys[:-1])
        for shape in arguments.shapes:
            for threads in arguments.threads:
                medians, _ = session.measure("amx", [cell, shape, threads],
                                             lambda: Row(session.rivals, keys, cell, shape, threads),
                                             lambda row: row.measure("backward", arguments.seconds)[0])
                work = gflop(cell, shape)
                table.add(**{"T,B,I,H": shape, "threads": str(threads)},
                          **{key: f"{milliseconds(value)} ({work / value:.0f})" for key, value in medians.items()})
        print(f"### {cell.upper()}, backward, by method of --bf16-gemm: milliseconds (GFLOP/s)\n")
        table.print(**labels)


def measure(session):
    kernels(session)
    layers(session)
