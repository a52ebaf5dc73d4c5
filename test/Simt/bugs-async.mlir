// Incorrect uses of asynchronous copies, and the emulator's report of each.
// REQUIRES: rnn-run
// RUN: not rnn-run %s --target=simt --function=missing_wait --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=MISSING-WAIT
// RUN: not rnn-run %s --target=simt --function=missing_wait --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=MISSING-WAIT-CHECK
// RUN: not rnn-run %s --target=simt --function=wrong_group --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=WRONG-GROUP
// RUN: not rnn-run %s --target=simt --function=wait_without_barrier --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=WAIT-WITHOUT-BARRIER
// RUN: not rnn-run %s --target=simt --function=overwritten_stage --input=64xf32=1 --simt-check 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN-STAGE

// An asynchronous copy without a wait.
// MISSING-WAIT: FAILED_PRECONDITION: missing wait in kernel `{{.*}}::missing_wait_kernel`: 1 asynchronous copies were never waited for when the thread exited, at {{.*}}bugs-async.mlir:[[#@LINE+9]]:10 in block (0,0,0) thread (0,0,0)
// MISSING-WAIT-CHECK: FAILED_PRECONDITION: missing wait in kernel `{{.*}}::missing_wait_kernel`: load of 4 bytes of shared memory at offset 0, where an asynchronous copy is still under way, at {{.*}}bugs-async.mlir:[[#@LINE+10]]:10 in block (0,0,0) thread (0,0,0)
func.func @missing_wait(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1)
             workgroup(%tile : memref<64xf32, #gpu.address_space<workgroup>>) {
    %t = nvgpu.device_async_copy %out[%tx], %tile[%tx], 1 : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    %g = nvgpu.device_async_create_group %t
    %w = memref.load %tile[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// The wait leaves the last group pending, but the program reads it, and gets poison.
// WRONG-GROUP: FAILED_PRECONDITION: missing wait in kernel `{{.*}}::wrong_group_kernel`: load of 4 bytes of shared memory at offset 0, where an asynchronous copy is still under way, at {{.*}}bugs-async.mlir:[[#@LINE+11]]:10 in block (0,0,0) thread (0,0,0)
func.func @wrong_group(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1)
             workgroup(%tile : memref<64xf32, #gpu.address_space<workgroup>>) {
    %t = nvgpu.device_async_copy %out[%tx], %tile[%tx], 1 : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g {numGroups = 1 : i32}
    %w = memref.load %tile[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %out[%tx] : memref<64xf32>
    nvgpu.device_async_wait %g {numGroups = 0 : i32}
    gpu.terminator
  }
  return
}

// Each thread waits for its own copy and reads that of another.
// WAIT-WITHOUT-BARRIER: FAILED_PRECONDITION: uninitialised shared memory in kernel `{{.*}}::wait_without_barrier_kernel`: load of 4 bytes at offset 252, which no thread has written, at {{.*}}bugs-async.mlir:[[#@LINE+13]]:10 in block (0,0,0) thread (0,0,0)
func.func @wait_without_barrier(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1)
             workgroup(%tile : memref<64xf32, #gpu.address_space<workgroup>>) {
    %t = nvgpu.device_async_copy %out[%tx], %tile[%tx], 1 : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g {numGroups = 0 : i32}
    %c63 = arith.constant 63 : index
    %other = arith.subi %c63, %tx : index
    %w = memref.load %tile[%other] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}

// The next copy overwrites a stage that other threads still read.
// OVERWRITTEN-STAGE: FAILED_PRECONDITION: data race in kernel `{{.*}}::overwritten_stage_kernel`: load of 4 bytes of shared memory at offset 124 is not ordered after the store by block (0,0,0) thread (31,0,0) at {{.*}}bugs-async.mlir:[[#@LINE+16]]:11, at {{.*}}bugs-async.mlir:[[#@LINE+14]]:10 in block (0,0,0) thread (32,0,0)
func.func @overwritten_stage(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %c1, %sz = %c1)
             workgroup(%tile : memref<64xf32, #gpu.address_space<workgroup>>) {
    %t = nvgpu.device_async_copy %out[%tx], %tile[%tx], 1 : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g {numGroups = 0 : i32}
    gpu.barrier
    %c63 = arith.constant 63 : index
    %other = arith.subi %c63, %tx : index
    %w = memref.load %tile[%other] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %out[%tx] : memref<64xf32>
    %t2 = nvgpu.device_async_copy %out[%tx], %tile[%tx], 1 : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    %g2 = nvgpu.device_async_create_group %t2
    nvgpu.device_async_wait %g2 {numGroups = 0 : i32}
    gpu.terminator
  }
  return
}
