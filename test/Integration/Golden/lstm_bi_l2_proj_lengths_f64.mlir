// lstm_bi_l2_proj_lengths_f64.mlir - results of torch (test/golden) through the whole compiler.
// Written by test/golden/generate.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DEFINE: %{golden} = %S/../../golden/compiler/lstm_bi_l2_proj_lengths_f64
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --function=main \
// DEFINE:   --input=@%{golden}/x.npy \
// DEFINE:   --input=@%{golden}/h0.npy \
// DEFINE:   --input=@%{golden}/c0.npy \
// DEFINE:   --input=@%{golden}/params.npy \
// DEFINE:   --input=@%{golden}/lengths.npy \
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
// DEFINE:   --atol=2.85e-13 \
// DEFINE:   --rtol=1e-12
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused
// RUN: %{main} --target=simt --lowering=fused

func.func @main(%x: tensor<5x3x2xf64>, %h0: tensor<4x3x3xf64>, %c0: tensor<4x3x4xf64>, %params: tensor<624xf64>,
    %lengths: tensor<3xi32>, %dy: tensor<5x3x6xf64>, %dhn: tensor<4x3x3xf64>, %dcn: tensor<4x3x4xf64>) ->
    (tensor<5x3x6xf64>, tensor<4x3x3xf64>, tensor<4x3x4xf64>, tensor<5x3x2xf64>, tensor<4x3x3xf64>, tensor<4x3x4xf64>,
    tensor<624xf64>) {
  %y, %hn, %cn, %reserve, %host_reserved = "tf.CudnnRNNV3"(%x, %h0, %c0, %params, %lengths) {rnn_mode = "lstm",
      input_mode = "linear_input", direction = "bidirectional", dropout = 0.0 : f32, seed = 0 : i64, seed2 = 0 : i64,
      num_proj = 3 : i64, time_major = true, is_training = true} : (tensor<5x3x2xf64>, tensor<4x3x3xf64>,
      tensor<4x3x4xf64>, tensor<624xf64>, tensor<3xi32>) -> (tensor<5x3x6xf64>, tensor<4x3x3xf64>, tensor<4x3x4xf64>,
      tensor<?xf64>, tensor<?xi8>)
  %dx, %dh0, %dc0, %dparams = "tf.CudnnRNNBackpropV3"(%x, %h0, %c0, %params, %lengths, %y, %hn, %cn, %dy, %dhn, %dcn,
      %reserve, %host_reserved) {rnn_mode = "lstm", input_mode = "linear_input", direction = "bidirectional", dropout
      = 0.0 : f32, seed = 0 : i64, seed2 = 0 : i64, num_proj = 3 : i64, time_major = true} : (tensor<5x3x2xf64>,
      tensor<4x3x3xf64>, tensor<4x3x4xf64>, tensor<624xf64>, tensor<3xi32>, tensor<5x3x6xf64>, tensor<4x3x3xf64>,
      tensor<4x3x4xf64>, tensor<5x3x6xf64>, tensor<4x3x3xf64>, tensor<4x3x4xf64>, tensor<?xf64>, tensor<?xi8>) ->
      (tensor<5x3x2xf64>, tensor<4x3x3xf64>, tensor<4x3x4xf64>, tensor<624xf64>)
  return %y, %hn, %cn, %dx, %dh0, %dc0, %dparams : tensor<5x3x6xf64>, tensor<4x3x3xf64>, tensor<4x3x4xf64>,
      tensor<5x3x2xf64>, tensor<4x3x3xf64>, tensor<4x3x4xf64>, tensor<624xf64>
}
