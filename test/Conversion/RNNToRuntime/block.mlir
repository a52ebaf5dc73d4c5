// RUN: rnn-opt %s -convert-rnn-to-runtime -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: func @forward
// CHECK: %[[PLAN:.*]] = rnnrt.block_lstm_plan %{{.*}} f16 steps %c5 batch %c2 input %c3 hidden %c4
// CHECK-SAME: cell_clip = 3.000000e+00
// CHECK-SAME: layout = #rnn.layout<icfo>
// CHECK-SAME: use_peephole = true
// CHECK: rnnrt.block_lstm_forward %{{.*}}, %[[PLAN]] steps %c5 {{.*}} cs %{{.*}} h %{{.*}} :
func.func @forward(%x: memref<5x2x3xf16>, %s: memref<2x4xf16>, %w: memref<7x16xf16>, %p: memref<4xf16>,
                   %b: memref<16xf16>, %cs: memref<5x2x4xf16>, %h: memref<5x2x4xf16>) {
  rnn.block_lstm icfo x(%x : memref<5x2x3xf16>) state(%s, %s : memref<2x4xf16>) weights(%w : memref<7x16xf16>)
      peephole(%p, %p, %p : memref<4xf16>) bias(%b : memref<16xf16>) outs(cs = %cs, h = %h : memref<5x2x4xf16>)
      {cell_clip = 3.0, use_peephole, lowering = #rnn.lowering<runtime>}
  return
}

// -----

// A length is passed to the plan. Strided operands and results are copied.
// CHECK-LABEL: func @layouts
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<5x2x3xf32, strided<[12, 6, 2], offset: ?>>
// CHECK-SAME: %[[DX:[a-z0-9]+]]: memref<5x2x3xf32, strided<[?, ?, ?]>>, %[[N:[a-z0-9]+]]: i64
// CHECK: %[[XC:.*]] = memref.alloc() : memref<5x2x3xf32>
// CHECK: memref.copy %[[X]], %[[XC]]
// CHECK: %[[DXC:.*]] = memref.alloc() : memref<5x2x3xf32>
// CHECK: rnnrt.block_lstm_backward %{{.*}}, %{{.*}} steps %{{.*}} x %[[XC]] {{.*}} dx %[[DXC]] :
// CHECK-DAG: memref.copy %[[DXC]], %[[DX]]
// CHECK-DAG: memref.dealloc %[[XC]]
// CHECK-DAG: memref.dealloc %[[DXC]]
func.func @layouts(%x: memref<5x2x3xf32, strided<[12, 6, 2], offset: ?>>, %s: memref<2x4xf32>, %w: memref<7x16xf32>,
                   %p: memref<4xf32>, %b: memref<16xf32>, %g: memref<5x2x4xf32>,
                   %dx: memref<5x2x3xf32, strided<[?, ?, ?]>>, %n: i64) {
  rnn.block_lstm_grad ifco x(%x : memref<5x2x3xf32, strided<[12, 6, 2], offset: ?>>) state(%s, %s : memref<2x4xf32>)
      weights(%w : memref<7x16xf32>) peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) seq_len_max(%n)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<5x2x4xf32>) grads(%g, %g : memref<5x2x4xf32>)
      outs(x_grad = %dx : memref<5x2x3xf32, strided<[?, ?, ?]>>) {lowering = #rnn.lowering<runtime>}
  return
}

// -----

// CHECK-LABEL: func @dynamic
// CHECK-DAG: "'rnn.block_lstm' op expects dim 0 of `w` to be I + H [B5]
// CHECK-DAG: "'rnn.block_lstm' op expects dim 1 of `w` to be 4*H [B5]
// CHECK-DAG: "'rnn.block_lstm' op expects dim 0 of `b` to be 4*H [B6]
// CHECK-DAG: "'rnn.block_lstm' op expects dim 1 of `h_prev` to be H [B4]
func.func @dynamic(%x: memref<?x?x?xf32>, %c: memref<?x?xf32>, %h: memref<?x?xf32>, %w: memref<?x?xf32>,
                   %p: memref<?xf32>, %b: memref<?xf32>, %y: memref<?x?x?xf32>) {
  rnn.block_lstm icfo x(%x : memref<?x?x?xf32>) state(%c, %h : memref<?x?xf32>) weights(%w : memref<?x?xf32>)
      peephole(%p, %p, %p : memref<?xf32>) bias(%b : memref<?xf32>) outs(h = %y : memref<?x?x?xf32>)
      {lowering = #rnn.lowering<runtime>}
  return
}
