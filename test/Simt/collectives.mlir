// Exchange between lanes of a warp and threads of a block, and through shared memory, with the results that the PTX ISA specifies. Every schedule
// computes the same.
// REQUIRES: rnn-run
// DEFINE: %{run} = rnn-run %s --target=simt
// RUN: %{run} --function=shuffle | FileCheck %s --check-prefix=SHUFFLE
// RUN: %{run} --function=shuffle --simt-schedule=reverse | FileCheck %s --check-prefix=SHUFFLE
// RUN: %{run} --function=shuffle --simt-schedule=random:3 --simt-check | FileCheck %s --check-prefix=SHUFFLE
// RUN: %{run} --function=vote | FileCheck %s --check-prefix=VOTE
// RUN: %{run} --function=partial_warp | FileCheck %s --check-prefix=PARTIAL
// RUN: %{run} --function=partial_copy --simt-check | FileCheck %s --check-prefix=COPY
// RUN: %{run} --function=match --simt-schedule=random:1 | FileCheck %s --check-prefix=MATCH
// RUN: %{run} --function=redux --simt-check | FileCheck %s --check-prefix=REDUX
// RUN: %{run} --function=lane_masks | FileCheck %s --check-prefix=MASKS
// RUN: %{run} --function=barrier_reductions --simt-schedule=reverse --simt-check | FileCheck %s --check-prefix=BARRIERS
// RUN: %{run} --function=named_barriers --simt-check | FileCheck %s --check-prefix=NAMED
// RUN: %{run} --function=named_barriers --simt-check --simt-schedule=reverse | FileCheck %s --check-prefix=NAMED
// RUN: %{run} --function=warp_sync --simt-check --simt-schedule=random:9 | FileCheck %s --check-prefix=SYNC

// Lane 5 of each: xor 3, up 2, down 28 (past the end: its own), idx 9; then in segments of 8 lanes down 3 (past the end of
// its segment: its own) and whether that was valid.
// SHUFFLE: 6xi32=[6, 3, 5, 9, 5, 0]
func.func @shuffle() -> memref<6xi32> {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %out = memref.alloc() : memref<6xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %lane = arith.index_cast %tx : index to i32
    %w32 = arith.constant 32 : i32
    %i2 = arith.constant 2 : i32
    %i3 = arith.constant 3 : i32
    %i9 = arith.constant 9 : i32
    %i28 = arith.constant 28 : i32
    %a, %pa = gpu.shuffle xor %lane, %i3, %w32 : i32
    %b, %pb = gpu.shuffle up %lane, %i2, %w32 : i32
    %c, %pc = gpu.shuffle down %lane, %i28, %w32 : i32
    %d, %pd = gpu.shuffle idx %lane, %i9, %w32 : i32
    // ((32 - 8) << 8) | 31: segments of 8.
    %all = arith.constant -1 : i32
    %segments = arith.constant 0x181f : i32
    %segmented = nvvm.shfl.sync down %all, %lane, %i3, %segments {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
    %e = llvm.extractvalue %segmented[0] : !llvm.struct<(i32, i1)>
    %pe = llvm.extractvalue %segmented[1] : !llvm.struct<(i32, i1)>
    %valid = arith.extui %pe : i1 to i32
    %mine = arith.cmpi eq, %tx, %c5 : index
    scf.if %mine {
      memref.store %a, %out[%c0] : memref<6xi32>
      memref.store %b, %out[%c1] : memref<6xi32>
      memref.store %c, %out[%c2] : memref<6xi32>
      memref.store %d, %out[%c3] : memref<6xi32>
      memref.store %e, %out[%c4] : memref<6xi32>
      memref.store %valid, %out[%c5] : memref<6xi32>
    }
    gpu.terminator
  }
  return %out : memref<6xi32>
}

