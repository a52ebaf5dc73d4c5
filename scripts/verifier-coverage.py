#!/usr/bin/env python3
"""Lists the branches of the rnn dialect's verifiers that no test covers, from the JSON of llvm-cov export.

A branch of test/Corpus/uncovered.txt has a reason and may be uncovered: `file | true or false | source text | reason`.
Used by scripts/coverage.sh. Exits with 1 if another branch is uncovered, or if a listed one is covered or gone.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import os
import re
import sys

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
folder = "lib/Dialect/RNN/IR/"
# Verifiers, and functions that only they call.
is_verifier = re.compile(r"verify|fitsInMemory|isKnown|getConstantSizes|getSizes")


def read_branches(path):
    """Counts by (file, line, column, source text), summed over the instantiations of templates."""
    counts = collections.defaultdict(lambda: [0, 0])
    texts = {}
    for function in json.load(open(path))["data"][0]["functions"]:
        names = [os.path.relpath(os.path.normpath(name), root) for name in function["filenames"]]
        if not is_verifier.search(function["name"]):
            continue
        for line, column, end_line, end_column, yes, no, file_id, *_ in function.get("branches", []):
            name = names[file_id]
            if not name.startswith(folder):
                continue
            source = texts.setdefault(name, open(os.path.join(root, name)).read().split("\n"))
            part = source[line - 1 : end_line]
            part[-1] = part[-1][: end_column - 1]
            part[0] = part[0][column - 1 :]
            text = " ".join(" ".join(part).split())
            if text == ":":  # the end of a range-based loop
                continue
            count = counts[name, line, column, text]
            count[0] += yes
            count[1] += no
    return counts


def read_allowed():
    allowed = {}
    for line in open(os.path.join(root, "test/Corpus/uncovered.txt")):
        if line.strip() and not line.startswith("#"):
            name, outcome, rest = line.strip().split(" | ", 2)
            text, reason = rest.rsplit(" | ", 1)
            allowed[name, outcome, text] = reason
    return allowed


def main():
    counts, allowed = read_branches(sys.argv[1]), read_allowed()
    uncovered, used, status = 0, set(), 0
    for (name, line, _, text), count in sorted(counts.items()):
        for outcome, number in zip(("true", "false"), count):
            if number:
                continue
            uncovered += 1
            key = os.path.basename(name), outcome, text
            used.add(key)
            if key not in allowed:
                status = 1
                print(f"{name}:{line}: not covered: {os.path.basename(name)} | {outcome} | {text} | REASON")
    for key in sorted(set(allowed) - used):
        status = 1
        print(f"test/Corpus/uncovered.txt: covered, or not a branch of a verifier: {' | '.join(key)}")
    total = 2 * len(counts)
    if not total:
        sys.exit("no branches of verifiers in the profile")
    print(f"verifiers: {total - uncovered} of {total} branches covered, {uncovered} not covered with a reason"
          if not status else f"verifiers: {total - uncovered} of {total} branches covered")
    return status


sys.exit(main())
