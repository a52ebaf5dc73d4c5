# jax_problems.py - small layers for the tests of rnn_mlir.jax, ours and in lax.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands, the layer functions with one signature, and their references."""

import jax
import jax.numpy as jnp
import numpy as np
import rnn_mlir.jax as rnn
from rnn_mlir.jax import _reference

MODES = ("lstm", "gru", "rnn_tanh", "rnn_relu")
OURS = {"lstm": rnn.lstm, "gru": rnn.gru, "rnn_tanh": rnn.rnn,
        "rnn_relu": lambda *a, **k: rnn.rnn(*a, nonlinearity="relu", **k)}


def problem(mode, T=5, B=3, I=4, H=6, L=1, D=1, P=0, dtype="float64", seed=0):
    """params (flat), x, and the state as a tuple."""
    random = np.random.default_rng(seed)

    def draw(*shape):
        return jnp.asarray(0.4 * random.standard_normal(shape), dtype)
    size = rnn.params.size(mode, I, H, L, bidirectional=D == 2, proj_size=P)
    state = (draw(L * D, B, P or H),) + ((draw(L * D, B, H),) if mode == "lstm" else ())
    return draw(size), draw(T, B, I), state


def ours(mode, D=1, P=0, **options):
    """params, x, state -> y, hn[, cn]."""
    if P:
        options["proj_size"] = P

    def layer(params, x, state):
        y, last = OURS[mode](params, x, state if mode == "lstm" else state[0], bidirectional=D == 2, **options)
        return (y, *last) if mode == "lstm" else (y, last)
    return layer


def lax_reference(mode, D=1, P=0, lengths=None, resets=None, reset_to="zero"):
    def layer(params, x, state):
        c0 = state[1] if mode == "lstm" else None
        return _reference.layers(mode, D, P, reset_to, x, state[0], c0, [params],
                                 None if lengths is None else jnp.asarray(lengths),
                                 None if resets is None else jnp.asarray(resets))
    return layer


def turned(layer):
    """A time-major layer on batch-major data."""
    def f(params, x, state):
        y, *last = layer(params, jnp.swapaxes(x, 0, 1), state)
        return (jnp.swapaxes(y, 0, 1), *last)
    return f


def loss(layer):
    """A scalar that depends on every result in its own way."""
    def f(params, x, state):
        y, *last = layer(params, x, state)
        return jnp.sum(jnp.sin(y)) + sum(jnp.sum(jnp.cos(v) * v) for v in last)
    return f


def close(got, want, tolerance=1e-12):
    """Every leaf of `got` equals that of `want`, relative to its largest element."""
    got, want = jax.tree.leaves(got), jax.tree.leaves(want)
    assert len(got) == len(want)
    for a, b in zip(got, want):
        assert a.shape == b.shape
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(1.0, np.abs(b).max(initial=0)))


def both(layer, values):
    """Results and gradients, in one program."""
    return jax.jit(lambda *v: (layer(*v), jax.grad(loss(layer), (0, 1, 2))(*v)))(*values)


def collectives(compiled):
    """The counts of the collectives in a compiled program."""
    text = compiled.as_text()
    names = ("all-gather", "all-reduce", "all-to-all", "collective-permute", "reduce-scatter")
    counts = {name: text.count(f" {name}(") + text.count(f" {name}-start(") for name in names}
    return {name: n for name, n in counts.items() if n}


def block_members(batch_first=False, resets=None):
    """A block LSTM with `seq_len_max` as a function of w, x and the length, ours and in lax; and values with two of each in front."""
    random = np.random.default_rng(3)
    T, B, I, H = 5, 3, 4, 6
    w, x, cs, h, b, *peepholes = (jnp.asarray(0.4 * random.standard_normal(shape)) for shape in (
        (2, I + H, 4 * H), (2, T, B, I), (B, H), (B, H), (4 * H,), (H,), (H,), (H,)))
    marks = {} if resets is None else {"resets": jnp.asarray(resets.T if batch_first else resets), "reset_to": "initial"}

    def mine(w, x, n):
        out = rnn.block_lstm(x, cs, h, w, b, **dict(zip(("wci", "wcf", "wco"), peepholes)), seq_len_max=n, batch_first=batch_first,
                             **marks)
        return out.cs, out.h

    def want(w, x, n):
        x = jnp.swapaxes(x, 0, 1) if batch_first else x
        out = _reference.block_lstm("ifco", True, 0.0, 0.0, "initial", [x, cs, h, w, *peepholes, b], n,
                                    None if resets is None else jnp.asarray(resets))
        return tuple(jnp.swapaxes(v, 0, 1) if batch_first else v for v in (out[1], out[6]))
    return mine, want, (w, jnp.swapaxes(x, 1, 2) if batch_first else x, jnp.asarray([4, 2], "int32"))


def transforms_of_block_members():
    """Functions of a layer of `block_members` with nested vmap, and whether their arguments w, x and n have two in front."""
    def grads(layer):
        return lambda w, x, n: jax.grad(lambda w, x: sum(jnp.sum(jnp.sin(v)) for v in layer(w, x, n)), (0, 1))(w, x)

    def total(layer, axes):
        """The gradient of a sum over members."""
        return lambda w, x, n: jax.grad(lambda w, x: sum(jnp.sum(jnp.sin(v)) for v in jax.vmap(layer, axes)(w, x, n)), (0, 1))(w, x)
    return ((lambda f: jax.vmap(f, (0, None, None)), (True, False, False)),
            (lambda f: jax.vmap(grads(f), (0, None, 0)), (True, False, True)),
            (lambda f: jax.vmap(grads(f), (None, 0, 0)), (False, True, True)),
            (lambda f: jax.vmap(jax.vmap(grads(f), (None, None, 0)), (0, None, None)), (True, False, True)),
            (lambda f: jax.vmap(jax.vmap(f, (0, None, None)), (None, 0, 0)), (True, True, True)),
            (lambda f: total(f, (0, None, 0)), (True, False, True)),
            (lambda f: jax.vmap(total(f, (None, None, 0)), (0, None, None)), (True, False, True)))
