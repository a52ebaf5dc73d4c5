// RUN: rnn-opt %s -rnn-check-allocations -canonicalize | FileCheck %s

// CHECK-LABEL: func @argument(%arg0: index)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[MOST:.*]] = arith.constant 576460752303423488 : index
// CHECK: rnnrt.expect_range %{{.*}}, %arg0 in[%[[ZERO]], %[[MOST]]], "'memref.alloc' op expects dynamic size 0 of memref<?x2xf32> to be valid, with at most 2^62 bytes in all"
// CHECK: memref.alloc(%arg0)
func.func @argument(%n: index) -> memref<?x2xf32> {
  %0 = memref.alloc(%n) : memref<?x2xf32>
  return %0 : memref<?x2xf32>
}

// The size of a buffer is not checked; it reduces the limit of the other size.
// CHECK-LABEL: func @mixed
// CHECK: %[[DIM:.*]] = memref.dim
// CHECK: %[[MOST:.*]] = arith.divsi
// CHECK: rnnrt.expect_range %{{.*}}, %{{.*}} in[%{{.*}}, %[[MOST]]], "'memref.alloc' op expects dynamic size 0
// CHECK-NOT: rnnrt.expect_range
func.func @mixed(%n: index, %x: memref<?xf32>) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : memref<?xf32>
  %0 = memref.alloc(%n, %m) : memref<?x?xf32>
  return %0 : memref<?x?xf32>
}

// CHECK-LABEL: func @sizes
// CHECK-NOT: rnnrt.expect_range
func.func @sizes(%x: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = memref.dim %x, %c0 : memref<?xf32>
  %k = arith.muli %m, %c2 : index
  %0 = memref.alloc(%k) : memref<?xf32>
  return %0 : memref<?xf32>
}
