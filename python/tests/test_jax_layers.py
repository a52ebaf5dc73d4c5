# test_jax_layers.py - results and gradients of rnn_mlir.jax against lax, NumPy and jax.experimental.rnn.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
import reference

jax = pytest.importorskip("jax")

import jax.experimental.rnn as theirs  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import rnn_mlir.jax as rnn  # noqa: E402
from jax_problems import MODES, OURS, both, close, lax_reference, loss, ours, problem, turned  # noqa: E402

#: f32: GEMMs of other order. Half: results are rounded to it once, the reference too.
TOLERANCES = {"float64": 1e-13, "float32": 2e-6, "float16": 2e-3, "bfloat16": 1.6e-2}
LENGTHS = np.array([5, 0, 3])
RESETS = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], bool)


def check(mode, options, dtype="float64", **sizes):
    values = problem(mode, dtype=dtype, **sizes)
    D, P = sizes.get("D", 1), sizes.get("P", 0)
    mine, want = ours(mode, D, P, **options), lax_reference(mode, D, P, **options)
    results, gradients = both(mine, values)
    wanted_results, wanted_gradients = both(want, values)
    close(results, wanted_results, TOLERANCES[dtype])
    scale = 1 if dtype in ("float64", "float32") else 3  # sums of rounded products
    close(gradients, wanted_gradients, scale * TOLERANCES[dtype])


@pytest.mark.parametrize("D", (1, 2))
@pytest.mark.parametrize("mode", MODES)
def test_reference(mode, D):
    """The lax reference is the NumPy one."""
    params, x, state = problem(mode, D=D, L=2)
    c0 = np.asarray(state[1]) if mode == "lstm" else None
    want = reference.forward(mode, D, np.asarray(x), np.asarray(state[0]), c0, np.asarray(params), lengths=LENGTHS)
    close(lax_reference(mode, D, lengths=LENGTHS)(params, x, state), [v for v in want if v is not None], 1e-14)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("mode", MODES)
def test_types(mode, dtype):
    if mode == "rnn_relu" and dtype in ("float16", "bfloat16"):
        # A rounded argument may be on the other side of the discontinuity of the derivative.
        values = problem(mode, dtype=dtype)
        close(ours(mode)(*values), lax_reference(mode)(*values), TOLERANCES[dtype])
        return
    check(mode, {}, dtype)


@pytest.mark.parametrize("D", (1, 2))
@pytest.mark.parametrize("mode", MODES)
def test_stacks_with_lengths(mode, D):
    check(mode, {"lengths": LENGTHS}, L=2, D=D)


@pytest.mark.parametrize("mode,reset_to", (("lstm", "zero"), ("gru", "initial")))
def test_resets(mode, reset_to):
    check(mode, {"resets": RESETS, "reset_to": reset_to}, L=2, D=2)
    check(mode, {"resets": RESETS, "reset_to": reset_to, "lengths": LENGTHS})


def test_projection():
    check("lstm", {}, P=3, L=2, D=2)


@pytest.mark.parametrize("dtype", ("float64", "float32"))
@pytest.mark.parametrize("mode,sizes,options", (
    ("lstm", {}, {}), ("gru", {"L": 2, "D": 2}, {"lengths": LENGTHS}), ("lstm", {"P": 3}, {"resets": RESETS}),
    ("rnn_tanh", {"D": 2}, {"resets": RESETS, "reset_to": "initial", "lengths": LENGTHS}),
))
def test_batch_first(mode, sizes, options, dtype):
    """Results and gradients are those of the time-major layer, without a transpose."""
    params, x, state = problem(mode, dtype=dtype, **sizes)
    D, P = sizes.get("D", 1), sizes.get("P", 0)
    other = {**options, **({"resets": options["resets"].T} if "resets" in options else {})}
    mine, values = ours(mode, D, P, batch_first=True, **other), (params, jnp.swapaxes(x, 0, 1), state)
    close(both(mine, values), both(turned(ours(mode, D, P, **options)), values), TOLERANCES[dtype])
    program = str(jax.make_jaxpr(jax.grad(loss(mine), (0, 1, 2)))(*values))
    assert "rnn_gradient" in program and "transpose[" not in program


def test_batch_first_with_dropout():
    params, x, state = problem("gru", L=3)
    x = jnp.swapaxes(x, 0, 1)
    layer = ours("gru", dropout=0.5, key=jax.random.key(3), batch_first=True)
    close(both(jax.checkpoint(layer), (params, x, state)), both(layer, (params, x, state)), 1e-13)
    assert layer(params, x, state)[0].shape == (3, 5, 6)


