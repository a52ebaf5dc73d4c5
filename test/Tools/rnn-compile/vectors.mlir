// The vector width and the bf16 method follow the processor table, and --vector-bits overrides the width.
// REQUIRES: rnn-compile
// DEFINE: %{compile} = rnn-compile %s --lowering=fused --triple=x86_64-linux-gnu
// RUN: %{compile} --cpu=sapphirerapids -o %t.wide.o
// RUN: llvm-objdump -d %t.wide.o | FileCheck %s --check-prefix=WIDE
// RUN: %{compile} --cpu=znver4 -o %t.zen4.o
// RUN: llvm-objdump -d %t.zen4.o | FileCheck %s --check-prefix=WIDE
// RUN: %{compile} --cpu=rocketlake -o %t.narrow.o
// RUN: llvm-objdump -d %t.narrow.o | FileCheck %s --check-prefix=NARROW
// RUN: %{compile} --cpu=sapphirerapids --vector-bits=256 -o %t.256.o
// RUN: llvm-objdump -d %t.256.o | FileCheck %s --check-prefix=NARROW
// RUN: %{compile} --cpu=rocketlake --vector-bits=512 -o %t.512.o
// RUN: llvm-objdump -d %t.512.o | FileCheck %s --check-prefix=WIDE
// RUN: %{compile} --cpu=znver3 -o %t.avx2.o
// RUN: llvm-objdump -d %t.avx2.o | FileCheck %s --check-prefix=NARROW
// RUN: not %{compile} --cpu=znver3 --vector-bits=512 -o %t.o 2>&1 | FileCheck %s --check-prefix=LACKS
// RUN: not %{compile} --cpu=znver3 --vector-bits=96 -o %t.o 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not rnn-compile %s --target=cuda --vector-bits=256 -o %t.o 2>&1 | FileCheck %s --check-prefix=TARGET

// LACKS: rnn-compile: error: --vector-bits=512 requires vector registers of 512 bits, but those of the processor `znver3` have 256
// SIZE: rnn-compile: error: --vector-bits expects 128, 256 or 512, but got 96
// TARGET: rnn-compile: error: --vector-bits requires --target=host, but the target is `cuda`

// WIDE-LABEL: <rnn_host_gemm_f32>:
// WIDE: vfmadd{{.*}}%zmm
// NARROW-NOT: %zmm
// NARROW-LABEL: <rnn_host_gemm_f32>:
// NARROW: vfmadd{{.*}}%ymm
// NARROW-NOT: %zmm
func.func @f32(%x: tensor<5x4x3xf32>, %h: tensor<1x4x16xf32>, %p: tensor<?xf32>) -> tensor<5x4x16xf32> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x4x3xf32>) state(%h : tensor<1x4x16xf32>) params(%p : tensor<?xf32>)
  return %y : tensor<5x4x16xf32>
}

// Loops that LLVM vectorizes have the same width.
// WIDE-LABEL: <rnn_entry_{{.*}}_scale.body>:
// WIDE: vmulps {{.*}}%zmm
// NARROW-LABEL: <rnn_entry_{{.*}}_scale.body>:
// NARROW: vmulps {{.*}}%ymm
// NARROW-NOT: %zmm
func.func @scale(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %y = arith.mulf %x, %x : tensor<4096xf32>
  return %y : tensor<4096xf32>
}
