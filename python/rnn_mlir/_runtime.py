# _runtime.py - librnn_runtime through ctypes: devices, calls, and the functions of compiled libraries.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime library: calls of compiled functions by raw pointers and shapes."""

from __future__ import annotations

import ctypes
import functools
import math
import operator
import os
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import _files
from ._allocator import Scratch, make_allocator
from ._errors import InvalidArgument, Unavailable, raise_status
from ._signature import DTYPE_CODES, DTYPE_SIZES, MAX_RANK, RawExports, RawFunction, read_argument, where


class Tensor(ctypes.Structure):
    """rnnrt_tensor_t"""

    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("shape", ctypes.c_int64 * MAX_RANK), ("allocation", ctypes.c_void_p), ("device", ctypes.c_void_p)]


_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """librnn_runtime.so. Its functions release the GIL."""
    path = _files.find_library("librnn_runtime.so", variable="RNN_MLIR_RUNTIME")
    if not path:
        place = os.environ.get("RNN_MLIR_RUNTIME") or f"librnn_runtime.so in {_files.library_folder()}"
        raise Unavailable(f"there is no {place}; install rnn-mlir, or set RNN_MLIR_RUNTIME to the path of librnn_runtime.so",
                          "UNAVAILABLE")
    # Compiled libraries depend on `librnn_runtime.so`, and the loader finds the loaded one by this name.
    try:
        lib = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise Unavailable(f"the runtime {path} cannot be loaded: {error}", "UNAVAILABLE") from error
    pointer, i32, i64 = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64
    for name, result, arguments in (
            ("rnnrt_abi_version", i32, []),
            ("rnnrt_device_create", pointer, [ctypes.c_char_p, pointer, ctypes.POINTER(pointer)]),
            ("rnnrt_device_properties", pointer, [pointer, pointer]),
            ("rnnrt_memory_alloc", pointer, [pointer, i64, ctypes.POINTER(pointer)]),
            ("rnnrt_memory_free", pointer, [pointer, pointer]),
            ("rnnrt_call_options_init", None, [pointer]),
            ("rnnrt_call_create", pointer, [pointer, pointer, pointer, ctypes.POINTER(pointer)]),
            ("rnnrt_call_release", None, [pointer]),
            ("rnnrt_stream_create", pointer, [pointer, ctypes.POINTER(pointer)]),
            ("rnnrt_stream_borrow", pointer, [pointer, pointer, pointer, ctypes.POINTER(pointer)]),
            ("rnnrt_stream_native", pointer, [pointer]),
            ("rnnrt_stream_synchronize", pointer, [pointer]),
            ("rnnrt_event_create", pointer, [pointer, ctypes.POINTER(pointer)]),
            ("rnnrt_event_record", pointer, [pointer, pointer]),
            ("rnnrt_event_wait", pointer, [pointer, pointer]),
            ("rnnrt_event_release", None, [pointer]),
            ("rnnrt_stream_release", None, [pointer]),
            ("rnnrt_device_retain", None, [pointer]),
            ("rnnrt_device_release", None, [pointer]),
            ("rnnrt_tensor_release", None, [pointer]),
            ("rnnrt_shared_tensor_release", None, [pointer]),
            ("rnnrt_dlpack_set_capsule_functions", pointer, [pointer]),
            ("rnnrt_abi_rnn_plan", pointer, [pointer] + [i32] * 6 + [ctypes.c_double] + [i64] * 8),
            ("rnnrt_abi_rnn_fused_plan", pointer, [pointer] + [i32] * 6 + [ctypes.c_double] + [i64] * 8),
            ("rnnrt_abi_rnn_begin", i64, [pointer, i32, pointer, pointer, i64, pointer, i64]),
            ("rnnrt_abi_rnn_reserve_size", i64, [pointer] * 2),
            ("rnnrt_abi_rnn_params_size", i64, [pointer] * 2),
            ("rnnrt_abi_rnn_forward", None, [pointer] * 7 + [i64] + [pointer] * 4 + [i64]),
            ("rnnrt_abi_rnn_backward_data", None, [pointer] * 7 + [i64] + [pointer] * 8 + [i64]),
            ("rnnrt_abi_rnn_backward_weights", None, [pointer] * 7 + [i64, pointer, i64]),
            ("rnnrt_abi_rnn_pack_params", None, [pointer] * 2 + [i64] * 2 + [pointer] * 3 + [i64]),
            ("rnnrt_abi_rnn_unpack_params", None, [pointer] * 2 + [i64] * 2 + [pointer] * 3 + [i64])):
        try:
            function = getattr(lib, name)
        except AttributeError:
            raise Unavailable(f"{path} is not the runtime of this version: it has no function {name}; expected "
                              "librnn_runtime.so. Correct RNN_MLIR_RUNTIME, or install rnn-mlir again", "UNAVAILABLE") from None
        function.restype, function.argtypes = result, arguments
    return lib


