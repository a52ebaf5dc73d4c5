// invalid-params-size.mlir - errors of rnn.cudnn_params_size and rnn.cudnn_reserve_size.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

func.func @cudnn_params_size_s1_layers(%h: index, %i: index) {
  %l = arith.constant 0 : index
  // expected-error @below {{'rnn.cudnn_params_size' op expects `layers` to be positive, but got 0 [S1]}}
  rnn.cudnn_params_size lstm sizes(%l, %h, %i) {element_type = f32}
  return
}

// -----

func.func @cudnn_params_size_s1_units(%l: index, %i: index) {
  %h = arith.constant -4 : index
  // expected-error @below {{'rnn.cudnn_params_size' op expects `units` to be positive, but got -4 [S1]}}
  rnn.cudnn_params_size lstm sizes(%l, %h, %i) {element_type = f32}
  return
}

// -----

func.func @cudnn_params_size_s1_input_size(%l: index, %h: index) {
  %i = arith.constant 0 : index
  // expected-error @below {{'rnn.cudnn_params_size' op expects `input_size` to be positive, but got 0 [S1]}}
  rnn.cudnn_params_size lstm sizes(%l, %h, %i) {element_type = f32}
  return
}

// -----

func.func @cudnn_params_size_s1_uncountable() {
  %l = arith.constant 1 : index
  %h = arith.constant 4294967296 : index
  %i = arith.constant 4294967296 : index
  // expected-error @below {{'rnn.cudnn_params_size' op has more parameters than 64 bits can count [S1]}}
  rnn.cudnn_params_size lstm sizes(%l, %h, %i) {element_type = f32}
  return
}

// -----

func.func @cudnn_params_size_s2_skip_input(%l: index) {
  %h = arith.constant 4 : index
  %i = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_params_size' op with `skip_input` expects `input_size` to be 4 like `units`, but got 3 [S2]}}
  rnn.cudnn_params_size gru, skip_input sizes(%l, %h, %i) {element_type = f32}
  return
}

// -----

func.func @cudnn_params_size_s2_auto_select_units(%l: index, %h: index) {
  %i = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_params_size' op with `auto_select` requires constant `units` and `input_size`; use linear_input or skip_input [S2]}}
  rnn.cudnn_params_size gru, auto_select sizes(%l, %h, %i) {element_type = f32}
  return
}

// -----

func.func @cudnn_params_size_s2_auto_select_input_size(%l: index, %i: index) {
  %h = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_params_size' op with `auto_select` requires constant `units` and `input_size`; use linear_input or skip_input [S2]}}
  rnn.cudnn_params_size gru, auto_select sizes(%l, %h, %i) {element_type = f32}
  return
}

// -----

func.func @cudnn_params_size_s3_negative(%l: index, %h: index, %i: index) {
  // expected-error @below {{'rnn.cudnn_params_size' op expects `num_proj` to be 0 (no projection) or positive, but got -2 [S3]}}
  rnn.cudnn_params_size lstm sizes(%l, %h, %i) {element_type = f32, num_proj = -2}
  return
}

// -----

func.func @cudnn_params_size_s3_outside_lstm(%l: index, %h: index, %i: index) {
  // expected-error @below {{'rnn.cudnn_params_size' op has `num_proj` = 2, but only mode lstm can project, not rnn_relu [S3]}}
  rnn.cudnn_params_size rnn_relu sizes(%l, %h, %i) {element_type = f32, num_proj = 2}
  return
}

// -----

func.func @cudnn_params_size_s3_above_units(%l: index, %i: index) {
  %h = arith.constant 4 : index
  // expected-error @below {{'rnn.cudnn_params_size' op expects `num_proj` to be at most the hidden size 4, but got 5 [S3]}}
  rnn.cudnn_params_size lstm sizes(%l, %h, %i) {element_type = f32, num_proj = 5}
  return
}

// -----

func.func @cudnn_params_size_s6_element_type(%l: index, %h: index, %i: index) {
  // expected-error @below {{'rnn.cudnn_params_size' op expects `element_type` to be f16, bf16, f32 or f64, but got 'i32' [S6]}}
  rnn.cudnn_params_size lstm sizes(%l, %h, %i) {element_type = i32}
  return
}

// -----

func.func @cudnn_reserve_size_s1_layers(%h: index, %i: index, %t: index, %bt: index) {
  %l = arith.constant 0 : index
  // expected-error @below {{'rnn.cudnn_reserve_size' op expects `layers` to be positive, but got 0 [S1]}}
  rnn.cudnn_reserve_size lstm sizes(%l, %h, %i) extent(%t, %bt) {element_type = f32}
  return
}

// -----

func.func @cudnn_reserve_size_s1_units(%l: index, %i: index, %t: index, %bt: index) {
  %h = arith.constant -4 : index
  // expected-error @below {{'rnn.cudnn_reserve_size' op expects `units` to be positive, but got -4 [S1]}}
  rnn.cudnn_reserve_size lstm sizes(%l, %h, %i) extent(%t, %bt) {element_type = f32}
  return
}

// -----

func.func @cudnn_reserve_size_s1_input_size(%l: index, %h: index, %t: index, %bt: index) {
  %i = arith.constant 0 : index
  // expected-error @below {{'rnn.cudnn_reserve_size' op expects `input_size` to be positive, but got 0 [S1]}}
  rnn.cudnn_reserve_size lstm sizes(%l, %h, %i) extent(%t, %bt) {element_type = f32}
  return
}

