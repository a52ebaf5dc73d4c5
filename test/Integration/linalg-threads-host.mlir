// Contractions, reductions and elementwise ops that threads share have the same bits for any number of them.
// REQUIRES: rnn-run
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{run} = rnn-run %s --input=random:1 --input=random:2 --input=random:3
// RUN: %{run} --threads=1 --output=@%t/a.npy --output=@%t/b.npy --output=@%t/c.npy --output=@%t/d.npy
// RUN: %{run} --threads=2 --expected-output=@%t/a.npy --expected-output=@%t/b.npy --expected-output=@%t/c.npy --expected-output=@%t/d.npy | FileCheck %s
// RUN: %{run} --threads=5 --expected-output=@%t/a.npy --expected-output=@%t/b.npy --expected-output=@%t/c.npy --expected-output=@%t/d.npy | FileCheck %s
// CHECK: all results are as expected

func.func @main(%a: tensor<301x200xf32>, %b: tensor<200x131xf32>, %c: tensor<301x131xf32>)
    -> (tensor<301x131xf32>, tensor<200x131xf32>, tensor<301xf32>, tensor<301x131xf32>) {
  %zero = arith.constant 0.0 : f32
  %product = linalg.matmul ins(%a, %b : tensor<301x200xf32>, tensor<200x131xf32>) outs(%c : tensor<301x131xf32>)
      -> tensor<301x131xf32>
  %gradient = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
                                             affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %c : tensor<301x200xf32>, tensor<301x131xf32>) outs(%b : tensor<200x131xf32>) -> tensor<200x131xf32>
  %empty = tensor.empty() : tensor<301xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<301xf32>) -> tensor<301xf32>
  %sums = linalg.reduce { arith.addf } ins(%product : tensor<301x131xf32>) outs(%none : tensor<301xf32>) dimensions = [1]
  %e = math.tanh %product : tensor<301x131xf32>
  return %product, %gradient, %sums, %e : tensor<301x131xf32>, tensor<200x131xf32>, tensor<301xf32>, tensor<301x131xf32>
}
