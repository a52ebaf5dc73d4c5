# params.py - the parameters of a stack of layers as canonical arrays, and the layouts of other frameworks.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters of recurrent layers: gate order, biases and memory layout of each framework."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _dlpack, _layers

Arrays = Dict[str, Any]

#: The order of the gates in each framework, by the names of `_layers.GATES`.
GATE_ORDERS: Dict[str, Dict[str, Tuple[str, ...]]] = {
    "torch": {"lstm": ("i", "f", "g", "o"), "gru": ("r", "z", "n")},
    "jax": {"lstm": ("i", "f", "g", "o"), "gru": ("r", "z", "n")},
    "keras": {"lstm": ("i", "f", "g", "o"), "gru": ("z", "r", "n")},
    "onnx": {"lstm": ("i", "o", "f", "g"), "gru": ("z", "r", "n")},
    "tensorflow": {"lstm": ("i", "g", "f", "o"), "gru": ("r", "z", "n")},
}

#: The biases of each framework.
BIASES: Dict[str, Dict[str, str]] = {
    "torch": {mode: "two per gate: input and state" for mode in _layers.GATES},
    "jax": {mode: "two per gate: input and state" for mode in _layers.GATES},
    "onnx": {mode: "two per gate: input and state" for mode in _layers.GATES},
    "keras": {"lstm": "one per gate, the sum", "gru": "two per gate (reset_after=True)",
              "rnn_tanh": "one, the sum", "rnn_relu": "one, the sum"},
    "tensorflow": {"lstm": "one per gate, the sum", "gru": "the sum for r and z, two for n",
                   "rnn_tanh": "one, the sum", "rnn_relu": "one, the sum"},
}


@dataclasses.dataclass
class PseudoLayer:
    """One layer in one direction. Rows of matrices are grouped by gate, in the order of `_layers.GATES`."""

    w: Any  #: input matrix [G*H, C]
    r: Any  #: recurrent matrix [G*H, P]
    bw: Any  #: input biases [G*H]
    br: Any  #: state biases [G*H]
    projection: Optional[Any] = None  #: [P, H]


@dataclasses.dataclass
class Stack:
    """All layers, in the order layer 0 forward, layer 0 backward, layer 1 forward, and so on."""

    mode: str
    direction: str
    layers: List[PseudoLayer]

    def __post_init__(self) -> None:
        _layers.check(self.mode, self.direction, "f32")
        gates = len(_layers.GATES[self.mode])
        if not self.layers or len(self.layers) % self.directions:
            raise ValueError(f"expects a multiple of {self.directions} pseudo layers, but got {len(self.layers)}")
        for name, array in (("w", self.layers[0].w), ("r", self.layers[0].r)):
            if len(array.shape) != 2 or not array.shape[0] or array.shape[0] % gates:
                raise ValueError(f"`{name}` of pseudo layer 0 must be a matrix whose rows are a multiple of {gates} (gates of "
                                 f"{self.mode}), but has shape {tuple(array.shape)}")
        is_projected = self.layers[0].projection is not None
        if is_projected and self.mode != "lstm":
            raise ValueError(f"only lstm has a projection of the state, but the layers are {self.mode}")
        output = self.output_size if is_projected else self.hidden_size
        width = self.input_size
        for k, layer in enumerate(self.layers):
            if k and k % self.directions == 0:
                width = self.directions * output
            if (layer.projection is not None) != is_projected:
                raise ValueError(f"pseudo layers 0 and {k} must both have a projection, or none, but one of them has")
            rows = gates * self.hidden_size
            for name, array, shape in (("w", layer.w, (rows, width)), ("r", layer.r, (rows, output)),
                                       ("bw", layer.bw, (rows,)), ("br", layer.br, (rows,)),
                                       ("projection", layer.projection, (output, self.hidden_size))):
                if array is not None and tuple(array.shape) != shape:
                    raise ValueError(f"`{name}` of pseudo layer {k} must have shape {shape} ({gates} gates x hidden "
                                     f"size {self.hidden_size}), but has {tuple(array.shape)}")

    @property
    def directions(self) -> int:
        """1 or 2."""
        return _layers.DIRECTIONS[self.direction]

    @property
    def num_layers(self) -> int:
        """L"""
        return len(self.layers) // self.directions

    @property
    def input_size(self) -> int:
        """I"""
        return int(self.layers[0].w.shape[1])

    @property
    def hidden_size(self) -> int:
        """H"""
        return int(self.layers[0].w.shape[0]) // len(_layers.GATES[self.mode])

    @property
    def output_size(self) -> int:
        """P: H without a projection."""
        return int(self.layers[0].r.shape[1])

    @property
    def dtypes(self) -> List[Any]:
        """NumPy's element types, each once."""
        return list(dict.fromkeys(a.dtype for p in self.layers for a in (p.w, p.r, p.bw, p.br, p.projection) if a is not None))

    @property
    def dtype(self) -> Any:
        """NumPy's element type. Of arrays of several types, the one that has all their values."""
        return np.result_type(*self.dtypes)

    def name(self, index: int) -> Tuple[int, bool]:
        """The layer of a pseudo layer, and whether it is the backward direction."""
        return index // self.directions, index % self.directions == 1


