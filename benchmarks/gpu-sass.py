#!/usr/bin/env python3
"""Disassembles the time loops of the fused GPU kernels and prints a table: instructions of one step by class, resources, and the
cycles that the latency model (gpu/latency.py) estimates. Needs no GPU; needs ptxas, and nvdisasm, which `--install` fetches from
PyPI into the build tree. Without nvdisasm it prints one line and exits with status 0.

    gpu-sass.py                       every kernel and size of the documentation, as Markdown
    gpu-sass.py --kernels=f16:512     those of one type and number of units
    gpu-sass.py --check               nonzero exit status if a time loop has what must not be in one
    gpu-sass.py --resets=initial      kernels of layers with resets to the initial states; also zero
    gpu-sass.py --wavefront           the estimated time of stacks of layers as a wavefront, beside one layer
    gpu-sass.py --constants           the constants of the model and their sources

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
BUILD = os.environ.get("RNN_BUILD_DIR", os.path.join(SOURCE, "build"))
sys.path[:0] = [os.path.join(HERE, "gpu"), os.path.join(SOURCE, "tools", "gpu-bundle")]
import kernels as bundle  # noqa: E402
import latency  # noqa: E402
import resets  # noqa: E402
import sass  # noqa: E402
import stacks  # noqa: E402
import timed  # noqa: E402
import wavefront  # noqa: E402

# Type, mode and size (T, B, I, H) of one layer. `lstm`: of the block op.
LAYERS = [("f16", "lstm", (128, 16, 256, 256)), ("f16", "lstm", (512, 16, 512, 512)), ("f16", "lstm", (1024, 16, 768, 768)),
          ("bf16", "lstm", (512, 16, 512, 512)), ("bf16", "lstm", (1024, 16, 768, 768)), ("tf32", "lstm", (512, 16, 512, 512)),
          ("f32", "lstm", (128, 16, 256, 256)), ("f32", "lstm", (512, 16, 512, 512)), ("f16", "gru", (512, 16, 512, 512)),
          ("f16", "rnn_tanh", (512, 16, 512, 512)), ("f16", "cudnn_lstm", (512, 16, 512, 512)),
          ("f16", "cudnn_lstm", (1024, 16, 768, 768)), ("f16", "lstm", (256, 64, 1024, 1024))]

# The largest listed hidden size of persistent backward kernels with resets to the initial states, which take registers from weights.
INITIAL_HIDDEN = {"f16": 512, "bf16": 512, "tf32": 256, "f32": 256}


def find_nvdisasm():
    found = glob.glob(os.path.join(BUILD, "nvdisasm", "lib", "python3*", "site-packages", "nvidia", "*", "bin", "nvdisasm"))
    return found[0] if found else shutil.which("nvdisasm")


def find_ptxas():
    return shutil.which("ptxas", path=os.pathsep.join(["/usr/local/cuda/bin", os.environ.get("PATH", "")]))


def install():
    """nvdisasm from PyPI, in a virtual environment of the build tree."""
    folder = os.path.join(BUILD, "nvdisasm")
    for command in ([sys.executable, "-m", "venv", folder],
                    [folder + "/bin/pip", "install", "-q", "nvidia-cuda-nvdisasm>=13"]):
        if subprocess.run(command).returncode != 0:
            shutil.rmtree(folder, ignore_errors=True)
            sys.exit(f"gpu-sass.py: nvdisasm is not installed: `{' '.join(command)}` failed")


def module(kind, mode, sizes, to):
    """Functions whose kernels are listed: both passes, persistent and per step, of the block op and of the cudnn ops."""
    element = "f32" if kind == "tf32" else kind
    T, B, I, H = sizes
    if mode == "lstm":
        for way in (timed.FUSED, timed.PERSISTENT):
            for backward in (False, True):
                most = INITIAL_HIDDEN if backward and to == "initial" else timed.PERSISTENT_HIDDEN
                if way == timed.FUSED or H <= most[kind]:
                    yield timed.block(f"block_{'backward' if backward else 'forward'}{way}", sizes, element, backward, way)
        return
    one = stacks.Stack(mode.removeprefix("cudnn_"), (1, T, B, I, H), static=True)
    yield one.op(element, "#rnn.lowering<fused, kernel = persistent>") + "\n\n" + one.write(element)


def waits_to_sends(loop):
    """Instructions from the wait to the last send, without MMAs and loads of shared memory."""
    wait = next((i for i, one in enumerate(loop) if one.is_wait), 0)
    sends = [i for i, one in enumerate(loop) if one.kind == "stas"]
    return sum(one.kind not in ("hmma", "lds") for one in loop[wait:sends[-1] + 1]) if sends else 0


def measure_persistent(name, function, resources, ptx, bits, H, examples=2):
    loop = function.time_loop()
    counts = sass.report(loop)
    warps = int(re.search(rf"\.entry {name}\(.*?\.maxntid (\d+)", ptx, re.S)[1]) // 32
    blocks = int(re.search(rf"\.entry {name}\(.*?\.reqnctapercluster (\d+)", ptx, re.S)[1])
    sectors = sectors_sent(name, {**counts, "warps": warps, "blocks": blocks}, bits, -(-H // blocks), examples)
    cycles = latency.persistent_step(counts, waits_to_sends(loop), warps, sectors)
    return {**counts, **vars(resources), "warps": warps, "blocks": blocks, "sectors": sectors, "cycles": round(cycles),
            "product": round(latency.product_cycles(counts, warps))}


def sectors_sent(name, counts, bits, units, examples):
    """32-byte sectors that a block sends in a step with `examples` per cluster. Backward: a lane sends 16 bytes, and the lanes of
    two examples 128 adjacent ones. Forward: the lanes of an example send the states of all units to all blocks."""
    if "grad" in name:
        return counts["stas"] * counts["warps"] * 4 * -(-examples // 2)
    return counts["blocks"] * examples * -(-units * bits // 256)


def measure_per_step(name, function, resources, ptx, depth):
    counts = sass.report(function.depth_loop())
    cluster = re.search(rf"\.entry {name}\([^{{]*?\.reqnctapercluster (\d+)", ptx, re.S)
    blocks = int(cluster[1]) if cluster else 1
    # The depth of a tile: as many fragments as MMAs depend on one another. Kernels without MMAs have tiles of depth 16.
    per_mma = 8 if any("TF32" in one.name for one in function.instructions) else 16
    rounds = -(-depth // (blocks * per_mma * max(counts["chain"], 1)))
    cycles = latency.per_step_kernel(counts["all"], rounds, blocks > 1)
    return {**counts, **vars(resources), "warps": 4, "blocks": blocks, "sectors": 0, "rounds": rounds, "cycles": round(cycles)}


def measure(arguments, kind, mode, sizes):
    flags = ["--chip=" + arguments.chip] + ["--tf32"] * (kind == "tf32")
    text = "\n\n".join(module(kind, mode, sizes, arguments.resets))
    if arguments.resets:
        text = resets.with_resets(text, arguments.resets)
    ptx = bundle.assembly(arguments.compiler, text, *flags)
    functions, resources = sass.assemble(ptx, arguments.ptxas, arguments.nvdisasm, arguments.chip)
    for name, function in sorted(functions.items()):
        if re.search(r"_persistent(_\d+)?$", name):
            yield name, measure_persistent(name, function, resources[name], ptx, 32 if "32" in kind else 16, sizes[3])
        elif re.fullmatch(r"block_lstm(_grad)?_step", name):
            yield name, measure_per_step(name, function, resources[name], ptx, sizes[3] * (4 if "grad" in name else 1))


# Rows and columns of a block of Gemm::isNarrow (lib/Codegen/GPU/Gemm.cpp).
NARROW_TILE = (64, 32)


def beside(persistent, gemm):
    """Why a block of `gemm` does not fit a multiprocessor beside one of `persistent`. The registers of a warp are a multiple of 256."""
    registers = sum(one["warps"] * 32 * -(-one["registers"] // 8) * 8 for one in (persistent, gemm))
    if registers > 65536:
        yield f"{registers} registers with those of the persistent kernel, more than a multiprocessor has"
    if gemm["spilled"]:
        yield f"{gemm['spilled']} bytes spilled"


def print_wavefronts(arguments):
    """Of f16 LSTM layers. Returns what must not be in a time loop."""
    print(wavefront.HEADER)
    alone, failed, other = {}, [], []
    for layers, sizes in wavefront.STACKS:
        def steps(count):
            """Pass, and the rows of its persistent kernel and of its input GEMM, in a stack of `count` layers."""
            one = stacks.Stack("lstm", (count, *sizes), static=True)
            text = one.op("f16", "#rnn.lowering<fused, kernel = persistent>") + "\n\n" + one.write("f16")
            ptx = bundle.assembly(arguments.compiler, text, "--chip=" + arguments.chip)
            functions, resources = sass.assemble(ptx, arguments.ptxas, arguments.nvdisasm, arguments.chip)
            examples = wavefront.examples_per_cluster(count, sizes[1], 16)
            for name, function in sorted(functions.items()):
                if re.fullmatch(r"cudnn_lstm(_grad)?_persistent", name):
                    row = measure_persistent(name, function, resources[name], ptx, 16, sizes[3], examples)
                    failed.extend(f"{name} of {count} layers: {text}" for text in violations(name, row))
                    gemm = name.replace("persistent", "input")
                    depth = sizes[3] * 4 if "grad" in name else sizes[2]
                    of_gemm = measure_per_step(gemm, functions[gemm], resources[gemm], ptx, depth)
                    failed.extend(f"{gemm} of {count} layers: {text}" for text in beside(row, of_gemm) if count > 1)
                    yield "backward" if "grad" in name else "forward", row, of_gemm
        if sizes not in alone:
            alone[sizes] = {name: row["cycles"] for name, row, _ in steps(1)}
        for name, row, gemm in steps(layers):
            kernels = wavefront.Kernels(alone[sizes][name], row["cycles"], row["product"], row["blocks"], gemm["cycles"], NARROW_TILE)
            print(wavefront.row(name, layers, sizes, kernels), flush=True)
            other += wavefront.variants(name, layers, sizes, kernels)
    print("\n" + wavefront.VARIANTS_HEADER + "\n" + "\n".join(other))
    return failed


# Two values in one column: the second in parentheses.
COLUMNS = [("registers", ["registers"]), ("spilled", ["spilled"]), ("shared bytes", ["shared"]), ("instructions", ["all"]),
           ("HMMA (chain)", ["hmma", "chain"]), ("LDS (STS) bytes", ["lds_bytes", "sts_bytes"]),
           ("LDG (used in step)", ["ldg", "same_step_loads"]), ("STG (before send)", ["stg", "early_stores"]),
           ("st.async (sectors)", ["stas", "sectors"]), ("MUFU", ["mufu"]), ("branches", ["branch"]), ("barriers", ["barrier"]),
           ("fences (device)", ["fences", "device_fences"]), ("cycles", ["cycles"])]


def cell(row, keys):
    return f"{row[keys[0]]}" + "".join(f" ({row[key]})" for key in keys[1:])


def violations(name, row):
    """What must not be in a time loop."""
    if row["spilled"]:
        yield f"{row['spilled']} bytes spilled"
    if "persistent" not in name:
        if row["ldg"] or row["sts"]:
            yield f"{row['ldg']} loads and {row['sts']} stores copy tiles through registers in the loop over the depth"
        return
    if row["device_fences"]:
        yield f"{row['device_fences']} fences of the device (MEMBAR.GPU, CCTL.IVALL, ERRBAR)"
    if row["early_stores"]:
        yield f"{row['early_stores']} global stores between the wait and the last send"
    if row["same_step_loads"]:
        yield f"{row['same_step_loads']} global loads are used in the step that issues them"


def finish(arguments, failed):
    if arguments.check:
        print("\n".join(failed) or "every time loop is clean")
        sys.exit(bool(failed))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default=os.path.join(BUILD, "bin", "rnn-compile"))
    parser.add_argument("--ptxas", default=find_ptxas())
    parser.add_argument("--nvdisasm", default=find_nvdisasm())
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--kernels", default="", help="comma-separated TYPE:H or TYPE:MODE:H")
    parser.add_argument("--resets", choices=("zero", "initial"))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--constants", action="store_true")
    parser.add_argument("--wavefront", action="store_true")
    parser.add_argument("--install", action="store_true")
    arguments = parser.parse_args()
    if arguments.install and arguments.ptxas and not arguments.nvdisasm:
        install()
        arguments.nvdisasm = find_nvdisasm()
    if arguments.constants:
        print("| constant | value | source |\n|---|---|---|")
        for name, (value, unit, source) in latency.CONSTANTS.items():
            print(f"| {name} | {value} {unit} | {source} |")
        return
    for tool in ("ptxas", "nvdisasm"):
        if not getattr(arguments, tool):
            print(f"gpu-sass.py: skipped: {tool} is not available" + "; try --install" * (tool == "nvdisasm"))
            return
    if arguments.wavefront:
        return finish(arguments, print_wavefronts(arguments))
    chosen = set(filter(None, arguments.kernels.split(",")))
    known = {text for kind, mode, sizes in LAYERS for text in (f"{kind}:{sizes[3]}", f"{kind}:{mode}:{sizes[3]}")}
    if unknown := sorted(chosen - known):
        sys.exit(f"gpu-sass.py: --kernels expects some of {', '.join(sorted(known))}, but got {', '.join(unknown)}")
    print("| kernel | type | H | " + " | ".join(title for title, _ in COLUMNS) + " | us |\n" + "|---" * (len(COLUMNS) + 4) + "|")
    failed = []
    for kind, mode, sizes in LAYERS:
        if chosen and not chosen & {f"{kind}:{sizes[3]}" if mode == "lstm" else "", f"{kind}:{mode}:{sizes[3]}"}:
            continue
        for name, row in measure(arguments, kind, mode, sizes):
            values = " | ".join(cell(row, keys) for _, keys in COLUMNS)
            print(f"| `{name}` | {kind} | {sizes[3]} | {values} | {latency.microseconds(row['cycles']):.2f} |", flush=True)
            failed += [f"{name} {kind} {sizes[3]}: {text}" for text in violations(name, row)]
    finish(arguments, failed)


if __name__ == "__main__":
    main()
