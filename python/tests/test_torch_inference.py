# test_torch_inference.py - inference on the host by the short path of the modules, and the calls that it must leave alone.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pytest

torch = pytest.importorskip("torch")
import rnn_mlir.torch as rnn
from rnn_mlir.torch import _quick, functional

LAYERS = [("LSTM", {}), ("LSTM", {"num_layers": 2, "bidirectional": True, "proj_size": 3}), ("GRU", {"batch_first": True}),
          ("GRU", {"bidirectional": True, "num_layers": 3}), ("RNN", {"nonlinearity": "relu"})]
KEYS = [f"{name}{len(options)}" for name, options in LAYERS]


def made(name, options, dtype=torch.float64, hidden=4):
    torch.manual_seed(1)
    theirs = getattr(torch.nn, name)(4, hidden, dtype=torch.float64, **options)
    with torch.no_grad():
        for v in theirs.parameters():
            v.copy_(v.to(dtype))
    return theirs, getattr(rnn, name).from_torch(theirs).to(dtype)


def initial(layer, batch):
    pseudo, state = layer.num_layers * (1 + layer.bidirectional), layer.proj_size or layer.hidden_size
    sizes = [state, layer.hidden_size] if isinstance(layer, rnn.LSTM) else [state]
    states = [torch.randn(pseudo, batch, n, dtype=torch.float64) for n in sizes]
    return tuple(states) if len(states) == 2 else states[0]


def flattened(out):
    y, final = out
    return [y, *(final if isinstance(final, tuple) else [final])]


def compare(got, want, case="", tolerance=1e-13):
    got, want = flattened(got), flattened(want)
    assert len(got) == len(want)
    for a, b in zip(got, want):
        assert a.shape == b.shape, case
        assert (a.double() - b.double()).abs().max() <= tolerance if a.numel() else True, case


@pytest.fixture
def other(monkeypatch):
    """Calls of the path that handles everything."""
    found, layers = [], functional.layers
    monkeypatch.setattr(functional, "layers", lambda *v, **k: (found.append(v[0]), layers(*v, **k))[1])
    return found


@pytest.mark.parametrize("name,options", LAYERS, ids=KEYS)
@pytest.mark.parametrize("dtype,tolerance", ((torch.float64, 1e-13), (torch.float32, 1e-6), (torch.bfloat16, 3e-2)))
def test_results(name, options, dtype, tolerance, other):
    theirs, mine = made(name, options, dtype)
    for T, B in ((1, 1), (5, 3), (1, 3), (5, 3)):
        x = torch.randn((B, T, 4) if theirs.batch_first else (T, B, 4), dtype=torch.float64).to(dtype)
        h = initial(mine, B)
        h = tuple(v.to(dtype) for v in h) if isinstance(h, tuple) else h.to(dtype)
        doubles = tuple(v.double() for v in h) if isinstance(h, tuple) else h.double()
        with torch.no_grad():
            compare(mine(x, h), theirs(x.double(), doubles), tolerance=tolerance)
            compare(mine(x), theirs(x.double()), tolerance=tolerance)
            assert not mine(x)[0].requires_grad
        with torch.inference_mode():
            compare(mine(x, h), theirs(x.double(), doubles), tolerance=tolerance)
    single = torch.randn(5, 4, dtype=torch.float64).to(dtype)
    with torch.no_grad():
        compare(mine(single), theirs(single.double()), tolerance=tolerance)
    assert not other


def no_copy(layer):
    """What decides whether a call may take the short path, apart from its arguments."""
    with torch.no_grad():
        return _quick.run(layer, torch.zeros(2, 3, 4, dtype=torch.float64), [torch.zeros(1, 3, 4, dtype=torch.float64)]) is not None


def test_parameters_that_changed():
    """Parameters that are not in the order of the compiled code are copied, wherever they were moved to."""
    def in_place(layer):
        layer.weight_hh_l0.mul_(2)

    def transposed(layer):  # the same address and shape, other strides
        layer.weight_hh_l0.data = layer.weight_hh_l0.data.t()

    def replaced(layer):
        layer.weight_hh_l0 = torch.nn.Parameter(layer.weight_hh_l0.detach() * 3)

    def shared(layer):  # with another parameter of the same shape
        layer.weight_hh_l0 = layer.weight_ih_l0

    def assigned(layer):
        layer.load_state_dict({k: v * 2 for k, v in layer.state_dict().items()})

    for change, short in ((in_place, True), (transposed, False), (replaced, False), (shared, False), (assigned, True)):
        theirs, mine = made("GRU", {})
        if change is transposed:  # R of a GRU is not square
            theirs, mine = made("RNN", {})
        x = torch.randn(3, 2, 4, dtype=torch.float64)
        with torch.no_grad():
            before = mine(x)[0].clone()
            for layer in (theirs, mine):
                change(layer)
            assert no_copy(mine) == short, change.__name__
            compare(mine(x), theirs(x), change.__name__)
            assert not torch.equal(mine(x)[0], before), change.__name__


def test_type_of_one_parameter():
    """At the address of the parameter in the storage of all."""
    layer, x = rnn.GRU(4, 4, dtype=torch.bfloat16), torch.randn(3, 2, 4, dtype=torch.bfloat16)
    with torch.no_grad():
        layer(x)
        layer.weight_hh_l0.data = layer.weight_hh_l0.data.view(torch.float16)
        with pytest.raises(TypeError, match="`weight_hh_l0` has dtype torch.float16, but `weight_ih_l0` has torch.bfloat16"):
            layer(x)


