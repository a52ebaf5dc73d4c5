// params.mlir - tf.CudnnRNNParamsSize and the conversions between canonical and opaque parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -allow-unregistered-dialect -convert-tf-to-rnn | FileCheck %s

// CHECK-LABEL: func.func @size_constant
// CHECK-DAG: %[[L:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[H:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[I:.*]] = arith.constant 3 : index
// CHECK: %[[N:.*]] = rnn.cudnn_params_size gru, bidirectional sizes(%[[L]], %[[H]], %[[I]]) {element_type = f16}
// CHECK: %[[S:.*]] = arith.index_cast %[[N]] : index to i32
// CHECK: %[[T:.*]] = tensor.from_elements %[[S]] : tensor<1xi32>
// CHECK: return %[[T]]
func.func @size_constant() -> tensor<1xi32> {
  %l = "tf.Const"() {value = dense<2> : tensor<i32>} : () -> tensor<i32>
  %h = arith.constant dense<4> : tensor<i32>
  %i = "tf.Const"() {value = dense<3> : tensor<i32>} : () -> tensor<*xi32>
  %n = "tf.CudnnRNNParamsSize"(%l, %h, %i)
      {T = f16, S = i32, rnn_mode = "gru", direction = "bidirectional", dropout = 0.5 : f32, seed = 1 : i64,
       seed2 = 2 : i64} : (tensor<i32>, tensor<i32>, tensor<*xi32>) -> tensor<1xi32>
  return %n : tensor<1xi32>
}

// -----

// A dynamic size saturates in i32.

