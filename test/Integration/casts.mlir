// Sizes that a cast or a declared result type asserts are checked at run time, in every lowering.
// REQUIRES: rnn-run
// DEFINE: %{how} = --lowering=runtime
// DEFINE: %{sum} = rnn-run %s %{how} --function=sum
// DEFINE: %{tf} = rnn-run %s %{how} --function=tf --input=1x2xf32=0 --input=5x8xf32=0.5 --input=2xf32=0 --input=8xf32=0
// DEFINE: %{good} = %{sum} --input=4xf32=[1,2,3,4] --expected-output=4xf32=[2,4,6,8] && %{tf} --input=2x1x3xf32=1 --output=- | FileCheck %s --check-prefix=GOOD
// DEFINE: %{cast} = not %{sum} --input=2xf32=[1,2] 2>&1 | FileCheck %s --check-prefix=CAST
// DEFINE: %{declared} = not %{tf} --input=1x1x3xf32=1 2>&1 | FileCheck %s --check-prefix=DECLARED
// RUN: %{good}
// RUN: %{cast}
// RUN: %{declared}
// REDEFINE: %{how} = --lowering=fused
// RUN: %{good}
// RUN: %{cast}
// RUN: %{declared}
// REDEFINE: %{how} = --lowering=fused --target=simt
// RUN: %{good}
// RUN: %{cast}
// RUN: %{declared}
// REDEFINE: %{how} = --lowering=fused --target=simt --simt-check
// RUN: %{cast}
// RUN: %{declared}

// CAST: rnn-run: error: INVALID_ARGUMENT: 'tensor.cast' op expects dim 0 of its operand: expected 4, but got 2
func.func @sum(%x: tensor<?xf32>) -> tensor<4xf32> {
  %y = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  %z = arith.addf %y, %y : tensor<4xf32>
  return %z : tensor<4xf32>
}

// GOOD: 2x1x2xf32=
// DECLARED: rnn-run: error: INVALID_ARGUMENT: 'rnn.block_lstm' op expects dim 0 of `outs` of `h` to be T [B8]: expected 1, but got 2
func.func @tf(%s: tensor<1x2xf32>, %w: tensor<5x8xf32>, %p: tensor<2xf32>, %b: tensor<8xf32>, %x: tensor<?x1x3xf32>) -> tensor<2x1x2xf32> {
  %n = "tf.Const"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %i, %cs, %f, %o, %ci, %co, %h = "tf.BlockLSTMV2"(%n, %x, %s, %s, %w, %p, %p, %p, %b)
      : (tensor<i64>, tensor<?x1x3xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<5x8xf32>, tensor<2xf32>, tensor<2xf32>,
         tensor<2xf32>, tensor<8xf32>)
      -> (tensor<?x1x2xf32>, tensor<?x1x2xf32>, tensor<?x1x2xf32>, tensor<?x1x2xf32>, tensor<?x1x2xf32>,
          tensor<?x1x2xf32>, tensor<2x1x2xf32>)
  return %h : tensor<2x1x2xf32>
}
