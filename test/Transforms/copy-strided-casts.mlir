// copy-strided-casts.mlir - dense copies where bufferization casts a slice of unknown sizes.
// RUN: rnn-opt %s --rnn-copy-strided-casts=mark --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --rnn-copy-strided-casts --split-input-file | FileCheck %s

// CHECK-LABEL: func @call
// CHECK: %[[S:.*]] = memref.subview %arg0[0, 0] [%arg1, %arg2] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
// CHECK-DAG: %[[M:.*]] = memref.dim %[[S]], %c0
// CHECK-DAG: %[[N:.*]] = memref.dim %[[S]], %c1
// CHECK: %[[COPY:.*]] = memref.alloc(%[[M]], %[[N]]) {alignment = 64 : i64} : memref<?x?xf32>
// CHECK: memref.copy %[[S]], %[[COPY]]
// CHECK: call @callee(%[[COPY]])
func.func private @callee(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  return %x : tensor<?x?xf32>
}
func.func @call(%x: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %0 = tensor.extract_slice %x[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %1 = call @callee(%0) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// Whole rows are dense, and so is a vector.
// CHECK-LABEL: func @dense
// CHECK-NOT: memref.copy
func.func private @rows(%x: tensor<?x4xf32>, %y: tensor<?xf32>)
func.func @dense(%x: tensor<?x4xf32>, %y: tensor<?xf32>, %m: index) {
  %0 = tensor.extract_slice %x[0, 0] [%m, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %1 = tensor.extract_slice %y[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  call @rows(%0, %1) : (tensor<?x4xf32>, tensor<?xf32>) -> ()
  return
}

// -----

// The program states that the buffer is dense.
// CHECK-LABEL: func @stated
// CHECK: %[[C:.*]] = memref.cast %arg0 : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
// CHECK: return %[[C]]
func.func @stated(%x: memref<?x?xf32, strided<[?, 1]>>) -> memref<?x?xf32> {
  %0 = memref.cast %x : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
  return %0 : memref<?x?xf32>
}
