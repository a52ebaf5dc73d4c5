// torch-cudnn-gru.mlir - a training step of cuDNN's GRU without biases.
// Written by Inputs/torch_modules.py with iree-base-compiler 3.13.0, torch 2.15.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='4x3x2xf32=[[[1.003636121749878,-2.18805193901062],[-0.9927215576171875,0.8884993195533752],[-1.486675500869751,-0.8898332118988037]],[[0.9005295038223267,0.26148343086242676],[-1.0268363952636719,-0.07904590666294098],[0.14382262527942657,1.4025386571884155]],[[-0.4166966676712036,0.16545379161834717],[-0.7156926989555359,1.2424966096878052],[-0.7124642729759216,-0.6910300254821777]],[[0.23114675283432007,-0.7555767893791199],[-0.11978520452976227,0.954474151134491],[0.14919094741344452,1.6221805810928345]]]' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-gru.input1.npy' \
// DEFINE:   --input='1xf32=0' \
// DEFINE:   --input='1x3x5xf32=[[[-1.5602940320968628,0.204036682844162,0.7278673052787781,-1.0331830978393555,2.6175742149353027],[1.8689110279083252,1.145688533782959,1.0762443542480469,-0.9065097570419312,1.4684453010559082],[0.6287971138954163,-0.7816777229309082,-1.4498331546783447,-0.8318835496902466,0.5037226676940918]]]' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-gru.input4.npy' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-gru.input5.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-gru.expected-output0.npy' \
// DEFINE:   --expected-output='1x3x5xf32=[[[-0.2795606255531311,0.12327530235052109,-0.006870022043585777,0.0012273192405700684,0.23954978585243225],[-0.18781359493732452,0.16873154044151306,0.09963957965373993,-0.18053370714187622,-0.3953785300254822],[0.025805944576859474,-0.01611807942390442,-0.10947169363498688,-0.009061306715011597,-0.2289412021636963]]]' \
// DEFINE:   --expected-output='4x3x2xf32=[[[0.06531526148319244,0.26798075437545776],[0.28924620151519775,-0.26962360739707947],[-0.4791328012943268,-0.07800719141960144]],[[0.38657835125923157,-0.2745306193828583],[-0.8059147596359253,0.05058961734175682],[0.19641214609146118,0.09742378443479538]],[[-0.3118530809879303,0.19150875508785248],[-0.698266863822937,0.04136308655142784],[-0.2859388589859009,-0.08550700545310974]],[[0.15480445325374603,0.1356835514307022],[0.28862684965133667,0.0985623300075531],[0.20640410482883453,-0.24278831481933594]]]' \
// DEFINE:   --expected-output='1x3x5xf32=[[[-0.439553439617157,0.8312340378761292,-0.5899360179901123,1.0307822227478027,0.054474711418151855],[0.12051822990179062,-0.26126521825790405,0.25466278195381165,0.2452896237373352,0.44638895988464355],[-0.49626392126083374,-1.1756572723388672,-0.406653493642807,-0.4600852131843567,-0.09804228693246841]]]' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-gru.expected-output4.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-gru.expected-output5.npy' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[15,2],f32>, !torch.vtensor<[15,5],f32>) -> (!torch.vtensor<[4,3,5],f32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[4,3,2],f32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[15,2],f32>, !torch.vtensor<[15,5],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[4,3,2],f32>, %arg1: !torch.vtensor<[4,3,5],f32>, %arg2: !torch.vtensor<[1],f32>, %arg3: !torch.vtensor<[1,3,5],f32>, %arg4: !torch.vtensor<[15,2],f32>, %arg5: !torch.vtensor<[15,5],f32>):
    %0 = "torch.prim.ListConstruct"(%arg4, %arg5) : (!torch.vtensor<[15,2],f32>, !torch.vtensor<[15,5],f32>) -> !torch.list<vtensor>
    %1 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %2 = "torch.constant.none"() : () -> !torch.none
    %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
    %4 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
    %5 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %6 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %7 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %8 = "torch.constant.float"() <{value = 0.000000e+00 : f64}> : () -> !torch.float
    %9 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %10 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %11 = "torch.prim.ListConstruct"() : () -> !torch.list<int>
    %12 = "torch.constant.none"() : () -> !torch.none
    %13:5 = "torch.operator"(%arg0, %0, %1, %arg2, %arg3, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12) <{name = "torch.aten._cudnn_rnn"}> : (!torch.vtensor<[4,3,2],f32>, !torch.list<vtensor>, !torch.int, !torch.vtensor<[1],f32>, !torch.vtensor<[1,3,5],f32>, !torch.none, !torch.int, !torch.int, !torch.int, !torch.int, !torch.bool, !torch.float, !torch.bool, !torch.bool, !torch.list<int>, !torch.none) -> (!torch.vtensor<[4,3,5],f32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[0],f32>, !torch.vtensor<[0],ui8>, !torch.vtensor<[1],f32>)
    %14 = "torch.prim.ListConstruct"(%arg4, %arg5) : (!torch.vtensor<[15,2],f32>, !torch.vtensor<[15,5],f32>) -> !torch.list<vtensor>
    %15 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %16 = "torch.constant.none"() : () -> !torch.none
    %17 = "torch.constant.none"() : () -> !torch.none
    %18 = "torch.constant.none"() : () -> !torch.none
    %19 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
    %20 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
    %21 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %22 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
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
    %34:4 = "torch.operator"(%arg0, %14, %15, %13#4, %arg3, %16, %13#0, %arg1, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %13#3, %33) <{name = "torch.aten._cudnn_rnn_backward"}> : (!torch.vtensor<[4,3,2],f32>, !torch.list<vtensor>, !torch.int, !torch.vtensor<[1],f32>, !torch.vtensor<[1,3,5],f32>, !torch.none, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>, !torch.none, !torch.none, !torch.int, !torch.int, !torch.int, !torch.int, !torch.bool, !torch.float, !torch.bool, !torch.bool, !torch.list<int>, !torch.none, !torch.vtensor<[0],ui8>, !torch.list<bool>) -> (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[1,3,5],f32>, !torch.list<vtensor>)
    %35:2 = "torch.prim.ListUnpack"(%34#3) : (!torch.list<vtensor>) -> (!torch.vtensor<[15,2],f32>, !torch.vtensor<[15,5],f32>)
    "func.return"(%13#0, %13#1, %34#0, %34#1, %35#0, %35#1) : (!torch.vtensor<[4,3,5],f32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[4,3,2],f32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[15,2],f32>, !torch.vtensor<[15,5],f32>) -> ()
  }) {torch.assume_strict_symbolic_shapes} : () -> ()
}) : () -> ()
