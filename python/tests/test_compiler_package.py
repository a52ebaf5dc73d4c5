# test_compiler_package.py - the static compiler of the wheel rnn-mlir-compiler, skipped where it was not built, and the build
# of the wheel from the sources.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from rnn_mlir import _files, _layers
from wheels import ROOT, run

PACKAGE = pathlib.Path(_files.library_folder()).parent / "compiler" / "package"
LIBRARY, TOOL = PACKAGE / "lib" / "librnn-c.so", PACKAGE / "bin" / "rnn-compile"
DYNAMIC = pathlib.Path(_files.library_folder()).parent.parent / "bin" / "rnn-compile"

needs_package = pytest.mark.skipif(not TOOL.exists(), reason="no static compiler (ninja rnn-compiler-package)")
needs_mlir = pytest.mark.skipif(not shutil.which("clang++-22") or not os.path.exists("/usr/lib/llvm-22/lib/liblldELF.a"),
                                reason="no MLIR 22 where scripts/setup.sh installs it")

PROGRAM = """
import numpy as np
import rnn_mlir
text = '''func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.exp %x : tensor<?xf32>
  return %y : tensor<?xf32>
}'''
print(rnn_mlir.compile(text)(np.zeros(3, np.float32)))
try:
    rnn_mlir.compile(text.replace('math.exp', 'math.none'))
except rnn_mlir.CompileError as error:
    print(error.line, error.column)
"""


@needs_package
def test_needs_no_library_and_no_linker(tmp_path):
    needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", LIBRARY))
    assert all(re.match(r"lib(c|m|dl|pthread|rt)\.so|ld-linux", name) for name in needed), needed
    environment = {**os.environ, "PATH": str(tmp_path), "RNN_MLIR_COMPILER": str(LIBRARY),
                   "RNN_MLIR_CACHE": str(tmp_path)}
    assert run(sys.executable, "-c", PROGRAM, env=environment) == "[1. 1. 1.]\n2 8\n"


@needs_package
def test_same_code(tmp_path):
    source = tmp_path / "gru.mlir"
    source.write_text(_layers.module_text("gru", "bidirectional", "f32"))
    for name, options in (("host", []), ("arm", ["--triple=aarch64-linux-gnu"]), ("v4", ["--cpu=x86-64-v4"])):
        objects = [tmp_path / f"{name}-{k}.o" for k in range(2)]
        for tool, output in zip((TOOL, DYNAMIC), objects):
            run(tool, source, "--prefix=m", "-o", output, *options)
        assert objects[0].read_bytes() == objects[1].read_bytes(), name
    ptx = run(TOOL, source, "--target=cuda", "--lowering=fused", "-o", tmp_path / "gru.ptx")
    assert ptx == "" and ".target sm_80" in (tmp_path / "gru.ptx").read_text()


@needs_package
def test_wheel(tmp_path):
    pytest.importorskip("scikit_build_core")
    run(sys.executable, "-m", "pip", "wheel", ROOT / "python" / "compiler", "--no-build-isolation", "--no-deps", "-w",
        tmp_path, f"--config-settings=cmake.define.RNN_COMPILER_PACKAGE={PACKAGE}",
        f"--config-settings=build-dir={tmp_path}/build")
    (wheel,) = tmp_path.glob("*.whl")
    version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    assert wheel.name.startswith(f"rnn_mlir_compiler-{version}-py3-none-linux")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name for name in names if "dist-info" not in name} == {
        f"rnn_mlir_compiler/{name}" for name in ("__init__.py", "py.typed", "lib/librnn-c.so", "bin/rnn-compile")}
    assert any(".dist-info/" in name and name.endswith("/LICENSE") for name in names)
    run(sys.executable, "-m", "pip", "install", "--no-deps", "--target", tmp_path / "site", wheel)
    check(tmp_path)


@needs_mlir
def test_install(tmp_path):
    """`pip install ./python/compiler` without a build of the package, in the folder that pyproject.toml names. The compiler cache has
    the objects of the build of the project."""
    pytest.importorskip("scikit_build_core")
    run(sys.executable, "-m", "pip", "install", ROOT / "python" / "compiler", "--no-build-isolation", "--no-deps", "--target",
        tmp_path / "site")
    check(tmp_path)


@needs_mlir
def test_missing_archives(tmp_path):
    """Without those of lld, the wheel cannot be configured."""
    done = subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path, "-DSKBUILD=2", "-DRNN_LLD_ELF=RNN_LLD_ELF-NOTFOUND",
                           "-DSKBUILD_PROJECT_NAME=rnn_mlir_compiler"], capture_output=True, text=True, check=False)
    assert done.returncode and "liblld-22-dev" in done.stderr, done.stderr


def check(tmp_path):
    """The installed compiler is that of rnn_mlir, and its program runs."""
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path / 'site'}:{os.environ.get('PYTHONPATH', '')}",
                   "RNN_MLIR_CACHE": str(tmp_path)}
    environment.pop("RNN_MLIR_COMPILER", None)  # it would name another compiler
    assert "OVERVIEW" in run(tmp_path / "site" / "bin" / "rnn-compile", "--help", env=environment)
    where = "import rnn_mlir; from rnn_mlir import _files; print(_files.compiler_libraries()[0])"
    assert run(sys.executable, "-c", where, env=environment).startswith(str(tmp_path))
