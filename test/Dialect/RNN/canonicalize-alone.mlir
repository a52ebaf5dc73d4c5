// canonicalize-alone.mlir - a module without ops of the dialects that canonicalization creates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @cast_of_a_result
// CHECK: rnn.cudnn_forward rnn_tanh {{.*}} -> output(tensor<5x2x4xf32>) output_h(tensor<1x2x4xf32>) reserve_space(tensor<?xi8>)
// CHECK: tensor.cast %{{.*}} : tensor<1x2x4xf32> to tensor<1x?x4xf32>
func.func @cast_of_a_result(%x: tensor<?x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<1x?x4xf32> {
  %y, %hn, %r = rnn.cudnn_forward rnn_tanh input(%x : tensor<?x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>) -> output(tensor<5x2x4xf32>) output_h(tensor<1x?x4xf32>) reserve_space(tensor<?xi8>)
  return %hn : tensor<1x?x4xf32>
}

// CHECK-LABEL: func @zeros
// CHECK: arith.constant dense<0.000000e+00> : tensor<0x2x4xf16>
func.func @zeros(%x: tensor<0x2x3xf16>, %s: tensor<2x4xf16>, %w: tensor<7x16xf16>, %p: tensor<4xf16>,
                 %b: tensor<16xf16>) -> tensor<0x2x4xf16> {
  %0:7 = rnn.block_lstm icfo x(%x : tensor<0x2x3xf16>) state(%s, %s : tensor<2x4xf16>) weights(%w : tensor<7x16xf16>)
      peephole(%p, %p, %p : tensor<4xf16>) bias(%b : tensor<16xf16>)
  return %0#6 : tensor<0x2x4xf16>
}
