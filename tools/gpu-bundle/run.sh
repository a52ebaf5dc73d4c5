#!/usr/bin/env bash
# run.sh [--only=PART,...] [--device=cuda] [--filter=TEXT,...] [--seconds=N] [--patience=N] [--budget=N] - checks and measures
# this bundle on a GPU.
#
# Requires a driver (the kernels are binaries of CUDA 13, which need 580 or later), cuDNN 9 and cuBLASLt (searched in the packages of `python3`, then as the runtime does: RNNRT_CUDNN_PATH,
# RNNRT_CUBLASLT_PATH, the dynamic loader), and a C library at least as new as Debian 12's. Prints its results and writes them
# to results/ (or $OUT): one file per section, times as Markdown tables. The exit status is 0 if all tests passed and 77 if
# there is no GPU.
#
# Sections, in this order: what decides first, and what may take long last.
#   questions   undocumented behaviour of cuDNN and of the device; how many clusters it holds
#   tests       the fused kernels, first the persistent ones, and cuDNN's plans against the host plans in f64, a line per test
#   fused       times of the fused kernels, interleaved with cuDNN's algorithms and TensorFlow's method with cuBLASLt; also
#               writes measured.jsonl for `rnn-run --autotune=FILE --measurements=measured.jsonl`
#   times       times of cuDNN's plans by every algorithm
#   torch       values and times beside PyTorch's layers in one process, eager and through torch.compile
#   emulator    fused kernels against results of the emulator that are part of the bundle
#   sanitizer   small tests under compute-sanitizer's memcheck and racecheck, if it is available and supports the device
#   kernels     registers, memory and instructions of the kernels, recorded when the bundle was made
# The first command on a new device, which takes some minutes:
#   run.sh --only=questions,tests:clusters:f16,fused:f16:1024_16_768_768,fused:f16:512_16_512_512
# A part of a section has a longer name: tests:clusters, tests:clusters:f16, fused:f16:128_32_256_256.
#
# --budget=N ends after about N seconds and prints the parts that are left as a value of --only=. --seconds=N ends each program
# after N seconds (300). A test that takes more than --patience=N seconds (60) is reported as hanging; the others continue.
# --device=host tests the bundle without a GPU: `fused` measures small layers and `times` one tiny layer.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
sections=(questions tests fused times torch emulator sanitizer kernels)
device=cuda filter= only= seconds=300 patience=60 budget=0
for argument in "$@"; do
  case "$argument" in
    --device=*) device="${argument#*=}" ;;
    --filter=*) filter="${argument#*=}" ;;
    --only=*) only="${argument#*=}" ;;
    --seconds=*) seconds="${argument#*=}" ;;
    --patience=*) patience="${argument#*=}" ;;
    --budget=*) budget="${argument#*=}" ;;
    *)
      echo "run.sh: unknown argument $argument; expected --only=, --device=, --filter=, --seconds=, --patience= or --budget=" >&2
      exit 2
      ;;
  esac
done
for number in "$seconds" "$patience" "$budget"; do
  case "$number" in
    '' | *[!0-9]*) echo "run.sh: expected a whole number of seconds, but got \`$number\`" >&2 && exit 2 ;;
  esac
