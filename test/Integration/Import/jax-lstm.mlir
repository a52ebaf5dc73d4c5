// jax-lstm.mlir - a layer of jax.experimental.rnn.lstm.
// Written by Inputs/jax_modules.py with JAX 0.10.2, jaxlib 0.10.2.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='@%S/Inputs/jax-lstm.input0.npy' \
// DEFINE:   --input='1x2x4xf32=[[[-0.8614416718482971,-2.241367816925049,-0.08197449147701263,1.4574804306030273],[-0.5186010003089905,1.551275610923767,1.5569419860839844,-0.86273193359375]]]' \
// DEFINE:   --input='1x2x4xf32=[[[-2.465120792388916,-1.235182762145996,1.1874321699142456,-0.8167721629142761],[-1.510677456855774,-1.3376946449279785,0.0001801442267606035,-0.026108482852578163]]]' \
// DEFINE:   --input='@%S/Inputs/jax-lstm.input3.npy' \
// DEFINE:   --input='2xi32=5' \
// DEFINE:   --expected-output='@%S/Inputs/jax-lstm.expected-output0.npy' \
// DEFINE:   --expected-output='1x2x4xf32=[[[0.11837881058454514,-0.4860866665840149,0.046055715531110764,0.089802086353302],[-0.016672784462571144,0.04196658357977867,-0.3221522867679596,-0.3226982653141022]]]' \
// DEFINE:   --expected-output='1x2x4xf32=[[[0.19094063341617584,-0.8187000155448914,0.13183358311653137,0.27437397837638855],[-0.017801780253648758,0.09507676959037781,-0.9019402265548706,-0.4620838761329651]]]' \
// DEFINE:   --atol=1e-5 --rtol=1e-5
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused
// RUN: %{main} --target=simt --lowering=fused

"builtin.module"() <{sym_name = "jit_layer"}> ({
  "func.func"() <{function_type = (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>) -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x5x3xf32>, %arg1: tensor<1x2x4xf32>, %arg2: tensor<1x2x4xf32>, %arg3: tensor<144xf32>, %arg4: tensor<2xi32>):
    %0:5 = "stablehlo.custom_call"(%arg0, %arg1, %arg2, %arg3, %arg4) <{api_version = 4 : i32, backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}, call_target_name = "cudnn_rnn_ffi"}> : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>) -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
