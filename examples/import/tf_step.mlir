#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> ()>
"builtin.module"() ({
  "func.func"() <{arg_attrs = [{rnn.name = "b"}, {rnn.name = "w"}, {rnn.name = "x"}], function_type = (tensor<16xf32>, tensor<7x16xf32>, tensor<5x2x3xf32>) -> (tensor<7x16xf32>, tensor<f32>), res_attrs = [{rnn.name = "gradient"}, {rnn.name = "loss"}], sym_name = "main"}> ({
  ^bb0(%arg0: tensor<16xf32>, %arg1: tensor<7x16xf32>, %arg2: tensor<5x2x3xf32>):
    %0 = "arith.constant"() <{value = -0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<5x2x4xf32>}> : () -> tensor<5x2x4xf32>
    %2 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<4xf32>}> : () -> tensor<4xf32>
    %3 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<2x4xf32>}> : () -> tensor<2x4xf32>
    %4 = "arith.constant"() <{value = dense<5> : tensor<i64>}> : () -> tensor<i64>
    %5:7 = "tf.BlockLSTM"(%4, %arg2, %3, %3, %arg1, %2, %2, %2, %arg0) {T = f32, cell_clip = 0.000000e+00 : f32, device = "", forget_bias = 1.000000e+00 : f32, use_peephole = false} : (tensor<i64>, tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>) -> (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>)
    %6 = "tensor.empty"() : () -> tensor<5x2x4xf32>
    %7 = "linalg.generic"(%5#6, %5#6, %6) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg10: f32, %arg11: f32, %arg12: f32):
      %15 = "arith.addf"(%arg10, %arg11) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%15) : (f32) -> ()
    }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
    %8 = "linalg.generic"(%5#6, %5#6, %6) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg7: f32, %arg8: f32, %arg9: f32):
      %14 = "arith.mulf"(%arg7, %arg8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%14) : (f32) -> ()
    }) : (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
    %9 = "tensor.empty"() : () -> tensor<f32>
    %10 = "linalg.fill"(%0, %9) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg5: f32, %arg6: f32):
      "linalg.yield"(%arg5) : (f32) -> ()
    }) : (f32, tensor<f32>) -> tensor<f32>
    %11 = "linalg.generic"(%8, %10) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg3: f32, %arg4: f32):
      %13 = "arith.addf"(%arg4, %arg3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%13) : (f32) -> ()
    }) : (tensor<5x2x4xf32>, tensor<f32>) -> tensor<f32>
    %12:8 = "tf.BlockLSTMGrad"(%4, %arg2, %3, %3, %arg1, %2, %2, %2, %arg0, %5#0, %5#1, %5#2, %5#3, %5#4, %5#5, %5#6, %1, %7) {T = f32, device = "", use_peephole = false} : (tensor<i64>, tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) -> (tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>)
    "func.return"(%12#3, %11) : (tensor<7x16xf32>, tensor<f32>) -> ()
  }) {allow_soft_placement = false} : () -> ()
}) : () -> ()

