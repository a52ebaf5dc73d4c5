# formulas.py - the equations of the block LSTM and of the cuDNN networks in plain numpy. The generator compares every
# package with them, so that a misread operand order or parameter layout is found before a file is written.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Float64 numpy forms of the recurrent ops; the packages are the golden source, these are the cross check."""
import numpy as np


def sigmoid(a):
    return 1.0 / (1.0 + np.exp(-a))


def gate_slices(layout, hidden):
    """Column slices (i, c, f, o) of the 4H gate columns."""
    blocks = {"icfo": (0, 1, 2, 3), "ifco": (0, 2, 1, 3)}[layout]
    return [slice(k * hidden, (k + 1) * hidden) for k in blocks]


def block_forward(attributes, n, x, cs_prev, h_prev, w, wci, wcf, wco, b):
    """Results i, cs, f, o, ci, co, h; all of them zero at t >= n."""
    steps, batch, _ = x.shape
    hidden = cs_prev.shape[1]
    gi, gc, gf, go = gate_slices(attributes["layout"], hidden)
    peephole, clip = attributes["use_peephole"], attributes["cell_clip"]
    i, cs, f, o, ci, co, h = (np.zeros((steps, batch, hidden)) for _ in range(7))
    c, r = cs_prev, h_prev
    for t in range(n):
        g = np.concatenate([x[t], r], axis=1) @ w + b
        i[t] = sigmoid(g[:, gi] + (c * wci if peephole else 0.0))
        ci[t] = np.tanh(g[:, gc])
        f[t] = sigmoid(g[:, gf] + attributes["forget_bias"] + (c * wcf if peephole else 0.0))
        cs[t] = i[t] * ci[t] + f[t] * c
        if clip > 0:
            cs[t] = np.clip(cs[t], -clip, clip)
        co[t] = np.tanh(cs[t])
        o[t] = sigmoid(g[:, go] + (cs[t] * wco if peephole else 0.0))
        h[t] = o[t] * co[t]
        c, r = cs[t], h[t]
    return i, cs, f, o, ci, co, h


def block_backward(attributes, n, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, h, cs_grad, h_grad):
    """Results dx, dcs_prev, dh_prev, dw, dwci, dwcf, dwco, db. The clip has slope 1, as in TensorFlow."""
    inputs, hidden = x.shape[2], cs_prev.shape[1]
    slices = gate_slices(attributes["layout"], hidden)
    peephole = attributes["use_peephole"]
    dx = np.zeros(x.shape)
    dw, db = np.zeros(w.shape), np.zeros(4 * hidden)
    dwci, dwcf, dwco = (np.zeros(hidden) for _ in range(3))
    kc, kh = np.zeros(cs_prev.shape), np.zeros(h_prev.shape)
    for t in reversed(range(n)):
        c, r = (cs_prev, h_prev) if t == 0 else (cs[t - 1], h[t - 1])
        gc, gh = kc + cs_grad[t], kh + h_grad[t]
        do = o[t] * (1 - o[t]) * gh * co[t]
        dcs = (1 - co[t] ** 2) * gh * o[t] + gc + (do * wco if peephole else 0.0)
        dci = (1 - ci[t] ** 2) * dcs * i[t]
        df = f[t] * (1 - f[t]) * dcs * c
        di = i[t] * (1 - i[t]) * dcs * ci[t]
        dg = np.zeros((x.shape[1], 4 * hidden))
        for part, value in zip(slices, (di, dci, df, do)):
            dg[:, part] = value
        kc = dcs * f[t] + (di * wci + df * wcf if peephole else 0.0)
        dxh = dg @ w.T
        dx[t], kh = dxh[:, :inputs], dxh[:, inputs:]
        dw += np.concatenate([x[t], r], axis=1).T @ dg
        db += dg.sum(axis=0)
        if peephole:
            dwci += (di * c).sum(axis=0)
            dwcf += (df * c).sum(axis=0)
            dwco += (do * cs[t]).sum(axis=0)
    return dx, kc, kh, dw, dwci, dwcf, dwco, db


GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def unpack(mode, direction, layers, inputs, hidden, projection, skip, params):
    """Splits the dense parameter buffer: all matrices pseudo layer by pseudo layer (input weights of every gate,
    recurrent weights of every gate, projection), then all biases in the same order."""
    gates, width, dirs = GATES[mode], projection or hidden, 2 if direction == "bidirectional" else 1
    position, result = 0, []

    def take(*shape):
        nonlocal position
        size = int(np.prod(shape))
        position += size
        return params[position - size:position].reshape(shape)

    for layer in range(layers):
        for _ in range(dirs):
            columns = inputs if layer == 0 else dirs * width
            wx = None if skip and layer == 0 else take(gates, hidden, columns)
            result.append([wx, take(gates, hidden, width), take(projection, hidden) if projection else None])
    for pseudo in result:
        pseudo += [take(gates, hidden), take(gates, hidden)]
    if position != params.size:
        raise ValueError(f"the parameter buffer has {params.size} elements, the layout {position}")
    return result


def cudnn_forward(mode, direction, layers, projection, skip, lengths, x, h0, c0, params, resets=None, to_initial=False):
    """Results y, hn, cn (None except for lstm); y is zero past an example's length. A mark resets[t, k] cuts example k between
    the steps t - 1 and t, in both directions."""
    dirs = 2 if direction == "bidirectional" else 1
    steps, batch, inputs = x.shape
    hidden = c0.shape[2] if mode == "lstm" else h0.shape[2]
    pieces = unpack(mode, direction, layers, inputs, hidden, projection, skip, params)
    hn, cn = np.array(h0), None if c0 is None else np.array(c0)
    below = x
    for layer in range(layers):
        outputs = []
        for d in range(dirs):
            row = layer * dirs + d
            wx, wr, proj, bw, br = pieces[row]
            y = np.zeros((steps, batch, h0.shape[2]))
            for t in range(steps) if d == 0 else reversed(range(steps)):
                for k in range(batch):
                    if t >= lengths[k]:
                        continue
                    later = t if d == 0 else t + 1
                    if resets is not None and later < lengths[k] and resets[later, k]:
                        hn[row, k] = h0[row, k] if to_initial else 0
                        if cn is not None:
                            cn[row, k] = c0[row, k] if to_initial else 0
                    v, h = below[t, k], hn[row, k]
                    a = (v[None] if wx is None else wx @ v) + bw
                    q = wr @ h + br
                    if mode == "lstm":
                        i, f, o = (sigmoid(a[g] + q[g]) for g in (0, 1, 3))
                        cn[row, k] = f * cn[row, k] + i * np.tanh(a[2] + q[2])
                        h = o * np.tanh(cn[row, k])
                        h = h if proj is None else proj @ h
                    elif mode == "gru":
                        r, z = sigmoid(a[0] + q[0]), sigmoid(a[1] + q[1])
                        h = (1 - z) * np.tanh(a[2] + r * q[2]) + z * h
                    else:
                        s = a[0] + q[0]
                        h = np.tanh(s) if mode == "rnn_tanh" else np.maximum(s, 0)
                    hn[row, k] = y[t, k] = h
            outputs.append(y)
        below = np.concatenate(outputs, axis=2)
    return below, hn, cn
