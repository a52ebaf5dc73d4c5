// parts.mlir - a library of several object files, which threads generate at the same time, has the symbols of one.
// REQUIRES: rnn-compile
// RUN: rm -rf %t && mkdir %t %t/again && cd %t
// RUN: rnn-compile %s --lowering=fused -o one.o
// RUN: rnn-compile %s --lowering=fused -o libparts.so
// RUN: llvm-nm --defined-only one.o | FileCheck %s --check-prefix=ONE
// RUN: llvm-nm --dynamic --defined-only libparts.so | FileCheck %s --check-prefix=DEFINED --implicit-check-not=" T "
// RUN: llvm-nm --dynamic --undefined-only libparts.so | FileCheck %s --check-prefix=UNDEFINED --implicit-check-not=rnn_host
// RUN: llvm-readelf --syms libparts.so | FileCheck %s --check-prefix=HIDDEN
// The same library again.
// RUN: rnn-compile %s --lowering=fused -o again/libparts.so
// RUN: cmp libparts.so again/libparts.so
// A compiler as the linker.
// RUN: mkdir cc && rnn-compile %s --lowering=fused -o cc/libparts.so --linker=cc
// RUN: llvm-nm --dynamic --defined-only cc/libparts.so | FileCheck %s --check-prefix=DEFINED --implicit-check-not=" T "
// RUN: not rnn-compile %s --lowering=fused -o libbad.so --linker=false 2>&1 | FileCheck %s --check-prefix=FAILED

// ONE: t rnn_host_gemm_f32
// DEFINED-DAG: T rnn_entry_parts_main
// DEFINED-DAG: V rnn_exports
// UNDEFINED: U rnnrt_abi_enter
// HIDDEN: FUNC LOCAL HIDDEN {{.*}} rnn_host_gemm_f32
// FAILED: rnn-compile: error: the linker {{.*}}false` failed
func.func @main(%x: tensor<50x32x64xf32>, %s: tensor<32x96xf32>, %w: tensor<160x384xf32>, %p: tensor<96xf32>, %b: tensor<384xf32>, %n: i64)
    -> tensor<50x32x96xf32> {
  %r:7 = rnn.block_lstm icfo x(%x : tensor<50x32x64xf32>) state(%s, %s : tensor<32x96xf32>)
      weights(%w : tensor<160x384xf32>) peephole(%p, %p, %p : tensor<96xf32>) bias(%b : tensor<384xf32>) seq_len_max(%n)
  return %r#6 : tensor<50x32x96xf32>
}
