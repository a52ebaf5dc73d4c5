// torch-cudnn-lstm-projection.mlir - a training step of cuDNN's LSTM with a projection.
// Written by Inputs/torch_modules.py with iree-base-compiler 3.13.0, torch 2.15.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='4x3x2xf32=[[[-1.0489749908447266,-0.48173943161964417],[0.13015474379062653,-1.735187292098999],[-0.7215316891670227,-0.14618059992790222]],[[-0.09220759570598602,0.04403282701969147],[2.131007194519043,0.39728984236717224],[-1.6192044019699097,0.8909367918968201]],[[-0.5318572521209717,0.8987329602241516],[-0.27622488141059875,0.020110733807086945],[1.1158748865127563,1.1129006147384644]],[[-1.0073397159576416,-0.13095098733901978],[-0.09331058710813522,0.6268978118896484],[1.665653944015503,-0.8522458672523499]]]' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm-projection.input1.npy' \
// DEFINE:   --input='1xf32=0' \
// DEFINE:   --input='2x3x3xf32=[[[-1.6315373182296753,1.235531210899353,-0.577126681804657],[1.1781096458435059,-0.5681411623954773,0.40199044346809387],[0.9115762114524841,-1.6254349946975708,0.13533787429332733]],[[-0.6330313086509705,0.23060637712478638,-1.7529807090759277],[0.5361340045928955,-0.9499793648719788,-0.2469772845506668],[-0.19279731810092926,0.2231532335281372,-0.011064994148910046]]]' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm-projection.input4.npy' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm-projection.input5.npy' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm-projection.input6.npy' \
// DEFINE:   --input='20xf32=-0.332946658,-0.436017901,-0.293269724,0.0478435867,-0.0883279294,-0.281822294,0.325560004,-0.144219935,-0.25865826,0.20657675,-0.120496243,0.285104752,0.106581219,0.0110331876,0.0938825086,-0.336044341,-0.239284158,-0.210187361,-0.253053039,0.0793017298' \
// DEFINE:   --input='20xf32=0.0893456042,-0.185814768,0.291535109,-0.248828277,0.0902883187,-0.127700031,-0.387925357,-0.291202158,0.182677031,0.176974297,-0.276536256,-0.139456019,-0.418075681,0.240396559,0.386701196,0.146249726,-0.276712865,0.23588717,0.371136159,-0.0914932787' \
// DEFINE:   --input='3x5xf32=[[-0.07330940663814545,0.15478892624378204,0.05753326043486595,-0.14780926704406738,-0.4151778221130371],[-0.31358569860458374,0.02421858161687851,-0.02399008721113205,0.36929306387901306,0.015305506065487862],[-0.11515022069215775,-0.43696972727775574,-0.41118085384368896,0.18577291071414948,0.3983340859413147]]' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm-projection.input10.npy' \
// DEFINE:   --input='@%S/Inputs/torch-cudnn-lstm-projection.input11.npy' \
// DEFINE:   --input='20xf32=-0.255965382,-0.239656806,-0.225494251,0.273584992,0.273750544,0.202870339,0.365053803,-0.297428638,-0.0017758765,-0.361909032,-0.000875543221,-0.382226884,-0.430740714,0.281688035,-0.197904959,-0.0356323645,-0.131819934,-0.354707927,-0.0446157046,0.0660633445' \
// DEFINE:   --input='20xf32=0.357335508,-0.190240189,0.426099002,-0.20706664,0.286259919,0.390626073,0.0462413467,-0.153592706,0.330813318,-0.130450234,-0.191453993,-0.15590395,-0.364746362,-0.0446876772,-0.363824815,0.292877704,-0.430719286,-0.332245111,0.0886571854,0.276661754' \
// DEFINE:   --input='3x5xf32=[[0.4277329444885254,-0.3624444901943207,0.3673754334449768,0.3133589029312134,-0.2933800518512726],[0.186449334025383,-0.12580116093158722,0.12872937321662903,-0.3959079682826996,-0.25677892565727234],[-0.2835221290588379,-0.08721397817134857,-0.016269121319055557,-0.0096235116943717,-0.26418837904930115]]' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm-projection.expected-output0.npy' \
// DEFINE:   --expected-output='2x3x3xf32=[[[-0.04686848819255829,0.03297318145632744,0.10829194635152817],[-0.08263950794935226,0.06065430864691734,0.11111080646514893],[-0.10576876997947693,0.06486570090055466,0.10796097666025162]],[[0.12657316029071808,0.036139391362667084,0.07801017165184021],[0.014881864190101624,-0.018253367394208908,0.1553279310464859],[0.028176210820674896,-0.01689188927412033,0.135827898979187]]]' \
// DEFINE:   --expected-output='4x3x2xf32=[[[-0.0002930373593699187,-0.004846498835831881],[0.002071202266961336,-0.004179270472377539],[-0.0026488597504794598,0.0026468655560165644]],[[0.001322579919360578,-0.007969087921082973],[2.83909525933268e-06,0.002005301183089614],[-0.0026232076343148947,0.002008856274187565]],[[0.002406055573374033,-0.010155929252505302],[0.0016271002823486924,-0.003679793793708086],[-0.00024505736655555665,0.0012940587475895882]],[[-2.6419904315844178e-05,-0.0036752913147211075],[0.00042699664481915534,0.001311799860559404],[-0.0007856015581637621,-0.0003934635897167027]]]' \
// DEFINE:   --expected-output='2x3x3xf32=[[[0.004431912209838629,0.006959298625588417,-0.007400873117148876],[-0.000172348169144243,-0.0033679590560495853,0.0023781273048371077],[-0.0003397686523385346,-0.0006611457210965455,0.0009302441030740738]],[[-0.042950280010700226,0.011694562621414661,-0.04295602813363075],[0.0644860789179802,-0.047008465975522995,-0.01826700195670128],[-0.10533466935157776,0.05250534042716026,0.05684267356991768]]]' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm-projection.expected-output4.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm-projection.expected-output5.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm-projection.expected-output6.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm-projection.expected-output7.npy' \
// DEFINE:   --expected-output='20xf32=-0.000585345435,-0.00131589477,0.00929860026,0.00606073346,0.0136342961,0.00124972034,0.0100016221,0.00351269217,-0.00283568865,0.0114249717,-0.00100058399,-0.02954497,-0.0501208603,0.00674112048,0.0404579639,0.000824656978,0.00568010658,0.00911221374,0.00457399897,0.0170267653' \
// DEFINE:   --expected-output='20xf32=-0.000585345493,-0.00131589489,0.00929860026,0.00606073346,0.0136342961,0.00124972046,0.0100016221,0.00351269217,-0.00283568818,0.0114249717,-0.0010005841,-0.02954497,-0.0501208566,0.00674112001,0.0404579602,0.00082465692,0.00568010751,0.00911221374,0.00457399897,0.0170267634' \
// DEFINE:   --expected-output='3x5xf32=[[-0.00494810426607728,0.02209610305726528,0.011036781594157219,0.01929001696407795,-0.03325316682457924],[0.010305815376341343,-0.008286919444799423,0.008870573714375496,0.051476042717695236,-0.05042607709765434],[-0.031779635697603226,-0.02050323784351349,-0.04711635410785675,-0.044591501355171204,0.06945448368787766]]' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm-projection.expected-output11.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-cudnn-lstm-projection.expected-output12.npy' \
// DEFINE:   --expected-output='20xf32=0.0664111525,0.139059573,-0.128367379,0.0869047493,0.149998456,0.125704616,0.0831795931,-0.0531513989,0.00851846673,0.297010958,0.484812349,-0.319875389,0.142987594,0.5820508,-0.66804111,-0.0101635344,0.183166102,-0.316512108,0.0749783963,0.352726877' \
// DEFINE:   --expected-output='20xf32=0.0664111525,0.139059573,-0.128367364,0.0869047493,0.149998456,0.125704601,0.0831795931,-0.0531513989,0.00851846486,0.297010958,0.484812379,-0.319875419,0.142987579,0.5820508,-0.66804111,-0.0101635307,0.183166087,-0.316512108,0.0749784037,0.352726877' \
// DEFINE:   --expected-output='3x5xf32=[[0.06070050597190857,-0.4602511525154114,-1.3298149108886719,0.3348443806171417,-2.016432285308838],[0.9280000925064087,-0.7213941216468811,-0.3268182575702667,-0.13820615410804749,-0.32651036977767944],[0.41039222478866577,-0.26221799850463867,-0.10895121097564697,0.5524067282676697,-1.3363163471221924]]' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[4,3,3],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[2,3,3],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[20,2],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[3,5],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[3,5],f32>) -> (!torch.vtensor<[4,3,3],f32>, !torch.vtensor<[2,3,3],f32>, !torch.vtensor<[4,3,2],f32>, !torch.vtensor<[2,3,3],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[20,2],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[3,5],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[3,5],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[4,3,2],f32>, %arg1: !torch.vtensor<[4,3,3],f32>, %arg2: !torch.vtensor<[1],f32>, %arg3: !torch.vtensor<[2,3,3],f32>, %arg4: !torch.vtensor<[2,3,5],f32>, %arg5: !torch.vtensor<[20,2],f32>, %arg6: !torch.vtensor<[20,3],f32>, %arg7: !torch.vtensor<[20],f32>, %arg8: !torch.vtensor<[20],f32>, %arg9: !torch.vtensor<[3,5],f32>, %arg10: !torch.vtensor<[20,3],f32>, %arg11: !torch.vtensor<[20,3],f32>, %arg12: !torch.vtensor<[20],f32>, %arg13: !torch.vtensor<[20],f32>, %arg14: !torch.vtensor<[3,5],f32>):
    %0 = "torch.prim.ListConstruct"(%arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13, %arg14) : (!torch.vtensor<[20,2],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[3,5],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[3,5],f32>) -> !torch.list<vtensor>
    %1 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
    %2 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %3 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
    %4 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
    %5 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %6 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %7 = "torch.constant.float"() <{value = 0.000000e+00 : f64}> : () -> !torch.float
    %8 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %9 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %10 = "torch.prim.ListConstruct"() : () -> !torch.list<int>
    %11 = "torch.constant.none"() : () -> !torch.none
    %12:5 = "torch.operator"(%arg0, %0, %1, %arg2, %arg3, %arg4, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11) <{name = "torch.aten._cudnn_rnn"}> : (!torch.vtensor<[4,3,2],f32>, !torch.list<vtensor>, !torch.int, !torch.vtensor<[1],f32>, !torch.vtensor<[2,3,3],f32>, !torch.vtensor<[2,3,5],f32>, !torch.int, !torch.int, !torch.int, !torch.int, !torch.bool, !torch.float, !torch.bool, !torch.bool, !torch.list<int>, !torch.none) -> (!torch.vtensor<[4,3,3],f32>, !torch.vtensor<[2,3,3],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[0],ui8>, !torch.vtensor<[1],f32>)
    %13 = "torch.prim.ListConstruct"(%arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13, %arg14) : (!torch.vtensor<[20,2],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[3,5],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[3,5],f32>) -> !torch.list<vtensor>
    %14 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
    %15 = "torch.constant.none"() : () -> !torch.none
    %16 = "torch.constant.none"() : () -> !torch.none
    %17 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %18 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
    %19 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
    %20 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %21 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %22 = "torch.constant.float"() <{value = 0.000000e+00 : f64}> : () -> !torch.float
    %23 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %24 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %25 = "torch.prim.ListConstruct"() : () -> !torch.list<int>
    %26 = "torch.constant.none"() : () -> !torch.none
    %27 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %28 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %29 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %30 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %31 = "torch.prim.ListConstruct"(%27, %28, %29, %30) : (!torch.bool, !torch.bool, !torch.bool, !torch.bool) -> !torch.list<bool>
    %32:4 = "torch.operator"(%arg0, %13, %14, %12#4, %arg3, %arg4, %12#0, %arg1, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %12#3, %31) <{name = "torch.aten._cudnn_rnn_backward"}> : (!torch.vtensor<[4,3,2],f32>, !torch.list<vtensor>, !torch.int, !torch.vtensor<[1],f32>, !torch.vtensor<[2,3,3],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[4,3,3],f32>, !torch.vtensor<[4,3,3],f32>, !torch.none, !torch.none, !torch.int, !torch.int, !torch.int, !torch.int, !torch.bool, !torch.float, !torch.bool, !torch.bool, !torch.list<int>, !torch.none, !torch.vtensor<[0],ui8>, !torch.list<bool>) -> (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[2,3,3],f32>, !torch.vtensor<[2,3,5],f32>, !torch.list<vtensor>)
    %33:10 = "torch.prim.ListUnpack"(%32#3) : (!torch.list<vtensor>) -> (!torch.vtensor<[20,2],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[3,5],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[3,5],f32>)
    "func.return"(%12#0, %12#1, %32#0, %32#1, %12#2, %32#2, %33#0, %33#1, %33#2, %33#3, %33#4, %33#5, %33#6, %33#7, %33#8, %33#9) : (!torch.vtensor<[4,3,3],f32>, !torch.vtensor<[2,3,3],f32>, !torch.vtensor<[4,3,2],f32>, !torch.vtensor<[2,3,3],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[2,3,5],f32>, !torch.vtensor<[20,2],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[3,5],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20,3],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[20],f32>, !torch.vtensor<[3,5],f32>) -> ()
  }) {torch.assume_strict_symbolic_shapes} : () -> ()
}) : () -> ()
