// Panels of small layers are narrower than four vectors, so that fewer columns and rows are padded.
// RUN: rnn-opt %s -split-input-file -convert-rnn-to-host="vector-bits=512 vector-registers=32" -canonicalize -cse | FileCheck %s

// CHECK-LABEL: func @small
// CHECK-LABEL: func private @rnn_host_gemm_f32
// CHECK-NOT: arith.select %{{.*}}, %{{.*}}, %c64
// CHECK: %[[ROWS:.*]] = arith.select %{{.*}}, %{{.*}}, %c16 : index
// CHECK: scf.for %{{.*}} = %c0 to %[[ROWS]] step %c4 iter_args
// CHECK: return
func.func @small(%x: memref<5x8x3xf32>, %h: memref<1x8x16xf32>, %p: memref<?xf32>, %y: memref<5x8x16xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<5x8x3xf32>) state(%h : memref<1x8x16xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x8x16xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// The second layer has large inputs, and so does one with a dynamic size, perhaps.
// CHECK-LABEL: func @stack
// CHECK-LABEL: func private @rnn_host_gemm_f32
// CHECK: %[[ROWS:.*]] = arith.select %{{.*}}, %{{.*}}, %c64 : index
// CHECK: scf.for %{{.*}} = %c0 to %[[ROWS]] step %c4 iter_args
// CHECK: return
func.func @stack(%x: memref<5x8x3xf32>, %h: memref<2x8x128xf32>, %p: memref<?xf32>, %y: memref<5x8x128xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<5x8x3xf32>) state(%h : memref<2x8x128xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x8x128xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// CHECK-LABEL: func @dynamic
// CHECK-LABEL: func private @rnn_host_gemm_f32
// CHECK: %[[ROWS:.*]] = arith.select %{{.*}}, %{{.*}}, %c64 : index
// CHECK: scf.for %{{.*}} = %c0 to %[[ROWS]] step %c4 iter_args
// CHECK: return
func.func @dynamic(%x: memref<5x8x?xf32>, %h: memref<1x8x16xf32>, %p: memref<?xf32>, %y: memref<5x8x16xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<5x8x?xf32>) state(%h : memref<1x8x16xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x8x16xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// One step reads large weights where they are.
// CHECK-LABEL: func @one_step
// CHECK-LABEL: func private @rnn_host_gemm_f32
// CHECK: %[[ROWS:.*]] = arith.select %{{.*}}, %{{.*}}, %c64 : index
// CHECK: scf.for %{{.*}} = %c0 to %[[ROWS]] step %c4 iter_args
// CHECK: return
func.func @one_step(%x: memref<1x64x200xf32>, %h: memref<1x64x200xf32>, %p: memref<?xf32>, %y: memref<1x64x200xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<1x64x200xf32>) state(%h : memref<1x64x200xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<1x64x200xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}
