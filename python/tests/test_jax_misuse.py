# test_jax_misuse.py - wrong arguments of rnn_mlir.jax: each is an error that names the argument.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
import rnn_mlir  # noqa: E402
import rnn_mlir.jax as rj  # noqa: E402
from rnn_mlir import _compiler  # noqa: E402

if not hasattr(jax, "ffi"):
    pytest.skip("needs jax.ffi", allow_module_level=True)

T, B, H = 3, 2, 5
X = np.linspace(-1, 1, T * B * H, dtype=np.float32).reshape(T, B, H)
PARAMS = rj.init(jax.random.PRNGKey(0), "lstm", H, H)
FIRST = PARAMS[0]
STATE = np.zeros((1, B, H), np.float32)
TWO = rj.init(jax.random.key(0), "lstm", H, H, 2)


def lstm(params=PARAMS, x=X, state=None, **options):
    return rj.lstm(params, x, state, **options)


@pytest.mark.parametrize("arguments, error, message", [
    # Tensors of other shapes, whose elements fill the flat array: the results were those of other weights.
    (dict(params=[FIRST._replace(bw=jnp.zeros(10), br=jnp.zeros(30))]), ValueError, r"`params\[0\].bw` has shape \(10,\); expected \(20,\)"),
    (dict(params=[FIRST._replace(r=FIRST.r.T)]), ValueError, r"`params\[0\].r` has shape \(5, 20\); expected \(20, 5\)"),
    (dict(params=[FIRST._replace(w=FIRST.w.reshape(20, 5, 1))]), ValueError, r"`params\[0\].w` has shape \(20, 5, 1\)"),
    (dict(params=[FIRST._replace(w=FIRST.w[:-1])]), ValueError, r"`params\[0\].w` has shape \(19, 5\); expected \[4\*H, C\]"),
    (dict(params=PARAMS + [FIRST._replace(projection=jnp.zeros((2, H)))]), ValueError, r"`params\[1\].projection` is given"),
    (dict(params=[FIRST._replace(bw=FIRST.bw.astype(jnp.float16))]), TypeError, r"`params\[0\].bw` has dtype float16"),
    (dict(params=[1.5]), TypeError, r"`params\[0\]` is a float; expected a Weights of arrays"),
    (dict(params=None), TypeError, "`params` is a NoneType; expected a flat array, or a list of Weights"),
    (dict(params=rj.pack(PARAMS), hidden_size=5.0), TypeError, "`hidden_size` is 5.0; expected an integer"),
    (dict(params=rj.pack(PARAMS), state=(np.zeros(2), STATE)), ValueError, r"`h0` has shape \(2,\); expected \[L\*D, B, P\]"),
    (dict(state=STATE), TypeError, r"`state` of an LSTM is a pair \(h0, c0\)"),
    (dict(state=5), TypeError, r"`state` of an LSTM is a pair"),
    (dict(dropout="a"), ValueError, r"`dropout` is 'a'; expected a value in \[0, 1\]"),
    (dict(dropout=float("nan")), ValueError, "`dropout` is nan"),
    (dict(lengths=np.array([1.5, 2.5])), TypeError, "`lengths` has dtype float[0-9]+; expected integers"),
    (dict(lengths=np.array([True, False])), TypeError, "`lengths` has dtype bool; expected integers"),
    (dict(lengths=np.array([1, 2, 3])), ValueError, r"`lengths` has shape \(3,\); expected \(2,\)"),
    (dict(lengths=np.array([-1, 3])), Exception, r"expects element 0 of `lengths` to be in \[0, T = 3\], but got -1"),
    (dict(lengths=np.array([4, 1])), Exception, r"expects element 0 of `lengths` to be in \[0, T = 3\], but got 4"),
    (dict(lengths=jnp.array([-1, 3])), Exception, r"expects element 0 of `lengths` to be in \[0, T = 3\], but got -1"),
    (dict(lengths=jnp.array([3, 4], jnp.uint8)), Exception, r"expects element 1 of `lengths` to be in \[0, T = 3\], but got 4"),
    (dict(lengths=[2 ** 32 + 1, 1]), ValueError, r"expects element 0 of `lengths` to be in \[0, T = 3\], but got 4294967297"),
    (dict(lengths=np.array([1, 2], object)), TypeError, "`lengths` has dtype object; expected integers"),
    (dict(lengths=["a", "b"]), TypeError, "`lengths` has dtype <U1; expected integers"),
    (dict(dropout=True), ValueError, r"`dropout` is True; expected a value in \[0, 1\]"),
    # Sizes that contradict the parameters or the state.
    (dict(num_layers=3), ValueError, "`num_layers` is 3, but `params` has 1; omit `num_layers`, or pass the same"),
    (dict(hidden_size=6), ValueError, "`hidden_size` is 6, but `params` has 5"),
    (dict(proj_size=3), ValueError, "`proj_size` is 3, but `params` has 0"),
    (dict(params=rj.pack(PARAMS), state=(STATE, STATE), num_layers=2), ValueError, "`num_layers` is 2, but `state` has 1"),
    (dict(params=rj.pack(PARAMS), state=(STATE, STATE), hidden_size=6), ValueError, "`hidden_size` is 6, but `state` has 5"),
    (dict(params=rj.pack(PARAMS), hidden_size=-1), ValueError, "`hidden_size` is -1; expected at least 1"),
    (dict(params=rj.pack(PARAMS), hidden_size=H, num_layers=0), ValueError, "`num_layers` is 0; expected at least 1"),
    (dict(params=rj.pack(PARAMS), hidden_size=H, proj_size=H), ValueError, "`proj_size` is 5; expected less than the hidden size"),
    (dict(params=rj.pack(PARAMS), hidden_size=True), TypeError, "`hidden_size` is True; expected an integer"),
    (dict(params=rj.pack(PARAMS), state=(STATE[..., :2], None), proj_size=2), ValueError, "without `c0` need `hidden_size`"),
    (dict(params=[FIRST._replace(projection=jnp.zeros((H, H)))]), ValueError, r"`params\[0\].projection` has P 5; expected less"),
    (dict(params=FIRST), TypeError, r"`params` is one Weights; .* pass \[weights\]"),
    (dict(params=[FIRST._replace(w=FIRST.w.tolist())]), TypeError, r"`params\[0\].w` is a list; expected a Weights of arrays"),
    (dict(params=[FIRST._replace(bw=[0.0] * 20)]), TypeError, r"`params\[0\].bw` is a list; expected a Weights of arrays"),
    (dict(params=[FIRST, jax.tree.map(lambda v: v.astype(jnp.float16), FIRST)]), TypeError,
     r"`params\[1\]` has dtype float16, but `params\[0\]` has float32; cast one of them"),
    (dict(x=None), ValueError, "`x` is a NoneType; expected an array of numbers"),
    (dict(x=X[..., :4]), ValueError, r"`x` has 4 features, but `params\[0\].w` has shape \(20, 5\); expected \(20, 4\), or an `x` with 5"),
    (dict(params=rj.init(jax.random.key(0), "gru", H, 4)), ValueError, r"shape \(12, 4\), the gates of gru, but the mode is lstm; expected \(12, 3\)"),
    (dict(params=rj.init(jax.random.key(0), "lstm", 4, H, bidirectional=True), x=X[..., :4]), ValueError,
     r"`params\[1\].w` has shape \(20, 4\); expected \(20, 5\) for a second layer. .* pass bidirectional=True"),
    (dict(params=TWO, dropout=0.5), ValueError, "`dropout` needs a `key`"),
    (dict(params=TWO, dropout=0.5, key=3), TypeError, "`key` is a int; expected one key"),
    (dict(params=TWO, dropout=0.5, key=jax.random.split(jax.random.key(0), 3)), TypeError, r"`key` is an array of key.* with shape \(3,\); expected"),
])
def test_layers(arguments, error, message):
    with pytest.raises(error, match=message):
        jax.block_until_ready(lstm(**arguments))
    jax.block_until_ready(lstm())


