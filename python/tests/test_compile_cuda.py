# test_compile_cuda.py - functions of target cuda on device tensors of another library, with the fakes of driver and cuDNN:
# streams, ordering and results. In a process of its own, whose driver is the fake.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys

import pytest
from fakes import fakes
from rnn_mlir import _compiler

PROGRAM = """
import ctypes, re, sys
import numpy as np
import rnn_mlir
from rnn_mlir import _dlpack, _runtime

fake = ctypes.CDLL(sys.argv[1] + "/libcuda.so.1")
fake.fake_cuda_log.restype = fake.fake_cuda_misuse.restype = ctypes.c_char_p

def make_stream():
    stream = ctypes.c_void_p()
    assert not fake.cuStreamCreate(ctypes.byref(stream), 1)
    return stream.value

context = ctypes.c_void_p()
fake.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
fake.cuCtxPushCurrent_v2(context)
streams = [make_stream(), make_stream()]  # 1 and 2

new_capsule = ctypes.PyDLL(None).PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

def log():
    text = fake.fake_cuda_log().decode()
    fake.fake_cuda_reset()
    return text

class Tensor:
    "An array of a library whose device memory is host memory."
    def __init__(self, array):
        self.array, self.streams = array, []
    def __dlpack_device__(self):
        return 2, 0
    def __dlpack__(self, *, stream=None, **_):
        self.streams.append(stream)
        code, bits = _dlpack._TO_CODE[{"float32": "f32"}[self.array.dtype.name]]
        shape = (ctypes.c_int64 * self.array.ndim)(*self.array.shape)
        self.kept = shape, _dlpack._Managed(_dlpack.DLTensor(self.array.ctypes.data, 2, 0, self.array.ndim, code, bits, 1,
                                                             shape, None, 0), None, None)
        return new_capsule(ctypes.addressof(self.kept[1]), b"dltensor", None)

TEXT = '''func.func @main(%x: tensor<3x2x4xf32>, %h: tensor<1x2x5xf32>, %p: tensor<165xf32>) -> tensor<3x2x5xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x4xf32>) state(%h : tensor<1x2x5xf32>)
      params(%p : tensor<165xf32>) {is_training = false}
  return %y : tensor<3x2x5xf32>
}'''
layer = rnn_mlir.compile(TEXT, target="cuda", lowering="runtime")
arrays = [np.sin(np.arange(n, dtype="f")).reshape(s) for n, s in ((24, (3, 2, 4)), (10, (1, 2, 5)), (165, 165))]
want = rnn_mlir.compile(TEXT, lowering="runtime")(*arrays)

def read(result):
    capsule = result.__dlpack__(stream=-1)
    tensor = _dlpack._Managed.from_address(_dlpack._get_pointer(capsule, b"dltensor")).tensor
    assert (tensor.device_type, tensor.device_id, tensor.data) == (2, 0, result._owner.data)
    return np.ctypeslib.as_array((ctypes.c_float * 30).from_address(tensor.data)).reshape(3, 2, 5).copy()

# Without a stream, the call has one of its own and waits.
tensors = [Tensor(a) for a in arrays]
result = layer(*tensors)
assert result.__dlpack_device__() == (2, 0)
np.testing.assert_allclose(read(result), want, rtol=0, atol=1e-6)
own = tensors[0].streams[0]
assert own not in (None, *streams) and "cuStreamSynchronize" in log()

# On a stream of the program, nothing waits, and the producers get that stream.
with rnn_mlir.cuda_stream(streams[0]):
    layer(*tensors)  # the first call on this stream
    fake.fake_cuda_reset()
    first, result = result, layer(*tensors)  # to free the first result would wait
text = log()
assert "Synchronize" not in text, text
assert all(s == streams[0] for t in tensors for s in t.streams[1:]), [t.streams for t in tensors]
assert set(re.findall("stream=([0-9]+)", text)) == {"1"} and "cuEventRecord stream=1" in text, text
np.testing.assert_allclose(read(result), want, rtol=0, atol=1e-6)
assert log() == ""  # stream=-1 orders nothing

# Consumers on other streams wait for the stream of the call, on the device.
result.__dlpack__(stream=streams[0])
assert log() == ""
result.__dlpack__(stream=streams[1])
assert log() == "cuStreamWaitEvent stream=2\\n"
result.__dlpack__()  # the legacy default stream
assert log() == "cuStreamWaitEvent stream=0\\n"

# A capsule without a consumer frees its share.
def live_blocks():
    stats = (ctypes.c_int64 * 3)()
    _runtime.library().rnnrt_memory_stats.argtypes = [ctypes.c_void_p] * 2
    _runtime.check(_runtime.library().rnnrt_memory_stats(_runtime._device("cuda:0"), stats))
    return stats[2]
capsule, count = result.__dlpack__(max_version=(1, 0)), live_blocks()
del result
assert live_blocks() == count
del capsule
assert live_blocks() == count - 1

# A result as an argument needs no capsule. It orders the streams.
step = rnn_mlir.compile(TEXT.replace("-> tensor<3x2x5xf32>", "-> tensor<1x2x5xf32>").replace(
    "return %y : tensor<3x2x5xf32>", "return %hn : tensor<1x2x5xf32>"), target="cuda", lowering="runtime")
state = tensors[1]
for _ in range(3):
    with rnn_mlir.cuda_stream(streams[0]):
        state = step(tensors[0], state, tensors[2])
log()
with rnn_mlir.cuda_stream(streams[1]):
    state = step(tensors[0], state, tensors[2])
assert "cuStreamWaitEvent stream=2" in log()

# The default stream of CUDA, and the end of the scope.
with rnn_mlir.cuda_stream(0):
    for t in tensors:
        t.streams.clear()
    layer(*tensors)
assert all(t.streams == [1] for t in tensors), [t.streams for t in tensors]
layer(*tensors)
assert all(t.streams[-1] == own for t in tensors)

# CuPy's current stream, if all tensors are CuPy's, whose results are made by it.
import types
class Array(Tensor):
    __module__ = "cupy._core.core"
current = make_stream()
made = []
sys.modules["cupy"] = types.SimpleNamespace(
    cuda=types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=current)),
    from_dlpack=lambda result: made.append(result) or result)
given = [Array(a) for a in arrays]
layer(*given)  # the first call on this stream
log()
result = layer(*given)
text = log()
assert [t.streams for t in given] == [[current, current]] * 3 and made[1:] == [result]
assert "Synchronize" not in text and len(set(re.findall("stream=([0-9]+)", text))) == 1, text
layer(given[0], *tensors[1:])
assert given[0].streams[-1] == own

# A stream of another GPU.
fake.fake_cuda_set_devices(2)
other = ctypes.c_void_p()
fake.cuDevicePrimaryCtxRetain(ctypes.byref(other), 1)
fake.cuCtxPushCurrent_v2(other)
foreign = make_stream()
fake.cuCtxPopCurrent_v2(ctypes.byref(other))
try:
    with rnn_mlir.cuda_stream(foreign):
        layer(*tensors)
except rnn_mlir.InvalidArgument as error:
    assert "another GPU or context" in str(error), error
else:
    raise AssertionError("a stream of another GPU was accepted")
try:
    layer(tensors[0], arrays[1], tensors[2])
except rnn_mlir.InvalidArgument as error:
    assert "must be in device memory, but is on host" in str(error), error
else:
    raise AssertionError("an array in host memory was accepted")
assert not fake.fake_cuda_misuse(), fake.fake_cuda_misuse()
"""


@pytest.mark.skipif(not _compiler.available(), reason="needs the compiler")
def test_streams():
    folder = fakes()
    if not folder:
        pytest.skip("needs the fake driver of the build tree")
    done = subprocess.run([sys.executable, "-c", PROGRAM, folder], capture_output=True, text=True,
                          env=dict(os.environ, RNNRT_CUDA_PATH=folder, RNNRT_CUDNN_PATH=folder))
    assert done.returncode == 0, done.stdout + done.stderr
