// Bugs in a kernel that gathers states from all blocks of its cluster in every step, as persistent forward kernels do, and the
// emulator's report of each. Two blocks of two warps; a lane sends the states of two units to one of the blocks. The argument
// selects the bug, 0 selects none.
// REQUIRES: rnn-run
// DEFINE: %{run} = rnn-run %s --target=simt --simt-check
// RUN: %{run} --input=0 --expected-output=128xf32=4 | FileCheck %s --check-prefix=RIGHT
// RUN: %{run} --input=0 --expected-output=128xf32=4 --simt-schedule=reverse | FileCheck %s --check-prefix=RIGHT
// RUN: %{run} --input=0 --expected-output=128xf32=4 --simt-schedule=random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: %{run} --input=0 --expected-output=128xf32=4 --simt-schedule=random:2 | FileCheck %s --check-prefix=RIGHT
// RIGHT: all results are as expected
// RUN: not %{run} --input=1 2>&1 | FileCheck %s --check-prefix=ONE-TILE
// RUN: not %{run} --input=2 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not %{run} --input=3 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not %{run} --input=4 2>&1 | FileCheck %s --check-prefix=NO-SYNC
// RUN: not %{run} --input=5 2>&1 | FileCheck %s --check-prefix=LEFT-OUT

// 1: one tile for all steps: states are overwritten while others multiply them.
// ONE-TILE: FAILED_PRECONDITION: data race in kernel `kernels::gather`: asynchronous store of 8 bytes of shared memory at offset 0 is not ordered after the load by block (0,0,0) thread (63,0,0)
// 2: a warp sends the states of a step before it has received those of the step before.
// EARLY: FAILED_PRECONDITION: data race in kernel `kernels::gather`: asynchronous store of 8 bytes of shared memory at offset 0 is not ordered after the load by block (0,0,0) thread (63,0,0)
// 3: a block does not expect the bytes that it sends to itself, so the phase ends too early.
// SHORT: FAILED_PRECONDITION: data race in kernel `kernels::gather`: load of 4 bytes of shared memory at offset 256 is not ordered after the asynchronous store by block (1,0,0) thread (1,0,0)
// 4: a lane sends while other lanes of its warp still read values that the receiver of the message may overwrite.
// NO-SYNC: FAILED_PRECONDITION: data race in kernel `kernels::gather`: asynchronous store of 8 bytes of shared memory at offset 512 is not ordered after the load by block (0,0,0) thread (63,0,0)
// 5: a warp without units sends no message, so no block waits until it has read.
// LEFT-OUT: FAILED_PRECONDITION: data race in kernel `kernels::gather`: asynchronous store of 8 bytes of shared memory of block (1,0,0) at offset 512 is not ordered after the load by block (1,0,0) thread (63,0,0)

