// block-rows.mlir - chains of linalg ops that become loops over blocks of rows, and ops that do not belong to them.
// RUN: rnn-opt %s --pass-pipeline='builtin.module(func.func(rnn-block-rows{least-bytes=0}))' --split-input-file | FileCheck %s
// RUN: rnn-opt %s --rnn-block-rows --split-input-file | FileCheck %s --check-prefix=LARGE

#rows = affine_map<(d0, d1) -> (d0, d1)>
#sums = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// The maximum and the exponentials are buffers of a block.
// CHECK-LABEL: func @softmax
// CHECK-SAME: (%[[X:.*]]: memref<64x96xf32>)
// CHECK: %[[Y:.*]] = memref.alloc() : memref<64x96xf32>
// CHECK: scf.forall (%[[ROW:.*]]) = (0) to (64) step (4) {
// CHECK-NEXT: %[[MOST:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK-NEXT: linalg.fill ins(%{{.*}}) outs(%[[MOST]] : memref<4xf32>)
// CHECK-NEXT: %[[IN:.*]] = memref.subview %[[X]][%[[ROW]], 0] [4, 96] [1, 1]
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[IN]] : {{.*}}) outs(%[[MOST]] : memref<4xf32>)
// CHECK: %[[OUT:.*]] = memref.subview %[[Y]][%[[ROW]], 0] [4, 96] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[IN]], %[[MOST]] : {{.*}}) outs(%[[OUT]] : {{.*}})
// CHECK: linalg.index 0
// CHECK-NEXT: arith.addi %{{.*}}, %[[ROW]] : index
// CHECK: linalg.fill ins(%{{.*}}) outs(%[[MOST]] : memref<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[OUT]] : {{.*}}) outs(%[[MOST]] : memref<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[MOST]] : {{.*}}) outs(%[[OUT]] : {{.*}})
// CHECK: memref.dealloc %[[MOST]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[Y]]
// LARGE-LABEL: func @softmax
// LARGE-NOT: scf.forall
func.func @softmax(%x: memref<64x96xf32>) -> memref<64x96xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %y = memref.alloc() : memref<64x96xf32>
  %most = memref.alloc() : memref<64xf32>
  linalg.fill ins(%least : f32) outs(%most : memref<64xf32>)
  linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x96xf32>) outs(%most : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#rows, #sums, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %most : memref<64x96xf32>, memref<64xf32>) outs(%y : memref<64x96xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    %1 = math.exp %0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %seen = arith.cmpi ule, %column, %row : index
    %2 = arith.select %seen, %1, %zero : f32
    linalg.yield %2 : f32
  }
  linalg.fill ins(%zero : f32) outs(%most : memref<64xf32>)
  linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]}
      ins(%y : memref<64x96xf32>) outs(%most : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#sums, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%most : memref<64xf32>) outs(%y : memref<64x96xf32>) {
  ^bb0(%sum: f32, %out: f32):
    %0 = arith.divf %out, %sum : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %most : memref<64xf32>
  return %y : memref<64x96xf32>
}

// -----

#query = affine_map<(b, h, i, j, d) -> (b, i, h, d)>
#key = affine_map<(b, h, i, j, d) -> (b, j, h, d)>
#scores = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#all = affine_map<(b, h, i, j) -> (b, h, i, j)>

