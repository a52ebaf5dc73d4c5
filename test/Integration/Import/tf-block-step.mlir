// tf-block-step.mlir - a loss of tf.raw_ops.BlockLSTM and its gradient.
// Written by Inputs/tf_modules.py with tensorflow-cpu 2.21.0, jaxlib 0.10.2.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='@%S/Inputs/tf-block-step.input0.npy' \
// DEFINE:   --input='@%S/Inputs/tf-block-step.input1.npy' \
// DEFINE:   --input='16xf32=2.46313214,-0.246133551,-0.555865765,-1.17115688,-1.33501101,0.524983227,0.850803018,0.00917472132,0.332575977,0.11591658,0.138654843,-1.52615905,-0.45811826,0.111479305,-0.783166766,-0.476429731' \
// DEFINE:   --expected-output='f32=0.0474668853' \
// DEFINE:   --expected-output='@%S/Inputs/tf-block-step.expected-output1.npy' \
// DEFINE:   --atol=1e-5 --rtol=1e-5
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> ()>
#map2 = affine_map<() -> ()>
"builtin.module"() ({
  "func.func"() <{arg_attrs = [{rnn.name = "x"}, {rnn.name = "w"}, {rnn.name = "b"}], function_type = (tensor<5x2x3xf32>, tensor<7x16xf32>, tensor<16xf32>) -> (tensor<f32>, tensor<7x16xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<5x2x3xf32>, %arg1: tensor<7x16xf32>, %arg2: tensor<16xf32>):
    %0 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 4.000000e+01 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = -0.000000e+00 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 2.500000e-02 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<5x2x4xf32>}> : () -> tensor<5x2x4xf32>
    %5 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<4xf32>}> : () -> tensor<4xf32>
    %6 = "arith.constant"() <{value = dense<5> : tensor<i64>}> : () -> tensor<i64>
    %7 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<2x4xf32>}> : () -> tensor<2x4xf32>
    %8:7 = "tf.BlockLSTM"(%6, %arg0, %7, %7, %arg1, %5, %5, %5, %arg2) {T = f32, cell_clip = 0.000000e+00 : f32, device = "", forget_bias = 1.000000e+00 : f32, use_peephole = false} : (tensor<i64>, tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>) -> (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>)
    %9 = "tensor.empty"() : () -> tensor<5x2x4xf32>
    %10 = "linalg.generic"(%8#6, %9) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32):
      %32 = "math.tanh"(%arg27) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%32) : (f32) -> ()
    }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
    %11 = "linalg.generic"(%10, %9) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32):
      %31 = "arith.mulf"(%arg25, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%31) : (f32) -> ()
    }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
    %12 = "linalg.generic"(%10, %8#6, %9) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg22: f32, %arg23: f32, %arg24: f32):
      %30 = "arith.mulf"(%arg22, %arg23) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%30) : (f32) -> ()
    }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
    %13 = "tensor.empty"() : () -> tensor<f32>
    %14 = "linalg.fill"(%2, %13) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32):
      "linalg.yield"(%arg20) : (f32) -> ()
    }) : (f32, tensor<f32>) -> tensor<f32>
    %15 = "linalg.generic"(%12, %14) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg18: f32, %arg19: f32):
      %29 = "arith.addf"(%arg19, %arg18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%29) : (f32) -> ()
    }) : (tensor<5x2x4xf32>, tensor<f32>) -> tensor<f32>
    %16 = "linalg.generic"(%15, %13) <{indexing_maps = [#map2, #map2], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg16: f32, %arg17: f32):
      %28 = "arith.divf"(%arg16, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%28) : (f32) -> ()
    }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %17 = "linalg.generic"(%8#6, %9) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg14: f32, %arg15: f32):
      %27 = "arith.mulf"(%arg14, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%27) : (f32) -> ()
    }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
    %18 = "linalg.generic"(%10, %10, %9) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg11: f32, %arg12: f32, %arg13: f32):
      %26 = "arith.mulf"(%arg11, %arg12) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%26) : (f32) -> ()
    }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
    %19 = "linalg.generic"(%18, %9) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg9: f32, %arg10: f32):
      %25 = "arith.subf"(%0, %arg9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%25) : (f32) -> ()
    }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
    %20 = "linalg.generic"(%17, %19, %9) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg6: f32, %arg7: f32, %arg8: f32):
      %24 = "arith.mulf"(%arg6, %arg7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%24) : (f32) -> ()
    }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
    %21 = "linalg.generic"(%11, %20, %9) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg3: f32, %arg4: f32, %arg5: f32):
      %23 = "arith.addf"(%arg3, %arg4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%23) : (f32) -> ()
    }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
    %22:8 = "tf.BlockLSTMGrad"(%6, %arg0, %7, %7, %arg1, %5, %5, %5, %arg2, %8#0, %8#1, %8#2, %8#3, %8#4, %8#5, %8#6, %4, %21) {T = f32, device = "", use_peephole = false} : (tensor<i64>, tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> (tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>)
    "func.return"(%16, %22#3) : (tensor<f32>, tensor<7x16xf32>) -> ()
  }) {allow_soft_placement = false} : () -> ()
}) : () -> ()
