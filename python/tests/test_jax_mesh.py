# test_jax_mesh.py - rnn_mlir.jax over 4 devices of the host: members over devices, sharded parameters, lengths out of range,
# reserve spaces in another program, and the persistent compilation cache.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import os
import subprocess
import sys

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import rnn_mlir.jax as rnn  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402
from jax_problems import close, collectives, loss, ours, problem  # noqa: E402

if len(jax.devices()) < 4:
    pytest.skip("JAX was initialized with fewer than 4 devices", allow_module_level=True)

MESH = Mesh(np.array(jax.devices()[:4]), ("data",))
SQUARE = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("model", "data"))
BATCH = P(None, "data")
explicit_axes = pytest.mark.skipif(not hasattr(jax.sharding, "AxisType"), reason="this JAX has no explicit axes")


def explicit(mesh):
    kinds = (jax.sharding.AxisType.Explicit,) * len(mesh.axis_names)
    return jax.make_mesh(tuple(mesh.shape.values()), mesh.axis_names, axis_types=kinds)


# --- Members ---------------------------------------------------------------------------------------------------------

def members():
    """Parameters of 4 models, sequences of 4 examples, and their layers."""
    params, x, _ = problem("lstm", B=8)
    sizes = {"hidden_size": 6}
    gradient = jax.grad(lambda params, x: sum(jnp.sum(jnp.sin(v)) for v in jax.tree.leaves(rnn.lstm(params, x, **sizes))))
    return jnp.stack([params, -params, 2 * params, params + 1]), jnp.stack([x, -x, 2 * x, x + 1]), gradient, sizes


ENSEMBLES = (MESH, P("data"), P(), {}), (SQUARE, P("model"), BATCH, {"all-reduce": 1}), (MESH, P(), BATCH, {"all-reduce": 1})


@pytest.mark.parametrize("axes", ("auto", pytest.param("explicit", marks=explicit_axes)))
@pytest.mark.parametrize("mesh,of_params,of_x,found", ENSEMBLES)
def test_ensembles(axes, mesh, of_params, of_x, found):
    """Models over devices, with the batch of their common input over others: nothing is gathered."""
    params, (x, *_), gradient, sizes = members()
    step = jax.vmap(gradient, (0, None))
    forward = jax.vmap(lambda params, x: rnn.lstm(params, x, **sizes)[0], (0, None))
    inputs = jax.grad(lambda x, params: jnp.sum(forward(params, x) ** 2))
    want = step(params, x), forward(params, x), inputs(x, params)
    mesh = explicit(mesh) if axes == "explicit" else mesh
    with jax.set_mesh(mesh) if axes == "explicit" else contextlib.nullcontext():
        ps, xs = (jax.device_put(v, NamedSharding(mesh, s)) for v, s in ((params, of_params), (x, of_x)))
        compiled = jax.jit(step).lower(ps, xs).compile()
        assert collectives(compiled) == found
        assert not collectives(jax.jit(forward).lower(ps, xs).compile())
        got = jax.jit(step)(ps, xs), jax.jit(forward)(ps, xs), jax.jit(inputs)(xs, ps)
    assert got[0].sharding.is_equivalent_to(NamedSharding(mesh, of_params), 2)
    close(got, want, 1e-13)


@pytest.mark.parametrize("axes", ("auto", pytest.param("explicit", marks=explicit_axes)))
@pytest.mark.parametrize("of_params,of_x,summed", (
    (P("model"), P(), 0), (P("model", "data"), P(), 0), (P("model"), BATCH, 1), (P(None, "model"), BATCH, 1), (P(), P(None, ("model", "data")), 1)))
def test_nested_ensembles(axes, of_params, of_x, summed):
    """Two levels of models, either of which is divided: nothing is gathered, and only the batch needs a sum."""
    params, (x, *_), gradient, sizes = members()
    grid = jnp.stack([params, -params]).reshape(4, 2, -1)

    def twice(f):
        return jax.vmap(jax.vmap(f, (0, None)), (0, None))
    forward, step = twice(lambda params, x: rnn.lstm(params, x, **sizes)[0]), twice(gradient)
    inputs = jax.grad(lambda x, params: jnp.sum(forward(params, x) ** 2))
    want = forward(grid, x), step(grid, x), inputs(x, grid)
    mesh = explicit(SQUARE) if axes == "explicit" else SQUARE
    with jax.set_mesh(mesh) if axes == "explicit" else contextlib.nullcontext():
        ps, xs = (jax.device_put(v, NamedSharding(mesh, s)) for v, s in ((grid, of_params), (x, of_x)))
        assert not collectives(jax.jit(forward).lower(ps, xs).compile())
        assert collectives(jax.jit(step).lower(ps, xs).compile()) == ({"all-reduce": 1} if summed else {})
        assert not {"all-gather", "all-to-all"} & set(collectives(jax.jit(inputs).lower(xs, ps).compile()))
        got = jax.jit(forward)(ps, xs), jax.jit(step)(ps, xs), jax.jit(inputs)(xs, ps)
    assert got[1].sharding.is_equivalent_to(NamedSharding(mesh, of_params), 3)
    close(got, want, 1e-12)


