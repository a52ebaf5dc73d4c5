// A block LSTM and its gradient compute the same before and after they are rewritten to cudnn ops: both layouts, a forget
// bias, a gradient of the last cell, static and dynamic sizes.
// REQUIRES: rnn-run
// RUN: rm -rf %t && mkdir %t
// RUN: rnn-run %s --lowering=runtime --function=icfo --output=@%t/h.npy --output=@%t/c.npy --output=@%t/dx.npy --output=@%t/dc.npy --output=@%t/dh.npy --output=@%t/dw.npy --output=@%t/db.npy
// RUN: rnn-opt %s -rnn-block-to-cudnn="prefer=runtime" -canonicalize -cse -o %t/cudnn.mlir
// RUN: FileCheck %s < %t/cudnn.mlir
// RUN: rnn-run %t/cudnn.mlir --lowering=runtime --function=icfo --expected-output=@%t/h.npy --expected-output=@%t/c.npy --expected-output=@%t/dx.npy --expected-output=@%t/dc.npy --expected-output=@%t/dh.npy --expected-output=@%t/dw.npy --expected-output=@%t/db.npy --atol=1e-14
// RUN: rnn-run %s --lowering=runtime --function=ifco --input=5 --input=16xf64=0.25 --output=@%t/dx2.npy --output=@%t/dw2.npy --output=@%t/db2.npy
// RUN: rnn-run %t/cudnn.mlir --lowering=runtime --function=ifco --input=5 --input=16xf64=0.25 --expected-output=@%t/dx2.npy --expected-output=@%t/dw2.npy --expected-output=@%t/db2.npy --atol=1e-14
// RUN: not rnn-run %t/cudnn.mlir --lowering=runtime --function=ifco --input=5 --input=12xf64=0.25 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: INVALID_ARGUMENT: 'tensor.cast' op expects dim 0 of its operand: expected 16, but got 12

// Both gradients use one forward op.
// CHECK-LABEL: func.func @icfo
// CHECK-COUNT-1: rnn.cudnn_forward
// CHECK-NOT:     rnn.cudnn_forward
// CHECK-NOT:     rnn.block
// CHECK:         rnn.cudnn_backprop
// CHECK-LABEL: func.func @ifco

// Values in about [-0.5, 0.5] that depend on every index.
func.func private @numbers3(%a: index, %b: index, %c: index, %seed: f64) -> tensor<?x?x?xf64> {
  %e = tensor.generate %a, %b, %c {
  ^bb0(%i: index, %j: index, %k: index):
    %i1 = arith.muli %i, %b : index
    %i2 = arith.addi %i1, %j : index
    %i3 = arith.muli %i2, %c : index
    %i4 = arith.addi %i3, %k : index
    %n = arith.index_cast %i4 : index to i64
    %f = arith.sitofp %n : i64 to f64
    %s = arith.mulf %f, %seed : f64
    %v = math.sin %s : f64
    %half = arith.constant 0.5 : f64
    %r = arith.mulf %v, %half : f64
    tensor.yield %r : f64
  } : tensor<?x?x?xf64>
  return %e : tensor<?x?x?xf64>
}