@functools.lru_cache(maxsize=None)
def _status() -> ctypes.PyDLL:
    """The short functions, which keep the GIL: that costs less than to release it."""
    lib = ctypes.PyDLL(library()._name)
    for name, result in (("rnnrt_call_status", ctypes.c_void_p), ("rnnrt_call_reset", None),
                         ("rnnrt_status_code", ctypes.c_int32), ("rnnrt_status_message", ctypes.c_char_p),
                         ("rnnrt_status_release", None)):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, [ctypes.c_void_p]
    lib.rnnrt_tensor_share.restype = ctypes.c_void_p
    lib.rnnrt_tensor_share.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    lib.rnnrt_status_code_name.restype = ctypes.c_char_p
    lib.rnnrt_status_code_name.argtypes = [ctypes.c_int32]
    return lib


def _describe(status: int) -> Tuple[str, str]:
    lib = _status()
    code = lib.rnnrt_status_code_name(lib.rnnrt_status_code(status)).decode()
    return lib.rnnrt_status_message(status).decode(errors="replace"), code


def check(status: Optional[int]) -> None:
    """Raises the failure of a status that the caller owns, and releases it."""
    if status:
        message, code = _describe(status)
        _status().rnnrt_status_release(status)
        raise_status(message, code)


class _CallOptions(ctypes.Structure):  # rnnrt_call_options_t
    _fields_ = [("dropout_draw", ctypes.c_int64), ("host_waits", ctypes.c_int32)]


_devices: Dict[str, int] = {}
_creating = threading.Lock()


def _device(name: str) -> int:
    """A device that the process keeps: the modules and plans of a GPU are those of every thread."""
    if name not in _devices:
        with _creating:  # events and streams of two devices for one GPU would not fit together
            if name not in _devices:
                made = ctypes.c_void_p()
                check(library().rnnrt_device_create(name.encode(), None, ctypes.byref(made)))
                _devices[name] = made.value or 0
    return _devices[name]


class _DeviceProperties(ctypes.Structure):  # rnnrt_device_properties_t
    _fields_ = ([("name", ctypes.c_char * 256)] +
                [(name, ctypes.c_int32) for name in ("ordinal", "compute_capability", "multiprocessors", "driver_version")] +
                [(name, ctypes.c_int64) for name in ("memory_bytes", "shared_memory_per_block")])


def compute_capability(device: str) -> int:
    """That of a GPU, as 90 for 9.0."""
    made = _DeviceProperties()
    check(library().rnnrt_device_properties(_device(device), ctypes.byref(made)))
    return int(made.compute_capability)


class Shared:
    """Python's share of the memory of a tensor. Consumers of `capsule` have shares of their own, which need no Python."""

    __slots__ = ("data", "_handle", "_release")

    def __init__(self, tensor: Tensor) -> None:
        """Takes the memory of `tensor` (rnnrt_tensor_share), also if it fails."""
        # At the end of the interpreter, the globals of this module may be gone.
        self._release, self._handle = library().rnnrt_shared_tensor_release, ctypes.c_void_p()
        self.data: int = tensor.data or 0
        status = _status().rnnrt_tensor_share(ctypes.byref(tensor), ctypes.byref(self._handle))
        if status:
            library().rnnrt_tensor_release(ctypes.byref(tensor))
            check(status)

    def __del__(self) -> None:
        self._release(self._handle)

    def capsule(self, versioned: bool) -> Any:
        """A capsule of DLPack, which frees its share if no consumer takes it."""
        return _new_capsule()(self._handle, versioned)


