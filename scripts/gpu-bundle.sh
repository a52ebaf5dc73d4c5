#!/usr/bin/env bash
# gpu-bundle.sh - makes build/gpu-bundle: everything that a GPU machine without a compiler needs to check and measure what was
# compiled here. Copy the folder there and start its run.sh.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
rnn_install_packages
rnn_configure
ninja -C "$RNN_BUILD_DIR" rnn-compile rnn_runtime rnn-bundle-runner rnn-bundle-bench rnn-bundle-questions

bundle="$RNN_BUILD_DIR/gpu-bundle"
sources="$(cd "$(dirname "${BASH_SOURCE[0]}")/../test/Bundle" && pwd)"
rm -rf "$bundle"
mkdir -p "$bundle"/{bin,lib,compat,modules}
cp -L "$RNN_BUILD_DIR"/lib/librnn_runtime.so* "$bundle/lib/"
cp "$RNN_BUILD_DIR"/bin/rnn-bundle-{runner,bench,questions} "$bundle/bin/"
cp "$sources"/{run.sh,with_torch.py} "$bundle/"
# For machines whose C++ library is older than the compiler's.
for library in libstdc++.so.6 libgcc_s.so.1; do
  cp -L "$(ldconfig -p | awk -v name="$library" '$1 == name && /x86-64|aarch64/ { print $NF; exit }')" "$bundle/compat/"
done
# Every test in every element type for the device, and in f64 for the host as reference. The host's other types let run.sh
# be tried without a GPU (run.sh --device=host).
for dtype in f16 bf16 f32 f64; do
  python3 "$sources/cases.py" --dtype "$dtype" -o "$bundle/modules/$dtype.mlir"
  for target in cuda host; do
    "$RNN_BUILD_DIR/bin/rnn-compile" "$bundle/modules/$dtype.mlir" --target="$target" -O2 \
      -o "$bundle/modules/${target}_$dtype.so"
  done
done
# The fused kernels: their tests for every GPU, and what is measured for one chip, with what ptxas and the PTX say of it.
fused() { "$RNN_BUILD_DIR/bin/rnn-compile" "$@" --lowering=fused -O2; }
python3 "$sources/cases.py" --blocks --dtype f64 -o "$bundle/modules/blocks_f64.mlir"
"$RNN_BUILD_DIR/bin/rnn-compile" "$bundle/modules/blocks_f64.mlir" --lowering=runtime -O2 -o "$bundle/modules/blocks_plans_f64.so"
for dtype in f16 bf16 f32 f64; do
  python3 "$sources/cases.py" --blocks --dtype "$dtype" -o "$bundle/modules/blocks_$dtype.mlir"
  for target in cuda host; do
    fused "$bundle/modules/blocks_$dtype.mlir" --target="$target" -o "$bundle/modules/blocks_${target}_$dtype.so"
  done
done
ptxas="$(command -v ptxas || echo "${CUDA_HOME:-/usr/local/cuda}/bin/ptxas")"
for dtype in f16 bf16 f32; do
  python3 "$sources/cases.py" --timed --dtype "$dtype" -o "$bundle/modules/timed_$dtype.mlir"
  fused "$bundle/modules/timed_$dtype.mlir" --target=cuda --chip="${RNN_BUNDLE_CHIP:-sm_90a}" -o "$bundle/modules/timed_cuda_$dtype.so"
  if [ -x "$ptxas" ]; then
    echo "$dtype:"
    fused "$bundle/modules/timed_$dtype.mlir" --target=cuda -o - |
      python3 "$sources/../Conversion/RNNToGPU/Inputs/assemble.py" "$ptxas" sm_80
  fi
done > "$bundle/kernels.txt"
du -sh "$bundle" | awk '{ print "build/gpu-bundle is ready, " $1 }'