// CHECK-LABEL: func.func @size_dynamic
// CHECK: %[[L0:.*]] = tensor.extract %{{.*}}[] : tensor<i32>
// CHECK: %[[L:.*]] = arith.index_cast %[[L0]] : i32 to index
// CHECK: %[[N:.*]] = rnn.cudnn_params_size lstm sizes(%[[L]], %{{.*}}, %{{.*}}) {element_type = f32, num_proj = 2 : i64}
// CHECK: %[[MAX:.*]] = arith.constant 2147483647 : index
// CHECK: %[[M:.*]] = arith.minsi %[[N]], %[[MAX]] : index
// CHECK: arith.index_cast %[[M]] : index to i32
// CHECK: tensor.cast %{{.*}} : tensor<1xi32> to tensor<?xi32>
func.func @size_dynamic(%l: tensor<i32>, %h: tensor<i32>, %i: tensor<i32>) -> tensor<?xi32> {
  %n = "tf.CudnnRNNParamsSize"(%l, %h, %i) {T = f32, num_proj = 2 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  return %n : tensor<?xi32>
}

// -----

// CHECK-LABEL: func.func @size_i64
// CHECK: %[[N:.*]] = rnn.cudnn_params_size
// CHECK: %[[S:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: tensor.from_elements %[[S]] : tensor<1xi64>
func.func @size_i64(%l: tensor<i32>, %h: tensor<i32>, %i: tensor<i32>) -> tensor<1xi64> {
  %n = "tf.CudnnRNNParamsSize"(%l, %h, %i) {T = f64, S = i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xi64>
  return %n : tensor<1xi64>
}

// -----

// Weights are matrices or flat.

// CHECK-LABEL: func.func @pack
// CHECK-SAME: (%[[W:[^:]*]]: tensor<4x3xf32>, %[[R:[^:]*]]: tensor<16xf32>, %[[B0:[^:]*]]: tensor<4xf32>, %[[B1:[^:]*]]: tensor<4xf32>)
// CHECK: %[[P:.*]] = rnn.cudnn_canonical_to_params rnn_tanh sizes({{.*}}) weights(%[[W]], %[[R]] : tensor<4x3xf32>, tensor<16xf32>) biases(%[[B0]], %[[B1]] : tensor<4xf32>)
// CHECK: %[[C:.*]] = tensor.cast %[[P]] : tensor<?xf32> to tensor<36xf32>
// CHECK: return %[[C]]
func.func @pack(%w: tensor<4x3xf32>, %r: tensor<16xf32>, %b0: tensor<4xf32>, %b1: tensor<4xf32>) -> tensor<36xf32> {
  %one = arith.constant dense<1> : tensor<i32>
  %units = arith.constant dense<4> : tensor<i32>
  %inputs = arith.constant dense<3> : tensor<i32>
  %p = "tf.CudnnRNNCanonicalToParams"(%one, %units, %inputs, %w, %r, %b0, %b1)
      {rnn_mode = "rnn_tanh", num_params = 2 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<4x3xf32>, tensor<16xf32>, tensor<4xf32>, tensor<4xf32>)
      -> tensor<36xf32>
  return %p : tensor<36xf32>
}

// -----

// Without attributes, the number of parameters is the number of operands. With skip_input the input matrix of the first
// layer has no elements.

// CHECK-LABEL: func.func @pack_counts_derived
// CHECK: rnn.cudnn_canonical_to_params rnn_relu, skip_input sizes({{.*}}) weights(%{{[^,]*}}, %{{[^,]*}} : tensor<0xf64>, tensor<4x4xf64>) biases(%{{[^,]*}}, %{{[^,]*}} : tensor<4xf64>)
func.func @pack_counts_derived(%w: tensor<0xf64>, %r: tensor<4x4xf64>, %b: tensor<4xf64>) -> tensor<*xf64> {
  %one = arith.constant dense<1> : tensor<i32>
  %units = arith.constant dense<4> : tensor<i32>
  %p = "tf.CudnnRNNCanonicalToParamsV2"(%one, %units, %units, %w, %r, %b, %b)
      {rnn_mode = "rnn_relu", input_mode = "skip_input"}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<0xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<4xf64>)
      -> tensor<*xf64>
  return %p : tensor<*xf64>
}

// -----

// With a projection a layer has nine weights and eight biases.

// CHECK-LABEL: func.func @pack_projection
// CHECK: rnn.cudnn_canonical_to_params lstm sizes({{.*}}) weights({{(%[^,]*, ){8}%[^,]*}} : tensor<?x?xf32>) biases({{(%[^,]*, ){7}%[^,]*}} : tensor<?xf32>) {num_proj = 2 : i64}
func.func @pack_projection(%l: tensor<i32>, %h: tensor<i32>, %i: tensor<i32>, %w: tensor<?x?xf32>, %b: tensor<?xf32>)
    -> tensor<?xf32> {
  %p = "tf.CudnnRNNCanonicalToParamsV2"(%l, %h, %i, %w, %w, %w, %w, %w, %w, %w, %w, %w, %b, %b, %b, %b, %b, %b, %b, %b)
      {num_proj = 2 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>,
         tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>,
         tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
      -> tensor<?xf32>
  return %p : tensor<?xf32>
}

// -----

// Shapes follow from constant sizes: the second layer reads both directions.

// CHECK-LABEL: func.func @unpack
// CHECK: rnn.cudnn_params_to_canonical rnn_relu, bidirectional sizes({{.*}}) params(%{{.*}} : tensor<200xf32>)
// CHECK-SAME: -> weights(tensor<4x3xf32>, tensor<4x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4x8xf32>, tensor<4x4xf32>)
// CHECK-SAME: biases(tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK: tensor.cast %{{.*}}#4 : tensor<4x8xf32> to tensor<*xf32>
// CHECK: tensor.cast %{{.*}}#1 : tensor<4xf32> to tensor<?xf32>
func.func @unpack(%p: tensor<200xf32>) -> (tensor<4x3xf32>, tensor<*xf32>, tensor<?xf32>) {
  %two = arith.constant dense<2> : tensor<i32>
  %units = arith.constant dense<4> : tensor<i32>
  %inputs = arith.constant dense<3> : tensor<i32>
  %0:16 = "tf.CudnnRNNParamsToCanonical"(%two, %units, %inputs, %p)
      {rnn_mode = "rnn_relu", direction = "bidirectional", num_params = 8 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<200xf32>)
      -> (tensor<4x3xf32>, tensor<4x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<*xf32>, tensor<4x4xf32>,
          tensor<4x8xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
          tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#4, %0#9 : tensor<4x3xf32>, tensor<*xf32>, tensor<?xf32>
}

// -----

// TensorFlow's V2 fails without a projection, since it does not pass the two counts. Here it equals V1.

// CHECK-LABEL: func.func @unpack_v2_without_projection
// CHECK: rnn.cudnn_params_to_canonical rnn_tanh sizes({{.*}}) params(%{{.*}} : tensor<36xf32>)
// CHECK-SAME: -> weights(tensor<4x3xf32>, tensor<4x4xf32>) biases(tensor<4xf32>, tensor<4xf32>)
func.func @unpack_v2_without_projection(%p: tensor<36xf32>) -> tensor<4x4xf32> {
  %one = arith.constant dense<1> : tensor<i32>
  %units = arith.constant dense<4> : tensor<i32>
  %inputs = arith.constant dense<3> : tensor<i32>
  %0:4 = "tf.CudnnRNNParamsToCanonicalV2"(%one, %units, %inputs, %p)
      {rnn_mode = "rnn_tanh", num_proj = 0 : i64, num_params_weights = 2 : i64, num_params_biases = 2 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<36xf32>)
      -> (tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4x4xf32>
}

// -----

// With dynamic sizes, the declared types define the shapes.

// CHECK-LABEL: func.func @unpack_dynamic
// CHECK: rnn.cudnn_params_to_canonical gru, auto_select
// CHECK-SAME: -> weights(tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) biases(tensor<?xf32>,
// CHECK: tensor.cast %{{.*}}#0 : tensor<?x?xf32> to tensor<4x4xf32>
func.func @unpack_dynamic(%layers: tensor<i32>, %p: tensor<*xf32>) -> tensor<4x4xf32> {
  %units = arith.constant dense<4> : tensor<i32>
  %0:12 = "tf.CudnnRNNParamsToCanonical"(%layers, %units, %units, %p)
      {rnn_mode = "gru", input_mode = "auto_select"}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<*xf32>)
      -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>,
          tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0 : tensor<4x4xf32>
}

// -----

// A projection to all units is none, so there are eight weights, not nine.

// CHECK-LABEL: func.func @unpack_projection_to_all_units
// CHECK: rnn.cudnn_params_to_canonical lstm
// CHECK-SAME: weights({{(tensor<4x3xf32>, ){4}(tensor<4x4xf32>, ){3} ?}}tensor<4x4xf32>) biases(
// CHECK-NOT: num_proj
func.func @unpack_projection_to_all_units(%p: tensor<144xf32>) -> tensor<4x3xf32> {
  %one = arith.constant dense<1> : tensor<i32>
  %units = arith.constant dense<4> : tensor<i32>
  %inputs = arith.constant dense<3> : tensor<i32>
  %0:16 = "tf.CudnnRNNParamsToCanonicalV2"(%one, %units, %inputs, %p) {num_proj = 4 : i64}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<144xf32>)
      -> (tensor<4x3xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>,
          tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>,
          tensor<*xf32>, tensor<*xf32>)
  return %0#0 : tensor<4x3xf32>
}
