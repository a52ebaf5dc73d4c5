// promote-buffers.mlir - small buffers that move to the stack, and those that stay on the heap.
// RUN: rnn-opt %s --rnn-promote-buffers --split-input-file --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: func @loops
// CHECK-NEXT: %[[ROW:.*]] = memref.alloca() {alignment = 16 : i64} : memref<3xf32>
// CHECK-NEXT: %[[FLAG:.*]] = memref.alloca() {alignment = 1 : i64} : memref<i1>
// CHECK-NOT: memref.alloc()
// CHECK: "test.use"(%[[ROW]], %[[FLAG]])
func.func @loops(%n: index, %which: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %row = memref.alloc() {alignment = 64 : i64} : memref<3xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.if %which {
      %flag = memref.alloc() {alignment = 64 : i64} : memref<i1>
      "test.use"(%row, %flag) : (memref<3xf32>, memref<i1>) -> ()
    }
  }
  return
}

// -----

// A branch passes it on, and so do loops that begin after the allocation.
// CHECK-LABEL: func @passed
// CHECK-COUNT-2: memref.alloca()
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @passed(%n: index, %which: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.if %which -> memref<4xf32> {
    %x = memref.alloc() : memref<4xf32>
    scf.yield %x : memref<4xf32>
  } else {
    %y = memref.alloc() : memref<4xf32>
    scf.yield %y : memref<4xf32>
  }
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %0) -> memref<4xf32> {
    "test.use"(%a) : (memref<4xf32>) -> ()
    scf.yield %a : memref<4xf32>
  }
  "test.use"(%1) : (memref<4xf32>) -> ()
  return
}

// -----

// Each iteration needs the buffer of the one before. The caller frees what a function returns.
// CHECK-LABEL: func @kept
// CHECK-NOT: memref.alloca
// CHECK: return
func.func @kept(%x: memref<4xf32>, %n: index, %which: i1) -> (memref<4xf32>, memref<2xf32, strided<[1]>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> memref<4xf32> {
    %next = memref.alloc() : memref<4xf32>
    %1 = scf.if %which -> memref<4xf32> {
      "test.use"(%a, %next) : (memref<4xf32>, memref<4xf32>) -> ()
      scf.yield %next : memref<4xf32>
    } else {
      scf.yield %a : memref<4xf32>
    }
    scf.yield %1 : memref<4xf32>
  }
  %2 = scf.while (%a = %0) : (memref<4xf32>) -> memref<4xf32> {
    %next = memref.alloc() : memref<4xf32>
    "test.use"(%a, %next) : (memref<4xf32>, memref<4xf32>) -> ()
    scf.condition(%which) %next : memref<4xf32>
  } do {
  ^bb0(%a: memref<4xf32>):
    scf.yield %a : memref<4xf32>
  }
  %y = memref.alloc() : memref<4xf32>
  %view = memref.subview %y[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  return %2, %view : memref<4xf32>, memref<2xf32, strided<[1]>>
}

// -----

// The called function may return its argument. Buffers that the function frees stay.
// CHECK-LABEL: func @called
// CHECK: %[[X:.*]] = memref.alloc() : memref<4xf32>
// CHECK: call @same(%[[X]])
// CHECK: %[[Y:.*]] = memref.alloc() : memref<4xf32>
// CHECK: memref.dealloc %[[Y]]
func.func private @same(%x: memref<4xf32>) -> memref<4xf32>
func.func @called() -> memref<4xf32> {
  %x = memref.alloc() : memref<4xf32>
  %0 = call @same(%x) : (memref<4xf32>) -> memref<4xf32>
  %y = memref.alloc() : memref<4xf32>
  memref.dealloc %y : memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// Outside of loops: those above 1 KiB, of unknown size or without elements, and what exceeds 16 KiB together.
// CHECK-LABEL: func @large
// CHECK-COUNT-16: memref.alloca() {alignment = 64 : i64} : memref<256xf32>
// CHECK-NOT: memref.alloca
// CHECK-DAG: memref.alloc() : memref<257xf32>
// CHECK-DAG: memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK-DAG: memref.alloc() : memref<0xf32>
// CHECK-DAG: memref.alloc() : memref<256xf32>
func.func @large(%n: index) {
  %0 = memref.alloc() : memref<257xf32>
  %1 = memref.alloc(%n) : memref<?xf32>
  %2 = memref.alloc() : memref<0xf32>
  "test.use"(%0, %1, %2) : (memref<257xf32>, memref<?xf32>, memref<0xf32>) -> ()
  %a0 = memref.alloc() : memref<256xf32>
  %a1 = memref.alloc() : memref<256xf32>
  %a2 = memref.alloc() : memref<256xf32>
  %a3 = memref.alloc() : memref<256xf32>
  %a4 = memref.alloc() : memref<256xf32>
  %a5 = memref.alloc() : memref<256xf32>
  %a6 = memref.alloc() : memref<256xf32>
  %a7 = memref.alloc() : memref<256xf32>
  %a8 = memref.alloc() : memref<256xf32>
  %a9 = memref.alloc() : memref<256xf32>
  %a10 = memref.alloc() : memref<256xf32>
  %a11 = memref.alloc() : memref<256xf32>
  %a12 = memref.alloc() : memref<256xf32>
  %a13 = memref.alloc() : memref<256xf32>
  %a14 = memref.alloc() : memref<256xf32>
  %a15 = memref.alloc() : memref<256xf32>
  %a16 = memref.alloc() : memref<256xf32>
  "test.use"(%a0, %a16) : (memref<256xf32>, memref<256xf32>) -> ()
  return
}

// -----

// Iterations may run at the same time.
// CHECK-LABEL: func @parallel
// CHECK-NOT: memref.alloca
// CHECK: return
func.func @parallel(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.alloc() : memref<4xf32>
    "test.use"(%x) : (memref<4xf32>) -> ()
  }
  return
}

// -----

// In loops, buffers of at most 8 KiB and of bf16 are allocated once, and those with unknown sizes where the sizes are known, if they
// would be small with sizes of 16.
// CHECK-LABEL: func @hoisted
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
// CHECK-NEXT: memref.alloc() : memref<257xf32>
// CHECK-NEXT: memref.alloc() : memref<4xbf16>
// CHECK: memref.alloc(%[[N]]) : memref<?xf32>
// CHECK-NEXT: scf.for %[[I:.*]] =
// CHECK-NEXT: memref.alloc() : memref<2049xf32>
// CHECK-NEXT: memref.alloc(%[[N]]) : memref<?x129xf32>
// CHECK: memref.alloc(%[[I]]) : memref<?x64xf32>
// CHECK-NEXT: scf.for %[[J:.*]] =
// CHECK-NEXT: memref.alloc(%[[J]]) : memref<?xf32>
func.func @hoisted(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.alloc() : memref<257xf32>
    %y = memref.alloc() : memref<4xbf16>
    %z = memref.alloc() : memref<2049xf32>
    %w = memref.alloc(%n) : memref<?xf32>
    %v = memref.alloc(%n) : memref<?x129xf32>
    "test.use"(%x, %y, %z, %w, %v) : (memref<257xf32>, memref<4xbf16>, memref<2049xf32>, memref<?xf32>, memref<?x129xf32>) -> ()
    scf.for %j = %c0 to %n step %c1 {
      %u = memref.alloc(%i) : memref<?x64xf32>
      %t = memref.alloc(%j) : memref<?xf32>
      "test.use"(%u, %t) : (memref<?x64xf32>, memref<?xf32>) -> ()
    }
  }
  return
}
