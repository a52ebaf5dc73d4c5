// ops-block.mlir - round trips of the block ops in all forms, through text, generic text and bytecode.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s | rnn-opt | FileCheck %s
// RUN: rnn-opt %s --mlir-print-op-generic | rnn-opt | FileCheck %s
// RUN: rnn-opt %s --emit-bytecode | rnn-opt | FileCheck %s

// CHECK-LABEL: func @block_icfo
// CHECK: %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%{{.*}} : tensor<5x2x3xf32>) state(%{{.*}}, %{{.*}} : tensor<2x4xf32>) weights(%{{.*}} : tensor<7x16xf32>) peephole(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>) bias(%{{.*}} : tensor<16xf32>) {cell_clip = 3.000000e+00 : f64, forget_bias = 1.000000e+00 : f64, use_peephole}
// CHECK: return {{.*}} : tensor<5x2x4xf32>
func.func @block_icfo(%x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                      %b: tensor<16xf32>) -> tensor<5x2x4xf32> {
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<5x2x3xf32>) state(%s, %s : tensor<2x4xf32>)
      weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>) bias(%b : tensor<16xf32>)
      {cell_clip = 3.0, forget_bias = 1.0, use_peephole}
  return %h : tensor<5x2x4xf32>
}

// A negative clip disables clipping, as in TensorFlow.
// CHECK-LABEL: func @block_ifco_seq_len_max
// CHECK: rnn.block_lstm ifco {{.*}} bias(%{{.*}} : tensor<16xf16>) seq_len_max(%{{.*}}) {cell_clip = -1.000000e+00 : f64}
func.func @block_ifco_seq_len_max(%n: i64, %x: tensor<5x2x3xf16>, %s: tensor<2x4xf16>, %w: tensor<7x16xf16>,
                                  %p: tensor<4xf16>, %b: tensor<16xf16>) -> tensor<5x2x4xf16> {
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm ifco x(%x : tensor<5x2x3xf16>) state(%s, %s : tensor<2x4xf16>)
      weights(%w : tensor<7x16xf16>) peephole(%p, %p, %p : tensor<4xf16>) bias(%b : tensor<16xf16>)
      seq_len_max(%n) {cell_clip = -1.0}
  return %h : tensor<5x2x4xf16>
}

// Empty in time, batch and input: all legal for a block op.
// CHECK-LABEL: func @block_empty
// CHECK: rnn.block_lstm ifco x(%{{.*}} : tensor<0x0x0xbf16>) state(%{{.*}}, %{{.*}} : tensor<0x4xbf16>)
func.func @block_empty(%x: tensor<0x0x0xbf16>, %s: tensor<0x4xbf16>, %w: tensor<4x16xbf16>, %p: tensor<4xbf16>,
                       %b: tensor<16xbf16>) -> tensor<0x0x4xbf16> {
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm ifco x(%x : tensor<0x0x0xbf16>) state(%s, %s : tensor<0x4xbf16>)
      weights(%w : tensor<4x16xbf16>) peephole(%p, %p, %p : tensor<4xbf16>) bias(%b : tensor<16xbf16>)
  return %h : tensor<0x0x4xbf16>
}

// CHECK-LABEL: func @block_dynamic
// CHECK: rnn.block_lstm icfo x(%{{.*}} : tensor<?x?x?xf64>) {{.*}} {lowering = #rnn.lowering<runtime>}
func.func @block_dynamic(%x: tensor<?x?x?xf64>, %s: tensor<?x?xf64>, %w: tensor<?x?xf64>, %p: tensor<?xf64>)
    -> tensor<?x?x?xf64> {
  %i, %cs, %f, %o, %ci, %co, %h = rnn.block_lstm icfo x(%x : tensor<?x?x?xf64>) state(%s, %s : tensor<?x?xf64>)
      weights(%w : tensor<?x?xf64>) peephole(%p, %p, %p : tensor<?xf64>) bias(%p : tensor<?xf64>)
      {lowering = #rnn.lowering<runtime>}
  return %h : tensor<?x?x?xf64>
}

// CHECK-LABEL: func @block_memref
// CHECK: {{^ *}}rnn.block_lstm ifco {{.*}} outs(i = %{{.*}}, cs = %{{.*}}, f = %{{.*}}, o = %{{.*}}, ci = %{{.*}}, co = %{{.*}}, h = %{{.*}} : memref<5x2x4xf32>) {use_peephole}
// CHECK: {{^ *}}rnn.block_lstm ifco {{.*}} seq_len_max(%{{.*}}) outs(h = %{{.*}} : memref<5x2x4xf32>){{$}}
// CHECK: {{^ *}}rnn.block_lstm ifco {{.*}} bias(%{{.*}} : memref<16xf32>){{$}}
func.func @block_memref(%n: i64, %x: memref<5x2x3xf32>, %s: memref<2x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>,
                        %b: memref<16xf32>, %a0: memref<5x2x4xf32>, %a1: memref<5x2x4xf32>, %a2: memref<5x2x4xf32>,
                        %a3: memref<5x2x4xf32>, %a4: memref<5x2x4xf32>, %a5: memref<5x2x4xf32>,
                        %a6: memref<5x2x4xf32>) {
  rnn.block_lstm ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>)
      outs(i = %a0, cs = %a1, f = %a2, o = %a3, ci = %a4, co = %a5, h = %a6 : memref<5x2x4xf32>) {use_peephole}
  rnn.block_lstm ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) seq_len_max(%n) outs(h = %a6 : memref<5x2x4xf32>)
  rnn.block_lstm ifco x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>)
  return
}

