// Products of all iterations at once.
// RUN: rnn-opt %s --rnn-drop-unit-dims --rnn-distribute-loops --split-input-file | FileCheck %s

// The products of the inputs, before the loop. The index is clamped, as importers do.
// CHECK-DAG: #[[$LEFT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[$RIGHT:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
// CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func @inputs
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<9x2x3xf32>, %[[W:[a-z0-9]+]]: tensor<3x4xf32>, %[[H:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<9x2x4xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[EMPTY]]
// CHECK: %[[ALL:.*]] = linalg.generic {indexing_maps = [#[[$LEFT]], #[[$RIGHT]], #[[$OUT]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[X]], %[[W]] : {{.*}} outs(%[[ZEROS]]
// CHECK: scf.for
// CHECK: %[[AT:.*]] = arith.minsi
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[ALL]][%[[AT]], 0, 0] [1, 2, 4] [1, 1, 1] : tensor<9x2x4xf32> to tensor<2x4xf32>
// CHECK: linalg.add ins(%{{.*}}, %[[ROW]] :
func.func @inputs(%x: tensor<9x2x3xf32>, %w: tensor<3x4xf32>, %h: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %first = arith.constant 0 : index
  %last = arith.constant 8 : index
  %e = tensor.empty() : tensor<2x4xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %h) -> tensor<2x4xf32> : i32 {
    %k = arith.index_cast %i : i32 to index
    %m = arith.maxsi %k, %first : index
    %at = arith.minsi %m, %last : index
    %slice = tensor.extract_slice %x[%at, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<9x2x3xf32> to tensor<1x2x3xf32>
    %row = tensor.collapse_shape %slice [[0, 1], [2]] : tensor<1x2x3xf32> into tensor<2x3xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    %p = linalg.matmul ins(%row, %w : tensor<2x3xf32>, tensor<3x4xf32>) outs(%z : tensor<2x4xf32>) -> tensor<2x4xf32>
    %s = linalg.add ins(%a, %p : tensor<2x4xf32>, tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    %t = linalg.tanh ins(%s : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    scf.yield %t : tensor<2x4xf32>
  }
  return %r : tensor<2x4xf32>
}

// -----

// Rows 1 to 8 of nine, from the last one to the first.
// CHECK-LABEL: func @backwards
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<9x2x3xf32>
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[X]][1, 0, 0] [8, 2, 3] [1, 1, 1]
// CHECK: %[[ALL:.*]] = linalg.generic {{.*}} ins(%[[ROWS]],
// CHECK: scf.for
// CHECK: %[[AT:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK: %[[FROM0:.*]] = arith.subi %[[AT]], %{{.*}} : index
// CHECK: tensor.extract_slice %[[ALL]][%[[FROM0]], 0, 0] [1, 2, 4]
func.func @backwards(%x: tensor<9x2x3xf32>, %w: tensor<3x4xf32>, %h: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<2x4xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %h) -> tensor<2x4xf32> {
    %at = arith.subi %c8, %i : index
    %row = tensor.extract_slice %x[%at, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<9x2x3xf32> to tensor<2x3xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    %p = linalg.matmul ins(%row, %w : tensor<2x3xf32>, tensor<3x4xf32>) outs(%z : tensor<2x4xf32>) -> tensor<2x4xf32>
    %s = linalg.add ins(%a, %p : tensor<2x4xf32>, tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    scf.yield %s : tensor<2x4xf32>
  }
  return %r : tensor<2x4xf32>
}

// -----

// The gradient of a cell, which visits the steps from the last one to the first: it stores the gradients of its gates in the
// order of the steps, and the gradients of the weights and of the inputs are two products after it. The sum starts from the
// carried value, and the tensor of the inputs' gradients is not carried anymore.
// CHECK-DAG: #[[$ROWS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>
// CHECK-DAG: #[[$COLUMNS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[$SUM:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2)>
// CHECK-LABEL: func @gradients
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<9x2x8xf32>, %[[W:[a-z0-9]+]]: tensor<5x8xf32>, %[[DH:[a-z0-9]+]]: tensor<2x5xf32>, %[[DW:[a-z0-9]+]]: tensor<8x5xf32>
// CHECK: %[[STORED:.*]] = tensor.empty() : tensor<9x2x5xf32>
// CHECK: %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[H:.*]] = %[[DH]], %[[ALL:.*]] = %[[STORED]])
// CHECK: %[[D:.*]] = linalg.tanh
// CHECK-NOT: linalg.generic
// CHECK: %[[AT:.*]] = arith.subi %{{.*}}, %[[I]]
// CHECK: %[[NEW:.*]] = tensor.insert_slice %[[D]] into %[[ALL]][%[[AT]], 0, 0] [1, 2, 5] [1, 1, 1]
// CHECK: scf.yield %[[D]], %[[NEW]]
// CHECK: %[[WEIGHTS:.*]] = linalg.generic {indexing_maps = [#[[$ROWS]], #[[$COLUMNS]], #[[$SUM]]], iterator_types = ["reduction", "parallel", "parallel", "reduction"]} ins(%[[X]], %[[LOOP]]#1 : {{.*}} outs(%[[DW]]
// CHECK: %[[INPUTS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[LOOP]]#1, %[[W]] : {{.*}} outs(%{{.*}} : tensor<9x2x8xf32>
// CHECK: return %[[WEIGHTS]], %[[INPUTS]], %[[LOOP]]#0
func.func @gradients(%x: tensor<9x2x8xf32>, %w: tensor<5x8xf32>, %dh: tensor<2x5xf32>, %dw: tensor<8x5xf32>)
    -> (tensor<8x5xf32>, tensor<9x2x8xf32>, tensor<2x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %zeros = arith.constant dense<0.0> : tensor<9x2x8xf32>
  %r:3 = scf.for %i = %c0 to %c9 step %c1 iter_args(%h = %dh, %sum = %dw, %dx = %zeros)
      -> (tensor<2x5xf32>, tensor<8x5xf32>, tensor<9x2x8xf32>) {
    %at = arith.subi %c8, %i : index
    %row = tensor.extract_slice %x[%at, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<9x2x8xf32> to tensor<2x8xf32>
    %e = tensor.empty() : tensor<2x5xf32>
    %d = linalg.tanh ins(%h : tensor<2x5xf32>) outs(%e : tensor<2x5xf32>) -> tensor<2x5xf32>
    %e0 = tensor.empty() : tensor<8x5xf32>
    %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x5xf32>) -> tensor<8x5xf32>
    %p0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                          iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%row, %d : tensor<2x8xf32>, tensor<2x5xf32>) outs(%z0 : tensor<8x5xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    } -> tensor<8x5xf32>
    %new = linalg.add ins(%sum, %p0 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%e0 : tensor<8x5xf32>) -> tensor<8x5xf32>
    %e1 = tensor.empty() : tensor<2x8xf32>
    %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x8xf32>) -> tensor<2x8xf32>
    %p1 = linalg.matmul ins(%d, %w : tensor<2x5xf32>, tensor<5x8xf32>) outs(%z1 : tensor<2x8xf32>) -> tensor<2x8xf32>
    %e2 = tensor.empty() : tensor<1x2x8xf32>
    %p2 = linalg.broadcast ins(%p1 : tensor<2x8xf32>) outs(%e2 : tensor<1x2x8xf32>) dimensions = [0]
    %next = tensor.insert_slice %p2 into %dx[%at, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<1x2x8xf32> into tensor<9x2x8xf32>
    scf.yield %d, %new, %next : tensor<2x5xf32>, tensor<8x5xf32>, tensor<9x2x8xf32>
  }
  return %r#1, %r#2, %r#0 : tensor<8x5xf32>, tensor<9x2x8xf32>, tensor<2x5xf32>
}

// -----

// The same with an unknown number of iterations: that of the rows. Programs limit each index to them.
// CHECK-LABEL: func @unknown_gradients
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x2x8xf32>, %[[W:[a-z0-9]+]]: tensor<5x8xf32>, %[[DH:[a-z0-9]+]]: tensor<2x5xf32>, %[[DW:[a-z0-9]+]]: tensor<8x5xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK: %[[STORED:.*]] = tensor.empty(%{{.*}}) : tensor<?x2x5xf32>
// CHECK: %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[H:.*]] = %[[DH]], %[[ALL:.*]] = %[[STORED]])
// CHECK: %[[D:.*]] = linalg.tanh
// CHECK-NOT: linalg.generic
// CHECK: %[[K:.*]] = arith.index_cast %[[I]]
// CHECK: %[[AT:.*]] = arith.subi %[[LAST]], %[[K]]
// CHECK: %[[NEW:.*]] = tensor.insert_slice %[[D]] into %[[ALL]][%[[AT]], 0, 0] [1, 2, 5] [1, 1, 1]
// CHECK: scf.yield %[[D]], %[[NEW]]
// CHECK: %[[WEIGHTS:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "parallel", "reduction"]} ins(%[[X]], %[[LOOP]]#1 : {{.*}} outs(%[[DW]]
// CHECK: %[[INPUTS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[LOOP]]#1, %[[W]] : {{.*}} outs(%{{.*}} : tensor<?x2x8xf32>
// CHECK: return %[[WEIGHTS]], %[[INPUTS]], %[[LOOP]]#0
func.func @unknown_gradients(%x: tensor<?x2x8xf32>, %w: tensor<5x8xf32>, %dh: tensor<2x5xf32>, %dw: tensor<8x5xf32>)
    -> (tensor<8x5xf32>, tensor<?x2x8xf32>, tensor<2x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = tensor.dim %x, %c0 : tensor<?x2x8xf32>
  %n32 = arith.index_cast %n : index to i32
  %last = arith.subi %n32, %one : i32
  %empty = tensor.empty(%n) : tensor<?x2x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  %r:3 = scf.for %i = %first to %n32 step %one iter_args(%h = %dh, %sum = %dw, %dx = %zeros)
      -> (tensor<2x5xf32>, tensor<8x5xf32>, tensor<?x2x8xf32>) : i32 {
    %back = arith.subi %last, %i : i32
    %isNegative = arith.cmpi slt, %back, %first : i32
    %wrapped = arith.addi %back, %n32 : i32
    %normal = arith.select %isNegative, %wrapped, %back : i32
    %clamped = arith.maxsi %normal, %first : i32
    %at32 = arith.minsi %clamped, %last : i32
    %at = arith.index_cast %at32 : i32 to index
    %row = tensor.extract_slice %x[%at, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<?x2x8xf32> to tensor<2x8xf32>
    %e = tensor.empty() : tensor<2x5xf32>
    %d = linalg.tanh ins(%h : tensor<2x5xf32>) outs(%e : tensor<2x5xf32>) -> tensor<2x5xf32>
    %e0 = tensor.empty() : tensor<8x5xf32>
    %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x5xf32>) -> tensor<8x5xf32>
    %p0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                          iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%row, %d : tensor<2x8xf32>, tensor<2x5xf32>) outs(%z0 : tensor<8x5xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    } -> tensor<8x5xf32>
    %new = linalg.add ins(%sum, %p0 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%e0 : tensor<8x5xf32>) -> tensor<8x5xf32>
    %e1 = tensor.empty() : tensor<2x8xf32>
    %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x8xf32>) -> tensor<2x8xf32>
    %p1 = linalg.matmul ins(%d, %w : tensor<2x5xf32>, tensor<5x8xf32>) outs(%z1 : tensor<2x8xf32>) -> tensor<2x8xf32>
    %e2 = tensor.empty() : tensor<1x2x8xf32>
    %p2 = linalg.broadcast ins(%p1 : tensor<2x8xf32>) outs(%e2 : tensor<1x2x8xf32>) dimensions = [0]
    %next = tensor.insert_slice %p2 into %dx[%at, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<1x2x8xf32> into tensor<?x2x8xf32>
    scf.yield %d, %new, %next : tensor<2x5xf32>, tensor<8x5xf32>, tensor<?x2x8xf32>
  }
  return %r#1, %r#2, %r#0 : tensor<8x5xf32>, tensor<?x2x8xf32>, tensor<2x5xf32>
}

