#!/usr/bin/env python3
"""A worker that runs PyTorch's nn.LSTM and nn.GRU on the CPU; see Worker.h.

Backward is autograd's alone, from a forward pass that ran before; forward records the graph. With --type=bf16 the layer and
all tensors are bf16. Host.py sets OPENBLAS_CORETYPE and OPENBLAS_NUM_THREADS, which are read when PyTorch is loaded.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import re
import sys

import numpy as np
import torch

from worker import Problem, memory, serve


class Layer:
    def __init__(self, p):
        self.p = p
        torch.set_num_threads(p.threads)
        self.layer = (torch.nn.LSTM if p.lstm else torch.nn.GRU)(p.I, p.H)
        with torch.no_grad():
            for name, rows in (("ih", p.I), ("hh", p.H)):
                weights = torch.from_numpy(p.numbers("wx" if name == "ih" else "wh", rows, p.gates * p.H))
                getattr(self.layer, f"weight_{name}_l0").copy_(weights.T)
            bias = torch.from_numpy(p.numbers("b", 4 * p.H))
            self.layer.bias_ih_l0.copy_(bias[:p.gates * p.H])
            self.layer.bias_hh_l0.zero_()
            if not p.lstm:
                self.layer.bias_hh_l0[2 * p.H:].copy_(bias[3 * p.H:])
        kind = torch.bfloat16 if p.bf16 else torch.float32
        self.layer.to(kind)

        def tensor(name, *shape):
            return torch.from_numpy(p.numbers(name, *shape)).to(kind)
        state = (1, p.B, p.H)
        self.inputs = [tensor("x", p.T, p.B, p.I), tensor("h0", *state)] + ([tensor("c0", *state)] if p.lstm else [])
        for value in self.inputs:
            value.requires_grad_()
        self.grads = [tensor("dy", p.T, p.B, p.H), tensor("dhn", *state)] + ([tensor("dcn", *state)] if p.lstm else [])
        self.outputs = self.run()
        self.backward()

    def run(self):
        x, *state = self.inputs
        y, state = self.layer(x, tuple(state) if self.p.lstm else state[0])
        return [y, *state] if self.p.lstm else [y, state]

    def forward(self):
        self.run()

    def inference(self):
        with torch.no_grad():
            self.run()

    def backward(self):
        self.results = None  # frees those of the run before
        self.results = torch.autograd.grad(self.outputs, self.inputs + list(self.layer.parameters()), self.grads,
                                           retain_graph=True)

    def gradients(self):
        p, names = self.p, ["dx", "dh0"] + ["dc0"] * self.p.lstm
        values = [value.float().numpy() for value in self.results]
        result = dict(zip(names, values))
        wx, wh, bx, bh = values[len(names):]
        result["dwx"], result["dwh"] = wx.T, wh.T
        result["db"] = bx if p.lstm else np.concatenate([bx, bh[2 * p.H:]])
        return result


def main():
    # PyPI's package contains MKL; Debian's uses the BLAS that is installed.
    with open("/proc/self/maps") as maps:
        if "BLAS_INFO=mkl" not in torch.__config__.show() and "openblas" not in maps.read():
            sys.exit("error: PyTorch's products go neither through MKL nor through OpenBLAS here (Debian: libopenblas0-pthread), "
                     "so its times would say little")
    problem, loaded = Problem(), memory()
    serve(f"PyTorch {re.split('[a+]', torch.__version__)[0]}", loaded, Layer(problem))


if __name__ == "__main__":
    main()
