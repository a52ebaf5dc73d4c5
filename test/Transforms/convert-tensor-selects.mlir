// convert-tensor-selects.mlir - selections of tensors of unknown sizes.
// RUN: rnn-opt %s --rnn-convert-tensor-selects | FileCheck %s

// CHECK-LABEL: func @unknown
// CHECK: %[[R:.*]] = scf.if %arg0 -> (tensor<?xf32>) {
// CHECK-NEXT: scf.yield %arg1
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %arg2
// CHECK: return %[[R]]
func.func @unknown(%c: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.select %c, %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func @kept
// CHECK-COUNT-3: arith.select
// CHECK-NOT: scf.if
func.func @kept(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>, %d: tensor<?xi1>, %z: tensor<?xf32>, %i: index)
    -> (tensor<4xf32>, tensor<?xf32>, index) {
  %0 = arith.select %c, %x, %y : tensor<4xf32>
  %1 = arith.select %d, %z, %z : tensor<?xi1>, tensor<?xf32>
  %2 = arith.select %c, %i, %i : index
  return %0, %1, %2 : tensor<4xf32>, tensor<?xf32>, index
}
