// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a" -rnn-select-lowering | FileCheck %s
// RUN: rnn-opt %s -rnn-attach-target=target=simt -rnn-select-lowering="prefer=runtime fused-kernel=per_step" | FileCheck %s

// A persistent kernel without a cluster size gets one; an explicit size is kept.
// CHECK-LABEL: func @completed
// CHECK: lowering = #rnn.lowering<fused, kernel = persistent, cluster = {{2|4|8|16}}>
// CHECK: lowering = #rnn.lowering<fused, kernel = persistent, cluster = 16>
func.func @completed(%x: tensor<128x32x256xbf16>, %s: tensor<32x256xbf16>, %w: tensor<512x1024xbf16>, %p: tensor<256xbf16>, %b: tensor<1024xbf16>) -> (tensor<128x32x256xbf16>, tensor<128x32x256xbf16>) {
  %r:7 = rnn.block_lstm icfo x(%x : tensor<128x32x256xbf16>) state(%s, %s : tensor<32x256xbf16>) weights(%w : tensor<512x1024xbf16>) peephole(%p, %p, %p : tensor<256xbf16>) bias(%b : tensor<1024xbf16>) {lowering = #rnn.lowering<fused, kernel = persistent>}
  %q:7 = rnn.block_lstm icfo x(%x : tensor<128x32x256xbf16>) state(%s, %s : tensor<32x256xbf16>) weights(%w : tensor<512x1024xbf16>) peephole(%p, %p, %p : tensor<256xbf16>) bias(%b : tensor<1024xbf16>) {lowering = #rnn.lowering<fused, kernel = persistent, cluster = 16>}
  return %r#6, %q#6 : tensor<128x32x256xbf16>, tensor<128x32x256xbf16>
}
