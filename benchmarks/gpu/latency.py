# latency.py - the latency model of a time step: cycles from the instruction counts of sass.py. The only place with its constants.
#
# Every constant is an estimate until a GPU has measured it (docs/internals/hardware-notes.md lists the experiments); `source`
# says where the value is from.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
from collections import namedtuple

Constant = namedtuple("Constant", "value unit source")
FITTED = "estimate: middle of the range that a review of the SASS gave, not measured"

CONSTANTS = {
    "clock": Constant(1.85, "GHz", "estimate: H100 SXM under load, below its boost clock of 1.98"),
    "hmma_latency": Constant(33, "cycles", "estimate: m16n8k16 and m16n8k8 with f32 sums, 25 to 33 (arXiv 2206.02874, 2402.13499)"),
    "hmma_issue": Constant(6.7, "cycles", "estimate: mma.sync at about 60 % of a tensor core's peak (arXiv 2402.13499)"),
    "shared_rate": Constant(128, "bytes/cycle", "CUDA programming guide: 32 banks of 4 bytes"),
    "exchange": Constant(400, "cycles", FITTED + "; the network between multiprocessors alone takes 180 (arXiv 2402.13499)"),
    "packet": Constant(0.7, "cycles", FITTED + "; per 32-byte sector that a block sends"),
    "device_fence": Constant(300, "cycles", FITTED + "; MEMBAR.GPU without stores in flight"),
    "device_fence_stores": Constant(600, "cycles", FITTED + "; MEMBAR.GPU after global stores"),
    "memory_latency": Constant(1200, "cycles", "estimate: 650 ns of HBM; loads that are not in the L2 cache"),
    "instruction": Constant(1.9, "cycles", FITTED + "; per instruction on the path from wait to send, without MMAs"),
    "barrier": Constant(30, "cycles", "estimate: BAR.SYNC of up to 8 warps"),
    "step_instruction": Constant(1.7, "cycles", FITTED + "; per instruction of a per-step kernel's loop, four warps per block"),
    "step_launch": Constant(1000, "cycles", "estimate: a programmatic dependent launch, prologue and epilogue"),
    "enqueued": Constant(1850, "cycles", "estimate: 1 us for a kernel, or an event of another stream, after the work before it"),
    "flag": Constant(1850, "cycles", "estimate: 1 us to read the flag of the next chunk, for a barrier of the cluster, and until its first loads arrive"),
    "l2_share": Constant(22, "bytes/cycle", "estimate: 5.5 TB/s of the L2 cache over 132 multiprocessors"),
    "gemm": Constant(590, "TFLOP/s", "estimate: lower bound of the time, cuda.gemm.f16 of the cost model"),
}
C = {name: constant.value for name, constant in CONSTANTS.items()}


def product_cycles(counts, warps):
    """The longest of: the dependent chain, a tensor core's share of the MMAs, the operands from shared memory."""
    return max(counts["chain"] * C["hmma_latency"], counts["hmma"] * math.ceil(warps / 4) * C["hmma_issue"],
               counts["lds_bytes"] * warps / C["shared_rate"])


def persistent_step(counts, serial, warps, sectors):
    """Cycles of one step of a persistent kernel. `serial`: instructions from the wait to the last send, except MMAs and loads of
    shared memory. `sectors`: that a block sends."""
    exchange = C["exchange"] + C["packet"] * sectors
    product = product_cycles(counts, warps)
    fence = 0
    if counts["device_fences"]:
        fence = C["device_fence_stores" if counts["early_stores"] else "device_fence"]
    loads = 0
    if counts["same_step_loads"]:
        # Issued after the sends of the previous step, used before the wait (backward) or after the product (forward).
        loads = max(0, C["memory_latency"] - exchange - (0 if counts["barrier_before_mma"] else product))
    return exchange + product + fence + loads + C["instruction"] * serial + C["barrier"] * counts["barrier"]


def per_step_kernel(loop_instructions, rounds, has_cluster):
    """`has_cluster`: the blocks of a cluster add their sums at the end."""
    return C["step_launch"] + C["step_instruction"] * loop_instructions * rounds + C["exchange"] * has_cluster


def microseconds(cycles):
    return cycles / (1000 * C["clock"])
