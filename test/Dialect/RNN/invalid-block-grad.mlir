// invalid-block-grad.mlir - invalid sizes, lengths and forms of rnn.block_lstm_grad (B4 to B11).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

func.func @block_lstm_grad_b4_cs_prev_batch(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %cs_prev: tensor<3x4xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of `cs_prev` to be 2 (B, dim 1 of `x`), but got 3 [B4]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%cs_prev, %s : tensor<3x4xf32>, tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b4_h_prev_batch(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %h_prev: tensor<3x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of `h_prev` to be 2 (B, dim 1 of `x`), but got 3 [B4]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %h_prev : tensor<2x4xf32>, tensor<3x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b4_h_prev_hidden(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %h_prev: tensor<2x5xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>,
    %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 1 of `h_prev` to be 4 (H, dim 1 of `cs_prev`), but got 5 [B4]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %h_prev : tensor<2x4xf32>, tensor<2x5xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b4_no_hidden(%x: tensor<5x2x3xf32>, %cs_prev: tensor<2x0xf32>, %s: tensor<2x4xf32>,
    %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects H (the hidden size, dim 1 of `cs_prev`) to be at least 1, but got 0 [B4]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%cs_prev, %s : tensor<2x0xf32>, tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b4_no_batch_in_x(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x0x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>,
    %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of `cs_prev` to be 0 (B, dim 1 of `x`), but got 2 [B4]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x0x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b5_w_rows(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<6x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of `w` to be 7 (I + H, where I = 3 is dim 2 of `x` and H = 4 is dim 1 of `cs_prev`), but got 6 [B5]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<6x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b5_w_columns(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x12xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 1 of `w` to be 16 (4*H, where H = 4 is dim 1 of `cs_prev`), but got 12 [B5]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x12xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b6_wci(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %wci: tensor<3xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>,
    %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of `wci` to be 4 (H, dim 1 of `cs_prev`), but got 3 [B6]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%wci, %p, %p : tensor<3xf32>, tensor<4xf32>, tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b6_wcf(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %wcf: tensor<3xf32>, %b: tensor<16xf32>,
    %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of `wcf` to be 4 (H, dim 1 of `cs_prev`), but got 3 [B6]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %wcf, %p : tensor<4xf32>, tensor<3xf32>, tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b6_wco(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %wco: tensor<3xf32>, %b: tensor<16xf32>,
    %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of `wco` to be 4 (H, dim 1 of `cs_prev`), but got 3 [B6]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %wco : tensor<4xf32>, tensor<4xf32>, tensor<3xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b6_b(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<17xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of `b` to be 16 (4*H, where H = 4 is dim 1 of `cs_prev`), but got 17 [B6]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<17xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b7_negative(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  %n = arith.constant -1 : i64
  // expected-error @below {{'rnn.block_lstm_grad' op expects `seq_len_max` to be in [0, 5] (T is dim 0 of `x`), but got -1 [B7]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b7_above_steps(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  %n = arith.constant 6 : i64
  // expected-error @below {{'rnn.block_lstm_grad' op expects `seq_len_max` to be in [0, 5] (T is dim 0 of `x`), but got 6 [B7]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b7_negative_of_dynamic_steps(%x: tensor<?x2x3xf32>, %s: tensor<2x4xf32>,
    %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %i: tensor<?x2x4xf32>, %cs: tensor<?x2x4xf32>,
    %f: tensor<?x2x4xf32>, %o: tensor<?x2x4xf32>, %ci: tensor<?x2x4xf32>, %co: tensor<?x2x4xf32>,
    %h: tensor<?x2x4xf32>, %cs_grad: tensor<?x2x4xf32>, %h_grad: tensor<?x2x4xf32>) {
  %n = arith.constant -9 : i64
  // expected-error @below {{'rnn.block_lstm_grad' op expects `seq_len_max` to be in [0, T] (T is dim 0 of `x`), but got -9 [B7]}}
  rnn.block_lstm_grad ifco x(%x : tensor<?x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
      saved(%i, %cs, %f, %o, %ci, %co, %h : tensor<?x2x4xf32>) grads(%cs_grad, %h_grad : tensor<?x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b8_i(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>,
    %i: tensor<4x2x4xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of `i` to be 5 (T, dim 0 of `x`), but got 4 [B8]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%i, %g, %g, %g, %g, %g, %g :
      tensor<4x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b8_cs(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>,
    %g: tensor<5x2x4xf32>, %cs: tensor<5x3x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 1 of `cs` to be 2 (B, dim 1 of `x`), but got 3 [B8]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %cs, %g, %g, %g, %g, %g :
      tensor<5x2x4xf32>, tensor<5x3x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b8_f(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>,
    %f: tensor<5x2x5xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 2 of `f` to be 4 (H, dim 1 of `cs_prev`), but got 5 [B8]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %f, %g, %g, %g, %g :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x5xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b8_o(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>,
    %g: tensor<5x2x4xf32>, %o: tensor<4x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of `o` to be 5 (T, dim 0 of `x`), but got 4 [B8]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %g, %o, %g, %g, %g :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<4x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b8_ci(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>,
    %g: tensor<5x2x4xf32>, %ci: tensor<5x3x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 1 of `ci` to be 2 (B, dim 1 of `x`), but got 3 [B8]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %g, %g, %ci, %g, %g :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x3x4xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b8_co(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>,
    %co: tensor<5x2x5xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 2 of `co` to be 4 (H, dim 1 of `cs_prev`), but got 5 [B8]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %g, %g, %g, %co, %g :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x5xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b8_h(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>,
    %g: tensor<5x2x4xf32>, %h: tensor<4x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of `h` to be 5 (T, dim 0 of `x`), but got 4 [B8]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %g, %g, %g, %g, %h :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<4x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b8_cs_grad(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>,
    %g: tensor<5x2x4xf32>, %cs_grad: tensor<5x3x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 1 of `cs_grad` to be 2 (B, dim 1 of `x`), but got 3 [B8]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%cs_grad, %g : tensor<5x3x4xf32>, tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b8_h_grad(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>,
    %h_grad: tensor<5x2x5xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 2 of `h_grad` to be 4 (H, dim 1 of `cs_prev`), but got 5 [B8]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %h_grad : tensor<5x2x4xf32>, tensor<5x2x5xf32>)
  return
}

// -----

func.func @block_lstm_grad_b9_x_grad(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>,
    %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 2 of result `x_grad` to be 3 (I, dim 2 of `x`), but got 4 [B9]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>) ->
      x_grad(tensor<5x2x4xf32>) cs_prev_grad(tensor<2x4xf32>) h_prev_grad(tensor<2x4xf32>) w_grad(tensor<7x16xf32>)
      wci_grad(tensor<4xf32>) wcf_grad(tensor<4xf32>) wco_grad(tensor<4xf32>) b_grad(tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_grad_b9_cs_prev_grad(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 1 of result `cs_prev_grad` to be 4 (H, dim 1 of `cs_prev`), but got 3 [B9]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>) ->
      x_grad(tensor<5x2x3xf32>) cs_prev_grad(tensor<2x3xf32>) h_prev_grad(tensor<2x4xf32>) w_grad(tensor<7x16xf32>)
      wci_grad(tensor<4xf32>) wcf_grad(tensor<4xf32>) wco_grad(tensor<4xf32>) b_grad(tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_grad_b9_h_prev_grad(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>,
    %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of result `h_prev_grad` to be 2 (B, dim 1 of `x`), but got 1 [B9]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>) ->
      x_grad(tensor<5x2x3xf32>) cs_prev_grad(tensor<2x4xf32>) h_prev_grad(tensor<1x4xf32>) w_grad(tensor<7x16xf32>)
      wci_grad(tensor<4xf32>) wcf_grad(tensor<4xf32>) wco_grad(tensor<4xf32>) b_grad(tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_grad_b9_w_grad(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of result `w_grad` to be 7 (I + H, where I = 3 is dim 2 of `x` and H = 4 is dim 1 of `cs_prev`), but got 16 [B9]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>) ->
      x_grad(tensor<5x2x3xf32>) cs_prev_grad(tensor<2x4xf32>) h_prev_grad(tensor<2x4xf32>) w_grad(tensor<16x7xf32>)
      wci_grad(tensor<4xf32>) wcf_grad(tensor<4xf32>) wco_grad(tensor<4xf32>) b_grad(tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_grad_b9_wci_grad(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of result `wci_grad` to be 4 (H, dim 1 of `cs_prev`), but got 16 [B9]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>) ->
      x_grad(tensor<5x2x3xf32>) cs_prev_grad(tensor<2x4xf32>) h_prev_grad(tensor<2x4xf32>) w_grad(tensor<7x16xf32>)
      wci_grad(tensor<16xf32>) wcf_grad(tensor<4xf32>) wco_grad(tensor<4xf32>) b_grad(tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_grad_b9_wcf_grad(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of result `wcf_grad` to be 4 (H, dim 1 of `cs_prev`), but got 3 [B9]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>) ->
      x_grad(tensor<5x2x3xf32>) cs_prev_grad(tensor<2x4xf32>) h_prev_grad(tensor<2x4xf32>) w_grad(tensor<7x16xf32>)
      wci_grad(tensor<4xf32>) wcf_grad(tensor<3xf32>) wco_grad(tensor<4xf32>) b_grad(tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_grad_b9_wco_grad(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of result `wco_grad` to be 4 (H, dim 1 of `cs_prev`), but got 5 [B9]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>) ->
      x_grad(tensor<5x2x3xf32>) cs_prev_grad(tensor<2x4xf32>) h_prev_grad(tensor<2x4xf32>) w_grad(tensor<7x16xf32>)
      wci_grad(tensor<4xf32>) wcf_grad(tensor<4xf32>) wco_grad(tensor<5xf32>) b_grad(tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_grad_b9_b_grad(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of result `b_grad` to be 16 (4*H, where H = 4 is dim 1 of `cs_prev`), but got 4 [B9]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>) ->
      x_grad(tensor<5x2x3xf32>) cs_prev_grad(tensor<2x4xf32>) h_prev_grad(tensor<2x4xf32>) w_grad(tensor<7x16xf32>)
      wci_grad(tensor<4xf32>) wcf_grad(tensor<4xf32>) wco_grad(tensor<4xf32>) b_grad(tensor<4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b9_out(%x: memref<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>, %b: memref<16xf32>, %g: memref<5x2x4xf32>,
    %x_grad_out: memref<5x2x3xf32>, %w_grad_out: memref<7x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 1 of `outs` of `w_grad` to be 16 (4*H, where H = 4 is dim 1 of `cs_prev`), but got 4 [B9]}}
  rnn.block_lstm_grad ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<5x2x4xf32>) grads(%g, %g : memref<5x2x4xf32>)
      outs(x_grad = %x_grad_out, w_grad = %w_grad_out : memref<5x2x3xf32>, memref<7x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b11_missing_result(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op is missing the result `wci_grad` [B11]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>) ->
      x_grad(tensor<5x2x3xf32>) cs_prev_grad(tensor<2x4xf32>) h_prev_grad(tensor<2x4xf32>) w_grad(tensor<7x16xf32>)
      wcf_grad(tensor<4xf32>) wco_grad(tensor<4xf32>) b_grad(tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_grad_b11_outs_on_tensors(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %w_grad_out: tensor<7x16xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op accepts `outs` in memref form only, but got `w_grad` [B11]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
      outs(w_grad = %w_grad_out : tensor<7x16xf32>)
  return
}

// -----

func.func @block_lstm_grad_b11_tensor_among_memrefs(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>,
    %p: memref<4xf32>, %b: memref<16xf32>, %g: memref<5x2x4xf32>, %cs_grad: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects all operands to be memrefs once one is, but `cs_grad` is 'tensor<5x2x4xf32>' [B11]}}
  rnn.block_lstm_grad ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<5x2x4xf32>) grads(%cs_grad, %g : tensor<5x2x4xf32>, memref<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b11_tensor_out(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>,
    %p: memref<4xf32>, %b: memref<16xf32>, %g: memref<5x2x4xf32>, %b_grad_out: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `outs` of `b_grad` to be a memref, but got 'tensor<16xf32>' [B11]}}
  rnn.block_lstm_grad ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<5x2x4xf32>) grads(%g, %g : memref<5x2x4xf32>)
      outs(b_grad = %b_grad_out : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_grad_b11_result_on_memrefs(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>,
    %p: memref<4xf32>, %b: memref<16xf32>, %g: memref<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op in memref form has no results, but got `w_grad`; pass a buffer in `outs` [B11]}}
  rnn.block_lstm_grad ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<5x2x4xf32>) grads(%g, %g : memref<5x2x4xf32>)
      -> w_grad(tensor<7x16xf32>)
  return
}
