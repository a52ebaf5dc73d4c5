// Weights with a handle (rnn_runtime/weights.h) are packed in the first call only, and the results have the same bits. Later layers
// have more than 8 rows: without a handle, fewer rows are multiplied by the weights in place, by sums of another order.
// REQUIRES: rnn-compile
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: rnn-compile %s --cpu=native --lowering=fused -o libnet.so --emit-header=net.h
// RUN: %cc -I. %S/Inputs/weights.c -L. -lnet -Wl,-rpath,. %link_runtime -ldl -o program
// RUN: env RNNRT_THREADS=1 ./program | FileCheck %s
// RUN: env RNNRT_THREADS=2 ./program | FileCheck %s
// RUN: rnn-compile %s --cpu=native --lowering=fused -o net.ll && FileCheck %s --check-prefix=MODULE < net.ll
// RUN: env RNNRT_CHECK=1 ./program check | FileCheck %s --check-prefix=CHANGED

// CHECK: block ok
// CHECK-NEXT: lstm ok
// CHECK-NEXT: gru ok
// CHECK-NEXT: skip ok
// CHECK-NEXT: projected ok
// CHECK-NEXT: half ok
// CHECK-NEXT: block_grad ok
// CHECK-NEXT: lstm_grad ok
// CHECK-NEXT: projected_grad ok
// CHECK-NEXT: half_grad ok
// CHECK-NEXT: constant ok
// CHECK-NEXT: constant_grad ok
// CHECK-NEXT: no bytes left
// MODULE: @rnn_host_packed_weights = internal global [{{[0-9]+}} x i8] zeroinitializer, align 64
// CHANGED: FAILED_PRECONDITION: the {{[0-9]+}} bytes of weights at {{.*}} have changed since rnnrt_weights_create; create a handle for the new weights
// CHANGED-NEXT: no bytes left

func.func @block(%x: tensor<5x3x17xf32>, %h: tensor<3x40xf32>, %w: tensor<57x160xf32>) -> tensor<5x3x40xf32> {
  %p = arith.constant dense<0.0> : tensor<40xf32>
  %b = arith.constant dense<0.0> : tensor<160xf32>
  %r:7 = rnn.block_lstm ifco x(%x : tensor<5x3x17xf32>) state(%h, %h : tensor<3x40xf32>) weights(%w : tensor<57x160xf32>)
      peephole(%p, %p, %p : tensor<40xf32>) bias(%b : tensor<160xf32>)
  return %r#6 : tensor<5x3x40xf32>
}

// Two layers and both directions: four packed copies. Large enough for two threads.
func.func @lstm(%x: tensor<4x16x40xf32>, %h: tensor<4x16x96xf32>, %w: tensor<?xf32>) -> tensor<4x16x192xf32> {
  %y, %hn, %cn, %reserve = rnn.cudnn_forward lstm, bidirectional input(%x : tensor<4x16x40xf32>)
      state(%h, %h : tensor<4x16x96xf32>, tensor<4x16x96xf32>) params(%w : tensor<?xf32>) {is_training = false}
  return %y : tensor<4x16x192xf32>
}

func.func @gru(%x: tensor<4x1x40xf32>, %h: tensor<1x1x33xf32>, %w: tensor<?xf32>) -> tensor<4x1x33xf32> {
  %y, %hn, %reserve = rnn.cudnn_forward gru input(%x : tensor<4x1x40xf32>) state(%h : tensor<1x1x33xf32>)
      params(%w : tensor<?xf32>) {is_training = false}
  return %y : tensor<4x1x33xf32>
}

// The first layer has no input weights, the second one does.
func.func @skip(%x: tensor<6x2x20xf32>, %h: tensor<2x2x20xf32>, %w: tensor<?xf32>) -> tensor<6x2x20xf32> {
  %y, %hn, %reserve = rnn.cudnn_forward rnn_tanh, skip_input input(%x : tensor<6x2x20xf32>) state(%h : tensor<2x2x20xf32>)
      params(%w : tensor<?xf32>) {is_training = false}
  return %y : tensor<6x2x20xf32>
}

func.func @projected(%x: tensor<3x2x20xf32>, %h: tensor<1x2x9xf32>, %c: tensor<1x2x24xf32>, %w: tensor<?xf32>)
    -> tensor<3x2x9xf32> {
  %y, %hn, %cn, %reserve = rnn.cudnn_forward lstm input(%x : tensor<3x2x20xf32>)
      state(%h, %c : tensor<1x2x9xf32>, tensor<1x2x24xf32>) params(%w : tensor<?xf32>)
      {num_proj = 9 : i64, is_training = false}
  return %y : tensor<3x2x9xf32>
}

