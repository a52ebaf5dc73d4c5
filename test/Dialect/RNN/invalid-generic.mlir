// invalid-generic.mlir - errors that only the generic form can express: segments, properties, types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

func.func @cudnn_forward_c14_two_values_for_input_h(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects one value for `input_h`, but got 2 [C14]}}
  %0:3 = "rnn.cudnn_forward"(%x, %h, %p) <{mode = #rnn.mode<gru>,
      operandSegmentSizes = array<i32: 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 1>}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>) -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xi8>)
  return
}

// -----

// Without the check, the accessors of later operands would read out of bounds.
func.func @cudnn_forward_c14_all_values_for_input(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects one value for `input`, but got 3 [C14]}}
  %0:3 = "rnn.cudnn_forward"(%x, %h, %p) <{mode = #rnn.mode<gru>,
      operandSegmentSizes = array<i32: 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 1>}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>) -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_no_params(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expected 3 or more operands, but found 2}}
  %0:3 = "rnn.cudnn_forward"(%x, %h) <{mode = #rnn.mode<gru>,
      operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 1>}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>) -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_two_results_output(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op result group starting at #0 requires 0 or 1 element, but found 3}}
  %0:3 = "rnn.cudnn_forward"(%x, %h, %p) <{mode = #rnn.mode<gru>,
      operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 3, 0, 0, 0>}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>) -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_few_segments(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{invalid properties {mode = #rnn.mode<gru>, operandSegmentSizes = array<i32: 1, 1, 0, 1>, resultSegmentSizes = array<i32: 1, 1, 0, 1>} for op rnn.cudnn_forward: size mismatch in attribute conversion: 4 vs 11}}
  %0:3 = "rnn.cudnn_forward"(%x, %h, %p) <{mode = #rnn.mode<gru>,
      operandSegmentSizes = array<i32: 1, 1, 0, 1>, resultSegmentSizes = array<i32: 1, 1, 0, 1>}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>) -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_negative_segment(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op 'operandSegmentSizes' attribute cannot have negative elements}}
  %0:3 = "rnn.cudnn_forward"(%x, %h, %p) <{mode = #rnn.mode<gru>,
      operandSegmentSizes = array<i32: 1, 1, -1, 2, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 1>}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>) -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_wrong_sum(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op operand count (3) does not match with the total size (4) specified in attribute 'operandSegmentSizes'}}
  %0:3 = "rnn.cudnn_forward"(%x, %h, %p) <{mode = #rnn.mode<gru>,
      operandSegmentSizes = array<i32: 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 1>}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>) -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_no_properties(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op result count (3) does not match with the total size (0) specified in attribute 'resultSegmentSizes'}}
  %0:3 = "rnn.cudnn_forward"(%x, %h, %p)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>) -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_no_mode(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op requires attribute 'mode'}}
  %0:3 = "rnn.cudnn_forward"(%x, %h, %p) <{
      operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 1>}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>) -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_mode_as_string(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{invalid properties {mode = "gru", operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 1>} for op rnn.cudnn_forward: Invalid attribute `mode` in property conversion: "gru"}}
  %0:3 = "rnn.cudnn_forward"(%x, %h, %p) <{mode = "gru",
      operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 0, 1>}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>) -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xi8>)
  return
}

// -----

func.func @cudnn_forward_dropout_as_f32(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op attribute 'dropout' failed to satisfy constraint: 64-bit float attribute}}
  rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {dropout = 0.5 : f32}
  return
}

// -----

func.func @cudnn_forward_seed_as_i32(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op attribute 'seed' failed to satisfy constraint: 64-bit signless integer attribute}}
  rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {seed = 1 : i32}
  return
}

// -----

