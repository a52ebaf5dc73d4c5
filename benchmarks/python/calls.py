#!/usr/bin/env python3
# calls.py - microseconds per call of a compiled layer from Python: T = B = 1, I = H = 4, f32 LSTM, one layer, and of a function
# that returns two tensors of 4 elements. Their loops take about a microsecond, so this is the overhead. Then sums with results of
# 1 MiB. Medians of 7 interleaved runs. All but the first function need the compiler.
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

RESULTS = """func.func @f(%x: tensor<?x4xf32>, %h: tensor<1x4xf32>, %p: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<1x4xf32>) {
  %0 = linalg.exp ins(%x : tensor<?x4xf32>) outs(%x : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.exp ins(%h : tensor<1x4xf32>) outs(%h : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<1x4xf32>
}"""

TWICE = """func.func @f(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %0 = arith.addf %x, %x : tensor<?x1024xf32>
  return %0 : tensor<?x1024xf32>
}"""


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
    operands = [np.ones(shape, np.float32) for shape in ((1, 4), (1, 4), (4,))]
    try:
        function = rnn_mlir.compile(RESULTS)
        cases["2 results of 3 NumPy arrays"] = lambda: function(*operands)
    except rnn_mlir.Unavailable:
        function = None
    try:
        torch = importlib.import_module("torch")
        tensors, given = ([torch.from_numpy(a) for a in values] for values in (inputs, operands))
        cases["forward, 8 torch tensors"] = lambda: forward(*tensors)
        if function:
            cases["2 results of 3 torch tensors"] = lambda: function(*given)
    except ImportError:
        pass
    try:
        jax = importlib.import_module("jax")
        if function:
            importlib.import_module("rnn_mlir.jax")
            copies = [jax.numpy.asarray(a) for a in operands]
            jitted = jax.jit(rnn_mlir.compile(RESULTS.replace("?", "1")))
            cases["2 results of 3 JAX arrays"] = lambda: function(*copies)
            cases["the same with known sizes, in jax.jit"] = lambda: jitted(*copies)
            large, twice = jax.numpy.ones((256, 1024), np.float32), rnn_mlir.compile(TWICE)
            program, xla = jax.jit(twice), jax.jit(lambda x: x + x)
            cases["a result of 1 MiB, JAX array"] = lambda: twice(large)
            cases["the same in jax.jit"] = lambda: program(large).block_until_ready()
            cases["the same sum by XLA in jax.jit"] = lambda: xla(large).block_until_ready()
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
