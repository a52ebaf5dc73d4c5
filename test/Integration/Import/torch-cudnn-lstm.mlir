// torch-cudnn-lstm.mlir - a training step of cuDNN's LSTM with the batch first.
// Written by Inputs/torch_modules.py with iree-base-compiler 3.13.0, torch 2.15.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='3x4x2xf32=[[[2.0954160690307617,-2.397334098815918],[-2.3500959873199463,-2.343435764312744],[0.4808323383331299,1.9470341205596924],[1.0721709728240967,0.952140748500824]],[[-2.386380672454834,-1.2856818437576294],[-0.7007941007614136,1.1316416263580322],[0.017146101221442223,1.4380230903625488],[1.8997689485549927,1.2976160049438477]],[[0.18161623179912567,-1.6176435947418213],[1.6345969438552856,-0.8334941267967224],[1.5360828638076782,-0.40150928497314453],[-1.8022964000701904,1.1513837575912476]]]' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm.input1.npy' \
// DEFINE:   --input='1xf32=0' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm.input3.npy' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm.input4.npy' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm.input5.npy' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm.input6.npy' \
// DEFINE:   --input='20xf32=-0.0733094066,0.154788926,0.0575332604,-0.147809267,-0.415177822,-0.313585699,0.0242185816,-0.0239900872,0.369293064,0.0153055061,-0.115150221,-0.436969727,-0.411180854,0.185772911,0.398334086,-0.00678549986,-0.399720162,0.158778474,0.364244998,-0.295989782' \
// DEFINE:   --input='20xf32=-0.117744274,0.037612319,-0.255042493,-0.414675504,0.195780158,-0.366974324,-0.112253994,-0.237462908,0.336322367,0.0863485113,0.207393765,-0.30283922,0.376871169,0.0398467854,-0.248040169,-0.0292553939,-0.316652149,-0.0206430517,0.249728024,-0.201041892' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm.input9.npy' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm.input10.npy' \
// DEFINE:   --input='20xf32=0.186449334,-0.125801161,0.128729373,-0.395907968,-0.256778926,-0.283522129,-0.0872139782,-0.0162691213,-0.00962351169,-0.264188379,0.220882118,0.227181628,-0.392305106,-0.414531082,-0.0960989594,0.124404542,-0.340621173,-0.0411825702,0.0253815297,-0.341718227' \
// DEFINE:   --input='20xf32=0.418782651,0.323896974,0.341583133,-0.182361633,-0.319629669,0.0549126007,0.261577785,0.218774274,-0.290131658,0.351079702,-0.212015748,-0.0781838298,-0.125393063,0.212919116,-0.417265087,-0.284769922,-0.0541140921,0.307840675,-0.107678488,0.280591697' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm.input13.npy' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm.input14.npy' \
// DEFINE:   --input='20xf32=0.0913332403,-0.292648852,-0.249017,0.036282558,0.440493137,-0.118726552,-0.444252044,0.0964256525,-0.178021401,-0.298778921,0.176687688,0.176621959,-0.22130686,0.0292241536,0.0648445189,0.033039216,-0.0690807998,-0.258453876,0.246916562,0.337926149' \
// DEFINE:   --input='20xf32=0.361668169,0.371406138,-0.0216717068,0.0358447582,-0.177853405,-0.106051244,0.11465095,0.0356905274,-0.320595533,-0.319984466,0.207251355,0.341150284,0.414569587,0.273220181,0.257314801,0.187451974,0.301454812,-0.114678994,0.0691488311,0.180529028' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm.input17.npy' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm.input18.npy' \
// DEFINE:   --input='20xf32=0.395365804,0.229650944,-0.210132182,-0.0845041275,0.0419165194,0.43161124,-0.373952329,-0.107463747,-0.38186112,0.166575789,-0.0584963933,-0.200204149,-0.408940643,-0.147389963,-0.387184322,0.149713516,-0.407161862,-0.229183719,0.446342796,-0.431974977' \
// DEFINE:   --input='20xf32=-0.36797455,-0.342882842,-0.286730736,0.353941768,-0.143608913,-0.345626473,0.252144784,0.389502734,0.222046196,0.0418237001,0.0834066495,0.172843307,0.395454139,0.256472051,-0.34849146,-0.346779823,-0.281734765,-0.194899827,0.396691859,-0.445720851' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm.expected-output0.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm.expected-output1.npy' \
// DEFINE:   --expected-output='3x4x2xf32=[[[0.0016522083897143602,0.0009895097464323044],[-0.0004058666527271271,-0.007454239763319492],[0.006511616986244917,0.048120491206645966],[0.010122468695044518,0.03347399830818176]],[[0.008070500567555428,-0.010530037805438042],[0.0006009601056575775,0.033423881977796555],[0.0024558398872613907,0.0021364809945225716],[0.005214981734752655,0.07683330774307251]],[[0.024057049304246902,-0.016475815325975418],[0.03673349320888519,0.01484961248934269],[-0.03166843205690384,0.033471591770648956],[-0.018844671547412872,0.014674190431833267]]]' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm.expected-output3.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm.expected-output4.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm.expected-output5.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm.expected-output6.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm.expected-output7.npy' \
// DEFINE:   --expected-output='20xf32=0.00476393104,-0.110169642,-0.0719761997,0.00770119717,-0.0403954014,0.0140737146,-0.125528082,-0.0325204656,-0.0450749509,0.0231860876,0.157216504,0.400820941,-0.0774952695,0.122002006,-0.322893322,0.0191198438,-0.243325531,-0.06362845,0.0159685258,0.0243766177' \
// DEFINE:   --expected-output='20xf32=0.00476393104,-0.110169642,-0.0719761997,0.00770119717,-0.0403954014,0.0140737146,-0.125528082,-0.0325204656,-0.0450749509,0.0231860876,0.157216504,0.400820941,-0.0774952695,0.122002006,-0.322893322,0.0191198438,-0.243325531,-0.06362845,0.0159685258,0.0243766177' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm.expected-output10.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm.expected-output11.npy' \
// DEFINE:   --expected-output='20xf32=-0.0323141627,-0.00249921251,0.0316463001,-0.0496086888,0.0889634266,-0.0408241339,-0.0661467165,-0.0269346181,-0.0332898572,-0.189559802,-0.155239701,0.028951725,-0.0121561289,0.264953226,0.212243065,-0.163144827,-0.00307375705,0.0367245004,-0.0344414301,-0.0655180588' \
// DEFINE:   --expected-output='20xf32=-0.0323141627,-0.00249921251,0.0316463001,-0.0496086888,0.0889634266,-0.0408241339,-0.0661467165,-0.0269346181,-0.0332898572,-0.189559802,-0.155239701,0.028951725,-0.0121561289,0.264953226,0.212243065,-0.163144827,-0.00307375705,0.0367245004,-0.0344414301,-0.0655180588' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm.expected-output14.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm.expected-output15.npy' \
// DEFINE:   --expected-output='20xf32=0.0983249992,0.105087563,-0.132345662,-0.0417143553,-0.203172773,-0.356906176,0.028213229,-0.599371612,-0.207508653,-0.0285761692,0.816168427,-0.351746082,0.337109745,0.89393872,-1.8270328,0.133702993,0.227794468,-0.348680258,-0.251307964,-0.168784708' \
// DEFINE:   --expected-output='20xf32=0.0983249992,0.105087563,-0.132345662,-0.0417143553,-0.203172773,-0.356906176,0.028213229,-0.599371612,-0.207508653,-0.0285761692,0.816168427,-0.351746082,0.337109745,0.89393872,-1.8270328,0.133702993,0.227794468,-0.348680258,-0.251307964,-0.168784708' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm.expected-output18.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm.expected-output19.npy' \
// DEFINE:   --expected-output='20xf32=0.0765811205,-0.0164879616,0.043681372,-0.614665091,-0.033587575,-0.570772886,-0.0996825323,0.120555699,-0.43192935,-0.106561109,0.864247441,0.502649188,0.76136595,0.00646467507,-0.103002965,-0.403430104,-0.0998718888,0.256075382,-0.536044955,-0.0195686817' \
// DEFINE:   --expected-output='20xf32=0.0765811205,-0.0164879616,0.043681372,-0.614665091,-0.033587575,-0.570772886,-0.0996825323,0.120555699,-0.43192935,-0.106561109,0.864247441,0.502649188,0.76136595,0.00646467507,-0.103002965,-0.403430104,-0.0998718888,0.256075382,-0.536044955,-0.0195686817' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[3,4,2],f32>, !torch.vtensor<[3,4,10],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[20,2],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,2],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,10],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,10],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>) -> (!torch.vtensor<[3,4,10],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[3,4,2],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[20,2],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,2],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,10],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,10],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[3,4,2],f32>, %arg1: !torch.vtensor<[3,4,10],f32>, %arg2: !torch.vtensor<[1],f32>, %arg3: !torch.vtensor<[4,3,5],f32>, %arg4: !torch.vtensor<[4,3,5],f32>, %arg5: !torch.vtensor<[20,2],f32>, %arg6: !torch.vtensor<[20,5],f32>, %arg7: !torch.vtensor<[20],f32>, %arg8: !torch.vtensor<[20],f32>, %arg9: !torch.vtensor<[20,2],f32>, %arg10: !torch.vtensor<[20,5],f32>, %arg11: !torch.vtensor<[20],f32>, %arg12: !torch.vtensor<[20],f32>, %arg13: !torch.vtensor<[20,10],f32>, %arg14: !torch.vtensor<[20,5],f32>, %arg15: !torch.vtensor<[20],f32>, %arg16: !torch.vtensor<[20],f32>, %arg17: !torch.vtensor<[20,10],f32>, %arg18: !torch.vtensor<[20,5],f32>, %arg19: !torch.vtensor<[20],f32>, %arg20: !torch.vtensor<[20],f32>):
    %0 = "torch.prim.ListConstruct"(%arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13, %arg14, %arg15, %arg16, %arg17, %arg18, %arg19, %arg20) : (!torch.vtensor<[20,2],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,2],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,10],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,10],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>) -> !torch.list<vtensor>
    %1 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
    %2 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %3 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
    %4 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %5 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %6 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %7 = "torch.constant.float"() <{value = 0.000000e+00 : f64}> : () -> !torch.float
    %8 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %9 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %10 = "torch.prim.ListConstruct"() : () -> !torch.list<int>
    %11 = "torch.constant.none"() : () -> !torch.none
    %12:5 = "torch.operator"(%arg0, %0, %1, %arg2, %arg3, %arg4, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11) <{name = "torch.aten._cudnn_rnn"}> : (!torch.vtensor<[3,4,2],f32>, !torch.list<vtensor>, !torch.int, !torch.vtensor<[1],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>, !torch.int, !torch.int, !torch.int, !torch.int, !torch.bool, !torch.float, !torch.bool, !torch.bool, !torch.list<int>, !torch.none) -> (!torch.vtensor<[3,4,10],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[0],ui8>, !torch.vtensor<[1],f32>)
    %13 = "torch.prim.ListConstruct"(%arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13, %arg14, %arg15, %arg16, %arg17, %arg18, %arg19, %arg20) : (!torch.vtensor<[20,2],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,2],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,10],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,10],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>) -> !torch.list<vtensor>
    %14 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
    %15 = "torch.constant.none"() : () -> !torch.none
    %16 = "torch.constant.none"() : () -> !torch.none
    %17 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %18 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
    %19 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %20 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %21 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %22 = "torch.constant.float"() <{value = 0.000000e+00 : f64}> : () -> !torch.float
    %23 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %24 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %25 = "torch.prim.ListConstruct"() : () -> !torch.list<int>
    %26 = "torch.constant.none"() : () -> !torch.none
    %27 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %28 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %29 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %30 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %31 = "torch.prim.ListConstruct"(%27, %28, %29, %30) : (!torch.bool, !torch.bool, !torch.bool, !torch.bool) -> !torch.list<bool>
    %32:4 = "torch.operator"(%arg0, %13, %14, %12#4, %arg3, %arg4, %12#0, %arg1, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %12#3, %31) <{name = "torch.aten._cudnn_rnn_backward"}> : (!torch.vtensor<[3,4,2],f32>, !torch.list<vtensor>, !torch.int, !torch.vtensor<[1],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[3,4,10],f32>, !torch.vtensor<[3,4,10],f32>, !torch.none, !torch.none, !torch.int, !torch.int, !torch.int, !torch.int, !torch.bool, !torch.float, !torch.bool, !torch.bool, !torch.list<int>, !torch.none, !torch.vtensor<[0],ui8>, !torch.list<bool>) -> (!torch.vtensor<[3,4,2],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>, !torch.list<vtensor>)
    %33:16 = "torch.prim.ListUnpack"(%32#3) : (!torch.list<vtensor>) -> (!torch.vtensor<[20,2],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,2],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,10],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,10],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>)
    "func.return"(%12#0, %12#1, %32#0, %32#1, %12#2, %32#2, %33#0, %33#1, %33#2, %33#3, %33#4, %33#5, %33#6, %33#7, %33#8, %33#9, %33#10, %33#11, %33#12, %33#13, %33#14, %33#15) : (!torch.vtensor<[3,4,10],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[3,4,2],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[4,3,5],f32>, !torch.vtensor<[20,2],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,2],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,10],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20,10],f32>, !torch.vtensor<[20,5],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>) -> ()
  }) {torch.assume_strict_symbolic_shapes} : () -> ()
}) : () -> ()
