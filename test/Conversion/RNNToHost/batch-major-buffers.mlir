// Sequences that only batch-major layers access are time-major in memory.
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host | FileCheck %s

// `h` is the caller's. The gates are private, and their order needs no strides.
// CHECK-LABEL: func @gates(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<2x5x3xf32>, {{.*}}, %[[H:[a-z0-9]+]]: memref<2x5x4xf32>)
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<5x2x4xf32>
// CHECK-NOT: memref.transpose {{.*}} to memref<5x2x4xf32, strided
// CHECK: memref.transpose %[[H]] {{.*}} : memref<2x5x4xf32> to memref<5x2x4xf32, strided<[4, 20, 1]>>
// CHECK-NOT: memref.transpose {{.*}} to memref<5x2x4xf32, strided
// CHECK: memref.dealloc %{{.*}} : memref<5x2x4xf32>
// CHECK: return
func.func @gates(%x: memref<2x5x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>, %b: memref<16xf32>,
                 %h: memref<2x5x4xf32>) {
  %cs = memref.alloc() {alignment = 64 : i64} : memref<2x5x4xf32>
  rnn.block_lstm icfo x(%x : memref<2x5x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(cs = %cs, h = %h : memref<2x5x4xf32>)
      {batch_major, lowering = #rnn.lowering<fused>}
  memref.dealloc %cs : memref<2x5x4xf32>
  return
}

// -----

// Another op reads `cs`, which stays batch-major.
// CHECK-LABEL: func @used
// CHECK: %[[CS:.*]] = memref.alloc() : memref<2x5x4xf32>
// CHECK: memref.transpose %[[CS]] {{.*}} : memref<2x5x4xf32> to memref<5x2x4xf32, strided<[4, 20, 1]>>
// CHECK: return %[[CS]] : memref<2x5x4xf32>
func.func @used(%x: memref<2x5x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>, %b: memref<16xf32>)
    -> memref<2x5x4xf32> {
  %cs = memref.alloc() : memref<2x5x4xf32>
  rnn.block_lstm icfo x(%x : memref<2x5x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(cs = %cs : memref<2x5x4xf32>)
      {batch_major, lowering = #rnn.lowering<fused>}
  return %cs : memref<2x5x4xf32>
}

// -----

// A plan requires batch-major memory.
// CHECK-LABEL: func @plan
// CHECK: memref.alloc() : memref<2x5x4xf32>
// CHECK-NOT: memref<5x2x4xf32>
func.func @plan(%x: memref<2x5x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>, %b: memref<16xf32>) {
  %cs = memref.alloc() : memref<2x5x4xf32>
  rnn.block_lstm icfo x(%x : memref<2x5x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(cs = %cs : memref<2x5x4xf32>)
      {batch_major, lowering = #rnn.lowering<runtime>}
  return
}

// -----

// The dynamic sizes are exchanged, too.
// CHECK-LABEL: func @dynamic
// CHECK-SAME: %[[B:[a-z0-9]+]]: index, %[[T:[a-z0-9]+]]: index)
// CHECK: memref.alloc(%[[T]], %[[B]]) : memref<?x?x4xf32>
func.func @dynamic(%x: memref<?x?x3xf32>, %s: memref<?x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>, %b: memref<16xf32>,
                   %B: index, %T: index) {
  %cs = memref.alloc(%B, %T) : memref<?x?x4xf32>
  rnn.block_lstm icfo x(%x : memref<?x?x3xf32>) state(%s, %s : memref<?x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(cs = %cs : memref<?x?x4xf32>)
      {batch_major, lowering = #rnn.lowering<fused>}
  memref.dealloc %cs : memref<?x?x4xf32>
  return
}

// -----

// Layers with the same private sequences share a function. Its arguments are views.
// CHECK-LABEL: func @shared
// CHECK: call @rnn_layer_block_lstm(
// CHECK: call @rnn_layer_block_lstm(
// CHECK: func private @rnn_layer_block_lstm({{.*}}: memref<2x5x4xf32, strided<[4, 8, 1]>>)
// CHECK: memref.transpose {{.*}} : memref<2x5x4xf32, strided<[4, 8, 1]>> to memref<5x2x4xf32
func.func @shared(%x: memref<2x5x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>, %b: memref<16xf32>) {
  %c0 = memref.alloc() : memref<2x5x4xf32>
  %c1 = memref.alloc() : memref<2x5x4xf32>
  rnn.block_lstm icfo x(%x : memref<2x5x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(cs = %c0 : memref<2x5x4xf32>)
      {batch_major, lowering = #rnn.lowering<fused>}
  rnn.block_lstm icfo x(%x : memref<2x5x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(cs = %c1 : memref<2x5x4xf32>)
      {batch_major, lowering = #rnn.lowering<fused>}
  memref.dealloc %c0 : memref<2x5x4xf32>
  memref.dealloc %c1 : memref<2x5x4xf32>
  return
}
