# convolutions.py - convolutions and their gradients in f32: imported from JAX and compiled by rnn_mlir.compile, by JAX, and by
# PyTorch in a process of its own.
#   RNNRT_THREADS=2 python convolutions.py [--seconds=2] [--torch=PYTHON] [NAME...]
# --torch: a Python interpreter with PyTorch, such as build/rivals/torch2/bin/python. All use the same processors; PyTorch gets the
# number of threads in RNNRT_THREADS. Image layouts are those of the program (NWC, NHWC, NCHW); PyTorch gets the same memory. Each
# round has three calls of each in turn, after one that is not timed: threads of the one before may still spin. NAME: only
# convolutions whose names contain one of these texts.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmark of convolutions."""

import argparse
import os
import subprocess
import sys
import time

#: name, layout, image, filter (as the layout of JAX), stride, dilation
CASES = (
    ("speech, 1 x 3 x 3", "NHWC", (16, 100, 40, 1), (3, 3, 1, 32), 1, 1),
    ("speech, second layer", "NHWC", (16, 100, 40, 32), (3, 3, 32, 32), 2, 1),
    ("1-D, 5 taps", "NWC", (16, 200, 64), (5, 64, 128), 1, 1),
    ("1-D, dilated", "NWC", (16, 200, 64), (5, 64, 128), 1, 2),
    ("1-D, wide", "NWC", (8, 100, 512), (3, 512, 512), 1, 1),
    ("1-D, per channel", "NWC", (16, 200, 64), (5, 1, 64), 1, 1),
    ("2-D, 32 channels", "NHWC", (8, 32, 32, 32), (3, 3, 32, 64), 1, 1),
    ("2-D, 32 channels", "NCHW", (8, 32, 32, 32), (64, 32, 3, 3), 1, 1),
    ("2-D, 256 channels", "NHWC", (4, 28, 28, 256), (3, 3, 256, 256), 1, 1),
    ("2-D, 1 x 1", "NHWC", (8, 28, 28, 256), (1, 1, 256, 64), 1, 1),
    ("residual, 56 x 56", "NHWC", (4, 56, 56, 64), (3, 3, 64, 64), 1, 1),
    ("residual, 56 x 56", "NCHW", (4, 64, 56, 56), (64, 64, 3, 3), 1, 1),
    ("residual, 28 x 28", "NHWC", (8, 28, 28, 128), (3, 3, 128, 128), 1, 1),
    ("residual, 28 x 28", "NCHW", (8, 128, 28, 28), (128, 128, 3, 3), 1, 1),
    ("residual, 14 x 14", "NHWC", (16, 14, 14, 256), (3, 3, 256, 256), 1, 1),
    ("residual, 14 x 14", "NCHW", (16, 256, 14, 14), (256, 256, 3, 3), 1, 1),
    ("residual, 7 x 7", "NHWC", (16, 7, 7, 512), (3, 3, 512, 512), 1, 1),
    ("residual, 7 x 7", "NCHW", (16, 512, 7, 7), (512, 512, 3, 3), 1, 1),
    ("residual, 14 x 14, B = 1", "NHWC", (1, 14, 14, 256), (3, 3, 256, 256), 1, 1),
    ("residual, 7 x 7, B = 1", "NHWC", (1, 7, 7, 512), (3, 3, 512, 512), 1, 1),
    ("residual, 14 to 7", "NHWC", (8, 14, 14, 256), (3, 3, 256, 512), 2, 1),
    ("U-Net, 16 x 16", "NHWC", (4, 16, 16, 512), (3, 3, 512, 256), 1, 1),
    ("speech encoder", "NWC", (1, 1500, 384), (3, 384, 384), 1, 1),
)


