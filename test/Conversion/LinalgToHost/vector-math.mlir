// Functions of f32 vectors become arithmetic in f64. Only large angles call the C library, one element at a time.
// RUN: rnn-opt %s -convert-linalg-to-host="vector-bits=256" -canonicalize -cse -split-input-file | FileCheck %s

#row = affine_map<(i) -> (i)>

// CHECK-LABEL: func @sine
// CHECK: arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
// CHECK: %[[RESULT:.*]] = arith.truncf %{{.*}} : vector<8xf64> to vector<8xf32>
// CHECK: %[[LARGE:.*]] = arith.andi %{{.*}} : vector<8xi1>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[LARGE]]
// CHECK: scf.if %[[ANY]] -> (vector<8xf32>) {
// CHECK:   %[[EXACT:.*]] = scf.for
// CHECK:     math.sin %{{.*}} : f32
// CHECK:   arith.select %[[LARGE]], %[[EXACT]], %[[RESULT]]
// CHECK: } else {
// CHECK:   scf.yield %[[RESULT]]
func.func @sine(%x: memref<64xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = math.sin %a : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#row = affine_map<(i) -> (i)>

// bf16 is computed in f32, whose functions are computed in f64.
// CHECK-LABEL: func @power
// CHECK-NOT: math.powf
// CHECK: arith.truncf %{{.*}} : vector<8xf64> to vector<8xf32>
// CHECK-NOT: math.powf
// CHECK: return
func.func @power(%x: memref<64xbf16>, %y: memref<64xbf16>) {
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : memref<64xbf16>) outs(%y : memref<64xbf16>) {
  ^bb0(%a: bf16, %b: bf16):
    %p = math.powf %a, %a : bf16
    linalg.yield %p : bf16
  }
  return
}

// -----

#row = affine_map<(i) -> (i)>

// f64 has no such form.
// CHECK-LABEL: func @double
// CHECK: math.atan2 %{{.*}} : vector<4xf64>
func.func @double(%x: memref<64xf64>, %y: memref<64xf64>) {
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : memref<64xf64>) outs(%y : memref<64xf64>) {
  ^bb0(%a: f64, %b: f64):
    %p = math.atan2 %a, %a : f64
    linalg.yield %p : f64
  }
  return
}
