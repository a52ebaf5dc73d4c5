// Sizes in tensors, and broadcasts of operands whose sizes may be 1.
// RUN: rnn-opt %s --pass-pipeline='builtin.module(func.func(rnn-fold-shapes))' --split-input-file | FileCheck %s

// The shape of a broadcast as StableHLO computes it: a concatenation of the size and of a number, converted to 32 bits.
// CHECK-LABEL: func @shape
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK-NOT: linalg.generic
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK-NOT: linalg.generic
// CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x64xf32>
// CHECK: return %[[E]]
#id = affine_map<(d) -> (d)>
func.func @shape(%x: tensor<?x4xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : i32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %n32 = arith.index_cast %n : index to i32
  %scalar = tensor.from_elements %n32 : tensor<i32>
  %size = tensor.expand_shape %scalar [] output_shape [1] : tensor<i32> into tensor<1xi32>
  %e = tensor.empty() : tensor<2xi32>
  %both = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<2xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %first = arith.cmpi ult, %i, %c1 : index
    %v = scf.if %first -> i32 {
      %s = tensor.extract %size[%i] : tensor<1xi32>
      scf.yield %s : i32
    } else {
      scf.yield %c64 : i32
    }
    linalg.yield %v : i32
  } -> tensor<2xi32>
  %slice = tensor.extract_slice %both[0] [1] [1] : tensor<2xi32> to tensor<1xi32>
  %e1 = tensor.empty() : tensor<1xi32>
  %zero = arith.constant 0 : i32
  %zeros = linalg.fill ins(%zero : i32) outs(%e1 : tensor<1xi32>) -> tensor<1xi32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%slice, %zeros : tensor<1xi32>, tensor<1xi32>) outs(%e1 : tensor<1xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %s = arith.addi %a, %b : i32
    linalg.yield %s : i32
  } -> tensor<1xi32>
  %m32 = tensor.extract %sum[%c0] : tensor<1xi32>
  %m = arith.index_cast %m32 : i32 to index
  %r = tensor.empty(%m) : tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// -----

// An index in a branch that is taken or not at run time.
// CHECK-LABEL: func @branch
// CHECK-SAME: %[[FLAG:[a-z0-9]+]]: i1
// CHECK-NOT: linalg
// CHECK: %[[R:.*]] = scf.if %[[FLAG]] -> (i32) {
// CHECK: scf.yield %c1_i32
// CHECK: } else {
// CHECK: scf.yield %c7_i32
// CHECK: return %[[R]]
func.func @branch(%flag: i1, %x: tensor<?xf32>) -> (i32, tensor<?xf32>) {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %e = tensor.empty() : tensor<2xi32>
  %v = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%e : tensor<2xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %r = scf.if %flag -> i32 {
      %n = arith.index_cast %i : index to i32
      scf.yield %n : i32
    } else {
      scf.yield %c7 : i32
    }
    linalg.yield %r : i32
  } -> tensor<2xi32>
  %r = tensor.extract %v[%c1] : tensor<2xi32>
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?xf32>
  %y = tensor.empty(%n) : tensor<?xf32>
  return %r, %y : i32, tensor<?xf32>
}

// -----