def test_traced_dropout():
    with pytest.raises(TypeError, match="`dropout` is a tracer; expected a Python number"):
        jax.jit(lambda rate: rj.lstm(PARAMS, X, dropout=rate, key=jax.random.key(0)))(0.5)


@pytest.mark.parametrize("name", ("bidirectional", "batch_first", "hidden_size", "num_layers"))
def test_traced_options(name):
    with pytest.raises(TypeError, match=f"`{name}` is a tracer; expected .*: make it a static argument of jax.jit"):
        jax.jit(lambda value: rj.lstm(rj.pack(PARAMS), X, **{"hidden_size": H, name: value}))(1)


def test_keys():
    """Keys of both kinds, and one key of each example."""
    typed, raw = (jax.random.key(1), jax.random.PRNGKey(1))
    want = lstm(params=TWO, dropout=0.5, key=typed)[0]
    assert np.array_equal(want, lstm(params=TWO, dropout=0.5, key=raw)[0])
    keys = jax.random.split(jax.random.key(2), 3)
    got = jax.vmap(lambda key: lstm(params=TWO, dropout=0.5, key=key)[0])(keys)
    for k in range(3):
        np.testing.assert_allclose(got[k], lstm(params=TWO, dropout=0.5, key=keys[k])[0], rtol=1e-6, atol=1e-7)


