# test_cudnn_rnn_errors.py - what the classes of contrib refuse, their converters of parameters, and how draws of dropout masks continue.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from rnn_mlir import InvalidArgument, cudnn_rnn

MODES = {"lstm": (cudnn_rnn.CudnnLSTM, cudnn_rnn.CudnnParamsFormatConverterLSTM, cudnn_rnn.CudnnLSTMSaveable),
         "gru": (cudnn_rnn.CudnnGRU, cudnn_rnn.CudnnParamsFormatConverterGRU, cudnn_rnn.CudnnGRUSaveable),
         "rnn_tanh": (cudnn_rnn.CudnnRNNTanh, cudnn_rnn.CudnnParamsFormatConverterTanh, cudnn_rnn.CudnnRNNTanhSaveable),
         "rnn_relu": (cudnn_rnn.CudnnRNNRelu, cudnn_rnn.CudnnParamsFormatConverterRelu, cudnn_rnn.CudnnRNNReluSaveable)}


def make(mode="gru", layers=1, units=4, inputs=3, **options):
    """A model and its operands."""
    model = MODES[mode][0](layers, units, inputs, **{"dtype": "float64", **options})
    random = np.random.default_rng(0)
    states = [random.standard_normal((layers, 2, size)) for size in (options.get("num_proj") or units, units)[:1 + (mode == "lstm")]]
    return model, [random.standard_normal((3, 2, inputs)), *states, random.standard_normal(model.params_size())]


def test_is_training():
    for mode in ("gru", "lstm"):
        model, operands = make(mode)
        want = model(*operands, False)
        for value in (np.False_, 0, np.array(False)):
            assert all(np.array_equal(a, b) for a, b in zip(model(*operands, value), want))
        for value, found in ((np.zeros(2, bool), r"ndarray of shape \(2,\)"), ("no", "'no'"), (None, "None"), (2, "2"), (0.0, "0.0"),
                             (np.zeros(()), r"ndarray of shape \(\)")):
            with pytest.raises(TypeError, match=f"`is_training` must be a bool, but got {found}"):
                model(*operands, value)
        with pytest.raises(TypeError, match="`time_major` must be a bool, but got 'x'"):
            model(*operands, time_major="x")
    model, (x, h, params) = make()
    with pytest.raises(TypeError, match=r"but got ndarray of shape \(.*\)\. A model of mode gru has no `input_c`: call it with "
                       r"\(input_data, input_h, params, is_training\)"):
        model(x, h, h, params)


@pytest.mark.parametrize("library", ("torch", "jax"))
def test_is_training_of_other_libraries(library):
    module = pytest.importorskip(library)
    module = module if library == "torch" else module.numpy
    model, operands = make()
    scalar = (module.tensor if library == "torch" else module.asarray)(True)
    assert np.array_equal(model(*operands, scalar)[0], model(*operands)[0])


def test_saved_of_other_models():
    model, (x, h, params) = make(units=2, inputs=4)
    (y, _), saved = model.forward(x, h, params=params)
    wanted = model.backprop(saved, y)
    # Another object of the same configuration is the same model.
    assert all(np.array_equal(a, b) for a, b in zip(make(units=2, inputs=4)[0].backprop(saved, y), wanted))
    for other, message in ((make("rnn_tanh", units=2, inputs=4), "its rnn_mode is gru, but this model has rnn_tanh"),
                           (make(layers=2, units=2, inputs=4), "its num_layers is 1, but this model has 2"),
                           (make(units=3, inputs=4), "its num_units is 2, but this model has 3"),
                           (make(units=2, inputs=2), "its input_size is 4, but this model has 2"),
                           (make(units=2, inputs=4, direction="bidirectional"), "its direction is unidirectional"),
                           (make(units=2, inputs=4, dtype="float32"), "its dtype is f64, but this model has f32")):
        with pytest.raises(ValueError, match=f"`saved` is from another model: .*{message}"):
            other[0].backprop(saved, y)
    # As many parameters: 4 * 1 * (1 + 1 + 2) and 1 * 2 * (4 + 2 + 2).
    small, large = make("rnn_tanh", 4, 1, 1)[0], make("rnn_tanh", 1, 2, 4)[0]
    assert small.params_size() == large.params_size()
    _, saved = small.forward(np.zeros((3, 2, 1)), np.zeros((4, 2, 1)), params=np.zeros(16))
    with pytest.raises(ValueError, match="num_layers is 4, but this model has 1, its num_units is 1, but this model has 2"):
        large.backprop(saved, np.zeros((3, 2, 2)))
    projected = make("lstm", num_proj=2)
    _, saved = projected[0].forward(*projected[1])
    with pytest.raises(ValueError, match="its num_proj is 2, but this model has None"):
        make("lstm")[0].backprop(saved, np.zeros((3, 2, 4)))
    with pytest.raises(ValueError, match="its input_mode is skip_input, but this model has linear_input"):
        skipping, operands = make(inputs=4, input_mode="skip_input")
        make(inputs=4)[0].backprop(skipping.forward(operands[0], operands[1], params=operands[2])[1], None)


