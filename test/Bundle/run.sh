#!/usr/bin/env bash
# run.sh [--only=SECTION,...] [--device=cuda] [--filter=TEXT,...] [--seconds=N] - checks and measures this bundle on a GPU.
#
# Needs a driver, cuDNN 9 (found by the runtime: RNNRT_CUDNN_PATH, the loader's search, the places of Python wheels) and a C
# library of Debian 12's age. Prints as it goes, and keeps the same under results/ (or $OUT): one file per section, times
# as Markdown tables. Exit status 0 when all tests passed, 77 when there is no GPU.
#
# Sections, in their order; those with a star run by default:
#   tests *      cuDNN's plans and the fused kernels against the host plans in f64, a line per test
#   emulator *   fused kernels against what the emulator computed when the bundle was made
#   questions *  what only cuDNN can answer
#   kernels *    registers, memory and instructions of the kernels, as they were when the bundle was made
#   fused *      times of the fused kernels, in turn with cuDNN's algorithms and with one step at a time by cublasLt; also
#                measured.jsonl, of which `rnn-run --autotune=FILE --measurements=measured.jsonl` makes decisions
#   times *      times of cuDNN's plans by every algorithm
#   torch        values and times beside PyTorch's layers in one process
#   sanitizer    small tests under compute-sanitizer's memcheck and racecheck
# --seconds=N ends each program of a section after N seconds (300). With --device=host, which tries the bundle without a GPU,
# `fused` takes small stand-ins and `times` one tiny layer.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
device=cuda filter= only=tests,emulator,questions,kernels,fused,times seconds=300
for argument in "$@"; do
  case "$argument" in
    --device=*) device="${argument#*=}" ;;
    --filter=*) filter="${argument#*=}" ;;
    --only=*) only="${argument#*=}" ;;
    --seconds=*) seconds="${argument#*=}" ;;
    *) echo "run.sh: unknown argument $argument; expected --only=, --device=, --filter= or --seconds=" >&2; exit 2 ;;
  esac
done
for section in ${only//,/ }; do
  case "$section" in
    tests | emulator | questions | kernels | fused | times | torch | sanitizer) ;;
    *)
      echo "run.sh: unknown section $section; expected tests, emulator, questions, kernels, fused, times, torch or sanitizer" >&2
      exit 2
      ;;
  esac
done
results="${OUT:-$here/results}"
mkdir -p "$results"

runner="$here/bin/rnn-bundle-runner"
# A C++ library that is too old is replaced by the one in the bundle.
if ! "$runner" --device=host --version >/dev/null 2>&1; then
  export LD_LIBRARY_PATH="$here/compat${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
# cublasLt lies beside cuDNN in Python's packages.
if [ -z "${RNNRT_CUBLASLT_PATH:-}" ] && [ "$device" != host ]; then
  found="$(python3 -c 'import glob, site, sys
places = site.getsitepackages() + [site.getusersitepackages()] + sys.path
print(next((f for p in places for f in sorted(glob.glob(p + "/nvidia/*/lib/libcublasLt.so.1[23]"), reverse=True)), ""))' 2>/dev/null)"
  [ -n "$found" ] && export RNNRT_CUBLASLT_PATH="$found"
fi

{
  echo "== machine"
  date -u +%Y-%m-%d
  command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader
  "$runner" --device="$device" --version
} | tee "$results/machine.txt"
status=${PIPESTATUS[0]}
[ "$status" -eq 0 ] || exit "$status"

