#!/usr/bin/env bash
# update-docs.sh - writes the reference pages of dialects and passes from their TableGen definitions.
#
#   scripts/update-docs.sh                writes to docs/
#   scripts/update-docs.sh --output DIR   writes the same tree under DIR (CMake target rnn-doc)
#   scripts/update-docs.sh --check        writes nothing; fails and shows the difference if docs/ is stale
#
# MLIR_TBLGEN names the program if it is not in PATH.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
output="$source_dir/docs"
check=0
case "${1:-}" in
  "") ;;
  --check) check=1; output="$(mktemp -d)"; trap 'rm -rf "$output"' EXIT ;;
  --output) output="${2:?--output needs a folder}" ;;
  *) echo "usage: update-docs.sh [--check | --output DIR]" >&2; exit 2 ;;
esac

tblgen="${MLIR_TBLGEN:-$(command -v mlir-tblgen mlir-tblgen-22 | head -n 1 || true)}"
if [ -z "$tblgen" ]; then
  echo "error: no mlir-tblgen on the path; set MLIR_TBLGEN (Debian: package mlir-22-tools)" >&2
  exit 2
fi
upstream="$(dirname "$(dirname "$(readlink -f "$tblgen")")")/include"

stale=0
# page DEFINITIONS PAGE OPTION...: both paths without their roots.
page() {
  local definitions="$1" page="$2"
  shift 2
  mkdir -p "$(dirname "$output/$page")"
  "$tblgen" "$@" -I "$source_dir/include" -I "$upstream" "$source_dir/include/rnn/$definitions" > "$output/$page"
  if [ "$check" -eq 1 ] && ! diff -u "$source_dir/docs/$page" "$output/$page"; then
    stale=1
  fi
}
page Dialect/RNN/IR/RNNOps.td Dialects/RNN/RNN.md -gen-dialect-doc -dialect=rnn
page Dialect/RNN/TransformOps/RNNTransformOps.td Dialects/RNN/TransformOps.md -gen-op-doc
page Dialect/RNN/Transforms/Passes.td Dialects/RNN/Passes.md -gen-pass-doc
page Dialect/RNNRT/IR/RNNRTOps.td internals/RNNRT.md -gen-dialect-doc -dialect=rnnrt
page Dialect/RNNGPU/IR/RNNGPUOps.td internals/RNNGPU.md -gen-dialect-doc -dialect=rnngpu
page Conversion/Passes.td Passes/Conversion.md -gen-pass-doc
page Transforms/Passes.td Passes/Transforms.md -gen-pass-doc
page Transforms/Selection/Passes.td Passes/Selection.md -gen-pass-doc

if [ "$stale" -eq 1 ]; then
  echo "error: reference pages in docs/ are stale; run scripts/update-docs.sh and commit the result" >&2
  exit 1
fi