def test_backprop_arguments():
    model, (x, h, params) = make()
    (y, _), saved = model.forward(x, h, params=params)
    for value, found in ((None, "NoneType"), ((y,), "tuple")):
        with pytest.raises(TypeError, match=f"`saved` must be the second result of `forward`, .* but got {found}"):
            model.backprop(value, y)
    with pytest.raises(TypeError, match="a model of mode gru has no cell state, so that `output_c_backprop` must be None"):
        model.backprop(saved, y, None, h)
    with pytest.raises(InvalidArgument, match=r"`output_backprop` must have shape \(3, 2, 4\), but has \(2, 2, 4\)"):
        model.backprop(saved, y[:2])


def test_lists():
    """Numbers of Python have the element type of the model."""
    model, (x, h, params) = make(dtype="float32")
    x, h, params = (value.astype("f") for value in (x, h, params))
    wanted = model(x, h, params)
    for result, want in zip(model(x.tolist(), h.tolist(), params.tolist()), wanted):
        assert result.dtype == np.float32 and np.array_equal(result, want)
    with pytest.raises(InvalidArgument, match="elements of type f32, but `input_h` has float64"):
        model(x, h.astype("d"), params)


def test_canonical_arguments():
    model, (*_, params) = make("lstm", layers=2, num_proj=2)
    weights, biases = model.params_to_canonical(params)
    assert np.array_equal(model.canonical_to_params(iter(weights), (b for b in biases)), params)
    for change, message in ((lambda: (None, biases), "`weights` must be a list of tensors, but got None"),
                            (lambda: (weights, 3), "`biases` must be a list of tensors, but got 3"),
                            (lambda: ([*weights[:3], None, *weights[4:]], biases), r"`weights\[3\]` is missing"),
                            (lambda: (weights, [None, *biases[1:]]), r"`biases\[0\]` is missing")):
        with pytest.raises(TypeError, match=message):
            model.canonical_to_params(*change())
    unprojected = [w for k, w in enumerate(weights) if k % 9 != 8]
    for change, message in (((unprojected, biases), "lstm with 2 layers, direction unidirectional and num_proj 2 expects 18 weights and 16 "
                             "biases, but got 16 and 16"), ((weights, biases[:-1]), "but got 18 and 15"), (([], []), "but got 0 and 0"),
                            (([*weights[:8], weights[8][:1], *weights[9:]], biases),
                             r"weight 8, a projection, must have 8 elements \(2 x 4\), but has shape \(1, 4\)")):
        with pytest.raises(ValueError, match=message):
            model.canonical_to_params(*change)
    with pytest.raises(ValueError, match="num_proj None expects 16 weights and 16 biases, but got 18 and 16"):
        make("lstm", layers=2)[0].canonical_to_params(weights, biases)


# -- Converters and files ---------------------------------------------------------------------------------------------


def stitched(mode, weights, biases):
    """Contrib's formulas: the cell's variables of one layer and direction from cuDNN's canonical ones."""
    n = len(weights) // 2
    both = [np.concatenate([w, r], axis=1) for w, r in zip(weights[:n], weights[n:])]
    sums = [bw + br for bw, br in zip(biases[:n], biases[n:])]
    if mode == "gru":
        return ([np.concatenate(both[:2]).T, weights[2].T, weights[5].T], [np.concatenate(sums[:2]), biases[2], biases[5]])
    order = (0, 2, 1, 3) if mode == "lstm" else (0,)
    return [np.concatenate([both[k] for k in order]).T], [np.concatenate([sums[k] for k in order])]