func.func @half(%x: tensor<3x2x20xbf16>, %h: tensor<1x2x48xbf16>, %w: tensor<?xbf16>) -> tensor<3x2x48xbf16> {
  %y, %hn, %reserve = rnn.cudnn_forward gru input(%x : tensor<3x2x20xbf16>) state(%h : tensor<1x2x48xbf16>)
      params(%w : tensor<?xbf16>) {is_training = false}
  return %y : tensor<3x2x48xbf16>
}

// Constants of the module are packed once without a handle.
func.func @constant(%x: tensor<9x1x3xf32>, %h: tensor<2x1x3xf32>) -> tensor<9x1x3xf32> {
  %w = arith.constant dense<[-0.500, -0.100, 0.300, -0.305, 0.095, 0.495, -0.110, 0.290, -0.315, 0.085, 0.485, -0.120, 0.280, -0.325, 0.075, 0.475, -0.130, 0.270, -0.335, 0.065, 0.465, -0.140, 0.260, -0.345, 0.055, 0.455, -0.150, 0.250, -0.355, 0.045, 0.445, -0.160, 0.240, -0.365, 0.035, 0.435, -0.170, 0.230, -0.375, 0.025, 0.425, -0.180, 0.220, -0.385, 0.015, 0.415, -0.190, 0.210]> : tensor<48xf32>
  %y, %hn, %reserve = rnn.cudnn_forward rnn_tanh input(%x : tensor<9x1x3xf32>) state(%h : tensor<2x1x3xf32>)
      params(%w : tensor<48xf32>) {is_training = false}
  return %y : tensor<9x1x3xf32>
}
func.func @argument(%x: tensor<9x1x3xf32>, %h: tensor<2x1x3xf32>, %w: tensor<48xf32>) -> tensor<9x1x3xf32> {
  %y, %hn, %reserve = rnn.cudnn_forward rnn_tanh input(%x : tensor<9x1x3xf32>) state(%h : tensor<2x1x3xf32>)
      params(%w : tensor<48xf32>) {is_training = false}
  return %y : tensor<9x1x3xf32>
}
func.func @weights() -> tensor<48xf32> {
  %w = arith.constant dense<[-0.500, -0.100, 0.300, -0.305, 0.095, 0.495, -0.110, 0.290, -0.315, 0.085, 0.485, -0.120, 0.280, -0.325, 0.075, 0.475, -0.130, 0.270, -0.335, 0.065, 0.465, -0.140, 0.260, -0.345, 0.055, 0.455, -0.150, 0.250, -0.355, 0.045, 0.445, -0.160, 0.240, -0.365, 0.035, 0.435, -0.170, 0.230, -0.375, 0.025, 0.425, -0.180, 0.220, -0.385, 0.015, 0.415, -0.190, 0.210]> : tensor<48xf32>
  return %w : tensor<48xf32>
}

