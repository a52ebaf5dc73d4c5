// Per-step or persistent kernels, for fused ops that have both.
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a" -rnn-select-lowering | FileCheck %s --check-prefix=CHIP
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a" -rnn-select-lowering="fused-kernel=per_step" | FileCheck %s --check-prefix=STEP
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a" -rnn-select-lowering="fused-kernel=persistent" | FileCheck %s --check-prefix=CLUSTER
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_80" -rnn-select-lowering | FileCheck %s --check-prefix=NONE
// RUN: rnn-opt %s -rnn-attach-target="target=cuda" -rnn-select-lowering | FileCheck %s --check-prefix=NONE
// Times of the emulator do not predict those of a GPU: per-step kernels unless others are requested.
// RUN: rnn-opt %s -rnn-attach-target="target=simt" -rnn-select-lowering="prefer=fused" | FileCheck %s --check-prefix=NONE
// RUN: rnn-opt %s -rnn-attach-target="target=simt" -rnn-select-lowering="prefer=fused fused-kernel=persistent" | FileCheck %s --check-prefix=CLUSTER
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a" -rnn-select-lowering -remarks-filter-passed='rnn-select-lowering' -remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHIP-LABEL: func @fits
// CHIP: lowering = #rnn.lowering<fused, kernel = persistent, cluster = {{2|4|8|16}}>
// STEP-LABEL: func @fits
// STEP: lowering = #rnn.lowering<fused, kernel = per_step>
// CLUSTER-LABEL: func @fits
// CLUSTER: lowering = #rnn.lowering<fused, kernel = persistent, cluster = {{2|4|8|16}}>
// NONE-NOT: kernel = persistent
// REMARK: [Passed] Lowering | Category:rnn-select-lowering | Reason="cost model: `fused/persistent` {{[0-9.]+}} us, `fused/per_step` {{[0-9.]+}} {{us|ms}} for T=128 B=32 I=256 H=256 bf16", Remark="'rnn.block_lstm_grad' runs as `fused/persistent`"
func.func @fits(%x: tensor<128x32x256xbf16>, %s: tensor<32x256xbf16>, %w: tensor<512x1024xbf16>, %p: tensor<256xbf16>, %b: tensor<1024xbf16>) -> tensor<32x256xbf16> {
  %r:8 = rnn.block_lstm_grad icfo x(%x : tensor<128x32x256xbf16>) state(%s, %s : tensor<32x256xbf16>) weights(%w : tensor<512x1024xbf16>) peephole(%p, %p, %p : tensor<256xbf16>) bias(%b : tensor<1024xbf16>) saved(%x, %x, %x, %x, %x, %x, %x : tensor<128x32x256xbf16>) grads(%x, %x : tensor<128x32x256xbf16>)
  return %r#2 : tensor<32x256xbf16>
}

// f32 too: three TF32 products, or one with `tf32`.
// RUN: rnn-opt %s -rnn-attach-target="target=cuda chip=sm_90a tf32" -rnn-select-lowering -remarks-filter-passed='rnn-select-lowering' -remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=TF32
// CHIP-LABEL: func @single
// CHIP: lowering = #rnn.lowering<fused, kernel = persistent, cluster = {{2|4|8|16}}>
// CLUSTER-LABEL: func @single
// CLUSTER: lowering = #rnn.lowering<fused, kernel = persistent, cluster = {{2|4|8|16}}>
// REMARK: `fused/persistent` {{[0-9.]+}} us, `fused/per_step` {{[0-9.]+}} {{us|ms}} for T=128 B=32 I=256 H=256 f32", Remark="'rnn.block_lstm_grad' runs as `fused/persistent`"
// TF32: `fused/persistent` {{[0-9.]+}} us, `fused/per_step` {{[0-9.]+}} {{us|ms}} for T=128 B=32 I=256 H=256 f32", Remark="'rnn.block_lstm_grad' runs as `fused/persistent`"
func.func @single(%x: tensor<128x32x256xf32>, %s: tensor<32x256xf32>, %w: tensor<512x1024xf32>, %p: tensor<256xf32>, %b: tensor<1024xf32>) -> tensor<32x256xf32> {
  %r:8 = rnn.block_lstm_grad icfo x(%x : tensor<128x32x256xf32>) state(%s, %s : tensor<32x256xf32>) weights(%w : tensor<512x1024xf32>) peephole(%p, %p, %p : tensor<256xf32>) bias(%b : tensor<1024xf32>) saved(%x, %x, %x, %x, %x, %x, %x : tensor<128x32x256xf32>) grads(%x, %x : tensor<128x32x256xf32>)
  return %r#2 : tensor<32x256xf32>
}

// f64 has per-step kernels only.
// CHIP-LABEL: func @wide
// CHIP: lowering = #rnn.lowering<fused, kernel = per_step>
// REMARK: Reason="legality: the target has no plans for this op; its kernel: legality: there is no persistent kernel, since persistent kernels support f16, bf16 and f32 only", Remark="'rnn.block_lstm_grad' runs as `fused/per_step`"
func.func @wide(%x: tensor<128x32x256xf64>, %s: tensor<32x256xf64>, %w: tensor<512x1024xf64>, %p: tensor<256xf64>, %b: tensor<1024xf64>) -> tensor<32x256xf64> {
  %r:8 = rnn.block_lstm_grad icfo x(%x : tensor<128x32x256xf64>) state(%s, %s : tensor<32x256xf64>) weights(%w : tensor<512x1024xf64>) peephole(%p, %p, %p : tensor<256xf64>) bias(%b : tensor<1024xf64>) saved(%x, %x, %x, %x, %x, %x, %x : tensor<128x32x256xf64>) grads(%x, %x : tensor<128x32x256xf64>)
  return %r#2 : tensor<32x256xf64>
}

// CHIP-LABEL: func @given
// CHIP: lowering = #rnn.lowering<fused, kernel = per_step>
// CLUSTER-LABEL: func @given
// CLUSTER: lowering = #rnn.lowering<fused, kernel = per_step>
func.func @given(%x: tensor<128x32x256xbf16>, %s: tensor<32x256xbf16>, %w: tensor<512x1024xbf16>, %p: tensor<256xbf16>, %b: tensor<1024xbf16>) -> tensor<32x256xbf16> {
  %r:8 = rnn.block_lstm_grad icfo x(%x : tensor<128x32x256xbf16>) state(%s, %s : tensor<32x256xbf16>) weights(%w : tensor<512x1024xbf16>) peephole(%p, %p, %p : tensor<256xbf16>) bias(%b : tensor<1024xbf16>) saved(%x, %x, %x, %x, %x, %x, %x : tensor<128x32x256xbf16>) grads(%x, %x : tensor<128x32x256xbf16>) {lowering = #rnn.lowering<fused, kernel = per_step>}
  return %r#2 : tensor<32x256xbf16>
}
