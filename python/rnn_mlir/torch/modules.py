# modules.py - LSTM, GRU, RNN and BlockLSTM as modules of PyTorch. The first three have the constructors, the results and
# the state dicts of torch.nn.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers as `torch.nn.Module`s."""

from __future__ import annotations

import math
import numbers
import operator
import warnings
from typing import Any, Dict, List, NoReturn, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from .._layers import GATES, check_dropout, check_layout
from . import _calls, _library, _quick, _reference, functional


def _refuse_input(name: str, value: Any, expected: str) -> NoReturn:
    if type(value).__module__ == "torch.fx.proxy":
        raise TypeError(f"torch.fx.symbolic_trace cannot trace through a layer of rnn_mlir.torch; name the class in a Tracer's "
                        "`is_leaf_module`, replace the layer by its `to_torch()`, or use torch.export")
    hint = "; use its first element, the output" if isinstance(value, tuple) else ""
    raise TypeError(f"`{name}` is a {type(value).__name__}; expected {expected}{hint}")


def _sizes(**sizes: Any) -> List[int]:
    """The sizes as integers of Python. NumPy's are accepted."""
    for name, value in sizes.items():
        if not hasattr(value, "__index__") or isinstance(value, (bool, Tensor)):
            raise TypeError(f"`{name}` is {value!r}; expected an integer")
    return [operator.index(value) for value in sizes.values()]


