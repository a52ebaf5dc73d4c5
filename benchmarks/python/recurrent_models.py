# recurrent_models.py - cases of ops.py: training steps of recurrent models as programs write them in JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A language model, speech recognition, forecasts, and a recurrent policy; none uses an op of the dialect `rnn`."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from models import convolution, ctc, entropy, lstm, lstm_cell, multiply_parts, normalize, trained
from recurrent import gru


def layer(p, x, h, c):
    """An LSTM over [T, B, I]: the last state and all outputs."""
    return lstm(x, *p, h, c, multiply_parts)


def language_model(p, words, labels, h):
    """Two layers of LSTM cells and a softmax over 10000 words, as "medium" of Zaremba et al. (arXiv:1409.2329)."""
    x = p["embedding"][words]
    for cell in p["cells"]:
        x = layer(cell, x, h, h)[1]
    return entropy(x @ p["out"] + p["bias"], labels)


def speech(p, sounds, labels):
    """Two convolutions of spectrograms [B, T, F], two bidirectional GRUs with batch normalization, and a CTC loss."""
    x = jax.nn.relu(convolution(jax.nn.relu(convolution(sounds[..., None], p["first"], 2)), p["second"], 2))
    x = x.reshape(*x.shape[:2], -1).transpose(1, 0, 2)
    for forward, backward, norm in p["layers"]:
        h = jnp.zeros((x.shape[1], forward[1].shape[1]))
        x = jnp.concatenate([gru(x, *forward, h), gru(x[::-1], *backward, h)[::-1]], -1)
        x = normalize(x, *norm, (0, 1))
    return ctc(x @ p["out"], labels)


def forecasts(p, covariates, values):
    """A Gaussian for the next value of each series, from two layers of LSTM cells, as DeepAR (arXiv:1704.04110)."""
    x = jnp.concatenate([covariates, values[:-1, :, None]], -1)
    h = jnp.zeros((x.shape[1], p["mean"].shape[0]))
    for cell in p["cells"]:
        x = layer(cell, x, h, h)[1]
    mean, deviation = (x @ p["mean"])[..., 0], jax.nn.softplus((x @ p["deviation"])[..., 0]) + 1e-3
    return jnp.mean(jnp.log(deviation) + .5 * ((values[1:] - mean) / deviation) ** 2)


def policy(p, seen, actions, before, rewards, done, h):
    """The loss of proximal policy optimization (arXiv:1707.06347) with an LSTM whose state is reset where an episode ends."""
    def step(state, values):
        x, end = values
        h, c = lstm_cell(x, *p["cell"], *(s * (1 - end[:, None]) for s in state), multiply_parts)
        return (h, c), h
    _, y = lax.scan(step, (h, h), (jnp.tanh(seen @ p["in"]), done))
    value, scores = (y @ p["value"])[..., 0], jax.nn.log_softmax(y @ p["out"])
    known = lax.stop_gradient(value)

    def advantage(carry, values):
        following, after = carry
        reward, end, now = values
        following = reward + .99 * after * (1 - end) - now + .99 * .95 * (1 - end) * following
        return (following, now), following
    _, gains = lax.scan(advantage, (jnp.zeros_like(known[-1]), known[-1]), (rewards, done, known), reverse=True)
    ratio = jnp.exp(jnp.take_along_axis(scores, actions[..., None], -1)[..., 0] - before)
    normal = (gains - gains.mean()) / (gains.std() + 1e-8)
    better = jnp.minimum(ratio * normal, jnp.clip(ratio, .8, 1.2) * normal).mean()
    return .5 * jnp.mean((value - gains - known) ** 2) - better + .01 * jnp.mean(jnp.sum(jnp.exp(scores) * scores, -1))


def cases(floats, integers):
    """Names, functions and arguments; `floats` and `integers` are those of models.cases."""
    def weights(*shape):
        return floats(*shape) / np.float32(np.prod(shape[:-1])) ** .5

    def cell(i, h):
        return [weights(i + h, 4 * h), np.zeros(4 * h, np.float32)]

    def gates(i, h):
        return [weights(3 * h, i) / 8, weights(3 * h, h) / 8, np.zeros(3 * h, np.float32)]

    def norm(size):
        return [np.ones(size, np.float32), np.zeros(size, np.float32)]

    p = {"embedding": floats(10000, 650) / 10, "cells": [cell(650, 650), cell(650, 650)], "out": weights(650, 10000), "bias": np.zeros(10000, np.float32)}
    yield "language model (35,20,650,10000), training", *trained(language_model, p, integers(10000, 35, 20), integers(10000, 35, 20), np.zeros((20, 650), np.float32))
    p = {"first": weights(11, 11, 1, 32), "second": weights(5, 5, 32, 32), "out": weights(256, 29),
         "layers": [[gates(size, 128), gates(size, 128), norm(256)] for size in (640, 256)]}
    yield "speech (8,200,80), training", *trained(speech, p, floats(8, 200, 80), 1 + integers(28, 8, 12))
    p = {"cells": [cell(5, 40), cell(40, 40)], "mean": weights(40, 1), "deviation": weights(40, 1)}
    yield "forecasts (192,64,40), training", *trained(forecasts, p, floats(192, 64, 4), floats(193, 64))
    p = {"in": weights(24, 128), "cell": cell(128, 128), "out": weights(128, 6), "value": weights(128, 1)}
    done = (integers(20, 128, 16) == 0).astype(np.float32)
    yield "recurrent policy (128,16,128), training", *trained(
        policy, p, floats(128, 16, 24), integers(6, 128, 16), floats(128, 16) / 10 - 1.8, floats(128, 16), done, floats(16, 128) / 10)
