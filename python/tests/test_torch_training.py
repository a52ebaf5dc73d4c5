# test_torch_training.py - training on the host by the short path of the modules, one node of autograd, and what it must not change.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pytest

torch = pytest.importorskip("torch")
import rnn_mlir.torch as rnn
from test_torch_inference import KEYS, LAYERS, flattened, initial, made, other  # noqa: F401 (a fixture)


def gradients(layer, x, h, used=None, **options):
    """Of a sum of squares of the results `used`, by the input, the states and the parameters."""
    out = flattened(layer(x, h))
    leaves = [x, *(h if isinstance(h, tuple) else [h]), *layer.parameters()]
    loss = sum((v * v).sum() for k, v in enumerate(out) if used is None or k in used)
    return torch.autograd.grad(loss, [v for v in leaves if v.requires_grad], **options)


@pytest.mark.parametrize("name,options", [*LAYERS, ("LSTM", {"bias": False, "num_layers": 2})], ids=[*KEYS, "without biases"])
def test_gradients(name, options, other):  # noqa: F811
    theirs, mine = made(name, options)
    for steps, batch in ((1, 1), (5, 3), (1, 3)):
        x = torch.randn((batch, steps, 4) if theirs.batch_first else (steps, batch, 4), dtype=torch.float64, requires_grad=True)
        h = initial(mine, batch)
        h = tuple(v.requires_grad_() for v in h) if isinstance(h, tuple) else h.requires_grad_()
        for used in (None, [0], [1]):  # results without a gradient are None in the backward pass
            got, want = gradients(mine, x, h, used), gradients(theirs, x, h, used)
            torch.testing.assert_close(got, want, rtol=1e-11, atol=1e-12)
        second = []
        for layer in (mine, theirs):
            first = gradients(layer, x, h, create_graph=True)
            second.append(torch.autograd.grad(sum((v * v).sum() for v in first), [x, *layer.parameters()]))
        torch.testing.assert_close(*second, rtol=1e-9, atol=1e-10)
    assert not other


def test_frozen(other):  # noqa: F811
    """Each leaf may be the only one with a gradient."""
    theirs, mine = made("GRU", {"num_layers": 2})
    x, h = torch.randn(3, 2, 4, dtype=torch.float64), initial(mine, 2)
    for k in range(2 + len(list(mine.parameters()))):
        for layer in (mine, theirs):
            for i, v in enumerate([x, h, *layer.parameters()]):
                v.requires_grad_(i == k)
        (got,), (want,) = gradients(mine, x, h), gradients(theirs, x, h)
        torch.testing.assert_close(got, want, rtol=1e-11, atol=1e-12)
    assert not other
    for layer in (mine, theirs):
        layer.requires_grad_(False)
    x.requires_grad_(False), h.requires_grad_(False)
    assert not mine(x, h)[0].requires_grad and not other
    torch.testing.assert_close(mine(x, h)[0], theirs(x, h)[0])


def test_changes_in_place():
    """Autograd must notice changes of what the gradient reads, and allow those of results, which it does not read."""
    theirs, mine = made("LSTM", {"num_layers": 2})
    x, h = torch.randn(3, 2, 4, dtype=torch.float64, requires_grad=True), initial(mine, 2)
    inputs = [x * 1, *[v * 1 for v in h]]
    for changed in (*inputs, *mine.parameters()):
        y = mine(inputs[0], tuple(inputs[1:]))[0].sum()
        with torch.no_grad():
            changed.mul_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()
    y = mine(x, h)[0]
    y *= 2
    torch.testing.assert_close(torch.autograd.grad(y.sum(), x), torch.autograd.grad(2 * theirs(x, h)[0].sum(), x))


def test_moved_parameters():
    """`data` that change between the passes do not change the gradient, as in the path for everything."""
    _, mine = made("GRU", {})
    x = torch.randn(3, 2, 4, dtype=torch.float64, requires_grad=True)
    want, = torch.autograd.grad(mine(x)[0].sum(), x)
    y = mine(x)[0].sum()
    mine.weight_hh_l0.data = torch.zeros_like(mine.weight_hh_l0)
    torch.testing.assert_close(torch.autograd.grad(y, x)[0], want, rtol=0, atol=0)


