# test_torch_storage.py - the parameters of rnn_mlir.torch's modules in one storage, which calls do not copy.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import copy
import ctypes
import io
import pickle
import subprocess
import sys
import weakref

import pytest

torch = pytest.importorskip("torch")
import rnn_mlir.torch as rnn
from rnn_mlir import _errors, _runtime
from rnn_mlir.torch import _calls, _memory, _ops


def is_flat(layer):
    pseudo = len(layer._names)
    return layer._storage(layer._in_order(0, pseudo), pseudo) is not None


def gradients(layer, x):
    y, _ = layer(x)
    return torch.autograd.grad(y.square().sum(), [x, *layer.parameters()])


@pytest.fixture
def copies(monkeypatch):
    """Concatenations of parameters."""
    found = []
    cat = torch.cat
    monkeypatch.setattr(torch, "cat", lambda *v, **k: (found.append(v), cat(*v, **k))[1])
    return found


@pytest.mark.parametrize("kind,options", ((rnn.LSTM, {"num_layers": 2, "bidirectional": True}), (rnn.LSTM, {"proj_size": 3}),
                                          (rnn.GRU, {}), (rnn.RNN, {"num_layers": 3}), (rnn.GRU, {"bias": False}),
                                          (rnn.LSTM, {"bias": False, "num_layers": 2, "bidirectional": True, "proj_size": 3})))
def test_no_copy(kind, options, copies):
    torch.manual_seed(0)
    layer, x = kind(4, 5, dtype=torch.float64, **options), torch.randn(6, 3, 4, dtype=torch.float64, requires_grad=True)
    theirs = getattr(torch.nn, kind.__name__)(4, 5, dtype=torch.float64, **options)
    theirs.load_state_dict(layer.state_dict())
    assert is_flat(layer)
    copies.clear()
    got = gradients(layer, x)
    assert not copies
    for a, b in zip(got, gradients(theirs, x)):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


@pytest.mark.parametrize("bias", (True, False))
def test_stays_flat(bias):
    layer = rnn.LSTM(4, 5, 2, bias=bias)
    other = rnn.LSTM(4, 5, 2, bias=bias)
    layer.load_state_dict(other.state_dict())
    file = io.BytesIO()
    torch.save(layer, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False) if _calls.FUNC else torch.load(file)
    for made in (layer, copy.deepcopy(layer), layer.double(), loaded):
        assert is_flat(made)
        for name, value in made.state_dict().items():
            torch.testing.assert_close(value.float(), other.state_dict()[name], rtol=0, atol=0)
    optimizer = torch.optim.Adam(layer.parameters())
    layer(torch.randn(3, 2, 4, dtype=torch.float64))[0].sum().backward()
    optimizer.step()
    assert is_flat(layer) and not torch.equal(layer.weight_hh_l1.float(), other.weight_hh_l1)


@pytest.mark.parametrize("bias", (True, False))
def test_other_storages(copies, bias):
    """Parameters that a program has replaced are copied in each call, with the same results."""
    layer, x = rnn.GRU(4, 5, bias=bias), torch.randn(6, 3, 4, requires_grad=True)
    want = gradients(layer, x)
    layer.weight_hh_l0 = torch.nn.Parameter(layer.weight_hh_l0.detach().clone())
    assert not is_flat(layer)
    copies.clear()
    for a, b in zip(gradients(layer, x), want):
        assert torch.equal(a, b)
    assert len(copies) == 1
    layer.flatten_parameters()
    assert is_flat(layer)
    shared = rnn.GRU(4, 5, bias=bias).share_memory()
    assert all(v.is_shared() for v in shared.parameters())
    shared.flatten_parameters()
    assert all(v.is_shared() for v in shared.parameters())
    shared.load_state_dict(layer.state_dict())
    assert torch.equal(shared(x)[0], layer(x)[0])


def test_update_before_the_gradient():
    """As for torch.nn: the gradient of values that are gone is an error."""
    for name in ("weight_ih_l0", "bias_hh_l0"):
        layer = rnn.LSTM(4, 5)
        y, _ = layer(torch.randn(3, 2, 4))
        with torch.no_grad():
            getattr(layer, name).add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()


