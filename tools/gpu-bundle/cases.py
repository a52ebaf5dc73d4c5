#!/usr/bin/env python3
"""Writes the modules of the GPU bundle: one function per case, which packs canonical weights, runs a network forward and
backward and unpacks the gradients, so that arguments and results mean the same on every device.

    cases.py --dtype f16 -o cases.mlir      the functions in element type f16
    cases.py --blocks -o blocks.mlir        functions of the block LSTM ops, with dynamic sizes
    cases.py --stacks -o stacks.mlir        functions of the cudnn ops for fused kernels (stacks.py)
    cases.py --match lstm_l2 -o some.mlir   functions whose name contains this text
    cases.py --list                         prints the names

The options of rnn-compile select the lowering.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
from dataclasses import dataclass

import timed
from resets import marks, resets_text
from stacks import Stack, stacks

GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}


#: Steps and batch of functions whose sizes are unknown, in rnn-bundle-runner (Module.h).
RUNNER_SIZES = (5, 4)


@dataclass
class Case:
    mode: str
    layers: int = 1
    directions: int = 1
    steps: int = 5
    batch: int = 4
    input: int = 6
    hidden: int = 8
    projection: int = 0
    skip: bool = False
    lengths: bool = False
    training: bool = True
    dynamic: bool = False  # steps and batch are unknown to the ops; with other sizes than the runner's, a caller has them
    tag: str = ""
    resets: str = ""  # "zero" or "initial"
    batch_major: bool = False

    @property
    def name(self):
        parts = [self.mode, f"l{self.layers}"]
        parts += ["bidirectional"] * (self.directions == 2) + ["skip"] * self.skip + ["lengths"] * self.lengths
        parts += [f"p{self.projection}"] * (self.projection > 0) + ["inference"] * (not self.training)
        parts += ["dynamic"] * self.dynamic + ([f"resets_{self.resets}"] if self.resets else [])
        parts += ["batch_major"] * self.batch_major + ([self.tag] if self.tag else [])
        return "_".join(parts)


def cases():
    for mode in GATES:
        for layers in (1, 2, 3):
            for directions in (1, 2):
                yield Case(mode, layers, directions)
        yield Case(mode, 2, 2, lengths=True)
        yield Case(mode, 1, 1, lengths=True)
        yield Case(mode, 2, 1, input=8, skip=True)
        yield Case(mode, 1, 2, input=8, skip=True)
        yield Case(mode, 2, 2, training=False)
        yield Case(mode, 2, 1, dynamic=True)
        # Sizes that are no multiple of a tile, and one step of one example.
        yield Case(mode, 2, 2, steps=7, batch=3, input=5, hidden=13, tag="odd")
        yield Case(mode, 1, 1, steps=1, batch=1, input=3, hidden=4, tag="one")
        # Sizes for cuDNN's persistent algorithms.
        yield Case(mode, 1, 1, steps=16, batch=16, input=128, hidden=128, tag="persistent")
    yield Case("lstm", 1, 1, projection=5)
    yield Case("lstm", 2, 2, projection=3)
    yield Case("lstm", 2, 2, projection=3, lengths=True)


def typed(values, types):
    return f"{', '.join(values)} : {', '.join(types)}"


def write(case, dtype):
    T, B, I, H, L, D = case.steps, case.batch, case.input, case.hidden, case.layers, case.directions
    P = case.projection or H
    names, types = [], []
    t, b = ("?", "?") if case.dynamic else (T, B)
    rows = (b, t) if case.batch_major else (t, b)  # of a sequence

    def tensor(*shape, element=dtype):
        return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"

    def argument(name, type):
        names.append("%" + name)
        types.append(type)
        return "%" + name

    lstm = case.mode == "lstm"
    x = argument("x", tensor(*rows, I))
    h_type, c_type, y_type = tensor(L * D, b, P), tensor(L * D, b, H), tensor(*rows, D * P)
    h0 = argument("h0", h_type)
    c0 = argument("c0", c_type) if lstm else None
    weights, biases, weight_types, bias_types = [], [], [], []
    for layer in range(L):
        size = I if layer == 0 else D * P
        for direction in range(D):
            shapes = [(0 if case.skip and layer == 0 else H, size)] * GATES[case.mode] + [(H, P)] * GATES[case.mode]
            shapes += [(P, H)] * (case.projection > 0)
            for shape in shapes:
                weight_types.append(tensor(*shape))
                weights.append(argument(f"w{len(weights)}", weight_types[-1]))
    for _ in range(L * D * 2 * GATES[case.mode]):
        bias_types.append(tensor(H))
    for index, type in enumerate(bias_types):
        biases.append(argument(f"b{index}", type))
    lengths = argument("lengths", tensor(b, element="i32")) if case.lengths else None
    dy = dhn = dcn = None
    if case.training:
        dy, dhn = argument("dy", y_type), argument("dhn", h_type)
        dcn = argument("dcn", c_type) if lstm else None

    configuration = case.mode + (", skip_input" if case.skip else "") + (", bidirectional" if D == 2 else "")
    projected = [f"num_proj = {P}"] if case.projection else []

    def attributes(*values):
        return " {" + ", ".join(values) + "}" if values else ""
    state = typed([h0] + ([c0] if lstm else []), [h_type] + ([c_type] if lstm else []))
    common = f"input({x} : {types[0]}) state({state}) params(%p : tensor<?x{dtype}>)"
    lengths_text = f" lengths({lengths} : {tensor(b, element='i32')})" if lengths else ""
    results = [("%y", y_type), ("%hn", h_type)] + ([("%cn", c_type)] if lstm else [])
    body = [f"%layers = arith.constant {L} : index", f"%hidden = arith.constant {H} : index",
            f"%input = arith.constant {I} : index"]
    sizes = "sizes(%layers, %hidden, %input)"
    packed = attributes(*projected)
    inference = [] if case.training else ["is_training = false"]
    body.append(f"%p = rnn.cudnn_canonical_to_params {configuration} {sizes} weights({typed(weights, weight_types)}) "
                f"biases({typed(biases, bias_types)}){packed}")
    layer = ["reset_to = #rnn.reset_to<initial>"] * (case.resets == "initial") + ["batch_major"] * case.batch_major
    resets = resets_text(rows) if case.resets else ""
    body += marks((x, types[0]), rows) if case.resets else []
    outputs = ", ".join(name for name, _ in results)
    body.append(f"{outputs}, %r = rnn.cudnn_forward {configuration} {common}{lengths_text}{resets}"
                f"{attributes(*projected, *layer, *inference)}")
    if case.training:
        saved = typed([name for name, _ in results], [type for _, type in results])
        grads = typed([dy, dhn] + ([dcn] if lstm else []), [y_type, h_type] + ([c_type] if lstm else []))
        gradients = [("%dx", types[0]), ("%dh0", h_type)] + ([("%dc0", c_type)] if lstm else [])
        body.append(f"{', '.join(name for name, _ in gradients)}, %dp = rnn.cudnn_backprop {configuration} {common}"
                    f"{lengths_text} output({saved}) grads({grads}) reserve(%r : tensor<?xi8>){resets}{attributes(*projected, *layer)}")
        dweights = [f"%dw{index}" for index in range(len(weights))]
        dbiases = [f"%db{index}" for index in range(len(biases))]
        body.append(f"{', '.join(dweights + dbiases)} = rnn.cudnn_params_to_canonical {configuration} {sizes} "
                    f"params(%dp : tensor<?x{dtype}>){packed} -> weights({', '.join(weight_types)}) "
                    f"biases({', '.join(bias_types)})")
        results += gradients + list(zip(dweights, weight_types)) + list(zip(dbiases, bias_types))
    returned = ", ".join(type for _, type in results)

    def function(head, types, body, values):
        arguments = ", ".join(f"{name}: {type}" for name, type in zip(names, types))
        lines = [f"func.func {head}({arguments})", f"    -> ({returned}) {{", *("  " + line for line in body)]
        return "\n".join([*lines, f"  return {typed(values, [type for _, type in results])}", "}"])

    values = [name for name, _ in results]
    if not case.dynamic or (T, B) == RUNNER_SIZES:
        return function(f"@{case.name}", types, body, values)
    # Sequences have two unknown sizes, the others the batch.
    known = []
    for type in types:
        for size in (B,) if type.count("?") == 1 else (B, T) if case.batch_major else (T, B):
            type = type.replace("?", str(size), 1)
        known.append(type)
    casts = [f"{name}_cast = tensor.cast {name} : {source} to {target}" for name, source, target in zip(names, known, types)
             if source != target]
    passed = [name + "_cast" * (source != target) for name, source, target in zip(names, known, types)]
    call = f"%all:{len(results)} = call @{case.name}_callee({', '.join(passed)}) : ({', '.join(types)}) -> ({returned})"
    return (function(f"private @{case.name}_callee", types, body, values) + "\n\n" +
            function(f"@{case.name}", known, [*casts, call], [f"%all#{k}" for k in range(len(results))]))


# Kernels of the ops outside rnn ops: transposes, elementwise arithmetic, a full reduction, a scalar read back; a block LSTM
# that is converted to cudnn ops. @E@ is the element type.
AROUND = """
func.func @around_batch_major(%x: tensor<4x5x6x@E@>, %h0: tensor<1x4x8x@E@>, %p: tensor<288x@E@>, %q: tensor<8x@E@>)
    -> (tensor<4x5x8x@E@>, tensor<@E@>, @E@) {
  %e = tensor.empty() : tensor<5x4x6x@E@>
  %t = linalg.transpose ins(%x : tensor<4x5x6x@E@>) outs(%e : tensor<5x4x6x@E@>) permutation = [1, 0, 2]
  %w = tensor.extract_slice %p[0] [48] [1] : tensor<288x@E@> to tensor<48x@E@>
  %r = tensor.extract_slice %p[48] [64] [1] : tensor<288x@E@> to tensor<64x@E@>
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %o = rnn.cudnn_canonical_to_params rnn_tanh sizes(%c1, %c8, %c6) weights(%w, %r : tensor<48x@E@>, tensor<64x@E@>)
      biases(%q, %q : tensor<8x@E@>)
  %y, %hn, %s = rnn.cudnn_forward rnn_tanh input(%t : tensor<5x4x6x@E@>) state(%h0 : tensor<1x4x8x@E@>) params(%o : tensor<?x@E@>)
  %f = tensor.empty() : tensor<4x5x8x@E@>
  %u = linalg.transpose ins(%y : tensor<5x4x8x@E@>) outs(%f : tensor<4x5x8x@E@>) permutation = [1, 0, 2]
  %z = math.tanh %u : tensor<4x5x8x@E@>
  %zero = arith.constant dense<0.0> : tensor<@E@>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]} ins(%z : tensor<4x5x8x@E@>) outs(%zero : tensor<@E@>) {
  ^bb0(%a: @E@, %b: @E@):
    %c = arith.addf %a, %b : @E@
    linalg.yield %c : @E@
  } -> tensor<@E@>
  %one = tensor.extract %z[%c1, %c1, %c6] : tensor<4x5x8x@E@>
  return %z, %sum, %one : tensor<4x5x8x@E@>, tensor<@E@>, @E@
}

