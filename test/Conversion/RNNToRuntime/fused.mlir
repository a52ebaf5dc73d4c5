// RUN: rnn-opt %s -convert-rnn-to-runtime -canonicalize | FileCheck %s

// With lowering `fused`, size and parameter ops use the fused plan.
// CHECK-LABEL: func @sizes
// CHECK: %[[PLAN:.*]] = rnnrt.rnn_fused_plan %{{.*}} f32 steps %c1 batch %c1
// CHECK: rnnrt.rnn_params_size %{{.*}}, %[[PLAN]]
// CHECK: %[[TRAINING:.*]] = rnnrt.rnn_fused_plan
// CHECK-SAME: training = true
// CHECK: rnnrt.rnn_reserve_size %{{.*}}, %[[TRAINING]]
func.func @sizes(%l: index, %h: index, %i: index, %t: index, %b: index) -> (index, index) {
  %n = rnn.cudnn_params_size gru sizes(%l, %h, %i) {element_type = f32, lowering = #rnn.lowering<fused>}
  %r = rnn.cudnn_reserve_size gru sizes(%l, %h, %i) extent(%t, %b) {element_type = f32, lowering = #rnn.lowering<fused>}
  return %n, %r : index, index
}

// Layer ops are left to the kernels.
// CHECK-LABEL: func @forward
// CHECK: rnn.cudnn_forward gru
func.func @forward(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>) {
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x2x4xf32>) {lowering = #rnn.lowering<fused>}
  return
}
