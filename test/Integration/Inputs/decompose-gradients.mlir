// A transform library that decomposes gradients alone.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %gradient = transform.structured.match ops{["rnn.cudnn_backprop"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.rnn.decompose %gradient : !transform.any_op
    transform.yield
  }
}
