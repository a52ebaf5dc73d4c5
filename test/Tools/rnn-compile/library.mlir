// Dependencies and exported symbols of a compiled library: it requires librnn_runtime and the C library, and exports entries only.
// REQUIRES: rnn-compile
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: rnn-compile %s -o libmodel.so --print-statistics | FileCheck %s --check-prefix=STATISTICS
// RUN: llvm-readelf --dynamic libmodel.so | FileCheck %s --check-prefix=NEEDED --implicit-check-not=NEEDED
// RUN: llvm-nm --dynamic --undefined-only libmodel.so | FileCheck %s --check-prefix=UNDEFINED --implicit-check-not=" U "
// RUN: llvm-nm --dynamic --defined-only libmodel.so | FileCheck %s --check-prefix=DEFINED --implicit-check-not=" T "
// RUN: llvm-readelf --segments libmodel.so | FileCheck %s --check-prefix=STACK
// A compiler as the linker.
// RUN: rnn-compile %s -o libcc.so --linker=cc
// RUN: llvm-readelf --dynamic libcc.so | FileCheck %s --check-prefix=NEEDED --implicit-check-not=NEEDED
// RUN: llvm-nm --dynamic --undefined-only libcc.so | FileCheck %s --check-prefix=UNDEFINED --implicit-check-not=" U "

// The default processor is the baseline of the architecture.
// RUN: rnn-compile %s -o generic.ll && FileCheck %s --check-prefix=GENERIC < generic.ll
// RUN: rnn-compile %s -o native.o --cpu=native --mlir-timing --mlir-timing-display=list 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TIMING
// RUN: rnn-compile %s -o arm.o --triple=aarch64-linux-gnu --emit-header=- | FileCheck %s --check-prefix=PRINT
// RUN: llvm-readelf --file-header arm.o | FileCheck %s --check-prefix=ARM

// MLIR after a stage, and after all stages.
// RUN: rnn-compile %s -o - --stop-after=select | FileCheck %s --check-prefix=SELECT
// RUN: rnn-compile %s -o all.mlir && FileCheck %s --check-prefix=ALL < all.mlir

// TIMING: Execution time report
// TIMING: ConvertRNNToRuntimePass
// STATISTICS: compile time: {{[0-9.]+}} ms
// STATISTICS: object: {{[0-9]+}} bytes
// STATISTICS: fused loops: vectors of {{[0-9]+}} bits, bf16 GEMM {{f32|vnni|avx512|neon|amx}}, of one row {{f32|vnni|avx512|neon|amx}}
// STATISTICS: function: main, 5 argument(s), 2 result(s), entry rnn_entry_model_main
// NEEDED: (NEEDED) Shared library: [librnn_runtime.so]
// UNDEFINED-DAG: U rnnrt_abi_alloc_result
// UNDEFINED-DAG: U rnnrt_abi_block_lstm_forward
// UNDEFINED-DAG: U rnnrt_abi_block_lstm_plan
// UNDEFINED-DAG: U rnnrt_abi_enter
// UNDEFINED-DAG: U rnnrt_abi_expect_equal
// UNDEFINED-DAG: U rnnrt_abi_leave
// UNDEFINED-DAG: U sinf
// DEFINED-DAG: T rnn_entry_model_main
// DEFINED-DAG: V rnn_exports
// STACK: GNU_STACK {{.*}} RW {{ *}}0
// GENERIC: define void @rnn_entry_generic_main(
// GENERIC-NOT: "target-cpu"="{{(znver|skylake|x86-64-v[234])}}
// PRINT: static inline rnnrt_status_t arm_main(
// ARM: Machine: AArch64
// SELECT: lowering = #rnn.lowering<runtime>
// ALL: llvm.func @rnn_entry_all_main(
func.func @main(%x: tensor<5x2x3xf16>, %s: tensor<2x4xf16>, %w: tensor<?x16xf16>, %b: tensor<16xf16>, %n: i64)
    -> (tensor<5x2x4xf16>, tensor<5x2x4xf32>) {
  %p = arith.constant dense<0.0> : tensor<4xf16>
  %r:7 = rnn.block_lstm icfo x(%x : tensor<5x2x3xf16>) state(%s, %s : tensor<2x4xf16>)
      weights(%w : tensor<?x16xf16>) peephole(%p, %p, %p : tensor<4xf16>) bias(%b : tensor<16xf16>) seq_len_max(%n)
  %wide = arith.extf %r#6 : tensor<5x2x4xf16> to tensor<5x2x4xf32>
  %e = math.sin %wide : tensor<5x2x4xf32>
  return %r#6, %e : tensor<5x2x4xf16>, tensor<5x2x4xf32>
}
