# _layers.py - sizes of recurrent layers, and the MLIR text of modules that compute them. Needs no library, so that the
# build runs it as a program: python3 _layers.py lstm bidirectional f32 > lstm.mlir
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modes, directions and element types of layers, and the text of their modules."""

from __future__ import annotations

import math
import numbers
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

#: Gates of each mode, in the order of the opaque parameters.
GATES: Dict[str, Tuple[str, ...]] = {
    "rnn_relu": ("h",),
    "rnn_tanh": ("h",),
    "lstm": ("i", "f", "g", "o"),
    "gru": ("r", "z", "n"),
}
#: The mode's number in the interface of the runtime.
MODES: Dict[str, int] = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}
DIRECTIONS: Dict[str, int] = {"unidirectional": 1, "bidirectional": 2}
DTYPES: Tuple[str, ...] = ("f16", "bf16", "f32", "f64")
PASSES: Tuple[str, ...] = ("forward", "inference", "backward")
#: The states after a reset.
RESETS: Tuple[str, ...] = ("zero", "initial")


def check(mode: str, direction: str, dtype: str) -> None:
    """Raises ValueError unless the three are a mode, a direction and an element type."""
    for what, value, known in (("mode", mode, tuple(GATES)), ("direction", direction, tuple(DIRECTIONS)),
                               ("dtype", dtype, DTYPES)):
        if value not in known:
            raise ValueError(f"unknown {what} `{value}`; expected one of {', '.join(known)}")


def check_mode(mode: str) -> None:
    if mode not in GATES:
        raise ValueError(f"`mode` is {mode!r}; expected one of {', '.join(GATES)}")


def check_reset_to(reset_to: str) -> None:
    if reset_to not in RESETS:
        raise ValueError(f"`reset_to` is {reset_to!r}; expected 'zero' or 'initial'")


def check_layout(layout: str) -> None:
    """Of the gates of a block LSTM."""
    if layout not in ("icfo", "ifco"):
        raise ValueError(f"`layout` is {layout!r}; expected 'icfo' or 'ifco'")


def check_clip(cell_clip: Any) -> float:
    """The clip as a finite number."""
    if not isinstance(cell_clip, numbers.Real) or not math.isfinite(cell_clip):
        raise ValueError(f"`cell_clip` is {cell_clip!r}; expected a finite number")
    return float(cell_clip)


def check_dropout(dropout: Any) -> None:
    if isinstance(dropout, bool) or not isinstance(dropout, numbers.Real) or not 0 <= float(dropout) <= 1:
        raise ValueError(f"`dropout` is {dropout!r}; expected a value in [0, 1]")


def params_size(mode: str, input_size: int, hidden_size: int, layers: int, directions: int, num_proj: int) -> int:
    """Elements of the flat parameters (docs/Semantics.md, "Parameter layout")."""
    check_mode(mode)
    gates, state = len(GATES[mode]) * hidden_size, num_proj or hidden_size
    widths = [input_size] + [directions * state] * (layers - 1)
    return sum(directions * (gates * (width + state + 2) + num_proj * hidden_size) for width in widths)


def reserve_size(mode: str, directions: int, dtype: str, sizes: Any) -> Any:
    """Bytes of the reserve space of a compiled layer (docs/Semantics.md, "Reserve space"). The sizes may be symbols of PyTorch; with
    numbers, the result is that of `modules.reserve_size`, which asks the runtime."""
    width, rows = (8 if dtype == "f64" else 4), sizes.steps * sizes.batch
    unit = 64 // width
    cells = rows * sizes.hidden_size

    def region(elements: Any) -> Any:
        return (elements + unit - 1) // unit * unit
    saved = region(cells * len(GATES[mode])) + region(cells) * (mode in ("lstm", "gru"))
    if sizes.projection:
        saved = saved + region(cells) + region(rows * sizes.projection)
    states = region(rows * directions * (sizes.projection or sizes.hidden_size))
    return 64 + width * sizes.layers * (directions * saved + states)


def tensors_per_layer(num_proj: int) -> int:
    """The tensors of one layer and direction."""
    return 5 if num_proj else 4


def tensor_shapes(mode: str, directions: int, layers: int, inputs: int, hidden: int, num_proj: int) -> List[Tuple[int, ...]]:
    """The tensors in the flat parameters, in their order (docs/Semantics.md, "Parameter layout")."""
    gates, state = len(GATES[mode]) * hidden, num_proj or hidden
    shapes: List[Tuple[int, ...]] = []
    for index in range(layers * directions):
        width = inputs if index < directions else directions * state
        shapes += [(gates, width), (gates, state), *[(num_proj, hidden)] * bool(num_proj)]
    return shapes + [(gates,)] * (2 * layers * directions)


class PseudoLayer(NamedTuple):
    """The parameters of one direction of one layer, with the gates of one kind as one matrix. Arrays of any library."""

    w: Any  # [G*H, C]
    r: Any  # [G*H, P]
    projection: Any  # [P, H], or None
    bw: Any  # [G*H]
    br: Any  # [G*H]


def split_params(params: Any, mode: str, directions: int, layers: int, inputs: int, hidden: int,
                 num_proj: int) -> List[PseudoLayer]:
    """The tensors in dense opaque parameters (docs/Semantics.md, "Parameter layout"), by pseudo layer.

    `params` is an array of any library with slices and `reshape`; the results are views or slices of it.
    """
    tensors, offset = [], 0
    for shape in tensor_shapes(mode, directions, layers, inputs, hidden, num_proj):
        size = 1
        for n in shape:  # which may be symbolic
            size *= n
        tensors.append(params[offset:offset + size].reshape(shape))
        offset += size
    count, matrices = layers * directions, tensors_per_layer(num_proj) - 2
    biases = tensors[count * matrices:]
    return [PseudoLayer(*tensors[k * matrices:(k + 1) * matrices], *[None] * (not num_proj), *biases[2 * k:2 * k + 2])
            for k in range(count)]


def operands(mode: str, function: str, lengths: bool, resets: bool = False,
             separate: bool = False) -> Tuple[List[str], List[str]]:
    """Names of the inputs and of the outputs of a function of a layer module, in order.

    `x` is [T, B, I], `h0` [L*D, B, P], `c0` [L*D, B, H], `params` [N], `lengths` [B], `resets` [T, B], `y` [T, B, D*P],
    `reserve` bytes. In a batch-major module `x`, `y` and `resets` are [B, T, ...]. `d` and a name is the gradient of that
    operand. The cell states exist for `lstm` alone. With `separate`, `params` and its gradient have the tensors at
    `offsets` [L*D, 5] and `doffsets` (docs/Semantics.md, "Separate parameters").
    """
    cell = mode == "lstm"

    def states(*names: str) -> List[str]:
        return [name for name in names if cell or "c" not in name]

    inputs = ["x", *states("h0", "c0"), "params"] + ["offsets"] * separate + ["lengths"] * lengths + ["resets"] * resets
    outputs = ["y", *states("hn", "cn")]
    if function == "forward":
        return inputs, outputs + ["reserve"]
    if function == "inference":
        return inputs, outputs
    return (inputs + outputs + ["dy", *states("dhn", "dcn"), "reserve"] + ["doffsets"] * separate,
            ["dx", *states("dh0", "dc0"), "dparams"])


#: The sizes of each operand. Steps T, batch B and bytes of the reserve space R; the others are constants of a layer: input I,
#: hidden H, hidden state P, output Y, states of all layers and directions S, parameters N; 5 is a constant.
_DIMENSIONS: Dict[str, str] = {"x": "TBI", "y": "TBY", "h0": "SBP", "c0": "SBH", "hn": "SBP", "cn": "SBH", "params": "N",
                               "lengths": "B", "resets": "TB", "reserve": "R", "offsets": "S5"}
#: Those of a block LSTM: K is I + H, G is 4 * H, and `n` is `seq_len_max`.
_BLOCK_DIMENSIONS: Dict[str, str] = {
    "x": "TBI", "cs_prev": "BH", "h_prev": "BH", "w": "KG", "wci": "H", "wcf": "H", "wco": "H", "b": "G",
    **dict.fromkeys(("i", "cs", "f", "o", "ci", "co", "h"), "TBH"), "n": "", "resets": "TB"}


def _memref(dimensions: str, element: str, constants: Dict[str, Any]) -> str:
    """The type of an operand. A size that is no constant, or that is symbolic, is unknown."""
    sizes = [constants.get(d) for d in dimensions]
    return "memref<" + "".join(f"{n if isinstance(n, int) else '?'}x" for n in sizes) + element + ">"


def _constants(mode: str, direction: str, sizes: "Sizes") -> Dict[str, Any]:
    """The sizes of a layer's static dimensions, by their names in _DIMENSIONS."""
    directions, state = DIRECTIONS[direction], sizes.output_size
    return {"5": 5, "I": sizes.input_size, "H": sizes.hidden_size, "P": state, "Y": directions * state,
            "S": sizes.layers * directions, "N": params_size(mode, sizes.input_size, sizes.hidden_size, sizes.layers,
                                                             directions, sizes.projection)}


