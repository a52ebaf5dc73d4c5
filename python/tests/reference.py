# reference.py - recurrent layers in NumPy by the formulas of docs/Semantics.md, one step at a time.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An independent reference of the layers."""

import numpy as np

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def count_params(mode, directions, inputs, hidden, layers):
    width = [inputs] + [directions * hidden] * (layers - 1)
    return sum(directions * GATES[mode] * hidden * (w + hidden + 2) for w in width)


def split(mode, directions, inputs, hidden, layers, params):
    """(W, R, bW, bR) of every pseudo layer."""
    rows, at, matrices, result = GATES[mode] * hidden, 0, [], []

    def take(*shape):
        nonlocal at
        at += int(np.prod(shape))
        return params[at - int(np.prod(shape)):at].reshape(shape)

    for pseudo in range(layers * directions):
        width = inputs if pseudo < directions else directions * hidden
        matrices.append((take(rows, width), take(rows, hidden)))
    for w, r in matrices:
        result.append((w, r, take(rows), take(rows)))
    assert at == params.size
    return result


def step(mode, w, r, bw, br, x, h, c):
    a, b = x @ w.T + bw, h @ r.T + br
    if mode == "lstm":
        i, f, g, o = np.split(a + b, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    if mode == "gru":
        (ar, az, an), (br_, bz, bn) = np.split(a, 3, axis=1), np.split(b, 3, axis=1)
        z, n = sigmoid(az + bz), np.tanh(an + sigmoid(ar + br_) * bn)
        return (1 - z) * n + z * h, c
    return (np.maximum(a + b, 0) if mode == "rnn_relu" else np.tanh(a + b)), c


def forward(mode, directions, x, h0, c0, params, lengths=None):
    """y, hn, cn; c0 and cn are None except for lstm."""
    (steps, batch, inputs), (stacked, _, hidden) = x.shape, h0.shape
    lengths = np.full(batch, steps) if lengths is None else np.asarray(lengths)
    parts = split(mode, directions, inputs, hidden, stacked // directions, params)
    hn, cn, below = h0.copy(), None if c0 is None else c0.copy(), x
    for layer in range(stacked // directions):
        outputs = []
        for direction in range(directions):
            k = layer * directions + direction
            h, c = h0[k], None if c0 is None else c0[k]
            y = np.zeros((steps, batch, hidden), x.dtype)
            for t in range(steps)[::-1 if direction else 1]:
                live = (t < lengths)[:, None]
                nh, nc = step(mode, *parts[k], below[t], h, c)
                h, y[t] = np.where(live, nh, h), np.where(live, nh, 0)
                c = None if c is None else np.where(live, nc, c)
            hn[k] = h
            if c is not None:
                cn[k] = c
            outputs.append(y)
        below = np.concatenate(outputs, axis=2)
    return below, hn, cn
