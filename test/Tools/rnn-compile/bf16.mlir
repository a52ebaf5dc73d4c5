// bf16 GEMMs use dot-product instructions if the processor has them, and no call per element otherwise.
// REQUIRES: rnn-compile
// RUN: rnn-compile %s --lowering=fused --triple=x86_64-linux-gnu --cpu=znver4 -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=AVX512
// AVX512-DAG: vdpbf16ps {{.*}}%zmm
// AVX512-DAG: vcvtneps2bf16 {{.*}}%zmm
// RUN: rnn-compile %s --lowering=fused --triple=x86_64-linux-gnu --cpu=sapphirerapids --bf16-gemm=vnni -o %t.pairs.o
// RUN: llvm-objdump -dr %t.pairs.o | FileCheck %s --check-prefix=NONE
// RUN: rnn-compile %s --lowering=fused --triple=x86_64-linux-gnu --cpu=x86-64-v4 -o %t.v4.o
// RUN: llvm-objdump -dr %t.v4.o | FileCheck %s --check-prefix=NONE
// RUN: rnn-compile %s --lowering=fused --triple=x86_64-linux-gnu -o %t.oldest.o
// RUN: llvm-objdump -dr %t.oldest.o | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{vdpbf16ps|PLT32.*truncsfbf2}}
// NONE: <__trunc{{[sd]}}fbf2>:
// RUN: rnn-compile %s --lowering=fused --triple=aarch64-linux-gnu --cpu=neoverse-v1 -o %t.arm.o
// RUN: llvm-objdump -d %t.arm.o | FileCheck %s --check-prefix=NEON
// NEON: bfdot v
// RUN: not rnn-compile %s --lowering=fused --triple=s390x-linux-gnu -o %t.ibm.o 2>&1 | FileCheck %s --check-prefix=IBM
// IBM: error: computes in bf16, which LLVM cannot compile for `s390x-{{.*}}linux-gnu`; use f16 or f32, or plans (lowering `runtime`)
// RUN: not rnn-compile %s --bf16-gemm=avx512 --triple=x86_64-linux-gnu --cpu=haswell -o %t.o 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: rnn-compile: error: --bf16-gemm=avx512 requires instructions that the processor `haswell` does not have
// RUN: not rnn-compile %s --bf16-gemm=amx --triple=x86_64-linux-gnu --cpu=znver4 -o %t.o 2>&1 | FileCheck %s --check-prefix=TILES
// TILES: rnn-compile: error: --bf16-gemm=amx requires instructions that the processor `znver4` does not have
// RUN: rnn-compile %s --lowering=fused --triple=x86_64-linux-gnu --cpu=sapphirerapids --bf16-gemm=amx -o %t.amx.o
// RUN: llvm-objdump -d %t.amx.o | FileCheck %s --check-prefix=AMX
// Tiles stay in registers in the loop over the depth.
// AMX-LABEL: tile_gemm_bf16_bf16_bf16>:
// AMX: ldtilecfg
// AMX: tdpbf16ps
// AMX-NOT: {{tileloadd.*rsp|tilestored.*rsp}}
// AMX: tilerelease
// The code generator is level 1 for tiles.
// RUN: rnn-compile %s -O0 --lowering=fused --triple=x86_64-linux-gnu --cpu=sapphirerapids --bf16-gemm=amx -o %t.O0.o
// RUN: llvm-objdump -d %t.O0.o | FileCheck %s --check-prefix=AMX0
// AMX0: tdpbf16ps
// Features that differ from those of the processor.
// RUN: rnn-compile %s -O1 --lowering=fused --triple=x86_64-linux-gnu --cpu=znver4,+amx-tile,+amx-bf16 --bf16-gemm=amx -o %t.features.o
// RUN: llvm-objdump -d %t.features.o | FileCheck %s --check-prefix=AMX0
// RUN: not rnn-compile %s --triple=x86_64-linux-gnu --cpu=sapphirerapids,-amx-tile --bf16-gemm=amx -o %t.o 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: rnn-compile: error: --bf16-gemm=amx requires instructions that the processor `sapphirerapids` does not have
// RUN: not rnn-compile %s --target=cuda --bf16-gemm=dot -o %t.o 2>&1 | FileCheck %s --check-prefix=CUDA
// CUDA: rnn-compile: error: --bf16-gemm requires --target=host, but the target is `cuda`
func.func @main(%x: tensor<20x1x3xbf16>, %h: tensor<1x1x600xbf16>, %p: tensor<?xbf16>, %dy: tensor<20x1x600xbf16>) -> (tensor<20x1x3xbf16>, tensor<?xbf16>) {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<20x1x3xbf16>) state(%h : tensor<1x1x600xbf16>) params(%p : tensor<?xbf16>)
  %dx, %dh, %dp = rnn.cudnn_backprop gru input(%x : tensor<20x1x3xbf16>) state(%h : tensor<1x1x600xbf16>) params(%p : tensor<?xbf16>)
      output(%y, %hn : tensor<20x1x600xbf16>, tensor<1x1x600xbf16>) grads(%dy, %h : tensor<20x1x600xbf16>, tensor<1x1x600xbf16>) reserve(%r : tensor<?xi8>)
  return %dx, %dp : tensor<20x1x3xbf16>, tensor<?xbf16>
}
