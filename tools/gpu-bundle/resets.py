#!/usr/bin/env python3
"""Adds resets to the layer ops of a module that the other scripts of this folder wrote.

    resets.py zero < cases.mlir > resets.mlir       to zero; `initial`: to the initial states
    resets.py zero --marks=all                      every step; also none, first (step 0) and some (the default)

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import re
import sys

OP = re.compile(r"rnn\.(cudnn_forward|cudnn_backprop|block_lstm|block_lstm_grad) ")
INPUT = re.compile(r"(?:input|x)\((%\w+)(?:, %\w+)* : (tensor<([0-9?]+)x([0-9?]+)x[0-9?]+x\w+>)")


def some(x, shape):
    """The operations that make %marks, i1 of `shape`: the first two dimensions of %x. About a third is set."""
    x_name, x_type = x
    sizes = "".join(f"{size}x" for size in shape)
    dims = [line for dim in (0, 1) if shape[dim] == "?"
            for line in (f"%i{dim} = arith.constant {dim} : index", f"%d{dim} = tensor.dim {x_name}, %i{dim} : {x_type}")]
    extents = ", ".join(f"%d{dim}" for dim in (0, 1) if shape[dim] == "?")
    return dims + [f"%marks = tensor.generate {extents} {{", "^bb0(%mt: index, %mb: index):", "  %m5 = arith.constant 5 : index",
                   "  %m7 = arith.constant 7 : index", "  %mz = arith.constant 2 : index",
                   "  %ms = arith.muli %mt, %m5 : index", "  %mu = arith.muli %mb, %m7 : index",
                   "  %mv = arith.addi %ms, %mu : index", "  %mw = arith.xori %mv, %mt : index",
                   "  %m3 = arith.constant 3 : index", "  %mr = arith.remui %mw, %m3 : index",
                   "  %mark = arith.cmpi eq, %mr, %mz : index", "  tensor.yield %mark : i1",
                   f"}} : tensor<{sizes}i1>"]


def marks(x, shape, which="some"):
    """The same for all marks, none, those of the first step, or some."""
    if which == "some":
        return some(x, shape)
    condition = {"all": "sge", "none": "slt", "first": "eq"}[which]
    lines = [re.sub(r"arith.cmpi eq, %mr, %mz", f"arith.cmpi {condition}, %mt, %mf", line) for line in some(x, shape)]
    lines[-3:-3] = ["  %mf = arith.constant 0 : index"]
    return lines


def resets_text(shape):
    return f" resets(%marks : tensor<{''.join(f'{size}x' for size in shape)}i1>)"


def add(statement, shape, target):
    """The text of an op with resets to `target`."""
    body, attributes = re.match(r"(.*?)(?: \{([^{}]*)\})?$", statement, re.S).groups()
    every = ([attributes] if attributes else []) + (["reset_to = #rnn.reset_to<initial>"] if target == "initial" else [])
    return body + resets_text(shape) + (" {" + ", ".join(every) + "}" if every else "")


def with_resets(module, target, which="some"):
    """`module` with resets in all layer ops. Each function has ops with one input."""
    result = []
    for function in re.split(r"\n(?=func\.func)", module):
        found = INPUT.search(function) if OP.search(function) else None
        if not found:
            result.append(function)
            continue
        shape = found[3], found[4]
        head, body = re.match(r"(.*?\{\n)(?=  )(.*)", function, re.S).groups()
        # A statement starts with two spaces and a value or a word; its other lines are indented further.
        statements = re.split(r"\n(?=  [%a-z]|\})", body)
        statements = [add(one, shape, target) if OP.search(one) else one for one in statements]
        first = next(index for index, one in enumerate(statements) if found[0] in one)
        lines = ["  " + line for line in marks((found[1], found[2]), shape, which)]
        result.append(head + "\n".join(statements[:first] + lines + statements[first:]))
    return "\n".join(result)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=("zero", "initial"))
    parser.add_argument("--marks", choices=("some", "all", "none", "first"), default="some")
    arguments = parser.parse_args()
    sys.stdout.write(with_resets(sys.stdin.read(), arguments.target, arguments.marks))


if __name__ == "__main__":
    main()
