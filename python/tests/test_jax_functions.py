# test_jax_functions.py - functions of rnn_mlir.compile in programs of JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import functools
import os
import re
import resource
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("jax.ffi")

import jax.numpy as jnp  # noqa: E402
import rnn_mlir  # noqa: E402
import rnn_mlir.jax as rnn  # noqa: E402
from jax.sharding import NamedSharding, PartitionSpec  # noqa: E402
from jax_problems import lax_reference, loss, problem  # noqa: E402
from rnn_mlir import _compiler, _dlpack, modules  # noqa: E402
from rnn_mlir.jax import _eager  # noqa: E402

T, B, I, H = 5, 3, 4, 6
X, S, Y, P = (f"tensor<{shape}xf64>" for shape in (f"{T}x{B}x{I}", f"1x{B}x{H}", f"{T}x{B}x{H}", "216"))
#: Both passes of a GRU.
GRU = f"""
func.func @forward(%x: {X}, %h: {S}, %p: {P}) -> ({Y}, {S}, tensor<?xi8>) {{
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : {X}) state(%h : {S}) params(%p : {P})
  return %y, %hn, %r : {Y}, {S}, tensor<?xi8>
}}
func.func @backward(%x: {X}, %h: {S}, %p: {P}, %y: {Y}, %hn: {S}, %r: tensor<?xi8>, %dy: {Y}, %dhn: {S}) -> ({X}, {S}, {P}) {{
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : {X}) state(%h : {S}) params(%p : {P}) output(%y, %hn : {Y}, {S})
      grads(%dy, %dhn : {Y}, {S}) reserve(%r : tensor<?xi8>)
  return %dx, %dh, %dp : {X}, {S}, {P}
}}"""
#: The forward pass for any B, which the operands must agree about.
LAYER = f"""
func.func @f(%x: tensor<{T}x?x{I}xf64>, %h: tensor<1x?x{H}xf64>, %p: {P}) -> tensor<{T}x?x{H}xf64> {{
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<{T}x?x{I}xf64>) state(%h : tensor<1x?x{H}xf64>) params(%p : {P})
      {{is_training = false}}
  return %y : tensor<{T}x?x{H}xf64>
}}"""
#: Writes to its second argument.
WRITTEN = """
func.func @f(%x: tensor<2x3xf32>, %y: memref<2xf32>) -> (tensor<2x3xf32>, tensor<f32>) {
  %c = arith.constant 0.0 : f32
  linalg.fill ins(%c : f32) outs(%y : memref<2xf32>)
  %0 = tensor.from_elements %c : tensor<f32>
  return %x, %0 : tensor<2x3xf32>, tensor<f32>
}"""
WIDENED = """
func.func @f(%x: tensor<?xf32>) -> tensor<?xf64> {
  %0 = arith.extf %x : tensor<?xf32> to tensor<?xf64>
  return %0 : tensor<?xf64>
}"""
SUM = """
func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}"""

LINEAR = """
func.func @f(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = tensor.concat dim(0) %y, %y, %y : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %fewer = arith.subi %rows, %c1 : index
  %later = tensor.extract_slice %x[1, 0] [%fewer, %columns] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %wide = tensor.concat dim(1) %x, %x : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %three, %later, %wide : tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}"""
#: The size of the result is an element.
CHOSEN = """
func.func @f(%x: tensor<?xf32>, %n: tensor<1xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %n[%c0] : tensor<1xi64>
  %1 = arith.index_cast %0 : i64 to index
  %2 = tensor.extract_slice %x[0] [%1] [1] : tensor<?xf32> to tensor<?xf32>
  return %2 : tensor<?xf32>
}"""


@pytest.fixture(autouse=True)
def needs_compiler():
    if not _compiler.available():
        pytest.skip("needs the compiler")


