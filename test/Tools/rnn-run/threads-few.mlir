// One example: the grouping of panels in a step's GEMM depends on the number of threads; the bits do not.
// REQUIRES: rnn-run
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{run} = rnn-run %s --lowering=fused
// RUN: %{run} --threads=1 --output=@%t/dx.npy --output=@%t/dp.npy
// RUN: %{run} --threads=2 --expected-output=@%t/dx.npy --expected-output=@%t/dp.npy | FileCheck %s
// RUN: %{run} --threads=3 --expected-output=@%t/dx.npy --expected-output=@%t/dp.npy | FileCheck %s
// CHECK: all results are as expected

// Large enough that three threads share a step. 822120 = 3 * 520 * (5 + 520 + 2).
func.func @main() -> (tensor<3x1x5xf32>, tensor<822120xf32>) {
  %scale = arith.constant 0.05 : f32
  %p = tensor.generate {
  ^bb0(%i: index):
    %0 = arith.index_cast %i : index to i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = math.sin %1 : f32
    %3 = arith.mulf %2, %scale : f32
    tensor.yield %3 : f32
  } : tensor<822120xf32>
  %x = arith.constant dense<0.5> : tensor<3x1x5xf32>
  %h = arith.constant dense<0.25> : tensor<1x1x520xf32>
  %dy = arith.constant dense<0.5> : tensor<3x1x520xf32>
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x1x5xf32>) state(%h : tensor<1x1x520xf32>) params(%p : tensor<822120xf32>)
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<3x1x5xf32>) state(%h : tensor<1x1x520xf32>)
      params(%p : tensor<822120xf32>) output(%y, %hn : tensor<3x1x520xf32>, tensor<1x1x520xf32>)
      grads(%dy, %h : tensor<3x1x520xf32>, tensor<1x1x520xf32>) reserve(%r : tensor<?xi8>)
  return %dx, %dp : tensor<3x1x5xf32>, tensor<822120xf32>
}
