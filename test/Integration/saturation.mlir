// Saturated gates: every lowering agrees with the equations at arguments of +-100, +-1000 and infinity. With one unit and
// zero weights, the biases are the arguments of the gates i, ci, f and o.
// REQUIRES: rnn-run
// DEFINE: %{how} = --lowering=runtime
// DEFINE: %{run} = rnn-run %s --function=main %{how} --input=1x1x1xf32=0 --input=2x4xf32=0 --input=1xf32=0
// A closed forget gate removes any cell; a closed input gate any new cell.
// DEFINE: %{closed} = %{run} --input=1x1xf32=1e38 --input=4xf32=[-1000,1000,-1000,1000] --expected-output=1x1x1xf32=0 --expected-output=1x1x1xf32=0 --atol=0 --rtol=0
// DEFINE: %{infinite} = %{run} --input=1x1xf32=1e38 --input=4xf32=[-inf,1,-inf,inf] --expected-output=1x1x1xf32=0 --expected-output=1x1x1xf32=0 --atol=0 --rtol=0
// DEFINE: %{open} = %{run} --input=1x1xf32=3 --input=4xf32=[1000,-1000,1000,1000] --expected-output=1x1x1xf32=2 --expected-output=1x1x1xf32=0.9640276 --atol=0 --rtol=1e-6
// DEFINE: %{hundred} = %{run} --input=1x1xf32=3 --input=4xf32=[100,-100,-100,100] --expected-output=1x1x1xf32=-1 --expected-output=1x1x1xf32=-0.7615942 --atol=0 --rtol=1e-6
// DEFINE: %{nan} = %{run} --input=1x1xf32=3 --input=4xf32=[0,0,nan,0] --expected-output=1x1x1xf32=nan --expected-output=1x1x1xf32=nan
// DEFINE: %{relu} = rnn-run %s --function=relu %{how} --input=2x1x1xf32=[[[nan]],[[-1]]] --expected-output=2x1x1xf32=nan
// DEFINE: %{input} = rnn-run %s --function=input %{how} --input=2x1x1xf32=[[[inf]],[[0]]] --expected-output=2x1x1xf32=[[[0.7615942]],[[0.2310586]]] --atol=0 --rtol=1e-6
// RUN: %{closed} && %{infinite} && %{open} && %{hundred} && %{nan} && %{relu} && %{input}
// REDEFINE: %{how} = --lowering=fused
// RUN: %{closed} && %{infinite} && %{open} && %{hundred} && %{nan} && %{relu} && %{input}
// REDEFINE: %{how} = --lowering=fused --target=simt
// RUN: %{closed} && %{infinite} && %{open} && %{hundred} && %{nan} && %{relu} && %{input}
func.func @main(%x: tensor<1x1x1xf32>, %w: tensor<2x4xf32>, %h: tensor<1xf32>, %c: tensor<1x1xf32>, %b: tensor<4xf32>)
    -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
  %z = arith.constant dense<0.0> : tensor<1x1xf32>
  %p = arith.constant dense<0.0> : tensor<1xf32>
  %y:7 = rnn.block_lstm icfo x(%x : tensor<1x1x1xf32>) state(%c, %z : tensor<1x1xf32>) weights(%w : tensor<2x4xf32>)
      peephole(%p, %p, %p : tensor<1xf32>) bias(%b : tensor<4xf32>)
  return %y#1, %y#6 : tensor<1x1x1xf32>, tensor<1x1x1xf32>
}

// A NaN stays NaN in the state.
func.func @relu(%x: tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %h = arith.constant dense<0.0> : tensor<1x1x1xf32>
  %p = arith.constant dense<1.0> : tensor<4xf32>
  %y, %hn, %r = rnn.cudnn_forward rnn_relu input(%x : tensor<2x1x1xf32>) state(%h : tensor<1x1x1xf32>) params(%p : tensor<4xf32>)
  return %y : tensor<2x1x1xf32>
}

// An infinite input opens all gates of its step. The next step must not see the columns past H of compiled loops, where
// infinity times a weight of zero is NaN.
func.func @input(%x: tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %s = arith.constant dense<0.0> : tensor<1x1x1xf32>
  %p = arith.constant dense<[1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<16xf32>
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm input(%x : tensor<2x1x1xf32>) state(%s, %s : tensor<1x1x1xf32>, tensor<1x1x1xf32>)
      params(%p : tensor<16xf32>)
  return %y : tensor<2x1x1xf32>
}
