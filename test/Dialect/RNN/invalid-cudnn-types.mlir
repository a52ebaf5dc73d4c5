// invalid-cudnn-types.mlir - invalid element types and ranks of the cudnn layer ops (C1, C2).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

func.func @cudnn_forward_c1_input_h(%x: tensor<5x2x3xf32>, %input_h: tensor<4x2x4xf64>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `input_h` to have element type 'f32' like `input`, but got 'f64' [C1]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x2x4xf64>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c1_input_c(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %input_c: tensor<4x2x4xf64>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `input_c` to have element type 'f32' like `input`, but got 'f64' [C1]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%h, %input_c : tensor<4x2x4xf32>, tensor<4x2x4xf64>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c1_params(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %params: tensor<?xf64>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `params` to have element type 'f32' like `input`, but got 'f64' [C1]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%params : tensor<?xf64>)
  return
}

// -----

func.func @cudnn_forward_c2_input(%input: tensor<5x6xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `input` to have rank 3, but got rank 2 ('tensor<5x6xf32>') [C2]}}
  rnn.cudnn_forward lstm, bidirectional input(%input : tensor<5x6xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c2_input_h(%x: tensor<5x2x3xf32>, %input_h: tensor<2x2x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `input_h` to have rank 3, but got rank 4 ('tensor<2x2x2x4xf32>') [C2]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<2x2x2x4xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c2_input_c(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %input_c: tensor<8x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `input_c` to have rank 3, but got rank 2 ('tensor<8x4xf32>') [C2]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%h, %input_c : tensor<4x2x4xf32>, tensor<8x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c2_params(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %params: tensor<1x?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `params` to have rank 1, but got rank 2 ('tensor<1x?xf32>') [C2]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%params : tensor<1x?xf32>)
  return
}

// -----

func.func @cudnn_forward_c2_sequence_lengths(%len: tensor<2x1xi32>, %x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>,
    %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `sequence_lengths` to have rank 1, but got rank 2 ('tensor<2x1xi32>') [C2]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) lengths(%len : tensor<2x1xi32>)
  return
}

// -----

func.func @cudnn_forward_c1_result(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects result `output_c` to have element type 'f32' like `input`, but got 'f16' [C1]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
      -> output(tensor<5x2x8xf32>) output_h(tensor<4x2x4xf32>) output_c(tensor<4x2x4xf16>) reserve_space(tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_c1_out(%x: memref<5x2x3xf32>, %h: memref<4x2x4xf32>, %c: memref<4x2x4xf32>, %p: memref<?xf32>,
    %output_out: memref<5x2x8xbf16>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `outs` of `output` to have element type 'f32' like `input`, but got 'bf16' [C1]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : memref<5x2x3xf32>) state(%h, %c : memref<4x2x4xf32>)
      params(%p : memref<?xf32>) outs(output = %output_out : memref<5x2x8xbf16>)
  return
}

// -----

func.func @cudnn_forward_c2_result(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects result `output` to have rank 3, but got rank 2 ('tensor<5x16xf32>') [C2]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
      -> output(tensor<5x16xf32>) output_h(tensor<4x2x4xf32>) output_c(tensor<4x2x4xf32>) reserve_space(tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_c2_reserve_out(%x: memref<5x2x3xf32>, %h: memref<4x2x4xf32>, %c: memref<4x2x4xf32>,
    %p: memref<?xf32>, %output_out: memref<5x2x8xf32>, %reserve_space_out: memref<8x8xi8>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `outs` of `reserve_space` to have rank 1, but got rank 2 ('memref<8x8xi8>') [C2]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : memref<5x2x3xf32>) state(%h, %c : memref<4x2x4xf32>)
      params(%p : memref<?xf32>)
      outs(output = %output_out, reserve_space = %reserve_space_out : memref<5x2x8xf32>, memref<8x8xi8>)
  return
}

// -----

// Sizes whose product in bytes does not fit in 63 bits.
func.func @cudnn_forward_c2_bytes(%input: tensor<2305843009213693952x2x3xf32>, %h: tensor<4x2x4xf32>,
    %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `input` to have less than 2^63 bytes, but got 'tensor<2305843009213693952x2x3xf32>' [C2]}}
  rnn.cudnn_forward lstm, bidirectional input(%input : tensor<2305843009213693952x2x3xf32>)
      state(%h, %c : tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

// `output_h` would have more bytes than 63 bits can count.
func.func @cudnn_forward_c2_result_bytes(%input: tensor<1x1x1xf32>, %input_h: tensor<2x1x?xf32>,
    %input_c: tensor<2x1x?xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects result `output_h` to have less than 2^63 bytes, but got 'tensor<2x1x4611686018427387904xf32>' [C2]}}
  rnn.cudnn_forward lstm, bidirectional input(%input : tensor<1x1x1xf32>) state(%input_h, %input_c : tensor<2x1x?xf32>)
      params(%p : tensor<?xf32>) {num_proj = 4611686018427387904}
  return
}

// -----

func.func @cudnn_backprop_c1_input_h(%x: tensor<5x2x3xf32>, %input_h: tensor<4x2x4xf64>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %h: tensor<4x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `input_h` to have element type 'f32' like `input`, but got 'f64' [C1]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x2x4xf64>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c1_input_c(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %input_c: tensor<4x2x4xf64>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %c: tensor<4x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `input_c` to have element type 'f32' like `input`, but got 'f64' [C1]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%h, %input_c : tensor<4x2x4xf32>, tensor<4x2x4xf64>) params(%p : tensor<?xf32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c1_params(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %params: tensor<?xf64>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `params` to have element type 'f32' like `input`, but got 'f64' [C1]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%params : tensor<?xf64>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c2_input(%input: tensor<5x6xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `input` to have rank 3, but got rank 2 ('tensor<5x6xf32>') [C2]}}
  rnn.cudnn_backprop lstm, bidirectional input(%input : tensor<5x6xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c2_input_h(%x: tensor<5x2x3xf32>, %input_h: tensor<2x2x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %h: tensor<4x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `input_h` to have rank 3, but got rank 4 ('tensor<2x2x2x4xf32>') [C2]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<2x2x2x4xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c2_input_c(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %input_c: tensor<8x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %c: tensor<4x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `input_c` to have rank 3, but got rank 2 ('tensor<8x4xf32>') [C2]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%h, %input_c : tensor<4x2x4xf32>, tensor<8x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c2_params(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %params: tensor<1x?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `params` to have rank 1, but got rank 2 ('tensor<1x?xf32>') [C2]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%params : tensor<1x?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c2_sequence_lengths(%len: tensor<2x1xi32>, %x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>,
    %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `sequence_lengths` to have rank 1, but got rank 2 ('tensor<2x1xi32>') [C2]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) lengths(%len : tensor<2x1xi32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c1_output(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %output: tensor<5x2x8xf16>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `output` to have element type 'f32' like `input`, but got 'f16' [C1]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%output, %h, %c : tensor<5x2x8xf16>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c1_output_h(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %output_h: tensor<4x2x4xf16>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `output_h` to have element type 'f32' like `input`, but got 'f16' [C1]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %output_h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf16>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c1_output_c(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %output_c: tensor<4x2x4xf16>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `output_c` to have element type 'f32' like `input`, but got 'f16' [C1]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %output_c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf16>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c1_output_backprop(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %output_backprop: tensor<5x2x8xf16>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `output_backprop` to have element type 'f32' like `input`, but got 'f16' [C1]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%output_backprop, %h, %c : tensor<5x2x8xf16>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c1_output_h_backprop(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %output_h_backprop: tensor<4x2x4xf16>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `output_h_backprop` to have element type 'f32' like `input`, but got 'f16' [C1]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %output_h_backprop, %c : tensor<5x2x8xf32>, tensor<4x2x4xf16>, tensor<4x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c1_output_c_backprop(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %output_c_backprop: tensor<4x2x4xf16>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `output_c_backprop` to have element type 'f32' like `input`, but got 'f16' [C1]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %output_c_backprop : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf16>)
      reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c1_result(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects result `params_backprop` to have element type 'f32' like `input`, but got 'f16' [C1]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>) ->
      input_backprop(tensor<5x2x3xf32>) input_h_backprop(tensor<4x2x4xf32>) input_c_backprop(tensor<4x2x4xf32>)
      params_backprop(tensor<?xf16>)
  return
}

// -----

func.func @cudnn_backprop_c1_out(%x: memref<5x2x3xf32>, %h: memref<4x2x4xf32>, %c: memref<4x2x4xf32>,
    %p: memref<?xf32>, %y: memref<5x2x8xf32>, %r: memref<?xi8>, %input_backprop_out: memref<5x2x3xf16>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `outs` of `input_backprop` to have element type 'f32' like `input`, but got 'f16' [C1]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : memref<5x2x3xf32>) state(%h, %c : memref<4x2x4xf32>)
      params(%p : memref<?xf32>) output(%y, %h, %c : memref<5x2x8xf32>, memref<4x2x4xf32>, memref<4x2x4xf32>)
      grads(%y, %h, %c : memref<5x2x8xf32>, memref<4x2x4xf32>, memref<4x2x4xf32>) reserve(%r : memref<?xi8>)
      outs(input_backprop = %input_backprop_out : memref<5x2x3xf16>)
  return
}

// -----

func.func @cudnn_backprop_c2_output(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %output: tensor<10x8xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `output` to have rank 3, but got rank 2 ('tensor<10x8xf32>') [C2]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%output, %h, %c : tensor<10x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c2_output_h(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %output_h: tensor<8x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `output_h` to have rank 3, but got rank 2 ('tensor<8x4xf32>') [C2]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %output_h, %c : tensor<5x2x8xf32>, tensor<8x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c2_output_c(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %output_c: tensor<4x2x4x1xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `output_c` to have rank 3, but got rank 4 ('tensor<4x2x4x1xf32>') [C2]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %output_c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4x1xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c2_output_backprop(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %output_backprop: tensor<80xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `output_backprop` to have rank 3, but got rank 1 ('tensor<80xf32>') [C2]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%output_backprop, %h, %c : tensor<80xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c2_output_h_backprop(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %output_h_backprop: tensor<32xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `output_h_backprop` to have rank 3, but got rank 1 ('tensor<32xf32>') [C2]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %output_h_backprop, %c : tensor<5x2x8xf32>, tensor<32xf32>, tensor<4x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c2_output_c_backprop(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %output_c_backprop: tensor<4x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `output_c_backprop` to have rank 3, but got rank 2 ('tensor<4x8xf32>') [C2]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %output_c_backprop : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x8xf32>)
      reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c2_reserve_space(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %reserve_space: tensor<8x8xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `reserve_space` to have rank 1, but got rank 2 ('tensor<8x8xi8>') [C2]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      reserve(%reserve_space : tensor<8x8xi8>)
  return
}

// -----

func.func @cudnn_backprop_c2_result(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects result `input_backprop` to have rank 3, but got rank 2 ('tensor<10x3xf32>') [C2]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>) ->
      input_backprop(tensor<10x3xf32>) input_h_backprop(tensor<4x2x4xf32>) input_c_backprop(tensor<4x2x4xf32>)
      params_backprop(tensor<?xf32>)
  return
}

// -----

func.func @cudnn_backprop_c2_out(%x: memref<5x2x3xf32>, %h: memref<4x2x4xf32>, %c: memref<4x2x4xf32>,
    %p: memref<?xf32>, %y: memref<5x2x8xf32>, %r: memref<?xi8>, %params_backprop_out: memref<16x16xf32>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `outs` of `params_backprop` to have rank 1, but got rank 2 ('memref<16x16xf32>') [C2]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : memref<5x2x3xf32>) state(%h, %c : memref<4x2x4xf32>)
      params(%p : memref<?xf32>) output(%y, %h, %c : memref<5x2x8xf32>, memref<4x2x4xf32>, memref<4x2x4xf32>)
      grads(%y, %h, %c : memref<5x2x8xf32>, memref<4x2x4xf32>, memref<4x2x4xf32>) reserve(%r : memref<?xi8>)
      outs(params_backprop = %params_backprop_out : memref<16x16xf32>)
  return
}
