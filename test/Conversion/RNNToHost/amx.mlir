// GEMMs of bf16 by AMX tiles: blocks of 32 rows, the last rows, and one row by VDPBF16PS.
// RUN: rnn-opt %s -split-input-file "-convert-rnn-to-host=bf16-gemm=amx vector-bits=512 vector-registers=32" | FileCheck %s
// RUN: rnn-opt %s -split-input-file "-convert-rnn-to-host=bf16-gemm=amx vector-bits=256" | FileCheck %s --check-prefix=PACKED

// CHECK-LABEL: func @gradient
// CHECK: %[[ENABLED:.*]] = rnnrt.enable_amx %{{.*}}
// CHECK: %[[VALID:.*]] = arith.cmpi ne, %[[ENABLED]], %{{.*}} : index
// CHECK: scf.if %[[VALID]]
// CHECK: call @rnn_host_tile_gemm_bf16_bf16_bf16(
// CHECK: call @rnn_host_tile_gemm_last_rows_bf16_bf16_bf16(
// PACKED-DAG: call @rnn_host_pack_vnni_bf16_bf16(
// PACKED-DAG: call @rnn_host_pack_left_transposed_bf16_bf16(
// PACKED-NOT: rnn_host_transposed_gemm

// CHECK-LABEL: func private @rnn_host_tile_gemm_bf16_bf16_bf16(
// CHECK-SAME: passthrough = ["rnn-hand-tiled", "noinline"]
// CHECK: %[[ROWS:.*]] = arith.constant 16 : i16
// CHECK: %[[BYTES:.*]] = arith.constant 64 : i16
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%[[ROWS]], %[[BYTES]], %{{.*}}, %{{.*}}) : (i16, i16, !llvm.ptr, i64) -> !llvm.x86_amx
// CHECK: scf.for {{.*}} -> (!llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx) {
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"
// CHECK: memref.prefetch
// CHECK: memref.prefetch
// CHECK: scf.yield
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64.internal"
// The row count of a tile is a value.
// CHECK-LABEL: func private @rnn_host_tile_gemm_last_rows_bf16_bf16_bf16(
// CHECK: %[[LAST:.*]] = arith.index_cast %{{.*}} : index to i16
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%[[LAST]],
func.func @gradient(%x: memref<5x40x3xbf16>, %s: memref<40x64xbf16>, %w: memref<67x256xbf16>, %p: memref<64xbf16>, %b: memref<256xbf16>, %y: memref<5x40x64xbf16>) {
  rnn.block_lstm_grad icfo x(%x : memref<5x40x3xbf16>) state(%s, %s : memref<40x64xbf16>) weights(%w : memref<67x256xbf16>)
      peephole(%p, %p, %p : memref<64xbf16>) bias(%b : memref<256xbf16>) saved(%y, %y, %y, %y, %y, %y, %y : memref<5x40x64xbf16>)
      grads(%y, %y : memref<5x40x64xbf16>) outs(w_grad = %w : memref<67x256xbf16>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// One example.
// CHECK-LABEL: func @one_row
// CHECK: call @rnn_host_gemm_one_row_bf16_bf16_bf16(
// CHECK-LABEL: func private @rnn_host_gemm_one_row_bf16_bf16_bf16(
// CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
func.func @one_row(%x: memref<5x1x3xbf16>, %h: memref<1x1x8xbf16>, %p: memref<?xbf16>, %y: memref<5x1x8xbf16>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<5x1x3xbf16>) state(%h : memref<1x1x8xbf16>) params(%p : memref<?xbf16>)
      outs(output = %y : memref<5x1x8xbf16>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// Other element types do not use tiles.
// CHECK-LABEL: func @f32
// CHECK-NOT: enable_amx
// CHECK: call @rnn_host_gemm_f32(
func.func @f32(%x: memref<5x2x3xf32>, %h: memref<1x2x8xf32>, %p: memref<?xf32>, %y: memref<5x2x8xf32>) {
  rnn.cudnn_forward rnn_tanh input(%x : memref<5x2x3xf32>) state(%h : memref<1x2x8xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<5x2x8xf32>) {is_training = false, lowering = #rnn.lowering<fused>}
  return
}

// -----

// 12 rows and weights of 256 KiB: threads divide the rows, at least 2 for each, without barriers between steps.
// CHECK-LABEL: func @rows_are_shared
// CHECK-DAG: %[[UNITS:.*]] = arith.constant 6 : index
// CHECK: rnnrt.parallel %{{.*}} max_parts %[[UNITS]] work %{{.*}}
// CHECK: llvm.func internal @rnn_host_part
// CHECK: rnnrt.team_wait
// CHECK: scf.for
// CHECK-NOT: rnnrt.team_wait
// CHECK: llvm.return
func.func @rows_are_shared(%x: memref<64x12x96xbf16>, %s: memref<12x128xbf16>, %w: memref<224x512xbf16>, %p: memref<128xbf16>,
    %b: memref<512xbf16>, %h: memref<64x12x128xbf16>) {
  rnn.block_lstm ifco x(%x : memref<64x12x96xbf16>) state(%s, %s : memref<12x128xbf16>) weights(%w : memref<224x512xbf16>)
      peephole(%p, %p, %p : memref<128xbf16>) bias(%b : memref<512xbf16>)
      outs(h = %h : memref<64x12x128xbf16>) {lowering = #rnn.lowering<fused>}
  return
}

// -----

// 512 KiB of weights are read once for 12 rows: threads divide the 8 panels, with barriers between steps.
// CHECK-LABEL: func @columns_are_shared
// CHECK-DAG: %[[PANELS:.*]] = arith.constant 8 : index
// CHECK: rnnrt.parallel %{{.*}} max_parts %[[PANELS]] work %{{.*}}
// CHECK: llvm.func internal @rnn_host_part
// CHECK: scf.for
// CHECK: rnnrt.team_wait
// CHECK: llvm.return
func.func @columns_are_shared(%x: memref<64x12x96xbf16>, %s: memref<12x256xbf16>, %w: memref<352x1024xbf16>, %p: memref<256xbf16>,
    %b: memref<1024xbf16>, %h: memref<64x12x256xbf16>) {
  rnn.block_lstm ifco x(%x : memref<64x12x96xbf16>) state(%s, %s : memref<12x256xbf16>) weights(%w : memref<352x1024xbf16>)
      peephole(%p, %p, %p : memref<256xbf16>) bias(%b : memref<1024xbf16>)
      outs(h = %h : memref<64x12x256xbf16>) {lowering = #rnn.lowering<fused>}
  return
}
