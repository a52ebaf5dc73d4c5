# jax_modules.py - modules that JAX writes for jax.experimental.rnn.lstm on a GPU, with the results of its reference.
#
#   python3 -m venv VENV && VENV/bin/pip install jax==0.10.2 && VENV/bin/pip install --no-deps jax-cuda12-plugin==0.10.2
#   VENV/bin/python test/Integration/Import/Inputs/jax_modules.py
#
# No GPU is needed: the plugin writes the descriptor, and only the sizes of cuDNN's workspace and reserve space, which no
# one reads here, are made up. The results are those of JAX's own `lstm_ref` on the CPU.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib.metadata
import os
import sys

import jax
import jax.numpy as jnp
import jaxlib.gpu_rnn
import numpy as np
from jax._src.interpreters import mlir
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cases  # noqa: E402

jaxlib.gpu_rnn.compute_rnn_workspace_reserve_space_sizes = lambda *sizes: (1000, 2000)
from jax.experimental import rnn  # noqa: E402

B, T, I, H = 2, 5, 3, 4
VERSIONS = "JAX " + ", jaxlib ".join(importlib.metadata.version(name) for name in ("jax", "jaxlib"))


def lower(function, operands, legalize):
    """The text of the module for a GPU, in generic form; `legalize`: jaxlib makes linalg ops of StableHLO's."""
    text = jax.jit(function).trace(*operands).lower(lowering_platforms=("cuda",)).as_text()
    stablehlo.register_stablehlo_passes()
    context = mlir.make_ir_context()
    with context:
        module = ir.Module.parse(text)
        if legalize:
            context.allow_unregistered_dialects = True
            pipeline = "builtin.module(stablehlo-legalize-to-linalg,canonicalize)"
            passmanager.PassManager.parse(pipeline).run(module.operation)
        return module.operation.get_asm(print_generic_op_form=True)


def make(name, title, layers, is_bidirectional, lengths, is_training, is_miopen=False):
    random = np.random.default_rng(len(name))
    pseudo = layers * (2 if is_bidirectional else 1)
    count = rnn.get_num_params_in_lstm(I, H, layers, is_bidirectional)
    operands = [random.normal(size=(B, T, I)), random.normal(size=(pseudo, B, H)), random.normal(size=(pseudo, B, H)),
                random.normal(size=count) / 2]
    operands = [jnp.asarray(value, jnp.float32) for value in operands] + [jnp.asarray(lengths, jnp.int32)]

    def layer(x, h, c, w, n):
        return rnn.lstm(x, h, c, w, n, I, H, layers, 0.0, is_bidirectional)

    def reference(x, h, c, w, n):
        matrices = rnn.unpack_lstm_weights(w, I, H, layers, is_bidirectional)
        y, hn, cn = rnn.lstm_ref(x, h, c, *matrices, n, I, H, layers, 0.0, is_bidirectional)
        # cuDNN writes zeros behind the end of a sequence.
        return jnp.where(jnp.arange(T)[None, :, None] < n[:, None, None], y, 0), hn, cn

    def loss_of(forward):
        def loss(*values):
            y, hn, cn = forward(*values)
            return jnp.sum(y * y * y) + jnp.sum(hn * cn)
        return jax.value_and_grad(loss, argnums=(0, 1, 2, 3))

    function, expected = (loss_of(layer), loss_of(reference)) if is_training else (layer, reference)
    results = jax.tree.leaves(expected(*operands))
    module = lower(function, operands, is_training)
    if is_miopen:
        # The package for AMD's GPUs has no such plugin to load here; it writes the same calls with other names.
        module = module.replace("cudnn_rnn", "hipdnn_rnn")
        operands[3] = rnn.swap_lstm_gates(operands[3], I, H, layers, is_bidirectional)
        results[4] = rnn.swap_lstm_gates(results[4], I, H, layers, is_bidirectional)
    run = cases.flags(name, [np.asarray(x) for x in operands], [np.asarray(x) for x in results])
    lowerings = ("--lowering=runtime", "--lowering=fused", "--target=simt --lowering=fused")
    cases.write(name, title, VERSIONS, "Inputs/jax_modules.py", [run], module, "1e-5",
                lowerings)


make("jax-lstm", "a layer of jax.experimental.rnn.lstm.", 1, False, [5, 5], False)
make("jax-lstm-lengths", "a bidirectional stack of jax.experimental.rnn.lstm with lengths.", 2, True, [5, 3], False)
make("jax-lstm-gradient", "jax.value_and_grad of a loss of jax.experimental.rnn.lstm.", 2, True, [4, 5], True)
make("jax-lstm-miopen", "the same with the names and the gate order of MIOpen.", 2, True, [4, 5], True, True)
