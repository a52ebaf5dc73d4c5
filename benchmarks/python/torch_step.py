# torch_step.py - a training step (forward, and gradients of input and parameters) in f32 on PyTorch's CPU, with --one-step
# also inference, of sequences of one step:
# rnn_mlir.torch and torch.nn, eager and compiled, and the compile time of a step with 6 layers.
#   python torch_step.py [--modes=lstm,gru] [--seconds=10] [--sizes=0,1,2] [--compiled] [--compile-only] [--one-step]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmark of layers in PyTorch."""

import argparse
import os
import tempfile
import time

import rnn_mlir.torch as rnn
import torch
from common import ONE_STEP, SIZES, interleaved, processor, report

OURS = {"lstm": rnn.LSTM, "gru": rnn.GRU}
THEIRS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}


def make_step(layer, x, dy):
    leaves = [x, *layer.parameters()]
    return lambda: torch.autograd.grad(layer(x)[0], leaves, dy)


def make_inference(layer, x):
    def run():
        with torch.no_grad():
            layer(x)
    return run


def allow_torch_nn():
    """Dynamo traces through modules of torch.nn only with this switch, where the version has it."""
    if hasattr(torch._dynamo.config, "allow_rnn"):
        torch._dynamo.config.allow_rnn = True


class Stack(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.layers = torch.nn.ModuleList(kind(32, 32) for _ in range(6))

    def forward(self, x):
        for layer in self.layers:
            x, _ = layer(x)
        return x.square().mean()


def compile_times(mode):
    """Seconds until the first step of 6 layers has run, under torch.compile without a graph break. The caches on disk are new, and a
    compilation before has started the compilers."""
    variants = [("rnn_mlir.torch", OURS[mode], True), ("torch.nn", THEIRS[mode], True)]
    if mode == "lstm":  # PyTorch 2.15 generates code for the op of oneDNN that does not run
        variants.append(("torch.nn without oneDNN", THEIRS[mode], False))
    for name, kind, onednn in variants:
        with tempfile.TemporaryDirectory() as folder, torch.backends.mkldnn.flags(enabled=onednn):
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
            os.environ["RNN_MLIR_CACHE"] = folder
            torch._dynamo.reset()
            torch.compile(torch.nn.Linear(3, 5), fullgraph=True)(torch.randn(7, 3)).sum().backward()
            torch._dynamo.reset()
            model, x = Stack(kind), torch.randn(32, 8, 32)
            start = time.perf_counter()
            try:
                torch.compile(model, fullgraph=True)(x).backward()
                outcome = "first compiled step"
            except Exception as error:
                outcome = f"{type(error).__name__}: {str(error).splitlines()[0]} after"
            print(f"{mode:5} 6 layers, T=32 B=8 I=H=32: {name:16} {outcome} {time.perf_counter() - start:8.2f} s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--modes", default="lstm,gru")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--sizes", default="0,1,2")
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--one-step", action="store_true")
    options = parser.parse_args()
    threads = int(os.environ.get("RNNRT_THREADS", "0"))
    if threads:
        torch.set_num_threads(threads)
    print(f"{processor()}; {os.cpu_count()} processors; PyTorch {torch.__version__}; f32; threads {torch.get_num_threads()}")
    if options.compile_only:
        allow_torch_nn()
    for mode in options.modes.split(","):
        if options.compile_only:
            compile_times(mode)
            continue
        for T, B, I, H in ONE_STEP if options.one_step else [SIZES[int(k)] for k in options.sizes.split(",")]:
            x, dy = torch.randn(T, B, I, requires_grad=True), torch.randn(T, B, H)
            theirs = THEIRS[mode](I, H)
            ours = OURS[mode].from_torch(theirs)
            steps = {"rnn_mlir.torch": make_step(ours, x, dy), "torch.nn": make_step(theirs, x, dy)}
            compile_seconds = {}
            if options.one_step:
                inference = {"rnn_mlir.torch": make_inference(ours, x), "torch.nn": make_inference(theirs, x)}
                report(mode + " inference", (T, B, I, H), {}, *interleaved(inference, options.seconds))
            if options.compiled:
                # Without fullgraph, Dynamo leaves modules of torch.nn to eager mode: unrolled, 64 steps take minutes to compile.
                for name, layer in (("rnn_mlir.torch", ours), ("torch.nn", theirs)):
                    step = make_step(torch.compile(layer, fullgraph=layer is ours), x, dy)
                    start = time.perf_counter()
                    step()
                    compile_seconds[name + " compiled"] = time.perf_counter() - start
                    steps[name + " compiled"] = step
            report(mode, (T, B, I, H), compile_seconds, *interleaved(steps, options.seconds))


main()