def test_optimizer():
    """Steps of an optimizer keep the parameters in one storage, and accumulated gradients are not views of one array."""
    theirs, mine = made("GRU", {"num_layers": 2, "bidirectional": True})
    optimizers = [torch.optim.Adam(layer.parameters(), lr=1e-2) for layer in (mine, theirs)]
    for _ in range(5):
        x = torch.randn(3, 2, 4, dtype=torch.float64)
        for layer, optimizer in zip((mine, theirs), optimizers):
            for _ in range(2):  # the second backward pass adds in place
                layer(x)[0].square().sum().backward()
            torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
            optimizer.step(), optimizer.zero_grad()
    for a, b in zip(mine.parameters(), theirs.parameters()):
        torch.testing.assert_close(a, b, rtol=1e-8, atol=1e-10)


def test_saved_tensors():
    """Hooks of saved tensors and checkpoints see copies of them."""
    theirs, mine = made("LSTM", {})
    x, h = torch.randn(3, 2, 4, dtype=torch.float64, requires_grad=True), initial(mine, 2)
    want = gradients(theirs, x, h)

    def copies(v):
        return v.clone().transpose(0, -1).contiguous().transpose(0, -1) if v.dim() > 1 else v.clone()  # not dense

    with torch.autograd.graph.saved_tensors_hooks(copies, lambda v: v):
        got = gradients(mine, x, h)
    torch.testing.assert_close(got, want, rtol=1e-11, atol=1e-12)
    with torch.autograd.graph.saved_tensors_hooks(lambda v: v.float() if v.is_floating_point() else v, lambda v: v):
        with pytest.raises(TypeError, match="has dtype torch.float64; expected torch.float32"):
            gradients(mine, x, h)
    from torch.utils.checkpoint import checkpoint
    y = checkpoint(lambda v: mine(v, h)[0], x, use_reentrant=False)
    torch.testing.assert_close(torch.autograd.grad(y.square().sum(), x), torch.autograd.grad(theirs(x, h)[0].square().sum(), x))


def test_cotangents():
    """Of all forms that autograd passes: expanded, transposed, batched, of one result that is used twice."""
    theirs, mine = made("GRU", {})
    x = torch.randn(3, 3, 4, dtype=torch.float64, requires_grad=True)
    wide = torch.randn(5, 3, 3, 4, dtype=torch.float64)
    for given in (torch.ones((), dtype=torch.float64).expand(3, 3, 4), wide[0].transpose(0, 1), torch._neg_view(wide[1])):
        got, want = (torch.autograd.grad(layer(x)[0], [x, *layer.parameters()], given) for layer in (mine, theirs))
        torch.testing.assert_close(got, want, rtol=1e-11, atol=1e-12)
    y, z = mine(x)[0], theirs(x)[0]
    if hasattr(torch, "func"):
        got = torch.autograd.grad(y, [x, *mine.parameters()], wide, is_grads_batched=True, retain_graph=True)
        for k in range(5):
            want = torch.autograd.grad(z, [x, *theirs.parameters()], wide[k], retain_graph=True)
            torch.testing.assert_close(tuple(v[k] for v in got), want, rtol=1e-11, atol=1e-12)
    torch.testing.assert_close(torch.autograd.grad(y, x, wide[0]), torch.autograd.grad(z, x, wide[0]))
    with pytest.raises(RuntimeError, match="second time"):
        torch.autograd.grad(y, x, wide[0])


def test_learned_states(other):  # noqa: F811
    """Parameters as states, as a model with a learned start passes them."""
    theirs, mine = made("GRU", {})
    h, x = torch.nn.Parameter(torch.randn(1, 2, 4, dtype=torch.float64)), torch.randn(3, 2, 4, dtype=torch.float64)
    torch.testing.assert_close(torch.autograd.grad(mine(x, h)[0].sum(), h), torch.autograd.grad(theirs(x, h)[0].sum(), h))
    assert not other


def test_forward_mode(other):  # noqa: F811
    theirs, mine = made("GRU", {})
    x, tangent = torch.randn(3, 2, 4, dtype=torch.float64), torch.randn(3, 2, 4, dtype=torch.float64)
    if not hasattr(torch, "func"):
        pytest.skip("needs PyTorch 2")
    value, dot = torch.func.jvp(lambda v: mine(v)[0], (x,), (tangent,))
    assert other
    want = torch.func.jvp(lambda v: theirs(v)[0], (x,), (tangent,))
    torch.testing.assert_close((value, dot), want, rtol=1e-11, atol=1e-12)
    # Reverse, and forward mode over it.
    mine.requires_grad_(False)
    got = torch.func.jvp(torch.func.grad(lambda v: mine(v)[0].square().sum()), (x,), (tangent,))
    want = torch.func.jvp(torch.func.grad(lambda v: theirs(v)[0].square().sum()), (x,), (tangent,))
    torch.testing.assert_close(got, want, rtol=1e-10, atol=1e-11)