def doubled(element, shape="2x3"):
    """x -> x + x, and the last element of y."""
    t = f"tensor<{shape}x{element}>" if shape else f"tensor<{element}>"
    return f"""func.func @f(%x: {t}, %y: tensor<2x{element}>) -> ({t}, tensor<{element}>) {{
  %c1 = arith.constant 1 : index
  %0 = arith.add{'f' if 'f' in element else 'i'} %x, %x : {t}
  %1 = tensor.extract %y[%c1] : tensor<2x{element}>
  %2 = tensor.from_elements %1 : tensor<{element}>
  return %0, %2 : {t}, tensor<{element}>
}}"""


def struct(*shape, dtype="float32"):
    return jax.ShapeDtypeStruct(shape, np.dtype(dtype))


@pytest.mark.parametrize("shape", ("", "3", "2x3", "0x4", "2x1x3x1x2x1x2x1"))
@pytest.mark.parametrize("element, dtypes", (
    ("f16", ("float16",)), ("bf16", ("bfloat16",)), ("f32", ("float32",)), ("f64", ("float64",)), ("i8", ("int8", "uint8")),
    ("i16", ("int16", "uint16")), ("i32", ("int32", "uint32")), ("i64", ("int64", "uint64"))))
def test_types_and_ranks(element, dtypes, shape):
    function = rnn_mlir.compile(doubled(element, shape))
    sizes = tuple(map(int, shape.split("x"))) if shape else ()
    for dtype in dtypes:
        x = jnp.asarray(np.arange(1, np.prod(sizes, dtype=int) + 1).reshape(sizes), dtype)
        y = jnp.asarray([1, 7], dtype)
        structs = [struct(*sizes, dtype=dtype), struct(dtype=dtype)]
        results = [jax.jit(function)(x, y), rnn.call(function, x, y, result_shape_dtypes=structs), function(x, y)]
        for two, seven in results:
            assert isinstance(two, jax.Array) and isinstance(seven, jax.Array)
            assert np.array_equal(two, x + x) and seven == 7
        assert [v.dtype for v in results[1]] == [np.dtype(dtype)] * 2  # unsigned, if so requested


SCALARS = """func.func @f(%x: tensor<3xi1>, %s: f32, %n: i32, %b: i1) -> (tensor<3xi1>, f32, i32, i1) {
  %0 = arith.addf %s, %s : f32
  return %x, %0, %n, %b : tensor<3xi1>, f32, i32, i1
}"""


@pytest.mark.parametrize("x64", (False, True))
def test_booleans_and_scalars(x64):
    """Programs accept the same numbers as eager calls."""
    function = rnn_mlir.compile(SCALARS)
    with jax.enable_x64(x64):
        x = jnp.asarray([True, False, True])
        for s, n, b in ((1.5, 4, True), (jnp.float32(1.5), jnp.int32(4), jnp.bool_(True)), (np.float32(1.5), np.int32(4), np.bool_(True)),
                        (np.float64(1.5), np.int64(4), 1)):
            for results in (function(x, s, n, b), jax.jit(lambda v: function(v, s, n, b))(x)):  # noqa: B023
                assert np.array_equal(results[0], x) and [v.item() if hasattr(v, "item") else v for v in results[1:]] == [3, 4, True]
        same, twice, number, truth = jax.jit(function)(x, 1.5, 4, True)  # numbers that are arguments of the program
        assert (same.dtype, twice.dtype, number.dtype, truth.dtype) == (bool, np.float32, np.int32, bool)
        assert np.array_equal(same, x) and (twice, number, truth) == (3, 4, True)
        assert jax.jit(function)(x, 2, 4, False)[1] == 4
        for s, n, b, text in (("a", 4, True, "argument 1 (`s`) of `f` must be a number of type f32, but got str"),
                              (None, 4, True, "argument 1 (`s`) of `f` must be a number of type f32, but got NoneType"),
                              (1.5, 2.5, True, "argument 2 (`n`) of `f` must be a number of type i32"),
                              (1.5, 1 << 40, True, "argument 2 (`n`) of `f` must be a number of type i32, but got 1099511627776"),
                              (1.5, 4, 3, "argument 3 (`b`) of `f` must be a number of type i1, but got 3")):
            for run in (function, lambda v, s=s, n=n, b=b: function(v, s, n, b)):
                with pytest.raises(rnn_mlir.InvalidArgument, match=re.escape(text)):
                    run(x, s, n, b) if run is function else jax.jit(run)(x)
        with pytest.raises(rnn_mlir.InvalidArgument, match=r"argument 2 \(`n`\) of `f` must have elements of type i32, but got f"):
            jax.jit(function)(x, 1.5, 4.0, True)