def take_results(tensors: "ctypes.Array[Tensor]") -> List[Tuple[Tuple[int, ...], Shared]]:
    """The shape and the memory of each result."""
    shapes = [tuple(tensor.shape[:tensor.rank]) for tensor in tensors]
    return list(zip(shapes, share(tensors)))


def share(tensors: "ctypes.Array[Tensor]") -> List[Shared]:
    """A share of each. If one of them fails, the memory of all is freed."""
    shares: List[Shared] = []
    for k, tensor in enumerate(tensors):
        try:
            shares.append(Shared(tensor))
        except BaseException:
            for other in tensors[k + 1:]:
                library().rnnrt_tensor_release(ctypes.byref(other))
            raise
    return shares


@functools.lru_cache(maxsize=None)
def _new_capsule() -> Callable[[ctypes.c_void_p, bool], Any]:
    python = ctypes.PyDLL(None)  # not ctypes.pythonapi: jax.ffi.pycapsule changes the prototypes of its functions
    functions = [ctypes.cast(getattr(python, name), ctypes.c_void_p)
                 for name in ("PyCapsule_New", "PyCapsule_IsValid", "PyCapsule_GetPointer", "PyErr_NoMemory")]
    check(library().rnnrt_dlpack_set_capsule_functions((ctypes.c_void_p * len(functions))(*functions)))
    function = _status().rnnrt_dlpack_capsule
    function.restype, function.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_int32]
    return function


def host_buffer(shape: Sequence[int], dtype: str) -> Shared:
    """An uninitialized tensor with at least one element and at most `MAX_RANK` dimensions. The runtime keeps large freed blocks, which
    the C library returns to the system: each page of a new one costs a page fault."""
    device, made = _device("host"), ctypes.c_void_p()
    check(library().rnnrt_memory_alloc(device, math.prod(shape) * DTYPE_SIZES[dtype], ctypes.byref(made)))
    library().rnnrt_device_retain(device)
    return Shared(Tensor(made, DTYPE_CODES[dtype], len(shape), tuple(shape), made, device))


class Call:
    """An rnnrt_call_t. One thread at a time may use it.

    On a GPU it runs on a stream of its own, and `finish` waits for it. With `stream`, a CUstream of another library (0 and 1
    are CUDA's legacy default stream), it runs in the order of that stream, and nothing waits; `waits=False` refuses
    functions that would have to (RNNRT_HOST_WAITS_REFUSED). `scratch` is then the source of temporary device memory, unless it
    is None.
    """

    def __init__(self, device: str = "host", *, dropout_draw: Optional[int] = None, stream: Optional[int] = None,
                 waits: bool = True, scratch: Optional[Scratch] = None) -> None:
        lib = library()
        self._release, self._release_stream = lib.rnnrt_call_release, lib.rnnrt_stream_release
        self.handle: Optional[int] = None
        self._stream: Optional[int] = None
        self._failures: List[BaseException] = []
        self._allocator = make_allocator(scratch, self._failures) if scratch else None
        made, queue, handle = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        if device.startswith("cuda"):
            made = ctypes.c_void_p(_device(device))
            lib.rnnrt_device_retain(made)
        else:
            check(lib.rnnrt_device_create(device.encode(), None, ctypes.byref(made)))
        try:
            if stream is not None:
                allocator = ctypes.byref(self._allocator) if self._allocator else None
                check(lib.rnnrt_stream_borrow(made, None if stream in (0, 1) else stream, allocator, ctypes.byref(queue)))
            elif device.startswith("cuda"):
                check(lib.rnnrt_stream_create(made, ctypes.byref(queue)))
            self._stream = queue.value
            options = _CallOptions()
            lib.rnnrt_call_options_init(ctypes.byref(options))
            options.host_waits = 0 if waits else 1
            if dropout_draw is not None:
                options.dropout_draw = dropout_draw
            check(lib.rnnrt_call_create(made, queue, ctypes.byref(options), ctypes.byref(handle)))
        finally:
            lib.rnnrt_device_release(made)
        self.handle = handle.value
        #: The CUstream, or None.
        self.native: Optional[int] = lib.rnnrt_stream_native(queue) if self._stream else None
        self._synchronizes = self._stream is not None and stream is None
        self._get_status = _status().rnnrt_call_status
        self._reset = _status().rnnrt_call_reset

    def __del__(self) -> None:
        if self.handle:
            self._release(self.handle)
        if self._stream:
            self._release_stream(self._stream)

    def finish(self) -> None:
        """Returns the plans of the call to the cache, and raises its failure. Waits for a stream of its own."""
        failure = self._get_status(self.handle)
        if failure:
            message, code = _describe(failure)
            self._reset(self.handle)
            cause = self._failures.pop() if self._failures else None
            self._failures.clear()
            raise_status(message, code, cause)
        self._reset(self.handle)
        if self._synchronizes:
            check(library().rnnrt_stream_synchronize(self._stream))


