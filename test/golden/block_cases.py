# block_cases.py - the block LSTM cases, computed by TensorFlow's own CPU kernels through its raw ops.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Golden results of BlockLSTM, BlockLSTMV2, BlockLSTMGrad and BlockLSTMGradV2."""
import platform

import numpy as np
import tensorflow as tf

import formulas

T, B, I, H = 4, 2, 3, 5
DTYPES = {"f32": np.float32, "f16": np.float16}
OPERANDS = ["x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"]
SAVED = ["i", "cs", "f", "o", "ci", "co", "h"]
GRADS = ["dx", "dcs_prev", "dh_prev", "dw", "dwci", "dwcf", "dwco", "db"]


def versions():
    return {"tensorflow": tf.__version__, "numpy": np.__version__, "python": platform.python_version()}


def configurations():
    """(version, peephole, n, clip, dtype) of every case; half is sampled, since its kernels differ in type only."""
    for version in (1, 2):
        for peephole in (False, True):
            for n in (0, 2, T):
                for clip in (False, True):
                    yield version, peephole, n, clip, "f32"
            yield version, peephole, 2, True, "f16"
            yield version, peephole, T, False, "f16"


def forward(version, attributes, n, operands):
    arguments = dict(operands, seq_len_max=np.int64(n), cell_clip=attributes["cell_clip"],
                     use_peephole=attributes["use_peephole"])
    if version == 1:
        results = tf.raw_ops.BlockLSTM(forget_bias=attributes["forget_bias"], **arguments)
    else:
        results = tf.raw_ops.BlockLSTMV2(**arguments)
    results = {name: np.array(getattr(results, name)) for name in SAVED}
    for name in SAVED:
        # TensorFlow leaves i, f, o, ci, co uninitialised there. The rnn op defines them as zero, like cs and h.
        if name not in ("cs", "h"):
            results[name][n:] = 0
        elif results[name][n:].any():
            raise ValueError(f"TensorFlow did not zero {name} past seq_len_max")
    return results


def backward(version, attributes, n, operands, saved, cs_grad, h_grad):
    # The raw op of each version: TensorFlow's automatic gradient of BlockLSTMV2 calls the kernel of version 1.
    op = tf.raw_ops.BlockLSTMGrad if version == 1 else tf.raw_ops.BlockLSTMGradV2
    results = op(seq_len_max=np.int64(n), use_peephole=attributes["use_peephole"], cs_grad=cs_grad, h_grad=h_grad,
                 **operands, **saved)
    return dict(zip(GRADS, (np.array(result) for result in results)))


def poison(attributes, n, operands, saved, cs_grad, h_grad):
    """Copies with NaN wherever the op's definition reads nothing. `b` of the forward pass is needed, so it is poisoned
    for the gradient alone; the same holds for the saved results."""
    operands, saved = ({k: v.copy() for k, v in group.items()} for group in (operands, saved))
    per_step = [operands["x"], cs_grad.copy(), h_grad.copy()] + list(saved.values())
    for value in per_step:
        value[n:] = np.nan
    if n:
        saved["h"][n - 1] = np.nan
        if not attributes["use_peephole"]:
            saved["cs"][n - 1] = np.nan
    unread = [] if attributes["use_peephole"] and n else ["wci", "wcf", "wco"]
    for name in unread + ([] if n else ["cs_prev", "h_prev", "w", "b"]):
        operands[name][...] = np.nan
    return operands, saved, per_step[1], per_step[2]


def same(what, one, other):
    for name in one:
        if not np.array_equal(one[name], other[name]):
            raise ValueError(f"TensorFlow read an element that it must not read: {name} of the {what} changed with NaN there")


def relative(value, reference):
    """Largest difference over the largest reference value; tensors of zeros must agree exactly."""
    scale = np.abs(reference).max(initial=0.0)
    difference = np.abs(np.asarray(value, np.float64) - reference).max(initial=0.0)
    if scale == 0:
        return 0.0 if difference == 0 else np.inf
    return float(difference / scale)


def build(seed_of):
    """Yields (case, tensors): the case is its entry in the manifest, tensors an ordered name -> array map."""
    for version, peephole, n, clip, dtype in configurations():
        parts = [f"block_v{version}"] + ["peephole"] * peephole + [f"n{n}"] + ["clip"] * clip + [dtype]
        name = "_".join(parts)
        seed = seed_of(name)
        rng = np.random.RandomState(seed)
        kind = DTYPES[dtype]

        def draw(*shape, scale=1.0):
            return (rng.uniform(-scale, scale, shape)).astype(kind)

        attributes = {"layout": "icfo" if version == 1 else "ifco", "use_peephole": peephole,
                      # An odd value, so that an op that assumes TensorFlow's default of 1 is found.
                      "forget_bias": 0.75 if version == 1 else 0.0, "cell_clip": 0.25 if clip else 0.0}
        operands = {"x": draw(T, B, I), "cs_prev": draw(B, H), "h_prev": draw(B, H), "w": draw(I + H, 4 * H, scale=.6),
                    "wci": draw(H), "wcf": draw(H), "wco": draw(H), "b": draw(4 * H, scale=.5)}
        cs_grad, h_grad = draw(T, B, H), draw(T, B, H)

        clean = forward(version, attributes, n, operands)
        if clip and n and not (np.abs(clean["cs"][:n]) == kind(0.25)).mean() > 0.1:
            raise ValueError(f"{name}: the clip does not bind, choose another scale")
        saved = {k: v.copy() for k, v in clean.items()}
        gradients = backward(version, attributes, n, operands, saved, cs_grad, h_grad)

        dirty, saved, dirty_cs_grad, dirty_h_grad = poison(attributes, n, operands, saved, cs_grad, h_grad)
        same("forward", clean, forward(version, attributes, n, dirty))
        dirty_b = dict(dirty, b=np.full_like(dirty["b"], np.nan))
        same("gradient", gradients, backward(version, attributes, n, dirty_b, saved, dirty_cs_grad, dirty_h_grad))

        # The equations in float64 on the same numbers. The gradient starts from TensorFlow's own saved results, so
        # that its error alone is measured.
        wide = {k: v.astype(np.float64) for k, v in dict(operands, **{"s_" + k: v for k, v in clean.items()}).items()}
        args = [wide[k] for k in OPERANDS]
        expected = dict(zip(SAVED, formulas.block_forward(attributes, n, *args)))
        expected.update(zip(GRADS, formulas.block_backward(
            attributes, n, *args, *[wide["s_" + k] for k in SAVED], cs_grad.astype(np.float64),
            h_grad.astype(np.float64))))
        errors = {k: relative(v, expected[k]) for k, v in {**clean, **gradients}.items()}

        tensors = dict(dirty)
        tensors.update({"saved_" + k: v for k, v in saved.items()})
        tensors.update(cs_grad=dirty_cs_grad, h_grad=dirty_h_grad, **clean, **gradients)
        yield {"name": name, "op": "block_lstm", "source": "tensorflow", "dtype": dtype, "seed": seed,
               "models": ["BlockLSTM", "BlockLSTMGrad"] if version == 1 else ["BlockLSTMV2", "BlockLSTMGradV2"],
               "attributes": attributes, "seq_len_max": n,
               "sizes": {"L": 1, "T": T, "B": B, "I": I, "H": H, "D": 1},
               "forward_operands": OPERANDS, "forward_results": SAVED,
               "backward_operands": OPERANDS + ["saved_" + k for k in SAVED] + ["cs_grad", "h_grad"],
               "backward_results": GRADS, "measured": errors}, tensors
