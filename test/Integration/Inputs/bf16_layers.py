#!/usr/bin/env python3
"""Writes layers of one or two examples whose recurrent weights exceed the L2 cache, for bf16-gemm-host.test.

    bf16_layers.py --dtype=bf16 -o FILE.mlir

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "gpu-bundle"))
sys.dont_write_bytecode = True
from cases import Block, Case, write, write_blocks  # noqa: E402

# Whole panels and others; steps behind the length, examples of different lengths.
BLOCKS = [Block("one", "icfo", (3, 1, 5, 264), attributes="use_peephole", static=True),
          Block("two", "ifco", (4, 2, 3, 259), length=3, static=True)]
NETWORKS = [Case("gru", steps=3, batch=1, input=5, hidden=298, tag="one"),
            Case("lstm", steps=2, batch=2, input=3, hidden=561, projection=511, lengths=True, tag="two"),
            Case("rnn_tanh", layers=2, directions=2, steps=3, batch=2, input=4, hidden=520, lengths=True, tag="two")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", choices=("bf16", "f64"), required=True)
    parser.add_argument("-o", dest="output", required=True)
    arguments = parser.parse_args()
    with open(arguments.output, "w") as file:
        functions = [write(case, arguments.dtype) for case in NETWORKS] + write_blocks(BLOCKS, arguments.dtype)
        file.write("\n\n".join(functions) + "\n")


if __name__ == "__main__":
    main()
