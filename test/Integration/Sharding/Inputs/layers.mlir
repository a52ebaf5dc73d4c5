// Forward passes with gradients. The annotations of %x split the batch; whole.mlir of the test is this file without them.

shard.grid @processes(shape = PROCESSES)

// Unidirectional, with resets; the gradients of 16-bit parameters are summed in f32.
func.func @gru(%x: tensor<5x8x3xbf16>, %h: tensor<1x8x4xbf16>, %p: tensor<108xbf16>, %marks: tensor<5x8xi1>,
               %dy: tensor<5x8x4xbf16>, %dhn: tensor<1x8x4xbf16>)
    -> (tensor<5x8x4xbf16>, tensor<1x8x4xbf16>, tensor<5x8x3xbf16>, tensor<1x8x4xbf16>, tensor<108xbf16>) {
  %s = shard.sharding @processes split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<5x8x3xbf16>
  %y, %hn, %r = rnn.cudnn_forward gru input(%xs : tensor<5x8x3xbf16>) state(%h : tensor<1x8x4xbf16>)
      params(%p : tensor<108xbf16>) resets(%marks : tensor<5x8xi1>) {reset_to = #rnn.reset_to<initial>}
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%xs : tensor<5x8x3xbf16>) state(%h : tensor<1x8x4xbf16>)
      params(%p : tensor<108xbf16>) output(%y, %hn : tensor<5x8x4xbf16>, tensor<1x8x4xbf16>)
      grads(%dy, %dhn : tensor<5x8x4xbf16>, tensor<1x8x4xbf16>) reserve(%r : tensor<?xi8>)
      resets(%marks : tensor<5x8xi1>) {reset_to = #rnn.reset_to<initial>}
  return %y, %hn, %dx, %dh, %dp
      : tensor<5x8x4xbf16>, tensor<1x8x4xbf16>, tensor<5x8x3xbf16>, tensor<1x8x4xbf16>, tensor<108xbf16>
}

// Two layers, both directions, lengths.
func.func @lstm(%x: tensor<5x8x3xf64>, %h: tensor<4x8x4xf64>, %c: tensor<4x8x4xf64>, %p: tensor<736xf64>,
                %n: tensor<8xi32>, %dy: tensor<5x8x8xf64>, %dhn: tensor<4x8x4xf64>, %dcn: tensor<4x8x4xf64>)
    -> (tensor<5x8x8xf64>, tensor<4x8x4xf64>, tensor<5x8x3xf64>, tensor<736xf64>) {
  %s = shard.sharding @processes split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<5x8x3xf64>
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm, bidirectional input(%xs : tensor<5x8x3xf64>)
      state(%h, %c : tensor<4x8x4xf64>) params(%p : tensor<736xf64>) lengths(%n : tensor<8xi32>)
  %dx, %dh, %dc, %dp = rnn.cudnn_backprop lstm, bidirectional input(%xs : tensor<5x8x3xf64>)
      state(%h, %c : tensor<4x8x4xf64>) params(%p : tensor<736xf64>) lengths(%n : tensor<8xi32>)
      output(%y, %hn, %cn : tensor<5x8x8xf64>, tensor<4x8x4xf64>, tensor<4x8x4xf64>)
      grads(%dy, %dhn, %dcn : tensor<5x8x8xf64>, tensor<4x8x4xf64>, tensor<4x8x4xf64>) reserve(%r : tensor<?xi8>)
  return %y, %cn, %dx, %dp : tensor<5x8x8xf64>, tensor<4x8x4xf64>, tensor<5x8x3xf64>, tensor<736xf64>
}

// A block layer with a batch of dynamic size and fewer steps than T.
func.func @block(%steps: i64, %x: tensor<5x?x3xf32>, %c: tensor<?x4xf32>, %h: tensor<?x4xf32>, %w: tensor<7x16xf32>,
                 %wc: tensor<4xf32>, %b: tensor<16xf32>, %dc: tensor<5x?x4xf32>, %dh: tensor<5x?x4xf32>)
    -> (tensor<5x?x4xf32>, tensor<5x?x3xf32>, tensor<?x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<16xf32>) {
  %s = shard.sharding @processes split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<5x?x3xf32>
  %i, %cs, %f, %o, %ci, %co, %y = rnn.block_lstm ifco x(%xs : tensor<5x?x3xf32>) state(%c, %h : tensor<?x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%wc, %wc, %wc : tensor<4xf32>) bias(%b : tensor<16xf32>)
      seq_len_max(%steps) {cell_clip = 2.0, use_peephole}
  %dx, %dcp, %dhp, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad ifco x(%xs : tensor<5x?x3xf32>)
      state(%c, %h : tensor<?x4xf32>) weights(%w : tensor<7x16xf32>) peephole(%wc, %wc, %wc : tensor<4xf32>)
      bias(%b : tensor<16xf32>) seq_len_max(%steps) saved(%i, %cs, %f, %o, %ci, %co, %y : tensor<5x?x4xf32>)
      grads(%dc, %dh : tensor<5x?x4xf32>) {use_peephole}
  return %y, %dx, %dhp, %dw, %dwcf, %db
      : tensor<5x?x4xf32>, tensor<5x?x3xf32>, tensor<?x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<16xf32>
}
