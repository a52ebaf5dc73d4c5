#!/usr/bin/env python3
"""Writes a module of layers with random modes, sizes and features, for random-fused-host.test and resets-host.test.

    random_layers.py --seed=N --dtype=f32 [--networks=8] [--blocks=8] [--resets] [--batch-major] [--static-lengths]
                     -o FILE.mlir

--static-lengths: layers with lengths per example have static sizes, which need no checks at run time.
The same seed gives the same layers in every element type, so that rnn-bundle-runner can compare two of them.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "gpu-bundle"))
sys.dont_write_bytecode = True
from cases import GATES, Block, Case, write, write_blocks  # noqa: E402


RESETS = ("zero", "initial")


def size(draw, most):
    """Small sizes as often as large ones, and the ends of vectors and panels more often than their neighbours."""
    value = int(most ** draw.random())
    return draw.choice([value, value, draw.choice([one for one in (1, 4, 8, 16, 32, 64, 65) if one <= most])])


def network(draw, index, resets):
    mode = draw.choice(sorted(GATES))
    hidden, skip = size(draw, 70), draw.random() < 0.15
    return Case(mode, layers=draw.randint(1, 3), directions=draw.randint(1, 2), steps=size(draw, 12), batch=size(draw, 20),
                input=hidden if skip else size(draw, 70), hidden=hidden, skip=skip,
                projection=draw.randint(1, hidden - 1) if mode == "lstm" and hidden > 1 and not skip and draw.random() < 0.3 else 0,
                lengths=draw.random() < 0.3, training=draw.random() < 0.9, dynamic=draw.random() < 0.3, tag=f"random{index}",
                resets=draw.choice(RESETS) if resets else "")


def block(draw, index, resets):
    sizes = (size(draw, 12), size(draw, 20), size(draw, 70), size(draw, 70))
    peephole = draw.random() < 0.5
    forward = [f"forget_bias = {draw.choice([-0.5, 0.75, 1.0])}"] * (draw.random() < 0.5) + ["cell_clip = 0.25"] * (draw.random() < 0.3)
    # Each has a function of its own, and may leave some results unused.
    results = tuple(sorted(draw.sample(range(15), draw.randint(1, 15)))) if draw.random() < 0.4 else ()
    return Block(f"random{index}", draw.choice(["icfo", "ifco"]), sizes, "use_peephole" if peephole else "", ", ".join(forward),
                 length=draw.randint(0, sizes[0]) if draw.random() < 0.5 else None, static=draw.random() < 0.5, results=results, resets=draw.choice(RESETS) if resets else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--dtype", choices=("f16", "bf16", "f32", "f64"), required=True)
    parser.add_argument("--networks", type=int, default=8)
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--resets", action="store_true", help="layers with resets")
    parser.add_argument("--batch-major", action="store_true", help="layers with batch-major sequences")
    parser.add_argument("--static-lengths", action="store_true")
    parser.add_argument("-o", dest="output", required=True)
    arguments = parser.parse_args()
    # Two draws, so that the first few of either are the same whatever the numbers of both.
    draw, other = random.Random(arguments.seed), random.Random(-arguments.seed - 1)
    networks = [network(draw, index, arguments.resets) for index in range(arguments.networks)]
    if arguments.static_lengths:
        for case in networks:
            case.dynamic = case.dynamic and not case.lengths
    blocks = [block(other, index, arguments.resets) for index in range(arguments.blocks)]
    for case in networks + blocks:
        case.batch_major = arguments.batch_major
    with open(arguments.output, "w") as file:
        file.write("\n\n".join([write(case, arguments.dtype) for case in networks] + write_blocks(blocks, arguments.dtype)) + "\n")


if __name__ == "__main__":
    main()
