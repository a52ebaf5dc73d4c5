// slices-host.mlir - slices in a user's own code that drop some of their dimensions of size 1.
// REQUIRES: rnn-run
// RUN: rnn-run %s '--input=2x5x2xf32=[[[0,1],[2,3],[4,5],[6,7],[8,9]],[[10,11],[12,13],[14,15],[16,17],[18,19]]]' '--expected-output=2x1xf32=[[11],[15]]' '--expected-output=1x2xf32=[[10,14]]' '--expected-output=1x5xf32=[[11,13,15,17,19]]' '--expected-output=1x5xf32=[[0,2,4,6,8]]' | FileCheck %s
// RUN: rnn-run %s --function=insert '--input=2x2x2xf32=[[[1,2],[3,4]],[[5,6],[7,8]]]' '--input=1x2xf32=[[9,10]]' --input=2 '--expected-output=2x2x2xf32=[[[1,2],[3,4]],[[5,9],[7,10]]]' | FileCheck %s
// CHECK: all results are as expected

// The canonicalizer makes the operands constants, among them a size of 1.
func.func @main(%x: tensor<2x5x2xf32>) -> (tensor<2x1xf32>, tensor<?x2xf32>, tensor<1x5xf32>, tensor<1x5xf32>) {
  %c1 = arith.constant 1 : index
  %source = bufferization.to_buffer %x read_only : tensor<2x5x2xf32> to memref<2x5x2xf32>
  %0 = memref.subview %source[%c1, 0, 1] [1, 2, 1] [1, 2, 1] : memref<2x5x2xf32> to memref<2x1xf32, strided<[4, 1], offset: ?>>
  %1 = memref.alloc() : memref<2x1xf32>
  memref.copy %0, %1 : memref<2x1xf32, strided<[4, 1], offset: ?>> to memref<2x1xf32>
  %2 = bufferization.to_tensor %1 restrict : memref<2x1xf32> to tensor<2x1xf32>
  %3 = memref.subview %source[1, 0, 0] [%c1, 2, 1] [1, 2, 1] : memref<2x5x2xf32> to memref<?x2xf32, strided<[10, 4], offset: 10>>
  %4 = memref.alloc(%c1) : memref<?x2xf32>
  memref.copy %3, %4 : memref<?x2xf32, strided<[10, 4], offset: 10>> to memref<?x2xf32>
  %5 = bufferization.to_tensor %4 restrict : memref<?x2xf32> to tensor<?x2xf32>
  %6 = tensor.extract_slice %x[1, 0, %c1] [1, 5, 1] [1, 1, 1] : tensor<2x5x2xf32> to tensor<1x5xf32>
  %unknown = memref.cast %source : memref<2x5x2xf32> to memref<?x?x?xf32>
  %7 = call @column(%unknown) : (memref<?x?x?xf32>) -> tensor<1x5xf32>
  return %2, %5, %6, %7 : tensor<2x1xf32>, tensor<?x2xf32>, tensor<1x5xf32>, tensor<1x5xf32>
}

func.func private @column(%x: memref<?x?x?xf32>) -> tensor<1x5xf32> {
  %0 = memref.subview %x[0, 0, 0] [1, 5, 1] [1, 1, 1] : memref<?x?x?xf32> to memref<1x5xf32, strided<[?, ?]>>
  %1 = memref.alloc() : memref<1x5xf32>
  memref.copy %0, %1 : memref<1x5xf32, strided<[?, ?]>> to memref<1x5xf32>
  %2 = bufferization.to_tensor %1 restrict : memref<1x5xf32> to tensor<1x5xf32>
  return %2 : tensor<1x5xf32>
}

func.func @insert(%x: tensor<2x2x2xf32>, %y: tensor<?x?xf32>, %m: index) -> tensor<2x2x2xf32> {
  %c1 = arith.constant 1 : index
  %0 = tensor.insert_slice %y into %x[%c1, 0, 1] [%c1, %m, 1] [1, 1, 1] : tensor<?x?xf32> into tensor<2x2x2xf32>
  return %0 : tensor<2x2x2xf32>
}
