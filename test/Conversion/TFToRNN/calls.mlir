// calls.mlir - properties of unregistered ops, calls of TensorFlow's, and unused zeros.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -convert-tf-to-rnn -verify-diagnostics | FileCheck %s

// Properties are read like attributes.
// CHECK-LABEL: func @properties
// CHECK: rnn.cudnn_forward gru
// CHECK-SAME: is_training = false
func.func @properties(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<5x2x4xf32> {
  %y, %hn, %cn, %r = "tf.CudnnRNN"(%x, %h, %h, %p) <{rnn_mode = "gru", is_training = false}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<*xf32>, tensor<*xf32>)
  return %y : tensor<5x2x4xf32>
}

// -----

func.func @misspelled(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'tf.CudnnRNN' op has an unknown attribute `rnn_mod`; did you mean `rnn_mode`?}}
  %0:4 = "tf.CudnnRNN"(%x, %h, %h, %p) <{rnn_mod = "gru"}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @twice(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'tf.CudnnRNN' op has the attribute `seed` both as a property and as a discardable attribute; remove one}}
  %0:4 = "tf.CudnnRNN"(%x, %h, %h, %p) <{seed = 1 : i64}> {seed = 2 : i64}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

// Calls are inlined. Their declared types may be less exact than those of the function.
// CHECK-LABEL: func @caller
// CHECK: %{{.*}}, %{{.*}}, %[[R:.*]] = rnn.cudnn_forward gru
// CHECK: rnn.cudnn_backprop gru {{.*}} reserve(%[[R]] : tensor<?xi8>)
// CHECK-NOT: tf.
// CHECK-NOT: func private
func.func @caller(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<?xf32> {
  %y, %r = "tf.StatefulPartitionedCall"(%x, %h, %p) <{config = "", f = @forward}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>) -> (tensor<?x2x4xf32>, tensor<?xf32>)
  %dp = "tf.PartitionedCall"(%x, %h, %p, %y, %r) {f = @backward}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<?x2x4xf32>, tensor<?xf32>) -> tensor<?xf32>
  // Of no use, but left by automatic differentiation.
  %z = "tf.ZerosLike"(%r) : (tensor<?xf32>) -> tensor<?xf32>
  return %dp : tensor<?xf32>
}
func.func private @forward(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> (tensor<5x2x4xf32>, tensor<?xf32>) {
  %y, %hn, %cn, %r = "tf.CudnnRNN"(%x, %h, %h, %p) <{rnn_mode = "gru"}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<*xf32>, tensor<?xf32>)
  return %y, %r : tensor<5x2x4xf32>, tensor<?xf32>
}
func.func private @backward(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x4xf32>,
                            %r: tensor<?xf32>) -> tensor<?xf32> {
  %0:4 = "tf.CudnnRNNBackprop"(%x, %h, %h, %p, %y, %h, %h, %y, %h, %h, %r) <{rnn_mode = "gru"}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>,
         tensor<1x2x4xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<?xf32>)
  return %0#3 : tensor<?xf32>
}

// -----

