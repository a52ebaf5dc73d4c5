// Fused layers compile for the baseline processor: loops of the host without a call per element; kernels of the emulator with calls
// of fmaf, which rounds a multiply-add once on every machine.
// REQUIRES: rnn-compile
// RUN: rnn-compile %s --lowering=fused -o %t.host.o
// RUN: llvm-nm -u %t.host.o | FileCheck %s --check-prefix=HOST --implicit-check-not=fma
// RUN: rnn-compile %s --lowering=fused --target=simt -o %t.simt.o
// RUN: llvm-nm -u %t.simt.o | FileCheck %s --check-prefix=SIMT
// HOST: U rnnrt_abi_rnn_begin
// SIMT: U fmaf
func.func @main(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<5x2x4xf32> {
  %y:3 = rnn.cudnn_forward gru input(%x : tensor<5x2x3xf32>) state(%h : tensor<1x2x4xf32>) params(%p : tensor<?xf32>)
      {is_training = false}
  return %y#0 : tensor<5x2x4xf32>
}
