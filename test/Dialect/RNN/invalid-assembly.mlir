// invalid-assembly.mlir - errors of the assembly: keywords, groups, counts, names and attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

func.func @no_mode(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' expected a cell mode (lstm, gru, rnn_relu, rnn_tanh), but got `input`}}
  rnn.cudnn_forward input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
}

// -----

func.func @no_word_at_all(%n: index) {
  // expected-error @below {{custom op 'rnn.cudnn_params_size' expected a cell mode (lstm, gru, rnn_relu, rnn_tanh)}}
  rnn.cudnn_params_size (%n)
}

// -----

func.func @unknown_mode(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' expected a cell mode (lstm, gru, rnn_relu, rnn_tanh), but got `lstn`}}
  rnn.cudnn_forward lstn input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
}

// -----

func.func @mode_of_another_op(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' expected a cell mode (lstm, gru, rnn_relu, rnn_tanh), but got `icfo`}}
  rnn.cudnn_forward icfo input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
}

// -----

func.func @unknown_layout(%x: tensor<5x2x3xf32>) {
  // expected-error @below {{custom op 'rnn.block_lstm' expected a gate layout (icfo, ifco), but got `ifgo`}}
  rnn.block_lstm ifgo x(%x : tensor<5x2x3xf32>)
}

// -----

func.func @direction_before_mode(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' expected a cell mode (lstm, gru, rnn_relu, rnn_tanh), but got `bidirectional`}}
  rnn.cudnn_forward bidirectional, lstm input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>)
}

// -----

func.func @mode_twice(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' `mode` is given twice}}
  rnn.cudnn_forward gru, lstm input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
}

// -----

func.func @word_and_attribute(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' `direction` is given twice}}
  rnn.cudnn_forward gru, bidirectional input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>) {direction = #rnn.direction<unidirectional>}
}

// -----

func.func @missing_group(%x: tensor<5x2x3xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' expected `state(...)`}}
  rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) params(%p : tensor<?xf32>)
}

// -----

func.func @missing_last_group(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' expected `params(...)`}}
  rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) {dropout = 0.5}
}

// -----

func.func @group_out_of_order(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %r: tensor<?xi8>) {
  // expected-error @below {{custom op 'rnn.cudnn_backprop' `lengths` is given twice or out of order; the order is `input`, `state`, `params`, `lengths`, `output`, `grads`, `reserve`, `resets`, `offsets`, `outs`}}
  rnn.cudnn_backprop gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>) output(%x, %h : tensor<5x2x3xf32>, tensor<1x2x4xf32>) grads(%x, %h : tensor<5x2x3xf32>, tensor<1x2x4xf32>) reserve(%r : tensor<?xi8>) lengths(%r : tensor<2xi32>)
}

// -----

func.func @group_twice(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' `state` is given twice or out of order; the order is `input`, `state`, `params`, `lengths`, `resets`, `offsets`, `outs`}}
  rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>) state(%h : tensor<1x2x4xf32>)
}

// -----

func.func @outs_twice(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' `outs` is given twice or out of order; the order is `input`, `state`, `params`, `lengths`, `resets`, `offsets`, `outs`}}
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>) outs(output = %y : memref<5x2x4xf32>) outs(output = %y : memref<5x2x4xf32>)
}

// -----

func.func @too_many_values(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' `state` requires `input_h`, `input_c` (optional), but got 3 values}}
  rnn.cudnn_forward lstm input(%x : tensor<5x2x3xf32>) state(%h, %h, %h : tensor<1x2x4xf32>)
}

// -----

func.func @too_few_values(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>) {
  // expected-error @below {{custom op 'rnn.block_lstm' `peephole` requires `wci`, `wcf`, `wco`, but got 2 values}}
  rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>) peephole(%p, %p : tensor<4xf32>)
}

// -----

func.func @no_values(%x: tensor<5x2x3xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' `input` requires `input`, but got 0 values}}
  rnn.cudnn_forward lstm input()
}

// -----

