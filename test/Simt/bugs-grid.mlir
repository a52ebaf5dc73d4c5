// Bugs across blocks, and the emulator's report of each.
// REQUIRES: rnn-run
// RUN: not rnn-run %s --target=simt --function=missing_grid_barrier --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=MISSING-GRID-BARRIER
// RUN: not rnn-run %s --target=simt --function=block_barrier_for_a_grid --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=BLOCK-BARRIER-FOR-A-GRID
// RUN: not rnn-run %s --target=simt --function=spinning_on_a_block_to_come --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=SPINNING-ON-A-BLOCK-TO-COME

// Blocks of a cooperative grid exchange data without a grid barrier.
// MISSING-GRID-BARRIER: FAILED_PRECONDITION: data race in kernel `{{.*}}::missing_grid_barrier_kernel`: store of 4 bytes of global memory is not ordered after the load by block (0,0,0) thread (31,0,0) at {{.*}}bugs-grid.mlir:[[#@LINE+17]]:10, at {{.*}}bugs-grid.mlir:[[#@LINE+14]]:5 in block (1,0,0) thread (0,0,0)
func.func @missing_grid_barrier(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 2 : index
  %threads = arith.constant 32 : index
  %buffer = memref.alloc() : memref<64xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %offset = arith.muli %bx, %c32 : index
    %i = arith.addi %offset, %tx : index
    %n = arith.index_cast %i : index to i32
    %v = arith.sitofp %n : i32 to f32
    memref.store %v, %buffer[%i] : memref<64xf32>
    %c63 = arith.constant 63 : index
    %other = arith.subi %c63, %i : index
    %w = memref.load %buffer[%other] : memref<64xf32>
    memref.store %w, %out[%i] : memref<64xf32>
    gpu.terminator
  }
  return
}

// A block barrier does not order blocks.
// BLOCK-BARRIER-FOR-A-GRID: FAILED_PRECONDITION: data race in kernel `{{.*}}::block_barrier_for_a_grid_kernel`: store of 4 bytes of global memory is not ordered after the load by block (0,0,0) thread (31,0,0) at {{.*}}bugs-grid.mlir:[[#@LINE+18]]:10, at {{.*}}bugs-grid.mlir:[[#@LINE+14]]:5 in block (1,0,0) thread (0,0,0)
func.func @block_barrier_for_a_grid(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 2 : index
  %threads = arith.constant 32 : index
  %buffer = memref.alloc() : memref<64xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %offset = arith.muli %bx, %c32 : index
    %i = arith.addi %offset, %tx : index
    %n = arith.index_cast %i : index to i32
    %v = arith.sitofp %n : i32 to f32
    memref.store %v, %buffer[%i] : memref<64xf32>
    gpu.barrier
    %c63 = arith.constant 63 : index
    %other = arith.subi %c63, %i : index
    %w = memref.load %buffer[%other] : memref<64xf32>
    memref.store %w, %out[%i] : memref<64xf32>
    gpu.terminator
  }
  return
}

// A grid barrier by atomics in a launch that is not cooperative: the first block waits for one that cannot start.
// SPINNING-ON-A-BLOCK-TO-COME: FAILED_PRECONDITION: livelock (threads poll memory that no thread changes) in kernel `{{.*}}::spinning_on_a_block_to_come_kernel`: block (0,0,0) threads 0 to 0 poll at {{.*}}bugs-grid.mlir:[[#@LINE+19]]:17; block (0,0,0) threads 1 to 31 wait at barrier 0 at {{.*}}bugs-grid.mlir:[[#@LINE+26]]:5; 1 blocks have not started, which only a cooperative launch would run together with these
func.func @spinning_on_a_block_to_come(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 2 : index
  %threads = arith.constant 32 : index
  %zero_index = arith.constant 0 : index
  %zero_count = arith.constant 0 : i32
  %count = memref.alloc() : memref<1xi32>
  memref.store %zero_count, %count[%zero_index] : memref<1xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %first = arith.cmpi eq, %tx, %c0 : index
    scf.if %first {
      %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, memref<1xi32>) -> i32
      scf.while : () -> () {
        %seen = memref.atomic_rmw addi %zero, %count[%c0] : (i32, memref<1xi32>) -> i32
        %again = arith.cmpi slt, %seen, %two : i32
        scf.condition(%again)
      } do {
        scf.yield
      }
    }
    gpu.barrier
    gpu.terminator
  }
  return
}
