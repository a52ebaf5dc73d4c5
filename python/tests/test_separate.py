# test_separate.py - prebuilt layers with parameters in arrays of their own (docs/Semantics.md, "Separate parameters").
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools

import numpy as np
import pytest
from rnn_mlir import InvalidArgument, _compiler, _layers, _runtime, modules
from test_modules import DIRECTIONS, MODES, make, run

GAP = 3  #: elements between the tensors, which nothing may read or write


def places(mode, directions, sizes, order):
    """The table of offsets for tensors that follow each other in `order` with gaps, the elements of the buffer, and the slices
    of the flat array in the order of the buffer."""
    count = _layers.params_size(mode, sizes.input_size, sizes.hidden_size, sizes.layers, directions, sizes.projection)
    dense = _layers.split_params(np.arange(count), mode, directions, sizes.layers, sizes.input_size, sizes.hidden_size,
                                 sizes.projection)
    table = np.full((len(dense), 5), -1, np.int64)  # an offset that is read where a layer has no tensor would be an error
    tensors = [(s, column, tensor.reshape(-1)) for s, layer in enumerate(dense)
               for column, tensor in enumerate((layer.w, layer.r, layer.projection, layer.bw, layer.br)) if tensor is not None]
    order(tensors)
    at, source = GAP, {}
    for s, column, tensor in tensors:
        table[s, column] = at
        source[at] = tensor
        at += tensor.size + GAP
    return table, at, source


def scattered(flat, elements, source):
    buffer = np.full(elements, np.nan, flat.dtype)
    for at, indices in source.items():
        buffer[at:at + indices.size] = flat[indices]
    return buffer


def gathered(buffer, count, source):
    flat, covered = np.empty(count, buffer.dtype), np.zeros(buffer.size, bool)
    for at, indices in source.items():
        flat[indices] = buffer[at:at + indices.size]
        covered[at:at + indices.size] = True
    assert np.isnan(buffer[~covered].astype(float)).all()  # nothing else was written
    return flat


def check(flat_layer, separate_layer, mode, direction, dtype, sizes, lengths=False):
    o = make(mode, direction, dtype, sizes, lengths=lengths)
    D = _layers.DIRECTIONS[direction]
    run(flat_layer.inference, o)
    y = o["y"].copy()
    run(flat_layer.forward, o)
    run(flat_layer.backward, o)
    shuffle = np.random.default_rng(5).shuffle
    table, elements, source = places(mode, D, sizes, shuffle)
    dtable, delements, dsource = places(mode, D, sizes, lambda tensors: tensors.reverse())
    names = ("y", "hn", "cn", "dx", "dh0", "dc0")
    mine = {**o, **{name: np.full_like(o[name], np.nan) for name in names}, "reserve": np.zeros_like(o["reserve"]),
            "params": scattered(o["params"], elements, source), "offsets": table, "doffsets": dtable,
            "dparams": np.full(delements, np.nan, o["params"].dtype)}
    run(separate_layer.inference, mine)
    np.testing.assert_array_equal(mine["y"], y)
    run(separate_layer.forward, mine)
    run(separate_layer.backward, mine)
    for name in names:
        if mode == "lstm" or "c" not in name:
            np.testing.assert_array_equal(mine[name], o[name], err_msg=name)
    np.testing.assert_array_equal(gathered(mine["dparams"], o["params"].size, dsource), o["dparams"])


@pytest.mark.parametrize("lengths", (False, True))
@pytest.mark.parametrize("mode,direction", tuple(itertools.product(MODES, DIRECTIONS)))
def test_scattered(mode, direction, lengths):
    """Shuffled tensors with gaps: the bits of the flat array."""
    for dtype, (T, B, H) in (("f32", (5, 3, 6)), ("f64", (1, 1, 6)), ("f16", (1, 9, 40)), ("f32", (7, 20, 40))):
        layers = [modules.load(mode, direction, dtype, lengths=lengths, separate=separate) for separate in (False, True)]
        check(*layers, mode, direction, dtype, _layers.Sizes(T, B, 4, H, 2), lengths)


@pytest.mark.skipif(not _compiler.available(), reason="there is no compiler")
@pytest.mark.parametrize("mode,direction", (("lstm", "bidirectional"), ("gru", "unidirectional")))
def test_static_sizes(mode, direction, tmp_path):
    sizes = _layers.Sizes(6, 5, 4, 20, 2)
    layers = []
    for separate in (None, True):
        text = "\n".join(_layers.layer_text(mode, direction, "f32", kind, sizes=sizes, separate=separate)
                         for kind in _layers.PASSES)
        path = _compiler.compile_library(text, {"cpu": "native"})
        functions = _runtime.load_library(path)
        suffix = _layers.layer_suffix(False, "", bool(separate))
        layers.append(modules.Layer(path, *(functions[kind + suffix] for kind in _layers.PASSES)))
    check(*layers, mode, direction, "f32", sizes)