_calls = threading.local()


def call_of_thread(device: str = "host") -> Call:
    """The call of this thread on `device`."""
    calls = _calls.__dict__
    call = calls.get(device)
    if call is None:
        call = calls[device] = Call(device)
    return call


class Ready:
    """The place in the stream of a call after the work that it has enqueued so far."""

    def __init__(self, call: Call, device: str) -> None:
        lib, event = library(), ctypes.c_void_p()
        self._release, self._device, self._stream = lib.rnnrt_event_release, device, call.native
        self._event: Optional[int] = None
        check(lib.rnnrt_event_create(_device(device), ctypes.byref(event)))
        self._event = event.value
        check(lib.rnnrt_event_record(event, call._stream))

    def order(self, stream: int) -> None:
        """Makes later work on a CUstream wait for it; 0 and 1 are CUDA's legacy default stream."""
        if (stream or 1) != self._stream:
            check(library().rnnrt_event_wait(self._event, call_on_stream(self._device, stream)._stream))

    def __del__(self) -> None:
        if self._event:
            self._release(self._event)


def call_on_stream(device: str, stream: int, waits: bool = True,
                   scratch: Optional[Callable[[str, int], Scratch]] = None) -> Call:
    """The call of this thread on a stream of another library. A stream that was destroyed must not be passed. `scratch`
    returns the source of temporary memory for a device and a stream."""
    calls: Dict[Any, Call] = _calls.__dict__
    key = (device, stream, waits, scratch)
    call = calls.get(key)
    if call is None:
        if len(calls) >= 64:  # programs have few streams; others make a new one per use
            calls.clear()
        call = calls[key] = Call(device, stream=stream, waits=waits, scratch=scratch(device, stream) if scratch else None)
    return call


@functools.lru_cache(maxsize=None)
def _members() -> Any:
    function = library().rnnrt_call_members
    function.restype = None
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64,
                         ctypes.c_void_p, ctypes.c_int32]
    return function


