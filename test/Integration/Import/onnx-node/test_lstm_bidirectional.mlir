// test_lstm_bidirectional.mlir - a test of the ONNX project.
// Written by onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --function=test_lstm_bidirectional \
// DEFINE:   --input='3x1x2xf32=[[[1.0,2.0]],[[3.0,4.0]],[[5.0,6.0]]]' \
// DEFINE:   --input='@%S/Inputs/test_lstm_bidirectional.test_lstm_bidirectional.input1.npy' \
// DEFINE:   --input='@%S/Inputs/test_lstm_bidirectional.test_lstm_bidirectional.input2.npy' \
// DEFINE:   --expected-output='2x1x3xf32=[[[0.9902244210243225,0.9902244210243225,0.9902244210243225]],[[0.9950469732284546,0.9950469732284546,0.9950469732284546]]]' \
// DEFINE:   --expected-output='2x1x3xf32=[[[2.7129130363464355,2.7129130363464355,2.7129130363464355]],[[2.9999771118164062,2.9999771118164062,2.9999771118164062]]]' \
// DEFINE:   --atol=1e-5 --rtol=1e-5
// RUN: %{main}

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[3,1,2],f32>, !torch.vtensor<[2,12,2],f32>, !torch.vtensor<[2,12,3],f32>) -> (!torch.vtensor<[2,1,3],f32>, !torch.vtensor<[2,1,3],f32>), sym_name = "test_lstm_bidirectional"}> ({
  ^bb0(%arg0: !torch.vtensor<[3,1,2],f32>, %arg1: !torch.vtensor<[2,12,2],f32>, %arg2: !torch.vtensor<[2,12,3],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:3 = "torch.operator"(%arg0, %arg1, %arg2) <{name = "onnx.LSTM"}> {torch.onnx.direction = "bidirectional", torch.onnx.hidden_size = 3 : si64} : (!torch.vtensor<[3,1,2],f32>, !torch.vtensor<[2,12,2],f32>, !torch.vtensor<[2,12,3],f32>) -> (!torch.none, !torch.vtensor<[2,1,3],f32>, !torch.vtensor<[2,1,3],f32>)
    "func.return"(%1#1, %1#2) : (!torch.vtensor<[2,1,3],f32>, !torch.vtensor<[2,1,3],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "backend-test", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