func.func @block_lstm_wrong_number_of_results(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
                                              %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op is missing the result `cs` [B11]}}
  %0 = "rnn.block_lstm"(%x, %s, %s, %w, %p, %p, %p, %b) <{layout = #rnn.layout<icfo>,
      operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0>,
      resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0>}>
      : (tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>,
         tensor<4xf32>, tensor<16xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @cudnn_canonical_to_params_c14_three_layers(%n: index, %w: tensor<4x4xf32>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects one value for `layers`, but got 3 [C14]}}
  %0 = "rnn.cudnn_canonical_to_params"(%n, %n, %n, %w, %w) <{mode = #rnn.mode<rnn_tanh>,
      operandSegmentSizes = array<i32: 3, 0, 0, 1, 1, 0>}>
      : (index, index, index, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @cudnn_params_size_two_operands(%n: index) {
  // expected-error @below {{'rnn.cudnn_params_size' op expected 3 operands, but found 2}}
  %0 = "rnn.cudnn_params_size"(%n, %n) <{mode = #rnn.mode<gru>, element_type = f32}> : (index, index) -> index
  return
}

// -----

func.func @cudnn_params_size_no_element_type(%n: index) {
  // expected-error @below {{'rnn.cudnn_params_size' op requires attribute 'element_type'}}
  %0 = rnn.cudnn_params_size gru sizes(%n, %n, %n)
  return
}

// -----

func.func @vector_operand(%x: vector<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op operand #0 must be values in f16, bf16, f32 or f64 (ranked tensor or memref), but got 'vector<5x2x3xf32>'}}
  rnn.cudnn_forward gru input(%x : vector<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @unranked_tensor_operand(%x: tensor<*xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op operand #0 must be values in f16, bf16, f32 or f64 (ranked tensor or memref), but got 'tensor<*xf32>'}}
  rnn.cudnn_forward gru input(%x : tensor<*xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @unranked_memref_operand(%x: memref<*xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op operand #0 must be values in f16, bf16, f32 or f64 (ranked tensor or memref), but got 'memref<*xf32>'}}
  rnn.cudnn_forward gru input(%x : memref<*xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
  return
}

// -----

func.func @scalar_operand(%x: f32, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op operand #0 must be values in f16, bf16, f32 or f64 (ranked tensor or memref), but got 'f32'}}
  rnn.cudnn_forward gru input(%x : f32) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

func.func @integer_elements(%x: tensor<5x2x3xi32>, %h: tensor<1x2x4xi32>, %p: tensor<?xi32>) {
  // expected-error @below {{'rnn.cudnn_forward' op operand #0 must be values in f16, bf16, f32 or f64 (ranked tensor or memref), but got 'tensor<5x2x3xi32>'}}
  rnn.cudnn_forward gru input(%x : tensor<5x2x3xi32>) state(%h : tensor<1x2x4xi32>) params(%p : tensor<?xi32>)
  return
}

// -----

func.func @f8_elements(%x: tensor<5x2x3xf8E4M3FN>, %s: tensor<2x4xf8E4M3FN>, %w: tensor<7x16xf8E4M3FN>,
                       %p: tensor<4xf8E4M3FN>, %b: tensor<16xf8E4M3FN>) {
  // expected-error @below {{'rnn.block_lstm' op operand #0 must be values in f16, bf16, f32 or f64 (ranked tensor or memref), but got 'tensor<5x2x3xf8E4M3FN>'}}
  rnn.block_lstm icfo x(%x : tensor<5x2x3xf8E4M3FN>) state(%s, %s : tensor<2x4xf8E4M3FN>)
      weights(%w : tensor<7x16xf8E4M3FN>) peephole(%p, %p, %p : tensor<4xf8E4M3FN>) bias(%b : tensor<16xf8E4M3FN>)
  return
}

// -----

func.func @i64_lengths(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %len: tensor<2xi64>) {
  // expected-error @below {{'rnn.cudnn_forward' op operand #3 must be i32 sequence lengths (ranked tensor or memref), but got 'tensor<2xi64>'}}
  rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      lengths(%len : tensor<2xi64>)
  return
}

// -----

func.func @float_reserve(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.cudnn_backprop' op operand #7 must be i8 reserve space (ranked tensor or memref), but got 'tensor<?xf32>'}}
  rnn.cudnn_backprop gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>) grads(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      reserve(%p : tensor<?xf32>)
  return
}
