// onnx-lstm-peephole.mlir - peepholes.
// Written by Inputs/onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='4x3x2xf32=[[[2.5298850536346436,0.7548100352287292],[-1.1620160341262817,-0.4079325795173645],[0.19628161191940308,-0.9481531381607056]],[[0.18812566995620728,-1.48729407787323],[-0.2531125843524933,1.4817626476287842],[-0.011167055927217007,-1.5440239906311035]],[[-0.2670997083187103,0.6272786259651184],[0.3161604702472687,-0.8732842206954956],[0.10520877689123154,-0.38249439001083374]],[[1.385109543800354,0.06525649130344391],[0.9415053129196167,-1.6200101375579834],[-0.6499327421188354,-0.49996140599250793]]]' \
// DEFINE:   --input='@%S/Inputs/onnx-lstm-peephole.input1.npy' \
// DEFINE:   --input='@%S/Inputs/onnx-lstm-peephole.input2.npy' \
// DEFINE:   --input='@%S/Inputs/onnx-lstm-peephole.input3.npy' \
// DEFINE:   --input='1x15xf32=[[-1.5250951051712036,0.4125773012638092,-0.08054794371128082,-1.0818511247634888,-1.9390321969985962,0.9347276091575623,-0.08485055714845657,-0.7492873668670654,-0.8300604224205017,0.7421584129333496,-0.31676214933395386,0.8381930589675903,-0.0782981663942337,-0.6342675089836121,0.3151153028011322]]' \
// DEFINE:   --expected-output='@%S/Inputs/onnx-lstm-peephole.expected-output0.npy' \
// DEFINE:   --expected-output='1x3x5xf32=[[[-0.0029526464641094208,0.6306554079055786,7.233066571643576e-05,-0.6839848756790161,0.04905429109930992],[-0.03255266323685646,0.07942155748605728,-0.012975258752703667,-0.016319064423441887,-0.16098840534687042],[-0.00775631470605731,-0.06309159845113754,-0.006614509504288435,-0.13876967132091522,0.16022689640522003]]]' \
// DEFINE:   --expected-output='1x3x5xf32=[[[-0.0034909029491245747,0.8310223817825317,0.005953304469585419,-1.0077192783355713,0.08898771554231644],[-0.8607715368270874,0.5815837383270264,-0.022247977554798126,-0.1573757827281952,-0.8651866912841797],[-0.020640291273593903,-0.15375766158103943,-0.07813800126314163,-0.18867097795009613,0.31621497869491577]]]' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[1,20,2],f32>, !torch.vtensor<[1,20,5],f32>, !torch.vtensor<[1,40],f32>, !torch.vtensor<[1,15],f32>) -> (!torch.vtensor<[4,1,3,5],f32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[1,3,5],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[4,3,2],f32>, %arg1: !torch.vtensor<[1,20,2],f32>, %arg2: !torch.vtensor<[1,20,5],f32>, %arg3: !torch.vtensor<[1,40],f32>, %arg4: !torch.vtensor<[1,15],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:3 = "torch.operator"(%arg0, %arg1, %arg2, %arg3, %0, %0, %0, %arg4) <{name = "onnx.LSTM"}> {torch.onnx.direction = "reverse", torch.onnx.hidden_size = 5 : si64} : (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[1,20,2],f32>, !torch.vtensor<[1,20,5],f32>, !torch.vtensor<[1,40],f32>, !torch.none, !torch.none, !torch.none, !torch.vtensor<[1,15],f32>) -> (!torch.vtensor<[4,1,3,5],f32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[1,3,5],f32>)
    "func.return"(%1#0, %1#1, %1#2) : (!torch.vtensor<[4,1,3,5],f32>, !torch.vtensor<[1,3,5],f32>, !torch.vtensor<[1,3,5],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
