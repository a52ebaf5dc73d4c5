// Parameters in arrays of their own: offsets come from a table, which is checked.
// RUN: rnn-opt %s -split-input-file -verify-diagnostics | rnn-opt -split-input-file | FileCheck %s
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host | FileCheck %s --check-prefix=HOST

// CHECK-LABEL: func @inference
// CHECK: rnn.cudnn_forward rnn_tanh {{.*}} params(%{{.*}} : memref<?xf32>) offsets(%{{.*}} : memref<1x5xi64>) outs(

// H = 4, I = 3: W has 12 elements, R 16, a bias 4. There is no projection, so its offset is not read.
// HOST-LABEL: func @inference
// HOST: %[[ELEMENTS:.*]] = rnnrt.rnn_params_size
// HOST: rnnrt.expect_equal %{{.*}}, "'rnn.cudnn_forward' op expects dim 0 of `params_offsets` to be L*D or 0 [C17]\0A`params_offsets` is argument 3"
// HOST: %[[DIM:.*]] = memref.dim %arg2
// HOST: scf.for %[[S:.*]] =
// HOST: %[[W:.*]] = arith.muli %{{.*}}, %c4
// HOST: memref.load %arg3[%[[S]], %{{.*}}] : memref<1x5xi64>
// HOST: %[[LAST:.*]] = arith.subi %[[DIM]], %[[W]]
// HOST: rnnrt.expect_range %{{.*}}, "'rnn.cudnn_forward' op expects `params_offsets` to have offsets of tensors that lie within `params` [C17]\0A`params_offsets` is argument 3"
// HOST: rnnrt.rnn_begin {{.*}} params[%[[ELEMENTS]]]
// HOST: %[[AT:.*]]:4 = scf.if
// HOST-COUNT-4: memref.load %arg3[
// HOST: memref.reinterpret_cast %arg2 to offset: [%[[AT]]#0], sizes: [%{{.*}}, %c3
// HOST: memref.reinterpret_cast %arg2 to offset: [%[[AT]]#1], sizes: [%{{.*}}, %c4
func.func @inference(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %o: memref<1x5xi64>,
                     %y: memref<5x2x4xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      offsets(%o : memref<1x5xi64>) outs(output = %y : memref<5x2x4xf32>)
      {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// A gradient with the opaque layout of separate parameters.
// HOST-LABEL: func @gradient
// HOST: rnnrt.expect_range %{{.*}} "'rnn.cudnn_backprop' op expects `params_backprop` to have the elements of all matrices and biases [C15]\0A`params_backprop` is argument 10"
// HOST-NOT: to have offsets of tensors that lie within `params_backprop`
func.func @gradient(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %o: memref<?x5xi64>,
                    %y: memref<5x2x4xf32>, %hn: memref<1x2x4xf32>, %dy: memref<5x2x4xf32>, %dhn: memref<1x2x4xf32>,
                    %r: memref<?xi8>, %dx: memref<5x2x3xf32>, %dp: memref<?xf32>) {
  rnn.cudnn_backprop rnn_tanh input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      output(%y, %hn : memref<5x2x4xf32>, memref<1x2x4xf32>) grads(%dy, %dhn : memref<5x2x4xf32>, memref<1x2x4xf32>)
      reserve(%r : memref<?xi8>) offsets(%o : memref<?x5xi64>)
      outs(input_backprop = %dx, params_backprop = %dp : memref<5x2x3xf32>, memref<?xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// A table without rows is the opaque layout. Layers with and without one share their loops.
// HOST-LABEL: func @both
// HOST: call @rnn_layer_cudnn_forward
// HOST: call @rnn_layer_cudnn_forward
// HOST: func private @rnn_layer_cudnn_forward
// HOST-NOT: func private @rnn_layer_cudnn_forward
func.func @both(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %o: memref<?x5xi64>,
                %y: memref<5x2x4xf32>, %z: memref<5x2x4xf32>) {
  %none = memref.alloca() : memref<0x5xi64>
  %empty = memref.cast %none : memref<0x5xi64> to memref<?x5xi64>
  rnn.cudnn_forward rnn_tanh input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      offsets(%empty : memref<?x5xi64>) outs(output = %y : memref<5x2x4xf32>)
      {is_training = false, lowering = #rnn.lowering<fused>}
  rnn.cudnn_forward rnn_tanh input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      offsets(%o : memref<?x5xi64>) outs(output = %z : memref<5x2x4xf32>)
      {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// A dense copy of a strided buffer keeps the elements between the tensors.
// HOST-LABEL: func @strided
// HOST: %[[COPY:.*]] = memref.alloc
// HOST: memref.copy %arg9, %[[COPY]]
// HOST: memref.copy %[[COPY]], %arg9
func.func @strided(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %o: memref<?x5xi64>,
                   %y: memref<5x2x4xf32>, %hn: memref<1x2x4xf32>, %dy: memref<5x2x4xf32>, %dhn: memref<1x2x4xf32>,
                   %r: memref<?xi8>, %dp: memref<?xf32, strided<[2]>>) {
  rnn.cudnn_backprop rnn_tanh input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      output(%y, %hn : memref<5x2x4xf32>, memref<1x2x4xf32>) grads(%dy, %dhn : memref<5x2x4xf32>, memref<1x2x4xf32>)
      reserve(%r : memref<?xi8>) offsets(%o, %o : memref<?x5xi64>)
      outs(params_backprop = %dp : memref<?xf32, strided<[2]>>) {lowering = #rnn.lowering<fused>}
  return
}