def layer_text(mode: str, direction: str, dtype: str, kind: str, *, lengths: bool = False, reset_to: str = "",
               batch_major: bool = False, sizes: "Optional[Sizes]" = None, separate: Optional[bool] = None) -> str:
    """The MLIR text of one function in memref form: forward, inference or backward with the suffix of `layer_suffix`. For
    all sizes, and for `lstm` for all projections; or with `sizes` for one layer with all numbers of steps and batch
    sizes. `separate`: the function has offsets; or false, for all sizes: it has none, and shares the loops of the one that has them."""
    inputs, outputs = operands(mode, kind, lengths, bool(reset_to), bool(separate))
    constants = _constants(mode, direction, sizes) if sizes else {"5": 5}
    if separate:  # the buffer extends over tensors at any addresses
        constants.pop("N", None)

    def type_of(name: str) -> str:
        element = {"lengths": "i32", "resets": "i1", "reserve": "i8", "offsets": "i64", "doffsets": "i64"}.get(name, dtype)
        return _memref(_DIMENSIONS[name[1:] if name.startswith("d") else name], element, constants)

    def group(*names: str) -> str:
        kept = [name for name in names if name in inputs]
        return ", ".join("%" + n for n in kept) + " : " + ", ".join(map(type_of, kept))

    result_names = {"y": "output", "hn": "output_h", "cn": "output_c", "reserve": "reserve_space",
                    "dx": "input_backprop", "dh0": "input_h_backprop", "dc0": "input_c_backprop",
                    "dparams": "params_backprop"}
    arguments = ", ".join(f"%{n}: {type_of(n)}" for n in inputs + outputs)
    flags = ["batch_major"] * batch_major + ["lowering = #rnn.lowering<fused>"]
    if mode == "lstm":  # -1: the hidden state has the size of `h0`
        flags.append(f"num_proj = {sizes.projection if sizes else -1} : i64")
    if kind == "inference":
        flags.append("is_training = false")
    tables = ["offsets"] + ["doffsets"] * (kind == "backward")
    op = "rnn.cudnn_backprop" if kind == "backward" else "rnn.cudnn_forward"
    text = [f"func.func @{kind}{layer_suffix(lengths, reset_to, bool(separate))}({arguments}) {{"]
    if separate is False:  # a table without rows: the opaque layout
        text += ["  %none = memref.alloca() : memref<0x5xi64>",
                 *(f"  %{name} = memref.cast %none : memref<0x5xi64> to {type_of(name)}" for name in tables)]
    text += [f"  {op} {mode}{', bidirectional' if direction == 'bidirectional' else ''}",
             f"      input({group('x')}) state({group('h0', 'c0')}) params({group('params')})"]
    if lengths:
        text.append(f"      lengths({group('lengths')})")
    if kind == "backward":
        text.append(f"      output({group('y', 'hn', 'cn')}) grads({group('dy', 'dhn', 'dcn')}) "
                    f"reserve({group('reserve')})")
    if reset_to:
        text.append(f"      resets({group('resets')})")
        flags.append(f"reset_to = #rnn.reset_to<{reset_to}>")
    if separate is not None:
        text.append(f"      offsets({', '.join('%' + name for name in tables)} : {', '.join(map(type_of, tables))})")
    text += [f"      outs({', '.join(f'{result_names[n]} = %{n}' for n in outputs)} : "
             f"{', '.join(map(type_of, outputs))}) {{{', '.join(flags)}}}", "  return", "}"]
    return "\n".join(text) + "\n"