// Elements that stay: of a sum, of floating-point numbers, of a large tensor, and at an index of run time.
// CHECK-LABEL: func @stay
// CHECK-COUNT-4: tensor.extract
func.func @stay(%x: tensor<?xf32>, %y: tensor<4xi32>, %z: tensor<64xi32>, %f: tensor<4xf32>, %k: index, %m: index) -> (i32, f32, i32, i32, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<i32>
  %zero = arith.constant 0 : i32
  %fill = linalg.fill ins(%zero : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %sum = linalg.reduce {arith.addi} ins(%y : tensor<4xi32>) outs(%fill : tensor<i32>) dimensions = [0]
  %a = tensor.extract %sum[] : tensor<i32>
  %ef = tensor.empty() : tensor<4xf32>
  %g = linalg.exp ins(%f : tensor<4xf32>) outs(%ef : tensor<4xf32>) -> tensor<4xf32>
  %b = tensor.extract %g[%c0] : tensor<4xf32>
  %el = tensor.empty() : tensor<64xi32>
  %h = linalg.add ins(%z, %z : tensor<64xi32>, tensor<64xi32>) outs(%el : tensor<64xi32>) -> tensor<64xi32>
  %c = tensor.extract %h[%c0] : tensor<64xi32>
  %e4 = tensor.empty() : tensor<4xi32>
  %i = linalg.add ins(%y, %y : tensor<4xi32>, tensor<4xi32>) outs(%e4 : tensor<4xi32>) -> tensor<4xi32>
  %d = tensor.extract %i[%k] : tensor<4xi32>
  %dynamic = tensor.empty(%m) : tensor<?xf32>
  return %a, %b, %c, %d, %dynamic : i32, f32, i32, i32, tensor<?xf32>
}

// -----

// CHECK-LABEL: func @reshapes
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x?x16xf32>, %[[S:[a-z0-9]+]]: tensor<2xi32>, %[[T:[a-z0-9]+]]: tensor<4xi32>, %[[Y:[a-z0-9]+]]: tensor<?x?xf32>
// CHECK-DAG: %[[A:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<1x?x16xf32> into tensor<?x16xf32>
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c1
// CHECK-DAG: %[[B:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1], [2, 3]] output_shape [1, %[[N]], 4, 4] : tensor<1x?x16xf32> into tensor<1x?x4x4xf32>
// Two sizes that are not known, and a size that the reshape multiplies.
// CHECK-DAG: %[[C:.*]] = tensor.reshape %[[Y]]
// CHECK-DAG: %[[D:.*]] = tensor.reshape %[[X]]
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @reshapes(%x: tensor<1x?x16xf32>, %s: tensor<2xi32>, %t: tensor<4xi32>, %y: tensor<?x?xf32>) -> (tensor<?x16xf32>, tensor<1x?x4x4xf32>, tensor<1x?x?x1xf32>, tensor<?x4xf32>) {
  %a = tensor.reshape %x(%s) : (tensor<1x?x16xf32>, tensor<2xi32>) -> tensor<?x16xf32>
  %b = tensor.reshape %x(%t) : (tensor<1x?x16xf32>, tensor<4xi32>) -> tensor<1x?x4x4xf32>
  %c = tensor.reshape %y(%t) : (tensor<?x?xf32>, tensor<4xi32>) -> tensor<1x?x?x1xf32>
  %d = tensor.reshape %x(%s) : (tensor<1x?x16xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return %a, %b, %c, %d : tensor<?x16xf32>, tensor<1x?x4x4xf32>, tensor<1x?x?x1xf32>, tensor<?x4xf32>
}

// -----

// A cell with an unknown batch: the state keeps its size, which is that of the inputs. Its broadcast becomes an operand, and the offset
// of a slice, limited to what remains of the dimension, is 0.
// CHECK-LABEL: func @cell
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<9x?x4xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c1
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[H:.*]] = %
// CHECK-NOT: tensor.dim
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[X]][%[[I]], 0, 0] [1, %[[N]], 4] [1, 1, 1]
// CHECK-NOT: linalg.generic
// CHECK: linalg.add ins(%[[ROW]], %[[H]] :
// CHECK: return
func.func @cell(%x: tensor<9x?x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %n = tensor.dim %x, %c1 : tensor<9x?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %h0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%h = %h0) -> tensor<?x4xf32> {
    %m = tensor.dim %h, %c0 : tensor<?x4xf32>
    %left = arith.subi %n, %m : index
    %low = arith.minsi %left, %c0 : index
    %at = arith.maxsi %low, %c0 : index
    %row = tensor.extract_slice %x[%i, %at, 0] [1, %m, 4] [1, 1, 1] : tensor<9x?x4xf32> to tensor<?x4xf32>
    %k = tensor.dim %row, %c0 : tensor<?x4xf32>
    %isOne = arith.cmpi eq, %m, %c1 : index
    %size = arith.select %isOne, %k, %m : index
    %f = tensor.empty(%size) : tensor<?x4xf32>
    %wide = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%f : tensor<?x4xf32>) {
    ^bb0(%o: f32):
      %d0 = linalg.index 0 : index
      %d1 = linalg.index 1 : index
      %j = arith.select %isOne, %c0, %d0 : index
      %v = tensor.extract %h[%j, %d1] : tensor<?x4xf32>
      linalg.yield %v : f32
    } -> tensor<?x4xf32>
    %s = linalg.add ins(%row, %wide : tensor<?x4xf32>, tensor<?x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %s : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// A tensor that grows has another size in each iteration. A broadcast of a size that may be 1 stays.
// CHECK-LABEL: func @grows
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?xf32>, %[[Y:[a-z0-9]+]]: tensor<?xf32>
// CHECK: scf.for {{.*}} iter_args(%[[A:[a-z0-9]+]] = %[[X]],
// CHECK: %[[M:.*]] = tensor.dim %[[A]], %c0
// CHECK: tensor.pad %[[A]]
// CHECK: linalg.generic
// CHECK: arith.select
// CHECK: tensor.extract %[[Y]]
func.func @grows(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (index, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %s = %c0) -> (tensor<?xf32>, index) {
    %m = tensor.dim %a, %c0 : tensor<?xf32>
    %sum = arith.addi %s, %m : index
    %b = tensor.pad %a low[0] high[1] {
    ^bb0(%k: index):
      tensor.yield %zero : f32
    } : tensor<?xf32> to tensor<?xf32>
    scf.yield %b, %sum : tensor<?xf32>, index
  }
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %k = tensor.dim %y, %c0 : tensor<?xf32>
  %isOne = arith.cmpi eq, %k, %c1 : index
  %f = tensor.empty(%n) : tensor<?xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%f : tensor<?xf32>) {
  ^bb0(%o: f32):
    %d0 = linalg.index 0 : index
    %j = arith.select %isOne, %c0, %d0 : index
    %v = tensor.extract %y[%j] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r#1, %wide : index, tensor<?xf32>
}
