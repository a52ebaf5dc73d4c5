// Large contractions by packed GEMMs: transpositions, batches, merged dimensions, types, thresholds.
// RUN: rnn-opt %s -convert-linalg-to-host="vector-bits=256 vector-registers=16 bf16-gemm=amx" -canonicalize -cse -split-input-file | FileCheck %s

// Whole panels of c hold their sums. Threads divide the columns, and each packs the small left operand for itself. The
// right operand is packed once.
// CHECK-LABEL: func @matmul
// CHECK: rnnrt.parallel
// CHECK: llvm.func internal @rnn_host_part
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK: call @rnn_host_pack_columns_f32
// CHECK: call @rnn_host_pack_columns_f32({{.*}}, %c0, %c100, %c0, %c512, %{{.*}}, %c0,
// CHECK-NOT: rnnrt.team_wait
// CHECK-NOT: scf.for
// CHECK: call @rnn_host_gemm_f32({{.*}}, %[[FALSE]])
// CHECK-NOT: call @rnn_host_gemm_f32
// CHECK: llvm.return
func.func @matmul(%a: memref<100x512xf32>, %b: memref<512x512xf32>, %c: memref<100x512xf32>) {
  linalg.matmul ins(%a, %b : memref<100x512xf32>, memref<512x512xf32>) outs(%c : memref<100x512xf32>)
  return
}

// -----

// One block of rows: groups of four panels of the right operand are packed right before their product.
// CHECK-LABEL: func @groups
// CHECK: llvm.func internal @rnn_host_part
// CHECK: call @rnn_host_pack_columns_f32({{.*}}, %c0, %c96, %c0, %c512,
// CHECK: scf.for %[[GROUP:.*]] = %c0 to
// CHECK: %[[BEFORE:.*]] = arith.muli %[[GROUP]], %c4
// CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %[[BEFORE]]
// CHECK: %[[COLUMN:.*]] = arith.muli %[[FIRST]], %c16
// CHECK: call @rnn_host_pack_columns_f32({{.*}}, %c0, %c512, %[[COLUMN]], %{{.*}}, %c0,
// CHECK: call @rnn_host_gemm_f32
func.func @groups(%a: memref<96x512xf32>, %b: memref<512x512xf32>, %c: memref<96x512xf32>) {
  linalg.matmul ins(%a, %b : memref<96x512xf32>, memref<512x512xf32>) outs(%c : memref<96x512xf32>)
  return
}

// -----

// Few rows read the right operand where it is.
// CHECK-LABEL: func @in_place
// CHECK: llvm.func internal @rnn_host_part
// CHECK: call @rnn_host_pack_columns_f32({{.*}}, %c0, %c16, %c0, %c700,
// CHECK-NOT: call @rnn_host_pack
// CHECK: call @rnn_host_row_sums_f32
// CHECK-NOT: call @rnn_host_gemm
// CHECK: llvm.return
func.func @in_place(%a: memref<16x700xf32>, %b: memref<700x512xf32>, %c: memref<16x512xf32>) {
  linalg.matmul ins(%a, %b : memref<16x700xf32>, memref<700x512xf32>) outs(%c : memref<16x512xf32>)
  return
}

// -----

// One more row is packed.
// CHECK-LABEL: func @not_in_place
// CHECK-NOT: call @rnn_host_row_sums_f32
// CHECK: call @rnn_host_gemm_f32
func.func @not_in_place(%a: memref<17x700xf32>, %b: memref<700x512xf32>, %c: memref<17x512xf32>) {
  linalg.matmul ins(%a, %b : memref<17x700xf32>, memref<700x512xf32>) outs(%c : memref<17x512xf32>)
  return
}

// -----

// The rows of a transposed right operand are multiplied as they are. Sums that start from zero need no fill.
// CHECK-LABEL: func @in_place_transposed
// CHECK-NOT: linalg.fill
// CHECK: llvm.func internal @rnn_host_part
// CHECK-NOT: call @rnn_host_pack_transposed
// CHECK: vector.store %{{.*}} : memref<?xf32
// CHECK: call @rnn_host_row_dots_f32
// CHECK-NOT: call @rnn_host_gemm
// CHECK: llvm.return
func.func @in_place_transposed(%a: memref<4x512xf32>, %b: memref<512x512xf32>) -> memref<4x512xf32> {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<4x512xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<4x512xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                 affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<4x512xf32>, memref<512x512xf32>) outs(%c : memref<4x512xf32>)
  return %c : memref<4x512xf32>
}