done
for part in ${only//,/ }; do
  if [[ " ${sections[*]} " != *" ${part%%:*} "* ]]; then
    echo "run.sh: unknown section ${part%%:*}; expected one of ${sections[*]}" >&2
    exit 2
  fi
done
results="${OUT:-$here/results}"
mkdir -p "$results"

runner="$here/bin/rnn-bundle-runner" comparer="$here/bin/rnn-bundle-compare"
# If the system's C++ library is too old, use that of the bundle.
if ! "$runner" --device=host --version >/dev/null 2>&1; then
  export LD_LIBRARY_PATH="$here/compat${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
# The libraries in the packages of `python3`: the runtime does not search them. The libraries also load each other at run time,
# so their folders are on the loader's path.
if [ "$device" != host ]; then
  found="$(python3 -c 'import glob, os, site, sys
places = site.getsitepackages() + [site.getusersitepackages()] + sys.path
for variable, names in (("RNNRT_CUDNN_PATH", "cudnn/lib/libcudnn.so.9"), ("RNNRT_CUBLASLT_PATH", "*/lib/libcublasLt.so.1[23]")):
    files = [f for p in places for f in sorted(glob.glob(p + "/nvidia/" + names), reverse=True)]
    if files and not os.environ.get(variable):
        print(variable, files[0])' 2>/dev/null)"
  while read -r variable file; do
    [ -n "$variable" ] || continue
    export "$variable=$file"
    export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}${file%/*}"
  done <<< "$found"
fi

{
  echo "== machine"
  date -u +%Y-%m-%d
  command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader
  echo "cuDNN: ${RNNRT_CUDNN_PATH:-as the runtime finds it}, cublasLt: ${RNNRT_CUBLASLT_PATH:-as the runtime finds it}"
  "$runner" --device="$device" --version
} | tee "$results/machine.txt"
status=${PIPESTATUS[0]}
[ "$status" -eq 0 ] || exit "$status"

kind=cuda
[ "$device" = host ] && kind=host
# Succeeds if a part is selected: itself, a section that contains it, or a part of it.
selected() {
  local word
  [ -z "$only" ] && return 0
  for word in ${only//,/ }; do
    case "$1:" in "$word:"*) return 0 ;; esac
    case "$word:" in "$1:"*) return 0 ;; esac
  done
  return 1
}
begin() {
  echo "== $2"
  echo "== $2, $(date -u +%Y-%m-%d), device $device" >> "$results/$1"
}
left=()
# run PART FILE COMMAND...: a program, its output also in a file. Returns its exit status, or 75 if it was not started or ended by this script.
run() {
  local part="$1" file="$2" most="$seconds" code
  shift 2
  if [ "$budget" -gt 0 ]; then
    most=$((budget - SECONDS < seconds ? budget - SECONDS : seconds))
    if [ "$most" -lt 10 ]; then
      left+=("$part")
      return 75
    fi
  fi
  timeout -k 10 "$most" "$@" 2>&1 | tee -a "$results/$file"
  code=${PIPESTATUS[0]}
  if [ "$code" -eq 124 ] || [ "$code" -eq 137 ]; then
    echo "run.sh: $part stopped after $most seconds" | tee -a "$results/$file"
    left+=("$part")
    code=75
  fi
  [ "$code" -eq 0 ] || status=1
  return "$code"
}
# check PART FILE COMMAND...: runs tests. If one hangs, those behind it run in a new process; after the third, the part ends.
check() {
  local part="$1" file="$2" code after hangs=0
  shift 2
  run "$part" "$file" "$@" --patience="$patience"
  code=$?
  while [ "$code" -eq 3 ] && [ $((hangs += 1)) -le 2 ]; do
    after="$(sed -n 's/^HANG [^ ]* //p' "$results/$file" | tail -n 1)"
    run "$part" "$file" "$@" --patience="$patience" --after="$after"
    code=$?
  done
}
# compare PART FILE: the modules of a kind, the last word of PART, against the host plans in f64. The host has modules of some
# types only.
compare() {
  local dtype word kernels="${1##*:}" limit
  for dtype in f16 bf16 tf32 f32 f64; do
    # tf32 has the 11 significant bits of f16; the module's element type is f32.
    limit=()
    [ "$dtype" = tf32 ] && limit=(--limit=1e-2)
    local module="$here/modules/${kernels}_${kind}_$dtype.so" text="$here/modules/${kernels}_$dtype.mlir"
    selected "$1:$dtype" && [ -f "$module" ] || continue
    for word in ${filter//,/ } ${filter:-@}; do
      if grep -q "func @[^(]*${word#@}" "$text"; then
        check "$1:$dtype" "$2" ${checker:-} "$runner" --device="$device" --reference="$here/modules/${kernels}_plans_f64.so" \
          --module="$module" --filter="$filter" "${limit[@]}"
        break
      fi
    done
  done
}

if selected questions; then
  begin questions.txt "questions to cuDNN and the device"
  run questions questions.txt "$here/bin/rnn-bundle-questions" --device="$device" \
    --experiments="$here/modules/experiments.ptx" --patience="$patience"
  # A hanging kernel ends the process. Ask the other questions.
  [ $? -ne 3 ] || run questions questions.txt "$here/bin/rnn-bundle-questions" --device="$device" --patience="$patience"
  run questions questions.txt "$here/bin/rnn-bundle-loads" --device="$device" --module="$here/modules/loads_$kind.so" \
    --patience="$patience"
fi

if selected tests; then
  # Persistent kernels; fused kernels of block ops and of cudnn ops; cuDNN plans; block ops with GEMMs by cuBLASLt (library).
  for some in clusters blocks stacks plans library; do
    selected "tests:$some" && begin tests.txt "tests: $some" && compare "tests:$some" tests.txt
  done
fi

# One process per size, so that a failure does not affect other sizes. time_fused SET DTYPE SIZE
time_fused() {
  local dtype="$2" size="$3" part="fused:$2:$3"
  local module="$here/modules/$1_${kind}_$dtype" rounding=
  [ "$dtype" = tf32 ] && rounding=--tf32
  run "$part" fused.md "$comparer" --device="$device" --module="$module.so" --filter="backward_$size" \
    --reference="$here/modules/$1_${kind}_f64.so" --ptx="$here/modules/per_step.ptx" $rounding --patience="$patience" \
    --candidates="$module.jsonl" --measurements="$results/measured.jsonl"
}
if selected fused; then
  begin fused.md "fused kernels, cuDNN, and TensorFlow's method, interleaved"
  # One layer; then stacks of layers, layers with resets and batch-major layers.
  for set in timed variants; do
    for dtype in f16 tf32 bf16 f32; do
      module="$here/modules/${set}_${kind}_$dtype.so"
      selected "fused:$dtype" && [ -f "$module" ] || continue
      for size in $("$comparer" --module="$module" --list --filter="$filter"); do
        selected "fused:$dtype:$size" || continue
        time_fused "$set" "$dtype" "$size"
        if [ $? -eq 3 ]; then
          # Only kernels with clusters wait for other blocks. Measure the other candidates without them.
          echo "== repeated without clusters" | tee -a "$results/fused.md"
          RNNRT_CLUSTERS=0 time_fused "$set" "$dtype" "$size"
        fi
      done
    done
  done
fi

if selected times; then
  begin times.md "times of plans, by algorithm"
  for algorithm in "" standard persist_static persist_dynamic persist_static_small_h; do
    [ "$device" = host ] && [ -n "$algorithm" ] && continue
    selected "times:${algorithm:-chosen}" || continue
    echo "== algorithm ${algorithm:-selected by the runtime}" | tee -a "$results/times.md"
    shape=()
    [ "$device" = host ] && shape=(--shape=4,2,8,8,2)
    for packed in 0 1; do
      [ "$device" = host ] && [ "$packed" = 1 ] && continue
      [ "$packed" = 1 ] && echo "== packed sequences, without padded input and output" | tee -a "$results/times.md"
      RNNRT_CUDNN_ALGO="$algorithm" RNNRT_CUDNN_PACKED="$packed" run "times:${algorithm:-chosen}" times.md \
        "$here/bin/rnn-bundle-bench" --device="$device" --seconds=0.1 "${shape[@]}"
    done
  done
fi

if selected torch && { [ -n "$only" ] || [ "$device" != host ]; }; then
  begin torch.md "PyTorch"
  run torch torch.md python3 -u "$here/with_torch.py" --library "$here/lib/librnn_runtime.so" --device "$device"
fi

if selected emulator; then
  begin tests.txt "fused kernels against the emulator"
  for dtype in f16 f32; do
    selected "emulator:$dtype" &&
      check "emulator:$dtype" tests.txt "$runner" --device="$device" \
        --module="$here/modules/emulated_${kind}_$dtype.so" --saved="$here/modules/emulated_$dtype.bin"
  done
fi

# A subshell: the variables are set for this section alone.
sanitize() {
  local checker place tool some found
  # Under the tool, kernels run a hundred times slower. A filter of the user replaces this selection.
  local filter="${filter:-l1_t3_b4_i6_h9,l1_t4_b3_i8_h8,l1_t4_b3_i6_h8,t3_b2_i3_h4_length2,t1_b1_i1_h1,t6_b5_i31_h8,cluster2_t3_b2_i3_h4,forward2_t3_b2_i3_h4}"
  local patience=$((patience * 5))
  found="$(command -v compute-sanitizer || true)"
  for place in "${CUDA_HOME:-}" /usr/local/cuda; do
    [ -z "$found" ] && [ -x "$place/bin/compute-sanitizer" ] && found="$place/bin/compute-sanitizer"
  done
  if [ "$device" = host ]; then
    echo "== sanitizer: not run, device host has no kernels for it"
    return
  fi
  begin sanitizer.txt "compute-sanitizer"
  if [ -z "$found" ]; then
    echo "== sanitizer: not run, compute-sanitizer is neither in PATH nor in CUDA_HOME" | tee -a "$results/sanitizer.txt"
  elif ! timeout 60 "$found" --tool memcheck --error-exitcode 9 "$runner" --device="$device" --version > "$results/.probe" 2>&1; then
    # Some machines do not permit such tools on their device.
    { echo "== sanitizer: not run, $found does not work here:"; tail -n 5 "$results/.probe"; } | tee -a "$results/sanitizer.txt"
  else
    for tool in memcheck racecheck; do
      selected "sanitizer:$tool" || continue
      echo "== $tool" | tee -a "$results/sanitizer.txt"
      checker="$found --tool $tool --error-exitcode 9"
      for some in clusters blocks stacks; do
        selected "sanitizer:$tool:$some" && compare "sanitizer:$tool:$some" sanitizer.txt
      done
      selected "sanitizer:$tool:emulator" && check "sanitizer:$tool:emulator" sanitizer.txt $checker "$runner" --device="$device" \
        --module="$here/modules/emulated_${kind}_f32.so" --saved="$here/modules/emulated_f32.bin"
    done
  fi
  rm -f "$results/.probe"
}
selected sanitizer && sanitize

if selected kernels; then
  echo "== kernels: resources and instruction counts"
  cat "$here/kernels.md"
fi

# A summary of the failures.
for text in "^HANG" "not available: WRONG" "^FAIL"; do
  for file in tests.txt sanitizer.txt fused.md; do
    [ -f "$results/$file" ] && grep -H -- "$text" "$results/$file" | sed "s|^$results/||"
  done
done | head -n 40
if [ "${#left[@]}" -gt 0 ]; then
  echo "== left: --only=$(IFS=,; echo "${left[*]}")" | tee -a "$results/machine.txt"
fi
echo "== results are in $results"
exit $status
