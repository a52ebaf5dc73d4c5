# test_layer_sizes.py - modules for the sizes of one layer, which GPUs need for persistent kernels.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys
from collections import namedtuple

import pytest

from fakes import fakes
from rnn_mlir import _compiler, _layers, modules
from rnn_mlir._operations import BlockLSTM, Layers, Members

needs_compiler = pytest.mark.skipif(not _compiler.available(), reason="needs the compiler")

T, B, I, H, L = 5, 3, 4, 6, 2
Operand = namedtuple("Operand", "shape dtype", defaults=("float32",))


def operands(operation, steps=T, batch=B, hidden=H):
    """Those that sizes depend on."""
    sequence = Operand((batch, steps, I) if operation.batch_major else (steps, batch, I))
    if isinstance(operation, BlockLSTM):
        return [sequence, Operand((batch, hidden))]
    stacked = L * operation.directions
    return [sequence, *[Operand((stacked, batch, n)) for n in (operation.num_proj or hidden, hidden)][:operation.primals - 2]]


def compiled(operation, dtype, stage, expected):
    """Compiles the function for target simt: the verifier of the op checks that the sizes agree."""
    module, name, _ = operation.gpu_function(dtype, stage, *operands(operation))
    text = module.partition("\n")[2] if module.startswith("prebuilt:") else module
    assert text.count("func.func") == 1 and f"@{name}(" in text
    _compiler.compile_library(text, {"target": "simt"})
    for argument in expected:
        assert f"%{argument}>" in text, text


@needs_compiler
@pytest.mark.parametrize("mode", _layers.GATES)
@pytest.mark.parametrize("direction", _layers.DIRECTIONS)
@pytest.mark.parametrize("reset_to", ("", "initial"))
def test_layers(mode, direction, reset_to):
    operation = Layers(mode, direction, reset_to=reset_to, batch_major=reset_to != "")
    D = operation.directions
    count = operation.parameters(I, H, L)
    for stage in _layers.PASSES:
        compiled(operation, "bf16", stage, [f"x: memref<?x?x{I}xbf16", f"h0: memref<{L * D}x?x{H}xbf16",
                                            f"params: memref<{count}xbf16", f"y: memref<?x?x{D * H}xbf16"])


@needs_compiler
def test_projection():
    for projection in (0, 3):
        module, *_ = Layers("lstm", "unidirectional", projection).gpu_function(
            "f32", "forward", *operands(Layers("lstm", "unidirectional", projection)))
        assert f"num_proj = {projection} : i64" in module and "num_proj = -1" not in module
        compiled(Layers("lstm", "unidirectional", projection), "f32", "backward",
                 [f"h0: memref<{L}x?x{projection or H}xf32", f"c0: memref<{L}x?x{H}xf32"])


@pytest.mark.parametrize("dtype", _layers.DTYPES)
@pytest.mark.parametrize("direction", _layers.DIRECTIONS)
@pytest.mark.parametrize("mode", _layers.GATES)
def test_reserve_size(mode, direction, dtype):
    """The closed form, which torch.compile needs for symbolic sizes, against the runtime."""
    for sizes in ((1, 1, 1, 1, 1), (5, 3, 4, 6, 1), (7, 1, 3, 5, 3), (64, 16, 128, 128, 2), (3, 7, 2, 16, 2)):
        for projection in (0, 1, 4) if mode == "lstm" else (0,):
            if projection < sizes[3]:
                known = modules.reserve_size(mode, direction, dtype, *sizes, projection=projection)
                assert _layers.reserve_size(mode, _layers.DIRECTIONS[direction], dtype, _layers.Sizes(*sizes, projection)) == known


@needs_compiler
@pytest.mark.parametrize("options", ({}, {"reset_to": "zero", "batch_major": True}, {"cell_clip": 2.0}))
def test_block_lstm(options):
    operation = BlockLSTM("ifco", use_peephole=True, **options)
    for stage in ("forward", "backward"):
        compiled(operation, "f32", stage, ["w: memref<10x24xf32", "cs_prev: memref<?x6xf32", "b: memref<24xf32",
                                           "h: memref<?x?x6xf32"])


def test_other_steps_and_batch_have_the_same_module():
    operation = Layers("gru", "unidirectional")
    made = [operation.gpu_function("f16", "forward", *operands(operation, *sizes))[0]
            for sizes in ((), (7, 9), (T, B, H + 1))]
    assert made[0] == made[1] != made[2]
    members = Members(operation, 2, (True, False))
    shared = operands(operation)
    assert members.gpu_function("f16", "forward", Operand((2, *shared[0].shape)), shared[1])[0] == made[0]


def test_symbolic_sizes_are_unknown():
    """As those of jax.export."""
    class Symbol:
        def __mul__(self, other):
            return self
        __rmul__ = __add__ = __radd__ = __floordiv__ = __mul__
    operation = Layers("gru", "unidirectional")
    x, h0 = operands(operation)
    module, *_ = operation.gpu_function("f16", "forward", Operand((T, B, Symbol())), h0)
    assert "%x: memref<?x?x?xf16>" in module and "%params: memref<?xf16>" in module and f"%h0: memref<{L}x?x{H}xf16>" in module


@needs_compiler
@pytest.mark.parametrize("mode", ("lstm", "gru"))
def test_persistent_kernels(mode):
    """The reason for the sizes: without them a GPU runs a kernel per step."""
    operation = Layers(mode, "unidirectional")
    sized, *_ = operation.gpu_function("f16", "forward", *operands(operation))
    folder = fakes()
    if not folder:
        pytest.skip("needs the fake driver of the build tree")
    program = ("import sys\nfrom rnn_mlir import _variants\n"
               "for module in sys.argv[1:]:\n  print(_variants.library_path(module, 'cuda'))\n")
    # The fake GPU has compute capability 9.0.
    done = subprocess.run([sys.executable, "-c", program, sized, operation.module("f16")], capture_output=True, text=True,
                          env=dict(os.environ, RNNRT_CUDA_PATH=folder, RNNRT_CUDNN_PATH=folder))
    assert done.returncode == 0, done.stderr
    with open(done.stdout.split()[0], "rb") as a, open(done.stdout.split()[1], "rb") as b:
        kernel = f"cudnn_{mode}_persistent".encode()
        assert (kernel in a.read(), kernel in b.read()) == (True, False)
