// invalid-tensorflow.mlir - the inputs that crashed TensorFlow, as rnn ops. Each is one error here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

// CVE-2022-35964: everything is [1,1,1].
func.func @block_lstm_grad_b2_cve_2022_35964(%a: tensor<1x1x1xf32>) {
  %n = arith.constant 1 : i64
  // expected-error @below {{'rnn.block_lstm_grad' op expects `cs_prev` to have rank 2, but got rank 3 ('tensor<1x1x1xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%a : tensor<1x1x1xf32>) state(%a, %a : tensor<1x1x1xf32>)
      weights(%a : tensor<1x1x1xf32>) peephole(%a, %a, %a : tensor<1x1x1xf32>) bias(%a : tensor<1x1x1xf32>)
      seq_len_max(%n) saved(%a, %a, %a, %a, %a, %a, %a : tensor<1x1x1xf32>) grads(%a, %a : tensor<1x1x1xf32>)
  return
}

// -----

// CVE-2022-29200, a cell op there: peephole weights of rank 0 and 2.
func.func @block_lstm_b2_cve_2022_29200(%x: tensor<1x28x29xf32>, %s: tensor<28x17xf32>, %w: tensor<46x68xf32>,
                                        %i: tensor<f32>, %f: tensor<17xf32>, %b: tensor<68xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `wci` to have rank 1, but got rank 0 ('tensor<f32>') [B2]}}
  rnn.block_lstm icfo x(%x : tensor<1x28x29xf32>) state(%s, %s : tensor<28x17xf32>) weights(%w : tensor<46x68xf32>)
      peephole(%i, %f, %s : tensor<f32>, tensor<17xf32>, tensor<28x17xf32>) bias(%b : tensor<68xf32>)
  return
}

// -----

// Issue 58175: seq_len_max of shape [13,11,0]; a scalar is all that the assembly can write.
func.func @block_lstm_issue_58175(%n: tensor<13x11x0xi64>, %x: tensor<1x3x15xf32>, %s: tensor<3x0xf32>,
                                  %w: tensor<15x0xf32>, %p: tensor<0xf32>) {
  // expected-error @below {{'rnn.block_lstm' op operand #8 must be 64-bit signless integer, but got 'tensor<13x11x0xi64>'}}
  "rnn.block_lstm"(%x, %s, %s, %w, %p, %p, %p, %p, %n) <{layout = #rnn.layout<icfo>,
      operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>,
      resultSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0>}>
      : (tensor<1x3x15xf32>, tensor<3x0xf32>, tensor<3x0xf32>, tensor<15x0xf32>, tensor<0xf32>, tensor<0xf32>,
         tensor<0xf32>, tensor<0xf32>, tensor<13x11x0xi64>) -> ()
  return
}

// -----

// Issue 90915: no cells.
func.func @block_lstm_grad_b4_issue_90915(%x: tensor<10x2x16xf16>, %s: tensor<2x0xf16>, %w: tensor<16x0xf16>,
                                          %p: tensor<0xf16>, %g: tensor<10x2x0xf16>) {
  %n = arith.constant 10 : i64
  // expected-error @below {{'rnn.block_lstm_grad' op expects H (the hidden size, dim 1 of `cs_prev`) to be at least 1, but got 0 [B4]}}
  rnn.block_lstm_grad icfo x(%x : tensor<10x2x16xf16>) state(%s, %s : tensor<2x0xf16>) weights(%w : tensor<16x0xf16>)
      peephole(%p, %p, %p : tensor<0xf16>) bias(%p : tensor<0xf16>) seq_len_max(%n)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<10x2x0xf16>) grads(%g, %g : tensor<10x2x0xf16>)
  return
}

// -----

// Issues 104847 and 104830: results of the forward pass of rank 2.
func.func @block_lstm_grad_b2_issue_104847(%x: tensor<1x1x1xf32>, %s: tensor<1x1xf32>, %p: tensor<1xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `i` to have rank 3, but got rank 2 ('tensor<1x1xf32>') [B2]}}
  rnn.block_lstm_grad icfo x(%x : tensor<1x1x1xf32>) state(%s, %s : tensor<1x1xf32>) weights(%s : tensor<1x1xf32>)
      peephole(%p, %p, %p : tensor<1xf32>) bias(%p : tensor<1xf32>)
      saved(%s, %s, %s, %s, %s, %s, %s : tensor<1x1xf32>) grads(%s, %s : tensor<1x1xf32>)
  return
}

// -----

// Issue 106407: three steps of two.
func.func @block_lstm_grad_b7_issue_106407(%x: tensor<2x2x4xf32>, %s: tensor<2x5xf32>, %w: tensor<9x20xf32>,
                                           %p: tensor<5xf32>, %b: tensor<20xf32>, %g: tensor<2x2x5xf32>) {
  %n = arith.constant 3 : i64
  // expected-error @below {{'rnn.block_lstm_grad' op expects `seq_len_max` to be in [0, 2] (T is dim 0 of `x`), but got 3 [B7]}}
  rnn.block_lstm_grad ifco x(%x : tensor<2x2x4xf32>) state(%s, %s : tensor<2x5xf32>) weights(%w : tensor<9x20xf32>)
      peephole(%p, %p, %p : tensor<5xf32>) bias(%b : tensor<20xf32>) seq_len_max(%n)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<2x2x5xf32>) grads(%g, %g : tensor<2x2x5xf32>)
  return
}

// -----

