# _arguments.py - checks of the arguments of the layer functions, and the sizes that they imply.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments as arrays and sizes. Each error names the argument, the expected value and the given one."""

from __future__ import annotations

import math
import numbers
from typing import Any, Optional, Sequence, Tuple

import jax
import jax.numpy as jnp
import numpy as np

from .. import _layers
from ._lowering import DTYPES
from .params import Params, Weights, check_projection, size_of

Array = Any
_LARGEST = 2 ** 31 - 1


def expect(name: str, value: Any, shape: Sequence[int]) -> None:
    if tuple(value.shape) != tuple(shape):
        raise ValueError(f"`{name}` has shape {tuple(value.shape)}; expected {tuple(shape)}")


def array(name: str, value: Any) -> Array:
    """`value` as an array of JAX."""
    if isinstance(value, np.ndarray) and not value.dtype.isnative:
        value = value.astype(value.dtype.newbyteorder("="))
    try:
        return jnp.asarray(value)
    except (TypeError, ValueError) as error:
        shown = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
        raise type(error)(f"`{name}` is {shown}; expected an array of numbers ({error})") from None


def floats(name: str, value: Any) -> Array:
    """An array of a type that the layers compute in."""
    value = array(name, value)
    if value.dtype.name not in DTYPES:
        raise TypeError(f"`{name}` has dtype {value.dtype}; expected one of {', '.join(DTYPES)}")
    return value


def _is_of_host(value: Any) -> bool:
    """Whether NumPy can read `value` without JAX."""
    return isinstance(value, (np.ndarray, np.generic, numbers.Number)) or (
        isinstance(value, (list, tuple)) and not any(isinstance(v, jax.Array) for v in jax.tree.leaves(value)))


def _integers(name: str, value: Any) -> Array:
    """An array of integers: of NumPy if `value` has no array of JAX."""
    # JAX would truncate the 64-bit integers of NumPy unless x64 is enabled.
    value = np.asarray(value) if _is_of_host(value) else array(name, value)
    if not jnp.issubdtype(value.dtype, jnp.integer):
        raise TypeError(f"`{name}` has dtype {value.dtype}; expected integers")
    return value


def _int32(value: Array) -> Array:
    bounds = jnp.iinfo(value.dtype)
    if bounds.max > _LARGEST:  # Clipped values stay outside of every range of steps. Bounds outside of the type would wrap.
        value = (np if isinstance(value, np.ndarray) else jnp).clip(value, max(int(bounds.min), -1), _LARGEST)
    return jnp.asarray(value.astype(np.int32))


def lengths_of(value: Any, batch: int, steps: Any) -> Array:
    """`lengths`. Values that are known now are checked now: on several devices and on GPUs, programs clamp them."""
    value = _integers("lengths", value)
    expect("lengths", value, (batch,))
    if isinstance(value, np.ndarray) and isinstance(steps, int):
        for k in np.flatnonzero((value < 0) | (value > steps))[:1]:
            raise ValueError(f"expects element {k} of `lengths` to be in [0, T = {steps}], but got {value[k]}")
    return _int32(value)


def steps_of(value: Any, steps: Any) -> Array:
    """`seq_len_max`, checked like `lengths`."""
    value = _integers("seq_len_max", value)
    if value.size != 1:
        raise ValueError(f"`seq_len_max` has shape {value.shape}; expected one integer")
    if isinstance(value, np.ndarray) and isinstance(steps, int) and not 0 <= value.item() <= steps:
        raise ValueError(f"expects `seq_len_max` to be in [0, T = {steps}], but got {value.item()}")
    return _int32(value).reshape(())


def resets_of(value: Any, shape: Sequence[int]) -> Array:
    value = array("resets", value)
    expect("resets", value, shape)
    return value.astype(bool)


def flag_of(name: str, value: Any) -> bool:
    """An option as a Python bool: code is compiled for it."""
    if isinstance(value, jax.core.Tracer):
        raise TypeError(f"`{name}` is a tracer; expected True or False: make it a static argument of jax.jit")
    return bool(value)


