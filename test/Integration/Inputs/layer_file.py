"""The command line of the scripts that write a fixed list of layers as a module.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "gpu-bundle"))
from cases import write, write_blocks  # noqa: E402


def main(description, types, networks, blocks, others=()):
    """Writes the layers in the element type of --dtype, one of `types`, to the file of -o. `others` have a method `write`."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", choices=types, required=True)
    parser.add_argument("-o", dest="output", required=True)
    arguments = parser.parse_args()
    with open(arguments.output, "w") as file:
        functions = [write(case, arguments.dtype) for case in networks] + write_blocks(blocks, arguments.dtype)
        functions += [other.write(arguments.dtype) for other in others]
        file.write("\n\n".join(functions) + "\n")
