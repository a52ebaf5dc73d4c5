// RUN: rnn-opt %s -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" -canonicalize -split-input-file | FileCheck %s

// Results without uses get no buffer. Sizes come from the buffers of the operands.
// CHECK-LABEL: func @grad
// CHECK-SAME: %[[X:.*]]: memref<?x?x3xf32>, %[[S:.*]]: memref<?x4xf32>
// CHECK-DAG: %[[T:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG: %[[B:.*]] = memref.dim %[[X]], %c1
// CHECK: %[[DX:.*]] = memref.alloc(%[[T]], %[[B]]) {{.*}} : memref<?x?x3xf32>
// CHECK: %[[DW:.*]] = memref.alloc() {{.*}} : memref<7x16xf32>
// CHECK: rnn.block_lstm_grad ifco x(%[[X]]
// CHECK-SAME: outs(x_grad = %[[DX]], w_grad = %[[DW]] : memref<?x?x3xf32>, memref<7x16xf32>)
// CHECK: return %[[DX]], %[[DW]]
func.func @grad(%x: tensor<?x?x3xf32>, %s: tensor<?x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                %b: tensor<16xf32>, %g: tensor<?x?x4xf32>) -> (tensor<?x?x3xf32>, tensor<7x16xf32>) {
  %r:8 = rnn.block_lstm_grad ifco x(%x : tensor<?x?x3xf32>) state(%s, %s : tensor<?x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<?x?x4xf32>) grads(%g, %g : tensor<?x?x4xf32>)
  return %r#0, %r#3 : tensor<?x?x3xf32>, tensor<7x16xf32>
}

// -----

// A reserve space without other uses is written in place.
// CHECK-LABEL: func @private_reserve
// CHECK: %[[SIZE:.*]] = rnn.cudnn_reserve_size gru
// CHECK: %[[R:.*]] = memref.alloc(%[[SIZE]])
// CHECK: rnn.cudnn_forward {{.*}} reserve_space = %[[R]]
// CHECK-NOT: memref.copy
// CHECK: rnn.cudnn_backprop {{.*}} reserve(%[[R]]
func.func @private_reserve(%x: tensor<5x2x4xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<?xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x4xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>)
  %d:3 = rnn.cudnn_backprop gru input(%x : tensor<5x2x4xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %hn : tensor<5x2x4xf32>, tensor<1x2x4xf32>) grads(%y, %hn : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return %d#2 : tensor<?xf32>
}

// -----

// A reserve space with another reader is copied, once for each gradient that writes it.
// CHECK-LABEL: func @shared_reserve
// CHECK: rnn.cudnn_forward {{.*}} reserve_space = %[[R:[a-z_0-9]+]]
// CHECK: memref.copy %[[R]], %[[C1:.*]] :
// CHECK: rnn.cudnn_backprop {{.*}} reserve(%[[C1]]
// CHECK: memref.copy %[[R]], %[[C2:.*]] :
// CHECK: rnn.cudnn_backprop {{.*}} reserve(%[[C2]]
func.func @shared_reserve(%x: tensor<5x2x4xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x4xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>)
  %d:3 = rnn.cudnn_backprop gru input(%x : tensor<5x2x4xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %hn : tensor<5x2x4xf32>, tensor<1x2x4xf32>) grads(%y, %hn : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  %e:3 = rnn.cudnn_backprop gru input(%x : tensor<5x2x4xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %hn : tensor<5x2x4xf32>, tensor<1x2x4xf32>) grads(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return %d#2, %e#2 : tensor<?xf32>, tensor<?xf32>
}

// -----

// The caller owns its reserve space: it is not copied.
// CHECK-LABEL: func @argument_reserve
// CHECK-SAME: %[[R:[a-z_0-9]+]]: memref<?xi8>)
// CHECK: memref.copy %[[R]], %[[C:.*]] :
// CHECK: rnn.cudnn_backprop {{.*}} reserve(%[[C]]
func.func @argument_reserve(%x: tensor<5x2x4xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %r: tensor<?xi8>)
    -> tensor<?xf32> {
  %d:3 = rnn.cudnn_backprop gru input(%x : tensor<5x2x4xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      output(%x, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>) grads(%x, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      reserve(%r : tensor<?xi8>)
  return %d#2 : tensor<?xf32>
}

// -----

// Fused kernels only read it.
// CHECK-LABEL: func @fused_reserve
// CHECK-SAME: %[[R:[a-z_0-9]+]]: memref<?xi8>)
// CHECK-NOT: memref.copy
// CHECK: rnn.cudnn_backprop {{.*}} reserve(%[[R]]
func.func @fused_reserve(%x: tensor<5x2x4xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %r: tensor<?xi8>)
    -> tensor<?xf32> {
  %d:3 = rnn.cudnn_backprop gru input(%x : tensor<5x2x4xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      output(%x, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>) grads(%x, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      reserve(%r : tensor<?xi8>) {lowering = #rnn.lowering<fused>}
  return %d#2 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func @unpack
// CHECK: rnn.cudnn_params_to_canonical {{.*}} outs(weights = %{{.*}}, weights = %{{.*}}, biases = %{{.*}}, biases = %{{.*}} : memref<?x?xf32>, memref<?x?xf32>, memref<?xf32>, memref<?xf32>)
func.func @unpack(%p: tensor<?xf32>, %l: index, %h: index, %i: index) -> tensor<?x?xf32> {
  %w:2, %b:2 = rnn.cudnn_params_to_canonical rnn_relu sizes(%l, %h, %i) params(%p : tensor<?xf32>)
      -> weights(tensor<?x?xf32>, tensor<?x?xf32>) biases(tensor<?xf32>, tensor<?xf32>)
  return %w#1 : tensor<?x?xf32>
}
