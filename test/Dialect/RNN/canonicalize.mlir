// canonicalize.mlir - rewrites that types and constants allow, and cases that must not change.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -canonicalize -cse | FileCheck %s

//===----------------------------------------------------------------------===//
// auto_select
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @auto_select_same_size
// CHECK: rnn.cudnn_forward gru, skip_input input(
func.func @auto_select_same_size(%x: tensor<5x2x4xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<5x2x4xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru, auto_select input(%x : tensor<5x2x4xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>)
  return %y : tensor<5x2x4xf32>
}

// CHECK-LABEL: func @auto_select_other_size
// CHECK: rnn.cudnn_forward gru input(
func.func @auto_select_other_size(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<5x2x4xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru, auto_select input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>)
  return %y : tensor<5x2x4xf32>
}

// CHECK-LABEL: func @auto_select_backprop
// CHECK: rnn.cudnn_backprop gru, skip_input input(
func.func @auto_select_backprop(%x: tensor<5x2x4xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %r: tensor<?xi8>)
    -> tensor<?xf32> {
  %dx, %dh, %dp = rnn.cudnn_backprop gru, auto_select input(%x : tensor<5x2x4xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>) output(%x, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      grads(%x, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>) reserve(%r : tensor<?xi8>)
  return %dp : tensor<?xf32>
}

// The memref form: the choice does not depend on the form.
// CHECK-LABEL: func @auto_select_memref
// CHECK: rnn.cudnn_forward rnn_tanh, skip_input input(
func.func @auto_select_memref(%x: memref<5x2x4xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>) {
  rnn.cudnn_forward rnn_tanh, auto_select input(%x : memref<5x2x4xf32>) state(%h : memref<1x2x4xf32>)
      params(%p : memref<?xf32>) outs(output = %y : memref<5x2x4xf32>)
  return
}

// CHECK-LABEL: func @auto_select_sizes
// CHECK: rnn.cudnn_params_size gru, skip_input sizes(
// CHECK: rnn.cudnn_params_size gru sizes(
// CHECK: rnn.cudnn_reserve_size lstm, bidirectional, skip_input sizes(
func.func @auto_select_sizes(%l: index) -> (index, index, index) {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %0 = rnn.cudnn_params_size gru, auto_select sizes(%l, %c4, %c4) {element_type = f32}
  %1 = rnn.cudnn_params_size gru, auto_select sizes(%l, %c4, %c3) {element_type = f32}
  %2 = rnn.cudnn_reserve_size lstm, bidirectional, auto_select sizes(%l, %c3, %c3) extent(%l, %l) {element_type = f32}
  return %0, %1, %2 : index, index, index
}

// CHECK-LABEL: func @auto_select_conversions
// CHECK: rnn.cudnn_canonical_to_params rnn_relu sizes(
// CHECK: rnn.cudnn_params_to_canonical rnn_relu sizes(
func.func @auto_select_conversions(%l: index, %w: tensor<4x?xf32>, %b: tensor<4xf32>, %q: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?x?xf32>) {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %p = rnn.cudnn_canonical_to_params rnn_relu, auto_select sizes(%l, %c4, %c3) weights(%w, %w : tensor<4x?xf32>)
      biases(%b, %b : tensor<4xf32>)
  %u:4 = rnn.cudnn_params_to_canonical rnn_relu, auto_select sizes(%l, %c4, %c3) params(%q : tensor<?xf32>)
      -> weights(tensor<?x?xf32>, tensor<?x?xf32>) biases(tensor<?xf32>, tensor<?xf32>)
  return %p, %u#0 : tensor<?xf32>, tensor<?x?xf32>
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

// The shapes behind the casts reach the op, and its results are cast back for their readers.
// CHECK-LABEL: func @cast_forward
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<5x2x3xf32>
// CHECK: %[[Y:.*]], %{{.*}}, %{{.*}} = rnn.cudnn_forward gru input(%[[X]] : tensor<5x2x3xf32>) state(%{{.*}} : tensor<1x2x4xf32>)
// CHECK: %[[C:.*]] = tensor.cast %[[Y]] : tensor<5x2x4xf32> to tensor<?x?x?xf32>
// CHECK: return %[[C]]
func.func @cast_forward(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %xd = tensor.cast %x : tensor<5x2x3xf32> to tensor<?x?x?xf32>
  %hd = tensor.cast %h : tensor<1x2x4xf32> to tensor<?x?x?xf32>
  %y, %hn, %r = rnn.cudnn_forward gru input(%xd : tensor<?x?x?xf32>) state(%hd : tensor<?x?x?xf32>)
      params(%p : tensor<?xf32>)
  return %y : tensor<?x?x?xf32>
}

// Static sizes of a result type that the operands do not define are kept.
// CHECK-LABEL: func @cast_keeps_reserve
// CHECK: rnn.cudnn_forward gru input(%{{.*}} : tensor<5x2x3xf32>) {{.*}} -> output(tensor<5x2x4xf32>) output_h(tensor<1x2x4xf32>) reserve_space(tensor<160xi8>)
// CHECK: return %{{.*}} : tensor<160xi8>
func.func @cast_keeps_reserve(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<160xi8> {
  %xd = tensor.cast %x : tensor<5x2x3xf32> to tensor<?x2x3xf32>
  %y, %hn, %r = rnn.cudnn_forward gru input(%xd : tensor<?x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>) -> output(tensor<?x2x4xf32>) output_h(tensor<1x2x4xf32>) reserve_space(tensor<160xi8>)
  return %r : tensor<160xi8>
}

// The batch sizes behind these casts differ: an error at run time, not one of this rewrite.
// CHECK-LABEL: func @cast_contradiction
// CHECK: %[[X:.*]] = tensor.cast %{{.*}} : tensor<5x3x3xf32> to tensor<5x?x3xf32>
// CHECK: %[[H:.*]] = tensor.cast %{{.*}} : tensor<1x2x4xf32> to tensor<1x?x4xf32>
// CHECK: rnn.cudnn_forward gru input(%[[X]] : tensor<5x?x3xf32>) state(%[[H]] : tensor<1x?x4xf32>)
func.func @cast_contradiction(%x: tensor<5x3x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<5x?x4xf32> {
  %xd = tensor.cast %x : tensor<5x3x3xf32> to tensor<5x?x3xf32>
  %hd = tensor.cast %h : tensor<1x2x4xf32> to tensor<1x?x4xf32>
  %y, %hn, %r = rnn.cudnn_forward gru input(%xd : tensor<5x?x3xf32>) state(%hd : tensor<1x?x4xf32>)
      params(%p : tensor<?xf32>)
  return %y : tensor<5x?x4xf32>
}

// CHECK-LABEL: func @cast_block
// CHECK: rnn.block_lstm icfo x(%{{.*}} : tensor<5x2x3xf32>) state(%{{.*}}, %{{.*}} : tensor<2x4xf32>) weights(%{{.*}} : tensor<7x16xf32>)
// CHECK: rnn.block_lstm_grad icfo x(%{{.*}} : tensor<5x2x3xf32>) {{.*}} saved({{.*}} : tensor<5x2x4xf32>)
func.func @cast_block(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                      %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) -> (tensor<?x2x4xf32>, tensor<?x?xf32>) {
  %xd = tensor.cast %x : tensor<5x2x3xf32> to tensor<?x2x3xf32>
  %wd = tensor.cast %w : tensor<7x16xf32> to tensor<?x?xf32>
  %gd = tensor.cast %g : tensor<5x2x4xf32> to tensor<?x2x4xf32>
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%xd : tensor<?x2x3xf32>) state(%s, %s : tensor<2x4xf32>)
      weights(%wd : tensor<?x?xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
  %dx, %dcs, %dh, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad icfo x(%xd : tensor<?x2x3xf32>)
      state(%s, %s : tensor<2x4xf32>) weights(%wd : tensor<?x?xf32>) peephole(%p, %p, %p : tensor<4xf32>)
      bias(%b : tensor<16xf32>) saved(%i, %cs, %f, %o, %ci, %co, %h : tensor<?x2x4xf32>)
      grads(%gd, %gd : tensor<?x2x4xf32>)
  %cast = tensor.cast %dw : tensor<7x16xf32> to tensor<?x?xf32>
  return %h, %cast : tensor<?x2x4xf32>, tensor<?x?xf32>
}

//===----------------------------------------------------------------------===//
// seq_len_max
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @seq_len_max_of_all_steps
// CHECK-NOT: seq_len_max
// CHECK: return
func.func @seq_len_max_of_all_steps(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                                    %b: tensor<16xf32>) -> tensor<5x2x4xf32> {
  %n = arith.constant 5 : i64
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
  return %h : tensor<5x2x4xf32>
}

// Fewer steps, or a dynamic number of steps: the operand stays.
// CHECK-LABEL: func @seq_len_max_stays
// CHECK-DAG: %[[N:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[M:.*]] = arith.constant 5 : i64
// CHECK: rnn.block_lstm ifco {{.*}} seq_len_max(%[[N]])
// CHECK: rnn.block_lstm ifco {{.*}} seq_len_max(%[[M]])
func.func @seq_len_max_stays(%x: tensor<5x2x3xf32>, %xd: tensor<?x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
                             %p: tensor<4xf32>, %b: tensor<16xf32>) -> (tensor<5x2x4xf32>, tensor<?x2x4xf32>) {
  %n = arith.constant 4 : i64
  %m = arith.constant 5 : i64
  %0:7 = rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
  %1:7 = rnn.block_lstm ifco x(%xd : tensor<?x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%m)
  return %0#6, %1#6 : tensor<5x2x4xf32>, tensor<?x2x4xf32>
}

// No steps at all: every result is zero.
// CHECK-LABEL: func @seq_len_max_zero
// CHECK-DAG: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<5x2x4xf32>
// CHECK-DAG: %[[W:.*]] = arith.constant dense<0.000000e+00> : tensor<7x16xf32>
// CHECK-NOT: rnn.
// CHECK: return %[[Z]], %[[Z]], %[[W]]
func.func @seq_len_max_zero(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                            %b: tensor<16xf32>, %g: tensor<5x2x4xf32>)
    -> (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<7x16xf32>) {
  %n = arith.constant 0 : i64
  %0:7 = rnn.block_lstm ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
  %1:8 = rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) seq_len_max(%n)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>)
  return %0#0, %0#6, %1#3 : tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<7x16xf32>
}

// T = 0 without a length. The gradient of the initial state is zero.
// CHECK-LABEL: func @no_steps
// CHECK-DAG: %[[D:.*]] = arith.constant dense<0.000000e+00> : tensor<2x4xf16>
// CHECK-NOT: rnn.
// CHECK: return %[[D]]
func.func @no_steps(%x: tensor<0x2x3xf16>, %s: tensor<2x4xf16>, %w: tensor<7x16xf16>, %p: tensor<4xf16>,
                    %b: tensor<16xf16>, %g: tensor<0x2x4xf16>) -> tensor<2x4xf16> {
  %0:8 = rnn.block_lstm_grad icfo x(%x : tensor<0x2x3xf16>) state(%s, %s : tensor<2x4xf16>)
      weights(%w : tensor<7x16xf16>) peephole(%p, %p, %p : tensor<4xf16>) bias(%b : tensor<16xf16>)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<0x2x4xf16>) grads(%g, %g : tensor<0x2x4xf16>)
  return %0#1 : tensor<2x4xf16>
}

// A dynamic length can be invalid, which is a run-time error.
// CHECK-LABEL: func @no_steps_but_a_length
// CHECK: rnn.block_lstm_grad icfo {{.*}} seq_len_max(
func.func @no_steps_but_a_length(%n: i64, %x: tensor<0x2x3xf16>, %s: tensor<2x4xf16>, %w: tensor<7x16xf16>,
                                 %p: tensor<4xf16>, %b: tensor<16xf16>, %g: tensor<0x2x4xf16>) -> tensor<2x4xf16> {
  %0:8 = rnn.block_lstm_grad icfo x(%x : tensor<0x2x3xf16>) state(%s, %s : tensor<2x4xf16>)
      weights(%w : tensor<7x16xf16>) peephole(%p, %p, %p : tensor<4xf16>) bias(%b : tensor<16xf16>) seq_len_max(%n)
      saved(%g, %g, %g, %g, %g, %g, %g : tensor<0x2x4xf16>) grads(%g, %g : tensor<0x2x4xf16>)
  return %0#1 : tensor<2x4xf16>
}

//===----------------------------------------------------------------------===//
// Dropout and effects
//===----------------------------------------------------------------------===//

// Inference draws nothing and ignores dropout and seeds.
// CHECK-LABEL: func @inference_drops_dropout
// CHECK: rnn.cudnn_forward gru {{.*}} {is_training = false}
func.func @inference_drops_dropout(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>)
    -> tensor<5x2x4xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>) {dropout = 0.5, seed = 3, seed2 = 4, is_training = false}
  return %y : tensor<5x2x4xf32>
}