// Issue 124974: ten steps of two.
func.func @block_lstm_b7_issue_124974(%x: tensor<2x2x4xf32>, %s: tensor<2x5xf32>, %w: tensor<9x20xf32>,
                                      %p: tensor<5xf32>, %b: tensor<20xf32>) {
  %n = arith.constant 10 : i64
  // expected-error @below {{'rnn.block_lstm' op expects `seq_len_max` to be in [0, 2] (T is dim 0 of `x`), but got 10 [B7]}}
  rnn.block_lstm icfo x(%x : tensor<2x2x4xf32>) state(%s, %s : tensor<2x5xf32>) weights(%w : tensor<9x20xf32>)
      peephole(%p, %p, %p : tensor<5xf32>) bias(%b : tensor<20xf32>) seq_len_max(%n)
  return
}

// -----

// Issue 112746: no batch in x, but in the others.
    // expected-note @below {{`x` comes from here}}
func.func @block_lstm_grad_b4_issue_112746(%x: tensor<3x0x4xf32>, %s: tensor<2x5xf32>, %w: tensor<9x20xf32>,
                                           %p: tensor<5xf32>, %b: tensor<20xf32>, %g: tensor<3x2x5xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of `cs_prev` to be 0 (B, dim 1 of `x`), but got 2 [B4]}}
  rnn.block_lstm_grad icfo x(%x : tensor<3x0x4xf32>) state(%s, %s : tensor<2x5xf32>) weights(%w : tensor<9x20xf32>)
      peephole(%p, %p, %p : tensor<5xf32>) bias(%b : tensor<20xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<3x2x5xf32>) grads(%g, %g : tensor<3x2x5xf32>)
  return
}

// -----

// Issue 112746, second part: one step in `i`, three in `x`.
    // expected-note @below {{`x` comes from here}}
func.func @block_lstm_grad_b8_issue_112746(%x: tensor<3x2x4xf32>, %s: tensor<2x5xf32>, %w: tensor<9x20xf32>,
                                           %p: tensor<5xf32>, %b: tensor<20xf32>, %i: tensor<1x2x5xf32>,
                                           %g: tensor<3x2x5xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of `i` to be 3 (T, dim 0 of `x`), but got 1 [B8]}}
  rnn.block_lstm_grad icfo x(%x : tensor<3x2x4xf32>) state(%s, %s : tensor<2x5xf32>) weights(%w : tensor<9x20xf32>)
      peephole(%p, %p, %p : tensor<5xf32>) bias(%b : tensor<20xf32>)
      saved(%i, %g, %g, %g, %g, %g, %g : tensor<1x2x5xf32>, tensor<3x2x5xf32>, tensor<3x2x5xf32>, tensor<3x2x5xf32>,
            tensor<3x2x5xf32>, tensor<3x2x5xf32>, tensor<3x2x5xf32>) grads(%g, %g : tensor<3x2x5xf32>)
  return
}

// -----

// CVE-2021-41221: vectors everywhere, one of three lengths negative.
func.func @cudnn_forward_c2_cve_2021_41221(%x: tensor<2xf32>, %h: tensor<1xf32>, %p: tensor<2xf32>) {
  %len = arith.constant dense<[-1, 0, 1]> : tensor<3xi32>
  // expected-error @below {{'rnn.cudnn_forward' op expects `input` to have rank 3, but got rank 1 ('tensor<2xf32>') [C2]}}
  rnn.cudnn_forward lstm input(%x : tensor<2xf32>) state(%h, %h : tensor<1xf32>) params(%p : tensor<2xf32>)
      lengths(%len : tensor<3xi32>)
  return
}

// -----

// A cell state of rank 2 in the gradient: a failed assertion there.
func.func @cudnn_backprop_c2_cell_rank(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<2x4xf32>,
                                       %p: tensor<?xf32>, %y: tensor<5x2x4xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects `input_c` to have rank 3, but got rank 2 ('tensor<2x4xf32>') [C2]}}
  rnn.cudnn_backprop lstm input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<1x2x4xf32>, tensor<2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
      grads(%y, %h, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) reserve(%r : tensor<?xi8>)
  return
}

// -----

// Parameters that are shorter than the matrices: a read out of bounds there.
func.func @cudnn_forward_c7_short_params_of_tensorflow(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>,
                                                       %p: tensor<1xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `params` to have at least 108 elements (all matrices and biases of 1 layer(s), 1 direction(s), I = 3, H = 4), but got 1 [C7]}}
  rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<1xf32>)
  return
}

// -----

// Fewer lengths than rows: a read out of bounds there.
    // expected-note @below {{`input` comes from here}}
func.func @cudnn_forward_c11_short_lengths(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>,
                                           %len: tensor<1xi32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 0 of `sequence_lengths` to be 2 (B, dim 1 of `input`), but got 1 [C11]}}
  rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      lengths(%len : tensor<1xi32>)
  return
}

// -----

// An empty batch: a failed assertion there.
func.func @cudnn_forward_c3_empty_batch(%x: tensor<5x0x3xf32>, %h: tensor<1x0x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects B (the batch, dim 1 of `input`) to be at least 1, but got 0 [C3]}}
  rnn.cudnn_forward gru input(%x : tensor<5x0x3xf32>) state(%h : tensor<1x0x4xf32>) params(%p : tensor<?xf32>)
  return
}

// -----

// Issue 16042: H x H matrices for the first layer, where skip_input has none.
func.func @cudnn_canonical_to_params_s5_issue_16042(%w: tensor<100x100xf32>, %b: tensor<100xf32>) {
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  // expected-error @below {{'rnn.cudnn_canonical_to_params' op expects weight 0 to be 0 x 100 (any shape of 0 elements), but got 'tensor<100x100xf32>' [S5]}}
  rnn.cudnn_canonical_to_params gru, skip_input sizes(%c1, %c100, %c100)
      weights(%w, %w, %w, %w, %w, %w : tensor<100x100xf32>) biases(%b, %b, %b, %b, %b, %b : tensor<100xf32>)
  return
}