def key_of(value: Any) -> Array:
    """The key of a dropout: of jax.random.key, or of jax.random.PRNGKey."""
    if value is None:
        raise ValueError("`dropout` needs a `key`; pass dropout=0 for inference")
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    typed = dtype is not None and jnp.issubdtype(dtype, jax.dtypes.prng_key)
    if typed and shape == () or dtype == np.uint32 and shape is not None and len(shape) == 1:
        return value
    given = f"a {type(value).__name__}" if dtype is None else f"an array of {dtype} with shape {shape}"
    raise TypeError(f"`key` is {given}; expected one key, as jax.random.key(0) makes it")


def dropout_of(rate: Any) -> float:
    """The rate as a Python float. A scalar of NumPy would change the type of the results."""
    if isinstance(rate, (bool, np.bool_)):
        raise ValueError(f"`dropout` is {rate!r}; expected a value in [0, 1]")
    if isinstance(rate, jax.core.Tracer):
        raise TypeError("`dropout` is a tracer; expected a Python number: make it a static argument of jax.jit")
    _layers.check_dropout(rate)
    return float(rate)


def bias_of(value: Any) -> float:
    """`forget_bias` as a Python float."""
    if isinstance(value, jax.core.Tracer):
        raise TypeError("`forget_bias` is traced; expected a number, or add the traced value to `b`")
    scalar = value.item() if isinstance(value, (np.ndarray, jax.Array)) and value.ndim == 0 else value
    if isinstance(scalar, bool) or not isinstance(scalar, numbers.Real) or not math.isfinite(scalar):
        raise ValueError(f"`forget_bias` is {value!r}; expected a finite number")
    return float(scalar)


def check_sequence(params: Any) -> None:
    """Raises an error unless `params` is a flat array or a list of `Weights` of arrays."""
    if isinstance(params, Weights):
        raise TypeError("`params` is one Weights; expected a list with one per layer and direction: pass [weights]")
    if not isinstance(params, (list, tuple)):
        if not hasattr(params, "shape"):
            raise TypeError(f"`params` is a {type(params).__name__}; expected a flat array, or a list of Weights")
        if len(params.shape) != 1:
            raise ValueError(f"`params` has {len(params.shape)} dimensions; expected a flat array, or a list of Weights")
        return
    for index, p in enumerate(params):
        if not isinstance(p, Weights):
            raise TypeError(f"`params[{index}]` is a {type(p).__name__}; expected a Weights of arrays")
        for name, value in zip(p._fields, p):
            if not hasattr(value, "shape") and not (value is None and name not in ("w", "r")):
                raise TypeError(f"`params[{index}].{name}` is a {type(value).__name__}; expected a Weights of arrays")


def check_weights(params: Sequence[Weights], mode: str, directions: int, inputs: int, hidden: int, proj: int) -> None:
    """The flat array has no shapes: tensors of other shapes would be taken for others."""
    gates, output = len(_layers.GATES[mode]) * hidden, proj or hidden
    first = params[0]
    if len(first.r.shape) == 2 and first.projection is None:
        others = [other for other, names in _layers.GATES.items() if first.r.shape[0] == len(names) * first.r.shape[1]]
        if others and mode not in others:
            raise ValueError(f"`params[0].r` has shape {tuple(first.r.shape)}, the gates of {' or '.join(others)}, but the mode is {mode}; "
                             f"expected {(gates, output)}")
    if first.w.shape[1] != inputs:
        raise ValueError(f"`x` has {inputs} features, but `params[0].w` has shape {tuple(first.w.shape)}; expected {(gates, inputs)}, or an "
                         f"`x` with {first.w.shape[1]}")
    for index, p in enumerate(params):
        width = inputs if index < directions else directions * output
        shapes = {"w": (gates, width), "r": (gates, output), "bw": (gates,), "br": (gates,), "projection": (proj, hidden)}
        if (p.projection is not None) != bool(proj):
            raise ValueError(f"`params[{index}].projection` is {'not ' if proj else ''}given, unlike that of `params[0]`")
        for name, shape in shapes.items():
            value = getattr(p, name)
            if value is None and name not in ("w", "r"):
                continue
            if index == 1 and name == "w" and directions == 1 and value.shape == first.w.shape != shape:
                raise ValueError(f"`params[1].w` has shape {tuple(value.shape)}; expected {shape} for a second layer. If it is the backward "
                                 "direction of the first, pass bidirectional=True")
            expect(f"params[{index}].{name}", value, shape)
            if value.dtype != p.w.dtype:
                raise TypeError(f"`params[{index}].{name}` has dtype {value.dtype}, but `w` has {p.w.dtype}; cast one of them")
        if p.w.dtype != params[0].w.dtype:
            raise TypeError(f"`params[{index}]` has dtype {p.w.dtype}, but `params[0]` has {params[0].w.dtype}; cast one of them")


