# cudnn_cases.py - the cases of the cuDNN networks, computed by PyTorch's CPU modules and automatic differentiation.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Golden results of multi-layer lstm, gru, rnn_tanh and rnn_relu, forward and backward."""
import platform

import numpy as np
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import formulas

T, B, I, H, P = 5, 3, 2, 4, 3
LENGTHS = (3, 5, 1)
DTYPES = {"f32": (np.float32, torch.float32), "f64": (np.float64, torch.float64)}


def versions():
    return {"torch": torch.__version__, "numpy": np.__version__, "python": platform.python_version()}


def configurations():
    def one(mode, direction, layers, dtype="f64", **extra):
        return dict({"mode": mode, "direction": direction, "layers": layers, "dtype": dtype, "lengths": None,
                     "num_proj": 0, "input_mode": "linear_input", "dropout": 0.0, "reset_to": None}, **extra)

    both = ("unidirectional", "bidirectional")
    for mode in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
        for direction in both:
            for layers in (1, 2, 3):
                yield one(mode, direction, layers)
        yield one(mode, "bidirectional", 2, "f32")
        yield one(mode, "unidirectional", 1, lengths=LENGTHS)
        yield one(mode, "bidirectional", 2, lengths=LENGTHS)
        yield one(mode, "bidirectional", 2, input_mode="skip_input")
    for direction in both:
        for layers in (1, 2):
            yield one("lstm", direction, layers, num_proj=P)
    yield one("lstm", "bidirectional", 2, num_proj=P, lengths=LENGTHS)
    yield one("lstm", "bidirectional", 2, "f32", num_proj=P, lengths=LENGTHS)
    # dropout = 1 is the only rate whose results do not depend on random numbers.
    for mode in ("lstm", "gru"):
        yield one(mode, "bidirectional", 2, dropout=1.0)
    for mode in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
        for reset_to in ("zero", "initial"):
            yield one(mode, "bidirectional", 2, reset_to=reset_to)
            yield one(mode, "unidirectional", 1, "f32", reset_to=reset_to)
        yield one(mode, "bidirectional", 2, reset_to="zero", lengths=LENGTHS, input_mode="skip_input")
    yield one("lstm", "bidirectional", 2, reset_to="initial", lengths=LENGTHS, num_proj=P)


def case_name(c):
    parts = [c["mode"], "bi" if c["direction"] == "bidirectional" else "uni", f"l{c['layers']}"]
    if c["num_proj"]:
        parts.append("proj")
    if c["input_mode"] == "skip_input":
        parts.append("skip")
    if c["dropout"]:
        parts.append("dropout")
    if c["lengths"]:
        parts.append("lengths")
    if c["reset_to"]:
        parts.append("resets_" + c["reset_to"])
    return "_".join(parts + [c["dtype"]])


def make_module(c, inputs, kind):
    arguments = dict(input_size=inputs, hidden_size=H, num_layers=c["layers"], dropout=c["dropout"],
                     bidirectional=c["direction"] == "bidirectional", dtype=kind)
    if c["mode"] == "lstm":
        return torch.nn.LSTM(proj_size=c["num_proj"], **arguments)
    if c["mode"] == "gru":
        return torch.nn.GRU(**arguments)
    return torch.nn.RNN(nonlinearity=c["mode"][4:], **arguments)


def parameters(c, module):
    """The module's parameters in the order of the dense buffer. PyTorch's gate order (i f g o; r z n) is cuDNN's, and
    its matrices stack the gates, so each is a run of the buffer. With skip_input layer 0 has no input weights."""
    suffixes = ["", "_reverse"] if c["direction"] == "bidirectional" else [""]
    pseudo = [f"l{layer}{suffix}" for layer in range(c["layers"]) for suffix in suffixes]
    matrices = ["weight_ih_", "weight_hh_"] + (["weight_hr_"] if c["num_proj"] else [])
    names = [kind + p for p in pseudo for kind in matrices]
    names += [kind + p for p in pseudo for kind in ("bias_ih_", "bias_hh_")]
    skipped = [n for n in names if n.startswith("weight_ih_l0")] if c["input_mode"] == "skip_input" else []
    kept = [n for n in names if n not in skipped]
    return [getattr(module, n) for n in kept], [getattr(module, n) for n in skipped]


def flatten(values):
    return np.concatenate([v.detach().numpy().reshape(-1) for v in values])


