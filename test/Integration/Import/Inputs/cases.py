# cases.py - writes a module of a framework as a lit test that compares its results with the framework's.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import textwrap

import numpy as np

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TYPES = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "int8": "i8", "bool": "i1"}


def text_of(value):
    """The flag value of rnn-run for a small tensor, or None."""
    kind = TYPES[str(value.dtype)]
    shape = "".join(f"{n}x" for n in value.shape) + kind
    if value.size and np.all(value == value.flat[0]):
        return f"{shape}={value.flat[0]:.9g}"
    if value.size > 24:
        return None
    return shape + "=" + ",".join(f"{x:.9g}" for x in value.flat) if value.ndim == 1 else \
        shape + "=" + str(value.tolist()).replace(" ", "")


def flags(name, inputs, outputs, function=None):
    """The flags of one run; writes the tensors that do not fit into a flag. `name` may have a folder."""
    base = os.path.basename(name)
    lines = [f"--function={function}"] if function else []
    for kind, values in (("input", inputs), ("expected-output", outputs)):
        for index, value in enumerate(values):
            value = np.asarray(value, order="C")
            text = text_of(value)
            if text is None:
                path = f"{base}.{function + '.' if function else ''}{kind}{index}.npy"
                folder = os.path.join(FOLDER, os.path.dirname(name), "Inputs")
                os.makedirs(folder, exist_ok=True)
                np.save(os.path.join(folder, path), value)
                text = "@%S/Inputs/" + path
            lines.append(f"--{kind}='{text}'")
    return lines


def write(name, title, versions, script, runs, module, tolerance, extra=("",)):
    """Writes NAME.mlir. `runs` has one list of flags per function; `extra` one flag per run of each."""
    lines = [f"// {os.path.basename(name)}.mlir - {title}",
             f"// Written by {script} with {versions}.",
             "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception", "//", "// REQUIRES: rnn-run", "//"]
    for index, run in enumerate(runs):
        main = "%{main" + (str(index) if index else "") + "}"
        lines += [f"// DEFINE: {main} = rnn-run %s \\"] + [f"// DEFINE:   {flag} \\" for flag in run]
        lines += [f"// DEFINE:   --atol={tolerance} --rtol={tolerance}"]
        lines += [f"// RUN: {main} {more}".rstrip() for more in extra]
    body = module.strip() + "\n"
    os.makedirs(os.path.join(FOLDER, os.path.dirname(name)), exist_ok=True)
    with open(os.path.join(FOLDER, name + ".mlir"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n\n" + body)
