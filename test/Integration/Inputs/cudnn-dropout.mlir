// Three layers with dropout, as a plan and as kernels: the differences of outputs and gradients, and an output. The number of
// layers is dynamic.
func.func @main(%x: tensor<3x2x4xf64>, %h: tensor<?x2x3xf64>, %p: tensor<?xf64>, %n: tensor<2xi32>)
    -> (tensor<3x2x6xf64>, tensor<3x2x4xf64>, tensor<?xf64>, tensor<3x2x6xf64>) {
  %y1, %hn1, %r1 = rnn.cudnn_forward gru, bidirectional input(%x : tensor<3x2x4xf64>) state(%h : tensor<?x2x3xf64>) params(%p : tensor<?xf64>)
      lengths(%n : tensor<2xi32>) {dropout = 0.5, seed = 7 : i64, lowering = #rnn.lowering<fused>}
  %y0, %hn0, %r0 = rnn.cudnn_forward gru, bidirectional input(%x : tensor<3x2x4xf64>) state(%h : tensor<?x2x3xf64>) params(%p : tensor<?xf64>)
      lengths(%n : tensor<2xi32>) {dropout = 0.5, seed = 7 : i64, lowering = #rnn.lowering<runtime>}
  %dx0, %dh0, %dp0 = rnn.cudnn_backprop gru, bidirectional input(%x : tensor<3x2x4xf64>) state(%h : tensor<?x2x3xf64>) params(%p : tensor<?xf64>)
      lengths(%n : tensor<2xi32>) output(%y0, %hn0 : tensor<3x2x6xf64>, tensor<?x2x3xf64>) grads(%y0, %h : tensor<3x2x6xf64>, tensor<?x2x3xf64>)
      reserve(%r0 : tensor<?xi8>) {dropout = 0.5, seed = 7 : i64, lowering = #rnn.lowering<runtime>}
  %dx1, %dh1, %dp1 = rnn.cudnn_backprop gru, bidirectional input(%x : tensor<3x2x4xf64>) state(%h : tensor<?x2x3xf64>) params(%p : tensor<?xf64>)
      lengths(%n : tensor<2xi32>) output(%y1, %hn1 : tensor<3x2x6xf64>, tensor<?x2x3xf64>) grads(%y1, %h : tensor<3x2x6xf64>, tensor<?x2x3xf64>)
      reserve(%r1 : tensor<?xi8>) {dropout = 0.5, seed = 7 : i64, lowering = #rnn.lowering<fused>}
  %dy = arith.subf %y0, %y1 : tensor<3x2x6xf64>
  %dx = arith.subf %dx0, %dx1 : tensor<3x2x4xf64>
  %dp = arith.subf %dp0, %dp1 : tensor<?xf64>
  return %dy, %dx, %dp, %y1 : tensor<3x2x6xf64>, tensor<3x2x4xf64>, tensor<?xf64>, tensor<3x2x6xf64>
}
