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

// -----

// The gradient of a split in three: one tensor, and each part plus zero.
// CHECK-LABEL: func @split
// CHECK-SAME: (%[[A:.*]]: tensor<4x3xf32>, %[[B:.*]]: tensor<4x2xf32>, %[[C:.*]]: tensor<4x5xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NOT: linalg.fill
// CHECK: %[[A0:.*]] = linalg.generic {{.*}} ins(%[[A]] :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[X]], %[[ZERO]]
// CHECK-NEXT: linalg.yield %[[SUM]]
// CHECK: %[[B0:.*]] = linalg.generic {{.*}} ins(%[[B]] :
// CHECK: %[[RESULT:.*]] = tensor.empty() : tensor<4x10xf32>
// CHECK: %[[C0:.*]] = linalg.generic {{.*}} ins(%[[C]] :
// CHECK-NOT: linalg.generic
// CHECK: %[[R0:.*]] = tensor.insert_slice %[[C0]] into %[[RESULT]][0, 5] [4, 5] [1, 1]
// CHECK-NEXT: %[[R1:.*]] = tensor.insert_slice %[[A0]] into %[[R0]][0, 0] [4, 3] [1, 1]
// CHECK-NEXT: %[[R2:.*]] = tensor.insert_slice %[[B0]] into %[[R1]][0, 3] [4, 2] [1, 1]
// CHECK-NEXT: return %[[R2]]
#id = affine_map<(i, j) -> (i, j)>
func.func @split(%a: tensor<4x3xf32>, %b: tensor<4x2xf32>, %c: tensor<4x5xf32>) -> tensor<4x10xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x10xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x10xf32>) -> tensor<4x10xf32>
  %a0 = tensor.insert_slice %a into %zeros[0, 0] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<4x10xf32>
  %b0 = tensor.insert_slice %b into %zeros[0, 3] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<4x10xf32>
  %c0 = tensor.insert_slice %c into %zeros[0, 5] [4, 5] [1, 1] : tensor<4x5xf32> into tensor<4x10xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a0, %b0 : tensor<4x10xf32>, tensor<4x10xf32>) outs(%empty : tensor<4x10xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x10xf32>
  %1 = linalg.add ins(%c0, %0 : tensor<4x10xf32>, tensor<4x10xf32>) outs(%empty : tensor<4x10xf32>) -> tensor<4x10xf32>
  return %1 : tensor<4x10xf32>
}

// -----

// An interleaving with an odd number of integers, whose source is a concatenation; the last place stays zero.
// CHECK-LABEL: func @interleave
// CHECK-SAME: (%[[A:.*]]: tensor<2xi32>, %[[B:.*]]: tensor<1xi32>, %[[C:.*]]: tensor<3xi32>)
// CHECK: %[[ZEROS:.*]] = linalg.fill
// CHECK: %[[R0:.*]] = tensor.insert_slice %{{.*}} into %[[ZEROS]][0] [3] [2]
// CHECK: %[[R1:.*]] = tensor.insert_slice %[[C]] into %[[R0]][1] [3] [2]
// CHECK-NEXT: return %[[R1]]
func.func @interleave(%a: tensor<2xi32>, %b: tensor<1xi32>, %c: tensor<3xi32>) -> tensor<7xi32> {
  %zeros = arith.constant dense<0> : tensor<7xi32>
  %e = tensor.empty() : tensor<3xi32>
  %e0 = tensor.insert_slice %a into %e[0] [2] [1] : tensor<2xi32> into tensor<3xi32>
  %e1 = tensor.insert_slice %b into %e0[2] [1] [1] : tensor<1xi32> into tensor<3xi32>
  %a0 = tensor.insert_slice %e1 into %zeros[0] [3] [2] : tensor<3xi32> into tensor<7xi32>
  %c0 = tensor.insert_slice %c into %zeros[1] [3] [2] : tensor<3xi32> into tensor<7xi32>
  %empty = tensor.empty() : tensor<7xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a0, %c0 : tensor<7xi32>, tensor<7xi32>) outs(%empty : tensor<7xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %s = arith.ori %y, %x : i32
    linalg.yield %s : i32
  } -> tensor<7xi32>
  return %0 : tensor<7xi32>
}

// -----

