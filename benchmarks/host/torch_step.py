#!/usr/bin/env python3
"""A worker that runs the training steps of examples/char-lstm with PyTorch; see Step.cpp.

The model, its initial parameters, the data, the loss, the clipping of the gradient and Adam's constants are those of the
example. --run=eager runs PyTorch's modules, --run=compile compiles the whole step with torch.compile. That leaves nn.LSTM and
nn.GRU to the eager kernels by default: tracing them (torch._dynamo.config.allow_rnn) took 140 s to compile and ran slower.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import re
import sys

import numpy as np
import torch

from worker import memory, seconds

STEPS_BEFORE = 10
LEARNING_RATE = 0.002


class Model(torch.nn.Module):
    def __init__(self, block, cell, V, E, H):
        super().__init__()
        self.block, self.gates, self.sizes = block, 4 if cell == "lstm" else 3, (V, E, H)
        self.table = torch.nn.Embedding(V, E)
        self.layers = getattr(torch.nn, cell.upper())(E, H, 1 if block else 2)
        self.output = torch.nn.Linear(H, V)

    @torch.no_grad()
    def load(self, path):
        """The file has the table, the recurrent layers' parameters, and the output layer's matrix and bias."""
        theta, offset = torch.from_numpy(np.fromfile(path, np.float32)), 0
        V, E, H = self.sizes

        def take(*shape):
            nonlocal offset
            count = int(np.prod(shape))
            offset += count
            return theta[offset - count:offset].reshape(shape)
        self.table.weight.copy_(take(V, E))
        rows = self.gates * H
        if self.block:
            # One matrix, whose rows are those of input and hidden state; the op adds 1 to the bias of the forget gate.
            self.layers.weight_ih_l0.copy_(take(E, rows).T)
            self.layers.weight_hh_l0.copy_(take(H, rows).T)
            self.layers.bias_ih_l0.copy_(take(rows))
            self.layers.bias_ih_l0[H:2 * H] += 1
            self.layers.bias_hh_l0.zero_()
            self.layers.bias_hh_l0.requires_grad_(False)
        else:
            for layer, inputs in ((0, E), (1, H)):
                getattr(self.layers, f"weight_ih_l{layer}").copy_(take(rows, inputs))
                getattr(self.layers, f"weight_hh_l{layer}").copy_(take(rows, H))
            for layer in (0, 1):
                getattr(self.layers, f"bias_ih_l{layer}").copy_(take(rows))
                getattr(self.layers, f"bias_hh_l{layer}").copy_(take(rows))
        self.output.weight.copy_(take(H, V).T)
        self.output.bias.copy_(take(V))
        assert offset == theta.numel()

    def forward(self, text, state):
        y, state = self.layers(self.table(text[:-1]), state)
        return torch.nn.functional.cross_entropy(self.output(y).flatten(0, 1), text[1:].flatten()), state


class Training:
    def __init__(self, arguments):
        self.T, self.B, E, H = map(int, arguments.shape.split(","))
        tokens = np.fromfile(arguments.text, np.uint8)
        alphabet, tokens = np.unique(tokens, return_inverse=True)
        self.streams = tokens[:len(tokens) // self.B * self.B].reshape(self.B, -1).T.astype(np.int64)
        self.position = 0
        torch.set_num_threads(arguments.threads)
        self.model = Model(arguments.model == "block", arguments.cell, len(alphabet), E, H)
        self.model.load(arguments.parameters)
        kinds = {"foreach": dict(foreach=True), "fused": dict(fused=True)}
        self.adam = torch.optim.Adam(self.model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.99), **kinds[arguments.adam])
        self.state = tuple(torch.zeros(1 if arguments.model == "block" else 2, self.B, H) for _ in range(2))
        if arguments.cell == "gru":
            self.state = self.state[0]
        self.step = self.train
        if arguments.run == "compile":
            self.step = torch.compile(self.train)
        for _ in range(STEPS_BEFORE):
            loss = self.run()
        self.loss = loss.item()

    def train(self, text, state):
        loss, state = self.model(text, state)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.adam.step()
        self.adam.zero_grad()
        return loss.detach(), tuple(s.detach() for s in state) if isinstance(state, tuple) else state.detach()

    def run(self):
        """The next text, as class Streams of the example returns it, and a step."""
        rows = (self.position + np.arange(self.T + 1)) % len(self.streams)
        self.position = (self.position + self.T) % len(self.streams)
        loss, self.state = self.step(torch.from_numpy(self.streams[rows]), self.state)
        return loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", choices=["eager", "compile"], default="eager")
    parser.add_argument("--adam", choices=["foreach", "fused"], default="foreach")
    parser.add_argument("--text", required=True)
    parser.add_argument("--parameters", required=True, help="file of the initial parameters")
    parser.add_argument("--model", choices=["cudnn", "block"], default="cudnn")
    parser.add_argument("--cell", choices=["lstm", "gru"], default="lstm")
    parser.add_argument("--shape", required=True, metavar="T,B,E,H")
    parser.add_argument("--threads", type=int, default=1)
    loaded, training = memory(), Training(parser.parse_args())
    print("ready", loaded, f"PyTorch {re.split('[a+]', torch.__version__)[0]}", flush=True)
    for line in sys.stdin:
        line = line.rstrip("\n")
        if line == "step":
            print(f"{seconds(training.run):.9f}", flush=True)
        elif line == "loss":
            print(f"{training.loss:.9f}", flush=True)
        else:
            sys.exit(f"error: unknown request `{line}`")


if __name__ == "__main__":
    main()
