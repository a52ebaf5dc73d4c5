# test_jax_devices.py - rnn_mlir.jax over 4 devices of the host (conftest.py makes them): shard_map, and jit with a
# sharded batch, also in two processes over Gloo. No call may gather its operands.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import socket
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
BATCH = P(None, "data")
EVERY = (0, 1, 2)


def sharded(values, spec=BATCH, mesh=MESH):
    params, x, state = values
    put = NamedSharding(mesh, spec)
    return (jax.device_put(params, NamedSharding(mesh, P())), jax.device_put(x, put),
            tuple(jax.device_put(s, put) for s in state))


@pytest.mark.parametrize("mode,D", (("lstm", 2), ("gru", 1), ("rnn_tanh", 2), ("rnn_relu", 1)))
@pytest.mark.parametrize("explicit", (True, False))
def test_shard_map(mode, D, explicit):
    """One all-reduce, of the gradient of the parameters: written as psum, or made by JAX since the parameters are not
    sharded."""
    values = problem(mode, B=8, L=2, D=D)
    gradient = jax.grad(loss(ours(mode, D)), EVERY)

    def local(params, x, state):
        if explicit:
            params = jax.lax.pcast(params, ("data",), to="varying")
        dp, dx, ds = gradient(params, x, state)
        return jax.lax.psum(dp, "data") if explicit else dp, dx, ds
    split = (BATCH,) * len(values[2])
    step = jax.jit(jax.shard_map(local, mesh=MESH, in_specs=(P(), BATCH, split), out_specs=(P(), BATCH, split)))
    compiled = step.lower(*values).compile()
    assert collectives(compiled) == {"all-reduce": 1}
    close(step(*values), gradient(*values), 1e-13)  # other order of sums


@pytest.mark.parametrize("mode,D,options", (
    ("lstm", 2, {}), ("gru", 1, {"lengths": np.arange(8) % 6}), ("rnn_tanh", 1, {}), ("rnn_relu", 2, {}),
    ("gru", 2, {"dropout": 0.5, "key": jax.random.key(3)}),
    ("lstm", 1, {"resets": np.arange(40).reshape(5, 8) % 3 == 0, "lengths": np.arange(8) % 6}),
))
def test_jit_of_a_sharded_batch(mode, D, options):
    """Without shard_map, the rule of Shardy divides the calls; forward needs no collective."""
    values = problem(mode, B=8, L=2, D=D)
    layer = ours(mode, D, **options)
    operands = sharded(values)
    forward = jax.jit(layer)
    assert not collectives(forward.lower(*operands).compile())
    results = forward(*operands)
    assert results[0].sharding.is_equivalent_to(NamedSharding(MESH, BATCH), 3)
    close(results, layer(*values), 1e-14)
    gradient = jax.jit(jax.grad(loss(layer), EVERY))
    compiled = gradient.lower(*operands).compile()
    assert "all-gather" not in collectives(compiled) and "all-to-all" not in collectives(compiled)
    close(gradient(*operands), jax.jit(jax.grad(loss(layer), EVERY))(*values), 1e-13)


@pytest.mark.parametrize("mode,D,L", (("lstm", 1, 1), ("gru", 2, 2)))
def test_second_derivatives(mode, D, L):
    """They are lax operations, which XLA's compiler divides: in these programs without a gather."""
    values = problem(mode, B=8, L=L, D=D)
    value = loss(ours(mode, D))

    def product(params, x, state):
        return jax.jvp(lambda params: jax.grad(value)(params, x, state), (params,), (params,))[1]

    def penalty(params, x, state):
        return jax.grad(lambda params: value(params, x, state) + jnp.sum(jax.grad(value, 1)(params, x, state) ** 2))(params)

    def of_inputs(params, x, state):
        return jax.grad(lambda x: jnp.sum(jax.grad(value, 1)(params, x, state) ** 2))(x)
    for function in (product, penalty, of_inputs):
        operands = sharded(values)
        assert set(collectives(jax.jit(function).lower(*operands).compile())) <= {"all-reduce"}
        close(jax.jit(function)(*operands), jax.jit(function)(*values), 1e-12)


