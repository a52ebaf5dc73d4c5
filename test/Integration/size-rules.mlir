// Dynamic sizes that break a rule give the same error in every lowering.
// REQUIRES: rnn-run
// DEFINE: %{how} = --lowering=runtime
// DEFINE: %{block} = not rnn-run %s %{how} --function=block --input=2x2x3xf32=1 --input=2x0xf32=[[],[]] --input=3x0xf32=[[],[],[]] --input=0xf32=[] 2>&1 | FileCheck %s --check-prefix=HIDDEN
// DEFINE: %{steps} = not rnn-run %s %{how} --function=stack --input=0x1x2xf32=[] --input=2x1x2xf32=0 --input=48xf32=0 2>&1 | FileCheck %s --check-prefix=STEPS
// DEFINE: %{odd} = not rnn-run %s %{how} --function=stack --input=2x1x2xf32=0 --input=3x1x2xf32=0 --input=48xf32=0 2>&1 | FileCheck %s --check-prefix=ODD
// DEFINE: %{outs} = not rnn-run %s %{how} --function=outs --input=2x1x3xf32=1 --input=1x4xf32=0 --input=7x16xf32=0 --input=4xf32=0 --input=16xf32=0 --input=2x1x3xf32=0 2>&1 | FileCheck %s --check-prefix=OUTS
// RUN: %{block}
// RUN: %{steps}
// RUN: %{odd}
// RUN: %{outs}
// REDEFINE: %{how} = --lowering=fused
// RUN: %{block}
// RUN: %{steps}
// RUN: %{odd}
// RUN: %{outs}
// REDEFINE: %{how} = --lowering=fused --target=simt
// RUN: %{block}
// RUN: %{steps}
// RUN: %{odd}
// RUN: %{outs}

// HIDDEN: rnn-run: error: INVALID_ARGUMENT: 'rnn.block_lstm' op expects H (the hidden size, dim 1 of `cs_prev`) [B4]: expected a value of at least 1, but got 0
func.func @block(%x: tensor<?x?x?xf32>, %s: tensor<?x?xf32>, %w: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %y:7 = rnn.block_lstm ifco x(%x : tensor<?x?x?xf32>) state(%s, %s : tensor<?x?xf32>) weights(%w : tensor<?x?xf32>)
      peephole(%b, %b, %b : tensor<?xf32>) bias(%b : tensor<?xf32>)
  return %y#6 : tensor<?x?x?xf32>
}

// STEPS: rnn-run: error: INVALID_ARGUMENT: 'rnn.cudnn_forward' op expects T (the steps, dim 0 of `input`) [C3]: expected a value of at least 1, but got 0
// ODD: rnn-run: error: INVALID_ARGUMENT: 'rnn.cudnn_forward' op expects dim 0 of `input_h` to be a multiple of 2 (L, the layers, times 2) [C4]: expected 4, but got 3
func.func @stack(%x: tensor<?x?x?xf32>, %h: tensor<?x?x?xf32>, %p: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %y:3 = rnn.cudnn_forward rnn_tanh, bidirectional input(%x : tensor<?x?x?xf32>) state(%h : tensor<?x?x?xf32>) params(%p : tensor<?xf32>)
  return %y#0 : tensor<?x?x?xf32>
}

// OUTS: rnn-run: error: INVALID_ARGUMENT: 'rnn.block_lstm' op expects dim 2 of `outs` of `h` to be H [B8]: expected 4, but got 3
func.func @outs(%x: memref<2x1x3xf32>, %s: memref<1x4xf32>, %w: memref<7x16xf32>, %p: memref<4xf32>, %b: memref<16xf32>, %h: memref<?x?x?xf32>) {
  rnn.block_lstm ifco x(%x : memref<2x1x3xf32>) state(%s, %s : memref<1x4xf32>) weights(%w : memref<7x16xf32>)
      peephole(%p, %p, %p : memref<4xf32>) bias(%b : memref<16xf32>) outs(h = %h : memref<?x?x?xf32>)
  return
}
