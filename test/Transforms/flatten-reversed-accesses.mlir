// flatten-reversed-accesses.mlir - loads and stores with negative strides as accesses in one dimension.
// RUN: rnn-opt %s --rnn-flatten-reversed-accesses | FileCheck %s
// RUN: rnn-opt %s --rnn-pipeline=stop-after=emit | FileCheck %s --check-prefix=EMIT

// CHECK-LABEL: func @reversed
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>, %[[I:.*]]: index)
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[VIEW]]
// CHECK: %[[DOWN:.*]] = arith.muli %[[I]], %c-1
// CHECK: %[[INDEX:.*]] = arith.addi %c3{{.*}}, %[[DOWN]]
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%{{.*}}], strides: [1] : memref<f32> to memref<?xf32>
// CHECK: memref.load %[[FLAT]][%[[INDEX]]] : memref<?xf32>
// CHECK: memref.store %{{.*}}, %{{.*}}[%{{.*}}] : memref<?xf32>
// EMIT-LABEL: llvm.func {{.*}}@reversed
// EMIT-NOT: llvm.mul {{.*}} overflow<{{.*}}nuw
// EMIT: llvm.return
func.func @reversed(%x: memref<4xf32>, %i: index) {
  %v = memref.reinterpret_cast %x to offset: [3], sizes: [4], strides: [-1] : memref<4xf32> to memref<4xf32, strided<[-1], offset: 3>>
  %0 = memref.load %v[%i] : memref<4xf32, strided<[-1], offset: 3>>
  memref.store %0, %v[%i] : memref<4xf32, strided<[-1], offset: 3>>
  return
}

// CHECK-LABEL: func @unknown
// CHECK: memref.load %{{.*}}[%{{.*}}] : memref<?xf32>
// CHECK-LABEL: func @others
// CHECK-NOT: reinterpret_cast
func.func @unknown(%x: memref<4x4xf32, strided<[?, 1]>>, %i: index) -> f32 {
  %0 = memref.load %x[%i, %i] : memref<4x4xf32, strided<[?, 1]>>
  return %0 : f32
}
func.func @others(%x: memref<?x?xf32>, %y: memref<4x4xf32, strided<[8, 2], offset: ?>>, %i: index) -> (f32, f32) {
  %0 = memref.load %x[%i, %i] : memref<?x?xf32>
  %1 = memref.load %y[%i, %i] : memref<4x4xf32, strided<[8, 2], offset: ?>>
  return %0, %1 : f32, f32
}
