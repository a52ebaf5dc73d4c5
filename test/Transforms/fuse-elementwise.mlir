// fuse-elementwise.mlir - fusion of elementwise ops that update their output.
// RUN: rnn-opt %s --rnn-fuse-elementwise --split-input-file | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#matrix = affine_map<(i, j) -> (i, j)>
#vector = affine_map<(i) -> (i)>

// Each sum is needed in three iterations.
// CHECK-LABEL: func @more_loops
// CHECK-COUNT-2: linalg.generic
func.func @more_loops(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4x3xf32> {
  %sum = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %x, %o : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %empty = tensor.empty() : tensor<4x3xf32>
  %0 = linalg.generic {indexing_maps = [#row, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<4xf32>) outs(%empty : tensor<4x3xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.mulf %x, %x : f32
    linalg.yield %r : f32
  } -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

#first = affine_map<(i, j) -> (i, 0)>
#matrix = affine_map<(i, j) -> (i, j)>

// The first column is needed in all iterations of a row.
// CHECK-LABEL: func @first_column
// CHECK-COUNT-2: linalg.generic
func.func @first_column(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %sum = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x3xf32>) outs(%b : tensor<4x3xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %x, %o : f32
    linalg.yield %r : f32
  } -> tensor<4x3xf32>
  %empty = tensor.empty() : tensor<4x3xf32>
  %0 = linalg.generic {indexing_maps = [#first, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<4x3xf32>) outs(%empty : tensor<4x3xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.mulf %x, %x : f32
    linalg.yield %r : f32
  } -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

#vector = affine_map<(i) -> (i)>

// CHECK-LABEL: func @same_loops
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
func.func @same_loops(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %sum = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %x, %o : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%sum : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.mulf %x, %x : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// An op without loops on scalars becomes scalar ops, and one on a tensor of the program stays.
// CHECK-LABEL: func @scalars
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[T:.*]]: tensor<f32>)
// CHECK-NOT: linalg
// CHECK: %[[SUM:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[SUM]], %[[A]] : f32
// CHECK: linalg.generic {{.*}} ins(%[[T]] : tensor<f32>)
// CHECK: return %[[LESS]]
func.func @scalars(%a: f32, %b: f32, %t: tensor<f32>) -> (i1, tensor<f32>) {
  %0 = tensor.from_elements %a : tensor<f32>
  %1 = tensor.from_elements %b : tensor<f32>
  %empty = tensor.empty() : tensor<f32>
  %2 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%0, %1 : tensor<f32>, tensor<f32>) outs(%empty : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %flag = tensor.empty() : tensor<i1>
  %3 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%2, %0 : tensor<f32>, tensor<f32>) outs(%flag : tensor<i1>) {
  ^bb0(%x: f32, %y: f32, %o: i1):
    %l = arith.cmpf olt, %x, %y : f32
    linalg.yield %l : i1
  } -> tensor<i1>
  %4 = tensor.extract %3[] : tensor<i1>
  %5 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%t : tensor<f32>) outs(%empty : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  return %4, %5 : i1, tensor<f32>
}
