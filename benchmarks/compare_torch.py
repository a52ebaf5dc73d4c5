#!/usr/bin/env python3
"""Times the LSTM of librnn_runtime's host plans beside PyTorch's CPU nn.LSTM, in one process, round by round in turn.

    /usr/bin/python3 benchmarks/compare_torch.py --library build/lib/librnn_runtime.so

Needs PyTorch with a fast BLAS (Debian: python3-torch libopenblas0-pthread; without the second its products go through the
slow reference BLAS, and the script says so). OpenBLAS runs with one thread unless OPENBLAS_NUM_THREADS says otherwise:
with several beside PyTorch's own it was slower in most rows. Prints medians over the rounds as a Markdown table. The host plans use one thread;
PyTorch is measured with 1 and 2. Backward means the gradients of input, initial state and parameters from a forward
pass outside the measured time; PyTorch's figure is autograd's backward alone.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import ctypes
import os
import platform
import statistics
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when the library is loaded, so before the import

import torch

SHAPES = [(64, 1, 128, 128), (64, 32, 256, 256), (128, 32, 512, 512)]


class Runtime:
    """One LSTM layer in f32 through the entries that compiled code calls (abi.def)."""

    def __init__(self, library, shape):
        self.lib = lib = ctypes.CDLL(library)
        steps, batch, size, hidden = shape
        pointer, i64 = ctypes.c_void_p, ctypes.c_int64
        lib.rnnrt_abi_rnn_plan.restype = pointer
        lib.rnnrt_abi_rnn_plan.argtypes = [pointer] + [ctypes.c_int32] * 5 + [ctypes.c_double] + [i64] * 8
        for name in ("rnnrt_abi_rnn_params_size", "rnnrt_abi_rnn_reserve_size"):
            getattr(lib, name).restype = i64
            getattr(lib, name).argtypes = [pointer, pointer]
        lib.rnnrt_call_status.restype = pointer
        lib.rnnrt_call_status.argtypes = [pointer]
        lib.rnnrt_status_message.restype = ctypes.c_char_p
        lib.rnnrt_status_message.argtypes = [pointer]
        self.device, self.call = pointer(), pointer()
        assert not lib.rnnrt_device_create(b"host", None, ctypes.byref(self.device))
        assert not lib.rnnrt_call_create(self.device, None, None, ctypes.byref(self.call))
        f32, lstm = 2, 2
        self.plan = lib.rnnrt_abi_rnn_plan(self.call, f32, lstm, 0, 0, 1, 0.0, 0, 0, steps, batch, size, hidden, hidden, 1)
        self.check()
        self.count = lib.rnnrt_abi_rnn_params_size(self.call, self.plan)
        self.reserve_bytes = lib.rnnrt_abi_rnn_reserve_size(self.call, self.plan)

        def tensor(*shape):
            return torch.randn(*shape) * 0.1

        self.x, self.params = tensor(steps, batch, size), tensor(self.count)
        self.h0, self.c0 = tensor(1, batch, hidden), tensor(1, batch, hidden)
        self.y, self.hn, self.cn = tensor(steps, batch, hidden), tensor(1, batch, hidden), tensor(1, batch, hidden)
        self.reserve = torch.zeros(self.reserve_bytes, dtype=torch.uint8)
        self.dy, self.dhn, self.dcn = tensor(steps, batch, hidden), tensor(1, batch, hidden), tensor(1, batch, hidden)
        self.dx, self.dh0, self.dc0 = (torch.empty_like(t) for t in (self.x, self.h0, self.c0))
        self.dparams = torch.empty_like(self.params)

    def check(self):
        status = self.lib.rnnrt_call_status(self.call)
        if status:
            raise RuntimeError(self.lib.rnnrt_status_message(status).decode())

    @staticmethod
    def at(tensor):
        return ctypes.c_void_p(tensor.data_ptr())

    def forward(self):
        a, i64 = self.at, ctypes.c_int64
        self.lib.rnnrt_abi_rnn_forward(self.call, ctypes.c_void_p(self.plan), None, a(self.x), a(self.h0), a(self.c0),
                                       a(self.params), i64(self.count), a(self.y), a(self.hn), a(self.cn),
                                       a(self.reserve), i64(self.reserve_bytes))
        self.check()

    def backward(self):
        a, i64 = self.at, ctypes.c_int64
        plan = ctypes.c_void_p(self.plan)
        self.lib.rnnrt_abi_rnn_backward_data(self.call, plan, None, a(self.x), a(self.h0), a(self.c0), a(self.params),
                                             i64(self.count), a(self.y), a(self.dy), a(self.dhn), a(self.dcn),
                                             a(self.dx), a(self.dh0), a(self.dc0), a(self.reserve),
                                             i64(self.reserve_bytes))
        self.lib.rnnrt_abi_rnn_backward_weights(self.call, plan, None, a(self.x), a(self.h0), a(self.y),
                                                a(self.dparams), i64(self.count), a(self.reserve),
                                                i64(self.reserve_bytes))
        self.check()


class Torch:
    """The same layer, numbers and output gradients in PyTorch."""

    def __init__(self, ours):
        steps, batch, size = ours.x.shape
        hidden = ours.h0.shape[2]
        self.ours = ours
        self.lstm = torch.nn.LSTM(size, hidden)
        # Both take the gates in the order i f g o: matrices of the input, recurrent matrices, then the two biases.
        at, parts = 0, []
        for shape in ((4 * hidden, size), (4 * hidden, hidden), (4 * hidden,), (4 * hidden,)):
            elements = int(torch.tensor(shape).prod())
            parts.append(ours.params[at:at + elements].view(shape))
            at += elements
        with torch.no_grad():
            for parameter, part in zip(self.lstm.parameters(), parts):
                parameter.copy_(part)

    def forward(self):
        self.x = self.ours.x.clone().requires_grad_()
        self.h0, self.c0 = self.ours.h0.clone().requires_grad_(), self.ours.c0.clone().requires_grad_()
        self.y, (self.hn, self.cn) = self.lstm(self.x, (self.h0, self.c0))

    def backward(self):
        ours = self.ours
        torch.autograd.backward([self.y, self.hn, self.cn], [ours.dy, ours.dhn, ours.dcn])

    def clear(self):
        self.lstm.zero_grad(set_to_none=True)


def timed(function):
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) * 1e3


def measure(library, shape, threads, rounds):
    torch.set_num_threads(threads)
    ours = Runtime(library, shape)
    theirs = Torch(ours)
    times = {name: [] for name in ("ours fwd", "ours bwd", "torch fwd", "torch bwd")}
    for index in range(rounds + 1):
        theirs.clear()
        row = (timed(ours.forward), timed(ours.backward), timed(theirs.forward), timed(theirs.backward))
        if index == 0:
            # The same numbers, or the comparison is of nothing.
            for a, b in ((ours.y, theirs.y), (ours.dx, theirs.x.grad), (ours.dh0, theirs.h0.grad)):
                scale = b.abs().max()
                assert (a - b.detach()).abs().max() <= 1e-4 * scale, "the results differ"
            continue
        for name, value in zip(times, row):
            times[name].append(value)
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="path of librnn_runtime.so")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    torch.manual_seed(1)
    with open("/proc/self/maps") as maps:
        if "openblas" not in maps.read():
            print("WARNING: PyTorch's products do not go through OpenBLAS here; its times say little")
    print(f"torch {torch.__version__}, Python {platform.python_version()}, {arguments.rounds} rounds, ms (GFLOP/s)")
    print("| T,B,I,H | torch's threads | ours forward | torch forward | ours backward | torch backward | backward, torch / ours |")
    print("|---|---|---|---|---|---|---|")
    for shape in SHAPES:
        steps, batch, size, hidden = shape
        gflop = 2e-9 * steps * batch * 4 * hidden * (size + hidden)
        for threads in (1, 2):
            t = measure(arguments.library, shape, threads, arguments.rounds)

            def cell(name, factor):
                return f"{t[name]:.2f} ({factor * gflop / t[name] * 1e3:.0f})"

            print(f"| {','.join(map(str, shape))} | {threads} | {cell('ours fwd', 1)} | {cell('torch fwd', 1)} | "
                  f"{cell('ours bwd', 2)} | {cell('torch bwd', 2)} | {t['torch bwd'] / t['ours bwd']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
