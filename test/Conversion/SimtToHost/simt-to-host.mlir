// RUN: rnn-opt %s --split-input-file --simt-to-host | FileCheck %s
// RUN: rnn-opt %s --split-input-file --simt-to-host=check | FileCheck %s --check-prefix=CHECKED
// RUN: rnn-opt %s --split-input-file --simt-to-host=launches=false | FileCheck %s --check-prefix=KERNELS

// Ids, static shared memory, barriers with one location string each, and the launch.
// CHECK: llvm.func @rnnrt_abi_simt_thread_id(i32) -> i32 attributes {memory_effects = #llvm.memory_effects<other = none{{.*}}>, no_unwind, will_return}
// CHECK-NOT: gpu.module
// CHECK-LABEL: llvm.func @launch(
// CHECK: llvm.call @rnnrt_abi_simt_launch
// CHECK-LABEL: llvm.func internal @kernels__copy(
// CHECK-SAME: %{{.*}}: !llvm.ptr)
// CHECK: %[[BASE:.*]] = llvm.call @rnnrt_abi_simt_shared_base()
// CHECK: llvm.getelementptr %[[BASE]][0]
// CHECK: llvm.call @rnnrt_abi_simt_thread_id
// CHECK: %[[A:.*]] = llvm.mlir.addressof @rnnrt_simt_site :
// CHECK: llvm.call @rnnrt_abi_simt_barrier(%{{.*}}, %{{.*}}, %[[A]])
// CHECK: %[[B:.*]] = llvm.mlir.addressof @rnnrt_simt_site_0 :
// CHECK: llvm.call @rnnrt_abi_simt_barrier(%{{.*}}, %{{.*}}, %[[B]])
// CHECK-NOT: rnnrt_abi_simt_access
// CHECK-LABEL: llvm.func internal @kernels__copy_thunk(
// CHECK: llvm.call @kernels__copy(

// KERNELS: gpu.module @kernels
// KERNELS: llvm.func @copy(!llvm.ptr) attributes {gpu.kernel, rnn.simt_kernel = {block_size = array<i32: 64, 1, 1>, checked = false, cluster_size = array<i32>, cooperative = false, resident_clusters = 0 : i32, shared_bytes = 256 : i64, stack_bytes = 0 : i64, thunk = @kernels__copy_thunk}}
// KERNELS: gpu.launch_func @kernels::@copy
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.mlir.global internal @tile() {addr_space = 3 : i32} : !llvm.array<64 x f32>
    llvm.func @copy(%out: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 64>} {
      %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %slot = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
      %place = llvm.getelementptr %out[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      nvvm.barrier
      %v = llvm.load %place : !llvm.ptr -> f32
      llvm.store %v, %slot : f32, !llvm.ptr<3>
      nvvm.barrier
      llvm.return
    }
  }

  // CHECKED-LABEL: llvm.func internal @kernels__copy(
  // CHECKED: llvm.call @rnnrt_abi_simt_access(%{{.*}}, %[[BYTES:.*]], %[[LOAD:.*]], %{{.*}})
  // CHECKED-NEXT: llvm.load
  // CHECKED: llvm.call @rnnrt_abi_simt_access(
  // CHECKED-NEXT: llvm.store
  llvm.func @launch(%out: !llvm.ptr) {
    %c1 = llvm.mlir.constant(1 : i64) : i64
    %c64 = llvm.mlir.constant(64 : i64) : i64
    gpu.launch_func @kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64 args(%out : !llvm.ptr)
    llvm.return
  }
}

// -----

