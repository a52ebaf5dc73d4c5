# _scatter.py - stablehlo.scatter, which no pass of jaxlib converts: gradients of embeddings, x.at[i].set, segment sums.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scatters become loops of scf over the windows of the updates."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from ._body import REGION, Body, Converter, Size, dims, tensor_type


class _Scatter:
    """The text of the loops that replace a scatter. Its names are those of StableHLO's specification.

    The results are carried by all loops: %r0, %r1, ... before them, %rK_D in the loop of depth D.
    """

    def __init__(self, body: Body) -> None:
        self.body, self.op = body, body.op
        self.count = (len(self.op.operands) - 1) // 2
        self.first_update = self.count + 1
        self.kind, self.update, self.indices = body.type(0), body.type(self.first_update), body.type(self.count)
        numbers = body.stablehlo.ScatterDimensionNumbers(self.op.attributes["scatter_dimension_numbers"])
        self.window_dims = list(numbers.update_window_dims)
        self.scatter_dims = [dim for dim in range(self.update.rank) if dim not in self.window_dims]
        self.batching = dict(zip(numbers.input_batching_dims, numbers.scatter_indices_batching_dims))
        self.vector_dim, self.places = numbers.index_vector_dim, list(numbers.scattered_dims_to_operand_dims)
        #: The dimensions of the result that a window has, in the order of window_dims.
        self.windowed = [dim for dim in range(self.kind.rank) if dim not in (*numbers.inserted_window_dims, *self.batching)]
        self.sizes, update_sizes = body.sizes(0), body.sizes(self.first_update)
        self.window: List[Size] = [update_sizes[dim] for dim in self.window_dims]
        self.scatter_sizes = [update_sizes[dim] for dim in self.scatter_dims]
        self.zero, self.one = body.index(0), body.index(1)
        self.types = ", ".join(str(body.type(k)) for k in range(self.count))
        self.open: List[str] = []  # of the loops whose text has no end yet, the suffix of their results

    @property
    def suffix(self) -> str:
        return self.open[-1] if self.open else ""

    def _each(self, text: str) -> str:
        return ", ".join(text.format(k=k) for k in range(self.count))

    def _begin_loop(self, name: str, size: str) -> None:
        outer, depth = self.suffix, f"_{len(self.open)}"
        self.body.lines.append(f"%r{depth}_done:{self.count} = scf.for {name} = {self.zero} to {size} step {self.one} "
                               f"iter_args({self._each(f'%r{{k}}{depth} = %r{{k}}{outer}')}) -> ({self.types}) {{")
        self.open.append(depth)

    def _end_loop(self, results: str) -> str:
        self.body.lines += [f"scf.yield {results} : {self.types}", "}"]
        depth = self.open.pop()
        return self._each(f"%r{depth}_done#{{k}}")

    def _begin_loops(self, name: str, sizes: Sequence[Size]) -> None:
        values = [self.body.value(size) for size in sizes]
        for k, size in enumerate(values):
            self._begin_loop(f"%{name}{k}", size)

    def _starts(self) -> List[str]:
        """The start of the window in each dimension of the result."""
        body, starts = self.body, [self.zero] * self.kind.rank

        def loop(dim: int) -> str:
            """The index of the loop over a dimension of the indices."""
            return f"%s{dim - (self.vector_dim < dim)}"

        for k, dim in enumerate(self.places):
            at = [body.index(k) if d == self.vector_dim else loop(d) for d in range(self.indices.rank)]
            value = body.add(f"tensor.extract %{self.count}[{', '.join(at)}] : {self.indices}")
            element = self.indices.element_type
            starts[dim] = value if str(element) == "index" else body.add(f"arith.index_cast {value} : {element} to index")
        for dim, given in self.batching.items():
            starts[dim] = loop(given)
        return starts

    def _is_inside(self, starts: Sequence[str]) -> str:
        body, result = self.body, self.body.add("arith.constant true")
        for dim, (start, size) in enumerate(zip(starts, self.sizes)):
            length: Size = self.window[self.windowed.index(dim)] if dim in self.windowed else 1
            if start == self.zero and length == size:
                continue
            for test in (f"arith.cmpi sge, {start}, {self.zero} : index",
                         f"arith.cmpi sle, {body.binary('addi', start, length)}, {body.value(size)} : index"):
                result = body.add(f"arith.andi {result}, {body.add(test)} : i1")
        return result

    def _simple(self) -> Optional[str]:
        """The op of arith that adds a window; "" if the update replaces it. None for other computations."""
        block = self.op.regions[0].blocks[0]
        *ops, terminator = [inner.operation for inner in block]
        if not ops and all(terminator.operands[k] == block.arguments[self.count + k] for k in range(self.count)):
            return ""
        element = str(self.kind.element_type)
        is_sum = len(ops) == 1 and ops[0].name == "stablehlo.add" and terminator.operands[0] == ops[0].results[0] and \
            set(ops[0].operands) == set(block.arguments)
        if not is_sum or element.startswith("complex"):
            return None
        return "arith.addf" if "f" in element else "arith.ori" if element == "i1" else "arith.addi"

    def _slices(self, name: str, starts: Sequence[str]) -> str:
        """Adds or copies a window as a whole."""
        body, results = self.body, []
        window, strides = iter(self.window), iter(range(self.update.rank))
        lengths = [str(next(window)) if dim in self.windowed else "1" for dim in range(self.kind.rank)]
        given = [str(self.window[self.window_dims.index(dim)]) if dim in self.window_dims else "1" for dim in range(self.update.rank)]
        offsets = ["0" if dim in self.window_dims else f"%s{next(strides)}" for dim in range(self.update.rank)]
        target = f"[{', '.join(starts)}] [{', '.join(lengths)}] [{', '.join(['1'] * self.kind.rank)}]"
        source = f"[{', '.join(offsets)}] [{', '.join(given)}] [{', '.join(['1'] * self.update.rank)}]"
        identity = f"affine_map<({dims(len(self.window))}) -> ({dims(len(self.window))})>"
        loops = ", ".join(['"parallel"'] * len(self.window))
        for k in range(self.count):
            element = body.type(k).element_type
            part = tensor_type(self.window, element)
            value = body.add(f"tensor.extract_slice %{self.first_update + k}{source} : {body.type(self.first_update + k)} to {part}")
            if name:
                old = body.add(f"tensor.extract_slice %r{k}{self.suffix}{target} : {body.type(k)} to {part}")
                value = body.add(f"linalg.generic {{indexing_maps = [{identity}, {identity}], iterator_types = [{loops}]}} "
                                 f"ins({value} : {part}) outs({old} : {part}) {{\n^bb0(%update: {element}, %old: {element}):\n"
                                 f"%sum = {name} %old, %update : {element}\nlinalg.yield %sum : {element}\n}} -> {part}")
            if 1 in self.window and len(self.windowed) < self.kind.rank:
                # Which dimensions of size 1 are missing would be ambiguous: upstream's canonicalizer takes the first ones.
                ends = [dim + 1 for dim in self.windowed[:-1]] + [self.kind.rank]
                groups = [list(range(begin, end)) for begin, end in zip([0, *ends], ends)]
                whole = tensor_type([self.window[self.windowed.index(dim)] if dim in self.windowed else 1
                                     for dim in range(self.kind.rank)], element)
                value = body.add(f"tensor.expand_shape {value} {groups} output_shape [{', '.join(lengths)}] : {part} into {whole}")
                part = whole
            results.append(body.add(f"tensor.insert_slice {value} into %r{k}{self.suffix}{target} : {part} into {body.type(k)}"))
        return ", ".join(results)

    def _elements(self, starts: Sequence[str]) -> str:
        """Calls the update computation for each element of a window."""
        body, depth = self.body, len(self.open)
        self._begin_loops("w", self.window)
        places = [body.binary("addi", start, f"%w{self.windowed.index(dim)}") if dim in self.windowed else start
                  for dim, start in enumerate(starts)]
        at = [f"%w{self.window_dims.index(dim)}" if dim in self.window_dims else f"%s{self.scatter_dims.index(dim)}"
              for dim in range(self.update.rank)]
        scalars, types = [], []
        for kind, name, where in [(body.type(k), f"%r{k}{self.suffix}", places) for k in range(self.count)] + \
                [(body.type(self.first_update + k), f"%{self.first_update + k}", at) for k in range(self.count)]:
            element = body.add(f"tensor.extract {name}[{', '.join(where)}] : {kind}")
            types.append(f"tensor<{kind.element_type}>")
            scalars.append(body.add(f"tensor.from_elements {element} : {types[-1]}"))
        body.lines.append(f"%new:{self.count} = \"{REGION}\"({', '.join(scalars)}) : ({', '.join(types)}) -> "
                          f"({', '.join(types[:self.count])})")
        results = []
        for k in range(self.count):
            element = body.add(f"tensor.extract %new#{k}[] : {types[k]}")
            results.append(body.add(f"tensor.insert {element} into %r{k}{self.suffix}[{', '.join(places)}] : {body.type(k)}"))
        done = ", ".join(results)
        while len(self.open) > depth:
            done = self._end_loop(done)
        return done

    def convert(self) -> List[str]:
        """Windows that are not inside of the result as a whole are skipped, as XLA does."""
        body = self.body
        for k in range(self.count):
            body.lines.append(f"%r{k} = tensor.cast %{k} : {body.type(k)} to {body.type(k)}")
        self._begin_loops("s", self.scatter_sizes)
        starts = self._starts()
        body.lines.append(f"%updated:{self.count} = scf.if {self._is_inside(starts)} -> ({self.types}) {{")
        simple = self._simple()
        done = self._elements(starts) if simple is None else self._slices(simple, starts)
        body.lines += [f"scf.yield {done} : {self.types}", "} else {",
                       f"scf.yield {self._each(f'%r{{k}}{self.suffix}')} : {self.types}", "}"]
        done = self._each("%updated#{k}")
        while self.open:
            done = self._end_loop(done)
        return [body.cast(value, str(body.type(k)), self.op.results[k].type) for k, value in enumerate(done.split(", "))]


