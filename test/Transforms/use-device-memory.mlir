// RUN: rnn-opt %s -rnn-use-device-memory -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @buffers
// CHECK-SAME:    (%[[N:.*]]: index, %[[X:.*]]: memref<?x3xf32>)
// CHECK:         %[[B:.*]] = rnnrt.alloc %{{.*}}(%[[N]]) : memref<?x3xf32>
// CHECK:         rnnrt.copy %{{.*}}, %[[X]] to %[[B]] bytes %{{.*}}
// CHECK:         rnnrt.free %{{.*}}, %[[B]]
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
func.func @buffers(%n: index, %x: memref<?x3xf32>) {
  %b = memref.alloc(%n) : memref<?x3xf32>
  memref.copy %x, %b : memref<?x3xf32> to memref<?x3xf32>
  memref.dealloc %b : memref<?x3xf32>
  return
}

// -----

// A contiguous slice is copied. The byte count is that of the slice.
// CHECK-LABEL: func.func @slice
// CHECK-SAME:    (%[[X:.*]]: memref<8x3xbf16>, %[[Y:.*]]: memref<2x3xbf16>)
// CHECK:         %[[SLICE:.*]] = memref.subview %[[X]][4, 0] [2, 3] [1, 1]
// CHECK:         rnnrt.copy %{{.*}}, %[[SLICE]] to %[[Y]]
func.func @slice(%x: memref<8x3xbf16>, %y: memref<2x3xbf16>) {
  %s = memref.subview %x[4, 0] [2, 3] [1, 1] : memref<8x3xbf16> to memref<2x3xbf16, strided<[3, 1], offset: 12>>
  memref.copy %s, %y : memref<2x3xbf16, strided<[3, 1], offset: 12>> to memref<2x3xbf16>
  return
}

// -----

// Scalars are read and written one by one. The host copy is on the stack, outside the loop.
// CHECK-LABEL: func.func @scalars
// CHECK-SAME:    (%[[X:.*]]: memref<?xi64>, %[[I:.*]]: index)
// CHECK:         %[[OUT:.*]] = memref.alloca() : memref<i64>
// CHECK:         %[[IN:.*]] = memref.alloca() : memref<i64>
// CHECK:         scf.for
// CHECK:           %[[FROM:.*]] = memref.subview %[[X]][%[[I]]] [1] [1]
// CHECK:           %[[C8:.*]] = arith.constant 8 : index
// CHECK:           rnnrt.read %{{.*}}, %[[FROM]] to %[[IN]] bytes %[[C8]]
// CHECK:           %[[V:.*]] = memref.load %[[IN]][]
// CHECK:           memref.store %[[V]], %[[OUT]][]
// CHECK:           %[[TO:.*]] = memref.subview %[[X]]
// CHECK:           rnnrt.copy %{{.*}}, %[[OUT]] to %[[TO]]
func.func @scalars(%x: memref<?xi64>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %i step %c1 {
    %v = memref.load %x[%i] : memref<?xi64>
    memref.store %v, %x[%k] : memref<?xi64>
  }
  return
}

// -----

memref.global "private" constant @table : memref<2x2xf16> = dense<1.0>

// CHECK-LABEL: func.func @constant
// CHECK:         %[[HOST:.*]] = memref.get_global @table
// CHECK:         %[[DEVICE:.*]] = rnnrt.alloc %{{.*}}() : memref<2x2xf16>
// CHECK:         %[[C8:.*]] = arith.constant 8 : index
// CHECK:         rnnrt.copy %{{.*}}, %[[HOST]] to %[[DEVICE]] bytes %[[C8]]
// CHECK:         rnnrt.copy %{{.*}}, %[[DEVICE]] to %{{.*}} bytes
// CHECK:         rnnrt.free %{{.*}}, %[[DEVICE]]
// CHECK-NEXT:    return
func.func @constant(%y: memref<2x2xf16>) {
  %t = memref.get_global @table : memref<2x2xf16>
  memref.copy %t, %y : memref<2x2xf16> to memref<2x2xf16>
  return
}

// -----

// Launches are bound to the call. Kernels do not change.
// CHECK-LABEL: func.func @launch
// CHECK:         rnnrt.make_current
// CHECK-NEXT:    gpu.launch_func @kernels::@k
// CHECK:       gpu.func @k
// CHECK:         memref.store
module attributes {gpu.container_module} {
  func.func @launch(%x: memref<f32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<f32>)
    return
  }
  gpu.module @kernels {
    gpu.func @k(%x: memref<f32>) kernel {
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[] : memref<f32>
      gpu.return
    }
  }
}

// -----

// The arrays of bufferization.dealloc stay in host memory.
// CHECK-LABEL: func.func @bookkeeping
// CHECK:         memref.alloc() : memref<2xindex>
// CHECK:         memref.store
// CHECK:         memref.dealloc
// CHECK-NOT:     rnnrt
func.func @bookkeeping(%n: index) {
  %c0 = arith.constant 0 : index
  %list = memref.alloc() : memref<2xindex>
  %cast = memref.cast %list : memref<2xindex> to memref<?xindex>
  memref.store %n, %list[%c0] : memref<2xindex>
  call @dealloc_helper(%cast) : (memref<?xindex>) -> ()
  memref.dealloc %list : memref<2xindex>
  return
}
func.func private @dealloc_helper(%list: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %list[%c0] : memref<?xindex>
  return
}

// -----

func.func @strided(%x: memref<4x4xf32, strided<[1, 4]>>, %y: memref<4x4xf32>) {
  // expected-error @+1 {{'memref.copy' op between 'memref<4x4xf32, strided<[1, 4]>>' and 'memref<4x4xf32>' is not contiguous; run rnn-expand-strided-copies first}}
  memref.copy %x, %y : memref<4x4xf32, strided<[1, 4]>> to memref<4x4xf32>
  return
}

// -----

func.func @on_the_host(%x: memref<4xf32>, %i: index) -> vector<4xf32> {
  // expected-error @+1 {{'vector.load' op accesses a buffer in device memory, but runs on the host; use a linalg op or a parallel loop, which become kernels, or target `host`}}
  %v = vector.load %x[%i] : memref<4xf32>, vector<4xf32>
  return %v : vector<4xf32>
}
