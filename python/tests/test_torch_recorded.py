# test_torch_recorded.py - layers where calls are recorded or tensors have no memory (make_fx, fake and meta tensors), nested
# forward mode, empty batches and frozen parameters; PyTorch 2.4 and later.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import functools

import pytest

torch = pytest.importorskip("torch", minversion="2.4")

import rnn_mlir.torch as rnn  # noqa: E402

KINDS = (rnn.LSTM, rnn.GRU)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)
    torch._dynamo.reset()


def close(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=1e-10)


def layer_and_data(kind, *shape, **options):
    layer = kind(3, 4, dtype=torch.float64, **options)
    return layer, layer.to_torch(), torch.randn(*(shape or (5, 2, 3)), dtype=torch.float64)


@pytest.mark.parametrize("kind", KINDS)
def test_make_fx(kind):
    """The graph has the ops and no results of the traced call."""
    from torch.fx.experimental.proxy_tensor import make_fx
    layer, theirs, x = layer_and_data(kind)
    z = torch.randn_like(x)
    close(make_fx(lambda x: layer(x)[0])(x)(z), theirs(z)[0])
    gradient = make_fx(torch.func.grad(lambda x: layer(x)[0].sin().sum()))(x)
    close(gradient(z), torch.func.grad(lambda x: theirs(x)[0].sin().sum())(z))
    found = [str(node.target) for node in gradient.graph.nodes if "rnn_mlir" in str(node.target)]
    assert found == ["rnn_mlir.cudnn_forward.default", "rnn_mlir.cudnn_backprop.default"]
    parameters = {name: v.detach() for name, v in layer.named_parameters()}
    one = torch.func.grad(lambda p, x: torch.func.functional_call(layer, p, (x,))[0].sin().sum())
    every = torch.func.vmap(one, (None, 0))
    xs = torch.stack([x, z])
    close(make_fx(every)(parameters, xs)(parameters, xs.flip(0)), every(parameters, xs.flip(0)))


def test_make_fx_block():
    from torch.fx.experimental.proxy_tensor import make_fx
    layer, resets = rnn.BlockLSTM(3, 4, use_peephole=True), torch.rand(5, 2) > 0.5
    x, z = torch.randn(5, 2, 3), torch.randn(5, 2, 3)

    def loss(x):
        return layer(x, seq_len_max=4, resets=resets)[0].sum()
    for f in (loss, torch.func.grad(loss)):
        torch.testing.assert_close(make_fx(f)(x)(z), f(z))


