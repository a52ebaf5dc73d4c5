// RUN: rnn-opt %s --rnn-check-sizes --canonicalize | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// One check for two ops, at the start of the function. The second op accesses a result with the sizes of %x.
// CHECK-LABEL: func @elementwise
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32> {rnn.name = "x"}, %[[Y:.*]]: tensor<?xf32>)
// CHECK: %[[CALL:.*]] = rnnrt.current_call
// CHECK-DAG: %[[NX:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[NY:.*]] = tensor.dim %[[Y]], %c0
// CHECK: rnnrt.expect_equal %[[CALL]], %[[NY]], %[[NX]], "'arith.addf' op expects dim 0 of argument 1 to be dim 0 of argument 0 (`x`)"
// CHECK-NOT: rnnrt
// CHECK: return
func.func @elementwise(%x: tensor<?xf32> {rnn.name = "x"}, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %1 = linalg.add ins(%0, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Sizes that are known to be equal, or static, need no check.
// CHECK-LABEL: func @equal
// CHECK-NOT: rnnrt
// CHECK: return
func.func @equal(%x: tensor<?x3xf32>, %w: tensor<3x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x4xf32>) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// A static size is the expected one.
// CHECK-LABEL: func @static
// CHECK-SAME: (%[[X:.*]]: memref<?x2xf32>, %{{.*}}: memref<4x2xf32>)
// CHECK: %[[N:.*]] = memref.dim %[[X]], %c0
// CHECK: rnnrt.expect_equal %{{.*}}, %[[N]], %c4{{.*}}, "'linalg.exp' op expects dim 0 of argument 0 to be dim 0 of operand 1"
// CHECK-NOT: rnnrt
// CHECK: return
func.func @static(%x: memref<?x2xf32>, %y: memref<4x2xf32>) {
  linalg.exp ins(%x : memref<?x2xf32>) outs(%y : memref<4x2xf32>)
  return
}

// Functions of sizes: rows of a slice.
// CHECK-LABEL: func @slice
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>)
// CHECK: %[[NX:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[LESS:.*]] = affine.apply #{{.*}}()[%[[NX]]]
// CHECK: rnnrt.expect_equal %{{.*}}, %{{.*}}, %[[LESS]], "'linalg.add' op expects dim 0 of argument 1 to be dim 0 of operand 0"
func.func @slice(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %less = affine.apply affine_map<()[s0] -> (s0 - 1)>()[%n]
  %part = tensor.extract_slice %x[1] [%less] [1] : tensor<?xf32> to tensor<?xf32>
  %0 = linalg.add ins(%part, %y : tensor<?xf32>, tensor<?xf32>) outs(%part : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Loops are checked before they run, branches when they run.
// CHECK-LABEL: func @regions
// CHECK-SAME: (%[[X:[a-z0-9]*]]: memref<?xf32>, %[[Y:[a-z0-9]*]]: memref<?xf32>, %[[Z:[a-z0-9]*]]: memref<?xf32>
// CHECK-DAG: %[[NX:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG: %[[NY:.*]] = memref.dim %[[Y]], %c0
// CHECK: rnnrt.expect_equal %{{.*}}, %[[NY]], %[[NX]], "'memref.copy' op expects dim 0 of argument 1 to be dim 0 of argument 0"
// CHECK-NOT: rnnrt
// CHECK: scf.for
// CHECK: scf.if
// CHECK: %[[NZ:.*]] = memref.dim %[[Z]], %c0
// CHECK: rnnrt.expect_equal %{{.*}}, %[[NZ]], %{{.*}}, "'memref.copy' op expects dim 0 of argument 2 to be dim 0 of argument 0"
// CHECK-NEXT: memref.copy %[[X]], %[[Z]]
func.func @regions(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %n: index, %flag: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %x, %y : memref<?xf32> to memref<?xf32>
    scf.if %flag {
      memref.copy %x, %z : memref<?xf32> to memref<?xf32>
    }
  }
  return
}

// In a branch, a loop is checked before it runs, and two ops with the same sizes once.
// CHECK-LABEL: func @branches
// CHECK-SAME: (%[[X:[a-z0-9]*]]: memref<?xf32>, %[[Y:[a-z0-9]*]]: memref<?xf32>
// CHECK-NOT: rnnrt
// CHECK: scf.if
// CHECK: rnnrt.expect_equal
// CHECK-NEXT: scf.for
// CHECK-NOT: rnnrt
// CHECK: else
// CHECK: rnnrt.expect_equal
// CHECK-NEXT: memref.copy %[[Y]], %[[X]]
// CHECK-NOT: rnnrt
// CHECK: return
func.func @branches(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %flag: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.if %flag {
    scf.for %i = %c0 to %n step %c1 {
      memref.copy %x, %y : memref<?xf32> to memref<?xf32>
    }
    memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  } else {
    memref.copy %y, %x : memref<?xf32> to memref<?xf32>
  }
  return
}

// Sizes that do not follow from those of the arguments are compared before the op. A result has the sizes of its `outs`, so that it
// has no second use.
// CHECK-LABEL: func @unknown
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[N:.*]]: index)
// CHECK: tensor.empty
// CHECK: %[[NX:.*]] = tensor.dim %[[X]], %c0
// CHECK: rnnrt.expect_equal %{{.*}}, %[[N]], %[[NX]], "'linalg.exp' op expects dim 0 of operand 1 to be dim 0 of argument 0"
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: return
func.func @unknown(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %empty = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.exp ins(%0 : tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// A loop is checked before it runs if its sizes are known there.
// CHECK-LABEL: func @steps
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[N:.*]]: index)
// CHECK: rnnrt.expect_equal %{{.*}}, %[[N]], %{{.*}}, "'linalg.exp' op expects
// CHECK-NEXT: scf.for
// CHECK-NOT: rnnrt
// CHECK: return
func.func @steps(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %empty = tensor.empty(%n) : tensor<?xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<?xf32> {
    %1 = linalg.exp ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// Parallel loops have no call.
// CHECK-LABEL: func @parallel
// CHECK-NOT: rnnrt
// CHECK: return
func.func @parallel(%x: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %row = memref.subview %x[%i, 0] [1, %i] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %other = memref.subview %x[0, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1]>>
    memref.copy %other, %row : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
  }
  return
}

// The value of a constant is no size.
// CHECK-LABEL: func @splat
// CHECK-NOT: rnnrt
// CHECK: return
func.func @splat(%x: tensor<?xi32>, %y: tensor<1xi32>) -> tensor<1xi32> {
  %zeros = arith.constant dense<0> : tensor<1xi32>
  %0 = linalg.add ins(%zeros, %y : tensor<1xi32>, tensor<1xi32>) outs(%y : tensor<1xi32>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}

// A carried tensor keeps its size.
// CHECK-LABEL: func @carried
// CHECK-NOT: rnnrt.expect_equal
// CHECK: return
func.func @carried(%x: tensor<?x4xf32>, %w: tensor<4x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%size) : tensor<?x4xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?x4xf32> {
    %1 = linalg.matmul ins(%a, %w : tensor<?x4xf32>, tensor<4x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %1 : tensor<?x4xf32>
  }
  return %0 : tensor<?x4xf32>
}
