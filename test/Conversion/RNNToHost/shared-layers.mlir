// Identical layers share one function; checks stay at the calls.
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host | FileCheck %s

// Two layers of one type. The third has another attribute.
// CHECK-LABEL: func @three
// CHECK: call @rnn_layer_block_lstm(%[[X:.*]], %[[S:.*]], %[[S]], %[[W:.*]], %[[P:.*]], %[[P]], %[[P]], %[[B:.*]], %[[H:.*]]) :
// CHECK: call @rnn_layer_block_lstm(%[[H]], %[[S]], %[[S]],
// CHECK-NOT: call @rnn_layer
// CHECK: return
// CHECK: func private @rnn_layer_block_lstm(%{{.*}}: memref<5x2x4xf32>, {{.*}}) attributes {{.*}}"noinline"
// CHECK-NOT: func private @rnn_layer_block
func.func @three(%x: memref<5x2x4xf32>, %s: memref<2x4xf32>, %w: memref<8x16xf32>, %p: memref<4xf32>, %b: memref<16xf32>,
                 %h: memref<5x2x4xf32>, %g: memref<5x2x4xf32>) {
  rnn.block_lstm icfo x(%x : memref<5x2x4xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<8x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(h = %h : memref<5x2x4xf32>)
      {lowering = #rnn.lowering<fused>}
  rnn.block_lstm icfo x(%h : memref<5x2x4xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<8x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(h = %g : memref<5x2x4xf32>)
      {lowering = #rnn.lowering<fused>}
  rnn.block_lstm ifco x(%h : memref<5x2x4xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<8x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(h = %g : memref<5x2x4xf32>)
      {lowering = #rnn.lowering<fused>}
  return
}

// -----

// Dynamic sizes: the checks precede the call, which a failed one skips. Their messages name the arguments of this function.
// CHECK-LABEL: func @dynamic
// CHECK: rnnrt.expect_equal {{.*}} "'rnn.block_lstm' op expects dim 0 of `cs_prev` to be B [B4]\0A`cs_prev` is argument 1"
// CHECK: scf.if
// CHECK-NEXT: call @rnn_layer_block_lstm
// CHECK: scf.if
// CHECK-NEXT: call @rnn_layer_block_lstm
func.func @dynamic(%x: memref<?x?x?xf32>, %s: memref<?x?xf32>, %w: memref<?x?xf32>, %p: memref<?xf32>, %b: memref<?xf32>,
                   %h: memref<?x?x?xf32>) {
  rnn.block_lstm icfo x(%x : memref<?x?x?xf32>) state(%s, %s : memref<?x?xf32>) weights(%w : memref<?x?xf32>)
      peephole(%p, %p, %p : memref<?xf32>) bias(%b : memref<?xf32>) outs(h = %h : memref<?x?x?xf32>)
      {lowering = #rnn.lowering<fused>}
  rnn.block_lstm icfo x(%x : memref<?x?x?xf32>) state(%s, %s : memref<?x?xf32>) weights(%w : memref<?x?xf32>)
      peephole(%p, %p, %p : memref<?xf32>) bias(%b : memref<?xf32>) outs(h = %h : memref<?x?x?xf32>)
      {lowering = #rnn.lowering<fused>}
  return
}

// -----

// Constants are operands of the layer, so that their packed copies belong to the module: equal constants share a function.
// CHECK-LABEL: func @constants
// CHECK-COUNT-2: call @rnn_layer_block_lstm(
// CHECK: call @rnn_layer_block_lstm_{{[0-9]}}(
// CHECK: call @rnn_layer_block_lstm_{{[0-9]}}(
// CHECK: return
memref.global "private" constant @w : memref<8x16xf32> = dense<0.5>
memref.global "private" constant @v : memref<8x16xf32> = dense<0.25>
func.func @constants(%x: memref<5x2x4xf32>, %s: memref<2x4xf32>, %p: memref<4xf32>, %b: memref<16xf32>, %h: memref<5x2x4xf32>) {
  %w = memref.get_global @w : memref<8x16xf32>
  %v = memref.get_global @v : memref<8x16xf32>
  rnn.block_lstm icfo x(%x : memref<5x2x4xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<8x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(h = %h : memref<5x2x4xf32>)
      {lowering = #rnn.lowering<fused>}
  rnn.block_lstm icfo x(%x : memref<5x2x4xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<8x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(h = %h : memref<5x2x4xf32>)
      {lowering = #rnn.lowering<fused>}
  rnn.block_lstm icfo x(%x : memref<5x2x4xf32>) state(%s, %s : memref<2x4xf32>) weights(%v : memref<8x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(h = %h : memref<5x2x4xf32>)
      {lowering = #rnn.lowering<fused>}
  rnn.block_lstm icfo x(%x : memref<5x2x4xf32>) state(%s, %s : memref<2x4xf32>) weights(%v : memref<8x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(h = %h : memref<5x2x4xf32>)
      {lowering = #rnn.lowering<fused>}
  return
}
