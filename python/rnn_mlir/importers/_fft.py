# _fft.py - Fourier transforms as products with matrices.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jaxlib's passes do not convert stablehlo.fft. A transform of n = n1 n2 elements is one of n1, a product with twiddle factors, and one of n2
(Cooley and Tukey, "An algorithm for the machine calculation of complex Fourier series", 1965); a short one is a product with its matrix,
a constant, which a packed GEMM computes for all transforms at once. Products of complex numbers become real ones in the pass
`rnn-convert-complex`."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Sequence

import numpy as np

from . import _slices
from ._body import Body, Converter, Size, arithmetic, dims, is_complex, part_of, reassociation, tensor_type

# The longest transform that one matrix computes.
_LONGEST = 1024


class _Tensor(NamedTuple):
    value: str
    sizes: Sequence[Size]
    element: str

    @property
    def kind(self) -> str:
        return tensor_type(self.sizes, self.element)


def _elementwise(body: Body, inputs: Sequence[_Tensor], maps: Sequence[str], sizes: Sequence[Size], element: str, lines: Sequence[str]) -> _Tensor:
    """A linalg.generic of parallel loops, whose lines compute %r from %e0, %e1, ..."""
    init, kind = body.empty(sizes, element)
    rank = len(sizes)
    affine = ", ".join(f"affine_map<({dims(rank)}) -> ({results})>" for results in (*maps, dims(rank)))
    arguments = ", ".join(f"%e{k}: {tensor.element}" for k, tensor in enumerate(inputs))
    text = "\n".join([*lines, f"linalg.yield %r : {element}"])
    kinds = ", ".join(['"parallel"'] * rank)
    value = body.add(f"linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}} "
                     f"ins({', '.join(tensor.value for tensor in inputs)} : {', '.join(tensor.kind for tensor in inputs)}) outs({init} : {kind}) "
                     f"{{\n^bb0({arguments}, %o: {element}):\n{text}\n}} -> {kind}")
    return _Tensor(value, sizes, element)


def _constant(body: Body, array: Any, element: str) -> _Tensor:
    """A constant of real or complex numbers, which numpy has computed in f64."""
    def real(part: Any, kind: str) -> str:
        data = np.ascontiguousarray(part.astype(np.float64 if kind == "f64" else np.float32)).tobytes().hex()
        return body.add(f'arith.constant dense<"0x{data}"> : {tensor_type(part.shape, kind)}')

    sizes = [int(size) for size in array.shape]
    if not is_complex(element):
        return _Tensor(real(array, element), sizes, element)
    kind = part_of(element)
    parts = [_Tensor(real(part, kind), sizes, kind) for part in (array.real, array.imag)]
    return _elementwise(body, parts, [dims(len(sizes))] * 2, sizes, element, [f"%r = complex.create %e0, %e1 : {element}"])


def _multiply(body: Body, tensor: _Tensor, axis: int, matrix: _Tensor, total: str = "") -> _Tensor:
    """Multiplies the vectors along `axis` by a matrix. Adds the products to `total`, if given."""
    rank = len(tensor.sizes)
    sizes = [matrix.sizes[1] if dim == axis else size for dim, size in enumerate(tensor.sizes)]
    loops = [f"d{dim}" for dim in range(rank)]
    left = ", ".join(f"d{rank}" if dim == axis else name for dim, name in enumerate(loops))
    maps = ", ".join(f"affine_map<({dims(rank + 1)}) -> ({results})>" for results in (left, f"d{rank}, d{axis}", ", ".join(loops)))
    kinds = ", ".join(['"parallel"'] * rank + ['"reduction"'])
    kind, element = tensor_type(sizes, tensor.element), tensor.element
    total = total or body.filled(sizes, element, body.zero(element))[0]
    product, addition = (arithmetic(element, f"arith.{name}f", "", f"complex.{name}") for name in ("mul", "add"))
    value = body.add(f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} ins({tensor.value}, {matrix.value} : {tensor.kind}, "
                     f"{matrix.kind}) outs({total} : {kind}) {{\n^bb0(%a: {element}, %b: {element}, %s: {element}):\n"
                     f"%m = {product} %a, %b : {element}\n%r = {addition} %s, %m : {element}\nlinalg.yield %r : {element}\n}} -> {kind}")
    return _Tensor(value, sizes, element)


