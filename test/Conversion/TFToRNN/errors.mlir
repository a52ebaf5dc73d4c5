// errors.mlir - invalid ops, one error each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -allow-unregistered-dialect -convert-tf-to-rnn -verify-diagnostics

//===----------------------------------------------------------------------===//
// Names and counts
//===----------------------------------------------------------------------===//

func.func @unknown_member_of_a_family(%x: tensor<f32>) {
  // expected-error-re @below {{'tf.CudnnRNNV4' op is not supported by convert-tf-to-rnn; the supported ops are tf.CudnnRNN, tf.CudnnRNNV2, {{.*}}, tf.BlockLSTMGradV2}}
  "tf.CudnnRNNV4"(%x) : (tensor<f32>) -> ()
  // expected-error @below {{'tf.BlockLSTMGradGrad' op is not supported by convert-tf-to-rnn}}
  "tf.BlockLSTMGradGrad"(%x) : (tensor<f32>) -> ()
  return
}

// -----

func.func @too_few_operands(%x: tensor<5x2x3xf32>) {
  // expected-error @below {{'tf.CudnnRNNV3' op expects 5 operands (`input`, `input_h`, `input_c`, `params`, `sequence_lengths`), but got 4}}
  %0:5 = "tf.CudnnRNNV3"(%x, %x, %x, %x)
      : (tensor<5x2x3xf32>, tensor<5x2x3xf32>, tensor<5x2x3xf32>, tensor<5x2x3xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi8>)
  return
}

// -----

func.func @too_few_results(%x: tensor<5x2x3xf32>) {
  // expected-error @below {{'tf.CudnnRNNV2' op expects 5 results (`output`, `output_h`, `output_c`, `reserve_space`, `host_reserved`), but got 4}}
  %0:4 = "tf.CudnnRNNV2"(%x, %x, %x, %x)
      : (tensor<5x2x3xf32>, tensor<5x2x3xf32>, tensor<5x2x3xf32>, tensor<5x2x3xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @no_operands_and_no_results() {
  // expected-error @below {{'tf.BlockLSTM' op expects 9 operands (}}
  "tf.BlockLSTM"() : () -> ()
  // expected-error @below {{'tf.CudnnRNNBackpropV3' op expects 13 operands (}}
  "tf.CudnnRNNBackpropV3"() : () -> ()
  // expected-error @below {{'tf.CudnnRNNParamsSize' op expects 3 operands (`num_layers`, `num_units`, `input_size`), but got 0}}
  "tf.CudnnRNNParamsSize"() : () -> ()
  // expected-error @below {{'tf.CudnnRNNCanonicalToParams' op expects at least 5 operands (`num_layers`, `num_units`, `input_size`, weights, biases), but got 0}}
  "tf.CudnnRNNCanonicalToParams"() : () -> ()
  // expected-error @below {{'tf.CudnnRNNParamsToCanonicalV2' op expects 4 operands (`num_layers`, `num_units`, `input_size`, `params`), but got 0}}
  "tf.CudnnRNNParamsToCanonicalV2"() : () -> ()
  return
}

// -----

func.func @region(%l: tensor<i32>) {
  // expected-error @below {{'tf.CudnnRNNParamsSize' op expects no regions, no successors, and another op after it in its block}}
  %0 = "tf.CudnnRNNParamsSize"(%l, %l, %l) ({}) {T = f32} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xi32>
  return
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

// -----

func.func @unknown_word(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'tf.CudnnRNN' op expects attribute `rnn_mode` to be one of "rnn_relu", "rnn_tanh", "lstm", "gru", but got "LSTM"}}
  %0:4 = "tf.CudnnRNN"(%x, %h, %h, %p) {rnn_mode = "LSTM"}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  // expected-error @below {{'tf.CudnnRNN' op expects attribute `direction` to be one of "unidirectional", "bidirectional", but got "both"}}
  %1:4 = "tf.CudnnRNN"(%x, %h, %h, %p) {direction = "both"}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  // expected-error @below {{'tf.CudnnRNN' op expects attribute `input_mode` to be one of "linear_input", "skip_input", "auto_select", but got ""}}
  %2:4 = "tf.CudnnRNN"(%x, %h, %h, %p) {input_mode = ""}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @attribute_of_wrong_kind(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'tf.CudnnRNN' op expects attribute `rnn_mode` to be a string, but got 2 : i64}}
  %0:4 = "tf.CudnnRNN"(%x, %h, %h, %p) {rnn_mode = 2}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  // expected-error @below {{'tf.CudnnRNN' op expects attribute `dropout` to be a floating-point number, but got "0.5"}}
  %1:4 = "tf.CudnnRNN"(%x, %h, %h, %p) {dropout = "0.5"}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  // expected-error @below {{'tf.CudnnRNN' op expects attribute `seed` to be an integer, but got 1.000000e+00 : f64}}
  %2:4 = "tf.CudnnRNN"(%x, %h, %h, %p) {seed = 1.0}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  // expected-error @below {{'tf.CudnnRNN' op expects attribute `seed2` to be an integer of at most 64 bits, but got true}}
  %3:4 = "tf.CudnnRNN"(%x, %h, %h, %p) {seed2 = true}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  // expected-error @below {{'tf.CudnnRNN' op expects attribute `is_training` to be true or false, but got 1 : i64}}
  %4:4 = "tf.CudnnRNN"(%x, %h, %h, %p) {is_training = 1}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @unknown_attribute(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'tf.CudnnRNN' op has an unknown attribute `activation`, which a newer version of TensorFlow may have; remove it if it does not change the result}}
  %0:4 = "tf.CudnnRNN"(%x, %h, %h, %p) {activation = "gelu", name = "layer"}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
  return
}

