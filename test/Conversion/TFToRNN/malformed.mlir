// malformed.mlir - inputs that crashed TensorFlow or read and wrote out of bounds. Each is one error here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -allow-unregistered-dialect -convert-tf-to-rnn -verify-diagnostics

//===----------------------------------------------------------------------===//
// Block LSTM
//===----------------------------------------------------------------------===//

// Every tensor is [1, 1, 1].
func.func @cve_2022_35964_ghsa_f7r5_q7cx_h668(%t: tensor<1x1x1xf32>) {
  %n = "tf.Const"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  // expected-error @below {{'tf.BlockLSTMGradV2' op expects `cs_prev` to have rank 2 ([B, H]), but got rank 3 ('tensor<1x1x1xf32>')}}
  %0:8 = "tf.BlockLSTMGradV2"(%n, %t, %t, %t, %t, %t, %t, %t, %t, %t, %t, %t, %t, %t, %t, %t, %t, %t)
      {use_peephole = true}
      : (tensor<i64>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>,
         tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>,
         tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>,
         tensor<1x1x1xf32>, tensor<1x1x1xf32>)
      -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>,
          tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
  return
}

// -----

// The cell op itself is not modelled.
func.func @cve_2022_29200_cell(%x: tensor<28x29xf32>, %s: tensor<28x17xf32>, %w: tensor<46x68xf32>, %wci: tensor<f32>,
                               %wcf: tensor<17xf32>, %wco: tensor<28x17xf32>, %b: tensor<68xf32>) {
  // expected-error @below {{'tf.LSTMBlockCell' op is not supported; use tf.BlockLSTM with T = 1 for a step of this cell}}
  %0:7 = "tf.LSTMBlockCell"(%x, %s, %s, %w, %wci, %wcf, %wco, %b)
      : (tensor<28x29xf32>, tensor<28x17xf32>, tensor<28x17xf32>, tensor<46x68xf32>, tensor<f32>, tensor<17xf32>,
         tensor<28x17xf32>, tensor<68xf32>)
      -> (tensor<28x17xf32>, tensor<28x17xf32>, tensor<28x17xf32>, tensor<28x17xf32>, tensor<28x17xf32>,
          tensor<28x17xf32>, tensor<28x17xf32>)
  return
}

// -----

// The same operands as one step of a layer.
func.func @cve_2022_29200_layer(%n: tensor<i64>, %x: tensor<1x28x29xf32>, %s: tensor<28x17xf32>, %w: tensor<46x68xf32>,
                                %wci: tensor<f32>, %wcf: tensor<17xf32>, %wco: tensor<28x17xf32>, %b: tensor<68xf32>) {
  // expected-error @below {{'tf.BlockLSTM' op expects `wci` to have rank 1 ([H]), but got rank 0 ('tensor<f32>')}}
  %0:7 = "tf.BlockLSTM"(%n, %x, %s, %s, %w, %wci, %wcf, %wco, %b)
      : (tensor<i64>, tensor<1x28x29xf32>, tensor<28x17xf32>, tensor<28x17xf32>, tensor<46x68xf32>, tensor<f32>,
         tensor<17xf32>, tensor<28x17xf32>, tensor<68xf32>)
      -> (tensor<1x28x17xf32>, tensor<1x28x17xf32>, tensor<1x28x17xf32>, tensor<1x28x17xf32>, tensor<1x28x17xf32>,
          tensor<1x28x17xf32>, tensor<1x28x17xf32>)
  return
}

// -----

func.func @issue_58175_seq_len_max_rank_3(%n: tensor<13x11x0xi64>, %x: tensor<1x3x15xf32>, %s: tensor<3x0xf32>,
                                          %w: tensor<15x0xf32>, %p: tensor<0xf32>) {
  // expected-error @below {{'tf.BlockLSTM' op expects `seq_len_max` to have rank 0 (a scalar), but got rank 3 ('tensor<13x11x0xi64>')}}
  %0:7 = "tf.BlockLSTM"(%n, %x, %s, %s, %w, %p, %p, %p, %p)
      : (tensor<13x11x0xi64>, tensor<1x3x15xf32>, tensor<3x0xf32>, tensor<3x0xf32>, tensor<15x0xf32>, tensor<0xf32>,
         tensor<0xf32>, tensor<0xf32>, tensor<0xf32>)
      -> (tensor<1x3x0xf32>, tensor<1x3x0xf32>, tensor<1x3x0xf32>, tensor<1x3x0xf32>, tensor<1x3x0xf32>,
          tensor<1x3x0xf32>, tensor<1x3x0xf32>)
  return
}

