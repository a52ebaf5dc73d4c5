# _average_pools.py - average poolings with dynamic sizes, and their gradients.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TensorFlow's passes make a constant of dynamic size if windows may be partly outside of the image (padding SAME), and do not convert
gradients. The sum of a window is divided by the number of its elements inside of the image."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from ._body import Body, Converter, Size, dims, tensor_type
from ._graph import named, rename
from ._tf_convolutions import Windows, get_layout, is_dynamic

_POOLS, _GRADIENTS = ("tf.AvgPool", "tf.AvgPool3D"), ("tf.AvgPoolGrad", "tf.AvgPool3DGrad")


def keep(mlir: Any, module: Any) -> None:
    """Replaces the poolings of a module of the tf dialect that its passes cannot convert by ops that they keep."""
    for op in named(module, *_POOLS, *_GRADIENTS):
        is_gradient = op.name in _GRADIENTS
        if is_dynamic(mlir, op) and (is_gradient or str(mlir.ir.StringAttr(op.attributes["padding"]).value) == "SAME"):
            rename(mlir, op, "tf.RnnAvgPoolGrad" if is_gradient else "tf.RnnAvgPool", ("data_format", "ksize", "padding", "strides"))


def _kernel(body: Body) -> List[int]:
    sizes = zip(body.op.attributes["ksize"], get_layout(body))
    return [int(body.ir.IntegerAttr(size).value) for size, name in sizes if name not in "NC"]


def _sum(body: Body, value: str, sizes: Sequence[Size], results: Sequence[Size], strides: Sequence[int], windows: Windows) -> str:
    """The sums of the windows."""
    element, kernel = body.ir.RankedTensorType(body.op.results[0].type).element_type, _kernel(body)
    window, window_kind = body.empty(kernel, element)
    init, kind = body.filled(results, element, "0.0")
    loops = ["batch", *windows.at, "feature", *windows.offsets]
    image = windows.place(["feature"], [f"at{k} * {strides[k]} + offset{k}" for k in range(windows.rank)])
    maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(indices)})>" for indices in (
        [name for names in image for name in names], windows.offsets, [name for names in windows.place(["feature"], windows.at) for name in names]))
    kinds = ", ".join(['"parallel"'] * (windows.rank + 2) + ['"reduction"'] * windows.rank)
    return body.add(f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} ins({value}, {window} : {tensor_type(sizes, element)}, "
                    f"{window_kind}) outs({init} : {kind}) {{\n^bb0(%a: {element}, %b: {element}, %s: {element}):\n"
                    f"%r = arith.addf %s, %a : {element}\nlinalg.yield %r : {element}\n}} -> {kind}")


def _divide(body: Body, value: str, sizes: Sequence[Size], image: Sequence[Size], windows: Windows) -> str:
    """Divides the element of each window by the number of elements that the window has inside of the image."""
    element, kernel, rank = body.ir.RankedTensorType(body.op.results[0].type).element_type, _kernel(body), windows.rank + 2
    kind = tensor_type(sizes, element)
    zero, constants = body.index(0), [[body.index(n) for n in (windows.strides[k], kernel[k])] for k in range(windows.rank)]
    lines, count = [], ""
    for k, dim in enumerate(windows.spatial):
        stride, size = constants[k]
        low, whole = body.value(windows.low[k]), body.value(image[dim])
        lines += [f"%i{k} = linalg.index {dim} : index", f"%from{k} = arith.muli %i{k}, {stride} : index", f"%first{k} = arith.subi %from{k}, {low} : index",
                  f"%last{k} = arith.addi %first{k}, {size} : index", f"%begin{k} = arith.maxsi %first{k}, {zero} : index",
                  f"%end{k} = arith.minsi %last{k}, {whole} : index", f"%n{k} = arith.subi %end{k}, %begin{k} : index"]
        if count:
            lines.append(f"%m{k} = arith.muli {count}, %n{k} : index")
        count = f"%m{k}" if count else f"%n{k}"
    lines += [f"%count = arith.index_cast {count} : index to i32", f"%number = arith.sitofp %count : i32 to {element}",
              f"%r = arith.divf %a, %number : {element}", f"linalg.yield %r : {element}"]
    init, _ = body.empty(sizes, element)
    text, identity = "\n".join(lines), f"affine_map<({dims(rank)}) -> ({dims(rank)})>"
    kinds = ", ".join(['"parallel"'] * rank)
    return body.add(f"linalg.generic {{indexing_maps = [{identity}, {identity}], iterator_types = [{kinds}]}} ins({value} : {kind}) outs({init} : {kind}) "
                    f"{{\n^bb0(%a: {element}, %o: {element}):\n{text}\n}} -> {kind}")


def _convert_pool(body: Body) -> List[str]:
    image = body.sizes(0)
    windows = Windows(body, image, _kernel(body))
    results = windows.results
    source, padded = windows.pad_image(body, 0)
    value = _divide(body, _sum(body, source, padded, results, windows.strides, windows), results, image, windows)
    return [body.cast(value, tensor_type(results, body.type(0).element_type), body.op.results[0].type)]


def _convert_gradient(body: Body) -> List[str]:
    """The operands are the sizes of the image and the gradient of the result."""
    image, results, kernel, element = body.result_sizes(0), body.sizes(1), _kernel(body), body.type(1).element_type
    windows = Windows(body, image, kernel, results)
    image[windows.batch], image[windows.feature] = results[windows.batch], results[windows.feature]
    value = _divide(body, "%1", results, image, windows)
    source, padded = windows.spread_gradient(body, value, element, results, kernel, image)
    value = _sum(body, source, padded, image, [1] * windows.rank, windows)
    return [body.cast(value, tensor_type(image, element), body.op.results[0].type)]


CONVERTERS: Dict[str, Converter] = {"tf.RnnAvgPool": _convert_pool, "tf.RnnAvgPoolGrad": _convert_gradient}
