"""Part `linalg` of host.py: linalg.matmul beside oneDNN's and PyTorch's products and three nested loops. Matrices are row-major;
shapes with `,t` have a transposed right operand, as the weights of PyTorch's linear layers.

Ours allocates its result and fills it with zeros in every call; oneDNN writes to existing memory.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import os
import subprocess
import tempfile

from rivals import HERE, Missing, Rivals, Row, Worker
from tables import Table, milliseconds, sizes

SHAPES = ["128,128,128", "256,256,256", "512,512,512", "1024,1024,1024", "2048,2048,512", "64,1024,1024", "16,1024,1024",
          "4,1024,1024", "1,1024,1024", "512,512,512,t", "64,1024,1024,t", "16,1024,1024,t", "4,1024,1024,t", "1,1024,1024,t"]
RIVALS = ("onednn2", "onednn3", "torch2")
# Largest difference from our f32 result, relative to its largest element.
LIMITS = {"f32": 1e-5, "bf16": 2 ** -7}


def sizes_of(shape):
    """M, N, K, and whether the right operand is transposed."""
    is_transposed = shape.endswith(",t")
    return *sizes(shape[:-2] if is_transposed else shape), is_transposed


def module_text(shapes, kind):
    """One function per shape."""
    text = ("#mk = affine_map<(m, n, k) -> (m, k)>\n#kn = affine_map<(m, n, k) -> (k, n)>\n"
            "#nk = affine_map<(m, n, k) -> (n, k)>\n#mn = affine_map<(m, n, k) -> (m, n)>\n")
    for shape in shapes:
        M, N, K, is_transposed = sizes_of(shape)
        right = (N, K) if is_transposed else (K, N)
        a, b, c = (f"tensor<{rows}x{columns}x{kind}>" for rows, columns in ((M, K), right, (M, N)))
        name, maps = f"matmul_{M}_{N}_{K}" + "_t" * is_transposed, "#mk, #nk, #mn" if is_transposed else "#mk, #kn, #mn"
        text += (f"func.func @{name}(%a: {a}, %b: {b}) -> {c} {{\n"
                 f"  %zero = arith.constant 0.0 : {kind}\n  %empty = tensor.empty() : {c}\n"
                 f"  %zeros = linalg.fill ins(%zero : {kind}) outs(%empty : {c}) -> {c}\n"
                 f"  %c = linalg.matmul indexing_maps = [{maps}] ins(%a, %b : {a}, {b}) outs(%zeros : {c}) -> {c}\n  return %c : {c}\n}}\n")
    return text


def compile_module(rivals, build, shapes, kind):
    path = os.path.join(rivals.folder, f"matmul-{kind}" + "-other" * (build == rivals.other))
    if not os.path.exists(path + ".so"):
        with open(path + ".mlir", "w") as file:
            file.write(module_text(shapes, kind))
        try:
            subprocess.run([rivals.tool("rnn-compile", build), path + ".mlir", f"--cpu={rivals.cpu}", "-o", path + ".so"],
                           check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Missing("rnn-compile: " + (getattr(error, "stderr", None) or str(error)).strip().splitlines()[-1][:200]) from None
    return path + ".so"


class MatmulRow(Row):
    """The workers of one product."""

    def __init__(self, session, shape, threads, kind):
        arguments, self.rivals, self.threads = session.arguments, session.rivals, threads
        self.workers, self.missing, self.labels = {}, {}, {}
        rivals, shapes = self.rivals, arguments.linalg_shapes

        def start(key, command, environment=None):
            try:
                worker = Worker([*command(), f"--type={kind}"], "matmul", shape, threads, environment or {})
            except Missing as reason:
                self.missing[key] = str(reason)
                return
            self.workers[key] = [worker]
            if self.guard(key, lambda: worker.wait_until_ready() or True):
                self.labels[key] = worker.version + ", other build" * key.endswith(Rivals.OTHER)

        def existing(program, how):
            if not os.path.exists(program):
                raise Missing(f"{program} is not there; {how}")
            return program
        for key, build in (("ours", rivals.build), ("ours" + Rivals.OTHER, rivals.other)):
            if build:
                start(key, lambda: [existing(rivals.tool("rnn-matmul-bench", rivals.build), "build its target rnn-matmul-bench"),
                                    f"--module={compile_module(rivals, build, shapes, kind)}"])
        if kind == "f32" and threads == 1 and not shape.endswith(",t"):
            start("naive", lambda: [rivals.tool("rnn-matmul-bench"), "--run=naive"])
        libraries = os.path.join(rivals.tools, "onednn", "lib")
        for key in RIVALS:
            if key not in arguments.rivals:
                continue
            if key == "torch2":
                start(key, lambda: [rivals.python_of(key), os.path.join(HERE, "torch_matmul.py")])
            else:
                environment = {} if key == "onednn2" else {
                    "LD_LIBRARY_PATH": libraries, "OCL_ICD_FILENAMES": os.path.join(libraries, "libintelocl.so")}
                start(key, lambda: [existing(os.path.join(rivals.tools, key + "-matmul"), "benchmarks/host.sh makes it")],
                      environment)

    def farthest(self):
        """The largest difference from our result, by key."""
        results = {}
        with tempfile.TemporaryDirectory(dir=self.rivals.folder) as folder:
            for key, workers in list(self.workers.items()):
                if self.guard(key, lambda: workers[0].ask("save " + folder)) is not None:
                    with open(os.path.join(folder, "dx"), "rb") as file:
                        results[key] = array.array("f", file.read())
        first = next(iter(results.values()), [])
        scale = max(map(abs, first), default=0)
        return {key: max((abs(x - y) for x, y in zip(first, values)), default=0) / scale if scale else 1
                for key, values in results.items()}


def measure(session):
    arguments = session.arguments
    keys = ["ours", "ours" + Rivals.OTHER, "naive", *RIVALS]
    for kind in ("f32", "bf16"):
        times, ratios, labels = Table("M,N,K", "threads", *keys), Table("M,N,K", "threads", *keys, "peak"), {}
        for shape in arguments.linalg_shapes:
            M, N, K, _ = sizes_of(shape)
            for threads in arguments.threads:
                def run(row):
                    far = row.farthest() if M * N <= 1 << 16 else {}
                    return far, row.measure("forward", arguments.seconds / 2)[0], session.rivals.peak(kind, threads)
                (far, medians, peak), found = session.measure("linalg", [kind, shape, threads],
                                                              lambda: MatmulRow(session, shape, threads, kind), run)
                labels.update(found)
                for key, value in far.items():
                    if not value <= LIMITS[kind]:
                        session.failed = True
                        print(f"WRONG: {labels[key]} at {shape}, {kind}: its product is {value:.1e} from ours\n", flush=True)
                work, head = 2e-9 * M * N * K, {"M,N,K": shape, "threads": str(threads)}
                times.add(**head, **{key: f"{milliseconds(value)} ({work / value:.0f})" for key, value in medians.items()})
                if "ours" in medians:
                    ratios.add(**head, peak=f"{100 * work / medians['ours'] / peak:.0f} % of {peak:.0f}",
                               **{key: f"{value / medians['ours']:.2f}" for key, value in medians.items() if key != "ours"})
        print(f"### linalg.matmul, {kind}: milliseconds (GFLOP/s)\n")
        times.print(**labels)
        if ratios.rows:
            print("Time of each, divided by that of `ours`; our part of the processor's peak in GFLOP/s.\n")
            ratios.print(**labels, peak="of the peak")