// Votes on "lane < 3": any, all, uniform, ballot; and on "lane < 64": all.
// VOTE: 5xi32=[1, 0, 0, 7, 1]
func.func @vote() -> memref<5xi32> {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %out = memref.alloc() : memref<5xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %all = arith.constant -1 : i32
    %few = arith.cmpi ult, %tx, %c3 : index
    %every = arith.cmpi ult, %tx, %c64 : index
    %a = nvvm.vote.sync any %all, %few -> i1
    %b = nvvm.vote.sync all %all, %few -> i1
    %c = nvvm.vote.sync uni %all, %few -> i1
    %d = nvvm.vote.sync ballot %all, %few -> i32
    %e = nvvm.vote.sync all %all, %every -> i1
    %ai = arith.extui %a : i1 to i32
    %bi = arith.extui %b : i1 to i32
    %ci = arith.extui %c : i1 to i32
    %ei = arith.extui %e : i1 to i32
    %first = arith.cmpi eq, %tx, %c0 : index
    scf.if %first {
      memref.store %ai, %out[%c0] : memref<5xi32>
      memref.store %bi, %out[%c1] : memref<5xi32>
      memref.store %ci, %out[%c2] : memref<5xi32>
      memref.store %d, %out[%c3] : memref<5xi32>
      memref.store %ei, %out[%c4] : memref<5xi32>
    }
    gpu.terminator
  }
  return %out : memref<5xi32>
}

// The last warp of 40 threads has 8 lanes, all of which vote.
// PARTIAL: 1xi32=[255]
func.func @partial_warp() -> memref<1xi32> {
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %out = memref.alloc() : memref<1xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c40, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %c33 = arith.constant 33 : index
    %all = arith.constant -1 : i32
    %true = arith.constant true
    %ballot = nvvm.vote.sync ballot %all, %true -> i32
    %mine = arith.cmpi eq, %tx, %c33 : index
    scf.if %mine {
      memref.store %ballot, %out[%c0] : memref<1xi32>
    }
    gpu.terminator
  }
  return %out : memref<1xi32>
}

// Lanes with the remainder 1 modulo 8 (0x02020202); no value that all have; all have 7.
// MATCH: 4xi32=[33686018, 0, 0, -1]
func.func @match() -> memref<4xi32> {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %out = memref.alloc() : memref<4xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %all = arith.constant -1 : i32
    %seven = arith.constant 7 : i32
    %lane = arith.index_cast %tx : index to i32
    %rest = arith.andi %lane, %seven : i32
    %same = nvvm.match.sync any %all, %rest : i32 -> i32
    %none = nvvm.match.sync all %all, %rest : i32 -> !llvm.struct<(i32, i1)>
    %one = nvvm.match.sync all %all, %seven : i32 -> !llvm.struct<(i32, i1)>
    %none_mask = llvm.extractvalue %none[0] : !llvm.struct<(i32, i1)>
    %none_all = llvm.extractvalue %none[1] : !llvm.struct<(i32, i1)>
    %one_mask = llvm.extractvalue %one[0] : !llvm.struct<(i32, i1)>
    %none_wide = arith.extui %none_all : i1 to i32
    %mine = arith.cmpi eq, %tx, %c1 : index
    scf.if %mine {
      memref.store %same, %out[%c0] : memref<4xi32>
      memref.store %none_mask, %out[%c1] : memref<4xi32>
      memref.store %none_wide, %out[%c2] : memref<4xi32>
      memref.store %one_mask, %out[%c3] : memref<4xi32>
    }
    gpu.terminator
  }
  return %out : memref<4xi32>
}

// Over lane - 16: add -16, min, max, as unsigned, bits; then the lowest lane of the mask 0xfffffff0 is elected.
// REDUX: 9xi32=[-16, -16, 15, 0, -1, 0, -1, 0, 4]
func.func @redux() -> memref<9xi32> {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %out = memref.alloc() : memref<9xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %all = arith.constant -1 : i32
    %sixteen = arith.constant 16 : i32
    %lane = arith.index_cast %tx : index to i32
    %value = arith.subi %lane, %sixteen : i32
    %add = nvvm.redux.sync add %value, %all : i32 -> i32
    %min = nvvm.redux.sync min %value, %all : i32 -> i32
    %max = nvvm.redux.sync max %value, %all : i32 -> i32
    %umin = nvvm.redux.sync umin %value, %all : i32 -> i32
    %umax = nvvm.redux.sync umax %value, %all : i32 -> i32
    %and = nvvm.redux.sync and %value, %all : i32 -> i32
    %or = nvvm.redux.sync or %value, %all : i32 -> i32
    %xor = nvvm.redux.sync xor %value, %all : i32 -> i32
    %results = vector.from_elements %add, %min, %max, %umin, %umax, %and, %or, %xor : vector<8xi32>
    %first = arith.cmpi eq, %tx, %c0 : index
    scf.if %first {
      vector.store %results, %out[%c0] : memref<9xi32>, vector<8xi32>
    }
    %c4 = arith.constant 4 : index
    %upper = arith.cmpi uge, %tx, %c4 : index
    scf.if %upper {
      %mask = arith.constant 0xfffffff0 : i32
      %leader = nvvm.elect.sync %mask -> i1
      scf.if %leader {
        %c8 = arith.constant 8 : index
        memref.store %lane, %out[%c8] : memref<9xi32>
      }
    }
    gpu.terminator
  }
  return %out : memref<9xi32>
}

