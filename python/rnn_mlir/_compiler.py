# _compiler.py - librnn-c through ctypes: from the text of a module to a shared library.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler: modules to shared libraries, with diagnostics as data."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import operator
import os
import platform
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

from . import _errors, _files, _processor

Source = Union[str, bytes, "os.PathLike[str]"]


class Diagnostic(NamedTuple):
    """A message of the compiler. `line` and `column` start at 1; 0 without a place in the source."""

    severity: str  #: error, warning, note or remark
    message: str
    file: str
    line: int
    column: int
    notes: "Tuple[Diagnostic, ...]" = ()

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        return "\n".join([f"{place}{self.severity}: {self.message}"] + [str(note) for note in self.notes])


class CompileError(_errors.Error):
    """A module was refused. `diagnostics` has every message; `line` and `column` are those of the first error."""

    def __init__(self, diagnostics: List[Diagnostic]) -> None:
        super().__init__("\n".join(map(str, diagnostics)) or "the compiler failed without a message",
                         "INVALID_ARGUMENT")
        self.diagnostics = diagnostics
        first = next((d for d in diagnostics if d.severity == "error" and d.line), None)
        self.line: Optional[int] = first.line if first else None
        self.column: Optional[int] = first.column if first else None

    def __reduce__(self) -> Tuple[Any, ...]:  # an exception is otherwise made of its message
        return type(self), (self.diagnostics,)


class _String(ctypes.Structure):  # MlirStringRef
    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class _View(ctypes.Structure):  # a returned MlirStringRef, which has no terminating zero
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def text(self) -> str:
        return ctypes.string_at(self.data, self.length).decode(errors="replace") if self.length else ""


class _Handle(ctypes.Structure):  # MlirContext, MlirModule, RnnObject, RnnDiagnostics
    _fields_ = [("ptr", ctypes.c_void_p)]


class _Result(ctypes.Structure):  # MlirLogicalResult
    _fields_ = [("value", ctypes.c_int8)]


class _Diagnostic(ctypes.Structure):  # RnnDiagnostic
    _fields_ = [("severity", ctypes.c_int), ("message", _View), ("file", _View), ("line", ctypes.c_uint),
                ("column", ctypes.c_uint), ("num_notes", ctypes.c_ssize_t)]


class _Options(ctypes.Structure):  # RnnCompileOptions
    _fields_ = ([("size", ctypes.c_size_t)] +
                [(name, ctypes.c_int) for name in ("target", "lowering", "fused_kernel", "large_gemms", "bf16_gemm",
                                                   "stop_after")] +
                [("vector_bits", ctypes.c_uint), ("optimization_level", ctypes.c_uint), ("wavefront_chunk", ctypes.c_int)] +
                [(name, ctypes.c_bool) for name in ("tf32", "simt_check", "verify_each", "export_all")] +
                [(name, _String) for name in ("chip", "tuning_records", "device", "triple", "cpu", "export_prefix")])


