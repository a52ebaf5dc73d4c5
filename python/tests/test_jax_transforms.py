# test_jax_transforms.py - transformations of rnn_mlir.jax: derivatives of second order, vmap, scan, export, threads.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import rnn_mlir.jax as rnn  # noqa: E402
from rnn_mlir import _operations  # noqa: E402
from jax_problems import (block_members, close, lax_reference, loss, ours, problem, transforms_of_block_members,  # noqa: E402
                          turned)

LENGTHS = np.array([5, 0, 3])
RESETS = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], bool)
#: LSTM with every option, a stack of GRU in two directions, and batch-major data.
CASES = (("lstm", {}, {"lengths": LENGTHS, "resets": RESETS, "reset_to": "initial"}), ("gru", {"L": 2, "D": 2}, {}),
         ("gru", {}, {"resets": RESETS, "batch_first": True}), ("rnn_tanh", {"D": 2}, {}), ("rnn_relu", {}, {}),
         ("lstm", {"P": 2, "D": 2}, {}))
NAMES = ("lstm", "gru", "batch_first", "tanh", "relu", "projection")


def pair(case):
    mode, sizes, options = case
    D, P, options, values = sizes.get("D", 1), sizes.get("P", 0), dict(options), problem(mode, **sizes)
    if not options.pop("batch_first", False):
        return values, ours(mode, D, P, **options), lax_reference(mode, D, P, **options)
    turned_marks = {"resets": options["resets"].T} if "resets" in options else {}
    mine = ours(mode, D, batch_first=True, **{**options, **turned_marks})
    return (values[0], jnp.swapaxes(values[1], 0, 1), values[2]), mine, turned(lax_reference(mode, D, **options))


def same(f, mine, want, *arguments, tolerance=1e-12):
    close(jax.jit(f(mine))(*arguments), jax.jit(f(want))(*arguments), tolerance)


EVERY = (0, 1, 2)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_second_order(case):
    """Forward mode, reverse over reverse, forward over reverse, and the gradient of a checkpointed layer."""
    values, mine, want = pair(case)
    direction, _, _ = pair(case[:1] + ({**case[1], "seed": 5},) + case[2:])

    def derivatives(layer):
        f = loss(layer)
        gradient = jax.grad(f, EVERY)

        def dot(a, b):
            return sum(jnp.vdot(x, y) for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b)))
        return lambda v, d: (jax.jvp(layer, v, d), jax.grad(lambda v: dot(gradient(*v), d))(v),
                             jax.jvp(lambda *q: gradient(*q), v, d)[1], jax.grad(jax.checkpoint(f), EVERY)(*v))
    same(derivatives, mine, want, values, direction)


def test_third_order():
    (params, x, state), mine, want = pair(("rnn_tanh", {"T": 3, "B": 1, "I": 2, "H": 2}, {}))

    def third(layer):
        f = lambda s: loss(layer)(params, x * s, state)
        return jax.grad(jax.grad(jax.grad(f)))
    same(third, mine, want, 0.7)


def test_hessian():
    (params, x, state), mine, want = pair(("lstm", {"T": 2, "B": 1, "I": 2, "H": 2}, {}))
    same(lambda layer: jax.hessian(lambda p: loss(layer)(p, x, state)), mine, want, params)


def primitives(function, *arguments):
    return str(jax.make_jaxpr(function)(*arguments))


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_vmap(case):
    """Mapped inputs and states fold into the batch: no loop."""
    (params, x, state), mine, want = pair(case)
    xs = jnp.stack([x, 2 * x, -x, x + 1], 1)
    states = tuple(jnp.stack([s, s + 1, -s, 2 * s]) for s in state)

    def mapped(layer):
        return jax.vmap(layer, (None, 1, 0))

    def gradient(layer):
        return jax.grad(lambda p, x, s: jnp.sum(jax.vmap(loss(layer), (None, 1, 0))(p, x, s)), EVERY)

    def half(layer):  # the states are shared
        return jax.vmap(layer, (None, 1, None))
    same(mapped, mine, want, params, xs, states)
    same(gradient, mine, want, params, xs, states)
    same(half, mine, want, params, xs, state)
    assert "scan" not in primitives(mapped(mine), params, xs, states)