// Kernels with different layouts of shared memory, a variable that two kernels share, dynamic shared memory, a constant, functions.
// KERNELS-LABEL: gpu.module @layout
// KERNELS: llvm.func @one() {{.*}}cooperative = true, resident_clusters = 0 : i32, shared_bytes = 128 : i64
// KERNELS: llvm.func @two({{.*}}) {{.*}}cooperative = false, resident_clusters = 0 : i32, shared_bytes = 512 : i64
// CHECK-LABEL: llvm.mlir.global internal constant @layout__table
// CHECK-LABEL: llvm.func internal @layout__both()
// CHECK: llvm.getelementptr %{{.*}}[0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-LABEL: llvm.func internal @layout__one()
// CHECK: llvm.getelementptr %{{.*}}[16] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: llvm.call @layout__both()
// CHECK-LABEL: llvm.func internal @layout__two(
// CHECK: llvm.getelementptr %{{.*}}[16] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: llvm.call @rnnrt_abi_simt_dynamic_shared()
// CHECK: llvm.mlir.addressof @layout__table
// CHECK: llvm.call @rnnrt_abi_simt_grid_barrier
// CHECK: llvm.call @expf
// CHECK: llvm.atomicrmw
// CHECK-NEXT: llvm.atomicrmw
// CHECK-NEXT: %[[SITE:.*]] = llvm.mlir.addressof
// CHECK-NEXT: llvm.call @rnnrt_abi_simt_yield(%[[SITE]])
module attributes {gpu.container_module} {
  gpu.module @layout {
    llvm.mlir.global internal @common() {addr_space = 3 : i32} : f32
    llvm.mlir.global internal @small() {addr_space = 3 : i32} : !llvm.array<4 x f32>
    llvm.mlir.global internal @large() {addr_space = 3 : i32} : !llvm.array<100 x f32>
    llvm.mlir.global internal @dynamic() {addr_space = 3 : i32} : !llvm.array<0 x i8>
    llvm.mlir.global internal constant @table(dense<1.0> : tensor<4xf32>) {addr_space = 4 : i32} : !llvm.array<4 x f32>
    llvm.func @__nv_expf(f32) -> f32
    llvm.func @both() {
      %a = llvm.mlir.addressof @common : !llvm.ptr<3>
      %one = llvm.mlir.constant(1.0 : f32) : f32
      llvm.store %one, %a : f32, !llvm.ptr<3>
      llvm.return
    }
    llvm.func @one() attributes {nvvm.kernel, rnngpu.cooperative} {
      %a = llvm.mlir.addressof @small : !llvm.ptr<3>
      %one = llvm.mlir.constant(1.0 : f32) : f32
      llvm.store %one, %a : f32, !llvm.ptr<3>
      llvm.call @both() : () -> ()
      llvm.return
    }
    llvm.func @two(%counter: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %a = llvm.mlir.addressof @large : !llvm.ptr<3>
      %b = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
      %c = llvm.mlir.addressof @table : !llvm.ptr<4>
      %x = llvm.load %c : !llvm.ptr<4> -> f32
      rnngpu.grid_barrier %counter
      %y = llvm.call @__nv_expf(%x) : (f32) -> f32
      llvm.store %y, %a : f32, !llvm.ptr<3>
      %n = llvm.mlir.constant(1 : i32) : i32
      %ignored = llvm.atomicrmw add %b, %n acq_rel : !llvm.ptr<3>, i32
      %used = llvm.atomicrmw add %b, %n acq_rel : !llvm.ptr<3>, i32
      llvm.store %used, %b : i32, !llvm.ptr<3>
      llvm.call @both() : () -> ()
      llvm.return
    }
  }
}

// -----

// Undefined floats and private memory are NaN; undefined integers are all ones.
// CHECK-LABEL: llvm.func internal @poison__kernel(
// CHECK: %[[ALLOCA:.*]] = llvm.alloca %{{.*}} x f32
// CHECK: "llvm.intr.memset"(%[[ALLOCA]]
// CHECK: llvm.mlir.constant(0x7FC00000 : f32) : f32
// CHECK-NOT: llvm.mlir.undef : f32
gpu.module @poison {
  llvm.func @kernel(%out: !llvm.ptr) attributes {nvvm.kernel} {
    %c4 = llvm.mlir.constant(4 : i64) : i64
    %mine = llvm.alloca %c4 x f32 : (i64) -> !llvm.ptr
    %x = llvm.mlir.undef : f32
    llvm.store %x, %mine : f32, !llvm.ptr
    %y = llvm.load %mine : !llvm.ptr -> f32
    llvm.store %y, %out : f32, !llvm.ptr
    llvm.return
  }
}
