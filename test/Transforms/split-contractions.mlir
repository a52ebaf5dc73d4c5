// Products of parts of tensors.
// RUN: rnn-opt %s --rnn-split-contractions --split-input-file | FileCheck %s

// The product of the inputs is separate from that of the state. Neighbors of one kind stay together.
// CHECK-LABEL: func @cell
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<9x2x3xf32>, %[[Y:[a-z0-9]+]]: tensor<2x1xf32>, %[[W:[a-z0-9]+]]: tensor<9x4xf32>
// CHECK: scf.for {{.*}} iter_args(%[[H:.*]] = %
// CHECK-DAG: %[[ROW:.*]] = tensor.extract_slice %[[X]]
// CHECK-DAG: %[[I0:.*]] = tensor.insert_slice %[[ROW]] into %{{.*}}[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x4xf32>
// CHECK-DAG: %[[I1:.*]] = tensor.insert_slice %[[Y]] into %[[I0]][0, 3] [2, 1] [1, 1] : tensor<2x1xf32> into tensor<2x4xf32>
// CHECK-DAG: %[[WX:.*]] = tensor.extract_slice %[[W]][0, 0] [4, 4] [1, 1]
// CHECK: %[[P0:.*]] = linalg.generic {{.*}} ins(%[[I1]], %[[WX]] : tensor<2x4xf32>, tensor<4x4xf32>)
// CHECK: %[[WH:.*]] = tensor.extract_slice %[[W]][4, 0] [4, 4] [1, 1]
// CHECK: %[[P1:.*]] = linalg.generic {{.*}} ins(%[[H]], %[[WH]] : tensor<2x4xf32>, tensor<4x4xf32>)
// CHECK: %[[S:.*]] = linalg.add ins(%[[P0]], %[[P1]]
// CHECK: %[[WY:.*]] = tensor.extract_slice %[[W]][8, 0] [1, 4] [1, 1]
// CHECK: %[[P2:.*]] = linalg.generic {{.*}} ins(%[[Y]], %[[WY]] : tensor<2x1xf32>, tensor<1x4xf32>)
// CHECK: linalg.add ins(%[[S]], %[[P2]]
func.func @cell(%x: tensor<9x2x3xf32>, %y: tensor<2x1xf32>, %w: tensor<9x4xf32>, %h: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<2x4xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %h) -> tensor<2x4xf32> {
    %row = tensor.extract_slice %x[%i, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<9x2x3xf32> to tensor<2x3xf32>
    %xh = tensor.concat dim(1) %row, %y, %a, %y : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x9xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    %p = linalg.matmul ins(%xh, %w : tensor<2x9xf32>, tensor<9x4xf32>) outs(%z : tensor<2x4xf32>) -> tensor<2x4xf32>
    %t = linalg.tanh ins(%p : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    scf.yield %t : tensor<2x4xf32>
  }
  return %r : tensor<2x4xf32>
}

// -----

// Insertions into an empty tensor, in any order, on the right of the product. Weights are transposed.
// CHECK-LABEL: func @right
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x2xf32>, %[[W:[a-z0-9]+]]: tensor<4x7xf32>
// CHECK: scf.for {{.*}} iter_args(%[[H:.*]] = %
// CHECK: %[[WH:.*]] = tensor.extract_slice %[[W]][0, 0] [4, 4] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[WH]], %[[H]] : tensor<4x4xf32>, tensor<4x2xf32>)
// CHECK: %[[WX:.*]] = tensor.extract_slice %[[W]][0, 4] [4, 3] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[WX]], %[[X]] : tensor<4x3xf32>, tensor<3x2xf32>)
func.func @right(%x: tensor<3x2xf32>, %w: tensor<4x7xf32>, %h: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<4x2xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %h) -> tensor<4x2xf32> {
    %f = tensor.empty() : tensor<7x2xf32>
    %f0 = tensor.insert_slice %x into %f[4, 0] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<7x2xf32>
    %f1 = tensor.insert_slice %a into %f0[0, 0] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<7x2xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
    %p = linalg.matmul ins(%w, %f1 : tensor<4x7xf32>, tensor<7x2xf32>) outs(%z : tensor<4x2xf32>) -> tensor<4x2xf32>
    scf.yield %p : tensor<4x2xf32>
  }
  return %r : tensor<4x2xf32>
}

