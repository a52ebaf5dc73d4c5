// Contractions that compute transposed results, and fills for each of them.
// RUN: rnn-opt %s --rnn-prepare-contractions --split-input-file | FileCheck %s

// CHECK-DAG: #[[$LEFT:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$RIGHT:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-LABEL: func @transposed
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x?xf32>, %[[B:[a-z0-9]+]]: tensor<?x?xf32>, %[[M:[a-z0-9]+]]: index, %[[N:[a-z0-9]+]]: index
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[N]], %[[M]])
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[EMPTY]]
// CHECK: %[[RESULT:.*]] = linalg.generic {indexing_maps = [#[[$LEFT]], #[[$RIGHT]], #[[$OUT]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[A]], %[[B]] : {{.*}} outs(%[[ZEROS]]
// CHECK: return %[[RESULT]]
func.func @transposed(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.transpose ins(%c : tensor<?x?xf32>) outs(%t : tensor<?x?xf32>) permutation = [1, 0]
  return %r : tensor<?x?xf32>
}

// -----

// Each of the results is needed in both orders: nothing changes.
// CHECK-LABEL: func @both
// CHECK: linalg.matmul
// CHECK: linalg.transpose
func.func @both(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>) -> (tensor<4x6xf32>, tensor<6x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %c = linalg.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x6xf32>) outs(%z : tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = tensor.empty() : tensor<6x4xf32>
  %r = linalg.transpose ins(%c : tensor<4x6xf32>) outs(%t : tensor<6x4xf32>) permutation = [1, 0]
  return %c, %r : tensor<4x6xf32>, tensor<6x4xf32>
}

// -----

#batch = affine_map<(b, h, m, n, k) -> (b, m, h, k)>
#right = affine_map<(b, h, m, n, k) -> (b, n, h, k)>
#out = affine_map<(b, h, m, n, k) -> (b, h, n, m)>
#same = affine_map<(i, j, k, l) -> (i, j, k, l)>
#from = affine_map<(i, j, k, l) -> (i, l, j, k)>

