# test_torch_compile.py - the ops of torch.library, torch.func, torch.compile and torch.export; PyTorch 2.4 and later.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pytest

torch = pytest.importorskip("torch", minversion="2.4")

import rnn_mlir.torch as rnn  # noqa: E402
from rnn_mlir import _layers  # noqa: E402
from rnn_mlir.torch import modules  # noqa: E402
from test_torch import CASES, F64, RESETS, close, function  # noqa: E402


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)
    torch._dynamo.reset()


@pytest.fixture(params=("flat", "list"))
def parameters_form(request, monkeypatch):
    """Large parameters are lists in programs, as all are here in the second case."""
    if request.param == "list":
        monkeypatch.setattr(modules, "_LARGE", 0)
    return request.param


OPERANDS = {"lstm": ("lstm", {"P": 2}, {}), "gru": ("gru", {"D": 2}, {"lengths": torch.tensor([3, 1]),
                                                                      "resets": RESETS[:3, :2]}),
            "batch_first": ("lstm", {"T": 2, "B": 3}, {"resets": RESETS[:3, :2], "batch_first": True}),
            "tanh": ("tanh", {"D": 2}, {}), "relu": ("relu", {"L": 2}, {"lengths": torch.tensor([3, 1])})}
#: Modes of the ops by the names of test_torch.py.
MODES = {"tanh": "rnn_tanh", "relu": "rnn_relu"}


@pytest.mark.parametrize("name", OPERANDS)
def test_opcheck_cudnn(name):
    layer, sizes, options = OPERANDS[name]
    mode, operands = MODES.get(layer, layer), list(function(layer, sizes, options)[1])
    if mode != "lstm":
        operands.insert(2, None)
    lengths, resets = options.get("lengths"), options.get("resets")
    inputs = (*operands, None if lengths is None else lengths.to(torch.int32), resets)
    choice = (mode, sizes.get("D") == 2, sizes.get("P", 0), "zero", options.get("batch_first", False))
    ops = torch.ops.rnn_mlir
    torch.library.opcheck(ops.cudnn_forward.default, (*inputs, *choice, True))
    plain = tuple(None if v is None else v.detach() for v in inputs)
    torch.library.opcheck(ops.cudnn_forward.default, (*plain, *choice, False))
    y, hn, cn, reserve = ops.cudnn_forward(*plain, *choice, True)
    grads = [torch.randn_like(v).requires_grad_() for v in (y, hn, cn)]
    torch.library.opcheck(ops.cudnn_backprop.default, (*inputs, y, hn, cn, *grads, reserve, *choice))
    assert torch.autograd.gradgradcheck(lambda *v: ops.cudnn_forward(*v, *inputs[4:], *choice, True)[0],
                                        inputs[:4]) if mode == "lstm" else True


@pytest.mark.parametrize("name", ("lstm", "gru", "tanh", "relu"))
def test_derivatives_of_cudnn_forward(name):
    """First and second, of all results by all operands."""
    operands = [v for v in function(name, {"D": 2, "T": 2, "I": 2, "H": 2}, {})[1] if v is not None]

    def op(*values):
        cell = [] if name == "lstm" else [None]
        mode = MODES.get(name, name)
        results = torch.ops.rnn_mlir.cudnn_forward(*values[:-1], *cell, values[-1], None, None, mode, True, 0, "zero", False, True)
        return results[:2 if cell else 3]
    assert torch.autograd.gradcheck(op, operands)
    assert torch.autograd.gradgradcheck(op, operands)


def test_derivatives_of_block_lstm():
    """Of the results that training reads: cs and h."""
    operands = [torch.randn(s, **F64).requires_grad_() for s in ((2, 2, 2), (2, 2), (2, 2), (4, 8), (2,), (2,), (2,), (8,))]

    def op(*values):
        results = torch.ops.rnn_mlir.block_lstm(*values, None, None, "icfo", True, 0.0, "zero", False)
        return results[1], results[6]
    assert torch.autograd.gradcheck(op, operands)
    assert torch.autograd.gradgradcheck(op, operands)


