// separate-results.mlir - tensors that are returned or yielded twice.
// RUN: rnn-opt %s --rnn-separate-results | FileCheck %s

// CHECK-LABEL: func private @called
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%arg0) : tensor<4xf32>
// CHECK: return %arg0, %[[COPY]]
func.func private @called(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// A public function without a caller in the module.
// CHECK-LABEL: func @public
// CHECK: call @called
// CHECK-NEXT: return %arg0, %arg0
func.func @public(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  call @called(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @loop
// CHECK: %[[SLICE:.*]] = tensor.extract_slice
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[SLICE]]) : tensor<2xf32>
// CHECK: scf.yield %{{.*}}, %[[COPY]], %{{.*}} : tensor<4xf32>, tensor<2xf32>, f32
func.func @loop(%x: tensor<4xf32>, %y: tensor<2xf32>, %s: f32, %n: index) -> (tensor<4xf32>, tensor<2xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %s) -> (tensor<4xf32>, tensor<2xf32>, f32) {
    %1 = tensor.extract_slice %a[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
    scf.yield %a, %1, %c : tensor<4xf32>, tensor<2xf32>, f32
  }
  return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<2xf32>, f32
}

// The view is copied, not the whole tensor.
// CHECK-LABEL: func private @view_first
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) : tensor<2xf32>
// CHECK: return %[[COPY]], %arg0
func.func private @view_first(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
  %0 = tensor.extract_slice %x[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %0, %x : tensor<2xf32>, tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>) {
  call @view_first(%x) : (tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>)
  return
}
