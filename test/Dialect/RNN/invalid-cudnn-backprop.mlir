// invalid-cudnn-backprop.mlir - invalid sizes and forms of rnn.cudnn_backprop (C3 to C7, C12 to C15).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

func.func @cudnn_backprop_c3_no_steps(%input: tensor<0x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %output: tensor<?x?x?xf32>, %output_backprop: tensor<?x?x?xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects T (the steps, dim 0 of `input`) to be at least 1, but got 0 [C3]}}
  rnn.cudnn_backprop lstm, bidirectional input(%input : tensor<0x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%output, %h, %c : tensor<?x?x?xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%output_backprop, %h, %c : tensor<?x?x?xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c3_no_batch(%input: tensor<5x0x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %output: tensor<?x?x?xf32>, %output_backprop: tensor<?x?x?xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects B (the batch, dim 1 of `input`) to be at least 1, but got 0 [C3]}}
  rnn.cudnn_backprop lstm, bidirectional input(%input : tensor<5x0x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%output, %h, %c : tensor<?x?x?xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%output_backprop, %h, %c : tensor<?x?x?xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c3_no_input_size(%input: tensor<5x2x0xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %output: tensor<?x?x?xf32>, %output_backprop: tensor<?x?x?xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects I (the input size, dim 2 of `input`) to be at least 1, but got 0 [C3]}}
  rnn.cudnn_backprop lstm, bidirectional input(%input : tensor<5x2x0xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%output, %h, %c : tensor<?x?x?xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%output_backprop, %h, %c : tensor<?x?x?xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c4_no_layers(%x: tensor<5x2x3xf32>, %input_h: tensor<0x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %h: tensor<4x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects L (the layers, dim 0 of `input_h` / 2) to be at least 1, but got 0 [C4]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<0x2x4xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c4_layers_not_by_directions(%x: tensor<5x2x3xf32>, %input_h: tensor<3x2x4xf32>,
    %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %h: tensor<4x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 0 of `input_h` to be a multiple of 2 (L, the layers, times 2), but got 3 [C4]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<3x2x4xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c4_input_h_batch(
    // expected-note @below {{`input` comes from here}}
    %x: tensor<5x2x3xf32>, %input_h: tensor<4x3x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>,
    %y: tensor<5x2x8xf32>, %h: tensor<4x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 1 of `input_h` to be 2 (B, dim 1 of `input`), but got 3 [C4]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x3x4xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c4_no_hidden(%x: tensor<5x2x3xf32>, %input_h: tensor<4x2x0xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %h: tensor<4x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects H (the hidden size, dim 2 of `input_h`) to be at least 1, but got 0 [C4]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x2x0xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c5_lstm_without_cell(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %p: tensor<?xf32>,
    %y: tensor<5x2x8xf32>, %c: tensor<4x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op in mode lstm requires the cell operand `input_c` [C5]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c5_cell_without_lstm(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op in mode gru accepts no cell operand, but got `input_c` [C5]}}
  rnn.cudnn_backprop gru, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h : tensor<5x2x8xf32>, tensor<4x2x4xf32>)
      grads(%y, %h : tensor<5x2x8xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c5_input_c_layers(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %input_c: tensor<2x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>,
    %c: tensor<4x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 0 of `input_c` to be 4 (2*L, where L = 2 is dim 0 of `input_h` / 2), but got 2 [C5]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%h, %input_c : tensor<4x2x4xf32>, tensor<2x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c5_input_c_batch(
    // expected-note @below {{`input` comes from here}}
    %x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %input_c: tensor<4x1x4xf32>, %p: tensor<?xf32>,
    %y: tensor<5x2x8xf32>, %c: tensor<4x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 1 of `input_c` to be 2 (B, dim 1 of `input`), but got 1 [C5]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%h, %input_c : tensor<4x2x4xf32>, tensor<4x1x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c5_input_c_hidden(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %input_c: tensor<4x2x5xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>,
    %c: tensor<4x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 2 of `input_c` to be 4 (H, dim 2 of `input_h`), but got 5 [C5]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%h, %input_c : tensor<4x2x4xf32>, tensor<4x2x5xf32>) params(%p : tensor<?xf32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c6_negative(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `num_proj` to be 0 (no projection) or positive, but got -1 [C6]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
      {num_proj = -1}
  return
}

// -----

func.func @cudnn_backprop_c6_outside_lstm(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %p: tensor<?xf32>,
    %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op has `num_proj` = 2, but only mode lstm can project, not gru [C6]}}
  rnn.cudnn_backprop gru, bidirectional input(%x : tensor<5x2x3xf32>) state(%h : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h : tensor<5x2x8xf32>, tensor<4x2x4xf32>)
      grads(%y, %h : tensor<5x2x8xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>) {num_proj = 2}
  return
}

// -----

func.func @cudnn_backprop_c6_above_hidden(%x: tensor<5x2x3xf32>, %input_h: tensor<4x2x5xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %output: tensor<?x?x?xf32>, %output_h: tensor<?x?x?xf32>, %output_backprop: tensor<?x?x?xf32>,
    %output_h_backprop: tensor<?x?x?xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `num_proj` to be at most the hidden size 4, but got 5 [C6]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x2x5xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
      output(%output, %output_h, %c : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<4x2x4xf32>)
      grads(%output_backprop, %output_h_backprop, %c : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<4x2x4xf32>)
      reserve(%r : tensor<?xi8>) {num_proj = 5}
  return
}

// -----

func.func @cudnn_backprop_c6_input_h(%x: tensor<5x2x3xf32>, %input_h: tensor<4x2x3xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %output: tensor<?x?x?xf32>, %output_h: tensor<?x?x?xf32>, %output_backprop: tensor<?x?x?xf32>,
    %output_h_backprop: tensor<?x?x?xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 2 of `input_h` to be 2 (P, `num_proj`), but got 3 [C6]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x2x3xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
      output(%output, %output_h, %c : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<4x2x4xf32>)
      grads(%output_backprop, %output_h_backprop, %c : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<4x2x4xf32>)
      reserve(%r : tensor<?xi8>) {num_proj = 2}
  return
}

// -----

func.func @cudnn_backprop_c7_short_params(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %params: tensor<735xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `params` to have at least 736 elements (all matrices and biases of 2 layer(s), 2 direction(s), I = 3, H = 4), but got 735 [C7]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%params : tensor<735xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c7_uncountable_params(%input: tensor<1x1x4294967296xf16>,
    %input_h: tensor<4x1x4294967296xf16>, %input_c: tensor<4x1x4294967296xf16>, %params: tensor<?xf16>,
    %output: tensor<?x?x?xf16>, %output_h: tensor<?x?x?xf16>, %output_c: tensor<?x?x?xf16>,
    %output_backprop: tensor<?x?x?xf16>, %output_h_backprop: tensor<?x?x?xf16>, %output_c_backprop: tensor<?x?x?xf16>,
    %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op has more parameters than 64 bits can count [C7]}}
  rnn.cudnn_backprop lstm, bidirectional input(%input : tensor<1x1x4294967296xf16>)
      state(%input_h, %input_c : tensor<4x1x4294967296xf16>) params(%params : tensor<?xf16>)
      output(%output, %output_h, %output_c : tensor<?x?x?xf16>)
      grads(%output_backprop, %output_h_backprop, %output_c_backprop : tensor<?x?x?xf16>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c12_output_steps(
    // expected-note @below {{`input` comes from here}}
    %x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %output: tensor<4x2x8xf32>,
    %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 0 of `output` to be 5 (T, dim 0 of `input`), but got 4 [C12]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%output, %h, %c : tensor<4x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c12_output_width(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %output: tensor<5x2x4xf32>, %y: tensor<5x2x8xf32>,
    %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 2 of `output` to be 8 (2*H, where H = 4 is dim 2 of `input_h`), but got 4 [C12]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%output, %h, %c : tensor<5x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c12_output_h_layers(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>,
    %output_h: tensor<2x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 0 of `output_h` to be 4 (2*L, where L = 2 is dim 0 of `input_h` / 2), but got 2 [C12]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %output_h, %c : tensor<5x2x8xf32>, tensor<2x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c12_output_c_batch(
    // expected-note @below {{`input` comes from here}}
    %x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>,
    %output_c: tensor<4x1x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 1 of `output_c` to be 2 (B, dim 1 of `input`), but got 1 [C12]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %output_c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x1x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c12_output_backprop_batch(
    // expected-note @below {{`input` comes from here}}
    %x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>,
    %output_backprop: tensor<5x1x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 1 of `output_backprop` to be 2 (B, dim 1 of `input`), but got 1 [C12]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%output_backprop, %h, %c : tensor<5x1x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c12_output_h_backprop_hidden(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>,
    %output_h_backprop: tensor<4x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 2 of `output_h_backprop` to be 4 (H, dim 2 of `input_h`), but got 8 [C12]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %output_h_backprop, %c : tensor<5x2x8xf32>, tensor<4x2x8xf32>, tensor<4x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c12_output_c_backprop_hidden(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>,
    %output_c_backprop: tensor<4x2x3xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 2 of `output_c_backprop` to be 4 (H, dim 2 of `input_h`), but got 3 [C12]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %output_c_backprop : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x3xf32>)
      reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c12_lstm_without_output_c(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>,
    %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op in mode lstm requires the cell operand `output_c` [C12]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h : tensor<5x2x8xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c12_lstm_without_output_c_backprop(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>,
    %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op in mode lstm requires the cell operand `output_c_backprop` [C12]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h : tensor<5x2x8xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c12_output_c_without_lstm(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %p: tensor<?xf32>,
    %y: tensor<5x2x8xf32>, %c: tensor<4x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op in mode rnn_tanh accepts no cell operand, but got `output_c` [C12]}}
  rnn.cudnn_backprop rnn_tanh, bidirectional input(%x : tensor<5x2x3xf32>) state(%h : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h : tensor<5x2x8xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c14_missing_result(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op is missing the result `input_c_backprop` [C14]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
      -> input_backprop(tensor<5x2x3xf32>) input_h_backprop(tensor<4x2x4xf32>) params_backprop(tensor<?xf32>)
  return
}

// -----

func.func @cudnn_backprop_c14_cell_result_without_lstm(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %p: tensor<?xf32>,
    %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op has no result `input_c_backprop` [C14]}}
  rnn.cudnn_backprop gru, bidirectional input(%x : tensor<5x2x3xf32>) state(%h : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h : tensor<5x2x8xf32>, tensor<4x2x4xf32>)
      grads(%y, %h : tensor<5x2x8xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>) ->
      input_backprop(tensor<5x2x3xf32>) input_h_backprop(tensor<4x2x4xf32>) input_c_backprop(tensor<4x2x4xf32>)
      params_backprop(tensor<?xf32>)
  return
}

// -----

func.func @cudnn_backprop_c14_outs_on_tensors(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>, %params_backprop_out: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_backprop' op accepts `outs` in memref form only, but got `params_backprop` [C14]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
      outs(params_backprop = %params_backprop_out : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_backprop_c14_tensor_among_memrefs(%x: memref<5x2x3xf32>, %h: memref<4x2x4xf32>, %c: memref<4x2x4xf32>,
    %p: memref<?xf32>, %y: memref<5x2x8xf32>, %reserve_space: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects all operands to be memrefs once one is, but `reserve_space` is 'tensor<?xi8>' [C14]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : memref<5x2x3xf32>) state(%h, %c : memref<4x2x4xf32>)
      params(%p : memref<?xf32>) output(%y, %h, %c : memref<5x2x8xf32>, memref<4x2x4xf32>, memref<4x2x4xf32>)
      grads(%y, %h, %c : memref<5x2x8xf32>, memref<4x2x4xf32>, memref<4x2x4xf32>)
      reserve(%reserve_space : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c14_result_on_memrefs(%x: memref<5x2x3xf32>, %h: memref<4x2x4xf32>, %c: memref<4x2x4xf32>,
    %p: memref<?xf32>, %y: memref<5x2x8xf32>, %r: memref<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op in memref form has no results, but got `params_backprop`; pass a buffer in `outs` [C14]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : memref<5x2x3xf32>) state(%h, %c : memref<4x2x4xf32>)
      params(%p : memref<?xf32>) output(%y, %h, %c : memref<5x2x8xf32>, memref<4x2x4xf32>, memref<4x2x4xf32>)
      grads(%y, %h, %c : memref<5x2x8xf32>, memref<4x2x4xf32>, memref<4x2x4xf32>) reserve(%r : memref<?xi8>)
      -> params_backprop(tensor<?xf32>)
  return
}

// -----

func.func @cudnn_backprop_c15_input_backprop(
    // expected-note @below {{`input` comes from here}}
    %x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>,
    %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 2 of result `input_backprop` to be 3 (I, dim 2 of `input`), but got 4 [C15]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>) ->
      input_backprop(tensor<5x2x4xf32>) input_h_backprop(tensor<4x2x4xf32>) input_c_backprop(tensor<4x2x4xf32>)
      params_backprop(tensor<?xf32>)
  return
}

// -----

func.func @cudnn_backprop_c15_input_h_backprop(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 0 of result `input_h_backprop` to be 4 (2*L, where L = 2 is dim 0 of `input_h` / 2), but got 2 [C15]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>) ->
      input_backprop(tensor<5x2x3xf32>) input_h_backprop(tensor<2x2x4xf32>) input_c_backprop(tensor<4x2x4xf32>)
      params_backprop(tensor<?xf32>)
  return
}

// -----

func.func @cudnn_backprop_c15_input_c_backprop(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 2 of result `input_c_backprop` to be 4 (H, dim 2 of `input_h`), but got 3 [C15]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>) ->
      input_backprop(tensor<5x2x3xf32>) input_h_backprop(tensor<4x2x4xf32>) input_c_backprop(tensor<4x2x3xf32>)
      params_backprop(tensor<?xf32>)
  return
}

// -----

func.func @cudnn_backprop_c15_params_backprop(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    // expected-note @below {{`params` comes from here}}
    %params: tensor<2000xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 0 of result `params_backprop` to be 2000 (N, dim 0 of `params`), but got 1999 [C15]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%params : tensor<2000xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>) ->
      input_backprop(tensor<5x2x3xf32>) input_h_backprop(tensor<4x2x4xf32>) input_c_backprop(tensor<4x2x4xf32>)
      params_backprop(tensor<1999xf32>)
  return
}

// -----

func.func @cudnn_backprop_c15_out(
    // expected-note @below {{`input` comes from here}}
    %x: memref<5x2x3xf32>, %h: memref<4x2x4xf32>, %c: memref<4x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x8xf32>,
    %r: memref<?xi8>, %input_backprop_out: memref<5x2x4xf32>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 2 of `outs` of `input_backprop` to be 3 (I, dim 2 of `input`), but got 4 [C15]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : memref<5x2x3xf32>) state(%h, %c : memref<4x2x4xf32>)
      params(%p : memref<?xf32>) output(%y, %h, %c : memref<5x2x8xf32>, memref<4x2x4xf32>, memref<4x2x4xf32>)
      grads(%y, %h, %c : memref<5x2x8xf32>, memref<4x2x4xf32>, memref<4x2x4xf32>) reserve(%r : memref<?xi8>)
      outs(input_backprop = %input_backprop_out : memref<5x2x4xf32>)
  return
}
