// Stacks of layers: the estimates of fused kernels and of cuDNN include that layers overlap.
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a" -rnn-select-lowering | FileCheck %s --check-prefix=RULE
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a wavefront-chunk=0" -rnn-select-lowering | FileCheck %s --check-prefix=OFF
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a" -rnn-select-lowering -remarks-filter-passed='rnn-select-lowering' -remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Four layers one after the other take longer than cuDNN's plan.
// RULE-LABEL: func @stack
// RULE: kernel = persistent
// OFF-LABEL: func @stack
// OFF: lowering = #rnn.lowering<runtime>
// REMARK: Reason="cost model: `fused/persistent` {{[0-9.]+}} ms, `runtime` {{[0-9.]+}} ms,{{.*}}L=4{{.*}} f32", Remark="'rnn.cudnn_forward' runs as `fused/persistent`"
func.func @stack(%x: tensor<512x16x512xf32>, %h: tensor<4x16x512xf32>, %p: tensor<?xf32>) -> tensor<512x16x512xf32> {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm input(%x : tensor<512x16x512xf32>) state(%h, %h : tensor<4x16x512xf32>, tensor<4x16x512xf32>)
      params(%p : tensor<?xf32>) {is_training = false}
  return %y : tensor<512x16x512xf32>
}

// Layers of both directions do not overlap.
// RULE-LABEL: func @bidirectional
// RULE: lowering = #rnn.lowering<runtime>
// OFF-LABEL: func @bidirectional
// OFF: lowering = #rnn.lowering<runtime>
func.func @bidirectional(%x: tensor<512x16x512xf32>, %h: tensor<8x16x512xf32>, %p: tensor<?xf32>) -> tensor<512x16x1024xf32> {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm, bidirectional input(%x : tensor<512x16x512xf32>) state(%h, %h : tensor<8x16x512xf32>, tensor<8x16x512xf32>)
      params(%p : tensor<?xf32>) {is_training = false}
  return %y : tensor<512x16x1024xf32>
}
