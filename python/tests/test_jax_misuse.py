# test_jax_misuse.py - wrong arguments of rnn_mlir.jax: each is an error that names the argument.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
])
def test_layers(arguments, error, message):
    with pytest.raises(error, match=message):
        jax.block_until_ready(lstm(**arguments))
    jax.block_until_ready(lstm())


def block(**arguments):
    values = dict(x=X, cs_prev=X[0], h_prev=X[1], w=np.full((2 * H, 4 * H), 0.1, np.float32), b=np.zeros(4 * H, np.float32))
    return rj.block_lstm(**{**values, **arguments})


@pytest.mark.parametrize("arguments, error, message", [
    (dict(cell_clip=float("nan")), ValueError, "`cell_clip` is nan; expected a finite number"),
    (dict(cell_clip=float("inf")), ValueError, "`cell_clip` is inf; expected a finite number"),
    (dict(cell_clip="1"), ValueError, "`cell_clip` is '1'; expected a finite number"),
    (dict(seq_len_max=2.7), TypeError, "`seq_len_max` has dtype float[0-9]+; expected integers"),
    (dict(seq_len_max=[1, 2]), ValueError, r"`seq_len_max` has shape \(2,\); expected one integer"),
    (dict(seq_len_max=4), Exception, r"expects `seq_len_max` to be in \[0, T\]"),
    (dict(resets=[[0, 1]]), ValueError, r"`resets` has shape \(1, 2\); expected \(3, 2\)"),
])
def test_block(arguments, error, message):
    with pytest.raises(error, match=message):
        jax.block_until_ready(block(**arguments))


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
    with pytest.raises(TypeError, match="a training pass needs known sizes.*: steps = t, batch = "):
        jax.export.export(jax.jit(jax.grad(loss)), disabled_checks=rj.EXPORT_CHECKS)(x)


def test_disable_jit():
    with jax.disable_jit():
        got = jax.grad(lambda x: lstm(x=x)[0].sum())(X)
    np.testing.assert_array_equal(got, jax.grad(lambda x: lstm(x=x)[0].sum())(X))


def test_mode_of_init():
    with pytest.raises(ValueError, match="`mode` is 'LSTM'; expected one of rnn_relu, rnn_tanh, lstm, gru"):
        rj.init(jax.random.key(0), "LSTM", H, H)


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
