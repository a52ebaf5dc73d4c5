# test_torch_cuda.py - rnn_mlir.torch on CUDA as far as a machine without a GPU goes: registration and shapes of the ops, the
# GPU kernels on the emulator, and calls on a stream of the fake driver.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import rnn_mlir.torch  # noqa: E402
from fakes import fakes  # noqa: E402
from rnn_mlir import _compiler, _files, _runtime, _variants  # noqa: E402
from rnn_mlir._operations import BlockLSTM, Layers, Members  # noqa: E402
from rnn_mlir.torch import _calls, _library  # noqa: E402

needs_compiler = pytest.mark.skipif(not _compiler.available(), reason="needs the compiler")
needs_ops = pytest.mark.skipif(not _library.AVAILABLE, reason="needs PyTorch 2.4")
OPS = ("cudnn_forward", "cudnn_backprop", "block_lstm", "block_lstm_grad")


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def draw(*shape):
    return 0.4 * torch.randn(shape, dtype=torch.float64)


# --- Ops -------------------------------------------------------------------------------------------------------------

@needs_ops
@pytest.mark.parametrize("name", OPS)
def test_kernels_are_registered(name):
    assert torch._C._dispatch_has_kernel_for_dispatch_key(f"rnn_mlir::{name}", "CUDA")