// -----

// Not split: tensors of the loop only; an element that is not inserted; a product that adds to another tensor; rows
// beside each other, which are no sum.
// CHECK-LABEL: func @unchanged
// CHECK-COUNT-4: linalg.matmul
// CHECK-NOT: linalg.generic
func.func @unchanged(%x: tensor<2x3xf32>, %w: tensor<7x4xf32>, %v: tensor<4x4xf32>, %h: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<2x4xf32>
  %e4 = tensor.empty() : tensor<4x4xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %r:4 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %h, %b = %h, %c = %h, %d = %z4) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>) {
    %part = tensor.extract_slice %b[0, 0] [2, 3] [1, 1] : tensor<2x4xf32> to tensor<2x3xf32>
    %ab = tensor.concat dim(1) %part, %a : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %p = linalg.matmul ins(%ab, %w : tensor<2x7xf32>, tensor<7x4xf32>) outs(%z : tensor<2x4xf32>) -> tensor<2x4xf32>
    %f = tensor.empty() : tensor<2x7xf32>
    %f0 = tensor.insert_slice %part into %f[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x7xf32>
    %f1 = tensor.insert_slice %x into %f0[0, 4] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x7xf32>
    %q = linalg.matmul ins(%f1, %w : tensor<2x7xf32>, tensor<7x4xf32>) outs(%z : tensor<2x4xf32>) -> tensor<2x4xf32>
    %xb = tensor.concat dim(1) %x, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %s = linalg.matmul ins(%xb, %w : tensor<2x7xf32>, tensor<7x4xf32>) outs(%c : tensor<2x4xf32>) -> tensor<2x4xf32>
    %hb = tensor.concat dim(0) %h, %b : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %t = linalg.matmul ins(%hb, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z4 : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %p, %q, %s, %t : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>
}

// -----

// The gradient of such a cell: the state's part is computed for the loop, and the inputs' part, which the loop only stores,
// by another op.
// CHECK-LABEL: func @gradient
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4x7xf32>
// CHECK: scf.for {{.*}} iter_args(%[[D:.*]] = %{{.*}}, %[[ALL:.*]] = %
// CHECK-DAG: %[[WH:.*]] = tensor.extract_slice %[[W]][0, 3] [4, 4] [1, 1]
// CHECK-DAG: %[[DH:.*]] = linalg.generic {{.*}} ins(%[[D]], %[[WH]] : tensor<2x4xf32>, tensor<4x4xf32>) outs(%{{.*}} : tensor<2x4xf32>)
// CHECK-DAG: %[[WX:.*]] = tensor.extract_slice %[[W]][0, 0] [4, 3] [1, 1]
// CHECK-DAG: %[[DX:.*]] = linalg.generic {{.*}} ins(%[[D]], %[[WX]] : tensor<2x4xf32>, tensor<4x3xf32>) outs(%{{.*}} : tensor<2x3xf32>)
// CHECK: %[[STORED:.*]] = tensor.insert_slice %[[DX]] into %[[ALL]]
// CHECK: scf.yield %[[DH]], %[[STORED]]
func.func @gradient(%w: tensor<4x7xf32>, %d: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<9x2x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %all = tensor.empty() : tensor<9x2x3xf32>
  %e = tensor.empty() : tensor<2x7xf32>
  %r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %d, %b = %all) -> (tensor<2x4xf32>, tensor<9x2x3xf32>) {
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x7xf32>) -> tensor<2x7xf32>
    %p = linalg.matmul ins(%a, %w : tensor<2x4xf32>, tensor<4x7xf32>) outs(%z : tensor<2x7xf32>) -> tensor<2x7xf32>
    %dx = tensor.extract_slice %p[0, 0] [2, 3] [1, 1] : tensor<2x7xf32> to tensor<2x3xf32>
    %dh = tensor.extract_slice %p[0, 3] [2, 4] [1, 1] : tensor<2x7xf32> to tensor<2x4xf32>
    %stored = tensor.insert_slice %dx into %b[%i, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<2x3xf32> into tensor<9x2x3xf32>
    scf.yield %dh, %stored : tensor<2x4xf32>, tensor<9x2x3xf32>
  }
  return %r#0, %r#1 : tensor<2x4xf32>, tensor<9x2x3xf32>
}

// -----

// The batch is not known. Its size is that of all pieces, and of slices of the result.
// CHECK-LABEL: func @batch
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<9x?x3xf32>, %[[W:[a-z0-9]+]]: tensor<7x4xf32>, %[[V:[a-z0-9]+]]: tensor<4x7xf32>, %[[N:[a-z0-9]+]]: index
// CHECK: scf.for {{.*}} iter_args(%[[H:.*]] = %
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[X]]
// CHECK-DAG: %[[WX:.*]] = tensor.extract_slice %[[W]][0, 0] [3, 4] [1, 1]
// CHECK-DAG: linalg.generic {{.*}} ins(%[[ROW]], %[[WX]] : tensor<?x3xf32>, tensor<3x4xf32>)
// CHECK-DAG: %[[WH:.*]] = tensor.extract_slice %[[W]][3, 0] [4, 4] [1, 1]
// CHECK-DAG: linalg.generic {{.*}} ins(%[[H]], %[[WH]] : tensor<?x4xf32>, tensor<4x4xf32>)
// CHECK: %[[S:.*]] = linalg.add
// CHECK: %[[VH:.*]] = tensor.extract_slice %[[V]][0, 3] [4, 4] [1, 1]
// CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x4xf32>
// CHECK: %[[Z:.*]] = linalg.fill {{.*}} outs(%[[E]]
// CHECK: linalg.generic {{.*}} ins(%[[S]], %[[VH]] : tensor<?x4xf32>, tensor<4x4xf32>) outs(%[[Z]]
func.func @batch(%x: tensor<9x?x3xf32>, %w: tensor<7x4xf32>, %v: tensor<4x7xf32>, %n: index) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %h = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %h) -> tensor<?x4xf32> {
    %row = tensor.extract_slice %x[%i, 0, 0] [1, %n, 3] [1, 1, 1] : tensor<9x?x3xf32> to tensor<?x3xf32>
    %f = tensor.empty(%n) : tensor<?x7xf32>
    %f0 = tensor.insert_slice %row into %f[0, 0] [%n, 3] [1, 1] : tensor<?x3xf32> into tensor<?x7xf32>
    %f1 = tensor.insert_slice %a into %f0[0, 3] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x7xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    %p = linalg.matmul ins(%f1, %w : tensor<?x7xf32>, tensor<7x4xf32>) outs(%z : tensor<?x4xf32>) -> tensor<?x4xf32>
    %z7 = linalg.fill ins(%zero : f32) outs(%f : tensor<?x7xf32>) -> tensor<?x7xf32>
    %q = linalg.matmul ins(%p, %v : tensor<?x4xf32>, tensor<4x7xf32>) outs(%z7 : tensor<?x7xf32>) -> tensor<?x7xf32>
    %s = tensor.extract_slice %q[0, 3] [%n, 4] [1, 1] : tensor<?x7xf32> to tensor<?x4xf32>
    scf.yield %s : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// A size that may be another one than that of the whole dimension.
// CHECK-LABEL: func @other
// CHECK: linalg.matmul {{.*}} outs(%{{.*}} : tensor<?x8xf32>)
func.func @other(%x: tensor<?x3xf32>, %w: tensor<3x8xf32>, %n: index) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x8xf32>) outs(%z : tensor<?x8xf32>) -> tensor<?x8xf32>
  %s = tensor.extract_slice %p[0, 0] [%n, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// The last step of a dense layer: slices reach the product through the bias. The slice drops a dimension.
// CHECK-LABEL: func @last
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x9x3xf32>, %[[W:[a-z0-9]+]]: tensor<3x4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[LAST:.*]] = tensor.extract_slice %[[X]][0, 8, 0] [2, 1, 3] [1, 1, 1] : tensor<2x9x3xf32> to tensor<2x1x3xf32>
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[LAST]], %[[W]] : {{.*}}) outs(%{{.*}} : tensor<2x1x4xf32>)
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[B]] : {{.*}}) outs(%{{.*}} : tensor<2x1x4xf32>)
// CHECK: tensor.extract_slice %[[S]][0, 0, 0] [2, 1, 4] [1, 1, 1] : tensor<2x1x4xf32> to tensor<2x4xf32>
#x = affine_map<(b, t, h, i) -> (b, t, i)>
#w = affine_map<(b, t, h, i) -> (i, h)>
#y = affine_map<(b, t, h, i) -> (b, t, h)>
#p = affine_map<(b, t, h) -> (b, t, h)>
#bias = affine_map<(b, t, h) -> (h)>
func.func @last(%x: tensor<2x9x3xf32>, %w: tensor<3x4xf32>, %bias: tensor<4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x9x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  %p = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x9x3xf32>, tensor<3x4xf32>) outs(%z : tensor<2x9x4xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x9x4xf32>
  %s = linalg.generic {indexing_maps = [#p, #bias, #p], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %bias : tensor<2x9x4xf32>, tensor<4xf32>) outs(%e : tensor<2x9x4xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %a = arith.addf %l, %r : f32
    linalg.yield %a : f32
  } -> tensor<2x9x4xf32>
  %y = tensor.extract_slice %s[0, 8, 0] [2, 1, 4] [1, 1, 1] : tensor<2x9x4xf32> to tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// Not narrowed: slices that have everything; a slice in a loop, which would repeat the product; another use; a step.
// CHECK-LABEL: func @whole
// CHECK-COUNT-4: linalg.matmul {{.*}} outs(%{{.*}} : tensor<2x8xf32>)
// CHECK-NOT: linalg.matmul
func.func @whole(%x: tensor<2x3xf32>, %w: tensor<3x8xf32>, %y: tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x8xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<2x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x8xf32>) outs(%y : tensor<2x8xf32>) -> tensor<2x8xf32>
  %p0 = tensor.extract_slice %p[0, 0] [2, 4] [1, 1] : tensor<2x8xf32> to tensor<2x4xf32>
  %p1 = tensor.extract_slice %p[0, 4] [2, 4] [1, 1] : tensor<2x8xf32> to tensor<2x4xf32>
  %a = linalg.mul ins(%p0, %p1 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %q = linalg.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x8xf32>) outs(%y : tensor<2x8xf32>) -> tensor<2x8xf32>
  %b = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %a) -> tensor<2x4xf32> {
    %q0 = tensor.extract_slice %q[0, 0] [2, 4] [1, 1] : tensor<2x8xf32> to tensor<2x4xf32>
    %t = linalg.mul ins(%s, %q0 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    scf.yield %t : tensor<2x4xf32>
  }
  %u = linalg.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x8xf32>) outs(%y : tensor<2x8xf32>) -> tensor<2x8xf32>
  %u0 = tensor.extract_slice %u[0, 0] [2, 4] [1, 1] : tensor<2x8xf32> to tensor<2x4xf32>
  %v = linalg.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x8xf32>) outs(%y : tensor<2x8xf32>) -> tensor<2x8xf32>
  %v0 = tensor.extract_slice %v[0, 0] [2, 4] [1, 2] : tensor<2x8xf32> to tensor<2x4xf32>
  return %b, %u, %u0, %v0 : tensor<2x4xf32>, tensor<2x8xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// Each gate of a sum is a sum of its own, which reads a part of the bias, and not of its broadcast.