def _matrix(rows: int, columns: int, n: int, sign: int) -> Any:
    """exp(sign 2 pi i j k / n). The product is reduced before, for accuracy."""
    return np.exp(sign * 2j * np.pi / n * (np.outer(np.arange(rows), np.arange(columns)) % n))


def _divisor(n: int) -> int:
    return max(k for k in range(1, math.isqrt(n) + 1) if n % k == 0)


def _is_direct(n: int) -> bool:
    """Whether one matrix computes a transform. It takes less time than two short transforms up to 256 elements if a factor is no multiple of
    half a vector, and up to 1024 if one is below 4."""
    first = _divisor(n)
    has_vectors = first % 8 == 0 and n // first % 8 == 0
    return n <= 64 or (n <= 256 and not has_vectors) or (n <= _LONGEST and first < 4)


def _is_direct_for_real(n: int) -> bool:
    return n <= 256 or _is_direct(n // 2 if n % 2 == 0 else n)


def _transform(body: Body, tensor: _Tensor, axis: int, sign: int) -> _Tensor:
    """The transforms of complex vectors along `axis`, not scaled."""
    n = tensor.sizes[axis]
    assert isinstance(n, int)
    first = _divisor(n)
    if _is_direct(n):
        return _multiply(body, tensor, axis, _constant(body, _matrix(n, n, n, sign), tensor.element))
    if first == 1:
        return _chirp_transform(body, tensor, axis, sign)
    second = n // first
    rank = len(tensor.sizes)
    split = [*tensor.sizes[:axis], first, second, *tensor.sizes[axis + 1:]]
    groups = reassociation(2 if dim == axis else 1 for dim in range(rank))
    value = body.add(f"tensor.expand_shape {tensor.value} {groups} output_shape [{', '.join(map(str, split))}] : {tensor.kind} into "
                     f"{tensor_type(split, tensor.element)}")
    # Index j = j1 second + j2, and index k = k1 + k2 first of the result.
    part = _transform(body, _Tensor(value, split, tensor.element), axis, sign)
    factors = _constant(body, _matrix(first, second, n, sign), tensor.element)
    part = _elementwise(body, [part, factors], [dims(rank + 1), f"d{axis}, d{axis + 1}"], split, tensor.element,
                        [f"%r = complex.mul %e0, %e1 : {tensor.element}"])
    part = _transform(body, part, axis + 1, sign)
    order = [*range(axis), axis + 1, axis, *range(axis + 2, rank + 1)]
    init, kind = body.empty([split[dim] for dim in order], tensor.element)
    value = body.add(f"linalg.transpose ins({part.value} : {part.kind}) outs({init} : {kind}) permutation = [{', '.join(map(str, order))}]")
    return _Tensor(body.add(f"tensor.collapse_shape {value} {groups} : {kind} into {tensor.kind}"), tensor.sizes, tensor.element)


def _chirp_transform(body: Body, tensor: _Tensor, axis: int, sign: int) -> _Tensor:
    """A transform of prime length as a convolution, of a length that is a power of two (Bluestein, "A linear filtering approach to the computation
    of discrete Fourier transform", 1970)."""
    n, rank = tensor.sizes[axis], len(tensor.sizes)
    assert isinstance(n, int)
    longer = 1 << (2 * n - 2).bit_length()
    chirp = np.exp(sign * 1j * np.pi / n * (np.arange(n) ** 2 % (2 * n)))
    response = np.zeros(longer, complex)
    response[:n] = chirp.conj()
    response[longer - n + 1:] = chirp[:0:-1].conj()

    def multiply(factor: _Tensor, numbers: Any) -> _Tensor:
        return _elementwise(body, [factor, _constant(body, numbers, tensor.element)], [dims(rank), f"d{axis}"], factor.sizes, tensor.element,
                            [f"%r = complex.mul %e0, %e1 : {tensor.element}"])

    sizes = [longer if dim == axis else size for dim, size in enumerate(tensor.sizes)]
    zeros, _ = body.filled(sizes, tensor.element, body.zero(tensor.element))
    padded = _insert(body, multiply(tensor, chirp), _Tensor(zeros, sizes, tensor.element), axis, 0)
    product = multiply(_transform(body, padded, axis, -1), np.fft.fft(response) / longer)
    return multiply(_slice(body, _transform(body, product, axis, 1), axis, 0, n), chirp)


def _slice(body: Body, tensor: _Tensor, axis: int, start: int, size: int, stride: int = 1) -> _Tensor:
    sizes = [size if dim == axis else other for dim, other in enumerate(tensor.sizes)]
    offsets, strides = ([value if dim == axis else other for dim in range(len(sizes))] for value, other in ((start, 0), (stride, 1)))
    value = body.add(f"tensor.extract_slice {tensor.value}{_slices.ranges(offsets, sizes, strides)} : {tensor.kind} to "
                     f"{tensor_type(sizes, tensor.element)}")
    return _Tensor(value, sizes, tensor.element)


def _map(body: Body, tensor: _Tensor, element: str, lines: Sequence[str]) -> _Tensor:
    return _elementwise(body, [tensor], [dims(len(tensor.sizes))], tensor.sizes, element, lines)


def _scale(body: Body, tensor: _Tensor, factor: float) -> _Tensor:
    kind = part_of(tensor.element)
    return _map(body, tensor, tensor.element, [
        f"%f = arith.constant {factor!r} : {kind}", f"%re0 = complex.re %e0 : {tensor.element}", f"%im0 = complex.im %e0 : {tensor.element}",
        f"%re = arith.mulf %re0, %f : {kind}", f"%im = arith.mulf %im0, %f : {kind}", f"%r = complex.create %re, %im : {tensor.element}"])


def _reversed(axis: int, rank: int, last: int) -> str:
    """The indices of elements along `axis` in the reversed order, from `last` on."""
    return ", ".join(f"{last} - d{dim}" if dim == axis else f"d{dim}" for dim in range(rank))


def _insert(body: Body, part: _Tensor, whole: _Tensor, axis: int, start: int, stride: int = 1) -> _Tensor:
    rank = len(whole.sizes)
    offsets, strides = ([value if dim == axis else other for dim in range(rank)] for value, other in ((start, 0), (stride, 1)))
    value = body.add(f"tensor.insert_slice {part.value} into {whole.value}{_slices.ranges(offsets, part.sizes, strides)} : {part.kind} into "
                     f"{whole.kind}")
    return _Tensor(value, whole.sizes, whole.element)


def _complex(body: Body, re: _Tensor, im: _Tensor, element: str) -> _Tensor:
    return _elementwise(body, [re, im], [dims(len(re.sizes))] * 2, re.sizes, element, [f"%r = complex.create %e0, %e1 : {element}"])


def _part(body: Body, tensor: _Tensor, name: str) -> _Tensor:
    return _map(body, tensor, part_of(tensor.element), [f"%r = complex.{name} %e0 : {tensor.element}"])


def _real_transform(body: Body, tensor: _Tensor, n: int, element: str) -> _Tensor:
    """The first n / 2 + 1 elements of the transforms of real vectors along the last dimension."""
    rank, kind, count = len(tensor.sizes), tensor.element, n // 2 + 1
    axis, pairs = rank - 1, n - count
    if n % 2 == 0 and not _is_direct_for_real(n):
        # The transform of n / 2 complex numbers: elements with even indices and those with odd ones.
        half = n // 2
        even, odd = (_slice(body, tensor, axis, start, half, 2) for start in (0, 1))
        short = _transform(body, _complex(body, even, odd, element), axis, -1)
        whole, _ = body.empty([*tensor.sizes[:-1], count], element)
        both = _insert(body, short, _Tensor(whole, [*tensor.sizes[:-1], count], element), axis, 0)
        both = _insert(body, _slice(body, short, axis, 0, 1), both, axis, half)
        factors = _constant(body, -0.5j * np.exp(-2j * np.pi / n * np.arange(count)), element)
        return _elementwise(body, [both, both, factors], [dims(rank), _reversed(axis, rank, half), f"d{axis}"], both.sizes, element, [
            *_sum_and_difference(element), f"%half = arith.constant 0.5 : {kind}", f"%zero = arith.constant 0.0 : {kind}",
            f"%f = complex.create %half, %zero : {element}", f"%first = complex.mul %sum, %f : {element}",
            f"%second = complex.mul %difference, %e2 : {element}", f"%r = complex.add %first, %second : {element}"])
    if not _is_direct_for_real(n):
        zeros, _ = body.filled(tensor.sizes, kind, "0.0")
        full = _transform(body, _complex(body, tensor, _Tensor(zeros, tensor.sizes, kind), element), axis, -1)
        return _slice(body, full, axis, 0, count)
    # Cosines are equal at j and n - j, and sines opposite.
    matrix, sums = _matrix(count, count, n, -1), _slice(body, tensor, axis, 0, count)
    im = _Tensor(body.filled([*tensor.sizes[:-1], count], kind, "0.0")[0], [*tensor.sizes[:-1], count], kind)
    if pairs:
        given = [_slice(body, tensor, axis, 1, pairs), _slice(body, tensor, axis, count, pairs)]
        maps = [dims(rank), _reversed(axis, rank, pairs - 1)]
        added, subtracted = (_elementwise(body, given, maps, given[0].sizes, kind, [f"%r = arith.{name}f %e0, %e1 : {kind}"]) for name in ("add", "sub"))
        sums = _insert(body, added, sums, axis, 1)
        im = _multiply(body, subtracted, axis, _constant(body, matrix.imag[1:pairs + 1], kind))
    return _complex(body, _multiply(body, sums, axis, _constant(body, matrix.real, kind)), im, element)


def _sum_and_difference(element: str) -> List[str]:
    """%e0 and the conjugate of %e1."""
    kind = part_of(element)
    return [f"%re1 = complex.re %e1 : {element}", f"%im1 = complex.im %e1 : {element}", f"%minus1 = arith.negf %im1 : {kind}",
            f"%conjugate = complex.create %re1, %minus1 : {element}", f"%sum = complex.add %e0, %conjugate : {element}",
            f"%difference = complex.sub %e0, %conjugate : {element}"]


def _inverse_real_transform(body: Body, tensor: _Tensor, n: int, element: str) -> _Tensor:
    """Real vectors of n elements from the first n / 2 + 1 ones of their transforms along the last dimension. The imaginary parts of the
    first element, and of the last one if n is even, count as zero."""
    rank, count = len(tensor.sizes), n // 2 + 1
    axis, pairs = rank - 1, n - count
    mask = np.ones(count)
    mask[0] = 0
    if n % 2 == 0:
        mask[-1] = 0
    weights = (1 + mask[:, None]) * _matrix(count, count, n, 1) / n
    shape = [*tensor.sizes[:-1], n]
    re, im = (_part(body, tensor, name) for name in ("re", "im"))
    if _is_direct_for_real(n):
        # Cosines are equal at j and n - j, and sines opposite.
        parts = [_multiply(body, re, axis, _constant(body, weights.real, element)),
                 _multiply(body, im, axis, _constant(body, -(weights.imag * mask[:, None]), element))]
        whole = _Tensor(body.empty(shape, element)[0], shape, element)
        added = _elementwise(body, parts, [dims(rank)] * 2, parts[0].sizes, element, [f"%r = arith.addf %e0, %e1 : {element}"])
        whole = _insert(body, added, whole, axis, 0)
        if not pairs:
            return whole
        parts = [_slice(body, part, axis, 1, pairs) for part in parts]
        subtracted = _elementwise(body, parts, [_reversed(axis, rank, pairs - 1)] * 2, parts[0].sizes, element,
                                  [f"%r = arith.subf %e0, %e1 : {element}"])
        return _insert(body, subtracted, whole, axis, count)
    im = _elementwise(body, [im, _constant(body, mask, element)], [dims(rank), f"d{axis}"], im.sizes, element,
                      [f"%r = arith.mulf %e0, %e1 : {element}"])
    given = _complex(body, re, im, tensor.element)
    if n % 2 == 0:
        # The transform of n / 2 complex numbers: elements with even indices and those with odd ones.
        half = n // 2
        factors = _constant(body, 1j * np.exp(2j * np.pi / n * np.arange(half)), tensor.element)
        first, rest = (_slice(body, given, axis, start, half) for start in (0, 1))
        short = _elementwise(body, [first, rest, factors], [dims(rank), _reversed(axis, rank, half - 1), f"d{axis}"], first.sizes, tensor.element, [
            *_sum_and_difference(tensor.element), f"%second = complex.mul %difference, %e2 : {tensor.element}",
            f"%r = complex.add %sum, %second : {tensor.element}"])
        short = _transform(body, short, axis, 1)
        whole = _Tensor(body.empty(shape, element)[0], shape, element)
        for start, name in enumerate(("re", "im")):
            whole = _insert(body, _part(body, short, name), whole, axis, start, 2)
        return _map(body, whole, element, [f"%f = arith.constant {1 / n!r} : {element}", f"%r = arith.mulf %e0, %f : {element}"])
    rest = _slice(body, given, axis, 1, pairs)
    conjugate = [f"%re = complex.re %e0 : {tensor.element}", f"%im = complex.im %e0 : {tensor.element}", f"%minus = arith.negf %im : {element}",
                 f"%r = complex.create %re, %minus : {tensor.element}"]
    rest = _elementwise(body, [rest], [_reversed(axis, rank, pairs - 1)], rest.sizes, tensor.element, conjugate)
    full = _Tensor(body.empty(shape, tensor.element)[0], shape, tensor.element)
    full = _transform(body, _insert(body, rest, _insert(body, given, full, axis, 0), axis, count), axis, 1)
    return _map(body, full, element, [f"%re = complex.re %e0 : {tensor.element}", f"%f = arith.constant {1 / n!r} : {element}",
                                      f"%r = arith.mulf %re, %f : {element}"])


def _convert(body: Body) -> List[str]:
    """stablehlo.fft, over the last dimensions."""
    name = str(body.op.attributes["fft_type"]).split()[-1].rstrip(">")
    lengths = [int(n) for n in body.ir.DenseI64ArrayAttr(body.op.attributes["fft_length"])]
    given, wanted = body.type(0), body.ir.RankedTensorType(body.op.results[0].type)
    if 0 in lengths:
        return []
    tensor = _Tensor("%0", body.sizes(0), str(given.element_type))
    axes, last = range(given.rank - len(lengths), given.rank), lengths[-1]
    if name == "RFFT":
        tensor = _real_transform(body, tensor, last, str(wanted.element_type))
    is_inverse, scale = name in ("IFFT", "IRFFT"), 1.0
    for axis, n in zip(axes, lengths):
        if axis == given.rank - 1 and name in ("RFFT", "IRFFT"):
            continue
        tensor = _transform(body, tensor, axis, 1 if is_inverse else -1)
        scale *= n
    if is_inverse and scale != 1:
        tensor = _scale(body, tensor, 1 / scale)
    if name == "IRFFT":
        tensor = _inverse_real_transform(body, tensor, last, str(wanted.element_type))
    return [body.cast(tensor.value, tensor.kind, wanted)]


CONVERTERS: Dict[str, Converter] = {"stablehlo.fft": _convert}
