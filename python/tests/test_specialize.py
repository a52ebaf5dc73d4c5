# test_specialize.py - modules for the sizes of one layer.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys

import pytest

from fakes import fakes
from rnn_mlir import _compiler, _layers, _specialize, _variants

needs_compiler = pytest.mark.skipif(not _compiler.available(), reason="needs the compiler")

T, B, I, H, L = 5, 3, 4, 6, 2


def layer_shapes(mode, direction, function, projection=0, resets=False):
    """The shapes of the arguments of a function."""
    inputs, outputs = _layers.operands(mode, function, resets or "lengths" in function, resets)
    sizes = _layers.Sizes(T, B, I, H, L, projection)
    params = _layers.params_size(mode, I, H, L, _layers.DIRECTIONS[direction], projection)
    found = {**_layers.shapes(mode, direction, sizes, params, 64), "resets": (T, B)}
    return [found[name] for name in inputs + outputs]


def compiled(text, function, shapes):
    """The module of the sizes and the library of it for target simt."""
    made = _specialize.specialize(text, function, _specialize.types(text, function, shapes))
    return made, _compiler.compile_library(made, {"target": "simt"})


@needs_compiler
@pytest.mark.parametrize("mode", _layers.GATES)
@pytest.mark.parametrize("direction", _layers.DIRECTIONS)
@pytest.mark.parametrize("resets", (False, True))
def test_layers(mode, direction, resets):
    text = _layers.prebuilt_text(mode, direction, "bf16", resets=resets)
    for function in _layers.PASSES:
        name = function + ("_initial" if resets else "")
        made, _ = compiled(text, name, layer_shapes(mode, direction, function, resets=resets))
        assert made.count("func.func") == 1 and "num_proj = -1" not in made
        state = f"{L * _layers.DIRECTIONS[direction]}x?x{H}xbf16"
        assert f"%h0: memref<{state}>" in made and f"%x: memref<?x?x{I}xbf16>" in made


@needs_compiler
def test_projection():
    """That of prebuilt modules is the last size of `h0`."""
    text = _layers.prebuilt_text("lstm", "unidirectional", "f32")
    for projection, expected in ((0, "num_proj = 0"), (4, "num_proj = 4")):
        made, _ = compiled(text, "forward", layer_shapes("lstm", "unidirectional", "forward", projection))
        assert expected in made


@needs_compiler
@pytest.mark.parametrize("resets", (False, True))
def test_block_lstm(resets):
    text = _layers.prebuilt_text("block_lstm", "ifco", "f32", resets=resets)
    operands = [(T, B, I), (B, H), (B, H), (I + H, 4 * H), (H,), (H,), (H,), (4 * H,)]
    extra, gates = [(), (T, B)] if resets else [], [(T, B, H)]
    for function, shapes in (("forward_peephole", operands + extra + gates * 7),
                             ("backward_peephole", operands + extra + gates * 9 + operands)):
        made, _ = compiled(text, function + ("_zero" if resets else ""), shapes)
        assert "%w: memref<10x24xf32>" in made and "%cs_prev: memref<?x6xf32>" in made and "%b: memref<24xf32>" in made


def test_other_steps_and_batch_have_the_same_module():
    shapes = layer_shapes("gru", "unidirectional", "forward")
    other = [tuple(7 if n in (T, B) else n for n in shape) for shape in shapes]
    made = [_variants.sized_module("prebuilt:gru unidirectional f16", "forward", tuple(map(tuple, every)))
            for every in (shapes, other, [tuple(n + 1 for n in shape) for shape in shapes])]
    assert made[0] == made[1] != made[2]


@needs_compiler
@pytest.mark.parametrize("mode", ("lstm", "gru"))
def test_persistent_kernels(mode):
    """The reason for the sizes: without them a GPU runs a kernel per step."""
    name = f"prebuilt:{mode} unidirectional f16"
    sized = _variants.sized_module(name, "forward", tuple(layer_shapes(mode, "unidirectional", "forward")))
    folder = fakes()
    if not folder:
        pytest.skip("needs the fake driver of the build tree")
    program = ("import sys\nfrom rnn_mlir import _variants\n"
               "for module in sys.argv[1:]:\n  print(_variants.library_path(module, 'cuda'))\n")
    # The fake GPU has compute capability 9.0.
    done = subprocess.run([sys.executable, "-c", program, sized, name], capture_output=True, text=True,
                          env=dict(os.environ, RNNRT_CUDA_PATH=folder, RNNRT_CUDNN_PATH=folder))
    assert done.returncode == 0, done.stderr
    with open(done.stdout.split()[0], "rb") as a, open(done.stdout.split()[1], "rb") as b:
        kernel = f"cudnn_{mode}_persistent".encode()
        assert (kernel in a.read(), kernel in b.read()) == (True, False)
