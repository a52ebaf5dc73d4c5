# test_jax_cudnn_rnn.py - the classes of contrib on arrays of JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from rnn_mlir import cudnn_rnn  # noqa: E402

CLASSES = {"lstm": (cudnn_rnn.CudnnLSTM, cudnn_rnn.CudnnLSTMSaveable), "gru": (cudnn_rnn.CudnnGRU, cudnn_rnn.CudnnGRUSaveable),
           "tanh": (cudnn_rnn.CudnnRNNTanh, cudnn_rnn.CudnnRNNTanhSaveable),
           "relu": (cudnn_rnn.CudnnRNNRelu, cudnn_rnn.CudnnRNNReluSaveable)}


@pytest.mark.parametrize("direction", ("unidirectional", "bidirectional"))
@pytest.mark.parametrize("mode", CLASSES)
def test_arrays(mode, direction, tmp_path):
    """Calls, conversions and saveables have the results of NumPy, as arrays of JAX."""
    kind, saveable = CLASSES[mode]
    layers, units, inputs, d = 2, 5, 4, 1 + (direction == "bidirectional")
    model, random = kind(layers, units, inputs, direction=direction), np.random.default_rng(2)
    x, *states = [random.standard_normal(s).astype("f") for s in ((6, 3, inputs), (layers * d, 3, units), (layers * d, 3, units))]
    states = states[:1 + (mode == "lstm")]
    params = (random.standard_normal(model.params_size()) / 4).astype("f")
    arrays = [jnp.asarray(v) for v in (x, *states, params)]
    for is_training in (False, True):
        wanted = model(x, *states, params, is_training=is_training)
        for got, want in zip(model(*arrays, is_training=is_training), wanted):
            assert isinstance(got, jax.Array) and np.array_equal(got, want)
    weights, biases = model.params_to_canonical(arrays[-1])
    assert all(isinstance(v, jax.Array) for v in (*weights, *biases))
    back = model.canonical_to_params(weights, biases)
    assert isinstance(back, jax.Array) and np.array_equal(back, params)

    saved = saveable(arrays[-1], layers, units, inputs, direction=direction)
    plain = saveable(params.copy(), layers, units, inputs, direction=direction)
    saved.save(tmp_path / "saved.npz")
    zeros = jnp.zeros_like(arrays[-1])
    other = saveable(zeros, layers, units, inputs, direction=direction)
    restored = other.load(tmp_path / "saved.npz")
    assert isinstance(restored, jax.Array) and restored.dtype == zeros.dtype and not zeros.any()
    assert np.array_equal(restored, plain.restore(plain.tensors()))
    assert all(np.array_equal(other.tensors()[name], array) for name, array in plain.tensors().items())
