// cudnn.mlir - tf.CudnnRNN and tf.CudnnRNNBackprop: modes, versions, defaults, placeholders, batch-major layout.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -allow-unregistered-dialect -convert-tf-to-rnn | FileCheck %s

// Without attributes: lstm, linear_input, unidirectional, no dropout, training.

// CHECK-LABEL: func.func @v1_defaults
// CHECK-SAME: (%[[X:.*]]: tensor<5x2x3xf32>, %[[H:.*]]: tensor<1x2x4xf32>, %[[C:.*]]: tensor<1x2x4xf32>, %[[P:.*]]: tensor<?xf32>)
// CHECK: %[[Y:.*]], %[[HN:.*]], %[[CN:.*]], %[[R:.*]] = rnn.cudnn_forward lstm input(%[[X]] : tensor<5x2x3xf32>)
// CHECK-SAME: state(%[[H]], %[[C]] : tensor<1x2x4xf32>) params(%[[P]] : tensor<?xf32>){{$}}
// CHECK: return %[[Y]], %[[HN]], %[[CN]] :
func.func @v1_defaults(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %p: tensor<?xf32>)
    -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %y, %hn, %cn, %r = "tf.CudnnRNN"(%x, %h, %c, %p)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
  return %y, %hn, %cn : tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

// -----

// Attributes of other dialects are kept, bookkeeping attributes are dropped.

// CHECK-LABEL: func.func @v1_all
// CHECK: rnn.cudnn_forward gru, bidirectional, skip_input
// CHECK-SAME: {dropout = 2.500000e-01 : f64, is_training = false, other.note = "kept", seed = 7 : i64, seed2 = -1 : i64}
func.func @v1_all(%x: tensor<5x2x4xf64>, %h: tensor<2x2x4xf64>, %c: tensor<0xf64>, %p: tensor<?xf64>)
    -> tensor<5x2x8xf64> {
  %y, %hn, %cn, %r = "tf.CudnnRNN"(%x, %h, %c, %p)
      {rnn_mode = "gru", input_mode = "skip_input", direction = "bidirectional", dropout = 0.25 : f32, seed = 7 : i64,
       seed2 = -1 : i64, is_training = false, T = f64, device = "", _class = ["loc:@x"], other.note = "kept"}
      : (tensor<5x2x4xf64>, tensor<2x2x4xf64>, tensor<0xf64>, tensor<?xf64>)
      -> (tensor<5x2x8xf64>, tensor<2x2x4xf64>, tensor<0xf64>, tensor<f64>)
  return %y : tensor<5x2x8xf64>
}

// -----

// Placeholders: output_c without cell, the reserve space of inference, host_reserved. The declared type decides
// what TensorFlow's shape does not.

// CHECK-LABEL: func.func @placeholders_inference
// CHECK: %[[Y:.*]], %{{.*}}, %{{.*}} = rnn.cudnn_forward rnn_tanh input({{.*}}) state(%{{[^,]*}} : tensor<1x2x4xf16>)
// CHECK: %[[C:.*]] = arith.constant dense<0.000000e+00> : tensor<f16>
// CHECK: %[[R0:.*]] = arith.constant dense<0.000000e+00> : tensor<0xf16>
// CHECK: %[[R:.*]] = tensor.cast %[[R0]] : tensor<0xf16> to tensor<?xf16>
// CHECK: %[[A0:.*]] = arith.constant dense<0> : tensor<0xi8>
// CHECK: %[[A:.*]] = tensor.cast %[[A0]] : tensor<0xi8> to tensor<*xi8>
// CHECK: return %[[Y]], %[[C]], %[[R]], %[[A]]
func.func @placeholders_inference(%x: tensor<5x2x3xf16>, %h: tensor<1x2x4xf16>, %c: tensor<*xf16>, %p: tensor<?xf16>)
    -> (tensor<5x2x4xf16>, tensor<f16>, tensor<?xf16>, tensor<*xi8>) {
  %y, %hn, %cn, %r, %a = "tf.CudnnRNNV2"(%x, %h, %c, %p) {rnn_mode = "rnn_tanh", is_training = false}
      : (tensor<5x2x3xf16>, tensor<1x2x4xf16>, tensor<*xf16>, tensor<?xf16>)
      -> (tensor<5x2x4xf16>, tensor<1x2x4xf16>, tensor<f16>, tensor<?xf16>, tensor<*xi8>)
  return %y, %cn, %r, %a : tensor<5x2x4xf16>, tensor<f16>, tensor<?xf16>, tensor<*xi8>
}