module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.mlir.global internal @tiles() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x f32>
    llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<2 x i64>

    gpu.func @gather(%out: memref<128xf32>, %bug: i32) kernel attributes {known_cluster_size = array<i32: 2, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c128 = arith.constant 128 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %three = arith.constant 3 : i32
      %four = arith.constant 4 : i32
      %five = arith.constant 5 : i32
      %units = arith.constant 128 : i32
      %mine = arith.constant 64 : i32
      %warp_threads = arith.constant 32 : i32
      %all = arith.constant -1 : i32
      %true = arith.constant true
      %f0 = arith.constant 0.0 : f32
      %f1 = arith.constant 1.0 : f32
      %share = arith.constant 0.0078125 : f32
      %one_tile = arith.cmpi eq, %bug, %one : i32
      %early = arith.cmpi eq, %bug, %two : i32
      %short = arith.cmpi eq, %bug, %three : i32
      %no_sync = arith.cmpi eq, %bug, %four : i32
      %left_out = arith.cmpi eq, %bug, %five : i32
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
      %tiles = llvm.mlir.addressof @tiles : !llvm.ptr<3>
      %bars = llvm.mlir.addressof @bars : !llvm.ptr<3>
      %bar1 = llvm.getelementptr %bars[%one] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
      %first = arith.cmpi eq, %thread, %zero : i32
      scf.if %first {
        nvvm.mbarrier.init %bars, %one : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %bar1, %one : !llvm.ptr<3>, i32
      }
      // The initial states are zeros.
      scf.for %i = %c0 to %c4 step %c1 {
        %n = arith.index_cast %i : index to i32
        %skip = arith.muli %n, %mine : i32
        %place = arith.addi %skip, %thread : i32
        %to = llvm.getelementptr %tiles[%place] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
        llvm.store %f0, %to : f32, !llvm.ptr<3>
      }
      nvvm.cluster.arrive
      nvvm.cluster.wait
      // Even lanes send to the first block, and odd lanes to the second.
      %odd = arith.andi %thread, %one : i32
      %pair = arith.subi %thread, %odd : i32
      %before = arith.muli %rank, %mine : i32
      %unit = arith.addi %before, %pair : i32
      // With bug 5, the last warp of the second block has no units.
      %other_warp = arith.cmpi uge, %thread, %warp_threads : i32
      %second = arith.cmpi eq, %rank, %one : i32
      %idle0 = arith.andi %other_warp, %second : i1
      %idle = arith.andi %idle0, %left_out : i1
      %busy = arith.xori %idle, %true : i1
      %c512 = arith.constant 512 : i32
      %c256 = arith.constant 256 : i32
      %c384 = arith.constant 384 : i32
      %bytes0 = arith.select %short, %c256, %c512 : i32
      %bytes = arith.select %left_out, %c384, %bytes0 : i32
      %last = scf.for %step = %c0 to %c4 step %c1 iter_args(%old = %f0) -> (f32) {
        %n = arith.index_cast %step : index to i32
        %turn = arith.andi %n, %one : i32
        %previous = arith.xori %turn, %one : i32
        %is_later = arith.cmpi ugt, %n, %zero : i32
        %is_third = arith.cmpi eq, %n, %two : i32
        %does_not_wait = arith.andi %is_third, %early : i1
        %does_wait = arith.xori %does_not_wait, %true : i1
        %waits = arith.andi %is_later, %does_wait : i1
        scf.if %waits {
          %m = arith.subi %n, %one : i32
          %use = arith.shrui %m, %one : i32
          %parity = arith.andi %use, %one : i32
          %bar = llvm.getelementptr %bars[%previous] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          scf.while : () -> () {
            %done = nvvm.mbarrier.try_wait %bar, %parity {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
            %again = arith.xori %done, %true : i1
            scf.condition(%again)
          } do {
            scf.yield
          }
        }
        nvvm.bar.warp.sync %all : i32
        %from_tile = arith.select %one_tile, %zero, %previous : i32
        %from = arith.muli %from_tile, %units : i32
        // The values stay correct, only the order is wrong: the states that are sent early are the old ones.
        %sum = scf.if %does_not_wait -> f32 {
          scf.yield %f0 : f32
        } else {
          %sum = scf.for %k = %c0 to %c128 step %c1 iter_args(%s = %f0) -> (f32) {
            %number = arith.index_cast %k : index to i32
            %place = arith.addi %from, %number : i32
            %there = llvm.getelementptr %tiles[%place] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
            %value = llvm.load %there : !llvm.ptr<3> -> f32
            %next = arith.addf %s, %value : f32
            scf.yield %next : f32
          }
          scf.yield %sum : f32
        }
        %mean = arith.mulf %sum, %share : f32
        %h = arith.addf %mean, %f1 : f32
        %is_last = arith.cmpi eq, %n, %three : i32
        scf.if %is_last {
        } else {
          %own = llvm.getelementptr %bars[%turn] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          scf.if %first {
            nvvm.mbarrier.arrive.expect_tx %own, %bytes {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32
          }
          scf.if %no_sync {
          } else {
            // An MMA and a shuffle also synchronize the lanes, and keep the warps of a block within one step of each other. The
            // checker, which has one timestamp for all readers of an address, then reports nothing.
            nvvm.bar.warp.sync %all : i32
            nvvm.bar.warp.sync %all : i32
            nvvm.bar.warp.sync %all : i32
          }
          %to_tile = arith.select %one_tile, %zero, %turn : i32
          %row = arith.muli %to_tile, %units : i32
          %place = arith.addi %row, %unit : i32
          %slot = llvm.getelementptr %tiles[%place] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
          %to = nvvm.mapa %slot, %odd : !llvm.ptr<3> -> !llvm.ptr<7>
          %counter = nvvm.mapa %own, %odd : !llvm.ptr<3> -> !llvm.ptr<7>
          scf.if %busy {
            rnngpu.store_async %h, %h to %to counted by %counter : f32, f32
          }
        }
        scf.yield %h : f32
      }
      %i = gpu.global_id x
      memref.store %last, %out[%i] : memref<128xf32>
      nvvm.cluster.arrive
      nvvm.cluster.wait
      gpu.return
    }
  }

  func.func @main(%bug: i32) -> memref<128xf32> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %out = memref.alloc() : memref<128xf32>
    gpu.launch_func @kernels::@gather clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1)
        threads in (%c64, %c1, %c1) args(%out : memref<128xf32>, %bug : i32)
    return %out : memref<128xf32>
  }
}
