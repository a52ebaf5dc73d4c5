// RUN: rnn-opt %s -rnn-block-to-cudnn="prefer=runtime" | FileCheck %s
// RUN: rnn-opt %s -rnn-block-to-cudnn="prefer=runtime" -remarks-filter='rnn-block-to-cudnn' -remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: rnn-opt %s -rnn-block-to-cudnn="prefer=fused" | FileCheck %s --check-prefix=FUSED
// RUN: not rnn-opt %s -rnn-pipeline='target=cuda lowering=runtime stop-after=select' 2>&1 | FileCheck %s --check-prefix=RUNTIME

// If fused kernels are requested, nothing is rewritten.
// FUSED-NOT: rnn.cudnn

// For `auto`, see block-to-cudnn-auto.mlir.
// RUNTIME: error: lowering `runtime` is not available for 'rnn.block_lstm' on target `cuda`, which has plans for the cudnn ops only, and this op could not be rewritten to them (the remarks of rnn-block-to-cudnn have the reason); use `fused` or `auto`

// Gradients are visited first.
// REMARK: Reason="legality: the forward that produced its saved values is not in this function, and cuDNN has to run it again", Remark="'rnn.block_lstm_grad' stays"
// REMARK: Reason="legality: `cs_grad` is not known to be zero before the last step, and cuDNN accepts only the gradient of the last cell", Remark="'rnn.block_lstm_grad' stays"

!x = tensor<5x2x3xf32>
!s = tensor<2x4xf32>
!w = tensor<7x16xf32>
!p = tensor<4xf32>
!b = tensor<16xf32>
!h = tensor<5x2x4xf32>

// The columns of icfo: i 0, c 4, f 8, o 12; cuDNN's order is i f c o.
// CHECK-LABEL: func.func @forward
// CHECK-SAME:    (%[[X:.*]]: tensor<5x2x3xf32>, %[[S:.*]]: tensor<2x4xf32>, %[[W:.*]]: tensor<7x16xf32>, %{{.*}}: tensor<4xf32>, %[[B:.*]]: tensor<16xf32>)
// CHECK:         tensor.extract_slice %[[W]][0, 0] [3, 4] [1, 1]
// CHECK:         linalg.transpose
// CHECK:         tensor.extract_slice %[[W]][0, 8] [3, 4] [1, 1]
// CHECK:         tensor.extract_slice %[[W]][0, 4] [3, 4] [1, 1]
// CHECK:         tensor.extract_slice %[[W]][0, 12] [3, 4] [1, 1]
// CHECK:         tensor.extract_slice %[[W]][3, 0] [4, 4] [1, 1]
// CHECK:         tensor.extract_slice %[[B]][0] [4] [1]
// CHECK:         %[[BF:.*]] = tensor.extract_slice %[[B]][8] [4] [1]
// CHECK:         arith.addf %[[BF]], %{{.*}} : tensor<4xf32>
// CHECK:         %[[P:.*]] = rnn.cudnn_canonical_to_params lstm sizes{{.*}} {lowering = #rnn.lowering<runtime>}
// CHECK:         %[[Y:.*]], %{{.*}}, %{{.*}}, %{{.*}} = rnn.cudnn_forward lstm input(%[[X]] : tensor<5x2x3xf32>) state(%{{.*}}, %{{.*}} : tensor<1x2x4xf32>) params(%[[P]]{{.*}} {lowering = #rnn.lowering<runtime>}
// CHECK:         return %[[Y]]
// REMARK: [Passed] BlockToCudnn | Category:rnn-block-to-cudnn | Reason="pipeline option: plans are requested", Remark="'rnn.block_lstm' runs as cudnn ops"
func.func @forward(%x: !x, %s: !s, %w: !w, %p: !p, %b: !b) -> !h {
  %r:7 = rnn.block_lstm icfo x(%x : !x) state(%s, %s : !s) weights(%w : !w) peephole(%p, %p, %p : !p) bias(%b : !b) {forget_bias = 1.0}
  return %r#6 : !h
}

// CHECK-LABEL: func.func @peephole
// CHECK:         rnn.block_lstm
// REMARK: [Missed] BlockToCudnn | Category:rnn-block-to-cudnn | Reason="legality: cuDNN has no peephole", Remark="'rnn.block_lstm' stays"
func.func @peephole(%x: !x, %s: !s, %w: !w, %p: !p, %b: !b) -> !h {
  %r:7 = rnn.block_lstm icfo x(%x : !x) state(%s, %s : !s) weights(%w : !w) peephole(%p, %p, %p : !p) bias(%b : !b) {use_peephole}
  return %r#6 : !h
}

// CHECK-LABEL: func.func @clip
// CHECK:         rnn.block_lstm
// REMARK: Reason="legality: the cudnn ops do not clip cells"
func.func @clip(%x: !x, %s: !s, %w: !w, %p: !p, %b: !b) -> !h {
  %r:7 = rnn.block_lstm icfo x(%x : !x) state(%s, %s : !s) weights(%w : !w) peephole(%p, %p, %p : !p) bias(%b : !b) {cell_clip = 3.0}
  return %r#6 : !h
}

// CHECK-LABEL: func.func @length
// CHECK:         rnn.block_lstm
// REMARK: Reason="legality: `seq_len_max` is not known to be T"
func.func @length(%x: !x, %s: !s, %w: !w, %p: !p, %b: !b, %n: i64) -> !h {
  %r:7 = rnn.block_lstm icfo x(%x : !x) state(%s, %s : !s) weights(%w : !w) peephole(%p, %p, %p : !p) bias(%b : !b) seq_len_max(%n)
  return %r#6 : !h
}

