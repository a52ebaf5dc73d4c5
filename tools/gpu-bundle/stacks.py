# stacks.py - cases of the cudnn ops for fused kernels, with the parameters in their packed layout. The ops of a variant are in
# a private function with dynamic sizes, which all its sizes call: a kernel takes longer to compile than to run.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from dataclasses import dataclass

GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}


@dataclass
class Stack:
    mode: str
    sizes: tuple  # L, T, B, I, H
    directions: int = 1
    skip: bool = False
    lengths: bool = False
    dropout: float = 0
    projection: int = 0
    training: bool = True
    static: bool = False
    batch_major: bool = False

    @property
    def size(self):
        return "_".join(letter + str(size) for letter, size in zip("ltbih", self.sizes))

    @property
    def variant(self):
        parts = ["stack", self.mode] + ["bidirectional"] * (self.directions == 2) + ["skip"] * self.skip
        parts += ["lengths"] * self.lengths + ["dropout"] * (self.dropout > 0)
        parts += [f"p{self.projection}"] * (self.projection > 0) + ["inference"] * (not self.training)
        parts += ["batch_major"] * self.batch_major
        return "_".join(parts + ["static", self.size] * self.static)

    @property
    def name(self):
        return "exported_" + self.variant if self.static else f"{self.variant}_{self.size}"

    @property
    def parameters(self):
        """Elements of the dense buffer: input and recurrent weights, projection, two biases."""
        L, _, _, I, H = self.sizes
        D, G, P = self.directions, GATES[self.mode], self.projection or self.sizes[4]
        count = 0
        for layer in range(L):
            width = 0 if self.skip and layer == 0 else I if layer == 0 else D * P
            count += D * (G * H * (width + P + 2) + (P * H if self.projection else 0))
        return count

    def types(self, element, dynamic):
        """The types of the operands, by name, and of the results."""
        L, T, B, I, H = self.sizes
        D, P = self.directions, self.projection or H

        def tensor(*shape, of=element):
            return "tensor<" + "".join(f"{'?' if dynamic else size}x" for size in shape) + of + ">"
        order = (B, T) if self.batch_major else (T, B)
        x, y, h, c = tensor(*order, I), tensor(*order, D * P), tensor(L * D, B, P), tensor(L * D, B, H)
        if dynamic and self.projection:  # an attribute, so these widths are known
            y, h = f"tensor<?x?x{D * P}x{element}>", f"tensor<?x?x{P}x{element}>"
        # Statically unknown sizes of an operand.
        params, reserve = f"tensor<?x{element}>", "tensor<?xi8>"
        lstm = self.mode == "lstm"
        operands = {"x": x, "h0": h, **({"c0": c} if lstm else {})}
        operands["params"] = params if dynamic else f"tensor<{self.parameters}x{element}>"
        if self.lengths:
            operands["lengths"] = tensor(B, of="i32")
        if self.training:
            operands.update({"dy": y, "dhn": h, **({"dcn": c} if lstm else {})})
        results = {"y": y, "hn": h, **({"cn": c} if lstm else {})}
        if self.training:
            results.update({"dx": x, "dh0": h, **({"dc0": c} if lstm else {}), "dparams": params})
        return operands, results, params, reserve

    def op(self, element, lowering=""):
        """The private function with the ops, which carry `lowering` if there is one."""
        operands, results, params, reserve = self.types(element, dynamic=not self.static)
        operands["params"] = params

        def typed(names, types):
            return ", ".join("%" + name for name in names) + " : " + ", ".join(types[name] for name in names)
        states = ["h0", "c0"] if self.mode == "lstm" else ["h0"]
        last = ["hn", "cn"] if self.mode == "lstm" else ["hn"]
        configuration = self.mode + ", skip_input" * self.skip + ", bidirectional" * (self.directions == 2)
        common = f"input({typed(['x'], operands)}) state({typed(states, operands)}) params({typed(['params'], operands)})"
        common += f" lengths({typed(['lengths'], operands)})" if self.lengths else ""
        attributes = ([f"num_proj = {self.projection} : i64"] if self.projection else []) + \
            ([f"dropout = {self.dropout}", "seed = 7 : i64"] if self.dropout else []) + \
            ([f"lowering = {lowering}"] if lowering else []) + (["batch_major"] if self.batch_major else [])

        def text(*more):
            every = [*attributes, *more]
            return " {" + ", ".join(every) + "}" if every else ""
        lines = [f"func.func private @{self.variant}({', '.join(f'%{name}: {type}' for name, type in operands.items())})",
                 f"    -> ({', '.join(results.values())}) {{",
                 f"  {', '.join('%' + name for name in ['y'] + last)}, %r = rnn.cudnn_forward {configuration} {common}"
                 + text(*([] if self.training else ["is_training = false"]))]
        if self.training:
            gradients = ["dx"] + ["d" + state for state in states] + ["dparams"]
            lines.append(f"  {', '.join('%' + name for name in gradients)} = rnn.cudnn_backprop {configuration} {common}\n"
                         f"      output({typed(['y'] + last, results)}) "
                         f"grads({typed(['dy'] + ['d' + state for state in last], operands)}) reserve(%r : {reserve})" + text())
        return "\n".join(lines + [f"  return {typed(list(results), results)}", "}"])

    def main(self, element, lengths, lowering=""):
        """The op, its writer, and a function `main` that calls the op with these lengths; every other operand is 0.5."""
        operands, results, _, _ = self.types(element, dynamic=False)
        types = list(results.values())
        lines = [self.op(element, lowering), self.write(element), f"func.func @main() -> ({', '.join(types)}) {{"]
        lines += [f"  %{name} = arith.constant dense<{lengths if name == 'lengths' else '0.5'}> : {type}"
                  for name, type in operands.items()]
        lines += [f"  %r:{len(types)} = call @{self.name}({', '.join('%' + name for name in operands)}) : "
                  f"({', '.join(operands.values())}) -> ({', '.join(types)})",
                  f"  return {', '.join(f'%r#{index}' for index in range(len(types)))} : {', '.join(types)}", "}"]
        return "\n".join(lines)

    def write(self, element):
        """The exported function. The runner recognizes the parameters by their name."""
        operands, _, params, _ = self.types(element, dynamic=False)
        called, returned, _, _ = self.types(element, dynamic=not self.static)
        called["params"] = params
        arguments = ", ".join(f"%{name}: {type}" + (' {rnn.name = "params"}' if name == "params" else "")
                              for name, type in operands.items())
        lines = [f"func.func @{self.name}({arguments})", f"    -> ({', '.join(returned.values())}) {{"]
        values = {}
        for name, type in operands.items():
            values[name] = "%" + name
            if type != called[name]:
                values[name] = f"%{name}_open"
                lines.append(f"  {values[name]} = tensor.cast %{name} : {type} to {called[name]}")
        count = len(returned)
        lines += [f"  %r:{count} = call @{self.variant}({', '.join(values.values())})",
                  f"      : ({', '.join(called.values())}) -> ({', '.join(returned.values())})",
                  f"  return {', '.join(f'%r#{index}' for index in range(count))} : {', '.join(returned.values())}", "}"]
        return "\n".join(lines)