def block(**arguments):
    values = dict(x=X, cs_prev=X[0], h_prev=X[1], w=np.full((2 * H, 4 * H), 0.1, np.float32), b=np.zeros(4 * H, np.float32))
    return rj.block_lstm(**{**values, **arguments})


@pytest.mark.parametrize("arguments, error, message", [
    (dict(cell_clip=float("nan")), ValueError, "`cell_clip` is nan; expected a finite number"),
    (dict(cell_clip=float("inf")), ValueError, "`cell_clip` is inf; expected a finite number"),
    (dict(cell_clip="1"), ValueError, "`cell_clip` is '1'; expected a finite number"),
    (dict(seq_len_max=2.7), TypeError, "`seq_len_max` has dtype float[0-9]+; expected integers"),
    (dict(seq_len_max=[1, 2]), ValueError, r"`seq_len_max` has shape \(2,\); expected one integer"),
    (dict(seq_len_max=4), Exception, r"expects `seq_len_max` to be in \[0, T = 3\], but got 4"),
    (dict(seq_len_max=2 ** 40), ValueError, r"expects `seq_len_max` to be in \[0, T = 3\], but got 1099511627776"),
    (dict(seq_len_max=jnp.asarray(4)), Exception, r"expects `seq_len_max` to be in \[0, T\]"),
    (dict(forget_bias=float("nan")), ValueError, "`forget_bias` is nan; expected a finite number"),
    (dict(forget_bias="1"), ValueError, "`forget_bias` is '1'; expected a finite number"),
    (dict(forget_bias=1.0, b=np.zeros(3, np.float32)), ValueError, r"`b` has shape \(3,\); expected \(20,\)"),
    (dict(resets=[[0, 1]]), ValueError, r"`resets` has shape \(1, 2\); expected \(3, 2\)"),
])
def test_block(arguments, error, message):
    with pytest.raises(error, match=message):
        jax.block_until_ready(block(**arguments))


