// test_rnn_seq_length.mlir - a test of the ONNX project.
// Written by onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --function=test_rnn_seq_length \
// DEFINE:   --input='2x3x3xf32=[[[1.0,2.0,3.0],[4.0,5.0,6.0],[7.0,8.0,9.0]],[[10.0,11.0,12.0],[13.0,14.0,15.0],[16.0,17.0,18.0]]]' \
// DEFINE:   --input='1x5x3xf32=[[[1.764052391052246,0.40015721321105957,0.978738009929657],[2.2408931255340576,1.8675580024719238,-0.9772778749465942],[0.9500884413719177,-0.15135720372200012,-0.10321885347366333],[0.4105985164642334,0.14404356479644775,1.4542734622955322],[0.7610377073287964,0.12167501449584961,0.44386324286460876]]]' \
// DEFINE:   --input='@%S/Inputs/test_rnn_seq_length.test_rnn_seq_length.input2.npy' \
// DEFINE:   --input='1x10xf32=[[-1.0485529899597168,-1.420017957687378,-1.7062702178955078,1.950775384902954,-0.5096521973609924,-0.4380742907524109,-1.2527953386306763,0.7774903774261475,-1.6138978004455566,-0.21274028718471527]]' \
// DEFINE:   --expected-output='1x3x5xf32=[[[1.0,1.0,0.999998927116394,1.0,1.0],[1.0,1.0,0.9999999403953552,1.0,1.0],[1.0,1.0,1.0,1.0,1.0]]]' \
// DEFINE:   --atol=1e-5 --rtol=1e-5
// RUN: %{main}

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[2,3,3],f32>, !torch.vtensor<[1,5,3],f32>, !torch.vtensor<[1,5,5],f32>, !torch.vtensor<[1,10],f32>) -> !torch.vtensor<[1,3,5],f32>, sym_name = "test_rnn_seq_length"}> ({
  ^bb0(%arg0: !torch.vtensor<[2,3,3],f32>, %arg1: !torch.vtensor<[1,5,3],f32>, %arg2: !torch.vtensor<[1,5,5],f32>, %arg3: !torch.vtensor<[1,10],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:2 = "torch.operator"(%arg0, %arg1, %arg2, %arg3) <{name = "onnx.RNN"}> {torch.onnx.hidden_size = 5 : si64} : (!torch.vtensor<[2,3,3],f32>, !torch.vtensor<[1,5,3],f32>, !torch.vtensor<[1,5,5],f32>, !torch.vtensor<[1,10],f32>) -> (!torch.none, !torch.vtensor<[1,3,5],f32>)
    "func.return"(%1#1) : (!torch.vtensor<[1,3,5],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "backend-test", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
