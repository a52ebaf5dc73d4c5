#!/usr/bin/env bash
# test.sh - installs the packages that are missing, builds, and runs every test: lit, gtest, the examples, the package, the
# include rules, the format of changed files, and Python's.
#
#   scripts/test.sh           about an hour on two cores if the compiler cache has the objects: lit takes half an hour, Python's
#                             tests 25 minutes in two processes
#   scripts/test.sh --long    also the long suites: more random layers, every case of the persistent kernels, and verification
#                             after every pass, and pip with the requirements of a build from PyPI
#   scripts/test.sh --torch   also the tests of rnn_mlir.torch with PyPI's PyTorch, a CUDA build of 5.4 GB. Without it they run with
#                             Debian's 1.13, which has neither torch.compile nor torch.func
#
# The last line is 'N passed, N failed, N skipped'. Tests that need a feature that this machine lacks, such as a GPU, are
# skipped and listed.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
torch=0
for option in "$@"; do
  case "$option" in
    --long) export LIT_OPTS="${LIT_OPTS:-} --param=long=1" RNN_LONG_TESTS=1 ;;
    --torch) torch=1 ;;
    *) echo "usage: test.sh [--long] [--torch]" >&2; exit 2 ;;
  esac
done
rnn_install_packages clang-format-22 libclang-rt-22-dev "${RNN_PYTHON_APT[@]}"
rnn_configure
rnn_install_nvdisasm
rnn_install_python
rnn_install_tensorflow
if [ "$torch" = 1 ]; then rnn_install_torch; fi
rnn_build all rnn-python
# Where lld's archives are missing, there is no static compiler.
rnn_build rnn-compiler-package || echo "note: tests of the compiler's wheel will be skipped"

log="$RNN_BUILD_DIR/test.log"
status=0
ninja -k 0 -C "$RNN_BUILD_DIR" check-all-rnn 2>&1 | tee "$log" || status=$?
# run_pytest ENVIRONMENT PATH...: runs tests of Python in an environment of the build folder, in as many processes as there are
# CPUs, but at most four, since some tests need 2 GB.
run_pytest() {
  local python="$RNN_BUILD_DIR/$1/bin/python" processes=()
  if "$python" -c "import xdist" 2>/dev/null; then
    local count; count=$(nproc)
    processes=(-n $((count < 4 ? count : 4)) --dist=worksteal)
  fi
  PYTHONPATH="$RNN_BUILD_DIR/python" "$python" -m pytest -q -rs -p no:cacheprovider "${processes[@]}" \
    "${@:2}" 2>&1 | tee -a "$log" || status=$?
}
tests="$RNN_SOURCE_DIR/python/tests"
run_pytest python-env "$tests"
if [ -x "$RNN_BUILD_DIR/jax-env/bin/pytest" ]; then
  run_pytest jax-env "$tests"/test_{jax_*,examples,import_*,compile_objects}.py
fi
if [ -x "$RNN_BUILD_DIR/tf-env/bin/pytest" ]; then
  run_pytest tf-env "$tests"/test_{params_tensorflow,params_keras,import_tf*}.py
  # A process of its own: Keras on JAX, while the others need Keras on TensorFlow.
  KERAS_BACKEND=jax run_pytest tf-env "$tests/test_keras.py"
fi
if [ "$torch" = 1 ] && [ -x "$RNN_BUILD_DIR/torch-env/bin/pytest" ]; then
  run_pytest torch-env "$tests"/test_{torch*,examples,cudnn_rnn*}.py
fi

# Adds up lit's summary ("  Passed     : 41 (97.62%)"), pytest's, and ctest's ("100% tests passed, 0 tests failed out of 7").
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
  # The last line of pytest: "1 failed, 82 passed, 3 skipped in 5.07s".
  /^[0-9]+ (failed|passed|skipped|error).* in [0-9.]+s/ {
    for (i = 1; i < NF; ++i) {
      if ($(i + 1) ~ /^passed/) passed += $i
      if ($(i + 1) ~ /^(failed|errors?)/) failed += $i
      if ($(i + 1) ~ /^skipped/) skipped += $i
    }
  }
  # ctest counts a skipped test as passed, and lists it.
  /^[ \t]*[0-9]+ - [^ ]+ \(Skipped\)/ { --passed; ++skipped }
  END {
    if (status != 0 && failed == 0) failed = 1
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0 || passed == 0
  }' "$log"
