// RUN: rnn-opt %s -rnn-thread-runtime-call -convert-rnn-runtime-to-llvm | FileCheck %s

// Element types, flags (right_transposed and tf32), sizes, three matrices, bias.
// CHECK: llvm.func @rnnrt_abi_gemm(!llvm.ptr, i32, i32, i32, i64, i64, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64, i64, !llvm.ptr) -> i64
// CHECK-LABEL: func @gemm
// CHECK-DAG: %[[F16:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-DAG: %[[F32:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG: %[[FLAGS:.*]] = llvm.mlir.constant(10 : i32)
// CHECK: %[[NONE:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.call @rnnrt_abi_gemm(%arg0, %[[F16]], %[[F32]], %[[FLAGS]], {{.*}}, %[[NONE]])
func.func @gemm(%x: memref<8x4xf16>, %w: memref<6x4xf16>, %y: memref<8x6xf32>, %n: index) -> index {
  %call = rnnrt.current_call : !rnnrt.call
  %done = rnnrt.gemm %call [%n, %n, %n] left %x[%n, %n] right %w[%n, %n] result %y[%n, %n]
      {right_transposed, tf32} : memref<8x4xf16>, memref<6x4xf16>, memref<8x6xf32>
  return %done : index
}