// -----

func.func @cudnn_reserve_size_s1_uncountable(%t: index, %bt: index) {
  %l = arith.constant 1 : index
  %h = arith.constant 4294967296 : index
  %i = arith.constant 4294967296 : index
  // expected-error @below {{'rnn.cudnn_reserve_size' op has more parameters than 64 bits can count [S1]}}
  rnn.cudnn_reserve_size lstm sizes(%l, %h, %i) extent(%t, %bt) {element_type = f32}
  return
}

// -----

func.func @cudnn_reserve_size_s1_steps(%l: index, %h: index, %i: index, %bt: index) {
  %t = arith.constant 0 : index
  // expected-error @below {{'rnn.cudnn_reserve_size' op expects `steps` to be positive, but got 0 [S1]}}
  rnn.cudnn_reserve_size lstm sizes(%l, %h, %i) extent(%t, %bt) {element_type = f32}
  return
}

// -----

func.func @cudnn_reserve_size_s1_batch(%l: index, %h: index, %i: index, %t: index) {
  %bt = arith.constant -1 : index
  // expected-error @below {{'rnn.cudnn_reserve_size' op expects `batch` to be positive, but got -1 [S1]}}
  rnn.cudnn_reserve_size lstm sizes(%l, %h, %i) extent(%t, %bt) {element_type = f32}
  return
}

// -----

func.func @cudnn_reserve_size_s2_skip_input(%l: index, %t: index, %bt: index) {
  %h = arith.constant 4 : index
  %i = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_reserve_size' op with `skip_input` expects `input_size` to be 4 like `units`, but got 3 [S2]}}
  rnn.cudnn_reserve_size gru, skip_input sizes(%l, %h, %i) extent(%t, %bt) {element_type = f32}
  return
}

// -----

func.func @cudnn_reserve_size_s2_auto_select_units(%l: index, %h: index, %t: index, %bt: index) {
  %i = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_reserve_size' op with `auto_select` requires constant `units` and `input_size`; use linear_input or skip_input [S2]}}
  rnn.cudnn_reserve_size gru, auto_select sizes(%l, %h, %i) extent(%t, %bt) {element_type = f32}
  return
}

// -----

func.func @cudnn_reserve_size_s2_auto_select_input_size(%l: index, %i: index, %t: index, %bt: index) {
  %h = arith.constant 3 : index
  // expected-error @below {{'rnn.cudnn_reserve_size' op with `auto_select` requires constant `units` and `input_size`; use linear_input or skip_input [S2]}}
  rnn.cudnn_reserve_size gru, auto_select sizes(%l, %h, %i) extent(%t, %bt) {element_type = f32}
  return
}

// -----

func.func @cudnn_reserve_size_s3_negative(%l: index, %h: index, %i: index, %t: index, %bt: index) {
  // expected-error @below {{'rnn.cudnn_reserve_size' op expects `num_proj` to be 0 (no projection) or positive, but got -2 [S3]}}
  rnn.cudnn_reserve_size lstm sizes(%l, %h, %i) extent(%t, %bt) {element_type = f32, num_proj = -2}
  return
}

// -----

func.func @cudnn_reserve_size_s3_outside_lstm(%l: index, %h: index, %i: index, %t: index, %bt: index) {
  // expected-error @below {{'rnn.cudnn_reserve_size' op has `num_proj` = 2, but only mode lstm can project, not rnn_relu [S3]}}
  rnn.cudnn_reserve_size rnn_relu sizes(%l, %h, %i) extent(%t, %bt) {element_type = f32, num_proj = 2}
  return
}

// -----

func.func @cudnn_reserve_size_s3_above_units(%l: index, %i: index, %t: index, %bt: index) {
  %h = arith.constant 4 : index
  // expected-error @below {{'rnn.cudnn_reserve_size' op expects `num_proj` to be at most the hidden size 4, but got 5 [S3]}}
  rnn.cudnn_reserve_size lstm sizes(%l, %h, %i) extent(%t, %bt) {element_type = f32, num_proj = 5}
  return
}

// -----

func.func @cudnn_reserve_size_s6_element_type(%l: index, %h: index, %i: index, %t: index, %bt: index) {
  // expected-error @below {{'rnn.cudnn_reserve_size' op expects `element_type` to be f16, bf16, f32 or f64, but got 'i32' [S6]}}
  rnn.cudnn_reserve_size lstm sizes(%l, %h, %i) extent(%t, %bt) {element_type = i32}
  return
}

// -----

func.func @cudnn_reserve_size_c9_dropout(%l: index, %h: index, %i: index, %t: index, %bt: index) {
  // expected-error @below {{'rnn.cudnn_reserve_size' op expects `dropout` to be in [0, 1], but got 2.000000e+00 [C9]}}
  rnn.cudnn_reserve_size lstm sizes(%l, %h, %i) extent(%t, %bt) {element_type = f32, dropout = 2.0}
  return
}

// -----

func.func @cudnn_reserve_size_c10_seed(%l: index, %h: index, %i: index, %t: index, %bt: index) {
  // expected-error @below {{'rnn.cudnn_reserve_size' op expects `seed` to fit in 32 bits, but got -2147483649 [C10]}}
  rnn.cudnn_reserve_size lstm sizes(%l, %h, %i) extent(%t, %bt) {element_type = f32, seed = -2147483649}
  return
}
