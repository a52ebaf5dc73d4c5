# wavefront.py - the estimated time of a stack whose layers run as a wavefront (docs/internals/wavefront.md), from the cycles of a
# time step and of a block of the input GEMM, and the constants of latency.py. Estimates, not measured.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
from collections import namedtuple

import latency

# L and (T, B, I, H).
STACKS = [(2, (512, 16, 512, 512)), (4, (512, 16, 512, 512))]
MULTIPROCESSORS, MOST_EXAMPLES = 132, 8
CHUNKS = (8, 16, 24, 32, 43, 64)
HEADER = ("| pass | L | T, B, I, H | chunk | examples per cluster | us a step: alone, shared | one layer, us | one after the other |"
          " wavefront | to one layer | of which steps | fill | input GEMMs | launches | weights |\n" + "|---" * 15 + "|")
VARIANTS_HEADER = "| pass | L | variant | chunk of the rule | to one layer | best chunk | to one layer |\n" + "|---" * 7 + "|"

# `alone`, `shared`: cycles of a step with the whole device, and with a part of it; `product`: of the latter, those of the MMAs.
# `gemm_block`: cycles of a block of the input GEMM, or of its gradient, which has tiles of `tile` rows and columns.
Kernels = namedtuple("Kernels", "alone shared product blocks gemm_block tile")


def chunk_of(T, layers, goes_on=True):
    """The rule of include/rnn/Target/Wavefront.h, for persistent kernels."""
    least, most, per_layer = (16, 32, 8) if goes_on and layers <= 4 else (32, 64, 4)
    return min(max(-(-T // (per_layer * min(layers, 4))), least), most)


def examples_per_cluster(layers, B, blocks):
    """As chosen by the runtime (ResidentClusters.h): layers that run together divide the device. For kernels that support 8."""
    resident = MULTIPROCESSORS // blocks
    together = min(layers, max(resident // -(-B // MOST_EXAMPLES), 1))
    return min(max(-(-B // max(resident // together, 1)), 1), MOST_EXAMPLES)


class Model:
    """Times of one pass in microseconds. The gradients of weights, which follow the wavefront, are not part of any time."""

    def __init__(self, name, layers, sizes, kernels):
        T, B, I, H = sizes
        us = latency.microseconds
        self.T, self.B, self.layers, self.kernels = T, B, layers, kernels
        self.columns = I if name == "backward" else 4 * H  # of the result of the input GEMM
        self.step = us(kernels.shared)
        self.enqueued, self.flag = us(latency.C["enqueued"]), us(latency.C["flag"])
        self.weights = us(4 * H * H * 2 / kernels.blocks / latency.C["l2_share"])  # a block loads its part for every launch
        self.gemm = 2 * T * B * I * 4 * H / latency.C["gemm"] / 1e6  # with the whole device
        self.one = 2 * self.enqueued + self.weights + self.gemm + us(T * kernels.alone)

    def gemm_beside(self, chunk):
        """The input GEMM of a chunk, a block per multiprocessor at a time."""
        blocks = math.prod(-(-size // tile) for size, tile in zip((chunk * self.B, self.columns), self.kernels.tile))
        return latency.microseconds(-(-blocks // MULTIPROCESSORS) * self.kernels.gemm_block)

    def parts(self, chunk, variant="continued"):
        """Microseconds of the steps of the last layer, of those of the layers before it until it starts, and of the rest: input
        GEMMs, launches, weights."""
        layers, tasks = self.layers, -(-self.T // chunk) + self.layers - 1
        steps = [self.T * self.step, (tasks * chunk - self.T) * self.step]
        if variant == "between":  # all layers in step: an event, a GEMM with the whole device, and the steps
            return [*steps, layers * self.gemm, tasks * 3 * self.enqueued, tasks * self.weights]
        # Steps wait for the MMAs of GEMMs while they multiply themselves. A layer starts later by the GEMM of one chunk.
        gemms = layers * (self.gemm * self.kernels.product / self.kernels.shared + self.gemm_beside(chunk))
        if variant in ("beside", "programmatic"):
            per_task = (2 if variant == "beside" else 1) * self.enqueued
            return [*steps, gemms, tasks * per_task + 2 * layers * self.enqueued, tasks * self.weights]
        # A kernel publishes each chunk and goes on. A layer begins after a wait for a value, a GEMM, an event and a launch. Once per
        # stack, the signals are filled twice, and streams fork and join. The flag of the next chunk is set in time: a layer needs as
        # long for a chunk as the layer before it, and has begun later by a launch and the time to load the weights. Launches whose
        # chunk is complete delay nothing, since what follows waits for counters.
        return [*steps, gemms, tasks * self.flag + 4 * (layers + 1) * self.enqueued, layers * self.weights]

    def ratio(self, chunk, variant):
        return sum(self.parts(chunk, variant)) / self.one


VARIANTS = {"between": "input GEMMs between the steps", "beside": "input GEMMs beside the steps, ordered by events",
            "programmatic": "beside, and steps launched programmatically after the steps of the chunk before",
            "continued": "beside, and a kernel goes on with the next chunk if its flag is set, else it ends: the implementation"}


def row(name, layers, sizes, kernels):
    model, us = Model(name, layers, sizes, kernels), latency.microseconds
    chunk = chunk_of(sizes[0], layers)
    parts = model.parts(chunk)
    return (f"| {name} | {layers} | {', '.join(map(str, sizes))} | {chunk} | {examples_per_cluster(layers, sizes[1], kernels.blocks)} "
            f"| {us(kernels.alone):.2f}, {us(kernels.shared):.2f} | {model.one:.0f} | {layers * model.one:.0f} | {sum(parts):.0f} | "
            f"{sum(parts) / model.one:.2f} | " + " | ".join(f"{part / model.one:.2f}" for part in parts) + " |")


def variants(name, layers, sizes, kernels):
    model, chunk = Model(name, layers, sizes, kernels), chunk_of(sizes[0], layers)
    for variant, text in VARIANTS.items():
        best = min(CHUNKS, key=lambda size: model.ratio(size, variant))
        yield (f"| {name} | {layers} | {text} | {chunk} | {model.ratio(chunk, variant):.2f} | {best} | "
               f"{model.ratio(best, variant):.2f} |")