def _from_weights(params: Sequence[Weights], mode: str, directions: int) -> Tuple[int, int, int]:
    gates = len(_layers.GATES[mode])
    if not params or len(params) % directions:
        raise ValueError(f"`params` has {len(params)} pseudo layers; expected a multiple of {directions}")
    first = params[0]
    if len(first.w.shape) != 2 or first.w.shape[0] % gates:
        raise ValueError(f"`params[0].w` has shape {tuple(first.w.shape)}; expected [{gates}*H, C]")
    if first.projection is not None and len(first.projection.shape) != 2:
        raise ValueError(f"`params[0].projection` has shape {tuple(first.projection.shape)}; expected [P, H]")
    proj = 0 if first.projection is None else first.projection.shape[0]
    return first.w.shape[0] // gates, len(params) // directions, proj


def _from_state(directions: int, h0: Optional[Array], c0: Optional[Array], hidden_size: Optional[int],
                num_layers: Optional[int], proj_size: Optional[int]) -> Tuple[int, int, int]:
    """The sizes of flat parameters."""
    given = h0 if h0 is not None else c0
    if given is None:
        if hidden_size is None:
            raise ValueError("flat `params` have no shape of their own; pass `state`, or `hidden_size` and `num_layers`")
        return hidden_size, 1 if num_layers is None else num_layers, proj_size or 0
    if given.shape[0] % directions:
        name = "c0" if h0 is None else "h0"
        raise ValueError(f"`{name}` has {given.shape[0]} pseudo layers; expected a multiple of {directions}")
    if c0 is not None:
        hidden = c0.shape[-1]
    elif proj_size:  # h0 has the features of the projection
        if hidden_size is None:
            raise ValueError("flat `params` with `proj_size` and without `c0` need `hidden_size`")
        hidden = hidden_size
    else:
        hidden = given.shape[-1]
    proj = proj_size or 0
    if proj_size is None and h0 is not None and c0 is not None and h0.shape[-1] != hidden:
        proj = h0.shape[-1]
    return hidden, given.shape[0] // directions, proj


def sizes_of(params: Params, mode: str, directions: int, h0: Optional[Array], c0: Optional[Array],
             hidden_size: Optional[int], num_layers: Optional[int], proj_size: Optional[int]) -> Tuple[int, int, int]:
    """Hidden size, layers and projection, from the parameters if they are tensors, else from the state or arguments. Sizes that
    are given, too, must be the same."""
    given = [None if value is None else size_of(name, value, least) for name, value, least in (
        ("hidden_size", hidden_size, 1), ("num_layers", num_layers, 1), ("proj_size", proj_size, 0))]
    check_sequence(params)
    tensors = isinstance(params, (list, tuple))
    sizes = _from_weights(params, mode, directions) if tensors else _from_state(directions, h0, c0, *given)
    for name, value, derived in zip(("hidden_size", "num_layers", "proj_size"), given, sizes):
        if value is not None and value != derived:
            raise ValueError(f"`{name}` is {value}, but {'`params`' if tensors else '`state`'} has {derived}; omit `{name}`, or "
                             "pass the same")
    check_projection("`params[0].projection` has P" if tensors else "`proj_size` is", mode, sizes[0], sizes[2])
    return sizes