@pytest.mark.parametrize("axes", ("auto", pytest.param("explicit", marks=explicit_axes)))
@pytest.mark.parametrize("mesh,of_x,found", (
    (MESH, P("data"), {}), (SQUARE, P("model", None, "data"), {"all-reduce": 1}), (MESH, P(None, None, "data"), {"all-reduce": 1})))
def test_gradients_per_example(axes, mesh, of_x, found):
    (params, *_), x, gradient, _ = members()
    step = jax.vmap(gradient, (None, 0))
    want = step(params, x)
    mesh = explicit(mesh) if axes == "explicit" else mesh
    with jax.set_mesh(mesh) if axes == "explicit" else contextlib.nullcontext():
        ps, xs = (jax.device_put(v, NamedSharding(mesh, s)) for v, s in ((params, P()), (x, of_x)))
        assert collectives(jax.jit(step).lower(ps, xs).compile()) == found
        close(jax.jit(step)(ps, xs), want, 1e-13)


@pytest.mark.parametrize("axes", ("auto", pytest.param("explicit", marks=explicit_axes)))
@pytest.mark.parametrize("mesh,of_x", ((MESH, P(None, None, "data")), (MESH, P("data")), (SQUARE, P("model", None, "data"))))
def test_batches(axes, mesh, of_x):
    """vmap over inputs is one call, whether the mapped dimension or the batch is divided: nothing is gathered."""
    (params, *_), x, gradient, sizes = members()

    def layer(params, x):
        return rnn.lstm(params, x, **sizes)[0]

    def total(params, x):
        return jnp.sum(jnp.sin(every(params, x)))

    def jacobian(params, x):
        return jax.jacrev(lambda x: every(params, x)[:, -1].sum((0, 1)))(x)

    every = jax.vmap(layer, (None, 0))
    nested = jax.vmap(every, (None, 0))
    ensemble = jax.vmap(jax.grad(total), (0, None))
    second = jax.grad(lambda params, x: jnp.sum(jax.vmap(jax.grad(total, 1), (None, 0))(params, jnp.stack([x, -x])) ** 2), 1)
    local = (every, jax.grad(total, 1), jacobian, lambda params, x: nested(params, jnp.stack([x, -x])), second)
    summed = jax.grad(total), lambda params, x: ensemble(jnp.stack([params, -params]), x)
    want = [f(params, x) for f in local + summed]
    mesh = explicit(mesh) if axes == "explicit" else mesh
    with jax.set_mesh(mesh) if axes == "explicit" else contextlib.nullcontext():
        ps, xs = (jax.device_put(v, NamedSharding(mesh, s)) for v, s in ((params, P()), (x, of_x)))
        for f, expected in zip(local + summed, want):
            assert collectives(jax.jit(f).lower(ps, xs).compile()) == ({} if f in local else {"all-reduce": 1})
            close(jax.tree.map(np.asarray, jax.jit(f)(ps, xs)), expected, 1e-12)
        assert jax.jit(every)(ps, xs).sharding.is_equivalent_to(xs.sharding, 4)


def test_members_that_do_not_divide():
    params, (x, *_), gradient, _ = members()
    step = jax.vmap(gradient, (0, None))

    def f(params, x):  # 3 models over 2 devices
        return step(jax.lax.with_sharding_constraint(params, NamedSharding(SQUARE, P("model")))[:3], x)
    close(jax.jit(f)(params, jax.device_put(x, NamedSharding(SQUARE, BATCH))), step(params[:3], x), 1e-13)


# --- Sharded parameters ----------------------------------------------------------------------------------------------

@explicit_axes
@pytest.mark.parametrize("only", (None, "bw"))
def test_gradients_of_sharded_parameters(only):
    """Gradients have the sharding of their parameters, some or all of which are sharded."""
    _, x, _ = problem("lstm", B=8)
    params = rnn.init(jax.random.key(0), "lstm", 4, 8, 2, dtype=jnp.float64)
    gradient = jax.grad(lambda params, x: jnp.sum(jnp.sin(rnn.lstm(params, x)[0])))
    want, mesh = gradient(params, x), explicit(MESH)
    with jax.set_mesh(mesh):
        spread = [p._replace(**{name: jax.device_put(v, NamedSharding(mesh, P("data" if only in (None, name) else None)))
                                for name, v in p._asdict().items() if v is not None}) for p in params]
        got = jax.jit(gradient)(spread, jax.device_put(x, NamedSharding(mesh, BATCH)))
        for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(spread)):
            assert a.sharding.is_equivalent_to(b.sharding, a.ndim)
    close(jax.tree.map(np.asarray, got), want, 1e-13)


