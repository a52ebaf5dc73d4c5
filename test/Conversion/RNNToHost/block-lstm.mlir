// The forward pass of a block LSTM: packing outside of the time loop, one GEMM per step, requested results only.
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host=vector-bits=256 -canonicalize -cse | FileCheck %s

// The weights of the input and of the state are packed once for each gate. One GEMM multiplies the inputs of all steps (10
// rows) per gate, and one the state of a step (2 rows) for all 4 gates.
// CHECK-LABEL: func @packing_is_hoisted
// CHECK-COUNT-8: call @rnn_host_pack_columns_f32(
// CHECK-NOT: pack_columns
// CHECK: call @rnn_host_pack_rows_f32(
// CHECK: scf.for %{{.*}} = %c0 to %c4
// CHECK-NEXT: arith.muli
// CHECK-NEXT: arith.muli
// CHECK: func.call @rnn_host_gemm_f32({{.*}}, %c10, %c1, %c1, %c3, %c1, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK-NEXT: }
// CHECK: scf.for %[[STEP:.*]] = %c0 to %c5
// CHECK-NOT: scf.for
// CHECK: func.call @rnn_host_gemm_f32({{.*}}, %c2, %c4, %c1, %c8, %c1, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK-NOT: call
// Sigmoid of i, tanh of ci, sigmoid of f, tanh of the cell, sigmoid of o, and the store of h.
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c2
// CHECK-COUNT-5: arith.divf
// CHECK-NOT: arith.divf
// CHECK: vector.store %{{.*}}, %arg5[%[[STEP]], %[[ROW]], %c0] : memref<5x2x8xf32>, vector<8xf32>
// CHECK: return
func.func @packing_is_hoisted(%x: memref<5x2x3xf32>, %s: memref<2x8xf32>, %w: memref<11x32xf32>, %p: memref<8xf32>, %b: memref<32xf32>, %h: memref<5x2x8xf32>) {
  rnn.block_lstm icfo x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x8xf32>) weights(%w : memref<11x32xf32>)
      peephole(%p, %p, %p : memref<8xf32>) bias(%b : memref<32xf32>) outs(h = %h : memref<5x2x8xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// Steps from seq_len_max on have zero results.
// CHECK-LABEL: func @fewer_steps
// CHECK: rnnrt.expect_range %{{.*}}, %[[STEPS:.*]] in[%c0, %c5]
// CHECK: scf.for %[[STEP:.*]] = %[[STEPS]] to %c5 step %c1 {
// CHECK-NEXT: scf.for %[[ROW:.*]] = %c0 to %c2
// CHECK-NEXT: vector.store %cst{{.*}}, %{{.*}}[%[[STEP]], %[[ROW]], %c0]
func.func @fewer_steps(%n: i64, %x: memref<5x2x3xf32>, %s: memref<2x8xf32>, %w: memref<11x32xf32>, %p: memref<8xf32>, %b: memref<32xf32>, %h: memref<5x2x8xf32>) {
  %length = arith.addi %n, %n : i64
  rnn.block_lstm icfo x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x8xf32>) weights(%w : memref<11x32xf32>)
      peephole(%p, %p, %p : memref<8xf32>) bias(%b : memref<32xf32>) seq_len_max(%length) outs(h = %h : memref<5x2x8xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// A cell clip is two comparisons, which are false for NaN; without one there are none besides the bounds of the exponentials.
// CHECK-LABEL: func @clipped
// CHECK: %[[LOW:.*]] = arith.constant dense<-3.000000e+00> : vector<8xf32>
// CHECK: arith.cmpf olt, %[[CELL:.*]], %[[LOW]]
// CHECK-NEXT: arith.select %{{.*}}, %[[LOW]], %[[CELL]]
// CHECK-NEXT: arith.cmpf ogt
func.func @clipped(%x: memref<5x2x3xf32>, %s: memref<2x8xf32>, %w: memref<11x32xf32>, %p: memref<8xf32>, %b: memref<32xf32>, %h: memref<5x2x8xf32>) {
  rnn.block_lstm icfo x(%x : memref<5x2x3xf32>) state(%s, %s : memref<2x8xf32>) weights(%w : memref<11x32xf32>)
      peephole(%p, %p, %p : memref<8xf32>) bias(%b : memref<32xf32>) outs(h = %h : memref<5x2x8xf32>) {cell_clip = 3.0 : f64, lowering = #rnn.lowering<fused>}
  return
}
