#!/usr/bin/env python3
# mutate_imports.py - systematic mutants of the frameworks' ops in the tests of the import passes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: scripts/mutate_imports.py RNN_OPT PASS FILE...

For example `scripts/mutate_imports.py build/bin/rnn-opt convert-onnx-to-rnn test/Conversion/ONNXToRNN/layers.mlir`.

Drops, repeats, exchanges and retypes each operand, result and attribute of each op, and each type of a module. PASS must
accept a mutant, or report an error of the op in the framework's terms. Prints the other errors, once for each kind, and fails
for a signal. Private functions stand for new operands and for the uses of results.
"""
import bisect
import collections
import itertools
import re
import subprocess
import sys

OP = re.compile(r'^\s*(?:(%\S+) = )?"((?:torch|torch_c|onnx|stablehlo|mhlo|tf)\.[^"]*)"\(')
TENSOR = re.compile(r"tensor<((?:[\d?]+x)*)(\w+)>|!torch\.vtensor<\[([\d,?]*)\],(\w+)>")
VALUES = ("1 : i32", "-1 : i64", "9223372036854775807 : i64", "1 : i128", "true", '"x"', '""', '"\\00\\FF"', "unit", "[]",
          "[1 : i64]", "-1.0 : f64", "0x7FC00000 : f32", "0x7F800000 : f32", "1.0e300 : f64", "dense<1> : tensor<1xi64>",
          "dense_resource<x> : tensor<4xf32>", "sparse<0, 1> : tensor<3xi64>", "@f", "{}", "i32", 'loc("x")', "#foo.bar<1>")
TYPES = ("none", "f32", "index", "tensor<f32>", "tensor<*xf32>", "tensor<0xf32>", "tensor<?x?x?xf32>", "tensor<1x2x3x4xf32>",
         "tensor<3xcomplex<f32>>", "vector<4xf32>", "memref<4xf32>", "tuple<>", "!torch.vtensor", "!torch.vtensor<*,f32>",
         "!torch.vtensor<[-1,3],f32>", "!torch.list<vtensor>", "!torch.none", "!foo.bar<3>", "tensor<2x!foo.bar>", "tensor<i0>",
         "tensor<?xi8>")
SIZES = ("?", "0", "1", "2", "3", "5", "2147483648", "4611686018427387904", "9223372036854775807")
ELEMENTS = {"tensor": ("f16", "bf16", "f64", "i1", "i8", "i64", "si32", "index", "f80", "i0"),
            "torch": ("f16", "f64", "si64", "ui8", "i1", "unk")}
CHUNK = 500
numbers = itertools.count()


def end_of(text, start):
    """The position of the bracket that closes the one at `start`."""
    depth, quoted, at = 0, False, start
    while at < len(text):
        character = text[at]
        if quoted:
            at += character == "\\"
            quoted = character != '"'
        elif character == '"':
            quoted = True
        elif character in "([{<":
            depth += 1
        elif character in ")]}" or (character == ">" and text[at - 1] != "-"):
            depth -= 1
            if depth == 0:
                return at
        at += 1
    raise ValueError(text)


def split(text):
    """The items of a list, by its outer commas."""
    items, start, at = [], 0, 0
    while at < len(text):
        if text[at] in '([{<':
            at = end_of(text, at)
        elif text[at] == '"':
            at = re.compile(r'"(?:[^"\\]|\\.)*"').match(text, at).end() - 1
        elif text[at] == ",":
            items.append(text[start:at].strip())
            start = at + 1
        at += 1
    return items + [text[start:].strip()] if text.strip() else []


def parse(line):
    """The parts of an op without regions in generic form, or None."""
    match = OP.match(line)
    if not match:
        return None
    at = match.end() - 1
    end = end_of(line, at)
    op = {"name": match[2], "values": match[1], "operands": split(line[at + 1:end])}
    rest = line[end + 1:].strip()
    for key, opening in (("properties", "<{"), ("attributes", "{")):
        op[key] = []
        if rest.startswith(opening):
            end = end_of(rest, 0)
            op[key] = split(rest[len(opening):end - len(opening) + 1])
            rest = rest[end + 1:].strip()
    if not rest.startswith(":"):
        return None
    inputs, _, results = rest[1:].partition(" -> ")
    op["inputs"] = split(inputs.strip()[1:-1])
    results = re.sub(r" loc\(.*", "", results.strip())
    op["results"] = split(results[1:-1]) if results.startswith("(") else [results]
    return op


def write(op, **changes):
    """Lines of a changed op, and declarations. The uses of the old results read other values."""
    new = {**op, **changes}
    lines, declarations, operands = [], [], []

    def call(name, arguments, inputs, results, values):
        declarations.append(f'"func.func"() <{{function_type = ({", ".join(inputs)}) -> ({", ".join(results)}), '
                            f'sym_name = "{name}", sym_visibility = "private"}}> ({{\n}}) : () -> ()')
        lines.append(f'{values}"func.call"({", ".join(arguments)}) <{{callee = @{name}}}> : ({", ".join(inputs)}) -> '
                     f'({", ".join(results)})')

    for value, kind in zip(new["operands"], new["inputs"]):
        if value == "new":
            value = f"%new{next(numbers)}"
            call(value[1:], [], [], [kind], f"{value} = ")
        operands.append(value)
    values = f"%mutant:{len(new['results'])} = " if new["results"] else ""
    properties = f" <{{{', '.join(new['properties'])}}}>" if new["properties"] else ""
    attributes = f" {{{', '.join(new['attributes'])}}}" if new["attributes"] else ""
    lines.append(f'{values}"{op["name"]}"({", ".join(operands)}){properties}{attributes} : ({", ".join(new["inputs"])}) -> '
                 f'({", ".join(new["results"])})')
    # A reserve space of the caller's type would be the error of most mutants.
    used = [k for k, kind in enumerate(new["results"]) if k in (0, 1)]
    if used:
        call(f"use{next(numbers)}", [f"%mutant#{k}" for k in used], [new["results"][k] for k in used], [], "")
    if op["values"]:
        call(f"old{next(numbers)}", [], [], op["results"], op["values"] + " = ")
    return lines, declarations


def types_like(kind):
    """Other types: with another size, rank or element type, and of other kinds."""
    others, match = list(TYPES), TENSOR.fullmatch(kind)
    if match:
        is_torch = match[4] is not None
        dims = [dim for dim in (match[3].split(",") if is_torch else match[1].split("x")) if dim]
        element = match[4] or match[2]

        def make(dims, element):
            return f"!torch.vtensor<[{','.join(dims)}],{element}>" if is_torch else f"tensor<{'x'.join([*dims, element])}>"

        for at in range(len(dims)):
            others += [make([*dims[:at], size, *dims[at + 1:]], element) for size in SIZES]
            others.append(make(dims[:at] + dims[at + 1:], element))
        others += [make(["1", *dims], element), make(["?"] * len(dims), element), make(dims[::-1], element)]
        others += [make(dims, other) for other in ELEMENTS["torch" if is_torch else "tensor"]]
    return [other for other in dict.fromkeys(others) if other != kind]


def mutants_of_op(op):
    """Descriptions and keyword arguments of `write`."""
    for place in ("properties", "attributes"):
        items = op[place]
        for at, item in enumerate(items):
            key = item.split("=")[0].strip()
            yield f"no {key}", {place: items[:at] + items[at + 1:]}
            for value in VALUES:
                yield f"{key} = {value}", {place: [*items[:at], f"{key} = {value}", *items[at + 1:]]}
        yield "unknown attribute", {place: [*items, "unknown = 1 : i64"]}
    values, kinds = op["operands"], op["inputs"]
    for at, kind in enumerate(kinds):
        yield f"no operand {at}", {"operands": values[:at] + values[at + 1:], "inputs": kinds[:at] + kinds[at + 1:]}
        yield f"operand {at} twice", {"operands": values[:at + 1] + values[at:], "inputs": kinds[:at + 1] + kinds[at:]}
        if at:
            yield f"operands {at - 1} and {at} exchanged", {
                "operands": [*values[:at - 1], values[at], values[at - 1], *values[at + 1:]],
                "inputs": [*kinds[:at - 1], kinds[at], kinds[at - 1], *kinds[at + 1:]]}
        for other in [kind, *types_like(kind)]:
            yield f"operand {at} of type {other}", {"operands": [*values[:at], "new", *values[at + 1:]],
                                                   "inputs": [*kinds[:at], other, *kinds[at + 1:]]}
    results = op["results"]
    for at, kind in enumerate(results):
        yield f"no result {at}", {"results": results[:at] + results[at + 1:]}
        for other in types_like(kind):
            yield f"result {at} of type {other}", {"results": [*results[:at], other, *results[at + 1:]]}
    yield "one more result", {"results": [*results, "tensor<f32>"]}


def mutants(module):
    """Descriptions and texts."""
    lines = module.rstrip().split("\n")
    for at, line in enumerate(lines):
        op = parse(line)
        for description, changes in mutants_of_op(op) if op else ():
            new, declarations = write(op, **changes)
            yield f"{op['name']}, {description}", "\n".join([*lines[:at], *new, *lines[at + 1:-1], *declarations, lines[-1]])
    for kind in sorted({match[0] for match in TENSOR.finditer(module)}):
        for other in types_like(kind):
            yield f"{other} for {kind}", module.replace(kind, other)


class Checker:
    def __init__(self, program, name):
        self.command = [program, "-", "-allow-unregistered-dialect", "-split-input-file"]
        self.name, self.crashes = name, []

    def errors(self, modules, *options):
        """The first error of each module by its index. A signal is bisected."""
        text = "\n// -----\n".join(text for _, text in modules)
        done = subprocess.run([*self.command, *options], input=text, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode not in (0, 1):
            if len(modules) == 1:
                self.crashes.append(modules[0])
                return {0: "signal"}
            half = len(modules) // 2
            second = self.errors(modules[half:], *options)
            return {**self.errors(modules[:half], *options), **{at + half: error for at, error in second.items()}}
        starts = list(itertools.accumulate([text.count("\n") + 2 for _, text in modules], initial=0))
        found = {}
        for match in re.finditer(r"(?:within split at <stdin>:(\d+) offset :|<stdin>:)(\d+):\d+\)?: error: (.*)", done.stderr):
            line = int(match[1] or 1) - 1 + int(match[2])
            found.setdefault(bisect.bisect_right(starts, line - 1) - 1, match[3])
        return found

    def run(self, module):
        """The count of valid mutants, and errors that no op of a framework has reported."""
        kinds, count = collections.defaultdict(list), 0
        remaining = mutants(module)
        while part := list(itertools.islice(remaining, CHUNK)):
            invalid = self.errors(part)
            part = [mutant for at, mutant in enumerate(part) if at not in invalid]
            count += len(part)
            for at, error in self.errors(part, "-" + self.name).items() if part else ():
                if not re.match(r"'[\w.]+' op (expects|requires|has|declares|uses|is|calls)|'(torch|onnx|tf|stablehlo|mhlo)", error):
                    kinds[re.sub(r"'[^']*'|\d+", "#", error)].append((part[at][0], error))
        return count, kinds


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    checker, total = Checker(*sys.argv[1:3]), 0
    for path in sys.argv[3:]:
        for number, chunk in enumerate(re.split(r"^// -----.*$", open(path, encoding="utf-8").read(), flags=re.M)):
            generic = subprocess.run([checker.command[0], "-", "-allow-unregistered-dialect", "-mlir-print-op-generic"],
                                     input=chunk, capture_output=True, text=True, check=False)
            if generic.returncode != 0 or "expected-error" in chunk:
                continue
            count, kinds = checker.run(generic.stdout)
            total += count
            for found in kinds.values():
                print(f"{path}, module {number}: {found[0][0]}: {found[0][1]} ({len(found)} times)")
    for description, text in checker.crashes:
        print(f"signal: {description}\n{text}")
    print(f"{total} mutants, {len(checker.crashes)} signals")
    return 1 if checker.crashes else 0


if __name__ == "__main__":
    sys.exit(main())