// Masks of lane 4 in warp 1: eq, lt, le, ge, gt; its warp and lane, and the warp size.
// MASKS: 8xi32=[16, 15, 31, -16, -32, 1, 4, 32]
func.func @lane_masks() -> memref<8xi32> {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %out = memref.alloc() : memref<8xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %c36 = arith.constant 36 : index
    %eq = nvvm.read.ptx.sreg.lanemask.eq : i32
    %lt = nvvm.read.ptx.sreg.lanemask.lt : i32
    %le = nvvm.read.ptx.sreg.lanemask.le : i32
    %ge = nvvm.read.ptx.sreg.lanemask.ge : i32
    %gt = nvvm.read.ptx.sreg.lanemask.gt : i32
    %warp = nvvm.read.ptx.sreg.warpid : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %size = nvvm.read.ptx.sreg.warpsize : i32
    %results = vector.from_elements %eq, %lt, %le, %ge, %gt, %warp, %lane, %size : vector<8xi32>
    %mine = arith.cmpi eq, %tx, %c36 : index
    scf.if %mine {
      vector.store %results, %out[%c0] : memref<8xi32>, vector<8xi32>
    }
    gpu.terminator
  }
  return %out : memref<8xi32>
}

// Reductions of "thread < 5" over 48 threads: count, and, or.
// BARRIERS: 3xi32=[5, 0, 1]
func.func @barrier_reductions() -> memref<3xi32> {
  %c1 = arith.constant 1 : index
  %c48 = arith.constant 48 : index
  %out = memref.alloc() : memref<3xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c48, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c5 = arith.constant 5 : index
    %c40 = arith.constant 40 : index
    %few = arith.cmpi ult, %tx, %c5 : index
    %predicate = arith.extui %few : i1 to i32
    %count = nvvm.barrier #nvvm.reduction<popc> %predicate -> i32
    %all = nvvm.barrier #nvvm.reduction<and> %predicate -> i32
    %any = nvvm.barrier #nvvm.reduction<or> %predicate -> i32
    %mine = arith.cmpi eq, %tx, %c40 : index
    scf.if %mine {
      memref.store %count, %out[%c0] : memref<3xi32>
      memref.store %all, %out[%c1] : memref<3xi32>
      memref.store %any, %out[%c2] : memref<3xi32>
    }
    gpu.terminator
  }
  return %out : memref<3xi32>
}

