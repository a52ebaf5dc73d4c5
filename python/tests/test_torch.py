# test_torch.py - modules of rnn_mlir.torch against torch.nn and finite differences, in every version of PyTorch from 1.13.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import copy
import pickle

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import rnn_mlir.torch as rnn  # noqa: E402
from rnn_mlir.torch import _threads  # noqa: E402
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence  # noqa: E402

F64 = {"dtype": torch.float64}
PAIRS = {"lstm": (rnn.LSTM, torch.nn.LSTM, {}), "gru": (rnn.GRU, torch.nn.GRU, {}),
         "tanh": (rnn.RNN, torch.nn.RNN, {}), "relu": (rnn.RNN, torch.nn.RNN, {"nonlinearity": "relu"})}
RESETS = torch.tensor([[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=torch.bool)
LENGTHS = torch.tensor([5, 0, 3])


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def pair(name, *sizes, **options):
    ours, theirs, extra = PAIRS[name]
    want = theirs(*sizes, **{**F64, **extra, **options})
    return ours.from_torch(want), want


def tensors(out):
    if isinstance(out, torch.Tensor):
        return [out]
    return [t for part in out for t in tensors(part)]


def close(got, want, tolerance=1e-13):
    got, want = tensors(got), tensors(want)
    assert len(got) == len(want)
    for a, b in zip(got, want):
        torch.testing.assert_close(a, b, rtol=0, atol=tolerance * max(1.0, b.detach().abs().max().item() if b.numel() else 1))


def gradients(module, *inputs):
    """Results, and gradients of a function of all of them by inputs and parameters."""
    leaves = [t for t in tensors(inputs) if t.is_floating_point()] + list(module.parameters())
    out = tensors(module(*inputs))
    return out, torch.autograd.grad(sum(t.sin().sum() + (t * t).sum() for t in out), leaves)


def state(name, pseudo, B, H, P=0):
    h = torch.randn(pseudo, B, P or H, requires_grad=True, **F64)
    return (h, torch.randn(pseudo, B, H, requires_grad=True, **F64)) if name == "lstm" else h


def test_threads_of_pytorch():
    """Layers run on PyTorch's OpenMP threads, and their number does not change a bit."""
    assert _threads.share() == ("parallel backend: OpenMP" in torch.__config__.parallel_info())
    layer, before = rnn.LSTM(64, 192), torch.get_num_threads()
    x = torch.randn(9, 24, 64, requires_grad=True)
    runs = []
    try:
        for count in (1, 2, 3, 2):
            torch.set_num_threads(count)
            runs.append([t for part in gradients(layer, x) for t in part])
    finally:
        torch.set_num_threads(before)
    for run in runs[1:]:
        assert all(torch.equal(a, b) for a, b in zip(runs[0], run))


@pytest.mark.parametrize("bidirectional", (False, True))
@pytest.mark.parametrize("name", PAIRS)
def test_like_torch_nn(name, bidirectional):
    ours, theirs = pair(name, 4, 6, 2, bidirectional=bidirectional, batch_first=bidirectional, bias=not bidirectional)
    x = torch.randn(3, 5, 4, requires_grad=True, **F64)
    hx = state(name, 2 * (1 + bidirectional), 3 if bidirectional else 5, 6)
    for got, want in zip(gradients(ours, x, hx), gradients(theirs, x, hx)):
        close(got, want)
    with torch.no_grad():
        close(ours(x), theirs(x))


def test_projection():
    ours, theirs = pair("lstm", 4, 6, 2, bidirectional=True, proj_size=3)
    x, hx = torch.randn(5, 3, 4, requires_grad=True, **F64), state("lstm", 4, 3, 6, 3)
    for got, want in zip(gradients(ours, x, hx), gradients(theirs, x, hx)):
        close(got, want)


@pytest.mark.parametrize("name", PAIRS)
def test_state_dicts(name):
    """Names, order, shapes and initial values are those of torch.nn, both ways."""
    ours, theirs, extra = PAIRS[name]
    torch.manual_seed(3)
    want = theirs(4, 6, 2, bidirectional=True, **extra)
    torch.manual_seed(3)
    got = ours(4, 6, 2, bidirectional=True, **extra)
    assert got.mode == want.mode
    assert list(got.state_dict()) == list(want.state_dict())
    for key, value in want.state_dict().items():
        assert torch.equal(got.state_dict()[key], value)
    theirs(4, 6, 2, bidirectional=True, **extra).load_state_dict(got.state_dict())
    assert [len(w) for w in got.all_weights] == [len(w) for w in want.all_weights]
    assert str(got) == str(want) or "nonlinearity" in str(want)
    x = torch.randn(5, 3, 4)
    for other in (copy.deepcopy(got), pickle.loads(pickle.dumps(got))):
        assert torch.equal(other(x)[0], got(x)[0])


@pytest.mark.parametrize("dtype,tolerance", ((torch.float32, 1e-6), (torch.float16, 4e-3), (torch.bfloat16, 2e-2)))
@pytest.mark.parametrize("name", [*PAIRS, "block"])
def test_types(name, dtype, tolerance):
    """Results and gradients, beside f64 on the same rounded values."""
    if name == "block":  # in f64, `test_block_lstm_module` and `test_gradcheck_block_lstm` check it
        ours, theirs = (rnn.BlockLSTM(4, 6, use_peephole=True, **F64) for _ in range(2))
        theirs.load_state_dict(ours.state_dict())
    else:
        ours, theirs = pair(name, 4, 6)
    ours.to(dtype)
    theirs.to(dtype).double()
    x = torch.randn(5, 3, 4).to(dtype).requires_grad_()
    exact = x.detach().double().requires_grad_()
    got, want = tensors(ours(x)), tensors(theirs(exact))
    assert all(t.dtype == dtype for t in got)
    close([t.double() for t in got], want, tolerance)
    if name == "relu" and dtype != torch.float32:
        return  # a rounded argument may be on the other side of the discontinuity of the derivative
    cotangents = [torch.randn(t.shape).to(dtype) for t in got]
    gradients = torch.autograd.grad(got, [x, *ours.parameters()], cotangents)
    wanted = torch.autograd.grad(want, [exact, *theirs.parameters()], [t.double() for t in cotangents])
    close([t.double() for t in gradients], wanted, 3 * tolerance)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("enforce_sorted", (False, True))
def test_packed_sequences(name, enforce_sorted):
    ours, theirs = pair(name, 4, 6, 2, bidirectional=True)
    lengths = (5, 4, 1) if enforce_sorted else (1, 5, 4)
    packed = pack_sequence([torch.randn(n, 4, **F64) for n in lengths], enforce_sorted=enforce_sorted)
    hx = state(name, 4, 3, 6)
    (got, last), (want, want_last) = ours(packed, hx), theirs(packed, hx)
    close(pad_packed_sequence(got)[0], pad_packed_sequence(want)[0])
    close(last, want_last)
    close(ours(packed)[1], theirs(packed)[1])
    parameters = list(ours.parameters()), list(theirs.parameters())
    close(torch.autograd.grad(got.data.sin().sum(), parameters[0]), torch.autograd.grad(want.data.sin().sum(), parameters[1]))


def test_lengths_are_those_of_packed_sequences():
    ours, theirs = pair("gru", 4, 6, bidirectional=True)
    x = torch.randn(3, 5, 4, **F64)
    lengths = [5, 2, 4]
    want, last = theirs(pack_sequence([x[k, :n] for k, n in enumerate(lengths)], enforce_sorted=False))
    for given in (torch.tensor(lengths), lengths, np.array(lengths), list(np.array(lengths))):
        got, got_last = ours(x.transpose(0, 1), lengths=given)
        close((got, got_last), (pad_packed_sequence(want)[0], last))


def test_single_sequence():
    for batch_first in (False, True):
        ours, theirs = pair("lstm", 4, 6, batch_first=batch_first)
        x = torch.randn(5, 4, **F64)
        hx = (torch.randn(1, 6, **F64), torch.randn(1, 6, **F64))
        close(ours(x, hx), theirs(x, hx))


@pytest.mark.parametrize("name,options", (("lstm", {"bidirectional": True}), ("gru", {}), ("relu", {})))
def test_batch_first(name, options):
    """Batch-first data is neither transposed nor copied; results and gradients are those of time-major data."""
    ours, _ = pair(name, 4, 6, 2, batch_first=True, **options)
    other = copy.deepcopy(ours)
    other.batch_first = False
    x = torch.randn(3, 5, 4, requires_grad=True, **F64)
    for call in ({}, {"lengths": LENGTHS}, {"resets": RESETS, "reset_to": "initial", "lengths": LENGTHS}):
        first = {**call, **({"resets": RESETS.t()} if "resets" in call else {})}
        out = ours(x, **first)
        want = other(x.transpose(0, 1), **call)
        assert out[0].is_contiguous()
        close(out, (want[0].transpose(0, 1), want[1]))
        scalar = [sum(t.sin().sum() for t in tensors(v)) for v in (out, want)]
        close(torch.autograd.grad(scalar[0], [x, *ours.parameters()]),
              torch.autograd.grad(scalar[1], [x, *other.parameters()]))


def test_resets_split_the_sequence():
    """A reset is a new sequence from zero."""
    ours, _ = pair("gru", 4, 6, 2)
    x = torch.randn(5, 1, 4, **F64)
    marks = torch.tensor([[0], [0], [1], [0], [0]], dtype=torch.bool)
    got, last = ours(x, resets=marks)
    close((got, last), (torch.cat([ours(x[:2])[0], ours(x[2:])[0]]), ours(x[2:])[1]))
    got, last = ours(x[:, 0], resets=marks[:, 0])  # a single sequence
    close((got, last), (torch.cat([ours(x[:2, 0])[0], ours(x[2:, 0])[0]]), ours(x[2:, 0])[1]))


def test_dropout():
    ours, theirs = pair("lstm", 4, 6, 3, dropout=0.5)
    x = torch.randn(5, 3, 4, **F64)
    assert not torch.equal(ours(x)[0], ours(x)[0])
    torch.manual_seed(1)
    first = ours(x)
    torch.manual_seed(1)
    close(ours(x), first, 0)
    close(ours.eval()(x), theirs.eval()(x))
    silent = rnn.LSTM(4, 6, 2, dropout=1.0, **F64)
    only = rnn.LSTM(6, 6, **F64)
    only.load_state_dict({k.replace("l1", "l0"): v for k, v in silent.state_dict().items() if "l1" in k})
    close(silent(x)[0], only(torch.zeros(5, 3, 6, **F64))[0])


def flat(name, T=3, B=2, I=3, H=4, D=1, L=1, P=0):
    """Operands of functional.layers that need gradients."""
    module = PAIRS[name][0](I, H, L, bidirectional=D == 2, **({"proj_size": P} if P else {}), **PAIRS[name][2], **F64)
    params = module._params(0, L * D).detach().requires_grad_()
    x = torch.randn(T, B, I, requires_grad=True, **F64)
    hx = state(name, L * D, B, H, P)
    return x, *(hx if name == "lstm" else (hx, None)), params


CASES = (("lstm", {}, {}), ("lstm", {"D": 2, "P": 2}, {}), ("gru", {"L": 2}, {}), ("tanh", {"D": 2}, {}),
         ("gru", {"T": 4, "B": 3}, {"lengths": torch.tensor([4, 0, 2]), "resets": RESETS[:4], "reset_to": "initial"}),
         ("lstm", {"T": 3, "B": 4, "D": 2}, {"lengths": torch.tensor([3, 0, 2, 3]), "resets": RESETS[:4],
                                             "batch_first": True}), ("relu", {"L": 2}, {}))


def function(name, sizes, options):
    mode = {"tanh": "rnn_tanh", "relu": "rnn_relu"}.get(name, name)

    def f(x, h0, c0, params):
        return rnn.functional.layers(mode, x, h0, c0, params, bidirectional=sizes.get("D") == 2,
                                     num_proj=sizes.get("P", 0), **options)
    operands = flat(name, **sizes)
    if options.get("batch_first"):
        operands = (operands[0].detach().transpose(0, 1).contiguous().requires_grad_(), *operands[1:])
    if operands[2] is None:
        return (lambda x, h0, params: f(x, h0, None, params)), (operands[0], operands[1], operands[3])
    return f, operands


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[1]}-{len(c[2])}")
def test_gradcheck(case):
    f, operands = function(*case)
    assert torch.autograd.gradcheck(f, operands)
    assert torch.autograd.gradgradcheck(f, operands)


BLOCK = ((3, 2, 3), (2, 4), (2, 4), (7, 16), (16,), (4,), (4,), (4,))


@pytest.mark.parametrize("options", ({}, {"peephole": True, "forget_bias": 1.0, "layout": "icfo"},
                                     {"seq_len_max": 2, "resets": RESETS[:3, :2], "reset_to": "initial"},
                                     {"resets": RESETS[:2], "batch_first": True}))
def test_block_lstm(options):
    options = dict(options)
    peephole = options.pop("peephole", False)
    operands = [0.5 * torch.randn(s, **F64) for s in BLOCK[:8 if peephole else 5]]
    if options.get("batch_first"):
        operands[0] = operands[0].transpose(0, 1).contiguous()
    operands = [t.requires_grad_() for t in operands]

    def f(x, cs, h, w, b, *wc):
        out = rnn.functional.block_lstm(x, cs, h, w, b, **dict(zip(("wci", "wcf", "wco"), wc)), **options)
        return out.cs, out.h
    assert torch.autograd.gradcheck(f, operands)
    assert torch.autograd.gradgradcheck(f, operands)
    # The gates have derivatives too.
    first = options.get("batch_first", False)
    assert torch.autograd.gradcheck(lambda *v: rnn.functional.block_lstm(*v, batch_first=first).ci, operands[:5])


def test_block_lstm_module():
    """The layout ifco without a forget bias is nn.LSTM."""
    theirs, ours = torch.nn.LSTM(4, 6, **F64), rnn.BlockLSTM(4, 6, forget_bias=0.0, **F64)
    with torch.no_grad():
        ours.weight.copy_(torch.cat([theirs.weight_ih_l0, theirs.weight_hh_l0], 1).t())
        ours.bias.copy_(theirs.bias_ih_l0 + theirs.bias_hh_l0)
    x = torch.randn(5, 3, 4, **F64)
    y, (h, c) = ours(x)
    want, (wh, wc) = theirs(x)
    close((y, h[None], c[None]), (want, wh, wc))
    ours.batch_first = True
    turned, last = ours(x.transpose(0, 1))
    close((turned, last), (want.transpose(0, 1), (wh[0], wc[0])))
    assert rnn.BlockLSTM(4, 6, use_peephole=True, cell_clip=0.1)(x.float())[0].shape == (5, 3, 6)


def test_non_contiguous_and_frozen():
    ours, theirs = pair("lstm", 4, 6)
    x = torch.randn(4, 3, 5, **F64).permute(2, 1, 0)
    ours.weight_hh_l0.requires_grad_(False)
    y, _ = ours(x)
    g, = torch.autograd.grad(y[::2].sum(), [ours.weight_ih_l0])
    w, = torch.autograd.grad(theirs(x)[0][::2].sum(), [theirs.weight_ih_l0])
    close(g, w)
    for p in ours.parameters():
        p.requires_grad_(False)
    assert not ours(x)[0].requires_grad


def test_training():
    """A GRU learns the sum of its inputs."""
    model, head = rnn.GRU(2, 16), torch.nn.Linear(16, 1)
    optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=0.02)
    losses = []
    for _ in range(60):
        x = torch.rand(6, 32, 2)
        loss = ((head(model(x)[1][0])[:, 0] - x.sum((0, 2))) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0]


