// infer.mlir - result types from operands with dynamic sizes, and result sizes as values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s | FileCheck %s
// RUN: rnn-opt %s -resolve-ranked-shaped-type-result-dims -cse | FileCheck %s --check-prefix=REIFY

//===----------------------------------------------------------------------===//
// Types: a dynamic dimension of one operand is static in another one.
//===----------------------------------------------------------------------===//

// T from a saved result, B from the state, H from a quarter of the bias.
// CHECK-LABEL: func @infer_block_lstm_grad
// CHECK: return {{.*}} : tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<16xf32>
func.func @infer_block_lstm_grad(%x: tensor<?x?x3xf32>, %s: tensor<2x?xf32>, %w: tensor<?x?xf32>, %p: tensor<?xf32>,
                                 %b: tensor<16xf32>, %f: tensor<5x?x?xf32>, %g: tensor<?x?x?xf32>)
    -> (tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<16xf32>) {
  %dx, %dcs, %dh, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad icfo x(%x : tensor<?x?x3xf32>)
      state(%s, %s : tensor<2x?xf32>) weights(%w : tensor<?x?xf32>) peephole(%p, %p, %p : tensor<?xf32>)
      bias(%b : tensor<16xf32>)
      saved(%g, %g, %f, %g, %g, %g, %g : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<5x?x?xf32>, tensor<?x?x?xf32>,
            tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) grads(%g, %g : tensor<?x?x?xf32>)
  return %dx, %dcs, %dh, %dw, %dwcf, %db
      : tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<16xf32>
}

// The batch from the lengths, the layers from the cell state; two directions double the width.
// CHECK-LABEL: func @infer_cudnn_forward
// CHECK: return {{.*}} : tensor<?x2x8xbf16>, tensor<6x2x4xbf16>, tensor<6x2x4xbf16>, tensor<?xi8>
func.func @infer_cudnn_forward(%x: tensor<?x?x3xbf16>, %h: tensor<?x?x4xbf16>, %c: tensor<6x?x?xbf16>,
                               %p: tensor<?xbf16>, %len: tensor<2xi32>)
    -> (tensor<?x2x8xbf16>, tensor<6x2x4xbf16>, tensor<6x2x4xbf16>, tensor<?xi8>) {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm, bidirectional input(%x : tensor<?x?x3xbf16>)
      state(%h, %c : tensor<?x?x4xbf16>, tensor<6x?x?xbf16>) params(%p : tensor<?xbf16>) lengths(%len : tensor<2xi32>)
  return %y, %hn, %cn, %r : tensor<?x2x8xbf16>, tensor<6x2x4xbf16>, tensor<6x2x4xbf16>, tensor<?xi8>
}

// Only the attribute defines the width of a projected output.
// CHECK-LABEL: func @infer_projection
// CHECK: return {{.*}} : tensor<?x?x6xf32>, tensor<?x?x3xf32>, tensor<?x?x?xf32>, tensor<0xi8>
func.func @infer_projection(%a: tensor<?x?x?xf32>, %p: tensor<?xf32>)
    -> (tensor<?x?x6xf32>, tensor<?x?x3xf32>, tensor<?x?x?xf32>, tensor<0xi8>) {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm, bidirectional input(%a : tensor<?x?x?xf32>)
      state(%a, %a : tensor<?x?x?xf32>) params(%p : tensor<?xf32>) {num_proj = 3, is_training = false}
  return %y, %hn, %cn, %r : tensor<?x?x6xf32>, tensor<?x?x3xf32>, tensor<?x?x?xf32>, tensor<0xi8>
}