// (b, h, n, m) becomes (b, n, m, h).
// CHECK: #[[$RESULT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2, d1)>
// CHECK-LABEL: func @heads
// CHECK-NOT: linalg.generic
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #[[$RESULT]]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @heads(%a: tensor<2x4x3x5xf32>, %b: tensor<2x6x3x5xf32>) -> tensor<2x6x4x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x6x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x6x4xf32>) -> tensor<2x3x6x4xf32>
  %c = linalg.generic {indexing_maps = [#batch, #right, #out],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x4x3x5xf32>, tensor<2x6x3x5xf32>) outs(%z : tensor<2x3x6x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x3x6x4xf32>
  %t = tensor.empty() : tensor<2x6x4x3xf32>
  %r = linalg.generic {indexing_maps = [#from, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<2x3x6x4xf32>) outs(%t : tensor<2x6x4x3xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<2x6x4x3xf32>
  return %r : tensor<2x6x4x3xf32>
}

// -----

// Two sums of the block, one of a loop, and a reader of the zeros.
// CHECK-LABEL: func @zeros
// CHECK: %[[READ:.*]] = linalg.fill
// CHECK: %[[FIRST:.*]] = linalg.fill
// CHECK: linalg.matmul {{.*}} outs(%[[FIRST]] :
// CHECK: scf.for
// CHECK:   %[[INNER:.*]] = linalg.fill
// CHECK:   linalg.matmul {{.*}} outs(%[[INNER]] :
// CHECK: return %{{.*}}, %{{.*}}, %[[READ]]
func.func @zeros(%a: tensor<4x4xf32>, %count: index) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %d = scf.for %i = %c0 to %count step %c1 iter_args(%x = %a) -> tensor<4x4xf32> {
    %y = linalg.matmul ins(%x, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %y : tensor<4x4xf32>
  }
  return %c, %d, %z : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The contraction is not moved into the loop.
// CHECK-LABEL: func @loop
// CHECK: linalg.matmul
// CHECK: scf.for
// CHECK: linalg.transpose
func.func @loop(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>, %x: tensor<6x4xf32>, %count: index) -> tensor<6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %c = linalg.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x6xf32>) outs(%z : tensor<4x6xf32>) -> tensor<4x6xf32>
  %d = scf.for %i = %c0 to %count step %c1 iter_args(%y = %x) -> tensor<6x4xf32> {
    %r = linalg.transpose ins(%c : tensor<4x6xf32>) outs(%y : tensor<6x4xf32>) permutation = [1, 0]
    scf.yield %r : tensor<6x4xf32>
  }
  return %d : tensor<6x4xf32>
}

// -----

// Two transpositions, one after the other: a copy of no order.
// CHECK-LABEL: func @twice
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4x5xf32>, %[[B:[a-z0-9]+]]: tensor<5x6xf32>
// CHECK-NOT: linalg.transpose
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[B]] : {{.*}} outs(%{{.*}} : tensor<4x6xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return %[[R]]
func.func @twice(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %t = tensor.empty() : tensor<6x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %c = linalg.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x6xf32>) outs(%z : tensor<4x6xf32>) -> tensor<4x6xf32>
  %d = linalg.transpose ins(%c : tensor<4x6xf32>) outs(%t : tensor<6x4xf32>) permutation = [1, 0]
  %r = linalg.transpose ins(%d : tensor<6x4xf32>) outs(%e : tensor<4x6xf32>) permutation = [1, 0]
  return %r : tensor<4x6xf32>
}

// -----

// The gates of a cell that multiplies weights by a state of one example, in a batch of such cells.
// CHECK-DAG: #[[$TRANSPOSED:.*]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-LABEL: func @gates
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<6x5xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<7x6xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[EMPTY]]
// CHECK: %[[ALL:.*]] = linalg.generic {indexing_maps = [{{.*}}, {{.*}}, #[[$TRANSPOSED]]], {{.*}} outs(%[[ZEROS]]
// CHECK: %[[R:.*]] = tensor.extract_slice %[[ALL]][0, 0] [7, 2] [1, 1]
// CHECK: %[[S:.*]] = tensor.extract_slice %[[ALL]][1, 2] [6, 4] [1, 1]
// CHECK: return %[[R]], %[[S]]
func.func @gates(%a: tensor<6x5xf32>, %b: tensor<5x7xf32>) -> (tensor<7x2xf32>, tensor<6x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x7xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %c = linalg.matmul ins(%a, %b : tensor<6x5xf32>, tensor<5x7xf32>) outs(%z : tensor<6x7xf32>) -> tensor<6x7xf32>
  %p = tensor.extract_slice %c[0, 0] [2, 7] [1, 1] : tensor<6x7xf32> to tensor<2x7xf32>
  %q = tensor.extract_slice %c[2, 1] [4, 6] [1, 1] : tensor<6x7xf32> to tensor<4x6xf32>
  %e0 = tensor.empty() : tensor<7x2xf32>
  %e1 = tensor.empty() : tensor<6x4xf32>
  %r = linalg.transpose ins(%p : tensor<2x7xf32>) outs(%e0 : tensor<7x2xf32>) permutation = [1, 0]
  %s = linalg.transpose ins(%q : tensor<4x6xf32>) outs(%e1 : tensor<6x4xf32>) permutation = [1, 0]
  return %r, %s : tensor<7x2xf32>, tensor<6x4xf32>
}

// -----

// One of the slices is not transposed.
// CHECK-LABEL: func @one_gate
// CHECK: linalg.matmul
// CHECK: linalg.transpose
func.func @one_gate(%a: tensor<6x5xf32>, %b: tensor<5x7xf32>) -> (tensor<7x2xf32>, tensor<4x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x7xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %c = linalg.matmul ins(%a, %b : tensor<6x5xf32>, tensor<5x7xf32>) outs(%z : tensor<6x7xf32>) -> tensor<6x7xf32>
  %p = tensor.extract_slice %c[0, 0] [2, 7] [1, 1] : tensor<6x7xf32> to tensor<2x7xf32>
  %q = tensor.extract_slice %c[2, 0] [4, 7] [1, 1] : tensor<6x7xf32> to tensor<4x7xf32>
  %e0 = tensor.empty() : tensor<7x2xf32>
  %r = linalg.transpose ins(%p : tensor<2x7xf32>) outs(%e0 : tensor<7x2xf32>) permutation = [1, 0]
  return %r, %q : tensor<7x2xf32>, tensor<4x7xf32>
}

// -----

