"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[2,2,4],f32>) -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[2,2,4],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[5,2,3],f32>, %arg1: !torch.vtensor<[2,2,4],f32>):
    %0 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_12_3_torch.float32> : tensor<12x3xf32>}> : () -> !torch.vtensor<[12,3],f32>
    %1 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_12_4_torch.float32> : tensor<12x4xf32>}> : () -> !torch.vtensor<[12,4],f32>
    %2 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_12_torch.float32> : tensor<12xf32>}> : () -> !torch.vtensor<[12],f32>
    %3 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_12_torch.float32_1> : tensor<12xf32>}> : () -> !torch.vtensor<[12],f32>
    %4 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_12_4_torch.float32_1> : tensor<12x4xf32>}> : () -> !torch.vtensor<[12,4],f32>
    %5 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_12_4_torch.float32_2> : tensor<12x4xf32>}> : () -> !torch.vtensor<[12,4],f32>
    %6 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_12_torch.float32_2> : tensor<12xf32>}> : () -> !torch.vtensor<[12],f32>
    %7 = "torch.vtensor.literal"() <{value = dense_resource<torch_tensor_12_torch.float32_3> : tensor<12xf32>}> : () -> !torch.vtensor<[12],f32>
    %8 = "torch.prim.ListConstruct"(%0, %1, %2, %3, %4, %5, %6, %7) : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,4],f32>, !torch.vtensor<[12],f32>, !torch.vtensor<[12],f32>, !torch.vtensor<[12,4],f32>, !torch.vtensor<[12,4],f32>, !torch.vtensor<[12],f32>, !torch.vtensor<[12],f32>) -> !torch.list<vtensor>
    %9 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %10 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %11 = "torch.constant.float"() <{value = 0.000000e+00 : f64}> : () -> !torch.float
    %12 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %13 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %14 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %15:2 = "torch.operator"(%arg0, %arg1, %8, %9, %10, %11, %12, %13, %14) <{name = "torch.aten.gru.input"}> : (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[2,2,4],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool) -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[2,2,4],f32>)
    "func.return"(%15#0, %15#1) : (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[2,2,4],f32>) -> ()
  }) {torch.assume_strict_symbolic_shapes} : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_12_3_torch.float32: "0x04000000005475BB5E54893E16B3D2BE8066BCBEF43245BEEC4B093E404F22BCCEFACA3E70BF35BD4C7B073EACBB1ABE7048C9BDB891F4BE528BA9BEE80E53BE00BB973C60694A3E189B993E8C8DADBEFCF45EBE98F7393E4E94D43E48BDD2BD5C91BF3E400DA5BD10B5583D4ACDE73ECE7BEDBE6629A1BEE09E01BEDC9347BE282FDD3E1AEFA5BEC0B06BBE1ADAB2BE76C2EFBE",
      torch_tensor_12_4_torch.float32: "0x04000000047095BE9E0EDC3EBC76643E0027783E406AD73C3A3F83BEC03EAD3D9E06EFBE1AFAB8BEC6F983BE2685A13E2619963EC81163BE20CB93BC40BAA33E827FFE3E24344B3EC8558A3DFEA4AB3EC0BB96BEF8D0BE3D6C7AC6BE186EB1BED23E84BE8CAA673EF8E74D3E6AA497BEC8AD1A3E6E898C3E203F81BD40649C3C0044ED3D00D19E3E48CFF53E9647C5BEECA13BBE9838493ED01BD43EE8C5DE3E22E2E13E78CACB3DF89CDEBE90663C3DAC27A0BE8C94EEBE3E74E33EF0A6C23EFE5DFFBE",
      torch_tensor_12_torch.float32: "0x0400000008AABF3DC880ACBDB882A8BD1C5F6ABE8CE4443E34A197BEDCB13B3E1676813E5C43B73E48713F3E4A5FFDBE0011A6BE",
      torch_tensor_12_torch.float32_1: "0x0400000038A67F3E1853D63D96B3C7BEE86893BEF2D4F03E547FAC3EB03E5FBED4DC00BE78DDF3BE803E13BC78C8C0BEA277C5BE",
      torch_tensor_12_4_torch.float32_1: "0x0400000020B0E1BCA0BF993DF4AD51BE98E7973E38C99BBE6849E83ED06FAF3E64E1D7BE88DBFEBD80D2B83C1867953DD0DDF23D5CEC483EE059F53CCCD179BED445723E5691F5BEA0BB97BE3C2B00BEEC6679BE5C1D33BEBAD2D1BE00D2D9BDF8E2DA3D76C6A6BE4034D2BC0042B73EF08852BD80AC633CC0AD30BD103DCF3D60C6A23EBA7EF23E0693A23EC40CF33E601D14BD66F8E5BE40BA72BECE4FAE3E006B54BBDC7C7EBE022DC4BE0094EFBEEC10D8BE70B4CFBD56648C3E74678A3E02E5F6BE",
      torch_tensor_12_4_torch.float32_2: "0x040000002EB09F3E8A52C8BEF07BD8BD1C9A4FBEF03CC5BD100EC9BDBAB8E5BE440ADDBE283CA0BD80E1D33BB89668BEB8DE403E3A6AE6BEC0360ABDA221E13E38D750BE362BE73E386C393EAE07E7BE74F8A13EF0536CBD708F64BE14B6CC3E54DFCEBEB0C25B3DC064D6BD16D0B63E08EC0E3ECC04763E40D1343E003FF6BD505AD7BD00F7D2BE4CB68A3E2642CB3E5C29AF3EAC93B4BE60AEB63C9076B4BE88EC8CBE302C95BE34F92E3EC48D98BE00BA32BCA04FAC3C0406A53EFA83C1BE44BFAFBE",
      torch_tensor_12_torch.float32_2: "0x040000003CA694BED62EB33ECC0B38BEE0EED73EA024393E40AA813D00ED73BB086DCABD407A803D30D3E9BD003E66BBC0A7823D",
      torch_tensor_12_torch.float32_3: "0x04000000983EC8BE7A2D86BED8B7CE3E86C1CFBE200F13BDC03EFD3E10F4383EC0F0673C26DADDBE2CA27D3E0858B6BEA85611BE"
    }
  }
#-}