def as_floats(array: Any, what: str) -> Any:
    """An array of a file as NumPy's native floats. NumPy and HDF5 store bf16 as two bytes without a type. `what` is the subject
    of errors."""
    array, bfloat16 = np.asarray(array), _dlpack.numpy_bfloat16()
    dtype = array.dtype
    if dtype.type is np.void and dtype.itemsize == 2 and dtype.names is None:
        if bfloat16 is None:
            raise ValueError(f"{what} has elements of two bytes, which are bf16; to read them, install the package ml_dtypes")
        return array.view(bfloat16)
    if dtype.kind == "f" and dtype.itemsize in (2, 4, 8):
        return array.astype(dtype.newbyteorder("="), copy=False)
    if bfloat16 is None or dtype != bfloat16:
        raise ValueError(f"{what} has elements of type {dtype}; expected float16, bfloat16, float32 or float64")
    return array


# -- Our opaque layout, which is JAX's and cuDNN's for dense parameters -----------------------------------------------


def to_opaque(stack: Stack) -> Any:
    """The flat parameters of target host: all matrices, then all biases."""
    parts: List[Any] = []
    for layer in stack.layers:
        parts += [layer.w, layer.r] + ([] if layer.projection is None else [layer.projection])
    for layer in stack.layers:
        parts += [layer.bw, layer.br]
    return np.concatenate([np.ascontiguousarray(part).ravel() for part in parts])


def from_opaque(params: Any, mode: str, direction: str, input_size: int, hidden_size: int, layers: int = 1, *,
                projection: int = 0, skip_input: bool = False) -> Stack:
    """The arrays of flat parameters, as views."""
    _layers.check(mode, direction, "f32")
    directions = _layers.DIRECTIONS[direction]
    flat = np.asarray(params).reshape(-1)
    sizes = (0 if skip_input else input_size, hidden_size)
    num_proj = projection if projection < hidden_size else 0
    count = _layers.params_size(mode, *sizes, layers, directions, num_proj)
    if count != flat.size:
        raise ValueError(f"{mode}, {direction}, I={input_size}, H={hidden_size}, L={layers} has {count} parameters, "
                         f"but got {flat.size}; check the sizes, the direction and the number of layers")
    pseudo = [PseudoLayer(w, r, bw, br, p)
              for w, r, p, bw, br in _layers.split_params(flat, mode, directions, layers, *sizes, num_proj)]
    return Stack(mode, direction, pseudo)


# -- Gates ------------------------------------------------------------------------------------------------------------


def _permutation(mode: str, framework: str) -> Optional[List[int]]:
    ours, theirs = _layers.GATES[mode], GATE_ORDERS[framework].get(mode)
    return None if theirs is None or theirs == ours else [ours.index(gate) for gate in theirs]


def reorder(array: Any, mode: str, framework: str, *, back: bool = False) -> Any:
    """Changes rows grouped by gate from our order to a framework's, or `back`."""
    order = _permutation(mode, framework)
    if order is None:
        return array
    if back:
        order = [order.index(k) for k in range(len(order))]
    grouped = array.reshape(len(order), -1, *array.shape[1:])
    return grouped[order].reshape(array.shape)


# -- PyTorch ----------------------------------------------------------------------------------------------------------


def to_torch(stack: Stack, prefix: str = "") -> Arrays:
    """The state dict of nn.LSTM, nn.GRU or nn.RNN, as NumPy arrays."""
    state: Arrays = {}
    for k, layer in enumerate(stack.layers):
        number, is_backward = stack.name(k)
        suffix = f"_l{number}{'_reverse' if is_backward else ''}"
        for name, array in (("weight_ih", layer.w), ("weight_hh", layer.r), ("bias_ih", layer.bw),
                            ("bias_hh", layer.br), ("weight_hr", layer.projection)):
            if array is not None:
                state[prefix + name + suffix] = np.ascontiguousarray(array)
    return state


