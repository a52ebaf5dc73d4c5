// RUN: rnn-opt %s --convert-rnngpu-to-nvvm | FileCheck %s

// The polling loads have acquire semantics by their PTX instruction: LLVM 22 drops the ordering of an atomicrmw.
// CHECK-LABEL: @grid_barrier(
// CHECK-SAME: %[[COUNTER:.*]]: !llvm.ptr<1>)
llvm.func @grid_barrier(%counter: !llvm.ptr<1>) {
  // CHECK-NEXT: nvvm.barrier
  // CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att
  // CHECK-SAME: atom.add.release.gpu.global.u32 before, [$0], share;
  // CHECK-SAME: ld.acquire.gpu.global.u32 now, [$0];
  // CHECK-SAME: "l,~{memory}" %[[COUNTER]]
  // CHECK-NEXT: nvvm.barrier
  rnngpu.grid_barrier %counter
  // CHECK-NEXT: llvm.return
  llvm.return
}
