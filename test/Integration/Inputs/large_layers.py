#!/usr/bin/env python3
"""Writes layers with more rows (steps times examples) and deeper GEMMs than four blocks of a reduction, for
large-fused-host.test.

    large_layers.py --dtype=f32 -o FILE.mlir

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "gpu-bundle"))
sys.dont_write_bytecode = True
from cases import Block, Case, write, write_blocks  # noqa: E402

# A step of three tiles, and one of more than a block of rows.
BLOCKS = [Block("short", "icfo", (66, 16, 5, 258), static=True)]
NETWORKS = [Case("gru", steps=11, batch=100, input=300, hidden=344, tag="tall")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", choices=("bf16", "f32", "f64"), required=True)
    parser.add_argument("-o", dest="output", required=True)
    arguments = parser.parse_args()
    with open(arguments.output, "w") as file:
        functions = [write(case, arguments.dtype) for case in NETWORKS] + write_blocks(BLOCKS, arguments.dtype)
        file.write("\n\n".join(functions) + "\n")


if __name__ == "__main__":
    main()
