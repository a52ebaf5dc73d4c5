// Plans of cuDNN and fused kernels do not read each other's buffers; the host's plans do.
// RUN: rnn-opt %s -rnn-attach-target="target=cuda" -rnn-select-lowering -split-input-file -verify-diagnostics
// RUN: rnn-opt %s -rnn-attach-target="target=simt" -rnn-select-lowering -split-input-file

func.func @reserve(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %dy: tensor<5x2x4xf32>) -> tensor<5x2x3xf32> {
  // expected-note @below {{`reserve_space` is written here}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>) {lowering = #rnn.lowering<runtime>}
  // expected-error @below {{runs as `fused`, but `reserve_space` is written by 'rnn.cudnn_forward', which runs as `runtime` and uses another data layout on target `cuda`; give both the same lowering}}
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %hn : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      grads(%dy, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>) reserve(%r : tensor<?xi8>) {lowering = #rnn.lowering<fused>}
  return %dx : tensor<5x2x3xf32>
}

// -----

func.func @params(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %l: index, %u: index, %i: index, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<5x2x4xf32> {
  // expected-note @below {{`params` is written here}}
  %p = rnn.cudnn_canonical_to_params rnn_tanh sizes(%l, %u, %i) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>) {lowering = #rnn.lowering<runtime>}
  %q = tensor.cast %p : tensor<?xf32> to tensor<36xf32>
  // expected-error @below {{runs as `fused`, but `params` is written by 'rnn.cudnn_canonical_to_params', which runs as `runtime`}}
  %y:3 = rnn.cudnn_forward rnn_tanh input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%q : tensor<36xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return %y#0 : tensor<5x2x4xf32>
}
