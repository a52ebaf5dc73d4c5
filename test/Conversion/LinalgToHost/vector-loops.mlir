// The vectorized loop, the tile of rows, masks, gathers, and what stays a linalg op.
// RUN: rnn-opt %s -convert-linalg-to-host="vector-bits=256 vector-registers=16" -canonicalize -cse -split-input-file | FileCheck %s

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Six rows of two vectors are summed in registers; the last column is masked.
// CHECK-LABEL: func @matmul
// CHECK: scf.for %{{.*}} step %c6
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: %[[A:.*]] = memref.load
// CHECK: vector.broadcast %[[A]] : f32 to vector<8xf32>
// CHECK: arith.mulf {{.*}} fastmath<contract> : vector<8xf32>
// CHECK: arith.addf {{.*}} fastmath<contract> : vector<8xf32>
// CHECK: vector.maskedstore
// CHECK-NOT: linalg
func.func @matmul(%a: memref<12x5xf32>, %b: memref<5x17xf32>, %c: memref<12x17xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<12x5xf32>, memref<5x17xf32>) outs(%c : memref<12x17xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// A row's sum has four vectors of partial sums, which are added at the end.
// CHECK-LABEL: func @row_sums
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: vector.maskedload
// CHECK: %[[LANES:.*]] = vector.reduction <add>, %{{.*}} fastmath<reassoc> : vector<8xf32> into f32
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[LANES]] : f32
// CHECK: memref.store %[[SUM]]
func.func @row_sums(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.reduce { arith.addf } ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) dimensions = [1]
  return
}

// -----

// A row of a table is loaded by vectors; its number stays scalar.
// CHECK-LABEL: func @embedding
// CHECK: %[[TOKEN:.*]] = memref.load %{{.*}} : memref<10xi32>
// CHECK: %[[ROW:.*]] = arith.index_cast %[[TOKEN]] : i32 to index
// CHECK: vector.load %{{.*}}[%[[ROW]], %{{.*}}] : memref<?x64xf32>, vector<8xf32>
// CHECK-NOT: vector.gather
func.func @embedding(%table: memref<?x64xf32>, %tokens: memref<10xi32>, %x: memref<10x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(t, e) -> (t)>, affine_map<(t, e) -> (t, e)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%tokens : memref<10xi32>) outs(%x : memref<10x64xf32>) {
  ^bb0(%token: i32, %old: f32):
    %row = arith.index_cast %token : i32 to index
    %column = linalg.index 1 : index
    %value = memref.load %table[%row, %column] : memref<?x64xf32>
    linalg.yield %value : f32
  }
  return
}

// -----

// Elementwise ops on dense buffers are one loop, and long ones are shared among threads.
// CHECK-LABEL: func @exponentials
// CHECK: memref.collapse_shape
// CHECK: rnnrt.parallel
// CHECK-NOT: math.exp
func.func @exponentials(%x: memref<200x100xf32>, %y: memref<200x100xf32>) {
  linalg.exp ins(%x : memref<200x100xf32>) outs(%y : memref<200x100xf32>)
  return
}

// -----

// The sums of f16 results are f32, and bf16 is rounded by integer arithmetic.
// CHECK-LABEL: func @half_sums
// CHECK: scf.for {{.*}} -> (vector<8xf32>
// CHECK: arith.truncf {{.*}} : vector<8xf32> to vector<8xf16>
// CHECK-LABEL: func @bf16_cast
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @half_sums(%x: memref<?x16xf16>, %y: memref<16xf16>) {
  linalg.reduce { arith.addf } ins(%x : memref<?x16xf16>) outs(%y : memref<16xf16>) dimensions = [0]
  return
}
func.func @bf16_cast(%x: memref<16xf32>, %y: memref<16xbf16>) {
  linalg.copy ins(%x : memref<16xf32>) outs(%y : memref<16xbf16>)
  return
}

// -----

// Gathers of i1 stay linalg ops.
// CHECK-LABEL: func @others
// CHECK: linalg
func.func @others(%b: memref<8x8xi1, strided<[16, 2]>>, %d: memref<8x8xi1>) {
  linalg.copy ins(%b : memref<8x8xi1, strided<[16, 2]>>) outs(%d : memref<8x8xi1>)
  return
}

// -----

