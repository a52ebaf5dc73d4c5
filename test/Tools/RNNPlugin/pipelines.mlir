// The stock mlir-opt compiles a layer for every target, with all dialects and passes from the plugin.
// REQUIRES: mlir-opt, rnn-plugin
// DEFINE: %{opt} = mlir-opt %s --load-dialect-plugin=%rnn_plugin --load-pass-plugin=%rnn_plugin
// DEFINE: %{pipeline} =
// RUN: %{opt} --pass-pipeline='builtin.module(rnn-pipeline{target=host lowering=fused})' | FileCheck %s --check-prefix=HOST
// RUN: %{opt} --pass-pipeline='builtin.module(rnn-pipeline{target=host lowering=runtime})' | FileCheck %s --check-prefix=PLAN
// RUN: %{opt} --pass-pipeline='builtin.module(rnn-pipeline{target=cuda lowering=fused})' | FileCheck %s --check-prefix=CUDA
// RUN: %{opt} --pass-pipeline='builtin.module(rnn-pipeline{target=simt lowering=fused})' | FileCheck %s --check-prefix=SIMT

// The same text as rnn-opt's, bit for bit.
// RUN: %{opt} --pass-pipeline='builtin.module(rnn-pipeline{target=host lowering=fused})' -o %t.plugin.mlir
// RUN: rnn-opt %s --pass-pipeline='builtin.module(rnn-pipeline{target=host lowering=fused})' -o %t.tool.mlir
// RUN: cmp %t.plugin.mlir %t.tool.mlir

// Single passes, and a mixture with upstream's.
// RUN: %{opt} --pass-pipeline='builtin.module(canonicalize,rnn-select-lowering{prefer=fused},cse)' | FileCheck %s --check-prefix=SELECT

// HOST:     llvm.func {{.*}}@layer
// HOST:     llvm.call @rnnrt_abi_
// HOST-NOT: rnn.cudnn_forward
// PLAN:     llvm.call @rnnrt_abi_rnn_forward
// CUDA:     llvm.call @rnnrt_abi_rnn_fused_plan
// CUDA:     gpu.binary
// SIMT:     llvm.call @rnnrt_abi_simt_launch
// SELECT:   rnn.cudnn_forward gru {{.*}}lowering = #rnn.lowering<fused>

func.func @layer(%x: tensor<3x2x4xf32>, %h: tensor<1x2x5xf32>, %p: tensor<165xf32>) -> tensor<3x2x5xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<3x2x4xf32>) state(%h : tensor<1x2x5xf32>)
      params(%p : tensor<165xf32>)
  return %y : tensor<3x2x5xf32>
}
