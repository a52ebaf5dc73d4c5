// test_gru_seq_length.mlir - a test of the ONNX project.
// Written by onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --function=test_gru_seq_length \
// DEFINE:   --input='2x3x3xf32=[[[1.0,2.0,3.0],[4.0,5.0,6.0],[7.0,8.0,9.0]],[[10.0,11.0,12.0],[13.0,14.0,15.0],[16.0,17.0,18.0]]]' \
// DEFINE:   --input='@%S/Inputs/test_gru_seq_length.test_gru_seq_length.input1.npy' \
// DEFINE:   --input='@%S/Inputs/test_gru_seq_length.test_gru_seq_length.input2.npy' \
// DEFINE:   --input='@%S/Inputs/test_gru_seq_length.test_gru_seq_length.input3.npy' \
// DEFINE:   --expected-output='1x3x5xf32=[[[-0.0013067290419712663,-0.07352664321660995,0.3930167257785797,-0.0011306402739137411,-0.14878900349140167],[-1.1800502619507824e-07,-6.675719760096399e-06,0.07500860095024109,-2.7418136596679688e-06,-0.008993223309516907],[0.0,0.0,0.009963559918105602,0.0,-0.0001949258439708501]]]' \
// DEFINE:   --atol=1e-5 --rtol=1e-5
// RUN: %{main}

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[2,3,3],f32>, !torch.vtensor<[1,15,3],f32>, !torch.vtensor<[1,15,5],f32>, !torch.vtensor<[1,30],f32>) -> !torch.vtensor<[1,3,5],f32>, sym_name = "test_gru_seq_length"}> ({
  ^bb0(%arg0: !torch.vtensor<[2,3,3],f32>, %arg1: !torch.vtensor<[1,15,3],f32>, %arg2: !torch.vtensor<[1,15,5],f32>, %arg3: !torch.vtensor<[1,30],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:2 = "torch.operator"(%arg0, %arg1, %arg2, %arg3) <{name = "onnx.GRU"}> {torch.onnx.hidden_size = 5 : si64} : (!torch.vtensor<[2,3,3],f32>, !torch.vtensor<[1,15,3],f32>, !torch.vtensor<[1,15,5],f32>, !torch.vtensor<[1,30],f32>) -> (!torch.none, !torch.vtensor<[1,3,5],f32>)
    "func.return"(%1#1) : (!torch.vtensor<[1,3,5],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "backend-test", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
