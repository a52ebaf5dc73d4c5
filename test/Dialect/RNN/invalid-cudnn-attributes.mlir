// invalid-cudnn-attributes.mlir - invalid input modes, dropout, seeds and lengths of the cudnn layer ops (C8 to C11).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

func.func @cudnn_forward_c8_skip_input(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 2 of `input` to be 4 (H, dim 2 of `input_h`), but got 3 [C8]}}
  rnn.cudnn_forward lstm, bidirectional, skip_input input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c8_auto_select_dynamic_input(%input: tensor<5x2x?xf32>, %h: tensor<4x2x4xf32>,
    %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op with `auto_select` requires a static input size and a static state size, since the size of `params` depends on them; use linear_input or skip_input [C8]}}
  rnn.cudnn_forward lstm, bidirectional, auto_select input(%input : tensor<5x2x?xf32>)
      state(%h, %c : tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c8_auto_select_dynamic_state(%x: tensor<5x2x3xf32>, %input_h: tensor<4x2x?xf32>,
    %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op with `auto_select` requires a static input size and a static state size, since the size of `params` depends on them; use linear_input or skip_input [C8]}}
  rnn.cudnn_forward lstm, bidirectional, auto_select input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x2x?xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @cudnn_forward_c8_auto_select_projection(%x: tensor<5x2x3xf32>, %input_h: tensor<4x2x3xf32>,
    %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op with `auto_select` and a projection to the input size is ambiguous; use linear_input or skip_input [C8]}}
  rnn.cudnn_forward lstm, bidirectional, auto_select input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x2x3xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>) {num_proj = 3}
  return
}

// -----

func.func @cudnn_forward_c9_negative(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `dropout` to be in [0, 1], but got -5.000000e-01 [C9]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) {dropout = -0.5}
  return
}

// -----

func.func @cudnn_forward_c9_above_one(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `dropout` to be in [0, 1], but got 1.500000e+00 [C9]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) {dropout = 1.5}
  return
}

// -----

func.func @cudnn_forward_c9_nan(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>
    ) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `dropout` to be in [0, 1], but got nan [C9]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) {dropout = 0x7FF8000000000000 : f64}
  return
}

// -----

func.func @cudnn_forward_c10_seed(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `seed` to fit in 32 bits, but got 2147483648 [C10]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) {seed = 2147483648}
  return
}

// -----

func.func @cudnn_forward_c10_seed2(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `seed2` to fit in 32 bits, but got -2147483649 [C10]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) {seed2 = -2147483649}
  return
}

// -----

func.func @cudnn_forward_c11_number(%len: tensor<3xi32>,
    // expected-note @below {{`input` comes from here}}
    %x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 0 of `sequence_lengths` to be 2 (B, dim 1 of `input`), but got 3 [C11]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) lengths(%len : tensor<3xi32>)
  return
}

// -----

func.func @cudnn_forward_c11_above_steps(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  %len = arith.constant dense<[5, 6]> : tensor<2xi32>
  // expected-error @below {{'rnn.cudnn_forward' op expects `sequence_lengths` to be in [0, 5], but element 1 is 6 [C11]}}
  rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) lengths(%len : tensor<2xi32>)
  return
}

// -----

func.func @cudnn_forward_c11_negative(%input: tensor<?x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>) {
  %len = arith.constant dense<[0, -1]> : tensor<2xi32>
  // expected-error @below {{'rnn.cudnn_forward' op expects `sequence_lengths` to be in [0, T], but element 1 is -1 [C11]}}
  rnn.cudnn_forward lstm, bidirectional input(%input : tensor<?x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) lengths(%len : tensor<2xi32>)
  return
}

// -----