// The gradients of the states follow the states, that of the parameters the parameters, skip_input ties I to H.
// CHECK-LABEL: func @infer_cudnn_backprop
// CHECK: return {{.*}} : tensor<5x?x4xf64>, tensor<?x?x4xf64>, tensor<99xf64>
func.func @infer_cudnn_backprop(%x: tensor<?x?x?xf64>, %h: tensor<?x?x?xf64>, %p: tensor<99xf64>,
                                %y: tensor<5x?x4xf64>, %r: tensor<?xi8>)
    -> (tensor<5x?x4xf64>, tensor<?x?x4xf64>, tensor<99xf64>) {
  %dx, %dh, %dp = rnn.cudnn_backprop gru, skip_input input(%x : tensor<?x?x?xf64>) state(%h : tensor<?x?x?xf64>)
      params(%p : tensor<99xf64>) output(%y, %h : tensor<5x?x4xf64>, tensor<?x?x?xf64>)
      grads(%y, %h : tensor<5x?x4xf64>, tensor<?x?x?xf64>) reserve(%r : tensor<?xi8>)
  return %dx, %dh, %dp : tensor<5x?x4xf64>, tensor<?x?x4xf64>, tensor<99xf64>
}

// CHECK-LABEL: func @infer_canonical_to_params
// CHECK: return {{.*}} : tensor<?xf16>
func.func @infer_canonical_to_params(%n: index, %w: tensor<?x?xf16>, %b: tensor<?xf16>) -> tensor<?xf16> {
  %p = rnn.cudnn_canonical_to_params rnn_relu sizes(%n, %n, %n) weights(%w, %w : tensor<?x?xf16>)
      biases(%b, %b : tensor<?xf16>)
  return %p : tensor<?xf16>
}

//===----------------------------------------------------------------------===//
// Sizes as values
//===----------------------------------------------------------------------===//

// REIFY: #[[$TWICE:.*]] = affine_map<()[s0] -> (s0 * 2)>
// REIFY: #[[$WHOLE:.*]] = affine_map<()[s0] -> ((s0 floordiv 2) * 2)>
// REIFY: #[[$HALF:.*]] = affine_map<()[s0] -> (s0 floordiv 2)>
// REIFY: #[[$SUM:.*]] = affine_map<()[s0, s1] -> (s0 + s1)>
// REIFY: #[[$FOUR:.*]] = affine_map<()[s0] -> (s0 * 4)>

// REIFY-LABEL: func @reify_cudnn_forward
// REIFY-SAME: %[[X:[a-z0-9]+]]: tensor<?x?x?xf32>, %[[H:[a-z0-9]+]]: tensor<?x?x?xf32>
// REIFY-DAG: %[[C0:.*]] = arith.constant 0 : index
// REIFY-DAG: %[[C1:.*]] = arith.constant 1 : index
// REIFY-DAG: %[[C2:.*]] = arith.constant 2 : index
// REIFY-DAG: %[[T:.*]] = tensor.dim %[[X]], %[[C0]]
// REIFY-DAG: %[[B:.*]] = tensor.dim %[[X]], %[[C1]]
// REIFY-DAG: %[[I:.*]] = tensor.dim %[[X]], %[[C2]]
// REIFY-DAG: %[[CELLS:.*]] = tensor.dim %[[H]], %[[C2]]
// REIFY-DAG: %[[ROWS:.*]] = tensor.dim %[[H]], %[[C0]]
// REIFY-DAG: %[[LAYERS:.*]] = affine.apply #[[$HALF]]()[%[[ROWS]]]
// REIFY-DAG: %[[WIDTH:.*]] = affine.apply #[[$TWICE]]()[%[[CELLS]]]
// REIFY-DAG: %[[STATES:.*]] = affine.apply #[[$WHOLE]]()[%[[ROWS]]]
// REIFY-DAG: %[[BYTES:.*]] = rnn.cudnn_reserve_size gru, bidirectional sizes(%[[LAYERS]], %[[CELLS]], %[[I]]) extent(%[[T]], %[[B]]) {dropout = 5.000000e-01 : f64, element_type = f32, seed = 3 : i64}
// REIFY: return %[[T]], %[[B]], %[[WIDTH]], %[[STATES]], %[[BYTES]]
func.func @reify_cudnn_forward(%x: tensor<?x?x?xf32>, %h: tensor<?x?x?xf32>, %p: tensor<?xf32>)
    -> (index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y, %hn, %r = rnn.cudnn_forward gru, bidirectional input(%x : tensor<?x?x?xf32>) state(%h : tensor<?x?x?xf32>)
      params(%p : tensor<?xf32>) {dropout = 0.5, seed = 3}
  %steps = tensor.dim %y, %c0 : tensor<?x?x?xf32>
  %batch = tensor.dim %y, %c1 : tensor<?x?x?xf32>
  %width = tensor.dim %y, %c2 : tensor<?x?x?xf32>
  %states = tensor.dim %hn, %c0 : tensor<?x?x?xf32>
  %bytes = tensor.dim %r, %c0 : tensor<?xi8>
  return %steps, %batch, %width, %states, %bytes : index, index, index, index, index
}

