// The module of failing-files.test.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = arith.addf %x, %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
func.func @layer(%x: tensor<2x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>)
    -> tensor<2x2x4xf32> {
  %y:7 = rnn.block_lstm ifco x(%x : tensor<2x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return %y#6 : tensor<2x2x4xf32>
}
