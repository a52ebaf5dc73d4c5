#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> ()>
"builtin.module"() <{sym_name = "jit_loss"}> ({
  "func.func"() <{function_type = (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<144xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x5x3xf32>, %arg1: tensor<1x2x4xf32>, %arg2: tensor<1x2x4xf32>, %arg3: tensor<144xf32>, %arg4: tensor<2xi32>):
    %0 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<144xf32>}> : () -> tensor<144xf32>
    %1 = "arith.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %4:5 = "stablehlo.custom_call"(%arg0, %arg1, %arg2, %arg3, %arg4) <{api_version = 4 : i32, backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}, call_target_name = "cudnn_rnn_ffi"}> : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>) -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
    %5 = "tensor.empty"() : () -> tensor<2x5x4xf32>
    %6 = "linalg.generic"(%4#0, %4#0, %5) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32, %arg26: f32):
      %27 = "arith.mulf"(%arg24, %arg25) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%27) : (f32) -> ()
    }) : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
    %7 = "tensor.empty"() : () -> tensor<f32>
    %8 = "linalg.fill"(%2, %7) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg22: f32, %arg23: f32):
      "linalg.yield"(%arg22) : (f32) -> ()
    }) : (f32, tensor<f32>) -> tensor<f32>
    %9 = "linalg.generic"(%6, %8) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32):
      %26 = "arith.addf"(%arg21, %arg20) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%26) : (f32) -> ()
    }) : (tensor<2x5x4xf32>, tensor<f32>) -> tensor<f32>
    %10 = "tensor.empty"() : () -> tensor<2x5x4xf32>
    %11 = "linalg.generic"(%1, %10) <{indexing_maps = [#map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg18: f32, %arg19: f32):
      "linalg.yield"(%arg18) : (f32) -> ()
    }) : (tensor<f32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
    %12 = "tensor.empty"() : () -> tensor<2x5x4xf32>
    %13 = "linalg.generic"(%4#0, %11, %12) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg15: f32, %arg16: f32, %arg17: f32):
      %25 = "arith.mulf"(%arg15, %arg16) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%25) : (f32) -> ()
    }) : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
    %14 = "tensor.empty"() : () -> tensor<2x5x4xf32>
    %15 = "linalg.generic"(%11, %4#0, %14) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg12: f32, %arg13: f32, %arg14: f32):
      %24 = "arith.mulf"(%arg12, %arg13) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%24) : (f32) -> ()
    }) : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
    %16 = "tensor.empty"() : () -> tensor<2x5x4xf32>
    %17 = "linalg.generic"(%13, %15, %16) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg9: f32, %arg10: f32, %arg11: f32):
      %23 = "arith.addf"(%arg9, %arg10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%23) : (f32) -> ()
    }) : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
    %18 = "tensor.empty"() : () -> tensor<1x2x4xf32>
    %19 = "linalg.generic"(%3, %18) <{indexing_maps = [#map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg7: f32, %arg8: f32):
      "linalg.yield"(%arg7) : (f32) -> ()
    }) : (tensor<f32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
    %20 = "tensor.empty"() : () -> tensor<1x2x4xf32>
    %21 = "linalg.generic"(%3, %20) <{indexing_maps = [#map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg5: f32, %arg6: f32):
      "linalg.yield"(%arg5) : (f32) -> ()
    }) : (tensor<f32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
    %22:5 = "stablehlo.custom_call"(%17, %19, %21, %arg0, %arg1, %arg2, %arg3, %4#0, %4#4, %0, %arg4) <{api_version = 4 : i32, backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}, call_target_name = "cudnn_rnn_bwd_ffi", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [3], operand_index = 9, operand_tuple_indices = []>]}> : (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2x5x4xf32>, tensor<2000xf32>, tensor<144xf32>, tensor<2xi32>) -> (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<1000xf32>)
    "func.return"(%9, %22#3) : (tensor<f32>, tensor<144xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()

