# test_cudnn_rnn.py - the classes of contrib, with the cases of TensorFlow 1's cudnn_rnn_ops_test.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
import reference
from rnn_mlir import InvalidArgument, _dlpack, cudnn_rnn

CLASSES = {"lstm": cudnn_rnn.CudnnLSTM, "gru": cudnn_rnn.CudnnGRU, "rnn_tanh": cudnn_rnn.CudnnRNNTanh,
           "rnn_relu": cudnn_rnn.CudnnRNNRelu}
SAVEABLES = {"lstm": cudnn_rnn.CudnnLSTMSaveable, "gru": cudnn_rnn.CudnnGRUSaveable,
             "rnn_tanh": cudnn_rnn.CudnnRNNTanhSaveable, "rnn_relu": cudnn_rnn.CudnnRNNReluSaveable}
MODES = tuple(CLASSES)
DIRECTIONS = ("unidirectional", "bidirectional")


def call(model, x, h, c, params, **options):
    states = (h, c) if model.rnn_mode == "lstm" else (h,)
    return model(x, *states, params, **options)


def converter(library):
    """A function that makes tensors of the library from arrays."""
    if library == "numpy":
        return lambda array: array
    module = pytest.importorskip(library)
    return module.from_numpy if library == "torch" else module.numpy.asarray


@pytest.mark.parametrize("library", ("torch", "jax"))
@pytest.mark.parametrize("mode", MODES)
def test_backprop_of_other_libraries(mode, library):
    """Gradients have the bits of NumPy's, as tensors of the library."""
    convert, model = converter(library), CLASSES[mode](2, 5, 3, direction="bidirectional")
    *operands, params = [v.astype(np.float32) for v in make_operands(model, 4, 2)]
    states = dict(zip(("input_h", "input_c"), operands[1:]))
    outputs, saved = model.forward(operands[0], **states, params=params)
    wanted = model.backprop(saved, *outputs)
    outputs, saved = model.forward(convert(operands[0]), **{k: convert(v) for k, v in states.items()}, params=convert(params))
    for got, want in zip(model.backprop(saved, *outputs), wanted):
        assert type(got) is type(convert(want)) and np.array_equal(np.asarray(got), want)


@pytest.mark.parametrize("mode", MODES)
def test_saveable_of_torch(mode, tmp_path):
    torch = pytest.importorskip("torch")
    model = CLASSES[mode](2, 5, 3)
    params = make_operands(model, 1, 1)[-1].astype(np.float32)
    SAVEABLES[mode](params, 2, 5, 3).save(tmp_path / "saved.npz")
    variable, array = torch.zeros(len(params)), np.zeros_like(params)
    restored = SAVEABLES[mode](variable, 2, 5, 3).load(tmp_path / "saved.npz")
    SAVEABLES[mode](array, 2, 5, 3).load(tmp_path / "saved.npz")
    assert restored is variable and np.array_equal(variable.numpy(), array) and array.any()


# testSimpleInference: everything is one; the sums were computed on GPUs.
@pytest.mark.parametrize("library", ("numpy", "torch", "jax"))
@pytest.mark.parametrize("dropout", (0.0, 0.5, 1.0))
@pytest.mark.parametrize("mode,layers,units,inputs,batch,steps,expected", (
    ("lstm", 4, 200, 200, 20, 10, 231833.22), ("gru", 4, 200, 200, 20, 10, 56000),
    ("rnn_tanh", 4, 200, 200, 20, 10, 56000), ("rnn_relu", 2, 8, 4, 4, 2, 130688)))
def test_golden_sums(mode, layers, units, inputs, batch, steps, expected, dropout, library):
    convert = converter(library)
    model = CLASSES[mode](layers, units, inputs, dropout=dropout)
    ones = lambda *shape: convert(np.ones(shape, np.float32))  # noqa: E731
    outputs = call(model, ones(steps, batch, inputs), ones(layers, batch, units), ones(layers, batch, units),
                   ones(model.params_size()), is_training=False)
    assert all(type(o) is type(ones(1)) for o in outputs)
    total = sum(np.asarray(o).astype(np.float64).sum() for o in outputs)
    np.testing.assert_allclose(total, expected, rtol=1e-6, atol=1e-2)


