# test_compile.py - rnn_mlir.compile: arguments, results, errors, and the cache. Skipped without the compiler.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import os
import pathlib
import pickle
import re
import subprocess
import sys
import threading
import types

import numpy as np
import pytest
import reference
import rnn_mlir
from exchanged import Exchanged
from rnn_mlir import _compiler, _dlpack

pytestmark = pytest.mark.skipif(not _compiler.available(), reason="no compiler (librnn-c.so)")

LAYER = """
func.func @layer(%x: tensor<?x2x4xf32>, %h: tensor<1x2x5xf32>, %p: tensor<165xf32>)
    -> (tensor<?x2x5xf32>, tensor<1x2x5xf32>) {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<?x2x4xf32>)
      state(%h : tensor<1x2x5xf32>) params(%p : tensor<165xf32>) {is_training = false}
  return %y, %hn : tensor<?x2x5xf32>, tensor<1x2x5xf32>
}
"""

MEMREFS = """
func.func @scale(%x: memref<?xf32>, %n: i64, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %f = arith.sitofp %n : i64 to f32
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.mulf %a, %f : f32
      linalg.yield %c : f32
  }
  return
}
func.func @add(%x: tensor<f64>, %k: f64) -> (tensor<f64>, f64, i1) {
  %v = tensor.extract %x[] : tensor<f64>
  %s = arith.addf %v, %k : f64
  %t = tensor.from_elements %s : tensor<f64>
  %b = arith.cmpf ogt, %s, %k : f64
  return %t, %s, %b : tensor<f64>, f64, i1
}
"""


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RNN_MLIR_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def make(steps=3):
    random = np.random.default_rng(0)
    return [random.standard_normal(s).astype(np.float32) for s in ((steps, 2, 4), (1, 2, 5), (165,))]


def test_results_are_arrays():
    layer = rnn_mlir.compile(LAYER)
    x, h, p = make()
    y, hn = layer(x, h, p=p)
    wanted = reference.forward("gru", 1, x.astype(np.float64), h.astype(np.float64), None, p.astype(np.float64))
    np.testing.assert_allclose(y, wanted[0], atol=1e-5)
    np.testing.assert_allclose(hn, wanted[1], atol=1e-5)
    assert "x: f32[?, 2, 4], h: f32[1, 2, 5]" in repr(layer)
    copy = y.copy()
    del hn
    layer(*make(5))  # the memory of a result belongs to it
    assert np.array_equal(y, copy)


def test_path_and_bytes(tmp_path):
    path = tmp_path / "layer.mlir"
    path.write_text(LAYER)
    operands = make()
    results = [rnn_mlir.compile(source)(*operands)[0] for source in (path, str(path), LAYER.encode())]
    assert np.array_equal(results[0], results[1]) and np.array_equal(results[0], results[2])
    other = tmp_path / "layer"  # with any name, if there is one
    other.write_text(LAYER)
    assert np.array_equal(results[0], rnn_mlir.compile(str(other))(*operands)[0])
    with pytest.raises(rnn_mlir.CompileError):
        rnn_mlir.compile(str(tmp_path / "missing"))


