// test_lstm_with_peepholes.mlir - a test of the ONNX project.
// Written by onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --function=test_lstm_with_peepholes \
// DEFINE:   --input='1x2x4xf32=[[[1.0,2.0,3.0,4.0],[5.0,6.0,7.0,8.0]]]' \
// DEFINE:   --input='1x12x4xf32=0.100000001' \
// DEFINE:   --input='1x12x3xf32=0.100000001' \
// DEFINE:   --input='1x24xf32=0' \
// DEFINE:   --input='2xi32=1' \
// DEFINE:   --input='1x2x3xf32=0' \
// DEFINE:   --input='1x2x3xf32=0' \
// DEFINE:   --input='1x9xf32=0.100000001' \
// DEFINE:   --expected-output='1x2x3xf32=[[[0.37506911158561707,0.37506911158561707,0.37506911158561707],[0.6801308989524841,0.6801308989524841,0.6801308989524841]]]' \
// DEFINE:   --atol=1e-5 --rtol=1e-5
// RUN: %{main}

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[1,2,4],f32>, !torch.vtensor<[1,12,4],f32>, !torch.vtensor<[1,12,3],f32>, !torch.vtensor<[1,24],f32>, !torch.vtensor<[2],si32>, !torch.vtensor<[1,2,3],f32>, !torch.vtensor<[1,2,3],f32>, !torch.vtensor<[1,9],f32>) -> !torch.vtensor<[1,2,3],f32>, sym_name = "test_lstm_with_peepholes"}> ({
  ^bb0(%arg0: !torch.vtensor<[1,2,4],f32>, %arg1: !torch.vtensor<[1,12,4],f32>, %arg2: !torch.vtensor<[1,12,3],f32>, %arg3: !torch.vtensor<[1,24],f32>, %arg4: !torch.vtensor<[2],si32>, %arg5: !torch.vtensor<[1,2,3],f32>, %arg6: !torch.vtensor<[1,2,3],f32>, %arg7: !torch.vtensor<[1,9],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:2 = "torch.operator"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7) <{name = "onnx.LSTM"}> {torch.onnx.hidden_size = 3 : si64} : (!torch.vtensor<[1,2,4],f32>, !torch.vtensor<[1,12,4],f32>, !torch.vtensor<[1,12,3],f32>, !torch.vtensor<[1,24],f32>, !torch.vtensor<[2],si32>, !torch.vtensor<[1,2,3],f32>, !torch.vtensor<[1,2,3],f32>, !torch.vtensor<[1,9],f32>) -> (!torch.none, !torch.vtensor<[1,2,3],f32>)
    "func.return"(%1#1) : (!torch.vtensor<[1,2,3],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "backend-test", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