// -----

func.func @attribute_of_another_version(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'tf.CudnnRNN' op has no attribute `time_major`; remove it, or use the version of the op that has it}}
  %0:4 = "tf.CudnnRNN"(%x, %h, %h, %p) {time_major = false}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @misspelt_attribute(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'tf.CudnnRNN' op has an unknown attribute `dropuot`; did you mean `dropout`?}}
  %0:4 = "tf.CudnnRNN"(%x, %h, %h, %p) {dropuot = 0.5 : f32}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @grad_without_use_peephole(%n: tensor<i64>, %x: tensor<1x1x1xf32>, %s: tensor<1x1xf32>, %w: tensor<2x4xf32>,
                                     %p: tensor<1xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'tf.BlockLSTMGradV2' op requires the attribute `use_peephole`, which has no default; add use_peephole = true or use_peephole = false}}
  %0:8 = "tf.BlockLSTMGradV2"(%n, %x, %s, %s, %w, %p, %p, %p, %b, %x, %x, %x, %x, %x, %x, %x, %x, %x)
      : (tensor<i64>, tensor<1x1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<2x4xf32>, tensor<1xf32>,
         tensor<1xf32>, tensor<1xf32>, tensor<4xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>,
         tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>,
         tensor<1x1x1xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>,
          tensor<*xf32>)
  return
}

// -----

// TensorFlow's V2 has no forget bias. A V1 attribute is an error, not ignored.
func.func @forget_bias_on_v2(%n: tensor<i64>, %x: tensor<1x1x1xf32>, %s: tensor<1x1xf32>, %w: tensor<2x4xf32>,
                             %p: tensor<1xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'tf.BlockLSTMV2' op has no attribute `forget_bias`; remove it, or use the version of the op that has it}}
  %0:7 = "tf.BlockLSTMV2"(%n, %x, %s, %s, %w, %p, %p, %p, %b) {forget_bias = 1.0 : f32}
      : (tensor<i64>, tensor<1x1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<2x4xf32>, tensor<1xf32>,
         tensor<1xf32>, tensor<1xf32>, tensor<4xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @params_size_element_type(%l: tensor<i32>) {
  // expected-error @below {{'tf.CudnnRNNParamsSize' op requires the attribute `T`, the element type of the parameters, which has no default; add T = f32}}
  %0 = "tf.CudnnRNNParamsSize"(%l, %l, %l) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xi32>
  // expected-error @below {{'tf.CudnnRNNParamsSize' op expects attribute `T` to be f16, bf16, f32 or f64, but got 'i32'}}
  %1 = "tf.CudnnRNNParamsSize"(%l, %l, %l) {T = i32} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xi32>
  return
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

// -----

func.func @operand_kinds(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %l: tensor<2xi32>,
                         %i: tensor<5x2x3xi32>, %s: f32, %d: tensor<1x2x4xf64>, %l64: tensor<2xi64>, %l2: tensor<2x1xi32>) {
  // expected-error @below {{'tf.CudnnRNNV3' op expects `input` to be a tensor of f16, bf16, f32 or f64, but got 'tensor<5x2x3xi32>'}}
  %0:5 = "tf.CudnnRNNV3"(%i, %h, %h, %p, %l)
      : (tensor<5x2x3xi32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<2xi32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi8>)
  // expected-error @below {{'tf.CudnnRNNV3' op expects `params` to be a tensor of f16, bf16, f32 or f64, but got 'f32'}}
  %1:5 = "tf.CudnnRNNV3"(%x, %h, %h, %s, %l)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, f32, tensor<2xi32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi8>)
  // expected-error @below {{'tf.CudnnRNNV3' op expects `input_c` to have element type 'f32' like `input`, but got 'tensor<1x2x4xf64>'}}
  %2:5 = "tf.CudnnRNNV3"(%x, %h, %d, %p, %l)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf64>, tensor<?xf32>, tensor<2xi32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi8>)
  // expected-error @below {{'tf.CudnnRNNV3' op expects `sequence_lengths` to be a tensor of i32, but got 'tensor<2xi64>'}}
  %3:5 = "tf.CudnnRNNV3"(%x, %h, %h, %p, %l64)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<2xi64>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi8>)
  // expected-error @below {{'tf.CudnnRNNV3' op expects `sequence_lengths` to have rank 1 ([B]), but got rank 2 ('tensor<2x1xi32>')}}
  %4:5 = "tf.CudnnRNNV3"(%x, %h, %h, %p, %l2)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<2x1xi32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi8>)
  return
}