@needs_ops
def test_shapes_on_cuda():
    """Fake tensors on a GPU, as torch.compile traces them, stay there."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    with FakeTensorMode(allow_non_fake_inputs=False):
        def empty(*shape):
            return torch.empty(shape, device="cuda:0")
        operands = (empty(5, 3, 4), empty(2, 3, 6), None, empty(612), None, None)
        options = ("gru", True, 0, "zero", False)
        y, hn, cn, reserve = torch.ops.rnn_mlir.cudnn_forward(*operands, *options, True)
        assert [tuple(v.shape) for v in (y, hn, cn)] == [(5, 3, 12), (2, 3, 6), (0,)]
        assert reserve.dtype == torch.int8 and reserve.numel() > 0
        gradients = torch.ops.rnn_mlir.cudnn_backprop(*operands, y, hn, cn, y, hn, cn, reserve, *options)
        assert [tuple(v.shape) for v in gradients] == [(5, 3, 4), (2, 3, 6), (0,), (612,)]
        assert {v.device for v in (y, hn, cn, reserve, *gradients)} == {torch.device("cuda:0")}


def test_devices_are_checked():
    x, h, p = torch.empty(5, 3, 4, device="meta"), draw(1, 3, 6), draw(216)
    with pytest.raises(ValueError, match="`h0` is on device cpu, but operand 0 is on meta"):
        _calls.forward(Layers("gru", "unidirectional"), [x.double(), h, p], training=False)
    meta = [v.to("meta") for v in (x, h.float(), p.float())]
    if not _library.AVAILABLE:
        with pytest.raises(ValueError, match="compiled layers run on the CPU and on CUDA"):
            _calls.forward(Layers("gru", "unidirectional"), meta, training=False)
        return
    on_meta = _calls.forward(Layers("gru", "unidirectional"), meta, training=False)
    assert [(v.device.type, tuple(v.shape)) for v in on_meta] == [("meta", (5, 3, 6)), ("meta", (1, 3, 6))]


def test_lengths_may_stay_on_the_host():
    """Those of a packed sequence, whose tensors are on a GPU."""
    for operation in (Layers("gru", "unidirectional", lengths=True), BlockLSTM("icfo", seq_len_max=True)):
        assert [_calls._counts(operation, k) for k in range(len(operation.operand_axes))].index(True) == operation.primals
    assert not any(_calls._counts(Layers("gru", "unidirectional"), k) for k in range(5))


# --- Kernels on the emulator -----------------------------------------------------------------------------------------

def run(operation, operands, cotangents, padded):
    """Results and gradients of the CPU and of the emulator."""
    call = _runtime.call_of_thread("simt")
    want = _calls.forward(operation, operands, training=True)
    results = operation.results
    got = [torch.full_like(v, float("nan") if v.is_floating_point() else 0) for v in want]
    _calls.call_without_waits(operation, "forward", padded, got, call, "simt")
    chosen = [torch.randn_like(want[k]) for k in cotangents]
    want_gradients = _calls.backward(operation, [*operands, *want[:results], *chosen, *want[results:]])
    inputs = [*padded, *got[:results], *chosen, *got[results:]]
    several = isinstance(operation, Members)
    shapes = operation.separated().gradient_shapes(*inputs) if several else [v.shape for v in want_gradients]
    gradients = [torch.full(tuple(shape), float("nan"), dtype=operands[0].dtype) for shape in shapes]
    _calls.call_without_waits(operation, "backward", inputs, gradients, call, "simt")
    gradients = operation.totals(gradients) if several else gradients
    return [*want[:results], *want_gradients], [*got[:results], *gradients]


@needs_compiler
@pytest.mark.parametrize("case", (("lstm", "unidirectional", 1, None), ("gru", "bidirectional", 2, [5, 0, 3]),
                                  ("gru", "unidirectional", 1, [9, -2, 3])), ids=("lstm", "lengths", "clamped"))
def test_layers(case):
    mode, direction, layers, lengths = case
    operation = Layers(mode, direction, lengths=lengths is not None)
    stacked = layers * operation.directions
    operands = [draw(5, 3, 4), *(draw(stacked, 3, 6) for _ in range(operation.primals - 2)),
                draw(operation.parameters(4, 6, layers))]
    padded = list(operands)
    if lengths is not None:
        padded.append(torch.tensor(lengths, dtype=torch.int32))
        operands.append(padded[-1].clamp(0, 5))
    for a, b in zip(*run(operation, operands, operation.cotangents, padded)):
        torch.testing.assert_close(b, a, rtol=0, atol=1e-12)


@needs_compiler
@pytest.mark.parametrize("n,batch_major", ((0, False), (2, False), (2, True)))
def test_masked_block_lstm(n, batch_major):
    operation = BlockLSTM("ifco", use_peephole=True, seq_len_max=True, batch_major=batch_major)
    sizes = (3, 5) if batch_major else (5, 3)
    operands = [draw(*sizes, 4), draw(3, 6), draw(3, 6), draw(10, 24), draw(6), draw(6), draw(6), draw(24),
                torch.tensor(n, dtype=torch.int32)]
    padded = list(operands)
    padded[0] = operands[0].clone()
    padded[0].narrow(1 if batch_major else 0, n, 5 - n).fill_(float("inf"))  # never read
    for a, b in zip(*run(operation, operands, operation.cotangents, padded)):
        torch.testing.assert_close(b, a, rtol=0, atol=1e-12)


@needs_compiler
@pytest.mark.parametrize("levels", ((("w",),), (("w", "n"),), (("x", "n"),), (("w",), ("n",)), (("n",), ("x",)), (("x", "w", "n"), ("w",))),
                         ids=str)
def test_masked_members(levels):
    """Operands that the members of each level have of their own, the outermost first."""
    names = ("x", "cs", "h", "w", "wci", "wcf", "wco", "b", "n")
    operands = dict(zip(names, (draw(5, 3, 4), draw(3, 6), draw(3, 6), draw(10, 24), draw(6), draw(6), draw(6), draw(24),
                                torch.tensor(4, dtype=torch.int32))))
    operation = BlockLSTM("ifco", use_peephole=True, seq_len_max=True)
    for level in reversed(levels):
        operation = Members(operation, 2, tuple(name in level for name in names))
        for name in level:
            v = operands[name]
            operands[name] = torch.stack([v, v - 1 if name == "n" else -v])
    padded = dict(operands)
    padded["x"] = operands["x"].clone()
    padded["x"][..., 4:, :, :] = float("inf")  # never read
    for a, b in zip(*run(operation, list(operands.values()), operation.cotangents, list(padded.values()))):
        torch.testing.assert_close(b, a, rtol=0, atol=1e-12)


@needs_compiler
@pytest.mark.parametrize("operation", (
    Layers("gru", "unidirectional", reset_to="zero"), Layers("lstm", "unidirectional", 3, True, "initial"),
    BlockLSTM("icfo", reset_to="initial"), BlockLSTM("icfo", seq_len_max=True, reset_to="zero")),
    ids=("gru", "lstm", "block_lstm", "length"))
def test_resets(operation):
    """Marks, without and with lengths."""
    marks = torch.tensor(np.random.default_rng(0).random((5, 3)) < 0.4)
    if isinstance(operation, Layers):
        states = [draw(1, 3, operation.num_proj or 6), draw(1, 3, 6)][:operation.results - 1]
        operands = [draw(5, 3, 4), *states, draw(operation.parameters(4, 6, 1))]
        operands += [torch.tensor([5, 0, 3], dtype=torch.int32)] * operation.lengths
    else:
        operands = [draw(5, 3, 4), draw(3, 6), draw(3, 6), draw(10, 24), draw(6), draw(6), draw(6), draw(24)]
        operands += [torch.tensor(4, dtype=torch.int32)] * operation.seq_len_max
    operands.append(marks)
    for a, b in zip(*run(operation, operands, operation.cotangents, operands)):
        torch.testing.assert_close(b, a, rtol=0, atol=1e-12)


# --- Streams of the fake driver --------------------------------------------------------------------------------------

PROGRAM = """
import ctypes, re, sys
import torch
from rnn_mlir import _errors
from rnn_mlir._operations import Layers
from rnn_mlir.torch import _calls

