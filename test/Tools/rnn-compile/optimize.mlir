// Functions marked as hand-tiled use a shorter LLVM pipeline without loop transformations.
// REQUIRES: rnn-compile
// RUN: rnn-compile %s -o %t.ll && FileCheck %s < %t.ll
// RUN: rnn-compile %s -O0 -o %t.O0.ll && FileCheck %s --check-prefix=O0 < %t.O0.ll

// The trip count is propagated, the sum stays in a register, and memref descriptors are removed.
// CHECK-LABEL: define {{.*}}float @tiled(
// CHECK-NOT: {{extractvalue|insertvalue|alloca|<. x float>}}
// CHECK: phi float
// CHECK-NOT: {{extractvalue|insertvalue|alloca|<. x float>}}
// CHECK: = fadd float
// CHECK-NOT: = fadd float
// CHECK-LABEL: define {{.*}}float @other(
// CHECK: = fadd float
// CHECK: = fadd float

// O0-LABEL: define {{.*}}float @tiled(
// O0: extractvalue
func.func private @tiled(%x: memref<64xf32>) -> f32 attributes {passthrough = ["rnn-hand-tiled", "noinline"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %zero) -> f32 {
    %v = memref.load %x[%i] : memref<64xf32>
    %next = arith.addf %s, %v : f32
    scf.yield %next : f32
  }
  return %sum : f32
}

func.func private @other(%x: memref<64xf32>) -> f32 attributes {passthrough = ["noinline"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %zero) -> f32 {
    %v = memref.load %x[%i] : memref<64xf32>
    %next = arith.addf %s, %v : f32
    scf.yield %next : f32
  }
  return %sum : f32
}

func.func @main(%x: tensor<64xf32>) -> (f32, f32) {
  %m = bufferization.to_buffer %x : tensor<64xf32> to memref<64xf32>
  %a = call @tiled(%m) : (memref<64xf32>) -> f32
  %b = call @other(%m) : (memref<64xf32>) -> f32
  return %a, %b : f32, f32
}
