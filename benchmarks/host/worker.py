"""Worker.h for workers in Python: the command line, the numbers, the requests.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import sys
import time

import numpy as np

TENSORS = {"x": 1, "h0": 2, "c0": 3, "wx": 4, "wh": 5, "b": 6, "dy": 7, "dhn": 8, "dcn": 9}


def to_bf16(values):
    """Rounds to the nearest bf16 value, ties to even."""
    bits = values.view(np.uint32)
    bits = bits + np.uint32(0x7fff) + (bits >> np.uint32(16) & np.uint32(1)) & np.uint32(0xffff0000)
    return bits.view(np.float32)


def numbers(name, shape, scale, bf16):
    """The tensor `name` in f32: the same numbers as in Worker.h, rounded to bf16 if `bf16`."""
    result = np.empty(int(np.prod(shape)), np.float32)
    part = 1 << 16  # the intermediate values of more would show in the memory
    for start in range(0, result.size, part):
        bits = np.arange(start, min(start + part, result.size), dtype=np.uint32) * np.uint32(0x9E3779B1)
        bits += np.uint32(TENSORS[name] * 0x85EBCA77 & 0xFFFFFFFF)
        bits = (bits ^ bits >> np.uint32(15)) * np.uint32(0x2C1B3C6D)
        bits = (bits ^ bits >> np.uint32(12)) * np.uint32(0x297A2D39)
        bits ^= bits >> np.uint32(15)
        values = (bits >> np.uint32(8)).astype(np.float32) / np.float32(8388608) - np.float32(1)
        values *= np.float32(scale)
        result[start:start + part] = to_bf16(values) if bf16 else values
    return result.reshape(shape)


class Problem:
    def __init__(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--cell", choices=["lstm", "gru"], default="lstm")
        parser.add_argument("--shape", required=True, metavar="T,B,I,H")
        parser.add_argument("--threads", type=int, default=1)
        parser.add_argument("--type", choices=["f32", "bf16"], default="f32")
        arguments = parser.parse_args()
        self.bf16 = arguments.type == "bf16"
        self.lstm = arguments.cell == "lstm"
        self.gates = 4 if self.lstm else 3
        self.threads = arguments.threads
        self.T, self.B, self.I, self.H = map(int, arguments.shape.split(","))

    def numbers(self, name, *shape):
        """The tensor `name` in f32: the same numbers as in Worker.h, in a bf16 problem rounded to bf16."""
        if self.bf16 and name == "dhn":
            return np.zeros(shape, np.float32)
        scale = {"x": 1.0, "h0": 0.5, "c0": 0.5}.get(name, 0.1 if name[0] == "d" else 1.0 / np.sqrt(np.float32(self.H)))
        return numbers(name, shape, scale, self.bf16)


def memory():
    """In kB. getrusage's value includes the process that started this one."""
    with open("/proc/self/status") as status:
        return next((int(line.split()[1]) for line in status if line.startswith("VmHWM:")), 0)


def seconds(run):
    """As in Worker.h."""
    least, times = 0.02, []
    for _ in range(2):
        times.clear()
        while sum(times) < least:
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        if times[-1] > 10 * least:
            return times[-1]
    return sum(times) / len(times)


def serve(version, loaded, layer):
    """Answers until the input ends. `layer` has forward(), backward() and gradients(), a dict of arrays."""
    print("ready", loaded, version, flush=True)
    for line in sys.stdin:
        line = line.rstrip("\n")
        if line in ("forward", "backward", "inference"):
            print(f"{seconds(getattr(layer, line)):.9f}", flush=True)
        elif line == "memory":
            print(memory(), flush=True)
        elif line.startswith("save "):
            for name, value in layer.gradients().items():
                np.ascontiguousarray(value, np.float32).tofile(os.path.join(line[5:], name))
            print("saved", flush=True)
        else:
            sys.exit(f"error: unknown request `{line}`")
