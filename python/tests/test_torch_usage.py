# test_torch_usage.py - what programs written for torch.nn do with its layers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys
import warnings

import pytest

torch = pytest.importorskip("torch")
import rnn_mlir.torch as rnn
from rnn_mlir.torch import _calls, _ops
from torch.nn.utils import parametrize

KINDS = ("LSTM", "GRU", "RNN")


def pair(name, *sizes, **options):
    torch.manual_seed(0)
    theirs = getattr(torch.nn, name)(*sizes, **options)
    return getattr(rnn, name).from_torch(theirs), theirs


def parameter_gradients(layer, y, cotangents, **options):
    return torch.autograd.grad(y, list(layer.parameters()), cotangents, retain_graph=True, **options)


@pytest.mark.parametrize("name", KINDS)
def test_batched_gradients(name):
    """`is_grads_batched` makes tensors without memory."""
    mine, theirs = pair(name, 4, 5, 2, dtype=torch.float64)
    x, cotangents = torch.randn(6, 3, 4, dtype=torch.float64), torch.randn(2, 6, 3, 5, dtype=torch.float64)
    got, want = [parameter_gradients(v, v(x)[0], cotangents, is_grads_batched=True) for v in (mine, theirs)]
    for a, b in zip(got, want):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)
    jacobians = [torch.autograd.functional.jacobian(lambda x: v(x)[0], x, vectorize=True) for v in (mine, theirs)]
    torch.testing.assert_close(*jacobians, rtol=0, atol=1e-12)


