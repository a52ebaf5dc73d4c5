// layers.mlir - ONNX's layers in the forms of onnx-mlir and of torch-mlir. Their numbers are compared in
// test/Integration/Import.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -convert-onnx-to-rnn -split-input-file | FileCheck %s

// Absent operands of onnx-mlir have type none. Weights of gates i, o, f, c become i, f, c, o; slices of constants are
// constants. What onnx-mlir puts around layers becomes upstream ops.
// CHECK-LABEL: func.func @lstm(
// CHECK-SAME: %[[X:.*]]: tensor<5x2x3xf32>, %[[R:.*]]: tensor<1x4x1xf32>
// CHECK-NOT: onnx
// CHECK-DAG: arith.constant dense<{{.*}}1.000000e+00, 1.100000e+01, 1.200000e+01{{.*}}> : tensor<1x3xf32>
// CHECK-DAG: arith.constant dense<{{.*}}3.000000e+00, 3.100000e+01, 3.200000e+01{{.*}}> : tensor<1x3xf32>
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [1, 1]
// CHECK: tensor.extract_slice %{{.*}}[2, 0] [1, 1]
// CHECK: tensor.extract_slice %{{.*}}[3, 0] [1, 1]
// CHECK: tensor.extract_slice %{{.*}}[1, 0] [1, 1]
// CHECK: rnn.cudnn_canonical_to_params lstm
// CHECK: rnn.cudnn_forward lstm input(%[[X]] : tensor<5x2x3xf32>) {{.*}}is_training = false
// CHECK: tensor.expand_shape
// CHECK: return %{{.*}} : tensor<5x1x2x1xf32>
func.func @lstm(%x: tensor<5x2x3xf32>, %r: tensor<1x4x1xf32>) -> tensor<5x1x2x1xf32> {
  %w = "onnx.Constant"() {value = dense<[[[1.0, 11.0, 12.0], [2.0, 21.0, 22.0], [3.0, 31.0, 32.0], [4.0, 41.0, 42.0]]]> : tensor<1x4x3xf32>} : () -> tensor<1x4x3xf32>
  %none = "onnx.NoValue"() {value} : () -> none
  %y, %h, %c = "onnx.LSTM"(%x, %w, %r, %none, %none, %none, %none, %none) {hidden_size = 1 : si64, onnx_node_name = "lstm"}
      : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x1xf32>, none, none, none, none, none) -> (tensor<5x1x2x1xf32>, none, none)
  "onnx.Return"(%y) : (tensor<5x1x2x1xf32>) -> ()
}
"onnx.EntryPoint"() {func = @lstm} : () -> ()

// -----

// linear_before_reset is a GRU of cuDNN, and the default is a loop. Unranked results are cast.
// CHECK-LABEL: func.func @gru_after(
// CHECK: rnn.cudnn_forward gru
// CHECK: tensor.cast %{{.*}} to tensor<*xf32>
func.func @gru_after(%x: tensor<?x?x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) -> tensor<*xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  %y, %h = "onnx.GRU"(%x, %w, %r, %none, %none, %none) {linear_before_reset = 1 : si64}
      : (tensor<?x?x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (tensor<*xf32>, none)
  return %y : tensor<*xf32>
}
// CHECK-LABEL: func.func @gru_before(
// CHECK-NOT: rnn.
// CHECK: scf.for
func.func @gru_before(%x: tensor<?x?x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) -> tensor<1x?x4xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  %y, %h = "onnx.GRU"(%x, %w, %r, %none, %none, %none)
      : (tensor<?x?x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (none, tensor<1x?x4xf32>)
  return %h : tensor<1x?x4xf32>
}

// -----

// In torch-mlir's form attributes have a prefix, and tensors torch's types. Both activations of RNN's default are
// accepted for one direction.
// CHECK-LABEL: func.func @rnn(
// CHECK: %[[X:.*]] = "torch_c.to_builtin_tensor"(%{{.*}}) : (!torch.vtensor<[5,2,3],f32>) -> tensor<5x2x3xf32>
// CHECK: rnn.cudnn_forward rnn_relu input(%[[X]]
// CHECK-SAME: batch_major
// CHECK: "torch_c.from_builtin_tensor"(%{{.*}}) : (tensor<5x1x4xf32>) -> !torch.vtensor<[5,1,4],f32>
func.func @rnn(%x: !torch.vtensor<[5,2,3],f32>, %w: !torch.vtensor<[1,4,3],f32>, %r: !torch.vtensor<[1,4,4],f32>) -> !torch.vtensor<[5,1,4],f32> {
  %y, %h = "torch.operator"(%x, %w, %r) <{name = "onnx.RNN"}> {torch.onnx.layout = 1 : si64, torch.onnx.activations = ["relu", "Relu"]}
      : (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[1,4,3],f32>, !torch.vtensor<[1,4,4],f32>) -> (!torch.none, !torch.vtensor<[5,1,4],f32>)
  return %h : !torch.vtensor<[5,1,4],f32>
}
