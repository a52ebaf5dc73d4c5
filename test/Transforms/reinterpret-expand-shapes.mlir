// reinterpret-expand-shapes.mlir - an expansion with two dynamic sizes in one group; upstream's expand-strided-metadata
// crashes on it.
// RUN: rnn-opt %s --rnn-reinterpret-expand-shapes | FileCheck %s
// RUN: rnn-opt %s --rnn-reinterpret-expand-shapes --expand-strided-metadata | FileCheck %s --check-prefix=AFTER
// AFTER-NOT: memref.expand_shape

// CHECK-LABEL: func.func @two
// CHECK-SAME: (%[[SRC:.*]]: memref<?xf32, strided<[1], offset: ?>>, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[SRC]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [%[[M]], %[[N]]], strides: [%[[N]], 1]
func.func @two(%s: memref<?xf32, strided<[1], offset: ?>>, %m: index, %n: index) -> memref<?x?xf32, strided<[?, 1], offset: ?>> {
  %r = memref.expand_shape %s [[0, 1]] output_shape [%m, %n]
      : memref<?xf32, strided<[1], offset: ?>> into memref<?x?xf32, strided<[?, 1], offset: ?>>
  return %r : memref<?x?xf32, strided<[?, 1], offset: ?>>
}

// Strided source, another group, a static size between: strides are products of the inner sizes.
// CHECK-LABEL: func.func @inner
// CHECK-SAME: (%{{.*}}, %[[M:.*]]: index, %[[N:.*]]: index, %[[K:.*]]: index)
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata
// CHECK: %[[OUTER:.*]] = affine.apply #{{.*}}()[%[[STRIDES]]#0, %[[N]]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[M]], 3, %[[N]], %[[K]]], strides: [%{{.*}}, %[[OUTER]], %[[STRIDES]]#0, 1]
func.func @inner(%s: memref<?x?xf32, strided<[?, 1]>>, %m: index, %n: index, %k: index)
    -> memref<?x3x?x?xf32, strided<[?, ?, ?, 1]>> {
  %r = memref.expand_shape %s [[0, 1, 2], [3]] output_shape [%m, 3, %n, %k]
      : memref<?x?xf32, strided<[?, 1]>> into memref<?x3x?x?xf32, strided<[?, ?, ?, 1]>>
  return %r : memref<?x3x?x?xf32, strided<[?, ?, ?, 1]>>
}

// One dynamic size is left to upstream's pass.
// CHECK-LABEL: func.func @one
// CHECK: memref.expand_shape
func.func @one(%s: memref<?xf32>, %m: index) -> memref<?x4xf32> {
  %r = memref.expand_shape %s [[0, 1]] output_shape [%m, 4] : memref<?xf32> into memref<?x4xf32>
  return %r : memref<?x4xf32>
}
