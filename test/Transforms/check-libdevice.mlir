// RUN: rnn-opt %s -pass-pipeline='builtin.module(gpu.module(rnn-check-libdevice))' -verify-diagnostics
// RUN: rnn-opt %s -pass-pipeline='builtin.module(gpu.module(rnn-check-libdevice{toolkit=/usr/local/cuda}))' -o /dev/null

module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @__nv_tanhf(f32) -> f32
    llvm.func @k(%p: !llvm.ptr) {
      %x = llvm.load %p : !llvm.ptr -> f32
      // expected-error @+1 {{the kernel calls `__nv_tanhf` of NVIDIA's libdevice, but no CUDA toolkit was found; install it and set CUDA_HOME to its folder, or compile for another target}}
      %y = llvm.call @__nv_tanhf(%x) : (f32) -> f32
      llvm.store %y, %p : f32, !llvm.ptr
      llvm.return
    }
  }
}