def from_torch(state: Mapping[str, Any], mode: str, prefix: str = "") -> Stack:
    """The inverse of `to_torch`. Missing biases are zero."""
    directions = 2 if f"{prefix}weight_ih_l0_reverse" in state else 1
    pseudo: List[PseudoLayer] = []
    while True:
        number, is_backward = len(pseudo) // directions, len(pseudo) % directions == 1
        suffix = f"_l{number}{'_reverse' if is_backward else ''}"
        if f"{prefix}weight_ih{suffix}" not in state:
            break
        biases = [f"{prefix}{name}{suffix}" for name in ("bias_ih", "bias_hh")]
        has_bias = any(name in state for name in biases)  # bias=False: a layer has none
        for name in (f"{prefix}weight_hh{suffix}", *(biases if has_bias else ())):
            if name not in state:
                raise ValueError(f"the state dict has no `{name}`, but other tensors of this layer")
        w, r = (as_floats(state[name], f"`{name}`") for name in (f"{prefix}weight_ih{suffix}", f"{prefix}weight_hh{suffix}"))
        bw, br = (as_floats(state[name], f"`{name}`") if has_bias else np.zeros(w.shape[0], w.dtype) for name in biases)
        hr = state.get(f"{prefix}weight_hr{suffix}")
        pseudo.append(PseudoLayer(w, r, bw, br, None if hr is None else as_floats(hr, f"`{prefix}weight_hr{suffix}`")))
    if not pseudo:
        raise ValueError(f"the state dict has no `{prefix}weight_ih_l0`; it has {', '.join(list(state)[:8])}")
    if len(pseudo) % directions or len(pseudo) != sum(name.startswith(f"{prefix}weight_ih_l") for name in state):
        raise ValueError(f"the state dict has no `{prefix}weight_ih{suffix}`, but other layers or directions")
    return Stack(mode, "bidirectional" if directions == 2 else "unidirectional", pseudo)


# -- Keras ------------------------------------------------------------------------------------------------------------


def to_keras(stack: Stack) -> List[List[Any]]:
    """For each pseudo layer, the arrays of `layer.get_weights()`: kernel, recurrent kernel, bias."""
    _refuse_projection(stack, "Keras has")
    made = []
    for layer in stack.layers:
        w, r, bw, br = (reorder(a, stack.mode, "keras") for a in (layer.w, layer.r, layer.bw, layer.br))
        bias = np.stack([bw, br]) if stack.mode == "gru" else bw + br
        made.append([np.ascontiguousarray(w.T), np.ascontiguousarray(r.T), bias])
    return made


def from_keras(weights: Sequence[Sequence[Any]], mode: str, direction: str = "unidirectional") -> Stack:
    """The inverse of `to_keras`. A single bias becomes the input bias; the state bias is zero. A GRU must have reset_after=True:
    without biases, its arrays do not show that."""
    pseudo = []
    for k, arrays in enumerate(weights):
        kernel, recurrent, *biases = (as_floats(array, f"an array of cell {k}") for array in arrays[:3])
        bias = biases[0] if biases else np.zeros(kernel.shape[1], kernel.dtype)
        if mode == "gru" and bias.ndim == 1 and biases:
            raise ValueError("a GRU of Keras with reset_after=False applies the reset gate before the GEMM, which "
                             "these layers do not; build it with reset_after=True")
        # The sum of 0.0 and -0.0 is 0.0.
        bw, br = (bias[0], bias[1]) if bias.ndim == 2 else (bias, np.where(bias == 0, bias, np.zeros_like(bias)))
        pseudo.append(PseudoLayer(*(reorder(a, mode, "keras", back=True) for a in (kernel.T, recurrent.T, bw, br))))
    return Stack(mode, direction, pseudo)


# -- ONNX -------------------------------------------------------------------------------------------------------------


def to_onnx(stack: Stack) -> List[Tuple[Any, Any, Any]]:
    """For each layer, the inputs W [D, G*H, C], R [D, G*H, H] and B [D, 2*G*H] of its node."""
    _refuse_projection(stack, "ONNX has")
    made = []
    for first in range(0, len(stack.layers), stack.directions):
        both = stack.layers[first:first + stack.directions]
        w = np.stack([reorder(layer.w, stack.mode, "onnx") for layer in both])
        r = np.stack([reorder(layer.r, stack.mode, "onnx") for layer in both])
        b = np.stack([np.concatenate([reorder(layer.bw, stack.mode, "onnx"), reorder(layer.br, stack.mode, "onnx")])
                      for layer in both])
        made.append((w, r, b))
    return made