# testLSTMParamsSize: the exact size is the least.
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("layers,units,inputs", ((4, 200, 200), (4, 200, 300), (4, 200, 100), (1, 100, 200),
                                                 (2, 200, 100), (3, 200, 400)))
def test_params_size(layers, units, inputs, direction):
    d = 1 if direction == "unidirectional" else 2
    first, biases = 4 * units * (units + inputs), 8 * layers * units
    higher = (layers - 1) * 4 * units * (d * units + units)
    assert cudnn_rnn.CudnnLSTM(layers, units, inputs, direction=direction).params_size() == d * (first + higher +
                                                                                              biases)


@pytest.mark.parametrize("dtype", ("float32", np.float64))
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("mode", MODES)
def test_canonical_round_trip(mode, direction, dtype):
    model = CLASSES[mode](2, 7, 3, direction=direction, dtype=dtype)
    params = np.random.default_rng(0).standard_normal(model.params_size()).astype(dtype)
    weights, biases = model.params_to_canonical(params)
    d = 1 if direction == "unidirectional" else 2
    assert len(weights) == len(biases) == 2 * d * model._NUM_PARAMS_PER_LAYER
    assert weights[0].shape == (7, 3) and biases[0].shape == (7,)
    assert np.array_equal(model.canonical_to_params(weights, biases), params)
    assert np.array_equal(model.canonical_to_params([w.ravel() for w in weights], biases), params)
    with pytest.raises(ValueError, match="expects .* weights and .* biases"):
        model.canonical_to_params(weights[:-1], biases)


# testSaveRestore: weights come back, biases as equal sums, and so do the results.
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("mode", MODES)
def test_save_restore(mode, direction, tmp_path):
    layers, units, inputs, d = 2, 7, 7, 1 if direction == "unidirectional" else 2
    model = CLASSES[mode](layers, units, inputs, direction=direction, dtype="float64")
    random = np.random.default_rng(1)
    operands = [random.standard_normal(s) for s in ((10, 5, inputs), (layers * d, 5, units), (layers * d, 5, units))]
    params = [random.standard_normal(model.params_size()) for _ in range(2)]
    before = [call(model, *operands, p, is_training=False) for p in params]
    saveables = [SAVEABLES[mode](p, layers, units, inputs, direction=direction, scope=name)
                 for p, name in zip(params, ("rnn_1", "rnn_2"))]
    canonical = [model.params_to_canonical(p) for p in params]
    checkpoint = {**saveables[0].tensors(), **saveables[1].tensors()}
    assert all(name.startswith(("rnn_1/", "rnn_2/")) for name in checkpoint)
    saveables[0].save(tmp_path / "one.npz")
    for p in params:
        p[:] = 0
    saveables[1].restore(checkpoint)
    saveables[0].load(tmp_path / "one.npz")
    gates = model._NUM_PARAMS_PER_LAYER // 2
    for p, (weights, biases) in zip(params, canonical):
        restored, halves = model.params_to_canonical(p)
        assert all(np.array_equal(a, b) for a, b in zip(weights, restored))
        for first in range(0, len(biases), 2 * gates):
            for gate in range(first, first + gates):
                assert np.array_equal(biases[gate] + biases[gate + gates], halves[gate] + halves[gate + gates])
    for p, wanted in zip(params, before):
        for result, want in zip(call(model, *operands, p, is_training=False), wanted):
            np.testing.assert_allclose(result, want, atol=1e-12)


def test_names_of_variables():
    model = cudnn_rnn.CudnnLSTM(1, 2, 3)
    names = [name for name, _ in cudnn_rnn.CudnnLSTMSaveable(np.zeros(model.params_size()), 1, 2, 3).specs]
    cell = "rnn/multi_rnn_cell/cell_0/cudnn_compatible_lstm_cell"
    assert names == [f"{cell}/kernel", f"{cell}/bias"]
    model = cudnn_rnn.CudnnGRU(1, 2, 3, direction="bidirectional")
    names = [name for name, _ in cudnn_rnn.CudnnGRUSaveable(np.zeros(model.params_size()), 1, 2, 3,
                                                            direction="bidirectional").specs]
    assert "stack_bidirectional_rnn/cell_0/bidirectional_rnn/bw/cudnn_compatible_gru_cell/gates/kernel" in names