def test_batch_first():
    """The batch is dimension 0 of sequences, and dimension 1 of states."""
    params, x, state = problem("lstm", B=8)
    values = params, jnp.swapaxes(x, 0, 1), state
    layer = ours("lstm", batch_first=True, resets=np.arange(40).reshape(8, 5) % 3 == 0)
    spread = [NamedSharding(MESH, s) for s in (P(), P("data"), BATCH)]
    operands = (jax.device_put(params, spread[0]), jax.device_put(values[1], spread[1]),
                tuple(jax.device_put(s, spread[2]) for s in state))
    assert not collectives(jax.jit(layer).lower(*operands).compile())
    gradient = jax.jit(jax.grad(loss(layer), EVERY))
    found = collectives(gradient.lower(*operands).compile())
    assert "all-gather" not in found and "all-to-all" not in found
    close(gradient(*operands), gradient(*values), 1e-13)


def test_two_axes_and_pytrees():
    """A batch over two axes of the mesh, and parameters as a pytree."""
    params, x, (h,) = problem("gru", B=8)
    mesh = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("data", "more"))
    tree = rnn.unpack(params, "gru", 4, 6)
    _, xs, (hs,) = sharded((params, x, (h,)), P(None, ("data", "more")), mesh)
    gradient = jax.jit(jax.grad(loss(ours("gru")), EVERY))
    assert "all-gather" not in collectives(gradient.lower(tree, xs, (hs,)).compile())
    close(gradient(tree, xs, (hs,)), gradient(tree, x, (h,)), 1e-13)


def test_batch_that_does_not_divide():
    """A sharding that the batch does not divide by is replicated."""
    params, x, state = problem("gru", B=6)
    whole = NamedSharding(MESH, P())

    def f(params, x, state):  # six examples on four devices
        x = jax.lax.with_sharding_constraint(jnp.sin(x), NamedSharding(MESH, BATCH))
        return loss(ours("gru"))(params, x, state)
    got = jax.jit(jax.grad(f), in_shardings=whole, out_shardings=whole)(params, x, state)
    close(got, jax.grad(lambda p, x, s: loss(ours("gru"))(p, jnp.sin(x), s))(params, x, state), 1e-13)


def test_block_lstm():
    random = np.random.default_rng(0)
    values = [jnp.asarray(0.4 * random.standard_normal(s)) for s in ((5, 8, 4), (8, 6), (8, 6), (10, 24), (24,))]

    def f(*v):
        out = rnn.block_lstm(*v)
        return jnp.sum(jnp.sin(out.h)) + jnp.sum(out.cs ** 2)
    put = [jax.device_put(v, NamedSharding(MESH, s)) for v, s in zip(values, (BATCH, P("data"), P("data"), P(), P()))]
    gradient = jax.jit(jax.grad(f, tuple(range(5))))
    assert "all-gather" not in collectives(gradient.lower(*put).compile())
    close(gradient(*put), gradient(*values), 1e-13)

    def local(*v):
        *own, dw, db = jax.grad(f, tuple(range(5)))(*v[:3], *[jax.lax.pcast(p, ("data",), to="varying") for p in v[3:]])
        return *own, jax.lax.psum(dw, "data"), jax.lax.psum(db, "data")
    split = (BATCH, P("data"), P("data"), P(), P())
    mapped = jax.jit(jax.shard_map(local, mesh=MESH, in_specs=split, out_specs=split))
    assert set(collectives(mapped.lower(*values).compile())) == {"all-reduce"}
    close(mapped(*values), gradient(*values), 1e-13)


def test_bits_do_not_depend_on_the_schedule():
    """4 devices share the threads of the runtime: the same bits in every run."""
    values = problem("lstm", T=20, B=32, I=48, H=64, dtype="float32")
    gradient = jax.jit(jax.grad(loss(ours("lstm")), EVERY))
    operands = sharded(values)
    first = jax.tree.map(np.asarray, gradient(*operands))
    for _ in range(20):
        for a, b in zip(jax.tree.leaves(gradient(*operands)), jax.tree.leaves(first)):
            np.testing.assert_array_equal(a, b)


