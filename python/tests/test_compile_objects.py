# test_compile_objects.py - compiled functions as objects: copies in other processes, results at the end of the interpreter,
# tensors without row-major elements, and wrong arguments. Skipped without the compiler.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import copy
import ctypes
import gc
import multiprocessing
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import rnn_mlir
from exchanged import Exchanged
from rnn_mlir import _compiler, _dlpack, _runtime, modules

pytestmark = pytest.mark.skipif(not _compiler.available(), reason="no compiler (librnn-c.so)")

IDENTITY = "func.func @f(%x: tensor<?x?x{0}>) -> tensor<?x?x{0}> {{ return %x : tensor<?x?x{0}> }}"
INVALID = "func.func @f() {\n  return 1\n}\n"


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RNN_MLIR_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def compile_invalid(_):
    rnn_mlir.compile(INVALID)


def test_errors_in_other_processes():
    with pytest.raises(rnn_mlir.CompileError) as caught:
        rnn_mlir.compile(INVALID)
    for again in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        assert type(again) is rnn_mlir.CompileError and str(again) == str(caught.value)
        assert (again.diagnostics, again.line, again.code) == (caught.value.diagnostics, 2, "INVALID_ARGUMENT")
    for kind in (rnn_mlir.Error, rnn_mlir.InvalidArgument, rnn_mlir.Unavailable):
        again = pickle.loads(pickle.dumps(kind("text", "UNAVAILABLE")))
        assert (type(again), str(again), again.code) == (kind, "text", "UNAVAILABLE")
    # A pool waits for ever for an exception that it cannot unpickle.
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        with pytest.raises(rnn_mlir.CompileError, match="<string>:2"):
            pool.map_async(compile_invalid, [0]).get(60)


def test_functions_in_other_processes():
    x = np.ones((2, 3), np.float32)
    module = rnn_mlir.compile_module(IDENTITY.format("f32"))
    function = module["f"]
    assert copy.deepcopy(function) is function and copy.copy(function) is function
    assert copy.deepcopy(module) is module and copy.copy(module) is module
    assert np.array_equal(pickle.loads(pickle.dumps(function))(x), x)
    assert np.array_equal(pickle.loads(pickle.dumps(module))["f"](x), x)
    simt = rnn_mlir.compile(IDENTITY.format("f32"), target="simt")
    assert pickle.loads(pickle.dumps(simt))._device == "simt"
    program = "import pickle, sys, numpy; print(pickle.load(sys.stdin.buffer)(numpy.ones((2, 3), 'f')).shape)"
    done = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(function), capture_output=True)
    assert done.stdout == b"(2, 3)\n", done.stderr


@pytest.mark.parametrize("library, make", (("torch", "torch.ones(2, 3)"), ("jax", "jax.numpy.ones((2, 3), 'f')")))
def test_results_at_the_end_of_the_interpreter(library, make, tmp_path):
    """Results are released after the modules of this package."""
    pytest.importorskip(library)
    (tmp_path / "kept.py").write_text(f"""
import rnn_mlir
f = rnn_mlir.compile('''{IDENTITY.format("f32")}''')
class Model:
    state = None
    def run(self, x):
        Model.state = f(x if Model.state is None else Model.state)
        return Model.state
""")
    program = (f"import kept, rnn_mlir, {library}\nresult = kept.Model().run({make})\n{library}.kept = kept.f({make})\n"
               f"import builtins, sys\nbuiltins.kept = kept.f({make})\nsys.modules['rnn_mlir._dlpack'].kept = kept.f({make})\n"
               "print(tuple(result.shape))")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "(2, 3)\n", "")


def test_layouts_of_other_libraries():
    for dtype, name in ((np.float32, "f32"), (np.float16, "f16"), (np.int8, "i8"), (np.int64, "i64")):
        function = rnn_mlir.compile(IDENTITY.format(name))
        x = (np.arange(24).reshape(4, 6) % 5).astype(dtype)
        for view in (x.T, x[::2, ::3], x[::-1, ::-1], np.broadcast_to(x[:1], (3, 6)), x[:0].T):
            result = np.from_dlpack(function(Exchanged(view))) if view.flags.writeable else function(view)
            assert np.array_equal(result, view), (name, view.strides)


