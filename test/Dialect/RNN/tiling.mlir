// Tiles of the batch by upstream's transform ops.
// RUN: rnn-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %layers = transform.structured.match ops{["rnn.block_lstm", "rnn.block_lstm_grad"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %tiles, %loops = transform.structured.tile_using_forall %layers tile_sizes [3]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }

  // The last tile is smaller.
  // CHECK-LABEL: func.func @uneven(
  // CHECK-SAME: %[[X:.*]]: tensor<5x8x3xf32>, %[[C:.*]]: tensor<8x4xf32>, %[[W:.*]]: tensor<7x16xf32>
  // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<5x8x4xf32>
  // CHECK: %[[Y:.*]] = scf.forall (%{{.*}}) in (3) shared_outs(%{{.*}} = %[[EMPTY]])
  // CHECK-DAG: %[[ROWS:.*]] = affine.min
  // CHECK-DAG: %[[ROW:.*]] = affine.apply
  // CHECK-DAG: %[[XT:.*]] = tensor.extract_slice %[[X]][0, %[[ROW]], 0] [5, %[[ROWS]], 3] [1, 1, 1]
  // CHECK-DAG: %[[CT:.*]] = tensor.extract_slice %[[C]][%[[ROW]], 0] [%[[ROWS]], 4] [1, 1]
  // CHECK: %{{.*}} = rnn.block_lstm icfo x(%[[XT]] : tensor<5x?x3xf32>) state(%[[CT]], %[[CT]] : tensor<?x4xf32>) weights(%[[W]] : tensor<7x16xf32>)
  // CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[0, %[[ROW]], 0] [5, %[[ROWS]], 4] [1, 1, 1]
  // CHECK: return %[[Y]] :
  func.func @uneven(%x: tensor<5x8x3xf32>, %c: tensor<8x4xf32>, %w: tensor<7x16xf32>, %wc: tensor<4xf32>,
                    %b: tensor<16xf32>, %steps: i64, %m: tensor<5x8xi1>) -> tensor<5x8x4xf32> {
    %i, %cs, %f, %o, %ci, %co, %y = rnn.block_lstm icfo x(%x : tensor<5x8x3xf32>) state(%c, %c : tensor<8x4xf32>)
        weights(%w : tensor<7x16xf32>) peephole(%wc, %wc, %wc : tensor<4xf32>) bias(%b : tensor<16xf32>)
        seq_len_max(%steps) resets(%m : tensor<5x8xi1>)
    return %y : tensor<5x8x4xf32>
  }

  // CHECK-LABEL: func.func @block(
  // CHECK: scf.forall {{.*}} in (2)
  // CHECK: rnn.block_lstm ifco x(%{{.*}} : tensor<3x5x3xf32>) state(%{{.*}}, %{{.*}} : tensor<3x4xf32>)
  // CHECK-SAME: batch_major
  // CHECK: scf.forall {{.*}} in (2)
  // CHECK: rnn.block_lstm_grad ifco x(%{{.*}} : tensor<3x5x3xf32>)
  // CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%{{.*}}, 0, 0] [3, 5, 3] [1, 1, 1]
  // CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%{{.*}}, 0] [3, 4] [1, 1]
  func.func @block(%x: tensor<6x5x3xf32>, %c: tensor<6x4xf32>, %w: tensor<7x16xf32>, %wc: tensor<4xf32>, %b: tensor<16xf32>,
                   %g: tensor<6x5x4xf32>) -> (tensor<6x5x3xf32>, tensor<6x4xf32>) {
    %i, %cs, %f, %o, %ci, %co, %y = rnn.block_lstm ifco x(%x : tensor<6x5x3xf32>) state(%c, %c : tensor<6x4xf32>)
        weights(%w : tensor<7x16xf32>) peephole(%wc, %wc, %wc : tensor<4xf32>) bias(%b : tensor<16xf32>) {batch_major}
    %dx, %dcp, %dhp, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad ifco x(%x : tensor<6x5x3xf32>)
        state(%c, %c : tensor<6x4xf32>) weights(%w : tensor<7x16xf32>) peephole(%wc, %wc, %wc : tensor<4xf32>)
        bias(%b : tensor<16xf32>) saved(%i, %cs, %f, %o, %ci, %co, %y : tensor<6x5x4xf32>)
        grads(%g, %g : tensor<6x5x4xf32>) {batch_major}
    return %dx, %dcp : tensor<6x5x3xf32>, tensor<6x4xf32>
  }
}
