# onnx_modules.py - recurrent layers of ONNX as torch-mlir writes them, with the results of onnxruntime, and the ONNX
# project's own tests of the three ops with their results.
#
#   python3 -m venv VENV && VENV/bin/pip install iree-base-compiler==3.13.0 onnx==1.23.2 onnxruntime==1.32.0
#   VENV/bin/python test/Integration/Import/Inputs/onnx_modules.py
#
# IREE's package contains torch-mlir's importer of ONNX files and its dialect. onnx-mlir has no package: its form is
# tested in test/Conversion/ONNXToRNN only.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib.metadata
import os
import sys
import warnings

import numpy as np
import onnx
import onnxruntime
from iree.compiler import ir
from iree.compiler.extras import onnx_importer
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cases  # noqa: E402

warnings.filterwarnings("ignore")
from onnx.backend.test.case.node import collect_testcases  # noqa: E402

VERSIONS = ", ".join(f"{name} {importlib.metadata.version(name)}"
                     for name in ("iree-base-compiler", "onnx", "onnxruntime"))
SCRIPT = "onnx_modules.py"


def lower(model):
    info = onnx_importer.ModelInfo(model)
    module = info.create_module(context=ir.Context()).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    return module.get_asm(print_generic_op_form=True)


def node_tests():
    prefixes = tuple(f"test_{name}_" for name in ("lstm", "gru", "rnn", "simple_rnn"))
    done = set()
    for case in collect_testcases(None):
        if not case.name.startswith(prefixes) or case.name in done:
            continue
        done.add(case.name)
        inputs, outputs = case.data_sets[0]
        name = "onnx-node/" + case.name
        cases.write(name, "a test of the ONNX project.", VERSIONS, SCRIPT,
                    [cases.flags(name, inputs, outputs, case.name)], lower(case.model), "1e-5")


def make(name, title, op, direction="forward", T=4, B=3, I=2, H=5, constant=False, present=(), **attributes):
    """`present`: the optional operands of the layer. `constant`: the weights are initializers."""
    random = np.random.default_rng(sum(map(ord, name)))
    D, G = (2 if direction == "bidirectional" else 1), {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    shapes = {"X": (T, B, I), "W": (D, G * H, I), "R": (D, G * H, H), "B": (D, 2 * G * H), "sequence_lens": (B,),
              "initial_h": (D, B, H), "initial_c": (D, B, H), "P": (D, 3 * H)}
    if op != "LSTM":
        del shapes["initial_c"], shapes["P"]
    values = {}
    for key, shape in shapes.items():
        if key in ("X", "W", "R") or key in present:
            values[key] = np.asarray(random.normal(size=shape), np.float32)
    if "sequence_lens" in present:
        values["sequence_lens"] = np.asarray([T, 1, T - 1], np.int32)
    names = [key if key in values else "" for key in shapes]
    while not names[-1]:
        names.pop()
    results = ["Y", "Y_h", "Y_c"][:3 if op == "LSTM" else 2]
    node = helper.make_node(op, names, results, hidden_size=H, direction=direction, **attributes)
    initializers = [key for key in values if constant and key in ("W", "R", "B", "P")]

    def info(key, value):
        kind = TensorProto.INT32 if value is not None and value.dtype == np.int32 else TensorProto.FLOAT
        return helper.make_tensor_value_info(key, kind, None if value is None else value.shape)

    out = {"Y": (T, D, B, H), "Y_h": (D, B, H), "Y_c": (D, B, H)}
    graph = helper.make_graph([node], "main", [info(k, v) for k, v in values.items() if k not in initializers],
                              [helper.make_tensor_value_info(k, TensorProto.FLOAT, out[k]) for k in results],
                              [numpy_helper.from_array(values[k], k) for k in initializers])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    onnx.checker.check_model(model)
    inputs = {k: v for k, v in values.items() if k not in initializers}
    expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, inputs)
    cases.write(name, title, VERSIONS, "Inputs/" + SCRIPT, [cases.flags(name, inputs.values(), expected)], lower(model),
                "5e-6", ("--lowering=runtime", "--lowering=fused"))


ALL = ("B", "sequence_lens", "initial_h", "initial_c")
node_tests()
make("onnx-lstm", "both directions, lengths and states; constant weights.", "LSTM", "bidirectional", present=ALL,
     constant=True)
make("onnx-lstm-reverse", "the reverse direction with lengths.", "LSTM", "reverse", present=ALL)
make("onnx-lstm-loop", "peepholes, clip and coupled gates in both directions with lengths.", "LSTM", "bidirectional",
     present=ALL + ("P",), clip=0.7, input_forget=1)
make("onnx-lstm-peephole", "peepholes.", "LSTM", "reverse", present=("B", "P"))
make("onnx-gru", "a GRU that resets the state before its GEMM, both directions with lengths.", "GRU", "bidirectional",
     present=ALL[:3])
make("onnx-gru-after", "a GRU that resets the state after its GEMM.", "GRU", "bidirectional", present=ALL[:3],
     linear_before_reset=1)
make("onnx-gru-clip", "a clipped GRU without biases.", "GRU", clip=0.4, linear_before_reset=1)
make("onnx-rnn-relu", "a plain layer with Relu.", "RNN", "reverse", present=ALL[:3], activations=["Relu"])
make("onnx-rnn-mixed", "a plain layer with other activations.", "RNN", "bidirectional", present=("B",),
     activations=["Sigmoid", "Tanh"])
