// lstm_bi_l2_f64.mlir - results of torch (test/golden) through the whole compiler.
// Written by test/golden/generate.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DEFINE: %{golden} = %S/../../golden/compiler/lstm_bi_l2_f64
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --function=main \
// DEFINE:   --input=@%{golden}/x.npy \
// DEFINE:   --input=@%{golden}/h0.npy \
// DEFINE:   --input=@%{golden}/c0.npy \
// DEFINE:   --input=@%{golden}/params.npy \
// DEFINE:   --input=@%{golden}/dy.npy \
// DEFINE:   --input=@%{golden}/dhn.npy \
// DEFINE:   --input=@%{golden}/dcn.npy \
// DEFINE:   --expected-output=@%{golden}/y.npy \
// DEFINE:   --expected-output=@%{golden}/hn.npy \
// DEFINE:   --expected-output=@%{golden}/cn.npy \
// DEFINE:   --expected-output=@%{golden}/dx.npy \
// DEFINE:   --expected-output=@%{golden}/dh0.npy \
// DEFINE:   --expected-output=@%{golden}/dc0.npy \
// DEFINE:   --expected-output=@%{golden}/dparams.npy \
// DEFINE:   --atol=2.84e-13 \
// DEFINE:   --rtol=1e-12
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused
// RUN: %{main} --target=simt --lowering=fused

func.func @main(%x: tensor<5x3x2xf64>, %h0: tensor<4x3x4xf64>, %c0: tensor<4x3x4xf64>, %params: tensor<704xf64>, %dy:
    tensor<5x3x8xf64>, %dhn: tensor<4x3x4xf64>, %dcn: tensor<4x3x4xf64>) -> (tensor<5x3x8xf64>, tensor<4x3x4xf64>,
    tensor<4x3x4xf64>, tensor<5x3x2xf64>, tensor<4x3x4xf64>, tensor<4x3x4xf64>, tensor<704xf64>) {
  %y, %hn, %cn, %reserve = "tf.CudnnRNN"(%x, %h0, %c0, %params) {rnn_mode = "lstm", input_mode = "linear_input",
      direction = "bidirectional", dropout = 0.0 : f32, seed = 0 : i64, seed2 = 0 : i64, is_training = true} :
      (tensor<5x3x2xf64>, tensor<4x3x4xf64>, tensor<4x3x4xf64>, tensor<704xf64>) -> (tensor<5x3x8xf64>,
      tensor<4x3x4xf64>, tensor<4x3x4xf64>, tensor<?xf64>)
  %dx, %dh0, %dc0, %dparams = "tf.CudnnRNNBackprop"(%x, %h0, %c0, %params, %y, %hn, %cn, %dy, %dhn, %dcn, %reserve)
      {rnn_mode = "lstm", input_mode = "linear_input", direction = "bidirectional", dropout = 0.0 : f32, seed = 0 :
      i64, seed2 = 0 : i64} : (tensor<5x3x2xf64>, tensor<4x3x4xf64>, tensor<4x3x4xf64>, tensor<704xf64>,
      tensor<5x3x8xf64>, tensor<4x3x4xf64>, tensor<4x3x4xf64>, tensor<5x3x8xf64>, tensor<4x3x4xf64>,
      tensor<4x3x4xf64>, tensor<?xf64>) -> (tensor<5x3x2xf64>, tensor<4x3x4xf64>, tensor<4x3x4xf64>, tensor<704xf64>)
  return %y, %hn, %cn, %dx, %dh0, %dc0, %dparams : tensor<5x3x8xf64>, tensor<4x3x4xf64>, tensor<4x3x4xf64>,
      tensor<5x3x2xf64>, tensor<4x3x4xf64>, tensor<4x3x4xf64>, tensor<704xf64>
}
