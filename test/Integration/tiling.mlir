// Tiles of the batch, the last one smaller, compared with the whole batch.
// REQUIRES: jit, rnn-run
// DEFINE: %{inputs} = --input=random:1 --input=random:2 --input=random:3 --input=random:4 --input=random:5 --input=random:6
// DEFINE: %{whole} = sed -e 's/attributes {transform.with_named_sequence}//' -e '/^  transform.named_sequence/,/^  }/d'
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %{whole} %s > whole.mlir
// RUN: rnn-opt %s --transform-interpreter | %{whole} > tiled.mlir
// RUN: FileCheck %s < tiled.mlir
// RUN: rnn-run whole.mlir %{inputs} --output=@y.npy --output=@dx.npy --output=@dc.npy
// RUN: rnn-run tiled.mlir %{inputs} --expected-output=@y.npy --expected-output=@dx.npy --expected-output=@dc.npy --atol=1e-6 --rtol=1e-5

// CHECK-COUNT-2: scf.for
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %layers = transform.structured.match ops{["rnn.block_lstm", "rnn.block_lstm_grad"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %tiles, %loops = transform.structured.tile_using_for %layers tile_sizes [3]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }

  func.func @main(%x: tensor<4x7x3xf32>, %c: tensor<7x5xf32>, %w: tensor<8x20xf32>, %wc: tensor<5xf32>, %b: tensor<20xf32>,
                  %g: tensor<4x7x5xf32>) -> (tensor<4x7x5xf32>, tensor<4x7x3xf32>, tensor<7x5xf32>) {
    %i, %cs, %f, %o, %ci, %co, %y = rnn.block_lstm ifco x(%x : tensor<4x7x3xf32>) state(%c, %c : tensor<7x5xf32>)
        weights(%w : tensor<8x20xf32>) peephole(%wc, %wc, %wc : tensor<5xf32>) bias(%b : tensor<20xf32>) {use_peephole}
    %dx, %dcp, %dhp, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad ifco x(%x : tensor<4x7x3xf32>)
        state(%c, %c : tensor<7x5xf32>) weights(%w : tensor<8x20xf32>) peephole(%wc, %wc, %wc : tensor<5xf32>)
        bias(%b : tensor<20xf32>) saved(%i, %cs, %f, %o, %ci, %co, %y : tensor<4x7x5xf32>)
        grads(%g, %g : tensor<4x7x5xf32>) {use_peephole}
    return %y, %dx, %dcp : tensor<4x7x5xf32>, tensor<4x7x3xf32>, tensor<7x5xf32>
  }
}
