# test_modules.py - the prebuilt modules against a NumPy reference and central differences.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import os
import threading

import numpy as np
import pytest
import reference
from rnn_mlir import InvalidArgument, _compiler, _errors, _files, _layers, _processor, _runtime, _variants, modules
from rnn_mlir._operations import BlockLSTM, Layers

MODES = ("lstm", "gru", "rnn_tanh", "rnn_relu")
DIRECTIONS = ("unidirectional", "bidirectional")


def make(mode, direction, dtype, sizes, seed=0, lengths=False):
    """Random operands of one layer by name, in f64 and rounded to `dtype`."""
    params = modules.params_size(mode, direction, sizes.input_size, sizes.hidden_size, sizes.layers)
    reserve = modules.reserve_size(mode, direction, dtype, *sizes[:5])
    shapes = _layers.shapes(mode, direction, sizes, params, reserve)
    random = np.random.default_rng(seed)
    operands = {name: (0.4 * random.standard_normal(shape)).astype(dtype.replace("f", "float"))
                for name, shape in shapes.items() if "reserve" not in name and "lengths" not in name}
    operands["reserve"] = np.zeros(reserve, np.int8)
    if lengths:
        operands["lengths"] = random.integers(0, sizes.steps + 1, sizes.batch).astype(np.int32)
    return operands


def run(function, operands):
    arrays = [operands[argument.name] for argument in function.inputs]
    function([a.ctypes.data for a in arrays], [a.shape for a in arrays])


@pytest.mark.parametrize("lengths", (False, True))
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype,tolerance", (("f64", 1e-13), ("f32", 1e-5), ("f16", 1e-2)))
def test_forward(mode, direction, dtype, tolerance, lengths):
    layer = modules.load(mode, direction, dtype, lengths=lengths)
    o = make(mode, direction, dtype, _layers.Sizes(5, 3, 4, 6, 2), lengths=lengths)
    exact = [None if o.get(k) is None else o[k].astype(np.float64) for k in ("x", "h0", "c0", "params")]
    exact[2] = exact[2] if mode == "lstm" else None
    wanted = reference.forward(mode, _layers.DIRECTIONS[direction], *exact, lengths=o.get("lengths"))
    for function in (layer.forward, layer.inference):
        for name in ("y", "hn", "cn"):
            o[name][...] = 7
        run(function, o)
        for name, want in zip(("y", "hn", "cn"), wanted):
            if want is not None:
                np.testing.assert_allclose(o[name].astype(np.float64), want, rtol=0, atol=tolerance)


@pytest.mark.parametrize("mode,direction,dtype", (("lstm", "unidirectional", "f32"), ("gru", "bidirectional", "f64")))
def test_reserve_header(mode, direction, dtype):
    """The problem in the header, which on GPUs nothing else checks."""
    sizes = _layers.Sizes(5, 3, 4, 6, 2)
    o = make(mode, direction, dtype, sizes)
    run(modules.load(mode, direction, dtype).forward, o)
    header = modules.reserve_header(mode, direction, dtype, sizes)
    assert o["reserve"][:len(header)].tobytes() == header
    assert header != modules.reserve_header(mode, direction, dtype, sizes._replace(batch=2))


@pytest.mark.parametrize("lengths", (False, True))
@pytest.mark.parametrize("mode,direction,dtype", (("lstm", "unidirectional", "f32"), ("gru", "bidirectional", "f16"),
                                                  ("rnn_tanh", "bidirectional", "f64"), ("rnn_relu", *DIRECTIONS[:1], "f32")))
def test_batch_major(mode, direction, dtype, lengths):
    """A batch-major module has the bits of the time-major one."""
    o = make(mode, direction, dtype, _layers.Sizes(5, 3, 4, 6, 2), lengths=lengths)
    sequences = ("x", "y", "dx", "dy")
    turned = {k: v.swapaxes(0, 1).copy() if k in sequences else v.copy() for k, v in o.items()}
    for operands, batch_major in ((o, False), (turned, True)):
        layer = modules.load(mode, direction, dtype, lengths=lengths, batch_major=batch_major)
        run(layer.inference, operands)
        run(layer.forward, operands)
        run(layer.backward, operands)
    for name, value in o.items():
        got = turned[name].swapaxes(0, 1) if name in sequences else turned[name]
        if name in ("reserve", "dparams"):  # unused bytes are undefined; sums over the steps
            continue
        np.testing.assert_array_equal(got, value, err_msg=name)
    tolerance = {"f64": 1e-13, "f32": 1e-4, "f16": 3e-2}[dtype]
    np.testing.assert_allclose(turned["dparams"].astype(float), o["dparams"].astype(float), rtol=0, atol=tolerance)