def run_direction(c, weights, below, h0, c0, lengths, resets, is_reverse):
    """One direction of one layer: each example is cut into pieces, and each piece is a sequence of its own for PyTorch's
    kernel. `weights` are those of a one-layer module. Returns the outputs and the final states of the examples."""
    kernel = getattr(torch._VF, c["mode"])
    outputs, h_last, c_last = [], [], []
    for k, length in enumerate(lengths):
        first = (h0[k], None if c0 is None else c0[k])
        cut = first if c["reset_to"] == "initial" else tuple(None if v is None else torch.zeros_like(v) for v in first)
        starts = [0] + [t for t in range(1, length) if resets[t, k]]
        pieces = list(zip(starts, starts[1:] + [length]))
        state = cut if length and not is_reverse and resets[0, k] else first
        parts = []
        for index, (start, end) in enumerate(reversed(pieces) if is_reverse else pieces):
            if index:
                state = cut
            if start == end:
                continue
            piece = below[start:end, k:k + 1]
            piece = piece.flip(0) if is_reverse else piece
            given = tuple(v[None, None] for v in state if v is not None)
            out, *state = kernel(piece, given if c["mode"] == "lstm" else given[0], weights, True, 1, 0.0, True, False, False)
            state = (state[0][0, 0], state[1][0, 0] if c["mode"] == "lstm" else None)
            parts.append(out.flip(0) if is_reverse else out)
        parts = parts[::-1] if is_reverse else parts
        width = h0.shape[1]
        outputs.append(torch.cat(parts + [below.new_zeros(T - length, 1, width)], dim=0))
        h_last.append(state[0])
        c_last.append(state[1])
    return torch.cat(outputs, dim=1), torch.stack(h_last), None if c0 is None else torch.stack(c_last)


def run_pieces(c, module, leaf, resets):
    """The network of `module` with resets, layer by layer: y, hn and cn."""
    below, finals = leaf["x"], []
    for layer in range(c["layers"]):
        outputs = []
        for d in range(2 if c["direction"] == "bidirectional" else 1):
            suffix = f"l{layer}" + ("_reverse" if d else "")
            names = ["weight_ih_", "weight_hh_", "bias_ih_", "bias_hh_"] + (["weight_hr_"] if c["num_proj"] else [])
            row = layer * module.bidirectional + layer + d
            y, h, cell = run_direction(c, [getattr(module, n + suffix) for n in names], below, leaf["h0"][row],
                                       leaf["c0"][row] if "c0" in leaf else None, c["lengths"] or (T,) * B, resets, d == 1)
            outputs.append(y)
            finals.append((h, cell))
        below = torch.cat(outputs, dim=2)
    hn = torch.stack([h for h, _ in finals])
    return below, (hn, torch.stack([cell for _, cell in finals])) if "c0" in leaf else hn


