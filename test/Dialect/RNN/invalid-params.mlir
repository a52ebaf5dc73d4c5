// invalid-params.mlir - errors of the conversions of opaque parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

func.func @cudnn_canonical_to_params_c1_weights(%l: index, %h: index, %i: index, %w: tensor<4x3xf32>,
    %r: tensor<4x4xf64>, %b: tensor<4xf32>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects `weights` to have element type 'f32' like `weights`, but got 'f64' [C1]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf64>)
      biases(%b, %b : tensor<4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_c1_biases(%l: index, %h: index, %i: index, %w: tensor<4x3xf32>,
    %r: tensor<4x4xf32>, %b: tensor<4xf32>, %br: tensor<4xf16>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects `biases` to have element type 'f32' like `weights`, but got 'f16' [C1]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %br : tensor<4xf32>, tensor<4xf16>)
  return
}

// -----

func.func @cudnn_canonical_to_params_c1_result(%l: index, %h: index, %i: index, %w: tensor<4x3xf32>,
    %r: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects result `params` to have element type 'f32' like `weights`, but got 'f16' [C1]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>) -> params(tensor<?xf16>)
  return
}

// -----

func.func @cudnn_canonical_to_params_c2_result(%l: index, %h: index, %i: index, %w: tensor<4x3xf32>,
    %r: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects result `params` to have rank 1, but got rank 2 ('tensor<6x6xf32>') [C2]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>) -> params(tensor<6x6xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_s1_layers(%h: index, %i: index, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>,
    %b: tensor<4xf32>) {
  %l = arith.constant 0 : index
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects `layers` to be positive, but got 0 [S1]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_s1_uncountable(%w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>) {
  %l = arith.constant 1 : index
  %h = arith.constant 4294967296 : index
  %i = arith.constant 4294967296 : index
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op has more parameters than 64 bits can count [S1]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_s2_skip_input(%l: index, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>,
    %b: tensor<4xf32>) {
  %h = arith.constant 4 : index
  %i = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op with `skip_input` expects `input_size` to be 4 like `units`, but got 3 [S2]}}
  rnn.cudnn_canonical_to_params rnn_tanh, skip_input sizes(%l, %h, %i)
      weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>) biases(%b, %b : tensor<4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_s2_auto_select(%l: index, %h: index, %i: index, %w: tensor<4x3xf32>,
    %r: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op with `auto_select` requires constant `units` and `input_size`; use linear_input or skip_input [S2]}}
  rnn.cudnn_canonical_to_params rnn_tanh, auto_select sizes(%l, %h, %i)
      weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>) biases(%b, %b : tensor<4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_s3_outside_lstm(%l: index, %h: index, %i: index, %w: tensor<4x3xf32>,
    %r: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op has `num_proj` = 2, but only mode lstm can project, not rnn_tanh [S3]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>) {num_proj = 2}
  return
}

// -----

