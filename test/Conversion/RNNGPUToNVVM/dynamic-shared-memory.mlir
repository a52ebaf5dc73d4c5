// RUN: rnn-opt %s -pass-pipeline='builtin.module(gpu.module(convert-rnngpu-to-nvvm))' | FileCheck %s

// Dynamic shared memory has no size of its own: it becomes `.extern .shared`. Other globals keep their linkage.
// CHECK-LABEL: gpu.module @kernels
// CHECK:         llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// CHECK:         llvm.mlir.global internal @static() {addr_space = 3 : i32} : !llvm.array<4 x i8>
// CHECK:         llvm.mlir.global internal @constant() {addr_space = 4 : i32} : !llvm.array<0 x i8>
gpu.module @kernels {
  llvm.mlir.global internal @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global internal @static() {addr_space = 3 : i32} : !llvm.array<4 x i8>
  llvm.mlir.global internal @constant() {addr_space = 4 : i32} : !llvm.array<0 x i8>
}
