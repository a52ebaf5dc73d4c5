#!/usr/bin/env python3
# generate.py - writes the golden files of this folder from TensorFlow's and PyTorch's CPU kernels.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes golden results of the recurrent ops: one file of npy records per case, manifest.json and cases.txt.

The two packages need not be in one Python: run once with each, into the same folder; a pass replaces only its own
cases. The C++ test reads cases.txt; manifest.json is for readers.
"""
import argparse
import json
import pathlib
import sys
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
# Tolerances of consumers: the largest difference divided by the largest value of the reference. f64 and f32 have the
# specified precision of the runtime. TensorFlow rounds to f16 in every step, so its own error (bounded below) is added to
# the runtime's 2e-3.
TOLERANCE = {"f64": 1e-12, "f32": 5e-6, "f16": 4.5e-3}
# Tolerances of the packages, compared with the equations in float64.
SOURCE_ERROR = {"f64": 1e-14, "f32": 5e-7, "f16": 2.5e-3}


def seed_of(name):
    """The seed of a case does not depend on the other cases."""
    return zlib.crc32(name.encode()) & 0x7FFFFFFF


def problem_line(case):
    """The case as one line: op, sizes, then key=value pairs."""
    s, a = case["sizes"], case["attributes"]
    sizes = "l{L}_t{T}_b{B}_i{I}_h{H}_d{D}".format(**s)
    if case["op"] == "block_lstm":
        words = ["block_lstm", sizes, f"layout={a['layout']}", f"peephole={int(a['use_peephole'])}",
                 f"forget_bias={a['forget_bias']:g}", f"cell_clip={a['cell_clip']:g}", f"n={case['seq_len_max']}"]
    else:
        words = [a["mode"], sizes, f"input_mode={a['input_mode']}", f"num_proj={a['num_proj']}",
                 f"dropout={a['dropout']:g}"] + ([f"reset_to={a['reset_to']}"] if "reset_to" in a else [])
    words += [f"dtype={case['dtype']}", f"seed={case['seed']}", f"tolerance={case['tolerance']:g}",
              f"name={case['name']}", "tensors=" + ",".join(case["tensors"])]
    return " ".join(words)


def write_tensors(path, tensors):
    # Records one after the other, as numpy.save writes them to one open file: no container format is needed.
    with open(path, "wb") as file:
        for value in tensors.values():
            np.lib.format.write_array(file, np.ascontiguousarray(value), version=(1, 0), allow_pickle=False)


def check(case):
    """Compares the results of the package with the equations."""
    limit = SOURCE_ERROR[case["dtype"]]
    for name, error in case["measured"].items():
        if not error <= limit:
            raise SystemExit(f"error: {case['name']}: result {name} of {case['source']} is {error:.3g} away from the "
                             f"equations, expected at most {limit:g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", choices=["tensorflow", "torch"], help="the package to take results from")
    parser.add_argument("--output", type=pathlib.Path, default=HERE, help="folder to write to (default: this one)")
    parser.add_argument("--integration", type=pathlib.Path, default=HERE.parent / "Integration" / "Golden",
                        help="folder for the modules that go through the whole compiler")
    args = parser.parse_args()
    sys.path.insert(0, str(HERE))
    if args.source == "tensorflow":
        import block_cases as source
    else:
        import cudnn_cases as source
    import compiler_cases

    (args.output / "cases").mkdir(parents=True, exist_ok=True)
    manifest_path = args.output / "manifest.json"
    manifest = json.loads(manifest_path.read_text()) if manifest_path.exists() else {"versions": {}, "cases": []}
    for case in manifest["cases"]:
        if case["source"] == args.source:
            (args.output / "cases" / (case["name"] + ".npys")).unlink(missing_ok=True)
    cases = [case for case in manifest["cases"] if case["source"] != args.source]

    worst = {}
    for case, tensors in source.build(seed_of):
        case["tolerance"] = TOLERANCE[case["dtype"]]
        check(case)
        case["tensors"] = list(tensors)
        case["measured"] = {k: float(f"{v:.2g}") for k, v in case["measured"].items()}
        write_tensors(args.output / "cases" / (case["name"] + ".npys"), tensors)
        compiler_cases.write(case, tensors, args.integration, args.output / "compiler")
        for name, error in case["measured"].items():
            worst.setdefault(case["dtype"], {}).setdefault(name, 0.0)
            worst[case["dtype"]][name] = max(worst[case["dtype"]][name], error)
        cases.append(case)

    cases.sort(key=lambda case: (case["source"], case["name"]))
    manifest["versions"][args.source] = source.versions()
    manifest["cases"] = cases
    head = json.dumps(manifest["versions"], indent=1, sort_keys=True)
    # One case a line: the file is read by people and compared by git.
    body = ",\n".join(json.dumps(case, sort_keys=True) for case in cases)
    manifest_path.write_text(f'{{"versions": {head},\n"cases": [\n{body}\n]}}\n')
    (args.output / "cases.txt").write_text("".join(problem_line(case) + "\n" for case in cases))
    for dtype, errors in sorted(worst.items()):
        print(f"{args.source} {dtype}: largest error against the equations in float64, per result:")
        print("  " + ", ".join(f"{name} {error:.2g}" for name, error in errors.items()))


if __name__ == "__main__":
    main()
