// Sizes of results as linear functions of sizes of arguments (rnnrt_argument_t::sizes): a row per dimension with a
// constant and a factor of each size of each argument.
// RUN: rnn-opt %s --rnn-pipeline="stop-after=emit" | FileCheck %s

// Dimension 0 of result 0 is that of %x, dimension 1 is static. The sizes of both results are separate.
// CHECK-DAG: @rnn_entry_same.outputs.0.sizes(dense<[0, 1, 0, 0, 4, 0, 0, 0]> : tensor<8xi64>)
// CHECK-DAG: @rnn_entry_same.outputs.1.sizes(dense<[0, 0, 0, 1]> : tensor<4xi64>)
func.func @same(%x: tensor<?x4xf32>, %y: tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %0 = arith.addf %x, %x : tensor<?x4xf32>
  return %0, %y : tensor<?x4xf32>, tensor<?xf32>
}

// A scalar has no columns.
// CHECK-DAG: @rnn_entry_concat.outputs.0.sizes(dense<[0, 2, 1]> : tensor<3xi64>)
func.func @concat(%x: tensor<?xf32>, %n: i64, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tensor.concat dim(0) %x, %y, %x : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-DAG: @rnn_entry_slice.outputs.0.sizes(dense<[-1, 1, 0, 0, 0, 1]> : tensor<6xi64>)
func.func @slice(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = arith.subi %n, %c1 : index
  %w = tensor.dim %x, %c1 : tensor<?x?xf32>
  %0 = tensor.extract_slice %x[1, 0] [%m, %w] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-DAG: @rnn_entry_collapse.outputs.0.sizes(dense<[0, 4, 0, 0, 0]> : tensor<5xi64>)
// CHECK-DAG: @rnn_entry_collapse.outputs.1.sizes(dense<[0, 1, 0, 0, 0, 0, 0, 0, 0, 1]> : tensor<10xi64>)
func.func @collapse(%x: tensor<?x4xf32>, %w: tensor<4x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %m = tensor.dim %w, %c1 : tensor<4x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?x?xf32>
}

// CHECK-DAG: @rnn_entry_loop.outputs.0.sizes(dense<[0, 1]> : tensor<2xi64>)
func.func @loop(%x: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %b = arith.addf %a, %x : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// CHECK-DAG: @rnn_entry_branch.outputs.0.sizes(dense<[0, 1]> : tensor<2xi64>)
func.func @branch(%x: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %0 = scf.if %c -> tensor<?xf32> {
    %1 = arith.addf %x, %x : tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// A layer of any length and batch size. An argument of any rank that is cast has the columns of that rank.
// CHECK-DAG: @rnn_entry_layer.outputs.0.sizes(dense<[0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0]>
func.func @layer(%u: tensor<*xf32>, %x: tensor<?x?x3xf32>, %h: tensor<1x?x5xf32>, %p: tensor<150xf32>)
    -> (tensor<?x?x5xf32>, tensor<?xf32>) {
  %cast = tensor.cast %u : tensor<*xf32> to tensor<?xf32>
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<?x?x3xf32>) state(%h : tensor<1x?x5xf32>)
      params(%p : tensor<150xf32>) {is_training = false}
  %0 = arith.addf %cast, %cast : tensor<?xf32>
  return %y, %0 : tensor<?x?x5xf32>, tensor<?xf32>
}

// Static sizes need no matrix. What follows is known after the call only, not linear, or in a callee.
// CHECK-NOT: @rnn_entry_{{static|data|half|calls}}.outputs.0.sizes
func.func @static(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @data(%x: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %0 = tensor.extract_slice %x[0] [%k] [1] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @half(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.divui %n, %c2 : index
  %0 = tensor.extract_slice %x[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func private @g(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.addf %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @calls(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = func.call @g(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
