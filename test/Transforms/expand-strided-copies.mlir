// RUN: rnn-opt %s -rnn-expand-strided-copies | FileCheck %s
// RUN: rnn-opt %s -rnn-expand-strided-copies=loops | FileCheck %s --check-prefix=LOOPS

// CHECK-LABEL: func @dense
// CHECK: memref.copy
// LOOPS-LABEL: func @dense
// LOOPS: memref.copy
func.func @dense(%a: memref<4x?xf32>, %b: memref<4x?xf32>) {
  memref.copy %a, %b : memref<4x?xf32> to memref<4x?xf32>
  return
}

// CHECK-LABEL: func @strided
// CHECK-NOT: memref.copy
// CHECK: linalg.generic
// LOOPS-LABEL: func @strided
// LOOPS-NOT: {{memref.copy|linalg.generic}}
// LOOPS: scf.for
// LOOPS-NOT: scf.for
// LOOPS: "llvm.intr.memcpy"
func.func @strided(%a: memref<4x8xf32, strided<[16, 1]>>, %b: memref<4x8xf32>) {
  memref.copy %a, %b : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  return
}

// A slice of whole rows is contiguous: one memcpy by the LLVM lowering.
// CHECK-LABEL: func @rows
// CHECK: memref.copy
// LOOPS-LABEL: func @rows
// LOOPS: memref.copy
func.func @rows(%a: memref<4x8xf32, strided<[8, 1], offset: 16>>, %b: memref<4x8xf32>) {
  memref.copy %a, %b : memref<4x8xf32, strided<[8, 1], offset: 16>> to memref<4x8xf32>
  return
}

// The inner dimensions of both buffers are contiguous: 4 bytes * 3 * 5 in one call.
// LOOPS-LABEL: func @inner
// LOOPS: %[[BYTES:.*]] = arith.constant 4 : index
// LOOPS: scf.for
// LOOPS-NOT: scf.for
// LOOPS: "llvm.intr.memcpy"
func.func @inner(%a: memref<?x3x5xf32, strided<[?, 5, 1], offset: ?>>, %b: memref<?x3x5xf32>) {
  memref.copy %a, %b : memref<?x3x5xf32, strided<[?, 5, 1], offset: ?>> to memref<?x3x5xf32>
  return
}

// Columns have no contiguous dimension.
// LOOPS-LABEL: func @columns
// LOOPS-NOT: memcpy
// LOOPS: scf.for
// LOOPS: scf.for
// LOOPS: memref.store
func.func @columns(%a: memref<4x8xf32, strided<[1, 4]>>, %b: memref<4x8xf32>) {
  memref.copy %a, %b : memref<4x8xf32, strided<[1, 4]>> to memref<4x8xf32>
  return
}
