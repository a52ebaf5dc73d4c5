# test_jax_cuda.py - rnn_mlir.jax on platform cuda as far as a machine without a GPU goes: the lowered programs, the GPU
# kernels on the emulator behind the same handler, and the handler on a stream of the fake driver (xla_frame.cpp).
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import functools
import os
import re
import subprocess

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import rnn_mlir  # noqa: E402
import rnn_mlir.jax as rnn  # noqa: E402
from fakes import fakes  # noqa: E402
from jax_problems import block_members, close, lax_reference, loss, ours, problem, transforms_of_block_members  # noqa: E402
from rnn_mlir import _compiler, _files, _layers, _runtime, modules  # noqa: E402
from rnn_mlir.jax import _lowering, _native  # noqa: E402

LENGTHS = np.array([5, 0, 3])

needs_compiler = pytest.mark.skipif(not _compiler.available(), reason="needs the compiler")


def block_problem(T=4, B=3, I=4, H=5):
    random = np.random.default_rng(1)
    return [jnp.asarray(0.4 * random.standard_normal(shape), "float32")
            for shape in ((T, B, I), (B, H), (B, H), (I + H, 4 * H), (4 * H,), (H,), (H,), (H,))]


def block_loss(n=None, **options):
    def f(x, cs, h, w, b, wci, wcf, wco):
        out = rnn.block_lstm(x, cs, h, w, b, wci=wci, wcf=wcf, wco=wco,
                             seq_len_max=None if n is None else jnp.asarray(n), **options)
        return jnp.sum(jnp.sin(out.h)) + jnp.sum(out.cs * out.cs)
    return f


# --- Programs --------------------------------------------------------------------------------------------------------

def calls(function, values, platforms=("cuda",)):
    """The calls of compiled functions in the program for platforms, as (function, module, operands, reserve)."""
    exported = jax.export.export(jax.jit(function), disabled_checks=rnn.EXPORT_CHECKS, platforms=platforms)(*values)
    text = exported.mlir_module()
    pattern = (r'custom_call @rnn_mlir_layer\(([^)]*)\) \{mhlo.backend_config = \{function = "(\w+)", key = -?\d+ : i64, '
               r'module = "([^"]*)", reserve = (\d+) : i64\}')
    found = [(function, module, len(operands.split(",")), int(reserve))
             for operands, function, module, reserve in re.findall(pattern, text)]
    return exported, text, found


def test_program():
    values = problem("lstm", dtype="float32")
    _, _, found = calls(jax.grad(loss(ours("lstm")), (0, 1, 2)), values)
    reserve = rnn_mlir.modules.reserve_size("lstm", "unidirectional", "f32", 5, 3, 4, 6)
    assert [(f[0], *f[2:]) for f in found] == [("forward", 4, reserve), ("backward", 11, reserve)]
    # The sizes of the layer, for persistent kernels; steps and batch stay unknown.
    for stage, module, *_ in found:
        name, text = re.split(r"\\+0A", module, maxsplit=1)
        assert name == "prebuilt:lstm unidirectional f32" and text.startswith(f"func.func @{stage}(%x: memref<?x?x4xf32>, "
                                                                              "%h0: memref<1x?x6xf32>")


def test_lengths_are_clamped():
    """The host cannot check values of the device without waiting for it."""
    values = problem("gru", dtype="float32")
    for platform, expected in (("cpu", 0), ("cuda", 1)):
        _, text, found = calls(lambda *v: ours("gru", lengths=jnp.asarray(LENGTHS))(*v)[0], values, (platform,))
        assert [f[0] for f in found] == ["inference_lengths"]
        # Integers of 64 bits are clipped before their conversion to 32 bits on every platform.
        assert len(re.findall(r"call @clip\w*\([^)]*\) : \(tensor<3xi32>", text)) == expected, text


def test_length_of_block_lstm_becomes_masks():
    _, _, found = calls(jax.grad(block_loss(2)), block_problem())
    assert [(f[0], f[2]) for f in found] == [("forward_peephole", 8), ("backward_peephole", 17)]


