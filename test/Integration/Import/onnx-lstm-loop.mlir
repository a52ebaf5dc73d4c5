// onnx-lstm-loop.mlir - peepholes, clip and coupled gates in both directions with lengths.
// Written by Inputs/onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='4x3x2xf32=[[[-0.4989786148071289,-0.11456623673439026],[-0.2898638844490051,-0.8841260075569153],[1.385043978691101,0.026171855628490448]],[[0.118281289935112,0.409589022397995],[0.7214550375938416,0.12438032031059265],[-0.8895974159240723,1.2572485208511353]],[[0.16034483909606934,0.645115077495575],[0.1410883665084839,-1.5294184684753418],[-1.3418278694152832,-0.9922416806221008]],[[-0.46859022974967957,0.48293358087539673],[-1.5588994026184082,0.49757465720176697],[0.710906445980072,-0.8822512030601501]]]' \
// DEFINE:   --input='@%S/Inputs/onnx-lstm-loop.input1.npy' \
// DEFINE:   --input='@%S/Inputs/onnx-lstm-loop.input2.npy' \
// DEFINE:   --input='@%S/Inputs/onnx-lstm-loop.input3.npy' \
// DEFINE:   --input='3xi32=4,1,3' \
// DEFINE:   --input='@%S/Inputs/onnx-lstm-loop.input5.npy' \
// DEFINE:   --input='@%S/Inputs/onnx-lstm-loop.input6.npy' \
// DEFINE:   --input='@%S/Inputs/onnx-lstm-loop.input7.npy' \
// DEFINE:   --expected-output='@%S/Inputs/onnx-lstm-loop.expected-output0.npy' \
// DEFINE:   --expected-output='@%S/Inputs/onnx-lstm-loop.expected-output1.npy' \
// DEFINE:   --expected-output='@%S/Inputs/onnx-lstm-loop.expected-output2.npy' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[2,20,2],f32>, !torch.vtensor<[2,20,5],f32>, !torch.vtensor<[2,40],f32>, !torch.vtensor<[3],si32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[2,15],f32>) -> (!torch.vtensor<[4,2,3,5],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[2,3,5],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[4,3,2],f32>, %arg1: !torch.vtensor<[2,20,2],f32>, %arg2: !torch.vtensor<[2,20,5],f32>, %arg3: !torch.vtensor<[2,40],f32>, %arg4: !torch.vtensor<[3],si32>, %arg5: !torch.vtensor<[2,3,5],f32>, %arg6: !torch.vtensor<[2,3,5],f32>, %arg7: !torch.vtensor<[2,15],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:3 = "torch.operator"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7) <{name = "onnx.LSTM"}> {torch.onnx.clip = 0.699999988 : f32, torch.onnx.direction = "bidirectional", torch.onnx.hidden_size = 5 : si64, torch.onnx.input_forget = 1 : si64} : (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[2,20,2],f32>, !torch.vtensor<[2,20,5],f32>, !torch.vtensor<[2,40],f32>, !torch.vtensor<[3],si32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[2,15],f32>) -> (!torch.vtensor<[4,2,3,5],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[2,3,5],f32>)
    "func.return"(%1#0, %1#1, %1#2) : (!torch.vtensor<[4,2,3,5],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[2,3,5],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