// -----

// The number of iterations is no size: it may be negative, or other than that of the rows.
// CHECK-LABEL: func @number
// CHECK: scf.for
// CHECK: linalg.matmul
// CHECK: scf.yield
func.func @number(%n: index, %x: tensor<2x8xf32>, %sum: tensor<2x5xf32>, %w: tensor<8x5xf32>) -> (tensor<2x8xf32>, tensor<2x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %sum) -> (tensor<2x8xf32>, tensor<2x5xf32>) {
    %e = tensor.empty() : tensor<2x8xf32>
    %d = linalg.tanh ins(%a : tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
    %f = tensor.empty() : tensor<2x5xf32>
    %z = linalg.fill ins(%zero : f32) outs(%f : tensor<2x5xf32>) -> tensor<2x5xf32>
    %p = linalg.matmul ins(%d, %w : tensor<2x8xf32>, tensor<8x5xf32>) outs(%z : tensor<2x5xf32>) -> tensor<2x5xf32>
    %s = linalg.add ins(%b, %p : tensor<2x5xf32>, tensor<2x5xf32>) outs(%f : tensor<2x5xf32>) -> tensor<2x5xf32>
    scf.yield %d, %s : tensor<2x8xf32>, tensor<2x5xf32>
  }
  return %r#0, %r#1 : tensor<2x8xf32>, tensor<2x5xf32>
}