@explicit_axes
def test_sharded_bias_of_a_block():
    """`forget_bias` keeps the sharding of a bias whose gates do not divide."""
    x, state, w, b = np.ones((5, 8, 4)), np.ones((8, 6)), np.full((10, 24), 0.1), np.linspace(0, 1, 24)
    gradient = jax.grad(lambda *v: jnp.sum(jnp.sin(rnn.block_lstm(v[0], v[1], v[1], *v[2:], forget_bias=1.0).h)), (0, 1, 2, 3))
    want, mesh = gradient(x, state, w, b), explicit(MESH)
    with jax.set_mesh(mesh):
        shardings = BATCH, P("data"), P(), P("data")
        put = [jax.device_put(v, NamedSharding(mesh, s)) for v, s in zip((x, state, w, b), shardings)]
        close(jax.tree.map(np.asarray, jax.jit(gradient)(*put)), want, 1e-13)


# --- Lengths out of range --------------------------------------------------------------------------------------------

LENGTHS = """
import jax, jax.numpy as jnp, numpy as np
import rnn_mlir.jax as rnn
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()), ("data",))
params, x = rnn.init(jax.random.key(0), "lstm", 4, 6), jax.random.normal(jax.random.key(1), (5, 8, 4))
wrong, clamped = np.array([5, 1, 2, 3, 0, -7, 5, 6]), np.array([5, 1, 2, 3, 0, 0, 5, 5])
state, w, b = jnp.ones((8, 6)), jnp.full((10, 24), 0.1), jnp.zeros(24)

def layer(params, x, n):
    return jnp.mean(rnn.lstm(params, x, lengths=n)[0] ** 2)

def block(w, x, n):
    return jnp.mean(rnn.block_lstm(x, state, state, w, b, seq_len_max=n).h ** 2)

def put(value, *spec):
    return jax.device_put(value, NamedSharding(mesh, P(*spec)))

gradient = jax.jit(jax.grad(layer))
want = gradient(params, x, jnp.asarray(clamped))
local = jax.grad(lambda *v: jax.lax.pmean(layer(*v), "data"))
mapped = jax.jit(jax.shard_map(local, mesh=mesh, in_specs=(P(), P(None, "data"), P("data")), out_specs=P()))
for got in gradient(put(params), put(x, None, "data"), put(wrong, "data")), mapped(params, x, wrong):
    for a, b_ in zip(jax.tree.leaves(got), jax.tree.leaves(want)):
        np.testing.assert_allclose(a, b_, atol=1e-6)
got = jax.jit(jax.grad(block))(put(w), put(x, None, "data"), put(np.int32(9)))
np.testing.assert_allclose(got, jax.grad(block)(w, x, 5), atol=1e-6)
print("done")
"""


