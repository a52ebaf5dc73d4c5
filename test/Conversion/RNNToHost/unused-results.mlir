// Results that are not requested are not computed, and no loop runs if a check fails.
// RUN: rnn-opt %s -convert-rnn-to-host=vector-bits=256 -split-input-file | FileCheck %s

// Inference of one layer in one direction: no reserve space, and loops over chunks and steps only.
// CHECK-LABEL: func @inference
// CHECK: %[[PLAN:.*]] = rnnrt.rnn_fused_plan
// CHECK: %[[OK:.*]] = rnnrt.rnn_begin %{{.*}}, %[[PLAN]] pass 0 params
// CHECK: %[[RUNS:.*]] = arith.cmpi ne, %[[OK]]
// CHECK: scf.if %[[RUNS]]
// CHECK-NOT: memref.view
// CHECK-COUNT-2: call @rnn_host_pack_transposed_f32
// CHECK: call @rnn_host_pack_transposed_f32
// CHECK: call @rnn_host_gemm_f32
// CHECK: else
// CHECK: call @rnn_host_gemm_f32
// CHECK: call @rnn_host_gemm_f32
// CHECK-NOT: call
// CHECK: return
func.func @inference(%x: memref<5x2x3xf32>, %h: memref<1x2x8xf32>, %p: memref<?xf32>, %y: memref<5x2x8xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x8xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x2x8xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// The gradient of the input alone: no reductions over T*B.
// CHECK-LABEL: func @input_gradient
// CHECK: rnnrt.rnn_begin %{{.*}} pass 2 params
// CHECK-NOT: call @rnn_host_{{transposed_gemm|outer_products}}
// CHECK: return
// CHECK-NOT: func private @rnn_host_{{pack_left|outer_products}}
func.func @input_gradient(%x: memref<5x2x3xf16>, %h: memref<2x2x8xf16>, %p: memref<?xf16>, %y: memref<5x2x8xf16>, %r: memref<?xi8>) {
  rnn.cudnn_backprop gru input(%x : memref<5x2x3xf16>) state(%h : memref<2x2x8xf16>) params(%p : memref<?xf16>)
      output(%y, %h : memref<5x2x8xf16>, memref<2x2x8xf16>) grads(%y, %h : memref<5x2x8xf16>, memref<2x2x8xf16>)
      reserve(%r : memref<?xi8>) outs(input_backprop = %x : memref<5x2x3xf16>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// The gradient of the parameters: reductions for W and R, and no gradient of the input.
// CHECK-LABEL: func @params_gradient
// CHECK: call @rnn_host_outer_products_f64
// CHECK: call @rnn_host_outer_products_f64
// CHECK-NOT: call @rnn_host
// CHECK: return
func.func @params_gradient(%x: memref<5x2x3xf64>, %h: memref<1x2x8xf64>, %p: memref<?xf64>, %y: memref<5x2x8xf64>, %r: memref<?xi8>) {
  rnn.cudnn_backprop rnn_relu input(%x : memref<5x2x3xf64>) state(%h : memref<1x2x8xf64>) params(%p : memref<?xf64>)
      output(%y, %h : memref<5x2x8xf64>, memref<1x2x8xf64>) grads(%y, %h : memref<5x2x8xf64>, memref<1x2x8xf64>)
      reserve(%r : memref<?xi8>) outs(params_backprop = %p : memref<?xf64>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// An op without requested results is erased. Ops with another lowering are not converted.
// CHECK-LABEL: func @nothing
// CHECK-NEXT: rnn.cudnn_backprop {{.*}}<runtime>
// CHECK-NEXT: return
func.func @nothing(%x: memref<5x2x3xf64>, %h: memref<1x2x8xf64>, %p: memref<?xf64>, %y: memref<5x2x8xf64>, %r: memref<?xi8>) {
  rnn.cudnn_backprop rnn_relu input(%x : memref<5x2x3xf64>) state(%h : memref<1x2x8xf64>) params(%p : memref<?xf64>)
      output(%y, %h : memref<5x2x8xf64>, memref<1x2x8xf64>) grads(%y, %h : memref<5x2x8xf64>, memref<1x2x8xf64>)
      reserve(%r : memref<?xi8>) {lowering = #rnn.lowering<fused>}
  rnn.cudnn_backprop rnn_relu input(%x : memref<5x2x3xf64>) state(%h : memref<1x2x8xf64>) params(%p : memref<?xf64>)
      output(%y, %h : memref<5x2x8xf64>, memref<1x2x8xf64>) grads(%y, %h : memref<5x2x8xf64>, memref<1x2x8xf64>)
      reserve(%r : memref<?xi8>) outs(params_backprop = %p : memref<?xf64>) {lowering = #rnn.lowering<runtime>}
  return
}