def has_no_loop(function, *arguments):
    text = primitives(function, *arguments)
    return "rnn_" in text and "scan" not in text and "while" not in text


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_members(case):
    """Mapped parameters, and gradients of the parameters per example: one call, and the gradient of an ensemble."""
    (params, x, state), mine, want = pair(case)
    many, xs = jnp.stack([params, 2 * params, -params], 1), jnp.stack([x, -x, 2 * x])
    states = tuple(jnp.stack([s, -s, 2 * s], 2) for s in state)

    def ensemble(layer, dims=(1, None, None)):
        return jax.vmap(layer, dims)

    def trained(layer):  # the inputs are shared: their gradient is the sum over the members
        return jax.grad(lambda p, x, s: jnp.sum(jax.vmap(loss(layer), (1, None, 2))(p, x, s)), EVERY)

    def per_example(layer):
        return jax.vmap(jax.grad(loss(layer), EVERY), (None, 0, None))

    def both(layer):
        return jax.vmap(jax.grad(loss(layer), EVERY), (1, 0, 2))
    same(ensemble, mine, want, many, x, state)
    same(trained, mine, want, many, x, states)
    same(per_example, mine, want, params, xs, state)
    same(both, mine, want, many, xs, states)
    assert has_no_loop(trained(mine), many, x, states) and has_no_loop(per_example(mine), params, xs, state)


def test_nested_members():
    (params, x, state), mine, want = pair(CASES[1])
    many, xs = jnp.stack([params, 2 * params]), jnp.stack([x, -x, 3 * x])
    for f in (lambda layer: jax.vmap(jax.vmap(layer, (None, 0, None)), (0, None, None)),
              lambda layer: jax.vmap(jax.vmap(layer, (0, None, None)), (None, 0, None)),
              lambda layer: jax.vmap(jax.vmap(jax.grad(loss(layer), EVERY), (None, 0, None)), (0, None, None))):
        same(f, mine, want, many, xs, state)
        assert has_no_loop(f(mine), many, xs, state)
    # Gradients of inputs that members share.
    same(lambda layer: jax.vmap(jax.vmap(jax.grad(loss(layer), (1, 2)), (0, None, None)), (None, 0, None)), mine, want, many, xs, state)
    same(lambda layer: jax.vmap(jax.vmap(jax.grad(loss(layer), (1, 2)), (None, 0, None)), (0, None, None)), mine, want, many, xs, state)
    grid = jnp.stack([many, -many, many + 1])

    def nested(layer):
        return jax.vmap(jax.vmap(layer, (0, None, None)), (0, None, None))

    def trained(layer):  # gradients of shared inputs are sums over both levels
        return jax.grad(lambda *v: jnp.sum(jnp.sin(jnp.stack(jax.tree.leaves(nested(loss(layer))(*v))))), EVERY)

    def inner(layer):  # the inner sum has one gradient of the shared inputs for each outer member
        return jax.vmap(jax.grad(lambda *v: jnp.sum(jax.vmap(loss(layer), (0, None, None))(*v)), EVERY), (0, None, None))
    for f in nested, trained, inner, lambda layer: nested(jax.grad(loss(layer), EVERY)):
        same(f, mine, want, grid, x, state)
        assert has_no_loop(f(mine), grid, x, state)


def test_levels_of_members():
    """Lengths and states that only one of three levels has, and few and many bytes of parameters."""
    (params, x, state), mine, want = pair(("lstm", {"D": 2}, {"lengths": LENGTHS}))
    grid = jnp.stack([params, -params, 2 * params, params + 1, params - 1, -2 * params]).reshape(3, 2, -1)
    states = tuple(jnp.stack([s, -s]) for s in state)

    def three(layer):
        one = jax.grad(loss(layer), EVERY)
        return jax.vmap(jax.vmap(jax.vmap(one, (0, None, None)), (0, None, None)), (None, None, 0))
    same(three, mine, want, grid, x, states)
    assert has_no_loop(three(mine), grid, x, states)


