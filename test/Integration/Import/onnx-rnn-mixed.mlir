// onnx-rnn-mixed.mlir - a plain layer with other activations.
// Written by Inputs/onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='4x3x2xf32=[[[0.4406437277793884,-0.4609478712081909],[-0.33009448647499084,1.4935578107833862],[-1.0138726234436035,-0.5624575018882751]],[[0.09186085313558578,0.47423484921455383],[-0.8696991801261902,-0.2728813886642456],[1.0184102058410645,-1.544291615486145]],[[-0.20663858950138092,0.31406664848327637],[-0.12002626806497574,0.7947074174880981],[1.0369629859924316,-1.7905563116073608]],[[-0.9386923909187317,-1.2881940603256226],[1.6886351108551025,-1.6170645952224731],[-0.10083543509244919,0.8624372482299805]]]' \
// DEFINE:   --input='2x5x2xf32=[[[-0.9639896154403687,-0.42484050989151],[1.5135138034820557,1.002913475036621],[0.546055793762207,0.05566835775971413],[-0.7135299444198608,0.5278763771057129],[-0.5382744073867798,0.43058496713638306]],[[1.6787257194519043,-0.08382252603769302],[0.3109706938266754,1.0751866102218628],[-0.5698586106300354,-2.548921823501587],[-0.5003910064697266,-1.1056187152862549],[0.4400288164615631,1.1329131126403809]]]' \
// DEFINE:   --input='@%S/Inputs/onnx-rnn-mixed.input2.npy' \
// DEFINE:   --input='2x10xf32=[[-0.794289767742157,1.1383423805236816,0.07412640005350113,-0.8031191229820251,-0.5082976222038269,0.6180503368377686,-0.7175323963165283,-0.1820666640996933,-1.814753770828247,-2.5296738147735596],[0.9304660558700562,-0.9106103181838989,0.8785765171051025,1.4840360879898071,-1.0881708860397339,-0.4093705713748932,-0.03398777171969414,0.0973023921251297,1.7153325080871582,0.7792954444885254]]' \
// DEFINE:   --expected-output='@%S/Inputs/onnx-rnn-mixed.expected-output0.npy' \
// DEFINE:   --expected-output='@%S/Inputs/onnx-rnn-mixed.expected-output1.npy' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[2,5,2],f32>, !torch.vtensor<[2,5,5],f32>, !torch.vtensor<[2,10],f32>) -> (!torch.vtensor<[4,2,3,5],f32>, !torch.vtensor<[2,3,5],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[4,3,2],f32>, %arg1: !torch.vtensor<[2,5,2],f32>, %arg2: !torch.vtensor<[2,5,5],f32>, %arg3: !torch.vtensor<[2,10],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:2 = "torch.operator"(%arg0, %arg1, %arg2, %arg3) <{name = "onnx.RNN"}> {torch.onnx.activations = ["Sigmoid", "Tanh"], torch.onnx.direction = "bidirectional", torch.onnx.hidden_size = 5 : si64} : (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[2,5,2],f32>, !torch.vtensor<[2,5,5],f32>, !torch.vtensor<[2,10],f32>) -> (!torch.vtensor<[4,2,3,5],f32>, !torch.vtensor<[2,3,5],f32>)
    "func.return"(%1#0, %1#1) : (!torch.vtensor<[4,2,3,5],f32>, !torch.vtensor<[2,3,5],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
