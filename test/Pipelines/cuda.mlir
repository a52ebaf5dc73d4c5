// RUN: rnn-opt %s --rnn-pipeline='target=cuda stop-after=select' | FileCheck %s --check-prefix=SELECT
// RUN: rnn-opt %s --rnn-pipeline='target=cuda stop-after=lower' | FileCheck %s --check-prefix=LOWER
// RUN: rnn-opt %s --rnn-pipeline='target=cuda' | FileCheck %s --check-prefix=EMIT
// RUN: rnn-opt %s --rnn-pipeline='target=cuda lowering=fused stop-after=lower' | FileCheck %s --check-prefix=FUSED

// The layer is a runtime plan, as on the host; the ops outside rnn ops become kernels, and all buffers are on the device.
// Compilation needs no GPU, driver or CUDA toolkit.

// The same with fused kernels, which use a plan for checks only.
// FUSED: rnnrt.rnn_fused_plan %arg0
// FUSED: rnnrt.rnn_begin
// FUSED: gpu.launch_func @{{.*}}::@cudnn_lstm_input
// FUSED: scf.for
// FUSED: gpu.launch_func @{{.*}}::@cudnn_lstm_step

// SELECT: rnn.cudnn_forward lstm {{.*}}lowering = #rnn.lowering<runtime>

// LOWER-LABEL: func.func @main(%arg0: !rnnrt.call
// LOWER:         rnnrt.rnn_plan %arg0 f32 steps
// LOWER:         %[[Y:.*]] = rnnrt.alloc %arg0() : memref<3x2x8xf32>
// LOWER:         rnnrt.rnn_forward {{.*}} y %[[Y]]
// LOWER:         rnnrt.make_current %arg0
// LOWER-NEXT:    %[[T:.*]] = rnnrt.alloc %arg0() : memref<2x3x8xf32>
// LOWER-NEXT:    gpu.launch_func @[[MODULE:.*]]::@[[KERNEL:.*]] blocks in {{.*}} args(%[[Y]] : memref<3x2x8xf32>, %[[T]] : memref<2x3x8xf32>)
// LOWER:         rnnrt.free %arg0, %[[Y]]
// LOWER:         return %[[T]]
// LOWER:       gpu.module @[[MODULE]]
// LOWER:         gpu.func @[[KERNEL]]({{.*}}) kernel
// LOWER:           affine.delinearize_index

// EMIT: llvm.call @rnnrt_abi_make_current
// EMIT: gpu.launch_func @[[MODULE:.*]]::@
// EMIT: gpu.binary @[[MODULE]]
// EMIT-SAME: chip = "sm_80"
// EMIT-SAME: .target sm_80
// EMIT-SAME: ld.global
// EMIT-SAME: st.global
func.func @main(%x: tensor<3x2x4xf32>, %h: tensor<1x2x8xf32>, %c: tensor<1x2x8xf32>, %p: tensor<?xf32>) -> tensor<2x3x8xf32> {
  %y, %hn, %cn, %r = rnn.cudnn_forward lstm input(%x : tensor<3x2x4xf32>) state(%h, %c : tensor<1x2x8xf32>) params(%p : tensor<?xf32>)
  %e = tensor.empty() : tensor<2x3x8xf32>
  %t = linalg.transpose ins(%y : tensor<3x2x8xf32>) outs(%e : tensor<2x3x8xf32>) permutation = [1, 0, 2]
  return %t : tensor<2x3x8xf32>
}