// CHECK-LABEL: func @gates
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x8xf32>, %[[BIAS:[a-z0-9]+]]: tensor<8xf32>
// CHECK-DAG: %[[X0:.*]] = tensor.extract_slice %[[X]][0, 0] [2, 4] [1, 1]
// CHECK-DAG: %[[B0:.*]] = tensor.extract_slice %[[BIAS]][0] [4] [1]
// CHECK-DAG: %[[X1:.*]] = tensor.extract_slice %[[X]][0, 4] [2, 4] [1, 1]
// CHECK-DAG: %[[B1:.*]] = tensor.extract_slice %[[BIAS]][4] [4] [1]
// CHECK-DAG: %[[G0:.*]] = linalg.generic {{.*}} ins(%[[X0]], %[[B0]] : tensor<2x4xf32>, tensor<4xf32>)
// CHECK-DAG: %[[G1:.*]] = linalg.generic {{.*}} ins(%[[X1]], %[[B1]] : tensor<2x4xf32>, tensor<4xf32>)
// CHECK-DAG: %[[R0:.*]] = linalg.tanh ins(%[[G0]]
// CHECK-DAG: %[[R1:.*]] = linalg.exp ins(%[[G1]]
// CHECK-DAG: %[[R2:.*]] = linalg.abs ins(%[[G1]]
// CHECK: return %[[R0]], %[[R1]], %[[R2]]
func.func @gates(%x: tensor<2x8xf32>, %bias: tensor<8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %e = tensor.empty() : tensor<2x8xf32>
  %er = tensor.empty() : tensor<2x4xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%bias : tensor<8xf32>) outs(%e : tensor<2x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    linalg.yield %u : f32
  } -> tensor<2x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %all : tensor<2x8xf32>, tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %w = arith.addf %u, %v : f32
    linalg.yield %w : f32
  } -> tensor<2x8xf32>
  %g0 = tensor.extract_slice %s[0, 0] [2, 4] [1, 1] : tensor<2x8xf32> to tensor<2x4xf32>
  %g1 = tensor.extract_slice %s[0, 4] [2, 4] [1, 1] : tensor<2x8xf32> to tensor<2x4xf32>
  %g2 = tensor.extract_slice %s[0, 4] [2, 4] [1, 1] : tensor<2x8xf32> to tensor<2x4xf32>
  %r0 = linalg.tanh ins(%g0 : tensor<2x4xf32>) outs(%er : tensor<2x4xf32>) -> tensor<2x4xf32>
  %r1 = linalg.exp ins(%g1 : tensor<2x4xf32>) outs(%er : tensor<2x4xf32>) -> tensor<2x4xf32>
  %r2 = linalg.abs ins(%g2 : tensor<2x4xf32>) outs(%er : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %r0, %r1, %r2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// Slices that overlap have one op.
// CHECK-LABEL: func @overlap
// CHECK: linalg.exp ins(%{{.*}} : tensor<2x8xf32>)
// CHECK-NOT: linalg.exp
func.func @overlap(%x: tensor<2x8xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>) {
  %e = tensor.empty() : tensor<2x8xf32>
  %s = linalg.exp ins(%x : tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
  %g0 = tensor.extract_slice %s[0, 0] [2, 5] [1, 1] : tensor<2x8xf32> to tensor<2x5xf32>
  %g1 = tensor.extract_slice %s[0, 3] [2, 5] [1, 1] : tensor<2x8xf32> to tensor<2x5xf32>
  return %g0, %g1 : tensor<2x5xf32>, tensor<2x5xf32>
}