#: Values of options that are names, in the order of the enumerations of rnn-c/Compiler.h.
_NAMES: Dict[str, Tuple[str, ...]] = {
    "target": ("host", "cuda", "simt"),
    "lowering": ("auto", "runtime", "fused"),
    "fused_kernel": ("auto", "per_step", "persistent"),
    "large_gemms": ("kernel", "auto", "library"),
    "bf16_gemm": ("auto", "f32", "vnni", "dot", "avx512", "neon", "amx"),
}
_SEVERITIES = ("error", "warning", "note", "remark")
#: Without `triple`: the library runs in this process.
_TEXTS = ("chip", "tuning_records", "device", "cpu")
_NUMBERS = ("vector_bits", "optimization_level", "wavefront_chunk")
_FLAGS = ("tf32", "simt_check", "verify_each")


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """librnn-c.so."""
    paths = _files.compiler_libraries()
    if not paths:
        raise _errors.Unavailable("there is no compiler: install rnn-mlir-compiler, or set RNN_MLIR_COMPILER to the "
                                   "path of librnn-c.so. The layers of rnn_mlir.modules need none", "UNAVAILABLE")
    try:
        # TensorFlow exports the symbols of its LLVM: the library's own come first.
        lib = ctypes.CDLL(paths[0], mode=ctypes.DEFAULT_MODE | getattr(os, "RTLD_DEEPBIND", 0))
    except OSError as error:
        raise _errors.Unavailable(f"the compiler {paths[0]} cannot be loaded: {error}", "UNAVAILABLE") from error
    for name, result, arguments in (
            ("rnnContextCreate", _Handle, []),
            ("mlirContextDestroy", None, [_Handle]),
            ("mlirContextSetAllowUnregisteredDialects", None, [_Handle, ctypes.c_bool]),
            ("mlirModuleDestroy", None, [_Handle]),
            ("rnnCompileOptionsGetDefault", _Options, []),
            ("rnnModuleParseNamed", _Handle, [_Handle, _String, _String, _Handle]),
            ("rnnModuleCompileArchive", _Handle, [_Handle, ctypes.POINTER(_Options), _Handle]),
            ("rnnObjectLinkLibrary", _Result, [_Handle, _String, _String, _Handle]),
            ("rnnObjectDestroy", None, [_Handle]),
            ("rnnDiagnosticsCreate", _Handle, []),
            ("rnnDiagnosticsDestroy", None, [_Handle]),
            ("rnnDiagnosticsGetCount", ctypes.c_ssize_t, [_Handle]),
            ("rnnDiagnosticsGet", _Diagnostic, [_Handle, ctypes.c_ssize_t]),
            ("rnnDiagnosticsGetNote", _Diagnostic, [_Handle, ctypes.c_ssize_t, ctypes.c_ssize_t])):
        try:
            function = getattr(lib, name)
        except AttributeError:
            raise _errors.Unavailable(f"{paths[0]} is not the compiler of this version: it has no function {name}; expected "
                                       "librnn-c.so. Correct RNN_MLIR_COMPILER, or install the rnn-mlir-compiler of the same "
                                       "version", "UNAVAILABLE") from None
        function.restype, function.argtypes = result, arguments
    return lib


def available() -> bool:
    """Whether modules can be compiled."""
    return bool(_files.compiler_libraries())


def _string(text: Union[str, bytes]) -> _String:
    data = text.encode() if isinstance(text, str) else text
    return _String(data, len(data))


def _convert(raw: _Diagnostic, notes: Tuple[Diagnostic, ...] = ()) -> Diagnostic:
    return Diagnostic(_SEVERITIES[raw.severity], raw.message.text(), raw.file.text(), raw.line, raw.column, notes)


class _Session:
    """A context with its diagnostics."""

    def __init__(self) -> None:
        self.lib = library()
        self.context = self.lib.rnnContextCreate()
        self.lib.mlirContextSetAllowUnregisteredDialects(self.context, True)  # TensorFlow's ops
        self.diagnostics = self.lib.rnnDiagnosticsCreate()

    def __enter__(self) -> "_Session":
        return self

    def __exit__(self, *_: Any) -> None:
        self.lib.rnnDiagnosticsDestroy(self.diagnostics)
        self.lib.mlirContextDestroy(self.context)

    def fail(self) -> CompileError:
        lib, found = self.lib, []
        for k in range(lib.rnnDiagnosticsGetCount(self.diagnostics)):
            raw = lib.rnnDiagnosticsGet(self.diagnostics, k)
            notes = tuple(_convert(lib.rnnDiagnosticsGetNote(self.diagnostics, k, note))
                          for note in range(raw.num_notes))
            found.append(_convert(raw, notes))
        return CompileError(found)


def _make_options(lib: ctypes.CDLL, options: Dict[str, Any]) -> _Options:
    made: _Options = lib.rnnCompileOptionsGetDefault()
    made.export_all = True
    for name, value in options.items():
        if name in _NAMES:
            if not isinstance(value, str) or value not in _NAMES[name]:
                raise ValueError(f"unknown {name} `{value}`; expected one of {', '.join(_NAMES[name])}")
            setattr(made, name, _NAMES[name].index(value))
        elif name in _TEXTS:
            if value is not None and not isinstance(value, (str, os.PathLike)):
                raise TypeError(f"{name} expects a text, but got {type(value).__name__}")
            setattr(made, name, _string("" if value is None else os.fsencode(value)))
        elif name in _NUMBERS:
            # ctypes takes any integer modulo 2**32. NumPy's have __index__.
            number = -1 if isinstance(value, bool) or not hasattr(value, "__index__") else operator.index(value)
            if not 0 <= number < 2**32:
                raise ValueError(f"{name} expects an integer in [0, 2**32), but got {value!r}")
            setattr(made, name, number)
        elif name in _FLAGS:
            if not isinstance(value, bool):
                raise TypeError(f"{name} expects True or False, but got {value!r}")
            setattr(made, name, value)
        else:
            known = sorted((*_NAMES, *_TEXTS, *_NUMBERS, *_FLAGS))
            raise TypeError(f"unknown option `{name}`; expected one of {', '.join(known)}")
    return made


