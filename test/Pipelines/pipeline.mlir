// RUN: rnn-opt %s --rnn-pipeline='target=host' -allow-unregistered-dialect --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: rnn-opt %s --rnn-pipeline=stop-after=import -allow-unregistered-dialect | FileCheck %s --check-prefix=IMPORT
// RUN: rnn-opt %s --rnn-pipeline=stop-after=simplify -allow-unregistered-dialect | FileCheck %s --check-prefix=SIMPLIFY
// RUN: rnn-opt %s --rnn-pipeline=stop-after=select -allow-unregistered-dialect | FileCheck %s --check-prefix=SELECT
// RUN: rnn-opt %s --rnn-pipeline=stop-after=bufferize -allow-unregistered-dialect | FileCheck %s --check-prefix=BUFFERIZE
// RUN: rnn-opt %s --rnn-pipeline=stop-after=lower -allow-unregistered-dialect | FileCheck %s --check-prefix=LOWER
// RUN: rnn-opt %s --rnn-pipeline=stop-after=emit -allow-unregistered-dialect | FileCheck %s --check-prefix=EMIT
// RUN: rnn-opt %s --rnn-pipeline -allow-unregistered-dialect | FileCheck %s --check-prefix=EMIT
// mlir-translate has none of our dialects.
// RUN: rnn-opt %s --rnn-pipeline=lowering=fused -allow-unregistered-dialect | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVM
// RUN: rnn-opt %s --rnn-pipeline='target=simt lowering=fused' -allow-unregistered-dialect | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVM
// RUN: not rnn-opt %s -allow-unregistered-dialect --rnn-pipeline=stop-after=never 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not rnn-opt %s -allow-unregistered-dialect --rnn-pipeline=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not rnn-opt %s -allow-unregistered-dialect --rnn-pipeline='target=simt vector-bits=256' 2>&1 | FileCheck %s --check-prefix=BITS

// CHIP: rnn-pipeline: chip requires target=cuda, but the target is `host`
// BITS: rnn-pipeline: vector-bits requires target=host, but the target is `simt`
// STAGE: unknown value `never`; expected import, simplify, select, bufferize, lower, emit or run

// TEXT: rnn-attach-target{chip= large-gemms=kernel target=host tf32=false wavefront-chunk=-1},
// TEXT: convert-tf-to-rnn,
// TEXT-NEXT: convert-jax-to-rnn,
// TEXT-NEXT: convert-onnx-to-rnn,
// TEXT-NEXT: convert-torch-to-rnn{convert-functions=true},
// TEXT: rnn-decompose-linalg,
// TEXT: rnn-verify-contract{stage=import},
// TEXT-NEXT: rnn-split-slices,
// TEXT: canonicalize{{[{].*}}
// TEXT: cse,
// TEXT: rnn-verify-contract{stage=simplify},
// TEXT: rnn-select-lowering{{[{].*}}fused-kernel=auto prefer=auto{{.*}}},
// TEXT: rnn-verify-contract{stage=select},
// TEXT: rnn-convert-tensor-selects,
// TEXT-NEXT: convert-elementwise-to-linalg,
// TEXT: rnn-fuse-elementwise,
// TEXT: rnn-protect-arguments,
// TEXT: rnn-eliminate-empty-tensors,
// TEXT: rnn-separate-results,
// TEXT-NEXT: rnn-copy-strided-casts{mark=true},
// TEXT-NEXT: one-shot-bufferize{{.*}}bufferize-function-boundaries=true
// TEXT-NEXT: rnn-copy-strided-casts{mark=false},
// TEXT-NEXT: rnn-split-slices,
// TEXT: rnn-deallocate-buffers
// TEXT: rnn-verify-contract{stage=bufferize},
// TEXT: convert-rnn-to-runtime,
// TEXT: rnn-expand-strided-copies{loops=false},
// TEXT: convert-linalg-to-host{bf16-gemm=auto block-depth=256 fma-units=2 vector-bits=256 vector-registers=16},
// TEXT-NEXT: any(
// TEXT-NEXT: convert-linalg-to-loops
// TEXT: convert-rnn-to-host
// TEXT: rnn-expand-strided-copies{loops=true},
// TEXT: rnn-thread-runtime-call,
// TEXT: rnn-verify-contract{stage=lower},
// TEXT: convert-rnn-runtime-to-llvm,
// TEXT: rnn-emit-entries
// TEXT: any(
// TEXT-NEXT: lower-affine,
// TEXT-NEXT: convert-scf-to-cf
// TEXT: finalize-memref-to-llvm{{.*}}use-generic-functions=true
// TEXT: reconcile-unrealized-casts
// TEXT: rnn-verify-contract{stage=emit}
// TEXT: rnn-detach-target

// IMPORT-LABEL: func.func @main
// IMPORT: rnn.cudnn_forward gru, auto_select input(%arg0 : tensor<5x2x4xf32>)
// SIMPLIFY-LABEL: func.func @main
// SIMPLIFY: rnn.cudnn_forward gru, skip_input input
// SELECT-LABEL: func.func @main
// SELECT: rnn.cudnn_forward gru, skip_input {{.*}} lowering = #rnn.lowering<runtime>
// BUFFERIZE-LABEL: func.func @main
// BUFFERIZE-SAME: -> memref<5x2x4xf32>
// BUFFERIZE: rnn.cudnn_forward {{.*}} outs(output = %{{.*}} : memref<5x2x4xf32>)
// LOWER-LABEL: func.func @main(%arg0: !rnnrt.call
// LOWER: rnnrt.rnn_plan
// LOWER: rnnrt.rnn_forward
// EMIT-NOT: rnn.target
// LLVM: define {{.*}}@rnn_entry_main(
// EMIT: llvm.func internal @main(%arg0: !llvm.ptr
// EMIT: llvm.call @rnnrt_abi_rnn_forward
// EMIT: llvm.func @rnn_entry_main(
func.func @main(%x: tensor<5x2x4xf32>, %h: tensor<1x2x4xf32>, %c: tensor<0xf32>, %p: tensor<?xf32>)
    -> tensor<5x2x4xf32> {
  %r:4 = "tf.CudnnRNN"(%x, %h, %c, %p) {rnn_mode = "gru", input_mode = "auto_select", is_training = false}
      : (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<0xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<f32>, tensor<f32>)
  return %r#0 : tensor<5x2x4xf32>
}
