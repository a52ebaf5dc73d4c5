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
// LOOPS: scf.for
// LOOPS: memref.store
func.func @strided(%a: memref<4x8xf32, strided<[16, 1]>>, %b: memref<4x8xf32>) {
  memref.copy %a, %b : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  return
}
