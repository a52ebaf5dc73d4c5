# jax_lstm.py - writes a loss of jax.experimental.rnn.lstm and its gradient as MLIR.
#
#   pip install jax && pip install --no-deps jax-cuda12-plugin        tested with 0.10.2; no GPU is needed
#   python jax_lstm.py > jax_lstm.mlir
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import jax
import jax.numpy as jnp
import jaxlib.gpu_rnn
from jax._src.interpreters import mlir
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

# Without a GPU, cuDNN cannot tell the sizes of its buffers. They are not read here.
jaxlib.gpu_rnn.compute_rnn_workspace_reserve_space_sizes = lambda *sizes: (1000, 2000)
from jax.experimental import rnn  # noqa: E402

B, T, I, H, L = 2, 5, 3, 4, 1


def loss(x, h, c, weights, lengths):
    y, hn, cn = rnn.lstm(x, h, c, weights, lengths, I, H, L, dropout=0.0, bidirectional=False)
    return jnp.sum(y * y)


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


operands = (f32(B, T, I), f32(L, B, H), f32(L, B, H), f32(rnn.get_num_params_in_lstm(I, H, L, False)),
            jax.ShapeDtypeStruct((B,), jnp.int32))
step = jax.jit(jax.value_and_grad(loss, argnums=3))
text = step.trace(*operands).lower(lowering_platforms=("cuda",)).as_text()

# The ops around the layer become linalg ops. The custom calls stay.
stablehlo.register_stablehlo_passes()
context = mlir.make_ir_context()
context.allow_unregistered_dialects = True
with context:
    module = ir.Module.parse(text)
    passmanager.PassManager.parse("builtin.module(stablehlo-legalize-to-linalg,canonicalize)").run(module.operation)
    print(module.operation.get_asm(print_generic_op_form=True))