@pytest.mark.parametrize("batch_first, resets", ((False, None), (True, RESETS)))
def test_block_lstm_members(batch_first, resets):
    """Parameters, inputs and `seq_len_max` of each member, or of all."""
    mine, want, values = block_members(batch_first, resets)
    for f, mapped in transforms_of_block_members():
        arguments = [v if m else v[0] for v, m in zip(values, mapped)]
        same(f, mine, want, *arguments)
        assert has_no_loop(f(mine), *arguments)


def test_second_order_of_nested_members():
    (params, x, state), mine, want = pair(("gru", {"T": 3, "B": 2}, {}))
    grid = jnp.stack([params, -params, 2 * params, params + 1]).reshape(2, 2, -1)

    def second(layer):
        every = jax.vmap(jax.vmap(jax.grad(loss(layer), (0, 1)), (0, None, None)), (0, None, None))
        return jax.grad(lambda p, x: sum(jnp.sum(v ** 2) for v in every(p, x, state)), (0, 1))
    same(second, mine, want, grid, x)


def test_second_order_of_members():
    """Derivatives of gradients per example."""
    (params, x, state), mine, want = pair(("gru", {"T": 3, "B": 2}, {}))
    xs = jnp.stack([x, -x])

    def second(layer):
        per_example = jax.vmap(jax.grad(loss(layer)), (None, 0, None))
        return lambda p: (jax.grad(lambda p: jnp.sum(per_example(p, xs, state) ** 2))(p),
                          jax.jvp(lambda p: per_example(p, xs, state), (p,), (p,))[1])
    same(second, mine, want, params)


@pytest.mark.parametrize("D", (1, 2))
@pytest.mark.parametrize("mode,options", (
    ("lstm", {}), ("gru", {"lengths": LENGTHS}), ("rnn_tanh", {"resets": RESETS}),
    ("lstm", {"lengths": LENGTHS, "resets": RESETS, "reset_to": "initial"}),
    ("gru", {"lengths": LENGTHS, "resets": RESETS, "batch_first": True}), ("rnn_relu", {"batch_first": True}),
))
def test_gradients_per_example(mode, options, D, monkeypatch):
    """The gradients of the parameters per example are those of sequential calls."""
    (params, x, state), mine, _ = pair((mode, {"D": D}, options))
    xs, states = jnp.stack([x, -x, 2 * x], 1), tuple(jnp.stack([s, -s, 2 * s], 1) for s in state)
    per_example = jax.vmap(jax.value_and_grad(loss(mine), EVERY), (None, 1, 1))
    wanted = [jax.value_and_grad(loss(mine), EVERY)(params, xs[:, k], tuple(s[:, k] for s in states)) for k in range(3)]
    wanted = jax.tree.map(lambda *v: jnp.stack(v), *wanted)
    assert has_no_loop(per_example, params, xs, states)
    close(jax.jit(per_example)(params, xs, states), wanted, 1e-15)
    monkeypatch.setattr(_operations, "_PARALLEL", 0)  # the layer's loops use the threads
    close(jax.jit(lambda *v: per_example(*v))(params, xs, states), wanted, 1e-15)


def test_failing_member(monkeypatch):
    """The failure of a member is an error of the call."""
    from rnn_mlir import _operations
    params, x, state = problem("gru")
    monkeypatch.setattr(_operations.Layers, "parameters", lambda self, *_: params.size - 1)
    layer = jax.vmap(ours("gru"), (0, None, None))
    with pytest.raises(Exception, match="params"):
        jax.block_until_ready(layer(jnp.stack([params[1:], params[1:]]), x, state))