@pytest.mark.parametrize("name", PAIRS)
def test_autocast(name):
    """As torch.nn: layers compute in the type of torch.autocast, and gradients have the types of the parameters."""
    layer, x = pair(name, 4, 6)[0].float(), torch.randn(5, 3, 4)
    block = rnn.BlockLSTM(4, 6)
    want = [copy.deepcopy(module).bfloat16()(x.bfloat16())[0] for module in (layer, block)]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        got = [module(x)[0] for module in (layer, block)]
        mixed = layer(torch.nn.Linear(4, 4)(x))[0]
        assert copy.deepcopy(layer).double()(x.double())[0].dtype == torch.float64
    assert mixed.dtype == torch.bfloat16
    for a, b in zip(got, want):
        assert a.dtype == torch.bfloat16 and torch.equal(a, b)
    gradients = torch.autograd.grad(got[0].float().sum(), list(layer.parameters()))
    assert {g.dtype for g in gradients} == {torch.float32}


@pytest.mark.parametrize("name", PAIRS)
def test_autocast_packed(name):
    """Packed sequences have the type and the values of tensors with lengths."""
    layer, x, lengths = pair(name, 4, 6)[0].float(), torch.randn(5, 3, 4), torch.tensor([5, 3, 1])
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths)
    for grad in (False, True):
        with torch.autocast("cpu", dtype=torch.bfloat16), torch.set_grad_enabled(grad):
            want, states = layer(x, lengths=lengths)
            y, got = layer(packed)
        padded = torch.nn.utils.rnn.pad_packed_sequence(y)[0]
        if name != "lstm":
            got, states = (got,), (states,)
        for a, b in zip((padded, *got), (want, *states)):
            assert a.dtype == b.dtype == torch.bfloat16 and torch.equal(a, b)
    gradients = torch.autograd.grad(y.data.float().sum(), list(layer.parameters()))
    assert {g.dtype for g in gradients} == {torch.float32}


