// lstm_bi_l2_f32.mlir - results of torch (test/golden) through the whole compiler.
// Written by test/golden/generate.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DEFINE: %{golden} = %S/../../golden/compiler/lstm_bi_l2_f32
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
// DEFINE:   --atol=1.26e-06 \
// DEFINE:   --rtol=5e-06
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused
// RUN: %{main} --target=simt --lowering=fused

func.func @main(%x: tensor<?x?x2xf32>, %h0: tensor<4x?x4xf32>, %c0: tensor<4x?x4xf32>, %params: tensor<704xf32>, %dy:
    tensor<?x?x8xf32>, %dhn: tensor<4x?x4xf32>, %dcn: tensor<4x?x4xf32>) -> (tensor<?x?x8xf32>, tensor<4x?x4xf32>,
    tensor<4x?x4xf32>, tensor<?x?x2xf32>, tensor<4x?x4xf32>, tensor<4x?x4xf32>, tensor<704xf32>) {
  %y, %hn, %cn, %reserve, %host_reserved = "tf.CudnnRNNV2"(%x, %h0, %c0, %params) {rnn_mode = "lstm", input_mode =
      "linear_input", direction = "bidirectional", dropout = 0.0 : f32, seed = 0 : i64, seed2 = 0 : i64, is_training =
      true} : (tensor<?x?x2xf32>, tensor<4x?x4xf32>, tensor<4x?x4xf32>, tensor<704xf32>) -> (tensor<?x?x8xf32>,
      tensor<4x?x4xf32>, tensor<4x?x4xf32>, tensor<?xf32>, tensor<?xi8>)
  %dx, %dh0, %dc0, %dparams = "tf.CudnnRNNBackpropV2"(%x, %h0, %c0, %params, %y, %hn, %cn, %dy, %dhn, %dcn, %reserve,
      %host_reserved) {rnn_mode = "lstm", input_mode = "linear_input", direction = "bidirectional", dropout = 0.0 :
      f32, seed = 0 : i64, seed2 = 0 : i64} : (tensor<?x?x2xf32>, tensor<4x?x4xf32>, tensor<4x?x4xf32>,
      tensor<704xf32>, tensor<?x?x8xf32>, tensor<4x?x4xf32>, tensor<4x?x4xf32>, tensor<?x?x8xf32>, tensor<4x?x4xf32>,
      tensor<4x?x4xf32>, tensor<?xf32>, tensor<?xi8>) -> (tensor<?x?x2xf32>, tensor<4x?x4xf32>, tensor<4x?x4xf32>,
      tensor<704xf32>)
  return %y, %hn, %cn, %dx, %dh0, %dc0, %dparams : tensor<?x?x8xf32>, tensor<4x?x4xf32>, tensor<4x?x4xf32>,
      tensor<?x?x2xf32>, tensor<4x?x4xf32>, tensor<4x?x4xf32>, tensor<704xf32>
}
