# wavefront.py - the estimated time of a stack whose layers run as a wavefront (docs/internals/wavefront.md), from the cycles of a
# time step and the constants of latency.py. Estimates, not measured.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import latency

# L and (T, B, I, H).
STACKS = [(2, (512, 16, 512, 512)), (4, (512, 16, 512, 512))]
MULTIPROCESSORS, MOST_EXAMPLES = 132, 8
HEADER = ("| pass | L | T, B, I, H | chunk | examples per cluster | us a step: alone, shared | one layer, us | one after the other |"
          " wavefront | to one layer | of which steps | fill | input GEMMs | launches | weights |\n" + "|---" * 15 + "|")


def chunk_of(T, layers):
    """The rule of include/rnn/Target/Wavefront.h."""
    return min(max(-(-T // (4 * min(layers, 4))), 32), 64)


def examples_per_cluster(layers, B, blocks):
    """As chosen by the runtime (ResidentClusters.h): layers that run together divide the device. For kernels that support 8."""
    resident = MULTIPROCESSORS // blocks
    together = min(layers, max(resident // -(-B // MOST_EXAMPLES), 1))
    return min(max(-(-B // max(resident // together, 1)), 1), MOST_EXAMPLES)


def row(name, layers, sizes, alone, shared, blocks):
    """`alone` and `shared`: cycles of a step with the whole device, and with a part of it. The gradients of weights, which follow
    the wavefront, are not part of any time."""
    T, B, I, H = sizes
    us, C = latency.microseconds, latency.C
    chunk = chunk_of(T, layers)
    tasks = -(-T // chunk) + layers - 1
    gemm = 2 * T * B * I * 4 * H / C["gemm"] / 1e6  # of the input, or of its gradient
    weights = us(4 * H * H * 2 / blocks / C["l2_share"])  # a block loads its part for every launch
    task = us(C["task"]) + weights
    one = task + gemm + us(T * alone)
    together = layers * gemm + tasks * (task + us(chunk * shared))
    # Each relative to one layer: the steps of the last layer, those of the layers before it until it starts, and the rest.
    parts = [us(T * shared), us((tasks * chunk - T) * shared), layers * gemm, tasks * us(C["task"]), tasks * weights]
    return (f"| {name} | {layers} | {T}, {B}, {I}, {H} | {chunk} | {examples_per_cluster(layers, B, blocks)} | {us(alone):.2f}, "
            f"{us(shared):.2f} | {one:.0f} | {layers * one:.0f} | {together:.0f} | {together / one:.2f} | "
            + " | ".join(f"{part / one:.2f}" for part in parts) + " |")
