# test_torch_misuse.py - wrong arguments of rnn_mlir.torch: each is an error that names the argument.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pytest

torch = pytest.importorskip("torch")
import rnn_mlir  # noqa: E402
import rnn_mlir.torch as rt  # noqa: E402
from torch.nn.utils.rnn import pack_sequence  # noqa: E402
from rnn_mlir.torch import functional  # noqa: E402
from rnn_mlir._layers import params_size  # noqa: E402

T, B, H = 3, 2, 5
X = torch.linspace(-1, 1, T * B * H).reshape(T, B, H)
STATE = torch.zeros(1, B, H)


def layers(**arguments):
    mode = arguments.pop("mode", "gru")
    values = dict(x=X, h0=STATE, c0=None, params=torch.full((params_size("gru", H, H, 1, 1, 0),), 0.1))
    return functional.layers(mode, **{**values, **arguments})


@pytest.mark.parametrize("arguments, error, message", [
    (dict(mode="foo"), ValueError, "`mode` is 'foo'; expected one of rnn_relu, rnn_tanh, lstm, gru"),
    (dict(c0=STATE), ValueError, "`c0` is given; mode lstm needs it, the others have none"),
    (dict(mode="lstm"), ValueError, "`c0` is not given; mode lstm needs it"),
    (dict(mode="lstm", c0=STATE[0]), ValueError, r"`c0` has shape \(2, 5\); expected \[L\*D, B, H\]"),
    (dict(h0=None), ValueError, "`x`, `h0` and `params` are needed"),
    (dict(x=None), ValueError, "`x`, `h0` and `params` are needed"),
    (dict(x=X.numpy()), TypeError, "`x` is a ndarray; expected a Tensor"),
    (dict(x=X.to_sparse()), TypeError, "`x` has layout torch.sparse_coo; expected a dense tensor"),
    (dict(lengths=[1, 2]), TypeError, "`lengths` is a list; expected a Tensor"),
    (dict(lengths=torch.tensor([1.5, 2.5])), TypeError, "`lengths` has dtype torch.float32; expected integers"),
    (dict(lengths=torch.tensor([2 ** 32 + 2, 1])), rnn_mlir.InvalidArgument, r"expects element 0 of `lengths` to be in \[0, T = 3\]"),
    (dict(lengths=torch.tensor([-(2 ** 32) + 2, 1])), rnn_mlir.InvalidArgument, r"expects element 0 of `lengths` to be in \[0, T = 3\]"),
    (dict(resets=[[0, 1]] * T), TypeError, "`resets` is a list; expected a Tensor"),
])
def test_layers(arguments, error, message):
    with pytest.raises(error, match=message):
        layers(**arguments)


def block(**arguments):
    values = dict(x=X, cs_prev=X[0], h_prev=X[1], w=torch.full((2 * H, 4 * H), 0.1), b=torch.zeros(4 * H))
    return functional.block_lstm(**{**values, **arguments})


@pytest.mark.parametrize("arguments, error, message", [
    (dict(x=X[0]), ValueError, r"`x` and `cs_prev` have shapes \(2, 5\) and \(2, 5\); expected \[T, B, I\] and \[B, H\]"),
    (dict(cs_prev=X[0, 0]), ValueError, r"expected \[T, B, I\] and \[B, H\]"),
    (dict(b=torch.zeros(3), forget_bias=1.0), ValueError, r"`b` has shape \(3,\); expected \(20,\)"),
    (dict(cell_clip=float("nan")), ValueError, "`cell_clip` is nan; expected a finite number"),
    (dict(cell_clip=float("-inf")), ValueError, "`cell_clip` is -inf; expected a finite number"),
    (dict(seq_len_max=2.7), TypeError, "`seq_len_max` has dtype torch.float32; expected integers"),
    (dict(seq_len_max=[1, 2]), ValueError, r"`seq_len_max` has shape \(2,\); expected one integer"),
    (dict(seq_len_max=2 ** 40), rnn_mlir.InvalidArgument, r"expects `seq_len_max` to be in \[0, T\]"),
    (dict(resets=[[0, 1]] * T), TypeError, "`resets` is a list; expected a Tensor"),
])
def test_block(arguments, error, message):
    with pytest.raises(error, match=message):
        block(**arguments)


def test_accepted_clips():
    """Numbers without a decimal point in Python's text."""
    assert block(cell_clip=1e-5).cs.abs().max() <= 1e-5
    assert torch.equal(block(cell_clip=1e30).cs, block().cs)


class WithOwnParameter(rt.GRU):
    def __init__(self, *sizes):
        super().__init__(*sizes)
        self.own = torch.nn.Parameter(torch.zeros(3))


def with_weight(value):
    layer = rt.GRU(5, 5)
    layer.weight_hh_l0 = torch.nn.Parameter(value)
    return layer


