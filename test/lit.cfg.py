# lit.cfg.py - configuration of the lit tests.
#
# A feature names a capability of the machine or the build. A test whose REQUIRES are not met is reported as unsupported.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import glob
import os
import platform
import shutil
import sys

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "RNN"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "golden", "lib"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.rnn_test_dir

llvm_config.with_system_environment(["HOME", "TMP", "TMPDIR", "TEMP", "RNNRT_TRACE", "RNN_IMPORT_PYTHON", "ASAN_OPTIONS", "TSAN_OPTIONS",
                                     "UBSAN_OPTIONS", "LLVM_PROFILE_FILE"])
# Commands of docs/Importing.md that need a framework run with this Python.
import_python = os.path.join(config.rnn_binary_dir, "tf-env", "bin", "python")
if "RNN_IMPORT_PYTHON" not in os.environ and os.access(import_python, os.X_OK):
    config.environment["RNN_IMPORT_PYTHON"] = import_python
llvm_config.with_environment("PATH", [config.rnn_tools_dir, config.llvm_tools_dir], append_path=True)

# With RNN_OPT_VERIFY_ROUNDTRIP=1, every rnn-opt prints the parsed module as text and as bytecode, reads both and compares.
rnn_opt = "rnn-opt"
if os.environ.get("RNN_OPT_VERIFY_ROUNDTRIP") == "1":
    rnn_opt += " --verify-roundtrip"
    lit_config.note("rnn-opt runs with --verify-roundtrip")

# scripts/coverage.sh runs the tools with an instrumented dialect, in a folder of its own.
rnn_fuzz = "rnn-fuzz"
if "coverage" in lit_config.params:
    config.test_exec_root = lit_config.params["coverage"]
    rnn_opt, rnn_fuzz = "rnn-opt-coverage", "rnn-fuzz-coverage"

# Long suites (scripts/test.sh --long) also verify the module after every pass, which takes a third of the compile time. The
# default verifies up to bufferization and at the end.
is_long = lit_config.params.get("long", "0") != "0"
verify = " --verify-each" if is_long else ""
tools = [
    ToolSubst("rnn-opt", rnn_opt, unresolved="fatal"),
    # A CHECK variable without `$` is undefined after the next CHECK-LABEL.
    ToolSubst("FileCheck", "FileCheck -enable-var-scope", unresolved="fatal"),
    ToolSubst("not", unresolved="fatal"),
    ToolSubst("split-file", unresolved="fatal"),
    ToolSubst("mlir-translate", unresolved="ignore"),
    ToolSubst("mlir-opt", unresolved="ignore"),
    ToolSubst("rnn-run", "rnn-run" + verify, unresolved="ignore"),
    ToolSubst("rnn-compile", "rnn-compile" + verify, unresolved="ignore"),
    ToolSubst("rnn-fuzz", rnn_fuzz, unresolved="ignore"),
    ToolSubst("rnn-lsp-server", unresolved="ignore"),
    ToolSubst("rnn-bundle-bench", unresolved="ignore"),
    ToolSubst("rnn-bundle-compare", unresolved="ignore"),
    ToolSubst("rnn-bundle-questions", unresolved="ignore"),
    ToolSubst("rnn-bundle-runner", unresolved="ignore"),
]
llvm_config.add_tool_substitutions(tools, [config.rnn_tools_dir, config.llvm_tools_dir])
config.substitutions.append(("%python", config.python_executable))
# For tests that change PATH.
config.substitutions.append(("%rnn_compile", os.path.join(config.rnn_tools_dir, "rnn-compile")))
config.substitutions.append(("%rnn_run", os.path.join(config.rnn_tools_dir, "rnn-run")))
config.substitutions.append(("%rnn_tools", config.rnn_tools_dir))
config.substitutions.append(("%rnn_plugin", os.path.join(config.rnn_libs_dir, "RNNPlugin.so")))
config.substitutions.append(("%rnn_capi", os.path.join(config.rnn_libs_dir, "librnn-c.so")))
config.substitutions.append(("%upstream_libs", config.upstream_libs))
config.substitutions.append(("%rnn_source", config.rnn_source_dir))
config.substitutions.append(("%rnn_binary", config.rnn_binary_dir))
fake_cuda = os.path.join(config.rnn_binary_dir, "unittests", "Runtime", "fake-cuda")
config.substitutions.append(("%fake_cuda", fake_cuda))
# Programs in C and C++ that use compiled modules: compile with warnings as errors, link the runtime.
c_flags = "-Wall -Wextra -Werror -I" + os.path.join(config.rnn_source_dir, "runtime", "include")
config.substitutions.append(("%cc", f"{config.c_compiler} {config.c_flags} -std=c11 -pedantic {c_flags}"))
config.substitutions.append(("%plain_cc", f"{config.c_compiler} {config.c_flags}"))
config.substitutions.append(("%cxx", f"{config.cxx_compiler} {config.cxx_flags} -std=c++17 {c_flags}"))
config.substitutions.append(("%link_runtime",
                             f"-L{config.rnn_libs_dir} -lrnn_runtime -Wl,-rpath,{config.rnn_libs_dir}"))
config.substitutions.append(("%mpi_include", config.mpi_include))
config.substitutions.append(("%mpi_library", config.mpi_library))
config.substitutions.append(("%mpiexec", config.mpiexec))
config.substitutions.append(("%mlir_tblgen", config.mlir_tblgen))
config.substitutions.append(("%mlir_include", config.mlir_include_dir))


def loads(*names):
    """Whether one of the shared libraries can be loaded here."""
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def has_cuda_device():
    driver = loads("libcuda.so.1")
    count = ctypes.c_int(0)
    return bool(driver and driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
                and count.value > 0)


