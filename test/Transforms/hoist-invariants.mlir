// Tensors that do not change in a loop are computed before it.
// RUN: rnn-opt %s --rnn-hoist-invariants --split-input-file | FileCheck %s

// The transposition of the weights, then their product, which accumulates into zeros of its own.
// CHECK-LABEL: func @weights
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4x4xf32>, %[[X:[a-z0-9]+]]: tensor<4x4xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty
// CHECK-NEXT: %[[T:.*]] = linalg.transpose ins(%[[W]] : {{.*}} outs(%[[EMPTY]]
// CHECK: %[[ZEROS:.*]] = linalg.fill
// CHECK-NEXT: %[[SQUARE:.*]] = linalg.matmul ins(%[[W]], %[[T]] : {{.*}} outs(%[[ZEROS]]
// CHECK-NEXT: scf.for {{.*}} iter_args(%[[H:.*]] = %[[X]])
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill
// CHECK-NEXT: %[[STEP:.*]] = linalg.matmul ins(%[[H]], %[[SQUARE]] : {{.*}} outs(%[[FILL]]
// CHECK-NEXT: scf.yield %[[STEP]]
func.func @weights(%w: tensor<4x4xf32>, %x: tensor<4x4xf32>, %steps: index) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %steps step %c1 iter_args(%h = %x) -> tensor<4x4xf32> {
    %e = tensor.empty() : tensor<4x4xf32>
    %t = linalg.transpose ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = linalg.matmul ins(%w, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
    %p = linalg.matmul ins(%h, %s : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %p : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

// Out of the inner loop, then out of the outer one, and out of both regions of a while loop.
// CHECK-LABEL: func @nested
// CHECK-DAG: linalg.exp
// CHECK-DAG: linalg.log
// CHECK-DAG: tensor.expand_shape
// CHECK: scf.while
// CHECK: linalg.add
// CHECK: } do {
// CHECK: scf.for
// CHECK-NOT: linalg.exp
// CHECK: linalg.mul
func.func @nested(%w: tensor<6xf32>, %x: tensor<2x3xf32>, %more: i1, %n: index) -> tensor<2x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%a = %x) : (tensor<2x3xf32>) -> tensor<2x3xf32> {
    %e = tensor.empty() : tensor<2x3xf32>
    %l = linalg.log ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
    %s = linalg.add ins(%a, %l : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
    scf.condition(%more) %s : tensor<2x3xf32>
  } do {
  ^bb0(%b: tensor<2x3xf32>):
    %f = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> tensor<2x3xf32> {
      %e = tensor.empty() : tensor<6xf32>
      %t = linalg.exp ins(%w : tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
      %m = tensor.expand_shape %t [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
      %o = tensor.empty() : tensor<2x3xf32>
      %p = linalg.mul ins(%c, %m : tensor<2x3xf32>, tensor<2x3xf32>) outs(%o : tensor<2x3xf32>) -> tensor<2x3xf32>
      scf.yield %p : tensor<2x3xf32>
    }
    scf.yield %f : tensor<2x3xf32>
  }
  return %r : tensor<2x3xf32>
}

// -----

// These stay: zeros, a tensor that an op updates, one that the loop carries, and one that depends on the iteration through its
// region.
// CHECK-LABEL: func @variant
// CHECK: scf.for
// CHECK: linalg.fill
// CHECK: linalg.exp
// CHECK: linalg.add
// CHECK: linalg.log
// CHECK: linalg.generic
// CHECK: scf.yield
#vector = affine_map<(d0) -> (d0)>
func.func @variant(%w: tensor<4xf32>, %x: tensor<4xf32>, %n: i32) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<4xf32>, tensor<4xf32>) : i32 {
    %e = tensor.empty() : tensor<4xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %u = linalg.exp ins(%w : tensor<4xf32>) outs(%z : tensor<4xf32>) -> tensor<4xf32>
    %s = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%u : tensor<4xf32>) -> tensor<4xf32>
    %c = linalg.log ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %g = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
        ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%v: f32, %o: f32):
      %y = arith.sitofp %i : i32 to f32
      %sum = arith.addf %v, %y : f32
      linalg.yield %sum : f32
    } -> tensor<4xf32>
    %q = linalg.sub ins(%s, %g : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %q, %c : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// So do ops whose sizes and indices are checked at run time: their checks are in the loop, which may have no iterations.
// CHECK-LABEL: func @checked
// CHECK: scf.for
// CHECK: linalg.add
// CHECK: tensor.extract_slice
// CHECK: linalg.generic
// CHECK: tensor.extract
// CHECK: scf.yield
#vector = affine_map<(d0) -> (d0)>
func.func @checked(%w: tensor<4xf32>, %x: tensor<?xf32>, %y: tensor<?xf32>, %n: index, %k: index)
    -> (tensor<?xf32>, tensor<2xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a0 = tensor.empty() : tensor<2xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %a0, %c = %w)
      -> (tensor<?xf32>, tensor<2xf32>, tensor<4xf32>) {
    %e = tensor.empty(%n) : tensor<?xf32>
    %sum = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %p = linalg.mul ins(%a, %sum : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %slice = tensor.extract_slice %w[%k] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %q = linalg.mul ins(%b, %slice : tensor<2xf32>, tensor<2xf32>) outs(%a0 : tensor<2xf32>) -> tensor<2xf32>
    %f = tensor.empty() : tensor<4xf32>
    %g = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
        ins(%w : tensor<4xf32>) outs(%f : tensor<4xf32>) {
    ^bb0(%v: f32, %o: f32):
      %j = linalg.index 0 : index
      %at = arith.addi %j, %k : index
      %element = tensor.extract %w[%at] : tensor<4xf32>
      linalg.yield %element : f32
    } -> tensor<4xf32>
    %h = linalg.mul ins(%c, %g : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %p, %q, %h : tensor<?xf32>, tensor<2xf32>, tensor<4xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<?xf32>, tensor<2xf32>, tensor<4xf32>
}
