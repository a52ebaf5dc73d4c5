// windows.mlir - inputs that are read at sums of loops become strided views.
// RUN: rnn-opt %s --convert-linalg-to-host=vector-bits=256 --split-input-file | FileCheck %s

// Reductions first: vectors are along the image.
// CHECK-LABEL: func @taps
// CHECK-SAME: %[[X:.*]]: memref<20xf32>
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [3, 18], strides: [1, 1] : memref<f32> to memref<3x18xf32, strided<[1, 1]>>
// CHECK: vector.load %[[VIEW]]
// CHECK-NOT: linalg
// CHECK: return
func.func @taps(%x: memref<20xf32>, %k: memref<3xf32>, %y: memref<18xf32>) {
  linalg.conv_1d ins(%x, %k : memref<20xf32>, memref<3xf32>) outs(%y : memref<18xf32>)
  return
}

// -----

// Sizes, strides and an offset that are known at run time; steps and dilations.
// CHECK-DAG: #[[TIMES2:.*]] = affine_map<()[s0] -> (s0 * 2)>
// CHECK-DAG: #[[TIMES3:.*]] = affine_map<()[s0] -> (s0 * 3)>
// CHECK: func.func @dynamic
// CHECK-SAME: %[[X:.*]]: memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>, %[[W:.*]]: memref<3x?x?xf32>, %[[Y:.*]]: memref<?x?x?xf32>
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:3, %[[STRIDES:.*]]:3 = memref.extract_strided_metadata %[[X]]
// CHECK: %[[TAP:.*]] = affine.apply #[[TIMES3]]()[%[[STRIDES]]#1]
// CHECK: %[[STEP:.*]] = affine.apply #[[TIMES2]]()[%[[STRIDES]]#1]
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%[[OFFSET]]], sizes: [%{{.*}}, 3, %{{.*}}, %{{.*}}], strides: [%[[STRIDES]]#0, %[[TAP]], %[[STEP]], 1] :
// CHECK-NOT: linalg
// CHECK: return
func.func @dynamic(%x: memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>, %w: memref<3x?x?xf32>, %y: memref<?x?x?xf32>) {
  linalg.conv_1d_nwc_wcf {strides = dense<2> : vector<1xi64>, dilations = dense<3> : vector<1xi64>}
    ins(%x, %w : memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>, memref<3x?x?xf32>) outs(%y : memref<?x?x?xf32>)
  return
}

// -----

// A pooling.
// CHECK-LABEL: func @pooling
// CHECK: memref.reinterpret_cast %{{.*}} sizes: [1, 2, 4, 3, 4, 16], strides: [1296, 144, 288, 16, 32, 1]
// CHECK: arith.maximumf {{.*}} : vector<8xf32>
// CHECK-NOT: linalg
func.func @pooling(%x: memref<1x9x9x16xf32>, %k: memref<2x3xf32>, %y: memref<1x4x4x16xf32>) {
  linalg.pooling_nhwc_max {strides = dense<2> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
    ins(%x, %k : memref<1x9x9x16xf32>, memref<2x3xf32>) outs(%y : memref<1x4x4x16xf32>)
  return
}

// -----

// Reversed rows, and an element of each column.
// CHECK-LABEL: func @reversed
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [64], sizes: [5, 16], strides: [-16, 1]
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [32], sizes: [16], strides: [1]
// CHECK-NOT: linalg
func.func @reversed(%x: memref<5x16xf32>, %y: memref<5x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (4 - i, j)>, affine_map<(i, j) -> (2, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]} ins(%x, %x : memref<5x16xf32>, memref<5x16xf32>) outs(%y : memref<5x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Indices that are not linear, and results with windows, are not changed.
// CHECK-LABEL: func @others
// CHECK-NOT: reinterpret_cast
// CHECK-COUNT-2: linalg.generic
func.func @others(%x: memref<4x16xf32>, %y: memref<8x16xf32>, %z: memref<11x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]} ins(%x : memref<4x16xf32>) outs(%y : memref<8x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (i, j)>, affine_map<(i, k, j) -> (k, j)>, affine_map<(i, k, j) -> (i + k, j)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
    ins(%y, %x : memref<8x16xf32>, memref<4x16xf32>) outs(%z : memref<11x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// The gradient of an input: the channels of the result are no columns of the filter, which is copied.
// CHECK-LABEL: func @filter
// CHECK-SAME: %{{.*}}, %[[W:.*]]: memref<2x8x9xf32>,
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x9x8xf32>
// CHECK: vector.store %{{.*}}, %[[COPY]]
// CHECK: vector.load %[[COPY]]
// CHECK: memref.dealloc %[[COPY]]
// CHECK-NOT: linalg
func.func @filter(%g: memref<1x17x9xf32>, %w: memref<2x8x9xf32>, %y: memref<1x16x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, t, c, k, f) -> (n, t + k, f)>, affine_map<(n, t, c, k, f) -> (k, c, f)>, affine_map<(n, t, c, k, f) -> (n, t, c)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%g, %w : memref<1x17x9xf32>, memref<2x8x9xf32>) outs(%y : memref<1x16x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// The gradient of a filter whose rows are short: the other gradient and the result are copied, so that vectors are along channels.
// CHECK-LABEL: func @result
// CHECK-SAME: %{{.*}}, %[[G:.*]]: memref<2x8x8xf32>, %[[W:.*]]: memref<8x8x3xf32>
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x8x8xf32>
// CHECK: %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x3x8xf32>
// CHECK: vector.store %{{.*}}, %[[SUMS]]
// CHECK: vector.load %[[COPY]]
// CHECK: vector.store %{{.*}}, %[[SUMS]]
// CHECK: %[[W]]
// CHECK: memref.dealloc %[[COPY]]
// CHECK: memref.dealloc %[[SUMS]]
// CHECK-NOT: linalg
func.func @result(%x: memref<2x8x10xf32>, %g: memref<2x8x8xf32>, %w: memref<8x8x3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(f, c, k, n, t) -> (n, c, t + k)>, affine_map<(f, c, k, n, t) -> (n, f, t)>, affine_map<(f, c, k, n, t) -> (f, c, k)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %g : memref<2x8x10xf32>, memref<2x8x8xf32>) outs(%w : memref<8x8x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Few rows and few columns: nothing is copied.
// CHECK-LABEL: func @few
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @few(%g: memref<1x9x9xf32>, %w: memref<2x8x9xf32>, %y: memref<1x8x8xf32>, %v: memref<2x6x9xf32>, %z: memref<1x8x6xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, t, c, k, f) -> (n, t + k, f)>, affine_map<(n, t, c, k, f) -> (k, c, f)>, affine_map<(n, t, c, k, f) -> (n, t, c)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%g, %w : memref<1x9x9xf32>, memref<2x8x9xf32>) outs(%y : memref<1x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(n, t, c, k, f) -> (n, t + k, f)>, affine_map<(n, t, c, k, f) -> (k, c, f)>, affine_map<(n, t, c, k, f) -> (n, t, c)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%g, %v : memref<1x9x9xf32>, memref<2x6x9xf32>) outs(%z : memref<1x8x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Loops of one iteration are removed if vectors would be along one of them.
// CHECK-LABEL: func @units
// CHECK-SAME: %[[X:.*]]: memref<2x10x16x1xf32>
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [2, 8, 3, 16], strides: [160, 16, 16, 1]
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [2, 8, 16], strides: [128, 16, 1]
// CHECK: %[[Y:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [3, 16], strides: [16, 1]
// CHECK: vector.store %{{.*}}, %[[Y]]
// CHECK-NOT: linalg
func.func @units(%x: memref<2x10x16x1xf32>, %g: memref<2x8x16x1xf32>, %w: memref<3x1x16x1xf32>) {
  linalg.generic {indexing_maps = [affine_map<(c, n, f, k, t, u) -> (n, k + t, c, u)>, affine_map<(c, n, f, k, t, u) -> (n, t, c, f)>, affine_map<(c, n, f, k, t, u) -> (k, u, c, f)>],
                  iterator_types = ["parallel", "reduction", "parallel", "parallel", "reduction", "parallel"]}
    ins(%x, %g : memref<2x10x16x1xf32>, memref<2x8x16x1xf32>) outs(%w : memref<3x1x16x1xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#row = affine_map<(i, j, k) -> (i, j)>
#all = affine_map<(i, j, k) -> (i, j, k)>

// The loop of the last dimension has one iteration: vectors are along the one before.
// CHECK-LABEL: func @unit_column
// CHECK: vector.load %{{.*}} : memref<{{.*}}xf32{{.*}}>, vector<8xf32>
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @unit_column(%x: memref<4x16xf32>, %y: memref<4x16x1xf32>) {
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<4x16xf32>) outs(%y : memref<4x16x1xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = math.rsqrt %a : f32
    linalg.yield %d : f32
  }
  return
}

// -----

// Rows of 14 pixels: vectors are along the 64 columns of the filter, unless the sums are too short for a copy of the result.
// CHECK-LABEL: func @narrow
// CHECK: memref.alloc() {{.*}} : memref<32x3x3x64xf32>
// CHECK: memref.alloc() {{.*}} : memref<2x14x14x64xf32>
// CHECK-NOT: linalg
// CHECK-LABEL: func @narrow_short
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @narrow(%x: memref<2x32x16x16xf32>, %w: memref<64x32x3x3xf32>, %y: memref<2x64x14x14xf32>) {
  linalg.conv_2d_nchw_fchw ins(%x, %w : memref<2x32x16x16xf32>, memref<64x32x3x3xf32>) outs(%y : memref<2x64x14x14xf32>)
  return
}
func.func @narrow_short(%x: memref<2x28x16x16xf32>, %w: memref<64x28x3x3xf32>, %y: memref<2x64x14x14xf32>) {
  linalg.conv_2d_nchw_fchw ins(%x, %w : memref<2x28x16x16xf32>, memref<64x28x3x3xf32>) outs(%y : memref<2x64x14x14xf32>)
  return
}