class Bound:
    """A function with the shapes of one call. `bound(*pointers)` calls one without results; several threads may do so."""

    __slots__ = ("_frames", "_entry", "_count", "_device", "_sizes", "_address", "_results", "_result_frames")

    def __init__(self, function: "Function", shapes: Sequence[Sequence[int]], device: str) -> None:
        arguments = function.inputs
        if len(shapes) != len(arguments):
            raise InvalidArgument(f"`{function.name}` expects {len(arguments)} shapes, but got {len(shapes)}",
                                  "INVALID_ARGUMENT")
        for k, (argument, shape) in enumerate(zip(arguments, shapes)):
            if len(shape) > MAX_RANK:
                raise InvalidArgument(f"{where(k, argument, function.name)} has {len(shape)} dimensions; compiled code has at most "
                                      f"{MAX_RANK}", "INVALID_ARGUMENT")
        self._count, self._device, self._entry = len(arguments), device, function.entry
        self._address = function.address
        self._sizes = [(DTYPE_CODES[a.dtype], tuple(shape)) for a, shape in zip(arguments, shapes)]
        self._frames: List[Tuple[List[Tensor], Any, int]] = []
        self._results = len(function.outputs)
        self._result_frames: List[Tuple[Any, Any]] = []

    def _make_frame(self) -> Tuple[List[Tensor], Any, int]:
        """The arguments of one call, in which only the data pointers are missing."""
        tensors = (Tensor * self._count)()
        for tensor, (dtype, shape) in zip(tensors, self._sizes):
            tensor.dtype, tensor.rank = dtype, len(shape)
            tensor.shape[:len(shape)] = shape
        pointers = pointers_to(tensors)
        return list(tensors), pointers, ctypes.addressof(pointers)

    def __call__(self, *data: Optional[int]) -> None:
        self.run(call_of_thread(self._device), data)

    def run(self, call: Call, data: Sequence[Optional[int]]) -> None:
        """The same as a part of `call`."""
        frame = self._fill(data)
        self._entry(call.handle, frame[2], self._count, None, 0)
        self._frames.append(frame)
        call.finish()

    def run_for_results(self, call: Call, data: Sequence[Optional[int]]) -> List[Tuple[Tuple[int, ...], Shared]]:
        """The same for a function with results: the shape and the memory of each."""
        frame = self._fill(data)
        try:
            results, pointers = self._result_frames.pop()
        except IndexError:
            results = (Tensor * self._results)()
            pointers = pointers_to(results)
        self._entry(call.handle, frame[2], self._count, pointers, self._results)
        self._frames.append(frame)
        call.finish()
        shared = take_results(results)
        self._result_frames.append((results, pointers))  # share has taken their memory
        return shared

    def run_members(self, call: Call, data: Sequence[Optional[int]], counts: Sequence[int], strides: Sequence[Sequence[int]],
                    parallel: bool) -> None:
        """A call for each member, of nested levels with `counts` of them, the outermost first. `strides` has, for each argument, the bytes
        between the members of each level; 0: they share it (function.h)."""
        frame = self._fill(data)
        flat = [stride for each in strides for stride in each]
        _members()(call.handle, self._address, frame[2], self._count, (ctypes.c_int64 * len(counts))(*counts), len(counts),
                   (ctypes.c_int64 * len(flat))(*flat), parallel)
        self._frames.append(frame)
        call.finish()

    def _fill(self, data: Sequence[Optional[int]]) -> Tuple[List[Tensor], Any, int]:
        if len(data) != self._count:  # a frame has the pointers of an earlier call
            name = RawFunction.from_address(self._address).name.decode()
            raise InvalidArgument(f"`{name}` expects {self._count} pointers, but got {len(data)}", "INVALID_ARGUMENT")
        # Frames are taken and returned by single list operations, which are atomic.
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = self._make_frame()
        for tensor, pointer in zip(frame[0], data):
            tensor.data = pointer
        return frame


class Function:
    """A function of a compiled library."""

    def __init__(self, address: int, owner: "Library") -> None:
        raw = RawFunction.from_address(address)
        self.owner = owner  #: keeps the library loaded
        self.address = address  #: of its rnnrt_function_t
        self.name: str = raw.name.decode()
        self.device_memory = bool(raw.flags & 1)
        self.inputs = [read_argument(raw.inputs[k], False, 0) for k in range(raw.num_inputs)]
        columns = 1 + sum(len(a.shape or ()) for a in self.inputs)
        self.outputs = [read_argument(raw.outputs[k], True, columns) for k in range(raw.num_outputs)]
        self.entry = _ENTRY(raw.entry)
        self._bind = functools.lru_cache(maxsize=256)(self._make_bound)

    def result_shape(self, index: int, shapes: Sequence[Sequence[int]]) -> Optional[Tuple[int, ...]]:
        """The shape of a result of a call with arguments of these shapes; None if it is known after the call only."""
        output = self.outputs[index]
        if output.sizes is None:
            return None if output.shape is None or -1 in output.shape else output.shape
        sizes = [1]
        for argument, shape in zip(self.inputs, shapes):
            if argument.shape is not None:
                sizes.extend(shape)
        return tuple(sum(map(operator.mul, row, sizes)) for row in output.sizes)

    def _make_bound(self, shapes: Tuple[Tuple[int, ...], ...], device: str) -> Bound:
        return Bound(self, shapes, device)

    def bind(self, shapes: Sequence[Sequence[int]], device: str = "host") -> Bound:
        """The function for arguments of these shapes. Cached."""
        if self.outputs:
            raise InvalidArgument(f"`{self.name}` returns tensors, which Function.run returns", "INVALID_ARGUMENT")
        return self._bind(tuple(map(tuple, shapes)), device)

    def __call__(self, pointers: Sequence[int], shapes: Sequence[Sequence[int]], device: str = "host") -> None:
        """Calls the function with dense row-major arguments: an address and a shape for each, in order.

        Releases the GIL. The element types are those of `inputs`; the caller checks them, the function checks sizes.
        """
        if len(pointers) != len(self.inputs):
            raise InvalidArgument(f"`{self.name}` expects {len(self.inputs)} pointers, but got {len(pointers)}",
                                  "INVALID_ARGUMENT")
        self.bind(shapes, device)(*pointers)

    def run(self, tensors: "ctypes.Array[Tensor]", call: Call) -> "ctypes.Array[Tensor]":
        """Calls the function with `tensors` and returns its results, which the caller releases."""
        count, results = len(self.inputs), (Tensor * len(self.outputs))()
        self.entry(call.handle, pointers_to(tensors), count, pointers_to(results), len(self.outputs))
        call.finish()
        return results


