// invalid-cudnn.mlir - invalid sizes and forms of rnn.cudnn_forward (C3 to C7, C12 to C14).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

func.func @cudnn_forward_c3_no_steps(%input: tensor<0x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects T (the steps, dim 0 of `input`) to be at least 1, but got 0 [C3]}}
  rnn.cudnn_forward lstm, bidirectional input(%input : tensor<0x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c3_no_batch(%input: tensor<5x0x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects B (the batch, dim 1 of `input`) to be at least 1, but got 0 [C3]}}
  rnn.cudnn_forward lstm, bidirectional input(%input : tensor<5x0x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c3_no_input_size(%input: tensor<5x2x0xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects I (the input size, dim 2 of `input`) to be at least 1, but got 0 [C3]}}
  rnn.cudnn_forward lstm, bidirectional input(%input : tensor<5x2x0xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c4_no_layers(%x: tensor<5x2x3xf32>, %input_h: tensor<0x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects L (the layers, dim 0 of `input_h` / 2) to be at least 1, but got 0 [C4]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<0x2x4xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c4_layers_not_by_directions(%x: tensor<5x2x3xf32>, %input_h: tensor<3x2x4xf32>,
    %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 0 of `input_h` to be a multiple of 2 (L, the layers, times 2), but got 3 [C4]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<3x2x4xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c4_input_h_batch(
    // expected-note @below {{`input` comes from here}}
    %x: tensor<5x2x3xf32>, %input_h: tensor<4x3x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 1 of `input_h` to be 2 (B, dim 1 of `input`), but got 3 [C4]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x3x4xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c4_no_hidden(%x: tensor<5x2x3xf32>, %input_h: tensor<4x2x0xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects H (the hidden size, dim 2 of `input_h`) to be at least 1, but got 0 [C4]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x2x0xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c5_lstm_without_cell(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op in mode lstm requires the cell operand `input_c` [C5]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c5_cell_without_lstm(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op in mode gru accepts no cell operand, but got `input_c` [C5]}}
  rnn.cudnn_forward gru, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c5_input_c_layers(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %input_c: tensor<2x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 0 of `input_c` to be 4 (2*L, where L = 2 is dim 0 of `input_h` / 2), but got 2 [C5]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%h, %input_c : tensor<4x2x4xf32>, tensor<2x2x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c5_input_c_batch(
    // expected-note @below {{`input` comes from here}}
    %x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %input_c: tensor<4x1x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 1 of `input_c` to be 2 (B, dim 1 of `input`), but got 1 [C5]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%h, %input_c : tensor<4x2x4xf32>, tensor<4x1x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c5_input_c_hidden(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %input_c: tensor<4x2x5xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 2 of `input_c` to be 4 (H, dim 2 of `input_h`), but got 5 [C5]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%h, %input_c : tensor<4x2x4xf32>, tensor<4x2x5xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c6_negative(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `num_proj` to be 0 (no projection) or positive, but got -1 [C6]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) {num_proj = -1}
  return
}

// -----

func.func @cudnn_forward_c6_outside_lstm(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op has `num_proj` = 2, but only mode lstm can project, not gru [C6]}}
  rnn.cudnn_forward gru, bidirectional input(%x : tensor<5x2x3xf32>) state(%h : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) {num_proj = 2}
  return
}

// -----

func.func @cudnn_forward_c6_above_hidden(%x: tensor<5x2x3xf32>, %input_h: tensor<4x2x5xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `num_proj` to be at most the hidden size 4, but got 5 [C6]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x2x5xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>) {num_proj = 5}
  return
}

// -----

func.func @cudnn_forward_c6_input_h(%x: tensor<5x2x3xf32>, %input_h: tensor<4x2x3xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 2 of `input_h` to be 2 (P, `num_proj`), but got 3 [C6]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x2x3xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>) {num_proj = 2}
  return
}

// -----

func.func @cudnn_forward_c7_short_params(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %params: tensor<735xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `params` to have at least 736 elements (all matrices and biases of 2 layer(s), 2 direction(s), I = 3, H = 4), but got 735 [C7]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%params : tensor<735xf32>)
  return
}

// -----

func.func @cudnn_forward_c7_uncountable_params(%input: tensor<1x1x4294967296xf16>,
    %input_h: tensor<4x1x4294967296xf16>, %input_c: tensor<4x1x4294967296xf16>, %params: tensor<?xf16>) {
  // expected-error @below {{'rnn.cudnn_forward' op has more parameters than 64 bits can count [C7]}}
  rnn.cudnn_forward lstm, bidirectional input(%input : tensor<1x1x4294967296xf16>)
      state(%input_h, %input_c : tensor<4x1x4294967296xf16>) params(%params : tensor<?xf16>)
  return
}

// -----

func.func @cudnn_forward_c12_output_steps(
    // expected-note @below {{`input` comes from here}}
    %x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 0 of result `output` to be 5 (T, dim 0 of `input`), but got 4 [C12]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
      -> output(tensor<4x2x8xf32>) output_h(tensor<4x2x4xf32>) output_c(tensor<4x2x4xf32>) reserve_space(tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_c12_output_batch(
    // expected-note @below {{`input` comes from here}}
    %x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 1 of result `output` to be 2 (B, dim 1 of `input`), but got 1 [C12]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
      -> output(tensor<5x1x8xf32>) output_h(tensor<4x2x4xf32>) output_c(tensor<4x2x4xf32>) reserve_space(tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_c12_output_width(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 2 of result `output` to be 8 (2*H, where H = 4 is dim 2 of `input_h`), but got 4 [C12]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
      -> output(tensor<5x2x4xf32>) output_h(tensor<4x2x4xf32>) output_c(tensor<4x2x4xf32>) reserve_space(tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_c12_output_h_layers(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 0 of result `output_h` to be 4 (2*L, where L = 2 is dim 0 of `input_h` / 2), but got 2 [C12]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
      -> output(tensor<5x2x8xf32>) output_h(tensor<2x2x4xf32>) output_c(tensor<4x2x4xf32>) reserve_space(tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_c12_output_c_hidden(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 2 of result `output_c` to be 4 (H, dim 2 of `input_h`), but got 3 [C12]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
      -> output(tensor<5x2x8xf32>) output_h(tensor<4x2x4xf32>) output_c(tensor<4x2x3xf32>) reserve_space(tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_c12_out(%x: memref<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: memref<4x2x4xf32>, %c: memref<4x2x4xf32>, %p: memref<?xf32>, %output_out: memref<5x2x4xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 2 of `outs` of `output` to be 8 (2*H, where H = 4 is dim 2 of `input_h`), but got 4 [C12]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : memref<5x2x3xf32>) state(%h, %c : memref<4x2x4xf32>)
      params(%p : memref<?xf32>) outs(output = %output_out : memref<5x2x4xf32>)
  return
}

// -----

func.func @cudnn_forward_c12_output_projection(%x: tensor<5x2x3xf32>, %input_h: tensor<4x2x3xf32>,
    %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 2 of result `output` to be 6 (2*P, where P = 3 is `num_proj`), but got 8 [C12]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x2x3xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>) {num_proj = 3}
      -> output(tensor<5x2x8xf32>) output_h(tensor<4x2x3xf32>) output_c(tensor<4x2x4xf32>) reserve_space(tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_c13_inference_result(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 0 of result `reserve_space` to be 0, but got 8 [C13]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) {is_training = false}
      -> output(tensor<5x2x8xf32>) output_h(tensor<4x2x4xf32>) output_c(tensor<4x2x4xf32>) reserve_space(tensor<8xi8>)
  return
}

// -----

func.func @cudnn_forward_c13_inference_out(%x: memref<5x2x3xf32>, %h: memref<4x2x4xf32>, %c: memref<4x2x4xf32>,
    %p: memref<?xf32>, %reserve_space_out: memref<8xi8>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 0 of `outs` of `reserve_space` to be 0, but got 8 [C13]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : memref<5x2x3xf32>) state(%h, %c : memref<4x2x4xf32>)
      params(%p : memref<?xf32>) outs(reserve_space = %reserve_space_out : memref<8xi8>) {is_training = false}
  return
}

// -----

func.func @cudnn_forward_c14_missing_result(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op is missing the result `output_h` [C14]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) -> output(tensor<5x2x8xf32>) output_c(tensor<4x2x4xf32>) reserve_space(tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_c14_cell_result_without_lstm(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %p: tensor<?xf32>
    ) {
  // expected-error @below {{'rnn.cudnn_forward' op has no result `output_c` [C14]}}
  rnn.cudnn_forward gru, bidirectional input(%x : tensor<5x2x3xf32>) state(%h : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
      -> output(tensor<5x2x8xf32>) output_h(tensor<4x2x4xf32>) output_c(tensor<4x2x4xf32>) reserve_space(tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_c14_cell_out_without_lstm(%x: memref<5x2x3xf32>, %h: memref<4x2x4xf32>, %p: memref<?xf32>,
    %output_out: memref<5x2x8xf32>, %output_c_out: memref<4x2x4xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op has no result `output_c` to write to `outs` [C14]}}
  rnn.cudnn_forward rnn_relu, bidirectional input(%x : memref<5x2x3xf32>) state(%h : memref<4x2x4xf32>)
      params(%p : memref<?xf32>)
      outs(output = %output_out, output_c = %output_c_out : memref<5x2x8xf32>, memref<4x2x4xf32>)
  return
}

// -----

func.func @cudnn_forward_c14_outs_on_tensors(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %output_out: tensor<5x2x8xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op accepts `outs` in memref form only, but got `output` [C14]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) outs(output = %output_out : tensor<5x2x8xf32>)
  return
}

// -----

func.func @cudnn_forward_c14_tensor_among_memrefs(%x: memref<5x2x3xf32>, %h: memref<4x2x4xf32>, %c: memref<4x2x4xf32>,
    %params: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects all operands to be memrefs once one is, but `params` is 'tensor<?xf32>' [C14]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : memref<5x2x3xf32>) state(%h, %c : memref<4x2x4xf32>)
      params(%params : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c14_tensor_lengths(%len: tensor<2xi32>, %x: memref<5x2x3xf32>, %h: memref<4x2x4xf32>,
    %c: memref<4x2x4xf32>, %p: memref<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects all operands to be memrefs once one is, but `sequence_lengths` is 'tensor<2xi32>' [C14]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : memref<5x2x3xf32>) state(%h, %c : memref<4x2x4xf32>)
      params(%p : memref<?xf32>) lengths(%len : tensor<2xi32>)
  return
}

// -----

func.func @cudnn_forward_c14_tensor_out(%x: memref<5x2x3xf32>, %h: memref<4x2x4xf32>, %c: memref<4x2x4xf32>,
    %p: memref<?xf32>, %output_out: tensor<5x2x8xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `outs` of `output` to be a memref, but got 'tensor<5x2x8xf32>' [C14]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : memref<5x2x3xf32>) state(%h, %c : memref<4x2x4xf32>)
      params(%p : memref<?xf32>) outs(output = %output_out : tensor<5x2x8xf32>)
  return
}

// -----

func.func @cudnn_forward_c14_result_on_memrefs(%x: memref<5x2x3xf32>, %h: memref<4x2x4xf32>, %c: memref<4x2x4xf32>,
    %p: memref<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op in memref form has no results, but got `output`; pass a buffer in `outs` [C14]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : memref<5x2x3xf32>) state(%h, %c : memref<4x2x4xf32>)
      params(%p : memref<?xf32>) -> output(tensor<5x2x8xf32>)
  return
}

// -----

func.func @cudnn_forward_c14_memref_result(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects result `output` to be a tensor, but got 'memref<5x2x8xf32>' [C14]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
      -> output(memref<5x2x8xf32>) output_h(tensor<4x2x4xf32>) output_c(tensor<4x2x4xf32>) reserve_space(tensor<?xi8>)
  return
}
