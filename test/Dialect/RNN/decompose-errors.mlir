// RUN: rnn-opt %s --rnn-decompose --split-input-file --verify-diagnostics

func.func @no_draw(%x: tensor<3x2x4xf32>, %h: tensor<2x2x4xf32>, %p: tensor<?xf32>) -> tensor<3x2x4xf32> {
  // expected-error@+1 {{draws dropout masks, and its decomposition has no random state; set `rnn.dropout_draw` to the number of the draw, or to a function `() -> i64` that returns it (rnn-decompose{dropout-draw=...})}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x4xf32>) state(%h : tensor<2x2x4xf32>)
      params(%p : tensor<?xf32>) {dropout = 0.5}
  return %y : tensor<3x2x4xf32>
}

// -----

func.func @no_function(%x: tensor<3x2x4xf32>, %h: tensor<2x2x4xf32>, %p: tensor<?xf32>) -> tensor<3x2x4xf32> {
  // expected-error@+1 {{expects `rnn.dropout_draw` to name a function `() -> i64`, but @draw does not exist}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x4xf32>) state(%h : tensor<2x2x4xf32>)
      params(%p : tensor<?xf32>) {dropout = 0.5, rnn.dropout_draw = @draw}
  return %y : tensor<3x2x4xf32>
}

// -----

func.func private @draw() -> i32
func.func @wrong_function(%x: tensor<3x2x4xf32>, %h: tensor<2x2x4xf32>, %p: tensor<?xf32>) -> tensor<3x2x4xf32> {
  // expected-error@+1 {{expects `rnn.dropout_draw` to name a function `() -> i64`, but @draw has another type}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x4xf32>) state(%h : tensor<2x2x4xf32>)
      params(%p : tensor<?xf32>) {dropout = 0.5, rnn.dropout_draw = @draw}
  return %y : tensor<3x2x4xf32>
}

// -----

func.func @small_reserve(%x: tensor<3x2x4xf32>, %h: tensor<2x2x4xf32>, %p: tensor<?xf32>) -> tensor<3x2x4xf32> {
  // expected-error@+1 {{expects `reserve_space` to have at least 64 bytes for the draw of the dropout masks, but got 'tensor<8xi8>'}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x4xf32>) state(%h : tensor<2x2x4xf32>)
      params(%p : tensor<?xf32>) {dropout = 0.5, rnn.dropout_draw = 3 : i64}
      -> output(tensor<3x2x4xf32>) output_h(tensor<2x2x4xf32>) reserve_space(tensor<8xi8>)
  return %y : tensor<3x2x4xf32>
}

// -----

func.func @memrefs(%x: memref<3x2x4xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<3x2x4xf32>) {
  // expected-error@+1 {{in memref form has no decomposition; decompose it before bufferization}}
  rnn.cudnn_forward gru input(%x : memref<3x2x4xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<3x2x4xf32>) {is_training = false}
  return
}

// -----

func.func @wrong_attribute(%x: tensor<3x2x4xf32>, %h: tensor<2x2x4xf32>, %p: tensor<?xf32>) -> tensor<3x2x4xf32> {
  // expected-error@+1 {{`rnn.dropout_draw` must be an i64 or the name of a function on `rnn.cudnn_forward`, but got 3 : i32}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x4xf32>) state(%h : tensor<2x2x4xf32>)
      params(%p : tensor<?xf32>) {dropout = 0.5, rnn.dropout_draw = 3 : i32}
  return %y : tensor<3x2x4xf32>
}

// -----

func.func @empty_batch(%x: tensor<5x0x3xf32>, %s: tensor<0x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>)
    -> tensor<5x0x4xf32> {
  // expected-error@+1 {{'rnn.block_lstm' op with B = 0 has no decomposition; its results are zeros or empty}}
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<5x0x3xf32>) state(%s, %s : tensor<0x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return %h : tensor<5x0x4xf32>
}
