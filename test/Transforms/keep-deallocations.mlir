// RUN: rnn-opt %s -rnn-keep-deallocations | FileCheck %s
// RUN: rnn-opt %s -rnn-keep-deallocations -ownership-based-buffer-deallocation | FileCheck %s --check-prefix=AFTER
// RUN: not rnn-opt %s -ownership-based-buffer-deallocation 2>&1 | FileCheck %s --check-prefix=WITHOUT

// WITHOUT: error: memory free side-effect on MemRef value not supported!

// The deallocation and the allocation of its buffer are marked.
// CHECK-LABEL: func @freed
// CHECK: memref.alloc() {bufferization.manual_deallocation} : memref<4xf32>
// CHECK: memref.dealloc %{{.*}} {bufferization.manual_deallocation} : memref<4xf32>
// The deallocation pass accepts the program and does not free the buffer again.
// AFTER-LABEL: func @freed
// AFTER: memref.dealloc
// AFTER-NOT: bufferization.dealloc
// AFTER: return
func.func @freed(%value: f32) {
  %c0 = arith.constant 0 : index
  %buffer = memref.alloc() : memref<4xf32>
  memref.store %value, %buffer[%c0] : memref<4xf32>
  memref.dealloc %buffer : memref<4xf32>
  return
}

// The allocation is found through views.
// CHECK-LABEL: func @view
// CHECK: memref.alloc(%{{.*}}) {bufferization.manual_deallocation} : memref<?x4xf32>
// CHECK: memref.cast
// CHECK-NOT: manual_deallocation
// CHECK: memref.dealloc %{{.*}} {bufferization.manual_deallocation} : memref<*xf32>
func.func @view(%size: index) {
  %buffer = memref.alloc(%size) : memref<?x4xf32>
  %view = memref.cast %buffer : memref<?x4xf32> to memref<*xf32>
  memref.dealloc %view : memref<*xf32>
  return
}

// A buffer without a deallocation is left to the deallocation pass, also beside one that has it.
// CHECK-LABEL: func @not_freed
// CHECK: %[[KEPT:.*]] = memref.alloc() : memref<2xf32>
// CHECK: %[[FREED:.*]] = memref.alloc() {bufferization.manual_deallocation} : memref<3xf32>
// CHECK: memref.dealloc %[[FREED]] {bufferization.manual_deallocation}
// CHECK-NOT: memref.dealloc
// AFTER-LABEL: func @not_freed
// AFTER: %[[KEPT:.*]] = memref.alloc() : memref<2xf32>
// AFTER: %[[BASE:.*]], %{{.*}}, %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[KEPT]]
// AFTER: bufferization.dealloc (%[[BASE]]
func.func @not_freed(%value: f32) {
  %c0 = arith.constant 0 : index
  %kept = memref.alloc() : memref<2xf32>
  %freed = memref.alloc() : memref<3xf32>
  memref.store %value, %kept[%c0] : memref<2xf32>
  memref.store %value, %freed[%c0] : memref<3xf32>
  memref.dealloc %freed : memref<3xf32>
  return
}

// A buffer of the caller has no allocation to mark.
// CHECK-LABEL: func @argument
// CHECK-NEXT: memref.dealloc %{{.*}} {bufferization.manual_deallocation} : memref<4xf32>
func.func @argument(%buffer: memref<4xf32>) {
  memref.dealloc %buffer : memref<4xf32>
  return
}

// gpu.dealloc counts as well.
// CHECK-LABEL: func @device
// CHECK: gpu.alloc () {bufferization.manual_deallocation} : memref<4xf32>
// CHECK: gpu.dealloc %{{.*}} {bufferization.manual_deallocation} : memref<4xf32>
func.func @device() {
  %buffer = gpu.alloc () : memref<4xf32>
  gpu.dealloc %buffer : memref<4xf32>
  return
}
