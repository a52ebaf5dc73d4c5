# _function.py - compiled functions over NumPy arrays and everything that has `__dlpack__`.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled modules as Python callables."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import os
import sys
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

import numpy as np

from . import _compiler, _dlpack, _errors, _runtime, _signature

_SCALARS: Dict[str, Any] = {"f32": ctypes.c_float, "f64": ctypes.c_double, "i1": ctypes.c_bool, "i8": ctypes.c_int8,
                            "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64}


def _error(message: str) -> _errors.InvalidArgument:
    return _errors.InvalidArgument(message, "INVALID_ARGUMENT")


_streams = threading.local()


@contextlib.contextmanager
def cuda_stream(stream: int) -> Iterator[None]:
    """Calls of functions for target cuda in this thread run on `stream`, a CUstream; 0 is CUDA's legacy default stream.

    They return before the GPU has executed them. Their arguments must stay alive until it has, and may be used on that stream
    alone, unless the program orders other streams itself. `__dlpack__` of a result orders the stream of its consumer.
    """
    before = getattr(_streams, "current", None)
    _streams.current = stream
    try:
        yield
    finally:
        _streams.current = before


def _stream_of(arguments: Tuple[Any, ...], device: str) -> Optional[int]:
    """The CUstream of a call: that of `cuda_stream`, or the current one of PyTorch or CuPy if all tensors are theirs, whose
    allocators reuse memory in its order. None: one of its own, for which the call waits."""
    current: Optional[int] = getattr(_streams, "current", None)
    if current is not None:
        return current
    libraries = {type(v).__module__.partition(".")[0] for v in arguments if hasattr(v, "__dlpack__")}
    if libraries == {"torch"}:
        return int(sys.modules["torch"].cuda.current_stream(device).cuda_stream)
    if libraries == {"cupy"}:
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    return None


#: The result of a short path that cannot make the call.
_REFUSED = object()


def _one_or_all(results: List[Any]) -> Any:
    return results[0] if len(results) == 1 else tuple(results)


class _Frame:
    """The memory for the arguments and results of one call."""

    def __init__(self, inputs: int, outputs: int) -> None:
        self.tensors = (_runtime.Tensor * inputs)()
        self.results = (_runtime.Tensor * outputs)()
        self._pointers = _runtime.pointers_to(self.tensors), _runtime.pointers_to(self.results)
        #: Of the tensors, and what a function of the runtime's interface gets.
        self.address = ctypes.addressof(self.tensors)
        self.arguments = (ctypes.addressof(self._pointers[0]), inputs, ctypes.addressof(self._pointers[1]), outputs)


class CompiledFunction:
    """A function of a compiled module. Arguments are passed by position, or by their names in the module.

    Tensors are NumPy arrays or have `__dlpack__`; NumPy's scalars are tensors of rank 0. They are not copied, unless their
    elements do not lie row-major without gaps; a tensor that the function writes to must. Element types are not converted.
    Results are tensors of the library that the first tensor is from, and own their memory: one result, or a tuple. The call
    releases the GIL.
    """

    def __init__(self, function: _runtime.Function, device: str) -> None:
        self.raw = function  #: by pointers and shapes
        self.name = function.name
        self.inputs = tuple(function.inputs)
        self.outputs = tuple(function.outputs)
        self._device = device
        self._index = {argument.name: k for k, argument in enumerate(self.inputs) if argument.name}
        # Tensors of known rank in host memory: such calls have short paths.
        self._short = bool(self.inputs) and not function.device_memory and not any(
            a.scalar or a.shape is None for a in (*self.inputs, *self.outputs))
        self._wide = [a.dtype for a in self.outputs if not a.scalar and a.dtype in ("f64", "i64")]
        self._writes = [k for k, a in enumerate(self.inputs) if a.written]
        self._views = _dlpack.views() if self._short else None
        self._expected = _dlpack.expect(function.inputs if self._views else [])
        self._expected_address = ctypes.addressof(self._expected)
        self._frames: List[_Frame] = []

    def __repr__(self) -> str:
        def describe(argument: _signature.Argument) -> str:
            if argument.scalar:
                return f"{argument.name or '_'}: {argument.dtype}"
            shape = "*" if argument.shape is None else ", ".join("?" if n < 0 else str(n) for n in argument.shape)
            return f"{argument.name or '_'}: {argument.dtype}[{shape}]{' written' if argument.written else ''}"

        inputs = ", ".join(map(describe, self.inputs))
        outputs = ", ".join(describe(a).replace(" written", "") for a in self.outputs)
        return f"<rnn_mlir function {self.name}({inputs}) -> ({outputs})>"

    def __reduce__(self) -> Tuple[Any, ...]:
        """By the path of the library, which the other process must have."""
        return _load_function, (self.raw.owner.path, self._device, self.name)

    def __copy__(self) -> "CompiledFunction":  # it never changes
        return self

    def __deepcopy__(self, memo: Any) -> "CompiledFunction":
        return self

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:  # an argument may be named self
        if named:
            arguments = self._order(arguments, named)
        if len(arguments) != len(self.inputs):
            raise _error(f"`{self.name}` expects {len(self.inputs)} arguments, but got {len(arguments)}")
        if self._short:
            if type(arguments[0]).__module__ == "torch":
                dense = self._dense_torch(arguments)
                if dense:
                    bound = self.raw._bind(tuple(dense[1]), self._device)
                    if not self.outputs:
                        return bound(*dense[0])
                    shared = bound.run_for_results(_runtime.call_of_thread(self._device), dense[0])
                    return self._results(shared, _dlpack.shared_torch)
            elif _dlpack.is_immutable(arguments[0]):
                results = self._call_program(arguments)
                if results is not _REFUSED:
                    return results
            if self._views:
                results = self._call_viewed(arguments)
                if results is not _REFUSED:
                    return results
        return self._call_any(arguments)

    def _order(self, arguments: Tuple[Any, ...], named: Dict[str, Any]) -> Tuple[Any, ...]:
        """All arguments by position."""
        missing = object()
        ordered = list(arguments) + [missing] * (len(self.inputs) - len(arguments))
        for name, value in named.items():
            if name not in self._index:
                names = ", ".join(self._index) or "no names of arguments, as modules in bytecode"
                raise TypeError(f"`{self.name}` has no argument `{name}`; it has {names}")
            if ordered[self._index[name]] is not missing:
                raise TypeError(f"`{self.name}` got argument `{name}` twice")
            ordered[self._index[name]] = value
        for argument, value in zip(self.inputs, ordered):
            if value is missing:
                raise TypeError(f"`{self.name}` lacks argument `{argument.name}`")
        return tuple(ordered)

    def _dense_torch(self, arguments: Tuple[Any, ...]) -> Optional[Tuple[List[int], List[Tuple[int, ...]]]]:
        """The addresses and shapes of the arguments if all are dense tensors of PyTorch of the types in host memory, else None.
        DLPack takes longer."""
        dtypes = _dlpack.torch_dtypes()
        pointers, shapes = [], []
        for value, argument in zip(arguments, self.inputs):
            if type(value).__module__ != "torch" or dtypes.get(value.dtype) != argument.dtype:
                return None
            # DLPack reports what is wrong with the others.
            if value.requires_grad or not value.is_cpu or not value.is_contiguous() or value.is_conj() or value.is_neg():
                return None
            try:
                pointers.append(value.data_ptr())
            except RuntimeError:  # a sparse tensor
                return None
            shapes.append(tuple(value.shape))
        return pointers, shapes

    def _results(self, shared: List[Tuple[Tuple[int, ...], _runtime.Shared]], make: Callable[..., Any]) -> Any:
        """Results in host memory as tensors, each by `make(memory, shape, dtype)`."""
        return _one_or_all([make(memory, shape, a.dtype) for a, (shape, memory) in zip(self.outputs, shared)])

    @functools.cached_property
    def _program(self) -> Optional[Callable[..., Any]]:
        """`program` of jax/_eager.py, which needs the XLA handler and undocumented parts of JAX; None without them."""
        try:
            return importlib.import_module("rnn_mlir.jax._eager").program(self)  # type: ignore[no-any-return]
        except (ImportError, AttributeError, OSError, TypeError):
            return None

    def _call_program(self, arguments: Tuple[Any, ...]) -> Any:
        """The call by the compiler of JAX, if all arguments are its arrays and the results are small. Else, and for calls that fail,
        returns `_REFUSED`: the other paths report what is wrong."""
        if self._wide:
            _dlpack.check_jax_types(self.name, self._wide)
        if self._program is None:
            return _REFUSED
        try:
            return self._program(arguments)
        except Exception:  # pylint: disable=broad-except
            return _REFUSED

    def _call_viewed(self, arguments: Tuple[Any, ...]) -> Any:
        """The call by Views.c, if all arguments are dense tensors of the types, of any library. Else returns `_REFUSED`."""
        assert self._views
        for k in self._writes:
            if type(arguments[k]) is not np.ndarray and _dlpack.is_immutable(arguments[k]):
                return _REFUSED
        if any(map(_dlpack.has_other_values, arguments)):
            return _REFUSED
        owners: List[Any] = []
        # Frames are taken and returned by single list operations, which are atomic.
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = _Frame(len(self.inputs), len(self.outputs))
        if not self._views(arguments, owners, np.ndarray, len(arguments), self._expected_address, frame.address):
            self._frames.append(frame)
            return _REFUSED
        call = _runtime.call_of_thread(self._device)
        self.raw.entry(call.handle, *frame.arguments)
        call.finish()
        shared = _runtime.take_results(frame.results) if self.outputs else []
        self._frames.append(frame)
        if not shared:
            return None
        if type(arguments[0]) is np.ndarray:
            return self._results(shared, _dlpack.shared_array)
        if _dlpack.is_immutable(arguments[0]):
            return self._results(shared, lambda memory, shape, dtype: _dlpack.shared_jax(memory, shape, dtype, arguments[0]))
        return self._results(shared, lambda memory, shape, dtype: _dlpack.like(_dlpack.Result(memory, shape, dtype), arguments[0]))

    def _call_any(self, arguments: Tuple[Any, ...]) -> Any:
        if any(map(_dlpack.is_traced, arguments)):
            return importlib.import_module("rnn_mlir.jax").call(self, *arguments)
        device = self._place(arguments)
        native = _stream_of(arguments, device) if device.startswith("cuda") else None
        call = _runtime.call_of_thread(device) if native is None else _runtime.call_on_stream(device, native)
        stream = call.native
        count = len(self.inputs)
        tensors = (_runtime.Tensor * count)()
        keep: List[Any] = [arguments]
        example: Any = None
        for k, (argument, value) in enumerate(zip(self.inputs, arguments)):
            if argument.scalar:
                keep.append(self._set_scalar(tensors[k], k, value))
                continue
            seen = self._view(k, value, stream)
            example = value if example is None else example
            keep.append(seen.owner)
            tensor = tensors[k]
            if len(seen.shape) > len(tensor.shape):
                raise _error(f"{self._where(k)} has {len(seen.shape)} dimensions; compiled code has at most "
                             f"{len(tensor.shape)}")
            tensor.data, tensor.dtype, tensor.rank = seen.data, _signature.DTYPE_CODES[argument.dtype], len(seen.shape)
            tensor.shape[:len(seen.shape)] = seen.shape
        if self._wide and _dlpack.is_immutable(example):
            _dlpack.check_jax_types(self.name, self._wide)
        # If one of the results cannot be converted, the others are freed.
        raw = self.raw.run(tensors, call)
        results = list(zip(raw, _runtime.share(raw)))
        ready = None if native is None or not self.outputs else _runtime.Ready(call, device)
        made: List[Any] = []
        for argument, (result, owner) in zip(self.outputs, results):
            if argument.scalar:
                made.append(_read_scalar(argument, owner))
            else:
                shape = tuple(result.shape[:result.rank])
                result = _dlpack.Result(owner, shape, argument.dtype, device if stream else "host", ready)
                made.append(_dlpack.like(result, example))
        return _one_or_all(made) if made else None

    def _place(self, arguments: Tuple[Any, ...]) -> str:
        """The device of the call."""
        if not self.raw.device_memory:
            return self._device
        for argument, value in zip(self.inputs, arguments):
            if not argument.scalar and hasattr(value, "__dlpack_device__"):
                kind, index = value.__dlpack_device__()
                if kind == _dlpack.CUDA:
                    return f"cuda:{index}"
        raise _error(f"`{self.name}` was compiled for target cuda and expects tensors in device memory")

    def _where(self, index: int) -> str:
        return _signature.where(index, self.inputs[index], self.name)

    def _number(self, index: int, value: Any) -> Any:
        """The argument of a scalar."""
        kind = _SCALARS.get(self.inputs[index].dtype)
        if kind is None:
            raise _error(f"{self._where(index)} is a scalar of type {self.inputs[index].dtype}, which Python lacks; "
                         "use a tensor of rank 0 in the module")
        shape = getattr(value, "shape", ())
        if shape:
            raise _error(f"{self._where(index)} must be a number of type {self.inputs[index].dtype}, but got "
                         f"{type(value).__name__} of shape {tuple(shape)}")
        try:
            number = kind(value)
        except (TypeError, OverflowError):
            raise _error(f"{self._where(index)} must be a number of type {self.inputs[index].dtype}, but got "
                         f"{type(value).__name__}") from None
        # ctypes takes any integer modulo the size of its type, and any object as a bool.
        if self.inputs[index].dtype.startswith("i") and number.value != value:
            raise _error(f"{self._where(index)} must be a number of type {self.inputs[index].dtype}, but got {value!r}")
        return number

    def _set_scalar(self, tensor: _runtime.Tensor, index: int, value: Any) -> Any:
        number = self._number(index, value)
        tensor.data, tensor.dtype = ctypes.addressof(number), _signature.DTYPE_CODES[self.inputs[index].dtype]
        return number

    def _view(self, index: int, value: Any, stream: Optional[int]) -> _dlpack.View:
        argument = self.inputs[index]
        if isinstance(value, np.generic) and not argument.written:
            value = np.asarray(value)
        if isinstance(value, np.ndarray):
            seen = self._view_array(index, value)
        elif hasattr(value, "__dlpack__"):
            try:
                seen = _dlpack.view(value, stream)
            except _errors.InvalidArgument as error:
                raise _error(f"{self._where(index)} is not accepted: {error}") from error
        else:
            raise _error(f"{self._where(index)} must be a NumPy array or have `__dlpack__`, but got "
                         f"{type(value).__name__}")
        if seen.dtype != argument.dtype:
            raise _error(f"{self._where(index)} must have elements of type {argument.dtype}, but got {seen.dtype}")
        if (seen.device != "host") != self.raw.device_memory:
            expected = "device" if self.raw.device_memory else "host"
            raise _error(f"{self._where(index)} must be in {expected} memory, but is on {seen.device}")
        if argument.written and not seen.writable:
            raise _error(f"{self._where(index)} is written by the function, but is read-only")
        if not seen.dense:
            if argument.written:
                raise _error(f"{self._where(index)} is written by the function: its elements must lie row-major "
                             "without gaps")
            if seen.device != "host":
                raise _error(f"{self._where(index)} must lie row-major without gaps; copy it first")
            if isinstance(value, np.ndarray):
                return self._view_array(index, np.ascontiguousarray(value))
            return _dlpack.compact(seen)
        return seen

    def _view_array(self, index: int, array: Any) -> _dlpack.View:
        dtype = _dlpack.numpy_dtypes().get(array.dtype)
        if dtype == "i16" and self.inputs[index].dtype == "bf16" and array.dtype == np.uint16:
            dtype = "bf16"  # its bits
        if dtype is None:
            raise _error(f"{self._where(index)} has elements of NumPy's type {array.dtype}, which compiled code does "
                         f"not have; convert it to {_dlpack.to_numpy_dtype(self.inputs[index].dtype)}")
        return _dlpack.View(array.ctypes.data, dtype, array.shape, array.flags.c_contiguous, array.flags.writeable,
                            "host", array)


def _read_scalar(argument: _signature.Argument, memory: _runtime.Shared) -> Any:
    kind = _SCALARS.get(argument.dtype)
    if kind is None:
        raise _error(f"a result of type {argument.dtype} is no number of Python; return a tensor of rank 0")
    return kind.from_address(memory.data).value


class CompiledModule:
    """A compiled module: its public functions by name."""

    def __init__(self, library: _runtime.Library, device: str) -> None:
        self.path = library.path  #: of the shared library
        self._device = device
        self.functions = {name: CompiledFunction(f, device) for name, f in library.functions.items()}

    def __repr__(self) -> str:
        return "\n".join([f"<rnn_mlir module {self.path}", *(f"  {f!r}" for f in self.functions.values())]) + ">"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _load_module, (self.path, self._device)

    def __copy__(self) -> "CompiledModule":
        return self

    def __deepcopy__(self, memo: Any) -> "CompiledModule":
        return self

    def __getitem__(self, name: str) -> CompiledFunction:
        if name not in self.functions:
            raise KeyError(f"the module has no public function `{name}`; it has {', '.join(self.functions)}")
        return self.functions[name]

    def __iter__(self) -> Any:
        return iter(self.functions)


def _load_module(path: str, device: str) -> CompiledModule:
    return CompiledModule(_runtime.load_library(path), device)


def _load_function(path: str, device: str, name: str) -> CompiledFunction:
    return _load_module(path, device)[name]


def compile_module(source: _compiler.Source, *, target: str = "host", lowering: str = "auto",
                   cpu: Optional[str] = "native", **options: Any) -> CompiledModule:
    """Compiles a module: text, bytes (text or bytecode), or the path of a file.

    `target` is host, cuda or simt; `lowering` is auto, runtime or fused; `cpu` is a processor of LLVM, `native`, or
    None for the oldest of the architecture. The other options are those of rnn-compile: fused_kernel, large_gemms,
    wavefront_chunk, bf16_gemm, vector_bits, optimization_level, tf32, simt_check, verify_each, chip, tuning_records, device.
    Raises CompileError. The library is kept in the cache folder, RNN_MLIR_CACHE.
    """
    path = _compiler.compile_library(source, {"target": target, "lowering": lowering, "cpu": cpu, **options})
    return CompiledModule(_runtime.load_library(path), "simt" if target == "simt" else "host")


def compile(source: _compiler.Source, *, function: Optional[str] = None, target: str = "host", lowering: str = "auto",
            cpu: Optional[str] = "native", **options: Any) -> CompiledFunction:
    """Compiles a module and returns its function `function`; by default `main`, or its only public function.

    The other arguments are those of `compile_module`.
    """
    module = compile_module(source, target=target, lowering=lowering, cpu=cpu, **options)
    if function is None:
        if "main" in module.functions or len(module.functions) != 1:
            function = "main"
        else:
            function = next(iter(module.functions))
        if function not in module.functions:
            raise KeyError(f"the module has {len(module.functions)} public functions, {', '.join(module.functions)}, and none is `main`; "
                           "pass the name of one as `function`")
    return module[function]


def load(path: "Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]", *,
         function: Optional[str] = None) -> Union[CompiledFunction, CompiledModule]:
    """A library that rnn-compile wrote, or one function of it. Needs no compiler.

    A file that has replaced another one at `path` is loaded too. Functions of the earlier one stay valid.
    """
    module = _load_module(os.fsdecode(path), "host")
    return module if function is None else module[function]
