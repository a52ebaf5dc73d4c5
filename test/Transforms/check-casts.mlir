// RUN: rnn-opt %s -rnn-check-casts | FileCheck %s

// CHECK-LABEL: func @assumed
// CHECK-SAME: (%[[X:.*]]: tensor<?x3x?xf32>)
// CHECK: %[[CALL:.*]] = rnnrt.current_call
// CHECK: %[[ROWS:.*]] = tensor.dim %[[X]], %c0
// CHECK: rnnrt.expect_equal %[[CALL]], %[[ROWS]], %c4{{.*}}, "'tensor.cast' op expects dim 0 of its operand"
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[ROWS]], %c4
// CHECK: %[[RESULT:.*]] = scf.if %[[SAME]] -> (tensor<4x3x?xf32>) {
// CHECK:   %[[CAST:.*]] = tensor.cast %[[X]]
// CHECK:   scf.yield %[[CAST]]
// CHECK: } else {
// CHECK:   %[[COLUMNS:.*]] = tensor.dim %[[X]], %c2
// CHECK:   %[[ZEROS:.*]] = memref.alloc(%[[COLUMNS]]) : memref<4x3x?xf32>
// CHECK:   linalg.fill {{.*}} outs(%[[ZEROS]]
// CHECK:   %[[TENSOR:.*]] = bufferization.to_tensor %[[ZEROS]] restrict writable
// CHECK:   scf.yield %[[TENSOR]]
// CHECK: return %[[RESULT]]
func.func @assumed(%x: tensor<?x3x?xf32>) -> tensor<4x3x?xf32> {
  %y = tensor.cast %x : tensor<?x3x?xf32> to tensor<4x3x?xf32>
  return %y : tensor<4x3x?xf32>
}

// Casts to fewer static sizes assert nothing. Entries check casts of unranked arguments.
// CHECK-LABEL: func @safe
// CHECK-NOT: rnnrt
// CHECK: return
func.func @safe(%x: tensor<4x3xf32>, %u: tensor<*xf32>) -> (tensor<?x3xf32>, tensor<2xf32>) {
  %y = tensor.cast %x : tensor<4x3xf32> to tensor<?x3xf32>
  %z = tensor.cast %u : tensor<*xf32> to tensor<2xf32>
  return %y, %z : tensor<?x3xf32>, tensor<2xf32>
}