@pytest.mark.parametrize("lengths", (False, True))
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("mode", MODES)
def test_gradient(mode, direction, lengths):
    """The gradient in random directions equals central differences of the reference."""
    layer = modules.load(mode, direction, "f64", lengths=lengths)
    o = make(mode, direction, "f64", _layers.Sizes(4, 2, 3, 5, 2), lengths=lengths)
    run(layer.forward, o)
    run(layer.backward, o)
    names = ("x", "h0", "c0", "params") if mode == "lstm" else ("x", "h0", "params")
    random = np.random.default_rng(1)
    for name in names:
        tangent = random.standard_normal(o[name].shape)
        tangent /= np.linalg.norm(tangent)  # the error of the differences grows with the cube of its length

        def loss(scale):
            v = {n: o[n] for n in ("x", "h0", "c0", "params")}
            v[name] = v[name] + scale * tangent
            results = reference.forward(mode, _layers.DIRECTIONS[direction], v["x"], v["h0"],
                                        v["c0"] if mode == "lstm" else None, v["params"], o.get("lengths"))
            return sum((r * o[d]).sum() for r, d in zip(results, ("dy", "dhn", "dcn")) if r is not None)

        # The error of the differences is about 1e-10 + 1e-16 / 1e-5.
        slope = (loss(1e-5) - loss(-1e-5)) / 2e-5
        assert abs((o["d" + name] * tangent).sum() - slope) < 1e-8 * max(1, abs(slope)), name


