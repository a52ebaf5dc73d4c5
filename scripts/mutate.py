#!/usr/bin/env python3
# mutate.py - applies the mutations of test/Corpus/mutations.txt one at a time and reports those that no test finds.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: scripts/mutate.py BUILD [--only=REGEX] [--minutes=N] [--results=FILE]

Changes the sources of this checkout and restores them, so run it in a clone of its own with the build folder BUILD. The
results are kept in FILE (BUILD/mutations.json): a later run continues there. Fails if a mutation survives.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# By the folder of a lit test.
LIT_TARGETS = {"Dialect": ["rnn-opt"], "Conversion": ["rnn-opt"], "Corpus": ["rnn-opt", "rnn-run", "rnn-fuzz"],
               "Simt": ["rnn-opt", "rnn-run", "rnn_emulator"],
               "Integration": ["rnn-opt", "rnn-run", "rnn-compile", "rnn-bundle-runner"]}
LIT = "/usr/lib/llvm-22/bin/lit"
TEST_SECONDS = 300


def read_mutations():
    """Dictionaries with name, file, old, new and test."""
    text = (ROOT / "test/Corpus/mutations.txt").read_text()
    for block in re.split(r"\n\n+", text)[1:]:
        mutation = {"old": [], "new": []}
        for line in block.splitlines():
            kind, _, rest = line.partition(" ")
            if kind in "-+":
                mutation["old" if kind == "-" else "new"].append(rest)
            else:
                mutation[{"#": "name", "file": "file", "test": "test"}[kind]] = rest
        yield mutation


def run_test(build, test):
    """Builds what the test needs and runs it: "passes", "fails" or "does not compile"."""
    kind, *arguments = test.split()
    targets = [arguments[0]] if kind == "gtest" else sorted({target for path in arguments
                                                             for target in LIT_TARGETS[path.split("/")[0]]})
    done = subprocess.run(["ninja", "-j1", *targets], cwd=build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(done.stdout[-2000:])
        return "does not compile"
    if kind == "gtest":
        command = [build / "bin" / arguments[0], "--gtest_brief=1", "--gtest_filter=" + "".join(arguments[1:] or ["*"])]
    else:
        command = [LIT, "-q", "-j1", "--max-failures=1", *(build / "test" / path for path in arguments)]
    try:
        status = subprocess.run(command, cwd=build, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                timeout=TEST_SECONDS).returncode
    except subprocess.TimeoutExpired:
        return "fails"
    return "passes" if status == 0 else "fails"


def run_mutation(build, mutation):
    """The result of one mutation."""
    path = ROOT / mutation["file"]
    text, old = path.read_text(), "\n".join(mutation["old"])
    if text.count(old) != 1:
        return f"the text to replace occurs {text.count(old)} times"
    try:
        path.write_text(text.replace(old, "\n".join(mutation["new"])))
        return {"passes": "SURVIVES", "fails": "found"}.get(run_test(build, mutation["test"]), "does not compile")
    finally:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="mutations whose name contains this regular expression")
    parser.add_argument("--minutes", type=float, default=1e9, help="starts no mutation after this time")
    parser.add_argument("--results", type=pathlib.Path)
    options = parser.parse_args()
    build = options.build.resolve()
    file = options.results or build / "mutations.json"
    results = json.loads(file.read_text()) if file.exists() else {}
    end = time.time() + 60 * options.minutes
    mutations = [mutation for mutation in read_mutations() if re.search(options.only, mutation["name"])]

    def keep(key, result):
        results[key] = result
        file.write_text(json.dumps(results, indent=1) + "\n")
        print(f"{key}: {result}", flush=True)

    for mutation in mutations:
        if time.time() > end:
            break
        unchanged = "unchanged: " + mutation["test"]
        if unchanged not in results:
            keep(unchanged, run_test(build, mutation["test"]))
        if results[unchanged] != "passes":
            keep(mutation["name"], "its test fails without it")
        elif mutation["name"] not in results:
            keep(mutation["name"], run_mutation(build, mutation))
    chosen = {mutation["name"]: results.get(mutation["name"], "not run") for mutation in mutations}
    others = {name: result for name, result in chosen.items() if result != "found"}
    print(f"{len(chosen)} mutations, {len(chosen) - len(others)} found")
    for name, result in others.items():
        print(f"  {name}: {result}")
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
