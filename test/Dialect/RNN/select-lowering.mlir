// RUN: rnn-opt %s -rnn-select-lowering | FileCheck %s
// RUN: rnn-opt %s -rnn-select-lowering=prefer=runtime | FileCheck %s
// RUN: rnn-opt %s -rnn-select-lowering=prefer=fused | FileCheck %s --check-prefix=FUSED
// RUN: rnn-opt %s -rnn-select-lowering=target=simt | FileCheck %s
// RUN: not rnn-opt %s -rnn-select-lowering=target=cuda -remarks-filter-passed='rnn-select-lowering' -remark-policy=all 2>&1 | FileCheck %s --check-prefix=CUDA
// RUN: rnn-opt %s -rnn-select-lowering -remarks-filter-passed='rnn-select-lowering' -remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func @sizes
// CHECK: rnn.cudnn_params_size {{.*}} lowering = #rnn.lowering<runtime>
// FUSED: rnn.cudnn_params_size {{.*}} lowering = #rnn.lowering<fused>
// REMARK: [Passed] Lowering | Category:rnn-select-lowering | Reason="plans come first where there are some", Remark="'rnn.cudnn_params_size' runs as `runtime`"
func.func @sizes(%l: index, %h: index, %i: index) -> index {
  %n = rnn.cudnn_params_size gru sizes(%l, %h, %i) {element_type = f32}
  return %n : index
}

// A plan comes first, and on cuda there is none for block ops.
// CHECK-LABEL: func @block
// CHECK: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<runtime>}
// REMARK: Reason="plans come first where there are some", Remark="'rnn.block_lstm' runs as `runtime`"
// CUDA: Reason="the target has no plans for this op", Remark="'rnn.block_lstm' runs as `fused`"
func.func @block(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                 %b: tensor<16xf32>) -> tensor<5x2x4xf32> {
  %r:7 = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return %r#6 : tensor<5x2x4xf32>
}

// CUDA: error: lowering `runtime` is not available for 'rnn.block_lstm' on target `cuda`, which has plans for the cudnn ops alone, and this op could not be rewritten to them (the remarks of rnn-block-to-cudnn say why); use `fused` or `auto`
// CHECK-LABEL: func @explicit
// CHECK: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<runtime>}
func.func @explicit(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                    %b: tensor<16xf32>) -> tensor<5x2x4xf32> {
  %r:7 = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) {lowering = #rnn.lowering<runtime>}
  return %r#6 : tensor<5x2x4xf32>
}
