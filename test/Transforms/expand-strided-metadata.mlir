// expand-strided-metadata.mlir - subviews and reshapes become arithmetic on strides, as by upstream's pass.
// RUN: rnn-opt %s --rnn-expand-strided-metadata | FileCheck %s
// RUN: rnn-opt %s --rnn-expand-strided-metadata > %t.own
// RUN: rnn-opt %s --expand-strided-metadata > %t.upstream
// RUN: diff %t.own %t.upstream

// CHECK-LABEL: func.func @chain
// CHECK-NOT: memref.subview
// CHECK-NOT: memref.collapse_shape
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}:3, %{{.*}}:3 = memref.extract_strided_metadata %{{.*}} : memref<?x?x?xf32>
// CHECK: affine.apply
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%{{.*}}], sizes: [%{{.*}}], strides: [1]
func.func @chain(%m: memref<?x?x?xf32>, %i: index, %n: index) -> memref<?xf32, strided<[1], offset: ?>> {
  %s = memref.subview %m[%i, 0, 0] [1, 4, %n] [1, 1, 1] : memref<?x?x?xf32> to memref<4x?xf32, strided<[?, 1], offset: ?>>
  %r = memref.subview %s[2, 0] [1, %n] [1, 1] : memref<4x?xf32, strided<[?, 1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
  return %r : memref<?xf32, strided<[1], offset: ?>>
}

// CHECK-LABEL: func.func @reshape
// CHECK-NOT: memref.expand_shape
// CHECK-NOT: memref.collapse_shape
// CHECK: memref.reinterpret_cast
func.func @reshape(%m: memref<?xf32>, %n: index) -> (memref<?x4xf32>, memref<?xf32>) {
  %e = memref.expand_shape %m [[0, 1]] output_shape [%n, 4] : memref<?xf32> into memref<?x4xf32>
  %c = memref.collapse_shape %e [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  return %e, %c : memref<?x4xf32>, memref<?xf32>
}
