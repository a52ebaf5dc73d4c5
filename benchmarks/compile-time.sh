#!/usr/bin/env bash
# compile-time.sh - measures the time from MLIR to a callable function, for small and large T and L: it must not depend on them.
# Prints medians of five compilations as a Markdown table.
#
#   benchmarks/compile-time.sh [BUILD_DIR [LOWERING]]    LOWERING: runtime (default), fused or auto
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
build="${1:-$(dirname "${BASH_SOURCE[0]}")/../build}"

module() { # T L
  local x="tensor<$1x4x8xf32>" s="tensor<$2x4x16xf32>" y="tensor<$1x4x16xf32>"
  cat <<MLIR
func.func @main(%x: $x, %h: $s, %c: $s, %p: tensor<?xf32>, %dy: $y) -> ($x, tensor<?xf32>) {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm input(%x : $x) state(%h, %c : $s, $s) params(%p : tensor<?xf32>)
  %dx, %dh, %dc, %dp = rnn.cudnn_backprop lstm input(%x : $x) state(%h, %c : $s, $s) params(%p : tensor<?xf32>)
      output(%y, %hn, %cn : $y, $s, $s) grads(%dy, %h, %c : $y, $s, $s) reserve(%r : tensor<?xi8>)
  return %dx, %dp : $x, tensor<?xf32>
}
MLIR
}

echo "| T | L | compile ms |"
echo "|---|---|---|"
for shape in "10 1" "10000 1" "10 8" "10000 8"; do
  read -r steps layers <<<"$shape"
  # I=8 and H=16: four gates of (I + H weights, two biases) per unit in the first layer, 2H instead of I + H above.
  params=$((4 * 16 * (8 + 16 + 2) + (layers - 1) * 4 * 16 * (16 + 16 + 2)))
  inputs=(--input="${steps}x4x8xf32=0" --input="${layers}x4x16xf32=0" --input="${layers}x4x16xf32=0"
          --input="${params}xf32=0" --input="${steps}x4x16xf32=0")
  ms=$(for _ in 1 2 3 4 5; do
    module "$steps" "$layers" | "$build/bin/rnn-run" - "${inputs[@]}" --output=@/dev/null --output=@/dev/null \
      --lowering="${2:-runtime}" --print-statistics | sed -n 's/^compile time: \([0-9.]*\) ms.*/\1/p'
  done | sort -n | sed -n 3p)
  echo "| $steps | $layers | $ms |"
done
