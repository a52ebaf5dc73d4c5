# processor-cases.sh - test cases for the host's compiled loops on other processors, mostly under emulation. Sourced by
# check-aarch64.sh and check-avx512.sh after setup.sh; writes to the current folder.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# SET.TYPE: a set of cases and an element type.
PROCESSOR_CASES=()
for type in f64 f32 f16 bf16; do
  PROCESSOR_CASES+=("blocks.$type" "cudnn.$type" "step.$type") # the last: one or few steps, whose weights are not packed
done
# Few rows and a long reduction, where bf16 has loops of its own.
PROCESSOR_CASES+=(few.bf16)

# Writes SET.TYPE.mlir for each case, and SET.f64.mlir, whose plans are the reference.
write_cases() {
  local type
  for type in f64 f32 f16 bf16; do
    python3 "$RNN_SOURCE_DIR/tools/gpu-bundle/cases.py" --blocks --dtype "$type" -o "blocks.$type.mlir"
    python3 "$RNN_SOURCE_DIR/tools/gpu-bundle/cases.py" --plans-only --match l2_bidirectional --dtype "$type" -o "cudnn.$type.mlir"
    python3 "$RNN_SOURCE_DIR/test/Integration/Inputs/step_layers.py" --dtype="$type" -o "step.$type.mlir"
  done
  for type in f64 bf16; do
    python3 "$RNN_SOURCE_DIR/test/Integration/Inputs/bf16_layers.py" --dtype="$type" -o "few.$type.mlir"
  done
}

# limit_of SET.TYPE: prints the runner's option. Dot products of bf16 have the limit of test/Integration/bf16-gemm-host.test.
limit_of() {
  case "$1" in *.bf16) echo --limit=1.2e-2 ;; esac
}

# has_instruction OBJDUMP FILE INSTRUCTION: fails if the code does not use it, since results are right without it too.
has_instruction() {
  [ "$("$1" -d "$2" | grep -c "$3")" -gt 0 ] || { echo "error: $2 has no $3" >&2; return 1; }
}
