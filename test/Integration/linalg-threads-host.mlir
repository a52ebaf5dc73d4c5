// Contractions, reductions and elementwise ops that threads share have the same bits for any number of them.
// REQUIRES: rnn-run
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{run} = rnn-run %s --input=random:1 --input=random:2 --input=random:3
// DEFINE: %{expect} = --expected-output=@%t/a.npy --expected-output=@%t/b.npy --expected-output=@%t/c.npy --expected-output=@%t/d.npy --expected-output=@%t/e.npy --expected-output=@%t/f.npy --expected-output=@%t/g.npy --expected-output=@%t/h.npy
// RUN: %{run} --threads=1 --output=@%t/a.npy --output=@%t/b.npy --output=@%t/c.npy --output=@%t/d.npy --output=@%t/e.npy --output=@%t/f.npy --output=@%t/g.npy --output=@%t/h.npy
// RUN: %{run} --threads=2 %{expect} | FileCheck %s
// RUN: %{run} --threads=5 %{expect} | FileCheck %s
// CHECK: all results are as expected

func.func @main(%a: tensor<301x200xf32>, %b: tensor<200x131xf32>, %c: tensor<301x131xf32>)
    -> (tensor<301x131xf32>, tensor<200x131xf32>, tensor<301xf32>, tensor<301x131xf32>, tensor<301x301xf32>,
        tensor<301x301xbf16>, tensor<f32>, tensor<301x131xbf16>) {
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
  // Packed: the right operand is transposed.
  %square = tensor.empty() : tensor<301x301xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<301x301xf32>) -> tensor<301x301xf32>
  %packed = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                           affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %a : tensor<301x200xf32>, tensor<301x200xf32>) outs(%zeros : tensor<301x301xf32>) -> tensor<301x301xf32>
  // Packed in bf16, with a left operand that is transposed.
  %rounded = arith.truncf %a : tensor<301x200xf32> to tensor<301x200xbf16>
  %empty_half = tensor.empty() : tensor<200x301xbf16>
  %transposed = linalg.transpose ins(%rounded : tensor<301x200xbf16>) outs(%empty_half : tensor<200x301xbf16>)
      permutation = [1, 0]
  %c0 = arith.truncf %packed : tensor<301x301xf32> to tensor<301x301xbf16>
  %half = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
                                         affine_map<(m, n, k) -> (m, n)>]
      ins(%transposed, %transposed : tensor<200x301xbf16>, tensor<200x301xbf16>) outs(%c0 : tensor<301x301xbf16>)
      -> tensor<301x301xbf16>
  %scalar = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%packed : tensor<301x301xf32>) outs(%init : tensor<f32>) dimensions = [0, 1]
  // By AMX, every thread packs a small right operand and its rows of the left one.
  %right = arith.truncf %b : tensor<200x131xf32> to tensor<200x131xbf16>
  %c1 = arith.truncf %c : tensor<301x131xf32> to tensor<301x131xbf16>
  %rows = linalg.matmul ins(%rounded, %right : tensor<301x200xbf16>, tensor<200x131xbf16>)
      outs(%c1 : tensor<301x131xbf16>) -> tensor<301x131xbf16>
  return %product, %gradient, %sums, %e, %packed, %half, %sum, %rows : tensor<301x131xf32>, tensor<200x131xf32>,
      tensor<301xf32>, tensor<301x131xf32>, tensor<301x301xf32>, tensor<301x301xbf16>, tensor<f32>,
      tensor<301x131xbf16>
}