# testSimpleTraining: the gradient of the sum of the results against central differences, also with dropout.
@pytest.mark.parametrize("input_mode", ("linear_input", "skip_input"))
@pytest.mark.parametrize("dropout", (0.0, 0.5, 1.0))
@pytest.mark.parametrize("mode", MODES)
def test_gradient(mode, dropout, input_mode):
    layers, units, inputs, batch, steps = 2, 3, 3 if input_mode == "skip_input" else 4, 3, 4
    model = CLASSES[mode](layers, units, inputs, input_mode=input_mode, dtype="float64", dropout=dropout, seed=5)
    random = np.random.default_rng(2)
    names = ["x", "h", "c", "p"] if mode == "lstm" else ["x", "h", "p"]
    shapes = {"x": (steps, batch, inputs), "h": (layers, batch, units), "c": (layers, batch, units),
              "p": (model.params_size(),)}
    v = {name: random.uniform(0, 1, shapes[name]) for name in names}

    def run(values):
        return model.forward(values["x"], values["h"], values.get("c"), values["p"], dropout_draw=3)

    outputs, saved = run(v)
    for _ in range(2):  # the saved values stay valid
        gradients = model.backprop(saved, *[np.ones_like(o) for o in outputs])
    for name, gradient in zip(names, gradients):
        tangent = random.standard_normal(shapes[name])
        sums = [sum(o.sum() for o in run({**v, name: v[name] + e * tangent})[0]) for e in (1e-5, -1e-5)]
        slope = (sums[0] - sums[1]) / 2e-5
        assert abs((gradient * tangent).sum() - slope) < 5e-6 * max(1, abs(slope)), name


def make_operands(model, steps, batch, seed=3):
    """x, h, [c,] params"""
    random = np.random.default_rng(seed)
    stacked = model.num_layers * (2 if model.direction == "bidirectional" else 1)
    shapes = [(steps, batch, model.input_size), (stacked, batch, model.num_proj or model.num_units)]
    shapes += [(stacked, batch, model.num_units)] * (model.rnn_mode == "lstm")
    return [random.uniform(-0.5, 0.5, shape) for shape in (*shapes, (model.params_size(),))]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("mode", MODES)