@pytest.mark.parametrize("name", ("lstm", "gru"))
def test_vmap_of_gradients_of_inputs_has_no_loop(name):
    """Jacobians, and gradients of inputs and states per example, fold into the batch."""
    (params, x, state), mine, want = pair((name, {}, {}))
    xs = jnp.stack([x, -x, 2 * x])

    def jacobian(layer):
        return jax.jacrev(lambda x, s: layer(params, x, s)[0][-1, 0], (0, 1))

    def per_example(layer):
        return jax.vmap(jax.grad(lambda x, s: loss(layer)(params, x, s), (0, 1)), (0, None))
    same(jacobian, mine, want, x, state)
    same(per_example, mine, want, xs, state)
    same(lambda layer: jax.vmap(jacobian(layer), (0, None)), mine, want, xs, state)
    text = str(jax.make_jaxpr(jacobian(mine))(x, state))
    assert "rnn_gradient" in text and "scan" not in text and "while" not in text


def test_vmap_of_no_examples():
    params, x, state = problem("lstm", L=2)
    layer = ours("lstm")
    none, gradient = jnp.zeros((0, *x.shape)), jax.grad(loss(layer), (0, 1))

    def shapes(tree):
        return [v.shape for v in jax.tree.leaves(tree)]
    assert shapes(jax.vmap(layer, (None, 0, None))(params, none, state)) == [(0, *v.shape) for v in layer(params, x, state)]
    models = jnp.zeros((0, *params.shape))
    assert shapes(jax.vmap(layer, (0, None, None))(models, x, state))[0] == (0, *layer(params, x, state)[0].shape)
    assert shapes(jax.vmap(gradient, (None, 0, None))(params, none, state)) == [(0, *params.shape), none.shape]
    total = jax.grad(lambda params: jax.vmap(loss(layer), (None, 0, None))(params, none, state).sum())(params)
    np.testing.assert_array_equal(total, np.zeros_like(params))


def test_vmap_of_tangents_has_no_loop_over_directions():
    params, x, state = problem("gru", L=1)
    layer = ours("gru")

    def forward(x):
        return jax.jacfwd(lambda x: layer(params, x, state)[0])(x)
    close(forward(x), jax.jacrev(lambda x: layer(params, x, state)[0])(x))
    text = primitives(forward, x)
    assert text.count("scan[") == 1 and "rnn_tangent" not in text  # the scan over the steps


def test_vmap_block_lstm():
    random = np.random.default_rng(0)
    x, c, h, w, b = (jnp.asarray(0.4 * random.standard_normal(s)) for s in
                     ((4, 2, 3, 5), (4, 3, 6), (4, 3, 6), (11, 24), (24,)))
    got = jax.vmap(rnn.block_lstm, (0, 0, 0, None, None))(x, c, h, w, b)
    for k in range(4):
        close([v[k] for v in got], list(rnn.block_lstm(x[k], c[k], h[k], w, b)), 1e-15)

    def total(x, c, h, w, b):
        out = rnn.block_lstm(x, c, h, w, b)
        return jnp.sum(jnp.sin(out.cs)) + jnp.sum(jnp.sin(out.h))
    every = (0, 1, 2, 3, 4)
    gradient = jax.grad(lambda *v: jnp.sum(jax.vmap(total, (0, 0, 0, None, None))(*v)), every)
    one = [jax.grad(total, every)(x[k], c[k], h[k], w, b) for k in range(4)]
    got = gradient(x, c, h, w, b)
    close(got[:3], [jnp.stack([g[n] for g in one]) for n in range(3)], 1e-14)
    close(got[3:], [sum(g[n] for g in one) for n in (3, 4)], 1e-14)
    assert has_no_loop(gradient, x, c, h, w, b)


def test_scan():
    """A layer as the body of a scan over chunks, with the state as its carry (truncated back-propagation)."""
    (params, x, state), mine, want = pair(("lstm", {"T": 6}, {}))
    chunks = x.reshape(3, 2, *x.shape[1:])

    def f(layer):
        def body(state, chunk):
            y, *last = layer(params, chunk, state)
            return tuple(last), y
        return jax.grad(lambda x: sum(jnp.sum(jnp.sin(v)) for v in jax.tree.leaves(jax.lax.scan(body, state, x))))
    same(f, mine, want, chunks)
    whole = mine(params, x, state)
    last, ys = jax.lax.scan(lambda s, c: (lambda y, *l: (tuple(l), y))(*mine(params, c, s)), state, chunks)
    close((ys.reshape(whole[0].shape), *last), whole, 1e-15)