def test_one_program_for_both_platforms():
    values = problem("lstm", dtype="float32")
    gradient = jax.grad(loss(ours("lstm", lengths=jnp.asarray(LENGTHS))), (0, 1, 2))
    exported, _, found = calls(gradient, values, ("cpu", "cuda"))
    assert sorted(f[0] for f in found) == ["backward_lengths"] * 2 + ["forward_lengths"] * 2
    close(exported.call(*values), jax.jit(gradient)(*values), 0)
    with pytest.raises(ValueError, match="exported for platforms"):
        calls(gradient, values)[0].call(*values)


# --- Kernels on the emulator -----------------------------------------------------------------------------------------

@pytest.fixture
def emulated(monkeypatch):
    """The rules of platform cuda on the CPU, whose handler runs the GPU kernels on the emulator."""
    library = _native.register()
    for target, kind in (("rnn_mlir_layer_simt", ""), ("rnn_mlir_members_simt", "_members")):
        stages = {stage: jax.ffi.pycapsule(getattr(library, f"rnn_mlir_xla_{stage}_simt{kind}"))
                  for stage in ("instantiate", "execute")}
        jax.ffi.register_ffi_target(target, stages, platform="cpu")
    call = _lowering._call

    def on_cuda(*operands, platform, **options):
        assert platform == "cpu"
        return call(*operands, platform="cuda", **options)
    monkeypatch.setattr(_native, "XLA_TARGET", "rnn_mlir_layer_simt")
    monkeypatch.setattr(_native, "MEMBERS_TARGET", "rnn_mlir_members_simt")
    monkeypatch.setattr(_lowering, "_call", on_cuda)
    jax.clear_caches()
    yield
    jax.clear_caches()


@needs_compiler
@pytest.mark.parametrize("mode,sizes,options", (
    ("lstm", {}, {}), ("gru", {"L": 2, "D": 2}, {"lengths": jnp.asarray(LENGTHS)}),
    ("lstm", {}, {"lengths": jnp.asarray([7, -1, 3])})), ids=("lstm", "gru", "clamped"))
def test_kernels(emulated, mode, sizes, options):
    """Results and gradients of the kernels that a GPU runs, in f64."""
    D, values = sizes.get("D", 1), problem(mode, **sizes)
    layer, reference = ours(mode, D=D, **options), lax_reference(mode, D=D, **{
        k: jnp.clip(v, 0, 5) for k, v in options.items()})
    with jax.enable_x64(True):
        values = jax.tree.map(lambda v: jnp.asarray(np.asarray(v), "float64"), values)
        got = jax.jit(lambda *v: (layer(*v), jax.grad(loss(layer), (0, 1, 2))(*v)))
        assert "rnn_mlir_layer_simt" in got.lower(*values).as_text()
        close(got(*values), (reference(*values), jax.grad(loss(reference), (0, 1, 2))(*values)), 1e-12)


@needs_compiler
def test_list_of_parameters(emulated):
    """Kernels read one flat array."""
    with jax.enable_x64(True):
        flat, x, state = problem("gru", L=2, D=2)
        layer = ours("gru", D=2)
        got = jax.grad(loss(layer))(rnn.unpack(flat, "gru", 4, 6, 2, bidirectional=True), x, state)
        close(rnn.pack(got), jax.grad(loss(layer))(flat, x, state), 0)


@needs_compiler
@pytest.mark.parametrize("kind", ("lstm", "gru", "rnn_relu", "members"))
def test_reserve_space_of_another_batch(emulated, kind, monkeypatch):
    """No call on a GPU can wait for the header of a reserve space: gradients with a wrong one are NaN."""
    mode = "lstm" if kind == "members" else kind
    with jax.enable_x64(True):
        params, x, state = problem(mode, B=4, L=2)
        layer = ours(mode)
        if kind == "members":
            layer, params = jax.vmap(layer, (0, None, None)), jnp.stack([params, -params])
        got = jax.grad(loss(layer), (0, 1, 2))(params, x, state)
        assert all(jnp.isfinite(v).all() for v in jax.tree.leaves(got))
        # The emulator would report the header of another batch: here, another one is expected.
        header = modules.reserve_header
        monkeypatch.setattr(modules, "reserve_header", lambda *v: header(*v)[:-1] + b"?")
        jax.clear_caches()
        for wrong in jax.tree.leaves(jax.grad(loss(layer), (0, 1, 2))(params, x, state)):
            assert jnp.isnan(wrong).all()


