// The backward pass of an LSTM layer as one persistent kernel: T=8 B=16 I=H=64 on 4 blocks of 128 threads, each block with 16 of
// the units. benchmarks/simt.sh times it, too. The sums below were computed in f64.
// REQUIRES: rnn-run
// DEFINE: %{expected} = --expected-output=72033.78169 --expected-output=2306588.91527 --expected-output=2308022.37654 --expected-output=369139.06735 --rtol=1e-6
// RUN: rnn-run %s --target=simt %{expected}
// RUN: rnn-run %s --target=simt --simt-check --simt-schedule=random:1 %{expected}
// RUN: rnn-run %s --target=simt --output=- --output=- --output=- --output=- > %t.fifo
// RUN: rnn-run %s --target=simt --output=- --output=- --output=- --output=- --simt-schedule=reverse > %t.reverse
// RUN: rnn-run %s --target=simt --output=- --output=- --output=- --output=- --simt-schedule=random:7 > %t.random
// RUN: diff %t.fifo %t.reverse
// RUN: diff %t.fifo %t.random
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // gates: i, f, g, o after their activations, [T,B,4H]; cells and states: with the initial ones, [T+1,B,H].
    gpu.func @lstm(%gates: memref<8x16x256xf32>, %cells: memref<9x16x64xf32>, %states: memref<9x16x64xf32>,
                   %x: memref<8x16x64xf32>, %dstates: memref<8x16x64xf32>, %wh: memref<256x64xf32>,
                   %wx: memref<256x64xf32>, %dgates: memref<8x16x256xf32>, %dwh: memref<256x64xf32>,
                   %dwx: memref<256x64xf32>, %dx: memref<8x16x64xf32>, %count: memref<1xi32>)
        workgroup(%dh: memref<16x16xf32, #gpu.address_space<workgroup>>,
                  %dc: memref<16x16xf32, #gpu.address_space<workgroup>>)
        kernel attributes {rnngpu.cooperative, known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c7 = arith.constant 7 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %c192 = arith.constant 192 : index
      %c256 = arith.constant 256 : index
      %c512 = arith.constant 512 : index
      %weights = arith.constant 16384 : index
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %count_address = memref.extract_aligned_pointer_as_index %count : memref<1xi32> -> index
      %count_integer = arith.index_cast %count_address : index to i64
      %counter = llvm.inttoptr %count_integer : i64 to !llvm.ptr<1>
      %thread = gpu.thread_id x
      %block = gpu.block_id x
      %before = arith.muli %block, %c128 : index
      %global = arith.addi %before, %thread : index
      %first_unit = arith.muli %block, %c16 : index
      scf.for %e = %thread to %c256 step %c128 {
        %b = arith.divui %e, %c16 : index
        %u = arith.remui %e, %c16 : index
        memref.store %zero, %dh[%b, %u] : memref<16x16xf32, #gpu.address_space<workgroup>>
        memref.store %zero, %dc[%b, %u] : memref<16x16xf32, #gpu.address_space<workgroup>>
      }
      scf.for %e = %global to %weights step %c512 {
        %i = arith.divui %e, %c64 : index
        %j = arith.remui %e, %c64 : index
        memref.store %zero, %dwh[%i, %j] : memref<256x64xf32>
        memref.store %zero, %dwx[%i, %j] : memref<256x64xf32>
      }
      gpu.barrier
      scf.for %step = %c0 to %c8 step %c1 {
        %t = arith.subi %c7, %step : index
        %t1 = arith.addi %t, %c1 : index
        // The gate gradients of the block's units.
        scf.for %e = %thread to %c256 step %c128 {
          %b = arith.divui %e, %c16 : index
          %u = arith.remui %e, %c16 : index
          %ji = arith.addi %first_unit, %u : index
          %jf = arith.addi %ji, %c64 : index
          %jg = arith.addi %ji, %c128 : index
          %jo = arith.addi %ji, %c192 : index
          %i = memref.load %gates[%t, %b, %ji] : memref<8x16x256xf32>
          %f = memref.load %gates[%t, %b, %jf] : memref<8x16x256xf32>
          %g = memref.load %gates[%t, %b, %jg] : memref<8x16x256xf32>
          %o = memref.load %gates[%t, %b, %jo] : memref<8x16x256xf32>
          %c_before = memref.load %cells[%t, %b, %ji] : memref<9x16x64xf32>
          %c = memref.load %cells[%t1, %b, %ji] : memref<9x16x64xf32>
          %dh_above = memref.load %dstates[%t, %b, %ji] : memref<8x16x64xf32>
          %dh_later = memref.load %dh[%b, %u] : memref<16x16xf32, #gpu.address_space<workgroup>>
          %dc_later = memref.load %dc[%b, %u] : memref<16x16xf32, #gpu.address_space<workgroup>>
          %dh_all = arith.addf %dh_above, %dh_later : f32
          %tanh = math.tanh %c : f32
          %tanh2 = arith.mulf %tanh, %tanh : f32
          %slope = arith.subf %one, %tanh2 : f32
          %through_o = arith.mulf %dh_all, %o : f32
          %dc_here = arith.mulf %through_o, %slope : f32
          %dc_all = arith.addf %dc_here, %dc_later : f32
          %dc_next = arith.mulf %dc_all, %f : f32
          memref.store %dc_next, %dc[%b, %u] : memref<16x16xf32, #gpu.address_space<workgroup>>
          %di = arith.mulf %dc_all, %g : f32
          %df = arith.mulf %dc_all, %c_before : f32
          %dg = arith.mulf %dc_all, %i : f32
          %do = arith.mulf %dh_all, %tanh : f32
          %not_i = arith.subf %one, %i : f32
          %not_f = arith.subf %one, %f : f32
          %not_o = arith.subf %one, %o : f32
          %g2 = arith.mulf %g, %g : f32
          %slope_i = arith.mulf %i, %not_i : f32
          %slope_f = arith.mulf %f, %not_f : f32
          %slope_g = arith.subf %one, %g2 : f32
          %slope_o = arith.mulf %o, %not_o : f32
          %ri = arith.mulf %di, %slope_i : f32
          %rf = arith.mulf %df, %slope_f : f32
          %rg = arith.mulf %dg, %slope_g : f32
          %ro = arith.mulf %do, %slope_o : f32
          memref.store %ri, %dgates[%t, %b, %ji] : memref<8x16x256xf32>
          memref.store %rf, %dgates[%t, %b, %jf] : memref<8x16x256xf32>
          memref.store %rg, %dgates[%t, %b, %jg] : memref<8x16x256xf32>
          memref.store %ro, %dgates[%t, %b, %jo] : memref<8x16x256xf32>
        }
        rnngpu.grid_barrier %counter
        // dh = dgates Wh and dx = dgates Wx, for the block's units.
        scf.for %e = %thread to %c256 step %c128 {
          %b = arith.divui %e, %c16 : index
          %u = arith.remui %e, %c16 : index
          %j = arith.addi %first_unit, %u : index
          %sums:2 = scf.for %k = %c0 to %c256 step %c1 iter_args(%sh = %zero, %sx = %zero) -> (f32, f32) {
            %d = memref.load %dgates[%t, %b, %k] : memref<8x16x256xf32>
            %vh = memref.load %wh[%k, %j] : memref<256x64xf32>
            %vx = memref.load %wx[%k, %j] : memref<256x64xf32>
            %ph = arith.mulf %d, %vh : f32
            %px = arith.mulf %d, %vx : f32
            %nh = arith.addf %sh, %ph : f32
            %nx = arith.addf %sx, %px : f32
            scf.yield %nh, %nx : f32, f32
          }
          memref.store %sums#0, %dh[%b, %u] : memref<16x16xf32, #gpu.address_space<workgroup>>
          memref.store %sums#1, %dx[%t, %b, %j] : memref<8x16x64xf32>
        }
        // dWh += dgates^T h and dWx += dgates^T x, shared by all threads of the grid.
        scf.for %e = %global to %weights step %c512 {
          %i = arith.divui %e, %c64 : index
          %j = arith.remui %e, %c64 : index
          %oh = memref.load %dwh[%i, %j] : memref<256x64xf32>
          %ox = memref.load %dwx[%i, %j] : memref<256x64xf32>
          %sums:2 = scf.for %b = %c0 to %c16 step %c1 iter_args(%sh = %oh, %sx = %ox) -> (f32, f32) {
            %d = memref.load %dgates[%t, %b, %i] : memref<8x16x256xf32>
            %vh = memref.load %states[%t, %b, %j] : memref<9x16x64xf32>
            %vx = memref.load %x[%t, %b, %j] : memref<8x16x64xf32>
            %ph = arith.mulf %d, %vh : f32
            %px = arith.mulf %d, %vx : f32
            %nh = arith.addf %sh, %ph : f32
            %nx = arith.addf %sx, %px : f32
            scf.yield %nh, %nx : f32, f32
          }
          memref.store %sums#0, %dwh[%i, %j] : memref<256x64xf32>
          memref.store %sums#1, %dwx[%i, %j] : memref<256x64xf32>
        }
        gpu.barrier
      }
      gpu.return
    }
  }

  func.func @backward(%gates: memref<8x16x256xf32>, %cells: memref<9x16x64xf32>, %states: memref<9x16x64xf32>,
                      %x: memref<8x16x64xf32>, %dstates: memref<8x16x64xf32>, %wh: memref<256x64xf32>,
                      %wx: memref<256x64xf32>)
      -> (memref<8x16x256xf32>, memref<256x64xf32>, memref<256x64xf32>, memref<8x16x64xf32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %dgates = memref.alloc() : memref<8x16x256xf32>
    %dwh = memref.alloc() : memref<256x64xf32>
    %dwx = memref.alloc() : memref<256x64xf32>
    %dx = memref.alloc() : memref<8x16x64xf32>
    %c0 = arith.constant 0 : index
    %none = arith.constant 0 : i32
    %count = memref.alloc() : memref<1xi32>
    memref.store %none, %count[%c0] : memref<1xi32>
    gpu.launch_func @kernels::@lstm blocks in (%c4, %c1, %c1) threads in (%c128, %c1, %c1)
        args(%gates : memref<8x16x256xf32>, %cells : memref<9x16x64xf32>, %states : memref<9x16x64xf32>,
             %x : memref<8x16x64xf32>, %dstates : memref<8x16x64xf32>, %wh : memref<256x64xf32>, %wx : memref<256x64xf32>,
             %dgates : memref<8x16x256xf32>, %dwh : memref<256x64xf32>, %dwx : memref<256x64xf32>,
             %dx : memref<8x16x64xf32>, %count : memref<1xi32>)
    return %dgates, %dwh, %dwx, %dx : memref<8x16x256xf32>, memref<256x64xf32>, memref<256x64xf32>, memref<8x16x64xf32>
  }

  // Element k is (k * factor mod 17) * scale.
  func.func private @fill(%buffer: memref<?xf32>, %factor: index, %scale: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c17 = arith.constant 17 : index
    %n = memref.dim %buffer, %c0 : memref<?xf32>
    scf.for %k = %c0 to %n step %c1 {
      %p = arith.muli %k, %factor : index
      %r = arith.remui %p, %c17 : index
      %i = arith.index_cast %r : index to i32
      %f = arith.sitofp %i : i32 to f32
      %v = arith.mulf %f, %scale : f32
      memref.store %v, %buffer[%k] : memref<?xf32>
    }
    return
  }

  // The sum of element k times (k mod 7) + 1.
  func.func private @sum(%buffer: memref<?xf32>) -> f64 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %zero = arith.constant 0.0 : f64
    %n = memref.dim %buffer, %c0 : memref<?xf32>
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> f64 {
      %r = arith.remui %k, %c7 : index
      %r1 = arith.addi %r, %c1 : index
      %i = arith.index_cast %r1 : index to i32
      %w = arith.sitofp %i : i32 to f64
      %v = memref.load %buffer[%k] : memref<?xf32>
      %d = arith.extf %v : f32 to f64
      %p = arith.mulf %d, %w : f64
      %t = arith.addf %s, %p : f64
      scf.yield %t : f64
    }
    return %sum : f64
  }

  func.func @main() -> (f64, f64, f64, f64) {
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %c9 = arith.constant 9 : index
    %c11 = arith.constant 11 : index
    %c13 = arith.constant 13 : index
    %small = arith.constant 0.01 : f32
    %medium = arith.constant 0.05 : f32
    %large = arith.constant 0.0625 : f32
    %gates = memref.alloc() : memref<8x16x256xf32>
    %gates_flat = memref.collapse_shape %gates [[0, 1, 2]] : memref<8x16x256xf32> into memref<32768xf32>
    %gates_any = memref.cast %gates_flat : memref<32768xf32> to memref<?xf32>
    call @fill(%gates_any, %c7, %medium) : (memref<?xf32>, index, f32) -> ()
    %cells = memref.alloc() : memref<9x16x64xf32>
    %cells_flat = memref.collapse_shape %cells [[0, 1, 2]] : memref<9x16x64xf32> into memref<9216xf32>
    %cells_any = memref.cast %cells_flat : memref<9216xf32> to memref<?xf32>
    call @fill(%cells_any, %c5, %large) : (memref<?xf32>, index, f32) -> ()
    %states = memref.alloc() : memref<9x16x64xf32>
    %states_flat = memref.collapse_shape %states [[0, 1, 2]] : memref<9x16x64xf32> into memref<9216xf32>
    %states_any = memref.cast %states_flat : memref<9216xf32> to memref<?xf32>
    call @fill(%states_any, %c3, %large) : (memref<?xf32>, index, f32) -> ()
    %x = memref.alloc() : memref<8x16x64xf32>
    %x_flat = memref.collapse_shape %x [[0, 1, 2]] : memref<8x16x64xf32> into memref<8192xf32>
    %x_any = memref.cast %x_flat : memref<8192xf32> to memref<?xf32>
    call @fill(%x_any, %c11, %large) : (memref<?xf32>, index, f32) -> ()
    %dstates = memref.alloc() : memref<8x16x64xf32>
    %dstates_flat = memref.collapse_shape %dstates [[0, 1, 2]] : memref<8x16x64xf32> into memref<8192xf32>
    %dstates_any = memref.cast %dstates_flat : memref<8192xf32> to memref<?xf32>
    call @fill(%dstates_any, %c13, %large) : (memref<?xf32>, index, f32) -> ()
    %wh = memref.alloc() : memref<256x64xf32>
    %wh_flat = memref.collapse_shape %wh [[0, 1]] : memref<256x64xf32> into memref<16384xf32>
    %wh_any = memref.cast %wh_flat : memref<16384xf32> to memref<?xf32>
    call @fill(%wh_any, %c9, %small) : (memref<?xf32>, index, f32) -> ()
    %wx = memref.alloc() : memref<256x64xf32>
    %wx_flat = memref.collapse_shape %wx [[0, 1]] : memref<256x64xf32> into memref<16384xf32>
    %wx_any = memref.cast %wx_flat : memref<16384xf32> to memref<?xf32>
    call @fill(%wx_any, %c4, %small) : (memref<?xf32>, index, f32) -> ()
    %results:4 = call @backward(%gates, %cells, %states, %x, %dstates, %wh, %wx)
        : (memref<8x16x256xf32>, memref<9x16x64xf32>, memref<9x16x64xf32>, memref<8x16x64xf32>, memref<8x16x64xf32>, memref<256x64xf32>, memref<256x64xf32>)
        -> (memref<8x16x256xf32>, memref<256x64xf32>, memref<256x64xf32>, memref<8x16x64xf32>)
    %dgates_flat = memref.collapse_shape %results#0 [[0, 1, 2]] : memref<8x16x256xf32> into memref<32768xf32>
    %dgates_any = memref.cast %dgates_flat : memref<32768xf32> to memref<?xf32>
    %dgates_sum = call @sum(%dgates_any) : (memref<?xf32>) -> f64
    %dwh_flat = memref.collapse_shape %results#1 [[0, 1]] : memref<256x64xf32> into memref<16384xf32>
    %dwh_any = memref.cast %dwh_flat : memref<16384xf32> to memref<?xf32>
    %dwh_sum = call @sum(%dwh_any) : (memref<?xf32>) -> f64
    %dwx_flat = memref.collapse_shape %results#2 [[0, 1]] : memref<256x64xf32> into memref<16384xf32>
    %dwx_any = memref.cast %dwx_flat : memref<16384xf32> to memref<?xf32>
    %dwx_sum = call @sum(%dwx_any) : (memref<?xf32>) -> f64
    %dx_flat = memref.collapse_shape %results#3 [[0, 1, 2]] : memref<8x16x64xf32> into memref<8192xf32>
    %dx_any = memref.cast %dx_flat : memref<8192xf32> to memref<?xf32>
    %dx_sum = call @sum(%dx_any) : (memref<?xf32>) -> f64
    return %dgates_sum, %dwh_sum, %dwx_sum, %dx_sum : f64, f64, f64, f64
  }
}
