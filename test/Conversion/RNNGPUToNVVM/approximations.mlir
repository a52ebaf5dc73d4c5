// RUN: rnn-opt %s -pass-pipeline='builtin.module(gpu.module(convert-rnngpu-to-nvvm))' | FileCheck %s

// The backend selects ex2.approx and tanh.approx for these intrinsics.
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @both
  // CHECK:         llvm.intr.exp2(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
  // CHECK:         llvm.intr.tanh(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
  llvm.func @both(%x: f32) -> f32 {
    %y = rnngpu.exp2_approx %x
    %z = rnngpu.tanh_approx %y
    llvm.return %z : f32
  }
}