// Gradients pack the transposed weights. Few rows (T*B) of a call that has no packed weights are multiplied by groups of
// columns in memory that is used again.
func.func @block_grad(%x: tensor<5x3x17xf32>, %h: tensor<3x40xf32>, %g: tensor<5x3x40xf32>, %w: tensor<57x160xf32>)
    -> tensor<5x3x17xf32> {
  %p = arith.constant dense<0.0> : tensor<40xf32>
  %b = arith.constant dense<0.0> : tensor<160xf32>
  %r:8 = rnn.block_lstm_grad ifco x(%x : tensor<5x3x17xf32>) state(%h, %h : tensor<3x40xf32>)
      weights(%w : tensor<57x160xf32>) peephole(%p, %p, %p : tensor<40xf32>) bias(%b : tensor<160xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x3x40xf32>) grads(%g, %g : tensor<5x3x40xf32>)
  return %r#0 : tensor<5x3x17xf32>
}
func.func @lstm_grad(%x: tensor<12x32x170xf32>, %h: tensor<2x32x48xf32>, %w: tensor<?xf32>) -> tensor<12x32x170xf32> {
  %y, %hn, %cn, %reserve = rnn.cudnn_forward lstm input(%x : tensor<12x32x170xf32>)
      state(%h, %h : tensor<2x32x48xf32>, tensor<2x32x48xf32>) params(%w : tensor<?xf32>)
  %dx, %dh, %dc, %dw = rnn.cudnn_backprop lstm input(%x : tensor<12x32x170xf32>)
      state(%h, %h : tensor<2x32x48xf32>, tensor<2x32x48xf32>) params(%w : tensor<?xf32>)
      output(%y, %hn, %cn : tensor<12x32x48xf32>, tensor<2x32x48xf32>, tensor<2x32x48xf32>)
      grads(%y, %h, %h : tensor<12x32x48xf32>, tensor<2x32x48xf32>, tensor<2x32x48xf32>) reserve(%reserve : tensor<?xi8>)
  return %dx : tensor<12x32x170xf32>
}
func.func @projected_grad(%x: tensor<3x2x200xf32>, %h: tensor<1x2x9xf32>, %c: tensor<1x2x24xf32>, %w: tensor<?xf32>)
    -> tensor<3x2x200xf32> {
  %y, %hn, %cn, %reserve = rnn.cudnn_forward lstm input(%x : tensor<3x2x200xf32>)
      state(%h, %c : tensor<1x2x9xf32>, tensor<1x2x24xf32>) params(%w : tensor<?xf32>) {num_proj = 9 : i64}
  %dx, %dh, %dc, %dw = rnn.cudnn_backprop lstm input(%x : tensor<3x2x200xf32>)
      state(%h, %c : tensor<1x2x9xf32>, tensor<1x2x24xf32>) params(%w : tensor<?xf32>)
      output(%y, %hn, %cn : tensor<3x2x9xf32>, tensor<1x2x9xf32>, tensor<1x2x24xf32>)
      grads(%y, %h, %c : tensor<3x2x9xf32>, tensor<1x2x9xf32>, tensor<1x2x24xf32>) reserve(%reserve : tensor<?xi8>)
      {num_proj = 9 : i64}
  return %dx : tensor<3x2x200xf32>
}
func.func @half_grad(%x: tensor<3x20x70xbf16>, %h: tensor<1x20x48xbf16>, %w: tensor<?xbf16>) -> tensor<3x20x70xbf16> {
  %y, %hn, %reserve = rnn.cudnn_forward gru input(%x : tensor<3x20x70xbf16>) state(%h : tensor<1x20x48xbf16>)
      params(%w : tensor<?xbf16>)
  %dx, %dh, %dw = rnn.cudnn_backprop gru input(%x : tensor<3x20x70xbf16>) state(%h : tensor<1x20x48xbf16>)
      params(%w : tensor<?xbf16>) output(%y, %hn : tensor<3x20x48xbf16>, tensor<1x20x48xbf16>)
      grads(%y, %h : tensor<3x20x48xbf16>, tensor<1x20x48xbf16>) reserve(%reserve : tensor<?xi8>)
  return %dx : tensor<3x20x70xbf16>
}
func.func @constant_grad(%x: tensor<9x1x3xf32>, %h: tensor<2x1x3xf32>) -> tensor<9x1x3xf32> {
  %w = arith.constant dense<[-0.500, -0.100, 0.300, -0.305, 0.095, 0.495, -0.110, 0.290, -0.315, 0.085, 0.485, -0.120, 0.280, -0.325, 0.075, 0.475, -0.130, 0.270, -0.335, 0.065, 0.465, -0.140, 0.260, -0.345, 0.055, 0.455, -0.150, 0.250, -0.355, 0.045, 0.445, -0.160, 0.240, -0.365, 0.035, 0.435, -0.170, 0.230, -0.375, 0.025, 0.425, -0.180, 0.220, -0.385, 0.015, 0.415, -0.190, 0.210]> : tensor<48xf32>
  %y, %hn, %reserve = rnn.cudnn_forward rnn_tanh input(%x : tensor<9x1x3xf32>) state(%h : tensor<2x1x3xf32>)
      params(%w : tensor<48xf32>)
  %dx, %dh, %dw = rnn.cudnn_backprop rnn_tanh input(%x : tensor<9x1x3xf32>) state(%h : tensor<2x1x3xf32>)
      params(%w : tensor<48xf32>) output(%y, %hn : tensor<9x1x3xf32>, tensor<2x1x3xf32>)
      grads(%y, %h : tensor<9x1x3xf32>, tensor<2x1x3xf32>) reserve(%reserve : tensor<?xi8>)
  return %dx : tensor<9x1x3xf32>
}
func.func @argument_grad(%x: tensor<9x1x3xf32>, %h: tensor<2x1x3xf32>, %w: tensor<48xf32>) -> tensor<9x1x3xf32> {
  %y, %hn, %reserve = rnn.cudnn_forward rnn_tanh input(%x : tensor<9x1x3xf32>) state(%h : tensor<2x1x3xf32>)
      params(%w : tensor<48xf32>)
  %dx, %dh, %dw = rnn.cudnn_backprop rnn_tanh input(%x : tensor<9x1x3xf32>) state(%h : tensor<2x1x3xf32>)
      params(%w : tensor<48xf32>) output(%y, %hn : tensor<9x1x3xf32>, tensor<2x1x3xf32>)
      grads(%y, %h : tensor<9x1x3xf32>, tensor<2x1x3xf32>) reserve(%reserve : tensor<?xi8>)
  return %dx : tensor<9x1x3xf32>
}
