// A layer of which a sum over the batch is used (%dw) has no loop to tile.
// RUN: rnn-opt %s --transform-interpreter --verify-diagnostics

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %layers = transform.structured.match ops{["rnn.block_lstm_grad"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@below {{too many tiles provided, expected at most 0 found 1}}
    %tiles, %loops = transform.structured.tile_using_for %layers tile_sizes [2]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }

  func.func @gradient(%x: tensor<5x6x3xf32>, %c: tensor<6x4xf32>, %w: tensor<7x16xf32>, %wc: tensor<4xf32>, %b: tensor<16xf32>,
                      %g: tensor<5x6x4xf32>) -> (tensor<5x6x3xf32>, tensor<7x16xf32>) {
    // expected-note@below {{target op}}
    %dx, %dcp, %dhp, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad ifco x(%x : tensor<5x6x3xf32>)
        state(%c, %c : tensor<6x4xf32>) weights(%w : tensor<7x16xf32>) peephole(%wc, %wc, %wc : tensor<4xf32>)
        bias(%b : tensor<16xf32>) saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x6x4xf32>) grads(%g, %g : tensor<5x6x4xf32>)
    return %dx, %dw : tensor<5x6x3xf32>, tensor<7x16xf32>
  }
}
