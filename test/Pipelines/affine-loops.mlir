// affine-loops.mlir - affine loops of a program.
// RUN: rnn-opt %s --rnn-pipeline | FileCheck %s
// CHECK-LABEL: llvm.func {{.*}}@f
// CHECK-NOT: unrealized_conversion_cast
// CHECK: llvm.cond_br
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr

func.func @f(%x: memref<4xf32>) {
  affine.for %i = 0 to 4 {
    %0 = affine.load %x[%i] : memref<4xf32>
    %1 = arith.addf %0, %0 : f32
    affine.store %1, %x[%i] : memref<4xf32>
  }
  return
}
