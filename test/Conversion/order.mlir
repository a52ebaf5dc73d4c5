// order.mlir - conversions that run too early report the ops that they do not handle.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -verify-diagnostics -convert-rnn-to-runtime
// RUN: sed 's/convert-rnn-to-runtime/convert-rnn-to-host/' %s > %t.host.mlir && rnn-opt %t.host.mlir -split-input-file -verify-diagnostics -convert-rnn-to-host
// RUN: sed 's/convert-rnn-to-runtime/convert-rnn-to-gpu/' %s > %t.gpu.mlir && rnn-opt %t.gpu.mlir -split-input-file -verify-diagnostics -convert-rnn-to-gpu

func.func @tensors(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<108xf32>) -> tensor<5x2x4xf32> {
  // expected-error @below {{'rnn.cudnn_forward' op has tensor operands or results, but convert-rnn-to-runtime expects buffers; run one-shot-bufferize before}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<108xf32>) {lowering = #rnn.lowering<runtime>}
  return %y : tensor<5x2x4xf32>
}

// -----

func.func @no_lowering(%x: memref<5x2x3xf16>, %s: memref<2x4xf16>, %w: memref<7x16xf16>, %p: memref<4xf16>,
                       %b: memref<16xf16>, %h: memref<5x2x4xf16>) {
  // expected-error @below {{'rnn.block_lstm' op has no `lowering`, which convert-rnn-to-runtime expects; run rnn-select-lowering before}}
  rnn.block_lstm icfo x(%x : memref<5x2x3xf16>) state(%s, %s : memref<2x4xf16>) weights(%w : memref<7x16xf16>)
      peephole(%p, %p, %p : memref<4xf16>) bias(%b : memref<16xf16>) outs(h = %h : memref<5x2x4xf16>)
  return
}

// -----

func.func @size(%n: index) -> index {
  %c4 = arith.constant 4 : index
  // expected-error @below {{'rnn.cudnn_params_size' op has the input mode auto_select, but convert-rnn-to-runtime expects linear_input or skip_input; run canonicalize before}}
  %0 = rnn.cudnn_params_size gru, auto_select sizes(%n, %c4, %c4) {element_type = f32, lowering = #rnn.lowering<runtime>}
  return %0 : index
}
