// RUN: rnn-opt %s -rnn-expand-gpu-reductions -split-input-file | FileCheck %s

// A reduction over a warp becomes a butterfly of five shuffles, at distances 1, 2, 4, 8 and 16.
// CHECK-LABEL: gpu.func @subgroup
// CHECK-NOT: gpu.subgroup_reduce
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: memref.store
gpu.module @subgroup_kernels {
  gpu.func @subgroup(%buffer: memref<32xf32>) kernel {
    %thread = gpu.thread_id x
    %value = memref.load %buffer[%thread] : memref<32xf32>
    %sum = gpu.subgroup_reduce add %value : (f32) -> f32
    memref.store %sum, %buffer[%thread] : memref<32xf32>
    gpu.return
  }
}

// -----

// A shuffle moves 32 bits, so an f16 is extended to i32.
// CHECK-LABEL: gpu.func @half
// CHECK: arith.bitcast %{{.*}} : f16 to i16
// CHECK: arith.extui %{{.*}} : i16 to i32
// CHECK: gpu.shuffle xor %{{.*}} : i32
// CHECK: arith.trunci %{{.*}} : i32 to i16
// CHECK: arith.bitcast %{{.*}} : i16 to f16
// CHECK-NOT: gpu.subgroup_reduce
// CHECK: gpu.return
gpu.module @half_kernels {
  gpu.func @half(%buffer: memref<32xf16>) kernel {
    %thread = gpu.thread_id x
    %value = memref.load %buffer[%thread] : memref<32xf16>
    %sum = gpu.subgroup_reduce maximumf %value : (f16) -> f16
    memref.store %sum, %buffer[%thread] : memref<32xf16>
    gpu.return
  }
}

// -----

// A reduction over a cluster of 8 threads needs three shuffles.
// CHECK-LABEL: gpu.func @clustered
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.return
gpu.module @cluster_kernels {
  gpu.func @clustered(%buffer: memref<32xi32>) kernel {
    %thread = gpu.thread_id x
    %value = memref.load %buffer[%thread] : memref<32xi32>
    %sum = gpu.subgroup_reduce add %value cluster(size = 8) : (i32) -> i32
    memref.store %sum, %buffer[%thread] : memref<32xi32>
    gpu.return
  }
}

// -----

// A reduction over a block: shuffles in each warp, partial sums in workgroup memory, and a barrier between the two.
// CHECK-LABEL: gpu.func @block
// CHECK-SAME: workgroup(%{{.*}} : memref<32xf32, #gpu.address_space<workgroup>>)
// CHECK: gpu.shuffle
// CHECK: memref.store %{{.*}} : memref<32xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: memref.load %{{.*}} : memref<32xf32, #gpu.address_space<workgroup>>
// CHECK-NOT: gpu.all_reduce
gpu.module @block_kernels {
  gpu.func @block(%buffer: memref<?xf32>) kernel {
    %thread = gpu.thread_id x
    %value = memref.load %buffer[%thread] : memref<?xf32>
    %sum = gpu.all_reduce add %value uniform {
    } : (f32) -> f32
    memref.store %sum, %buffer[%thread] : memref<?xf32>
    gpu.return
  }
}

// -----

// gpu.global_id becomes block id * block size + thread id.
// CHECK-LABEL: gpu.func @global
// CHECK-NOT: gpu.global_id
// CHECK-DAG: gpu.block_id
// CHECK-DAG: gpu.block_dim
// CHECK-DAG: gpu.thread_id
// CHECK: gpu.return
gpu.module @id_kernels {
  gpu.func @global(%buffer: memref<?xindex>) kernel {
    %thread = gpu.global_id x
    memref.store %thread, %buffer[%thread] : memref<?xindex>
    gpu.return
  }
}
