# _processor.py - the processors that prebuilt modules are compiled for, and which of them this machine can run.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processor levels of prebuilt modules."""

from __future__ import annotations

import functools
import platform
import sys
from typing import Dict, FrozenSet, List, Tuple

_V3 = frozenset("avx avx2 bmi1 bmi2 f16c fma abm movbe".split())
_V4 = _V3 | frozenset("avx512f avx512bw avx512cd avx512dq avx512vl".split())
# SSE4a: of AMD's processors, whose dot products of bf16 have twice the rate of f32. Those of Intel have half of it.
_ZNVER4 = _V4 | frozenset("avx512_bf16 avx512_bitalg avx512_vbmi2 avx512_vnni avx512_vpopcntdq avx512ifma avx512vbmi gfni "
                          "sse4a".split())

#: Levels with modules for bf16 only: other types gain nothing from them.
BF16_LEVELS = frozenset(("sapphirerapids", "znver4"))

#: Per architecture: the names of levels, best first, and the flags of /proc/cpuinfo that each needs.
LEVELS: Dict[str, Tuple[Tuple[str, FrozenSet[str]], ...]] = {
    "x86_64": (("sapphirerapids", _V4 | frozenset("avx512_bf16 avx512_fp16 avx512_vnni amx_tile amx_bf16".split())),
               ("znver4", _ZNVER4), ("x86-64-v4", _V4), ("x86-64-v3", _V3), ("x86-64", frozenset())),
}


@functools.lru_cache(maxsize=None)
def flags() -> FrozenSet[str]:
    """The features of the processor; empty if the system does not list them."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("flags"):
                    return frozenset(line.partition(":")[2].split())
    except OSError:
        pass
    return frozenset()


@functools.lru_cache(maxsize=None)
def levels() -> List[str]:
    """The levels that this machine runs, best first."""
    known = LEVELS.get(platform.machine(), (("generic", frozenset()),))
    return [name for name, needed in known if needed <= flags()]


if __name__ == "__main__":
    # For the build: the best general level of this machine.
    sys.stdout.write(next(name for name in levels() if name not in BF16_LEVELS))
