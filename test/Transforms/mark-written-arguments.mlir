// Which memref arguments a public function writes to.
// RUN: rnn-opt %s --rnn-mark-written-arguments | FileCheck %s

// Outputs of a layer are only written. The reserve space of a compiled gradient is only read.
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: %{{.*}}: memref<5x2x3xf32>, %{{.*}}: memref<1x2x4xf32>, %{{.*}}: memref<?xf32>,
// CHECK-SAME: %{{.*}}: memref<5x2x4xf32> {rnn.access = "write"}, %{{.*}}: memref<?xi8> {rnn.access = "write"})
func.func @forward(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>,
                   %r: memref<?xi8>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y, reserve_space = %r : memref<5x2x4xf32>, memref<?xi8>)
  return
}

// CHECK-LABEL: func.func @fused(
// CHECK-SAME: %{{.*}}: memref<?xi8>, %{{.*}}: memref<?xf32> {rnn.access = "write"})
func.func @fused(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>,
                 %r: memref<?xi8>, %dp: memref<?xf32>) {
  rnn.cudnn_backprop rnn_tanh input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<5x2x4xf32>, memref<1x2x4xf32>) grads(%y, %h : memref<5x2x4xf32>, memref<1x2x4xf32>)
      reserve(%r : memref<?xi8>) outs(params_backprop = %dp : memref<?xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// CHECK-LABEL: func.func @plan(
// CHECK-SAME: %{{.*}}: memref<?xi8> {rnn.access = "readwrite"}, %{{.*}}: memref<?xf32> {rnn.access = "write"})
func.func @plan(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>,
                %r: memref<?xi8>, %dp: memref<?xf32>) {
  rnn.cudnn_backprop rnn_tanh input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<5x2x4xf32>, memref<1x2x4xf32>) grads(%y, %h : memref<5x2x4xf32>, memref<1x2x4xf32>)
      reserve(%r : memref<?xi8>) outs(params_backprop = %dp : memref<?xf32>) {lowering = #rnn.lowering<runtime>}
  return
}

// Through a view and a callee. A size query is no access.
// CHECK-LABEL: func.func @views(
// CHECK-SAME: %{{.*}}: memref<4xf32> {rnn.access = "write"}, %{{.*}}: memref<?xf32>, %{{.*}}: memref<4xf32> {rnn.access = "readwrite"})
func.func @views(%a: memref<4xf32>, %b: memref<?xf32>, %c: memref<4xf32>) -> index {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %view = memref.cast %a : memref<4xf32> to memref<?xf32>
  memref.store %f, %view[%c0] : memref<?xf32>
  call @accumulate(%c) : (memref<4xf32>) -> ()
  %n = memref.dim %b, %c0 : memref<?xf32>
  return %n : index
}
// CHECK: func.func private @accumulate(%{{.*}}: memref<4xf32>)
func.func private @accumulate(%c: memref<4xf32>) {
  linalg.exp ins(%c : memref<4xf32>) outs(%c : memref<4xf32>)
  return
}

// A buffer that escapes may be accessed in any way; an existing attribute is kept.
// CHECK-LABEL: func.func @escapes(
// CHECK-SAME: %{{.*}}: memref<4xf32> {rnn.access = "readwrite"}, %{{.*}}: memref<4xf32> {rnn.access = "write"})
func.func @escapes(%a: memref<4xf32>, %b: memref<4xf32> {rnn.access = "write"}) -> (memref<4xf32>, memref<4xf32>) {
  return %a, %b : memref<4xf32>, memref<4xf32>
}

// CHECK-LABEL: func.func @tensors(
// CHECK-SAME: %{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32> {bufferization.writable = true, rnn.access = "readwrite"})
func.func @tensors(%a: tensor<4xf32>, %b: tensor<4xf32> {bufferization.writable = true}) {
  return
}