def test_scalars_that_python_lacks():
    function = rnn_mlir.compile("func.func @f(%x: tensor<3xf32>, %s: f16) -> tensor<3xf32> { return %x : tensor<3xf32> }")
    x = jnp.ones(3, "float32")
    assert np.array_equal(jax.jit(function)(x, jnp.float16(1)), x)
    for run in (lambda: function(x, 1.0), lambda: jax.jit(lambda v: function(v, 1.0))(x)):
        with pytest.raises(rnn_mlir.InvalidArgument, match="is a scalar of type f16, which Python lacks"):
            run()


def test_derivatives_of_the_module():
    """Two functions of a module as a function with derivatives, in every transformation of JAX."""
    module = rnn_mlir.compile_module(GRU)
    reserve = struct(modules.reserve_size("gru", "unidirectional", "f64", T, B, I, H), dtype="int8")

    def forward(params, x, state):
        y, hn, saved = rnn.call(module["forward"], x, state[0], params,
                                result_shape_dtypes=[struct(T, B, H, dtype="float64"), struct(1, B, H, dtype="float64"), reserve])
        return (y, hn), (x, state[0], params, y, hn, saved)

    def backward(saved, cotangents):
        dx, dh, dparams = module["backward"](*saved, *cotangents)
        return dparams, dx, (dh,)

    layer = jax.custom_vjp(lambda *operands: forward(*operands)[0])
    layer.defvjp(forward, backward)
    operands, expected = problem("gru", T=T, B=B, I=I, H=H), jax.grad(loss(lax_reference("gru")), (0, 1, 2))
    given = jax.grad(loss(layer), (0, 1, 2))
    wanted = jax.tree.leaves(expected(*operands))
    for run in (given, jax.jit(given)):
        for a, b in zip(jax.tree.leaves(run(*operands)), wanted):
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)
    every = jax.tree.map(lambda v: jnp.stack([v, 2 * v]), operands)
    for a, b in zip(jax.tree.leaves(jax.jit(jax.vmap(given))(*every)), jax.tree.leaves(jax.vmap(expected)(*every))):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)

    def steps(run):
        return jax.lax.scan(lambda x, _: (x - 0.1 * run(operands[0], x, operands[2])[1], None), operands[1], None, length=3)[0]
    np.testing.assert_allclose(steps(given), steps(expected), rtol=1e-10, atol=1e-11)


def test_unknown_sizes():
    """Shapes of results follow from those of the arguments."""
    function = rnn_mlir.compile(SUM)
    for n in (4, 0, 7):
        x, y = jnp.arange(n, dtype="float32"), jnp.ones(n, "float32")
        for run in (function, jax.jit(function)):
            assert np.array_equal(run(x, y), x + y)
        for structs in (struct(n), [struct(n)], x):
            assert np.array_equal(jax.jit(lambda a, b, s=structs: rnn.call(function, a, b, result_shape_dtypes=s))(x, y), x + y)
    assert jax.eval_shape(function, x, y) == struct(7)
    with pytest.raises(rnn_mlir.InvalidArgument, match=re.escape("result 0 of `f` has shape [7], but result_shape_dtypes has [5]")):
        jax.jit(lambda a, b: rnn.call(function, a, b, result_shape_dtypes=struct(5)))(x, y)
    layer = rnn_mlir.compile(LAYER)
    params, x, (h,) = problem("gru", T=T, B=B, I=I, H=H)
    with pytest.raises(Exception, match="rnn-mlir: .*expected 3, but got 2"):
        jax.block_until_ready(jax.jit(layer)(x, h[:, :2], params))
    for run in (layer, jax.jit(layer)):
        np.testing.assert_allclose(run(x, h, params), lax_reference("gru")(params, x, (h,))[0], rtol=1e-12)


