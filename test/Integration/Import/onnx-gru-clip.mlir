// onnx-gru-clip.mlir - a clipped GRU without biases.
// Written by Inputs/onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='4x3x2xf32=[[[1.4855451583862305,-0.6146337985992432],[-0.16926680505275726,0.05387546122074127],[-0.4703367352485657,-0.4999147951602936]],[[0.7796670794487,0.38009631633758545],[0.14500847458839417,0.9799310564994812],[-0.5989621877670288,0.5638203024864197]],[[-1.1305453777313232,0.08928687870502472],[0.40756934881210327,-0.03675827011466026],[0.24659082293510437,-0.6438199877738953]],[[-0.43222910165786743,-1.3295738697052002],[-0.538847804069519,1.032723069190979],[0.3847784698009491,0.18558886647224426]]]' \
// DEFINE:   --input='@%S/Inputs/onnx-gru-clip.input1.npy' \
// DEFINE:   --input='@%S/Inputs/onnx-gru-clip.input2.npy' \
// DEFINE:   --expected-output='@%S/Inputs/onnx-gru-clip.expected-output0.npy' \
// DEFINE:   --expected-output='1x3x5xf32=[[[0.13305404782295227,-0.0824768915772438,0.12096837908029556,-0.13803862035274506,0.238045796751976],[-0.22851651906967163,0.12782099843025208,-0.18137289583683014,0.16948004066944122,-0.09902702271938324],[-0.013956265524029732,0.05951698124408722,0.024215705692768097,0.11312783509492874,0.21755629777908325]]]' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[1,15,2],f32>, !torch.vtensor<[1,15,5],f32>) -> (!torch.vtensor<[4,1,3,5],f32>, !torch.vtensor<[1,3,5],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[4,3,2],f32>, %arg1: !torch.vtensor<[1,15,2],f32>, %arg2: !torch.vtensor<[1,15,5],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:2 = "torch.operator"(%arg0, %arg1, %arg2) <{name = "onnx.GRU"}> {torch.onnx.clip = 4.000000e-01 : f32, torch.onnx.direction = "forward", torch.onnx.hidden_size = 5 : si64, torch.onnx.linear_before_reset = 1 : si64} : (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[1,15,2],f32>, !torch.vtensor<[1,15,5],f32>) -> (!torch.vtensor<[4,1,3,5],f32>, !torch.vtensor<[1,3,5],f32>)
    "func.return"(%1#0, %1#1) : (!torch.vtensor<[4,1,3,5],f32>, !torch.vtensor<[1,3,5],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
