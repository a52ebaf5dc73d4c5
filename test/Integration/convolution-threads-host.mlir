// Convolutions have the same bits for any number of threads, also if their filter and result are copied.
// REQUIRES: rnn-run
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{run} = rnn-run %s --input=random:1 --input=random:2 --input=random:3
// DEFINE: %{expect} = --expected-output=@%t/a.npy --expected-output=@%t/b.npy --expected-output=@%t/c.npy --expected-output=@%t/d.npy
// RUN: %{run} --threads=1 --output=@%t/a.npy --output=@%t/b.npy --output=@%t/c.npy --output=@%t/d.npy
// RUN: %{run} --threads=2 %{expect} | FileCheck %s
// RUN: %{run} --threads=5 %{expect} | FileCheck %s
// CHECK: all results are as expected

func.func @main(%x: tensor<3x104x32xf32>, %w: tensor<5x32x64xf32>, %g: tensor<3x100x64xf32>)
    -> (tensor<3x100x64xf32>, tensor<3x96x32xf32>, tensor<64x32x5xf32>, tensor<3x52x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %y0 = arith.constant dense<0.0> : tensor<3x100x64xf32>
  %y = linalg.conv_1d_nwc_wcf {strides = dense<1> : vector<1xi64>, dilations = dense<1> : vector<1xi64>}
    ins(%x, %w : tensor<3x104x32xf32>, tensor<5x32x64xf32>) outs(%y0 : tensor<3x100x64xf32>) -> tensor<3x100x64xf32>
  // The filter is copied.
  %dx0 = arith.constant dense<0.0> : tensor<3x96x32xf32>
  %dx = linalg.generic {indexing_maps = [affine_map<(n, t, c, k, f) -> (n, t - k + 4, f)>, affine_map<(n, t, c, k, f) -> (k, c, f)>, affine_map<(n, t, c, k, f) -> (n, t, c)>],
                        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%g, %w : tensor<3x100x64xf32>, tensor<5x32x64xf32>) outs(%dx0 : tensor<3x96x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x96x32xf32>
  // The result is copied.
  %dw0 = arith.constant dense<0.0> : tensor<64x32x5xf32>
  %dw = linalg.generic {indexing_maps = [affine_map<(f, c, k, n, t) -> (n, t + k, c)>, affine_map<(f, c, k, n, t) -> (n, t, f)>, affine_map<(f, c, k, n, t) -> (f, c, k)>],
                        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %g : tensor<3x104x32xf32>, tensor<3x100x64xf32>) outs(%dw0 : tensor<64x32x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x32x5xf32>
  %low = arith.constant dense<0xFF800000> : tensor<3x52x32xf32>
  %size = tensor.empty() : tensor<2xf32>
  %pool = linalg.pooling_nwc_max {strides = dense<2> : vector<1xi64>, dilations = dense<1> : vector<1xi64>}
    ins(%x, %size : tensor<3x104x32xf32>, tensor<2xf32>) outs(%low : tensor<3x52x32xf32>) -> tensor<3x52x32xf32>
  return %y, %dx, %dw, %pool : tensor<3x100x64xf32>, tensor<3x96x32xf32>, tensor<64x32x5xf32>, tensor<3x52x32xf32>
}