def test_linear_sizes():
    function = rnn_mlir.compile(LINEAR)
    for rows, columns, n in ((3, 2, 4), (1, 5, 0)):
        x, y = jnp.arange(rows * columns, dtype="float32").reshape(rows, columns), jnp.arange(n, dtype="float32")
        wanted = (jnp.concatenate([y, y, y]), x[1:], jnp.concatenate([x, x], 1))
        for run in (function, jax.jit(function)):
            for a, b in zip(run(x, y), wanted):
                assert a.shape == b.shape and np.array_equal(a, b)
    with pytest.raises(rnn_mlir.InvalidArgument, match=re.escape("result 1 of `f` would have shape [-1, 2] for arguments of shapes [0,2], [1]")):
        jax.jit(function)(jnp.ones((0, 2), "float32"), jnp.ones(1, "float32"))


def test_exported_symbols():
    """A program of jax.export for any size."""
    (n,) = jax.export.symbolic_shape("n")
    function = rnn_mlir.compile(SUM)
    exported = jax.export.export(jax.jit(function), disabled_checks=rnn.EXPORT_CHECKS)(*[jax.ShapeDtypeStruct((n,), "float32")] * 2)
    for size in (3, 8):
        x = jnp.arange(size, dtype="float32")
        assert np.array_equal(exported.call(x, x), 2 * x)


def test_sizes_that_only_the_call_knows():
    function, x = rnn_mlir.compile(CHOSEN), jnp.arange(4, dtype="float32")
    n = jnp.asarray([2], "int64")
    with pytest.raises(TypeError, match=re.escape("result 0 of `f` has shape [?], its sizes do not follow from those of the arguments, and "
                                                  "the compiler of JAX needs all sizes: use rnn_mlir.jax.call with result_shape_dtypes")):
        jax.jit(function)(x, n)
    assert np.array_equal(jax.jit(lambda a, b: rnn.call(function, a, b, result_shape_dtypes=struct(2)))(x, n), x[:2])
    for _ in range(2):
        assert np.array_equal(function(x, n), x[:2]) and function._program is None  # outside of a program
    # What the function finds at run time.
    with pytest.raises(Exception, match=re.escape("result 0 of `f` is tensor<2xf32>, but the caller expects tensor<5xf32>")):
        jax.block_until_ready(jax.jit(lambda a, b: rnn.call(function, a, b, result_shape_dtypes=struct(5)))(x, n))


def test_any_rank():
    function = rnn_mlir.compile("func.func @f(%x: tensor<*xf32>) -> tensor<*xf32> { return %x : tensor<*xf32> }")
    x = jnp.ones((2, 3), "float32")
    with pytest.raises(TypeError, match=re.escape("result 0 of `f` has shape *, its sizes do not follow from those of the arguments, and")):
        jax.jit(function)(x)
    assert np.array_equal(jax.jit(lambda v: rnn.call(function, v, result_shape_dtypes=struct(2, 3)))(x), x)
    nine = jnp.ones((1,) * 9, "float32")
    with pytest.raises(rnn_mlir.InvalidArgument, match=r"argument 0 \(`.*`\) of `f` has 9 dimensions; compiled code has at most 8"):
        jax.jit(lambda v: rnn.call(function, v, result_shape_dtypes=v))(nine)
    with pytest.raises(rnn_mlir.InvalidArgument, match=r"result 0 of `f` has shape \*, but result_shape_dtypes has \[1,1,1,1,1,1,1,1,1\]"):
        jax.jit(lambda v: rnn.call(function, v, result_shape_dtypes=nine))(x)