def test_weights_of_two_layers():
    """Two layers with the same tensors."""
    sizes = _layers.Sizes(5, 3, 6, 6, 2)
    o = make("gru", "unidirectional", "f32", sizes)
    one = _layers.split_params(o["params"], "gru", 1, 2, 6, 6, 0)
    one[1].w[...], one[1].r[...], one[1].bw[...], one[1].br[...] = one[0].w, one[0].r, one[0].bw, one[0].br
    run(modules.load("gru").inference, o)
    y = o["y"].copy()
    row = [0, one[0].w.size, -1, one[0].w.size + one[0].r.size, one[0].w.size + one[0].r.size + one[0].bw.size]
    o["params"] = np.concatenate([v.reshape(-1) for v in (one[0].w, one[0].r, one[0].bw, one[0].br)])
    o["offsets"] = np.array([row, row], np.int64)
    run(modules.load("gru", separate=True).inference, o)
    np.testing.assert_array_equal(o["y"], y)


def problem(mode="lstm"):
    sizes = _layers.Sizes(5, 3, 4, 6, 2)
    o = make(mode, "unidirectional", "f32", sizes)
    table, elements, source = places(mode, 1, sizes, lambda tensors: None)
    o.update(params=scattered(o["params"], elements, source), offsets=table, doffsets=table.copy())
    o["dparams"] = np.full(elements, np.nan, "f")
    return o, modules.load(mode, separate=True)


@pytest.mark.parametrize("column", (0, 1, 3, 4))
def test_tensors_outside_of_the_buffer(column):
    o, layer = problem()
    # The last tensor ends GAP elements before the end.
    size = {0: 24 * 6, 1: 24 * 6, 3: 24, 4: 24}[column]
    for bad in (-1, o["params"].size - size + 1, 2 ** 62, -2 ** 63, 2 ** 63 - 1):
        o["offsets"][1, column] = bad
        o["y"][...] = 7
        with pytest.raises(InvalidArgument, match=r"`params_offsets` to have offsets of tensors that lie within `params` \[C17\]"):
            run(layer.inference, o)
        assert (o["y"] == 7).all()
    o["offsets"][1, column] = o["params"].size - size
    run(layer.inference, o)


def test_gradients_outside_of_the_buffer():
    o, layer = problem()
    run(layer.forward, o)
    o["doffsets"][0, 1] = o["dparams"].size - 24 * 6 + 1
    with pytest.raises(InvalidArgument, match=r"lie within `params_backprop` \[C17\]"):
        run(layer.backward, o)
    assert np.isnan(o["dparams"]).all()


@pytest.mark.parametrize("P", (3, 6))
def test_projection(P):
    """A column of the table that is read if P < H only."""
    sizes = _layers.Sizes(5, 3, 4, 6, 2, P if P < 6 else 0)
    random = np.random.default_rng(0)
    params = modules.params_size("lstm", "unidirectional", 4, 6, 2, projection=sizes.projection)
    shapes = _layers.shapes("lstm", "unidirectional", sizes, params)
    o = {name: (0.4 * random.standard_normal(shapes[name])).astype("f") for name in ("x", "h0", "c0", "params", "y", "hn", "cn")}
    run(modules.load("lstm").inference, o)
    want = o["y"].copy()
    table, elements, source = places("lstm", 1, sizes, random.shuffle)
    o.update(params=scattered(o["params"], elements, source), offsets=table)
    layer = modules.load("lstm", separate=True)
    run(layer.inference, o)
    np.testing.assert_array_equal(o["y"], want)
    o["offsets"][1, 2] = elements - 3 * 6 + 1
    if P == 6:
        run(layer.inference, o)
        np.testing.assert_array_equal(o["y"], want)
        return
    with pytest.raises(InvalidArgument, match=r"`params_offsets` to have offsets of tensors that lie within `params` \[C17\]"):
        run(layer.inference, o)


@pytest.mark.parametrize("rows", (1, 3))
def test_rows(rows):
    o, layer = problem("gru")
    o["offsets"] = np.zeros((rows, 5), np.int64)
    with pytest.raises(InvalidArgument, match=r"dim 0 of `params_offsets` to be L\*D or 0 \[C17\]: expected 2, but got"):
        run(layer.inference, o)


def test_no_rows():
    """The opaque layout, of either operand."""
    sizes = _layers.Sizes(5, 3, 4, 6, 2)
    o = make("lstm", "unidirectional", "f32", sizes)
    flat = modules.load("lstm")
    run(flat.forward, o)
    run(flat.backward, o)
    wanted = o["dparams"].copy()
    separate = modules.load("lstm", separate=True)
    o["offsets"] = o["doffsets"] = np.zeros((0, 5), np.int64)
    o["dparams"][...] = 7
    run(separate.backward, o)
    np.testing.assert_array_equal(o["dparams"], wanted)
    o["doffsets"], elements, source = places("lstm", 1, sizes, lambda tensors: None)
    o["dparams"] = np.full(elements, np.nan, "f")
    run(separate.backward, o)
    np.testing.assert_array_equal(gathered(o["dparams"], wanted.size, source), wanted)
    # Too small for the opaque layout.
    o["doffsets"], o["dparams"] = np.zeros((0, 5), np.int64), np.zeros(wanted.size - 1, "f")
    with pytest.raises(InvalidArgument, match=r"`params_backprop` to have the elements of all matrices and biases \[C15\]"):
        run(separate.backward, o)
    o["dparams"], o["params"] = wanted, o["params"][1:].copy()
    with pytest.raises(InvalidArgument, match="params"):
        run(separate.backward, o)
