# _native.py - the native half of rnn_mlir.jax: the handler of XLA's foreign function interface, and the compiled
# modules it calls.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registration of the XLA handler, and resolution of modules to compiled libraries."""

from __future__ import annotations

import ctypes
import functools
import glob
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from typing import Any, Dict, Set

import jax

from .. import _files, _runtime, _variants

XLA_TARGET = "rnn_mlir_layer"
MEMBERS_TARGET = "rnn_mlir_members"
#: Layers with parameters in arrays of their own.
SEPARATE_TARGET = "rnn_mlir_separate"
#: Functions that return tensors, such as those of `rnn_mlir.compile`.
RETURNING_TARGET = "rnn_mlir_returning"
#: The bytes of all operands, one after the other, become those of the results.
COPY_TARGET = "rnn_mlir_copy"

#: The `disabled_checks` of jax.export: JAX promises no compatibility for calls that are not its own.
EXPORT_CHECKS = [jax.export.DisabledSafetyCheck.custom_call(name)
                 for name in (XLA_TARGET, MEMBERS_TARGET, SEPARATE_TARGET, RETURNING_TARGET, COPY_TARGET)]

#: Modules that this process looked up or compiled, by their text or name: the library of each. For tests.
resolved: Dict[str, str] = {}


def _build() -> str:
    folder = os.path.join(_files.library_folder(), "xla")
    sources = sorted(glob.glob(os.path.join(folder, "src", "*.cpp")))
    if not sources:
        raise ImportError(f"rnn_mlir.jax: {folder}/src has no sources of the XLA handler; install the package again")
    runtime = _runtime.library()
    name = f"{jax.__version__} {runtime.rnnrt_abi_version()} {runtime._name}"
    digest = hashlib.sha256(name.encode())
    for file in sources + sorted(glob.glob(os.path.join(folder, "src", "*.h"))):
        with open(file, "rb") as opened:
            digest.update(opened.read())
    headers = os.path.join(folder, "include")
    cache = _files.cache_folder()
    path = os.path.join(cache, f"xla-{digest.hexdigest()[:16]}.so")
    if os.path.exists(path):
        return path
    os.makedirs(cache, exist_ok=True)
    descriptor, scratch = tempfile.mkstemp(suffix=".so", dir=cache)
    os.close(descriptor)
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-O2", "-fPIC", "-shared", "-w",
               "-I" + jax.ffi.include_dir(), "-I" + headers, *sources, "-o", scratch, runtime._name,
               "-Wl,-rpath," + os.path.dirname(runtime._name)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        os.unlink(scratch)
        raise ImportError("rnn_mlir.jax needs its XLA handler, and the wheel has none, or one for another version of XLA's interface "
                          f"than that of JAX {jax.__version__}; building it now failed:\n{' '.join(command)}\n{done.stderr}")
    os.replace(scratch, path)  # a process that builds at the same time writes the same file
    return path


@functools.lru_cache(maxsize=None)
def key(module: str, function: str) -> int:
    """A 64-bit hash under which the handler finds a function."""
    return int.from_bytes(hashlib.sha256(f"{function}\n{module}".encode()).digest()[:8], "little", signed=True)


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char), ctypes.c_int)
def _resolve(module: bytes, device: bytes, answer: Any, size: int) -> int:
    """What the handler calls for a module that this process has not used, as after jax.export in another one."""
    try:
        code, said = 0, _variants.library_path(module.decode(), device.decode().partition(":")[0], device.decode())
        resolved[module.decode()] = said
    except Exception as error:  # pylint: disable=broad-except; XLA raises the message
        code, said = 1, str(error)
    data = said.encode()[:size - 1] + b"\0"
    ctypes.memmove(answer, data, len(data))
    return code


@ctypes.CFUNCTYPE(ctypes.c_int)
def _first_gpu() -> int:
    """The ordinal of the first GPU of this process, which on a cluster may have others than GPU 0. A device of the runtime
    would take memory on GPU 0."""
    try:
        return int(jax.local_devices(backend="cuda")[0].local_hardware_id)
    except Exception:  # pylint: disable=broad-except; an exception cannot pass through XLA
        return 0


def _interface() -> int:
    """The version of this JAX's foreign function interface: 1000 * major + minor."""
    with open(os.path.join(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h"), encoding="utf-8") as file:
        parts = dict(re.findall(r"#define XLA_FFI_API_(MAJOR|MINOR) (\d+)", file.read()))
    return 1000 * int(parts["MAJOR"]) + int(parts["MINOR"])


def _load() -> "ctypes.CDLL":
    """The handlers of the package. XLA also runs those made for an earlier minor version of its interface. For another version, or
    if the package has none, they are compiled."""
    path = _files.find_library("librnn_mlir_xla.so", variable="RNN_MLIR_XLA")
    if path:
        library = ctypes.CDLL(path)
        # Handlers of earlier releases do not state their version.
        version, expected = getattr(library, "rnn_mlir_xla_api_version", lambda: -1)(), _interface()
        if version // 1000 == expected // 1000 and version <= expected:
            return library
        if os.environ.get("RNN_MLIR_XLA"):
            made, wanted = ["unknown" if v < 0 else f"{v // 1000}.{v % 1000}" for v in (version, expected)]
            raise ImportError(f"RNN_MLIR_XLA is {path}, made for version {made} of XLA's interface, but JAX {jax.__version__} has version "
                              f"{wanted}; unset RNN_MLIR_XLA, or compile the file with the headers in {jax.ffi.include_dir()}")
    return ctypes.CDLL(_build())


@functools.lru_cache(maxsize=None)
def register() -> "ctypes.CDLL":
    """Registers the handlers, and returns their library. JAX keeps the functions, and ctypes the library, for the life of the
    process."""
    _runtime.library()  # the handler and every compiled library use this copy
    library = _load()
    library.rnn_mlir_xla_set_callbacks.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.rnn_mlir_xla_set_callbacks(_resolve, _first_gpu)
    # Stages without a state: jaxlib refuses types of states that are registered before the client exists.
    kinds = ((XLA_TARGET, ""), (MEMBERS_TARGET, "_members"))
    host_kinds = ((SEPARATE_TARGET, "_separate"), (RETURNING_TARGET, "_returning"))
    for platform, suffix, targets in (("cpu", "", (*kinds, *host_kinds)), ("CUDA", "_cuda", kinds)):
        for target, kind in targets:
            stages = {stage: jax.ffi.pycapsule(getattr(library, f"rnn_mlir_xla_{stage}{suffix}{kind}"))
                      for stage in ("instantiate", "initialize", "execute") if suffix or stage != "initialize"}
            jax.ffi.register_ffi_target(target, stages, platform=platform)
    jax.ffi.register_ffi_target(COPY_TARGET, jax.ffi.pycapsule(library.rnn_mlir_xla_copy), platform="cpu")
    return library


_serialized: Set[type] = set()


def serialized(kind: type) -> bool:
    """Whether this was called for `kind` before."""
    known = kind in _serialized
    _serialized.add(kind)
    return known
