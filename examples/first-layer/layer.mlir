// One LSTM layer and its gradient by the weights: T=5 steps, B=2 examples, I=3 features, H=4 units.
func.func @main(%x: tensor<5x2x3xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>, %dh: tensor<5x2x4xf32>)
    -> (tensor<5x2x4xf32>, tensor<7x16xf32>) {
  %state = arith.constant dense<0.0> : tensor<2x4xf32>
  %peephole = arith.constant dense<0.0> : tensor<4xf32>
  %dcs = arith.constant dense<0.0> : tensor<5x2x4xf32>
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%state, %state : tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%peephole, %peephole, %peephole : tensor<4xf32>) bias(%b : tensor<16xf32>)
  %dx, %dcs_prev, %dh_prev, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>)
      state(%state, %state : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%peephole, %peephole, %peephole : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%i, %cs, %f, %o, %ci, %co, %h : tensor<5x2x4xf32>) grads(%dcs, %dh : tensor<5x2x4xf32>)
  return %h, %dw : tensor<5x2x4xf32>, tensor<7x16xf32>
}
