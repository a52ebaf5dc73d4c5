// tf-block-while.mlir - a layer in a while loop.
// Written by Inputs/tf_modules.py with tensorflow-cpu 2.21.0, jaxlib 0.10.2.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='@%S/Inputs/tf-block-while.input0.npy' \
// DEFINE:   --input='@%S/Inputs/tf-block-while.input1.npy' \
// DEFINE:   --input='16xf32=2.46313214,-0.246133551,-0.555865765,-1.17115688,-1.33501101,0.524983227,0.850803018,0.00917472132,0.332575977,0.11591658,0.138654843,-1.52615905,-0.45811826,0.111479305,-0.783166766,-0.476429731' \
// DEFINE:   --expected-output='@%S/Inputs/tf-block-while.expected-output0.npy' \
// DEFINE:   --atol=1e-5 --rtol=1e-5
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

#map = affine_map<() -> ()>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
"builtin.module"() ({
  "func.func"() <{arg_attrs = [{rnn.name = "x"}, {rnn.name = "w"}, {rnn.name = "b"}], function_type = (tensor<5x2x3xf32>, tensor<7x16xf32>, tensor<16xf32>) -> tensor<7x16xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<5x2x3xf32>, %arg1: tensor<7x16xf32>, %arg2: tensor<16xf32>):
    %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 2.500000e-02 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 2 : i32}> : () -> i32
    %4 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<2x4xf32>}> : () -> tensor<2x4xf32>
    %5 = "arith.constant"() <{value = dense<5> : tensor<i64>}> : () -> tensor<i64>
    %6 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<4xf32>}> : () -> tensor<4xf32>
    %7 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<5x2x4xf32>}> : () -> tensor<5x2x4xf32>
    %8 = "arith.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %9 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<7x16xf32>}> : () -> tensor<7x16xf32>
    %10:3 = "scf.while"(%8, %8, %9) ({
    ^bb0(%arg30: tensor<i32>, %arg31: tensor<i32>, %arg32: tensor<7x16xf32>):
      %36 = "tensor.empty"() : () -> tensor<i1>
      %37 = "linalg.generic"(%arg31, %36) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg33: i32, %arg34: i1):
        %39 = "arith.cmpi"(%arg33, %3) <{predicate = 2 : i64}> : (i32, i32) -> i1
        "linalg.yield"(%39) : (i1) -> ()
      }) : (tensor<i32>, tensor<i1>) -> tensor<i1>
      %38 = "tensor.extract"(%37) : (tensor<i1>) -> i1
      "scf.condition"(%38, %arg30, %arg31, %arg32) : (i1, tensor<i32>, tensor<i32>, tensor<7x16xf32>) -> ()
    }, {
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<7x16xf32>):
      %11:7 = "tf.BlockLSTM"(%5, %arg0, %4, %4, %arg1, %6, %6, %6, %arg2) {T = f32, cell_clip = 0.000000e+00 : f32, device = "", forget_bias = 1.000000e+00 : f32, use_peephole = false} : (tensor<i64>, tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>) -> (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>)
      %12 = "tensor.empty"() : () -> tensor<5x2x4xf32>
      %13 = "linalg.generic"(%11#6, %12) <{indexing_maps = [#map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg28: f32, %arg29: f32):
        %35 = "arith.mulf"(%arg28, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%35) : (f32) -> ()
      }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
      %14 = "linalg.generic"(%11#6, %12) <{indexing_maps = [#map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg26: f32, %arg27: f32):
        %34 = "math.tanh"(%arg26) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
        "linalg.yield"(%34) : (f32) -> ()
      }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
      %15 = "linalg.generic"(%14, %14, %12) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg23: f32, %arg24: f32, %arg25: f32):
        %33 = "arith.mulf"(%arg23, %arg24) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%33) : (f32) -> ()
      }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
      %16 = "linalg.generic"(%15, %12) <{indexing_maps = [#map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg21: f32, %arg22: f32):
        %32 = "arith.subf"(%1, %arg21) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%32) : (f32) -> ()
      }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
      %17 = "linalg.generic"(%13, %16, %12) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg18: f32, %arg19: f32, %arg20: f32):
        %31 = "arith.mulf"(%arg18, %arg19) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%31) : (f32) -> ()
      }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
      %18 = "linalg.generic"(%14, %12) <{indexing_maps = [#map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg16: f32, %arg17: f32):
        %30 = "arith.mulf"(%arg16, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%30) : (f32) -> ()
      }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
      %19 = "linalg.generic"(%18, %17, %12) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg13: f32, %arg14: f32, %arg15: f32):
        %29 = "arith.addf"(%arg13, %arg14) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%29) : (f32) -> ()
      }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
      %20 = "tensor.empty"() : () -> tensor<i32>
      %21 = "linalg.generic"(%arg4, %20) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg11: i32, %arg12: i32):
        %28 = "arith.addi"(%arg11, %0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
        "linalg.yield"(%28) : (i32) -> ()
      }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %22 = "linalg.generic"(%arg3, %20) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg9: i32, %arg10: i32):
        %27 = "arith.addi"(%arg9, %0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
        "linalg.yield"(%27) : (i32) -> ()
      }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %23:8 = "tf.BlockLSTMGrad"(%5, %arg0, %4, %4, %arg1, %6, %6, %6, %arg2, %11#0, %11#1, %11#2, %11#3, %11#4, %11#5, %11#6, %7, %19) {T = f32, device = "", use_peephole = false} : (tensor<i64>, tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> (tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>)
      %24 = "tensor.empty"() : () -> tensor<7x16xf32>
      %25 = "linalg.generic"(%arg5, %23#3, %24) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg6: f32, %arg7: f32, %arg8: f32):
        %26 = "arith.addf"(%arg6, %arg7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%26) : (f32) -> ()
      }) : (tensor<7x16xf32>, tensor<7x16xf32>, tensor<7x16xf32>) -> tensor<7x16xf32>
      "scf.yield"(%22, %21, %25) : (tensor<i32>, tensor<i32>, tensor<7x16xf32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<7x16xf32>) -> (tensor<i32>, tensor<i32>, tensor<7x16xf32>)
    "func.return"(%10#2) : (tensor<7x16xf32>) -> ()
  }) {allow_soft_placement = false} : () -> ()
}) : () -> ()
