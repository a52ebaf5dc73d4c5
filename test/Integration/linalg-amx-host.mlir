// Contractions of bf16 by AMX tiles are near to those in f64, and the bits do not depend on the number of threads: a left operand
// that is read in place or packed, transposed operands, batches, one row, sums from zero, and several blocks of rows.
// REQUIRES: rnn-compile, amx
// RUN: rm -rf %t && mkdir %t
// RUN: sed -e s/bf16/f64/g -e s/f32/f64/g %s > %t/f64.mlir
// RUN: rnn-compile %t/f64.mlir -O1 -o %t/f64.so
// RUN: rnn-compile %s -O1 --cpu=%amx_cpu --bf16-gemm=amx -o %t/bf16.so
// DEFINE: %{run} = %amx_env rnn-bundle-runner --device=host --limit=1.2e-2 --reference=%t/f64.so --module=%t/bf16.so
// RUN: env RNNRT_THREADS=1 %{run} > %t/1.txt
// RUN: FileCheck %s < %t/1.txt
// RUN: env RNNRT_THREADS=3 %{run} > %t/3.txt
// RUN: diff %t/1.txt %t/3.txt
// CHECK: 18 passed, 0 failed, 0 skipped

#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @matrix(%a: tensor<95x96xbf16>, %b: tensor<96x130xbf16>, %c: tensor<95x130xbf16>) -> tensor<95x130xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<95x96xbf16>, tensor<96x130xbf16>)
      outs(%c : tensor<95x130xbf16>) -> tensor<95x130xbf16>
  return %0 : tensor<95x130xbf16>
}

func.func @matrix_from_zero(%a: tensor<300x128xbf16>, %b: tensor<128x321xbf16>) -> tensor<300x321xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<300x321xbf16>
  %c = linalg.fill ins(%zero : bf16) outs(%e : tensor<300x321xbf16>) -> tensor<300x321xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<300x128xbf16>, tensor<128x321xbf16>)
      outs(%c : tensor<300x321xbf16>) -> tensor<300x321xbf16>
  return %0 : tensor<300x321xbf16>
}

func.func @packed(%a: tensor<61x200xbf16>, %b: tensor<200x133xbf16>, %c: tensor<61x133xbf16>) -> tensor<61x133xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<61x200xbf16>, tensor<200x133xbf16>)
      outs(%c : tensor<61x133xbf16>) -> tensor<61x133xbf16>
  return %0 : tensor<61x133xbf16>
}

func.func @stride(%a: tensor<64x256xbf16>, %b: tensor<256x64xbf16>, %c: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x256xbf16>, tensor<256x64xbf16>)
      outs(%c : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}

func.func @transposed_left(%a: tensor<201x77xbf16>, %b: tensor<201x100xbf16>, %c: tensor<77x100xbf16>) -> tensor<77x100xbf16> {
  %0 = linalg.matmul indexing_maps = [#km, #kn, #mn]
      ins(%a, %b : tensor<201x77xbf16>, tensor<201x100xbf16>) outs(%c : tensor<77x100xbf16>) -> tensor<77x100xbf16>
  return %0 : tensor<77x100xbf16>
}

func.func @transposed_right(%a: tensor<40x160xbf16>, %b: tensor<99x160xbf16>, %c: tensor<40x99xbf16>) -> tensor<40x99xbf16> {
  %0 = linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%a, %b : tensor<40x160xbf16>, tensor<99x160xbf16>) outs(%c : tensor<40x99xbf16>) -> tensor<40x99xbf16>
  return %0 : tensor<40x99xbf16>
}

func.func @batches(%a: tensor<3x50x64xbf16>, %b: tensor<3x64x96xbf16>, %c: tensor<3x50x96xbf16>) -> tensor<3x50x96xbf16> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<3x50x64xbf16>, tensor<3x64x96xbf16>)
      outs(%c : tensor<3x50x96xbf16>) -> tensor<3x50x96xbf16>
  return %0 : tensor<3x50x96xbf16>
}

func.func @deep(%a: tensor<70x1601xbf16>, %b: tensor<1601x65xbf16>, %c: tensor<70x65xbf16>) -> tensor<70x65xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<70x1601xbf16>, tensor<1601x65xbf16>)
      outs(%c : tensor<70x65xbf16>) -> tensor<70x65xbf16>
  return %0 : tensor<70x65xbf16>
}