def stacks():
    """Every mode, direction, number of layers and feature, small and of odd sizes; more than one block of rows and columns."""
    small, layers, odd, wide = (1, 4, 3, 6, 8), (2, 3, 2, 5, 12), (2, 5, 7, 17, 33), (1, 3, 70, 40, 72)
    for sizes in (small, layers, wide):
        yield Stack("lstm", sizes)
    for sizes in (odd, (3, 2, 4, 5, 8)):
        yield Stack("lstm", sizes, directions=2, lengths=True, dropout=0.25)
    for sizes in ((1, 4, 3, 8, 8), (2, 3, 5, 20, 20)):
        yield Stack("lstm", sizes, directions=2, skip=True)
    for sizes in ((1, 3, 4, 6, 9), (2, 4, 3, 5, 24)):
        yield Stack("lstm", sizes, directions=2, lengths=True, projection=5)
    for sizes in (small, layers, wide):
        yield Stack("gru", sizes)
    for sizes in (odd, (3, 2, 4, 5, 8)):
        yield Stack("gru", sizes, directions=2, lengths=True, dropout=0.25)
    yield Stack("gru", (2, 3, 5, 20, 20), skip=True)
    yield Stack("gru", layers, directions=2, training=False)
    for sizes in (layers, wide):
        yield Stack("rnn_tanh", sizes, directions=2)
    yield Stack("rnn_tanh", (2, 3, 5, 20, 20), skip=True, lengths=True)
    for sizes in (small, odd):
        yield Stack("rnn_relu", sizes, directions=2, lengths=True)
    yield Stack("rnn_relu", (3, 2, 4, 5, 8), dropout=0.25)
    # Static sizes: other tiles, and a loop over layers with a constant bound.
    yield Stack("lstm", (2, 3, 9, 16, 56), directions=2, static=True)
    yield Stack("gru", (1, 3, 96, 112, 64), static=True)


def timed(sizes, element, way, attributes, what="", layers=1, resets="", batch_major=False):
    """An LSTM, forward pass and gradient in separate functions; the reserve space is a result of the first. `what` is a part of
    the names. The marks of `resets` ("zero", "initial") are the last operand."""
    T, B, I, H = sizes
    operands, results, params, reserve = Stack("lstm", (layers, T, B, I, H), static=True).types(element, dynamic=False)
    x, h, c, y = operands["x"], operands["h0"], operands["c0"], results["y"]
    marks = f"tensor<{T}x{B}xi1>"
    if batch_major:
        x, y = f"tensor<{B}x{T}x{I}x{element}>", f"tensor<{B}x{T}x{H}x{element}>"
    name = what + "_".join(map(str, sizes))
    common = f"lstm input(%x : {x}) state(%h0, %c0 : {h}, {c}) params(%p : {params})"
    argument, of_op = (f", %marks: {marks}", f" resets(%marks : {marks})") if resets else ("", "")
    attributes = attributes + ["reset_to = #rnn.reset_to<initial>"] * (resets == "initial") + ["batch_major"] * batch_major
    of_op += f" {{{', '.join(attributes)}}}" if attributes else ""
    yield (f"func.func @stack_forward{way}_{name}(%x: {x}, %h0: {h}, %c0: {c}, %p: {params}{argument})\n"
           f"    -> ({y}, {h}, {c}, {reserve}) {{\n"
           f"  %y, %hn, %cn, %r = rnn.cudnn_forward {common}{of_op}\n"
           f"  return %y, %hn, %cn, %r : {y}, {h}, {c}, {reserve}\n}}")
    yield (f"func.func @stack_backward{way}_{name}(%x: {x}, %h0: {h}, %c0: {c}, %p: {params},\n"
           f"    %y: {y}, %hn: {h}, %cn: {c}, %dy: {y}, %dhn: {h}, %dcn: {c}, %r: {reserve}{argument})\n"
           f"    -> ({x}, {h}, {c}, {params}) {{\n"
           f"  %dx, %dh0, %dc0, %dp = rnn.cudnn_backprop {common}\n"
           f"      output(%y, %hn, %cn : {y}, {h}, {c}) grads(%dy, %dhn, %dcn : {y}, {h}, {c}) reserve(%r : {reserve}){of_op}\n"
           f"  return %dx, %dh0, %dc0, %dp : {x}, {h}, {c}, {params}\n}}")
