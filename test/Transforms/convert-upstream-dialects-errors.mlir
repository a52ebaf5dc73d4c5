// convert-upstream-dialects-errors.mlir - globals and ops that rnn-convert-upstream-dialects refuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -rnn-convert-upstream-dialects -split-input-file -verify-diagnostics

// expected-error @below {{'ml_program.global' op `outside` is declared without a value, and compiled code has no values of other modules; write its value into the module, or pass it as an argument}}
ml_program.global private mutable @outside(#ml_program.extern<tensor<4xi32>>) : tensor<4xi32>
// expected-error @below {{'ml_program.global' op `undefined` is declared without a value}}
ml_program.global private mutable @undefined : tensor<?xi32>
func.func @loads() -> (tensor<4xi32>, tensor<?xi32>) {
  %0 = ml_program.global_load @outside : tensor<4xi32>
  %1 = ml_program.global_load @undefined : tensor<?xi32>
  return %0, %1 : tensor<4xi32>, tensor<?xi32>
}

// -----

// expected-error @below {{'ml_program.global' op `number` is stored to and has the type 'i32', but only tensors can be stored; use a tensor of rank 0}}
ml_program.global private mutable @number(3 : i32) : i32
func.func @scalar(%x: i32) {
  ml_program.global_store @number = %x : i32
  return
}

// -----

module attributes {rnn.target = #rnn.target<cuda>} {
  // expected-note @below {{the global is here}}
  ml_program.global private mutable @state(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
  func.func @store(%x: tensor<4xf32>) {
    // expected-error @below {{'ml_program.global_store' op changes the global `state`, but target `cuda` keeps no values between calls; pass the value as an argument and return the new one, or use target `host`}}
    ml_program.global_store @state = %x : tensor<4xf32>
    return
  }
}

// -----

func.func @custom(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{failed to legalize operation 'tosa.custom'}}
  %0 = tosa.custom %x {domain_name = "d", operator_name = "tosa.mlir_test", implementation_attrs = ""} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