@pytest.mark.skipif(not _calls.FUNC, reason="torch.vmap over autograd.grad needs PyTorch 2")
def test_vmap_of_gradients():
    mine, theirs = pair("GRU", 4, 5, dtype=torch.float64)
    x, cotangents = torch.randn(6, 3, 4, dtype=torch.float64), torch.randn(2, 6, 3, 5, dtype=torch.float64)
    results = [torch.vmap(lambda v: parameter_gradients(layer, y, v))(cotangents)
               for layer, y in ((v, v(x)[0]) for v in (mine, theirs))]
    for a, b in zip(*results):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def test_third_derivatives():
    mine, theirs = pair("GRU", 3, 4, dtype=torch.float64)
    x = torch.randn(4, 2, 3, dtype=torch.float64)
    found = []
    for layer in (mine, theirs):
        inner = x.clone().requires_grad_()
        value = layer(inner)[0].pow(3).sum()
        for _ in range(3):
            value, = torch.autograd.grad(value, inner, create_graph=True)
            value = value.sin().sum()
        found.append(value.detach())
        found.append(torch.autograd.functional.hvp(lambda x: layer(x)[0].pow(3).sum(), x, torch.ones_like(x))[1])
    torch.testing.assert_close(found[0], found[2], rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(found[1], found[3], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("dtype", (torch.float32, torch.bfloat16))
def test_results_may_change(name, dtype):
    """The gradient does not read the results, so a program may write to them, as a reset of states does."""
    mine, _ = pair(name, 20, 36, 2, bidirectional=True, dtype=dtype)
    x = torch.randn(7, 5, 20, dtype=dtype, requires_grad=True)
    gradients = []
    for write in (False, True):
        y, state = mine(x)
        total = y.sum() + sum(v.sum() for v in (state if name == "LSTM" else [state]))
        if write:
            for v in (y, *(state if name == "LSTM" else [state])):
                v.detach().fill_(float("nan"))
                v.mul_(2)
        gradients.append(torch.autograd.grad(total, [x, *mine.parameters()]))
    for a, b in zip(*gradients):
        assert torch.equal(a, b)


@pytest.mark.parametrize("name", KINDS)
def test_frozen_parameters(name):
    theirs = getattr(torch.nn, name)(4, 5)
    theirs.weight_hh_l0.requires_grad_(False)
    mine = getattr(rnn, name).from_torch(theirs)
    for layer in (mine, mine.to_torch()):
        assert {n: v.requires_grad for n, v in layer.named_parameters()} == {
            n: v.requires_grad for n, v in theirs.named_parameters()}


def test_subclass():
    class Mine(rnn.GRU):
        pass
    theirs = torch.nn.GRU(4, 5)
    mine = Mine.from_torch(theirs)
    assert type(mine) is Mine and type(mine.to_torch()) is torch.nn.GRU
    with pytest.raises(TypeError, match="`module` is a LSTM; expected a torch.nn.GRU"):
        Mine.from_torch(torch.nn.LSTM(4, 5))


def test_wrong_parameter():
    layer = rnn.LSTM(4, 5)
    layer.weight_hh_l0 = torch.nn.Parameter(torch.zeros(5, 20))
    with pytest.raises(ValueError, match=r"`weight_hh_l0` has shape \(5, 20\); expected \(20, 5\)"):
        layer(torch.zeros(2, 3, 4))
    layer = rnn.LSTM(4, 5)
    layer.bias_ih_l0 = None
    with pytest.raises(ValueError, match=r"`bias_ih_l0` is None; expected a tensor of shape \(20,\)"):
        layer(torch.zeros(2, 3, 4))


def test_parametrized():
    theirs = torch.nn.GRU(4, 5)
    parametrize.register_parametrization(theirs, "weight_hh_l0", torch.nn.Identity())
    with pytest.raises(ValueError, match="remove_parametrizations"):
        rnn.GRU.from_torch(theirs)


@pytest.mark.parametrize("enabled", (True, False))
def test_parameters_are_computed_once(enabled):
    """A parametrization may draw random numbers."""
    calls = []

    class Doubled(torch.nn.Module):
        def forward(self, weight):
            calls.append(weight)
            return weight * 2

    layer, x = rnn.GRU(4, 5), torch.randn(3, 2, 4)
    parametrize.register_parametrization(layer, "weight_ih_l0", Doubled())
    calls.clear()
    with torch.set_grad_enabled(enabled):
        layer(x)
    assert len(calls) == 1


def test_warns_about_dropout():
    with pytest.warns(UserWarning, match="`dropout` is 0.5, but acts between layers"):
        rnn.GRU(4, 5, dropout=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rnn.GRU(4, 5, 2, dropout=0.5)


def test_negative_view():
    layer, x = rnn.GRU(4, 5), torch.randn(6, 3, 4)
    assert torch.equal(layer(torch._neg_view(x))[0], layer(-x)[0])


THREADS = """
import threading, os, torch, rnn_mlir.torch as rnn
torch.set_num_threads(1)
layer, x = rnn.GRU(256, 256), torch.randn(20, 32, 256)
counts = []
def run():
    with torch.no_grad():
        before = len(os.listdir("/proc/self/task"))
        for _ in range(3):
            layer(x)
        counts.append(len(os.listdir("/proc/self/task")) - before)
thread = threading.Thread(target=run)
thread.start()
thread.join()
print(counts)
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts the threads of Linux")
def test_thread_limit_in_threads():
    """`set_num_threads` holds in a thread whose first work is a layer."""
    environment = {k: v for k, v in os.environ.items() if k not in ("OMP_NUM_THREADS", "RNNRT_THREADS")}
    done = subprocess.run([sys.executable, "-c", THREADS], env={**environment, "OMP_NUM_THREADS": "4"}, check=True,
                          stdout=subprocess.PIPE, universal_newlines=True)
    assert done.stdout.strip() == "[0]"


needs_ops = pytest.mark.skipif(not _ops.AVAILABLE, reason="the ops need PyTorch 2.4")


class Model(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.layer = kind(4, 5)

    def forward(self, x):
        self.layer.flatten_parameters()
        return self.layer(x)[0]


@needs_ops
def test_flatten_in_a_traced_program():
    model, x = Model(rnn.GRU), torch.randn(6, 3, 4)
    want = model(x)
    assert torch.equal(torch.compile(model, backend="aot_eager", fullgraph=True)(x), want)
    assert torch.equal(torch.export.export(model, (x,), strict=True).module()(x), want)


@needs_ops
@pytest.mark.parametrize("kind", (rnn.GRU, rnn.LSTM, rnn.BlockLSTM))
def test_compiled_forward_mode(kind):
    layer, x = kind(4, 5), torch.randn(6, 3, 4)

    def tangent(x):
        return torch.func.jvp(lambda x: layer(x)[0], (x,), (torch.ones_like(x),))[1]
    want = tangent(x)
    assert want.abs().sum() > 0.01
    torch.testing.assert_close(torch.compile(tangent, backend="aot_eager", fullgraph=True)(x), want, rtol=1e-5, atol=1e-5)


def op_arguments(**changes):
    x, h = torch.randn(5, 3, 4), torch.zeros(1, 3, 6)
    flat = torch.cat([v.detach().flatten() for v in rnn.GRU(4, 6).parameters()])
    values = dict(x=x, h=h, c=None, flat=flat, lengths=torch.full((3,), 5, dtype=torch.int32),
                  resets=torch.zeros(5, 3, dtype=torch.bool))
    return [{**values, **changes}[k] for k in values] + ["gru", False, 0, "zero", False]


@needs_ops
@pytest.mark.parametrize("changes, message", (
    (dict(lengths=torch.full((3,), 5)), "`lengths` has dtype torch.int64; expected torch.int32; cast it"),
    (dict(lengths=torch.full((3,), 5, dtype=torch.int8)), "`lengths` has dtype torch.int8; expected torch.int32"),
    (dict(resets=torch.zeros(5, 3)), "`resets` has dtype torch.float32; expected torch.bool"),
    (dict(resets=torch.zeros(5, 3, dtype=torch.uint8)), "`resets` has dtype torch.uint8; expected torch.bool"),
    (dict(h=torch.zeros(1, 3, 6).half()), "`h0` has dtype torch.float16; expected torch.float32, that of operand 0"),
    (dict(x=torch.zeros(5, 3, 4, dtype=torch.int64)), "`x` has dtype torch.int64; expected one of"),
))
def test_types_of_ops(changes, message):
    with pytest.raises(TypeError, match=message):
        torch.ops.rnn_mlir.cudnn_forward(*op_arguments(**changes), True)


@needs_ops
@pytest.mark.parametrize("index, name", ((6, "result 0"), (9, "the gradient of result 0"), (12, "the reserve space")))
def test_types_of_the_gradient_op(index, name):
    arguments = op_arguments()
    y, hn, cn, reserve = torch.ops.rnn_mlir.cudnn_forward(*arguments, True)
    values = [*arguments[:6], y, hn, cn, torch.ones_like(y), torch.ones_like(hn), cn, reserve]
    values[index] = values[index].half()
    with pytest.raises(TypeError, match=name + " has dtype torch.float16; expected"):
        torch.ops.rnn_mlir.cudnn_backprop(*values, *arguments[6:])
