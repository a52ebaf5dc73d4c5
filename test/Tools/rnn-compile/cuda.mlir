// A library for a GPU: the same entries and embedded kernels. Loading it requires no CUDA library.
// REQUIRES: rnn-compile, nvptx
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: rnn-compile %s --target=cuda --chip=sm_90a -o libgpu.so --emit-header=gpu.h
// RUN: llvm-readelf --dynamic libgpu.so | FileCheck %s --check-prefix=NEEDED --implicit-check-not=NEEDED
// RUN: llvm-nm --dynamic libgpu.so | FileCheck %s --check-prefix=SYMBOLS --implicit-check-not=" cu"
// RUN: FileCheck %s --check-prefix=HEADER < gpu.h
// It can be loaded without a GPU, and calls fail with the reason.
// RUN: %cc -I. %S/Inputs/gpu.c -L. -lgpu -Wl,-rpath,. %link_runtime -o gpu && ./gpu | FileCheck %s --check-prefix=LOADED

// NEEDED: (NEEDED) Shared library: [librnn_runtime.so]
// SYMBOLS-DAG: U rnnrt_abi_gpu_module_load
// SYMBOLS-DAG: U rnnrt_abi_gpu_launch
// SYMBOLS-DAG: U rnnrt_abi_alloc
// SYMBOLS-DAG: T rnn_entry_gpu_main
// HEADER: /* `main`, with tensors in the memory of the call's device
// HEADER-NEXT: in x: f32 [5, 2, 3]
// HEADER-NEXT: in h: f32 [1, 2, 4]
// HEADER-NEXT: in p: f32 [108]
// HEADER-NEXT: in k: f32
// HEADER-NEXT: out z: f32 [5, 2, 4] */
// LOADED: FAILED_PRECONDITION: `main` was compiled for tensors in device memory, but the call is on device `host`
func.func @main(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<108xf32>, %k: f32) -> tensor<5x2x4xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>)
      params(%p : tensor<108xf32>)
  %factor = tensor.splat %k : tensor<5x2x4xf32>
  %z = arith.mulf %y, %factor : tensor<5x2x4xf32>
  return %z : tensor<5x2x4xf32>
}