fake = ctypes.CDLL(sys.argv[1] + "/libcuda.so.1")
fake.fake_cuda_log.restype = fake.fake_cuda_misuse.restype = ctypes.c_char_p
context, stream = ctypes.c_void_p(), ctypes.c_void_p()
fake.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
fake.cuCtxPushCurrent_v2(context)
fake.cuStreamCreate(ctypes.byref(stream), 1)  # stream 1
operation = Layers("gru", "unidirectional", lengths=True)
operands = [torch.ones(5, 3, 4), torch.ones(1, 3, 6), torch.ones(216), torch.tensor([5, 0, 3], dtype=torch.int32)]
outputs = [torch.ones(5, 3, 6), torch.ones(1, 3, 6), torch.ones(_calls.reserve_bytes(operation, operands), dtype=torch.int8)]
blocks = {}  # of PyTorch's allocator

def allocate(size, device, stream):
    assert (device, stream) == ("cuda:0", native)
    block = torch.empty(size + 64, dtype=torch.int8)
    address = (block.data_ptr() + 63) // 64 * 64
    blocks[address] = block
    taken.append(size)
    return address
torch.cuda.caching_allocator_alloc, torch.cuda.caching_allocator_delete = allocate, blocks.pop
for native, number in ((stream.value, 1), (0, 0)):  # 0: the legacy default stream, which is PyTorch's
    taken = []
    call = _calls.cuda_call("cuda:0", native)
    assert call is _calls.cuda_call("cuda:0", native)
    _calls.call_without_waits(operation, "forward", operands, outputs, call, "cuda")  # loads the module
    fake.fake_cuda_reset()
    _calls.call_without_waits(operation, "forward", operands, outputs, call, "cuda")
    log = fake.fake_cuda_log().decode()
    captured = re.findall("cuStreamBeginCapture (stream=.*)", log)  # a stream of the runtime, on which nothing runs
    used = [line for line in log.splitlines() if "stream=" in line and not any(c in line.split() for c in captured)]
    assert used and all(f"stream={number}" in line.split() for line in used), log
    assert f"cuLaunchKernelEx stream={number} " in log and "Synchronize" not in log, log
    assert taken and not blocks and "cuMemAlloc" not in log, (taken, blocks, log)
wrong = outputs[:2] + [outputs[2][1:].clone()]
try:
    _calls.call_without_waits(operation, "forward", operands, wrong, call, "cuda")
except _errors.InvalidArgument as error:
    assert "reserve" in str(error), error
else:
    raise AssertionError("a wrong size was accepted")

def exhausted(size, device, stream):
    raise MemoryError(f"no {size} bytes")
torch.cuda.caching_allocator_alloc = exhausted
for _ in range(2):
    try:
        _calls.call_without_waits(operation, "forward", operands, outputs, call, "cuda")
    except _errors.Error as error:
        assert error.code == "RESOURCE_EXHAUSTED" and isinstance(error.__cause__, MemoryError), repr(error)
    else:
        raise AssertionError("a call without memory succeeded")
assert not fake.fake_cuda_misuse(), fake.fake_cuda_misuse()
"""


@needs_compiler
def test_stream():
    folder = fakes()
    if not folder:
        pytest.skip("needs the fake driver of the build tree")
    done = subprocess.run([sys.executable, "-c", PROGRAM, folder], env=dict(os.environ, RNNRT_CUDA_PATH=folder),
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_compiler
def test_gpus_of_different_capabilities(monkeypatch):
    """Each has a library of its own; the fake driver has one device."""
    monkeypatch.setattr(_runtime, "compute_capability", {"cuda:0": 90, "cuda:1": 80, "cuda:2": 90}.get)
    paths = [_variants.library_path("prebuilt:gru unidirectional f16", "cuda", f"cuda:{k}") for k in range(3)]
    assert paths[0] == paths[2] != paths[1]
    for path, chip, other in ((paths[0], b"sm_90a", b"sm_80"), (paths[1], b"sm_80", b"sm_90a")):
        with open(path, "rb") as file:
            content = file.read()
        assert chip in content and other not in content


def test_prebuilt_module(monkeypatch, tmp_path):
    path = tmp_path / "modules" / "cuda" / "gru-bidirectional-f16-batch_major.so"
    path.parent.mkdir(parents=True)
    path.touch()
    monkeypatch.setattr(_files, "library_folder", lambda: str(tmp_path))
    assert _variants._gpu_library_path("prebuilt:gru bidirectional f16 batch_major", "cuda") == str(path)


def test_without_compiler(monkeypatch):
    monkeypatch.setattr(_compiler, "available", lambda: False)
    with pytest.raises(rnn_mlir.Unavailable, match="GPU code of lstm unidirectional bf16 is compiled at its first use, and "
                                                   "there is no compiler: install rnn-mlir-compiler"):
        _variants._gpu_library_path("prebuilt:lstm unidirectional bf16", "cuda")
