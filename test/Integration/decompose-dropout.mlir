// The decomposition draws the masks of the host's plans, and a decomposed gradient reads the draw from either reserve space.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{in} = --input=random:1 --input=random:2:3x2x3 --input=random:3:216
// DEFINE: %{same} = --expected-output=@%t/y.npy --expected-output=@%t/dx.npy --expected-output=@%t/dp.npy --atol=1e-13
// RUN: rnn-run %s --function=main --lowering=runtime --dropout-draw=3 %{in} --output=@%t/y.npy --output=@%t/dx.npy --output=@%t/dp.npy
// RUN: rnn-opt %s --rnn-decompose=dropout-draw=3 | rnn-run - --function=main %{in} %{same}
// RUN: rnn-opt %s --rnn-decompose=dropout-draw=@draw | rnn-run - --function=main %{in} %{same}
// RUN: rnn-opt %s --rnn-decompose=dropout-draw=2 | not rnn-run - --function=main %{in} %{same} 2>&1 | FileCheck %s
// CHECK: differ by more than
// RUN: rnn-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/decompose-gradients.mlir --transform-interpreter | rnn-run - --function=main --lowering=runtime --dropout-draw=3 %{in} %{same}

func.func private @draw() -> i64 {
  %draw = arith.constant 3 : i64
  return %draw : i64
}

// Three layers; their number is dynamic.
func.func @main(%x: tensor<3x2x3xf64>, %h: tensor<?x2x3xf64>, %p: tensor<?xf64>)
    -> (tensor<3x2x3xf64>, tensor<3x2x3xf64>, tensor<?xf64>) {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x3xf64>) state(%h : tensor<?x2x3xf64>)
      params(%p : tensor<?xf64>) {dropout = 0.5, seed = 7 : i64, seed2 = -2 : i64}
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<3x2x3xf64>) state(%h : tensor<?x2x3xf64>)
      params(%p : tensor<?xf64>) output(%y, %hn : tensor<3x2x3xf64>, tensor<?x2x3xf64>)
      grads(%y, %h : tensor<3x2x3xf64>, tensor<?x2x3xf64>) reserve(%r : tensor<?xi8>)
      {dropout = 0.5, seed = 7 : i64, seed2 = -2 : i64}
  return %y, %dx, %dp : tensor<3x2x3xf64>, tensor<3x2x3xf64>, tensor<?xf64>
}