def test_layouts_of_torch():
    torch = pytest.importorskip("torch")
    for dtype, name in ((torch.bfloat16, "bf16"), (torch.float32, "f32"), (torch.int64, "i64")):
        function = rnn_mlir.compile(IDENTITY.format(name))
        x = torch.arange(24).reshape(4, 6).to(dtype)
        for view in (x.t(), x[::2, ::3], x[:1].expand(3, 6), x[:0].t()):
            result = function(view)
            assert result.dtype == dtype and torch.equal(result, view), (name, view.stride())


def test_argument_named_self():
    x = np.ones((2, 3), np.float32)
    text = "func.func @f(%self: tensor<?x?xf32>) -> tensor<?x?xf32> { return %self : tensor<?x?xf32> }"
    assert np.array_equal(rnn_mlir.compile(text)(self=x), x)


def test_number_of_pointers():
    """A call must not use the pointers of the previous one."""
    layer = modules.load("gru")
    arrays = [np.ones(shape, np.float32) for shape in ((3, 2, 4), (1, 2, 5), (165,), (3, 2, 5), (1, 2, 5))]
    pointers = [a.ctypes.data for a in arrays]
    bound = layer.inference.bind([a.shape for a in arrays])
    bound(*pointers)
    arrays[3][:] = 0
    for given in (pointers[:2], pointers + pointers[:1], []):
        with pytest.raises(rnn_mlir.InvalidArgument, match=f"`inference` expects 5 pointers, but got {len(given)}"):
            bound(*given)
    assert not arrays[3].any()
    bound(*pointers)
    assert arrays[3].any()


def test_scalars_and_options():
    for dtype in ("i1", "i32", "f32"):
        function = rnn_mlir.compile(f"func.func @f(%x: {dtype}) -> {dtype} {{ return %x : {dtype} }}")
        assert function(np.array(1)) == 1
        for value in (np.array([1, 2]), np.array([1]), np.array([])):
            with pytest.raises(rnn_mlir.InvalidArgument, match=rf"must be a number of type {dtype}, but got ndarray of shape \("):
                function(value)
    assert rnn_mlir.compile(IDENTITY.format("f32"), vector_bits=np.int64(256)).name == "f"


def test_float64_is_not_bf16_without_ml_dtypes(monkeypatch):
    """NumPy takes None for float64."""
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(_dlpack, "numpy_bfloat16", lambda: None)
    for dtype, expected in ((np.float64, torch.float64), (np.uint16, torch.bfloat16), (np.float32, torch.float32)):
        assert _dlpack.array_like(np.ones(3, dtype), torch.ones(1)).dtype == expected


@pytest.fixture
def results(monkeypatch):
    """Compiled functions return objects of this package."""
    monkeypatch.setattr(_dlpack, "like", lambda result, example: result)
    monkeypatch.setattr(_dlpack, "shared_array", _dlpack.Result)


def live_bytes():
    gc.collect()  # results of other tests
    library = _runtime.library()
    library.rnnrt_memory_live_bytes.restype = ctypes.c_int64
    return library.rnnrt_memory_live_bytes()


@pytest.mark.parametrize("failing", (0, 1, 2))
def test_memory_of_results_that_cannot_be_shared(failing, results, monkeypatch):
    three = rnn_mlir.compile("""func.func @three(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
      %a = arith.addf %x, %x : tensor<2xf32>
      %b = arith.mulf %x, %x : tensor<2xf32>
      %c = arith.negf %x : tensor<2xf32>
      return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    }""")
    x, made, shared = np.array([1, 2], np.float32), [], _runtime.Shared
    assert [v.numpy().tolist() for v in three(x)] == [[2, 4], [1, 4], [-1, -2]]
    before = live_bytes()

    def share(tensor):
        made.append(tensor)
        if len(made) == failing + 1:
            _runtime.library().rnnrt_tensor_release(ctypes.byref(tensor))
            raise MemoryError("share")
        return shared(tensor)

    monkeypatch.setattr(_runtime, "Shared", share)
    with pytest.raises(MemoryError):
        three(x)
    gc.collect()
    assert live_bytes() == before


def test_result_as_argument(results):
    function = rnn_mlir.compile(IDENTITY.format("f32"))
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    result = function(function(x))
    assert isinstance(result, _dlpack.Result) and np.array_equal(result.numpy(), x)


