// RUN: rnn-opt %s -rnn-attach-target=target=simt -rnn-select-lowering=fused-kernel=persistent -convert-rnn-to-gpu -split-input-file | FileCheck %s
// RUN: rnn-opt %s -rnn-attach-target=target=simt -convert-rnn-to-gpu -split-input-file | FileCheck %s --check-prefix=STEPS --implicit-check-not=persistent
// RUN: rnn-opt %s -rnn-attach-target=target=cuda -rnn-select-lowering=fused-kernel=persistent -convert-rnn-to-gpu -split-input-file 2>&1 | FileCheck %s --check-prefix=STEPS --implicit-check-not=persistent

// The persistent kernel, and the per-step kernels for devices that cannot hold its clusters.
// CHECK-LABEL: func.func @forward
// CHECK:         function(@block_lstm_input)
// CHECK:         rnnrt.try_clusters
// CHECK:         function(@persistent_weights)
// CHECK:         gpu.launch clusters({{.*}} function(@block_lstm_persistent)
// CHECK:           nvvm.mma.sync
// CHECK:           rnngpu.store_async
// CHECK:         rnnrt.clusters_ran
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:             function(@block_lstm_step)
// CHECK:             {rnngpu.programmatic}
// STEPS-LABEL: func.func @forward
// STEPS:         function(@block_lstm_input)
// STEPS:         scf.for
// STEPS:           function(@block_lstm_step)
func.func @forward(%x: memref<5x2x3xf16>, %s: memref<2x16xf16>, %w: memref<19x64xf16>, %p: memref<16xf16>,
                   %b: memref<64xf16>, %h: memref<5x2x16xf16>) {
  rnn.block_lstm icfo x(%x : memref<5x2x3xf16>) state(%s, %s : memref<2x16xf16>) weights(%w : memref<19x64xf16>)
      peephole(%p, %p, %p : memref<16xf16>) bias(%b : memref<64xf16>) outs(h = %h : memref<5x2x16xf16>)
      {lowering = #rnn.lowering<fused>}
  return
}

// -----

// f64 has no persistent kernel.
// CHECK-LABEL: func.func @f64
// CHECK-NOT:     persistent
// CHECK:         function(@block_lstm_step)
// STEPS-LABEL: func.func @f64
func.func @f64(%x: memref<5x2x3xf64>, %s: memref<2x16xf64>, %w: memref<19x64xf64>, %p: memref<16xf64>,
               %b: memref<64xf64>, %h: memref<5x2x16xf64>) {
  rnn.block_lstm icfo x(%x : memref<5x2x3xf64>) state(%s, %s : memref<2x16xf64>) weights(%w : memref<19x64xf64>)
      peephole(%p, %p, %p : memref<16xf64>) bias(%b : memref<64xf64>) outs(h = %h : memref<5x2x16xf64>)
      {lowering = #rnn.lowering<fused>}
  return
}
