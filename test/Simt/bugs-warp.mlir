// Incorrect uses of warp collectives, and the emulator's report of each.
// REQUIRES: rnn-run
// RUN: not rnn-run %s --target=simt --function=divergent_shuffle --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=DIVERGENT-SHUFFLE
// RUN: not rnn-run %s --target=simt --function=two_shuffles --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=TWO-SHUFFLES
// RUN: not rnn-run %s --target=simt --function=inactive_lane --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=INACTIVE-LANE
// RUN: not rnn-run %s --target=simt --function=foreign_mask --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=FOREIGN-MASK
// RUN: not rnn-run %s --target=simt --function=unequal_masks --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=UNEQUAL-MASKS
// RUN: not rnn-run %s --target=simt --function=mma_of_half_a_warp --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=MMA-OF-HALF-A-WARP
// RUN: not rnn-run %s --target=simt --function=misaligned_row --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=MISALIGNED-ROW

// Half of a warp waits for the other half in a shuffle.
// DIVERGENT-SHUFFLE: FAILED_PRECONDITION: divergent collective in kernel `{{.*}}::divergent_shuffle_kernel`: lane 16 exited while lanes 0x0000ffff wait for it at shfl.sync, at {{.*}}bugs-warp.mlir:[[#@LINE+14]]:12 in block (0,0,0) thread (16,0,0)
func.func @divergent_shuffle(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c16 = arith.constant 16 : index
    %few = arith.cmpi ult, %tx, %c16 : index
    %i1 = arith.constant 1 : i32
    %all = arith.constant -1 : i32
    %clamp = arith.constant 31 : i32
    %lane = arith.index_cast %tx : index to i32
    scf.if %few {
      %r = nvvm.shfl.sync bfly %all, %lane, %i1, %clamp : i32 -> i32
      %n = arith.sitofp %r : i32 to f32
      memref.store %n, %out[%tx] : memref<64xf32>
    }
    gpu.terminator
  }
  return
}

// The halves of a warp execute different shuffles.
// TWO-SHUFFLES: FAILED_PRECONDITION: divergent collective in kernel `{{.*}}::two_shuffles_kernel`: shfl.sync is reached while lanes 0x0000ffff of the same warp, first block (0,0,0) thread (0,0,0), wait at shfl.sync at {{.*}}bugs-warp.mlir:[[#@LINE+14]]:12, at {{.*}}bugs-warp.mlir:[[#@LINE+18]]:12 in block (0,0,0) thread (16,0,0)
func.func @two_shuffles(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c16 = arith.constant 16 : index
    %few = arith.cmpi ult, %tx, %c16 : index
    %i1 = arith.constant 1 : i32
    %all = arith.constant -1 : i32
    %clamp = arith.constant 31 : i32
    %lane = arith.index_cast %tx : index to i32
    scf.if %few {
      %r = nvvm.shfl.sync bfly %all, %lane, %i1, %clamp : i32 -> i32
      %n = arith.sitofp %r : i32 to f32
      memref.store %n, %out[%tx] : memref<64xf32>
    } else {
      %r = nvvm.shfl.sync up %all, %lane, %i1, %clamp : i32 -> i32
      %n = arith.sitofp %r : i32 to f32
      memref.store %n, %out[%tx] : memref<64xf32>
    }
    gpu.terminator
  }
  return
}

// A shuffle reads a lane that does not participate.
// INACTIVE-LANE: FAILED_PRECONDITION: misused collective in kernel `{{.*}}::inactive_lane_kernel`: a shuffle reads lane 16, which does not take part: the mask is 0x0000ffff, at {{.*}}bugs-warp.mlir:[[#@LINE+15]]:12 in block (0,0,0) thread (15,0,0)
func.func @inactive_lane(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c16 = arith.constant 16 : index
    %few = arith.cmpi ult, %tx, %c16 : index
    %i1 = arith.constant 1 : i32
    %all = arith.constant -1 : i32
    %clamp = arith.constant 31 : i32
    %lane = arith.index_cast %tx : index to i32
    %low = arith.constant 0x0000ffff : i32
    scf.if %few {
      %r = nvvm.shfl.sync down %low, %lane, %i1, %clamp : i32 -> i32
      %n = arith.sitofp %r : i32 to f32
      memref.store %n, %out[%tx] : memref<64xf32>
    }
    gpu.terminator
  }
  return
}