func.func @cudnn_canonical_to_params_s4_no_weights(%l: index, %h: index, %i: index, %b: tensor<4xf32>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects a positive multiple of 2 weights (2 for each layer), but got 0 [S4]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) biases(%b, %b : tensor<4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_s4_odd_weights(%l: index, %h: index, %i: index, %w: tensor<4x3xf32>,
    %b: tensor<4xf32>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects a positive multiple of 2 weights (2 for each layer), but got 1 [S4]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w : tensor<4x3xf32>) biases(%b, %b : tensor<4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_s4_odd_biases(%l: index, %h: index, %i: index, %w: tensor<4x3xf32>,
    %r: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects a positive multiple of 2 biases (2 for each layer), but got 1 [S4]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b : tensor<4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_s4_no_biases(%l: index, %h: index, %i: index, %w: tensor<4x3xf32>,
    %r: tensor<4x4xf32>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects a positive multiple of 2 biases (2 for each layer), but got 0 [S4]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_s4_layers(%h: index, %i: index, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>,
    %b: tensor<4xf32>) {
  %l = arith.constant 2 : index
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects 2 weights for each of 2 layer(s), but got 2 [S4]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_s4_layers_overflow(%h: index, %i: index, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>,
    %b: tensor<4xf32>) {
  %l = arith.constant 9223372036854775807 : index
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects 2 weights for each of 9223372036854775807 layer(s), but got 2 [S4]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_s4_different_layers(%l: index, %h: index, %i: index, %w: tensor<4x3xf32>,
    %r: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op has weights for 2 layer(s), but biases for 1 [S4]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i)
      weights(%w, %r, %r, %r : tensor<4x3xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_s5_input_weight(%w: tensor<4x4xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>) {
  %l = arith.constant 1 : index
  %h = arith.constant 4 : index
  %i = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects weight 0 to be 4 x 3 (any shape of 12 elements), but got 'tensor<4x4xf32>' [S5]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_s5_recurrent_weight(%w: tensor<4x3xf32>, %r: tensor<15xf32>, %b: tensor<4xf32>) {
  %l = arith.constant 1 : index
  %h = arith.constant 4 : index
  %i = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects weight 1 to be 4 x 4 (any shape of 16 elements), but got 'tensor<15xf32>' [S5]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<15xf32>)
      biases(%b, %b : tensor<4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_s5_bias(%w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>,
    %br: tensor<2x3xf32>) {
  %l = arith.constant 1 : index
  %h = arith.constant 4 : index
  %i = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects bias 1 to be 4 (any shape of 4 elements), but got 'tensor<2x3xf32>' [S5]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %br : tensor<4xf32>, tensor<2x3xf32>)
  return
}

// -----

// With skip_input the input matrices of the first layer have no elements (TensorFlow aborted here, issue 16042).
func.func @cudnn_canonical_to_params_s5_skip_input_weight(%w: tensor<4x4xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>
    ) {
  %l = arith.constant 1 : index
  %h = arith.constant 4 : index
  %i = arith.constant 4 : index
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects weight 0 to be 0 x 4 (any shape of 0 elements), but got 'tensor<4x4xf32>' [S5]}}
  rnn.cudnn_canonical_to_params rnn_tanh, skip_input sizes(%l, %h, %i) weights(%w, %r : tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_c7_short_result(%w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>) {
  %l = arith.constant 1 : index
  %h = arith.constant 4 : index
  %i = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects `params` to have at least 36 elements (all matrices and biases), but got 35 [C7]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>) -> params(tensor<35xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_c14_outs_on_tensors(%l: index, %h: index, %i: index, %w: tensor<4x3xf32>,
    %r: tensor<4x4xf32>, %b: tensor<4xf32>, %params_out: tensor<36xf32>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op accepts `outs` in memref form only, but got `params` [C14]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>) outs(params = %params_out : tensor<36xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_c14_tensor_among_memrefs(%l: index, %h: index, %i: index, %w: memref<4x3xf32>,
    %r: memref<4x4xf32>, %bw: tensor<4xf32>, %b: memref<4xf32>, %params_out: memref<36xf32>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects all operands to be memrefs once one is, but `biases` is 'tensor<4xf32>' [C14]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : memref<4x3xf32>, memref<4x4xf32>)
      biases(%bw, %b : tensor<4xf32>, memref<4xf32>) outs(params = %params_out : memref<36xf32>)
  return
}

// -----

func.func @cudnn_canonical_to_params_c14_result_on_memrefs(%l: index, %h: index, %i: index, %w: memref<4x3xf32>,
    %r: memref<4x4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op in memref form has no results, but got `params`; pass a buffer in `outs` [C14]}}
  rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %h, %i) weights(%w, %r : memref<4x3xf32>, memref<4x4xf32>)
      biases(%b, %b : memref<4xf32>) -> params(tensor<36xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_c1_weights(%l: index, %h: index, %i: index, %p: tensor<36xf32>) {
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects result `weights` to have element type 'f32' like `params`, but got 'f16' [C1]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : tensor<36xf32>)
      -> weights(tensor<4x3xf32>, tensor<4x4xf16>) biases(tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_c1_biases(%l: index, %h: index, %i: index, %p: tensor<36xf32>) {
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects result `biases` to have element type 'f32' like `params`, but got 'f64' [C1]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : tensor<36xf32>)
      -> weights(tensor<4x3xf32>, tensor<4x4xf32>) biases(tensor<4xf64>, tensor<4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_c2_params(%l: index, %h: index, %i: index, %params: tensor<6x6xf32>) {
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects `params` to have rank 1, but got rank 2 ('tensor<6x6xf32>') [C2]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%params : tensor<6x6xf32>)
      -> weights(tensor<4x3xf32>, tensor<4x4xf32>) biases(tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_c2_weights(%l: index, %h: index, %i: index, %p: tensor<36xf32>) {
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects result `weights` to have rank 2, but got rank 1 ('tensor<12xf32>') [C2]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : tensor<36xf32>)
      -> weights(tensor<12xf32>, tensor<4x4xf32>) biases(tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_c2_biases(%l: index, %h: index, %i: index, %p: tensor<36xf32>) {
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects result `biases` to have rank 1, but got rank 2 ('tensor<1x4xf32>') [C2]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : tensor<36xf32>)
      -> weights(tensor<4x3xf32>, tensor<4x4xf32>) biases(tensor<4xf32>, tensor<1x4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_s1_units(%l: index, %i: index, %p: tensor<36xf32>) {
  %h = arith.constant 0 : index
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects `units` to be positive, but got 0 [S1]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : tensor<36xf32>)
      -> weights(tensor<4x3xf32>, tensor<4x4xf32>) biases(tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_s2_skip_input(%l: index, %p: tensor<36xf32>) {
  %h = arith.constant 4 : index
  %i = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op with `skip_input` expects `input_size` to be 4 like `units`, but got 3 [S2]}}
  rnn.cudnn_params_to_canonical rnn_tanh, skip_input sizes(%l, %h, %i) params(%p : tensor<36xf32>)
      -> weights(tensor<4x3xf32>, tensor<4x4xf32>) biases(tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_s3_outside_lstm(%l: index, %h: index, %i: index, %p: tensor<36xf32>) {
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op has `num_proj` = 2, but only mode lstm can project, not rnn_tanh [S3]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : tensor<36xf32>) {num_proj = 2}
      -> weights(tensor<4x3xf32>, tensor<4x4xf32>) biases(tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_s4_no_results(%l: index, %h: index, %i: index, %p: tensor<36xf32>) {
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects a positive multiple of 2 weights (2 for each layer), but got 0 [S4]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : tensor<36xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_s4_odd_weights(%l: index, %h: index, %i: index, %p: tensor<36xf32>) {
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects a positive multiple of 2 weights (2 for each layer), but got 1 [S4]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : tensor<36xf32>)
      -> weights(tensor<4x3xf32>) biases(tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_s4_layers(%h: index, %i: index, %p: tensor<36xf32>) {
  %l = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects 2 weights for each of 3 layer(s), but got 2 [S4]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : tensor<36xf32>)
      -> weights(tensor<4x3xf32>, tensor<4x4xf32>) biases(tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// A projection is a ninth matrix without a bias.
func.func @cudnn_params_to_canonical_s4_projection(%i: index, %params: tensor<?xf32>) {
  %l = arith.constant 1 : index
  %h = arith.constant 4 : index
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects 9 weights for each of 1 layer(s), but got 8 [S4]}}
  rnn.cudnn_params_to_canonical lstm sizes(%l, %h, %i) params(%params : tensor<?xf32>) {num_proj = 2} ->
      weights(tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>,
      tensor<4x?xf32>, tensor<4x?xf32>) biases(tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
      tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// As in cuDNN, a projection to the hidden size is none.
func.func @cudnn_params_to_canonical_s4_projection_to_hidden(%i: index, %params: tensor<?xf32>) {
  %l = arith.constant 1 : index
  %h = arith.constant 4 : index
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects 8 weights for each of 1 layer(s), but got 9 [S4]}}
  rnn.cudnn_params_to_canonical lstm sizes(%l, %h, %i) params(%params : tensor<?xf32>) {num_proj = 4} ->
      weights(tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>,
      tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>) biases(tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
      tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_s5_weight(%p: tensor<36xf32>) {
  %l = arith.constant 1 : index
  %h = arith.constant 4 : index
  %i = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects result weight 0 to be 4 x 3, but got 'tensor<3x4xf32>' [S5]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : tensor<36xf32>)
      -> weights(tensor<3x4xf32>, tensor<4x4xf32>) biases(tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_s5_bias(%p: tensor<36xf32>) {
  %l = arith.constant 1 : index
  %h = arith.constant 4 : index
  %i = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects result bias 1 to be 4, but got 'tensor<5xf32>' [S5]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : tensor<36xf32>)
      -> weights(tensor<4x3xf32>, tensor<4x4xf32>) biases(tensor<4xf32>, tensor<5xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_s5_out(%p: memref<36xf32>, %w0_out: memref<4x3xf32>, %w1_out: memref<?x3xf32>,
    %b0_out: memref<4xf32>, %b1_out: memref<4xf32>) {
  %l = arith.constant 1 : index
  %h = arith.constant 4 : index
  %i = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects out weight 1 to be 4 x 4, but got 'memref<?x3xf32>' [S5]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : memref<36xf32>) outs(weights = %w0_out, weights
      = %w1_out, biases = %b0_out, biases = %b1_out : memref<4x3xf32>, memref<?x3xf32>, memref<4xf32>, memref<4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_c7_short_params(%params: tensor<35xf32>) {
  %l = arith.constant 1 : index
  %h = arith.constant 4 : index
  %i = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects `params` to have at least 36 elements (all matrices and biases), but got 35 [C7]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%params : tensor<35xf32>)
      -> weights(tensor<4x3xf32>, tensor<4x4xf32>) biases(tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_c14_outs_on_tensors(%l: index, %h: index, %i: index, %p: tensor<36xf32>,
    %w0_out: tensor<4x3xf32>, %w1_out: tensor<4x4xf32>, %b0_out: tensor<4xf32>, %b1_out: tensor<4xf32>) {
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op accepts `outs` in memref form only, but got `weights` [C14]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : tensor<36xf32>) outs(weights = %w0_out, weights
      = %w1_out, biases = %b0_out, biases = %b1_out : tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
      -> weights(tensor<4x3xf32>, tensor<4x4xf32>) biases(tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_c14_memref_result(%l: index, %h: index, %i: index, %p: tensor<36xf32>) {
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects result `weights` to be a tensor, but got 'memref<4x4xf32>' [C14]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : tensor<36xf32>)
      -> weights(tensor<4x3xf32>, memref<4x4xf32>) biases(tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @cudnn_params_to_canonical_c14_tensor_out(%l: index, %h: index, %i: index, %p: memref<36xf32>,
    %w0_out: memref<4x3xf32>, %w1_out: memref<4x4xf32>, %b0_out: memref<4xf32>, %b1_out: tensor<4xf32>) {
  // expected-error @below {{'rnn.cudnn_params_to_canonical' op expects `outs` of `biases` to be a memref, but got 'tensor<4xf32>' [C14]}}
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%l, %h, %i) params(%p : memref<36xf32>) outs(weights = %w0_out, weights
      = %w1_out, biases = %b0_out, biases = %b1_out : memref<4x3xf32>, memref<4x4xf32>, memref<4xf32>, tensor<4xf32>)
  return
}
