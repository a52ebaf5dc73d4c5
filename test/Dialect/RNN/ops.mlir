// ops.mlir - round trips of the cudnn layer ops in all forms, through text, generic text and bytecode.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s | rnn-opt | FileCheck %s
// RUN: rnn-opt %s --mlir-print-op-generic | rnn-opt | FileCheck %s
// RUN: rnn-opt %s --emit-bytecode | rnn-opt | FileCheck %s
// RUN: rnn-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

//===----------------------------------------------------------------------===//
// rnn.cudnn_forward on tensors
//===----------------------------------------------------------------------===//

// The type of both states is written once. Defaults are not printed. Results are inferred.
// CHECK-LABEL: func @forward_lstm
// CHECK: %output, %output_h, %output_c, %reserve_space = rnn.cudnn_forward lstm input(%{{.*}} : tensor<5x2x3xf32>) state(%{{.*}}, %{{.*}} : tensor<2x2x4xf32>) params(%{{.*}} : tensor<?xf32>){{$}}
// CHECK: return {{.*}} : tensor<5x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<?xi8>
// GENERIC-LABEL: sym_name = "forward_lstm"
// GENERIC: "rnn.cudnn_forward"{{.*}}operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0>
// GENERIC-SAME: resultSegmentSizes = array<i32: 1, 1, 1, 1>
func.func @forward_lstm(%x: tensor<5x2x3xf32>, %h: tensor<2x2x4xf32>, %c: tensor<2x2x4xf32>, %p: tensor<?xf32>)
    -> (tensor<5x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<?xi8>) {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm, unidirectional, linear_input input(%x : tensor<5x2x3xf32>)
      state(%h, %c : tensor<2x2x4xf32>, tensor<2x2x4xf32>) params(%p : tensor<?xf32>)
      {dropout = 0.0, seed = 0 : i64, seed2 = 0 : i64, num_proj = 0 : i64, is_training = true}
  return %y, %hn, %cn, %r : tensor<5x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<?xi8>
}

// CHECK-LABEL: func @forward_gru_bidirectional
// CHECK: rnn.cudnn_forward gru, bidirectional input(%{{.*}} : tensor<5x2x3xf16>) state(%{{.*}} : tensor<6x2x4xf16>) params(%{{.*}} : tensor<888xf16>){{$}}
// CHECK: return {{.*}} : tensor<5x2x8xf16>, tensor<6x2x4xf16>, tensor<?xi8>
func.func @forward_gru_bidirectional(%x: tensor<5x2x3xf16>, %h: tensor<6x2x4xf16>, %p: tensor<888xf16>)
    -> (tensor<5x2x8xf16>, tensor<6x2x4xf16>, tensor<?xi8>) {
  %y, %hn, %r = rnn.cudnn_forward gru, bidirectional input(%x : tensor<5x2x3xf16>) state(%h : tensor<6x2x4xf16>)
      params(%p : tensor<888xf16>)
  return %y, %hn, %r : tensor<5x2x8xf16>, tensor<6x2x4xf16>, tensor<?xi8>
}

// CHECK-LABEL: func @forward_rnn_relu_skip_input
// CHECK: rnn.cudnn_forward rnn_relu, skip_input input(%{{.*}} : tensor<5x2x4xbf16>)
func.func @forward_rnn_relu_skip_input(%x: tensor<5x2x4xbf16>, %h: tensor<1x2x4xbf16>, %p: tensor<?xbf16>)
    -> tensor<5x2x4xbf16> {
  %y, %hn, %r = rnn.cudnn_forward rnn_relu, skip_input input(%x : tensor<5x2x4xbf16>) state(%h : tensor<1x2x4xbf16>)
      params(%p : tensor<?xbf16>)
  return %y : tensor<5x2x4xbf16>
}

// The keywords after the mode are parsed in any order and printed in a fixed order.
// CHECK-LABEL: func @forward_rnn_tanh_auto_select
// CHECK: rnn.cudnn_forward rnn_tanh, bidirectional, auto_select input(%{{.*}} : tensor<5x2x4xf64>)
func.func @forward_rnn_tanh_auto_select(%x: tensor<5x2x4xf64>, %h: tensor<2x2x4xf64>, %p: tensor<?xf64>)
    -> tensor<5x2x8xf64> {
  %y, %hn, %r = rnn.cudnn_forward rnn_tanh, auto_select, bidirectional input(%x : tensor<5x2x4xf64>)
      state(%h : tensor<2x2x4xf64>) params(%p : tensor<?xf64>)
  return %y : tensor<5x2x8xf64>
}

