# _dlpack.py - tensors of other libraries as pointers and shapes, and results as tensors of those libraries.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The DLPack protocol through ctypes."""

from __future__ import annotations

import ctypes
import functools
import importlib
import math
import sys
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple

import numpy as np

from . import _errors, _files, _runtime, _signature

CPU, CUDA = 1, 2


class DLTensor(ctypes.Structure):
    """DLTensor of dlpack.h"""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


_READ_ONLY = 1
_CODES: Dict[Tuple[int, int], str] = {(2, 16): "f16", (4, 16): "bf16", (2, 32): "f32", (2, 64): "f64", (6, 8): "i1",
                                      (0, 8): "i8", (0, 16): "i16", (0, 32): "i32", (0, 64): "i64", (1, 8): "i8",
                                      (1, 16): "i16", (1, 32): "i32", (1, 64): "i64"}
_TO_CODE = {"f16": (2, 16), "bf16": (4, 16), "f32": (2, 32), "f64": (2, 64), "i1": (6, 8), "i8": (0, 8),
            "i16": (0, 16), "i32": (0, 32), "i64": (0, 64)}

_api = ctypes.PyDLL(None)  # not ctypes.pythonapi: jax.ffi.pycapsule changes the prototypes of its functions
_is_valid = _api.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_get_pointer = _api.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class View(NamedTuple):
    """A tensor that belongs to someone else; `owner` keeps it alive."""

    data: int
    dtype: str
    shape: Tuple[int, ...]
    dense: bool  #: row-major without gaps
    writable: bool
    device: str  #: host or cuda:N
    owner: Any
    strides: Tuple[int, ...] = ()  #: of a tensor that is not dense, in elements


def is_dense(shape: Tuple[int, ...], strides: Tuple[int, ...]) -> bool:
    """Whether elements lie row-major without gaps; `strides` count elements."""
    elements = 1
    if 0 in shape:
        return True
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size > 1 and stride != elements:
            return False
        elements *= size
    return True


def is_immutable(value: Any) -> bool:
    """Whether a tensor is JAX's, whose capsules do not state that it is read-only."""
    return type(value).__module__.partition(".")[0] in ("jax", "jaxlib")


def check_jax_types(function: str, dtypes: Iterable[str]) -> None:
    """Raises if JAX has none of these types now: it would convert values of 64 bits."""
    if not {"f64", "i64"}.isdisjoint(dtypes) and not importlib.import_module("jax").config.jax_enable_x64:
        raise TypeError(f"`{function}` has arguments or results of 64 bits, which JAX has only if jax_enable_x64 is set")


def is_traced(value: Any) -> bool:
    """Whether a value stands for an array of JAX within a transformation, such as jax.jit."""
    return isinstance(value, getattr(getattr(sys.modules.get("jax"), "core", None), "Tracer", ()))


def has_other_values(value: Any) -> bool:
    """Whether the values of a tensor of PyTorch are not those in its memory, which its capsule does not state."""
    return type(value).__module__ == "torch" and (value.is_neg() or value.is_conj())


def _refused(value: Any, error: Exception) -> _errors.Error:
    return _errors.InvalidArgument(f"a {type(value).__name__} cannot be read by DLPack: {error}", "INVALID_ARGUMENT")


