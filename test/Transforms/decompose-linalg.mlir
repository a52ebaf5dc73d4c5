// decompose-linalg.mlir - linalg ops that become loop nests.
// RUN: rnn-opt %s --rnn-decompose-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: func @softmax
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK-NOT: linalg.softmax
func.func @softmax(%x: tensor<4x?xf32>, %o: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x?xf32>) outs(%o : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// The output of memrefs is written at the end, since it may be the input.
// CHECK-LABEL: func @softmax_memref
// CHECK-SAME: %[[X:.*]]: memref<4x8xf32, strided<[16, 1]>>, %[[O:.*]]: memref<4x8xf32>
// CHECK: bufferization.to_tensor %[[X]] restrict
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK: linalg.generic {{.*}} outs(%[[EMPTY]] : tensor<4x8xf32>)
// CHECK: linalg.generic {{.*}} outs(%[[EMPTY]] : tensor<4x8xf32>)
// CHECK: arith.divf
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[O]]
func.func @softmax_memref(%x: memref<4x8xf32, strided<[16, 1]>>, %o: memref<4x8xf32>) {
  linalg.softmax dimension(0) ins(%x : memref<4x8xf32, strided<[16, 1]>>) outs(%o : memref<4x8xf32>)
  return
}

// CHECK-LABEL: func @pack
// CHECK: tensor.pad %arg0 low[0, 0] high[%{{.*}}, 2]
// CHECK: tensor.expand_shape
// CHECK: linalg.transpose
// CHECK-LABEL: func @unpack
// CHECK: linalg.transpose
// CHECK: tensor.collapse_shape
// CHECK: tensor.extract_slice
func.func @pack(%x: tensor<?x30xf32>, %o: tensor<?x4x8x8xf32>) -> tensor<?x4x8x8xf32> {
  %c = arith.constant 0.0 : f32
  %0 = linalg.pack %x padding_value(%c : f32) inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %o : tensor<?x30xf32> -> tensor<?x4x8x8xf32>
  return %0 : tensor<?x4x8x8xf32>
}
func.func @unpack(%x: tensor<?x4x8x8xf32>, %o: tensor<?x30xf32>) -> tensor<?x30xf32> {
  %0 = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %o : tensor<?x4x8x8xf32> -> tensor<?x30xf32>
  return %0 : tensor<?x30xf32>
}

// CHECK-LABEL: func @winograd
// CHECK-NOT: linalg.winograd
// CHECK: linalg.matmul
func.func @winograd(%f: tensor<2x3x3x5xf32>, %o: tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32> {
  %0 = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x5xf32>) outs(%o : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
  return %0 : tensor<6x6x5x2xf32>
}
