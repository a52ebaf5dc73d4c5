// eliminate-empty-tensors.mlir - results that are computed where they are inserted, or not.
// RUN: rnn-opt %s --rnn-eliminate-empty-tensors | FileCheck %s

// CHECK-LABEL: func @carried
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %arg0)
// CHECK-NOT: tensor.empty
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[A]]
// CHECK: linalg.fill {{.*}} outs(%[[PLACE]]
func.func @carried(%x: tensor<4x3xf32>, %k: f32, %n: index) -> tensor<4x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4x3xf32> {
    %empty = tensor.empty() : tensor<1x3xf32>
    %row = linalg.fill ins(%k : f32) outs(%empty : tensor<1x3xf32>) -> tensor<1x3xf32>
    %1 = tensor.insert_slice %row into %a[%i, 0] [1, 3] [1, 1] : tensor<1x3xf32> into tensor<4x3xf32>
    scf.yield %1 : tensor<4x3xf32>
  }
  return %0 : tensor<4x3xf32>
}

// The next iteration needs %x as it was.
// CHECK-LABEL: func @outside
// CHECK: %[[EMPTY:.*]] = tensor.empty
// CHECK: linalg.fill {{.*}} outs(%[[EMPTY]]
func.func @outside(%x: tensor<4x3xf32>, %k: f32, %n: index) -> tensor<4x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4x3xf32> {
    %empty = tensor.empty() : tensor<1x3xf32>
    %row = linalg.fill ins(%k : f32) outs(%empty : tensor<1x3xf32>) -> tensor<1x3xf32>
    %1 = tensor.insert_slice %row into %x[%i, 0] [1, 3] [1, 1] : tensor<1x3xf32> into tensor<4x3xf32>
    scf.yield %1 : tensor<4x3xf32>
  }
  return %0 : tensor<4x3xf32>
}
