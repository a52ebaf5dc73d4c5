// malformed.mlir - sizes that contradict each other, and ops at unusual places. Nothing crashes, and no op of another
// dialect reports the error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -allow-unregistered-dialect -convert-onnx-to-rnn -verify-diagnostics

// Layers that become loops have no op whose verifier checks the sizes.
func.func @input_size(%x: tensor<5x2x4xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) -> tensor<5x1x2x4xf32> {
  %n = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{'onnx.GRU' op expects dim 2 of `X` [T, B, I] to be 3, but got 'tensor<5x2x4xf32>'}}
  %y, %h = "onnx.GRU"(%x, %w, %r, %n, %n, %n)
      : (tensor<5x2x4xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (tensor<5x1x2x4xf32>, none)
  return %y : tensor<5x1x2x4xf32>
}

// -----

func.func @batch_of_state(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %i: tensor<1x3x4xf32>) -> tensor<5x1x2x4xf32> {
  %n = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{'onnx.GRU' op expects dim 1 of `initial_h` [D, B, H] to be 2, but got 'tensor<1x3x4xf32>'}}
  %y, %h = "onnx.GRU"(%x, %w, %r, %n, %n, %i)
      : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, tensor<1x3x4xf32>) -> (tensor<5x1x2x4xf32>, none)
  return %y : tensor<5x1x2x4xf32>
}

// -----

// In layout 1 the batch of the states comes first.
func.func @directions_of_state(%x: tensor<2x5x3xf32>, %w: tensor<2x12x3xf32>, %r: tensor<2x12x4xf32>, %i: tensor<2x1x4xf32>) -> tensor<2x5x2x4xf32> {
  %n = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{'onnx.GRU' op expects dim 1 of `initial_h` [B, D, H] to be 2, but got 'tensor<2x1x4xf32>'}}
  %y, %h = "onnx.GRU"(%x, %w, %r, %n, %n, %i) {direction = "bidirectional", layout = 1 : si64}
      : (tensor<2x5x3xf32>, tensor<2x12x3xf32>, tensor<2x12x4xf32>, none, none, tensor<2x1x4xf32>) -> (tensor<2x5x2x4xf32>, none)
  return %y : tensor<2x5x2x4xf32>
}

// -----

func.func @lengths(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %i: tensor<3xi32>) -> tensor<5x1x2x4xf32> {
  %n = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{'onnx.GRU' op expects dim 0 of `sequence_lens` [B] to be 2, but got 'tensor<3xi32>'}}
  %y, %h = "onnx.GRU"(%x, %w, %r, %n, %i, %n)
      : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, tensor<3xi32>, none) -> (tensor<5x1x2x4xf32>, none)
  return %y : tensor<5x1x2x4xf32>
}

// -----

func.func @no_units(%x: tensor<5x2x3xf32>, %w: tensor<1x0x3xf32>, %r: tensor<1x0x0xf32>) -> tensor<5x1x2x0xf32> {
  %n = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{'onnx.GRU' op expects the sizes of `X` and `R` to be at least 1, but got 'tensor<5x2x3xf32>' and 'tensor<1x0x0xf32>'}}
  %y, %h = "onnx.GRU"(%x, %w, %r, %n, %n, %n)
      : (tensor<5x2x3xf32>, tensor<1x0x3xf32>, tensor<1x0x0xf32>, none, none, none) -> (tensor<5x1x2x0xf32>, none)
  return %y : tensor<5x1x2x0xf32>
}

// -----

func.func @empty_batch(%x: tensor<5x0x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) -> tensor<5x1x0x4xf32> {
  %n = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{'onnx.GRU' op expects the sizes of `X` and `R` to be at least 1, but got 'tensor<5x0x3xf32>'}}
  %y, %h = "onnx.GRU"(%x, %w, %r, %n, %n, %n)
      : (tensor<5x0x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (tensor<5x1x0x4xf32>, none)
  return %y : tensor<5x1x0x4xf32>
}

// -----

// Four gates of 2^62 rows overflow to none.
func.func @units_overflow(%x: tensor<5x2x3xf32>, %w: tensor<1x0x3xf32>, %r: tensor<1x0x4611686018427387904xf32>) -> tensor<?x1x?x?xf32> {
  %n = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{'onnx.LSTM' op expects the last dimension of `R` to be less than 2^31, but got 4611686018427387904}}
  %y, %h, %c = "onnx.LSTM"(%x, %w, %r, %n, %n, %n, %n, %n)
      : (tensor<5x2x3xf32>, tensor<1x0x3xf32>, tensor<1x0x4611686018427387904xf32>, none, none, none, none, none)
      -> (tensor<?x1x?x?xf32>, none, none)
  return %y : tensor<?x1x?x?xf32>
}

// -----

func.func @terminator(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) {
  %n = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{'onnx.GRU' op expects no regions, no successors, and another op after it in its block}}
  "onnx.GRU"(%x, %w, %r, %n, %n, %n)[^bb1] : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> ()
^bb1:
  return
}

// -----

func.func @regions(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) {
  %n = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{'onnx.GRU' op expects no regions, no successors, and another op after it in its block}}
  %y, %h = "onnx.GRU"(%x, %w, %r, %n, %n, %n) ({
  }) : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (tensor<5x1x2x4xf32>, none)
  return
}

// -----

// Ops of onnx-mlir that are used in a way that it does not write stay.
func.func @surroundings(%x: tensor<2xf32>) -> tensor<2xf32> {
  "onnx.Return"(%x)[^bb1] : (tensor<2xf32>) -> ()
^bb1:
  return %x : tensor<2xf32>
}
%entry = "onnx.EntryPoint"() {func = @surroundings} : () -> tensor<2xf32>
%result = func.call @surroundings(%entry) : (tensor<2xf32>) -> tensor<2xf32>
"test.region"() ({
  "onnx.Constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
}) : () -> ()
"test.region"() ({
  "onnx.NoValue"() {value} : () -> none
}) : () -> ()

// -----

// The region of a module is a graph: an op can be its own operand.
%x = "test.value"() : () -> tensor<5x2x3xf32>
%w = "test.value"() : () -> tensor<1x12x3xf32>
%r = "test.value"() : () -> tensor<1x12x4xf32>
%n = "onnx.NoValue"() {value} : () -> none
%y, %h = "onnx.GRU"(%x, %w, %r, %n, %n, %h)
    : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, tensor<1x2x4xf32>) -> (none, tensor<1x2x4xf32>)
