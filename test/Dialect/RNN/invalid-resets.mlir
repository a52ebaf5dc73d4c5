// invalid-resets.mlir - invalid resets of all four layer ops (C16, B12).
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

// expected-note @below {{`input` comes from here}}
func.func @cudnn_forward_c16_other_steps(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %m: tensor<4x2xi1>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 0 of `resets` to be 5 (T, dim 0 of `input`), but got 4 [C16]}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      resets(%m : tensor<4x2xi1>)
  return
}

// -----

// expected-note @below {{`input_h` comes from here}}
func.func @cudnn_forward_c16_other_batch(%x: tensor<5x?x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %m: tensor<5x3xi1>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 1 of `resets` to be 2 (B, dim 1 of `input_h`), but got 3 [C16]}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x?x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      resets(%m : tensor<5x3xi1>)
  return
}

// -----

func.func @cudnn_forward_c2_rank(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %m: tensor<5x2x1xi1>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects `resets` to have rank 2, but got rank 3 ('tensor<5x2x1xi1>') [C2]}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      resets(%m : tensor<5x2x1xi1>)
  return
}

// -----

func.func @cudnn_forward_element_type(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %m: tensor<5x2xi8>) {
  // expected-error @below {{i1 reset marks (ranked tensor or memref), but got 'tensor<5x2xi8>'}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      resets(%m : tensor<5x2xi8>)
  return
}

// -----

func.func @cudnn_forward_c16_reset_to_alone(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op requires `resets` with `reset_to` [C16]}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {reset_to = #rnn.reset_to<initial>}
  return
}

// -----

// expected-note @below {{`input` comes from here}}
func.func @cudnn_backprop_c16(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x4xf32>,
    %r: tensor<?xi8>, %m: tensor<2x5xi1>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 0 of `resets` to be 5 (T, dim 0 of `input`), but got 2 [C16]}}
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>) grads(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      reserve(%r : tensor<?xi8>) resets(%m : tensor<2x5xi1>)
  return
}

// -----

// expected-note @below {{`x` comes from here}}
func.func @block_lstm_b12(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %m: tensor<6x2xi1>) {
  // expected-error @below {{'rnn.block_lstm' op expects dim 0 of `resets` to be 5 (T, dim 0 of `x`), but got 6 [B12]}}
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) resets(%m : tensor<6x2xi1>)
  return
}

// -----

func.func @block_lstm_b12_reset_to_alone(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>) {
  // expected-error @below {{'rnn.block_lstm' op requires `resets` with `reset_to` [B12]}}
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      {reset_to = #rnn.reset_to<initial>}
  return
}

// -----

// expected-note @below {{`x` comes from here}}
func.func @block_lstm_grad_b12(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>,
    %b: memref<16xf32>, %v: memref<5x2x4xf32>, %m: memref<5x1xi1>, %dx: memref<5x2x3xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 1 of `resets` to be 2 (B, dim 1 of `x`), but got 1 [B12]}}
  rnn.block_lstm_grad ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) saved(%v, %v, %v, %v, %v, %v, %v : memref<5x2x4xf32>)
      grads(%v, %v : memref<5x2x4xf32>) resets(%m : memref<5x1xi1>) outs(x_grad = %dx : memref<5x2x3xf32>)
  return
}
