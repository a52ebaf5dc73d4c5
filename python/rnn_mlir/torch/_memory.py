# _memory.py - element types of tensors of PyTorch, and memory for new ones.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of calls."""

from __future__ import annotations

import math
from typing import Any, Dict, Sequence

import torch
from torch import Tensor

from .. import _runtime, _signature

#: Element types of the dialect.
DTYPES: Dict[Any, str] = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64"}


def is_large(shape: Sequence[int], dtype: str) -> bool:
    """Whether a tensor on the host is memory of the runtime."""
    return math.prod(shape) * _signature.DTYPE_SIZES[dtype] >= 1 << 20


def new_tensor(like: Tensor, shape: Sequence[int], dtype: Any = None) -> Tensor:
    """An uninitialized tensor on the device of `like`, by default of its type. Large ones on the host are the runtime's memory: PyTorch's
    is new in every step, and its page faults took more than half of a training step of an LSTM at (1,1,1024,1024)."""
    dtype = dtype or like.dtype
    element = "i8" if dtype is torch.int8 else DTYPES[dtype]
    # A subclass of Tensor has results of its own class.
    if like.device.type != "cpu" or not is_large(shape, element) or type(like) not in (Tensor, torch.nn.Parameter):
        return like.new_empty(shape, dtype=dtype)
    # Unlike a buffer of Python, PyTorch can free it without the GIL, and after the end of the interpreter. It is no view, whose
    # changes in place PyTorch refuses in a result of a Function.
    return torch.from_dlpack(_runtime.host_buffer(shape, element).capsule(versioned=False))
