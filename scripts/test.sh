#!/usr/bin/env bash
# test.sh - installs what is missing, builds, and runs every test: lit, gtest and the examples.
#
# Closes with one line, 'N passed, N failed, N skipped'. A test that needs what this machine lacks (a GPU, say) is
# skipped by name.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
rnn_install_packages
rnn_configure
ninja -C "$RNN_BUILD_DIR"

log="$RNN_BUILD_DIR/test.log"
status=0
ninja -C "$RNN_BUILD_DIR" check-all-rnn 2>&1 | tee "$log" || status=$?

# Adds up lit's summary ("  Passed     : 41 (97.62%)") and ctest's ("100% tests passed, 0 tests failed out of 7").
awk -v status="$status" '
  /^ *(Passed|Expectedly Failed) *:/ { passed += $(NF - 1) }
  /^ *(Failed|Unexpectedly Passed|Timed Out|Unresolved) *:/ { failed += $(NF - 1) }
  /^ *(Unsupported|Skipped|Excluded) *:/ { skipped += $(NF - 1) }
  /tests passed, [0-9]+ tests failed out of [0-9]+/ {
    for (i = 1; i < NF; ++i) {
      if ($i == "passed,") f = $(i + 1)
      if ($i == "of") n = $(i + 1)
    }
    passed += n - f; failed += f
  }
  END {
    if (status != 0 && failed == 0) failed = 1
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0 || passed == 0
  }' "$log"