func.func @too_many_types(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' `state` has 2 values and requires one type for all or 2 types, but got 3}}
  rnn.cudnn_forward lstm input(%x : tensor<5x2x3xf32>) state(%h, %h : tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
}

// -----

func.func @too_few_types(%x: tensor<5x2x4xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>) {
  // expected-error @below {{custom op 'rnn.block_lstm' `peephole` has 3 values and requires one type for all or 3 types, but got 2}}
  rnn.block_lstm icfo x(%x : tensor<5x2x4xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>, tensor<4xf32>)
}

// -----

func.func @no_types(%x: tensor<5x2x3xf32>) {
  // expected-error @below {{expected ':'}}
  rnn.cudnn_forward lstm input(%x) state(%x : tensor<5x2x3xf32>)
}

// -----

func.func @types_where_there_are_none(%n: index) {
  // expected-error @below {{expected ')'}}
  rnn.cudnn_params_size lstm sizes(%n, %n, %n : index)
}

// -----

func.func @one_size_is_missing(%n: index) {
  // expected-error @below {{custom op 'rnn.cudnn_reserve_size' `extent` requires `steps`, `batch`, but got 1 values}}
  rnn.cudnn_reserve_size lstm sizes(%n, %n, %n) extent(%n)
}

// -----

    // expected-note @below {{prior use here}}
func.func @type_of_another_value(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{use of value '%x' expects different type than prior uses: 'tensor<5x2x3xf64>' vs 'tensor<5x2x3xf32>'}}
  rnn.cudnn_forward gru input(%x : tensor<5x2x3xf64>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
}

// -----

func.func @unknown_out(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' unknown result `y`; the results are `output`, `output_h`, `output_c`, `reserve_space`}}
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>) outs(y = %y : memref<5x2x4xf32>)
}

// -----

func.func @out_twice(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' `output` is given twice}}
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>) outs(output = %y, output = %y : memref<5x2x4xf32>)
}

// -----

func.func @outs_without_types(%x: memref<5x2x3xf32>, %h: memref<1x2x4xf32>, %p: memref<?xf32>, %y: memref<5x2x4xf32>) {
  // expected-error @below {{expected ':'}}
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x4xf32>) params(%p : memref<?xf32>) outs(output = %y)
}

// -----

func.func @result_types_without_names(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' expected result types as `name(types)`, once each and in order: `output`, `output_h`, `output_c`, `reserve_space`}}
  rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>) -> (tensor<5x2x4xf32>)
}

// -----

func.func @unknown_result(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' expected result types as `name(types)`, once each and in order: `output`, `output_h`, `output_c`, `reserve_space`}}
  rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>) -> y(tensor<5x2x4xf32>)
}

// -----

func.func @result_out_of_order(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' expected result types as `name(types)`, once each and in order: `output`, `output_h`, `output_c`, `reserve_space`}}
  rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>) -> reserve_space(tensor<?xi8>) output(tensor<5x2x4xf32>)
}

// -----

func.func @number_of_results(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{operation defines 3 results but was provided 4 to bind}}
  %0:4 = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
}

// -----

func.func @misspelled_attribute(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' unknown attribute `dropuot`; the op has `batch_major`, `direction`, `dropout`, `input_mode`, `is_training`, `lowering`, `mode`, `num_proj`, `reset_to`, `seed`, `seed2`; attributes of other dialects have a prefix}}
  rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>) {dropuot = 0.5}
}

// -----

// The gradient has neither forget_bias nor cell_clip. Ignoring them would suggest another gradient.
func.func @attribute_of_the_forward(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                                    %b: tensor<16xf32>, %g: tensor<5x2x4xf32>) {
  // expected-error @below {{custom op 'rnn.block_lstm_grad' unknown attribute `cell_clip`; the op has `batch_major`, `layout`, `lowering`, `reset_to`, `use_peephole`; attributes of other dialects have a prefix}}
  rnn.block_lstm_grad ifco x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>) saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>) grads(%g, %g : tensor<5x2x4xf32>) {cell_clip = 3.0}
}

// -----

func.func @second_word_of_a_block_op(%x: tensor<5x2x3xf32>) {
  // expected-error @below {{custom op 'rnn.block_lstm' accepts one keyword only, but got `bidirectional` after it}}
  rnn.block_lstm ifco, bidirectional x(%x : tensor<5x2x3xf32>)
}

// -----

func.func @comma_without_a_word(%x: tensor<5x2x3xf32>) {
  // expected-error @below {{custom op 'rnn.cudnn_forward' expected a direction (unidirectional, bidirectional) or an input mode (linear_input, skip_input, auto_select), but got `input`}}
  rnn.cudnn_forward gru, input(%x : tensor<5x2x3xf32>)
}

// -----

// The type of a result would have an unknown size, and the error would be about `return`.
func.func @rank_before_inference(%x: tensor<5x2x3xf32>, %h: tensor<2x4xf32>, %p: tensor<108xf32>) -> tensor<5x2x4xf32> {
  // expected-error @below {{'rnn.cudnn_forward' op expects `input_h` to have rank 3, but got rank 2 ('tensor<2x4xf32>') [C2]}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<2x4xf32>)
      params(%p : tensor<108xf32>)
  return %y : tensor<5x2x4xf32>
}

// -----

func.func @wrong_attribute(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<108xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op attribute 'lowering' failed to satisfy constraint: how an op is executed}}
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<108xf32>) {lowering = "fused"}
  return
}
