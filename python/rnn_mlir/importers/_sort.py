# _sort.py - stablehlo.sort and TensorFlow's top_k, which no pass of jaxlib converts.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of scf: a few largest elements are kept in order while the others are read; sorts merge sorted runs."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from ._body import REGION, Body, Converter, Size, dims, tensor_type
from ._lowering import call_target, flag


# With more kept elements, an ascending row takes longer than its merge sort.
_MOST_KEPT = 128


def _key(element: Any, name: str) -> Tuple[List[str], str]:
    """Lines that compute an integer in the total order of scalar `%name`, and its type."""
    if not str(element).startswith(("f", "bf")):
        return [f"%{name}_zero = arith.constant 0 : {element}", f"%{name}_key = arith.addi %{name}, %{name}_zero : {element}"], str(element)
    width = int(str(element).lstrip("bf"))
    kind = f"i{width}"
    # The bits of negative numbers are in descending order; those below the sign are inverted.
    return [f"%{name}_bits = arith.bitcast %{name} : {element} to {kind}",
            f"%{name}_shift = arith.constant {width - 1} : {kind}", f"%{name}_one = arith.constant 1 : {kind}",
            f"%{name}_sign = arith.shrsi %{name}_bits, %{name}_shift : {kind}",
            f"%{name}_mask = arith.shrui %{name}_sign, %{name}_one : {kind}",
            f"%{name}_key = arith.xori %{name}_bits, %{name}_mask : {kind}"], kind


def _select(body: Body, count: int, predicate: str) -> List[str]:
    """_largest() for few elements: they are kept in order, and each further element that precedes the last one is inserted."""
    kind, wanted = body.type(0), body.ir.RankedTensorType(body.op.results[1].type).element_type
    element, sizes, row = kind.element_type, body.sizes(0), kind.rank - 1
    size, zero, one = body.value(sizes[row]), body.index(0), body.index(1)
    last = body.index(count - 1)
    shape: List[Size] = [*sizes[:-1], count]
    values, value_kind = body.filled(shape, element, body.zero(element))
    indices, index_kind = body.filled(shape, wanted, "0")
    kinds = f"{value_kind}, {index_kind}"
    compare = ("u" if str(element) == "i1" else "s") + predicate.lower()
    others = "".join(f"%at{dim}, " for dim in range(row))

    def read(name: str, source: str, place: str) -> List[str]:
        return [f"%{name} = tensor.extract {source}[{others}{place}] : {kind if source == '%0' else value_kind}", *_key(element, name)[0]]

    def precedes(name: str) -> str:
        return f"%{name}_follows = arith.cmpi {compare}, %x_key, %{name}_key : {_key(element, name)[1]}"

    carried = (values, indices)
    for dim in range(row):
        body.lines.append(f"%rows{dim}:2 = scf.for %at{dim} = {zero} to {body.value(sizes[dim])} step {one} "
                          f"iter_args(%v{dim}_ = {carried[0]}, %i{dim}_ = {carried[1]}) -> ({kinds}) {{")
        carried = (f"%v{dim}_", f"%i{dim}_")
    body.lines += [
        f"%kept:2 = scf.for %n = {zero} to {size} step {one} iter_args(%v = {carried[0]}, %i = {carried[1]}) -> ({kinds}) {{",
        *read("x", "%0", "%n"), *read("last", "%v", last), precedes("last"),
        f"%is_early = arith.cmpi sle, %n, {last} : index", "%enters = arith.ori %is_early, %last_follows : i1",
        f"%new:2 = scf.if %enters -> ({kinds}) {{", f"%start = arith.minsi %n, {last} : index",
        f"%moved:3 = scf.while (%j = %start, %vj = %v, %ij = %i) : (index, {kinds}) -> (index, {kinds}) {{",
        f"%is_inner = arith.cmpi sgt, %j, {zero} : index", f"%below = arith.subi %j, {one} : index",
        f"%safe = arith.maxsi %below, {zero} : index",
        *read("before", "%vj", "%safe"), precedes("before"), "%goes_on = arith.andi %is_inner, %before_follows : i1",
        f"scf.condition(%goes_on) %j, %vj, %ij : index, {kinds}", "} do {", f"^bb0(%j: index, %vj: {value_kind}, %ij: {index_kind}):",
        f"%below = arith.subi %j, {one} : index",
        f"%value = tensor.extract %vj[{others}%below] : {value_kind}", f"%index = tensor.extract %ij[{others}%below] : {index_kind}",
        f"%vk = tensor.insert %value into %vj[{others}%j] : {value_kind}", f"%ik = tensor.insert %index into %ij[{others}%j] : {index_kind}",
        f"scf.yield %below, %vk, %ik : index, {kinds}", "}",
        f"%at = arith.index_cast %n : index to {wanted}",
        f"%vl = tensor.insert %x into %moved#1[{others}%moved#0] : {value_kind}",
        f"%il = tensor.insert %at into %moved#2[{others}%moved#0] : {index_kind}",
        f"scf.yield %vl, %il : {kinds}", "} else {", f"scf.yield %v, %i : {kinds}", "}", f"scf.yield %new#0, %new#1 : {kinds}", "}"]
    name = "%kept"
    for dim in reversed(range(row)):
        body.lines += [f"scf.yield {name}#0, {name}#1 : {kinds}", "}"]
        name = f"%rows{dim}"
    return [body.cast(f"{name}#{k}", each, body.op.results[k].type) for k, each in enumerate((value_kind, index_kind))]


