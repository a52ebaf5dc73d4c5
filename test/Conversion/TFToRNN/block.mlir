// block.mlir - tf.BlockLSTM and tf.BlockLSTMGrad: layouts, defaults, constants, unranked types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -allow-unregistered-dialect -convert-tf-to-rnn | FileCheck %s

// Defaults of V1: forget_bias 1, cell_clip 3.

// CHECK-LABEL: func.func @v1_defaults
// CHECK-SAME: (%[[X:.*]]: tensor<5x2x3xf32>, %[[S:.*]]: tensor<2x4xf32>, %[[W:.*]]: tensor<7x16xf32>, %[[P:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<16xf32>)
// CHECK: %[[N:.*]] = arith.constant 3 : i64
// CHECK: %[[I:.*]], %[[CS:.*]], %[[F:.*]], %[[O:.*]], %[[CI:.*]], %[[CO:.*]], %[[H:.*]] = rnn.block_lstm icfo
// CHECK-SAME: x(%[[X]] : tensor<5x2x3xf32>) state(%[[S]], %[[S]] : tensor<2x4xf32>) weights(%[[W]] : tensor<7x16xf32>)
// CHECK-SAME: peephole(%[[P]], %[[P]], %[[P]] : tensor<4xf32>) bias(%[[B]] : tensor<16xf32>) seq_len_max(%[[N]])
// CHECK-SAME: {cell_clip = 3.000000e+00 : f64, forget_bias = 1.000000e+00 : f64}
// CHECK: return %[[I]], %[[CS]], %[[H]]
func.func @v1_defaults(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                       %b: tensor<16xf32>) -> (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>) {
  %n = "tf.Const"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %i, %cs, %f, %o, %ci, %co, %h = "tf.BlockLSTM"(%n, %x, %s, %s, %w, %p, %p, %p, %b)
      : (tensor<i64>, tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>,
         tensor<4xf32>, tensor<4xf32>, tensor<16xf32>)
      -> (tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
          tensor<5x2x4xf32>, tensor<5x2x4xf32>)
  return %i, %cs, %h : tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>
}

// -----

// Attributes of V1, and the position of each operand.

// CHECK-LABEL: func.func @v1_all
// CHECK-SAME: (%[[N0:[^:]*]]: tensor<i64>, %[[X:[^:]*]]: tensor<5x2x3xf16>, %[[C:[^:]*]]: tensor<2x4xf16>, %[[H:[^:]*]]: tensor<2x4xf16>, %[[W:[^:]*]]: tensor<7x16xf16>, %[[WCI:[^:]*]]: tensor<4xf16>, %[[WCF:[^:]*]]: tensor<4xf16>, %[[WCO:[^:]*]]: tensor<4xf16>, %[[B:[^:]*]]: tensor<16xf16>)
// CHECK: %[[N:.*]] = tensor.extract %[[N0]][] : tensor<i64>
// CHECK: rnn.block_lstm icfo x(%[[X]] : tensor<5x2x3xf16>) state(%[[C]], %[[H]] : tensor<2x4xf16>)
// CHECK-SAME: weights(%[[W]] : tensor<7x16xf16>) peephole(%[[WCI]], %[[WCF]], %[[WCO]] : tensor<4xf16>)
// CHECK-SAME: bias(%[[B]] : tensor<16xf16>) seq_len_max(%[[N]])
// CHECK-SAME: {cell_clip = -1.000000e+00 : f64, forget_bias = 5.000000e-01 : f64, use_peephole}
func.func @v1_all(%n: tensor<i64>, %x: tensor<5x2x3xf16>, %c0: tensor<2x4xf16>, %h0: tensor<2x4xf16>,
                  %w: tensor<7x16xf16>, %wci: tensor<4xf16>, %wcf: tensor<4xf16>, %wco: tensor<4xf16>,
                  %b: tensor<16xf16>) -> tensor<5x2x4xf16> {
  %i, %cs, %f, %o, %ci, %co, %h = "tf.BlockLSTM"(%n, %x, %c0, %h0, %w, %wci, %wcf, %wco, %b)
      {T = f16, device = "/GPU:0", _class = ["loc:@x"], forget_bias = 0.5 : f32, cell_clip = -1.0 : f32,
       use_peephole = true}
      : (tensor<i64>, tensor<5x2x3xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<7x16xf16>, tensor<4xf16>,
         tensor<4xf16>, tensor<4xf16>, tensor<16xf16>)
      -> (tensor<5x2x4xf16>, tensor<5x2x4xf16>, tensor<5x2x4xf16>, tensor<5x2x4xf16>, tensor<5x2x4xf16>,
          tensor<5x2x4xf16>, tensor<5x2x4xf16>)
  return %h : tensor<5x2x4xf16>
}

// -----