// -----

// Of the tensors that are added to one sum, the products leave the loop, in any order of additions. The gradient of a bias is the
// sum of a tensor that is stored for the gradient of the weights, but another sum of elements stays.
// CHECK-LABEL: func @addends
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<9x3x8xf32>, %[[DW:[a-z0-9]+]]: tensor<8x5xf32>, %[[DB:[a-z0-9]+]]: tensor<5xf32>
// CHECK: %[[LOOP:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}}, %[[W:.*]] = %[[DW]], %[[E:.*]] = %[[DB]], %{{.*}} = %{{.*}}) ->
// CHECK: %[[EXP:.*]] = linalg.exp
// CHECK: linalg.add ins(%[[W]], %[[EXP]]
// CHECK: linalg.reduce
// CHECK: scf.yield
// CHECK: %[[P:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "parallel", "reduction"]} ins(%[[X]], %[[LOOP]]#3 : {{.*}}) outs(%[[LOOP]]#1
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "parallel", "reduction"]} ins(%[[X]], %[[LOOP]]#3 : {{.*}}) outs(%[[P]]
// CHECK: %[[B:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "reduction", "parallel"]} ins(%[[LOOP]]#3 : {{.*}}) outs(%[[DB]]
// CHECK: return %[[Q]], %[[B]], %[[LOOP]]#2
#left = affine_map<(i, j, k) -> (k, i)>
#right = affine_map<(i, j, k) -> (k, j)>
#out = affine_map<(i, j, k) -> (i, j)>
func.func @addends(%x: tensor<9x3x8xf32>, %dw: tensor<8x5xf32>, %db: tensor<5xf32>, %dh: tensor<3x5xf32>)
    -> (tensor<8x5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<3x5xf32>
  %e0 = tensor.empty() : tensor<8x5xf32>
  %e1 = tensor.empty() : tensor<5xf32>
  %r:4 = scf.for %i = %c0 to %c9 step %c1 iter_args(%h = %dh, %w = %dw, %b = %db, %b2 = %db)
      -> (tensor<3x5xf32>, tensor<8x5xf32>, tensor<5xf32>, tensor<5xf32>) {
    %at = arith.subi %c8, %i : index
    %row = tensor.extract_slice %x[%at, 0, 0] [1, 3, 8] [1, 1, 1] : tensor<9x3x8xf32> to tensor<3x8xf32>
    %d = linalg.tanh ins(%h : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x5xf32>) -> tensor<8x5xf32>
    %p = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%row, %d : tensor<3x8xf32>, tensor<3x5xf32>) outs(%z : tensor<8x5xf32>) {
    ^bb0(%l: f32, %m: f32, %o: f32):
      %n = arith.mulf %l, %m : f32
      %s = arith.addf %o, %n : f32
      linalg.yield %s : f32
    } -> tensor<8x5xf32>
    %q = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%row, %d : tensor<3x8xf32>, tensor<3x5xf32>) outs(%z : tensor<8x5xf32>) {
    ^bb0(%l: f32, %m: f32, %o: f32):
      %n = arith.mulf %l, %m : f32
      %s = arith.addf %o, %n : f32
      linalg.yield %s : f32
    } -> tensor<8x5xf32>
    %exp = linalg.exp ins(%dw : tensor<8x5xf32>) outs(%e0 : tensor<8x5xf32>) -> tensor<8x5xf32>
    %w0 = linalg.add ins(%p, %w : tensor<8x5xf32>, tensor<8x5xf32>) outs(%e0 : tensor<8x5xf32>) -> tensor<8x5xf32>
    %w1 = linalg.add ins(%w0, %exp : tensor<8x5xf32>, tensor<8x5xf32>) outs(%e0 : tensor<8x5xf32>) -> tensor<8x5xf32>
    %w2 = linalg.add ins(%w1, %q : tensor<8x5xf32>, tensor<8x5xf32>) outs(%e0 : tensor<8x5xf32>) -> tensor<8x5xf32>
    %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<5xf32>) -> tensor<5xf32>
    %s0 = linalg.reduce {arith.addf} ins(%d : tensor<3x5xf32>) outs(%z1 : tensor<5xf32>) dimensions = [0]
    %v0 = linalg.add ins(%b, %s0 : tensor<5xf32>, tensor<5xf32>) outs(%e1 : tensor<5xf32>) -> tensor<5xf32>
    %g = linalg.sqrt ins(%d : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
    %s1 = linalg.reduce {arith.addf} ins(%g : tensor<3x5xf32>) outs(%z1 : tensor<5xf32>) dimensions = [0]
    %v1 = linalg.add ins(%b2, %s1 : tensor<5xf32>, tensor<5xf32>) outs(%e1 : tensor<5xf32>) -> tensor<5xf32>
    scf.yield %d, %w2, %v0, %v1 : tensor<3x5xf32>, tensor<8x5xf32>, tensor<5xf32>, tensor<5xf32>
  }
  return %r#1, %r#2, %r#3 : tensor<8x5xf32>, tensor<5xf32>, tensor<5xf32>
}

