#!/usr/bin/env python3
"""Fits the host constants of the cost model to measured times, and prints them as lines of lib/Target/HostCosts.def. Rows whose
weights are read in place (one step, and few steps with few rows) have constants of their own. Where least squares select the slower
candidate of a row, a random search with fixed seeds follows.

    fit.py --processor=NAME [--family=NAME] [--types=f32,bf16] [unittests/Target/host_rows.txt]

`NAME` is the first field of the rows. Rows on one thread without the note `ratio` are fitted, by constants that are
not negative. benchmarks/host.sh --parts=auto prints such rows. Needs Python alone.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import math
import os
import random

TERMS = ("call", "step", "gmac", "gate", "pack", "weight", "far")
BYTES = {"f32": 4, "f64": 8}  # of an element; the others have 2
FACTOR = 1.9  # of estimated and measured times, for least squares
LIMIT = 1.98  # the same for the search; the test of the cost model has 2
STEPS, SEEDS = 100000, 5  # of the search
ROWS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "unittests", "Target", "host_rows.txt")


def features(cell, what, T, B, I, H, L, D, cached):
    """The factors of `TERMS`, as in lib/Target/CostModel.cpp (LayerProblem). `cached`: weights that an L2 cache holds."""
    gates = {"lstm": 4, "gru": 3}.get(cell, 1)
    steps = L * D * T
    step_macs = B * gates * H * H
    forward = weights = 0
    for layer in range(L):
        width = I if layer == 0 else D * H
        forward += D * T * B * gates * H * width
        weights += D * T * (B * gates * H * width + step_macs)
    other = forward if what == "forward" else forward + weights
    return [1, steps, (steps * step_macs + other) * 1e-9, steps * B * gates * H * 1e-6,
            D * gates * H * (I + H + (L - 1) * (D + 1) * H) * 1e-6, steps * gates * H * H * 1e-6,
            steps * max(0, gates * H * H - cached) * 1e-6]


def are_in_place(cell, T, B, H):
    """Whether a call reads the weights where they are: as in lib/Target/CostModel.cpp, with the numbers of
    include/rnn/Target/InPlaceWeights.h."""
    weights = {"lstm": 4, "gru": 3}.get(cell, 1) * H * H
    return T == 1 or T * B <= max(2, min(16, 1 + weights * 4 / (1 << 19)))


def solve(rows, weights):
    """Of (features, microseconds): the coefficients, not negative, with the least weighted sum of squared relative errors, by
    cyclic descent along the coordinates."""
    scaled = [[value * weight / time for value in factors] for (factors, time), weight in zip(rows, weights)]
    count = len(TERMS)
    norms = [sum(row[i] ** 2 for row in scaled) ** 0.5 or 1.0 for i in range(count)]
    scaled = [[value / norm for value, norm in zip(row, norms)] for row in scaled]
    gram = [[sum(row[i] * row[j] for row in scaled) for j in range(count)] for i in range(count)]
    target = [sum(row[i] * weight for row, weight in zip(scaled, weights)) for i in range(count)]
    result = [0.0] * count
    for _ in range(5000):
        change = 0.0
        for i in range(count):
            if gram[i][i] == 0:
                continue
            value = max(0.0, result[i] + (target[i] - sum(gram[i][j] * result[j] for j in range(count))) / gram[i][i])
            change, result[i] = max(change, abs(value - result[i])), value
        if change < 1e-12:
            break
    return [value / norm for value, norm in zip(result, norms)]


def ratios(values, rows):
    """Of estimated to measured times."""
    return [sum(map(float.__mul__, values, map(float, factors))) / time for factors, time in rows]


def fit(rows):
    """The coefficients of least squares. While an estimate is not within `FACTOR` of the measured time, the weights of rows grow
    with their errors; the coefficients with the least error are taken."""
    weights, best, least = [1.0] * len(rows), None, math.inf
    for _ in range(20):
        values = [float(f"{value:.3g}") if value > 1e-4 else 0.0 for value in solve(rows, weights)]
        errors = [abs(math.log(max(ratio, 1e-9))) for ratio in ratios(values, rows)]
        if max(errors) < least:
            best, least = values, max(errors)
        if least < math.log(FACTOR):
            break
        weights = [weight * (1 + error) for weight, error in zip(weights, errors)]
    return best


def selects_loops(plan, loops):
    """isWorthMoreThanPlan of lib/Target/CostModel.cpp."""
    return loops < 0.95 * plan and plan - loops > 2


def judge(values, rows):
    """How good coefficients are; smaller is better. `values` and `rows` are those of plans and of loops. Returns the number of wrong
    estimates (they select the slower candidate where the test of the cost model checks that, or are not within `LIMIT`), and a sum
    of the errors of all estimates."""
    estimates = [ratios(*group) for group in zip(values, rows)]
    if any(ratio <= 0 for group in estimates for ratio in group):
        return math.inf, math.inf
    wrong = 0
    for plan, loops, (_, plan_time), (_, loops_time) in zip(*estimates, *rows):
        checked = not 1 / 1.1 < plan_time / loops_time < 1.1 and not 0 < plan_time - loops_time < 2
        wrong += checked and selects_loops(plan * plan_time, loops * loops_time) != (loops_time < plan_time)
    errors = [abs(math.log(ratio)) for group in estimates for ratio in group]
    far = [error - math.log(LIMIT) for error in errors if error > math.log(LIMIT)]
    return wrong + len(far), sum(error ** 2 for error in errors) + 10 * sum(far)


def search(values, rows):
    """Changes one to three coefficients at a time by random factors, and keeps what `judge` prefers, until no row is wrong. Returns
    the coefficients, and how many rows are wrong."""
    start = best = judge(values, rows), values
    for seed in range(SEEDS):
        numbers, (score, found) = random.Random(seed), start
        for _ in range(STEPS):
            if score[0] == 0:
                return found, 0
            changed = [list(group) for group in found]
            for _ in range(numbers.choice((1, 2, 3))):
                candidate, term = numbers.randrange(2), numbers.randrange(len(TERMS))
                # A coefficient of 0 may become as large as that of the other candidate.
                value = changed[candidate][term] or numbers.random() * changed[1 - candidate][term]
                value *= 0 if numbers.random() < 0.05 else math.exp(numbers.gauss(0, 0.15))
                changed[candidate][term] = float(f"{value:.3g}")
            new = judge(changed, rows)
            if new < score:
                score, found = new, changed
        best = min(best, (score, found))
    return best[1], best[0][0]


def read(path, processor, cache):
    """By (candidate, type, pass): the rows to fit."""
    groups = {}
    with open(path) as file:
        for line in file:
            fields = line.split()
            if not fields or fields[0] != processor or fields[-1] == "ratio":
                continue
            _, cell, what, *numbers, kind, threads, plan, fused = fields
            if threads == "1":
                T, B, I, H, L, D = map(int, numbers)
                factors = features(cell, what, T, B, I, H, L, D, cached=cache * 1024 // BYTES.get(kind, 2))
                once = ""
                if are_in_place(cell, T, B, H):  # steps after the first read the weights of the state again
                    once, factors[TERMS.index("step")] = ".once", 0
                    factors[TERMS.index("weight")] *= 1 - 1 / T
                for candidate, time in (("plan", plan), ("fused", fused)):
                    groups.setdefault((candidate + once, kind, what), []).append((factors, float(time)))
    return groups


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processor", required=True, help="first field of the rows")
    parser.add_argument("--family", help="name of the constants (default: that of the processor)")
    parser.add_argument("--types", default="f32", help="element types that get constants of their own (default: f32)")
    parser.add_argument("--cache", type=int, default=2048, help="KiB of an L2 cache (default: 2048)")
    parser.add_argument("rows", nargs="?", default=ROWS)
    arguments = parser.parse_args()
    groups = read(arguments.rows, arguments.processor, arguments.cache)
    if not groups:
        parser.error(f"{arguments.rows} has no row of the processor `{arguments.processor}` on one thread")
    family = arguments.family or arguments.processor
    for (plan, kind, what), rows in sorted(groups.items(), reverse=True):
        if kind not in arguments.types.split(",") or not plan.startswith("plan"):
            continue
        loops = plan.replace("plan", "fused")
        rows = rows, groups[loops, kind, what]
        fitted, wrong = search([fit(group) for group in rows], rows)
        for name, values, group in zip((plan, loops), fitted, rows):
            factors = sorted(ratios(values, group))
            name = name if kind == "f32" else f"{name}.{kind}"
            print(f'RNN_HOST_COSTS("{family}", "{name}", "{what}", {", ".join(f"{value:g}" for value in values)}, SOURCE)')
            print(f"// {len(group)} rows, estimates are {factors[0]:.2f} to {factors[-1]:.2f} of the measured times")
        if wrong:
            print(f"// {wrong} of these estimates select the slower candidate, or are not within a factor of {LIMIT}")


if __name__ == "__main__":
    main()