// V2: layout ifco, no forget bias, no clip. Results become static or unranked as they were declared.

// CHECK-LABEL: func.func @v2_unranked
// CHECK-SAME: (%[[N0:[^:]*]]: tensor<*xi64>, %[[X0:[^:]*]]: tensor<*xf32>, %[[S0:[^:]*]]: tensor<?x?xf32>,
// CHECK-DAG: %[[X:.*]] = tensor.cast %[[X0]] : tensor<*xf32> to tensor<?x?x?xf32>
// CHECK-DAG: %[[W:.*]] = tensor.cast %{{.*}} : tensor<*xf32> to tensor<?x?xf32>
// CHECK-DAG: %[[N1:.*]] = tensor.cast %[[N0]] : tensor<*xi64> to tensor<i64>
// CHECK-DAG: %[[N:.*]] = tensor.extract %[[N1]][] : tensor<i64>
// CHECK: rnn.block_lstm ifco x(%[[X]] : tensor<?x?x?xf32>) state(%[[S0]], %[[S0]] : tensor<?x?xf32>)
// CHECK-SAME: weights(%[[W]] : tensor<?x?xf32>) {{.*}} bias(%{{.*}} : tensor<?xf32>) seq_len_max(%[[N]])
// CHECK-NOT: {
// CHECK: %[[CS:.*]] = tensor.cast %cs : tensor<?x?x?xf32> to tensor<5x2x4xf32>
// CHECK: %[[H:.*]] = tensor.cast %h : tensor<?x?x?xf32> to tensor<*xf32>
// CHECK: return %[[CS]], %[[H]]
func.func @v2_unranked(%n: tensor<*xi64>, %x: tensor<*xf32>, %s: tensor<?x?xf32>, %w: tensor<*xf32>, %p: tensor<*xf32>,
                       %b: tensor<*xf32>) -> (tensor<5x2x4xf32>, tensor<*xf32>) {
  %i, %cs, %f, %o, %ci, %co, %h = "tf.BlockLSTMV2"(%n, %x, %s, %s, %w, %p, %p, %p, %b)
      : (tensor<*xi64>, tensor<*xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<*xf32>, tensor<*xf32>,
         tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
      -> (tensor<*xf32>, tensor<5x2x4xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return %cs, %h : tensor<5x2x4xf32>, tensor<*xf32>
}

// -----

// CHECK-LABEL: func.func @v2_all
// CHECK: rnn.block_lstm ifco {{.*}} {cell_clip = 2.500000e-01 : f64, use_peephole}
func.func @v2_all(%n: tensor<i64>, %x: tensor<?x2x3xbf16>, %s: tensor<2x4xbf16>, %w: tensor<7x16xbf16>,
                  %p: tensor<4xbf16>, %b: tensor<16xbf16>) -> tensor<?x2x4xbf16> {
  %i, %cs, %f, %o, %ci, %co, %h = "tf.BlockLSTMV2"(%n, %x, %s, %s, %w, %p, %p, %p, %b)
      {cell_clip = 0.25 : f32, use_peephole = true}
      : (tensor<i64>, tensor<?x2x3xbf16>, tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<7x16xbf16>, tensor<4xbf16>,
         tensor<4xbf16>, tensor<4xbf16>, tensor<16xbf16>)
      -> (tensor<?x2x4xbf16>, tensor<?x2x4xbf16>, tensor<?x2x4xbf16>, tensor<?x2x4xbf16>, tensor<?x2x4xbf16>,
          tensor<?x2x4xbf16>, tensor<?x2x4xbf16>)
  return %h : tensor<?x2x4xbf16>
}

// -----

// The order of the eighteen operands and of the eight results.

// CHECK-LABEL: func.func @grad_v1
// CHECK-SAME: (%[[X:[^:]*]]: tensor<5x2x3xf32>, %[[C:[^:]*]]: tensor<2x4xf32>, %[[H:[^:]*]]: tensor<2x4xf32>, %[[W:[^:]*]]: tensor<7x16xf32>, %[[WCI:[^:]*]]: tensor<4xf32>, %[[WCF:[^:]*]]: tensor<4xf32>, %[[WCO:[^:]*]]: tensor<4xf32>, %[[B:[^:]*]]: tensor<16xf32>,
// CHECK-SAME: %[[SI:[^:]*]]: tensor<5x2x4xf32>, %[[SCS:[^:]*]]: tensor<5x2x4xf32>, %[[SF:[^:]*]]: tensor<5x2x4xf32>, %[[SO:[^:]*]]: tensor<5x2x4xf32>, %[[SCI:[^:]*]]: tensor<5x2x4xf32>, %[[SCO:[^:]*]]: tensor<5x2x4xf32>, %[[SH:[^:]*]]: tensor<5x2x4xf32>, %[[GCS:[^:]*]]: tensor<5x2x4xf32>, %[[GH:[^:]*]]: tensor<5x2x4xf32>)
// CHECK: %[[N:.*]] = arith.constant 5 : i64
// CHECK: %[[DX:.*]], %[[DCS:.*]], %[[DH:.*]], %[[DW:.*]], %[[DWCI:.*]], %[[DWCF:.*]], %[[DWCO:.*]], %[[DB:.*]] = rnn.block_lstm_grad icfo
// CHECK-SAME: x(%[[X]] : tensor<5x2x3xf32>) state(%[[C]], %[[H]] : tensor<2x4xf32>) weights(%[[W]] : tensor<7x16xf32>) peephole(%[[WCI]], %[[WCF]], %[[WCO]] : tensor<4xf32>) bias(%[[B]] : tensor<16xf32>) seq_len_max(%[[N]])
// CHECK-SAME: saved(%[[SI]], %[[SCS]], %[[SF]], %[[SO]], %[[SCI]], %[[SCO]], %[[SH]] : tensor<5x2x4xf32>) grads(%[[GCS]], %[[GH]] : tensor<5x2x4xf32>) {use_peephole}
// CHECK: return %[[DX]], %[[DCS]], %[[DH]], %[[DW]], %[[DWCI]], %[[DWCF]], %[[DWCO]], %[[DB]]
func.func @grad_v1(%x: tensor<5x2x3xf32>, %c0: tensor<2x4xf32>, %h0: tensor<2x4xf32>, %w: tensor<7x16xf32>,
    %wci: tensor<4xf32>, %wcf: tensor<4xf32>, %wco: tensor<4xf32>, %b: tensor<16xf32>, %i: tensor<5x2x4xf32>,
    %cs: tensor<5x2x4xf32>, %f: tensor<5x2x4xf32>, %o: tensor<5x2x4xf32>, %ci: tensor<5x2x4xf32>,
    %co: tensor<5x2x4xf32>, %h: tensor<5x2x4xf32>, %csg: tensor<5x2x4xf32>, %hg: tensor<5x2x4xf32>)
    -> (tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>,
        tensor<4xf32>, tensor<16xf32>) {
  %n = arith.constant dense<5> : tensor<i64>
  %0:8 = "tf.BlockLSTMGrad"(%n, %x, %c0, %h0, %w, %wci, %wcf, %wco, %b, %i, %cs, %f, %o, %ci, %co, %h, %csg, %hg)
      {use_peephole = true}
      : (tensor<i64>, tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>,
         tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
         tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>,
         tensor<5x2x4xf32>)
      -> (tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>,
          tensor<4xf32>, tensor<16xf32>)
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7 : tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>,
      tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>
}

// -----

// CHECK-LABEL: func.func @grad_v2
// CHECK: rnn.block_lstm_grad ifco
// CHECK-NOT: use_peephole
func.func @grad_v2(%n: tensor<i64>, %x: tensor<?x?x?xf32>, %s: tensor<?x?xf32>, %w: tensor<?x?xf32>, %p: tensor<?xf32>,
                   %b: tensor<?xf32>, %g: tensor<?x?x?xf32>) -> tensor<?x?xf32> {
  %0:8 = "tf.BlockLSTMGradV2"(%n, %x, %s, %s, %w, %p, %p, %p, %b, %g, %g, %g, %g, %g, %g, %g, %g, %g)
      {use_peephole = false}
      : (tensor<i64>, tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>,
         tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>,
         tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>,
         tensor<?x?x?xf32>)
      -> (tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>,
          tensor<?xf32>, tensor<?xf32>)
  return %0#3 : tensor<?x?xf32>
}

// -----

// Other ops do not change, and neither do constants that arith does not support.

// CHECK-LABEL: func.func @others
// CHECK: "tf.MatMul"
// CHECK: "tf.Const"() {value = dense<1> : tensor<ui8>}
// CHECK: "tf.Identity"(%{{.*}}) : (tensor<2xf32>) -> tensor<2xi32>
// CHECK-NOT: tf.NoOp
// CHECK: %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK: %[[U:.*]] = tensor.cast %[[C]] : tensor<2xf32> to tensor<*xf32>
// CHECK: return %[[U]]
func.func @others(%a: tensor<2x2xf32>, %v: tensor<2xf32>) -> tensor<*xf32> {
  %0 = "tf.MatMul"(%a, %a) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = "tf.Const"() {value = dense<1> : tensor<ui8>} : () -> tensor<ui8>
  %2 = "tf.Identity"(%v) : (tensor<2xf32>) -> tensor<2xi32>
  "tf.NoOp"() : () -> ()
  %3 = "tf.Const"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %4 = "tf.Identity"(%3) : (tensor<2xf32>) -> tensor<*xf32>
  return %4 : tensor<*xf32>
}
