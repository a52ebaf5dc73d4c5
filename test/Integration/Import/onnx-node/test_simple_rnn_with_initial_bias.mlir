// test_simple_rnn_with_initial_bias.mlir - a test of the ONNX project.
// Written by onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --function=test_simple_rnn_with_initial_bias \
// DEFINE:   --input='1x3x3xf32=[[[1.0,2.0,3.0],[4.0,5.0,6.0],[7.0,8.0,9.0]]]' \
// DEFINE:   --input='1x5x3xf32=0.100000001' \
// DEFINE:   --input='1x5x5xf32=0.100000001' \
// DEFINE:   --input='1x10xf32=[[0.10000000149011612,0.10000000149011612,0.10000000149011612,0.10000000149011612,0.10000000149011612,0.0,0.0,0.0,0.0,0.0]]' \
// DEFINE:   --expected-output='1x3x5xf32=[[[0.6043677926063538,0.6043677926063538,0.6043677926063538,0.6043677926063538,0.6043677926063538],[0.921668529510498,0.921668529510498,0.921668529510498,0.921668529510498,0.921668529510498],[0.9866142868995667,0.9866142868995667,0.9866142868995667,0.9866142868995667,0.9866142868995667]]]' \
// DEFINE:   --atol=1e-5 --rtol=1e-5
// RUN: %{main}

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[1,3,3],f32>, !torch.vtensor<[1,5,3],f32>, !torch.vtensor<[1,5,5],f32>, !torch.vtensor<[1,10],f32>) -> !torch.vtensor<[1,3,5],f32>, sym_name = "test_simple_rnn_with_initial_bias"}> ({
  ^bb0(%arg0: !torch.vtensor<[1,3,3],f32>, %arg1: !torch.vtensor<[1,5,3],f32>, %arg2: !torch.vtensor<[1,5,5],f32>, %arg3: !torch.vtensor<[1,10],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:2 = "torch.operator"(%arg0, %arg1, %arg2, %arg3) <{name = "onnx.RNN"}> {torch.onnx.hidden_size = 5 : si64} : (!torch.vtensor<[1,3,3],f32>, !torch.vtensor<[1,5,3],f32>, !torch.vtensor<[1,5,5],f32>, !torch.vtensor<[1,10],f32>) -> (!torch.none, !torch.vtensor<[1,3,5],f32>)
    "func.return"(%1#1) : (!torch.vtensor<[1,3,5],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "backend-test", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
