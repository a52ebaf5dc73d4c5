// Incorrect memory accesses, and the emulator's report of each.
// REQUIRES: rnn-run
// RUN: not rnn-run %s --target=simt --function=missing_barrier --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=MISSING-BARRIER-FIFO
// RUN: not rnn-run %s --target=simt --function=missing_barrier --input=64xf32=1 --simt-check --simt-schedule=reverse 2>&1 | FileCheck %s --check-prefix=MISSING-BARRIER-REVERSE
// RUN: not rnn-run %s --target=simt --function=missing_barrier --input=64xf32=1 --simt-check --simt-schedule=random:2 2>&1 | FileCheck %s --check-prefix=MISSING-BARRIER-RANDOM
// RUN: not rnn-run %s --target=simt --function=missing_barrier_before_reuse --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=MISSING-BARRIER-BEFORE-REUSE
// RUN: not rnn-run %s --target=simt --function=uninitialised_slot --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=UNINITIALISED-SLOT-CHECK
// RUN: not rnn-run %s --target=simt --function=shared_index_out_of_bounds --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=SHARED-INDEX-OUT-OF-BOUNDS
// RUN: not rnn-run %s --target=simt --function=dynamic_shared_memory_too_small --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=DYNAMIC-SHARED-MEMORY-TOO-SMALL
// RUN: not rnn-run %s --target=simt --function=global_index_out_of_bounds --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=GLOBAL-INDEX-OUT-OF-BOUNDS
// RUN: not rnn-run %s --target=simt --function=two_lanes_one_slot --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=TWO-LANES-ONE-SLOT
// RUN: not rnn-run %s --target=simt --function=accumulation_without_atomics --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=ACCUMULATION-WITHOUT-ATOMICS
// RUN: not rnn-run %s --target=simt --function=missing_warp_sync --input=64xf32=1 --simt-check --simt-schedule=random:1 2>&1 | FileCheck %s --check-prefix=MISSING-WARP-SYNC
// RUN: not rnn-run %s --target=simt --function=flag_without_fence --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=FLAG-WITHOUT-FENCE