// CHECK-LABEL: func @training_keeps_dropout
// CHECK: rnn.cudnn_forward gru {{.*}} {dropout = 5.000000e-01 : f64, seed = 3 : i64, seed2 = 4 : i64}
func.func @training_keeps_dropout(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>)
    -> tensor<5x2x4xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>) {dropout = 0.5, seed = 3, seed2 = 4}
  return %y : tensor<5x2x4xf32>
}

// CHECK-LABEL: func @pure_ops_are_removed
// CHECK-NEXT: return
func.func @pure_ops_are_removed(%n: index, %x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>,
                                %y: tensor<5x2x4xf32>, %r: tensor<?xi8>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
                                %q: tensor<4xf32>, %b: tensor<16xf32>) {
  %0:3 = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
  %1:3 = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {dropout = 0.5, is_training = false}
  %2:3 = rnn.cudnn_backprop gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      output(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>) grads(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
      reserve(%r : tensor<?xi8>) {dropout = 0.5}
  %3:7 = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>)
      peephole(%q, %q, %q : tensor<4xf32>) bias(%b : tensor<16xf32>)
  %4 = rnn.cudnn_params_size gru sizes(%n, %n, %n) {element_type = f32}
  %5 = rnn.cudnn_reserve_size gru sizes(%n, %n, %n) extent(%n, %n) {element_type = f32}
  %6 = rnn.cudnn_canonical_to_params rnn_relu sizes(%n, %n, %n) weights(%w, %w : tensor<7x16xf32>)
      biases(%b, %b : tensor<16xf32>)
  %7:4 = rnn.cudnn_params_to_canonical rnn_relu sizes(%n, %n, %n) params(%p : tensor<?xf32>)
      -> weights(tensor<?x?xf32>, tensor<?x?xf32>) biases(tensor<?xf32>, tensor<?xf32>)
  return
}