def tensors_of(flat, mode, D, L, inputs, hidden, P):
    """The list of parameters in a flat tensor."""
    pseudo = _layers.split_params(flat, mode, D, L, inputs, hidden, P)
    return [v for p in pseudo for v in p[:3] if v is not None] + [v for p in pseudo for v in p[3:]]


@pytest.mark.parametrize("name", OPERANDS)
def test_opcheck_separate(name):
    """The ops with a list of parameters: as the others, with the same results."""
    layer, sizes, options = OPERANDS[name]
    mode, (x, *states, flat) = MODES.get(layer, layer), function(layer, sizes, options)[1]
    D, P, hidden = sizes.get("D", 1), sizes.get("P", 0), states[-1].shape[2]
    params = [v.detach().clone().requires_grad_() for v in
              tensors_of(flat.detach(), mode, D, states[0].shape[0] // D, x.shape[2], hidden, P)]
    states += [None] * (mode != "lstm")
    lengths, resets = options.get("lengths"), options.get("resets")
    rest = (None if lengths is None else lengths.to(torch.int32), resets)
    choice = (mode, D == 2, P, "zero", options.get("batch_first", False))
    ops = torch.ops.rnn_mlir
    torch.library.opcheck(ops.cudnn_forward_separate.default, (x, *states, params, *rest, *choice, True))
    plain = [None if v is None else v.detach() for v in (x, *states)]
    given = [v.detach() for v in params]
    torch.library.opcheck(ops.cudnn_forward_separate.default, (*plain, given, *rest, *choice, False))
    y, hn, cn, reserve = ops.cudnn_forward_separate(*plain, given, *rest, *choice, True)
    close((y, hn, cn), ops.cudnn_forward(*plain, flat.detach(), *rest, *choice, True)[:3], 0)
    grads = [torch.randn_like(v).requires_grad_() for v in (y, hn, cn)]
    torch.library.opcheck(ops.cudnn_backprop_separate.default, (x, *states, params, *rest, y, hn, cn, *grads, reserve, *choice))
    *got, dparams = ops.cudnn_backprop_separate(*plain, given, *rest, y, hn, cn, *[g.detach() for g in grads], reserve, *choice)
    *want, dflat = ops.cudnn_backprop(*plain, flat.detach(), *rest, y, hn, cn, *[g.detach() for g in grads], reserve, *choice)
    close(got, want, 0)
    close([torch.cat([v.reshape(-1) for v in dparams])], [dflat], 0)
    if mode == "lstm":
        assert torch.autograd.gradgradcheck(
            lambda *v: ops.cudnn_forward_separate(*v[:3], list(v[3:]), *rest, *choice, True)[0], (x, *states, *params))


def test_tensors_of_other_sizes():
    """The compiled code has addresses only, so that a wrong size must be an error before."""
    layer = rnn.GRU(4, 6, 2)
    x, h, params = torch.randn(5, 3, 4), torch.zeros(2, 3, 6), layer._in_order(0, 2)
    choice = (None, None, "gru", False, 0, "zero", False)
    ops = torch.ops.rnn_mlir
    for k in range(len(params)):
        wrong = [v[1:] if k == n else v for n, v in enumerate(params)]
        with pytest.raises(ValueError, match=rf"`params\[{k}\]` has .* elements; expected {params[k].numel()} for input size 4"):
            ops.cudnn_forward_separate(x, h, None, wrong, *choice, True)
    with pytest.raises(ValueError, match="`params` has 7 tensors; expected 8"):
        ops.cudnn_forward_separate(x, h, None, params[1:], *choice, True)
    with pytest.raises(ValueError, match="`params` has no tensors"):
        ops.cudnn_forward_separate(x, h, None, [], *choice, True)
    with pytest.raises(ValueError, match="`num_proj` is 6; expected less than the hidden size, 6"):
        c = torch.zeros(2, 3, 6)
        ops.cudnn_forward_separate(x, h, c, params, None, None, "lstm", False, 6, "zero", False, True)
    with pytest.raises(ValueError, match="`params` has 4 tensors; expected 8"):
        ops.cudnn_forward_separate(x, h, None, params[:2] + params[4:6], *choice, True)
    with pytest.raises(TypeError, match="`params` has dtype torch.float64; expected torch.float32"):
        ops.cudnn_forward_separate(x, h, None, [*params[:-1], params[-1].double()], *choice, True)


def test_empty_batch_of_a_list():
    """Calls without a kernel for lists have one flat tensor, as on a GPU."""
    layer, x = rnn.LSTM(4, 6, 2), torch.randn(5, 0, 4, requires_grad=True)
    params = [v.detach().clone().requires_grad_() for v in layer._in_order(0, 2)]
    h, c = torch.zeros(2, 0, 6), torch.zeros(2, 0, 6)
    y, hn, *_ = torch.ops.rnn_mlir.cudnn_forward_separate(x, h, c, params, None, None, "lstm", False, 0, "zero", False, True)
    assert y.shape == (5, 0, 6) and hn.shape == (2, 0, 6)
    gradients = torch.autograd.grad(y.sum(), [x, *params])
    assert all(g.shape == v.shape and not g.any() for g, v in zip(gradients, [x, *params]))


def test_lists_are_not_copied():
    """Large parameters of a compiled program. Tensors that are not row-major without gaps are copied."""
    layer, x = rnn.LSTM(256, 256, bias=False), torch.randn(1, 2, 256)
    targets = []

    def backend(graph, _):
        targets.extend(str(node.target) for node in graph.graph.nodes)
        return graph
    want = layer(x)[0]
    close([torch.compile(layer, fullgraph=True, backend=backend)(x)[0]], [want], 0)
    assert any("cudnn_forward_separate" in t for t in targets) and not any("cat" in t for t in targets)
    w = layer.weight_ih_l0.detach()
    layer.weight_ih_l0 = torch.nn.Parameter(w.t().contiguous().t())
    assert not layer.weight_ih_l0.is_contiguous()
    got = torch.compile(layer, fullgraph=True, backend="aot_eager")(x)[0]
    close([got], [want], 0)
    got.sum().backward()
    assert layer.weight_ih_l0.grad.shape == w.shape


def test_functional_list():
    layer, x, h = rnn.GRU(4, 6, 2, bidirectional=True, **F64), torch.randn(5, 3, 4, **F64), torch.randn(4, 3, 6, **F64)
    params = layer._in_order(0, 4)

    def f(x, h, *params):
        return rnn.functional.layers("gru", x, h, None, list(params), bidirectional=True)
    want = rnn.functional.layers("gru", x, h, None, torch.cat([v.reshape(-1) for v in params]), bidirectional=True)
    close(f(x, h, *params), want, 0)
    close(torch.compile(f, fullgraph=True, backend="aot_eager")(x, h, *params), want, 0)
    with pytest.raises(TypeError, match=r"`params\[1\]` is a int"):
        f(x, h, params[0], 3)
    with pytest.raises(TypeError, match="`params` is a int"):
        rnn.functional.layers("gru", x, h, None, 3, bidirectional=True)
    with pytest.raises(ValueError, match=r"`params\[2\]` has 216 elements; expected 72"):  # the order of Module.parameters()
        f(x, h, *params[:2], params[4], *params[3:4], params[2], *params[5:])
    with pytest.raises(TypeError, match=r"`params\[1\]` has dtype torch.float32, but `x` has torch.float64"):
        f(x, h, params[0], params[1].float(), *params[2:])


@pytest.mark.parametrize("n,batch_first", ((None, False), (2, False), (2, True)))
def test_opcheck_block(n, batch_first):
    operands = [torch.randn(s, **F64).requires_grad_()
                for s in ((2, 3, 3) if batch_first else (3, 2, 3), (2, 4), (2, 4), (7, 16), (4,), (4,), (4,), (16,))]
    options = (None if n is None else torch.tensor(n, dtype=torch.int32), None, "icfo", True, 0.0, "zero", batch_first)
    ops = torch.ops.rnn_mlir
    torch.library.opcheck(ops.block_lstm.default, (*operands, *options))
    saved = ops.block_lstm(*(v.detach() for v in operands), *options)
    grads = [torch.randn_like(saved[0]).requires_grad_() for _ in range(2)]
    torch.library.opcheck(ops.block_lstm_grad.default, (*operands, *options[:2], *saved, *grads, *options[2:]))


@pytest.mark.parametrize("case", (CASES[0], CASES[4]), ids=("lstm", "gru"))
def test_torch_func(case):
    """grad, jvp, vmap of grad, and second derivatives of torch.func, against aten ops."""
    from rnn_mlir._operations import Layers
    from rnn_mlir.torch import _reference
    f, operands = function(*case)
    operands = [v.detach() for v in operands]
    name, sizes, options = case
    lengths, resets = options.get("lengths"), options.get("resets")
    operation = Layers(name, "unidirectional", 0, lengths is not None, options.get("reset_to", ""))
    extra = [v for v in (None if lengths is None else lengths.to(torch.int32), resets) if v is not None]

    def want(*values):
        return _reference.evaluate(operation, *values, *extra)

    def scalar(layer):
        return lambda p: sum(v.sin().sum() for v in layer(*operands[:-1], p))
    func, p = torch.func, operands[-1]
    for make in (lambda s: func.grad(s)(p), lambda s: func.jvp(s, (p,), (2 * p,)),
                 lambda s: func.vmap(func.grad(s))(torch.stack([p, 2 * p])),
                 lambda s: func.grad(lambda p: func.grad(s)(p).square().sum())(p)):
        close(make(scalar(f)), make(scalar(want)), 1e-12)


def test_vmap_is_one_call(monkeypatch):
    """vmap of inputs, inside a gradient too, folds the examples into the batch; mapped parameters do not."""
    from rnn_mlir.torch import _calls
    layer = rnn.LSTM(3, 4, dtype=torch.float64)
    xs = torch.randn(5, 6, 2, 3, dtype=torch.float64)
    wanted = torch.stack([layer(x)[0] for x in xs])
    calls, forward = [], _calls.forward
    monkeypatch.setattr(_calls, "forward", lambda *args, **kw: calls.append(args) or forward(*args, **kw))
    close([torch.func.vmap(lambda x: layer(x)[0])(xs)], [wanted], 1e-14)
    got = torch.func.grad(lambda xs: torch.func.vmap(lambda x: layer(x)[0])(xs).sin().sum())(xs)
    outer = xs.clone().requires_grad_()
    torch.func.vmap(lambda x: layer(x)[0], in_dims=1, out_dims=1)(outer.transpose(0, 1)).sin().sum().backward()
    nested = torch.func.vmap(torch.func.vmap(lambda x: layer(x)[0]))(torch.stack([xs, -xs]))
    assert len(calls) == 4
    want = torch.stack([torch.func.grad(lambda x: layer(x)[0].sin().sum())(x) for x in xs])
    close([got, outer.grad, nested[0]], [want, want, wanted], 1e-13)


class Net(torch.nn.Module):
    def __init__(self, kind, layers, **options):
        super().__init__()
        self.layers = torch.nn.ModuleList(kind(12 if k == 0 else 8, 8, **options) for k in range(layers))
        self.head = torch.nn.Linear(8, 3, **options)

    def forward(self, x, target):
        for layer in self.layers:
            x, _ = layer(x)
        return torch.nn.functional.mse_loss(self.head(x), target)


@pytest.mark.parametrize("backend", ("aot_eager", "inductor"))
@pytest.mark.parametrize("kind", (rnn.LSTM, rnn.GRU, rnn.RNN, rnn.BlockLSTM))
def test_compile(kind, backend, parameters_form):
    """A training step of 6 layers without a graph break equals eager mode."""
    if backend == "inductor" and kind is not rnn.LSTM:
        pytest.skip("one mode suffices for the slow backend")
    model = Net(kind, 6, **F64)
    x, target = torch.randn(7, 4, 12, **F64), torch.randn(7, 4, 3, **F64)
    parameters = list(model.parameters())
    want = model(x, target)
    compiled = torch.compile(model, fullgraph=True, backend=backend)
    got = compiled(x, target)
    close(got, want, 1e-14)
    close(torch.autograd.grad(got, parameters), torch.autograd.grad(want, parameters), 1e-13)


def test_compile_with_unknown_steps(parameters_form):
    model = Net(rnn.LSTM, 1, **F64)
    compiled = torch.compile(model, fullgraph=True, dynamic=True, backend="aot_eager")
    for T in (8, 5, 11):
        x, target = torch.randn(T, 4, 12, **F64), torch.randn(T, 4, 3, **F64)
        want, got = model(x, target), compiled(x, target)
        parameters = list(model.parameters())
        close(torch.autograd.grad(got, parameters), torch.autograd.grad(want, parameters), 1e-13)


@pytest.mark.parametrize("kind", (rnn.LSTM, rnn.GRU))
def test_compile_changing_sizes(kind, parameters_form):
    """Without options: after the second length and batch, torch.compile uses symbols, in one program without a graph break."""
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), First(kind(4, 6, num_layers=2, bidirectional=True)))
    torch._dynamo.utils.counters.clear()
    compiled = torch.compile(model, backend="aot_eager")
    for steps, batch in ((5, 3), (7, 3), (4, 5), (9, 2)):
        x = torch.randn(steps, batch, 3)
        model.zero_grad()
        compiled(x).square().sum().backward()
        given = [p.grad.clone() for p in model.parameters()]
        expected = torch.autograd.grad(model(x).square().sum(), list(model.parameters()))
        for a, b in zip(given, expected):
            torch.testing.assert_close(a, b)
    assert not torch._dynamo.utils.counters["graph_break"]
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] <= 3