// Functions that call each other stay functions, and so do public ones.
// CHECK-LABEL: func @recursion
// CHECK: call @even(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: func.func private @even
// CHECK: call @even
// CHECK: func.func @public
// CHECK-NOT: tf.
func.func @recursion(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "tf.PartitionedCall"(%x) <{f = @even}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "tf.PartitionedCall"(%0) <{f = @public}> : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @even(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "tf.PartitionedCall"(%x) <{f = @odd}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @odd(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "tf.PartitionedCall"(%x) <{f = @even}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @public(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// A call with another number or other types of arguments or results than the function stays.
// CHECK-LABEL: func @other_types
// CHECK: "tf.PartitionedCall"(%{{.*}}) {{.*}}@callee} : (tensor<5xf32>) -> tensor<4xf32>
// CHECK: "tf.PartitionedCall"(%{{.*}}) {{.*}}@callee} : (tensor<4xf32>) -> tensor<4xf64>
// CHECK: "tf.PartitionedCall"(%{{.*}}, %{{.*}}) {{.*}}@callee}
// CHECK: "tf.PartitionedCall"(%{{.*}}) {{.*}}@callee} : (tensor<4xf32>) -> ()
// CHECK: func.func private @callee
func.func @other_types(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-warning @below {{the call is not inlined: expects operand 0 to have the type of argument 0 of `callee`, 'tensor<4xf32>', but got 'tensor<5xf32>'}}
  %0 = "tf.PartitionedCall"(%y) <{f = @callee}> : (tensor<5xf32>) -> tensor<4xf32>
  // expected-warning @below {{expects result 0 to have the type of result 0 of `callee`, 'tensor<4xf32>', but got 'tensor<4xf64>'}}
  %1 = "tf.PartitionedCall"(%x) <{f = @callee}> : (tensor<4xf32>) -> tensor<4xf64>
  // expected-warning @below {{expects as many operands as `callee` has arguments, 1, but got 2}}
  %2 = "tf.PartitionedCall"(%x, %x) <{f = @callee}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-warning @below {{expects as many results as `callee` has results, 1, but got 0}}
  "tf.PartitionedCall"(%x) <{f = @callee}> : (tensor<4xf32>) -> ()
  return
}
func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// TensorFlow's names, instead of those that MLIR prints for arguments without one.
// CHECK-LABEL: func @names
// CHECK-SAME: %{{.*}}: tensor<4xf32> {rnn.name = "x", {{[^}]*}}}, %{{.*}}: tensor<4xf32> {rnn.name = "h", {{[^}]*}}}, %{{.*}}: tensor<4xf32> {rnn.name = "own", {{[^}]*}}})
// CHECK-SAME: -> (tensor<4xf32> {rnn.name = "y", {{[^}]*}}})
func.func @names(%arg0: tensor<4xf32> {rnn.name = "arg0", tf._user_specified_name = "x"},
                 %arg1: tensor<4xf32> {tf_saved_model.index_path = ["state", "h"]},
                 %arg2: tensor<4xf32> {rnn.name = "own", tf._user_specified_name = "z"})
    -> (tensor<4xf32> {tf_saved_model.index_path = ["y"]}) attributes {tf_saved_model.exported_names = ["names"]} {
  return %arg0 : tensor<4xf32>
}

// -----

// Another op that refers to the function by a property.
func.func @other_use(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-error @below {{'tf.While' op uses '@forward' in an op other than a call of its type, so the type of its reserve space cannot change to tensor<?xi8>}}
  %0 = "tf.While"(%x) <{body = @forward}> : (tensor<5x2x3xf32>) -> tensor<5x2x3xf32>
  return
}
func.func private @forward(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> (tensor<5x2x4xf32>, tensor<?xf32>) {
  // expected-note @below {{it is the `reserve_space` of this 'tf.CudnnRNN'}}
  %y, %hn, %cn, %r = "tf.CudnnRNN"(%x, %h, %h, %p) <{rnn_mode = "gru"}>
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<*xf32>, tensor<?xf32>)
  return %y, %r : tensor<5x2x4xf32>, tensor<?xf32>
}

// -----

// What TensorFlow's automatic gradient of BlockLSTMV2 builds.
func.func @v1_gradient_of_v2(%n: tensor<i64>, %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>,
                             %p: tensor<4xf32>, %b: tensor<16xf32>) {
  // expected-note @below {{the forward op is here}}
  %0:7 = "tf.BlockLSTMV2"(%n, %x, %s, %s, %w, %p, %p, %p, %b)
      : (tensor<i64>, tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>,
         tensor<4xf32>, tensor<16xf32>) -> (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
         tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>)
  // expected-warning @below {{'tf.BlockLSTMGrad' reads gates in the order icfo, but its saved values come from tf.BlockLSTMV2, whose weights have the order ifco, as in TensorFlow's automatic gradient; the gradient is wrong unless the gates are equal; use tf.BlockLSTMGradV2}}
  %1:8 = "tf.BlockLSTMGrad"(%n, %x, %s, %s, %w, %p, %p, %p, %b, %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#6, %0#6) <{use_peephole = false}>
      : (tensor<i64>, tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>,
         tensor<4xf32>, tensor<16xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
         tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>)
      -> (tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>,
          tensor<4xf32>, tensor<16xf32>)
  return
}

// -----

// Sizes that contradict each other behind a dynamic one.
// expected-note @below {{the tensor comes from here}}
func.func @contradiction(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<600xf32>) -> tensor<5x2x4xf32> {
  %q = "tf.Identity"(%p) : (tensor<600xf32>) -> tensor<?xf32>
  // expected-error @below {{a tensor of type 'tensor<600xf32>' is used as 'tensor<144xf32>', whose sizes contradict; correct one of the two types}}
  %r = "tf.Identity"(%q) : (tensor<?xf32>) -> tensor<144xf32>
  %0:4 = "tf.CudnnRNN"(%x, %h, %h, %r) : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<*xf32>)
  return %0#0 : tensor<5x2x4xf32>
}
