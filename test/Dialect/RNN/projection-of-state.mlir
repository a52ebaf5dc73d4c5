// `num_proj = -1` in memref form: P is the last dimension of `input_h`.
// RUN: rnn-opt %s -split-input-file -verify-diagnostics | FileCheck %s
// RUN: rnn-opt %s -split-input-file -verify-diagnostics --convert-rnn-to-host | FileCheck %s --check-prefix=HOST

// CHECK-LABEL: func @any_size
// CHECK: num_proj = -1 : i64
// HOST-LABEL: func @any_size
// HOST: %[[P:.*]] = memref.dim %arg1, %{{c2.*}} : memref<?x?x?xf32>
// HOST: %[[H:.*]] = memref.dim %arg2, %{{c2.*}} : memref<?x?x?xf32>
// HOST: rnnrt.rnn_fused_plan {{.*}} hidden %[[H]] projection %[[P]]
func.func @any_size(%x: memref<?x?x?xf32>, %h: memref<?x?x?xf32>, %c: memref<?x?x?xf32>, %p: memref<?xf32>,
                    %y: memref<?x?x?xf32>) {
  rnn.cudnn_forward lstm input(%x : memref<?x?x?xf32>) state(%h, %c : memref<?x?x?xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<?x?x?xf32>) {is_training = false, lowering = #rnn.lowering<fused>, num_proj = -1}
  return
}

// -----

// The projection alone is unknown, so `params` is checked at run time.
// CHECK-LABEL: func @only_projection_is_dynamic
// CHECK: num_proj = -1 : i64
// HOST-LABEL: func @only_projection_is_dynamic
// HOST: rnnrt.rnn_fused_plan
func.func @only_projection_is_dynamic(%x: memref<5x2x3xf32>, %h: memref<1x2x?xf32>, %c: memref<1x2x4xf32>,
                                      %p: memref<119xf32>, %y: memref<5x2x?xf32>) {
  rnn.cudnn_forward lstm input(%x : memref<5x2x3xf32>) state(%h, %c : memref<1x2x?xf32>, memref<1x2x4xf32>)
      params(%p : memref<119xf32>) outs(output = %y : memref<5x2x?xf32>)
      {is_training = false, lowering = #rnn.lowering<fused>, num_proj = -1}
  return
}

// -----

func.func @c6_above_hidden(%x: memref<5x2x3xf32>, %h: memref<1x2x5xf32>, %c: memref<1x2x4xf32>, %p: memref<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op expects dim 2 of `input_h` to be at most the hidden size 4, but got 5 [C6]}}
  rnn.cudnn_forward lstm input(%x : memref<5x2x3xf32>) state(%h, %c : memref<1x2x5xf32>, memref<1x2x4xf32>)
      params(%p : memref<?xf32>) {lowering = #rnn.lowering<fused>, num_proj = -1}
  return
}

// -----

func.func @c6_params(%x: memref<5x2x3xf32>, %h: memref<1x2x2xf32>, %c: memref<1x2x4xf32>, %p: memref<119xf32>) {
  // expected-error @below {{expects `params` to have at least 120 elements (all matrices and biases of 1 layer(s), 1 direction(s), I = 3, H = 4, P = 2), but got 119 [C7]}}
  rnn.cudnn_forward lstm input(%x : memref<5x2x3xf32>) state(%h, %c : memref<1x2x2xf32>, memref<1x2x4xf32>)
      params(%p : memref<119xf32>) {lowering = #rnn.lowering<fused>, num_proj = -1}
  return
}

// -----

func.func @c6_needs_fused(%x: memref<5x2x3xf32>, %h: memref<1x2x2xf32>, %c: memref<1x2x4xf32>, %p: memref<?xf32>) {
  // expected-error @below {{expects `num_proj` to be 0 (no projection) or positive, but got -1 [C6]}}
  rnn.cudnn_forward lstm input(%x : memref<5x2x3xf32>) state(%h, %c : memref<1x2x2xf32>, memref<1x2x4xf32>)
      params(%p : memref<?xf32>) {lowering = #rnn.lowering<runtime>, num_proj = -1}
  return
}

// -----

func.func @c6_needs_lstm(%x: memref<5x2x3xf32>, %h: memref<1x2x2xf32>, %p: memref<?xf32>) {
  // expected-error @below {{has `num_proj` = -1, but only mode lstm can project, not gru [C6]}}
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x2xf32>) params(%p : memref<?xf32>)
      {lowering = #rnn.lowering<fused>, num_proj = -1}
  return
}

// -----

func.func @c6_negative(%x: memref<5x2x3xf32>, %h: memref<1x2x2xf32>, %c: memref<1x2x4xf32>, %p: memref<?xf32>) {
  // expected-error @below {{expects `num_proj` to be 0 (no projection) or positive, but got -2 [C6]}}
  rnn.cudnn_forward lstm input(%x : memref<5x2x3xf32>) state(%h, %c : memref<1x2x2xf32>, memref<1x2x4xf32>)
      params(%p : memref<?xf32>) {lowering = #rnn.lowering<fused>, num_proj = -2}
  return
}
