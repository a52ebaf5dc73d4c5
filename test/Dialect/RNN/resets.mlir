// resets.mlir - the operand `resets`: assembly, both forms, and canonicalization of marks without effect.
// RUN: rnn-opt %s | rnn-opt | FileCheck %s --enable-var-scope
// RUN: rnn-opt %s --mlir-print-op-generic | rnn-opt | FileCheck %s --enable-var-scope
// RUN: rnn-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: func.func @forward_zero
// CHECK: rnn.cudnn_forward gru input(%{{.*}} : tensor<5x2x3xf32>) state(%{{.*}} : tensor<1x2x4xf32>) params(%{{.*}} : tensor<?xf32>) lengths(%{{.*}} : tensor<2xi32>) resets(%{{.*}} : tensor<5x2xi1>){{$}}
// CANON-LABEL: func.func @forward_zero
// CANON: resets(
func.func @forward_zero(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %n: tensor<2xi32>,
    %m: tensor<5x2xi1>) -> tensor<5x2x4xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      lengths(%n : tensor<2xi32>) resets(%m : tensor<5x2xi1>) {reset_to = #rnn.reset_to<zero>}
  return %y : tensor<5x2x4xf32>
}

// CHECK-LABEL: func.func @backprop_initial
// CHECK: reserve(%{{.*}} : tensor<?xi8>) resets(%{{.*}} : tensor<?x?xi1>) {reset_to = #rnn.reset_to<initial>}
func.func @backprop_initial(%x: tensor<?x?x3xf32>, %h: tensor<1x?x4xf32>, %p: tensor<?xf32>, %y: tensor<?x?x4xf32>,
    %r: tensor<?xi8>, %m: tensor<?x?xi1>) -> tensor<?xf32> {
  %dx, %dh, %dp = rnn.cudnn_backprop rnn_tanh input(%x : tensor<?x?x3xf32>) state(%h : tensor<1x?x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h : tensor<?x?x4xf32>, tensor<1x?x4xf32>)
      grads(%y, %h : tensor<?x?x4xf32>, tensor<1x?x4xf32>) reserve(%r : tensor<?xi8>) resets(%m : tensor<?x?xi1>)
      {reset_to = #rnn.reset_to<initial>}
  return %dp : tensor<?xf32>
}

// Without a mark the operand is removed.
// CANON-LABEL: func.func @block_without_marks
// CANON-NOT: resets
// CANON-NOT: reset_to
// CANON: return
// CHECK-LABEL: func.func @block_without_marks
// CHECK: seq_len_max(%{{.*}}) resets(%{{.*}} : tensor<5x2xi1>) {reset_to = #rnn.reset_to<initial>}
func.func @block_without_marks(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>, %n: i64) -> tensor<5x2x4xf32> {
  %m = arith.constant dense<false> : tensor<5x2xi1>
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
      resets(%m : tensor<5x2xi1>) {reset_to = #rnn.reset_to<initial>}
  return %h : tensor<5x2x4xf32>
}

// CANON-LABEL: func.func @block_with_a_mark
// CANON: resets(
func.func @block_with_a_mark(%x: tensor<2x1x3xf32>, %s: tensor<1x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
    %b: tensor<16xf32>) -> tensor<2x1x4xf32> {
  %m = arith.constant dense<[[false], [true]]> : tensor<2x1xi1>
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<2x1x3xf32>) state(%s, %s : tensor<1x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) resets(%m : tensor<2x1xi1>)
  return %h : tensor<2x1x4xf32>
}

// CANON-LABEL: func.func @memref_form
// CHECK-LABEL: func.func @memref_form
// CHECK: grads(%{{.*}}, %{{.*}} : memref<5x2x4xf32>) resets(%{{.*}} : memref<5x2xi1>) outs(x_grad = %{{.*}} : memref<5x2x3xf32>)
func.func @memref_form(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>,
    %b: memref<16xf32>, %v: memref<5x2x4xf32>, %m: memref<5x2xi1>, %dx: memref<5x2x3xf32>) {
  rnn.block_lstm_grad ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) saved(%v, %v, %v, %v, %v, %v, %v : memref<5x2x4xf32>)
      grads(%v, %v : memref<5x2x4xf32>) resets(%m : memref<5x2xi1>) outs(x_grad = %dx : memref<5x2x3xf32>)
  return
}
