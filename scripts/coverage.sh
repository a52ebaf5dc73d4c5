#!/usr/bin/env bash
# coverage.sh - coverage of the verifiers of the rnn dialect by the lit tests of the dialect and the malformed-input corpus:
# clang's source-based coverage of lib/Dialect/RNN/IR, branch by branch. Fails if a branch of a verifier is not covered and is
# not in test/Corpus/uncovered.txt, or if a branch in that file is covered. The suite runs it (test rnn_verifier_coverage).
#
#   scripts/coverage.sh [--no-build] [BUILD]    builds the instrumented tools, runs the tests, prints uncovered branches
#
# Only the dialect is instrumented (cmake/modules/RNNCoverage.cmake). RNN_JOBS limits the processes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
builds=1
[ "${1:-}" = --no-build ] && { builds=0; shift; }
[ $# -eq 0 ] || { RNN_BUILD_DIR="$(cd "$1" && pwd)"; export RNN_BUILD_DIR; }
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
jobs="${RNN_JOBS:-$(nproc)}"
if [ $builds = 1 ]; then
  rnn_install_packages libclang-rt-22-dev
  rnn_configure
  rnn_build -j "$jobs" rnn-opt-coverage rnn-fuzz-coverage
fi

# A folder of its own for each run, also for what the tests write: another run of the tests may use the same build.
profiles="$(mktemp -d "$RNN_BUILD_DIR/profiles.XXXXXX")"
trap 'rm -rf "$profiles"' EXIT
mkdir "$profiles/raw"
# %b: a file per program; %m alone gives both the same one. A record of lit's times would replace that of the suite's own run.
LLVM_PROFILE_FILE="$profiles/raw/%b-%m.profraw" "$RNN_LLVM_DIR/bin/lit" -q -j "$jobs" --param "coverage=$profiles/test" \
  --skip-test-time-recording "$RNN_BUILD_DIR/test/Dialect/RNN" "$RNN_BUILD_DIR/test/Corpus"
"$RNN_LLVM_DIR/bin/llvm-profdata" merge -sparse "$profiles/raw" -o "$profiles/all.profdata"
"$RNN_LLVM_DIR/bin/llvm-cov" export -skip-expansions -instr-profile="$profiles/all.profdata" "$RNN_BUILD_DIR/bin/rnn-opt-coverage" \
  -object "$RNN_BUILD_DIR/bin/rnn-fuzz-coverage" > "$profiles/all.json"
"$RNN_SOURCE_DIR/scripts/verifier-coverage.py" "$profiles/all.json"
