// split-strided-subviews.mlir - subviews with steps that drop some of their dimensions of size 1.
// RUN: rnn-opt %s --rnn-split-strided-subviews --split-input-file | FileCheck %s
// RUN: rnn-opt %s --rnn-split-strided-subviews --canonicalize --expand-strided-metadata --split-input-file | FileCheck %s --check-prefix=EXPANDED

// CHECK-LABEL: func @known
// CHECK: %[[S:.*]] = memref.subview %arg0[1, 1, 1] [1, 20, 1] [1, 2, 3]
// CHECK-SAME: to memref<1x20x1xf32, strided<[123, 6, 3], offset: 127>>
// CHECK: memref.subview %[[S]][0, 0, 0] [1, 20, 1] [1, 1, 1]
// CHECK-SAME: to memref<20x1xf32, strided<[6, 3], offset: 127>>
// EXPANDED-LABEL: func @known
// EXPANDED: memref.reinterpret_cast %{{.*}} to offset: [127], sizes: [20, 1], strides: [6, 3]
func.func @known(%a: memref<3x41x3xf32>, %i: index) -> f32 {
  %z = arith.constant 0 : index
  %s = memref.subview %a[1, 1, 1] [1, 20, 1] [1, 2, 3] : memref<3x41x3xf32> to memref<20x1xf32, strided<[6, 3], offset: 127>>
  %v = memref.load %s[%i, %z] : memref<20x1xf32, strided<[6, 3], offset: 127>>
  return %v : f32
}

// -----

// The canonicalizer replaces the offset and the step by constants, and keeps the dimensions.
// CHECK-LABEL: func @constants
// CHECK: %[[S:.*]] = memref.subview %arg0[%{{.*}}, 1, 1] [1, %arg2, 1] [1, %{{.*}}, 3]
// CHECK: memref.subview %[[S]][0, 0, 0] [1, %arg2, 1] [1, 1, 1]
// CHECK-SAME: to memref<?x1xf32, strided<[?, 3], offset: ?>>
// EXPANDED-LABEL: func @constants
// EXPANDED: memref.reinterpret_cast %{{.*}} to offset: [127], sizes: [%arg2, 1], strides: [6, 3]
func.func @constants(%a: memref<3x41x3xf32>, %i: index, %n: index) -> f32 {
  %z = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = memref.subview %a[%c1, 1, 1] [1, %n, 1] [1, %c2, 3] : memref<3x41x3xf32> to memref<?x1xf32, strided<[?, 3], offset: ?>>
  %v = memref.load %s[%i, %z] : memref<?x1xf32, strided<[?, 3], offset: ?>>
  return %v : f32
}

// -----

// Upstream finds the dropped dimensions: no steps, no other dimensions of size 1, or none dropped.
// CHECK-LABEL: func @kept
// CHECK-COUNT-3: memref.subview %arg0
// CHECK-NOT: memref.subview
func.func @kept(%a: memref<3x41x3xf32>) -> (memref<20x1xf32, strided<[3, 1], offset: 127>>,
    memref<20x2xf32, strided<[6, 2], offset: 126>>, memref<1x20x1xf32, strided<[123, 6, 3], offset: 127>>) {
  %0 = memref.subview %a[1, 1, 1] [1, 20, 1] [1, 1, 1] : memref<3x41x3xf32> to memref<20x1xf32, strided<[3, 1], offset: 127>>
  %1 = memref.subview %a[1, 1, 0] [1, 20, 2] [1, 2, 2] : memref<3x41x3xf32> to memref<20x2xf32, strided<[6, 2], offset: 126>>
  %2 = memref.subview %a[1, 1, 1] [1, 20, 1] [1, 2, 3] : memref<3x41x3xf32> to memref<1x20x1xf32, strided<[123, 6, 3], offset: 127>>
  return %0, %1, %2 : memref<20x1xf32, strided<[3, 1], offset: 127>>, memref<20x2xf32, strided<[6, 2], offset: 126>>,
      memref<1x20x1xf32, strided<[123, 6, 3], offset: 127>>
}