// -----

// CHECK-LABEL: func.func @placeholders_training
// CHECK: %[[C:.*]] = arith.constant dense<0.000000e+00> : tensor<1x2x4xf32>
// CHECK: %[[A0:.*]] = arith.constant dense<0> : tensor<2xi8>
// CHECK: %[[A:.*]] = tensor.cast %[[A0]] : tensor<2xi8> to tensor<?xi8>
// CHECK: return %[[C]], %[[A]]
func.func @placeholders_training(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>)
    -> (tensor<1x2x4xf32>, tensor<?xi8>) {
  %y, %hn, %cn, %r, %a = "tf.CudnnRNNV2"(%x, %h, %h, %p) {rnn_mode = "rnn_relu"}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<f32>, tensor<?xi8>)
  return %cn, %a : tensor<1x2x4xf32>, tensor<?xi8>
}

// -----

// CHECK-LABEL: func.func @v3_projection
// CHECK-SAME: %[[L:[^:]*]]: tensor<2xi32>
// CHECK: rnn.cudnn_forward lstm, auto_select input(%{{.*}} : tensor<5x2x3xf32>) state(%{{.*}}, %{{.*}} : tensor<1x2x4xf32>, tensor<1x2x8xf32>)
// CHECK-SAME: lengths(%[[L]] : tensor<2xi32>) {num_proj = 4 : i64}
func.func @v3_projection(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x8xf32>, %p: tensor<?xf32>,
                         %l: tensor<2xi32>) -> tensor<5x2x4xf32> {
  %y, %hn, %cn, %r, %a = "tf.CudnnRNNV3"(%x, %h, %c, %p, %l) {num_proj = 4 : i64, input_mode = "auto_select"}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x8xf32>, tensor<?xf32>, tensor<2xi32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x8xf32>, tensor<*xf32>, tensor<*xi8>)
  return %y : tensor<5x2x4xf32>
}

// -----

// cuDNN projects only to fewer units than the cell has.

// CHECK-LABEL: func.func @v3_projection_to_all_units
// CHECK: rnn.cudnn_forward lstm
// CHECK-NOT: num_proj
func.func @v3_projection_to_all_units(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>,
                                      %l: tensor<2xi32>) -> tensor<5x2x4xf32> {
  %y, %hn, %cn, %r, %a = "tf.CudnnRNNV3"(%x, %h, %h, %p, %l) {num_proj = 4 : i64}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<2xi32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<*xf32>, tensor<*xi8>)
  return %y : tensor<5x2x4xf32>
}

// -----

// Batch-major: `batch_major` for the sequences; the states are transposed, because TensorFlow's are [B, L*D, .].

// CHECK-LABEL: func.func @v3_batch_major
// CHECK-SAME: (%[[X:[^:]*]]: tensor<2x5x3xf32>, %[[H:[^:]*]]: tensor<2x3x4xf32>, %[[C:[^:]*]]: tensor<2x3x4xf32>,
// CHECK-NOT: linalg.transpose ins(%[[X]]
// CHECK: %[[HT:.*]] = linalg.transpose ins(%[[H]] : tensor<2x3x4xf32>) outs(%{{.*}} : tensor<3x2x4xf32>) permutation = [1, 0, 2]
// CHECK: %[[CT:.*]] = linalg.transpose ins(%[[C]] : tensor<2x3x4xf32>) outs(%{{.*}} : tensor<3x2x4xf32>) permutation = [1, 0, 2]
// CHECK: %[[Y:.*]], %[[HN:.*]], %[[CN:.*]], %{{.*}} = rnn.cudnn_forward lstm input(%[[X]] : tensor<2x5x3xf32>) state(%[[HT]], %[[CT]] : tensor<3x2x4xf32>)
// CHECK-SAME: {batch_major}
// CHECK: %[[HNT:.*]] = linalg.transpose ins(%[[HN]] :
// CHECK: %[[CNT:.*]] = linalg.transpose ins(%[[CN]] :
// CHECK: return %[[Y]], %[[HNT]], %[[CNT]]
func.func @v3_batch_major(%x: tensor<2x5x3xf32>, %h: tensor<2x3x4xf32>, %c: tensor<2x3x4xf32>, %p: tensor<?xf32>,
                          %l: tensor<2xi32>) -> (tensor<2x5x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %y, %hn, %cn, %r, %a = "tf.CudnnRNNV3"(%x, %h, %c, %p, %l) {time_major = false}
      : (tensor<2x5x3xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<?xf32>, tensor<2xi32>)
      -> (tensor<2x5x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<*xf32>, tensor<*xi8>)
  return %y, %hn, %cn : tensor<2x5x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @unranked
// CHECK-DAG: %[[X:.*]] = tensor.cast %{{.*}} : tensor<*xf32> to tensor<?x?x?xf32>
// CHECK-DAG: %[[P:.*]] = tensor.cast %{{.*}} : tensor<*xf32> to tensor<?xf32>
// CHECK-DAG: %[[L:.*]] = tensor.cast %{{.*}} : tensor<*xi32> to tensor<?xi32>
// CHECK: %[[Y:.*]], %{{.*}}, %{{.*}}, %{{.*}} = rnn.cudnn_forward lstm input(%[[X]] : tensor<?x?x?xf32>) {{.*}} params(%[[P]] : tensor<?xf32>) lengths(%[[L]] : tensor<?xi32>)
// CHECK: tensor.cast %[[Y]] : tensor<?x?x?xf32> to tensor<*xf32>
func.func @unranked(%x: tensor<*xf32>, %h: tensor<*xf32>, %c: tensor<*xf32>, %p: tensor<*xf32>, %l: tensor<*xi32>)
    -> tensor<*xf32> {
  %y, %hn, %cn, %r, %a = "tf.CudnnRNNV3"(%x, %h, %c, %p, %l)
      : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xi8>)
  return %y : tensor<*xf32>
}

