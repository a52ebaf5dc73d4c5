// mma.sync and ldmatrix compared with plain sums. convert-vector-to-gpu distributes the operands over the lanes, so the
// emulator's fragment layouts are compared with an independent implementation.
// REQUIRES: rnn-run
// RUN: rnn-opt %s -pass-pipeline='builtin.module(gpu.module(gpu.func(convert-vector-to-gpu{use-nvgpu=true})),func.func(lower-affine))' -o %t.f32.mlir
// The pass requires permission to round the operands of an f32 contraction to tf32.
// RUN: sed 's/mmaShape = .16, 8, 8./&, tf32Enabled/' %t.f32.mlir > %t.mlir
// RUN: FileCheck %s --check-prefix=OPS < %t.mlir
// RUN: rnn-run %t.mlir --target=simt --simt-check --expected-output=0 --expected-output=0 --expected-output=0
// RUN: rnn-run %t.mlir --target=simt --simt-schedule=reverse --expected-output=0 --expected-output=0 --expected-output=0
// OPS-LABEL: gpu.func @f16
// OPS: nvgpu.ldmatrix
// OPS: nvgpu.mma.sync{{.*}}mmaShape = [16, 8, 16]
// OPS-LABEL: gpu.func @tf32
// OPS: nvgpu.mma.sync{{.*}}mmaShape = [16, 8, 8]
// OPS-LABEL: gpu.func @f64
// OPS: nvgpu.mma.sync{{.*}}mmaShape = [8, 8, 4]
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func @stage_f16(%a: memref<16x16xf16>, %b: memref<8x16xf16>,
        %sa: memref<16x16xf16, #gpu.address_space<workgroup>>, %sb: memref<8x16xf16, #gpu.address_space<workgroup>>) {
      %c32 = arith.constant 32 : index
      %lane = gpu.thread_id x
      %ka = arith.constant 16 : index
      %na = arith.constant 256 : index
      %nb = arith.constant 128 : index
      scf.for %i = %lane to %na step %c32 {
        %row = arith.divui %i, %ka : index
        %column = arith.remui %i, %ka : index
        %v = memref.load %a[%row, %column] : memref<16x16xf16>
        memref.store %v, %sa[%row, %column] : memref<16x16xf16, #gpu.address_space<workgroup>>
      }
      scf.for %i = %lane to %nb step %c32 {
        %row = arith.divui %i, %ka : index
        %column = arith.remui %i, %ka : index
        %v = memref.load %b[%row, %column] : memref<8x16xf16>
        memref.store %v, %sb[%row, %column] : memref<8x16xf16, #gpu.address_space<workgroup>>
      }
      return
    }
    gpu.func @f16(%a: memref<16x16xf16>, %b: memref<8x16xf16>, %c: memref<16x8xf16>)
        workgroup(%sa: memref<16x16xf16, #gpu.address_space<workgroup>>,
                  %sb: memref<8x16xf16, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f16
      func.call @stage_f16(%a, %b, %sa, %sb) : (memref<16x16xf16>, memref<8x16xf16>, memref<16x16xf16, #gpu.address_space<workgroup>>, memref<8x16xf16, #gpu.address_space<workgroup>>) -> ()
      gpu.barrier
      %va = vector.transfer_read %sa[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x16xf16, #gpu.address_space<workgroup>>, vector<16x16xf16>
      %vb = vector.transfer_read %sb[%c0, %c0], %zero {in_bounds = [true, true]} : memref<8x16xf16, #gpu.address_space<workgroup>>, vector<8x16xf16>
      %vc = arith.constant dense<1.0> : vector<16x8xf16>
      %vd = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"],
          kind = #vector.kind<add>} %va, %vb, %vc : vector<16x16xf16>, vector<8x16xf16> into vector<16x8xf16>
      vector.transfer_write %vd, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf16>, memref<16x8xf16>
      gpu.return
    }
    func.func @stage_tf32(%a: memref<16x8xf32>, %b: memref<8x8xf32>,
        %sa: memref<16x8xf32, #gpu.address_space<workgroup>>, %sb: memref<8x8xf32, #gpu.address_space<workgroup>>) {
      %c32 = arith.constant 32 : index
      %lane = gpu.thread_id x
      %ka = arith.constant 8 : index
      %na = arith.constant 128 : index
      %nb = arith.constant 64 : index
      scf.for %i = %lane to %na step %c32 {
        %row = arith.divui %i, %ka : index
        %column = arith.remui %i, %ka : index
        %v = memref.load %a[%row, %column] : memref<16x8xf32>
        memref.store %v, %sa[%row, %column] : memref<16x8xf32, #gpu.address_space<workgroup>>
      }
      scf.for %i = %lane to %nb step %c32 {
        %row = arith.divui %i, %ka : index
        %column = arith.remui %i, %ka : index
        %v = memref.load %b[%row, %column] : memref<8x8xf32>
        memref.store %v, %sb[%row, %column] : memref<8x8xf32, #gpu.address_space<workgroup>>
      }
      return
    }
    gpu.func @tf32(%a: memref<16x8xf32>, %b: memref<8x8xf32>, %c: memref<16x8xf32>)
        workgroup(%sa: memref<16x8xf32, #gpu.address_space<workgroup>>,
                  %sb: memref<8x8xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      func.call @stage_tf32(%a, %b, %sa, %sb) : (memref<16x8xf32>, memref<8x8xf32>, memref<16x8xf32, #gpu.address_space<workgroup>>, memref<8x8xf32, #gpu.address_space<workgroup>>) -> ()
      gpu.barrier
      %va = vector.transfer_read %sa[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x8xf32, #gpu.address_space<workgroup>>, vector<16x8xf32>
      %vb = vector.transfer_read %sb[%c0, %c0], %zero {in_bounds = [true, true]} : memref<8x8xf32, #gpu.address_space<workgroup>>, vector<8x8xf32>
      %vc = arith.constant dense<1.0> : vector<16x8xf32>
      %vd = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"],
          kind = #vector.kind<add>} %va, %vb, %vc : vector<16x8xf32>, vector<8x8xf32> into vector<16x8xf32>
      vector.transfer_write %vd, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
      gpu.return
    }
    func.func @stage_f64(%a: memref<8x4xf64>, %b: memref<8x4xf64>,
        %sa: memref<8x4xf64, #gpu.address_space<workgroup>>, %sb: memref<8x4xf64, #gpu.address_space<workgroup>>) {
      %c32 = arith.constant 32 : index
      %lane = gpu.thread_id x
      %ka = arith.constant 4 : index
      %na = arith.constant 32 : index
      %nb = arith.constant 32 : index
      scf.for %i = %lane to %na step %c32 {
        %row = arith.divui %i, %ka : index
        %column = arith.remui %i, %ka : index
        %v = memref.load %a[%row, %column] : memref<8x4xf64>
        memref.store %v, %sa[%row, %column] : memref<8x4xf64, #gpu.address_space<workgroup>>
      }
      scf.for %i = %lane to %nb step %c32 {
        %row = arith.divui %i, %ka : index
        %column = arith.remui %i, %ka : index
        %v = memref.load %b[%row, %column] : memref<8x4xf64>
        memref.store %v, %sb[%row, %column] : memref<8x4xf64, #gpu.address_space<workgroup>>
      }
      return
    }
    gpu.func @f64(%a: memref<8x4xf64>, %b: memref<8x4xf64>, %c: memref<8x8xf64>)
        workgroup(%sa: memref<8x4xf64, #gpu.address_space<workgroup>>,
                  %sb: memref<8x4xf64, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f64
      func.call @stage_f64(%a, %b, %sa, %sb) : (memref<8x4xf64>, memref<8x4xf64>, memref<8x4xf64, #gpu.address_space<workgroup>>, memref<8x4xf64, #gpu.address_space<workgroup>>) -> ()
      gpu.barrier
      %va = vector.transfer_read %sa[%c0, %c0], %zero {in_bounds = [true, true]} : memref<8x4xf64, #gpu.address_space<workgroup>>, vector<8x4xf64>
      %vb = vector.transfer_read %sb[%c0, %c0], %zero {in_bounds = [true, true]} : memref<8x4xf64, #gpu.address_space<workgroup>>, vector<8x4xf64>
      %vc = arith.constant dense<1.0> : vector<8x8xf64>
      %vd = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"],
          kind = #vector.kind<add>} %va, %vb, %vc : vector<8x4xf64>, vector<8x4xf64> into vector<8x8xf64>
      vector.transfer_write %vd, %c[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xf64>, memref<8x8xf64>
      gpu.return
    }
  }

  func.func private @f16() -> index {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %a = memref.alloc() : memref<16x16xf16>
    %b = memref.alloc() : memref<8x16xf16>
    %c = memref.alloc() : memref<16x8xf16>
    affine.for %i = 0 to 16 {
      affine.for %j = 0 to 16 {
        %r = affine.apply affine_map<(i, j) -> ((i * 3 + j * 5) mod 7 - 3)>(%i, %j)
        %n = arith.index_cast %r : index to i32
        %v = arith.sitofp %n : i32 to f16
        affine.store %v, %a[%i, %j] : memref<16x16xf16>
      }
    }
    affine.for %i = 0 to 8 {
      affine.for %j = 0 to 16 {
        %r = affine.apply affine_map<(i, j) -> ((i * 2 + j * 7) mod 5 - 1)>(%i, %j)
        %n = arith.index_cast %r : index to i32
        %v = arith.sitofp %n : i32 to f16
        affine.store %v, %b[%i, %j] : memref<8x16xf16>
      }
    }
    gpu.launch_func @kernels::@f16 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%a : memref<16x16xf16>, %b : memref<8x16xf16>, %c : memref<16x8xf16>)
    // The number of elements that differ from 1 + A B^T.
    %zero = arith.constant 0 : index
    %one = arith.constant 1.0 : f16
    %wrong = affine.for %i = 0 to 16 iter_args(%w0 = %zero) -> index {
      %w3 = affine.for %j = 0 to 8 iter_args(%w1 = %w0) -> index {
        %sum = affine.for %k = 0 to 16 iter_args(%s = %one) -> f16 {
          %x = affine.load %a[%i, %k] : memref<16x16xf16>
          %y = affine.load %b[%j, %k] : memref<8x16xf16>
          %p = arith.mulf %x, %y : f16
          %t = arith.addf %s, %p : f16
          affine.yield %t : f16
        }
        %got = affine.load %c[%i, %j] : memref<16x8xf16>
        %differs = arith.cmpf une, %got, %sum : f16
        %d = arith.index_castui %differs : i1 to index
        %w2 = arith.addi %w1, %d : index
        affine.yield %w2 : index
      }
      affine.yield %w3 : index
    }
    return %wrong : index
  }
  func.func private @tf32() -> index {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %a = memref.alloc() : memref<16x8xf32>
    %b = memref.alloc() : memref<8x8xf32>
    %c = memref.alloc() : memref<16x8xf32>
    affine.for %i = 0 to 16 {
      affine.for %j = 0 to 8 {
        %r = affine.apply affine_map<(i, j) -> ((i * 3 + j * 5) mod 7 - 3)>(%i, %j)
        %n = arith.index_cast %r : index to i32
        %v = arith.sitofp %n : i32 to f32
        affine.store %v, %a[%i, %j] : memref<16x8xf32>
      }
    }
    affine.for %i = 0 to 8 {
      affine.for %j = 0 to 8 {
        %r = affine.apply affine_map<(i, j) -> ((i * 2 + j * 7) mod 5 - 1)>(%i, %j)
        %n = arith.index_cast %r : index to i32
        %v = arith.sitofp %n : i32 to f32
        affine.store %v, %b[%i, %j] : memref<8x8xf32>
      }
    }
    gpu.launch_func @kernels::@tf32 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%a : memref<16x8xf32>, %b : memref<8x8xf32>, %c : memref<16x8xf32>)
    // The number of elements that differ from 1 + A B^T.
    %zero = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %wrong = affine.for %i = 0 to 16 iter_args(%w0 = %zero) -> index {
      %w3 = affine.for %j = 0 to 8 iter_args(%w1 = %w0) -> index {
        %sum = affine.for %k = 0 to 8 iter_args(%s = %one) -> f32 {
          %x = affine.load %a[%i, %k] : memref<16x8xf32>
          %y = affine.load %b[%j, %k] : memref<8x8xf32>
          %p = arith.mulf %x, %y : f32
          %t = arith.addf %s, %p : f32
          affine.yield %t : f32
        }
        %got = affine.load %c[%i, %j] : memref<16x8xf32>
        %differs = arith.cmpf une, %got, %sum : f32
        %d = arith.index_castui %differs : i1 to index
        %w2 = arith.addi %w1, %d : index
        affine.yield %w2 : index
      }
      affine.yield %w3 : index
    }
    return %wrong : index
  }
  func.func private @f64() -> index {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %a = memref.alloc() : memref<8x4xf64>
    %b = memref.alloc() : memref<8x4xf64>
    %c = memref.alloc() : memref<8x8xf64>
    affine.for %i = 0 to 8 {
      affine.for %j = 0 to 4 {
        %r = affine.apply affine_map<(i, j) -> ((i * 3 + j * 5) mod 7 - 3)>(%i, %j)
        %n = arith.index_cast %r : index to i32
        %v = arith.sitofp %n : i32 to f64
        affine.store %v, %a[%i, %j] : memref<8x4xf64>
      }
    }
    affine.for %i = 0 to 8 {
      affine.for %j = 0 to 4 {
        %r = affine.apply affine_map<(i, j) -> ((i * 2 + j * 7) mod 5 - 1)>(%i, %j)
        %n = arith.index_cast %r : index to i32
        %v = arith.sitofp %n : i32 to f64
        affine.store %v, %b[%i, %j] : memref<8x4xf64>
      }
    }
    gpu.launch_func @kernels::@f64 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%a : memref<8x4xf64>, %b : memref<8x4xf64>, %c : memref<8x8xf64>)
    // The number of elements that differ from 1 + A B^T.
    %zero = arith.constant 0 : index
    %one = arith.constant 1.0 : f64
    %wrong = affine.for %i = 0 to 8 iter_args(%w0 = %zero) -> index {
      %w3 = affine.for %j = 0 to 8 iter_args(%w1 = %w0) -> index {
        %sum = affine.for %k = 0 to 4 iter_args(%s = %one) -> f64 {
          %x = affine.load %a[%i, %k] : memref<8x4xf64>
          %y = affine.load %b[%j, %k] : memref<8x4xf64>
          %p = arith.mulf %x, %y : f64
          %t = arith.addf %s, %p : f64
          affine.yield %t : f64
        }
        %got = affine.load %c[%i, %j] : memref<8x8xf64>
        %differs = arith.cmpf une, %got, %sum : f64
        %d = arith.index_castui %differs : i1 to index
        %w2 = arith.addi %w1, %d : index
        affine.yield %w2 : index
      }
      affine.yield %w3 : index
    }
    return %wrong : index
  }
  func.func @main() -> (index, index, index) {
    %0 = call @f16() : () -> index
    %1 = call @tf32() : () -> index
    %2 = call @f64() : () -> index
    return %0, %1, %2 : index, index, index
  }
}
