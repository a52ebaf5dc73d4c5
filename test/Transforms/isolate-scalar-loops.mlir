// RUN: rnn-opt %s -rnn-isolate-scalar-loops -split-input-file | FileCheck %s

#in = affine_map<(d0) -> (d0)>
#out = affine_map<(d0) -> ()>

// CHECK-LABEL: func.func @full_reduction
// CHECK:         scf.parallel (%{{.*}}) = (%c0) to (%c1) step (%c1) {
// CHECK-NEXT:      linalg.generic
// CHECK:           scf.reduce
func.func @full_reduction(%x: memref<?xf32>, %sum: memref<f32>) {
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["reduction"]} ins(%x : memref<?xf32>) outs(%sum : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// Rank 0: no iterators.
// CHECK-LABEL: func.func @scalar_fill
// CHECK:         scf.parallel
// CHECK-NEXT:      linalg.fill
func.func @scalar_fill(%sum: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<f32>)
  return
}

// CHECK-LABEL: func.func @parallel_and_tensors
// CHECK-NOT:     scf.parallel
func.func @parallel_and_tensors(%x: memref<?xf32>, %t: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<?xf32>)
  %r = linalg.fill ins(%zero : f32) outs(%t : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// An op inside a parallel loop becomes part of its kernel.
// CHECK-LABEL: func.func @inside
// CHECK-COUNT-1: scf.parallel
// CHECK-NOT:     scf.parallel
func.func @inside(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %e = memref.subview %x[%i] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%e : memref<f32, strided<[], offset: ?>>)
  }
  return
}
