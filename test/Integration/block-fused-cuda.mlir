// Launches of per-step kernels on device `cuda` with a fake driver: chips from sm_90 on use programmatic dependent launch.
// REQUIRES: rnn-run, fake-cuda, ptxas
// RUN: rm -rf %t && mkdir -p %t/nvvm && ln -s %cuda_toolkit/nvvm/libdevice %t/nvvm/libdevice
// DEFINE: %{fakes} = env RNNRT_TRACE=dispatch RNNRT_CUDA_PATH=%fake_cuda CUDA_HOME=%t
// DEFINE: %{inputs} = --input=3x2x4xf16=0.5 --input=2x8xf16=0.25 --input=12x32xf16=0.125 --input=8xf16=0 --input=32xf16=0
// RUN: %{fakes} PATH=%t %rnn_run %s --target=cuda --lowering=fused --fused-kernel=per_step --chip=sm_90a %{inputs} --output=@%t/h.npy 2>&1 | FileCheck %s
// RUN: %{fakes} %rnn_run %s --target=cuda --lowering=fused %{inputs} --output=@%t/h.npy 2>&1 | FileCheck %s --check-prefix=ANY --implicit-check-not=programmatic
// CHECK: kernel=block_lstm_input grid=1x1x1 block=128x1x1 shared=0,OK
// CHECK-NEXT: kernel=block_lstm_step grid=1x1x1 block=128x1x1 shared=59136 programmatic,OK
// CHECK-NEXT: kernel=block_lstm_step grid=1x1x1 block=128x1x1 shared=59136 programmatic,OK
// CHECK-NEXT: kernel=block_lstm_step grid=1x1x1 block=128x1x1 shared=59136 programmatic,OK
// ANY: kernel=block_lstm_input
// ANY-NEXT: kernel=block_lstm_step grid=1x1x1 block=128x1x1 shared=59136,OK
// ANY-NEXT: kernel=block_lstm_step grid=1x1x1 block=128x1x1 shared=59136,OK
// ANY-NEXT: kernel=block_lstm_step grid=1x1x1 block=128x1x1 shared=59136,OK
func.func @main(%x: tensor<3x2x4xf16>, %s: tensor<2x8xf16>, %w: tensor<12x32xf16>, %p: tensor<8xf16>, %b: tensor<32xf16>)
    -> tensor<3x2x8xf16> {
  %r:7 = rnn.block_lstm ifco x(%x : tensor<3x2x4xf16>) state(%s, %s : tensor<2x8xf16>) weights(%w : tensor<12x32xf16>)
      peephole(%p, %p, %p : tensor<8xf16>) bias(%b : tensor<32xf16>)
  return %r#6 : tensor<3x2x8xf16>
}
