#!/usr/bin/env bash
# run.sh [--device=cuda] [--quick] [--with-torch] [--sanitizer] [--filter=TEXT] - checks and measures this bundle on a GPU.
#
# Needs a driver, cuDNN 9 (found by the runtime: RNNRT_CUDNN_PATH, the loader's search, the places of Python wheels) and a C
# library of Debian 12's age. Prints a line per test, then tables of times. Exit status 0 when all tests passed, 77 when there
# is no GPU.
#   --quick        tests only, no times
#   --with-torch   also compare values and times with PyTorch on the same device
#   --sanitizer    run the tests once more under compute-sanitizer's memcheck and racecheck (minutes)
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
device=cuda quick= torch= sanitizer= filter=
for argument in "$@"; do
  case "$argument" in
    --device=*) device="${argument#*=}" ;;
    --filter=*) filter="${argument#*=}" ;;
    --quick) quick=1 ;;
    --with-torch) torch=1 ;;
    --sanitizer) sanitizer=1 ;;
    *) echo "run.sh: unknown argument $argument" >&2; exit 2 ;;
  esac
done

# A C++ library that is too old is replaced by the one in the bundle.
if ! "$here/bin/rnn-bundle-runner" --device=host --version >/dev/null 2>&1; then
  export LD_LIBRARY_PATH="$here/compat${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi

echo "== machine"
date -u +%Y-%m-%d
command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader
"$here/bin/rnn-bundle-runner" --device="$device" --version
status=$?
[ $status -eq 0 ] || exit $status

kind=cuda
[ "$device" = host ] && kind=host
modules=()
for dtype in f16 bf16 f32 f64; do
  modules+=(--module="$here/modules/${kind}_$dtype.so")
done
tests=("$here/bin/rnn-bundle-runner" --device="$device" --reference="$here/modules/host_f64.so" "${modules[@]}" --filter="$filter")
# With a filter some files have nothing to run.
has() { grep -q "@[^(]*$filter" "$here/modules/$1"; }
echo "== tests"
status=0
if has f64.mlir; then "${tests[@]}" || status=1; fi

fused=()
for dtype in f16 bf16 f32 f64; do
  fused+=(--module="$here/modules/blocks_${kind}_$dtype.so")
done
kernels=("$here/bin/rnn-bundle-runner" --device="$device" --reference="$here/modules/blocks_plans_f64.so" "${fused[@]}"
         --filter="$filter")
echo "== tests of fused kernels"
if has blocks_f64.mlir; then "${kernels[@]}" || status=1; fi

echo "== questions"
"$here/bin/rnn-bundle-questions" --device="$device" || status=1

if [ -n "$torch" ]; then
  echo "== PyTorch"
  python3 "$here/with_torch.py" --library "$here/lib/librnn_runtime.so" --device "$device" ${quick:+--quick} || status=1
fi
if [ -z "$quick" ]; then
  for algorithm in "" standard persist_static persist_dynamic persist_static_small_h; do
    [ "$device" = host ] && [ -n "$algorithm" ] && continue
    echo "== times, algorithm ${algorithm:-as chosen}"
    RNNRT_CUDNN_ALGO="$algorithm" "$here/bin/rnn-bundle-bench" --device="$device" --seconds=0.1 || status=1
  done
fi
if [ -z "$quick" ] && [ "$device" != host ] && has timed_f16.mlir; then
  echo "== times of fused kernels, microseconds; compare with the LSTM of the same sizes above"
  for dtype in f16 bf16 f32; do
    "$here/bin/rnn-bundle-runner" --device="$device" --module="$here/modules/timed_cuda_$dtype.so" --time=0.2 --filter="$filter" || status=1
  done
fi
echo "== fused kernels: registers, shared memory, instructions"
cat "$here/kernels.txt"
if [ -n "$sanitizer" ]; then
  checker="$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)"
  for tool in memcheck racecheck; do
    echo "== compute-sanitizer $tool"
    if has f64.mlir; then "$checker" --tool "$tool" --error-exitcode 9 "${tests[@]}" | tail -20 || status=1; fi
    if has blocks_f64.mlir; then "$checker" --tool "$tool" --error-exitcode 9 "${kernels[@]}" | tail -20 || status=1; fi
  done
fi
exit $status
