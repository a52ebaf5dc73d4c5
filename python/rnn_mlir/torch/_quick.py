# _quick.py - calls of layers on the host that need no copy, in as few calls of PyTorch as possible: a step of a small layer
# takes less time than Python around it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Short paths of the modules."""

from __future__ import annotations

import functools
from typing import Any, List, Optional, Sequence, Tuple

import torch
from torch import Tensor

from .._operations import Layers, Operation
from . import _calls, _memory, functional


@functools.lru_cache(maxsize=4096)
def _prepare(stage: str, mode: str, bidirectional: bool, num_proj: int, batch_first: bool, dtype: torch.dtype, elements: int,
             *shapes: Sequence[int]) -> Optional[Tuple[Layers, _calls.Call]]:
    """The operation and its call for x and the states of these shapes and `elements` parameters. None for types that the dialect
    does not have, and where an operand is missing."""
    if dtype not in _memory.DTYPES:
        return None
    c0 = shapes[2] if len(shapes) == 3 else None
    operation = functional.check_layers(mode, bidirectional, num_proj, batch_first, "zero", shapes[0], shapes[1], c0, (elements,),
                                        None, None)
    call = _calls.prepare(operation, _memory.DTYPES[dtype], stage, (*shapes, (elements,)))
    return None if call.function is None or call.missing else (operation, call)


def _call(call: _calls.Call, x: Tensor, pointers: List[int]) -> List[Tensor]:
    """What the call writes for operands at the addresses `pointers`."""
    results = _calls.new_results(call, x)
    assert call.function is not None
    call.function.run(_calls.host_call(), pointers + [v.data_ptr() for v in results])
    return results


class Layer(torch.autograd.Function):
    """A training pass of a layer and its gradient, from the parameters that are parts of one storage: one node of autograd instead
    of `Flat` and `Forward`. Has the context in `forward`, which is faster (`_calls.apply`) and which no transformation of
    torch.func accepts."""

    @staticmethod
    def forward(ctx: Any, operation: Operation, call: _calls.Call, pointers: List[int], elements: int, *tensors: Tensor) -> Any:
        """`pointers` are the addresses of the operands, `elements` the size of the flat array of parameters, and `tensors` are x,
        the states and the parameters."""
        *results, reserve = _call(call, tensors[0], pointers)
        ctx.operation = operation
        # The parameters for their versions: an update in place before the gradient is an error.
        flat = tensors[operation.primals - 1].detach().as_strided((elements,), (1,))
        ctx.save_for_backward(*tensors, flat, reserve)
        ctx.set_materialize_grads(False)
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        operation = ctx.operation
        *tensors, flat, reserve = ctx.saved_tensors
        n = operation.primals - 1
        operands, parameters = tensors[:n], tensors[n:]
        if torch.is_grad_enabled():  # the gradient has derivatives by the parameters
            flat = _calls.apply(_calls.Flat, flat, *parameters)
        *gradients, gradient = _calls.gradients(operation, [*operands, flat], [], [reserve], cotangents)
        return (None, None, None, None, *gradients, *_calls.parts(gradient, parameters))


def run(layer: Any, x: Tensor, states: List[Tensor]) -> Optional[Sequence[Tensor]]:
    """The results of a layer of modules.py if no transformation, trace or conversion is active and nothing must be copied; else
    None. It checks what decides that."""
    if functional.traced() or functional.autocast_type("cpu") is not None:
        return None
    if "parametrizations" in layer._modules:  # to read such a parameter computes it
        return None
    dtype, shapes, pointers, differentiated = x.dtype, [], [], False
    for v in (x, *states):
        if (type(v) not in (Tensor, torch.nn.Parameter) or v.dtype is not dtype or not v.is_cpu or v.layout is not torch.strided
                or not v.is_contiguous() or v.is_neg()):
            return None
        shapes.append(v.shape)
        pointers.append(v.data_ptr())
        differentiated = differentiated or v.requires_grad
    pseudo = len(layer._names)
    parameters = layer._in_order(0, pseudo)
    elements = layer._elements(parameters, pseudo)
    if not elements or parameters[0].dtype is not dtype or not parameters[0].is_cpu:
        return None
    differentiated = torch.is_grad_enabled() and (differentiated or any([v.requires_grad for v in parameters]))
    found = _prepare("forward" if differentiated else "inference", layer._mode, layer.bidirectional, layer.proj_size,
                     layer.batch_first, dtype, elements, *shapes)
    if found is None:
        return None
    operation, call = found
    pointers.append(parameters[0].data_ptr())
    if differentiated:
        return Layer.apply(operation, call, pointers, elements, x, *states, *parameters)  # type: ignore[no-any-return]
    return _call(call, x, pointers)
