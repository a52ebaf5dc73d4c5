// One annotation splits the batch of a layer and of everything that the layer reads and writes. Gradients of parameters are
// summed over the processes.
// RUN: rnn-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation,shard-partition),canonicalize)' | FileCheck %s

shard.grid @processes(shape = 4)

// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %[[X:.*]]: tensor<5x2x3xf32>, %[[H:.*]]: tensor<1x2x4xf32>, %[[P:.*]]: tensor<108xf32>, %[[N:.*]]: tensor<2xi32>, %[[M:.*]]: tensor<5x2xi1>, %[[DY:.*]]: tensor<5x2x4xf32>)
// CHECK-SAME: -> (tensor<5x2x4xf32>, tensor<5x2x3xf32>, tensor<108xf32>)
func.func @layer(%x: tensor<5x8x3xf32>, %h: tensor<1x8x4xf32>, %p: tensor<108xf32>, %n: tensor<8xi32>,
                 %m: tensor<5x8xi1>, %dy: tensor<5x8x4xf32>)
    -> (tensor<5x8x4xf32>, tensor<5x8x3xf32>, tensor<108xf32>) {
  %s = shard.sharding @processes split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<5x8x3xf32>
  // CHECK: %[[Y:.*]], %[[HN:.*]], %[[R:.*]] = rnn.cudnn_forward gru input(%[[X]] : tensor<5x2x3xf32>)
  // CHECK-SAME: lengths(%[[N]] : tensor<2xi32>) resets(%[[M]] : tensor<5x2xi1>)
  %y, %hn, %r = rnn.cudnn_forward gru input(%xs : tensor<5x8x3xf32>) state(%h : tensor<1x8x4xf32>)
      params(%p : tensor<108xf32>) lengths(%n : tensor<8xi32>) resets(%m : tensor<5x8xi1>)
  // CHECK: %[[DX:.*]], %{{.*}}, %[[DP:.*]] = rnn.cudnn_backprop gru
  // CHECK-SAME: reserve(%[[R]] : tensor<?xi8>)
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%xs : tensor<5x8x3xf32>) state(%h : tensor<1x8x4xf32>)
      params(%p : tensor<108xf32>) lengths(%n : tensor<8xi32>) output(%y, %hn : tensor<5x8x4xf32>, tensor<1x8x4xf32>)
      grads(%dy, %h : tensor<5x8x4xf32>, tensor<1x8x4xf32>) reserve(%r : tensor<?xi8>) resets(%m : tensor<5x8xi1>)
  // CHECK: %[[SUM:.*]] = shard.all_reduce %[[DP]] on @processes grid_axes = [0] : tensor<108xf32> -> tensor<108xf32>
  // CHECK: return %[[Y]], %[[DX]], %[[SUM]]
  return %y, %dx, %dp : tensor<5x8x4xf32>, tensor<5x8x3xf32>, tensor<108xf32>
}

// Sums of 16-bit gradients are in f32. Results without a reader are not summed.
// CHECK-LABEL: func.func @block(
// CHECK-SAME: %{{.*}}: i64, %{{.*}}: tensor<5x?x3xf16>, %{{.*}}: tensor<?x4xf16>
func.func @block(%steps: i64, %x: tensor<5x?x3xf16>, %c: tensor<?x4xf16>, %w: tensor<7x16xf16>, %wc: tensor<4xf16>,
                 %b: tensor<16xf16>, %g: tensor<5x?x4xf16>) -> (tensor<?x4xf16>, tensor<7x16xf16>) {
  %s = shard.sharding @processes split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<5x?x3xf16>
  // CHECK: %{{.*}}, %[[DC:.*]], %{{.*}}, %[[DW:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} = rnn.block_lstm_grad
  %dx, %dcp, %dhp, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad ifco x(%xs : tensor<5x?x3xf16>)
      state(%c, %c : tensor<?x4xf16>) weights(%w : tensor<7x16xf16>) peephole(%wc, %wc, %wc : tensor<4xf16>)
      bias(%b : tensor<16xf16>) seq_len_max(%steps) saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x?x4xf16>)
      grads(%g, %g : tensor<5x?x4xf16>)
  // CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[DW]] : tensor<7x16xf16> to tensor<7x16xf32>
  // CHECK-NEXT: %[[SUM:.*]] = shard.all_reduce %[[WIDE]] on @processes grid_axes = [0]
  // CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[SUM]] : tensor<7x16xf32> to tensor<7x16xf16>
  // CHECK-NEXT: return %[[DC]], %[[NARROW]]
  return %dcp, %dw : tensor<?x4xf16>, tensor<7x16xf16>
}

// Parameters stay whole.
// CHECK-LABEL: func.func @parameters(
// CHECK-SAME: %{{.*}}: tensor<5x2x3xf32>, %{{.*}}: tensor<1x2x4xf32>, %{{.*}}: tensor<4x3xf32>
func.func @parameters(%x: tensor<5x8x3xf32>, %h: tensor<1x8x4xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>,
                      %b: tensor<4xf32>) -> tensor<5x8x4xf32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %s = shard.sharding @processes split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<5x8x3xf32>
  // CHECK: %[[P:.*]] = rnn.cudnn_canonical_to_params
  %p = rnn.cudnn_canonical_to_params rnn_tanh sizes(%c1, %c4, %c3) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>, tensor<4xf32>)
  // CHECK: rnn.cudnn_forward rnn_tanh {{.*}} params(%[[P]] : tensor<?xf32>)
  // CHECK-NOT: all_reduce
  %y, %hn, %reserve = rnn.cudnn_forward rnn_tanh input(%xs : tensor<5x8x3xf32>) state(%h : tensor<1x8x4xf32>)
      params(%p : tensor<?xf32>)
  return %y : tensor<5x8x4xf32>
}

// Batch-major sequences.
// CHECK-LABEL: func.func @batch_major(
// CHECK-SAME: %{{.*}}: tensor<2x5x3xf32>, %{{.*}}: tensor<1x2x4xf32>
// CHECK-SAME: -> tensor<2x5x4xf32>
func.func @batch_major(%x: tensor<8x5x3xf32>, %h: tensor<1x8x4xf32>, %p: tensor<36xf32>) -> tensor<8x5x4xf32> {
  %s = shard.sharding @processes split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8x5x3xf32>
  %y, %hn, %reserve = rnn.cudnn_forward rnn_tanh input(%xs : tensor<8x5x3xf32>) state(%h : tensor<1x8x4xf32>)
      params(%p : tensor<36xf32>) {batch_major}
  return %y : tensor<8x5x4xf32>
}

shard.grid @rows_and_columns(shape = 2x3)

// The batch is split along two axes of a grid.
// CHECK-LABEL: func.func @axes(
// CHECK-SAME: %{{.*}}: tensor<5x2x3xf32>
func.func @axes(%x: tensor<5x12x3xf32>, %h: tensor<1x12x4xf32>, %p: tensor<36xf32>) -> tensor<1x12x4xf32> {
  %s = shard.sharding @rows_and_columns split_axes = [[], [0, 1]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<5x12x3xf32>
  %y, %hn, %reserve = rnn.cudnn_forward rnn_tanh input(%xs : tensor<5x12x3xf32>) state(%h : tensor<1x12x4xf32>)
      params(%p : tensor<36xf32>)
  return %hn : tensor<1x12x4xf32>
}
