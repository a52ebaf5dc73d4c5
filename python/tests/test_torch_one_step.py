# test_torch_one_step.py - sequences of one chunk of steps, whose weights are packed panel by panel, beside torch.nn in f64.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pytest

torch = pytest.importorskip("torch")
import rnn_mlir.torch as rnn

TOLERANCES = {torch.float64: 1e-12, torch.float32: 2e-5, torch.float16: 1e-2, torch.bfloat16: 8e-2}


def results(layer, x, state, weights):
    """The results, and the gradients of the input, the states and the parameters."""
    x, state = x.clone().requires_grad_(), [v.clone().requires_grad_() for v in state]
    y, final = layer(x, tuple(state) if len(state) == 2 else state[0])
    outputs = [y, *(final if len(state) == 2 else [final])]
    total = sum((v.double() * w).sum() for v, w in zip(outputs, weights))
    return [*outputs, *torch.autograd.grad(total, [x, *state, *layer.parameters()])]


# T, B, I, H: several panels of columns, whole and partial, and rows of each kind of micro-kernel
@pytest.mark.parametrize("sizes", ((1, 1, 24, 200), (1, 1, 128, 64), (1, 4, 64, 192), (1, 2, 70, 130), (1, 7, 200, 64), (1, 9, 33, 150), (1, 70, 65, 129), (2, 3, 40, 140)))
@pytest.mark.parametrize("name", ("LSTM", "GRU", "RNN"))
@pytest.mark.parametrize("dtype", TOLERANCES)
def test_one_step(name, sizes, dtype):
    T, B, I, H = sizes
    for options in ({"bidirectional": True}, {"num_layers": 2}, *[{"proj_size": H // 2}] * (name == "LSTM")):
        torch.manual_seed(T * B + H)
        theirs = getattr(torch.nn, name)(I, H, dtype=torch.float64, **options)
        with torch.no_grad():  # the same values in every type
            for v in theirs.parameters():
                v.copy_(v.to(dtype))
        mine = getattr(rnn, name).from_torch(theirs).to(dtype)
        pseudo, P = options.get("num_layers", 1) * (1 + options.get("bidirectional", False)), options.get("proj_size", H)
        x = torch.randn(T, B, I).to(dtype)
        state = [torch.randn(pseudo, B, n).to(dtype) for n in ([P, H] if name == "LSTM" else [H])]
        weights = [torch.randn(T, B, P * (1 + options.get("bidirectional", False)), dtype=torch.float64),
                   *(torch.randn(v.shape, dtype=torch.float64) for v in state)]
        want = results(theirs, x.double(), [v.double() for v in state], weights)
        for k, (a, b) in enumerate(zip(results(mine, x, state, weights), want)):
            error = (a.double() - b).abs().max() / b.abs().max()
            assert error < TOLERANCES[dtype], f"value {k} with {options}: {error}"
        with torch.no_grad():
            for a, b in zip(mine(x, tuple(state) if len(state) == 2 else state[0])[:1], want):
                assert (a.double() - b).abs().max() / b.abs().max() < TOLERANCES[dtype]
