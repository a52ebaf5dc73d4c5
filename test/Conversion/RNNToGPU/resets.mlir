// Resets in kernels: the marks are part of the epilogues, and the GEMMs of the steps are those of ops without them.
// RUN: rnn-opt %s -rnn-attach-target=target=simt -convert-rnn-to-gpu -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[M:[a-z0-9]+]]: memref<5x2xi1>
// CHECK: rnnrt.set_resets {{.*}}, %[[M]] to <initial>
// CHECK: rnnrt.rnn_begin {{.*}} pass 0
// The sums of the first step, for resets to the initial state.
// CHECK: %[[SUMS:.*]] = memref.alloc() : memref<32xf32>
// CHECK: gpu.launch {{.*}} function(@cudnn_lstm_step
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: %[[MARK:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i8
// CHECK: arith.cmpi ne, %[[MARK]]
// CHECK: memref.store %{{.*}}, %[[SUMS]]
// CHECK: memref.load %[[SUMS]]
// CHECK: gpu.terminator
// CHECK-NOT: gpu.launch
func.func @forward(%y: memref<5x2x4xf32>, %x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %c: memref<1x2x4xf32>, %p: memref<?xf32>,
    %m: memref<5x2xi1>) {
  rnn.cudnn_forward lstm input(%x : memref<5x2x3xf32>) state(%h, %c : memref<1x2x4xf32>, memref<1x2x4xf32>) params(%p : memref<?xf32>)
      resets(%m : memref<5x2xi1>) outs(output = %y : memref<5x2x4xf32>)
      {is_training = false, reset_to = #rnn.reset_to<initial>, lowering = #rnn.lowering<fused>}
  return
}

// -----

// The GEMM of the recurrent weights reads the states after resets from a buffer.
// CHECK-LABEL: func.func @gradient
// CHECK: gpu.launch {{.*}} function(@block_lstm_grad_step)
// CHECK: gpu.launch {{.*}} function(@block_lstm_grad_state)
// CHECK: gpu.launch {{.*}} function(@block_lstm_grad_w_input)
// CHECK: gpu.launch {{.*}} function(@block_lstm_grad_states)
// CHECK: gpu.launch {{.*}} function(@block_lstm_grad_w_state)
// CHECK-NOT: arith.cmpi ne
func.func @gradient(%x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>, %b: memref<16xf32>,
    %v: memref<5x2x4xf32>, %m: memref<5x2xi1>, %dh: memref<2x4xf32>, %dw: memref<7x16xf32>) {
  rnn.block_lstm_grad ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) saved(%v, %v, %v, %v, %v, %v, %v : memref<5x2x4xf32>)
      grads(%v, %v : memref<5x2x4xf32>) resets(%m : memref<5x2xi1>)
      outs(h_prev_grad = %dh, w_grad = %dw : memref<2x4xf32>, memref<7x16xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// CHECK-LABEL: func.func @none
// CHECK-NOT: -> i8
// CHECK: return
func.func @none(%y: memref<5x2x4xf32>, %x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %c: memref<1x2x4xf32>, %p: memref<?xf32>) {
  rnn.cudnn_forward lstm input(%x : memref<5x2x3xf32>) state(%h, %c : memref<1x2x4xf32>, memref<1x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x2x4xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}
