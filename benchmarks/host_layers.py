#!/usr/bin/env python3
"""Writes a module with the gradient of one block LSTM per shape, for compare-host.sh.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

for shape in sys.argv[1:]:
    T, B, I, H = map(int, shape.split(","))

    def tensor(*sizes):
        return "tensor<" + "".join(f"{size}x" for size in sizes) + "f32>"
    x, state, w, p, b, steps = tensor(T, B, I), tensor(B, H), tensor(I + H, 4 * H), tensor(H), tensor(4 * H), tensor(T, B, H)
    types = [x, state, state, w, p, b] + [steps] * 9
    v = [f"%v{index}" for index in range(len(types))]
    results = ", ".join([x, state, state, w, b])
    print(f"func.func @lstm_{T}_{B}_{I}_{H}({', '.join(map(': '.join, zip(v, types)))}) -> ({results}) {{")
    print("  %dx, %dcs, %dh, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad icfo")
    print(f"      x(%v0 : {x}) state(%v1, %v2 : {state}) weights(%v3 : {w}) peephole(%v4, %v4, %v4 : {p}) bias(%v5 : {b})")
    print(f"      saved({', '.join(v[6:13])} : {steps}) grads({', '.join(v[13:])} : {steps})")
    print(f"  return %dx, %dcs, %dh, %dw, %db : {results}")
    print("}")