def from_onnx(nodes: Sequence[Tuple[Any, Any, Optional[Any]]], mode: str) -> Stack:
    """The inverse of `to_onnx`. A GRU must have linear_before_reset = 1."""
    pseudo, directions = [], 1
    for node in nodes:
        w, r = (as_floats(array, f"`{name}` of a node") for array, name in zip(node, "WR"))
        b = None if node[2] is None else as_floats(node[2], "`B` of a node")
        directions = w.shape[0]
        for k in range(directions):
            rows = w.shape[1]
            bias = np.zeros(2 * rows, w.dtype) if b is None else b[k]
            pseudo.append(PseudoLayer(*(reorder(a, mode, "onnx", back=True)
                                        for a in (w[k], r[k], bias[:rows], bias[rows:]))))
    return Stack(mode, "bidirectional" if directions == 2 else "unidirectional", pseudo)


# -- TensorFlow -------------------------------------------------------------------------------------------------------


#: The names of the platform-independent cells of TensorFlow 1.
TENSORFLOW_CELLS = {"lstm": "cudnn_compatible_lstm_cell", "gru": "cudnn_compatible_gru_cell", "rnn_tanh": "basic_rnn_cell",
                    "rnn_relu": "basic_rnn_cell"}


def tensorflow_prefix(stack_direction: str, mode: str, layer: int, is_backward: bool) -> str:
    """The scope of the platform-independent cell whose variables contrib's saveable writes."""
    cell = TENSORFLOW_CELLS[mode]
    if stack_direction == "unidirectional":
        return f"rnn/multi_rnn_cell/cell_{layer}/{cell}"
    side = "bw" if is_backward else "fw"
    return f"stack_bidirectional_rnn/cell_{layer}/bidirectional_rnn/{side}/{cell}"


def to_tensorflow(stack: Stack, scope: str = "") -> Arrays:
    """The variables of the equal CudnnCompatible cells. Biases of a gate are summed, except those of GRU's candidate."""
    _refuse_projection(stack, "TensorFlow's cells have")
    made: Arrays = {}
    for k, layer in enumerate(stack.layers):
        prefix = (scope + "/" if scope else "") + tensorflow_prefix(stack.direction, stack.mode, *stack.name(k))
        hidden = stack.hidden_size
        if stack.mode == "gru":
            gates = 2 * hidden
            made[f"{prefix}/gates/kernel"] = np.ascontiguousarray(
                np.concatenate([layer.w[:gates], layer.r[:gates]], axis=1).T)
            made[f"{prefix}/gates/bias"] = layer.bw[:gates] + layer.br[:gates]
            for side, matrix, bias in (("input", layer.w, layer.bw), ("hidden", layer.r, layer.br)):
                made[f"{prefix}/candidate/{side}_projection/kernel"] = np.ascontiguousarray(matrix[gates:].T)
                made[f"{prefix}/candidate/{side}_projection/bias"] = np.array(bias[gates:])
            continue
        kernel = np.concatenate([layer.w, layer.r], axis=1)
        made[f"{prefix}/kernel"] = np.ascontiguousarray(reorder(kernel, stack.mode, "tensorflow").T)
        made[f"{prefix}/bias"] = reorder(layer.bw + layer.br, stack.mode, "tensorflow")
    return made


def _halves(bias: Any) -> Tuple[Any, Any]:
    """Two numbers with exactly this sum: half of an odd subnormal is rounded."""
    half = bias * bias.dtype.type(0.5)
    with np.errstate(invalid="ignore"):  # infinities
        rest = bias - half
    return half, np.where(np.isfinite(bias) & (bias != 0), rest, half)  # 0.0 - 0.0 has no sign


