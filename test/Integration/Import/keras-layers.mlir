// keras-layers.mlir - a model of Keras with LSTM and bidirectional GRU.
// Written by Inputs/tf_modules.py with tensorflow-cpu 2.21.0, jaxlib 0.10.2, keras 3.15.1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='@%S/Inputs/keras-layers.input0.npy' \
// DEFINE:   --expected-output='2x3xf32=[[0.10378238558769226,-0.13337969779968262,0.09178320318460464],[0.022449925541877747,0.14633846282958984,0.011985586024820805]]' \
// DEFINE:   --atol=1e-5 --rtol=1e-5
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0) -> ()>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map8 = affine_map<(d0, d1) -> (d1)>
#map9 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
"builtin.module"() ({
  "func.func"() <{arg_attrs = [{rnn.name = "sequence"}], function_type = (tensor<?x5x3xf32>) -> tensor<?x3xf32>, sym_name = "main"}> ({
  ^bb0(%arg11: tensor<?x5x3xf32>):
    %19 = "arith.constant"() <{value = 4 : i32}> : () -> i32
    %20 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %21 = "arith.constant"() <{value = 136 : index}> : () -> index
    %22 = "arith.constant"() <{value = 132 : index}> : () -> index
    %23 = "arith.constant"() <{value = 128 : index}> : () -> index
    %24 = "arith.constant"() <{value = 124 : index}> : () -> index
    %25 = "arith.constant"() <{value = 120 : index}> : () -> index
    %26 = "arith.constant"() <{value = 36 : index}> : () -> index
    %27 = "arith.constant"() <{value = 24 : index}> : () -> index
    %28 = "arith.constant"() <{value = 12 : index}> : () -> index
    %29 = "arith.constant"() <{value = 116 : index}> : () -> index
    %30 = "arith.constant"() <{value = 112 : index}> : () -> index
    %31 = "arith.constant"() <{value = 96 : index}> : () -> index
    %32 = "arith.constant"() <{value = 80 : index}> : () -> index
    %33 = "arith.constant"() <{value = 64 : index}> : () -> index
    %34 = "arith.constant"() <{value = 48 : index}> : () -> index
    %35 = "arith.constant"() <{value = 32 : index}> : () -> index
    %36 = "arith.constant"() <{value = 16 : index}> : () -> index
    %37 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %38 = "arith.constant"() <{value = 1 : index}> : () -> index
    %39 = "arith.constant"() <{value = 0 : index}> : () -> index
    %40 = "arith.constant"() <{value = 4 : index}> : () -> index
    %41 = "arith.constant"() <{value = dense<[[-0.0987360849, -0.335814387, -0.100204512, 0.0381241739], [8.533070e-02, 0.232697457, 0.123334572, -0.00713952538], [0.218870968, -0.113719821, -0.147347257, 0.400903195], [-0.215452284, 0.101214416, 0.278781652, 0.0510742031]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %42 = "arith.constant"() <{value = dense<[[-0.00678867754, -0.431966871, -8.852490e-02, 0.331453353], [-0.100981094, 0.025230037, -0.0205275752, -0.414241225], [-0.385672092, -0.0938890203, 0.393811673, 0.188414246], [-0.16098389, -0.558649957, 0.123745486, -0.0535277836]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %43 = "arith.constant"() <{value = dense<[[-0.123130791, -0.389396429, 0.481553614, 7.497920e-02], [0.197888196, 0.120129451, 0.232025221, -0.222490892], [0.165185183, -0.296217501, -0.346284926, -0.232870951], [0.0820865184, 0.18005386, -0.0104988664, 0.108743638]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %44 = "arith.constant"() <{value = dense<[[0.202324867, 0.2473865, -0.15378648, -0.177633658], [-0.00576921366, 0.359718829, -0.095406793, -0.667079746], [-0.313177168, 0.0555279925, 0.0155476835, -0.134183198], [7.041370e-02, -0.0464314073, 6.696600e-01, -0.0131530408]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %45 = "arith.constant"() <{value = dense<[[-0.256090343, 0.131776392, 0.50588268, -5.03897667E-4], [0.533324778, 0.250091791, 0.130007982, 0.188284576], [0.0891487598, 0.0983946919, -0.198400587, 0.155953407]]> : tensor<3x4xf32>}> : () -> tensor<3x4xf32>
    %46 = "arith.constant"() <{value = dense<[[0.304526567, -0.465764642, 0.535629928, -0.0763328969], [0.112487435, 4.164940e-01, -0.156751931, -0.547354102], [-0.122696429, 0.452125132, -0.475144833, -0.29403767]]> : tensor<3x4xf32>}> : () -> tensor<3x4xf32>
    %47 = "arith.constant"() <{value = dense<[[0.451926291, -0.165959269, 0.270465136, 0.408685446], [-7.760450e-02, -0.0373315811, -0.0732375681, 0.290456235], [-0.358306915, 0.275044322, -0.142893344, 0.41972506]]> : tensor<3x4xf32>}> : () -> tensor<3x4xf32>
    %48 = "arith.constant"() <{value = dense<[[-0.00232481956, -0.54405123, 0.358858943, -0.459882677], [0.00748223066, -0.105185419, -0.469814718, -0.0181298852], [-0.532588482, -5.595650e-01, -0.472020149, 0.47050029]]> : tensor<3x4xf32>}> : () -> tensor<3x4xf32>
    %49 = "arith.constant"() <{value = dense<[[-0.257925749, 0.118169472, 0.0404046364, -0.00932685938], [0.485158116, -0.392336935, -0.119577885, 0.107188575], [0.48137179, 0.266738921, 0.342246264, -0.154581875], [-0.0110272542, -0.0502916165, -0.198260471, -3.651780e-01]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %50 = "arith.constant"() <{value = dense<[[-0.700514614, 0.21028623, 0.411606461, -0.0919214263], [-0.533366144, 0.0185367633, -0.130071551, 0.12956655], [-0.046370253, 0.00429397449, -0.0491894223, -0.144082829], [-0.0974373817, -0.150832415, 0.384770811, -0.212767392]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %51 = "arith.constant"() <{value = dense<[[0.372662067, -0.0956647247, 0.0583988726, -0.231389955], [-0.0915760174, -0.143313676, -0.203488916, 0.44276759], [-0.245534316, -5.659800e-01, 0.201578498, -0.330909312], [-0.564435244, 0.175381079, -0.456602693, -0.203204453]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %52 = "arith.constant"() <{value = dense<[[0.54438895, 0.00151270628, -0.549678624, 0.117115438], [-0.332357645, 0.42921108, -0.172851413, 0.292860746], [0.507449925, 0.399077475, -0.494947523, 0.18492043], [0.0297304988, -0.528100967, 0.373072028, -0.547527432]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %53 = "arith.constant"() <{value = dense<[[-0.230001032, -0.386991799, 0.196041942, 0.0691094398], [4.92155552E-4, 0.157585859, -0.592545509, 3.461210e-01], [0.549109399, -0.33054021, -0.0216713548, 0.0692788959], [0.129587829, 0.358967185, 0.1240201, -0.387351811]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %54 = "arith.constant"() <{value = dense<[[0.291600168, 0.131961524, -0.234624594, -0.0627030134], [-5.041380e-01, -0.37774846, -0.13955459, -0.542718053], [0.234445453, -0.364322662, -0.0874255299, 0.390422404], [0.370100319, 0.423414648, -0.400313497, -0.381138742]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %55 = "arith.constant"() <{value = dense<[[-0.330595195, -0.201540619, 0.136199012, 0.665839434], [0.44430089, -0.41599682, 0.140711054, 0.308899283], [-0.305495709, -0.146228731, -0.0319648683, -0.217863053], [0.188014105, 0.115140028, 0.587861776, -0.190747619]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %56 = "arith.constant"() <{value = dense<[[0.115987308, 0.272472769, -0.0944952518, 0.455972642], [-0.0437397324, -0.301603556, -9.655400e-02, -0.198070288], [-0.318053901, -0.0830247104, 0.0616268292, 0.0544452518], [0.0220420025, 0.0356365778, 0.496126503, 0.02592621]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %57 = "arith.constant"() <{value = dense<[[0.1404351, -0.170242876, 0.0826155692, -0.167722464], [0.388998091, -0.190447778, -0.206747219, 0.377568483], [0.174803227, -0.20924589, -0.723612308, -0.352186173], [0.16457352, -0.424197674, 0.238036081, -0.239099592]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %58 = "arith.constant"() <{value = dense<[[-0.453355074, -0.502749681, 0.274450719, -0.385592341], [-0.570822895, -0.532387555, 0.240805387, 0.249415815], [-0.275844753, -0.447765112, -0.342422515, -0.444894165], [-0.0234096646, 0.501317799, -0.307570904, -0.0494671464]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %59 = "arith.constant"() <{value = dense<[[-0.49736619, 0.164555967, 0.300475419, -2.711130e-01], [-0.142608792, -0.487525851, 0.612050354, -0.369165212], [-0.07481426, -0.413255453, 0.583592117, -0.386379451], [-0.518339634, -0.376200706, 0.421586454, 0.0565175414]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %60 = "arith.constant"() <{value = dense<[[0.0942688584, 0.219677031, -0.169384778, -0.0053960681], [-0.366479099, 0.0881775618, -0.433947295, 0.193786204], [-0.266955197, -0.0140642524, 0.493755877, 0.16755259], [0.299436748, -0.046451509, -2.812570e-01, -0.349473476]]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %61 = "arith.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
    %62 = "arith.constant"() <{value = dense<[[0.620591342, -0.669903398, 6.456490e-01], [-0.275477797, 0.188457549, 0.132173955], [0.279460251, -0.535502851, -0.48242873], [0.565669477, 6.56962395E-4, -0.341761023], [-0.114352703, 0.0785467624, 0.33047241], [0.323254287, -0.558668613, 0.440647066], [0.0359709263, 0.433682382, 0.492737591], [-0.573450804, -0.243590444, -0.257102937]]> : tensor<8x3xf32>}> : () -> tensor<8x3xf32>
    %63 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<3xf32>}> : () -> tensor<3xf32>
    %64 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %65 = "tensor.empty"() : () -> tensor<4x4xf32>
    %66 = "linalg.generic"(%59, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg74: f32, %arg75: f32):
      "linalg.yield"(%arg74) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %67 = "tensor.collapse_shape"(%66) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %68 = "linalg.generic"(%60, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg72: f32, %arg73: f32):
      "linalg.yield"(%arg72) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %69 = "tensor.collapse_shape"(%68) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %70 = "linalg.generic"(%58, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg70: f32, %arg71: f32):
      "linalg.yield"(%arg70) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %71 = "tensor.collapse_shape"(%70) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %72 = "linalg.generic"(%56, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg68: f32, %arg69: f32):
      "linalg.yield"(%arg68) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %73 = "tensor.collapse_shape"(%72) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %74 = "linalg.generic"(%57, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg66: f32, %arg67: f32):
      "linalg.yield"(%arg66) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %75 = "tensor.collapse_shape"(%74) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %76 = "linalg.generic"(%55, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg64: f32, %arg65: f32):
      "linalg.yield"(%arg64) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %77 = "tensor.collapse_shape"(%76) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %78 = "tensor.empty"() : () -> tensor<120xf32>
    %79 = "linalg.generic"(%78) <{indexing_maps = [#map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg63: f32):
      %245 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %246 = "arith.cmpi"(%245, %36) <{predicate = 6 : i64}> : (index, index) -> i1
      %247 = "scf.if"(%246) ({
        %268 = "tensor.extract"(%67, %245) : (tensor<16xf32>, index) -> f32
        "scf.yield"(%268) : (f32) -> ()
      }, {
        %248 = "arith.cmpi"(%245, %35) <{predicate = 6 : i64}> : (index, index) -> i1
        %249 = "scf.if"(%248) ({
          %266 = "arith.subi"(%245, %36) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
          %267 = "tensor.extract"(%69, %266) : (tensor<16xf32>, index) -> f32
          "scf.yield"(%267) : (f32) -> ()
        }, {
          %250 = "arith.cmpi"(%245, %34) <{predicate = 6 : i64}> : (index, index) -> i1
          %251 = "scf.if"(%250) ({
            %264 = "arith.subi"(%245, %35) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
            %265 = "tensor.extract"(%71, %264) : (tensor<16xf32>, index) -> f32
            "scf.yield"(%265) : (f32) -> ()
          }, {
            %252 = "arith.cmpi"(%245, %33) <{predicate = 6 : i64}> : (index, index) -> i1
            %253 = "scf.if"(%252) ({
              %262 = "arith.subi"(%245, %34) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
              %263 = "tensor.extract"(%73, %262) : (tensor<16xf32>, index) -> f32
              "scf.yield"(%263) : (f32) -> ()
            }, {
              %254 = "arith.cmpi"(%245, %32) <{predicate = 6 : i64}> : (index, index) -> i1
              %255 = "scf.if"(%254) ({
                %260 = "arith.subi"(%245, %33) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
                %261 = "tensor.extract"(%75, %260) : (tensor<16xf32>, index) -> f32
                "scf.yield"(%261) : (f32) -> ()
              }, {
                %256 = "arith.cmpi"(%245, %31) <{predicate = 6 : i64}> : (index, index) -> i1
                %257 = "scf.if"(%256) ({
                  %258 = "arith.subi"(%245, %32) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
                  %259 = "tensor.extract"(%77, %258) : (tensor<16xf32>, index) -> f32
                  "scf.yield"(%259) : (f32) -> ()
                }, {
                  "scf.yield"(%37) : (f32) -> ()
                }) : (i1) -> f32
                "scf.yield"(%257) : (f32) -> ()
              }) : (i1) -> f32
              "scf.yield"(%255) : (f32) -> ()
            }) : (i1) -> f32
            "scf.yield"(%253) : (f32) -> ()
          }) : (i1) -> f32
          "scf.yield"(%251) : (f32) -> ()
        }) : (i1) -> f32
        "scf.yield"(%249) : (f32) -> ()
      }) : (i1) -> f32
      "linalg.yield"(%247) : (f32) -> ()
    }) : (tensor<120xf32>) -> tensor<120xf32>
    %80 = "linalg.generic"(%53, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg61: f32, %arg62: f32):
      "linalg.yield"(%arg61) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %81 = "tensor.collapse_shape"(%80) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %82 = "linalg.generic"(%54, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32):
      "linalg.yield"(%arg59) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %83 = "tensor.collapse_shape"(%82) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %84 = "linalg.generic"(%52, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg57: f32, %arg58: f32):
      "linalg.yield"(%arg57) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %85 = "tensor.collapse_shape"(%84) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %86 = "linalg.generic"(%50, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg55: f32, %arg56: f32):
      "linalg.yield"(%arg55) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %87 = "tensor.collapse_shape"(%86) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %88 = "linalg.generic"(%51, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg53: f32, %arg54: f32):
      "linalg.yield"(%arg53) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %89 = "tensor.collapse_shape"(%88) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %90 = "linalg.generic"(%49, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg51: f32, %arg52: f32):
      "linalg.yield"(%arg51) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %91 = "tensor.collapse_shape"(%90) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %92 = "linalg.generic"(%78) <{indexing_maps = [#map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg50: f32):
      %221 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %222 = "arith.cmpi"(%221, %36) <{predicate = 6 : i64}> : (index, index) -> i1
      %223 = "scf.if"(%222) ({
        %244 = "tensor.extract"(%81, %221) : (tensor<16xf32>, index) -> f32
        "scf.yield"(%244) : (f32) -> ()
      }, {
        %224 = "arith.cmpi"(%221, %35) <{predicate = 6 : i64}> : (index, index) -> i1
        %225 = "scf.if"(%224) ({
          %242 = "arith.subi"(%221, %36) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
          %243 = "tensor.extract"(%83, %242) : (tensor<16xf32>, index) -> f32
          "scf.yield"(%243) : (f32) -> ()
        }, {
          %226 = "arith.cmpi"(%221, %34) <{predicate = 6 : i64}> : (index, index) -> i1
          %227 = "scf.if"(%226) ({
            %240 = "arith.subi"(%221, %35) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
            %241 = "tensor.extract"(%85, %240) : (tensor<16xf32>, index) -> f32
            "scf.yield"(%241) : (f32) -> ()
          }, {
            %228 = "arith.cmpi"(%221, %33) <{predicate = 6 : i64}> : (index, index) -> i1
            %229 = "scf.if"(%228) ({
              %238 = "arith.subi"(%221, %34) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
              %239 = "tensor.extract"(%87, %238) : (tensor<16xf32>, index) -> f32
              "scf.yield"(%239) : (f32) -> ()
            }, {
              %230 = "arith.cmpi"(%221, %32) <{predicate = 6 : i64}> : (index, index) -> i1
              %231 = "scf.if"(%230) ({
                %236 = "arith.subi"(%221, %33) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
                %237 = "tensor.extract"(%89, %236) : (tensor<16xf32>, index) -> f32
                "scf.yield"(%237) : (f32) -> ()
              }, {
                %232 = "arith.cmpi"(%221, %31) <{predicate = 6 : i64}> : (index, index) -> i1
                %233 = "scf.if"(%232) ({
                  %234 = "arith.subi"(%221, %32) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
                  %235 = "tensor.extract"(%91, %234) : (tensor<16xf32>, index) -> f32
                  "scf.yield"(%235) : (f32) -> ()
                }, {
                  "scf.yield"(%37) : (f32) -> ()
                }) : (i1) -> f32
                "scf.yield"(%233) : (f32) -> ()
              }) : (i1) -> f32
              "scf.yield"(%231) : (f32) -> ()
            }) : (i1) -> f32
            "scf.yield"(%229) : (f32) -> ()
          }) : (i1) -> f32
          "scf.yield"(%227) : (f32) -> ()
        }) : (i1) -> f32
        "scf.yield"(%225) : (f32) -> ()
      }) : (i1) -> f32
      "linalg.yield"(%223) : (f32) -> ()
    }) : (tensor<120xf32>) -> tensor<120xf32>
    %93 = "tensor.empty"() : () -> tensor<4x3xf32>
    %94 = "linalg.generic"(%48, %93) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg48: f32, %arg49: f32):
      "linalg.yield"(%arg48) : (f32) -> ()
    }) : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %95 = "tensor.collapse_shape"(%94) <{reassociation = [[0, 1]]}> : (tensor<4x3xf32>) -> tensor<12xf32>
    %96 = "linalg.generic"(%47, %93) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg46: f32, %arg47: f32):
      "linalg.yield"(%arg46) : (f32) -> ()
    }) : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %97 = "tensor.collapse_shape"(%96) <{reassociation = [[0, 1]]}> : (tensor<4x3xf32>) -> tensor<12xf32>
    %98 = "linalg.generic"(%46, %93) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg44: f32, %arg45: f32):
      "linalg.yield"(%arg44) : (f32) -> ()
    }) : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %99 = "tensor.collapse_shape"(%98) <{reassociation = [[0, 1]]}> : (tensor<4x3xf32>) -> tensor<12xf32>
    %100 = "linalg.generic"(%45, %93) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg42: f32, %arg43: f32):
      "linalg.yield"(%arg42) : (f32) -> ()
    }) : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %101 = "tensor.collapse_shape"(%100) <{reassociation = [[0, 1]]}> : (tensor<4x3xf32>) -> tensor<12xf32>
    %102 = "linalg.generic"(%44, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32):
      "linalg.yield"(%arg40) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %103 = "tensor.collapse_shape"(%102) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %104 = "linalg.generic"(%43, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg38: f32, %arg39: f32):
      "linalg.yield"(%arg38) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %105 = "tensor.collapse_shape"(%104) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %106 = "linalg.generic"(%42, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg36: f32, %arg37: f32):
      "linalg.yield"(%arg36) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %107 = "tensor.collapse_shape"(%106) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %108 = "linalg.generic"(%41, %65) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg34: f32, %arg35: f32):
      "linalg.yield"(%arg34) : (f32) -> ()
    }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %109 = "tensor.collapse_shape"(%108) <{reassociation = [[0, 1]]}> : (tensor<4x4xf32>) -> tensor<16xf32>
    %110 = "tensor.empty"() : () -> tensor<144xf32>
    %111 = "linalg.generic"(%110) <{indexing_maps = [#map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg33: f32):
      %177 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %178 = "arith.cmpi"(%177, %28) <{predicate = 6 : i64}> : (index, index) -> i1
      %179 = "scf.if"(%178) ({
        %220 = "tensor.extract"(%95, %177) : (tensor<12xf32>, index) -> f32
        "scf.yield"(%220) : (f32) -> ()
      }, {
        %180 = "arith.cmpi"(%177, %27) <{predicate = 6 : i64}> : (index, index) -> i1
        %181 = "scf.if"(%180) ({
          %218 = "arith.subi"(%177, %28) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
          %219 = "tensor.extract"(%97, %218) : (tensor<12xf32>, index) -> f32
          "scf.yield"(%219) : (f32) -> ()
        }, {
          %182 = "arith.cmpi"(%177, %26) <{predicate = 6 : i64}> : (index, index) -> i1
          %183 = "scf.if"(%182) ({
            %216 = "arith.subi"(%177, %27) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
            %217 = "tensor.extract"(%99, %216) : (tensor<12xf32>, index) -> f32
            "scf.yield"(%217) : (f32) -> ()
          }, {
            %184 = "arith.cmpi"(%177, %34) <{predicate = 6 : i64}> : (index, index) -> i1
            %185 = "scf.if"(%184) ({
              %214 = "arith.subi"(%177, %26) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
              %215 = "tensor.extract"(%101, %214) : (tensor<12xf32>, index) -> f32
              "scf.yield"(%215) : (f32) -> ()
            }, {
              %186 = "arith.cmpi"(%177, %33) <{predicate = 6 : i64}> : (index, index) -> i1
              %187 = "scf.if"(%186) ({
                %212 = "arith.subi"(%177, %34) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
                %213 = "tensor.extract"(%103, %212) : (tensor<16xf32>, index) -> f32
                "scf.yield"(%213) : (f32) -> ()
              }, {
                %188 = "arith.cmpi"(%177, %32) <{predicate = 6 : i64}> : (index, index) -> i1
                %189 = "scf.if"(%188) ({
                  %210 = "arith.subi"(%177, %33) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
                  %211 = "tensor.extract"(%105, %210) : (tensor<16xf32>, index) -> f32
                  "scf.yield"(%211) : (f32) -> ()
                }, {
                  %190 = "arith.cmpi"(%177, %31) <{predicate = 6 : i64}> : (index, index) -> i1
                  %191 = "scf.if"(%190) ({
                    %208 = "arith.subi"(%177, %32) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
                    %209 = "tensor.extract"(%107, %208) : (tensor<16xf32>, index) -> f32
                    "scf.yield"(%209) : (f32) -> ()
                  }, {
                    %192 = "arith.cmpi"(%177, %30) <{predicate = 6 : i64}> : (index, index) -> i1
                    %193 = "scf.if"(%192) ({
                      %206 = "arith.subi"(%177, %31) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
                      %207 = "tensor.extract"(%109, %206) : (tensor<16xf32>, index) -> f32
                      "scf.yield"(%207) : (f32) -> ()
                    }, {
                      %194 = "arith.cmpi"(%177, %29) <{predicate = 6 : i64}> : (index, index) -> i1
                      %195 = "scf.if"(%194) ({
                        "scf.yield"(%37) : (f32) -> ()
                      }, {
                        %196 = "arith.cmpi"(%177, %25) <{predicate = 6 : i64}> : (index, index) -> i1
                        %197 = "scf.if"(%196) ({
                          "scf.yield"(%37) : (f32) -> ()
                        }, {
                          %198 = "arith.cmpi"(%177, %24) <{predicate = 6 : i64}> : (index, index) -> i1
                          %199 = "scf.if"(%198) ({
                            "scf.yield"(%37) : (f32) -> ()
                          }, {
                            %200 = "arith.cmpi"(%177, %23) <{predicate = 6 : i64}> : (index, index) -> i1
                            %201 = "scf.if"(%200) ({
                              "scf.yield"(%37) : (f32) -> ()
                            }, {
                              %202 = "arith.cmpi"(%177, %22) <{predicate = 6 : i64}> : (index, index) -> i1
                              %203 = "scf.if"(%202) ({
                                "scf.yield"(%37) : (f32) -> ()
                              }, {
                                %204 = "arith.cmpi"(%177, %21) <{predicate = 6 : i64}> : (index, index) -> i1
                                %205 = "arith.select"(%204, %20, %37) : (i1, f32, f32) -> f32
                                "scf.yield"(%205) : (f32) -> ()
                              }) : (i1) -> f32
                              "scf.yield"(%203) : (f32) -> ()
                            }) : (i1) -> f32
                            "scf.yield"(%201) : (f32) -> ()
                          }) : (i1) -> f32
                          "scf.yield"(%199) : (f32) -> ()
                        }) : (i1) -> f32
                        "scf.yield"(%197) : (f32) -> ()
                      }) : (i1) -> f32
                      "scf.yield"(%195) : (f32) -> ()
                    }) : (i1) -> f32
                    "scf.yield"(%193) : (f32) -> ()
                  }) : (i1) -> f32
                  "scf.yield"(%191) : (f32) -> ()
                }) : (i1) -> f32
                "scf.yield"(%189) : (f32) -> ()
              }) : (i1) -> f32
              "scf.yield"(%187) : (f32) -> ()
            }) : (i1) -> f32
            "scf.yield"(%185) : (f32) -> ()
          }) : (i1) -> f32
          "scf.yield"(%183) : (f32) -> ()
        }) : (i1) -> f32
        "scf.yield"(%181) : (f32) -> ()
      }) : (i1) -> f32
      "linalg.yield"(%179) : (f32) -> ()
    }) : (tensor<144xf32>) -> tensor<144xf32>
    %112 = "shape.shape_of"(%arg11) : (tensor<?x5x3xf32>) -> tensor<3xindex>
    %113 = "arith.index_cast"(%112) : (tensor<3xindex>) -> tensor<3xi32>
    %114 = "tensor.extract_slice"(%113) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 1>, static_strides = array<i64: 1>}> : (tensor<3xi32>) -> tensor<1xi32>
    %115 = "tensor.extract"(%114, %39) : (tensor<1xi32>, index) -> i32
    %116 = "arith.index_cast"(%115) : (i32) -> index
    %117 = "tensor.empty"(%116) : (index) -> tensor<?xi32>
    %118 = "linalg.generic"(%61, %117) <{indexing_maps = [#map3, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg31: i32, %arg32: i32):
      "linalg.yield"(%arg31) : (i32) -> ()
    }) : (tensor<i32>, tensor<?xi32>) -> tensor<?xi32>
    %119 = "tensor.empty"() : () -> tensor<2xi32>
    %120 = "linalg.generic"(%119) <{indexing_maps = [#map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg30: i32):
      %173 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %174 = "arith.cmpi"(%173, %38) <{predicate = 6 : i64}> : (index, index) -> i1
      %175 = "scf.if"(%174) ({
        %176 = "tensor.extract"(%114, %173) : (tensor<1xi32>, index) -> i32
        "scf.yield"(%176) : (i32) -> ()
      }, {
        "scf.yield"(%19) : (i32) -> ()
      }) : (i1) -> i32
      "linalg.yield"(%175) : (i32) -> ()
    }) : (tensor<2xi32>) -> tensor<2xi32>
    %121 = "tensor.extract"(%120, %39) : (tensor<2xi32>, index) -> i32
    %122 = "arith.index_cast"(%121) : (i32) -> index
    %123 = "tensor.empty"(%122) : (index) -> tensor<?x4xf32>
    %124 = "linalg.generic"(%64, %123) <{indexing_maps = [#map4, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg28: f32, %arg29: f32):
      "linalg.yield"(%arg28) : (f32) -> ()
    }) : (tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %125 = "tensor.from_elements"(%122, %38, %40) : (index, index, index) -> tensor<3xindex>
    %126 = "func.call"(%124, %125) <{callee = @rnn_import_dynamic_reshape_0}> : (tensor<?x4xf32>, tensor<3xindex>) -> tensor<?x1x4xf32>
    %127:5 = "tf.CudnnRNNV3"(%arg11, %126, %126, %111, %118) {T = f32, device = "", direction = "unidirectional", dropout = 0.000000e+00 : f32, input_mode = "linear_input", is_training = true, num_proj = 0 : i64, rnn_mode = "lstm", seed = 0 : i64, seed2 = 0 : i64, time_major = false} : (tensor<?x5x3xf32>, tensor<?x1x4xf32>, tensor<?x1x4xf32>, tensor<144xf32>, tensor<?xi32>) -> (tensor<?x5x4xf32>, tensor<?x1x4xf32>, tensor<?x1x4xf32>, tensor<*xf32>, tensor<*xi8>)
    %128 = "shape.shape_of"(%127#0) : (tensor<?x5x4xf32>) -> tensor<3xindex>
    %129 = "arith.index_cast"(%128) : (tensor<3xindex>) -> tensor<3xi32>
    %130 = "tensor.extract_slice"(%129) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 1>, static_strides = array<i64: 1>}> : (tensor<3xi32>) -> tensor<1xi32>
    %131 = "linalg.generic"(%119) <{indexing_maps = [#map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg27: i32):
      %169 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %170 = "arith.cmpi"(%169, %38) <{predicate = 6 : i64}> : (index, index) -> i1
      %171 = "scf.if"(%170) ({
        %172 = "tensor.extract"(%130, %169) : (tensor<1xi32>, index) -> i32
        "scf.yield"(%172) : (i32) -> ()
      }, {
        "scf.yield"(%19) : (i32) -> ()
      }) : (i1) -> i32
      "linalg.yield"(%171) : (i32) -> ()
    }) : (tensor<2xi32>) -> tensor<2xi32>
    %132 = "tensor.extract"(%131, %39) : (tensor<2xi32>, index) -> i32
    %133 = "arith.index_cast"(%132) : (i32) -> index
    %134 = "tensor.empty"(%133) : (index) -> tensor<?x4xf32>
    %135 = "linalg.generic"(%64, %134) <{indexing_maps = [#map4, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32):
      "linalg.yield"(%arg25) : (f32) -> ()
    }) : (tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %136 = "tensor.extract"(%130, %39) : (tensor<1xi32>, index) -> i32
    %137 = "arith.index_cast"(%136) : (i32) -> index
    %138 = "tensor.empty"(%137) : (index) -> tensor<?xi32>
    %139 = "linalg.generic"(%61, %138) <{indexing_maps = [#map3, #map2], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg23: i32, %arg24: i32):
      "linalg.yield"(%arg23) : (i32) -> ()
    }) : (tensor<i32>, tensor<?xi32>) -> tensor<?xi32>
    %140 = "tensor.from_elements"(%133, %38, %40) : (index, index, index) -> tensor<3xindex>
    %141 = "func.call"(%135, %140) <{callee = @rnn_import_dynamic_reshape_1}> : (tensor<?x4xf32>, tensor<3xindex>) -> tensor<?x1x4xf32>
    %142 = "func.call"(%127#0, %139) <{callee = @rnn_import_ReverseSequence_0}> : (tensor<?x5x4xf32>, tensor<?xi32>) -> tensor<?x5x4xf32>
    %143:5 = "tf.CudnnRNNV3"(%142, %141, %64, %79, %139) {T = f32, device = "", direction = "unidirectional", dropout = 0.000000e+00 : f32, input_mode = "linear_input", is_training = true, num_proj = 0 : i64, rnn_mode = "gru", seed = 0 : i64, seed2 = 0 : i64, time_major = false} : (tensor<?x5x4xf32>, tensor<?x1x4xf32>, tensor<f32>, tensor<120xf32>, tensor<?xi32>) -> (tensor<?x5x4xf32>, tensor<?x1x4xf32>, tensor<f32>, tensor<*xf32>, tensor<*xi8>)
    %144:5 = "tf.CudnnRNNV3"(%127#0, %141, %64, %92, %139) {T = f32, device = "", direction = "unidirectional", dropout = 0.000000e+00 : f32, input_mode = "linear_input", is_training = true, num_proj = 0 : i64, rnn_mode = "gru", seed = 0 : i64, seed2 = 0 : i64, time_major = false} : (tensor<?x5x4xf32>, tensor<?x1x4xf32>, tensor<f32>, tensor<120xf32>, tensor<?xi32>) -> (tensor<?x5x4xf32>, tensor<?x1x4xf32>, tensor<f32>, tensor<*xf32>, tensor<*xi8>)
    %145 = "tensor.dim"(%143#1, %39) : (tensor<?x1x4xf32>, index) -> index
    %146 = "tensor.from_elements"(%145, %40) : (index, index) -> tensor<2xindex>
    %147 = "tensor.dim"(%144#1, %39) : (tensor<?x1x4xf32>, index) -> index
    %148 = "tensor.from_elements"(%147, %40) : (index, index) -> tensor<2xindex>
    %149 = "func.call"(%143#1, %146) <{callee = @rnn_import_dynamic_reshape_2}> : (tensor<?x1x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
    %150 = "func.call"(%144#1, %148) <{callee = @rnn_import_dynamic_reshape_3}> : (tensor<?x1x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
    %151 = "tensor.dim"(%150, %39) : (tensor<?x4xf32>, index) -> index
    %152 = "tensor.empty"(%151) : (index) -> tensor<?x8xf32>
    %153 = "linalg.generic"(%152) <{indexing_maps = [#map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg22: f32):
      %162 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %163 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %164 = "arith.cmpi"(%163, %40) <{predicate = 6 : i64}> : (index, index) -> i1
      %165 = "scf.if"(%164) ({
        %168 = "tensor.extract"(%150, %162, %163) : (tensor<?x4xf32>, index, index) -> f32
        "scf.yield"(%168) : (f32) -> ()
      }, {
        %166 = "arith.subi"(%163, %40) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
        %167 = "tensor.extract"(%149, %162, %166) : (tensor<?x4xf32>, index, index) -> f32
        "scf.yield"(%167) : (f32) -> ()
      }) : (i1) -> f32
      "linalg.yield"(%165) : (f32) -> ()
    }) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %154 = "tensor.empty"(%151) : (index) -> tensor<?x3xf32>
    %155 = "linalg.fill"(%37, %154) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32):
      "linalg.yield"(%arg20) : (f32) -> ()
    }) : (f32, tensor<?x3xf32>) -> tensor<?x3xf32>
    %156 = "linalg.matmul"(%153, %62, %155) <{indexing_maps = [#map5, #map6, #map7], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg17: f32, %arg18: f32, %arg19: f32):
      %160 = "arith.mulf"(%arg17, %arg18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %161 = "arith.addf"(%arg19, %160) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%161) : (f32) -> ()
    }) : (tensor<?x8xf32>, tensor<8x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %157 = "linalg.generic"(%63, %154) <{indexing_maps = [#map8, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg15: f32, %arg16: f32):
      "linalg.yield"(%arg15) : (f32) -> ()
    }) : (tensor<3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %158 = "linalg.generic"(%156, %157, %154) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg12: f32, %arg13: f32, %arg14: f32):
      %159 = "arith.addf"(%arg12, %arg13) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%159) : (f32) -> ()
    }) : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    "func.return"(%158) : (tensor<?x3xf32>) -> ()
  }) {allow_soft_placement = false} : () -> ()
  "func.func"() <{function_type = (tensor<?x5x4xf32>, tensor<?xi32>) -> tensor<?x5x4xf32>, sym_name = "rnn_import_ReverseSequence_0", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<?x5x4xf32>, %arg9: tensor<?xi32>):
    %4 = "arith.constant"() <{value = 1 : index}> : () -> index
    %5 = "arith.constant"() <{value = 0 : index}> : () -> index
    %6 = "tensor.dim"(%arg8, %5) : (tensor<?x5x4xf32>, index) -> index
    %7 = "tensor.empty"(%6) : (index) -> tensor<?x5x4xf32>
    %8 = "linalg.generic"(%7) <{indexing_maps = [#map9], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg10: f32):
      %9 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %10 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %11 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %12 = "tensor.extract"(%arg9, %9) : (tensor<?xi32>, index) -> i32
      %13 = "arith.index_cast"(%12) : (i32) -> index
      %14 = "arith.cmpi"(%10, %13) <{predicate = 2 : i64}> : (index, index) -> i1
      %15 = "arith.subi"(%13, %10) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %16 = "arith.subi"(%15, %4) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %17 = "arith.select"(%14, %16, %10) : (i1, index, index) -> index
      %18 = "tensor.extract"(%arg8, %9, %17, %11) : (tensor<?x5x4xf32>, index, index, index) -> f32
      "linalg.yield"(%18) : (f32) -> ()
    }) : (tensor<?x5x4xf32>) -> tensor<?x5x4xf32>
    "func.return"(%8) : (tensor<?x5x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<?x4xf32>, tensor<3xindex>) -> tensor<?x1x4xf32>, sym_name = "rnn_import_dynamic_reshape_0", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<?x4xf32>, %arg7: tensor<3xindex>):
    %3 = "tensor.reshape"(%arg6, %arg7) : (tensor<?x4xf32>, tensor<3xindex>) -> tensor<?x1x4xf32>
    "func.return"(%3) : (tensor<?x1x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<?x4xf32>, tensor<3xindex>) -> tensor<?x1x4xf32>, sym_name = "rnn_import_dynamic_reshape_1", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<?x4xf32>, %arg5: tensor<3xindex>):
    %2 = "tensor.reshape"(%arg4, %arg5) : (tensor<?x4xf32>, tensor<3xindex>) -> tensor<?x1x4xf32>
    "func.return"(%2) : (tensor<?x1x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<?x1x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>, sym_name = "rnn_import_dynamic_reshape_2", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<?x1x4xf32>, %arg3: tensor<2xindex>):
    %1 = "tensor.reshape"(%arg2, %arg3) : (tensor<?x1x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
    "func.return"(%1) : (tensor<?x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<?x1x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>, sym_name = "rnn_import_dynamic_reshape_3", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<?x1x4xf32>, %arg1: tensor<2xindex>):
    %0 = "tensor.reshape"(%arg0, %arg1) : (tensor<?x1x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
    "func.return"(%0) : (tensor<?x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
