# test_torch_members.py - vmap over parameters and gradients per example: one call of a compiled function, whose members run on
# the threads of the runtime. Compared with the aten reference under vmap. They need torch.func.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

import pytest

torch = pytest.importorskip("torch")
if not hasattr(torch, "func"):
    pytest.skip("needs torch.func", allow_module_level=True)
import rnn_mlir.torch as rnn
from rnn_mlir._operations import BlockLSTM, Layers, Members
from rnn_mlir.torch import _calls, _reference

T, B, I, H, N = 5, 3, 4, 6, 4
CASES = {
    "lstm": (Layers("lstm", "unidirectional"), 1),
    "gru, two layers": (Layers("gru", "bidirectional"), 4),
    "projection, lengths": (Layers("lstm", "unidirectional", num_proj=2, lengths=True), 1),
    "resets": (Layers("rnn_tanh", "unidirectional", reset_to="initial"), 1),
    "batch-major": (Layers("gru", "unidirectional", batch_major=True), 1),
}


def draw(*shape):
    return 0.5 * torch.randn(*shape, dtype=torch.float64)


def problem(operation, stacked):
    """The operands of one example."""
    torch.manual_seed(0)
    x = draw(B, T, I) if operation.batch_major else draw(T, B, I)
    states = [draw(stacked, B, operation.num_proj or H), draw(stacked, B, H)][:operation.primals - 2]
    operands = [x, *states, draw(operation.parameters(I, H, stacked // operation.directions))]
    if operation.lengths:
        operands.append(torch.tensor([5, 0, 3], dtype=torch.int32))
    if operation.reset_to:
        operands.append(torch.rand(T, B) < 0.3)
    return operands


@pytest.fixture
def calls(monkeypatch):
    """The stage and the number of members of each call."""
    found = []
    call = _calls._call

    def record(operation, stage, *values):
        found.append((stage, math.prod(operation.counts) if isinstance(operation, Members) else 0))
        return call(operation, stage, *values)
    monkeypatch.setattr(_calls, "_call", record)
    return found


def functions(operation, auxiliaries):
    def compiled(*primals):
        return _calls.run_forward(operation, [*primals, *auxiliaries])[:operation.results]

    def reference(*primals):
        return _reference.evaluate(operation, *primals, *auxiliaries)
    return compiled, reference


def total(layer):
    return lambda *primals: sum((v.sin() * (k + 1)).sum() for k, v in enumerate(layer(*primals)))


def compare(got, want, tolerance=1e-11):
    for a, b in zip(got, want):
        torch.testing.assert_close(a, b, rtol=0, atol=tolerance)


@pytest.mark.parametrize("case", CASES)
def test_models(case, calls):
    """Models with parameters of their own on one sequence; their gradients; the gradient of a sum over them."""
    operation, stacked = CASES[case]
    operands = problem(operation, stacked)
    n = operation.primals
    primals, every = operands[:n], tuple(range(n))
    primals[n - 1] = torch.stack([primals[n - 1] * (1 + k / N) for k in range(N)])
    dims = (*[None] * (n - 1), 0)
    layers = functions(operation, operands[n:])
    for f, stages in ((lambda layer: torch.func.vmap(layer, dims), ["forward"]),
                      (lambda layer: torch.func.vmap(torch.func.grad(total(layer), every), dims), ["forward", "backward"]),
                      (lambda layer: torch.func.grad(lambda *v: torch.func.vmap(total(layer), dims)(*v).sum(), every),
                       ["forward", "backward"])):
        want = f(layers[1])(*primals)
        calls.clear()
        compare(f(layers[0])(*primals), want)
        assert calls == [(stage, N) for stage in stages]


@pytest.mark.parametrize("case", CASES)
def test_gradients_per_example(case, calls):
    operation, stacked = CASES[case]
    operands = problem(operation, stacked)
    n = operation.primals
    primals = [torch.stack([operands[0] * (1 + k / N) for k in range(N)]), *operands[1:n]]
    dims = (0, *[None] * (n - 1))
    compiled, reference = (torch.func.vmap(torch.func.grad(total(layer), tuple(range(n))), dims)
                           for layer in functions(operation, operands[n:]))
    want = reference(*primals)
    compare(compiled(*primals), want)
    assert calls == [("forward", N), ("backward", N)]


@pytest.mark.skipif(not _calls.FUNC, reason="PyTorch 1 has no torch.vmap")
def test_list_of_lengths():
    layer, x = rnn.GRU(3, 4), torch.randn(2, 5, 2, 3)
    want = torch.stack([layer(v, lengths=[3, 4])[0] for v in x])
    torch.testing.assert_close(torch.vmap(lambda v: layer(v, lengths=[3, 4])[0])(x), want)


def test_mapped_lengths(calls):
    """An operand without a derivative that the members do not share."""
    operation = Layers("gru", "unidirectional", lengths=True)
    x, h0, params, _ = problem(operation, 1)
    lengths = torch.tensor([[5, 0, 3], [1, 2, 5]], dtype=torch.int32)

    def gradient(layer):
        return torch.func.vmap(torch.func.grad(lambda p, n: total(lambda: layer(x, h0, p, n))()), (None, 0))(params, lengths)
    compare([gradient(lambda *v: _calls.run_forward(operation, v)[:2])],
            [gradient(lambda *v: _reference.evaluate(operation, *v))])
    assert calls == [("forward", 2), ("backward", 2)]


def test_second_order_and_jvp():
    operation = Layers("gru", "unidirectional")
    x, h0, params = problem(operation, 1)
    every = torch.stack([params, -params])
    layers = functions(operation, [])
    for f in (lambda g: torch.func.grad(lambda p: torch.func.vmap(lambda q: torch.func.grad(g, 2)(x, h0, q))(p).square().sum())(every),
              lambda g: torch.func.vmap(lambda q: torch.func.jvp(lambda r: g(x, h0, r), (q,), (params,))[1])(every)):
        compare([f(total(layers[0]))], [f(total(layers[1]))], 1e-9)


def test_nested(calls):
    """Members of members are one call."""
    operation = Layers("rnn_tanh", "unidirectional")
    x, h0, params = problem(operation, 1)
    every = torch.stack([params, -params, 2 * params, params / 2]).reshape(2, 2, -1)

    def twice(layer):
        return torch.func.vmap(torch.func.vmap(layer, (None, None, 0)), (None, None, 0))(x, h0, every)
    compiled, reference = functions(operation, [])
    compare(twice(compiled), twice(reference))
    assert calls == [("forward", 4)]


def test_gradients_of_nested_members(calls):
    """Gradients for each member, of inputs that a level shares, and of second order."""
    operation = Layers("gru", "unidirectional")
    x, h0, params = problem(operation, 1)
    every, xs = torch.stack([params, -params, 2 * params, params / 2]).reshape(2, 2, -1), torch.stack([x, -x])
    layers = functions(operation, [])

    def each(g):
        one = torch.func.grad(g, (0, 2))
        return torch.func.vmap(torch.func.vmap(one, (0, None, None)), (None, None, 0))(xs, h0, every[0])

    def summed(g):
        inner = torch.func.vmap(g, (None, None, 0))
        return torch.func.vmap(torch.func.grad(lambda *v: inner(*v).sin().sum(), (0, 2)), (None, None, 0))(x, h0, every)

    def second(g):
        grid = torch.func.vmap(torch.func.vmap(torch.func.grad(g, (0, 2)), (None, None, 0)), (None, None, 0))
        return torch.func.grad(lambda x, params: sum(v.square().sum() for v in grid(x, h0, params)), (0, 1))(x, every)
    for f in each, summed, second:
        calls.clear()
        got = f(total(layers[0]))
        assert {count for _, count in calls} == {4}
        compare(got, f(total(layers[1])), 1e-9)


def test_block_lstm(calls):
    torch.manual_seed(0)
    operation = BlockLSTM("ifco", use_peephole=True, seq_len_max=True)
    weights = [draw(2, I + H, 4 * H), *(draw(2, H) for _ in range(3)), draw(2, 4 * H)]
    shared, n = [draw(T, B, I), draw(B, H), draw(B, H)], torch.tensor(3, dtype=torch.int32)
    dims = (*[None] * 3, *[0] * 5)

    def gradient(layer):
        def loss(*primals):
            results = layer(*primals, n)
            return results[1].sin().sum() + results[6].square().sum()
        return torch.func.vmap(torch.func.grad(loss, tuple(range(8))), dims)(*shared, *weights)
    compare(gradient(lambda *v: _calls.run_forward(operation, v)), gradient(lambda *v: _reference.evaluate(operation, *v)))
    assert calls == [("forward", 2), ("backward", 2)]


def test_failure():
    """The failure of a member is that of the call."""
    operation = Layers("gru", "unidirectional", lengths=True)
    x, h0, params, _ = problem(operation, 1)
    lengths = torch.tensor([[5, 0, 3], [1, 2, 9]], dtype=torch.int32)
    with pytest.raises(ValueError, match="element 2 of `lengths` to be in"):
        torch.func.vmap(lambda p, n: _calls.run_forward(operation, [x, h0, p, n])[0])(torch.stack([params] * 2), lengths)


def test_no_examples():
    layer, x = rnn.GRU(4, 5), torch.randn(0, 3, 2, 4)
    for call in (lambda: torch.func.vmap(lambda v: layer(v)[0])(x),
                 lambda: torch.func.vmap(lambda v, h: layer(v, h)[0])(x, torch.randn(0, 1, 2, 5))):
        with pytest.raises(ValueError, match="vmap maps a dimension of size 0"):
            call()