def test_associates_with_jit_of_other_sizes():
    """One compiled module serves all sizes."""
    from rnn_mlir.jax import _native
    mine = ours("gru")
    jax.block_until_ready(jax.jit(mine)(*problem("gru", H=7)))
    before = dict(_native.resolved)
    for sizes in ({"T": 1, "B": 1, "I": 1, "H": 1}, {"T": 9, "B": 2, "I": 17, "H": 33}):
        values = problem("gru", **sizes)
        close(jax.jit(mine)(*values), lax_reference("gru")(*values), 1e-13)
    assert _native.resolved == before


PROGRAM = """
import sys
import jax, numpy as np
import rnn_mlir.jax
with open(sys.argv[1], "rb") as file:
    exported = jax.export.deserialize(bytearray(file.read()))
data = np.load(sys.argv[2])
operands, _ = jax.tree.unflatten(exported.in_tree, [data[name] for name in data.files])
np.savez(sys.argv[3], *jax.tree.leaves(exported.call(*operands)))
"""


@pytest.mark.parametrize("mode,options", (("lstm", {}), ("lstm", {"resets": RESETS}), ("lstm", {"batch_first": True}),
                                          ("lstm", {"tree": True}), ("gru", {}), ("rnn_relu", {}), ("block", {})),
                         ids=("lstm", "resets", "batch_first", "tree", "gru", "relu", "block"))
def test_export(mode, options, tmp_path):
    """An exported gradient runs in another process with a cold cache of compiled modules."""
    pytest.importorskip("flatbuffers")
    values = problem("lstm" if mode == "block" else mode)
    if options.get("batch_first"):
        values = (values[0], jnp.swapaxes(values[1], 0, 1), values[2])
    options = dict(options)
    if options.pop("tree", False):  # a list of Weights, which the program copies
        values = (rnn.unpack(values[0], "lstm", 4, 6), *values[1:])
    layer = ours(mode, **options) if mode != "block" else (lambda params, x, state: rnn.block_lstm(
        x, state[1][0], state[0][0], params[:240].reshape(10, 24), params[240:264]))
    gradient = jax.jit(jax.grad(loss(layer), EVERY))
    exported = jax.export.export(gradient, disabled_checks=rnn.EXPORT_CHECKS)(*values)
    (tmp_path / "program").write_bytes(exported.serialize())
    np.savez(tmp_path / "in.npz", *jax.tree.leaves(values))
    environment = dict(os.environ, RNN_MLIR_CACHE=str(tmp_path / "cache"))
    subprocess.run([sys.executable, "-c", PROGRAM, "program", "in.npz", "out.npz"], check=True, cwd=tmp_path,
                   env=environment)
    out = np.load(tmp_path / "out.npz")
    close([out[k] for k in out.files], jax.tree.leaves(gradient(*values)), 0)


def test_threads():
    """Threads with programs of their own: the same bits as alone."""
    problems = [problem("lstm", T=4 + k, dtype="float32") for k in range(4)]
    programs = [jax.jit(jax.grad(loss(ours("lstm")), EVERY)) for _ in problems]
    wanted = [jax.tree.map(np.asarray, f(*v)) for f, v in zip(programs, problems)]
    wrong = []

    def work(k):
        for _ in range(20):
            got = programs[k](*problems[k])
            wrong.extend(1 for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(wanted[k]))
                         if not np.array_equal(a, b))
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_errors_of_the_compiler_appear_when_it_compiles(monkeypatch):
    """A module that does not compile is an error of `compile`, with the compiler's diagnostic."""
    from rnn_mlir import _operations
    monkeypatch.setattr(_operations.Layers, "module", lambda self, dtype: "func.func @forward() { rnn.unknown }")
    params, x, state = problem("rnn_relu", T=2)
    lowered = jax.jit(lambda *v: ours("rnn_relu")(*v)).lower(params, x, state)
    with pytest.raises(Exception, match="rnn.unknown"):
        lowered.compile()
