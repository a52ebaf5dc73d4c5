// RUN: rnn-opt %s -split-input-file -rnn-keep-deallocations -verify-diagnostics | FileCheck %s
// RUN: rnn-opt %s -split-input-file -rnn-keep-deallocations -canonicalize -one-shot-bufferize=bufferize-function-boundaries -rnn-deallocate-buffers -canonicalize -verify-diagnostics \
// RUN:   | FileCheck %s --check-prefix=AFTER

// In a function with tensors, the deallocation and the allocation of its buffer are marked.
// CHECK-LABEL: func @freed
// CHECK: memref.alloc() {bufferization.manual_deallocation} : memref<4xf32>
// CHECK: memref.dealloc %{{.*}} {bufferization.manual_deallocation} : memref<4xf32>
// The deallocation pass accepts the program and does not free the buffer again.
// AFTER-LABEL: func @freed
// AFTER: memref.dealloc
// AFTER-NOT: bufferization.dealloc
// AFTER: return
func.func @freed(%value: f32) -> f32 {
  %x = tensor.empty() : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %buffer = memref.alloc() : memref<4xf32>
  memref.store %value, %buffer[%c0] : memref<4xf32>
  %result = memref.load %buffer[%c0] : memref<4xf32>
  memref.dealloc %buffer : memref<4xf32>
  return %result : f32
}

// The allocation is found through views.
// CHECK-LABEL: func @view
// CHECK: memref.alloc(%{{.*}}) {bufferization.manual_deallocation} : memref<?x4xf32>
// CHECK: memref.cast
// CHECK-NOT: manual_deallocation
// CHECK: memref.dealloc %{{.*}} {bufferization.manual_deallocation} : memref<*xf32>
func.func @view(%size: index) {
  %x = tensor.empty() : tensor<4xf32>
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
// AFTER: bufferization.dealloc (%[[KEPT]]
func.func @not_freed(%value: f32) -> (f32, f32) {
  %x = tensor.empty() : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %kept = memref.alloc() : memref<2xf32>
  %freed = memref.alloc() : memref<3xf32>
  memref.store %value, %kept[%c0] : memref<2xf32>
  memref.store %value, %freed[%c0] : memref<3xf32>
  %from_kept = memref.load %kept[%c0] : memref<2xf32>
  %from_freed = memref.load %freed[%c0] : memref<3xf32>
  memref.dealloc %freed : memref<3xf32>
  return %from_kept, %from_freed : f32, f32
}

// A buffer of the caller has no allocation to mark.
// CHECK-LABEL: func @argument
// CHECK: memref.dealloc %{{.*}} {bufferization.manual_deallocation} : memref<4xf32>
func.func @argument(%buffer: memref<4xf32>) {
  %x = tensor.empty() : tensor<4xf32>
  memref.dealloc %buffer : memref<4xf32>
  return
}

// gpu.dealloc counts as well.
// CHECK-LABEL: func @device
// CHECK: gpu.alloc () {bufferization.manual_deallocation} : memref<4xf32>
// CHECK: gpu.dealloc %{{.*}} {bufferization.manual_deallocation} : memref<4xf32>
func.func @device() {
  %x = tensor.empty() : tensor<4xf32>
  %buffer = gpu.alloc () : memref<4xf32>
  gpu.dealloc %buffer : memref<4xf32>
  return
}

// A function without tensors frees all of its buffers itself: nothing is added, also not for the buffer of the loop.
// CHECK-LABEL: func @own_deallocations
// CHECK-NOT: manual_deallocation
// AFTER-LABEL: func @own_deallocations
// AFTER: memref.alloc() : memref<2xf32>
// AFTER: scf.for
// AFTER-NEXT: %[[NEXT:.*]] = func.call @allocate
// AFTER-NEXT: memref.dealloc
// AFTER-NEXT: scf.yield %[[NEXT]]
// AFTER: memref.dealloc
// AFTER-NOT: dealloc
// AFTER: return
func.func @own_deallocations(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<2xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%buffer = %first) -> memref<2xf32> {
    %next = func.call @allocate() : () -> memref<2xf32>
    memref.dealloc %buffer : memref<2xf32>
    scf.yield %next : memref<2xf32>
  }
  memref.dealloc %last : memref<2xf32>
  return
}

// A caller owns what a function returns.
// AFTER-LABEL: func private @allocate
// AFTER: %[[BUFFER:.*]] = memref.alloc
// AFTER: bufferization.dealloc (%[[BUFFER]] {{.*}} retain (%[[BUFFER]]
// AFTER: return %[[BUFFER]]
func.func private @allocate() -> memref<2xf32> {
  %buffer = memref.alloc() : memref<2xf32>
  return %buffer : memref<2xf32>
}

// -----

func.func @unknown_allocation(%x: tensor<2xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<2xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%buffer = %first) -> memref<2xf32> {
    scf.yield %buffer : memref<2xf32>
  }
  // expected-error @below {{frees a buffer whose allocation is not known, in a function with tensors, whose buffers the compiler frees; move the code on memrefs to a function of its own}}
  memref.dealloc %last : memref<2xf32>
  return
}