// -----

// One row stays in vector loops.
// CHECK-LABEL: func @one_row
// CHECK-NOT: call @rnn_host
// CHECK: return
func.func @one_row(%a: memref<1x700xf32>, %b: memref<700x512xf32>, %c: memref<1x512xf32>) {
  linalg.matmul ins(%a, %b : memref<1x700xf32>, memref<700x512xf32>) outs(%c : memref<1x512xf32>)
  return
}

// -----

// Threads divide the rows, and share the packed right operand, which is large.
// CHECK-LABEL: func @shared
// CHECK: llvm.func internal @rnn_host_part
// CHECK: call @rnn_host_pack_columns_f32
// CHECK: call @rnn_host_pack_columns_f32
// CHECK: rnnrt.team_wait
// CHECK: call @rnn_host_gemm_f32
func.func @shared(%a: memref<1024x512xf32>, %b: memref<512x1024xf32>, %c: memref<1024x1024xf32>) {
  linalg.matmul ins(%a, %b : memref<1024x512xf32>, memref<512x1024xf32>) outs(%c : memref<1024x1024xf32>)
  return
}

// -----

// Sums that start from zero do not read c, so that nothing fills it before.
// CHECK-LABEL: func @from_zero
// CHECK-NOT: linalg.fill
// CHECK: llvm.func internal @rnn_host_part
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-NOT: vector.store
// CHECK: call @rnn_host_gemm_f32({{.*}}, %[[TRUE]])
func.func @from_zero(%a: memref<512x512xf32>, %b: memref<512x512xf32>) -> memref<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<512x512xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<512x512xf32>)
  linalg.matmul ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%c : memref<512x512xf32>)
  return %c : memref<512x512xf32>
}

// -----

// A right operand in L2 is read as it is.
// CHECK-LABEL: func @in_l2
// CHECK-NOT: call @rnn_host_gemm
// CHECK: return
func.func @in_l2(%a: memref<100x256xf32>, %b: memref<256x512xf32>, %c: memref<100x512xf32>) {
  linalg.matmul ins(%a, %b : memref<100x256xf32>, memref<256x512xf32>) outs(%c : memref<100x512xf32>)
  return
}

// -----

// Dynamic sizes select the form, and what threads share, at run time.
// CHECK-LABEL: func @dynamic
// CHECK-COUNT-2: arith.cmpi sge, %{{.*}}, %c24
// CHECK: %[[MANY:.*]] = arith.cmpi sge, %{{.*}}, %c24
// CHECK: %[[LEAST:.*]] = arith.select %[[MANY]], %c196608, %c327680
// CHECK: %[[RIGHT:.*]] = arith.cmpi sge, %{{.*}}, %[[LEAST]]
// CHECK: %[[IS_LARGE:.*]] = arith.andi %{{.*}}, %[[RIGHT]]
// CHECK: scf.if %[[IS_LARGE]] {
// CHECK: rnnrt.parallel
// CHECK: } else {
// CHECK: rnnrt.parallel
// CHECK: llvm.func internal @rnn_host_part
// CHECK: call @rnn_host_pack_columns_f32
// CHECK: call @rnn_host_pack_columns_f32
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: } else {
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: rnnrt.team_wait
// CHECK-NEXT: }
// CHECK: scf.for
// CHECK: call @rnn_host_pack_columns_f32
// CHECK: call @rnn_host_row_sums_f32
// CHECK: call @rnn_host_gemm_f32
func.func @dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// -----

// Both operands are transposed while they are packed. The last columns have sums in scratch.
// CHECK-LABEL: func @transposed
// CHECK: call @rnn_host_pack_transposed_f32
// CHECK: call @rnn_host_pack_transposed_f32
// CHECK: call @rnn_host_gemm_f32
// CHECK: vector.maskedload
// CHECK: call @rnn_host_gemm_f32
// CHECK: vector.maskedstore
func.func @transposed(%a: memref<64x64xf32>, %b: memref<72x64xf32>, %c: memref<64x72xf32, strided<[100, 1], offset: 7>>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>,
                                 affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<64x64xf32>, memref<72x64xf32>) outs(%c : memref<64x72xf32, strided<[100, 1], offset: 7>>)
  return
}

// -----