def test_frozen_and_without_biases():
    layer, x = rnn.LSTM(4, 5), torch.randn(3, 2, 4)
    layer.weight_ih_l0.requires_grad_(False)
    layer(x)[0].sum().backward()
    assert layer.weight_ih_l0.grad is None and layer.weight_hh_l0.grad is not None
    plain = rnn.GRU(4, 5, bias=False)
    plain(x)[0].sum().backward()
    assert is_flat(plain) and plain.weight_hh_l0.grad is not None


def test_zeros_behind_the_parameters(copies):
    """Without biases. They are no parameters, and others that follow the weights are not taken for them."""
    layer, x = rnn.LSTM(4, 5, 2, bias=False, dropout=0.5), torch.randn(3, 2, 4)
    assert len(list(layer.parameters())) == len(layer.state_dict()) == 4
    copies.clear()
    layer.eval()
    with torch.no_grad():
        want = layer(x)[0]
    assert torch.equal(layer(x)[0], want) and not copies
    # The last layer alone, whose weights precede the zeros of both layers.
    layer.train()
    layer(x)[0].sum().backward()
    assert sum(v[0][0].dim() == 1 for v in copies) == 1 and all(v.grad is not None for v in layer.parameters())
    # A part of another storage, with other values behind it.
    sizes = [v.numel() for v in layer.parameters()]
    storage = torch.ones(sum(sizes) + 1000)
    layer.eval()
    for v, part in zip(layer.parameters(), storage.split(sizes + [1000])):
        part.copy_(v.detach().reshape(-1))
        v.data = part.view(v.shape)
    assert not is_flat(layer) and torch.equal(layer(x)[0], want)
    layer.flatten_parameters()
    assert is_flat(layer) and torch.equal(layer(x)[0], want)


@torch.no_grad()
def test_another_storage_at_the_same_address():
    """Zeros are known by their storage: after the parameters have been replaced, other memory may have its address."""
    layer, x = rnn.RNN(4, 16, bias=False), torch.randn(5, 2, 4)
    want, address = layer(x)[0], layer.weight_ih_l0.data_ptr()
    weights = [v.detach().clone() for v in layer.parameters()]
    elements = sum(v.numel() for v in weights)
    for v, weight in zip(layer.parameters(), weights):
        v.data = weight
    others = [torch.ones(elements + 32)]
    while others[-1].data_ptr() != address and len(others) < 100000:
        others.append(torch.ones(elements + 32))
    if others[-1].data_ptr() != address:
        pytest.skip("the allocator did not reuse the address")
    start = 0
    for v, weight in zip(layer.parameters(), weights):
        part = others[-1][start:start + v.numel()].view_as(v)
        v.data = part.copy_(weight)
        start += v.numel()
    assert layer.weight_ih_l0.data_ptr() == address and torch.equal(layer(x)[0], want)


@pytest.mark.parametrize("bias", (True, False))
def test_copies_are_flat(bias):
    layer = rnn.GRU(4, 5, bias=bias)
    for made in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert is_flat(layer) and is_flat(made)
        assert made.weight_ih_l0.data_ptr() != layer.weight_ih_l0.data_ptr()


@pytest.mark.skipif(not _calls.FUNC, reason="PyTorch 2.1 has assign=True")
@torch.no_grad()
def test_assigned_parameters(copies):
    source, layer, x = rnn.LSTM(4, 5), rnn.LSTM(4, 5, device="meta"), torch.randn(3, 2, 4)
    torch.nn.ModuleList([layer]).load_state_dict({f"0.{k}": v.clone() for k, v in source.state_dict().items()}, assign=True)
    copies.clear()
    assert is_flat(layer) and torch.equal(layer(x)[0], source(x)[0]) and not copies


def test_gradients_may_change():
    """Gradients that are recorded are no views of one tensor: PyTorch refuses to change such views in place."""
    layer, x = rnn.GRU(3, 4), torch.randn(5, 2, 3)
    gradients = torch.autograd.grad(layer(x)[0].sum(), list(layer.parameters()), create_graph=True)
    for gradient in gradients:
        gradient.mul_(2)
    sum(gradient.square().sum() for gradient in gradients).backward()
    assert layer.weight_ih_l0.grad is not None


