// invalid-block-grad-types.mlir - invalid element types and ranks of rnn.block_lstm_grad (B1, B2).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

func.func @block_lstm_grad_b1_cs_prev(%x: tensor<5x2x3xf32>, %cs_prev: tensor<2x4xf16>, %s: tensor<2x4xf32>,
    %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `cs_prev` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%cs_prev, %s : tensor<2x4xf16>, tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_h_prev(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %h_prev: tensor<2x4xf16>,
    %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `h_prev` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %h_prev : tensor<2x4xf32>, tensor<2x4xf16>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_w(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf16>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `w` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf16>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_wci(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %wci: tensor<4xf16>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `wci` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%wci, %p, %p : tensor<4xf16>, tensor<4xf32>, tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_wcf(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %wcf: tensor<4xf16>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `wcf` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %wcf, %p : tensor<4xf32>, tensor<4xf16>, tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_wco(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %wco: tensor<4xf16>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `wco` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %wco : tensor<4xf32>, tensor<4xf32>, tensor<4xf16>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_b(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf16>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `b` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf16>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_i(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %i: tensor<5x2x4xf64>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `i` to have element type 'f32' like `x`, but got 'f64' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%i, %g, %g, %g, %g, %g, %g :
      tensor<5x2x4xf64>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_cs(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %cs: tensor<5x2x4xf64>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `cs` to have element type 'f32' like `x`, but got 'f64' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %cs, %g, %g, %g, %g, %g :
      tensor<5x2x4xf32>, tensor<5x2x4xf64>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_f(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %f: tensor<5x2x4xf64>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `f` to have element type 'f32' like `x`, but got 'f64' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %f, %g, %g, %g, %g :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf64>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_o(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %o: tensor<5x2x4xf64>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `o` to have element type 'f32' like `x`, but got 'f64' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %g, %o, %g, %g, %g :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf64>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_ci(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %ci: tensor<5x2x4xf64>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `ci` to have element type 'f32' like `x`, but got 'f64' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %g, %g, %ci, %g, %g :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf64>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_co(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %co: tensor<5x2x4xf64>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `co` to have element type 'f32' like `x`, but got 'f64' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %g, %g, %g, %co, %g :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf64>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_h(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %h: tensor<5x2x4xf64>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `h` to have element type 'f32' like `x`, but got 'f64' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %g, %g, %g, %g, %h :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf64>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_cs_grad(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %cs_grad: tensor<5x2x4xf64>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `cs_grad` to have element type 'f32' like `x`, but got 'f64' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%cs_grad, %g : tensor<5x2x4xf64>, tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_h_grad(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %h_grad: tensor<5x2x4xf64>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `h_grad` to have element type 'f32' like `x`, but got 'f64' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %h_grad : tensor<5x2x4xf32>, tensor<5x2x4xf64>)
  return
}

// -----

func.func @block_lstm_grad_b1_result(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects result `w_grad` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>) ->
      x_grad(tensor<5x2x3xf32>) cs_prev_grad(tensor<2x4xf32>) h_prev_grad(tensor<2x4xf32>) w_grad(tensor<7x16xf16>)
      wci_grad(tensor<4xf32>) wcf_grad(tensor<4xf32>) wco_grad(tensor<4xf32>) b_grad(tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_grad_b1_out(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>,
    %b: memref<16xf32>, %g: memref<5x2x4xf32>, %b_grad_out: memref<16xf16>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `outs` of `b_grad` to have element type 'f32' like `x`, but got 'f16' [B1]}}
  rnn.block_lstm_grad ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<5x2x4xf32>) grads(%g, %g : memref<5x2x4xf32>)
      outs(b_grad = %b_grad_out : memref<16xf16>)
  return
}

// -----

func.func @block_lstm_grad_b2_x(%x: tensor<5x6xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `x` to have rank 3, but got rank 2 ('tensor<5x6xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x6xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_cs_prev(%x: tensor<5x2x3xf32>, %cs_prev: tensor<1x2x4xf32>, %s: tensor<2x4xf32>,
    %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `cs_prev` to have rank 2, but got rank 3 ('tensor<1x2x4xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%cs_prev, %s : tensor<1x2x4xf32>, tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_h_prev(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %h_prev: tensor<8xf32>,
    %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `h_prev` to have rank 2, but got rank 1 ('tensor<8xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %h_prev : tensor<2x4xf32>, tensor<8xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_w(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x4x4xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `w` to have rank 2, but got rank 3 ('tensor<7x4x4xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x4x4xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_wci(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %wci: tensor<1x4xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `wci` to have rank 1, but got rank 2 ('tensor<1x4xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%wci, %p, %p : tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_wcf(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %wcf: tensor<4x1xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `wcf` to have rank 1, but got rank 2 ('tensor<4x1xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %wcf, %p : tensor<4xf32>, tensor<4x1xf32>, tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_wco(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %wco: tensor<f32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `wco` to have rank 1, but got rank 0 ('tensor<f32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %wco : tensor<4xf32>, tensor<4xf32>, tensor<f32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_b(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<4x4xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `b` to have rank 1, but got rank 2 ('tensor<4x4xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<4x4xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_i(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %i: tensor<5x8xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `i` to have rank 3, but got rank 2 ('tensor<5x8xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%i, %g, %g, %g, %g, %g, %g :
      tensor<5x8xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_cs(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %cs: tensor<5x8xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `cs` to have rank 3, but got rank 2 ('tensor<5x8xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %cs, %g, %g, %g, %g, %g :
      tensor<5x2x4xf32>, tensor<5x8xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_f(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %f: tensor<5x8xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `f` to have rank 3, but got rank 2 ('tensor<5x8xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %f, %g, %g, %g, %g :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x8xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_o(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %o: tensor<5x8xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `o` to have rank 3, but got rank 2 ('tensor<5x8xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %g, %o, %g, %g, %g :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x8xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_ci(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %ci: tensor<5x8xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `ci` to have rank 3, but got rank 2 ('tensor<5x8xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %g, %g, %ci, %g, %g :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x8xf32>, tensor<5x2x4xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_co(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %co: tensor<5x8xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `co` to have rank 3, but got rank 2 ('tensor<5x8xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %g, %g, %g, %co, %g :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x8xf32>,
      tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_h(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %h: tensor<5x8xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `h` to have rank 3, but got rank 2 ('tensor<5x8xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %g, %g, %g, %g, %h :
      tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
      tensor<5x8xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_cs_grad(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %cs_grad: tensor<5x8xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `cs_grad` to have rank 3, but got rank 2 ('tensor<5x8xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%cs_grad, %g : tensor<5x8xf32>, tensor<5x2x4xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_h_grad(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>, %h_grad: tensor<5x8xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `h_grad` to have rank 3, but got rank 2 ('tensor<5x8xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %h_grad : tensor<5x2x4xf32>, tensor<5x8xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_result(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %p: tensor<4xf32>, %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects result `wco_grad` to have rank 1, but got rank 2 ('tensor<1x4xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>) ->
      x_grad(tensor<5x2x3xf32>) cs_prev_grad(tensor<2x4xf32>) h_prev_grad(tensor<2x4xf32>) w_grad(tensor<7x16xf32>)
      wci_grad(tensor<4xf32>) wcf_grad(tensor<4xf32>) wco_grad(tensor<1x4xf32>) b_grad(tensor<16xf32>)
  return
}

// -----

func.func @block_lstm_grad_b2_out(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>,
    %b: memref<16xf32>, %g: memref<5x2x4xf32>, %cs_prev_grad_out: memref<8xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects `outs` of `cs_prev_grad` to have rank 2, but got rank 1 ('memref<8xf32>') [B2]}}
  rnn.block_lstm_grad ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<5x2x4xf32>) grads(%g, %g : memref<5x2x4xf32>)
      outs(cs_prev_grad = %cs_prev_grad_out : memref<8xf32>)
  return
}
