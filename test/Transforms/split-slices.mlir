// split-slices.mlir - slices that drop some of their dimensions of size 1.
// RUN: rnn-opt %s --rnn-split-slices --split-input-file | FileCheck %s
// RUN: rnn-opt %s --rnn-split-slices --canonicalize --expand-strided-metadata --split-input-file | FileCheck %s --check-prefix=EXPANDED

// CHECK-LABEL: func @known
// CHECK: %[[S:.*]] = memref.subview %arg0[1, 1, 1] [1, 20, 1] [1, 2, 3]
// CHECK-SAME: to memref<1x20x1xf32, strided<[123, 6, 3], offset: 127>>
// CHECK: memref.reinterpret_cast %[[S]] to offset: [127], sizes: [20, 1], strides: [6, 3]
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
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:3, %[[STRIDES:.*]]:3 = memref.extract_strided_metadata %[[S]]
// CHECK: memref.reinterpret_cast %[[S]] to offset: [%[[OFFSET]]], sizes: [%arg2, 1], strides: [%[[STRIDES]]#1, 3]
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

// -----

// Nothing tells upstream which of the unknown strides the result has: it would drop the first dimension.
// CHECK-LABEL: func @unknown_strides
// CHECK: %[[S:.*]] = memref.subview %arg0[0, 0, 0, 0] [1, 2, 1, 3] [1, 1, 1, 1]
// CHECK-SAME: to memref<1x2x1x3xf32, strided<[?, ?, ?, 1]>>
// CHECK: memref.extract_strided_metadata
// CHECK: memref.reinterpret_cast %[[S]] to offset: [0], sizes: [1, 2, 3], strides: [%{{.*}}#0, %{{.*}}#1, 1]
// CHECK: memref.subview %arg0[0, 0, 0, 0] [1, 1, 2, 3] [1, 1, 1, 1]
// CHECK-SAME: to memref<1x2x3xf32, strided<[?, ?, 1]>>
func.func @unknown_strides(%a: memref<?x?x?x?xf32>) -> (memref<1x2x3xf32, strided<[?, ?, 1]>>, memref<1x2x3xf32, strided<[?, ?, 1]>>) {
  %0 = memref.subview %a[0, 0, 0, 0] [1, 2, 1, 3] [1, 1, 1, 1] : memref<?x?x?x?xf32> to memref<1x2x3xf32, strided<[?, ?, 1]>>
  %1 = memref.subview %a[0, 0, 0, 0] [1, 1, 2, 3] [1, 1, 1, 1] : memref<?x?x?x?xf32> to memref<1x2x3xf32, strided<[?, ?, 1]>>
  return %0, %1 : memref<1x2x3xf32, strided<[?, ?, 1]>>, memref<1x2x3xf32, strided<[?, ?, 1]>>
}

// -----

// The canonicalizer would drop the first dimension and take tensor<2x1xf32> or another slice for it.
// CHECK-LABEL: func @last
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[%arg1, %{{.*}}, 0] [1, 2, 1] [1, 1, 1] : tensor<4x2x2xf32> to tensor<1x2x1xf32>
// CHECK: tensor.collapse_shape %[[S]] {{\[}}[0], [1, 2]] : tensor<1x2x1xf32> into tensor<1x2xf32>
func.func @last(%a: tensor<4x2x2xf32>, %i: index) -> tensor<1x2xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract_slice %a[%i, %c0, 0] [1, 2, 1] [1, 1, 1] : tensor<4x2x2xf32> to tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// A size that may become 1 is before the dropped dimension.
// CHECK-LABEL: func @unknown
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2]] : tensor<?x?x1xf32> into tensor<?x?xf32>
func.func @unknown(%a: tensor<4x2x2xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %0 = tensor.extract_slice %a[0, 0, 0] [%m, %n, 1] [1, 1, 1] : tensor<4x2x2xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func @middle
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0], [1], [2, 3]] : tensor<3x1x3x1xf32> into tensor<3x1x3xf32>
func.func @middle(%a: tensor<3x1x3x3xf32>) -> tensor<3x1x3xf32> {
  %0 = tensor.extract_slice %a[0, 0, 0, 0] [3, 1, 3, 1] [1, 1, 1, 1] : tensor<3x1x3x3xf32> to tensor<3x1x3xf32>
  return %0 : tensor<3x1x3xf32>
}

// The first dimensions of size 1 are dropped, or it does not matter which.
// CHECK-LABEL: func @canonical
// CHECK-NOT: tensor.collapse_shape
func.func @canonical(%a: tensor<4x2x64xf32>, %i: index, %n: index)
    -> (tensor<1x64xf32>, tensor<?x64xf32>, tensor<2x1xf32>, tensor<?x?xf32>, tensor<f32>, tensor<1x2x1xf32>) {
  %0 = tensor.extract_slice %a[%i, 0, 0] [1, 1, 64] [1, 1, 1] : tensor<4x2x64xf32> to tensor<1x64xf32>
  %1 = tensor.extract_slice %a[0, %i, 0] [%n, 1, 64] [1, 1, 1] : tensor<4x2x64xf32> to tensor<?x64xf32>
  %2 = tensor.extract_slice %a[%i, 0, 0] [1, 2, 1] [1, 1, 1] : tensor<4x2x64xf32> to tensor<2x1xf32>
  %3 = tensor.extract_slice %a[%i, 0, 0] [1, %n, %n] [1, 1, 1] : tensor<4x2x64xf32> to tensor<?x?xf32>
  %4 = tensor.extract_slice %a[%i, 0, 0] [1, 1, 1] [1, 1, 1] : tensor<4x2x64xf32> to tensor<f32>
  %5 = tensor.extract_slice %a[%i, 0, 0] [1, 2, 1] [1, 1, 1] : tensor<4x2x64xf32> to tensor<1x2x1xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<1x64xf32>, tensor<?x64xf32>, tensor<2x1xf32>, tensor<?x?xf32>, tensor<f32>, tensor<1x2x1xf32>
}

// -----

// CHECK-LABEL: func @insert
// CHECK: %[[E:.*]] = tensor.expand_shape %arg0 {{\[}}[0], [1, 2]] output_shape [%arg2, 2, 1] : tensor<?x2xf32> into tensor<?x2x1xf32>
// CHECK: tensor.insert_slice %[[E]] into %arg1[0, 0, 1] [%arg2, 2, 1] [1, 1, 1] : tensor<?x2x1xf32> into tensor<4x2x2xf32>
func.func @insert(%a: tensor<?x2xf32>, %b: tensor<4x2x2xf32>, %n: index) -> tensor<4x2x2xf32> {
  %0 = tensor.insert_slice %a into %b[0, 0, 1] [%n, 2, 1] [1, 1, 1] : tensor<?x2xf32> into tensor<4x2x2xf32>
  return %0 : tensor<4x2x2xf32>
}

// CHECK-LABEL: func @insert_in_parallel
// CHECK: %[[E:.*]] = tensor.expand_shape
// CHECK: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %[[E]] into
func.func @insert_in_parallel(%a: tensor<1x2xf32>, %b: tensor<4x2x2xf32>) -> tensor<4x2x2xf32> {
  %0 = scf.forall (%i) in (4) shared_outs(%o = %b) -> tensor<4x2x2xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%i, 0, 1] [1, 2, 1] [1, 1, 1] : tensor<1x2xf32> into tensor<4x2x2xf32>
    }
  }
  return %0 : tensor<4x2x2xf32>
}