func.func @cudnn_backprop_c8_skip_input(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`input_h` comes from here}}
    %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 2 of `input` to be 4 (H, dim 2 of `input_h`), but got 3 [C8]}}
  rnn.cudnn_backprop lstm, bidirectional, skip_input input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c8_auto_select_dynamic_input(%input: tensor<5x2x?xf32>, %h: tensor<4x2x4xf32>,
    %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op with `auto_select` requires a static input size and a static state size, since the size of `params` depends on them; use linear_input or skip_input [C8]}}
  rnn.cudnn_backprop lstm, bidirectional, auto_select input(%input : tensor<5x2x?xf32>)
      state(%h, %c : tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c8_auto_select_dynamic_state(%x: tensor<5x2x3xf32>, %input_h: tensor<4x2x?xf32>,
    %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %h: tensor<4x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op with `auto_select` requires a static input size and a static state size, since the size of `params` depends on them; use linear_input or skip_input [C8]}}
  rnn.cudnn_backprop lstm, bidirectional, auto_select input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x2x?xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c8_auto_select_projection(%x: tensor<5x2x3xf32>, %input_h: tensor<4x2x3xf32>,
    %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %output: tensor<?x?x?xf32>, %output_h: tensor<?x?x?xf32>,
    %output_backprop: tensor<?x?x?xf32>, %output_h_backprop: tensor<?x?x?xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op with `auto_select` and a projection to the input size is ambiguous; use linear_input or skip_input [C8]}}
  rnn.cudnn_backprop lstm, bidirectional, auto_select input(%x : tensor<5x2x3xf32>)
      state(%input_h, %c : tensor<4x2x3xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>)
      output(%output, %output_h, %c : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<4x2x4xf32>)
      grads(%output_backprop, %output_h_backprop, %c : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<4x2x4xf32>)
      reserve(%r : tensor<?xi8>) {num_proj = 3}
  return
}

// -----

func.func @cudnn_backprop_c9_negative(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `dropout` to be in [0, 1], but got -5.000000e-01 [C9]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
      {dropout = -0.5}
  return
}

// -----

func.func @cudnn_backprop_c9_above_one(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `dropout` to be in [0, 1], but got 1.500000e+00 [C9]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
      {dropout = 1.5}
  return
}

// -----

func.func @cudnn_backprop_c9_nan(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `dropout` to be in [0, 1], but got nan [C9]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
      {dropout = 0x7FF8000000000000 : f64}
  return
}

// -----

func.func @cudnn_backprop_c10_seed(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `seed` to fit in 32 bits, but got 2147483648 [C10]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
      {seed = 2147483648}
  return
}

// -----

func.func @cudnn_backprop_c10_seed2(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `seed2` to fit in 32 bits, but got -2147483649 [C10]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
      {seed2 = -2147483649}
  return
}

// -----

func.func @cudnn_backprop_c11_number(%len: tensor<3xi32>,
    // expected-note @below {{`input` comes from here}}
    %x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x8xf32>,
    %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 0 of `sequence_lengths` to be 2 (B, dim 1 of `input`), but got 3 [C11]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) lengths(%len : tensor<3xi32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c11_above_steps(%x: tensor<5x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %y: tensor<5x2x8xf32>, %r: tensor<?xi8>) {
  %len = arith.constant dense<[5, 6]> : tensor<2xi32>
  // expected-error @below {{'rnn.cudnn_backprop' op expects `sequence_lengths` to be in [0, 5], but element 1 is 6 [C11]}}
  rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) lengths(%len : tensor<2xi32>)
      output(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

func.func @cudnn_backprop_c11_negative(%input: tensor<?x2x3xf32>, %h: tensor<4x2x4xf32>, %c: tensor<4x2x4xf32>,
    %p: tensor<?xf32>, %output: tensor<?x2x8xf32>, %output_backprop: tensor<?x2x8xf32>, %r: tensor<?xi8>) {
  %len = arith.constant dense<[0, -1]> : tensor<2xi32>
  // expected-error @below {{'rnn.cudnn_backprop' op expects `sequence_lengths` to be in [0, T], but element 1 is -1 [C11]}}
  rnn.cudnn_backprop lstm, bidirectional input(%input : tensor<?x2x3xf32>) state(%h, %c : tensor<4x2x4xf32>)
      params(%p : tensor<?xf32>) lengths(%len : tensor<2xi32>)
      output(%output, %h, %c : tensor<?x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      grads(%output_backprop, %h, %c : tensor<?x2x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return
}