// Steps and batch are one dimension of the left operand and of the result.
// CHECK-LABEL: func @merged
// CHECK: memref.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : memref<?x8x64xf32> into memref<?x64xf32>
// CHECK: call @rnn_host_gemm_f32
func.func @merged(%a: memref<?x8x64xf32>, %b: memref<128x64xf32>, %c: memref<?x8x128xf32>) {
  linalg.contract indexing_maps = [affine_map<(t, b, n, k) -> (t, b, k)>, affine_map<(t, b, n, k) -> (n, k)>,
                                   affine_map<(t, b, n, k) -> (t, b, n)>]
      ins(%a, %b : memref<?x8x64xf32>, memref<128x64xf32>) outs(%c : memref<?x8x128xf32>)
  return
}

// -----

// The scratch is allocated once for all matrices of a batch.
// CHECK-LABEL: func @batch
// CHECK-COUNT-2: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: rnnrt.parallel
func.func @batch(%a: memref<5x100x512xf32>, %b: memref<5x512x512xf32>, %c: memref<5x100x512xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<5x100x512xf32>, memref<5x512x512xf32>) outs(%c : memref<5x100x512xf32>)
  return
}

// -----

// bf16 is multiplied by AMX tiles, after the permission. Its sums are f32 in scratch and rounded once.
// CHECK-LABEL: func @half
// CHECK: %[[ENABLED:.*]] = rnnrt.enable_amx
// CHECK: arith.cmpi ne, %[[ENABLED]]
// CHECK: rnnrt.parallel
// CHECK: call @rnn_host_pack_columns_bf16_bf16
// CHECK: arith.extf {{.*}} vector<8xbf16> to vector<8xf32>
// CHECK: call @rnn_host_tile_gemm_bf16
// CHECK: arith.truncf {{.*}} vector<8xf32> to vector<8xbf16>
func.func @half(%a: memref<256x512xbf16>, %b: memref<512x512xbf16>, %c: memref<256x512xbf16>) {
  linalg.matmul ins(%a, %b : memref<256x512xbf16>, memref<512x512xbf16>) outs(%c : memref<256x512xbf16>)
  return
}

// -----

