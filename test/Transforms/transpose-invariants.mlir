// transpose-invariants.mlir - weights whose columns the products of a loop read.
// RUN: rnn-opt %s --pass-pipeline='builtin.module(func.func(rnn-transpose-invariants))' --split-input-file | FileCheck %s

#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>

// One copy before both loops, also for a second product.
// CHECK-DAG: #[[$PLAIN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func @loop
// CHECK-SAME: %[[W:.*]]: tensor<40x160xf32>, %[[H:.*]]: tensor<16x40xf32>, %[[D:.*]]: tensor<16x160xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<160x40xf32>
// CHECK: %[[COPY:.*]] = linalg.transpose ins(%[[W]] : tensor<40x160xf32>) outs(%[[EMPTY]] : tensor<160x40xf32>) permutation = [1, 0]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[$PLAIN]], #{{.*}}], {{.*}}} ins(%[[D]], %[[COPY]] :
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[$PLAIN]], #{{.*}}], {{.*}}} ins(%[[D]], %[[COPY]] :
// CHECK-NOT: linalg.transpose
func.func @loop(%w: tensor<40x160xf32>, %h: tensor<16x40xf32>, %d: tensor<16x160xf32>, %n: index) -> tensor<16x40xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %j = %c0 to %n step %c1 iter_args(%outer = %h) -> tensor<16x40xf32> {
    %1 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %outer) -> tensor<16x40xf32> {
      %2 = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%d, %w : tensor<16x160xf32>, tensor<40x160xf32>) outs(%sum : tensor<16x40xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      } -> tensor<16x40xf32>
      %3 = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%d, %w : tensor<16x160xf32>, tensor<40x160xf32>) outs(%2 : tensor<16x40xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      } -> tensor<16x40xf32>
      scf.yield %3 : tensor<16x40xf32>
    }
    scf.yield %1 : tensor<16x40xf32>
  }
  return %0 : tensor<16x40xf32>
}

// -----

#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>

// One row, a tensor of the loop, few iterations, and a product with contiguous rows.
// CHECK-LABEL: func @none
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @none(%w: tensor<40x40xf32>, %h: tensor<16x40xf32>, %row: tensor<1x40xf32>, %n: index)
    -> (tensor<16x40xf32>, tensor<1x40xf32>, tensor<40x40xf32>, tensor<16x40xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0:3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %h, %one = %row, %v = %w)
      -> (tensor<16x40xf32>, tensor<1x40xf32>, tensor<40x40xf32>) {
    %1 = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%row, %w : tensor<1x40xf32>, tensor<40x40xf32>) outs(%one : tensor<1x40xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    } -> tensor<1x40xf32>
    %2 = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%h, %v : tensor<16x40xf32>, tensor<40x40xf32>) outs(%sum : tensor<16x40xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    } -> tensor<16x40xf32>
    %3 = linalg.matmul ins(%h, %w : tensor<16x40xf32>, tensor<40x40xf32>) outs(%2 : tensor<16x40xf32>) -> tensor<16x40xf32>
    %4 = linalg.add ins(%v, %w : tensor<40x40xf32>, tensor<40x40xf32>) outs(%v : tensor<40x40xf32>) -> tensor<40x40xf32>
    scf.yield %3, %1, %4 : tensor<16x40xf32>, tensor<1x40xf32>, tensor<40x40xf32>
  }
  %5 = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %h) -> tensor<16x40xf32> {
    %6 = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%h, %w : tensor<16x40xf32>, tensor<40x40xf32>) outs(%sum : tensor<16x40xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    } -> tensor<16x40xf32>
    scf.yield %6 : tensor<16x40xf32>
  }
  return %0#0, %0#1, %0#2, %5 : tensor<16x40xf32>, tensor<1x40xf32>, tensor<40x40xf32>, tensor<16x40xf32>
}
