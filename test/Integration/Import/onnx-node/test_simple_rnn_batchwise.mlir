// test_simple_rnn_batchwise.mlir - a test of the ONNX project.
// Written by onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --function=test_simple_rnn_batchwise \
// DEFINE:   --input='3x1x2xf32=[[[1.0,2.0]],[[3.0,4.0]],[[5.0,6.0]]]' \
// DEFINE:   --input='1x4x2xf32=0.5' \
// DEFINE:   --input='1x4x4xf32=0.5' \
// DEFINE:   --expected-output='3x1x1x4xf32=[[[[0.9051482081413269,0.9051482081413269,0.9051482081413269,0.9051482081413269]]],[[[0.9981778860092163,0.9981778860092163,0.9981778860092163,0.9981778860092163]]],[[[0.9999666213989258,0.9999666213989258,0.9999666213989258,0.9999666213989258]]]]' \
// DEFINE:   --expected-output='3x1x4xf32=[[[0.9051482081413269,0.9051482081413269,0.9051482081413269,0.9051482081413269]],[[0.9981778860092163,0.9981778860092163,0.9981778860092163,0.9981778860092163]],[[0.9999666213989258,0.9999666213989258,0.9999666213989258,0.9999666213989258]]]' \
// DEFINE:   --atol=1e-5 --rtol=1e-5
// RUN: %{main}

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[3,1,2],f32>, !torch.vtensor<[1,4,2],f32>, !torch.vtensor<[1,4,4],f32>) -> (!torch.vtensor<[3,1,1,4],f32>, !torch.vtensor<[3,1,4],f32>), sym_name = "test_simple_rnn_batchwise"}> ({
  ^bb0(%arg0: !torch.vtensor<[3,1,2],f32>, %arg1: !torch.vtensor<[1,4,2],f32>, %arg2: !torch.vtensor<[1,4,4],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:2 = "torch.operator"(%arg0, %arg1, %arg2) <{name = "onnx.RNN"}> {torch.onnx.hidden_size = 4 : si64, torch.onnx.layout = 1 : si64} : (!torch.vtensor<[3,1,2],f32>, !torch.vtensor<[1,4,2],f32>, !torch.vtensor<[1,4,4],f32>) -> (!torch.vtensor<[3,1,1,4],f32>, !torch.vtensor<[3,1,4],f32>)
    "func.return"(%1#0, %1#1) : (!torch.vtensor<[3,1,1,4],f32>, !torch.vtensor<[3,1,4],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "backend-test", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
