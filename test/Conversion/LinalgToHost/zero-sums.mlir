// zero-sums.mlir - sums start from zero in registers if the result was filled with zeros for them.
// RUN: rnn-opt %s --convert-linalg-to-host=vector-bits=512 --split-input-file | FileCheck %s
// RUN: rnn-opt %s --convert-linalg-to-host="vector-bits=512 vector-registers=32 bf16-gemm=amx" --split-input-file | FileCheck %s --check-prefix=AMX

// CHECK-LABEL: func.func @zeros
// CHECK-NOT: vector.load {{.*}}memref<4x16xf32>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-NOT: vector.store %[[ZERO]]
// CHECK: return
func.func @zeros(%a: memref<4x8xf32>, %b: memref<8x16xf32>) -> memref<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<4x16xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<4x16xf32>)
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>) outs(%c : memref<4x16xf32>)
  return %c : memref<4x16xf32>
}

// -----

// The lanes of a sum along the vectorized loop, and a sum of all elements.
// CHECK-LABEL: func.func @row_sums
// CHECK-NOT: memref.load
// CHECK: return
func.func @row_sums(%a: memref<4x64xf32>) -> memref<4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<4xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]} ins(%a : memref<4x64xf32>) outs(%c : memref<4xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  }
  return %c : memref<4xf32>
}

// -----

// Another value, a use between, a view that was made before, and a maximum read the result.
// CHECK-LABEL: func.func @one
// CHECK: vector.store %{{.*}}, %[[C:.*]][%{{.*}}] : memref<16xf32>
// CHECK: vector.load %[[C]]
func.func @one(%a: memref<8x16xf32>) -> memref<16xf32> {
  %one = arith.constant 1.0 : f32
  %c = memref.alloc() : memref<16xf32>
  linalg.fill ins(%one : f32) outs(%c : memref<16xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]} ins(%a : memref<8x16xf32>) outs(%c : memref<16xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  }
  return %c : memref<16xf32>
}

// -----

// CHECK-LABEL: func.func @used
// CHECK: vector.store
// CHECK: memref.store
// CHECK: vector.load %{{.*}} : memref<16xf32>
func.func @used(%a: memref<8x16xf32>, %v: f32, %i: index) -> memref<16xf32> {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<16xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<16xf32>)
  memref.store %v, %c[%i] : memref<16xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]} ins(%a : memref<8x16xf32>) outs(%c : memref<16xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  }
  return %c : memref<16xf32>
}

// -----

// CHECK-LABEL: func.func @view
// CHECK: vector.store
// CHECK: vector.load %{{.*}} : memref<16xf32>
func.func @view(%a: memref<8x16xf32>, %v: f32, %i: index) -> memref<16xf32> {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<16xf32>
  %view = memref.cast %c : memref<16xf32> to memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<16xf32>)
  memref.store %v, %view[%i] : memref<?xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]} ins(%a : memref<8x16xf32>) outs(%c : memref<16xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  }
  return %c : memref<16xf32>
}

// -----

// CHECK-LABEL: func.func @maximum
// CHECK: vector.store
// CHECK: vector.load %{{.*}} : memref<16xf32>
func.func @maximum(%a: memref<8x16xf32>) -> memref<16xf32> {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<16xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<16xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]} ins(%a : memref<8x16xf32>) outs(%c : memref<16xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.maximumf %s, %x : f32
    linalg.yield %t : f32
  }
  return %c : memref<16xf32>
}

// -----

// Sizes are dynamic: the packed GEMM adds to the zeros.
// CHECK-LABEL: func.func @dynamic
// CHECK: scf.if
func.func @dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %m: index, %n: index) -> memref<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc(%m, %n) : memref<?x?xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return %c : memref<?x?xf32>
}

// -----

// Tiles start from zeros, and nothing reads the result.
// AMX-LABEL: func.func @tiles
// AMX-NOT: vector.store %{{.*}} : memref<64x64xbf16>
// AMX: rnnrt.enable_amx
// AMX-NOT: vector.{{load|maskedload}} %{{.*}} : memref<64x64xbf16>
// AMX: call @rnn_host_tile_gemm
// AMX: return
func.func @tiles(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>) -> memref<64x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %c = memref.alloc() : memref<64x64xbf16>
  linalg.fill ins(%zero : bf16) outs(%c : memref<64x64xbf16>)
  linalg.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%c : memref<64x64xbf16>)
  return %c : memref<64x64xbf16>
}
