# test_import_calls.py - functions of imported programs become part of their callers. Skipped without JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import rnn_mlir  # noqa: E402
from jax import export  # noqa: E402
from rnn_mlir.importers import stablehlo as tool  # noqa: E402

X = np.linspace(-2, 2, 24, dtype=np.float32).reshape(4, 6)


def imported(function, *values):
    return tool.import_module(export.export(jax.jit(function))(*values).mlir_module_serialized)


def check(text, function, *values):
    results = rnn_mlir.compile(text)(*values)
    wanted = jax.tree.leaves(function(*values))
    for got, want in zip(results if isinstance(results, (list, tuple)) else [results], wanted, strict=True):
        np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-5, atol=1e-6)


def drop(x, seed):
    return jnp.where(jax.random.bernoulli(jax.random.wrap_key_data(seed), 0.9, x.shape), x / 0.9, 0)


@pytest.mark.parametrize("function, values", (
    (lambda x: jax.nn.relu(jnp.where(x > 1, jnp.clip(x, -1, 1), jax.nn.silu(x))), [X]), (drop, [X, np.array([1, 2], np.uint32)]),
    (lambda x: jax.lax.fori_loop(0, 3, lambda _, y: jax.nn.relu(jnp.sin(y)), x), [X]),
    (lambda x: jax.lax.cond(x[0, 0] > 0, jax.nn.relu, jax.nn.silu, x), [X])))
def test_functions(function, values):
    text = imported(function, *values)
    assert "func.call" not in text and text.count('"func.func"') == 1
    check(text, function, *values)


def test_large_function_of_several_calls():
    @jax.jit
    def large(x):
        for k in range(700):
            x = jnp.sin(x) + k
        return x

    def function(x):
        return large(large(large(x)) * 0)
    text = imported(function, X)
    assert text.count('"func.call"') == 3 and text.count('"func.func"') == 2
    check(text, function, X)


MODULE = """module {{
func.func public @main(%x: tensor<4x2x3xf32>) -> tensor<4x2x3xf32> {{
  {calls}
}}
func.func private @layer(%x: tensor<4x2x3xf32>) -> tensor<4x2x3xf32> {{
  %0 = stablehlo.custom_call @rnn_test(%x) : (tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}}
}}"""


def test_layers(capsys):
    """One that is called twice is compiled once."""
    call = "%{0} = call @layer(%{1}) : (tensor<4x2x3xf32>) -> tensor<4x2x3xf32>\n"
    once = tool.import_module(MODULE.format(calls=call.format(0, "x") + "return %0 : tensor<4x2x3xf32>"))
    twice = tool.import_module(MODULE.format(calls=call.format(0, "x") + call.format(1, 0) + "return %1 : tensor<4x2x3xf32>"))
    assert once.count('"func.func"') == 1 and once.count("stablehlo.custom_call") == 1
    assert twice.count('"func.func"') == 2 and twice.count("stablehlo.custom_call") == 1
    capsys.readouterr()  # warnings about the custom call


def test_recursion():
    functions = "".join(f"func.func private @f{k}(%x: tensor<f32>) -> tensor<f32> {{\n%0 = call @f{1 - k}(%x) : (tensor<f32>) -> tensor<f32>\n"
                        "return %0 : tensor<f32>\n}\n" for k in (0, 1))
    text = tool.import_module("module {\nfunc.func public @main(%x: tensor<f32>) -> tensor<f32> {\n"
                              f"%0 = call @f0(%x) : (tensor<f32>) -> tensor<f32>\nreturn %0 : tensor<f32>\n}}\n{functions}}}")
    assert text.count('"func.call"') == 3
