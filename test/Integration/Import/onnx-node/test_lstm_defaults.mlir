// test_lstm_defaults.mlir - a test of the ONNX project.
// Written by onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --function=test_lstm_defaults \
// DEFINE:   --input='1x3x2xf32=[[[1.0,2.0],[3.0,4.0],[5.0,6.0]]]' \
// DEFINE:   --input='1x12x2xf32=0.100000001' \
// DEFINE:   --input='1x12x3xf32=0.100000001' \
// DEFINE:   --expected-output='1x3x3xf32=[[[0.09524120390415192,0.09524120390415192,0.09524120390415192],[0.2560644745826721,0.2560644745826721,0.2560644745826721],[0.4032377600669861,0.4032377600669861,0.4032377600669861]]]' \
// DEFINE:   --atol=1e-5 --rtol=1e-5
// RUN: %{main}

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[1,3,2],f32>, !torch.vtensor<[1,12,2],f32>, !torch.vtensor<[1,12,3],f32>) -> !torch.vtensor<[1,3,3],f32>, sym_name = "test_lstm_defaults"}> ({
  ^bb0(%arg0: !torch.vtensor<[1,3,2],f32>, %arg1: !torch.vtensor<[1,12,2],f32>, %arg2: !torch.vtensor<[1,12,3],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:2 = "torch.operator"(%arg0, %arg1, %arg2) <{name = "onnx.LSTM"}> {torch.onnx.hidden_size = 3 : si64} : (!torch.vtensor<[1,3,2],f32>, !torch.vtensor<[1,12,2],f32>, !torch.vtensor<[1,12,3],f32>) -> (!torch.none, !torch.vtensor<[1,3,3],f32>)
    "func.return"(%1#1) : (!torch.vtensor<[1,3,3],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "backend-test", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