// With a projection the two states have different types. Negative seeds. Attributes of other dialects stay.
// CHECK-LABEL: func @forward_projection_dropout_lengths
// CHECK: rnn.cudnn_forward lstm, bidirectional input(%{{.*}} : tensor<5x2x3xf32>) state(%{{.*}}, %{{.*}} : tensor<4x2x2xf32>, tensor<4x2x4xf32>) params(%{{.*}} : tensor<?xf32>) lengths(%{{.*}} : tensor<2xi32>)
// CHECK-SAME: {dropout = 5.000000e-01 : f64, num_proj = 2 : i64, seed = -7 : i64, seed2 = 2147483647 : i64, test.note = "kept"}
// CHECK: return {{.*}} : tensor<5x2x4xf32>
func.func @forward_projection_dropout_lengths(%x: tensor<5x2x3xf32>, %h: tensor<4x2x2xf32>, %c: tensor<4x2x4xf32>,
                                              %p: tensor<?xf32>, %len: tensor<2xi32>) -> tensor<5x2x4xf32> {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm, bidirectional input(%x : tensor<5x2x3xf32>)
      state(%h, %c : tensor<4x2x2xf32>, tensor<4x2x4xf32>) params(%p : tensor<?xf32>) lengths(%len : tensor<2xi32>)
      {dropout = 0.5, seed = -7, seed2 = 2147483647, num_proj = 2, test.note = "kept"}
  return %y : tensor<5x2x4xf32>
}

// CHECK-LABEL: func @forward_inference
// CHECK: rnn.cudnn_forward gru {{.*}} {is_training = false, lowering = #rnn.lowering<fused>}
// CHECK: return {{.*}} : tensor<0xi8>
func.func @forward_inference(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<0xi8> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return %r : tensor<0xi8>
}

// CHECK-LABEL: func @forward_dynamic
// CHECK: rnn.cudnn_forward lstm input(%{{.*}} : tensor<?x?x?xf32>) state(%{{.*}}, %{{.*}} : tensor<?x?x?xf32>) params(%{{.*}} : tensor<?xf32>) lengths(%{{.*}} : tensor<?xi32>){{$}}
// CHECK: return {{.*}} : tensor<?x?x?xf32>
func.func @forward_dynamic(%x: tensor<?x?x?xf32>, %h: tensor<?x?x?xf32>, %c: tensor<?x?x?xf32>, %p: tensor<?xf32>,
                           %len: tensor<?xi32>) -> tensor<?x?x?xf32> {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm input(%x : tensor<?x?x?xf32>) state(%h, %c : tensor<?x?x?xf32>)
      params(%p : tensor<?xf32>) lengths(%len : tensor<?xi32>)
  return %y : tensor<?x?x?xf32>
}

// Result types are printed only if they differ from the inferred types.
// CHECK-LABEL: func @forward_written_results
// CHECK: rnn.cudnn_forward gru input(%{{.*}} : tensor<?x2x3xf32>) {{.*}} params(%{{.*}} : tensor<?xf32>) -> output(tensor<5x2x4xf32>) output_h(tensor<1x?x4xf32>) reserve_space(tensor<160xi8>){{$}}
func.func @forward_written_results(%x: tensor<?x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>)
    -> tensor<160xi8> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<?x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>) -> output(tensor<5x2x4xf32>) output_h(tensor<1x?x4xf32>) reserve_space(tensor<160xi8>)
  return %r : tensor<160xi8>
}

// Tensor encodings are accepted.
// CHECK-LABEL: func @forward_encoding
// CHECK: input(%{{.*}} : tensor<5x2x3xf32, "device">)
func.func @forward_encoding(%x: tensor<5x2x3xf32, "device">, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>)
    -> tensor<5x2x4xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32, "device">) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>)
  return %y : tensor<5x2x4xf32>
}

//===----------------------------------------------------------------------===//
// rnn.cudnn_forward on memrefs
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @forward_memref_all
// CHECK: {{^ *}}rnn.cudnn_forward lstm input(%{{.*}} : memref<5x2x3xf32>) state(%{{.*}}, %{{.*}} : memref<2x2x4xf32>) params(%{{.*}} : memref<?xf32>) outs(output = %{{.*}}, output_h = %{{.*}}, output_c = %{{.*}}, reserve_space = %{{.*}} : memref<5x2x4xf32>, memref<2x2x4xf32>, memref<2x2x4xf32>, memref<?xi8>){{$}}
func.func @forward_memref_all(%x: memref<5x2x3xf32>, %h: memref<2x2x4xf32>, %c: memref<2x2x4xf32>, %p: memref<?xf32>,
                              %y: memref<5x2x4xf32>, %hn: memref<2x2x4xf32>, %cn: memref<2x2x4xf32>,
                              %r: memref<?xi8>) {
  rnn.cudnn_forward lstm input(%x : memref<5x2x3xf32>) state(%h, %c : memref<2x2x4xf32>) params(%p : memref<?xf32>)
      outs(output = %y, output_h = %hn, output_c = %cn, reserve_space = %r
           : memref<5x2x4xf32>, memref<2x2x4xf32>, memref<2x2x4xf32>, memref<?xi8>)
  return
}

