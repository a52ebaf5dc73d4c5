#!/usr/bin/env python3
# calls.py - microseconds per call of a compiled layer from Python: T = B = 1, I = H = 4, f32 LSTM, one layer. The loops
# of the layer take about a microsecond, so this is the overhead. Medians of 7 interleaved runs.
#
#   PYTHONPATH=build/python benchmarks/python/calls.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib
import pathlib
import statistics
import sys
import time

import numpy as np
import rnn_mlir
from rnn_mlir import _layers, modules

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python" / "tests"))
from exchanged import Exchanged  # noqa: E402

RUNS, CALLS = 7, 2000


def make_cases():
    layer = modules.load("lstm")
    params = modules.params_size("lstm", "unidirectional", 4, 4)
    reserve = modules.reserve_size("lstm", "unidirectional", "f32", 1, 1, 4, 4)
    shapes = _layers.shapes("lstm", "unidirectional", _layers.Sizes(1, 1, 4, 4), params, reserve)
    arrays = {name: np.zeros(shape, np.int8 if name == "reserve" else np.float32) for name, shape in shapes.items()}
    functions = rnn_mlir.load(layer.path)
    forward, backward = functions["forward"], functions["backward"]
    inputs = [arrays[a.name] for a in forward.inputs]
    gradients = [arrays[a.name] for a in backward.inputs]
    bound, pointers = layer.forward.bind([a.shape for a in inputs]), [a.ctypes.data for a in inputs]
    exchanged = [Exchanged(a) for a in inputs]
    cases = {
        "forward, 8 pointers, shapes bound": lambda: bound(*pointers),
        "forward, 8 NumPy arrays": lambda: forward(*inputs),
        "backward, 15 NumPy arrays": lambda: backward(*gradients),
        "forward, 8 DLPack tensors": lambda: forward(*exchanged),
    }
    try:
        module = importlib.import_module("tvm_ffi").load_module(layer.path)
        cases["forward through tvm-ffi, 8 NumPy arrays"] = lambda: module.forward(*inputs)
    except ImportError:
        pass
    try:
        torch = importlib.import_module("torch")
        tensors = [torch.from_numpy(a) for a in inputs]
        cases["forward, 8 torch tensors"] = lambda: forward(*tensors)
    except ImportError:
        pass
    return cases


def main():
    cases = make_cases()
    times = {name: [] for name in cases}
    for _ in range(RUNS):
        for name, call in cases.items():
            for _ in range(CALLS // 10):
                call()
            start = time.perf_counter()
            for _ in range(CALLS):
                call()
            times[name].append((time.perf_counter() - start) / CALLS * 1e6)
    for name, values in times.items():
        print(f"{name}: {statistics.median(values):.1f} us")


if __name__ == "__main__":
    main()
