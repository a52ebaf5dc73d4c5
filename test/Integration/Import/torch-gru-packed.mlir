// torch-gru-packed.mlir - packed sequences of a GRU.
// Written by Inputs/torch_modules.py with iree-base-compiler 3.13.0, torch 2.15.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='7x2xf32=[[-0.7156926989555359,1.2424966096878052],[-1.3332107067108154,0.29606062173843384],[-0.09366314113140106,1.9939115047454834],[-0.7201029062271118,-0.6052188277244568],[3.788205146789551,-0.35755011439323425],[0.884888231754303,1.284333348274231],[-0.023109428584575653,0.7387539744377136]]' \
// DEFINE:   --input='4xi64=3,2,1,1' \
// DEFINE:   --input='1x3x5xf32=[[[-0.17220865190029144,0.4506112337112427,0.41014644503593445,0.8957327604293823,-0.2882486879825592],[-0.5926607847213745,0.11978866904973984,-0.5292379260063171,1.2348215579986572,0.8014302253723145],[0.9690365791320801,-0.38854533433914185,-0.5441638827323914,0.7239353656768799,-0.4054797887802124]]]' \
// DEFINE:   --input='@%S/Inputs/torch-gru-packed.input3.npy' \
// DEFINE:   --input='@%S/Inputs/torch-gru-packed.input4.npy' \
// DEFINE:   --input='15xf32=-0.281822294,0.325560004,-0.144219935,-0.25865826,0.20657675,-0.120496243,0.285104752,0.106581219,0.0110331876,0.0938825086,-0.336044341,-0.239284158,-0.210187361,-0.253053039,0.0793017298' \
// DEFINE:   --input='15xf32=0.0893456042,-0.185814768,0.291535109,-0.248828277,0.0902883187,-0.127700031,-0.387925357,-0.291202158,0.182677031,0.176974297,-0.276536256,-0.139456019,-0.418075681,0.240396559,0.386701196' \
// DEFINE:   --expected-output='@%S/Inputs/torch-gru-packed.expected-output0.npy' \
// DEFINE:   --expected-output='1x3x5xf32=[[[-0.47538357973098755,-0.09354935586452484,-0.27781352400779724,0.05577632784843445,0.18157841265201569],[-0.3677302598953247,0.2620313763618469,-0.43833935260772705,0.35887837409973145,0.4123832583427429],[0.28569403290748596,-0.36579209566116333,-0.462256520986557,0.1392040252685547,-0.37756040692329407]]]' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

func.func @main(%arg0: !torch.vtensor<[7,2],f32>, %arg1: !torch.vtensor<[4],si64>, %arg2: !torch.vtensor<[1,3,5],f32>, %arg3: !torch.vtensor<[15,2],f32>, %arg4: !torch.vtensor<[15,5],f32>, %arg5: !torch.vtensor<[15],f32>, %arg6: !torch.vtensor<[15],f32>) -> (!torch.vtensor<[7,5],f32>, !torch.vtensor<[1,3,5],f32>) {
  %params = "torch.prim.ListConstruct"(%arg3, %arg4, %arg5, %arg6) : (!torch.vtensor<[15,2],f32>, !torch.vtensor<[15,5],f32>, !torch.vtensor<[15],f32>, !torch.vtensor<[15],f32>) -> !torch.list<vtensor>
  %true = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  %layers = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %both = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %0:2 = "torch.operator"(%arg0, %arg1, %arg2, %params, %true, %layers, %zero, %false, %both) <{name = "torch.aten.gru.data"}>
      : (!torch.vtensor<[7,2],f32>, !torch.vtensor<[4],si64>, !torch.vtensor<[1,3,5],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool) -> (!torch.vtensor<[7,5],f32>, !torch.vtensor<[1,3,5],f32>)
  return %0#0, %0#1 : !torch.vtensor<[7,5],f32>, !torch.vtensor<[1,3,5],f32>
}
