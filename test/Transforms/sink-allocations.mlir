// RUN: rnn-opt %s -rnn-sink-allocations | FileCheck %s

// Both buffers are allocated after the check, in their order.
// CHECK-LABEL: func @check
// CHECK-NEXT: rnnrt.expect_equal
// CHECK-NEXT: %[[A:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK-NEXT: %[[B:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK-NEXT: memref.copy %[[B]], %[[A]]
func.func @check(%call: !rnnrt.call, %n: index, %m: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  rnnrt.expect_equal %call, %n, %m, "expects n to be m"
  memref.copy %b, %a : memref<?xf32> to memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  return
}

// A use in a region counts as a use by the op with the region. Buffers of the device are moved, too.
// CHECK-LABEL: func @region
// CHECK: rnnrt.expect_equal
// CHECK-NEXT: %[[A:.*]] = rnnrt.alloc
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.dealloc %[[A]]
func.func @region(%call: !rnnrt.call, %n: index, %m: index, %flag: i1) {
  %a = rnnrt.alloc %call(%n) : memref<?xf32>
  rnnrt.expect_equal %call, %n, %m, "expects n to be m"
  scf.if %flag {
    memref.dealloc %a : memref<?xf32>
  }
  return
}

// A use in another block, which the block of the allocation dominates: the allocation stays.
// CHECK-LABEL: func @blocks
// CHECK-NEXT: memref.alloc
func.func @blocks(%call: !rnnrt.call, %n: index, %m: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  rnnrt.expect_equal %call, %n, %m, "expects n to be m"
  cf.br ^next
^next:
  memref.dealloc %a : memref<?xf32>
  return
}