// -----

// The batch is not known at compile time: 16 examples are assumed, and tensors have its size.
// CHECK-LABEL: func @batch
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<9x?x32xf32>, %[[W:[a-z0-9]+]]: tensor<32x4xf32>, %[[DW:[a-z0-9]+]]: tensor<32x4xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c1
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<9x?x4xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[E]]
// CHECK: %[[ALL:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[W]] : {{.*}}) outs(%[[ZEROS]]
// CHECK: %[[STACK:.*]] = tensor.empty(%{{.*}}) : tensor<9x?x4xf32>
// CHECK: %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[H:.*]] = %{{.*}}, %[[ROWS:.*]] = %[[STACK]]) ->
// CHECK: tensor.extract_slice %[[ALL]][%[[I]], 0, 0] [1, %{{.*}}, 4] [1, 1, 1] : tensor<9x?x4xf32> to tensor<?x4xf32>
// CHECK: %[[T:.*]] = linalg.tanh
// CHECK: tensor.insert_slice %[[T]] into %[[ROWS]][%{{.*}}, 0, 0] [1, %{{.*}}, 4] [1, 1, 1] : tensor<?x4xf32> into tensor<9x?x4xf32>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[LOOP]]#1 : tensor<9x?x32xf32>, tensor<9x?x4xf32>) outs(%[[DW]]
func.func @batch(%x: tensor<9x?x32xf32>, %w: tensor<32x4xf32>, %dw: tensor<32x4xf32>) -> (tensor<?x4xf32>, tensor<32x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %n = tensor.dim %x, %c1 : tensor<9x?x32xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %h = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %e0 = tensor.empty() : tensor<32x4xf32>
  %r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %h, %s = %dw) -> (tensor<?x4xf32>, tensor<32x4xf32>) {
    %row = tensor.extract_slice %x[%i, 0, 0] [1, %n, 32] [1, 1, 1] : tensor<9x?x32xf32> to tensor<?x32xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    %p = linalg.matmul ins(%row, %w : tensor<?x32xf32>, tensor<32x4xf32>) outs(%z : tensor<?x4xf32>) -> tensor<?x4xf32>
    %b = linalg.add ins(%a, %p : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    %t = linalg.tanh ins(%b : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x4xf32>) -> tensor<32x4xf32>
    %q = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%row, %t : tensor<?x32xf32>, tensor<?x4xf32>) outs(%z0 : tensor<32x4xf32>) {
    ^bb0(%l: f32, %m: f32, %o: f32):
      %k = arith.mulf %l, %m : f32
      %v = arith.addf %o, %k : f32
      linalg.yield %v : f32
    } -> tensor<32x4xf32>
    %u = linalg.add ins(%s, %q : tensor<32x4xf32>, tensor<32x4xf32>) outs(%e0 : tensor<32x4xf32>) -> tensor<32x4xf32>
    scf.yield %t, %u : tensor<?x4xf32>, tensor<32x4xf32>
  }
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<32x4xf32>
}

