// The constants of the cost model depend on the processor that code is generated for. Processors without constants have those of
// Zen 3.
// RUN: rnn-opt %s -rnn-attach-target="target=host chip=sapphirerapids" -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,LOOPS
// RUN: rnn-opt %s -rnn-attach-target="target=host chip=emeraldrapids" -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,LOOPS
// RUN: rnn-opt %s -rnn-attach-target="target=host chip=cascadelake" -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,LOOPS
// RUN: rnn-opt %s -rnn-attach-target="target=host chip=skylake-avx512" -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,LOOPS
// RUN: rnn-opt %s -rnn-attach-target="target=host chip=icelake-server" -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,LOOPS
// RUN: rnn-opt %s -rnn-attach-target="target=host chip=znver4" -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,LOOPS
// RUN: rnn-opt %s -rnn-attach-target="target=host chip=znver3" -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,ZEN
// RUN: rnn-opt %s -rnn-attach-target="target=host chip=haswell" -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,ZEN
// RUN: rnn-opt %s -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,ZEN

// Loops multiply the weights of a single step, and of a few, as they are.
// CHECK-LABEL: func @one_step
// CHECK: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<fused>}
func.func @one_step(%x: tensor<1x1x256xbf16>, %s: tensor<1x256xbf16>, %w: tensor<512x1024xbf16>, %p: tensor<256xbf16>,
                    %b: tensor<1024xbf16>) -> tensor<1x1x256xbf16> {
  %r:7 = rnn.block_lstm ifco x(%x : tensor<1x1x256xbf16>) state(%s, %s : tensor<1x256xbf16>)
      weights(%w : tensor<512x1024xbf16>) peephole(%p, %p, %p : tensor<256xbf16>) bias(%b : tensor<1024xbf16>)
  return %r#6 : tensor<1x1x256xbf16>
}

// CHECK-LABEL: func @two_steps
// CHECK: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<fused>}
func.func @two_steps(%x: tensor<2x1x512xf32>, %s: tensor<1x512xf32>, %w: tensor<1024x2048xf32>, %p: tensor<512xf32>,
                     %b: tensor<2048xf32>) -> tensor<2x1x512xf32> {
  %r:7 = rnn.block_lstm ifco x(%x : tensor<2x1x512xf32>) state(%s, %s : tensor<1x512xf32>)
      weights(%w : tensor<1024x2048xf32>) peephole(%p, %p, %p : tensor<512xf32>) bias(%b : tensor<2048xf32>)
  return %r#6 : tensor<2x1x512xf32>
}

// By AVX2, the plan of one f32 row takes 0.86 times as long.
// CHECK-LABEL: func @one_row
// LOOPS: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<fused>}
// ZEN: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<runtime>}
func.func @one_row(%x: tensor<1x1x512xf32>, %s: tensor<1x512xf32>, %w: tensor<1024x2048xf32>, %p: tensor<512xf32>,
                   %b: tensor<2048xf32>) -> tensor<1x1x512xf32> {
  %r:7 = rnn.block_lstm ifco x(%x : tensor<1x1x512xf32>) state(%s, %s : tensor<1x512xf32>)
      weights(%w : tensor<1024x2048xf32>) peephole(%p, %p, %p : tensor<512xf32>) bias(%b : tensor<2048xf32>)
  return %r#6 : tensor<1x1x512xf32>
}

// CHECK-LABEL: func @many_steps
// CHECK: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<fused>}
func.func @many_steps(%x: tensor<100x16x256xf32>, %s: tensor<16x256xf32>, %w: tensor<512x1024xf32>, %p: tensor<256xf32>,
                      %b: tensor<1024xf32>) -> tensor<100x16x256xf32> {
  %r:7 = rnn.block_lstm ifco x(%x : tensor<100x16x256xf32>) state(%s, %s : tensor<16x256xf32>)
      weights(%w : tensor<512x1024xf32>) peephole(%p, %p, %p : tensor<256xf32>) bias(%b : tensor<1024xf32>)
  return %r#6 : tensor<100x16x256xf32>
}
