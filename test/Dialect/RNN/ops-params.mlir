// ops-params.mlir - the assembly of sizes and conversions of opaque parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s | rnn-opt | FileCheck %s
// RUN: rnn-opt %s --mlir-print-op-generic | rnn-opt | FileCheck %s
// RUN: rnn-opt %s --emit-bytecode | rnn-opt | FileCheck %s

// CHECK-LABEL: func @params_size
// CHECK: rnn.cudnn_params_size lstm sizes(%{{.*}}, %{{.*}}, %{{.*}}) {element_type = f32}
// CHECK: rnn.cudnn_params_size lstm, bidirectional sizes(%{{.*}}, %{{.*}}, %{{.*}}) {element_type = f16, num_proj = 3 : i64}
// CHECK: rnn.cudnn_params_size gru, skip_input sizes(%{{.*}}, %{{.*}}, %{{.*}}) {element_type = bf16, lowering = #rnn.lowering<fused>}
// CHECK: rnn.cudnn_params_size rnn_relu {{.*}}element_type = f64
func.func @params_size(%l: index, %h: index, %i: index) -> (index, index, index, index) {
  %a = rnn.cudnn_params_size lstm sizes(%l, %h, %i) {element_type = f32}
  %b = rnn.cudnn_params_size lstm, bidirectional sizes(%l, %h, %i) {element_type = f16, num_proj = 3}
  %c = rnn.cudnn_params_size gru, skip_input sizes(%l, %h, %i) {element_type = bf16, lowering = #rnn.lowering<fused>}
  %d = rnn.cudnn_params_size rnn_relu sizes(%l, %h, %i) {element_type = f64}
  return %a, %b, %c, %d : index, index, index, index
}

// CHECK-LABEL: func @params_size_auto_select
// CHECK: rnn.cudnn_params_size rnn_tanh, auto_select
func.func @params_size_auto_select(%l: index) -> index {
  %c4 = arith.constant 4 : index
  %a = rnn.cudnn_params_size rnn_tanh, auto_select sizes(%l, %c4, %c4) {element_type = f32}
  return %a : index
}

// CHECK-LABEL: func @reserve_size
// CHECK: rnn.cudnn_reserve_size gru sizes(%{{.*}}, %{{.*}}, %{{.*}}) extent(%{{.*}}, %{{.*}}) {dropout = 2.500000e-01 : f64, element_type = f16, seed = 1 : i64, seed2 = -2 : i64}
// CHECK: rnn.cudnn_reserve_size lstm, bidirectional {{.*}} {element_type = f32, num_proj = 3 : i64}
func.func @reserve_size(%t: index, %b: index, %l: index, %h: index, %i: index) -> (index, index) {
  %n = rnn.cudnn_reserve_size gru sizes(%l, %h, %i) extent(%t, %b)
      {element_type = f16, dropout = 0.25, seed = 1, seed2 = -2}
  %m = rnn.cudnn_reserve_size lstm, bidirectional sizes(%l, %h, %i) extent(%t, %b) {element_type = f32, num_proj = 3}
  return %n, %m : index, index
}

// CHECK-LABEL: func @canonical_to_params
// CHECK: rnn.cudnn_canonical_to_params rnn_tanh sizes(%{{.*}}, %{{.*}}, %{{.*}}) weights(%{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<4x4xf32>) biases(%{{.*}}, %{{.*}} : tensor<4xf32>){{$}}
// CHECK: rnn.cudnn_canonical_to_params rnn_tanh {{.*}} -> params(tensor<36xf32>){{$}}
func.func @canonical_to_params(%w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>)
    -> (tensor<?xf32>, tensor<36xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %p = rnn.cudnn_canonical_to_params rnn_tanh sizes(%c1, %c4, %c3)
      weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>) biases(%b, %b : tensor<4xf32>)
  %q = rnn.cudnn_canonical_to_params rnn_tanh sizes(%c1, %c4, %c3)
      weights(%w, %r : tensor<4x3xf32>, tensor<4x4xf32>) biases(%b, %b : tensor<4xf32>) -> params(tensor<36xf32>)
  return %p, %q : tensor<?xf32>, tensor<36xf32>
}