def from_tensorflow(variables: Mapping[str, Any], mode: str, direction: str = "unidirectional",
                    scope: str = "") -> Stack:
    """The inverse of `to_tensorflow`: half of a summed bias goes to the input and half to the state, as in contrib."""
    directions = _layers.DIRECTIONS[direction]
    pseudo: List[PseudoLayer] = []

    def take(name: str) -> Any:
        if name not in variables:
            raise ValueError(f"there is no variable `{name}`, but others of this cell")
        return as_floats(variables[name], f"`{name}`")

    while True:
        number, is_backward = len(pseudo) // directions, len(pseudo) % directions == 1
        prefix = (scope + "/" if scope else "") + tensorflow_prefix(direction, mode, number, is_backward)
        first = f"{prefix}/gates/kernel" if mode == "gru" else f"{prefix}/kernel"
        if first not in variables:
            break
        kernel = take(first).T
        if mode == "gru":
            hidden = kernel.shape[0] // 2
            inputs, states = ({part: take(f"{prefix}/candidate/{side}_projection/{part}")
                               for part in ("kernel", "bias")} for side in ("input", "hidden"))
            halves = _halves(take(f"{prefix}/gates/bias"))
            width = kernel.shape[1] - hidden
            pseudo.append(PseudoLayer(np.concatenate([kernel[:, :width], inputs["kernel"].T]),
                                      np.concatenate([kernel[:, width:], states["kernel"].T]),
                                      np.concatenate([halves[0], inputs["bias"]]),
                                      np.concatenate([halves[1], states["bias"]])))
            continue
        kernel = reorder(kernel, mode, "tensorflow", back=True)
        halves = _halves(reorder(take(f"{prefix}/bias"), mode, "tensorflow", back=True))
        width = kernel.shape[1] - kernel.shape[0] // len(_layers.GATES[mode])
        pseudo.append(PseudoLayer(kernel[:, :width], kernel[:, width:], *halves))
    if not pseudo:
        raise ValueError(f"there is no variable `{first}`; there are {', '.join(list(variables)[:8])}")
    return Stack(mode, direction, pseudo)


# -- Canonical arrays -------------------------------------------------------------------------------------------------


def to_canonical(stack: Stack) -> Tuple[List[Any], List[Any]]:
    """Weights and biases, one per gate, in the order of cuDNN and of `rnn.cudnn_params_to_canonical`."""
    gates = len(_layers.GATES[stack.mode])
    weights: List[Any] = []
    biases: List[Any] = []
    for layer in stack.layers:
        weights += np.split(layer.w, gates) + np.split(layer.r, gates)
        if layer.projection is not None:
            weights.append(layer.projection)
        biases += np.split(layer.bw, gates) + np.split(layer.br, gates)
    return weights, biases


def from_canonical(weights: Sequence[Any], biases: Sequence[Any], mode: str, direction: str, input_size: int,
                   hidden_size: int, *, skip_input: bool = False) -> Stack:
    """The inverse of `to_canonical`. Tensors may have any shape with the right number of elements."""
    gates, directions = len(_layers.GATES[mode]), _layers.DIRECTIONS[direction]
    stacked = len(biases) // (2 * gates)
    per_layer = len(weights) // max(stacked, 1)
    if len(biases) % (2 * gates) or not stacked or len(weights) != stacked * per_layer or per_layer not in (
            2 * gates, 2 * gates + 1):
        raise ValueError(f"{mode} expects {2 * gates} weights and {2 * gates} biases per layer and direction, but got "
                         f"{len(weights)} and {len(biases)}")
    pseudo = []

    def shape(index: int, array: Any, *sizes: int) -> Any:
        if array.size != math.prod(sizes):
            raise ValueError(f"weight {index} must have {math.prod(sizes)} elements ({' x '.join(map(str, sizes))}), but has "
                             f"shape {array.shape}")
        return array.reshape(sizes)

    for k in range(stacked):
        first = k * per_layer
        mine = [np.asarray(a) for a in weights[first:first + per_layer]]
        both = [np.asarray(a).reshape(-1) for a in biases[k * 2 * gates:(k + 1) * 2 * gates]]
        projection = mine[-1].reshape(-1, hidden_size) if per_layer > 2 * gates else None
        output = projection.shape[0] if projection is not None else hidden_size
        width = directions * output if k >= directions else 0 if skip_input else input_size
        matrices = [shape(first + n, a, hidden_size, width if n < gates else output) for n, a in enumerate(mine[:2 * gates])]
        for n, bias in enumerate(both, k * 2 * gates):
            if bias.size != hidden_size:
                raise ValueError(f"bias {n} must have {hidden_size} elements, but has {bias.size}")
        pseudo.append(PseudoLayer(np.concatenate(matrices[:gates]), np.concatenate(matrices[gates:]),
                                  np.concatenate(both[:gates]), np.concatenate(both[gates:]), projection))
    return Stack(mode, direction, pseudo)


def _refuse_projection(stack: Stack, what: str) -> None:
    if any(layer.projection is not None for layer in stack.layers):
        raise ValueError(f"{what} no projection of the state, but the layers have one to {stack.output_size} elements")