def test_bytecode(tmp_path):
    """Bytes, and a file with any name."""
    optimizer = pathlib.Path(os.path.realpath(_compiler.library()._name)).parent.parent / "bin" / "rnn-opt"
    if not optimizer.exists():
        pytest.skip("no rnn-opt beside the compiler")
    path = tmp_path / "layer.mlirbc"
    subprocess.run([optimizer, "-", "--emit-bytecode", "-o", path], input=LAYER.encode(), check=True)
    bytecode, operands = path.read_bytes(), make()
    assert bytecode.startswith(b"ML\xefR")
    wanted = rnn_mlir.compile(LAYER)(*operands)[0]
    for source in (path, str(path), bytecode):
        assert np.array_equal(rnn_mlir.compile(source)(*operands)[0], wanted)
    with pytest.raises(rnn_mlir.CompileError):
        rnn_mlir.compile(bytecode[:len(bytecode) // 2])
    # Bytecode has no names of arguments.
    layer, (x, h, p) = rnn_mlir.compile(bytecode), operands
    with pytest.raises(rnn_mlir.InvalidArgument, match="^argument 0 of `[a-z]+` must have elements of type f32, but got f64$"):
        layer(x.astype(np.float64), h, p)
    with pytest.raises(TypeError, match="has no argument `x`; it has no names of arguments"):
        layer(x=x)


def test_layouts_are_copied():
    layer = rnn_mlir.compile(LAYER)
    x, h, p = make()
    transposed = np.asfortranarray(x)
    assert not transposed.flags.c_contiguous
    assert np.array_equal(layer(transposed, h, p)[0], layer(x, h, p)[0])


def test_outputs_in_place():
    module = rnn_mlir.compile_module(MEMREFS)
    assert list(module) == ["scale", "add"]
    assert re.match(r"<rnn_mlir module /.*\n  <rnn_mlir function scale\(x: .*\n  <rnn_mlir function add\(.*>>$", repr(module))
    scale = module["scale"]
    assert [(a.name, a.read, a.written) for a in scale.inputs] == [("x", True, False), ("n", True, False),
                                                                  ("y", False, True)]
    x, y = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    assert scale(x, 3, y) is None
    assert np.array_equal(y, 3 * x)
    with pytest.raises(rnn_mlir.InvalidArgument, match="written by the function.*row-major"):
        scale(x, 3, np.zeros(10, np.float32)[::2])
    y.flags.writeable = False
    with pytest.raises(rnn_mlir.InvalidArgument, match="argument 2 .`y`. of `scale` is written.*read-only"):
        scale(x, 3, y)


def test_scalars():
    add = rnn_mlir.compile_module(MEMREFS)["add"]
    t, s, b = add(np.array(2.5), 1)
    assert t == 3.5 and s == 3.5 and b is True
    identity = rnn_mlir.compile("func.func @f(%x: i32) -> i32 { return %x : i32 }")
    assert identity(-2**31) == -2**31 and identity(True) == 1
    for value in (2**31, -2**31 - 1, 2**70):
        with pytest.raises(rnn_mlir.InvalidArgument, match=r"argument 0 .* must be a number of type i32, but got -?\d"):
            identity(value)
    flag = rnn_mlir.compile("func.func @f(%x: i1) -> i1 { return %x : i1 }")
    assert flag(True) is True and flag(0) is False
    with pytest.raises(rnn_mlir.InvalidArgument, match="must be a number of type i1, but got 'no'"):
        flag("no")


def test_wrong_arguments():
    layer = rnn_mlir.compile(LAYER)
    x, h, p = make()
    for arguments, message in (((x, h), "expects 3 arguments, but got 2"),
                               ((x.astype(np.float64), h, p), "`x`.* must have elements of type f32, but got f64"),
                               (([1], h, p), "must be a NumPy array or have `__dlpack__`, but got list"),
                               ((x[:, :1].copy(), h, p), "dim 1 must be 2"),
                               ((x.astype(x.dtype.newbyteorder()), h, p), "`x`.* which compiled code does not have; convert it to float32"),
                               ((x.reshape(x.shape + (1,) * 7), h, p), "10 dimensions; compiled code has at most 8")):
        with pytest.raises(rnn_mlir.InvalidArgument, match=message):
            layer(*arguments)
    with pytest.raises(TypeError, match="has no argument `q`"):
        layer(x, h, q=p)
    with pytest.raises(TypeError, match="lacks argument `p`"):
        layer(x, h=h)
    with pytest.raises(TypeError, match="got argument `x` twice"):
        layer(x, h, x=p)
    layer(x, h, p)


@pytest.mark.parametrize("options", ({}, {"target": "simt"}), ids=("host", "simt"))
def test_sizes_that_differ(options):
    """Of ops outside of the rnn dialect: code would access memory out of bounds."""
    module = rnn_mlir.compile_module("""
        func.func @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
          %0 = arith.addf %x, %y : tensor<?xf32>
          return %0 : tensor<?xf32>
        }
        func.func @multiply(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> {
          %0 = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
          return %0 : tensor<?x?xf32>
        }
        func.func @buffers(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<4xf32>) {
          linalg.add ins(%x, %y : memref<?xf32>, memref<?xf32>) outs(%z : memref<4xf32>)
          return
        }""", **options)

    def ones(*shape):
        return np.ones(shape, np.float32)
    for name, shapes, message in (
            ("add", ((64,), (1,)), r"'arith.addf' op expects dim 0 of argument 1 \(`y`\) to be dim 0 of argument 0 \(`x`\): expected 64, but got 1"),
            ("add", ((1,), (64,)), "expected 1, but got 64"),
            ("multiply", ((2, 3), (4, 2), (2, 2)), r"'linalg.matmul' op expects dim 0 of argument 1 \(`y`\) to be dim 1 of argument 0 \(`x`\)"),
            ("multiply", ((2, 3), (3, 2), (2, 1)), r"dim 1 of argument 2 \(`z`\) to be dim 1 of argument 1 \(`y`\): expected 2, but got 1"),
            ("buffers", ((4,), (5,), (4,)), r"argument 1 \(`y`\) .* expected 4, but got 5"),
            ("buffers", ((5,), (5,), (4,)), r"argument 0 \(`x`\) to be dim 0 of operand 2: expected 4, but got 5")):
        with pytest.raises(rnn_mlir.InvalidArgument, match=message):
            module[name](*[ones(*shape) for shape in shapes])
    result = ones(4)
    with pytest.raises(rnn_mlir.InvalidArgument):
        module["buffers"](ones(5), ones(5), result)
    assert np.array_equal(result, ones(4))  # nothing has run
    module["buffers"](ones(4), ones(4), result)
    assert np.array_equal(result, 2 * ones(4))
    assert np.array_equal(module["add"](ones(3), ones(3)), 2 * ones(3))
    assert np.array_equal(module["multiply"](ones(2, 3), ones(3, 2), ones(2, 2)), 4 * ones(2, 2))


def test_diagnostics():
    text = LAYER.replace("tensor<165xf32>", "tensor<164xf32>")
    with pytest.raises(rnn_mlir.CompileError) as caught:
        rnn_mlir.compile(text)
    error = caught.value
    assert error.diagnostics[0].severity == "error" and "165" in error.diagnostics[0].message
    assert (error.line, error.column) == (4, 17) and f"<string>:{error.line}:{error.column}: error:" in str(error)
    with pytest.raises(rnn_mlir.CompileError) as caught:
        rnn_mlir.compile("func.func @f() {\n  return 1\n}\n")
    assert caught.value.line == 2
    with pytest.raises(TypeError, match="unknown option `speed`"):
        rnn_mlir.compile(LAYER, speed=1)
    with pytest.raises(ValueError, match="unknown target `gpu`; expected one of host, cuda, simt"):
        rnn_mlir.compile(LAYER, target="gpu")
    with pytest.raises(rnn_mlir.CompileError, match="unknown cpu `z80`"):
        rnn_mlir.compile(LAYER, cpu="z80")
    for name, value, message in (("vector_bits", 2**32 + 256, r"integer in \[0, 2\*\*32\), but got 4294967552"),
                                 ("vector_bits", "wide", "integer in .* but got 'wide'"),
                                 ("optimization_level", True, "integer in .* but got True"),
                                 ("tf32", "no", "tf32 expects True or False, but got 'no'"),
                                 ("device", 5, "device expects a text, but got int")):
        with pytest.raises((TypeError, ValueError), match=message):
            rnn_mlir.compile(LAYER, **{name: value})
    for source in (5, None, []):
        with pytest.raises(TypeError, match="a module is text, bytes or the path of a file, but got"):
            rnn_mlir.compile(source)
    for source in ("", "module {}", "func.func private @f()"):
        with pytest.raises(rnn_mlir.InvalidArgument, match="has no public function to call"):
            rnn_mlir.compile(source)
    with pytest.raises(KeyError, match="2 public functions, scale, add, and none is `main`; pass the name of one as `function`"):
        rnn_mlir.compile(MEMREFS)
    with pytest.raises(KeyError, match="no public function `main`; it has layer"):
        rnn_mlir.compile(LAYER, function="main")
    with pytest.raises(rnn_mlir.CompileError, match="optimization_level is 9; expected a value from 0 to 3"):
        rnn_mlir.compile(LAYER, optimization_level=9)
    with pytest.raises(TypeError, match="unknown option `triple`"):  # the library runs here
        rnn_mlir.compile(LAYER, triple="aarch64-linux-gnu")


def test_cache():
    first = rnn_mlir.compile_module(LAYER).path
    assert rnn_mlir.compile_module(LAYER).path == first
    assert rnn_mlir.compile_module(LAYER, lowering="runtime").path != first
    assert rnn_mlir.load(first, function="layer").name == "layer"


@pytest.mark.parametrize("options", ({"lowering": "runtime"}, {"target": "simt", "lowering": "fused"}))
def test_other_lowerings_agree(options):
    operands = make()
    np.testing.assert_allclose(rnn_mlir.compile(LAYER, **options)(*operands)[0],
                               rnn_mlir.compile(LAYER)(*operands)[0], atol=1e-5)


def test_threads():
    layer = rnn_mlir.compile(LAYER)
    operands, results = make(50), []
    threads = [threading.Thread(target=lambda: results.append(layer(*operands)[0])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8 and all(np.array_equal(r, results[0]) for r in results)


@contextlib.contextmanager
def by_views(function):
    """Calls of a function in this scope must be made by Views.c."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(function, "_call_any", lambda arguments: pytest.fail("Views.c did not take the arguments"))
        yield


def test_dlpack():
    layer = rnn_mlir.compile(LAYER)
    operands = make()
    wanted = layer(*operands)[0]
    assert np.array_equal(layer(*map(Exchanged, operands))[0], wanted)
    scale = rnn_mlir.compile_module(MEMREFS)["scale"]
    y = np.zeros(5, np.float32)
    scale(Exchanged(np.ones(5, np.float32)), 2, Exchanged(y))
    assert np.array_equal(y, np.full(5, 2, np.float32))


COPY = """func.func @copy(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  memref.copy %x, %y : memref<?x?xf32> to memref<?x?xf32>
  return
}"""


def test_numpy_scalars():
    scale = rnn_mlir.compile("""
        func.func @main(%x: tensor<3xf32>, %factor: tensor<f32>) -> tensor<3xf32> {
          %empty = tensor.empty() : tensor<3xf32>
          %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
                               iterator_types = ["parallel"]}
              ins(%x, %factor : tensor<3xf32>, tensor<f32>) outs(%empty : tensor<3xf32>) {
          ^bb0(%a: f32, %b: f32, %old: f32):
            %p = arith.mulf %a, %b : f32
            linalg.yield %p : f32
          } -> tensor<3xf32>
          return %y : tensor<3xf32>
        }""")
    x = np.arange(3, dtype=np.float32)
    for _ in range(3):
        assert np.array_equal(scale(x, np.float32(2)), 2 * x)
    for bad, message in ((np.float64(2), "type f32, but got f64"), (2.0, "must be a NumPy array")):
        with pytest.raises(rnn_mlir.InvalidArgument, match=message):
            scale(x, bad)


def test_dlpack_in_place():
    """Views.c reads the tensors."""
    copy = rnn_mlir.compile(COPY)
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.zeros((2, 3), np.float32)
    with by_views(copy):
        for _ in range(3):
            y[:] = 0
            copy(Exchanged(x), Exchanged(y))
            assert np.array_equal(x, y)
        copy(x, Exchanged(y))
    frozen = x.copy()
    frozen.flags.writeable = False
    for bad, message in ((Exchanged(x.T), "row-major"), (Exchanged(x.astype(np.float64)), "type f32, but got f64"),
                         (Exchanged(x.astype(np.int32)), "type f32, but got i32"), (frozen, "read-only"),
                         (object(), "must be a NumPy array or have `__dlpack__`")):
        with pytest.raises(rnn_mlir.InvalidArgument, match=message):
            copy(Exchanged(x), bad)

    class Failing(Exchanged):
        def __dlpack__(self, **options):
            raise RuntimeError("no tensor today")

    class Interrupted(Exchanged):
        def __dlpack__(self, **options):
            raise KeyboardInterrupt

    for kind, error in ((Failing, RuntimeError), (Interrupted, KeyboardInterrupt)):
        with pytest.raises(error):
            copy(kind(x), Exchanged(y))
    copy._views = None
    y[:] = 0
    copy(Exchanged(x), Exchanged(y))
    assert np.array_equal(x, y)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64", "i1", "i8", "i16", "i32", "i64"])
def test_arrays_by_both_paths(dtype):
    """Views.c and the general path take the same arrays of NumPy, and refuse the same."""
    if dtype == "bf16":
        pytest.importorskip("ml_dtypes")
    copy = rnn_mlir.compile(COPY.replace("f32", dtype))
    numpy_dtype = _dlpack.to_numpy_dtype(dtype)
    x = (np.arange(6) % 2).astype(numpy_dtype).reshape(2, 3)
    frozen = x.copy()
    frozen.flags.writeable = False
    swapped = x.astype(x.dtype.newbyteorder()) if x.itemsize > 1 and dtype != "bf16" else x.astype(np.complex64)
    refused = [(swapped, "elements of"), (x[..., None].repeat(2, 2), "rank"), (x.astype(np.complex64), "elements of")]
    views = copy._views
    assert views
    # Equal types are not always one object.
    same = [x, frozen, x[:0], pickle.loads(pickle.dumps(x))]
    same += [x.astype(np.longlong)] * (dtype == "i64") + [x.astype(np.uint16)] * (dtype == "i16")
    with by_views(copy):
        for source in same:
            y = np.zeros_like(source)
            copy(source, y)
            assert np.array_equal(source, y)
    for copy._views in (views, None):
        for source in (*same[:4], x.T, x[:, ::2], x.view(type("Subclass", (np.ndarray,), {}))):
            y = np.zeros(source.shape, numpy_dtype)
            copy(source, y)
            assert np.array_equal(source, y)
        for bad, message in refused:
            with pytest.raises(rnn_mlir.InvalidArgument, match=message):
                copy(bad, np.zeros((2, 3), numpy_dtype))
        for bad, message in [(frozen, "read-only"), (x.T, "row-major"), *refused]:
            with pytest.raises(rnn_mlir.InvalidArgument, match=message):
                copy(x, bad)


ALIAS = """func.func @alias(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7.0 : f32
  memref.store %c7, %y[%c0] : memref<?xf32>
  %v = memref.load %x[%c0] : memref<?xf32>
  memref.store %v, %z[%c0] : memref<?xf32>
  return
}"""


def test_inputs_are_not_copied():
    """A write to `y` changes `x`, which has the same memory."""
    alias = rnn_mlir.compile(ALIAS)
    views = alias._views
    for alias._views in (views, None):
        for make_tensor in (lambda a: a, Exchanged, getattr(sys.modules.get("torch"), "from_numpy", Exchanged)):
            x, z = np.zeros(3, np.float32), np.zeros(1, np.float32)
            alias(*map(make_tensor, (x, x, z)))
            assert z[0] == 7 and x[0] == 7


def test_cupy_on_the_host(monkeypatch):
    """Results are made by the library of the first tensor: here of a stand-in for CuPy with memory of the host."""
    class Array(Exchanged):
        __module__ = "cupy._core.core"

    made = []
    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(
        from_dlpack=lambda result: made.append(result) or Array(np.from_dlpack(result))))
    layer, operands = rnn_mlir.compile(LAYER), make()
    wanted = layer(*operands)[0]
    with by_views(layer):
        y, hn = layer(*map(Array, operands))
    layer._views = None
    for result in (y, layer(*map(Array, operands))[0]):
        assert isinstance(result, Array) and np.array_equal(result.array, wanted)
    assert len(made) == 4


def test_torch():
    torch = pytest.importorskip("torch")
    layer = rnn_mlir.compile(LAYER)
    operands = make()
    y, hn = layer(*map(torch.from_numpy, operands))
    assert isinstance(y, torch.Tensor) and np.array_equal(y.numpy(), layer(*operands)[0])
    copy = rnn_mlir.compile(COPY)
    x, y = torch.arange(6.0).reshape(2, 3), torch.zeros(2, 3)
    copy(x, y)
    assert torch.equal(x, y)
    copy(x.t(), torch.zeros(3, 2))  # another layout is copied first
    with pytest.raises(rnn_mlir.InvalidArgument, match="row-major"):
        copy(x, torch.zeros(3, 2).t())
    with pytest.raises(rnn_mlir.InvalidArgument, match="elements of type f32, but got f64"):
        copy(x.double(), y)
    # Views whose values are not those in memory, in all places.
    negative = torch.complex(torch.zeros(2, 3), x).conj().imag
    assert negative.is_neg()
    for arguments in ((negative, y), (x, negative), (np.ones((2, 3), np.float32), negative)):
        with pytest.raises(rnn_mlir.InvalidArgument, match="argument . .* is not accepted: .*resolve_neg"):
            copy(*arguments)
    copy(negative.resolve_neg(), y)
    assert torch.equal(y, negative)
    for wrong in (x.clone().requires_grad_(), x.to("meta"), x.to_sparse()):
        with pytest.raises(rnn_mlir.InvalidArgument, match="argument 0 .* is not accepted: a Tensor cannot be read by DLPack"):
            copy(wrong, y)
