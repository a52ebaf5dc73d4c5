// batch-major-errors.mlir - GPU kernels are time-major.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -convert-rnn-to-gpu -verify-diagnostics

func.func @batch_major(%x: memref<2x5x3xf16>, %s: memref<2x16xf16>, %w: memref<19x64xf16>, %p: memref<16xf16>,
                       %b: memref<64xf16>, %h: memref<2x5x16xf16>) {
  // expected-error @below {{'rnn.block_lstm' op has `batch_major`, which convert-rnn-to-gpu does not support; run rnn-select-lowering on tensors, which transposes the sequences}}
  rnn.block_lstm icfo x(%x : memref<2x5x3xf16>) state(%s, %s : memref<2x16xf16>) weights(%w : memref<19x64xf16>)
      peephole(%p, %p, %p : memref<16xf16>) bias(%b : memref<64xf16>) outs(h = %h : memref<2x5x16xf16>)
      {batch_major, lowering = #rnn.lowering<fused>}
  return
}