@pytest.mark.parametrize("mode", (rnn.LSTM, rnn.GRU))
def test_layers_alone_without_biases(mode):
    """With dropout, each layer is a call. What follows the weights of the first one is not its biases."""
    plain, biased, x = mode(4, 5, 3, bias=False, dropout=0.5), mode(4, 5, 3, dropout=0.5), torch.randn(6, 3, 4)
    with torch.no_grad():
        for name, value in biased.named_parameters():
            value.copy_(plain.state_dict()[name]) if name.startswith("weight") else value.zero_()
    results = []
    for layer in plain, biased:
        torch.manual_seed(1)
        y = layer(x)[0]
        results.append((y, torch.autograd.grad(y.square().sum(), [getattr(layer, name) for name in plain.state_dict()])))
    (got, gradients), (want, wanted) = results
    assert torch.equal(got, want)
    assert all(map(torch.equal, gradients, wanted))


@torch.no_grad()
def test_storage_is_not_kept():
    """Copies and other parameters neither move a layer without biases nor keep its memory."""
    layer, other, x = rnn.GRU(4, 5, bias=False), rnn.GRU(4, 5, bias=False), torch.randn(3, 2, 4)
    want = layer(x)[0]
    address = layer.weight_ih_l0.data_ptr()
    shallow = copy.copy(layer)
    assert layer.weight_ih_l0.data_ptr() == address and is_flat(layer) and is_flat(shallow)
    if hasattr(torch.func if _calls.FUNC else torch.nn.utils.stateless, "functional_call"):
        call = torch.func.functional_call if _calls.FUNC else torch.nn.utils.stateless.functional_call
        call(layer, dict(other.named_parameters()), (x,))
        assert is_flat(layer) and torch.equal(layer(x)[0], want)
    before = weakref.ref(layer.weight_ih_l0)
    for name, value in other.named_parameters():
        setattr(layer, name, torch.nn.Parameter(value.detach().clone()))
    del shallow, value
    assert before() is None and not any(torch.is_tensor(v) for v in vars(layer).values())
    assert not is_flat(layer) and torch.equal(layer(x)[0], other(x)[0])


def host_blocks():
    """Live blocks of host memory that `_runtime` allocated."""
    class Stats(ctypes.Structure):  # rnnrt_memory_stats_t
        _fields_ = [(name, ctypes.c_int64) for name in ("live_bytes", "peak_bytes", "live_blocks")]
    made, get = Stats(), _runtime.library().rnnrt_memory_stats
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_void_p]
    _runtime.check(get(_runtime._device("host"), ctypes.addressof(made)))
    return made.live_blocks


@pytest.mark.parametrize("name", ("LSTM", "GRU", "RNN"))
def test_large_reserve(name):
    """The runtime's memory holds a large reserve space until the last tensor that saved it is gone."""
    torch.manual_seed(0)
    theirs, x = getattr(torch.nn, name)(64, 96, 2), torch.randn(40, 24, 64, requires_grad=True)
    layer, before = getattr(rnn, name).from_torch(theirs), host_blocks()
    first, second = layer(x)[0], layer(2 * x)[0]
    assert host_blocks() == before + 2
    want = torch.autograd.grad(theirs(x)[0].square().sum(), [x, *theirs.parameters()])
    got = torch.autograd.grad(first.square().sum(), [x, *layer.parameters()], retain_graph=True)
    again = torch.autograd.grad(first.square().sum(), [x, *layer.parameters()])
    for a, b, c in zip(got, want, again):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-3)
        assert torch.equal(a, c)
    assert host_blocks() == before + 1
    del second
    assert host_blocks() == before


@pytest.mark.parametrize("dtype", _memory.DTYPES, ids=str)
@pytest.mark.parametrize("kind", (rnn.LSTM, rnn.GRU))
def test_large_results(kind, dtype):
    """The runtime's memory holds large results and gradients until they are gone. They may change in place, and be copied."""
    torch.manual_seed(0)
    layer = kind(384, 384, dtype=dtype)
    theirs = getattr(torch.nn, kind.__name__)(384, 384, dtype=torch.float64)
    theirs.load_state_dict(layer.state_dict())
    x, before = torch.randn(24, 64, 384, dtype=dtype, requires_grad=True), host_blocks()
    y = layer(x)[0]
    assert (y.dtype, y.shape, y.is_contiguous(), y._base) == (dtype, (24, 64, 384), True, None)
    y.mul_(2)  # not allowed for views that a Function returns
    gradients = torch.autograd.grad(y.sum(), [x, *layer.parameters()])
    inputs = x.detach().double().requires_grad_()
    wanted = theirs(inputs)[0].mul(2)
    tolerance = {torch.float64: 1e-9, torch.float32: 1e-4}.get(dtype, 5e-2)
    for got, want in zip([y, *gradients], [wanted, *torch.autograd.grad(wanted.sum(), [inputs, *theirs.parameters()])]):
        assert got.dtype is dtype
        torch.testing.assert_close(got.double(), want, rtol=tolerance, atol=tolerance * float(want.abs().max()))
    assert host_blocks() == before + 3  # y, the gradient of x, and the parameters' gradients, which are views of one
    copied = copy.deepcopy(y.detach())
    assert torch.equal(copied, y)
    del y, gradients, got
    assert host_blocks() == before
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            y = layer(x.detach())[0]
            assert host_blocks() == before + 1 and y._base is None
            assert torch.equal(y.mul_(2), copied)
        del y
        assert host_blocks() == before


