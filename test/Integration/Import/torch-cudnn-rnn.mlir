// torch-cudnn-rnn.mlir - a training step of cuDNN's plain layer.
// Written by Inputs/torch_modules.py with iree-base-compiler 3.13.0, torch 2.15.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='4x3x2xf32=[[[0.07389526814222336,-0.19414326548576355],[-1.5139938592910767,0.5281373262405396],[1.1342605352401733,-0.06416268646717072]],[[1.2717307806015015,-1.5370978116989136],[-0.623873770236969,-0.47027888894081116],[-0.8482168316841125,0.8185011744499207]],[[0.20608045160770416,0.7011038064956665],[-0.6909563541412354,0.2921866774559021],[-0.9329219460487366,0.30727946758270264]],[[0.759323000907898,1.5333271026611328],[-0.775453507900238,-2.1510300636291504],[-1.2796475887298584,-0.989145815372467]]]' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-rnn.input1.npy' \
// DEFINE:   --input='1xf32=0' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-rnn.input3.npy' \
// DEFINE:   --input='5x2xf32=[[0.031235668808221817,-0.26939862966537476],[0.1424032747745514,0.14032691717147827],[-0.2390253245830536,-0.06702711433172226],[-0.2619902193546295,0.11603973060846329],[-0.12046489119529724,0.31418395042419434]]' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-rnn.input5.npy' \
// DEFINE:   --input='5xf32=0.410735816,-0.0995122045,-0.249145865,-0.112517089,-0.272569388' \
// DEFINE:   --input='5xf32=0.215131193,-0.221030921,-0.238677457,0.385868192,0.409234524' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-rnn.input8.npy' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-rnn.input9.npy' \
// DEFINE:   --input='5xf32=-0.30954358,-0.272249699,0.345343351,0.202527598,0.345968485' \
// DEFINE:   --input='5xf32=-0.332946658,-0.436017901,-0.293269724,0.0478435867,-0.0883279294' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-rnn.expected-output0.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-rnn.expected-output1.npy' \
// DEFINE:   --expected-output='4x3x2xf32=[[[0.0025891843251883984,-0.02233096770942211],[0.26971039175987244,0.010757395066320896],[-0.02607056498527527,0.10321041196584702]],[[0.002219352638348937,-0.01914127543568611],[0.24681328237056732,-0.2647808790206909],[0.05160266533493996,-0.013275283388793468]],[[0.011759002692997456,0.1323980987071991],[-0.037701062858104706,0.1366775780916214],[0.08149456977844238,-0.08407479524612427]],[[0.20198920369148254,-0.14316309988498688],[0.053909171372652054,-0.03728397190570831],[0.038370948284864426,-0.06453081220388412]]]' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-rnn.expected-output3.npy' \
// DEFINE:   --expected-output='5x2xf32=[[0.4982529580593109,-0.6263681054115295],[-0.37697839736938477,0.13150407373905182],[0.06177932769060135,-0.3229444622993469],[1.7921397686004639,-0.7182878851890564],[0.7912943363189697,0.16683977842330933]]' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-rnn.expected-output5.npy' \
// DEFINE:   --expected-output='5xf32=-0.741832793,0.24899599,-0.0457684696,-3.12852263,-0.446751118' \
// DEFINE:   --expected-output='5xf32=-0.741832852,0.24899599,-0.0457684696,-3.12852263,-0.446750998' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-rnn.expected-output8.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-rnn.expected-output9.npy' \
// DEFINE:   --expected-output='5xf32=0,0,-4.26986408,2.36696267,-1.21608198' \
// DEFINE:   --expected-output='5xf32=0,0,-4.26986456,2.36696243,-1.21608186' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[5,2],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>) -> (!torch.vtensor<[4,3,5],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[4,3,2],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[5,2],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[4,3,2],f32>, %arg1: !torch.vtensor<[4,3,5],f32>, %arg2: !torch.vtensor<[1],f32>, %arg3: !torch.vtensor<[2,3,5],f32>, %arg4: !torch.vtensor<[5,2],f32>, %arg5: !torch.vtensor<[5,5],f32>, %arg6: !torch.vtensor<[5],f32>, %arg7: !torch.vtensor<[5],f32>, %arg8: !torch.vtensor<[5,5],f32>, %arg9: !torch.vtensor<[5,5],f32>, %arg10: !torch.vtensor<[5],f32>, %arg11: !torch.vtensor<[5],f32>):
    %0 = "torch.prim.ListConstruct"(%arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11) : (!torch.vtensor<[5,2],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>) -> !torch.list<vtensor>
    %1 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
    %2 = "torch.constant.none"() : () -> !torch.none
    %3 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %4 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
    %5 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %6 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %7 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %8 = "torch.constant.float"() <{value = 0.000000e+00 : f64}> : () -> !torch.float
    %9 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %10 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %11 = "torch.prim.ListConstruct"() : () -> !torch.list<int>
    %12 = "torch.constant.none"() : () -> !torch.none
    %13:5 = "torch.operator"(%arg0, %0, %1, %arg2, %arg3, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12) <{name = "torch.aten._cudnn_rnn"}> : (!torch.vtensor<[4,3,2],f32>, !torch.list<vtensor>, !torch.int, !torch.vtensor<[1],f32>, !torch.vtensor<[2,3,5],f32>, !torch.none, !torch.int, !torch.int, !torch.int, !torch.int, !torch.bool, !torch.float, !torch.bool, !torch.bool, !torch.list<int>, !torch.none) -> (!torch.vtensor<[4,3,5],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[0],f32>, !torch.vtensor<[0],ui8>, !torch.vtensor<[1],f32>)
    %14 = "torch.prim.ListConstruct"(%arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11) : (!torch.vtensor<[5,2],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>) -> !torch.list<vtensor>
    %15 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
    %16 = "torch.constant.none"() : () -> !torch.none
    %17 = "torch.constant.none"() : () -> !torch.none
    %18 = "torch.constant.none"() : () -> !torch.none
    %19 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %20 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
    %21 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %22 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %23 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %24 = "torch.constant.float"() <{value = 0.000000e+00 : f64}> : () -> !torch.float
    %25 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %26 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %27 = "torch.prim.ListConstruct"() : () -> !torch.list<int>
    %28 = "torch.constant.none"() : () -> !torch.none
    %29 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %30 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %31 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %32 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %33 = "torch.prim.ListConstruct"(%29, %30, %31, %32) : (!torch.bool, !torch.bool, !torch.bool, !torch.bool) -> !torch.list<bool>
    %34:4 = "torch.operator"(%arg0, %14, %15, %13#4, %arg3, %16, %13#0, %arg1, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %13#3, %33) <{name = "torch.aten._cudnn_rnn_backward"}> : (!torch.vtensor<[4,3,2],f32>, !torch.list<vtensor>, !torch.int, !torch.vtensor<[1],f32>, !torch.vtensor<[2,3,5],f32>, !torch.none, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>, !torch.none, !torch.none, !torch.int, !torch.int, !torch.int, !torch.int, !torch.bool, !torch.float, !torch.bool, !torch.bool, !torch.list<int>, !torch.none, !torch.vtensor<[0],ui8>, !torch.list<bool>) -> (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[2,3,5],f32>, !torch.list<vtensor>)
    %35:8 = "torch.prim.ListUnpack"(%34#3) : (!torch.list<vtensor>) -> (!torch.vtensor<[5,2],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>)
    "func.return"(%13#0, %13#1, %34#0, %34#1, %35#0, %35#1, %35#2, %35#3, %35#4, %35#5, %35#6, %35#7) : (!torch.vtensor<[4,3,5],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[4,3,2],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[5,2],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>) -> ()
  }) {torch.assume_strict_symbolic_shapes} : () -> ()
}) : () -> ()