// -----

// A hidden size of 0; also TensorFlow's test EmptyInput.
func.func @issue_90915_no_hidden_units(%x: tensor<10x2x16xf16>, %s: tensor<2x0xf16>, %w: tensor<16x0xf16>,
                                       %p: tensor<0xf16>, %g: tensor<10x2x0xf16>) {
  %n = "tf.Const"() {value = dense<10> : tensor<i64>} : () -> tensor<i64>
  // expected-error @below {{'tf.BlockLSTMGrad' op expects H (the hidden size, dim 1 of `cs_prev`) to be at least 1, but got 0 [B4]}}
  %0:8 = "tf.BlockLSTMGrad"(%n, %x, %s, %s, %w, %p, %p, %p, %p, %g, %g, %g, %g, %g, %g, %g, %g, %g)
      {use_peephole = false}
      : (tensor<i64>, tensor<10x2x16xf16>, tensor<2x0xf16>, tensor<2x0xf16>, tensor<16x0xf16>, tensor<0xf16>,
         tensor<0xf16>, tensor<0xf16>, tensor<0xf16>, tensor<10x2x0xf16>, tensor<10x2x0xf16>, tensor<10x2x0xf16>,
         tensor<10x2x0xf16>, tensor<10x2x0xf16>, tensor<10x2x0xf16>, tensor<10x2x0xf16>, tensor<10x2x0xf16>,
         tensor<10x2x0xf16>)
      -> (tensor<10x2x16xf16>, tensor<2x0xf16>, tensor<2x0xf16>, tensor<16x0xf16>, tensor<0xf16>, tensor<0xf16>,
          tensor<0xf16>, tensor<0xf16>)
  return
}

// -----

