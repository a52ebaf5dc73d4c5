// Incorrect uses of block barriers, and the emulator's report of each.
// REQUIRES: rnn-run
// RUN: not rnn-run %s --target=simt --function=divergent_barrier --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=DIVERGENT-BARRIER
// RUN: not rnn-run %s --target=simt --function=divergent_warps --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=DIVERGENT-WARPS
// RUN: not rnn-run %s --target=simt --function=early_exit --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=EARLY-EXIT
// RUN: not rnn-run %s --target=simt --function=early_exit --input=64xf32=1 --simt-schedule=reverse 2>&1 | FileCheck %s --check-prefix=EARLY-EXIT-REVERSE
// RUN: not rnn-run %s --target=simt --function=wrong_thread_count --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=WRONG-THREAD-COUNT
// RUN: not rnn-run %s --target=simt --function=unequal_thread_counts --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=UNEQUAL-THREAD-COUNTS
// RUN: not rnn-run %s --target=simt --function=odd_thread_count --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=ODD-THREAD-COUNT
// RUN: not rnn-run %s --target=simt --function=missing_barrier_number --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=MISSING-BARRIER-NUMBER

// Lanes of one warp arrive at different barriers.
// DIVERGENT-BARRIER: FAILED_PRECONDITION: divergent barrier in kernel `{{.*}}::divergent_barrier_kernel`: other lanes 0x0000ffff of the same warp, first block (0,0,0) thread (0,0,0), wait at barrier 0 at {{.*}}bugs-barriers.mlir:[[#@LINE+10]]:7, at {{.*}}bugs-barriers.mlir:[[#@LINE+14]]:7 in block (0,0,0) thread (16,0,0)
func.func @divergent_barrier(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c16 = arith.constant 16 : index
    %few = arith.cmpi ult, %tx, %c16 : index
    scf.if %few {
      gpu.barrier
    } else {
      %o = arith.constant 5.0 : f32
      memref.store %o, %out[%tx] : memref<64xf32>
      gpu.barrier
    }
    gpu.terminator
  }
  return
}

// Warps arrive at different barriers of the block.
// DIVERGENT-WARPS: FAILED_PRECONDITION: divergent barrier in kernel `{{.*}}::divergent_warps_kernel`: 32 other threads of the block, first block (0,0,0) thread (0,0,0), wait at another barrier, at {{.*}}bugs-barriers.mlir:[[#@LINE+10]]:7, at {{.*}}bugs-barriers.mlir:[[#@LINE+14]]:7 in block (0,0,0) thread (32,0,0)
func.func @divergent_warps(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c32 = arith.constant 32 : index
    %few = arith.cmpi ult, %tx, %c32 : index
    scf.if %few {
      gpu.barrier
    } else {
      %o = arith.constant 5.0 : f32
      memref.store %o, %out[%tx] : memref<64xf32>
      gpu.barrier
    }
    gpu.terminator
  }
  return
}

// Threads exit before a barrier at which others wait.
// EARLY-EXIT: FAILED_PRECONDITION: divergent barrier in kernel `{{.*}}::early_exit_kernel`: the thread exited while 16 others, first block (0,0,0) thread (0,0,0), wait at barrier 0, at {{.*}}bugs-barriers.mlir:[[#@LINE+11]]:7 in block (0,0,0) thread (16,0,0)
// EARLY-EXIT-REVERSE: FAILED_PRECONDITION: divergent barrier in kernel `{{.*}}::early_exit_kernel`: barrier 0 is for 64 threads, but 48 threads of the block have exited, at {{.*}}bugs-barriers.mlir:[[#@LINE+10]]:7 in block (0,0,0) thread (15,0,0)
func.func @early_exit(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c16 = arith.constant 16 : index
    %few = arith.cmpi ult, %tx, %c16 : index
    scf.if %few {
      gpu.barrier
    }
    gpu.terminator
  }
  return
}

// A named barrier waits for more threads than arrive.
// WRONG-THREAD-COUNT: FAILED_PRECONDITION: deadlock in kernel `{{.*}}::wrong_thread_count_kernel`: block (0,0,0) threads 0 to 31 wait at barrier 1 at {{.*}}bugs-barriers.mlir:[[#@LINE+13]]:7; block (0,0,0) threads 32 to 63 wait at barrier 2 at {{.*}}bugs-barriers.mlir:[[#@LINE+17]]:7
func.func @wrong_thread_count(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c32 = arith.constant 32 : index
    %few = arith.cmpi ult, %tx, %c32 : index
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %both = arith.constant 64 : i32
    scf.if %few {
      nvvm.barrier id = %one number_of_threads = %both
    } else {
      %o = arith.constant 5.0 : f32
      memref.store %o, %out[%tx] : memref<64xf32>
      nvvm.barrier id = %two number_of_threads = %both
    }
    gpu.terminator
  }
  return
}

// Two warps pass different thread counts to a barrier.
// UNEQUAL-THREAD-COUNTS: FAILED_PRECONDITION: divergent barrier in kernel `{{.*}}::unequal_thread_counts_kernel`: barrier 1 is for 32 threads here, but for 64 at {{.*}}bugs-barriers.mlir:[[#@LINE+13]]:7, where block (0,0,0) thread (0,0,0) waits, at {{.*}}bugs-barriers.mlir:[[#@LINE+17]]:7 in block (0,0,0) thread (32,0,0)
func.func @unequal_thread_counts(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %c32 = arith.constant 32 : index
    %few = arith.cmpi ult, %tx, %c32 : index
    %one = arith.constant 1 : i32
    %half = arith.constant 32 : i32
    %both = arith.constant 64 : i32
    scf.if %few {
      nvvm.barrier id = %one number_of_threads = %both
    } else {
      %o = arith.constant 5.0 : f32
      memref.store %o, %out[%tx] : memref<64xf32>
      nvvm.barrier id = %one number_of_threads = %half
    }
    gpu.terminator
  }
  return
}

// bar.sync counts whole warps.
// ODD-THREAD-COUNT: FAILED_PRECONDITION: invalid barrier in kernel `{{.*}}::odd_thread_count_kernel`: expects a number of threads that is a multiple of 32 and at most 64, but got 48, at {{.*}}bugs-barriers.mlir:[[#@LINE+9]]:5 in block (0,0,0) thread (0,0,0)
func.func @odd_thread_count(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %id = arith.constant 1 : i32
    %some = arith.constant 48 : i32
    nvvm.barrier id = %id number_of_threads = %some
    gpu.terminator
  }
  return
}

// A block has sixteen barriers.
// MISSING-BARRIER-NUMBER: FAILED_PRECONDITION: invalid barrier in kernel `{{.*}}::missing_barrier_number_kernel`: expects a barrier of 0 to 15, but got 16, at {{.*}}bugs-barriers.mlir:[[#@LINE+8]]:5 in block (0,0,0) thread (0,0,0)
func.func @missing_barrier_number(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1) {
    %id = arith.constant 16 : i32
    nvvm.barrier id = %id
    gpu.terminator
  }
  return
}
