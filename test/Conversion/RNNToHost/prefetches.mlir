// Prefetches of GEMMs and of the rows that cells write, and the order in which steps of few rows read the weights.
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host="vector-bits=256 block-depth=64" -canonicalize -cse | FileCheck %s
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host="vector-bits=512 vector-registers=32" -canonicalize -cse | FileCheck %s --check-prefix=WIDE

// Odd steps read the three panels of the weights backward. Each GEMM prefetches the panel of the next one.
// CHECK-LABEL: func @few_rows
// CHECK: scf.for %[[STEP:.*]] = %c0 to %c5 step %c1 {
// CHECK: %[[PARITY:.*]] = arith.andi %[[STEP]], %c1 : index
// CHECK: %[[ODD:.*]] = arith.cmpi ne, %[[PARITY]], %c0 : index
// CHECK: scf.for %[[NUMBER:.*]] = %c0 to %c3 step %c1 {
// CHECK: %[[DOWN:.*]] = arith.subi %c2, %[[NUMBER]] : index
// CHECK: %[[PANEL:.*]] = arith.select %[[ODD]], %[[DOWN]], %[[NUMBER]] : index
// CHECK: %[[NEXT:.*]] = arith.select %[[ODD]]
// CHECK: %[[WEIGHTS:.*]] = arith.muli %[[PANEL]], %c768 : index
// CHECK: %[[NEXT_WEIGHTS:.*]] = arith.muli %[[NEXT]], %c768 : index
// CHECK: call @rnn_host_gemm_4_rows_f32({{.*}}, %[[WEIGHTS]], %c2304, {{.*}}, %[[NEXT_WEIGHTS]], %c0, %false)
// A panel has 16 columns: two vectors, and one cache line, of the row two rows later. The last rows prefetch the last one.
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c4 step %c1 {
// CHECK: %[[SECOND:.*]] = arith.addi %[[ROW]], %c2 : index
// CHECK: %[[LATER:.*]] = arith.minsi %[[SECOND]], %c3 : index
// CHECK: vector.store %{{.*}}, %arg5[%[[STEP]], %[[ROW]], %[[COLUMN:.*]]] : memref<5x4x48xf32>, vector<8xf32>
// CHECK-NEXT: memref.prefetch %arg5[%[[STEP]], %[[LATER]], %[[COLUMN]]], write, locality<3>, data : memref<5x4x48xf32>
// CHECK: vector.store %{{.*}}, %arg5[%[[STEP]], %[[ROW]], %{{.*}}] : memref<5x4x48xf32>, vector<8xf32>
// CHECK-NOT: prefetch
// CHECK: return
func.func @few_rows(%x: memref<5x4x16xf32>, %s: memref<4x48xf32>, %w: memref<64x192xf32>, %p: memref<48xf32>, %b: memref<192xf32>, %h: memref<5x4x48xf32>) {
  rnn.block_lstm icfo x(%x : memref<5x4x16xf32>) state(%s, %s : memref<4x48xf32>) weights(%w : memref<64x192xf32>)
      peephole(%p, %p, %p : memref<48xf32>) bias(%b : memref<192xf32>) outs(h = %h : memref<5x4x48xf32>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// More than 12 rows are limited by arithmetic: all steps read the panels in their order.
// CHECK-LABEL: func @many_rows
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 {
// CHECK: scf.for %[[PANEL:.*]] = %c0 to %c4 step %c1 {
// CHECK-NOT: select
// CHECK: %[[WEIGHTS:.*]] = arith.muli %[[PANEL]], %c1024 : index
// CHECK: call @rnn_host_gemm_f32({{.*}}, %[[WEIGHTS]], %c4096,
// CHECK: return

// The rows are divided into tiles without a division in the loop over tiles. The tiles of the first block of the depth
// prefetch those of c, and a turn of every tile two lines of the next block of b.
// CHECK-LABEL: func private @rnn_host_gemm_f32
// CHECK: scf.index_switch
// CHECK: default {
// CHECK: %[[TILES:.*]] = arith.divui %{{.*}}, %c6 : index
// CHECK: arith.divui %{{.*}}, %[[TILES]] : index
// CHECK: scf.for %{{.*}} = %c0 to %[[TILES]] step %c1 {
// CHECK-NOT: memref.prefetch
// CHECK: scf.if
// CHECK-COUNT-6: memref.prefetch %arg6[{{.*}}], read, locality<3>
// CHECK-NOT: memref.prefetch
// CHECK: }
// CHECK: scf.index_switch
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c4 iter_args
// CHECK-COUNT-2: memref.prefetch %arg3[{{.*}}], read, locality<2>
// CHECK-NOT: prefetch
// CHECK: llvm.intr.fmuladd
// CHECK: return

// A turn with vectors of 512 bits has 16 lines of b. A tile prefetches six if blocks of b exceed L1.
// WIDE-LABEL: func @many_rows
// WIDE-LABEL: func private @rnn_host_gemm_f32
// WIDE: scf.index_switch
// WIDE: default {
// WIDE: scf.index_switch
// WIDE: scf.for %{{.*}} = %c0 to %{{.*}} step %c4 iter_args
// WIDE-COUNT-6: memref.prefetch %arg3[{{.*}}], read, locality<2>
// WIDE-NOT: prefetch
// WIDE: llvm.intr.fmuladd
// WIDE: return
func.func @many_rows(%x: memref<3x13x64xf32>, %s: memref<13x64xf32>, %w: memref<128x256xf32>, %p: memref<64xf32>, %b: memref<256xf32>, %h: memref<3x13x64xf32>) {
  rnn.block_lstm icfo x(%x : memref<3x13x64xf32>) state(%s, %s : memref<13x64xf32>) weights(%w : memref<128x256xf32>)
      peephole(%p, %p, %p : memref<64xf32>) bias(%b : memref<256xf32>) outs(h = %h : memref<3x13x64xf32>) {lowering = #rnn.lowering<fused>}
  return
}