// Outs are parsed in any order, may be absent, and are printed in the order of the results.
// CHECK-LABEL: func @forward_memref_some
// CHECK: rnn.cudnn_forward gru {{.*}} outs(output = %[[Y:.*]], output_h = %[[HN:.*]] : memref<5x2x4xf64>, memref<1x2x4xf64>) {is_training = false}
func.func @forward_memref_some(%x: memref<5x2x3xf64>, %h: memref<1x2x4xf64>, %p: memref<?xf64>,
                               %y: memref<5x2x4xf64>, %hn: memref<1x2x4xf64>) {
  rnn.cudnn_forward gru input(%x : memref<5x2x3xf64>) state(%h : memref<1x2x4xf64>) params(%p : memref<?xf64>)
      outs(output_h = %hn, output = %y : memref<1x2x4xf64>, memref<5x2x4xf64>) {is_training = false}
  return
}

// CHECK-LABEL: func @forward_memref_none
// CHECK: rnn.cudnn_forward rnn_tanh input(%{{.*}}) state(%{{.*}}) params(%{{.*}} : memref<?xf16>){{$}}
func.func @forward_memref_none(%x: memref<5x2x3xf16>, %h: memref<1x2x4xf16>, %p: memref<?xf16>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<5x2x3xf16>) state(%h : memref<1x2x4xf16>) params(%p : memref<?xf16>)
  return
}

// Strided, dynamic and in a memory space: every layout is valid.
// CHECK-LABEL: func @forward_memref_layout
// CHECK: input(%{{.*}} : memref<?x?x3xbf16, strided<[?, 3, 1], offset: ?>, 1>)
func.func @forward_memref_layout(%x: memref<?x?x3xbf16, strided<[?, 3, 1], offset: ?>, 1>,
                                 %h: memref<1x?x4xbf16, 1>, %p: memref<?xbf16, 1>, %y: memref<?x?x4xbf16, 1>,
                                 %len: memref<?xi32>) {
  rnn.cudnn_forward rnn_relu input(%x : memref<?x?x3xbf16, strided<[?, 3, 1], offset: ?>, 1>)
      state(%h : memref<1x?x4xbf16, 1>) params(%p : memref<?xbf16, 1>) lengths(%len : memref<?xi32>)
      outs(output = %y : memref<?x?x4xbf16, 1>)
  return
}

//===----------------------------------------------------------------------===//
// rnn.cudnn_backprop
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @backprop_lstm
// CHECK: %input_backprop, %input_h_backprop, %input_c_backprop, %params_backprop = rnn.cudnn_backprop lstm input(%{{.*}} : tensor<5x2x3xf32>) state(%{{.*}}, %{{.*}} : tensor<2x2x4xf32>) params(%{{.*}} : tensor<384xf32>) output(%{{.*}}, %{{.*}}, %{{.*}} : tensor<5x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>) grads(%{{.*}}, %{{.*}}, %{{.*}} : tensor<5x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>) reserve(%{{.*}} : tensor<?xi8>){{$}}
// CHECK: return {{.*}} : tensor<5x2x3xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<384xf32>
func.func @backprop_lstm(%x: tensor<5x2x3xf32>, %h: tensor<2x2x4xf32>, %c: tensor<2x2x4xf32>, %p: tensor<384xf32>,
                         %y: tensor<5x2x4xf32>, %r: tensor<?xi8>)
    -> (tensor<5x2x3xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<384xf32>) {
  %dx, %dh, %dc, %dp = rnn.cudnn_backprop lstm input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<2x2x4xf32>)
      params(%p : tensor<384xf32>) output(%y, %h, %c : tensor<5x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>)
      grads(%y, %h, %c : tensor<5x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>) reserve(%r : tensor<?xi8>)
  return %dx, %dh, %dc, %dp : tensor<5x2x3xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<384xf32>
}

