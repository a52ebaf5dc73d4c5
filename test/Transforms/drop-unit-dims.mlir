// Slices drop and add dimensions of size 1.
// RUN: rnn-opt %s --rnn-drop-unit-dims --split-input-file | FileCheck %s

// CHECK-LABEL: func @row
// CHECK-SAME: (%[[X:.*]]: tensor<9x2x3xf32>, %[[Y:.*]]: tensor<9x2x3xf32>, %[[AT:.*]]: index)
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[X]][%[[AT]], 0, 0] [1, 2, 3] [1, 1, 1] : tensor<9x2x3xf32> to tensor<2x3xf32>
// CHECK: %[[EXP:.*]] = linalg.exp ins(%[[ROW]] :
// CHECK: %[[NEW:.*]] = tensor.insert_slice %[[EXP]] into %[[Y]][%[[AT]], 0, 0] [1, 2, 3] [1, 1, 1] : tensor<2x3xf32> into tensor<9x2x3xf32>
// CHECK-NEXT: return %[[NEW]]
func.func @row(%x: tensor<9x2x3xf32>, %y: tensor<9x2x3xf32>, %at: index) -> tensor<9x2x3xf32> {
  %slice = tensor.extract_slice %x[%at, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<9x2x3xf32> to tensor<1x2x3xf32>
  %row = tensor.collapse_shape %slice [[0, 1], [2]] : tensor<1x2x3xf32> into tensor<2x3xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %exp = linalg.exp ins(%row : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %f = tensor.empty() : tensor<1x2x3xf32>
  %copy = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                          iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp : tensor<2x3xf32>) outs(%f : tensor<1x2x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<1x2x3xf32>
  %r = tensor.insert_slice %copy into %y[%at, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<1x2x3xf32> into tensor<9x2x3xf32>
  return %r : tensor<9x2x3xf32>
}

// -----

// The copies repeat or transpose elements.
// CHECK-LABEL: func @copies
// CHECK-COUNT-2: linalg.broadcast
// CHECK: linalg.transpose
func.func @copies(%x: tensor<2x3xf32>, %y: tensor<9x2x3xf32>, %z: tensor<9x3x2xf32>, %at: index)
    -> (tensor<9x2x3xf32>, tensor<9x3x2xf32>) {
  %f = tensor.empty() : tensor<2x2x3xf32>
  %two = linalg.broadcast ins(%x : tensor<2x3xf32>) outs(%f : tensor<2x2x3xf32>) dimensions = [0]
  %r = tensor.insert_slice %two into %y[%at, 0, 0] [2, 2, 3] [1, 1, 1] : tensor<2x2x3xf32> into tensor<9x2x3xf32>
  %g = tensor.empty() : tensor<1x2x3xf32>
  %one = linalg.broadcast ins(%x : tensor<2x3xf32>) outs(%g : tensor<1x2x3xf32>) dimensions = [0]
  %h = tensor.empty() : tensor<1x3x2xf32>
  %t = linalg.transpose ins(%one : tensor<1x2x3xf32>) outs(%h : tensor<1x3x2xf32>) permutation = [0, 2, 1]
  %s = tensor.insert_slice %t into %z[%at, 0, 0] [1, 3, 2] [1, 1, 1] : tensor<1x3x2xf32> into tensor<9x3x2xf32>
  return %r, %s : tensor<9x2x3xf32>, tensor<9x3x2xf32>
}

// -----

// A sum over a dimension of size 1 is its only addend. One that starts from another value, changes the order of dimensions, or has
// more addends stays.
// CHECK-LABEL: func @sums
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x4xf32>
// CHECK-DAG: %[[SUM:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1]] : tensor<1x4xf32> into tensor<4xf32>
// CHECK-COUNT-2: linalg.reduce
// CHECK: linalg.generic
// CHECK: return %[[SUM]],
func.func @sums(%x: tensor<1x4xf32>, %y: tensor<2x4xf32>, %z: tensor<4x1x3xf32>, %i: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<1x4xf32>) outs(%f : tensor<4xf32>) dimensions = [0]
  %b = linalg.reduce {arith.addf} ins(%x : tensor<1x4xf32>) outs(%i : tensor<4xf32>) dimensions = [0]
  %c = linalg.reduce {arith.addf} ins(%y : tensor<2x4xf32>) outs(%f : tensor<4xf32>) dimensions = [0]
  %e2 = tensor.empty() : tensor<3x4xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k, i)>],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%z : tensor<4x1x3xf32>) outs(%f2 : tensor<3x4xf32>) {
  ^bb0(%l: f32, %o: f32):
    %s = arith.addf %o, %l : f32
    linalg.yield %s : f32
  } -> tensor<3x4xf32>
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>
}