def _is_selected(body: Body, count: int) -> bool:
    kind = body.type(0)
    is_unsigned = isinstance(kind.element_type, body.ir.IntegerType) and bool(kind.element_type.is_unsigned)
    return 1 <= count <= _MOST_KEPT and not is_unsigned and not kind.is_dynamic_dim(kind.rank - 1) and \
        count <= int(kind.get_dim_size(kind.rank - 1))


def _largest(body: Body, count: Size, predicate: str = "GT") -> List[str]:
    """The first `count` elements of the last dimension in the order of `predicate`, and their indices."""
    if isinstance(count, int) and _is_selected(body, count):
        return _select(body, count, predicate)
    kind, wanted = body.type(0), body.ir.RankedTensorType(body.op.results[1].type).element_type
    sizes, dim, element = body.sizes(0), kind.rank - 1, kind.element_type
    empty, indices = body.empty(sizes, wanted)
    identity = f"affine_map<({dims(kind.rank)}) -> ({dims(kind.rank)})>"
    loops = ", ".join(['"parallel"'] * kind.rank)
    order = body.add(f"linalg.generic {{indexing_maps = [{identity}], iterator_types = [{loops}]}} outs({empty} : {indices}) {{\n"
                     f"^bb0(%o: {wanted}):\n%at = linalg.index {dim} : index\n%i = arith.index_cast %at : index to {wanted}\n"
                     f"linalg.yield %i : {wanted}\n}} -> {indices}")
    total = ", TOTALORDER" if isinstance(element, body.ir.FloatType) else ""
    body.lines.append(f'%sorted:2 = "stablehlo.sort"(%0, {order}) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n'
                      f"^bb0(%a: tensor<{element}>, %b: tensor<{element}>, %c: tensor<{wanted}>, %d: tensor<{wanted}>):\n"
                      f"%less = stablehlo.compare {predicate}, %a, %b{total} : (tensor<{element}>, tensor<{element}>) -> tensor<i1>\n"
                      f"stablehlo.return %less : tensor<i1>\n}}) : ({kind}, {indices}) -> ({kind}, {indices})")
    results = []
    for k, (source, each) in enumerate(((kind, element), (indices, wanted))):
        part = tensor_type([*sizes[:-1], count], each)
        value = body.add(f"tensor.extract_slice %sorted#{k}[{', '.join(['0'] * kind.rank)}] [{', '.join(map(str, [*sizes[:-1], count]))}] "
                         f"[{', '.join(['1'] * kind.rank)}] : {source} to {part}")
        results.append(body.cast(value, part, body.op.results[k].type))
    return results


def _convert_top_k(body: Body) -> List[str]:
    """tf.TopKV2, which TensorFlow's passes leave if the number of elements is dynamic."""
    count = body.constant(1)
    return _largest(body, count[0] if count else body.element(1, 0))


def _convert_top_k_call(body: Body) -> List[str]:
    """The custom call that TensorFlow's passes make of a tf.TopKV2."""
    if call_target(body.mlir, body.op) != "mhlo.topk":
        return []
    attributes = body.ir.DictAttr(body.op.attributes["mhlo.attributes"])
    return _largest(body, int(body.ir.IntegerAttr(attributes["k"]).value),
                    "GT" if bool(body.ir.BoolAttr(attributes["largest"]).value) else "LT")