// CHECK-LABEL: func @pure_ops_are_merged
// CHECK: %[[Y:.*]], %{{.*}}, %{{.*}} = rnn.cudnn_forward gru
// CHECK-NOT: rnn.cudnn_forward
// CHECK: return %[[Y]], %[[Y]]
func.func @pure_ops_are_merged(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>)
    -> (tensor<5x2x4xf32>, tensor<5x2x4xf32>) {
  %0:3 = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
  %1:3 = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
  return %0#0, %1#0 : tensor<5x2x4xf32>, tensor<5x2x4xf32>
}

// Each draw advances the stream: the second one has other numbers, and removing the third changes the fourth.
// CHECK-LABEL: func @draws_stay
// CHECK-COUNT-4: rnn.cudnn_forward gru
func.func @draws_stay(%x: tensor<5x2x3xf32>, %h: tensor<2x2x4xf32>, %p: tensor<?xf32>)
    -> (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) {
  %0:3 = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<2x2x4xf32>) params(%p : tensor<?xf32>)
      {dropout = 0.5}
  %1:3 = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<2x2x4xf32>) params(%p : tensor<?xf32>)
      {dropout = 0.5}
  %2:3 = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<2x2x4xf32>) params(%p : tensor<?xf32>)
      {dropout = 0.5}
  %3:3 = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<2x2x4xf32>) params(%p : tensor<?xf32>)
      {dropout = 0.5}
  return %0#0, %1#0, %3#0 : tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>
}