// auto_select compares I with P, but the size op compares I with H. So the mode is resolved before.
// REIFY-LABEL: func @reify_reserve_of_auto_select
// REIFY: rnn.cudnn_reserve_size lstm sizes(%{{.*}}, %{{.*}}, %{{.*}}) extent(%{{.*}}, %{{.*}}) {element_type = f32, num_proj = 3 : i64}
func.func @reify_reserve_of_auto_select(%x: tensor<?x2x4xf32>, %h: tensor<1x2x3xf32>, %c: tensor<1x2x4xf32>,
                                        %p: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm, auto_select input(%x : tensor<?x2x4xf32>)
      state(%h, %c : tensor<1x2x3xf32>, tensor<1x2x4xf32>) params(%p : tensor<?xf32>) {num_proj = 3}
  %bytes = tensor.dim %r, %c0 : tensor<?xi8>
  return %bytes : index
}

// REIFY-LABEL: func @reify_cudnn_backprop
// REIFY-SAME: %[[X:[a-z0-9]+]]: tensor<?x2x3xf32>, %{{.*}}: tensor<1x2x4xf32>, %[[P:[a-z0-9]+]]: tensor<?xf32>
// REIFY-DAG: %[[T:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<?x2x3xf32>
// REIFY-DAG: %[[N:.*]] = tensor.dim %[[P]], %{{.*}} : tensor<?xf32>
// REIFY: return %[[T]], %[[N]]
func.func @reify_cudnn_backprop(%x: tensor<?x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %y: tensor<?x2x4xf32>,
                                %r: tensor<?xi8>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %dx, %dh, %dp = rnn.cudnn_backprop rnn_tanh input(%x : tensor<?x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<?xf32>) output(%y, %h : tensor<?x2x4xf32>, tensor<1x2x4xf32>)
      grads(%y, %h : tensor<?x2x4xf32>, tensor<1x2x4xf32>) reserve(%r : tensor<?xi8>)
  %steps = tensor.dim %dx, %c0 : tensor<?x2x3xf32>
  %count = tensor.dim %dp, %c0 : tensor<?xf32>
  return %steps, %count : index, index
}

