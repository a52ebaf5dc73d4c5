// A tiled GEMM on the emulator: docs/Emulator.md shows this program.
// REQUIRES: rnn-run
// RUN: rnn-run %s --target=simt --input=32x48xf32=2 --input=48x16xf32=0.5 --expected-output=32x16xf32=48 | FileCheck %s
// CHECK: all results are as expected
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // C = A B: a block computes a tile of 16x16, from tiles of A and B in shared memory.
    gpu.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
        workgroup(%tile_a: memref<16x16xf32, #gpu.address_space<workgroup>>,
                  %tile_b: memref<16x16xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %zero = arith.constant 0.0 : f32
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      %bx = gpu.block_id x
      %by = gpu.block_id y
      %first_row = arith.muli %by, %c16 : index
      %first_column = arith.muli %bx, %c16 : index
      %row = arith.addi %first_row, %ty : index
      %column = arith.addi %first_column, %tx : index
      %inner = memref.dim %a, %c1 : memref<?x?xf32>
      %sum = scf.for %k = %c0 to %inner step %c16 iter_args(%before = %zero) -> f32 {
        %ka = arith.addi %k, %tx : index
        %kb = arith.addi %k, %ty : index
        %va = memref.load %a[%row, %ka] : memref<?x?xf32>
        %vb = memref.load %b[%kb, %column] : memref<?x?xf32>
        memref.store %va, %tile_a[%ty, %tx] : memref<16x16xf32, #gpu.address_space<workgroup>>
        memref.store %vb, %tile_b[%ty, %tx] : memref<16x16xf32, #gpu.address_space<workgroup>>
        gpu.barrier
        %partial = scf.for %j = %c0 to %c16 step %c1 iter_args(%sum = %before) -> f32 {
          %x = memref.load %tile_a[%ty, %j] : memref<16x16xf32, #gpu.address_space<workgroup>>
          %y = memref.load %tile_b[%j, %tx] : memref<16x16xf32, #gpu.address_space<workgroup>>
          %product = arith.mulf %x, %y : f32
          %next = arith.addf %sum, %product : f32
          scf.yield %next : f32
        }
        gpu.barrier
        scf.yield %partial : f32
      }
      memref.store %sum, %c[%row, %column] : memref<?x?xf32>
      gpu.return
    }
  }

  func.func @main(%a: memref<?x?xf32>, %b: memref<?x?xf32>) -> memref<?x?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %m = memref.dim %a, %c0 : memref<?x?xf32>
    %n = memref.dim %b, %c1 : memref<?x?xf32>
    %c = memref.alloc(%m, %n) : memref<?x?xf32>
    %rows = arith.ceildivui %m, %c16 : index
    %columns = arith.ceildivui %n, %c16 : index
    gpu.launch_func @kernels::@matmul blocks in (%columns, %rows, %c1) threads in (%c16, %c16, %c1)
        args(%a : memref<?x?xf32>, %b : memref<?x?xf32>, %c : memref<?x?xf32>)
    return %c : memref<?x?xf32>
  }
}