@pytest.mark.parametrize("dtype", ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"))
def test_integers(dtype):
    """Every type of integers, of NumPy and of JAX, known and traced."""
    for lengths in (np.array([3, 1], dtype), jnp.array([3, 1], dtype)):
        want = lstm(lengths=np.array([3, 1], np.int32))[0]
        np.testing.assert_array_equal(lstm(lengths=lengths)[0], want)
        np.testing.assert_array_equal(jax.jit(lambda n: lstm(lengths=n)[0])(lengths), want)
    for steps in (np.array(2, dtype), jnp.array(2, dtype)):
        np.testing.assert_array_equal(block(seq_len_max=steps).h, block(seq_len_max=2).h)


def test_values_beyond_int32():
    """Values are not truncated to valid ones."""
    with jax.enable_x64(False), pytest.raises(ValueError, match="but got 4294967298"):
        lstm(lengths=np.array([2 ** 32 + 2, 1]))
    with pytest.raises(Exception, match=r"expects element 0 of `lengths` to be in \[0, T = 3\], but got 2147483647"):
        jax.block_until_ready(lstm(lengths=jnp.array([2 ** 32 + 1, 1])))


@pytest.mark.parametrize("dtype", (jnp.bfloat16, jnp.float16, jnp.float32))
def test_scalars_of_numpy(dtype):
    """They do not change the type of the results."""
    params = rj.init(jax.random.key(0), "lstm", H, H, 2, dtype=dtype)
    for rate in (np.float32(0.5), np.float64(0.5), np.float16(0.5)):
        assert lstm(params, jnp.asarray(X, dtype), dropout=rate, key=jax.random.key(1))[0].dtype == dtype
    for bias in (np.float64(1), jnp.float32(1), np.array(1.0)):
        np.testing.assert_array_equal(block(forget_bias=bias).h, block(forget_bias=1.0).h)
        assert block(forget_bias=bias).h.dtype == np.float32


def test_byte_order():
    swapped = [jax.tree.map(lambda v: np.asarray(v).astype(">f4"), FIRST)]
    want = lstm(lengths=np.array([3, 1]))[0]
    np.testing.assert_array_equal(lstm(swapped, X.astype(">f4"), lengths=np.array([3, 1], ">i4"))[0], want)


def test_flat_parameters_with_half_of_a_state():
    """`h0` without `c0` has the features of the projection, `c0` without `h0` those of the layer."""
    weights = rj.init(jax.random.key(0), "lstm", H, H, proj_size=2)
    flat, h0, c0 = rj.pack(weights), np.ones((1, B, 2), np.float32), np.ones((1, B, H), np.float32)
    for state, sizes in (((h0, None), dict(hidden_size=H, proj_size=2)), ((None, c0), dict(proj_size=2)), ((h0, c0), {})):
        for given in state, tuple(None if v is None else jnp.asarray(v) for v in state):
            np.testing.assert_array_equal(lstm(flat, state=given, **sizes)[0], lstm(weights, state=given)[0])


def test_accepted():
    """Clips without a decimal point in Python's text, and resets that are lists."""
    free = block().cs
    for clip, bound in ((1e-5, 1e-5), (1e30, np.inf)):
        assert np.abs(block(cell_clip=clip).cs).max() <= bound
    np.testing.assert_array_equal(block(cell_clip=1e30).cs, free)
    marks = [[0, 1]] * T
    np.testing.assert_array_equal(block(resets=marks).h, block(resets=np.array(marks, bool)).h)


@pytest.mark.skipif(not _compiler.available(), reason="needs the compiler")
def test_arrays_as_arguments_of_compiled_functions():
    """Results are JAX's; JAX's arrays are never written."""
    double = rnn_mlir.compile("""func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
      %y = arith.addf %x, %x : tensor<?xf32>
      return %y : tensor<?xf32>
    }""")
    result = double(jnp.arange(3, dtype="float32"))
    assert isinstance(result, jax.Array) and result.tolist() == [0, 2, 4]
    store = rnn_mlir.compile("""func.func @f(%x: memref<1xf32>) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%zero] : memref<1xf32>
      return
    }""")
    x = jnp.zeros(1, "float32")
    with pytest.raises(rnn_mlir.InvalidArgument, match="is written by the function, but is read-only"):
        store(x)
    assert x.tolist() == [0]


def test_symbolic_sizes():
    """Inference has them in jax.export, a training pass has not."""
    x = jax.ShapeDtypeStruct(jax.export.symbolic_shape(f"t, b, {H}"), jnp.float32)

    def loss(x):
        return rj.lstm(PARAMS, x)[0].sum()
    exported = jax.export.export(jax.jit(loss), disabled_checks=rj.EXPORT_CHECKS)(x)
    np.testing.assert_allclose(exported.call(X), loss(X), rtol=1e-6)
    many = jax.ShapeDtypeStruct(jax.export.symbolic_shape(f"n, t, b, {H}"), jnp.float32)
    exported = jax.export.export(jax.jit(jax.vmap(loss)), disabled_checks=rj.EXPORT_CHECKS)(many)
    np.testing.assert_allclose(exported.call(np.stack([X, -X])), jax.vmap(loss)(np.stack([X, -X])), rtol=1e-5)
    weights = jax.ShapeDtypeStruct(jax.export.symbolic_shape(f"n, {4 * H}, {H}"), jnp.float32)
    with pytest.raises(TypeError, match="needs a known number of examples; got the symbolic size n"):
        jax.export.export(jax.jit(jax.vmap(lambda w: lstm([FIRST._replace(w=w)])[0])), disabled_checks=rj.EXPORT_CHECKS)(weights)
    with pytest.raises(TypeError, match="a training pass needs known sizes.*: steps = t, batch = "):
        jax.export.export(jax.jit(jax.grad(loss)), disabled_checks=rj.EXPORT_CHECKS)(x)


def test_disable_jit():
    with jax.disable_jit():
        got = jax.grad(lambda x: lstm(x=x)[0].sum())(X)
    np.testing.assert_array_equal(got, jax.grad(lambda x: lstm(x=x)[0].sum())(X))


@pytest.mark.parametrize("call, error, message", [
    (lambda key: rj.init(key, "LSTM", H, H), ValueError, "`mode` is 'LSTM'; expected one of rnn_relu, rnn_tanh, lstm, gru"),
    (lambda key: rj.init(key, "lstm", H, -1), ValueError, "`hidden_size` is -1; expected at least 1"),
    (lambda key: rj.init(key, "lstm", H, 6.0), TypeError, "`hidden_size` is 6.0; expected an integer"),
    (lambda key: rj.init(key, "lstm", H, H, 0), ValueError, "`num_layers` is 0; expected at least 1"),
    (lambda key: rj.init(key, "lstm", H, H, proj_size=H), ValueError, "`proj_size` is 5; expected less than the hidden size, 5"),
    (lambda key: rj.init(key, "gru", H, H, proj_size=1), ValueError, "a projection exists for lstm only, but `proj_size` is 1"),
    (lambda key: rj.init(key, "lstm", H, H, dtype=jnp.int32), TypeError, "`dtype` is int32; expected a type of floating-point"),
    (lambda key: rj.pack(FIRST), TypeError, r"`params` is one Weights; .* pass \[weights\]"),
    (lambda key: rj.pack(rj.pack(PARAMS)), TypeError, "`params` is a ArrayImpl; expected a list with one Weights"),
    (lambda key: rj.unpack([1.0], "lstm", H, H), TypeError, "`flat` is a list; expected the array of `pack`"),
    (lambda key: rj.to_keras(FIRST, [None]), TypeError, "`params` is a Weights; expected a list with one Weights"),
    (lambda key: rj.params.from_keras_arrays("LSTM", [X[0], X[0]]), ValueError, "`mode` is 'LSTM'; expected one of lstm, gru"),
    (lambda key: rj.params.from_keras_arrays("gru", [X[0], X[0]]), ValueError, "has shape .2, 5.; expected the 3 gates of gru"),
])
def test_parameters(call, error, message):
    with pytest.raises(error, match=message):
        call(jax.random.key(0))


def test_experimental_rnn():
    """The functions of jax.experimental.rnn, whose reference runs on the CPU, and errors of wrong sizes."""
    theirs, ours = pytest.importorskip("jax.experimental.rnn"), rj.experimental_rnn
    sizes, batch_first = (H, 4, 2), jnp.asarray(X).swapaxes(0, 1)
    weights = ours.init_lstm_weight(jax.random.key(0), *sizes, True)
    state, lengths = jnp.full((4, B, 4), 0.5, jnp.float32), jnp.array([3, 2], jnp.int32)
    np.testing.assert_array_equal(ours.swap_lstm_gates(weights, *sizes, True), theirs.swap_lstm_gates(weights, *sizes, True))
    got = ours.lstm(batch_first, state, state, weights, lengths, *sizes, 0.0, True)
    for module in (theirs, ours):
        tensors = ours.unpack_lstm_weights(weights, *sizes, True)
        want = module.lstm_ref(batch_first, state, state, *tensors, lengths, *sizes, 0.0, True)
        for a, b in zip(got, want):
            np.testing.assert_allclose(a, b, atol=1e-6)
    np.testing.assert_array_equal(ours.lstm(list(batch_first), state, state, weights, lengths, *sizes, 0.0, True)[1], got[1])
    for x, h, layers, message in ((X[0], state, 2, r"`x` has shape \(2, 5\); expected \[B, T, input_size = 5\]"),
                                  (batch_first, state, 3, r"`h_0` has shape \(4, 2, 4\); expected \(6, 2, 4\)")):
        with pytest.raises(ValueError, match=message):
            ours.lstm(x, h, state, weights, lengths, H, 4, layers, 0.0, True)
    with pytest.raises(NotImplementedError, match="`dropout` is 0.5; lstm_ref has none"):
        ours.lstm_ref(batch_first, state, state, *tensors, lengths, *sizes, 0.5, True)


def test_reload():
    assert importlib.reload(rj).lstm is rj.lstm


def test_strict_promotion():
    """Checks that a program requests for its own code do not apply to the lax ops of derivatives."""
    params = rj.init(jax.random.key(0), "lstm", H, H, num_layers=2, bidirectional=True, dtype=jnp.bfloat16)
    x, lengths = jnp.asarray(X, jnp.bfloat16), np.array([1, 3])
    tests = [(params, x, dict(bidirectional=True, dropout=0.5, key=jax.random.key(1))), (PARAMS, jnp.asarray(X), {})]
    for params, x, options in tests:
        def loss(x):
            return rj.lstm(params, x, lengths=lengths, **options)[0].astype(jnp.float32).sum()
        with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
            jax.block_until_ready(jax.jit(lambda x: (jax.jvp(loss, (x,), (x,)), jax.jvp(jax.grad(loss), (x,), (x,))))(x))


def test_undefined_padding():
    """Derivatives of all orders do not depend on the values of padding."""
    x = jnp.asarray(X).at[1:, 0].set(jnp.nan)

    def loss(params):
        return jnp.square(rj.lstm(params, x, lengths=np.array([1, 3]))[0]).sum()
    second = jax.grad(lambda params: sum(jnp.square(v).sum() for v in jax.tree.leaves(jax.grad(loss)(params))))(PARAMS)
    assert not any(jnp.isnan(v).any() for v in jax.tree.leaves(second))


@pytest.mark.parametrize("platforms", (["tpu"], ["cpu", "rocm"]))
def test_other_platforms(platforms):
    """A program for a platform without compiled functions names it, and those that have them."""
    x = jax.ShapeDtypeStruct(X.shape, jnp.float32)
    for function in (lambda v: lstm(x=v)[0], jax.grad(lambda v: lstm(x=v)[0].sum())):
        with pytest.raises(NotImplementedError, match=f"rnn_mlir.jax run on cpu and cuda, but the program is lowered for {platforms[-1]}:"):
            jax.export.export(jax.jit(function), platforms=platforms, disabled_checks=rj.EXPORT_CHECKS)(x)
