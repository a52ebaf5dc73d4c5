#!/usr/bin/env bash
# sanitize.sh - builds with a sanitizer of clang and runs tests with it. The first build of a sanitizer takes about 20 minutes
# on one core; later ones use the compiler cache. docs/internals/testing.md has the schedule.
#
#   scripts/sanitize.sh address [FILTER]   address and undefined behaviour: gtest and lit, tests whose path has FILTER
#   scripts/sanitize.sh thread [FILTER]    data races: the gtest programs that use threads, and compiled loops
#   scripts/sanitize.sh build address|thread [TARGET...]    the build alone
#
# Each sanitizer has its own build folder: build-address, build-thread. RNN_JOBS limits the compiler's and lit's processes.
# LLVM and MLIR themselves are the installed libraries, which are not instrumented.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
usage() { sed -n '2,10p' "$0" >&2; exit 2; }

build_only=0
[ "${1:-}" = build ] && { build_only=1; shift; }
sanitizer="${1:-}"
case "$sanitizer" in
  # `vptr` needs run-time type information, which LLVM is built without. `function` rejects the table of entries, whose
  # addresses are `void *`.
  address) checks=(-fsanitize=address,undefined -fno-sanitize=vptr,function -fno-sanitize-recover=undefined -shared-libasan) ;;
  thread) checks=(-fsanitize=thread -shared-libsan) ;;
  *) usage ;;
esac
shift
export RNN_BUILD_DIR="${RNN_BUILD_DIR:-$(cd "$(dirname "$0")/.." && pwd)/build-$sanitizer}"
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
rnn_install_packages libclang-rt-22-dev

# The shared form of the sanitizer's runtime: librnn_runtime.so links with --no-undefined.
rpath="-Wl,-rpath,$(dirname "$(clang++-22 -print-file-name=libclang_rt.asan-x86_64.so)")"
# Without assertions: some headers of MLIR call functions then that release builds of libMLIR.so lack.
flags="${checks[*]} -O1 -DNDEBUG -gline-tables-only -fno-omit-frame-pointer"
rnn_configure -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_C_FLAGS_RELEASE= -DCMAKE_CXX_FLAGS_RELEASE= \
  -DCMAKE_EXE_LINKER_FLAGS="-fuse-ld=lld-22 $rpath" -DCMAKE_SHARED_LINKER_FLAGS="-fuse-ld=lld-22 $rpath" \
  -DRNN_BUILD_BENCHMARKS=OFF

# Address: LLVM's allocators poison memory in the code compiled here, and would not in that of the libraries. Tests of huge
# sizes expect a null pointer. Leaks are checked in the gtest programs; the compiler tools end without freeing contexts.
common="allow_user_poisoning=0:allocator_may_return_null=1"
export UBSAN_OPTIONS=print_stacktrace=1
jobs="${RNN_JOBS:-$(nproc)}"
lit="${RNN_LLVM_DIR}/bin/lit"

if [ $build_only = 1 ]; then
  rnn_build -j "$jobs" "$@"
  exit
fi
filter="${1:-.}"
status=0
case "$sanitizer" in
  address)
    rnn_build -j "$jobs"
    ASAN_OPTIONS="$common:detect_leaks=1" ctest --test-dir "$RNN_BUILD_DIR" -j "$jobs" -R "rnn_(.*tests?$|runtime_conformance)" -E "format|includes|package" \
      --output-on-failure || status=1
    # Programs that are not instrumented cannot load the instrumented libraries: Aot, Examples, the package tests, mlir-opt with
    # the plugin, mlir-runner, and programs of rnn-compile's tests.
    ASAN_OPTIONS="$common:detect_leaks=0" "$lit" -sv -j "$jobs" --filter "$filter" \
      --filter-out "Aot/|Examples/|Package/|Tools/gpu-bundle|Tools/benchmarks|Tools/RNNPlugin|rnn-compile/(cuda|simt).mlir|Integration/runtime-verification|Docs/" "$RNN_BUILD_DIR/test" || status=1
    ;;
  thread)
    # Compiled code is not instrumented: its barriers are calls of the runtime, which is. Nor are LLVM and MLIR, whose atomic
    # operations ThreadSanitizer does not see.
    rnn_build -j "$jobs"
    export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:allocator_may_return_null=1:ignore_noninstrumented_modules=1"
    ctest --test-dir "$RNN_BUILD_DIR" -j 1 --output-on-failure \
      -R "rnn_runtime_(tests|thread_tests|fault_tests|cuda_tests|cudnn_tests|cublas_tests|simt_tests|fiber_tests|emulator_tests)$" || status=1
    # The lit tests that run compiled code with several threads, without target simt: all fibers of a launch run on
    # one thread, and the programs above have launches on several threads.
    threaded="rnn-run/threads|RNNToHost/parallel|(linalg-threads|bf16-amx|bf16-gemm|block-fused|large-fused)-host|batch-major-bits"
    RNNRT_THREADS=4 "$lit" -sv -j 1 --filter "${1:-$threaded}" "$RNN_BUILD_DIR/test" || status=1
    ;;
esac
exit $status
