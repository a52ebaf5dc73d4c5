// Other features of kernels: device functions, private and dynamic shared memory, reductions, asynchronous copies, half
// precision, libdevice, printf, assertions; and host code: device memory, streams, invalid launches.
// REQUIRES: rnn-run
// DEFINE: %{run} = rnn-run %s --target=simt
// RUN: %{run} --function=reductions --expected-output=2xf32=[2016,3536] | FileCheck %s
// RUN: %{run} --function=reductions --simt-schedule=reverse --expected-output=2xf32=[2016,3536] | FileCheck %s
// RUN: %{run} --function=memories --expected-output=48xf32=130 | FileCheck %s
// RUN: %{run} --function=memories --simt-check --simt-schedule=random:1 --expected-output=48xf32=130 | FileCheck %s
// RUN: %{run} --function=pipeline --simt-check --expected-output=i32=0 | FileCheck %s
// RUN: %{run} --function=functions --expected-output=6xf32=[2.718282,0.7615942,0.5,3,0.9092974,8] --rtol=1e-6 | FileCheck %s
// RUN: %{run} --function=half_precision --expected-output=2xf32=[2.44921875,3.140625] | FileCheck %s
// RUN: %{run} --function=buffers --simt-check --expected-output=8xf32=[3,3,3,3,7,7,7,7] | FileCheck %s
// RUN: %{run} --function=unwritten_buffer --expected-output=4xf32=nan | FileCheck %s
// RUN: %{run} --function=print | FileCheck %s --check-prefix=PRINT
// RUN: not %{run} --function=assertion --input=i32=7 2>&1 | FileCheck %s --check-prefix=ASSERT
// RUN: not %{run} --function=launch --input=i32=1025 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not %{run} --function=launch --input=i32=0 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not %{run} --function=launch --input=i32=64 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not %{run} --function=launch_shared --input=i32=232449 2>&1 | FileCheck %s --check-prefix=SHARED
// CHECK: all results are as expected
module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func @cube(%x: f32) -> f32 {
      %y = arith.mulf %x, %x : f32
      %z = arith.mulf %y, %x : f32
      return %z : f32
    }

    gpu.func @reductions(%out: memref<2xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %t = gpu.thread_id x
      %n = arith.index_cast %t : index to i32
      %v = arith.sitofp %n : i32 to f32
      %all = gpu.all_reduce add %v uniform {} : (f32) -> f32
      %warp = gpu.subgroup_reduce add %v : (f32) -> f32
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        memref.store %all, %out[%c0] : memref<2xf32>
      }
      // The sum over threads 32 to 63 is 1520.
      gpu.barrier
      %second = arith.cmpi eq, %t, %c32 : index
      scf.if %second {
        %x = memref.load %out[%c0] : memref<2xf32>
        %y = arith.addf %warp, %x : f32
        memref.store %y, %out[%c1] : memref<2xf32>
      }
      gpu.return
    }

    gpu.func @memories(%out: memref<48xf32>) workgroup(%fixed: memref<48xf32, #gpu.address_space<workgroup>>)
        private(%mine: memref<2xf32, #gpu.address_space<private>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c47 = arith.constant 47 : index
      %t = gpu.thread_id x
      %two = arith.constant 2.0 : f32
      %five = arith.constant 5.0 : f32
      %eight = func.call @cube(%two) : (f32) -> f32
      %much = func.call @cube(%five) : (f32) -> f32
      %dynamic = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %view = memref.view %dynamic[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<48xf32, #gpu.address_space<workgroup>>
      memref.store %eight, %mine[%c1] : memref<2xf32, #gpu.address_space<private>>
      memref.store %much, %fixed[%t] : memref<48xf32, #gpu.address_space<workgroup>>
      %three = arith.constant 3.0 : f32
      %own = memref.load %mine[%c1] : memref<2xf32, #gpu.address_space<private>>
      %less = arith.subf %own, %three : f32
      memref.store %less, %view[%t] : memref<48xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %other = arith.subi %c47, %t : index
      %a = memref.load %fixed[%other] : memref<48xf32, #gpu.address_space<workgroup>>
      %b = memref.load %view[%other] : memref<48xf32, #gpu.address_space<workgroup>>
      %sum = arith.addf %a, %b : f32
      memref.store %sum, %out[%t] : memref<48xf32>
      gpu.return
    }

    // Sums 8 tiles of 64 values; the next tile is copied while one is summed.
    gpu.func @pipeline(%in: memref<8x64xi32>, %out: memref<64xi32>)
        workgroup(%stages: memref<2x64xi32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c7 = arith.constant 7 : index
      %c8 = arith.constant 8 : index
      %c63 = arith.constant 63 : index
      %none = arith.constant 0 : i32
      %t = gpu.thread_id x
      %other = arith.subi %c63, %t : index
      %t0 = nvgpu.device_async_copy %in[%c0, %t], %stages[%c0, %t], 1 : memref<8x64xi32> to memref<2x64xi32, #gpu.address_space<workgroup>>
      %g0 = nvgpu.device_async_create_group %t0
      %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%before = %none) -> i32 {
        %here = arith.remui %i, %c2 : index
        %there = arith.subi %c1, %here : index
        %following = arith.addi %i, %c1 : index
        %index = arith.minui %following, %c7 : index
        %t1 = nvgpu.device_async_copy %in[%index, %t], %stages[%there, %t], 1 : memref<8x64xi32> to memref<2x64xi32, #gpu.address_space<workgroup>>
        %g1 = nvgpu.device_async_create_group %t1
        nvgpu.device_async_wait %g1 {numGroups = 1 : i32}
        gpu.barrier
        %v = memref.load %stages[%here, %other] : memref<2x64xi32, #gpu.address_space<workgroup>>
        %after = arith.addi %before, %v : i32
        gpu.barrier
        scf.yield %after : i32
      }
      nvvm.cp.async.wait.group 0
      memref.store %sum, %out[%t] : memref<64xi32>
      gpu.return
    }

    gpu.func @functions(%out: memref<6xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %t = gpu.thread_id x
      %n = arith.index_cast %t : index to i32
      %x = arith.sitofp %n : i32 to f32 // 1, opaque to LLVM
      %two = arith.addf %x, %x : f32
      %four = arith.addf %two, %two : f32
      %eight = arith.addf %four, %four : f32
      %nine = arith.addf %eight, %x : f32
      %a = math.exp %x : f32
      %b = math.tanh %x : f32
      %c = math.rsqrt %four : f32
      %d = math.sqrt %nine : f32
      %e = math.sin %two : f32
      %f = math.powf %two, %d : f32
      %mine = arith.cmpi eq, %t, %c1 : index
      scf.if %mine {
        memref.store %a, %out[%c0] : memref<6xf32>
        memref.store %b, %out[%c1] : memref<6xf32>
        memref.store %c, %out[%c2] : memref<6xf32>
        memref.store %d, %out[%c3] : memref<6xf32>
        memref.store %e, %out[%c4] : memref<6xf32>
        memref.store %f, %out[%c5] : memref<6xf32>
      }
      gpu.return
    }

    // sqrt(6) in f16 is 2.44921875; 3 + 0.140625 is exact in bf16.
    gpu.func @half_precision(%out: memref<2xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %two = arith.constant 2.0 : f16
      %three = arith.constant 3.0 : f16
      %six = arith.mulf %two, %three : f16
      %root = math.sqrt %six : f16
      %a = arith.extf %root : f16 to f32
      %x = arith.constant 3.0 : bf16
      %y = arith.constant 0.140625 : bf16
      %z = arith.addf %x, %y : bf16
      %b = arith.extf %z : bf16 to f32
      memref.store %a, %out[%c0] : memref<2xf32>
      memref.store %b, %out[%c1] : memref<2xf32>
      gpu.return
    }

    gpu.func @add(%buffer: memref<8xf32>, %offset: index) kernel {
      %four = arith.constant 4.0 : f32
      %t = gpu.thread_id x
      %i = arith.addi %t, %offset : index
      %v = memref.load %buffer[%i] : memref<8xf32>
      %w = arith.addf %v, %four : f32
      memref.store %w, %buffer[%i] : memref<8xf32>
      gpu.return
    }

    gpu.func @print() kernel {
      %t = gpu.thread_id x
      %n = arith.index_cast %t : index to i32
      %x = arith.sitofp %n : i32 to f32
      %y = arith.extf %x : f32 to f64
      gpu.printf "100%% of thread %lld: %d %5.2f\n", %t, %n, %y : index, i32, f64
      gpu.return
    }

    gpu.func @assertion(%limit: i32) kernel {
      %t = gpu.thread_id x
      %n = arith.index_cast %t : index to i32
      %small = arith.cmpi slt, %n, %limit : i32
      cf.assert %small, "the thread is beyond the limit"
      gpu.return
    }

    gpu.func @sized() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      gpu.return
    }

    gpu.func @dynamic() kernel {
      gpu.return
    }
  }

  func.func @reductions() -> memref<2xf32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %out = memref.alloc() : memref<2xf32>
    gpu.launch_func @kernels::@reductions blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%out : memref<2xf32>)
    return %out : memref<2xf32>
  }

  func.func @memories() -> memref<48xf32> {
    %c1 = arith.constant 1 : index
    %c48 = arith.constant 48 : index
    %bytes = arith.constant 192 : i32
    %out = memref.alloc() : memref<48xf32>
    gpu.launch_func @kernels::@memories blocks in (%c1, %c1, %c1) threads in (%c48, %c1, %c1)
        dynamic_shared_memory_size %bytes args(%out : memref<48xf32>)
    return %out : memref<48xf32>
  }

  // The number of incorrect sums.
  func.func @pipeline() -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %none = arith.constant 0 : i32
    %in = memref.alloc() : memref<8x64xi32>
    %out = memref.alloc() : memref<64xi32>
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c64 step %c1 {
        %p = arith.muli %i, %j : index
        %v = arith.index_cast %p : index to i32
        memref.store %v, %in[%i, %j] : memref<8x64xi32>
      }
    }
    gpu.launch_func @kernels::@pipeline blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%in : memref<8x64xi32>, %out : memref<64xi32>)
    %wrong = scf.for %j = %c0 to %c64 step %c1 iter_args(%before = %none) -> i32 {
      %other = arith.subi %c63, %j : index
      %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %none) -> i32 {
        %v = memref.load %in[%i, %other] : memref<8x64xi32>
        %t = arith.addi %s, %v : i32
        scf.yield %t : i32
      }
      %got = memref.load %out[%j] : memref<64xi32>
      %differs = arith.cmpi ne, %got, %sum : i32
      %d = arith.extui %differs : i1 to i32
      %after = arith.addi %before, %d : i32
      scf.yield %after : i32
    }
    return %wrong : i32
  }

  func.func @functions() -> memref<6xf32> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %out = memref.alloc() : memref<6xf32>
    gpu.launch_func @kernels::@functions blocks in (%c1, %c1, %c1) threads in (%c2, %c1, %c1)
        args(%out : memref<6xf32>)
    return %out : memref<6xf32>
  }

  func.func @half_precision() -> memref<2xf32> {
    %c1 = arith.constant 1 : index
    %out = memref.alloc() : memref<2xf32>
    gpu.launch_func @kernels::@half_precision blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%out : memref<2xf32>)
    return %out : memref<2xf32>
  }

  // Memory of the device, on two streams.
  func.func @buffers() -> memref<8xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %three = arith.constant 3.0 : f32
    %out = memref.alloc() : memref<8xf32>
    %start = gpu.wait async
    %other = gpu.wait async
    %device, %allocated = gpu.alloc async [%start] () : memref<8xf32>
    %filled = gpu.memset async [%allocated] %device, %three : memref<8xf32>, f32
    %both = gpu.wait async [%filled, %other]
    %launched = gpu.launch_func async [%both] @kernels::@add blocks in (%c1, %c1, %c1)
        threads in (%c4, %c1, %c1) args(%device : memref<8xf32>, %c4 : index)
    %copied = gpu.memcpy async [%launched] %out, %device : memref<8xf32>, memref<8xf32>
    %freed = gpu.dealloc async [%copied] %device : memref<8xf32>
    gpu.wait [%freed]
    return %out : memref<8xf32>
  }

  func.func @unwritten_buffer() -> memref<4xf32> {
    %out = memref.alloc() : memref<4xf32>
    %start = gpu.wait async
    %device, %allocated = gpu.alloc async [%start] () : memref<4xf32>
    %copied = gpu.memcpy async [%allocated] %out, %device : memref<4xf32>, memref<4xf32>
    gpu.wait [%copied]
    return %out : memref<4xf32>
  }

  // PRINT: 100% of thread 0: 0  0.00
  // PRINT-NEXT: 100% of thread 1: 1  1.00
  func.func @print() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    gpu.launch_func @kernels::@print blocks in (%c1, %c1, %c1) threads in (%c2, %c1, %c1)
    return
  }

  // ASSERT: FAILED_PRECONDITION: assertion failed in kernel `kernels::assertion`: the thread is beyond the limit, at {{.*}}device.mlir:[[#@LINE-122]]:7 in block (0,0,0) thread (7,0,0)
  func.func @assertion(%limit: i32) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    gpu.launch_func @kernels::@assertion blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%limit : i32)
    return
  }

  // THREADS: INVALID_ARGUMENT: launch of kernel `kernels::sized`: expects at most 1024 threads in a block and 64 in z, but got (1025,1,1), at {{.*}}device.mlir:[[#@LINE+6]]:5
  // EMPTY: INVALID_ARGUMENT: launch of kernel `kernels::sized`: expects sizes of at least 1, but got a grid of (1,1,1) blocks of (0,1,1) threads, at
  // SIZE: INVALID_ARGUMENT: launch of kernel `kernels::sized`: the kernel is compiled for blocks of (32,1,1) threads, but got (64,1,1), at
  func.func @launch(%size: i32) {
    %c1 = arith.constant 1 : index
    %threads = arith.index_cast %size : i32 to index
    gpu.launch_func @kernels::@sized blocks in (%c1, %c1, %c1) threads in (%threads, %c1, %c1)
    return
  }

  // SHARED: INVALID_ARGUMENT: launch of kernel `kernels::dynamic`: expects at most 232448 bytes of shared memory in a block, but got 0 static and 232449 dynamic, at {{.*}}device.mlir:[[#@LINE+3]]:5
  func.func @launch_shared(%bytes: i32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@dynamic blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        dynamic_shared_memory_size %bytes
    return
  }
}