def find_ptxas():
    """The path of ptxas, found as the pipeline finds it, or None."""
    places = [os.environ.get(variable) for variable in ("CUDA_HOME", "CUDA_ROOT", "CUDA_PATH")]
    places += ["/usr/local/cuda", "/opt/cuda"]
    path = os.pathsep.join([os.path.join(place, "bin") for place in places if place] + [os.environ.get("PATH", "")])
    return shutil.which("ptxas", path=path)


def find_clang():
    """The compiler of the GPU bundle's kernels (scripts/gpu-bundle.sh), or None."""
    return shutil.which("clang++-22") or shutil.which("clang++", path=config.llvm_tools_dir)


def has_nvdisasm():
    """Whether benchmarks/gpu-sass.py finds nvdisasm: in the build tree or in PATH."""
    pattern = os.path.join(config.rnn_binary_dir, "nvdisasm", "lib", "python3*", "site-packages", "nvidia", "*", "bin", "nvdisasm")
    return bool(glob.glob(pattern) or shutil.which("nvdisasm"))


def find_asan():
    """The shared runtime of clang's AddressSanitizer, or None. Builds with a sanitizer cannot preload another one."""
    if "-fsanitize" in config.cxx_flags:
        return None
    libraries = os.path.join(config.llvm_tools_dir, "..", "lib", "clang", "*", "lib", "*")
    for name in (f"libclang_rt.asan-{platform.machine()}.so", "libclang_rt.asan.so"):
        for found in glob.glob(os.path.join(libraries, name)):
            return os.path.normpath(found)
    return None


def has_processor_feature(name):
    try:
        with open("/proc/cpuinfo") as file:
            return any(name in line.split() for line in file if line.startswith(("flags", "Features")))
    except OSError:
        return False


def find_amx_emulator():
    """The library of unittests/AMXEmulator if the processor can run the rest of the code that uses AMX, or None."""
    library = os.path.join(config.rnn_binary_dir, "unittests", "AMXEmulator", "librnn_amx_emulator.so")
    # Builds with a sanitizer cannot preload it.
    usable = has_processor_feature("avx512_bf16") and "-fsanitize" not in config.cxx_flags and os.path.isfile(library)
    return library if usable else None


def is_built(tool):
    return os.access(os.path.join(config.rnn_tools_dir, tool), os.X_OK)


features = {
    "cuda-device": has_cuda_device(),
    "cudnn": bool(loads("libcudnn.so.9", "libcudnn.so.8")),
    "fake-cuda": all(os.path.isfile(os.path.join(fake_cuda, name)) for name in ("libcuda.so.1", "libcudnn.so.9", "libcublasLt.so.13")),
    "ptxas": bool(find_ptxas()),
    "nvdisasm": has_nvdisasm(),
    "clang": bool(find_clang()),
    "asan": bool(find_asan()),
    "nvptx": "NVPTX" in config.llvm_targets.split(),
    "jit": config.llvm_native_arch in config.llvm_targets.split(),
    "avx512-bf16": has_processor_feature("avx512_bf16"),
    "amx-bf16": has_processor_feature("amx_bf16"),
    "amx": has_processor_feature("amx_bf16") or bool(find_amx_emulator()),
    "mpi": not any(path.endswith("NOTFOUND") for path in (config.mpi_include, config.mpi_library, config.mpiexec)),
    "python": bool(config.python_executable),
    "mlir-opt": os.access(os.path.join(config.llvm_tools_dir, "mlir-opt"), os.X_OK),
    "mlir-tblgen": os.path.isfile(config.mlir_tblgen),
    "readme": os.path.isfile(os.path.join(config.rnn_source_dir, "README.md")),
    "rnn-plugin": os.path.isfile(os.path.join(config.rnn_libs_dir, "RNNPlugin.so")),
    "rnn-capi": os.path.isfile(os.path.join(config.rnn_libs_dir, "librnn-c.so")),
    "rnn-run": is_built("rnn-run"),
    "rnn-compile": is_built("rnn-compile"),
    "rnn-fuzz": is_built("rnn-fuzz"),
    "rnn-lsp-server": is_built("rnn-lsp-server"),
    "rnn-host-bench": is_built("rnn-host-bench"),
    "rnn-matmul-bench": is_built("rnn-matmul-bench"),
    "rnn-step-bench": is_built("rnn-step-bench"),
}
# Long suites (scripts/test.sh --long) have `REQUIRES: long`. Tests with a short and a long form generate %cases of their
# generator's cases, and check the counts of that name.
features["long"] = is_long
config.substitutions.append(("%cases", "cases" if features["long"] else "few"))
for feature, available in features.items():
    if available:
        config.available_features.add(feature)
config.substitutions.append(("%ptxas", find_ptxas() or "ptxas"))
config.substitutions.append(("%clangxx", find_clang() or "clang++"))
config.substitutions.append(("%asan", find_asan() or "asan"))
# Code for %amx_cpu runs after %amx_env: on a processor with AMX, or in a process that emulates it.
emulates_amx = features["amx"] and not features["amx-bf16"]
config.substitutions.append(("%amx_cpu", "native,+amx-tile,+amx-bf16" if emulates_amx else "native"))
config.substitutions.append(("%amx_env", f"env LD_PRELOAD={find_amx_emulator()}" if emulates_amx else "env"))
config.substitutions.append(("%cuda_toolkit", os.path.dirname(os.path.dirname(find_ptxas() or ""))))
lit_config.note("without: " + (", ".join(f for f in features if not features[f]) or "nothing, every feature is here"))

# Tests that use the GPU name this group in their lit.local.cfg, and run one at a time.
lit_config.parallelism_groups["gpu"] = 1