def test_batch_first_block_lstm():
    operands = block_problem()
    for options in ({}, {"resets": RESETS, "reset_to": "initial", "seq_len_max": 4}):
        other = {**options, **({"resets": RESETS.T} if options else {})}

        def results(x, *rest, first=False):
            out = rnn.block_lstm(x, *rest, **(other if first else options), batch_first=first)
            return jnp.sum(jnp.sin(out.h)) + jnp.sum(out.cs ** 2), out
        values = [operands[n] for n in ("x", "cs_prev", "h_prev", "w", "b")]
        turned_values = [jnp.swapaxes(values[0], 0, 1), *values[1:]]
        gradient = jax.value_and_grad(results, tuple(range(5)), has_aux=True)
        (want, want_out), wanted = gradient(*values)
        (got, out), gradients = gradient(*turned_values, first=True)
        close([got, *(jnp.swapaxes(v, 0, 1) for v in out)], [want, *want_out], 1e-14)
        close([jnp.swapaxes(gradients[0], 0, 1), *gradients[1:]], list(wanted), 1e-13)


def test_pytrees():
    flat, x, state = problem("lstm", L=2, D=2, P=3)
    tree = rnn.unpack(flat, "lstm", 4, 6, 2, bidirectional=True, proj_size=3)
    close(rnn.pack(tree), flat, 0)
    mine = ours("lstm", 2)
    close(mine(tree, x, state), ours("lstm", 2, 3)(flat, x, state), 0)
    grads = jax.grad(loss(mine))(tree, x, state)
    close(rnn.pack(grads), jax.grad(loss(ours("lstm", 2, 3)))(flat, x, state), 1e-15)
    # Without biases, and with a state of zeros.
    short = [w._replace(bw=None, br=None) for w in tree]
    zero = [w._replace(bw=0 * w.bw, br=0 * w.br) for w in tree]
    close(rnn.lstm(short, x, bidirectional=True), rnn.lstm(zero, x, (0 * state[0], 0 * state[1]), bidirectional=True), 0)
    # Flat parameters without a state.
    close(rnn.lstm(flat, x, bidirectional=True, hidden_size=6, num_layers=2, proj_size=3),
          rnn.lstm(tree, x, bidirectional=True), 0)


def test_init():
    tree = rnn.init(jax.random.key(0), "gru", 4, 6, 2, bidirectional=True, dtype=jnp.bfloat16)
    assert [w.w.shape for w in tree] == [(18, 4)] * 2 + [(18, 12)] * 2
    assert all(v.dtype == jnp.bfloat16 and float(jnp.abs(v).max()) <= 6 ** -0.5 for v in jax.tree.leaves(tree))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("D", (1, 2))
def test_dropout(D, mode):
    """Two layers with a mask between them, which the key determines."""
    params, x, state = problem(mode, L=2, D=D)
    key = jax.random.key(7)

    def want(params, x, state):
        tree = rnn.unpack(params, mode, 4, 6, 2, bidirectional=D == 2)
        y, *first = lax_reference(mode, D)(rnn.pack(tree[:D]), x, tuple(s[:D] for s in state))
        mask = jax.random.bernoulli(jax.random.split(key, 1)[0], 0.75, y.shape)
        y, *second = lax_reference(mode, D)(rnn.pack(tree[D:]), jnp.where(mask, y / 0.75, 0), tuple(s[D:] for s in state))
        return y, *map(lambda a, b: jnp.concatenate([a, b]), first, second)
    mine = ours(mode, D, dropout=0.25, key=key)
    wanted = both(want, (params, x, state))
    close(both(mine, (params, x, state)), wanted, 1e-13)
    close(both(jax.checkpoint(mine), (params, x, state)), wanted, 1e-13)  # draws once
    silent = ours(mode, D, dropout=1.0, key=key)(params, x, state)
    zero = ours(mode, D)(rnn.pack(rnn.unpack(params, mode, 4, 6, 2, bidirectional=D == 2)[D:]),
                         jnp.zeros((5, 3, 6 * D)), tuple(s[D:] for s in state))
    close(silent[0], zero[0], 1e-15)