class First(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x)[0]


def test_compile_options(parameters_form):
    """Options of layers, and a block LSTM."""
    layer = rnn.GRU(12, 8, 2, bidirectional=True, batch_first=True, **F64)
    block = rnn.BlockLSTM(16, 8, use_peephole=True, **F64)

    def f(x, lengths, resets):
        y, h = layer(x, lengths=lengths, resets=resets)
        return block(y.transpose(0, 1))[0].sum() + h.sum()
    arguments = (torch.randn(3, 5, 12, **F64), torch.tensor([5, 0, 3]), RESETS.t())
    parameters = [*layer.parameters(), *block.parameters()]
    parameters = [p for p in parameters]
    got, want = torch.compile(f, fullgraph=True, backend="aot_eager")(*arguments), f(*arguments)
    close(got, want, 1e-14)
    close(torch.autograd.grad(got, parameters), torch.autograd.grad(want, parameters), 1e-13)


def test_export(parameters_form):
    layer = rnn.LSTM(4, 6, 2, **F64).eval()
    x = torch.randn(5, 3, 4, **F64)
    with torch.no_grad():
        close(torch.export.export(layer, (x,)).module()(x), layer(x), 0)


def test_checkpoint():
    from torch.utils.checkpoint import checkpoint
    layer, x = rnn.LSTM(4, 6, 2, dropout=0.5, **F64), torch.randn(5, 3, 4, requires_grad=True, **F64)
    torch.manual_seed(2)
    want, = torch.autograd.grad(layer(x)[0].sin().sum(), [x])
    torch.manual_seed(2)
    got, = torch.autograd.grad(checkpoint(lambda x: layer(x)[0], x, use_reentrant=False).sin().sum(), [x])
    close(got, want, 0)