// A write to memory is an effect: a buffer that is written and read stays.
// CHECK-LABEL: func @memref_ops_stay
// CHECK-COUNT-2: rnn.cudnn_forward gru
func.func @memref_ops_stay(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>) {
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x2x4xf32>)
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x2x4xf32>)
  return
}

// -----

// Dropout acts between layers: one layer draws nothing, so an unused op is erased ...
// CHECK-LABEL: func @one_layer_draws_nothing
// CHECK-NOT: rnn.cudnn_forward
// CHECK: return
func.func @one_layer_draws_nothing(%x: tensor<5x2x3xf32>, %h: tensor<2x2x4xf32>, %p: tensor<?xf32>) {
  %y, %hn, %r = rnn.cudnn_forward gru, bidirectional input(%x : tensor<5x2x3xf32>) state(%h : tensor<2x2x4xf32>)
      params(%p : tensor<?xf32>) {dropout = 0.5}
  return
}

// ... while two layers advance the random stream, and so may a dynamic number of layers.
// CHECK-LABEL: func @more_layers_draw
// CHECK: rnn.cudnn_forward
// CHECK: rnn.cudnn_forward
func.func @more_layers_draw(%x: tensor<5x2x3xf32>, %h: tensor<2x2x4xf32>, %g: tensor<?x2x4xf32>, %p: tensor<?xf32>) {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<2x2x4xf32>)
      params(%p : tensor<?xf32>) {dropout = 0.5}
  %z, %gn, %s = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%g : tensor<?x2x4xf32>)
      params(%p : tensor<?xf32>) {dropout = 0.5}
  return
}

// Each element of a splat is packed.
// CHECK-LABEL: func @packed_splats
// CHECK-NOT: rnn.cudnn_canonical_to_params
// CHECK: arith.constant dense<[{{(1.000000e\+00, ){12}(2.000000e\+00, ){16} ?}}1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, {{(5.000000e\+00(, )?){4} ?}}]> : tensor<36xf32>
func.func @packed_splats() -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %w = arith.constant dense<1.0> : tensor<4x3xf32>
  %r = arith.constant dense<2.0> : tensor<4x4xf32>
  %b = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %s = arith.constant dense<5.0> : tensor<4xf32>
  %p = rnn.cudnn_canonical_to_params rnn_tanh sizes(%c1, %c4, %c3)
      weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>) biases(%b, %s : tensor<4xf32>) {lowering = #rnn.lowering<fused>}
  return %p : tensor<?xf32>
}
