// linalg-decomposed-host.mlir - softmax, packed tiles and Winograd's convolution on target host.
// REQUIRES: rnn-run
// DEFINE: %{softmax} = rnn-run %s '--input=2x3xf32=[[0,1.0986123,1.9459102],[100,100,-inf]]' '--expected-output=2x3xf32=[[0.0909091,0.2727273,0.6363636],[0.5,0.5,0]]' --atol=1e-6
// DEFINE: %{matrix} = '--input=3x3xf32=[[1,2,3],[4,5,6],[7,8,9]]'
// RUN: %{softmax} --function=softmax | FileCheck %s
// RUN: %{softmax} --function=softmax_in_place | FileCheck %s
// RUN: rnn-run %s --function=pack %{matrix} '--expected-output=2x2x2x2xf32=[[[[1,4],[2,5]],[[7,-1],[8,-1]]],[[[3,6],[-1,-1]],[[9,-1],[-1,-1]]]]' | FileCheck %s
// RUN: rnn-run %s --function=packed_and_unpacked %{matrix} '--expected-output=3x3xf32=[[1,2,3],[4,5,6],[7,8,9]]' | FileCheck %s
// RUN: rnn-run %s --function=convolution --input=random:1 --input=random:2 --output=@%t.npy
// RUN: rnn-run %s --function=winograd --input=random:1 --input=random:2 --expected-output=@%t.npy --atol=1e-12 | FileCheck %s
// CHECK: all results are as expected

func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @softmax_in_place(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = memref.alloc() : memref<2x3xf32>
  bufferization.materialize_in_destination %x in writable %0 : (tensor<2x3xf32>, memref<2x3xf32>) -> ()
  linalg.softmax dimension(1) ins(%0 : memref<2x3xf32>) outs(%0 : memref<2x3xf32>)
  %1 = bufferization.to_tensor %0 restrict : memref<2x3xf32> to tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// Tiles of two columns and two rows, in columns of tiles.
func.func @pack(%x: tensor<?x?xf32>) -> tensor<2x2x2x2xf32> {
  %padding = arith.constant -1.0 : f32
  %0 = tensor.empty() : tensor<2x2x2x2xf32>
  %1 = linalg.pack %x padding_value(%padding : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [2, 2] into %0 : tensor<?x?xf32> -> tensor<2x2x2x2xf32>
  return %1 : tensor<2x2x2x2xf32>
}

func.func @packed_and_unpacked(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %packed = call @pack(%x) : (tensor<?x?xf32>) -> tensor<2x2x2x2xf32>
  %0 = linalg.unpack %packed outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [2, 2] into %x : tensor<2x2x2x2xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @convolution(%x: tensor<2x10x10x5xf64>, %filter: tensor<2x3x3x5xf64>) -> tensor<2x8x8x2xf64> {
  %zero = arith.constant 0.0 : f64
  %0 = tensor.empty() : tensor<2x8x8x2xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%0 : tensor<2x8x8x2xf64>) -> tensor<2x8x8x2xf64>
  %1 = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %filter : tensor<2x10x10x5xf64>, tensor<2x3x3x5xf64>) outs(%zeros : tensor<2x8x8x2xf64>) -> tensor<2x8x8x2xf64>
  return %1 : tensor<2x8x8x2xf64>
}

// The matrices of F_2_3 are exact; those of F_4_3 have thirds in f32.
func.func @winograd(%x: tensor<2x10x10x5xf64>, %filter: tensor<2x3x3x5xf64>) -> tensor<2x8x8x2xf64> {
  %zero = arith.constant 0.0 : f64
  %0 = tensor.empty() : tensor<4x4x5x2xf64>
  %filters = linalg.winograd_filter_transform fmr(F_2_3) ins(%filter : tensor<2x3x3x5xf64>) outs(%0 : tensor<4x4x5x2xf64>) -> tensor<4x4x5x2xf64>
  %1 = tensor.empty() : tensor<4x4x4x4x2x5xf64>
  %inputs = linalg.winograd_input_transform fmr(F_2_3) ins(%x : tensor<2x10x10x5xf64>) outs(%1 : tensor<4x4x4x4x2x5xf64>) -> tensor<4x4x4x4x2x5xf64>
  %left = tensor.collapse_shape %inputs [[0, 1], [2, 3, 4], [5]] : tensor<4x4x4x4x2x5xf64> into tensor<16x32x5xf64>
  %right = tensor.collapse_shape %filters [[0, 1], [2], [3]] : tensor<4x4x5x2xf64> into tensor<16x5x2xf64>
  %2 = tensor.empty() : tensor<16x32x2xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%2 : tensor<16x32x2xf64>) -> tensor<16x32x2xf64>
  %products = linalg.batch_matmul ins(%left, %right : tensor<16x32x5xf64>, tensor<16x5x2xf64>) outs(%zeros : tensor<16x32x2xf64>) -> tensor<16x32x2xf64>
  %tiles = tensor.expand_shape %products [[0, 1], [2, 3, 4], [5]] output_shape [4, 4, 4, 4, 2, 2] : tensor<16x32x2xf64> into tensor<4x4x4x4x2x2xf64>
  %3 = tensor.empty() : tensor<2x8x8x2xf64>
  %4 = linalg.fill ins(%zero : f64) outs(%3 : tensor<2x8x8x2xf64>) -> tensor<2x8x8x2xf64>
  %5 = linalg.winograd_output_transform fmr(F_2_3) ins(%tiles : tensor<4x4x4x4x2x2xf64>) outs(%4 : tensor<2x8x8x2xf64>) -> tensor<2x8x8x2xf64>
  return %5 : tensor<2x8x8x2xf64>
}
