#!/usr/bin/env bash
# check-aarch64.sh - the host's compiled loops on an AArch64 processor that QEMU plays: f32 and f16 by NEON, bf16 by BFDOT, all
# against the plans in f64. Compiles the runtime for it, and runs what the tests of the host run here. Some minutes; the
# times of the loops mean nothing.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
rnn_install_packages qemu-user g++-aarch64-linux-gnu
rnn_configure
ninja -C "$RNN_BUILD_DIR" rnn-compile

folder="$RNN_BUILD_DIR/aarch64"
mkdir -p "$folder"
cmake -G Ninja -S "$RNN_SOURCE_DIR/runtime" -B "$folder/runtime" -DCMAKE_BUILD_TYPE=Release -DRNN_BUILD_TESTS=OFF \
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc \
  -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ > /dev/null
ninja -C "$folder/runtime" rnn_runtime
cd "$folder"
# Clang: GCC 12 has no _Float16 in C++ for this processor.
clang++-22 --target=aarch64-linux-gnu -fuse-ld=lld-22 -std=c++17 -O2 -I"$RNN_SOURCE_DIR/runtime/include" \
  "$RNN_SOURCE_DIR/test/Bundle/runner.cpp" -o runner -Lruntime -lrnn_runtime -ldl -pthread

# compile NAME MODULE ARGUMENT... makes NAME.so.
compile() {
  local name="$1"
  "$RNN_BUILD_DIR/bin/rnn-compile" "$2" --triple=aarch64-linux-gnu -o "$name.o" "${@:3}"
  aarch64-linux-gnu-gcc -shared -o "$name.so" "$name.o" -Lruntime -lrnn_runtime -lm
}
failed=0
# check PLANS MODULE ARGUMENT...: prints how many cases passed, and what did not.
check() {
  echo "== $2"
  qemu-aarch64 -cpu max -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$folder/runtime" ./runner --device=host \
    --reference="$folder/$1.so" --module="$folder/$2.so" "${@:3}" > "$2.txt" || failed=1
  grep -v "^PASS" "$2.txt" || true
}

cases() { python3 "$RNN_SOURCE_DIR/test/Bundle/cases.py" "$@"; }
layers() { python3 "$RNN_SOURCE_DIR/test/Integration/Inputs/bf16_layers.py" "$@"; }
for type in f64 f32 f16 bf16; do
  cases --blocks --dtype "$type" -o "blocks.$type.mlir"
  cases --plans-only --match l2_bidirectional --dtype "$type" -o "cudnn.$type.mlir"
done
layers --dtype=f64 -o few.f64.mlir
layers --dtype=bf16 -o few.bf16.mlir
for set in blocks cudnn few; do
  compile "$set.plans" "$set.f64.mlir" --lowering=runtime
done
for set in blocks cudnn; do
  for type in f32 f16; do
    compile "$set.$type" "$set.$type.mlir" --lowering=fused
    check "$set.plans" "$set.$type"
  done
done
# The limits of test/Integration/bf16-products-host.test.
for set in blocks cudnn few; do
  compile "$set.dots" "$set.bf16.mlir" --lowering=fused --cpu=neoverse-v1
  if [ "$(aarch64-linux-gnu-objdump -d "$set.dots.so" | grep -c bfdot)" = 0 ]; then
    echo "check-aarch64.sh: $set.dots has no dot products" >&2
    failed=1
  fi
  check "$set.plans" "$set.dots" --limit=1.2e-2
done
exit "$failed"