def serve():
    """The process of PyTorch: answers `CASE forward|gradient` with seconds of one call."""
    import torch
    torch.set_num_threads(int(os.environ.get("RNNRT_THREADS", os.cpu_count())))
    made = {}

    def make(number):
        _, layout, x, w, step, dilation = CASES[number]
        rank = len(x) - 2
        last = layout.endswith("C")
        x, w = torch.randn(x), torch.randn(w)
        if last:  # the same memory with the order of dimensions that PyTorch expects
            x, w = x.movedim(-1, 1), w.permute(*([rank + 1, rank] + list(range(rank))))
        groups = x.shape[1] // w.shape[1]
        x.requires_grad_(), w.requires_grad_()
        run = torch.nn.functional.conv1d if rank == 1 else torch.nn.functional.conv2d
        pads = [dilation * (k - 1) // 2 for k in w.shape[2:]]

        def forward():
            with torch.no_grad():
                return run(x, w, None, step, pads, dilation, groups)

        def gradient():
            return torch.autograd.grad((run(x, w, None, step, pads, dilation, groups) ** 2).sum(), (x, w))
        return {"forward": forward, "gradient": gradient}
    print(f"ready {torch.__version__}", flush=True)
    for line in sys.stdin:
        number, what = line.split()
        if number not in made:
            made = {number: make(int(number))}
        function = made[number][what]
        start = time.perf_counter()
        function()
        print(time.perf_counter() - start, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--torch", metavar="PYTHON")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()

    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    import jax.numpy as jnp
    import numpy as np
    import rnn_mlir
    from common import interleaved, processor
    from jax import export, lax
    from rnn_mlir.importers import stablehlo

    torch = None
    if arguments.torch:
        torch = subprocess.Popen([arguments.torch, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        version = torch.stdout.readline().split()[1]
    print(f"{processor()}, {os.environ.get('RNNRT_THREADS', os.cpu_count())} threads, jax {jax.__version__}" + (f", torch {version}" if torch else ""))
    print("milliseconds; jax and torch divided by ours\n")
    print("| | layout | image | filter | stride, dilation | pass | ours | jax | torch | jax / ours | torch / ours |\n" + "|---" * 11 + "|")
    generator = np.random.default_rng(0)
    for number, (name, layout, x, w, step, dilation) in enumerate(CASES):
        if arguments.names and not any(text in name for text in arguments.names):
            continue
        rank, last = len(x) - 2, layout.endswith("C")
        spatial = "DHW"[3 - rank:] if rank > 1 else "W"
        names = (layout, spatial + "IO" if last else "OI" + spatial, layout)
        groups = x[-1] // w[-2] if last else x[1] // w[1]
        window = w[:rank] if last else w[2:]
        pads = [(dilation * (k - 1) // 2,) * 2 for k in window]

        def forward(x, w):
            return lax.conv_general_dilated(x, w, (step,) * rank, pads, None, (dilation,) * rank, names, groups)
        values = [generator.standard_normal(shape).astype(np.float32) for shape in (x, w)]
        for what, function in (("forward", forward), ("gradient", jax.grad(lambda x, w: jnp.sum(forward(x, w) ** 2), argnums=(0, 1)))):
            traced = export.export(jax.jit(function))(*values)
            ours, theirs = rnn_mlir.compile(stablehlo.import_module(traced.mlir_module_serialized)), jax.jit(function)
            steps = {"ours": lambda: ours(*values), "jax": lambda: jax.block_until_ready(theirs(*values))}
            if torch:
                def ask():
                    torch.stdin.write(f"{number} {what}\n")
                    torch.stdin.flush()
                    return float(torch.stdout.readline())
                steps["torch"] = ask
            ms = {key: value * 1e3 for key, value in interleaved(steps, arguments.seconds, least=3, calls=3)[0].items()}
            row = [name, layout, ",".join(map(str, x)), ",".join(map(str, w)), f"{step}, {dilation}", what, *(f"{ms[key]:.3g}" if key in ms else "" for key in ("ours", "jax", "torch"))]
            row += [f"{ms[key] / ms['ours']:.2f}" if key in ms else "" for key in ("jax", "torch")]
            print("| " + " | ".join(row) + " |", flush=True)
    if torch:
        torch.stdin.close()
        torch.wait()


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["--serve"] else main()
