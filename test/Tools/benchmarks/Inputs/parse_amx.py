"""Parses what part `amx` of host.py reads: the help of rnn-compile, and Google Benchmark's JSON."""
import json

from amx import kernel_rates, methods

print(methods("  --bf16-gemm=<auto|f32|vnni|amx>  - Target host"), methods("error: no such program"))


def entry(name, aggregate, **counters):
    return {"run_name": name, "aggregate_name": aggregate, **counters}


print(kernel_rates(json.dumps({"benchmarks": [
    entry("gemm/f32/block", "mean", **{"GFLOP/s": 1.0}), entry("gemm/f32/block", "median", **{"GFLOP/s": 170.2}),
    entry("transposed_gemm/f32/block", "median", **{"GFLOP/s": 154.8}),
    entry("gemm/bf16_amx/block", "median", **{"GFLOP/s": 1800.0}),
    entry("pack_columns/bf16_amx", "median", bytes_per_second=12.34e9),
    {"run_name": "gemm/bf16_amx/tile", "error_occurred": True}]})))