@pytest.mark.parametrize("make, error, message", [
    (lambda: with_weight(torch.zeros(15, 5, dtype=torch.float16))(X), TypeError,
     "`weight_hh_l0` has dtype torch.float16, but `weight_ih_l0` has torch.float32; cast one of them"),
    (lambda: with_weight(torch.zeros(15, 5, device="meta"))(X), ValueError, "`weight_hh_l0` is on device meta, but `weight_ih_l0` is on cpu"),
    (lambda: rt.GRU(5, 5, 2, dropout=True), ValueError, "`dropout` is True"),
    (lambda: rt.GRU(5, 5, bias="no"), TypeError, "`bias` is 'no'; expected False or True"),
    (lambda: rt.GRU(5, 5, batch_first="no"), TypeError, "`batch_first` is 'no'; expected False or True"),
    (lambda: rt.GRU(5, 5)(X, lengths=["a", "b"]), TypeError, "`lengths` is a list of other values than integers"),
    (lambda: rt.GRU(5, 5)(torch.nested.nested_tensor([X[:, 0], X[:2, 0]])), TypeError, "`input` is a nested tensor; .*to_padded_tensor"),
    (lambda: rt.GRU(5, 5)(X[:0]), ValueError, r"the sequence has shape \(0, 2, 5\), which is no step"),
    (lambda: rt.GRU(5, 5, batch_first=True)(X[:, :0]), ValueError, r"the sequence has shape \(3, 0, 5\), which is no step"),
    (lambda: rt.LSTM(5, 5)(X, STATE), TypeError, r"`hx` is a Tensor; expected a pair \(h0, c0\) of tensors"),
    (lambda: rt.LSTM(5, 5)(X, (STATE, STATE, STATE)), TypeError, "`hx` is a tuple of Tensor, Tensor, Tensor; expected a pair"),
    (lambda: rt.LSTM(5, 5)(X, (None, None)), TypeError, "`hx` is a tuple of NoneType, NoneType; expected a pair"),
    (lambda: rt.GRU(5, 5)(X, (STATE, STATE)), TypeError, "`hx` is a tuple; expected a tensor"),
    (lambda: rt.GRU(5, 5)(X, STATE[0]), ValueError, r"`h0` has shape .*; expected \[L\*D, B, H\], since `input` is a batch"),
    (lambda: rt.GRU(5, 5)(X[0], STATE), ValueError, r"expected \[L\*D, H\], since `input` is a sequence"),
    (lambda: rt.LSTM(5, 5)(X.long()), TypeError, "`input` has dtype torch.int64, but the parameters .* have torch.float32; cast"),
    (lambda: rt.LSTM(5, 5)(X.double()), TypeError, "`input` has dtype torch.float64, but the parameters .* have torch.float32; cast"),
    (lambda: rt.LSTM(5, 5, device="meta")(X), ValueError, "`input` is on device cpu, but the parameters of the layer are on meta"),
    (lambda: rt.GRU.from_torch(torch.nn.utils.weight_norm(torch.nn.GRU(5, 5), "weight_hh_l0")), ValueError,
     "the GRU has no parameter `weight_hh_l0`; .*remove_weight_norm"),
    (lambda: WithOwnParameter(5, 5).to_torch(), ValueError, "has the parameter `own`, which GRU lacks; .*strict=False"),
    (lambda: rt.BlockLSTM(5, 5)(X.double()), TypeError, "`w` has dtype torch.float32, but `x` has torch.float64; cast one"),
    (lambda: rt.LSTM(5, 5, num_layers=1.5), TypeError, "`num_layers` is 1.5; expected an integer"),
    (lambda: rt.LSTM(5, "5"), TypeError, "`hidden_size` is '5'; expected an integer"),
    (lambda: rt.LSTM(5, 5, bidirectional=2), TypeError, "`bidirectional` is 2; expected False or True"),
    (lambda: rt.BlockLSTM("4", 6), TypeError, "`input_size` is '4'; expected an integer"),
    (lambda: rt.BlockLSTM(4, 6, forget_bias="a"), TypeError, "`forget_bias` is 'a'; expected a number"),
    (lambda: rt.GRU(5, 5)(X.numpy()), TypeError, "`input` is a ndarray; expected a Tensor or a PackedSequence"),
    (lambda: rt.GRU(5, 5)((X, STATE)), TypeError, "`input` is a tuple; .*use its first element"),
    (lambda: rt.BlockLSTM(5, 5)(X.numpy()), TypeError, "`x` is a ndarray; expected a Tensor"),
    (lambda: rt.GRU(5, 5)(X, lengths=[3, 1.5]), TypeError, "`lengths` has dtype torch.float32; expected integers"),
    (lambda: rt.GRU(5, 5)(X, lengths=[True, False]), TypeError, "`lengths` has dtype torch.bool; expected integers"),
    (lambda: rt.GRU(5, 5)(X, lengths="32"), TypeError, "`lengths` is a str; expected a Tensor, a list or an array"),
    (lambda: rt.GRU(5, 5)(X, lengths=[3]), ValueError, r"`lengths` has shape \(1,\); expected \(2,\)"),
    (lambda: rt.GRU(5, 5)(X[:, 0], resets=[0, 1, 0]), TypeError, "`resets` is a list; expected a Tensor"),
    (lambda: rt.GRU(5, 5)(X, STATE[..., :3]), ValueError, r"`h0` has shape \(1, 2, 3\); expected \(1, 2, 5\)"),
    (lambda: rt.GRU(5, 5, 2, dropout=0.5)(X, torch.zeros(3, B, H)), ValueError, r"`h0` has shape .*; expected \(2, 2, 5\)"),
    (lambda: rt.GRU(5, 5, 2, dropout=0.5)(X, torch.zeros(1, B, H)), ValueError, r"`h0` has shape .*; expected \(2, 2, 5\)"),
    (lambda: rt.LSTM(5, 5)(X, (STATE, STATE[:, :1])), ValueError, r"`c0` has shape \(1, 1, 5\); expected \(1, 2, 5\)"),
    (lambda: rt.GRU(4, 5)(pack_sequence([X[:, 0]])), ValueError, r"data of `input` have shape \(3, 5\); .* last of 4"),
    (lambda: rt.BlockLSTM(4, 5)(X), ValueError, r"`x` has shape \(3, 2, 5\); expected 3 dimensions, the last of 4"),
    (lambda: rt.BlockLSTM(5, 5)(X[:0]), ValueError, "which is no step"),
    (lambda: rt.BlockLSTM(5, 4)(X, (X[0], X[0])), ValueError, r"`h0` has shape \(2, 5\); expected \(2, 4\)"),
    (lambda: rt.BlockLSTM(5, 5)(X, (None, None)), TypeError, "expected a pair .* of tensors"),
    (lambda: rt.LSTM.from_torch(torch.nn.Linear(2, 2)), TypeError, "`module` is a Linear; expected a torch.nn.LSTM"),
    (lambda: rt.LSTM.from_torch(torch.nn.GRU(2, 2)), TypeError, "`module` is a GRU; expected a torch.nn.LSTM"),
    (lambda: torch.fx.symbolic_trace(torch.nn.Sequential(rt.GRU(5, 5))), TypeError, "symbolic_trace cannot trace .*to_torch"),
    (lambda: rt.LSTM(5, 5, dropout="a"), ValueError, "`dropout` is 'a'"),
    (lambda: rt.BlockLSTM(5, 0), ValueError, "expected positive values"),
    (lambda: rt.BlockLSTM(5, 5, layout="foo"), ValueError, "`layout` is 'foo'"),
    (lambda: rt.BlockLSTM(5, 5)(X[0]), ValueError, r"`x` has shape \(2, 5\); expected 3 dimensions"),
    (lambda: rt.BlockLSTM(5, 5)(X, STATE), TypeError, "`state` is a Tensor; expected a pair"),
])
def test_modules(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_types_in_autocast():
    """Autocast casts each parameter."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert with_weight(torch.zeros(15, 5, dtype=torch.float16))(X)[0].dtype == torch.bfloat16


@pytest.mark.skipif(not hasattr(torch.library, "register_autograd"), reason="needs PyTorch 2.4")
@pytest.mark.parametrize("changed, message", [
    (dict(input=X[0]), r"`input` has shape \(2, 5\); expected \[T, B, I\]"),
    (dict(input_h=STATE[0]), r"`input_h` has shape \(2, 5\); expected \[L\*D, B, columns\]"),
    (dict(mode="gur"), "`mode` is 'gur'; expected one of rnn_relu"),
    (dict(reset_to="foo"), "`reset_to` is 'foo'; expected 'zero' or 'initial'"),
    (dict(input_c=STATE), "`input_c` exists for lstm and no other mode"),
])
def test_ops(changed, message):
    values = dict(input=X, input_h=STATE, input_c=None, params=torch.zeros(params_size("gru", H, H, 1, 1, 0)), sequence_lengths=None,
                  resets=torch.zeros(T, B, dtype=torch.bool), mode="gru", bidirectional=False, num_proj=0, reset_to="zero", batch_major=False,
                  is_training=False)
    torch.ops.rnn_mlir.cudnn_forward(*values.values())
    with pytest.raises(ValueError, match=message):
        torch.ops.rnn_mlir.cudnn_forward(*{**values, **changed}.values())


@pytest.mark.skipif(not hasattr(torch.library, "register_autograd"), reason="needs PyTorch 2.4")
def test_layout_of_the_block_op():
    operands = [X, X[0], X[1], torch.zeros(2 * H, 4 * H), *[torch.zeros(H)] * 3, torch.zeros(4 * H), None, None]
    with pytest.raises(ValueError, match="`layout` is 'ifgo'; expected 'icfo' or 'ifco'"):
        torch.ops.rnn_mlir.block_lstm(*operands, "ifgo", False, 0.0, "zero", False)