// -----

// expected-note @below {{`input` comes from here}}
func.func @batch_major_ranks_and_sizes(%x: tensor<2x5x3xf32>, %x2: tensor<2x3xf32>, %h: tensor<3x1x4xf32>,
                                       %p: tensor<?xf32>, %l: tensor<2xi32>) {
  // expected-error @below {{'tf.CudnnRNNV3' op expects `input` to have rank 3 ([B, T, I]), but got rank 2 ('tensor<2x3xf32>')}}
  %0:5 = "tf.CudnnRNNV3"(%x2, %h, %h, %p, %l) {time_major = false}
      : (tensor<2x3xf32>, tensor<3x1x4xf32>, tensor<3x1x4xf32>, tensor<?xf32>, tensor<2xi32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi8>)
  // expected-error @below {{'tf.CudnnRNNV3' op expects dim 1 of `input_h` to be 2 (B, dim 0 of `input`), but got 3 [C4]}}
  // expected-note @below {{sizes of states are those of [L*D, B, .]: time_major = false swaps the first two dimensions}}
  %1:5 = "tf.CudnnRNNV3"(%x, %h, %h, %p, %l) {time_major = false}
      : (tensor<2x5x3xf32>, tensor<3x1x4xf32>, tensor<3x1x4xf32>, tensor<?xf32>, tensor<2xi32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi8>)
  return
}

// -----

