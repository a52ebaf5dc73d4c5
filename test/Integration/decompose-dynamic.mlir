// A decomposed layer whose hidden size is dynamic: its matrices are views of params with two dynamic sizes.
// REQUIRES: rnn-run
// DEFINE: %{run} = --function=f --input=random:1:5x4x7 --input=random:2:1x4x7 --input=random:3:189 --output=@%t/y.npy --output=@%t/dp.npy
// RUN: rm -rf %t && mkdir %t
// RUN: rnn-run %s %{run}
// RUN: rnn-opt %s --rnn-decompose -o %t/linalg.mlir
// RUN: rnn-run %t/linalg.mlir --function=f --input=random:1:5x4x7 --input=random:2:1x4x7 --input=random:3:189 --expected-output=@%t/y.npy --expected-output=@%t/dp.npy --atol=1e-12 --rtol=1e-12
func.func @f(%x: tensor<?x?x?xf64>, %h: tensor<1x?x?xf64>, %p: tensor<?xf64>) -> (tensor<?x?x?xf64>, tensor<?xf64>) {
  %y, %hn, %r = rnn.cudnn_forward gru, skip_input input(%x : tensor<?x?x?xf64>) state(%h : tensor<1x?x?xf64>) params(%p : tensor<?xf64>)
  %dx, %dh, %dp = rnn.cudnn_backprop gru, skip_input input(%x : tensor<?x?x?xf64>) state(%h : tensor<1x?x?xf64>) params(%p : tensor<?xf64>)
      output(%y, %hn : tensor<?x?x?xf64>, tensor<1x?x?xf64>) grads(%y, %hn : tensor<?x?x?xf64>, tensor<1x?x?xf64>)
      reserve(%r : tensor<?xi8>)
  return %y, %dp : tensor<?x?x?xf64>, tensor<?xf64>
}

// A cast hides a static size of the input: offsets and sizes of the matrices are static, and their gradients are dynamic.
// RUN: rnn-run %s --function=g --input=random:1:5x4x8 --input=random:2:1x4x5 --input=random:3:225 --output=@%t/y.npy --output=@%t/dp.npy
// RUN: rnn-run %t/linalg.mlir --function=g --input=random:1:5x4x8 --input=random:2:1x4x5 --input=random:3:225 --expected-output=@%t/y.npy --expected-output=@%t/dp.npy --atol=1e-12 --rtol=1e-12
func.func @g(%x: tensor<?x?x8xf64>, %h: tensor<1x?x5xf64>, %p: tensor<?xf64>) -> (tensor<?x?x5xf64>, tensor<?xf64>) {
  %x0 = tensor.cast %x : tensor<?x?x8xf64> to tensor<?x?x?xf64>
  %y, %hn, %r = rnn.cudnn_forward gru input(%x0 : tensor<?x?x?xf64>) state(%h : tensor<1x?x5xf64>) params(%p : tensor<?xf64>)
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x0 : tensor<?x?x?xf64>) state(%h : tensor<1x?x5xf64>) params(%p : tensor<?xf64>)
      output(%y, %hn : tensor<?x?x5xf64>, tensor<1x?x5xf64>) grads(%y, %hn : tensor<?x?x5xf64>, tensor<1x?x5xf64>)
      reserve(%r : tensor<?xi8>)
  return %y, %dp : tensor<?x?x5xf64>, tensor<?xf64>
}

// A skipped input has no weights: they have a static size 0 beside a dynamic one.
// RUN: rnn-run %s --function=empty --input=0x3xf64=1 --input=random:1:3x3 --input=random:2:3 --output=@%t/p.npy
// RUN: rnn-run %t/linalg.mlir --function=empty --input=0x3xf64=1 --input=random:1:3x3 --input=random:2:3 --expected-output=@%t/p.npy
func.func @empty(%w: tensor<0x?xf64>, %r: tensor<3x3xf64>, %b: tensor<3xf64>) -> tensor<?xf64> {
  %layers = arith.constant 1 : index
  %units = arith.constant 3 : index
  %p = rnn.cudnn_canonical_to_params rnn_tanh, skip_input sizes(%layers, %units, %units)
      weights(%w, %r : tensor<0x?xf64>, tensor<3x3xf64>) biases(%b, %b : tensor<3xf64>, tensor<3xf64>)
  return %p : tensor<?xf64>
}

// No step runs: the gradients of the states are zeros, and so is that of the input.
// RUN: rnn-run %s --function=no_steps --input=random:1 --input=random:2 --input=random:3 --input=random:4 --input=random:5 --output=@%t/dx.npy --output=@%t/dh.npy --output=@%t/dw.npy
// RUN: rnn-run %t/linalg.mlir --function=no_steps --input=random:1 --input=random:2 --input=random:3 --input=random:4 --input=random:5 --expected-output=@%t/dx.npy --expected-output=@%t/dh.npy --expected-output=@%t/dw.npy
func.func @no_steps(%x: tensor<2x1x3xf64>, %s: tensor<1x4xf64>, %w: tensor<7x16xf64>, %b: tensor<16xf64>, %v: tensor<2x1x4xf64>)
    -> (tensor<2x1x3xf64>, tensor<1x4xf64>, tensor<7x16xf64>) {
  %n = arith.constant 0 : i64
  %p = arith.constant dense<0.0> : tensor<4xf64>
  %dx, %dc, %dh, %dw, %d1, %d2, %d3, %db = rnn.block_lstm_grad icfo x(%x : tensor<2x1x3xf64>) state(%s, %s : tensor<1x4xf64>)
      weights(%w : tensor<7x16xf64>) peephole(%p, %p, %p : tensor<4xf64>) bias(%b : tensor<16xf64>) seq_len_max(%n)
      saved(%v, %v, %v, %v, %v, %v, %v : tensor<2x1x4xf64>) grads(%v, %v : tensor<2x1x4xf64>)
  return %dx, %dh, %dw : tensor<2x1x3xf64>, tensor<1x4xf64>, tensor<7x16xf64>
}
