// Targets cuda and simt lower kernels by the same passes; they differ only after them.
// RUN: rnn-opt %s --rnn-pipeline='target=cuda chip=sm_90a' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefixes=KERNELS,CUDA
// RUN: rnn-opt %s --rnn-pipeline='target=simt' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefixes=KERNELS,SIMT

// --simt-check adds one pass.
// RUN: rnn-opt %s --rnn-pipeline='target=simt simt-check' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefixes=CHECK

// KERNELS:      gpu.module({{ *$}}
// KERNELS-NEXT: rnn-expand-gpu-reductions,
// KERNELS-NEXT: convert-nvgpu-to-nvvm,
// KERNELS-NEXT: convert-vector-to-scf{{.*}},
// KERNELS-NEXT: lower-affine,
// KERNELS-NEXT: rnn-reinterpret-expand-shapes,
// KERNELS-NEXT: expand-strided-metadata,
// KERNELS-NEXT: lower-affine,
// KERNELS-NEXT: arith-expand{{.*}},
// KERNELS-NEXT: convert-scf-to-cf{{.*}},
// KERNELS-NEXT: convert-gpu-to-nvvm{{.*}},
// KERNELS-NEXT: convert-vector-to-llvm{{.*}},
// KERNELS-NEXT: canonicalize{{.*}},
// KERNELS-NEXT: cse,
// KERNELS-NEXT: reconcile-unrealized-casts
// CUDA:         convert-rnngpu-to-nvvm
// CUDA:         nvvm-attach-target{{.*}}chip=sm_90a
// SIMT-NOT:     convert-rnngpu-to-nvvm
// SIMT:         simt-to-host

// CHECK:      gpu.module({{ *$}}
// CHECK-NEXT: rnn-expand-gpu-reductions,
// CHECK-NEXT: generate-runtime-verification{{.*}},
// CHECK-NEXT: convert-nvgpu-to-nvvm,
module {
}
