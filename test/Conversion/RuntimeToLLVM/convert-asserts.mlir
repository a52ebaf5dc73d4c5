// RUN: rnn-opt %s --rnn-convert-asserts --mlir-print-local-scope --split-input-file | FileCheck %s

// Equal messages share a string; the line is part of the message. Code after an assertion runs only if it holds.
// CHECK-DAG: llvm.func @rnnrt_abi_fail(!llvm.ptr)
// CHECK-DAG: llvm.mlir.global private constant @[[$FIRST:.*]]("assertion failed: {{.*}}convert-asserts.mlir:[[# @LINE + 13]]: a is true\00")
// CHECK-DAG: llvm.mlir.global private constant @[[$SECOND:.*]]("assertion failed: b is true\00")
// CHECK-LABEL: func.func @two
// CHECK-SAME: (%[[A:.*]]: i1, %[[B:.*]]: i1)
// CHECK: cf.cond_br %[[A]], ^[[HOLDS:.*]], ^[[FAILS:.*]]
// CHECK: ^[[HOLDS]]:
// CHECK: cf.cond_br %[[B]]
// CHECK: return
// CHECK: ^[[FAILS]]:
// CHECK-NEXT: %[[TEXT:.*]] = llvm.mlir.addressof @[[$FIRST]]
// CHECK-NEXT: llvm.call @rnnrt_abi_fail(%[[TEXT]])
// CHECK-NEXT: llvm.unreachable
func.func @two(%a: i1, %b: i1) {
  cf.assert %a, "a is true"
  cf.assert %b, "b is true" loc(unknown)
  return
}

// -----

// Kernels keep theirs.
// CHECK-LABEL: gpu.func @kernel
// CHECK: cf.assert
gpu.module @device {
  gpu.func @kernel(%a: i1) kernel {
    cf.assert %a, "a is true"
    gpu.return
  }
}