// CHECK-LABEL: func @half_to_single
// CHECK: rnnrt.enable_amx
// CHECK: call @rnn_host_pack_left_transposed_bf16
// CHECK: call @rnn_host_tile_gemm_bf16
func.func @half_to_single(%a: memref<128x64xbf16>, %b: memref<128x64xbf16>, %c: memref<64x64xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
                                 affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<128x64xbf16>, memref<128x64xbf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

// Tiles of a left operand with at most 128 columns are loaded from the matrix.
// CHECK-LABEL: func @short_depth
// CHECK: rnnrt.enable_amx
// CHECK-NOT: vector.store {{.*}} vector<8xbf16>
// CHECK: call @rnn_host_tile_gemm_matrix_bf16
func.func @short_depth(%a: memref<64x96xbf16>, %b: memref<96x64xbf16>, %c: memref<64x64xf32>) {
  linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<64x96xbf16>, memref<96x64xbf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

// Rows with a stride of 512 bytes would share cache sets.
// CHECK-LABEL: func @conflicting_stride
// CHECK: vector.store {{.*}} vector<8xbf16>
// CHECK: call @rnn_host_tile_gemm_bf16
func.func @conflicting_stride(%a: memref<64x96xbf16, strided<[256, 1]>>, %b: memref<96x64xbf16>, %c: memref<64x64xf32>) {
  linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<64x96xbf16, strided<[256, 1]>>, memref<96x64xbf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

// Integers and products of other types have no packed form.
// CHECK-LABEL: func @not_packed
// CHECK-NOT: call @rnn_host_gemm
func.func @not_packed(%a: memref<512x512xi32>, %c: memref<512x512xi32>,
                      %x: memref<512x512xf32>, %y: memref<512x512xf64>) {
  linalg.matmul ins(%a, %a : memref<512x512xi32>, memref<512x512xi32>) outs(%c : memref<512x512xi32>)
  linalg.matmul ins(%x, %x : memref<512x512xf32>, memref<512x512xf32>) outs(%y : memref<512x512xf64>)
  return
}

// -----

// AMX multiplies more than two rows of a transposed right operand, and other ones from five rows on.
// CHECK-LABEL: func @half_in_place
// CHECK: call @rnn_host_row_dots_bf16
// CHECK-NOT: call @rnn_host_tile_gemm
// CHECK: llvm.return
func.func @half_in_place(%a: memref<2x512xbf16>, %b: memref<512x512xbf16>, %c: memref<2x512xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                 affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<2x512xbf16>, memref<512x512xbf16>) outs(%c : memref<2x512xf32>)
  return
}

// -----

// Each thread packs the left operand for itself.
// CHECK-LABEL: func @half_groups
// CHECK-NOT: call @rnn_host_row_dots
// CHECK-NOT: rnnrt.team_wait
// CHECK: scf.for
// CHECK: call @rnn_host_pack_transposed_bf16
// CHECK: call @rnn_host_tile_gemm_last_rows_bf16
func.func @half_groups(%a: memref<3x512xbf16>, %b: memref<512x512xbf16>, %c: memref<3x512xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                 affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<3x512xbf16>, memref<512x512xbf16>) outs(%c : memref<3x512xf32>)
  return
}

// -----

// CHECK-LABEL: func @half_sums
// CHECK: call @rnn_host_row_sums_bf16
// CHECK-NOT: call @rnn_host_tile_gemm
// CHECK: llvm.return
func.func @half_sums(%a: memref<4x512xbf16>, %b: memref<512x512xbf16>, %c: memref<4x512xbf16>) {
  linalg.matmul ins(%a, %b : memref<4x512xbf16>, memref<512x512xbf16>) outs(%c : memref<4x512xbf16>)
  return
}

// -----

// Up to 768 KiB, or 1.25 MiB below 24 rows, a right operand in L2 is read by the vector loops.
// CHECK-LABEL: func @in_l2_few_rows
// CHECK-NOT: call @rnn_host
// CHECK: return
func.func @in_l2_few_rows(%a: memref<23x512xf32>, %b: memref<512x639xf32>, %c: memref<23x639xf32>) {
  linalg.matmul ins(%a, %b : memref<23x512xf32>, memref<512x639xf32>) outs(%c : memref<23x639xf32>)
  return
}

// -----

// CHECK-LABEL: func @beyond_l2_few_rows
// CHECK: call @rnn_host_gemm_f32
func.func @beyond_l2_few_rows(%a: memref<23x512xf32>, %b: memref<512x640xf32>, %c: memref<23x640xf32>) {
  linalg.matmul ins(%a, %b : memref<23x512xf32>, memref<512x640xf32>) outs(%c : memref<23x640xf32>)
  return
}

// -----

// CHECK-LABEL: func @many_rows
// CHECK: call @rnn_host_gemm_f32
func.func @many_rows(%a: memref<24x512xf32>, %b: memref<512x384xf32>, %c: memref<24x384xf32>) {
  linalg.matmul ins(%a, %b : memref<24x512xf32>, memref<512x384xf32>) outs(%c : memref<24x384xf32>)
  return
}

// -----

// With two vectors in a panel, five rows of dot products are too many.
// CHECK-LABEL: func @five_rows_transposed
// CHECK-NOT: call @rnn_host_row_dots
// CHECK: call @rnn_host_pack_transposed_f32
// CHECK: call @rnn_host_gemm
func.func @five_rows_transposed(%a: memref<5x512xf32>, %b: memref<512x512xf32>, %c: memref<5x512xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                 affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<5x512xf32>, memref<512x512xf32>) outs(%c : memref<5x512xf32>)
  return
}

// -----

// CHECK-LABEL: func @half_five_rows
// CHECK-NOT: call @rnn_host_row_sums
// CHECK: call @rnn_host_tile_gemm
func.func @half_five_rows(%a: memref<5x512xbf16>, %b: memref<512x512xbf16>, %c: memref<5x512xbf16>) {
  linalg.matmul ins(%a, %b : memref<5x512xbf16>, memref<512x512xbf16>) outs(%c : memref<5x512xbf16>)
  return
}

// -----

// A left operand whose tiles are loaded from the matrix itself is not packed for sums of rows either.
// CHECK-LABEL: func @half_reads_left
// CHECK: llvm.func internal @rnn_host_part
// CHECK-NOT: rnnrt.team_wait
// CHECK-NOT: call @rnn_host_row_sums
// CHECK: call @rnn_host_tile_gemm
// CHECK: llvm.return
func.func @half_reads_left(%a: memref<4x96xbf16>, %b: memref<96x4096xbf16>, %c: memref<4x4096xbf16>) {
  linalg.matmul ins(%a, %b : memref<4x96xbf16>, memref<96x4096xbf16>) outs(%c : memref<4x4096xbf16>)
  return
}

