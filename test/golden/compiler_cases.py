# compiler_cases.py - writes a few golden cases as modules of TensorFlow ops, to be run through the whole compiler.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each case becomes NAME.mlir with RUN lines, and a folder with the npy files that the lines use."""
import textwrap

import numpy as np

# name of the golden case -> how its module is written. `dynamic`: sizes T and B are not in the types; `defaults`: no
# attribute that TensorFlow has a default for; `constant_n`: seq_len_max is a tf.Const; `version`: of the cudnn ops.
CASES = {
    "block_v1_peephole_n2_clip_f32": {"constant_n": True},
    "block_v2_peephole_n2_clip_f32": {"dynamic": True},
    "block_v2_n4_f32": {"defaults": True},
    "lstm_bi_l2_f64": {"version": ""},
    "lstm_bi_l2_f32": {"version": "V2", "dynamic": True},
    "lstm_bi_l2_proj_lengths_f64": {"version": "V3"},
    "gru_bi_l2_f64": {"version": "", "dynamic": True, "cell": "tensor<0xf64>"},
    "rnn_relu_bi_l2_f64": {"version": "V2", "cell": "tensor<f64>"},
    "rnn_tanh_uni_l1_lengths_f64": {"version": "V3", "cell": "tensor<0xf64>"},
}


def bool_attr(value):
    return "true" if value else "false"


class Types:
    """MLIR types of the case's tensors. With dynamic sizes T and B are `?`; no other size of a case equals them in the
    positions that are replaced."""

    def __init__(self, case, tensors, dynamic):
        self.case, self.tensors, self.dynamic = case, tensors, dynamic

    def __call__(self, name):
        value, sizes = self.tensors[name], self.case["sizes"]
        shape = [str(n) for n in value.shape]
        if self.dynamic and name != "params" and name != "dparams":
            if value.ndim == 3 and value.shape[1] == sizes["B"]:
                shape[1] = "?"
                if name in ("x", "dx", "y", "dy") or self.case["op"] == "block_lstm":
                    shape[0] = "?"
            elif value.ndim == 2 and value.shape[0] == sizes["B"]:
                shape[0] = "?"
        element = "i32" if value.dtype == np.int32 else self.case["dtype"]
        return "tensor<" + "".join(n + "x" for n in shape) + element + ">"


def wrap(text, indent):
    return textwrap.fill(text, 118, initial_indent=indent, subsequent_indent=indent + "    ", break_long_words=False,
                         break_on_hyphens=False) + "\n"


def call(op, results, operands, attributes):
    """One op in generic form over (name, type) pairs; result names are SSA names without the percent sign."""
    text = ", ".join("%" + name for name, _ in results) + f' = "tf.{op}"(' + \
        ", ".join("%" + name for name, _ in operands) + ")"
    if attributes:
        text += " {" + ", ".join(f"{k} = {v}" for k, v in attributes.items()) + "}"
    return wrap(text + " : (" + ", ".join(kind for _, kind in operands) + ") -> (" +
                ", ".join(kind for _, kind in results) + ")", "  ")


def function(name, arguments, body, results):
    head = f"func.func @{name}(" + ", ".join(f"%{n}: {t}" for n, t in arguments) + ") -> (" + \
        ", ".join(t for _, t in results) + ")"
    tail = "return " + ", ".join("%" + n for n, _ in results) + " : " + ", ".join(t for _, t in results)
    return wrap(head, "").rstrip() + " {\n" + body + wrap(tail, "  ") + "}\n"


def run_lines(function_name, inputs, outputs, limit, tolerance):
    flags = [f"--function={function_name}"]
    flags += ["--input=" + (f"@%{{golden}}/{v}.npy" if isinstance(v, str) else f"i64={v}") for v in inputs]
    flags += [f"--expected-output=@%{{golden}}/{v}.npy" for v in outputs]
    flags += [f"--atol={limit:.3g}", f"--rtol={tolerance:g}"]
    run = f"// DEFINE: %{{{function_name}}} = " + " \\\n// DEFINE:   ".join(["rnn-run %s"] + flags) + "\n"
    # As plans, as compiled loops, and as GPU kernels on the emulator.
    return run + "".join(f"// RUN: %{{{function_name}}} {flags}\n"
                         for flags in ("--lowering=runtime", "--lowering=fused", "--target=simt --lowering=fused"))


def limit_of(case, tensors, outputs):
    """Absolute tolerance: the case's tolerance times the largest value of the smallest result that is not zero."""
    scales = [float(np.abs(tensors[name]).max(initial=0)) for name in outputs]
    return case["tolerance"] * min([s for s in scales if s > 0], default=0.0)


