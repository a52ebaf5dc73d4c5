// RUN: rnn-opt %s -convert-rnn-to-gpu -canonicalize -split-input-file | FileCheck %s

// One GEMM with the input, then one launch per step; a thread computes all gates of an element.
// CHECK-LABEL: func @forward
// CHECK: gpu.launch {{.*}} function(@block_lstm_input)
// CHECK: gpu.terminator
// CHECK: rnnrt.begin_chain
// CHECK: scf.for
// CHECK-NOT: rnnrt.end_chain
// CHECK: gpu.launch {{.*}} function(@block_lstm_step)
// CHECK: gpu.barrier
// Three sigmoids and two tanh; h and the cell are stored.
// CHECK: rnngpu.exp2_approx
// CHECK: rnngpu.tanh_approx
// CHECK: rnngpu.exp2_approx
// CHECK: rnngpu.tanh_approx
// CHECK: rnngpu.exp2_approx
// CHECK: memref.store %{{.*}} : memref<2x4xf32>
// CHECK: memref.store %{{.*}} : memref<5x2x4xf16>
// CHECK: gpu.terminator
// CHECK-NOT: gpu.launch
func.func @forward(%x: memref<5x2x3xf16>, %s: memref<2x4xf16>, %w: memref<7x16xf16>, %p: memref<4xf16>,
                   %b: memref<16xf16>, %h: memref<5x2x4xf16>) {
  rnn.block_lstm icfo x(%x : memref<5x2x3xf16>) state(%s, %s : memref<2x4xf16>) weights(%w : memref<7x16xf16>)
      peephole(%p, %p, %p : memref<4xf16>) bias(%b : memref<16xf16>) outs(h = %h : memref<5x2x4xf16>)
      {lowering = #rnn.lowering<fused>}
  return
}

// -----

// An empty batch with a length has no rows to zero.
// CHECK-LABEL: func @empty_batch
// CHECK-NOT: memref.subview
func.func @empty_batch(%x: memref<5x0x3xf16>, %s: memref<0x4xf16>, %w: memref<7x16xf16>, %p: memref<4xf16>,
                       %b: memref<16xf16>, %n: i64, %h: memref<5x0x4xf16>) {
  rnn.block_lstm icfo x(%x : memref<5x0x3xf16>) state(%s, %s : memref<0x4xf16>) weights(%w : memref<7x16xf16>)
      peephole(%p, %p, %p : memref<4xf16>) bias(%b : memref<16xf16>) seq_len_max(%n) outs(h = %h : memref<5x0x4xf16>)
      {lowering = #rnn.lowering<fused>}
  return
}

// -----

// If the state is not a result, it alternates between two buffers. Steps after `seq_len_max` are zero.
// CHECK-LABEL: func @no_state
// CHECK-SAME: %[[CELLS:[a-z0-9]+]]: memref<5x2x4xf32>, %[[N:[a-z0-9]+]]: i64
// CHECK: rnnrt.expect_range
// CHECK-DAG: memref.alloc() : memref<2x2x4xf32>
// CHECK: scf.for
// CHECK: function(@block_lstm_step)
// CHECK: memref.store %{{.*}}, %[[CELLS]]
// CHECK: scf.if
// CHECK: %[[REST:.*]] = memref.subview %[[CELLS]]
// CHECK: linalg.fill {{.*}} outs(%[[REST]]
func.func @no_state(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>,
                    %b: memref<16xf32>, %cs: memref<5x2x4xf32>, %n: i64) {
  rnn.block_lstm ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) seq_len_max(%n) outs(cs = %cs : memref<5x2x4xf32>)
      {lowering = #rnn.lowering<fused>}
  return
}

// -----

// The loop runs backwards. Each result has its kernel, in the order of the dependences.
// CHECK-LABEL: func @backward
// CHECK: scf.for
// CHECK: function(@block_lstm_grad_step)
// CHECK: function(@block_lstm_grad_state)
// CHECK: function(@block_lstm_grad_input)
// CHECK: function(@block_lstm_grad_w_input)
// CHECK: function(@block_lstm_grad_w_state)
// CHECK: function(@block_lstm_grad_bias)
// CHECK: function(@block_lstm_grad_peephole)
// CHECK-NOT: gpu.launch
func.func @backward(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>,
                    %b: memref<16xf32>, %g: memref<5x2x4xf32>, %dx: memref<5x2x3xf32>, %ds: memref<2x4xf32>,
                    %dw: memref<7x16xf32>, %dp: memref<4xf32>, %db: memref<16xf32>) {
  rnn.block_lstm_grad icfo x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<5x2x4xf32>) grads(%g, %g : memref<5x2x4xf32>)
      outs(x_grad = %dx, h_prev_grad = %ds, w_grad = %dw, wci_grad = %dp, b_grad = %db
           : memref<5x2x3xf32>, memref<2x4xf32>, memref<7x16xf32>, memref<4xf32>, memref<16xf32>)
      {use_peephole, lowering = #rnn.lowering<fused>}
  return
}

// -----

// A result that is not requested has no kernel, and operands that only it needs are not read.
// CHECK-LABEL: func @only_bias
// CHECK: function(@block_lstm_grad_step)
// CHECK: function(@block_lstm_grad_bias)
// CHECK-NOT: gpu.launch
// CHECK-LABEL: func @nothing
// CHECK-NOT: {{gpu.launch|rnn.block_lstm}}
// CHECK: return
func.func @only_bias(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>,
                     %b: memref<16xf32>, %g: memref<5x2x4xf32>, %db: memref<16xf32>) {
  rnn.block_lstm_grad icfo x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<5x2x4xf32>) grads(%g, %g : memref<5x2x4xf32>)
      outs(b_grad = %db : memref<16xf32>) {use_peephole, lowering = #rnn.lowering<fused>}
  return
}
func.func @nothing(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>,
                   %b: memref<16xf32>) {
  rnn.block_lstm icfo x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// Dynamic sizes are checked, then determine the grid.
// CHECK-LABEL: func @dynamic
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x?x?xf32>
// CHECK-DAG: %[[T:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG: "'rnn.block_lstm' op expects dim 1 of `w` to be 4*H [B5]
// CHECK: gpu.launch {{.*}} function(@block_lstm_input)
// CHECK: gpu.terminator
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[T]]
// CHECK: gpu.launch {{.*}} function(@block_lstm_step)
func.func @dynamic(%x: memref<?x?x?xf32>, %c: memref<?x?xf32>, %h: memref<?x?xf32>, %w: memref<?x?xf32>,
                   %p: memref<?xf32>, %b: memref<?xf32>, %y: memref<?x?x?xf32>) {
  rnn.block_lstm icfo x(%x : memref<?x?x?xf32>) state(%c, %h : memref<?x?xf32>) weights(%w : memref<?x?xf32>)
      peephole(%p, %p, %p : memref<?xf32>) bias(%b : memref<?xf32>) outs(h = %y : memref<?x?x?xf32>)
      {lowering = #rnn.lowering<fused>}
  return
}

// -----

// An op with another lowering is not converted.
// CHECK-LABEL: func @plan
// CHECK-NOT: gpu.launch
// CHECK: rnn.block_lstm icfo
func.func @plan(%x: memref<5x2x3xf16>, %s: memref<2x4xf16>, %w: memref<7x16xf16>, %p: memref<4xf16>,
                %b: memref<16xf16>, %h: memref<5x2x4xf16>) {
  rnn.block_lstm icfo x(%x : memref<5x2x3xf16>) state(%s, %s : memref<2x4xf16>) weights(%w : memref<7x16xf16>)
      peephole(%p, %p, %p : memref<4xf16>) bias(%b : memref<16xf16>) outs(h = %h : memref<5x2x4xf16>)
      {lowering = #rnn.lowering<runtime>}
  return
}
