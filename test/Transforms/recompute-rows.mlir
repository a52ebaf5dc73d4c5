// Rows that are computed again from other stored rows.
// RUN: rnn-opt %s --rnn-recompute-rows --split-input-file | FileCheck %s

#row = affine_map<(i, j) -> (i, j)>
#bias = affine_map<(i, j) -> (j)>

// s (1 - s) follows from s in two ops. One loop reads it in the reversed order, another op its first row.
// CHECK-LABEL: func @sigmoid
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<5x2x3xf32>, %[[ONE:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK: %[[S:.*]] = scf.for {{.*}} -> (tensor<5x2x3xf32>)
// CHECK-NOT: linalg.sub
// CHECK: scf.yield
// CHECK: %[[R:.*]] = scf.for %[[I:.*]] =
// CHECK: %[[J:.*]] = arith.subi
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[S]][%[[J]], 0, 0] [1, 2, 3] [1, 1, 1]
// CHECK: %[[D:.*]] = linalg.sub ins(%[[ONE]], %[[ROW]]
// CHECK: %[[P:.*]] = linalg.mul ins(%[[ROW]], %[[D]]
// CHECK-NOT: tensor.extract_slice
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[ROW]], %[[P]]
// CHECK: %[[FIRST:.*]] = tensor.extract_slice %[[S]][0, 0, 0] [1, 2, 3] [1, 1, 1]
// CHECK: linalg.sub ins(%[[ONE]], %[[FIRST]]
// CHECK: %[[Q:.*]] = linalg.mul
// CHECK: return %[[R]], %[[Q]]
func.func @sigmoid(%x: tensor<5x2x3xf32>, %one: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<5x2x3xf32>
  %er = tensor.empty() : tensor<2x3xf32>
  %s:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %e, %b = %e) -> (tensor<5x2x3xf32>, tensor<5x2x3xf32>) {
    %v = tensor.extract_slice %x[%i, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<5x2x3xf32> to tensor<2x3xf32>
    %t = linalg.exp ins(%v : tensor<2x3xf32>) outs(%er : tensor<2x3xf32>) -> tensor<2x3xf32>
    %d = linalg.sub ins(%one, %t : tensor<2x3xf32>, tensor<2x3xf32>) outs(%er : tensor<2x3xf32>) -> tensor<2x3xf32>
    %p = linalg.mul ins(%t, %d : tensor<2x3xf32>, tensor<2x3xf32>) outs(%er : tensor<2x3xf32>) -> tensor<2x3xf32>
    %a1 = tensor.insert_slice %t into %a[%i, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<2x3xf32> into tensor<5x2x3xf32>
    %b1 = tensor.insert_slice %p into %b[%i, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<2x3xf32> into tensor<5x2x3xf32>
    scf.yield %a1, %b1 : tensor<5x2x3xf32>, tensor<5x2x3xf32>
  }
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %one) -> tensor<2x3xf32> {
    %j = arith.subi %c4, %i : index
    %p = tensor.extract_slice %s#1[%j, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<5x2x3xf32> to tensor<2x3xf32>
    %t = tensor.extract_slice %s#0[%j, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<5x2x3xf32> to tensor<2x3xf32>
    %n = linalg.generic {indexing_maps = [#row, #row, #row, #row], iterator_types = ["parallel", "parallel"]}
        ins(%h, %t, %p : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) outs(%er : tensor<2x3xf32>) {
    ^bb0(%u: f32, %v: f32, %w: f32, %o: f32):
      %k = arith.mulf %u, %v : f32
      %l = arith.divf %k, %w : f32
      linalg.yield %l : f32
    } -> tensor<2x3xf32>
    scf.yield %n : tensor<2x3xf32>
  }
  %q = tensor.extract_slice %s#1[0, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<5x2x3xf32> to tensor<2x3xf32>
  return %r, %q : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

#row = affine_map<(i, j) -> (i, j)>

// The same with unknown sizes.
// CHECK-LABEL: func @unknown
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x?x3xf32>, %[[ONE:[a-z0-9]+]]: tensor<?x3xf32>
// CHECK: %[[S:.*]] = scf.for {{.*}} -> (tensor<?x?x3xf32>)
// CHECK-NOT: linalg.sub
// CHECK: scf.yield
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[J:.*]] = arith.subi
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[S]][%[[J]], 0, 0]
// CHECK: %[[D:.*]] = linalg.sub ins(%[[ONE]], %[[ROW]]
// CHECK: linalg.mul ins(%[[ROW]], %[[D]]
func.func @unknown(%x: tensor<?x?x3xf32>, %one: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x3xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x3xf32>
  %last = arith.subi %n, %c1 : index
  %e = tensor.empty(%n, %m) : tensor<?x?x3xf32>
  %er = tensor.empty(%m) : tensor<?x3xf32>
  %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e, %b = %e) -> (tensor<?x?x3xf32>, tensor<?x?x3xf32>) {
    %v = tensor.extract_slice %x[%i, 0, 0] [1, %m, 3] [1, 1, 1] : tensor<?x?x3xf32> to tensor<?x3xf32>
    %t = linalg.exp ins(%v : tensor<?x3xf32>) outs(%er : tensor<?x3xf32>) -> tensor<?x3xf32>
    %d = linalg.sub ins(%one, %t : tensor<?x3xf32>, tensor<?x3xf32>) outs(%er : tensor<?x3xf32>) -> tensor<?x3xf32>
    %p = linalg.mul ins(%t, %d : tensor<?x3xf32>, tensor<?x3xf32>) outs(%er : tensor<?x3xf32>) -> tensor<?x3xf32>
    %a1 = tensor.insert_slice %t into %a[%i, 0, 0] [1, %m, 3] [1, 1, 1] : tensor<?x3xf32> into tensor<?x?x3xf32>
    %b1 = tensor.insert_slice %p into %b[%i, 0, 0] [1, %m, 3] [1, 1, 1] : tensor<?x3xf32> into tensor<?x?x3xf32>
    scf.yield %a1, %b1 : tensor<?x?x3xf32>, tensor<?x?x3xf32>
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %one) -> tensor<?x3xf32> {
    %j = arith.subi %last, %i : index
    %p = tensor.extract_slice %s#1[%j, 0, 0] [1, %m, 3] [1, 1, 1] : tensor<?x?x3xf32> to tensor<?x3xf32>
    %t = tensor.extract_slice %s#0[%j, 0, 0] [1, %m, 3] [1, 1, 1] : tensor<?x?x3xf32> to tensor<?x3xf32>
    %g = linalg.generic {indexing_maps = [#row, #row, #row, #row], iterator_types = ["parallel", "parallel"]}
        ins(%h, %t, %p : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) outs(%er : tensor<?x3xf32>) {
    ^bb0(%u: f32, %v: f32, %w: f32, %o: f32):
      %k = arith.mulf %u, %v : f32
      %l = arith.divf %k, %w : f32
      linalg.yield %l : f32
    } -> tensor<?x3xf32>
    scf.yield %g : tensor<?x3xf32>
  }
  %q = tensor.extract_slice %s#1[0, 0, 0] [1, %m, 3] [1, 1, 1] : tensor<?x?x3xf32> to tensor<?x3xf32>
  return %r, %q : tensor<?x3xf32>, tensor<?x3xf32>
}

// -----

#row = affine_map<(i, j) -> (i, j)>
#bias = affine_map<(i, j) -> (j)>

// Not computed again: a division; a row of two others; a tensor that is returned; a row at another index; and a tensor
// of which no iteration stores the last row.
// CHECK-LABEL: func @unchanged
// CHECK: scf.for {{.*}} -> (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<6x3xf32>)
func.func @unchanged(%x: tensor<5x3xf32>, %k: index) -> (tensor<3xf32>, tensor<3xf32>, tensor<5x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<5x3xf32>
  %e6 = tensor.empty() : tensor<6x3xf32>
  %er = tensor.empty() : tensor<3xf32>
  %s:7 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %e, %b = %e, %c = %e, %d = %e, %f = %e, %g = %e, %h = %e6)
      -> (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<6x3xf32>) {
    %v = tensor.extract_slice %x[%i, 0] [1, 3] [1, 1] : tensor<5x3xf32> to tensor<3xf32>
    %t = linalg.exp ins(%v : tensor<3xf32>) outs(%er : tensor<3xf32>) -> tensor<3xf32>
    %u = linalg.tanh ins(%v : tensor<3xf32>) outs(%er : tensor<3xf32>) -> tensor<3xf32>
    %q = linalg.div ins(%t, %t : tensor<3xf32>, tensor<3xf32>) outs(%er : tensor<3xf32>) -> tensor<3xf32>
    %both = linalg.mul ins(%t, %u : tensor<3xf32>, tensor<3xf32>) outs(%er : tensor<3xf32>) -> tensor<3xf32>
    %square = linalg.mul ins(%t, %t : tensor<3xf32>, tensor<3xf32>) outs(%er : tensor<3xf32>) -> tensor<3xf32>
    %twice = linalg.add ins(%t, %t : tensor<3xf32>, tensor<3xf32>) outs(%er : tensor<3xf32>) -> tensor<3xf32>
    %j = arith.subi %c4, %i : index
    %a1 = tensor.insert_slice %t into %a[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<5x3xf32>
    %b1 = tensor.insert_slice %u into %b[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<5x3xf32>
    %c1_ = tensor.insert_slice %q into %c[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<5x3xf32>
    %d1 = tensor.insert_slice %both into %d[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<5x3xf32>
    %f1 = tensor.insert_slice %square into %f[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<5x3xf32>
    %g1 = tensor.insert_slice %twice into %g[%j, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<5x3xf32>
    %h1 = tensor.insert_slice %twice into %h[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<6x3xf32>
    scf.yield %a1, %b1, %c1_, %d1, %f1, %g1, %h1 : tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<6x3xf32>
  }
  %r0 = tensor.extract_slice %s#2[%k, 0] [1, 3] [1, 1] : tensor<5x3xf32> to tensor<3xf32>
  %r1 = tensor.extract_slice %s#3[%k, 0] [1, 3] [1, 1] : tensor<5x3xf32> to tensor<3xf32>
  %r3 = tensor.extract_slice %s#5[%k, 0] [1, 3] [1, 1] : tensor<5x3xf32> to tensor<3xf32>
  %r4 = tensor.extract_slice %s#0[%k, 0] [1, 3] [1, 1] : tensor<5x3xf32> to tensor<3xf32>
  %r5 = tensor.extract_slice %s#1[%k, 0] [1, 3] [1, 1] : tensor<5x3xf32> to tensor<3xf32>
  %r6 = tensor.extract_slice %s#6[%k, 0] [1, 3] [1, 1] : tensor<6x3xf32> to tensor<3xf32>
  return %r0, %r1, %s#4, %r3, %r4, %r5, %r6 : tensor<3xf32>, tensor<3xf32>, tensor<5x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

#row = affine_map<(i, j) -> (i, j)>
#bias = affine_map<(i, j) -> (j)>

// A row and a tensor from before the loop.
// CHECK-LABEL: func @bias
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<5x2x3xf32>, %[[BIAS:[a-z0-9]+]]: tensor<3xf32>, %[[K:[a-z0-9]+]]: index
// CHECK: %[[S:.*]] = scf.for {{.*}} -> (tensor<5x2x3xf32>)
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[S]][%[[K]], 0, 0] [1, 2, 3] [1, 1, 1]
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[ROW]], %[[BIAS]]
// CHECK: return %[[ROW]], %[[P]]
func.func @bias(%x: tensor<5x2x3xf32>, %bias: tensor<3xf32>, %k: index) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<5x2x3xf32>
  %er = tensor.empty() : tensor<2x3xf32>
  %s:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %e, %b = %e) -> (tensor<5x2x3xf32>, tensor<5x2x3xf32>) {
    %v = tensor.extract_slice %x[%i, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<5x2x3xf32> to tensor<2x3xf32>
    %t = linalg.exp ins(%v : tensor<2x3xf32>) outs(%er : tensor<2x3xf32>) -> tensor<2x3xf32>
    %p = linalg.generic {indexing_maps = [#row, #bias, #row], iterator_types = ["parallel", "parallel"]}
        ins(%t, %bias : tensor<2x3xf32>, tensor<3xf32>) outs(%er : tensor<2x3xf32>) {
    ^bb0(%u: f32, %w: f32, %o: f32):
      %l = arith.addf %u, %w : f32
      linalg.yield %l : f32
    } -> tensor<2x3xf32>
    %a1 = tensor.insert_slice %t into %a[%i, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<2x3xf32> into tensor<5x2x3xf32>
    %b1 = tensor.insert_slice %p into %b[%i, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<2x3xf32> into tensor<5x2x3xf32>
    scf.yield %a1, %b1 : tensor<5x2x3xf32>, tensor<5x2x3xf32>
  }
  %q = tensor.extract_slice %s#0[%k, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<5x2x3xf32> to tensor<2x3xf32>
  %r = tensor.extract_slice %s#1[%k, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<5x2x3xf32> to tensor<2x3xf32>
  return %q, %r : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// The body reads a value of the loop.
// CHECK-LABEL: func @captured
// CHECK: scf.for {{.*}} -> (tensor<5x3xf32>, tensor<5x3xf32>)
func.func @captured(%x: tensor<5x3xf32>, %y: tensor<5xf32>, %k: index) -> (tensor<3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<5x3xf32>
  %er = tensor.empty() : tensor<3xf32>
  %s:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %e, %b = %e) -> (tensor<5x3xf32>, tensor<5x3xf32>) {
    %v = tensor.extract_slice %x[%i, 0] [1, 3] [1, 1] : tensor<5x3xf32> to tensor<3xf32>
    %w = tensor.extract %y[%i] : tensor<5xf32>
    %t = linalg.exp ins(%v : tensor<3xf32>) outs(%er : tensor<3xf32>) -> tensor<3xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%t : tensor<3xf32>) outs(%er : tensor<3xf32>) {
    ^bb0(%u: f32, %o: f32):
      %l = arith.mulf %u, %w : f32
      linalg.yield %l : f32
    } -> tensor<3xf32>
    %a1 = tensor.insert_slice %t into %a[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<5x3xf32>
    %b1 = tensor.insert_slice %p into %b[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<5x3xf32>
    scf.yield %a1, %b1 : tensor<5x3xf32>, tensor<5x3xf32>
  }
  %q = tensor.extract_slice %s#0[%k, 0] [1, 3] [1, 1] : tensor<5x3xf32> to tensor<3xf32>
  %r = tensor.extract_slice %s#1[%k, 0] [1, 3] [1, 1] : tensor<5x3xf32> to tensor<3xf32>
  return %q, %r : tensor<3xf32>, tensor<3xf32>
}
