// Reductions over T*B: how columns of the left operand become tiles, and which blocks are written to the result directly.
// RUN: rnn-opt %s -convert-rnn-to-host=vector-bits=256 -canonicalize -cse | FileCheck %s
// RUN: rnn-opt %s -convert-rnn-to-host="vector-bits=256 bf16-gemm=dot" -canonicalize -cse | FileCheck %s --check-prefix=DOTS

// 64 rows are reduced in one pass: whole tiles of 6 of the 128 result rows are written to the result directly, in blocks of
// 96, and the remaining rows go through a block of scratch.
// CHECK: llvm.func internal @rnn_host_part_0(
// CHECK: %[[TO:.*]] = arith.maxsi %{{.*}}, %[[FROM:.*]] : index
// CHECK: %[[ALL:.*]] = arith.subi %[[TO]], %[[FROM]]
// CHECK: %[[TILES:.*]] = arith.divui %[[ALL]], %c6
// CHECK: %[[WHOLE:.*]] = arith.muli %[[TILES]], %c6
// CHECK: %[[END:.*]] = arith.addi %[[FROM]], %[[WHOLE]]
// CHECK: %[[ROUNDED:.*]] = arith.addi %[[WHOLE]], %c95
// CHECK: %[[BLOCKS:.*]] = arith.divui %[[ROUNDED]], %c96
// CHECK: %[[HAS_REST:.*]] = arith.cmpi slt, %[[END]], %[[TO]]
// CHECK: %[[REST:.*]] = arith.select %[[HAS_REST]], %c1, %c0
// CHECK: %[[COUNT:.*]] = arith.addi %[[BLOCKS]], %[[REST]]
// CHECK: scf.for %[[NUMBER:.*]] = %c0 to %[[COUNT]]
// CHECK: %[[IS_REST:.*]] = arith.cmpi eq, %[[NUMBER]], %[[BLOCKS]]
// CHECK: arith.select %[[IS_REST]], %[[END]], %{{.*}} : index
// CHECK: arith.select %[[IS_REST]], %[[TO]], %[[END]] : index
// CHECK: call @rnn_host_pack_left_f32
// CHECK: call @rnn_host_transposed_gemm_f32

// A vector of each row but the last is copied: the next row overwrites the elements past the tile. The last row is copied by
// elements.
// CHECK: func private @rnn_host_pack_left_f32(%[[SOURCE:[^:]*]]: memref<?x?xf32
// CHECK: %[[COLUMNS:.*]] = memref.dim %[[SOURCE]], %c1
// CHECK: %[[BEHIND:.*]] = arith.addi %[[COLUMN:.*]], %c8 : index
// CHECK: %[[IS_INSIDE:.*]] = arith.cmpi sle, %[[BEHIND]], %[[COLUMNS]]
// CHECK: scf.if %[[IS_INSIDE]]
// CHECK: scf.for %{{.*}} = %c0 to %[[LAST:.*]] step
// CHECK: %[[ROW:.*]] = vector.load %[[SOURCE]][%{{.*}}, %[[COLUMN]]] : {{.*}}, vector<8xf32>
// CHECK: vector.store %[[ROW]]
// CHECK: scf.for %{{.*}} = %[[LAST]] to
// CHECK-COUNT-6: memref.load %[[SOURCE]]
// CHECK-NOT: memref.load
// CHECK: } else {

// VNNI packing copies elements.
// DOTS: func private @rnn_host_pack_left_bf16
// DOTS-NOT: vector.load
// DOTS: func private @rnn_host_transposed_gemm_bf16

func.func @once(%x: memref<64x1x128xf32>, %s: memref<1x128xf32>, %w: memref<256x512xf32>, %p: memref<128xf32>,
    %b: memref<512xf32>, %g: memref<64x1x128xf32>, %dw: memref<256x512xf32>) {
  rnn.block_lstm_grad ifco x(%x : memref<64x1x128xf32>) state(%s, %s : memref<1x128xf32>) weights(%w : memref<256x512xf32>)
      peephole(%p, %p, %p : memref<128xf32>) bias(%b : memref<512xf32>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<64x1x128xf32>) grads(%g, %g : memref<64x1x128xf32>)
      outs(w_grad = %dw : memref<256x512xf32>) {lowering = #rnn.lowering<fused>}
  return
}

func.func @in_bf16(%x: memref<64x1x128xbf16>, %s: memref<1x128xbf16>, %w: memref<256x512xbf16>, %p: memref<128xbf16>,
    %b: memref<512xbf16>, %g: memref<64x1x128xbf16>, %dw: memref<256x512xbf16>) {
  rnn.block_lstm_grad ifco x(%x : memref<64x1x128xbf16>) state(%s, %s : memref<1x128xbf16>) weights(%w : memref<256x512xbf16>)
      peephole(%p, %p, %p : memref<128xbf16>) bias(%b : memref<512xbf16>)
      saved(%g, %g, %g, %g, %g, %g, %g : memref<64x1x128xbf16>) grads(%g, %g : memref<64x1x128xbf16>)
      outs(w_grad = %dw : memref<256x512xbf16>) {lowering = #rnn.lowering<fused>}
  return
}
