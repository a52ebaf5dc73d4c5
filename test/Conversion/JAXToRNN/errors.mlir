// errors.mlir - calls that convert-jax-to-rnn refuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -convert-jax-to-rnn -split-input-file -verify-diagnostics

func.func @older_descriptor(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{expects the descriptor in `backend_config` to have 48 bytes, but got 40; export the module with jaxlib 0.10}}
  %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w, %n) <{call_target_name = "cudnn_rnn_ffi", backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00"}}>
      : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>)
      -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  return
}

// -----

func.func @no_descriptor(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{requires the descriptor of the layer in attribute `backend_config` (a string, or a dictionary with the string `opaque`), but got {other = 1 : i64}}}
  %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w, %n) <{call_target_name = "cudnn_rnn_ffi", backend_config = {other = 1}}>
      : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>)
      -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  return
}

// -----

func.func @no_layers(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{expects the number of layers of the descriptor in `backend_config` to be positive, but got 0}}
  %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w, %n) <{call_target_name = "cudnn_rnn_ffi", backend_config = {opaque = "\03\00\00\00\04\00\00\00\00\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}}>
      : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>)
      -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  return
}

// -----

func.func @other_hidden_size(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{expects dim 2 of `h_0` [L*D, B, H] to be 5 as in the descriptor of `backend_config`, but got 4}}
  %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w, %n) <{call_target_name = "cudnn_rnn_ffi", backend_config = {opaque = "\03\00\00\00\05\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}}>
      : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>)
      -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  return
}

// -----

func.func @other_params(%x: tensor<2x5x3xf32>, %h: tensor<2x2x4xf32>, %c: tensor<2x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{expects dim 0 of `weights` [all parameters] to be 288 as in the descriptor of `backend_config`, but got 144}}
  %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w, %n) <{call_target_name = "cudnn_rnn_ffi", backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\01\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}}>
      : (tensor<2x5x3xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<144xf32>, tensor<2xi32>)
      -> (tensor<2x5x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  return
}

// -----

func.func @layouts(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{expects the layouts of attribute `operand_layouts` to be row-major, but got dense<[0, 1, 2]> : tensor<3xindex>}}
  %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w, %n) <{call_target_name = "cudnn_rnn_ffi", backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}, operand_layouts = [dense<[0, 1, 2]> : tensor<3xindex>]}>
      : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>)
      -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  return
}

// -----

func.func @unknown_attribute(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{has an unknown attribute `replica_groups`; it may come from a newer version of StableHLO}}
  %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w, %n) <{call_target_name = "cudnn_rnn_ffi", backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}, replica_groups = 1}>
      : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>)
      -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  return
}

// -----

func.func @too_few(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{expects 5 operands (`input`, `h_0`, `c_0`, `weights`, `seq_lengths`), but got 4}}
  %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w) <{call_target_name = "cudnn_rnn_ffi", backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}}>
      : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>)
      -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  return
}

// -----

func.func @unknown_target(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi32>) {
  // expected-error @below {{calls 'cudnn_rnn_v9', which convert-jax-to-rnn does not support; the supported targets are cudnn_rnn, cudnn_rnn_bwd, cudnn_rnn_ffi, cudnn_rnn_bwd_ffi, hipdnn_rnn, hipdnn_rnn_bwd, hipdnn_rnn_ffi, hipdnn_rnn_bwd_ffi}}
  %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w, %n) <{call_target_name = "cudnn_rnn_v9", backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}}>
      : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>)
      -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  return
}

// -----

func.func @lengths_type(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi64>) {
  // expected-error @below {{expects `seq_lengths` to be a tensor of i32, but got 'tensor<2xi64>'}}
  %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w, %n) <{call_target_name = "cudnn_rnn_ffi", backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}}>
      : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi64>)
      -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  return
}

// -----

func.func @used_reserve(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi32>) -> tensor<2000xf32> {
  // expected-note @below {{it is the `reserve_space` of this 'stablehlo.custom_call'}}
  %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w, %n) <{call_target_name = "cudnn_rnn_ffi", backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}}>
      : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>)
      -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  // expected-error @below {{uses a reserve space, which is opaque bytes, as 'tensor<2000xf32>'; only gradient ops, tensor.cast, stablehlo.optimization_barrier, and calls and returns of functions with a body support it}}
  %1 = "stablehlo.negate"(%0#4) : (tensor<2000xf32>) -> tensor<2000xf32>
  return %1 : tensor<2000xf32>
}

// -----

// Each layer of MIOpen needs ops that exchange its gates. Dynamic sizes do not contradict the descriptor.
func.func @miopen_layers(%x: tensor<?x?x?xf32>, %w: tensor<?xf32>, %n: tensor<?xi32>) -> tensor<?x?x?xf32> {
  // expected-error @below {{expects the number of layers of the descriptor in `backend_config` to be at most 1024 for MIOpen, but got 2147483647}}
  %0:5 = "stablehlo.custom_call"(%x, %x, %x, %w, %n) <{call_target_name = "hipdnn_rnn_ffi", backend_config = {opaque = "\01\00\00\00\01\00\00\00\FF\FF\FF\7F\01\00\00\00\01\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}}>
      : (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xi32>)
      -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %0#0 : tensor<?x?x?xf32>
}
