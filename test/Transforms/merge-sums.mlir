// One sum for slices of a tensor that a loop adds to several ones.
// RUN: rnn-opt %s --rnn-merge-sums --split-input-file | FileCheck %s

// The gradients of two gates' weights, in another order than the sums, one of which another tensor is added to.
// CHECK-LABEL: func @gates
// CHECK-SAME: %[[D0:[a-z0-9]+]]: tensor<3x2xf32>, %[[D1:[a-z0-9]+]]: tensor<3x4xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<3x6xf32>
// CHECK: %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%[[S0:.*]] = %[[D0]], %[[S1:.*]] = %[[D1]], %[[S:.*]] = %[[ZEROS]])
// CHECK: %[[P:.*]] = linalg.exp
// CHECK-NOT: tensor.extract_slice
// CHECK-DAG: %[[N1:.*]] = linalg.add ins(%[[S1]], %{{.*}} : tensor<3x4xf32>
// CHECK-DAG: %[[N:.*]] = linalg.generic {{.*}} ins(%[[S]], %[[P]] : tensor<3x6xf32>
// CHECK: scf.yield %[[S0]], %[[N1]], %[[N]]
// CHECK: %[[T1:.*]] = tensor.extract_slice %[[LOOP]]#2[0, 0] [3, 4] [1, 1]
// CHECK: %[[R1:.*]] = linalg.generic {{.*}} ins(%[[LOOP]]#1, %[[T1]] :
// CHECK: %[[T0:.*]] = tensor.extract_slice %[[LOOP]]#2[0, 4] [3, 2] [1, 1]
// CHECK: %[[R0:.*]] = linalg.generic {{.*}} ins(%[[LOOP]]#0, %[[T0]] :
// CHECK: return %[[R0]], %[[R1]]
func.func @gates(%d0: tensor<3x2xf32>, %d1: tensor<3x4xf32>, %x: tensor<3x6xf32>, %y: tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<3x6xf32>
  %e0 = tensor.empty() : tensor<3x2xf32>
  %e1 = tensor.empty() : tensor<3x4xf32>
  %r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %d0, %b = %d1) -> (tensor<3x2xf32>, tensor<3x4xf32>) {
    %p = linalg.exp ins(%x : tensor<3x6xf32>) outs(%e : tensor<3x6xf32>) -> tensor<3x6xf32>
    %p0 = tensor.extract_slice %p[0, 4] [3, 2] [1, 1] : tensor<3x6xf32> to tensor<3x2xf32>
    %p1 = tensor.extract_slice %p[0, 0] [3, 4] [1, 1] : tensor<3x6xf32> to tensor<3x4xf32>
    %s0 = linalg.add ins(%p0, %a : tensor<3x2xf32>, tensor<3x2xf32>) outs(%e0 : tensor<3x2xf32>) -> tensor<3x2xf32>
    %s1 = linalg.add ins(%b, %y : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e1 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %s2 = linalg.add ins(%s1, %p1 : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e1 : tensor<3x4xf32>) -> tensor<3x4xf32>
    scf.yield %s0, %s2 : tensor<3x2xf32>, tensor<3x4xf32>
  }
  return %r#0, %r#1 : tensor<3x2xf32>, tensor<3x4xf32>
}

// -----

// One row is a gradient of its own: the slice drops a dimension.
// CHECK-LABEL: func @row
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} -> (tensor<4xi32>, tensor<2x4xi32>)
// CHECK: %[[T:.*]] = tensor.extract_slice %[[LOOP]]#1[1, 0] [1, 4] [1, 1] : tensor<2x4xi32> to tensor<4xi32>
// CHECK: arith.addi
func.func @row(%d: tensor<4xi32>, %x: tensor<2x4xi32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<2x4xi32>
  %e0 = tensor.empty() : tensor<4xi32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %d) -> tensor<4xi32> {
    %p = linalg.mul ins(%x, %x : tensor<2x4xi32>, tensor<2x4xi32>) outs(%e : tensor<2x4xi32>) -> tensor<2x4xi32>
    %q = tensor.extract_slice %p[1, 0] [1, 4] [1, 1] : tensor<2x4xi32> to tensor<4xi32>
    %s = linalg.add ins(%a, %q : tensor<4xi32>, tensor<4xi32>) outs(%e0 : tensor<4xi32>) -> tensor<4xi32>
    scf.yield %s : tensor<4xi32>
  }
  return %r : tensor<4xi32>
}

// -----

// Unchanged: an offset that is not known, a slice that is used twice, and a result that is also used whole.
// CHECK-LABEL: func @unchanged
// CHECK: scf.for {{.*}} -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
func.func @unchanged(%d: tensor<4xf32>, %x: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<8xf32>
  %e0 = tensor.empty() : tensor<4xf32>
  %r:4 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %d, %b = %d, %c = %d, %f = %x) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
    %p = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %p0 = tensor.extract_slice %p[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %s0 = linalg.add ins(%a, %p0 : tensor<4xf32>, tensor<4xf32>) outs(%e0 : tensor<4xf32>) -> tensor<4xf32>
    %q = linalg.tanh ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %q0 = tensor.extract_slice %q[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %s1 = linalg.add ins(%b, %q0 : tensor<4xf32>, tensor<4xf32>) outs(%e0 : tensor<4xf32>) -> tensor<4xf32>
    %s2 = linalg.add ins(%s1, %q0 : tensor<4xf32>, tensor<4xf32>) outs(%e0 : tensor<4xf32>) -> tensor<4xf32>
    %o = linalg.abs ins(%f : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %o0 = tensor.extract_slice %o[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %s3 = linalg.add ins(%c, %o0 : tensor<4xf32>, tensor<4xf32>) outs(%e0 : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %s0, %s2, %s3, %o : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
}
