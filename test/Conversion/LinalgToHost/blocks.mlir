// blocks.mlir - contractions whose tiles would read an operand from L3 are computed in blocks.
// RUN: rnn-opt %s --convert-linalg-to-host=vector-bits=256 --split-input-file | FileCheck %s

// A filter that is larger than L2: all rows use 16 columns of one tap, then of the next one. The sums of a tap are added
// to the result. Windows are not copied.
// CHECK-LABEL: func @taps
// CHECK-NOT: memref.alloc
// CHECK: rnnrt.parallel
// CHECK-NOT: memref.alloc
// CHECK: scf.for %{{.*}} to %c160{{.*}} step %c16
// CHECK-NEXT: %c0
// CHECK-NEXT: %c1
// CHECK-NEXT: scf.for %{{.*}} to %c3{{.*}} step %c1
// CHECK: scf.for %{{.*}} step %c6
// CHECK: scf.for %{{.*}} to %c512{{.*}} step %c1{{.*}} -> (vector<8xf32>,
// CHECK-COUNT-12: arith.addf
// CHECK-NEXT: scf.yield
func.func @taps(%x: memref<1x66x512xf32>, %w: memref<3x512x160xf32>, %y: memref<1x64x160xf32>) {
  linalg.conv_1d_nwc_wcf {strides = dense<1> : vector<1xi64>, dilations = dense<1> : vector<1xi64>}
    ins(%x, %w : memref<1x66x512xf32>, memref<3x512x160xf32>) outs(%y : memref<1x64x160xf32>)
  return
}

// -----

// One tap with many channels: equal parts of the channels.
// CHECK-LABEL: func @channels
// CHECK: scf.for %{{.*}} to %c64{{.*}} step %c16
// CHECK: scf.for %{{.*}} to %c2{{.*}} step %c1
// CHECK: scf.for %[[CHANNEL:.*]] = %{{.*}} to %c1800{{.*}} step %c900
// CHECK: %[[NEXT:.*]] = arith.addi %[[CHANNEL]], %c900
// CHECK: %[[END:.*]] = arith.minsi %[[NEXT]], %c1800
// CHECK: scf.for %{{.*}} step %c6
// CHECK: scf.for %{{.*}} = %[[CHANNEL]] to %[[END]] step %c1{{.*}} -> (vector<8xf32>,
func.func @channels(%x: memref<1x66x1800xf32>, %w: memref<2x1800x64xf32>, %y: memref<1x65x64xf32>) {
  linalg.conv_1d_nwc_wcf {strides = dense<1> : vector<1xi64>, dilations = dense<1> : vector<1xi64>}
    ins(%x, %w : memref<1x66x1800xf32>, memref<2x1800x64xf32>) outs(%y : memref<1x65x64xf32>)
  return
}

// -----

// The result of an f16 convolution cannot hold parts of its sums, which are f32: the loop over columns is inside of that
// over rows.
// CHECK-LABEL: func @no_blocks
// CHECK-NOT: scf.for
// CHECK: scf.for %{{.*}} to %c4{{.*}} step %c1
// CHECK: scf.for %{{.*}} step %c6
// CHECK: scf.for %{{.*}} to %c320{{.*}} step %c16
func.func @no_blocks(%x: memref<4x66x512xf16>, %w: memref<3x512x320xf16>, %y: memref<4x64x320xf16>) {
  linalg.conv_1d_nwc_wcf {strides = dense<1> : vector<1xi64>, dilations = dense<1> : vector<1xi64>}
    ins(%x, %w : memref<4x66x512xf16>, memref<3x512x320xf16>) outs(%y : memref<4x64x320xf16>)
  return
}

// -----

// Reductions are in the order of the vectors: rows of the filter, whose first dimension is the tap.
// CHECK-LABEL: func @order
// CHECK: scf.for %{{.*}} to %c3{{.*}} step %c1{{.*}} -> (vector<8xf32>,
// CHECK: scf.for %{{.*}} to %c20{{.*}} step %c1{{.*}} -> (vector<8xf32>,
func.func @order(%x: memref<12x20xf32>, %w: memref<3x20x16xf32>, %y: memref<10x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(c, t, f, k) -> (t + k, c)>, affine_map<(c, t, f, k) -> (k, c, f)>, affine_map<(c, t, f, k) -> (t, f)>],
                  iterator_types = ["reduction", "parallel", "parallel", "reduction"]}
    ins(%x, %w : memref<12x20xf32>, memref<3x20x16xf32>) outs(%y : memref<10x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}
