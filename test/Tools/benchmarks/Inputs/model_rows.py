"""Rows of a processor whose times are those of the cost model with given constants."""
import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "..", "benchmarks", "host"))
from fit import features  # noqa: E402

PLAN, FUSED = (5, 0.5, 30000, 2000, 400, 50, 100), (0, 0.5, 2000, 0, 300, 10, 70)
# Calls of one step.
PLAN_ONCE, FUSED_ONCE = (3, 0, 40000, 1000, 600, 0, 200), (2, 0, 3000, 100, 50, 0, 30)
print("# a comment\n\nmodel lstm forward 3 2 5 7 1 1 f32 1 1 1 ratio")
for kind, what in itertools.product(("f32", "bf16"), ("forward", "backward")):
    for cell, T, B, I, H, L in itertools.product(("lstm", "gru"), (1, 20, 300), (1, 7, 30), (0, 64), (20, 100), (1, 2)):
        x = features(cell, what, T, B, I or H, H, L, 1, cached=8 * 1024 // (4 if kind == "f32" else 2))
        constants = (PLAN_ONCE, FUSED_ONCE) if T == 1 else (PLAN, FUSED)
        plan, fused = (sum(map(float.__mul__, map(float, c), map(float, x))) for c in constants)
        print("model", cell, what, T, B, I or H, H, L, 1, kind, 1, f"{plan:.9g}", f"{fused:.9g}")
