// A vector of one column that is rounded to bf16: nothing is stored beside it. With AVX512, LLVM stores 32 bits there
// (lib/Emit/MaskedStores.h).
// REQUIRES: rnn-run, rnn-compile
// DEFINE: %{expected} = --expected-output=1x3x2xbf16=[[[0.181,0.47],[-0.547,-0.085],[0.37,0.441]]] --rtol=1e-2
// DEFINE: %{run} = rnn-run %s --input=random:1 --input=random:2 --input=random:3 %{expected}
// RUN: %{run} --lowering=runtime
// RUN: %{run} --lowering=fused --bf16-gemm=f32
// RUN: %{run} --lowering=fused --bf16-gemm=vnni
// RUN: %{run} --lowering=fused --bf16-gemm=dot
// RUN: rnn-compile %s --triple=x86_64-linux-gnu --cpu=sapphirerapids --lowering=fused --bf16-gemm=f32 -o %t.ll
// RUN: FileCheck %s < %t.ll

// CHECK-NOT: masked.store.{{.*}}<i1 true, i1 false
func.func @main(%x: tensor<1x3x2xbf16>, %h: tensor<2x3x1xbf16>, %p: tensor<10xbf16>) -> tensor<1x3x2xbf16> {
  %y, %hn, %r = rnn.cudnn_forward rnn_tanh, bidirectional input(%x : tensor<1x3x2xbf16>) state(%h : tensor<2x3x1xbf16>)
      params(%p : tensor<10xbf16>) {is_training = false}
  return %y : tensor<1x3x2xbf16>
}
