// The gradient of a block LSTM: packing outside of the time loop, one GEMM per step, one GEMM for dX and one for each part of
// dW after it.
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host=vector-bits=256 -canonicalize -cse | FileCheck %s

// CHECK-LABEL: func @inputs_and_weights
// CHECK-COUNT-4: call @rnn_host_pack_transposed_f32(
// CHECK-NOT: call
// CHECK: scf.for %{{.*}} = %c0 to %c5
// The last step has no next one.
// CHECK: scf.if
// CHECK: func.call @rnn_host_gemm_4_rows_f32({{.*}}, %c4, %c1, %c4, %c8, %c1, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK-NOT: call
// The weights of the input are packed after the time loop; 20 rows are T * B.
// CHECK-COUNT-4: call @rnn_host_pack_transposed_f32(
// CHECK: call @rnn_host_gemm_f32({{.*}}, %c20, %c1, %c4, %c8, %c1, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// dW: the rows of x, then the first state and the other states of one block of the recurrent weights.
// CHECK: call @rnn_host_pack_left_f32(
// CHECK-NEXT: call @rnn_host_transposed_gemm_f32(
// CHECK: call @rnn_host_pack_left_f32(
// CHECK: call @rnn_host_pack_left_f32(
// CHECK-NEXT: call @rnn_host_transposed_gemm_f32(
// CHECK-NOT: call
// CHECK: return
func.func @inputs_and_weights(%x: memref<5x4x3xf32>, %s: memref<4x8xf32>, %w: memref<11x32xf32>, %p: memref<8xf32>, %b: memref<32xf32>, %y: memref<5x4x8xf32>, %dx: memref<5x4x3xf32>, %dw: memref<11x32xf32>) {
  rnn.block_lstm_grad icfo x(%x : memref<5x4x3xf32>) state(%s, %s : memref<4x8xf32>) weights(%w : memref<11x32xf32>)
      peephole(%p, %p, %p : memref<8xf32>) bias(%b : memref<32xf32>) saved(%y, %y, %y, %y, %y, %y, %y : memref<5x4x8xf32>)
      grads(%y, %y : memref<5x4x8xf32>) outs(x_grad = %dx, w_grad = %dw : memref<5x4x3xf32>, memref<11x32xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// The gradients of the states alone: no GEMM after the time loop but that of the first step, and no exponentials, since the
// gates are operands.
// CHECK-LABEL: func @states
// CHECK: scf.for
// CHECK: func.call @rnn_host_gemm_4_rows_f32
// CHECK-NOT: arith.divf
// CHECK: call @rnn_host_gemm_4_rows_f32
// CHECK-NOT: call
// CHECK: return
// CHECK-NOT: func private @rnn_host_pack_left
func.func @states(%x: memref<5x4x3xf32>, %s: memref<4x8xf32>, %w: memref<11x32xf32>, %p: memref<8xf32>, %b: memref<32xf32>, %y: memref<5x4x8xf32>, %ds: memref<4x8xf32>) {
  rnn.block_lstm_grad icfo x(%x : memref<5x4x3xf32>) state(%s, %s : memref<4x8xf32>) weights(%w : memref<11x32xf32>)
      peephole(%p, %p, %p : memref<8xf32>) bias(%b : memref<32xf32>) saved(%y, %y, %y, %y, %y, %y, %y : memref<5x4x8xf32>)
      grads(%y, %y : memref<5x4x8xf32>) outs(h_prev_grad = %ds : memref<4x8xf32>) {lowering = #rnn.lowering<fused>}
  return
}