func.func @scalars(%n32: tensor<i32>, %n1: tensor<1xi64>, %x: tensor<1x1x1xf32>, %s: tensor<1x1xf32>, %w: tensor<2x4xf32>,
                   %p: tensor<1xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'tf.BlockLSTM' op expects `seq_len_max` to be a rank-0 tensor of i64, but got 'tensor<i32>'}}
  %0:7 = "tf.BlockLSTM"(%n32, %x, %s, %s, %w, %p, %p, %p, %b)
      : (tensor<i32>, tensor<1x1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<2x4xf32>, tensor<1xf32>,
         tensor<1xf32>, tensor<1xf32>, tensor<4xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  // expected-error @below {{'tf.BlockLSTM' op expects `seq_len_max` to have rank 0 (a scalar), but got rank 1 ('tensor<1xi64>')}}
  %1:7 = "tf.BlockLSTM"(%n1, %x, %s, %s, %w, %p, %p, %p, %b)
      : (tensor<1xi64>, tensor<1x1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<2x4xf32>, tensor<1xf32>,
         tensor<1xf32>, tensor<1xf32>, tensor<4xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  // expected-error @below {{'tf.CudnnRNNParamsSize' op expects `num_units` to be a rank-0 tensor of i32, but got 'tensor<1xi64>'}}
  %2 = "tf.CudnnRNNParamsSize"(%n32, %n1, %n32) {T = f32} : (tensor<i32>, tensor<1xi64>, tensor<i32>) -> tensor<1xi32>
  return
}

// -----

func.func @sizes_by_tensorflow_names() {
  %zero = "tf.Const"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %one = "tf.Const"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
  // expected-error @below {{'tf.CudnnRNNParamsSize' op expects `num_units` to be positive, but got 0 [S1]}}
  %0 = "tf.CudnnRNNParamsSize"(%one, %zero, %one) {T = f32} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xi32>
  // expected-error @below {{'tf.CudnnRNNParamsSize' op expects `num_layers` to be positive, but got 0 [S1]}}
  %1 = "tf.CudnnRNNParamsSize"(%zero, %one, %one) {T = f32} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xi32>
  return
}

// -----

func.func @canonical_weight_of_unknown_rank(%n: tensor<i32>, %w: tensor<?x?xf32>, %u: tensor<*xf32>, %b: tensor<?xf32>) {
  // expected-error @below {{'tf.CudnnRNNCanonicalToParams' op expects `weights[1]` to have a static rank, since any shape is valid here, but got 'tensor<*xf32>'; add a tensor.cast to its rank}}
  %0 = "tf.CudnnRNNCanonicalToParams"(%n, %n, %n, %w, %u, %b, %b) {rnn_mode = "rnn_relu", num_params = 2 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<?x?xf32>, tensor<*xf32>, tensor<?xf32>, tensor<?xf32>)
      -> tensor<?xf32>
  return
}

// -----

func.func @canonical_counts(%n: tensor<i32>, %w: tensor<?x?xf32>, %b: tensor<?xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'tf.CudnnRNNCanonicalToParams' op expects 2 operands after `input_size` (1 weights and 1 biases), but got 3}}
  %0 = "tf.CudnnRNNCanonicalToParams"(%n, %n, %n, %w, %w, %b) {rnn_mode = "rnn_relu"}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) -> tensor<?xf32>
  // expected-error @below {{'tf.CudnnRNNCanonicalToParams' op expects attribute `num_params` to be at least 1 and at most 3, the number of operands after `input_size`, but got 0}}
  %1 = "tf.CudnnRNNCanonicalToParams"(%n, %n, %n, %w, %w, %b) {rnn_mode = "rnn_relu", num_params = 0 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) -> tensor<?xf32>
  // expected-error @below {{'tf.CudnnRNNParamsToCanonicalV2' op expects 3 results (2 weights and 1 biases), but got 4}}
  %2:4 = "tf.CudnnRNNParamsToCanonicalV2"(%n, %n, %n, %p)
      {rnn_mode = "rnn_relu", num_params_weights = 2 : i64, num_params_biases = 1 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  // expected-error @below {{'tf.CudnnRNNParamsToCanonicalV2' op expects a positive multiple of 9 weights (9 for each layer), but got 8 [S4]}}
  %3:16 = "tf.CudnnRNNParamsToCanonicalV2"(%n, %n, %n, %p)
      {num_proj = 2 : i64, num_params_weights = 8 : i64, num_params_biases = 8 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>,
          tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>,
          tensor<*xf32>, tensor<*xf32>)
  return
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

// -----

func.func @declared_result_does_not_fit(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'tf.CudnnRNN' op declares result `output` as 'tensor<5x2x8xf32>', but the operands imply 'tensor<5x2x4xf32>'}}
  %0:4 = "tf.CudnnRNN"(%x, %h, %h, %p)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x8xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @placeholder_of_no_numbers(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> i8 {
  // expected-error @below {{'tf.CudnnRNNV2' op expects result `host_reserved` to be a tensor of numbers, but it is declared as 'i8'}}
  %0:5 = "tf.CudnnRNNV2"(%x, %h, %h, %p)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, i8)
  return %0#4 : i8
}

// -----

func.func @params_size_result(%l: tensor<i32>) {
  // expected-error @below {{'tf.CudnnRNNParamsSize' op expects result `params_size` to be a tensor of i32 or i64, but it is declared as 'tensor<1xf32>'}}
  %0 = "tf.CudnnRNNParamsSize"(%l, %l, %l) {T = f32} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xf32>
  // expected-error @below {{'tf.CudnnRNNParamsSize' op declares result `params_size` as 'tensor<i32>', but the operands imply 'tensor<1xi32>'}}
  %1 = "tf.CudnnRNNParamsSize"(%l, %l, %l) {T = f32} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @params_size_beyond_i32() {
  %layers = arith.constant dense<10> : tensor<i32>
  %units = arith.constant dense<10000> : tensor<i32>
  // expected-error @below {{'tf.CudnnRNNParamsSize' op has more parameters than an i32 `params_size` can hold; declare it as tensor<1xi64> (S = i64)}}
  %0 = "tf.CudnnRNNParamsSize"(%layers, %units, %units) {T = f32}
      : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xi32>
  return
}
