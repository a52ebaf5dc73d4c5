// RUN: rnn-opt %s -convert-rnn-to-gpu -canonicalize -cse -split-input-file | FileCheck %s

// Chunks of 3 of 7 steps: 3 chunks and 2 layers of 2 stages are 6 waves. Scratch memory of each layer; each task has the input of
// its chunk. The GEMM of a chunk follows the steps of the chunk whose scratch memory it writes.
// CHECK-LABEL: func @forward
// CHECK: rnnrt.rnn_begin
// The gates of the 6 steps of two chunks, of 2 layers.
// CHECK: memref.alloc() : memref<384xf32>
// Per-step kernels have no signals.
// CHECK: rnnrt.wavefront_begin %{{.*}}, %c4, %c2, %c3, %c0
// CHECK: scf.for %[[WAVE:.*]] = %c0 to %c6
// CHECK:   scf.for
// CHECK:     %[[STAGE:.*]] = arith.subi
// CHECK:     %[[PART:.*]] = arith.remui %[[STAGE]], %c2
// CHECK:     %[[REUSES:.*]] = arith.subi %c1, %[[PART]]
// CHECK:     rnnrt.wavefront_task %{{.*}}, %[[STAGE]], %[[REUSES]]
// CHECK:     memref.subview
// CHECK:     scf.if
// CHECK:       gpu.launch {{.*}} function(@cudnn_lstm_input)
// CHECK:     scf.if
// The steps of a task are a chain.
// CHECK:     rnnrt.begin_chain
// CHECK-NEXT: scf.for
// CHECK:       gpu.launch {{.*}} function(@cudnn_lstm_step
// CHECK-NOT: gpu.launch
// CHECK:     rnnrt.end_chain
// CHECK-NOT: gpu.launch
// CHECK: rnnrt.wavefront_end
module attributes {rnn.target = #rnn.target<cuda, wavefront_chunk = 3>} {
func.func @forward(%y: memref<7x2x4xf32>, %x: memref<7x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>) {
  rnn.cudnn_forward lstm input(%x : memref<7x2x3xf32>) state(%h, %h : memref<2x2x4xf32>, memref<2x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<7x2x4xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}
}

// -----

// The gradients of weights follow the wavefront; that of the initial state belongs to the last chunk.
// CHECK-LABEL: func @backward
// CHECK: rnnrt.wavefront_begin
// CHECK:     rnnrt.wavefront_task %{{.*}}, %{{.*}}, %c0
// CHECK:     function(@cudnn_gru_grad_step
// CHECK:     scf.if
// CHECK:       function(@cudnn_gru_grad_state
// CHECK:     function(@cudnn_gru_grad_input)
// CHECK: rnnrt.wavefront_end
// CHECK: scf.for
// CHECK:   function(@cudnn_gru_grad_w_input)
// CHECK:   function(@cudnn_gru_grad_w_state)
// CHECK:   function(@cudnn_gru_grad_bias)
module attributes {rnn.target = #rnn.target<cuda, wavefront_chunk = 3>} {
func.func @backward(%x: memref<7x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>, %y: memref<7x2x4xf32>, %r: memref<?xi8>,
                    %dx: memref<7x2x3xf32>, %dh: memref<2x2x4xf32>, %dp: memref<?xf32>) {
  rnn.cudnn_backprop gru input(%x : memref<7x2x3xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<7x2x4xf32>, memref<2x2x4xf32>) grads(%y, %h : memref<7x2x4xf32>, memref<2x2x4xf32>) reserve(%r : memref<?xi8>)
      outs(input_backprop = %dx, input_h_backprop = %dh, params_backprop = %dp : memref<7x2x3xf32>, memref<2x2x4xf32>, memref<?xf32>)
      {lowering = #rnn.lowering<fused>}
  return
}
}

// -----

// The weights of a persistent kernel are ordered before its first launch. A launch ends at once if its cluster has completed the
// task. At the end of a task, one thread reads the flag of the next one: the kernel goes on with that, or the next launch continues.
// After a barrier of the cluster the thread publishes the task. The last task is published after the kernel's last barrier.
// CHECK-LABEL: func @persistent
// One cluster per example at most.
// CHECK: rnnrt.wavefront_begin %{{.*}}, %c6, %c3, %c4, %c2
// CHECK: %[[SIGNALS:.*]] = rnnrt.wavefront_task
// CHECK: rnnrt.try_clusters
// CHECK: scf.if
// CHECK:   function(@persistent_weights)
// CHECK: gpu.launch clusters{{.*}} function(@cudnn_lstm_persistent)
// CHECK:   %[[HAS_SIGNALS:.*]] = arith.cmpi sgt, %[[SIGNALS]], %c0
// CHECK:   %[[COMPLETED:.*]] = scf.if %[[HAS_SIGNALS]] -> (i32) {
// CHECK:   %[[REMAINS:.*]] = arith.cmpi ule, %[[COMPLETED]],
// CHECK:   scf.if %[[REMAINS]] {
// CHECK:     scf.while
// CHECK:       scf.for
// CHECK:         nvvm.mma.sync
// CHECK-NOT: rnngpu.read_signal
// CHECK:       %[[FLAG:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK:           rnngpu.read_signal
// CHECK:         nvvm.cluster.arrive
// CHECK-NEXT:    nvvm.cluster.wait
// CHECK:         scf.if
// CHECK:           rnngpu.add_signal
// CHECK:       %[[GOES_ON:.*]] = arith.cmpi ne, %[[FLAG]], %c0_i32
// CHECK:       scf.condition(%[[GOES_ON]])
// CHECK:     nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK:     rnngpu.add_signal
// CHECK:   gpu.terminator
// CHECK: rnnrt.clusters_ran
// CHECK: function(@cudnn_lstm_step
// CHECK: rnnrt.wavefront_end
module attributes {rnn.target = #rnn.target<cuda, chip = "sm_90a", wavefront_chunk = 32>} {
func.func @persistent(%y: memref<128x2x64xf16>, %x: memref<128x2x64xf16>, %h: memref<3x2x64xf16>, %p: memref<?xf16>) {
  rnn.cudnn_forward lstm input(%x : memref<128x2x64xf16>) state(%h, %h : memref<3x2x64xf16>, memref<3x2x64xf16>) params(%p : memref<?xf16>)
      outs(output = %y : memref<128x2x64xf16>) {is_training = false, lowering = #rnn.lowering<fused, kernel = persistent>}
  return
}
}

// -----

// Without the option: not for one layer, both directions, few steps, or a batch whose clusters occupy the device.
// CHECK-LABEL: func @one_layer
// CHECK-NOT: rnnrt.wavefront
// CHECK-LABEL: func @bidirectional
// CHECK-NOT: rnnrt.wavefront
// CHECK-LABEL: func @short
// CHECK-NOT: rnnrt.wavefront
// CHECK-LABEL: func @full
// CHECK-NOT: rnnrt.wavefront
module attributes {rnn.target = #rnn.target<cuda, chip = "sm_90a">} {
func.func @one_layer(%y: memref<128x2x4xf32>, %x: memref<128x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<128x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<128x2x4xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}
func.func @bidirectional(%y: memref<128x2x8xf32>, %x: memref<128x2x3xf32>, %h: memref<4x2x4xf32>, %p: memref<?xf32>) {
  rnn.cudnn_forward rnn_tanh, bidirectional input(%x : memref<128x2x3xf32>) state(%h : memref<4x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<128x2x8xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}
func.func @short(%y: memref<63x2x4xf32>, %x: memref<63x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<63x2x3xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<63x2x4xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}
func.func @full(%y: memref<128x64x512xf16>, %x: memref<128x64x512xf16>, %h: memref<2x64x512xf16>, %p: memref<?xf16>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<128x64x512xf16>) state(%h : memref<2x64x512xf16>) params(%p : memref<?xf16>)
      outs(output = %y : memref<128x64x512xf16>) {is_training = false, lowering = #rnn.lowering<fused, kernel = persistent, cluster = 16>}
  return
}
}

// -----

// The rule: 4 chunks for each of at most 4 layers, of at least 32 and at most 64 steps. Dynamic numbers of steps are compared at run time: without enough
// of them there is one chunk.
// CHECK-LABEL: func @rule
// CHECK: rnnrt.wavefront_begin
// CHECK: scf.for %{{.*}} = %c0 to %c11
// CHECK-LABEL: func @dynamic
// CHECK: %[[T:.*]] = memref.dim
// CHECK: arith.cmpi sgt, %{{.*}}, %c63
// CHECK: rnnrt.wavefront_begin
module attributes {rnn.target = #rnn.target<cuda>} {
func.func @rule(%y: memref<512x2x4xf32>, %x: memref<512x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<512x2x3xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<512x2x4xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}
func.func @dynamic(%y: memref<?x2x4xf32>, %x: memref<?x2x3xf32>, %h: memref<?x2x4xf32>, %p: memref<?xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<?x2x3xf32>) state(%h : memref<?x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<?x2x4xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}
}

// -----

// Persistent kernels: 8 chunks for each of at most 4 layers, of at least 16 and at most 32 steps; 512 steps are 32 chunks of 16.
// CHECK-LABEL: func @persistent_rule
// CHECK: rnnrt.wavefront_begin %{{.*}}, %c8, %c4, %c32, %c2
// CHECK: scf.for %{{.*}} = %c0 to %c39
module attributes {rnn.target = #rnn.target<cuda, chip = "sm_90a">} {
func.func @persistent_rule(%y: memref<512x2x64xf16>, %x: memref<512x2x64xf16>, %h: memref<4x2x64xf16>, %p: memref<?xf16>) {
  rnn.cudnn_forward gru input(%x : memref<512x2x64xf16>) state(%h : memref<4x2x64xf16>) params(%p : memref<?xf16>)
      outs(output = %y : memref<512x2x64xf16>) {is_training = false, lowering = #rnn.lowering<fused, kernel = persistent>}
  return
}
}

// -----

// CHECK-LABEL: func @off
// CHECK-NOT: rnnrt.wavefront
module attributes {rnn.target = #rnn.target<cuda, wavefront_chunk = 0>} {
func.func @off(%y: memref<512x2x4xf32>, %x: memref<512x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<512x2x3xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<512x2x4xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}
}
