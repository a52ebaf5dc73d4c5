// lstm.mlir - calls of cuDNN's and MIOpen's LSTM, and what surrounds them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -convert-jax-to-rnn -split-input-file | FileCheck %s

// x and y are batch-major; the states are not.
// CHECK-LABEL: @forward(
// CHECK-SAME: %[[X:.*]]: tensor<2x5x3xf32>, %[[H:.*]]: tensor<1x2x4xf32>, %[[C:.*]]: tensor<1x2x4xf32>, %[[W:.*]]: tensor<144xf32>, %[[N:.*]]: tensor<2xi32>
// CHECK-NOT: linalg.transpose
// CHECK: %[[Y:.*]], %[[HN:.*]], %{{.*}}, %{{.*}} = rnn.cudnn_forward lstm input(%[[X]] : tensor<2x5x3xf32>) state(%[[H]], %[[C]] : tensor<1x2x4xf32>)
// CHECK-SAME: params(%[[W]] : tensor<144xf32>) lengths(%[[N]] : tensor<2xi32>) {batch_major}
// CHECK-NOT: linalg.transpose
// CHECK: return %[[Y]], %[[HN]]
func.func @forward(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi32>) -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>) {
  %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w, %n) <{call_target_name = "cudnn_rnn_ffi", backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}, api_version = 4 : i32, called_computations = [], has_side_effect = false}>
      : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>)
      -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  return %0#0, %0#1 : tensor<2x5x4xf32>, tensor<1x2x4xf32>
}

// -----

// The form of older versions: the descriptor is a string. Two directions, dropout.
// CHECK-LABEL: @older
// CHECK: rnn.cudnn_forward lstm, bidirectional {{.*}}{batch_major, dropout = 2.500000e-01
func.func @older(%x: tensor<2x5x3xf32>, %h: tensor<2x2x4xf32>, %w: tensor<288xf32>, %n: tensor<2xi32>) -> tensor<2x5x8xf32> {
  %0:5 = "mhlo.custom_call"(%x, %h, %h, %w, %n) <{call_target_name = "cudnn_rnn", backend_config = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\80\3E\01\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}>
      : (tensor<2x5x3xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<288xf32>, tensor<2xi32>)
      -> (tensor<2x5x8xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  return %0#0 : tensor<2x5x8xf32>
}

// -----

// MIOpen's gate order: the last two gates of W, R and both biases are exchanged.
// CHECK-LABEL: @miopen
// CHECK: tensor.extract_slice %{{.*}}[36] [12] [1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[24] [12] [1]
// CHECK: tensor.extract_slice %{{.*}}[24] [12] [1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[36] [12] [1]
// CHECK: tensor.extract_slice %{{.*}}[96] [16] [1]
// CHECK: tensor.extract_slice %{{.*}}[124] [4] [1]
// CHECK: tensor.extract_slice %{{.*}}[140] [4] [1]
// CHECK: rnn.cudnn_forward
func.func @miopen(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi32>) -> tensor<2x5x4xf32> {
  %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w, %n) <{call_target_name = "hipdnn_rnn_ffi", backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}}>
      : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>)
      -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  return %0#0 : tensor<2x5x4xf32>
}

// -----

// The reserve space becomes bytes, through functions too. The gradient of the parameters is added to operand 9 unless
// that is zero. A used workspace is zero.
// CHECK-LABEL: @saved(
// CHECK-SAME: -> (tensor<2x5x4xf32>, tensor<?xi8>, tensor<1000xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<1000xf32>
// CHECK: return %{{.*}}, %{{.*}}, %[[ZERO]]
func.func @saved(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi32>) -> (tensor<2x5x4xf32>, tensor<2000xf32>, tensor<1000xf32>) {
  %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w, %n) <{call_target_name = "cudnn_rnn_ffi", backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}}>
      : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>)
      -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
  return %0#0, %0#4, %0#3 : tensor<2x5x4xf32>, tensor<2000xf32>, tensor<1000xf32>
}
// CHECK-LABEL: @gradient(
// CHECK: %[[SAVED:.*]]:3 = call @saved
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}, %[[DW:.*]] = rnn.cudnn_backprop lstm
// CHECK-SAME: reserve(%[[SAVED]]#1 : tensor<?xi8>) {batch_major}
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[DW]]
// CHECK: return %[[SUM]]
func.func @gradient(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>, %n: tensor<2xi32>, %dy: tensor<2x5x4xf32>, %sum: tensor<144xf32>) -> tensor<144xf32> {
  %y, %r, %s = call @saved(%x, %h, %c, %w, %n) : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>) -> (tensor<2x5x4xf32>, tensor<2000xf32>, tensor<1000xf32>)
  %0:5 = "stablehlo.custom_call"(%dy, %h, %c, %x, %h, %c, %w, %y, %r, %sum, %n) <{call_target_name = "cudnn_rnn_bwd_ffi", backend_config = {opaque = "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [3], operand_index = 9, operand_tuple_indices = []>]}>
      : (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2x5x4xf32>, tensor<2000xf32>, tensor<144xf32>, tensor<2xi32>)
      -> (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<1000xf32>)
  return %0#3 : tensor<144xf32>
}

// -----

// Other calls stay, with their ops.
// CHECK-LABEL: @others
// CHECK: "stablehlo.custom_call"(%{{.*}}) <{call_target_name = "topk"}>
func.func @others(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.custom_call"(%x) <{call_target_name = "topk"}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
