# _params_tool.py - the program rnn-params: inspects and converts parameters of recurrent layers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rnn-params"""

from __future__ import annotations

import argparse
import sys
import warnings
from typing import List, Optional

import numpy as np

from . import _files, _formats, _layers, params
from ._hints import Hints

_DESCRIPTION = """\
Inspects and converts the parameters of LSTM, GRU and plain recurrent layers.

formats (by the ending of the name, or --from and --to):
  canonical    .npz          one array per matrix, in the gate order of this project
  opaque, jax  .npy          the flat array of the layer ops, and of jax.experimental.rnn
  torch        .pt .pth      state dict of nn.LSTM, nn.GRU, nn.RNN
  safetensors  .safetensors  the same
  keras        .keras .h5    model, or weights (.weights.h5) of Keras 3; other .h5 files, older models, are read and not written
  onnx         .onnx         initializers of nodes LSTM, GRU, RNN
  tensorflow   .ckpt .index  variables of the CudnnCompatible cells, in a checkpoint of TensorFlow 1, or in a file of NumPy
                             (.npz with --from=tensorflow)
"""


def describe(stack: params.Stack, form: str) -> str:
    """The configuration of layers, and the conventions of the format."""
    framework = {"canonical": "", "opaque": "jax", "safetensors": "torch"}.get(form, form)
    order = params.GATE_ORDERS.get(framework, {}).get(stack.mode, _layers.GATES[stack.mode])
    biases = params.BIASES.get(framework, {}).get(stack.mode, "two per gate: input and state")
    elements = sum(a.size for layer in stack.layers
                   for a in (layer.w, layer.r, layer.bw, layer.br, layer.projection) if a is not None)
    lines = [f"mode: {stack.mode}", f"direction: {stack.direction}", f"layers: {stack.num_layers}",
             f"input size: {stack.input_size}", f"hidden size: {stack.hidden_size}"]
    if stack.output_size != stack.hidden_size:
        lines.append(f"projection: {stack.output_size}")
    lines += [f"element type: {', '.join(map(str, stack.dtypes))}", f"parameters: {elements}", f"gate order: {' '.join(order)}",
              f"biases: {biases}"]
    for k, layer in enumerate(stack.layers):
        number, is_backward = stack.name(k)
        arrays = [("W", layer.w), ("R", layer.r), ("bW", layer.bw), ("bR", layer.br), ("projection", layer.projection)]
        text = ", ".join(f"{name} {'x'.join(map(str, a.shape))} max {_largest(a):.4g}" for name, a in arrays
                         if a is not None)
        lines.append(f"layer {number} {'backward' if is_backward else 'forward'}: {text}")
    return "\n".join(lines)


def _largest(array: "np.ndarray[tuple[int, ...], np.dtype[np.generic]]") -> float:
    return float(np.abs(array.astype(np.float64)).max()) if array.size else 0.0


def _parse(arguments: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="rnn-params", description=_DESCRIPTION,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"rnn-mlir {_files.version()}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (("inspect", "print the configuration, the gate order and the biases"),
                       ("convert", "write another format")):
        command = commands.add_parser(name, help=text)
        command.add_argument("input", help="file; of a checkpoint, the start of the names of its files, or its index")
        if name == "convert":
            command.add_argument("output", help="file, which is replaced")
            command.add_argument("--to", choices=_formats.FORMATS, help="format of the output")
            command.add_argument("--to-prefix", default="", help="start of the names of tensors in the output: torch, "
                                 "safetensors, onnx, tensorflow")
        command.add_argument("--from", dest="form", choices=_formats.FORMATS, help="format of the input")
        command.add_argument("--prefix", default="", help="start of the names of tensors in the input, to choose "
                             "one of several layers; errors list them")
        command.add_argument("--mode", choices=_layers.GATES, help="for flat arrays, and for plain layers whose file does not state their "
                             "function: rnn_tanh, rnn_relu")
        command.add_argument("--direction", choices=_layers.DIRECTIONS, help="for flat arrays (unidirectional)")
        for option, help_text in (("--input-size", "I"), ("--hidden-size", "H")):
            command.add_argument(option, type=int, help=f"{help_text}; for flat arrays")
        command.add_argument("--layers", type=int, help="L; for flat arrays (1)")
        command.add_argument("--projection", type=int, help="P; for flat arrays (0: none)")
    return parser.parse_args(arguments)


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the program and returns its exit status."""
    given = _parse(arguments)
    hints = Hints(given.mode, given.direction, given.input_size, given.hidden_size, given.layers, given.projection, given.prefix)
    warnings.showwarning = lambda message, *_: print(f"rnn-params: warning: {message}", file=sys.stderr)
    try:
        stack = _formats.read(given.input, given.form, hints)
        if given.command == "inspect":
            print(describe(stack, given.form or _formats.guess(given.input)))
        else:
            _formats.write(given.output, stack, given.to, Hints(prefix=given.to_prefix))
    except (OSError, ValueError, MemoryError) as error:
        print(f"rnn-params: error: {str(error) or type(error).__name__}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
