# schedules.py - one function per family of GPU kernels: forward pass and gradient of a layer or stack.
#
#   schedules.py f16 > module.mlir           every family
#   schedules.py f16 few > module.mlir       those that depend on more than the order of the threads of a block
#   schedules.py f16 host > module.mlir      a layer of each mode, large enough for several threads of the host
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys

element, kind = (sys.argv[1:] + ["all"])[:2]
GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def tensor(*sizes, of=None):
    return f"tensor<{'x'.join(map(str, sizes))}x{of or element}>"


def lower(kernel):
    return [f"lowering = #rnn.lowering<fused, {kernel}>"] if kind != "host" else []


def stack(name, mode, sizes, kernel, directions=1, lengths=False, resets="", batch_major=False, attributes=(), projection=0):
    L, T, B, I, H = sizes
    D, P = directions, projection or H
    steps = (B, T) if batch_major else (T, B)
    count = 0
    for layer in range(L):
        rows = GATES[mode] * H
        count += D * (rows * ((I if layer == 0 else D * P) + P + 2) + (P * H if projection else 0))
    x, h, c, y = tensor(*steps, I), tensor(L * D, B, P), tensor(L * D, B, H), tensor(*steps, D * P)
    p, n = tensor(count), tensor(B, of="i32")
    has_cell = mode == "lstm"
    states, state_types = ("%h, %c", f"{h}, {c}") if has_cell else ("%h", h)
    last, last_types = ("%hn, %cn", f"{h}, {c}") if has_cell else ("%hn", h)
    grads, grad_types = ("%dy, %dh, %dc", f"{y}, {h}, {c}") if has_cell else ("%dy, %dh", f"{y}, {h}")
    new, new_types = ("%dx, %dh0, %dc0, %dp", [x, h, c, p]) if has_cell else ("%dx, %dh0, %dp", [x, h, p])
    extra = f" lengths(%n : {n})" if lengths else ""
    flags = list(attributes) + lower(kernel)
    if directions == 2:
        mode += ", bidirectional"
    if projection:
        flags.append(f"num_proj = {projection} : i64")
    if batch_major:
        flags.append("batch_major")
    cuts = marks = ""
    if resets:
        flags.append(f"reset_to = #rnn.reset_to<{resets}>")
        # Example b restarts at every step that is a multiple of b + 2.
        marked = [[str(step % (example + 2) == 0).lower() for example in range(B)] for step in range(T)]
        rows = zip(*marked) if batch_major else marked
        text = "[" + ", ".join(f"[{', '.join(row)}]" for row in rows) + "]"
        cuts = f"  %m = arith.constant dense<{text}> : {tensor(*steps, of='i1')}\n"
        marks = f" resets(%m : {tensor(*steps, of='i1')})"
    arguments = [("x", x), ("h", h)] + ([("c", c)] if has_cell else []) + [("p", p)] + ([("n", n)] if lengths else [])
    arguments += [("dy", y), ("dh", h)] + ([("dc", c)] if has_cell else [])
    results = [y, h] + ([c] if has_cell else []) + new_types
    values = f"%y, {last}, {new}"
    text = ", ".join(f"%{a}: {t}" + (' {rnn.name = "params"}' if a == "p" else "") for a, t in arguments)
    options = f" {{{', '.join(flags)}}}" if flags else ""
    head = f"{mode} input(%x : {x}) state({states} : {state_types}) params(%p : {p}){extra}"
    print(f"func.func @{name}({text}) -> ({', '.join(results)}) {{\n{cuts}"
          f"  %y, {last}, %r = rnn.cudnn_forward {head}{marks}{options}\n"
          f"  {new} = rnn.cudnn_backprop {head}\n"
          f"      output(%y, {last} : {y}, {last_types}) grads({grads} : {grad_types}) reserve(%r : tensor<?xi8>){marks}{options}\n"
          f"  return {values} : {', '.join(results)}\n}}\n")


def block(name, sizes, kernel, batch_major=False, layout="icfo"):
    T, B, I, H = sizes
    steps = (B, T) if batch_major else (T, B)
    x, s, w, q, b, v = tensor(*steps, I), tensor(B, H), tensor(I + H, 4 * H), tensor(H), tensor(4 * H), tensor(*steps, H)
    flags = ["use_peephole"] + (["batch_major"] if batch_major else []) + lower(kernel)
    results = [v, v, x, s, s, w, q, q, q, b]
    head = (f"{layout} x(%x : {x}) state(%s, %t : {s}) weights(%w : {w}) peephole(%q, %q, %q : {q}) bias(%b : {b})")
    print(f"func.func @{name}(%x: {x}, %s: {s}, %t: {s}, %w: {w}, %q: {q}, %b: {b}, %g: {v}) -> ({', '.join(results)}) {{\n"
          f"  %r:7 = rnn.block_lstm {head} {{{', '.join(['cell_clip = 0.5'] + flags)}}}\n"
          f"  %d:8 = rnn.block_lstm_grad {head}\n"
          f"      saved(%r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : {v}) grads(%g, %g : {v}) {{{', '.join(flags)}}}\n"
          f"  return %r#1, %r#6, {', '.join(f'%d#{k}' for k in range(8))} : {', '.join(results)}\n}}\n")


STEPS, PERSISTENT = "kernel = per_step", "kernel = persistent, cluster = {}"
if kind == "host":
    for mode in GATES:
        stack(mode, mode, (2, 3, 16, 24, 64), None, directions=2, lengths=True)
        stack(mode + "_resets", mode, (1, 5, 9, 40, 72), None, resets="initial", batch_major=mode == "gru")
    stack("projected", "lstm", (2, 3, 16, 24, 72), None, projection=40, attributes=["dropout = 0.25", "seed = 3 : i64"])
    stack("one_example", "lstm", (1, 5, 1, 200, 200), None)
    for layout in ("icfo", "ifco"):
        block("block_" + layout, (4, 12, 24, 72), None, layout=layout, batch_major=layout == "ifco")
else:
    block("steps_split", (2, 3, 4, 256), STEPS, layout="ifco")
    block("clusters", (3, 9, 2, 100), PERSISTENT.format(8))
    stack("wavefront", "lstm", (3, 5, 2, 4, 10), STEPS, lengths=True, attributes=["dropout = 0.25", "seed = 3 : i64"])
    stack("wavefront_persistent", "gru", (3, 5, 2, 4, 18), PERSISTENT.format(2), lengths=True)
    stack("resets", "rnn_relu", (2, 5, 3, 4, 12), STEPS, resets="initial", lengths=True)
if kind == "all":
    stack("steps", "lstm", (1, 4, 3, 5, 20), STEPS, directions=2, lengths=True)
    stack("steps_projected", "lstm", (1, 3, 2, 4, 9), STEPS, projection=5)
    block("persistent", (4, 3, 3, 20), PERSISTENT.format(2))
    stack("persistent_stack", "gru", (1, 4, 3, 5, 40), PERSISTENT.format(4), directions=2, lengths=True)
    stack("resets_persistent", "lstm", (1, 5, 3, 4, 20), PERSISTENT.format(2), resets="zero")
    block("batch_major", (4, 3, 5, 12), STEPS, batch_major=True)
    stack("batch_major_persistent", "rnn_tanh", (2, 4, 3, 5, 24), PERSISTENT.format(2), directions=2, batch_major=True, lengths=True)
