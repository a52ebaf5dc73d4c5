#!/bin/sh
# torch_to_linalg.sh - converts the ops of PyTorch or ONNX in a module to linalg ops by torch-mlir's passes.
#
#   torch_to_linalg.sh INPUT OUTPUT
#
# The recurrent layers become rnn ops before. $TORCH_MLIR_OPT is a program with torch-mlir's passes: iree-opt of
# iree-base-compiler (tested with 3.13.0) if it is not set, or torch-mlir-opt. torch-mlir's pipeline
# torch-backend-to-linalg-on-tensors-backend-pipeline ends with a check that refuses rnn ops; this one has no such check.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu
if grep -q torch.onnx_meta "$1"; then
  layers=--convert-onnx-to-rnn
  first=convert-torch-onnx-to-torch,torch-decompose-complex-ops,torch-scalarize-shapes,torch-decompose-complex-ops
else
  layers=--convert-torch-to-rnn
  first=torch-decompose-complex-ops
fi
passes="func.func($first,torch-restructure-non-constant-axes,torch-fuse-quantized-ops,\
convert-torch-to-tmtensor{allow-non-finites=true},canonicalize,convert-torch-to-linalg{allow-non-finites=true},\
canonicalize,convert-torch-to-scf,convert-torch-to-arith,convert-torch-to-tensor),convert-torch-conversion-to-mlprogram,\
func.func(memref-expand,canonicalize,resolve-shaped-type-result-dims,cse),torch-func-backend-type-conversion,\
func.func(canonicalize,torch-finalizing-backend-type-conversion)"
temporary=$(mktemp)
trap 'rm -f "$temporary"' EXIT
rnn-opt "$1" $layers --mlir-print-op-generic -o "$temporary"
"${TORCH_MLIR_OPT:-iree-opt}" "$temporary" --allow-unregistered-dialect --pass-pipeline="builtin.module($passes)" -o "$2"
