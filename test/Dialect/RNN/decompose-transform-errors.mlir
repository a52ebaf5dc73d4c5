// RUN: rnn-opt %s --transform-interpreter --split-input-file --verify-diagnostics

func.func @not_a_layer(%x: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  // expected-note@+1 {{this op}}
  %y = math.tanh %x : tensor<3x2x4xf32>
  return %y : tensor<3x2x4xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %ops = transform.structured.match ops{["math.tanh"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{expects rnn ops, but got 'math.tanh'}}
    transform.rnn.decompose %ops : !transform.any_op
    transform.yield
  }
}

// -----

func.func @draws(%x: tensor<3x2x4xf32>, %h: tensor<2x2x4xf32>, %p: tensor<?xf32>) -> tensor<3x2x4xf32> {
  // expected-error@+1 {{draws dropout masks, and its decomposition has no random state}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x4xf32>) state(%h : tensor<2x2x4xf32>)
      params(%p : tensor<?xf32>) {dropout = 0.5}
  return %y : tensor<3x2x4xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %ops = transform.structured.match ops{["rnn.cudnn_forward"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{an op has no decomposition}}
    transform.rnn.decompose %ops : !transform.any_op
    transform.yield
  }
}