func.func @around_block(%x: tensor<5x4x6x@E@>, %cs: tensor<4x8x@E@>, %h: tensor<4x8x@E@>, %w: tensor<14x32x@E@>, %b: tensor<32x@E@>,
    %g: tensor<5x4x8x@E@>) -> (tensor<5x4x8x@E@>, tensor<5x4x6x@E@>, tensor<4x8x@E@>, tensor<4x8x@E@>, tensor<14x32x@E@>, tensor<32x@E@>) {
  %p = arith.constant dense<0.0> : tensor<8x@E@>
  %no_grad = arith.constant dense<0.0> : tensor<5x4x8x@E@>
  %i, %c, %f, %o, %ci, %co, %y = rnn.block_lstm icfo x(%x : tensor<5x4x6x@E@>) state(%cs, %h : tensor<4x8x@E@>)
      weights(%w : tensor<14x32x@E@>) peephole(%p, %p, %p : tensor<8x@E@>) bias(%b : tensor<32x@E@>) {forget_bias = 1.0}
  %dx, %dcs, %dh, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad icfo x(%x : tensor<5x4x6x@E@>)
      state(%cs, %h : tensor<4x8x@E@>) weights(%w : tensor<14x32x@E@>) peephole(%p, %p, %p : tensor<8x@E@>)
      bias(%b : tensor<32x@E@>) saved(%i, %c, %f, %o, %ci, %co, %y : tensor<5x4x8x@E@>) grads(%no_grad, %g : tensor<5x4x8x@E@>)
  return %y, %dx, %dcs, %dh, %dw, %db
      : tensor<5x4x8x@E@>, tensor<5x4x6x@E@>, tensor<4x8x@E@>, tensor<4x8x@E@>, tensor<14x32x@E@>, tensor<32x@E@>
}
"""


NAN = {"f16": "0x7E00", "bf16": "0x7FC0", "f32": "0x7FC00000", "f64": "0x7FF8000000000000"}


@dataclass
class Block:
    """A block LSTM, forward and backward, from independent operands. The op is in a private function of `variant` that all
    sizes share, unless its sizes are static."""
    variant: str
    layout: str
    sizes: tuple = (3, 2, 3, 4)  # T, B, I, H
    attributes: str = ""  # of both ops
    forward: str = ""  # of the forward op
    length: int = None  # seq_len_max; NaN behind it
    static: bool = False
    columns: int = None  # of the weights, when wrong
    results: tuple = ()  # places of those that are used; all when empty
    resets: str = ""  # "zero" or "initial"
    batch_major: bool = False

    @property
    def rows(self):
        """The first two dimensions of a sequence."""
        T, B = self.sizes[:2]
        return (B, T) if self.batch_major else (T, B)

    @property
    def name(self):
        parts = ["block", self.variant] + [letter + str(size) for letter, size in zip("tbih", self.sizes)]
        parts += [f"length{self.length}".replace("-", "minus")] * (self.length is not None)
        return "_".join(parts + ["wrong"] * (self.columns is not None))

    def types(self, element, dynamic):
        """The types of the operands, and of the results."""
        T, B, I, H = self.sizes
        columns = 4 * H if self.columns is None else self.columns

        def tensor(*shape):
            return "tensor<" + "".join(f"{'?' if dynamic else size}x" for size in shape) + element + ">"
        x, state, weights, vector, bias = tensor(*self.rows, I), tensor(B, H), tensor(I + H, columns), tensor(H), tensor(4 * H)
        steps = tensor(*self.rows, H)
        operands = [x, state, state, weights, vector, vector, vector, bias] + [steps] * 9
        results = [steps] * 7 + [x, state, state, tensor(I + H, 4 * H), vector, vector, vector, bias]
        return operands, [results[index] for index in self.results or range(len(results))]

    def op(self, element):
        """The function with the ops, which takes the length last."""
        types, results = self.types(element, not self.static)
        v = [f"%v{index}" for index in range(17)]
        length = " seq_len_max(%length)" if self.length is not None else ""
        operands = (f"{self.layout} x({v[0]} : {types[0]}) state({v[1]}, {v[2]} : {types[1]})\n"
                    f"      weights({v[3]} : {types[3]}) peephole({v[4]}, {v[5]}, {v[6]} : {types[4]}) "
                    f"bias({v[7]} : {types[7]}){length}")
        shape = self.rows if self.static else ("?", "?")
        layer = ", ".join(["reset_to = #rnn.reset_to<initial>"] * (self.resets == "initial") + ["batch_major"] * self.batch_major)
        resets = resets_text(shape) if self.resets else ""
        forward = attribute_text(self.attributes, self.forward, layer)
        used = [f"%r{index}" for index in self.results or range(15)]
        return "\n".join([
            f"func.func private @{self.variant}({', '.join(map(': '.join, zip(v, types)))}, %length: i64)",
            f"    -> ({', '.join(results)}) {{",
            *(marks((v[0], types[0]), shape) if self.resets else []),
            f"  {', '.join(f'%r{index}' for index in range(7))} = rnn.block_lstm {operands}{resets}{forward}",
            f"  {', '.join(f'%r{index}' for index in range(7, 15))} = rnn.block_lstm_grad {operands}",
            f"      saved({typed(v[8:15], types[8:9])}) grads({typed(v[15:], types[8:9])}){resets}"
            f"{attribute_text(self.attributes, layer)}",
            f"  return {typed(used, results)}",
            "}"])

    def write(self, element):
        types, results = self.types(element, False)
        called, returned = self.types(element, not self.static)
        values = [f"%a{index}" for index in range(17)]
        lines = [f"func.func @{self.name}({', '.join(map(': '.join, zip(values, types)))})",
                 f"    -> ({', '.join(returned)}) {{"]
        # The op must not read the steps past the length.
        T = self.sizes[0]
        if self.length is not None and 0 <= self.length < T:
            for index in [0] + list(range(8, 17)):
                shape, dim = types[index][len("tensor<"):].split("x")[:3], int(self.batch_major)
                shape[dim] = str(T - self.length)
                offsets = [str(self.length) if k == dim else "0" for k in range(3)]
                nan = f"tensor<{'x'.join(shape)}x{element}>"
                lines += [f"  %n{index} = arith.constant dense<{NAN[element]}> : {nan}",
                          f"  %b{index} = tensor.insert_slice %n{index} into %a{index}[{', '.join(offsets)}] "
                          f"[{', '.join(shape)}] [1, 1, 1] : {nan} into {types[index]}"]
                values[index] = f"%b{index}"
        for index, (source, target) in enumerate(zip(types, called)):
            if source != target:
                lines.append(f"  %c{index} = tensor.cast {values[index]} : {source} to {target}")
                values[index] = f"%c{index}"
        lines += [f"  %length = arith.constant {self.length or 0} : i64",
                  f"  %r:{len(returned)} = call @{self.variant}({', '.join(values)}, %length)",
                  f"      : ({', '.join(called)}, i64) -> ({', '.join(returned)})",
                  f"  return {typed([f'%r#{index}' for index in range(len(returned))], returned)}",
                  "}"]
        return "\n".join(lines)


def attribute_text(*groups):
    some = [group for group in groups if group]
    return " {" + ", ".join(some) + "}" if some else ""


def blocks():
    peephole = dict(attributes="use_peephole", forward="cell_clip = 0.25, forget_bias = 0.75")
    # All sizes 1, partial vectors, more than one block of rows, empty tensors, and a length that the call rejects.
    for sizes, length in (((3, 2, 3, 4), 2), ((1, 1, 1, 1), 1), ((5, 7, 17, 33), 5), ((4, 101, 70, 18), 3), ((2, 3, 0, 16), 2),
                          ((0, 2, 3, 4), 0), ((3, 0, 3, 4), 3), ((3, 2, 3, 4), 0), ((3, 2, 3, 4), 4), ((3, 2, 3, 4), -1)):
        yield Block("icfo", "icfo", sizes, length=length, **peephole)
    yield Block("icfo", "icfo", length=3, columns=5, **peephole)
    for sizes, length in (((3, 2, 3, 4), 3), ((6, 5, 31, 8), 4), ((2, 13, 100, 65), 2), ((300, 1, 2, 3), 299)):
        yield Block("ifco", "ifco", sizes, length=length)
    # Three and a half panels; whole panels and more than a block of every kind.
    yield Block("odd", "icfo", (3, 9, 16, 56), forward="forget_bias = 1.0", static=True)
    yield Block("whole", "ifco", (3, 96, 112, 64), attributes="use_peephole", static=True)
    # Whole panels and few rows: weight gradients are written in place, except for the rows of the last tile.
    yield Block("few", "icfo", (3, 3, 100, 192), static=True)
    # Results without uses.
    yield Block("only_h_and_w", "icfo", (4, 3, 9, 10), static=True, results=(6, 10))
    yield Block("only_x_and_b", "icfo", (4, 3, 9, 10), static=True, results=(7, 14))


def emulated():
    """Small problems for comparison with the emulator. The gradients consist of sums and products only for a
    block LSTM, so those that are `exact` have the same bits in f32."""
    for sizes in ((3, 2, 3, 4), (5, 7, 17, 33)):
        yield Block("exact_gradient", "icfo", sizes, attributes="use_peephole", results=tuple(range(7, 15)))
        yield Block("forward", "icfo", sizes, attributes="use_peephole", forward="forget_bias = 0.75", results=tuple(range(7)))
    yield Stack("lstm", (2, 3, 2, 5, 12), directions=2, lengths=True)
    yield Stack("gru", (1, 4, 3, 6, 8))


def write_blocks(some, element):
    variants = {}
    for block in some:
        variants.setdefault(block.variant, block)
    return [block.op(element) for block in variants.values()] + [block.write(element) for block in some]


def variants_of(arguments):
    if not arguments.variants:
        return timed.SMALL_VARIANTS
    return timed.ALL_VARIANTS if arguments.reference else timed.F32_VARIANTS if arguments.dtype == "f32" else timed.VARIANTS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", choices=("f16", "bf16", "f32", "f64"), default="f32")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and stop")
    parser.add_argument("--plans-only", action="store_true", help="skip the cases that need kernels")
    parser.add_argument("--blocks", action="store_true", help="write the cases of the block LSTM ops")
    parser.add_argument("--stacks", action="store_true", help="write the cases of the cudnn ops for fused kernels")
    parser.add_argument("--emulated", action="store_true", help="write the cases whose results are compared with the emulator's")
    parser.add_argument("--timed", action="store_true", help="write the functions that rnn-bundle-compare measures (timed.py)")
    parser.add_argument("--timed-tf32", action="store_true", help="write some of them in f32, to be compiled with --tf32")
    parser.add_argument("--timed-small", action="store_true", help="write the same functions with small sizes")
    parser.add_argument("--block-plans", action="store_true", help="with --timed-small: also block ops as plans, which only "
                        "target host has")
    parser.add_argument("--persistent", action="store_true", help="with --timed-small: also functions with persistent kernels")
    parser.add_argument("--timed-reference", action="store_true", help="write the same functions in f64, with dynamic sizes")
    parser.add_argument("--variants", action="store_true", help="write functions of stacks, resets and batch-major layers")
    parser.add_argument("--variants-small", action="store_true", help="write some of these functions with small sizes")
    parser.add_argument("--loads", action="store_true", help="write the functions of rnn-bundle-loads")
    parser.add_argument("--loads-small", action="store_true", help="write the same functions with small sizes, without persistent kernels")
    parser.add_argument("--reference", action="store_true", help="with --variants and --variants-small: only those that compute the "
                        "results to compare with")
    parser.add_argument("--match", default="", metavar="TEXT[,TEXT...]",
                        help="only cases whose name has one of these texts")
    parser.add_argument("-o", dest="output", default="-", help="file to write (- for standard output)")
    arguments = parser.parse_args()
    measured = list(timed.reference() if arguments.timed_reference else
                    timed.timed(arguments.dtype) if arguments.timed else
                    timed.timed("tf32", timed.AS_TF32) if arguments.timed_tf32 else
                    timed.timed(arguments.dtype, timed.SMALL, arguments.block_plans, arguments.persistent)
                    if arguments.timed_small else
                    timed.loads(timed.LOADS, arguments.dtype) if arguments.loads else
                    timed.loads(timed.SMALL_LOADS, arguments.dtype, timed.FUSED) if arguments.loads_small else
                    timed.variants(arguments.dtype, variants_of(arguments), arguments.reference)
                    if arguments.variants or arguments.variants_small else ())
    measured = [text for text in measured if any(word in text.split("(")[0] for word in arguments.match.split(","))]
    fused = (blocks() if arguments.blocks else stacks() if arguments.stacks else emulated() if arguments.emulated else None)
    every = [case for case in (fused or cases())
             if any(text in case.name for text in arguments.match.split(","))]
    if arguments.list:
        print("\n".join(case.name for case in every))
        return
    if measured:
        functions = measured
    elif fused:
        functions = write_blocks(every, arguments.dtype)
    else:
        functions = [write(case, arguments.dtype) for case in every]
    text = "\n\n".join(functions) + "\n"
    if not arguments.plans_only and not fused and not measured and not arguments.match:
        text += AROUND.replace("@E@", arguments.dtype)
    if arguments.output == "-":
        print(text, end="")
    else:
        with open(arguments.output, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