def module_text(mode: str, direction: str, dtype: str, *, resets: bool = False, batch_major: bool = False,
                separate: bool = False) -> str:
    """The MLIR text of one layer configuration for all sizes.

    Its functions are `forward`, `inference` and `backward`, and the same with the suffix `_lengths`. With `resets` they have
    lengths, then resets, and the suffix `_zero` or `_initial`. `batch_major`: sequences are [B, T, ...]. `separate`, for
    target host: each function also exists with offsets and another suffix, `_separate`.
    """
    check(mode, direction, dtype)
    variants = [(True, reset_to) for reset_to in RESETS] if resets else [(False, ""), (True, "")]
    return "\n".join(layer_text(mode, direction, dtype, kind, lengths=lengths, reset_to=reset_to, batch_major=batch_major,
                                separate=with_offsets)
                     for lengths, reset_to in variants for kind in PASSES
                     for with_offsets in ((False, True) if separate else (None,)))


def layer_suffix(lengths: bool, reset_to: str, separate: bool = False) -> str:
    """The suffix of the functions of a prebuilt layer. Those with resets have lengths."""
    return (f"_{reset_to}" if reset_to else "_lengths" if lengths else "") + "_separate" * separate


def block_text(layout: str, dtype: str, *, use_peephole: bool = False, cell_clip: float = 0.0, seq_len_max: bool = False,
               reset_to: str = "", batch_major: bool = False, kinds: Sequence[str] = ("forward", "backward"),
               sizes: "Optional[Sizes]" = None) -> str:
    """The MLIR text of a block LSTM: the functions `kinds` with the suffix of `block_suffix`. `seq_len_max` is an i32 buffer
    of rank 0. For all sizes, or with `sizes` for one layer with all numbers of steps and batch sizes."""
    inputs = ["x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"]
    extra = ["n"] * seq_len_max + ["resets"] * bool(reset_to)
    saved, grads, results = ["i", "cs", "f", "o", "ci", "co", "h"], ["cs_grad", "h_grad"], [name + "_grad" for name in inputs]
    constants: Dict[str, Any] = {} if not sizes else {
        "I": sizes.input_size, "H": sizes.hidden_size, "K": sizes.input_size + sizes.hidden_size, "G": 4 * sizes.hidden_size}

    def type_of(name: str) -> str:
        element = {"n": "i32", "resets": "i1"}.get(name, dtype)
        return _memref(_BLOCK_DIMENSIONS[name[:-len("_grad")] if name.endswith("_grad") else name], element, constants)

    def group(*names: str) -> str:
        return ", ".join("%" + n for n in names) + " : " + ", ".join(map(type_of, names))

    def operands(kind: str) -> List[str]:
        return inputs + extra + saved + (grads + results if kind == "backward" else [])

    load = ["  %n32 = memref.load %n[] : memref<i32>", "  %n64 = arith.extsi %n32 : i32 to i64"] if seq_len_max else []
    flags = ["batch_major"] * batch_major + ["lowering = #rnn.lowering<fused>"] + ["use_peephole"] * use_peephole
    if reset_to:
        flags.append(f"reset_to = #rnn.reset_to<{reset_to}>")
    lines = []
    for kind in kinds:
        written = results if kind == "backward" else saved
        clip = cell_clip and kind == "forward"
        lines += [f"func.func @{kind}{block_suffix(use_peephole, seq_len_max, reset_to)}("
                  f"{', '.join(f'%{n}: {type_of(n)}' for n in operands(kind))}) {{", *load,
                  f"  {'rnn.block_lstm_grad' if kind == 'backward' else 'rnn.block_lstm'} {layout} x({group('x')}) "
                  f"state({group('cs_prev', 'h_prev')}) weights({group('w')}) peephole({group('wci', 'wcf', 'wco')}) "
                  f"bias({group('b')}){' seq_len_max(%n64)' * seq_len_max}"
                  + (f" saved({group(*saved)}) grads({group(*grads)})" if kind == "backward" else "")
                  + f" resets({group('resets')})" * bool(reset_to)
                  + f" outs({', '.join(f'{n} = %{n}' for n in written)} : {', '.join(map(type_of, written))}) "
                  # MLIR requires a decimal point.
                  f"{{{', '.join(flags + [f'cell_clip = {check_clip(cell_clip):.17e}'] * bool(clip))}}}", "  return", "}"]
    return "\n".join(lines) + "\n"


