// strided-calls-host.mlir - slices with unknown sizes at offset 0 as operands and results of functions, which take dense buffers.
// REQUIRES: rnn-run
// DEFINE: %{x} = '--input=2x3xf32=[[1,2,3],[4,5,6]]' --input=2
// RUN: rnn-run %s --function=call %{x} '--expected-output=2x2xf32=[[2,4],[8,10]]' | FileCheck %s
// RUN: rnn-run %s --function=in_place %{x} '--expected-output=2x3xf32=[[2,4,3],[8,10,6]]' | FileCheck %s
// RUN: rnn-run %s --function=result %{x} '--expected-output=2x2xf32=[[2,4],[8,10]]' | FileCheck %s
// RUN: rnn-run %s --function=branch %{x} --input=1 '--expected-output=2x2xf32=[[2,4],[8,10]]' | FileCheck %s
// RUN: rnn-run %s --function=branch %{x} --input=0 '--expected-output=2x3xf32=[[2,4,6],[8,10,12]]' | FileCheck %s
// CHECK: all results are as expected

func.func private @double(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = arith.addf %x, %x : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @call(%x: tensor<?x?xf32>, %m: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %slice = tensor.extract_slice %x[0, 0] [%n, %m] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %0 = call @double(%slice) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @in_place(%x: tensor<?x?xf32>, %m: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %slice = tensor.extract_slice %x[0, 0] [%n, %m] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %0 = call @double(%slice) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tensor.insert_slice %0 into %x[0, 0] [%n, %m] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @result(%x: tensor<?x?xf32>, %m: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %0 = arith.addf %x, %x : tensor<?x?xf32>
  %1 = tensor.extract_slice %0[0, 0] [%n, %m] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @branch(%x: tensor<?x?xf32>, %m: index, %taken: i1) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %0 = arith.addf %x, %x : tensor<?x?xf32>
  %1 = tensor.extract_slice %0[0, 0] [%n, %m] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %2 = scf.if %taken -> tensor<?x?xf32> {
    scf.yield %1 : tensor<?x?xf32>
  } else {
    scf.yield %0 : tensor<?x?xf32>
  }
  return %2 : tensor<?x?xf32>
}
