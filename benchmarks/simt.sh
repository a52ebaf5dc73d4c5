#!/usr/bin/env bash
# simt.sh - measures the speed of the emulator of target simt on a kernel: the backward pass of an LSTM layer as one persistent kernel, T=8 B=16 I=H=64
# on 4 blocks of 128 threads (test/Simt/lstm.mlir), without and with the access checker.
#
#   benchmarks/simt.sh [BUILD_FOLDER]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
run="${1:-$source_dir/build}/bin/rnn-run"
kernel=("$run" "$source_dir/test/Simt/lstm.mlir" --target=simt --function=backward --input=8x16x256xf32=0.5
        --input=9x16x64xf32=0.5 --input=9x16x64xf32=0.5 --input=8x16x64xf32=0.5 --input=8x16x64xf32=0.5
        --input=256x64xf32=0.01 --input=256x64xf32=0.01)
echo "without the checker:"
"${kernel[@]}" --benchmark=100
echo "with the checker:"
"${kernel[@]}" --simt-check --benchmark=5
