# test_jax_separate.py - parameters as a list, whose tensors compiled code reads in place, against the flat array.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists of parameters."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import rnn_mlir.jax as rnn  # noqa: E402
from jax_problems import MODES, both, close, loss, ours, problem  # noqa: E402

jax.config.update("jax_enable_x64", True)

LENGTHS = np.array([5, 0, 3])
RESETS = np.random.default_rng(1).random((5, 3)) < 0.3


def trees(mode, L=1, D=1, P=0, **options):
    """The problem with a list, and with the flat array."""
    flat, x, state = problem(mode, L=L, D=D, P=P, **options)
    tree = rnn.unpack(flat, mode, x.shape[2], 6, L, bidirectional=D == 2, proj_size=P)
    return tree, flat, x, state


def check(mode, sizes, options, dtype="float64"):
    """Results and gradients have the same bits."""
    tree, flat, x, state = trees(mode, dtype=dtype, **sizes)
    D, P = sizes.get("D", 1), sizes.get("P", 0)
    if options.get("batch_first"):
        x = jnp.swapaxes(x, 0, 1)
        options = {**options, **({"resets": options["resets"].T} if "resets" in options else {})}
    results, (dtree, *rest) = both(ours(mode, D, **options), (tree, x, state))
    wanted, (dflat, *wanted_rest) = both(ours(mode, D, P, **options), (flat, x, state))
    close((results, rest), (wanted, wanted_rest), 0)
    assert jax.tree.structure(dtree) == jax.tree.structure(tree)
    close(rnn.pack(dtree), dflat, 0)


@pytest.mark.parametrize("batch_first", (False, True))
@pytest.mark.parametrize("D,L", ((1, 1), (2, 2), (1, 3)))
@pytest.mark.parametrize("mode", MODES)
def test_modes(mode, D, L, batch_first):
    check(mode, {"D": D, "L": L}, {"batch_first": batch_first})


@pytest.mark.parametrize("options", ({"lengths": LENGTHS}, {"resets": RESETS},
                                     {"lengths": LENGTHS, "resets": RESETS, "reset_to": "initial", "batch_first": True}),
                         ids=("lengths", "resets", "all"))
@pytest.mark.parametrize("mode,sizes", (("lstm", {"D": 2, "L": 2}), ("gru", {"L": 2}), ("lstm", {"P": 3, "L": 2, "D": 2})))
def test_options(mode, sizes, options):
    check(mode, sizes, options)


@pytest.mark.parametrize("dtype", ("float16", "bfloat16", "float32"))
@pytest.mark.parametrize("mode", ("lstm", "gru"))
def test_types(mode, dtype):
    check(mode, {"L": 2, "D": 2}, {}, dtype)


@pytest.mark.parametrize("T,B,H", ((1, 1, 6), (1, 4, 40), (3, 9, 40), (20, 17, 70)))
def test_sizes(T, B, H):
    """Those of every kernel: weights in place, one tile, several tiles."""
    for mode in ("lstm", "gru"):
        flat, x, state = problem(mode, T=T, B=B, I=H, H=H, L=2)
        tree = rnn.unpack(flat, mode, H, H, 2)
        layer = ours(mode)
        close(both(layer, (tree, x, state))[0], both(layer, (flat, x, state))[0], 0)
        close(rnn.pack(jax.grad(loss(layer))(tree, x, state)), jax.grad(loss(layer))(flat, x, state), 0)


def test_many_layers():
    """More tensors than a call has arguments."""
    check("lstm", {"L": 12, "D": 2}, {})


def test_no_biases():
    tree, _, x, state = trees("gru", L=2)
    short = [w._replace(bw=None, br=None) for w in tree]
    zero = [w._replace(bw=0 * w.bw, br=0 * w.br) for w in tree]
    close(rnn.gru(short, x), rnn.gru(zero, x, 0 * state[0]), 0)
    gradients = jax.grad(lambda p: jnp.sum(rnn.gru(p, x)[0] ** 2))(short)
    assert gradients[0].bw is None


def test_one_tensor_in_two_places():
    """Two layers with the same arrays, and a gradient that is the sum over both."""
    tree, _, x, state = trees("lstm", L=2, I=6)
    tied, copied = [tree[0], tree[0]], [tree[0], jax.tree.map(jnp.array, tree[0])]
    layer = ours("lstm")
    close(layer(tied, x, state), layer(copied, x, state), 0)
    both_layers = jax.grad(loss(layer))(copied, x, state)
    got = jax.grad(lambda w: loss(layer)([w, w], x, state))(tree[0])
    close(got, jax.tree.map(jnp.add, *both_layers), 1e-14)


