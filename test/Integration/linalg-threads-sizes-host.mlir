// Threads share a dynamic loop beside one of static size 1, or of a short static size.
// REQUIRES: rnn-run
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{run} = rnn-run %s --input=random:1:1x512x64 --input=random:2 --input=random:3:1x512x100 --input=random:4:2x512x64 --input=random:5 --input=random:6:2x512x100 --input=random:7:1x512x64 --input=random:8 --input=random:9:1x512x100
// DEFINE: %{expect} = --expected-output=@%t/a.npy --expected-output=@%t/b.npy --expected-output=@%t/c.npy --expected-output=@%t/d.npy --rtol=0 --atol=0
// RUN: %{run} --threads=1 --output=@%t/a.npy --output=@%t/b.npy --output=@%t/c.npy --output=@%t/d.npy
// RUN: %{run} --threads=2 %{expect} | FileCheck %s
// RUN: %{run} --threads=3 %{expect} | FileCheck %s
// CHECK: all results are as expected

func.func @main(%a: tensor<1x?x64xf32>, %b: tensor<1x64x100xf32>, %c: tensor<1x?x100xf32>,
                %d: tensor<2x?x64xf64>, %e: tensor<2x64x100xf64>, %f: tensor<2x?x100xf64>,
                %g: tensor<1x?x64xi32>, %h: tensor<1x64x100xi32>, %i: tensor<1x?x100xi32>)
    -> (tensor<1x?x100xf32>, tensor<1x?x100xf32>, tensor<2x?x100xf64>, tensor<1x?x100xi32>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c1 : tensor<1x?x64xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<1x?x64xf32>, tensor<1x64x100xf32>) outs(%c : tensor<1x?x100xf32>) -> tensor<1x?x100xf32>
  %empty = tensor.empty(%n) : tensor<1x?x100xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x?x100xf32>) -> tensor<1x?x100xf32>
  %1 = linalg.batch_matmul ins(%a, %b : tensor<1x?x64xf32>, tensor<1x64x100xf32>) outs(%zeros : tensor<1x?x100xf32>) -> tensor<1x?x100xf32>
  %2 = linalg.batch_matmul ins(%d, %e : tensor<2x?x64xf64>, tensor<2x64x100xf64>) outs(%f : tensor<2x?x100xf64>) -> tensor<2x?x100xf64>
  %3 = linalg.batch_matmul ins(%g, %h : tensor<1x?x64xi32>, tensor<1x64x100xi32>) outs(%i : tensor<1x?x100xi32>) -> tensor<1x?x100xi32>
  return %0, %1, %2, %3 : tensor<1x?x100xf32>, tensor<1x?x100xf32>, tensor<2x?x100xf64>, tensor<1x?x100xi32>
}
