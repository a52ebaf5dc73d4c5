"""Rounds that host.py counts. Workers, peaks and the clock are fakes."""
import itertools
import types

import rivals
from rivals import Quiet, Row


now = 0.0


def sleep(seconds):
    global now
    now += seconds


rivals.time = types.SimpleNamespace(monotonic=lambda: now, sleep=sleep)


class Worker:
    def __init__(self, seconds):
        self.seconds, self.requests = seconds, 0

    def ask(self, request):
        self.requests += 1
        return str(self.seconds)


class Peaks:
    def __init__(self, quiet, peaks):
        self.quiet, self.peaks, self.measured = quiet, itertools.chain(peaks, itertools.repeat(peaks[-1])), 0

    def peak(self, kind, threads):
        self.measured += 1
        return next(self.peaks)


for fraction, peaks in ((0, [100]), (0.9, [100]), (0.9, [50, 100, 95, 60, 100]), (0.9, [100, 50])):
    row = Row.__new__(Row)  # starts no processes
    row.rivals, row.threads, row.missing = Peaks(Quiet(fraction), peaks), 1, {}
    row.workers = {"block": [Worker(0.001)], "onednn2": [Worker(3.0)]}
    medians, peak = row.measure("backward", 0.024)
    quiet = row.rivals.quiet
    print(sorted(medians.items()), int(peak), "requests", *(workers[0].requests for workers in row.workers.values()), "peaks",
          row.rivals.measured, "disturbed", quiet.disturbed, "of", quiet.rounds, "without", quiet.without)
