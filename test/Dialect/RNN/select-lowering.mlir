// RUN: rnn-opt %s -rnn-select-lowering | FileCheck %s
// RUN: rnn-opt %s -rnn-select-lowering=prefer=runtime | FileCheck %s
// RUN: rnn-opt %s -rnn-select-lowering -remarks-filter-passed='rnn-select-lowering' -remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func @sizes
// CHECK: rnn.cudnn_params_size {{.*}} lowering = #rnn.lowering<runtime>
// REMARK: [Passed] Lowering | Category:rnn-select-lowering | Reason="the target has no fused kernels", Remark="'rnn.cudnn_params_size' runs as `runtime`"
func.func @sizes(%l: index, %h: index, %i: index) -> index {
  %n = rnn.cudnn_params_size gru sizes(%l, %h, %i) {element_type = f32}
  return %n : index
}

// CHECK-LABEL: func @explicit
// CHECK: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<runtime>}
func.func @explicit(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                    %b: tensor<16xf32>) -> tensor<5x2x4xf32> {
  %r:7 = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) {lowering = #rnn.lowering<runtime>}
  return %r#6 : tensor<5x2x4xf32>
}
