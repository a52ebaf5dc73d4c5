# torch_modules.py - recurrent layers of PyTorch as torch-mlir writes them, with PyTorch's results.
#
#   python3 -m venv VENV && VENV/bin/pip install iree-base-compiler==3.13.0 torch==2.15.0 numpy
#   VENV/bin/python test/Integration/Import/Inputs/torch_modules.py
#
# IREE's package contains torch-mlir's importer of exported programs (FxImporter) and its dialect. torch.export refuses
# packed sequences, so the module of those has the same form, but this script writes it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib.metadata
import os
import re
import sys
import warnings

import numpy as np
import torch
from iree.compiler import ir
from iree.compiler.extras.fx_importer import FxImporter
from torch.nn.utils.rnn import pack_padded_sequence

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cases  # noqa: E402

warnings.filterwarnings("ignore")
VERSIONS = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("iree-base-compiler", "torch"))
T, B, I, H, P, L = 4, 3, 2, 5, 3, 2
LOWERINGS = ("--lowering=runtime", "--lowering=fused")


class Layer(torch.nn.Module):
    """The states as separate arguments."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x, *states):
        y, last = self.layer(x, states if len(states) > 1 else states[0])
        return (y, *last) if len(states) > 1 else (y, last)


def make_layer(kind, **options):
    torch.manual_seed(7)
    layer = getattr(torch.nn, kind)(I, H, **{"num_layers": L, **options})
    count = layer.num_layers * (2 if layer.bidirectional else 1)
    states = [torch.randn(count, B, layer.proj_size or H)]
    if kind == "LSTM":
        states.append(torch.randn(count, B, H))
    return layer.eval(), states


def write(name, title, module, inputs, outputs):
    def arrays(values):
        return [value.detach().numpy() for value in values]

    run = cases.flags(name, arrays(inputs), arrays(outputs))
    cases.write(name, title, VERSIONS, "Inputs/torch_modules.py", [run], module, "5e-6", LOWERINGS)


def make(name, title, kind, **options):
    layer, states = make_layer(kind, **options)
    x = torch.randn(*((B, T) if layer.batch_first else (T, B)), I)
    model = Layer(layer)
    program = torch.export.export(model, (x, *states))
    importer = FxImporter(context=ir.Context())
    importer.import_program(program, func_name="main")
    write(name, title, importer.module.operation.get_asm(print_generic_op_form=True), [x, *states], model(x, *states))


def make_packed(name, title, kind, **options):
    layer, states = make_layer(kind, **options)
    lengths = [4, 2, 1]
    packed = pack_padded_sequence(torch.randn(T, B, I), torch.tensor(lengths))
    y, last = layer(packed, tuple(states) if kind == "LSTM" else states[0])
    outputs = [y.data, *(last if kind == "LSTM" else [last])]
    weights = list(layer._flat_weights)
    inputs = [packed.data, packed.batch_sizes, *states, *weights]

    def kind_of(value):
        return "!torch.vtensor<[" + ",".join(map(str, value.shape)) + "]," + \
            ("si64" if value.dtype == torch.int64 else "f32") + ">"

    kinds, results = [kind_of(v) for v in inputs], [kind_of(v) for v in outputs]
    args = [f"%arg{index}" for index in range(len(inputs))]

    def list_of(result, first, last):
        return f'  {result} = "torch.prim.ListConstruct"({", ".join(args[first:last])}) : ' \
            f'({", ".join(kinds[first:last])}) -> !torch.list<vtensor>\n'

    end = 2 + len(states)
    text = "func.func @main(" + ", ".join(f"{a}: {k}" for a, k in zip(args, kinds)) + ") -> (" + ", ".join(results) + \
        ") {\n"
    hx, hx_kind = args[2], kinds[2]
    if kind == "LSTM":
        hx, hx_kind = "%hx", "!torch.list<vtensor>"
        text += list_of("%hx", 2, end)
    text += list_of("%params", end, len(inputs))
    for value, constant, kind_name in (("%true", "true", "bool"), ("%layers", f"{layer.num_layers} : i64", "int"),
                                       ("%zero", "0.0 : f64", "float"), ("%false", "false", "bool"),
                                       ("%both", str(layer.bidirectional).lower(), "bool")):
        text += f'  {value} = "torch.constant.{kind_name}"() <{{value = {constant}}}> : () -> !torch.{kind_name}\n'
    out = [f"%0#{index}" for index in range(len(outputs))]
    text += f'  %0:{len(outputs)} = "torch.operator"(%arg0, %arg1, {hx}, %params, %true, %layers, %zero, %false, %both) ' \
        f'<{{name = "torch.aten.{kind.lower()}.data"}}>\n      : ({kinds[0]}, {kinds[1]}, {hx_kind}, ' \
        "!torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool) -> " \
        f'({", ".join(results)})\n'
    text += "  return " + ", ".join(out) + " : " + ", ".join(results) + "\n}\n"
    write(name, title, text, inputs, outputs)


def make_cudnn(name, title, kind, **options):
    """A training step of aten::_cudnn_rnn, which PyTorch's dispatcher calls on CUDA, and of its gradient. Neither runs
    without a GPU: the module is traced with shapes only, and the results are those of the layer on the CPU."""
    layer, states = make_layer(kind, **options)
    layer.train()
    weights = list(layer._flat_weights)
    mode = {"LSTM": 2, "GRU": 3, "RNN": 1 if layer.__dict__.get("nonlinearity") == "tanh" else 0}[kind]
    stride = len(weights) // (layer.num_layers * (2 if layer.bidirectional else 1))
    x = torch.randn(*((B, T) if layer.batch_first else (T, B)), I)
    common = (mode, layer.hidden_size, layer.proj_size, layer.num_layers, layer.batch_first, 0.0, True,
              layer.bidirectional, [], None)

    class Step(torch.nn.Module):

        def forward(self, x, dy, buffer, *rest):
            first, w = list(rest[:len(states)]), list(rest[len(states):])
            h, c = (first + [None])[:2]
            y, hn, cn, reserve, buffer = torch.ops.aten._cudnn_rnn(x, w, stride, buffer, h, c, *common)
            dx, dh, dc, dw = torch.ops.aten._cudnn_rnn_backward(x, w, stride, buffer, h, c, y, dy, None, None, *common,
                                                                reserve, [True] * 4)
            return (y, hn, dx, dh, *((cn, dc) if c is not None else ()), *dw)

    tensors = [x, *states, *weights]
    leaves = [value.detach().requires_grad_() for value in tensors]
    end = 1 + len(states)
    y, last = torch.func.functional_call(layer, dict(zip(layer._flat_weights_names, leaves[end:])),
                                         (leaves[0], tuple(leaves[1:end]) if kind == "LSTM" else leaves[1]))
    dy = torch.randn_like(y)
    grads = torch.autograd.grad(y, leaves, dy)
    last = list(last) if kind == "LSTM" else [last]
    outputs = [y, last[0], grads[0], grads[1], *((last[1], grads[2]) if kind == "LSTM" else ()), *grads[end:]]
    # cuDNN's copy of the weights, which neither op needs here.
    inputs = [x, dy, torch.zeros(1), *states, *weights]
    program = torch.export.export(Step(), tuple(value.detach() for value in inputs))
    importer = FxImporter(context=ir.Context())
    importer.import_program(program, func_name="main")
    write(name, title, importer.module.operation.get_asm(print_generic_op_form=True), inputs, outputs)


def cudnn_backward_shapes(x, weight, stride, weight_buf, hx, cx, *rest):
    return torch.empty_like(x), torch.empty_like(hx), torch.empty_like(hx if cx is None else cx), \
        [torch.empty_like(w) for w in weight]


# PyTorch has shapes for the forward op only.
library = torch.library.Library("aten", "IMPL", "Meta")
library.impl("_cudnn_rnn_backward", cudnn_backward_shapes)

make("torch-lstm", "a bidirectional stack with the batch first.", "LSTM", bidirectional=True, batch_first=True)
make("torch-lstm-projection", "an LSTM with a projection.", "LSTM", bidirectional=True, proj_size=P)
make("torch-gru", "a GRU of two layers.", "GRU")
make("torch-rnn-tanh", "a plain layer without biases.", "RNN", bias=False, num_layers=1)
make("torch-rnn-relu", "a plain layer with ReLU.", "RNN", nonlinearity="relu", bidirectional=True)
make_packed("torch-lstm-packed", "packed sequences of an LSTM.", "LSTM", bidirectional=True)
make_packed("torch-gru-packed", "packed sequences of a GRU.", "GRU", num_layers=1)
make_cudnn("torch-cudnn-lstm", "a training step of cuDNN's LSTM with the batch first.", "LSTM", bidirectional=True, batch_first=True)
make_cudnn("torch-cudnn-lstm-projection", "a training step of cuDNN's LSTM with a projection.", "LSTM", proj_size=P)
make_cudnn("torch-cudnn-gru", "a training step of cuDNN's GRU without biases.", "GRU", bias=False, num_layers=1)
make_cudnn("torch-cudnn-rnn", "a training step of cuDNN's plain layer.", "RNN", nonlinearity="relu")
