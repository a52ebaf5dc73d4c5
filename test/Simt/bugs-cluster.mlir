// Incorrect uses of clusters, and the emulator's report of each. The kernel sends values to the other block of its cluster in
// four steps; the argument selects the bug, 0 selects none.
// REQUIRES: rnn-run
// RUN: rnn-run %s --target=simt --input=0 --expected-output=64xf32=4 --simt-check | FileCheck %s --check-prefix=RIGHT
// RIGHT: all results are as expected
// RUN: not rnn-run %s --target=simt --input=1 2>&1 | FileCheck %s --check-prefix=EARLY-PASS
// RUN: not rnn-run %s --target=simt --input=1 --simt-check 2>&1 | FileCheck %s --check-prefix=EARLY-PASS-CHECK
// RUN: not rnn-run %s --target=simt --input=2 2>&1 | FileCheck %s --check-prefix=NEXT-PHASE
// RUN: not rnn-run %s --target=simt --input=3 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not rnn-run %s --target=simt --input=3 --simt-check 2>&1 | FileCheck %s --check-prefix=SHORT-CHECK
// RUN: not rnn-run %s --target=simt --input=3 --simt-schedule=reverse 2>&1 | FileCheck %s --check-prefix=SHORT-REVERSE
// RUN: not rnn-run %s --target=simt --input=4 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not rnn-run %s --target=simt --input=5 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: not rnn-run %s --target=simt --input=6 --simt-check 2>&1 | FileCheck %s --check-prefix=REUSE
// RUN: not rnn-run %s --target=simt --input=6 --simt-check --simt-schedule=random:1 2>&1 | FileCheck %s --check-prefix=REUSE-RANDOM
// RUN: not rnn-run %s --target=simt --input=7 --simt-check 2>&1 | FileCheck %s --check-prefix=NO-END
// RUN: not rnn-run %s --target=simt --input=7 --simt-check --simt-schedule=reverse 2>&1 | FileCheck %s --check-prefix=NO-END-REVERSE
// RUN: not rnn-run %s --target=simt --input=8 --simt-check 2>&1 | FileCheck %s --check-prefix=NO-START
// RUN: not rnn-run %s --target=simt --input=9 --simt-check 2>&1 | FileCheck %s --check-prefix=BLOCK-SCOPE
// RUN: not rnn-run %s --target=simt --input=10 2>&1 | FileCheck %s --check-prefix=NEVER-WAITED
// RUN: not rnn-run %s --target=simt --input=11 2>&1 | FileCheck %s --check-prefix=WRONG-OWNER
// RUN: not rnn-run %s --target=simt --input=12 --simt-check 2>&1 | FileCheck %s --check-prefix=WRONG-SLOT
// RUN: not rnn-run %s --target=simt --input=13 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not rnn-run %s --target=simt --input=14 2>&1 | FileCheck %s --check-prefix=TWO-OWNERS
// RUN: not rnn-run %s --target=simt --input=15 --simt-check 2>&1 | FileCheck %s --check-prefix=PLAIN-LOAD
// RUN: not rnn-run %s --target=simt --input=16 2>&1 | FileCheck %s --check-prefix=SOME
// RUN: not rnn-run %s --target=simt --input=17 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not rnn-run %s --target=simt --input=18 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not rnn-run %s --target=simt --input=19 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not rnn-run %s --target=simt --input=20 2>&1 | FileCheck %s --check-prefix=REMOTE-WAIT
// RUN: not rnn-run %s --target=simt --input=21 2>&1 | FileCheck %s --check-prefix=MISALIGNED