def test_errors():
    function = rnn_mlir.compile(doubled("f32"))
    x, y = jnp.ones((2, 3), "float32"), jnp.ones(2, "float32")
    for arguments, text in (((x,), "`f` expects 2 arguments, but got 1"),
                            ((x, y[:1]), "argument 1 (`y`) of `f` must have shape [2], but got [1]"),
                            ((x[0], y), "argument 0 (`x`) of `f` must have shape [2,3], but got [3]"),
                            ((x.astype("float16"), y), "argument 0 (`x`) of `f` must have elements of type f32, but got f16"),
                            ((x, y.astype("complex64")), "argument 1 (`y`) of `f` must have elements of type f32, but got complex64"),
                            ((x, jax.random.key(0)), "argument 1 (`y`) of `f` must have elements of type f32, but got key<fry>"),
                            ((x, "y"), "argument 1 (`y`) of `f` must be an array of JAX or NumPy, but got str"),
                            ((x, 3.0), "argument 1 (`y`) of `f` must be an array of JAX or NumPy, but got float")):
        with pytest.raises(rnn_mlir.InvalidArgument, match=re.escape(text)):
            jax.jit(lambda: rnn.call(function, *arguments))()  # noqa: B023
    for structs, text in (([struct(2, 3)], "`f` has 2 results, but result_shape_dtypes has 1"),
                          ([2, struct()], "result_shape_dtypes must have an array or a jax.ShapeDtypeStruct for result 0 of `f`, but has int"),
                          ([struct(2, 4), struct()], "result 0 of `f` has shape [2,3], but result_shape_dtypes has [2,4]"),
                          ([struct(2, 3), struct(dtype="float64")],
                           "result 1 of `f` has elements of type f32, but result_shape_dtypes has f64")):
        with pytest.raises(rnn_mlir.InvalidArgument, match=re.escape(text)):
            jax.jit(lambda a, b: rnn.call(function, a, b, result_shape_dtypes=structs))(x, y)  # noqa: B023
    with pytest.raises(ValueError, match="cannot be differentiated"):
        jax.grad(lambda v: function(v, y)[0].sum())(x)
    with pytest.raises(TypeError, match=r"`f` has no argument `z`"):
        jax.jit(lambda v: function(v, z=y))(x)
    with pytest.raises(TypeError, match="expected a function of rnn_mlir.compile or rnn_mlir.load, but got function"):
        rnn.call(lambda v: v, x)
    for run in (function, functools.partial(rnn.call, function)):
        assert np.array_equal(jax.jit(lambda v: run(y=y, x=v))(x)[0], 2 * x)  # noqa: B023


def test_functions_that_programs_cannot_call():
    x = jnp.ones(3, "float32")
    written = rnn_mlir.compile("""func.func @f(%x: memref<3xf32>) {
      %c = arith.constant 0.0 : f32
      linalg.fill ins(%c : f32) outs(%x : memref<3xf32>)
      return
    }""")
    with pytest.raises(TypeError, match=r"argument 0 \(`x`\) of `f` is written by the function, but arrays of JAX do not change"):
        jax.jit(written)(x)
    with pytest.raises(rnn_mlir.InvalidArgument, match="is written by the function, but is read-only"):
        written(x)
    nothing = rnn_mlir.compile("func.func @f(%x: tensor<3xf32>) { return }")
    assert nothing(x) is None
    with pytest.raises(TypeError, match="`f` returns no tensor"):
        jax.jit(nothing)(x)
    simt = rnn_mlir.compile(doubled("f32"), target="simt")
    with pytest.raises(TypeError, match="`f` was compiled for target simt: programs of JAX call functions for target host"):
        jax.jit(simt)(jnp.ones((2, 3), "float32"), jnp.ones(2, "float32"))


