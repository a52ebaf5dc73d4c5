// RUN: rnn-opt %s -split-input-file -allow-unregistered-dialect -verify-diagnostics -rnn-verify-contract=stage=select
// RUN: not rnn-opt %s -split-input-file -allow-unregistered-dialect -rnn-verify-contract=stage=bufferize 2>&1 | FileCheck %s --check-prefix=BUFFERIZE
// RUN: not rnn-opt %s -split-input-file -allow-unregistered-dialect -rnn-verify-contract=stage=lower 2>&1 | FileCheck %s --check-prefix=LOWER
// RUN: not rnn-opt %s -split-input-file -allow-unregistered-dialect -rnn-verify-contract=stage=emit 2>&1 | FileCheck %s --check-prefix=EMIT
// RUN: not rnn-opt %s -split-input-file -allow-unregistered-dialect -rnn-verify-contract=stage=sleep 2>&1 | FileCheck %s --check-prefix=STAGE

// STAGE: unknown value `sleep`; expected import, simplify, select, bufferize, lower, emit or run

func.func @import_leaves_no_tf(%x: tensor<5x2x3xf32>) {
  // expected-error @below {{'tf.BlockLSTMV2' op is left after stage import; run convert-tf-to-rnn}}
  "tf.BlockLSTMV2"(%x) : (tensor<5x2x3xf32>) -> ()
  // The contract does not cover other TensorFlow ops.
  "tf.Other"(%x) : (tensor<5x2x3xf32>) -> ()
  return
}

// -----

// BUFFERIZE: error: 'rnn.cudnn_forward' op has a tensor operand or result after stage bufferize
// LOWER: error: 'rnn.cudnn_forward' op is left after stage lower; no lowering handles it
// EMIT: error: 'func.func' op is left after stage emit, whose result must be in the LLVM dialect; convert dialect 'func' to LLVM
func.func @simplify_decides_input(%x: tensor<5x2x4xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'rnn.cudnn_forward' op still has `auto_select` after stage simplify; run canonicalize, or write linear_input or skip_input}}
  %r:3 = rnn.cudnn_forward gru, auto_select input(%x : tensor<5x2x4xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>) {lowering = #rnn.lowering<runtime>}
  return
}

// -----

func.func @select_marks_all(%l: index, %h: index, %i: index) -> index {
  // expected-error @below {{'rnn.cudnn_params_size' op has no `lowering` after stage select; run rnn-select-lowering}}
  %n = rnn.cudnn_params_size gru sizes(%l, %h, %i) {element_type = f32}
  return %n : index
}

// -----

module attributes {rnn.target = #rnn.target<simt>} {
  func.func @select_decides_kernels(%x: tensor<5x2x4xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
    // expected-error @below {{'rnn.cudnn_forward' op is fused but has no `kernel` after stage select; run rnn-select-lowering}}
    %r:3 = rnn.cudnn_forward gru input(%x : tensor<5x2x4xf32>) state(%h : tensor<1x2x4xf32>)
        params(%p : tensor<?xf32>) {lowering = #rnn.lowering<fused>}
    // expected-error @below {{'rnn.cudnn_forward' op has a persistent kernel but no `cluster` after stage select; run rnn-select-lowering}}
    %s:3 = rnn.cudnn_forward gru input(%x : tensor<5x2x4xf32>) state(%h : tensor<1x2x4xf32>)
        params(%p : tensor<?xf32>) {lowering = #rnn.lowering<fused, kernel = persistent>}
    return
  }
}

// -----

// Types without a conversion to LLVM are errors of their function, before an op of another stage reports them.
// expected-error @below {{'func.func' op `framework_argument` has argument 1 of type '!torch.vtensor', which no pass converts; use a tensor, memref or scalar}}
func.func @framework_argument(%x: tensor<2xf32>, %y: !torch.vtensor) {
  return
}

// -----

// expected-error @below {{'func.func' op `no_value` has result 0 of type 'none', which no pass converts; use a tensor, memref or scalar}}
func.func private @no_value() -> none

// -----

// expected-error @below {{'func.func' op `framework_element` has argument 0 of type 'tensor<2x!tf_type.string>', which no pass converts; use a tensor, memref or scalar}}
func.func @framework_element(%x: tensor<2x!tf_type.string>) {
  return
}

// -----

// The region of a module is a graph: casts can form a cycle.
%a = tensor.cast %b : tensor<?xi8> to tensor<4xi8>
%b = tensor.cast %a : tensor<4xi8> to tensor<?xi8>
%x = "test.value"() : () -> tensor<5x2x3xf32>
%h = "test.value"() : () -> tensor<1x2x4xf32>
%y = "test.value"() : () -> tensor<5x2x4xf32>
%p = "test.value"() : () -> tensor<?xf32>
%0:3 = rnn.cudnn_backprop gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
    output(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>) grads(%y, %h : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
    reserve(%b : tensor<?xi8>)
    {lowering = #rnn.lowering<runtime>}
