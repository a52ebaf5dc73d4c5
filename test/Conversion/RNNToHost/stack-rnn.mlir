// Stacks of layers with one gate.
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host=vector-bits=256 -canonicalize -cse | FileCheck %s

// CHECK-LABEL: func @tanh
// CHECK: func.call @rnn_host_gemm_f32({{.*}}, %c2, %c1, %c1, %c8, %c1, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK: arith.divf
// CHECK-NOT: arith.divf
// CHECK: return
func.func @tanh(%x: memref<5x2x3xf32>, %h: memref<1x2x8xf32>, %p: memref<?xf32>, %y: memref<5x2x8xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x8xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x2x8xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// ReLU keeps NaN: the comparison is false for it.
// CHECK-LABEL: func @relu
// CHECK: func.call @rnn_host_gemm_f32({{.*}}, %c2, %c1, %c1, %c8, %c1, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK: %[[IS_NEGATIVE:.*]] = arith.cmpf ole, %[[X:.*]], %[[ZERO:.*]] : vector<8xf32>
// CHECK-NEXT: arith.select %[[IS_NEGATIVE]], %[[ZERO]], %[[X]]
// CHECK: return
func.func @relu(%x: memref<5x2x3xf32>, %h: memref<1x2x8xf32>, %p: memref<?xf32>, %y: memref<5x2x8xf32>) {
  rnn.cudnn_forward rnn_relu input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x8xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x2x8xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// With skip_input the input is added to the pre-activations: the step's GEMM is the only one.
// CHECK-LABEL: func @skip_input
// CHECK: arith.addf
// CHECK: call @rnn_host_gemm_f32({{.*}}, %c2, %c1, %c1, %c8, %c1, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK-NOT: @rnn_host_gemm_
// CHECK: return
func.func @skip_input(%x: memref<5x2x8xf32>, %h: memref<1x2x8xf32>, %p: memref<?xf32>, %y: memref<5x2x8xf32>) {
  rnn.cudnn_forward rnn_tanh, skip_input input(%x : memref<5x2x8xf32>) state(%h : memref<1x2x8xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x2x8xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}