def view(value: Any, stream: Optional[int]) -> View:
    """A view of an object with `__dlpack__`. `stream` is the CUDA stream that will use it."""
    if isinstance(value, Result):
        return value.view(stream)
    if is_immutable(value):
        if value.is_deleted():
            raise _errors.InvalidArgument("an array of JAX was deleted or donated", "INVALID_ARGUMENT")
        if len(value.devices()) > 1:
            raise _errors.InvalidArgument(f"an array of JAX is on {len(value.devices())} devices; move it to one by "
                                           "jax.device_put, or call the function in jax.jit", "INVALID_ARGUMENT")
    try:
        device_type, device_id = value.__dlpack_device__()
    except (BufferError, RuntimeError, ValueError) as error:  # PyTorch's meta device
        raise _refused(value, error) from error
    if device_type not in (CPU, CUDA):
        raise _errors.InvalidArgument(f"a tensor is on a device of DLPack's type {int(device_type)}; expected host or "
                                       "CUDA memory", "INVALID_ARGUMENT")
    options: Dict[str, Any] = {"stream": stream} if device_type == CUDA else {}
    if has_other_values(value):
        raise _errors.InvalidArgument("a tensor of PyTorch is a view that negates or conjugates its memory; pass "
                                      "`resolve_neg()` of it, a copy", "INVALID_ARGUMENT")
    try:
        try:
            capsule = value.__dlpack__(max_version=(1, 0), **options)
        except TypeError:
            capsule = value.__dlpack__(**options)
    except (BufferError, RuntimeError, ValueError) as error:  # PyTorch refuses tensors with gradients, without memory, sparse ones
        raise _refused(value, error) from error
    read_only = is_immutable(value)
    # The capsule stays unused: its destructor then frees what it holds.
    if _is_valid(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(_get_pointer(capsule, b"dltensor_versioned"))
        tensor, read_only = versioned.tensor, read_only or bool(versioned.flags & _READ_ONLY)
    else:
        tensor = _Managed.from_address(_get_pointer(capsule, b"dltensor")).tensor
    dtype = _CODES.get((tensor.code, tensor.bits), "") if tensor.lanes == 1 else ""
    if not dtype:
        raise _errors.InvalidArgument(f"a tensor has elements of DLPack's type {tensor.code} with {tensor.bits} bits, "
                                       "which compiled code does not have", "INVALID_ARGUMENT")
    shape = tuple(tensor.shape[:tensor.ndim])
    strides = tuple(tensor.strides[:tensor.ndim]) if tensor.strides else ()
    name = "host" if device_type == CPU else f"cuda:{device_id}"
    return View((tensor.data or 0) + tensor.byte_offset, dtype, shape, not strides or is_dense(shape, strides),
                not read_only, name, capsule, strides)


#: Of bytes, as NumPy's type strings state it.
_ORDER = "<" if sys.byteorder == "little" else ">"


class _Interface:
    """Memory as NumPy reads it, also where NumPy lacks the element type."""

    def __init__(self, seen: View) -> None:
        size = _signature.DTYPE_SIZES[seen.dtype]
        self.__array_interface__ = {"version": 3, "shape": seen.shape, "typestr": f"{'|' if size == 1 else _ORDER}u{size}",
                                    "data": (seen.data, True), "strides": tuple(size * stride for stride in seen.strides)}


def compact(seen: View) -> View:
    """A copy of a tensor in host memory, whose elements lie row-major without gaps."""
    copy = np.ascontiguousarray(np.asarray(_Interface(seen))).reshape(seen.shape)
    return View(copy.ctypes.data, seen.dtype, seen.shape, True, True, seen.device, copy)


class Expected(ctypes.Structure):
    """What Views.c expects of an argument."""

    _fields_ = [("dtype", ctypes.c_int32), ("written", ctypes.c_int32), ("numpy_dtype", ctypes.c_void_p), ("code", ctypes.c_uint8),
                ("other_code", ctypes.c_uint8), ("bits", ctypes.c_uint8)]


@functools.lru_cache(maxsize=None)
def views() -> Optional[Callable[..., int]]:
    """`rnn_mlir_views` of Views.c; None where it cannot be loaded, and `view` is used."""
    path = _files.find_library("librnn_mlir_views.so")
    if not path or sys.implementation.name != "cpython":
        return None
    try:
        function = ctypes.PyDLL(path).rnn_mlir_views
    except OSError:
        return None
    function.restype = ctypes.c_int
    function.argtypes = [ctypes.py_object] * 3 + [ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p]
    return function


def expect(arguments: "List[_signature.Argument]") -> "ctypes.Array[Expected]":
    """The table that Views.c compares with."""
    table = (Expected * len(arguments))()
    for row, argument in zip(table, arguments):
        code, bits = _TO_CODE[argument.dtype]
        row.dtype, row.written = _signature.DTYPE_CODES[argument.dtype], argument.written
        row.code, row.other_code, row.bits = code, 1 if code == 0 else code, bits
        row.numpy_dtype = id(to_numpy_dtype(argument.dtype))  # of an object that is never freed
    return table


@functools.lru_cache(maxsize=None)
def torch_dtypes() -> Dict[Any, str]:
    """Element types by PyTorch's types."""
    torch = importlib.import_module("torch")
    return {getattr(torch, name): dtype for name, dtype in (
        ("float16", "f16"), ("bfloat16", "bf16"), ("float32", "f32"), ("float64", "f64"), ("bool", "i1"),
        ("int8", "i8"), ("uint8", "i8"), ("int16", "i16"), ("int32", "i32"), ("int64", "i64"))}


@functools.lru_cache(maxsize=None)
def numpy_dtypes() -> Dict[Any, str]:
    """Element types by NumPy's types. bf16 needs the package ml_dtypes."""
    known: Dict[Any, str] = {np.dtype(t): name for t, name in (
        (np.float16, "f16"), (np.float32, "f32"), (np.float64, "f64"), (np.bool_, "i1"), (np.int8, "i8"),
        (np.uint8, "i8"), (np.int16, "i16"), (np.uint16, "i16"), (np.int32, "i32"), (np.uint32, "i32"),
        (np.int64, "i64"), (np.uint64, "i64"))}
    bfloat16 = numpy_bfloat16()
    if bfloat16 is not None:
        known[bfloat16] = "bf16"
    return known


@functools.lru_cache(maxsize=None)
def numpy_bfloat16() -> Optional[Any]:
    """NumPy's type of bf16, or None without ml_dtypes."""
    try:
        return np.dtype(importlib.import_module("ml_dtypes").bfloat16)
    except ImportError:
        return None


_NUMPY_TYPES: Dict[str, Any] = {name: np.dtype(t) for name, t in (
    ("f16", np.float16), ("f32", np.float32), ("f64", np.float64), ("i1", np.bool_), ("i8", np.int8), ("i16", np.int16),
    ("i32", np.int32), ("i64", np.int64))}


def to_numpy_dtype(dtype: str) -> Any:
    """NumPy's type of an element type. Without ml_dtypes, bf16 is uint16: its bits."""
    if dtype == "bf16":
        return numpy_bfloat16() or np.dtype(np.uint16)
    return _NUMPY_TYPES[dtype]


def _array(data: int, shape: Tuple[int, ...], name: str, owner: Any) -> Any:
    """A NumPy array on memory that `owner` keeps alive."""
    dtype = to_numpy_dtype(name)
    size = math.prod(shape) * dtype.itemsize
    if not size:
        return np.empty(shape, dtype)
    memory = (ctypes.c_char * size).from_address(data)
    setattr(memory, "owner", owner)  # lives as long as the array's base
    return np.ndarray(shape, dtype, memory)


def shared_array(owner: _runtime.Shared, shape: Tuple[int, ...], name: str) -> Any:
    """The memory of a result as an array of NumPy."""
    return _array(owner.data, shape, name, owner)


def shared_torch(owner: _runtime.Shared, shape: Tuple[int, ...], name: str) -> Any:
    """The same as a tensor of PyTorch, which the program has imported."""
    return sys.modules["torch"].from_dlpack(owner.capsule(versioned=False))


class Result:
    """A tensor that compiled code returned. Any library with DLPack takes it without a copy, `numpy()` too."""

    def __init__(self, owner: _runtime.Shared, shape: Tuple[int, ...], dtype: str, device: str = "host",
                 ready: Optional[_runtime.Ready] = None) -> None:
        self._owner = owner
        self._ready = ready  # of a result that the device may not have computed yet
        self.shape, self.dtype, self.device = shape, dtype, device

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (CUDA, int(self.device.partition(":")[2] or 0)) if self.device.startswith("cuda") else (CPU, 0)

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None,
                   copy: Optional[bool] = None) -> Any:
        if copy:
            raise BufferError("a copy is not supported")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the result is on {self.device}, and a copy to another device is not supported")
        self._order(stream)
        return self._owner.capsule(bool(max_version and max_version[0] >= 1))

    def _order(self, stream: Any) -> None:
        if self._ready and stream != -1:  # None: the legacy default stream
            self._ready.order(1 if stream is None else int(stream))

    def view(self, stream: Any) -> View:
        """The tensor for another compiled function, which needs no capsule."""
        self._order(stream)
        return View(self._owner.data, self.dtype, self.shape, True, True, self.device, self._owner)

    def numpy(self) -> Any:
        """A NumPy array on the same memory."""
        if self.device.startswith("cuda"):
            raise _errors.InvalidArgument("the result is in device memory; use its `__dlpack__`", "INVALID_ARGUMENT")
        return _array(self._owner.data, self.shape, self.dtype, self._owner)


