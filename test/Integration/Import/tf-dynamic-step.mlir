// tf-dynamic-step.mlir - a training step with a dynamic batch.
// Written by Inputs/tf_modules.py with tensorflow-cpu 2.21.0, jaxlib 0.10.2.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='@%S/Inputs/tf-dynamic-step.input0.npy' \
// DEFINE:   --input='2xi32=2' \
// DEFINE:   --input='@%S/Inputs/tf-dynamic-step.input2.npy' \
// DEFINE:   --input='16xf32=2.46313214,-0.246133551,-0.555865765,-1.17115688,-1.33501101,0.524983227,0.850803018,0.00917472132,0.332575977,0.11591658,0.138654843,-1.52615905,-0.45811826,0.111479305,-0.783166766,-0.476429731' \
// DEFINE:   --input='4x3xf32=[[-0.8191201686859131,-0.33349665999412537,0.853108286857605],[-0.4065803587436676,-0.15387068688869476,0.8137183785438538],[0.6447702050209045,1.6952075958251953,-2.090485095977783],[0.8568589687347412,-0.4822840988636017,0.13469181954860687]]' \
// DEFINE:   --expected-output='f32=1.37083411' \
// DEFINE:   --expected-output='@%S/Inputs/tf-dynamic-step.expected-output1.npy' \
// DEFINE:   --expected-output='16xf32=0.0110394694,0.00473041181,-0.0131352674,0.00196452951,-0.0367006846,-0.0794796124,0.0371372551,-0.00754417013,0.0310894195,0.00148885173,0.140689373,0.00466037355,0.26125288,-0.0917084515,-0.0124322036,0.0276457313' \
// DEFINE:   --expected-output='4x3xf32=[[-0.2435562163591385,-0.1809992492198944,0.4245554804801941],[0.06531123071908951,0.047567833214998245,-0.11287906765937805],[-0.03685600310564041,-0.008730593137443066,0.04558660089969635],[0.004335017874836922,0.0011114970548078418,-0.00544651597738266]]' \
// DEFINE:   --atol=1e-5 --rtol=1e-5
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> ()>
#map4 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1, d2) -> ()>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map9 = affine_map<(d0) -> ()>
#map10 = affine_map<() -> ()>
#map11 = affine_map<(d0, d1) -> (d0)>
"builtin.module"() ({
  "func.func"() <{arg_attrs = [{rnn.name = "x"}, {rnn.name = "labels"}, {rnn.name = "w"}, {rnn.name = "b"}, {rnn.name = "v"}], function_type = (tensor<5x?x3xf32>, tensor<?xi32>, tensor<7x16xf32>, tensor<16xf32>, tensor<4x3xf32>) -> (tensor<f32>, tensor<7x16xf32>, tensor<16xf32>, tensor<4x3xf32>), sym_name = "main"}> ({
  ^bb0(%arg42: tensor<5x?x3xf32>, %arg43: tensor<?xi32>, %arg44: tensor<7x16xf32>, %arg45: tensor<16xf32>, %arg46: tensor<4x3xf32>):
    %80 = "arith.constant"() <{value = 4 : i32}> : () -> i32
    %81 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %82 = "arith.constant"() <{value = -0.000000e+00 : f32}> : () -> f32
    %83 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %84 = "arith.constant"() <{value = 1 : index}> : () -> index
    %85 = "arith.constant"() <{value = 0 : index}> : () -> index
    %86 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<4xf32>}> : () -> tensor<4xf32>
    %87 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %88 = "arith.constant"() <{value = dense<-1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %89 = "arith.constant"() <{value = dense<5> : tensor<i64>}> : () -> tensor<i64>
    %90 = "arith.constant"() <{value = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %91 = "arith.constant"() <{value = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %92 = "arith.constant"() <{value = dense<1.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %93 = "tensor.empty"() : () -> tensor<3x4xf32>
    %94 = "linalg.generic"(%arg46, %93) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg95: f32, %arg96: f32):
      "linalg.yield"(%arg95) : (f32) -> ()
    }) : (tensor<4x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %95 = "shape.shape_of"(%arg42) : (tensor<5x?x3xf32>) -> tensor<3xindex>
    %96 = "arith.index_cast"(%95) : (tensor<3xindex>) -> tensor<3xi32>
    %97 = "tensor.extract_slice"(%96) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 1>, static_sizes = array<i64: 1>, static_strides = array<i64: 1>}> : (tensor<3xi32>) -> tensor<1xi32>
    %98 = "tensor.empty"() : () -> tensor<2xi32>
    %99 = "linalg.generic"(%98) <{indexing_maps = [#map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg94: i32):
      %172 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %173 = "arith.cmpi"(%172, %84) <{predicate = 6 : i64}> : (index, index) -> i1
      %174 = "scf.if"(%173) ({
        %175 = "tensor.extract"(%97, %172) : (tensor<1xi32>, index) -> i32
        "scf.yield"(%175) : (i32) -> ()
      }, {
        "scf.yield"(%80) : (i32) -> ()
      }) : (i1) -> i32
      "linalg.yield"(%174) : (i32) -> ()
    }) : (tensor<2xi32>) -> tensor<2xi32>
    %100 = "tensor.extract"(%99, %85) : (tensor<2xi32>, index) -> i32
    %101 = "arith.index_cast"(%100) : (i32) -> index
    %102 = "tensor.empty"(%101) : (index) -> tensor<?x4xf32>
    %103 = "linalg.generic"(%87, %102) <{indexing_maps = [#map3, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg92: f32, %arg93: f32):
      "linalg.yield"(%arg92) : (f32) -> ()
    }) : (tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %104:7 = "tf.BlockLSTM"(%89, %arg42, %103, %103, %arg44, %86, %86, %86, %arg45) {T = f32, cell_clip = 0.000000e+00 : f32, device = "", forget_bias = 1.000000e+00 : f32, use_peephole = false} : (tensor<i64>, tensor<5x?x3xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>) -> (tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>)
    %105 = "func.call"(%104#6, %88, %90, %91) <{callee = @rnn_import_StridedSlice_0}> : (tensor<5x?x4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?x4xf32>
    %106 = "shape.shape_of"(%104#6) : (tensor<5x?x4xf32>) -> tensor<3xindex>
    %107 = "arith.index_cast"(%106) : (tensor<3xindex>) -> tensor<3xi32>
    %108 = "tensor.dim"(%105, %85) : (tensor<?x4xf32>, index) -> index
    %109 = "tensor.empty"(%108) : (index) -> tensor<?x3xf32>
    %110 = "linalg.fill"(%83, %109) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg90: f32, %arg91: f32):
      "linalg.yield"(%arg90) : (f32) -> ()
    }) : (f32, tensor<?x3xf32>) -> tensor<?x3xf32>
    %111 = "linalg.matmul"(%105, %arg46, %110) <{indexing_maps = [#map4, #map5, #map6], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg87: f32, %arg88: f32, %arg89: f32):
      %170 = "arith.mulf"(%arg87, %arg88) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %171 = "arith.addf"(%arg89, %170) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%171) : (f32) -> ()
    }) : (tensor<?x4xf32>, tensor<4x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %112 = "tensor.empty"(%108) : (index) -> tensor<4x?xf32>
    %113 = "linalg.generic"(%105, %112) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg85: f32, %arg86: f32):
      "linalg.yield"(%arg85) : (f32) -> ()
    }) : (tensor<?x4xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %114 = "tensor.dim"(%104#1, %84) : (tensor<5x?x4xf32>, index) -> index
    %115 = "tensor.empty"(%114) : (index) -> tensor<5x?x4xf32>
    %116 = "linalg.generic"(%87, %115) <{indexing_maps = [#map7, #map8], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg83: f32, %arg84: f32):
      "linalg.yield"(%arg83) : (f32) -> ()
    }) : (tensor<f32>, tensor<5x?x4xf32>) -> tensor<5x?x4xf32>
    %117:2 = "func.call"(%111, %arg43) <{callee = @rnn_import_SparseSoftmaxCrossEntropyWithLogits_1}> : (tensor<?x3xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x3xf32>)
    %118 = "tensor.empty"() : () -> tensor<f32>
    %119 = "linalg.fill"(%82, %118) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg81: f32, %arg82: f32):
      "linalg.yield"(%arg81) : (f32) -> ()
    }) : (f32, tensor<f32>) -> tensor<f32>
    %120 = "linalg.generic"(%117#0, %119) <{indexing_maps = [#map2, #map9], iterator_types = [#linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg79: f32, %arg80: f32):
      %169 = "arith.addf"(%arg80, %arg79) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%169) : (f32) -> ()
    }) : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
    %121 = "tensor.dim"(%117#0, %85) : (tensor<?xf32>, index) -> index
    %122 = "arith.index_cast"(%121) : (index) -> i64
    %123 = "tensor.from_elements"(%122) : (i64) -> tensor<i64>
    %124 = "linalg.generic"(%123, %118) <{indexing_maps = [#map10, #map10], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg77: i64, %arg78: f32):
      %168 = "arith.sitofp"(%arg77) : (i64) -> f32
      "linalg.yield"(%168) : (f32) -> ()
    }) : (tensor<i64>, tensor<f32>) -> tensor<f32>
    %125 = "linalg.generic"(%120, %124, %118) <{indexing_maps = [#map10, #map10, #map10], iterator_types = [], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg74: f32, %arg75: f32, %arg76: f32):
      %167 = "arith.divf"(%arg74, %arg75) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%167) : (f32) -> ()
    }) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %126 = "shape.shape_of"(%117#0) : (tensor<?xf32>) -> tensor<1xindex>
    %127 = "arith.index_cast"(%126) : (tensor<1xindex>) -> tensor<1xi32>
    %128 = "func.call"(%92, %127) <{callee = @rnn_import_Tile_2}> : (tensor<1xf32>, tensor<1xi32>) -> tensor<?xf32>
    %129 = "tensor.empty"() : () -> tensor<i32>
    %130 = "tensor.empty"() : () -> tensor<1xi32>
    %131 = "linalg.generic"(%90, %129, %130) <{indexing_maps = [#map2, #map9, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg71: i32, %arg72: i32, %arg73: i32):
      %164 = "arith.index_cast"(%arg71) : (i32) -> index
      %165 = "tensor.dim"(%117#0, %164) : (tensor<?xf32>, index) -> index
      %166 = "arith.index_cast"(%165) : (index) -> i32
      "linalg.yield"(%166) : (i32) -> ()
    }) : (tensor<1xi32>, tensor<i32>, tensor<1xi32>) -> tensor<1xi32>
    %132 = "linalg.fill"(%81, %129) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg69: i32, %arg70: i32):
      "linalg.yield"(%arg69) : (i32) -> ()
    }) : (i32, tensor<i32>) -> tensor<i32>
    %133 = "linalg.generic"(%131, %132) <{indexing_maps = [#map2, #map9], iterator_types = [#linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg67: i32, %arg68: i32):
      %163 = "arith.muli"(%arg68, %arg67) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%163) : (i32) -> ()
    }) : (tensor<1xi32>, tensor<i32>) -> tensor<i32>
    %134 = "linalg.generic"(%133, %118) <{indexing_maps = [#map10, #map10], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg65: i32, %arg66: f32):
      %162 = "arith.sitofp"(%arg65) : (i32) -> f32
      "linalg.yield"(%162) : (f32) -> ()
    }) : (tensor<i32>, tensor<f32>) -> tensor<f32>
    %135 = "tensor.dim"(%128, %85) : (tensor<?xf32>, index) -> index
    %136 = "tensor.empty"(%135) : (index) -> tensor<?xf32>
    %137 = "linalg.generic"(%134, %136) <{indexing_maps = [#map9, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg63: f32, %arg64: f32):
      "linalg.yield"(%arg63) : (f32) -> ()
    }) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %138 = "linalg.generic"(%128, %137, %136) <{indexing_maps = [#map2, #map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg60: f32, %arg61: f32, %arg62: f32):
      %161 = "arith.divf"(%arg60, %arg61) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%161) : (f32) -> ()
    }) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %139 = "tensor.from_elements"(%135, %84) : (index, index) -> tensor<2xindex>
    %140 = "func.call"(%138, %139) <{callee = @rnn_import_dynamic_reshape_0}> : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x1xf32>
    %141 = "shape.shape_of"(%117#1) : (tensor<?x3xf32>) -> tensor<2xindex>
    %142 = "shape.broadcast"(%139, %141) : (tensor<2xindex>, tensor<2xindex>) -> tensor<2xindex>
    %143 = "func.call"(%140, %142) <{callee = @rnn_import_dynamic_broadcast_in_dim_1}> : (tensor<?x1xf32>, tensor<2xindex>) -> tensor<?x3xf32>
    %144 = "func.call"(%117#1, %142) <{callee = @rnn_import_dynamic_broadcast_in_dim_2}> : (tensor<?x3xf32>, tensor<2xindex>) -> tensor<?x3xf32>
    %145 = "tensor.dim"(%143, %85) : (tensor<?x3xf32>, index) -> index
    %146 = "tensor.empty"(%145) : (index) -> tensor<?x3xf32>
    %147 = "linalg.generic"(%143, %144, %146) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg57: f32, %arg58: f32, %arg59: f32):
      %160 = "arith.mulf"(%arg57, %arg58) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%160) : (f32) -> ()
    }) : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %148 = "tensor.empty"(%145) : (index) -> tensor<?x4xf32>
    %149 = "linalg.fill"(%83, %148) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg55: f32, %arg56: f32):
      "linalg.yield"(%arg55) : (f32) -> ()
    }) : (f32, tensor<?x4xf32>) -> tensor<?x4xf32>
    %150 = "linalg.matmul"(%147, %94, %149) <{indexing_maps = [#map4, #map5, #map6], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg52: f32, %arg53: f32, %arg54: f32):
      %158 = "arith.mulf"(%arg52, %arg53) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %159 = "arith.addf"(%arg54, %158) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%159) : (f32) -> ()
    }) : (tensor<?x3xf32>, tensor<3x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %151 = "tensor.empty"() : () -> tensor<4x3xf32>
    %152 = "linalg.fill"(%83, %151) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg50: f32, %arg51: f32):
      "linalg.yield"(%arg50) : (f32) -> ()
    }) : (f32, tensor<4x3xf32>) -> tensor<4x3xf32>
    %153 = "linalg.matmul"(%113, %147, %152) <{indexing_maps = [#map4, #map5, #map6], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg47: f32, %arg48: f32, %arg49: f32):
      %156 = "arith.mulf"(%arg47, %arg48) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %157 = "arith.addf"(%arg49, %156) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%157) : (f32) -> ()
    }) : (tensor<4x?xf32>, tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %154 = "func.call"(%107, %88, %90, %91, %150) <{callee = @rnn_import_StridedSliceGrad_3}> : (tensor<3xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<?x4xf32>) -> tensor<5x?x4xf32>
    %155:8 = "tf.BlockLSTMGrad"(%89, %arg42, %103, %103, %arg44, %86, %86, %86, %arg45, %104#0, %104#1, %104#2, %104#3, %104#4, %104#5, %104#6, %116, %154) {T = f32, device = "", use_peephole = false} : (tensor<i64>, tensor<5x?x3xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>) -> (tensor<5x?x3xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>)
    "func.return"(%125, %155#3, %155#7, %153) : (tensor<f32>, tensor<7x16xf32>, tensor<16xf32>, tensor<4x3xf32>) -> ()
  }) {allow_soft_placement = false} : () -> ()
  "func.func"() <{function_type = (tensor<5x?x4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?x4xf32>, sym_name = "rnn_import_StridedSlice_0", sym_visibility = "private"}> ({
  ^bb0(%arg38: tensor<5x?x4xf32>, %arg39: tensor<1xi32>, %arg40: tensor<1xi32>, %arg41: tensor<1xi32>):
    %77 = "arith.constant"() <{value = 1 : index}> : () -> index
    %78 = "tensor.dim"(%arg38, %77) : (tensor<5x?x4xf32>, index) -> index
    %79 = "tensor.extract_slice"(%arg38, %78) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>, static_offsets = array<i64: 4, 0, 0>, static_sizes = array<i64: 1, -9223372036854775808, 4>, static_strides = array<i64: 1, 1, 1>}> : (tensor<5x?x4xf32>, index) -> tensor<?x4xf32>
    "func.return"(%79) : (tensor<?x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<?x3xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x3xf32>), sym_name = "rnn_import_SparseSoftmaxCrossEntropyWithLogits_1", sym_visibility = "private"}> ({
  ^bb0(%arg18: tensor<?x3xf32>, %arg19: tensor<?xi32>):
    %35 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %36 = "arith.constant"() <{value = 0x7FC00000 : f32}> : () -> f32
    %37 = "arith.constant"() <{value = 3 : index}> : () -> index
    %38 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %39 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %40 = "arith.constant"() <{value = 0 : index}> : () -> index
    %41 = "tensor.dim"(%arg18, %40) : (tensor<?x3xf32>, index) -> index
    %42 = "tensor.empty"(%41) : (index) -> tensor<?xf32>
    %43 = "linalg.fill"(%39, %42) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg36: f32, %arg37: f32):
      "linalg.yield"(%arg36) : (f32) -> ()
    }) : (f32, tensor<?xf32>) -> tensor<?xf32>
    %44 = "linalg.generic"(%arg18, %43) <{indexing_maps = [#map1, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg34: f32, %arg35: f32):
      %76 = "arith.maximumf"(%arg35, %arg34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%76) : (f32) -> ()
    }) : (tensor<?x3xf32>, tensor<?xf32>) -> tensor<?xf32>
    %45 = "linalg.fill"(%38, %42) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg32: f32, %arg33: f32):
      "linalg.yield"(%arg32) : (f32) -> ()
    }) : (f32, tensor<?xf32>) -> tensor<?xf32>
    %46 = "linalg.generic"(%arg18, %44, %45) <{indexing_maps = [#map1, #map11, #map11], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32, %arg31: f32):
      %73 = "arith.subf"(%arg29, %arg30) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %74 = "math.exp"(%73) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %75 = "arith.addf"(%arg31, %74) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%75) : (f32) -> ()
    }) : (tensor<?x3xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %47 = "linalg.generic"(%arg19, %44, %46, %42) <{indexing_maps = [#map2, #map2, #map2, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg25: i32, %arg26: f32, %arg27: f32, %arg28: f32):
      %62 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %63 = "arith.index_cast"(%arg25) : (i32) -> index
      %64 = "arith.cmpi"(%63, %40) <{predicate = 5 : i64}> : (index, index) -> i1
      %65 = "arith.cmpi"(%63, %37) <{predicate = 2 : i64}> : (index, index) -> i1
      %66 = "arith.andi"(%64, %65) : (i1, i1) -> i1
      %67 = "arith.select"(%66, %63, %40) : (i1, index, index) -> index
      %68 = "tensor.extract"(%arg18, %62, %67) : (tensor<?x3xf32>, index, index) -> f32
      %69 = "math.log"(%arg27) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %70 = "arith.subf"(%68, %arg26) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %71 = "arith.subf"(%69, %70) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %72 = "arith.select"(%66, %71, %36) : (i1, f32, f32) -> f32
      "linalg.yield"(%72) : (f32) -> ()
    }) : (tensor<?xi32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %48 = "tensor.empty"(%41) : (index) -> tensor<?x3xf32>
    %49 = "linalg.generic"(%arg18, %arg19, %44, %46, %48) <{indexing_maps = [#map1, #map11, #map11, #map11, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 4, 1>}> ({
    ^bb0(%arg20: f32, %arg21: i32, %arg22: f32, %arg23: f32, %arg24: f32):
      %50 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %51 = "arith.index_cast"(%arg21) : (i32) -> index
      %52 = "arith.cmpi"(%51, %40) <{predicate = 5 : i64}> : (index, index) -> i1
      %53 = "arith.cmpi"(%51, %37) <{predicate = 2 : i64}> : (index, index) -> i1
      %54 = "arith.andi"(%52, %53) : (i1, i1) -> i1
      %55 = "arith.subf"(%arg20, %arg22) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %56 = "math.exp"(%55) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %57 = "arith.divf"(%56, %arg23) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %58 = "arith.cmpi"(%51, %50) <{predicate = 0 : i64}> : (index, index) -> i1
      %59 = "arith.subf"(%57, %35) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %60 = "arith.select"(%58, %59, %57) : (i1, f32, f32) -> f32
      %61 = "arith.select"(%54, %60, %36) : (i1, f32, f32) -> f32
      "linalg.yield"(%61) : (f32) -> ()
    }) : (tensor<?x3xf32>, tensor<?xi32>, tensor<?xf32>, tensor<?xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    "func.return"(%47, %49) : (tensor<?xf32>, tensor<?x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<1xf32>, tensor<1xi32>) -> tensor<?xf32>, sym_name = "rnn_import_Tile_2", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<1xf32>, %arg16: tensor<1xi32>):
    %29 = "arith.constant"() <{value = 0 : index}> : () -> index
    %30 = "tensor.extract"(%arg16, %29) : (tensor<1xi32>, index) -> i32
    %31 = "arith.index_cast"(%30) : (i32) -> index
    %32 = "tensor.empty"(%31) : (index) -> tensor<?xf32>
    %33 = "linalg.generic"(%32) <{indexing_maps = [#map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg17: f32):
      %34 = "tensor.extract"(%arg15, %29) : (tensor<1xf32>, index) -> f32
      "linalg.yield"(%34) : (f32) -> ()
    }) : (tensor<?xf32>) -> tensor<?xf32>
    "func.return"(%33) : (tensor<?xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<?x4xf32>) -> tensor<5x?x4xf32>, sym_name = "rnn_import_StridedSliceGrad_3", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<3xi32>, %arg9: tensor<1xi32>, %arg10: tensor<1xi32>, %arg11: tensor<1xi32>, %arg12: tensor<?x4xf32>):
    %22 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %23 = "arith.constant"() <{value = 1 : index}> : () -> index
    %24 = "tensor.extract"(%arg8, %23) : (tensor<3xi32>, index) -> i32
    %25 = "arith.index_cast"(%24) : (i32) -> index
    %26 = "tensor.empty"(%25) : (index) -> tensor<5x?x4xf32>
    %27 = "linalg.fill"(%22, %26) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg13: f32, %arg14: f32):
      "linalg.yield"(%arg13) : (f32) -> ()
    }) : (f32, tensor<5x?x4xf32>) -> tensor<5x?x4xf32>
    %28 = "tensor.insert_slice"(%arg12, %27, %25) <{operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>, static_offsets = array<i64: 4, 0, 0>, static_sizes = array<i64: 1, -9223372036854775808, 4>, static_strides = array<i64: 1, 1, 1>}> : (tensor<?x4xf32>, tensor<5x?x4xf32>, index) -> tensor<5x?x4xf32>
    "func.return"(%28) : (tensor<5x?x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<?xf32>, tensor<2xindex>) -> tensor<?x1xf32>, sym_name = "rnn_import_dynamic_reshape_0", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<?xf32>, %arg7: tensor<2xindex>):
    %21 = "tensor.reshape"(%arg6, %arg7) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x1xf32>
    "func.return"(%21) : (tensor<?x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<?x1xf32>, tensor<2xindex>) -> tensor<?x3xf32>, sym_name = "rnn_import_dynamic_broadcast_in_dim_1", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<?x1xf32>, %arg4: tensor<2xindex>):
    %11 = "arith.constant"() <{value = 1 : index}> : () -> index
    %12 = "arith.constant"() <{value = 0 : index}> : () -> index
    %13 = "tensor.extract"(%arg4, %12) : (tensor<2xindex>, index) -> index
    %14 = "tensor.dim"(%arg3, %12) : (tensor<?x1xf32>, index) -> index
    %15 = "tensor.empty"(%13) : (index) -> tensor<?x3xf32>
    %16 = "linalg.generic"(%15) <{indexing_maps = [#map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg5: f32):
      %17 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %18 = "arith.cmpi"(%14, %11) <{predicate = 0 : i64}> : (index, index) -> i1
      %19 = "arith.select"(%18, %12, %17) : (i1, index, index) -> index
      %20 = "tensor.extract"(%arg3, %19, %12) : (tensor<?x1xf32>, index, index) -> f32
      "linalg.yield"(%20) : (f32) -> ()
    }) : (tensor<?x3xf32>) -> tensor<?x3xf32>
    "func.return"(%16) : (tensor<?x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<?x3xf32>, tensor<2xindex>) -> tensor<?x3xf32>, sym_name = "rnn_import_dynamic_broadcast_in_dim_2", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<?x3xf32>, %arg1: tensor<2xindex>):
    %0 = "arith.constant"() <{value = 1 : index}> : () -> index
    %1 = "arith.constant"() <{value = 0 : index}> : () -> index
    %2 = "tensor.extract"(%arg1, %1) : (tensor<2xindex>, index) -> index
    %3 = "tensor.dim"(%arg0, %1) : (tensor<?x3xf32>, index) -> index
    %4 = "tensor.empty"(%2) : (index) -> tensor<?x3xf32>
    %5 = "linalg.generic"(%4) <{indexing_maps = [#map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg2: f32):
      %6 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %7 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %8 = "arith.cmpi"(%3, %0) <{predicate = 0 : i64}> : (index, index) -> i1
      %9 = "arith.select"(%8, %1, %6) : (i1, index, index) -> index
      %10 = "tensor.extract"(%arg0, %9, %7) : (tensor<?x3xf32>, index, index) -> f32
      "linalg.yield"(%10) : (f32) -> ()
    }) : (tensor<?x3xf32>) -> tensor<?x3xf32>
    "func.return"(%5) : (tensor<?x3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