@pytest.mark.parametrize("wrong,message", (
    (lambda m, x: m(x[..., :3]), r"expected 2 or 3 dimensions, the last of 4"),
    (lambda m, x: m(x, (x.new_zeros(1, 2, 6), x.new_zeros(1, 3, 6))), r"`h0` has shape \(1, 2, 6\)"),
    (lambda m, x: m(x, lengths=torch.tensor([1, 2])), "`lengths` has shape"),
    (lambda m, x: m(x, lengths=torch.tensor([9, 1, 1])), "but got 9"),
    (lambda m, x: m(x, resets=RESETS[:2]), "`resets` has shape"),
    (lambda m, x: rnn.LSTM(4, 6, dropout=2.0), r"expected a value in \[0, 1\]"),
    (lambda m, x: rnn.LSTM(4, 6, proj_size=6), "less than `hidden_size`"),
    (lambda m, x: rnn.RNN(4, 6, nonlinearity="sin"), "'tanh' or 'relu'"),
))
def test_errors(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong(rnn.LSTM(4, 6, **F64), torch.randn(5, 3, 4, **F64))


def test_type_errors():
    with pytest.raises(TypeError, match="float32"):
        rnn.LSTM(4, 6)(torch.randn(5, 3, 4, **F64), (torch.zeros(1, 3, 6), torch.zeros(1, 3, 6)))
