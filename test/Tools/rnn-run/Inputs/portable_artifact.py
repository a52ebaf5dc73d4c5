# portable_artifact.py - writes portable-artifact.mlirbc: StableHLO's bytecode of a small function, without locations.
#
#   pip install jax==0.10.2; python portable_artifact.py portable-artifact.mlirbc
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import jax
import jax.numpy as jnp
from jax._src.interpreters import mlir
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo


def f(x, weights):
    return {"loss": jnp.sum(jnp.tanh(x @ weights))}


exported = jax.export.export(jax.jit(f))(*(jax.ShapeDtypeStruct(s, jnp.float32) for s in ((3, 4), (4, 5))))
with mlir.make_ir_context() as context:
    module = stablehlo.deserialize_portable_artifact(context, exported.mlir_module_serialized)
    passmanager.PassManager.parse("builtin.module(strip-debuginfo)").run(module.operation)
    with open(sys.argv[1], "wb") as file:
        file.write(stablehlo.serialize_portable_artifact(module, "1.0.0"))
