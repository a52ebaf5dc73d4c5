// gpu.subgroup_mma (wmma) in every supported shape and type: C = A B + 0.5, with A row-major and B column-major, then doubled by
// the elementwise op. (f64 supports neither constants nor elementwise ops: its C is loaded.) The emulator's fragment layout
// depends on the seed.
// REQUIRES: rnn-run
// RUN: rnn-run %s --target=simt --simt-schedule=random:1 --simt-check --expected-output=0 --expected-output=0 --expected-output=0 --expected-output=0 --expected-output=0 --expected-output=0
// RUN: rnn-run %s --target=simt --simt-schedule=random:7 --expected-output=0 --expected-output=0 --expected-output=0 --expected-output=0 --expected-output=0 --expected-output=0
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @f16_f32(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf32>) kernel {
      %c0 = arith.constant 0 : index
      %half = arith.constant 0.5 : f32
      %fa = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
      %fb = gpu.subgroup_mma_load_matrix %b[%c0, %c0] {leadDimension = 16 : index, transpose} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
      %fc = gpu.subgroup_mma_constant_matrix %half : !gpu.mma_matrix<16x16xf32, "COp">
      %fd = gpu.subgroup_mma_compute %fa, %fb, %fc {b_transpose} : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
      %fe = gpu.subgroup_mma_elementwise addf %fd, %fd : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
      gpu.subgroup_mma_store_matrix %fe, %c[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
      gpu.return
    }
    gpu.func @f16_f16(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf16>) kernel {
      %c0 = arith.constant 0 : index
      %half = arith.constant 0.5 : f16
      %fa = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
      %fb = gpu.subgroup_mma_load_matrix %b[%c0, %c0] {leadDimension = 16 : index, transpose} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
      %fc = gpu.subgroup_mma_constant_matrix %half : !gpu.mma_matrix<16x16xf16, "COp">
      %fd = gpu.subgroup_mma_compute %fa, %fb, %fc {b_transpose} : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf16, "COp">
      %fe = gpu.subgroup_mma_elementwise addf %fd, %fd : (!gpu.mma_matrix<16x16xf16, "COp">, !gpu.mma_matrix<16x16xf16, "COp">) -> !gpu.mma_matrix<16x16xf16, "COp">
      gpu.subgroup_mma_store_matrix %fe, %c[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf16, "COp">, memref<16x16xf16>
      gpu.return
    }
    gpu.func @f16_wide(%a: memref<8x16xf16>, %b: memref<32x16xf16>, %c: memref<8x32xf32>) kernel {
      %c0 = arith.constant 0 : index
      %half = arith.constant 0.5 : f32
      %fa = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<8x16xf16> -> !gpu.mma_matrix<8x16xf16, "AOp">
      %fb = gpu.subgroup_mma_load_matrix %b[%c0, %c0] {leadDimension = 16 : index, transpose} : memref<32x16xf16> -> !gpu.mma_matrix<16x32xf16, "BOp">
      %fc = gpu.subgroup_mma_constant_matrix %half : !gpu.mma_matrix<8x32xf32, "COp">
      %fd = gpu.subgroup_mma_compute %fa, %fb, %fc {b_transpose} : !gpu.mma_matrix<8x16xf16, "AOp">, !gpu.mma_matrix<16x32xf16, "BOp"> -> !gpu.mma_matrix<8x32xf32, "COp">
      %fe = gpu.subgroup_mma_elementwise addf %fd, %fd : (!gpu.mma_matrix<8x32xf32, "COp">, !gpu.mma_matrix<8x32xf32, "COp">) -> !gpu.mma_matrix<8x32xf32, "COp">
      gpu.subgroup_mma_store_matrix %fe, %c[%c0, %c0] {leadDimension = 32 : index} : !gpu.mma_matrix<8x32xf32, "COp">, memref<8x32xf32>
      gpu.return
    }
    gpu.func @f16_tall(%a: memref<32x16xf16>, %b: memref<8x16xf16>, %c: memref<32x8xf32>) kernel {
      %c0 = arith.constant 0 : index
      %half = arith.constant 0.5 : f32
      %fa = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<32x16xf16> -> !gpu.mma_matrix<32x16xf16, "AOp">
      %fb = gpu.subgroup_mma_load_matrix %b[%c0, %c0] {leadDimension = 16 : index, transpose} : memref<8x16xf16> -> !gpu.mma_matrix<16x8xf16, "BOp">
      %fc = gpu.subgroup_mma_constant_matrix %half : !gpu.mma_matrix<32x8xf32, "COp">
      %fd = gpu.subgroup_mma_compute %fa, %fb, %fc {b_transpose} : !gpu.mma_matrix<32x16xf16, "AOp">, !gpu.mma_matrix<16x8xf16, "BOp"> -> !gpu.mma_matrix<32x8xf32, "COp">
      %fe = gpu.subgroup_mma_elementwise addf %fd, %fd : (!gpu.mma_matrix<32x8xf32, "COp">, !gpu.mma_matrix<32x8xf32, "COp">) -> !gpu.mma_matrix<32x8xf32, "COp">
      gpu.subgroup_mma_store_matrix %fe, %c[%c0, %c0] {leadDimension = 8 : index} : !gpu.mma_matrix<32x8xf32, "COp">, memref<32x8xf32>
      gpu.return
    }
    gpu.func @tf32(%a: memref<16x8xf32>, %b: memref<16x8xf32>, %c: memref<16x16xf32>) kernel {
      %c0 = arith.constant 0 : index
      %half = arith.constant 0.5 : f32
      %fa = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index} : memref<16x8xf32> -> !gpu.mma_matrix<16x8xf32, "AOp">
      %fb = gpu.subgroup_mma_load_matrix %b[%c0, %c0] {leadDimension = 8 : index, transpose} : memref<16x8xf32> -> !gpu.mma_matrix<8x16xf32, "BOp">
      %fc = gpu.subgroup_mma_constant_matrix %half : !gpu.mma_matrix<16x16xf32, "COp">
      %fd = gpu.subgroup_mma_compute %fa, %fb, %fc {b_transpose} : !gpu.mma_matrix<16x8xf32, "AOp">, !gpu.mma_matrix<8x16xf32, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
      %fe = gpu.subgroup_mma_elementwise addf %fd, %fd : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
      gpu.subgroup_mma_store_matrix %fe, %c[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
      gpu.return
    }
    gpu.func @f64(%a: memref<8x4xf64>, %b: memref<8x4xf64>, %c: memref<8x8xf64>) kernel {
      %c0 = arith.constant 0 : index
      %half = arith.constant 0.5 : f64
      %fa = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 4 : index} : memref<8x4xf64> -> !gpu.mma_matrix<8x4xf64, "AOp">
      %fb = gpu.subgroup_mma_load_matrix %b[%c0, %c0] {leadDimension = 4 : index, transpose} : memref<8x4xf64> -> !gpu.mma_matrix<4x8xf64, "BOp">
      %fc = gpu.subgroup_mma_load_matrix %c[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf64> -> !gpu.mma_matrix<8x8xf64, "COp">
      %fd = gpu.subgroup_mma_compute %fa, %fb, %fc {b_transpose} : !gpu.mma_matrix<8x4xf64, "AOp">, !gpu.mma_matrix<4x8xf64, "BOp"> -> !gpu.mma_matrix<8x8xf64, "COp">
      gpu.subgroup_mma_store_matrix %fd, %c[%c0, %c0] {leadDimension = 8 : index} : !gpu.mma_matrix<8x8xf64, "COp">, memref<8x8xf64>
      gpu.return
    }
  }

  func.func private @f16_f32() -> index {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %m = arith.constant 16 : index
    %n = arith.constant 16 : index
    %k = arith.constant 16 : index
    %a = memref.alloc() : memref<16x16xf16>
    %b = memref.alloc() : memref<16x16xf16>
    %c = memref.alloc() : memref<16x16xf32>
    scf.for %j = %c0 to %k step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        %x = arith.muli %i, %c3 : index
        %y = arith.muli %j, %c5 : index
        %s = arith.addi %x, %y : index
        %r = arith.remui %s, %c7 : index
        %w = arith.index_cast %r : index to i32
        %v = arith.sitofp %w : i32 to f16
        memref.store %v, %a[%i, %j] : memref<16x16xf16>
      }
      scf.for %i = %c0 to %n step %c1 {
        %x = arith.muli %i, %c2 : index
        %y = arith.muli %j, %c3 : index
        %s = arith.addi %x, %y : index
        %r = arith.remui %s, %c5 : index
        %w = arith.index_cast %r : index to i32
        %v = arith.sitofp %w : i32 to f16
        memref.store %v, %b[%i, %j] : memref<16x16xf16>
      }
    }
    gpu.launch_func @kernels::@f16_f32 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%a : memref<16x16xf16>, %b : memref<16x16xf16>, %c : memref<16x16xf32>)
    // The number of elements that differ from 2 (A B + 0.5); all values are exact.
    %half = arith.constant 0.5 : f32
    %wrong = scf.for %i = %c0 to %m step %c1 iter_args(%w0 = %c0) -> index {
      %w3 = scf.for %j = %c0 to %n step %c1 iter_args(%w1 = %w0) -> index {
        %sum = scf.for %l = %c0 to %k step %c1 iter_args(%s = %half) -> f32 {
          %x = memref.load %a[%i, %l] : memref<16x16xf16>
          %y = memref.load %b[%j, %l] : memref<16x16xf16>
          %p = arith.mulf %x, %y : f16
          %q = arith.extf %p : f16 to f32
          %u = arith.addf %s, %q : f32
          scf.yield %u : f32
        }
        %twice = arith.addf %sum, %sum : f32
        %got = memref.load %c[%i, %j] : memref<16x16xf32>
        %differs = arith.cmpf une, %got, %twice : f32
        %d = arith.index_castui %differs : i1 to index
        %w2 = arith.addi %w1, %d : index
        scf.yield %w2 : index
      }
      scf.yield %w3 : index
    }
    return %wrong : index
  }
  func.func private @f16_f16() -> index {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %m = arith.constant 16 : index
    %n = arith.constant 16 : index
    %k = arith.constant 16 : index
    %a = memref.alloc() : memref<16x16xf16>
    %b = memref.alloc() : memref<16x16xf16>
    %c = memref.alloc() : memref<16x16xf16>
    scf.for %j = %c0 to %k step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        %x = arith.muli %i, %c3 : index
        %y = arith.muli %j, %c5 : index
        %s = arith.addi %x, %y : index
        %r = arith.remui %s, %c7 : index
        %w = arith.index_cast %r : index to i32
        %v = arith.sitofp %w : i32 to f16
        memref.store %v, %a[%i, %j] : memref<16x16xf16>
      }
      scf.for %i = %c0 to %n step %c1 {
        %x = arith.muli %i, %c2 : index
        %y = arith.muli %j, %c3 : index
        %s = arith.addi %x, %y : index
        %r = arith.remui %s, %c5 : index
        %w = arith.index_cast %r : index to i32
        %v = arith.sitofp %w : i32 to f16
        memref.store %v, %b[%i, %j] : memref<16x16xf16>
      }
    }
    gpu.launch_func @kernels::@f16_f16 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%a : memref<16x16xf16>, %b : memref<16x16xf16>, %c : memref<16x16xf16>)
    // The number of elements that differ from 2 (A B + 0.5); all values are exact.
    %half = arith.constant 0.5 : f16
    %wrong = scf.for %i = %c0 to %m step %c1 iter_args(%w0 = %c0) -> index {
      %w3 = scf.for %j = %c0 to %n step %c1 iter_args(%w1 = %w0) -> index {
        %sum = scf.for %l = %c0 to %k step %c1 iter_args(%s = %half) -> f16 {
          %x = memref.load %a[%i, %l] : memref<16x16xf16>
          %y = memref.load %b[%j, %l] : memref<16x16xf16>
          %p = arith.mulf %x, %y : f16
          %u = arith.addf %s, %p : f16
          scf.yield %u : f16
        }
        %twice = arith.addf %sum, %sum : f16
        %got = memref.load %c[%i, %j] : memref<16x16xf16>
        %differs = arith.cmpf une, %got, %twice : f16
        %d = arith.index_castui %differs : i1 to index
        %w2 = arith.addi %w1, %d : index
        scf.yield %w2 : index
      }
      scf.yield %w3 : index
    }
    return %wrong : index
  }
  func.func private @f16_wide() -> index {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %m = arith.constant 8 : index
    %n = arith.constant 32 : index
    %k = arith.constant 16 : index
    %a = memref.alloc() : memref<8x16xf16>
    %b = memref.alloc() : memref<32x16xf16>
    %c = memref.alloc() : memref<8x32xf32>
    scf.for %j = %c0 to %k step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        %x = arith.muli %i, %c3 : index
        %y = arith.muli %j, %c5 : index
        %s = arith.addi %x, %y : index
        %r = arith.remui %s, %c7 : index
        %w = arith.index_cast %r : index to i32
        %v = arith.sitofp %w : i32 to f16
        memref.store %v, %a[%i, %j] : memref<8x16xf16>
      }
      scf.for %i = %c0 to %n step %c1 {
        %x = arith.muli %i, %c2 : index
        %y = arith.muli %j, %c3 : index
        %s = arith.addi %x, %y : index
        %r = arith.remui %s, %c5 : index
        %w = arith.index_cast %r : index to i32
        %v = arith.sitofp %w : i32 to f16
        memref.store %v, %b[%i, %j] : memref<32x16xf16>
      }
    }
    gpu.launch_func @kernels::@f16_wide blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%a : memref<8x16xf16>, %b : memref<32x16xf16>, %c : memref<8x32xf32>)
    // The number of elements that differ from 2 (A B + 0.5); all values are exact.
    %half = arith.constant 0.5 : f32
    %wrong = scf.for %i = %c0 to %m step %c1 iter_args(%w0 = %c0) -> index {
      %w3 = scf.for %j = %c0 to %n step %c1 iter_args(%w1 = %w0) -> index {
        %sum = scf.for %l = %c0 to %k step %c1 iter_args(%s = %half) -> f32 {
          %x = memref.load %a[%i, %l] : memref<8x16xf16>
          %y = memref.load %b[%j, %l] : memref<32x16xf16>
          %p = arith.mulf %x, %y : f16
          %q = arith.extf %p : f16 to f32
          %u = arith.addf %s, %q : f32
          scf.yield %u : f32
        }
        %twice = arith.addf %sum, %sum : f32
        %got = memref.load %c[%i, %j] : memref<8x32xf32>
        %differs = arith.cmpf une, %got, %twice : f32
        %d = arith.index_castui %differs : i1 to index
        %w2 = arith.addi %w1, %d : index
        scf.yield %w2 : index
      }
      scf.yield %w3 : index
    }
    return %wrong : index
  }
  func.func private @f16_tall() -> index {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %m = arith.constant 32 : index
    %n = arith.constant 8 : index
    %k = arith.constant 16 : index
    %a = memref.alloc() : memref<32x16xf16>
    %b = memref.alloc() : memref<8x16xf16>
    %c = memref.alloc() : memref<32x8xf32>
    scf.for %j = %c0 to %k step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        %x = arith.muli %i, %c3 : index
        %y = arith.muli %j, %c5 : index
        %s = arith.addi %x, %y : index
        %r = arith.remui %s, %c7 : index
        %w = arith.index_cast %r : index to i32
        %v = arith.sitofp %w : i32 to f16
        memref.store %v, %a[%i, %j] : memref<32x16xf16>
      }
      scf.for %i = %c0 to %n step %c1 {
        %x = arith.muli %i, %c2 : index
        %y = arith.muli %j, %c3 : index
        %s = arith.addi %x, %y : index
        %r = arith.remui %s, %c5 : index
        %w = arith.index_cast %r : index to i32
        %v = arith.sitofp %w : i32 to f16
        memref.store %v, %b[%i, %j] : memref<8x16xf16>
      }
    }
    gpu.launch_func @kernels::@f16_tall blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%a : memref<32x16xf16>, %b : memref<8x16xf16>, %c : memref<32x8xf32>)
    // The number of elements that differ from 2 (A B + 0.5); all values are exact.
    %half = arith.constant 0.5 : f32
    %wrong = scf.for %i = %c0 to %m step %c1 iter_args(%w0 = %c0) -> index {
      %w3 = scf.for %j = %c0 to %n step %c1 iter_args(%w1 = %w0) -> index {
        %sum = scf.for %l = %c0 to %k step %c1 iter_args(%s = %half) -> f32 {
          %x = memref.load %a[%i, %l] : memref<32x16xf16>
          %y = memref.load %b[%j, %l] : memref<8x16xf16>
          %p = arith.mulf %x, %y : f16
          %q = arith.extf %p : f16 to f32
          %u = arith.addf %s, %q : f32
          scf.yield %u : f32
        }
        %twice = arith.addf %sum, %sum : f32
        %got = memref.load %c[%i, %j] : memref<32x8xf32>
        %differs = arith.cmpf une, %got, %twice : f32
        %d = arith.index_castui %differs : i1 to index
        %w2 = arith.addi %w1, %d : index
        scf.yield %w2 : index
      }
      scf.yield %w3 : index
    }
    return %wrong : index
  }
  func.func private @tf32() -> index {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %m = arith.constant 16 : index
    %n = arith.constant 16 : index
    %k = arith.constant 8 : index
    %a = memref.alloc() : memref<16x8xf32>
    %b = memref.alloc() : memref<16x8xf32>
    %c = memref.alloc() : memref<16x16xf32>
    scf.for %j = %c0 to %k step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        %x = arith.muli %i, %c3 : index
        %y = arith.muli %j, %c5 : index
        %s = arith.addi %x, %y : index
        %r = arith.remui %s, %c7 : index
        %w = arith.index_cast %r : index to i32
        %v = arith.sitofp %w : i32 to f32
        memref.store %v, %a[%i, %j] : memref<16x8xf32>
      }
      scf.for %i = %c0 to %n step %c1 {
        %x = arith.muli %i, %c2 : index
        %y = arith.muli %j, %c3 : index
        %s = arith.addi %x, %y : index
        %r = arith.remui %s, %c5 : index
        %w = arith.index_cast %r : index to i32
        %v = arith.sitofp %w : i32 to f32
        memref.store %v, %b[%i, %j] : memref<16x8xf32>
      }
    }
    gpu.launch_func @kernels::@tf32 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%a : memref<16x8xf32>, %b : memref<16x8xf32>, %c : memref<16x16xf32>)
    // The number of elements that differ from 2 (A B + 0.5); all values are exact.
    %half = arith.constant 0.5 : f32
    %wrong = scf.for %i = %c0 to %m step %c1 iter_args(%w0 = %c0) -> index {
      %w3 = scf.for %j = %c0 to %n step %c1 iter_args(%w1 = %w0) -> index {
        %sum = scf.for %l = %c0 to %k step %c1 iter_args(%s = %half) -> f32 {
          %x = memref.load %a[%i, %l] : memref<16x8xf32>
          %y = memref.load %b[%j, %l] : memref<16x8xf32>
          %p = arith.mulf %x, %y : f32
          %u = arith.addf %s, %p : f32
          scf.yield %u : f32
        }
        %twice = arith.addf %sum, %sum : f32
        %got = memref.load %c[%i, %j] : memref<16x16xf32>
        %differs = arith.cmpf une, %got, %twice : f32
        %d = arith.index_castui %differs : i1 to index
        %w2 = arith.addi %w1, %d : index
        scf.yield %w2 : index
      }
      scf.yield %w3 : index
    }
    return %wrong : index
  }
  func.func private @f64() -> index {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %m = arith.constant 8 : index
    %n = arith.constant 8 : index
    %k = arith.constant 4 : index
    %a = memref.alloc() : memref<8x4xf64>
    %b = memref.alloc() : memref<8x4xf64>
    %c = memref.alloc() : memref<8x8xf64>
    scf.for %j = %c0 to %k step %c1 {
      scf.for %i = %c0 to %m step %c1 {
        %x = arith.muli %i, %c3 : index
        %y = arith.muli %j, %c5 : index
        %s = arith.addi %x, %y : index
        %r = arith.remui %s, %c7 : index
        %w = arith.index_cast %r : index to i32
        %v = arith.sitofp %w : i32 to f64
        memref.store %v, %a[%i, %j] : memref<8x4xf64>
      }
      scf.for %i = %c0 to %n step %c1 {
        %x = arith.muli %i, %c2 : index
        %y = arith.muli %j, %c3 : index
        %s = arith.addi %x, %y : index
        %r = arith.remui %s, %c5 : index
        %w = arith.index_cast %r : index to i32
        %v = arith.sitofp %w : i32 to f64
        memref.store %v, %b[%i, %j] : memref<8x4xf64>
      }
    }
    %start = arith.constant 0.5 : f64
    scf.for %i = %c0 to %m step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        memref.store %start, %c[%i, %j] : memref<8x8xf64>
      }
    }
    gpu.launch_func @kernels::@f64 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%a : memref<8x4xf64>, %b : memref<8x4xf64>, %c : memref<8x8xf64>)
    // The number of elements that differ from 2 (A B + 0.5); all values are exact.
    %half = arith.constant 0.5 : f64
    %wrong = scf.for %i = %c0 to %m step %c1 iter_args(%w0 = %c0) -> index {
      %w3 = scf.for %j = %c0 to %n step %c1 iter_args(%w1 = %w0) -> index {
        %sum = scf.for %l = %c0 to %k step %c1 iter_args(%s = %half) -> f64 {
          %x = memref.load %a[%i, %l] : memref<8x4xf64>
          %y = memref.load %b[%j, %l] : memref<8x4xf64>
          %p = arith.mulf %x, %y : f64
          %u = arith.addf %s, %p : f64
          scf.yield %u : f64
        }
        %got = memref.load %c[%i, %j] : memref<8x8xf64>
        %differs = arith.cmpf une, %got, %sum : f64
        %d = arith.index_castui %differs : i1 to index
        %w2 = arith.addi %w1, %d : index
        scf.yield %w2 : index
      }
      scf.yield %w3 : index
    }
    return %wrong : index
  }
  func.func @main() -> (index, index, index, index, index, index) {
    %0 = call @f16_f32() : () -> index
    %1 = call @f16_f16() : () -> index
    %2 = call @f16_wide() : () -> index
    %3 = call @f16_tall() : () -> index
    %4 = call @tf32() : () -> index
    %5 = call @f64() : () -> index
    return %0, %1, %2, %3, %4, %5 : index, index, index, index, index, index
  }
}