def run(program, *arguments, devices=4):
    environment = dict(os.environ, XLA_FLAGS=f"--xla_force_host_platform_device_count={devices} "
                       "--xla_cpu_collective_call_warn_stuck_timeout_seconds=5 --xla_cpu_collective_call_terminate_timeout_seconds=10")
    environment.pop("JAX_ENABLE_X64", None)
    return subprocess.run([sys.executable, "-c", program, *map(str, arguments)], env=environment, text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test_lengths_out_of_range():
    """They are clamped: an error of one device would leave the others in the all-reduce, and XLA would abort the process."""
    done = run(LENGTHS)
    assert done.returncode == 0 and "done" in done.stdout, done.stdout


def test_known_lengths_out_of_range():
    """They are errors."""
    params, x, _ = problem("lstm", B=8)
    x = jax.device_put(x, NamedSharding(MESH, BATCH))
    with pytest.raises(ValueError, match=r"expects element 7 of `lengths` to be in \[0, T = 5\], but got 6"):
        jax.jit(lambda x: rnn.lstm(params, x, hidden_size=6, lengths=[5] * 7 + [6])[0])(x)


# --- Reserve spaces --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("of_cotangent", (P(), P(None, "data"), P(None, ("model", "data"))))
@pytest.mark.parametrize("of_x", (P(), P(None, "data"), P(None, ("model", "data"))))
def test_gradient_in_a_second_program(of_x, of_cotangent):
    """The second program divides the calls as the first one did, whatever the sharding of the cotangents."""
    params, x, _ = problem("lstm", B=8, L=2)

    def f(params, x):
        return rnn.lstm(params, x, hidden_size=6, num_layers=2)[0]
    cotangent = jnp.cos(jnp.arange(5 * 8 * 6.0)).reshape(5, 8, 6)
    want = jax.vjp(f, params, x)[1](cotangent)

    def put(value, spec):
        return jax.device_put(value, NamedSharding(SQUARE, spec))
    operands = put(params, P()), put(x, of_x)
    eager = jax.vjp(jax.jit(f), *operands)[1]
    residuals = jax.jit(lambda *v: jax.vjp(f, *v)[1])(*operands)
    close(eager(put(cotangent, of_cotangent)), want, 1e-13)
    close(jax.jit(lambda residuals, ct: residuals(ct))(residuals, put(cotangent, of_cotangent)), want, 1e-13)


@pytest.mark.parametrize("kind", ("lstm", "list", "lengths", "members"))
def test_reserve_space_of_other_parts(kind):
    """A gradient that divides the batch in another way than its forward pass repeats the pass."""
    params, x, _ = problem("lstm", B=8)
    options = {"lengths": jnp.array([5, 1, 3, 0, 2, 5, 4, 1])} if kind == "lengths" else {}

    if kind == "list":
        params = rnn.unpack(params, "lstm", 4, 6)

    def f(params, x):
        return rnn.lstm(params, x, hidden_size=6, **options)[0]
    cotangent = jnp.cos(jnp.arange(5 * 8 * 6.0)).reshape(5, 8, 6)
    if kind == "members":
        one, params, cotangent = f, jnp.stack([params, -params, 2 * params]), jnp.stack([cotangent, cotangent ** 2, -cotangent])
        f = jax.vmap(one, (0, None))
    want = jax.vjp(f, params, x)[1](cotangent)
    pair = Mesh(np.array(jax.devices()[:2]), ("data",))

    def put(tree, mesh, divided=True):
        def place(value):
            spec = P(*("data" if divided and n == 8 else None for n in value.shape))
            return jax.device_put(value, NamedSharding(mesh, spec))
        return jax.tree.map(place, tree)
    for before in (put(x, MESH), put(x, pair), x):
        mesh = before.sharding.mesh if before is not x else None
        gradient = jax.vjp(jax.jit(f), params if mesh is None else put(params, mesh), before)[1]
        close(jax.jit(lambda ct: gradient(ct))(cotangent), want, 1e-13)
        for after in (MESH, pair):
            close(put(gradient, after)(cotangent), want, 1e-13)
            close(put(gradient, after, divided=False)(cotangent), want, 1e-13)
        close(jax.tree.map(lambda v: jax.device_put(v, jax.devices()[1]), gradient)(cotangent), want, 1e-13)


# --- Persistent cache ------------------------------------------------------------------------------------------------

CACHE = """
import sys
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
jax.config.update("jax_remove_custom_partitioning_ptr_from_cache_key", True)
hits = []
jax.monitoring.register_event_listener(lambda event, **_: hits.append(event) if "cache_hit" in event else None)
import rnn_mlir.jax as rnn
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
random = np.random.default_rng(0)
x, resets = random.standard_normal((5, 8, 4), "f"), random.random((5, 8)) < 0.3
params, state = rnn.init(jax.random.key(0), "rnn_tanh", 4, 6), np.ones((1, 8, 6), "f")

def put(value, *spec):
    return jax.device_put(value, NamedSharding(mesh, P(*spec)))

operands = put(params), put(x, None, "data"), put(state, None, "data"), put(resets, None, "data")
for nonlinearity in "tanh", "relu":
    for reset_to in "zero", "initial":
        def layer(params, x, state, resets):
            return rnn.rnn(params, x, state, resets=resets, reset_to=reset_to, nonlinearity=nonlinearity)[0]
        want = jax.jit(layer)(params, x, state, resets)
        hits.clear()
        np.testing.assert_allclose(jax.jit(layer)(*operands), want, atol=1e-6)
        print("hits", len(hits))
"""


@pytest.mark.skipif(not hasattr(jax.config, "jax_remove_custom_partitioning_ptr_from_cache_key"),
                    reason="this JAX has no such option")
def test_persistent_cache(tmp_path):
    """Operations that differ in an option only have programs of their own, which a second process finds."""
    for hits in 0, 1:
        done = run(CACHE, tmp_path)
        assert done.returncode == 0, done.stdout
        assert done.stdout.count(f"hits {hits}") == 4, done.stdout
