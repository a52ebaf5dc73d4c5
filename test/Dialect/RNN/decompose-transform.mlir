// The transform dialect decomposes single ops and selects lowerings.
// RUN: rnn-opt %s --transform-interpreter | FileCheck %s
// RUN: rnn-opt %s --transform-interpreter --rnn-decompose | FileCheck %s --check-prefix=BOTH

// CHECK-LABEL: func.func @layers
// CHECK:         rnn.cudnn_forward gru {{.*}}lowering = #rnn.lowering<fused>
// CHECK-NOT:     rnn.cudnn_forward rnn_tanh
// CHECK:         scf.for
// BOTH-LABEL:  func.func @layers
// BOTH-NOT:      rnn.cudnn_forward
// BOTH:          return
func.func @layers(%x: tensor<3x2x4xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<3x2x4xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x4xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>)
  %z, %zn, %zr = rnn.cudnn_forward rnn_tanh input(%y : tensor<3x2x4xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>)
  return %z : tensor<3x2x4xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %layers = transform.structured.match ops{["rnn.cudnn_forward"]} in %root : (!transform.any_op) -> !transform.any_op
    %first, %second = transform.split_handle %layers : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.rnn.decompose %second : !transform.any_op
    // Upstream's op selects a lowering.
    %fused = transform.param.constant #rnn.lowering<fused> -> !transform.any_param
    transform.annotate %first "lowering" = %fused : !transform.any_op, !transform.any_param
    transform.yield
  }
}
