// Stacks of layers: the estimates of fused kernels and of cuDNN include that layers overlap.
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a" -rnn-select-lowering | FileCheck %s --check-prefix=RULE
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a wavefront-chunk=0" -rnn-select-lowering | FileCheck %s --check-prefix=OFF
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a" -rnn-select-lowering -remarks-filter-passed='rnn-select-lowering' -remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!w = tensor<512x512xf32>
!b = tensor<512xf32>

// Four layers one after the other take longer than cuDNN's plan.
// RULE-LABEL: func @stack
// RULE: rnn.cudnn_forward {{.*}}lowering = #rnn.lowering<fused, kernel = persistent
// OFF-LABEL: func @stack
// OFF: rnn.cudnn_forward {{.*}}lowering = #rnn.lowering<runtime>
// REMARK: `fused` {{[0-9.]+}} ms, `runtime` {{[0-9.]+}} ms{{.*}}L=4{{.*}} f32", Remark="'rnn.cudnn_forward' runs as `fused/persistent`"
func.func @stack(%x: tensor<512x16x512xf32>, %h: tensor<4x16x512xf32>, %w: !w, %b: !b) -> tensor<512x16x512xf32> {
  %l = arith.constant 4 : index
  %n = arith.constant 512 : index
  %p = rnn.cudnn_canonical_to_params gru sizes(%l, %n, %n)
      weights(%w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w
          : !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w)
      biases(%b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b
          : !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b)
  %y, %hn, %s = rnn.cudnn_forward gru input(%x : tensor<512x16x512xf32>) state(%h : tensor<4x16x512xf32>) params(%p : tensor<?xf32>)
      {is_training = false}
  return %y : tensor<512x16x512xf32>
}
