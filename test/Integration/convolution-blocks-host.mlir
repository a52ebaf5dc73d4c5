// Convolutions in blocks have the same bits for any number of threads, which divide two loops as one, columns, or rows.
// REQUIRES: rnn-run
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{run} = rnn-run %s --input=random:1 --input=random:2 --input=random:3 --input=random:4
// DEFINE: %{expect} = --expected-output=@%t/a.npy --expected-output=@%t/b.npy --expected-output=@%t/c.npy
// RUN: %{run} --threads=1 --output=@%t/a.npy --output=@%t/b.npy --output=@%t/c.npy
// RUN: %{run} --threads=2 %{expect} | FileCheck %s
// RUN: %{run} --threads=5 %{expect} | FileCheck %s
// CHECK: all results are as expected

func.func @main(%x: tensor<2x9x7x260xf32>, %w: tensor<3x3x260x128xf32>, %v: tensor<3x3x260x640xf32>, %z: tensor<1x302x260xf32>)
    -> (tensor<2x7x5x128xf32>, tensor<1x7x5x640xf32>, tensor<1x300x640xf32>) {
  %y0 = arith.constant dense<0.0> : tensor<2x7x5x128xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x9x7x260xf32>, tensor<3x3x260x128xf32>)
    outs(%y0 : tensor<2x7x5x128xf32>) -> tensor<2x7x5x128xf32>
  %first = tensor.extract_slice %x[0, 0, 0, 0] [1, 9, 7, 260] [1, 1, 1, 1]
    : tensor<2x9x7x260xf32> to tensor<1x9x7x260xf32>
  %columns0 = arith.constant dense<0.5> : tensor<1x7x5x640xf32>
  %columns = linalg.conv_2d_nhwc_hwcf ins(%first, %v : tensor<1x9x7x260xf32>, tensor<3x3x260x640xf32>)
    outs(%columns0 : tensor<1x7x5x640xf32>) -> tensor<1x7x5x640xf32>
  %tap = tensor.extract_slice %v[0, 0, 0, 0] [1, 3, 260, 640] [1, 1, 1, 1]
    : tensor<3x3x260x640xf32> to tensor<3x260x640xf32>
  %rows0 = arith.constant dense<0.0> : tensor<1x300x640xf32>
  %rows = linalg.conv_1d_nwc_wcf ins(%z, %tap : tensor<1x302x260xf32>, tensor<3x260x640xf32>)
    outs(%rows0 : tensor<1x300x640xf32>) -> tensor<1x300x640xf32>
  return %y, %columns, %rows : tensor<2x7x5x128xf32>, tensor<1x7x5x640xf32>, tensor<1x300x640xf32>
}
