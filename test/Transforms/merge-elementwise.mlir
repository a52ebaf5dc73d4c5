// Elementwise ops whose values have several uses become one op with several results.
// RUN: rnn-opt %s -rnn-merge-elementwise -split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (j)>

// The sum is a result and is used twice; the product is no result, and the bias has its own map. Each result has a tensor of
// its own.
// CHECK-LABEL: func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<4x5xf32>, %[[Y:.*]]: tensor<4x5xf32>, %[[BIAS:.*]]: tensor<5xf32>)
// CHECK: %[[FIRST:.*]] = tensor.empty()
// CHECK: %[[SECOND:.*]] = tensor.empty()
// CHECK: %[[R:.*]]:2 = linalg.generic
// CHECK-SAME: ins(%[[X]], %[[Y]], %[[BIAS]] :
// CHECK-SAME: outs(%[[FIRST]], %[[SECOND]] :
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[D:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: %[[SUM:.*]] = arith.addf %[[A]], %[[B]]
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[SUM]], %[[B]]
// CHECK: %[[DIFFERENCE:.*]] = arith.subf %[[PRODUCT]], %[[D]]
// CHECK: %[[LAST:.*]] = arith.divf %[[DIFFERENCE]], %[[PRODUCT]]
// CHECK: linalg.yield %[[SUM]], %[[LAST]]
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @chain(%x: tensor<4x5xf32>, %y: tensor<4x5xf32>, %bias: tensor<5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %empty = tensor.empty() : tensor<4x5xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x5xf32>, tensor<4x5xf32>) outs(%empty : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x5xf32>
  %product = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum, %y : tensor<4x5xf32>, tensor<4x5xf32>) outs(%empty : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x5xf32>
  %last = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias, %product : tensor<4x5xf32>, tensor<5xf32>, tensor<4x5xf32>) outs(%empty : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %old: f32):
    %0 = arith.subf %a, %b : f32
    %1 = arith.divf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  return %sum, %last : tensor<4x5xf32>, tensor<4x5xf32>
}

// -----

// The first user needs all elements, reads them in another order or as a whole, updates them, or is in a loop.
#id = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func @separate
// CHECK-COUNT-10: linalg.generic
// CHECK-NOT: linalg.generic
func.func @separate(%x: tensor<4x4xf32>, %n: index) -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>,
                                                        tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %empty = tensor.empty() : tensor<4x4xf32>
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  %sums = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<4x4xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %v = arith.addf %old, %a : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1, %1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %i = linalg.index 0 : index
    %e = tensor.extract %2[%i, %c0] : tensor<4x4xf32>
    %v = arith.addf %a, %e : f32
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%3 : tensor<4x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  %5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%4 : tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %v = arith.addf %a, %old : f32
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  %6 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%5 : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  %7 = scf.for %k = %c0 to %n step %c1 iter_args(%carried = %x) -> tensor<4x4xf32> {
    %inner = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%6, %carried : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %v = arith.addf %a, %b : f32
      linalg.yield %v : f32
    } -> tensor<4x4xf32>
    scf.yield %inner : tensor<4x4xf32>
  }
  %8 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%6 : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  return %sums, %1, %3, %7, %8 : tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Two ops read the same tensor in the same order, and become one op at the place of the second one.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// CHECK-LABEL: func @siblings
// CHECK-SAME: (%[[X:.*]]: tensor<4x5xf32>, %[[Y:.*]]: tensor<4x5xf32>, %[[ROW:.*]]: tensor<5xf32>)
// CHECK-NOT: linalg.generic
// CHECK: %[[Z:.*]] = linalg.exp
// CHECK: %[[R:.*]]:2 = linalg.generic
// CHECK-SAME: ins(%[[Y]], %[[X]], %[[Z]] :
// CHECK: ^bb0(%[[B:.*]]: f32, %[[A:.*]]: f32, %[[C:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[B]], %[[A]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[A]], %[[C]]
// CHECK-NEXT: linalg.yield %[[PRODUCT]], %[[SUM]]
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @siblings(%x: tensor<4x5xf32>, %y: tensor<4x5xf32>, %row: tensor<5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %empty = tensor.empty() : tensor<4x5xf32>
  %product = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %x : tensor<4x5xf32>, tensor<4x5xf32>) outs(%empty : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x5xf32>
  %z = linalg.exp ins(%y : tensor<4x5xf32>) outs(%empty : tensor<4x5xf32>) -> tensor<4x5xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %z : tensor<4x5xf32>, tensor<4x5xf32>) outs(%empty : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x5xf32>
  return %product, %sum : tensor<4x5xf32>, tensor<4x5xf32>
}

// -----

// A result is used before the other op, or the tensor is read in another order or by fewer loops.
#id = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (j)>
#vector = affine_map<(i) -> (i)>