kind=cuda
[ "$device" = host ] && kind=host
wanted() { [[ ",$only," == *",$1,"* ]]; }
# The program of a section: at most `seconds` long, its output also in a file.
run() {
  local file="$1"
  shift
  timeout "$seconds" "$@" 2>&1 | tee -a "$results/$file"
  local code=${PIPESTATUS[0]}
  [ "$code" -eq 124 ] && echo "run.sh: stopped after $seconds seconds: $*" | tee -a "$results/$file"
  [ "$code" -eq 0 ] || status=1
}
begin() {
  echo "== $2"
  echo "== $2, $(date -u +%Y-%m-%d), device $device" > "$results/$1"
}
# The modules of a kind that have been made (not every type is there for the host) and hold what is filtered for.
modules() {
  for dtype in f16 bf16 f32 f64; do
    local file="$here/modules/$1_${kind}_$dtype.so" text="$here/modules/$1_$dtype.mlir" word
    for word in ${filter//,/ } ${filter:-@}; do
      if [ -f "$file" ] && grep -q "func @[^(]*${word#@}" "$text"; then
        echo "--module=$file"
        break
      fi
    done
  done
}
# compare FILE KIND [REFERENCE]: the modules of a kind against the host plans in f64.
compare() {
  local list
  mapfile -t list < <(modules "$2")
  [ "${#list[@]}" -eq 0 ] ||
    run "$1" ${checker:-} "$runner" --device="$device" --reference="$here/modules/$2_plans_f64.so" "${list[@]}" --filter="$filter"
}

if wanted tests; then
  begin tests.txt "tests: plans"
  compare tests.txt plans
  echo "== tests: fused kernels of block ops"
  compare tests.txt blocks
  echo "== tests: the same with products by cuBLASLt"
  compare tests.txt library
  echo "== tests: fused kernels of cudnn ops"
  compare tests.txt stacks
  echo "== tests: cluster kernels"
  compare tests.txt clusters
fi

if wanted emulator; then
  begin emulator.txt "fused kernels against the emulator"
  for dtype in f16 f32; do
    run emulator.txt "$runner" --device="$device" --module="$here/modules/emulated_${kind}_$dtype.so" \
      --saved="$here/modules/emulated_$dtype.bin"
  done
fi

if wanted questions; then
  begin questions.txt "questions to cuDNN"
  run questions.txt "$here/bin/rnn-bundle-questions" --device="$device"
fi

if wanted kernels; then
  echo "== kernels: what ptxas and the PTX say"
  tee "$results/kernels.md" < "$here/kernels.md"
fi

if wanted fused; then
  begin fused.md "fused kernels, cuDNN, and one step at a time, in turn"
  for dtype in f16 bf16 tf32 f32; do
    [ -f "$here/modules/timed_${kind}_$dtype.so" ] || continue
    rounding=
    [ "$dtype" = tf32 ] && rounding=--tf32
    run fused.md "$here/bin/rnn-bundle-compare" --device="$device" --module="$here/modules/timed_${kind}_$dtype.so" \
      --reference="$here/modules/timed_${kind}_f64.so" --ptx="$here/modules/per_step.ptx" --filter="$filter" $rounding \
      --candidates="$here/modules/timed_${kind}_$dtype.jsonl" --measurements="$results/measured.jsonl"
  done
fi

if wanted times; then
  begin times.md "times of plans, by algorithm"
  for algorithm in "" standard persist_static persist_dynamic persist_static_small_h; do
    [ "$device" = host ] && [ -n "$algorithm" ] && continue
    echo "== algorithm ${algorithm:-as chosen}" | tee -a "$results/times.md"
    shape=()
    [ "$device" = host ] && shape=(--shape=4,2,8,8)
    RNNRT_CUDNN_ALGO="$algorithm" run times.md "$here/bin/rnn-bundle-bench" --device="$device" --seconds=0.1 "${shape[@]}"
  done
fi

if wanted torch; then
  begin torch.md "PyTorch"
  run torch.md python3 "$here/with_torch.py" --library "$here/lib/librnn_runtime.so" --device "$device"
fi

if wanted sanitizer; then
  checker="$(command -v compute-sanitizer || true)"
  for place in "${CUDA_HOME:-}" /usr/local/cuda; do
    [ -z "$checker" ] && [ -x "$place/bin/compute-sanitizer" ] && checker="$place/bin/compute-sanitizer"
  done
  if [ "$device" = host ]; then
    echo "== sanitizer: not run, device host has no kernels for it"
  elif [ -z "$checker" ]; then
    echo "== sanitizer: not run, compute-sanitizer is neither in PATH nor in CUDA_HOME" | tee "$results/sanitizer.txt"
    status=1
  else
    found="$checker"
    begin sanitizer.txt "compute-sanitizer"
    for tool in memcheck racecheck; do
      echo "== $tool" | tee -a "$results/sanitizer.txt"
      checker="$found --tool $tool --error-exitcode 9"
      # Under the tool a kernel is a hundred times slower; with a filter it is the user's choice.
      filter="${filter:-l1_t3_b4_i6_h9,l1_t4_b3_i8_h8,l1_t4_b3_i6_h8,t3_b2_i3_h4_length2,t1_b1_i1_h1,t6_b5_i31_h8,cluster2_t3_b2_i3_h4,forward2_t3_b2_i3_h4}"
      compare sanitizer.txt blocks
      compare sanitizer.txt stacks
      compare sanitizer.txt clusters
      run sanitizer.txt $checker "$runner" --device="$device" --module="$here/modules/emulated_${kind}_f32.so" \
        --saved="$here/modules/emulated_f32.bin"
    done
  fi
fi
echo "== results are in $results"
exit $status