@pytest.mark.parametrize("version", (None, (0, 8), (1, 0), (2, 0)))
def test_capsules_without_consumers(version, results):
    before = live_bytes()
    function = rnn_mlir.compile(IDENTITY.format("f32"))
    result = function(np.ones((2, 3), np.float32))
    capsule = result.__dlpack__(max_version=version)
    assert ("dltensor_versioned" in repr(capsule)) == bool(version and version[0]), capsule
    del result
    assert live_bytes() == before + 24
    del capsule
    assert live_bytes() == before


def test_consumers(results):
    before = live_bytes()
    for dtype, name in ((np.float32, "f32"), (np.float16, "f16"), (np.int8, "i8"), (np.int64, "i64"), (np.float64, "f64")):
        function = rnn_mlir.compile(IDENTITY.format(name))
        for x in (np.arange(6).reshape(2, 3).astype(dtype), np.zeros((0, 3), dtype), np.zeros((3, 0), dtype)):
            result = function(x)
            again = np.from_dlpack(result)
            assert again.dtype == dtype and np.array_equal(again, x) and np.array_equal(result.numpy(), x)
            if x.size:
                assert again.ctypes.data == result.numpy().ctypes.data
            for refused in ({"copy": True}, {"dl_device": (2, 0)}):
                with pytest.raises(BufferError, match="copy"):
                    result.__dlpack__(**refused)
            result.__dlpack__(dl_device=(1, 0), copy=False)
            del result, again
    assert live_bytes() == before


# The consumer's code frees the result when the process exits, after the interpreter: __cxa_atexit registers the deleter.
EXIT = f"""
import ctypes, sys
import numpy as np
import rnn_mlir
from rnn_mlir import _dlpack
result = []
_dlpack.shared_array = lambda *made: result.append(_dlpack.Result(*made))
rnn_mlir.compile('''{IDENTITY.format("f32")}''')(np.ones((2, 3), np.float32))
version = eval(sys.argv[1])
capsule, name = result[0].__dlpack__(max_version=version), b"dltensor_versioned" if version else b"dltensor"
address = _dlpack._get_pointer(capsule, name)
rename = ctypes.PyDLL(None).PyCapsule_SetName
rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
used = b"used_" + name
rename(capsule, used)
managed = (_dlpack._Versioned if version else _dlpack._Managed).from_address(address)
ctypes.CDLL(None).__cxa_atexit(ctypes.c_void_p(managed.deleter), ctypes.c_void_p(address), None)
"""


@pytest.mark.parametrize("version", ("None", "(1, 0)"))
def test_consumer_frees_after_the_interpreter(version):
    done = subprocess.run([sys.executable, "-c", EXIT, version], capture_output=True, text=True,
                          env={**os.environ, "RNNRT_TRACE": "memory"})
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == "rnnrt,memory,free,compiled,24,0", done.stderr


def test_results_that_cannot_be_converted():
    """The other results are freed."""
    x, before = np.ones(6, np.float32), live_bytes()
    text = """func.func @f(%x: tensor<6xf32>, %k: f32) -> (f16, tensor<6xf32>) {
      %h = arith.truncf %k : f32 to f16
      return %h, %x : f16, tensor<6xf32>
    }"""
    with pytest.raises(rnn_mlir.InvalidArgument, match="a result of type f16 is no number of Python"):
        rnn_mlir.compile(text)(x, 2.0)
    assert live_bytes() == before


def test_unaligned_data(results):
    """The error has the rule, the address and the remedy."""
    identity = rnn_mlir.compile(IDENTITY.format("f32"))
    copy_to = rnn_mlir.compile("""func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
      memref.copy %x, %y : memref<?x?xf32> to memref<?x?xf32>
      return
    }""")
    x = np.frombuffer(bytearray(25), np.float32, offset=1).reshape(2, 3)
    assert x.flags.c_contiguous and not x.flags.aligned
    address = f"0x{x.ctypes.data:x}"
    message = (rf"argument 0 \(`x`\) of `f`: the address of the data must be a multiple of 4, the bytes of an element f32, "
               f"but is {address}; copy the tensor to aligned memory")
    for call in (lambda: identity(x), lambda: identity(Exchanged(x)), lambda: copy_to(x, np.zeros((2, 3), np.float32)),
                 lambda: copy_to(Exchanged(x), Exchanged(np.zeros((2, 3), np.float32)))):
        with pytest.raises(rnn_mlir.InvalidArgument, match=message):
            call()
    assert np.array_equal(identity(x.copy()).numpy(), x)