// Batch and head are loops of all ops, in other dimensions of the scores than of query and key. Rows of the query are
// not: the product would read all keys for each of them.
// CHECK-LABEL: func @attention
// CHECK: scf.forall (%[[B:.*]], %[[H:.*]]) = (0, 0) to (8, 8) step (1, 4) {
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<1x4x32x32xf32>
// CHECK: memref.subview %arg0[%[[B]], 0, %[[H]], 0] [1, 32, 4, 16]
// CHECK: memref.subview %arg1[%[[B]], 0, %[[H]], 0] [1, 32, 4, 16]
// CHECK: memref.subview %{{.*}}[%[[B]], 0, %[[H]], 0] [1, 32, 4, 16]
// CHECK: return
// LARGE-LABEL: func @attention
// LARGE: scf.forall
func.func @attention(%q: memref<8x32x8x16xf32>, %k: memref<8x32x8x16xf32>) -> memref<8x32x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %scores = memref.alloc() : memref<8x8x32x32xf32>
  linalg.fill ins(%zero : f32) outs(%scores : memref<8x8x32x32xf32>)
  linalg.generic {indexing_maps = [#query, #key, #scores],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<8x32x8x16xf32>, memref<8x32x8x16xf32>) outs(%scores : memref<8x8x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%scores : memref<8x8x32x32xf32>) {
  ^bb0(%out: f32):
    %0 = math.exp %out : f32
    linalg.yield %0 : f32
  }
  %y = memref.alloc() : memref<8x32x8x16xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<8x32x8x16xf32>)
  linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, j)>,
                                   affine_map<(b, h, i, d, j) -> (b, j, h, d)>,
                                   affine_map<(b, h, i, d, j) -> (b, i, h, d)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%scores, %k : memref<8x8x32x32xf32>, memref<8x32x8x16xf32>) outs(%y : memref<8x32x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  memref.dealloc %scores : memref<8x8x32x32xf32>
  return %y : memref<8x32x8x16xf32>
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#sums = affine_map<(d0, d1) -> (d0)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// Sums over rows read what the chain writes: they move behind it, and so does the end of a buffer. An op on other
// buffers stays before it. A dimension of size 1 does not matter.
// CHECK-LABEL: func @others
// CHECK: %[[W:.*]] = memref.alloc() : memref<40xf32>
// CHECK: linalg.fill ins(%{{.*}}) outs(%[[W]] : memref<40xf32>)
// CHECK: scf.forall (%[[ROW:.*]]) = (0) to (64) step (4) {
// CHECK: linalg.generic {{.*}}"parallel", "parallel"]
// CHECK: memref.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [4, 1, 96]
// CHECK: linalg.generic {{.*}}"parallel", "parallel", "reduction"]
// CHECK: ^bb0
// CHECK: }
// CHECK-NEXT: }
// CHECK-NEXT: linalg.generic {{.*}}"parallel", "reduction"]{{.*}} outs(%{{.*}} : memref<96xf32>)
// CHECK: memref.dealloc
// CHECK: return
func.func @others(%x: memref<64x96xf32>) -> (memref<96xf32>, memref<64x1xf32>, memref<40xf32>) {
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc() : memref<64x96xf32>
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x96xf32>) outs(%y : memref<64x96xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  }
  %s = memref.alloc() : memref<96xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<96xf32>)
  linalg.generic {indexing_maps = [#transposed, #sums], iterator_types = ["parallel", "reduction"]}
      ins(%y : memref<64x96xf32>) outs(%s : memref<96xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  %w = memref.alloc() : memref<40xf32>
  linalg.fill ins(%zero : f32) outs(%w : memref<40xf32>)
  %t = memref.alloc() : memref<64x1xf32>
  %wide = memref.expand_shape %y [[0, 1], [2]] output_shape [64, 1, 96] : memref<64x96xf32> into memref<64x1x96xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<64x1xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%wide : memref<64x1x96xf32>) outs(%t : memref<64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %y : memref<64x96xf32>
  return %s, %t, %w : memref<96xf32>, memref<64x1xf32>, memref<40xf32>
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#sums = affine_map<(d0, d1) -> (d0)>

// Whole blocks first, then the other rows: in one block, or one by one if their number is not known.
// CHECK-LABEL: func @rest
// CHECK: scf.forall (%{{.*}}) = (0) to (128) step (8) {
// CHECK: memref<8xf32>
// CHECK: scf.forall (%{{.*}}) = (128) to (131) step (3) {
// CHECK: memref<3xf32>
// CHECK-LABEL: func @unknown
// CHECK-SAME: , %[[N:.*]]: index)
// CHECK: %[[WHOLE:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK: scf.forall (%{{.*}}) = (0) to (%[[WHOLE]]) step (8) {
// CHECK: memref<8xf32>
// CHECK: scf.forall (%{{.*}}) = (%[[WHOLE]]) to (%[[N]]) step (1) {
// CHECK: memref<1xf32>
func.func @rest(%x: memref<131x96xf32>) -> memref<131x96xf32> {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<131xf32>
  %y = memref.alloc() : memref<131x96xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<131xf32>)
  linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<131x96xf32>) outs(%sum : memref<131xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#rows, #sums, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<131x96xf32>, memref<131xf32>) outs(%y : memref<131x96xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.divf %in, %s : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sum : memref<131xf32>
  return %y : memref<131x96xf32>
}
// An unknown number of columns.
// CHECK-LABEL: func @columns
// CHECK-SAME: , %[[COLUMNS:.*]]: index)
// CHECK: scf.forall (%{{.*}}) = (0) to (64) step (4) {
// CHECK: memref.subview %{{.*}}[%{{.*}}, 0] [4, %{{.*}}] [1, 1]
// CHECK: memref.alloc(%[[COLUMNS]]) {{.*}} : memref<4x?xf32>
// CHECK: memref.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [4, 1, %{{.*}}]
func.func @unknown(%x: memref<?x96xf32>, %n: index) -> memref<?x96xf32> {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc(%n) : memref<?xf32>
  %y = memref.alloc(%n) : memref<?x96xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x96xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#rows, #sums, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<?x96xf32>, memref<?xf32>) outs(%y : memref<?x96xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.divf %in, %s : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sum : memref<?xf32>
  return %y : memref<?x96xf32>
}
func.func @columns(%x: memref<64x?xf32>, %n: index) -> memref<64x1xf32> {
  %zero = arith.constant 0.0 : f32
  %exps = memref.alloc(%n) : memref<64x?xf32>
  linalg.exp ins(%x : memref<64x?xf32>) outs(%exps : memref<64x?xf32>)
  %sums = memref.alloc() : memref<64x1xf32>
  %wide = memref.expand_shape %exps [[0, 1], [2]] output_shape [64, 1, %n] : memref<64x?xf32> into memref<64x1x?xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<64x1xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%wide : memref<64x1x?xf32>) outs(%sums : memref<64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %exps : memref<64x?xf32>
  return %sums : memref<64x1xf32>
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// None of these is a chain: another op reads columns, or elements in its body, the buffer is an argument, which may be
// the same memory as another one, or only a part of it is written.
// CHECK-LABEL: func @none
// CHECK-NOT: scf.forall
// CHECK: return
func.func @none(%x: memref<64x64xf32>, %given: memref<64x64xf32>) {
  %y = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  }
  %z = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#transposed, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<64x64xf32>) outs(%z : memref<64x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<64x64xf32>) outs(%given : memref<64x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  %c0 = arith.constant 0 : index
  %w = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%w : memref<64x64xf32>) {
  ^bb0(%out: f32):
    %column = linalg.index 1 : index
    %0 = memref.load %z[%c0, %column] : memref<64x64xf32>
    linalg.yield %0 : f32
  }
  %v = memref.alloc() : memref<64x64xf32>
  %part = memref.subview %v[0, 0] [64, 32] [1, 1] : memref<64x64xf32> to memref<64x32xf32, strided<[64, 1]>>
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]}
      outs(%part : memref<64x32xf32, strided<[64, 1]>>) {
  ^bb0(%out: f32):
    %0 = math.exp %out : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%v : memref<64x64xf32>) outs(%given : memref<64x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  memref.dealloc %y : memref<64x64xf32>
  memref.dealloc %z : memref<64x64xf32>
  memref.dealloc %w : memref<64x64xf32>
  memref.dealloc %v : memref<64x64xf32>
  return
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>
#columns = affine_map<(d0, d1) -> (d0)>

// Sums over all rows of many rows: each of 64 parts of the rows has its own, and one more for the rows that fill no
// block. They are added at the end.
// LARGE-LABEL: func @sums
// LARGE-SAME: , %[[GIVEN:.*]]: memref<96xf32>)
// LARGE: %[[PARTS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<65x96xf32>
// LARGE: scf.forall (%[[PART:.*]]) in (64) {
// LARGE: %[[SUMS:.*]] = memref.subview %[[PARTS]][%[[PART]], 0] [1, 96] [1, 1]
// LARGE: linalg.fill ins(%{{.*}}) outs(%[[SUMS]] : {{.*}})
// LARGE: scf.for
// LARGE: memref.alloc() {alignment = 64 : i64} : memref<16x96xf32>
// LARGE: linalg.generic {{.*}}"parallel", "parallel"]
// LARGE: linalg.generic {{.*}}"parallel", "reduction"]} ins(%{{.*}} : memref<16x96xf32>) outs(%[[SUMS]] : {{.*}})
// LARGE: scf.forall (%{{.*}}) in (1) {
// LARGE: memref<3x96xf32>
// LARGE: linalg.generic {{.*}}["reduction", "parallel"]} ins(%[[PARTS]] : memref<65x96xf32>) outs(%[[GIVEN]] : memref<96xf32>)
// LARGE: arith.addf
// LARGE: memref.dealloc %[[PARTS]]
// LARGE-NOT: linalg
// LARGE: return
func.func @sums(%x: memref<4099x96xf32>, %given: memref<96xf32>) {
  %y = memref.alloc() : memref<4099x96xf32>
  %z = memref.alloc() : memref<4099x96xf32>
  linalg.exp ins(%x : memref<4099x96xf32>) outs(%y : memref<4099x96xf32>)
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<4099x96xf32>) outs(%z : memref<4099x96xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.sin %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#transposed, #columns], iterator_types = ["parallel", "reduction"]}
      ins(%z : memref<4099x96xf32>) outs(%given : memref<96xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %y : memref<4099x96xf32>
  memref.dealloc %z : memref<4099x96xf32>
  return
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>
#columns = affine_map<(d0, d1) -> (d0)>

// The sum is of what another op writes behind the group.
// LARGE-LABEL: func @changed
// LARGE: scf.forall (%{{.*}}) = (0) to (4096) step (16) {
// LARGE: linalg.generic {{.*}} ins(%{{.*}} : memref<96x4096xf32>)
// LARGE: linalg.generic {{.*}}"parallel", "reduction"]} ins(%{{.*}} : memref<4096x96xf32>)
func.func @changed(%x: memref<4096x96xf32>, %t: memref<96x4096xf32>, %given: memref<96xf32>) -> memref<4096x96xf32> {
  %y = memref.alloc() : memref<4096x96xf32>
  %z = memref.alloc() : memref<4096x96xf32>
  linalg.exp ins(%x : memref<4096x96xf32>) outs(%y : memref<4096x96xf32>)
  linalg.exp ins(%y : memref<4096x96xf32>) outs(%z : memref<4096x96xf32>)
  linalg.generic {indexing_maps = [#transposed, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<96x4096xf32>) outs(%y : memref<4096x96xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#transposed, #columns], iterator_types = ["parallel", "reduction"]}
      ins(%y : memref<4096x96xf32>) outs(%given : memref<96xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %y : memref<4096x96xf32>
  return %z : memref<4096x96xf32>
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#sums = affine_map<(d0, d1) -> (d0)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// The sums over rows are in a buffer that the group uses for its own rows before.
// LARGE-LABEL: func @reused
// LARGE: %[[V:.*]] = memref.alloc() : memref<512xf32>
// LARGE: scf.forall (%{{.*}}) = (0) to (512) step (8) {
// LARGE: memref.subview %[[V]]
// LARGE: linalg.generic {{.*}}"parallel", "reduction"]} ins(%{{.*}} : memref<512x512xf32>) outs(%[[V]] : memref<512xf32>)
// LARGE: return %[[V]]
func.func @reused(%x: memref<512x512xf32>) -> memref<512xf32> {
  %zero = arith.constant 0.0 : f32
  %v = memref.alloc() : memref<512xf32>
  %y = memref.alloc() : memref<512x512xf32>
  linalg.fill ins(%zero : f32) outs(%v : memref<512xf32>)
  linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<512x512xf32>) outs(%v : memref<512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#rows, #sums, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %v : memref<512x512xf32>, memref<512xf32>) outs(%y : memref<512x512xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.divf %in, %s : f32
    linalg.yield %0 : f32
  }
  linalg.fill ins(%zero : f32) outs(%v : memref<512xf32>)
  linalg.generic {indexing_maps = [#transposed, #sums], iterator_types = ["parallel", "reduction"]}
      ins(%y : memref<512x512xf32>) outs(%v : memref<512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %y : memref<512x512xf32>
  return %v : memref<512xf32>
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#sums = affine_map<(d0, d1) -> (d0)>

// No elements.
// CHECK-LABEL: func @empty
// CHECK-NOT: scf.forall
// CHECK: return
func.func @empty(%x: memref<64x0xf32>, %z: memref<0x64xf32>) -> (memref<64xf32>, memref<0x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %v = memref.alloc() : memref<64xf32>
  linalg.fill ins(%zero : f32) outs(%v : memref<64xf32>)
  linalg.generic {indexing_maps = [#rows, #sums], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x0xf32>) outs(%v : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  %y = memref.alloc() : memref<0x64xf32>
  linalg.exp ins(%z : memref<0x64xf32>) outs(%y : memref<0x64xf32>)
  linalg.exp ins(%y : memref<0x64xf32>) outs(%y : memref<0x64xf32>)
  return %v, %y : memref<64xf32>, memref<0x64xf32>
}
