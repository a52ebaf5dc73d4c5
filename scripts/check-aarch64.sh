#!/usr/bin/env bash
# check-aarch64.sh - runs the host's compiled loops of the tests on AArch64 under QEMU: f64, f32 and f16 with NEON, bf16 with
# BFDOT, all compared with the plans in f64. Cross-compiles the runtime first. Takes some minutes. Times
# under emulation do not predict those of a processor.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
source "$(dirname "${BASH_SOURCE[0]}")/processor-cases.sh"
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
  "$RNN_SOURCE_DIR/tools/gpu-bundle/runner.cpp" -o runner -Lruntime -lrnn_runtime -ldl -pthread

# compile MODULE NAME ARGUMENT...: compiles MODULE to NAME.so.
compile() {
  "$RNN_BUILD_DIR/bin/rnn-compile" "$1" --triple=aarch64-linux-gnu -o "$2.o" "${@:3}"
  aarch64-linux-gnu-gcc -shared -o "$2.so" "$2.o" -Lruntime -lrnn_runtime -lm
}

write_cases
for set in blocks cudnn few step; do
  compile "$set.f64.mlir" "$set.plans" --lowering=runtime
done
failed=0
for cases in "${PROCESSOR_CASES[@]}"; do
  echo "== $cases"
  cpu=()
  [ "${cases#*.}" = bf16 ] && cpu=(--cpu=neoverse-v1)
  compile "$cases.mlir" "$cases" --lowering=fused "${cpu[@]}"
  [ "${cases#*.}" != bf16 ] || has_instruction aarch64-linux-gnu-objdump "$cases.so" bfdot || failed=1
  qemu-aarch64 -cpu max -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$folder/runtime" ./runner --device=host \
    --reference="$folder/${cases%.*}.plans.so" --module="$folder/$cases.so" $(limit_of "$cases") > "$cases.txt" || failed=1
  grep -v "^PASS" "$cases.txt" || true
done
exit "$failed"
