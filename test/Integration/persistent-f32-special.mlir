// Values at the limits of f32 in persistent kernels in full precision: five units of rnn_relu that share one weight, so each state
// is five times the weight times the previous state. Operands without a remainder yield NaN, in their example only
// (docs/internals/persistent-kernels.md).
// REQUIRES: rnn-run
// DEFINE: %{run} = rnn-run %s --target=simt --lowering=fused --fused-kernel=persistent --simt-check
// RUN: %{run} --function=large --input=40xf32=1e-30 | FileCheck %s --check-prefix=LARGE
// RUN: %{run} --function=small | FileCheck %s --check-prefix=SMALL

// 3.4e38, which is below 2^128 - 2^116; the largest f32; infinity; NaN; one (and two biases).
// LARGE: {{\[}}1.7e+09, 1.7e+09, 1.7e+09, 1.7e+09, 1.7e+09], [nan, nan, nan, nan, nan], [nan, nan, nan, nan, nan], [nan, nan, nan, nan, nan], [7e-30, 7e-30, 7e-30, 7e-30, 7e-30]
func.func @large(%params: tensor<40xf32>) -> tensor<1x5x5xf32> {
  %x = arith.constant dense<0.0> : tensor<1x5x1xf32>
  %h = arith.constant dense<[[[3.4e38, 3.4e38, 3.4e38, 3.4e38, 3.4e38],
      [0x7F7FFFFF, 0.0, 0.0, 0.0, 0.0], [0x7F800000, 0.0, 0.0, 0.0, 0.0], [0x7FFFFFFF, 0.0, 0.0, 0.0, 0.0],
      [1.0, 1.0, 1.0, 1.0, 1.0]]]> : tensor<1x5x5xf32>
  %y, %hn, %r = rnn.cudnn_forward rnn_relu input(%x : tensor<1x5x1xf32>) state(%h : tensor<1x5x5xf32>) params(%params : tensor<40xf32>)
  return %y : tensor<1x5x5xf32>
}

// The smallest tf32 is 2^-136, so a remainder may be lost: of 1e-40 = 71362 * 2^-149 it is 2366 * 2^-149.
// SMALL: 1x2x5xf32={{\[+}}5e-04, 5e-04, 5e-04, 5e-04, 5e-04], [5.16574{{[0-9]+}}e-10, 5.16574
func.func @small() -> tensor<1x2x5xf32> {
  %x = arith.constant dense<0.0> : tensor<1x2x1xf32>
  %h = arith.constant dense<[[[1.0e-34, 1.0e-34, 1.0e-34, 1.0e-34, 1.0e-34], [1.0e-40, 1.0e-40, 1.0e-40, 1.0e-40, 1.0e-40]]]>
      : tensor<1x2x5xf32>
  %params = arith.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30,
      1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30, 1.0e30,
      1.0e30, 1.0e30, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<40xf32>
  %y, %hn, %r = rnn.cudnn_forward rnn_relu input(%x : tensor<1x2x1xf32>) state(%h : tensor<1x2x5xf32>) params(%params : tensor<40xf32>)
  return %y : tensor<1x2x5xf32>
}
