// bufferize-memref.mlir - ops on memrefs do not change, also beside ops on tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -one-shot-bufferize="bufferize-function-boundaries" | FileCheck %s

// CHECK-LABEL: func @memref_form
// CHECK: rnn.cudnn_backprop rnn_relu {{.*}} outs(params_backprop = %{{.*}} : memref<?xbf16>)
// CHECK-NEXT: rnn.cudnn_forward rnn_relu {{.*}} params(%{{.*}} : memref<?xbf16>){{$}}
// CHECK-NEXT: return
func.func @memref_form(%x: memref<5x2x3xbf16>, %h: memref<1x2x4xbf16>, %p: memref<?xbf16>, %y: memref<5x2x4xbf16>,
                       %r: memref<?xi8>, %dp: memref<?xbf16>) {
  rnn.cudnn_backprop rnn_relu input(%x : memref<5x2x3xbf16>) state(%h : memref<1x2x4xbf16>) params(%p : memref<?xbf16>)
      output(%y, %h : memref<5x2x4xbf16>, memref<1x2x4xbf16>) grads(%y, %h : memref<5x2x4xbf16>, memref<1x2x4xbf16>)
      reserve(%r : memref<?xi8>) outs(params_backprop = %dp : memref<?xbf16>)
  rnn.cudnn_forward rnn_relu input(%x : memref<5x2x3xbf16>) state(%h : memref<1x2x4xbf16>) params(%p : memref<?xbf16>)
  return
}

// CHECK-LABEL: func @both_forms
// CHECK: rnn.block_lstm icfo {{.*}} outs(h = %{{.*}} : memref<5x2x4xf32>)
// CHECK: rnn.block_lstm icfo {{.*}} outs(cs = %{{.*}} : memref<5x2x4xf32>)
func.func @both_forms(%xm: memref<5x2x3xf32>, %sm: memref<2x4xf32>, %wm: memref<7x16xf32>, %pm: memref<4xf32>,
                      %bm: memref<16xf32>, %hm: memref<5x2x4xf32>, %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>,
                      %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) -> tensor<5x2x4xf32> {
  rnn.block_lstm icfo x(%xm : memref<5x2x3xf32>) state(%sm, %sm : memref<2x4xf32>) weights(%wm : memref<7x16xf32>)
      peephole(%pm, %pm, %pm : memref<4xf32>) bias(%bm : memref<16xf32>) outs(h = %hm : memref<5x2x4xf32>)
  %0:7 = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return %0#1 : tensor<5x2x4xf32>
}