def test_arguments():
    """Arguments that must be copied or converted, and those that are no plain tensors."""
    theirs, mine = made("GRU", {})
    wide, h = torch.randn(3, 2, 8, dtype=torch.float64), torch.randn(1, 2, 4, dtype=torch.float64)
    negative = torch._neg_view(wide[..., 4:].contiguous())  # dense, as few are
    views = {"columns": wide[..., ::2], "transposed": torch.randn(2, 3, 4, dtype=torch.float64).transpose(0, 1),
             "expanded": wide[:1, :, :4].expand(3, 2, 4), "negative": negative,
             "parameter": torch.nn.Parameter(wide[..., :4].clone()), "offset": torch.randn(4, 2, 4, dtype=torch.float64)[1:]}
    assert negative.is_neg() and negative.is_contiguous()
    with torch.no_grad():
        for key, x in views.items():
            compare(mine(x, h), theirs(x, h), key)
            compare(mine(x, h.transpose(1, 2).contiguous().transpose(1, 2)), theirs(x, h), key)
        y, hn = mine(torch.zeros(3, 0, 4, dtype=torch.float64))
        assert y.shape == (3, 0, 4) and hn.shape == (1, 0, 4)


def test_errors():
    _, mine = made("GRU", {})
    x = torch.randn(3, 2, 4, dtype=torch.float64)
    for error, arguments, message in (
            (TypeError, (x.float(),), "`input` has dtype torch.float32, but the parameters of the layer have torch.float64"),
            (TypeError, (x, torch.zeros(1, 2, 4)), "`h0` has dtype torch.float32"),
            (TypeError, (x.long(),), "`input` has dtype torch.int64"),
            (ValueError, (x[..., :3],), "`input` has shape"),
            (ValueError, (x, torch.zeros(1, 3, 4, dtype=torch.float64)), "`h0` has shape")):
        with torch.no_grad(), pytest.raises(error, match=message):
            mine(*arguments)


def test_other_paths(other):
    """Dropout, lengths, resets, autocast and traces have more to do."""
    torch.manual_seed(0)
    layer, x = rnn.GRU(4, 5, num_layers=2, dropout=0.5), torch.randn(3, 2, 4)

    def uses_other(call):
        other.clear()
        call()
        return bool(other)

    def with_autocast():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert layer(x)[0].dtype == torch.bfloat16

    with torch.no_grad():
        assert uses_other(lambda: layer(x))
    assert not uses_other(lambda: layer.eval()(x))
    with torch.no_grad():
        assert not uses_other(lambda: layer(x))
        assert uses_other(lambda: layer(x, lengths=torch.tensor([3, 1])))
        assert uses_other(lambda: layer(x, resets=torch.zeros(3, 2, dtype=torch.bool)))
        assert uses_other(with_autocast)
        assert not uses_other(lambda: rnn.GRU(4, 5, bias=False)(x))
        assert not uses_other(lambda: layer(x))
    if hasattr(torch, "func"):
        with torch.no_grad():
            rows = torch.randn(6, 3, 2, 4)
            assert uses_other(lambda: torch.func.vmap(lambda v: layer(v)[0])(rows))
            got = torch.func.vmap(lambda v: layer(v)[0])(rows)
            torch.testing.assert_close(got, torch.stack([layer(v)[0] for v in rows]))
            value, tangent = torch.func.jvp(lambda v: layer(v)[0], (x,), (torch.ones_like(x),))
            assert tangent.abs().max() > 0
            torch.testing.assert_close(value, layer(x)[0])


@pytest.mark.skipif(not hasattr(torch.library, "register_autograd"), reason="needs PyTorch 2.4")
def test_recorded():
    from torch.fx.experimental.proxy_tensor import make_fx

    layer, x = rnn.GRU(4, 5).eval(), torch.randn(3, 2, 4)
    with torch.no_grad():
        want = layer(x)[0]
        graph = make_fx(lambda v: layer(v)[0])(x)
        assert any("cudnn_forward" in str(node.target) for node in graph.graph.nodes)
        torch.testing.assert_close(graph(x), want)
        with torch._subclasses.FakeTensorMode(allow_non_fake_inputs=True) as mode:
            assert layer(mode.from_tensor(x))[0].shape == (3, 2, 5)
        traced = torch.jit.trace(layer, (x,))
        torch.testing.assert_close(traced(2 * x)[0], layer(2 * x)[0])


@pytest.mark.skipif(not hasattr(torch.library, "register_autograd"), reason="needs PyTorch 2.4")
def test_tensors_without_memory():
    from torch.testing._internal.two_tensor import TwoTensor

    layer, x, z = rnn.GRU(4, 5).eval(), torch.randn(3, 2, 4), torch.randn(3, 2, 4)
    with torch.no_grad():
        y = layer(TwoTensor(x, z), TwoTensor(torch.zeros(1, 2, 5), torch.ones(1, 2, 5)))[0]
        torch.testing.assert_close(y.a, layer(x)[0])
        torch.testing.assert_close(y.b, layer(z, torch.ones(1, 2, 5))[0])
