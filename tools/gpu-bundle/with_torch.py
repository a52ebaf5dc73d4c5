#!/usr/bin/env python3
"""Compares the plans of a device with PyTorch's recurrent layers on the same device, in one process: values and times.

    with_torch.py --library lib/librnn_runtime.so [--device cuda] [--quick]

PyTorch's layers run on cuDNN too, so the difference in time is the overhead around cuDNN, and the values have another
reference. Both are measured interleaved. Times are medians in microseconds: of the call with the wait for its end, and of
the call alone. The exit status is 1 if values differ by more than the limit of the element type; without
PyTorch the script says so and ends with 0.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import ctypes
import statistics
import sys
import time

try:
    import torch
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    print("torch: skipped, `python3` has no module torch; put one that has it first in PATH")
    sys.exit(0)

MODES = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}
GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}
DTYPES = {"f16": (0, torch.float16, 2e-2), "bf16": (1, torch.bfloat16, 1e-1), "f32": (2, torch.float32, 2e-4),
          "f64": (3, torch.float64, 1e-11)}
SHAPES = [(128, 32, 256, 256), (128, 64, 512, 512), (256, 64, 1024, 1024), (512, 16, 512, 512), (100, 256, 1024, 1024),
          (1024, 1, 512, 512)]


class Plan:
    """One network through the entries that compiled code calls (abi.def)."""

    def __init__(self, lib, device, mode, dtype, layers, directions, shape):
        self.lib, self.mode = lib, mode
        steps, batch, size, hidden = shape
        pointer, i32, i64 = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64
        lib.rnnrt_abi_rnn_plan.restype = pointer
        lib.rnnrt_abi_rnn_plan.argtypes = [pointer] + [i32] * 6 + [ctypes.c_double] + [i64] * 8
        for name in ("rnnrt_abi_rnn_params_size", "rnnrt_abi_rnn_reserve_size"):
            getattr(lib, name).restype = i64
            getattr(lib, name).argtypes = [pointer, pointer]
        for name in ("rnnrt_status_message", "rnnrt_plan_algorithm"):
            getattr(lib, name).restype = ctypes.c_char_p
            getattr(lib, name).argtypes = [pointer]
        lib.rnnrt_call_status.restype = pointer
        lib.rnnrt_call_status.argtypes = [pointer]
        self.stream, self.call = pointer(), pointer()
        self.expect(lib.rnnrt_stream_create, device, ctypes.byref(self.stream))
        self.expect(lib.rnnrt_call_create, device, self.stream, None, ctypes.byref(self.call))
        self.plan = pointer(lib.rnnrt_abi_rnn_plan(self.call, DTYPES[dtype][0], MODES[mode], 0, directions - 1, 1, 0, 0.0, 0, 0,
                                                   steps, batch, size, hidden, hidden, layers))
        self.check()
        self.elements = i64(lib.rnnrt_abi_rnn_params_size(self.call, self.plan))
        self.bytes = i64(lib.rnnrt_abi_rnn_reserve_size(self.call, self.plan))
        self.check()

    def expect(self, function, *arguments):
        function.restype = ctypes.c_void_p
        status = function(*arguments)
        if status:
            raise RuntimeError(self.lib.rnnrt_status_message(status).decode())

    def check(self):
        status = self.lib.rnnrt_call_status(self.call)
        if status:
            raise RuntimeError(self.lib.rnnrt_status_message(status).decode())

    def wait(self):
        self.expect(self.lib.rnnrt_stream_synchronize, self.stream)
        self.check()

    def algorithm(self):
        return self.lib.rnnrt_plan_algorithm(self.plan).decode()


def at(tensor):
    return ctypes.c_void_p(tensor.data_ptr() if tensor is not None else None)


class Pair:
    """The same network, values and output gradients in both."""

    def __init__(self, lib, device, place, mode, dtype, layers, directions, shape):
        steps, batch, size, hidden = shape
        kind = DTYPES[dtype][1]
        self.lstm = mode == "lstm"
        self.place = place
        self.ours = plan = Plan(lib, device, mode, dtype, layers, directions, shape)
        options = dict(num_layers=layers, bidirectional=directions == 2)
        if mode == "lstm":
            self.theirs = torch.nn.LSTM(size, hidden, **options)
        elif mode == "gru":
            self.theirs = torch.nn.GRU(size, hidden, **options)
        else:
            self.theirs = torch.nn.RNN(size, hidden, nonlinearity=mode[4:], **options)
        self.theirs = self.theirs.to(place, kind)

        def numbers(*shape):
            return (torch.randn(*shape, dtype=torch.float64) * 0.5).to(place, kind)

        pairs = layers * directions
        self.x, self.h0 = numbers(steps, batch, size), numbers(pairs, batch, hidden)
        self.c0 = numbers(pairs, batch, hidden) if self.lstm else None
        self.dy, self.dhn = numbers(steps, batch, directions * hidden), numbers(pairs, batch, hidden)
        self.dcn = numbers(pairs, batch, hidden) if self.lstm else None
        self.y, self.dx = torch.empty_like(self.dy), torch.empty_like(self.x)
        self.hn, self.dh0 = torch.empty_like(self.h0), torch.empty_like(self.h0)
        self.cn = torch.empty_like(self.h0) if self.lstm else None
        self.dc0 = torch.empty_like(self.h0) if self.lstm else None
        self.params = torch.zeros(plan.elements.value, dtype=kind, device=place)
        self.dparams = torch.zeros_like(self.params)
        self.reserve = torch.zeros(max(plan.bytes.value, 1), dtype=torch.uint8, device=place)
        self.weights, self.biases, self.names = [], [], []
        for layer in range(layers):
            for suffix in ("", "_reverse")[:directions]:
                for part in ("ih", "hh"):
                    self.names.append(f"{part}_l{layer}{suffix}")
                    weight = getattr(self.theirs, "weight_" + self.names[-1]).detach()
                    self.weights += [gate.contiguous() for gate in weight.chunk(GATES[mode])]
                    bias = getattr(self.theirs, "bias_" + self.names[-1]).detach()
                    self.biases += [gate.contiguous() for gate in bias.chunk(GATES[mode])]
        self.synchronize()
        self.move("pack", self.weights, self.biases, self.params)

    def synchronize(self):
        if self.place != "cpu":
            torch.cuda.synchronize()
        self.ours.wait()

    def move(self, what, weights, biases, params):
        tensors = weights + biases
        pointers = (ctypes.c_void_p * len(tensors))(*[tensor.data_ptr() for tensor in tensors])
        sizes = (ctypes.c_int64 * len(tensors))(*[tensor.numel() for tensor in tensors])
        plan = self.ours
        getattr(plan.lib, f"rnnrt_abi_rnn_{what}_params")(plan.call, plan.plan, ctypes.c_int64(len(weights)),
                                                         ctypes.c_int64(len(biases)), pointers, sizes, at(params),
                                                         plan.elements)
        plan.wait()

    def our_forward(self):
        p = self.ours
        p.lib.rnnrt_abi_rnn_forward(p.call, p.plan, None, at(self.x), at(self.h0), at(self.c0), at(self.params), p.elements,
                                    at(self.y), at(self.hn), at(self.cn), at(self.reserve), p.bytes)

    def our_backward(self):
        p = self.ours
        p.lib.rnnrt_abi_rnn_backward_data(p.call, p.plan, None, at(self.x), at(self.h0), at(self.c0), at(self.params),
                                          p.elements, at(self.y), at(self.dy), at(self.dhn), at(self.dcn), at(self.dx),
                                          at(self.dh0), at(self.dc0), at(self.reserve), p.bytes)
        p.lib.rnnrt_abi_rnn_backward_weights(p.call, p.plan, None, at(self.x), at(self.h0), at(self.y), at(self.dparams),
                                             p.elements, at(self.reserve), p.bytes)

    def their_forward(self, module=None):
        """`module`: the layer, or the same layer compiled."""
        self.tx = self.x.clone().requires_grad_()
        self.th0 = self.h0.clone().requires_grad_()
        self.tc0 = self.c0.clone().requires_grad_() if self.lstm else None
        self.ty, state = (module or self.theirs)(self.tx, (self.th0, self.tc0) if self.lstm else self.th0)
        self.states = list(state) if self.lstm else [state]

    def their_backward(self):
        torch.autograd.backward([self.ty] + self.states, [self.dy, self.dhn] + ([self.dcn] if self.lstm else []))

    def errors(self):
        """The largest relative difference of each result."""
        self.theirs.zero_grad(set_to_none=True)
        self.our_forward()
        self.our_backward()
        self.their_forward()
        self.their_backward()
        self.synchronize()
        dweights, dbiases = [torch.empty_like(w) for w in self.weights], [torch.empty_like(b) for b in self.biases]
        self.move("unpack", dweights, dbiases, self.dparams)
        pairs = {"y": (self.y, self.ty), "hn": (self.hn, self.states[0]), "dx": (self.dx, self.tx.grad),
                 "dh0": (self.dh0, self.th0.grad)}
        if self.lstm:
            pairs.update(cn=(self.cn, self.states[1]), dc0=(self.dc0, self.tc0.grad))
        gates = len(self.weights) // len(self.names)
        for index, name in enumerate(self.names):
            part = slice(index * gates, (index + 1) * gates)
            pairs["dw_" + name] = (torch.cat(dweights[part]), getattr(self.theirs, "weight_" + name).grad)
            pairs["db_" + name] = (torch.cat(dbiases[part]), getattr(self.theirs, "bias_" + name).grad)
        result = {}
        for name, (ours, theirs) in pairs.items():
            ours, theirs = ours.detach().double(), theirs.detach().double()
            result[name] = float((ours - theirs).abs().max() / theirs.abs().max().clamp(min=1e-30))
        return result

    def times(self, rounds):
        """Medians of the backward pass with its wait and of the call alone: ours, PyTorch's, and PyTorch's through torch.compile
        (None if it fails); interleaved."""
        ways = [(self.our_forward, self.our_backward), (self.their_forward, self.their_backward)]
        try:
            compiled = torch.compile(self.theirs)
            self.their_forward(compiled)
            self.their_backward()
            ways.append((lambda: self.their_forward(compiled), self.their_backward))
        except Exception as error:  # of a compiler that this machine lacks
            print(f"torch.compile: {str(error).splitlines()[0]}", file=sys.stderr)
        rows = []
        for _ in range(rounds + 2):
            row = []
            for forward, backward in ways:
                self.theirs.zero_grad(set_to_none=True)
                forward()
                self.synchronize()
                start = time.perf_counter()
                backward()
                called = time.perf_counter()
                self.synchronize()
                row += [(time.perf_counter() - start) * 1e6, (called - start) * 1e6]
            rows.append(row)
        medians = [statistics.median(column) for column in zip(*rows[2:])]
        return medians + [None] * (6 - len(medians))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="path of librnn_runtime.so")
    parser.add_argument("--device", default="cuda", help="device of the runtime: cuda, or host to try the script")
    parser.add_argument("--quick", action="store_true", help="few values and no times")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    lib = ctypes.CDLL(arguments.library)
    lib.rnnrt_device_create.restype = ctypes.c_void_p
    lib.rnnrt_status_message.restype = ctypes.c_char_p
    lib.rnnrt_status_message.argtypes = [ctypes.c_void_p]
    device = ctypes.c_void_p()
    status = lib.rnnrt_device_create(arguments.device.encode(), None, ctypes.byref(device))
    if status:
        sys.exit("error: " + lib.rnnrt_status_message(status).decode())
    place = "cuda" if arguments.device.startswith("cuda") else "cpu"
    print(f"PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, TF32 off")

    failed = 0
    print("| mode | L | D | type | worst result | relative difference | limit | |\n|---|---|---|---|---|---|---|---|")
    # PyTorch's CPU layers support only f32 and f64.
    dtypes = DTYPES if place == "cuda" else ("f32", "f64")
    for mode in MODES:
        for layers, directions in ((1, 1), (2, 2)) if arguments.quick else ((1, 1), (1, 2), (2, 1), (3, 2)):
            for dtype in dtypes:
                try:
                    errors = Pair(lib, device, place, mode, dtype, layers, directions, (9, 5, 12, 16)).errors()
                    name = max(errors, key=lambda name: errors[name] if errors[name] == errors[name] else float("inf"))
                    good = errors[name] <= DTYPES[dtype][2]
                    text = f"{name} | {errors[name]:.1e} | {DTYPES[dtype][2]:.0e} | {'ok' if good else 'WRONG'}"
                    failed += not good
                except RuntimeError as error:
                    text = f"| | | {str(error).splitlines()[0]}"
                    failed += 1
                print(f"| {mode} | {layers} | {directions} | {dtype} | {text} |", flush=True)
    if not arguments.quick:
        print("\nBackward, one layer, microseconds; PyTorch eager, and through torch.compile\n\n"
              "| mode | T,B,I,H | type | algorithm | ours | PyTorch | compiled | ours / PyTorch | ours, host | PyTorch, host |\n"
              "|---|---|---|---|---|---|---|---|---|---|")
        for mode in ("lstm", "gru"):
            for shape in SHAPES if place == "cuda" else [(16, 2, 32, 32)]:
                for dtype in ("f16", "bf16", "f32") if place == "cuda" else ("f32",):
                    pair = Pair(lib, device, place, mode, dtype, 1, 1, shape)
                    ours, our_host, theirs, their_host, compiled, _ = pair.times(arguments.rounds)
                    third = "not available" if compiled is None else f"{compiled:.0f}"
                    print(f"| {mode} | {','.join(map(str, shape))} | {dtype} | {pair.ours.algorithm()} | {ours:.0f} | "
                          f"{theirs:.0f} | {third} | {ours / theirs:.2f} | {our_host:.0f} | {their_host:.0f} |", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