// -----

// The position of each operand of the gradient. `output_h` and similar operands are [1, 2, 4], so only their names tell
// them apart.

// CHECK-LABEL: func.func @backprop_v1
// CHECK-SAME: (%[[X:[^:]*]]: tensor<5x2x3xf32>, %[[H:[^:]*]]: tensor<1x2x4xf32>, %[[C:[^:]*]]: tensor<1x2x4xf32>, %[[P:[^:]*]]: tensor<?xf32>, %[[Y:[^:]*]]: tensor<5x2x4xf32>, %[[HN:[^:]*]]: tensor<1x2x4xf32>, %[[CN:[^:]*]]: tensor<1x2x4xf32>, %[[DY:[^:]*]]: tensor<5x2x4xf32>, %[[DHN:[^:]*]]: tensor<1x2x4xf32>, %[[DCN:[^:]*]]: tensor<1x2x4xf32>, %[[R:[^:]*]]: tensor<?xi8>)
// CHECK: %[[DX:.*]], %[[DH:.*]], %[[DC:.*]], %[[DP:.*]] = rnn.cudnn_backprop lstm
// CHECK-SAME: input(%[[X]] : tensor<5x2x3xf32>) state(%[[H]], %[[C]] : tensor<1x2x4xf32>) params(%[[P]] : tensor<?xf32>)
// CHECK-SAME: output(%[[Y]], %[[HN]], %[[CN]] : tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
// CHECK-SAME: grads(%[[DY]], %[[DHN]], %[[DCN]] : tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
// CHECK-SAME: reserve(%[[R]] : tensor<?xi8>) {dropout = 5.000000e-01 : f64, seed = 3 : i64, seed2 = 4 : i64}
// CHECK: return %[[DX]], %[[DH]], %[[DC]], %[[DP]]
func.func @backprop_v1(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %p: tensor<?xf32>,
    %y: tensor<5x2x4xf32>, %hn: tensor<1x2x4xf32>, %cn: tensor<1x2x4xf32>, %dy: tensor<5x2x4xf32>,
    %dhn: tensor<1x2x4xf32>, %dcn: tensor<1x2x4xf32>, %r: tensor<?xi8>)
    -> (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>) {
  %0:4 = "tf.CudnnRNNBackprop"(%x, %h, %c, %p, %y, %hn, %cn, %dy, %dhn, %dcn, %r)
      {dropout = 0.5 : f32, seed = 3 : i64, seed2 = 4 : i64}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>,
         tensor<1x2x4xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xi8>)
      -> (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>
}

// -----

// Without cell, three operands are ignored and the gradient of the cell is a zero placeholder. host_reserved is ignored too;
// V2 never has the shape that it has here.

