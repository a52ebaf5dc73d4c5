// Chains of ops on rows that threads share have the same bits for any number of them.
// REQUIRES: rnn-run
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{run} = rnn-run %s --input=random:1 --input=random:2
// RUN: %{run} --threads=1 --output=@%t/a.npy --output=@%t/b.npy --output=@%t/c.npy
// RUN: %{run} --threads=2 --expected-output=@%t/a.npy --expected-output=@%t/b.npy --expected-output=@%t/c.npy | FileCheck %s
// RUN: %{run} --threads=5 --expected-output=@%t/a.npy --expected-output=@%t/b.npy --expected-output=@%t/c.npy | FileCheck %s
// CHECK: all results are as expected


func.func @main(%x: tensor<1003x300xf32>, %gain: tensor<300xf32>)
    -> (tensor<1003x300xf32>, tensor<1003xf32>, tensor<300xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %rows = tensor.empty() : tensor<1003xf32>
  %all = tensor.empty() : tensor<1003x300xf32>
  %none = linalg.fill ins(%least : f32) outs(%rows : tensor<1003xf32>) -> tensor<1003xf32>
  %most = linalg.reduce { arith.maximumf } ins(%x : tensor<1003x300xf32>) outs(%none : tensor<1003xf32>) dimensions = [1]
  %exps = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                          iterator_types = ["parallel", "parallel"]}
      ins(%x, %most : tensor<1003x300xf32>, tensor<1003xf32>) outs(%all : tensor<1003x300xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1003x300xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<1003xf32>) -> tensor<1003xf32>
  %sums = linalg.reduce { arith.addf } ins(%exps : tensor<1003x300xf32>) outs(%zeros : tensor<1003xf32>) dimensions = [1]
  %softmax = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>,
                                              affine_map<(i, j) -> (i, j)>],
                             iterator_types = ["parallel", "parallel"]}
      ins(%exps, %sums, %gain : tensor<1003x300xf32>, tensor<1003xf32>, tensor<300xf32>) outs(%all : tensor<1003x300xf32>) {
  ^bb0(%in: f32, %s: f32, %g: f32, %out: f32):
    %0 = arith.divf %in, %s : f32
    %1 = arith.mulf %0, %g : f32
    linalg.yield %1 : f32
  } -> tensor<1003x300xf32>
  %columns = tensor.empty() : tensor<300xf32>
  %start = linalg.fill ins(%zero : f32) outs(%columns : tensor<300xf32>) -> tensor<300xf32>
  %totals = linalg.reduce { arith.addf } ins(%exps : tensor<1003x300xf32>) outs(%start : tensor<300xf32>) dimensions = [0]
  return %softmax, %sums, %totals : tensor<1003x300xf32>, tensor<1003xf32>, tensor<300xf32>
}
