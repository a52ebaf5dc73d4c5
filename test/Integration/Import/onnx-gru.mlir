// onnx-gru.mlir - a GRU that resets the state before its GEMM, both directions with lengths.
// Written by Inputs/onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='4x3x2xf32=[[[1.0946235656738281,1.594151258468628],[0.18204067647457123,-0.5156235694885254],[-1.1126258373260498,-0.2035161852836609]],[[0.28624245524406433,0.624147355556488],[-0.9689091444015503,-0.9782277941703796],[0.6252228617668152,0.5838059782981873]],[[-0.902298092842102,0.3886525332927704],[-0.23082751035690308,-0.9142629504203796],[1.88617742061615,1.3135251998901367]],[[0.5741015672683716,1.3503440618515015],[-1.5754029750823975,-1.3411779403686523],[1.1652339696884155,0.2814766764640808]]]' \
// DEFINE:   --input='@%S/Inputs/onnx-gru.input1.npy' \
// DEFINE:   --input='@%S/Inputs/onnx-gru.input2.npy' \
// DEFINE:   --input='@%S/Inputs/onnx-gru.input3.npy' \
// DEFINE:   --input='3xi32=4,1,3' \
// DEFINE:   --input='@%S/Inputs/onnx-gru.input5.npy' \
// DEFINE:   --expected-output='@%S/Inputs/onnx-gru.expected-output0.npy' \
// DEFINE:   --expected-output='@%S/Inputs/onnx-gru.expected-output1.npy' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[2,15,2],f32>, !torch.vtensor<[2,15,5],f32>, !torch.vtensor<[2,30],f32>, !torch.vtensor<[3],si32>, !torch.vtensor<[2,3,5],f32>) -> (!torch.vtensor<[4,2,3,5],f32>, !torch.vtensor<[2,3,5],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[4,3,2],f32>, %arg1: !torch.vtensor<[2,15,2],f32>, %arg2: !torch.vtensor<[2,15,5],f32>, %arg3: !torch.vtensor<[2,30],f32>, %arg4: !torch.vtensor<[3],si32>, %arg5: !torch.vtensor<[2,3,5],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:2 = "torch.operator"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{name = "onnx.GRU"}> {torch.onnx.direction = "bidirectional", torch.onnx.hidden_size = 5 : si64} : (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[2,15,2],f32>, !torch.vtensor<[2,15,5],f32>, !torch.vtensor<[2,30],f32>, !torch.vtensor<[3],si32>, !torch.vtensor<[2,3,5],f32>) -> (!torch.vtensor<[4,2,3,5],f32>, !torch.vtensor<[2,3,5],f32>)
    "func.return"(%1#0, %1#1) : (!torch.vtensor<[4,2,3,5],f32>, !torch.vtensor<[2,3,5],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