// CHECK-LABEL: func.func @gates
// CHECK:         rnn.block_lstm
// REMARK: Reason="legality: gates are used, which cuDNN does not return"
func.func @gates(%x: !x, %s: !s, %w: !w, %p: !p, %b: !b) -> !h {
  %r:7 = rnn.block_lstm icfo x(%x : !x) state(%s, %s : !s) weights(%w : !w) peephole(%p, %p, %p : !p) bias(%b : !b)
  return %r#0 : !h
}

// CHECK-LABEL: func.func @cells
// CHECK:         rnn.block_lstm
// REMARK: Reason="legality: cells of other steps than the last are used, which cuDNN does not return"
func.func @cells(%x: !x, %s: !s, %w: !w, %p: !p, %b: !b) -> !s {
  %r:7 = rnn.block_lstm icfo x(%x : !x) state(%s, %s : !s) weights(%w : !w) peephole(%p, %p, %p : !p) bias(%b : !b)
  %c = tensor.extract_slice %r#1[3, 0, 0] [1, 2, 4] [1, 1, 1] : !h to !s
  return %c : !s
}

// CHECK-LABEL: func.func @far_forward
// CHECK:         rnn.block_lstm_grad
func.func @far_forward(%x: !x, %s: !s, %w: !w, %p: !p, %b: !b, %h: !h) -> !w {
  %cs_grad = arith.constant dense<0.0> : !h
  %r:8 = rnn.block_lstm_grad ifco x(%x : !x) state(%s, %s : !s) weights(%w : !w) peephole(%p, %p, %p : !p) bias(%b : !b)
      saved(%h, %h, %h, %h, %h, %h, %h : !h) grads(%cs_grad, %h : !h)
  return %r#3 : !w
}

// CHECK-LABEL: func.func @cell_gradients
// CHECK:         rnn.block_lstm_grad
func.func @cell_gradients(%x: !x, %s: !s, %w: !w, %p: !p, %b: !b, %h: !h) -> !w {
  %i, %cs, %f, %o, %ci, %co, %y = rnn.block_lstm ifco x(%x : !x) state(%s, %s : !s) weights(%w : !w) peephole(%p, %p, %p : !p) bias(%b : !b)
  %r:8 = rnn.block_lstm_grad ifco x(%x : !x) state(%s, %s : !s) weights(%w : !w) peephole(%p, %p, %p : !p) bias(%b : !b)
      saved(%i, %cs, %f, %o, %ci, %co, %y : !h) grads(%h, %h : !h)
  return %r#3 : !w
}

// The cell of the only step is the last one.
// CHECK-LABEL: func.func @one_step
// CHECK:         %{{.*}}, %{{.*}}, %[[C:.*]], %{{.*}} = rnn.cudnn_forward lstm
// CHECK:         return %[[C]]
func.func @one_step(%x: tensor<1x2x3xf32>, %s: !s, %w: !w, %p: !p, %b: !b) -> tensor<1x2x4xf32> {
  %r:7 = rnn.block_lstm ifco x(%x : tensor<1x2x3xf32>) state(%s, %s : !s) weights(%w : !w) peephole(%p, %p, %p : !p) bias(%b : !b)
  return %r#1 : tensor<1x2x4xf32>
}

// Sizes of `w` and `b` follow from static I and H; the casts are checked at run time.
// CHECK-LABEL: func.func @dynamic_weights
// CHECK-SAME:    %[[W:[^:]*]]: tensor<?x16xf32>, %{{.*}}: tensor<4xf32>, %[[B:.*]]: tensor<?xf32>)
// CHECK-DAG:     %[[WS:.*]] = tensor.cast %[[W]] : tensor<?x16xf32> to tensor<7x16xf32>
// CHECK-DAG:     %[[BS:.*]] = tensor.cast %[[B]] : tensor<?xf32> to tensor<16xf32>
// CHECK:         tensor.extract_slice %[[WS]][0, 0] [3, 4] [1, 1]
// CHECK:         tensor.extract_slice %[[BS]][0] [4] [1]
// CHECK:         rnn.cudnn_forward lstm
func.func @dynamic_weights(%x: tensor<?x?x3xf32>, %s: tensor<?x4xf32>, %w: tensor<?x16xf32>, %p: !p, %b: tensor<?xf32>) -> tensor<?x?x4xf32> {
  %r:7 = rnn.block_lstm ifco x(%x : tensor<?x?x3xf32>) state(%s, %s : tensor<?x4xf32>) weights(%w : tensor<?x16xf32>)
      peephole(%p, %p, %p : !p) bias(%b : tensor<?xf32>)
  return %r#6 : tensor<?x?x4xf32>
}

// CHECK-LABEL: func.func @dynamic_hidden
// CHECK:         rnn.block_lstm
// REMARK: Reason="legality: I or H is dynamic, and the cudnn ops do not check `w` and `b`"
func.func @dynamic_hidden(%x: tensor<5x2x3xf32>, %s: tensor<2x?xf32>, %w: tensor<7x?xf32>, %p: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<5x2x?xf32> {
  %r:7 = rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x?xf32>) weights(%w : tensor<7x?xf32>)
      peephole(%p, %p, %p : tensor<?xf32>) bias(%b : tensor<?xf32>)
  return %r#6 : tensor<5x2x?xf32>
}