def _to_lengths(value: Any, device: torch.device) -> Tensor:
    """A list or an array of lengths as a tensor."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"`lengths` is a {type(value).__name__}; expected a Tensor, a list or an array of integers")
    if isinstance(value, (list, tuple)) and not value:
        return torch.empty(0, dtype=torch.int64, device=device)
    try:
        return torch.as_tensor(value, device=device)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"`lengths` is a {type(value).__name__} of other values than integers; expected a Tensor, a list or an array of "
                        f"integers ({error})") from None


def _copy_parameters(source: Any, target: Any) -> Any:
    """`target` with the values of the parameters of `source`, which of them are trained, and its mode."""
    if getattr(source, "parametrizations", None):
        raise ValueError(f"the {type(source).__name__} has parametrizations; first call torch.nn.utils.parametrize."
                         "remove_parametrizations for each")
    given, expected = source.state_dict(), target.state_dict()
    kind = type(target).__name__
    for name in expected:
        if name not in given:
            raise ValueError(f"the {type(source).__name__} has no parameter `{name}`; if torch.nn.utils.weight_norm or prune "
                             "replaced it, first call torch.nn.utils.remove_weight_norm or prune.remove")
    for name in given:
        if name not in expected:
            raise ValueError(f"the {type(source).__name__} has the parameter `{name}`, which {kind} lacks; make a {kind} and "
                             "copy the others by load_state_dict(..., strict=False)")
    target.load_state_dict(given)
    for name, value in source.named_parameters():
        target.get_parameter(name).requires_grad_(value.requires_grad)
    return target.train(source.training)


#: Bytes of parameters that take longer to copy than to pass as a list to an op (Zen 5).
_LARGE = 1 << 20


class _Zeros:
    """Zeros that follow the parameters of a layer in their storage. The reference is weak, since the program may replace the
    parameters. While it exists, no other storage has its `cdata`; a later one may have the address of a freed one."""

    def __init__(self, storage: Any, start: int) -> None:
        self._storage, self._start = StorageWeakRef(storage), start

    def start_at(self, storage: Any, start: int) -> bool:
        """Whether the zeros are in this storage, from this byte on."""
        return bool(self._storage.cdata == storage._cdata) and self._start == start

    def __deepcopy__(self, memo: Any) -> None:
        """The copied layer has a storage of its own."""

    def __reduce__(self) -> Any:
        return type(None), ()


class _Layers(torch.nn.Module):
    """What LSTM, GRU and RNN share."""

    _mode: str
    _theirs: Any  #: the class of torch.nn
    _zeros: Optional[_Zeros] = None  #: without biases

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        check_dropout(dropout)
        input_size, hidden_size, num_layers, proj_size = _sizes(
            input_size=input_size, hidden_size=hidden_size, num_layers=num_layers, proj_size=proj_size)
        for name, flag in (("bias", bias), ("batch_first", batch_first), ("bidirectional", bidirectional)):
            if flag not in (False, True):
                raise TypeError(f"`{name}` is {flag!r}; expected False or True")
        bias, batch_first, bidirectional = bool(bias), bool(batch_first), bool(bidirectional)
        if input_size <= 0 or hidden_size <= 0 or num_layers <= 0:
            raise ValueError(f"`input_size`, `hidden_size` and `num_layers` are {input_size}, {hidden_size} and "
                             f"{num_layers}; expected positive values")
        if proj_size and (self._mode != "lstm" or not 0 < proj_size < hidden_size):
            raise ValueError(f"`proj_size` is {proj_size}; expected 0, or for LSTM less than `hidden_size`")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        self.mode = self._mode.upper()  # as in torch.nn
        if dropout and num_layers == 1:
            warnings.warn(f"`dropout` is {dropout}, but acts between layers, and `num_layers` is 1")
        self._names: List[List[str]] = []  # per pseudo layer: W, R, projection, bW, bR
        self._shapes: Dict[str, Tuple[int, ...]] = {}
        gates, state, directions = len(GATES[self._mode]) * hidden_size, proj_size or hidden_size, 1 + bidirectional
        for layer in range(num_layers):
            for direction in range(directions):
                suffix = f"_l{layer}" + ("_reverse" if direction else "")
                width = input_size if layer == 0 else directions * state
                shapes = {"weight_ih": (gates, width), "weight_hh": (gates, state)}
                if bias:
                    shapes.update(bias_ih=(gates,), bias_hh=(gates,))  # type: ignore[arg-type]
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                for name, shape in shapes.items():
                    self.register_parameter(name + suffix, torch.nn.Parameter(
                        torch.empty(shape, device=device, dtype=dtype)))
                    self._shapes[name + suffix] = shape
                self._names.append([name + suffix for name in shapes])
        self.reset_parameters()
        self.flatten_parameters()

    def reset_parameters(self) -> None:
        """Draws all parameters from U(-k, k), k = hidden_size ** -0.5, in the order of torch.nn."""
        k = self.hidden_size ** -0.5
        for weight in self.parameters():
            torch.nn.init.uniform_(weight, -k, k)

    def flatten_parameters(self) -> None:
        """Moves the parameters to one storage, in the order of the compiled code, so that calls do not copy them. The
        constructor and moves to another device or type do so. Does nothing in shared memory, or in a program that is traced."""
        if functional.traced():
            return
        tensors = self._in_order(0, len(self._names))
        if self._storage(tensors, len(self._names)) is not None:
            return
        if not all(type(v) is torch.nn.Parameter and v.device == tensors[0].device and not v.is_meta
                   and v.dtype == tensors[0].dtype and not (v.device.type == "cpu" and v.is_shared()) for v in tensors):
            return
        with torch.no_grad():
            flat, offset = self._joined(tensors, len(self._names)), 0
            for v in tensors:
                v.data = flat[offset:offset + v.numel()].view(v.shape)
                offset += v.numel()
            self._zeros = _Zeros(_calls.storage_of(flat), offset * flat.element_size())

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)
        if local_metadata.get("assign_to_params_buffers"):  # load_state_dict(assign=True)
            self.flatten_parameters()

    def _apply(self, *arguments: Any, **options: Any) -> Any:
        super()._apply(*arguments, **options)
        self.flatten_parameters()
        return self

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        # Of files of earlier versions.
        self.__dict__.setdefault("mode", self._mode.upper())
        if not isinstance(self._zeros, _Zeros):
            self._zeros = None
        self.flatten_parameters()

    @property
    def all_weights(self) -> List[List[torch.nn.Parameter]]:
        """The parameters per direction and layer."""
        return [[getattr(self, name) for name in names] for names in self._names]

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        for name, default in (("num_layers", 1), ("bias", True), ("batch_first", False), ("dropout", 0.0),
                              ("bidirectional", False), ("proj_size", 0)):
            if getattr(self, name) != default:
                text += f", {name}={getattr(self, name)}"
        return text

    @classmethod
    def from_torch(cls, module: Any) -> Any:
        """The layer with the options and a copy of the parameters of a module of torch.nn."""
        if not isinstance(module, cls._theirs):
            raise TypeError(f"`module` is a {type(module).__name__}; expected a torch.nn.{cls._theirs.__name__}")
        nonlinearity = {"nonlinearity": module.nonlinearity} if isinstance(module, torch.nn.RNN) else {}
        projection = {"proj_size": module.proj_size} if module.proj_size else {}
        first = next(module.parameters())
        made = cls(module.input_size, module.hidden_size, num_layers=module.num_layers, bias=module.bias,
                   batch_first=module.batch_first, dropout=module.dropout, bidirectional=module.bidirectional,
                   device=first.device, dtype=first.dtype, **nonlinearity, **projection)
        return _copy_parameters(module, made)

    def to_torch(self) -> Any:
        """The module of torch.nn with the options and a copy of the parameters, for programs that cannot contain the layer:
        torch.jit.script, ONNX."""
        first = next(self.parameters())
        options = {"nonlinearity": self._mode[len("rnn_"):]} if isinstance(self, RNN) else {}
        if self.proj_size:
            options["proj_size"] = self.proj_size  # type: ignore[assignment]
        made = self._theirs(
            self.input_size, self.hidden_size, num_layers=self.num_layers, bias=self.bias, batch_first=self.batch_first,
            dropout=self.dropout, bidirectional=self.bidirectional, device=first.device, dtype=first.dtype, **options)
        return _copy_parameters(self, made)

    def __prepare_scriptable__(self) -> Any:
        raise NotImplementedError(f"torch.jit.script cannot contain `rnn_mlir.torch.{type(self).__name__}`; replace it by its "
                                  "`to_torch()`, or use torch.compile, torch.export or torch.jit.trace")

    def _in_order(self, first: int, last: int) -> List[Tensor]:
        """The parameters of pseudo layers: all matrices, then all biases."""
        matrices: List[Tensor] = []
        biases: List[Tensor] = []
        known = self._parameters  # a lookup there takes a third of `getattr`; parametrized ones are elsewhere
        for names in self._names[first:last]:
            for name in names:
                value: Any = known.get(name)
                if value is None:
                    value = getattr(self, name)
                if value is None:
                    raise ValueError(f"`{name}` is None; expected a tensor of shape {self._shapes[name]}. Layers without biases "
                                     "are made with bias=False")
                if value.shape != self._shapes[name]:
                    raise ValueError(f"`{name}` has shape {tuple(value.shape)}; expected {self._shapes[name]}")
                (biases if name.startswith("bias") else matrices).append(value)
        return matrices + biases

    def _count(self, first: int, last: int) -> int:
        """The elements of the parameters of pseudo layers."""
        return sum(math.prod(self._shapes[name]) for names in self._names[first:last] for name in names)

    def _missing(self, pseudo: int) -> int:
        """The elements of the biases of so many pseudo layers if there are none."""
        return 0 if self.bias else pseudo * 2 * len(GATES[self._mode]) * self.hidden_size

    def _joined(self, tensors: List[Tensor], pseudo: int) -> Tensor:
        """A copy of the parameters of so many pseudo layers as a flat array, which has one type and is on one device."""
        first = tensors[0]
        for v in tensors:
            if v.dtype != first.dtype and functional.autocast_type(first.device.type) is None:
                raise TypeError(f"`{self._name_of(v)}` has dtype {v.dtype}, but `{self._name_of(first)}` has {first.dtype}; cast one of them")
            if v.device != first.device:
                raise ValueError(f"`{self._name_of(v)}` is on device {v.device}, but `{self._name_of(first)}` is on {first.device}; move one of "
                                 "them")
        return _reference.join(tensors if self.bias else [*tensors, tensors[0].new_zeros(self._missing(pseudo))])

    def _name_of(self, tensor: Tensor) -> str:
        """The name of a parameter."""
        return next(name for names in self._names for name in names if getattr(self, name) is tensor)

    def _elements(self, tensors: List[Tensor], pseudo: int) -> int:
        """The size of the flat array of these tensors, of so many pseudo layers, if they are parts of one storage, in this order;
        else 0."""
        first, parameter = tensors[0], torch.nn.Parameter
        if type(first) is not parameter:  # others may have no memory
            return 0
        dtype, size = first.dtype, first.element_size()
        start = end = first.data_ptr()
        for v in tensors:
            if type(v) is not parameter or v.data_ptr() != end or v.dtype is not dtype or not v.is_contiguous():
                return 0
            end += v.numel() * size
        storage = _calls.storage_of(first)
        if not self.bias:
            if self._zeros is None or not self._zeros.start_at(storage, end - storage.data_ptr()):
                return 0
            end += self._missing(pseudo) * size
        if end > storage.data_ptr() + storage.nbytes():  # storages that are neighbours by chance
            return 0
        return int((end - start) // size)

    def _storage(self, tensors: List[Tensor], pseudo: int) -> Optional[Tensor]:
        """The flat array of these tensors if they are parts of one storage, in this order."""
        elements = self._elements(tensors, pseudo)
        return tensors[0].detach().as_strided((elements,), (1,)) if elements else None

    def _params(self, first: int, last: int, operands: Sequence[Tensor] = ()) -> Union[Tensor, List[Tensor]]:
        """The parameters of pseudo layers, for a call with the other operands: flat, or if they are large, on the CPU, and the program
        is compiled, which cannot know that they are parts of one storage, a list."""
        tensors = self._in_order(first, last)
        if _library.compiling() and tensors[0].is_cpu and self._count(first, last) * tensors[0].element_size() >= _LARGE:
            zeros = [] if self.bias else [tensors[0].new_zeros(tensors[0].shape[0])] * (2 * (last - first))
            return [*tensors, *zeros]
        if not functional.traced():
            flat = self._storage(tensors, last - first)
            if flat is not None and not torch.is_grad_enabled():
                return flat
            if flat is not None:
                # Frozen parameters: `Flat` must be a node of the graph, since it checks their versions.
                if any(v.requires_grad for v in operands):
                    flat.requires_grad_(not any(v.requires_grad for v in tensors))
                return _calls.apply(_calls.Flat, flat, *tensors)  # type: ignore[no-any-return]
        return self._joined(tensors, last - first)

    def _states(self, x: Tensor, hx: Any, batch: int) -> List[Tensor]:
        """The initial states of a batch."""
        pseudo, state = self.num_layers * (1 + self.bidirectional), self.proj_size or self.hidden_size
        sizes = [state, self.hidden_size] if self._mode == "lstm" else [state]
        if hx is None:
            return [x.new_zeros(pseudo, batch, n) for n in sizes]
        states = list(hx) if len(sizes) == 2 else [hx]
        for name, value, n in zip(("h0", "c0"), states, sizes):
            if value.shape != (pseudo, batch, n):
                raise ValueError(f"`{name}` has shape {tuple(value.shape)}; expected {(pseudo, batch, n)}: layers and "
                                 "directions, batch, columns of the state")
        return states

    def _check_state(self, hx: Any, dimensions: int) -> None:
        if hx is None:
            return
        pair = self._mode == "lstm"
        every = hx if pair and isinstance(hx, (list, tuple)) else [hx]
        if len(every) != 1 + pair or not all(isinstance(v, Tensor) for v in every):
            expected = "a pair (h0, c0) of tensors" if pair else "a tensor"
            given = f"{type(hx).__name__} of {', '.join(type(v).__name__ for v in every)}" if every is hx else type(hx).__name__
            raise TypeError(f"`hx` is a {given}; expected {expected}")
        for name, value in zip(("h0", "c0"), every):
            if value.dim() != dimensions:
                expected = "[L*D, B, H], since `input` is a batch" if dimensions == 3 else "[L*D, H], since `input` is a sequence"
                raise ValueError(f"`{name}` has shape {tuple(value.shape)}; expected {expected}")

    def _stack(self, x: Tensor, states: List[Tensor], lengths: Optional[Tensor], resets: Optional[Tensor],
               reset_to: str, batch_first: bool) -> Tuple[Tensor, List[Tensor]]:
        directions = 1 + self.bidirectional
        weight = self._parameters.get(self._names[0][0])
        if weight is not None:  # not parametrized
            if x.device != weight.device:
                raise ValueError(f"`input` is on device {x.device}, but the parameters of the layer are on {weight.device}; move "
                                 "one of them")
            if x.dtype != weight.dtype and functional.autocast_type(x.device.type) is None:
                raise TypeError(f"`input` has dtype {x.dtype}, but the parameters of the layer have {weight.dtype}; cast one "
                                "of them")

        def run(x: Tensor, states: List[Tensor], first: int, last: int) -> Tuple[Tensor, ...]:
            c0 = states[1] if len(states) == 2 else None
            return functional.layers(self._mode, x, states[0], c0, self._params(first, last, [x, *states]), lengths=lengths,
                                     resets=resets, reset_to=reset_to, bidirectional=self.bidirectional,
                                     num_proj=self.proj_size, batch_first=batch_first)

        if not (self.training and self.dropout and self.num_layers > 1):
            y, *final = run(x, states, 0, len(self._names))
            return y, final
        # One call per layer: the masks are values of the program, so that a recomputed layer has the same ones.
        finals = []
        for layer in range(self.num_layers):
            first = layer * directions
            x, *final = run(x, [s[first:first + directions] for s in states], first, first + directions)
            finals.append(final)
            if layer + 1 < self.num_layers:
                x = torch.nn.functional.dropout(x, self.dropout, True)
        return x, [torch.cat(values) for values in zip(*finals)]

    def forward(self, input: Union[Tensor, PackedSequence], hx: Any = None, *,
                lengths: Any = None, resets: Optional[Tensor] = None, reset_to: str = "zero") -> Any:
        """As in torch.nn. Further, `lengths` [B], a tensor, a list or an array of NumPy, are the valid steps of a padded batch, and
        `resets`, shaped like the sequence and batch of `input`, start a new sequence at a step, from zero or the initial state."""
        if not isinstance(input, (Tensor, PackedSequence)):
            _refuse_input("input", input, "a Tensor or a PackedSequence")
        if isinstance(input, Tensor) and input.is_nested:
            raise TypeError("`input` is a nested tensor; expected a dense one or a PackedSequence: pad it by torch.nested.to_padded_tensor, and "
                            "pass `lengths`")
        if resets is not None and not isinstance(resets, Tensor):
            raise TypeError(f"`resets` is a {type(resets).__name__}; expected a Tensor")
        self._check_state(hx, 2 if isinstance(input, Tensor) and input.dim() == 2 else 3)
        if isinstance(input, PackedSequence):
            if lengths is not None or resets is not None:
                raise ValueError("a packed sequence has lengths of its own and no resets; pass neither `lengths` nor `resets`")
            return self._packed(input, hx)
        if lengths is not None and not isinstance(lengths, Tensor):
            lengths = _to_lengths(lengths, input.device)
        single = input.dim() == 2
        if single:
            input = input.unsqueeze(0 if self.batch_first else 1)
            resets = None if resets is None else resets.unsqueeze(0 if self.batch_first else 1)
            hx = None if hx is None else tuple(v.unsqueeze(1) for v in hx) if self._mode == "lstm" else hx.unsqueeze(1)
        if input.dim() != 3 or input.shape[-1] != self.input_size:
            raise ValueError(f"`input` has shape {tuple(input.shape)}; expected 2 or 3 dimensions, the last of "
                             f"{self.input_size}")
        states = self._states(input, hx, input.shape[0 if self.batch_first else 1])
        dropped = self.training and self.dropout and self.num_layers > 1
        quick = None if dropped or lengths is not None or resets is not None else _quick.run(self, input, states)
        if quick is not None:
            y, *final = quick
        else:
            y, final = self._stack(input, states, lengths, resets, reset_to, self.batch_first)
        if single:
            y, final = y.squeeze(0 if self.batch_first else 1), [v.squeeze(1) for v in final]
        return y, tuple(final) if self._mode == "lstm" else final[0]

    def _packed(self, packed: PackedSequence, hx: Any) -> Any:
        if packed.data.dim() != 2 or packed.data.shape[1] != self.input_size:
            raise ValueError(f"the data of `input` have shape {tuple(packed.data.shape)}; expected 2 dimensions, the last of "
                             f"{self.input_size}")
        # The sorted batch, as in torch.nn: states follow the order of the user.
        x, lengths = pad_packed_sequence(PackedSequence(packed.data, packed.batch_sizes))
        states = self._states(x, hx, x.shape[1])
        if hx is not None and packed.sorted_indices is not None:
            states = [v.index_select(1, packed.sorted_indices) for v in states]
        y, final = self._stack(x, states, lengths.to(torch.int32), None, "zero", batch_first=False)
        data = pack_padded_sequence(y, lengths).data
        if packed.unsorted_indices is not None:
            final = [v.index_select(1, packed.unsorted_indices) for v in final]
        out = PackedSequence(data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
        return out, tuple(final) if self._mode == "lstm" else final[0]


class LSTM(_Layers):
    """As torch.nn.LSTM: `y, (hn, cn) = lstm(x, (h0, c0))`."""

    _mode = "lstm"
    _theirs = torch.nn.LSTM


class GRU(_Layers):
    """As torch.nn.GRU: `y, hn = gru(x, h0)`."""

    _mode = "gru"
    _theirs = torch.nn.GRU

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device,
                         dtype)


class RNN(_Layers):
    """As torch.nn.RNN, with `nonlinearity` tanh or relu: `y, hn = rnn(x, h0)`."""

    _theirs = torch.nn.RNN

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
                 bias: bool = True, batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
                 device: Any = None, dtype: Any = None) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"`nonlinearity` is {nonlinearity!r}; expected 'tanh' or 'relu'")
        self._mode = "rnn_" + nonlinearity
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device,
                         dtype)
        self.nonlinearity = nonlinearity


class BlockLSTM(torch.nn.Module):
    """TensorFlow's BlockLSTM (`layout` icfo) and BlockLSTMV2 (ifco): `h, (h_last, cs_last) = layer(x, (h0, cs0))`.

    Parameters: `weight` [I + H, 4H], `bias` [4H], and with `use_peephole` `weight_ci`, `weight_cf`, `weight_co` [H].
    """

    def __init__(self, input_size: int, hidden_size: int, *, layout: str = "ifco", use_peephole: bool = False,
                 forget_bias: float = 1.0, cell_clip: float = 0.0, batch_first: bool = False, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        input_size, hidden_size = _sizes(input_size=input_size, hidden_size=hidden_size)
        for name, number in (("forget_bias", forget_bias), ("cell_clip", cell_clip)):
            if not isinstance(number, numbers.Real):
                raise TypeError(f"`{name}` is {number!r}; expected a number")
        if input_size <= 0 or hidden_size <= 0:
            raise ValueError(f"`input_size` and `hidden_size` are {input_size} and {hidden_size}; expected positive values")
        check_layout(layout)
        self.input_size, self.hidden_size, self.layout = input_size, hidden_size, layout
        self.use_peephole, self.forget_bias, self.cell_clip = use_peephole, forget_bias, cell_clip
        self.batch_first = batch_first
        options = {"device": device, "dtype": dtype}
        self.weight_ci: Optional[torch.nn.Parameter]
        self.weight_cf: Optional[torch.nn.Parameter]
        self.weight_co: Optional[torch.nn.Parameter]
        self.weight = torch.nn.Parameter(torch.empty(input_size + hidden_size, 4 * hidden_size, **options))
        self.bias = torch.nn.Parameter(torch.empty(4 * hidden_size, **options))
        for name in ("weight_ci", "weight_cf", "weight_co"):
            self.register_parameter(name, torch.nn.Parameter(torch.empty(hidden_size, **options))
                                    if use_peephole else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws all parameters from U(-k, k), k = hidden_size ** -0.5."""
        k = self.hidden_size ** -0.5
        for weight in self.parameters():
            torch.nn.init.uniform_(weight, -k, k)

    def extra_repr(self) -> str:
        return (f"{self.input_size}, {self.hidden_size}, layout={self.layout}, use_peephole={self.use_peephole}, "
                f"forget_bias={self.forget_bias}, cell_clip={self.cell_clip}, batch_first={self.batch_first}")

    def forward(self, x: Tensor, state: Optional[Tuple[Tensor, Tensor]] = None, *, seq_len_max: Any = None,
                resets: Optional[Tensor] = None, reset_to: str = "zero") -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        """`x` is [T, B, I], or [B, T, I] with `batch_first`; states are [B, H]. The last states are those of step T-1; they are zero if `seq_len_max` is
        less than T."""
        steps = 1 if self.batch_first else 0  # the dimension
        if not isinstance(x, Tensor):
            _refuse_input("x", x, "a Tensor")
        if x.dim() != 3 or x.shape[2] != self.input_size:
            raise ValueError(f"`x` has shape {tuple(x.shape)}; expected 3 dimensions, the last of {self.input_size}")
        if not x.shape[steps]:
            raise ValueError(f"`x` has shape {tuple(x.shape)}, which is no step; the last states need one")
        if state is not None:
            if not isinstance(state, (list, tuple)) or len(state) != 2 or not all(isinstance(v, Tensor) for v in state):
                raise TypeError(f"`state` is a {type(state).__name__}; expected a pair (h0, cs0) of tensors")
            expected = (x.shape[1 - steps], self.hidden_size)
            for name, value in zip(("h0", "cs0"), state):
                if value.shape != expected:
                    raise ValueError(f"`{name}` has shape {tuple(value.shape)}; expected {expected}: batch, columns of the "
                                     "state")
        if state is None:
            zeros = x.new_zeros(x.shape[0 if self.batch_first else 1], self.hidden_size)
            state = zeros, zeros
        out = functional.block_lstm(x, state[1], state[0], self.weight, self.bias, wci=self.weight_ci,
                                    wcf=self.weight_cf, wco=self.weight_co, seq_len_max=seq_len_max, resets=resets,
                                    reset_to=reset_to, layout=self.layout, forget_bias=self.forget_bias,
                                    cell_clip=self.cell_clip, batch_first=self.batch_first)
        return out.h, (out.h.select(steps, -1), out.cs.select(steps, -1))
