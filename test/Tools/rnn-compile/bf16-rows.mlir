// Processors where VDPBF16PS is slower than the f32 FMA use it for batch size 1 alone, which the bandwidth of the weights
// limits; those where it is faster always use it.
// REQUIRES: rnn-compile
// DEFINE: %{compile} = rnn-compile --lowering=fused --triple=x86_64-linux-gnu
// RUN: split-file %s %t
// RUN: %{compile} %t/1.mlir --cpu=cooperlake -o %t/1.o
// RUN: llvm-objdump -d %t/1.o | FileCheck %s --check-prefix=DOT
// RUN: %{compile} %t/4.mlir --cpu=cooperlake -o %t/4.o
// RUN: llvm-objdump -d %t/4.o | FileCheck %s --check-prefix=FMA
// RUN: %{compile} %t/4.mlir --cpu=cooperlake --bf16-gemm=avx512 -o %t/4.dot.o
// RUN: llvm-objdump -d %t/4.dot.o | FileCheck %s --check-prefix=DOT
// RUN: %{compile} %t/1.mlir --cpu=cooperlake --bf16-gemm=vnni -o %t/1.fma.o
// RUN: llvm-objdump -d %t/1.fma.o | FileCheck %s --check-prefix=FMA
// RUN: %{compile} %t/4.mlir --cpu=znver4 -o %t/4.zen4.o
// RUN: llvm-objdump -d %t/4.zen4.o | FileCheck %s --check-prefix=DOT
// AMX multiplies several rows.
// RUN: %{compile} %t/4.mlir --cpu=sapphirerapids -o %t/4.tiles.o
// RUN: llvm-objdump -d %t/4.tiles.o | FileCheck %s --check-prefix=TILES
// TILES: tdpbf16ps
// Both in one module.
// RUN: cat %t/1.mlir %t/4.mlir > %t/both.mlir
// RUN: %{compile} %t/both.mlir --cpu=cooperlake -o %t/both.o
// RUN: llvm-objdump -d %t/both.o | FileCheck %s --check-prefixes=DOT,BOTH

// DOT: vdpbf16ps
// BOTH: vfmadd{{.*}}%zmm
// FMA-NOT: vdpbf16ps
// FMA: vfmadd{{.*}}%zmm
// FMA-NOT: vdpbf16ps

//--- 1.mlir
func.func @one(%x: tensor<5x1x3xbf16>, %h: tensor<1x1x16xbf16>, %p: tensor<?xbf16>) -> tensor<5x1x16xbf16> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x1x3xbf16>) state(%h : tensor<1x1x16xbf16>) params(%p : tensor<?xbf16>)
  return %y : tensor<5x1x16xbf16>
}
//--- 4.mlir
func.func @four(%x: tensor<5x4x3xbf16>, %h: tensor<1x4x16xbf16>, %p: tensor<?xbf16>) -> tensor<5x4x16xbf16> {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<5x4x3xbf16>) state(%h : tensor<1x4x16xbf16>) params(%p : tensor<?xbf16>)
  return %y : tensor<5x4x16xbf16>
}
