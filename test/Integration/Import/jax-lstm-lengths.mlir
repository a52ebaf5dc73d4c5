// jax-lstm-lengths.mlir - a bidirectional stack of jax.experimental.rnn.lstm with lengths.
// Written by Inputs/jax_modules.py with JAX 0.10.2, jaxlib 0.10.2.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='@%S/Inputs/jax-lstm-lengths.input0.npy' \
// DEFINE:   --input='@%S/Inputs/jax-lstm-lengths.input1.npy' \
// DEFINE:   --input='@%S/Inputs/jax-lstm-lengths.input2.npy' \
// DEFINE:   --input='@%S/Inputs/jax-lstm-lengths.input3.npy' \
// DEFINE:   --input='2xi32=5,3' \
// DEFINE:   --expected-output='@%S/Inputs/jax-lstm-lengths.expected-output0.npy' \
// DEFINE:   --expected-output='@%S/Inputs/jax-lstm-lengths.expected-output1.npy' \
// DEFINE:   --expected-output='@%S/Inputs/jax-lstm-lengths.expected-output2.npy' \
// DEFINE:   --atol=1e-5 --rtol=1e-5
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused
// RUN: %{main} --target=simt --lowering=fused

"builtin.module"() <{sym_name = "jit_layer"}> ({
  "func.func"() <{function_type = (tensor<2x5x3xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<736xf32>, tensor<2xi32>) -> (tensor<2x5x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x5x3xf32>, %arg1: tensor<4x2x4xf32>, %arg2: tensor<4x2x4xf32>, %arg3: tensor<736xf32>, %arg4: tensor<2xi32>):
    %0:5 = "stablehlo.custom_call"(%arg0, %arg1, %arg2, %arg3, %arg4) <{api_version = 4 : i32, backend_config = {opaque = "\03\00\00\00\04\00\00\00\02\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\01\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}, call_target_name = "cudnn_rnn_ffi"}> : (tensor<2x5x3xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<736xf32>, tensor<2xi32>) -> (tensor<2x5x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<2x5x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
