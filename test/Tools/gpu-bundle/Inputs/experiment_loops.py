# experiment_loops.py - the instructions that the experiments of the GPU bundle measure, in the machine code of their loops.
#
#   experiment_loops.py experiments.ptx PTXAS
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib.util
import os
import sys

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "..")
spec = importlib.util.spec_from_file_location("gpu_sass", os.path.join(root, "benchmarks", "gpu-sass.py"))
gpu_sass = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gpu_sass)

with open(sys.argv[1]) as file:
    ptx = file.read()
functions, resources = gpu_sass.sass.assemble(ptx, sys.argv[2], gpu_sass.find_nvdisasm(), "sm_90a")
for name in sorted(functions):
    function = functions[name]
    loop = set().union(*function.loops) if function.loops else set()
    inside = [function.instructions[i].name for i in sorted(loop)]
    print(name + ": " + ", ".join(f"{sum(one.startswith(text) for one in inside)} {text}" for text in
                                  ("MEMBAR.ALL.GPU", "CCTL.IVALL", "STAS", "HMMA", "HGMMA")) + f", {resources[name].spilled} spilled")
