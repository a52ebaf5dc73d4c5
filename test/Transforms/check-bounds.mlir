// RUN: rnn-opt %s --rnn-check-bounds=elements --canonicalize | FileCheck %s --check-prefixes=CHECK,ELEMENTS
// RUN: rnn-opt %s --rnn-check-bounds | FileCheck %s --check-prefix=WITHOUT

// CHECK-LABEL: func @element
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[I:.*]]: index)
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[LAST:.*]] = arith.subi %[[N]], %c1
// CHECK: rnnrt.expect_range %{{.*}}, %[[I]] in[%c0, %[[LAST]]], "'tensor.extract' op expects index 0 to be in dim 0"
// CHECK: rnnrt.expect_range %{{.*}}, %[[I]] in[%c0, %c3], "'tensor.extract' op expects index 1 to be in dim 1"
// CHECK-NEXT: tensor.extract
func.func @element(%x: tensor<?x4xf32>, %i: index) -> f32 {
  %0 = tensor.extract %x[%i, %i] : tensor<?x4xf32>
  return %0 : f32
}

// Indices of a loop over the dimension need no check. Others are compared in the loop, which calls the runtime for wrong ones only.
// CHECK-LABEL: func @loop
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK-NEXT: %[[PLACE:.*]] = tensor.extract %{{.*}}[%[[I]]]
// CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[PLACE]], %c0
// CHECK: %[[GREATER:.*]] = arith.cmpi sgt, %[[PLACE]], %[[LAST:.*]] :
// CHECK: %[[WRONG:.*]] = arith.ori %[[LESS]], %[[GREATER]]
// CHECK: scf.if %[[WRONG]] {
// CHECK-NEXT: rnnrt.expect_range %{{.*}}, %[[PLACE]] in[%c0, %[[LAST]]]
// CHECK-NEXT: }
// CHECK-NEXT: tensor.extract %{{.*}}[%[[PLACE]]]
func.func @loop(%places: tensor<?xindex>, %x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %places, %c0 : tensor<?xindex>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> f32 {
    %place = tensor.extract %places[%i] : tensor<?xindex>
    %e = tensor.extract %x[%place] : tensor<?xf32>
    %s = arith.addf %sum, %e : f32
    scf.yield %s : f32
  }
  return %0 : f32
}