def pointers_to(tensors: "ctypes.Array[Tensor]") -> Any:
    """An array of the addresses of tensors."""
    start, size = ctypes.addressof(tensors), ctypes.sizeof(Tensor)
    return (ctypes.c_void_p * len(tensors))(*range(start, start + size * len(tensors), size))


class Library:
    """A compiled shared library. It is never unloaded: its code may run in any thread."""

    def __init__(self, path: str, spelling: str) -> None:
        version = library().rnnrt_abi_version()
        self.path = path
        self.spelling = spelling  #: the name of this version of the file for the loader
        try:
            self._handle = ctypes.CDLL(spelling)
        except OSError as error:
            # Code for target simt depends on the emulator, which no other code needs.
            emulator = _files.find_library("librnn_emulator.so")
            if "librnn_emulator.so" not in str(error) or not emulator:
                raise InvalidArgument(f"{path} cannot be loaded: {error}; expected a library that rnn-compile wrote for this "
                                      "machine, whose external functions are in loaded libraries", "INVALID_ARGUMENT") from error
            ctypes.CDLL(emulator)
            self._handle = ctypes.CDLL(spelling)
        try:
            exports = RawExports.in_dll(self._handle, "rnn_exports")
        except ValueError:
            raise InvalidArgument(f"{path} has no `rnn_exports`: it was not made by rnn-compile",
                                  "INVALID_ARGUMENT") from None
        if exports.abi_version != version:
            raise InvalidArgument(f"{path} was compiled for version {exports.abi_version} of the runtime's interface, "
                                  f"but librnn_runtime has version {version}; compile it again", "INVALID_ARGUMENT")
        self.functions: Dict[str, Function] = {}
        for k in range(exports.num_functions):
            function = Function(ctypes.addressof(exports.functions[k].contents), self)
            self.functions[function.name] = function

    def __getitem__(self, name: str) -> Function:
        try:
            return self.functions[name]
        except KeyError:
            raise KeyError(f"{self.path} has no function `{name}`; it has {', '.join(self.functions)}") from None


#: The loaded libraries by real path, and by the identity of the file there.
_loaded: Dict[str, Dict[Tuple[int, ...], Library]] = {}
_loading = threading.Lock()


def _renew_locks() -> None:
    """In the child of a fork, the thread that held a lock may not exist."""
    global _creating, _loading
    _creating, _loading = threading.Lock(), threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


def load_library(path: "Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]") -> Library:
    """The compiled library at `path`, loaded once, and again if another file is at this path.

    A file that is overwritten in place, instead of replaced as rnn-compile does, changes the code that is already loaded.
    """
    given = os.path.realpath(os.fsdecode(path))
    status = os.stat(given)
    identity = (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)
    with _loading:
        known = _loaded.setdefault(given, {})
        if identity not in known:
            # The loader returns the library that it has under a name, whatever the file is now.
            folder, name = os.path.split(given)
            known[identity] = Library(given, os.path.join(folder, *["."] * len(known), name))
        return known[identity]


def library_at(spelling: str) -> Library:
    """The library that is loaded under this name, or the file at this absolute path."""
    if not os.path.isabs(spelling):
        raise InvalidArgument(f"a program names the library {spelling}; expected an absolute path", "INVALID_ARGUMENT")
    with _loading:
        for known in _loaded.values():
            for made in known.values():
                if made.spelling == spelling:
                    return made
    return load_library(spelling)