// -----

// The number of steps is that of the rows, and not known. The index is limited to the rows. A product of two rows in different orders
// stays, and so does that of rows of a tensor that has another size, perhaps.
// CHECK-LABEL: func @steps
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x2x8xf32>, %[[Y:[a-z0-9]+]]: tensor<?x2x8xf32>, %[[W:[a-z0-9]+]]: tensor<8x4xf32>
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?x2x4xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[E]]
// CHECK: %[[ALL:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[X]], %[[W]] : {{.*}}) outs(%[[ZEROS]]
// CHECK: scf.for
// CHECK: %[[AT:.*]] = arith.minsi
// CHECK: tensor.extract_slice %[[ALL]][%[[AT]], 0, 0] [1, 2, 4] [1, 1, 1] : tensor<?x2x4xf32> to tensor<2x4xf32>
// CHECK: linalg.matmul
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x8xf32>, tensor<2x8xf32>)
// CHECK: scf.yield
func.func @steps(%x: tensor<?x2x8xf32>, %y: tensor<?x2x8xf32>, %w: tensor<8x4xf32>, %h: tensor<2x4xf32>, %g: tensor<2x2xf32>) -> (tensor<2x4xf32>, tensor<2x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = tensor.dim %x, %c0 : tensor<?x2x8xf32>
  %n32 = arith.index_cast %n : index to i32
  %last = arith.subi %n, %c1 : index
  %e = tensor.empty() : tensor<2x4xf32>
  %e2 = tensor.empty() : tensor<2x2xf32>
  %r:2 = scf.for %i = %first to %n32 step %one iter_args(%a = %h, %b = %g) -> (tensor<2x4xf32>, tensor<2x2xf32>) : i32 {
    %k = arith.index_cast %i : i32 to index
    %at = arith.minsi %k, %last : index
    %row = tensor.extract_slice %x[%at, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<?x2x8xf32> to tensor<2x8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    %p = linalg.matmul ins(%row, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%z : tensor<2x4xf32>) -> tensor<2x4xf32>
    %other = tensor.extract_slice %y[%k, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<?x2x8xf32> to tensor<2x8xf32>
    %q = linalg.matmul ins(%other, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%z : tensor<2x4xf32>) -> tensor<2x4xf32>
    %back = arith.subi %last, %k : index
    %reverse = tensor.extract_slice %x[%back, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<?x2x8xf32> to tensor<2x8xf32>
    %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x2xf32>) -> tensor<2x2xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%row, %reverse : tensor<2x8xf32>, tensor<2x8xf32>) outs(%z2 : tensor<2x2xf32>) {
    ^bb0(%l: f32, %m: f32, %o: f32):
      %c = arith.mulf %l, %m : f32
      %v = arith.addf %o, %c : f32
      linalg.yield %v : f32
    } -> tensor<2x2xf32>
    %s = linalg.add ins(%p, %q : tensor<2x4xf32>, tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    %t = linalg.mul ins(%a, %s : tensor<2x4xf32>, tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    %u = linalg.mul ins(%b, %d : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e2 : tensor<2x2xf32>) -> tensor<2x2xf32>
    scf.yield %t, %u : tensor<2x4xf32>, tensor<2x2xf32>
  }
  return %r#0, %r#1 : tensor<2x4xf32>, tensor<2x2xf32>
}

// -----

// Each iteration writes one row: the zeros are not needed. The other tensor keeps a row of them.
// CHECK-LABEL: func @rows
// CHECK-SAME: %[[H:[a-z0-9]+]]: tensor<4xf32>, %[[Z:[a-z0-9]+]]: tensor<9x4xf32>, %[[MORE:[a-z0-9]+]]: tensor<10x4xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<9x4xf32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[H]], %{{.*}} = %[[EMPTY]], %{{.*}} = %[[MORE]])
func.func @rows(%h: tensor<4xf32>, %zeros: tensor<9x4xf32>, %more: tensor<10x4xf32>) -> (tensor<9x4xf32>, tensor<10x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r:3 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %h, %b = %zeros, %c = %more)
      -> (tensor<4xf32>, tensor<9x4xf32>, tensor<10x4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %t = linalg.tanh ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %n = tensor.insert_slice %t into %b[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<9x4xf32>
    %m = tensor.insert_slice %t into %c[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<10x4xf32>
    scf.yield %t, %n, %m : tensor<4xf32>, tensor<9x4xf32>, tensor<10x4xf32>
  }
  return %r#1, %r#2 : tensor<9x4xf32>, tensor<10x4xf32>
}

// -----

// Sizes of 32 bits.
// CHECK-LABEL: func @bits
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32
// CHECK: linalg.fill
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[N]]
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[SIZE]]) : tensor<9x?xf32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[EMPTY]])
func.func @bits(%n: i32, %h: tensor<?xf32>) -> tensor<9x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %size = arith.index_cast %n : i32 to index
  %e = tensor.empty(%size) : tensor<?xf32>
  %first = linalg.exp ins(%h : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %again = arith.index_cast %n : i32 to index
  %f = tensor.empty(%again) : tensor<9x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%f : tensor<9x?xf32>) -> tensor<9x?xf32>
  %r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %first, %b = %zeros) -> (tensor<?xf32>, tensor<9x?xf32>) {
    %t = linalg.tanh ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %m = tensor.insert_slice %t into %b[%i, 0] [1, %size] [1, 1] : tensor<?xf32> into tensor<9x?xf32>
    scf.yield %t, %m : tensor<?xf32>, tensor<9x?xf32>
  }
  return %r#1 : tensor<9x?xf32>
}

