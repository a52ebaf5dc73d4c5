#!/usr/bin/env bash
# coverage.sh - coverage of the verifiers of the rnn dialect by the lit tests of the dialect and the malformed-input corpus:
# clang's source-based coverage of lib/Dialect/RNN/IR, branch by branch. Fails if a branch of a verifier is not covered and is
# not in test/Corpus/uncovered.txt, or if a branch in that file is covered. docs/internals/testing.md has the schedule.
#
#   scripts/coverage.sh           builds build-coverage, runs the tests, prints uncovered branches and the figure
#
# Only the dialect is instrumented, so that the compiler cache has the other objects. RNN_JOBS limits the processes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
export RNN_BUILD_DIR="${RNN_BUILD_DIR:-$(cd "$(dirname "$0")/.." && pwd)/build-coverage}"
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
rnn_install_packages libclang-rt-22-dev
jobs="${RNN_JOBS:-$(nproc)}"
rnn_configure -DRNN_COVERAGE=ON -DRNN_BUILD_BENCHMARKS=OFF -DRNN_BUILD_EXAMPLES=OFF
rnn_build -j "$jobs" rnn-opt rnn-fuzz rnn_emulator

profiles="$RNN_BUILD_DIR/profiles"
rm -rf "$profiles" && mkdir -p "$profiles"
LLVM_PROFILE_FILE="$profiles/%p-%m.profraw" "$RNN_LLVM_DIR/bin/lit" -q -j "$jobs" "$RNN_BUILD_DIR/test/Dialect/RNN" \
  "$RNN_BUILD_DIR/test/Corpus"
"$RNN_LLVM_DIR/bin/llvm-profdata" merge -sparse "$profiles" -o "$profiles/all.profdata"
"$RNN_LLVM_DIR/bin/llvm-cov" export -skip-expansions -instr-profile="$profiles/all.profdata" "$RNN_BUILD_DIR/bin/rnn-opt" \
  -object "$RNN_BUILD_DIR/bin/rnn-fuzz" > "$profiles/all.json"
"$RNN_SOURCE_DIR/scripts/verifier-coverage.py" "$profiles/all.json"