// CHECK-LABEL: func @strangers
// CHECK-COUNT-5: linalg.generic
// CHECK-NOT: linalg.generic
func.func @strangers(%x: tensor<4x4xf32>, %row: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) {
  %empty = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %e = linalg.exp ins(%0 : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#transposed, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %row : tensor<4x4xf32>, tensor<4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %v = tensor.empty() : tensor<4xf32>
  %3 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%row : tensor<4xf32>) outs(%v : tensor<4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %s = arith.mulf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %4 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%3 : tensor<4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %e, %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (0, j)>

// Sixteen operands that have an element for each iteration: rows that are broadcast are not counted, nor is a result that
// only the second op reads.
// CHECK-LABEL: func @streams
// CHECK: linalg.generic
// CHECK-COUNT-17: arith.addf
// CHECK: linalg.yield
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @streams(%x0: tensor<4x8xf32>, %x1: tensor<4x8xf32>, %x2: tensor<4x8xf32>, %x3: tensor<4x8xf32>, %x4: tensor<4x8xf32>, %x5: tensor<4x8xf32>, %x6: tensor<4x8xf32>, %x7: tensor<4x8xf32>, %x8: tensor<4x8xf32>, %x9: tensor<4x8xf32>, %x10: tensor<4x8xf32>, %x11: tensor<4x8xf32>, %x12: tensor<4x8xf32>, %x13: tensor<4x8xf32>, %r0: tensor<1x8xf32>, %r1: tensor<1x8xf32>, %r2: tensor<1x8xf32>, %r3: tensor<1x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %empty = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1, %x2, %x3, %x4, %x5, %x6, %r0, %r1 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x8xf32>, tensor<1x8xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %a8: f32, %old: f32):
    %s1 = arith.addf %a0, %a1 : f32
    %s2 = arith.addf %s1, %a2 : f32
    %s3 = arith.addf %s2, %a3 : f32
    %s4 = arith.addf %s3, %a4 : f32
    %s5 = arith.addf %s4, %a5 : f32
    %s6 = arith.addf %s5, %a6 : f32
    %s7 = arith.addf %s6, %a7 : f32
    %s8 = arith.addf %s7, %a8 : f32
    linalg.yield %s8 : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %x7, %x8, %x9, %x10, %x11, %x12, %x13, %r2, %r3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x8xf32>, tensor<1x8xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %a8: f32, %a9: f32, %old: f32):
    %s1 = arith.addf %a0, %a1 : f32
    %s2 = arith.addf %s1, %a2 : f32
    %s3 = arith.addf %s2, %a3 : f32
    %s4 = arith.addf %s3, %a4 : f32
    %s5 = arith.addf %s4, %a5 : f32
    %s6 = arith.addf %s5, %a6 : f32
    %s7 = arith.addf %s6, %a7 : f32
    %s8 = arith.addf %s7, %a8 : f32
    %s9 = arith.addf %s8, %a9 : f32
    linalg.yield %s9 : f32
  } -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// One more.
// CHECK-LABEL: func @many_streams
// CHECK-COUNT-2: linalg.generic
func.func @many_streams(%x0: tensor<4x8xf32>, %x1: tensor<4x8xf32>, %x2: tensor<4x8xf32>, %x3: tensor<4x8xf32>, %x4: tensor<4x8xf32>, %x5: tensor<4x8xf32>, %x6: tensor<4x8xf32>, %x7: tensor<4x8xf32>, %x8: tensor<4x8xf32>, %x9: tensor<4x8xf32>, %x10: tensor<4x8xf32>, %x11: tensor<4x8xf32>, %x12: tensor<4x8xf32>, %x13: tensor<4x8xf32>, %x14: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %empty = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1, %x2, %x3, %x4, %x5, %x6 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %old: f32):
    %s1 = arith.addf %a0, %a1 : f32
    %s2 = arith.addf %s1, %a2 : f32
    %s3 = arith.addf %s2, %a3 : f32
    %s4 = arith.addf %s3, %a4 : f32
    %s5 = arith.addf %s4, %a5 : f32
    %s6 = arith.addf %s5, %a6 : f32
    linalg.yield %s6 : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %x7, %x8, %x9, %x10, %x11, %x12, %x13, %x14 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %a8: f32, %old: f32):
    %s1 = arith.addf %a0, %a1 : f32
    %s2 = arith.addf %s1, %a2 : f32
    %s3 = arith.addf %s2, %a3 : f32
    %s4 = arith.addf %s3, %a4 : f32
    %s5 = arith.addf %s4, %a5 : f32
    %s6 = arith.addf %s5, %a6 : f32
    %s7 = arith.addf %s6, %a7 : f32
    %s8 = arith.addf %s7, %a8 : f32
    linalg.yield %s8 : f32
  } -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}
