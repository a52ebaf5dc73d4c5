// fold-inserted-zeros.mlir - convolutions without the zeros of a dilation.
// RUN: rnn-opt %s --rnn-fold-inserted-zeros --canonicalize --split-input-file | FileCheck %s

// The gradient of a filter: the window has the steps of the convolution.
// CHECK-DAG: #[[IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2 + d3 * 2 + 1, d4)>
// CHECK: func.func @filter
// CHECK-SAME: %[[X:.*]]: tensor<2x23x4xf32>, %[[G:.*]]: tensor<2x10x8xf32>
// CHECK-NOT: insert_slice
// CHECK: linalg.generic {indexing_maps = [#[[IMAGE]], #{{.*}}, #{{.*}}]
// CHECK-SAME: ins(%[[X]], %[[G]] : tensor<2x23x4xf32>, tensor<2x10x8xf32>)
func.func @filter(%x: tensor<2x23x4xf32>, %g: tensor<2x10x8xf32>, %w: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x21x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x21x8xf32>) -> tensor<2x21x8xf32>
  %dilated = tensor.insert_slice %g into %zeros[0, 1, 0] [2, 10, 8] [1, 2, 1] : tensor<2x10x8xf32> into tensor<2x21x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, f, k, t, c) -> (n, k + t, c)>, affine_map<(n, f, k, t, c) -> (n, t, f)>, affine_map<(n, f, k, t, c) -> (k, c, f)>],
                       iterator_types = ["reduction", "parallel", "parallel", "reduction", "parallel"]}
    ins(%x, %dilated : tensor<2x23x4xf32>, tensor<2x21x8xf32>) outs(%w : tensor<3x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<3x4x8xf32>
  return %r : tensor<3x4x8xf32>
}

// -----

// The gradient of an image: even rows of the result need tap 1, odd rows the taps 0 and 2, which read a zero behind the last element.
// CHECK: #[[ROWS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3, d4)>
// CHECK: func.func @image
// CHECK-SAME: %[[G:.*]]: tensor<2x10x8xf32>, %[[W:.*]]: tensor<3x4x8xf32>, %[[X:.*]]: tensor<2x20x4xf32>
// CHECK: %[[PADDED:.*]] = tensor.pad %[[G]] low[0, 0, 0] high[0, 1, 0]
// CHECK: %[[TAPS0:.*]] = tensor.extract_slice %[[W]][1, 0, 0] [1, 4, 8] [2, 1, 1]
// CHECK: %[[ROWS0:.*]] = tensor.extract_slice %[[X]][0, 0, 0] [2, 10, 4] [1, 2, 1]
// CHECK: %[[PART0:.*]] = linalg.generic {indexing_maps = [#[[ROWS]], {{.*}} ins(%[[PADDED]], %[[TAPS0]] : {{.*}}) outs(%[[ROWS0]] :
// CHECK: %[[HALF:.*]] = tensor.insert_slice %[[PART0]] into %[[X]][0, 0, 0] [2, 10, 4] [1, 2, 1]
// CHECK: %[[TAPS1:.*]] = tensor.extract_slice %[[W]][0, 0, 0] [2, 4, 8] [2, 1, 1]
// CHECK: %[[ROWS1:.*]] = tensor.extract_slice %[[HALF]][0, 1, 0] [2, 10, 4] [1, 2, 1]
// CHECK: %[[PART1:.*]] = linalg.generic {indexing_maps = [#[[ROWS]], {{.*}} ins(%[[PADDED]], %[[TAPS1]] : {{.*}}) outs(%[[ROWS1]] :
// CHECK: tensor.insert_slice %[[PART1]] into %[[HALF]][0, 1, 0] [2, 10, 4] [1, 2, 1]
func.func @image(%g: tensor<2x10x8xf32>, %w: tensor<3x4x8xf32>, %x: tensor<2x20x4xf32>) -> tensor<2x20x4xf32> {
  %zeros = arith.constant dense<0.0> : tensor<2x22x8xf32>
  %dilated = tensor.insert_slice %g into %zeros[0, 1, 0] [2, 10, 8] [1, 2, 1] : tensor<2x10x8xf32> into tensor<2x22x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, t, c, k, f) -> (n, t + k, f)>, affine_map<(n, t, c, k, f) -> (k, c, f)>, affine_map<(n, t, c, k, f) -> (n, t, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%dilated, %w : tensor<2x22x8xf32>, tensor<3x4x8xf32>) outs(%x : tensor<2x20x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<2x20x4xf32>
  return %r : tensor<2x20x4xf32>
}

