// cuDNN has no resets: `auto` selects kernels on target cuda, also for ops that share buffers with the op, and `runtime` is an error.
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a" -rnn-select-lowering -remarks-filter-passed=rnn-select-lowering -remark-policy=all 2>&1 | FileCheck %s
// RUN: not rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a" -rnn-select-lowering=prefer=runtime 2>&1 | FileCheck %s --check-prefix=RUNTIME
// RUN: rnn-opt %s -rnn-attach-target=target=simt -rnn-select-lowering | FileCheck %s --check-prefix=SIMT

// CHECK: Reason="legality: cuDNN has no resets, which 'rnn.cudnn_forward' has", Remark="'rnn.cudnn_canonical_to_params' runs as `fused`"
// CHECK: Reason="legality: cuDNN has no resets, which 'rnn.cudnn_forward' has; its kernel: cost model: {{.*}}Remark="'rnn.cudnn_forward' runs as `fused/
// CHECK: Reason="legality: cuDNN has no resets, {{.*}} has; `params` of 'rnn.cudnn_forward' is a function argument, and its data layout must be that of fused layers;

// RUNTIME: error: 'rnn.cudnn_forward' has `resets`, which lowering `runtime` does not support on target `cuda`; use `fused` or `auto`

// CHECK-LABEL: func.func @packed
// CHECK: rnn.cudnn_canonical_to_params {{.*}}lowering = #rnn.lowering<fused
// CHECK: rnn.cudnn_forward {{.*}}lowering = #rnn.lowering<fused
// SIMT-LABEL: func.func @packed
// SIMT: rnn.cudnn_forward {{.*}}lowering = #rnn.lowering<runtime>
func.func @packed(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>,
    %m: tensor<5x2xi1>) -> tensor<5x2x4xf32> {
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %three = arith.constant 3 : index
  %p = rnn.cudnn_canonical_to_params rnn_tanh sizes(%one, %four, %three) weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>)
      biases(%b, %b : tensor<4xf32>)
  %y, %hn, %s = rnn.cudnn_forward rnn_tanh input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      resets(%m : tensor<5x2xi1>)
  return %y : tensor<5x2x4xf32>
}

// CHECK-LABEL: func.func @argument
// CHECK: rnn.cudnn_forward {{.*}}lowering = #rnn.lowering<fused
func.func @argument(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %m: tensor<5x2xi1>) -> tensor<5x2x4xf32> {
  %y, %hn, %s = rnn.cudnn_forward rnn_tanh input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      resets(%m : tensor<5x2xi1>)
  return %y : tensor<5x2x4xf32>
}