PROGRAM = """
import sys
import jax, jax.numpy as jnp, numpy as np
import rnn_mlir.jax as rnn
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

process, address, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3]
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(address, 2, process)
mesh = Mesh(np.array(jax.devices()), ("data",))
params, x = np.load(f"{folder}/params.npy"), np.load(f"{folder}/x.npy")
local_x = np.split(x, 2, 1)[process]
x = jax.make_array_from_process_local_data(NamedSharding(mesh, P(None, "data")), local_x)
params = jax.make_array_from_process_local_data(NamedSharding(mesh, P()), params)

def loss(params, x):
    return jnp.mean(rnn.gru(params, x, hidden_size=6, num_layers=2)[0] ** 2)

automatic = jax.jit(jax.grad(loss))
local = jax.grad(lambda params, x: jax.lax.pmean(loss(params, x), "data"))
mapped = jax.jit(jax.shard_map(local, mesh=mesh, in_specs=(P(), P(None, "data")), out_specs=P()))
for step in automatic, mapped:
    assert "all-gather" not in step.lower(params, x).compile().as_text()
np.save(f"{folder}/{process}.npy", [step(params, x).addressable_data(0) for step in (automatic, mapped)])
"""


def test_two_processes(tmp_path):
    """Two processes with two devices each, as on a cluster, equal one device."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = f"localhost:{free.getsockname()[1]}"
    params, x, _ = problem("gru", B=8, L=2)
    np.save(tmp_path / "params.npy", params)
    np.save(tmp_path / "x.npy", x)
    environment = dict(os.environ, XLA_FLAGS="--xla_force_host_platform_device_count=2", JAX_ENABLE_X64="1")
    runs = [subprocess.Popen([sys.executable, "-c", PROGRAM, str(process), address, str(tmp_path)], env=environment,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for process in range(2)]
    for run in runs:
        output, _ = run.communicate(timeout=120)
        assert run.returncode == 0, output
    want = jax.grad(lambda p: jnp.mean(rnn.gru(p, x, hidden_size=6, num_layers=2)[0] ** 2))(params)
    for process in range(2):
        for got in np.load(tmp_path / f"{process}.npy"):
            close(got, want, 1e-13)  # other order of sums


@pytest.mark.skipif(not hasattr(jax.sharding, "AxisType"), reason="this JAX has no explicit axes")
@pytest.mark.parametrize("mode,D", (("lstm", 2), ("gru", 1)))
def test_explicit_axes(mode, D):
    """A mesh of jax.make_mesh, whose axes are explicit: types of results have the sharding of the batch, and nothing is gathered."""
    mesh = jax.make_mesh((4,), ("data",), axis_types=(jax.sharding.AxisType.Explicit,))
    values = problem(mode, B=8, L=2, D=D)
    lengths, resets = np.arange(8) % 3 + 1, np.arange(values[1].shape[0] * 8).reshape(-1, 8) % 3 == 0
    gradient = jax.grad(loss(ours(mode, D)), EVERY)

    def masked(x, dropout=0.0):
        y, _ = getattr(rnn, mode)(values[0], x, bidirectional=D == 2, lengths=lengths, resets=resets, dropout=dropout,
                                  key=jax.random.key(0), hidden_size=values[2][0].shape[2], num_layers=2)
        return jnp.square(y).sum()

    def second(x):
        return jax.grad(lambda x: jnp.square(jax.grad(masked)(x)).sum())(x)
    tangent, plain = jax.jit(lambda x: jax.jvp(masked, (x,), (x,))[1])(values[1]), (values[1],)
    functions = (gradient, values), (second, plain), (jax.grad(lambda x: masked(x, 0.5)), plain)
    wanted = [jax.jit(f)(*v) for f, v in functions]
    with jax.set_mesh(mesh):
        params, x, state = sharded(values, mesh=mesh)
        forward = jax.jit(lambda params, x, state: ours(mode, D)(params, x, state))
        assert not collectives(forward.lower(params, x, state).compile())
        assert jax.tree.leaves(forward(params, x, state))[0].sharding.spec == P(None, "data", None)
        assert set(collectives(jax.jit(gradient).lower(params, x, state).compile())) == {"all-reduce"}
        for (f, _), given, want in zip(functions, ((params, x, state), (x,), (x,)), wanted):
            close(jax.tree.map(np.asarray, jax.jit(f)(*given)), jax.tree.map(np.asarray, want), 1e-11)
        close(np.asarray(jax.jit(lambda x: jax.jvp(masked, (x,), (x,))[1])(x)), np.asarray(tangent), 1e-11)