// Gradients of gates, transposed in each iteration: alone, and beside each other. Weights that are transposed before
// the loop stay as they are.
// CHECK-DAG: #[[$ROWS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @operands
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK: %[[WT:.*]] = linalg.transpose ins(%[[W]]
// CHECK: scf.for
// CHECK: %[[P:.*]] = linalg.exp
// CHECK: %[[Q:.*]] = linalg.tanh
// CHECK: linalg.generic {indexing_maps = [#[[$ROWS]], #{{.*}}, #[[$OUT]]], {{.*}} ins(%[[P]], %[[WT]] :
// CHECK: %[[I0:.*]] = tensor.insert_slice %[[P]] into %{{.*}}[0, 0] [5, 2] [1, 1]
// CHECK: %[[I1:.*]] = tensor.insert_slice %[[Q]] into %[[I0]][0, 2] [5, 2] [1, 1]
// CHECK: linalg.generic {indexing_maps = [#[[$ROWS]], #{{.*}}, #[[$OUT]]], {{.*}} ins(%[[I1]],
func.func @operands(%w: tensor<2x3xf32>, %v: tensor<4x3xf32>, %x: tensor<5x2xf32>) -> (tensor<5x3xf32>, tensor<5x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %ew = tensor.empty() : tensor<3x2xf32>
  %wt = linalg.transpose ins(%w : tensor<2x3xf32>) outs(%ew : tensor<3x2xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<5x2xf32>
  %et = tensor.empty() : tensor<2x5xf32>
  %ep = tensor.empty() : tensor<4x5xf32>
  %eo = tensor.empty() : tensor<5x3xf32>
  %r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %eo, %b = %eo) -> (tensor<5x3xf32>, tensor<5x3xf32>) {
    %p = linalg.exp ins(%x : tensor<5x2xf32>) outs(%e : tensor<5x2xf32>) -> tensor<5x2xf32>
    %q = linalg.tanh ins(%x : tensor<5x2xf32>) outs(%e : tensor<5x2xf32>) -> tensor<5x2xf32>
    %pt = linalg.transpose ins(%p : tensor<5x2xf32>) outs(%et : tensor<2x5xf32>) permutation = [1, 0]
    %qt = linalg.transpose ins(%q : tensor<5x2xf32>) outs(%et : tensor<2x5xf32>) permutation = [1, 0]
    %z = linalg.fill ins(%zero : f32) outs(%eo : tensor<5x3xf32>) -> tensor<5x3xf32>
    %one = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%pt, %wt : tensor<2x5xf32>, tensor<3x2xf32>) outs(%z : tensor<5x3xf32>) {
    ^bb0(%l: f32, %s: f32, %o: f32):
      %m = arith.mulf %l, %s : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<5x3xf32>
    %i0 = tensor.insert_slice %pt into %ep[0, 0] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<4x5xf32>
    %i1 = tensor.insert_slice %qt into %i0[2, 0] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<4x5xf32>
    %both = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%i1, %v : tensor<4x5xf32>, tensor<4x3xf32>) outs(%z : tensor<5x3xf32>) {
    ^bb0(%l: f32, %s: f32, %o: f32):
      %m = arith.mulf %l, %s : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<5x3xf32>
    scf.yield %one, %both : tensor<5x3xf32>, tensor<5x3xf32>
  }
  return %r#0, %r#1 : tensor<5x3xf32>, tensor<5x3xf32>
}

// -----

// The transposed tensor is the second result of its op.
// CHECK-LABEL: func @second_result
// CHECK: scf.for
// CHECK: %[[BOTH:.*]]:2 = linalg.generic
// CHECK: linalg.generic {{.*}} ins(%[[BOTH]]#1, %{{.*}} : tensor<5x2xf32>, tensor<5x3xf32>)
func.func @second_result(%v: tensor<5x3xf32>, %x: tensor<5x2xf32>) -> tensor<2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<5x2xf32>
  %et = tensor.empty() : tensor<2x5xf32>
  %eo = tensor.empty() : tensor<2x3xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %eo) -> tensor<2x3xf32> {
    %p:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<5x2xf32>) outs(%e, %e : tensor<5x2xf32>, tensor<5x2xf32>) {
    ^bb0(%s: f32, %o: f32, %q: f32):
      %m = arith.mulf %s, %s : f32
      %n = arith.negf %s : f32
      linalg.yield %m, %n : f32, f32
    } -> (tensor<5x2xf32>, tensor<5x2xf32>)
    %pt = linalg.transpose ins(%p#1 : tensor<5x2xf32>) outs(%et : tensor<2x5xf32>) permutation = [1, 0]
    %z = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x3xf32>) -> tensor<2x3xf32>
    %c = linalg.matmul ins(%pt, %v : tensor<2x5xf32>, tensor<5x3xf32>) outs(%z : tensor<2x3xf32>) -> tensor<2x3xf32>
    scf.yield %c : tensor<2x3xf32>
  }
  return %r : tensor<2x3xf32>
}

// -----

// The transposition overwrites the tensor that it reads.
// CHECK-LABEL: func @same_tensor
// CHECK: linalg.matmul
// CHECK: linalg.transpose
func.func @same_tensor(%a: tensor<4x5xf32>, %b: tensor<5x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = linalg.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.transpose ins(%c : tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) permutation = [1, 0]
  return %r : tensor<4x4xf32>
}
