# test_jax_package.py - rnn_mlir.jax from an installed wheel, and handlers for other versions of XLA's interface.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

jax = pytest.importorskip("jax")

import wheels  # noqa: E402
from rnn_mlir import _files  # noqa: E402
from wheels import run  # noqa: E402

PROGRAM = """
import jax, jax.numpy as jnp
import rnn_mlir.jax as rnn
from rnn_mlir.jax import _native
params = rnn.init(jax.random.key(0), "gru", 3, 4)
y, hn = rnn.gru(params, jnp.ones((2, 1, 3), "f"))
gradient = jax.jit(jax.grad(lambda p: rnn.gru(p, jnp.ones((2, 1, 3), "f"))[0].sum()))(params)
print(y.shape, all(bool(jnp.isfinite(g).all()) for g in jax.tree.leaves(gradient)), _native.register()._name)
"""


def test_wheel(tmp_path):
    """The wheel has the handler: no compiler runs at the import."""
    pytest.importorskip("scikit_build_core")
    wheels.install(wheels.build(tmp_path), tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "RNN_MLIR_COMPILER": str(tmp_path / "none"), "CXX": "false",
                   "RNN_MLIR_CACHE": str(tmp_path / "cache"), "JAX_PLATFORMS": "cpu"}
    handler = tmp_path / "site" / "rnn_mlir" / "lib" / "librnn_mlir_xla.so"
    assert run(sys.executable, "-c", PROGRAM, env=environment, cwd=tmp_path) == f"(2, 1, 4) True {handler}\n"


@pytest.mark.parametrize("part,difference,fits", (("MAJOR", 1, False), ("MINOR", 1, False), ("MINOR", -1, True)))
def test_other_interface(part, difference, fits, tmp_path):
    """A handler for another version of XLA's interface is replaced by a new one, unless the user asked for it or XLA runs it."""
    if not shutil.which(os.environ.get("CXX", "c++")):
        pytest.skip("no compiler of C++")
    headers = tmp_path / "headers"
    shutil.copytree(jax.ffi.include_dir(), headers)
    api = headers / "xla" / "ffi" / "api" / "c_api.h"
    text, count = re.subn(rf"(#define XLA_FFI_API_{part}) (\d+)", lambda m: f"{m[1]} {int(m[2]) + difference}",
                          api.read_text(encoding="utf-8"))
    assert count == 1
    api.write_text(text, encoding="utf-8")
    folder, library = pathlib.Path(_files.library_folder()) / "xla", tmp_path / "librnn_mlir_xla.so"
    runtime = _files.find_library("librnn_runtime.so")
    run(os.environ.get("CXX", "c++"), "-std=c++17", "-fPIC", "-shared", "-w", f"-I{headers}", f"-I{folder}/include",
        *map(str, (folder / "src").glob("*.cpp")), "-o", str(library), runtime, f"-Wl,-rpath,{os.path.dirname(runtime)}")
    replace = f"""
from rnn_mlir import _files
find = _files.find_library
_files.find_library = lambda name, **options: {str(library)!r} if "xla" in name else find(name, **options)
"""
    environment = {**os.environ, "RNN_MLIR_CACHE": str(tmp_path / "cache"), "JAX_PLATFORMS": "cpu"}
    environment.pop("RNN_MLIR_XLA", None)
    output = run(sys.executable, "-c", replace + PROGRAM, env=environment)
    assert output.startswith(f"(2, 1, 4) True {library if fits else tmp_path / 'cache'}")
    if fits:
        return
    done = subprocess.run([sys.executable, "-c", PROGRAM], env={**environment, "RNN_MLIR_XLA": str(library)},
                          capture_output=True, text=True, check=False)
    assert done.returncode and "made for version" in done.stderr
