"""Runs the invalid modules of test/Dialect/RNN through the pipeline of every target and lowering.

modules.py RNN_OPT_COMMAND FOLDER: each file invalid-*.mlir without passes of its own. Each module is rejected with its messages,
before any pass runs, and nothing else is reported. Prints the number of modules.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import glob
import os
import shlex
import subprocess
import sys

command, folder = shlex.split(sys.argv[1]), sys.argv[2]
PLAIN = "// RUN: rnn-opt %s -split-input-file -verify-diagnostics"
PIPELINES = [("host", "runtime"), ("host", "fused"), ("simt", "runtime"), ("simt", "fused"), ("cuda", "fused")]
modules = failures = 0
for path in sorted(glob.glob(os.path.join(folder, "invalid-*.mlir"))):
    with open(path) as file:
        text = file.read()
    if PLAIN not in text.split("\n"):
        continue
    modules += sum("expected-error" in module for module in text.split("// -----"))
    for target, lowering in PIPELINES:
        arguments = command + [path, "-split-input-file", "-verify-diagnostics", "-o", os.devnull,
                               f"--rnn-pipeline=target={target} lowering={lowering}"]
        done = subprocess.run(arguments, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            failures += 1
            print(f"FAIL {shlex.join(arguments)}: exit status {done.returncode}\n{done.stdout}")
print(f"{modules} modules in {len(PIPELINES)} pipelines, {failures} failed")
