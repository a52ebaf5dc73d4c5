#!/usr/bin/env bash
# compare-host.sh - the gradient of block LSTMs as compiled loops of the host, beside the host plans, oneDNN's LSTM backward
# (Debian: libdnnl-dev) and the processor's peak, in turn in one process, on 1 and 2 threads; medians as a Markdown table.
#
#   benchmarks/compare-host.sh [BUILD_FOLDER] [T,B,I,H ...]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build="${1:-$source_dir/build}"
shift || true
shapes=("$@")
[ ${#shapes[@]} -gt 0 ] || shapes=(64,1,128,128 64,32,256,256 100,16,512,512 128,32,512,512 64,64,1024,1024 100,1,512,512
                                   64,1,1024,1024 1000,1,64,64)
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 "$source_dir/benchmarks/host_layers.py" "${shapes[@]}" > "$folder/layers.mlir"
for lowering in fused runtime; do
  "$build/bin/rnn-compile" "$folder/layers.mlir" --cpu=native --lowering=$lowering -o "$folder/$lowering.so"
done
"$build/bin/rnn-compare-host" fused="$folder/fused.so" plan="$folder/runtime.so" --threads=1
"$build/bin/rnn-compare-host" fused="$folder/fused.so" --threads=2