def test_bf16_agrees_with_f32():
    sizes = _layers.Sizes(3, 4, 8, 16)
    o = make("gru", "unidirectional", "f32", sizes)
    bits = {k: (v.view(np.uint32) >> 16).astype(np.uint16) if v.dtype == np.float32 else v for k, v in o.items()}
    exact = {k: (bits[k].astype(np.uint32) << 16).view(np.float32) if v.dtype == np.float32 else v
             for k, v in o.items()}
    bits["reserve"] = np.zeros(modules.reserve_size("gru", "unidirectional", "bf16", *sizes[:5]), np.int8)
    run(modules.load("gru", dtype="bf16").forward, bits)
    run(modules.load("gru", dtype="f32").forward, exact)
    y = (bits["y"].astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_allclose(y, exact["y"], rtol=0, atol=1e-2)


def test_wrong_size_is_an_exception():
    layer = modules.load("gru")
    o = make("gru", "unidirectional", "f32", _layers.Sizes(3, 2, 4, 5))
    o["h0"] = o["h0"][:, :1].copy()
    with pytest.raises(InvalidArgument, match=r"h0.*in function `forward`"):
        run(layer.forward, o)
    o["h0"] = np.zeros((1, 2, 5), np.float32)
    run(layer.forward, o)  # the failure is gone


def test_threads_have_equal_results():
    layer = modules.load("lstm", "bidirectional", "f32")
    sizes = _layers.Sizes(6, 2, 4, 8)
    wanted = make("lstm", "bidirectional", "f32", sizes)
    run(layer.forward, wanted)
    failures = []

    def work():
        for _ in range(50):
            o = make("lstm", "bidirectional", "f32", sizes)
            run(layer.forward, o)
            if not np.array_equal(o["y"], wanted["y"]):
                failures.append(o)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_unknown_names():
    for arguments in (("lstms",), ("lstm", "both"), ("lstm", "unidirectional", "f8")):
        with pytest.raises(ValueError, match="unknown .*expected one of"):
            modules.load(*arguments)


def variants():
    """Every operation of the front ends, without `cell_clip`."""
    options = list(itertools.product((False, True), ("", "zero", "initial"), (False, True)))
    for (lengths, reset_to, batch_major), mode, direction in itertools.product(options, MODES, DIRECTIONS):
        yield Layers(mode, direction, 0, lengths, reset_to, batch_major)
    for (length, reset_to, batch_major), layout, peephole in itertools.product(options, ("icfo", "ifco"), (False, True)):
        yield BlockLSTM(layout, peephole, 0.0, length, reset_to, batch_major)


@pytest.mark.parametrize("dtype", ("f16", "bf16", "f32", "f64"))
def test_every_layer_is_prebuilt(dtype, monkeypatch):
    monkeypatch.setattr(_compiler, "available", lambda: False)
    for operation in variants():
        path = _variants.library_path(operation.module(dtype))
        assert path.startswith(_files.library_folder())
        functions = _runtime.load_library(path).functions
        n, m = operation.primals, operation.results
        extra = bool(getattr(operation, "lengths", False) or getattr(operation, "seq_len_max", False))
        resets = bool(operation.reset_to)
        for stage, counts in (("inference", (n, m)), ("forward", (n, m + operation.saves)),
                              ("backward", (n + m + len(operation.cotangents) + operation.saves, n))):
            arguments = functions[operation.function(stage)].inputs
            assert arguments[0].dtype == dtype and sum(a.written for a in arguments) == counts[1]
            assert len(arguments) == sum(counts) + resets + (extra or resets)  # functions with resets have lengths


def test_processor_levels(monkeypatch, tmp_path):
    """Each processor has the modules of its own level, and those of lower levels for the types that it lacks."""
    monkeypatch.setattr(_processor.platform, "machine", lambda: "x86_64")
    v3, v4 = _processor._V3, _processor._V4
    amd = _processor._ZNVER4
    intel = v4 | {"avx512_bf16", "avx512_fp16", "avx512_vnni", "amx_tile", "amx_bf16"}
    for found, expected in ((frozenset(), ["x86-64"]), (v3, ["x86-64-v3", "x86-64"]), (v4, ["x86-64-v4", "x86-64-v3", "x86-64"]),
                            (amd - {"sse4a"}, ["x86-64-v4", "x86-64-v3", "x86-64"]),
                            (amd, ["znver4", "x86-64-v4", "x86-64-v3", "x86-64"]),
                            (intel, ["sapphirerapids", "x86-64-v4", "x86-64-v3", "x86-64"])):
        monkeypatch.setattr(_processor, "flags", lambda found=found: found)
        _processor.levels.cache_clear()
        assert _processor.levels() == expected
    monkeypatch.setattr(_processor, "flags", lambda: amd)
    _processor.levels.cache_clear()
    monkeypatch.setattr(_files, "library_folder", lambda: str(tmp_path))
    for level, dtype in (("znver4", "bf16"), ("x86-64-v4", "bf16"), ("x86-64-v4", "f32")):
        file = tmp_path / "modules" / level / f"gru-unidirectional-{dtype}.so"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    assert modules.path("gru", "unidirectional", "bf16").split(os.sep)[-2] == "znver4"
    assert modules.path("gru", "unidirectional", "f32").split(os.sep)[-2] == "x86-64-v4"
    monkeypatch.undo()
    _processor.levels.cache_clear()


def test_options_that_need_the_compiler(monkeypatch):
    monkeypatch.setattr(_compiler, "available", lambda: False)
    _variants.library_path.cache_clear()
    with pytest.raises(_errors.Unavailable, match="a layer with cell_clip is not prebuilt .* install rnn-mlir-compiler"):
        _variants.library_path(BlockLSTM("icfo", cell_clip=3.0).module("f32"))
    monkeypatch.setattr(_processor, "levels", lambda: ["pdp11"])
    with pytest.raises(_errors.Unavailable, match="no prebuilt module of gru.* with resets.* for this processor .*pdp11; "
                                                   "install rnn-mlir-compiler"):
        _variants.library_path(Layers("gru", "unidirectional", reset_to="zero").module("f32"))
    _variants.library_path.cache_clear()


@pytest.mark.parametrize("batch_major", (False, True))
@pytest.mark.parametrize("projection", (0, 3))
@pytest.mark.parametrize("reset_to", ("", "zero", "initial"))
def test_projections_and_resets(reset_to, projection, batch_major):
    """Against reference plans, whose projection is an attribute."""
    layer = modules.load("lstm", "bidirectional", "f64", lengths=True, reset_to=reset_to, batch_major=batch_major)
    sizes = _layers.Sizes(5, 3, 4, 6, 2, projection)
    random = np.random.default_rng(3)
    params = _layers.params_size("lstm", 4, 6, 2, 2, projection)
    reserve = modules.reserve_size("lstm", "bidirectional", "f64", *sizes[:5], projection=projection)
    o = {name: 0.4 * random.standard_normal(shape)
         for name, shape in _layers.shapes("lstm", "bidirectional", sizes, params).items()}
    o.update(lengths=np.array([5, 0, 3], np.int32), reserve=np.zeros(reserve, np.int8), resets=random.random((5, 3)) < 0.3)
    for name in ("x", "y", "dx", "dy", "resets") * batch_major:
        o[name] = np.ascontiguousarray(np.swapaxes(o[name], 0, 1))

    def module(kind):
        text = _layers.layer_text("lstm", "bidirectional", "f64", kind, lengths=True, reset_to=reset_to,
                                  batch_major=batch_major, sizes=sizes)
        return text.replace("#rnn.lowering<fused>", "#rnn.lowering<runtime>")
    want = {name: v.copy() for name, v in o.items()}
    run(layer.forward, o)
    run(layer.backward, o)
    if not _compiler.available():
        pytest.skip("the reference needs the compiler")
    library = _runtime.load_library(_compiler.compile_library(module("forward") + module("backward"), {}))
    suffix = _layers.layer_suffix(True, reset_to)
    want["reserve"] = np.zeros(modules.reserve_size("lstm", "bidirectional", "f64", *sizes[:5], projection=projection,
                                                    fused=False), np.int8)
    run(library["forward" + suffix], want)
    run(library["backward" + suffix], want)
    for name in ("y", "hn", "cn", "dx", "dh0", "dc0", "dparams"):
        np.testing.assert_allclose(o[name], want[name], rtol=0, atol=1e-13)
