// RUN: rnn-opt %s -convert-rnn-to-gpu -canonicalize -split-input-file | FileCheck %s

// Inference: the plan is for checks only. One launch for the input of both directions, and one per step.
// CHECK-LABEL: func @forward
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<5x2x8xf32>
// CHECK: rnnrt.rnn_fused_plan {{.*}} {direction = {{.*}}bidirectional{{.*}}, training = false}
// CHECK: rnnrt.rnn_begin {{.*}} pass 0
// The output is itself the operand of the GEMMs, not a copy.
// CHECK: %[[OUT:.*]] = memref.collapse_shape %[[Y]]
// CHECK: gpu.launch {{.*}} function(@cudnn_rnn_tanh_input)
// CHECK: gpu.terminator
// CHECK: scf.for
// CHECK: gpu.launch {{.*}} function(@cudnn_rnn_tanh_step
// CHECK: rnngpu.exp2_approx
// CHECK: memref.store %{{.*}}, %[[OUT]]
// CHECK: gpu.terminator
// CHECK-NOT: gpu.launch
func.func @forward(%y: memref<5x2x8xf32>, %x: memref<5x2x3xf32>, %h: memref<2x2x4xf32>, %p: memref<?xf32>) {
  rnn.cudnn_forward rnn_tanh, bidirectional input(%x : memref<5x2x3xf32>) state(%h : memref<2x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x2x8xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// Training, with layers in a loop: the first layer has skip_input, the others dropout on their input.
// CHECK-LABEL: func @training
// CHECK: rnnrt.rnn_begin {{.*}} pass 1
// CHECK: memref.view
// CHECK: scf.for
// CHECK: scf.if
// CHECK: gpu.launch {{.*}} function(@cudnn_gru_dropout)
// CHECK: arith.mului_extended
// CHECK: scf.if
// CHECK: gpu.launch {{.*}} function(@cudnn_gru_skip_input)
// CHECK: scf.if
// CHECK: gpu.launch {{.*}} function(@cudnn_gru_input)
// CHECK: scf.for
// CHECK: gpu.launch {{.*}} function(@cudnn_gru_step
func.func @training(%x: memref<5x2x4xf16>, %h: memref<?x2x4xf16>, %p: memref<?xf16>, %y: memref<5x2x4xf16>, %r: memref<?xi8>) {
  rnn.cudnn_forward gru, skip_input input(%x : memref<5x2x4xf16>) state(%h : memref<?x2x4xf16>) params(%p : memref<?xf16>)
      outs(output = %y, reserve_space = %r : memref<5x2x4xf16>, memref<?xi8>) {dropout = 0.5, lowering = #rnn.lowering<fused>}
  return
}

// -----

// Each result has its kernels; the projection is one more GEMM per step.
// CHECK-LABEL: func @backward
// CHECK: rnnrt.rnn_begin {{.*}} pass 2 lengths
// CHECK: function(@cudnn_lstm_grad_mask)
// CHECK: scf.for
// CHECK: function(@cudnn_lstm_grad_step
// CHECK: function(@cudnn_lstm_grad_step_projection
// CHECK: function(@cudnn_lstm_grad_state
// CHECK: function(@cudnn_lstm_grad_w_input)
// CHECK: function(@cudnn_lstm_grad_w_state)
// CHECK: function(@cudnn_lstm_grad_w_projection)
// CHECK: function(@cudnn_lstm_grad_bias)
// CHECK: function(@cudnn_lstm_grad_input)
// CHECK-NOT: gpu.launch
func.func @backward(%x: memref<5x2x3xf32>, %h: memref<1x2x3xf32>, %c: memref<1x2x4xf32>, %p: memref<?xf32>, %n: memref<2xi32>,
                    %y: memref<5x2x3xf32>, %r: memref<?xi8>, %dx: memref<5x2x3xf32>, %dh: memref<1x2x3xf32>, %dp: memref<?xf32>) {
  rnn.cudnn_backprop lstm input(%x : memref<5x2x3xf32>) state(%h, %c : memref<1x2x3xf32>, memref<1x2x4xf32>) params(%p : memref<?xf32>)
      lengths(%n : memref<2xi32>) output(%y, %h, %c : memref<5x2x3xf32>, memref<1x2x3xf32>, memref<1x2x4xf32>)
      grads(%y, %h, %c : memref<5x2x3xf32>, memref<1x2x3xf32>, memref<1x2x4xf32>) reserve(%r : memref<?xi8>)
      outs(input_backprop = %dx, input_h_backprop = %dh, params_backprop = %dp : memref<5x2x3xf32>, memref<1x2x3xf32>, memref<?xf32>)
      {num_proj = 3 : i64, lowering = #rnn.lowering<fused>}
  return
}

// -----

// Results that are not requested have no kernels.
// CHECK-LABEL: func @only_state
// CHECK: function(@cudnn_rnn_relu_grad_step
// CHECK: function(@cudnn_rnn_relu_grad_state
// CHECK-NOT: gpu.launch
// CHECK-LABEL: func @nothing
// CHECK-NEXT: return
func.func @only_state(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>, %r: memref<?xi8>,
                      %dh: memref<1x2x4xf32>) {
  rnn.cudnn_backprop rnn_relu input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<5x2x4xf32>, memref<1x2x4xf32>) grads(%y, %h : memref<5x2x4xf32>, memref<1x2x4xf32>)
      reserve(%r : memref<?xi8>) outs(input_h_backprop = %dh : memref<1x2x4xf32>) {lowering = #rnn.lowering<fused>}
  return
}
func.func @nothing(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>, %r: memref<?xi8>) {
  rnn.cudnn_backprop rnn_relu input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      output(%y, %h : memref<5x2x4xf32>, memref<1x2x4xf32>) grads(%y, %h : memref<5x2x4xf32>, memref<1x2x4xf32>)
      reserve(%r : memref<?xi8>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// Whether there is a projection depends on a dynamic size.
// CHECK-LABEL: func @maybe_projected
// CHECK: scf.if
// CHECK: function(@cudnn_lstm_step
// CHECK-NOT: step_projection
// CHECK: scf.if
// CHECK: function(@cudnn_lstm_step
// CHECK: function(@cudnn_lstm_step_projection
func.func @maybe_projected(%x: memref<5x2x3xf32>, %h: memref<1x2x3xf32>, %c: memref<1x2x?xf32>, %p: memref<?xf32>, %y: memref<5x2x3xf32>) {
  rnn.cudnn_forward lstm input(%x : memref<5x2x3xf32>) state(%h, %c : memref<1x2x3xf32>, memref<1x2x?xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x2x3xf32>) {is_training = false, num_proj = 3 : i64, lowering = #rnn.lowering<fused>}
  return
}
