// invalid-batch-major.mlir - shapes that do not fit `batch_major`, of all four layer ops.
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

// expected-note @below {{`input` comes from here}}
func.func @cudnn_forward_c4(%x: tensor<2x5x3xf32>, %h: tensor<1x5x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 1 of `input_h` to be 2 (B, dim 0 of `input`), but got 5 [C4]}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<2x5x3xf32>) state(%h : tensor<1x5x4xf32>) params(%p : tensor<?xf32>)
      {batch_major}
  return
}

// -----

// expected-note @below {{`input` comes from here}}
func.func @cudnn_forward_c16(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %m: tensor<5x2xi1>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 0 of `resets` to be 2 (B, dim 0 of `input`), but got 5 [C16]}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<2x5x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      resets(%m : tensor<5x2xi1>) {batch_major}
  return
}

// -----

func.func @cudnn_forward_c3_no_steps(%x: tensor<2x0x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects T (the steps, dim 1 of `input`) to be at least 1, but got 0 [C3]}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<2x0x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {batch_major}
  return
}

// -----

// expected-note @below {{`input` comes from here}}
func.func @cudnn_backprop_c12(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x4xf32>,
    %r: tensor<?xi8>) {
  // expected-error @below {{'rnn.cudnn_backprop' op expects dim 0 of `output` to be 2 (B, dim 0 of `input`), but got 5 [C12]}}
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<2x5x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>) grads(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      reserve(%r : tensor<?xi8>) {batch_major}
  return
}

// -----

func.func @block_lstm_b7(%x: tensor<2x5x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>) {
  %n = arith.constant 6 : i64
  // expected-error @below {{'rnn.block_lstm' op expects `seq_len_max` to be in [0, 5] (T is dim 1 of `x`), but got 6 [B7]}}
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<2x5x3xf32>) state(%s, %s : tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
      {batch_major}
  return
}

// -----

// expected-note @below {{`x` comes from here}}
func.func @block_lstm_grad_b8(%x: memref<2x5x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>,
    %b: memref<16xf32>, %v: memref<5x2x4xf32>, %dx: memref<2x5x3xf32>) {
  // expected-error @below {{'rnn.block_lstm_grad' op expects dim 0 of `i` to be 2 (B, dim 0 of `x`), but got 5 [B8]}}
  rnn.block_lstm_grad ifco x(%x : memref<2x5x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) saved(%v, %v, %v, %v, %v, %v, %v : memref<5x2x4xf32>)
      grads(%v, %v : memref<5x2x4xf32>) outs(x_grad = %dx : memref<2x5x3xf32>) {batch_major}
  return
}
