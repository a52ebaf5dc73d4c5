// Without a preference, an op stays if fused kernels execute it faster by the cost model.
// RUN: rnn-opt %s -rnn-block-to-cudnn | FileCheck %s --check-prefixes=BOTH,CUDNN
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a" -rnn-block-to-cudnn | FileCheck %s --check-prefixes=BOTH,STAYS
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a" -rnn-block-to-cudnn -remarks-filter='rnn-block-to-cudnn' -remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rnn-opt %s -rnn-pipeline='target=cuda stop-after=select' | FileCheck %s --check-prefix=SELECT
// RUN: rnn-opt %s -rnn-pipeline='target=cuda chip=sm_90a stop-after=select' | FileCheck %s --check-prefix=CLUSTER
// RUN: rnn-opt %s -rnn-pipeline='target=cuda chip=sm_90a fused-kernel=per_step stop-after=select' | FileCheck %s --check-prefix=STEP

!x = tensor<128x64x512xf16>
!s = tensor<64x512xf16>
!w = tensor<1024x2048xf16>
!p = tensor<512xf16>
!b = tensor<2048xf16>

// The times of a gradient and of the forward that cuDNN would run again are added.
// BOTH-LABEL: func.func @train
// CUDNN-NOT: rnn.block_lstm
// CUDNN: rnn.cudnn_backprop
// CUDNN-NOT: rnn.block_lstm
// STAYS: rnn.block_lstm icfo
// STAYS: rnn.block_lstm_grad icfo
// STAYS-NOT: rnn.cudnn
// REMARK: Reason="cost model, with the forward that cuDNN would run: `fused` {{[0-9.]+ us}}, cuDNN {{[0-9.]+ us|[0-9.]+ ms}}", Remark="'rnn.block_lstm_grad' stays"
// SELECT: rnn.cudnn_backprop
// SELECT-SAME: lowering = #rnn.lowering<runtime>
// CLUSTER: rnn.block_lstm_grad {{.*}}{lowering = #rnn.lowering<fused, kernel = persistent, cluster = {{2|4|8|16}}>}
// STEP: rnn.cudnn_backprop
func.func @train(%x: !x, %s: !s, %w: !w, %p: !p, %b: !b, %dy: !x) -> !w {
  %r:7 = rnn.block_lstm icfo x(%x : !x) state(%s, %s : !s) weights(%w : !w) peephole(%p, %p, %p : !p) bias(%b : !b)
  %zero = arith.constant dense<0.0> : !x
  %g:8 = rnn.block_lstm_grad icfo x(%x : !x) state(%s, %s : !s) weights(%w : !w) peephole(%p, %p, %p : !p) bias(%b : !b)
      saved(%r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : !x) grads(%zero, %dy : !x)
  return %g#3 : !w
}