@pytest.mark.parametrize("D", (1, 2))
def test_experimental_rnn(D):
    two, drop_in = D == 2, rnn.experimental_rnn
    sizes = (4, 6, 2)
    assert drop_in.get_num_params_in_lstm(*sizes, two) == theirs.get_num_params_in_lstm(*sizes, two)
    weights = drop_in.init_lstm_weight(jax.random.key(0), *sizes, two)
    close(weights, theirs.init_lstm_weight(jax.random.key(0), *sizes, two), 1e-15)
    unpacked = drop_in.unpack_lstm_weights(weights, *sizes, two)
    close(list(unpacked), list(theirs.unpack_lstm_weights(weights, *sizes, two)), 0)
    _, x, (h, c) = problem("lstm", L=2, D=D, dtype="float32")
    x, lengths = jnp.swapaxes(x, 0, 1), jnp.asarray([5, 2, 3], jnp.int32)
    close(drop_in.lstm(x, h, c, weights, lengths, *sizes, 0.0, two),
          theirs.lstm_ref(x, h, c, *unpacked, lengths, *sizes, 0.0, two), 1e-6)

    def total(results):
        return sum(jnp.sum(jnp.sin(v)) for v in results)
    gradients = [jax.grad(f, (0, 1, 2, 3))(x, h, c, weights) for f in (
        lambda x, h, c, w: total(drop_in.lstm(x, h, c, w, lengths, *sizes, 0.0, two)),
        lambda x, h, c, w: total(theirs.lstm_ref(x, h, c, *theirs.unpack_lstm_weights(w, *sizes, two), lengths, *sizes, 0.0, two)))]
    close(*gradients, 2e-6)


BLOCK = ("x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b")


def block_problem(T=5, B=3, I=4, H=6):
    random = np.random.default_rng(1)
    shapes = ((T, B, I), (B, H), (B, H), (I + H, 4 * H), (H,), (H,), (H,), (4 * H,))
    return dict(zip(BLOCK, (jnp.asarray(0.4 * random.standard_normal(s)) for s in shapes)))


@pytest.mark.parametrize("layout,options", (
    ("icfo", {}),
    ("icfo", {"peephole": True, "cell_clip": 0.3, "forget_bias": 1.0}),
    ("ifco", {"resets": RESETS, "reset_to": "initial", "seq_len_max": 4}),
))
def test_block_lstm(layout, options):
    options, v = dict(options), block_problem()
    peephole = options.pop("peephole", False)
    kept = [k for k in BLOCK if peephole or not k.startswith("wc")]

    def mine(*values):
        return rnn.block_lstm(**dict(zip(kept, values)), layout=layout, **options)

    def want(*values):
        operands = {**v, **dict(zip(kept, values))}
        n, resets = options.get("seq_len_max"), options.get("resets")
        return rnn.BlockLSTMResults(*block_reference(operands, layout, peephole, options, n, resets))
    values = [v[k] for k in kept]
    every = tuple(range(len(kept)))

    def derivatives(f):
        def scalar(*names):
            return lambda *a: sum(jnp.sum(jnp.sin(getattr(f(*a), name))) for name in names)
        first = jax.grad(scalar("cs", "h"), every)
        second = jax.grad(lambda *a: sum(jnp.vdot(g, g) for g in first(*a)), every)
        gates = jax.grad(scalar("i", "f", "o", "ci", "co", "h"), every)
        return jax.jit(lambda *a: (f(*a), first(*a), gates(*a), second(*a)))(*values)
    close(derivatives(mine), derivatives(want), 1e-12)


def block_reference(operands, layout, peephole, options, n, resets):
    from rnn_mlir.jax import _reference
    return _reference.block_lstm(layout, peephole, options.get("forget_bias", 0.0), options.get("cell_clip", 0.0),
                                 options.get("reset_to", "zero"), [operands[k] for k in BLOCK], n,
                                 None if resets is None else jnp.asarray(resets))


@pytest.mark.parametrize("dtype,tolerance", (("float32", 2e-6), ("float16", 4e-3), ("bfloat16", 3e-2)))
@pytest.mark.parametrize("layout", ("icfo", "ifco"))
def test_types_of_block_lstm(layout, dtype, tolerance):
    """Both passes, beside the same values in f64."""
    values = {k: v.astype(dtype) for k, v in block_problem().items()}

    def run(values):
        def total(values):
            out = rnn.block_lstm(**values, layout=layout)
            return sum(jnp.sum(jnp.sin(v.astype(jnp.float64))) for v in (out.cs, out.h))
        return rnn.block_lstm(**values, layout=layout), jax.grad(total)(values)
    got, wanted = run(values), run({k: v.astype(jnp.float64) for k, v in values.items()})
    assert all(v.dtype == dtype for v in jax.tree.leaves(got))
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(wanted)):
        scale = max(1, float(jnp.abs(b).max()))
        assert float(jnp.abs(a.astype(jnp.float64) - b).max()) <= tolerance * scale


