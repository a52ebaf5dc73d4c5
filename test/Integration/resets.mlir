// Resets with threads (the bits do not depend on their number), with passes of different lowerings, and errors.
// REQUIRES: rnn-run
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{run} = rnn-run %s --function=train --input=random:1 --input=random:2 --input=random:3 --input=random:4 --input=random:5
// DEFINE: %{out} = --output=@%t/y.npy --output=@%t/dx.npy --output=@%t/dh.npy --output=@%t/dp.npy
// DEFINE: %{expected} = --expected-output=@%t/y.npy --expected-output=@%t/dx.npy --expected-output=@%t/dh.npy --expected-output=@%t/dp.npy
// RUN: env RNNRT_THREADS=1 %{run} --lowering=fused %{out}
// RUN: env RNNRT_THREADS=2 %{run} --lowering=fused %{expected}
// RUN: env RNNRT_THREADS=5 %{run} --lowering=fused %{expected}
// RUN: %{run} --lowering=runtime %{expected} --atol=2e-4 --rtol=1e-4

// Without resets, dh is another one.
// RUN: sed 's/dense<\[.*\]> : tensor<9xi1>/dense<false> : tensor<9xi1>/' %s > %t/none.mlir
// RUN: not rnn-run %t/none.mlir --function=train --input=random:1 --input=random:2 --input=random:3 --input=random:4 --input=random:5 --lowering=fused %{expected} 2>&1 | FileCheck %s --check-prefix=DIFFERENT
// DIFFERENT: expected

// GPU kernels, on the emulator. Their reserve space has the hash of the marks.
// RUN: %{run} --target=simt --lowering=fused %{expected} --atol=2e-4 --rtol=1e-4
// RUN: %{run} --target=simt --lowering=fused --fused-kernel=persistent %{expected} --atol=2e-4 --rtol=1e-4

// 64 hidden units and 8 rows are enough work for two threads.
func.func @train(%x: tensor<9x8x64xf32>, %h: tensor<2x8x64xf32>, %p: tensor<49920xf32>, %dy: tensor<9x8x128xf32>,
    %dh: tensor<2x8x64xf32>) -> (tensor<9x8x128xf32>, tensor<9x8x64xf32>, tensor<2x8x64xf32>, tensor<49920xf32>) {
  %cuts = arith.constant dense<[true, false, false, true, true, false, true, false, false]> : tensor<9xi1>
  %empty = tensor.empty() : tensor<9x8xi1>
  %m = linalg.broadcast ins(%cuts : tensor<9xi1>) outs(%empty : tensor<9x8xi1>) dimensions = [1]
  %y, %hn, %r = rnn.cudnn_forward gru, bidirectional input(%x : tensor<9x8x64xf32>) state(%h : tensor<2x8x64xf32>)
      params(%p : tensor<49920xf32>) resets(%m : tensor<9x8xi1>) {reset_to = #rnn.reset_to<initial>}
  %dx, %dh0, %dp = rnn.cudnn_backprop gru, bidirectional input(%x : tensor<9x8x64xf32>) state(%h : tensor<2x8x64xf32>)
      params(%p : tensor<49920xf32>) output(%y, %hn : tensor<9x8x128xf32>, tensor<2x8x64xf32>)
      grads(%dy, %dh : tensor<9x8x128xf32>, tensor<2x8x64xf32>) reserve(%r : tensor<?xi8>) resets(%m : tensor<9x8xi1>)
      {reset_to = #rnn.reset_to<initial>}
  return %y, %dx, %dh0, %dp : tensor<9x8x128xf32>, tensor<9x8x64xf32>, tensor<2x8x64xf32>, tensor<49920xf32>
}