def run(c, values, kind):
    """One forward and backward in element type `kind`; the loss is the sum of every result times its gradient."""
    inputs = values["x"].shape[2]
    module = make_module(c, inputs, kind).train()
    kept, skipped = parameters(c, module)
    with torch.no_grad():
        position = 0
        for value in kept:
            piece = values["params"][position:position + value.numel()]
            value.copy_(torch.from_numpy(piece).to(kind).reshape(value.shape))
            position += value.numel()
        for value in skipped:  # every gate reads x itself
            value.copy_(torch.eye(H, dtype=kind).repeat(value.shape[0] // H, 1))
    if position != values["params"].size:
        raise ValueError("the parameter buffer has the wrong size")

    leaf = {k: torch.from_numpy(values[k]).to(kind).requires_grad_() for k in ("x", "h0", "c0") if k in values}
    state = (leaf["h0"], leaf["c0"]) if "c0" in leaf else leaf["h0"]
    if c["reset_to"]:
        y, state = run_pieces(c, module, leaf, values["resets"])
    elif c["lengths"]:
        packed = pack_padded_sequence(leaf["x"], torch.tensor(c["lengths"]), enforce_sorted=False)
        y, state = module(packed, state)
        y, _ = pad_packed_sequence(y, total_length=T)
    else:
        y, state = module(leaf["x"], state)
    results = {"y": y, "hn": state[0] if "c0" in leaf else state}
    if "c0" in leaf:
        results["cn"] = state[1]
    loss = sum((results[k] * torch.from_numpy(values["d" + k]).to(kind)).sum() for k in results)
    loss.backward()
    results.update({"d" + k: v.grad for k, v in leaf.items()})
    results = {k: v.detach().numpy().copy() for k, v in results.items()}
    results["dparams"] = flatten(v.grad for v in kept)
    return results


def relative(value, reference):
    scale = np.abs(reference).max()
    difference = np.abs(value.astype(np.float64) - reference).max()
    return 0.0 if difference == 0 else float(difference / scale)


def build(seed_of):
    """Yields (case, tensors): the case is its entry in the manifest, tensors an ordered name -> array map."""
    torch.set_num_threads(1)
    for c in configurations():
        name = case_name(c)
        seed = seed_of(name)
        rng = np.random.RandomState(seed)
        kind, torch_kind = DTYPES[c["dtype"]]
        skip = c["input_mode"] == "skip_input"
        dirs = 2 if c["direction"] == "bidirectional" else 1
        inputs, width = H if skip else I, c["num_proj"] or H
        lengths = c["lengths"] or (T,) * B

        def draw(*shape, scale=1.0):
            return rng.uniform(-scale, scale, shape).astype(kind)

        rows = c["layers"] * dirs
        kept, _ = parameters(c, make_module(c, inputs, torch_kind))
        values = {"x": draw(T, B, inputs), "h0": draw(rows, B, width)}
        if c["mode"] == "lstm":
            values["c0"] = draw(rows, B, H)
        values["params"] = draw(sum(v.numel() for v in kept), scale=0.7)
        operands = list(values)
        if c["lengths"]:
            values["lengths"] = np.array(c["lengths"], np.int32)
        if c["reset_to"]:
            values["resets"] = (rng.uniform(size=(T, B)) < 0.4).astype(np.int8)
        values["dy"], values["dhn"] = draw(T, B, dirs * width), draw(rows, B, width)
        if c["mode"] == "lstm":
            values["dcn"] = draw(rows, B, H)
        # Elements past an example's length are finite and large, so a contribution is detected.
        for k, length in enumerate(lengths):
            values["x"][length:, k] = 100
            values["dy"][length:, k] = 100

        results = run(c, values, torch_kind)
        if results["y"].dtype != kind:
            raise ValueError(f"{name}: torch computed in another type")
        for k, length in enumerate(lengths):
            if results["y"][length:, k].any() or results["dx"][length:, k].any():
                raise ValueError(f"{name}: torch did not zero what lies past the lengths")
        wide = {k: v.astype(np.float64) for k, v in values.items()}
        measured = {}
        if not c["dropout"]:
            expected = formulas.cudnn_forward(c["mode"], c["direction"], c["layers"], c["num_proj"], skip, lengths,
                                              wide["x"], wide["h0"], wide.get("c0"), wide["params"], values.get("resets"),
                                              c["reset_to"] == "initial")
            measured = {k: relative(results[k], e) for k, e in zip(("y", "hn", "cn"), expected) if e is not None}
        if c["dtype"] == "f32":
            reference = run(c, wide, torch.float64)
            measured.update({k: relative(v, reference[k]) for k, v in results.items()})

        state = ["hn", "cn"] if c["mode"] == "lstm" else ["hn"]
        extra = (["lengths"] if c["lengths"] else []) + (["resets"] if c["reset_to"] else [])
        yield {"name": name, "op": "cudnn", "source": "torch", "dtype": c["dtype"], "seed": seed,
               "models": ["CudnnRNNV3", "CudnnRNNBackpropV3"] if c["lengths"] or c["num_proj"] else
                         ["CudnnRNN", "CudnnRNNBackprop"],
               "attributes": {k: c[k] for k in ("mode", "input_mode", "direction", "dropout", "num_proj", "reset_to")
                              if c[k] is not None},
               "lengths": list(c["lengths"]) if c["lengths"] else None,
               "sizes": {"L": c["layers"], "T": T, "B": B, "I": inputs, "H": H, "D": dirs},
               "forward_operands": operands + extra, "forward_results": ["y"] + state,
               "backward_operands": operands + extra + ["y"] + state + ["dy"] + ["d" + k for k in state],
               "backward_results": ["dx", "dh0"] + (["dc0"] if c["mode"] == "lstm" else []) + ["dparams"],
               "measured": measured}, {**values, **results}
