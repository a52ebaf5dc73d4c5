// invalid-block.mlir - errors of rnn.block_lstm: one case per label and operand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

func.func @block_lstm_b1_cs_prev(%x: tensor<5x2x3xf32>, %cs_prev: tensor<2x4xf16>, %s: tensor<2x4xf32>,
    %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `cs_prev` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%cs_prev, %s : tensor<2x4xf16>, tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b1_h_prev(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %h_prev: tensor<2x4xf16>,
    %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `h_prev` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %h_prev : tensor<2x4xf32>, tensor<2x4xf16>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b1_w(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf16>, %p: tensor<4xf32>,
    %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `w` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf16>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b1_wci(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %wci: tensor<4xf16>,
    %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `wci` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%wci, %p, %p : tensor<4xf16>, tensor<4xf32>, tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b1_wcf(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %wcf: tensor<4xf16>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `wcf` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %wcf, %p : tensor<4xf32>, tensor<4xf16>, tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b1_wco(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %wco: tensor<4xf16>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `wco` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %wco : tensor<4xf32>, tensor<4xf32>, tensor<4xf16>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b1_b(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf16>) {
  // expected-error @below {{'rnn.block_lstm' op expects `b` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf16>)
  return
}

// -----

func.func @block_lstm_b1_result(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects result `co` to have element type 'f32' like `x`, but got 'bf16' [B1]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) -> i(tensor<5x2x4xf32>) cs(tensor<5x2x4xf32>)
      f(tensor<5x2x4xf32>) o(tensor<5x2x4xf32>) ci(tensor<5x2x4xf32>) co(tensor<5x2x4xbf16>) h(tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_b1_out(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>,
    %b: memref<16xf32>, %cs_out: memref<5x2x4xf32>, %h_out: memref<5x2x4xf16>) {
  // expected-error @below {{'rnn.block_lstm' op expects `outs` of `h` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>)
      outs(cs = %cs_out, h = %h_out : memref<5x2x4xf32>, memref<5x2x4xf16>)
  return
}

// -----

func.func @block_lstm_b2_x(%x: tensor<5x6xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `x` to have rank 3, but got rank 2 ('tensor<5x6xf32>') [B2]}}
  rnn.block_lstm ifco x(%x : tensor<5x6xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b2_cs_prev(%x: tensor<5x2x3xf32>, %cs_prev: tensor<1x2x4xf32>, %s: tensor<2x4xf32>,
    %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `cs_prev` to have rank 2, but got rank 3 ('tensor<1x2x4xf32>') [B2]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%cs_prev, %s : tensor<1x2x4xf32>, tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b2_h_prev(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %h_prev: tensor<8xf32>,
    %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `h_prev` to have rank 2, but got rank 1 ('tensor<8xf32>') [B2]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %h_prev : tensor<2x4xf32>, tensor<8xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b2_w(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x4x4xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `w` to have rank 2, but got rank 3 ('tensor<7x4x4xf32>') [B2]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x4x4xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b2_wci(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %wci: tensor<1x4xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `wci` to have rank 1, but got rank 2 ('tensor<1x4xf32>') [B2]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%wci, %p, %p : tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b2_wcf(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %wcf: tensor<4x1xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `wcf` to have rank 1, but got rank 2 ('tensor<4x1xf32>') [B2]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %wcf, %p : tensor<4xf32>, tensor<4x1xf32>, tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b2_wco(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %wco: tensor<f32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `wco` to have rank 1, but got rank 0 ('tensor<f32>') [B2]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %wco : tensor<4xf32>, tensor<4xf32>, tensor<f32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b2_b(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<4x4xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `b` to have rank 1, but got rank 2 ('tensor<4x4xf32>') [B2]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<4x4xf32>)
  return
}

// -----

func.func @block_lstm_b2_result(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects result `f` to have rank 3, but got rank 2 ('tensor<5x8xf32>') [B2]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) -> i(tensor<5x2x4xf32>) cs(tensor<5x2x4xf32>)
      f(tensor<5x8xf32>) o(tensor<5x2x4xf32>) ci(tensor<5x2x4xf32>) co(tensor<5x2x4xf32>) h(tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_b2_out(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>,
    %b: memref<16xf32>, %o_out: memref<5x8xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `outs` of `o` to have rank 3, but got rank 2 ('memref<5x8xf32>') [B2]}}
  rnn.block_lstm ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(o = %o_out : memref<5x8xf32>)
  return
}

// -----

// Sizes whose product in bytes does not fit in 63 bits.
func.func @block_lstm_b2_bytes(%x: tensor<2305843009213693952x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `x` to have less than 2^63 bytes, but got 'tensor<2305843009213693952x2x3xf32>' [B2]}}
  rnn.block_lstm ifco x(%x : tensor<2305843009213693952x2x3xf32>) state(%s, %s : tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b2_bytes_of_dynamic(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>,
    %w: tensor<?x9223372036854775807xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `w` to have less than 2^63 bytes, but got 'tensor<?x9223372036854775807xf32>' [B2]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>)
      weights(%w : tensor<?x9223372036854775807xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

// The batch of `x` is dynamic, so `cs_prev` defines it.
func.func @block_lstm_b4_h_prev_batch_by_cs_prev(%x: tensor<5x?x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %cs_prev: tensor<3x4xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 0 of `h_prev` to be 3 (B, dim 0 of `cs_prev`), but got 2 [B4]}}
  rnn.block_lstm ifco x(%x : tensor<5x?x3xf32>) state(%cs_prev, %s : tensor<3x4xf32>, tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b4_cs_prev_batch(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %cs_prev: tensor<3x4xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 0 of `cs_prev` to be 2 (B, dim 1 of `x`), but got 3 [B4]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%cs_prev, %s : tensor<3x4xf32>, tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b4_h_prev_batch(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %h_prev: tensor<3x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 0 of `h_prev` to be 2 (B, dim 1 of `x`), but got 3 [B4]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %h_prev : tensor<2x4xf32>, tensor<3x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b4_h_prev_hidden(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %h_prev: tensor<2x5xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 1 of `h_prev` to be 4 (H, dim 1 of `cs_prev`), but got 5 [B4]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %h_prev : tensor<2x4xf32>, tensor<2x5xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b4_no_hidden(%x: tensor<5x2x3xf32>, %cs_prev: tensor<2x0xf32>, %s: tensor<2x4xf32>,
    %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects H (the hidden size, dim 1 of `cs_prev`) to be at least 1, but got 0 [B4]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%cs_prev, %s : tensor<2x0xf32>, tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b4_no_batch_in_x(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x0x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 0 of `cs_prev` to be 0 (B, dim 1 of `x`), but got 2 [B4]}}
  rnn.block_lstm ifco x(%x : tensor<5x0x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b5_w_rows(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<6x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 0 of `w` to be 7 (I + H, where I = 3 is dim 2 of `x` and H = 4 is dim 1 of `cs_prev`), but got 6 [B5]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<6x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b5_w_columns(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x12xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 1 of `w` to be 16 (4*H, where H = 4 is dim 1 of `cs_prev`), but got 12 [B5]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x12xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b6_wci(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %wci: tensor<3xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 0 of `wci` to be 4 (H, dim 1 of `cs_prev`), but got 3 [B6]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%wci, %p, %p : tensor<3xf32>, tensor<4xf32>, tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b6_wcf(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %wcf: tensor<3xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 0 of `wcf` to be 4 (H, dim 1 of `cs_prev`), but got 3 [B6]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %wcf, %p : tensor<4xf32>, tensor<3xf32>, tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b6_wco(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %wco: tensor<3xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 0 of `wco` to be 4 (H, dim 1 of `cs_prev`), but got 3 [B6]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %wco : tensor<4xf32>, tensor<4xf32>, tensor<3xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b6_b(%x: tensor<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<17xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 0 of `b` to be 16 (4*H, where H = 4 is dim 1 of `cs_prev`), but got 17 [B6]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<17xf32>)
  return
}

// -----

// I + H does not fit in 64 bits.
func.func @block_lstm_b5_rows_overflow(%x: tensor<0x2x9223372036854775807xf32>, %s: tensor<2x4xf32>,
    %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op requires a size for dim 0 of `w` (I + H, where I = 9223372036854775807 is dim 2 of `x` and H = 4 is dim 1 of `cs_prev`) that does not fit in 64 bits [B5]}}
  rnn.block_lstm ifco x(%x : tensor<0x2x9223372036854775807xf32>) state(%s, %s : tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

// 4*H does not fit in 64 bits.
func.func @block_lstm_b5_columns_overflow(%x: tensor<5x0x3xf32>, %cs_prev: tensor<0x4611686018427387904xf32>,
    %h_prev: tensor<0x?xf32>, %w: tensor<?x?xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op requires a size for dim 1 of `w` (4*H, where H = 4611686018427387904 is dim 1 of `cs_prev`) that does not fit in 64 bits [B5]}}
  rnn.block_lstm ifco x(%x : tensor<5x0x3xf32>)
      state(%cs_prev, %h_prev : tensor<0x4611686018427387904xf32>, tensor<0x?xf32>) weights(%w : tensor<?x?xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b6_b_of_dynamic_hidden(%x: tensor<5x2x3xf32>, %cs_prev: tensor<2x?xf32>,
    %h_prev: tensor<2x?xf32>, %w: tensor<7x?xf32>, %wci: tensor<?xf32>, %wcf: tensor<?xf32>, %wco: tensor<?xf32>,
    %b: tensor<17xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 0 of `b` to be a multiple of 4 (4*H), but got 17 [B6]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%cs_prev, %h_prev : tensor<2x?xf32>)
      weights(%w : tensor<7x?xf32>) peephole(%wci, %wcf, %wco : tensor<?xf32>) bias(%b : tensor<17xf32>)
  return
}

// -----

// The hidden size is known from the columns of `w` alone.
func.func @block_lstm_b5_w_columns_by_b(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %cs_prev: tensor<2x?xf32>, %h_prev: tensor<2x?xf32>, %w: tensor<7x12xf32>,
    %wci: tensor<?xf32>, %wcf: tensor<?xf32>, %wco: tensor<?xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 0 of `w` to be 6 (I + H, where I = 3 is dim 2 of `x` and H = 3 is dim 1 of `w` / 4), but got 7 [B5]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%cs_prev, %h_prev : tensor<2x?xf32>)
      weights(%w : tensor<7x12xf32>) peephole(%wci, %wcf, %wco : tensor<?xf32>) bias(%b : tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_b7_negative(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>) {
  %n = arith.constant -1 : i64
  // expected-error @below {{'rnn.block_lstm' op expects `seq_len_max` to be in [0, 5] (T is dim 0 of `x`), but got -1 [B7]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
  return
}

// -----

func.func @block_lstm_b7_above_steps(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>) {
  %n = arith.constant 6 : i64
  // expected-error @below {{'rnn.block_lstm' op expects `seq_len_max` to be in [0, 5] (T is dim 0 of `x`), but got 6 [B7]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
  return
}

// -----

func.func @block_lstm_b7_negative_of_dynamic_steps(%x: tensor<?x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>) {
  %n = arith.constant -9 : i64
  // expected-error @below {{'rnn.block_lstm' op expects `seq_len_max` to be in [0, T] (T is dim 0 of `x`), but got -9 [B7]}}
  rnn.block_lstm ifco x(%x : tensor<?x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
  return
}

// -----

func.func @block_lstm_b8_result_steps(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 0 of result `ci` to be 5 (T, dim 0 of `x`), but got 4 [B8]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) -> i(tensor<5x2x4xf32>) cs(tensor<5x2x4xf32>)
      f(tensor<5x2x4xf32>) o(tensor<5x2x4xf32>) ci(tensor<4x2x4xf32>) co(tensor<5x2x4xf32>) h(tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_b8_result_batch(
    // expected-note @below {{`x` comes from here}}
    %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 1 of result `i` to be 2 (B, dim 1 of `x`), but got 1 [B8]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) -> i(tensor<5x1x4xf32>) cs(tensor<5x2x4xf32>)
      f(tensor<5x2x4xf32>) o(tensor<5x2x4xf32>) ci(tensor<5x2x4xf32>) co(tensor<5x2x4xf32>) h(tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_b8_out_hidden(%x: memref<5x2x3xf32>,
    // expected-note @below {{`cs_prev` comes from here}}
    %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>, %b: memref<16xf32>, %cs_out: memref<5x2x4xf32>,
    %co_out: memref<5x2x3xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 2 of `outs` of `co` to be 4 (H, dim 1 of `cs_prev`), but got 3 [B8]}}
  rnn.block_lstm ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>)
      outs(cs = %cs_out, co = %co_out : memref<5x2x4xf32>, memref<5x2x3xf32>)
  return
}

// -----

func.func @block_lstm_b10_forget_bias(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `forget_bias` to be a number, but got NaN [B10]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) {forget_bias = 0x7FF8000000000000 : f64}
  return
}

// -----

func.func @block_lstm_b10_cell_clip(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `cell_clip` to be a number, but got NaN; use 0.0 to disable clipping [B10]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) {cell_clip = 0x7FF8000000000000 : f64}
  return
}

// -----

func.func @block_lstm_b11_missing_result(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op is missing the result `co` [B11]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) -> i(tensor<5x2x4xf32>) cs(tensor<5x2x4xf32>)
      f(tensor<5x2x4xf32>) o(tensor<5x2x4xf32>) ci(tensor<5x2x4xf32>) h(tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_b11_outs_on_tensors(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>, %h_out: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm' op accepts `outs` in memref form only, but got `h` [B11]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) outs(h = %h_out : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_b11_tensor_among_memrefs(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: tensor<7x16xf32>,
    %p: memref<4xf32>, %b: memref<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects all operands to be memrefs once one is, but `w` is 'tensor<7x16xf32>' [B11]}}
  rnn.block_lstm ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>)
  return
}

// -----

func.func @block_lstm_b11_memref_among_tensors(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: memref<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects all operands to be memrefs once one is, but `x` is 'tensor<5x2x3xf32>' [B11]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : memref<16xf32>)
  return
}

// -----

func.func @block_lstm_b11_tensor_out(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>,
    %p: memref<4xf32>, %b: memref<16xf32>, %cs_out: memref<5x2x4xf32>, %h_out: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects `outs` of `h` to be a memref, but got 'tensor<5x2x4xf32>' [B11]}}
  rnn.block_lstm ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>)
      outs(cs = %cs_out, h = %h_out : memref<5x2x4xf32>, tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_b11_result_on_memrefs(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>,
    %p: memref<4xf32>, %b: memref<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op in memref form has no results, but got `h`; pass a buffer in `outs` [B11]}}
  rnn.block_lstm ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) -> h(tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_b11_memref_result(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects result `o` to be a tensor, but got 'memref<5x2x4xf32>' [B11]}}
  rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) -> i(tensor<5x2x4xf32>) cs(tensor<5x2x4xf32>)
      f(tensor<5x2x4xf32>) o(memref<5x2x4xf32>) ci(tensor<5x2x4xf32>) co(tensor<5x2x4xf32>) h(tensor<5x2x4xf32>)
  return
}

// -----

func.func @two_results_in_one_buffer(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>, %b: memref<16xf32>,
                                     %y: memref<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm' op expects a buffer of its own for `outs` of `h`, but it is also that of `cs` [B11]}}
  rnn.block_lstm icfo x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(cs = %y, h = %y : memref<5x2x4xf32>, memref<5x2x4xf32>)
  return
}
