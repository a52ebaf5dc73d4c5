// RUN: not rnn-opt %s -rnn-attach-target=target=tpu 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not rnn-opt %s -rnn-select-lowering="prefer=magic" 2>&1 | FileCheck %s --check-prefix=PREFER
// RUN: not rnn-opt %s -rnn-select-lowering="fused-kernel=grid" 2>&1 | FileCheck %s --check-prefix=FAMILY
// RUN: not rnn-opt %s -rnn-attach-target="target=cuda" -rnn-select-lowering 2>&1 | FileCheck %s --check-prefix=PLAN

// FAMILY: unknown value `grid`; expected auto, per_step or persistent
// TARGET: unknown value `tpu`; expected host, cuda or simt
// PREFER: unknown value `magic`; expected auto, runtime or fused
func.func @size(%l: index, %h: index, %i: index) -> index {
  %n = rnn.cudnn_params_size gru sizes(%l, %h, %i) {element_type = f32}
  return %n : index
}

// PLAN: error: lowering `runtime` is not available for 'rnn.block_lstm' on target `cuda`, which has plans for the cudnn ops only, and this op could not be rewritten to them (the remarks of rnn-block-to-cudnn have the reason); use `fused` or `auto`
func.func @block(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                 %b: tensor<16xf32>) -> tensor<5x2x4xf32> {
  %r:7 = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) {lowering = #rnn.lowering<runtime>}
  return %r#6 : tensor<5x2x4xf32>
}
