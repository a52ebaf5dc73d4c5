# test_compile_cache.py - the cache of compiled libraries, rnn_mlir.load, and libraries that cannot be loaded. Skipped without
# the compiler.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import rnn_mlir
from rnn_mlir import _compiler, _files

pytestmark = pytest.mark.skipif(not _compiler.available(), reason="no compiler (librnn-c.so)")

CONSTANT = "func.func @f() -> f32 {{ %c = arith.constant {0} : f32 return %c : f32 }}"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RNN_MLIR_CACHE", str(tmp_path / "cache"))


def compile_constant(value, path):
    """A library at `path`, as rnn-compile writes it: a new file."""
    shutil.copy(rnn_mlir.compile_module(CONSTANT.format(value)).path, f"{path}.new")
    os.replace(f"{path}.new", path)


def run(program, **environment):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **environment})


PROGRAM = f"import rnn_mlir; print(rnn_mlir.compile('{CONSTANT.format(2.5)}')())"


@pytest.mark.parametrize("damage", (lambda content: b"", lambda content: content[:2000], lambda content: bytes(len(content)),
                                    lambda content: content[:600] + bytes(64) + content[664:]))
def test_damaged_libraries_are_compiled_again(damage):
    """In other processes: a damaged library may crash the loader."""
    assert run(PROGRAM).stdout == "2.5\n"
    (path,) = pathlib.Path(_files.cache_folder()).glob("*.so")
    content = path.read_bytes()
    path.write_bytes(damage(content))
    done = run(PROGRAM)
    assert done.stdout == "2.5\n", done.stderr
    assert path.read_bytes() == content
    written = path.stat().st_mtime_ns
    assert run(PROGRAM).stdout == "2.5\n" and path.stat().st_mtime_ns == written


def test_tuning_records_are_part_of_the_key(tmp_path):
    records = tmp_path / "records.json"

    def compile_with(content):
        records.write_text(content)
        return rnn_mlir.compile_module(CONSTANT.format(1.5), tuning_records=records).path

    first = compile_with(json.dumps({"version": 2, "records": []}))
    assert compile_with(json.dumps({"version": 2, "records": []}, indent=1)) != first
    assert compile_with(json.dumps({"version": 2, "records": []})) == first
    with pytest.raises(rnn_mlir.CompileError, match="not JSON"):
        compile_with("no records")
    records.unlink()
    with pytest.raises(rnn_mlir.CompileError, match="cannot read tuning records"):
        rnn_mlir.compile_module(CONSTANT.format(1.5), tuning_records=records)


def test_folder_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for folder in ("file", "file/below"):
        monkeypatch.setenv("RNN_MLIR_CACHE", str(tmp_path / folder))
        with pytest.raises(rnn_mlir.Unavailable, match=f"cache folder {tmp_path}/{folder} .*set RNN_MLIR_CACHE to a folder"):
            rnn_mlir.compile(CONSTANT.format(3.5))


def test_paths_that_are_not_utf8(tmp_path, monkeypatch):
    monkeypatch.setenv("RNN_MLIR_CACHE", os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    assert rnn_mlir.compile(CONSTANT.format(4.5))() == 4.5
    source = os.fsdecode(os.fsencode(tmp_path) + b"/\xfe.mlir")
    pathlib.Path(source).write_text(CONSTANT.format(5.5))
    assert rnn_mlir.compile(source)() == 5.5


def test_load_from_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    compile_constant(6.5, "liblayer.so")
    for path in ("liblayer.so", "./liblayer.so", pathlib.Path("liblayer.so"), b"liblayer.so", str(tmp_path / "liblayer.so")):
        assert rnn_mlir.load(path, function="f")() == 6.5
    for path in ("libm.so.6", tmp_path / "libnone.so"):  # the loader would search the folders of the system
        with pytest.raises(FileNotFoundError, match=str(tmp_path / path)):
            rnn_mlir.load(path)


def test_load_of_a_replaced_library(tmp_path):
    path, link = tmp_path / "liblayer.so", tmp_path / "link.so"
    link.symlink_to(path)
    compile_constant(7.5, path)
    first = rnn_mlir.load(path, function="f")
    assert rnn_mlir.load(path, function="f").raw.owner is first.raw.owner
    for value in (8.5, 9.5):
        compile_constant(value, path)
        assert rnn_mlir.load(path, function="f")() == value and rnn_mlir.load(link, function="f")() == value
        assert first() == 7.5


def test_libraries_that_cannot_be_loaded(tmp_path):
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(rnn_mlir.InvalidArgument, match="text.so cannot be loaded: .*expected a library that rnn-compile wrote"):
        rnn_mlir.load(tmp_path / "text.so")
    undefined = """func.func private @no_such_function(f32) -> f32
        func.func @f(%x: f32) -> f32 { %y = call @no_such_function(%x) : (f32) -> f32 return %y : f32 }"""
    with pytest.raises(rnn_mlir.InvalidArgument, match="cannot be loaded: .*no_such_function"):
        rnn_mlir.compile(undefined)(1.0)


@pytest.mark.parametrize("variable, what", (("RNN_MLIR_COMPILER", "compiler"), ("RNN_MLIR_RUNTIME", "runtime")))
def test_wrong_libraries_in_variables(variable, what, tmp_path):
    (tmp_path / "text").write_text("no library")
    libraries = {"compiler": _files.library_folder() + "/librnn_runtime.so",
                 "runtime": _files.find_library("librnn_mlir_views.so") or pytest.skip("Views.c is not built")}
    for path, message in ((str(tmp_path / "text"), f"the {what} .*text cannot be loaded"),
                          (libraries[what], f"is not the {what} of this version"),
                          (str(tmp_path / "none"), "none")):
        program = ("import rnn_mlir\ntry:\n    rnn_mlir.compile('func.func @f() { return }')\n"
                   "except rnn_mlir.Unavailable as error:\n    print(error)")
        done = run(program, **{variable: path})
        assert done.returncode == 0, done.stderr
        assert re.search(message, done.stdout), done.stdout