// Zero is added to the sources of a concatenation, which are then computed in place.
// CHECK-LABEL: func @concatenation
// CHECK-SAME: (%[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<1xf32>, %[[C:.*]]: tensor<3xf32>)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<3xf32>
// CHECK: %[[A0:.*]] = linalg.generic {{.*}} ins(%[[A]] :
// CHECK: %[[E0:.*]] = tensor.insert_slice %[[A0]] into %[[E]]
// CHECK: %[[B0:.*]] = linalg.generic {{.*}} ins(%[[B]] :
// CHECK: %[[E1:.*]] = tensor.insert_slice %[[B0]] into %[[E0]]
// CHECK: tensor.insert_slice %[[E1]] into %{{.*}}[0] [3] [2]
func.func @concatenation(%a: tensor<2xf32>, %b: tensor<1xf32>, %c: tensor<3xf32>) -> tensor<6xf32> {
  %zeros = arith.constant dense<0.0> : tensor<6xf32>
  %e = tensor.empty() : tensor<3xf32>
  %e0 = tensor.insert_slice %a into %e[0] [2] [1] : tensor<2xf32> into tensor<3xf32>
  %e1 = tensor.insert_slice %b into %e0[2] [1] [1] : tensor<1xf32> into tensor<3xf32>
  %a0 = tensor.insert_slice %e1 into %zeros[0] [3] [2] : tensor<3xf32> into tensor<6xf32>
  %c0 = tensor.insert_slice %c into %zeros[1] [3] [2] : tensor<3xf32> into tensor<6xf32>
  %empty = tensor.empty() : tensor<6xf32>
  %0 = linalg.add ins(%a0, %c0 : tensor<6xf32>, tensor<6xf32>) outs(%empty : tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// These stay: elements with two addends, another use, a product, zeros that are negative, and a size of run time.
// CHECK-LABEL: func @sums
// CHECK-COUNT-4: linalg.add
// CHECK: linalg.mul
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @sums(%a: tensor<4xf32>, %b: tensor<3xf32>, %d: tensor<?xf32>, %n: index)
    -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<6xf32>
  %negative = arith.constant dense<-0.0> : tensor<6xf32>
  %empty = tensor.empty() : tensor<6xf32>
  %a0 = tensor.insert_slice %a into %zeros[0] [4] [1] : tensor<4xf32> into tensor<6xf32>
  %b0 = tensor.insert_slice %b into %zeros[3] [3] [1] : tensor<3xf32> into tensor<6xf32>
  %0 = linalg.add ins(%a0, %b0 : tensor<6xf32>, tensor<6xf32>) outs(%empty : tensor<6xf32>) -> tensor<6xf32>
  %a1 = tensor.insert_slice %b into %zeros[0] [3] [2] : tensor<3xf32> into tensor<6xf32>
  %b1 = tensor.insert_slice %b into %zeros[1] [3] [2] : tensor<3xf32> into tensor<6xf32>
  %1 = linalg.add ins(%a1, %b1 : tensor<6xf32>, tensor<6xf32>) outs(%empty : tensor<6xf32>) -> tensor<6xf32>
  %a2 = tensor.insert_slice %b into %zeros[0] [3] [2] : tensor<3xf32> into tensor<6xf32>
  %b2 = tensor.insert_slice %b into %negative[1] [3] [2] : tensor<3xf32> into tensor<6xf32>
  %2 = linalg.add ins(%a2, %b2 : tensor<6xf32>, tensor<6xf32>) outs(%empty : tensor<6xf32>) -> tensor<6xf32>
  %a3 = tensor.insert_slice %b into %zeros[0] [3] [1] : tensor<3xf32> into tensor<6xf32>
  %b3 = tensor.insert_slice %d into %zeros[3] [%n] [1] : tensor<?xf32> into tensor<6xf32>
  %3 = linalg.add ins(%a3, %b3 : tensor<6xf32>, tensor<6xf32>) outs(%empty : tensor<6xf32>) -> tensor<6xf32>
  %a4 = tensor.insert_slice %b into %zeros[0] [3] [1] : tensor<3xf32> into tensor<6xf32>
  %b4 = tensor.insert_slice %b into %zeros[3] [3] [1] : tensor<3xf32> into tensor<6xf32>
  %4 = linalg.mul ins(%a4, %b4 : tensor<6xf32>, tensor<6xf32>) outs(%empty : tensor<6xf32>) -> tensor<6xf32>
  return %0, %1, %2, %3, %4, %a1 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}