// Any shape with the right number of elements. With skip_input the first layer has no input matrices.
// CHECK-LABEL: func @canonical_to_params_shapes
// CHECK: rnn.cudnn_canonical_to_params rnn_relu sizes({{.*}}) weights(%{{.*}}, %{{.*}} : tensor<12xf16>, tensor<2x2x4xf16>) biases(%{{.*}}, %{{.*}} : tensor<1x4xf16>, tensor<?x?xf16>)
// CHECK: rnn.cudnn_canonical_to_params rnn_relu, skip_input sizes({{.*}}) weights(%{{.*}}, %{{.*}} : tensor<0x4xf16>, tensor<2x2x4xf16>)
func.func @canonical_to_params_shapes(%w: tensor<12xf16>, %z: tensor<0x4xf16>, %r: tensor<2x2x4xf16>,
                                      %b: tensor<1x4xf16>, %d: tensor<?x?xf16>) -> (tensor<?xf16>, tensor<?xf16>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %p = rnn.cudnn_canonical_to_params rnn_relu sizes(%c1, %c4, %c3)
      weights(%w, %r : tensor<12xf16>, tensor<2x2x4xf16>) biases(%b, %d : tensor<1x4xf16>, tensor<?x?xf16>)
  %q = rnn.cudnn_canonical_to_params rnn_relu, skip_input sizes(%c1, %c4, %c4)
      weights(%z, %r : tensor<0x4xf16>, tensor<2x2x4xf16>) biases(%b, %d : tensor<1x4xf16>, tensor<?x?xf16>)
  return %p, %q : tensor<?xf16>, tensor<?xf16>
}

// CHECK-LABEL: func @canonical_to_params_memref
// CHECK: {{^ *}}rnn.cudnn_canonical_to_params gru {{.*}} outs(params = %{{.*}} : memref<?xf64>){{$}}
func.func @canonical_to_params_memref(%l: index, %h: index, %i: index, %w: memref<?x?xf64>, %b: memref<?xf64>,
                                      %p: memref<?xf64>) {
  rnn.cudnn_canonical_to_params gru sizes(%l, %h, %i) weights(%w, %w, %w, %w, %w, %w : memref<?x?xf64>)
      biases(%b, %b, %b, %b, %b, %b : memref<?xf64>) outs(params = %p : memref<?xf64>)
  return
}

// CHECK-LABEL: func @params_to_canonical
// CHECK: %weights:2, %biases:2 = rnn.cudnn_params_to_canonical rnn_relu sizes(%{{.*}}, %{{.*}}, %{{.*}}) params(%{{.*}} : tensor<36xbf16>) -> weights(tensor<4x3xbf16>, tensor<?x?xbf16>) biases(tensor<4xbf16>, tensor<?xbf16>){{$}}
func.func @params_to_canonical(%p: tensor<36xbf16>) -> tensor<4x3xbf16> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %w, %r, %bw, %br = rnn.cudnn_params_to_canonical rnn_relu sizes(%c1, %c4, %c3) params(%p : tensor<36xbf16>)
      -> weights(tensor<4x3xbf16>, tensor<?x?xbf16>) biases(tensor<4xbf16>, tensor<?xbf16>)
  return %w : tensor<4x3xbf16>
}

// Nine weights and eight biases: the projection has no bias.
// CHECK-LABEL: func @params_to_canonical_projection
// CHECK: %weights:9, %biases:8 = rnn.cudnn_params_to_canonical lstm {{.*}} {num_proj = 2 : i64} -> weights(
func.func @params_to_canonical_projection(%l: index, %h: index, %i: index, %p: tensor<?xf32>) -> tensor<2x4xf32> {
  %o:17 = rnn.cudnn_params_to_canonical lstm sizes(%l, %h, %i) params(%p : tensor<?xf32>) {num_proj = 2}
      -> weights(tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x2xf32>, tensor<4x2xf32>,
                 tensor<4x2xf32>, tensor<4x2xf32>, tensor<2x4xf32>)
         biases(tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
                tensor<4xf32>, tensor<4xf32>)
  return %o#8 : tensor<2x4xf32>
}

// CHECK-LABEL: func @params_to_canonical_memref
// CHECK: {{^ *}}rnn.cudnn_params_to_canonical rnn_tanh sizes({{.*}}) params(%{{.*}} : memref<36xf32>) outs(weights = %{{.*}}, weights = %{{.*}}, biases = %{{.*}}, biases = %{{.*}} : memref<4x3xf32>, memref<4x4xf32>, memref<4xf32>, memref<4xf32>){{$}}
func.func @params_to_canonical_memref(%p: memref<36xf32>, %w: memref<4x3xf32>, %r: memref<4x4xf32>,
                                      %bw: memref<4xf32>, %br: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  rnn.cudnn_params_to_canonical rnn_tanh sizes(%c1, %c4, %c3) params(%p : memref<36xf32>)
      outs(weights = %w, weights = %r, biases = %bw, biases = %br
           : memref<4x3xf32>, memref<4x4xf32>, memref<4xf32>, memref<4xf32>)
  return
}

// CHECK-LABEL: func private @attributes
// CHECK-SAME: #rnn.mode<gru>, #rnn.input_mode<auto_select>, #rnn.direction<bidirectional>, #rnn.layout<icfo>, #rnn.lowering<runtime>
func.func private @attributes() attributes {all = [#rnn.mode<gru>, #rnn.input_mode<auto_select>,
    #rnn.direction<bidirectional>, #rnn.layout<icfo>, #rnn.lowering<runtime>]}