// -----

// Not zeros, a maximum, a channel with zeros, and unknown sizes are not changed.
// CHECK-LABEL: func @others
// CHECK-COUNT-4: tensor.insert_slice
// CHECK-NOT: insert_slice
// CHECK: return
func.func @others(%g: tensor<2x10x8xf32>, %w: tensor<3x4x8xf32>, %v: tensor<3x4x4xf32>, %d: tensor<2x?x8xf32>, %size: index)
    -> (tensor<2x20x4xf32>, tensor<2x20x4xf32>, tensor<2x20x4xf32>, tensor<2x20x4xf32>) {
  %x = tensor.empty() : tensor<2x20x4xf32>
  %ones = arith.constant dense<1.0> : tensor<2x22x8xf32>
  %zeros = arith.constant dense<0.0> : tensor<2x22x8xf32>
  %a0 = tensor.insert_slice %g into %ones[0, 1, 0] [2, 10, 8] [1, 2, 1] : tensor<2x10x8xf32> into tensor<2x22x8xf32>
  %r0 = linalg.generic {indexing_maps = [affine_map<(n, t, c, k, f) -> (n, t + k, f)>, affine_map<(n, t, c, k, f) -> (k, c, f)>, affine_map<(n, t, c, k, f) -> (n, t, c)>],
                        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%a0, %w : tensor<2x22x8xf32>, tensor<3x4x8xf32>) outs(%x : tensor<2x20x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<2x20x4xf32>
  %a1 = tensor.insert_slice %g into %zeros[0, 1, 0] [2, 10, 8] [1, 2, 1] : tensor<2x10x8xf32> into tensor<2x22x8xf32>
  %r1 = linalg.generic {indexing_maps = [affine_map<(n, t, c, k, f) -> (n, t + k, f)>, affine_map<(n, t, c, k, f) -> (k, c, f)>, affine_map<(n, t, c, k, f) -> (n, t, c)>],
                        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%a1, %w : tensor<2x22x8xf32>, tensor<3x4x8xf32>) outs(%x : tensor<2x20x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.maximumf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<2x20x4xf32>
  %v0 = arith.constant dense<0.0> : tensor<3x4x8xf32>
  %v1 = tensor.insert_slice %v into %v0[0, 0, 0] [3, 4, 4] [1, 1, 1] : tensor<3x4x4xf32> into tensor<3x4x8xf32>
  %b2 = tensor.empty() : tensor<2x22x8xf32>
  %r2 = linalg.generic {indexing_maps = [affine_map<(n, t, c, k, f) -> (n, t + k, f)>, affine_map<(n, t, c, k, f) -> (k, c, f)>, affine_map<(n, t, c, k, f) -> (n, t, c)>],
                        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%b2, %v1 : tensor<2x22x8xf32>, tensor<3x4x8xf32>) outs(%x : tensor<2x20x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<2x20x4xf32>
  %a3 = tensor.insert_slice %d into %zeros[0, 1, 0] [2, %size, 8] [1, 2, 1] : tensor<2x?x8xf32> into tensor<2x22x8xf32>
  %r3 = linalg.generic {indexing_maps = [affine_map<(n, t, c, k, f) -> (n, t + k, f)>, affine_map<(n, t, c, k, f) -> (k, c, f)>, affine_map<(n, t, c, k, f) -> (n, t, c)>],
                        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%a3, %w : tensor<2x22x8xf32>, tensor<3x4x8xf32>) outs(%x : tensor<2x20x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<2x20x4xf32>
  return %r0, %r1, %r2, %r3 : tensor<2x20x4xf32>, tensor<2x20x4xf32>, tensor<2x20x4xf32>, tensor<2x20x4xf32>
}