@needs_compiler
def test_resets_and_members(emulated):
    """Marks without lengths, a projection, and gradients of the parameters per example, also of several models."""
    resets = jnp.asarray(np.random.default_rng(0).random((5, 3)) < 0.3)
    with jax.enable_x64(True):
        values = jax.tree.map(lambda v: jnp.asarray(np.asarray(v), "float64"), problem("lstm", P=3))
        params, x, state = values
        layer, reference = ours("lstm", P=3, resets=resets), lax_reference("lstm", P=3, resets=resets)
        for f in (lambda layer: layer(*values), lambda layer: jax.grad(loss(layer), (0, 1, 2))(*values),
                  lambda layer: jax.vmap(jax.grad(loss(layer)), (None, 0, None))(params, jnp.stack([x, -x]), state),
                  lambda layer: jax.vmap(jax.vmap(jax.grad(loss(layer)), (None, 0, None)), (0, None, None))(
                      jnp.stack([params, -params]), jnp.stack([x, 2 * x]), state)):
            close(jax.jit(lambda f=f: f(layer))(), f(reference), 1e-12)


@needs_compiler
@pytest.mark.parametrize("n", (0, 2, 4))
def test_masked_block_lstm(emulated, n):
    """Masks instead of `seq_len_max`; the steps behind it may hold anything."""
    values = block_problem()
    gradient = functools.partial(jax.grad, argnums=tuple(range(8)))
    got = jax.jit(gradient(block_loss(n)))(values[0].at[n:].set(jnp.inf), *values[1:])
    # The reference has only the first n steps.
    want = [jnp.zeros_like(v) for v in values] if n == 0 else list(
        gradient(block_loss())(values[0][:n], *values[1:]))
    want[0] = jnp.zeros_like(values[0]).at[:n].set(want[0][:n] if n else want[0][:0])
    close(list(got), want, 1e-6)


@needs_compiler
@pytest.mark.parametrize("batch_first, resets", ((False, None), (True, np.eye(5, 3, -1, dtype=bool))))
def test_masked_members(emulated, batch_first, resets):
    """Masks of each member, or of all; the steps behind the last length may hold anything."""
    with jax.enable_x64(True):
        mine, want, (w, x, n) = block_members(batch_first, resets)
        padded = jnp.swapaxes(x, 1, 2).at[:, 4:].set(jnp.inf).swapaxes(1, 2) if batch_first else x.at[:, 4:].set(jnp.inf)
        for f, mapped in transforms_of_block_members():
            program = jax.jit(f(mine))
            got, expected = ([v if m else v[0] for v, m in zip((w, value, n), mapped)] for value in (padded, x))
            assert "rnn_mlir_members_simt" in program.lower(*got).as_text()
            close(program(*got), f(want)(*expected), 1e-12)


# --- The handler on a stream of XLA ----------------------------------------------------------------------------------

@needs_compiler
def test_handler(tmp_path):
    folder = fakes()
    if not folder:
        pytest.skip("needs the fake driver of the build tree")
    # cuDNN's lowering has results on the fakes, compiled kernels only launches.
    text = _layers.module_text("gru", "unidirectional", "f32")
    plans = text.replace("lowering = #rnn.lowering<fused>", "lowering = #rnn.lowering<runtime>")
    kernels = _compiler.compile_library(text, {"target": "cuda"})
    program, source = tmp_path / "frame", os.path.join(os.path.dirname(__file__), "xla_frame.cpp")
    runtime = os.path.realpath(_runtime.library()._name)
    headers = os.path.join(_files.library_folder(), "xla", "include")
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", "-O1", "-w", "-I" + jax.ffi.include_dir(), "-I" + headers,
                    source, "-o", program, runtime, "-Wl,-rpath," + os.path.dirname(runtime), "-ldl"], check=True)
    done = subprocess.run([program, _native.register()._name, _compiler.compile_library(plans, {"target": "cuda"}), kernels,
                           _compiler.compile_library(text, {}), folder], capture_output=True, text=True,
                          env=dict(os.environ, RNNRT_CUDA_PATH=folder, RNNRT_CUDNN_PATH=folder))
    assert done.returncode == 0, done.stdout + done.stderr