// Warp 0 produces, warps 1 and 2 consume: it arrives at "full" without waiting, and waits for "empty" before it writes again.
// NAMED: 64xi32=[32, 33,
// NAMED-SAME: 94, 95]
func.func @named_barriers() -> memref<64xi32> {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %out = memref.alloc() : memref<64xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c96, %sy = %c1, %sz = %c1)
             workgroup(%slot : memref<32xi32, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %full = arith.constant 1 : i32
    %empty = arith.constant 2 : i32
    %everyone = arith.constant 96 : i32
    %lane = arith.remui %tx, %c32 : index
    %is_producer = arith.cmpi ult, %tx, %c32 : index
    scf.if %is_producer {
      scf.for %round = %c0 to %c2 step %c1 {
        %again = arith.cmpi ugt, %round, %c0 : index
        scf.if %again {
          nvvm.barrier id = %empty number_of_threads = %everyone
        }
        %base = arith.muli %round, %c32 : index
        %sum = arith.addi %base, %lane : index
        %value = arith.index_cast %sum : index to i32
        memref.store %value, %slot[%lane] : memref<32xi32, #gpu.address_space<workgroup>>
        nvvm.barrier.arrive id = %full number_of_threads = %everyone
      }
    } else {
      %mine = arith.subi %tx, %c32 : index
      scf.for %round = %c0 to %c2 step %c1 {
        nvvm.barrier id = %full number_of_threads = %everyone
        %value = memref.load %slot[%lane] : memref<32xi32, #gpu.address_space<workgroup>>
        %here = arith.index_cast %mine : index to i32
        %limit = arith.constant 32 : i32
        %second = arith.cmpi uge, %here, %limit : i32
        %offset = arith.select %second, %limit, %full : i32
        %zero = arith.constant 0 : i32
        %shift = arith.select %second, %offset, %zero : i32
        %sum = arith.addi %value, %shift : i32
        memref.store %sum, %out[%mine] : memref<64xi32>
        %more = arith.cmpi ult, %round, %c1 : index
        scf.if %more {
          nvvm.barrier.arrive id = %empty number_of_threads = %everyone
        }
      }
    }
    gpu.terminator
  }
  return %out : memref<64xi32>
}

// Lanes exchange through shared memory of their warp, whole warps and halves of them.
// SYNC: 32xi32=[17, 16, 19, 18, 21, 20, 23, 22, 25, 24, 27, 26, 29, 28, 31, 30, 1, 0, 3, 2,
func.func @warp_sync() -> memref<32xi32> {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %out = memref.alloc() : memref<32xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1)
             workgroup(%a : memref<32xi32, #gpu.address_space<workgroup>>,
                       %b : memref<32xi32, #gpu.address_space<workgroup>>) {
    %c16 = arith.constant 16 : index
    %all = arith.constant -1 : i32
    %low = arith.constant 0x0000ffff : i32
    %high = arith.constant 0xffff0000 : i32
    %value = arith.index_cast %tx : index to i32
    memref.store %value, %a[%tx] : memref<32xi32, #gpu.address_space<workgroup>>
    nvvm.bar.warp.sync %all : i32
    %across = arith.xori %tx, %c16 : index
    %x = memref.load %a[%across] : memref<32xi32, #gpu.address_space<workgroup>>
    memref.store %x, %b[%tx] : memref<32xi32, #gpu.address_space<workgroup>>
    %is_low = arith.cmpi ult, %tx, %c16 : index
    scf.if %is_low {
      nvvm.bar.warp.sync %low : i32
    } else {
      nvvm.bar.warp.sync %high : i32
    }
    %beside = arith.xori %tx, %c1 : index
    %y = memref.load %b[%beside] : memref<32xi32, #gpu.address_space<workgroup>>
    memref.store %y, %out[%tx] : memref<32xi32>
    gpu.terminator
  }
  return %out : memref<32xi32>
}

// An asynchronous copy of three elements into four writes zero to the last one.
// COPY: 4xf32=[1, 1, 1, 0]
func.func @partial_copy() -> memref<4xf32> {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1.0 : f32
  %in = memref.alloc() : memref<4xf32>
  %out = memref.alloc() : memref<4xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1)
             workgroup(%tile : memref<4xf32, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %few = arith.cmpi ult, %tx, %c4 : index
    scf.if %few {
      memref.store %one, %in[%tx] : memref<4xf32>
    }
    gpu.barrier
    %first = arith.cmpi eq, %tx, %c0 : index
    scf.if %first {
      %t = nvgpu.device_async_copy %in[%c0], %tile[%c0], 4, %c3 : memref<4xf32> to memref<4xf32, #gpu.address_space<workgroup>>
      %g = nvgpu.device_async_create_group %t
      nvgpu.device_async_wait %g {numGroups = 0 : i32}
    }
    gpu.barrier
    scf.if %few {
      %v = memref.load %tile[%tx] : memref<4xf32, #gpu.address_space<workgroup>>
      memref.store %v, %out[%tx] : memref<4xf32>
    }
    gpu.terminator
  }
  return %out : memref<4xf32>
}
