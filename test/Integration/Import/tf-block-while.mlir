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
  "func.func"() <{function_type = (tensor<5x2x3xf32>, tensor<7x16xf32>, tensor<16xf32>) -> tensor<7x16xf32>, sym_name = "main"}> ({
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
      %43 = "tensor.empty"() : () -> tensor<i1>
      %44 = "linalg.generic"(%arg31, %43) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg33: i32, %arg34: i1):
        %46 = "arith.cmpi"(%arg33, %3) <{predicate = 2 : i64}> : (i32, i32) -> i1
        "linalg.yield"(%46) : (i1) -> ()
      }) : (tensor<i32>, tensor<i1>) -> tensor<i1>
      %45 = "tensor.extract"(%44) : (tensor<i1>) -> i1
      "scf.condition"(%45, %arg30, %arg31, %arg32) : (i1, tensor<i32>, tensor<i32>, tensor<7x16xf32>) -> ()
    }, {
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<7x16xf32>):
      %11:7 = "tf.BlockLSTM"(%5, %arg0, %4, %4, %arg1, %6, %6, %6, %arg2) {T = f32, cell_clip = 0.000000e+00 : f32, device = "", forget_bias = 1.000000e+00 : f32, use_peephole = false} : (tensor<i64>, tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>) -> (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>)
      %12 = "tensor.empty"() : () -> tensor<5x2x4xf32>
      %13 = "linalg.generic"(%11#6, %12) <{indexing_maps = [#map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg28: f32, %arg29: f32):
        %42 = "arith.mulf"(%arg28, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%42) : (f32) -> ()
      }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
      %14 = "tensor.empty"() : () -> tensor<5x2x4xf32>
      %15 = "linalg.generic"(%11#6, %14) <{indexing_maps = [#map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg26: f32, %arg27: f32):
        %41 = "math.tanh"(%arg26) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
        "linalg.yield"(%41) : (f32) -> ()
      }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
      %16 = "tensor.empty"() : () -> tensor<5x2x4xf32>
      %17 = "linalg.generic"(%15, %15, %16) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg23: f32, %arg24: f32, %arg25: f32):
        %40 = "arith.mulf"(%arg23, %arg24) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%40) : (f32) -> ()
      }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
      %18 = "tensor.empty"() : () -> tensor<5x2x4xf32>
      %19 = "linalg.generic"(%17, %18) <{indexing_maps = [#map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg21: f32, %arg22: f32):
        %39 = "arith.subf"(%1, %arg21) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%39) : (f32) -> ()
      }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
      %20 = "tensor.empty"() : () -> tensor<5x2x4xf32>
      %21 = "linalg.generic"(%13, %19, %20) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg18: f32, %arg19: f32, %arg20: f32):
        %38 = "arith.mulf"(%arg18, %arg19) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%38) : (f32) -> ()
      }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
      %22 = "tensor.empty"() : () -> tensor<5x2x4xf32>
      %23 = "linalg.generic"(%15, %22) <{indexing_maps = [#map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg16: f32, %arg17: f32):
        %37 = "arith.mulf"(%arg16, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%37) : (f32) -> ()
      }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
      %24 = "tensor.empty"() : () -> tensor<5x2x4xf32>
      %25 = "linalg.generic"(%23, %21, %24) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg13: f32, %arg14: f32, %arg15: f32):
        %36 = "arith.addf"(%arg13, %arg14) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%36) : (f32) -> ()
      }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
      %26 = "tensor.empty"() : () -> tensor<i32>
      %27 = "linalg.generic"(%arg4, %26) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg11: i32, %arg12: i32):
        %35 = "arith.addi"(%arg11, %0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
        "linalg.yield"(%35) : (i32) -> ()
      }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %28 = "tensor.empty"() : () -> tensor<i32>
      %29 = "linalg.generic"(%arg3, %28) <{indexing_maps = [#map, #map], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg9: i32, %arg10: i32):
        %34 = "arith.addi"(%arg9, %0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
        "linalg.yield"(%34) : (i32) -> ()
      }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %30:8 = "tf.BlockLSTMGrad"(%5, %arg0, %4, %4, %arg1, %6, %6, %6, %arg2, %11#0, %11#1, %11#2, %11#3, %11#4, %11#5, %11#6, %7, %25) {T = f32, device = "", use_peephole = false} : (tensor<i64>, tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> (tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>)
      %31 = "tensor.empty"() : () -> tensor<7x16xf32>
      %32 = "linalg.generic"(%arg5, %30#3, %31) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg6: f32, %arg7: f32, %arg8: f32):
        %33 = "arith.addf"(%arg6, %arg7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%33) : (f32) -> ()
      }) : (tensor<7x16xf32>, tensor<7x16xf32>, tensor<7x16xf32>) -> tensor<7x16xf32>
      "scf.yield"(%29, %27, %32) : (tensor<i32>, tensor<i32>, tensor<7x16xf32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<7x16xf32>) -> (tensor<i32>, tensor<i32>, tensor<7x16xf32>)
    "func.return"(%10#2) : (tensor<7x16xf32>) -> ()
  }) {allow_soft_placement = false} : () -> ()
}) : () -> ()