def test_types_of_64_bits_without_x64():
    program = f"""
import jax, jax.numpy as jnp, rnn_mlir
jax.config.update("jax_enable_x64", False)
function = rnn_mlir.compile('''{doubled("f64")}''')
widened = rnn_mlir.compile('''{WIDENED}''')
for call in (lambda: jax.jit(function)(jnp.ones((2, 3)), jnp.ones(2)), lambda: widened(jnp.ones(2))):
    try:
        call()
    except TypeError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "`f` has arguments or results of 64 bits, which JAX has only if jax_enable_x64 is set\n" * 2


def test_eager_results_of_64_bits():
    assert rnn_mlir.compile(WIDENED)(jnp.ones(2, "float32")).dtype == "float64"


@pytest.mark.parametrize("private", (True, False))
def test_device_of_eager_results(private, monkeypatch):
    if not private:
        monkeypatch.setattr(_dlpack, "_jax_import", None)
    function = rnn_mlir.compile(SUM)
    x = jax.device_put(jnp.ones(4, "float32"), jax.devices()[3])
    assert function(x, x).devices() == x.devices() and np.array_equal(function(x, x) + x, [3] * 4)


@pytest.mark.parametrize("size", "?4")
def test_arrays_that_eager_calls_refuse(size):
    function = rnn_mlir.compile(SUM.replace("?", size))
    x = jnp.ones(4, "float32")
    everywhere = jax.device_put(x, NamedSharding(jax.make_mesh((4,), ("data",)), PartitionSpec()))
    for arrays in ((everywhere, x), (x, everywhere)):
        with pytest.raises(rnn_mlir.InvalidArgument, match="is on 4 devices; move it to one by jax.device_put, or call .* jax.jit"):
            function(*arrays)
    x.delete()
    with pytest.raises(rnn_mlir.InvalidArgument, match="an array of JAX was deleted or donated"):
        function(x, x)


def test_eager_calls_without_the_private_interface(monkeypatch):
    """Results are arrays of JAX also in versions that lack the function which from_dlpack calls."""
    function = rnn_mlir.compile(doubled("f32"))
    x, y = jnp.ones((2, 3), "float32"), jnp.asarray([1, 5], "float32")
    shortest = function(x, y)

    def refuse():
        raise AttributeError
    monkeypatch.setattr(_dlpack, "_jax_import", refuse)
    for a, b in zip(shortest, function(x, y)):
        assert isinstance(a, jax.Array) and np.array_equal(a, b)
        assert (a.dtype, a.weak_type, a.sharding, a.committed) == (b.dtype, b.weak_type, b.sharding, b.committed)


def test_memory_of_eager_results():
    """It is freed with the arrays, and not before."""
    function = rnn_mlir.compile(SUM)
    x = jnp.ones(1 << 20, "float32")
    kept = [function(x, x) for _ in range(3)]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100):
        function(x, x)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10  # KiB, of 400 MiB
    assert all(np.all(v == 2) for v in kept)


def test_failures_of_eager_calls():
    """A failure in compiled code is an exception of this package, with its code."""
    reserve = f"%r : tensor<{modules.reserve_size('gru', 'unidirectional', 'f64', T, B, I, H)}xi8>"
    module = rnn_mlir.compile_module(re.sub("%r ?: tensor<.xi8>", reserve, GRU))
    params, x, (h,) = problem("gru", T=T, B=B, I=I, H=H)
    y, hn, reserve = module["forward"](x, h, params)
    with pytest.raises(rnn_mlir.Error, match="reserve") as raised:
        module["backward"](x, h, params, y, hn, jnp.zeros_like(reserve), y, hn)
    assert raised.value.code == "FAILED_PRECONDITION"
    assert len(module["backward"](x, h, params, y, hn, reserve, y, hn)) == 3


def test_constants_in_a_program():
    """A call on arrays that are no tracers runs while JAX traces, and its results are constants."""
    function = rnn_mlir.compile(doubled("f32"))
    x, y = jnp.ones((2, 3), "float32"), jnp.asarray([1, 5], "float32")
    program = jax.jit(lambda v: v + function(x, y)[0] * int(function(x, y)[1]))
    assert np.array_equal(program(x), 11 * x) and "rnn_mlir" not in program.lower(x).as_text()
    assert np.array_equal(jax.jit(lambda v: v + function(np.asarray(x), v[0, :2])[0])(x), 3 * x)


@pytest.mark.parametrize("size", (8, 1000000))
def test_subnormal_numbers(size):
    """Programs of XLA flush them to zero, compiled functions in them do not."""
    function = rnn_mlir.compile(SUM.replace("?", str(size)))
    x = jnp.asarray(np.full(size, 1e-39, np.float32))
    expected = np.full(size, np.float32(1e-39) * 2)
    for _ in range(2):
        for run in (function, jax.jit(function)):
            assert np.array_equal(np.asarray(run(x, x)), expected)
        assert np.array_equal(function(np.asarray(x), np.asarray(x)), expected)
    assert np.all(np.asarray(jax.jit(lambda a: a + a)(x)) == 0)  # the calls have changed no thread


def small():
    """A function whose calls outside of programs are short."""
    return rnn_mlir.compile(SUM.replace("?", "4"))


def test_small_eager_calls():
    function, x = small(), jnp.arange(4, dtype="float32")
    y = function(x, x)
    assert function._program is not None and np.array_equal(y, 2 * x) and y.devices() == x.devices()
    away = jax.device_put(x, jax.devices()[3])
    assert function(away, away).devices() == away.devices() and np.array_equal(function(away, away), 2 * x)
    committed = jax.device_put(x, jax.devices()[0])  # a program refuses arrays on two devices
    assert function(away, committed).devices() == away.devices() and np.array_equal(function(away, committed), 2 * x)
    assert np.array_equal(function(x, np.asarray(x)), 2 * x)
    with jax.disable_jit():
        assert np.array_equal(function(x, x), 2 * x)


def test_eager_calls_of_unknown_sizes(monkeypatch):
    """The calls after many with equal shapes are short."""
    monkeypatch.setattr(_eager, "CALLS", 5)
    monkeypatch.setattr(_eager, "SHAPES", 8)
    function = rnn_mlir.compile(SUM)
    shapes = [jnp.arange(n, dtype="float32") for n in (4, 9)]
    for _ in range(_eager.CALLS):
        for x in shapes:
            assert np.array_equal(function(x, x), 2 * x)
    program = function._program
    for x in shapes:
        assert np.array_equal(program((x, x)), 2 * x) and np.array_equal(function(x, x), 2 * x)
    new, large = jnp.ones(5, "float32"), jnp.ones(_eager.LARGEST // 4 + 1, "float32")
    for x, calls in ((new, _eager.CALLS), (large, _eager.CALLS + 1)):
        for _ in range(calls):
            with pytest.raises(TypeError):
                program((x, x))
        assert np.array_equal(function(x, x), 2 * x)
    assert np.array_equal(program((new, new)), 2 * new)
    for n in range(_eager.SHAPES):  # counts of the others are dropped
        assert np.array_equal(function(jnp.ones(10 + n, "float32"), jnp.ones(10 + n, "float32")), np.full(10 + n, 2))
    with pytest.raises(TypeError):
        program((new, new))


def test_errors_of_small_eager_calls():
    function, x = small(), jnp.ones(4, "float32")
    assert np.array_equal(function(x, x), 2 * x)
    with pytest.raises(rnn_mlir.InvalidArgument, match="argument 1 .* must have elements of type f32, but got i32"):
        function(x, x.astype("int32"))
    with pytest.raises(rnn_mlir.Error, match="4"):
        function(x, x[:3])


def test_small_eager_calls_without_rnn_mlir_jax(monkeypatch):
    """As with a version of JAX that it does not support."""
    monkeypatch.setitem(sys.modules, "rnn_mlir.jax._eager", None)
    function, x = small(), jnp.ones(4, "float32")
    assert np.array_equal(function(x, x), 2 * x) and function._program is None


def test_small_eager_calls_while_a_program_is_traced():
    function, x = small(), jnp.ones(4, "float32")
    for _ in range(2):  # before and after the first call outside
        program = jax.jit(lambda v: v + function(x, x) * int(np.asarray(function(x, x))[0]))
        assert np.array_equal(program(x), 5 * x) and "rnn_mlir" not in program.lower(x).as_text()
        assert np.array_equal(function(x, x), 2 * x)


def test_first_eager_call_in_a_traced_program():
    program = f"""
