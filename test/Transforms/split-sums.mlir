// Sums of parts of a tensor that a loop carries.
// RUN: rnn-opt %s --rnn-split-sums --split-input-file | FileCheck %s

// Two parts of the weights' gradient, one of which is added twice. The loop starts with what the tensor has there.
// CHECK-LABEL: func @parts
// CHECK-SAME: %[[DW:[a-z0-9]+]]: tensor<6x4xf32>
// CHECK: %[[I0:.*]] = tensor.extract_slice %[[DW]][2, 0] [4, 4] [1, 1]
// CHECK: %[[I1:.*]] = tensor.extract_slice %[[DW]][0, 0] [1, 4] [1, 1]
// CHECK: %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%[[ALL:.*]] = %[[DW]], %[[S0:.*]] = %[[I0]], %[[S1:.*]] = %[[I1]])
// CHECK-NOT: tensor.pad
// CHECK: %[[P:.*]] = linalg.mul
// CHECK: %[[Q:.*]] = linalg.exp
// CHECK: %[[N0:.*]] = linalg.generic {{.*}} ins(%[[S0]], %[[P]] :
// CHECK: %[[N1:.*]] = linalg.generic {{.*}} ins(%[[N0]], %[[P]] :
// CHECK: %[[N2:.*]] = linalg.generic {{.*}} ins(%[[S1]], %[[Q]] :
// CHECK: scf.yield %[[ALL]], %[[N1]], %[[N2]]
// CHECK: %[[R0:.*]] = tensor.insert_slice %[[LOOP]]#1 into %[[LOOP]]#0[2, 0] [4, 4] [1, 1]
// CHECK: %[[R1:.*]] = tensor.insert_slice %[[LOOP]]#2 into %[[R0]][0, 0] [1, 4] [1, 1]
// CHECK: return %[[R1]]
func.func @parts(%dw: tensor<6x4xf32>, %x: tensor<4x4xf32>, %y: tensor<1x4xf32>) -> tensor<6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<6x4xf32>
  %e0 = tensor.empty() : tensor<4x4xf32>
  %e1 = tensor.empty() : tensor<1x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %dw) -> tensor<6x4xf32> {
    %p = linalg.mul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e0 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %q = linalg.exp ins(%y : tensor<1x4xf32>) outs(%e1 : tensor<1x4xf32>) -> tensor<1x4xf32>
    %pp = tensor.pad %p low[2, 0] high[0, 0] {
    ^bb0(%j: index, %k: index):
      tensor.yield %zero : f32
    } : tensor<4x4xf32> to tensor<6x4xf32>
    %p2 = tensor.insert_slice %p into %zeros[2, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<6x4xf32>
    %pq = tensor.insert_slice %q into %zeros[0, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<6x4xf32>
    %both = linalg.add ins(%p2, %pq : tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
    %s = linalg.add ins(%pp, %a : tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
    %t = linalg.add ins(%s, %both : tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
    scf.yield %t : tensor<6x4xf32>
  }
  return %r : tensor<6x4xf32>
}

// -----

// What is added to the whole tensor stays in a sum. Parts of parts are found.
// CHECK-LABEL: func @rest
// CHECK-SAME: %[[D:[a-z0-9]+]]: tensor<8xi32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<2xi32>
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[ALL:.*]] = %[[D]], %[[S:.*]] = %[[ZEROS]])
// CHECK-DAG: %[[REST:.*]] = linalg.generic {{.*}} ins(%[[ALL]], %{{.*}} : tensor<8xi32>, tensor<8xi32>)
// CHECK-DAG: %[[PART:.*]] = linalg.generic {{.*}} ins(%[[S]], %{{.*}} : tensor<2xi32>, tensor<2xi32>)
// CHECK: scf.yield %[[REST]], %[[PART]]
// CHECK: %[[HERE:.*]] = tensor.extract_slice %[[LOOP]]#0[3] [2] [1]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[HERE]], %[[LOOP]]#1 : tensor<2xi32>, tensor<2xi32>)
// CHECK: %[[R:.*]] = tensor.insert_slice %[[SUM]] into %[[LOOP]]#0[3] [2] [1]
// CHECK: return %[[R]]
func.func @rest(%d: tensor<8xi32>, %x: tensor<8xi32>, %y: tensor<2xi32>) -> tensor<8xi32> {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<8xi32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %d) -> tensor<8xi32> {
    %inner = tensor.pad %y low[1] high[0] {
    ^bb0(%k: index):
      tensor.yield %zero : i32
    } : tensor<2xi32> to tensor<3xi32>
    %outer = tensor.pad %inner low[2] high[3] {
    ^bb0(%k: index):
      tensor.yield %zero : i32
    } : tensor<3xi32> to tensor<8xi32>
    %s = linalg.add ins(%a, %outer : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>) -> tensor<8xi32>
    %t = linalg.add ins(%x, %s : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>) -> tensor<8xi32>
    scf.yield %t : tensor<8xi32>
  }
  return %r : tensor<8xi32>
}

// -----

// Not split: parts that overlap, padding that is not zero, a place that is not known, and a sum that the loop reads.
// CHECK-LABEL: func @unchanged
// CHECK: scf.for {{.*}} -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
func.func @unchanged(%d: tensor<8xf32>, %x: tensor<3xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r:4 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %d, %b = %d, %c = %d, %f = %d) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %p0 = tensor.insert_slice %x into %zeros[0] [3] [1] : tensor<3xf32> into tensor<8xf32>
    %p1 = tensor.insert_slice %x into %zeros[2] [3] [1] : tensor<3xf32> into tensor<8xf32>
    %s0 = linalg.add ins(%a, %p0 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %s1 = linalg.add ins(%s0, %p1 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %p2 = tensor.pad %x low[5] high[0] {
    ^bb0(%k: index):
      tensor.yield %one : f32
    } : tensor<3xf32> to tensor<8xf32>
    %s2 = linalg.add ins(%b, %p2 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %p3 = tensor.insert_slice %x into %zeros[%i] [3] [1] : tensor<3xf32> into tensor<8xf32>
    %s3 = linalg.add ins(%c, %p3 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %p4 = tensor.insert_slice %x into %zeros[1] [3] [1] : tensor<3xf32> into tensor<8xf32>
    %s4 = linalg.add ins(%f, %p4 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %s5 = linalg.mul ins(%f, %s4 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %s1, %s2, %s3, %s5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// A gradient that two parts fill, such as that of the weights of a GRU.
// CHECK-LABEL: func @concatenated
// CHECK: %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%[[ALL:.*]] = %{{.*}}, %[[S0:.*]] = %{{.*}}, %[[S1:.*]] = %{{.*}})
// CHECK-NOT: tensor.insert_slice
// CHECK: %[[N0:.*]] = linalg.generic {{.*}} ins(%[[S0]], %{{.*}} : tensor<3x4xf32>
// CHECK: %[[N1:.*]] = linalg.generic {{.*}} ins(%[[S1]], %{{.*}} : tensor<3x2xf32>
// CHECK: scf.yield %[[ALL]], %[[N0]], %[[N1]]
// CHECK: %[[R0:.*]] = tensor.insert_slice %[[LOOP]]#1 into %[[LOOP]]#0[0, 0] [3, 4] [1, 1]
// CHECK: %[[R1:.*]] = tensor.insert_slice %[[LOOP]]#2 into %[[R0]][0, 4] [3, 2] [1, 1]
// CHECK: return %[[R1]]
func.func @concatenated(%d: tensor<3x6xf32>, %x: tensor<3x4xf32>, %y: tensor<3x2xf32>) -> tensor<3x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<3x6xf32>
  %e0 = tensor.empty() : tensor<3x4xf32>
  %e1 = tensor.empty() : tensor<3x2xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %d) -> tensor<3x6xf32> {
    %p = linalg.exp ins(%x : tensor<3x4xf32>) outs(%e0 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %q = linalg.exp ins(%y : tensor<3x2xf32>) outs(%e1 : tensor<3x2xf32>) -> tensor<3x2xf32>
    %i0 = tensor.insert_slice %p into %e[0, 0] [3, 4] [1, 1] : tensor<3x4xf32> into tensor<3x6xf32>
    %i1 = tensor.insert_slice %q into %i0[0, 4] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<3x6xf32>
    %s = linalg.add ins(%a, %i1 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%e : tensor<3x6xf32>) -> tensor<3x6xf32>
    scf.yield %s : tensor<3x6xf32>
  }
  return %r : tensor<3x6xf32>
}