def block_suffix(use_peephole: bool, seq_len_max: bool, reset_to: str) -> str:
    """The suffix of the functions of a prebuilt block LSTM. Those with resets have `seq_len_max`."""
    last = f"_{reset_to}" if reset_to else "_length" if seq_len_max else ""
    return ("_peephole" if use_peephole else "") + last


def prebuilt_text(kind: str, variant: str, dtype: str, *, batch_major: bool = False, resets: bool = False,
                  target: str = "host") -> str:
    """The text of a prebuilt module: a mode and a direction, or block_lstm and a layout."""
    if kind != "block_lstm":
        return module_text(kind, variant, dtype, batch_major=batch_major, resets=resets, separate=target == "host")
    variants = [(True, reset_to) for reset_to in RESETS] if resets else [(False, ""), (True, "")]
    return "\n".join(block_text(variant, dtype, use_peephole=peephole, seq_len_max=length, reset_to=reset_to,
                                batch_major=batch_major)
                     for peephole in (False, True) for length, reset_to in variants)


class Sizes(NamedTuple):
    """Sizes of a stack of layers."""

    steps: int
    batch: int
    input_size: int
    hidden_size: int
    layers: int = 1
    projection: int = 0  #: 0: none

    @property
    def output_size(self) -> int:
        """P: elements of a hidden state."""
        return self.projection or self.hidden_size


def shapes(mode: str, direction: str, sizes: Sizes, params: int, reserve: int = 0) -> Dict[str, Tuple[int, ...]]:
    """The shape of every operand of time-major layers by name; gradients have the shape of their operand."""
    values = {**_constants(mode, direction, sizes), "T": sizes.steps, "B": sizes.batch, "N": params, "R": reserve}
    base = {name: tuple(values[d] for d in dimensions) for name, dimensions in _DIMENSIONS.items()}
    return {**base, **{"d" + name: shape for name, shape in base.items()}}


if __name__ == "__main__":
    sys.stdout.write(prebuilt_text(*sys.argv[1:4], batch_major="batch_major" in sys.argv[4:], resets="resets" in sys.argv[4:],
                                   target="cuda" if "cuda" in sys.argv[4:] else "host"))