import jax, jax.numpy as jnp, rnn_mlir
function = rnn_mlir.compile('''{SUM.replace("?", "4")}''')
x = jnp.ones(4, "float32")
jax.jit(lambda v: function(v, v))(x)
print(function(x, x), function._program((x, x)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[2. 2. 2. 2.] [2. 2. 2. 2.]\n"


def test_several_devices():
    function = rnn_mlir.compile(doubled("f32", "8x3"))
    half = rnn_mlir.compile(doubled("f32", "2x3"))
    mesh = jax.make_mesh((4,), ("data",))
    x = jnp.arange(24, dtype="float32").reshape(8, 3)
    divided, y = jax.device_put(x, NamedSharding(mesh, PartitionSpec("data"))), jnp.asarray([1, 5], "float32")
    assert np.array_equal(jax.jit(function)(divided, y)[0], 2 * x)
    local = jax.jit(jax.shard_map(lambda a, b: half(a, b)[0], mesh=mesh, in_specs=(PartitionSpec("data"), PartitionSpec()),
                                  out_specs=PartitionSpec("data")))
    assert np.array_equal(local(divided, y), 2 * x)
    assert "all-gather" not in local.lower(divided, y).compile().as_text()


def test_threads():
    function, failures = rnn_mlir.compile(doubled("f32")), []
    run = jax.jit(function)

    def work(k):
        x, y = jnp.full((2, 3), k, "float32"), jnp.full(2, k, "float32")
        for _ in range(200):
            for results in (run(x, y), function(x, y)):
                if not (np.array_equal(results[0], 2 * x) and results[1] == k):
                    failures.append(k)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_export(tmp_path):
    """An exported program refers to the library by its path."""
    function = rnn_mlir.compile(doubled("f32"))
    path = tmp_path / "module.so"
    shutil.copy(function.raw.owner.path, path)
    function = rnn_mlir.load(path, function="f")
    x, y = jnp.ones((2, 3), "float32"), jnp.asarray([1, 5], "float32")
    exported = jax.export.export(jax.jit(function), disabled_checks=rnn.EXPORT_CHECKS)(x, y)
    (tmp_path / "program").write_bytes(exported.serialize())
    assert np.array_equal(exported.call(x, y)[0], 2 * x)
    program = f"""
import jax, jax.numpy as jnp, rnn_mlir.jax
run = jax.export.deserialize(open({str(tmp_path / 'program')!r}, "rb").read()).call
print(*run(jnp.ones((2, 3), "float32"), jnp.asarray([1, 5], "float32")))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("[[2. 2. 2.]\n [2. 2. 2.]] 5.0\n", 0), done.stderr
    for other, message in ((doubled("f32", "3"), "argument 0 of `f` has 1 dimensions, but 2 in the program of XLA"),
                           (doubled("i32"), "argument 0 of `f` has another element type than in the program of XLA"),
                           (WRITTEN, "argument 1 of `f` is written by the function, but belongs to XLA"),
                           (SUM, "`f` has 2 arguments and 1 results, but the program of XLA has 2 and 2")):
        shutil.copy(rnn_mlir.compile(other).raw.owner.path, tmp_path / "next.so")  # another function at this path
        os.replace(tmp_path / "next.so", path)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert done.returncode and message in done.stderr
    (tmp_path / "relative").write_bytes((tmp_path / "program").read_bytes().replace(str(path).encode(), b"r" * len(str(path))))
    done = subprocess.run([sys.executable, "-c", program.replace("/program'", "/relative'")], capture_output=True, text=True)
    assert done.returncode and "expected an absolute path" in done.stderr
    path.unlink()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode and str(path) in done.stderr


def test_replaced_library(tmp_path):
    """Each function keeps the file that it was loaded from."""
    path, functions = tmp_path / "module.so", []
    for element in ("f32", "i32"):
        shutil.copy(rnn_mlir.compile(doubled(element)).raw.owner.path, tmp_path / "next.so")
        os.replace(tmp_path / "next.so", path)
        functions.append(rnn_mlir.load(path, function="f"))
    for function, dtype in zip(functions, ("float32", "int32")):
        two, five = jax.jit(function)(jnp.ones((2, 3), dtype), jnp.asarray([1, 5], dtype))
        assert two.dtype == dtype and np.all(two == 2) and five == 5