def read_source(source: Source) -> Tuple[bytes, str]:
    """The bytes of a module and a name for its locations."""
    if isinstance(source, bytes):
        return source, "<bytes>"
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"a module is text, bytes or the path of a file, but got {type(source).__name__}")
    if isinstance(source, os.PathLike) or ("\n" not in source and (source.endswith((".mlir", ".mlirbc")) or os.path.isfile(source))):
        path = os.fspath(source)
        with open(path, "rb") as file:
            return file.read(), path
    return source.encode(), "<string>"


#: The end of a library in the cache: these bytes, and the SHA-256 of what precedes them. The loader does not read it.
_MARK = b"rnn-mlir library\0"


def _is_whole(path: str) -> bool:
    """Whether a file of the cache is as it was written: the loader may crash on a damaged one."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return False
    end = len(content) - hashlib.sha256().digest_size
    return content[:max(end, 0)].endswith(_MARK) and hashlib.sha256(content[:end]).digest() == content[end:]


def _seal(path: str, name: str) -> None:
    """Appends the checksum to the library of the module `name`."""
    with open(path, "r+b") as file:
        content = file.read() + _MARK
        if b"rnn_exports" not in content:
            raise _errors.InvalidArgument(f"the module {name} has no public function to call", "INVALID_ARGUMENT")
        file.write(_MARK + hashlib.sha256(content).digest())
        file.flush()
        os.fsync(file.fileno())  # else a crash of the system may leave the name without the content


def _options_key(options: Dict[str, Any]) -> bytes:
    """The options, with the content of the tuning records: another file may get the same name."""
    key, records = repr(sorted(options.items())).encode(), options.get("tuning_records")
    try:
        with open(records or os.devnull, "rb") as file:
            return key + b"\0" + file.read()
    except OSError:  # the compiler reports it
        return key


@functools.lru_cache(maxsize=None)
def _identity() -> str:
    """What the machine code depends on beside the source and the options."""
    path = _files.compiler_libraries()[0]
    status = os.stat(path)
    return f"{path} {status.st_size} {status.st_mtime_ns} {platform.machine()} {sorted(_processor.flags())}"


def compile_library(source: Source, options: Dict[str, Any]) -> str:
    """The path of the shared library of a module. It is compiled once and kept in the cache folder."""
    content, name = read_source(source)
    lib = library()
    made = _make_options(lib, options)
    key = hashlib.sha256(b"\0".join([os.fsencode(_identity()), _options_key(options), content]))
    folder = _files.cache_folder()
    path = os.path.join(folder, f"rnn_{key.hexdigest()[:32]}.so")
    if not _is_whole(path):
        try:
            os.makedirs(folder, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                output = os.path.join(scratch, "module.so")
                _compile(lib, made, content, name, output, os.path.basename(path))
                _seal(output, name)
                os.replace(output, path)  # another process that compiles the same writes an equal file
        except OSError as error:
            raise _errors.Unavailable(f"the compiled library cannot be written to the cache folder {folder} ({error}); set "
                                       "RNN_MLIR_CACHE to a folder that can be written", "UNAVAILABLE") from error
    return path


def _compile(lib: ctypes.CDLL, made: _Options, content: bytes, name: str, output: str, soname: str) -> None:
    """Writes the shared library of a module."""
    with _Session() as session:
        module = lib.rnnModuleParseNamed(session.context, _string(content), _string(os.fsencode(name)), session.diagnostics)
        if not module.ptr:
            raise session.fail()
        try:
            compiled = lib.rnnModuleCompileArchive(module, ctypes.byref(made), session.diagnostics)
            if not compiled.ptr:
                raise session.fail()
            try:
                where = _string(os.fsencode(output))
                if not lib.rnnObjectLinkLibrary(compiled, where, _string(soname), session.diagnostics).value:
                    raise session.fail()
            finally:
                lib.rnnObjectDestroy(compiled)
        finally:
            lib.mlirModuleDestroy(module)