// CHECK-LABEL: func @backprop_gru
// CHECK: %input_backprop, %input_h_backprop, %params_backprop = rnn.cudnn_backprop gru, bidirectional, skip_input input(%{{.*}} : tensor<5x2x4xf64>) state(%{{.*}} : tensor<2x2x4xf64>) params(%{{.*}} : tensor<?xf64>) lengths(%{{.*}} : tensor<2xi32>) output(%{{.*}}, %{{.*}} : tensor<5x2x8xf64>, tensor<2x2x4xf64>) grads(%{{.*}}, %{{.*}} : tensor<5x2x8xf64>, tensor<2x2x4xf64>) reserve(%{{.*}} : tensor<64xi8>) {dropout = 1.000000e+00 : f64}
func.func @backprop_gru(%x: tensor<5x2x4xf64>, %h: tensor<2x2x4xf64>, %p: tensor<?xf64>, %y: tensor<5x2x8xf64>,
                        %len: tensor<2xi32>, %r: tensor<64xi8>) -> tensor<?xf64> {
  %dx, %dh, %dp = rnn.cudnn_backprop gru, bidirectional, skip_input input(%x : tensor<5x2x4xf64>)
      state(%h : tensor<2x2x4xf64>) params(%p : tensor<?xf64>) lengths(%len : tensor<2xi32>)
      output(%y, %h : tensor<5x2x8xf64>, tensor<2x2x4xf64>) grads(%y, %h : tensor<5x2x8xf64>, tensor<2x2x4xf64>)
      reserve(%r : tensor<64xi8>) {dropout = 1.0}
  return %dp : tensor<?xf64>
}

// All three tensors of a group have one type here, so it is written once.
// CHECK-LABEL: func @backprop_dynamic_projection
// CHECK: rnn.cudnn_backprop lstm {{.*}} output(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x?x?xf16>) grads(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x?x?xf16>) reserve(%{{.*}} : tensor<?xi8>) {num_proj = 2 : i64}
func.func @backprop_dynamic_projection(%a: tensor<?x?x?xf16>, %p: tensor<?xf16>, %r: tensor<?xi8>)
    -> tensor<?x?x2xf16> {
  %dx, %dh, %dc, %dp = rnn.cudnn_backprop lstm input(%a : tensor<?x?x?xf16>) state(%a, %a : tensor<?x?x?xf16>)
      params(%p : tensor<?xf16>) output(%a, %a, %a : tensor<?x?x?xf16>) grads(%a, %a, %a : tensor<?x?x?xf16>)
      reserve(%r : tensor<?xi8>) {num_proj = 2}
  return %dh : tensor<?x?x2xf16>
}

// CHECK-LABEL: func @backprop_memref
// CHECK: {{^ *}}rnn.cudnn_backprop rnn_relu {{.*}} reserve(%{{.*}} : memref<?xi8>) outs(params_backprop = %{{.*}} : memref<48xbf16>){{$}}
// CHECK: {{^ *}}rnn.cudnn_backprop rnn_relu {{.*}} outs(input_backprop = %{{.*}}, input_h_backprop = %{{.*}}, params_backprop = %{{.*}} : memref<5x2x3xbf16>, memref<1x2x4xbf16>, memref<48xbf16>){{$}}
func.func @backprop_memref(%x: memref<5x2x3xbf16>, %h: memref<1x2x4xbf16>, %p: memref<48xbf16>, %y: memref<5x2x4xbf16>,
                           %r: memref<?xi8>, %dx: memref<5x2x3xbf16>, %dh: memref<1x2x4xbf16>, %dp: memref<48xbf16>) {
  rnn.cudnn_backprop rnn_relu input(%x : memref<5x2x3xbf16>) state(%h : memref<1x2x4xbf16>)
      params(%p : memref<48xbf16>) output(%y, %h : memref<5x2x4xbf16>, memref<1x2x4xbf16>)
      grads(%y, %h : memref<5x2x4xbf16>, memref<1x2x4xbf16>) reserve(%r : memref<?xi8>)
      outs(params_backprop = %dp : memref<48xbf16>)
  rnn.cudnn_backprop rnn_relu input(%x : memref<5x2x3xbf16>) state(%h : memref<1x2x4xbf16>)
      params(%p : memref<48xbf16>) output(%y, %h : memref<5x2x4xbf16>, memref<1x2x4xbf16>)
      grads(%y, %h : memref<5x2x4xbf16>, memref<1x2x4xbf16>) reserve(%r : memref<?xi8>)
      outs(input_backprop = %dx, input_h_backprop = %dh, params_backprop = %dp
           : memref<5x2x3xbf16>, memref<1x2x4xbf16>, memref<48xbf16>)
  return
}
