// batch-major.mlir - the attribute `batch_major`: assembly, type inference, shape reification, both forms, canonicalization.
// RUN: rnn-opt %s | rnn-opt | FileCheck %s --enable-var-scope
// RUN: rnn-opt %s --mlir-print-op-generic | rnn-opt | FileCheck %s --enable-var-scope
// RUN: rnn-opt %s --resolve-shaped-type-result-dims --canonicalize | FileCheck %s --check-prefix=CANON --enable-var-scope

// The result types are inferred.
// CHECK-LABEL: func.func @forward
// CHECK: rnn.cudnn_forward gru input(%{{.*}} : tensor<2x5x3xf32>) state(%{{.*}} : tensor<1x2x4xf32>) params(%{{.*}} : tensor<?xf32>) lengths(%{{.*}} : tensor<2xi32>) resets(%{{.*}} : tensor<2x5xi1>) {batch_major}{{$}}
func.func @forward(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %n: tensor<2xi32>,
    %m: tensor<2x5xi1>) -> tensor<2x5x4xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<2x5x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      lengths(%n : tensor<2xi32>) resets(%m : tensor<2x5xi1>) {batch_major}
  return %y : tensor<2x5x4xf32>
}

// CHECK-LABEL: func.func @backprop
// CHECK: reserve(%{{.*}} : tensor<?xi8>) {batch_major, num_proj = 2 : i64}
func.func @backprop(%x: tensor<?x?x3xf32>, %h: tensor<2x?x2xf32>, %c: tensor<2x?x4xf32>, %p: tensor<?xf32>,
    %y: tensor<?x?x4xf32>, %r: tensor<?xi8>) -> tensor<?x?x3xf32> {
  %dx, %dh, %dc, %dp = rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<?x?x3xf32>)
      state(%h, %c : tensor<2x?x2xf32>, tensor<2x?x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h, %c : tensor<?x?x4xf32>, tensor<2x?x2xf32>, tensor<2x?x4xf32>)
      grads(%y, %h, %c : tensor<?x?x4xf32>, tensor<2x?x2xf32>, tensor<2x?x4xf32>) reserve(%r : tensor<?xi8>)
      {batch_major, num_proj = 2}
  return %dx : tensor<?x?x3xf32>
}

// Every sequence of the block ops is batch-major.
// CHECK-LABEL: func.func @block
// CHECK: rnn.block_lstm icfo x(%{{.*}} : tensor<2x5x3xf32>) state(%{{.*}}, %{{.*}} : tensor<2x4xf32>){{.*}} {batch_major}
// CHECK: rnn.block_lstm_grad icfo {{.*}} saved({{.*}} : tensor<2x5x4xf32>) grads({{.*}} : tensor<2x5x4xf32>) {batch_major}
func.func @block(%x: tensor<2x5x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>) -> tensor<2x5x3xf32> {
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<2x5x3xf32>) state(%s, %s : tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) {batch_major}
  %dx, %dcs, %dh, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad icfo x(%x : tensor<2x5x3xf32>)
      state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>)
      bias(%b : tensor<16xf32>) saved(%i, %cs, %f, %o, %ci, %co, %h : tensor<2x5x4xf32>) grads(%h, %h : tensor<2x5x4xf32>)
      {batch_major}
  return %dx : tensor<2x5x3xf32>
}

// CHECK-LABEL: func.func @memref_form
// CHECK: resets(%{{.*}} : memref<2x5xi1>) outs(h = %{{.*}} : memref<2x5x4xf32>) {batch_major}
func.func @memref_form(%x: memref<2x5x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>,
    %b: memref<16xf32>, %m: memref<2x5xi1>, %h: memref<2x5x4xf32>) {
  rnn.block_lstm ifco x(%x : memref<2x5x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) resets(%m : memref<2x5xi1>) outs(h = %h : memref<2x5x4xf32>)
      {batch_major}
  return
}

// The batch is dim 0 and the number of steps dim 1, of the operand and of the result.
// CANON-LABEL: func.func @reify
// CANON-SAME: (%[[X:.*]]: tensor<?x?x3xf32>, %[[H:.*]]: tensor<
// CANON-DAG: %[[B:.*]] = tensor.dim %[[X]], %c0
// CANON-DAG: %[[T:.*]] = tensor.dim %[[X]], %c1
// CANON: return %[[B]], %[[T]] : index, index
func.func @reify(%x: tensor<?x?x3xf32>, %h: tensor<1x?x4xf32>, %p: tensor<?xf32>) -> (index, index) {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<?x?x3xf32>) state(%h : tensor<1x?x4xf32>) params(%p : tensor<?xf32>)
      {batch_major}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %y, %c0 : tensor<?x?x4xf32>
  %t = tensor.dim %y, %c1 : tensor<?x?x4xf32>
  return %b, %t : index, index
}

// The constant length equals T, which is dim 1.
// CANON-LABEL: func.func @full_length
// CANON-NOT: seq_len_max
// CANON: return
func.func @full_length(%x: tensor<2x5x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>) -> tensor<2x5x4xf32> {
  %n = arith.constant 5 : i64
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<2x5x3xf32>) state(%s, %s : tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
      {batch_major}
  return %h : tensor<2x5x4xf32>
}
