// A sequence with a cut has the bits of its two pieces as sequences of their own, in per-step and in persistent kernels.
// REQUIRES: rnn-run
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{arguments} = --input=random:1 --input=random:2 --input=random:3 --input=random:4 --input=random:5
// DEFINE: %{run} = rnn-run %s --target=simt --lowering=fused
// DEFINE: %{out} = --output=@%t/y.npy --output=@%t/dx.npy
// DEFINE: %{expected} = --expected-output=@%t/y.npy --expected-output=@%t/dx.npy --atol=0 --rtol=0
// RUN: %{run} --function=pieces --fused-kernel=per_step %{arguments} %{out}
// RUN: %{run} --function=whole --fused-kernel=per_step %{arguments} %{expected}
// RUN: %{run} --function=pieces --fused-kernel=persistent %{arguments} %{out}
// RUN: %{run} --function=whole --fused-kernel=persistent %{arguments} %{expected}

func.func @layer(%x: tensor<3x2x5xf32>, %h: tensor<2x2x12xf32>, %c: tensor<2x2x12xf32>, %p: tensor<?xf32>, %dy: tensor<3x2x24xf32>)
    -> (tensor<3x2x24xf32>, tensor<3x2x5xf32>) {
  %zero = arith.constant dense<0.0> : tensor<2x2x12xf32>
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm, bidirectional input(%x : tensor<3x2x5xf32>)
      state(%h, %c : tensor<2x2x12xf32>, tensor<2x2x12xf32>) params(%p : tensor<?xf32>)
  %dx, %dh, %dc, %dp = rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<3x2x5xf32>)
      state(%h, %c : tensor<2x2x12xf32>, tensor<2x2x12xf32>) params(%p : tensor<?xf32>)
      output(%y, %hn, %cn : tensor<3x2x24xf32>, tensor<2x2x12xf32>, tensor<2x2x12xf32>)
      grads(%dy, %zero, %zero : tensor<3x2x24xf32>, tensor<2x2x12xf32>, tensor<2x2x12xf32>) reserve(%r : tensor<?xi8>)
  return %y, %dx : tensor<3x2x24xf32>, tensor<3x2x5xf32>
}

// With resets to the initial states, both pieces start from them in both directions.
func.func @pieces(%x: tensor<6x2x5xf32>, %h: tensor<2x2x12xf32>, %c: tensor<2x2x12xf32>, %p: tensor<1824xf32>, %dy: tensor<6x2x24xf32>)
    -> (tensor<6x2x24xf32>, tensor<6x2x5xf32>) {
  %q = tensor.cast %p : tensor<1824xf32> to tensor<?xf32>
  %x0 = tensor.extract_slice %x[0, 0, 0] [3, 2, 5] [1, 1, 1] : tensor<6x2x5xf32> to tensor<3x2x5xf32>
  %x1 = tensor.extract_slice %x[3, 0, 0] [3, 2, 5] [1, 1, 1] : tensor<6x2x5xf32> to tensor<3x2x5xf32>
  %dy0 = tensor.extract_slice %dy[0, 0, 0] [3, 2, 24] [1, 1, 1] : tensor<6x2x24xf32> to tensor<3x2x24xf32>
  %dy1 = tensor.extract_slice %dy[3, 0, 0] [3, 2, 24] [1, 1, 1] : tensor<6x2x24xf32> to tensor<3x2x24xf32>
  %y0, %dx0 = call @layer(%x0, %h, %c, %q, %dy0) : (tensor<3x2x5xf32>, tensor<2x2x12xf32>, tensor<2x2x12xf32>, tensor<?xf32>,
      tensor<3x2x24xf32>) -> (tensor<3x2x24xf32>, tensor<3x2x5xf32>)
  %y1, %dx1 = call @layer(%x1, %h, %c, %q, %dy1) : (tensor<3x2x5xf32>, tensor<2x2x12xf32>, tensor<2x2x12xf32>, tensor<?xf32>,
      tensor<3x2x24xf32>) -> (tensor<3x2x24xf32>, tensor<3x2x5xf32>)
  %y = tensor.concat dim(0) %y0, %y1 : (tensor<3x2x24xf32>, tensor<3x2x24xf32>) -> tensor<6x2x24xf32>
  %dx = tensor.concat dim(0) %dx0, %dx1 : (tensor<3x2x5xf32>, tensor<3x2x5xf32>) -> tensor<6x2x5xf32>
  return %y, %dx : tensor<6x2x24xf32>, tensor<6x2x5xf32>
}

func.func @whole(%x: tensor<6x2x5xf32>, %h: tensor<2x2x12xf32>, %c: tensor<2x2x12xf32>, %p: tensor<1824xf32>, %dy: tensor<6x2x24xf32>)
    -> (tensor<6x2x24xf32>, tensor<6x2x5xf32>) {
  %q = tensor.cast %p : tensor<1824xf32> to tensor<?xf32>
  %zero = arith.constant dense<0.0> : tensor<2x2x12xf32>
  %m = arith.constant dense<[[false, true], [false, false], [false, false], [true, true], [false, false], [false, false]]> : tensor<6x2xi1>
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm, bidirectional input(%x : tensor<6x2x5xf32>)
      state(%h, %c : tensor<2x2x12xf32>, tensor<2x2x12xf32>) params(%q : tensor<?xf32>) resets(%m : tensor<6x2xi1>)
      {reset_to = #rnn.reset_to<initial>}
  %dx, %dh, %dc, %dp = rnn.cudnn_backprop lstm, bidirectional input(%x : tensor<6x2x5xf32>)
      state(%h, %c : tensor<2x2x12xf32>, tensor<2x2x12xf32>) params(%q : tensor<?xf32>)
      output(%y, %hn, %cn : tensor<6x2x24xf32>, tensor<2x2x12xf32>, tensor<2x2x12xf32>)
      grads(%dy, %zero, %zero : tensor<6x2x24xf32>, tensor<2x2x12xf32>, tensor<2x2x12xf32>) reserve(%r : tensor<?xi8>)
      resets(%m : tensor<6x2xi1>) {reset_to = #rnn.reset_to<initial>}
  return %y, %dx : tensor<6x2x24xf32>, tensor<6x2x5xf32>
}