// CHECK-LABEL: func @grad_icfo
// CHECK: %x_grad, %cs_prev_grad, %h_prev_grad, %w_grad, %wci_grad, %wcf_grad, %wco_grad, %b_grad = rnn.block_lstm_grad icfo x(%{{.*}} : tensor<5x2x3xf32>) {{.*}} seq_len_max(%{{.*}}) saved(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<5x2x4xf32>) grads(%{{.*}}, %{{.*}} : tensor<5x2x4xf32>) {use_peephole}
// CHECK: return {{.*}} : tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>
func.func @grad_icfo(%n: i64, %x: tensor<5x2x3xf32>, %s: tensor<2x4xf32>, %w: tensor<7x16xf32>, %p: tensor<4xf32>,
                     %b: tensor<16xf32>, %g: tensor<5x2x4xf32>)
    -> (tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>,
        tensor<4xf32>, tensor<16xf32>) {
  %dx, %dcs, %dh, %dw, %di, %df, %do, %db = rnn.block_lstm_grad icfo x(%x : tensor<5x2x3xf32>)
      state(%s, %s : tensor<2x4xf32>) weights(%w : tensor<7x16xf32>) peephole(%p, %p, %p : tensor<4xf32>)
      bias(%b : tensor<16xf32>) seq_len_max(%n) saved(%g, %g, %g, %g, %g, %g, %g : tensor<5x2x4xf32>)
      grads(%g, %g : tensor<5x2x4xf32>) {use_peephole}
  return %dx, %dcs, %dh, %dw, %di, %df, %do, %db : tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>,
      tensor<7x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>
}

// CHECK-LABEL: func @grad_ifco_dynamic
// CHECK: rnn.block_lstm_grad ifco x(%{{.*}} : tensor<?x?x?xf64>) {{.*}} saved({{.*}} : tensor<?x?x?xf64>) grads(%{{.*}}, %{{.*}} : tensor<?x?x?xf64>){{$}}
func.func @grad_ifco_dynamic(%x: tensor<?x?x?xf64>, %s: tensor<?x?xf64>, %p: tensor<?xf64>) -> tensor<?x?xf64> {
  %dx, %dcs, %dh, %dw, %di, %df, %do, %db = rnn.block_lstm_grad ifco x(%x : tensor<?x?x?xf64>)
      state(%s, %s : tensor<?x?xf64>) weights(%s : tensor<?x?xf64>) peephole(%p, %p, %p : tensor<?xf64>)
      bias(%p : tensor<?xf64>) saved(%x, %x, %x, %x, %x, %x, %x : tensor<?x?x?xf64>) grads(%x, %x : tensor<?x?x?xf64>)
  return %dw : tensor<?x?xf64>
}

// CHECK-LABEL: func @grad_memref
// CHECK: {{^ *}}rnn.block_lstm_grad ifco {{.*}} outs(x_grad = %{{.*}}, cs_prev_grad = %{{.*}}, h_prev_grad = %{{.*}}, w_grad = %{{.*}}, wci_grad = %{{.*}}, wcf_grad = %{{.*}}, wco_grad = %{{.*}}, b_grad = %{{.*}} : memref<5x2x3xf16>, memref<2x4xf16>, memref<2x4xf16>, memref<7x16xf16>, memref<4xf16>, memref<4xf16>, memref<4xf16>, memref<16xf16>){{$}}
// CHECK: {{^ *}}rnn.block_lstm_grad ifco {{.*}} outs(w_grad = %{{.*}} : memref<7x16xf16>){{$}}
func.func @grad_memref(%x: memref<5x2x3xf16>, %s: memref<2x4xf16>, %w: memref<7x16xf16>, %p: memref<4xf16>,
                       %b: memref<16xf16>, %g: memref<5x2x4xf16>, %dx: memref<5x2x3xf16>, %dcs: memref<2x4xf16>,
                       %dh: memref<2x4xf16>, %dw: memref<7x16xf16>, %di: memref<4xf16>, %df: memref<4xf16>,
                       %do: memref<4xf16>, %db: memref<16xf16>) {
  rnn.block_lstm_grad ifco x(%x : memref<5x2x3xf16>) state(%s, %s : memref<2x4xf16>) weights(%w : memref<7x16xf16>)
      peephole(%p, %p, %p : memref<4xf16>) bias(%b : memref<16xf16>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<5x2x4xf16>) grads(%g, %g : memref<5x2x4xf16>)
      outs(x_grad = %dx, cs_prev_grad = %dcs, h_prev_grad = %dh, w_grad = %dw, wci_grad = %di, wcf_grad = %df,
           wco_grad = %do, b_grad = %db : memref<5x2x3xf16>, memref<2x4xf16>, memref<2x4xf16>, memref<7x16xf16>,
           memref<4xf16>, memref<4xf16>, memref<4xf16>, memref<16xf16>)
  rnn.block_lstm_grad ifco x(%x : memref<5x2x3xf16>) state(%s, %s : memref<2x4xf16>) weights(%w : memref<7x16xf16>)
      peephole(%p, %p, %p : memref<4xf16>) bias(%b : memref<16xf16>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<5x2x4xf16>) grads(%g, %g : memref<5x2x4xf16>)
      outs(w_grad = %dw : memref<7x16xf16>)
  return
}