// -----

// These stay: a product of a row with an index of run time, one that is larger than the weights, sums of which the loop reads the
// value, and a loop with an unknown number of iterations.
// CHECK-LABEL: func @stay
// CHECK: scf.for
// CHECK-COUNT-3: linalg.matmul
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: linalg.matmul
// CHECK: scf.yield
// CHECK-NOT: linalg.generic
func.func @stay(%x: tensor<9x6x3xf32>, %w: tensor<3x4xf32>, %h: tensor<6x4xf32>, %k: index, %n: index, %v: tensor<3x400xf32>)
    -> (tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x400xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<6x4xf32>
  %f = tensor.empty() : tensor<6x400xf32>
  %l = linalg.fill ins(%zero : f32) outs(%f : tensor<6x400xf32>) -> tensor<6x400xf32>
  %r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %h, %b = %l) -> (tensor<6x4xf32>, tensor<6x400xf32>) {
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
    %row = tensor.extract_slice %x[%k, 0, 0] [1, 6, 3] [1, 1, 1] : tensor<9x6x3xf32> to tensor<6x3xf32>
    %p = linalg.matmul ins(%row, %w : tensor<6x3xf32>, tensor<3x4xf32>) outs(%z : tensor<6x4xf32>) -> tensor<6x4xf32>
    %s = linalg.add ins(%a, %p : tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
    %row1 = tensor.extract_slice %x[%i, 0, 0] [1, 6, 3] [1, 1, 1] : tensor<9x6x3xf32> to tensor<6x3xf32>
    %p1 = linalg.matmul ins(%row1, %w : tensor<6x3xf32>, tensor<3x4xf32>) outs(%z : tensor<6x4xf32>) -> tensor<6x4xf32>
    %s1 = linalg.add ins(%s, %p1 : tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
    %row2 = tensor.extract_slice %x[%i, 0, 0] [1, 6, 3] [1, 1, 1] : tensor<9x6x3xf32> to tensor<6x3xf32>
    %z2 = linalg.fill ins(%zero : f32) outs(%f : tensor<6x400xf32>) -> tensor<6x400xf32>
    %p2 = linalg.matmul ins(%row2, %v : tensor<6x3xf32>, tensor<3x400xf32>) outs(%z2 : tensor<6x400xf32>) -> tensor<6x400xf32>
    %s2 = linalg.add ins(%b, %p2 : tensor<6x400xf32>, tensor<6x400xf32>) outs(%f : tensor<6x400xf32>) -> tensor<6x400xf32>
    %t2 = linalg.tanh ins(%s2 : tensor<6x400xf32>) outs(%f : tensor<6x400xf32>) -> tensor<6x400xf32>
    %t1 = linalg.tanh ins(%s1 : tensor<6x4xf32>) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
    scf.yield %t1, %t2 : tensor<6x4xf32>, tensor<6x400xf32>
  }
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%a = %h) -> tensor<6x4xf32> {
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
    %row = tensor.extract_slice %x[%i, 0, 0] [1, 6, 3] [1, 1, 1] : tensor<9x6x3xf32> to tensor<6x3xf32>
    %p = linalg.matmul ins(%row, %w : tensor<6x3xf32>, tensor<3x4xf32>) outs(%z : tensor<6x4xf32>) -> tensor<6x4xf32>
    %s = linalg.add ins(%a, %p : tensor<6x4xf32>, tensor<6x4xf32>) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
    scf.yield %s : tensor<6x4xf32>
  }
  return %r#0, %q, %r#1 : tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x400xf32>
}

// -----

// A tensor that grows in the loop keeps its dynamic size.
// CHECK-LABEL: func @grows
// CHECK: %[[FIRST:.*]] = tensor.cast %{{.*}} : tensor<0xf32> to tensor<?xf32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]]) -> (tensor<?xf32>)
func.func @grows(%x: tensor<0xf32>, %y: tensor<1xf32>) -> tensor<0xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %first = tensor.cast %x : tensor<0xf32> to tensor<?xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %first) -> tensor<?xf32> {
    %n = tensor.concat dim(0) %s, %y : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    scf.yield %n : tensor<?xf32>
  }
  %c = tensor.cast %r : tensor<?xf32> to tensor<0xf32>
  return %c : tensor<0xf32>
}
