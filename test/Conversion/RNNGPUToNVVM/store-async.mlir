// RUN: rnn-opt %s --convert-rnngpu-to-nvvm | FileCheck %s

// CHECK-LABEL: @store_async(
// CHECK-SAME: %[[F:.*]]: f32, %[[I:.*]]: i32, %[[D:.*]]: f64, %[[SLOT:.*]]: !llvm.ptr<7>, %[[BARRIER:.*]]: !llvm.ptr<7>)
llvm.func @store_async(%f: f32, %i: i32, %d: f64, %slot: !llvm.ptr<7>, %barrier: !llvm.ptr<7>) {
  // CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [$0], $1, [$2];", "l,f,l,~{memory}" %[[SLOT]], %[[F]], %[[BARRIER]]
  rnngpu.store_async %f to %slot counted by %barrier : f32
  // CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [$0], {$1, $2, $3, $4}, [$5];", "l,r,r,r,r,l,~{memory}"
  rnngpu.store_async %i, %i, %i, %i to %slot counted by %barrier : i32, i32, i32, i32
  // CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [$0], {$1, $2}, [$3];", "l,d,d,l,~{memory}"
  rnngpu.store_async %d, %d to %slot counted by %barrier : f64, f64
  // CHECK-NEXT: llvm.return
  llvm.return
}
