// Buffers that a function returns may be memory of the program.
// RUN: rnn-opt %s --rnn-emit-entries --split-input-file | FileCheck %s
// RUN: rnn-opt %s --rnn-emit-entries=device-memory --split-input-file | FileCheck %s --check-prefix=DEVICE

// The second result is memory of this size, the first one is allocated elsewhere.
// CHECK-LABEL: func.func private @direct(
// CHECK-SAME: %[[CALL:.*]]: !llvm.ptr, %[[N:.*]]: index, %[[X:.*]]: memref<?xf32>)
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[COLUMNS:.*]] = llvm.mul %{{.*}}, %[[SIZE]]
// CHECK: %[[ROWS:.*]] = llvm.mlir.constant(4 : i64)
// CHECK: %[[ELEMENTS:.*]] = llvm.mul %[[COLUMNS]], %[[ROWS]]
// CHECK: %[[WIDTH:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: %[[BYTES:.*]] = llvm.mul %[[ELEMENTS]], %[[WIDTH]]
// CHECK: %[[INDEX:.*]] = llvm.mlir.constant(1 : i64)
// CHECK: %[[MEMORY:.*]] = llvm.call @rnnrt_abi_alloc_result(%[[CALL]], %[[INDEX]], %[[BYTES]])
// CHECK: llvm.insertvalue %[[MEMORY]], %{{.*}}[0]
// CHECK: llvm.insertvalue %[[MEMORY]], %{{.*}}[1]
// CHECK: %[[BUFFER:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<4x?xbf16>
// CHECK-NOT: memref.alloc
// CHECK: %[[CAST:.*]] = memref.cast %[[BUFFER]]
// CHECK: return %[[X]], %[[CAST]]
// DEVICE-LABEL: func.func private @direct(
// DEVICE: memref.alloc
// DEVICE-NOT: rnnrt_abi_alloc_result
func.func @direct(%call: !llvm.ptr, %n: index, %x: memref<?xf32>) -> (memref<?xf32>, memref<?x?xbf16>) {
  %0 = memref.alloc(%n) {alignment = 64 : i64} : memref<4x?xbf16>
  %1 = memref.cast %0 : memref<4x?xbf16> to memref<?x?xbf16>
  return %x, %1 : memref<?xf32>, memref<?x?xbf16>
}

// -----

// Not: one buffer for two results, a larger alignment, a buffer that is also freed, and one from a branch.
// CHECK-LABEL: func.func private @others(
// CHECK-COUNT-4: memref.alloc
// CHECK-NOT: rnnrt_abi_alloc_result
// CHECK: return
func.func @others(%call: !llvm.ptr, %c: i1)
    -> (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) {
  %0 = memref.alloc() : memref<4xf32>
  %1 = memref.alloc() {alignment = 128 : i64} : memref<4xf32>
  %2 = memref.alloc() : memref<4xf32>
  scf.if %c {
    memref.dealloc %2 : memref<4xf32>
  }
  %3 = scf.if %c -> memref<4xf32> {
    %4 = memref.alloc() : memref<4xf32>
    scf.yield %4 : memref<4xf32>
  } else {
    scf.yield %1 : memref<4xf32>
  }
  return %0, %0, %1, %2, %3 : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>
}

// -----

// Not in a function that the module calls: the memory is for the caller's results.
// CHECK-LABEL: func.func private @callee(
// CHECK-NOT: rnnrt_abi_alloc_result
// CHECK: memref.alloc
// CHECK-LABEL: func.func private @caller(
func.func @callee(%call: !llvm.ptr) -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  return %0 : memref<4xf32>
}
func.func @caller(%call: !llvm.ptr) -> memref<4xf32> {
  %0 = call @callee(%call) : (!llvm.ptr) -> memref<4xf32>
  return %0 : memref<4xf32>
}
