// reserve.mlir - the type of a reserve space becomes bytes everywhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -allow-unregistered-dialect -convert-tf-to-rnn | FileCheck %s
// RUN: rnn-opt %s -split-input-file -allow-unregistered-dialect -convert-tf-to-rnn \
// RUN:   -remark-format=emitRemark -remarks-filter=convert-tf-to-rnn -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

// Inside a function, through casts and identities.

// CHECK-LABEL: func.func @one_function
// CHECK: %[[Y:.*]], %[[HN:.*]], %[[R:.*]] = rnn.cudnn_forward gru
// CHECK-NOT: {{tf\.|tensor.cast}}
// CHECK: rnn.cudnn_backprop gru {{.*}} reserve(%[[R]] : tensor<?xi8>)
func.func @one_function(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %dy: tensor<5x2x4xf32>)
    -> tensor<?xf32> {
  %y, %hn, %cn, %r = "tf.CudnnRNN"(%x, %h, %h, %p) {rnn_mode = "gru"}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<f32>, tensor<*xf32>)
  %r1 = "tf.Identity"(%r) : (tensor<*xf32>) -> tensor<*xf32>
  %r2 = tensor.cast %r1 : tensor<*xf32> to tensor<16xf32>
  %0:4 = "tf.CudnnRNNBackprop"(%x, %h, %h, %p, %y, %hn, %cn, %dy, %hn, %cn, %r2) {rnn_mode = "gru"}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>,
         tensor<f32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<f32>, tensor<16xf32>)
      -> (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<f32>, tensor<?xf32>)
  return %0#3 : tensor<?xf32>
}

// -----

// Through results, arguments and calls; signatures change, other values of the same type do not.

// REMARK-DAG: remark: {{.*}}Reason="a reserve space is bytes, not elements of the layer's type", Remark="'@forward' passes reserve spaces as tensor<?xi8>"
// REMARK-DAG: remark: {{.*}}'@backward' passes reserve spaces as tensor<?xi8>

// CHECK-LABEL: func.func @forward(
// CHECK-SAME: -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xi8>, tensor<?xf32>)
// CHECK: %[[Y:.*]], %[[HN:.*]], %[[R:.*]] = rnn.cudnn_forward
// CHECK: return %[[Y]], %[[HN]], %[[R]], %{{.*}} : tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xi8>, tensor<?xf32>
func.func @forward(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>)
    -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<?xf32>) {
  %y, %hn, %cn, %r, %a = "tf.CudnnRNNV2"(%x, %h, %h, %p) {rnn_mode = "gru"}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<f32>, tensor<?xf32>, tensor<*xi8>)
  return %y, %hn, %r, %p : tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func private @backward(
// CHECK-SAME: tensor<?xf32>, %[[Y:[^:]*]]: tensor<5x2x4xf32>, %[[HN:[^:]*]]: tensor<1x2x4xf32>, %[[R:[^:]*]]: tensor<?xi8>) -> tensor<?xf32>
// CHECK: reserve(%[[R]] : tensor<?xi8>)
func.func private @backward(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x4xf32>,
                            %hn: tensor<1x2x4xf32>, %r: tensor<?xf32>) -> tensor<?xf32> {
  %a = arith.constant dense<0> : tensor<2xi8>
  %0:4 = "tf.CudnnRNNBackpropV2"(%x, %h, %h, %p, %y, %hn, %hn, %y, %hn, %hn, %r, %a) {rnn_mode = "gru"}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>,
         tensor<1x2x4xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<2xi8>)
      -> (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
  return %0#3 : tensor<?xf32>
}

// A function without layers.

// CHECK-LABEL: func.func @step(
// CHECK: %[[F:.*]]:4 = call @forward(%{{.*}}) : {{.*}} -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xi8>, tensor<?xf32>)
// CHECK: call @backward({{.*}}%[[F]]#2) : ({{.*}}, tensor<?xi8>) -> tensor<?xf32>
func.func @step(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<?xf32> {
  %y, %hn, %r, %q = call @forward(%x, %h, %p) : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<?xf32>)
  %d = call @backward(%x, %h, %q, %y, %hn, %r) : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>,
      tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %d : tensor<?xf32>
}

// -----

// A module may use bytes from the start, in any declared shape.

// CHECK-LABEL: func.func @bytes
// CHECK-SAME: -> (tensor<64xi8>, tensor<*xi8>)
// CHECK-DAG: tensor.cast %reserve_space : tensor<?xi8> to tensor<64xi8>
// CHECK-DAG: tensor.cast %reserve_space{{.*}} : tensor<0xi8> to tensor<*xi8>
func.func @bytes(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> (tensor<64xi8>, tensor<*xi8>) {
  %y, %hn, %cn, %r = "tf.CudnnRNN"(%x, %h, %h, %p)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<64xi8>)
  %y1, %hn1, %cn1, %r1 = "tf.CudnnRNN"(%x, %h, %h, %p) {is_training = false}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<*xi8>)
  return %r, %r1 : tensor<64xi8>, tensor<*xi8>
}

// -----

// Calls are found under unregistered ops with regions too.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME: -> tensor<?xi8>
func.func @forward(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<*xf32> {
  %y, %hn, %cn, %r = "tf.CudnnRNN"(%x, %h, %h, %p)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return %r : tensor<*xf32>
}

// CHECK-LABEL: func.func @under_a_region
// CHECK: "tf.IfRegion"
// CHECK: call @forward({{.*}}) : {{.*}} -> tensor<?xi8>
func.func @under_a_region(%c: tensor<i1>, %x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  "tf.IfRegion"(%c) ({
    %r = func.call @forward(%x, %h, %p) : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>) -> tensor<*xf32>
    "tf.Yield"() : () -> ()
  }, {
    "tf.Yield"() : () -> ()
  }) : (tensor<i1>) -> ()
  return
}