@pytest.mark.parametrize("kind", (*KINDS, rnn.BlockLSTM))
def test_without_memory(kind):
    """Fake tensors and tensors on the device meta: shapes only, backward too."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    with FakeTensorMode():
        fake = kind(3, 4), torch.randn(5, 2, 3)
    for layer, x in (fake, (kind(3, 4, device="meta"), torch.randn(5, 2, 3, device="meta"))):
        y = layer(x)[0]
        y.sum().backward()
        assert y.shape == (5, 2, 4) and all(p.grad.shape == p.shape for p in layer.parameters())


def test_selective_checkpoint():
    """A policy of checkpoints sees the ops."""
    from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    layer, theirs, x = layer_and_data(rnn.LSTM)
    seen = []

    def policy(_, op, *args, **options):
        seen.append(str(op))
        return torch.utils.checkpoint.CheckpointPolicy.PREFER_RECOMPUTE
    contexts = functools.partial(create_selective_checkpoint_contexts, policy)
    checkpoint(layer, x, use_reentrant=False, context_fn=contexts)[0].sin().sum().backward()
    theirs(x)[0].sin().sum().backward()
    assert "rnn_mlir.cudnn_forward.default" in seen
    for a, b in zip(layer.parameters(), theirs.parameters()):
        close(a.grad, b.grad)


@pytest.mark.parametrize("kind", KINDS)
def test_hessians(kind):
    """All orders of forward and reverse mode agree with central differences of the gradient."""
    from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, linearize
    layer, _, x = layer_and_data(kind, 3, 1, 3)

    def loss(x):
        return layer(x)[0].square().sum()
    step = 1e-5 * torch.eye(x.numel(), dtype=x.dtype).reshape(-1, *x.shape)
    want = torch.stack([(grad(loss)(x + d) - grad(loss)(x - d)) / 2e-5 for d in step]).reshape(*x.shape, *x.shape)
    for second in (hessian(loss), jacfwd(jacfwd(loss)), jacrev(jacfwd(loss)), jacrev(jacrev(loss))):
        torch.testing.assert_close(second(x), want, rtol=0, atol=1e-8)
    for f in (loss, grad(loss)):
        close(linearize(f, x)[1](2 * x), jvp(f, (x,), (2 * x,))[1])
    parameters = {name: v.detach() for name, v in layer.named_parameters()}

    def of_parameters(p):
        return functional_call(layer, p, (x,))[0].square().sum()
    a, b = hessian(of_parameters)(parameters), jacrev(jacrev(of_parameters))(parameters)
    for name in a:
        for other in a:
            close(a[name][other], b[name][other])


def test_undefined_padding():
    """Derivatives of all orders do not depend on the values of padding."""
    layer, _, x = layer_and_data(rnn.LSTM)
    x[3:, 0] = float("nan")
    x.requires_grad_()
    y = layer(x, lengths=torch.tensor([3, 5]))[0]
    first = torch.autograd.grad(y.square().sum(), [x, *layer.parameters()], create_graph=True)
    sum(v.square().sum() for v in first).backward()
    assert not any(v.isnan().any() for v in (y, *first, x.grad, *(p.grad for p in layer.parameters())))


def test_dual_tensors():
    """torch.autograd.forward_ad."""
    import torch.autograd.forward_ad as forward
    layer, _, x = layer_and_data(rnn.LSTM)
    with forward.dual_level():
        y = layer(forward.make_dual(x, 2 * x))[0]
        got = forward.unpack_dual(y).tangent
        assert forward.unpack_dual(layer(x)[0]).tangent is None
    close(got, torch.func.jvp(lambda x: layer(x)[0], (x,), (2 * x,))[1])


@pytest.mark.parametrize("batch_first", (False, True))
@pytest.mark.parametrize("kind", KINDS)
def test_empty_batch(kind, batch_first):
    """As torch.nn: empty results, gradients of zero for the parameters."""
    layer, theirs, _ = layer_and_data(kind, num_layers=2, batch_first=batch_first)
    x = torch.zeros(0, 5, 3) if batch_first else torch.zeros(5, 0, 3)
    x = x.double().requires_grad_()
    for call in (layer, torch.compile(layer, backend="aot_eager")):
        layer.zero_grad()
        y, state = call(x)
        close((y, state), theirs(x))
        y.sum().backward()
        assert x.grad.shape == x.shape and all(not p.grad.any() for p in layer.parameters())
        with torch.no_grad():
            assert call(x)[0].shape == y.shape
    assert layer(x, lengths=torch.zeros(0, dtype=torch.int32))[0].shape == y.shape
    gradient, = torch.autograd.grad(layer(x)[0].sum(), x, create_graph=True)
    gradient.sum().backward()


def test_empty_batch_of_block_lstm():
    layer = rnn.BlockLSTM(3, 4)
    layer(torch.zeros(5, 0, 3))[0].sum().backward()
    assert not layer.weight.grad.any()


def test_frozen_parameters():
    """An update in place before the gradient is an error, as in torch.nn, though no gradient of the parameters is needed."""
    layer, theirs, x = layer_and_data(rnn.LSTM, num_layers=2)
    layer.requires_grad_(False)
    assert not layer(x)[0].requires_grad
    x.requires_grad_()
    got, want = (torch.autograd.grad(f(x)[0].sin().sum(), x)[0] for f in (layer, theirs))
    close(got, want)
    y = layer(x)[0]
    with torch.no_grad():
        layer.weight_hh_l1.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_script():
    with pytest.raises(NotImplementedError, match=r"torch.jit.script cannot contain `rnn_mlir.torch.GRU`.*`to_torch\(\)`"):
        torch.jit.script(torch.nn.Sequential(rnn.GRU(3, 4)))


@pytest.mark.parametrize("kind,options", ((rnn.LSTM, {"proj_size": 2}), (rnn.GRU, {"bidirectional": True}),
                                          (rnn.RNN, {"nonlinearity": "relu", "bias": False, "batch_first": True})))
def test_to_torch(kind, options):
    layer, theirs, x = layer_and_data(kind, num_layers=2, dropout=0.5, **options)
    assert type(theirs) is getattr(torch.nn, kind.__name__) and theirs.training
    close(layer.eval()(x), layer.to_torch()(x))
    with torch.no_grad():
        for v in theirs.parameters():
            v.zero_()
    assert all(v.any() for v in layer.parameters())
