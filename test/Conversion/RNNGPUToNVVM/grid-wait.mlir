// RUN: rnn-opt %s --convert-rnngpu-to-nvvm | FileCheck %s

// CHECK-LABEL: @grid_wait(
llvm.func @grid_wait() {
  // CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "griddepcontrol.wait;", "~{memory}"
  rnngpu.grid_wait
  // CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "griddepcontrol.launch_dependents;", "~{memory}"
  rnngpu.launch_dependents
  // CHECK-NEXT: llvm.return
  llvm.return
}
