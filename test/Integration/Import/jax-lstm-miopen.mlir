// jax-lstm-miopen.mlir - the same with the names and the gate order of MIOpen.
// Written by Inputs/jax_modules.py with JAX 0.10.2, jaxlib 0.10.2.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='@%S/Inputs/jax-lstm-miopen.input0.npy' \
// DEFINE:   --input='@%S/Inputs/jax-lstm-miopen.input1.npy' \
// DEFINE:   --input='@%S/Inputs/jax-lstm-miopen.input2.npy' \
// DEFINE:   --input='@%S/Inputs/jax-lstm-miopen.input3.npy' \
// DEFINE:   --input='2xi32=4,5' \
// DEFINE:   --expected-output='f32=5.78987598' \
// DEFINE:   --expected-output='@%S/Inputs/jax-lstm-miopen.expected-output1.npy' \
// DEFINE:   --expected-output='@%S/Inputs/jax-lstm-miopen.expected-output2.npy' \
// DEFINE:   --expected-output='@%S/Inputs/jax-lstm-miopen.expected-output3.npy' \
// DEFINE:   --expected-output='@%S/Inputs/jax-lstm-miopen.expected-output4.npy' \
// DEFINE:   --atol=1e-5 --rtol=1e-5
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused
// RUN: %{main} --target=simt --lowering=fused

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> ()>
#map2 = affine_map<() -> ()>
"builtin.module"() <{sym_name = "jit_loss"}> ({
  "func.func"() <{function_type = (tensor<2x5x3xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<736xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2x5x3xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<736xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1][0]"}, {jax.result_info = "result[1][1]"}, {jax.result_info = "result[1][2]"}, {jax.result_info = "result[1][3]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x5x3xf32>, %arg1: tensor<4x2x4xf32>, %arg2: tensor<4x2x4xf32>, %arg3: tensor<736xf32>, %arg4: tensor<2xi32>):
    %0 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<736xf32>}> : () -> tensor<736xf32>
    %1 = "arith.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %3:5 = "stablehlo.custom_call"(%arg0, %arg1, %arg2, %arg3, %arg4) <{api_version = 4 : i32, backend_config = {opaque = "\03\00\00\00\04\00\00\00\02\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\01\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}, call_target_name = "hipdnn_rnn_ffi"}> : (tensor<2x5x3xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<736xf32>, tensor<2xi32>) -> (tensor<2x5x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
    %4 = "tensor.empty"() : () -> tensor<2x5x8xf32>
    %5 = "linalg.generic"(%3#0, %3#0, %4) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg50: f32, %arg51: f32, %arg52: f32):
      %52 = "arith.mulf"(%arg50, %arg51) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%52) : (f32) -> ()
    }) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %6 = "tensor.empty"() : () -> tensor<2x5x8xf32>
    %7 = "linalg.generic"(%5, %3#0, %6) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg47: f32, %arg48: f32, %arg49: f32):
      %51 = "arith.mulf"(%arg47, %arg48) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%51) : (f32) -> ()
    }) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %8 = "tensor.empty"() : () -> tensor<f32>
    %9 = "linalg.fill"(%2, %8) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg45: f32, %arg46: f32):
      "linalg.yield"(%arg45) : (f32) -> ()
    }) : (f32, tensor<f32>) -> tensor<f32>
    %10 = "linalg.generic"(%7, %9) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg43: f32, %arg44: f32):
      %50 = "arith.addf"(%arg44, %arg43) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%50) : (f32) -> ()
    }) : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<f32>
    %11 = "tensor.empty"() : () -> tensor<4x2x4xf32>
    %12 = "linalg.generic"(%3#1, %3#2, %11) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32, %arg42: f32):
      %49 = "arith.mulf"(%arg40, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%49) : (f32) -> ()
    }) : (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) -> tensor<4x2x4xf32>
    %13 = "tensor.empty"() : () -> tensor<f32>
    %14 = "linalg.fill"(%2, %13) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg38: f32, %arg39: f32):
      "linalg.yield"(%arg38) : (f32) -> ()
    }) : (f32, tensor<f32>) -> tensor<f32>
    %15 = "linalg.generic"(%12, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg36: f32, %arg37: f32):
      %48 = "arith.addf"(%arg37, %arg36) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%48) : (f32) -> ()
    }) : (tensor<4x2x4xf32>, tensor<f32>) -> tensor<f32>
    %16 = "tensor.empty"() : () -> tensor<f32>
    %17 = "linalg.generic"(%10, %15, %16) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg33: f32, %arg34: f32, %arg35: f32):
      %47 = "arith.addf"(%arg33, %arg34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%47) : (f32) -> ()
    }) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %18 = "tensor.empty"() : () -> tensor<4x2x4xf32>
    %19 = "linalg.generic"(%1, %18) <{indexing_maps = [#map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32):
      "linalg.yield"(%arg31) : (f32) -> ()
    }) : (tensor<f32>, tensor<4x2x4xf32>) -> tensor<4x2x4xf32>
    %20 = "tensor.empty"() : () -> tensor<4x2x4xf32>
    %21 = "linalg.generic"(%3#1, %19, %20) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg28: f32, %arg29: f32, %arg30: f32):
      %46 = "arith.mulf"(%arg28, %arg29) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%46) : (f32) -> ()
    }) : (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) -> tensor<4x2x4xf32>
    %22 = "tensor.empty"() : () -> tensor<4x2x4xf32>
    %23 = "linalg.generic"(%19, %3#2, %22) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32, %arg27: f32):
      %45 = "arith.mulf"(%arg25, %arg26) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%45) : (f32) -> ()
    }) : (tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>) -> tensor<4x2x4xf32>
    %24 = "tensor.empty"() : () -> tensor<2x5x8xf32>
    %25 = "linalg.generic"(%1, %24) <{indexing_maps = [#map1, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg23: f32, %arg24: f32):
      "linalg.yield"(%arg23) : (f32) -> ()
    }) : (tensor<f32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %26 = "tensor.empty"() : () -> tensor<2x5x8xf32>
    %27 = "linalg.generic"(%5, %25, %26) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32, %arg22: f32):
      %44 = "arith.mulf"(%arg20, %arg21) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%44) : (f32) -> ()
    }) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %28 = "tensor.empty"() : () -> tensor<2x5x8xf32>
    %29 = "linalg.generic"(%25, %3#0, %28) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg17: f32, %arg18: f32, %arg19: f32):
      %43 = "arith.mulf"(%arg17, %arg18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%43) : (f32) -> ()
    }) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %30 = "tensor.empty"() : () -> tensor<2x5x8xf32>
    %31 = "linalg.generic"(%3#0, %29, %30) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg14: f32, %arg15: f32, %arg16: f32):
      %42 = "arith.mulf"(%arg14, %arg15) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%42) : (f32) -> ()
    }) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %32 = "tensor.empty"() : () -> tensor<2x5x8xf32>
    %33 = "linalg.generic"(%27, %31, %32) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg11: f32, %arg12: f32, %arg13: f32):
      %41 = "arith.addf"(%arg11, %arg12) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%41) : (f32) -> ()
    }) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %34 = "tensor.empty"() : () -> tensor<2x5x8xf32>
    %35 = "linalg.generic"(%29, %3#0, %34) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg8: f32, %arg9: f32, %arg10: f32):
      %40 = "arith.mulf"(%arg8, %arg9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%40) : (f32) -> ()
    }) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %36 = "tensor.empty"() : () -> tensor<2x5x8xf32>
    %37 = "linalg.generic"(%33, %35, %36) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg5: f32, %arg6: f32, %arg7: f32):
      %39 = "arith.addf"(%arg5, %arg6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%39) : (f32) -> ()
    }) : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %38:5 = "stablehlo.custom_call"(%37, %23, %21, %arg0, %arg1, %arg2, %arg3, %3#0, %3#4, %0, %arg4) <{api_version = 4 : i32, backend_config = {opaque = "\03\00\00\00\04\00\00\00\02\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\01\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}, call_target_name = "hipdnn_rnn_bwd_ffi", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [3], operand_index = 9, operand_tuple_indices = []>]}> : (tensor<2x5x8xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<2x5x3xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<736xf32>, tensor<2x5x8xf32>, tensor<2000xf32>, tensor<736xf32>, tensor<2xi32>) -> (tensor<2x5x3xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<736xf32>, tensor<1000xf32>)
    "func.return"(%17, %38#0, %38#1, %38#2, %38#3) : (tensor<f32>, tensor<2x5x3xf32>, tensor<4x2x4xf32>, tensor<4x2x4xf32>, tensor<736xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
