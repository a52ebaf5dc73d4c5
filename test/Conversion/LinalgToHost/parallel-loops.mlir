// parallel-loops.mlir - threads share scf.forall loops whose iterations consist of linalg ops.
// RUN: rnn-opt %s --convert-linalg-to-host --split-input-file | FileCheck %s

#rows = affine_map<(d0, d1) -> (d0, d1)>
!tile = memref<4x512xf32, strided<[512, 1], offset: ?>>

// Each thread allocates the buffer of an iteration once. The ops of an iteration use one thread.
// CHECK-LABEL: func @shared
// CHECK-NOT: scf.forall
// CHECK: %[[PART:.*]] = llvm.mlir.addressof @rnn_host_part
// CHECK: rnnrt.parallel %{{.*}}, %[[PART]]
// CHECK-NOT: rnnrt.parallel
// CHECK: llvm.func internal @rnn_host_part
// CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<4x512xf32>
// CHECK: scf.for
// CHECK: memref.subview
// CHECK: vector.load
// CHECK: }
// CHECK: memref.dealloc %[[BUFFER]]
// CHECK-NEXT: llvm.return
func.func @shared(%x: memref<2048x512xf32>, %y: memref<2048x512xf32>) {
  scf.forall (%i) = (0) to (2048) step (4) {
    %buffer = memref.alloc() : memref<4x512xf32>
    %from = memref.subview %x[%i, 0] [4, 512] [1, 1] : memref<2048x512xf32> to !tile
    %to = memref.subview %y[%i, 0] [4, 512] [1, 1] : memref<2048x512xf32> to !tile
    linalg.exp ins(%from : !tile) outs(%buffer : memref<4x512xf32>)
    linalg.add ins(%from, %buffer : !tile, memref<4x512xf32>) outs(%to : !tile)
    memref.dealloc %buffer : memref<4x512xf32>
  }
  return
}

// -----

// Equal loops become one function.
// CHECK-LABEL: func @equal
// CHECK-COUNT-2: call @rnn_host_op(
// CHECK-NOT: call @
// CHECK: func.func private @rnn_host_op
!tile = memref<4x512xf32, strided<[512, 1], offset: ?>>
func.func @equal(%x: memref<2048x512xf32>, %y: memref<2048x512xf32>) {
  scf.forall (%i) = (0) to (2048) step (4) {
    %from = memref.subview %x[%i, 0] [4, 512] [1, 1] : memref<2048x512xf32> to !tile
    linalg.exp ins(%from : !tile) outs(%from : !tile)
  }
  scf.forall (%i) = (0) to (2048) step (4) {
    %from = memref.subview %y[%i, 0] [4, 512] [1, 1] : memref<2048x512xf32> to !tile
    linalg.exp ins(%from : !tile) outs(%from : !tile)
  }
  scf.forall (%i) = (0) to (2048) step (4) {
    %from = memref.subview %y[%i, 0] [4, 512] [1, 1] : memref<2048x512xf32> to !tile
    linalg.tanh ins(%from : !tile) outs(%from : !tile)
  }
  return
}

// -----

// Other effects than those of linalg ops stay in their order, and the loop in this thread; nor does it use threads in a
// loop around it that they share.
// CHECK-LABEL: func @sequential
// CHECK-COUNT-2: scf.forall
// CHECK: memref.store
// CHECK: rnnrt.parallel
func.func @sequential(%x: memref<4x1000000xf32>, %last: memref<index>) {
  scf.forall (%i) in (4) {
    scf.forall (%j) in (1) {
      memref.store %j, %last[] : memref<index>
    }
    %row = memref.subview %x[%i, 0] [1, 1000000] [1, 1]
        : memref<4x1000000xf32> to memref<1x1000000xf32, strided<[1000000, 1], offset: ?>>
    linalg.exp ins(%row : memref<1x1000000xf32, strided<[1000000, 1], offset: ?>>)
               outs(%row : memref<1x1000000xf32, strided<[1000000, 1], offset: ?>>)
  }
  return
}
