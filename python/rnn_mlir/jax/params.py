# params.py - parameters of layers: as a pytree with named tensors, as the flat array of the compiled code, and of
# Keras.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters of `lstm`, `gru` and `rnn`.

A stack of layers has one `Weights` per pseudo layer: layer 0 forward, [layer 0 backward,] layer 1 forward, and so on.
The layer functions accept a sequence of them, or the flat array that `pack` makes.
"""

from __future__ import annotations

import math
import operator
from typing import Any, List, NamedTuple, Optional, Sequence, Union

import jax
import jax.numpy as jnp
import numpy as np

from .._layers import params_size, split_params

Array = Any


class Weights(NamedTuple):
    """One direction of one layer, as in PyTorch: `G` gates of `H` rows in the order i, f, g, o (lstm), r, z, n (gru)."""

    w: Array  #: [G*H, C], of the input
    r: Array  #: [G*H, P], of the state
    bw: Optional[Array] = None  #: [G*H], added to `w x`; None: zero
    br: Optional[Array] = None  #: [G*H], added to `r h`; None: zero
    projection: Optional[Array] = None  #: [P, H] (`lstm` only); None: P = H


Params = Union[Array, Sequence[Weights]]


def size_of(name: str, value: Any, least: int) -> Any:
    """A size as a Python integer. Sizes of jax.export may be symbolic."""
    if jax.export.is_symbolic_dim(value):
        return value
    if isinstance(value, jax.core.Tracer):
        raise TypeError(f"`{name}` is a tracer; expected an integer: make it a static argument of jax.jit")
    if isinstance(value, (bool, np.bool_)) or not hasattr(type(value), "__index__"):
        raise TypeError(f"`{name}` is {value!r}; expected an integer")
    size = operator.index(value)
    if size < least:
        raise ValueError(f"`{name}` is {size}; expected at least {least}")
    return size


def check_projection(subject: str, mode: str, hidden_size: Any, proj_size: Any) -> None:
    """Raises ValueError unless there is no projection, or one to less than the hidden size of an LSTM."""
    if isinstance(proj_size, int) and proj_size == 0:
        return
    if mode != "lstm":
        raise ValueError(f"a projection exists for lstm only, but {subject} {proj_size}, and the mode is {mode}")
    known = isinstance(proj_size, int) and isinstance(hidden_size, int)
    if known and not 0 < proj_size < hidden_size:
        raise ValueError(f"{subject} {proj_size}; expected less than the hidden size, {hidden_size}, or no projection")


def size(mode: str, input_size: int, hidden_size: int, num_layers: int = 1, *, bidirectional: bool = False,
         proj_size: int = 0) -> int:
    """The number of elements of the flat array."""
    input_size, hidden_size = size_of("input_size", input_size, 0), size_of("hidden_size", hidden_size, 1)
    num_layers, proj_size = size_of("num_layers", num_layers, 1), size_of("proj_size", proj_size, 0)
    check_projection("`proj_size` is", mode, hidden_size, proj_size)
    return params_size(mode, input_size, hidden_size, num_layers, 2 if bidirectional else 1, proj_size)


def init(key: Array, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, *, bidirectional: bool = False,
         proj_size: int = 0, dtype: Any = jnp.float32) -> List[Weights]:
    """Weights and biases from the uniform distribution on [-k, k], k = hidden_size ** -0.5, as in PyTorch."""
    if not jnp.issubdtype(dtype, jnp.floating):
        raise TypeError(f"`dtype` is {jnp.dtype(dtype).name}; expected a type of floating-point numbers")
    flat = jax.random.uniform(key, (size(mode, input_size, hidden_size, num_layers, bidirectional=bidirectional,
                                         proj_size=proj_size),), dtype, -1, 1) / math.sqrt(hidden_size)
    return unpack(flat.astype(dtype), mode, input_size, hidden_size, num_layers, bidirectional=bidirectional,
                  proj_size=proj_size)


def in_order(params: Sequence[Weights]) -> List[Array]:
    """The tensors in the order of the flat array."""
    if isinstance(params, Weights):
        raise TypeError("`params` is one Weights; expected a list of them: pass [weights]")
    if not isinstance(params, (list, tuple)) or not params or not all(isinstance(p, Weights) for p in params):
        raise TypeError(f"`params` is a {type(params).__name__}; expected a list with one Weights per layer and direction")
    matrices, biases = [], []
    for p in params:
        matrices += [p.w, p.r] + ([] if p.projection is None else [p.projection])
        biases += [jnp.zeros(p.w.shape[:1], p.w.dtype) if b is None else b for b in (p.bw, p.br)]
    return [*matrices, *biases]


def pack(params: Sequence[Weights]) -> Array:
    """The flat array: all matrices, then all biases (docs/Semantics.md, "Parameter layout"), which is also cuDNN's order
    and that of jax.experimental.rnn."""
    return jnp.concatenate([jnp.ravel(v) for v in in_order(params)])


def unpack(flat: Array, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, *,
           bidirectional: bool = False, proj_size: int = 0) -> List[Weights]:
    """The tensors in a flat array."""
    expected = size(mode, input_size, hidden_size, num_layers, bidirectional=bidirectional, proj_size=proj_size)
    if not hasattr(flat, "shape"):
        raise TypeError(f"`flat` is a {type(flat).__name__}; expected the array of `pack`")
    if flat.shape != (expected,):
        raise ValueError(f"`flat` has shape {flat.shape}, but {num_layers} layers of {mode} with input_size {input_size} "
                         f"and hidden_size {hidden_size} have ({expected},)")
    pseudo = split_params(flat, mode, 2 if bidirectional else 1, num_layers, input_size, hidden_size, proj_size)
    return [Weights(p.w, p.r, p.bw, p.br, p.projection) for p in pseudo]


# --- Keras -----------------------------------------------------------------------------------------------------------

#: For each gate of ours: its index in Keras (i, f, c, o and z, r, h).
_KERAS_ORDER = {"lstm": (0, 1, 2, 3), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}


def _reorder(value: Any, mode: str, inverse: bool) -> Any:
    """Permutes the blocks of gates in the last dimension."""
    if mode not in _KERAS_ORDER:
        raise ValueError(f"`mode` is {mode!r}; expected one of {', '.join(_KERAS_ORDER)}")
    order, shape = np.asarray(_KERAS_ORDER[mode]), np.shape(value)
    if not shape or shape[-1] % len(order):
        raise ValueError(f"an array of a Keras layer has shape {shape}; expected the {len(order)} gates of {mode} in its last "
                         "dimension")
    blocks = np.split(np.asarray(value), len(order), axis=-1)
    return np.concatenate([blocks[k] for k in (np.argsort(order) if inverse else order)], axis=-1)


def from_keras_arrays(mode: str, arrays: Sequence[Any]) -> Weights:
    """Weights of one direction from `layer.get_weights()` of a Keras 3 LSTM, GRU or SimpleRNN: kernel,
    recurrent_kernel[, bias]. A GRU must have reset_after=True, the default: its bias has two rows."""
    if len(arrays) not in (2, 3):
        raise ValueError(f"a Keras layer has a kernel, a recurrent kernel and a bias or none, but got {len(arrays)} "
                         f"arrays{'; build the layer first' * (not arrays)}")
    kernel, recurrent = (_reorder(v, mode, False).T for v in arrays[:2])
    if len(arrays) == 2:
        return Weights(jnp.asarray(kernel), jnp.asarray(recurrent))
    bias = _reorder(arrays[2], mode, False)
    if mode == "gru" and bias.ndim != 2:
        raise ValueError("a GRU with reset_after=False applies the reset gate before the GEMM, which no lowering "
                         "computes; use reset_after=True")
    bw, br = bias if mode == "gru" else (bias, np.zeros_like(bias))
    return Weights(*map(jnp.asarray, (kernel, recurrent, bw, br)))


def to_keras_arrays(mode: str, weights: Weights, use_bias: bool = True) -> List[Any]:
    """The inverse of `from_keras_arrays`. An LSTM or SimpleRNN of Keras has one bias: the sum of both."""
    if weights.projection is not None:
        raise ValueError("Keras layers have no projection")
    kernel, recurrent = (_reorder(np.asarray(v).T, mode, True) for v in (weights.w, weights.r))
    zero = np.zeros(kernel.shape[-1:], kernel.dtype)
    bw, br = (zero if b is None else np.asarray(b) for b in (weights.bw, weights.br))
    if not use_bias:
        if bw.any() or br.any():
            raise ValueError("the layer has use_bias=False, but the parameters have biases")
        return [kernel, recurrent]
    bias = np.stack([bw, br]) if mode == "gru" else bw + br
    return [kernel, recurrent, _reorder(bias, mode, True)]


def _keras_layers(layers: Any) -> List[Any]:
    """Pseudo layers of a Keras layer, of Bidirectional wrappers, or of a list of either. Raises ValueError for a direction or a merge mode
    that the layers of this package do not have."""
    out: List[Any] = []
    for layer in layers if isinstance(layers, (list, tuple)) else [layers]:
        both = hasattr(layer, "forward_layer")
        if both and layer.merge_mode != "concat":
            raise ValueError(f"{layer.name} has merge_mode={layer.merge_mode!r}; expected 'concat', since the layers of this package concatenate "
                             "both directions")
        for one, backwards in [(layer.forward_layer, False), (layer.backward_layer, True)] if both else [(layer, False)]:
            if getattr(one, "go_backwards", backwards) != backwards:
                raise ValueError(f"{one.name} has go_backwards={one.go_backwards}; expected {backwards}. The layers of this package run backwards "
                                 "only as the second layer of a Bidirectional: reverse the input, or wrap it")
            out.append(one)
    return out


def keras_mode(layer: Any) -> str:
    """The mode of a Keras layer. Raises ValueError if its options are not those of a mode."""
    name = type(layer).__name__
    activation = getattr(getattr(layer, "activation", None), "__name__", "tanh")
    if name == "SimpleRNN" and activation in ("tanh", "relu"):
        return "rnn_" + activation
    modes = {"LSTM": "lstm", "GRU": "gru"}
    if name not in (*modes, "SimpleRNN"):
        raise ValueError(f"{name} is no recurrent layer with weights of its own; expected a Keras LSTM, GRU or SimpleRNN, a Bidirectional "
                         "of one, or a list of them")
    recurrent = getattr(getattr(layer, "recurrent_activation", None), "__name__", "sigmoid")
    if name == "SimpleRNN" or activation != "tanh" or recurrent != "sigmoid":
        also = f" and recurrent_activation {recurrent}" if name in modes else ""
        raise ValueError(f"{name} with activation {activation}{also} is no mode of rnn-mlir; expected an LSTM or GRU with tanh "
                         "and sigmoid, or a SimpleRNN with tanh or relu")
    if name == "GRU" and not layer.reset_after:
        raise ValueError("a GRU with reset_after=False is not supported; use reset_after=True")
    return modes[name]


def from_keras(layers: Any) -> List[Weights]:
    """Parameters of a built Keras 3 LSTM, GRU or SimpleRNN, of a Bidirectional wrapper, or of a list of them (a stack). Raises ValueError
    for a layer that computes something else."""
    return [from_keras_arrays(keras_mode(layer), layer.get_weights()) for layer in _keras_layers(layers)]


def to_keras(params: Sequence[Weights], layers: Any) -> None:
    """Sets the weights of built Keras 3 layers."""
    if isinstance(params, Weights) or not isinstance(params, (list, tuple)):
        raise TypeError(f"`params` is a {type(params).__name__}; expected a list with one Weights per layer and direction")
    every = _keras_layers(layers)
    if len(every) != len(params):
        raise ValueError(f"`params` has {len(params)} Weights, but the Keras layers have {len(every)} layers and directions")
    for weights, layer in zip(params, every):
        expected, mode = [tuple(v.shape) for v in layer.weights], keras_mode(layer)
        if not expected:
            raise ValueError(f"{layer.name} has no weights yet; build the layer first")
        arrays = to_keras_arrays(mode, weights, layer.use_bias)
        given = [v.shape for v in arrays]
        if expected != given:
            raise ValueError(f"`params` has arrays of shapes {given} for {layer.name}, a {type(layer).__name__}; expected {expected}")
        layer.set_weights(arrays)