def test_sequence_lengths(mode, direction):
    model = CLASSES[mode](2, 5, 3, direction=direction, dtype="float64")
    *operands, params = make_operands(model, 4, 3)
    lengths = [4, 0, 2]
    states = [*operands[1:], None][:2]
    wanted = reference.forward(mode, len(states[0]) // 2, operands[0], *states, params, lengths)
    for given in (lengths, np.array(lengths, np.int64), np.array(lengths, np.uint8)):
        for is_training in (True, False):
            for result, want in zip(model(*operands, params, is_training, given), wanted):
                np.testing.assert_allclose(result, want, atol=1e-12)
    assert np.array_equal(model(*operands, params, True, [4, 4, 4])[0], model(*operands, params)[0])


# Without dropout, by compiled loops; with it, by plans.
@pytest.mark.parametrize("dropout", (0.0, 0.5))
@pytest.mark.parametrize("lengths", (None, [3, 1]))
@pytest.mark.parametrize("num_proj", (None, 2))
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_batch_major(direction, num_proj, lengths, dropout):
    """Both passes in batch-major form: the bits of the time-major form, in the layout of late contrib."""
    swap = lambda arrays: [a.swapaxes(0, 1) for a in arrays]  # noqa: E731
    for mode in ("lstm",) if num_proj else MODES:
        model = CLASSES[mode](2, 4, 3, direction=direction, dtype="float64", dropout=dropout, num_proj=num_proj)
        *operands, params = make_operands(model, 3, 2)
        named = dict(zip(("input_data", "input_h", "input_c"), operands))
        outputs, saved = model.forward(**named, params=params, sequence_lengths=lengths, dropout_draw=1)
        other, saved_other = model.forward(**dict(zip(named, swap(operands))), params=params, sequence_lengths=lengths,
                                           time_major=False, dropout_draw=1)
        grads = [np.random.default_rng(k).standard_normal(o.shape) for k, o in enumerate(outputs)]
        assert all(np.array_equal(a, b) and b.flags.c_contiguous for a, b in zip(swap(outputs), other))
        *gradients, dparams = model.backprop(saved, *grads)
        *others, dparams_other = model.backprop(saved_other, *swap(grads))
        assert all(np.array_equal(a, b) for a, b in zip(swap(gradients), others)) and np.array_equal(dparams, dparams_other)
        assert [g.shape for g in others] == [o.shape for o in swap(operands)]
        inferred = model(*swap(operands), params, False, lengths, False)
        assert all(np.array_equal(a, b) for a, b in zip(swap(inferred), model(*operands, params, False, lengths)))


@pytest.mark.parametrize("dropout", (0.0, 0.5))
@pytest.mark.parametrize("num_proj", (None, 2))
def test_gradient_with_lengths(num_proj, dropout):
    model = cudnn_rnn.CudnnLSTM(2, 4, 3, direction="bidirectional", dtype="float64", dropout=dropout, num_proj=num_proj)
    operands = make_operands(model, 4, 3)

    def run(operands):
        return model.forward(*operands, sequence_lengths=[2, 4, 0], dropout_draw=3)

    outputs, saved = run(operands)
    grads = [np.random.default_rng(k).standard_normal(o.shape) for k, o in enumerate(outputs)]
    for k, gradient in enumerate(model.backprop(saved, *grads)):
        tangent = np.random.default_rng(9).standard_normal(operands[k].shape)
        sums = [sum((o * g).sum() for o, g in zip(run([*operands[:k], operands[k] + e * tangent, *operands[k + 1:]])[0], grads))
                for e in (1e-5, -1e-5)]
        slope = (sums[0] - sums[1]) / 2e-5
        assert abs((gradient * tangent).sum() - slope) < 5e-6 * max(1, abs(slope)), k


@pytest.mark.parametrize("num_proj", (1, 3, 5))
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_projection(direction, num_proj):
    """Against nn.LSTM with `proj_size`. A projection to `num_units` has no matrix, as in cuDNN."""
    torch = pytest.importorskip("torch")
    layers, units, inputs, d = 2, 5, 3, 1 if direction == "unidirectional" else 2
    model = cudnn_rnn.CudnnLSTM(layers, units, inputs, direction=direction, dtype="float64", num_proj=num_proj)
    assert model.num_proj == num_proj
    x, h, c, params = make_operands(model, 4, 3)
    weights, biases = model.params_to_canonical(params)
    is_projected = num_proj < units
    assert len(weights) == layers * d * (9 if is_projected else 8) and len(biases) == layers * d * 8
    assert np.array_equal(model.canonical_to_params(weights, biases), params)
    module = torch.nn.LSTM(inputs, units, layers, bidirectional=d == 2, proj_size=num_proj if is_projected else 0).double()
    with torch.no_grad():
        for k in range(layers * d):
            w, b = weights[k * len(weights) // (layers * d):], biases[8 * k:]
            suffix = f"_l{k // d}" + "_reverse" * (k % d)
            values = {"weight_ih": w[:4], "weight_hh": w[4:8], "bias_ih": b[:4], "bias_hh": b[4:8]}
            for name, parts in (*values.items(), *[("weight_hr", w[8:9])] * is_projected):
                getattr(module, name + suffix).copy_(torch.from_numpy(np.concatenate(parts)))
        y, (hn, cn) = module(torch.from_numpy(x), (torch.from_numpy(h), torch.from_numpy(c)))
    for result, want in zip(model(x, h, c, params), (y, hn, cn)):
        np.testing.assert_allclose(result, want.numpy(), atol=1e-12)


def test_auto_select():
    def size(inputs, **options):
        return cudnn_rnn.CudnnGRU(1, 4, inputs, **options).params_size()

    assert size(4, input_mode="auto_select") == size(4, input_mode="skip_input") < size(4)
    assert size(5, input_mode="auto_select") == size(5)


def test_properties_and_errors():
    model = cudnn_rnn.CudnnGRU(2, 4, 3)
    assert (model.num_layers, model.num_units, model.input_size) == (2, 4, 3)
    assert (model.rnn_mode, model.direction, model.input_mode) == ("gru", "unidirectional", "linear_input")
    with pytest.raises(ValueError, match="Invalid direction: both"):
        cudnn_rnn.CudnnGRU(2, 4, 3, direction="both")
    with pytest.raises(ValueError, match="`num_units` must be a positive integer"):
        cudnn_rnn.CudnnLSTM(4, np.array([200]), 200)
    with pytest.raises(ValueError, match="skip_input requires input_size = num_units"):
        cudnn_rnn.CudnnLSTM(1, 4, 5, input_mode="skip_input")
    x, h, p = np.zeros((2, 1, 3), "f"), np.zeros((2, 1, 4), "f"), np.zeros(model.params_size(), "f")
    with pytest.raises(InvalidArgument, match=r"`input_h` must have shape \(2, 1, 4\), but has \(1, 1, 4\)"):
        model(x, h[:1], p)
    with pytest.raises(InvalidArgument, match="has elements of type f32"):
        model(x.astype("d"), h, p)
    with pytest.raises(ValueError, match=r"`input_data` must be \[batch, steps, 3\], but has shape \(2, 3\)"):
        model(x[:, 0], h, p, time_major=False)
    with pytest.raises(InvalidArgument, match=r"`input_h` must have shape \(1, 2, 4\), but has \(2, 1, 4\)"):
        model(x.swapaxes(0, 1), h, p, time_major=False)
    for lengths, message in (([3], r"element 0 of `sequence_lengths` must be in \[0, 2\], the number of steps, but is 3"),
                             ([-1], "must be in .* but is -1"), ([2**40], "must be in .* but is 1099511627776"),
                             ([1.0], r"must be integers of shape \(1,\), but has shape \(1,\) and elements of type float64"),
                             ([True], "must be integers"), (1, r"but has shape \(\)"), ([1, 1], r"but has shape \(2,\)")):
        with pytest.raises(InvalidArgument, match=message):
            model(x, h, p, sequence_lengths=lengths)
    lengths = np.array([2], np.int32)  # the program may write to its lengths
    (y, _), saved = model.forward(x, h, params=p, sequence_lengths=lengths)
    lengths[0] = 1
    assert len(model.backprop(saved, y)) == 3
    gru = cudnn_rnn.CudnnGRU(1, 4, 3)
    with pytest.raises(TypeError, match="a model of mode gru has no `input_c`; pass the parameters as `params=`"):
        gru.forward(np.zeros((2, 1, 3), np.float32), np.zeros((1, 1, 4), np.float32), np.zeros(gru.params_size(), np.float32))
    with pytest.raises(ValueError, match="`num_proj` is for CudnnLSTM only, but got 2 for gru"):
        cudnn_rnn.CudnnGRU(2, 4, 3, num_proj=2)
    for num_proj in (-1, 5, 1.0, True):
        with pytest.raises(ValueError, match=r"`num_proj` must be an integer in \[0, 5\), but got"):
            cudnn_rnn.CudnnLSTM(2, 4, 3, num_proj=num_proj)
    assert (cudnn_rnn.CudnnLSTM(2, 4, 3, num_proj=0).params_size(), model.num_proj) == (
        cudnn_rnn.CudnnLSTM(2, 4, 3).params_size(), None)


def test_torch():
    torch = pytest.importorskip("torch")
    model = cudnn_rnn.CudnnGRU(1, 4, 3)
    x, h, p = np.ones((2, 1, 3), "f"), np.zeros((1, 1, 4), "f"), np.full(model.params_size(), 0.1, "f")
    y, hn = model(*map(torch.from_numpy, (x, h, p)))
    assert isinstance(y, torch.Tensor) and np.array_equal(y.numpy(), model(x, h, p)[0])
    # Other layouts are copied.
    turned = torch.from_numpy(np.ascontiguousarray(x.swapaxes(0, 1))).transpose(0, 1)
    assert torch.equal(model(turned, *map(torch.from_numpy, (h, p)))[0], y)
    wanted = model(x, h, p, sequence_lengths=[1])[0]
    assert np.array_equal(model(x, h, p, sequence_lengths=torch.tensor([[1, 0]])[:, 0])[0], wanted) and not wanted[1].any()
    _, saved = model.forward(*map(torch.from_numpy, (x, h)), params=torch.from_numpy(p))
    ones = model.backprop(saved, torch.ones(2, 1, 4))
    assert all(torch.equal(a, b) for a, b in zip(model.backprop(saved, torch.ones(()).expand(2, 1, 4)), ones))
    weights, biases = model.params_to_canonical(torch.from_numpy(p))
    assert torch.equal(model.canonical_to_params([w.t().contiguous().t() for w in weights], biases), torch.from_numpy(p))


@pytest.mark.parametrize("dtype", ("float16", "bfloat16", "float32", "float64"))
def test_torch_types(dtype, monkeypatch):
    """Results have the type of the model, also without ml_dtypes."""
    torch = pytest.importorskip("torch")
    model = cudnn_rnn.CudnnLSTM(1, 4, 3, dtype=dtype)
    operands = [torch.ones(s, dtype=getattr(torch, dtype)) for s in ((2, 1, 3), (1, 1, 4), (1, 1, 4), (model.params_size(),))]
    assert [r.dtype for r in model(*operands)] == [getattr(torch, dtype)] * 3
    monkeypatch.setattr(_dlpack, "numpy_bfloat16", lambda: None)
    assert [r.dtype for r in model(*operands)] == [getattr(torch, dtype)] * 3


def test_negative_views():
    """Tensors of PyTorch whose values are not those in memory."""
    torch = pytest.importorskip("torch")
    layer = cudnn_rnn.CudnnGRU(1, 4, 3)
    x, h, params = torch.ones(2, 2, 3), torch.zeros(1, 2, 4), torch.full((layer.params_size(),), 0.1)
    with pytest.raises(InvalidArgument, match="`input_data` is not accepted: .*resolve_neg"):
        layer(torch.complex(x, x).conj().imag, h, params, is_training=False)


def test_wrong_values():
    make = cudnn_rnn.CudnnLSTM
    for options, message in ((dict(num_layers=True), "`num_layers` must be a positive integer, but got True"),
                             (dict(num_units=1.0), "`num_units` must be a positive integer, but got 1.0"),
                             (dict(seed=1.5), "`seed` must be an integer in .* but got 1.5"),
                             (dict(seed=2**70), "`seed` must be an integer"), (dict(seed=False), "`seed` must be an integer"),
                             (dict(dropout="a"), "`dropout` is 'a'; expected a value"), (dict(dropout=None), "`dropout` is None"),
                             (dict(dtype=float), "`float` is float32 in TensorFlow and float64 in NumPy"),
                             (dict(dtype=np.dtype("f4").newbyteorder()), "byte order of another machine; expected float32")):
        with pytest.raises(ValueError, match=message):
            make(**{**dict(num_layers=1, num_units=4, input_size=3), **options})
    x, h = np.ones((3, 2, 4), "f"), np.zeros((2, 2, 4), "f")
    results = []
    for seed in (None, 0, np.int64(0)):
        model = cudnn_rnn.CudnnGRU(2, 4, 4, dropout=0.5, seed=seed)
        results.append(model.forward(x, h, params=np.full(model.params_size(), 0.1, "f"), dropout_draw=1)[0][0])
    assert all(np.array_equal(r, results[0]) for r in results)
    for draw in (-1, "a", 2**63):
        with pytest.raises(ValueError, match="`dropout_draw` must be an integer"):
            model.forward(x, h, params=np.ones(model.params_size(), "f"), dropout_draw=draw)
    with pytest.raises(InvalidArgument, match="elements of type f32, but `input_h` has float64"):
        model(x, h.astype("d"), np.ones(model.params_size(), "f"))
    weights, biases = model.params_to_canonical(np.ones(model.params_size(), "f"))
    with pytest.raises(ValueError, match=r"weight 0 must have 16 elements \(4 x 4\), but has shape \(4, 7\)"):
        model.canonical_to_params([np.ones((4, 7), "f")] + weights[1:], biases)
    with pytest.raises(ValueError, match="bias 1 must have 4 elements, but has 5"):
        model.canonical_to_params(weights, [biases[0], np.ones(5, "f")] + biases[2:])


def test_saveable_errors(tmp_path, monkeypatch):
    make = cudnn_rnn.CudnnGRUSaveable
    variable = np.random.default_rng(0).standard_normal(cudnn_rnn.CudnnGRU(1, 4, 3).params_size()).astype("f")
    saveable = make(variable, 1, 4, 3)
    tensors, before = saveable.tensors(), variable.copy()
    monkeypatch.chdir(tmp_path)
    saveable.save("name")  # np.savez would write name.npz
    variable[:] = 0
    assert saveable.load("name") is variable and all(np.array_equal(a, tensors[n]) for n, a in saveable.tensors().items())
    np.testing.assert_allclose(variable[:84], before[:84])  # the matrices
    with pytest.raises(ValueError, match="unknown input mode `x`"):
        make(variable, 1, 4, 3, input_mode="x")
    with pytest.raises(ValueError, match="Invalid direction: x"):
        make(variable, 1, 4, 3, direction="x")
    with pytest.raises(TypeError, match="`opaque_params` must be a NumPy array .*but got list"):
        make([0.0] * 108, 1, 4, 3)
    # Other layers, one of which has as many elements.
    kept = variable.copy()
    for kind, shape, inputs, message in ((make, (2, 4, 3), 3, "the mapping has the variables of 2 layers, but num_layers is 1"),
                                         (make, (1, 5, 3), 3, r"`rnn/.*/gates/kernel` must have shape \(7, 8\), but has \(8, 10\); `"),
                                         (make, (1, 4, 2), 2, r"input_projection/kernel` must have shape \(3, 4\), but has \(2, 4\)$")):
        other = kind(np.zeros(cudnn_rnn.CudnnGRU(*shape).params_size(), "f"), *shape)
        with pytest.raises(ValueError, match=message):
            saveable.restore(other.tensors())
    tanh = cudnn_rnn.CudnnRNNTanhSaveable
    assert cudnn_rnn.CudnnRNNTanh(1, 2, 4).params_size() == cudnn_rnn.CudnnRNNTanh(4, 1, 1).params_size() == 16
    with pytest.raises(ValueError, match=r"kernel` must have shape \(6, 2\), but has \(2, 1\)"):
        tanh(np.zeros(16, "f"), 1, 2, 4).restore(tanh(np.ones(16, "f"), 4, 1, 1).tensors())
    for missing in tensors:
        with pytest.raises(ValueError, match=f"no variable `{missing}`"):
            saveable.restore({name: array for name, array in tensors.items() if name != missing})
    assert np.array_equal(variable, kept)
    variable.flags.writeable = False
    with pytest.raises(InvalidArgument, match="`opaque_params` is read-only"):
        saveable.restore(tensors)


def test_saveable_of_bf16(tmp_path, monkeypatch):
    """NumPy's files have no type bf16: what is read must have the bits."""
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    size = cudnn_rnn.CudnnLSTM(2, 4, 3).params_size()
    variable = np.random.default_rng(0).standard_normal(size).astype(bfloat16)
    saveable = cudnn_rnn.CudnnLSTMSaveable(variable, 2, 4, 3)
    saveable.save(tmp_path / "a.npz")
    saveable.load(tmp_path / "a.npz")  # halves of sums of biases
    want = variable.copy()
    tensors = saveable.tensors()
    saveable.save(tmp_path / "a.npz")
    variable[:] = 0
    saveable.load(tmp_path / "a.npz")
    assert np.array_equal(variable.view(np.uint16), want.view(np.uint16))
    assert all(a.dtype == bfloat16 and np.array_equal(a, tensors[n]) for n, a in saveable.tensors().items())
    monkeypatch.setattr(_dlpack, "numpy_bfloat16", lambda: None)
    with pytest.raises(ValueError, match="install the package ml_dtypes"):
        cudnn_rnn.CudnnLSTMSaveable(np.zeros(size, "f"), 2, 4, 3).load(tmp_path / "a.npz")
    with pytest.raises(InvalidArgument, match="install the package ml_dtypes"):
        cudnn_rnn.CudnnLSTMSaveable(np.zeros(size, np.uint16), 2, 4, 3)
