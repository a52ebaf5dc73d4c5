// bf16 operands, stmatrix, and a program that relies on the unspecified fragment layout of wmma.
// REQUIRES: rnn-run
// RUN: rnn-run %s --target=simt --function=bf16 --simt-check --expected-output=16x8xf32=32.5 | FileCheck %s
// RUN: rnn-run %s --target=simt --function=stmatrix --simt-check --expected-output=0 | FileCheck %s
// RUN: rnn-run %s --target=simt --function=tf32_rounding --expected-output=3xi32=[1065361408,1065353216,1065353216] | FileCheck %s
// RUN: not rnn-run %s --target=simt --function=layouts_disagree --expected-output=0 2>&1 | FileCheck %s --check-prefix=WRONG
// CHECK: all results are as expected
// WRONG: rnn-run: error: result 0
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // D = 0.5 + A B with A = 2 and B = 1, k = 16.
    gpu.func @bf16(%out: memref<16x8xf32>) kernel {
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %lane = gpu.lane_id
      %two = arith.constant 0x40004000 : i32
      %one = arith.constant 0x3f803f80 : i32
      %half = arith.constant 0.5 : f32
      %d = nvvm.mma.sync A[%two, %two, %two, %two] B[%one, %one] C[%half, %half, %half, %half]
          {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>,
           multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
          : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      %row = arith.divui %lane, %c4 : index
      %member = arith.remui %lane, %c4 : index
      %column = arith.muli %member, %c2 : index
      %c1 = arith.constant 1 : index
      %next = arith.addi %column, %c1 : index
      %below = arith.addi %row, %c8 : index
      memref.store %d0, %out[%row, %column] : memref<16x8xf32>
      memref.store %d1, %out[%row, %next] : memref<16x8xf32>
      memref.store %d2, %out[%below, %column] : memref<16x8xf32>
      memref.store %d3, %out[%below, %next] : memref<16x8xf32>
      gpu.return
    }

    // ldmatrix loads what stmatrix stored; a transposed store yields the transposed tile.
    gpu.func @stmatrix(%wrong: memref<1xi32>) workgroup(%tile: memref<8x8xf16, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %lane = gpu.lane_id
      %row = arith.remui %lane, %c8 : index
      %i = arith.index_cast %lane : index to i32
      %base = memref.extract_aligned_pointer_as_index %tile : memref<8x8xf16, #gpu.address_space<workgroup>> -> index
      %sixteen = arith.constant 16 : index
      %offset = arith.muli %row, %sixteen : index
      %address = arith.addi %base, %offset : index
      %number = arith.index_cast %address : index to i64
      %pointer = llvm.inttoptr %number : i64 to !llvm.ptr<3>
      nvvm.stmatrix %pointer, %i {layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
          eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32
      gpu.barrier
      %r = nvvm.ldmatrix %pointer {num = 1 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
          eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
      %differs = arith.cmpi ne, %r, %i : i32
      %n = arith.extui %differs : i1 to i32
      %ignored = memref.atomic_rmw addi %n, %wrong[%c0] : (i32, memref<1xi32>) -> i32
      gpu.return
    }

    // 1 + 2^-11 (0x3f801000) is a tie: away from zero, to even, towards zero.
    gpu.func @tf32(%out: memref<3xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %bits = arith.constant 0x3f801000 : i32
      %x = arith.bitcast %bits : i32 to f32
      %a = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rna>}
      %b = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rn>}
      %c = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rz>}
      memref.store %a, %out[%c0] : memref<3xi32>
      memref.store %b, %out[%c1] : memref<3xi32>
      memref.store %c, %out[%c2] : memref<3xi32>
      gpu.return
    }

    // B is loaded column-major, but the MMA reads it row-major: b_transpose is missing.
    gpu.func @layouts_disagree(%a: memref<16x16xf16>, %c: memref<16x16xf32>) kernel {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %fa = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
      %fb = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index, transpose} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
      %fc = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xf32, "COp">
      %fd = gpu.subgroup_mma_compute %fa, %fb, %fc : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
      gpu.subgroup_mma_store_matrix %fd, %c[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
      gpu.return
    }
  }

  func.func @bf16() -> memref<16x8xf32> {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %out = memref.alloc() : memref<16x8xf32>
    gpu.launch_func @kernels::@bf16 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%out : memref<16x8xf32>)
    return %out : memref<16x8xf32>
  }

  func.func @stmatrix() -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %none = arith.constant 0 : i32
    %wrong = memref.alloc() : memref<1xi32>
    memref.store %none, %wrong[%c0] : memref<1xi32>
    gpu.launch_func @kernels::@stmatrix blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%wrong : memref<1xi32>)
    %result = memref.load %wrong[%c0] : memref<1xi32>
    return %result : i32
  }

  func.func @tf32_rounding() -> memref<3xi32> {
    %c1 = arith.constant 1 : index
    %out = memref.alloc() : memref<3xi32>
    gpu.launch_func @kernels::@tf32 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%out : memref<3xi32>)
    return %out : memref<3xi32>
  }

  // The number of incorrect elements of A A^T, where every element of A is its row index.
  func.func @layouts_disagree() -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %none = arith.constant 0 : i32
    %a = memref.alloc() : memref<16x16xf16>
    %c = memref.alloc() : memref<16x16xf32>
    scf.for %i = %c0 to %c16 step %c1 {
      scf.for %j = %c0 to %c16 step %c1 {
        %n = arith.index_cast %i : index to i32
        %v = arith.sitofp %n : i32 to f16
        memref.store %v, %a[%i, %j] : memref<16x16xf16>
      }
    }
    gpu.launch_func @kernels::@layouts_disagree blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%a : memref<16x16xf16>, %c : memref<16x16xf32>)
    %wrong = scf.for %i = %c0 to %c16 step %c1 iter_args(%w0 = %none) -> i32 {
      %w2 = scf.for %j = %c0 to %c16 step %c1 iter_args(%w1 = %w0) -> i32 {
        %p = arith.muli %i, %j : index
        %q = arith.muli %p, %c16 : index
        %n = arith.index_cast %q : index to i32
        %v = arith.sitofp %n : i32 to f32
        %got = memref.load %c[%i, %j] : memref<16x16xf32>
        %differs = arith.cmpf une, %got, %v : f32
        %d = arith.extui %differs : i1 to i32
        %w3 = arith.addi %w1, %d : i32
        scf.yield %w3 : i32
      }
      scf.yield %w2 : i32
    }
    return %wrong : i32
  }
}