def test_program():
    """On the CPU nothing copies the tensors; on other platforms lax concatenates them."""
    tree, _, x, state = trees("lstm", L=2)
    gradient = jax.grad(loss(ours("lstm")))
    text = jax.jit(gradient).lower(tree, x, state).as_text()
    assert text.count("@rnn_mlir_separate(") == 2 and "stablehlo.concatenate" not in text and "@rnn_mlir_copy" not in text
    exported = jax.export.export(jax.jit(gradient), platforms=["cuda"], disabled_checks=rnn.EXPORT_CHECKS)
    assert "stablehlo.concatenate" in exported(tree, x, state).mlir_module()


def test_export():
    tree, _, x, state = trees("gru", L=2, D=2)
    gradient = jax.jit(jax.grad(loss(ours("gru", 2)), (0, 1)))
    exported = jax.export.export(gradient, disabled_checks=rnn.EXPORT_CHECKS)(tree, x, state)
    again = jax.export.deserialize(exported.serialize())
    close(again.call(tree, x, state), gradient(tree, x, state), 0)


def test_derivatives():
    tree, flat, x, state = trees("lstm", L=2)
    hessian = jax.hessian(lambda p: loss(ours("lstm"))(p, x, state))
    size = tree[0].w.size
    close(hessian(tree)[0].w[0].w.reshape(size, size), hessian(flat)[:size, :size], 1e-12)
    one = jax.jvp(lambda p: ours("lstm")(p, x, state), (tree,), (tree,))
    close(one, jax.jvp(lambda p: ours("lstm")(p, x, state), (flat,), (flat,)), 1e-12)
    # Some parameters only.
    frozen = jax.grad(lambda r: loss(ours("lstm"))([tree[0]._replace(r=r), tree[1]], x, state))(tree[0].r)
    close(frozen, jax.grad(loss(ours("lstm")))(tree, x, state)[0].r, 0)


def test_vmap():
    tree, flat, x, state = trees("lstm", L=2, D=2)
    layer, xs = ours("lstm", 2), jnp.stack([x, -x, 2 * x])
    close(jax.vmap(layer, (None, 0, None))(tree, xs, state), jax.vmap(layer, (None, 0, None))(flat, xs, state), 0)
    per_example = jax.vmap(jax.grad(loss(layer), (0, 1)), (None, 0, None))
    (got, dx), (want, dx_want) = per_example(tree, xs, state), per_example(flat, xs, state)
    close((jax.vmap(rnn.pack)(got), dx), (want, dx_want), 1e-14)
    inputs = jax.vmap(jax.grad(loss(layer), 1), (None, 0, None))
    close(inputs(tree, xs, state), inputs(flat, xs, state), 1e-14)
    every = jax.tree.map(lambda v: jnp.stack([v, 2 * v]), tree)
    ensemble = jax.vmap(jax.grad(loss(layer)), (0, None, None))(every, x, state)
    close(jax.tree.map(lambda v: v[1], ensemble), jax.grad(loss(layer))(jax.tree.map(lambda v: 2 * v, tree), x, state), 1e-14)
    # One tensor has members, the others are shared.
    some = [tree[0]._replace(w=jnp.stack([tree[0].w, 2 * tree[0].w])), *tree[1:]]
    axes = [type(w)(*(0 if v is some[0].w else None for v in w[:4]), None) for w in some]
    mapped = jax.vmap(layer, (axes, None, None))(some, x, state)
    close(jax.tree.map(lambda v: v[1], mapped), layer([tree[0]._replace(w=2 * tree[0].w), *tree[1:]], x, state), 1e-14)


def test_dropout():
    tree, flat, x, state = trees("gru", L=3)
    layer = ours("gru", dropout=0.5, key=jax.random.key(3))
    close(both(layer, (tree, x, state))[0], both(layer, (flat, x, state))[0], 0)
    close(rnn.pack(jax.grad(loss(layer))(tree, x, state)), jax.grad(loss(layer))(flat, x, state), 0)


def test_checkpoint():
    tree, _, x, state = trees("lstm", L=2)
    layer = ours("lstm")
    close(jax.grad(loss(jax.checkpoint(layer)))(tree, x, state), jax.grad(loss(layer))(tree, x, state), 0)