// Lanes without an element divide by one.
// CHECK-LABEL: func @divide
// CHECK: arith.divsi {{.*}} : vector<8xi32>
// CHECK: %[[DIVISOR:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xi32>
// CHECK: arith.divsi %{{.*}}, %[[DIVISOR]] : vector<8xi32>
func.func @divide(%i: memref<67xi32>, %j: memref<67xi32>) {
  linalg.div ins(%i, %j : memref<67xi32>, memref<67xi32>) outs(%i : memref<67xi32>)
  return
}

// -----

// Elements of i1 are bytes in memory.
// CHECK-LABEL: func @booleans
// CHECK: %[[BYTES:.*]] = llvm.load {{.*}} -> vector<8xi8>
// CHECK: arith.trunci %[[BYTES]] : vector<8xi8> to vector<8xi1>
// CHECK: llvm.store {{.*}} : vector<8xi8>
func.func @booleans(%b: memref<16xi1>, %d: memref<16xi1>) {
  linalg.copy ins(%b : memref<16xi1>) outs(%d : memref<16xi1>)
  return
}

// -----

// Threads share the parts of a sum; their number depends on the size only.
// CHECK-LABEL: func @sum
// CHECK: %[[PARTS:.*]] = memref.alloc(){{.*}} : memref<{{.*}}xf32>
// CHECK: rnnrt.parallel
// CHECK: llvm.func internal @rnn_host_part
// CHECK: %[[SUM:.*]] = vector.reduction <add>
// CHECK: memref.store %[[SUM]]
func.func @sum(%x: memref<1000x300xf32>, %y: memref<f32>) {
  linalg.reduce { arith.addf } ins(%x : memref<1000x300xf32>) outs(%y : memref<f32>) dimensions = [0, 1]
  return
}

// -----

// The order of a short sum needs no parts.
// CHECK-LABEL: func @short_sum
// CHECK-NOT: rnnrt.parallel
// CHECK: return
func.func @short_sum(%x: memref<100x300xf32>, %y: memref<f32>) {
  linalg.reduce { arith.addf } ins(%x : memref<100x300xf32>) outs(%y : memref<f32>) dimensions = [0, 1]
  return
}

// -----

