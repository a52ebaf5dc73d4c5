# jax_export.py - exports a loss and its gradient by jax.export.
#
#   pip install jax flatbuffers        tested with 0.10.2
#   python jax_export.py FILE
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import jax
import jax.numpy as jnp
from jax import export


def loss(x, weights):
    return jnp.mean(jnp.tanh(x @ weights) ** 2)


f32 = jnp.float32
exported = export.export(jax.jit(jax.value_and_grad(loss, argnums=1)))(jax.ShapeDtypeStruct((3, 4), f32),
                                                                       jax.ShapeDtypeStruct((4, 5), f32))
with open(sys.argv[1], "wb") as file:
    file.write(exported.serialize())
