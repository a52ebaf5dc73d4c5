# train.py - a GRU that forecasts a noisy sum of sines, with rnn_mlir.jax: loss, throughput, and a plot of both.
# The cells (# %%) open as a notebook in editors that know them.
#   python train.py [--steps=300] [--plot=FILE.png]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# %% Setup
import argparse
import time

import jax
import jax.numpy as jnp
import numpy as np
import rnn_mlir.jax as rnn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=300)
parser.add_argument("--plot", help="a file for the plot; needs matplotlib")
options, _ = parser.parse_known_args()
T, B, H = 50, 32, 32

# %% Data: each example has frequencies and phases of its own
random = np.random.default_rng(0)


def batch():
    time_axis = np.arange(T + 1)[:, None, None]
    frequency, phase = random.uniform(0.1, 0.6, (1, B, 2)), random.uniform(0, 6.3, (1, B, 2))
    series = np.sin(frequency * time_axis + phase).sum(2)
    noisy = series + 0.05 * random.standard_normal(series.shape)
    return jnp.asarray(noisy[:-1, :, None], jnp.float32), jnp.asarray(series[1:], jnp.float32)


# %% Model: two layers of GRU and a linear head. Parameters are a pytree
key, head_key = jax.random.split(jax.random.key(0))
params = {"gru": rnn.init(key, "gru", input_size=1, hidden_size=H, num_layers=2),
          "head": jax.random.normal(head_key, (H,)) / H ** 0.5}


def loss(params, x, target):
    y, _ = rnn.gru(params["gru"], x)
    return jnp.mean((y @ params["head"] - target) ** 2)


# %% One step of Adam
@jax.jit
def step(params, moments, count, x, target):
    value, grads = jax.value_and_grad(loss)(params, x, target)
    first, second = moments
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, grads)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, grads)

    def update(p, m, v):
        return p - 0.003 * (m / (1 - 0.9 ** count)) / (jnp.sqrt(v / (1 - 0.999 ** count)) + 1e-8)
    return jax.tree.map(update, params, first, second), (first, second), value


# %% Training
zeros = jax.tree.map(jnp.zeros_like, params)
moments, losses, rates = (zeros, zeros), [], []
for k in range(options.steps):
    x, target = batch()
    start = time.perf_counter()
    params, moments, value = step(params, moments, jnp.float32(k + 1), x, target)
    losses.append(float(value))
    rates.append(T * B / (time.perf_counter() - start))
    if k % 50 == 0 or k + 1 == options.steps:
        print(f"step {k}: loss {losses[-1]:.4f}, {rates[-1]:.0f} steps of examples per second")
print(f"first loss {losses[0]:.4f}, last loss {losses[-1]:.4f}")

# %% Plot
if options.plot:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3))
    left.semilogy(losses)
    left.set(xlabel="step", ylabel="loss")
    right.plot(rates[1:])  # the first step compiles
    right.set(xlabel="step", ylabel="steps of examples per second")
    figure.tight_layout()
    figure.savefig(options.plot)
