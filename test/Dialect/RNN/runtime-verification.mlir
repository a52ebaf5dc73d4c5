// Upstream's generate-runtime-verification asserts what the types leave open, in both forms.
// RUN: rnn-opt %s --generate-runtime-verification=verbose-level=0 --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @block(
// CHECK-SAME: %[[STEPS:.*]]: i64, %[[X:.*]]: tensor<?x?x3xf32>, %[[C:.*]]: tensor<?x?xf32>
func.func @block(%steps: i64, %x: tensor<?x?x3xf32>, %c: tensor<?x?xf32>, %w: tensor<?x16xf32>, %wc: tensor<?xf32>,
                 %b: tensor<16xf32>, %m: tensor<?x?xi1>) -> tensor<?x?x4xf32> {
  // CHECK-DAG: %[[T:.*]] = tensor.dim %[[X]], %c0
  // CHECK-DAG: %[[B:.*]] = tensor.dim %[[X]], %c1
  // CHECK: %[[ROWS:.*]] = tensor.dim %[[C]], %c0
  // CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[ROWS]], %[[B]] : index
  // CHECK: cf.assert %[[SAME]], "{{.*}}expects dim 0 of `cs_prev` to be B [B4]
  // CHECK: cf.assert %{{.*}}, "{{.*}}expects dim 0 of `w` to be I + H [B5]
  // CHECK: cf.assert %{{.*}}, "{{.*}}expects dim 0 of `wco` to be H [B6]
  // CHECK: cf.assert %{{.*}}, "{{.*}}expects dim 1 of `resets` to be B [B12]
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[STEPS]] : i64 to index
  // CHECK: %[[LESS:.*]] = arith.cmpi ule, %[[INDEX]], %[[T]] : index
  // CHECK: cf.assert %[[LESS]], "{{.*}}expects `seq_len_max` to be in [0, T] [B7]
  // CHECK: rnn.block_lstm
  %i, %cs, %f, %o, %ci, %co, %y = rnn.block_lstm ifco x(%x : tensor<?x?x3xf32>) state(%c, %c : tensor<?x?xf32>)
      weights(%w : tensor<?x16xf32>) peephole(%wc, %wc, %wc : tensor<?xf32>) bias(%b : tensor<16xf32>)
      seq_len_max(%steps) resets(%m : tensor<?x?xi1>)
  return %y : tensor<?x?x4xf32>
}

// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %[[X:.*]]: memref<?x?x?xf32>, %[[H:.*]]: memref<?x?x?xf32>, %[[P:.*]]: memref<?xf32>, %[[N:.*]]: memref<?xi32>, %[[Y:.*]]: memref<?x?x?xf32>)
func.func @layer(%x: memref<?x?x?xf32>, %h: memref<?x?x?xf32>, %p: memref<?xf32>, %n: memref<?xi32>,
                 %y: memref<?x?x?xf32>) {
  // CHECK: cf.assert %{{.*}}, "{{.*}}expects T (the steps, dim 0 of `input`) to be at least 1 [C3]
  // CHECK: cf.assert %{{.*}}, "{{.*}}expects dim 0 of `input_h` to be a multiple of 2 (L, the layers, times 2) [C4]
  // CHECK: cf.assert %{{.*}}, "{{.*}}expects dim 0 of `sequence_lengths` to be B [C11]
  // CHECK: cf.assert %{{.*}}, "{{.*}}expects dim 2 of `outs` of `output` to be 2*H [C12]
  // CHECK: %[[COUNT:.*]] = rnn.cudnn_params_size gru, bidirectional
  // CHECK: %[[SIZE:.*]] = memref.dim %[[P]], %c0
  // CHECK: %[[ENOUGH:.*]] = arith.cmpi sge, %[[SIZE]], %[[COUNT]] : index
  // CHECK: cf.assert %[[ENOUGH]], "{{.*}}expects `params` to have the elements of all matrices and biases [C7]
  // CHECK: scf.for %[[ROW:.*]] =
  // CHECK: memref.load %[[N]][%[[ROW]]]
  // CHECK: cf.assert %{{.*}}, "{{.*}}expects the elements of `sequence_lengths` to be in [0, T] [C11]
  // CHECK: rnn.cudnn_forward
  rnn.cudnn_forward gru, bidirectional input(%x : memref<?x?x?xf32>) state(%h : memref<?x?x?xf32>)
      params(%p : memref<?xf32>) lengths(%n : memref<?xi32>) outs(output = %y : memref<?x?x?xf32>)
  return
}

// Nothing is left open.
// CHECK-LABEL: func.func @static(
// CHECK-NOT: cf.assert
func.func @static(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<108xf32>) -> tensor<5x2x4xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<108xf32>)
  return %y : tensor<5x2x4xf32>
}
