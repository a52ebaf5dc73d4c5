// Target host has one memory space.
// RUN: not rnn-opt %s --rnn-pipeline='target=host lowering=runtime' 2>&1 | FileCheck %s
// RUN: not rnn-opt %s --rnn-pipeline='target=host lowering=fused' 2>&1 | FileCheck %s
// CHECK: error: 'rnn.block_lstm' op has an operand of type 'memref<5x2x3xf32, 1>', but target `host` has the default memory space only; remove the memory space 1
func.func @main(%x: memref<5x2x3xf32, 1>, %s: memref<2x4xf32, 1>, %w: memref<7x16xf32, 1>, %p: memref<4xf32, 1>,
                %b: memref<16xf32, 1>, %h: memref<5x2x4xf32, 1>) {
  rnn.block_lstm icfo x(%x : memref<5x2x3xf32, 1>) state(%s, %s : memref<2x4xf32, 1>) weights(%w : memref<7x16xf32, 1>)
      peephole(%p, %p, %p : memref<4xf32, 1>) bias(%b : memref<16xf32, 1>) outs(h = %h : memref<5x2x4xf32, 1>)
  return
}
