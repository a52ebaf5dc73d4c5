// RUN: rnn-opt %s -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: rnn-opt %s -rnn-select-lowering="prefer=runtime" | FileCheck %s --check-prefixes=CHECK,PLANS
// RUN: rnn-opt %s -rnn-select-lowering="prefer=fused" | FileCheck %s --check-prefix=FUSED
// RUN: rnn-opt %s -rnn-attach-target="target=simt" -rnn-select-lowering | FileCheck %s --check-prefixes=CHECK,PLANS
// RUN: rnn-opt %s -rnn-attach-target="target=cuda" -rnn-select-lowering -remarks-filter-passed='rnn-select-lowering' -remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=CUDA
// RUN: rnn-opt %s -rnn-select-lowering -remarks-filter-passed='rnn-select-lowering' -remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rnn-opt %s -rnn-select-lowering="prefer=fused" -remarks-filter-passed='rnn-select-lowering' -remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=GIVEN

// GIVEN: Reason="pipeline option: `fused` for all ops", Remark="'rnn.cudnn_params_size' runs as `fused`"
// CHECK-LABEL: func @sizes
// CHECK: rnn.cudnn_params_size {{.*}} lowering = #rnn.lowering<runtime>
// FUSED: rnn.cudnn_params_size {{.*}} lowering = #rnn.lowering<fused>
// REMARK: [Passed] Lowering | Category:rnn-select-lowering | Reason="legality: its time does not matter", Remark="'rnn.cudnn_params_size' runs as `runtime`"
func.func @sizes(%l: index, %h: index, %i: index) -> index {
  %n = rnn.cudnn_params_size gru sizes(%l, %h, %i) {element_type = f32}
  return %n : index
}

// Small layers run as plans, which compile faster than kernels; on cuda there is no plan for block ops.
// CHECK-LABEL: func @small
// CHECK: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<runtime>}
// FUSED: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<fused>}
// REMARK: Reason="cost model: `runtime` {{[0-9.]+}} us, `fused` {{[0-9.]+}} us for T=5 B=2 I=3 H=4 f32", Remark="'rnn.block_lstm' runs as `runtime`"
// CUDA: Reason="legality: the target has no plans for this op; its kernel: legality: there is no persistent kernel, since clusters need compute capability 9.0; name the GPU, as --chip=sm_90a", Remark="'rnn.block_lstm' runs as `fused/per_step`"
func.func @small(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                 %b: tensor<16xf32>) -> tensor<5x2x4xf32> {
  %r:7 = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  return %r#6 : tensor<5x2x4xf32>
}

// CHECK-LABEL: func @large
// AUTO: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<fused>}
// PLANS: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<runtime>}
// REMARK: Reason="cost model: `fused` {{[0-9.]+}} ms, `runtime` {{[0-9.]+}} ms for T=128 B=32 I=512 H=512 f32", Remark="'rnn.block_lstm' runs as `fused`"
func.func @large(%x: tensor<128x32x512xf32>, %s: tensor<32x512xf32>, %w: tensor<1024x2048xf32>, %p: tensor<512xf32>,
                 %b: tensor<2048xf32>) -> tensor<128x32x512xf32> {
  %r:7 = rnn.block_lstm icfo x(%x : tensor<128x32x512xf32>) state(%s, %s : tensor<32x512xf32>)
      weights(%w : tensor<1024x2048xf32>) peephole(%p, %p, %p : tensor<512xf32>) bias(%b : tensor<2048xf32>)
  return %r#6 : tensor<128x32x512xf32>
}

// Dynamic sizes are assumed, and the remark lists them.
// CHECK-LABEL: func @dynamic
// AUTO: rnn.cudnn_forward gru {{.*}}lowering = #rnn.lowering<fused>
// REMARK: Reason="cost model: `fused` {{[0-9.]+}} ms, `runtime` {{[0-9.]+}} ms for T=? B=? I=64 L=1 H=128 f32, with assumed sizes for T, B", Remark="'rnn.cudnn_forward' runs as `fused`"
func.func @dynamic(%x: tensor<?x?x64xf32>, %h: tensor<1x?x128xf32>, %p: tensor<?xf32>) -> tensor<?x?x128xf32> {
  %y:3 = rnn.cudnn_forward gru input(%x : tensor<?x?x64xf32>) state(%h : tensor<1x?x128xf32>) params(%p : tensor<?xf32>)
      {is_training = false}
  return %y#0 : tensor<?x?x128xf32>
}

// CHECK-LABEL: func @explicit
// CHECK: rnn.block_lstm {{.*}} {lowering = #rnn.lowering<fused{{(, kernel = per_step)?}}>}
// REMARK: Reason="explicit attribute", Remark="'rnn.block_lstm' runs as `fused`"
func.func @explicit(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                    %b: tensor<16xf32>) -> tensor<5x2x4xf32> {
  %r:7 = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) {lowering = #rnn.lowering<fused>}
  return %r#6 : tensor<5x2x4xf32>
}