@pytest.mark.parametrize("direction", ("unidirectional", "bidirectional"))
@pytest.mark.parametrize("mode", MODES)
def test_converters(mode, direction):
    layers, units, inputs = 2, 4, 3
    model, converter, saveable = MODES[mode]
    model = model(layers, units, inputs, direction=direction, dtype="float64")
    params = np.random.default_rng(0).standard_normal(model.params_size())
    convert = converter(layers, units, inputs, direction=direction)
    weights, biases = convert.opaque_to_tf_canonical(params)
    canonical = model.params_to_canonical(params)
    count = model._NUM_PARAMS_PER_LAYER
    wanted = [stitched(mode, canonical[0][k:k + count], canonical[1][k:k + count]) for k in range(0, len(canonical[0]), count)]
    assert all(np.array_equal(a, b) for a, b in zip(weights, [w for layer in wanted for w in layer[0]], strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(biases, [b for layer in wanted for b in layer[1]], strict=True))
    back = convert.tf_canonical_to_opaque(weights + biases)
    again = convert.opaque_to_tf_canonical(back)
    assert all(np.array_equal(a, b) for a, b in zip(again[0] + again[1], weights + biases))
    # The saveable has the same values.
    tensors = saveable(params, layers, units, inputs, direction=direction).tensors()
    names = list(convert.shapes())
    assert sorted(names) == sorted(tensors) and all(np.array_equal(tensors[n], v) for n, v in zip(names, weights + biases))
    with pytest.raises(ValueError, match=f"expects one list of {len(weights)} weights and {len(biases)} biases, but got 2 values"):
        convert.tf_canonical_to_opaque((weights, biases))


@pytest.mark.parametrize("library", ("torch", "jax"))
def test_converters_of_other_libraries(library):
    module = pytest.importorskip(library)
    turn = module.from_numpy if library == "torch" else module.numpy.asarray
    convert = cudnn_rnn.CudnnParamsFormatConverterGRU(1, 4, 3)
    params = np.arange(108, dtype=np.float32)
    weights, biases = convert.opaque_to_tf_canonical(turn(params))
    assert all(type(v) is type(turn(params)) for v in weights + biases)
    back = convert.tf_canonical_to_opaque(weights + biases)
    assert type(back) is type(turn(params)) and np.array_equal(np.asarray(back)[:84], params[:84])


def test_converter_errors():
    convert = cudnn_rnn.CudnnParamsFormatConverterLSTM
    with pytest.raises(ValueError, match="`num_layers` must be a positive integer, but got 0"):
        convert(0, 4, 3)
    with pytest.raises(ValueError, match="parameters of skip_input have no such form"):
        convert(1, 4, 4, input_mode="auto_select")
    with pytest.raises(ValueError, match=r"`tf_canonicals` has variables of other layers: `rnn/.*/bias` must have shape \(16,\), but "):
        convert(1, 4, 3).tf_canonical_to_opaque([np.zeros((7, 16)), np.zeros(8)])


def test_names_in_errors_of_restore(tmp_path):
    saveable = cudnn_rnn.CudnnLSTMSaveable(np.zeros(4 * 4 * 9 + 4 * 4 * 10), 2, 4, 3)
    tensors = saveable.tensors()
    last = [name for name in tensors if "cell_1" in name]
    with pytest.raises(ValueError, match="the mapping has no variable `.*cell_1.*/kernel`, `.*cell_1.*/bias`; it has rnn/multi"):
        saveable.restore({name: value for name, value in tensors.items() if name not in last})
    with pytest.raises(ValueError, match="; it has none"):
        saveable.restore({})
    path = tmp_path / "saved.npz"
    np.savez(path, **{**tensors, last[1]: np.zeros(3)})
    with pytest.raises(ValueError, match=r"saved\.npz has .* of other layers: `.*cell_1.*/bias` must have shape \(16,\), but has \(3,\)"):
        saveable.load(path)
    np.savez(path, other=np.zeros(3))
    with pytest.raises(ValueError, match=r"saved\.npz has no variable .*; it has other"):
        saveable.load(str(path))
    content = path.read_bytes()
    for wrong in (b"", b"text", content[:40]):
        path.write_bytes(wrong)
        with pytest.raises(ValueError, match=r"saved\.npz is no file that `save` wrote: "):
            saveable.load(path)
    np.save(tmp_path / "one.npy", np.zeros(3))
    with pytest.raises(ValueError, match=r"one\.npy is no file that `save` wrote: it has one array"):
        saveable.load(tmp_path / "one.npy")
    with pytest.raises(FileNotFoundError, match="nothing.npz"):
        saveable.load(tmp_path / "nothing.npz")


# -- Draws ------------------------------------------------------------------------------------------------------------


def draws_of_process():
    """The draws of some calls, in their order: a count per thread and per plan."""
    found = []

    def note(batch=2, seed=5):
        model, (x, h, params) = make(layers=2, dropout=0.5, seed=seed)
        x, h = np.resize(x, (3, batch, 3)), np.resize(h, (2, batch, 4))
        masks = [model.forward(x, h, params=params, dropout_draw=k)[0][0] for k in range(5)]
        mask = model(x, h, params)[0]
        found.extend(k for k in range(5) if np.array_equal(masks[k], mask))

    for options in ({}, {}, {"seed": 6}, {"batch": 3}, {}):
        note(**options)
    thread = threading.Thread(target=note)
    thread.start()
    thread.join()
    note()
    return found


@pytest.mark.parametrize("draw, wanted", ((None, [0, 1, 0, 0, 2, 0, 3]), (3, [3] * 7)))
def test_draws(draw, wanted):
    program = (f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); import test_cudnn_rnn_errors as test; "
               "print(test.draws_of_process())")
    environment = {**os.environ, **({} if draw is None else {"RNNRT_DROPOUT_DRAW": str(draw)})}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == str(wanted)


@pytest.mark.parametrize("value, fits", ((6e4, True), (1e5, False), (-1e5, False), (np.inf, True)))
def test_restore_to_a_narrower_type(value, fits):
    """A value that f16 cannot hold was restored as infinity."""
    wide = np.full(cudnn_rnn.CudnnGRU(1, 3, 2).params_size(), value, np.float32)
    tensors = cudnn_rnn.CudnnGRUSaveable(wide, 1, 3, 2).tensors()
    narrow = np.zeros(wide.size, np.float16)
    saveable = cudnn_rnn.CudnnGRUSaveable(narrow, 1, 3, 2)
    if fits:
        saveable.restore(tensors)
        assert narrow[0] == np.float16(value)
    else:
        with pytest.raises(ValueError, match=r"the mapping has \d+ values, such as -?[12]00000.0, that `opaque_params` of type float16 cannot hold"):
            saveable.restore(tensors)
        assert not narrow.any()
