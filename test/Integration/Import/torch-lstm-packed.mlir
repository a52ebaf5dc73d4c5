// torch-lstm-packed.mlir - packed sequences of an LSTM.
// Written by Inputs/torch_modules.py with iree-base-compiler 3.13.0, torch 2.15.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='7x2xf32=[[2.0954160690307617,-2.397334098815918],[-2.3500959873199463,-2.343435764312744],[0.4808323383331299,1.9470341205596924],[1.0721709728240967,0.952140748500824],[-2.386380672454834,-1.2856818437576294],[0.017146101221442223,1.4380230903625488],[1.6345969438552856,-0.8334941267967224]]' \
// DEFINE:   --input='4xi64=3,2,1,1' \
// DEFINE:   --input='@%S/Inputs/torch-lstm-packed.input2.npy' \
// DEFINE:   --input='@%S/Inputs/torch-lstm-packed.input3.npy' \
// DEFINE:   --input='@%S/Inputs/torch-lstm-packed.input4.npy' \
// DEFINE:   --input='@%S/Inputs/torch-lstm-packed.input5.npy' \
// DEFINE:   --input='20xf32=-0.0733094066,0.154788926,0.0575332604,-0.147809267,-0.415177822,-0.313585699,0.0242185816,-0.0239900872,0.369293064,0.0153055061,-0.115150221,-0.436969727,-0.411180854,0.185772911,0.398334086,-0.00678549986,-0.399720162,0.158778474,0.364244998,-0.295989782' \
// DEFINE:   --input='20xf32=-0.117744274,0.037612319,-0.255042493,-0.414675504,0.195780158,-0.366974324,-0.112253994,-0.237462908,0.336322367,0.0863485113,0.207393765,-0.30283922,0.376871169,0.0398467854,-0.248040169,-0.0292553939,-0.316652149,-0.0206430517,0.249728024,-0.201041892' \
// DEFINE:   --input='@%S/Inputs/torch-lstm-packed.input8.npy' \
// DEFINE:   --input='@%S/Inputs/torch-lstm-packed.input9.npy' \
// DEFINE:   --input='20xf32=0.186449334,-0.125801161,0.128729373,-0.395907968,-0.256778926,-0.283522129,-0.0872139782,-0.0162691213,-0.00962351169,-0.264188379,0.220882118,0.227181628,-0.392305106,-0.414531082,-0.0960989594,0.124404542,-0.340621173,-0.0411825702,0.0253815297,-0.341718227' \
// DEFINE:   --input='20xf32=0.418782651,0.323896974,0.341583133,-0.182361633,-0.319629669,0.0549126007,0.261577785,0.218774274,-0.290131658,0.351079702,-0.212015748,-0.0781838298,-0.125393063,0.212919116,-0.417265087,-0.284769922,-0.0541140921,0.307840675,-0.107678488,0.280591697' \
// DEFINE:   --input='@%S/Inputs/torch-lstm-packed.input12.npy' \
// DEFINE:   --input='@%S/Inputs/torch-lstm-packed.input13.npy' \
// DEFINE:   --input='20xf32=0.0913332403,-0.292648852,-0.249017,0.036282558,0.440493137,-0.118726552,-0.444252044,0.0964256525,-0.178021401,-0.298778921,0.176687688,0.176621959,-0.22130686,0.0292241536,0.0648445189,0.033039216,-0.0690807998,-0.258453876,0.246916562,0.337926149' \
// DEFINE:   --input='20xf32=0.361668169,0.371406138,-0.0216717068,0.0358447582,-0.177853405,-0.106051244,0.11465095,0.0356905274,-0.320595533,-0.319984466,0.207251355,0.341150284,0.414569587,0.273220181,0.257314801,0.187451974,0.301454812,-0.114678994,0.0691488311,0.180529028' \
// DEFINE:   --input='@%S/Inputs/torch-lstm-packed.input16.npy' \
// DEFINE:   --input='@%S/Inputs/torch-lstm-packed.input17.npy' \
// DEFINE:   --input='20xf32=0.395365804,0.229650944,-0.210132182,-0.0845041275,0.0419165194,0.43161124,-0.373952329,-0.107463747,-0.38186112,0.166575789,-0.0584963933,-0.200204149,-0.408940643,-0.147389963,-0.387184322,0.149713516,-0.407161862,-0.229183719,0.446342796,-0.431974977' \
// DEFINE:   --input='20xf32=-0.36797455,-0.342882842,-0.286730736,0.353941768,-0.143608913,-0.345626473,0.252144784,0.389502734,0.222046196,0.0418237001,0.0834066495,0.172843307,0.395454139,0.256472051,-0.34849146,-0.346779823,-0.281734765,-0.194899827,0.396691859,-0.445720851' \
// DEFINE:   --expected-output='@%S/Inputs/torch-lstm-packed.expected-output0.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-lstm-packed.expected-output1.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-lstm-packed.expected-output2.npy' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

func.func @main(%arg0: !torch.vtensor<[7,2],f32>, %arg1: !torch.vtensor<[4],si64>, %arg2: !torch.vtensor<[4,3,5],f32>, %arg3: !torch.vtensor<[4,3,5],f32>, %arg4: !torch.vtensor<[20,2],f32>, %arg5: !torch.vtensor<[20,5],f32>, %arg6: !torch.vtensor<[20],f32>, %arg7: !torch.vtensor<[20],f32>, %arg8: !torch.vtensor<[20,2],f32>, %arg9: !torch.vtensor<[20,5],f32>, %arg10: !torch.vtensor<[20],f32>, %arg11: !torch.vtensor<[20],f32>, %arg12: !torch.vtensor<[20,10],f32>, %arg13: !torch.vtensor<[20,5],f32>, %arg14: !torch.vtensor<[20],f32>, %arg15: !torch.vtensor<[20],f32>, %arg16: !torch.vtensor<[20,10],f32>, %arg17: !torch.vtensor<[20,5],f32>, %arg18: !torch.vtensor<[20],f32>, %arg19: !torch.vtensor<[20],f32>) -> (!torch.vtensor<[7,10],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>) {
  %hx = "torch.prim.ListConstruct"(%arg2, %arg3) : (!torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>) -> !torch.list<vtensor>
  %params = "torch.prim.ListConstruct"(%arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13, %arg14, %arg15, %arg16, %arg17, %arg18, %arg19) : (!torch.vtensor<[20,2],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,2],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,10],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,10],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>) -> !torch.list<vtensor>
  %true = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  %layers = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %both = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  %0:3 = "torch.operator"(%arg0, %arg1, %hx, %params, %true, %layers, %zero, %false, %both) <{name = "torch.aten.lstm.data"}>
      : (!torch.vtensor<[7,2],f32>, !torch.vtensor<[4],si64>, !torch.list<vtensor>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool) -> (!torch.vtensor<[7,10],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>)
  return %0#0, %0#1, %0#2 : !torch.vtensor<[7,10],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>
}
