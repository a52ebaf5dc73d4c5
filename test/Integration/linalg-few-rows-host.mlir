// Products of few rows with large matrices are near to those in f64, and the bits do not depend on the number of threads: the
// right operand is read where it is, transposed or not, or packed in groups of columns. Code for any processor of this kind has two
// vectors in a panel, so it packs from fewer rows on. In bf16, factors are widened to f32, or multiplied by dot products where the
// processor has them.
// REQUIRES: rnn-compile
// RUN: rm -rf %t && mkdir %t
// RUN: sed s/f32/f64/g %s > %t/f64.mlir
// RUN: rnn-compile %t/f64.mlir -O1 -o %t/f64.so
// RUN: rnn-compile %s -O1 --cpu=native -o %t/f32.so
// RUN: rnn-compile %s -O1 -o %t/narrow.so
// RUN: sed s/f32/bf16/g %s > %t/bf16.mlir
// RUN: rnn-compile %t/bf16.mlir -O1 --bf16-gemm=f32 -o %t/widened.so
// RUN: rnn-compile %t/bf16.mlir -O1 --cpu=native --bf16-gemm=dot -o %t/bf16.so
// DEFINE: %{run} = rnn-bundle-runner --device=host --reference=%t/f64.so
// RUN: env RNNRT_THREADS=1 %{run} --limit=1e-5 --module=%t/f32.so > %t/1.txt
// RUN: FileCheck %s < %t/1.txt
// RUN: env RNNRT_THREADS=2 %{run} --limit=1e-5 --module=%t/f32.so > %t/2.txt
// RUN: diff %t/1.txt %t/2.txt
// RUN: env RNNRT_THREADS=5 %{run} --limit=1e-5 --module=%t/f32.so > %t/5.txt
// RUN: diff %t/1.txt %t/5.txt
// RUN: env RNNRT_THREADS=1 %{run} --limit=1e-5 --module=%t/narrow.so | FileCheck %s
// RUN: env RNNRT_THREADS=1 %{run} --limit=1.2e-2 --module=%t/widened.so | FileCheck %s
// RUN: env RNNRT_THREADS=1 %{run} --limit=1.2e-2 --module=%t/bf16.so > %t/bf16-1.txt
// RUN: FileCheck %s < %t/bf16-1.txt
// RUN: env RNNRT_THREADS=3 %{run} --limit=1.2e-2 --module=%t/bf16.so > %t/bf16-3.txt
// RUN: diff %t/bf16-1.txt %t/bf16-3.txt
// CHECK: 6 passed, 0 failed, 0 skipped

#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#nm = affine_map<(m, n, k) -> (n, m)>

func.func @sums(%a: tensor<7x500xf32>, %b: tensor<500x701xf32>, %c: tensor<7x701xf32>) -> tensor<7x701xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<7x500xf32>, tensor<500x701xf32>) outs(%c : tensor<7x701xf32>) -> tensor<7x701xf32>
  return %0 : tensor<7x701xf32>
}

func.func @sums_from_zero(%a: tensor<16x512xf32>, %b: tensor<512x704xf32>) -> tensor<16x704xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x704xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<16x704xf32>) -> tensor<16x704xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x512xf32>, tensor<512x704xf32>) outs(%c : tensor<16x704xf32>) -> tensor<16x704xf32>
  return %0 : tensor<16x704xf32>
}

func.func @dots(%a: tensor<8x333xf32>, %b: tensor<701x333xf32>, %c: tensor<8x701xf32>) -> tensor<8x701xf32> {
  %0 = linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%a, %b : tensor<8x333xf32>, tensor<701x333xf32>) outs(%c : tensor<8x701xf32>) -> tensor<8x701xf32>
  return %0 : tensor<8x701xf32>
}

func.func @groups(%a: tensor<500x40xf32>, %b: tensor<500x701xf32>, %c: tensor<40x701xf32>) -> tensor<40x701xf32> {
  %0 = linalg.matmul indexing_maps = [#km, #kn, #mn]
      ins(%a, %b : tensor<500x40xf32>, tensor<500x701xf32>) outs(%c : tensor<40x701xf32>) -> tensor<40x701xf32>
  return %0 : tensor<40x701xf32>
}

// c has few columns: c^T = b^T a^T has few rows.
func.func @few_columns(%a: tensor<700x500xf32>, %b: tensor<500x9xf32>, %c: tensor<9x700xf32>) -> tensor<9x700xf32> {
  %0 = linalg.matmul indexing_maps = [#mk, #kn, #nm]
      ins(%a, %b : tensor<700x500xf32>, tensor<500x9xf32>) outs(%c : tensor<9x700xf32>) -> tensor<9x700xf32>
  return %0 : tensor<9x700xf32>
}

// A left operand of more than 1 MiB is shared by threads, and the right one is packed in groups.
func.func @deep(%a: tensor<90x4000xf32>, %b: tensor<4000x130xf32>, %c: tensor<90x130xf32>) -> tensor<90x130xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<90x4000xf32>, tensor<4000x130xf32>) outs(%c : tensor<90x130xf32>) -> tensor<90x130xf32>
  return %0 : tensor<90x130xf32>
}