def block_module(case, tensors, form):
    types, a, n = Types(case, tensors, form.get("dynamic")), case["attributes"], case["seq_len_max"]
    version = "V2" if a["layout"] == "ifco" else ""
    forward_attributes = {} if version else {"forget_bias": f"{a['forget_bias']} : f32"}
    forward_attributes.update(cell_clip=f"{a['cell_clip']} : f32", use_peephole=bool_attr(a["use_peephole"]))
    if form.get("defaults"):
        if (a["forget_bias"], a["cell_clip"], a["use_peephole"]) != (0, 0, False) or not version:
            raise ValueError(f"{case['name']} does not have the default attributes")
        forward_attributes = {}
    constant = form.get("constant_n")
    lead = [] if constant else [("n", "tensor<i64>")]
    text, runs = "", ""
    for name, op, attributes, key in (
            ("forward", "BlockLSTM", forward_attributes, "forward"),
            ("backward", "BlockLSTMGrad", {"use_peephole": bool_attr(a["use_peephole"])}, "backward")):
        operands, results = case[key + "_operands"], case[key + "_results"]
        arguments = [(v, types(v)) for v in operands]
        body = f'  %n = "tf.Const"() {{value = dense<{n}> : tensor<i64>}} : () -> tensor<i64>\n' if constant else ""
        outs = [("r_" + v, types(v)) for v in results]
        body += call(op + version, outs, [("n", "tensor<i64>")] + arguments, attributes)
        text += "\n" + function(name, lead + arguments, body, outs)
        runs += run_lines(name, ([] if constant else [n]) + operands, results, limit_of(case, tensors, results),
                          case["tolerance"])
    return runs, text


def cudnn_module(case, tensors, form):
    types, a, version = Types(case, tensors, form.get("dynamic")), case["attributes"], form["version"]
    lstm, element = a["mode"] == "lstm", case["dtype"]
    attributes = {"rnn_mode": f'"{a["mode"]}"', "input_mode": f'"{a["input_mode"]}"',
                  "direction": f'"{a["direction"]}"', "dropout": f"{a['dropout']} : f32", "seed": "0 : i64",
                  "seed2": "0 : i64"}
    if version == "V3":
        attributes.update(num_proj=f"{a['num_proj']} : i64", time_major="true")

    state = ["hn", "cn"] if lstm else ["hn"]
    inputs = case["forward_operands"] + ["dy"] + ["d" + v for v in state]
    outputs = case["forward_results"] + case["backward_results"]
    body = ""
    cell = "c0", types("c0") if lstm else form["cell"]
    cell_out = "cn", types("cn") if lstm else f"tensor<{element}>"
    cell_grad = "dcn", types("dcn") if lstm else cell_out[1]
    cell_back = "dc0", types("dc0") if lstm else cell[1]
    if not lstm:  # TensorFlow passes placeholders for what these modes do not have
        shape_of = "dense<> : " if cell[1].startswith("tensor<0x") else "dense<0.0> : "
        body += f'  %c0 = "tf.Const"() {{value = {shape_of}{cell[1]}}} : () -> {cell[1]}\n'
        body += f'  %dcn = "tf.Const"() {{value = dense<0.0> : {cell_grad[1]}}} : () -> {cell_grad[1]}\n'
    named = {v: (v, types(v)) for v in case["backward_operands"] + case["backward_results"]}
    operands = [named["x"], named["h0"], cell, named["params"]] + ([named["lengths"]] if version == "V3" else [])
    results = [named["y"], named["hn"], cell_out, ("reserve", f"tensor<?x{element}>")]
    reserved = [("host_reserved", "tensor<?xi8>")] if version else []
    body += call("CudnnRNN" + version, results + reserved, operands, {**attributes, "is_training": "true"})
    body += call("CudnnRNNBackprop" + version,
                 [named["dx"], named["dh0"], cell_back, named["dparams"]],
                 operands + results[:3] + [named["dy"], named["dhn"], cell_grad, results[3]] + reserved, attributes)
    text = function("main", [(v, types(v)) for v in inputs], body, [(v, types(v)) for v in outputs])
    return run_lines("main", inputs, outputs, limit_of(case, tensors, outputs), case["tolerance"]), "\n" + text


def write(case, tensors, modules, data):
    """Writes the module and the arrays of `case`, if it is one of CASES."""
    form = CASES.get(case["name"])
    if form is None:
        return
    runs, text = (block_module if case["op"] == "block_lstm" else cudnn_module)(case, tensors, form)
    folder = data / case["name"]
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.npy"):
        old.unlink()
    for name, value in tensors.items():
        if f"/{name}.npy" in runs:
            np.save(folder / (name + ".npy"), value)
    modules.mkdir(parents=True, exist_ok=True)
    # All RUN lines first, so that the module reads in one piece.
    (modules / (case["name"] + ".mlir")).write_text(
        f"// {case['name']}.mlir - results of {case['source']} (test/golden) through the whole compiler.\n"
        "// Written by test/golden/generate.py.\n"
        "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n//\n"
        f"// DEFINE: %{{golden}} = %S/../../golden/compiler/{case['name']}\n" + runs + text)
