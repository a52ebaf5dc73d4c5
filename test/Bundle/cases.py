#!/usr/bin/env python3
"""Writes the modules of the GPU bundle: one function per case, which packs canonical weights, runs a network forward and
backward and unpacks the gradients, so that arguments and results mean the same on every device.

    cases.py --dtype f16 -o cases.mlir      the functions in element type f16
    cases.py --list                         their names

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
from dataclasses import dataclass

GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}


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
    dynamic: bool = False
    tag: str = ""

    @property
    def name(self):
        parts = [self.mode, f"l{self.layers}"]
        parts += ["bidirectional"] * (self.directions == 2) + ["skip"] * self.skip + ["lengths"] * self.lengths
        parts += [f"p{self.projection}"] * (self.projection > 0) + ["inference"] * (not self.training)
        parts += ["dynamic"] * self.dynamic + ([self.tag] if self.tag else [])
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
        # Sizes that are no multiple of anything, and one step of one example.
        yield Case(mode, 2, 2, steps=7, batch=3, input=5, hidden=13, tag="odd")
        yield Case(mode, 1, 1, steps=1, batch=1, input=3, hidden=4, tag="one")
        # Sizes for which the persistent algorithms are meant.
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

    def tensor(*shape, element=dtype):
        return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"

    def argument(name, type):
        names.append("%" + name)
        types.append(type)
        return "%" + name

    lstm = case.mode == "lstm"
    x = argument("x", tensor(t, b, I))
    h_type, c_type, y_type = tensor(L * D, b, P), tensor(L * D, b, H), tensor(t, b, D * P)
    h0 = argument("h0", h_type)
    c0 = argument("c0", c_type) if lstm else None
    weights, biases, weight_types, bias_types = [], [], [], []
    for layer in range(L):
        size = I if layer == 0 else D * P
        for direction in range(D):
            rows = [(0 if case.skip and layer == 0 else H, size)] * GATES[case.mode] + [(H, P)] * GATES[case.mode]
            rows += [(P, H)] * (case.projection > 0)
            for shape in rows:
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
    outputs = ", ".join(name for name, _ in results)
    body.append(f"{outputs}, %r = rnn.cudnn_forward {configuration} {common}{lengths_text}"
                f"{attributes(*projected, *inference)}")
    if case.training:
        saved = typed([name for name, _ in results], [type for _, type in results])
        grads = typed([dy, dhn] + ([dcn] if lstm else []), [y_type, h_type] + ([c_type] if lstm else []))
        gradients = [("%dx", types[0]), ("%dh0", h_type)] + ([("%dc0", c_type)] if lstm else [])
        body.append(f"{', '.join(name for name, _ in gradients)}, %dp = rnn.cudnn_backprop {configuration} {common}"
                    f"{lengths_text} output({saved}) grads({grads}) reserve(%r : tensor<?xi8>){packed}")
        dweights = [f"%dw{index}" for index in range(len(weights))]
        dbiases = [f"%db{index}" for index in range(len(biases))]
        body.append(f"{', '.join(dweights + dbiases)} = rnn.cudnn_params_to_canonical {configuration} {sizes} "
                    f"params(%dp : tensor<?x{dtype}>){packed} -> weights({', '.join(weight_types)}) "
                    f"biases({', '.join(bias_types)})")
        results += gradients + list(zip(dweights, weight_types)) + list(zip(dbiases, bias_types))
    arguments = ", ".join(f"{name}: {type}" for name, type in zip(names, types))
    lines = [f"func.func @{case.name}({arguments})", f"    -> ({', '.join(type for _, type in results)}) {{"]
    lines += ["  " + line for line in body]
    lines.append(f"  return {typed([name for name, _ in results], [type for _, type in results])}")
    lines.append("}")
    return "\n".join(lines)


# Kernels of the code around a layer: transposes, elementwise arithmetic, a full reduction, a scalar read back; a block LSTM
# that becomes cudnn ops. @E@ stands for the element type.
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", choices=("f16", "bf16", "f32", "f64"), default="f32")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and stop")
    parser.add_argument("--plans-only", action="store_true", help="leave out the cases that need kernels")
    parser.add_argument("-o", dest="output", default="-", help="file to write (- for standard output)")
    arguments = parser.parse_args()
    every = list(cases())
    if arguments.list:
        print("\n".join(case.name for case in every))
        return
    text = "\n\n".join(write(case, arguments.dtype) for case in every) + "\n"
    if not arguments.plans_only:
        text += AROUND.replace("@E@", arguments.dtype)
    if arguments.output == "-":
        print(text, end="")
    else:
        with open(arguments.output, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
