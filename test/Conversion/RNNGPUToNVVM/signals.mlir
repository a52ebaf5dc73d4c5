// RUN: rnn-opt %s --convert-rnngpu-to-nvvm | FileCheck %s
// RUN: rnn-opt %s --convert-rnngpu-to-nvvm | mlir-translate --mlir-to-llvmir | llc -mtriple=nvptx64 -mcpu=sm_90a | FileCheck %s --check-prefix=PTX
// REQUIRES: nvptx

// Both order accesses for other streams, so their scope is the system.
// CHECK-LABEL: @signals(
// PTX-LABEL: signals(
llvm.func @signals(%counter: !llvm.ptr<1>, %flag: !llvm.ptr<1>) -> i32 {
  // CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "red.release.sys.global.add.u32 [$0], 1;", "l,~{memory}" %{{.*}} : (!llvm.ptr<1>) -> ()
  // PTX: red.release.sys.global.add.u32 [%rd{{[0-9]+}}], 1;
  rnngpu.add_signal %counter
  // CHECK-NEXT: %[[SET:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "ld.acquire.sys.global.u32 $0, [$1];", "=r,l,~{memory}" %{{.*}} : (!llvm.ptr<1>) -> i32
  // PTX: ld.acquire.sys.global.u32 %r{{[0-9]+}}, [%rd{{[0-9]+}}];
  %set = rnngpu.read_signal %flag
  // CHECK-NEXT: llvm.return %[[SET]]
  llvm.return %set : i32
}
