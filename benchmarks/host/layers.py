#!/usr/bin/env python3
"""Writes a module with the forward passes and the gradient of one layer per shape, for the worker of Ours.cpp.

    layers.py --layer=block|lstm|gru [--type=f32|bf16|f64] T,B,I,H ...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse


def tensor(*sizes, element):
    return "tensor<" + "".join(f"{size}x" for size in sizes) + element + ">"


def function(name, arguments, results, body):
    """`arguments` and `results` are lists of (name, type)."""
    print(f"func.func @{name}({', '.join(f'%{n}: {t}' for n, t in arguments)})")
    print(f"    -> ({', '.join(t for _, t in results)}) {{")
    print("  " + body)
    print(f"  return {', '.join('%' + n for n, _ in results)} : {', '.join(t for _, t in results)}")
    print("}")


def names(values):
    return ", ".join("%" + name for name, _ in values)


def block(suffix, T, B, I, H, kind):
    def t(*sizes):
        return tensor(*sizes, element=kind)
    x, state, w, p, b, steps = t(T, B, I), t(B, H), t(I + H, 4 * H), t(H), t(4 * H), t(T, B, H)
    operands = [("x", x), ("c0", state), ("h0", state), ("w", w), ("p", p), ("b", b)]
    saved = [(name, steps) for name in ("i", "cs", "f", "o", "ci", "co", "h")]
    common = (f"ifco x(%x : {x}) state(%c0, %h0 : {state}) weights(%w : {w}) peephole(%p, %p, %p : {p}) "
              f"bias(%b : {b})")
    function("block_forward" + suffix, operands, saved, f"{names(saved)} = rnn.block_lstm {common}")
    grads = [("dcs", steps), ("dh", steps)]
    function("block_backward" + suffix, operands + saved + grads,
             [("dx", x), ("dc0", state), ("dh0", state), ("dw", w), ("db", b)],
             f"%dx, %dc0, %dh0, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad {common} "
             f"saved({names(saved)} : {steps}) grads({names(grads)} : {steps})")


def cudnn(mode, suffix, T, B, I, H, kind):
    def t(*sizes):
        return tensor(*sizes, element=kind)
    gates, lstm = {"lstm": 4, "gru": 3}[mode], mode == "lstm"
    x, state, y, params = t(T, B, I), t(1, B, H), t(T, B, H), t(gates * H * (I + H + 2))

    def states(h, c):
        return [(h, state)] + ([(c, state)] if lstm else [])

    def typed(values):
        return f"{names(values)} : {', '.join(kind for _, kind in values)}"
    operands = [("x", x)] + states("h0", "c0") + [("p", params)]
    saved = [("y", y)] + states("hn", "cn")
    grads = [("dy", y)] + states("dhn", "dcn")
    reserve = [("r", "tensor<?xi8>")]
    common = f"{mode} input(%x : {x}) state({typed(states('h0', 'c0'))}) params(%p : {params})"
    function(mode + "_forward" + suffix, operands, saved + reserve,
             f"{names(saved + reserve)} = rnn.cudnn_forward {common}")
    function(mode + "_inference" + suffix, operands, saved,
             f"{names(saved + reserve)} = rnn.cudnn_forward {common} {{is_training = false}}")
    results = [("dx", x)] + states("dh0", "dc0") + [("dp", params)]
    function(mode + "_backward" + suffix, operands + saved + reserve + grads, results,
             f"{names(results)} = rnn.cudnn_backprop {common} output({typed(saved)}) grads({typed(grads)}) "
             f"reserve(%r : tensor<?xi8>)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layer", choices=["block", "lstm", "gru"], required=True)
    parser.add_argument("--type", choices=["f32", "bf16", "f64"], default="f32")
    parser.add_argument("shapes", nargs="+", metavar="T,B,I,H")
    arguments = parser.parse_args()
    for shape in arguments.shapes:
        sizes = [int(size) for size in shape.split(",")]
        suffix = "_" + "_".join(map(str, sizes))
        if arguments.layer == "block":
            block(suffix, *sizes, arguments.type)
        else:
            cudnn(arguments.layer, suffix, *sizes, arguments.type)


if __name__ == "__main__":
    main()
