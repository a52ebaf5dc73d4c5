// torch-rnn-tanh.mlir - a plain layer without biases.
// Written by Inputs/torch_modules.py with iree-base-compiler 3.13.0, torch 2.15.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='4x3x2xf32=[[[0.800518810749054,-1.2431896924972534],[-1.7177518606185913,-0.5823886394500732],[-0.6153447031974792,1.5496190786361694]],[[0.5989000201225281,-0.6376677751541138],[0.5087057948112488,1.1178117990493774],[1.1285712718963623,0.14159850776195526]],[[-0.5458229780197144,-0.5368224382400513],[0.82888263463974,1.0570697784423828],[-0.43833473324775696,1.15718674659729]],[[0.08894287794828415,0.2658737301826477],[-0.19068138301372528,0.3836374580860138],[1.9125689268112183,-1.2145036458969116]]]' \
// DEFINE:   --input='1x3x5xf32=[[[-0.7923216819763184,-1.524890661239624,-0.19970311224460602,-0.08208158612251282,-1.0586684942245483],[0.334371954202652,-0.7803784608840942,0.0803963914513588,0.571880578994751,1.5957592725753784],[2.412980318069458,1.9781975746154785,0.13973794877529144,-1.0684010982513428,0.38517436385154724]]]' \
// DEFINE:   --expected-output='@%S/Inputs/torch-rnn-tanh.expected-output0.npy' \
// DEFINE:   --expected-output='1x3x5xf32=[[[-0.07374922931194305,0.06651630997657776,0.1755204051733017,0.16487368941307068,0.21999302506446838],[-0.020195353776216507,0.02098259888589382,-0.24626678228378296,-0.10218069702386856,-0.004859364591538906],[0.262368768453598,-0.04426751658320427,-0.43567022681236267,-0.719281792640686,-0.5906592607498169]]]' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[1,3,5],f32>) -> (!torch.vtensor<[4,3,5],f32>, !torch.vtensor<[1,3,5],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[4,3,2],f32>, %arg1: !torch.vtensor<[1,3,5],f32>):
    %0 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_2_torch.float32> : tensor<5x2xf32>}> : () -> !torch.vtensor<[5,2],f32>
    %1 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_5_torch.float32> : tensor<5x5xf32>}> : () -> !torch.vtensor<[5,5],f32>
    %2 = "torch.prim.ListConstruct"(%0, %1) : (!torch.vtensor<[5,2],f32>, !torch.vtensor<[5,5],f32>) -> !torch.list<vtensor>
    %3 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %4 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %5 = "torch.constant.float"() <{value = 0.000000e+00 : f64}> : () -> !torch.float
    %6 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %7 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %8 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %9:2 = "torch.operator"(%arg0, %arg1, %2, %3, %4, %5, %6, %7, %8) <{name = "torch.aten.rnn_tanh.input"}> : (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[1,3,5],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool) -> (!torch.vtensor<[4,3,5],f32>, !torch.vtensor<[1,3,5],f32>)
    "func.return"(%9#0, %9#1) : (!torch.vtensor<[4,3,5],f32>, !torch.vtensor<[1,3,5],f32>) -> ()
  }) {torch.assume_strict_symbolic_shapes} : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_5_2_torch.float32: "0x04000000F2E1FF3C9EEE89BE2AD2113EDCB10F3E0EC374BE834589BD952386BE3DA6ED3D4CB6F6BDB8DCA03E",
      torch_tensor_5_5_torch.float32: "0x04000000898BA23EDA9A3A3D963B43BE757D86BE8C2A49BD0BE100BE51D8493EFC84C3BEBA32D73EE59CB3BE6956AF3E900C9FBD0E906B3EA675323E8A5B993C9AC7AA3D60E2AD3E3D8CEB3D62F6723ED71FB1BEBD00A33E739C1D3E32FFE73D840D7D3DB53B5F3E"
    }
  }
#-}
