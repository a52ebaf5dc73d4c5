// onnx-gru-after.mlir - a GRU that resets the state after its GEMM.
// Written by Inputs/onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='4x3x2xf32=[[[-1.2918473482131958,-1.5468119382858276],[-2.667128086090088,1.157464623451233],[-0.22346749901771545,0.746685802936554]],[[1.3936071395874023,0.7642514705657959],[-0.16527926921844482,-0.21816016733646393],[1.5425808429718018,0.6407536864280701]],[[1.6516019105911255,0.8369876146316528],[-0.3069251477718353,-0.28348779678344727],[-0.05919436365365982,0.4062681198120117]],[[-0.36946117877960205,-0.26797735691070557],[-0.5487208962440491,-0.4075089991092682],[-0.12257247418165207,0.43954145908355713]]]' \
// DEFINE:   --input='@%S/Inputs/onnx-gru-after.input1.npy' \
// DEFINE:   --input='@%S/Inputs/onnx-gru-after.input2.npy' \
// DEFINE:   --input='@%S/Inputs/onnx-gru-after.input3.npy' \
// DEFINE:   --input='3xi32=4,1,3' \
// DEFINE:   --input='@%S/Inputs/onnx-gru-after.input5.npy' \
// DEFINE:   --expected-output='@%S/Inputs/onnx-gru-after.expected-output0.npy' \
// DEFINE:   --expected-output='@%S/Inputs/onnx-gru-after.expected-output1.npy' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[2,15,2],f32>, !torch.vtensor<[2,15,5],f32>, !torch.vtensor<[2,30],f32>, !torch.vtensor<[3],si32>, !torch.vtensor<[2,3,5],f32>) -> (!torch.vtensor<[4,2,3,5],f32>, !torch.vtensor<[2,3,5],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[4,3,2],f32>, %arg1: !torch.vtensor<[2,15,2],f32>, %arg2: !torch.vtensor<[2,15,5],f32>, %arg3: !torch.vtensor<[2,30],f32>, %arg4: !torch.vtensor<[3],si32>, %arg5: !torch.vtensor<[2,3,5],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:2 = "torch.operator"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{name = "onnx.GRU"}> {torch.onnx.direction = "bidirectional", torch.onnx.hidden_size = 5 : si64, torch.onnx.linear_before_reset = 1 : si64} : (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[2,15,2],f32>, !torch.vtensor<[2,15,5],f32>, !torch.vtensor<[2,30],f32>, !torch.vtensor<[3],si32>, !torch.vtensor<[2,3,5],f32>) -> (!torch.vtensor<[4,2,3,5],f32>, !torch.vtensor<[2,3,5],f32>)
    "func.return"(%1#0, %1#1) : (!torch.vtensor<[4,2,3,5],f32>, !torch.vtensor<[2,3,5],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