// 1: a wait for the wrong parity: the phase before the first is over from the start.
// EARLY-PASS: FAILED_PRECONDITION: misused mbarrier in kernel `kernels::exchange`: expects at most 0 more arrivals in this phase, but got 1, at the mbarrier at offset 0 of block (0,0,0) (phase 0, 0 arrivals and 256 bytes are missing), at {{.*}}bugs-cluster.mlir:[[#@LINE+152]]:13 in block (0,0,0) thread (0,0,0)
// EARLY-PASS-CHECK: FAILED_PRECONDITION: uninitialised shared memory in kernel `kernels::exchange`: load of 4 bytes at offset 140, which no thread has written, at {{.*}}bugs-cluster.mlir:[[#@LINE+205]]:20 in block (1,0,0) thread (31,0,0)
// 2: a wait for the phase after the last.
// NEXT-PHASE: FAILED_PRECONDITION: deadlock in kernel `kernels::exchange`: block (0,0,0) threads 0 to 31 wait for the mbarrier at offset 0 of block (0,0,0) (phase 1, 1 arrivals and 0 bytes are missing) at {{.*}}bugs-cluster.mlir:[[#@LINE+197]]:13; block (1,0,0) threads 0 to 31 wait for the mbarrier at offset 0 of block (1,0,0) (phase 1, 1 arrivals and 0 bytes are missing) at {{.*}}bugs-cluster.mlir:[[#@LINE+197]]:13
// 3: half of the bytes are expected, so the phase ends when half of them have arrived.
// SHORT: FAILED_PRECONDITION: deadlock in kernel `kernels::exchange`: block (0,0,0) threads 0 to 0 have exited; block (0,0,0) threads 1 to 31 wait for the mbarrier at offset 0 of block (0,0,0) (phase 2, 1 arrivals and 0 bytes are missing) at {{.*}}bugs-cluster.mlir:[[#@LINE+187]]:23; block (1,0,0) threads 0 to 31 wait for the mbarrier at offset 8 of block (1,0,0) (phase 0, 0 arrivals and 56 bytes are missing) at {{.*}}bugs-cluster.mlir:[[#@LINE+187]]:23
// SHORT-CHECK: FAILED_PRECONDITION: data race in kernel `kernels::exchange`: load of 4 bytes of shared memory at offset 80 is not ordered after the asynchronous store by block (0,0,0) thread (16,0,0) at {{.*}}bugs-cluster.mlir:[[#@LINE+168]]:9, at {{.*}}bugs-cluster.mlir:[[#@LINE+200]]:20 in block (1,0,0) thread (16,0,0)
// SHORT-REVERSE: FAILED_PRECONDITION: deadlock in kernel `kernels::exchange`: block (0,0,0) threads 0 to 31 have exited; block (1,0,0) threads 0 to 31 wait for the mbarrier at offset 8 of block (1,0,0) (phase 0, 0 arrivals and -192 bytes are missing) at {{.*}}bugs-cluster.mlir:[[#@LINE+185]]:23
// 4: more bytes are expected than are sent.
// LONG: FAILED_PRECONDITION: deadlock in kernel `kernels::exchange`: block (0,0,0) threads 0 to 31 wait for the mbarrier at offset 0 of block (0,0,0) (phase 0, 0 arrivals and 64 bytes are missing) at {{.*}}bugs-cluster.mlir:[[#@LINE+183]]:23; block (1,0,0) threads 0 to 31 wait for the mbarrier at offset 0 of block (1,0,0) (phase 0, 0 arrivals and 64 bytes are missing) at {{.*}}bugs-cluster.mlir:[[#@LINE+183]]:23
// 5: no thread expects bytes and arrives.
// SILENT: FAILED_PRECONDITION: deadlock in kernel `kernels::exchange`: block (0,0,0) threads 0 to 31 wait for the mbarrier at offset 0 of block (0,0,0) (phase 0, 1 arrivals and -128 bytes are missing) at {{.*}}bugs-cluster.mlir:[[#@LINE+181]]:23; block (1,0,0) threads 0 to 31 wait for the mbarrier at offset 0 of block (1,0,0) (phase 0, 1 arrivals and -128 bytes are missing) at {{.*}}bugs-cluster.mlir:[[#@LINE+181]]:23
// 6: one slot for all steps: a block overwrites a value that the other has not read yet.
// REUSE: FAILED_PRECONDITION: data race in kernel `kernels::exchange`: asynchronous store of 4 bytes of shared memory of block (0,0,0) at offset 16 is not ordered after the asynchronous store by block (1,0,0) thread (0,0,0) at {{.*}}bugs-cluster.mlir:[[#@LINE+161]]:9, at {{.*}}bugs-cluster.mlir:[[#@LINE+161]]:9 in block (1,0,0) thread (0,0,0)
// REUSE-RANDOM: FAILED_PRECONDITION: data race in kernel `kernels::exchange`: asynchronous store of 4 bytes of shared memory of block (1,0,0) at offset 124 is not ordered after the asynchronous store by block (0,0,0) thread (27,0,0) at {{.*}}bugs-cluster.mlir:[[#@LINE+160]]:9, at {{.*}}bugs-cluster.mlir:[[#@LINE+160]]:9 in block (0,0,0) thread (27,0,0)
// 7: no cluster barrier at the end: a block ends while its memory is still read.
// NO-END: FAILED_PRECONDITION: access to an ended block in kernel `kernels::exchange`: load in the shared memory of block (0,0,0), all of whose threads have exited; let them wait at the barrier of the cluster first, at {{.*}}bugs-cluster.mlir:[[#@LINE+200]]:14 in block (1,0,0) thread (0,0,0)
// NO-END-REVERSE: FAILED_PRECONDITION: data race in kernel `kernels::exchange`: the end of the block is not ordered after the load of shared memory at offset 16 by block (0,0,0) thread (0,0,0) at {{.*}}bugs-cluster.mlir:[[#@LINE+199]]:14; let the blocks wait at the barrier of the cluster first, at the end of the kernel in block (1,0,0) thread (0,0,0)
// 8: mbarriers are used before they are initialised.
// NO-START: FAILED_PRECONDITION: data race in kernel `kernels::exchange`: atomic of 8 bytes of shared memory of block (1,0,0) at offset 0 is not ordered after the store by block (1,0,0) thread (0,0,0) at {{.*}}bugs-cluster.mlir:[[#@LINE+97]]:9, at {{.*}}bugs-cluster.mlir:[[#@LINE+155]]:9 in block (0,0,0) thread (0,0,0)
// 9: the wait has block scope, so it acquires only values of its own block.
// BLOCK-SCOPE: FAILED_PRECONDITION: data race in kernel `kernels::exchange`: load of 4 bytes of shared memory at offset 16 is not ordered after the asynchronous store by block (0,0,0) thread (0,0,0) at {{.*}}bugs-cluster.mlir:[[#@LINE+153]]:9, at {{.*}}bugs-cluster.mlir:[[#@LINE+185]]:20 in block (1,0,0) thread (0,0,0)
// 10: no wait for the last values.
// NEVER-WAITED: FAILED_PRECONDITION: access to an ended block in kernel `kernels::exchange`: asynchronous store in the shared memory of block (1,0,0), all of whose threads have exited; let them wait at the barrier of the cluster first, at {{.*}}bugs-cluster.mlir:[[#@LINE+151]]:9 in block (0,0,0) thread (0,0,0)
// 11: a block that the cluster does not have.
// WRONG-OWNER: FAILED_PRECONDITION: out of bounds in kernel `kernels::exchange`: mapa to block 3 of a cluster that has 2, at {{.*}}bugs-cluster.mlir:[[#@LINE+143]]:15 in block (1,0,0) thread (31,0,0)
// 12: a store to an offset that is not read.
// WRONG-SLOT: FAILED_PRECONDITION: uninitialised shared memory in kernel `kernels::exchange`: load of 4 bytes at offset 16, which no thread has written, at {{.*}}bugs-cluster.mlir:[[#@LINE+179]]:20 in block (1,0,0) thread (0,0,0)
// 13: an address outside of the shared memory of a block.
// OUTSIDE: FAILED_PRECONDITION: out of bounds in kernel `kernels::exchange`: asynchronous store of 4 bytes outside of the 384 bytes of shared memory of the cluster's blocks, at {{.*}}bugs-cluster.mlir:[[#@LINE+145]]:9 in block (1,0,0) thread (31,0,0)
// 14: data to one block, and the mbarrier of another.
// TWO-OWNERS: FAILED_PRECONDITION: misused mbarrier in kernel `kernels::exchange`: st.async to block (0,0,0) expects an mbarrier of the same block, but got one of block (1,0,0), at {{.*}}bugs-cluster.mlir:[[#@LINE+143]]:9 in block (1,0,0) thread (31,0,0)
// 15: an mbarrier read as a number.
// PLAIN-LOAD: FAILED_PRECONDITION: misused mbarrier in kernel `kernels::exchange`: load of 8 bytes of shared memory at offset 0, where there is an mbarrier, at {{.*}}bugs-cluster.mlir:[[#@LINE+143]]:21 in block (1,0,0) thread (31,0,0)
// 16: one lane alone at an aligned barrier of the cluster.
// SOME: FAILED_PRECONDITION: deadlock in kernel `kernels::exchange`: block (0,0,0) threads 0 to 0 wait for lanes of their warp at {{.*}}bugs-cluster.mlir:[[#@LINE+92]]:11; block (0,0,0) threads 1 to 31 wait at the barrier of the cluster at {{.*}}bugs-cluster.mlir:[[#@LINE+99]]:9; block (1,0,0) threads 0 to 0 wait for lanes of their warp at {{.*}}bugs-cluster.mlir:[[#@LINE+92]]:11; block (1,0,0) threads 1 to 31 wait at the barrier of the cluster at {{.*}}bugs-cluster.mlir:[[#@LINE+99]]:9
// 17: two arrivals without a wait.
// TWICE: FAILED_PRECONDITION: misused cluster barrier in kernel `kernels::exchange`: the thread has arrived before and not waited since, at {{.*}}bugs-cluster.mlir:[[#@LINE+95]]:11 in block (0,0,0) thread (0,0,0)
// 18: a wait without an arrival.
// ABSENT: FAILED_PRECONDITION: misused cluster barrier in kernel `kernels::exchange`: the thread waits, but has not arrived, at {{.*}}bugs-cluster.mlir:[[#@LINE+81]]:9 in block (0,0,0) thread (0,0,0)
// 19: more arrivals than the mbarrier expects.
// MANY: FAILED_PRECONDITION: misused mbarrier in kernel `kernels::exchange`: expects at most 0 more arrivals in this phase, but got 1, at the mbarrier at offset 0 of block (0,0,0) (phase 0, 0 arrivals and 128 bytes are missing), at {{.*}}bugs-cluster.mlir:[[#@LINE+114]]:22 in block (0,0,0) thread (0,0,0)
// 20: a wait at the mbarrier of another block, through a generic pointer.
// REMOTE-WAIT: FAILED_PRECONDITION: misused mbarrier in kernel `kernels::exchange`: a wait expects an mbarrier of the own block, but got one of block (0,0,0), at {{.*}}bugs-cluster.mlir:[[#@LINE+139]]:11 in block (1,0,0) thread (31,0,0)
// 21: a store of 8 bytes to a multiple of 4.
// MISALIGNED: FAILED_PRECONDITION: misaligned access in kernel `kernels::exchange`: st.async of 8 bytes expects an address aligned to as much, at {{.*}}bugs-cluster.mlir:[[#@LINE+127]]:11 in block (1,0,0) thread (31,0,0)

