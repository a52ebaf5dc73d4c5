// decompose-linalg-errors.mlir - linalg ops that rnn-decompose-linalg refuses.
// RUN: rnn-opt %s --rnn-decompose-linalg --split-input-file --verify-diagnostics

func.func @integers(%x: tensor<4x8xi32>, %o: tensor<4x8xi32>) -> tensor<4x8xi32> {
  // expected-error @below {{'linalg.softmax' op has elements of type 'i32', but expects floating-point numbers}}
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xi32>) outs(%o : tensor<4x8xi32>) -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

func.func @mixed(%x: tensor<4x8xf32>, %o: memref<4x8xf32>) {
  // expected-error @below {{'linalg.softmax' op has a tensor and a memref, but expects two tensors or two memrefs}}
  linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%o : memref<4x8xf32>)
  return
}

// -----

func.func @tiles(%x: tensor<16x8xf32>, %n: index, %o: tensor<?x8x?xf32>, %p: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error @below {{'linalg.pack' op has inner tiles of unknown size; write their sizes as constants}}
  %0 = linalg.pack %x inner_dims_pos = [0] inner_tiles = [%n] into %o : tensor<16x8xf32> -> tensor<?x8x?xf32>
  // expected-error @below {{'linalg.unpack' op has inner tiles of unknown size}}
  %1 = linalg.unpack %0 inner_dims_pos = [0] inner_tiles = [%n] into %p : tensor<?x8x?xf32> -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