// A lane executes a collective whose mask excludes it.
// FOREIGN-MASK: FAILED_PRECONDITION: misused collective in kernel `{{.*}}::foreign_mask_kernel`: lane 16 calls vote.sync with the mask 0x0000ffff, in which it is not, at {{.*}}bugs-warp.mlir:[[#@LINE+10]]:10 in block (0,0,0) thread (16,0,0)
func.func @foreign_mask(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c16 = arith.constant 16 : index
    %few = arith.cmpi ult, %tx, %c16 : index
    %low = arith.constant 0x0000ffff : i32
    %r = nvvm.vote.sync ballot %low, %few -> i32
    %n = arith.sitofp %r : i32 to f32
    memref.store %n, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// Lanes of one warp sync with different masks.
// UNEQUAL-MASKS: FAILED_PRECONDITION: divergent collective in kernel `{{.*}}::unequal_masks_kernel`: lane 0 exited while lanes 0xffff0000 wait for it at bar.warp.sync, at {{.*}}bugs-warp.mlir:[[#@LINE+12]]:5 in block (0,0,0) thread (0,0,0)
func.func @unequal_masks(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c16 = arith.constant 16 : index
    %few = arith.cmpi ult, %tx, %c16 : index
    %all = arith.constant -1 : i32
    %low = arith.constant 0x0000ffff : i32
    %mask = arith.select %few, %low, %all : i32
    nvvm.bar.warp.sync %mask : i32
    gpu.terminator
  }
  return
}

// Tensor core ops require whole warps.
// MMA-OF-HALF-A-WARP: FAILED_PRECONDITION: misused collective in kernel `{{.*}}::mma_of_half_a_warp_kernel`: wmma.mma needs all 32 lanes, but the last warp of this block has 16, at {{.*}}bugs-warp.mlir:[[#@LINE+13]]:10 in block (0,0,0) thread (0,0,0)
func.func @mma_of_half_a_warp(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 16 : index
  %big = memref.alloc() : memref<16x16xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %h = arith.constant 1.0 : f16
    %f = arith.constant 0.0 : f32
    %a = gpu.subgroup_mma_constant_matrix %h : !gpu.mma_matrix<16x16xf16, "AOp">
    %b = gpu.subgroup_mma_constant_matrix %h : !gpu.mma_matrix<16x16xf16, "BOp">
    %c = gpu.subgroup_mma_constant_matrix %f : !gpu.mma_matrix<16x16xf32, "COp">
    %d = gpu.subgroup_mma_compute %a, %b, %c : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
    %c0 = arith.constant 0 : index
    gpu.subgroup_mma_store_matrix %d, %big[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
    gpu.terminator
  }
  return
}

// ldmatrix requires rows aligned to 16 bytes.
// MISALIGNED-ROW: FAILED_PRECONDITION: misaligned access in kernel `{{.*}}::misaligned_row_kernel`: the address of row 1 of tile 0 is not a multiple of 16, at {{.*}}bugs-warp.mlir:[[#@LINE+9]]:14 in block (0,0,0) thread (1,0,0)
func.func @misaligned_row(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1)
             workgroup(%rows : memref<32x9xf16, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %tile8 = nvgpu.ldmatrix %rows[%tx, %c0] {numTiles = 1 : i32, transpose = false} : memref<32x9xf16, #gpu.address_space<workgroup>> -> vector<1x2xf16>
    %h = vector.extract %tile8[0, 0] : f16 from vector<1x2xf16>
    %w = arith.extf %h : f16 to f32
    memref.store %w, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