func.func @few_rows(%a: tensor<1x512xbf16>, %b: tensor<512x512xbf16>, %c: tensor<1x512xbf16>) -> tensor<1x512xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<1x512xbf16>, tensor<512x512xbf16>)
      outs(%c : tensor<1x512xbf16>) -> tensor<1x512xbf16>
  return %0 : tensor<1x512xbf16>
}

func.func @large(%a: tensor<520x333xbf16>, %b: tensor<333x700xbf16>, %c: tensor<520x700xbf16>) -> tensor<520x700xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<520x333xbf16>, tensor<333x700xbf16>)
      outs(%c : tensor<520x700xbf16>) -> tensor<520x700xbf16>
  return %0 : tensor<520x700xbf16>
}

// Few rows: the right operand is read where it is, or packed in groups of columns.

func.func @sums(%a: tensor<4x131xbf16>, %b: tensor<131x700xbf16>, %c: tensor<4x700xbf16>) -> tensor<4x700xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x131xbf16>, tensor<131x700xbf16>)
      outs(%c : tensor<4x700xbf16>) -> tensor<4x700xbf16>
  return %0 : tensor<4x700xbf16>
}

func.func @dots_from_zero(%a: tensor<2x333xbf16>, %b: tensor<450x333xbf16>) -> tensor<2x450xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x450xbf16>
  %c = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x450xbf16>) -> tensor<2x450xbf16>
  %0 = linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%a, %b : tensor<2x333xbf16>, tensor<450x333xbf16>) outs(%c : tensor<2x450xbf16>) -> tensor<2x450xbf16>
  return %0 : tensor<2x450xbf16>
}

func.func @groups(%a: tensor<5x335xbf16>, %b: tensor<335x701xbf16>, %c: tensor<5x701xbf16>) -> tensor<5x701xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x335xbf16>, tensor<335x701xbf16>)
      outs(%c : tensor<5x701xbf16>) -> tensor<5x701xbf16>
  return %0 : tensor<5x701xbf16>
}

func.func @groups_of_transposed(%a: tensor<335x21xbf16>, %b: tensor<580x335xbf16>) -> tensor<21x580xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<21x580xbf16>
  %c = linalg.fill ins(%zero : bf16) outs(%e : tensor<21x580xbf16>) -> tensor<21x580xbf16>
  %0 = linalg.matmul indexing_maps = [#km, #nk, #mn]
      ins(%a, %b : tensor<335x21xbf16>, tensor<580x335xbf16>) outs(%c : tensor<21x580xbf16>) -> tensor<21x580xbf16>
  return %0 : tensor<21x580xbf16>
}

func.func @groups_of_batches(%a: tensor<3x20x64xbf16>, %b: tensor<3x64x300xbf16>, %c: tensor<3x20x300xbf16>) -> tensor<3x20x300xbf16> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<3x20x64xbf16>, tensor<3x64x300xbf16>)
      outs(%c : tensor<3x20x300xbf16>) -> tensor<3x20x300xbf16>
  return %0 : tensor<3x20x300xbf16>
}

// f32 results, whose whole panels hold the sums.
func.func @sums_in_single(%a: tensor<131x3xbf16>, %b: tensor<131x700xbf16>) -> tensor<3x700xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x700xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<3x700xf32>) -> tensor<3x700xf32>
  %0 = linalg.matmul indexing_maps = [#km, #kn, #mn]
      ins(%a, %b : tensor<131x3xbf16>, tensor<131x700xbf16>) outs(%c : tensor<3x700xf32>) -> tensor<3x700xf32>
  return %0 : tensor<3x700xf32>
}

func.func @groups_in_single(%a: tensor<33x131xbf16>, %b: tensor<131x700xbf16>) -> tensor<33x700xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x700xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<33x700xf32>) -> tensor<33x700xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<33x131xbf16>, tensor<131x700xbf16>) outs(%c : tensor<33x700xf32>) -> tensor<33x700xf32>
  return %0 : tensor<33x700xf32>
}

// Tiles of the left operand are loaded from the matrix itself.
func.func @groups_of_unpacked(%a: tensor<4x96xbf16>, %b: tensor<96x700xbf16>, %c: tensor<4x700xbf16>) -> tensor<4x700xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x96xbf16>, tensor<96x700xbf16>)
      outs(%c : tensor<4x700xbf16>) -> tensor<4x700xbf16>
  return %0 : tensor<4x700xbf16>
}