// CHECK-LABEL: func @insert
// CHECK: rnnrt.expect_range %{{.*}}, %arg1 in[%c0, %{{.*}}], "'tensor.insert' op expects index 0 to be in dim 0"
func.func @insert(%x: tensor<?xf32>, %i: index, %e: f32) -> tensor<?xf32> {
  %0 = tensor.insert %e into %x[%i] : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// With stride 2, (n - offset + 1) / 2 elements are left.
// CHECK-LABEL: func @slice
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>, %[[OFFSET:.*]]: index, %[[SIZE:.*]]: index)
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK: rnnrt.expect_range %{{.*}}, %[[OFFSET]] in[%c0, %[[N]]], "'tensor.extract_slice' op expects offset 0 of the slice to be in dim 0"
// CHECK: %[[REST:.*]] = arith.subi %[[N]], %[[OFFSET]]
// CHECK: %[[UP:.*]] = arith.addi %[[REST]], %c1
// CHECK: %[[MOST:.*]] = arith.divsi %[[UP]], %c2
// CHECK: rnnrt.expect_range %{{.*}}, %[[SIZE]] in[%c0, %[[MOST]]], "'tensor.extract_slice' op expects size 0 of the slice to fit in dim 0"
// CHECK-NEXT: tensor.extract_slice
func.func @slice(%x: tensor<?x8xf32>, %offset: index, %size: index) -> tensor<?x8xf32> {
  %0 = tensor.extract_slice %x[%offset, 0] [%size, 8] [2, 1] : tensor<?x8xf32> to tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// CHECK-LABEL: func @stride
// CHECK: rnnrt.expect_range %{{.*}}, %arg1 in[%c1, %c9223372036854775807], "'tensor.extract_slice' op expects stride 0 of the slice to be positive"
// CHECK: %[[STRIDE:.*]] = arith.maxsi %arg1, %c1
// CHECK: arith.divsi %{{.*}}, %[[STRIDE]]
func.func @stride(%x: tensor<8xf32>, %stride: index) -> tensor<2xf32> {
  %0 = tensor.extract_slice %x[0] [2] [%stride] : tensor<8xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Slices that are inside of the tensor by their definition need no check.
// CHECK-LABEL: func @inside
// CHECK-NOT: rnnrt
// CHECK: return
func.func @inside(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %all = tensor.extract_slice %x[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zeros) -> tensor<4xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %next = linalg.add ins(%row, %sum : tensor<4xf32>, tensor<4xf32>) outs(%sum : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  %last = tensor.extract %sum[%c3] : tensor<4xf32>
  return %all, %sum, %last : tensor<?x4xf32>, tensor<4xf32>, f32
}

// The source has one dimension less than the slice.
// CHECK-LABEL: func @insert_slice
// CHECK-SAME: (%[[X:[a-z0-9]*]]: tensor<?xf32>, %{{.*}}: tensor<2x?xf32>, %[[SIZE:.*]]: index)
// CHECK: rnnrt.expect_range %{{.*}}, %[[SIZE]] in[%c0, %{{.*}}], "'tensor.insert_slice' op expects size 1 of the slice to fit in dim 1"
// CHECK: rnnrt.expect_equal %{{.*}}, %{{.*}}, %[[SIZE]], "'tensor.insert_slice' op expects dim 0 of its source to be size 1 of the slice"
func.func @insert_slice(%x: tensor<?xf32>, %y: tensor<2x?xf32>, %size: index) -> tensor<2x?xf32> {
  %0 = tensor.insert_slice %x into %y[1, 0] [1, %size] [1, 1] : tensor<?xf32> into tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// CHECK-LABEL: func @expand
// CHECK: %[[PRODUCT:.*]] = arith.muli %arg1, %c4
// CHECK: rnnrt.expect_equal %{{.*}}, %{{.*}}, %[[PRODUCT]], "'tensor.expand_shape' op expects dim 0 of its operand to have the elements of its result"
func.func @expand(%x: tensor<?xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// An embedding: the smallest and the largest row are compared before. Columns are indices of the loop, which are not checked.
// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[TOKENS:.*]]: tensor<?xi32>, %[[TABLE:.*]]: tensor<?x3xf32>)
// ELEMENTS: %[[EXTREMES:.*]]:2 = scf.for %[[T:.*]] = %c0 {{.*}} iter_args(%[[LEAST:.*]] = %c9223372036854775807, %[[GREATEST:.*]] = %c-1)
// ELEMENTS: %[[TOKEN:.*]] = tensor.extract %[[TOKENS]][%[[T]]]
// ELEMENTS: %[[ROW:.*]] = arith.index_cast %[[TOKEN]]
// ELEMENTS: arith.minsi %[[LEAST]], %[[ROW]]
// ELEMENTS: arith.maxsi %[[GREATEST]], %[[ROW]]
// ELEMENTS: scf.if
// ELEMENTS-NEXT: rnnrt.expect_range %{{.*}}, %{{.*}} in[%c0, %{{.*}}], "'linalg.generic' op expects the elements of operand 0, which 'tensor.extract' takes for indices, to be in dim 0"
// CHECK-NOT: rnnrt
// CHECK: return
// WITHOUT-LABEL: func @rows
// WITHOUT-NOT: rnnrt
// WITHOUT: return
func.func @rows(%tokens: tensor<?xi32>, %table: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %tokens, %c0 : tensor<?xi32>
  %empty = tensor.empty(%n) : tensor<?x3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%tokens : tensor<?xi32>) outs(%empty : tensor<?x3xf32>) {
  ^bb0(%token: i32, %out: f32):
    %column = linalg.index 1 : index
    %row = arith.index_cast %token : i32 to index
    %element = tensor.extract %table[%row, %column] : tensor<?x3xf32>
    linalg.yield %element : f32
  } -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// A clamped index is right.
// CHECK-LABEL: func @clamped
// CHECK-NOT: rnnrt
// CHECK: return
func.func @clamped(%tokens: tensor<4xindex>, %table: tensor<3xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %empty = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%tokens : tensor<4xindex>) outs(%empty : tensor<4xf32>) {
  ^bb0(%token: index, %out: f32):
    %low = arith.maxsi %token, %c0 : index
    %row = arith.minsi %low, %c2 : index
    %element = tensor.extract %table[%row] : tensor<3xf32>
    linalg.yield %element : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Parallel loops have no call.
// CHECK-LABEL: func @parallel
// CHECK-NOT: rnnrt
// CHECK: return
func.func @parallel(%x: tensor<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %e = tensor.extract %x[%i] : tensor<?xf32>
    memref.store %e, %y[%i] : memref<?xf32>
  }
  return
}
