// A persistent kernel that does not fit is an error if the op requests it, and a remark if the option prefers it.
// RUN: sed 's/{lowering = .*}//' %s | rnn-opt -split-input-file -rnn-attach-target=target=simt -rnn-select-lowering="prefer=fused fused-kernel=persistent" -remarks-filter-missed=rnn-select-lowering -remark-policy=all -o /dev/null 2>&1 | FileCheck %s
// RUN: rnn-opt %s -split-input-file -verify-diagnostics -rnn-attach-target=target=simt -rnn-select-lowering

// CHECK: [Missed] Persistent | Category:rnn-select-lowering | Reason="the recurrent weights of 1000 units do not fit
func.func @large(%x: tensor<2x2x1xf16>, %s: tensor<2x1000xf16>, %w: tensor<1001x4000xf16>, %p: tensor<1000xf16>, %b: tensor<4000xf16>, %y: tensor<2x2x1000xf16>) -> tensor<2x1000xf16> {
  // expected-error @below {{has no persistent kernel: the recurrent weights of 1000 units do not fit the registers and the shared memory of the largest cluster}}
  %r:8 = rnn.block_lstm_grad icfo x(%x : tensor<2x2x1xf16>) state(%s, %s : tensor<2x1000xf16>) weights(%w : tensor<1001x4000xf16>) peephole(%p, %p, %p : tensor<1000xf16>) bias(%b : tensor<4000xf16>) saved(%y, %y, %y, %y, %y, %y, %y : tensor<2x2x1000xf16>) grads(%y, %y : tensor<2x2x1000xf16>) {lowering = #rnn.lowering<fused, kernel = persistent>}
  return %r#1 : tensor<2x1000xf16>
}

// -----

func.func @cluster(%x: tensor<2x2x1xf16>, %s: tensor<2x300xf16>, %w: tensor<301x1200xf16>, %p: tensor<300xf16>, %b: tensor<1200xf16>, %y: tensor<2x2x300xf16>) -> tensor<2x300xf16> {
  // expected-error @below {{has no persistent kernel: the recurrent weights of 300 units do not fit the registers and the shared memory of a cluster of 2 blocks}}
  %r:8 = rnn.block_lstm_grad icfo x(%x : tensor<2x2x1xf16>) state(%s, %s : tensor<2x300xf16>) weights(%w : tensor<301x1200xf16>) peephole(%p, %p, %p : tensor<300xf16>) bias(%b : tensor<1200xf16>) saved(%y, %y, %y, %y, %y, %y, %y : tensor<2x2x300xf16>) grads(%y, %y : tensor<2x2x300xf16>) {lowering = #rnn.lowering<fused, kernel = persistent, cluster = 2>}
  return %r#1 : tensor<2x300xf16>
}
