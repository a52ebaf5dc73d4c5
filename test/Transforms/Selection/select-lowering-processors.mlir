// The constants of the cost model depend on the processor that code is generated for. Processors without constants have those of
// Zen 3.
// RUN: rnn-opt %s -rnn-attach-target="target=host chip=sapphirerapids" -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,AMX
// RUN: rnn-opt %s -rnn-attach-target="target=host chip=emeraldrapids" -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,AMX
// RUN: rnn-opt %s -rnn-attach-target="target=host chip=znver3" -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,ZEN
// RUN: rnn-opt %s -rnn-attach-target="target=host chip=haswell" -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,ZEN
// RUN: rnn-opt %s -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,ZEN

// By AMX, loops multiply the bf16 weights of a single step as they are.
// CHECK-LABEL: func @one_step
// AMX: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<fused>}
// ZEN: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<runtime>}
func.func @one_step(%x: tensor<1x1x256xbf16>, %s: tensor<1x256xbf16>, %w: tensor<512x1024xbf16>, %p: tensor<256xbf16>,
                    %b: tensor<1024xbf16>) -> tensor<1x1x256xbf16> {
  %r:7 = rnn.block_lstm ifco x(%x : tensor<1x1x256xbf16>) state(%s, %s : tensor<1x256xbf16>)
      weights(%w : tensor<512x1024xbf16>) peephole(%p, %p, %p : tensor<256xbf16>) bias(%b : tensor<1024xbf16>)
  return %r#6 : tensor<1x1x256xbf16>
}

// CHECK-LABEL: func @many_steps
// CHECK: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<fused>}
func.func @many_steps(%x: tensor<100x16x256xf32>, %s: tensor<16x256xf32>, %w: tensor<512x1024xf32>, %p: tensor<256xf32>,
                      %b: tensor<1024xf32>) -> tensor<100x16x256xf32> {
  %r:7 = rnn.block_lstm ifco x(%x : tensor<100x16x256xf32>) state(%s, %s : tensor<16x256xf32>)
      weights(%w : tensor<512x1024xf32>) peephole(%p, %p, %p : tensor<256xf32>) bias(%b : tensor<1024xf32>)
  return %r#6 : tensor<100x16x256xf32>
}
