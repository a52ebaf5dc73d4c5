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

// A layer and its gradient between transposes become batch-major together.
// CANON-LABEL: func.func @transposes
// CANON-SAME: (%[[X:.*]]: tensor<2x5x3xf32>, %[[H:.*]]: tensor<1x2x4xf32>, %[[P:.*]]: tensor<?xf32>, %[[G:.*]]: tensor<2x5x4xf32>)
// CANON-NOT: linalg.transpose
// CANON: %[[Y:.*]], %[[HN:.*]], %[[R:.*]] = rnn.cudnn_forward gru input(%[[X]] : tensor<2x5x3xf32>) {{.*}} {batch_major}
// CANON: %[[DX:.*]], %{{.*}}, %{{.*}} = rnn.cudnn_backprop gru input(%[[X]] : tensor<2x5x3xf32>) {{.*}} output(%[[Y]], %[[HN]] {{.*}} grads(%[[G]], %{{.*}} {batch_major}
// CANON: return %[[Y]], %[[DX]]
func.func @transposes(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %g: tensor<2x5x4xf32>)
    -> (tensor<2x5x4xf32>, tensor<2x5x3xf32>) {
  %e0 = tensor.empty() : tensor<5x2x3xf32>
  %xt = linalg.transpose ins(%x : tensor<2x5x3xf32>) outs(%e0 : tensor<5x2x3xf32>) permutation = [1, 0, 2]
  %e1 = tensor.empty() : tensor<5x2x4xf32>
  %gt = linalg.transpose ins(%g : tensor<2x5x4xf32>) outs(%e1 : tensor<5x2x4xf32>) permutation = [1, 0, 2]
  %y, %hn, %r = rnn.cudnn_forward gru input(%xt : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%xt : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %hn : tensor<5x2x4xf32>, tensor<1x2x4xf32>) grads(%gt, %hn : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  %e2 = tensor.empty() : tensor<2x5x4xf32>
  %yb = linalg.transpose ins(%y : tensor<5x2x4xf32>) outs(%e2 : tensor<2x5x4xf32>) permutation = [1, 0, 2]
  %e3 = tensor.empty() : tensor<2x5x3xf32>
  %dxb = linalg.transpose ins(%dx : tensor<5x2x3xf32>) outs(%e3 : tensor<2x5x3xf32>) permutation = [1, 0, 2]
  return %yb, %dxb : tensor<2x5x4xf32>, tensor<2x5x3xf32>
}

// Two layers of a stack, with resets and dynamic sizes.
// CANON-LABEL: func.func @two_layers
// CANON-NOT: linalg.transpose
// CANON: rnn.block_lstm icfo x(%{{.*}} : tensor<?x?x4xf32>) {{.*}} resets(%{{.*}} : tensor<?x?xi1>) {batch_major}
// CANON: rnn.block_lstm icfo x(%{{.*}} : tensor<?x?x4xf32>) {{.*}} {batch_major}
// CANON-NOT: linalg.transpose
// CANON: return
func.func @two_layers(%x: tensor<?x?x4xf32>, %s: tensor<?x4xf32>, %w: tensor<8x16xf32>, %p: tensor<4xf32>, %b: tensor<16xf32>,
    %m: tensor<?x?xi1>, %e0: tensor<?x?x4xf32>, %e1: tensor<?x?xi1>) -> tensor<?x?x4xf32> {
  %xt = linalg.transpose ins(%x : tensor<?x?x4xf32>) outs(%e0 : tensor<?x?x4xf32>) permutation = [1, 0, 2]
  %mt = linalg.transpose ins(%m : tensor<?x?xi1>) outs(%e1 : tensor<?x?xi1>) permutation = [1, 0]
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%xt : tensor<?x?x4xf32>) state(%s, %s : tensor<?x4xf32>)
      weights(%w : tensor<8x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) resets(%mt : tensor<?x?xi1>)
  %i1, %cs1, %f1, %o1, %ci1, %co1, %h1 = rnn.block_lstm icfo x(%h : tensor<?x?x4xf32>) state(%s, %s : tensor<?x4xf32>)
      weights(%w : tensor<8x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  %y = linalg.transpose ins(%h1 : tensor<?x?x4xf32>) outs(%e0 : tensor<?x?x4xf32>) permutation = [1, 0, 2]
  return %y : tensor<?x?x4xf32>
}

// Not if the output is also used without a transposition, if another permutation is, if the gradient's forward op is
// unknown, or if the lowering is selected.
// CANON-LABEL: func.func @other_use
// CANON: linalg.transpose
// CANON: rnn.cudnn_forward {{.*}} {is_training = false}
func.func @other_use(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<5x2x4xf32> {
  %e0 = tensor.empty() : tensor<5x2x3xf32>
  %xt = linalg.transpose ins(%x : tensor<2x5x3xf32>) outs(%e0 : tensor<5x2x3xf32>) permutation = [1, 0, 2]
  %y, %hn, %r = rnn.cudnn_forward gru input(%xt : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {is_training = false}
  return %y : tensor<5x2x4xf32>
}

// CANON-LABEL: func.func @other_permutation
// CANON: linalg.transpose
// CANON: rnn.cudnn_forward {{.*}} {is_training = false}
func.func @other_permutation(%x: tensor<3x5x2xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<1x2x4xf32> {
  %e0 = tensor.empty() : tensor<5x2x3xf32>
  %xt = linalg.transpose ins(%x : tensor<3x5x2xf32>) outs(%e0 : tensor<5x2x3xf32>) permutation = [1, 2, 0]
  %y, %hn, %r = rnn.cudnn_forward gru input(%xt : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {is_training = false}
  return %hn : tensor<1x2x4xf32>
}

// CANON-LABEL: func.func @unknown_forward
// CANON: linalg.transpose
// CANON: rnn.cudnn_backprop
// CANON-NOT: batch_major
// CANON: return
func.func @unknown_forward(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %g: tensor<2x5x4xf32>, %r: tensor<?xi8>)
    -> tensor<?xf32> {
  %e0 = tensor.empty() : tensor<5x2x3xf32>
  %xt = linalg.transpose ins(%x : tensor<2x5x3xf32>) outs(%e0 : tensor<5x2x3xf32>) permutation = [1, 0, 2]
  %e1 = tensor.empty() : tensor<5x2x4xf32>
  %gt = linalg.transpose ins(%g : tensor<2x5x4xf32>) outs(%e1 : tensor<5x2x4xf32>) permutation = [1, 0, 2]
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%xt : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      output(%gt, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>) grads(%gt, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return %dp : tensor<?xf32>
}

// CANON-LABEL: func.func @selected
// CANON: linalg.transpose
// CANON: rnn.cudnn_forward {{.*}} {is_training = false, lowering = #rnn.lowering<fused>}
func.func @selected(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<1x2x4xf32> {
  %e0 = tensor.empty() : tensor<5x2x3xf32>
  %xt = linalg.transpose ins(%x : tensor<2x5x3xf32>) outs(%e0 : tensor<5x2x3xf32>) permutation = [1, 0, 2]
  %y, %hn, %r = rnn.cudnn_forward gru input(%xt : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {is_training = false, lowering = #rnn.lowering<fused>}
  return %hn : tensor<1x2x4xf32>
}

// The final state of a layer is the input of another: its first dimension is no step of the first layer.
// CANON-LABEL: func.func @state_as_input
// CANON: rnn.cudnn_forward gru input(%{{.*}} : tensor<2x5x3xf32>) {{.*}} {batch_major, is_training = false}
// CANON: rnn.cudnn_forward gru input(%{{.*}} : tensor<1x2x4xf32>) {{.*}} {is_training = false}
// CANON: linalg.transpose
func.func @state_as_input(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> (tensor<2x5x4xf32>, tensor<2x1x4xf32>) {
  %e0 = tensor.empty() : tensor<5x2x3xf32>
  %xt = linalg.transpose ins(%x : tensor<2x5x3xf32>) outs(%e0 : tensor<5x2x3xf32>) permutation = [1, 0, 2]
  %y, %hn, %r = rnn.cudnn_forward gru input(%xt : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {is_training = false}
  %y2, %hn2, %r2 = rnn.cudnn_forward gru input(%hn : tensor<1x2x4xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {is_training = false}
  %e1 = tensor.empty() : tensor<2x5x4xf32>
  %yb = linalg.transpose ins(%y : tensor<5x2x4xf32>) outs(%e1 : tensor<2x5x4xf32>) permutation = [1, 0, 2]
  %e2 = tensor.empty() : tensor<2x1x4xf32>
  %y2b = linalg.transpose ins(%y2 : tensor<1x2x4xf32>) outs(%e2 : tensor<2x1x4xf32>) permutation = [1, 0, 2]
  return %yb, %y2b : tensor<2x5x4xf32>, tensor<2x1x4xf32>
}

// Nor if a layer's output is a state of another, with the size of one step.
// CANON-LABEL: func.func @output_as_state
// CANON: linalg.transpose
// CANON: rnn.cudnn_forward gru input(%{{.*}} : tensor<1x2x3xf32>) {{.*}} {is_training = false}
// CANON: rnn.cudnn_forward gru input(%{{.*}} : tensor<1x2x3xf32>) {{.*}} {is_training = false}
func.func @output_as_state(%x: tensor<2x1x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<1x2x4xf32> {
  %e0 = tensor.empty() : tensor<1x2x3xf32>
  %xt = linalg.transpose ins(%x : tensor<2x1x3xf32>) outs(%e0 : tensor<1x2x3xf32>) permutation = [1, 0, 2]
  %y, %hn, %r = rnn.cudnn_forward gru input(%xt : tensor<1x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {is_training = false}
  %y2, %hn2, %r2 = rnn.cudnn_forward gru input(%xt : tensor<1x2x3xf32>) state(%y : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {is_training = false}
  return %y2 : tensor<1x2x4xf32>
}

// Nor if a layer has the sequence of another in both orders.
// CANON-LABEL: func.func @both_orders
// CANON-NOT: batch_major
// CANON: return
func.func @both_orders(%x: tensor<2x2x4xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %g: tensor<2x2x4xf32>) -> tensor<?xf32> {
  %e = tensor.empty() : tensor<2x2x4xf32>
  %xt = linalg.transpose ins(%x : tensor<2x2x4xf32>) outs(%e : tensor<2x2x4xf32>) permutation = [1, 0, 2]
  %gt = linalg.transpose ins(%g : tensor<2x2x4xf32>) outs(%e : tensor<2x2x4xf32>) permutation = [1, 0, 2]
  %y, %hn, %r = rnn.cudnn_forward gru input(%xt : tensor<2x2x4xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
  %yt = linalg.transpose ins(%y : tensor<2x2x4xf32>) outs(%e : tensor<2x2x4xf32>) permutation = [1, 0, 2]
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%yt : tensor<2x2x4xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %hn : tensor<2x2x4xf32>, tensor<1x2x4xf32>) grads(%gt, %hn : tensor<2x2x4xf32>, tensor<1x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return %dp : tensor<?xf32>
}
