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

// -----

#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#scalar = affine_map<(i, j) -> ()>
#matrix = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>

// A broadcast has two users, one of which reads its transpose. Both read the vector.
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$MATRIX:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @broadcast
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?xf32>, %[[B:[a-z0-9]+]]: tensor<?x?xf32>
// CHECK: linalg.generic {indexing_maps = [#[[$MATRIX]], #[[$ROW]], #[[$MATRIX]]]{{.*}} ins(%[[B]], %[[A]] :
// CHECK: linalg.generic {indexing_maps = [#[[$MATRIX]], #[[$COLUMN]], #[[$MATRIX]]]{{.*}} ins(%[[B]], %[[A]] :
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @broadcast(%a: tensor<?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = linalg.generic {indexing_maps = [#row, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#matrix, #matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%b, %0 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %2 = linalg.generic {indexing_maps = [#matrix, #transposed, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%b, %0 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %r = arith.mulf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

#column = affine_map<(i, j) -> (j)>
#row = affine_map<(i, j) -> (i)>
#matrix = affine_map<(i, j) -> (i, j)>
#scalar = affine_map<(i, j) -> ()>

// A scalar is an operand. Only the broadcast has the size of the loop j of the second sum: it remains.
// CHECK-DAG: #[[$SCALAR:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-DAG: #[[$MATRIX:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @sums
// CHECK-SAME: %[[A:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: tensor<4x5xf32>
// CHECK: %[[BROADCAST:.*]] = linalg.generic
// CHECK: linalg.generic {indexing_maps = [#[[$MATRIX]], #[[$SCALAR]], #{{.*}}], iterator_types = ["parallel", "reduction"]} ins(%[[B]], %[[A]] :
// CHECK: linalg.generic {{.*}} ins(%[[BROADCAST]] :
func.func @sums(%a: f32, %b: tensor<4x5xf32>, %o: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %empty = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.generic {indexing_maps = [#matrix], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<4x5xf32>) {
  ^bb0(%y: f32):
    linalg.yield %a : f32
  } -> tensor<4x5xf32>
  %1 = linalg.generic {indexing_maps = [#matrix, #matrix, #row], iterator_types = ["parallel", "reduction"]}
      ins(%b, %0 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %d = arith.divf %x, %y : f32
    %r = arith.addf %z, %d : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#matrix, #row], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<4x5xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%x: f32, %z: f32):
    %r = arith.addf %z, %x : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#matrix = affine_map<(i, j) -> (i, j)>

// Each quotient is needed for all columns. Conversions are fused: GEMMs of two types are loops in any case.
// CHECK-LABEL: func @operands
// CHECK: linalg.generic
// CHECK: arith.divf
// CHECK: linalg.generic
// CHECK: ^bb0(%[[A:[a-z0-9_]+]]: f32, %[[B:[a-z0-9_]+]]: bf16, %[[SUM:[a-z0-9_]+]]: f32)
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[B]]
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[A]], %[[WIDE]]
// CHECK-NEXT: arith.addf %[[SUM]], %[[PRODUCT]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @operands(%a: tensor<4x5xf32>, %s: tensor<4x5xf32>, %b: tensor<5x6xbf16>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e0 = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.generic {indexing_maps = [#matrix, #matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%a, %s : tensor<4x5xf32>, tensor<4x5xf32>) outs(%e0 : tensor<4x5xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %r = arith.divf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<4x5xf32>
  %e1 = tensor.empty() : tensor<5x6xf32>
  %1 = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<5x6xbf16>) outs(%e1 : tensor<5x6xf32>) {
  ^bb0(%x: bf16, %o: f32):
    %r = arith.extf %x : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<5x6xf32>
  %2 = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%0, %1 : tensor<4x5xf32>, tensor<5x6xf32>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// -----

#vector = affine_map<(i) -> (i)>
#column = affine_map<(i, j) -> (j)>
#matrix = affine_map<(i, j) -> (i, j)>

// A function of each column is not repeated for each row; an addition is.
// CHECK-LABEL: func @columns
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK: math.rsqrt
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK: arith.addf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @columns(%x: tensor<4x5xf32>, %v: tensor<5xf32>, %w: tensor<5xf32>) -> tensor<4x5xf32> {
  %e0 = tensor.empty() : tensor<5xf32>
  %0 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%v : tensor<5xf32>) outs(%e0 : tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%w : tensor<5xf32>) outs(%e0 : tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %e1 = tensor.empty() : tensor<4x5xf32>
  %2 = linalg.generic {indexing_maps = [#matrix, #column, #column, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0, %1 : tensor<4x5xf32>, tensor<5xf32>, tensor<5xf32>) outs(%e1 : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.mulf %p, %c : f32
    linalg.yield %r : f32
  } -> tensor<4x5xf32>
  return %2 : tensor<4x5xf32>
}

// -----

// An op before a loop is not fused into it.
// CHECK-LABEL: func @invariant
// CHECK: arith.mulf
// CHECK: scf.for
// CHECK: arith.addf
// CHECK-NEXT: arith.negf
#vector = affine_map<(d0) -> (d0)>
func.func @invariant(%w: tensor<5xf32>, %x: tensor<5xf32>, %n: index) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<5xf32>
  %0 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%w : tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<5xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> tensor<5xf32> {
    %1 = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]}
        ins(%0, %c : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<5xf32>
    %2 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
        ins(%1 : tensor<5xf32>) outs(%e : tensor<5xf32>) {
    ^bb0(%a: f32, %o: f32):
      %g = arith.negf %a : f32
      linalg.yield %g : f32
    } -> tensor<5xf32>
    scf.yield %2 : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}