def test_large_results_of_subclasses():
    """Small and large results of a subclass of Tensor have its class, as those of torch.nn."""
    class Marked(torch.Tensor):
        pass
    x = torch.randn(24, 64, 384).as_subclass(Marked)
    y, h = rnn.GRU(384, 384)(x)
    assert y.numel() * y.element_size() >= 1 << 20 > h.numel() * h.element_size()
    assert type(y) is type(h) is type(torch.nn.GRU(384, 384)(x)[0])


@pytest.mark.skipif(not _calls.FUNC, reason="torch.func needs PyTorch 2")
def test_large_reserves_of_members():
    torch.manual_seed(0)
    layer, x, before = rnn.GRU(64, 96), torch.randn(2, 40, 48, 64), host_blocks()
    names = [name for name, _ in layer.named_parameters()]

    def loss(parameters, x):
        return torch.func.functional_call(layer, dict(zip(names, parameters)), (x,))[0].square().sum()

    parameters = [v.detach() for v in layer.parameters()]
    got = torch.func.vmap(torch.func.grad(loss), (None, 0))(parameters, x)
    for k, (a, b) in enumerate((a, b) for m in range(2) for a, b in zip([g[m] for g in got], torch.func.grad(loss)(parameters, x[m]))):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5, msg=f"gradient {k}")
    del got
    assert host_blocks() == before


@pytest.mark.skipif(not _ops.AVAILABLE, reason="the ops need PyTorch 2.4")
def test_defined_reserve():
    """The op's reserve space has no bytes of earlier calls: its unused bytes are zero."""
    layer, x = rnn.LSTM(64, 96, proj_size=32), torch.randn(40, 24, 64)  # projected states leave bytes unused
    flat = torch.cat([v.detach().flatten() for v in layer.parameters()])
    h, c = torch.zeros(1, 24, 32), torch.zeros(1, 24, 96)

    def reserve():
        return torch.ops.rnn_mlir.cudnn_forward(x, h, c, flat, None, None, "lstm", False, 32, "zero", False, True)[3]
    _memory.new_tensor(x, reserve().shape, torch.int8).fill_(-1)
    kept = reserve()
    _memory.new_tensor(x, kept.shape, torch.int8).fill_(1)
    assert torch.equal(kept, reserve())


def test_no_memory():
    with pytest.raises(_errors.Error, match="memory"):
        _runtime.host_buffer((1 << 60,), "i8")


# The deleter of a capsule of PyTorch, which frees a reserve space when the process exits, after the interpreter.
EXIT = """
import ctypes, torch
from torch.utils.dlpack import to_dlpack
from rnn_mlir import _dlpack
from rnn_mlir.torch import _memory
capsule, used = to_dlpack(_memory.new_tensor(torch.zeros(1), (1 << 20,))), b"used_dltensor"
address = _dlpack._get_pointer(capsule, b"dltensor")
rename = ctypes.PyDLL(None).PyCapsule_SetName
rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
rename(capsule, used)
deleter = _dlpack._Managed.from_address(address).deleter
ctypes.CDLL(None).__cxa_atexit(ctypes.c_void_p(deleter), ctypes.c_void_p(address), None)
"""


def test_reserve_is_freed_after_the_interpreter():
    """With a reserve space on a buffer of Python, PyTorch 1.13 waits for the GIL for ever."""
    done = subprocess.run([sys.executable, "-c", EXIT], capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
