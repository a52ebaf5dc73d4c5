// RUN: rnn-opt %s -convert-rnn-to-gpu -verify-diagnostics

func.func @no_clusters(%x: memref<5x2x3xf16>, %s: memref<2x16xf16>, %w: memref<19x64xf16>, %p: memref<16xf16>,
                       %b: memref<64xf16>, %h: memref<5x2x16xf16>) {
  // expected-error @below {{requires a persistent kernel that cannot be built: clusters need compute capability 9.0; name the GPU, as --chip=sm_90a; run rnn-select-lowering}}
  rnn.block_lstm icfo x(%x : memref<5x2x3xf16>) state(%s, %s : memref<2x16xf16>) weights(%w : memref<19x64xf16>)
      peephole(%p, %p, %p : memref<16xf16>) bias(%b : memref<64xf16>) outs(h = %h : memref<5x2x16xf16>)
      {lowering = #rnn.lowering<fused, kernel = persistent, cluster = 2>}
  return
}