def test_block_lstm_equals_lstm():
    """Without options, the layout ifco is an LSTM with transposed matrices."""
    params, x, (h, c) = problem("lstm")
    w, = rnn.unpack(params, "lstm", 4, 6)
    out = rnn.block_lstm(x, c[0], h[0], jnp.concatenate([w.w.T, w.r.T]), w.bw + w.br)
    y, (hn, cn) = rnn.lstm(params, x, (h, c))
    close((out.h, out.h[-1:], out.cs[-1:]), (y, hn, cn), 1e-14)


@pytest.mark.parametrize("mode", ("lstm", "gru", "rnn_tanh"))
def test_keras_arrays(mode):
    """A Keras cell in NumPy (keras/src/layers/rnn), with its order of gates."""
    random, units, inputs = np.random.default_rng(3), 6, 4
    gates = {"lstm": 4, "gru": 3, "rnn_tanh": 1}[mode]
    bias_shape = (2, gates * units) if mode == "gru" else (gates * units,)
    kernel, recurrent, bias = (0.4 * random.standard_normal(s) for s in
                               ((inputs, gates * units), (units, gates * units), bias_shape))
    x, sigmoid = random.standard_normal((3, 5, inputs)), reference.sigmoid
    h = c = np.zeros((3, units))
    ys = []
    for t in range(5):
        if mode == "lstm":
            i, f, g, o = np.split(x[:, t] @ kernel + h @ recurrent + bias, 4, axis=1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
        elif mode == "gru":
            xz, xr, xh = np.split(x[:, t] @ kernel + bias[0], 3, axis=1)
            hz, hr, hh = np.split(h @ recurrent + bias[1], 3, axis=1)
            z = sigmoid(xz + hz)
            h = z * h + (1 - z) * np.tanh(xh + sigmoid(xr + hr) * hh)
        else:
            h = np.tanh(x[:, t] @ kernel + h @ recurrent + bias)
        ys.append(h)
    weights = rnn.params.from_keras_arrays(mode, [kernel, recurrent, bias])
    y, _ = OURS[mode]([weights], jnp.asarray(x), batch_first=True)
    close(y, np.stack(ys, 1), 1e-14)
    for got, want in zip(rnn.params.to_keras_arrays(mode, weights), (kernel, recurrent, bias)):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("wrong,message", (
    (lambda p, x, s: rnn.lstm(p[:-1], x, s), "`params` has 287 elements; expected 288"),
    (lambda p, x, s: rnn.lstm(p, x[:0], s), "without empty dimensions"),
    (lambda p, x, s: rnn.lstm(p, x[0], s), r"expected \[T, B, I\]"),
    (lambda p, x, s: rnn.lstm(p, x, (s[0][:, :2], s[1])), r"`h0` has shape \(1, 2, 6\); expected \(1, 3, 6\)"),
    (lambda p, x, s: rnn.lstm(p, x, s, lengths=LENGTHS[:2]), r"`lengths` has shape"),
    (lambda p, x, s: rnn.lstm(p, x, s, resets=RESETS[:2]), r"`resets` has shape"),
    (lambda p, x, s: rnn.lstm(p, x, s, resets=RESETS, reset_to="one"), "expected 'zero' or 'initial'"),
    (lambda p, x, s: rnn.lstm(p, x, s, dropout=2.0), r"expected a value in \[0, 1\]"),
    (lambda p, x, s: rnn.lstm(p, x), "pass `state`, or `hidden_size`"),
    (lambda p, x, s: rnn.lstm([], x), "0 pseudo layers"),
    (lambda p, x, s: rnn.rnn(p, x, s[0], nonlinearity="sin"), "expected 'tanh' or 'relu'"),
    (lambda p, x, s: rnn.lstm(rnn.init(jax.random.key(0), "lstm", 4, 6, 2, dtype=p.dtype), x, dropout=0.5),
     "needs a `key`"),
))
def test_value_errors(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong(*problem("lstm"))


def test_type_errors():
    params, x, state = problem("lstm")
    with pytest.raises(TypeError, match="`params` has dtype float32, but `x` has float64"):
        rnn.lstm(params.astype(jnp.float32), x, state)
    with pytest.raises(TypeError, match="dtype int32; expected one of float16"):
        rnn.lstm(params, x.astype(jnp.int32), state)


def test_wrong_lengths_at_run_time():
    params, x, state = problem("lstm")
    with pytest.raises(Exception, match="`lengths` to be in .0, T = 5., but got 6"):
        jax.block_until_ready(rnn.lstm(params, x, state, lengths=np.array([6, 1, 1])))
