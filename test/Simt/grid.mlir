// Grids: the barrier of a cooperative grid, a barrier by atomics and fences, and order by atomics between two threads. The
// checker models all three; every schedule computes the same values.
// REQUIRES: rnn-run
// DEFINE: %{run} = rnn-run %s --target=simt --input=100 --expected-output=512xf32=100
// RUN: %{run} --function=barrier | FileCheck %s
// RUN: %{run} --function=barrier --simt-check --simt-schedule=reverse | FileCheck %s
// RUN: %{run} --function=barrier --simt-schedule=random:4 | FileCheck %s
// RUN: %{run} --function=atomics | FileCheck %s
// RUN: %{run} --function=atomics --simt-check --simt-schedule=random:1 | FileCheck %s
// RUN: not rnn-run %s --target=simt --input=1 --function=too_large 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not rnn-run %s --target=simt --input=1 --function=not_cooperative 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not rnn-run %s --target=simt --input=1 --function=used_counter 2>&1 | FileCheck %s --check-prefix=USED
// CHECK: all results are as expected
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // In each step, each thread adds one to the value of its neighbour in the next block, alternating between two buffers.
    gpu.func @barrier(%buffers: memref<2x?xf32>, %count: memref<1xi32>, %steps: index) kernel attributes {rnngpu.cooperative} {
      %count_address = memref.extract_aligned_pointer_as_index %count : memref<1xi32> -> index
      %count_integer = arith.index_cast %count_address : index to i64
      %counter = llvm.inttoptr %count_integer : i64 to !llvm.ptr<1>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %one = arith.constant 1.0 : f32
      %i = gpu.global_id x
      %threads = gpu.block_dim x
      %n = memref.dim %buffers, %c1 : memref<2x?xf32>
      %next = arith.addi %i, %threads : index
      %neighbour = arith.remui %next, %n : index
      scf.for %step = %c0 to %steps step %c1 {
        %from = arith.remui %step, %c2 : index
        %to = arith.subi %c1, %from : index
        %v = memref.load %buffers[%from, %neighbour] : memref<2x?xf32>
        %w = arith.addf %v, %one : f32
        memref.store %w, %buffers[%to, %i] : memref<2x?xf32>
        rnngpu.grid_barrier %counter
      }
      gpu.return
    }

    gpu.func @atomics(%buffers: memref<2x?xf32>, %count: memref<1xi32>, %steps: index) kernel attributes {rnngpu.cooperative} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %none = arith.constant 0 : i32
      %once = arith.constant 1 : i32
      %one = arith.constant 1.0 : f32
      %thread = gpu.thread_id x
      %blocks = gpu.grid_dim x
      %i = gpu.global_id x
      %threads = gpu.block_dim x
      %n = memref.dim %buffers, %c1 : memref<2x?xf32>
      %next = arith.addi %i, %threads : index
      %neighbour = arith.remui %next, %n : index
      scf.for %step = %c0 to %steps step %c1 {
        %from = arith.remui %step, %c2 : index
        %to = arith.subi %c1, %from : index
        %v = memref.load %buffers[%from, %neighbour] : memref<2x?xf32>
        %w = arith.addf %v, %one : f32
        memref.store %w, %buffers[%to, %i] : memref<2x?xf32>
        gpu.barrier
        %first = arith.cmpi eq, %thread, %c0 : index
        scf.if %first {
          %done = arith.addi %step, %c1 : index
          %all = arith.muli %done, %blocks : index
          %target = arith.index_cast %all : index to i32
          nvvm.memory.barrier #nvvm.mem_scope<gpu>
          %old = memref.atomic_rmw addi %once, %count[%c0] : (i32, memref<1xi32>) -> i32
          scf.while : () -> () {
            %seen = memref.atomic_rmw addi %none, %count[%c0] : (i32, memref<1xi32>) -> i32
            %again = arith.cmpi slt, %seen, %target : i32
            scf.condition(%again)
          } do {
            scf.yield
          }
          nvvm.memory.barrier #nvvm.mem_scope<gpu>
        }
        gpu.barrier
      }
      gpu.return
    }

    gpu.func @not_cooperative(%count: memref<1xi32>) kernel {
      %count_address = memref.extract_aligned_pointer_as_index %count : memref<1xi32> -> index
      %count_integer = arith.index_cast %count_address : index to i64
      %counter = llvm.inttoptr %count_integer : i64 to !llvm.ptr<1>
      rnngpu.grid_barrier %counter
      gpu.return
    }
  }

  func.func private @start() -> memref<2x?xf32> {
    %n = arith.constant 512 : index
    %zero = arith.constant 0.0 : f32
    %buffers = memref.alloc(%n) : memref<2x?xf32>
    linalg.fill ins(%zero : f32) outs(%buffers : memref<2x?xf32>)
    return %buffers : memref<2x?xf32>
  }

  func.func private @count(%first: i32) -> memref<1xi32> {
    %c0 = arith.constant 0 : index
    %count = memref.alloc() : memref<1xi32>
    memref.store %first, %count[%c0] : memref<1xi32>
    return %count : memref<1xi32>
  }

  func.func private @finish(%buffers: memref<2x?xf32>) -> memref<512xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 512 : index
    %out = memref.alloc() : memref<512xf32>
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %buffers[%c0, %i] : memref<2x?xf32>
      memref.store %v, %out[%i] : memref<512xf32>
    }
    return %out : memref<512xf32>
  }

  func.func @barrier(%steps: index) -> memref<512xf32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %none = arith.constant 0 : i32
    %count = call @count(%none) : (i32) -> memref<1xi32>
    %buffers = call @start() : () -> memref<2x?xf32>
    gpu.launch_func @kernels::@barrier blocks in (%c4, %c1, %c1) threads in (%c128, %c1, %c1)
        args(%buffers : memref<2x?xf32>, %count : memref<1xi32>, %steps : index)
    %out = call @finish(%buffers) : (memref<2x?xf32>) -> memref<512xf32>
    return %out : memref<512xf32>
  }

  func.func @atomics(%steps: index) -> memref<512xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %none = arith.constant 0 : i32
    %buffers = call @start() : () -> memref<2x?xf32>
    %count = call @count(%none) : (i32) -> memref<1xi32>
    gpu.launch_func @kernels::@atomics blocks in (%c4, %c1, %c1) threads in (%c128, %c1, %c1)
        args(%buffers : memref<2x?xf32>, %count : memref<1xi32>, %steps : index)
    %out = call @finish(%buffers) : (memref<2x?xf32>) -> memref<512xf32>
    return %out : memref<512xf32>
  }

  // LARGE: INVALID_ARGUMENT: launch of kernel `kernels::barrier`: expects a cooperative grid of at most 264 blocks of this size, which an H200 holds at once, but got 265, at {{.*}}grid.mlir:[[#@LINE+8]]:5
  func.func @too_large(%steps: index) {
    %c1 = arith.constant 1 : index
    %blocks = arith.constant 265 : index
    %threads = arith.constant 1024 : index
    %none = arith.constant 0 : i32
    %count = call @count(%none) : (i32) -> memref<1xi32>
    %buffers = call @start() : () -> memref<2x?xf32>
    gpu.launch_func @kernels::@barrier blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%buffers : memref<2x?xf32>, %count : memref<1xi32>, %steps : index)
    return
  }

  // ALONE: grid barrier without a cooperative launch in kernel `kernels::not_cooperative`: the blocks of this grid need not run together; mark the kernel `rnngpu.cooperative`, at {{.*}}grid.mlir:[[#@LINE-72]]:7 in block (0,0,0) thread (0,0,0)
  func.func @not_cooperative(%steps: index) {
    %c1 = arith.constant 1 : index
    %none = arith.constant 0 : i32
    %count = call @count(%none) : (i32) -> memref<1xi32>
    gpu.launch_func @kernels::@not_cooperative blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%count : memref<1xi32>)
    return
  }

  // USED: grid barrier with a used counter in kernel `kernels::barrier`: it holds 1; it must be zero before the first launch, and nothing else may write it, at {{.*}}grid.mlir:[[#@LINE-133]]:9 in block (0,0,0) thread (0,0,0)
  func.func @used_counter(%steps: index) {
    %c1 = arith.constant 1 : index
    %once = arith.constant 1 : i32
    %count = call @count(%once) : (i32) -> memref<1xi32>
    %buffers = call @start() : () -> memref<2x?xf32>
    gpu.launch_func @kernels::@barrier blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%buffers : memref<2x?xf32>, %count : memref<1xi32>, %steps : index)
    return
  }
}