module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.mlir.global internal @slots() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
    llvm.mlir.global internal @bars() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<2 x i64>

    gpu.func @exchange(%out: memref<64xf32>, %bug: i32) kernel attributes {known_cluster_size = array<i32: 2, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %steps = arith.constant 4 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %three = arith.constant 3 : i32
      %threads = arith.constant 32 : i32
      %f0 = arith.constant 0.0 : f32
      %f1 = arith.constant 1.0 : f32
      %true = arith.constant true
      %n1 = arith.constant 1 : i32
      %early_pass = arith.cmpi eq, %bug, %n1 : i32
      %n2 = arith.constant 2 : i32
      %next_phase = arith.cmpi eq, %bug, %n2 : i32
      %n3 = arith.constant 3 : i32
      %short = arith.cmpi eq, %bug, %n3 : i32
      %n4 = arith.constant 4 : i32
      %long = arith.cmpi eq, %bug, %n4 : i32
      %n5 = arith.constant 5 : i32
      %silent = arith.cmpi eq, %bug, %n5 : i32
      %n6 = arith.constant 6 : i32
      %reuse = arith.cmpi eq, %bug, %n6 : i32
      %n7 = arith.constant 7 : i32
      %no_end = arith.cmpi eq, %bug, %n7 : i32
      %n8 = arith.constant 8 : i32
      %no_start = arith.cmpi eq, %bug, %n8 : i32
      %n9 = arith.constant 9 : i32
      %block_scope = arith.cmpi eq, %bug, %n9 : i32
      %n10 = arith.constant 10 : i32
      %never_waited = arith.cmpi eq, %bug, %n10 : i32
      %n11 = arith.constant 11 : i32
      %wrong_owner = arith.cmpi eq, %bug, %n11 : i32
      %n12 = arith.constant 12 : i32
      %wrong_slot = arith.cmpi eq, %bug, %n12 : i32
      %n13 = arith.constant 13 : i32
      %outside = arith.cmpi eq, %bug, %n13 : i32
      %n14 = arith.constant 14 : i32
      %two_owners = arith.cmpi eq, %bug, %n14 : i32
      %n15 = arith.constant 15 : i32
      %plain_load = arith.cmpi eq, %bug, %n15 : i32
      %n16 = arith.constant 16 : i32
      %some = arith.cmpi eq, %bug, %n16 : i32
      %n17 = arith.constant 17 : i32
      %twice = arith.cmpi eq, %bug, %n17 : i32
      %n18 = arith.constant 18 : i32
      %not_arrived = arith.cmpi eq, %bug, %n18 : i32
      %n19 = arith.constant 19 : i32
      %many = arith.cmpi eq, %bug, %n19 : i32
      %n20 = arith.constant 20 : i32
      %remote_wait = arith.cmpi eq, %bug, %n20 : i32
      %n21 = arith.constant 21 : i32
      %misaligned = arith.cmpi eq, %bug, %n21 : i32
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
      %next = arith.xori %rank, %one : i32
      %absent = arith.addi %rank, %two : i32
      %other = arith.select %wrong_owner, %absent, %next : i32
      %bars = llvm.mlir.addressof @bars : !llvm.ptr<3>
      %slots = llvm.mlir.addressof @slots : !llvm.ptr<3>
      %bar1 = llvm.getelementptr %bars[%one] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
      %first = arith.cmpi eq, %thread, %zero : i32
      scf.if %first {
        nvvm.mbarrier.init %bars, %one : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %bar1, %one : !llvm.ptr<3>, i32
      }
      scf.if %not_arrived {
        nvvm.cluster.wait
      }
      scf.if %no_start {
        nvvm.barrier0
      } else {
        %alone = arith.andi %first, %some : i1
        scf.if %alone {
          nvvm.cluster.arrive {aligned}
        } else {
          nvvm.cluster.arrive
        }
        scf.if %twice {
          nvvm.cluster.arrive
        }
        nvvm.cluster.wait
      }
      %c128 = arith.constant 128 : i32
      %c64 = arith.constant 64 : i32
      %c192 = arith.constant 192 : i32
      %bytes0 = arith.select %short, %c64, %c128 : i32
      %bytes = arith.select %long, %c192, %bytes0 : i32
      %last = scf.for %step = %c0 to %steps step %c1 iter_args(%v = %f0) -> (f32) {
        %s = arith.index_cast %step : index to i32
        %turn = arith.andi %s, %one : i32
        %use = arith.shrui %s, %one : i32
        %flip = arith.extui %early_pass : i1 to i32
        %uses = arith.addi %use, %flip : i32
        %parity = arith.andi %uses, %one : i32
        %bar = llvm.getelementptr %bars[%turn] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        scf.if %first {
          scf.if %silent {
          } else {
            nvvm.mbarrier.arrive.expect_tx %bar, %bytes {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32
          }
          scf.if %many {
            %again = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64
          }
        }
        %w = arith.addf %v, %f1 : f32
        %slot_turn = arith.select %reuse, %zero, %turn : i32
        %offset = arith.muli %slot_turn, %threads : i32
        %place = arith.addi %offset, %thread : i32
        %slot = llvm.getelementptr %slots[%place] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
        %reversed = arith.subi %threads, %thread : i32
        %far = arith.constant 1000000 : i32
        %place1 = arith.select %wrong_slot, %reversed, %place : i32
        %place2 = arith.select %outside, %far, %place1 : i32
        %target = llvm.getelementptr %slots[%place2] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
        %to = nvvm.mapa %target, %other : !llvm.ptr<3> -> !llvm.ptr<7>
        %counter_rank = arith.select %two_owners, %rank, %other : i32
        %counter = nvvm.mapa %bar, %counter_rank : !llvm.ptr<3> -> !llvm.ptr<7>
        scf.if %misaligned {
          rnngpu.store_async %w, %w to %to counted by %counter : f32, f32
        }
        rnngpu.store_async %w to %to counted by %counter : f32
        scf.if %plain_load {
          %number = llvm.load %bar : !llvm.ptr<3> -> i64
          llvm.store %number, %bar : i64, !llvm.ptr<3>
        }
        scf.if %remote_wait {
          %generic = llvm.addrspacecast %bar : !llvm.ptr<3> to !llvm.ptr
          %far_bar = nvvm.mapa %generic, %other : !llvm.ptr -> !llvm.ptr
          nvvm.mbarrier.try_wait.parity %far_bar, %zero, %one : !llvm.ptr, i32, i32
        }
        %is_last = arith.cmpi eq, %s, %three : i32
        %skip = arith.andi %is_last, %never_waited : i1
        scf.if %skip {
        } else {
          scf.if %block_scope {
            nvvm.mbarrier.try_wait.parity %bar, %parity, %one : !llvm.ptr<3>, i32, i32
          } else {
            scf.while : () -> () {
              %done = nvvm.mbarrier.try_wait %bar, %parity {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
              %again = arith.xori %done, %true : i1
              scf.condition(%again)
            } do {
              scf.yield
            }
          }
          scf.if %next_phase {
            nvvm.mbarrier.try_wait.parity %bar, %one, %one : !llvm.ptr<3>, i32, i32
          }
        }
        %got = scf.if %skip -> f32 {
          scf.yield %f0 : f32
        } else {
          %value = llvm.load %slot : !llvm.ptr<3> -> f32
          scf.yield %value : f32
        }
        scf.yield %got : f32
      }
      %i = gpu.global_id x
      memref.store %last, %out[%i] : memref<64xf32>
      scf.if %no_end {
        %mine = llvm.getelementptr %slots[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
        %there = nvvm.mapa %mine, %other : !llvm.ptr<3> -> !llvm.ptr<7>
        %w = llvm.load %there : !llvm.ptr<7> -> f32
        memref.store %w, %out[%i] : memref<64xf32>
      }
      gpu.return
    }
  }

  func.func @main(%bug: i32) -> memref<64xf32> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %out = memref.alloc() : memref<64xf32>
    gpu.launch_func @kernels::@exchange clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1)
        threads in (%c32, %c1, %c1) args(%out : memref<64xf32>, %bug : i32)
    return %out : memref<64xf32>
  }
}
