// layers.mlir - PyTorch's layers. Their numbers are compared in test/Integration/Import.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -convert-torch-to-rnn -split-input-file | FileCheck %s
// RUN: rnn-opt %s -convert-torch-to-rnn=convert-functions=false -split-input-file | FileCheck %s --check-prefix=KEEP

// The signature becomes builtin, and slices of constant weights are constants.
// CHECK-LABEL: func.func @gru(
// CHECK-SAME: %[[X:.*]]: tensor<5x2x3xf32>, %[[H:.*]]: tensor<1x2x1xf32>) -> tensor<5x2x1xf32>
// CHECK-NOT: torch
// CHECK: %[[P:.*]] = rnn.cudnn_canonical_to_params gru
// CHECK: %[[Y:.*]], %{{.*}}, %{{.*}} = rnn.cudnn_forward gru input(%[[X]] : tensor<5x2x3xf32>) state(%[[H]] : tensor<1x2x1xf32>) params(%[[P]]
// CHECK: return %[[Y]]
// KEEP-LABEL: func.func @gru(
// KEEP-SAME: !torch.vtensor<[5,2,3],f32>
// KEEP: torch_c.to_builtin_tensor
// KEEP: rnn.cudnn_forward
// KEEP: torch_c.from_builtin_tensor
func.func @gru(%x: !torch.vtensor<[5,2,3],f32>, %h: !torch.vtensor<[1,2,1],f32>) -> !torch.vtensor<[5,2,1],f32> attributes {torch.assume_strict_symbolic_shapes} {
  %w = "torch.vtensor.literal"() <{value = dense<0.5> : tensor<3x3xf32>}> : () -> !torch.vtensor<[3,3],f32>
  %r = "torch.vtensor.literal"() <{value = dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>}> : () -> !torch.vtensor<[3,1],f32>
  %params = "torch.prim.ListConstruct"(%w, %r) : (!torch.vtensor<[3,3],f32>, !torch.vtensor<[3,1],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %zero = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %y, %hn = "torch.aten.gru.input"(%x, %h, %params, %no, %one, %zero, %no, %no, %no)
      : (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[1,2,1],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool)
      -> (!torch.vtensor<[5,2,1],f32>, !torch.vtensor<[1,2,1],f32>)
  return %y : !torch.vtensor<[5,2,1],f32>
}

// -----

// Other ops of torch stay between conversions; calls and cells too.
// CHECK-LABEL: func.func @others(
// CHECK-SAME: %[[X:.*]]: tensor<?x3xi64>
// CHECK: %[[T:.*]] = "torch_c.from_builtin_tensor"
// CHECK: %[[N:.*]] = "torch.aten.neg"(%[[T]])
// CHECK: %[[B:.*]] = "torch_c.to_builtin_tensor"(%[[N]])
// CHECK: call @callee(%[[B]]) : (tensor<?x3xi64>) -> tensor<?x3xi64>
func.func private @callee(%x: !torch.vtensor<[?,3],si64>) -> !torch.vtensor<[?,3],si64>
func.func @others(%x: !torch.vtensor<[?,3],si64>) -> !torch.vtensor<[?,3],si64> {
  %0 = "torch.aten.neg"(%x) : (!torch.vtensor<[?,3],si64>) -> !torch.vtensor<[?,3],si64>
  %1 = call @callee(%0) : (!torch.vtensor<[?,3],si64>) -> !torch.vtensor<[?,3],si64>
  return %1 : !torch.vtensor<[?,3],si64>
}

// -----

// Dropout between layers drops in training only.
// CHECK-LABEL: func.func @dropout(
// CHECK: %[[INFERENCE:.*]], %{{.*}}, %{{.*}} = rnn.cudnn_forward rnn_tanh
// CHECK-SAME: {is_training = false}
// CHECK: %[[TRAINING:.*]], %{{.*}}, %{{.*}} = rnn.cudnn_forward rnn_tanh
// CHECK-SAME: {dropout = 5.000000e-01 : f64}
// CHECK: return %[[INFERENCE]], %[[TRAINING]]
func.func @dropout(%x: !torch.vtensor<[5,2,1],f32>, %h: !torch.vtensor<[2,2,1],f32>)
    -> (!torch.vtensor<[5,2,1],f32>, !torch.vtensor<[5,2,1],f32>) {
  %w = "torch.vtensor.literal"() <{value = dense<0.5> : tensor<1x1xf32>}> : () -> !torch.vtensor<[1,1],f32>
  %params = "torch.prim.ListConstruct"(%w, %w, %w, %w) : (!torch.vtensor<[1,1],f32>, !torch.vtensor<[1,1],f32>, !torch.vtensor<[1,1],f32>, !torch.vtensor<[1,1],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %yes = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  %two = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %inference, %h0 = "torch.aten.rnn_tanh.input"(%x, %h, %params, %no, %two, %half, %no, %no, %no)
      : (!torch.vtensor<[5,2,1],f32>, !torch.vtensor<[2,2,1],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool)
      -> (!torch.vtensor<[5,2,1],f32>, !torch.vtensor<[2,2,1],f32>)
  %training, %h1 = "torch.aten.rnn_tanh.input"(%x, %h, %params, %no, %two, %half, %yes, %no, %no)
      : (!torch.vtensor<[5,2,1],f32>, !torch.vtensor<[2,2,1],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool)
      -> (!torch.vtensor<[5,2,1],f32>, !torch.vtensor<[2,2,1],f32>)
  return %inference, %training : !torch.vtensor<[5,2,1],f32>, !torch.vtensor<[5,2,1],f32>
}

// -----

// The initial state of a layer that is called without one: zeros of a static shape.
// CHECK-LABEL: func.func @zeros(
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<1x2x1xf32>
// CHECK: rnn.cudnn_forward rnn_tanh {{.*}} state(%[[ZEROS]]
// CHECK-NOT: torch.
func.func @zeros(%x: !torch.vtensor<[5,2,1],f32>) -> !torch.vtensor<[5,2,1],f32> {
  %w = "torch.vtensor.literal"() <{value = dense<0.5> : tensor<1x1xf32>}> : () -> !torch.vtensor<[1,1],f32>
  %params = "torch.prim.ListConstruct"(%w, %w) : (!torch.vtensor<[1,1],f32>, !torch.vtensor<[1,1],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %none = "torch.constant.none"() : () -> !torch.none
  %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %two = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %dropout = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  %sizes = "torch.prim.ListConstruct"(%one, %two, %one) : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %h = "torch.aten.zeros"(%sizes, %none, %none, %none, %no) : (!torch.list<int>, !torch.none, !torch.none, !torch.none, !torch.bool) -> !torch.vtensor<[1,2,1],f32>
  %y, %hn = "torch.aten.rnn_tanh.input"(%x, %h, %params, %no, %one, %dropout, %no, %no, %no)
      : (!torch.vtensor<[5,2,1],f32>, !torch.vtensor<[1,2,1],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool)
      -> (!torch.vtensor<[5,2,1],f32>, !torch.vtensor<[1,2,1],f32>)
  return %y : !torch.vtensor<[5,2,1],f32>
}

// -----

// The batch size is that of the input. The dimension -2 is dimension 1.
// CHECK-LABEL: func.func @dynamic_zeros(
// CHECK-SAME: %[[X:.*]]: tensor<5x?x1xf32>
// CHECK: %[[B:.*]] = tensor.dim %[[X]], %c1
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[B]]) : tensor<1x?x1xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[EMPTY]]
// CHECK: rnn.cudnn_forward rnn_tanh {{.*}} state(%[[ZEROS]]
// CHECK-NOT: torch.
func.func @dynamic_zeros(%x: !torch.vtensor<[5,?,1],f32>) -> !torch.vtensor<[5,?,1],f32> {
  %w = "torch.vtensor.literal"() <{value = dense<0.5> : tensor<1x1xf32>}> : () -> !torch.vtensor<[1,1],f32>
  %params = "torch.prim.ListConstruct"(%w, %w) : (!torch.vtensor<[1,1],f32>, !torch.vtensor<[1,1],f32>) -> !torch.list<vtensor>
  %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %none = "torch.constant.none"() : () -> !torch.none
  %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %dim = "torch.constant.int"() <{value = -2 : i64}> : () -> !torch.int
  %dropout = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  %batch = "torch.aten.size.int"(%x, %dim) : (!torch.vtensor<[5,?,1],f32>, !torch.int) -> !torch.int
  %sizes = "torch.prim.ListConstruct"(%one, %batch, %one) : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %h = "torch.aten.new_zeros"(%x, %sizes, %none, %none, %none, %no) : (!torch.vtensor<[5,?,1],f32>, !torch.list<int>, !torch.none, !torch.none, !torch.none, !torch.bool) -> !torch.vtensor<[1,?,1],f32>
  %y, %hn = "torch.aten.rnn_tanh.input"(%x, %h, %params, %no, %one, %dropout, %no, %no, %no)
      : (!torch.vtensor<[5,?,1],f32>, !torch.vtensor<[1,?,1],f32>, !torch.list<vtensor>, !torch.bool, !torch.int, !torch.float, !torch.bool, !torch.bool, !torch.bool)
      -> (!torch.vtensor<[5,?,1],f32>, !torch.vtensor<[1,?,1],f32>)
  return %y : !torch.vtensor<[5,?,1],f32>
}
