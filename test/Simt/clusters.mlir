// Clusters: ids, cluster barriers, shared memory of other blocks, and mbarriers that count arrivals and bytes. Each kernel
// computes the same values in every schedule, and the checker reports nothing.
// REQUIRES: rnn-run
// DEFINE: %{run} = rnn-run %s --target=simt
// RUN: %{run} --function=ids --expected-output=8xi32=[0,1,10,11,120,121,130,131] | FileCheck %s
// RUN: %{run} --function=ids --simt-schedule=reverse --expected-output=8xi32=[0,1,10,11,120,121,130,131] | FileCheck %s
// RUN: %{run} --function=ids --simt-schedule=random:5 --expected-output=8xi32=[0,1,10,11,120,121,130,131] | FileCheck %s
// RUN: %{run} --function=neighbours --expected-output=128xf32=3 --simt-check | FileCheck %s
// RUN: %{run} --function=neighbours --expected-output=128xf32=3 --simt-check --simt-schedule=reverse | FileCheck %s
// RUN: %{run} --function=neighbours --expected-output=128xf32=3 --simt-check --simt-schedule=random:3 | FileCheck %s
// RUN: %{run} --function=ring --input=7 --expected-output=128xf32=7 --simt-check | FileCheck %s
// RUN: %{run} --function=ring --input=7 --expected-output=128xf32=7 --simt-check --simt-schedule=reverse | FileCheck %s
// RUN: %{run} --function=ring --input=7 --expected-output=128xf32=7 --simt-check --simt-schedule=random:1 | FileCheck %s
// RUN: %{run} --function=ring --input=8 --expected-output=128xf32=8 --simt-schedule=random:2 | FileCheck %s
// RUN: %{run} --function=ring --input=0 --expected-output=128xf32=0 | FileCheck %s
// RUN: %{run} --function=remote_arrivals --expected-output=128xf32=2 --simt-check | FileCheck %s
// RUN: %{run} --function=remote_arrivals --expected-output=128xf32=2 --simt-check --simt-schedule=reverse | FileCheck %s
// RUN: %{run} --function=remote_arrivals --expected-output=128xf32=2 --simt-check --simt-schedule=random:4 | FileCheck %s
// RUN: %{run} --function=tokens --expected-output=128xf32=64 --simt-check | FileCheck %s
// RUN: %{run} --function=tokens --expected-output=128xf32=64 --simt-check --simt-schedule=random:4 | FileCheck %s
// RUN: %{run} --function=wide --expected-output=4xi32=[1,2,3,0] --simt-check | FileCheck %s
// RUN: not %{run} --function=too_large 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not %{run} --function=no_multiple 2>&1 | FileCheck %s --check-prefix=MULTIPLE
// RUN: not %{run} --function=other_size 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: env RNNRT_TRACE=dispatch %{run} --function=neighbours --expected-output=128xf32=3 2>&1 | FileCheck %s --check-prefix=TRACE
// TRACE: kernel=kernels::neighbours grid=4x1x1 block=32x1x1 cluster=2x1x1 schedule=fifo,OK
// CHECK: all results are as expected
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x f32>
    llvm.mlir.global internal @slots() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
    llvm.mlir.global internal @quads() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x i32>
    llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<2 x i64>

    // 100 times the cluster in y and 10 in x, plus 20 per rank if the rank does not match its coordinates.
    gpu.func @ids(%out: memref<8xi32>) kernel attributes {known_cluster_size = array<i32: 2, 1, 1>} {
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c10 = arith.constant 10 : i32
      %c120 = arith.constant 120 : i32
      %x = gpu.cluster_id x
      %y = gpu.cluster_id y
      %block = gpu.cluster_block_id x
      %size = gpu.cluster_dim_blocks x
      %clusters = gpu.cluster_dim x
      %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
      %xi = arith.index_cast %x : index to i32
      %yi = arith.index_cast %y : index to i32
      %bx = gpu.block_id x
      %grid = arith.muli %size, %clusters : index
      %row = arith.muli %y, %grid : index
      %at = arith.addi %row, %bx : index
      %tens = arith.muli %xi, %c10 : i32
      %hundreds = arith.muli %yi, %c120 : i32
      %a = arith.addi %tens, %hundreds : i32
      %blocki = arith.index_cast %block : index to i32
      %b = arith.addi %a, %blocki : i32
      %wrong = arith.subi %rank, %blocki : i32
      %c = arith.addi %b, %wrong : i32
      memref.store %c, %out[%at] : memref<8xi32>
      gpu.return
    }

    // Each block of a cluster sends its rank plus one to the other, which adds its own.
    gpu.func @neighbours(%out: memref<128xf32>) kernel attributes {known_cluster_size = array<i32: 2, 1, 1>} {
      %one = arith.constant 1 : i32
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
      %next = arith.addi %rank, %one : i32
      %v = arith.sitofp %next : i32 to f32
      %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
      %mine = llvm.getelementptr %tile[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
      llvm.store %v, %mine : f32, !llvm.ptr<3>
      nvvm.cluster.arrive {aligned}
      nvvm.cluster.wait {aligned}
      %other = arith.xori %rank, %one : i32
      %there = nvvm.mapa %mine, %other : !llvm.ptr<3> -> !llvm.ptr<7>
      %w = llvm.load %there : !llvm.ptr<7> -> f32
      %sum = arith.addf %v, %w : f32
      %i = gpu.global_id x
      memref.store %sum, %out[%i] : memref<128xf32>
      // The other block may still be reading.
      nvvm.cluster.arrive
      nvvm.cluster.wait
      gpu.return
    }

    // In each step, each thread sends its value plus one to the next block, to two alternating slots. A block sends again
    // only after it has received, so no unread value is overwritten.
    gpu.func @ring(%out: memref<128xf32>, %steps: index) kernel attributes {known_cluster_size = array<i32: 2, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 128 : i32
      %threads = arith.constant 32 : i32
      %f0 = arith.constant 0.0 : f32
      %f1 = arith.constant 1.0 : f32
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
      %other = arith.xori %rank, %one : i32
      %bars = llvm.mlir.addressof @bars : !llvm.ptr<3>
      %slots = llvm.mlir.addressof @slots : !llvm.ptr<3>
      %bar1 = llvm.getelementptr %bars[%one] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
      %first = arith.cmpi eq, %thread, %zero : i32
      scf.if %first {
        nvvm.mbarrier.init %bars, %one : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %bar1, %one : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
      }
      nvvm.cluster.arrive.relaxed {aligned}
      nvvm.cluster.wait {aligned}
      %last = scf.for %step = %c0 to %steps step %c1 iter_args(%v = %f0) -> (f32) {
        %s = arith.index_cast %step : index to i32
        %turn = arith.andi %s, %one : i32
        %use = arith.shrui %s, %one : i32
        %parity = arith.andi %use, %one : i32
        %bar = llvm.getelementptr %bars[%turn] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        scf.if %first {
          nvvm.mbarrier.arrive.expect_tx %bar, %bytes {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32
        }
        %w = arith.addf %v, %f1 : f32
        %offset = arith.muli %turn, %threads : i32
        %place = arith.addi %offset, %thread : i32
        %slot = llvm.getelementptr %slots[%place] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
        %to = nvvm.mapa %slot, %other : !llvm.ptr<3> -> !llvm.ptr<7>
        %counter = nvvm.mapa %bar, %other : !llvm.ptr<3> -> !llvm.ptr<7>
        rnngpu.store_async %w to %to counted by %counter : f32
        scf.while : () -> () {
          %done = nvvm.mbarrier.try_wait %bar, %parity {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
          %true = arith.constant true
          %again = arith.xori %done, %true : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
        %got = llvm.load %slot : !llvm.ptr<3> -> f32
        scf.yield %got : f32
      }
      %i = gpu.global_id x
      memref.store %last, %out[%i] : memref<128xf32>
      nvvm.cluster.arrive {aligned}
      nvvm.cluster.wait {aligned}
      gpu.return
    }

    // Plain stores to the other block, and an arrival at its mbarrier that orders them.
    gpu.func @remote_arrivals(%out: memref<128xf32>) kernel attributes {known_cluster_size = array<i32: 2, 1, 1>} {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %all = arith.constant 32 : i32
      %v = arith.constant 2.0 : f32
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
      %other = arith.xori %rank, %one : i32
      %bars = llvm.mlir.addressof @bars : !llvm.ptr<3>
      %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
      %first = arith.cmpi eq, %thread, %zero : i32
      scf.if %first {
        nvvm.mbarrier.init %bars, %all : !llvm.ptr<3>, i32
      }
      nvvm.cluster.arrive
      nvvm.cluster.wait
      %mine = llvm.getelementptr %tile[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
      %there = nvvm.mapa %mine, %other : !llvm.ptr<3> -> !llvm.ptr<7>
      llvm.store %v, %there : f32, !llvm.ptr<7>
      %counter = nvvm.mapa %bars, %other : !llvm.ptr<3> -> !llvm.ptr<7>
      nvvm.mbarrier.arrive %counter {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
      scf.while : () -> () {
        %done = nvvm.mbarrier.test.wait %bars, %zero {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
        %true = arith.constant true
        %again = arith.xori %done, %true : i1
        scf.condition(%again)
      } do {
        scf.yield
      }
      %w = llvm.load %mine : !llvm.ptr<3> -> f32
      %i = gpu.global_id x
      memref.store %w, %out[%i] : memref<128xf32>
      nvvm.cluster.arrive
      nvvm.cluster.wait
      gpu.return
    }

    // An mbarrier within a block, without a cluster: threads arrive twice and wait for the phase that the arrival returned.
    // Between the phases each reads what its neighbour wrote.
    gpu.func @tokens(%out: memref<128xf32>) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %all = arith.constant 32 : i32
      %parity = arith.constant 1 : i32
      %ticks = arith.constant 1000 : i32
      %f32 = arith.constant 32.0 : f32
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %bars = llvm.mlir.addressof @bars : !llvm.ptr<3>
      %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
      %first = arith.cmpi eq, %thread, %zero : i32
      nvvm.mbarrier.init %bars, %all, predicate = %first : !llvm.ptr<3>, i32, i1
      nvvm.barrier0
      %mine = llvm.getelementptr %tile[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
      %next = arith.xori %thread, %one : i32
      %theirs = llvm.getelementptr %tile[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
      llvm.store %f32, %mine : f32, !llvm.ptr<3>
      %state = nvvm.mbarrier.arrive %bars : !llvm.ptr<3> -> i64
      scf.while : () -> () {
        %done = nvvm.mbarrier.try_wait %bars, %state : !llvm.ptr<3>, i64 -> i1
        %true = arith.constant true
        %again = arith.xori %done, %true : i1
        scf.condition(%again)
      } do {
        scf.yield
      }
      %v = llvm.load %theirs : !llvm.ptr<3> -> f32
      %sum = arith.addf %v, %f32 : f32
      %ignored = nvvm.mbarrier.arrive %bars : !llvm.ptr<3> -> i64
      nvvm.mbarrier.try_wait.parity %bars, %parity, %ticks : !llvm.ptr<3>, i32, i32
      llvm.store %sum, %mine : f32, !llvm.ptr<3>
      %w = llvm.load %mine : !llvm.ptr<3> -> f32
      nvvm.barrier0
      scf.if %first {
        nvvm.mbarrier.inval %bars : !llvm.ptr<3>
      }
      %i = gpu.global_id x
      memref.store %w, %out[%i] : memref<128xf32>
      gpu.return
    }

    // Four values in one store, to the next of four blocks in a cluster that is two blocks wide and two high.
    gpu.func @wide(%out: memref<4xi32>) kernel attributes {known_cluster_size = array<i32: 2, 2, 1>} {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %bytes = arith.constant 16 : i32
      %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
      %size = nvvm.read.ptx.sreg.cluster.nctarank : i32
      %bars = llvm.mlir.addressof @bars : !llvm.ptr<3>
      %quads = llvm.mlir.addressof @quads : !llvm.ptr<3>
      nvvm.mbarrier.init %bars, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %bars, %bytes : !llvm.ptr<3>, i32
      nvvm.cluster.arrive
      nvvm.cluster.wait
      %back = arith.addi %rank, %three : i32
      %to = arith.remui %back, %size : i32
      %there = nvvm.mapa %quads, %to : !llvm.ptr<3> -> !llvm.ptr<7>
      %counter = nvvm.mapa %bars, %to : !llvm.ptr<3> -> !llvm.ptr<7>
      rnngpu.store_async %zero, %one, %rank, %three to %there counted by %counter : i32, i32, i32, i32
      scf.while : () -> () {
        %done = nvvm.mbarrier.try_wait %bars, %zero {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
        %true = arith.constant true
        %again = arith.xori %done, %true : i1
        scf.condition(%again)
      } do {
        scf.yield
      }
      %third = llvm.getelementptr %quads[2] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      %v = llvm.load %third : !llvm.ptr<3> -> i32
      %i = arith.index_cast %rank : i32 to index
      memref.store %v, %out[%i] : memref<4xi32>
      gpu.return
    }
  }

  func.func @ids() -> memref<8xi32> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %out = memref.alloc() : memref<8xi32>
    gpu.launch_func @kernels::@ids clusters in (%c2, %c1, %c1) blocks in (%c4, %c2, %c1) threads in (%c1, %c1, %c1)
        args(%out : memref<8xi32>)
    return %out : memref<8xi32>
  }

  func.func @neighbours() -> memref<128xf32> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %out = memref.alloc() : memref<128xf32>
    gpu.launch_func @kernels::@neighbours clusters in (%c2, %c1, %c1) blocks in (%c4, %c1, %c1)
        threads in (%c32, %c1, %c1) args(%out : memref<128xf32>)
    return %out : memref<128xf32>
  }

  func.func @ring(%steps: index) -> memref<128xf32> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %out = memref.alloc() : memref<128xf32>
    gpu.launch_func @kernels::@ring clusters in (%c2, %c1, %c1) blocks in (%c4, %c1, %c1)
        threads in (%c32, %c1, %c1) args(%out : memref<128xf32>, %steps : index)
    return %out : memref<128xf32>
  }

  // The cluster size is the one for which the kernel is compiled.
  func.func @remote_arrivals() -> memref<128xf32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %out = memref.alloc() : memref<128xf32>
    gpu.launch_func @kernels::@remote_arrivals blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%out : memref<128xf32>)
    return %out : memref<128xf32>
  }

  func.func @tokens() -> memref<128xf32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %out = memref.alloc() : memref<128xf32>
    gpu.launch_func @kernels::@tokens blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%out : memref<128xf32>)
    return %out : memref<128xf32>
  }

  func.func @wide() -> memref<4xi32> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %out = memref.alloc() : memref<4xi32>
    gpu.launch_func @kernels::@wide clusters in (%c2, %c2, %c1) blocks in (%c2, %c2, %c1) threads in (%c1, %c1, %c1)
        args(%out : memref<4xi32>)
    return %out : memref<4xi32>
  }

  // LARGE: INVALID_ARGUMENT: launch of kernel `kernels::tokens`: expects at most 16 blocks in a cluster, but got (17,1,1), at {{.*}}clusters.mlir:[[#@LINE+6]]:5
  func.func @too_large() -> memref<128xf32> {
    %c1 = arith.constant 1 : index
    %c17 = arith.constant 17 : index
    %c32 = arith.constant 32 : index
    %out = memref.alloc() : memref<128xf32>
    gpu.launch_func @kernels::@tokens clusters in (%c17, %c1, %c1) blocks in (%c17, %c1, %c1)
        threads in (%c32, %c1, %c1) args(%out : memref<128xf32>)
    return %out : memref<128xf32>
  }

  // MULTIPLE: INVALID_ARGUMENT: launch of kernel `kernels::neighbours`: expects a grid of whole clusters, but got (3,1,1) blocks for clusters of (2,1,1), at {{.*}}clusters.mlir:[[#@LINE+7]]:5
  func.func @no_multiple() -> memref<128xf32> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c32 = arith.constant 32 : index
    %out = memref.alloc() : memref<128xf32>
    gpu.launch_func @kernels::@neighbours clusters in (%c2, %c1, %c1) blocks in (%c3, %c1, %c1)
        threads in (%c32, %c1, %c1) args(%out : memref<128xf32>)
    return %out : memref<128xf32>
  }

  // OTHER: INVALID_ARGUMENT: launch of kernel `kernels::neighbours`: the kernel is compiled for clusters of (2,1,1) blocks, but got (4,1,1), at {{.*}}clusters.mlir:[[#@LINE+6]]:5
  func.func @other_size() -> memref<128xf32> {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %out = memref.alloc() : memref<128xf32>
    gpu.launch_func @kernels::@neighbours clusters in (%c4, %c1, %c1) blocks in (%c4, %c1, %c1)
        threads in (%c32, %c1, %c1) args(%out : memref<128xf32>)
    return %out : memref<128xf32>
  }
}