// The saved results and the gradients have rank 2.
func.func @issue_104847_104830_saved_rank_2(%n: tensor<i64>, %x: tensor<1x1x1xf32>, %s: tensor<1x1xf32>,
                                            %w: tensor<1x1xf32>, %p: tensor<1xf32>) {
  // expected-error @below {{'tf.BlockLSTMGrad' op expects `i` to have rank 3 ([T, B, H]), but got rank 2 ('tensor<1x1xf32>')}}
  %0:8 = "tf.BlockLSTMGrad"(%n, %x, %s, %s, %w, %p, %p, %p, %p, %s, %s, %s, %s, %s, %s, %s, %s, %s)
      {use_peephole = false}
      : (tensor<i64>, tensor<1x1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xf32>,
         tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>,
         tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>)
      -> (tensor<1x1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xf32>, tensor<1xf32>,
          tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

// w [1, 1] and b [1] cannot hold four gates.
func.func @issue_104847_104830_w_without_gates(%n: tensor<i64>, %x: tensor<1x1x1xf32>, %s: tensor<1x1xf32>,
                                               %w: tensor<1x1xf32>, %p: tensor<1xf32>, %g: tensor<1x1x1xf32>) {
  // expected-error @below {{'tf.BlockLSTMGrad' op expects dim 0 of `w` to be 2 (I + H, where I = 1 is dim 2 of `x` and H = 1 is dim 1 of `cs_prev`), but got 1 [B5]}}
  // expected-note @-3 {{`x` comes from here}}
  // expected-note @-4 {{`cs_prev` comes from here}}
  %0:8 = "tf.BlockLSTMGrad"(%n, %x, %s, %s, %w, %p, %p, %p, %p, %g, %g, %g, %g, %g, %g, %g, %g, %g)
      {use_peephole = false}
      : (tensor<i64>, tensor<1x1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xf32>,
         tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>,
         tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>,
         tensor<1x1x1xf32>)
      -> (tensor<1x1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xf32>, tensor<1xf32>,
          tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @issue_106407_seq_len_max_beyond_steps(%x: tensor<2x2x4xf32>, %s: tensor<2x5xf32>, %w: tensor<9x20xf32>,
                                                 %p: tensor<5xf32>, %b: tensor<20xf32>, %g: tensor<2x2x5xf32>) {
  %n = arith.constant dense<3> : tensor<i64>
  // expected-error @below {{'tf.BlockLSTMGradV2' op expects `seq_len_max` to be in [0, 2] (T is dim 0 of `x`), but got 3 [B7]}}
  %0:8 = "tf.BlockLSTMGradV2"(%n, %x, %s, %s, %w, %p, %p, %p, %b, %g, %g, %g, %g, %g, %g, %g, %g, %g)
      {use_peephole = true}
      : (tensor<i64>, tensor<2x2x4xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<9x20xf32>, tensor<5xf32>,
         tensor<5xf32>, tensor<5xf32>, tensor<20xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>,
         tensor<2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>,
         tensor<2x2x5xf32>)
      -> (tensor<2x2x4xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<9x20xf32>, tensor<5xf32>, tensor<5xf32>,
          tensor<5xf32>, tensor<20xf32>)
  return
}

// -----

func.func @issue_124974_seq_len_max_10_of_2(%x: tensor<2x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
                                            %p: tensor<4xf32>, %b: tensor<16xf32>) {
  %n = "tf.Const"() {value = dense<10> : tensor<i64>} : () -> tensor<*xi64>
  // expected-error @below {{'tf.BlockLSTM' op expects `seq_len_max` to be in [0, 2] (T is dim 0 of `x`), but got 10 [B7]}}
  %0:7 = "tf.BlockLSTM"(%n, %x, %s, %s, %w, %p, %p, %p, %b)
      : (tensor<*xi64>, tensor<2x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>,
         tensor<4xf32>, tensor<4xf32>, tensor<16xf32>)
      -> (tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>,
          tensor<2x2x4xf32>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @issue_124974_seq_len_max_negative(%x: tensor<?x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
                                             %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<?x2x4xf32>) {
  %n = "tf.Const"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  // expected-error @below {{'tf.BlockLSTMGrad' op expects `seq_len_max` to be in [0, T] (T is dim 0 of `x`), but got -1 [B7]}}
  %0:8 = "tf.BlockLSTMGrad"(%n, %x, %s, %s, %w, %p, %p, %p, %b, %g, %g, %g, %g, %g, %g, %g, %g, %g)
      {use_peephole = false}
      : (tensor<i64>, tensor<?x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>,
         tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<?x2x4xf32>, tensor<?x2x4xf32>, tensor<?x2x4xf32>,
         tensor<?x2x4xf32>, tensor<?x2x4xf32>, tensor<?x2x4xf32>, tensor<?x2x4xf32>, tensor<?x2x4xf32>,
         tensor<?x2x4xf32>)
      -> (tensor<?x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>,
          tensor<4xf32>, tensor<16xf32>)
  return
}

// -----

// No batch in x, but in all others.
func.func @issue_112746_empty_batch(%n: tensor<i64>, %x: tensor<3x0x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
                                    %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<3x2x4xf32>) {
  // expected-error @below {{'tf.BlockLSTMGrad' op expects dim 0 of `cs_prev` to be 0 (B, dim 1 of `x`), but got 2 [B4]}}
  // expected-note @-3 {{`x` comes from here}}
  %0:8 = "tf.BlockLSTMGrad"(%n, %x, %s, %s, %w, %p, %p, %p, %b, %g, %g, %g, %g, %g, %g, %g, %g, %g)
      {use_peephole = false}
      : (tensor<i64>, tensor<3x0x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>,
         tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<3x2x4xf32>, tensor<3x2x4xf32>, tensor<3x2x4xf32>,
         tensor<3x2x4xf32>, tensor<3x2x4xf32>, tensor<3x2x4xf32>, tensor<3x2x4xf32>, tensor<3x2x4xf32>,
         tensor<3x2x4xf32>)
      -> (tensor<3x0x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>,
          tensor<4xf32>, tensor<16xf32>)
  return
}

// -----

// A different batch, which computed wrong results without an error.
func.func @issue_112746_other_batch(%n: tensor<i64>, %x: tensor<3x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
                                    %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<3x5x4xf32>) {
  // expected-error @below {{'tf.BlockLSTMGrad' op expects dim 1 of `i` to be 2 (B, dim 1 of `x`), but got 5 [B8]}}
  // expected-note @-3 {{`x` comes from here}}
  %0:8 = "tf.BlockLSTMGrad"(%n, %x, %s, %s, %w, %p, %p, %p, %b, %g, %g, %g, %g, %g, %g, %g, %g, %g)
      {use_peephole = false}
      : (tensor<i64>, tensor<3x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>,
         tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<3x5x4xf32>, tensor<3x5x4xf32>, tensor<3x5x4xf32>,
         tensor<3x5x4xf32>, tensor<3x5x4xf32>, tensor<3x5x4xf32>, tensor<3x5x4xf32>, tensor<3x5x4xf32>,
         tensor<3x5x4xf32>)
      -> (tensor<3x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>,
          tensor<4xf32>, tensor<16xf32>)
  return
}

// -----

// `i` has one step and x three.
func.func @issue_112746_saved_steps(%n: tensor<i64>, %x: tensor<3x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
                                    %p: tensor<4xf32>, %b: tensor<16xf32>, %i: tensor<1x2x4xf32>,
                                    %g: tensor<3x2x4xf32>) {
  // expected-error @below {{'tf.BlockLSTMGrad' op expects dim 0 of `i` to be 3 (T, dim 0 of `x`), but got 1 [B8]}}
  // expected-note @-4 {{`x` comes from here}}
  %0:8 = "tf.BlockLSTMGrad"(%n, %x, %s, %s, %w, %p, %p, %p, %b, %i, %g, %g, %g, %g, %g, %g, %g, %g)
      {use_peephole = false}
      : (tensor<i64>, tensor<3x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>,
         tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<1x2x4xf32>, tensor<3x2x4xf32>, tensor<3x2x4xf32>,
         tensor<3x2x4xf32>, tensor<3x2x4xf32>, tensor<3x2x4xf32>, tensor<3x2x4xf32>, tensor<3x2x4xf32>,
         tensor<3x2x4xf32>)
      -> (tensor<3x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>,
          tensor<4xf32>, tensor<16xf32>)
  return
}

// -----

func.func @issue_112746_cell_grad_rank_1(%x: tensor<3xf32>) {
  // expected-error @below {{'tf.LSTMBlockCellGrad' op is not supported; use tf.BlockLSTM with T = 1 for a step of this cell}}
  %0:3 = "tf.LSTMBlockCellGrad"(%x) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

//===----------------------------------------------------------------------===//
// cuDNN
//===----------------------------------------------------------------------===//

// -----

func.func @cve_2021_41221_ghsa_cqv6_3phm_hcwx_v1() {
  %x = "tf.Const"() {value = dense<0.1> : tensor<2xf32>} : () -> tensor<2xf32>
  %h = "tf.Const"() {value = dense<0.5> : tensor<1xf32>} : () -> tensor<1xf32>
  // expected-error @below {{'tf.CudnnRNN' op expects `input` to have rank 3 ([T, B, I]), but got rank 1 ('tensor<2xf32>')}}
  %0:4 = "tf.CudnnRNN"(%x, %h, %h, %x) : (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<2xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @cve_2021_41221_ghsa_cqv6_3phm_hcwx_v2(%x: tensor<5x2x3xf32>, %h: tensor<1xf32>) {
  // expected-error @below {{'tf.CudnnRNNV2' op expects `input_h` to have rank 3 ([L*D, B, P]), but got rank 1 ('tensor<1xf32>')}}
  %0:5 = "tf.CudnnRNNV2"(%x, %h, %h, %h) : (tensor<5x2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi8>)
  return
}

// -----

func.func @cve_2021_41221_ghsa_cqv6_3phm_hcwx_v3(%x: tensor<2xf32>, %h: tensor<1xf32>, %p: tensor<2xf32>) {
  %l = "tf.Const"() {value = dense<[-1, 0, 1]> : tensor<3xi32>} : () -> tensor<3xi32>
  // expected-error @below {{'tf.CudnnRNNV3' op expects `input` to have rank 3 ([T, B, I]), but got rank 1 ('tensor<2xf32>')}}
  %0:5 = "tf.CudnnRNNV3"(%x, %h, %h, %p, %l)
      : (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<2xf32>, tensor<3xi32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi8>)
  return
}

// -----

// The lengths of that report in an op that is otherwise right.
func.func @cve_2021_41221_ghsa_cqv6_3phm_hcwx_lengths(%x: tensor<5x3x3xf32>, %h: tensor<1x3x4xf32>, %p: tensor<?xf32>) {
  %l = "tf.Const"() {value = dense<[-1, 0, 1]> : tensor<3xi32>} : () -> tensor<3xi32>
  // expected-error @below {{'tf.CudnnRNNV3' op expects `sequence_lengths` to be in [0, 5], but element 0 is -1 [C11]}}
  %0:5 = "tf.CudnnRNNV3"(%x, %h, %h, %p, %l)
      : (tensor<5x3x3xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<?xf32>, tensor<3xi32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi8>)
  return
}

// -----

// GRU with skip_input, where the first layer has no input matrix.
func.func @issue_16042_skip_input_with_matrix(%w: tensor<100x100xf32>, %b: tensor<100xf32>) {
  %one = "tf.Const"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %n = "tf.Const"() {value = dense<100> : tensor<i32>} : () -> tensor<i32>
  // expected-error @below {{'tf.CudnnRNNCanonicalToParams' op expects weight 0 to be 0 x 100 (any shape of 0 elements), but got 'tensor<100x100xf32>' [S5]}}
  %p = "tf.CudnnRNNCanonicalToParams"(%one, %n, %n, %w, %w, %w, %w, %w, %w, %b, %b, %b, %b, %b, %b)
      {rnn_mode = "gru", input_mode = "skip_input", num_params = 6 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<100x100xf32>, tensor<100x100xf32>, tensor<100x100xf32>,
         tensor<100x100xf32>, tensor<100x100xf32>, tensor<100x100xf32>, tensor<100xf32>, tensor<100xf32>,
         tensor<100xf32>, tensor<100xf32>, tensor<100xf32>, tensor<100xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @input_c_of_rank_below_3_forward(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<0xf32>,
                                           %p: tensor<?xf32>) {
  // expected-error @below {{'tf.CudnnRNN' op expects `input_c` to have rank 3 ([L*D, B, H]), but got rank 1 ('tensor<0xf32>')}}
  %0:4 = "tf.CudnnRNN"(%x, %h, %c, %p) : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<0xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @input_c_of_rank_below_3_backprop(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<f32>,
                                            %p: tensor<?xf32>, %y: tensor<5x2x4xf32>, %r: tensor<?xf32>) {
  // expected-error @below {{'tf.CudnnRNNBackprop' op expects `input_c` to have rank 3 ([L*D, B, H]), but got rank 0 ('tensor<f32>')}}
  %0:4 = "tf.CudnnRNNBackprop"(%x, %h, %c, %p, %y, %h, %h, %y, %h, %h, %r)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<f32>, tensor<?xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>,
         tensor<1x2x4xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @params_shorter_than_weights(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<143xf32>) {
  // expected-error @below {{'tf.CudnnRNNV2' op expects `params` to have at least 144 elements (all matrices and biases of 1 layer(s), 1 direction(s), I = 3, H = 4), but got 143 [C7]}}
  %0:5 = "tf.CudnnRNNV2"(%x, %h, %h, %p)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<143xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi8>)
  return
}

// -----

// The size of a reserve space depends on the device and is checked at run time. The verifier checks its rank.
func.func @reserve_space_of_rank_2(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>,
                                   %y: tensor<5x2x4xf32>, %r: tensor<4x4xi8>) {
  // expected-error @below {{'tf.CudnnRNNBackprop' op expects `reserve_space` to have rank 1 (bytes), but got rank 2 ('tensor<4x4xi8>')}}
  %0:4 = "tf.CudnnRNNBackprop"(%x, %h, %h, %p, %y, %h, %h, %y, %h, %h, %r)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>,
         tensor<1x2x4xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<4x4xi8>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @sequence_lengths_shorter_than_batch(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>,
                                               %l: tensor<1xi32>) {
  // expected-error @below {{'tf.CudnnRNNV3' op expects dim 0 of `sequence_lengths` to be 2 (B, dim 1 of `input`), but got 1 [C11]}}
  // expected-note @-3 {{`input` comes from here}}
  %0:5 = "tf.CudnnRNNV3"(%x, %h, %h, %p, %l)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<1xi32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi8>)
  return
}

// -----

func.func @empty_batch(%x: tensor<5x0x3xf32>, %h: tensor<1x0x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'tf.CudnnRNN' op expects B (the batch, dim 1 of `input`) to be at least 1, but got 0 [C3]}}
  %0:4 = "tf.CudnnRNN"(%x, %h, %h, %p)
      : (tensor<5x0x3xf32>, tensor<1x0x4xf32>, tensor<1x0x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @params_to_canonical_short_params(%p: tensor<35xf32>) {
  %one = arith.constant dense<1> : tensor<i32>
  %units = arith.constant dense<4> : tensor<i32>
  %inputs = arith.constant dense<3> : tensor<i32>
  // expected-error @below {{'tf.CudnnRNNParamsToCanonical' op expects `params` to have at least 36 elements (all matrices and biases), but got 35 [C7]}}
  %0:4 = "tf.CudnnRNNParamsToCanonical"(%one, %units, %inputs, %p) {rnn_mode = "rnn_tanh", num_params = 2 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<35xf32>)
      -> (tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// skip_input is valid, but its first matrix has no rows.
func.func @params_to_canonical_skip_input(%p: tensor<24xf32>) {
  %one = arith.constant dense<1> : tensor<i32>
  %units = arith.constant dense<4> : tensor<i32>
  // expected-error @below {{'tf.CudnnRNNParamsToCanonical' op declares result `weights[0]` as 'tensor<4x4xf32>', but the operands imply 'tensor<0x4xf32>'}}
  %0:4 = "tf.CudnnRNNParamsToCanonical"(%one, %units, %units, %p)
      {rnn_mode = "rnn_tanh", input_mode = "skip_input", num_params = 2 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<24xf32>)
      -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @canonical_to_params_wrong_number(%w: tensor<4x3xf32>, %b: tensor<4xf32>) {
  %one = arith.constant dense<1> : tensor<i32>
  %units = arith.constant dense<4> : tensor<i32>
  %inputs = arith.constant dense<3> : tensor<i32>
  // expected-error @below {{'tf.CudnnRNNCanonicalToParams' op expects 2 weights for each of 1 layer(s), but got 1 [S4]}}
  %p = "tf.CudnnRNNCanonicalToParams"(%one, %units, %inputs, %w, %b) {rnn_mode = "rnn_tanh", num_params = 1 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @canonical_to_params_wrong_elements(%w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>,
                                              %b5: tensor<5xf32>) {
  %one = arith.constant dense<1> : tensor<i32>
  %units = arith.constant dense<4> : tensor<i32>
  %inputs = arith.constant dense<3> : tensor<i32>
  // expected-error @below {{'tf.CudnnRNNCanonicalToParams' op expects bias 1 to be 4 (any shape of 4 elements), but got 'tensor<5xf32>' [S5]}}
  %p = "tf.CudnnRNNCanonicalToParams"(%one, %units, %inputs, %w, %r, %b, %b5) {rnn_mode = "rnn_tanh", num_params = 2 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<5xf32>)
      -> tensor<?xf32>
  return
}

//===----------------------------------------------------------------------===//
// Unusual places and types
//===----------------------------------------------------------------------===//

// -----

func.func @terminator(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %w: tensor<144xf32>) {
  // expected-error @below {{'tf.CudnnRNN' op expects no regions, no successors, and another op after it in its block}}
  %0:4 = "tf.CudnnRNN"(%x, %h, %h, %w) {rnn_mode = "lstm", is_training = false}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<f32>)
}

// -----

// Calls, constants and identities that end a block stay.
func.func @callee() {
  return
}
func.func @call() {
  "tf.PartitionedCall"()[^bb1] {f = @callee} : () -> ()
^bb1:
  return
}
func.func @constant() {
  %0 = "tf.Const"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
}
func.func @identity(%a: tensor<i64>) {
  %0 = "tf.Identity"(%a)[^bb1] : (tensor<i64>) -> tensor<i64>
^bb1:
  "tf.NoOp"() : () -> ()
}

// -----

// The region of a module is a graph: an op can be its own operand, and casts can form a cycle.
%identity = "tf.Identity"(%identity) : (tensor<2xf32>) -> tensor<2xf32>
%a = tensor.cast %b : tensor<*xf32> to tensor<*xf32>
%b = tensor.cast %a : tensor<*xf32> to tensor<*xf32>
%x = "test.value"() : () -> tensor<5x2x3xf32>
%w = "test.value"() : () -> tensor<144xf32>
%0:4 = "tf.CudnnRNN"(%x, %a, %b, %w) {rnn_mode = "lstm", is_training = false}
    : (tensor<5x2x3xf32>, tensor<*xf32>, tensor<*xf32>, tensor<144xf32>)
    -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<f32>)

// -----

func.func @no_bits(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %w: tensor<144xf32>) -> tensor<i0> {
  // expected-error @below {{'tf.CudnnRNN' op expects result `reserve_space` to be a tensor of numbers, but it is declared as 'tensor<i0>'}}
  %0:4 = "tf.CudnnRNN"(%x, %h, %h, %w) {rnn_mode = "lstm", is_training = false}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<i0>)
  return %0#3 : tensor<i0>
}
