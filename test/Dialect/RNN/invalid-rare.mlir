// invalid-rare.mlir - branches of the verifiers that no other test reaches (scripts/coverage.sh), valid and invalid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -verify-diagnostics -o /dev/null

func.func @c7_projection(%x: tensor<5x2x3xf32>, %h: tensor<1x2x2xf32>, %c: tensor<1x2x4xf32>, %p: tensor<10xf32>) {
  // expected-error @below {{expects `params` to have at least 120 elements (all matrices and biases of 1 layer(s), 1 direction(s), I = 3, H = 4, P = 2), but got 10 [C7]}}
  %0:4 = rnn.cudnn_forward lstm input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<1x2x2xf32>, tensor<1x2x4xf32>)
      params(%p : tensor<10xf32>) {num_proj = 2}
  return
}

// -----

func.func @auto_select_of_constants() -> index {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n = rnn.cudnn_params_size gru, auto_select sizes(%c1, %c4, %c3) {element_type = f32}
  return %n : index
}

// -----

func.func @skip_input_of_unknown_size(%i: index) -> index {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = rnn.cudnn_params_size gru, skip_input sizes(%c1, %c4, %i) {element_type = f32}
  return %n : index
}

// -----

func.func @params_of_unknown_sizes(%l: index, %h: index, %i: index, %w: tensor<4x3xf32>, %b: tensor<4xf32>) {
  %p = rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %w : tensor<4x3xf32>) biases(%b, %b : tensor<4xf32>)
      -> params(tensor<10xf32>)
  return
}

// -----

func.func @cluster(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  %0:3 = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {lowering = #rnn.lowering<fused, kernel = persistent, cluster = 8>}
  return
}

// -----

// expected-error @below {{`rnn.dropout_draw` must be an i64 or the name of a function on `rnn.cudnn_forward`, but got 1 : i64}}
func.func @dropout_draw() attributes {rnn.dropout_draw = 1 : i64} {
  return
}