// REIFY-LABEL: func @reify_block_lstm_grad
// REIFY-SAME: %[[X:[a-z0-9]+]]: tensor<5x2x?xf32>, %[[S:[a-z0-9]+]]: tensor<2x?xf32>
// REIFY-DAG: %[[I:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<5x2x?xf32>
// REIFY-DAG: %[[CELLS:.*]] = tensor.dim %[[S]], %{{.*}} : tensor<2x?xf32>
// REIFY-DAG: %[[ROWS:.*]] = affine.apply #[[$SUM]]()[%[[I]], %[[CELLS]]]
// REIFY-DAG: %[[COLUMNS:.*]] = affine.apply #[[$FOUR]]()[%[[CELLS]]]
// REIFY: return %[[ROWS]], %[[COLUMNS]], %[[CELLS]]
func.func @reify_block_lstm_grad(%x: tensor<5x2x?xf32>, %s: tensor<2x?xf32>, %w: tensor<?x?xf32>, %p: tensor<?xf32>,
                                 %g: tensor<5x2x?xf32>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dx, %dcs, %dh, %dw, %dwci, %dwcf, %dwco, %db = rnn.block_lstm_grad icfo x(%x : tensor<5x2x?xf32>)
      state(%s, %s : tensor<2x?xf32>) weights(%w : tensor<?x?xf32>) peephole(%p, %p, %p : tensor<?xf32>)
      bias(%p : tensor<?xf32>) saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x?xf32>)
      grads(%g, %g : tensor<5x2x?xf32>)
  %rows = tensor.dim %dw, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %dw, %c1 : tensor<?x?xf32>
  %cells = tensor.dim %dwco, %c0 : tensor<?xf32>
  return %rows, %columns, %cells : index, index, index
}

// REIFY-LABEL: func @reify_canonical_to_params
// REIFY-SAME: %[[L:[a-z0-9]+]]: index, %[[H:[a-z0-9]+]]: index, %[[I:[a-z0-9]+]]: index
// REIFY: %[[N:.*]] = rnn.cudnn_params_size rnn_relu sizes(%[[L]], %[[H]], %[[I]]) {element_type = f16}
// REIFY: return %[[N]]
func.func @reify_canonical_to_params(%l: index, %h: index, %i: index, %w: tensor<?x?xf16>, %b: tensor<?xf16>)
    -> index {
  %c0 = arith.constant 0 : index
  %p = rnn.cudnn_canonical_to_params rnn_relu sizes(%l, %h, %i) weights(%w, %w : tensor<?x?xf16>)
      biases(%b, %b : tensor<?xf16>)
  %n = tensor.dim %p, %c0 : tensor<?xf16>
  return %n : index
}

// Two layers and two directions of an lstm with projection: W of the second layer reads D*P, R reads P, and the last
// matrix of a cell is [P, H].
// REIFY-LABEL: func @reify_params_to_canonical
// REIFY-SAME: %[[L:[a-z0-9]+]]: index, %[[H:[a-z0-9]+]]: index, %[[I:[a-z0-9]+]]: index
// REIFY-DAG: %[[P2:.*]] = arith.constant 4 : index
// REIFY-DAG: %[[P:.*]] = arith.constant 2 : index
// REIFY: return %[[H]], %[[I]], %[[H]], %[[P2]], %[[H]], %[[P]], %[[P]], %[[H]], %[[H]]
func.func @reify_params_to_canonical(%l: index, %h: index, %i: index, %p: tensor<?xf32>)
    -> (index, index, index, index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %o:68 = rnn.cudnn_params_to_canonical lstm, bidirectional sizes(%l, %h, %i) params(%p : tensor<?xf32>) {num_proj = 2}
      -> weights(tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>,
                 tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>,
                 tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>,
                 tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>,
                 tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>,
                 tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
         biases(tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
                tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
                tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
                tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
                tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  %w0r = tensor.dim %o#9, %c0 : tensor<?x?xf32>
  %w0c = tensor.dim %o#9, %c1 : tensor<?x?xf32>
  %w1r = tensor.dim %o#18, %c0 : tensor<?x?xf32>
  %w1c = tensor.dim %o#18, %c1 : tensor<?x?xf32>
  %r1r = tensor.dim %o#31, %c0 : tensor<?x?xf32>
  %r1c = tensor.dim %o#31, %c1 : tensor<?x?xf32>
  %pr = tensor.dim %o#35, %c0 : tensor<?x?xf32>
  %pc = tensor.dim %o#35, %c1 : tensor<?x?xf32>
  %b = tensor.dim %o#67, %c0 : tensor<?xf32>
  return %w0r, %w0c, %w1r, %w1c, %r1r, %r1c, %pr, %pc, %b
      : index, index, index, index, index, index, index, index, index
}
