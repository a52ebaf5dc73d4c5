# libraries.py - cases of ops.py: programs of libraries for JAX. Those of libraries that are not installed are skipped.
#   pip install flax dm-haiku optax equinox diffrax blackjax
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of Flax, Haiku and Equinox, samplers of BlackJAX, optimizers of Optax, and solvers of Diffrax and JAX."""

import importlib.util
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

os.environ.setdefault("EQX_ON_ERROR", "nan")  # Diffrax checks values by callbacks into Python otherwise

KEY = np.array([1, 2], np.uint32)


def applied(function, tree, *rest):
    """The function with the leaves of its first argument as arguments, and all arguments."""
    leaves, structure = jax.tree.flatten(tree)
    return lambda *values: function(structure.unflatten(values[:len(leaves)]), *values[len(leaves):]), [np.asarray(leaf) for leaf in (*leaves, *rest)]


def trained(loss, parameters, *data):
    """A training step of AdamW, and its arguments."""
    import optax
    optimizer = optax.adamw(1e-3)

    def step(state, *data):
        parameters, state = state
        value, gradient = jax.value_and_grad(loss)(parameters, *data)
        updates, state = optimizer.update(gradient, state, parameters)
        return value, optax.apply_updates(parameters, updates), state
    return applied(step, (parameters, optimizer.init(parameters)), *data)


def squares(function):
    return lambda parameters, x, y: jnp.mean((function(parameters, x) - y) ** 2)


def flax_layer(cell):  # of linen
    def make(floats):
        from flax import linen
        layer, x = linen.RNN(getattr(linen, cell)(128)), floats(16, 50, 64)
        return trained(squares(layer.apply), layer.init(jax.random.key(0), x), x, floats(16, 50, 128))
    return make


def flax_bidirectional(floats):
    from flax import linen
    layer, x = linen.Bidirectional(linen.RNN(linen.GRUCell(64)), linen.RNN(linen.GRUCell(64))), floats(16, 50, 64)
    lengths = np.arange(16, dtype=np.int32) * 3 + 1
    return applied(lambda parameters, x, lengths: layer.apply(parameters, x, seq_lengths=lengths), layer.init(jax.random.key(0), x), x, lengths)


def flax_conv_lstm(floats):
    from flax import linen
    layer, x = linen.RNN(linen.ConvLSTMCell(16, (3, 3))), floats(4, 8, 16, 16, 3)
    return trained(squares(layer.apply), layer.init(jax.random.key(0), x), x, floats(4, 8, 16, 16, 16))


def haiku_stack(floats):
    import haiku

    def layers(x):
        core = haiku.DeepRNN([haiku.LSTM(64), jax.nn.relu, haiku.GRU(64), haiku.VanillaRNN(32)])
        return haiku.dynamic_unroll(core, x, core.initial_state(x.shape[1]))[0]
    model, x = haiku.without_apply_rng(haiku.transform(layers)), floats(30, 8, 32)
    return trained(squares(model.apply), model.init(jax.random.PRNGKey(0), x), x, floats(30, 8, 32))


def haiku_resets(floats):
    import haiku

    def layers(x, resets):
        core = haiku.ResetCore(haiku.LSTM(64))
        return haiku.dynamic_unroll(core, (x, resets), core.initial_state(x.shape[1]))[0]
    model, x, resets = haiku.without_apply_rng(haiku.transform(layers)), floats(30, 8, 32), floats(30, 8) > 1.3
    return trained(lambda parameters, x, resets, y: jnp.mean((model.apply(parameters, x, resets) - y) ** 2),
                   model.init(jax.random.PRNGKey(0), x, resets), x, resets, floats(30, 8, 64))


def equinox_gru(floats):
    import equinox
    arrays, rest = equinox.partition(equinox.nn.GRUCell(16, 32, key=jax.random.key(0)), equinox.is_array)

    def run(arrays, x):
        cell = equinox.combine(arrays, rest)
        return jax.vmap(lambda x: lax.scan(lambda h, x: (cell(x, h),) * 2, jnp.zeros(32), x)[1])(x)
    return trained(squares(run), arrays, floats(32, 20, 16), floats(32, 20, 32))


def optax_ctc(floats):
    import optax
    labels = np.arange(80, dtype=np.int32).reshape(8, 10) % 19 + 1
    return (lambda logits, labels: jax.value_and_grad(
        lambda logits: optax.ctc_loss(logits, jnp.zeros(logits.shape[:2]), labels, jnp.zeros(labels.shape)).mean())(logits)), [floats(8, 50, 20), labels]


def optax_lbfgs(floats):
    import optax

    def minimize(x, a):
        def loss(x):
            return jnp.sum((a @ x - 1) ** 2) + jnp.sum(x ** 4)
        optimizer, evaluate = optax.lbfgs(), optax.value_and_grad_from_state(loss)

        def step(carry, _):
            x, state = carry
            value, gradient = evaluate(x, state=state)
            updates, state = optimizer.update(gradient, state, x, value=value, grad=gradient, value_fn=loss)
            return (optax.apply_updates(x, updates), state), value
        return lax.scan(step, (x, optimizer.init(x)), None, length=10)[1]
    return minimize, [floats(8), floats(8, 8)]


def jax_bfgs(floats):
    from jax.scipy.optimize import minimize

    def rosenbrock(x):
        return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    return (lambda x: minimize(rosenbrock, x, method="BFGS").x), [floats(4) / 10]


def jax_odeint(floats):
    from jax.experimental.ode import odeint

    def loss(w, y):
        return jnp.sum(odeint(lambda y, t, w: jnp.tanh(w @ y), y, jnp.linspace(0, 1, 5), w) ** 2)
    return jax.grad(loss, (0, 1)), [floats(4, 4), floats(4)]


def solution(w1, w2, y, **options):
    import diffrax
    term = diffrax.ODETerm(lambda t, y, _: jnp.tanh(y @ w1) @ w2)
    return diffrax.diffeqsolve(term, diffrax.Tsit5(), 0., 1., y0=y, saveat=diffrax.SaveAt(ts=jnp.linspace(0, 1, 11)), **options).ys


def diffrax_adaptive(floats):
    import diffrax
    return (lambda *values: solution(*values, dt0=None, stepsize_controller=diffrax.PIDController(rtol=1e-4, atol=1e-6))), \
        [floats(4, 32) / 4, floats(32, 4) / 4, floats(8, 4)]


def diffrax_gradient(floats):
    return jax.grad(lambda *values: jnp.sum(solution(*values, dt0=.05) ** 2), (0, 1)), [floats(4, 32) / 4, floats(32, 4) / 4, floats(8, 4)]


def diffrax_noise(floats):
    import diffrax
    import lineax

    def solve(key, y):
        motion = diffrax.VirtualBrownianTree(0., 1., 1e-3, (4,), jax.random.wrap_key_data(key))
        noise = diffrax.ControlTerm(lambda t, y, _: lineax.DiagonalLinearOperator(jnp.full(4, .3)), motion)
        return diffrax.diffeqsolve(diffrax.MultiTerm(diffrax.ODETerm(lambda t, y, _: -y), noise), diffrax.Euler(), 0., 1., .05, y).ys
    return solve, [KEY, floats(4)]


def blackjax_nuts(floats):
    import blackjax

    def run(key, x, mean):
        kernel = blackjax.nuts(lambda x: -.5 * jnp.sum((x - mean) ** 2), .3, jnp.ones(4))

        def step(state, key):
            state = kernel.step(key, state)[0]
            return state, state.position
        return lax.scan(step, kernel.init(x), jax.random.split(jax.random.wrap_key_data(key), 50))[1]
    return run, [KEY, floats(4), floats(4)]


CASES = (("Flax LSTM (16,50,64,128), training", "flax", flax_layer("OptimizedLSTMCell")),
         ("Flax LSTM, weights of each gate", "flax", flax_layer("LSTMCell")), ("Flax GRU (16,50,64,128), training", "flax", flax_layer("GRUCell")),
         ("Flax bidirectional GRU with lengths", "flax", flax_bidirectional),
         ("Flax ConvLSTM (4,8,16,16), training", "flax", flax_conv_lstm), ("Haiku LSTM, GRU, RNN (30,8), training", "haiku", haiku_stack),
         ("Haiku LSTM with resets, training", "haiku", haiku_resets), ("Equinox GRU (32,20,16,32), training", "equinox", equinox_gru),
         ("Optax CTC loss (8,50,20), gradient", "optax", optax_ctc), ("Optax L-BFGS, 10 steps", "optax", optax_lbfgs),
         ("jax.scipy BFGS", "jax", jax_bfgs), ("odeint, gradient", "jax", jax_odeint), ("Diffrax Tsit5, adaptive", "diffrax", diffrax_adaptive),
         ("Diffrax Tsit5, gradient", "diffrax", diffrax_gradient), ("Diffrax Euler with noise", "diffrax", diffrax_noise),
         ("BlackJAX NUTS, 50 samples", "blackjax", blackjax_nuts))


def cases(floats):
    """Names, functions and arguments. `floats(*shape)` returns normally distributed numbers."""
    for name, library, make in CASES:
        if importlib.util.find_spec(library):
            yield name, *make(floats)
