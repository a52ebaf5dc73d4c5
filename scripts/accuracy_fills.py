"""The part of scripts/accuracy.py for arguments of large magnitude, infinities, NaN and denormals.

Each batch row of one layer has another fill of `x`, so that one run has all of them: rows do not depend on each other, except
in gradients of weights, which are not compared.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import math
import os
import random
import struct
import subprocess
import sys

T, B, I, H = 3, 6, 8, 8
FILLS = ("random", "1000", "-1000", "inf", "NaN", "denormal")
OPS = ("block_lstm", "lstm", "gru", "rnn_tanh", "rnn_relu")
# npy type, struct code, a denormal number of the type, and its smallest normal number.
FORMATS = {"f64": ("<f8", "d", 2.0**-1060, 2.0**-1022), "f32": ("<f4", "f", 2.0**-140, 2.0**-126), "f16": ("<f2", "e", 2.0**-20, 2.0**-14),
           "bf16": ("<u2", "H", 2.0**-130, 2.0**-126)}
LOWERINGS = (("plans", ["--lowering=runtime"]), ("loops", ["--lowering=fused"]),
             ("simt", ["--target=simt", "--lowering=fused", "--fused-kernel=per_step"]))
GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def encode(value, dtype):
    """The bits of `value` in bf16, else the value."""
    if dtype != "bf16":
        return value
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if value != value:
        return 0x7FC0
    return bits + 0x7FFF + (bits >> 16 & 1) >> 16


def decode(value, dtype):
    return struct.unpack("<f", struct.pack("<I", value << 16))[0] if dtype == "bf16" else value


def rounded(value, dtype):
    code = FORMATS[dtype][1]
    return decode(struct.unpack("<" + code, struct.pack("<" + code, encode(value, dtype)))[0], dtype)


def write_npy(path, shape, values, dtype):
    kind, code = FORMATS[dtype][:2]
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{code}", *(encode(value, dtype) for value in values)))


def read_npy(path, dtype):
    with open(path, "rb") as file:
        data = file.read()
    data = data[10 + struct.unpack("<H", data[8:10])[0]:]
    code = FORMATS[dtype][1]
    return [decode(value, dtype) for value in struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)]


def shapes(op):
    """Shapes of the arguments: x, states, weights, then the gradients of the results."""
    if op == "block_lstm":
        return [(T, B, I), (B, H), (B, H), (I + H, 4 * H), (H,), (4 * H,), (T, B, H), (T, B, H)]
    states = [(1, B, H)] * (2 if op == "lstm" else 1)
    return [(T, B, I), *states, (GATES[op] * (H * I + H * H + 2 * H),), (T, B, H), *states]


def module(op, dtype):
    types = [f"tensor<{'x'.join(map(str, shape))}x{dtype}>" for shape in shapes(op)]
    parameters = ", ".join(f"%a{index}: {kind}" for index, kind in enumerate(types))
    x, y = types[0], f"tensor<{T}x{B}x{H}x{dtype}>"
    if op == "block_lstm":
        common = (f"icfo x(%a0 : {x}) state(%a1, %a2 : {types[1]}) weights(%a3 : {types[3]}) "
                  f"peephole(%a4, %a4, %a4 : {types[4]}) bias(%a5 : {types[5]})")
        body = (f"  %s:7 = rnn.block_lstm {common} {{use_peephole}}\n"
                f"  %g:8 = rnn.block_lstm_grad {common} saved(%s#0, %s#1, %s#2, %s#3, %s#4, %s#5, %s#6 : {y}) "
                f"grads(%a6, %a7 : {y}) {{use_peephole}}\n  return %s#6, %g#0 : {y}, {x}\n")
    else:
        n = 2 if op == "lstm" else 1
        names = lambda first: ", ".join(f"%a{first + index}" for index in range(n))  # noqa: E731
        states = ", ".join(types[1:1 + n])
        common = f"{op} input(%a0 : {x}) state({names(1)} : {states}) params(%a{1 + n} : {types[1 + n]})"
        outputs = ", ".join(f"%s#{index}" for index in range(1 + n))
        body = (f"  %s:{2 + n} = rnn.cudnn_forward {common}\n"
                f"  %g:{2 + n} = rnn.cudnn_backprop {common} output({outputs} : {y}, {states}) "
                f"grads(%a{2 + n}, {names(3 + n)} : {y}, {states}) reserve(%s#{1 + n} : tensor<?xi8>)\n"
                f"  return %s#0, %g#0 : {y}, {x}\n")
    return f"func.func @main({parameters}) -> ({y}, {x}) {{\n{body}}}\n"


def arguments(op, dtype):
    generator = random.Random(5)
    special = {"1000": 1000.0, "-1000": -1000.0, "inf": math.inf, "NaN": math.nan, "denormal": FORMATS[dtype][2]}
    values = []
    for index, shape in enumerate(shapes(op)):
        scale = 0.3 if len(shape) == 1 or index == 3 and op == "block_lstm" else 1.0
        values.append([rounded(generator.uniform(-scale, scale), dtype) for _ in range(math.prod(shape))])
    for place in range(len(values[0])):
        fill = FILLS[place // I % B]
        if fill != "random":
            values[0][place] = special[fill]
    return values


def run(tool, folder, op, dtype, values, flags):
    source = os.path.join(folder, "fills.mlir")
    with open(source, "w") as file:
        file.write(module(op, dtype))
    command = [tool, source, *flags]
    for index, (shape, data) in enumerate(zip(shapes(op), values)):
        path = os.path.join(folder, f"a{index}.npy")
        write_npy(path, shape, data, dtype)
        command.append(f"--input=@{path}")
    outputs = [os.path.join(folder, name) for name in ("y.npy", "dx.npy")]
    done = subprocess.run(command + [f"--output=@{path}" for path in outputs], text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{op} {dtype} {' '.join(flags)}: {done.stderr}")
    return [read_npy(path, dtype) for path in outputs]


def kind(value):
    return "NaN" if value != value else str(value) if math.isinf(value) else "finite"


def compare(got, expected, row, smallest):
    """The largest relative error of the finite elements of a batch row, and the number of elements of another class."""
    worst, classes = 0.0, 0
    for one, other, width in zip(got, expected, (H, I)):
        places = [place for place in range(len(one)) if place // width % B == row]
        classes += sum(kind(one[place]) != kind(other[place]) for place in places)
        finite = [place for place in places if kind(one[place]) == kind(other[place]) == "finite"]
        # Elements below the normal numbers have no relative accuracy.
        largest = max((abs(other[place]) for place in finite), default=0.0)
        largest = max(largest, smallest)
        if finite:
            worst = max(worst, max(abs(one[place] - other[place]) for place in finite) / largest)
    return worst, classes


def table(build, folder):
    tool = os.path.join(build, "bin", "rnn-run")
    lines = ["| op | type | lowering | " + " | ".join(FILLS) + " |", "|---|---|---|" + "---|" * len(FILLS)]
    for op in OPS:
        for dtype in FORMATS:
            values = arguments(op, dtype)
            expected = run(tool, folder, op, "f64", values, ["--lowering=runtime"])
            for name, flags in LOWERINGS:
                if dtype == "f64" and name == "plans":
                    continue
                got = run(tool, folder, op, dtype, values, flags)
                cells = []
                for row in range(B):
                    error, classes = compare(got, expected, row, FORMATS[dtype][3])
                    cells.append(f"{error:.1e}" + (f", {classes} differ" if classes else ""))
                lines.append(f"| `{op}` | {dtype} | {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
