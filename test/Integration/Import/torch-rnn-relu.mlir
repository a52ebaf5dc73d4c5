// torch-rnn-relu.mlir - a plain layer with ReLU.
// Written by Inputs/torch_modules.py with iree-base-compiler 3.13.0, torch 2.15.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='4x3x2xf32=[[[0.3146284222602844,-1.01921546459198],[0.32316654920578003,-0.017004620283842087],[1.1831436157226562,1.5537463426589966]],[[-0.16811923682689667,-0.7147703766822815],[-0.5042466521263123,0.7091377973556519],[0.018079595640301704,-0.8599509000778198]],[[1.013310432434082,-0.8054738640785217],[0.056022606790065765,-1.3127210140228271],[2.4659063816070557,0.9798095226287842]],[[-0.5967356562614441,-0.8111327290534973],[-1.159781813621521,0.5927600264549255],[-0.1436571627855301,1.213051438331604]]]' \
// DEFINE:   --input='@%S/Inputs/torch-rnn-relu.input1.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-rnn-relu.expected-output0.npy' \
// DEFINE:   --expected-output='@%S/Inputs/torch-rnn-relu.expected-output1.npy' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[4,3,5],f32>) -> (!torch.vtensor<[4,3,10],f32>, !torch.vtensor<[4,3,5],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[4,3,2],f32>, %arg1: !torch.vtensor<[4,3,5],f32>):
    %0 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_2_torch.float32> : tensor<5x2xf32>}> : () -> !torch.vtensor<[5,2],f32>
    %1 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_5_torch.float32> : tensor<5x5xf32>}> : () -> !torch.vtensor<[5,5],f32>
    %2 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_torch.float32> : tensor<5xf32>}> : () -> !torch.vtensor<[5],f32>
    %3 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_torch.float32_1> : tensor<5xf32>}> : () -> !torch.vtensor<[5],f32>
    %4 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_2_torch.float32_1> : tensor<5x2xf32>}> : () -> !torch.vtensor<[5,2],f32>
    %5 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_5_torch.float32_1> : tensor<5x5xf32>}> : () -> !torch.vtensor<[5,5],f32>
    %6 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_torch.float32_2> : tensor<5xf32>}> : () -> !torch.vtensor<[5],f32>
    %7 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_torch.float32_3> : tensor<5xf32>}> : () -> !torch.vtensor<[5],f32>
    %8 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_10_torch.float32> : tensor<5x10xf32>}> : () -> !torch.vtensor<[5,10],f32>
    %9 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_5_torch.float32_2> : tensor<5x5xf32>}> : () -> !torch.vtensor<[5,5],f32>
    %10 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_torch.float32_4> : tensor<5xf32>}> : () -> !torch.vtensor<[5],f32>
    %11 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_torch.float32_5> : tensor<5xf32>}> : () -> !torch.vtensor<[5],f32>
    %12 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_10_torch.float32_1> : tensor<5x10xf32>}> : () -> !torch.vtensor<[5,10],f32>
    %13 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_5_torch.float32_3> : tensor<5x5xf32>}> : () -> !torch.vtensor<[5,5],f32>
    %14 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_torch.float32_6> : tensor<5xf32>}> : () -> !torch.vtensor<[5],f32>
    %15 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_5_torch.float32_7> : tensor<5xf32>}> : () -> !torch.vtensor<[5],f32>
    %16 = "torch.prim.ListConstruct"(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15) : (!torch.vtensor<[5,2],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5,2],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5,10],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5,10],f32>, !torch.vtensor<[5,5],f32>, !torch.vtensor<[5],f32>, !torch.vtensor<[5],f32>) -> !torch.list<vtensor>
    %17 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %18 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %19 = "torch.constant.float"() <{value = 0.000000e+00 : f64}> : () -> !torch.float
    %20 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %21 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %22 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %23:2 = "torch.operator"(%arg0, %arg1, %16, %17, %18, %19, %20, %21, %22) <{name = "torch.aten.rnn_relu.input"}> : (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[4,3,5],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool) -> (!torch.vtensor<[4,3,10],f32>, !torch.vtensor<[4,3,5],f32>)
    "func.return"(%23#0, %23#1) : (!torch.vtensor<[4,3,10],f32>, !torch.vtensor<[4,3,5],f32>) -> ()
  }) {torch.assume_strict_symbolic_shapes} : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_5_2_torch.float32: "0x04000000F2E1FF3C9EEE89BE2AD2113EDCB10F3E0EC374BE834589BD952386BE3DA6ED3D4CB6F6BDB8DCA03E",
      torch_tensor_5_5_torch.float32: "0x04000000898BA23EDA9A3A3D963B43BE757D86BE8C2A49BD0BE100BE51D8493EFC84C3BEBA32D73EE59CB3BE6956AF3E900C9FBD0E906B3EA675323E8A5B993C9AC7AA3D60E2AD3E3D8CEB3D62F6723ED71FB1BEBD00A33E739C1D3E32FFE73D840D7D3DB53B5F3E",
      torch_tensor_5_torch.float32: "0x04000000F74BD23E0ECDCBBD18207FBE5C6FE6BD378E8BBE",
      torch_tensor_5_torch.float32_1: "0x040000005A4B5C3EEE5562BEDD6774BE8490C53E3087D13E",
      torch_tensor_5_2_torch.float32_1: "0x0400000076AE523D3C999EBDB5746CBDD4F0583E7ECFD5BE9020BBBEDFE7B63E3C0DE23E36B5D9BC84ECB4BE",
      torch_tensor_5_5_torch.float32_1: "0x040000005933483CB60B55BEB56161BAFA25603EADB84A3EF1CD56BD12AC493D753FF93D8679B3BE0F431BBE28718F3C81A782BE450048BE67D0193ED8C7833E0A55CD3B5F2232BE86BC7A3E7F087BBE40FBD6BDB501D83EB1AEA83DEE11013D74611A3E2558DFBD",
      torch_tensor_5_torch.float32_2: "0x04000000ACE7C33E23C1BABE0FF1FBBD00549EBDC46E3CBE",
      torch_tensor_5_torch.float32_3: "0x040000004DAFE2BD30E88D3ECB457B3E21B5CB3C8F7AC73E",
      torch_tensor_5_10_torch.float32: "0x04000000B4AAA1BE5B8988BE66E84E3EB3EAC4BC2BA9D0BE7F7C9EBE50648BBED8D0B03E65634F3EC822B13EFC77AABEBD3DDFBE732796BEA3F7433D46E5B4BD034B90BECDAFA63E64AE13BEDB6E84BEDB88533EBCC6F6BD40F9913E4147DA3D8BC4343C7945C03D010EACBEE80675BE5B3B57BE2B9081BEF268A23DD4FAB63D3A463EBE1744953ED7CC7EBE15E9B83DCCC302BE279EC6BE731895BEB00F3B3EC038353E29968DBE8FCD0EBE040ED6BE842A763EB3FDC53E7DC2153E4FAD8DBE688C713E8F05BE3ED460BBBD",
      torch_tensor_5_5_torch.float32_2: "0x040000003E2396BDFD801E3EFFA76B3D505B17BE3092D4BE4E8EA0BE0C66C63CDC86C4BCFB13BD3EF2C37A3CE1D3EBBD7FBADFBE4C86D2BE413B3E3E72F2CB3EE658DEBB1FA8CCBED396223E527EBA3EF98B97BEE923F1BD600F1A3DEE9482BE5950D4BE987A483E",
      torch_tensor_5_torch.float32_4: "0x040000000FE4BBBE6CE5E5BD7A2973BE7232AC3E7DD7B03D",
      torch_tensor_5_torch.float32_5: "0x04000000085F543EBE0D9BBE42F5C03E6236233D3EFE7DBE",
      torch_tensor_5_10_torch.float32_1: "0x0400000002A9EFBC3B20A2BE9E1BA9BCB4B87F3EEDDD4DBE828BC13EABD20B3EB044A0BD7F0D0F3E0CBBA8BD4ADED4BD4F3996BE216B853E8073893E8ECD1C3EBF6B873E35C1E43E899AD73ECAF7DCBEBED7D03D57D71CBDAB7F1B3E91A0B1BD6AA2FF3D6EADD2BE064F513E73FBDB3EB5B6A4BDA621B6BED256BEBE28B4AFBD61ABDDBBA04C4C3DD3D5653D4078AC3E6429A6BDDEAF023EEC6173BE7A34E13ECDBB2F3EEB0A7EBD7484963E5E1B223EE0129D3DF92F07BE6455663D5FF6023D55C785BEA0B2D13B0201C83D",
      torch_tensor_5_5_torch.float32_3: "0x04000000939F87BE4F9AA33D970118BE4F7FBEBE2D2189BEBBB9B5BE3FF7D33D0B108C3E822AD03E5382E03E8B5F343E5DFB5F3E65319CBD9D49BD3EE8142FBE4CE2F8BDDF6818BE3C7E99BE8678B0BEEEB4BABDF70EB93EEE2164BEF5DFCFBEA943D1BD547BCF3E",
      torch_tensor_5_torch.float32_6: "0x0400000065E8DC3DA493E7BCC3E802BE260CC93E9805DCBE",
      torch_tensor_5_torch.float32_7: "0x0400000010BF813E1DAEF83D74898F3E84B684BEE32616BE"
    }
  }
#-}