// The parts of a maximum that is a comparison and a selection cannot be combined: a scalar loop.
// CHECK-LABEL: func @selected_maximum
// CHECK: linalg.generic
func.func @selected_maximum(%x: memref<3x4xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<3x4xf32>) outs(%y : memref<f32>) {
  ^bb0(%value: f32, %most: f32):
    %greater = arith.cmpf ogt, %value, %most : f32
    %0 = arith.select %greater, %value, %most : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Tiles of eight rows and columns are transposed in registers; the last four rows of `x` are a tile of their own.
// CHECK-LABEL: func @transposed
// CHECK: scf.for %{{.*}} step %c8
// CHECK: scf.for %{{.*}} step %c8
// CHECK-COUNT-8: vector.load %{{.*}} : memref<20x24xf32>, vector<8xf32>
// CHECK: vector.shuffle
// CHECK-COUNT-8: vector.store %{{.*}} : memref<24x20xf32>, vector<8xf32>
// CHECK-COUNT-4: vector.load
// CHECK-NOT: vector.load
// CHECK-COUNT-8: vector.maskedstore
// CHECK-NOT: vector.gather
func.func @transposed(%x: memref<20x24xf32>, %y: memref<24x20xf32>) {
  linalg.transpose ins(%x : memref<20x24xf32>) outs(%y : memref<24x20xf32>) permutation = [1, 0]
  return
}

// -----

#transposed = affine_map<(i, j) -> (j, i)>
#same = affine_map<(i, j) -> (i, j)>

// A tile of a long body would have it eight times: the input is transposed to a copy before.
// CHECK-LABEL: func @long_body
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<40x24xf32>
// CHECK: vector.shuffle
// CHECK: vector.store %{{.*}}, %[[COPY]]
// CHECK: memref.collapse_shape %[[COPY]]
// CHECK-NOT: vector.gather
// CHECK: memref.dealloc %[[COPY]]
func.func @long_body(%x: memref<24x40xf32>, %y: memref<40x24xf32>) {
  linalg.generic {indexing_maps = [#transposed, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<24x40xf32>) outs(%y : memref<40x24xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = math.exp %a : f32
    %d = math.log1p %c : f32
    %e = math.tanh %d : f32
    linalg.yield %e : f32
  }
  return
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// The right operand is transposed before, since 20 rows use it. Few rows would sum over lanes.
// CHECK-LABEL: func @transposed_right
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<10x24xf32>
// CHECK: vector.load %[[COPY]]
// CHECK-NOT: vector.reduction
// CHECK: memref.dealloc %[[COPY]]
// CHECK-LABEL: func @few_rows
// CHECK-NOT: memref.alloc
// CHECK: vector.reduction <add>
func.func @transposed_right(%a: memref<20x10xf32>, %b: memref<24x10xf32>, %c: memref<20x24xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<20x10xf32>, memref<24x10xf32>) outs(%c : memref<20x24xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

func.func @few_rows(%a: memref<4x10xf32>, %b: memref<24x10xf32>, %c: memref<4x24xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x10xf32>, memref<24x10xf32>) outs(%c : memref<4x24xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// The result is strided along the last dimension of the largest input: it is computed in another order, and copied. So is
// the smaller input, which is used 32 times.
// CHECK-LABEL: func @strided_result
// CHECK-DAG: %[[Y:.*]] = memref.alloc() {{.*}} : memref<16x48xf32>
// CHECK-DAG: %[[RESULT:.*]] = memref.alloc() {{.*}} : memref<32x48xf32>
// CHECK-NOT: vector.gather
// CHECK: scf.for
// CHECK: vector.load %{{.*}} : memref<32x16x48xf32>, vector<8xf32>
// CHECK-NOT: vector.gather
// CHECK: return
func.func @strided_result(%t: memref<32x16x48xf32>, %y: memref<48x16xf32>, %z: memref<48x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(b, o, j) -> (o, j, b)>, affine_map<(b, o, j) -> (b, j)>, affine_map<(b, o, j) -> (b, o)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%t, %y : memref<32x16x48xf32>, memref<48x16xf32>) outs(%z : memref<48x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}
// Sums of 8 products: not copied.
// CHECK-LABEL: func @short_sums_of_strided_result
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @short_sums_of_strided_result(%t: memref<32x8x48xf32>, %y: memref<48x8xf32>, %z: memref<48x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(b, o, j) -> (o, j, b)>, affine_map<(b, o, j) -> (b, j)>, affine_map<(b, o, j) -> (b, o)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%t, %y : memref<32x8x48xf32>, memref<48x8xf32>) outs(%z : memref<48x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// No rows: the loop over them is kept, around sums of a dimension that has elements.
// CHECK-LABEL: func @no_rows
// CHECK-NOT: linalg
// CHECK: return
func.func @no_rows(%x: memref<0x40xf32>, %y: memref<0xf32>, %z: memref<3x0xf32>, %w: memref<40x3x0xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<0x40xf32>) outs(%y : memref<0xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%w : memref<40x3x0xf32>) outs(%z : memref<3x0xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// An unknown number of rows: the rows that remain after the tiles of six are tiles of four, two and one. Small products are no region
// of threads.
// CHECK-LABEL: func @rows
// CHECK: arith.cmpi sge, %{{.*}}, %c65536
// CHECK: scf.if %{{.*}} {
// CHECK: rnnrt.parallel
// CHECK: } else {
// CHECK: llvm.call @[[PART:.*]](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
// CHECK: llvm.func internal @[[PART]](
// CHECK: scf.for %{{.*}} step %c6
// CHECK: %[[REST:.*]] = arith.subi
// CHECK: %[[FOUR:.*]] = arith.andi %[[REST]], %c4 : index
// CHECK: arith.cmpi ne, %[[FOUR]], %c0 : index
// CHECK: arith.andi %[[REST]], %c2 : index
// CHECK: arith.andi %[[REST]], %c1 : index
func.func @rows(%a: memref<?x16xf32>, %b: memref<16x16xf32>, %c: memref<?x16xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x16xf32>, memref<16x16xf32>) outs(%c : memref<?x16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#transposed = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// The operand with strided columns is transposed, although the number of its uses is not known.
// CHECK-LABEL: func @transposed
// CHECK: memref.alloc() {{.*}} : memref<10x40xf32>
func.func @transposed(%a: memref<?x10xf32>, %b: memref<40x10xf32>, %c: memref<?x40xf32>) {
  linalg.generic {indexing_maps = [#left, #transposed, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x10xf32>, memref<40x10xf32>) outs(%c : memref<?x40xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}