@functools.lru_cache(maxsize=None)
def _jax_import() -> Any:
    """What JAX's from_dlpack calls after checks that take most of its time. JAX does not document it."""
    return importlib.import_module("jaxlib._jax").dlpack_managed_tensor_to_buffer


def shared_jax(owner: _runtime.Shared, shape: Tuple[int, ...], name: str, example: Any) -> Any:
    """The same as an array of JAX, on the device of `example`."""
    try:
        return _jax_import()(owner.capsule(False), example.device, None, None, CPU)
    except Exception:  # pylint: disable=broad-except; a version of JAX with another interface
        return like(Result(owner, shape, name), example)


def like(result: Result, example: Any) -> Any:
    """`result` as a tensor of the library that `example` is from."""
    library = type(example).__module__.partition(".")[0]
    if library == "torch":
        return importlib.import_module("torch").from_dlpack(result)
    if is_immutable(example):
        jax = importlib.import_module("jax")
        made = jax.dlpack.from_dlpack(result)
        return made if made.device == example.device else jax.device_put(made, example.device)
    if library == "cupy":
        return importlib.import_module("cupy").from_dlpack(result)
    return result.numpy() if result.device == "host" else result


def to_numpy(value: Any, what: str, *, copies: bool = False) -> Any:
    """A NumPy array on the memory of a tensor in host memory; with `copies`, a dense copy of one that is not dense. `what` is the
    subject of errors."""
    if isinstance(value, np.ndarray):
        return value
    try:
        seen = view(value, None)
    except _errors.InvalidArgument as error:
        raise _errors.InvalidArgument(f"{what} is not accepted: {error}", "INVALID_ARGUMENT") from error
    if seen.device != "host":
        raise _errors.InvalidArgument(f"{what} is on {seen.device}, but host memory is needed", "INVALID_ARGUMENT")
    if not seen.dense and not copies:
        raise _errors.InvalidArgument(f"{what} must lie row-major without gaps; copy it first", "INVALID_ARGUMENT")
    seen = seen if seen.dense else compact(seen)
    array = _array(seen.data, seen.shape, seen.dtype, (seen.owner, value))
    array.flags.writeable = seen.writable
    return array


def array_like(array: Any, example: Any) -> Any:
    """A NumPy array as a tensor of the library that `example` is from, on the same memory where that library can."""
    library = type(example).__module__.partition(".")[0]
    if library == "torch":
        torch = importlib.import_module("torch")
        bfloat16 = numpy_bfloat16()  # NumPy takes None for float64
        if array.dtype == np.uint16 or (bfloat16 is not None and array.dtype == bfloat16):
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(array)
    if is_immutable(example):
        return importlib.import_module("jax").numpy.asarray(array)
    return array