def _convert_top_k_of_jax(body: Body) -> List[str]:
    """chlo.top_k, or a composite of it in a serialized module. jaxlib's pass makes a sort of those that this leaves."""
    attributes = body.op.attributes
    if body.op.name == "stablehlo.composite":
        if str(body.ir.StringAttr(attributes["name"]).value) != "chlo.top_k":
            return []
        attributes = body.ir.DictAttr(attributes["composite_attributes"])
    count = int(body.ir.IntegerAttr(attributes["k"]).value)
    return _select(body, count, "GT") if _is_selected(body, count) else []


TOP_K: Dict[str, Converter] = {"tf.TopKV2": _convert_top_k, "stablehlo.custom_call": _convert_top_k_call,
                               "chlo.top_k": _convert_top_k_of_jax, "stablehlo.composite": _convert_top_k_of_jax}


class _MergeSort:
    """A merge sort from below, which is stable: each pass merges pairs of sorted runs of `width` elements into other tensors.

    The operands are sorted in the order of their comparator. Integers without a sign are bits elsewhere.
    """

    def __init__(self, body: Body) -> None:
        self.body, self.count = body, len(body.op.operands)
        self.kinds = [body.type(k) for k in range(self.count)]
        self.rank = self.kinds[0].rank
        dim = flag(body.mlir, body.op, "dimension") if "dimension" in body.op.attributes else -1
        self.dim = dim + self.rank if dim < 0 else dim
        self.sizes = [body.value(size) for size in body.sizes(0)]
        self.size, self.zero, self.one = self.sizes[self.dim], body.index(0), body.index(1)
        elements = [kind.element_type for kind in self.kinds]
        self.is_unsigned = [isinstance(element, body.ir.IntegerType) and bool(element.is_unsigned) for element in elements]
        self.elements = [f"i{element.width}" if unsigned else str(element) for element, unsigned in zip(elements, self.is_unsigned)]
        self.types = [str(body.ir.RankedTensorType.get(kind.shape, body.ir.Type.parse(element)))
                      for kind, element in zip(self.kinds, self.elements)]
        self.all_types = ", ".join(self.types)

    def _each(self, text: str, separator: str = ", ") -> str:
        return separator.join(text.format(k=k, element=self.elements[k], type=self.types[k]) for k in range(self.count))

    def _at(self, place: str) -> str:
        return ", ".join(place if dim == self.dim else f"%at{dim}" for dim in range(self.rank))

    def _read(self, side: str, place: str) -> List[str]:
        """The elements of all operands at a place, as scalars %sideK and as tensors of the comparator %sideK_tensor."""
        lines = []
        for k, (kind, element) in enumerate(zip(self.types, self.elements)):
            name, tensor = f"%{side}{k}", f"%{side}{k}_tensor"
            lines.append(f"{name} = tensor.extract %a{k}[{self._at(place)}] : {kind}")
            if self.is_unsigned[k]:
                lines += [f"{name}_bits = tensor.from_elements {name} : tensor<{element}>",
                          f"{tensor} = stablehlo.bitcast_convert {name}_bits : (tensor<{element}>) -> tensor<u{element}>"]
            else:
                lines.append(f"{tensor} = tensor.from_elements {name} : tensor<{element}>")
        return lines

    def _merge(self, targets: str) -> List[str]:
        """Merges %a[%low:%middle] and %a[%middle:%high] into `targets`; returns %merged."""
        scalars = ", ".join(f"tensor<{'u' * unsigned}{element}>" for element, unsigned in zip(self.elements, self.is_unsigned)
                            for _ in ("right", "left"))
        return [
            "%end_left = arith.addi %low, %width : index", f"%middle = arith.minsi %end_left, {self.size} : index",
            "%end_right = arith.addi %low, %two : index", f"%high = arith.minsi %end_right, {self.size} : index",
            f"%merged:{self.count + 2} = scf.for %k = %low to %high step {self.one} iter_args(%i = %low, %j = %middle, "
            f"{self._each('%c{k} = ' + targets)}) -> (index, index, {self.all_types}) {{",
            # Where a run has no element left, another one is compared, and the result is not used.
            "%safe_i = arith.minsi %i, %last : index", "%safe_j = arith.minsi %j, %last : index",
            *self._read("left", "%safe_i"), *self._read("right", "%safe_j"),
            f'%precedes_tensor = "{REGION}"({self._each("%right{k}_tensor, %left{k}_tensor")}) : ({scalars}) -> tensor<i1>',
            "%precedes = tensor.extract %precedes_tensor[] : tensor<i1>",
            "%no_left = arith.cmpi sge, %i, %middle : index", "%is_right = arith.cmpi slt, %j, %high : index",
            "%is_less = arith.andi %is_right, %precedes : i1", "%takes_right = arith.ori %no_left, %is_less : i1",
            self._each("%e{k} = arith.select %takes_right, %right{k}, %left{k} : {element}", "\n"),
            self._each(f"%d{{k}} = tensor.insert %e{{k}} into %c{{k}}[{self._at('%k')}] : {{type}}", "\n"),
            f"%next_i = arith.addi %i, {self.one} : index", f"%next_j = arith.addi %j, {self.one} : index",
            "%new_i = arith.select %takes_right, %i, %next_i : index", "%new_j = arith.select %takes_right, %next_j, %j : index",
            f"scf.yield %new_i, %new_j, {self._each('%d{k}')} : index, index, {self.all_types}", "}"]

    def _pass(self) -> List[str]:
        """Merges all pairs of runs of %a into %b: loops over the other dimensions and over the pairs carry the written tensors."""
        loops = [(f"%at{dim}", self.sizes[dim], self.one) for dim in range(self.rank) if dim != self.dim]
        loops.append(("%low", self.size, "%two"))
        lines, target = ["%two = arith.addi %width, %width : index"], "%b{k}"
        for depth, (name, end, step) in enumerate(loops):
            lines.append(f"%done{depth}:{self.count} = scf.for {name} = {self.zero} to {end} step {step} "
                         f"iter_args({self._each(f'%b{{k}}_{depth} = {target}')}) -> ({self.all_types}) {{")
            target = f"%b{{k}}_{depth}"
        lines += self._merge(target)
        results = ", ".join(f"%merged#{k + 2}" for k in range(self.count))
        for depth in reversed(range(len(loops))):
            lines += [f"scf.yield {results} : {self.all_types}", "}"]
            results = self._each(f"%done{depth}#{{k}}")
        return [*lines, f"scf.yield %two, {results}, {self._each('%a{k}')} : index, {self.all_types}, {self.all_types}"]

    def convert(self) -> List[str]:
        body, kinds = self.body, f"index, {self.all_types}, {self.all_types}"
        dynamic = ", ".join(size for dim, size in enumerate(self.sizes) if self.kinds[0].is_dynamic_dim(dim))
        for k, (given, kind) in enumerate(zip(self.kinds, self.types)):
            body.lines += [f"%source{k} = stablehlo.bitcast_convert %{k} : ({given}) -> {kind}" if self.is_unsigned[k]
                           else f"%source{k} = tensor.cast %{k} : {given} to {kind}", f"%target{k} = tensor.empty({dynamic}) : {kind}"]
        body.lines += [
            f"%last = arith.subi {self.size}, {self.one} : index",
            f"%sorted:{2 * self.count + 1} = scf.while (%w = {self.one}, {self._each('%s{k} = %source{k}')}, {self._each('%t{k} = %target{k}')}) "
            f": ({kinds}) -> ({kinds}) {{", f"%more = arith.cmpi slt, %w, {self.size} : index",
            f"scf.condition(%more) %w, {self._each('%s{k}')}, {self._each('%t{k}')} : {kinds}", "} do {",
            f"^bb0(%width: index, {self._each('%a{k}: {type}')}, {self._each('%b{k}: {type}')}):", *self._pass(), "}"]
        results = []
        for k, (kind, result) in enumerate(zip(self.kinds, body.op.results)):
            value = f"%sorted#{k + 1}"
            if self.is_unsigned[k]:
                value = body.add(f"stablehlo.bitcast_convert {value} : ({self.types[k]}) -> {kind}")
            results.append(body.cast(value, str(kind), result.type))
        return results


SORT: Dict[str, Converter] = {"stablehlo.sort": lambda body: _MergeSort(body).convert()}
