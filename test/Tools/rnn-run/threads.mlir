// --threads: the bits do not depend on the number of threads; invalid values are errors.
// REQUIRES: rnn-run
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{out} = --output=@%t/dx.npy --output=@%t/dp.npy
// DEFINE: %{same} = --expected-output=@%t/dx.npy --expected-output=@%t/dp.npy
// DEFINE: %{run} = rnn-run %s --lowering=fused --input=63180xf32=0.05
// RUN: %{run} --threads=1 %{out}
// RUN: %{run} --threads=2 %{same}
// RUN: %{run} --threads=3 %{same}
// RUN: %{run} --threads=0 %{same}

// The option overrides the environment variable.
// RUN: env RNNRT_THREADS=many %{run} %{same} 2>&1 | FileCheck %s --check-prefix=ENVIRONMENT
// RUN: env RNNRT_THREADS=many %{run} --threads=2 %{same} 2>&1 | FileCheck %s --check-prefix=OPTION
// ENVIRONMENT: rnnrt,warning,RNNRT_THREADS expects an integer from 1 to 1024, but got `many`
// OPTION-NOT: warning
// OPTION: all results are as expected

// RUN: not rnn-run %s --threads=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not rnn-run %s --threads=1025 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not rnn-run %s --threads=2 --target=simt 2>&1 | FileCheck %s --check-prefix=TARGET
// NEGATIVE: error: --threads expects a number from 0 to 1024, but got -1
// MANY: error: --threads expects a number from 0 to 1024, but got 1025
// TARGET: error: --threads requires --target=host, but the target is `simt`

// Large enough that three threads share a step.
func.func @main(%p: tensor<63180xf32>) -> (tensor<3x20x30xf32>, tensor<63180xf32>) {
  %x = tensor.generate {
  ^bb0(%t: index, %b: index, %i: index):
    %c30 = arith.constant 30 : index
    %c20 = arith.constant 20 : index
    %0 = arith.muli %t, %c20 : index
    %1 = arith.addi %0, %b : index
    %2 = arith.muli %1, %c30 : index
    %3 = arith.addi %2, %i : index
    %4 = arith.index_cast %3 : index to i32
    %5 = arith.sitofp %4 : i32 to f32
    %6 = math.sin %5 : f32
    tensor.yield %6 : f32
  } : tensor<3x20x30xf32>
  %h = arith.constant dense<0.25> : tensor<1x20x130xf32>
  %dy = arith.constant dense<0.5> : tensor<3x20x130xf32>
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x20x30xf32>) state(%h : tensor<1x20x130xf32>) params(%p : tensor<63180xf32>)
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<3x20x30xf32>) state(%h : tensor<1x20x130xf32>)
      params(%p : tensor<63180xf32>) output(%y, %hn : tensor<3x20x130xf32>, tensor<1x20x130xf32>)
      grads(%dy, %h : tensor<3x20x130xf32>, tensor<1x20x130xf32>) reserve(%r : tensor<?xi8>)
  return %dx, %dp : tensor<3x20x30xf32>, tensor<63180xf32>
}