func.func @icfo() -> (tensor<5x2x4xf64>, tensor<2x4xf64>, tensor<5x2x3xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<7x16xf64>, tensor<16xf64>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  %s1 = arith.constant 1.7 : f64
  %s2 = arith.constant 2.3 : f64
  %s3 = arith.constant 0.9 : f64
  %zero = arith.constant dense<0.0> : tensor<4xf64>
  %x0 = call @numbers3(%c5, %c2, %c3, %s1) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %x = tensor.cast %x0 : tensor<?x?x?xf64> to tensor<5x2x3xf64>
  %w0 = call @numbers3(%c1, %c7, %c16, %s2) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %w1 = tensor.cast %w0 : tensor<?x?x?xf64> to tensor<1x7x16xf64>
  %w = tensor.collapse_shape %w1 [[0, 1], [2]] : tensor<1x7x16xf64> into tensor<7x16xf64>
  %b = tensor.extract_slice %w [3, 0] [1, 16] [1, 1] : tensor<7x16xf64> to tensor<16xf64>
  %states0 = call @numbers3(%c2, %c2, %c4, %s3) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %states = tensor.cast %states0 : tensor<?x?x?xf64> to tensor<2x2x4xf64>
  %cs_prev = tensor.extract_slice %states [0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<2x2x4xf64> to tensor<2x4xf64>
  %h_prev = tensor.extract_slice %states [1, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<2x2x4xf64> to tensor<2x4xf64>
  %g0 = call @numbers3(%c5, %c2, %c4, %s2) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %h_grad = tensor.cast %g0 : tensor<?x?x?xf64> to tensor<5x2x4xf64>
  %no_grad = arith.constant dense<0.0> : tensor<5x2x4xf64>
  %cs_grad = tensor.insert_slice %h_prev into %no_grad[4, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<2x4xf64> into tensor<5x2x4xf64>
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<5x2x3xf64>) state(%cs_prev, %h_prev : tensor<2x4xf64>)
      weights(%w : tensor<7x16xf64>) peephole(%zero, %zero, %zero : tensor<4xf64>) bias(%b : tensor<16xf64>) {forget_bias = 0.75}
  %dx, %dcs, %dh, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad icfo x(%x : tensor<5x2x3xf64>) state(%cs_prev, %h_prev : tensor<2x4xf64>)
      weights(%w : tensor<7x16xf64>) peephole(%zero, %zero, %zero : tensor<4xf64>) bias(%b : tensor<16xf64>)
      saved(%i, %cs, %f, %o, %ci, %co, %h : tensor<5x2x4xf64>) grads(%cs_grad, %h_grad : tensor<5x2x4xf64>)
  %last = tensor.extract_slice %cs [4, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<5x2x4xf64> to tensor<2x4xf64>
  return %h, %last, %dx, %dcs, %dh, %dw, %db : tensor<5x2x4xf64>, tensor<2x4xf64>, tensor<5x2x3xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<7x16xf64>, tensor<16xf64>
}

func.func @ifco(%steps: index, %b: tensor<?xf64>) -> (tensor<?x?x3xf64>, tensor<7x16xf64>, tensor<16xf64>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  %s1 = arith.constant 1.7 : f64
  %s2 = arith.constant 2.3 : f64
  %s3 = arith.constant 0.9 : f64
  %x0 = call @numbers3(%steps, %c2, %c3, %s1) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %x = tensor.cast %x0 : tensor<?x?x?xf64> to tensor<?x?x3xf64>
  %w1 = call @numbers3(%c1, %c7, %c16, %s2) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %w = tensor.collapse_shape %w1 [[0, 1], [2]] : tensor<?x?x?xf64> into tensor<?x?xf64>
  %p = tensor.extract_slice %w [2, 0] [1, %c4] [1, 1] : tensor<?x?xf64> to tensor<?xf64>
  %s = call @numbers3(%c1, %c2, %c4, %s3) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %state0 = tensor.collapse_shape %s [[0, 1], [2]] : tensor<?x?x?xf64> into tensor<?x?xf64>
  %state = tensor.cast %state0 : tensor<?x?xf64> to tensor<?x4xf64>
  %h_grad0 = call @numbers3(%steps, %c2, %c4, %s2) : (index, index, index, f64) -> tensor<?x?x?xf64>
  %h_grad = tensor.cast %h_grad0 : tensor<?x?x?xf64> to tensor<?x?x4xf64>
  %zero = arith.constant 0.0 : f64
  %cs_grad = tensor.splat %zero[%steps, %c2] : tensor<?x?x4xf64>
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm ifco x(%x : tensor<?x?x3xf64>) state(%state, %state : tensor<?x4xf64>)
      weights(%w : tensor<?x?xf64>) peephole(%p, %p, %p : tensor<?xf64>) bias(%b : tensor<?xf64>)
  %dx, %dcs, %dh, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad ifco x(%x : tensor<?x?x3xf64>) state(%state, %state : tensor<?x4xf64>)
      weights(%w : tensor<?x?xf64>) peephole(%p, %p, %p : tensor<?xf64>) bias(%b : tensor<?xf64>)
      saved(%i, %cs, %f, %o, %ci, %co, %h : tensor<?x?x4xf64>) grads(%cs_grad, %h_grad : tensor<?x?x4xf64>)
  return %dx, %dw, %db : tensor<?x?x3xf64>, tensor<7x16xf64>, tensor<16xf64>
}
