// checked-casts.mlir - a cast that is checked at run time does not copy the tensor.
// RUN: rnn-opt %s --rnn-pipeline='target=host stop-after=bufferize' --split-input-file | FileCheck %s
// RUN: rnn-opt %s --rnn-pipeline='target=simt stop-after=bufferize' --split-input-file | FileCheck %s

// CHECK-LABEL: func @argument
// CHECK: %[[VALID:.*]] = arith.cmpi eq
// CHECK: %[[RESULT:.*]] = scf.if %[[VALID]] -> (memref<4x?xf32>) {
// CHECK-NEXT: %[[CAST:.*]] = memref.cast %arg0 : memref<?x?xf32> to memref<4x?xf32>
// CHECK-NEXT: scf.yield %[[CAST]]
// CHECK-NEXT: } else {
// CHECK: %[[ZEROS:.*]] = memref.alloc(%{{.*}}) : memref<4x?xf32>
// CHECK: scf.yield %[[ZEROS]]
// CHECK-NOT: memref.copy
// CHECK: %[[BASE:[a-z_]+]], %{{.*}} = memref.extract_strided_metadata %[[RESULT]]
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: memref.dealloc %[[BASE]]
func.func @argument(%x: tensor<?x?xf32>) -> tensor<4x?xf32> {
  %0 = tensor.cast %x : tensor<?x?xf32> to tensor<4x?xf32>
  %1 = arith.addf %0, %0 : tensor<4x?xf32>
  return %1 : tensor<4x?xf32>
}

// -----

// The buffer is updated in place, so it is a copy of the argument.
// CHECK-LABEL: func @updated
// CHECK: memref.copy
// CHECK: memref.store
func.func @updated(%x: tensor<?xf32>, %k: f32) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %0 = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  %1 = tensor.insert %k into %0[%c0] : tensor<4xf32>
  %2 = tensor.extract %x[%c0] : tensor<?xf32>
  return %1, %2 : tensor<4xf32>, f32
}
