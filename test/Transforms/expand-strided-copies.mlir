// RUN: rnn-opt %s -rnn-expand-strided-copies | FileCheck %s

// CHECK-LABEL: func @dense
// CHECK: memref.copy
func.func @dense(%a: memref<4x?xf32>, %b: memref<4x?xf32>) {
  memref.copy %a, %b : memref<4x?xf32> to memref<4x?xf32>
  return
}

// CHECK-LABEL: func @strided
// CHECK-NOT: memref.copy
// CHECK: linalg.generic
func.func @strided(%a: memref<4x8xf32, strided<[16, 1]>>, %b: memref<4x8xf32>) {
  memref.copy %a, %b : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  return
}