// -----

// More rows than a block are multiplied by the right operand that is packed once.
// CHECK-LABEL: func @half_one_block
// CHECK: scf.for
// CHECK: call @rnn_host_pack_columns_bf16
// CHECK: call @rnn_host_tile_gemm
// CHECK: llvm.return
func.func @half_one_block(%a: memref<256x512xbf16>, %b: memref<512x768xbf16>, %c: memref<256x768xf32>) {
  linalg.matmul ins(%a, %b : memref<256x512xbf16>, memref<512x768xbf16>) outs(%c : memref<256x768xf32>)
  return
}

// -----

// CHECK-LABEL: func @half_two_blocks
// CHECK: llvm.func internal @rnn_host_part
// CHECK: call @rnn_host_pack_columns_bf16
// CHECK: rnnrt.team_wait
// CHECK-NOT: call @rnn_host_pack_columns_bf16
// CHECK: llvm.return
func.func @half_two_blocks(%a: memref<257x512xbf16>, %b: memref<512x768xbf16>, %c: memref<257x768xf32>) {
  linalg.matmul ins(%a, %b : memref<257x512xbf16>, memref<512x768xbf16>) outs(%c : memref<257x768xf32>)
  return
}

// -----

// The heads and their features are not consecutive in `x`: a copy of it is packed. Runs of features stay contiguous.
// CHECK-LABEL: func @copied_left
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16x64x8x32xf32>
// CHECK: memref.collapse_shape %[[COPY]] {{\[}}[0, 1], [2, 3]]
// CHECK: memref.dealloc %[[COPY]]
// CHECK: vector.load {{.*}} : memref<16x8x64x32xf32>
// CHECK-NOT: vector.gather
// CHECK: call @rnn_host_gemm_f32
func.func @copied_left(%x: memref<16x8x64x32xf32>, %w: memref<8x32x1024xf32>, %y: memref<16x64x1024xf32>) {
  linalg.contract indexing_maps = [affine_map<(b, t, e, h, d) -> (b, h, t, d)>, affine_map<(b, t, e, h, d) -> (h, d, e)>,
                                   affine_map<(b, t, e, h, d) -> (b, t, e)>]
      ins(%x, %w : memref<16x8x64x32xf32>, memref<8x32x1024xf32>) outs(%y : memref<16x64x1024xf32>)
  return
}

// -----

// The weights are small: vector loops read them in L2, and the rows of `x` in any order.
// CHECK-LABEL: func @not_copied
// CHECK-NOT: memref.alloc
// CHECK-NOT: call @rnn_host_gemm
func.func @not_copied(%x: memref<16x8x64x32xf32>, %w: memref<8x32x64xf32>, %y: memref<16x64x64xf32>) {
  linalg.contract indexing_maps = [affine_map<(b, t, e, h, d) -> (b, h, t, d)>, affine_map<(b, t, e, h, d) -> (h, d, e)>,
                                   affine_map<(b, t, e, h, d) -> (b, t, e)>]
      ins(%x, %w : memref<16x8x64x32xf32>, memref<8x32x64xf32>) outs(%y : memref<16x64x64xf32>)
  return
}

// -----

// The result starts from zero and is copied back: the product overwrites its copy.
// CHECK-LABEL: func @copied_result
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16x64x8x32xf32>
// CHECK-NOT: linalg
// CHECK: memref.dealloc %[[COPY]]
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK: call @rnn_host_gemm_f32({{.*}}, %[[TRUE]])
func.func @copied_result(%x: memref<16x64x1024xf32>, %w: memref<1024x8x32xf32>) -> memref<16x8x64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc() : memref<16x8x64x32xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<16x8x64x32xf32>)
  linalg.contract indexing_maps = [affine_map<(b, h, t, d, e) -> (b, t, e)>, affine_map<(b, h, t, d, e) -> (e, h, d)>,
                                   affine_map<(b, h, t, d, e) -> (b, h, t, d)>]
      ins(%x, %w : memref<16x64x1024xf32>, memref<1024x8x32xf32>) outs(%y : memref<16x8x64x32xf32>)
  return %y : memref<16x8x64x32xf32>
}
