# common.py - sizes and interleaved timing of the Python benchmarks.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by the benchmarks of this folder."""

import random
import statistics
import time

#: T, B, I, H
SIZES = ((64, 16, 128, 128), (128, 32, 512, 512), (1000, 1, 64, 64))

#: One step per call, as of a policy in its environment or of a model that serves requests.
ONE_STEP = tuple((1, B, H, H) for H in (64, 256, 512, 1024) for B in (1, 8, 32))


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))


def interleaved(steps, seconds, least=5, calls=None):
    """Median seconds of each function of a dict, called one after the other in rounds, each in another order: what a function
    leaves in caches, and threads that still run, meet the next one. With `calls`, each is called so often in a round, after one
    call that is not timed. A function that returns a float has measured itself."""
    for step in steps.values():
        step()
        step()
    times = {name: [] for name in steps}
    end = time.perf_counter() + seconds
    order, shuffled = list(steps), random.Random(0)
    while time.perf_counter() < end or len(next(iter(times.values()))) < least * (calls or 1):
        shuffled.shuffle(order)
        for name in order:
            if calls:
                steps[name]()
            for _ in range(calls or 1):
                start = time.perf_counter()
                measured = steps[name]()
                times[name].append(measured if isinstance(measured, float) else time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}, len(next(iter(times.values())))


def report(mode, sizes, compile_seconds, medians, rounds):
    """One line per contestant, relative to the first."""
    first = next(iter(medians.values()))
    for name, seconds in medians.items():
        compiled = f"{compile_seconds[name]:8.2f}" if name in compile_seconds else "       -"
        print(f"{mode:5} {str(sizes):21} {name:22} {seconds * 1e3:10.3f} ms  {seconds / first:6.2f}  compile {compiled} s"
              f"  ({rounds} rounds)", flush=True)