// A tile is read before other threads have written it: uninitialized for some threads, a race with others.
// MISSING-BARRIER-FIFO: FAILED_PRECONDITION: uninitialised shared memory in kernel `{{.*}}::missing_barrier_kernel`: load of 4 bytes at offset 252, which no thread has written, at {{.*}}bugs-memory.mlir:[[#@LINE+14]]:10 in block (0,0,0) thread (0,0,0)
// MISSING-BARRIER-REVERSE: FAILED_PRECONDITION: uninitialised shared memory in kernel `{{.*}}::missing_barrier_kernel`: load of 4 bytes at offset 0, which no thread has written, at {{.*}}bugs-memory.mlir:[[#@LINE+13]]:10 in block (0,0,0) thread (63,0,0)
// MISSING-BARRIER-RANDOM: FAILED_PRECONDITION: uninitialised shared memory in kernel `{{.*}}::missing_barrier_kernel`: load of 4 bytes at offset 196, which no thread has written, at {{.*}}bugs-memory.mlir:[[#@LINE+12]]:10 in block (0,0,0) thread (14,0,0)
func.func @missing_barrier(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1)
             workgroup(%tile : memref<64xf32, #gpu.address_space<workgroup>>) {
    %v = memref.load %out[%tx] : memref<64xf32>
    memref.store %v, %tile[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    %c63 = arith.constant 63 : index
    %other = arith.subi %c63, %tx : index
    %w = memref.load %tile[%other] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// The tile is overwritten while others may still read it. Every sequential schedule computes the correct values.
// MISSING-BARRIER-BEFORE-REUSE: FAILED_PRECONDITION: data race in kernel `{{.*}}::missing_barrier_before_reuse_kernel`: load of 4 bytes of shared memory at offset 124 is not ordered after the store by block (0,0,0) thread (31,0,0) at {{.*}}bugs-memory.mlir:[[#@LINE+15]]:5, at {{.*}}bugs-memory.mlir:[[#@LINE+13]]:10 in block (0,0,0) thread (32,0,0)
func.func @missing_barrier_before_reuse(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1)
             workgroup(%tile : memref<64xf32, #gpu.address_space<workgroup>>) {
    %v = memref.load %out[%tx] : memref<64xf32>
    memref.store %v, %tile[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %c63 = arith.constant 63 : index
    %other = arith.subi %c63, %tx : index
    %w = memref.load %tile[%other] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %out[%tx] : memref<64xf32>
    memref.store %w, %tile[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// One slot is never written. Poison makes it a NaN, which the comparison detects; the checker reports where.
// UNINITIALISED-SLOT-CHECK: FAILED_PRECONDITION: uninitialised shared memory in kernel `{{.*}}::uninitialised_slot_kernel`: load of 4 bytes at offset 252, which no thread has written, at {{.*}}bugs-memory.mlir:[[#@LINE+16]]:10 in block (0,0,0) thread (0,0,0)
func.func @uninitialised_slot(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1)
             workgroup(%tile : memref<64xf32, #gpu.address_space<workgroup>>) {
    %v = memref.load %out[%tx] : memref<64xf32>
    %c63 = arith.constant 63 : index
    %most = arith.cmpi ult, %tx, %c63 : index
    scf.if %most {
      memref.store %v, %tile[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %other = arith.subi %c63, %tx : index
    %w = memref.load %tile[%other] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// An index past the end of its memref, but inside the shared memory of the block.
// SHARED-INDEX-OUT-OF-BOUNDS: FAILED_PRECONDITION: invalid access in kernel `{{.*}}::shared_index_out_of_bounds_kernel`: out-of-bounds access, at {{.*}}bugs-memory.mlir:[[#@LINE+10]]:5 in block (0,0,0) thread (63,0,0)
func.func @shared_index_out_of_bounds(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1)
             workgroup(%tile : memref<64xf32, #gpu.address_space<workgroup>>, %beside : memref<64xf32, #gpu.address_space<workgroup>>) {
    %v = memref.load %out[%tx] : memref<64xf32>
    %next = arith.addi %tx, %c1 : index
    memref.store %v, %tile[%next] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %v, %beside[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// The launch provides less dynamic shared memory than the kernel uses.
// DYNAMIC-SHARED-MEMORY-TOO-SMALL: FAILED_PRECONDITION: out of bounds in kernel `{{.*}}::dynamic_shared_memory_too_small_kernel`: store of 4 bytes at offset 128 of the block's 128 bytes of shared memory, at {{.*}}bugs-memory.mlir:[[#@LINE+13]]:5 in block (0,0,0) thread (32,0,0)
func.func @dynamic_shared_memory_too_small(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  %bytes = arith.constant 128 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1)
             dynamic_shared_memory_size %bytes {
    %c0 = arith.constant 0 : index
    %dynamic = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %view = memref.view %dynamic[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
    %v = memref.load %out[%tx] : memref<64xf32>
    memref.store %v, %view[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %view[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// One thread too many.
// GLOBAL-INDEX-OUT-OF-BOUNDS: FAILED_PRECONDITION: invalid access in kernel `{{.*}}::global_index_out_of_bounds_kernel`: out-of-bounds access, at {{.*}}bugs-memory.mlir:[[#@LINE+8]]:5 in block (0,0,0) thread (64,0,0)
func.func @global_index_out_of_bounds(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %v = arith.constant 2.0 : f32
    memref.store %v, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// A wrong lane mapping: two lanes of a warp store different values to one address in one instruction.
// TWO-LANES-ONE-SLOT: FAILED_PRECONDITION: data race in kernel `{{.*}}::two_lanes_one_slot_kernel`: store of 4 bytes of shared memory at offset 0 is not ordered after the store of another value in the same instruction by block (0,0,0) thread (0,0,0) at {{.*}}bugs-memory.mlir:[[#@LINE+12]]:5, at {{.*}}bugs-memory.mlir:[[#@LINE+12]]:5 in block (0,0,0) thread (1,0,0)
func.func @two_lanes_one_slot(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1)
             workgroup(%tile : memref<64xf32, #gpu.address_space<workgroup>>) {
    %c2 = arith.constant 2 : index
    %slot = arith.divui %tx, %c2 : index
    %n = arith.index_cast %tx : index to i32
    %v = arith.sitofp %n : i32 to f32
    memref.store %v, %tile[%slot] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %tile[%c2] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// Blocks add to one value without atomics. Blocks that run one after another compute the correct sum.
// ACCUMULATION-WITHOUT-ATOMICS: FAILED_PRECONDITION: data race in kernel `{{.*}}::accumulation_without_atomics_kernel`: load of 4 bytes of global memory is not ordered after the store by block (0,0,0) thread (0,0,0) at {{.*}}bugs-memory.mlir:[[#@LINE+13]]:7, at {{.*}}bugs-memory.mlir:[[#@LINE+11]]:12 in block (1,0,0) thread (0,0,0)
func.func @accumulation_without_atomics(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 4 : index
  %threads = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %tx, %c0 : index
    scf.if %first {
      %one = arith.constant 1.0 : f32
      %v = memref.load %out[%c0] : memref<64xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %out[%c0] : memref<64xf32>
    }
    gpu.terminator
  }
  return
}

// Lanes of a warp do not run in lockstep: without bar.warp.sync a store need not be visible to another lane. A shuffle does not order memory.
// MISSING-WARP-SYNC: FAILED_PRECONDITION: data race in kernel `{{.*}}::missing_warp_sync_kernel`: store of 4 bytes of shared memory at offset 108 is not ordered after the load by block (0,0,0) thread (26,0,0) at {{.*}}bugs-memory.mlir:[[#@LINE+19]]:10, at {{.*}}bugs-memory.mlir:[[#@LINE+13]]:5 in block (0,0,0) thread (27,0,0)
func.func @missing_warp_sync(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1)
             workgroup(%tile : memref<64xf32, #gpu.address_space<workgroup>>) {
    %v = memref.load %out[%tx] : memref<64xf32>
    memref.store %v, %tile[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    %all = arith.constant -1 : i32
    nvvm.bar.warp.sync %all : i32
    %twice = arith.addf %v, %v : f32
    memref.store %twice, %tile[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    %i1 = arith.constant 1 : i32
    %i32 = arith.constant 32 : i32
    %lane = arith.index_cast %tx : index to i32
    %ignored, %valid = gpu.shuffle xor %lane, %i1, %i32 : i32
    %other = arith.xori %tx, %c1 : index
    %w = memref.load %tile[%other] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// Data are passed by an atomic flag, but no fence orders them with it. A race by the memory model: every schedule computes the correct values.
// FLAG-WITHOUT-FENCE: FAILED_PRECONDITION: data race in kernel `{{.*}}::flag_without_fence_kernel`: load of 4 bytes of global memory is not ordered after the store by block (0,0,0) thread (0,0,0) at {{.*}}bugs-memory.mlir:[[#@LINE+18]]:7, at {{.*}}bugs-memory.mlir:[[#@LINE+30]]:12 in block (0,0,0) thread (32,0,0)
func.func @flag_without_fence(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  %zero_index = arith.constant 0 : index
  %zero_flag = arith.constant 0 : i32
  %flag = memref.alloc() : memref<1xi32>
  memref.store %zero_flag, %flag[%zero_index] : memref<1xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %writer = arith.cmpi eq, %tx, %c0 : index
    scf.if %writer {
      %v = arith.constant 3.0 : f32
      memref.store %v, %out[%c0] : memref<64xf32>
      %old = memref.atomic_rmw addi %one, %flag[%c0] : (i32, memref<1xi32>) -> i32
    }
    %reader = arith.cmpi eq, %tx, %c32 : index
    scf.if %reader {
      scf.while : () -> () {
        %seen = memref.atomic_rmw addi %zero, %flag[%c0] : (i32, memref<1xi32>) -> i32
        %again = arith.cmpi eq, %seen, %zero : i32
        scf.condition(%again)
      } do {
        scf.yield
      }
      %w = memref.load %out[%c0] : memref<64xf32>
      memref.store %w, %out[%c32] : memref<64xf32>
    }
    gpu.terminator
  }
  return
}