// CHECK-LABEL: func.func @backprop_v2_gru
// CHECK: rnn.cudnn_backprop gru input({{.*}}) state(%{{[^,]*}} : tensor<1x2x4xf32>) {{.*}} output(%{{[^,]*}}, %{{[^,]*}} : tensor<5x2x4xf32>, tensor<1x2x4xf32>) grads(%{{[^,]*}}, %{{[^,]*}} : tensor<5x2x4xf32>, tensor<1x2x4xf32>)
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<0xf32>
// CHECK: return %[[Z]]
func.func @backprop_v2_gru(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<0xf32>, %p: tensor<?xf32>,
    %y: tensor<5x2x4xf32>, %hn: tensor<1x2x4xf32>, %cn: tensor<f32>, %dy: tensor<5x2x4xf32>, %r: tensor<?xi8>,
    %a: tensor<7x1xi8>) -> tensor<0xf32> {
  %0:4 = "tf.CudnnRNNBackpropV2"(%x, %h, %c, %p, %y, %hn, %cn, %dy, %hn, %cn, %r, %a) {rnn_mode = "gru"}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<0xf32>, tensor<?xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>,
         tensor<f32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<f32>, tensor<?xi8>, tensor<7x1xi8>)
      -> (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<0xf32>, tensor<?xf32>)
  return %0#2 : tensor<0xf32>
}

// -----

// CHECK-LABEL: func.func @backprop_v3_batch_major
// CHECK-SAME: (%[[X:[^:]*]]: tensor<2x5x3xf32>, %[[H:[^:]*]]: tensor<2x1x4xf32>, %[[P:[^:]*]]: tensor<?xf32>, %[[L:[^:]*]]: tensor<2xi32>, %[[Y:[^:]*]]: tensor<2x5x4xf32>, %[[HN:[^:]*]]: tensor<2x1x4xf32>, %[[DY:[^:]*]]: tensor<2x5x4xf32>, %[[DHN:[^:]*]]: tensor<2x1x4xf32>,
// CHECK-NOT: linalg.transpose ins(%[[X]]
// CHECK-DAG: %[[HT:.*]] = linalg.transpose ins(%[[H]] :
// CHECK-DAG: %[[HNT:.*]] = linalg.transpose ins(%[[HN]] :
// CHECK-DAG: %[[DHNT:.*]] = linalg.transpose ins(%[[DHN]] :
// CHECK: %[[DX:.*]], %[[DH:.*]], %[[DP:.*]] = rnn.cudnn_backprop rnn_relu input(%[[X]] : tensor<2x5x3xf32>) state(%[[HT]] : tensor<1x2x4xf32>)
// CHECK-SAME: params(%[[P]] : tensor<?xf32>) lengths(%[[L]] : tensor<2xi32>) output(%[[Y]], %[[HNT]] : tensor<2x5x4xf32>, tensor<1x2x4xf32>)
// CHECK-SAME: grads(%[[DY]], %[[DHNT]] : tensor<2x5x4xf32>, tensor<1x2x4xf32>)
// CHECK-SAME: {batch_major}
// CHECK: %[[DHT:.*]] = linalg.transpose ins(%[[DH]] : tensor<1x2x4xf32>) outs(%{{.*}} : tensor<2x1x4xf32>)
// CHECK: return %[[DX]], %[[DHT]], %[[DP]]
func.func @backprop_v3_batch_major(%x: tensor<2x5x3xf32>, %h: tensor<2x1x4xf32>, %p: tensor<?xf32>, %l: tensor<2xi32>,
    %y: tensor<2x5x4xf32>, %hn: tensor<2x1x4xf32>, %dy: tensor<2x5x4xf32>, %dhn: tensor<2x1x4xf32>, %r: tensor<?xi8>,
    %a: tensor<i8>) -> (tensor<2x5x3xf32>, tensor<2x1x4xf32>, tensor<?xf32>) {
  %0:4 = "tf.CudnnRNNBackpropV3"(%x, %h, %h, %p, %l, %y, %hn, %hn, %dy, %dhn, %hn, %r, %a)
      {rnn_mode = "rnn_relu", time_major = false}
      : (tensor<2x5x3xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<?xf32>, tensor<2xi32>, tensor<2x5x4xf32>,
         tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<2x5x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<?xi8>,
         tensor<i8>)
      -> (tensor<2x5x3xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<?xf32>)
  return %0#0, %0#1, %0#3 : tensor<2x5x3xf32>, tensor<2x1x4xf32>, tensor<?xf32>
}
