// onnx-lstm-reverse.mlir - the reverse direction with lengths.
// Written by Inputs/onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='4x3x2xf32=[[[1.053733468055725,0.45193105936050415],[-0.11912456154823303,-0.8072561025619507],[0.5438951253890991,0.5337403416633606]],[[2.1318304538726807,1.5625261068344116],[0.9025441408157349,-1.311798095703125],[-0.3318386673927307,-0.6767991781234741]],[[-1.3915218114852905,-0.4843670427799225],[-1.7073450088500977,0.3658871650695801],[-0.8855946063995361,0.8849976062774658]],[[-0.35905367136001587,1.7960566282272339],[-0.7393019795417786,0.6755953431129456],[0.6520583629608154,-1.0323166847229004]]]' \
// DEFINE:   --input='@%S/Inputs/onnx-lstm-reverse.input1.npy' \
// DEFINE:   --input='@%S/Inputs/onnx-lstm-reverse.input2.npy' \
// DEFINE:   --input='@%S/Inputs/onnx-lstm-reverse.input3.npy' \
// DEFINE:   --input='3xi32=4,1,3' \
// DEFINE:   --input='1x3x5xf32=[[[-1.7514903545379639,-1.1531020402908325,1.167818546295166,-0.2056635171175003,1.8612931966781616],[0.6049896478652954,-1.074813723564148,1.2739430665969849,-1.6419627666473389,1.5223639011383057],[-1.428186297416687,0.12583041191101074,0.5619843602180481,0.16816672682762146,-0.27377432584762573]]]' \
// DEFINE:   --input='1x3x5xf32=[[[-0.7811604142189026,0.21740244328975677,-0.5516111254692078,2.464670181274414,0.5161637663841248],[0.7965854406356812,-1.1170985698699951,-0.21480445563793182,2.171969413757324,-0.36721742153167725],[0.2304241806268692,0.8285314440727234,-1.8850377798080444,0.4183271825313568,-0.009142467752099037]]]' \
// DEFINE:   --expected-output='@%S/Inputs/onnx-lstm-reverse.expected-output0.npy' \
// DEFINE:   --expected-output='1x3x5xf32=[[[-0.5931699275970459,-0.08804626762866974,0.4806002378463745,0.1532605141401291,-0.4828427731990814],[-0.2390480935573578,-0.46238383650779724,0.34499630331993103,0.10326993465423584,-0.05598437041044235],[-0.25379183888435364,0.11689414083957672,0.4685749411582947,0.003510046983137727,-0.6261725425720215]]]' \
// DEFINE:   --expected-output='1x3x5xf32=[[[-2.2780187129974365,-0.09726662933826447,1.738053798675537,1.3806759119033813,-0.6425105333328247],[-0.2449432611465454,-0.790132462978363,0.7014947533607483,2.1825647354125977,-0.27018433809280396],[-1.4762521982192993,0.13583748042583466,0.7913594841957092,0.02648770809173584,-1.148901343345642]]]' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[1,20,2],f32>, !torch.vtensor<[1,20,5],f32>, !torch.vtensor<[1,40],f32>, !torch.vtensor<[3],si32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[1,3,5],f32>) -> (!torch.vtensor<[4,1,3,5],f32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[1,3,5],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[4,3,2],f32>, %arg1: !torch.vtensor<[1,20,2],f32>, %arg2: !torch.vtensor<[1,20,5],f32>, %arg3: !torch.vtensor<[1,40],f32>, %arg4: !torch.vtensor<[3],si32>, %arg5: !torch.vtensor<[1,3,5],f32>, %arg6: !torch.vtensor<[1,3,5],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:3 = "torch.operator"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6) <{name = "onnx.LSTM"}> {torch.onnx.direction = "reverse", torch.onnx.hidden_size = 5 : si64} : (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[1,20,2],f32>, !torch.vtensor<[1,20,5],f32>, !torch.vtensor<[1,40],f32>, !torch.vtensor<[3],si32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[1,3,5],f32>) -> (!torch.vtensor<[4,1,3,5],f32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[1,3,5],f32>)
    "func.return"(%1#0, %1#1, %1#2) : (!torch.vtensor<[4,1,3,5],f32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[1,3,5],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
