#!/usr/bin/env python3
# fuzz_jax.py - random programs of JAX and their gradients, compiled by rnn-mlir and compared with JAX's results.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: scripts/fuzz_jax.py [--seed N] [--programs N] [--seconds S] [--operations N] [--type TYPE] [--symbolic] [--option NAME=VALUE]

Needs the environment of the tests of Python (docs/internals/testing.md). Program N + K of a run is that of --seed N + K alone.
Prints each program whose results differ from JAX's, or that rnn-mlir refuses, after removing the statements without which it
still fails, and exits with status 1 if there is any.

A program whose results in JAX change with the last bits of its arguments, or are others in f64, is skipped: rounding would
decide the comparison.
"""
import argparse
import re
import sys
import time
import warnings
from typing import Any, Dict, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import rnn_mlir
from jax import export
from rnn_mlir.importers import stablehlo

# Of the largest element: sums in another order, other polynomials for functions, and in short types other roundings.
TOLERANCES = {"float64": 1e-9, "float32": 1e-4, "float16": 4e-2, "bfloat16": 3e-1}

UNARY = ("jnp.tanh({})", "jnp.sin({})", "jnp.exp(jnp.tanh({}))", "jax.nn.sigmoid({})", "-{}", "jnp.abs({})", "jnp.sqrt(jnp.abs({}) + 1)",
         "{} * {}", "jax.nn.relu({})", "jax.nn.gelu({})", "jnp.log(jnp.abs({}) + 1.5)", "1 / (jnp.abs({}) + 1)", "jax.nn.softplus({})",
         "jax.nn.silu({})", "{} * 0.5 + 1", "jnp.clip({}, -0.7, 0.9)", "jax.lax.stop_gradient({})", "jnp.square({})")
BINARY = ("{} + {}", "{} * jnp.tanh({})", "{} - {}", "jnp.maximum({}, {})", "jnp.minimum({}, {})", "{} / (1 + jnp.abs({}))",
          "jnp.where({} > 0, {}, 0.25)", "jnp.hypot({}, jnp.abs({}) + 1)")
REDUCE = ("jnp.sum({}, axis={}, keepdims={})", "jnp.mean({}, axis={}, keepdims={})", "jnp.max({}, axis={}, keepdims={})",
          "jnp.min({}, axis={}, keepdims={})", "jnp.var({}, axis={}, keepdims={})", "jax.nn.logsumexp({}, axis={}, keepdims={})")
SAME = ("jax.nn.softmax({}, axis={})", "jnp.cumsum({}, axis={})", "jnp.flip({}, {})", "jnp.sort({}, axis={})", "jax.nn.log_softmax({}, axis={})",
        "jnp.roll({}, 1, axis={})", "jax.lax.cummax({}, axis={})", "jnp.cumsum({}[::-1], axis={})", "jnp.cumprod(jnp.tanh({}), axis={})",
        "jax.nn.standardize({}, axis={})", "jnp.diff({}, axis={}, prepend=0)")


class Program:
    """Statements of one random function. `values` maps the name of each variable in scope to its type."""

    def __init__(self, random, operations, kind="float32"):
        self.random, self.kind, self.count = random, jnp.dtype(kind), 0
        big = int(random.choice(3, p=[0.8, 0.13, 0.07]))
        self.most = (40000, 40000, 300000)[big]  # elements
        self.sizes = [int(n) for n in random.choice(([1, 2, 3, 4, 5, 8, 16, 17, 33], [32, 48, 65, 100, 130], [100, 257, 384, 512])[big], 3)]
        self.arguments = {}
        for k in range(int(random.integers(2, 5))):
            shape = self.sizes_of(random.choice(4, p=[.2, .5, .25, .05]) + 1)[:2 if big else 4]
            self.arguments[f"a{k}"] = jax.ShapeDtypeStruct(shape, self.kind)
        self.arguments["n0"] = jax.ShapeDtypeStruct((), jnp.int32)
        self.arguments["n1"] = jax.ShapeDtypeStruct((self.size(),), jnp.int32)
        self.lines, values = self.block(dict(self.arguments), operations, "    ", depth=0)
        names = [name for name in values if name.startswith("v")]
        self.results = names[-3:] or ["a0"]

    def pick(self, choices):
        return choices[int(self.random.integers(len(choices)))]

    def size(self):
        return self.pick(self.sizes)

    def sizes_of(self, rank):
        return tuple(self.size() for _ in range(rank))

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def float(self, values, least=0, shape=None):
        names = [n for n, t in values.items() if t.dtype == self.kind and len(t.shape) >= least and (shape is None or t.shape == shape)]
        # Later values more often: longer chains.
        return names[max(int(self.random.integers(len(names))), int(self.random.integers(len(names))))] if names else None

    def integer_name(self, values):
        return self.pick([n for n, t in values.items() if t.dtype == jnp.int32])

    def block(self, values, operations, indent, depth):
        """Lines of `operations` statements and the variables after them."""
        lines = []
        for _ in range(operations):
            for _ in range(8):
                name = self.name()
                try:
                    made = self.statement(name, values, indent, depth)
                    text = made if isinstance(made, list) else [f"{indent}{name} = {made}"]
                    kind = evaluate(text, indent, name, values)
                except Exception:  # noqa: BLE001 - shapes that do not match: another statement
                    continue
                if not hasattr(kind, "dtype") or kind.dtype not in (self.kind, jnp.int32) or np.prod(kind.shape) > self.most \
                        or len(kind.shape) > 5:
                    continue
                lines.append(text)
                values[name] = kind
                break
        return lines, values

    def statement(self, name, values, indent, depth):
        weights = {"unary": 4, "binary": 5, "reduce": 2, "same": 2, "product": 3, "shape": 5, "index": 4, "integer": 2, "other": 3, "complex": 2}
        if depth < (2 if self.most < 100000 else 1):
            weights |= {"loop": 3, "branch": 1, "cell": 1}
        kind = self.pick([kind for kind, weight in weights.items() for _ in range(weight)])
        return getattr(self, kind)(name, values, indent, depth)

    def unary(self, _, values, *__):
        template, operand = self.pick(UNARY), self.float(values)
        return template.replace("{}", operand)

    def binary(self, _, values, *__):
        one = self.float(values)
        other = self.float(values, shape=values[one].shape) if self.random.random() < 0.6 else self.float(values)
        return self.pick(BINARY).format(one, other)

    def reduce(self, _, values, *__):
        operand = self.float(values, 1)
        rank = len(values[operand].shape)
        axis = int(self.random.integers(rank)) if self.random.random() < 0.8 else None
        return self.pick(REDUCE).format(operand, axis, self.pick([True, False]))

    def same(self, _, values, *__):
        operand = self.float(values, 1)
        return self.pick(SAME).format(operand, int(self.random.integers(len(values[operand].shape))))

    def product(self, _, values, *__):
        one, other = self.float(values, 1), self.float(values, 1)
        k = int(self.random.integers(5))
        if k == 0:
            return f"{one} @ {other} * 0.2"
        if k == 1:
            return f"{one} @ {other}.T * 0.2"
        ranks = len(values[one].shape), len(values[other].shape)
        left = "abcde"[:ranks[0]]
        sizes = dict(zip(left, values[one].shape))
        right, spare = "", list("wxyz")
        for n in values[other].shape:  # a matching dimension of the left operand, or a new one
            same = [c for c in left if sizes[c] == n and c not in right]
            right += self.pick(same) if same and self.random.random() < 0.7 else spare.pop()
        out = [c for c in dict.fromkeys(left + right) if self.random.random() < 0.65]
        self.random.shuffle(out)
        return f'jnp.einsum("{left},{right}->{"".join(out)}", {one}, {other}) * 0.2'

    def index(self, _, values, *__):
        operand = self.float(values, 1)
        shape = values[operand].shape
        axis = int(self.random.integers(len(shape)))
        n, at = self.integer_name(values), ":, " * axis
        other = self.float(values)
        return self.pick([
            f"{operand}[{at}{n} % {shape[axis]}]",
            f"jnp.take({operand}, {n}, axis={axis}, mode='clip')",
            f"jnp.take({operand}, {n}, axis={axis}, mode='fill', fill_value=0)",
            f"{operand}.at[{at}{n} % {shape[axis]}].add({other})",
            f"{operand}.at[{at}{n} % {shape[axis]}].set({other})",
            f"{operand}.at[{at}0].set({other})",
            f"{operand}.at[{at}1:].multiply({other})",
            f"{operand}.at[{at}::2].add({other})",
            f"{operand}.at[{at}n0 % {shape[axis]}].max({other})",
            f"jax.lax.dynamic_slice_in_dim({operand}, n0, {max(1, shape[axis] // 2)}, {axis})",
            f"jax.lax.dynamic_update_slice_in_dim({operand}, {self.float(values, 1)}, n0, {axis})",
            f"jax.lax.dynamic_index_in_dim({operand}, n0, {axis}, keepdims=False)",
            f"jnp.take_along_axis({operand}, jnp.argsort({operand}, axis={axis}), axis={axis})",
        ])

    def shape_change(self, operand, shape):
        axis = int(self.random.integers(len(shape)))
        at = ":, " * axis
        permutation = tuple(int(k) for k in self.random.permutation(len(shape)))
        low, high = sorted(int(k) for k in self.random.integers(0, shape[axis] + 1, 2))
        pads = tuple((int(self.random.integers(3)), int(self.random.integers(3))) for _ in shape)
        lax_pads = tuple((int(self.random.integers(-1, 3)), int(self.random.integers(-1, 3)), int(self.random.integers(2))) for _ in shape)
        return self.pick([
            f"{operand}[{at}{low}:{high + 1}]", f"{operand}[{at}::2]", f"{operand}[{at}{low}:{high + 1}:2]", f"{operand}[{at}::-1]",
            f"jnp.transpose({operand}, {permutation})", f"{operand}.reshape(-1)", f"{operand}.reshape({shape[0]}, -1)",
            f"{operand}.reshape(-1, {shape[-1]})", f"{operand}[{at}None]", f"jnp.squeeze({operand}[{at}:1], {axis})",
            f"jnp.pad({operand}, {pads})", f"jnp.pad({operand}, {pads}, mode='edge')", f"jax.lax.pad({operand}, 0.5, {lax_pads})",
            f"jnp.repeat({operand}, 2, axis={axis})", f"jnp.broadcast_to({operand}, ({self.size()},) + {shape})",
            f"jnp.split({operand}, 2, axis={axis})[{int(self.random.integers(2))}]", f"jnp.tile({operand}, 2)",
        ])

    def shape_pair(self, values):
        one = self.float(values, 1)
        axis = int(self.random.integers(len(values[one].shape)))
        other = self.float(values, shape=values[one].shape) if self.random.random() < 0.5 else self.float(values, 1)
        third = self.float(values, shape=values[one].shape)
        return self.pick([f"jnp.concatenate([{one}, {other}], axis={axis})", f"jnp.stack([{one}, {third}], axis={axis})",
                          f"jnp.concatenate([{one}, {third}, {one} * 2], axis={axis})", f"jnp.outer({one}, {other})"])

    def shape(self, _, values, *__):
        if self.random.random() < 0.35:
            return self.shape_pair(values)
        operand = self.float(values, 1)
        return self.shape_change(operand, values[operand].shape)

    def integer(self, _, values, *__):
        operand = self.float(values, 1)
        axis = int(self.random.integers(len(values[operand].shape)))
        n, m = self.integer_name(values), self.integer_name(values)
        return self.pick([
            f"jnp.argmax({operand}, axis={axis}).astype(jnp.int32)", f"({n} * 3 + 1) % 7", f"({operand} > 0.1).sum({axis}).astype(jnp.int32)",
            f"jnp.argsort({operand}, axis={axis}).astype(jnp.int32)", f"jnp.cumsum(jnp.atleast_1d({n})) % 5", f"{n} // 2 + {m}",
            f"jnp.maximum({n}, {m}) ^ 1", f"jnp.where({n} > {m}, {n}, -{m})", f"({n} << 2) >> 1", f"jnp.sum({n} * {m})", f"{n}.astype(jnp.uint8) // 3 + 0 * {m}",
            f"jnp.clip(jnp.floor({operand} * 3), -5, 5).astype(jnp.int32)", f"jnp.any({operand} > 0.5, axis={axis}).astype(jnp.int32)",
            f"jnp.all({operand} > -0.5, axis={axis}) * {n}", f"jnp.searchsorted(jnp.sort({operand}.reshape(-1)), 0.1 * {n}).astype(jnp.int32)",
            f"jnp.sort(jnp.atleast_1d({n}))", f"jax.lax.population_count({n})", f"jnp.bincount(jnp.atleast_1d({n}).reshape(-1) % 8, length=8).astype(jnp.int32)",
        ])

    def other(self, _, values, *__):
        operand, n = self.float(values, 1), self.integer_name(values)
        shape = values[operand].shape
        axis = int(self.random.integers(len(shape)))
        second = self.float(values, 1)
        flat, size = f"{operand}.reshape(-1)", int(np.prod(shape))
        channels = self.size()
        half = self.pick(["bfloat16", "float16"])
        return self.pick([
            f"jax.nn.one_hot({n}, 5)", f"{n} * 0.25", f"{operand} * {n}", f"jnp.where({n} > 1, {operand}, {second})",
            f"jax.ops.segment_sum({operand}, jnp.arange({shape[0]}) % 3, 3)", f"jax.lax.top_k({operand}, {min(3, shape[-1])})[0]",
            f"jax.vmap(lambda x: jnp.tanh(x) / (1 + jnp.sum(x * x)), in_axes={axis})({operand})",
            f"jax.vmap(lambda x, y: x @ y, in_axes=({axis}, 0))({operand}, {second}) * 0.2",
            f"jax.lax.map(lambda x: jnp.cumsum(x, axis=0) * 0.5, {operand})", f"jax.lax.associative_scan(jnp.add, {operand}, axis={axis}) * 0.2",
            f"jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)))({operand})",
            f"jnp.convolve({flat}, {second}.reshape(-1)[:5], mode='{self.pick(['same', 'valid', 'full'])}') * 0.3",
            f"jax.lax.reduce_window({operand}, -jnp.inf, jax.lax.max, ({'1, ' * axis}2{', 1' * (len(shape) - axis - 1)}), "
            f"({'1, ' * axis}{self.pick([1, 2])}{', 1' * (len(shape) - axis - 1)}), '{self.pick(['SAME', 'VALID'])}')",
            f"jax.lax.conv_general_dilated({operand}.reshape({shape[0]}, -1, {shape[-1]}), jnp.broadcast_to({second}.reshape(-1)[:3, None, None] * 0.2, "
            f"(3, {shape[-1]}, {channels})), ({self.pick([1, 2])},), '{self.pick(['SAME', 'VALID'])}', dimension_numbers=('NWC', 'WIO', 'NWC'))",
            f"jnp.triu({operand})", f"jnp.linspace(0, 1, {shape[axis]})", f"jnp.trapezoid({operand}, axis={axis})",
            f"jnp.matmul({operand}.astype(jnp.{half}), {second}.astype(jnp.{half}), preferred_element_type=jnp.{self.kind}) * 0.1",
            f"jnp.argsort({flat})[:{min(size, 7)}] * 0.1", f"jnp.median({operand}, axis={axis})", f"jnp.interp({flat}, jnp.arange(4.0), jnp.array([0.1, 0.5, 0.2, 1]))",
            f"jax.random.uniform(jax.random.fold_in(jax.random.key(3), n0), {shape}) * {operand}", f"jnp.arange({shape[axis]}) * 0.1 + n0",
            f"jnp.meshgrid({flat}[:7], {second}.reshape(-1)[:5])[{int(self.random.integers(2))}]", f"jnp.rot90(jnp.atleast_2d({operand}))",
            f"jnp.linalg.norm({operand}, axis={axis})", f"jnp.sinc({operand})", f"jax.lax.erf({operand})", f"jnp.arctan2({operand}, {second} + 3)",
            f"jnp.nanmean(jnp.where({operand} > 1, jnp.nan, {operand}), axis={axis})", f"jnp.unwrap({operand}, axis={axis})",
            f"jnp.power(jnp.abs({operand}) + 0.5, 1.5)", f"jnp.float_power(jnp.abs({operand}) + 1, 0.3).astype(jnp.{self.kind})", f"jnp.round({operand} * 4) * 0.25",
            f"jnp.ldexp({operand}, {n})", f"jnp.nextafter({operand}, {operand} + 1)", f"jnp.mod({operand}, 0.7)", f"jnp.einsum('...i,...i->...', {operand}, {operand}) * 0.2",
        ])

    def complex(self, _, values, *__):
        """The real or imaginary part of a complex value."""
        re = self.float(values, 1)
        shape = values[re].shape
        axis = int(self.random.integers(len(shape)))
        z = f"({re} + 1j * {self.float(values, shape=shape)})"
        made = self.pick([
            f"jnp.exp({z} * 0.3)", f"{z} * jnp.conj({self.float(values)} - 0.5j)", f"{z} / (jnp.abs({z}) + 1j)", f"jnp.sqrt({z} + 3)", f"jnp.tanh({z} * 0.4)",
            f"jnp.cumsum({z}, axis={axis}) * 0.3", f"jnp.sum({z}, axis={axis})", f"{z} @ jnp.conj({z}.T) * 0.2", f"jnp.einsum('...i,...i->...', {z}, {z}) * 0.2",
            f"jnp.where({re} > 0, {z}, {z} * 2j)", f"jnp.fft.fft({z}, axis={axis}) * 0.2", f"jnp.fft.ifft({z}, axis={axis})", f"jnp.fft.rfft({re}, axis={axis}) * 0.2",
            f"jnp.fft.irfft({z}, axis={axis})", f"{z}.at[0].set(n0 * 0.1j)", f"jnp.flip({z}, {axis})", f"jnp.concatenate([{z}, {z} * 1j], axis={axis})",
            f"jnp.pad({z}, {tuple((1, 0) for _ in shape)})", f"jax.lax.associative_scan(jnp.multiply, {z} / (jnp.abs({z}) + 0.5), axis={axis})",
            f"jax.lax.scan(lambda h, u: ((0.5 + 0.3j) * h + u, h * u), {z}[0] * 0, {z})[{int(self.random.integers(2))}]",
            f"jax.lax.fori_loop(0, 3, lambda k, c: c * (0.4 + 0.5j) + {z} * k, {z})", f"jnp.outer({z}.reshape(-1)[:9], {z}.reshape(-1)[:7])"])
        return f"({made}).{self.pick(['real', 'imag'])}"

    def loop(self, name, values, indent, depth):
        carry = self.float(values)
        second = self.float(values)
        inner = indent + "    "
        a, b, x = self.name(), self.name(), self.name()
        scope = {**values, a: values[carry], b: values[second]}
        kind = self.pick(["scan", "scan", "fori", "while"])
        if kind == "scan":
            scanned = self.float(values, 1)
            scope[x] = jax.ShapeDtypeStruct(values[scanned].shape[1:], self.kind)
        else:
            scope[x] = jax.ShapeDtypeStruct((), jnp.int32)
        lines, after = self.block(dict(scope), int(self.random.integers(2, 6)), inner, depth + 1)

        def next_value(variable):
            shape = scope[variable].shape
            names = [n for n, t in after.items() if t.dtype == self.kind and t.shape == shape and n not in values]
            other = self.pick(names)
            fresh = self.pick(names[-2:])
            return self.pick([f"jnp.tanh({fresh})", f"0.5 * {variable} + 0.5 * jnp.tanh({fresh})", f"0.4 * jnp.sin({fresh} + {other})", variable])
        results = f"({next_value(a)}, {next_value(b)})"
        flat = [line for statement in lines for line in statement]
        body = f"body{name}"
        which = int(self.random.integers(2))
        if kind == "scan":
            made = [n for n, t in after.items() if t.dtype == self.kind and n not in values]
            y = self.pick(made)
            out = self.pick([f"[0][{which}]", "[1]"])
            options = self.pick(["", "", ", reverse=True"])
            return [f"{indent}def {body}(carry, {x}):", f"{inner}{a}, {b} = carry", *flat, f"{inner}return {results}, {y}",
                    f"{indent}{name} = jax.lax.scan({body}, ({carry}, {second}), {scanned}{options}){out}"]
        if kind == "fori":
            steps = self.pick(["4", "1", "n0 % 4" if self.random.random() < 0.3 else "3"])
            return [f"{indent}def {body}({x}, carry):", f"{inner}{a}, {b} = carry", *flat, f"{inner}return {results}",
                    f"{indent}{name} = jax.lax.fori_loop(0, {steps}, {body}, ({carry}, {second}))[{which}]"]
        return [f"{indent}def {body}(carry):", f"{inner}{x}, {a}, {b} = carry", *flat, f"{inner}return {x} + 1, *{results}",
                f"{indent}{name} = jax.lax.while_loop(lambda carry: carry[0] < n0 % 5, {body}, (0, {carry}, {second}))[{1 + which}]"]

    def cell(self, name, values, indent, _):
        """A recurrent layer as libraries write it. Its weights depend on a value, so that they have gradients."""
        scanned, source = self.float(values, 2), self.float(values)
        *rows, inputs = values[scanned].shape[1:]
        units, gates = self.size(), self.pick([2, 3, 4])
        inner, body, parts = indent + "    ", f"body{name}", gates if self.random.random() < 0.5 else 1
        lines, state = [f"{indent}s{name} = jnp.sum({source}) * 0.01"], f"({', '.join(str(n) for n in (*rows, units))},)"

        def weights(kind, height, width):  # one matrix, or one for each gate
            names = [f"{kind}{name}_{k}" for k in range(parts)]
            for k, w in enumerate(names):
                lines.append(f"{indent}{w} = jnp.sin(jnp.arange({height * width // parts}, dtype=jnp.{self.kind}).reshape({height}, -1) * 1.3 + {k} + s{name}) * 0.3")
            return names[0] if parts == 1 else f"jnp.concatenate([{', '.join(names)}], -1)"
        form = self.pick(["sum", "concat", "parts", "halves", "vectors"])
        if form in ("concat", "parts"):
            w = weights("w", inputs + units, units * gates)
            pre = f"jnp.concatenate([x, h], -1) @ {w}" if form == "concat" else f"x @ {w}[:{inputs}] + h @ {w}[{inputs}:]"
        elif form == "vectors":
            pre = f"{weights('i', inputs, units * gates)}.T @ x + {weights('h', units, units * gates)}.T @ h"
        else:
            recurrent = weights("h", units, units * gates)
            if form == "halves":
                recurrent = f"jnp.concatenate(jnp.split({recurrent}, [{units}], -1), -1)"
            pre = f"x @ {weights('i', inputs, units * gates)} + h @ {recurrent}"
        bias = self.pick(["", f" + jnp.arange({units * gates}, dtype=jnp.{self.kind}) * s{name}"])
        mix = self.pick(["", " * jax.nn.sigmoid(p[1])", " + 0.2 * jnp.sin(p[1]) * s"])
        output = self.pick(["h", "s * (1 - s)", "t", "p[-1]"])
        cell = [f"p = jnp.split({pre}{bias}, {gates}, -1)", "s, t = jax.nn.sigmoid(p[0]), jnp.tanh(p[-1])", f"h = s * h + (1 - s) * t{mix}", f"return h, {output}"]
        lines += [f"{indent}def {body}(h, x):", *(inner + line for line in cell)]
        function = f"jax.vmap({body})" if form == "vectors" and rows else body
        return [*lines, f"{indent}{name} = jax.lax.scan({function}, jnp.zeros({state}) + s{name}, {scanned}"
                f"{self.pick(['', ', reverse=True'])})[{int(self.random.integers(2))}]"]

    def branch(self, name, values, indent, depth):
        inner = indent + "    "
        lines, after = self.block(dict(values), int(self.random.integers(1, 4)), inner, depth + 1)
        flat = [line for statement in lines for line in statement]
        made = [n for n, t in after.items() if t.dtype == self.kind and n not in values]
        result = self.pick(made)
        other = self.float(values, shape=after[result].shape) or f"jnp.ones({after[result].shape})"
        condition = self.pick(["n0 % 2 == 0", f"jnp.sum({self.float(values)}) > 0.3"])
        return [f"{indent}def body{name}():", *flat, f"{inner}return {result}", f"{indent}{name} = jax.lax.cond({condition}, body{name}, lambda: {other} * 1)"]

    def text(self, lines=None, results=None):
        body = [line for statement in (self.lines if lines is None else lines) for line in statement]
        return "\n".join([f"def program({', '.join(self.arguments)}):", *body, f"    return ({', '.join(results or self.results)},)"])


def evaluate(lines, indent, name, values):
    """The type of variable `name` after `lines`."""
    text = "\n".join([f"def f({', '.join(values)}):", *("    " + line[len(indent):] for line in lines), f"    return {name}"])
    scope = {"jax": jax, "jnp": jnp}
    exec(text, scope)  # noqa: S102
    return jax.eval_shape(scope["f"], *values.values())


def compiled(text, gradient):
    """The function of a program, or of its gradient with respect to the floating-point arguments."""
    scope = {"jax": jax, "jnp": jnp}
    exec(text, scope)  # noqa: S102
    function = scope["program"]
    if not gradient:
        return function

    def loss(*values):
        return sum(jnp.sum(jnp.sin(result)) for result in function(*values) if jnp.issubdtype(result.dtype, jnp.floating))
    return lambda *values: jax.grad(loss, argnums=tuple(k for k, value in enumerate(values) if jnp.issubdtype(value.dtype, jnp.floating)))(*values)


def far(got, want, tolerance):
    """How two results differ by more than a part of the largest element; None if they do not."""
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    if got.shape != want.shape:
        return f"shape {got.shape} instead of {want.shape}"
    same = np.isnan(got) == np.isnan(want)
    if not same.all():
        return "NaN"
    difference = np.nan_to_num(np.abs(got - want)).max(initial=0)
    limit = tolerance * max(1e-2, np.nan_to_num(np.abs(want), posinf=0).max(initial=0))
    return f"differs by {difference:.3g}, of {limit / tolerance:.3g}" if difference > limit else None


class Check(NamedTuple):
    """What a run checks."""

    kind: str = "float32"
    symbolic: bool = False
    options: Dict[str, Any] = {}

    def __call__(self, text, gradient, values):
        """None, 'skipped', or how the results differ."""
        tolerance = TOLERANCES[self.kind]
        try:
            function = jax.jit(compiled(text, gradient), keep_unused=True)
            wanted = function(*values)
            random, eps = np.random.default_rng(0), float(jnp.finfo(self.kind).eps)
            moved = function(*((value * random.choice([1 - 2 * eps, 1, 1 + 3 * eps], value.shape)).astype(value.dtype)
                               if jnp.issubdtype(value.dtype, jnp.floating) else value for value in values))
            if any(not np.isfinite(np.asarray(want, np.float64)).all() or far(got, want, tolerance / 4) for got, want in zip(moved, wanted)):
                return "skipped"
            if self.kind != "float64":
                with jax.enable_x64(True):
                    exact = jax.jit(compiled(text, gradient))(*(value.astype(np.float64) if jnp.issubdtype(value.dtype, jnp.floating) else value
                                                                for value in values))
                if any(far(got, want, tolerance / 4) for got, want in zip(wanted, exact)):
                    return "skipped"
            traced = export.export(function)(*(self.symbolic_arguments(values) if self.symbolic else values))
        except Exception:  # noqa: BLE001 - JAX refuses it
            return "skipped"
        try:
            results = rnn_mlir.compile(stablehlo.import_module(traced.mlir_module_serialized), **self.options)(*values)
        except Exception as error:  # noqa: BLE001
            return f"{type(error).__name__}: {re.sub(chr(10) + '.*', '', str(error))[:300]}"
        results = results if isinstance(results, (list, tuple)) else [results]
        for k, (got, want) in enumerate(zip(results, wanted)):
            if difference := far(got, want, tolerance):
                return f"result {k} {difference}"
        return None

    @staticmethod
    def symbolic_arguments(values):
        """Types of the arguments, in which the most frequent size is a symbol."""
        sizes = [size for value in values for size in value.shape if size > 1]
        one = max(sorted(set(sizes)), key=sizes.count, default=0)
        scope = export.SymbolicScope()
        shapes = (", ".join("n" if size == one else str(size) for size in value.shape) for value in values)
        return [jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope) if shape else (), value.dtype)
                for shape, value in zip(shapes, values)]


def reduce_program(check, program, gradient, values):
    """The text of a program without the statements that its failure does not need."""
    def fails(lines, results):
        answer = check(program.text(lines, results), gradient, values)
        return answer not in (None, "skipped")
    lines, results = program.lines, program.results
    for result in results:
        if len(results) > 1 and fails(lines, [result]):
            results = [result]
            break
    for result in [statement[-1].split("=")[0].strip() for statement in lines]:  # an earlier value as the only result
        if fails(lines, [result]):
            results = [result]
            break
    for k in reversed(range(len(lines))):
        shorter = lines[:k] + lines[k + 1:]
        if fails(shorter, results):
            lines = shorter
    k = 0
    while k < len(lines):  # single lines in the bodies of loops
        if len(lines[k]) > 1:
            for at in reversed(range(1, len(lines[k]) - 1)):
                shorter = [*lines[:k], lines[k][:at] + lines[k][at + 1:], *lines[k + 1:]]
                if fails(shorter, results):
                    lines = shorter
        k += 1
    return program.text(lines, results)


def run(seeds, operations, check=Check(), end=float("inf"), show=False):
    """Checks the programs of `seeds` until the time `end`. Returns how many are equal, skipped and failed, and a text per failure."""
    counts, failures = {"equal": 0, "skipped": 0, "failed": 0}, []
    for seed in seeds:
        if time.monotonic() > end:
            break
        random = np.random.default_rng(seed)
        program = Program(random, operations, check.kind)
        gradient = bool(random.random() < 0.5)
        values = [(random.integers(0, 6, kind.shape) if kind.dtype == jnp.int32 else random.standard_normal(kind.shape)).astype(kind.dtype)
                  if kind.shape else np.int32(random.integers(0, 6)) for kind in program.arguments.values()]
        title = f"seed {seed}, {'gradient' if gradient else 'forward pass'}"
        if show:
            print(f"# {title}\n{program.text()}", flush=True)
        answer = check(program.text(), gradient, values)
        counts[answer if answer == "skipped" else "failed" if answer else "equal"] += 1
        if answer and answer != "skipped":
            shapes = ", ".join(f"{name}: {value.shape}" for name, value in zip(program.arguments, values))
            failures.append(f"{title}: {answer}\n{shapes}\n{reduce_program(check, program, gradient, values)}\n")
            print(failures[-1], flush=True)
    return counts, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no program after this time")
    parser.add_argument("--operations", type=int, default=8, help="statements of a program, without those in its loops and branches")
    parser.add_argument("--show", action="store_true", help="print every program")
    parser.add_argument("--type", choices=TOLERANCES, default="float32")
    parser.add_argument("--symbolic", action="store_true", help="export one size of the arguments as a symbol")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of rnn_mlir.compile, such as target=simt")
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", options.type == "float64")
    pairs = (option.split("=", 1) for option in options.option)
    check = Check(options.type, options.symbolic, {name: int(value) if value.isdigit() else value for name, value in pairs})
    warnings.simplefilter("ignore")
    counts, _ = run(range(options.seed, options.seed + options.programs), options.operations, check, time.monotonic() + options.seconds, options.show)
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return counts["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