def _convert_segment_sum(body: Body) -> List[str]:
    """tf.UnsortedSegmentSum, which TensorFlow's passes leave if sizes are dynamic: gradients of embeddings. Rows outside are skipped."""
    data, segments = body.type(0), body.type(1)
    given, wanted, element = body.constant(2), body.op.results[0].type, data.element_type
    sizes = [given[0] if given else body.element(2, 0), *body.sizes(0)[segments.rank:]]
    zeros, kind = body.filled(sizes, element, body.zero(element))
    window = ", ".join(str(dim) for dim in range(segments.rank, data.rank))
    value = body.add(f'"stablehlo.scatter"({zeros}, %1, %0) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [{window}], '
                     f"inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = {segments.rank}>}}> ({{\n"
                     f"^bb0(%a: tensor<{element}>, %b: tensor<{element}>):\n%sum = stablehlo.add %a, %b : tensor<{element}>\n"
                     f"stablehlo.return %sum : tensor<{element}>\n}}) : ({kind}, {segments}, {data}) -> {kind}")
    return [body.cast(value, kind, wanted)]


TENSORFLOW: Dict[str, Converter] = {"tf.UnsortedSegmentSum": _convert_segment_sum}
def _convert_scatter(body: Body) -> List[str]:
    count = len(body.op.results)
    if 0 in body.type(count + 1).shape:  # no updates
        return [body.cast(f"%{k}", str(body.type(k)), result.type) for k, result in enumerate(body.op.results)]
    return _Scatter(body).convert()


SCATTER: Dict[str, Converter] = {"stablehlo.scatter": _convert_scatter}