def test_trace(parameters_form):
    """torch.jit.trace records ops, which serve other lengths; derivatives too."""
    layer, block = rnn.LSTM(4, 6, 2, bidirectional=True, **F64), rnn.BlockLSTM(4, 6, **F64)
    for module in layer, block:
        traced = torch.jit.trace(module, torch.randn(5, 3, 4, **F64))
        x = torch.randn(7, 2, 4, **F64)
        close(traced(x)[0], module(x)[0], 0)
        parameters = list(module.parameters())
        got, want = (torch.autograd.grad(f(x)[0].sin().sum(), parameters) for f in (traced, module))
        close(got, want, 1e-14)


@pytest.mark.parametrize("backend", ("eager", "aot_eager"))
def test_compile_autocast(backend, parameters_form):
    layer, linear, x = rnn.GRU(4, 6), torch.nn.Linear(4, 4), torch.randn(5, 3, 4)

    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return layer(linear(x))[0]
    got, want = torch.compile(f, fullgraph=True, backend=backend)(x), f(x)
    assert got.dtype == torch.bfloat16
    close(got.float(), want.float(), 0)


@pytest.mark.parametrize("used", ((0,), (4, 6), range(7)), ids=str)
@pytest.mark.parametrize("backend", ("aot_eager", "inductor"))
def test_compile_gates(used, backend):
    """Derivatives by the gates of a block LSTM."""
    torch._dynamo.reset()
    x, w = torch.randn(5, 3, 4, **F64), torch.randn(7, 12, requires_grad=True, **F64)
    zeros = torch.zeros(3, 3, **F64)

    def loss(x, w):
        out = rnn.functional.block_lstm(x, zeros, zeros, w, torch.zeros(12, **F64))
        return sum((k + 1) * torch.sin(out[k]).sum() for k in used)
    want = torch.autograd.grad(loss(x, w), w)[0]
    got = torch.autograd.grad(torch.compile(loss, backend=backend, fullgraph=True)(x, w), w)[0]
    torch.testing.assert_close(got, want, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("name", ("inputs", "lengths", "parameters", "both", "nested", "block", "seq_len_max"))
@pytest.mark.filterwarnings("error")
def test_compile_vmap(name, monkeypatch, parameters_form):
    """As in eager mode, vmap over inputs is one call. Derivatives too, and no warning."""
    from rnn_mlir.torch import _calls
    if not hasattr(torch.library, "register_vmap"):
        pytest.skip("rules of vmap need PyTorch 2.5")
    layer, block = rnn.LSTM(3, 4, bidirectional=True, **F64), rnn.BlockLSTM(3, 4, **F64)
    xs, vmap, call = torch.randn(5, 6, 2, 3, **F64), torch.func.vmap, torch.func.functional_call
    parameters = {k: torch.stack([f * v.detach() for f in range(5)]) for k, v in layer.named_parameters()}
    lengths = torch.tensor([[6, 2], [0, 1], [3, 3], [4, 5], [1, 6]])
    run, calls = {
        "inputs": (vmap(layer), 1),
        "lengths": (lambda xs: vmap(lambda x, n: layer(x, lengths=n))(xs, lengths), 1),
        "parameters": (lambda xs: vmap(lambda p: call(layer, p, (xs[0],)))(parameters), 5),
        "both": (lambda xs: vmap(lambda p, x: call(layer, p, (x,)))(parameters, xs), 5),
        "nested": (lambda xs: vmap(vmap(layer))(torch.stack([xs, -xs])), 1),
        "block": (vmap(lambda x: tuple(block(x))), 1),
        "seq_len_max": (lambda xs: vmap(lambda x, n: tuple(block(x, seq_len_max=n)))(xs, lengths[:, 0]), 5),
    }[name]
    kernel, found = _calls.forward, []
    monkeypatch.setattr(_calls, "forward", lambda *args, **kw: found.append(args) or kernel(*args, **kw))
    xs.requires_grad_()
    got = torch.utils._pytree.tree_leaves(torch.compile(run, fullgraph=True, backend="aot_eager")(xs))
    assert len(found) == calls
    want = torch.utils._pytree.tree_leaves(run(xs))
    close(got, want, 1e-14)
    got, want = (torch.autograd.grad(v[-1].sin().sum(), xs)[0] for v in (got, want))  # of cn or h
    close(got, want, 1e-13)


@pytest.mark.parametrize("name", ("lstm", "gru"))
def test_compiled_packed_sequences(name):
    """With a break of the graph, since Dynamo skips `pad_packed_sequence`: fullgraph needs `lengths`."""
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn = {"lstm": rnn.LSTM, "gru": rnn.GRU}[name](4, 6, 2, bidirectional=True).double()

        def forward(self, packed):
            return self.rnn(packed)[0].data.sin().sum()

    net = Net()
    packed = torch.nn.utils.rnn.pack_sequence([torch.randn(n, 4, **F64) for n in (1, 5, 4)], enforce_sorted=False)
    wanted, parameters = net(packed), list(net.parameters())
    graphs = []
    got = torch.compile(net, backend=lambda module, inputs: graphs.append(module) or module)(packed)
    assert any("rnn_mlir" in graph.code for graph in graphs)
    close(got, wanted)
    close(torch.autograd.grad(got, parameters), torch.autograd.grad(wanted, parameters))
    torch._dynamo.reset()
    with pytest.raises(torch._dynamo.exc.Unsupported, match="pad_packed_sequence"):
        torch.compile(net, fullgraph=True)(packed)
