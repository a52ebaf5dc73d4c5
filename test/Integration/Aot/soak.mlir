// Many calls with changing shapes, some of them wrong: the memory of the process stays flat, and the plan cache keeps to its limit.
// REQUIRES: rnn-compile
// DEFINE: %{lowering} = runtime
// DEFINE: %{build} = rnn-compile %s --lowering=%{lowering} -o net.o && %cxx -I%S/Inputs %S/Inputs/soak.cpp -rdynamic net.o %link_runtime -lm -ldl -o program
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %{build} && env RNNRT_PLAN_CACHE=50 ./program 8000 50 | FileCheck %s
// REDEFINE: %{lowering} = fused
// RUN: %{build} && env RNNRT_PLAN_CACHE=50 ./program 8000 50 | FileCheck %s
// CHECK: 8000 calls, 0 bytes left
func.func @train(%x: tensor<?x?x4xf32>, %h: tensor<2x?x5xf32>, %p: tensor<460xf32>) -> (tensor<?x?x4xf32>, tensor<460xf32>) {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm input(%x : tensor<?x?x4xf32>)
      state(%h, %h : tensor<2x?x5xf32>, tensor<2x?x5xf32>) params(%p : tensor<460xf32>) {dropout = 0.25, seed = 5}
  %dx, %dh, %dc, %dp = rnn.cudnn_backprop lstm input(%x : tensor<?x?x4xf32>)
      state(%h, %h : tensor<2x?x5xf32>, tensor<2x?x5xf32>) params(%p : tensor<460xf32>)
      output(%y, %hn, %cn : tensor<?x?x5xf32>, tensor<2x?x5xf32>, tensor<2x?x5xf32>)
      grads(%y, %hn, %cn : tensor<?x?x5xf32>, tensor<2x?x5xf32>, tensor<2x?x5xf32>) reserve(%r : tensor<?xi8>)
      {dropout = 0.25, seed = 5}
  return %dx, %dp : tensor<?x?x4xf32>, tensor<460xf32>
}
